//! What the compiler made: counts, listing, difference, and why there is nothing to show.

use super::canned::Canned;
use super::window::Window;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use engine::device::NoDevice;
use engine::{Target, Task};
use kernel_ladder::app::labels;
use kernel_ladder::app::panes::Pane;
use model::{Counted, Labelled};

/// Waits for the code of what is shown, compared with a variant or alone.
fn look(window: &mut Window, against: Option<&str>) {
    window.settle();
    window.wait("the compiled code", |state| {
        let name = |task: &Task| match task.target {
            Target::Device { variant, .. } => variant.to_string(),
            Target::Cpu(engine) => engine.label().to_owned(),
        };
        let looked = state.shown.as_ref().and_then(|shown| state.looks.newest_of(&shown.task));
        looked.is_some_and(|looked| looked.look.against.as_ref().map(name).as_deref() == against)
    });
}

fn opened() -> Window {
    let mut window = Window::settled();
    assert!(window.state().looks.newest_of(&window.state().shown.as_ref().expect("a result").task).is_none(), "nobody wants to see it");
    window.click(Role::Button, Pane::Compiled.title());
    look(&mut window, None);
    window
}

fn contains(window: &Window, text: &str) -> bool {
    window.harness.query_all_by_label_contains(text).next().is_some()
}

#[test]
fn counts_stand_beside_those_of_the_variant_before() {
    let mut window = opened();
    assert!(window.has("naive; no comparison: no stage changed yet"));
    assert!(window.has("Local size chosen by the driver; canned 1.0"));
    // A processor's kernel is a loop over the work-group: that is what is counted.
    assert!(window.has("Instructions: 438") && window.has(Counted::InnermostLoop.about()));
    window.click(Role::CheckBox, "Merged loads");
    look(&mut window, Some("naive"));
    assert!(window.has("Different code than naive"));
    for row in ["Instructions: 438 → 468", "Loads, 32 bits: 20 → 23", "Stores, 8 bits: 34", "Shuffles: 25 → 48"] {
        assert!(window.has(row), "{row}");
    }
    window.click(Role::RadioButton, &format!("{} {}", labels::counted(), Counted::Whole.label()));
    assert!(window.has("Instructions: 593 → 623"));
    window.click(Role::RadioButton, &format!("{} {}", labels::counted(), Counted::HotBlock.label()));
    assert!(window.has("Instructions: 109 → 139"));
}

#[test]
fn the_listing_begins_at_what_matters_and_the_difference_at_the_first_change() {
    let mut window = opened();
    window.click(Role::CheckBox, "Merged loads");
    look(&mut window, Some("naive"));
    window.click(Role::RadioButton, labels::code_listing());
    assert!(contains(&window, " lines") && window.has("hot block") && window.has("innermost loop"));
    // Of hundreds of lines only those on the screen are laid out; the loop's wide loads are among them.
    assert!(contains(&window, "vmovq xmm") && !window.has("_pocl_kernel_laplace_workgroup:"));
    window.click(Role::Button, labels::copy_code());
    window.click(Role::RadioButton, labels::code_difference());
    assert!(contains(&window, "added, ") && window.has("mov r14, rdx") && window.has("…"));
    window.click(Role::CheckBox, labels::only_code_changes());
    assert!(!window.has("…") && window.state().settings.compiled.all_lines);
}

#[test]
fn two_variants_stand_side_by_side_and_a_compiler_without_lines_is_told() {
    let mut window = opened();
    window.click(Role::RadioButton, labels::code_source());
    window.wait("its lines", |state| {
        let looked = state.shown.as_ref().and_then(|shown| state.looks.newest_of(&shown.task));
        looked.is_some_and(|looked| looked.look.with_lines)
    });
    assert!(contains(&window, "Source lines not available"));
    window.click(Role::RadioButton, labels::code_both());
    assert!(window.has("No code to compare with"));
    window.click(Role::CheckBox, "Merged loads");
    look(&mut window, Some("naive"));
    assert!(contains(&window, "naive · ") && contains(&window, "merged · "));
}

#[test]
fn times_of_the_same_code_that_differ_are_told_to_be_the_measurement_s() {
    let mut window = opened();
    window.click(Role::CheckBox, "Coalesced mapping");
    look(&mut window, Some("naive"));
    assert!(window.has("Same code as naive"));
    assert!(contains(&window, "The times differ although the code is the same"));
    window.click(Role::RadioButton, labels::code_difference());
    assert!(window.has("No instructions differ"));
    window.click(Role::ComboBox, labels::compare_with());
    window.click(Role::Button, "Naive");
    look(&mut window, Some("naive"));
    assert!(window.has("Same code as naive"));
    window.click(Role::CheckBox, "Coalesced mapping");
    look(&mut window, None);
    assert!(window.has("naive; no comparison: naive is the variant shown"));
}

#[test]
fn where_there_is_no_code_the_panel_says_why() {
    let mut window = opened();
    window.click(Role::RadioButton, "Channels Gray");
    look(&mut window, Some("naive"));
    assert!(window.has("Code of kernel laplace not available: this driver hands out nothing of gray pictures"));
    assert!(contains(&window, "The driver reports: 64 bytes of private memory per work-item"));
    window.node_starting("CPU SIMD kernel").click();
    window.harness.run_steps(3);
    window.settle();
    assert!(contains(&window, "CPU SIMD computes and is part of this program"));
    let mut window = Window::open([1400.0, 900.0], Box::new(|| Box::new(Canned::without_device(NoDevice::NoDriver))), None);
    window.settle();
    window.click(Role::Button, Pane::Compiled.title());
    assert!(contains(&window, "there is no OpenCL device, so no kernel has been compiled"));
}
