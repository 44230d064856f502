//! The access picture as a scene: photo, address strip and bank grid, with totals and legend; of one variant, or of two, one above the other.

use super::bounds::bounds;
use super::compare::compared;
use super::grid::{Sources, Touched};
use super::hover::Teller;
use super::marks::legend;
use super::photo::{Region, photo, region};
use super::strips::{bank_grid, strips};
use super::sums::SoFar;
use super::words;
use super::{Answer, Question};
use crate::plot::{self, Film, Form, Frame, Measure, Role, Scene};
use base::error::Result;
use base::texts::filled;
use pictures::Picture;
use std::ops::Range;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// Which work-item, work-group and lane make the pixel.
    Who,
    /// One load or store, by its number among the steps.
    Step(usize),
    /// All of them at once.
    All,
}

impl Show {
    /// The same of an answer of so many steps: all of them where it has no such step.
    #[must_use]
    pub fn within(self, count: usize) -> Self {
        match self {
            Self::Step(step) if step >= count => Self::All,
            other => other,
        }
    }

    /// The steps that are drawn, of so many.
    fn steps(self, count: usize) -> Range<usize> {
        match self {
            Self::Who => 0..0,
            Self::Step(step) => step..step + 1,
            Self::All => 0..count,
        }
    }
}

/// What is drawn, and how.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// What was asked.
    pub question: &'a Question<'a>,
    /// What was answered.
    pub answer: &'a Answer,
    /// The source picture.
    pub photo: Option<&'a Picture>,
    /// Which step.
    pub show: Show,
    /// Bytes of a segment.
    pub segment_bytes: usize,
    /// What the variant is called where two are drawn.
    pub name: &'a str,
}

pub const GAP: f64 = 16.0;
pub const TEXT: f64 = 12.0;
pub const SMALL: f64 = 10.5;
/// From this width on, the address strip has room beside the photo.
const BESIDE: f64 = 640.0;
/// And from this one on, if need be.
const LEAST_BESIDE: f64 = 380.0;
/// The photo's share of the width then.
const PHOTO_SHARE: f64 = 0.46;
/// Rather than smaller by more than this, the picture has fewer rows.
const LEAST_FACTOR: f64 = 0.75;

/// A view with what its steps touch.
struct Prepared<'a> {
    view: &'a View<'a>,
    sources: Sources,
    touched: Touched,
    /// By all steps: the part of the photo does not jump from step to step.
    all: Touched,
}

impl<'a> Prepared<'a> {
    fn of(view: &'a View<'a>) -> Self {
        let (question, answer) = (view.question, view.answer);
        let count = answer.steps.len();
        let sources = Sources::of(answer, question.shape.channels());
        let touched = Touched::by(question, answer, &sources, view.show.steps(count));
        let all = Touched::by(question, answer, &sources, 0..count);
        Self { view, sources, touched, all }
    }
}

/// The whole picture, as wide as is told. With another variant, that one comes first, with the same spot of the photo, and what differs is told.
#[must_use]
pub fn scene(view: &View, before: Option<&View>, width: f64, measure: Measure<'_>) -> Scene {
    let prepared: Vec<Prepared> = before.into_iter().chain([view]).map(Prepared::of).collect();
    let region = region(&prepared.iter().map(|prepared| &prepared.all).collect::<Vec<_>>(), f64::INFINITY);
    // One scale for both bars.
    let most_bytes = |most: f64, prepared: &Prepared| {
        let view = prepared.view;
        view.answer.totals.fetched(view.segment_bytes).map_or(most, |fetched| most.max(fetched.cold))
    };
    let most_bytes = prepared.iter().fold(0.0, most_bytes);
    let mut page = Scene::new(width, 0.0);
    let titles = before.map_or([None, None], |before| {
        let title = |key, view: &View| Some(filled(key, &[("name", &view.name)]));
        [title("access.compare.first", before), title("access.compare.second", view)]
    });
    for (prepared, title) in prepared.iter().zip(titles) {
        if let Some(title) = title {
            paragraph(&mut page, &title, TEXT, Role::Strong, width, measure);
        }
        block(&mut page, prepared, region, measure);
        page.below(bounds(prepared.view, most_bytes, width, measure), 0.0);
    }
    match before {
        Some(before) => compared(&mut page, [before, view], measure),
        None => {
            for line in words::totals(view.question, view.answer, view.segment_bytes) {
                paragraph(&mut page, &line, TEXT, Role::Text, width, measure);
            }
        }
    }
    page.height += GAP / 2.0;
    let has_tile = prepared.iter().any(|prepared| !(prepared.touched.words.is_empty() && prepared.touched.put.is_empty()));
    let legend = legend(view.question, has_tile, width, measure);
    page.below(legend, 0.0);
    for note in words::notes(view.question) {
        paragraph(&mut page, note, SMALL, Role::Weak, width, measure);
    }
    page
}

