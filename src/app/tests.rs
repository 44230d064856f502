//! The state by itself: what the worker says, taken in without a window.

use super::action::{Action, Command};
use super::history_file::HistoryJob;
use super::settings::{Place, Settings};
use super::state::{Effect, FileJob, Job, State};
use crate::runner::{Show, Update};
use crate::testing::records::{changed, on_cpu};
use crate::testing::sessions::{news, open};
use base::error::Error;
use base::files::read_lines;
use engine::device::{DeviceInfo, NoDevice};
use engine::{Executed, Scanned, Target, Task};
use kernels::filters::FilterIdExt;
use model::measure::Verdict;
use model::{Channels, CpuEngine, HostMemory, LocalSize, Outcome, Record, StageId, Variant};
use std::sync::Arc;
use study::Finding;

fn only_show(effects: Vec<Effect>) -> Show {
    let mut shows = effects.into_iter().filter_map(|effect| match effect {
        Effect::Show(show) => Some(*show),
        _ => None,
    });
    let show = shows.next().expect("a show");
    assert!(shows.next().is_none(), "one show");
    show
}

/// A session over a small picture, with its first show.
fn begun() -> (State, Show) {
    let mut state = State::new(Settings::default());
    assert!(news(&mut state, Update::Devices(Err(NoDevice::NoLoader))).is_empty(), "there is no picture yet");
    let effects = open(&mut state, "small", [4, 4]);
    (state, only_show(effects))
}

fn rendered(show: &Show) -> Update {
    let executed = Executed::on_host(Arc::clone(&show.task.picture.picture), 0);
    Update::Rendered { id: show.id, executed: Box::new(executed) }
}

#[test]
fn without_a_device_the_cpu_computes_and_this_choice_is_not_saved() {
    let (state, _) = begun();
    assert_eq!((state.place, state.settings.cpu), (Place::Cpu(CpuEngine::Simd), None));
    assert_eq!(state.notices.all().len(), 1);
}

#[test]
fn what_a_scan_met_is_shown_until_the_next_scan() {
    let (mut state, _) = begun();
    let _ = news(&mut state, Update::Devices(Ok(vec![DeviceInfo::example()])));
    assert!(state.notices.all().is_empty());
    let problems = ["gone.icd offers no platform", "b.icd names no library"].map(str::to_owned).to_vec();
    let met = |problems: &[String]| Update::Scanned(Scanned { problems: problems.to_vec(), ..Scanned::default() });
    let _ = news(&mut state, met(&problems[..1]));
    assert_eq!(state.notices.all()[0].what, "There is a problem with the devices");
    // Another machine answered: all is told anew, once.
    let _ = news(&mut state, met(&problems));
    let [notice] = state.notices.all() else { panic!("one notice: {:?}", state.notices.all()) };
    assert_eq!(
        (notice.what.as_str(), notice.why.as_str()),
        ("2 problems with the devices", "gone.icd offers no platform; b.icd names no library")
    );
    let _ = news(&mut state, Update::Devices(Ok(vec![DeviceInfo::example()])));
    assert!(state.notices.all().is_empty());
    // Nor does it hide that there is no device.
    let (mut state, _) = begun();
    let _ = news(&mut state, met(&problems));
    assert_eq!(state.notices.all().len(), 2);
}

