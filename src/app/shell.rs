//! The `eframe::App`: drains news, carries effects out, saves settings. Nothing here waits.

use super::action::{Action, Command};
use super::editing::Editing;
use super::frames::{Begun, Frames};
use super::latency::{Latency, Painted};
use super::layout::draw;
use super::lessons_panel::{CourseAction, LessonsJob};
use super::nav::Section;
use super::own_filters::OwnFilters;
use super::panes::Panels;
use super::pictures::Announcer;
use super::saved::{Saved, Saver, WindowPlace};
use super::settings::Settings;
use super::state::{Effect, FileJob, Job, State};
use super::storage::{Files, KeptFiles, Tell, is_kernel, path_from_text};
use super::theme;
use super::tiles::Tiles;
use crate::runner::{Deliver, MakeBackend, ProjectJob, Runner, Update};
use base::error::Result;
use base::files::LinesJob;
use base::texts::{self, Language, failed};
use egui::{Event, Key};
use kernels::catalog::OwnFolder;
use pictures::samples;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How long a slider has to rest before the worker is asked: drivers compile again for every local work size.
const SLIDER_REST: Duration = Duration::from_millis(60);

/// How long nothing is asked before disturbed readings are taken again: other programs get this long to finish.
const RETAKE_REST: Duration = Duration::from_secs(5);

/// How long nothing is typed before an edited kernel is tried: compilers take longer than fingers.
const TYPING_REST: Duration = Duration::from_millis(350);

/// How long settings have to rest before they are saved: a crash or a signal then loses at most this much.
const SAVE_REST: Duration = Duration::from_secs(1);

/// What the window starts with.
pub struct Start {
    /// Shown instead of the sample.
    pub picture: Option<PathBuf>,
    /// Machines whose devices are listed, too, as if they had been entered.
    pub hosts: Vec<String>,
    /// Folders of filters that were read already, to be looked after.
    pub filters: Vec<OwnFolder>,
    /// Makes the engine, on its own thread.
    pub make_backend: MakeBackend,
    /// Spoken in this run, whatever was chosen in earlier ones.
    pub language: Option<Language>,
    /// What is kept over a restart.
    pub kept: KeptFiles,
    /// What of it was read before the window opened.
    pub saved: Saved,
    /// When the program began.
    pub begun: Instant,
    /// Print how long frames took when the window closes, with a table of how many took how long.
    pub print_frames: bool,
}

impl Start {
    /// Over this engine, with nothing kept and nothing opened.
    #[must_use]
    pub fn of(make_backend: MakeBackend) -> Self {
        Self {
            picture: None,
            hosts: Vec::new(),
            filters: Vec::new(),
            make_backend,
            language: None,
            kept: KeptFiles::default(),
            saved: Saved::default(),
            begun: Instant::now(),
            print_frames: false,
        }
    }
}

/// The window.
pub struct App {
    state: State,
    worker: Runner,
    files: Files,
    own_filters: OwnFilters,
    /// The folder of what searches through projects tried.
    searches: Option<PathBuf>,
    news: Receiver<Action>,
    render_due: Option<Instant>,
    retake_due: Option<Instant>,
    try_due: Option<Instant>,
    saved: Settings,
    saver: Saver,
    ctx: egui::Context,
    place: WindowPlace,
    save_due: Option<Instant>,
    tiles: Tiles,
    panels: Panels,
    frames: Frames,
    latency: Latency,
    print_frames: bool,
    is_quitting: bool,
    /// The screen is to be filled, or to be left.
    turns_screen: bool,
}

