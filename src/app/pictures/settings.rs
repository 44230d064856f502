//! What a person chose in the picture panel: plain data, saved with the other settings.

use super::geometry::Look;
use base::texts::text;
use serde::{Deserialize, Serialize};

/// The largest gain of the difference view.
pub const MAX_GAIN: u8 = 64;

/// How original and filtered picture are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Both, beside each other.
    #[default]
    SideBySide,
    /// One pane: original left of a divider, filtered right of it.
    Split,
    /// One pane: the absolute difference, amplified.
    Difference,
    /// One pane: filtered, and the original while a button is held.
    Flip,
}

impl Mode {
    /// All four, in the order of the buttons.
    pub const ALL: [Self; 4] = [Self::SideBySide, Self::Split, Self::Difference, Self::Flip];

    /// The button's label.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::SideBySide => "window.pictures.side-by-side",
            Self::Split => "window.pictures.split",
            Self::Difference => "window.pictures.difference",
            Self::Flip => "window.pictures.flip",
        })
    }

    /// What it is for.
    #[must_use]
    pub fn reason(self) -> &'static str {
        text(match self {
            Self::SideBySide => "window.pictures.side-by-side-about",
            Self::Split => "window.pictures.split-about",
            Self::Difference => "window.pictures.difference-about",
            Self::Flip => "window.pictures.flip-about",
        })
    }
}

/// What the filtered picture is compared with in the difference view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Against {
    /// What the filter did.
    #[default]
    Original,
    /// Where the variant is wrong.
    Reference,
}

impl Against {
    /// Both, in the order of the buttons.
    pub const ALL: [Self; 2] = [Self::Original, Self::Reference];

    /// The button's label.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::Original => "window.pictures.from-original",
            Self::Reference => "window.pictures.from-reference",
        })
    }
}

/// What of this panel is saved. A change is queued as [`crate::app::action::Action::SetPictures`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PicturesSettings {
    /// How pictures are compared.
    pub mode: Mode,
    /// Which part, and how large. Not saved: the next session begins with another picture.
    #[serde(skip)]
    pub look: Look,
    /// The difference is multiplied by this, 1 to `MAX_GAIN`.
    pub gain: u8,
    /// What the difference is taken from.
    pub against: Against,
    /// The divider's place as a fraction of the pane's width.
    pub split: f32,
}

impl Default for PicturesSettings {
    fn default() -> Self {
        Self { mode: Mode::default(), look: Look::default(), gain: 1, against: Against::default(), split: 0.5 }
    }
}

impl PicturesSettings {
    /// The same with every number in its range: a settings file can hold anything.
    #[must_use]
    pub fn in_range(mut self) -> Self {
        self.gain = self.gain.clamp(1, MAX_GAIN);
        self.split = if self.split.is_finite() { self.split.clamp(0.0, 1.0) } else { 0.5 };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::PicturesSettings;

    #[test]
    fn a_damaged_settings_file_gives_numbers_in_range() {
        let read = |text: &str| serde_json::from_str::<PicturesSettings>(text).expect("readable").in_range();
        assert_eq!(read("{}"), PicturesSettings::default());
        assert_eq!(read(r#"{"gain": 0, "split": 7.5}"#), PicturesSettings { gain: 1, split: 1.0, ..PicturesSettings::default() });
        assert_eq!(read(r#"{"gain": 200}"#).gain, 64);
    }
}
