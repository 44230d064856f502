//! Panels as tiles: workspaces, tabs, hiding, what moves nothing.

use super::canned::Canned;
use super::window::Window;
use egui::accesskit::Role;
use kernel_ladder::app::action::Command;
use kernel_ladder::app::labels;
use kernel_ladder::app::panes::Pane;
use kernel_ladder::app::workspace::Workspace;
use std::path::PathBuf;

fn go_to(window: &mut Window, workspace: Workspace) {
    let label = format!("{} {}", labels::workspace(), workspace.label());
    if window.has(&label) {
        window.click(Role::RadioButton, &label);
    } else {
        // A menu where there is no room for all.
        window.choose(Role::Button, labels::workspace(), Command::Workspace(workspace).text().label);
    }
    assert_eq!(window.state().settings.workspaces.now, workspace);
}

/// Panels, with a control that is on no other.
fn panes() -> [(Pane, &'static str); 3] {
    [(Pane::Pictures, "Side by side"), (Pane::Timings, labels::log_axis()), (Pane::Source, labels::copy_source())]
}

/// Whether the panel shows, by its control.
fn shows(window: &Window, pane: Pane) -> bool {
    panes().iter().any(|(known, control)| *known == pane && window.has(control))
}

#[test]
fn every_workspace_has_a_tab_for_every_panel_that_brings_it_to_the_front() {
    for size in [[1280.0, 800.0], [1024.0, 700.0]] {
        let mut window = Window::open(size, Box::new(|| Box::new(Canned::with_device())), None);
        window.settle();
        for workspace in Workspace::ALL {
            go_to(&mut window, workspace);
            for (pane, _) in panes() {
                window.click(Role::Button, pane.title());
                assert!(shows(&window, pane), "{} in {} at {size:?}", pane.title(), workspace.label());
            }
            assert_eq!(window.has(labels::host_memory()), workspace != Workspace::Present, "stages in {}", workspace.label());
        }
    }
}

#[test]
fn a_panel_is_hidden_and_brought_back_and_the_layout_reset() {
    let mut window = Window::settled();
    let reset = |window: &mut Window| window.choose(Role::Button, labels::panels_menu(), Command::ResetLayout.text().label);
    for (pane, _) in panes() {
        assert!(shows(&window, pane), "{}", pane.title());
        window.choose_check(labels::panels_menu(), pane.title());
        assert!(!shows(&window, pane), "{}", pane.title());
    }
    window.choose_check(labels::panels_menu(), Pane::Source.title());
    assert!(shows(&window, Pane::Source) && !shows(&window, Pane::Pictures));
    reset(&mut window);
    assert!(panes().iter().all(|(pane, _)| shows(&window, *pane)) && window.state().settings.workspaces.arranged.is_empty());
    // By its tab.
    window.node(Role::Button, Pane::Timings.title()).click_secondary();
    window.harness.run_steps(3);
    window.click(Role::Button, &format!("{} {}", labels::hide(), Pane::Timings.title()));
    assert!(!shows(&window, Pane::Timings));
}

#[test]
fn a_panel_is_dragged_onto_another_and_stays_there() {
    let mut window = Window::settled();
    let from = window.node(Role::Button, Pane::Source.title()).rect().center();
    let to = window.node(Role::Image, "Original image").rect().center();
    window.harness.drag_at(from);
    window.harness.run_steps(2);
    for step in 1..=4 {
        window.harness.hover_at(from + (to - from) * (step as f32 / 4.0));
        window.harness.run_steps(2);
    }
    window.harness.drop_at(to);
    window.harness.run_steps(4);
    let arranged = window.state().settings.workspaces.arranged.clone();
    assert_ne!(arranged.get(&Workspace::Learn), Some(&Workspace::Learn.arrangement(1400.0)));
    go_to(&mut window, Workspace::Tune);
    go_to(&mut window, Workspace::Learn);
    assert_eq!(window.state().settings.workspaces.arranged.get(&Workspace::Learn), arranged.get(&Workspace::Learn));
    assert!(Pane::all().iter().all(|&pane| window.has(pane.title())));
}

#[test]
fn a_notice_and_the_frame_times_move_nothing() {
    let mut window = Window::settled();
    let places = |window: &Window| [window.node(Role::Image, "Original image").rect(), window.node(Role::Label, "bit-exact").rect()];
    let before = places(&window);
    window.harness.key_press(egui::Key::F12);
    window.harness.run_steps(3);
    assert!(window.state().settings.show_frames);
    window.harness.event(egui::Event::Paste("/nowhere/at/all.png".to_owned()));
    window.wait("a notice", |state| !state.notices.all().is_empty());
    assert_eq!(places(&window), before);
}

#[test]
fn tabs_are_reached_and_pressed_by_the_keyboard() {
    let mut window = Window::settled();
    window.harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    window.harness.run_steps(3);
    assert_eq!(window.state().settings.workspaces.now, Workspace::Tune);
    assert!(!shows(&window, Pane::Pictures));
    window.node(Role::Button, Pane::Pictures.title()).focus();
    window.harness.run_steps(2);
    window.harness.key_press(egui::Key::Space);
    window.harness.run_steps(3);
    assert!(shows(&window, Pane::Pictures));
}

#[test]
fn a_picture_in_color_is_shown_in_the_gray_that_is_computed() {
    let mut window = Window::open([1400.0, 900.0], Box::new(|| Box::new(Canned::with_device())), None::<PathBuf>);
    window.settle();
    assert!(window.has("coffee · 600 × 400 RGB"));
    window.click(Role::RadioButton, "Channels Gray");
    window.settle();
    assert!(window.has("coffee · 600 × 400 gray of RGB"));
}
