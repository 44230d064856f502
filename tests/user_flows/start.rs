//! The first ten seconds: one switch, few words, few controls; and how much the screens of lessons say.

use super::canned::Canned;
use super::window::Window;
use base::texts::text;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use kernel_ladder::app::action::Command;
use kernel_ladder::app::nav::Section;
use model::Channels;
use pictures::{Picture, save};

/// What a screen asks of whoever reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Load {
    words: usize,
    controls: usize,
    numbers: usize,
}

/// Words that stand on the screen, things that can be pressed, and words that are numbers. Pictures count as none: what they say is for who cannot see them.
fn load(window: &Window) -> Load {
    let is_control = |role: Role| {
        matches!(
            role,
            Role::Button | Role::RadioButton | Role::CheckBox | Role::ComboBox | Role::Slider | Role::TextInput | Role::SpinButton
        )
    };
    let nodes: Vec<_> = window.harness.query_all_by(|node| node.label().is_some() || node.value().is_some()).collect();
    let said = nodes
        .iter()
        .filter(|node| node.accesskit_node().role() != Role::Image && node.accesskit_node().role() != Role::Window)
        .filter_map(|node| {
            let node = node.accesskit_node();
            node.label().or_else(|| node.value())
        });
    let words: Vec<String> = said.flat_map(|said| said.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    let is_number = |word: &&String| word.chars().any(|letter| letter.is_ascii_digit());
    if std::env::var_os("KERNEL_LADDER_WORDS").is_some() {
        println!("{}", words.join(" "));
    }
    Load {
        words: words.iter().filter(|word| word.chars().any(char::is_alphanumeric)).count(),
        controls: nodes.iter().filter(|node| is_control(node.accesskit_node().role())).count(),
        numbers: words.iter().filter(is_number).count(),
    }
}

/// Start, over a picture of a person's own, with its switch decided on.
fn started(size: [f32; 2]) -> (Window, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("own.png");
    save(&path, &Picture::from_fn(96, 64, Channels::Rgb, |x, y, channel| [2 * x, 3 * y, 90][channel] as u8)).expect("saved");
    let mut window = Window::at_start(size, Box::new(|| Box::new(Canned::with_device())), Some(path));
    window.wait("the switch", |state| state.start.shown().is_some() && state.pending.is_empty());
    window.harness.run_steps(10);
    (window, folder)
}

#[test]
fn start_is_one_switch_with_few_words_and_its_press_shows_what_it_does() {
    let (mut window, _folder) = started([1400.0, 900.0]);
    let before = load(&window);
    println!("{before:?}");
    assert!(before.words <= 60 && before.controls <= 12, "{before:?}");
    let switch = window.state().start.switch();
    assert!(!window.has_part("×"), "what it does is hidden until the press");
    window.click(Role::RadioButton, switch.label(true));
    window.settle();
    let after = load(&window);
    println!("{after:?}");
    // The result in words, two bars with their quartiles.
    assert!(window.has_part("×") && window.has(text("start.exact")));
    assert!(after.words <= 60 && after.controls <= 12, "{after:?}");
    // Two ways on, and the Lab one click away.
    assert!(window.has(text("start.why")) && window.has(text("start.photo")));
    window.click(Role::RadioButton, Section::Lab.label());
    assert!(window.has(Command::Naive.text().label));
}

#[test]
fn why_leads_into_the_first_lesson_and_its_screens_say_little() {
    let (mut window, _folder) = started([1400.0, 900.0]);
    window.click(Role::Button, text("start.why"));
    assert_eq!(window.state().here().map(|here| (here.name.to_owned(), here.index)), Some(("0-one-switch".to_owned(), 0)));
    window.wait("the lesson's picture", |state| state.picture.as_ref().is_some_and(|opened| opened.name == "generated"));
    for screen in 0..5 {
        window.settle();
        window.harness.run_steps(6);
        let said = load(&window);
        println!("screen {}: {said:?}", screen + 1);
        // The kernel itself, which some screens show, is counted, too.
        assert!(said.words <= 280 && said.controls <= 45 && said.numbers <= 60, "screen {}: {said:?}", screen + 1);
        window.click(Role::Button, "Next screen");
    }
}

#[test]
fn start_folds_into_a_small_window() {
    let (window, _folder) = started([800.0, 560.0]);
    let said = load(&window);
    assert!(said.controls <= 12 && window.has(text("start.why")), "{said:?}");
}
