//! The window without eyes: every control has a role and a name, and the keyboard reaches them in the order of reading.

use super::canned::Canned;
use super::window::Window;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use kernel_ladder::app::labels;
use kernel_ladder::app::panes::Pane;
use kernel_ladder::app::workspace::Workspace;

/// What a person does something with.
const CONTROLS: [Role; 11] = [
    Role::Button,
    Role::CheckBox,
    Role::ComboBox,
    Role::Link,
    Role::MultilineTextInput,
    Role::RadioButton,
    Role::Slider,
    Role::SpinButton,
    Role::Switch,
    Role::Tab,
    Role::TextInput,
];

/// Roles and places of controls without a name, and how many controls there are.
fn nameless(window: &Window) -> (Vec<String>, usize) {
    let (mut nameless, mut count) = (Vec::new(), 0);
    for node in window.harness.query_all_by(|node| CONTROLS.contains(&node.role())) {
        count += 1;
        if node.accesskit_node().label().is_none_or(|label| label.trim().is_empty()) {
            nameless.push(format!("{:?} at {:?}", node.accesskit_node().role(), node.rect()));
        }
    }
    (nameless, count)
}

#[test]
fn every_control_has_a_name_in_every_workspace_and_panel() {
    let mut window = Window::settled();
    for workspace in Workspace::ALL {
        window.click(Role::RadioButton, &format!("{} {}", labels::workspace(), workspace.label()));
        let tabs: Vec<Pane> = Pane::all().iter().copied().filter(|pane| window.has(pane.title())).collect();
        assert!(tabs.len() >= 2, "{}", workspace.label());
        for pane in tabs {
            if window.harness.query_all_by_role_and_label(Role::Button, pane.title()).count() == 1 {
                window.click(Role::Button, pane.title());
            }
            let (nameless, count) = nameless(&window);
            assert!(count > 10 && nameless.is_empty(), "{}, {}: {nameless:?} of {count}", workspace.label(), pane.title());
        }
    }
}

#[test]
fn the_keyboard_goes_through_the_bar_in_the_order_of_reading() {
    let mut window = Window::open([1400.0, 900.0], Box::new(|| Box::new(Canned::with_device())), None);
    window.settle();
    let mut places = Vec::new();
    for _ in 0..16 {
        window.harness.key_press(egui::Key::Tab);
        window.harness.run_steps(2);
        let focused = window.harness.query_all_by(|node| node.is_focused() && node.label().is_some()).last();
        let place = focused.map(|node| (node.accesskit_node().label().unwrap_or_default(), node.rect()));
        places.extend(place);
    }
    assert!(places.len() >= 12, "{places:?}");
    for pair in places.windows(2) {
        let [(before, left), (after, right)] = pair else { continue };
        let is_in_row = (left.center().y - right.center().y).abs() < 12.0;
        let follows = if is_in_row { left.left() < right.left() } else { left.top() < right.top() };
        assert!(follows, "'{after}' follows '{before}': {places:?}");
    }
}
