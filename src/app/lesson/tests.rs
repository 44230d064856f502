//! A lesson by itself, without a window.

use super::{About, Answer, Count, Phase, Remember};
use crate::app::action::{Action, Command};
use crate::app::lessons_panel::CourseAction;
use crate::app::nav::Section;
use crate::app::settings::Settings;
use crate::app::state::{Effect, FileJob, State};
use crate::runner::Update;
use crate::testing::compared_as;
use crate::testing::predictions::guessed;
use crate::testing::sessions::on_device;
use base::files::{Lines, LinesJob};
use engine::Compared;
use engine::device::DeviceInfo;
use model::Channels;
use model::measure::{Comparison, Verdict};
use pictures::Picture;
use std::sync::Arc;
use study::predict::Change;
use study::{Finding, PredictionRecord, write_predictions_csv, write_predictions_json};

pub fn lesson(state: &mut State, answer: Answer) -> Vec<Effect> {
    state.apply(Action::Lesson(answer))
}

/// A ladder's lesson at its first step, over a person's own picture, on a device without local memory of its own.
pub fn begun() -> State {
    let device = DeviceInfo { local_mem_is_dedicated: false, ..DeviceInfo::example() };
    let mut state = on_device(Settings::default(), device);
    let picture = Arc::new(Picture::from_fn(64, 64, Channels::Rgb, |x, _, _| x as u8));
    let _ = state.apply(Action::PictureLoaded { name: "small".into(), path: Some("small.png".into()), picture, notes: Vec::new() });
    let _ = state.apply(Action::Course(CourseAction::Open("ladder:mali-t600".into())));
    state
}

/// On to the next step.
pub fn next(state: &mut State) -> Vec<Effect> {
    let index = state.here().expect("a lesson").index;
    state.apply(Action::Course(CourseAction::Go(index + 1)))
}

pub fn outcome(state: &mut State, verdict: Verdict, [low, ratio, high]: [f64; 3]) {
    let pair = state.lesson.open.as_ref().expect("a question").pair.clone();
    let compared = compared_as(Comparison { ratio, low, high, verdict, starts: 1 });
    let _ = state.apply(Action::Runner(Box::new(Update::Found(0, Finding::Compared(Box::new(pair), Ok(compared))))));
}

#[test]
fn a_step_is_asked_about_before_it_is_shown() {
    let mut state = begun();
    let before = state.choice().variant;
    assert!(next(&mut state).is_empty(), "nothing runs before the guess");
    assert_eq!(state.choice().variant, before);
    let open = state.lesson.open.as_ref().expect("a question");
    assert!(matches!(open.about, About::Step { step: 1, against: 0, .. }));
    let _ = lesson(&mut state, Answer::Sure(true));
    let effects = lesson(&mut state, Answer::Guess(Change::MuchFaster));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Show(_))));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Bench(bench) if bench.study.total() == 3)));
    assert_eq!(state.choice().variant.to_string(), "padded+vectorize=5");
    // A second guess comes too late.
    assert!(lesson(&mut state, Answer::Guess(Change::Same)).is_empty());
    outcome(&mut state, Verdict::Faster, [1.6, 1.7, 1.8]);
    let Some(Phase::Seen(told)) = state.lesson.open.as_ref().map(|open| &open.phase) else { panic!("seen") };
    assert_eq!(told.predicted.truth, [Change::MuchFaster]);
    assert_eq!(told.predicted.guess.map(|guess| (guess.change, guess.is_sure)), Some((Change::MuchFaster, true)));
    assert_eq!(told.reasons.first().map(|reason| reason.rule.as_str()), Some("fewer-loads"));
}

#[test]
fn other_programs_are_no_reason_not_to_score_what_is_evident() {
    let mut state = begun();
    let _ = next(&mut state);
    let _ = lesson(&mut state, Answer::Guess(Change::MuchFaster));
    let pair = state.lesson.open.as_ref().expect("a question").pair.clone();
    let comparison = Comparison { ratio: 6.51, low: 6.44, high: 6.57, verdict: Verdict::Faster, starts: 1 };
    let compared = Compared { busy: true, ..compared_as(comparison) };
    let _ = state.apply(Action::Runner(Box::new(Update::Found(0, Finding::Compared(Box::new(pair), Ok(compared))))));
    let Some(Phase::Seen(told)) = state.lesson.open.as_ref().map(|open| &open.phase) else { panic!("seen") };
    assert_eq!(told.predicted.truth, [Change::MuchFaster]);
    assert!(told.reasons.iter().all(|reason| reason.rule != "machine-was-busy"), "{:?}", told.reasons);
    let record = state.lesson.memory.records().first().expect("kept");
    assert!(record.busy && study::predict::score(record.predicted.guess.expect("a guess"), &record.predicted.truth).is_some());
}

