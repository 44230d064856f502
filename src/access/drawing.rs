//! The access picture as a scene: photo, address strip and bank grid, with totals and legend.

use super::grid::{Pixel, Sources, Touch, Touched};
use super::marks::{FRAME, dashed, frame, framed, legend, mark};
use super::memory::BANK_BYTES;
use super::words;
use super::{Answer, Question};
use crate::error::Result;
use crate::image::{Picture, luma};
use crate::model::Channels;
use crate::plot::{self, Anchor, Measure, Rectangle, Role, Scene, wrapped};
use crate::schedule::Space;
use std::collections::{BTreeMap, BTreeSet};

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
}

/// Cells of the photo are at least this large, so that a number fits.
const LEAST_CELL: f64 = 8.0;
const MOST_CELL: f64 = 22.0;
/// More of the photo is not shown: columns and rows.
const MOST_CELLS: [isize; 2] = [48, 32];
/// Pixels around what is touched.
const MARGIN_CELLS: isize = 1;
/// More segments and rows of words are not shown.
const MOST_SEGMENTS: usize = 24;
const MOST_WORD_ROWS: usize = 12;
pub const GAP: f64 = 16.0;
const TEXT: f64 = 12.0;
pub const SMALL: f64 = 10.5;
const LINE: f64 = 1.45;
/// Room for an address before a segment.
const ADDRESS: f64 = 62.0;

/// The whole picture, as wide as is told.
#[must_use]
pub fn scene(view: &View, width: f64, measure: Measure<'_>) -> Scene {
    let (question, answer) = (view.question, view.answer);
    let sources = Sources::of(answer, question.shape.channels());
    let steps = match view.show {
        Show::Who => 0..0,
        Show::Step(step) => step..step + 1,
        Show::All => 0..answer.steps.len(),
    };
    let touched = Touched::by(question, answer, &sources, steps.clone());
    // The part of the photo does not jump from step to step.
    let all = Touched::by(question, answer, &sources, 0..answer.steps.len());
    let mut page = Scene::new(width, 0.0);
    for line in heading(view) {
        paragraph(&mut page, &line, TEXT, Role::Text, width, measure);
    }
    page.height += GAP / 2.0;
    let is_beside = width >= 640.0;
    let photo = photo(view, &touched, &all, if is_beside { (width - GAP) * 0.46 } else { width }, measure);
    let strip_width = if is_beside { width - GAP - photo.width } else { width };
    let mut right = strips(view, &touched, steps, strip_width, measure);
    if !touched.words.is_empty() {
        right.below(bank_grid(view, &touched, &sources, strip_width, measure), 0.0);
    }
    if is_beside {
        beside(&mut page, photo, right);
    } else {
        page.below(photo, 0.0);
        page.below(right, 0.0);
    }
    page.height += GAP / 2.0;
    for line in words::totals(question, answer, view.segment_bytes) {
        paragraph(&mut page, &line, TEXT, Role::Text, width, measure);
    }
    page.height += GAP / 2.0;
    let legend = legend(&touched, width, measure);
    page.below(legend, 0.0);
    for note in words::NOTES {
        paragraph(&mut page, note, SMALL, Role::Weak, width, measure);
    }
    page
}

/// The width of the picture as a file.
const PAGE: f64 = 1100.0;

/// The picture as an SVG document.
///
/// # Errors
/// Where it cannot be drawn.
pub fn svg(view: &View) -> Result<String> {
    plot::svg(&page(view)?)
}

/// The picture as a PNG file's bytes.
///
/// # Errors
/// As [`svg`].
pub fn png(view: &View) -> Result<Vec<u8>> {
    plot::png(&page(view)?)
}

