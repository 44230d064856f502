//! Where a picture's pixels lie on the screen. Picture coordinates are `f64`: (0, 0) is the top left corner of the first pixel.
//!
//! A *scale* is in physical screen pixels per picture pixel, so that 1:1 is exact on every display.

use egui::{Pos2, Rect, Vec2, pos2};
use serde::{Deserialize, Serialize};

/// No picture is magnified more than this.
pub const MAX_SCALE: f64 = 128.0;

/// What part of the picture a person looks at. It holds for every pane at once: that is what ties them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Look {
    /// The whole picture, as large as the pane allows; stays whole when the pane changes.
    #[default]
    Fit,
    /// A free choice.
    At {
        /// Physical screen pixels per picture pixel.
        scale: f64,
        /// The picture coordinate in the middle of the pane.
        center: [f64; 2],
    },
}

impl Look {
    /// The same over a picture of another size: as large on the screen, with the place in the middle that lies there in proportion.
    #[must_use]
    pub fn over(self, [from_width, from_height]: [usize; 2], [width, height]: [usize; 2]) -> Self {
        match self {
            Self::At { scale, center: [x, y] } => {
                let moved = |place: f64, from: usize, to: usize| place * to as f64 / from.max(1) as f64;
                Self::At { scale, center: [moved(x, from_width, width), moved(y, from_height, height)] }
            }
            Self::Fit => Self::Fit,
        }
    }

    /// One picture pixel is one screen pixel; what is in the middle stays there.
    #[must_use]
    pub fn one_to_one(self, frame: &Frame) -> Self {
        Self::At { scale: 1.0, center: frame.transform(self).center }
    }

    /// The same part moved by `delta` points on the screen.
    #[must_use]
    pub fn panned(self, delta: Vec2, frame: &Frame) -> Self {
        let now = frame.transform(self);
        let center = [now.center[0] - f64::from(delta.x) / now.points_per_px, now.center[1] - f64::from(delta.y) / now.points_per_px];
        Self::At { scale: frame.scale(self), center }.within(frame)
    }

    /// Magnified by `factor`; the picture coordinate under `pointer` stays under it as long as the picture's edge allows.
    #[must_use]
    pub fn zoomed(self, factor: f64, pointer: Pos2, frame: &Frame) -> Self {
        let before = frame.transform(self);
        let fixed = before.to_picture(pointer);
        let scale = (frame.scale(self) * factor).clamp(frame.min_scale(), MAX_SCALE);
        if scale <= frame.fit_scale() && factor < 1.0 && frame.fit_scale() <= 1.0 {
            return Self::Fit;
        }
        let points_per_px = scale / frame.pixels_per_point;
        let offset = pointer - frame.pane.center();
        let center = [fixed[0] - f64::from(offset.x) / points_per_px, fixed[1] - f64::from(offset.y) / points_per_px];
        Self::At { scale, center }.within(frame)
    }

    /// The next scale among the powers of √2 (so that 1:1, 2:1 … are always met), up or down, around the pane's middle.
    #[must_use]
    pub fn stepped(self, up: bool, frame: &Frame) -> Self {
        let scale = frame.scale(self);
        let half_octaves = scale.log2() * 2.0;
        // The small number keeps a scale that is itself a step from standing still.
        let next = if up { (half_octaves + 1e-6).floor() + 1.0 } else { (half_octaves - 1e-6).ceil() - 1.0 };
        self.zoomed((next / 2.0).exp2() / scale, frame.pane.center(), frame)
    }

    /// Fit where it is not fit, 1:1 at `pointer` where it is: what a double-click does.
    #[must_use]
    pub fn toggled(self, pointer: Pos2, frame: &Frame) -> Self {
        match self {
            Self::At { .. } => Self::Fit,
            Self::Fit => self.zoomed(1.0 / frame.scale(self), pointer, frame),
        }
    }

    /// The same look with the picture's edge not further in than the pane's, where the picture is larger than the pane.
    fn within(self, frame: &Frame) -> Self {
        match self {
            Self::Fit => Self::Fit,
            Self::At { scale, .. } => Self::At { scale, center: frame.transform(self).center },
        }
    }
}

/// A pane and the picture in it: everything that turns a [`Look`] into coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Width and height of the picture in pixels.
    pub size_px: [usize; 2],
    /// The pane in points.
    pub pane: Rect,
    /// Physical pixels per point.
    pub pixels_per_point: f64,
}

impl Frame {
    /// The scale at which the whole picture just fits.
    #[must_use]
    pub fn fit_scale(&self) -> f64 {
        let [width, height] = self.size();
        let pane = self.pane.size() * self.pixels_per_point as f32;
        (f64::from(pane.x.max(1.0)) / width).min(f64::from(pane.y.max(1.0)) / height).min(MAX_SCALE)
    }

