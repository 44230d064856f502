//! Another language is chosen in the window. It is the whole process's, so this test has a process of its own.

#![allow(clippy::expect_used, reason = "a helper of a test that cannot go on fails it")]

#[path = "user_flows/canned.rs"]
#[allow(dead_code, reason = "the other flows use the rest")]
mod canned;
#[path = "user_flows/window.rs"]
#[allow(dead_code, reason = "the other flows use the rest")]
mod window;

use base::texts::Language;
use egui::Role;
use kernel_ladder::app::action::Command;
use kernel_ladder::app::labels;
use kernel_ladder::app::workspace::{Workspace, Workspaces};
use model::StageId;
use window::Window;

/// Words of the bar, of the stages, of a panel's tab, of a command and of what is computed.
fn words() -> [&'static str; 5] {
    [labels::filter(), labels::stages(), StageId::Vectorize.stage().label(), Command::Naive.text().label, labels::log_axis()]
}

#[test]
fn a_language_is_chosen_in_its_menu_and_everything_that_is_drawn_follows_at_once() {
    let mut window = Window::settled();
    let english = words();
    assert!(english.iter().all(|word| window.has(word)), "{english:?}");
    window.choose(Role::Button, labels::language(), Language::Chinese.label());
    let chinese = words();
    assert_eq!(chinese[1..3], ["优化阶段", "向量化"]);
    assert!(chinese.iter().all(|word| window.has(word)), "{chinese:?}");
    assert!(!english.iter().any(|word| window.has(word)), "{english:?}");
    assert_eq!(window.state().settings.language, Some(Language::Chinese));
    // What a person has arranged is found again by what is the same in every language.
    let mut workspaces = Workspaces { now: Workspace::Tune, ..Workspaces::default() };
    workspaces.arranged.insert(Workspace::Tune, Workspace::Present.arrangement(1280.0));
    let saved = serde_json::to_value(&workspaces).expect("plain data");
    assert_eq!(serde_json::from_value::<Workspaces>(saved).expect("never fails"), workspaces);
    window.choose(Role::Button, labels::language(), Language::English.label());
    assert!(english.iter().all(|word| window.has(word)), "{english:?}");
}