fn page(view: &View) -> Result<Scene> {
    let picture = plot::measured(|measure| scene(view, PAGE, measure))?;
    let mut page = Scene::new(PAGE + 2.0 * GAP, GAP);
    page.below(picture, GAP);
    page.height += GAP;
    Ok(page)
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

fn paragraph(page: &mut Scene, text: &str, size: f64, role: Role, width: f64, measure: Measure<'_>) {
    for line in wrapped(text, size, width, 4, measure) {
        page.text(line, (0.0, page.height + size * LINE / 2.0), size, role, Anchor::Left);
        page.height += size * LINE;
    }
}

fn heading(view: &View) -> Vec<String> {
    let (question, answer) = (view.question, view.answer);
    let mut lines: Vec<String> = words::pass(answer).into_iter().collect();
    lines.extend([words::who(question, answer), words::lane(question, answer)]);
    let count = answer.steps.len();
    lines.push(match view.show {
        Show::Who => format!("It makes {count} loads and stores"),
        Show::Step(step) => answer.steps.get(step).map_or_else(String::new, |found| {
            let (instruction, counter) = (words::instruction(&found.own), words::counter(found, view.segment_bytes));
            let together = if question.sub_group > 1 { format!("; {} together", words::lanes(found.lanes.len())) } else { String::new() };
            format!("{} of {count}: {instruction}{together}: {counter}", step + 1)
        }),
        Show::All => format!("All {count} loads and stores at once"),
    });
    lines
}

/// The rectangle of pixels that is shown: left, top, right, bottom, the last two not included. All that is touched where there is room, else what is
/// around the work-item's own.
fn region(all: &Touched) -> [isize; 4] {
    let touched = || all.loaded.iter().chain(&all.stored);
    let own = bounds(touched().filter(|(_, touch)| touch.own).map(|(pixel, _)| *pixel));
    let any = bounds(touched().map(|(pixel, _)| *pixel).chain(all.made.iter().take(1).flatten().copied()));
    let ([left, top, right, bottom], [first, above, last, below], [columns, rows]) = (own, any, MOST_CELLS);
    let ([left, right], [top, bottom]) = (extent([left, right], [first, last], columns), extent([top, bottom], [above, below], rows));
    [left, top, right, bottom]
}

/// The smallest rectangle around all of them.
fn bounds(pixels: impl Iterator<Item = Pixel>) -> [isize; 4] {
    let none = [isize::MAX, isize::MAX, isize::MIN, isize::MIN];
    let around = pixels.fold(none, |[left, top, right, bottom], [x, y]| [left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)]);
    if around == none { [0, 0, 1, 1] } else { around }
}

/// So many places at most of those from `outer`, with a margin, and with `inner` in the middle as far as that goes.
fn extent(inner: [isize; 2], outer: [isize; 2], most: isize) -> [isize; 2] {
    let [least, greatest] = [outer[0] - MARGIN_CELLS, outer[1] + MARGIN_CELLS];
    if greatest - least <= most {
        return [least, greatest];
    }
    let middle = isize::midpoint(inner[0], inner[1]);
    let first = (middle - most / 2).clamp(least, greatest - most);
    [first, first + most]
}

/// The part of the photo around the pixel, a cell for each pixel.
fn photo(view: &View, touched: &Touched, all: &Touched, width: f64, measure: Measure<'_>) -> Scene {
    let [left, top, right, bottom] = region(all);
    let (columns, rows) = ((right - left).max(1), (bottom - top).max(1));
    let cell = (width / columns as f64).clamp(LEAST_CELL, MOST_CELL);
    let mut scene = Scene::new(width.max(cell * columns as f64), 0.0);
    let title = if all.plane == Space::Source {
        format!("Pixels {left} to {} of rows {top} to {}", right - 1, bottom - 1)
    } else {
        format!("What lies between the passes: columns {left} to {}, rows {top} to {}", right - 1, bottom - 1)
    };
    let title_width = scene.width;
    paragraph(&mut scene, &title, SMALL, Role::Weak, title_width, measure);
    let origin = scene.height + 2.0;
    let area = |[x, y]: Pixel| -> Rectangle {
        let (x, y) = ((x - left) as f64 * cell, origin + (y - top) as f64 * cell);
        [x, y, x + cell, y + cell]
    };
    let [width_px, height_px] = [view.question.shape.width_px, view.question.shape.height_px].map(usize::cast_signed);
    let is_source = all.plane == Space::Source;
    for pixel @ [x, y] in (top..bottom).flat_map(|y| (left..right).map(move |x| [x, y])) {
        let is_inside = (0..width_px).contains(&x) && (0..height_px).contains(&y);
        let color = view
            .photo
            .filter(|_| is_source && is_inside)
            .and_then(|photo| color_of(photo, view.question.shape.channels(), x.cast_unsigned(), y.cast_unsigned()));
        match color {
            Some(color) => scene.fill(area(pixel), Role::Pixel(color), 1.0),
            None if is_inside || !is_source => scene.fill(area(pixel), Role::Grid, 0.5),
            None => dashed(&mut scene, area(pixel), cell),
        }
        scene.outline(area(pixel), Role::Grid);
    }
    let is_shown = |[x, y]: &Pixel| (left..right).contains(x) && (top..bottom).contains(y);
    for (pixel, touch) in touched.loaded.iter().filter(|(pixel, _)| is_shown(pixel)) {
        mark(&mut scene, area(*pixel), touch, false);
    }
    for (pixel, touch) in touched.stored.iter().filter(|(pixel, touch)| touch.own && is_shown(pixel)) {
        mark(&mut scene, area(*pixel), touch, true);
    }
    let own: BTreeSet<Pixel> = all.stored.iter().filter(|(_, touch)| touch.own).map(|(pixel, _)| *pixel).collect();
    let [sub_group, group] = &touched.made;
    for (set, role, line) in [(group, FRAME, 2.5), (sub_group, FRAME, 1.0), (&own, Role::Output, 3.0)] {
        framed(&mut scene, frame(set, &is_shown, &area), role, line);
    }
    scene.height = origin + rows as f64 * cell + 4.0;
    scene
}

