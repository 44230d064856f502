//! Whether the bytes of the access picture are those that kernels touch: every byte that each work-item loads or stores, of every object, is compared
//! with what a plugin of oclgrind wrote down while it interpreted the kernels, told not to optimize. The plugin knows nothing of filters or pictures;
//! which object of the simulator is which of ours is found by what is touched of it.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test may panic")]

#[path = "../../engine/tests/simulator/mod.rs"]
mod simulator;

use engine::{Backend as _, Task};
use kernels::filters;
use kernels::footprint::{self, Access, Place, Space, WorkItem};
use kernels::launch::{Between, Launch, Shape, Surface};
use simulator::{built_plugin, is_child, is_installed, is_run, under_oclgrind, variant_of};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use view::access::{Question, answer};

const LOCAL: [usize; 2] = [4, 3];

/// Odd, wider than a block of sixteen, and narrower than most masks are high.
const SIZE_PX: [usize; 2] = [19, 7];

const FILE: &str = "KERNEL_LADDER_RECORDER_FILE";

/// What is run, in this order by the child and by its parent.
fn tasks() -> Vec<Task> {
    simulator::tasks(&[SIZE_PX], LOCAL)
}

fn name_of(task: &Task) -> String {
    format!("{} {}, {:?}, {:?}", task.filter().name(), variant_of(task), task.spec.channels, task.spec.border)
}

/// A byte that a work-item touches, in 64 bits, of which there are millions: its place in the NDRange, 12 bits each, whether it loads, and the byte's
/// offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Touch(u64);

impl Touch {
    const fn new([x, y]: [u16; 2], is_load: bool, offset: u64) -> Self {
        Self((x as u64) << 52 | (y as u64) << 40 | (is_load as u64) << 39 | offset)
    }
}

impl std::fmt::Debug for Touch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(bits) = *self;
        let (x, y, is_load, offset) = (bits >> 52, bits >> 40 & 0xfff, bits >> 39 & 1 == 1, bits & ((1 << 39) - 1));
        write!(formatter, "({x}, {y}) {} {offset}", if is_load { "loads" } else { "stores" })
    }
}

/// Each byte once, in order.
#[derive(Default, PartialEq, Eq)]
struct Touches(Vec<Touch>);

impl Touches {
    fn add(&mut self, item: [u16; 2], is_load: bool, bytes: Range<u64>) {
        self.0.extend(bytes.map(|byte| Touch::new(item, is_load, byte)));
    }

    fn put_in_order(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }

    fn without(&self, other: &Self) -> Vec<Touch> {
        self.0.iter().filter(|touch| other.0.binary_search(touch).is_err()).copied().collect()
    }
}

/// Accesses of which only the size is known: the work-item, and the bytes.
type Somewhere = BTreeMap<[u16; 2], Vec<usize>>;

/// What a kernel touched, by object.
#[derive(Default)]
struct Touched {
    objects: BTreeMap<Object, Touches>,
    /// Loads of each object in order, for what is known by its sizes alone.
    loads: BTreeMap<Object, Somewhere>,
}

/// The group's tile, or the number of an object in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Object {
    Tile,
    Global(u64),
}

/// Reads what the plugin has written.
fn recorded(file: &Path) -> Vec<Touched> {
    let bytes = std::fs::read(file).expect("the plugin has written a file");
    let (mut kernels, mut of_programs) = (Vec::<Touched>::new(), BTreeSet::new());
    for record in bytes.chunks_exact(16) {
        let number = |at: usize| u16::from_ne_bytes([record[at], record[at + 1]]);
        let address = u64::from_ne_bytes(record[8..].try_into().expect("eight bytes"));
        let (object, offset) = (address >> 48, address & ((1 << 48) - 1));
        match record[0] {
            b'K' => kernels.push(Touched::default()),
            b'P' => drop(of_programs.insert(object)),
            b'H' => drop(of_programs.remove(&object)),
            what => {
                let (size, item, kernel) = (number(2), [number(4), number(6)], kernels.last_mut().expect("a kernel has begun"));
                // An array of literals is copied to private memory at once, by no instruction of the kernel's text.
                let is_literals = of_programs.contains(&object) && record[1] == 0 && !size.is_power_of_two();
                if is_literals {
                    continue;
                }
                let object = if record[1] == 1 { Object::Tile } else { Object::Global(object) };
                let bytes = offset..offset + u64::from(size);
                kernel.objects.entry(object).or_default().add(item, what == b'L', bytes);
                kernel.loads.entry(object).or_default().entry(item).or_default().push(usize::from(size));
            }
        }
    }
    kernels.iter_mut().flat_map(|kernel| kernel.objects.values_mut()).for_each(Touches::put_in_order);
    kernels
}

