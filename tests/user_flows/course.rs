//! Lessons that somebody wrote: from the list through every kind of screen, and a file that has a fault.

use super::window::Window;
use base::texts::{language, text};
use egui::accesskit::Role;
use kernel_ladder::app::experiments::Stand;
use kernel_ladder::app::labels;
use kernel_ladder::app::lessons_panel::Given;
use kernel_ladder::app::nav::Section;
use kernel_ladder::app::state::State;
use std::fs;
use std::path::Path;

const LESSON: &str = r#"
title = "Mine"
goal = "Walk through"
minutes = 5
filter = "laplace"
channels = "rgb"
picture = "generated 96x64"

[[screen]]
title = "First"
text = "It makes {after.loads} loads."
show = { variant = "naive", panel = "compiled" }
number = { question = "How many loads?", is = "after.loads" }
then = "So it is."

[[screen]]
title = "Second"
text = "Padding and vectors."
show = { variant = "padded+vectorize=4", against = "padded" }
predict = true

[[screen]]
title = "Third"
text = "Which?"
choose = { question = "Which one?", right = "This one", wrong = [{ say = "That one", refuted = "It is not" }] }

[end]
title = "Fourth"
text = "Fewer loads."
show = { variant = "naive" }
task = { goal = "Reach fewer loads", when = ["after.loads < 10"] }
"#;

fn with_lessons(folder: &Path) -> Window {
    let mut window = Window::keeping(folder);
    window.wait("the lessons", |state| state.course.folder.is_some());
    window.settle();
    window.click(Role::RadioButton, Section::Course.label());
    window
}

#[test]
fn a_lesson_is_walked_from_end_to_end() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("lessons")).expect("made");
    fs::write(folder.path().join("lessons").join("mine.toml"), LESSON).expect("written");
    let mut window = with_lessons(folder.path());
    window.click(Role::Button, "Mine");
    // It loads, runs and shows by itself; until it has begun to, the result before is there still.
    window.wait("its picture", |state| {
        let show = state.here().and_then(|here| here.screen()?.show.clone());
        show.is_some_and(|show| state.has_picture(&show) && state.choice().variant == show.variant)
    });
    window.settle();
    assert!(window.has("First") && window.has("It makes 27 loads.") && window.has("Screen 1 of 4: 0 done, 0 skipped, 4 open"));

    window.write("Your number", "27");
    window.click(Role::Button, "Answer");
    assert!(window.has("Your answer: 27. Correct, it is 27.") && window.has("So it is."));
    window.click(Role::Button, "Continue");

    assert!(window.has("Compared with padded, on this device, it is …"));
    assert_eq!(window.state().choice().variant.to_string(), "padded", "what it is compared with is shown before the answer");
    window.click(Role::Button, "4  faster");
    window.wait("the outcome", |state| state.pending.is_empty() && state.lesson.told_of("mine", 1).is_some());
    // One stage more, and every one takes a fifth off.
    assert!(window.has("Speed relative to padded: 1.25×"));
    assert_eq!(window.state().choice().variant.to_string(), "padded+vectorize=4");
    window.click(Role::Button, "Next screen");

    window.node_ending("That one").click();
    window.harness.run_steps(3);
    assert!(window.has("You chose: That one. It is not.") && window.has("Correct: This one"));
    window.click(Role::Button, "Again");
    window.node_ending("This one").click();
    window.harness.run_steps(3);
    assert!(window.has("Correct, you chose: This one"));
    window.click(Role::Button, "Continue");

    window.settle();
    assert!(window.has("Not yet: change stages or the local size"));
    window.click(Role::CheckBox, "Vectorize");
    window.settle();
    assert!(window.has("Reached"));

    // Back and forth, and to the list.
    window.click(Role::Button, "Previous screen");
    assert!(window.has("Correct, you chose: This one"));
    // Behind the last screen there is the card.
    for _ in 0..2 {
        window.click(Role::Button, "Next screen");
    }
    assert!(window.has("Done: Mine") && window.has("Screens: 4 done, 0 skipped, 0 open"));
    window.click(Role::Button, text("course.leave"));
    assert!(window.has("5 min, any device, 4 screens: 4 of 4 done, 0 skipped"));
}

#[test]
fn a_fault_is_told_with_its_line_and_the_last_good_lesson_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_lessons(folder.path());
    window.click(Role::Button, "Write an example");
    window.wait("the example", |state| state.course.shelf.names().contains(&"example"));
    assert!(window.has("Loads and segments") && window.has("example.toml: no errors"));
    let path = folder.path().join("lessons").join("example.toml");
    let text = fs::read_to_string(&path).expect("written");
    fs::write(&path, text.replace("variant = \"coalesced\", against", "variant = \"coalesed\", against")).expect("written");
    window.click(Role::Button, "Reload");
    window.wait("the fault", |state| state.course.shelf.editions().iter().any(|edition| !edition.faults.is_empty()));
    assert!(window.has("example.toml, line 45, column 21: there is no stage 'coalesed'; did you mean 'coalesced'?"));
    assert!(window.has("Showing the last valid version of this lesson") && window.has("Loads and segments"));
}