#[test]
fn an_undecided_step_is_measured_again_and_counts_once() {
    let mut state = begun();
    let _ = next(&mut state);
    assert!(lesson(&mut state, Answer::Again).is_empty(), "nothing was guessed");
    let effects = lesson(&mut state, Answer::Guess(Change::Faster));
    assert!(lesson(&mut state, Answer::Again).is_empty(), "it runs");
    let id = effects.iter().find_map(|effect| if let Effect::Bench(bench) = effect { Some(bench.id) } else { None }).expect("a bench");
    outcome(&mut state, Verdict::Unclear, [0.6, 1.2, 2.4]);
    while let Some(id) = state.pending.first().map(|pending| pending.id) {
        let _ = state.apply(Action::Runner(Box::new(Update::Finished { id, result: Ok(()) })));
    }
    assert!(state.pending.is_empty(), "{id} and what is shown");
    let effects = lesson(&mut state, Answer::Again);
    let [Effect::Bench(bench)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(bench.budget.sample_ns, 4 * model::Budget::default().sample_ns, "for longer");
    assert!(
        matches!(state.lesson.open.as_ref().map(|open| &open.phase), Some(Phase::Running(Some(guess))) if guess.change == Change::Faster)
    );
    outcome(&mut state, Verdict::Faster, [1.15, 1.2, 1.25]);
    let told: Vec<_> = state.lesson.told.iter().map(|told| told.predicted.truth.clone()).collect();
    assert_eq!(told, [vec![Change::Faster]], "the longer run takes the place of the shorter one");
    let records = state.lesson.memory.records();
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].order, records[0].comparison.low), (1, 1.15));
}

#[test]
fn a_reason_is_chosen_once_and_counts() {
    let mut state = begun();
    let _ = next(&mut state);
    let _ = lesson(&mut state, Answer::Guess(Change::Faster));
    outcome(&mut state, Verdict::Faster, [1.6, 1.7, 1.8]);
    let Some(Phase::Seen(told)) = state.lesson.open.as_ref().map(|open| &open.phase) else { panic!("seen") };
    let question = told.question.clone().expect("other reasons are refuted");
    let truth = question.answers.iter().position(|answer| answer.refuted.is_none()).expect("one is true");
    let _ = lesson(&mut state, Answer::Reason(truth));
    let _ = lesson(&mut state, Answer::Reason((truth + 1) % question.answers.len()));
    assert_eq!(state.lesson.told.last().and_then(|told| told.predicted.has_right_reason), Some(true));
    // On to the next question.
    let _ = next(&mut state);
    assert_eq!(state.lesson.open.as_ref().map(|open| open.about.place()), Some(("mali-t600", 2)));
}

#[test]
fn another_choice_closes_the_question_and_in_the_lab_steps_are_shown() {
    let mut state = begun();
    let _ = next(&mut state);
    let _ = state.apply(Action::SetStep("mali-t600", 3));
    assert!(state.lesson.open.is_none());
    let _ = state.apply(Action::GoTo(Section::Lab));
    let effects = state.apply(Action::Run(Command::NextStep));
    assert!(state.lesson.open.is_none() && effects.iter().any(|effect| matches!(effect, Effect::Show(_))));
    assert_eq!(state.settings.ladder.as_ref().map(|place| place.step), Some(4));
}

#[test]
fn a_step_that_the_device_cannot_run_is_left_out_with_the_reason() {
    let mut state = begun();
    let device = DeviceInfo { max_image_px: Some([8192, 8192]), ..DeviceInfo::example() };
    let _ = state.apply(Action::Runner(Box::new(Update::Devices(Ok(vec![device])))));
    let _ = state.apply(Action::Course(CourseAction::Open("ladder:adreno-epsilon".into())));
    // Step 2 computes in half, which this device has not.
    let _ = next(&mut state);
    assert!(state.lesson.open.is_none());
    let _ = next(&mut state);
    let open = state.lesson.open.as_ref().expect("a question");
    let About::Step { step: 2, against: 0, left_out, .. } = &open.about else { panic!("{:?}", open.about) };
    assert_eq!(left_out.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [1]);
    assert!(left_out.iter().all(|(_, why)| !why.is_empty()));
}

#[test]
fn an_outcome_of_another_pair_is_not_taken() {
    let mut state = begun();
    let _ = next(&mut state);
    let pair = state.lesson.open.as_ref().expect("a question").pair.clone();
    let comparison = Comparison { ratio: 1.0, low: 0.9, high: 1.1, verdict: Verdict::Unclear, starts: 1 };
    let compared = compared_as(comparison);
    // Before the guess even the right pair gives nothing away.
    let _ = state.apply(Action::Runner(Box::new(Update::Found(0, Finding::Compared(Box::new(pair.clone()), Ok(compared.clone()))))));
    assert!(matches!(state.lesson.open.as_ref().map(|open| &open.phase), Some(Phase::Asked)));
    let _ = lesson(&mut state, Answer::Skip);
    let turned = (pair.1, pair.0);
    let _ = state.apply(Action::Runner(Box::new(Update::Found(0, Finding::Compared(Box::new(turned), Ok(compared))))));
    assert!(matches!(state.lesson.open.as_ref().map(|open| &open.phase), Some(Phase::Running(None))));
}

