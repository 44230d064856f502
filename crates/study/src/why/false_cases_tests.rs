//! The cases in which a review found rules false, each beside one in which the rule holds.

use super::rule::rules;
use super::{Facts, Level, Seen, candidates, explain, question};

fn facts(known: &[(&str, f64)]) -> Facts {
    let mut facts = Facts::default();
    for (name, value) in known {
        facts.set(name, *value);
    }
    facts
}

/// How sure the rule of that id is; `None` where it does not hold.
fn level(id: &str, seen: Seen, known: &[(&str, f64)]) -> Option<Level> {
    let known = facts(known);
    candidates(seen, &known).into_iter().find(|reason| reason.rule == id).map(|reason| reason.level)
}

/// The first with other facts in the place of some of its own.
fn but(known: &[(&'static str, f64)], changes: &[(&'static str, f64)]) -> Vec<(&'static str, f64)> {
    known.iter().chain(changes).copied().collect()
}

#[test]
fn vectors_are_credited_where_the_source_has_them() {
    // coalesced+table of Bilateral on PoCL has no vectors: the compiler vectorized it.
    let table = [("cpu", 1.0), ("adds_vectors", 0.0), ("before.vector_bits", 32.0), ("after.vector_bits", 512.0), ("least_speed_up", 3.0)];
    assert_eq!(level("packed-into-vectors", Seen::Faster, &table), None);
    assert_eq!(level("compiler-now-vectorizes", Seen::Faster, &table), Some(Level::Consistent));
    assert_eq!(level("packed-into-vectors", Seen::Faster, &but(&table, &[("adds_vectors", 1.0)])), Some(Level::Consistent));
}

#[test]
fn segments_count_against_what_the_bytes_need_and_per_pixel() {
    // Sixteen pixels: 17 segments where 16 are needed, and fewer per pixel than 2 where 1 is needed.
    let sixteen = [
        ("gpu", 1.0),
        ("before.segments", 2.0),
        ("after.segments", 17.0),
        ("before.least_segments", 1.0),
        ("after.least_segments", 16.0),
        ("before.segment_excess", 2.0),
        ("after.segment_excess", 17.0 / 16.0),
        ("before.segment_bytes", 18.0),
        ("after.segment_bytes", 9.56),
        ("least_speed_up", 0.96),
        ("interval_width", 0.01),
    ];
    assert_eq!(level("lanes-read-far-apart", Seen::Slower, &sixteen), None);
    // A block of bytes for each lane: as many segments, of which one would do.
    let block = but(&sixteen, &[("after.least_segments", 1.0), ("after.segment_excess", 17.0), ("after.segment_bytes", 57.4)]);
    assert_eq!(level("lanes-read-far-apart", Seen::Slower, &block), Some(Level::Consistent));
    let back = [
        ("gpu", 1.0),
        ("before.segments", 17.0),
        ("after.segments", 2.0),
        ("before.segment_excess", 17.0 / 16.0),
        ("after.segment_excess", 2.0),
        ("before.segment_bytes", 9.56),
        ("after.segment_bytes", 18.0),
    ];
    assert_eq!(level("lanes-read-side-by-side", Seen::Faster, &back), None);
    // Loads that are twice as wide touch twice as many segments, of which they use more: the sentence has both.
    let wider = but(
        &back,
        &[
            ("before.segments", 32.0),
            ("after.segments", 64.0),
            ("before.segment_excess", 32.0),
            ("after.segment_excess", 4.0),
            ("before.least_segments", 1.0),
            ("after.least_segments", 16.0),
            ("before.segment_bytes", 96.0),
            ("after.segment_bytes", 48.0),
            ("least_speed_up", 1.6),
            ("interval_width", 0.01),
        ],
    );
    let said =
        explain(Seen::Faster, &facts(&wider)).into_iter().find(|reason| reason.rule == "lanes-read-side-by-side").expect("it holds").say;
    assert!(said.contains("64 segments where 16 would do; before, 32 where 1 would do"), "{said}");
}

