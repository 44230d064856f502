//! What of a bundle belongs together.

use base::texts::{filled, joined, text};
use engine::device::DeviceInfo;
use kernels::filters::{self, Ladder};
use model::{Machine, PictureFacts, Record, Spec};
use std::collections::{HashMap, HashSet};
use study::bundle::{Bundle, PictureOrigin, Reading, is_same_device};

/// Every device of a bundle with a name of its own.
pub struct Devices<'a> {
    named: Vec<(&'a DeviceInfo, String)>,
    is_one_machine: bool,
}

impl<'a> Devices<'a> {
    /// Short names, with the machine where there are several, the driver where several devices have the same one, and a number where that does not tell them
    /// apart either.
    pub fn of(bundle: &'a Bundle) -> Self {
        let distinct = bundle.distinct_devices();
        let is_one_machine = bundle.is_of_one_machine();
        let display_name = |info: &DeviceInfo| {
            let host = info.host.clone().filter(|_| !is_one_machine);
            DeviceInfo { host, ..info.clone() }.display_name()
        };
        let with_driver = |info: &DeviceInfo| joined("words.list.items", [display_name(info), info.driver_version.clone()]);
        let mut counts: HashMap<String, usize> = HashMap::new();
        for name in distinct.iter().flat_map(|info| HashSet::from([display_name(info), with_driver(info)])) {
            *counts.entry(name).or_default() += 1;
        }
        let is_one = |name: &str| counts.get(name) == Some(&1);
        let name = |(index, info): (usize, &&'a DeviceInfo)| {
            let name = if is_one(&display_name(info)) {
                display_name(info)
            } else if is_one(&with_driver(info)) {
                with_driver(info)
            } else {
                format!("{} #{}", with_driver(info), index + 1)
            };
            (*info, name)
        };
        Self { named: distinct.iter().enumerate().map(name).collect(), is_one_machine }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.named.len()
    }

    /// All with their names.
    pub fn all(&self) -> impl Iterator<Item = (&'a DeviceInfo, &str)> {
        self.named.iter().map(|(info, name)| (*info, name.as_str()))
    }

    /// The name of one of them.
    pub fn name<'b>(&'b self, device: &'b DeviceInfo) -> &'b str {
        self.named.iter().find(|(known, _)| is_same_device(known, device)).map_or(device.name.as_str(), |(_, name)| name)
    }
}

/// Readings of the same thing: one filter over one picture, for one ladder or none, on every device that has them.
pub struct Subject<'a> {
    /// The ladder whose steps they are.
    pub ladder: Option<&'static Ladder>,
    /// What was computed.
    pub spec: &'a Spec,
    /// Of which picture.
    pub picture: &'a PictureFacts,
    /// Where that comes from.
    pub origin: &'a PictureOrigin,
    /// Device by device, in the order measured; processors, which need no OpenCL, behind them.
    pub parts: Vec<Part<'a>>,
}

/// The readings of one device or processor.
pub struct Part<'a> {
    /// Which.
    pub place: Place<'a>,
    /// What was measured there.
    pub rows: Vec<Row<'a>>,
}

/// What computed.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// A device.
    Device(&'a DeviceInfo),
    /// A processor without OpenCL.
    Processor(&'a Machine),
}

/// The newest of the readings of one contender.
pub struct Row<'a> {
    /// The reading.
    pub record: &'a Record,
    /// What else is known of it, on a device.
    pub reading: Option<&'a Reading>,
    /// The index of the ladder's step that it is.
    pub step: Option<usize>,
}

impl Place<'_> {
    /// Its name.
    pub fn name(&self, devices: &Devices<'_>) -> String {
        match self {
            Self::Device(info) => devices.name(info).to_owned(),
            Self::Processor(machine) => {
                let name = if devices.is_one_machine { machine.device.clone() } else { machine.label() };
                filled("report.devices.processor", &[("name", &name)])
            }
        }
    }

    /// Whether it is a processor without OpenCL.
    pub fn is_processor(&self) -> bool {
        matches!(self, Self::Processor(_))
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Device(one), Self::Device(other)) => is_same_device(one, other),
            (Self::Processor(one), Self::Processor(other)) => (&one.device, &one.alias) == (&other.device, &other.alias),
            _ => false,
        }
    }
}

impl Subject<'_> {
    /// Ladder, filter and picture.
    pub fn title(&self) -> String {
        let (width, height) = self.picture.size();
        let ladder = self.ladder.map(|ladder| ladder.label().to_owned());
        let parts = [ladder, Some(filters::spec_text(self.spec)), Some(format!("{width} × {height}")), Some(self.picture_words())];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// What the picture is.
    pub fn picture_words(&self) -> String {
        match self.origin {
            PictureOrigin::Generated => text("tables.bench.picture").to_owned(),
            PictureOrigin::Sample(name) => name.clone(),
            PictureOrigin::Own => filled("report.pictures.own", &[("hash", &self.picture.sha256.get(..8).unwrap_or_default())]),
        }
    }
}

/// All subjects, in the order measured.
pub fn subjects(bundle: &Bundle) -> Vec<Subject<'_>> {
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    for run in &bundle.runs {
        let ladder = run.ladder();
        let step_index = |key: &str| ladder?.steps.iter().position(|step| step.key == key);
        let on_devices = run.devices.iter().flat_map(|device| {
            device.readings.iter().map(move |reading| {
                let step = reading.step.as_deref().and_then(step_index);
                (Place::Device(&device.device), Row { record: &reading.record, reading: Some(reading), step })
            })
        });
        let on_cpu = run.cpu.iter().map(|record| (Place::Processor(&record.machine), Row { record, reading: None, step: None }));
        for (place, row) in on_devices.chain(on_cpu) {
            let is_it = |subject: &Subject<'_>| {
                let is_ladder = subject.ladder.map(|ladder| ladder.name) == ladder.map(|ladder| ladder.name);
                is_ladder && *subject.spec == row.record.spec && *subject.picture == row.record.picture
            };
            let index = subjects.iter().position(is_it).unwrap_or_else(|| {
                let (spec, picture) = (&row.record.spec, &row.record.picture);
                subjects.push(Subject { ladder, spec, picture, origin: &run.recipe.picture, parts: Vec::new() });
                subjects.len() - 1
            });
            if let Some(subject) = subjects.get_mut(index) {
                put(subject, place, row);
            }
        }
    }
    for subject in &mut subjects {
        subject.parts.sort_by_key(|part| part.place.is_processor());
    }
    subjects
}

/// Puts a row where it belongs; of several readings of one contender the newest stays.
fn put<'a>(subject: &mut Subject<'a>, place: Place<'a>, row: Row<'a>) {
    let Some(part) = subject.parts.iter_mut().find(|part| part.place.is_same(&place)) else {
        return subject.parts.push(Part { place, rows: vec![row] });
    };
    let is_again = |known: &&mut Row<'a>| known.step == row.step && known.record.is_repetition(row.record);
    match part.rows.iter_mut().find(is_again) {
        Some(known) if known.record.date < row.record.date => *known = row,
        Some(_) => {}
        None => part.rows.push(row),
    }
}
