//! Images that are uploaded, computed and read back: through one queue, where each command waits for the one before, and through two.

use super::paper::{BEGIN_MS, GAP, Paint, Paper, QUICK_MS, STEP_MS, WHOLE_MS, frame};
use crate::plot::film::Film;
use crate::plot::palette::Role;
use crate::plot::pattern::{hatch, stripes};
use crate::plot::scale::round_up;
use crate::plot::scene::{Anchor, Rectangle, Scene, fitted};
use crate::plot::units;
use base::texts::{filled, text};

/// How long upload, kernel and read-back of an image take, in milliseconds.
const PARTS: [f64; 3] = [4.0, 2.0, 3.0];
const IMAGES: usize = 4;
/// The second way has so many queues.
const QUEUES: usize = 2;
/// The second way is shown in so many frames at most.
const MOST_FRAMES: usize = 12;
/// The whole is so high at most, and a bar.
const MOST_HEIGHT: f64 = 320.0;
const MOST_BAR: f64 = 56.0;
/// Between two marks of the axis, at least.
const MARKS_APART: f64 = 46.0;

/// The kinds of work: each has an engine of its own, which does one command at a time.
const KINDS: [(Role, &str); 3] =
    [(Role::Loaded, "concepts.queues.upload"), (Role::Device, "concepts.queues.kernel"), (Role::Stored, "concepts.queues.read-back")];

/// A command with its times, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Command {
    pub(super) image: usize,
    /// Which of [`KINDS`].
    pub(super) kind: usize,
    pub(super) queue: usize,
    pub(super) begin: f64,
    pub(super) end: f64,
}

/// When each command runs. Image `i` goes through queue `i` modulo their number; a queue runs its commands in order, and an engine runs one at a time: of
/// those that wait, the one that can begin first.
pub(super) fn schedule(parts: [f64; 3], images: usize, queues: usize) -> Vec<Command> {
    let queues = queues.max(1);
    // By queue: its next image, the next part of that, and when the part before has ended.
    let mut heads: Vec<(usize, usize, f64)> = (0..queues).map(|queue| (queue, 0, 0.0)).collect();
    let mut free = [0.0; 3];
    let mut commands = Vec::new();
    loop {
        let ready = |(queue, (image, kind, ready)): (usize, &(usize, usize, f64))| {
            let begin = free.get(*kind).map_or(*ready, |free: &f64| free.max(*ready));
            (*image < images).then_some((begin, *image, *kind, queue))
        };
        let next = heads.iter().enumerate().filter_map(ready).min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let Some((begin, image, kind, queue)) = next else { return commands };
        let end = begin + parts.get(kind).copied().unwrap_or(0.0);
        commands.push(Command { image, kind, queue, begin, end });
        if let Some(free) = free.get_mut(kind) {
            *free = end;
        }
        if let Some(head) = heads.get_mut(queue) {
            *head = if kind + 1 < parts.len() { (image, kind + 1, end) } else { (image + queues, 0, end) };
        }
    }
}

/// When the last command has ended.
pub(super) fn total(commands: &[Command]) -> f64 {
    commands.iter().map(|command| command.end).fold(0.0, f64::max)
}

/// However many images there are, so many queues are as many times as fast as one at most: a queue runs one command at a time, and so does an engine.
pub(super) fn bound(parts: [f64; 3], queues: usize) -> f64 {
    let longest = parts.into_iter().fold(0.0, f64::max);
    let by_engine = if longest > 0.0 { parts.iter().sum::<f64>() / longest } else { 1.0 };
    by_engine.min(queues as f64)
}

/// How many engines are at work at a time.
fn busy(commands: &[Command], now: f64) -> usize {
    commands.iter().filter(|command| (command.begin..command.end).contains(&now)).count()
}

/// A bar of a kind: light, so that a number is read on it, with its pattern along the bottom.
fn bar(scene: &mut Scene, area @ [left, top, right, bottom]: Rectangle, kind: usize) {
    let Some((role, _)) = KINDS.get(kind) else { return };
    scene.fill(area, *role, 0.22);
    let strip = [left, bottom - 0.3 * (bottom - top), right, bottom];
    match kind {
        0 => scene.lines(stripes(strip, 4.0), *role, 1.2),
        1 => scene.fill(strip, *role, 1.0),
        _ => scene.lines(hatch(strip, 4.0), *role, 1.2),
    }
    scene.outline(area, *role);
}

/// What a queue of the first way is called, or one of the second.
fn name(way: usize, queue: usize) -> String {
    if way == 0 { text("concepts.queues.alone").to_owned() } else { filled("concepts.queues.queue", &[("number", &(queue + 1))]) }
}

/// Where the two ways are drawn, on one clock.
struct Layout {
    /// From the left end of the bars to their right one.
    bars: [f64; 2],
    /// The left end of names.
    names: f64,
    top: f64,
    bottom: f64,
    /// Milliseconds from end to end.
    all: f64,
    size: f64,
}

impl Layout {
    fn new(paper: &Paper, [left, top, right, bottom]: Rectangle, all: f64) -> Self {
        let size = paper.text_size();
        let needed = |(way, queue)| (paper.measure)(&name(way, queue), size);
        let names = [(0, 0), (1, QUEUES - 1)].map(needed).into_iter().fold(0.0, f64::max).min(0.25 * (right - left));
        Self { bars: [left + names + GAP, right - GAP], names: left, top, bottom, all: all.max(1.0), size }
    }

    fn x(&self, ms: f64) -> f64 {
        let [left, right] = self.bars;
        left + (right - left) * (ms / self.all).clamp(0.0, 1.0)
    }

