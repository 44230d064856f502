//! Worked by hand.

use super::{MASK, Parameters};
use crate::filters::{Filter, FilterIdExt, VariantExt};
use crate::launch::{Argument, Between, Launch, Shape};
use model::{BorderMode, Channels, Counts, FilterId, Setting, Variant};
use pictures::Picture;

fn filter() -> &'static Filter {
    FilterId::Gaussian.filter()
}

fn gray(width: usize, height: usize, bytes: &[u8]) -> Picture {
    Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture")
}

fn filtered(picture: &Picture, border: BorderMode) -> Vec<u8> {
    filter().reference(picture, border, &Parameters::default()).expect("a plain reference").bytes().to_vec()
}

#[test]
fn a_point_becomes_the_mask() {
    let picture = Picture::from_fn(11, 11, Channels::Gray, |x, y, _| if (x, y) == (5, 5) { 255 } else { 0 });
    let bytes = filtered(&picture, BorderMode::Reflect101);
    // (134 · 134 · 255 + 32768) >> 16 = 4611548 >> 16, (32 · 134 · 255 + 32768) >> 16 = 1126208 >> 16, (32 · 32 · 255 + 32768) >> 16 = 293888 >> 16.
    assert_eq!((bytes[5 * 11 + 5], bytes[4 * 11 + 5], bytes[5 * 11 + 6], bytes[6 * 11 + 4]), (70, 17, 17, 4));
    // The mask fits on the middle pixel alone.
    let copied = filtered(&picture, BorderMode::Copy);
    assert_eq!((copied[5 * 11 + 5], copied.iter().map(|&byte| u32::from(byte)).sum::<u32>()), (70, 70));
}

#[test]
fn two_pixels_mirror_back_and_forth() {
    // Odd distances fall on the other pixel, even ones on this: 2 · (32 + 8 + 1) = 82 of 256 against 134 + 2 · (16 + 4) = 174.
    // 82 · 255 / 256 = 81.68 and 174 · 255 / 256 = 173.32.
    assert_eq!(filtered(&gray(2, 1, &[0, 255]), BorderMode::Reflect101), [82, 173]);
    assert_eq!(filtered(&gray(1, 2, &[0, 255]), BorderMode::Reflect101), [82, 173]);
    // 82 · 64 / 256 = 20.5, which rounds up, and 174 · 64 / 256 = 43.5.
    assert_eq!(filtered(&gray(2, 1, &[0, 64]), BorderMode::Reflect101), [21, 44]);
}

#[test]
fn replicate_repeats_the_edge() {
    // Left of a step: 1 + 4 + 8 + 16 + 32 = 61 of 256 fall on the pixel to the right and what repeats it. 61 · 255 / 256 = 60.76.
    assert_eq!(filtered(&gray(2, 1, &[0, 255]), BorderMode::Replicate), [61, 194]);
}

#[test]
fn the_weights_sum_to_256_so_flat_pictures_stay() {
    assert_eq!(MASK.iter().sum::<u16>(), 256);
    for border in BorderMode::ALL {
        for (width, height) in [(1, 1), (3, 3), (12, 13)] {
            assert_eq!(filtered(&gray(width, height, &vec![255; width * height]), border), vec![255; width * height]);
        }
    }
}

#[test]
fn copy_keeps_five_pixels_on_each_side() {
    let picture = Picture::from_fn(13, 12, Channels::Rgb, |x, y, channel| (x * 37 + y * 91 + channel * 5) as u8);
    let output = filtered(&picture, BorderMode::Copy);
    let changed: Vec<_> =
        (0..13 * 12).filter(|pixel| output[3 * pixel..3 * pixel + 3] != picture.bytes()[3 * pixel..3 * pixel + 3]).collect();
    assert_eq!(changed, [5 * 13 + 5, 5 * 13 + 6, 5 * 13 + 7, 6 * 13 + 5, 6 * 13 + 6, 6 * 13 + 7]);
}

#[test]
fn channels_do_not_mix() {
    let picture = Picture::from_fn(5, 5, Channels::Rgb, |_, _, channel| [10, 200, 0][channel]);
    assert_eq!(filtered(&picture, BorderMode::Replicate), picture.bytes());
}

fn launch(name: &str, channels: Channels, border: BorderMode) -> Launch {
    let variant = Variant::parse(name).expect("a known variant");
    let setting = Setting::new(channels, border);
    variant.check(filter(), setting).expect("allowed");
    (filter().launch)(&Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 67, height_px: 35 })
}

