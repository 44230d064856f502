//! The panels of every workspace, a ladder's step and a start without a driver as text, in every language: no placeholder is left open, and whoever writes texts can read them aloud:
//!
//!     cargo test --test screens -- --nocapture
//!
//! The language is the whole process's, so this test has a process of its own.

#![allow(clippy::expect_used, reason = "a helper of a test that cannot go on fails it")]
#![allow(clippy::print_stdout, reason = "the words are to be read")]

#[path = "user_flows/canned.rs"]
#[allow(dead_code, reason = "the other flows use the rest")]
mod canned;
#[path = "user_flows/window.rs"]
#[allow(dead_code, reason = "the other flows use the rest")]
mod window;

use base::texts::Language;
use canned::Canned;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use engine::device::NoDevice;
use kernel_ladder::app::action::Command;
use kernel_ladder::app::labels;
use kernel_ladder::app::panes::Pane;
use kernel_ladder::app::workspace::Workspace;
use kernels::filters::FilterIdExt as _;
use model::FilterId;
use std::collections::BTreeSet;
use window::Window;

/// Everything that a screen says, from top to bottom, each once.
fn words(window: &Window) -> Vec<String> {
    // A control has a name, a text is its own value.
    let of = |label: Option<String>, value: Option<String>| label.or(value).filter(|words| !words.trim().is_empty());
    let nodes = window.harness.query_all_by(|node| node.label().is_some() || node.value().is_some());
    let told = nodes.filter_map(|node| {
        let words = of(node.accesskit_node().label(), node.accesskit_node().value())?;
        Some((node.rect().top(), node.rect().left(), words))
    });
    let mut said: Vec<(f32, f32, String)> = told.collect();
    said.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut known = BTreeSet::new();
    said.into_iter().map(|(.., words)| words).filter(|words| known.insert(words.clone())).collect()
}

/// A place for a value that nothing was put into: "{before.loads}". Kernels have braces of their own, and are in no label of one line.
fn is_left_open(words: &str) -> bool {
    let inside = words.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(name, _)| name);
    !words.contains('\n')
        && inside.is_some_and(|name| !name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase() || "._-".contains(letter)))
}

/// A new window speaks the language of the machine.
fn speak(window: &mut Window, language: Language) {
    if language != base::texts::language() {
        window.choose(Role::Button, labels::language(), language.label());
    }
}

struct Told {
    language: Language,
    screens: usize,
}

impl Told {
    fn tell(&mut self, window: &Window, screen: &str) {
        let words = words(window);
        println!("\n=== {} {screen}\n{}", self.language.label(), words.join("\n"));
        assert!(words.len() > 5, "{screen}: {words:?}");
        let open: Vec<_> = words.iter().filter(|words| is_left_open(words)).collect();
        assert!(open.is_empty(), "{screen}: {open:?}");
        self.screens += 1;
    }
}

#[test]
fn a_placeholder_is_told_from_code() {
    assert!(is_left_open("Reads per pixel: {before.loads}") && !is_left_open("Reads per pixel: 27"));
    assert!(!is_left_open("int a[] = {1, 2};") && !is_left_open("{}") && !is_left_open("if (x) {y\n}"));
}

#[test]
fn every_screen_says_all_that_it_says_in_every_language() {
    for language in Language::ALL {
        let mut told = Told { language, screens: 0 };
        let mut window = Window::settled();
        speak(&mut window, language);
        told.tell(&window, "first start");
        for workspace in Workspace::ALL {
            window.click(Role::RadioButton, &format!("{} {}", labels::workspace(), workspace.label()));
            window.harness.run_steps(6);
            for pane in Pane::all() {
                if window.harness.query_all_by_role_and_label(Role::Button, pane.title()).count() == 1 {
                    window.click(Role::Button, pane.title());
                    told.tell(&window, &format!("{}, {}", workspace.label(), pane.title()));
                }
            }
        }
        window.choose(Role::ComboBox, labels::ladder(), FilterId::Laplace.filter().ladders()[0].label());
        window.click(Role::Button, Command::NextStep.text().label);
        window.settle();
        told.tell(&window, "a ladder's second step");
        window.course_home();
        told.tell(&window, "the list of lessons");
        let titles: Vec<String> = window
            .state()
            .course
            .shelf
            .names()
            .iter()
            .filter_map(|name| Some(window.state().course.shelf.find(name, language)?.title.clone()))
            .collect();
        for title in titles {
            window.open_lesson(&title);
            window.harness.run_steps(4);
            told.tell(&window, &title);
        }
        let mut start = Window::at_start([1400.0, 900.0], Box::new(|| Box::new(Canned::with_device())), None);
        speak(&mut start, language);
        start.wait("the switch", |state| state.start.shown().is_some() && state.pending.is_empty());
        told.tell(&start, "start");
        let no_device = || NoDevice::DriverFailed("it is broken".to_owned());
        let mut window = Window::open([1024.0, 700.0], Box::new(move || Box::new(Canned::without_device(no_device()))), None);
        window.settle();
        speak(&mut window, language);
        told.tell(&window, "no driver");
        assert!(told.screens >= 30, "{} screens", told.screens);
    }
}