#[test]
fn the_program_is_copied_to_machines_without_it_once_the_person_says_so() {
    let (mut state, _) = begun();
    let _ = news(&mut state, Update::Devices(Ok(vec![DeviceInfo::example()])));
    assert!(state.why_not(Command::CopyProgram).is_some() && state.apply(Action::Run(Command::CopyProgram)).is_empty());
    let _ = state.apply(Action::EditHosts("lab1, lab2".to_owned()));
    let without_program = vec!["lab2".to_owned()];
    let scanned = Scanned { problems: vec!["lab2 has no kernel-ladder".to_owned()], without_program, ..Scanned::default() };
    let _ = news(&mut state, Update::Scanned(scanned));
    assert_eq!(state.notices.all()[0].ways_on, [Command::CopyProgram, Command::Rescan]);
    let effects = state.apply(Action::Run(Command::CopyProgram));
    let [Effect::CopyTo(hosts)] = effects.as_slice() else { panic!("a copy: {effects:?}") };
    assert_eq!(hosts, &["lab2"]);
    // Once: while it is copied, nothing asks for it again, and the window says so, whatever the worker does.
    assert_eq!((state.why_not(Command::CopyProgram), &state.scanned.copying), (Some("Copying is in progress"), hosts));
    // It did not arrive: the way on is offered again, but not to a machine that is not wanted any more.
    let told_again =
        Scanned { problems: vec!["it was not copied to lab2".to_owned()], without_program: vec!["lab2".to_owned()], ..Scanned::default() };
    let _ = news(&mut state, Update::Scanned(told_again.clone()));
    assert!(state.why_not(Command::CopyProgram).is_none());
    let _ = state.apply(Action::EditHosts("lab1".to_owned()));
    assert!(state.why_not(Command::CopyProgram).is_some());
    // What was dismissed stays so until there is news.
    let notice = state.notices.all()[0].id;
    let _ = state.apply(Action::DismissNotice(notice));
    let _ = news(&mut state, Update::Scanned(told_again));
    assert!(state.notices.all().is_empty());
}

#[test]
fn the_previous_result_stays_and_is_marked_old_until_its_successor_is_there() {
    let (mut state, first) = begun();
    let _ = news(&mut state, rendered(&first));
    assert!(!state.is_old());
    let second = only_show(state.apply(Action::SetPlace(Place::Cpu(CpuEngine::Scalar))));
    assert!(state.is_old() && state.shown.as_ref().is_some_and(|shown| shown.id == first.id));
    let _ = news(&mut state, rendered(&second));
    assert!(!state.is_old() && state.shown.as_ref().is_some_and(|shown| shown.id == second.id));
}

#[test]
fn shows_that_were_replaced_before_they_began_are_forgotten() {
    let (mut state, _) = begun();
    let _ = state.apply(Action::SetPlace(Place::Cpu(CpuEngine::Scalar)));
    let third = only_show(state.apply(Action::SetPlace(Place::Cpu(CpuEngine::Threads))));
    assert_eq!(state.pending.len(), 3);
    let _ = news(&mut state, rendered(&third));
    assert_eq!(state.pending.len(), 1);
}

#[test]
fn a_failure_keeps_the_result_marked_old_and_the_next_success_takes_the_notice_away() {
    let (mut state, first) = begun();
    let _ = news(&mut state, rendered(&first));
    let second = only_show(state.apply(Action::SetPlace(Place::Cpu(CpuEngine::Scalar))));
    let failure = Err(Error::failed("The kernel did not build", "a reason", "a remedy").with_detail("a log"));
    let _ = news(&mut state, Update::Finished { id: second.id, result: failure });
    let is_told = |state: &State| state.notices.all().iter().any(|notice| notice.what == "The kernel did not build");
    assert!(is_told(&state) && state.is_old() && state.shown.is_some() && state.pending.iter().all(|pending| pending.id < second.id));
    let third = only_show(state.apply(Action::SetPlace(Place::Cpu(CpuEngine::Threads))));
    let _ = news(&mut state, rendered(&third));
    assert!(!is_told(&state));
}

#[test]
fn a_cancel_is_no_failure_and_is_not_undone_by_measuring_the_cpu_again() {
    let (mut state, first) = begun();
    let _ = news(&mut state, rendered(&first));
    let effects = news(&mut state, Update::Finished { id: first.id, result: Ok(()) });
    let [Effect::Bench(bench)] = effects.as_slice() else { panic!("the CPU is measured: {effects:?}") };
    assert_eq!(bench.study.total(), 3);
    let notices = state.notices.all().len();
    let _ = news(&mut state, Update::Finished { id: bench.id, result: Err(Error::cancelled()) });
    assert_eq!(state.notices.all().len(), notices);
    let second = only_show(state.apply(Action::SetPlace(Place::Cpu(CpuEngine::Scalar))));
    let _ = news(&mut state, rendered(&second));
    assert!(news(&mut state, Update::Finished { id: second.id, result: Ok(()) }).is_empty());
}

