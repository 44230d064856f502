//! Where the lanes of a sub-group part ways: at each test which of them work and which wait. A sub-group executes one instruction at a time; where some of
//! its work-items branch and others do not, these others wait. Drawn for data-dependent tests ([`kernels::filters::Conditional`]).

use super::drawing::{GAP, SMALL, TEXT, paragraph};
use super::grid::pixels_of;
use super::{Answer, Question, View, index_in_group, lane_of};
use crate::plot::{self, Anchor, Film, Form, Frame, Hit, Measure, Role, Scene};
use base::error::Result;
use base::texts::{filled, text};
use kernels::filters::Tested;
use kernels::footprint::{Access, Kind, Space, WorkItem};
use pictures::Picture;
use std::fmt::Display;

/// What a lane does at a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// What is done where the test holds.
    Works,
    /// Nothing, while others of its sub-group work.
    Waits,
    /// Nothing, as no lane does: the sub-group jumps over it.
    Skips,
    /// It has no pixel, or has returned before.
    Gone,
}

/// One test, over all lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestRow {
    /// The neighbor that is tested.
    pub neighbor: [isize; 2],
    /// By lane: the neighbor's value, and what is done with it.
    pub lanes: Vec<(u8, Lane)>,
}

impl TestRow {
    /// How many lanes do this.
    #[must_use]
    pub fn count(&self, wanted: Lane) -> usize {
        self.lanes.iter().filter(|(_, lane)| *lane == wanted).count()
    }
}

/// All tests of a sub-group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The kernel branches; without, every lane does everything, and what does not count is masked.
    pub branches: bool,
    /// By lane: the pixel that it makes; `None` where it has none.
    pub pixels: Vec<Option<[usize; 2]>>,
    /// In the order of the kernel.
    pub rows: Vec<TestRow>,
}

/// Sums over the first tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneSums {
    /// Tests where at least one lane works.
    pub executed: usize,
    /// Of these, where others wait for it.
    pub divergent: usize,
    /// Lanes at work, over the executed ones.
    pub works: usize,
    /// Lanes that wait.
    pub waits: usize,
}

impl LaneSums {
    /// Of the lanes that take part in what is executed, how many work, in percent.
    #[must_use]
    pub fn busy_percent(&self) -> usize {
        let all = (self.works + self.waits).max(1);
        (100 * self.works + all / 2) / all
    }
}

impl Lanes {
    /// The sub-group that makes the pixel in question; `None` for a filter without such tests.
    #[must_use]
    pub fn of(question: &Question, answer: &Answer, picture: &Picture) -> Option<Self> {
        let conditional = question.filter.conditional.as_ref()?;
        let (shape, own) = (&question.shape, &answer.item);
        let sub_group_of = |item: &WorkItem| index_in_group(item.local, own.local_size) / question.sub_group.max(1);
        let mut items: Vec<_> = answer.group.iter().filter(|(item, _)| sub_group_of(item) == sub_group_of(own)).collect();
        items.sort_by_key(|(item, _)| lane_of(item.local, own.local_size, question.sub_group));
        let first_pixel = |accesses: &[Access]| {
            let is_store = |access: &&Access| access.kind == Kind::Store && access.space == Space::Destination;
            let pixels = pixels_of(&answer.launch, shape.channels(), accesses.iter().find(is_store)?);
            let pixel = pixels.first()?.map(isize::cast_unsigned);
            (pixel[0] < shape.width_px && pixel[1] < shape.height_px).then_some(pixel)
        };
        let pixels: Vec<_> = items.iter().map(|(_, accesses)| first_pixel(accesses)).collect();
        let tests = |pixel: &Option<[usize; 2]>| pixel.map_or_else(Vec::new, |pixel| (conditional.tests)(shape, picture, pixel));
        let tested: Vec<Vec<Tested>> = pixels.iter().map(tests).collect();
        let branches = (conditional.branches)(shape);
        let count = tested.iter().map(Vec::len).max().unwrap_or(0);
        Some(Self { branches, rows: (0..count).map(|index| row(&tested, index, branches)).collect(), pixels })
    }

    /// Over the first `count` tests.
    #[must_use]
    pub fn sums(&self, count: usize) -> LaneSums {
        let mut sums = LaneSums::default();
        for row in self.rows.iter().take(count) {
            let (works, waits) = (row.count(Lane::Works), row.count(Lane::Waits));
            sums.executed += usize::from(works > 0);
            sums.divergent += usize::from(works > 0 && waits > 0);
            sums.works += works;
            sums.waits += waits;
        }
        sums
    }
}

