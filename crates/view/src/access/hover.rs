//! What is said of a cell that is pointed at: who touches it, what memory makes of that, and which work-items these are.

use super::grid::{Pixel, Touch, Touched, pixels_of};
use super::memory::Banks;
use super::reuse::{self, Line, Reuse};
use super::words::{address, items, pair};
use super::{Answer, View, answer, index_in_group};
use base::texts::{filled, text};
use kernels::footprint::{Access, Space, WorkItem};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// Tells of the cells of one view.
pub struct Teller<'a> {
    view: &'a View<'a>,
    touched: &'a Touched,
    /// The work-item of the group that makes a pixel of the output, with its stores.
    makers: BTreeMap<Pixel, &'a (WorkItem, Vec<Access>)>,
    /// How many bytes of a segment are wanted.
    used: BTreeMap<Line, usize>,
    /// When lines are loaded from again, where work-items run in a loop.
    reuse: BTreeMap<Line, Reuse>,
}

impl<'a> Teller<'a> {
    /// Of what `touched` has of the view's answer.
    pub fn new(view: &'a View<'a>, touched: &'a Touched) -> Self {
        let (answer, channels) = (view.answer, view.question.shape.channels());
        let mut makers = BTreeMap::new();
        for item in &answer.group {
            let stores = item.1.iter().filter(|access| access.space == Space::Destination);
            makers.extend(stores.flat_map(|store| pixels_of(&answer.launch, channels, store)).map(|pixel| (pixel, item)));
        }
        let mut used = BTreeMap::new();
        for (space, bytes) in &touched.bytes {
            for byte in bytes.keys() {
                *used.entry((*space, byte / view.segment_bytes.max(1))).or_default() += 1;
            }
        }
        let reuse = if view.question.is_loop { reuse::lines(answer, view.segment_bytes) } else { BTreeMap::new() };
        Self { view, touched, makers, used, reuse }
    }

    /// Of a pixel of the photo with its values, or of a place between the passes.
    pub fn pixel(&self, pixel @ [x, y]: Pixel, value: Option<&[u8]>, is_inside: bool) -> String {
        let place: [(&str, &dyn Display); 2] = [("x", &x), ("y", &y)];
        let is_source = self.touched.plane == Space::Source;
        let mut said = vec![match value {
            Some(value) if is_source => {
                let value = value.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
                filled("access.hover.value", &[("x", &x), ("y", &y), ("value", &value)])
            }
            _ if !is_source => filled("access.hover.intermediate", &place),
            _ if is_inside => filled("access.hover.place", &place),
            _ => filled("access.hover.beyond", &place),
        }];
        let what = filled("access.hover.pixel", &place);
        if let Some(touch) = self.touched.loaded.get(&pixel) {
            said.push(self.touch(touch, &what, false));
            if touch.by_tile {
                said.push(text("access.hover.by-tile").to_owned());
            }
            said.extend(self.lane_is(touch));
        }
        if let Some(touch) = self.touched.stored.get(&pixel).filter(|touch| touch.own) {
            said.push(self.touch(touch, &what, true));
        }
        if let Some((item, accesses)) = self.makers.get(&pixel).filter(|_| is_source && is_inside) {
            said.push(self.maker(item, accesses, pixel));
        }
        said.join("\n")
    }

    /// Each pixel that the group makes with the number of its work-item in the loop, from one.
    pub fn turns(&self) -> impl Iterator<Item = (Pixel, usize)> {
        self.makers.iter().map(|(pixel, (item, _))| (*pixel, index_in_group(item.local, item.local_size) + 1))
    }

    /// Who makes a pixel of the output, and in which lane of the vector that it stores.
    fn maker(&self, item: &WorkItem, accesses: &[Access], [x, y]: Pixel) -> String {
        let question = self.view.question;
        let index = index_in_group(item.local, item.local_size);
        let width = question.sub_group.max(1);
        // People count turns of a loop from one, and lanes as programs do.
        let number = if question.is_loop { index + 1 } else { index / width };
        let values: [(&str, &dyn Display); 5] = [
            ("global", &pair(item.global())),
            ("local", &pair(item.local)),
            ("group", &pair(item.group)),
            ("lane", &(index % width)),
            ("number", &number),
        ];
        let maker = filled(if question.is_loop { "access.hover.maker-loop" } else { "access.hover.maker" }, &values);
        let Some(lanes) = answer::vector_lanes_of(&self.view.answer.launch, accesses, [x, y].map(isize::unsigned_abs)) else {
            return maker;
        };
        let key = if lanes.len() == 1 { "access.who.vector-lane" } else { "access.who.vector-lanes" };
        let vector = filled(key, &[("first", &lanes.start), ("last", &lanes.end.saturating_sub(1))]);
        filled("access.and", &[("first", &maker), ("second", &vector)])
    }

    /// Of a byte of a buffer in global memory.
    pub fn byte(&self, space: Space, byte: usize) -> String {
        let what = filled("access.hover.byte", &[("byte", &byte), ("address", &address(byte))]);
        let is_store = is_stored(self.view.answer, space);
        let touch = self.touched.bytes.get(&space).and_then(|bytes| bytes.get(&byte));
        let nobody = if is_store { "access.hover.not-written" } else { "access.hover.unused" };
        let who = touch.map_or_else(|| filled(nobody, &[("what", &what)]), |touch| self.touch(touch, &what, is_store));
        let mut said = vec![who, self.segment(space, byte)];
        said.extend(touch.and_then(|touch| self.lane_is(touch)));
        said.join("\n")
    }

