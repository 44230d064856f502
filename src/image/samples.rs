//! The sample pictures that are built into the program; `assets/LICENSES.md` records their rights.

use super::load::{Loaded, load_bytes};
use crate::error::Result;

/// A built-in picture.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The file's name in `assets/`, also its name on the command line.
    pub name: &'static str,
    /// For menus.
    pub label: &'static str,
    /// Who made it and under which terms.
    pub rights: &'static str,
    bytes: &'static [u8],
}

impl Sample {
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
        label: "Coffee (600 × 400 RGB)",
        rights: "CC0, photographer Rachel Michetti",
        bytes: include_bytes!("../../assets/coffee.png"),
    },
    Sample {
        name: "camera.png",
        label: "Camera (512 × 512 gray)",
        rights: "CC0, photographer Lav Varshney",
        bytes: include_bytes!("../../assets/camera.png"),
    },
    Sample {
        name: "chelsea.png",
        label: "Chelsea the cat (451 × 300 RGB)",
        rights: "CC0, photographer Stéfan van der Walt",
        bytes: include_bytes!("../../assets/chelsea.png"),
    },
    Sample {
        name: "hubble_deep_field.jpg",
        label: "Hubble deep field (1000 × 872 RGB)",
        rights: "public domain, NASA",
        bytes: include_bytes!("../../assets/hubble_deep_field.jpg"),
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
            assert!(sample.label.ends_with(&shape), "{} is {shape}", sample.label);
            assert!(loaded.notes.is_empty() && picture.alpha().is_none(), "{:?}", loaded.notes);
        }
    }
}
