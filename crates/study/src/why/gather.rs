//! Gathers facts from what the program knows: the device's answers, the launch, the source's text, what was measured.

use super::fact::Facts;
use super::known;
use engine::device::{DeviceInfo, DeviceKind, Grain, Quirk, SECTOR_BYTES};
use engine::{Compared, Target, Task};
use kernels::filters::Filter;
use kernels::kernel_source;
use kernels::launch::{Between, Launch, Shape, Surface};
use model::measure::Comparison;
use model::{Channels, CodeForm, Contender, LocalSize, Record, Space, StageId, TexelFormat, Variant, values};
use view::access::memory::{DEFAULT_BANKS, Segments};
use view::access::{self, Question};

/// Which of the two variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one that is compared with.
    Before,
    /// The one that is explained.
    After,
}

impl Side {
    /// The full name of a fact of this side.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// Two tasks of which the second is explained, with what is known of them.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The device of both.
    pub device: &'a DeviceInfo,
    /// The one that is compared with, and the one that is explained.
    pub tasks: [&'a Task; 2],
    /// Their newest readings, where they were measured.
    pub records: [Option<&'a Record>; 2],
    /// How they compared, interleaved.
    pub compared: Option<&'a Compared>,
}

impl Facts {
    /// All that is known of two tasks.
    #[must_use]
    pub fn of_pair(pair: &Pair) -> Self {
        let mut facts = Self::default();
        facts.add_device(pair.device);
        facts.add_pair(pair.tasks, pair.records, pair.compared);
        facts
    }

    /// What is known of two tasks, behind what their device says of itself: with that, segments are counted for its sub-groups.
    pub fn add_pair(&mut self, tasks: [&Task; 2], records: [Option<&Record>; 2], compared: Option<&Compared>) {
        // For some devices the compiler chooses, for each kernel: then its code tells.
        if self.get("sub_group").is_none() {
            self.set("sub_group", compiled_sub_group(records).map(f64::from));
        }
        for (side, task, record) in
            tasks.into_iter().zip(records).zip([Side::Before, Side::After]).map(|((task, record), side)| (side, task, record))
        {
            let local_used = record.and_then(|record| match record.contender {
                Contender::Device { local_used, .. } => local_used,
                Contender::Cpu { .. } => None,
            });
            self.add_task(side, task, local_used);
            if let Some(record) = record {
                self.add_record(side, record);
            }
        }
        self.add_switches(tasks);
        if let Some(compared) = compared {
            self.add_compared(compared);
        }
    }

    /// What interleaved runs of two say, and whether their code is the same.
    pub fn add_compared(&mut self, compared: &Compared) {
        self.add_comparison(&compared.comparison, Some(compared.pairs.len()));
        self.set_flag("busy", compared.busy);
        if let Some(code) = &compared.code {
            self.add_code_comparison(code);
        }
    }

    /// What the device says of itself.
    pub fn add_device(&mut self, info: &DeviceInfo) {
        let is_cpu = info.kind == DeviceKind::Cpu;
        self.set_flag("cpu", is_cpu);
        self.set_flag("gpu", info.kind == DeviceKind::Gpu);
        self.set_flag("pocl", Quirk::KeepsCalls.is_of(info));
        self.set_flag("intel_cpu", Quirk::PacksWorkItems.is_of(info));
        self.set_flag("dedicated_local_memory", info.local_mem_is_dedicated);
        self.set_flag("unified_memory", info.has_unified_memory);
        self.set("compute_units", f64::from(info.compute_units));
        let Grain { sub_group, segment_bytes } = info.grain();
        self.set("sub_group", sub_group.map(|width| width as f64));
        self.set("segment_size", (!is_cpu).then_some(segment_bytes as f64));
        self.set("unit_sub_groups", info.compute_capability.map(unit_sub_groups));
    }

    /// Which stages the second has and the first has not, where a rule speaks of them alone.
    fn add_switches(&mut self, tasks: [&Task; 2]) {
        let [Target::Device { variant: before, .. }, Target::Device { variant: after, .. }] = tasks.map(|task| task.target) else { return };
        self.set_flag("adds_vectors", after.value(StageId::Vectorize) > before.value(StageId::Vectorize));
        self.set_flag("adds_select", after.is_on(StageId::Select) && !before.is_on(StageId::Select));
        self.set_flag("adds_short16", after.is_on(StageId::Short16) && !before.is_on(StageId::Short16));
        let is_fma = |variant: &Variant| variant.value(StageId::Float) == values::FLOAT_FMA;
        self.set_flag("adds_fma", is_fma(&after) && !is_fma(&before));
    }

    /// How the two compare, and by how many interleaved pairs where they were run so. The verdict is for [`super::Seen`].
    pub fn add_comparison(&mut self, comparison: &Comparison, pairs: Option<usize>) {
        self.set("interval_width", (comparison.low > 0.0).then(|| comparison.high / comparison.low - 1.0));
        self.set("pairs", pairs.map(|pairs| pairs as f64));
        if comparison.low > 0.0 {
            self.set("speed_up", comparison.ratio);
            self.set("least_speed_up", comparison.low);
        }
    }

    /// What is known of a task before it runs: its launch, its counts, its text. Nothing for a CPU competitor.
    pub fn add_task(&mut self, side: Side, task: &Task, local_used: Option<[usize; 2]>) {
        let sub_group = self.get("sub_group").map(|width| width as usize);
        let grain = Grain { sub_group, segment_bytes: self.segment_size() };
        self.take_side(&known::facts(task, local_used, grain), Side::After.prefix(), side.prefix());
    }

    /// The same, worked out, of the variant that is explained.
    pub(super) fn worked_out(task: &Task, local_used: Option<[usize; 2]>, grain: Grain) -> Self {
        let mut facts = Self::default();
        facts.set("sub_group", grain.sub_group.map(|width| width as f64));
        facts.set("segment_size", grain.segment_bytes as f64);
        facts.work_out(task, local_used);
        facts
    }

    fn work_out(&mut self, task: &Task, local_used: Option<[usize; 2]>) {
        let side = Side::After;
        let Target::Device { variant, local, .. } = task.target else { return };
        let (filter, setting, parameters) = (task.filter(), task.setting(), &task.spec.parameters);
        let Ok(parameters) = filter.complete(parameters) else { return };
        let Ok(text) = kernel_source::compose(filter, &variant, setting, &parameters) else { return };
        let (width_px, height_px) = task.picture.size();
        let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px, height_px };
        let launch = (filter.launch)(&shape);
        let local = match local {
            LocalSize::Explicit(sides) => local_used.or(Some(sides)),
            LocalSize::Driver => local_used,
        };
        let mut set = |name: &str, value: Option<f64>| self.set(&format!("{}.{name}", side.prefix()), value);
        if let Some(counts) = filter.counts(&shape, local.unwrap_or([1, 1])) {
            set("loads", Some(counts.loads));
            set("loaded_bytes", Some(counts.loaded_bytes));
            set("stores", Some(counts.stores));
            set("operations", Some(counts.operations));
            set("bytes_per_load", Some(counts.loaded_bytes / counts.loads));
        }
        let output = filter.output_channels.unwrap_or(setting.channels);
        set("source_over_output", Some(setting.channels.count() as f64 / output.count() as f64));
        set("passes", Some(launch.passes.len() as f64));
        set("barriers", Some(calls(&text, "barrier") as f64));
        set("byte_vectors", Some(f64::from(u8::from(text.contains("vload")))));
        set("local_bytes", Some(launch.local_bytes(local.unwrap_or([1, 1])) as f64));
        let has_images =
            matches!(launch.source, Surface::Image(_)) || launch.between.iter().any(|between| matches!(between, Between::Image { .. }));
        set("image_objects", Some(f64::from(u8::from(has_images))));
        set("pixels_per_texel", has_images.then(|| pixels_per_texel(&launch)));
        set("driver_chose", Some(f64::from(u8::from(local.is_none()))));
        let (asked, started) = work_items(&launch, local);
        set("work_items", Some(started));
        set("idle_share", Some(1.0 - asked / started));
        set("used_share", Some(asked / started));
        // What a driver could choose along dimension 0.
        let first = launch.passes.first().map(|pass| pass.global[0]);
        let divides = |size: &usize| first.is_some_and(|first| first.is_multiple_of(*size));
        set("best_divisor", (1..=MOST_ALONG_FIRST).rev().find(divides).map(|size| size as f64));
        set("group_items", local.map(|[first, second]| (first * second) as f64));
        set("groups", local.map(|[first, second]| started / (first * second) as f64));
        set("pixels_per_item", Some((shape.pixels_per_item() * shape.rows_per_item()) as f64));
        if let Some((sub_group, [first, second])) = self.get("sub_group").zip(local) {
            let items = (first * second) as f64;
            self.set(&format!("{}.lane_share", side.prefix()), items / (sub_group * (items / sub_group).ceil()));
        }
        if let Some(sub_group) = self.get("sub_group") {
            self.add_requests(side, filter, &shape, local, sub_group as usize);
        }
    }

    /// What the loads of a sub-group in the middle of the picture touch. Of a work-item that walks along a row or column, which does too much, nothing.
    fn add_requests(&mut self, side: Side, filter: &'static Filter, shape: &Shape, local: Option<[usize; 2]>, sub_group: usize) {
        if shape.is_on(StageId::Walk) || shape.is_on(StageId::Running) {
            return;
        }
        let pixel = [shape.width_px / 2, shape.height_px / 2];
        // Where the driver chose, it filled dimension 0 first, as known drivers do.
        let local = local.unwrap_or([sub_group, 1]);
        let Ok(answer) =
            access::answer(&Question { filter, shape: *shape, pixel, pass: None, local, sub_group, is_loop: false, banks: DEFAULT_BANKS })
        else {
            return;
        };
        let loads = || answer.steps.iter().filter(|step| step.own.kind.is_load());
        let segment_size = self.segment_size();
        let of_size = |sizes: &[Segments]| sizes.iter().find(|own| own.size_bytes == segment_size).copied();
        let widest = loads().filter_map(|step| of_size(step.segments.as_ref()?)).max_by_key(|sizes| sizes.touched);
        let mut set = |name: &str, value: Option<f64>| self.set(&format!("{}.{name}", side.prefix()), value);
        let count = |value: usize| value as f64;
        set("segments", widest.map(|sizes| count(sizes.touched)));
        set("least_segments", widest.map(|sizes| count(sizes.ideal)));
        set("segment_excess", widest.map(|sizes| count(sizes.touched) / count(sizes.ideal)));
        set("segment_bytes", answer.totals.fetched(segment_size).map(|size| size.cold));
        set(
            "bank_degree",
            answer.steps.iter().filter_map(|step| step.banks.as_ref()).map(|banks| count(banks.degree)).max_by(f64::total_cmp),
        );
    }

    /// What was measured.
    pub fn add_record(&mut self, side: Side, record: &Record) {
        let Some(measured) = record.measured() else { return };
        self.add_code(side, &measured.compiled);
        if let [kernel] = measured.compiled.as_slice()
            && kernel.form == CodeForm::Ptx
            && kernel.innermost_loop.is_none()
            && let Some(whole) = &kernel.whole
            && let Some(pixels) = self.get(&format!("{}.pixels_per_item", side.prefix()))
        {
            // Straight-line code of one work-item, its edges included: each instruction stands once.
            self.set(&format!("{}.instructions_per_pixel", side.prefix()), f64::from(whole.instructions) / pixels);
            let loads = f64::from(whole.loads_from(Space::Global));
            self.set(&format!("{}.code_loads_per_pixel", side.prefix()), loads / pixels);
            self.add_split_segments(side);
        }
        self.add_residency(side);
        let mut set = |name: &str, value: Option<f64>| self.set(&format!("{}.{name}", side.prefix()), value);
        set("kernel_ns", record.kernel().map(|kernel| kernel.median_ns));
        set("gb_per_s", measured.gb_per_s());
        // The share of a cache's roof says nothing of memory.
        let memory = measured.roofline.as_ref().filter(|shares| !shares.is_cached);
        set("memory_share", memory.map(|shares| shares.memory));
        set("arithmetic_share", measured.roofline.as_ref().and_then(|shares| shares.arithmetic));
        set("all_operations_share", measured.roofline.as_ref().and_then(|shares| shares.all_operations));
        set("local_memory_share", measured.roofline.as_ref().and_then(|shares| shares.local_memory));
        set("transfer_ns", measured.round_trip.median_run().map(|parts| parts.upload_ns + parts.readback_ns));
        set("round_trip_ns", Some(measured.round_trip.total.median_ns));
        set("layout_ns", measured.round_trip.layout.as_ref().map(|layout| layout.median_ns));
        set("build_ns", measured.build_ns.map(|build_ns| build_ns as f64));
        if let Some(shares) = &measured.roofline {
            self.set("copy_gb_per_s", (!shares.is_cached).then_some(shares.roof_gb_per_s));
            self.set("launch_ns", shares.launch_ns);
        }
    }
}

impl Facts {
    /// Where the compiler made single bytes of the source's vectors, each byte is a load of its own: for every one of them a sub-group touches as many
    /// segments as for the whole vector, though no more than it has lanes, and its bytes would fit as many segments as hold one byte per lane.
    fn add_split_segments(&mut self, side: Side) {
        let of = |name: &str| self.get(&format!("{}.{name}", side.prefix()));
        let is_split = of("byte_vectors") == Some(1.0) && of("code_loads").is_some() && of("code_loads") == of("code_byte_loads");
        let ([Some(loads), Some(segments)], Some(lanes), true) =
            (["code_loads_per_pixel", "segments"].map(of), self.get("sub_group"), is_split)
        else {
            return;
        };
        let segment_size = self.segment_size() as f64;
        let (touched, least) = (segments.min(lanes), (lanes / segment_size).ceil());
        let split = [
            ("segments", touched),
            ("least_segments", least),
            ("segment_excess", touched / least),
            ("segment_bytes", loads * touched * segment_size / lanes),
        ];
        for (name, value) in split {
            self.set(&format!("{}.{name}", side.prefix()), value);
        }
    }

