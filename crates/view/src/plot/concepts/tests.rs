//! Every figure of an idea in both languages and in rooms of all sizes, and what it counts, by hand.

use super::atomics::Meeting;
use super::halo::Group;
use super::lanes::{Part, percent, rows, slots};
use super::queues::{Command, bound, schedule, total};
use super::reduction::Tree;
use super::scan::{Phase, additions, as_tree, in_steps, steps};
use super::transpose::{Counts, Square};
use super::{Concept, Film};
use crate::plot::{Anchor, Frame, Item, Rectangle, Role, Scene, Shape, measure, png};
use base::texts::{Language, in_language};

/// From the smallest that a lesson gives to the largest, wide ones and high ones; one that is smaller, and a projector.
const ROOMS: [[f64; 2]; 9] = [
    [360.0, 200.0],
    [480.0, 216.0],
    [360.0, 500.0],
    [640.0, 288.0],
    [720.0, 480.0],
    [1100.0, 200.0],
    [1100.0, 500.0],
    [240.0, 96.0],
    [2200.0, 1400.0],
];

/// What the window sets lines in, and the width that the narrowest lesson gives them.
const LINE: [f64; 2] = [15.0, 360.0];

fn area(item: &Item) -> Rectangle {
    match &item.shape {
        Shape::Fill(area, _) | Shape::Outline(area) => *area,
        Shape::Lines(segments, _) => {
            let ends = || segments.iter().flatten();
            let (xs, ys) = (|| ends().map(|(x, _)| *x), || ends().map(|(_, y)| *y));
            let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
            [xs().fold(least, f64::min), ys().fold(least, f64::min), xs().fold(most, f64::max), ys().fold(most, f64::max)]
        }
        Shape::Dot((x, y), radius) => [x - radius, y - radius, x + radius, y + radius],
        Shape::Text { text, at: (x, y), size, anchor } => {
            let width = measure(text, *size);
            let left = match anchor {
                Anchor::Left => *x,
                Anchor::Center => x - width / 2.0,
                Anchor::Right => x - width,
            };
            // Capitals and digits; few letters reach below.
            [left, y - 0.4 * size, left + width, y + 0.4 * size]
        }
    }
}

fn texts(scene: &Scene) -> Vec<(&str, Rectangle)> {
    let text = |item: &'_ Item| if let Shape::Text { .. } = item.shape { Some(area(item)) } else { None };
    scene.texts().zip(scene.items.iter().filter_map(text)).collect()
}

/// A place of a text without a value, or the key of a text that is not there. Code has braces, too, but no name in them.
fn is_unfilled(text: &str) -> bool {
    text.contains("concepts.") || text.split('{').skip(1).any(|rest| rest.starts_with(|letter: char| letter.is_ascii_lowercase()))
}

/// What is wrong with a picture.
fn faults_of_scene(scene: &Scene, faults: &mut Vec<String>) {
    for item in &scene.items {
        let [left, top, right, bottom] = area(item);
        let is_within = left >= -0.5 && top >= -0.5 && right <= scene.width + 0.5 && bottom <= scene.height + 0.5;
        if !(is_within && right >= left && bottom >= top) {
            faults.push(format!("{item:?} is not within {} × {}", scene.width, scene.height));
        }
        if matches!(item.role, Role::Pixel(_)) {
            faults.push(format!("{item:?} has a color of its own"));
        }
    }
    let texts = texts(scene);
    for (index, (one, [left, top, right, bottom])) in texts.iter().enumerate() {
        if one.contains('…') || is_unfilled(one) {
            faults.push(format!("'{one}' is not whole"));
        }
        for (other, area) in texts.iter().skip(index + 1) {
            if *left < area[2] && area[0] < *right && *top < area[3] && area[1] < *bottom {
                faults.push(format!("'{one}' and '{other}' overlap"));
            }
        }
    }
}

