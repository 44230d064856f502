//! Bars, points and whiskers of a scene: each [`Role`] has a pattern and a shape of its own, so that color is never the only difference.

use super::palette::Role;
use super::pattern::{hatch, stripes};
use super::scene::{Point, Rectangle, Scene};

impl Scene {
    /// A bar in its role's color and pattern; `None` is launching and waiting: an empty outline.
    pub(super) fn bar(&mut self, area: Rectangle, role: Option<Role>) {
        let ink = role.unwrap_or(Role::Transfers);
        let pattern = match role {
            Some(Role::Cpu) => hatch(area, 5.0),
            Some(Role::Transfers) => stripes(area, 3.0),
            None => Vec::new(),
            Some(_) => return self.fill(area, ink, 1.0),
        };
        self.fill(area, ink, 0.16);
        self.lines(pattern, ink, 1.0);
        self.outline(area, ink);
    }

    /// A value on an axis without lengths.
    pub(super) fn point(&mut self, (x, y): Point, role: Role) {
        let square = |half: f64| [x - half, y - half, x + half, y + half];
        match role {
            Role::Cpu => self.bar(square(5.0), Some(role)),
            Role::Transfers => self.outline(square(3.5), role),
            _ => self.dot((x, y), 5.5, role),
        }
    }

    /// A line from `lower` to `upper`; it ends in an arrow where the axis ends before the value does.
    pub(super) fn whisker(&mut self, [lower, upper]: [f64; 2], y: f64, goes_on: bool) {
        let mut lines = vec![[(lower, y), (upper, y)], [(lower, y - 3.0), (lower, y + 3.0)]];
        if goes_on {
            lines.extend([-3.0, 3.0].map(|dy| [(upper - 4.0, y + dy), (upper, y)]));
        } else {
            lines.push([(upper, y - 3.0), (upper, y + 3.0)]);
        }
        self.lines(lines, Role::Strong, 1.5);
    }

    /// In place of a bar: a cross for a failure, a dash for what was not measured.
    pub(super) fn no_bar(&mut self, (x, y): Point, is_failure: bool, role: Role) {
        let lines = if is_failure {
            vec![[(x - 4.0, y - 4.0), (x + 4.0, y + 4.0)], [(x - 4.0, y + 4.0), (x + 4.0, y - 4.0)]]
        } else {
            vec![[(x - 4.0, y), (x + 4.0, y)]]
        };
        self.lines(lines, role, 2.0);
    }
}