/// Answers the question that is open: a guess, and its outcome.
fn answered(state: &mut State, change: Change, interval: [f64; 3]) -> Vec<Effect> {
    let _ = lesson(state, Answer::Guess(change));
    let pair = state.lesson.open.as_ref().expect("a question").pair.clone();
    let [low, ratio, high] = interval;
    let comparison = Comparison { ratio, low, high, verdict: Verdict::Faster, starts: 1 };
    let compared = compared_as(comparison);
    state.apply(Action::Runner(Box::new(Update::Found(0, Finding::Compared(Box::new(pair), Ok(compared))))))
}

fn read(state: &mut State, lines: Vec<PredictionRecord>) -> Vec<Effect> {
    state.apply(Action::PredictionsRead(Lines { lines, ..Lines::default() }))
}

fn kept(effects: &[Effect]) -> Vec<PredictionRecord> {
    let line = |effect: &Effect| match effect {
        Effect::Files(FileJob::Predictions(LinesJob::Append(record))) => Some((**record).clone()),
        _ => None,
    };
    effects.iter().filter_map(line).collect()
}

#[test]
fn a_prediction_is_kept_with_what_was_seen_and_without_name_or_picture() {
    let mut state = begun();
    let _ = read(&mut state, vec![guessed(7, Change::Same, true, &[Change::Same])]);
    let _ = lesson(&mut state, Answer::Remember(Remember::RecallOver));
    let _ = next(&mut state);
    let effects = answered(&mut state, Change::Faster, [1.6, 1.7, 1.8]);
    let [record] = &kept(&effects)[..] else { panic!("one line: {effects:?}") };
    assert_eq!((record.order, record.step_key.as_str(), record.against), (8, "vectorize", 0));
    assert_eq!((record.width_px, record.height_px, record.comparison.ratio), (64, 64, 1.7));
    assert_eq!((&record.reason_chosen, record.reason_true.as_deref()), (&None, Some("fewer-loads")));
    assert!(record.reasons_shown.len() >= 2 && record.seconds >= 0.0 && record.rules.len() == 8);
    let truth = record.reasons_shown.iter().position(|id| Some(id) == record.reason_true.as_ref()).expect("it is among them");
    let effects = lesson(&mut state, Answer::Reason(truth));
    let [complete] = &kept(&effects)[..] else { panic!("one line: {effects:?}") };
    assert!(complete.is_same_answer(record) && complete.reason_chosen == record.reason_true);
    assert_eq!(complete.predicted.has_right_reason, Some(true));
    assert_eq!(state.lesson.memory.records().len(), 2);
}

/// What is written of a person, in every form, holds nothing that tells who it is or what was on the screen.
#[test]
fn no_export_has_a_name_a_path_or_a_picture() {
    let mut state = begun();
    let picture = Arc::new(Picture::from_fn(64, 64, Channels::Rgb, |x, _, _| x as u8));
    let path = std::path::PathBuf::from("/home/ada-lovelace/secret-party.png");
    let _ = state.apply(Action::PictureLoaded { name: "secret-party".into(), path: Some(path), picture, notes: Vec::new() });
    let _ = next(&mut state);
    let _ = answered(&mut state, Change::Faster, [1.6, 1.7, 1.8]);
    let records = state.lesson.memory.records();
    assert_eq!(records.len(), 1);
    let (mut csv, mut json) = (Vec::new(), Vec::new());
    write_predictions_csv(records, &mut csv).expect("written");
    write_predictions_json(records, &mut json).expect("written");
    let hash = state.picture.as_ref().expect("a picture").picture.facts().sha256;
    let device = DeviceInfo::example();
    for written in [String::from_utf8(csv), String::from_utf8(json), Ok(serde_json::to_string(records).expect("plain data"))] {
        let written = written.expect("text").to_lowercase();
        assert!(written.contains("mali-t600"), "the ladder is there: {written}");
        for secret in
            ["secret", "ada", "lovelace", "home", "png", hash.as_str(), &device.name.to_lowercase(), &device.vendor.to_lowercase()]
        {
            assert!(!written.contains(secret), "'{secret}' is in {written}");
        }
        assert!(!written.contains(['/', '\\']), "a path is in {written}");
    }
}

