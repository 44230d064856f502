//! Answers and lays out on a thread of its own: a work-group has up to a thousand work-items, and each up to a thousand loads.

use super::asked::{Asked, Shown};
use crate::app::scene_ui::measure_in;
use base::error::Result;
use kernels::filters;
use kernels::filters::FilterIdExt;
use kernels::filters::VariantExt;
use kernels::launch::Shape;
use model::{Parameters, Setting};
use pictures::Picture;
use view::access::{self, Answer, Lanes, Question, Show, View, answer, lanes_film};
use view::plot::{Film, Form, Measure, Scene};

/// A picture, and what more of it there is to see.
#[derive(Debug)]
pub struct Page {
    /// To be painted.
    pub scene: Scene,
    /// Loads and stores; of two variants, of the one that has more.
    pub steps: usize,
    /// Passes of the variant, and the one that is shown.
    pub passes: [usize; 2],
    /// What the work-group makes: left, top, right, bottom, the last two not included.
    pub group: Option<[usize; 4]>,
}

/// The picture in so many points of width, or why there is none.
pub fn page(asked: &Asked, width: usize, ctx: &egui::Context) -> std::result::Result<Page, String> {
    let measure = measure_in(ctx);
    let page = with_views(asked, |view, before| {
        if asked.is_lanes {
            return Ok(lanes_page(asked, [before, Some(view)], width as f64, &measure));
        }
        let scene = access::scene(view, before, width as f64, &measure);
        let steps = [Some(view), before].into_iter().flatten().map(|view| view.answer.steps.len()).max().unwrap_or(0);
        let group = access::group_bounds(view.question, view.answer);
        Ok(Page { scene, steps, passes: [view.answer.launch.passes.len(), view.answer.pass], group })
    });
    page.map_err(|error| error.to_string())
}

/// What plays of one variant, as large as fits into the room, never enlarged.
pub fn film(asked: &Asked, [width, height]: [usize; 2], ctx: &egui::Context) -> Result<Film> {
    let measure = measure_in(ctx);
    with_views(asked, |view, _| match lanes_of(view) {
        Some((lanes, photo)) if asked.is_lanes => {
            Ok(lanes_film(&lanes, photo, [width as f64, height as f64], &measure).within(height as f64))
        }
        _ => Ok(access::film(view, [width as f64, height as f64], &measure)),
    })
}

/// Whether the variant has a branch that depends on the pixels.
pub fn branches(asked: &Asked) -> bool {
    let Ok(parameters) = complete(&asked.shown) else { return false };
    let Ok(question) = question(asked, &asked.shown, &parameters, asked.pass) else { return false };
    question.filter.conditional.as_ref().is_some_and(|conditional| (conditional.branches)(&question.shape))
}

/// The lanes of the sub-group that a view is about, with the photo they look at.
fn lanes_of<'a>(view: &View<'a>) -> Option<(Lanes, &'a Picture)> {
    let photo = view.photo?;
    Some((Lanes::of(view.question, view.answer, photo)?, photo))
}

/// Which lanes wait, of one variant or of two.
fn lanes_page(asked: &Asked, views: [Option<&View>; 2], width: f64, measure: Measure<'_>) -> Page {
    let mut page = Page { scene: Scene::new(width, 0.0), steps: 0, passes: [1, 0], group: None };
    for view in views.into_iter().flatten() {
        let Some((lanes, photo)) = lanes_of(view) else { continue };
        page.steps = page.steps.max(lanes.rows.len());
        page.group = access::group_bounds(view.question, view.answer);
        page.scene.below(access::lanes_page(&lanes, photo, view.name, asked.step, width, measure), 0.0);
    }
    page
}

/// The picture as a file's bytes.
///
/// # Errors
/// Where the question cannot be answered, or the answer not be drawn.
pub fn file(asked: &Asked, form: Form) -> Result<Vec<u8>> {
    with_views(asked, |view, before| {
        if asked.is_lanes { access::lanes_file(form, before.into_iter().chain([view])) } else { access::file(form, view, before) }
    })
}

/// Answers what is asked, of both variants where there are two.
fn with_views<R>(asked: &Asked, then: impl FnOnce(&View, Option<&View>) -> Result<R>) -> Result<R> {
    let parameters = complete(&asked.shown)?;
    let question = question(asked, &asked.shown, &parameters, asked.pass)?;
    let answered = answer(&question)?;
    let other_parameters = asked.before.as_ref().map(complete).transpose()?;
    let other = asked.before.as_ref().zip(other_parameters.as_ref());
    let other = other.map(|(shown, parameters)| self::question(asked, shown, parameters, None)).transpose()?;
    let other_answered = other.as_ref().map(answer).transpose()?;
    let names = names(asked);
    let view = |question, answer, name| view(asked, question, answer, name);
    let shown = view(&question, &answered, &names[1]);
    let before = other.as_ref().zip(other_answered.as_ref()).map(|(question, answer)| view(question, answer, &names[0]));
    then(&shown, before.as_ref())
}

fn complete(shown: &Shown) -> Result<Parameters> {
    shown.spec.filter.filter().complete(&shown.spec.parameters)
}

fn question<'a>(asked: &Asked, shown: &'a Shown, parameters: &'a Parameters, pass: Option<usize>) -> Result<Question<'a>> {
    let (filter, photo) = (shown.spec.filter.filter(), &asked.picture.picture);
    let setting = Setting::new(shown.spec.channels, shown.spec.border);
    shown.variant.check(filter, setting)?;
    Ok(Question {
        filter,
        shape: Shape { variant: &shown.variant, setting, parameters, width_px: photo.width_px(), height_px: photo.height_px() },
        pixel: asked.pixel,
        pass,
        local: shown.local,
        sub_group: asked.sub_group,
        is_loop: asked.is_loop,
        banks: access::memory::DEFAULT_BANKS,
    })
}

fn view<'a>(asked: &'a Asked, question: &'a Question<'a>, answer: &'a Answer, name: &'a str) -> View<'a> {
    let show = match asked.step {
        Some(0) => Show::Who,
        Some(step) => Show::Step(step - 1).within(answer.steps.len()),
        None => Show::All,
    };
    View { question, answer, photo: Some(&asked.picture.picture), show, segment_bytes: asked.segment_bytes, name }
}

/// What the two variants are called, the first one first: by their stages, and by whatever else differs.
fn names(asked: &Asked) -> [String; 2] {
    let both = [asked.before.as_ref().unwrap_or(&asked.shown), &asked.shown];
    let [first, second] = both;
    both.map(|shown| {
        let mut parts = vec![shown.variant.to_string()];
        if first.local != second.local {
            let [across, down] = shown.local;
            parts.push(format!("{across} × {down}"));
        }
        if first.spec != second.spec {
            parts.push(filters::spec_text(&shown.spec));
        }
        parts.join(", ")
    })
}