impl App {
    /// Starts the worker and the file thread and asks for the first picture.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn new(cc: &eframe::CreationContext<'_>, start: Start) -> Result<Self> {
        if let Some(memory) = start.saved.window.memory.clone().and_then(|memory| serde_json::from_value(memory).ok()) {
            cc.egui_ctx.data_mut(|data| *data = memory);
        }
        theme::install(&cc.egui_ctx);
        let (sender, news) = channel();
        let panels = Panels::new(&cc.egui_ctx)?;
        let deliver = deliver(panels.pictures.announcer(), sender.clone(), cc.egui_ctx.clone());
        let ctx = cc.egui_ctx.clone();
        let tell: Tell = Arc::new(move |action| {
            // The window may be closing: then nobody waits for it.
            let _ = sender.send(action);
            ctx.request_repaint();
        });
        let (settings, damage) = start.saved.settings.as_deref().map_or_else(Default::default, Settings::load);
        let saver = Saver::start(&start.kept, &settings.to_text(), Arc::clone(&tell))?;
        let own_filters = OwnFilters::start(start.filters, Arc::clone(&tell))?;
        let searches = start.kept.searches.clone();
        let files = Files::start(tell, start.kept)?;
        let (saved, damage) = (settings.clone(), damage);
        let settings = settings.with_hosts(&start.hosts);
        let worker = Runner::start(start.make_backend, settings.host_list(), deliver)?;
        cc.egui_ctx.set_theme(settings.theme);
        if let Some(language) = start.language.or(settings.language) {
            texts::set_language(language);
        }
        let mut app = Self {
            state: State::new(settings),
            worker,
            files,
            own_filters,
            searches,
            news,
            render_due: None,
            retake_due: None,
            try_due: None,
            saved,
            saver,
            ctx: cc.egui_ctx.clone(),
            place: start.saved.window,
            save_due: None,
            tiles: Tiles::default(),
            panels,
            frames: Frames::default(),
            latency: Latency::new(start.begun),
            print_frames: start.print_frames,
            is_quitting: false,
            turns_screen: false,
        };
        if !app.state.settings.opens_lab {
            app.state.section = Section::Start;
        }
        // First: a draft that may run waits for nothing.
        app.files.post(FileJob::Agreed(LinesJob::Read));
        app.files.post(FileJob::History(LinesJob::Read));
        app.files.post(FileJob::Predictions(LinesJob::Read));
        app.files.post(FileJob::Lessons(LessonsJob::Read));
        // A kernel needs a picture to run on.
        if start.picture.as_deref().is_none_or(is_kernel) {
            let sample = samples().first().map_or_else(String::new, |sample| sample.name.to_owned());
            // Start asks for a picture that is as large as a photo.
            app.files.post(if app.state.section == Section::Start { FileJob::Enlarged(sample) } else { FileJob::Sample(sample) });
        }
        if let Some(path) = start.picture {
            app.files.post(FileJob::Open(path));
        }
        // Not needed for the first result: behind the picture.
        app.files.post(FileJob::Tunings(LinesJob::Read));
        app.files.post(FileJob::Answers(LinesJob::Read));
        if let Some(why) = damage {
            app.act(Action::SettingsNotKept(failed("errors.window.settings", &[("why", &why)])));
        }
        if let Some(error) = start.saved.error {
            app.act(Action::SettingsNotKept(error));
        }
        Ok(app)
    }

    /// What the window knows, for tests.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    fn act(&mut self, action: Action) {
        for effect in self.state.apply(action) {
            match effect {
                Effect::Show(show) => {
                    self.render_due = None;
                    self.latency.ask(show.id);
                    self.worker.show(*show);
                }
                Effect::RenderSoon => self.render_due = Some(Instant::now() + SLIDER_REST),
                Effect::TrySoon => self.try_due = Some(Instant::now() + TYPING_REST),
                Effect::Try(trial) => self.worker.try_edited(*trial),
                Effect::RetakeSoon => self.retake_due = Some(Instant::now() + RETAKE_REST),
                Effect::Bench(bench) => self.worker.bench(bench),
                Effect::Look(look) => self.worker.look(*look),
                Effect::Project(job) => self.worker.project(ProjectJob { folder: self.searches.clone(), ..*job }),
                Effect::Steer(steer) => self.worker.steer(steer),
                Effect::Cancel => self.worker.cancel(),
                Effect::Rescan(hosts) => self.worker.rescan(hosts),
                Effect::CopyTo(hosts) => self.worker.copy_to(hosts),
                Effect::Files(job) => self.files.post(job),
                Effect::Speak(language) => texts::set_language(language),
                Effect::OpenFilters(folder) => self.own_filters.open(folder),
                Effect::Quit => self.is_quitting = true,
                Effect::FullScreen => self.turns_screen = true,
            }
        }
    }

    /// For the debug switch: frames, and waits for pictures.
    fn frame_times(&self) -> String {
        let parts = [self.frames.text(), self.latency.text()];
        parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("; ")
    }

    /// True once `due` is over; otherwise the window is woken in time.
    fn is_over(ctx: &egui::Context, due: Option<Instant>) -> bool {
        let Some(due) = due else { return false };
        let rest = due.saturating_duration_since(Instant::now());
        if !rest.is_zero() {
            ctx.request_repaint_after(rest);
        }
        rest.is_zero()
    }

    fn save_when_rested(&mut self, ctx: &egui::Context) {
        if self.state.settings != self.saved {
            if self.saved.theme != self.state.settings.theme {
                ctx.set_theme(self.state.settings.theme);
            }
            self.saved = self.state.settings.clone();
            self.save_due = Some(Instant::now() + SAVE_REST);
        }
        if Self::is_over(ctx, self.save_due) {
            self.save_due = None;
            self.saver.keep(self.saved.to_text());
        }
    }

    /// Size and state of the window, as the window system last told them.
    fn note_place(&mut self, ctx: &egui::Context) {
        let zoom = ctx.zoom_factor();
        ctx.input(|input| {
            let viewport = input.viewport();
            self.place.is_maximized = viewport.maximized == Some(true);
            let is_normal = !self.place.is_maximized && viewport.fullscreen != Some(true) && viewport.minimized != Some(true);
            if let Some(inner) = viewport.inner_rect.filter(|_| is_normal) {
                self.place.size = Some((inner.size() * zoom).into());
            }
        });
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        let begun = Begun::now();
        self.latency.begin(begun.at);
        while let Ok(action) = self.news.try_recv() {
            self.act(action);
        }
        for action in inputs(ctx, &self.state) {
            self.act(action);
        }
        if Self::is_over(ctx, self.render_due) {
            self.render_due = None;
            self.act(Action::Render);
        }
        if Self::is_over(ctx, self.retake_due) {
            self.retake_due = None;
            self.act(Action::Retake);
        }
        if Self::is_over(ctx, self.try_due) {
            self.try_due = None;
            self.act(Action::Edit(Editing::Try));
        }
        self.save_when_rested(ctx);
        self.note_place(ctx);
        if std::mem::take(&mut self.turns_screen) {
            let is_full = ctx.input(|input| input.viewport().fullscreen).unwrap_or(false);
            ctx.send_viewport_cmd(egui::ViewportCommand::Fullscreen(!is_full));
        }
        if self.is_quitting {
            ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        }
        self.frames.add(begun.spent());
    }

    /// The ground of every screen. No panel paints it again: where software draws, filling the window a second time takes as long as all else in a frame.
    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let begun = Begun::now();
        let frame_text = if self.state.settings.show_frames { self.frame_times() } else { String::new() };
        for action in draw(ui, &mut self.tiles, &mut self.panels, &self.state, &frame_text) {
            self.act(action);
        }
        self.frames.add(begun.spent());
        self.frames.end(self.state.pending.iter().any(|pending| matches!(pending.job, Job::Bench(_))));
        let shown = self.state.shown.as_ref().filter(|_| self.panels.pictures.is_settled());
        let painted = shown.map(|shown| Painted {
            id: shown.id,
            trip: Duration::from_nanos(shown.executed.timings.round_trip_ns),
            build: Duration::from_nanos(shown.executed.build.waited_ns),
            is_checked: shown.verified.is_some(),
        });
        if self.latency.paint(painted) {
            ui.ctx().request_repaint();
        }
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.saver.keep(self.state.settings.to_text());
        let memory = self.ctx.data(|data| serde_json::to_value(data).ok());
        self.saver.keep_window(WindowPlace { memory, ..self.place.clone() });
        self.saver.end();
        engine::remote::let_go();
        if self.print_frames {
            eprintln!("{}\n{}", self.frame_times(), self.frames.table());
        }
    }
}

