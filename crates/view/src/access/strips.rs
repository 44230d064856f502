//! The address strip: a cell for each byte and a row for each segment; and the tile's words, a column for each bank.

use super::View;
use super::drawing::{GAP, SMALL, Show, paragraph};
use super::grid::{Sources, Touch, Touched};
use super::hover::{Teller, is_stored};
use super::marks::mark;
use super::memory::BANK_BYTES;
use super::words;
use crate::plot::{Anchor, Hit, Measure, Role, Scene};
use base::texts::{filled, text};
use kernels::footprint::Space;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// More segments and rows of words are not shown.
const MOST_SEGMENTS: usize = 24;
const MOST_WORD_ROWS: usize = 12;
/// With little room, so many are, and each is so high.
const FEWEST_SEGMENTS: usize = 6;
const LEAST_HEIGHT: f64 = 7.0;
/// Height of an address, in points.
const ADDRESS_HEIGHT: f64 = 12.0;
/// Room for an address before a segment.
const ADDRESS: f64 = 62.0;

/// Segments that the steps touch, a row for each, by what they are of.
pub fn strips(
    view: &View,
    touched: &Touched,
    teller: &Teller,
    steps: Range<usize>,
    [width, most_height]: [f64; 2],
    measure: Measure<'_>,
) -> Scene {
    let mut scene = Scene::new(width, 0.0);
    if touched.bytes.is_empty() && touched.words.is_empty() && touched.put.is_empty() {
        let has_texels = view.answer.steps.get(steps).unwrap_or_default().iter().any(|step| step.segments.is_none());
        let said = if has_texels { words::layout_is_secret() } else { text("access.strip.empty") };
        paragraph(&mut scene, said, SMALL, Role::Weak, width, measure);
    }
    // Each with a line above and one below.
    let most_rows = most_height / touched.bytes.len().max(1) as f64 / LEAST_HEIGHT - 4.0;
    let most_segments = (most_rows as usize).clamp(FEWEST_SEGMENTS, MOST_SEGMENTS);
    for (space, bytes) in &touched.bytes {
        let size = view.segment_bytes.max(1);
        let segments: BTreeSet<usize> = bytes.keys().map(|byte| byte / size).collect();
        let own: BTreeSet<usize> = bytes.iter().filter(|(_, touch)| touch.own).map(|(byte, _)| byte / size).collect();
        let mut shown: Vec<usize> = own.iter().chain(segments.difference(&own)).take(most_segments).copied().collect();
        shown.sort_unstable();
        let used = bytes.len() as f64 / (segments.len() * size) as f64 * 100.0;
        let count = words::segments(view.question, segments.len());
        let title = filled(title(*space), &[("segments", &count), ("size", &size), ("share", &format!("{used:.0}"))]);
        paragraph(&mut scene, &title, SMALL, Role::Weak, width, measure);
        let cell = ((width - ADDRESS) / size as f64).clamp(2.0, 16.0);
        // With a line above them, and less where many have little room.
        let height = cell.min(most_height / (shown.len() + 3) as f64).clamp(if most_height.is_finite() { LEAST_HEIGHT } else { 9.0 }, 16.0);
        let mut before = None;
        // An address needs the height of its type: of low rows, each so many has one.
        let rows_per_address = (ADDRESS_HEIGHT / (height + 1.0)).ceil().max(1.0) as usize;
        for (row, segment) in shown.iter().enumerate() {
            if before.is_some_and(|before| before + 1 != *segment) {
                scene.height += 3.0;
            }
            before = Some(*segment);
            let is_store = is_stored(view.answer, *space);
            if row % rows_per_address == 0 {
                let middle = scene.height + height / 2.0;
                scene.text(words::address(segment * size), (ADDRESS - 6.0, middle), SMALL, Role::Weak, Anchor::Right);
            }
            strip(&mut scene, (*space, bytes, is_store), segment * size, [size as f64, cell, height], teller);
        }
        let more = segments.len() - shown.len();
        if more > 0 {
            let more = filled("access.strip.others", &[("count", &words::segments(view.question, more))]);
            paragraph(&mut scene, &more, SMALL, Role::Weak, width, measure);
        }
        scene.height += GAP / 2.0;
    }
    scene
}

