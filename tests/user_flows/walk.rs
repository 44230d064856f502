//! Every built-in lesson from its first screen to its card, by keyboard alone in English and by mouse alone in Chinese: what a screen needs is there, in the
//! window and beside the rest. With `KERNEL_LADDER_WALK=FOLDER` one walk over the real engine leaves a picture of every screen there.

use super::canned::Canned;
use super::window::{Make, Window};
use base::texts::{Language, language, text};
use egui::accesskit::{Role, Toggled};
use egui::{Key, Modifiers, Rect};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use engine::Engine;
use kernel_ladder::app::labels;
use kernel_ladder::app::lessons_panel::Given;
use kernel_ladder::app::nav::Section;
use kernel_ladder::app::state::State;
use model::{LocalSize, StageId, stages};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use study::lessons::{Gap, Item};

/// What a person has at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Keys,
    Mouse,
}

/// How a lesson is walked.
struct Walk {
    by: By,
    size: [f32; 2],
    presents: bool,
    /// Pictures of screens are left here, with this begin of their names.
    pictures: Option<(PathBuf, String)>,
}

/// Work-groups that solve the tasks about them.
const LOCAL_SIZES: [(&str, [usize; 2]); 3] = [("1-memory-access", [16, 2]), ("2-cpu-device", [128, 2]), ("7-your-own-kernel", [8, 1])];

