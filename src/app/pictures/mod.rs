//! The picture panel: original and filtered picture with tied zoom and pan, split, difference and flip.
//!
//! | file | holds |
//! |---|---|
//! | `settings` | what a person chose here |
//! | `inputs` | what of the window's state is shown |
//! | `geometry`, `pyramid` | where pixels are: screen, levels, cells |
//! | `prepare`, `reduce`, `preparer` | colors from byte pictures, on the view thread |
//! | `textures` | what is on the GPU |
//! | `beside` | an output beside where it is wrong, for other panels |
//! | `pane`, `paint`, `controls`, `caption`, `readout` | input and drawing |
//!
//! Nothing picture-sized is converted, reduced or copied on the window's thread: it hands finished colors to the GPU, a bounded
//! number of pixels a frame, and goes on showing the last picture until all that is visible of the next one is there.

mod beside;
mod caption;
mod controls;
mod geometry;
mod inputs;
mod paint;
mod pane;
mod prepare;
mod preparer;
mod pyramid;
mod readout;
mod reduce;
mod settings;
#[cfg(test)]
mod tests;
mod textures;

pub use beside::{Beside, Compared};
pub use controls::hold_label;
pub use geometry::Look;
pub use pane::KEYS;
pub use preparer::Announcer;
pub use settings::{Against, Mode, PicturesSettings};

use super::access_panel::Spot;
use super::action::Action;
use super::state::State;
use super::theme;
use base::error::Result;
use base::texts::text;
use caption::Caption;
use egui::{Rect, Stroke, StrokeKind, Ui, UiBuilder, vec2};
use geometry::Frame;
use inputs::{Inputs, LastReference};
use prepare::Source;
use std::sync::Arc;
use textures::{Layer, Scene, Textures};

/// Points between two panes.
const GAP_POINTS: f32 = 6.0;

/// What this panel keeps between frames that is neither saved nor anyone else's business.
pub struct PicturesPanel {
    textures: Textures,
    reference: LastReference,
    /// Size of the picture that was shown last: another one is shown whole at first.
    size_px: Option<[usize; 2]>,
    /// A pane has the keyboard.
    is_focused: bool,
    /// Since when the output has been old, in seconds.
    old_since: Option<f64>,
}

impl PicturesPanel {
    /// Starts the view thread.
    ///
    /// # Errors
    /// When the system refuses threads.
    pub fn new(ctx: &egui::Context) -> Result<Self> {
        Ok(Self { textures: Textures::new(ctx)?, reference: LastReference::default(), size_px: None, is_focused: false, old_since: None })
    }

    /// For the thread that has a new output before the window hears of it.
    #[must_use]
    pub fn announcer(&self) -> Announcer {
        self.textures.announcer()
    }

    /// True where the last frame showed everything in its final sharpness.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.textures.is_settled()
    }
}

/// Draws the panel into all of `ui`; `spot` is marked in each picture.
pub fn pictures_ui(ui: &mut Ui, panel: &mut PicturesPanel, state: &State, spot: Option<Spot>, actions: &mut Vec<Action>) {
    panel.reference.follow(state);
    let inputs = Inputs::new(state, panel.reference.get());
    let before = &state.settings.pictures;
    let mut wish = before.clone().in_range();
    let size_px = inputs.original.map(|picture| [picture.width_px(), picture.height_px()]);
    if panel.size_px != size_px {
        panel.size_px = size_px;
        wish.look = Look::Fit;
    }
    let rows = Rows::new(ui);
    let pane = panes(&wish, rows.pictures).first().copied().unwrap_or(rows.pictures);
    let frame = size_px.map(|size_px| Frame { size_px, pane, pixels_per_point: ui.pixels_per_point().into() });
    let is_held = ui
        .scope_builder(UiBuilder::new().max_rect(rows.controls), |ui| {
            controls::rows(ui, rows.lines, &mut wish, frame.as_ref(), panel.is_focused)
        })
        .inner;
    let Some(frame) = frame else {
        ui.place(rows.pictures, egui::Label::new(text("window.pictures.open-one")));
        return;
    };
    let shows = shows(&wish, &inputs, rows.pictures, is_held);
    let old_for = old_for(ui, &mut panel.old_since, inputs.is_old);
    let is_split = wish.mode == Mode::Split && !is_held;
    for (show, rect) in shows.iter().zip(panes(&wish, rows.captions)).filter(|(_, rect)| rect.height() > 0.0) {
        let divider = is_split.then(|| egui::lerp(Frame { pane: show.pane, ..frame }.picture_rect(wish.look).x_range(), wish.split));
        let caption = Caption { inputs: &inputs, layer: show.layer, is_old: old_for, divider };
        ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| caption.show(ui, &mut wish));
    }
    let pointed = pictures(ui, &mut panel.textures, &inputs, &mut wish, &frame, &shows);
    panel.is_focused = pointed.is_focused;
    if let Some(spot) = spot {
        for show in &shows {
            paint::spot(ui.painter(), wish.look, &Frame { pane: show.pane, ..frame }, spot);
        }
    }
    if let Some((x, y)) = pointed.clicked.zip(inputs.original).and_then(|(point, picture)| readout::pixel_at(picture, point)) {
        actions.push(Action::PickPixel([x, y]));
    }
    let line = pointed.at.and_then(|point| readout::readout(&inputs, point));
    let line = line.unwrap_or_else(|| text("window.pictures.point").to_owned());
    if rows.readout.height() > ui.spacing().item_spacing.y {
        ui.scope_builder(UiBuilder::new().max_rect(rows.readout), |ui| {
            ui.add(egui::Label::new(egui::RichText::new(line).monospace()).truncate())
        });
    }
    if wish != *before {
        actions.push(Action::SetPictures(wish));
    }
}