    /// "Segment 0x40 is 25 % used".
    fn segment(&self, space: Space, byte: usize) -> String {
        let size = self.view.segment_bytes.max(1);
        let line = (space, byte / size);
        let used = self.used.get(&line).copied().unwrap_or(0) as f64 / size as f64 * 100.0;
        let key = if self.view.question.is_loop { "access.hover.line" } else { "access.hover.segment" };
        let mut said = filled(key, &[("address", &address(line.1 * size)), ("share", &format!("{used:.0}"))]);
        if let Some(Reuse { before, after }) = self.reuse.get(&line) {
            let before = before.map(|distance| filled("access.hover.line-before", &[("before", &items(distance))]));
            let after = after.map(|distance| filled("access.hover.line-again", &[("after", &items(distance))]));
            for more in [before, after].into_iter().flatten() {
                said = filled("access.and", &[("first", &said), ("second", &more)]);
            }
        }
        said
    }

    /// Of a word of the tile.
    pub fn word(&self, word: usize, is_filled: bool, banks: Option<&Banks>) -> String {
        let of_bank = word % self.view.question.banks.max(1);
        let what = filled("access.hover.word", &[("address", &address(word * super::memory::BANK_BYTES)), ("bank", &of_bank)]);
        let loaded = self.touched.words.get(&word).map(|touch| (touch, false));
        let touch = loaded.or_else(|| self.touched.put.get(&word).map(|touch| (touch, true)));
        let mut said = vec![match touch {
            Some((touch, is_store)) => self.touch(touch, &what, is_store),
            None => filled(if is_filled { "access.hover.not-touched" } else { "access.hover.not-filled" }, &[("what", &what)]),
        }];
        if let Some(words) = banks.and_then(|banks| banks.conflicts.get(&of_bank)) {
            said.push(filled("access.hover.conflict", &[("words", &words.len())]));
        }
        said.extend(touch.and_then(|(touch, _)| self.lane_is(touch)));
        said.join("\n")
    }

    /// "Lane 7 reads byte 21, which lanes 6 and 8 read, too".
    fn touch(&self, touch: &Touch, what: &str, is_store: bool) -> String {
        let (lane, others) = (self.view.answer.lane, touch.others.len());
        let is_alone = self.view.question.is_loop && self.view.question.sub_group <= 1;
        let key = match (touch.own, others, is_store) {
            (true, _, false) if is_alone => "access.hover.item-reads",
            (true, _, true) if is_alone => "access.hover.item-writes",
            (true, 0, false) => "access.hover.reads",
            (true, 1, false) => "access.hover.reads-shared-one",
            (true, _, false) => "access.hover.reads-shared",
            (true, _, true) => "access.hover.writes",
            (false, 1, false) => "access.hover.others-read-one",
            (false, _, false) => "access.hover.others-read",
            (false, 1, true) => "access.hover.others-write-one",
            (false, _, true) => "access.hover.others-write",
        };
        filled(key, &[("lane", &lane), ("what", &what), ("lanes", &numbers(&touch.others))])
    }

    /// Which work-item the first lane is that touches it, where that is not the chosen one.
    fn lane_is(&self, touch: &Touch) -> Option<String> {
        let lane = *touch.others.first().filter(|_| !touch.own)?;
        let question = self.view.question;
        let (item, _) = self.view.answer.group.get(self.view.answer.sub_group * question.sub_group.max(1) + lane)?;
        let values: [(&str, &dyn Display); 4] =
            [("lane", &lane), ("global", &pair(item.global())), ("local", &pair(item.local)), ("group", &pair(item.group))];
        Some(filled("access.hover.lane-is", &values))
    }
}

/// Whether the pass stores to it and does not load from it.
pub fn is_stored(answer: &Answer, space: Space) -> bool {
    let mut own = answer.steps.iter().filter(|step| step.own.space == space).peekable();
    own.peek().is_some() && own.all(|step| !step.own.kind.is_load())
}

/// "6 and 8", "0–3, 5 and 9".
fn numbers(numbers: &BTreeSet<usize>) -> String {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => runs.push([number, number]),
        }
    }
    let run = |[first, last]: [usize; 2]| match last - first {
        0 => first.to_string(),
        _ => format!("{first}–{last}"),
    };
    let runs: Vec<String> = runs.into_iter().map(run).collect();
    match runs.split_last() {
        Some((last, before)) if !before.is_empty() => filled("access.hover.list", &[("list", &before.join(", ")), ("last", last)]),
        _ => runs.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn numbers_in_a_row_are_told_as_one() {
        let told = |list: &[usize]| numbers(&list.iter().copied().collect());
        assert_eq!(told(&[6, 8]), "6 and 8");
        assert_eq!(told(&[0, 1, 2, 3, 5, 7, 8]), "0–3, 5 and 7–8");
        assert_eq!(told(&[4]), "4");
        assert_eq!(told(&[]), "");
    }
}
