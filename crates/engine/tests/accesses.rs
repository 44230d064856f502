//! Whether what filters say of their work-items' loads and stores is what their kernels do: everything that all work-items of a launch load and
//! store, summed by memory space, is compared with what oclgrind counted while it interpreted the kernels.
//!
//! It is told not to optimize, so that it executes the loads and stores that the kernel's text has, neither more nor fewer; a second run with its
//! optimizer shows what a compiler leaves of them. The pictures are small and awkward: most of their pixels are near an edge.
//!
//! Sums tell how many and how wide, but not where. So the places are followed from the source through tiles and intermediates to the output: each
//! output pixel has to be made of all the neighbors that its filter needs. That takes no device.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test may panic")]

mod simulator;

use engine::{Backend as _, Task};
use kernels::filters;
use kernels::footprint::{self, Access, Kind, Place, Space, WorkItem};
use kernels::launch::{Between, Launch, Pass, Shape, Surface};
use model::{BorderMode, StageId, Variant};
use simulator::{is_child, is_installed, is_run, under_oclgrind, variant_of};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;

const LOCAL: [usize; 2] = [4, 3];

/// Wide enough for a block and an edge, and too small for most masks.
const SIZES_PX: [[usize; 2]; 2] = [[19, 11], [6, 4]];

/// How often, and how many bytes in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Total {
    operations: u64,
    bytes: u64,
}

/// By words such as "load global".
type Totals = BTreeMap<&'static str, Total>;

/// What is run, in this order by the child and by its parent.
fn tasks() -> Vec<Task> {
    simulator::tasks(&SIZES_PX, LOCAL)
}

fn shape_of<'a>(task: &'a Task, variant: &'a Variant) -> Shape<'a> {
    let [width_px, height_px] = [task.picture.picture.width_px(), task.picture.picture.height_px()];
    Shape { variant, setting: task.setting(), parameters: &task.spec.parameters, width_px, height_px }
}

fn launch_of(task: &Task) -> Launch {
    (task.filter().launch)(&shape_of(task, &variant_of(task)))
}

/// Everything that the work-items of a task's passes do, pass by pass.
fn described(task: &Task) -> Vec<(&'static str, Vec<Access>)> {
    let variant = &variant_of(task);
    let (shape, launch) = (shape_of(task, variant), launch_of(task));
    let of_pass = |(index, pass): (usize, &Pass)| {
        let items = WorkItem::all(pass.global, LOCAL);
        let of_item = |item| footprint::accesses(task.filter().footprint, &shape, &launch, index, item).expect("described");
        (pass.kernel, items.flat_map(of_item).collect())
    };
    launch.passes.iter().enumerate().map(of_pass).collect()
}

fn totals(accesses: &[Access]) -> Totals {
    let mut totals = Totals::new();
    for access in accesses {
        let words = match (access.kind, access.space) {
            (Kind::ImageRead, _) => "read image",
            (Kind::ImageWrite, _) => "write image",
            (Kind::Load, Space::Tile) => "load local",
            (Kind::Store, Space::Tile) => "store local",
            (Kind::Load, Space::Constant) => "load constant",
            (Kind::Load, _) => "load global",
            (Kind::Store, _) => "store global",
        };
        let total = totals.entry(words).or_default();
        total.operations += 1;
        // Oclgrind does not tell the size of a texel.
        total.bytes += if matches!(access.kind, Kind::ImageRead | Kind::ImageWrite) { 0 } else { access.bytes() as u64 };
    }
    totals
}

/// What oclgrind counted for each kernel that was run, in order: `     27 - load global (27 bytes)`, `    3 - call _Z7vload16mPU3AS1Kh()`.
fn counted(printed: &str) -> Vec<(String, Totals)> {
    let mut kernels: Vec<(String, Totals)> = Vec::new();
    for line in printed.lines() {
        if let Some((_, rest)) = line.split_once("Instructions executed for kernel '") {
            kernels.push((rest.split('\'').next().unwrap_or_default().to_owned(), Totals::new()));
            continue;
        }
        let Some((count, what)) = line.split_once(" - ") else { continue };
        let (Ok(count), Some((_, totals))) = (number(count), kernels.last_mut()) else { continue };
        if let Some((words, bytes)) = memory_operation(count, what) {
            let total = totals.entry(words).or_default();
            total.operations += count;
            total.bytes += bytes;
        }
    }
    kernels
}