/// What is wrong with a film, with the frame.
fn faults_of_film(film: &Film, [width, height]: [f64; 2]) -> Vec<String> {
    let mut found = Vec::new();
    let count = film.frames.len();
    if !(4..=20).contains(&count) || !(8000..40_000).contains(&film.milliseconds()) {
        found.push(format!("{count} frames, {} ms", film.milliseconds()));
    }
    let last = film.frames.last().expect("a frame");
    for (index, frame) in film.frames.iter().enumerate() {
        let mut faults = Vec::new();
        let times = if index + 1 == count { 4000..=4000 } else { 900..=1600 };
        if !times.contains(&frame.milliseconds) || frame.lines.len() != 2 {
            faults.push(format!("{} ms, {} lines", frame.milliseconds, frame.lines.len()));
        }
        for line in frame.lines.iter().chain([&film.told]) {
            let needed = measure(line, LINE[0]);
            if line.is_empty() || is_unfilled(line) || width <= LINE[1] && needed > LINE[1] {
                faults.push(format!("'{line}' needs {needed}"));
            }
        }
        let scene = &frame.scene;
        let is_alike = (scene.width - last.scene.width).abs() < 0.1 && (scene.height - last.scene.height).abs() < 0.1;
        if !is_alike || scene.width > width + 0.1 || scene.height > height + 0.1 {
            faults.push(format!("{} × {}", scene.width, scene.height));
        }
        faults_of_scene(scene, &mut faults);
        found.extend(faults.into_iter().map(|fault| format!("frame {index}: {fault}")));
    }
    found
}

