//! The part of the photo around the pixel, a cell for each pixel.

use super::View;
use super::drawing::{SMALL, paragraph};
use super::grid::{Pixel, Touched};
use super::hover::Teller;
use super::marks::{FRAME, dashed, frame, framed, mark, number};
use crate::plot::{Hit, Measure, Rectangle, Role, Scene};
use base::texts::filled;
use kernels::footprint::Space;
use model::Channels;
use pictures::{Picture, luma};
use std::collections::BTreeSet;

/// Cells of the photo are at least this large, so that a number fits.
const LEAST_CELL: f64 = 8.0;
const MOST_CELL: f64 = 22.0;
/// Room for what stands above the cells.
const TITLE: f64 = 24.0;
/// More of the photo is not shown: columns and rows.
const MOST_CELLS: [isize; 2] = [48, 32];
/// Where little is touched, so much of what is around it is shown.
const LEAST_CELLS: [isize; 2] = [15, 9];
/// Pixels around what is touched.
const MARGIN_CELLS: isize = 1;

/// Left, top, right, bottom; the last two are not included.
pub type Region = [isize; 4];

/// The rectangle of pixels that is shown. All that is touched where there is room, else what is around the work-item's own; of two variants, what both
/// touch.
///
/// With little `height`, fewer rows: what cannot be read says nothing.
pub fn region(all: &[&Touched], height: f64) -> Region {
    let touched = || all.iter().flat_map(|all| all.loaded.iter().chain(&all.stored));
    let own = bounds(touched().filter(|(_, touch)| touch.own).map(|(pixel, _)| *pixel));
    let made = all.iter().flat_map(|all| all.made.iter().take(1).flatten().copied());
    let any = bounds(touched().map(|(pixel, _)| *pixel).chain(made));
    let ([left, top, right, bottom], [first, above, last, below]) = (own, any);
    let ([least_columns, least_rows], [columns, rows]) = (LEAST_CELLS, MOST_CELLS);
    let rows = rows.min(((height - TITLE) / LEAST_CELL) as isize).max(least_rows);
    let [left, right] = extent([left, right], [first, last], [least_columns, columns]);
    let [top, bottom] = extent([top, bottom], [above, below], [least_rows, rows]);
    [left, top, right, bottom]
}

/// The smallest rectangle around all of them.
pub fn bounds(pixels: impl Iterator<Item = Pixel>) -> Region {
    let none = [isize::MAX, isize::MAX, isize::MIN, isize::MIN];
    let around = pixels.fold(none, |[left, top, right, bottom], [x, y]| [left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)]);
    if around == none { [0, 0, 1, 1] } else { around }
}

/// The fewest places around `outer`, with a margin, and the most at most, with `inner` in the middle as far as that goes.
fn extent(inner: [isize; 2], outer: [isize; 2], [fewest, most]: [isize; 2]) -> [isize; 2] {
    let missing = (fewest - (outer[1] - outer[0]) - 2 * MARGIN_CELLS).max(0);
    let [least, greatest] = [outer[0] - MARGIN_CELLS - missing / 2, outer[1] + MARGIN_CELLS + missing - missing / 2];
    if greatest - least <= most {
        return [least, greatest];
    }
    let middle = isize::midpoint(inner[0], inner[1]);
    let first = (middle - most / 2).clamp(least, greatest - most);
    [first, first + most]
}