#[test]
fn few_work_items_may_be_too_few_and_no_more_is_said() {
    // 4.5 sub-groups on each of 132 units: not idle.
    let rows = [
        ("gpu", 1.0),
        ("compute_units", 132.0),
        ("before.work_items", 131_072.0),
        ("after.work_items", 18_816.0),
        ("least_speed_up", 0.949),
        ("interval_width", 0.02),
    ];
    let reason = explain(Seen::Slower, &facts(&rows)).remove(0);
    assert_eq!((reason.rule.as_str(), reason.level), ("too-few-work-items", Level::Consistent));
    assert!(!reason.say.contains("nothing to do") && reason.say.contains("may be too few"), "{}", reason.say);
    assert_eq!(level("too-few-work-items", Seen::Slower, &but(&rows, &[("least_speed_up", 0.05)])), Some(Level::Possible));
}

#[test]
fn neither_is_full_where_no_class_of_operations_is() {
    // Dilate: its comparisons are few beside the rate of additions, and as many as can be beside their own.
    let dilate = [("before.memory_share", 0.02), ("before.arithmetic_share", 0.18), ("before.local_memory_share", 0.0)];
    assert_eq!(level("neither-is-full", Seen::Same, &dilate), None, "not all rates are known");
    assert_eq!(level("neither-is-full", Seen::Same, &but(&dilate, &[("before.all_operations_share", 0.92)])), None);
    let idle = but(&dilate, &[("before.all_operations_share", 0.2)]);
    assert_eq!(level("neither-is-full", Seen::Same, &but(&idle, &[("before.local_memory_share", 0.7)])), None);
    assert_eq!(level("neither-is-full", Seen::Same, &idle), Some(Level::Possible));
    assert!(explain(Seen::Same, &facts(&idle))[0].say.contains("load or texture units"));
}

#[test]
fn branches_become_selections_where_select_was_added() {
    let known = [
        ("adds_select", 0.0),
        ("before.branches", 1.0),
        ("after.branches", 1.0),
        ("before.loads", 49.0),
        ("after.loads", 49.0),
        ("before.operations", 90.0),
        ("after.operations", 90.0),
    ];
    assert_eq!(level("branches-were-selections", Seen::Same, &known), None, "native functions, say");
    assert_eq!(level("branches-were-selections", Seen::Same, &but(&known, &[("adds_select", 1.0)])), Some(Level::Consistent));
}

#[test]
fn a_tile_that_is_filled_byte_by_byte_says_so() {
    let tile = [
        ("dedicated_local_memory", 1.0),
        ("before.local_bytes", 0.0),
        ("after.local_bytes", 1188.0),
        ("before.barriers", 0.0),
        ("after.barriers", 1.0),
        ("before.loads", 0.25),
        ("after.loads", 1.13),
        ("before.bytes_per_load", 9.0),
        ("after.bytes_per_load", 1.0),
        ("least_speed_up", 0.4),
    ];
    assert_eq!(level("tile-of-what-was-cached", Seen::Slower, &tile), None);
    assert_eq!(level("tile-filled-narrowly", Seen::Slower, &tile), Some(Level::Consistent));
    let wide = but(&tile, &[("after.bytes_per_load", 9.0), ("after.loads", 0.2)]);
    assert_eq!(level("tile-of-what-was-cached", Seen::Slower, &wide), Some(Level::Possible));
}

#[test]
fn a_sampler_handles_the_border_where_branches_went() {
    // Branches 6 → 129.
    let image = [
        ("gpu", 1.0),
        ("before.image_objects", 0.0),
        ("after.image_objects", 1.0),
        ("before.branches", 6.0),
        ("after.branches", 129.0),
        ("before.instructions_per_pixel", 60.0),
        ("after.instructions_per_pixel", 30.0),
        ("least_speed_up", 1.5),
    ];
    assert_eq!(level("texture-border", Seen::Faster, &image), None);
    assert_eq!(level("texture-cache", Seen::Faster, &image), Some(Level::Possible));
    assert!(candidates(Seen::Faster, &facts(&image)).iter().all(|reason| !reason.say.contains("border")));
    assert_eq!(level("texture-border", Seen::Faster, &but(&image, &[("after.branches", 1.0)])), Some(Level::Consistent));
}

