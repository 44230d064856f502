//! The sample pictures that are built into the program; `assets/LICENSES.md` records their rights.

use super::load::{Loaded, load_bytes};
use base::error::Result;
use base::texts::text;

/// A built-in picture.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The file's name in `assets/`, also its name on the command line.
    pub name: &'static str,
    /// The key of its label.
    label: &'static str,
    /// The key of who made it and under which terms.
    rights: &'static str,
    bytes: &'static [u8],
}

impl Sample {
    /// For menus.
    #[must_use]
    pub fn label(&self) -> &'static str {
        text(self.label)
    }

    /// Who made it and under which terms.
    #[must_use]
    pub fn rights(&self) -> &'static str {
        text(self.rights)
    }

    /// Decodes it.
    ///
    /// # Errors
    /// Never for a built-in picture whose file is whole; a test decodes each.
    pub fn load(&self) -> Result<Loaded> {
        load_bytes(self.name, self.bytes)
    }
}

/// All samples; the first is shown at start.
#[must_use]
pub const fn samples() -> &'static [Sample] {
    &SAMPLES
}

const SAMPLES: [Sample; 4] = [
    Sample {
        name: "coffee.png",
        label: "words.sample.coffee",
        rights: "words.sample.coffee-rights",
        bytes: include_bytes!("../../../assets/coffee.png"),
    },
    Sample {
        name: "camera.png",
        label: "words.sample.camera",
        rights: "words.sample.camera-rights",
        bytes: include_bytes!("../../../assets/camera.png"),
    },
    Sample {
        name: "chelsea.png",
        label: "words.sample.chelsea",
        rights: "words.sample.chelsea-rights",
        bytes: include_bytes!("../../../assets/chelsea.png"),
    },
    Sample {
        name: "hubble_deep_field.jpg",
        label: "words.sample.hubble",
        rights: "words.sample.hubble-rights",
        bytes: include_bytes!("../../../assets/hubble_deep_field.jpg"),
    },
];

#[cfg(test)]
mod tests {
    use super::samples;

    #[test]
    fn every_sample_decodes_to_the_size_and_channels_of_its_label() {
        for sample in samples() {
            let loaded = sample.load().expect("built in");
            let picture = loaded.picture;
            let channels = if picture.channels().count() == 3 { "RGB" } else { "gray" };
            let shape = format!("({} × {} {channels})", picture.width_px(), picture.height_px());
            assert!(sample.label().ends_with(&shape), "{} is {shape}", sample.label());
            assert!(loaded.notes.is_empty() && picture.alpha().is_none(), "{:?}", loaded.notes);
        }
    }
}
