//! The worker with a canned engine: order, newest wins, cancel, panic.

use super::{Backend, Bench, Look, Runner, Show, Update};
use crate::testing::records::{on_cpu, roofs};
use base::error::{Error, Result};
use engine::compiled::Compiled;
use engine::device::NoDevice;
use engine::remote::Wake;
use engine::{Compared, Executed, PictureRef, Reply, Request, Scanned, Target, Task, run_and_check};
use model::measure::{Pair, Places, Progress};
use model::{Budget, Channels, CpuEngine, Outcome, Record, Verification};
use pictures::Picture;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use study::{Finding, Probe, Sequence, Study};

/// Copies the picture; measuring waits for `is_cancelled` when the picture is 2 pixels wide, and panics when it is 3 wide. So does looking at code.
#[derive(Default)]
struct Canned {
    hosts: Vec<String>,
}

impl Backend for Canned {
    fn ask(&mut self, request: Request, progress: &dyn Progress) -> Result<Reply> {
        let width_of = |task: &Task| task.picture.picture.width_px();
        Ok(match request {
            Request::Rescan(hosts) => {
                self.hosts = hosts;
                Reply::Devices(Err(NoDevice::NoLoader), Scanned::default())
            }
            Request::CopyTo(hosts) => {
                let copying = hosts.into_iter().filter(|host| self.hosts.contains(host)).collect();
                Reply::Scanned(Scanned { copying, ..Scanned::default() })
            }
            Request::Execute(task) => Reply::Executed(Box::new(Executed::on_host(task.picture.picture, 0))),
            Request::Verify(task, output) => {
                let total_pixels = output.picture.width_px();
                // A width of seven comes out wrong.
                let differing_pixels = usize::from(total_pixels == 7);
                let verification = Verification {
                    differing_pixels,
                    total_pixels,
                    max_difference: 9,
                    first_differing: None,
                    tolerance: 0,
                    ..Verification::default()
                };
                Reply::Verified(verification, task.picture.picture)
            }
            Request::Prove(task) => run_and_check(self, &task, progress)?,
            Request::Measure(proof, _) => {
                let width_px = width_of(proof.task());
                assert!(width_px != 3, "a width of three is a planted panic");
                if width_px == 2 {
                    while !progress.is_cancelled() {
                        std::thread::yield_now();
                    }
                    return Err(Error::cancelled());
                }
                Reply::Record(Box::new(on_cpu(CpuEngine::Scalar, 1e6)))
            }
            Request::Refused(_, why) => {
                let outcome = Outcome::Failed(why.to_string().into());
                Reply::Record(Box::new(Record { outcome, ..on_cpu(CpuEngine::Scalar, 1e6) }))
            }
            Request::Compare(pair, _) => {
                if progress.is_cancelled() {
                    return Err(Error::cancelled());
                }
                let [first_ns, second_ns] = pair.each_ref().map(|proof| width_of(proof.task()) as u64);
                let pairs = vec![Pair { first_ns, second_ns, first_place: 0, second_place: 0, start: 0 }; 8];
                Reply::Compared(Box::new(Compared::of(pairs, Places::Shared, false, None)))
            }
            // The second device has roofs, the first has none.
            Request::MeasureRoofs(device) => {
                progress.report(3, 10, "Write");
                if device == 0 {
                    return Err(Error::failed("The roofs were not measured", "no room", ""));
                }
                Reply::Roofs(Some(Arc::new(roofs())))
            }
            Request::Compiled(task) | Request::Lines(task) => {
                let width_px = width_of(&task);
                assert!(width_px != 3, "a width of three is a planted panic");
                return Err(Error::failed("There is no compiled code", format!("width {width_px}"), ""));
            }
            request => return request.plain_reply(),
        })
    }
}

fn look(width_px: usize, against: Option<usize>) -> Look {
    Look { task: task(width_px), against: against.map(task), with_lines: true }
}

fn task(width_px: usize) -> Task {
    let picture = Picture::from_fn(width_px, 1, Channels::Gray, |x, _, _| x as u8);
    Task::new(PictureRef::new(Arc::new(picture)), Target::Cpu(CpuEngine::Scalar))
}

fn start() -> (Runner, Receiver<Update>, Arc<AtomicUsize>) {
    let (sender, updates) = channel();
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let make = Box::new(move |_: &Wake| {
        count.fetch_add(1, Ordering::SeqCst);
        Box::new(Canned::default()) as Box<dyn Backend>
    });
    let deliver = Box::new(move |update| {
        // The test may have ended already.
        let _ = sender.send(update);
    });
    (Runner::start(make, Vec::new(), deliver).expect("a thread"), updates, made)
}