/// What is told of a frame that plays: nothing before the first step, as how many there are may be asked.
#[must_use]
pub fn brief_lines(view: &View) -> Vec<String> {
    if view.show == Show::Who {
        return Vec::new();
    }
    heading(view).into_iter().skip(words::pass(view.answer).iter().count() + 2).collect()
}

/// The room of the figures, and how they share it.
#[derive(Clone, Copy)]
struct Room {
    width: f64,
    /// Cells are made smaller, within limits, where that many units would not do.
    height: f64,
    /// The address strip is beside the photo, not below it.
    is_beside: bool,
}

/// Photo, address strip and bank grid alone: what plays beside a text that explains it.
fn brief(view: &View, room: Room, measure: Measure<'_>) -> Scene {
    let prepared = Prepared::of(view);
    let region = region(&[&prepared.all], room.height);
    let mut page = Scene::new(room.width, 0.0);
    figures(&mut page, &prepared, region, room, measure);
    page
}

/// Heading, photo, address strip and bank grid of one variant.
fn block(page: &mut Scene, prepared: &Prepared, region: Region, measure: Measure<'_>) {
    for line in heading(prepared.view) {
        paragraph(page, &line, TEXT, Role::Text, page.width, measure);
    }
    let room = Room { width: page.width, height: f64::INFINITY, is_beside: page.width >= BESIDE };
    figures(page, prepared, region, room, measure);
}

/// Photo, address strip and bank grid of one variant.
fn figures(page: &mut Scene, prepared: &Prepared, region: Region, room: Room, measure: Measure<'_>) {
    let Prepared { view, sources, touched, all } = prepared;
    let Room { width, height, is_beside } = room;
    page.height += GAP / 2.0;
    let teller = Teller::new(view, touched);
    let photo_width = if is_beside { (width - GAP) * PHOTO_SHARE } else { width };
    let photo = photo(view, [touched, all], &teller, region, [photo_width, height], measure);
    let strip_width = if is_beside { width - GAP - photo.width } else { width };
    let mut right = strips(view, touched, &teller, view.show.steps(view.answer.steps.len()), [strip_width, height], measure);
    if !(touched.words.is_empty() && touched.put.is_empty()) {
        right.below(bank_grid(view, touched, sources, &teller, strip_width, measure), 0.0);
    }
    if is_beside {
        beside(page, photo, right);
    } else {
        page.below(photo, 0.0);
        page.below(right, 0.0);
    }
    page.height += GAP / 2.0;
}

/// The width of the picture as a file.
const PAGE: f64 = 1100.0;

/// More frames than these are not played: of a longer program as many steps, evenly spread.
const MOST_FRAMES: usize = 60;

/// What plays of a variant, one after the other: who makes the pixel, its loads and stores, all of them at once.
pub fn shows(answer: &Answer) -> impl Iterator<Item = Show> + use<> {
    let steps = answer.steps.len();
    let stride = steps.div_ceil(MOST_FRAMES).max(1);
    std::iter::once(Show::Who).chain((0..steps).step_by(stride).map(Show::Step)).chain([Show::All])
}

