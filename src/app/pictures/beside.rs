//! An output beside the map of where it differs from what it should be: two panes with one look, drawn anywhere.

use super::GAP_POINTS;
use super::geometry::{Frame, Look};
use super::paint;
use super::pane;
use super::prepare::Source;
use super::readout::pixel_at;
use super::textures::{Layer, Scene, Textures};
use base::error::Result;
use base::texts::{filled, text};
use egui::{Label, Rect, RichText, Ui, UiBuilder, Vec2, pos2, vec2};
use pictures::Picture;
use std::sync::Arc;

/// A difference of 1 is seen, too.
const GAIN: u8 = 64;

/// Two pictures of one size.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// What came out.
    pub output: &'a Arc<Picture>,
    /// What should have come out.
    pub reference: &'a Arc<Picture>,
}

/// What this keeps between frames. The thread that makes colors is started with the first picture.
#[derive(Default)]
pub struct Beside {
    textures: Option<Result<Textures>>,
    look: Look,
    size_px: [usize; 2],
}

impl Beside {
    /// Draws both into `area`, with a line of numbers below for the pixel under the pointer.
    pub fn show(&mut self, ui: &mut Ui, area: Rect, compared: Compared<'_>) {
        ui.advance_cursor_after_rect(area);
        let textures = match self.textures.get_or_insert_with(|| Textures::new(ui.ctx())) {
            Ok(textures) => textures,
            Err(error) => {
                ui.place(area, Label::new(error.to_string()).wrap());
                return;
            }
        };
        let Compared { output, reference } = compared;
        let size_px = [output.width_px(), output.height_px()];
        if self.size_px != size_px {
            (self.size_px, self.look) = (size_px, Look::Fit);
        }
        let line = ui.text_style_height(&egui::TextStyle::Small) + 4.0;
        let (pictures, numbers) = area.split_top_bottom_at_y((area.bottom() - line).max(area.top()));
        let halves = halves(pictures, size_px);
        let captions = halves.map(|half| half.with_max_y((half.top() + line).min(half.bottom())));
        let panes = halves.map(|half| half.with_min_y((half.top() + line).min(half.bottom())));
        let frame = Frame { size_px, pane: panes[0], pixels_per_point: ui.pixels_per_point().into() };
        let difference = Source::Difference { filtered: Arc::clone(output), against: Arc::clone(reference), gain: GAIN };
        let shows = [
            (Layer::Filtered, Source::Picture(Arc::clone(output)), text("window.editor.output")),
            (Layer::Difference, difference, text("window.editor.difference")),
        ];
        let mut pointed = None;
        for (pane, (_, _, name)) in panes.into_iter().zip(&shows) {
            let frame = Frame { pane, ..frame };
            let response = pane::interact(ui, &frame, &mut self.look, name);
            let transform = frame.transform(self.look).snapped(frame.pixels_per_point);
            pointed = pointed.or(response.hover_pos().map(|pointer| transform.to_picture(pointer)));
        }
        let scenes: Vec<Scene> = shows.iter().map(|(layer, source, _)| scene(*layer, source, self.look, &frame)).collect();
        textures.prepare_frame(ui.ctx(), &scenes);
        let background = if ui.visuals().dark_mode { ui.visuals().extreme_bg_color } else { ui.visuals().faint_bg_color };
        for ((pane, caption), (layer, _, name)) in panes.into_iter().zip(captions).zip(&shows) {
            line_in(ui, caption, RichText::new(*name).small());
            ui.painter().rect_filled(pane, 0.0, background);
            let frame = Frame { pane, ..frame };
            paint::layer(ui.painter(), textures, *layer, self.look, &frame);
            if let Some(point) = pointed {
                paint::marker(ui.painter(), self.look, &frame, point);
            }
        }
        let told = pointed.and_then(|point| told(compared, point)).unwrap_or_else(|| text("window.pictures.point").to_owned());
        let numbers = Rect::from_min_max(pos2(numbers.left(), numbers.top() + 2.0), numbers.max);
        line_in(ui, numbers, RichText::new(told).monospace());
    }
}

/// What the pixel under the pointer is, and what it should be.
fn told(Compared { output, reference }: Compared<'_>, point: [f64; 2]) -> Option<String> {
    let (x, y) = pixel_at(output, point)?;
    let (got, wanted) = (output.pixel(x, y)?, reference.pixel(x, y)?);
    let key = if got == wanted { "window.editor.same" } else { "window.editor.first" };
    let [got, wanted] = [got, wanted].map(|pixel| pixel.iter().map(u8::to_string).collect::<Vec<_>>().join(" "));
    Some(filled(key, &[("x", &x), ("y", &y), ("got", &got), ("wanted", &wanted)]))
}

/// One line of text, from the left.
fn line_in(ui: &mut Ui, rect: Rect, text: RichText) {
    ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| ui.add(Label::new(text).truncate()));
}

/// Beside or above each other, whichever makes the pictures larger.
fn halves(area: Rect, [width_px, height_px]: [usize; 2]) -> [Rect; 2] {
    let (width, height) = (width_px as f32, height_px as f32);
    let scale = |size: Vec2| (size.x / width).min(size.y / height);
    let middle = area.center();
    if scale(area.size() * vec2(0.5, 1.0)) >= scale(area.size() * vec2(1.0, 0.5)) {
        [area.with_max_x(middle.x - GAP_POINTS / 2.0), area.with_min_x(middle.x + GAP_POINTS / 2.0)]
    } else {
        [area.with_max_y(middle.y), area.with_min_y(middle.y)]
    }
}

fn scene(layer: Layer, source: &Source, look: Look, frame: &Frame) -> Scene {
    let visible = frame.visible(&frame.transform(look).snapped(frame.pixels_per_point));
    Scene { layer, level: source.pyramid().level_for(frame.scale(look)), visible, source: source.clone() }
}
