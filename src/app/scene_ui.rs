//! Paints [`Scene`]s, the figures that files show too, in the window.

use super::state::State;
use super::theme::color;
use base::texts::{Language, language};
use egui::{Align2, Color32, Context, FontId, Painter, Pos2, Rect, Response, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use view::plot::{Anchor, Point, Rectangle, Scene, Shape};

/// The width of one line of text in the window, to lay a scene out with.
pub fn measure(ui: &Ui) -> impl Fn(&str, f64) -> f64 + use<> {
    measure_in(ui.ctx())
}

/// The same for another thread than the window's.
pub fn measure_in(ctx: &Context) -> impl Fn(&str, f64) -> f64 + use<> {
    let ctx = ctx.clone();
    move |text, size| {
        let font = FontId::proportional(size as f32);
        let galley = ctx.fonts_mut(|fonts| fonts.layout_no_wrap(text.to_owned(), font, Color32::PLACEHOLDER));
        f64::from(galley.size().x)
    }
}

/// Shows a scene in which nothing can be pointed at.
pub fn scene_ui(ui: &mut Ui, scene: &Scene) -> Response {
    let (area, response) = ui.allocate_exact_size(vec2(scene.width as f32, scene.height as f32), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, scene.texts().collect::<Vec<_>>().join(", ")));
    paint(ui.painter(), scene, area.min, ui.visuals().dark_mode);
    response
}

/// Shows a scene whose places can be pointed at; `hover` says what lies at an index. Returns the index of a place that was clicked, where `is_button`.
pub fn hits_ui(ui: &mut Ui, scene: &Scene, id: &str, is_button: bool, mut hover: impl FnMut(&mut Ui, usize)) -> Option<usize> {
    let (area, _) = ui.allocate_exact_size(vec2(scene.width as f32, scene.height as f32), Sense::hover());
    paint(ui.painter(), scene, area.min, ui.visuals().dark_mode);
    let (sense, kind) = if is_button { (Sense::click(), egui::Role::Button) } else { (Sense::hover(), egui::Role::Label) };
    let mut clicked = None;
    for hit in &scene.hits {
        let response = ui.interact(area_at(area.min, hit.area), ui.scope_id().with((id, hit.index)), sense);
        response.widget_info(|| WidgetInfo::labeled(kind, true, hit.name.as_str()));
        if response.has_focus() {
            let stroke = Stroke::new(2.0, color(view::plot::Role::Accent, ui.visuals().dark_mode));
            ui.painter().rect_stroke(response.rect, 3.0, stroke, StrokeKind::Outside);
        }
        if response.clicked() {
            clicked = Some(hit.index);
        }
        response.on_hover_ui(|ui| hover(ui, hit.index));
    }
    clicked
}

/// What was laid out, until the state, the room for it or the language changes.
pub struct Kept<T> {
    made: Option<(Made, T)>,
}

/// What it was made for: the state's revision, the bits of width, height and pixels per point, the language.
type Made = (u64, [u32; 3], Language);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { made: None }
    }
}

impl<T> Kept<T> {
    /// As it was made, or made anew.
    pub fn get(&mut self, ui: &Ui, state: &State, [width, height]: [f32; 2], make: impl FnOnce() -> T) -> &T {
        let wanted = (state.revision, [width, height, ui.pixels_per_point()].map(f32::to_bits), language());
        self.made = self.made.take().filter(|(made, _)| *made == wanted);
        let (_, made) = self.made.get_or_insert_with(|| (wanted, make()));
        made
    }
}

/// Where a rectangle of a scene is whose top left corner is at `origin`.
pub fn area_at(origin: Pos2, [left, top, right, bottom]: Rectangle) -> Rect {
    Rect::from_min_max(point_at(origin, (left, top)), point_at(origin, (right, bottom)))
}

fn point_at(origin: Pos2, (x, y): Point) -> Pos2 {
    pos2(origin.x + x as f32, origin.y + y as f32)
}

/// Paints what of `scene` can be seen.
pub fn paint(painter: &Painter, scene: &Scene, origin: Pos2, is_dark: bool) {
    let seen = painter.clip_rect().y_range().expand(2.0);
    for item in &scene.items {
        let [top, bottom] = item.shape.y_range().map(|y| origin.y + y as f32);
        if top <= seen.max && bottom >= seen.min {
            paint_shape(painter, &item.shape, origin, color(item.role, is_dark));
        }
    }
}