/// Milliseconds that a step, and that the whole, is shown.
const STEP_MS: u32 = 350;
const WHOLE_MS: u32 = 4000;

/// All that plays of one variant: who makes the pixel, its loads and stores one after the other, all of them. No larger than so many units, where that can be.
#[must_use]
pub fn film(view: &View, [width, height]: [f64; 2], measure: Measure<'_>) -> Film {
    let at = |show| View { show, ..*view };
    // A picture of many rows is larger where it is laid out in less width, or with its two halves side by side; all steps at once take the most room.
    let rooms = [1.0, 0.8, 0.65].into_iter().flat_map(|share| {
        let width = width * share;
        [width >= BESIDE, width >= LEAST_BESIDE].map(|is_beside| Room { width, height: height / LEAST_FACTOR, is_beside })
    });
    let tallness = |room: &Room| brief(&at(Show::All), *room, measure).height;
    let room = rooms.min_by(|one, other| tallness(one).total_cmp(&tallness(other)));
    let room = room.unwrap_or(Room { width, height, is_beside: false });
    let frame = |show| Frame {
        lines: brief_lines(&at(show)),
        scene: brief(&at(show), room, measure),
        milliseconds: if show == Show::All { WHOLE_MS } else { STEP_MS },
    };
    let told = filled("course.film.steps", &[("count", &view.answer.steps.len())]);
    Film { frames: shows(view.answer).map(frame).collect(), told }.within(height)
}

/// The picture as a file's bytes; playing, before, where there is another variant, then this one.
///
/// # Errors
/// Where it cannot be drawn.
pub fn file(form: Form, view: &View, before: Option<&View>) -> Result<Vec<u8>> {
    let still = |measure: Measure<'_>| {
        let mut page = Scene::new(PAGE + 2.0 * GAP, GAP);
        page.below(scene(view, before, PAGE, measure), GAP);
        page.height += GAP;
        page
    };
    let films = |measure: Measure<'_>| {
        let film = |view: &View| (view.name.to_owned(), film(view, [plot::FILM_WIDTH, f64::INFINITY], measure));
        before.into_iter().chain([view]).map(film).collect()
    };
    plot::figure_file(form, still, films)
}

/// Two scenes side by side, below the page.
fn beside(page: &mut Scene, left: Scene, right: Scene) {
    let (top, at) = (page.height, left.width + GAP);
    let bottom = top + left.height.max(right.height);
    page.below(left, 0.0);
    page.height = top;
    page.below(right, at);
    page.height = bottom;
}

/// Text on as many lines as it needs, four at most.
pub fn paragraph(page: &mut Scene, text: &str, size: f64, role: Role, width: f64, measure: Measure<'_>) {
    page.paragraph(text, (0.0, width), size, role, measure);
}