fn row(tested: &[Vec<Tested>], index: usize, branches: bool) -> TestRow {
    let of_lane = |tests: &Vec<Tested>| tests.get(index).copied();
    let any = tested.iter().filter_map(of_lane).any(|test| test.is_true);
    let lane = |tests: &Vec<Tested>| match of_lane(tests) {
        None => (0, Lane::Gone),
        Some(test) if test.is_true || !branches => (test.value, Lane::Works),
        Some(test) if any => (test.value, Lane::Waits),
        Some(test) => (test.value, Lane::Skips),
    };
    let neighbor = tested.iter().find_map(of_lane).map_or([0, 0], |test| test.neighbor);
    TestRow { neighbor, lanes: tested.iter().map(lane).collect() }
}

/// "Neighbor (−4, −4): 12 of 32 lanes add, 20 wait".
fn row_words(lanes: &Lanes, row: &TestRow) -> String {
    let [dx, dy] = row.neighbor.map(|at| at.to_string().replace('-', "−"));
    let (works, waits) = (row.count(Lane::Works), row.count(Lane::Waits));
    let all = row.lanes.len() - row.count(Lane::Gone);
    let key = match (lanes.branches, works) {
        (false, _) => "access.lanes.masked",
        (true, 0) => "access.lanes.nobody",
        (true, _) => "access.lanes.test",
    };
    let values: [(&str, &dyn Display); 5] = [("dx", &dx), ("dy", &dy), ("works", &works), ("waits", &waits), ("all", &all)];
    filled(key, &values)
}

/// "76 of 81 additions executed; in 70 of them lanes wait; 45 % of the lanes are at work".
#[must_use]
pub fn sum_words(lanes: &Lanes, count: usize) -> String {
    if lanes.rows.is_empty() {
        return text("access.lanes.untested").to_owned();
    }
    let sums = lanes.sums(count);
    let percent = sums.busy_percent();
    let tests = count.min(lanes.rows.len());
    let values: [(&str, &dyn Display); 4] =
        [("tests", &tests), ("executed", &sums.executed), ("divergent", &sums.divergent), ("percent", &percent)];
    filled(if lanes.branches { "access.lanes.sum" } else { "access.lanes.sum-masked" }, &values)
}

const LEAST_CELL: f64 = 3.0;
const MOST_CELL: f64 = 22.0;
/// Rows of tests are so high at most: all of them have room.
const MOST_ROW: f64 = 9.0;
const LEAST_ROW: f64 = 1.6;
/// Thinner rows touch each other, and in so little room the sentence below is left out.
const APART: f64 = 3.0;
/// Room for the rows' names, and for the bars of how many lanes work.
const NAMES: f64 = 70.0;
const BARS: f64 = 120.0;