/// The panel from top to bottom.
struct Rows {
    captions: Rect,
    pictures: Rect,
    readout: Rect,
    controls: Rect,
    /// Lines of controls; none in a low panel.
    lines: u8,
}

impl Rows {
    /// Takes all that `ui` has left.
    fn new(ui: &mut Ui) -> Self {
        let all = ui.available_rect_before_wrap();
        ui.advance_cursor_after_rect(all);
        let row = ui.spacing().interact_size.y;
        let gap = ui.spacing().item_spacing.y;
        let captions = if controls::has_captions(ui, all.height()) { row + gap } else { 0.0 };
        let (captions, rest) = all.split_top_bottom_at_y(all.top() + captions);
        // In a low panel the pictures come first.
        let readout =
            if controls::has_readout(ui, all.height()) { ui.text_style_height(&egui::TextStyle::Monospace) + 2.0 + 2.0 * gap } else { 0.0 };
        let lines = controls::lines(ui, all.size());
        let height = (f32::from(lines) * (row + gap) - gap).max(0.0);
        let (rest, controls) = rest.split_top_bottom_at_y((rest.bottom() - height).max(rest.top()));
        let (pictures, readout) = rest.split_top_bottom_at_y((rest.bottom() - readout.max(gap)).max(rest.top()));
        Self {
            captions: captions.with_max_y((captions.bottom() - gap).max(captions.top())),
            pictures,
            readout: readout.with_min_y((readout.top() + gap).min(readout.bottom())),
            controls,
            lines,
        }
    }
}

/// One pane for each picture that is shown beside another.
fn panes(settings: &PicturesSettings, area: Rect) -> Vec<Rect> {
    if settings.mode == Mode::SideBySide {
        let width = ((area.width() - GAP_POINTS) / 2.0).max(1.0);
        let size = vec2(width, area.height());
        vec![Rect::from_min_size(area.min, size), Rect::from_min_size(area.min + vec2(width + GAP_POINTS, 0.0), size)]
    } else {
        vec![area]
    }
}

/// A pane and the layer in it.
struct Show {
    layer: Layer,
    pane: Rect,
    name: &'static str,
}

fn shows(settings: &PicturesSettings, inputs: &Inputs<'_>, area: Rect, is_held: bool) -> Vec<Show> {
    let other = match settings.mode {
        _ if is_held => Layer::Original,
        Mode::Difference if inputs.difference(settings).is_some() => Layer::Difference,
        _ => Layer::Filtered,
    };
    let layers: &[Layer] = if settings.mode == Mode::SideBySide { &[Layer::Original, other] } else { &[other] };
    let names = if settings.mode == Mode::SideBySide {
        [text("window.pictures.original-picture"), text("window.pictures.filtered-picture")]
    } else {
        [text("window.pictures.compared-pictures"), ""]
    };
    let panes = panes(settings, area);
    layers.iter().zip(panes).zip(names).map(|((&layer, pane), name)| Show { layer, pane, name }).collect()
}

