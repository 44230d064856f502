//! The `eframe::App`: drains news, lays out panels, carries effects out. Nothing here waits.

use super::action::Action;
use super::pictures::{PicturesPanel, pictures_ui};
use super::settings::{Settings, Tab};
use super::source_panel::{SourcePanel, source_ui};
use super::state::{Effect, State};
use super::timings::{TimingsPanel, timings_ui};
use crate::error::Result;
use crate::worker::{MakeBackend, Worker};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long a slider has to rest before the worker is asked: drivers compile anew for every local work size.
const SLIDER_REST: Duration = Duration::from_millis(60);

/// What the window starts with.
pub struct Start {
    /// Shown instead of the sample.
    pub picture: Option<PathBuf>,
    /// Makes the engine, on its own thread.
    pub make_backend: MakeBackend,
}

/// The window.
pub struct App {
    state: State,
    worker: Worker,
    news: Receiver<Action>,
    render_due: Option<Instant>,
    pictures: PicturesPanel,
    timings: TimingsPanel,
    source: SourcePanel,
}

impl App {
    /// Starts the worker and asks for the first picture.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn new(cc: &eframe::CreationContext<'_>, start: Start) -> Result<Self> {
        let (sender, news) = channel();
        let ctx = cc.egui_ctx.clone();
        let deliver = move |update| {
            // The window may be closing: then nobody waits for it.
            let _ = sender.send(Action::Worker(Box::new(update)));
            ctx.request_repaint();
        };
        let worker = Worker::start(start.make_backend, Box::new(deliver))?;
        Ok(Self {
            state: State::new(Settings::default()),
            worker,
            news,
            render_due: None,
            pictures: PicturesPanel::default(),
            timings: TimingsPanel::default(),
            source: SourcePanel::default(),
        })
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
                    self.worker.show(*show);
                }
                Effect::RenderSoon => self.render_due = Some(Instant::now() + SLIDER_REST),
                Effect::Bench(bench) => self.worker.bench(bench),
                Effect::Cancel => self.worker.cancel(),
                Effect::Rescan => self.worker.rescan(),
                Effect::Files(_) => {}
            }
        }
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        while let Ok(action) = self.news.try_recv() {
            self.act(action);
        }
        if let Some(due) = self.render_due {
            let now = Instant::now();
            if now >= due {
                self.act(Action::Render);
            } else {
                ctx.request_repaint_after(due - now);
            }
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let mut actions = Vec::new();
        let state = &self.state;
        egui::Panel::bottom("lower").resizable(true).default_size(320.0).show(ui, |ui| match state.settings.tab {
            Tab::Timings => timings_ui(ui, &mut self.timings, state, &mut actions),
            Tab::Source => source_ui(ui, &mut self.source, state, &mut actions),
        });
        egui::CentralPanel::default().show(ui, |ui| pictures_ui(ui, &mut self.pictures, state, &mut actions));
        for action in actions {
            self.act(action);
        }
    }
}
