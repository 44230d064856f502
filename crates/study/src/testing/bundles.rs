//! Made-up bundles.

use super::records::{changed, on_cpu, on_device};
use crate::bundle::{self, Aliases, BenchRun, Bundle, DeviceRun, PictureOrigin, Reading, Recipe};
use crate::claims::elsewhere::StepThere;
use crate::experiment::{Conclusion, PutToTest, Share, Tested, TestedArm};
use crate::why::{self, Facts};
use engine::Compared;
use engine::device::DeviceInfo;
use kernels::filters::{self, Ladder};
use model::measure::{Comparison, Pair, Places, Verdict, compare};
use model::{Budget, CpuEngine, Record};
use std::collections::BTreeMap;

/// A small generated picture, which a page can make again.
const SIDE_PX: usize = 96;

/// The ladder that all of them climb.
#[must_use]
pub fn ladder() -> &'static Ladder {
    filters::by_name("laplace").expect("laplace").ladder("mali-t600").expect("its ladder")
}

/// A device of that name.
#[must_use]
pub fn device(name: &str) -> DeviceInfo {
    DeviceInfo { name: name.to_owned(), ..DeviceInfo::example() }
}

/// `record` on that device, of the generated picture.
fn of(record: Record, device: Option<&DeviceInfo>) -> Record {
    let picture = PictureOrigin::Generated.picture((SIDE_PX, SIDE_PX), record.spec.channels).expect("generated");
    let mut record = changed(record, |measured| measured.verification.total_pixels = SIDE_PX * SIDE_PX);
    record.picture = engine::PictureRef::new(std::sync::Arc::new(picture)).facts();
    if let Some(device) = device {
        (record.machine.device, record.machine.driver) = (device.name.clone(), device.driver());
    }
    record
}

/// So many pairs of these times.
#[must_use]
pub fn compared(first_ns: u64, second_ns: u64) -> Compared {
    let pairs: Vec<Pair> =
        (0..20).map(|index| Pair { first_ns: first_ns + index % 3, second_ns, first_place: 0, second_place: 0, start: 0 }).collect();
    Compared { comparison: compare(&pairs, Places::Shared), pairs, places: Places::Shared, busy: false, code: None }
}

/// The first two steps of the ladder on a device of that name, of these times; the second one was compared with the first.
#[must_use]
pub fn run(name: &str, [first_ms, second_ms]: [u64; 2]) -> BenchRun {
    let (ladder, device) = (ladder(), device(name));
    let reading = |step: usize, ms: u64| Reading {
        record: of(on_device(&ladder.steps[step].variant().to_string(), ms as f64 * 1e6), Some(&device)),
        step: Some(ladder.steps[step].key.clone()),
        kernel: None,
        above: None,
    };
    let compared = compared(first_ms * 1_000_000, second_ms * 1_000_000);
    let mut facts = Facts::default();
    facts.set("interval_width", 0.1);
    facts.set("before.loads", 27.0);
    facts.set("after.loads", 1.8);
    let reasons = why::explain(compared.comparison.verdict.into(), &facts);
    let keys = [ladder.name, &ladder.steps[1].key, &ladder.steps[0].key];
    let step = StepThere::of(keys, ladder.steps[1].variant(), [SIDE_PX, SIDE_PX], &compared, &reasons);
    let tested = vec![bundle::Tested { step, pairs: compared.pairs, places: compared.places }];
    BenchRun {
        recipe: Recipe {
            ladder: Some(ladder.name.to_owned()),
            picture: PictureOrigin::Generated,
            budget: Budget::default(),
            compares_rows: false,
        },
        cpu: vec![of(on_cpu(CpuEngine::Scalar, 100e6), None)],
        devices: vec![DeviceRun { machine: None, readings: vec![reading(0, first_ms), reading(1, second_ms)], device, tested }],
    }
}

/// What an experiment with one comparison said of how two compare.
#[must_use]
pub fn tested(experiment: &str, effect: Comparison, conclusion: Conclusion) -> Tested {
    let arm = TestedArm {
        name: "loads-again".to_owned(),
        comparison: Some(Comparison { ratio: 0.9, low: 0.875, high: 0.925, verdict: Verdict::Slower, starts: 1 }),
        busy: false,
        share: Some(Share { share: 0.25, low: 0.125, high: 0.375 }),
        failed: None,
        is_of_time: false,
        says: Some(conclusion),
        other: BTreeMap::new(),
    };
    Tested { experiment: experiment.to_owned(), effect, arms: vec![arm], conclusion, other: BTreeMap::new() }
}

/// Two reasons why the second of two is faster: an experiment refuted the first, and another one confirmed the second.
#[must_use]
pub fn put_to_test(effect: Comparison) -> Vec<PutToTest> {
    let mut facts = Facts::default();
    for (name, value) in [("before.loads", 27.0), ("after.loads", 1.8), ("before.operations", 40.0), ("after.operations", 20.0)] {
        facts.set(name, value);
    }
    let tests = [("saved-loads", Conclusion::Refuted), ("saved-operations", Conclusion::Confirmed)];
    let reasons = why::candidates(why::Seen::Faster, &facts).into_iter().zip(tests);
    reasons.map(|(reason, (id, conclusion))| PutToTest { reason, tested: Ok(tested(id, effect, conclusion)) }).collect()
}

/// The same run, whose step was put to the test.
#[must_use]
pub fn run_with_experiments(name: &str, times_ms: [u64; 2]) -> BenchRun {
    let mut run = run(name, times_ms);
    for tested in run.devices.iter_mut().flat_map(|device| &mut device.tested) {
        tested.step = tested.step.clone().put_to_test(&put_to_test(tested.step.comparison));
    }
    run
}

/// One such run.
#[must_use]
pub fn bundle(name: &str, times_ms: [u64; 2]) -> Bundle {
    let mut bundle = Bundle::default();
    bundle.add(run(name, times_ms), &Aliases::default());
    bundle
}