/// The first `count` tests; the last of them is `marked`, and the pixels' values stand above: each lane's own, and that of the neighbor it tests. Each hit
/// tells a lane and a test.
#[must_use]
pub fn lanes_scene(
    lanes: &Lanes,
    picture: &Picture,
    count: usize,
    is_marked: bool,
    [width, height]: [f64; 2],
    measure: Measure<'_>,
) -> Scene {
    let mut scene = Scene::new(width, 0.0);
    let all = lanes.pixels.len().max(1);
    let cell = ((width - NAMES - BARS - GAP) / all as f64).clamp(LEAST_CELL, MOST_CELL);
    let left = |lane: usize| NAMES + cell * lane as f64;
    let right = left(all);
    let strips = 2.0 * (cell.min(14.0) + 4.0) + 2.0 * SMALL;
    let row_height = ((height - strips - 5.0 * SMALL) / lanes.rows.len().max(1) as f64).clamp(LEAST_ROW, MOST_ROW);
    scene.text(filled("access.lanes.columns", &[("last", &(all - 1))]), (NAMES, SMALL * 0.8), SMALL, Role::Weak, Anchor::Left);
    scene.text(text("access.lanes.at-work"), (right + GAP, SMALL * 0.8), SMALL, Role::Weak, Anchor::Left);
    scene.height = SMALL * 1.6;
    let marked = is_marked.then(|| lanes.rows.get(count.checked_sub(1)?)).flatten();
    let own =
        |lane: usize| lanes.pixels.get(lane).copied().flatten().and_then(|[x, y]| picture.bytes().get(y * picture.width_px() + x).copied());
    strip(&mut scene, text("access.lanes.own"), all, left, cell, own);
    strip(&mut scene, text("access.lanes.neighbor"), all, left, cell, |lane| {
        marked.and_then(|row| row.lanes.get(lane)).filter(|(_, what)| *what != Lane::Gone).map(|(value, _)| *value)
    });
    let (top, gap) = (scene.height, if row_height < APART { 0.0 } else { 0.5 });
    for (index, row) in lanes.rows.iter().enumerate() {
        let (upper, lower) = (top + row_height * index as f64, top + row_height * (index + 1) as f64);
        // A name for each row of the window.
        if index == 0 || lanes.rows.get(index - 1).is_some_and(|before| before.neighbor[1] != row.neighbor[1]) {
            let [_, dy] = row.neighbor.map(|at| at.to_string().replace('-', "−"));
            let at = (NAMES - GAP / 2.0, upper + SMALL * 0.5);
            scene.text(filled("access.lanes.row", &[("dy", &dy)]), at, SMALL, Role::Weak, Anchor::Right);
            scene.lines(vec![[(NAMES, upper), (right, upper)]], Role::Grid, 1.0);
        }
        if index >= count {
            continue;
        }
        for (lane, (_, what)) in row.lanes.iter().enumerate() {
            let area = [left(lane) + 0.5, upper + gap, left(lane) + cell - 0.5, lower - gap];
            paint(&mut scene, area, *what);
        }
        let works = row.count(Lane::Works) as f64 / all as f64;
        scene.fill([right + GAP, upper + gap, right + GAP + (BARS - GAP) * works, lower - gap], Role::Device, 1.0);
        if marked.is_some() && index + 1 == count {
            scene.outline([NAMES - 1.0, upper - 1.0, right + 1.0, lower + 1.0], Role::Strong);
        }
        scene.hits.push(Hit { area: [NAMES, upper, right + BARS, lower], index, name: row_words(lanes, row) });
    }
    scene.height = top + row_height * lanes.rows.len() as f64 + GAP / 2.0;
    legend(&mut scene, measure);
    if row_height >= APART {
        paragraph(&mut scene, text("access.lanes.about"), SMALL, Role::Weak, width, measure);
    }
    scene
}

/// Filled, crossed out, an edge: told apart without color, too.
fn paint(scene: &mut Scene, area: [f64; 4], what: Lane) {
    let [left, top, right, bottom] = area;
    match what {
        Lane::Works => scene.fill(area, Role::Device, 1.0),
        Lane::Waits => {
            scene.fill(area, Role::Warning, 0.25);
            scene.lines(vec![[(left, bottom), (right, top)]], Role::Warning, 1.0);
        }
        Lane::Skips => scene.outline(area, Role::Grid),
        Lane::Gone => {}
    }
}

/// Values of pixels, as their grays.
fn strip(scene: &mut Scene, name: &str, all: usize, left: impl Fn(usize) -> f64, cell: f64, value: impl Fn(usize) -> Option<u8>) {
    let height = cell.min(14.0);
    let (top, bottom) = (scene.height, scene.height + height);
    scene.text(name, (NAMES - GAP / 2.0, f64::midpoint(top, bottom)), SMALL, Role::Weak, Anchor::Right);
    for lane in 0..all {
        let area = [left(lane), top, left(lane) + cell, bottom];
        match value(lane) {
            Some(value) => scene.fill(area, Role::Pixel([value; 3]), 1.0),
            None => scene.outline(area, Role::Grid),
        }
    }
    scene.height = bottom + 4.0;
}

fn legend(scene: &mut Scene, measure: Measure<'_>) {
    let keys = [(Lane::Works, "access.lanes.works"), (Lane::Waits, "access.lanes.waits"), (Lane::Skips, "access.lanes.skips")];
    let entry = |(what, key)| (move |scene: &mut Scene, area| paint(scene, area, what), text(key));
    scene.keys(keys.map(entry), [14.0, 8.0], SMALL, measure);
}

/// Milliseconds that a test, and that the whole, is shown.
const TEST_MS: u32 = 250;
const WHOLE_MS: u32 = 5000;