fn number(text: &str) -> Result<u64, std::num::ParseIntError> {
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse()
}

/// The memory space of an instruction or of a call of vloadN or vstoreN, and its bytes in all; nothing for private memory and everything else.
fn memory_operation(count: u64, what: &str) -> Option<(&'static str, u64)> {
    const SPACES: [&str; 5] = ["load global", "load local", "load constant", "store global", "store local"];
    if let Some(words) = SPACES.into_iter().find(|words| what.starts_with(words)) {
        let bytes = what.split_once('(').and_then(|(_, bytes)| number(bytes).ok())?;
        return Some((words, bytes));
    }
    let name = what.strip_prefix("call ")?;
    if name.contains("read_imageui") || name.contains("write_imageui") {
        return Some((if name.contains("read_") { "read image" } else { "write image" }, 0));
    }
    // The names are mangled: _Z7vload16mPU3AS1Kh is vload16 of `h`, bytes, in address space 1.
    let (is_load, rest) = match (name.split_once("vload"), name.split_once("vstore")) {
        (Some((_, rest)), _) => (true, rest),
        (_, Some((_, rest))) => (false, rest),
        _ => return None,
    };
    let lanes = number(&rest.chars().take_while(char::is_ascii_digit).collect::<String>()).ok()?;
    let (_, pointer) = rest.split_once("PU3AS")?;
    let lane_bytes = match pointer.trim_end_matches("()").chars().last()? {
        'h' => 1,
        't' => 2,
        'j' => 4,
        other => panic!("a vector of '{other}' is not known: {what}"),
    };
    let words = match (pointer.chars().next()?, is_load) {
        ('1', true) => "load global",
        ('1', false) => "store global",
        ('2', _) => "load constant",
        ('3', true) => "load local",
        ('3', false) => "store local",
        (other, _) => panic!("address space {other} is not known: {what}"),
    };
    Some((words, count * lanes * lane_bytes))
}

/// On a busy machine the engine doubts the times of a run and runs it again, which counts once more: then everything is run anew, so often at most.
const MOST_ATTEMPTS: usize = 3;

/// The kernels that were run, by task, with what oclgrind counted. So many are `expected`.
fn simulated(build_options: &str, expected: usize) -> Vec<(String, Totals)> {
    let mut counted = Vec::new();
    for _ in 0..MOST_ATTEMPTS {
        counted = simulated_once(build_options);
        if counted.len() == expected {
            break;
        }
    }
    assert_eq!(counted.len(), expected, "each kernel is run once");
    counted
}

fn simulated_once(build_options: &str) -> Vec<(String, Totals)> {
    // With several threads, oclgrind 21.10 died of a corrupted heap once in four runs.
    let settings = [("OCLGRIND_INST_COUNTS", "1"), ("OCLGRIND_BUILD_OPTIONS", build_options), ("OCLGRIND_NUM_THREADS", "1")];
    let ran = under_oclgrind("child_runs_everything", &settings);
    assert_eq!(ran.log, "", "oclgrind has something to report");
    counted(&ran.printed)
}

fn name_of(task: &Task) -> String {
    let picture = &task.picture.picture;
    let [width, height] = [picture.width_px(), picture.height_px()];
    format!("{} {}, {:?}, {:?}, {width} x {height}", task.filter().name(), variant_of(task), task.spec.channels, task.spec.border)
}