#[test]
fn a_panic_of_the_engine_is_a_notice_with_a_way_on() {
    let (mut state, _) = begun();
    let _ = news(&mut state, Update::Restarted(Error::failed("The engine stopped working", "it panicked", "select a device again")));
    let notice = state.notices.all().iter().find(|notice| notice.what == "The engine stopped working").expect("a notice");
    assert_eq!(notice.ways_on, [Command::Rescan]);
    assert!(state.pending.is_empty());
}

#[test]
fn a_slider_is_asked_for_once_it_rests_and_a_switch_at_once() {
    let (mut state, _) = begun();
    let effects = state.apply(Action::SetLocal(model::LocalSize::Explicit([8, 8])));
    assert!(matches!(effects.as_slice(), [Effect::RenderSoon]) && state.is_unasked);
    let _ = only_show(state.apply(Action::Render));
    assert!(!state.is_unasked);
    let _ = only_show(state.apply(Action::SetStage(StageId::Merged, 1)));
    assert_eq!(state.change.stages, [StageId::Padded, StageId::Vectorize, StageId::Merged]);
    assert!(state.pending.iter().all(|pending| matches!(pending.job, Job::Show(_))));
}

#[test]
fn a_steps_own_local_work_size_comes_and_goes_with_it() {
    let (mut state, _) = begun();
    let filter = kernels::filters::by_name("epsilon").expect("a filter");
    let ladder = &filter.ladders()[0];
    let own = ladder.steps.iter().position(|step| step.local.is_some()).expect("a step with its own size");
    let free = ladder.steps.iter().rposition(|step| step.local.is_none()).expect("a step without");
    let chosen = LocalSize::Explicit([4, 4]);
    let _ = state.apply(Action::SetFilter(filter));
    let _ = state.apply(Action::SetLocal(chosen));
    let _ = state.apply(Action::SetStep(ladder.name, free));
    assert_eq!(state.choice().local, chosen, "a step without its own size keeps what was chosen");
    let _ = state.apply(Action::SetStep(ladder.name, own));
    assert_eq!(Some(state.choice().local), ladder.steps[own].local.map(LocalSize::Explicit));
    assert!(state.step().is_some());
    let _ = state.apply(Action::SetLocal(chosen));
    assert!(state.step().is_none(), "another size is not the step's any more");
    let _ = state.apply(Action::SetStep(ladder.name, own));
    let _ = state.apply(Action::SetStep(ladder.name, free));
    assert_eq!(state.choice().local, LocalSize::Driver, "the step took its size along");
}

/// What the CPU takes depends on the filter and its parameters: it is measured again after either changed.
#[test]
fn the_cpu_is_measured_again_after_a_change_of_filter_or_parameter() {
    let (mut state, first) = begun();
    let finish = |state: &mut State, show: &Show| {
        let _ = news(state, rendered(show));
        news(state, Update::Finished { id: show.id, result: Ok(()) })
    };
    assert!(matches!(finish(&mut state, &first).as_slice(), [Effect::Bench(_)]));
    let again = only_show(state.apply(Action::SetPlace(Place::Cpu(CpuEngine::Scalar))));
    assert!(finish(&mut state, &again).is_empty(), "once is enough");
    let boxed = only_show(state.apply(Action::SetFilter(model::FilterId::Box.filter())));
    assert!(matches!(finish(&mut state, &boxed).as_slice(), [Effect::Bench(_)]), "another filter");
    let _ = state.apply(Action::SetParameter("radius", 16.0));
    let wide = only_show(state.apply(Action::Render));
    let effects = finish(&mut state, &wide);
    let [Effect::Bench(_)] = effects.as_slice() else { panic!("another radius: {effects:?}") };
}