#[test]
fn every_film_has_its_frames_within_its_room_in_every_language() {
    let mut wrong = Vec::new();
    for (language, concept) in Language::ALL.into_iter().flat_map(|language| Concept::ALL.map(|concept| (language, concept))) {
        for room in ROOMS {
            let faults = faults_of_film(&in_language(language, || concept.film(room, &measure)), room);
            wrong.extend(faults.into_iter().map(|fault| format!("{} in {language:?}, {room:?}, {fault}", concept.name())));
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn ideas_are_known_by_their_names() {
    for concept in Concept::ALL {
        assert_eq!(Concept::named(concept.name()), Some(concept));
    }
    assert_eq!(Concept::named("reduction"), None);
}

/// The lines of a film in English, without its first frame.
fn lines(concept: Concept, room: [f64; 2]) -> Vec<Vec<String>> {
    let film = in_language(Language::English, || concept.film(room, &measure));
    film.frames.into_iter().skip(1).map(|frame| frame.lines).collect()
}

fn last_of(concept: Concept, room: [f64; 2]) -> Vec<String> {
    lines(concept, room).pop().expect("a frame")
}

#[test]
fn a_tree_halves_what_is_left() {
    let tree = Tree::new(vec![3, 1, 4, 1, 5, 2, 6, 5]);
    assert_eq!((tree.total(), tree.adding(), tree.work_items()), (Some(27), 3, 8));
    assert_eq!([1, 2, 3].map(|level| (tree.additions(level), tree.idle(level))), [(4, 4), (2, 6), (1, 7)]);
    assert_eq!([0, 3].map(Tree::barriers), [1, 4]);
    // 5 values are 3, 2, 1: the middle one waits.
    let odd = Tree::new(vec![1, 2, 3, 4, 5]);
    assert_eq!((odd.total(), odd.adding()), (Some(15), 3));
    assert_eq!([1, 2, 3].map(|level| odd.additions(level)), [2, 1, 1]);
    let narrow = lines(Concept::ReductionTree, [360.0, 200.0]);
    assert_eq!(narrow[1], ["Level 2 of 3, additions: 2, idle: 6", "So far, additions: 6, barriers: 3"]);
    assert_eq!(narrow[3], ["Additions: 7, levels: 3, barriers: 4", "Idle work-items over all levels: 17 of 24"]);
    // 16 values: 15 additions, and 8 + 12 + 14 + 15 of 64 idle.
    let wide = last_of(Concept::ReductionTree, [1100.0, 500.0]);
    assert_eq!(wide, ["Additions: 15, levels: 4, barriers: 5", "Idle work-items over all levels: 49 of 64"]);
}

#[test]
fn both_scans_end_with_the_prefix_sums() {
    let values = [3, 1, 4, 1, 5, 2, 6, 4];
    let mut sum = 0;
    let sums = values.map(|value| {
        sum += value;
        sum
    });
    assert_eq!(sums, [3, 4, 8, 9, 14, 16, 22, 26]);
    let (in_steps, as_tree) = (in_steps(&values), as_tree(&values));
    for rows in [&in_steps, &as_tree] {
        assert_eq!(rows.last().map(|row| row.values.as_slice()), Some(sums.as_slice()));
    }
    // 7 + 6 + 4, and 4 + 2 + 1 up as well as down.
    assert_eq!([&in_steps, &as_tree].map(|rows| (additions(rows), steps(rows))), [(17, 3), (14, 6)]);
    assert_eq!(in_steps[1].values, [3, 4, 5, 5, 6, 7, 8, 10]);
    assert_eq!(in_steps[2].values, [3, 4, 8, 9, 11, 12, 14, 17]);
    let of = |phase: Phase| as_tree.iter().find(|row| row.phase == phase).map(|row| row.values.clone()).expect("a row");
    assert_eq!(of(Phase::Up(2)), [3, 4, 4, 9, 5, 7, 6, 17]);
    assert_eq!(of(Phase::Zero), [3, 4, 4, 9, 5, 7, 6, 0]);
    assert_eq!(of(Phase::Down(4)), [3, 4, 4, 0, 5, 7, 6, 9]);
    assert_eq!(of(Phase::Down(1)), [0, 3, 4, 8, 9, 14, 16, 22], "the sums before each place");
    // The last frame shows both: the last row of each is the prefix sums.
    let film = in_language(Language::English, || Concept::Scan.film([720.0, 480.0], &measure));
    let last: Vec<&str> = film.frames.last().expect("a frame").scene.texts().collect();
    let wanted = sums.map(|sum| sum.to_string());
    assert_eq!(last.windows(8).filter(|texts| *texts == wanted.as_slice()).count(), 2, "{last:?}");
    let told = ["Hillis–Steele: 17 additions in 3 steps", "Blelloch: 14 additions in 6 steps"];
    assert_eq!(last_of(Concept::Scan, [360.0, 200.0]), told);
}

#[test]
fn lanes_at_one_counter_add_one_after_the_other() {
    for (counters, steps) in [(&[5; 8][..], 8), (&[3, 6, 0, 5, 1, 7, 2, 4], 1), (&[2, 2, 5, 2, 7, 5, 0, 2], 4), (&[], 0)] {
        let meeting = Meeting::new(counters);
        assert_eq!((meeting.steps.len(), meeting.most()), (steps, steps), "{counters:?}");
        assert_eq!((meeting.waiting(0), meeting.waiting(steps)), (counters.len(), 0));
    }
    assert_eq!(Meeting::new(&[2, 2, 5, 2, 7, 5, 0, 2]).steps, [vec![0, 2, 4, 6], vec![1, 5], vec![3], vec![7]]);
    let lines = lines(Concept::Atomics, [360.0, 200.0]);
    assert_eq!(lines[2], ["Step 3 of 8, adding: 1, waiting: 5", "Lanes at the busiest counter: 8"]);
    assert_eq!(lines[9], ["Step 1 of 1, adding: 8, waiting: 0", "Lanes at the busiest counter: 1"]);
    assert_eq!(lines[10][0], "Steps, same value: 8, different values: 1");
}

#[test]
fn a_tile_stores_along_rows() {
    assert_eq!(Square { side: 4 }.counts(1), Counts { loads: 1, direct: 4, tiled: 1 });
    assert_eq!(Square { side: 4 }.counts(4), Counts { loads: 4, direct: 16, tiled: 4 });
    assert_eq!(Square { side: 8 }.counts(8), Counts { loads: 8, direct: 64, tiled: 8 });
    let small = lines(Concept::TransposeTile, [360.0, 200.0]);
    assert_eq!(small[1], ["Without a tile, rows done: 2 of 4", "Segments touched, loads: 2, stores: 8"]);
    let told = ["Segments without a tile, loads: 4, stores: 16", "Segments with a tile, loads: 4, stores: 4"];
    assert_eq!(small.last().expect("a frame"), &told);
    let large = last_of(Concept::TransposeTile, [1100.0, 500.0]);
    assert_eq!(large[0], "Segments without a tile, loads: 8, stores: 64");
    // A row of the output is a column of the source.
    let film = in_language(Language::English, || Concept::TransposeTile.film([360.0, 200.0], &measure));
    let last: Vec<&str> = film.frames.last().expect("a frame").scene.texts().collect();
    assert!(last.windows(4).any(|texts| texts == ["1", "5", "9", "13"]), "{last:?}");
}

#[test]
fn lanes_that_do_not_take_a_branch_idle_in_it() {
    // Three of four take it: two instructions for three lanes, one for the fourth; three for all.
    let mixed = rows(&[7, 2, 8, 6]);
    assert_eq!((slots(&mixed), percent(slots(&mixed))), ([3 * 4 + 2 * 3 + 1, 2 + 3], 79));
    assert_eq!(mixed.last().map(|row| row.lanes.clone()), Some([6, 11, 8, 4].map(Some).to_vec()));
    // Where all agree, the other branch is jumped over.
    let alike = rows(&[7, 8, 9, 6]);
    assert_eq!((slots(&alike), percent(slots(&alike))), ([20, 0], 100));
    assert!(alike.iter().all(|row| row.part != Part::Else));
    // 5 of the figure's 8 lanes take it: 3 · 8 + 2 · 5 + 3 used, 2 · 3 + 5 idle.
    let last = last_of(Concept::DivergingLanes, [360.0, 200.0]);
    assert_eq!(last, ["Slots: 48, used: 37, idle: 11", "Slots used: 77 %"]);
}

#[test]
fn a_halo_is_what_the_outputs_read_beyond_their_own() {
    for (width, reach) in [(8, 2), (16, 2), (1, 1), (5, 0), (4, 3)] {
        let group = Group { width, reach };
        // Each pixel by itself.
        let read = |made: std::ops::Range<usize>| {
            let all: std::collections::BTreeSet<_> = made.flat_map(|pixel| pixel - reach..=pixel + reach).collect();
            all.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(read(group.own()), group.intermediate().collect::<Vec<_>>());
        assert_eq!(read(group.intermediate()), group.source().collect::<Vec<_>>());
        assert_eq!((group.intermediate().len(), group.source().start), (width + 2 * reach, 0));
    }
    let narrow = lines(Concept::FusedHalo, [360.0, 200.0]);
    assert_eq!(narrow[0][0], "The first output needs 3 intermediate pixels");
    assert_eq!(narrow[2], ["All outputs need 10 intermediate pixels", "Computed per output: 10 / 8 = 1.25"]);
    assert_eq!(narrow[5], ["All of them need 12 source pixels", "Loaded per output: 12 / 8 = 1.5"]);
    assert_eq!(narrow[6], ["Intermediate pixels per output: 1.25", "That is (w + 2r) / w, with w = 8 and r = 1"]);
    assert_eq!(last_of(Concept::FusedHalo, [1100.0, 500.0])[0], "Intermediate pixels per output: 1.12");
}

/// Queues keep their order, engines run one command at a time, and an image's parts follow each other.
fn hold_schedule(commands: &[Command], images: usize, queues: usize) {
    assert_eq!(commands.len(), 3 * images);
    for (index, one) in commands.iter().enumerate() {
        assert_eq!(one.queue, one.image % queues);
        for other in commands.iter().skip(index + 1) {
            let is_apart = one.end <= other.begin + 1e-9 || other.end <= one.begin + 1e-9;
            assert!(is_apart || one.queue != other.queue && one.kind != other.kind, "{one:?} {other:?}");
            let is_earlier = (one.image, one.kind) < (other.image, other.kind);
            assert!(one.queue != other.queue || (one.begin < other.begin) == is_earlier, "{one:?} {other:?}");
        }
    }
}

#[test]
fn queues_overlap_as_far_as_they_and_the_engines_can() {
    for parts in [[1.0, 1.0, 1.0], [2.0, 3.0, 2.0], [5.0, 1.0, 1.0], [0.5, 4.0, 3.5]] {
        for queues in 1..=4 {
            hold_schedule(&schedule(parts, 7, queues), 7, queues);
            for images in [1, 2, 5, 40] {
                let ratio = total(&schedule(parts, images, 1)) / total(&schedule(parts, images, queues));
                let most = parts.iter().sum::<f64>() / parts.iter().copied().fold(0.0, f64::max);
                assert!(ratio >= 1.0 - 1e-9 && ratio <= most.min(queues as f64) + 1e-9, "{parts:?} {queues} {images}: {ratio}");
                assert!(ratio <= bound(parts, queues) + 1e-9);
            }
        }
    }
    // With equal parts and many images, two queues come near to two: each runs one command at a time. It takes a third for all three engines.
    let ratio = |queues: usize| total(&schedule([1.0; 3], 600, 1)) / total(&schedule([1.0; 3], 600, queues));
    assert!(ratio(2) > 1.99 && ratio(2) <= 2.0, "{}", ratio(2));
    assert!(ratio(3) > 2.98 && ratio(3) <= 3.0, "{}", ratio(3));
    // By hand: the second upload waits for the engine, then the kernels follow each other; image 4 is read back at 15 to 17. With 4, 2 and 3 ms, images 3 and 4 begin at 9 and 13, when their queues are free: the last ends at 22.
    assert!((total(&schedule([2.0, 3.0, 2.0], 4, 1)) - 28.0).abs() < 1e-9);
    assert!((total(&schedule([2.0, 3.0, 2.0], 4, 2)) - 17.0).abs() < 1e-9);
    let lines = lines(Concept::TwoQueues, [360.0, 200.0]);
    assert_eq!(lines[1], ["One queue: commands run one after another", "Images done after 18 ms: 2 of 4"]);
    let told = ["Example, one queue: 36 ms, two queues: 22 ms, 1.64×", "At most 2× with two queues, 2.25× with more"];
    assert_eq!(lines.last().expect("a frame"), &told);
    assert_eq!(lines[4], ["Two queues: images alternate between them", "Engines at work before 4 ms: 1 of 3"]);
}

/// The same in the colors of a dark window.
fn dark(scene: &Scene) -> Scene {
    let mut page = Scene::new(scene.width, scene.height);
    page.fill([0.0, 0.0, scene.width, scene.height], Role::Pixel([27; 3]), 1.0);
    page.items.extend(scene.items.iter().map(|item| Item { role: Role::Pixel(item.role.rgb(true)), shape: item.shape.clone() }));
    page
}

/// A frame with its lines, as the window has it.
fn page(Frame { lines, scene, .. }: &Frame) -> Scene {
    let mut page = Scene::new(scene.width, 2.0);
    for line in lines {
        page.paragraph(line, (0.0, scene.width), LINE[0], Role::Text, &measure);
    }
    page.below(scene.clone(), 0.0);
    page
}

#[test]
#[ignore = "writes pictures into the folder for temporary files, for a person to look at"]
fn pictures_of_all_films() {
    let folder = std::env::temp_dir().join("figs");
    std::fs::create_dir_all(&folder).expect("a folder");
    for (language, concept) in Language::ALL.into_iter().flat_map(|language| Concept::ALL.map(|concept| (language, concept))) {
        for room in [[360.0, 200.0], [720.0, 340.0], [1100.0, 500.0], [1100.0, 200.0], [360.0, 500.0]] {
            let film = in_language(language, || concept.film(room, &measure));
            for (index, frame) in film.frames.iter().enumerate() {
                let name = format!("{}-{}-{}x{}-{index:02}", concept.name(), language.code(), room[0], room[1]);
                let page = page(frame);
                for (page, kind) in [(dark(&page), "dark"), (page, "light")] {
                    std::fs::write(folder.join(format!("{name}-{kind}.png")), png(&page).expect("a picture")).expect("written");
                }
            }
        }
    }
}
