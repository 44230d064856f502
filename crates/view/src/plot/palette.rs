//! What each color means, the same in every panel, every control and every exported plot.

/// What is painted. Marks of a chart have patterns too, so that color is never the only difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A CPU competitor: hatched.
    Cpu,
    /// The kernel on the device: filled.
    Device,
    /// Upload and read-back: dotted lines across.
    Transfers,
    /// A wrong output or a failure: a cross and words, never a bar.
    Failure,
    /// Not to be trusted, or to be looked at.
    Warning,
    /// What is chosen, what just changed.
    Accent,
    /// Text.
    Text,
    /// The text that matters most, and whiskers, which lie on bars.
    Strong,
    /// Text of second rank, axes.
    Weak,
    /// Lines that only guide the eye.
    Grid,
    /// In the access picture, what the chosen work-item makes: a solid frame. These and the next five are colors that the color-blind tell apart too
    /// (Okabe, Ito 2008), the same on both backgrounds; each has a pattern of its own.
    Output,
    /// What it loads: a dot.
    Loaded,
    /// What it stores: a falling line.
    Stored,
    /// What other lanes load too: rising lines, and how many.
    Shared,
    /// The tile in local memory: a grid.
    Tile,
    /// Words of one bank of it: a cross.
    Conflict,
    /// A color that means nothing but itself: a pixel of a picture.
    Pixel([u8; 3]),
}

impl Role {
    /// Red, green, blue on a light or a dark background; all but the grid at least 3 : 1 against it.
    #[must_use]
    pub const fn rgb(self, dark: bool) -> [u8; 3] {
        match (self, dark) {
            (Self::Cpu, false) => [0x6b, 0x46, 0xb8],
            (Self::Cpu, true) => [0xb3, 0x96, 0xf0],
            (Self::Device, false) => [0x00, 0x80, 0x84],
            (Self::Device, true) => [0x3c, 0xbf, 0xbd],
            (Self::Transfers, false) => [0x7d, 0x7d, 0x85],
            (Self::Transfers, true) => [0x96, 0x96, 0xa0],
            (Self::Failure, false) => [0xbe, 0x20, 0x20],
            (Self::Failure, true) => [0xff, 0x76, 0x6e],
            (Self::Warning, false) => [0xa6, 0x58, 0x00],
            (Self::Warning, true) => [0xff, 0xb3, 0x47],
            (Self::Accent, false) => [0x00, 0x62, 0xcc],
            (Self::Accent, true) => [0x5a, 0xa9, 0xff],
            (Self::Text, false) => [0x20, 0x26, 0x2e],
            (Self::Text, true) => [0xde, 0xe3, 0xea],
            (Self::Strong, false) => [0x00, 0x00, 0x00],
            (Self::Strong, true) => [0xff, 0xff, 0xff],
            (Self::Weak, false) => [0x58, 0x61, 0x6e],
            (Self::Weak, true) => [0x9e, 0xa7, 0xb3],
            (Self::Grid, false) => [0xda, 0xde, 0xe5],
            (Self::Grid, true) => [0x30, 0x36, 0x3f],
            (Self::Output, _) => [0xe6, 0x9f, 0x00],
            (Self::Loaded, _) => [0x00, 0x72, 0xb2],
            (Self::Stored, _) => [0xd5, 0x5e, 0x00],
            (Self::Shared, _) => [0x56, 0xb4, 0xe9],
            (Self::Tile, _) => [0x00, 0x9e, 0x73],
            (Self::Conflict, _) => [0xcc, 0x79, 0xa7],
            (Self::Pixel(rgb), _) => rgb,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Role;

    /// Relative luminance after WCAG 2.1.
    fn luminance(rgb: [u8; 3]) -> f64 {
        let [red, green, blue] = rgb.map(|byte| {
            let share = f64::from(byte) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn every_role_stands_out_from_its_background() {
        use Role::{Accent, Cpu, Device, Failure, Strong, Text, Transfers, Warning, Weak};
        for role in [Cpu, Device, Transfers, Failure, Warning, Accent, Text, Strong, Weak] {
            let light = 1.05 / (luminance(role.rgb(false)) + 0.05);
            let dark = (luminance(role.rgb(true)) + 0.05) / (luminance([27, 27, 27]) + 0.05);
            assert!(light >= 3.0 && dark >= 3.0, "{role:?}: {light:.1} on white, {dark:.1} on dark");
        }
    }
}