#[test]
fn nothing_is_kept_where_that_is_switched_off_and_all_is_forgotten_when_asked() {
    let mut state = begun();
    let _ = read(&mut state, Vec::new());
    let _ = lesson(&mut state, Answer::Remember(Remember::Keep(false)));
    let _ = next(&mut state);
    assert!(answered(&mut state, Change::Faster, [1.6, 1.7, 1.8]).is_empty());
    assert!(state.lesson.memory.records().is_empty() && state.lesson.told.len() == 1, "the session still shows it");
    let _ = lesson(&mut state, Answer::Remember(Remember::Keep(true)));
    let _ = next(&mut state);
    assert_eq!(kept(&answered(&mut state, Change::Faster, [1.6, 1.7, 1.8])).len(), 1);
    let effects = lesson(&mut state, Answer::Remember(Remember::Forget));
    assert!(matches!(&effects[..], [Effect::Files(FileJob::Predictions(LinesJob::Clear))]), "{effects:?}");
    assert!(state.lesson.memory.records().is_empty() && state.lesson.memory.trend().is_none());
}

#[test]
fn what_is_predicted_before_the_file_is_read_is_kept_behind_it() {
    let mut state = begun();
    let _ = next(&mut state);
    assert!(answered(&mut state, Change::Faster, [1.6, 1.7, 1.8]).is_empty());
    let effects = read(&mut state, vec![guessed(3, Change::Same, true, &[Change::Same])]);
    assert_eq!(kept(&effects).iter().map(|record| record.order).collect::<Vec<_>>(), [4]);
    assert!(state.lesson.memory.recall.is_none(), "who is in a lesson is not interrupted");
}

#[test]
fn one_step_of_an_earlier_session_is_recalled_and_does_not_count() {
    let mut state = begun();
    let missed = guessed(1, Change::MuchFaster, true, &[Change::Same]);
    let before = vec![missed.clone(), guessed(2, Change::Same, true, &[Change::Same])];
    let _ = read(&mut state, before.clone());
    let trend = state.lesson.memory.trend().cloned();
    assert!(state.lesson.memory.recall.as_ref().is_some_and(|recall| recall.record == missed), "the one that was farthest away");
    let effects = lesson(&mut state, Answer::Remember(Remember::Recalled(Change::Faster)));
    assert_eq!(kept(&effects)[0].recalls, [Some(Change::Faster)]);
    let _ = lesson(&mut state, Answer::Remember(Remember::Recalled(Change::Same)));
    assert_eq!(state.lesson.memory.records()[0].recalls.len(), 1, "said once");
    let _ = lesson(&mut state, Answer::Remember(Remember::RecallOver));
    assert!(state.lesson.memory.recall.is_none() && state.lesson.memory.trend().cloned() == trend);
    // At the next start another one, which is skipped in one click.
    let records = state.lesson.memory.records().to_vec();
    let mut next = begun();
    let _ = read(&mut next, records);
    assert!(next.lesson.memory.recall.as_ref().is_some_and(|recall| recall.record.order == 2));
    assert_eq!(kept(&lesson(&mut next, Answer::Remember(Remember::RecallOver)))[0].recalls, [None]);
    // Nobody is asked who does not want it.
    let mut state = State::new(Settings { never_recalls: true, ..Settings::default() });
    let _ = read(&mut state, before);
    assert!(state.lesson.memory.recall.is_none());
}

#[test]
fn a_class_votes_twice_and_its_counts_are_kept() {
    let mut state = begun();
    let _ = read(&mut state, Vec::new());
    let _ = lesson(&mut state, Answer::AskClass(true));
    let _ = next(&mut state);
    let count = |state: &mut State, count: Count| lesson(state, Answer::Vote(count));
    for change in [Change::Same, Change::Faster, Change::MuchFaster] {
        assert!(count(&mut state, Count::Add(change)).is_empty());
    }
    let _ = count(&mut state, Count::Next);
    let _ = count(&mut state, Count::Next);
    let _ = count(&mut state, Count::Add(Change::MuchFaster));
    let effects = count(&mut state, Count::Next);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Bench(_))), "now it is measured");
    outcome(&mut state, Verdict::Faster, [1.6, 1.7, 1.8]);
    let [record] = state.lesson.memory.records() else { panic!("one record") };
    let votes = record.votes.expect("votes");
    assert_eq!((votes.first, votes.second, record.predicted.guess), ([0, 0, 1, 1, 1], [0, 0, 0, 0, 1], None));
    assert!(state.lesson.memory.trend().is_none(), "a class is nobody's trend");
    // A step that is skipped is nobody's vote.
    let _ = next(&mut state);
    let _ = count(&mut state, Count::Add(Change::Same));
    let _ = lesson(&mut state, Answer::Skip);
    outcome(&mut state, Verdict::Faster, [1.6, 1.7, 1.8]);
    assert_eq!(state.lesson.memory.records().len(), 1);
}
