//! What is on the GPU: uploads a little each frame, swaps a layer to a new picture once all of it that shows is there, frees the rest.

use super::geometry::Transform;
use super::prepare::{Chunk, Source};
use super::preparer::{Announcer, Made, Preparer};
use super::pyramid::{Place, Pyramid};
use base::error::Result;
use egui::{self, Rect, TextureFilter, TextureHandle, TextureId, TextureOptions, TextureWrapMode};

/// Pixels that one frame uploads at most, unless a single texture is larger: 2 to 3 ms where software does the rendering.
pub const UPLOAD_PX_PER_FRAME: usize = 1 << 22;
/// Pixels of cells that are kept though they do not show at the moment (128 MiB of textures).
const KEPT_PX: usize = 1 << 25;
/// Seconds that colors nobody wants yet are kept: an announced output comes before the window hears of it.
const KEPT_SECONDS: f64 = 0.5;

/// Smooth where it is reduced, crisp pixels where it is magnified.
const OPTIONS: TextureOptions = TextureOptions {
    magnification: TextureFilter::Nearest,
    minification: TextureFilter::Linear,
    wrap_mode: TextureWrapMode::ClampToEdge,
    mipmap_mode: None,
};

/// The pictures that can be on the screen at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// As loaded.
    Original,
    /// The filter's output.
    Filtered,
    /// Their difference.
    Difference,
}

/// A layer as it should look now.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Which.
    pub layer: Layer,
    /// What it should show.
    pub source: Source,
    /// The level that is fine enough.
    pub level: u8,
    /// The picture part on the screen: left, top, right, bottom.
    pub visible: [f64; 4],
}

impl Scene {
    /// The places that show all that is visible.
    fn visible_places(&self) -> Vec<Place> {
        self.source.pyramid().places(self.level, self.visible)
    }

    /// The base and the visible chunks, most urgent first: the base to see anything at all, but last where `shown` keeps the screen
    /// filled until what is visible of the new picture is there.
    fn chunks(&self, shown: Option<&Source>) -> Vec<Chunk> {
        let base = self.source.pyramid().base();
        let mut places = self.visible_places();
        places.retain(|place| *place != base);
        let is_covered = shown.is_some_and(|shown| shown.pyramid() == self.source.pyramid());
        places.insert(if is_covered { places.len() } else { 0 }, base);
        places.into_iter().map(|place| Chunk { source: self.source.clone(), place }).collect()
    }
}

struct Held {
    chunk: Chunk,
    texture: TextureHandle,
    /// The frame in which it was wanted last.
    used_in: u64,
}

impl Held {
    fn pixels(&self) -> usize {
        let [width, height] = self.texture.size();
        width * height
    }
}

/// A textured rectangle on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Which texture.
    pub texture: TextureId,
    /// Where, in points.
    pub rect: Rect,
    /// Which part of the texture, in fractions.
    pub uv: Rect,
}

/// The textures of all layers and the thread that makes their colors.
pub struct Textures {
    pub(super) preparer: Preparer,
    held: Vec<Held>,
    /// Made and not uploaded, with the time of arrival in seconds.
    ready: Vec<(Made, f64)>,
    shown: Vec<(Layer, Source)>,
    frame: u64,
    is_settled: bool,
}

impl Textures {
    /// Starts the view thread, which wakes `ctx`.
    ///
    /// # Errors
    /// When the system refuses threads.
    pub fn new(ctx: &egui::Context) -> Result<Self> {
        let ctx = ctx.clone();
        let preparer = Preparer::start(move || ctx.request_repaint())?;
        Ok(Self { preparer, held: Vec::new(), ready: Vec::new(), shown: Vec::new(), frame: 0, is_settled: false })
    }

    /// For the thread that has a new output before the window hears of it.
    #[must_use]
    pub fn announcer(&self) -> Announcer {
        self.preparer.announcer()
    }

    /// True where the last frame showed everything in its final sharpness.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Pixels in textures.
    #[cfg(test)]
    pub fn held_px(&self) -> usize {
        self.held.iter().map(Held::pixels).sum()
    }

    /// Once a frame, before painting: uploads what was made, frees what is not needed, asks for what is missing.
    pub fn prepare_frame(&mut self, ctx: &egui::Context, scenes: &[Scene]) {
        self.frame += 1;
        let now = ctx.input(|input| input.time);
        self.ready.extend(self.preparer.take_made().into_iter().map(|made| (made, now)));
        let mut wanted: Vec<Chunk> = scenes.iter().flat_map(|scene| scene.chunks(self.shown(scene.layer))).collect();
        let has_more = self.upload(ctx, &wanted);
        for held in &mut self.held {
            if wanted.contains(&held.chunk) {
                held.used_in = self.frame;
            }
        }
        self.swap(scenes);
        self.free(scenes);
        self.ready.retain(|(made, since)| wanted.contains(&made.chunk) || now - since < KEPT_SECONDS);
        wanted.retain(|chunk| !self.has(chunk) && !self.ready.iter().any(|(made, _)| made.chunk == *chunk));
        self.is_settled = scenes.iter().all(|scene| self.has_visible(scene));
        self.preparer.want(wanted, template(scenes));
        if has_more {
            ctx.request_repaint();
        }
    }

    /// What `layer` shows at the moment; may be older than what it should show.
    #[must_use]
    pub fn shown(&self, layer: Layer) -> Option<&Source> {
        self.shown.iter().find(|(other, _)| *other == layer).map(|(_, source)| source)
    }