#[test]
fn a_reading_that_is_brought_back_brings_its_parameters() {
    let (mut state, _) = begun();
    let filter = model::FilterId::Box.filter();
    let _ = state.apply(Action::SetFilter(filter));
    let _ = state.apply(Action::SetParameter("radius", 16.0));
    let task = state.task().expect("a picture");
    let record = model::Record { spec: task.spec.clone(), ..crate::testing::records::on_cpu(CpuEngine::Simd, 1e6) };
    let _ = news(&mut state, Update::Found(1, Finding::Record(task.clone(), Box::new(record))));
    let _ = state.apply(Action::SetParameter("radius", 2.0));
    let row = state.history.rows()[0].id;
    let _ = state.apply(Action::BringBack(row));
    assert_eq!(state.choice().spec, task.spec);
}

/// A session on a device, with its first show.
fn begun_on_device() -> (State, Show) {
    let mut state = State::new(Settings::default());
    let _ = news(&mut state, Update::Devices(Ok(vec![DeviceInfo::example()])));
    let effects = open(&mut state, "small", [4, 4]);
    (state, only_show(effects))
}

/// Takes a reading of `task` in, as the worker would bring it.
fn measured(state: &mut State, task: &Task, kernel_ns: f64, busy: bool) -> Vec<Effect> {
    let record = match task.target {
        Target::Cpu(engine) => on_cpu(engine, kernel_ns),
        Target::Device { variant, .. } => crate::testing::records::on_device(&variant.to_string(), kernel_ns),
    };
    let record = Record { spec: task.spec.clone(), ..changed(record, |measured| measured.busy = busy) };
    news(state, Update::Found(0, Finding::Record(task.clone(), Box::new(record))))
}

#[test]
fn a_switch_is_told_by_how_much_it_is_faster_or_slower() {
    let (mut state, first) = begun_on_device();
    let _ = measured(&mut state, &first.task, 1e6, false);
    assert_eq!(state.effect(), None, "no stage changed");
    let second = only_show(state.apply(Action::SetStage(StageId::Coalesced, 1)));
    assert_eq!(state.effect(), None, "not measured yet");
    let _ = measured(&mut state, &second.task, 2e6, false);
    let effect = state.effect().expect("both are measured");
    assert_eq!((effect.ratio, effect.verdict), (0.5, Verdict::Slower));
    let _ = measured(&mut state, &second.task, 2e6, true);
    assert_eq!(state.effect().map(|effect| effect.verdict), Some(Verdict::Unclear), "it may have taken half of that on a quiet machine");
    let _ = measured(&mut state, &second.task, 5e6, true);
    assert_eq!(state.effect().map(|effect| effect.verdict), Some(Verdict::Slower), "what is far outside is told");
    let _ = state.apply(Action::SetPlace(Place::Cpu(CpuEngine::Simd)));
    let _ = state.apply(Action::SetPlace(Place::Device(0)));
    assert_eq!(state.effect(), None, "another processor is no stage");
    let _ = state.apply(Action::SetFilter(model::FilterId::Box.filter()));
    assert_eq!(state.effect(), None, "another filter");
}