/// Where a definition differs: what oclgrind counts when its compiler optimizes, beside what [`model::Counts`] sums, which is
/// the text without what a work-item has just loaded. In these words a filter may differ, and nowhere else.
struct Difference {
    filter: &'static str,
    words: &'static [&'static str],
    /// Of these a compiler may make more than there are in the text: arrays become constant memory, and vectors are taken apart.
    more_compiled: &'static [&'static str],
    why: &'static str,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        filter: "laplace",
        words: &["load global", "load local"],
        more_compiled: &[],
        why: "The text takes the center again for 10 * center. Compilers merge that with the one in the row sum, but not across the steps of a loop over rows",
    },
    Difference {
        filter: "sobel",
        words: &["load global"],
        more_compiled: &[],
        why: "The naive kernel's text takes the center with its row. Both masks have a 0 there, so a compiler leaves it out",
    },
    Difference {
        filter: "epsilon",
        words: &["load global", "load local", "read image"],
        more_compiled: &[],
        why: "The center is loaded before the window and again in it; only a compiler that unrolls both loops can tell that it is the same",
    },
    Difference {
        filter: "bilateral",
        words: &["load global", "load local", "read image"],
        more_compiled: &[],
        why: "The center is loaded before the window and again in it; only a compiler that unrolls the loop can tell that it is the same",
    },
    Difference {
        filter: "box",
        words: &["load global", "store global"],
        more_compiled: &["load global", "store global"],
        why: "Four words are one vector in the text, and each is computed by itself: the simulator's compiler then loads and stores them one by one, and before \
              that a vector of nothing",
    },
    Difference { filter: "gaussian", words: &["store global"], more_compiled: &["store global"], why: "As for the box" },
    Difference {
        filter: "gaussian",
        words: &["load constant"],
        more_compiled: &["load constant"],
        why: "Weights that are literals are an array, which the compiler moves to constant memory; where they are there already, it loads that of a row \
              once for eleven taps. Constant memory is in no count",
    },
];

fn difference(filter: &str, words: &str) -> Option<&'static Difference> {
    DIFFERENCES.iter().find(|known| known.filter == filter && known.words.contains(&words))
}

/// What no line of the table is about: how both sides count.
const DEFINITIONS: &[&str] = &[
    "vloadN and vstoreN are one instruction of N lanes; oclgrind counts calls of them, with the type and the memory space in the name",
    "read_imageui and write_imageui are one instruction; oclgrind does not tell the size of a texel, so their bytes are not compared",
    "a literal array is copied to private memory by one memcpy, a call; private memory is registers, and neither side counts it",
    "a sampler is no memory",
    "half precision is not compared: oclgrind has none, and what is loaded and stored is the same",
];

/// Of one filter's kernels.
#[derive(Default)]
struct Row {
    kernels: usize,
    /// By words: kernels that differ, and their loads as counted, in the text and as compiled.
    compiled: BTreeMap<&'static str, [u64; 4]>,
}

#[test]
fn what_filters_describe_is_what_a_simulator_counts() {
    if !is_installed() {
        return;
    }
    let tasks = tasks();
    all_values_occur(&tasks);
    let expected = tasks.iter().map(|task| launch_of(task).passes.len()).sum();
    let (text, compiled) = std::thread::scope(|scope| {
        let compiled = scope.spawn(|| simulated("", expected));
        (simulated("-cl-opt-disable", expected), compiled.join().expect("both run"))
    });
    let mut kernels = text.iter().zip(&compiled);
    let (mut rows, mut wrong, mut unnoticed) = (BTreeMap::<&str, Row>::new(), Vec::new(), 0);
    for task in &tasks {
        for (kernel, mut accesses) in described(task) {
            let ((name, in_text), (_, as_compiled)) = kernels.next().expect("the children have run as many kernels");
            assert_eq!(name, kernel, "the children have run the same kernels");
            let row = rows.entry(task.filter().name()).or_default();
            row.kernels += 1;
            let described = totals(&accesses);
            if described != *in_text {
                wrong.push(format!("{}, {kernel}:\n  described {described:?}\n  counted   {in_text:?}", name_of(task)));
            }
            let counted: Vec<_> = accesses.iter().filter(|access| !access.is_repeat).copied().collect();
            compare_compiled(row, task, &totals(&counted), in_text, as_compiled, &mut wrong);
            // An error would be seen: a store that is forgotten, and one that is a load instead.
            if let Some(last) = accesses.pop() {
                let is_seen = |accesses: &[Access]| totals(accesses) != *in_text;
                unnoticed += usize::from(!is_seen(&accesses));
                accesses.push(Access { kind: if last.kind.is_load() { Kind::Store } else { Kind::Load }, ..last });
                unnoticed += usize::from(!is_seen(&accesses));
            }
        }
    }
    assert!(kernels.next().is_none(), "the children have run more kernels");
    assert!(wrong.is_empty(), "{} differences in {} kernels:\n{}", wrong.len(), text.len(), wrong.join("\n"));
    assert_eq!(unnoticed, 0, "planted errors are seen in every kernel");
    print_table(&rows);
}