/// What a pass is said to touch.
fn described(task: &Task, shape: &Shape, launch: &Launch, pass: usize) -> (BTreeMap<Space, Touches>, BTreeMap<Space, Somewhere>) {
    let (mut objects, mut somewhere) = (BTreeMap::<Space, Touches>::new(), BTreeMap::<Space, Somewhere>::new());
    for item in WorkItem::all(launch.passes[pass].global, LOCAL) {
        let place = item.global().map(|index| index as u16);
        for access in footprint::accesses(task.filter().footprint, shape, launch, pass, item).expect("described") {
            match bytes_of(launch, &access) {
                Some(bytes) => {
                    let bytes = behind_guard(launch, access.space, bytes);
                    objects.entry(access.space).or_default().add(place, access.kind.is_load(), bytes);
                }
                None => somewhere.entry(access.space).or_default().entry(place).or_default().push(access.bytes()),
            }
        }
    }
    objects.values_mut().for_each(Touches::put_in_order);
    (objects, somewhere)
}

/// Kernels see the inner part of what they write to: guard bytes lie before it and behind it.
fn behind_guard(launch: &Launch, space: Space, bytes: Range<u64>) -> Range<u64> {
    let is_guarded = match space {
        Space::Destination => true,
        Space::Between(index) => matches!(launch.between[index], Between::Buffer { .. }),
        _ => false,
    };
    if is_guarded { bytes.start + GUARD_BYTES..bytes.end + GUARD_BYTES } else { bytes }
}

const GUARD_BYTES: u64 = 4096;

/// Oclgrind keeps the texels of an image object row by row, without a gap.
fn bytes_of(launch: &Launch, access: &Access) -> Option<Range<u64>> {
    let (first, count) = match access.place {
        Place::Bytes { first, count } => (first, count),
        Place::Somewhere { .. } => return None,
        Place::Texel { x, y, bytes } => {
            let width = match (access.space, &launch.source) {
                (Space::Source, Surface::Image(texels)) => texels.width,
                (Space::Between(index), _) => match launch.between[index] {
                    Between::Image { width, .. } => width,
                    Between::Buffer { .. } => panic!("a buffer has no texels"),
                },
                _ => panic!("{access:?} is in no image object"),
            };
            ((y * width + x) * bytes, bytes)
        }
    };
    Some(first as u64..(first + count) as u64)
}

fn differences(task: &Task, kernel: &str, described: &Touches, touched: &Touched) -> String {
    let none = Touches::default();
    let nearest = touched.objects.values().min_by_key(|set| described.without(set).len()).unwrap_or(&none);
    let first = |set: Vec<Touch>| format!("{} such as {:?}", set.len(), set.iter().take(4).collect::<Vec<_>>());
    format!(
        "{}, {kernel}: drawn and not touched {}; touched and not drawn {}",
        name_of(task),
        first(described.without(nearest)),
        first(nearest.without(described))
    )
}

/// Compares one pass.
fn compare(task: &Task, shape: &Shape, launch: &Launch, pass: usize, touched: &Touched, wrong: &mut Vec<String>) {
    let kernel = launch.passes[pass].kernel;
    let (objects, somewhere) = described(task, shape, launch, pass);
    let mut left: BTreeMap<Object, &Touches> = touched.objects.iter().map(|(object, set)| (*object, set)).collect();
    for (space, set) in &objects {
        // Work-items of different groups touch the same bytes of tiles that are not the same; each has its place beside it.
        let is_same = |(object, found): &(&Object, &&Touches)| (**object == Object::Tile) == (*space == Space::Tile) && **found == set;
        match left.iter().find(is_same).map(|(object, _)| *object) {
            Some(object) => drop(left.remove(&object)),
            None => wrong.push(differences(task, kernel, set, touched)),
        }
    }
    for sizes in somewhere.values() {
        match left.keys().find(|object| touched.loads.get(object) == Some(sizes)).copied() {
            Some(object) => drop(left.remove(&object)),
            None => wrong.push(format!("{}, {kernel}: loads of a table by value are not those that were made", name_of(task))),
        }
    }
    if !left.is_empty() && wrong.is_empty() {
        wrong.push(format!("{}, {kernel}: {:?} is touched and drawn nowhere", name_of(task), left.keys()));
    }
}