/// The tests one after the other, then all. `size`: width and height that it may take.
#[must_use]
pub fn lanes_film(lanes: &Lanes, picture: &Picture, size: [f64; 2], measure: Measure<'_>) -> Film {
    let all = lanes.rows.len();
    let frame = |count: usize| Frame {
        lines: match count.checked_sub(1).and_then(|index| lanes.rows.get(index)) {
            Some(row) => vec![row_words(lanes, row), sum_words(lanes, count)],
            None => Vec::new(),
        },
        scene: lanes_scene(lanes, picture, count, true, size, measure),
        milliseconds: TEST_MS,
    };
    let whole =
        Frame { lines: vec![sum_words(lanes, all)], scene: lanes_scene(lanes, picture, all, false, size, measure), milliseconds: WHOLE_MS };
    Film { frames: (0..=all).map(frame).chain([whole]).collect(), told: filled("access.lanes.tests", &[("count", &all)]) }
}

/// The figure under what is told of it: no test yet at step 0, the first tests at each further one, all of them without a step.
#[must_use]
pub fn lanes_page(lanes: &Lanes, picture: &Picture, title: &str, step: Option<usize>, width: f64, measure: Measure<'_>) -> Scene {
    let count = step.unwrap_or(lanes.rows.len()).min(lanes.rows.len());
    let newest = step.and_then(|step| lanes.rows.get(step.checked_sub(1)?));
    let mut page = Scene::new(width, GAP);
    if !title.is_empty() {
        paragraph(&mut page, title, TEXT, Role::Strong, width, measure);
    }
    if let Some(row) = newest {
        paragraph(&mut page, &row_words(lanes, row), TEXT, Role::Text, width, measure);
    }
    if count > 0 || lanes.rows.is_empty() {
        paragraph(&mut page, &sum_words(lanes, count), TEXT, Role::Text, width, measure);
    }
    page.height += GAP / 2.0;
    page.below(lanes_scene(lanes, picture, count, newest.is_some(), [width, PAGE_HEIGHT], measure), 0.0);
    page.height += GAP;
    page
}

/// So high at most.
const PAGE_HEIGHT: f64 = 900.0;
/// A film has many frames, each as large in the file as it is on the screen.
const FILM_HEIGHT: f64 = 500.0;

/// Which lanes wait, as a file's bytes: of one variant, or of two, one below or after the other.
///
/// # Errors
/// Where it cannot be drawn.
pub fn lanes_file<'a>(form: Form, views: impl Iterator<Item = &'a View<'a>>) -> Result<Vec<u8>> {
    let known = views.filter_map(|view| Some((view.name, Lanes::of(view.question, view.answer, view.photo?)?, view.photo?)));
    let known: Vec<_> = known.collect();
    let still = |measure: Measure<'_>| {
        let mut page = Scene::new(plot::FILM_WIDTH + 2.0 * GAP, GAP);
        for (name, lanes, photo) in &known {
            page.below(lanes_page(lanes, photo, name, None, plot::FILM_WIDTH, measure), GAP);
        }
        page
    };
    let films = |measure: Measure<'_>| {
        let film = |(name, lanes, photo): &(&str, Lanes, &Picture)| {
            ((*name).to_owned(), lanes_film(lanes, photo, [plot::FILM_WIDTH, FILM_HEIGHT], measure))
        };
        known.iter().map(film).collect()
    };
    plot::figure_file(form, still, films)
}

#[cfg(test)]
mod tests {
    use super::{Lane, LaneSums, Lanes, lanes_film, sum_words};
    use crate::access::{Question, answer};
    use crate::plot::{Role, Shape as Painted};
    use crate::testing::measure;
    use kernels::filters;
    use kernels::launch::Shape;
    use model::{BorderMode, Channels, Setting, Variant};
    use pictures::Picture;

