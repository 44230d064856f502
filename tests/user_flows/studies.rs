//! Roofs, the roofline, and studies of a variant: bottleneck test, ablation, break-even, local sizes.

use super::window::Window;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use kernel_ladder::app::action::{Command, Export};
use kernel_ladder::app::labels;
use kernel_ladder::app::panes::Pane;
use kernel_ladder::app::studies::Stand;
use model::{LocalSize, StageId, Variant};
use study::{ABLATION, AUTOTUNE, Autotuned, BOTTLENECK, BREAK_EVEN, Kind, LOCAL_SIZES, Tuned};
use view::story::Figure;

/// Shows a panel; its tab may be scrolled out of sight.
fn show(window: &mut Window, pane: Pane) {
    window.click(Role::Button, pane.title());
}

/// Presses the button of a study's own panel, and waits for its end.
fn study(window: &mut Window, kind: &'static Kind) {
    show(window, Pane::Study(kind));
    window.click(Role::Button, Command::Study(kind).text().label);
    window.wait("the study", |state| state.studied(kind).is_some_and(|studied| studied.stand == Stand::Done) && state.pending.is_empty());
}

#[test]
fn roofs_are_measured_from_the_panel_and_hold_every_figure() {
    let mut window = Window::settled();
    show(&mut window, Pane::Roofline);
    assert!(window.has("The peak rates of this device are not measured yet, so there is no peak to compare with: run Measure roofs"));
    window.node_starting("naive: ");
    window.click(Role::Button, Command::MeasureRoofs.text().label);
    window.wait("the roofs", |state| !state.roofs.is_empty() && state.pending.is_empty());
    assert!(window.has("Roofs measured 2024-01-02"));
    // 600 × 400 pixels of 54 operations and 6 bytes in 2 ms: 6.48 per nanosecond, 9 per byte, 0.72 of 10 GB/s.
    window.node_starting("naive: 6.48 Gop/s at 9 operations per byte, 7 % of its roof");
    assert!(window.has("0.72 of 10 GB/s (7 %)"), "the status line, too");
    show(&mut window, Pane::Timings);
    window.click(Role::RadioButton, "GB/s");
    assert!(window.state().settings.timings.options.quantity == view::plot::Quantity::Bandwidth);
}

#[test]
fn a_dot_brings_its_variant_back() {
    let mut window = Window::settled();
    window.click(Role::CheckBox, StageId::Coalesced.stage().label());
    window.settle();
    show(&mut window, Pane::Roofline);
    window.node_starting("naive: ").click();
    window.harness.run_steps(3);
    window.settle();
    assert_eq!(window.state().choice().variant, Variant::naive());
}

#[test]
fn the_bottleneck_test_says_what_the_kernel_waits_for() {
    let mut window = Window::settled();
    study(&mut window, BOTTLENECK);
    assert!(window.has("Memory-bound: up to 16 more operations per pixel are hidden behind the loads"));
    let story = window.state().studied(BOTTLENECK).and_then(|studied| studied.story.clone()).expect("a story");
    assert!(matches!(story.figures().next(), Some(Figure::Curves(data)) if data.curves.len() == 3));
    // The comparisons of the test are no readings, and no variants of the chart.
    assert!(window.state().compared.is_empty());
    // Another variant has its own test, and the first one's is still there.
    window.click(Role::CheckBox, StageId::Coalesced.stage().label());
    window.settle();
    assert!(window.state().studied(BOTTLENECK).is_none());
    window.click(Role::CheckBox, StageId::Coalesced.stage().label());
    window.settle();
    assert!(window.has("Memory-bound: up to 16 more operations per pixel are hidden behind the loads"));
}

#[test]
fn an_ablation_takes_a_variant_apart() {
    let mut window = Window::settled();
    show(&mut window, Pane::Study(ABLATION));
    assert!(window.is_disabled(Role::Button, Command::Study(ABLATION).text().label), "naive has no stages");
    window.choose(Role::ComboBox, labels::ladder(), "Mali-T600 Laplace");
    for _ in 0..2 {
        window.click(Role::Button, Command::NextStep.text().label);
    }
    window.settle();
    study(&mut window, ABLATION);
    // Each stage takes a fifth off, so each is worth a quarter, and three of them 1.25³.
    assert!(window.has("padded: 1.25×") && window.has("merged: 1.25×"));
    assert!(window.has("All together, over naive: 1.95×"));
    assert!(window.has("No interaction between stages observed"));
    let folder = tempfile::tempdir().expect("a folder");
    window.click(Role::Button, labels::export_menu());
    window.write(labels::export_path(), &folder.path().to_string_lossy());
    window.click(Role::Button, Command::Export(Export::Study(None)).text().label);
    window.wait("the file", |state| state.notices.all().iter().any(|notice| notice.what == "File written"));
    let written = std::fs::read_to_string(folder.path().join("laplace-copy-ablation.md")).expect("a file");
    assert!(written.starts_with("# Ablation: Laplace sharpen") && written.contains("| padded | 1.25×"), "{written}");
}

#[test]
fn the_break_even_is_a_chart_a_ledger_and_a_sentence_also_where_it_is_cancelled() {
    let mut window = Window::settled();
    let readings = window.state().history.rows().len();
    show(&mut window, Pane::Study(BREAK_EVEN));
    window.click(Role::Button, Command::Study(BREAK_EVEN).text().label);
    // The largest pictures take their time.
    window.wait("two sizes", |state| {
        let studied = state.studied(BREAK_EVEN);
        studied.is_some_and(|studied| studied.findings.len() >= 8)
    });
    window.harness.key_press(egui::Key::Escape);
    window.wait("its end", |state| state.studied(BREAK_EVEN).is_some_and(|studied| studied.stand == Stand::Cut));
    assert!(window.has("Cancelled: partial results"));
    // On the device 4 ms at any size, on the CPU 16 ms and less.
    assert!(window.has("Device, round trip, 65,536 pixels: 4 ms (3.92 ms to 4.12 ms)"));
    assert!(window.has("CPU scalar, 262,144 pixels: 16 ms (15.7 ms to 16.5 ms)"));
    assert!(window.has("256 × 256") && window.has("512 × 512"));
    window
        .harness
        .query_all_by_label_contains("CPU scalar: the device is faster from 256 × 256 on, among the sizes measured")
        .next()
        .expect("a sentence");
    assert_eq!(window.state().history.rows().len(), readings, "its pictures are not the person's");
}

