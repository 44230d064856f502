//! Laplace sharpen: saturate(9 · center − 8 neighbors), each channel on its own.

use super::{Filter, Ladder, Parameters, Step};
use crate::image::{BorderMode, Channels, Picture};
use crate::stages::StageId;
use std::ops::Range;

/// The filter's row.
pub static FILTER: Filter = Filter {
    name: "laplace",
    label: "Laplace sharpen",
    summary: "Nine times the pixel minus its eight neighbors, saturated to 0–255",
    kernel_file: "laplace.cl",
    kernel_name: "laplace",
    stages: &[
        StageId::Coalesced,
        StageId::Padded,
        StageId::Vectorize,
        StageId::Merged,
        StageId::Short16,
        StageId::Select,
        StageId::Local,
        StageId::Rows,
    ],
    channels: &Channels::ALL,
    parameters: &[],
    default_border: BorderMode::Copy,
    radius_px: 1,
    // 10 · center − the sum of all nine: every partial sum lies between −9 · 255 and 10 · 255.
    sum_range: (-9 * 255, 10 * 255),
    tolerance: 0,
    reference_rows,
    cpu: crate::cpu::laplace,
    ladders: &[MALI_T600, BIFROST],
};

/// The plain reference. A side of 1 or 2 pixels has no interior: with `copy` the output is then the source.
fn reference_rows(picture: &Picture, border: BorderMode, _parameters: &Parameters, rows: Range<usize>) -> Vec<u8> {
    let (width, height, channels) = (picture.width_px(), picture.height_px(), picture.channels().count());
    let at = |x: isize, y: isize, channel: usize| {
        let pixel = picture.pixel(border.source_index(x, width), border.source_index(y, height));
        i32::from(pixel.and_then(|bytes| bytes.get(channel)).copied().unwrap_or(0))
    };
    let mut output = Vec::with_capacity(rows.len() * picture.row_bytes());
    for row in rows {
        for column in 0..width {
            for channel in 0..channels {
                let (x, y) = (column.cast_signed(), row.cast_signed());
                let center = at(x, y, channel);
                let is_edge = column == 0 || row == 0 || column + 1 == width || row + 1 == height;
                let value = if border == BorderMode::Copy && is_edge {
                    center
                } else {
                    let nine: i32 =
                        (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))).map(|(dx, dy)| at(x + dx, y + dy, channel)).sum();
                    // 9 · center − (nine − center) = 10 · center − nine.
                    10 * center - nine
                };
                output.push(value.clamp(0, 255) as u8);
            }
        }
    }
    output
}

const MALI_T600: Ladder = Ladder {
    name: "mali-t600",
    label: "Mali-T600 Laplace",
    source: "ARM, GPU Compute on Mobile Devices: Mali-T604 at 533 MHz; the first step against one Cortex-A15 core at 1.7 GHz, the others against the first",
    channels: Channels::Rgb,
    border: BorderMode::Copy,
    sizes: &[(768, 432), (2560, 1600), (2048, 2048), (5760, 3240), (7680, 4320)],
    steps: &[
        Step {
            label: "Original",
            variant: "naive",
            why: "One pixel a work-item, row index on dimension 0, border tested in the kernel: the plain port of the CPU loop, slower than the CPU at most sizes",
            published: &[0.5, 0.7, 1.2, 0.7, 0.7],
        },
        Step {
            label: "1 Vectorize",
            variant: "padded+vectorize=5",
            why: "Five RGB pixels are 15 bytes, so one 16-byte vector a row and offset; three overlapping loads a row, sums in int16",
            published: &[1.5, 1.3, 1.8, 3.5, 3.7],
        },
        Step {
            label: "2 Merged loads",
            variant: "padded+vectorize=5+merged",
            why: "The middle vector is put together from the left and the right one: two loads a row instead of three",
            published: &[1.5, 4.2, 3.3, 5.3, 5.5],
        },
        Step {
            label: "3 short16",
            variant: "padded+vectorize=5+merged+short16",
            why: "All sums fit 16 bits: half the registers, so a larger work-group is allowed",
            published: &[1.5, 5.8, 3.4, 7.8, 8.1],
        },
        Step {
            label: "4 Four pixels",
            variant: "padded+vectorize=4+merged+short16",
            why: "Twelve bytes store as 8 + 4 instead of 8 + 4 + 2 + 1, and rows divide better by 4",
            published: &[1.7, 5.4, 8.8, 7.0, 7.2],
        },
        Step {
            label: "5 Eight pixels",
            variant: "padded+vectorize=8+merged+short16",
            why: "Twenty-four bytes in a 16-lane and an 8-lane vector, two loads a row: more work a work-item, more registers; a step too far there",
            published: &[1.5, 4.4, 7.2, 5.4, 5.5],
        },
    ],
};