    fn lanes_of(filter: &str, variant: &str, border: BorderMode, picture: &Picture, pixel: [usize; 2]) -> Option<Lanes> {
        let filter = filters::by_name(filter).expect("a filter");
        let (variant, parameters) = (Variant::parse(variant).expect("a variant"), filter.defaults());
        let setting = Setting::new(Channels::Gray, border);
        let (width_px, height_px) = (picture.width_px(), picture.height_px());
        let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px, height_px };
        let question = Question { filter, shape, pixel, pass: None, local: [32, 1], sub_group: 32, is_loop: false, banks: 32 };
        Lanes::of(&question, &answer(&question).expect("an answer"), picture)
    }

    /// 0 at the left, 100 from column 40 on: the threshold is 20.
    fn edge() -> Picture {
        Picture::from_fn(64, 16, Channels::Gray, |x, _, _| if x < 40 { 0 } else { 100 })
    }

    #[test]
    fn lanes_beside_an_edge_part_ways_as_worked_out_by_hand() {
        // Lanes 0 to 31 make pixels 32 to 63 of row 8. The neighbor 4 to the left is on the other side for pixels 40 to 43: lanes 8 to 11 wait.
        let lanes = lanes_of("epsilon", "coalesced", BorderMode::Replicate, &edge(), [45, 8]).expect("tests");
        assert_eq!((lanes.pixels[0], lanes.pixels[31], lanes.rows.len()), (Some([32, 8]), Some([63, 8]), 81));
        let row = &lanes.rows[0];
        assert_eq!((row.neighbor, row.count(Lane::Works), row.count(Lane::Waits)), ([-4, -4], 28, 4));
        let waits: Vec<_> = row.lanes.iter().enumerate().filter(|(_, (_, lane))| *lane == Lane::Waits).map(|(lane, _)| lane).collect();
        assert_eq!(waits, [8, 9, 10, 11]);
        // Of each row of the window: 4, 3, 2, 1, 0, 1, 2, 3, 4 lanes wait.
        let sums = lanes.sums(81);
        assert_eq!(sums, LaneSums { executed: 81, divergent: 72, works: 81 * 32 - 9 * 20, waits: 9 * 20 });
        assert_eq!(sum_words(&lanes, 81), "81 of 81 additions executed; in 72 of them lanes wait; 93 % of the lanes are at work");
    }

    #[test]
    fn without_a_branch_every_lane_does_everything() {
        for variant in ["coalesced+select", "coalesced+padded+vectorize=4"] {
            let lanes = lanes_of("epsilon", variant, BorderMode::Replicate, &edge(), [45, 8]).expect("tests");
            assert!(!lanes.branches && lanes.sums(81).waits == 0 && lanes.sums(81).executed == 81, "{variant}");
        }
        assert_eq!(lanes_of("sobel", "coalesced", BorderMode::Replicate, &edge(), [45, 8]), None);
    }

    #[test]
    fn who_returned_before_or_has_no_pixel_takes_no_part_and_what_nobody_does_is_skipped() {
        // The border keeps the source: the last four of 40 columns return before any test; lanes 8 to 31 of the second group have no pixel.
        let picture = Picture::from_fn(40, 16, Channels::Gray, |x, y, _| if (x + y) % 2 == 0 { 0 } else { 200 });
        let lanes = lanes_of("epsilon", "coalesced", BorderMode::Copy, &picture, [33, 8]).expect("tests");
        assert_eq!((lanes.pixels[7], lanes.pixels[8]), (Some([39, 8]), None));
        assert!(lanes.rows.iter().all(|row| row.count(Lane::Gone) == 28));
        // Without the branch they do not return: what they compute is not chosen.
        let masked = lanes_of("epsilon", "coalesced+select", BorderMode::Copy, &picture, [33, 8]).expect("tests");
        assert!(masked.rows.iter().all(|row| row.count(Lane::Gone) == 24 && row.count(Lane::Works) == 8));
        // In a row that the border keeps nobody tests anything.
        let kept = lanes_of("epsilon", "coalesced", BorderMode::Copy, &picture, [33, 0]).expect("tests");
        assert!(kept.rows.is_empty() && sum_words(&kept, 0).starts_with("No test"));
        // On a chessboard every other neighbor is far from all: nobody adds it, and nobody waits.
        assert_eq!(lanes.rows[1].count(Lane::Skips), 4);
        let sums = lanes.sums(81);
        assert_eq!((sums.executed, sums.divergent, sums.busy_percent()), (41, 0, 100));
    }

    #[test]
    fn the_film_paints_a_cell_for_each_lane_at_work() {
        let picture = edge();
        let lanes = lanes_of("epsilon", "coalesced", BorderMode::Replicate, &picture, [45, 8]).expect("tests");
        let film = lanes_film(&lanes, &picture, [900.0, 500.0], &measure);
        assert_eq!(film.frames.len(), 83);
        for (count, frame) in film.frames.iter().enumerate() {
            let painted =
                frame.scene.items.iter().filter(|item| item.role == Role::Device && matches!(item.shape, Painted::Fill(..))).count();
            // A bar for each row, and one cell in the legend.
            let rows = count.min(81);
            assert_eq!(painted, lanes.sums(rows).works + rows + 1, "frame {count}");
        }
        assert_eq!(film.frames[1].lines[0], "Neighbor (−4, −4): 28 of 32 lanes add it, 4 wait");
    }
}