/// Hands the worker's updates to the window, on the worker's thread.
fn deliver(announcer: Announcer, sender: Sender<Action>, ctx: egui::Context) -> Deliver {
    Box::new(move |update| {
        // The view thread begins with a new output before the window hears of it.
        if let Update::Rendered { executed, .. } = &update {
            announcer.announce(&executed.output);
        }
        // The window may be closing: then nobody waits for it.
        let _ = sender.send(Action::Runner(Box::new(update)));
        // A frame begun before the new picture's colors are there would show the old one and keep the new one waiting.
        if !announcer.is_ahead() {
            ctx.request_repaint();
        }
    })
}

/// Shortcuts, dropped files and pasted things, as actions.
fn inputs(ctx: &egui::Context, state: &State) -> Vec<Action> {
    let is_typing = ctx.text_edit_focused();
    let is_menu_open = egui::Popup::is_any_open(ctx);
    let mut actions = Vec::new();
    ctx.input_mut(|input| {
        // Shift first: a shortcut without it matches with it, too.
        let mut commands: Vec<Command> = Command::all().collect();
        commands.sort_by_key(|command| command.text().shortcut.is_none_or(|keys| !keys.modifiers.shift));
        for command in commands {
            let Some(keys) = command.text().shortcut else { continue };
            if state.section != Section::Lab && !command.is_everywhere() {
                continue;
            }
            // In a text field, arrows and letters belong to the text.
            let is_texts = is_typing && !matches!(keys.logical_key, Key::F1 | Key::F5 | Key::F11 | Key::F12 | Key::O);
            // Escape closes a menu before it cancels a measurement.
            let is_menus = is_menu_open && keys.logical_key == Key::Escape;
            if !is_texts && !is_menus && state.why_not(command).is_none() && input.consume_shortcut(&keys) {
                actions.push(Action::Run(command));
            }
        }
        actions.extend(input.raw.dropped_files.iter().map(|file| Action::OpenPath(file.path().to_owned())));
        for event in &input.events {
            match event {
                Event::Paste(text) if !is_typing => actions.push(Action::OpenPath(path_from_text(text))),
                // Who comes back from an editor sees the lesson as it is now.
                Event::WindowFocused(true) => actions.push(Action::Course(CourseAction::Reload)),
                Event::PasteImage(image) => actions.push(Action::PasteImage(Arc::clone(image))),
                _ => {}
            }
        }
    });
    actions
}
