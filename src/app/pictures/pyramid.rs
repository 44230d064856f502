//! A picture as levels and tiles: level L is the picture reduced by 2^L, and what is shown is cut into square cells of it.
//!
//! The *base* is the finest level that fits into one small texture: it shows the picture whole, at once, whatever its size.
//! Cells of finer levels follow for the part that is looked at, and only as fine as the screen can show.

/// The base's longer side is at most this many pixels. Every GPU has textures of twice that.
pub const BASE_SIDE_PX: usize = 1024;
/// The side of a cell in pixels of its level: small enough that a few can be uploaded in one frame.
pub const CELL_SIDE_PX: usize = 512;

/// A part of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Reduced by 2^`level`.
    pub level: u8,
    /// Column and row of a cell; `None` is the whole level.
    pub cell: Option<[usize; 2]>,
}

/// A rectangle of whole pixels of one level: columns `x0..x1`, rows `y0..y1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First column.
    pub x0: usize,
    /// First row.
    pub y0: usize,
    /// After the last column.
    pub x1: usize,
    /// After the last row.
    pub y1: usize,
}

impl Region {
    /// Columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.x1 - self.x0
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.y1 - self.y0
    }
}

/// The levels of a picture of this size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pyramid {
    /// Width and height of level 0 in pixels.
    pub size_px: [usize; 2],
}

impl Pyramid {
    /// Width and height of a level in pixels; the last column and row may stand for fewer picture pixels than the others.
    #[must_use]
    pub fn level_size(&self, level: u8) -> [usize; 2] {
        self.size_px.map(|side| side.div_ceil(1 << level).max(1))
    }

    /// The base: see the module's text.
    #[must_use]
    pub fn base(&self) -> Place {
        let level = (0..usize::BITS as u8 - 1).find(|&level| self.level_size(level).into_iter().all(|side| side <= BASE_SIDE_PX));
        Place { level: level.unwrap_or(0), cell: None }
    }

    /// The coarsest level that still has a pixel for every screen pixel at `scale` physical pixels per picture pixel; may be coarser
    /// than the base, where the picture is shown very small.
    #[must_use]
    pub fn level_for(&self, scale: f64) -> u8 {
        let level = (-scale.max(f64::MIN_POSITIVE).log2()).floor().max(0.0) as u8;
        level.min(self.size_px[0].max(self.size_px[1]).ilog2() as u8)
    }

    /// The places that show the picture part left, top, right, bottom (picture coordinates) at `level`, nearest to its middle first.
    /// One whole level where the base, or a coarser one, is fine enough.
    #[must_use]
    pub fn places(&self, level: u8, [left, top, right, bottom]: [f64; 4]) -> Vec<Place> {
        if level >= self.base().level {
            return vec![Place { level, cell: None }];
        }
        let cell_px = (CELL_SIDE_PX << level) as f64;
        let [columns, rows] = self.level_size(level).map(|side| side.div_ceil(CELL_SIDE_PX));
        let span = |low: f64, high: f64, count: usize| {
            let first = ((low / cell_px).floor() as usize).min(count - 1);
            let end = ((high / cell_px).ceil() as usize).clamp(first + 1, count);
            first..end
        };
        let mut cells: Vec<[usize; 2]> =
            span(top, bottom, rows).flat_map(|row| span(left, right, columns).map(move |column| [column, row])).collect();
        let middle = [f64::midpoint(left, right) / cell_px, f64::midpoint(top, bottom) / cell_px];
        let distance = |cell: &[usize; 2]| (cell[0] as f64 + 0.5 - middle[0]).hypot(cell[1] as f64 + 0.5 - middle[1]);
        cells.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        cells.into_iter().map(|cell| Place { level, cell: Some(cell) }).collect()
    }

    /// The pixels of its level that a place holds.
    #[must_use]
    pub fn region(&self, place: Place) -> Region {
        let [width, height] = self.level_size(place.level);
        match place.cell {
            None => Region { x0: 0, y0: 0, x1: width, y1: height },
            Some([column, row]) => {
                let (x0, y0) = ((column * CELL_SIDE_PX).min(width), (row * CELL_SIDE_PX).min(height));
                Region { x0, y0, x1: (x0 + CELL_SIDE_PX).min(width), y1: (y0 + CELL_SIDE_PX).min(height) }
            }
        }
    }

    /// The picture part that a place shows: left, top, right, bottom in picture coordinates.
    #[must_use]
    pub fn part(&self, place: Place) -> [f64; 4] {
        let Region { x0, y0, x1, y1 } = self.region(place);
        let [width, height] = self.size_px;
        [
            (x0 << place.level) as f64,
            (y0 << place.level) as f64,
            (x1 << place.level).min(width) as f64,
            (y1 << place.level).min(height) as f64,
        ]
    }