/// What is left to be written where a gap is.
fn has_gap(state: &State) -> bool {
    state.draft().is_some_and(|draft| draft.contains("// Your code"))
}

#[test]
fn a_gap_comes_back_by_revert_and_again_begins_it_anew() {
    let mut window = Window::settled();
    let lesson = window.state().course.shelf.find("7-your-own-kernel", language()).expect("it is built in").clone();
    window.open_lesson(&lesson.title);
    window.wait("the gap", has_gap);
    // The solution, once the task was tried.
    window.wait("a trial", |state| state.pending.is_empty() && state.trials.last().is_some());
    window.click(Role::DisclosureTriangle, text("course.solution"));
    window.click(Role::Button, text("course.insert-solution"));
    assert!(window.state().draft().is_some() && !has_gap(window.state()));
    // The variant's own kernel is the solution: what comes back is the gap.
    window.click(Role::Button, labels::revert_kernel());
    window.wait("the gap once more", has_gap);
    window.wait("a trial", |state| state.pending.is_empty() && state.trials.last().is_some());
    window.click(Role::Button, text("lessons.item.skip"));
    assert_eq!(window.state().given(), Some(Given::Skipped));
    assert!(window.has(text("lessons.item.skipped")));
    window.click(Role::Button, text("lessons.item.again"));
    assert_eq!(window.state().given(), Some(Given::Begun));
    assert!(has_gap(window.state()));
}

const EXPERIMENTS: &str = r#"
title = "Tested"
goal = "Say what an experiment will show"
minutes = 5
filter = "laplace"
channels = "rgb"
picture = "generated 96x64"

[[screen]]
title = "The launch"
text = "Four pixels per work-item."
show = { variant = "padded+vectorize=4", against = "padded" }
experiment = "launch-costs-more"
then = "So it is."

[end]
title = "The loads"
text = "The same two."
show = { variant = "padded+vectorize=4", against = "padded" }
experiment = "fewer-loads"
"#;

/// Waits until the experiment of the screen says something.
pub fn wait_for_experiment(window: &mut Window, rule: &str) {
    window.wait("the experiment", |state| {
        let pair = state.here().and_then(|here| state.screen_pair(here.screen()?));
        let asked = pair.and_then(|pair| state.experiments.of(&pair, rule).map(|asked| asked.stand.clone()));
        matches!(asked, Some(Stand::Told(_))) && state.pending.is_empty()
    });
}

#[test]
fn what_an_experiment_will_show_is_asked_before_it_runs_and_marked_after() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("lessons")).expect("made");
    fs::write(folder.path().join("lessons").join("tested.toml"), EXPERIMENTS).expect("written");
    let mut window = with_lessons(folder.path());
    window.click(Role::Button, "Tested");
    window.settle();
    assert!(window.has("Explanation: The kernel takes less than twice the time of an empty kernel: much of this is launch cost"));
    assert!(window.has("Experiment: Both variants over 4 and 16 times the pixels") && window.has("What will it show?"));
    assert!(!window.has("So it is.") && window.state().pending.is_empty(), "nothing runs before the answer");

    // Every variant of this device takes as much longer over more pixels: the launch hides nothing.
    window.click(Role::Button, "The difference grows with the image size, as the launch weighs less");
    wait_for_experiment(&mut window, "launch-costs-more");
    assert!(window.has("Experiment: Both variants over 4 and 16 times the pixels: refuted"));
    assert!(
        window.has("You chose: the difference grows with the image size, as the launch weighs less. The experiment shows the opposite.")
    );
    assert!(window.has("So it is.") && window.state().choice().variant.to_string() == "padded+vectorize=4");
    window.click(Role::Button, "Again");
    assert!(window.has("What will it show?") && !window.has("So it is."));
    window.click(Role::Button, "The difference is unchanged");
    wait_for_experiment(&mut window, "launch-costs-more");
    assert!(window.has("Correct, you chose: the difference is unchanged"));
    window.click(Role::Button, "Continue");

    // This device's compiler drops what is added: that decides nothing.
    let answer = "at least half of the difference comes back; where there is none, the loads cost nothing";
    window.click(Role::Button, &answer.replacen('a', "A", 1));
    wait_for_experiment(&mut window, "fewer-loads");
    assert!(window.has(&format!("You chose: {answer}. The result makes this neither right nor wrong.")));
    window.click(Role::Button, "Again");
    window.click(Role::Button, "Just run it");
    wait_for_experiment(&mut window, "fewer-loads");
    assert!(!window.has_part("You chose: "));
}
