//! Made-up devices on which an explanation is true, and others on which it is false: experiments tell them apart.

use super::{Conclusion, Doubt, Experiment, Pair};
use crate::device::{DeviceInfo, NoDevice};
use crate::engine::{Backend, Build, Compared, Executed, KernelText, PictureRef, Proof, Target, Task, Verified};
use crate::error::{Error, Result};
use crate::filters;
use crate::measure::{self, Places, Progress};
use crate::model::{AddedKind, Budget, Channels, HostMemory, LocalSize, Moved, Record, StageId, TilePart, Variant, Verification, Whose};
use crate::study::{Prober, Study as _};
use crate::why::Facts;

/// What a made-up device charges for, per pixel but for the launch.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is something of its own that costs")]
struct Work {
    /// Loads, those that an experiment adds among them.
    loads: f64,
    /// Those whose work-items read far apart.
    far_loads: f64,
    /// Whether its stores are far apart.
    far_stores: bool,
    operations: f64,
    /// Pieces that vectors are loaded in, where they are: 1 where not.
    pieces: f64,
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
            far_stores: own_far,
            operations: counts.operations,
            pieces: 1.0,
            fills: variant.is_on(StageId::Local),
            meets: variant.is_on(StageId::Local),
            image: variant.is_on(StageId::Image),
            image_text: variant.is_on(StageId::Image),
            tests: !variant.is_on(StageId::Padded),
            halo: variant.is_on(StageId::Padded),
            capped: false,
            vector: variant.is_on(StageId::Vectorize),
            group_items: if let LocalSize::Explicit([x, y]) = local { (x * y) as f64 } else { 64.0 },
            pixels: {
                let (width, height) = task.picture.size();
                (width * height) as f64
            },
            flat: task.picture.picture.bytes().windows(2).all(|pair| pair[0] == pair[1]),
        };
        if let Some(added) = task.text.added() {
            assert_eq!(added.kind, AddedKind::Integer);
            work.operations += f64::from(added.per_pixel);
        }
        match moved {
            Some(Moved::Loads { of, count, places, is_done: true }) => {
                let more = f64::from(count) / owned_px;
                work.loads += more;
                work.far_loads += if is_far(&of) && places == Whose::Theirs { more } else { 0.0 };
            }
            Some(Moved::Narrow { lanes, is_done: true }) => work.pieces = owned.bytes as f64 / f64::from(lanes),
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
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        Ok(vec![DeviceInfo::example()])
    }

    fn execute(&mut self, _task: &Task, _progress: &dyn Progress) -> Result<Executed> {
        Err(Error::failed("", "", ""))
    }

    fn verify(&mut self, _task: &Task, _executed: &Executed, _progress: &dyn Progress) -> Result<Verified> {
        Err(Error::failed("", "", ""))
    }

    fn prove(&mut self, task: &Task, _progress: &dyn Progress) -> Result<Proof> {
        let right = Verification { differing_pixels: 0, total_pixels: 1, max_difference: 0, first_differing: None, tolerance: 0 };
        Ok(Proof::of_parts(task, right, Build::default(), None).expect("right"))
    }

    fn measure(&mut self, _proof: &Proof, _budget: Budget, _progress: &dyn Progress) -> Result<Record> {
        Err(Error::failed("", "", ""))
    }

    fn refused(&mut self, _task: &Task, _why: &Error) -> Record {
        panic!("nothing is measured alone")
    }

    fn compare(&mut self, first: &Proof, second: &Proof, _budget: Budget, _progress: &dyn Progress) -> Result<Compared> {
        let [first_ns, second_ns] = [first, second].map(|proof| self.time_ns(proof.task()));
        let pair = |place| measure::Pair { first_ns, second_ns, first_place: place, second_place: place, start: 0 };
        Ok(Compared::of((0..40).map(|index| pair(index % 3)).collect(), Places::Shared, false, None))
    }
}

fn task(filter: &str, variant: &str, local: [usize; 2], size: (usize, usize)) -> Task {
    let filter = filters::by_name(filter).expect("a filter");
    let channels = if filter.channels.contains(&Channels::Rgb) { Channels::Rgb } else { Channels::Gray };
    let variant = Variant::parse(variant).expect("known");
    variant.check(filter, crate::model::Setting::new(channels, filter.default_border)).expect("allowed");
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
        case(
            "lanes-read-side-by-side",
            "laplace",
            "naive",
            "coalesced",
            |work| 27.0 + work.loads + 4.0 * work.far_loads,
            |work| {
                // The stores.
                200.0 * REST + if work.far_stores { 100.0 } else { 0.0 } + work.loads
            },
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
    let mut experiment = Experiment::new(case.rule, &Facts::default(), &pair).unwrap_or_else(|why| panic!("{}: {why}", case.rule));
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
