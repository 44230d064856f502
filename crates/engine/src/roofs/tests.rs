//! Probes on a real driver: right outputs, and wrong ones that are found.

use super::arithmetic::{Arithmetic, Chains};
use super::latency::Waiting;
use super::levels::Blocks;
use super::memory::{Copy, Field, Read, Write, word};
use super::probe::{Choice, Probe, WORD_BYTES};
use super::trial::{Subject, Trials};
use crate::device::{CacheSettings, Devices, Session};
use base::error::Result;
use model::measure::{Computes, CpuGate};
use model::{LocalSize, OperationClass};
use std::cell::RefCell;
use std::collections::BTreeSet;

const BYTES: usize = 1 << 18;

fn session() -> Session {
    let devices = Devices::discover().unwrap_or_else(|none| panic!("these tests need an OpenCL device, and there is none: {none:?}"));
    Session::open(&devices, 0, &CacheSettings::off()).expect("the first device opens")
}

fn choices() -> impl Iterator<Item = Choice> {
    let locals = [LocalSize::Driver, LocalSize::Explicit([64, 1])];
    [1, 2, 4, 8, 16].into_iter().flat_map(move |lanes| {
        let of = move |(local, is_consecutive)| Choice { lanes, local, is_consecutive };
        locals.into_iter().zip([false, true]).map(of)
    })
}

fn verify<'a>(subject: &impl Subject<'a>, choice: Choice, size: usize) {
    let probe = subject.probe(choice, size).expect("builds");
    subject.verify(&probe).unwrap_or_else(|error| panic!("{choice:?}: {error}"));
}

#[test]
fn every_probe_gives_what_the_host_computes() {
    let session = session();
    let field = Field::of(&session, 4 * BYTES).expect("small");
    for choice in choices() {
        verify(&Copy { session: &session, field: &field, wraps: false }, choice, BYTES);
        verify(&Copy { session: &session, field: &field, wraps: true }, choice, BYTES);
        verify(&Read { session: &session, field: &field }, choice, BYTES);
        verify(&Blocks { session: &session, field: &field }, choice, 1 << 14);
        verify(&Write { session: &session, field: &field }, choice, BYTES);
        for chains in chains(&session) {
            let arithmetic = Arithmetic::new(&session, &field, chains).expect("uploaded");
            verify(&&arithmetic, choice, 128);
        }
    }
}

/// Those that the device can do.
fn chains(session: &Session) -> impl Iterator<Item = Chains> {
    let has_half = session.info().has_fp16;
    let classes = OperationClass::ALL.into_iter().filter(move |class| has_half || !class.is_half());
    classes.map(Chains::Class).chain([true, false].map(|is_uniform| Chains::Constant { is_uniform }))
}

/// Copies that note what they are asked for.
struct Noting<'a> {
    copy: Copy<'a>,
    asked: RefCell<Vec<(Choice, usize)>>,
}

impl<'a> Subject<'a> for Noting<'a> {
    fn probe(&self, choice: Choice, size: usize) -> Result<Probe<'a>> {
        self.asked.borrow_mut().push((choice, size));
        self.copy.probe(choice, size)
    }

    fn verify(&self, probe: &Probe<'a>) -> Result<()> {
        self.copy.verify(probe)
    }
}

#[test]
fn each_size_of_copies_has_the_choice_that_is_best_for_it() {
    let session = session();
    let field = Field::of(&session, BYTES).expect("small");
    let copy = Copy { session: &session, field: &field, wraps: false };
    let noting = Noting { copy, asked: RefCell::default() };
    let mut trials = Trials { gate: &mut CpuGate::of(Computes::OnHost), progress: &(), doubt: None };
    let large = trials.best_at(&noting, BYTES).expect("copies");
    noting.asked.take();
    let copies = trials.over_sizes(&noting, &large, BYTES).expect("copies");
    assert_eq!(copies.iter().map(|copy| copy.setup.bytes).collect::<Vec<_>>(), [BYTES, 2 * BYTES]);
    let widths: BTreeSet<usize> =
        noting.asked.take().iter().filter(|(_, size)| *size == BYTES / 2).map(|(choice, _)| choice.lanes).collect();
    assert_eq!(widths.into_iter().collect::<Vec<_>>(), [1, 2, 4, 8, 16]);
    assert_eq!(copies.last(), Some(&large), "both tables tell of the same copy");
}

#[test]
fn work_that_was_left_out_is_noticed() {
    let session = session();
    let field = Field::of(&session, BYTES).expect("small");
    let choice = Choice { lanes: 4, local: LocalSize::Driver, is_consecutive: false };
    // A quarter of the copy, and chains that are shorter than they should be.
    let part = Copy { session: &session, field: &field, wraps: false }.probe(choice, BYTES / 4).expect("builds");
    let error = part.verify(&field.destination, BYTES / WORD_BYTES, word).expect_err("three quarters are missing");
    assert!(error.why.starts_with(&format!("value {} is ", BYTES / 4 / WORD_BYTES)), "{error}");
    for chains in chains(&session) {
        let arithmetic = Arithmetic::new(&session, &field, chains).expect("uploaded");
        let mut probe = arithmetic.of_steps(choice, 64, 63).expect("builds");
        assert!((&&arithmetic).verify(&probe).is_err(), "{chains:?}");
        arithmetic.resize(&mut probe, 64, 64);
        assert!((&&arithmetic).verify(&probe).is_ok(), "{chains:?}");
    }
}

#[test]
fn waits_are_of_each_order_from_few_bytes_to_many() {
    let session = session();
    let field = Field::of(&session, BYTES).expect("small");
    let mut trials = Trials { gate: &mut CpuGate::of(Computes::OnHost), progress: &(), doubt: None };
    let waits = Waiting::new(&session, &field).and_then(|waiting| waiting.curves(&mut trials)).expect("verified");
    // 4 KiB to 256 KiB.
    assert_eq!(waits.len(), 4 * 7);
    assert!(waits.iter().all(|wait| wait.load_ns()[0] > 0.0));
    assert!(waits.is_sorted_by_key(|wait| (wait.stride_bytes, wait.roof.setup.bytes)));
}