    /// What shows all of `place` in its stead: the next coarser place, and for what is coarser than the base, that. `None` for the base.
    #[must_use]
    pub fn stand_in(&self, place: Place) -> Option<Place> {
        let Some([column, row]) = place.cell else { return (place != self.base()).then(|| self.base()) };
        let level = place.level + 1;
        Some(if level >= self.base().level { self.base() } else { Place { level, cell: Some([column / 2, row / 2]) } })
    }

    /// Where the picture part left, top, right, bottom lies in the texture of `place`, as fractions of its sides.
    #[must_use]
    pub fn texture_part(&self, place: Place, part: [f64; 4]) -> [f32; 4] {
        let region = self.region(place);
        let texel = (1_usize << place.level) as f64;
        let across = |x: f64| ((x / texel - region.x0 as f64) / region.width().max(1) as f64) as f32;
        let down = |y: f64| ((y / texel - region.y0 as f64) / region.height().max(1) as f64) as f32;
        [across(part[0]), down(part[1]), across(part[2]), down(part[3])]
    }
}

#[cfg(test)]
mod tests {
    use super::{BASE_SIDE_PX, CELL_SIDE_PX, Place, Pyramid};

    const SIZES: [[usize; 2]; 7] = [[1, 1], [640, 480], [1024, 1024], [1025, 3], [20_000, 10_000], [1, 100_000], [7680, 4320]];

    #[test]
    fn the_base_is_the_finest_level_that_fits() {
        for size_px in SIZES {
            let pyramid = Pyramid { size_px };
            let level = pyramid.base().level;
            assert!(pyramid.level_size(level).into_iter().all(|side| (1..=BASE_SIDE_PX).contains(&side)), "{size_px:?}");
            assert!(level == 0 || pyramid.level_size(level - 1).into_iter().any(|side| side > BASE_SIDE_PX), "{size_px:?}");
        }
    }

    #[test]
    fn cells_of_a_level_cover_the_picture_once() {
        for size_px in SIZES {
            let pyramid = Pyramid { size_px };
            let whole = [0.0, 0.0, size_px[0] as f64, size_px[1] as f64];
            for level in 0..=pyramid.base().level + 1 {
                let places = pyramid.places(level, whole);
                let area: f64 = places.iter().map(|&place| pyramid.part(place)).map(|[l, t, r, b]| (r - l) * (b - t)).sum();
                assert!((area - whole[2] * whole[3]).abs() < 0.5, "{size_px:?} level {level}: {area}");
            }
        }
    }

    #[test]
    fn only_cells_that_are_looked_at_are_asked_for_and_the_middle_comes_first() {
        let pyramid = Pyramid { size_px: [20_000, 10_000] };
        let places = pyramid.places(0, [600.0, 100.0, 2100.0, 500.0]);
        let cells: Vec<_> = places.iter().filter_map(|place| place.cell).collect();
        assert_eq!(cells.len(), 4);
        assert!(cells.contains(&[1, 0]) && cells.contains(&[4, 0]), "{cells:?}");
        assert_eq!(cells[0], [2, 0]);
    }

    #[test]
    fn the_level_has_a_pixel_for_every_screen_pixel_and_not_four() {
        let pyramid = Pyramid { size_px: [20_000, 10_000] };
        for (scale, level) in [(4.0, 0), (1.0, 0), (0.6, 0), (0.5, 1), (0.26, 1), (0.25, 2), (0.02, 5), (0.01, 6), (1e-9, 14)] {
            assert_eq!(pyramid.level_for(scale), level, "{scale}");
        }
    }

    #[test]
    fn a_stand_in_shows_all_of_the_place() {
        let pyramid = Pyramid { size_px: [20_000, 10_000] };
        let mut place = Place { level: 0, cell: Some([38, 19]) };
        let fine = pyramid.part(place);
        while let Some(coarser) = pyramid.stand_in(place) {
            let part = pyramid.part(coarser);
            assert!(part[0] <= fine[0] && part[1] <= fine[1] && part[2] >= fine[2] && part[3] >= fine[3], "{coarser:?}");
            let inside = pyramid.texture_part(coarser, fine);
            assert!(inside.iter().all(|fraction| (0.0..=1.0).contains(fraction)), "{inside:?}");
            place = coarser;
        }
        assert_eq!(place, pyramid.base());
    }

    #[test]
    fn a_cell_fills_its_own_texture() {
        let pyramid = Pyramid { size_px: [20_000, 10_000] };
        let place = Place { level: 1, cell: Some([3, 2]) };
        let corners = pyramid.texture_part(place, pyramid.part(place));
        assert!(corners.into_iter().zip([0.0, 0.0, 1.0, 1.0]).all(|(found, expected)| (found - expected).abs() < 1e-6), "{corners:?}");
        assert_eq!(pyramid.region(place).width(), CELL_SIDE_PX);
    }
}
