//! A kernel that is edited: built, checked and timed by the real engine, and told as a person sees it.

use super::window::Window;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use engine::Engine;
use engine::device::CacheSettings;
use kernel_ladder::app::labels;
use kernel_ladder::app::panes::Pane;
use kernel_ladder::app::settings::Place;
use kernel_ladder::app::state::State;

fn type_in(window: &mut Window, text: &str) {
    let node = window.node(Role::MultilineTextInput, labels::edited_kernel());
    node.focus();
    window.harness.run_steps(2);
    window.node(Role::MultilineTextInput, labels::edited_kernel()).type_text(text);
    window.harness.run_steps(2);
}

/// Whether the last trial is of what stands in the editor, and over.
fn is_over(state: &State) -> bool {
    let tried = state.edited_task().and_then(|task| state.trials.of(&task).cloned());
    state.pending.is_empty() && tried.is_some_and(|tried| tried.fault.is_some() || tried.compared.is_some())
}

#[test]
fn what_is_typed_is_built_checked_and_timed() {
    let mut window = Window::open([1400.0, 900.0], Box::new(|| Box::new(Engine::with_cache(CacheSettings::off()))), None);
    window.settle();
    if window.state().place != Place::Device(0) {
        return;
    }
    let readings = window.state().history.rows().len();
    window.click(Role::RadioButton, labels::edit_kernel());
    assert!(window.has("The original kernel of naive, unchanged") && window.is_disabled(Role::Button, labels::revert_kernel()));
    // A comment changes nothing but the text.
    type_in(&mut window, "\n// mine\n");
    window.wait("a trial", is_over);
    window.harness.run_steps(3);
    let tried = window.state().trials.last().cloned().expect("a trial");
    assert_eq!(tried.fault, None);
    assert!(tried.compared.is_some_and(|compared| compared.code.is_some_and(|code| code.is_same_code())));
    window.harness.get_by_label_contains("The kernel of naive, edited: ");
    // Its code is shown beside the variant's own, and is the same but for the comment, which is none.
    window.click(Role::Button, Pane::Compiled.title());
    window.wait("a look", |state| {
        let edited = state.edited_to_look_at();
        edited.is_some_and(|task| state.looks.newest_of(&task).is_some())
    });
    window.harness.get_by_label_contains("same source as naive except comments");
    window.click(Role::Button, Pane::Source.title());
    // What does not build is told with its line, and the last reading stays.
    type_in(&mut window, "int broken(int x) { return x + nowhere; }\n");
    window.wait("a fault", is_over);
    window.harness.run_steps(3);
    let fault = window.state().trials.last().and_then(|tried| tried.fault.clone()).expect("it does not build");
    assert!(fault.why.starts_with("line ") && fault.why.contains("nowhere"), "{fault}");
    let line = window.state().draft().expect("a draft").lines().count();
    window.harness.get_by_label_contains(&format!("{line}:32 use of undeclared identifier 'nowhere'"));
    // It is kept with the settings, so that it outlasts the window.
    let kept = serde_json::to_string(&window.state().settings).expect("settings");
    assert!(kept.contains("x + nowhere"));
    window.click(Role::Button, labels::revert_kernel());
    window.harness.run_steps(3);
    assert!(window.state().draft().is_none() && window.has("The original kernel of naive, unchanged"));
    // A word that is begun is offered whole.
    type_in(&mut window, "get_global_o");
    window.harness.get_by_label_contains("get_global_offset");
    window.harness.key_press(egui::Key::Tab);
    window.harness.run_steps(3);
    assert!(window.state().draft().expect("a draft").contains("get_global_offset"));
    assert!(!window.has("get_global_offset"), "the list is gone");
    window.click(Role::Button, labels::revert_kernel());
    assert_eq!(window.state().history.rows().len(), readings, "an edited kernel is no reading of the variant");
}