    /// Bytes of a segment of the device's memory.
    fn segment_size(&self) -> usize {
        self.get("segment_size").map_or(SECTOR_BYTES, |bytes| bytes as usize)
    }

    /// What registers leave room for, and what they spill.
    fn add_residency(&mut self, side: Side) {
        let name = |name: &str| format!("{}.{name}", side.prefix());
        let of = |facts: &Self, fact: &str| facts.get(&name(fact));
        if let Some((most, registers)) = self.get("unit_sub_groups").zip(of(self, "registers")) {
            self.set(&name("resident_sub_groups"), resident_sub_groups(registers).min(most));
        }
        if let [Some(loaded), Some(spilled), Some(pixels)] = ["loaded_bytes", "spilled_bytes", "pixels_per_item"].map(|fact| of(self, fact))
        {
            self.set(&name("loaded_and_spilled"), loaded + spilled / pixels);
        }
    }
}

/// Work-items of the sub-groups that the kernels of both were compiled for, where their code tells it and all have as many.
fn compiled_sub_group(records: [Option<&Record>; 2]) -> Option<u32> {
    let kernels = records.into_iter().flatten().filter_map(Record::measured).flat_map(|measured| &measured.compiled);
    let mut widths = kernels.map(|kernel| kernel.resources.sub_group);
    let first = widths.next()??;
    widths.all(|width| width == Some(first)).then_some(first)
}

/// As large as drivers make groups along dimension 0.
const MOST_ALONG_FIRST: usize = 256;

/// Sub-groups that a compute unit of NVIDIA's can hold, by compute capability (CUDA C++ Programming Guide, technical specifications).
fn unit_sub_groups(capability: [u32; 2]) -> f64 {
    match capability {
        [7, 5] => 32.0,
        [8, minor] if minor > 0 => 48.0,
        [12, _] => 48.0,
        _ => 64.0,
    }
}

/// Sub-groups for which the registers of a compute unit of NVIDIA's suffice: it has four parts with 16,384 each, handed out to sub-groups in eights per lane.
fn resident_sub_groups(registers: f64) -> f64 {
    const OF_PART: f64 = 16_384.0;
    const PARTS: f64 = 4.0;
    let of_sub_group = (registers / 8.0).ceil() * 8.0 * 32.0;
    PARTS * (OF_PART / of_sub_group).floor()
}

/// Pixels that one read of the source brings.
fn pixels_per_texel(launch: &Launch) -> f64 {
    match &launch.source {
        Surface::Image(texels) if texels.format == TexelFormat::RGBA8 && texels.layout.channels == Channels::Gray => 4.0,
        _ => 1.0,
    }
}

/// Work-items that the passes ask for, and those that are started in whole work-groups.
fn work_items(launch: &Launch, local: Option<[usize; 2]>) -> (f64, f64) {
    launch.passes.iter().fold((0.0, 0.0), |(asked, started), pass| {
        let [first, second] = pass.global;
        let [across, down] = local.unwrap_or([1, 1]).map(|size| size.max(1));
        let whole = first.next_multiple_of(across) * second.next_multiple_of(down);
        (asked + (first * second) as f64, started + whole as f64)
    })
}

/// How often a function is called by that name.
fn calls(text: &str, name: &str) -> usize {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let starts_word = |at: usize| !text.get(..at).is_some_and(|before| before.ends_with(is_word));
    text.match_indices(&format!("{name}(")).filter(|(at, _)| starts_word(*at)).count()
}

#[cfg(test)]
mod tests {
    use super::{Side, calls};
    use crate::testing::records::{changed, on_device, roofs, within_cache};
    use crate::why::{FACTS, Facts};
    use engine::device::DeviceInfo;
    use engine::{PictureRef, Target, Task};
    use model::{ByClass, Channels, Counts, HostMemory, LocalSize, Measured, OperationClass, Shares, Variant};
    use pictures::Picture;
    use std::sync::Arc;