#[test]
fn a_cause_has_to_be_large_enough_for_its_effect() {
    // Ten operations became seven, and the kernel 2.74 times as fast.
    let words = [
        ("gpu", 1.0),
        ("before.operations", 10.0),
        ("after.operations", 7.0),
        ("least_speed_up", 2.72),
        ("interval_width", 0.02),
        ("before.passes", 1.0),
        ("after.passes", 1.0),
    ];
    assert_eq!(level("fewer-operations", Seen::Faster, &words), Some(Level::Possible));
    let reason = explain(Seen::Faster, &facts(&words)).remove(0);
    assert_eq!(reason.evidence.last().map(String::as_str), Some("The cause alone explains at most 1.43×, but at least 2.72× was measured"));
    // With the loads of the compiled code there is a cause that is.
    let loads = but(&words, &[("before.code_loads_per_pixel", 3.44), ("after.code_loads_per_pixel", 0.31), ("after.code_loads", 15.0)]);
    assert_eq!(explain(Seen::Faster, &facts(&loads))[0].rule, "fewer-load-instructions");
    assert_eq!(level("fewer-operations", Seen::Faster, &but(&words, &[("least_speed_up", 1.4)])), Some(Level::Consistent));
    assert_eq!(
        level("fewer-operations", Seen::Faster, &but(&words[..5], &[("least_speed_up", 1.44)])),
        Some(Level::Consistent),
        "within 2 %"
    );
}

#[test]
fn registers_cost_where_fewer_sub_groups_are_resident() {
    let more = [
        ("gpu", 1.0),
        ("before.registers", 16.0),
        ("after.registers", 24.0),
        ("before.resident_sub_groups", 64.0),
        ("after.resident_sub_groups", 64.0),
        ("after.spilled_bytes", 0.0),
        ("least_speed_up", 0.8),
    ];
    assert_eq!(level("more-registers", Seen::Slower, &more), None);
    let many = but(&more, &[("after.registers", 128.0), ("after.resident_sub_groups", 16.0)]);
    assert_eq!(level("more-registers", Seen::Slower, &many), Some(Level::Consistent));
}

#[test]
fn additions_were_joined_where_the_code_has_as_many_fused_ones() {
    // 1131 instructions became 1145: that tells nothing of how they multiply and add.
    let known = [
        ("adds_fma", 1.0),
        ("before.instructions", 1131.0),
        ("after.instructions", 1145.0),
        ("before.fused", 0.0),
        ("after.fused", 330.0),
        ("before.registers", 255.0),
        ("after.registers", 255.0),
    ];
    assert_eq!(level("fma-was-joined", Seen::Same, &known), None);
    assert_eq!(level("fma-was-joined", Seen::Same, &but(&known, &[("before.fused", 330.0)])), Some(Level::Consistent));
}

#[test]
fn a_lane_is_not_said_to_compute_one_number_whatever_its_type() {
    let known = [
        ("gpu", 1.0),
        ("adds_short16", 1.0),
        ("before.code_loads", 69.0),
        ("after.code_loads", 69.0),
        ("before.instructions", 402.0),
        ("after.instructions", 402.0),
    ];
    let reason = explain(Seen::Same, &facts(&known)).remove(0);
    assert_eq!((reason.rule.as_str(), reason.level), ("widened-lanes", Level::Consistent));
    assert!(!reason.say.contains("whatever its type") && reason.say.contains("its own 32-bit register"), "{}", reason.say);
}

