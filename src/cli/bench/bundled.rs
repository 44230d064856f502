//! What was measured, as a bundle.

use super::claims_data;
use super::planning::{Place, Plan};
use super::report::{Entry, Group};
use base::error::Result;
use std::path::Path;
use study::bundle::{self, Aliases, BenchRun, Bundle, DeviceRun, PictureOrigin, Reading, Recipe, Tested};

/// A bundle that grows with each picture size, and is written anew then: what was measured is there, also where the next size is interrupted.
pub struct Bundling<'a> {
    path: Option<&'a Path>,
    /// It is wanted at the end, also where it is not written.
    is_wanted: bool,
    bundle: Bundle,
    aliases: Aliases,
}

impl<'a> Bundling<'a> {
    /// Nothing yet; nowhere where there is no path.
    ///
    /// # Errors
    /// The file cannot be written, which is better known before anything is measured.
    pub fn new(path: Option<&'a Path>, is_wanted: bool, aliases: Aliases) -> Result<Self> {
        let bundle = Bundle::default();
        path.map_or(Ok(()), |path| bundle::write(path, &bundle))?;
        Ok(Self { path, is_wanted, bundle, aliases })
    }

    /// Adds all devices' rows of one picture size.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, plan: &Plan, compares_rows: bool, groups: &[Group]) -> Result<()> {
        if self.path.is_none() && !self.is_wanted {
            return Ok(());
        }
        self.bundle.add(run(plan, compares_rows, groups), &self.aliases);
        self.path.map_or(Ok(()), |path| bundle::write(path, &self.bundle))
    }

    /// All that was added.
    pub fn into_bundle(self) -> Bundle {
        self.bundle
    }
}

/// The groups are of one picture size, and have the same CPU competitors.
fn run(plan: &Plan, compares_rows: bool, groups: &[Group]) -> BenchRun {
    let ladder = plan.rows.iter().find_map(|row| row.place).map(|place| place.ladder.name.to_owned());
    let picture = PictureOrigin::of(plan.picture.as_ref().map(|(_, picture)| picture));
    BenchRun {
        recipe: Recipe { ladder, picture, budget: plan.budget, compares_rows },
        cpu: groups.first().into_iter().flat_map(|group| &group.cpu).map(|entry| entry.reading.clone()).collect(),
        devices: groups.iter().map(on_device).collect(),
    }
}

/// Whether the comparison with the row above is among the steps that were compared: a guide claims nothing of them.
fn is_step_compared(entry: &Entry) -> bool {
    entry.place.and_then(Place::step).is_some_and(|step| step.claim.is_none())
}

fn on_device(group: &Group) -> DeviceRun {
    let reading = |entry: &Entry| Reading {
        record: entry.reading.clone(),
        step: entry.place.and_then(Place::step).map(|step| step.key.clone()),
        kernel: None,
        above: entry.compared.as_ref().filter(|_| !is_step_compared(entry)).and_then(|compared| compared.as_ref().ok()).cloned(),
    };
    let tested = claims_data::steps(group).map(|(step, compared)| Tested { step, pairs: compared.pairs.clone(), places: compared.places });
    DeviceRun {
        machine: None,
        device: group.device.clone(),
        readings: group.entries.iter().map(reading).collect(),
        tested: tested.collect(),
    }
}
