//! Variants of every filter against the plain reference, in every border mode and for gray and RGB, over pictures of awkward
//! sizes, with the driver's local size and others. Of filters with many variants, a test of all filters takes the steps of ladders and as many others as it needs for
//! every pair of values that stages can have together; whoever names a filter or a device has every variant. A few run with the filter's sliders at both ends as well.
//!
//! The outputs are poisoned before and their guard bytes checked after each run. A driver like PoCL compiles a kernel anew for each local
//! size and under a lock of the process, so the work is spread over processes: the test re-executes itself once for each core. For the
//! same reason a variant sees one local size of the list in every border mode, and a third of them the driver's own in the first. Of a filter
//! with many variants each sees one border mode, and a ninth of them the driver's own local size. Local sizes and border modes go
//! round from variant to variant, as host memory does from picture to picture; with `KERNEL_LADDER_FULL=1` each variant sees all of them with all pictures (an
//! hour and more). `KERNEL_LADDER_DEVICE=N` takes device N of `kernel-ladder devices` instead of PoCL.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking, as the test itself does")]

use base::error::{Error, ErrorKind};
use engine::device::{CacheSettings, DeviceInfo};
use engine::{Backend as _, Engine, Executed, KernelText, PictureRef, Target, Task};
use kernels::filters::VariantExt;
use kernels::filters::{self, Filter, Parameter};
use kernels::launch::Shape;
use model::{Abilities, BorderMode, Channels, HostMemory, LocalSize, Parameters, Setting, Spec, StageId, Variant, stages};
use pictures::Picture;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

/// Set by the test for its children: "2/4" is the third of four shards.
const SHARD: &str = "KERNEL_LADDER_SHARD";

/// Sides that are shorter than a block, that end in the middle of one, and that fill several.
const SIZES: [(usize, usize); 10] = [(1, 1), (2, 1), (1, 2), (3, 3), (5, 7), (16, 16), (17, 1), (1, 17), (61, 33), (67, 35)];

/// None divides every NDRange that the sizes above lead to. Seven of them, as no stage has seven values: going round, each meets all.
const LOCAL_SIZES: [[usize; 2]; 7] = [[16, 4], [3, 2], [8, 8], [5, 7], [64, 1], [1, 13], [32, 3]];

/// Which local size a case has. Stages are on in every so-many-th variant; the digits of the number in base 7, weighted, keep them from meeting the same sizes
/// again and again. Weights that do were found by trying: `local_sizes_go_round_all_values_of_every_stage` holds them to it.
const fn local_number(index: usize) -> usize {
    let sizes = LOCAL_SIZES.len();
    (index + index / sizes + 3 * (index / sizes / sizes)) % sizes
}

/// What a shard compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// Variants, each once for every setting that allows it.
    variants: usize,
    /// Outputs compared with the reference.
    outputs: usize,
    /// Pairs of a variant and a local size that it ran with, the driver's own choice counted as one.
    local_sizes: usize,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.variants += other.variants;
        self.outputs += other.outputs;
        self.local_sizes += other.local_sizes;
    }
}

/// So many variants of a filter, for each of its channels, run with its sliders at their ends as well.
const SAMPLE: usize = 8;

/// The parameters to test: the defaults first, then all sliders at their smallest and all at their largest.
fn tested_parameters(filter: &Filter) -> Vec<Parameters> {
    let at = |end: fn(&Parameter) -> f64| Parameters(filter.parameters.iter().map(|it| (it.name.to_owned(), end(it))).collect());
    let ends: [fn(&Parameter) -> f64; 2] = [|it| it.min, |it| it.max];
    std::iter::once(Parameters::default()).chain(ends.map(at)).take(if filter.parameters.is_empty() { 1 } else { 3 }).collect()
}

fn is_default(parameters: &Parameters) -> bool {
    parameters.0.is_empty()
}

