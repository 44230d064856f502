//! Made-up devices on which an explanation is true, and others on which it is false: experiments tell them apart.

use super::{Conclusion, Doubt, Experiment, Pair, test_reasons};
use crate::why::{self, Facts};
use crate::{Prober, Study as _};
use base::error::Result;
use engine::device::DeviceInfo;
use engine::{Backend, Build, Compared, KernelText, PictureRef, Proven, Reply, Request, Scanned, Target, Task};
use kernels::filters;
use kernels::filters::VariantExt;
use model::measure::{self, Comparison, Places, Progress, Verdict};
use model::{
    AddedKind, Budget, Channels, HostMemory, LocalSize, Moved, StageId, TilePart, Variant, Verification, WHOLE, Whose, WorkClass, values,
};

/// What a made-up device charges for, per pixel but for the launch.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is something of its own that costs")]
struct Work {
    /// Loads, those that an experiment adds among them.
    loads: f64,
    /// Those whose work-items read far apart.
    far_loads: f64,
    /// Stores whose work-items write far apart.
    far_stores: f64,
    /// Whether its own mapping is the one that is far apart.
    far_mapping: bool,
    operations: f64,
    /// Those that an experiment adds, as vectors and number by number, and bytes.
    added: f64,
    added_singly: f64,
    added_bytes: f64,
    /// Whether it has all that adding takes.
    is_added_to: bool,
    /// Pieces that vectors are loaded in, and stored in, where they are: 1 where not.
    pieces: f64,
    store_pieces: f64,
    /// Sums of 16 and 32 bits that are added.
    sums: [f64; 2],
    /// Whether work-items are computed by themselves, and whether multiplications and additions are.
    apart: bool,
    uncontracted: bool,
    /// Whether the rows of its tile are lengthened.
    skewed: bool,
    /// Whether a tile is filled, and whether there is a barrier.
    fills: bool,
    meets: bool,
    /// Whether it reads an image object, tests for borders, has a source with a halo.
    image: bool,
    /// Whether it is written for one.
    image_text: bool,
    tests: bool,
    halo: bool,
    /// Whether it has local memory that nothing uses.
    capped: bool,
    /// Whether it owns several pixels.
    vector: bool,
    group_items: f64,
    /// Work-items that return at once.
    idle_items: f64,
    pixels: f64,
    /// Whether all bytes of the picture are the same.
    flat: bool,
}