/// Every value of every stage that oclgrind can run.
fn all_values_occur(tasks: &[Task]) {
    for filter in filters::all().iter().filter(|filter| simulator::is_described(filter)) {
        for (offer, value) in filter.stages.iter().flat_map(|offer| offer.values().map(move |value| (offer, value))) {
            let occurs = |task: &Task| task.filter().name() == filter.name() && variant_of(task).value(offer.id) == value.value;
            let exists = is_run(offer.id, value.value) && filter.channels.iter().any(|channels| value.channels.contains(channels));
            assert!(!exists || tasks.iter().any(occurs), "{} {:?} {} is not run", filter.name(), offer.id, value.name);
        }
    }
}

fn compare_compiled(row: &mut Row, task: &Task, counted: &Totals, in_text: &Totals, compiled: &Totals, wrong: &mut Vec<String>) {
    for words in counted.keys().chain(compiled.keys()).copied().collect::<BTreeSet<_>>() {
        let [counted, text, compiled] = [counted, in_text, compiled].map(|totals| totals.get(words).copied().unwrap_or_default());
        if counted == compiled {
            continue;
        }
        let known = difference(task.filter().name(), words);
        let may_be_more = known.is_some_and(|known| known.more_compiled.contains(&words));
        if known.is_none() || (!may_be_more && compiled.operations > text.operations) {
            wrong.push(format!("{}, compiled: {words} {counted:?}, but {compiled:?}", name_of(task)));
        }
        let sums = row.compiled.entry(words).or_default();
        for (sum, more) in sums.iter_mut().zip([1, counted.operations, text.operations, compiled.operations]) {
            *sum += more;
        }
    }
}

fn print_table(rows: &BTreeMap<&str, Row>) {
    let mut table = String::from("kernels whose loads and stores are what is described, and where a definition differs:\n");
    for (filter, row) in rows {
        let _ = writeln!(
            table,
            "  {filter}: all {}; an optimizing compiler differs in {}",
            row.kernels,
            if row.compiled.is_empty() { "none" } else { "these" }
        );
        for (words, [kernels, counted, text, compiled]) in &row.compiled {
            let why = difference(filter, words).map_or("", |known| known.why);
            let _ =
                writeln!(table, "    {words}, {kernels} kernels: {counted} in the counts, {text} in the text, {compiled} compiled. {why}");
        }
    }
    for definition in DEFINITIONS {
        let _ = writeln!(table, "  {definition}");
    }
    // Past the test harness, which keeps what a passing test prints to itself.
    write!(std::io::stderr(), "{table}").expect("stderr is open");
}

/// A set of the picture's pixels, of which there are no more than bits.
type Pixels = [u64; 4];

fn union(left: Pixels, right: Pixels) -> Pixels {
    std::array::from_fn(|word| left[word] | right[word])
}

fn has_all(pixels: Pixels, wanted: Pixels) -> bool {
    pixels.iter().zip(wanted).all(|(have, want)| have & want == want)
}

/// Which pixels of the picture reach which bytes and texels, as passes run.
struct Flow<'a> {
    shape: &'a Shape<'a>,
    launch: &'a Launch,
    /// By memory object, and byte or texel in it.
    holds: BTreeMap<(Space, usize), Pixels>,
}

