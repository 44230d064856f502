//! Colors of source code, and of lines that came or went.

use super::lexer::Class;
use egui::Color32;
use kernels::kernel_source::LineOp;

/// Color of a piece of source on the panel's background or on a marked line.
pub fn ink(class: Class, is_dark: bool) -> Color32 {
    let (dark, light) = match class {
        Class::Plain => ([0xde, 0xe3, 0xea], [0x20, 0x26, 0x2e]),
        Class::Keyword => ([0xd2, 0xa8, 0xff], [0x7a, 0x1f, 0xa8]),
        Class::Type => ([0x7f, 0xd6, 0xd2], [0x00, 0x5f, 0x66]),
        Class::Qualifier => ([0x8d, 0xc4, 0xff], [0x0a, 0x4f, 0xa3]),
        Class::BuiltIn => ([0xff, 0xc6, 0x7d], [0x84, 0x45, 0x00]),
        Class::Preprocessor => ([0xf0, 0xa0, 0xc8], [0x96, 0x1c, 0x5c]),
        Class::Comment => ([0xa3, 0xad, 0xb9], [0x52, 0x5c, 0x68]),
        Class::Number => ([0xb5, 0xdb, 0x9a], [0x35, 0x5c, 0x10]),
        Class::Text => ([0xe8, 0xb4, 0xa0], [0x96, 0x2d, 0x1a]),
    };
    rgb(if is_dark { dark } else { light })
}

/// Background of a line; `None` for lines that stayed.
pub fn ground(op: LineOp, is_dark: bool) -> Option<Color32> {
    match (op, is_dark) {
        (LineOp::Same, _) => None,
        (LineOp::Added, true) => Some(rgb([0x12, 0x3a, 0x28])),
        (LineOp::Added, false) => Some(rgb([0xda, 0xf3, 0xe2])),
        (LineOp::Removed, true) => Some(rgb([0x48, 0x20, 0x24])),
        (LineOp::Removed, false) => Some(rgb([0xfd, 0xe4, 0xe2])),
    }
}

/// Background of a word that changed within its line.
pub fn word_ground(op: LineOp, is_dark: bool) -> Option<Color32> {
    match (op, is_dark) {
        (LineOp::Same, _) => None,
        (LineOp::Added, true) => Some(rgb([0x1c, 0x58, 0x3b])),
        (LineOp::Added, false) => Some(rgb([0xb4, 0xe6, 0xc6])),
        (LineOp::Removed, true) => Some(rgb([0x6e, 0x2a, 0x30])),
        (LineOp::Removed, false) => Some(rgb([0xfb, 0xc8, 0xc4])),
    }
}

/// Color of the sign and the number of a line that came or went.
pub fn sign(op: LineOp, is_dark: bool) -> Option<Color32> {
    match (op, is_dark) {
        (LineOp::Same, _) => None,
        (LineOp::Added, true) => Some(rgb([0x7c, 0xdb, 0xa0])),
        (LineOp::Added, false) => Some(rgb([0x0d, 0x66, 0x32])),
        (LineOp::Removed, true) => Some(rgb([0xff, 0x9c, 0x96])),
        (LineOp::Removed, false) => Some(rgb([0xa8, 0x1c, 0x1c])),
    }
}

const fn rgb([red, green, blue]: [u8; 3]) -> Color32 {
    Color32::from_rgb(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::{Class, LineOp, ground, ink, sign, word_ground};
    use crate::testing::contrast;
    use egui::Color32;

    #[test]
    fn all_source_is_readable_on_every_ground() {
        for is_dark in [true, false] {
            // The theme's darkest and lightest ground for text.
            let plain = if is_dark { Color32::from_rgb(30, 34, 40) } else { Color32::from_rgb(238, 240, 244) };
            for op in [LineOp::Same, LineOp::Added, LineOp::Removed] {
                let behind = ground(op, is_dark).unwrap_or(plain);
                for class in Class::ALL {
                    for (behind, least) in [(behind, 4.5), (word_ground(op, is_dark).unwrap_or(behind), 3.6)] {
                        let seen = contrast(ink(class, is_dark), behind);
                        assert!(seen >= least, "{class:?} on {op:?}, dark {is_dark}: {seen:.2}");
                    }
                }
                if let Some(sign) = sign(op, is_dark) {
                    assert!(contrast(sign, behind) >= 4.5, "{op:?}, dark {is_dark}");
                }
            }
        }
    }
}
