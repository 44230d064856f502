//! The player: a [`Film`] plays, is paused, and stands whole where nothing may move.

use super::background::Background;
use super::scene_ui::{area_at, paint};
use super::theme::space;
use base::texts::{Language, language, text};
use egui::{Button, Context, Key, Label, Role, Sense, TextStyle, Ui, Vec2, WidgetInfo, pos2, vec2};
use view::plot::{Film, Scene};

/// Lines above the picture.
const LINES: f32 = 2.0;
/// Widths and heights differ by so many points at least: nothing is laid out anew for each point that a person drags.
const ROOM_STEP: f32 = 24.0;

/// What a figure may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Numbers and steps: not while they are asked for.
    pub counts: bool,
    /// Motion.
    pub motion: bool,
}

/// Where it is.
#[derive(Clone, Copy, Debug, Default)]
struct Player {
    /// The film that plays, of several.
    side: usize,
    /// When it began to play, in seconds of the window's clock, less what it was paused for.
    begun: f64,
    /// It does not play since then.
    paused_at: Option<f64>,
}

impl Player {
    /// Plays from the begin.
    const fn begin(&mut self, now: f64) {
        (self.begun, self.paused_at) = (now, None);
    }
}

/// Films of one figure, or why one cannot be drawn.
pub type Films = Vec<Result<Film, String>>;

/// What is made: of what, in which room, in which language; the names of several films are on the buttons that choose between them.
#[derive(Clone, PartialEq)]
struct Wanted<K> {
    data: K,
    names: Vec<&'static str>,
    room: [usize; 2],
    language: Language,
}

/// A figure made of a `K` that plays. All frames are laid out at once, on a thread of their own; playing chooses one.
pub struct Played<K> {
    made: Background<Wanted<K>, Films>,
    /// What was made last is of this.
    of: Option<K>,
    player: Player,
    /// A panel shows it in the place of the still figure.
    is_on: bool,
}

impl<K> Default for Played<K> {
    fn default() -> Self {
        Self { made: Background::default(), of: None, player: Player::default(), is_on: false }
    }
}

impl<K: Clone + PartialEq + Send + 'static> Played<K> {
    /// Draws it into all of `ui`: what `make` makes of `data` in so many points of width and height, a film for each of the `names`. Another figure begins to
    /// play from its begin; the same one in other room plays on.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        data: K,
        names: &[&'static str],
        make: impl FnOnce(&K, [usize; 2], &Context) -> Films + Send + 'static,
        allowed: Allowed,
    ) {
        let wanted = Wanted { data, names: names.to_vec(), room: room_in(ui), language: language() };
        self.made.follow(wanted, "film", ui.ctx(), |wanted, ctx| make(&wanted.data, wanted.room, ctx));
        let Some((Wanted { data, names, .. }, films)) = self.made.shown() else {
            ui.weak(text("access.panel.following"));
            return;
        };
        if self.of.as_ref() != Some(data) {
            self.of = Some(data.clone());
            self.player = Player { begun: ui.input(|input| input.time), ..Player::default() };
        }
        film_ui(ui, &mut self.player, films, names, allowed);
    }

    /// The button of a panel that plays the figure, or shows the still one again, where there is something to play. Whether it plays.
    pub fn switch_ui(&mut self, ui: &mut Ui, can_play: bool, about: &'static str) -> bool {
        self.is_on &= can_play;
        let label = text(if self.is_on { "course.film.whole" } else { "course.film.play" });
        if can_play && ui.button(label).on_hover_text(text(about)).clicked() {
            self.is_on = !self.is_on;
            self.player.begin(ui.input(|input| input.time));
        }
        self.is_on
    }
}

/// The room that a picture has in `ui` above the player's controls and below its lines, in steps.
fn room_in(ui: &Ui) -> [usize; 2] {
    let controls = ui.spacing().interact_size.y + space::SMALL + LINES * line_height(ui);
    let stepped = |points: f32| (points / ROOM_STEP).floor().max(4.0) as usize * ROOM_STEP as usize;
    [ui.available_width(), (ui.available_height() - controls).max(40.0)].map(stepped)
}