    fn task(variant: &str, local: LocalSize) -> Task {
        let picture = Picture::from_fn(100, 50, Channels::Rgb, |_, _, _| 0);
        let variant = Variant::parse(variant).expect("known");
        Task::new(PictureRef::new(Arc::new(picture)), Target::Device { index: 0, variant, local, host_memory: HostMemory::Copy })
    }

    #[test]
    fn facts_of_a_task_by_hand() {
        let mut facts = Facts::default();
        facts.add_device(&DeviceInfo::example());
        facts.add_task(Side::Before, &task("naive", LocalSize::Driver), None);
        facts.add_task(Side::After, &task("coalesced+padded+vectorize=5", LocalSize::Explicit([16, 4])), None);
        for (name, value) in [
            ("gpu", Some(1.0)),
            ("before.loads", Some(27.0)),
            // Nine loads of 16 bytes for five pixels.
            ("after.loads", Some(9.0 / 5.0)),
            ("before.work_items", Some(5000.0)),
            // 20 x 50 blocks are 32 x 52 in groups of 16 x 4.
            ("after.work_items", Some(1664.0)),
            ("after.idle_share", Some(1.0 - 1000.0 / 1664.0)),
            ("after.group_items", Some(64.0)),
            ("after.used_share", Some(1000.0 / 1664.0)),
            // Of 50 rows, which dimension 0 counts in naive, and of 20 blocks of five.
            ("before.best_divisor", Some(50.0)),
            ("after.best_divisor", Some(20.0)),
            ("before.bytes_per_load", Some(1.0)),
            ("after.source_over_output", Some(1.0)),
            // The example is no NVIDIA GPU.
            ("after.lane_share", None),
            ("after.segment_bytes", None),
            ("before.group_items", None),
            ("before.driver_chose", Some(1.0)),
            ("before.byte_vectors", Some(0.0)),
            ("after.barriers", Some(0.0)),
            ("after.instructions", None),
        ] {
            assert_eq!(facts.get(name), value, "{name}");
        }
        assert_eq!(facts.get("after.byte_vectors"), Some(1.0));
        assert!(FACTS.len() > 40);
    }

