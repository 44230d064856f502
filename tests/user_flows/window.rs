//! The window under test and how to use it.

use super::canned::Canned;
use base::texts::text;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, Node};
use engine::Backend;
use kernel_ladder::app::nav::Section;
use kernel_ladder::app::state::State;
use kernel_ladder::app::{App, KeptFiles, Saved, Start};
use kernel_ladder::runner::MakeBackend;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is waited for comes within this, or never.
const PATIENCE: Duration = Duration::from_mins(3);

/// Makes the engine, which wakes nobody.
pub type Make = Box<dyn Fn() -> Box<dyn Backend> + Send>;

/// The same, opened in the Lab: most flows are there.
fn in_the_lab(saved: Saved) -> Saved {
    let settings = saved.settings.clone().or_else(|| Some(r#"{"opens_lab":true}"#.to_owned()));
    Saved { settings, ..saved }
}

/// A window with its engine and file thread.
pub struct Window {
    pub harness: Harness<'static, App>,
}

impl Window {
    /// At its first result, with all readings there that come without being asked.
    pub fn settled() -> Self {
        let mut window = Self::open([1400.0, 900.0], Box::new(|| Box::new(Canned::with_device())), None);
        window.settle();
        window
    }

    pub fn open(size: [f32; 2], make: Make, picture: Option<PathBuf>) -> Self {
        Self::open_saved(size, make, picture, in_the_lab(Saved::default()))
    }

    /// As a person meets it first.
    pub fn at_start(size: [f32; 2], make: Make, picture: Option<PathBuf>) -> Self {
        Self::open_saved(size, make, picture, Saved::default())
    }

    fn open_saved(size: [f32; 2], make: Make, picture: Option<PathBuf>, saved: Saved) -> Self {
        let make_backend: MakeBackend = Box::new(move |_| make());
        Self::open_with(size, Start { picture, saved, ..Start::of(make_backend) })
    }

    /// With a device, and a folder for what outlasts the window.
    pub fn keeping(folder: &Path) -> Self {
        Self::keeping_with(folder, Box::new(|| Box::new(Canned::with_device())))
    }

    /// The same with an engine of one's own.
    pub fn keeping_with(folder: &Path, make: Make) -> Self {
        let make_backend: MakeBackend = Box::new(move |_| make());
        let kept = KeptFiles::of(folder);
        let saved = in_the_lab(Saved::read(&kept));
        Self::open_with([1400.0, 900.0], Start { kept, saved, ..Start::of(make_backend) })
    }

    fn open_with(size: [f32; 2], start: Start) -> Self {
        let harness = Harness::builder().with_size(size).with_max_steps(16).build_eframe(|cc| App::new(cc, start).expect("threads start"));
        // As `App::clear_color` does in a real window.
        let ground = |ui: &mut egui::Ui| {
            ui.ctx().layer_painter(egui::LayerId::background()).rect_filled(ui.ctx().content_rect(), 0.0, ui.visuals().panel_fill);
        };
        harness.ctx.on_begin_pass("ground", Arc::new(ground));
        // What is scrolled to is there at once.
        harness.ctx.all_styles_mut(|style| style.scroll_animation = egui::style::ScrollAnimation::none());
        Self { harness }
    }

    pub fn state(&self) -> &State {
        self.harness.state().state()
    }

    /// Steps until `is_there`; other threads need real time.
    pub fn wait(&mut self, what: &str, is_there: impl Fn(&State) -> bool) {
        let begun = Instant::now();
        while !is_there(self.state()) {
            assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}; notices: {:?}", self.state().notices.all());
            std::thread::sleep(Duration::from_millis(2));
            self.harness.step();
        }
        self.harness.run_steps(3);
    }

    /// Waits until a result is verified and measured and nothing is pending.
    pub fn settle(&mut self) {
        self.wait("a measured result", |state| {
            let is_measured = state.shown.as_ref().is_some_and(|shown| shown.verified.is_some()) && state.shown_row().is_some();
            is_measured && state.is_at_rest()
        });
    }

    pub fn node<'a>(&'a self, role: Role, label: &'a str) -> Node<'a> {
        self.harness.get_by_role_and_label(role, label)
    }

    /// The one button whose label starts with `start`: bars say their figures after their name.
    pub fn node_starting<'a>(&'a self, start: &'a str) -> Node<'a> {
        self.harness.get_by(move |node| node.role() == Role::Button && node.label().is_some_and(|label| label.starts_with(start)))
    }

    /// The one button whose label ends with `end`: answers have their key before them.
    pub fn node_ending<'a>(&'a self, end: &'a str) -> Node<'a> {
        self.harness.get_by(move |node| node.role() == Role::Button && node.label().is_some_and(|label| label.ends_with(end)))
    }

    pub fn has(&self, label: &str) -> bool {
        self.harness.query_all_by_label(label).next().is_some()
    }

    /// Whether a label has these words in it.
    pub fn has_part(&self, words: &str) -> bool {
        self.harness.query_all_by_label_contains(words).next().is_some()
    }

    pub fn is_disabled(&self, role: Role, label: &str) -> bool {
        self.node(role, label).accesskit_node().is_disabled()
    }

    pub fn click(&mut self, role: Role, label: &str) {
        // A person scrolls to what a panel's edge hides.
        self.node(role, label).scroll_to_me();
        self.harness.run_steps(6);
        self.node(role, label).click();
        self.harness.run_steps(3);
    }

    /// Goes to the course, and opens the lesson, or the ladder, of that title.
    pub fn open_lesson(&mut self, title: &str) {
        self.course_home();
        self.click(Role::Button, title);
    }

    /// Goes to the list of lessons.
    pub fn course_home(&mut self) {
        self.click(Role::RadioButton, Section::Course.label());
        if self.state().here().is_some() {
            self.click(Role::Button, text("course.leave"));
        }
    }

    /// Opens the menu or combo box `label` and presses `entry` in it.
    pub fn choose(&mut self, kind: Role, label: &str, entry: &str) {
        self.click(kind, label);
        self.click(Role::Button, entry);
    }

    /// Opens the menu `label`, switches `entry` in it, and closes it.
    pub fn choose_check(&mut self, label: &str, entry: &str) {
        self.click(Role::Button, label);
        self.click(Role::CheckBox, entry);
        self.click(Role::Button, label);
    }

    /// Replaces the text of a field.
    pub fn write(&mut self, label: &str, text: &str) {
        self.node(Role::TextInput, label).focus();
        self.harness.run_steps(1);
        self.node(Role::TextInput, label).type_text(text);
        self.harness.run_steps(2);
    }
}