#[test]
fn a_driver_that_chose_badly_had_no_better_divisor() {
    let known = [
        ("after.driver_chose", 1.0),
        ("before.group_items", 128.0),
        ("after.group_items", 4.0),
        ("after.best_divisor", 256.0),
        ("least_speed_up", 0.5),
    ];
    assert_eq!(level("driver-chose-badly", Seen::Slower, &known), None);
    assert_eq!(level("driver-chose-small", Seen::Slower, &known), Some(Level::Consistent));
    // 5758 = 2 × 2879.
    let prime = but(&known, &[("after.group_items", 2.0), ("after.best_divisor", 2.0)]);
    assert_eq!(level("driver-chose-badly", Seen::Slower, &prime), Some(Level::Consistent));
    assert!(explain(Seen::Slower, &facts(&prime))[0].say.contains("OpenCL 1.x"));
}

#[test]
fn a_group_of_31_lanes_leaves_one_empty() {
    let known = [
        ("gpu", 1.0),
        ("sub_group", 32.0),
        ("before.group_items", 128.0),
        ("after.group_items", 31.0),
        ("before.lane_share", 1.0),
        ("after.lane_share", 31.0 / 32.0),
        ("least_speed_up", 0.5),
    ];
    let reason = explain(Seen::Slower, &facts(&known)).remove(0);
    assert!(reason.say.ends_with("31 of 32 lanes work") && !reason.say.contains("most"), "{}", reason.say);
    assert_eq!(level("group-below-sub-group", Seen::Slower, &known), Some(Level::Possible), "one lane of 32 does not double the time");
    let three = but(&known, &[("after.group_items", 3.0), ("after.lane_share", 3.0 / 32.0)]);
    assert_eq!(level("group-below-sub-group", Seen::Slower, &three), Some(Level::Consistent));
}

#[test]
fn more_than_a_copys_rate_is_no_cache_where_more_is_read_than_written() {
    let luma = [("before.gb_per_s", 4300.0), ("after.gb_per_s", 4300.0), ("copy_gb_per_s", 4205.0), ("after.source_over_output", 3.0)];
    assert_eq!(level("cache-speed", Seen::Same, &luma), None);
    let copy = but(&luma, &[("after.source_over_output", 1.0)]);
    assert_eq!(level("cache-speed", Seen::Same, &copy), Some(Level::Possible));
    assert!(explain(Seen::Same, &facts(&copy))[0].line().starts_with("Possibly: "));
}

#[test]
fn a_bus_is_not_said_to_be_empty_because_useful_bytes_are_few() {
    // An uncoalesced kernel fills the bus with segments of which it uses a tenth.
    let known =
        [("before.loads", 2.0), ("after.loads", 1.0), ("after.memory_share", 0.1), ("after.all_operations_share", 0.1), ("cpu", 1.0)];
    let known = but(&known, &[("same_code", 0.0)]);
    let asked = (0..8).filter_map(|seed| question(Seen::Same, &facts(&known), seed));
    let answers: Vec<_> = asked.flat_map(|asked| asked.answers).filter(|answer| answer.refuted.is_some()).collect();
    assert!(answers.iter().any(|answer| answer.id == "bus-full") && answers.iter().any(|answer| answer.id == "arithmetic-full"));
    for answer in answers {
        assert!(!answer.say.contains("bus is full") && !answer.say.contains("units are full"), "{}", answer.say);
        let of = ["bytes that each pass must move", "source operations"];
        assert!(of.iter().any(|words| answer.refuted.as_ref().is_some_and(|refuted| refuted.contains(words))), "{answer:?}");
    }
    // What is computed for indices is in no count: 41 % refutes nothing.
    let epsilon = facts(&but(&known, &[("after.all_operations_share", 0.41)]));
    let asked = (0..8).filter_map(|seed| question(Seen::Same, &epsilon, seed));
    assert!(asked.flat_map(|asked| asked.answers).all(|answer| answer.id != "arithmetic-full"));
}

