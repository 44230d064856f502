//! Answers and lays out on a thread of its own: a work-group has up to a thousand work-items, and each up to a thousand loads.

use crate::access::{self, Question, Show, View, answer};
use crate::engine::PictureRef;
use crate::model::{Spec, Variant};
use crate::plot::{self, Scene};
use crate::schedule::Shape;
use std::sync::mpsc::{Receiver, channel};

/// Everything that a picture is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Filter, parameters, channels, border mode.
    pub spec: Spec,
    /// Stages.
    pub variant: Variant,
    /// The photo.
    pub picture: PictureRef,
    /// Column and row.
    pub pixel: [usize; 2],
    /// The pass, from 0; `None`: the last that stores the pixel.
    pub pass: Option<usize>,
    /// Work-items of a work-group.
    pub local: [usize; 2],
    /// Work-items of a sub-group.
    pub sub_group: usize,
    /// Bytes of a segment.
    pub segment_bytes: usize,
    /// Which step: 0 is who makes the pixel, the one past the last is all at once; `None` is that too.
    pub step: Option<usize>,
    /// In points.
    pub width: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct Drawn {
    /// What was asked.
    pub asked: Asked,
    /// The picture, or why there is none.
    pub result: Result<Page, String>,
}

/// A picture, and what more of it there is to see.
#[derive(Debug)]
pub struct Page {
    /// To be painted.
    pub scene: Scene,
    /// Loads and stores.
    pub steps: usize,
    /// Passes of the variant, and the one that is shown.
    pub passes: [usize; 2],
}

/// Asks, and has the window repainted when it is done. `None` where the system refuses a thread.
pub fn ask(asked: Asked, ctx: &egui::Context) -> Option<Receiver<Drawn>> {
    let (sender, receiver) = channel();
    let ctx = ctx.clone();
    let work = move || {
        let result = draw(&asked);
        // The panel may be gone.
        let _ = sender.send(Drawn { asked, result });
        ctx.request_repaint();
    };
    std::thread::Builder::new().name("access picture".into()).spawn(work).ok().map(|_| receiver)
}

fn draw(asked: &Asked) -> Result<Page, String> {
    let filter = asked.spec.filter.filter();
    let parameters = filter.complete(&asked.spec.parameters).map_err(|error| error.to_string())?;
    let photo = &asked.picture.picture;
    let setting = crate::model::Setting::new(asked.spec.channels, asked.spec.border);
    let shape =
        Shape { variant: &asked.variant, setting, parameters: &parameters, width_px: photo.width_px(), height_px: photo.height_px() };
    asked.variant.check(filter, setting).map_err(|error| error.to_string())?;
    let question = Question {
        filter,
        shape,
        pixel: asked.pixel,
        pass: asked.pass,
        local: asked.local,
        sub_group: asked.sub_group,
        banks: access::memory::DEFAULT_BANKS,
    };
    let answer = answer(&question).map_err(|error| error.to_string())?;
    let steps = answer.steps.len();
    let show = match asked.step {
        Some(0) => Show::Who,
        Some(step) if step <= steps => Show::Step(step - 1),
        _ => Show::All,
    };
    let view = View { question: &question, answer: &answer, photo: Some(photo), show, segment_bytes: asked.segment_bytes };
    let scene = plot::measured(|measure| access::scene(&view, asked.width as f64, measure)).map_err(|error| error.to_string())?;
    Ok(Page { scene, steps, passes: [answer.launch.passes.len(), answer.pass] })
}