    #[test]
    fn shares_of_roofs_are_facts_where_these_are_known() {
        // 12 MB in 150 microseconds are 80 of 100 GB/s; operations are not counted.
        let of = |kernel_ns: f64, change: fn(&mut Measured)| {
            let record = changed(on_device("naive", kernel_ns), |measured| {
                change(measured);
                measured.roofline = Shares::of(measured, &roofs());
            });
            let mut facts = Facts::default();
            facts.add_record(Side::After, &record);
            let names =
                ["memory_share", "arithmetic_share", "all_operations_share", "local_memory_share"].map(|name| format!("after.{name}"));
            let shares = names.map(|name| facts.get(&name));
            (shares, ["copy_gb_per_s", "launch_ns"].map(|name| facts.get(name)))
        };
        assert_eq!(of(150_000.0, |_| ()), ([Some(0.8), None, None, None], [Some(100.0), Some(1000.0)]));
        // 0.6 MB come from a cache.
        assert_eq!(of(3000.0, within_cache), ([None; 4], [None, Some(1000.0)]));
        // Two million pixels with 15 additions each, of 50 per nanosecond, take 0.6 ms.
        let counted = |measured: &mut Measured| {
            let by_class = ByClass::one(OperationClass::IntegerAdd, 15.0);
            measured.counts = Some(Counts { operations: 15.0, by_class, must_move_bytes: 6.0, ..Counts::default() });
        };
        assert_eq!(of(1.2e6, counted).0, [Some(0.1), Some(0.5), Some(0.5), Some(0.0)]);
    }