#[test]
fn roofs_of_a_busy_machine_are_measured_again_once_it_is_quiet() {
    let (mut state, first) = begun_on_device();
    let roofs = crate::testing::records::roofs();
    let mut busy = model::Roofs { machine: DeviceInfo::example().machine(), ..roofs };
    busy.found.values_mut().for_each(|roof| roof.busy = true);
    let _ = news(&mut state, Update::Roofs(Arc::new(busy)));
    let _ = measured(&mut state, &first.task, 1e6, true);
    state.give_up_retaking();
    assert!(news(&mut state, Update::Finished { id: first.id, result: Ok(()) }).iter().all(|effect| !matches!(effect, Effect::RetakeSoon)));
    let _ = measured(&mut state, &first.task, 1e6, false);
    while let Some(id) = state.pending.first().map(|pending| pending.id) {
        let _ = news(&mut state, Update::Finished { id, result: Ok(()) });
    }
    let effects = state.retake();
    let [Effect::Bench(bench)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(bench.study.total(), 1);
    let _ = news(&mut state, Update::Finished { id: bench.id, result: Ok(()) });
    assert!(state.retake().is_empty(), "once");
}

#[test]
fn what_was_cancelled_is_measured_when_it_is_chosen_again() {
    let (mut state, first) = begun_on_device();
    let choose = || Action::SetVariant(Variant::naive());
    assert!(state.apply(choose()).is_empty(), "it is being measured");
    let _ = news(&mut state, rendered(&first));
    let _ = news(&mut state, Update::Finished { id: first.id, result: Err(Error::cancelled()) });
    let again = only_show(state.apply(choose()));
    assert_eq!(again.task, first.task);
    let _ = measured(&mut state, &again.task, 1e6, false);
    let _ = news(&mut state, Update::Finished { id: again.id, result: Ok(()) });
    assert!(state.apply(choose()).is_empty(), "it is measured");
}

#[test]
fn a_cpu_bar_that_is_brought_back_is_not_the_next_starts_choice_and_there_is_a_way_back() {
    let (mut state, first) = begun_on_device();
    let on_cpu = Task { target: Target::Cpu(CpuEngine::Simd), ..first.task };
    let _ = measured(&mut state, &on_cpu, 1e6, false);
    let _ = only_show(state.apply(Action::BringBack(1)));
    assert_eq!((state.place, state.settings.cpu), (Place::Cpu(CpuEngine::Simd), None));
    assert_eq!(state.why_not(Command::BackToDevice), None);
    let _ = only_show(state.apply(Action::Run(Command::BackToDevice)));
    assert_eq!(state.place, Place::Device(0));
    let _ = state.apply(Action::SetPlace(Place::Cpu(CpuEngine::Threads)));
    assert_eq!(state.settings.cpu, Some(CpuEngine::Threads), "chosen among the devices");
}

/// Finishes a bench whose one row is of `task`.
fn finish_bench(state: &mut State, effects: &[Effect], task: &Task, busy: bool) -> Vec<Effect> {
    let [Effect::Bench(bench)] = effects else { panic!("a bench: {effects:?}") };
    let _ = measured(state, task, 1e6, busy);
    news(state, Update::Finished { id: bench.id, result: Ok(()) })
}

#[test]
fn a_disturbed_reading_is_taken_again_twice_at_most_and_only_at_rest() {
    let (mut state, first) = begun_on_device();
    let _ = news(&mut state, rendered(&first));
    let _ = measured(&mut state, &first.task, 1e6, true);
    assert!(state.apply(Action::Retake).is_empty(), "something is pending");
    let cpu = news(&mut state, Update::Finished { id: first.id, result: Ok(()) });
    // The CPU competitors come first; one of them stays undisturbed.
    let on_cpu = Task { target: Target::Cpu(CpuEngine::Simd), ..first.task.clone() };
    let mut effects = finish_bench(&mut state, &cpu, &on_cpu, false);
    for _ in 0..2 {
        assert!(matches!(effects.as_slice(), [Effect::RetakeSoon]), "{effects:?}");
        let bench = state.apply(Action::Retake);
        let [Effect::Bench(asked)] = bench.as_slice() else { panic!("a bench: {bench:?}") };
        assert_eq!(asked.study.total(), 1, "the disturbed one alone");
        effects = finish_bench(&mut state, &bench, &first.task, true);
    }
    assert!(effects.is_empty() && state.apply(Action::Retake).is_empty(), "a machine that is never quiet");
}

#[test]
fn a_reading_that_came_out_well_is_not_taken_again_and_a_cancel_is_not_undone() {
    let (mut state, first) = begun_on_device();
    let _ = measured(&mut state, &first.task, 1e6, true);
    let _ = news(&mut state, Update::Finished { id: first.id, result: Ok(()) });
    let _ = state.apply(Action::Run(Command::Cancel));
    state.pending.clear();
    assert!(state.apply(Action::Retake).is_empty(), "cancelled");
    let other = Task {
        target: Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Explicit([8, 8]), host_memory: HostMemory::Copy },
        ..first.task
    };
    let _ = measured(&mut state, &other, 1e6, true);
    let _ = measured(&mut state, &other, 1e6, false);
    assert!(state.apply(Action::Retake).is_empty(), "measured well since");
    assert!(state.history.rows().iter().all(|row| matches!(row.record.outcome, Outcome::Measured(_))));
}

