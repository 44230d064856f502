//! Probes on a real driver: right outputs, and wrong ones that are found.

use super::arithmetic::{Arithmetic, Kind};
use super::memory::{Copy, Field, Read, Write, word};
use super::probe::{Choice, WORD_BYTES};
use super::trial::Subject;
use crate::device::{CacheSettings, Devices, Session};
use crate::model::LocalSize;

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
        verify(&Write { session: &session, field: &field }, choice, BYTES);
        for kind in [Kind::Integer, Kind::Float, Kind::Half] {
            if kind != Kind::Half || session.info().has_fp16 {
                let arithmetic = Arithmetic::new(&session, &field, kind).expect("uploaded");
                verify(&&arithmetic, choice, 128);
            }
        }
    }
}

#[test]
fn work_that_was_left_out_is_noticed() {
    let session = session();
    let field = Field::of(&session, BYTES).expect("small");
    let choice = Choice { lanes: 4, local: LocalSize::Driver, is_consecutive: false };
    // A quarter of the copy, and chains that are shorter than they should be.
    let part = Copy { session: &session, field: &field, wraps: false }.probe(choice, BYTES / 4).expect("builds");
    let error = part.verify(&field.destination, BYTES / WORD_BYTES, word).expect_err("three quarters are missing");
    assert!(error.why.starts_with(&format!("number {} is ", BYTES / 4 / WORD_BYTES)), "{error}");
    for kind in [Kind::Integer, Kind::Float] {
        let arithmetic = Arithmetic::new(&session, &field, kind).expect("uploaded");
        let short = arithmetic.of_steps(choice, 64, 63).expect("builds");
        assert!((&&arithmetic).verify(&short).is_err(), "{kind:?}");
    }
}