/// The border modes that a variant runs in, each variant beginning with another one.
fn borders(filter: &Filter, variant: &Variant, setting: Setting, variant_index: usize) -> Vec<BorderMode> {
    let is_allowed = |border: &BorderMode| variant.check(filter, Setting { border: *border, ..setting }).is_ok();
    let mut borders: Vec<BorderMode> = filter.borders.iter().copied().filter(is_allowed).collect();
    if !borders.is_empty() {
        let count = borders.len();
        borders.rotate_left(variant_index % count);
    }
    borders
}

/// What is run of a variant: its place among all, and its border modes.
type Runs = Vec<(usize, Variant, Vec<BorderMode>)>;

/// What is run of a filter. Each variant sees all border modes, or `one_alone`: that in which most of its stages' values have not been yet. A value that then has
/// not met a mode brings another variant, so that each meets all modes that it can.
fn runs(filter: &Filter, channels: Channels, all: &BTreeSet<Variant>, setting: Setting, one_alone: bool) -> Runs {
    let chosen = chosen(filter, channels, all);
    if !one_alone {
        return chosen.into_iter().map(|(index, variant)| (index, variant, borders(filter, &variant, setting, index))).collect();
    }
    in_one_border(filter, all, chosen, setting)
}

fn in_one_border(filter: &Filter, all: &BTreeSet<Variant>, chosen: Vec<(usize, Variant)>, setting: Setting) -> Runs {
    let values = |variant: &Variant, border: BorderMode| -> Vec<(StageId, u8, &'static str)> {
        stages().map(|stage| (stage.id, variant.value(stage.id), border.name())).collect()
    };
    let mut met = BTreeSet::new();
    let mut runs = Runs::new();
    for (index, variant) in chosen {
        let new = |border: &BorderMode| values(&variant, *border).iter().filter(|value| !met.contains(*value)).count();
        // Of several, the first: they begin with another one each time.
        let best = borders(filter, &variant, setting, index).into_iter().rev().max_by_key(new).expect("some border mode allows it");
        met.extend(values(&variant, best));
        runs.push((index, variant, vec![best]));
    }
    for (index, variant) in all.iter().copied().enumerate() {
        for border in borders(filter, &variant, setting, index) {
            if values(&variant, border).iter().any(|value| !met.contains(value)) {
                met.extend(values(&variant, border));
                runs.push((index, variant, vec![border]));
            }
        }
    }
    runs
}

/// The variants that are tested, with their places among all: those of ladders, and others until each pair of values that two stages have together in some
/// variant has been. Whoever names a filter or a device, or wants everything, has all.
fn chosen(filter: &Filter, channels: Channels, all: &BTreeSet<Variant>) -> Vec<(usize, Variant)> {
    let takes_pairs = is_short() && std::env::var(ONLY).is_err() && all.len() > MANY;
    if takes_pairs { pairwise(filter, channels, all) } else { all.iter().copied().enumerate().collect() }
}

fn pairwise(filter: &Filter, channels: Channels, all: &BTreeSet<Variant>) -> Vec<(usize, Variant)> {
    let steps = filter.ladders().iter().filter(|ladder| ladder.channels == channels).flat_map(|ladder| &ladder.steps);
    let steps: BTreeSet<Variant> = steps.map(|step| step.variant).collect();
    let mut met = BTreeSet::new();
    let mut order: Vec<(usize, Variant)> = all.iter().copied().enumerate().collect();
    // Mixed (Knuth's multiplicative hash), as neighbors are alike; ladders first.
    order.sort_by_key(|(index, variant)| (!steps.contains(variant), (*index as u32).wrapping_mul(2_654_435_761)));
    order.retain(|(_, variant)| {
        let before = met.len();
        met.extend(pairs_of(variant));
        met.len() > before || steps.contains(variant)
    });
    order.sort_by_key(|(index, _)| *index);
    order
}

/// The values of each two stages of a variant, those that are off included.
fn pairs_of(variant: &Variant) -> impl Iterator<Item = [(StageId, u8); 2]> {
    let values: Vec<_> = stages().map(|stage| (stage.id, variant.value(stage.id))).collect();
    (0..values.len()).flat_map(|place| (0..place).map(move |before| (before, place))).map(move |(one, other)| [values[one], values[other]])
}