/// In the channels that are computed.
fn color_of(photo: &Picture, channels: Channels, x: usize, y: usize) -> Option<[u8; 3]> {
    match photo.pixel(x, y)? {
        [gray] => Some([*gray; 3]),
        [red, green, blue] if channels == Channels::Gray => Some([luma([*red, *green, *blue]); 3]),
        [red, green, blue] => Some([*red, *green, *blue]),
        _ => None,
    }
}

/// Segments that the steps touch, a row for each, by what they are of.
fn strips(view: &View, touched: &Touched, steps: std::ops::Range<usize>, width: f64, measure: Measure<'_>) -> Scene {
    let mut scene = Scene::new(width, 0.0);
    if touched.bytes.is_empty() && touched.words.is_empty() {
        let has_texels = view.answer.steps.get(steps).unwrap_or_default().iter().any(|step| step.segments.is_none());
        let text = if has_texels { words::LAYOUT_IS_SECRET } else { "The bytes that are loaded and stored appear here, step by step" };
        paragraph(&mut scene, text, SMALL, Role::Weak, width, measure);
    }
    for (space, bytes) in &touched.bytes {
        let size = view.segment_bytes.max(1);
        let segments: BTreeSet<usize> = bytes.keys().map(|byte| byte / size).collect();
        let own: BTreeSet<usize> = bytes.iter().filter(|(_, touch)| touch.own).map(|(byte, _)| byte / size).collect();
        let mut shown: Vec<usize> = own.iter().chain(segments.difference(&own)).take(MOST_SEGMENTS).copied().collect();
        shown.sort_unstable();
        let used = bytes.len() as f64 / (segments.len() * size) as f64;
        let title = format!("{}: {} of {size} bytes, {:.0} % used", words::space(*space), words::segments(segments.len()), used * 100.0);
        paragraph(&mut scene, &title, SMALL, Role::Weak, width, measure);
        let cell = ((width - ADDRESS) / size as f64).clamp(2.0, 16.0);
        let height = cell.clamp(9.0, 16.0);
        let mut before = None;
        for segment in &shown {
            if before.is_some_and(|before| before + 1 != *segment) {
                scene.height += 3.0;
            }
            before = Some(*segment);
            strip(&mut scene, *space, bytes, segment * size, [size as f64, cell, height]);
        }
        let more = segments.len() - shown.len();
        if more > 0 {
            paragraph(&mut scene, &format!("and {more} more"), SMALL, Role::Weak, width, measure);
        }
        scene.height += GAP / 2.0;
    }
    scene
}

/// One segment: its address, and a cell for each byte.
fn strip(scene: &mut Scene, space: Space, bytes: &BTreeMap<usize, Touch>, first: usize, [size, cell, height]: [f64; 3]) {
    let (top, bottom) = (scene.height, scene.height + height);
    scene.text(format!("{first:#06x}"), (ADDRESS - 6.0, f64::midpoint(top, bottom)), SMALL, Role::Weak, Anchor::Right);
    let whole = [ADDRESS, top, ADDRESS + size * cell, bottom];
    scene.fill(whole, Role::Grid, 0.6);
    let is_store = space == Space::Destination;
    for (offset, byte) in (first..first + size as usize).enumerate() {
        let left = ADDRESS + offset as f64 * cell;
        if let Some(touch) = bytes.get(&byte) {
            mark(scene, [left, top, left + cell, bottom], touch, is_store);
        }
    }
    let ticks = (0..=size as usize).step_by(BANK_BYTES).map(|offset| ADDRESS + offset as f64 * cell);
    scene.lines(ticks.map(|x| [(x, top), (x, top + 3.0)]).collect(), Role::Weak, 1.0);
    scene.outline(whole, Role::Weak);
    scene.height = bottom + 1.0;
}