/// A stage to switch on, and one of its values.
type Switch = (StageId, Option<&'static str>);

/// Stages that solve the tasks about them. Where they do not, others are tried, too.
const STAGES_OF_TASKS: [(&str, &[Switch]); 6] = [
    ("0-one-switch", &[(StageId::Padded, None), (StageId::Vectorize, Some("16"))]),
    ("1-memory-access", &[(StageId::Coalesced, None)]),
    ("3-packed-reads", &[(StageId::Vectorize, Some("8"))]),
    ("4-fewer-reads", &[(StageId::Separable, None)]),
    ("5-full-pipe", &[(StageId::Access, None), (StageId::Rows, None)]),
    ("6-transfers", &[(StageId::Padded, None), (StageId::Vectorize, None)]),
];

/// Whether a fact is about what the work-group decides.
fn is_of_local_size(fact: &str) -> bool {
    ["segments", "groups", "idle_share"].iter().any(|name| fact.ends_with(name))
}

/// Tab is pressed so often at most.
const MOST_TABS: usize = 120;

impl Walk {
    fn press(window: &mut Window, key: Key) {
        window.harness.key_press(key);
        window.harness.run_steps(3);
    }

    /// Presses the control of this label.
    fn use_control(&self, window: &mut Window, role: Role, label: &str) {
        match self.by {
            By::Mouse => window.click(role, label),
            By::Keys => {
                Self::focus(window, role, label);
                Self::press(window, Key::Space);
            }
        }
        window.harness.run_steps(4);
    }

    /// Goes to the control of this label with the keyboard.
    fn focus(window: &mut Window, role: Role, label: &str) {
        let is_there = |window: &Window| {
            let mut focused = window.harness.query_all_by(|node| node.role() == role && node.is_focused());
            focused.any(|node| node.accesskit_node().label().as_deref() == Some(label))
        };
        // Where it was, for whom it does not come.
        let mut way = Vec::new();
        while !is_there(window) {
            let focused = window.harness.query_all_by(|node| node.role() != Role::Window && node.is_focused()).next();
            way.push(focused.map_or_else(|| "nothing".to_owned(), |node| format!("{:?}", node.accesskit_node().label())));
            assert!(way.len() < MOST_TABS, "the keyboard does not come to {label}, but to {}", way.join(", "));
            Self::press(window, Key::Tab);
        }
    }

    /// Takes an answer of a question by its number: the digit, or a click on it.
    fn answer(&self, window: &mut Window, number: usize) {
        match self.by {
            By::Keys => Self::press(window, [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5][number - 1]),
            By::Mouse => {
                let start = format!("{number}  ");
                window.node_starting(&start).scroll_to_me();
                window.harness.run_steps(4);
                window.node_starting(&start).click();
            }
        }
        window.harness.run_steps(4);
    }

    fn at_rest(window: &mut Window) {
        // What an answer brings may ask for more.
        for _ in 0..2 {
            window.wait("rest", State::is_at_rest);
            window.harness.run_steps(4);
        }
    }

    /// The screen shows what it is about: its picture is opened, and its variant, or what that is compared with, is chosen.
    fn arrive(window: &mut Window) {
        window.wait("what the screen shows", |state| {
            let Some(show) = state.here().filter(|here| !here.is_over).and_then(|here| here.screen()?.show.clone()) else { return true };
            let chosen = state.choice().variant;
            let is_chosen = chosen == show.variant || show.against.is_some_and(|against| against.variant == chosen);
            state.why_not_shown(&show).is_some() || state.has_picture(&show) && state.choice().spec.filter == show.spec.filter && is_chosen
        });
        Self::at_rest(window);
    }

    /// From the start of the program to the lesson's card; how many screens were walked.
    fn to_the_card(&self, make: Make, lesson: &str) -> usize {
        let mut window = Window::at_start(self.size, make, None);
        window.wait("the switch", |state| state.start.shown().is_some() && state.pending.is_empty());
        self.use_control(&mut window, Role::RadioButton, Section::Course.label());
        let title = window
            .state()
            .course
            .shelf
            .edition(lesson, language())
            .and_then(|edition| edition.lesson.clone())
            .expect("a lesson")
            .title
            .clone();
        self.use_control(&mut window, Role::Button, &title);
        if self.presents {
            self.use_control(&mut window, Role::CheckBox, text("course.present"));
        }
        Self::arrive(&mut window);
        // The button that was used keeps the keyboard from the lesson. A field of the first screen may have taken it by now, and is to have it.
        let is_field = window.harness.query_all_by(|node| node.role() == Role::TextInput && node.is_focused()).next().is_some();
        if let Some(id) = window.harness.ctx.memory(egui::Memory::focused).filter(|_| !is_field) {
            window.harness.ctx.memory_mut(|memory| memory.surrender_focus(id));
        }
        let mut walked = 0;
        loop {
            Self::arrive(&mut window);
            let Some((index, count, is_over)) = window.state().here().map(|here| (here.index, here.lesson.screens.len(), here.is_over))
            else {
                panic!("{lesson}: left after {walked} screens")
            };
            let place = format!("{lesson}, screen {} of {count}, {:?}, {:?}", index + 1, self.by, self.size);
            self.look(&mut window, &place, if is_over { "card".to_owned() } else { format!("{:02}", index + 1) }.as_str(), false);
            if is_over {
                break;
            }
            walked += 1;
            assert!(walked <= count, "{place}: it goes on for ever");
            let item = window.state().here().and_then(|here| here.screen().and_then(|screen| screen.item.clone()));
            self.do_item(&mut window, item.as_ref(), &place);
            // What a person has scrolled to hides other controls behind the edge.
            let is_scrolled = matches!(item, Some(Item::Task(_)));
            self.look(&mut window, &place, &format!("{:02}b", index + 1), is_scrolled);
            self.go_on(&mut window, index, &place);
        }
        assert!(window.has_part(&title), "the card says what is done");
        walked
    }

    /// Whether answers with numbers stand there.
    fn has_answers(window: &Window) -> bool {
        let is_answer = |label: String| label.starts_with("1  ");
        window.harness.query_all_by(|node| node.role() == Role::Button && node.label().is_some_and(is_answer)).next().is_some()
    }

    fn do_item(&self, window: &mut Window, item: Option<&Item>, place: &str) {
        match item {
            Some(Item::Choose(_) | Item::Experiment(_)) if Self::has_answers(window) => {
                self.answer(window, 1);
                Self::at_rest(window);
            }
            Some(Item::Number(_)) if window.has(text("lessons.item.your-number")) => {
                match self.by {
                    // The field has the keyboard.
                    By::Keys => {
                        window.harness.event(egui::Event::Text("32".to_owned()));
                        window.harness.run_steps(2);
                        Self::press(window, Key::Enter);
                    }
                    By::Mouse => {
                        for digit in ["3", "1"] {
                            self.use_control(window, Role::Button, digit);
                        }
                        self.use_control(window, Role::Button, text("lessons.item.erase"));
                        self.use_control(window, Role::Button, "2");
                        self.use_control(window, Role::Button, text("lessons.item.answer"));
                    }
                }
                assert!(window.state().given().is_some(), "{place}: the number was not taken");
            }
            Some(Item::Predict) if Self::has_answers(window) => {
                self.answer(window, 3);
                Self::at_rest(window);
                // Why it is so.
                if Self::has_answers(window) {
                    self.answer(window, 1);
                    Self::at_rest(window);
                }
            }
            Some(Item::Task(goal)) => {
                match &goal.gap {
                    Some(gap) => {
                        self.write_code(window, gap, place);
                        if matches!(self.by, By::Mouse) {
                            // The program wrote it.
                            Self::at_rest(window);
                            assert_eq!(window.state().given(), Some(Given::Skipped), "{place}");
                            return;
                        }
                    }
                    None if goal.when.iter().any(|condition| condition.facts().any(is_of_local_size)) => {
                        self.choose_local_size(window, place);
                    }
                    None => self.switch_stages(window, place),
                }
                self.reach(window, place);
            }
            _ => {}
        }
    }

    /// The missing lines, typed over what stands in their place; or the solution, which is asked for.
    fn write_code(&self, window: &mut Window, gap: &Gap, place: &str) {
        match self.by {
            By::Keys => {
                let kernel = window.state().draft().unwrap_or_else(|| panic!("{place}: nothing is edited")).clone();
                let before = kernel.find(&gap.leave).map_or_else(|| panic!("{place}: no gap"), |at| &kernel[..at]);
                Self::focus(window, Role::MultilineTextInput, labels::edited_kernel());
                window.harness.key_press_modifiers(Modifiers::CTRL | Modifiers::COMMAND, Key::Home);
                for _ in 0..before.lines().count() {
                    Self::press(window, Key::ArrowDown);
                }
                for _ in 0..gap.leave.lines().count() {
                    window.harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowDown);
                    window.harness.run_steps(1);
                }
                window.harness.event(egui::Event::Paste(gap.take.clone()));
            }
            By::Mouse => {
                self.use_control(window, Role::DisclosureTriangle, text("course.solution"));
                self.use_control(window, Role::Button, text("course.insert-solution"));
            }
        }
        window.harness.run_steps(4);
        let kernel = window.state().draft().expect("a kernel").clone();
        assert!(kernel.contains(&gap.take) && !kernel.contains(&gap.leave), "{place}: {kernel}");
    }

    /// One side of the work-group after the other.
    fn choose_local_size(&self, window: &mut Window, place: &str) {
        let wanted = LOCAL_SIZES.iter().find(|(lesson, _)| place.starts_with(lesson)).map(|(_, size)| *size);
        let wanted = wanted.unwrap_or_else(|| panic!("{place}: which local size?"));
        for (side, label) in [labels::local_x(), labels::local_y()].into_iter().enumerate() {
            let now = |window: &Window| match window.state().choice().local {
                LocalSize::Explicit(size) => size[side],
                LocalSize::Driver => panic!("{place}: the driver chooses"),
            };
            match self.by {
                By::Keys => {
                    Self::focus(window, Role::Slider, label);
                    for _ in 0..12 {
                        let now = now(window);
                        if now != wanted[side] {
                            Self::press(window, if now < wanted[side] { Key::ArrowRight } else { Key::ArrowLeft });
                        }
                    }
                }
                // From left to right over the slider.
                By::Mouse => {
                    window.node(Role::Slider, label).scroll_to_me();
                    window.harness.run_steps(6);
                    let rect = window.node(Role::Slider, label).rect();
                    for part in 0..=40 {
                        if now(window) == wanted[side] {
                            break;
                        }
                        let at = egui::pos2(rect.left() + rect.width() * part as f32 / 40.0, rect.center().y);
                        for pressed in [true, false] {
                            window.harness.hover_at(at);
                            let button = egui::PointerButton::Primary;
                            window.harness.event(egui::Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
                            window.harness.run_steps(2);
                        }
                    }
                }
            }
            assert_eq!(now(window), wanted[side], "{place}: {label}");
            Self::at_rest(window);
        }
    }

    /// The stages that the task is about, then others, until it is reached.
    fn switch_stages(&self, window: &mut Window, place: &str) {
        let known = STAGES_OF_TASKS.iter().find(|(lesson, _)| place.starts_with(lesson)).map_or(&[][..], |(_, switches)| switches);
        for (stage, value) in known {
            let label = stage.stage().label();
            match value {
                None => self.use_control(window, Role::CheckBox, label),
                Some(value) => self.use_control(window, Role::RadioButton, &format!("{label} {value}")),
            }
            Self::at_rest(window);
        }
        for _ in 0..4 {
            // What is likely is measured again, before anything else is tried.
            if self.is_reached_in(window, 5) {
                return;
            }
            let switch = {
                let boxes = window.harness.query_all_by(|node| node.role() == Role::CheckBox && !node.is_disabled());
                let off = boxes.filter(|node| node.accesskit_node().toggled() == Some(Toggled::False));
                let mut labels = off.filter_map(|node| node.accesskit_node().label());
                labels.find(|label| stages().any(|stage| stage.label() == label))
            };
            let Some(switch) = switch else { return };
            let before = window.state().choice().variant;
            self.use_control(window, Role::CheckBox, &switch);
            Self::at_rest(window);
            assert_ne!(window.state().choice().variant, before, "{place}: {switch} does nothing");
        }
    }

    fn is_reached(window: &Window) -> bool {
        window.has(text("lessons.item.reached"))
    }

    /// Until the screen says that the task is done.
    fn reach(&self, window: &mut Window, place: &str) {
        let is_reached = self.is_reached_in(window, 200);
        let choice = window.state().choice();
        assert!(is_reached, "{place}: the task is not reached with {} {:?}", choice.variant, choice.local);
    }

    /// Whether the screen says within so many looks that the task is done; what is only likely is measured again.
    fn is_reached_in(&self, window: &mut Window, looks: usize) -> bool {
        for _ in 0..looks {
            Self::at_rest(window);
            if Self::is_reached(window) {
                return true;
            }
            let again = text("window.again.label");
            let has_again =
                || window.harness.query_all_by_role_and_label(Role::Button, again).any(|node| !node.accesskit_node().is_disabled());
            if has_again() {
                match self.by {
                    By::Keys => self.use_control(window, Role::Button, again),
                    // The effect of the last switch may have one, too.
                    By::Mouse => {
                        window.harness.query_all_by_role_and_label(Role::Button, again).for_each(|node| node.click());
                        window.harness.run_steps(4);
                    }
                }
            }
            // An edited kernel is tried a moment after it was typed.
            std::thread::sleep(Duration::from_millis(20));
            window.harness.step();
        }
        false
    }

    fn go_on(&self, window: &mut Window, index: usize, place: &str) {
        match self.by {
            By::Keys => {
                // Enter goes on once nothing has the keyboard.
                if let Some(id) = window.harness.ctx.memory(egui::Memory::focused) {
                    Self::press(window, Key::Escape);
                    assert_ne!(window.harness.ctx.memory(egui::Memory::focused), Some(id), "{place}: Escape does not let go");
                }
                Self::press(window, Key::ArrowRight);
            }
            By::Mouse => self.use_control(window, Role::Button, text("lessons.screen.next")),
        }
        let now = window.state().here().map(|here| (here.index, here.is_over));
        assert!(now.is_some_and(|(now, is_over)| now > index || is_over), "{place}: it does not go on: {now:?}");
    }

    /// Whether all that can be pressed is within the window and beside the rest; and a picture.
    fn look(&self, window: &mut Window, place: &str, name: &str, is_scrolled: bool) {
        let controls: Vec<(String, Rect)> = {
            let is_control = |role: Role| {
                matches!(
                    role,
                    Role::Button
                        | Role::RadioButton
                        | Role::CheckBox
                        | Role::ComboBox
                        | Role::TextInput
                        | Role::Slider
                        | Role::DisclosureTriangle
                )
            };
            let nodes = window.harness.query_all_by(|node| is_control(node.role()) && !node.is_hidden());
            nodes.map(|node| (node.accesskit_node().label().unwrap_or_default(), node.rect())).collect()
        };
        // Larger type is a larger point.
        let [width, height] = self.size.map(|side| side / window.harness.ctx.zoom_factor());
        let seen = Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(width, height));
        for (index, (label, rect)) in controls.iter().enumerate() {
            assert!(rect.left() >= -1.0 && rect.right() <= width + 1.0, "{place}: {label} is cut off at {rect:?}");
            for (other, area) in controls[..index].iter().filter(|_| !is_scrolled) {
                let shared = rect.intersect(*area).intersect(seen);
                // Rows of a chart that was scrolled lie behind its edge.
                let is_row = |rect: &Rect| rect.width() > 0.28 * width;
                // The text is scrolled behind the way on.
                let is_way_on = |label: &str| label == text("lessons.screen.go-on");
                let overlaps = !is_way_on(label)
                    && !is_way_on(other)
                    && !is_row(rect)
                    && !is_row(area)
                    && shared.is_positive()
                    && shared.width() > 2.0
                    && shared.height() > 2.0;
                let is_within = rect.contains_rect(*area) || area.contains_rect(*rect);
                assert!(!overlaps || is_within, "{place}: {label} covers {other}: {rect:?}, {area:?}");
            }
        }
        let Some((folder, start)) = &self.pictures else { return };
        // What plays and what is filled in the background gets some time.
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(40));
            window.harness.step();
        }
        let picture = window.harness.render().expect("a picture");
        picture.save(folder.join(format!("{start}-{name}.png"))).expect("saved");
    }
}

