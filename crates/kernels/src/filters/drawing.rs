//! What an output pixel is made of, for a small drawing beside the filter's formula: windows of neighbors with what each of them counts. Taken from the
//! constants that the plain reference computes with, or from what the reference answers; a test computes pixels from the drawings alone.

use super::ReferenceRows;
use model::{BorderMode, Channels, Parameters};
use pictures::Picture;

/// A window of neighbors, or of their values in some order.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The text that stands below it: `filters.grid.NAME`.
    pub caption: &'static str,
    /// Cells of a row.
    pub columns: usize,
    /// What each cell counts, row by row from the left; `None` where it is no part of the window.
    pub cells: Vec<Option<f64>>,
    /// Column and row of the output's own pixel; `None` where cells are not places of the picture.
    pub center: Option<[usize; 2]>,
    /// Whether what each counts is written into the cells, and not only shown by their color.
    pub has_numbers: bool,
}

impl Grid {
    /// A square window around its middle, row by row, with what each neighbor counts.
    #[must_use]
    pub fn around(caption: &'static str, reach: usize, count: impl Fn([isize; 2]) -> Option<f64>) -> Self {
        Self::between(caption, [reach, reach], count)
    }

    /// A square window from so many pixels before to so many behind the output's own, in both directions.
    #[must_use]
    pub fn between(caption: &'static str, [before, behind]: [usize; 2], count: impl Fn([isize; 2]) -> Option<f64>) -> Self {
        let reach = -before.cast_signed()..=behind.cast_signed();
        let cells = reach.clone().flat_map(|y| reach.clone().map(move |x| [x, y])).map(count).collect();
        Self { caption, columns: before + behind + 1, cells, center: Some([before, before]), has_numbers: false }
    }

    /// Every neighbor within the reach, the middle included.
    #[must_use]
    pub fn members(caption: &'static str, reach: usize) -> Self {
        Self::around(caption, reach, |_| Some(1.0))
    }

    /// The pixel alone.
    #[must_use]
    pub fn itself() -> Self {
        Self { has_numbers: true, ..Self::members("itself", 0) }
    }

    /// So many values from the smallest to the largest, of which that one counts.
    #[must_use]
    pub fn sorted(caption: &'static str, count: usize, chosen: usize) -> Self {
        let cells = (0..count).map(|place| Some(f64::from(u8::from(place == chosen)))).collect();
        Self { caption, columns: count, cells, center: None, has_numbers: false }
    }

    /// What each neighbor counts in a linear filter, asked of its reference: by how much the output rises where that neighbor alone is one brighter.
    #[must_use]
    pub fn asked(caption: &'static str, reach: usize, reference_rows: ReferenceRows) -> Self {
        const GROUND: u8 = 100;
        let side = 2 * reach + 1;
        let answer = |bright: Option<[isize; 2]>| {
            let place = bright.map(|place| place.map(|along| (along + reach.cast_signed()).cast_unsigned()));
            let picture = Picture::from_fn(side, side, Channels::Gray, |x, y, _| GROUND + u8::from(place == Some([x, y])));
            let row = reference_rows(&picture, BorderMode::Replicate, &Parameters::default(), reach..reach + 1);
            row.get(reach).copied().map(f64::from)
        };
        let ground = answer(None);
        Self::around(caption, reach, |place| Some(answer(Some(place))? - ground?)).numbered()
    }

    /// The same with numbers in the cells.
    #[must_use]
    pub fn numbered(self) -> Self {
        Self { has_numbers: true, ..self }
    }

    /// What a place counts, as it is written: "−1", "0.299".
    #[must_use]
    pub fn written(count: f64) -> String {
        count.to_string().replace('-', "−")
    }

    /// Rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.cells.len().div_ceil(self.columns.max(1))
    }
}