#[test]
fn exports_are_named_by_what_was_computed() {
    let (mut state, _) = begun_on_device();
    state.settings.export_folder = "out".into();
    let _ = state.apply(Action::SetFilter(model::FilterId::Box.filter()));
    let _ = state.apply(Action::SetParameter("radius", 16.0));
    let _ = state.apply(Action::SetChannels(Channels::Gray));
    let show = only_show(state.apply(Action::SetBorder(model::BorderMode::Reflect101)));
    let _ = news(&mut state, rendered(&show));
    let effects = state.apply(Action::Run(Command::Export(crate::app::action::Export::Filtered)));
    let [Effect::Files(crate::app::state::FileJob::Save { path, is_confirmed: false, .. })] = effects.as_slice() else {
        panic!("a file: {effects:?}")
    };
    assert_eq!(path.to_string_lossy(), "out/small-box-radius-16-gray-reflect101.png");
}

/// The device of [`begun_on_device`], as its records name it.
fn machine() -> model::Machine {
    let device = DeviceInfo::example();
    model::Machine { driver: device.driver(), device: device.name, program_version: "0".into(), alias: None }
}

#[test]
fn readings_are_held_to_the_roofs_of_their_device_also_those_that_came_before_them() {
    let (mut state, first) = begun_on_device();
    let _ = measured(&mut state, &first.task, 150_000.0, false);
    let record = Record { machine: machine(), ..state.history.rows()[0].record.clone() };
    assert_eq!(state.shares(&record), None, "nothing is known");
    let roofs = model::Roofs { machine: machine(), ..crate::testing::records::roofs() };
    let _ = news(&mut state, Update::Roofs(Arc::new(roofs.clone())));
    // 12 MB in 150 microseconds are 80 of 100 GB/s.
    let shares = state.shares(&record).expect("known");
    assert!((shares.memory - 0.8).abs() < 1e-9, "{shares:?}");
    assert!(state.device_roofs(&DeviceInfo::example()).is_some());
    let other = Record { machine: model::Machine { driver: "newer".into(), ..machine() }, ..record.clone() };
    assert_eq!(state.shares(&other), None, "another driver");
    assert_eq!(state.shares(&on_cpu(CpuEngine::Simd, 1e6)), None);
    // Roofs of a busy machine take no place of a quiet one's.
    let mut busy = roofs.clone();
    busy.found.values_mut().for_each(|roof| roof.busy = true);
    let _ = news(&mut state, Update::Roofs(Arc::new(busy.clone())));
    assert!(state.roofs.len() == 1 && !state.roofs[0].is_busy());
    let _ = news(&mut state, Update::Devices(Ok(vec![DeviceInfo::example()])));
    assert!(state.roofs.is_empty(), "another device may have the place now");
    // Where there are no others they count, everywhere.
    let _ = news(&mut state, Update::Roofs(Arc::new(busy)));
    assert!(state.shares(&record).is_some() && state.device_roofs(&DeviceInfo::example()).is_some_and(|roofs| roofs.is_busy()));
    let _ = news(&mut state, Update::Roofs(Arc::new(roofs)));
    assert!(state.roofs.len() == 1 && !state.roofs[0].is_busy(), "a quiet machine's take their place");
}