impl Work {
    fn of(task: &Task) -> Self {
        let Target::Device { variant, local, .. } = task.target else { panic!("a task on a device") };
        let counts = task.counts().expect("counted");
        let owned = variant.owned(task.spec.channels);
        let owned_px = (owned.bytes * owned.rows) as f64 / task.spec.channels.count() as f64;
        let is_far = |variant: &Variant| !variant.is_on(StageId::Coalesced);
        let moved = if let KernelText::Moved(moved) = task.text { Some(moved) } else { None };
        let own_far = is_far(&variant) != (moved == Some(Moved::Mapping));
        let mut work = Self {
            loads: counts.loads,
            far_loads: if own_far { counts.loads } else { 0.0 },
            far_stores: if own_far { counts.stores } else { 0.0 },
            far_mapping: own_far,
            operations: counts.operations,
            added: 0.0,
            added_singly: 0.0,
            added_bytes: 0.0,
            is_added_to: task.text.added().is_some(),
            pieces: 1.0,
            store_pieces: 1.0,
            sums: [0.0; 2],
            apart: false,
            uncontracted: false,
            skewed: variant.value(StageId::Local) == values::LOCAL_SKEW,
            fills: variant.is_on(StageId::Local),
            meets: variant.is_on(StageId::Local),
            image: variant.is_on(StageId::Image),
            image_text: variant.is_on(StageId::Image),
            tests: !variant.is_on(StageId::Padded),
            halo: variant.is_on(StageId::Padded),
            capped: false,
            vector: variant.is_on(StageId::Vectorize) || variant.is_on(StageId::Access),
            group_items: if let LocalSize::Explicit([x, y]) = local { (x * y) as f64 } else { 64.0 },
            idle_items: 0.0,
            pixels: {
                let (width, height) = task.picture.size();
                (width * height) as f64
            },
            flat: task.picture.picture.bytes().windows(2).all(|pair| pair[0] == pair[1]),
        };
        if let Some(added) = task.text.added() {
            // It goes into each pass.
            let passes = if variant.is_on(StageId::Separable) { 2.0 } else { 1.0 };
            let more = passes * f64::from(added.per_pixel);
            match added.kind {
                AddedKind::Bytes => work.added_bytes += more,
                AddedKind::Integer | AddedKind::Float if added.one_by_one => work.added_singly += more,
                AddedKind::Integer | AddedKind::Float => {
                    work.added += more;
                    work.operations += more;
                }
            }
        }
        match moved {
            Some(Moved::Loads { of, count, places, stores, is_done: true }) => {
                let [more, stores] = [count, stores].map(|count| f64::from(count) / owned_px);
                work.loads += more;
                if is_far(&of) && places == Whose::Theirs {
                    work.far_loads += more;
                    work.far_stores += stores;
                }
            }
            Some(Moved::Narrow { loads, stores, is_done: true }) => {
                let pieces = |numbers: u8| if numbers == WHOLE { 1.0 } else { owned.bytes as f64 / f64::from(numbers) };
                (work.pieces, work.store_pieces) = (pieces(loads), pieces(stores));
            }
            Some(Moved::Apart { is_done: true }) => work.apart = true,
            Some(Moved::Items(times)) => work.idle_items = f64::from(times - 1) / owned_px,
            Some(Moved::Uncontracted) => work.uncontracted = true,
            Some(Moved::Class { class: WorkClass::Sums16, count, is_done: true }) => work.sums[0] += f64::from(count),
            Some(Moved::Class { class: WorkClass::Sums32, count, is_done: true }) => work.sums[1] += f64::from(count),
            Some(Moved::Tile { part, .. }) => {
                work.fills |= part == TilePart::Filled;
                work.meets |= part != TilePart::Nothing;
            }
            Some(Moved::Buffer) => work.image = false,
            Some(Moved::LocalBytes(_)) => work.capped = true,
            Some(Moved::Surface(of)) => work.halo = of.is_on(StageId::Padded),
            _ => {}
        }
        work
    }
}

/// What a device charges, in nanoseconds per pixel.
type Cost = fn(&Work) -> f64;

/// Whatever costs little anyway.
const REST: f64 = 1.0;

struct MadeUp {
    cost: Cost,
    launch_ns: f64,
}

impl MadeUp {
    fn time_ns(&self, task: &Task) -> u64 {
        let work = Work::of(task);
        ((self.cost)(&work) * work.pixels + self.launch_ns) as u64
    }
}

impl Backend for MadeUp {
    fn ask(&mut self, request: Request, _progress: &dyn Progress) -> Result<Reply> {
        Ok(match request {
            Request::Rescan(_) => Reply::Devices(Ok(vec![DeviceInfo::example()]), Scanned::default()),
            Request::Prove(_) => {
                let right = Verification {
                    differing_pixels: 0,
                    total_pixels: 1,
                    max_difference: 0,
                    first_differing: None,
                    tolerance: 0,
                    ..Verification::default()
                };
                Reply::Proven(Proven { verification: right, build: Build::default(), kernel_ns: None })
            }
            Request::Compare(pair, _) => {
                let [first_ns, second_ns] = pair.each_ref().map(|proof| self.time_ns(proof.task()));
                let pair = |place| measure::Pair { first_ns, second_ns, first_place: place, second_place: place, start: 0 };
                Reply::Compared(Box::new(Compared::of((0..40).map(|index| pair(index % 3)).collect(), Places::Shared, false, None)))
            }
            Request::Refused(..) => panic!("nothing is measured alone"),
            request => return request.plain_reply(),
        })
    }
}

fn task(filter: &str, variant: &str, local: [usize; 2], size: (usize, usize)) -> Task {
    let filter = filters::by_name(filter).expect("a filter");
    // Add owns bytes, which are whole pixels where these are gray.
    let is_rgb = filter.channels.contains(&Channels::Rgb) && filter.name() != "add";
    let channels = if is_rgb { Channels::Rgb } else { Channels::Gray };
    let variant = Variant::parse(variant).expect("known");
    variant.check(filter, model::Setting::new(channels, filter.default_border)).expect("allowed");
    let target = Target::Device { index: 0, variant, local: LocalSize::Explicit(local), host_memory: HostMemory::Copy };
    let picture = PictureRef::generated(size, channels);
    Task { spec: filter.spec(channels, filter.default_border), picture, target, text: KernelText::Composed }
}