    /// The smallest scale a person can choose: the whole picture, or 1:1 where that is smaller still.
    fn min_scale(&self) -> f64 {
        self.fit_scale().min(1.0)
    }

    /// Physical screen pixels per picture pixel.
    #[must_use]
    pub fn scale(&self, look: Look) -> f64 {
        match look {
            Look::Fit => self.fit_scale(),
            Look::At { scale, .. } if scale.is_finite() => scale.clamp(self.min_scale(), MAX_SCALE),
            Look::At { .. } => 1.0,
        }
    }

    /// The mapping for `look`, kept from showing more emptiness than there must be.
    #[must_use]
    pub fn transform(&self, look: Look) -> Transform {
        let points_per_px = self.scale(look) / self.pixels_per_point;
        let size = self.size();
        let pane = [f64::from(self.pane.width()), f64::from(self.pane.height())];
        let mut center = match look {
            Look::Fit => [size[0] / 2.0, size[1] / 2.0],
            Look::At { center, .. } => center,
        };
        for ((center, size), pane) in center.iter_mut().zip(size).zip(pane) {
            let half = pane / points_per_px / 2.0;
            *center = if half * 2.0 >= size || !center.is_finite() { size / 2.0 } else { center.clamp(half, size - half) };
        }
        Transform { pane_center: self.pane.center(), points_per_px, center }
    }

    /// The part of the picture that the pane shows, in picture coordinates: left, top, right, bottom; inside the picture.
    #[must_use]
    pub fn visible(&self, transform: &Transform) -> [f64; 4] {
        let (first, last) = (transform.to_picture(self.pane.min), transform.to_picture(self.pane.max));
        let [width, height] = self.size();
        [first[0].clamp(0.0, width), first[1].clamp(0.0, height), last[0].clamp(0.0, width), last[1].clamp(0.0, height)]
    }

    /// What the pane shows of the picture, on the screen.
    #[must_use]
    pub fn picture_rect(&self, look: Look) -> Rect {
        let transform = self.transform(look).snapped(self.pixels_per_point);
        transform.rect(self.visible(&transform))
    }

    fn size(&self) -> [f64; 2] {
        self.size_px.map(|side| side.max(1) as f64)
    }
}

/// The mapping between picture coordinates and points on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    pane_center: Pos2,
    points_per_px: f64,
    center: [f64; 2],
}

impl Transform {
    /// Points per picture pixel.
    #[must_use]
    pub fn points_per_px(&self) -> f64 {
        self.points_per_px
    }

    /// A picture coordinate on the screen.
    #[must_use]
    pub fn to_screen(self, [x, y]: [f64; 2]) -> Pos2 {
        pos2(
            (f64::from(self.pane_center.x) + (x - self.center[0]) * self.points_per_px) as f32,
            (f64::from(self.pane_center.y) + (y - self.center[1]) * self.points_per_px) as f32,
        )
    }

    /// A place on the screen in picture coordinates; may lie outside the picture.
    #[must_use]
    pub fn to_picture(self, place: Pos2) -> [f64; 2] {
        let offset = place - self.pane_center;
        [self.center[0] + f64::from(offset.x) / self.points_per_px, self.center[1] + f64::from(offset.y) / self.points_per_px]
    }

    /// The picture rectangle left, top, right, bottom on the screen.
    #[must_use]
    pub fn rect(&self, [left, top, right, bottom]: [f64; 4]) -> Rect {
        Rect::from_min_max(self.to_screen([left, top]), self.to_screen([right, bottom]))
    }

