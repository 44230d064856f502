//! Every lesson that is built in, the example of docs/lessons.md, and every fault that a file can have.

use super::shelf::FILES;
use super::{
    Against, EXAMPLE, Edition, Goal, Item, Lesson, MOST_KNOWN, Part, Picture, Screen, Shelf, Show, all_notes, notes, panels, read,
    read_folder, write_example,
};
use crate::experiment::{Experiment, Pair};
use crate::testing::compared_as;
use crate::why::{Condition, Facts};
use base::texts::Language;
use engine::device::DeviceInfo;
use engine::{KernelText, PictureRef, Target, Task};
use model::measure::{Comparison, Verdict};
use model::{Channels, LocalSize, Variant};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;

fn whole(name: &str, text: &str) -> Lesson {
    read(text).unwrap_or_else(|faults| {
        let faults: Vec<_> = faults.iter().map(|fault| format!("{name}:{}:{}: {fault}", fault.line, fault.column)).collect();
        panic!("{}", faults.join("\n"))
    })
}

/// Everything of a screen but its words.
fn bare(screen: &Screen) -> String {
    let item = match &screen.item {
        None => "nothing".to_owned(),
        Some(Item::Predict) => "a prediction".to_owned(),
        Some(Item::Choose(choose)) => {
            format!("answers, {:?}", choose.answers.iter().map(|(_, refuted)| refuted.is_some()).collect::<Vec<_>>())
        }
        Some(Item::Number(number)) => format!("{:?} {}", number.is, number.tolerance),
        Some(Item::Task(goal)) => {
            format!("{:?}, hint: {}, gap: {:?}", goal.when, !goal.hint.is_empty(), goal.gap.as_ref().map(|gap| &gap.take))
        }
        Some(Item::Experiment(rule)) => rule.clone(),
    };
    let record = screen.record.as_ref().map(|record| (&record.page, record.ladder.name, record.step));
    format!("{:?} {:?} {:?} {item} {record:?} {}", screen.part, screen.device, screen.show, screen.then.is_empty())
}

#[test]
fn every_lesson_is_read_and_has_the_same_screens_in_every_language() {
    let mut lessons: BTreeMap<&str, Vec<(&str, Lesson)>> = BTreeMap::new();
    for (path, text) in FILES {
        let (language, name) = path.split_once('/').expect("a language and a name");
        lessons.entry(name).or_default().push((language, whole(path, text)));
    }
    assert!(!lessons.is_empty());
    for (name, editions) in lessons {
        let languages: Vec<_> = editions.iter().map(|(language, _)| *language).collect();
        assert_eq!(languages, Language::ALL.map(Language::code), "{name}");
        let bares: Vec<Vec<String>> = editions.iter().map(|(_, lesson)| lesson.screens.iter().map(bare).collect()).collect();
        let heads: Vec<_> = editions.iter().map(|(_, lesson)| (lesson.minutes, lesson.device)).collect();
        for (other, head) in bares.iter().zip(&heads).skip(1) {
            assert_eq!(head, &heads[0], "{name}");
            for (index, (one, other)) in bares[0].iter().zip(other).enumerate() {
                assert_eq!(one, other, "{name}, screen {}", index + 1);
            }
            assert_eq!(other.len(), bares[0].len(), "{name}");
        }
    }
}

/// Words of an English text; characters of a Chinese one, where what is written in Latin letters or digits counts as one.
fn length(text: &str, is_chinese: bool) -> usize {
    if !is_chinese {
        return text.split_whitespace().count();
    }
    let is_wide = |letter: char| letter >= '\u{2e80}' || "“”".contains(letter);
    let narrow = text.split(|letter: char| is_wide(letter) || letter.is_whitespace()).filter(|run| !run.is_empty()).count();
    narrow + text.chars().filter(|letter| is_wide(*letter)).count()
}

#[test]
fn a_screen_is_read_in_half_a_minute() {
    assert_eq!((length("a 9 × 9 window", false), length("9 × 9 的窗口：get_global_id(0)。", true)), (5, 9));
    for (path, text) in FILES {
        let is_chinese = path.starts_with("zh/");
        let most = if is_chinese { 120 } else { 60 };
        for screen in whole(path, text).screens {
            let length = length(&screen.text.join(" "), is_chinese);
            assert!(length <= most, "{path}, {}: {length} of {most}: {}", screen.title, screen.text.join(" "));
        }
    }
}

