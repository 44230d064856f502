//! What is fetched per pixel lies between two bounds: a bar from one to the other, with marks.

use super::View;
use super::drawing::SMALL;
use super::words::number;
use crate::plot::{Anchor, Hit, Measure, Role, Scene};
use base::texts::{filled, text};

/// The bar's height, and that of the marks that cross it.
const BAR: f64 = 8.0;
const MARK: f64 = 14.0;
/// From the marks to the middle of the line of labels.
const LABEL: f64 = 13.0;
/// Between two labels.
const APART: f64 = 12.0;

/// The bar of a view, on a scale that ends at `most` bytes per pixel: from nothing fetched twice in the work-group to no cache at all, with the bytes that
/// hold a pixel.
pub fn bounds(view: &View, most: f64, width: f64, measure: Measure<'_>) -> Scene {
    let Some(fetched) = view.answer.totals.fetched(view.segment_bytes) else { return Scene::new(width, 0.0) };
    let once = if view.question.is_loop { "access.bounds.turn" } else { "access.bounds.sub-group" };
    let marks = [
        ("access.bounds.floor", view.answer.totals.floor_bytes_per_px),
        ("access.bounds.group", fetched.once_per_group),
        (once, fetched.once_per_sub_group),
        ("access.bounds.cold", fetched.cold),
    ];
    let mut scene = Scene::new(width, MARK + LABEL + SMALL);
    let x = |bytes: f64| (bytes / most.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0) * width;
    let [top, bottom] = [(MARK - BAR) / 2.0, f64::midpoint(MARK, BAR)];
    scene.fill([0.0, top, x(fetched.once_per_group), bottom], Role::Accent, 0.9);
    scene.fill([x(fetched.once_per_group), top, x(fetched.cold), bottom], Role::Accent, 0.3);
    let labels = marks.map(|(key, bytes)| filled("access.bounds.mark", &[("name", &text(key)), ("bytes", &number(bytes))]));
    let widths = labels.each_ref().map(|label| measure(label, SMALL));
    let lefts = side_by_side(&marks.map(|(_, bytes)| x(bytes)), &widths, width);
    let y = MARK + LABEL;
    for (((_, bytes), label), (left, label_width)) in marks.into_iter().zip(labels).zip(lefts.into_iter().zip(widths)) {
        let at = x(bytes).clamp(1.0, width - 1.0);
        let foot = at.clamp(left, left + label_width);
        scene.lines(vec![[(at, 0.0), (at, MARK)], [(at, MARK), (foot, y - SMALL / 2.0)]], Role::Strong, 1.5);
        scene.hits.push(Hit { area: [at - 4.0, 0.0, at + 4.0, MARK], index: 0, name: label.clone() });
        scene.text(label, (left, y), SMALL, Role::Weak, Anchor::Left);
    }
    scene
}

/// Left ends of labels of these widths, each as near below its mark as the others let it; marks are in order. Where there is too little room, they overlap.
fn side_by_side<const N: usize>(marks: &[f64; N], widths: &[f64; N], room: f64) -> [f64; N] {
    let mut lefts = [0.0; N];
    let mut free = 0.0;
    for ((left, mark), width) in lefts.iter_mut().zip(marks).zip(widths) {
        *left = f64::max(mark - width / 2.0, free);
        free = *left + width + APART;
    }
    let mut end = room;
    for (left, width) in lefts.iter_mut().zip(widths).rev() {
        *left = left.min(end - width).max(0.0);
        end = *left - APART;
    }
    lefts
}

#[cfg(test)]
mod tests {
    use super::side_by_side;

    fn lefts<const N: usize>(marks: &[f64; N], widths: &[f64; N], room: f64) -> [i32; N] {
        side_by_side(marks, widths, room).map(|left| left.round() as i32)
    }

    #[test]
    fn labels_stand_below_their_marks_and_beside_each_other() {
        assert_eq!(lefts(&[50.0, 200.0], &[20.0, 20.0], 300.0), [40, 190]);
        // Two marks at one place: the second label gives way to the right.
        assert_eq!(lefts(&[50.0, 50.0], &[20.0, 20.0], 300.0), [40, 72]);
        // At the end there is no room to the right: both go to the left.
        assert_eq!(lefts(&[300.0, 300.0], &[20.0, 20.0], 300.0), [248, 280]);
        assert_eq!(lefts(&[0.0], &[20.0], 300.0), [0]);
    }
}
