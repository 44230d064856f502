//! Every competitor and every instruction set of this processor against the plain reference.

use super::FILTER;
use super::cpu::{Band, run as laplace};
use crate::cpu::instructions::InstructionSet;
use crate::cpu::store::STREAM_FROM_BYTES;
use crate::cpu::{CpuEngine, instructions};
use crate::filters::Parameters;
use crate::image::{BorderMode, Channels, Picture};

/// What reads as a byte that nobody wrote: outputs start as this.
const UNWRITTEN: u8 = 0xA5;

type Competitor = Box<dyn Fn(&Picture, BorderMode, &mut [u8])>;

fn competitors() -> Vec<(String, Competitor)> {
    let engines = CpuEngine::ALL.map(|engine| {
        let run = move |picture: &Picture, border, output: &mut [u8]| laplace(engine, picture, border, &Parameters::default(), output);
        (engine.name().to_owned(), Box::new(run) as Competitor)
    });
    let sets = InstructionSet::available().into_iter().map(|set| {
        let run = move |picture: &Picture, border, output: &mut [u8]| Band { picture, border, first_row: 0, output }.simd(set);
        (set.name().to_owned(), Box::new(run) as Competitor)
    });
    engines.into_iter().chain(sets).collect()
}

/// The same bytes on every run; `seed` picks others.
fn noise(seed: u32) -> impl FnMut(usize, usize, usize) -> u8 {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    move |_, _, _| {
        // xorshift32 (Marsaglia 2003).
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    }
}

fn pictures(width: usize, height: usize, channels: Channels) -> [Picture; 3] {
    [
        Picture::from_fn(width, height, channels, noise((width * 1000 + height) as u32)),
        // The extremes of every partial sum.
        Picture::from_fn(width, height, channels, |x, y, channel| if (x + y + channel) % 2 == 0 { 255 } else { 0 }),
        Picture::from_fn(width, height, channels, |_, _, channel| if channel == 1 { 0 } else { 255 }),
    ]
}

fn compare_all(width: usize, height: usize) {
    let competitors = competitors();
    for channels in Channels::ALL {
        for picture in pictures(width, height, channels) {
            for border in BorderMode::ALL {
                let expected = FILTER.reference(&picture, border, &Parameters::default());
                for (name, run) in &competitors {
                    let mut output = vec![UNWRITTEN; picture.bytes().len()];
                    run(&picture, border, &mut output);
                    let differs = output.iter().zip(expected.bytes()).position(|(got, want)| got != want);
                    if let Some(byte) = differs {
                        panic!("{name}, {picture:?}, {border:?}: byte {byte} is {}, not {}", output[byte], expected.bytes()[byte]);
                    }
                }
            }
        }
    }
}

#[test]
fn small_pictures_equal_the_reference() {
    for width in 1..=40 {
        for height in 1..=6 {
            compare_all(width, height);
        }
    }
}

#[test]
fn larger_odd_pictures_equal_the_reference() {
    for (width, height) in
        [(61, 33), (67, 35), (127, 9), (129, 5), (1, 257), (257, 1), (333, 19), (1021, 7), (535, 3), (1601, 3), (3137, 2)]
    {
        compare_all(width, height);
    }
}

#[test]
fn a_picture_that_is_streamed_equals_scalar() {
    let (width, height) = (2221, 1301);
    let picture = Picture::from_fn(width, height, Channels::Rgb, noise(7));
    assert!(picture.bytes().len() >= STREAM_FROM_BYTES);
    let mut expected = vec![UNWRITTEN; picture.bytes().len()];
    laplace(CpuEngine::Scalar, &picture, BorderMode::Reflect101, &Parameters::default(), &mut expected);
    for (name, run) in competitors() {
        let mut output = vec![UNWRITTEN; picture.bytes().len()];
        run(&picture, BorderMode::Reflect101, &mut output);
        assert!(output == expected, "{name} differs");
    }
}

#[test]
fn readings_name_the_instructions() {
    assert_eq!(instructions(CpuEngine::Scalar), "scalar");
    let simd = instructions(CpuEngine::Simd);
    assert!(["AVX-512BW", "AVX2", "SSE2", "NEON"].contains(&simd.as_str()), "{simd}");
    assert!(instructions(CpuEngine::Threads).starts_with(&format!("{simd}, ")));
}