#[test]
fn local_sizes_are_a_map_and_a_click_adopts_one() {
    let mut window = Window::settled();
    let readings = window.state().history.rows().len();
    show(&mut window, Pane::Study(LOCAL_SIZES));
    assert!(window.has("Normal") && window.has("Exhaustive"));
    window.click(Role::RadioButton, "Rapid");
    study(&mut window, LOCAL_SIZES);
    let tuned = Tuned::of(&window.state().studied(LOCAL_SIZES).expect("asked").findings);
    let best = tuned.best().expect("measured").local;
    let size = format!("{} × {}", best[0], best[1]);
    assert!(window.harness.query_all_by_label_contains(&format!("Best: {size}, ")).next().is_some(), "a sentence");
    let cell = format!("{size}: ");
    window.harness.query_all_by_label_contains(&cell).next().expect("a cell").click();
    window.harness.run_steps(3);
    window.settle();
    assert_eq!(window.state().choice().local, LocalSize::Explicit(best));
    assert!(window.harness.query_all_by_label_contains(&format!("Best: {size}, ")).next().is_some(), "the map stays");
    assert_eq!(window.state().history.rows().len(), readings + 1, "what is tried is no reading, what was adopted is one");
}

#[test]
fn the_fastest_variant_is_found_and_the_way_to_it_is_walked() {
    let mut window = Window::settled();
    let readings = window.state().history.rows().len();
    show(&mut window, Pane::Study(AUTOTUNE));
    assert!(window.has("30 s") && window.has("10 min"));
    study(&mut window, AUTOTUNE);
    let (best, steps) = {
        let studied = window.state().studied(AUTOTUNE).expect("asked");
        let (task, findings) = (&studied.task, &studied.findings);
        let tuned = Autotuned::of(findings);
        let abilities = window.state().device_of(task).expect("its device").abilities();
        let path = tuned.path(task.filter(), task.setting().on(abilities), findings);
        assert!(tuned.whole(findings).is_some() && path.iter().all(|step| step.worth.is_some()));
        (tuned.best.expect("measured"), path)
    };
    assert!(window.harness.query_all_by_label_contains(&format!("Best: {}, ", best.variant)).next().is_some(), "a sentence");
    assert_eq!(window.state().history.rows().len(), readings, "what a search looks at is no reading");
    // The first step of the way, and then the best one.
    let first = steps.first().expect("a step");
    window.click(Role::Button, &format!("+ {}", first.name));
    window.settle();
    assert_eq!(window.state().choice().variant, first.pair.as_ref().expect("allowed").1.variant);
    window.click(Role::Button, "Run it");
    window.settle();
    assert_eq!((window.state().choice().variant, window.state().choice().local), (best.variant, best.local));
    assert!(!window.has("Run it"), "it runs");
}

#[test]
fn a_result_is_kept_found_again_compared_exported_and_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = || std::fs::read_to_string(folder.path().join("answers.jsonl")).unwrap_or_default().lines().count();
    let mut window = Window::keeping(folder.path());
    window.settle();
    study(&mut window, BOTTLENECK);
    window.wait("the file", |_| lines() == 1);
    assert!(window.has("Kept results") && !window.has("Compare with…"), "there is nothing to compare with yet");
    drop(window);

    // Another session: of the same choice it is offered, and shown as what it is.
    let mut window = Window::keeping(folder.path());
    window.settle();
    show(&mut window, Pane::Study(BOTTLENECK));
    window.wait("what was kept", |state| state.kept_answers(BOTTLENECK) == 1);
    assert!(window.has_part("You ran this study on "));
    window.click(Role::Button, "Show result");
    assert!(window.has_part("Measured on ") && window.has("Memory-bound: up to 16 more operations per pixel are hidden behind the loads"));
    // It can be exported from its panel, in the form that the ending names.
    let file = folder.path().join("kept.pdf");
    let story = window.state().told_by(BOTTLENECK).expect("what the panel shows");
    std::fs::write(&file, report::story_file::paint(&story, &file).expect("painted")).expect("written");
    assert!(std::fs::read(&file).expect("there").starts_with(b"%PDF"));
    window.click(Role::Button, "Back to current choice");
    assert!(!window.has_part("Measured on "));

    // A second one of this session, and both.
    window.click(Role::Button, Command::Study(BOTTLENECK).text().label);
    window.wait("the second", |state| state.studied(BOTTLENECK).is_some_and(|studied| studied.stand == Stand::Done));
    window.wait("the file", |_| lines() == 2);
    window.click(Role::Button, "Compare with…");
    // The other one, by its date.
    window.node_starting("20").click();
    window.harness.run_steps(4);
    assert!(window.has_part("These two results were measured at different times."));
    let both = window.state().told_by(BOTTLENECK).expect("both");
    assert!(matches!(both.figures().next(), Some(Figure::Curves(data)) if data.curves.len() == 6));
    window.click(Role::Button, "Delete");
    window.wait("the file", |_| lines() == 1);
    assert!(window.state().kept_answers(BOTTLENECK) == 1 && window.has("Kept results"));
}