fn canned() -> Make {
    Box::new(|| Box::new(Canned::with_device()))
}

fn lessons() -> Vec<String> {
    study::lessons::Shelf::default().names().into_iter().map(str::to_owned).collect()
}

/// All lessons: by keyboard in a small window, by mouse in a projector's with larger type.
fn walk_all(by: By) {
    let mut screens = 0;
    for lesson in lessons() {
        let walk = match by {
            By::Keys => Walk { by, size: [1024.0, 700.0], presents: false, pictures: None },
            By::Mouse => Walk { by, size: [1280.0, 720.0], presents: true, pictures: None },
        };
        let walked = walk.to_the_card(canned(), &lesson);
        assert!(walked >= 4, "{lesson}: {walked}");
        screens += walked;
    }
    println!("{screens} screens, {by:?}, {:?}", language());
    assert!(screens > 50, "{screens}");
}

#[test]
fn every_lesson_is_walked_to_its_card_by_keyboard() {
    walk_all(By::Keys);
}

/// Texts are of one language in a process.
const CHILD: &str = "KERNEL_LADDER_WALK_CHINESE";

#[test]
fn every_lesson_is_walked_to_its_card_by_mouse_and_in_chinese() {
    let own = std::env::current_exe().expect("this test");
    let child =
        Command::new(own).args(["--exact", "walk::in_chinese", "--ignored", "--nocapture"]).env(CHILD, "1").output().expect("it starts");
    assert!(child.status.success(), "{}{}", String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
}

#[test]
#[ignore = "the child of the test above, which starts it"]
fn in_chinese() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    base::texts::set_language(Language::Chinese);
    walk_all(By::Mouse);
}