#[test]
fn the_bytes_of_the_picture_are_those_that_kernels_touch() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tests/simulator/recorder.cpp"));
    let Some(plugin) = built_plugin(source, folder.path()) else { return };
    let (file, plugin) = (folder.path().join("touched"), plugin.display().to_string());
    let file_name = file.display().to_string();
    let settings = [
        ("OCLGRIND_PLUGINS", plugin.as_str()),
        (FILE, file_name.as_str()),
        ("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable"),
        ("OCLGRIND_NUM_THREADS", "1"),
    ];
    let ran = under_oclgrind("child_runs_everything", &settings);
    assert_eq!(ran.log, "", "oclgrind has something to report");
    assert!(file.exists(), "the plugin has written nothing: {}", ran.printed);
    let recorded = recorded(&file);
    let (mut kernels, mut wrong) = (recorded.iter(), Vec::new());
    for task in &tasks() {
        with_shape(task, |shape, launch| {
            for pass in 0..launch.passes.len() {
                compare(task, shape, launch, pass, kernels.next().expect("the child has run as many kernels"), &mut wrong);
            }
        });
    }
    assert!(kernels.next().is_none(), "the child has run more kernels");
    assert!(wrong.is_empty(), "{} differences in {} kernels:\n{}", wrong.len(), recorded.len(), wrong.join("\n"));
    println!("{} kernels touch the bytes that are drawn", recorded.len());
}

fn with_shape(task: &Task, then: impl FnOnce(&Shape, &Launch)) {
    let variant = &variant_of(task);
    let parameters = &task.spec.parameters;
    let shape = Shape { variant, setting: task.setting(), parameters, width_px: SIZE_PX[0], height_px: SIZE_PX[1] };
    then(&shape, &(task.filter().launch)(&shape));
}

/// Corners, edges and what lies between.
const PIXELS: [[usize; 2]; 5] = [[0, 0], [18, 6], [9, 3], [0, 2], [16, 5]];

#[test]
fn every_pixel_has_a_work_item_and_its_steps_are_what_that_does() {
    for task in tasks() {
        with_shape(&task, |shape, launch| {
            let is_turned = launch.destination.width_px != shape.width_px;
            for pixel in PIXELS.map(|[x, y]| if is_turned { [y, x] } else { [x, y] }) {
                let question = Question {
                    filter: task.filter(),
                    shape: *shape,
                    pixel,
                    pass: None,
                    local: LOCAL,
                    sub_group: 8,
                    is_loop: false,
                    banks: 32,
                };
                let found = answer(&question).unwrap_or_else(|error| panic!("{}: {error}", name_of(&task)));
                let all = footprint::accesses(task.filter().footprint, shape, launch, found.pass, found.item).expect("a pass");
                assert!(found.steps.iter().map(|step| step.own).eq(all.iter().copied()), "{} {pixel:?}", name_of(&task));
                for step in &found.steps {
                    let own = step.lanes.iter().filter(|(lane, access)| *lane == found.lane && *access == step.own).count();
                    assert_eq!(own, 1, "{} {pixel:?}: each lane executes it once: {:?}", name_of(&task), step.lanes);
                    let (first, is_load) = (step.own.space, step.own.kind);
                    let is_same =
                        |(_, other): &(usize, Access)| other.space == first && other.kind == is_load && other.lanes == step.own.lanes;
                    assert!(step.lanes.iter().all(is_same), "{} {pixel:?}: {:?} with {:?}", name_of(&task), step.own, step.lanes);
                }
            }
            // Of an intermediate too.
            for pass in 0..launch.passes.len().saturating_sub(1) {
                let question = Question {
                    filter: task.filter(),
                    shape: *shape,
                    pixel: [9, 3],
                    pass: Some(pass),
                    local: LOCAL,
                    sub_group: 8,
                    is_loop: false,
                    banks: 32,
                };
                let found = answer(&question).map(|found| found.pass);
                assert!(found.as_ref().is_ok_and(|found| *found == pass) || pass > 0, "{}: pass {pass}: {found:?}", name_of(&task));
            }
        });
    }
}

#[test]
fn every_value_of_every_stage_is_drawn() {
    let tasks = tasks();
    for filter in filters::all().iter().filter(|filter| simulator::is_described(filter)) {
        for (offer, value) in filter.stages.iter().flat_map(|offer| offer.values().map(move |value| (offer, value))) {
            let occurs = |task: &Task| task.filter().name() == filter.name() && variant_of(task).value(offer.id) == value.value;
            let exists = is_run(offer.id, value.value) && filter.channels.iter().any(|channels| value.channels.contains(channels));
            assert!(!exists || tasks.iter().any(occurs), "{} {:?} {} is not run", filter.name(), offer.id, value.name);
        }
    }
}

#[test]
#[ignore = "run by its parent under oclgrind"]
fn child_runs_everything() {
    if !is_child() {
        return;
    }
    let mut engine = simulator::engine();
    for task in tasks() {
        engine.execute(&task, &()).unwrap_or_else(|error| panic!("{task:?}: {error}"));
    }
}