/// What the steps touch, over the photo; `all` is what every step does.
pub fn photo(
    view: &View,
    [touched, all]: [&Touched; 2],
    teller: &Teller,
    region: Region,
    [width, height]: [f64; 2],
    measure: Measure<'_>,
) -> Scene {
    let [left, top, right, bottom] = region;
    let (columns, rows) = ((right - left).max(1), (bottom - top).max(1));
    let cell = (width / columns as f64).min((height - TITLE) / rows as f64).clamp(LEAST_CELL, MOST_CELL);
    let mut scene = Scene::new(width.max(cell * columns as f64), 0.0);
    let is_source = all.plane == Space::Source;
    let title = filled(
        if is_source { "access.photo.pixels" } else { "access.photo.between" },
        &[("left", &left), ("right", &(right - 1)), ("top", &top), ("bottom", &(bottom - 1))],
    );
    let title_width = scene.width;
    paragraph(&mut scene, &title, SMALL, Role::Weak, title_width, measure);
    let origin = scene.height + 2.0;
    let area = |[x, y]: Pixel| -> Rectangle {
        let (x, y) = ((x - left) as f64 * cell, origin + (y - top) as f64 * cell);
        [x, y, x + cell, y + cell]
    };
    let [width_px, height_px] = [view.question.shape.width_px, view.question.shape.height_px].map(usize::cast_signed);
    let mut grid = Vec::new();
    for pixel @ [x, y] in (top..bottom).flat_map(|y| (left..right).map(move |x| [x, y])) {
        let is_inside = (0..width_px).contains(&x) && (0..height_px).contains(&y);
        let values = view
            .photo
            .filter(|_| is_source && is_inside)
            .and_then(|photo| values_of(photo, view.question.shape.channels(), x.cast_unsigned(), y.cast_unsigned()));
        match values.as_deref() {
            Some(values) => scene.fill(area(pixel), Role::Pixel(color_of(values)), 1.0),
            None if is_inside || !is_source => scene.fill(area(pixel), Role::Grid, 0.5),
            None => dashed(&mut scene, area(pixel), cell),
        }
        let [x, y, end, below] = area(pixel);
        grid.extend([[(x, y), (end, y)], [(x, y), (x, below)]]);
        scene.hits.push(Hit { area: area(pixel), index: 0, name: teller.pixel(pixel, values.as_deref(), is_inside) });
    }
    scene.lines(grid, Role::Grid, 0.5);
    let is_shown = |[x, y]: &Pixel| (left..right).contains(x) && (top..bottom).contains(y);
    for (pixel, touch) in touched.loaded.iter().filter(|(pixel, _)| is_shown(pixel)) {
        mark(&mut scene, area(*pixel), touch, false);
    }
    for (pixel, touch) in touched.stored.iter().filter(|(pixel, touch)| touch.own && is_shown(pixel)) {
        mark(&mut scene, area(*pixel), touch, true);
    }
    if view.question.is_loop && is_source {
        let is_own = |pixel: &Pixel| touched.loaded.contains_key(pixel) || all.stored.get(pixel).is_some_and(|touch| touch.own);
        for (pixel, turn) in teller.turns().filter(|(pixel, _)| is_shown(pixel) && !is_own(pixel)) {
            let [left, top, right, bottom] = area(pixel);
            number(&mut scene, turn, (f64::midpoint(left, right), f64::midpoint(top, bottom)), cell);
        }
    }
    let own: BTreeSet<Pixel> = all.stored.iter().filter(|(_, touch)| touch.own).map(|(pixel, _)| *pixel).collect();
    let [sub_group, group] = &touched.made;
    for (set, role, line) in [(group, FRAME, 2.5), (sub_group, FRAME, 1.0), (&own, Role::Output, 3.0)] {
        framed(&mut scene, frame(set, &is_shown, &area), role, line);
    }
    scene.height = origin + rows as f64 * cell + 4.0;
    scene
}

/// In the channels that are computed.
fn values_of(photo: &Picture, channels: Channels, x: usize, y: usize) -> Option<Vec<u8>> {
    let pixel = photo.pixel(x, y)?;
    Some(match pixel {
        [red, green, blue] if channels == Channels::Gray => vec![luma([*red, *green, *blue])],
        _ => pixel.to_vec(),
    })
}

fn color_of(values: &[u8]) -> [u8; 3] {
    match values {
        [red, green, blue] => [*red, *green, *blue],
        _ => [values.first().copied().unwrap_or_default(); 3],
    }
}

#[cfg(test)]
mod tests {
    use super::extent;

    #[test]
    fn what_is_shown_of_a_photo_is_around_the_work_item() {
        assert_eq!(extent([4, 7], [0, 10], [9, 48]), [-1, 11]);
        assert_eq!(extent([500, 503], [0, 1000], [9, 48]), [477, 525]);
        assert_eq!(extent([0, 3], [0, 1000], [9, 48]), [-1, 47]);
        assert_eq!(extent([0, 1000], [0, 1000], [9, 48]), [476, 524]);
        // Three places, and three on either side.
        assert_eq!(extent([4, 7], [4, 7], [9, 48]), [1, 10]);
        assert_eq!(extent([4, 7], [4, 7], [10, 48]), [1, 11]);
    }
}