/// Names the device that is tested instead of PoCL.
const DEVICE: &str = "KERNEL_LADDER_DEVICE";

/// Names the only filter that is tested.
const ONLY: &str = "KERNEL_LADDER_ONLY";

/// A filter with more variants than this in its channels is tested by pairs of values, each variant in one border mode: all of them take PoCL twenty minutes on two
/// cores.
const MANY: usize = 30;

/// Whether everything is wanted, however long it takes.
fn takes_all() -> bool {
    std::env::var("KERNEL_LADDER_FULL").is_ok_and(|value| value == "1")
}

/// Whether filters with more than [`MANY`] variants are tested by pairs. Whoever names a device waits for all variants.
fn is_short() -> bool {
    !takes_all() && std::env::var(DEVICE).is_err()
}

/// One picture with its references by border mode.
struct Case {
    picture: PictureRef,
    references: Vec<(BorderMode, Picture)>,
}

fn cases(filter: &Filter, channels: Channels, parameters: &Parameters) -> Vec<Case> {
    let generated = SIZES.iter().enumerate().map(|(index, &(width, height))| noise(width, height, channels, index as u32));
    let photograph = is_default(parameters).then(|| {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/chelsea.png");
        pictures::load(Path::new(file)).expect("a sample picture").picture.to_channels(channels)
    });
    generated
        .chain(photograph)
        .map(|picture| Case {
            references: filter
                .borders
                .iter()
                .map(|&border| (border, filter.reference(&picture, border, parameters).expect("a plain reference")))
                .collect(),
            picture: PictureRef::new(Arc::new(picture)),
        })
        .collect()
}

/// Noise that is flat enough in every other picture for its sums not to saturate: a wrong sum must not hide behind 0 or 255.
fn noise(width: usize, height: usize, channels: Channels, seed: u32) -> Picture {
    let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
    Picture::from_fn(width, height, channels, |_, _, _| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let byte = (state >> 24) as u8;
        if seed.is_multiple_of(2) { 120 + byte % 16 } else { byte }
    })
}

/// Which local sizes a variant in one setting sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Locals {
    /// All, with every picture.
    All,
    /// The driver's own with one picture, one of the list with the others.
    Two,
    /// One of the list.
    One,
}

impl Locals {
    /// Those with which the case runs.
    fn of_case(self, variant_index: usize, case_index: usize, cases: usize) -> Vec<LocalSize> {
        let explicit = |index: usize| LocalSize::Explicit(LOCAL_SIZES[local_number(index)]);
        // Divided, so that the two do not go round in step.
        let drivers_case = variant_index / LOCAL_SIZES.len() % cases;
        match self {
            Self::All => std::iter::once(LocalSize::Driver).chain((0..LOCAL_SIZES.len()).map(explicit)).collect(),
            Self::Two if case_index == drivers_case => vec![LocalSize::Driver],
            Self::Two | Self::One => vec![explicit(variant_index)],
        }
    }
}

/// The filter with its parameters, the channels and the border mode.
fn described(task: &Task) -> String {
    kernels::filters::spec_text(&task.spec)
}