#[test]
fn a_study_is_asked_once_at_a_time_and_ends_with_its_request() {
    use crate::app::panes::Pane;
    use crate::app::studies::Stand;
    use study::{ABLATION, BOTTLENECK};
    let (mut state, first) = begun_on_device();
    let _ = news(&mut state, rendered(&first));
    let command = Command::Study(BOTTLENECK);
    let effects = state.apply(Action::Run(command));
    let [Effect::Bench(bench)] = effects.as_slice() else { panic!("a bench: {effects:?}") };
    assert_eq!(state.front.map(|(_, pane)| pane), Some(Pane::Study(BOTTLENECK)));
    assert!(state.apply(Action::Run(command)).is_empty() && state.why_not(command).is_some(), "it runs");
    assert!(state.why_not(Command::Study(ABLATION)).is_some(), "naive has no stages");
    let stand = |state: &State| state.studied(BOTTLENECK).expect("asked").stand;
    let _ = news(&mut state, Update::Finished { id: bench.id, result: Err(Error::cancelled()) });
    assert_eq!((stand(&state), state.why_not(command)), (Stand::Cut, None));
    let effects = state.apply(Action::Run(command));
    let [Effect::Bench(again)] = effects.as_slice() else { panic!("a bench: {effects:?}") };
    let _ = news(&mut state, Update::Restarted(Error::failed("The engine stopped working", "it panicked", "")));
    assert_eq!(stand(&state), Stand::Cut, "the worker has forgotten it");
    let _ = news(&mut state, Update::Finished { id: again.id, result: Ok(()) });
    assert_eq!(stand(&state), Stand::Cut);
}

#[test]
fn what_is_compared_with_added_work_is_no_comparison_of_variants() {
    use engine::KernelText;
    use model::{Added, AddedKind};
    let (mut state, first) = begun_on_device();
    let added = Task { text: KernelText::Added(Added { kind: AddedKind::Bytes, per_pixel: 1, one_by_one: false }), ..first.task.clone() };
    let pairs = vec![model::measure::Pair { first_ns: 1, second_ns: 2, first_place: 0, second_place: 0, start: 0 }; 8];
    let comparison = model::measure::compare(&pairs, model::measure::Places::Shared);
    let compared = engine::Compared { comparison, pairs, places: model::measure::Places::Shared, busy: false, code: None };
    let _ = news(&mut state, Update::Found(9, Finding::Compared(Box::new((first.task, added)), Ok(compared))));
    assert!(state.compared.is_empty());
}

#[test]
fn naming_and_removing_in_one_window_costs_nothing_of_another_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("history.jsonl");
    let run = |effects: Vec<Effect>| {
        for effect in effects {
            let Effect::Files(FileJob::History(job)) = effect else { panic!("{effect:?}") };
            job.run(&path).expect("done");
        }
    };
    let names = || {
        let read = read_lines::<Record>(&path).expect("read");
        read.lines.into_iter().map(|record| record.name.unwrap_or_default()).collect::<Vec<_>>()
    };
    for time in 1..=4 {
        HistoryJob::Append(Box::new(on_cpu(CpuEngine::Simd, f64::from(time) * 1e6 / 3.0))).run(&path).expect("kept");
    }
    let mut windows = [(); 2].map(|()| {
        let mut state = begun().0;
        run(state.apply(Action::HistoryRead(read_lines(&path).expect("read"))));
        state
    });
    // The second window measures, of which the first one knows nothing.
    for time in 5..=8 {
        HistoryJob::Append(Box::new(on_cpu(CpuEngine::Simd, f64::from(time) * 1e6 / 3.0))).run(&path).expect("kept");
    }
    let [first, second] = &mut windows;
    run(first.apply(Action::NameRow(2, "mine".to_owned())));
    assert_eq!(names(), ["", "mine", "", "", "", "", "", ""]);
    run(second.apply(Action::NameRow(3, "theirs".to_owned())));
    assert_eq!(names(), ["", "mine", "theirs", "", "", "", "", ""]);
    // By its name in the other window, or none, it is the same reading.
    run(second.apply(Action::RemoveRow(2)));
    assert_eq!(names(), ["", "theirs", "", "", "", "", ""]);
    run(first.apply(Action::Run(Command::ClearHistory)));
    assert_eq!(names(), ["", "", "", ""], "those of the other window, which this one never showed");
}