fn line_height(ui: &Ui) -> f32 {
    ui.text_style_height(&TextStyle::Body) + ui.spacing().item_spacing.y
}

/// Draws one of `films` into all of `ui`, or why it cannot be drawn; their names are on the buttons that choose between them.
fn film_ui(ui: &mut Ui, player: &mut Player, films: &Films, names: &[&str], allowed: Allowed) {
    player.side = player.side.min(films.len().saturating_sub(1));
    let now = ui.input(|input| input.time);
    let film = match films.get(player.side) {
        Some(Ok(film)) => film,
        Some(Err(why)) => {
            ui.label(why);
            return controls_ui(ui, player, names, None, false, now);
        }
        None => return,
    };
    let [width, height] = room_in(ui);
    let milliseconds = 1000.0 * (player.paused_at.unwrap_or(now) - player.begun);
    let last = film.frames.len().saturating_sub(1);
    let plays = allowed.counts && allowed.motion && last > 0;
    let (index, left) = match allowed {
        Allowed { counts: false, .. } => (0, 0.0),
        _ if plays => film.at(milliseconds),
        _ => (last, 0.0),
    };
    if plays && player.paused_at.is_none() {
        ui.ctx().request_repaint_after_secs((left / 1000.0) as f32);
    }
    let Some(frame) = film.frames.get(index) else { return };
    // As high as the longest: the picture does not jump.
    let (top, line) = (ui.cursor().top(), line_height(ui));
    // In one place: steps have more lines and fewer, and the identity of the buttons below, which hold the keyboard, counts what stands before them.
    ui.vertical(|ui| {
        for words in frame.lines.iter().take(LINES as usize) {
            ui.add(Label::new(words).truncate());
        }
    });
    ui.add_space((top + LINES * line - ui.cursor().top()).max(0.0));
    picture_ui(ui, &frame.scene, vec2(width as f32, height as f32));
    controls_ui(ui, player, names, allowed.counts.then_some(&film.told), plays, now);
}

fn controls_ui(ui: &mut Ui, player: &mut Player, names: &[&str], told: Option<&String>, plays: bool, now: f64) {
    ui.horizontal(|ui| {
        if plays {
            let label = text(if player.paused_at.is_some() { "course.film.play" } else { "course.film.pause" });
            let button = ui.add(Button::new(label)).on_hover_text(text("course.film.pause-about"));
            let is_key = ui.memory(|memory| memory.focused().is_none()) && ui.input(|input| input.key_pressed(Key::Space));
            if button.clicked() || is_key {
                match player.paused_at.take() {
                    Some(paused_at) => player.begun += now - paused_at,
                    None => player.paused_at = Some(now),
                }
            }
        }
        if names.len() > 1 {
            for (side, label) in names.iter().enumerate() {
                let response = ui.add(Button::selectable(player.side == side, *label).frame_when_inactive(true));
                response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, player.side == side, *label));
                if response.clicked() {
                    player.side = side;
                    player.begin(now);
                }
            }
        }
        if let Some(told) = told {
            ui.label(told);
        }
    });
}

/// What a figure is for who cannot see it.
#[must_use]
pub fn picture_info(scene: &Scene) -> WidgetInfo {
    let mut info = WidgetInfo::labeled(Role::Image, true, text("access.panel.picture"));
    info.current_text_value = Some(scene.texts().collect::<Vec<_>>().join(", "));
    info
}

/// A scene in the middle of so much room, which says what lies under the pointer.
fn picture_ui(ui: &mut Ui, scene: &Scene, room: Vec2) {
    let (area, response) = ui.allocate_exact_size(room, Sense::hover());
    response.widget_info(|| picture_info(scene));
    let origin = pos2(area.left() + (area.width() - scene.width as f32) / 2.0, area.top());
    paint(&ui.painter_at(area), scene, origin, ui.visuals().dark_mode);
    let under = response.hover_pos().and_then(|pointer| scene.hits.iter().rev().find(|hit| area_at(origin, hit.area).contains(pointer)));
    if let Some(hit) = under {
        response.on_hover_text_at_pointer(&hit.name);
    }
}