/// Compares one variant in one border mode over all pictures.
fn compare(engine: &mut Engine, task: &Task, cases: &[Case], variant_index: usize, locals: Locals) -> Result<Tally, String> {
    let Target::Device { index, variant, .. } = task.target else { return Ok(Tally::default()) };
    let (mut outputs, mut seen, mut was_rounded_up) = (0, BTreeSet::new(), false);
    let memories = memories(engine, task, &variant);
    for (case_index, (case, &host_memory)) in cases.iter().zip(memories.iter().cycle()).enumerate() {
        for local in locals.of_case(variant_index, case_index, cases.len()) {
            let size = (case.picture.picture.width_px(), case.picture.picture.height_px());
            let at = format!("{} {variant} {size:?} @ {local}, {host_memory}", described(task));
            let target = Target::Device { index, variant, local, host_memory };
            let task = Task { picture: case.picture.clone(), target, ..task.clone() };
            let (local, executed) =
                fitting(engine, &task, local).map_err(|error| format!("{at}: {error}\n{}", error.detail.as_deref().unwrap_or_default()))?;
            let (_, reference) = case.references.iter().find(|(border, _)| *border == task.spec.border).expect("one for each border mode");
            if let Some(difference) = first_difference(&executed.output, reference, task.tolerance()) {
                return Err(format!("{at}: {difference}"));
            }
            let globals = globals(&task, &variant);
            if let (LocalSize::Explicit(sides), Some(first)) = (local, globals.first()) {
                let rounded = [0, 1].map(|side| first[side].next_multiple_of(sides[side]));
                assert_eq!(executed.global, rounded, "{variant}: the NDRange that was launched");
                was_rounded_up |= globals.iter().any(|global| !(0..2).all(|side| global[side].is_multiple_of(sides[side])));
            }
            outputs += 1;
            seen.insert(local.to_string());
        }
    }
    if !was_rounded_up || (locals != Locals::One && !seen.contains("driver")) {
        return Err(format!("{variant}: it must see {locals:?}, of these one that does not divide, but saw {seen:?}"));
    }
    Ok(Tally { variants: 1, outputs, local_sizes: seen.len() })
}

/// Those that the device has for the variant: not every driver has shared virtual memory, and image objects cannot lie in it.
fn memories(engine: &mut Engine, task: &Task, variant: &Variant) -> &'static [HostMemory] {
    static HAS_SHARED: OnceLock<bool> = OnceLock::new();
    let has_shared = *HAS_SHARED.get_or_init(|| {
        let Target::Device { index, .. } = task.target else { return false };
        let target = Target::Device { index, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Shared };
        engine.execute(&Task { target, ..task.clone() }, &()).is_ok()
    });
    // Image objects are not put into it, and every device can do what they can.
    if has_shared && !variant.is_on(StageId::Image) { &HostMemory::ALL } else { &HostMemory::OF_IMAGES }
}

/// Runs the task with a local size, or with the next smaller one that the device takes: some take fewer work-items of one kernel than of others.
fn fitting(engine: &mut Engine, task: &Task, local: LocalSize) -> Result<(LocalSize, Executed), Error> {
    match (engine.execute(&task.with_local(local), &()), local) {
        (Err(error), LocalSize::Explicit([x, y])) if error.kind == ErrorKind::Usage && x * y > 1 => {
            let smaller = if x >= y { [x / 2, y] } else { [x, y / 2] };
            fitting(engine, task, LocalSize::Explicit(smaller))
        }
        (executed, _) => executed.map(|executed| (local, executed)),
    }
}

/// The NDRange of each pass before it is rounded up.
fn globals(task: &Task, variant: &Variant) -> Vec<[usize; 2]> {
    let parameters = task.filter().complete(&task.spec.parameters).expect("right parameters");
    let picture = &task.picture.picture;
    let shape =
        Shape { variant, setting: task.setting(), parameters: &parameters, width_px: picture.width_px(), height_px: picture.height_px() };
    (task.filter().launch)(&shape).passes.iter().map(|pass| pass.global).collect()
}

fn first_difference(output: &Picture, reference: &Picture, tolerance: u8) -> Option<String> {
    let size = |picture: &Picture| (picture.width_px(), picture.height_px(), picture.channels());
    if size(output) != size(reference) {
        return Some(format!("it is {:?} and should be {:?}", size(output), size(reference)));
    }
    let differs = |(left, right): (&u8, &u8)| left.abs_diff(*right) > tolerance;
    let count = output.bytes().iter().zip(reference.bytes()).filter(|pair| differs(*pair)).count();
    let first = output.bytes().iter().zip(reference.bytes()).position(differs)?;
    let (row, column) = (first / output.row_bytes(), first % output.row_bytes());
    let (is, should) = (output.bytes()[first], reference.bytes()[first]);
    Some(format!("{count} bytes differ, the first in row {row} at byte {column}: it is {is} and should be {should}"))
}

fn shard_of(text: &str) -> (usize, usize) {
    let (part, parts) = text.split_once('/').expect("part/parts");
    (part.parse().expect("a number"), parts.parse().expect("a number"))
}