const BIFROST: Ladder = Ladder {
    name: "bifrost",
    label: "Bifrost Laplace",
    source: "Guide to OpenCL on Mali Bifrost, gray; claims without figures. In the end it tunes the local work size: multiples of 4, with little \
             change between 4 and 64",
    channels: Channels::Gray,
    border: BorderMode::Copy,
    sizes: &[],
    steps: &[
        Step { label: "Scalar", variant: "coalesced", why: "One pixel a work-item with a border test", published: &[] },
        Step {
            label: "Border apart",
            variant: "coalesced+padded",
            why: "A padded buffer takes the neighbors' border test out of the kernel",
            published: &[],
        },
        Step {
            label: "16 pixels",
            variant: "coalesced+padded+vectorize=16",
            why: "128-bit loads and stores: 16 gray pixels a work-item",
            published: &[],
        },
        Step {
            label: "Merged loads",
            variant: "coalesced+padded+vectorize=16+merged",
            why: "Two loads a row, the middle vector by swizzle",
            published: &[],
        },
        Step {
            label: "Narrow arithmetic",
            variant: "coalesced+padded+vectorize=16+merged+short16",
            why: "Arithmetic runs on 32-bit units there, wider vectors only help memory: 16-bit lanes, two to a unit",
            published: &[],
        },
    ],
};

#[cfg(test)]
mod tests {
    use super::{FILTER, Parameters};
    use crate::image::{BorderMode, Channels, Picture};
    use crate::stages::Setting;

    fn gray(width: usize, height: usize, bytes: &[u8]) -> Picture {
        Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture")
    }

    fn filtered(picture: &Picture, border: BorderMode) -> Vec<u8> {
        FILTER.reference(picture, border, &Parameters::default()).bytes().to_vec()
    }

    #[test]
    fn three_by_three_by_hand() {
        let picture = gray(3, 3, &[10, 20, 30, 40, 50, 60, 70, 80, 90]);
        // Center: 9·50 − (10+20+30+40+60+70+80+90) = 450 − 400 = 50.
        assert_eq!(filtered(&picture, BorderMode::Copy), [10, 20, 30, 40, 50, 60, 70, 80, 90]);
        // Top left, replicate: neighbors 10 10 20 / 10 . 20 / 40 40 50 sum to 200; 9·10 − 200 < 0 saturates.
        // Bottom right, replicate: neighbors 50 60 60 / 80 . 90 / 80 90 90 sum to 600; 9·90 − 600 = 210.
        let replicate = filtered(&picture, BorderMode::Replicate);
        assert_eq!((replicate[0], replicate[8]), (0, 210));
        // Top left, reflect101: neighbors 50 40 50 / 20 . 20 / 50 40 50 sum to 320; saturates to 0.
        // Bottom right, reflect101: neighbors 50 60 50 / 80 . 80 / 50 60 50 sum to 480; 810 − 480 = 330 saturates to 255.
        let reflect = filtered(&picture, BorderMode::Reflect101);
        assert_eq!((reflect[0], reflect[8]), (0, 255));
    }

    #[test]
    fn one_pixel_is_itself_in_every_border_mode() {
        for border in BorderMode::ALL {
            assert_eq!(filtered(&gray(1, 1, &[77]), border), [77], "{border:?}");
        }
    }

    #[test]
    fn channels_do_not_mix() {
        let picture = Picture::from_fn(3, 3, Channels::Rgb, |x, y, channel| if (x, y, channel) == (1, 1, 1) { 20 } else { 0 });
        let bytes = filtered(&picture, BorderMode::Copy);
        assert_eq!(bytes.iter().map(|&byte| usize::from(byte)).sum::<usize>(), 180);
        assert_eq!(bytes[4 * 3 + 1], 180);
    }

    #[test]
    fn ladder_steps_parse_and_are_allowed() {
        for ladder in FILTER.ladders {
            for step in ladder.steps {
                let setting = Setting { channels: ladder.channels, border: ladder.border };
                crate::variant::Variant::parse(step.variant).and_then(|variant| variant.check(&FILTER, setting)).expect(step.label);
                assert!(step.published.is_empty() || step.published.len() == ladder.sizes.len(), "{}", step.label);
            }
        }
    }
}