/// Waits for the end of `id` and returns how it ended, with the readings of that id.
fn finish(updates: &Receiver<Update>, wanted: u64) -> (Result<()>, usize) {
    let mut readings = 0;
    loop {
        match updates.recv().expect("the worker lives") {
            Update::Finished { id, result } if id == wanted => return (result, readings),
            Update::Found(id, Finding::Record(..)) if id == wanted => readings += 1,
            _ => {}
        }
    }
}

#[test]
fn the_program_is_copied_to_machines_of_the_newest_list_and_that_is_told() {
    let (worker, updates, _) = start();
    worker.rescan(vec!["lab".to_owned()]);
    worker.copy_to(["lab", "gone"].map(str::to_owned).to_vec());
    let told = || match updates.recv().expect("the worker lives") {
        Update::Scanned(scanned) => Some(scanned.copying),
        _ => None,
    };
    let copying = std::iter::repeat_with(told).flatten().find(|copying| !copying.is_empty());
    assert_eq!(copying, Some(vec!["lab".to_owned()]));
}

#[test]
fn a_show_is_rendered_verified_measured_and_finished_in_this_order() {
    let (worker, updates, _) = start();
    worker.show(Show { id: 7, task: task(4), budget: Some(Budget::default()) });
    let names: Vec<_> = updates
        .iter()
        .map(|update| match update {
            Update::Devices(_) | Update::MoreDevices(_) | Update::Carried { .. } => "devices",
            Update::Scanned(_) => "scanned",
            Update::Rendered { id: 7, .. } => "rendered",
            Update::Verified { id: 7, .. } => "verified",
            Update::Found(7, Finding::Record(..)) => "reading",
            Update::Finished { id: 7, .. } => "finished",
            _ => "unexpected",
        })
        .take(6)
        .collect();
    assert_eq!(names, ["devices", "scanned", "rendered", "verified", "reading", "finished"]);
}

#[test]
fn a_newer_show_cuts_the_measuring_of_an_older_one_short() {
    let (worker, updates, _) = start();
    worker.show(Show { id: 1, task: task(2), budget: Some(Budget::default()) });
    // Only once it is being measured: a show that has not begun is dropped without a word.
    while !matches!(updates.recv().expect("the worker lives"), Update::Verified { id: 1, .. }) {}
    worker.show(Show { id: 2, task: task(4), budget: None });
    assert!(finish(&updates, 1).0.expect_err("cut short").is_cancelled());
    assert!(finish(&updates, 2).0.is_ok());
}

/// These rows, then a comparison of pictures twice as wide and as wide as the last one.
fn study(widths: &[usize]) -> Box<dyn Study> {
    let tasks: Vec<Task> = widths.iter().map(|&width| task(width)).collect();
    let last = tasks.last().expect("a row").clone();
    let wide = task(2 * last.picture.picture.width_px());
    let pairs = [Probe::Compare(wide, last.clone()), Probe::Compare(last.clone(), last)];
    Box::new(Sequence::new(tasks.into_iter().map(Probe::Measure).chain(pairs)))
}

#[test]
fn a_wrong_output_is_a_row_with_its_reason_and_is_not_measured() {
    let (worker, updates, _) = start();
    worker.show(Show { id: 1, task: task(7), budget: Some(Budget::default()) });
    let record = updates.iter().find_map(|update| match update {
        Update::Found(_, Finding::Record(_, record)) => Some(record),
        _ => None,
    });
    let outcome = record.expect("a row").outcome;
    assert!(matches!(&outcome, Outcome::Failed(why) if why.english().contains("1 of 7 pixels differ")), "{outcome:?}");
}

#[test]
fn a_bench_gives_every_row_and_cancel_ends_it_between_rows() {
    let (worker, updates, _) = start();
    worker.bench(Bench { id: 1, study: study(&[4, 5, 6]), budget: Budget::default() });
    let (mut readings, mut ratios) = (0, Vec::new());
    let result = loop {
        match updates.recv().expect("the worker lives") {
            Update::Finished { id: 1, result } => break result,
            Update::Found(1, Finding::Record(..)) => readings += 1,
            Update::Found(1, Finding::Compared(_, Ok(compared))) => ratios.push((readings, compared.comparison.ratio)),
            _ => {}
        }
    };
    assert!(result.is_ok());
    assert_eq!(readings, 3);
    assert_eq!(ratios.iter().map(|(readings, ratio)| (*readings, ratio.round())).collect::<Vec<_>>(), [(3, 2.0), (3, 1.0)]);
    worker.bench(Bench { id: 2, study: study(&[4, 2, 4]), budget: Budget::default() });
    while !matches!(updates.recv().expect("the worker lives"), Update::Found(2, Finding::Record(..))) {}
    worker.cancel();
    assert!(finish(&updates, 2).0.expect_err("cancelled").is_cancelled());
}