fn heading(view: &View) -> Vec<String> {
    let (question, answer) = (view.question, view.answer);
    let mut lines: Vec<String> = words::pass(answer).into_iter().collect();
    lines.extend([words::who(question, answer), words::lane(question, answer)]);
    let count = answer.steps.len();
    let accesses = words::accesses(count);
    match view.show {
        Show::Who => lines.push(filled("access.show.who", &[("accesses", &accesses)])),
        Show::Step(step) => {
            lines.extend(answer.steps.get(step).map(|found| {
                let (instruction, counter) = (words::instruction(&found.own), words::counter(found, view.segment_bytes));
                let key = if question.sub_group > 1 { "access.show.step-together" } else { "access.show.step" };
                let lanes = words::lanes(found.lanes.len());
                let values: [(&str, &dyn std::fmt::Display); 5] =
                    [("number", &(step + 1)), ("count", &count), ("instruction", &instruction), ("lanes", &lanes), ("counter", &counter)];
                filled(key, &values)
            }));
            lines.push(words::so_far(&SoFar::after(answer, step + 1, view.segment_bytes), view.segment_bytes));
        }
        Show::All => lines.push(filled("access.show.all", &[("accesses", &accesses)])),
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{Show, View, brief, scene, shows};
    use crate::access::{Answer, Question, answer};
    use crate::plot::{Form, Hit, Role, Scene, Shape as Painted};
    use crate::testing::measure;
    use kernels::filters;
    use kernels::launch::Shape;
    use model::{BorderMode, Channels, Setting, Variant};
    use pictures::Picture;

    fn with_view(filter: &str, variant: &str, local: [usize; 2], look: impl Fn(&View)) {
        let filter = filters::by_name(filter).expect("a filter");
        let (variant, parameters) = (Variant::parse(variant).expect("a variant"), filter.defaults());
        let setting = Setting::new(Channels::Gray, BorderMode::Replicate);
        let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px: 128, height_px: 40 };
        let photo = Picture::from_fn(128, 40, Channels::Gray, |x, y, _| (x + y) as u8);
        let question = Question { filter, shape, pixel: [40, 20], pass: None, local, sub_group: 32, is_loop: false, banks: 32 };
        let answer: Answer = answer(&question).expect("an answer");
        look(&View { question: &question, answer: &answer, photo: Some(&photo), show: Show::All, segment_bytes: 32, name: "" });
    }

    fn laid_out(view: &View) -> Scene {
        scene(view, None, 1000.0, &measure)
    }

    fn count(scene: &Scene, role: Role, is_shape: fn(&Painted) -> bool) -> usize {
        scene.items.iter().filter(|item| item.role == role && is_shape(&item.shape)).count()
    }

    const IS_FILL: fn(&Painted) -> bool = |shape| matches!(shape, Painted::Fill(..));

    #[test]
    fn what_a_step_touches_is_what_is_painted() {
        with_view("sobel", "coalesced", [32, 1], |view| {
            // One load: the pixel and the byte of the work-item and of 31 others; the legend has three cells of loads.
            let one = laid_out(&View { show: Show::Step(4), ..*view });
            assert_eq!(count(&one, Role::Loaded, IS_FILL), 2 * 32 + 3);
            // Each byte of the output once, in photo and strip, as all other pixels of that color are in the legend.
            let store = laid_out(&View { show: Show::Step(9), ..*view });
            assert_eq!(count(&store, Role::Stored, IS_FILL), 1 + 32 + 1);
            // Before the first step nothing is touched.
            let who = laid_out(&View { show: Show::Who, ..*view });
            assert_eq!(count(&who, Role::Loaded, IS_FILL), 3);
            assert!(who.texts().any(|text| text.starts_with("Pixel 40,20 is computed by work-item (40, 20)")));
        });
    }

    #[test]
    fn what_plays_touches_what_the_steps_touch_and_tells_nothing_before_the_first() {
        with_view("sobel", "coalesced", [32, 1], |view| {
            let frames: Vec<Show> = shows(view.answer).collect();
            assert_eq!(frames.len(), view.answer.steps.len() + 2);
            for (index, show) in frames.iter().enumerate() {
                let room = super::Room { width: 1000.0, height: f64::INFINITY, is_beside: true };
                let scene = brief(&View { show: *show, ..*view }, room, &measure);
                let loaded = count(&scene, Role::Loaded, IS_FILL);
                let expected = match show {
                    // In photo and strip, each byte that a lane loads.
                    Show::Step(step) if view.answer.steps[*step].own.kind.is_load() => 2 * view.answer.steps[*step].unique_bytes,
                    Show::Who | Show::Step(_) => 0,
                    Show::All => loaded,
                };
                assert_eq!(loaded, expected, "frame {index}");
                if *show == Show::Who {
                    assert!(scene.texts().all(|text| !text.contains("loads") && !text.contains("requested")));
                }
            }
            let gif = super::file(Form::Gif, view, None).expect("drawn");
            let decoder = image::codecs::gif::GifDecoder::new(std::io::Cursor::new(gif)).expect("a GIF");
            assert_eq!(image::AnimationDecoder::into_frames(decoder).count(), frames.len());
        });
    }

    #[test]
    fn words_of_one_bank_are_crossed_out() {
        // Rows of 34 bytes and lanes down a column: degree 2. Half of the 32 words share a bank with another.
        with_view("sobel", "local", [32, 32], |view| {
            let tile =
                view.answer.steps.iter().position(|step| step.own.kind.is_load() && step.banks.is_some()).expect("a load of the tile");
            assert_eq!(view.answer.steps[tile].banks.as_ref().map(|banks| banks.degree), Some(2));
            let crosses = |show| count(&laid_out(&View { show, ..*view }), Role::Conflict, |shape| matches!(shape, Painted::Lines(..)));
            assert!(crosses(Show::Step(tile)) > 2 && crosses(Show::All) == 1, "{}", crosses(Show::Step(tile)));
        });
    }

    #[test]
    fn a_cell_says_who_touches_it_and_how_much_of_its_segment_is_used() {
        with_view("sobel", "coalesced", [32, 1], |view| {
            let said = |show, words: &[&str]| {
                let scene = laid_out(&View { show, ..*view });
                let is_said = |hit: &Hit| words.iter().all(|word| hit.name.contains(word));
                assert!(scene.hits.iter().any(is_said), "{words:?}");
            };
            // Row 20 of 128 bytes begins at 2560; pixel 40 is in lane 8 of its group.
            said(Show::All, &["Lane 8 reads byte 2600 (0x0a28), as do lanes 7 and 9", "Segment 0x0a20 is 100 % used"]);
            said(
                Show::All,
                &["Pixel 40,20: 60", "Computed by work-item (40, 20): local id (8, 0) in work-group (1, 20), lane 8 of sub-group 0"],
            );
            // The first load is one to the left in the row above: of its first segment one byte is used.
            said(Show::Step(0), &["Lane 0 reads byte 2463 (0x099f)", "Segment 0x0980 is 3 % used", "Lane 0 is work-item (32, 20)"]);
            said(Show::Step(0), &["Fetched but unused: byte 2462"]);
        });
        with_view("sobel", "local", [32, 32], |view| {
            let tile =
                view.answer.steps.iter().position(|step| step.own.kind.is_load() && step.banks.is_some()).expect("a load of the tile");
            let scene = laid_out(&View { show: Show::Step(tile), ..*view });
            assert!(scene.hits.iter().any(|hit| hit.name.contains("2 words of this bank are requested at once")));
        });
    }

    #[test]
    fn two_variants_are_drawn_one_above_the_other_and_their_difference_is_told() {
        with_view("sobel", "naive", [32, 1], |before| {
            with_view("sobel", "coalesced", [32, 1], |view| {
                let lay_out = |view: &View, before: &View| scene(view, Some(before), 1000.0, &measure);
                let both = lay_out(&View { name: "coalesced", ..*view }, &View { name: "naive", ..*before });
                let has = |words: &str| both.texts().any(|text| text.contains(words));
                assert!(has("First: naive") && has("Second: coalesced"));
                assert!(has("maximum segments per load 32 → 2"), "{:?}", both.texts().collect::<Vec<_>>());
                // The same spot of the photo in both.
                let spots: Vec<_> = both.texts().filter(|text| text.starts_with("Pixels ") && text.contains("of rows")).collect();
                assert!(spots.len() == 2 && spots[0] == spots[1], "{spots:?}");
                let alike = lay_out(view, view);
                assert!(alike.texts().any(|text| text == "No difference in these counts"));
            });
        });
    }

    #[test]
    fn a_file_has_the_words_and_the_sums() {
        with_view("epsilon", "coalesced+padded+vectorize=8", [32, 4], |view| {
            let text = String::from_utf8(super::file(Form::Svg, view, None).expect("a picture")).expect("text");
            for words in ["work-group", "Fetched per pixel", "The source", "number of other lanes that load it"] {
                assert!(text.contains(words), "{words}");
            }
        });
    }
}
