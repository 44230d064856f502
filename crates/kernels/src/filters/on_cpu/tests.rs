//! Every competitor of every filter, by every instruction set of this processor, against the plain reference.

use super::instructions;
use crate::filters::{Filter, FilterIdExt as _, Parameter, all, by_name};
use crate::testing::{awkward_pictures, noise};
use kernel_ladder_cpu::{InstructionSet, Job, MAX_STRIP_BYTES};
use model::{BorderMode, Channels, CpuEngine, FilterId, Parameters, Variant};
use pictures::Picture;
use rayon::prelude::*;

/// What reads as a byte that nobody wrote: outputs start this far from the reference.
const UNWRITTEN: u8 = 128;

/// Runs `filter` in every way there is, and returns how many of how many bytes differ from the reference at all: none by more than the filter's
/// tolerance.
fn compare(filter: &Filter, picture: &Picture, border: BorderMode, parameters: &Parameters) -> (usize, usize) {
    let parameters = &filter.complete(parameters).expect("in range");
    let expected = filter.reference(picture, border, parameters).expect("a plain reference");
    let tolerance = (filter.tolerance)(&Variant::naive());
    let best = InstructionSet::best();
    let simd = InstructionSet::available().into_iter().map(|set| (CpuEngine::Simd, set));
    let (mut differing, mut bytes) = (0, 0);
    for (engine, set) in simd.chain([(CpuEngine::Scalar, best), (CpuEngine::Threads, best)]) {
        for streams in [false, true] {
            let mut output: Vec<_> = expected.bytes().iter().map(|byte| byte.wrapping_add(UNWRITTEN)).collect();
            let job = Job::new(engine, picture.pixels(), border, (filter.reach)(parameters), &mut output);
            let cpu = filter.cpu.expect("competitors");
            cpu(job.by(set, streams), parameters);
            for (place, (got, want)) in output.iter().zip(expected.bytes()).enumerate() {
                assert!(
                    got.abs_diff(*want) <= tolerance,
                    "{} by {} with {}, {picture:?}, {border:?}, {parameters:?}: byte {place} is {got}, not {want}",
                    filter.name(),
                    engine.name(),
                    set.name()
                );
                differing += usize::from(got != want);
            }
            bytes += output.len();
        }
    }
    (differing, bytes)
}

/// The filters that have competitors.
fn tested() -> Vec<&'static Filter> {
    all().iter().copied().filter(|filter| filter.cpu.is_some()).collect()
}

/// One size, in all channels and border modes.
fn compare_size(filter: &Filter, (width, height): (usize, usize), parameters: &Parameters) {
    for &channels in filter.channels {
        for picture in awkward_pictures(width, height, channels) {
            for &border in filter.borders {
                compare(filter, &picture, border, parameters);
            }
        }
    }
}

/// All values of a slider of few steps, and five of a longer one.
fn values(parameter: &Parameter) -> Vec<f64> {
    let steps = ((parameter.max - parameter.min) / parameter.step).round() as usize;
    let stride = if steps <= 16 { 1 } else { steps.div_ceil(4) };
    let inside = (0..steps).step_by(stride).map(|step| step as f64 * parameter.step + parameter.min);
    inside.chain([parameter.max]).collect()
}

/// Each parameter at all its values while the others are at their defaults; then all at their smallest, and all at their largest.
fn parameter_sets(filter: &Filter) -> Vec<Parameters> {
    let named = |parameter: &Parameter, value| (parameter.name.to_owned(), value);
    let alone = filter
        .parameters
        .iter()
        .flat_map(|parameter| values(parameter).into_iter().map(move |value| Parameters([named(parameter, value)].into())));
    let extremes = [|parameter: &Parameter| parameter.min, |parameter: &Parameter| parameter.max];
    let together = extremes.map(|value| Parameters(filter.parameters.iter().map(|parameter| named(parameter, value(parameter))).collect()));
    alone.chain(together).collect()
}

#[test]
fn small_pictures_equal_the_reference() {
    let sizes: Vec<_> = (1..=40).flat_map(|width| [1, 2, 3, 5, 12].map(|height| (width, height))).collect();
    tested().par_iter().for_each(|filter| sizes.par_iter().for_each(|&size| compare_size(filter, size, &Parameters::default())));
}

#[test]
fn strips_and_bands_equal_the_reference() {
    // Rows that end a few bytes before and after a strip, and columns that end in the middle of a band.
    let sizes = [
        (61, 33),
        (1, 257),
        (9, 1030),
        (341, 13),
        (342, 12),
        (535, 3),
        (1023, 4),
        (1026, 7),
        (MAX_STRIP_BYTES - 1, 2),
        (MAX_STRIP_BYTES + 1, 4),
        (3137, 2),
        (3280, 2),
    ];
    tested().par_iter().for_each(|filter| sizes.par_iter().for_each(|&size| compare_size(filter, size, &Parameters::default())));
}

#[test]
fn every_parameter_equals_the_reference() {
    let sizes = [(1, 1), (2, 1), (1, 2), (5, 7), (17, 1), (1, 17), (37, 34)];
    for filter in tested() {
        parameter_sets(filter).par_iter().for_each(|parameters| sizes.iter().for_each(|&size| compare_size(filter, size, parameters)));
    }
}

/// For those that make something else of each value, such as the places of a resized picture's pixels.
#[test]
fn every_step_of_every_slider_equals_the_reference() {
    for filter in tested() {
        for parameter in filter.parameters {
            let steps = ((parameter.max - parameter.min) / parameter.step).round() as usize;
            (0..=steps).into_par_iter().for_each(|step| {
                let value = (step as f64 * parameter.step + parameter.min).min(parameter.max);
                let parameters = Parameters::from([(parameter.name, value)]);
                for size in [(7, 5), (3, 23)] {
                    compare_size(filter, size, &parameters);
                }
            });
        }
    }
}

/// Windows that are cut at the edges and others that are not, in bands that begin within the picture.
#[test]
fn the_largest_window_equals_the_reference() {
    compare_size(FilterId::Integral.filter(), (213, 421), &Parameters::from([("radius", 100.0)]));
}

#[test]
fn every_built_in_filter_has_competitors() {
    let without: Vec<_> = all().iter().filter(|filter| filter.competitors().is_empty()).collect();
    assert!(without.is_empty(), "{without:?}");
}

/// Only means that lie between two values may differ at all.
#[test]
fn hardly_a_byte_of_bilateral_differs() {
    let filter = by_name("bilateral").expect("a filter");
    let (differing, bytes) = compare(filter, &noise(61, 33, Channels::Rgb), BorderMode::Reflect101, &Parameters::default());
    assert!(differing * 1000 < bytes, "{differing} of {bytes} bytes differ");
}

#[test]
fn readings_name_the_instructions() {
    assert_eq!(instructions(CpuEngine::Scalar).to_string(), "scalar");
    let simd = instructions(CpuEngine::Simd).to_string();
    assert!(["AVX-512BW", "AVX2", "SSE2", "NEON"].contains(&simd.as_str()), "{simd}");
    assert!(instructions(CpuEngine::Threads).to_string().starts_with(&format!("{simd}, ")));
}