fn device(engine: &mut Engine) -> DeviceInfo {
    let devices = engine.devices().expect("this test needs an OpenCL driver, PoCL for one: apt-get install pocl-opencl-icd").to_vec();
    let wanted = std::env::var(DEVICE).ok().map(|number| number.parse::<usize>().expect("a device's number"));
    let is_wanted = |device: &DeviceInfo| match wanted {
        Some(number) => device.index == number,
        None => device.platform == "Portable Computing Language",
    };
    devices
        .into_iter()
        .find(is_wanted)
        .expect("this test needs PoCL (apt-get install pocl-opencl-icd) or the device that KERNEL_LADDER_DEVICE names")
}

/// Every variant that some border mode allows, in a fixed order: the border modes of one go into one shard, as their sources are often
/// the same and then built once.
fn variants(filter: &Filter, channels: Channels, abilities: Abilities) -> BTreeSet<Variant> {
    filter.borders.iter().flat_map(|&border| Variant::all(filter, Setting::new(channels, border).on(abilities))).collect()
}

/// The filters to test: all, or the one that is named.
fn tested() -> impl Iterator<Item = &'static Filter> {
    let only = std::env::var(ONLY).ok();
    filters::all().iter().copied().filter(move |filter| only.as_deref().is_none_or(|name| name == filter.name()))
}