/// The words of the tile, a column for each bank.
fn bank_grid(view: &View, touched: &Touched, sources: &Sources, width: f64, measure: Measure<'_>) -> Scene {
    let mut scene = Scene::new(width, 0.0);
    let banks = view.question.banks.max(1);
    let rows: BTreeSet<usize> = touched.words.keys().map(|word| word / banks).collect();
    let step = match view.show {
        Show::Step(step) => view.answer.steps.get(step).and_then(|step| step.banks.as_ref()),
        Show::Who | Show::All => None,
    };
    let title = match step {
        Some(found) if found.degree > 1 => format!("Tile, {banks} banks of 4 bytes: {} words of one bank", found.degree),
        Some(_) => format!("Tile, {banks} banks of 4 bytes: no conflict"),
        None => format!("Tile, {banks} banks of 4 bytes"),
    };
    paragraph(&mut scene, &title, SMALL, Role::Weak, width, measure);
    let cell = ((width - ADDRESS) / banks as f64).clamp(4.0, 16.0);
    let filled: BTreeSet<usize> = sources.filled().map(|byte| byte / BANK_BYTES).collect();
    for row in rows.iter().take(MOST_WORD_ROWS) {
        let (top, bottom) = (scene.height, scene.height + cell);
        let address = row * banks * BANK_BYTES;
        scene.text(format!("{address:#06x}"), (ADDRESS - 6.0, f64::midpoint(top, bottom)), SMALL, Role::Weak, Anchor::Right);
        for bank in 0..banks {
            let (word, left) = (row * banks + bank, ADDRESS + bank as f64 * cell);
            let area = [left, top, left + cell, bottom];
            if filled.contains(&word) {
                scene.fill(area, Role::Tile, 0.18);
            }
            if let Some(touch) = touched.words.get(&word) {
                mark(&mut scene, area, &Touch { by_tile: false, ..touch.clone() }, false);
            }
            if step.is_some_and(|step| step.conflicts.get(&bank).is_some_and(|words| words.contains(&word))) {
                let (right, bottom) = (left + cell, bottom);
                scene.lines(vec![[(left, top), (right, bottom)], [(left, bottom), (right, top)]], Role::Conflict, 1.5);
            }
            scene.outline(area, Role::Grid);
        }
        scene.height = bottom;
    }
    let more = rows.len().saturating_sub(MOST_WORD_ROWS);
    if more > 0 {
        paragraph(&mut scene, &format!("and {more} more rows of words"), SMALL, Role::Weak, width, measure);
    }
    scene.height += GAP / 2.0;
    scene
}

#[cfg(test)]
mod tests {
    use super::{Show, View, extent, scene, svg};
    use crate::access::{Answer, Question, answer};
    use crate::filters;
    use crate::image::Picture;
    use crate::model::{BorderMode, Channels, Setting, Variant};
    use crate::plot::{Role, Scene, Shape as Painted};
    use crate::schedule::Shape;

    fn with_view(filter: &str, variant: &str, local: [usize; 2], look: impl Fn(&View)) {
        let filter = filters::by_name(filter).expect("a filter");
        let (variant, parameters) = (Variant::parse(variant).expect("a variant"), filter.defaults());
        let setting = Setting::new(Channels::Gray, BorderMode::Replicate);
        let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px: 128, height_px: 40 };
        let photo = Picture::from_fn(128, 40, Channels::Gray, |x, y, _| (x + y) as u8);
        let question = Question { filter, shape, pixel: [40, 20], pass: None, local, sub_group: 32, banks: 32 };
        let answer: Answer = answer(&question).expect("an answer");
        look(&View { question: &question, answer: &answer, photo: Some(&photo), show: Show::All, segment_bytes: 32 });
    }

    fn laid_out(view: &View) -> Scene {
        scene(view, 1000.0, &|text, size| text.chars().count() as f64 * size / 2.0)
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
            assert!(who.texts().any(|text| text.starts_with("Pixel 40,20 is made by work-item (40, 20)")));
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
    fn a_file_has_the_words_and_the_sums() {
        with_view("epsilon", "coalesced+padded+vectorize=8", [32, 4], |view| {
            let text = svg(view).expect("a picture");
            for words in ["work-group", "Fetched per pixel", "The source", "so many other lanes load it too"] {
                assert!(text.contains(words), "{words}");
            }
        });
    }

    #[test]
    fn what_is_shown_of_a_photo_is_around_the_work_item() {
        assert_eq!(extent([4, 7], [0, 10], 48), [-1, 11]);
        assert_eq!(extent([500, 503], [0, 1000], 48), [477, 525]);
        assert_eq!(extent([0, 3], [0, 1000], 48), [-1, 47]);
        assert_eq!(extent([0, 1000], [0, 1000], 48), [476, 524]);
    }
}