/// What a lesson for a class needs: something to change, something to write, a check at the end on something else, and notes for the teacher.
#[test]
fn every_lesson_has_tasks_a_check_and_notes() {
    let mut lengths: BTreeMap<&str, Vec<[usize; 3]>> = BTreeMap::new();
    for (path, text) in FILES {
        let lesson = whole(path, text);
        let goals: Vec<_> = lesson.screens.iter().filter_map(Screen::task).collect();
        assert!(goals.iter().any(|goal| goal.gap.is_none()), "{path}: no stage or size is changed");
        assert!(goals.iter().any(|goal| goal.gap.is_some()), "{path}: no part of a kernel is written");
        let last = lesson.screens.last().expect("a screen");
        assert!(last.part == Part::End && last.item.is_some(), "{path}: no check at the end");
        let notes = lesson.teacher.as_ref().unwrap_or_else(|| panic!("{path} has no notes"));
        assert_eq!(notes.plan.iter().map(|step| step.minutes).sum::<u32>(), lesson.minutes, "{path}: minutes of the plan");
        assert!(!notes.draw.is_empty() && !notes.extension.is_empty() && !notes.errors.is_empty(), "{path}");
        assert_eq!(lesson.known.len(), MOST_KNOWN, "{path}: what is known after it");
        let words = |line: &String| if path.starts_with("zh") { line.chars().count() / 2 } else { line.split_whitespace().count() };
        assert!(lesson.known.iter().all(|line| words(line) <= 24), "{path}: {:?}", lesson.known);
        let shown = format!("{:?}", lesson.screens);
        assert!(notes.answers.iter().all(|answer| !shown.contains(answer.as_str())), "{path}: a screen shows an answer of the notes");
        lengths.entry(path.split_once('/').expect("a language").1).or_default().push([
            notes.plan.len(),
            notes.answers.len(),
            notes.errors.len(),
        ]);
    }
    for (name, lengths) in lengths {
        assert!(lengths.windows(2).all(|pair| pair[0] == pair[1]), "{name}: {lengths:?}");
    }
}

#[test]
fn the_page_for_teachers_has_the_notes_of_the_files() {
    let page = include_str!("../../../../docs/teaching.md");
    assert!(base::texts::in_english(all_notes) == page, "run `kernel-ladder lessons --teacher all > docs/teaching.md`");
}

/// The window sets a few sentences a panel: a screen that needs to be scrolled is two screens.
#[test]
fn prose_is_short_and_whole() {
    for (path, text) in FILES {
        let is_chinese = path.starts_with("zh/");
        let most = if is_chinese { 260 } else { 620 };
        for screen in whole(path, text).screens {
            for paragraph in screen.text.iter().chain(&screen.then) {
                assert!(paragraph.chars().count() <= most, "{path}, {}: {} letters: {paragraph}", screen.title, paragraph.chars().count());
                assert!(paragraph.ends_with(['.', '?', ':', '。', '？', '：']), "{path}: '{paragraph}'");
                assert_eq!(is_chinese, paragraph.chars().any(base::texts::is_han), "{path}: '{paragraph}'");
                let language = if is_chinese { Language::Chinese } else { Language::English };
                assert_eq!(base::texts::avoided(language, paragraph), None, "{path}: '{paragraph}'");
            }
        }
        if is_chinese {
            for line in text.lines().filter(|line| line.chars().any(base::texts::is_han)) {
                // What stands between quotes; keys and braces are not prose.
                for prose in line.split('"').filter(|part| part.chars().any(base::texts::is_han)) {
                    assert_eq!(base::texts::chinese_fault(prose), None, "{path}: '{prose}'");
                }
            }
        }
    }
}

#[test]
fn the_example_has_every_part_and_is_the_readmes() {
    let lesson = whole("example.toml", EXAMPLE);
    let items: Vec<_> = lesson.screens.iter().map(|screen| screen.item.as_ref()).collect();
    assert!(matches!(
        items.as_slice(),
        [
            Some(Item::Task(_)),
            Some(Item::Number(_)),
            Some(Item::Predict),
            Some(Item::Experiment(_)),
            Some(Item::Choose(_)),
            Some(Item::Task(_)),
            None
        ]
    ));
    assert!(lesson.screens.iter().any(|screen| screen.record.is_some()));
    let Some(show) = &lesson.screens[0].show else { panic!("a show") };
    assert_eq!((show.picture, show.variant.to_string().as_str()), (Some(Picture::Generated([2048, 2048])), "naive"));
    let document = include_str!("../../../../docs/lessons.md");
    let indented: String = EXAMPLE.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect();
    assert!(document.contains(&indented), "docs/lessons.md has the text of assets/lessons/example.toml, four blanks before each line");
}

