//! The claims of one device for programs: the other form of the page's tables, see [`elsewhere`](study::claims::elsewhere).

use super::report::{Entry, Group};
use base::error::Result;
use base::files;
use engine::Compared;
use std::path::Path;
use study::claims::elsewhere::{DeviceClaims, StepThere};

/// Writes every step that was compared to `path`; nothing where nothing was measured yet.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, groups: &[Group]) -> Result<()> {
    collect(groups).map_or(Ok(()), |claims| files::write_atomically(path, claims.to_json()?.as_bytes()))
}

/// All groups, which are of one device.
pub fn collect(groups: &[Group]) -> Option<DeviceClaims> {
    let group = groups.first()?;
    let first = group.cpu.iter().chain(&group.entries).map(|entry| &entry.reading).next()?;
    let mut claims = DeviceClaims::new(&group.device, &first.machine.program_version, &first.date);
    for group in groups {
        claims.steps.extend(steps(group).map(|(step, _)| step));
    }
    Some(claims)
}

/// The steps of a group that were compared.
pub fn steps(group: &Group) -> impl Iterator<Item = (StepThere, &Compared)> {
    group.entries.iter().enumerate().filter_map(|(index, entry)| row(entry, group.entries.get(..index)?))
}

/// A step, with the one that its guide names or the one above; `None` where it was not compared.
fn row<'a>(entry: &'a Entry, above: &[Entry]) -> Option<(StepThere, &'a Compared)> {
    let place = entry.place?;
    let step = place.step()?;
    let (against, compared): (_, &Compared) = if let (Some(claim), Some(tested)) = (step.claim, &entry.tested) {
        (place.ladder.steps.get(claim.against)?, tested.as_ref().ok()?)
    } else {
        let above = above.iter().rev().find(|entry| entry.reading.measured().is_some())?;
        (above.place?.step()?, entry.compared.as_ref()?.as_ref().ok()?)
    };
    let picture = &entry.reading.picture;
    let keys = [place.ladder.name, &step.key, &against.key];
    let there = StepThere::of(keys, step.variant(), [picture.width_px, picture.height_px], compared, &entry.why);
    Some((entry.proven.iter().fold(there, |there, tested| there.put_to_test(tested)), compared))
}