impl Flow<'_> {
    /// The set of that one pixel, or of what stands for it beyond the edges.
    fn pixel(&self, x: isize, y: isize) -> Pixels {
        let Shape { width_px, height_px, .. } = *self.shape;
        let border = self.shape.setting.border;
        let index = border.source_index(y, height_px) * width_px + border.source_index(x, width_px);
        std::array::from_fn(|word| if index / 64 == word { 1 << (index % 64) } else { 0 })
    }

    /// What lies around the source's pixels, halo included, at that offset; nothing where it is slack.
    fn source(&self, row: isize, byte: isize) -> Pixels {
        let layout = self.launch.source.layout();
        let (pixel, halo) = (layout.pixel_bytes.cast_signed(), layout.halo_px.cast_signed());
        let (x, y) = (byte.div_euclid(pixel), row);
        let is_there = |place: isize, length: usize| (-halo..length.cast_signed() + halo).contains(&place);
        let inside = is_there(x, layout.width_px) && is_there(y, layout.height_px);
        if inside { self.pixel(x, y) } else { Pixels::default() }
    }

    /// The pixels that a load brings.
    fn loaded(&self, access: &Access) -> Pixels {
        let layout = self.launch.source.layout();
        let pitch = layout.pitch_bytes;
        let bytes = match (access.space, access.place) {
            (Space::Source, Place::Bytes { first, count }) => first..first + count,
            (Space::Source, Place::Texel { x, y, bytes }) => y * pitch + x * bytes..y * pitch + (x + 1) * bytes,
            (space, _) => {
                let held = units(self.launch, access).filter_map(|unit| self.holds.get(&(space, unit)));
                return held.fold(Pixels::default(), |all, pixels| union(all, *pixels));
            }
        };
        let (origin_row, origin_byte) = ((layout.origin_bytes / pitch).cast_signed(), (layout.origin_bytes % pitch).cast_signed());
        let place = |byte: usize| ((byte / pitch).cast_signed() - origin_row, (byte % pitch).cast_signed() - origin_byte);
        bytes.map(place).fold(Pixels::default(), |all, (row, byte)| union(all, self.source(row, byte)))
    }

    /// One work-group of a pass. What fills a tile is loaded just before it is stored; all else that a work-item stores depends on what it loads.
    fn run_group(&mut self, items: &[Vec<Access>]) {
        self.holds.retain(|(space, _), _| *space != Space::Tile);
        for accesses in items {
            for (before, store) in accesses.iter().zip(accesses.iter().skip(1)).filter(|(_, store)| is_store_to_tile(store)) {
                let pixels = self.loaded(before);
                self.hold(store, pixels);
            }
        }
        let has_tile = items.iter().flatten().any(|access| access.space == Space::Tile);
        for accesses in items {
            let counts = |access: &&Access| access.kind.is_load() && (access.space == Space::Tile || !has_tile);
            let pixels = accesses.iter().filter(counts).fold(Pixels::default(), |all, access| union(all, self.loaded(access)));
            for store in accesses.iter().filter(|access| !access.kind.is_load() && access.space != Space::Tile) {
                self.hold(store, pixels);
            }
        }
    }

    fn hold(&mut self, store: &Access, pixels: Pixels) {
        for unit in units(self.launch, store) {
            self.holds.insert((store.space, unit), pixels);
        }
    }
}

fn is_store_to_tile(access: &Access) -> bool {
    access.space == Space::Tile && !access.kind.is_load()
}

/// The bytes, or the texel's number.
fn units(launch: &Launch, access: &Access) -> std::ops::Range<usize> {
    match (access.place, access.space) {
        (Place::Bytes { first, count }, _) => first..first + count,
        (Place::Texel { x, y, .. }, Space::Between(index)) => {
            let Between::Image { width, .. } = launch.between[index] else { panic!("texels are in image objects") };
            y * width + x..y * width + x + 1
        }
        _ => 0..0,
    }
}

/// The neighbors that an output pixel is made of: how far they are before and behind it, and whether those in the corners are left out.
fn window(task: &Task) -> (isize, isize, bool) {
    let radius = || task.spec.parameters.0.get("radius").map_or(0, |radius| *radius as isize);
    match task.filter().name() {
        "laplace" | "sobel" | "median" | "dilate" => (1, 1, false),
        "gaussian" => (5, 5, false),
        "epsilon" => (4, 4, false),
        "median-wide" => (radius(), radius(), false),
        "box" => (radius() - 1, radius(), false),
        "bilateral" => (radius(), radius(), true),
        "copy" | "add" | "luma" | "rotate" => (0, 0, false),
        other => panic!("which neighbors does {other} need?"),
    }
}

