//! Made-up bundles.

use super::records::{changed, on_cpu, on_device};
use crate::bundle::{Aliases, BenchRun, Bundle, DeviceRun, PictureOrigin, Reading, Recipe, Tested};
use crate::device::DeviceInfo;
use crate::engine::Compared;
use crate::filters::{self, Ladder};
use crate::measure::{Pair, Places, compare};
use crate::model::{Budget, CpuEngine, Record};
use crate::study::elsewhere::StepThere;
use crate::why::{self, Facts};

/// A small generated picture, which a page can make again.
const SIDE_PX: usize = 96;

/// The ladder that all of them climb.
pub fn ladder() -> &'static Ladder {
    filters::by_name("laplace").expect("laplace").ladder("mali-t600").expect("its ladder")
}

/// A device of that name.
pub fn device(name: &str) -> DeviceInfo {
    DeviceInfo { name: name.to_owned(), ..DeviceInfo::example() }
}

/// `record` on that device, of the generated picture.
fn of(record: Record, device: Option<&DeviceInfo>) -> Record {
    let picture = PictureOrigin::Generated.picture((SIDE_PX, SIDE_PX), record.spec.channels).expect("generated");
    let mut record = changed(record, |measured| measured.verification.total_pixels = SIDE_PX * SIDE_PX);
    record.picture = crate::engine::PictureRef::new(std::sync::Arc::new(picture)).facts();
    if let Some(device) = device {
        (record.machine.device, record.machine.driver) = (device.name.clone(), device.driver());
    }
    record
}

/// So many pairs of these times.
pub fn compared(first_ns: u64, second_ns: u64) -> Compared {
    let pairs: Vec<Pair> =
        (0..20).map(|index| Pair { first_ns: first_ns + index % 3, second_ns, first_place: 0, second_place: 0, start: 0 }).collect();
    Compared { comparison: compare(&pairs, Places::Shared), pairs, places: Places::Shared, busy: false, code: None }
}

/// The first two steps of the ladder on a device of that name, of these times; the second one was compared with the first.
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
    let tested = vec![Tested { step, pairs: compared.pairs, places: compared.places }];
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

/// One such run.
pub fn bundle(name: &str, times_ms: [u64; 2]) -> Bundle {
    let mut bundle = Bundle::default();
    bundle.add(run(name, times_ms), &Aliases::default());
    bundle
}
