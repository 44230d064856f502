//! The worker with a canned engine: order, newest wins, cancel, panic.

use super::{Backend, Bench, Show, Update, Worker};
use crate::cpu::CpuEngine;
use crate::device::{DeviceInfo, NoDevice};
use crate::engine::{Budget, Compared, Executed, PictureRef, Progress, Target, Task, Verified};
use crate::error::{Error, Result};
use crate::image::{Channels, Picture};
use crate::measure::{Contender, Reading, ReadingState, Verification, compare};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};

/// Copies the picture; measuring waits for `is_cancelled` when the picture is 2 pixels wide, and panics when it is 3 wide.
struct Canned;

impl Backend for Canned {
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        Err(NoDevice::NoLoader)
    }

    fn execute(&mut self, task: &Task) -> Result<Executed> {
        Ok(Executed::on_host(Arc::clone(&task.picture.picture), 0))
    }

    fn verify(&mut self, task: &Task, output: &Picture, _progress: &dyn Progress) -> Result<Verified> {
        let verification =
            Verification { differing_pixels: 0, total_pixels: output.width_px(), max_difference: 0, first_differing: None, tolerance: 0 };
        Ok(Verified { verification, reference: Arc::clone(&task.picture.picture) })
    }

    fn measure(&mut self, task: &Task, _budget: Budget, progress: &dyn Progress) -> Result<Reading> {
        assert!(task.picture.picture.width_px() != 3, "a width of three is a planted panic");
        while task.picture.picture.width_px() == 2 {
            if progress.is_cancelled() {
                return Err(Error::cancelled());
            }
            std::thread::yield_now();
        }
        Ok(Reading {
            filter: task.filter.name.to_owned(),
            contender: Contender::Cpu { engine: CpuEngine::Scalar, instructions: String::new() },
            device: String::new(),
            driver: String::new(),
            program_version: String::new(),
            width_px: task.picture.picture.width_px(),
            height_px: 1,
            channels: task.channels,
            border: task.border,
            date: String::new(),
            state: ReadingState::Skipped("canned".to_owned()),
        })
    }

    fn compare(&mut self, first: &Task, second: &Task, _budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        if progress.is_cancelled() {
            return Err(Error::cancelled());
        }
        let ns = |task: &Task| vec![task.picture.picture.width_px() as u64; 8];
        Ok(Compared { comparison: compare(&ns(first), &ns(second)), pairs: 8, busy: false })
    }
}

fn task(width_px: usize) -> Task {
    let picture = Picture::from_fn(width_px, 1, Channels::Gray, |x, _, _| x as u8);
    Task::new(PictureRef::new(Arc::new(picture)), Target::Cpu(CpuEngine::Scalar))
}

fn start() -> (Worker, Receiver<Update>, Arc<AtomicUsize>) {
    let (sender, updates) = channel();
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let make = Box::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
        Box::new(Canned) as Box<dyn Backend>
    });
    let deliver = Box::new(move |update| {
        // The test may have ended already.
        let _ = sender.send(update);
    });
    (Worker::start(make, deliver).expect("a thread"), updates, made)
}

/// Waits for the end of `id` and returns how it ended, with the readings of that id.
fn finish(updates: &Receiver<Update>, wanted: u64) -> (Result<()>, usize) {
    let mut readings = 0;
    loop {
        match updates.recv().expect("the worker lives") {
            Update::Finished { id, result } if id == wanted => return (result, readings),
            Update::Reading { id, .. } if id == wanted => readings += 1,
            _ => {}
        }
    }
}

#[test]
fn a_show_is_rendered_verified_measured_and_finished_in_this_order() {
    let (worker, updates, _) = start();
    worker.show(Show { id: 7, task: task(4), budget: Some(Budget::default()) });
    let names: Vec<_> = updates
        .iter()
        .map(|update| match update {
            Update::Devices(_) => "devices",
            Update::Rendered { id: 7, .. } => "rendered",
            Update::Verified { id: 7, .. } => "verified",
            Update::Reading { id: 7, .. } => "reading",
            Update::Finished { id: 7, .. } => "finished",
            _ => "unexpected",
        })
        .take(5)
        .collect();
    assert_eq!(names, ["devices", "rendered", "verified", "reading", "finished"]);
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

#[test]
fn a_bench_gives_every_row_and_cancel_ends_it_between_rows() {
    let (worker, updates, _) = start();
    let pairs = vec![(task(8), task(4)), (task(4), task(4))];
    worker.bench(Bench { id: 1, tasks: vec![task(4), task(5), task(6)], pairs, budget: Budget::default() });
    let (mut readings, mut ratios) = (0, Vec::new());
    let result = loop {
        match updates.recv().expect("the worker lives") {
            Update::Finished { id: 1, result } => break result,
            Update::Reading { id: 1, .. } => readings += 1,
            Update::Compared { id: 1, compared, .. } => ratios.push((readings, compared.comparison.ratio)),
            _ => {}
        }
    };
    assert!(result.is_ok());
    assert_eq!((readings, ratios), (3, vec![(3, 2.0), (3, 1.0)]), "pairs come after all rows");
    worker.bench(Bench { id: 2, tasks: vec![task(4), task(2), task(4)], pairs: vec![(task(4), task(5))], budget: Budget::default() });
    while !matches!(updates.recv().expect("the worker lives"), Update::Reading { id: 2, .. }) {}
    worker.cancel();
    assert!(finish(&updates, 2).0.expect_err("cancelled").is_cancelled());
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