/// Where pointer and keyboard are.
#[derive(Default)]
struct Pointed {
    /// The picture coordinate under the pointer.
    at: Option<[f64; 2]>,
    /// The one that was clicked.
    clicked: Option<[f64; 2]>,
    /// A pane has the keyboard.
    is_focused: bool,
}

/// Moves, uploads and paints.
fn pictures(
    ui: &mut Ui,
    textures: &mut Textures,
    inputs: &Inputs<'_>,
    wish: &mut PicturesSettings,
    frame: &Frame,
    shows: &[Show],
) -> Pointed {
    let mut pointed = Pointed::default();
    let mut focused = None;
    for show in shows {
        let frame = Frame { pane: show.pane, ..*frame };
        let response = pane::interact(ui, &frame, &mut wish.look, show.name);
        let transform = frame.transform(wish.look).snapped(frame.pixels_per_point);
        pointed.at = pointed.at.or(response.hover_pos().map(|pointer| transform.to_picture(pointer)));
        if response.clicked() {
            pointed.clicked = response.interact_pointer_pos().map(|pointer| transform.to_picture(pointer));
        }
        focused = focused.or(response.has_focus().then_some(show.pane));
    }
    let is_split = wish.mode == Mode::Split && shows.iter().all(|show| show.layer == Layer::Filtered);
    // Not white in the light theme: a white picture must have an edge.
    let background = if ui.visuals().dark_mode { ui.visuals().extreme_bg_color } else { ui.visuals().faint_bg_color };
    textures.prepare_frame(ui.ctx(), &scenes(inputs, wish, frame));
    for show in shows {
        let frame = Frame { pane: show.pane, ..*frame };
        ui.painter().rect_filled(show.pane, 0.0, background);
        paint::layer(ui.painter(), textures, show.layer, wish.look, &frame);
        if is_split {
            let picture = frame.picture_rect(wish.look);
            let x = egui::lerp(picture.x_range(), wish.split);
            let left = ui.painter().with_clip_rect(show.pane.with_max_x(x));
            left.rect_filled(show.pane, 0.0, background);
            paint::layer(&left, textures, Layer::Original, wish.look, &frame);
            pane::divider(ui, picture, &mut wish.split);
        }
        if let Some(point) = pointed.at {
            paint::marker(ui.painter(), wish.look, &frame, point);
        }
    }
    if let Some(pane) = focused {
        ui.painter().rect_stroke(pane, 0.0, Stroke::new(2.0, theme::accent(ui.visuals().dark_mode)), StrokeKind::Inside);
    }
    Pointed { is_focused: focused.is_some(), ..pointed }
}

/// What has to be on the GPU: what is shown, and what a press of the hold button would show.
fn scenes(inputs: &Inputs<'_>, settings: &PicturesSettings, frame: &Frame) -> Vec<Scene> {
    let picture = |picture: Option<&Arc<_>>| picture.map(|picture| Source::Picture(Arc::clone(picture)));
    let difference = if settings.mode == Mode::Difference { inputs.difference(settings) } else { None };
    let filtered = if difference.is_some() { None } else { picture(inputs.filtered) };
    let layers = [(Layer::Difference, difference), (Layer::Filtered, filtered), (Layer::Original, inputs.original_source())];
    let scene = |(layer, source): (Layer, Option<Source>)| {
        let source = source?;
        let size_px = source.pyramid().size_px;
        let look = settings.look.over(frame.size_px, size_px);
        let frame = Frame { size_px, ..*frame };
        let visible = frame.visible(&frame.transform(look).snapped(frame.pixels_per_point));
        Some(Scene { layer, level: source.pyramid().level_for(frame.scale(look)), visible, source })
    };
    layers.into_iter().filter_map(scene).collect()
}

/// True once the output has been old for long enough to say so: a switch that is answered at once must not flicker.
fn old_for(ui: &Ui, since: &mut Option<f64>, is_old: bool) -> bool {
    const PATIENCE_SECONDS: f64 = 0.15;
    if !is_old {
        *since = None;
        return false;
    }
    let now = ui.input(|input| input.time);
    let waited = now - *since.get_or_insert(now);
    if waited < PATIENCE_SECONDS {
        ui.ctx().request_repaint_after_secs((PATIENCE_SECONDS - waited) as f32);
    }
    waited >= PATIENCE_SECONDS
}
