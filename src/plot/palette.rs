//! What each color means, the same in every panel and every exported plot.

/// What a mark stands for. Each has its own pattern too, so that color is never the only difference.
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
}

impl Role {
    /// As in the legend.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Device => "Device",
            Self::Transfers => "Transfers",
            Self::Failure => "Failure",
        }
    }

    /// Red, green, blue on a light or a dark background; at least 3 : 1 against it.
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
        for role in [Role::Cpu, Role::Device, Role::Transfers, Role::Failure] {
            let light = 1.05 / (luminance(role.rgb(false)) + 0.05);
            let dark = (luminance(role.rgb(true)) + 0.05) / (luminance([27, 27, 27]) + 0.05);
            assert!(light >= 3.0 && dark >= 3.0, "{role:?}: {light:.1} on white, {dark:.1} on dark");
        }
    }
}