#[test]
#[ignore = "one shard of the test below, which starts it"]
fn shard() {
    let (part, parts) = std::env::var(SHARD).map_or((0, 1), |text| shard_of(&text));
    let takes_all = takes_all();
    let mut engine = Engine::with_cache(CacheSettings::off());
    let device = device(&mut engine);
    let (index, abilities) = (device.index, device.abilities());
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    for filter in tested() {
        for (parameters, &channels) in tested_parameters(filter).iter().flat_map(|it| filter.channels.iter().map(move |of| (it, of))) {
            let is_sample = !is_default(parameters);
            let (cases, variants) = (cases(filter, channels, parameters), variants(filter, channels, abilities));
            let one_alone = is_sample || (!takes_all && variants.len() > MANY);
            let runs = runs(filter, channels, &variants, Setting::new(channels, filter.default_border).on(abilities), one_alone);
            // An odd step, so that the stages whose values alternate are not all off.
            let step = if is_sample { (runs.len() / SAMPLE) | 1 } else { 1 };
            for (variant_index, variant, borders) in runs.into_iter().step_by(step).skip(part).step_by(parts) {
                for (turn, border) in borders.into_iter().enumerate() {
                    let locals = match turn {
                        _ if takes_all => Locals::All,
                        // PoCL compiles anew for each size, which is most of this test's time. Not a divisor of the shards' number: each has its part of them.
                        0 if variant_index.is_multiple_of(if one_alone { 9 } else { 3 }) => Locals::Two,
                        _ => Locals::One,
                    };
                    let target = Target::Device { index, variant, local: LocalSize::Driver, host_memory: HostMemory::Copy };
                    let spec = Spec { filter: filter.id, parameters: parameters.clone(), channels, border };
                    let task = Task { spec, picture: cases[0].picture.clone(), target, text: KernelText::Composed };
                    // Rules on sums know the parameters: at a slider's end a variant may be refused that its default allows.
                    if is_sample && variant.check(filter, task.setting().on(abilities)).is_err() {
                        continue;
                    }
                    match compare(&mut engine, &task, &cases, variant_index, locals) {
                        // A sample's variants have been counted before.
                        Ok(compared) => tally.add(if is_sample { Tally { variants: 0, ..compared } } else { compared }),
                        Err(failure) => failures.push(failure),
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} variants failed:\n{}", failures.len(), failures.join("\n"));
    println!("compared {} {} {}", tally.variants, tally.outputs, tally.local_sizes);
}

/// The three numbers that a shard printed; libtest may have written its own words before them on the same line.
fn tally_of(printed: &str) -> Option<Tally> {
    let (_, numbers) = printed.split_once("compared ")?;
    let mut numbers = numbers.split_whitespace().map_while(|word| word.parse().ok());
    Some(Tally { variants: numbers.next()?, outputs: numbers.next()?, local_sizes: numbers.next()? })
}

#[test]
fn every_allowed_variant_is_bit_exact() {
    let parts = std::thread::available_parallelism().map_or(1, usize::from);
    // A cache of our own: nothing built earlier is believed, and nothing is left in the person's.
    let kernel_cache = tempfile::tempdir().expect("a temporary folder");
    let children: Vec<_> = (0..parts)
        .map(|part| {
            let folder = kernel_cache.path().join(part.to_string());
            std::fs::create_dir(&folder).expect("a folder");
            Command::new(std::env::current_exe().expect("this test"))
                .args(["--ignored", "--exact", "shard", "--nocapture", "--test-threads=1"])
                .env(SHARD, format!("{part}/{parts}"))
                .env("POCL_CACHE_DIR", folder)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the shard starts")
        })
        .collect();
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    for child in children {
        let output = child.wait_with_output().expect("the shard ends");
        match tally_of(&String::from_utf8_lossy(&output.stdout)) {
            Some(compared) if output.status.success() => tally.add(compared),
            _ => failures.push(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let abilities = device(&mut Engine::with_cache(CacheSettings::off())).abilities();
    // What there is to compare: each run once.
    let mut by_tolerance = BTreeMap::new();
    for (filter, channels) in tested().flat_map(|filter| filter.channels.iter().map(move |&channels| (filter, channels))) {
        let all = variants(filter, channels, abilities);
        let (setting, one_alone) = (Setting::new(channels, filter.default_border).on(abilities), !takes_all() && all.len() > MANY);
        for (_, variant, borders) in runs(filter, channels, &all, setting, one_alone) {
            *by_tolerance.entry((filter.tolerance)(&variant)).or_insert(0) += borders.len();
        }
    }
    let words = |(tolerance, count): (&u8, &usize)| match tolerance {
        0 => format!("{count} bit-exact"),
        tolerance => format!("{count} within the ±{tolerance} that their filter states"),
    };
    let words: Vec<_> = by_tolerance.iter().map(words).collect();
    // Written past the test harness, which keeps what a passing test prints to itself.
    let counts = format!(
        "{} variants ({}), {} with their local sizes, {} outputs compared",
        tally.variants,
        words.join(", "),
        tally.local_sizes,
        tally.outputs
    );
    writeln!(std::io::stderr(), "{counts}").expect("stderr is open");
    assert_eq!(tally.variants, by_tolerance.values().sum::<usize>(), "some variants were left out");
}

/// All values of all stages of the filter, those when off included.
fn stage_values(filter: &Filter, channels: Channels) -> impl Iterator<Item = (StageId, u8)> {
    stages().flat_map(move |stage| {
        let on = filter.values_for(stage.id, Setting::new(channels, filter.default_border)).map(|value| value.value);
        std::iter::once(stage.off).chain(on).map(|value| (stage.id, value))
    })
}

#[test]
fn the_chosen_variants_have_every_pair_of_values_and_every_step() {
    for (filter, &channels) in filters::all().iter().flat_map(|filter| filter.channels.iter().map(move |channels| (filter, channels))) {
        let all = variants(filter, channels, Abilities::ALL);
        let chosen: BTreeSet<Variant> = pairwise(filter, channels, &all).into_iter().map(|(_, variant)| variant).collect();
        let of = |variants: &BTreeSet<Variant>| variants.iter().flat_map(pairs_of).collect::<BTreeSet<_>>();
        assert_eq!(of(&chosen), of(&all), "{}", filter.name());
        for ladder in filter.ladders().iter().filter(|ladder| ladder.channels == channels) {
            assert!(ladder.steps.iter().all(|step| chosen.contains(&step.variant)), "{}", ladder.name);
        }
        assert!(all.len() < 200 || 2 * chosen.len() < all.len(), "{}: {} of {}", filter.name(), chosen.len(), all.len());
        println!("{} {channels:?}: {} of {}", filter.name(), chosen.len(), all.len());
    }
}

#[test]
fn in_one_border_each_all_values_of_every_stage_meet_all_modes() {
    for filter in filters::all() {
        for &channels in filter.channels {
            let setting = Setting::new(channels, filter.default_border).on(Abilities::ALL);
            let all = variants(filter, channels, Abilities::ALL);
            let runs = in_one_border(filter, &all, pairwise(filter, channels, &all), setting);
            for (id, value) in stage_values(filter, channels) {
                let of = |runs: &Runs| -> BTreeSet<&str> {
                    let with_it = runs.iter().filter(|(_, variant, _)| variant.value(id) == value);
                    with_it.flat_map(|(.., borders)| borders).map(|border| border.name()).collect()
                };
                let every = |(index, variant): (usize, &Variant)| (index, *variant, borders(filter, variant, setting, index));
                assert_eq!(of(&runs), of(&all.iter().enumerate().map(every).collect()), "{}: {id:?} = {value}", filter.name());
            }
        }
    }
}

#[test]
fn local_sizes_go_round_all_values_of_every_stage() {
    for filter in filters::all() {
        for &channels in filter.channels {
            for (id, value) in stage_values(filter, channels) {
                let with_it =
                    variants(filter, channels, Abilities::ALL).into_iter().enumerate().filter(|(_, variant)| variant.value(id) == value);
                let indices: Vec<_> = with_it.map(|(index, _)| local_number(index)).collect();
                let seen = indices.iter().collect::<BTreeSet<_>>().len();
                // A stage that few variants have cannot see more sizes than it has variants.
                assert!(
                    seen >= indices.len().min(LOCAL_SIZES.len()).div_ceil(2),
                    "{}: {id:?} = {value} sees only {seen} local sizes",
                    filter.name()
                );
            }
        }
    }
}

/// The figure of waiting lanes has its tests from the plain reference: a kernel that stores how often its branch was taken must agree, pixel for pixel.
#[test]
fn the_branches_that_are_drawn_are_those_that_the_kernel_takes() {
    let mut engine = Engine::with_cache(CacheSettings::off());
    let device = device(&mut engine).index;
    let filter = filters::by_name("epsilon").expect("a filter");
    let conditional = filter.conditional.as_ref().expect("it branches");
    let parameters = filter.defaults();
    let picture = Arc::new(Picture::from_fn(61, 43, Channels::Gray, |x, y, _| ((x * x + 7 * y) % 61 + (x / 9) * 20) as u8));
    let mut taken = 0;
    for border in BorderMode::ALL {
        for variant in ["naive", "coalesced", "coalesced+padded"] {
            let variant = Variant::parse(variant).expect("a variant");
            let target = Target::Device { index: device, variant, local: LocalSize::Driver, host_memory: HostMemory::default() };
            let task = Task {
                spec: filter.spec(Channels::Gray, border),
                picture: PictureRef::new(Arc::clone(&picture)),
                target,
                text: KernelText::Composed,
            };
            let own = engine.execute(&task, &()).expect("runs").source.expect("a kernel").to_string();
            let counting = own.replace("(2 * sum + count) / (2 * count)", "count");
            assert_ne!(own, counting, "{variant}: the mean is elsewhere");
            let setting = Setting::new(Channels::Gray, border);
            let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px: 61, height_px: 43 };
            let counting = Task { text: KernelText::Edited(counting.into()), ..task };
            let output = engine.execute(&counting, &()).expect("runs").output;
            for (index, found) in output.bytes().iter().enumerate() {
                let (x, y) = (index % 61, index / 61);
                let tests = (conditional.tests)(&shape, &picture, [x, y]);
                let wanted = if tests.is_empty() { picture.bytes()[index] } else { tests.iter().filter(|test| test.is_true).count() as u8 };
                assert_eq!(*found, wanted, "{variant}, {border:?}, pixel {x}, {y}");
                taken += usize::from(!tests.is_empty() && wanted < 81);
            }
        }
    }
    assert!(taken > 1000, "nearly everything was near: {taken}");
}