    /// The rows: one for the first way, one for each queue of the second, with room between the two ways.
    fn row(&self, way: usize, queue: usize) -> [f64; 2] {
        let axis = self.size * 1.5;
        let (top, between) = (self.top + axis, GAP * 1.5);
        let pitch = (self.bottom - top - between) / (1 + QUEUES) as f64;
        let place = if way == 0 { 0 } else { 1 + queue };
        let height = (0.82 * pitch).min(MOST_BAR);
        [top + pitch * place as f64 + if way == 0 { 0.0 } else { between }, height]
    }

    fn axis(&self, scene: &mut Scene, paper: &Paper) {
        let [left, right] = self.bars;
        let step = round_up(self.all / ((right - left) / MARKS_APART).max(1.0)).max(1.0);
        let marks = (0..).map(|index| f64::from(index) * step).take_while(|at| *at <= self.all);
        let mut grid = Vec::new();
        for at in marks {
            let said = if at > 0.0 { units::time(at * 1e6) } else { "0".to_owned() };
            let half = (paper.measure)(&said, self.size) / 2.0;
            grid.push([(self.x(at), self.top + self.size * 1.4), (self.x(at), self.bottom)]);
            let x = self.x(at).min(paper.width - half);
            scene.text(said, (x, self.top + self.size * 0.6), self.size, Role::Weak, Anchor::Center);
        }
        scene.lines(grid, Role::Grid, 1.0);
    }

    /// What of a way has run until a time.
    fn way(&self, scene: &mut Scene, paper: &Paper, (way, commands): (usize, &[Command]), until: f64) {
        let queues = if way == 0 { 1 } else { QUEUES };
        for queue in 0..queues {
            let [top, height] = self.row(way, queue);
            let name = fitted(&name(way, queue), self.size, self.bars[0] - self.names - GAP / 2.0, paper.measure);
            scene.text(name, (self.names, top + height / 2.0), self.size, Role::Text, Anchor::Left);
            scene.lines(vec![[(self.bars[0], top + height), (self.bars[1], top + height)]], Role::Grid, 1.0);
        }
        for command in commands.iter().filter(|command| command.begin < until) {
            let [top, height] = self.row(way, command.queue);
            let area = [self.x(command.begin), top, self.x(command.end.min(until)), top + height];
            bar(scene, area, command.kind);
            if command.end <= until {
                let size = (0.45 * height).min(0.8 * (area[2] - area[0])).clamp(8.0, 15.0);
                let at = (f64::midpoint(area[0], area[2]), top + 0.36 * height);
                scene.text((command.image + 1).to_string(), at, size, Role::Strong, Anchor::Center);
            }
        }
    }
}

/// The times at which the second way is shown: where a command ends, fewer of them where there are many.
fn times(commands: &[Command]) -> Vec<f64> {
    let mut ends: Vec<f64> = commands.iter().map(|command| command.end).collect();
    ends.sort_by(f64::total_cmp);
    ends.dedup_by(|one, other| (*one - *other).abs() < 1e-9);
    let step = ends.len().div_ceil(MOST_FRAMES).max(1);
    // The last one is the whole.
    ends.pop();
    ends.into_iter().step_by(step).collect()
}

/// The whole figure.
pub(super) fn film(paper: &Paper) -> Film {
    let [one, two] = [1, QUEUES].map(|queues| schedule(PARTS, IMAGES, queues));
    let painted = |kind: usize| -> Paint { Box::new(move |scene, area| bar(scene, area, kind)) };
    let legend = paper.legend(KINDS.into_iter().enumerate().map(|(kind, (_, key))| (painted(kind), text(key))).collect());
    let layout = Layout::new(paper, paper.above(&legend, MOST_HEIGHT), total(&one));
    let scene = |[first, second]: [f64; 2]| {
        paper.scene(&legend, |scene| {
            layout.axis(scene, paper);
            layout.way(scene, paper, (0, &one), first);
            layout.way(scene, paper, (1, &two), second);
        })
    };
    let time = |ms: f64| units::time(ms * 1e6);
    let [upload, kernel, readback] = PARTS.map(time);
    let begin = [
        filled("concepts.queues.begin", &[("upload", &upload), ("kernel", &kernel), ("readback", &readback)]),
        filled("concepts.queues.begin-engines", &[("images", &IMAGES)]),
    ];
    let mut frames = vec![frame(begin, scene([0.0; 2]), BEGIN_MS)];
    let last_kind = PARTS.len() - 1;
    for command in one.iter().filter(|command| command.kind == last_kind) {
        let lines = [
            text("concepts.queues.one").to_owned(),
            filled("concepts.queues.done", &[("done", &(command.image + 1)), ("images", &IMAGES), ("time", &time(command.end))]),
        ];
        frames.push(frame(lines, scene([command.end, 0.0]), STEP_MS));
    }
    let all = total(&one);
    for now in times(&two) {
        // Just before it: what ends then is still at work.
        let busy = busy(&two, now - 1e-6);
        let lines = [
            text("concepts.queues.two").to_owned(),
            filled("concepts.queues.busy", &[("time", &time(now)), ("busy", &busy), ("engines", &KINDS.len())]),
        ];
        frames.push(frame(lines, scene([all, now]), QUICK_MS));
    }
    let ratio = units::speed_up(all / total(&two));
    let [at_most, more] = [QUEUES, KINDS.len()].map(|queues| units::speed_up(bound(PARTS, queues)));
    let lines = [
        filled("concepts.queues.whole", &[("one", &time(all)), ("two", &time(total(&two))), ("ratio", &ratio)]),
        filled("concepts.queues.whole-bound", &[("two", &at_most), ("more", &more)]),
    ];
    frames.push(frame(lines, scene([all; 2]), WHOLE_MS));
    Film { frames, told: filled("concepts.queues.told", &[("images", &IMAGES), ("ratio", &ratio)]) }
}