#[test]
fn every_access_is_inside_its_object_and_every_output_pixel_is_made_of_its_neighbors() {
    for task in tasks() {
        let variant = &variant_of(&task);
        // What is loaded before a store is taken for what it holds: not so of blocks that are turned in registers on their way to a tile. Their bytes are held to a simulator's.
        if task.filter().name() == "rotate" && variant.is_on(StageId::Local) && variant.is_on(StageId::Rows) {
            continue;
        }
        let parameters = &task.spec.parameters;
        let [width_px, height_px] = [task.picture.picture.width_px(), task.picture.picture.height_px()];
        let shape = Shape { variant, setting: task.setting(), parameters, width_px, height_px };
        let launch = (task.filter().launch)(&shape);
        let mut flow = Flow { shape: &shape, launch: &launch, holds: BTreeMap::new() };
        for (index, pass) in launch.passes.iter().enumerate() {
            let of_item = |item| footprint::accesses(task.filter().footprint, &shape, &launch, index, item).expect("there is such a pass");
            let items: Vec<_> = WorkItem::all(pass.global, LOCAL).map(of_item).collect();
            for access in items.iter().flatten() {
                assert!(is_inside(&shape, &launch, pass, access), "{}, {}: {access:?}", name_of(&task), pass.kernel);
            }
            items.chunks(LOCAL[0] * LOCAL[1]).for_each(|group| flow.run_group(group));
        }
        let (before, behind, is_round) = window(&task);
        let layout = &launch.destination;
        let [width, height] = [layout.width_px, layout.height_px].map(usize::cast_signed);
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            // A clockwise turn brings the left column to the top, from below.
            let is_turned = task.filter().name() == "rotate";
            let [from_x, from_y] = if is_turned { [y, width - 1 - x] } else { [x, y] };
            let leaves = |place: isize, length: isize| place < before || place + behind >= length;
            let keeps_source = task.spec.border == BorderMode::Copy && (leaves(x, width) || leaves(y, height));
            let reach = if keeps_source { 0..=0 } else { -before..=behind };
            let places = reach.clone().flat_map(|dy| reach.clone().map(move |dx| (dx, dy)));
            let places = places.filter(|(dx, dy)| !is_round || dx * dx + dy * dy <= behind * behind);
            let wanted = places.fold(Pixels::default(), |all, (dx, dy)| union(all, flow.pixel(from_x + dx, from_y + dy)));
            for channel in 0..layout.channels.count() {
                let byte = y.cast_unsigned() * layout.pitch_bytes + x.cast_unsigned() * layout.channels.count() + channel;
                let made_of = flow.holds.get(&(Space::Destination, byte)).copied();
                assert!(made_of.is_some_and(|made_of| has_all(made_of, wanted)), "{}: pixel ({x}, {y})", name_of(&task));
            }
        }
    }
}

fn is_inside(shape: &Shape, launch: &Launch, pass: &Pass, access: &Access) -> bool {
    let table_bytes = |index: usize| launch.tables.get(index).map(|table| table.bytes(shape).len());
    match (access.place, access.space) {
        (Place::Somewhere { bytes }, Space::Table(index)) => table_bytes(index).is_some_and(|all| bytes <= all),
        (Place::Texel { x, y, bytes }, Space::Source) => {
            let Surface::Image(texels) = &launch.source else { return false };
            x < texels.width && y < texels.height && bytes == texels.format.bytes()
        }
        (Place::Texel { x, y, bytes }, Space::Between(index)) => match launch.between[index] {
            Between::Image { width, height, format } => x < width && y < height && bytes == format.bytes(),
            Between::Buffer { .. } => false,
        },
        (Place::Somewhere { .. } | Place::Texel { .. }, _) => false,
        (Place::Bytes { first, count }, space) => {
            let object_bytes = match space {
                Space::Source => launch.source.layout().total_bytes,
                Space::Between(index) => launch.between[index].total_bytes(),
                Space::Destination => launch.destination.total_bytes,
                Space::Table(index) => table_bytes(index).unwrap_or(0),
                // A table, or the Gaussian filter's eleven weights.
                Space::Constant => table_bytes(0).unwrap_or(22),
                Space::Tile => pass.local_bytes(LOCAL),
            };
            first.checked_add(count).is_some_and(|end| end <= object_bytes)
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