const HEAD: &str = "title = 'a'\ngoal = 'b'\nminutes = 3\nfilter = 'laplace'\n";

/// The first fault of a file, as `LINE:COLUMN: what; way on`.
fn fault(text: &str) -> String {
    let faults = read(text).expect_err("a fault");
    format!("{}:{}: {}", faults[0].line, faults[0].column, faults[0])
}

#[test]
fn every_fault_is_told_with_its_place_and_a_way_on() {
    let screen = |rest: &str| format!("{HEAD}[[screen]]\ntitle = 'c'\ntext = 'd'\n{rest}");
    let show = |rest: &str| screen(&format!("show = {{ variant = 'padded', {rest} }}\n"));
    let one = "show = { variant = 'padded' }\n";
    let mut missing = Vec::new();
    for (text, words) in [
        // TOML's own.
        ("title = \n".to_owned(), "1:9: "),
        (format!("{HEAD}{HEAD}"), "5:1: duplicate key"),
        ("goal = 'b'\nminutes = 3\n".to_owned(), "1:1: missing field `title`"),
        (format!("{HEAD}devise = 'gpu'\n[[screen]]\ntitle = 'c'\ntext = 'd'\n"), "5:1: unknown field `devise`, expected one of"),
        (format!("{HEAD}devise = 'gpu'\n[[screen]]\ntitle = 'c'\ntext = 'd'\n"), "did you mean 'device'?"),
        (format!("{HEAD}device = 'gpus'\n"), "5:10: unknown variant `gpus`, expected one of `any`, `gpu`, `cpu`; did you mean 'gpu'?"),
        (format!("{HEAD}minute = 3\n"), "did you mean 'minutes'?"),
        (screen("shows = 3\n"), "8:1: unknown field `shows`"),
        (show("channels = 'grey'"), "8:41: unknown variant `grey`, expected one of `Gray`, `gray`, `Rgb`, `rgb`; did you mean 'gray'?"),
        // A lesson's.
        (HEAD.to_owned(), "1:9: the lesson has no screen; add [[screen]]"),
        (format!("{HEAD}[[screen]]\ntitle = ''\ntext = 'd'\n"), "6:9: the value is empty; write a sentence"),
        (
            screen("").replace("'d'", "'{after.loads} loads'"),
            "7:9: 'after.loads' needs a variant, and this screen has no show; add a show to the screen",
        ),
        (screen(one).replace("'d'", "'x {before.loads}'"), "7:11: 'before.loads' needs a variant to compare with"),
        (
            screen(one).replace("'d'", "\"\"\"\nOne.\nTwo {after.load}.\"\"\""),
            "9:5: there is no fact 'after.load'; did you mean 'after.loads'?",
        ),
        (screen("predict = true\n"), "8:11: this needs a variant, and the screen has no show; add a show to the screen"),
        (
            screen(&format!("{one}predict = true\n")),
            "9:11: a prediction compares two variants, and the show has only one; add an against to the show",
        ),
        (
            screen(&format!(
                "{one}number = {{ question = 'q', is = 'after.loads' }}\nchoose = {{ question = 'q', right = 'r', wrong = [{{ say = 's', refuted = 't' }}] }}\n"
            )),
            "the screen has more than one question or task; move the second one",
        ),
        (screen("choose = { question = 'q', right = 'r' }\n"), "8:10: the question has no wrong answer; write wrong = [{ say"),
        (screen("choose = { question = 'q', right = 'r', wrong = [{ say = 's' }] }\n"), "missing field `refuted`"),
        (
            screen(&format!("{one}number = {{ question = 'q', is = 'after.loads x 2' }}\n")),
            "9:46: 'x' does not belong here; write an operator such as + or &&",
        ),
        (
            screen(&format!("{one}number = {{ question = 'q', is = 'before.loads' }}\n")),
            "9:34: 'before.loads' needs a variant to compare with",
        ),
        (screen(&format!("{one}task = {{ goal = 'g', when = [] }}\n")), "9:17: the task has no condition; write when = "),
        (
            screen(&format!("{one}task = {{ goal = 'g', when = ['after.segment = 2'] }}\n")),
            "9:31: there is no fact 'after.segment'; did you mean 'after.segments'?",
        ),
        (
            screen(&format!("{one}task = {{ goal = 'g', when = ['after.segments ~ 2'] }}\n")),
            "9:46: '~' does not belong in an expression; write",
        ),
        (screen("task = { goal = 'g', when = ['after.segments = 2'] }\n"), "8:8: this needs a variant"),
        // What is shown.
        (show("").replace("filter = 'laplace'\n", ""), "7:20: no filter given; write filter = \"laplace\""),
        (show("").replace("'laplace'", "'laplcae'"), "4:10: there is no filter 'laplcae'; did you mean 'laplace'?"),
        (show("").replace("'padded'", "'padded+merge'"), "8:28: there is no stage 'merge'; did you mean 'merged'?"),
        (
            show("").replace("'padded'", "'padded+vectorize=3'"),
            "8:28: stage 'vectorize' has no value '3'; valid names: vectorize=4, vectorize=5",
        ),
        (show("").replace("'padded'", "'padded+padded'"), "8:21: 'padded+padded' names the same stage twice"),
        (show("").replace("'padded'", "'padded+merged'"), "8:21: 'padded+merged' is not allowed: "),
        (show("against = 'merged'"), "'merged' is not allowed: "),
        (show("local = '32'"), "8:38: '32' is not a local size; write 32x4"),
        (show("local = '0x4'"), "'0x4' is not a local size"),
        (show("memory = 'mapped'"), "unknown variant `mapped`, expected one of `Copy`, `copy`"),
        (show("picture = 'coffe.png'"), "8:40: there is no picture 'coffe.png'; write one of coffee.png"),
        (show("picture = 'generated 0x3'"), "there is no picture 'generated 0x3'"),
        (show("panel = 'acess'"), "8:38: there is no panel 'acess'; did you mean 'access'?"),
        (show("figure = 'reduction-tre'"), "8:39: there is no figure 'reduction-tre'; did you mean 'reduction-tree'?"),
        (show("figure = 'film'"), "8:39: there is no figure 'film'; valid names: reduction-tree, scan, "),
        (show("parameters = { radius = 3 }"), "8:20: Unknown parameter 'radius': "),
        (show("filter = 'luma', channels = 'gray'"), "luma does not support gray; valid names: rgb"),
        (show("border = 'mirror'"), "8:39: unknown variant `mirror`, expected one of"),
        // What another device did.
        (
            screen("record = { page = 'nvidia-h100', ladder = 'mali-t60', step = 'short16' }\n"),
            "8:43: there is no ladder 'mali-t60'; did you mean 'mali-t600'?",
        ),
        (
            screen("record = { page = 'nvidia-h100', ladder = 'mali-t600', step = 'short' }\n"),
            "the ladder has no step 'short'; did you mean 'short16'?",
        ),
        (
            screen("record = { page = 'nvidia-h10', ladder = 'mali-t600', step = 'short16' }\n"),
            "8:19: there is no page 'nvidia-h10' with this step; did you mean 'nvidia-h100'?",
        ),
    ] {
        let told = fault(&text);
        if !told.contains(words) {
            missing.push(format!("'{words}' is not in '{told}', of\n{text}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn a_fault_of_an_experiment_is_told_with_its_place_and_a_way_on() {
    let screen = |rest: &str| format!("{HEAD}[[screen]]\ntitle = 'c'\ntext = 'd'\n{rest}");
    let (one, both) = ("show = { variant = 'padded' }\n", "show = { variant = 'padded', against = 'naive' }\n");
    assert!(read(&screen(&format!("{both}experiment = 'fewer-loads'\n"))).is_ok());
    for (show, item, words) in [
        ("", "experiment = 'fewer-loads'", "8:14: this needs a variant, and the screen has no show; add a show to the screen"),
        (
            one,
            "experiment = 'fewer-loads'",
            "9:14: an experiment tests a difference of two variants, and the show has only one; add an against to the show",
        ),
        (both, "predict = true\nexperiment = 'fewer-loads'", "10:14: the screen has more than one question or task; move the second one"),
        (both, "experiment = 'fewer-load'", "9:14: there is no explanation 'fewer-load'; did you mean 'fewer-loads'?"),
        (both, "experiment = 'same-code'", "9:14: no experiment tests the explanation 'same-code'; valid names: arithmetic-is-full, "),
    ] {
        let told = fault(&screen(&format!("{show}{item}\n")));
        assert!(told.starts_with(words), "'{words}' is not in '{told}'");
    }
}

#[test]
fn a_fault_of_notes_is_told_with_its_place_and_a_way_on() {
    let notes = |rest: &str| format!("{HEAD}[[screen]]\ntitle = 'c'\ntext = 'd'\n[teacher]\n{rest}");
    assert!(read(&notes("answers = []\n")).is_ok_and(|lesson| lesson.teacher.is_some_and(|notes| notes.goal.is_none())));
    for (rest, words) in [
        ("draw = 'x'\n", "8:1: missing field `answers`"),
        (
            "answers = ['x']\n",
            "9:11: the notes have 1 answers, and 0 screens have a question or task; write one answer per question or task",
        ),
        ("answers = []\ndraw = ''\n", "10:8: the value is empty; write a sentence"),
        (
            "answers = []\nextension = 'so {after.loads}'\n",
            "10:17: 'after.loads' is in a text outside the screens, where no facts are filled in",
        ),
        ("answers = []\nplan = [{ minutes = 3, what = ' ' }]\n", "10:31: the value is empty"),
        ("answers = []\nerrors = [{ error = 'x', say = '{cpu}' }]\n", "10:33: 'cpu' is in a text outside the screens"),
        ("answers = []\nerrors = [{ error = 'x' }]\n", "missing field `say`"),
        ("answers = []\ngaol = 'x'\n", "10:1: unknown field `gaol`, expected one of"),
    ] {
        let told = fault(&notes(rest));
        assert!(told.contains(words), "'{words}' is not in '{told}'");
    }
}

#[test]
fn notes_are_printed_with_each_answer_beside_its_screen() {
    let lesson = whole("example.toml", EXAMPLE);
    let printed = base::texts::in_english(|| notes("example", &lesson)).expect("it has notes");
    for words in [
        "## example: Loads and segments\n\n",
        "**Goal:** Count loads, and say",
        "### Plan\n\n- 3 min: The introduction, alone\n",
        "- Screen 2 (How many loads?): Nine: ",
        "### Common errors\n\n- *A coalesced kernel loads less.* It loads the same bytes",
        "**For fast students:** Find a local size",
    ] {
        assert!(printed.contains(words), "'{words}' is not in:\n{printed}");
    }
    assert_eq!(notes("example", &Lesson { teacher: None, ..lesson }), None);
}

#[test]
fn all_faults_of_a_file_are_told_in_its_order() {
    let text = format!("{HEAD}[[screen]]\ntitle = ''\ntext = '{{lods}}'\nshow = {{ variant = 'merge', panel = 'x' }}\n");
    let lines: Vec<_> = read(&text).expect_err("faults").iter().map(|fault| (fault.line, fault.column)).collect();
    assert_eq!(lines, [(6, 9), (7, 9), (8, 21), (8, 37)]);
}

#[test]
fn paragraphs_are_apart_by_empty_lines() {
    let lesson =
        whole("here", &format!("{HEAD}[[screen]]\ntitle = 'c'\ntext = \"\"\"\nOne\n  line.\n\n\n工作项\n组成 NDRange\n，如此。\n\"\"\"\n"));
    assert_eq!(lesson.screens[0].text, ["One line.", "工作项组成 NDRange，如此。"]);
}

/// What is shown, and what it is compared with, over a picture of its size.
fn sides(show: &Show) -> [Task; 2] {
    let (width, height) = match show.picture {
        Some(Picture::Generated([width, height])) => (width, height),
        _ => (600, 400),
    };
    let picture = PictureRef::new(Arc::new(pictures::Picture::from_fn(width, height, Channels::Gray, |_, _, _| 0)));
    let task = |side: Against| Task {
        spec: show.spec.clone(),
        picture: picture.clone(),
        target: Target::Device { index: 0, variant: side.variant, local: side.local, host_memory: side.memory },
        text: KernelText::Composed,
    };
    [task(show.against.unwrap_or(show.side())), task(show.side())]
}

/// What is counted before anything runs, for sub-groups of 32.
fn counted(show: &Show) -> Facts {
    let mut facts = Facts::default();
    facts.set("sub_group", 32.0);
    let [before, after] = sides(show);
    facts.add_pair([&before, &after], [None, None], None);
    facts
}

#[test]
fn the_experiments_of_the_lessons_can_be_made_of_what_they_show() {
    let screens = FILES.iter().flat_map(|(path, text)| whole(path, text).screens);
    let named = screens.filter_map(|screen| match screen.item {
        Some(Item::Experiment(rule)) => Some((rule, screen.show.expect("a show"))),
        _ => None,
    });
    let mut count = 0;
    for (rule, show) in named {
        let [before, after] = sides(&show);
        for verdict in [Verdict::Faster, Verdict::Slower] {
            let compared = compared_as(Comparison { ratio: 2.0, low: 1.9, high: 2.1, verdict, starts: 1 });
            let device = DeviceInfo::example();
            let pair = Pair { device: &device, tasks: [&before, &after], locals: [None; 2], compared: &compared };
            let experiment = Experiment::new(&rule, &counted(&show), &pair).unwrap_or_else(|why| panic!("{rule}: {why}"));
            assert!(!experiment.arms(&[]).is_empty(), "{rule}");
            count += 1;
        }
    }
    assert_eq!(count, 2 * 2 * Language::ALL.len(), "two lessons, in each language, for each outcome");
}

/// The numbers of the built-in lessons, as the program counts them; the arithmetic behind each stands beside it.
#[test]
fn the_numbers_of_the_lessons_are_what_is_counted() {
    let mut found = BTreeMap::new();
    for (path, text) in FILES.iter().filter(|(path, _)| path.starts_with("en/")) {
        for (index, screen) in whole(path, text).screens.iter().enumerate() {
            let facts = screen.show.as_ref().map(counted).unwrap_or_default();
            if let Some(Item::Number(number)) = &screen.item
                && let Some(value) = number.is.value(&facts)
            {
                found.insert((path.trim_start_matches("en/").trim_end_matches(".toml"), index + 1), value);
            }
        }
    }
    let wanted = BTreeMap::from([
        // A row for each lane.
        (("1-memory-access", 2), 32.0),
        // 31 · 3 + 1 bytes, the left neighbor's begin 3 bytes before a segment does.
        (("1-memory-access", 6), 4.0),
        // Two lanes a segment, and one more where they are not aligned; 3 · 1.
        (("1-memory-access", 7), 17.0),
        (("1-memory-access", 9), 3.0),
        // 2048 / 64 · 2048 / 4.
        (("2-cpu-device", 3), 16384.0),
        // 9 · 9; 9 · 3; 9 · 3 for four pixels; 5 rows of two.
        (("3-packed-reads", 1), 81.0),
        (("3-packed-reads", 2), 27.0),
        (("3-packed-reads", 5), 6.75),
        (("3-packed-reads", 9), 10.0),
        // 2 · 2 and 4 · 4; 11 and 11.
        (("4-fewer-reads", 3), 20.0),
        (("4-fewer-reads", 8), 22.0),
        (("6-transfers", 10), 200_000.0),
        // A lane a row apart is a segment of its own.
        (("8-transpose", 2), 32.0),
        // Four rows are 64 words, a multiple of the 32 banks: the 16 lanes down a column meet in one.
        (("8-transpose", 7), 16.0),
        // One after the stores, and one for each halving of 256.
        (("9-reduce-count-scan", 4), 9.0),
        // 255 up the tree, 255 down.
        (("9-reduce-count-scan", 11), 510.0),
        // 1 − 0.9³² of 100; ⌈2060 / 128⌉ · 128 − 2060; 48 / 2; the least of 4, 6 and 8.
        (("10-divergence", 2), 97.0),
        (("10-divergence", 7), 116.0),
        (("10-divergence", 9), 24.0),
        (("10-divergence", 10), 4.0),
        // 8 / 5 of a time; one of twenty intervals.
        (("11-measuring", 2), 1.6),
        (("11-measuring", 5), 1.0),
        // Two intermediates in float, each written and read.
        (("12-fusion", 2), 16.0),
        // (32 + 4) · (8 + 4) / 256.
        (("12-fusion", 3), 1.6875),
        // 15 / 5.
        (("12-fusion", 8), 3.0),
    ]);
    assert_eq!(found, wanted);
}

/// The last task of a lesson in which stages or sizes are chosen, and what it begins with.
fn last_choice(name: &str) -> (Show, Goal) {
    let text = Shelf::text(name, Language::English).expect("built in");
    let mut goals = whole(name, text).screens.into_iter().filter_map(|screen| match screen.item {
        Some(Item::Task(goal)) if goal.gap.is_none() => Some((screen.show.expect("a show"), goal)),
        _ => None,
    });
    goals.next_back().expect("a task")
}

#[test]
fn tasks_about_counts_can_be_done_and_are_not_done_at_the_start() {
    for (name, variant, local, is_reached) in [
        ("1-memory-access", "coalesced", Some([32, 1]), false),
        ("1-memory-access", "coalesced", Some([16, 2]), true),
        ("1-memory-access", "coalesced", Some([16, 4]), true),
        ("1-memory-access", "coalesced", Some([8, 4]), false),
        ("2-cpu-device", "coalesced", Some([16, 1]), false),
        ("2-cpu-device", "coalesced", Some([32, 4]), false),
        ("2-cpu-device", "coalesced", Some([64, 4]), true),
        ("3-packed-reads", "coalesced+vectorize=4+image=rgba+float+unroll", None, false),
        ("3-packed-reads", "coalesced+vectorize=8+image=rgba+float+unroll", None, true),
        ("4-fewer-reads", "coalesced+padded", None, false),
        ("4-fewer-reads", "coalesced+padded+twostep", None, false),
        ("4-fewer-reads", "coalesced+padded+separable", None, true),
        ("5-full-pipe", "coalesced+padded", None, false),
        ("5-full-pipe", "coalesced+padded+rows=3+access=int4", None, true),
        ("7-your-own-kernel", "coalesced", Some([32, 4]), false),
        ("7-your-own-kernel", "coalesced", Some([40, 1]), true),
    ] {
        let (show, goal) = last_choice(name);
        let variant = Variant::parse(variant).expect("a variant");
        let local = local.map_or(show.local, LocalSize::Explicit);
        let facts = counted(&Show { variant, local, against: None, ..show });
        assert_eq!(Condition::all(&goal.when, &facts), is_reached, "{name}: {variant} {local:?}: {:?}", goal.when);
    }
}

#[test]
fn the_lesson_for_those_who_know_nothing_of_it_comes_first() {
    assert_eq!(Shelf::default().names().first(), Some(&"0-one-switch"));
}

#[test]
fn an_answer_is_at_the_same_place_in_every_language_and_not_always_at_the_same() {
    let places: BTreeSet<usize> = FILES
        .iter()
        .flat_map(|(path, text)| whole(path, text).screens)
        .filter_map(|screen| match screen.item? {
            Item::Choose(choose) => choose.answers.iter().position(|(_, refuted)| refuted.is_none()),
            _ => None,
        })
        .collect();
    assert!(places.len() > 1, "{places:?}");
}

fn own(text: &str) -> Vec<Edition> {
    vec![Edition::of_text("mine.toml", Some("folder/mine.toml".into()), text)]
}

#[test]
fn a_file_with_a_fault_keeps_its_last_good_lesson() {
    let good = format!("{HEAD}[[screen]]\ntitle = 'c'\ntext = 'd'\n");
    let mut shelf = Shelf::default();
    let built_in = shelf.names().len();
    shelf.take(own(&good));
    assert_eq!((shelf.names().len(), shelf.names().last().copied()), (built_in + 1, Some("mine")));
    shelf.take(own(&good.replace("'laplace'", "'blur'").replace("text", "show = { variant = 'naive' }\ntext")));
    let edition = shelf.editions().last().expect("there");
    assert!(edition.lesson.is_some() && edition.faults.len() == 1, "{:?}", edition.faults);
    assert_eq!(shelf.find("mine", Language::Chinese).map(|lesson| lesson.title.as_str()), Some("a"));
    // Mended, and taken away.
    shelf.take(own(&good.replace("'a'", "'e'")));
    assert_eq!(shelf.find("mine", Language::English).map(|lesson| lesson.title.as_str()), Some("e"));
    shelf.take(Vec::new());
    assert_eq!(shelf.names().len(), built_in);
    // One that was never without a fault is told and not offered.
    shelf.take(own("title = "));
    assert_eq!((shelf.names().len(), shelf.editions().last().map(|edition| edition.faults.len())), (built_in, Some(1)));
}

#[test]
fn a_lesson_is_shown_in_the_language_that_is_spoken_where_it_has_one() {
    let text = |title: &str| format!("{HEAD}[[screen]]\ntitle = 'c'\ntext = 'd'\n").replace("'a'", title);
    let mut shelf = Shelf::default();
    let edition = |there: &str, title: &str| Edition::of_text(there, Some(there.into()), &text(title));
    shelf.take(vec![
        edition("/one.toml", "'any'"),
        edition("zh/two.toml", "'zh'"),
        edition("en/two.toml", "'en'"),
        edition("zh/three.toml", "'zh'"),
    ]);
    let title = |name: &str, language| shelf.find(name, language).map(|lesson| lesson.title.clone());
    for (name, language, found) in [
        ("one", Language::Chinese, Some("any")),
        ("two", Language::Chinese, Some("zh")),
        ("two", Language::English, Some("en")),
        ("three", Language::English, Some("zh")),
        ("four", Language::English, None),
    ] {
        assert_eq!(title(name, language).as_deref(), found, "{name} {language:?}");
    }
}

#[test]
fn a_folder_is_read_with_its_parts_for_languages() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lessons");
    assert_eq!(read_folder(&path).expect("nothing is no error").len(), 0);
    let example = write_example(&path).expect("written");
    fs::create_dir(path.join("zh")).expect("made");
    fs::write(path.join("zh").join("broken.toml"), b"title = \"\xff\"\n").expect("written");
    fs::write(path.join("notes.txt"), "no lesson").expect("written");
    let editions = read_folder(&path).expect("read");
    let found: Vec<_> = editions.iter().map(|edition| (edition.name.as_str(), edition.language, edition.faults.len())).collect();
    assert_eq!(found, [("example", None, 0), ("broken", Some(Language::Chinese), 1)]);
    // The person's own text is not written over.
    fs::write(&example, "title = 3").expect("written");
    write_example(&path).expect("left alone");
    assert_eq!(fs::read_to_string(&example).expect("there"), "title = 3");
}

#[test]
fn a_file_or_a_part_that_cannot_be_read_hides_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    write_example(path).expect("written");
    fs::write(path.join("a-long\u{1b}[2J.toml"), vec![b'#'; 2 << 20]).expect("written");
    // No folder: it cannot be listed.
    fs::write(path.join("zh"), "").expect("written");
    let editions = read_folder(path).expect("the folder is there");
    let mut found: Vec<_> = editions.iter().map(|edition| (edition.name.as_str(), edition.language, edition.faults.len())).collect();
    found.sort_unstable_by_key(|(name, ..)| *name);
    assert_eq!(found, [("a-long\u{1b}[2J", None, 1), ("example", None, 0), ("zh", Some(Language::Chinese), 1)]);
    let mut shelf = Shelf::default();
    shelf.take(editions.clone());
    assert!(shelf.find("example", Language::English).is_some() && shelf.find("a-long\u{1b}[2J", Language::English).is_none());
    let told = editions.iter().find_map(|edition| Some(edition.faults.first()?.at_place(&edition.path.as_ref()?.display().to_string())));
    let told = told.expect("a fault");
    assert!(told.contains("it has 2097152 bytes") && !told.contains('\u{1b}') && told.contains("a-long\\u001b[2J.toml: "), "{told}");
}

#[test]
fn what_a_terminal_would_obey_is_written_out() {
    let lesson = |title: &str| format!("title = \"{title}\"\ngoal = \"b\"\nminutes = 1\n[[screen]]\ntitle = \"c\"\ntext = \"d\"\n");
    let read_one = read(&lesson(r"a\u001b[2Jb\u202ec")).expect("a lesson");
    assert_eq!(read_one.title, r"a\u001b[2Jb\u202ec");
    let faults = read("title = \"a\"\n\"x\\u001by\" = 1\n").expect_err("no such field");
    assert!(faults.iter().all(|fault| !fault.to_string().contains('\u{1b}')), "{faults:?}");
}

#[test]
fn panels_have_names_in_lower_case() {
    assert!(panels().all(|name| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-')));
}