#[test]
fn roofs_are_told_with_their_own_steps_and_a_failure_ends_the_bench() {
    let (worker, updates, _) = start();
    let bench = |id, device| Bench { id, study: Box::new(Sequence::new([Probe::Roofs(device)])), budget: Budget::default() };
    worker.bench(bench(1, 1));
    let (mut steps, mut found) = (None, None);
    let result = loop {
        match updates.recv().expect("the worker lives") {
            Update::Finished { id: 1, result } => break result,
            Update::Progress { id: 1, done, total, text } => steps = Some((done, total, text)),
            Update::Found(1, Finding::Roofs(roofs)) => found = Some(roofs),
            _ => {}
        }
    };
    assert!(result.is_ok() && found.is_some_and(|found| *found == roofs()));
    assert_eq!(steps, Some((3, 10, "Write".to_owned())));
    worker.bench(bench(2, 0));
    assert_eq!(finish(&updates, 2).0.expect_err("no roofs").why, "no room");
    worker.bench(Bench { id: 3, study: study(&[4]), budget: Budget::default() });
    assert!(finish(&updates, 3).0.is_ok(), "the next bench goes on");
}

#[test]
fn tasks_that_cannot_be_compared_are_told_with_the_reason() {
    let (worker, updates, _) = start();
    // A width of seven comes out wrong, so it is not proven.
    worker.bench(Bench { id: 1, study: Box::new(Sequence::new([Probe::Compare(task(4), task(7))])), budget: Budget::default() });
    let why =
        updates.iter().find_map(|update| if let Update::Found(1, Finding::Compared(_, Err(why))) = update { Some(why) } else { None });
    assert!(why.expect("a reason").to_string().contains("differ"));
}

#[test]
fn a_panic_becomes_a_notice_and_the_worker_goes_on_with_a_new_engine() {
    let (worker, updates, made) = start();
    worker.show(Show { id: 1, task: task(3), budget: Some(Budget::default()) });
    let error = finish(&updates, 1).0.expect_err("panicked");
    assert!(error.why.contains("planted panic"), "{error}");
    worker.show(Show { id: 2, task: task(4), budget: None });
    assert!(finish(&updates, 2).0.is_ok());
    assert_eq!(made.load(Ordering::SeqCst), 2);
}

#[test]
fn the_newest_look_goes_after_shows_and_before_rows() {
    let (worker, updates, _) = start();
    worker.show(Show { id: 1, task: task(2), budget: Some(Budget::default()) });
    while !matches!(updates.recv().expect("the worker lives"), Update::Verified { id: 1, .. }) {}
    // All of these wait for the first show, which the second cuts short.
    worker.bench(Bench { id: 3, study: study(&[4]), budget: Budget::default() });
    worker.look(look(8, None));
    let wanted = look(5, Some(6));
    worker.look(wanted.clone());
    worker.show(Show { id: 2, task: task(4), budget: None });
    let mut order = Vec::new();
    while order.last() != Some(&"row") {
        match updates.recv().expect("the worker lives") {
            Update::Finished { id: 2, .. } => order.push("show"),
            Update::Compiled(looked) => {
                assert_eq!(looked.look, wanted);
                let why = |result: &Result<Arc<Compiled>>| result.as_ref().expect_err("none").why.clone();
                assert_eq!((why(&looked.compiled), looked.against.as_ref().map(why)), ("width 5".into(), Some("width 6".into())));
                order.push("look");
            }
            Update::Found(3, Finding::Record(..)) => order.push("row"),
            _ => {}
        }
    }
    assert_eq!(order, ["show", "look", "row"]);
}

#[test]
fn a_panic_while_looking_is_an_answer() {
    let (worker, updates, made) = start();
    worker.look(look(3, None));
    let looked =
        updates.iter().find_map(|update| if let Update::Compiled(looked) = update { Some(looked) } else { None }).expect("an answer");
    assert!(looked.compiled.as_ref().expect_err("panicked").why.contains("planted panic"));
    worker.show(Show { id: 1, task: task(4), budget: None });
    assert!(finish(&updates, 1).0.is_ok());
    assert_eq!(made.load(Ordering::SeqCst), 2);
}
