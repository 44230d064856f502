//! The patterns that tell bars apart without color, as line segments.

use super::scene::{Rectangle, Segment};

/// Diagonal lines (rising to the right), `spacing` apart along x, cut off at the rectangle: CPU competitors.
#[must_use]
pub fn hatch([left, top, right, bottom]: Rectangle, spacing: f64) -> Vec<Segment> {
    let height = bottom - top;
    if !(spacing > 0.0 && height > 0.0 && right > left) {
        return Vec::new();
    }
    let count = ((right - left + height) / spacing).floor() as usize;
    (1..=count)
        .map(|index| {
            // The line leaves the bottom edge at `foot` and reaches the top edge at `foot` + height.
            let foot = left - height + index as f64 * spacing;
            let (from, to) = (foot.max(left), (foot + height).min(right));
            [(from, bottom - (from - foot)), (to, bottom - (to - foot))]
        })
        .filter(|[from, to]| to.0 > from.0)
        .collect()
}

/// Upright lines, `spacing` apart: transfers.
#[must_use]
pub fn stripes([left, top, right, bottom]: Rectangle, spacing: f64) -> Vec<Segment> {
    if !(spacing > 0.0 && bottom > top && right > left) {
        return Vec::new();
    }
    let count = ((right - left) / spacing).floor() as usize;
    (1..=count).map(|index| left + index as f64 * spacing).filter(|x| *x < right).map(|x| [(x, top), (x, bottom)]).collect()
}

#[cfg(test)]
mod tests {
    use super::{hatch, stripes};
    use crate::plot::scene::Rectangle;

    #[test]
    fn patterns_stay_inside() {
        let inside = |[left, top, right, bottom]: Rectangle, (x, y): (f64, f64)| {
            let slack = 1e-9;
            (left - slack..=right + slack).contains(&x) && (top - slack..=bottom + slack).contains(&y)
        };
        for rectangle in [[10.0, 5.0, 110.0, 17.0], [0.0, 0.0, 3.0, 12.0], [0.0, 0.0, 40.0, 2.0]] {
            let segments: Vec<_> = hatch(rectangle, 5.0).into_iter().chain(stripes(rectangle, 5.0)).collect();
            assert!(!segments.is_empty(), "{rectangle:?}");
            assert!(segments.iter().flatten().all(|point| inside(rectangle, *point)), "{rectangle:?} {segments:?}");
        }
    }

    #[test]
    fn empty_rectangles_have_no_lines() {
        assert!(hatch([5.0, 0.0, 5.0, 9.0], 4.0).is_empty() && stripes([5.0, 0.0, 5.0, 9.0], 4.0).is_empty());
        assert!(hatch([0.0, 0.0, 9.0, 9.0], 0.0).is_empty() && stripes([0.0, 0.0, 9.0, 9.0], 0.0).is_empty());
    }
}