    /// The rectangles that paint `source`, each from the finest texture there is; they touch and never overlap.
    #[must_use]
    pub fn patches(&self, source: &Source, level: u8, visible: [f64; 4], transform: &Transform) -> Vec<Patch> {
        let pyramid = source.pyramid();
        let patch = |place: Place| {
            let part = pyramid.part(place);
            let (texture, holder) = self.finest(source, &pyramid, place)?;
            let [left, top, right, bottom] = pyramid.texture_part(holder, part);
            let uv = Rect::from_min_max(egui::pos2(left, top), egui::pos2(right, bottom));
            Some(Patch { texture, rect: transform.rect(part), uv })
        };
        pyramid.places(level, visible).into_iter().filter_map(patch).collect()
    }

    fn finest(&self, source: &Source, pyramid: &Pyramid, place: Place) -> Option<(TextureId, Place)> {
        let mut place = Some(place);
        while let Some(candidate) = place {
            let held = self.held.iter().find(|held| held.chunk.place == candidate && held.chunk.source == *source);
            if let Some(held) = held {
                return Some((held.texture.id(), candidate));
            }
            place = pyramid.stand_in(candidate);
        }
        None
    }

    fn has(&self, chunk: &Chunk) -> bool {
        self.held.iter().any(|held| held.chunk == *chunk)
    }

    /// True where all that shows of `scene` is on the GPU in its final sharpness.
    fn has_visible(&self, scene: &Scene) -> bool {
        scene.visible_places().into_iter().all(|place| self.has(&Chunk { source: scene.source.clone(), place }))
    }

    /// Uploads in the order of `wanted`, up to the frame's limit; true where something is left for the next frame.
    fn upload(&mut self, ctx: &egui::Context, wanted: &[Chunk]) -> bool {
        let mut uploaded_px = 0;
        let side = ctx.input(|input| input.max_texture_side);
        for chunk in wanted {
            let Some(index) = self.ready.iter().position(|(made, _)| made.chunk == *chunk) else { continue };
            let Some((made, _)) = self.ready.get(index) else { continue };
            let [width, height] = made.image.size;
            if uploaded_px > 0 && uploaded_px + width * height > UPLOAD_PX_PER_FRAME {
                return true;
            }
            let (made, _) = self.ready.swap_remove(index);
            // The base's side is half of what any GPU takes; a driver that claims less gets no texture rather than a panic.
            if width.max(height) <= side && !self.has(chunk) {
                uploaded_px += width * height;
                let texture = ctx.load_texture("picture", made.image, OPTIONS);
                self.held.push(Held { chunk: made.chunk, texture, used_in: self.frame });
            }
        }
        false
    }

    /// A layer shows its new source once everything of it that is visible is there, so that nothing blurs at each new output.
    fn swap(&mut self, scenes: &[Scene]) {
        for scene in scenes {
            let is_first = self.shown(scene.layer).is_none_or(|shown| shown.pyramid() != scene.source.pyramid());
            let has_base = || self.has(&Chunk { source: scene.source.clone(), place: scene.source.pyramid().base() });
            if self.has_visible(scene) || (is_first && has_base()) {
                self.shown.retain(|(layer, _)| *layer != scene.layer);
                self.shown.push((scene.layer, scene.source.clone()));
            }
        }
        self.shown.retain(|(layer, _)| scenes.iter().any(|scene| scene.layer == *layer));
    }

    fn free(&mut self, scenes: &[Scene]) {
        let Self { held, shown, .. } = self;
        held.retain(|held| {
            let is_shown = shown.iter().any(|(_, source)| *source == held.chunk.source);
            is_shown || scenes.iter().any(|scene| scene.source == held.chunk.source)
        });
        held.sort_by_key(|held| std::cmp::Reverse((held.chunk.place.cell.is_none(), held.used_in)));
        let (mut kept_px, frame) = (0, self.frame);
        held.retain(|held| {
            let is_needed = held.used_in == frame || held.chunk.place.cell.is_none();
            kept_px += held.pixels();
            is_needed || kept_px <= KEPT_PX
        });
    }
}

/// What a new output of the filter is waited for with: the part of the screen that it replaces. Its base follows when nobody waits any more.
fn template(scenes: &[Scene]) -> Vec<Chunk> {
    let replaced = scenes.iter().filter(|scene| scene.layer != Layer::Original);
    let chunk = |scene: &Scene, place| Chunk { source: scene.source.clone(), place };
    replaced.flat_map(|scene| scene.visible_places().into_iter().map(move |place| chunk(scene, place))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Chunk, Made, Source, Textures, UPLOAD_PX_PER_FRAME};
    use egui::{Color32, ColorImage};
    use model::Channels;
    use pictures::Picture;
    use std::sync::Arc;

    #[test]
    fn a_frame_uploads_a_bounded_number_of_pixels_and_the_rest_follows() {
        let source = Source::Picture(Arc::new(Picture::from_fn(4000, 4000, Channels::Gray, |_, _, _| 0)));
        let pyramid = source.pyramid();
        let wanted: Vec<_> =
            pyramid.places(0, [0.0, 0.0, 4000.0, 4000.0]).into_iter().map(|place| Chunk { source: source.clone(), place }).collect();
        let ctx = egui::Context::default();
        let mut textures = Textures::new(&ctx).expect("threads");
        textures.ready = wanted
            .iter()
            .map(|chunk| {
                let region = pyramid.region(chunk.place);
                let image = ColorImage::filled([region.width(), region.height()], Color32::BLACK);
                (Made { chunk: chunk.clone(), image: Arc::new(image) }, 0.0)
            })
            .collect();
        let mut frames = 0;
        loop {
            let before = textures.held_px();
            let has_more = textures.upload(&ctx, &wanted);
            frames += 1;
            assert!((1..=UPLOAD_PX_PER_FRAME).contains(&(textures.held_px() - before)), "frame {frames}");
            if !has_more {
                break;
            }
        }
        assert_eq!(textures.held_px(), 4000 * 4000);
        assert_eq!(frames, 4);
    }
}