/// `KERNEL_LADDER_WALK=FOLDER`, and `KERNEL_LADDER_WALK_AS=LESSON,WIDTHxHEIGHT,keys|mouse,en|zh,plain|present`.
#[test]
#[ignore = "leaves pictures to be looked at; takes a minute for each lesson"]
fn pictures() {
    let Some(folder) = std::env::var_os("KERNEL_LADDER_WALK") else { return };
    let walk_as = std::env::var("KERNEL_LADDER_WALK_AS").expect("KERNEL_LADDER_WALK_AS");
    let [lesson, size, by, spoken, how] = walk_as.split(',').collect::<Vec<_>>()[..] else { panic!("five parts: {walk_as}") };
    let sides: Vec<f32> = size.split('x').map(|side| side.parse().expect("a number")).collect();
    if spoken == "zh" {
        base::texts::set_language(Language::Chinese);
    }
    std::fs::create_dir_all(Path::new(&folder)).expect("a folder");
    let walk = Walk {
        by: if by == "keys" { By::Keys } else { By::Mouse },
        size: [sides[0], sides[1]],
        presents: how == "present",
        pictures: Some((PathBuf::from(folder), walk_as.replace(',', "-"))),
    };
    let walked = walk.to_the_card(Box::new(|| Box::new(Engine::new())), lesson);
    println!("{walk_as}: {walked} screens");
}