struct Case {
    rule: &'static str,
    filter: &'static str,
    /// Before and after, with their local sizes.
    variants: [(&'static str, [usize; 2]); 2],
    is_true: Cost,
    is_false: Cost,
    launch_ns: [f64; 2],
    size: (usize, usize),
}

const fn case(rule: &'static str, filter: &'static str, before: &'static str, after: &'static str, is_true: Cost, is_false: Cost) -> Case {
    Case { rule, filter, variants: [(before, [16, 4]), (after, [16, 4])], is_true, is_false, launch_ns: [0.0; 2], size: (640, 480) }
}

/// One row for each kind of experiment.
#[allow(clippy::too_many_lines, reason = "a table")]
fn cases() -> Vec<Case> {
    let of_vectors: Cost = |work| if work.vector { REST } else { 3.0 };
    vec![
        case("fewer-loads", "laplace", "coalesced+padded", "coalesced+padded+vectorize=5", |work| REST + work.loads, of_vectors),
        case(
            "served-by-the-cache",
            "laplace",
            "coalesced+padded",
            "coalesced+padded+vectorize=5",
            |_| REST,
            |work| {
                // What the loads save, the vectors cost.
                work.loads + if work.vector { 27.0 - 1.8 } else { 0.0 }
            },
        ),
        case(
            "fewer-operations",
            "gaussian",
            "coalesced+padded",
            "coalesced+separable",
            |work| REST + work.operations,
            |work| REST + if work.halo { 3.0 } else { 0.0 },
        ),
        // 60 instructions per pixel before, 20 after.
        case(
            "fewer-instructions-per-pixel",
            "laplace",
            "coalesced+padded",
            "coalesced+padded+vectorize=5",
            |work| REST + 0.1 * (if work.vector { 20.0 } else { 60.0 } + work.added),
            of_vectors,
        ),
        case(
            "lanes-read-side-by-side",
            "laplace",
            "naive",
            "coalesced",
            |work| 27.0 + work.loads + 4.0 * work.far_loads,
            |work| {
                // Neither its loads nor its stores.
                200.0 * REST + if work.far_mapping { 100.0 } else { 0.0 } + work.loads
            },
        ),
        // The stores alone are what costs.
        case(
            "lanes-read-side-by-side",
            "add",
            "float",
            "coalesced+float",
            |work| REST + 4.0 * work.far_stores,
            |work| if work.far_mapping { 5.0 } else { REST },
        ),
        case(
            "lanes-read-side-by-side",
            "laplace",
            "padded",
            "coalesced+padded+vectorize=5",
            |work| REST + if work.far_loads > 0.0 { 9.0 } else { 0.0 },
            of_vectors,
        ),
        case(
            "wider-accesses",
            "laplace",
            "coalesced+padded",
            "coalesced+padded+vectorize=5",
            |work| {
                // As many accesses as pieces.
                if work.vector { REST + 0.5 * work.pieces } else { REST + 8.0 }
            },
            of_vectors,
        ),
        // A quarter of it is in the loads, and the rest in the stores.
        case(
            "wider-accesses",
            "add",
            "coalesced+float",
            "coalesced+padded+float+access=uchar4",
            |work| {
                if work.vector { REST + 0.25 * work.pieces + 0.75 * work.store_pieces } else { REST + 4.0 }
            },
            of_vectors,
        ),
        case("arithmetic-is-full", "laplace", "coalesced", "coalesced+padded", |work| 30.0 + work.added, |_| REST),
        case("neither-is-full", "laplace", "coalesced", "coalesced+padded", |_| REST, |work| REST + work.added_bytes),
        case("neither-is-full", "laplace", "coalesced", "coalesced+padded", |work| 90.0 + 0.2 * work.added, |work| 30.0 + work.added),
        case(
            "fma-was-joined",
            "bilateral",
            "coalesced",
            "coalesced+float=fma",
            |work| REST + if work.uncontracted { 1.0 } else { 0.0 },
            |_| REST,
        ),
        case(
            "packed-into-vectors",
            "laplace",
            "coalesced+padded",
            "coalesced+padded+vectorize=5",
            |work| {
                // The width of arithmetic alone.
                REST + 0.25 * work.added_singly + if work.vector { 0.03 } else { 0.25 } * work.operations
            },
            of_vectors,
        ),
        case(
            "packing-lost",
            "laplace",
            "coalesced+padded+vectorize=5",
            "coalesced+padded",
            |work| REST + 0.25 * work.added_singly + if work.vector { 0.03 } else { 0.25 } * work.operations,
            of_vectors,
        ),
        case(
            "packing-lost",
            "laplace",
            "coalesced",
            "coalesced+padded",
            |work| if work.halo || work.apart { 3.0 } else { REST },
            |work| if work.halo { 3.0 } else { REST },
        ),
        case(
            "compiler-now-vectorizes",
            "laplace",
            "coalesced",
            "coalesced+padded",
            |work| if work.halo && !work.apart { REST } else { 3.0 },
            |work| if work.halo { REST } else { 3.0 },
        ),
        case(
            "packed-already",
            "laplace",
            "coalesced+padded",
            "coalesced+padded+vectorize=5",
            |work| if work.apart { 3.0 } else { REST },
            |_| REST,
        ),
        case(
            "widened-lanes",
            "laplace",
            "coalesced+padded+vectorize=5",
            "coalesced+padded+vectorize=5+short16",
            |work| REST + 0.1 * (work.sums[0] + work.sums[1]),
            |work| REST + 0.05 * work.sums[0] + 0.1 * work.sums[1],
        ),
        case(
            "fewer-work-items-fewer-starts",
            "laplace",
            "coalesced+padded",
            "coalesced+padded+vectorize=5",
            |work| REST + 3.0 * (if work.vector { 0.2 } else { 1.0 } + work.idle_items),
            of_vectors,
        ),
        case(
            "bank-conflicts",
            "laplace",
            "coalesced",
            "coalesced+local",
            |work| REST + if work.fills && !work.skewed { 2.0 } else { 0.0 },
            |work| REST + if work.fills { 2.0 } else { 0.0 },
        ),
        case(
            "local-is-ordinary",
            "laplace",
            "coalesced",
            "coalesced+local",
            |work| REST + if work.fills { 2.0 } else { 0.0 },
            |work| REST + if work.loads < 27.0 { 2.0 } else { 0.0 },
        ),
        case(
            "barrier-cuts-the-loop",
            "laplace",
            "coalesced",
            "coalesced+local",
            |work| REST + if work.meets { 2.0 } else { 0.0 },
            |work| REST + if work.fills { 2.0 } else { 0.0 },
        ),
        case(
            "sampler-is-a-function",
            "sobel",
            "coalesced",
            "coalesced+image",
            |work| REST + if work.image { 2.0 } else { 0.0 },
            |work| REST + if work.image_text { 2.0 } else { 0.0 },
        ),
        case(
            "division-gone",
            "laplace",
            "coalesced",
            "coalesced+padded",
            |work| REST + if work.tests { 2.0 } else { 0.0 },
            |work| REST + if work.halo { 0.0 } else { 2.0 },
        ),
        case(
            "more-registers",
            "laplace",
            "coalesced",
            "coalesced+padded+vectorize=5",
            |work| REST + if work.vector && !work.capped { 2.0 } else { 0.0 },
            |work| REST + if work.vector { 2.0 } else { 0.0 },
        ),
        Case {
            size: (2048, 2048),
            ..case(
                "memory-is-full",
                "laplace",
                "coalesced",
                "coalesced+padded+vectorize=5",
                |work| {
                    // Beyond the cache all take as long as memory does.
                    if work.pixels > 2e6 { 100.0 } else { REST + work.loads }
                },
                |_| REST,
            )
        },
        case(
            "branches-were-selections",
            "epsilon",
            "coalesced",
            "coalesced+padded",
            |_| REST,
            |work| REST + if work.flat && work.halo { 1.0 } else { 0.0 },
        ),
        Case {
            launch_ns: [3e6, 0.0],
            ..case(
                "launch-costs-more",
                "laplace",
                "coalesced",
                "coalesced+padded+vectorize=5",
                |work| if work.vector { 3.0 } else { 5.0 },
                of_vectors,
            )
        },
        Case {
            launch_ns: [0.0, 0.0],
            ..case(
                "too-few-work-items",
                "laplace",
                "coalesced",
                "coalesced+padded+vectorize=5",
                |work| REST + if work.vector && work.pixels < 1e6 { 2.0 } else { 0.0 },
                |work| REST + if work.vector { 2.0 } else { 0.0 },
            )
        },
        Case {
            variants: [("coalesced", [1, 4]), ("coalesced+padded", [16, 4])],
            ..case(
                "group-fills-sub-group",
                "laplace",
                "",
                "",
                |work| REST + 32.0 / work.group_items,
                |work| if work.halo { REST } else { 3.0 },
            )
        },
    ]
}

fn tested(case: &Case, cost: Cost, launch_ns: f64) -> Conclusion {
    let [before, after] = case.variants.map(|(variant, local)| task(case.filter, variant, local, case.size));
    let after = Task { picture: before.picture.clone(), ..after };
    let mut backend = MadeUp { cost, launch_ns };
    let mut prober = Prober::new(Budget::default());
    let compared = prober.compare(&before, &after, &mut backend, &()).expect("not cancelled").expect("compared");
    let device = DeviceInfo::example();
    let locals = case.variants.map(|(_, local)| Some(local));
    let pair = Pair { device: &device, tasks: [&before, &after], locals, compared: &compared };
    let mut facts = Facts::default();
    facts.set("before.instructions_per_pixel", 60.0);
    facts.set("after.instructions_per_pixel", 20.0);
    let mut experiment = Experiment::new(case.rule, &facts, &pair).unwrap_or_else(|why| panic!("{}: {why}", case.rule));
    let mut findings = Vec::new();
    while let Some(probe) = experiment.next(&findings) {
        findings.push(prober.take(probe, &mut backend, &()).expect("not cancelled"));
        assert!(findings.len() <= experiment.total(), "{}: it does not end", case.rule);
    }
    let tested = experiment.judged(&findings);
    println!("{}: {tested:#?}", case.rule);
    tested.conclusion
}

#[test]
fn experiments_tell_devices_apart_on_which_an_explanation_is_true_and_false() {
    for case in cases() {
        assert_eq!(tested(&case, case.is_true, case.launch_ns[0]), Conclusion::Confirmed, "{} where it is true", case.rule);
        assert_eq!(tested(&case, case.is_false, case.launch_ns[1]), Conclusion::Refuted, "{} where it is false", case.rule);
    }
}

#[test]
fn where_adding_itself_costs_the_difference_nothing_is_said() {
    let case = case("fewer-loads", "laplace", "coalesced+padded", "coalesced+padded+vectorize=5", |_| 0.0, |_| 0.0);
    // A device that charges more for what is added than for the kernel's own loads.
    let cost: Cost = |work| if work.vector { REST + 3.0 * (work.loads - 1.8) } else { 3.0 };
    assert_eq!(tested(&case, cost, 0.0), Conclusion::Unclear(Doubt::TooMuch));
}

#[test]
fn where_adding_changes_the_kernel_by_itself_or_takes_no_time_nothing_is_said() {
    // All that adding takes, without anything added, costs half of the time.
    let case = case("arithmetic-is-full", "laplace", "coalesced", "coalesced+padded", |_| 0.0, |_| 0.0);
    assert_eq!(tested(&case, |work| if work.is_added_to { 3.0 } else { 2.0 }, 0.0), Conclusion::Unclear(Doubt::Frame));
    // Sums that cost nothing tell nothing of how wide they are.
    let of = "coalesced+padded+vectorize=5";
    let case = Case {
        variants: [(of, [16, 4]), ("coalesced+padded+vectorize=5+short16", [16, 4])],
        ..self::case("widened-lanes", "laplace", "", "", |_| 0.0, |_| 0.0)
    };
    assert_eq!(tested(&case, |_| REST, 0.0), Conclusion::Unclear(Doubt::Hidden));
}

#[test]
fn reasons_are_tested_until_one_is_confirmed_and_that_one_is_said() {
    let [before, after] = ["coalesced+padded", "coalesced+padded+vectorize=5"].map(|variant| task("laplace", variant, [16, 4], (640, 480)));
    let after = Task { picture: before.picture.clone(), ..after };
    // Loads cost all of the difference; 40 instructions would cost a third of it, which decides nothing.
    let mut backend = MadeUp { cost: |work| 10.0 + work.loads + 0.22 * work.added, launch_ns: 0.0 };
    let mut prober = Prober::new(Budget::default());
    let compared = prober.compare(&before, &after, &mut backend, &()).expect("not cancelled").expect("compared");
    let device = DeviceInfo::example();
    let pair = Pair { device: &device, tasks: [&before, &after], locals: [Some([16, 4]); 2], compared: &compared };
    let mut facts = Facts::default();
    let known = [
        ("gpu", 1.0),
        ("least_speed_up", 2.0),
        ("before.loads", 27.0),
        ("after.loads", 1.8),
        ("before.instructions_per_pixel", 60.0),
        ("after.instructions_per_pixel", 20.0),
    ];
    for (name, value) in known {
        facts.set(name, value);
    }
    let tested = test_reasons(why::candidates(why::Seen::Faster, &facts), &pair, &mut prober, &mut backend, &()).expect("not cancelled");
    let concluded: Vec<_> =
        tested.iter().map(|one| (one.reason.rule.as_str(), one.tested.as_ref().ok().map(|tested| tested.conclusion))).collect();
    let expected =
        [("fewer-instructions-per-pixel", Some(Conclusion::Unclear(Doubt::Between))), ("fewer-loads", Some(Conclusion::Confirmed))];
    assert_eq!((concluded.as_slice(), super::Proof::of(&tested)), (expected.as_slice(), super::Proof::Experiment));
    assert_eq!(super::testing::left(&tested).map(|one| one.reason.rule.as_str()), Some("fewer-loads"));
    let brief = super::telling::brief(&tested);
    assert!(brief[0].starts_with("Confirmed here by an experiment: There are fewer loads"), "{brief:?}");
    assert!(!brief.iter().any(|line| line.starts_with("If ")), "{brief:?}");
}

#[test]
fn why_there_is_no_experiment_is_told_of_the_most_direct_one() {
    let [before, after] = ["coalesced", "coalesced+padded"].map(|variant| task("laplace", variant, [16, 4], (64, 48)));
    let compared = crate::testing::compared_as(Comparison { ratio: 2.0, low: 1.9, high: 2.1, verdict: Verdict::Faster, starts: 1 });
    let device = DeviceInfo::example();
    let pair = Pair { device: &device, tasks: [&before, &after], locals: [None; 2], compared: &compared };
    let why = Experiment::new("shorter-code", &Facts::default(), &pair).expect_err("neither instructions nor operations are fewer");
    assert!(why.to_string().starts_with("the instructions per pixel"), "{why}");
}

#[test]
fn what_is_inconclusive_is_not_called_the_same_code() {
    let [before, after] = ["coalesced", "coalesced+padded"].map(|variant| task("laplace", variant, [16, 4], (64, 48)));
    let comparison = Comparison { ratio: 1.0, low: 0.8, high: 1.3, verdict: Verdict::Unclear, starts: 1 };
    let compared = crate::testing::compared_as(comparison);
    let device = DeviceInfo::example();
    let pair = Pair { device: &device, tasks: [&before, &after], locals: [None; 2], compared: &compared };
    let mut facts = Facts::default();
    facts.set("interval_width", 0.6);
    facts.set("pairs", 40.0);
    let reasons = why::candidates(why::Seen::Unclear, &facts);
    let mut backend = MadeUp { cost: |_| REST, launch_ns: 0.0 };
    let tested = test_reasons(reasons, &pair, &mut Prober::new(Budget::default()), &mut backend, &()).expect("not cancelled");
    let whys: Vec<_> = tested.iter().map(|one| one.tested.as_ref().map(|_| ()).map_err(ToString::to_string)).collect();
    assert_eq!(whys, [Err("the comparison itself is unclear".to_owned())]);
}