    #[test]
    fn facts_of_nvidias_sub_groups_by_hand() {
        let device = DeviceInfo { platform: "NVIDIA CUDA".into(), compute_capability: Some([9, 0]), ..DeviceInfo::example() };
        let mut facts = Facts::default();
        facts.add_device(&device);
        facts.add_task(Side::Before, &task("coalesced", LocalSize::Explicit([32, 1])), None);
        facts.add_task(Side::After, &task("coalesced", LocalSize::Explicit([3, 16])), None);
        // 48 work-items take two sub-groups of 32.
        assert_eq!(["before.lane_share", "after.lane_share"].map(|name| facts.get(name)), [Some(1.0), Some(0.75)]);
        // RGB, 32 lanes 3 bytes apart: each of 27 loads touches four segments of 32 bytes, where one would hold its bytes.
        assert_eq!(["before.segments", "before.segment_excess"].map(|name| facts.get(name)), [Some(4.0), Some(4.0)]);
        assert!(facts.get("before.segment_bytes").is_some_and(|bytes| (27.0 * 3.0..=27.0 * 4.0).contains(&bytes)), "{facts:?}");
        assert_eq!(facts.get("unit_sub_groups"), Some(64.0));
        for (registers, resident) in [(16.0, 64.0), (24.0, 64.0), (56.0, 36.0), (128.0, 16.0), (255.0, 8.0)] {
            facts.set("after.registers", registers);
            facts.add_residency(Side::After);
            assert_eq!(facts.get("after.resident_sub_groups"), Some(resident), "{registers}");
        }
        // Loads of 16 bytes by lanes a row apart touch two segments each; 48 loads of a byte for six pixels touch 32 for every one.
        let known =
            [("segments", 64.0), ("byte_vectors", 1.0), ("code_loads", 48.0), ("code_byte_loads", 48.0), ("code_loads_per_pixel", 8.0)];
        for (name, value) in known {
            facts.set(&format!("after.{name}"), value);
        }
        facts.add_split_segments(Side::After);
        assert_eq!(
            ["segment_bytes", "segments", "segment_excess"].map(|name| facts.get(&format!("after.{name}"))),
            [256.0, 32.0, 32.0].map(Some)
        );
        // Loads that stay whole are counted as the source has them.
        facts.set("after.code_byte_loads", 40.0);
        facts.set("after.segment_bytes", 72.0);
        facts.add_split_segments(Side::After);
        assert_eq!(facts.get("after.segment_bytes"), Some(72.0));
        let of = [[7, 5], [8, 0], [8, 9], [12, 0]].map(|capability| super::unit_sub_groups(capability) as usize);
        assert_eq!(of, [32, 64, 48, 48]);
    }

    #[test]
    fn calls_are_whole_words() {
        assert_eq!(calls("vload4(0, p); my_vload4(1); vload4 (x)", "vload4"), 1);
    }
}