#[test]
fn copy_has_a_third_pass_along_the_edges() {
    let kernels = |border| launch("separable", Channels::Gray, border).passes.iter().map(|pass| pass.kernel).collect::<Vec<_>>();
    assert_eq!(kernels(BorderMode::Replicate), ["gaussian_horizontal", "gaussian_vertical"]);
    assert_eq!(kernels(BorderMode::Copy), ["gaussian_horizontal", "gaussian_vertical", "gaussian_edge"]);
    assert_eq!(launch("separable", Channels::Gray, BorderMode::Copy).passes[2].global, [20, 67]);
}

#[test]
fn a_padded_source_has_its_halo_rows_filtered_too() {
    let launch = launch("padded+vectorize=5+separable+walk", Channels::Rgb, BorderMode::Reflect101);
    assert_eq!((launch.passes[0].global, launch.passes[1].global), ([45, 1], [14, 1]));
    // 14 blocks of 15 numbers and one lane more are 422 bytes, so 512; 45 rows.
    assert_eq!(launch.between, [Between::Buffer { bytes: 512 * 45 }]);
    let source = launch.source.layout();
    assert_eq!(launch.passes[0].arguments[1], Argument::size(source.origin_bytes - 5 * source.pitch_bytes));
}

#[test]
fn a_tile_holds_the_neighbors_of_its_pass() {
    let passes = launch("coalesced+local+separable", Channels::Rgb, BorderMode::Reflect101).passes;
    assert_eq!((passes[0].local_bytes([16, 4]), passes[1].local_bytes([16, 4])), (26 * 3 * 4, 16 * 3 * 2 * 14));
    assert_eq!(launch("local", Channels::Gray, BorderMode::Reflect101).passes[0].local_bytes([16, 4]), 14 * 26);
}

#[test]
#[expect(clippy::float_cmp, reason = "quotients of small whole numbers, computed the same way on both sides")]
fn counts_are_those_of_the_code() {
    let counts = |name, channels| {
        let variant = Variant::parse(name).expect("a known variant");
        let setting = Setting::new(channels, BorderMode::Reflect101);
        let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 640, height_px: 480 };
        let Counts { loads, loaded_bytes, stores, stored_bytes, .. } = filter().counts(&shape, [1, 1]).expect("described");
        // Sums of fifths are rounded: compared to a millionth.
        [loads, loaded_bytes, stores, stored_bytes].map(|count| (count * 1e6).round() / 1e6)
    };
    assert_eq!(counts("naive", Channels::Rgb), [121.0, 363.0, 1.0, 3.0]);
    // 11 bytes, then 11 numbers of 16 bits; one of those is stored, then a byte.
    assert_eq!(counts("separable", Channels::Gray), [22.0, 33.0, 2.0, 3.0]);
    // One more each, but ten where a row of 640 and a column of 480 begin; by blocks of 16, two where a row begins.
    let (row, column, blocks) = (650.0 / 640.0, 490.0 / 480.0, 42.0 / 640.0);
    let rounded = |counts: [f64; 4]| counts.map(|count| (count * 1e6).round() / 1e6);
    assert_eq!(counts("separable+walk", Channels::Gray), rounded([row + column, row + 2.0 * column, 2.0, 3.0]));
    let by_blocks = rounded([blocks + column / 16.0, 16.0 * blocks + 2.0 * column, 2.0 / 16.0, 3.0]);
    assert_eq!(counts("padded+vectorize=16+separable+walk", Channels::Gray), by_blocks);
    // Fifteen bytes of five pixels are stored as 8 + 4 + 2 + 1 in both passes.
    assert_eq!(counts("padded+vectorize=5+separable", Channels::Rgb), [22.0 / 5.0, 11.0 * (16.0 + 32.0) / 5.0, 8.0 / 5.0, 9.0]);
    // A vector for 16 pixels, then a texel of 16 bits for each; 16 texels are written, then 16 bytes.
    let to_texels = rounded([blocks + column, 16.0 * blocks + 2.0 * column, 2.0, 3.0]);
    assert_eq!(counts("padded+vectorize=16+between+separable+walk", Channels::Gray), to_texels);
    // A texel of RGB has four channels, as large as their format: 4 bytes, then 8.
    assert_eq!(counts("image+between+separable", Channels::Rgb), [22.0, 11.0 * 12.0, 2.0, 11.0]);
}
