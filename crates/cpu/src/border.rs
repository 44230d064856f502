//! What a filter sees beyond the picture's edge.

use serde::{Deserialize, Serialize};

/// The border mode: how the missing neighbors of edge pixels are made up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BorderMode {
    /// Where the mask does not fit, the output is the source pixel (what the Laplace case studies do).
    #[default]
    #[serde(rename = "copy", alias = "Copy")]
    Copy,
    /// Clamp to the edge: `aaa|abcd|ddd` (an OpenCL sampler's clamp to edge).
    #[serde(rename = "replicate", alias = "Replicate")]
    Replicate,
    /// Mirror without repeating the edge: `dcb|abcd|cba`. A side of one pixel repeats that pixel.
    #[serde(rename = "reflect101", alias = "Reflect101")]
    Reflect101,
}

impl BorderMode {
    /// All three, in the order menus show them.
    pub const ALL: [Self; 3] = [Self::Copy, Self::Replicate, Self::Reflect101];

    /// The name used on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Replicate => "replicate",
            Self::Reflect101 => "reflect101",
        }
    }

    /// The value of `BORDER` in kernel files.
    #[must_use]
    pub const fn define_value(self) -> u8 {
        match self {
            Self::Copy => 0,
            Self::Replicate => 1,
            Self::Reflect101 => 2,
        }
    }

    /// The index inside `0..length` that stands for `index`, which may lie outside. `length` is at least 1.
    ///
    /// `Copy` clamps like `Replicate`: its value is never used in an output, but must exist for wide loads.
    #[must_use]
    #[inline]
    pub fn source_index(self, index: isize, length: usize) -> usize {
        let length = isize::try_from(length.max(1)).unwrap_or(isize::MAX);
        let inside = match self {
            // Spares nearly all calls a division.
            _ if (0..length).contains(&index) => index,
            Self::Copy | Self::Replicate => index.clamp(0, length - 1),
            Self::Reflect101 if length == 1 => 0,
            Self::Reflect101 => {
                // Mirroring without repeating the edge has the period 2 (length − 1).
                let period = 2 * (length - 1);
                let phase = index.rem_euclid(period);
                phase.min(period - phase)
            }
        };
        inside.unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::BorderMode;

    fn row(mode: BorderMode, length: usize) -> Vec<usize> {
        (-4..isize::try_from(length).expect("small") + 4).map(|index| mode.source_index(index, length)).collect()
    }

    #[test]
    fn replicate_clamps_to_the_edge() {
        assert_eq!(row(BorderMode::Replicate, 3), [0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn reflect101_mirrors_without_repeating_the_edge() {
        assert_eq!(row(BorderMode::Reflect101, 4), [2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1]);
        assert_eq!(row(BorderMode::Reflect101, 2), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(row(BorderMode::Reflect101, 1), [0; 9]);
    }
}