    /// Moved by less than one physical pixel so that picture pixels begin where screen pixels do: at 1:1 nothing is doubled or lost.
    #[must_use]
    pub fn snapped(mut self, pixels_per_point: f64) -> Self {
        for (center, pane) in self.center.iter_mut().zip([self.pane_center.x, self.pane_center.y]) {
            let origin = (f64::from(pane) - *center * self.points_per_px) * pixels_per_point;
            *center += (origin - origin.round()) / pixels_per_point / self.points_per_px;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Look, MAX_SCALE};
    use egui::{Pos2, Rect, pos2, vec2};

    fn frame(width: usize, height: usize) -> Frame {
        Frame { size_px: [width, height], pane: Rect::from_min_size(pos2(100.0, 50.0), vec2(400.0, 300.0)), pixels_per_point: 1.5 }
    }

    fn close(a: Pos2, b: Pos2) -> bool {
        (a - b).length() < 0.01
    }

    #[test]
    fn a_picture_of_another_size_is_looked_at_in_proportion() {
        let look = Look::At { scale: 2.0, center: [25.0, 60.0] };
        assert_eq!(look.over([100, 200], [200, 100]), Look::At { scale: 2.0, center: [50.0, 30.0] });
        assert_eq!((look.over([100, 200], [100, 200]), Look::Fit.over([1, 2], [3, 4])), (look, Look::Fit));
    }

    #[test]
    fn fit_shows_the_whole_picture_and_touches_two_edges() {
        for (width, height) in [(600, 400), (20_000, 10_000), (100, 4000), (3, 2)] {
            let frame = frame(width, height);
            let rect = frame.transform(Look::Fit).rect([0.0, 0.0, width as f64, height as f64]);
            assert!(frame.pane.expand(0.01).contains_rect(rect), "{rect:?}");
            let touches = (rect.width() - 400.0).abs() < 0.1 || (rect.height() - 300.0).abs() < 0.1;
            assert!(touches || frame.fit_scale() >= MAX_SCALE, "{rect:?}");
        }
    }

    #[test]
    fn screen_and_picture_coordinates_are_inverse() {
        let transform = frame(640, 480).transform(Look::At { scale: 3.7, center: [200.0, 300.0] });
        for place in [pos2(100.0, 50.0), pos2(333.0, 217.5)] {
            assert!(close(transform.to_screen(transform.to_picture(place)), place));
        }
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        let frame = frame(4000, 3000);
        let mut look = Look::At { scale: 1.0, center: [2000.0, 1500.0] };
        let pointer = pos2(180.0, 310.0);
        let fixed = frame.transform(look).to_picture(pointer);
        for factor in [1.3, 2.0, 1.1, 0.6, 1.7] {
            look = look.zoomed(factor, pointer, &frame);
            assert!(close(frame.transform(look).to_screen(fixed), pointer), "{look:?}");
        }
    }

    #[test]
    fn zooming_out_ends_in_fit_and_in_at_the_largest_scale() {
        let frame = frame(4000, 3000);
        let middle = frame.pane.center();
        assert_eq!(Look::At { scale: 1.0, center: [0.0, 0.0] }.zoomed(0.001, middle, &frame), Look::Fit);
        let close_up = Look::Fit.zoomed(1e9, middle, &frame);
        assert!((frame.scale(close_up) - MAX_SCALE).abs() < 1e-9);
    }

    #[test]
    fn dragging_moves_the_picture_with_the_hand_and_stops_at_its_edge() {
        let frame = frame(4000, 3000);
        let look = Look::At { scale: 1.0, center: [2000.0, 1500.0] };
        let fixed = frame.transform(look).to_picture(pos2(200.0, 200.0));
        let moved = look.panned(vec2(30.0, -20.0), &frame);
        assert!(close(frame.transform(moved).to_screen(fixed), pos2(230.0, 180.0)));
        let corner = look.panned(vec2(1e6, 1e6), &frame);
        assert!(close(frame.transform(corner).to_screen([0.0, 0.0]), frame.pane.min), "{corner:?}");
    }

    #[test]
    fn steps_meet_one_to_one_and_go_both_ways() {
        let frame = frame(4000, 3000);
        let up = Look::At { scale: 0.9, center: [2000.0, 1500.0] }.stepped(true, &frame);
        assert!((frame.scale(up) - 1.0).abs() < 1e-9);
        let twice = up.stepped(true, &frame).stepped(true, &frame);
        assert!((frame.scale(twice) - 2.0).abs() < 1e-9);
        assert!((frame.scale(twice.stepped(false, &frame)) - 2_f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn a_double_click_toggles_between_fit_and_one_to_one() {
        let frame = frame(4000, 3000);
        let close_up = Look::Fit.toggled(pos2(200.0, 100.0), &frame);
        assert!((frame.scale(close_up) - 1.0).abs() < 1e-9);
        assert_eq!(close_up.toggled(pos2(200.0, 100.0), &frame), Look::Fit);
    }

    #[test]
    fn snapping_puts_the_first_pixel_on_a_screen_pixel() {
        let transform = frame(4000, 3000).transform(Look::At { scale: 1.0, center: [2000.3, 1500.7] }).snapped(1.5);
        let origin = transform.to_screen([0.0, 0.0]) * 1.5;
        assert!((origin.x - origin.x.round()).abs() < 0.01 && (origin.y - origin.y.round()).abs() < 0.01, "{origin:?}");
    }

    #[test]
    fn a_damaged_look_still_shows_the_picture() {
        let frame = frame(40, 30);
        let transform = frame.transform(Look::At { scale: f64::NAN, center: [f64::NAN, f64::INFINITY] });
        assert!(transform.to_screen([20.0, 15.0]).is_finite());
    }
}