fn paint_shape(painter: &Painter, shape: &Shape, origin: Pos2, ink: Color32) {
    match shape {
        Shape::Fill(area, opacity) => {
            painter.rect_filled(area_at(origin, *area), 0.0, ink.gamma_multiply(*opacity as f32));
        }
        Shape::Outline(area) => {
            painter.rect_stroke(area_at(origin, *area), 0.0, Stroke::new(1.0, ink), StrokeKind::Middle);
        }
        Shape::Lines(segments, width) => {
            for ends in segments {
                painter.line_segment(ends.map(|end| point_at(origin, end)), Stroke::new(*width as f32, ink));
            }
        }
        Shape::Dot(center, radius) => {
            painter.circle_filled(point_at(origin, *center), *radius as f32, ink);
        }
        Shape::Text { text, at, size, anchor } => {
            let anchor = match anchor {
                Anchor::Left => Align2::LEFT_CENTER,
                Anchor::Center => Align2::CENTER_CENTER,
                Anchor::Right => Align2::RIGHT_CENTER,
            };
            painter.text(point_at(origin, *at), anchor, text, FontId::proportional(*size as f32), ink);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{measure, point_at, scene_ui};
    use crate::testing::records::ladder;
    use egui::{Pos2, vec2};
    use egui_kittest::Harness;
    use view::plot::{Anchor, Entry, Options, Quantity, Scale, Scene, Shape, chart, figure, svg};

    /// The chart of made-up readings, laid out with the window's font.
    fn laid_out(ui: &egui::Ui, options: &Options) -> Scene {
        let readings = ladder();
        let mut entries = Entry::of(&readings);
        entries[1].is_shown = true;
        let figure = figure(&chart(&entries, options), 700.0, &measure(ui));
        let mut scene = figure.axis;
        scene.below(figure.rows, 0.0);
        scene.below(figure.legend, 0.0);
        scene
    }

    /// Texts with their places as the window paints them: left, middle from top to bottom, width; with the scene and its place.
    fn in_the_window(options: &Options) -> (Scene, Pos2, Vec<(String, Pos2, f32)>) {
        let frame = |ui: &mut egui::Ui, (scene, origin): &mut (Scene, Pos2)| {
            *scene = laid_out(ui, options);
            *origin = scene_ui(ui, scene).rect.min;
        };
        let mut harness = Harness::builder().with_size(vec2(800.0, 600.0)).build_ui_state(frame, (Scene::default(), Pos2::ZERO));
        harness.run();
        let texts = harness.output().shapes.iter().filter_map(|clipped| match &clipped.shape {
            egui::Shape::Text(text) => {
                let size = text.galley.size();
                Some((text.galley.text().to_owned(), text.pos + vec2(0.0, size.y / 2.0), size.x))
            }
            _ => None,
        });
        let texts = texts.collect();
        let (scene, origin) = harness.state().clone();
        (scene, origin, texts)
    }

    /// Texts with their points as a file has them, in units.
    fn in_the_file(scene: &Scene) -> Vec<(String, [f64; 2])> {
        let document = svg(scene);
        let number = |part: &str, name: &str| -> f64 {
            let (_, rest) = part.split_once(&format!(" {name}=\"")).expect("an attribute");
            rest.split_once('"').expect("its end").0.parse().expect("a number")
        };
        let text = |part: &str| part.split_once('>').and_then(|(_, rest)| rest.split_once("</text>")).expect("a text").0.trim().to_owned();
        document.split("<text").skip(1).map(|part| (text(part), ["x", "y"].map(|name| number(part, name)))).collect()
    }

    #[test]
    fn the_window_and_a_file_have_the_same_texts_at_the_same_places() {
        let with = |quantity, scale| Options { quantity, scale, ..Options::default() };
        for options in [Options::default(), with(Quantity::SpeedUp, Scale::Linear), with(Quantity::Bandwidth, Scale::Log)] {
            let (scene, origin, painted) = in_the_window(&options);
            let printed = in_the_file(&scene);
            let texts: Vec<_> = scene.items.iter().filter(|item| matches!(item.shape, Shape::Text { .. })).collect();
            assert!(texts.len() > 30 && painted.len() == texts.len() && printed.len() == texts.len(), "{painted:?}\n{printed:?}");
            for ((item, (in_window, left, width)), (in_file, [x, y])) in texts.iter().zip(&painted).zip(&printed) {
                let Shape::Text { text, at, size, anchor } = &item.shape else { continue };
                assert_eq!((in_window, in_file), (text, text));
                // Files say where the base line is: half of a capital's height below the middle.
                assert!((x - at.0).abs() < 0.01 && (y - at.1 - 0.35 * size).abs() < 0.05 * size, "{text}: {x}, {y} for {at:?}");
                let before = match anchor {
                    Anchor::Left => 0.0,
                    Anchor::Center => width / 2.0,
                    Anchor::Right => *width,
                };
                let off = *left + vec2(before, 0.0) - point_at(origin, *at);
                assert!(off.length() < 1.0, "{text}: {left:?} for {at:?}");
            }
        }
    }
}