#[test]
fn static_counts_are_possible_causes_at_most() {
    let slower = [
        ("gpu", 1.0),
        ("before.instructions_per_pixel", 100.0),
        ("after.instructions_per_pixel", 102.5),
        ("before.instructions", 100.0),
        ("after.instructions", 120.0),
        ("before.loads", 9.0),
        ("after.loads", 9.0),
        ("least_speed_up", 0.1),
    ];
    assert_eq!(level("more-instructions-per-pixel", Seen::Slower, &slower), Some(Level::Possible));
    assert_eq!(level("longer-code", Seen::Slower, &slower), Some(Level::Possible));
    let faster = [("before.instructions", 864.0), ("after.instructions", 694.0), ("before.work_items", 9.0), ("after.work_items", 9.0)];
    assert_eq!(level("shorter-code", Seen::Faster, &but(&faster, &[("least_speed_up", 1.03)])), Some(Level::Possible));
}

#[test]
fn conversions_cost_on_some_devices() {
    let known = [
        ("gpu", 1.0),
        ("before.instructions", 2661.0),
        ("after.instructions", 2665.0),
        ("before.conversions", 137.0),
        ("after.conversions", 461.0),
        ("before.loads", 1.0),
        ("after.loads", 1.0),
        ("least_speed_up", 0.9),
    ];
    let reason = explain(Seen::Slower, &facts(&known)).remove(0);
    assert_eq!((reason.rule.as_str(), reason.level), ("conversions-cost", Level::Possible));
    assert!(reason.say.contains("on some GPUs"), "{}", reason.say);
}

#[test]
fn sub_groups_and_segments_are_those_of_the_device() {
    let of = |platform: &str, sub_group_sizes: &[usize]| {
        let mut of_device = Facts::default();
        let (platform, sub_group_sizes) = (platform.to_owned(), sub_group_sizes.to_vec());
        of_device.add_device(&engine::device::DeviceInfo { platform, sub_group_sizes, ..engine::device::DeviceInfo::example() });
        ["sub_group", "segment_size"].map(|name| of_device.get(name))
    };
    let amd = "AMD Accelerated Parallel Processing";
    assert_eq!([of("NVIDIA CUDA", &[]), of(amd, &[64])], [[Some(32.0), Some(32.0)], [Some(64.0), Some(64.0)]]);
    // What is not told is not made up, and of several the compiler chooses.
    assert_eq!([of(amd, &[]), of("Intel(R) OpenCL Graphics", &[8, 16, 32])], [[None, Some(64.0)]; 2]);
}

#[test]
fn registers_do_run_out() {
    let known = [
        ("gpu", 1.0),
        ("before.spilled_bytes", 0.0),
        ("after.spilled_bytes", 1024.0),
        ("before.loaded_and_spilled", 3.4),
        ("after.loaded_and_spilled", 67.4),
        ("before.loaded_bytes", 3.4),
        ("after.loaded_bytes", 3.4),
        ("before.registers", 56.0),
        ("after.registers", 255.0),
        ("least_speed_up", 0.14),
        ("interval_width", 0.02),
    ];
    let reason = explain(Seen::Slower, &facts(&known)).remove(0);
    assert_eq!((reason.rule.as_str(), reason.level), ("spills", Level::Consistent));
    let asked = question(Seen::Slower, &facts(&known), 0).expect("a question");
    assert_eq!(asked.answers.iter().find(|answer| answer.refuted.is_none()).map(|answer| answer.id.as_str()), Some("spills"));
}

#[test]
fn spills_are_the_wrong_reason_of_few_rules() {
    let count = |id: &str| rules().rules.iter().filter(|rule| rule.wrong.as_deref() == Some(id)).count();
    assert!(count("spills") <= 2, "{}", count("spills"));
    for wrong in &rules().wrongs {
        assert!(count(&wrong.id) <= 9, "{} of {}", count(&wrong.id), wrong.id);
    }
}