const fn title(space: Space) -> &'static str {
    match space {
        Space::Between(_) => "access.strip.between",
        Space::Destination => "access.strip.output",
        Space::Table(_) | Space::Constant => "access.strip.table",
        Space::Source | Space::Tile => "access.strip.source",
    }
}

/// One segment: a cell for each byte.
fn strip(
    scene: &mut Scene,
    (space, bytes, is_store): (Space, &BTreeMap<usize, Touch>, bool),
    first: usize,
    [size, cell, height]: [f64; 3],
    teller: &Teller,
) {
    let (top, bottom) = (scene.height, scene.height + height);
    let whole = [ADDRESS, top, ADDRESS + size * cell, bottom];
    scene.fill(whole, Role::Grid, 0.6);
    for (offset, byte) in (first..first + size as usize).enumerate() {
        let left = ADDRESS + offset as f64 * cell;
        let area = [left, top, left + cell, bottom];
        if let Some(touch) = bytes.get(&byte) {
            mark(scene, area, touch, is_store);
        }
        scene.hits.push(Hit { area, index: byte, name: teller.byte(space, byte) });
    }
    let ticks = (0..=size as usize).step_by(BANK_BYTES).map(|offset| ADDRESS + offset as f64 * cell);
    scene.lines(ticks.map(|x| [(x, top), (x, top + 3.0)]).collect(), Role::Weak, 1.0);
    scene.outline(whole, Role::Weak);
    scene.height = bottom + 1.0;
}

/// The words of the tile that steps touch, a column for each bank.
pub fn bank_grid(view: &View, touched: &Touched, sources: &Sources, teller: &Teller, width: f64, measure: Measure<'_>) -> Scene {
    let mut scene = Scene::new(width, 0.0);
    let banks = view.question.banks.max(1);
    let rows: BTreeSet<usize> = touched.words.keys().chain(touched.put.keys()).map(|word| word / banks).collect();
    let step = match view.show {
        Show::Step(step) => view.answer.steps.get(step).and_then(|step| step.banks.as_ref()),
        Show::Who | Show::All => None,
    };
    let title = match step {
        Some(found) if found.degree > 1 => filled("access.strip.banks-conflict", &[("banks", &banks), ("degree", &found.degree)]),
        Some(_) => filled("access.strip.banks-no-conflict", &[("banks", &banks)]),
        None => filled("access.strip.banks", &[("banks", &banks)]),
    };
    paragraph(&mut scene, &title, SMALL, Role::Weak, width, measure);
    let cell = ((width - ADDRESS) / banks as f64).clamp(4.0, 16.0);
    let filled_words: BTreeSet<usize> = sources.filled().map(|byte| byte / BANK_BYTES).collect();
    for row in rows.iter().take(MOST_WORD_ROWS) {
        let (top, bottom) = (scene.height, scene.height + cell);
        let address = words::address(row * banks * BANK_BYTES);
        scene.text(address, (ADDRESS - 6.0, f64::midpoint(top, bottom)), SMALL, Role::Weak, Anchor::Right);
        for bank in 0..banks {
            let (word, left) = (row * banks + bank, ADDRESS + bank as f64 * cell);
            let area = [left, top, left + cell, bottom];
            let is_filled = filled_words.contains(&word);
            if is_filled {
                scene.fill(area, Role::Tile, 0.18);
            }
            if let Some(touch) = touched.words.get(&word) {
                mark(&mut scene, area, &Touch { by_tile: false, ..touch.clone() }, false);
            } else if let Some(touch) = touched.put.get(&word) {
                mark(&mut scene, area, touch, true);
            }
            if step.is_some_and(|step| step.conflicts.get(&bank).is_some_and(|words| words.contains(&word))) {
                let (right, bottom) = (left + cell, bottom);
                scene.lines(vec![[(left, top), (right, bottom)], [(left, bottom), (right, top)]], Role::Conflict, 1.5);
            }
            scene.outline(area, Role::Grid);
            scene.hits.push(Hit { area, index: word, name: teller.word(word, is_filled, step) });
        }
        scene.height = bottom;
    }
    let more = rows.len().saturating_sub(MOST_WORD_ROWS);
    if more > 0 {
        paragraph(&mut scene, &filled("access.strip.more-rows", &[("count", &more)]), SMALL, Role::Weak, width, measure);
    }
    scene.height += GAP / 2.0;
    scene
}
