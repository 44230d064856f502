//! Ladders: `ladders/NAME.toml` in a filter's folder, one each.

use super::DEFINITION;
use super::read::{Reader, is_of, leaked};
use super::rows::{LadderRow, StepRow};
use super::spoken::Spoken;
use crate::filters::{Claim, Ladder, Says, Step};
use base::fault::Fault;
use base::texts::meant;
use model::{BorderMode, Channels, Variant};

impl<'a> Reader<'a> {
    pub fn ladder_files(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let files = self.folder.files.iter().map(|(name, _)| *name);
        files.filter(|name| name.starts_with("ladders/") && is_of(name, "toml"))
    }

    /// The first one, then the guides' others by name, then those that no guide has.
    pub fn ladders(&mut self, channels: &[Channels], borders: &[BorderMode], spoken: &Spoken) -> Vec<Ladder> {
        let mut ladders = Vec::new();
        for file in self.ladder_files() {
            self.turn_to(file);
            let Some(row) = self.parsed::<LadderRow>() else { continue };
            let stem = ladder_stem(file);
            // A person's ladders have names that no other filter's have.
            let is_whole = self.is_built_in() || stem == self.folder.name;
            let name = leaked(&if is_whole { stem.to_owned() } else { format!("{}-{stem}", self.folder.name) });
            let border = row.border.or(borders.first().copied()).unwrap_or(BorderMode::Replicate);
            if !channels.contains(&row.channels) || !borders.contains(&border) {
                self.told(0, "catalog.fault.ladder-setting", &[("name", &name)], "catalog.fault.write-setting");
            }
            let is_own = row.own.unwrap_or(!self.is_built_in());
            let steps: Vec<Step> = (0..row.steps.len()).filter_map(|place| self.step(place, &row, name, is_own)).collect();
            if !self.is_built_in() {
                self.ladder_texts((name, stem), &row, spoken);
            }
            ladders.push(Ladder {
                name,
                filter: self.id(),
                is_first: row.first,
                is_own,
                continues: row.continues,
                channels: row.channels,
                border,
                sizes: row.sizes,
                figures: row.figures,
                steps,
            });
        }
        self.turn_to(DEFINITION);
        ladders.sort_by_key(|ladder| (!ladder.is_first, ladder.is_own));
        ladders
    }

    fn step(&mut self, place: usize, of: &LadderRow, ladder: &'static str, is_own: bool) -> Option<Step> {
        let step = of.steps.get(place)?;
        let (key, byte) = (step.key.get_ref(), step.key.span().start);
        if of.steps.iter().take(place).any(|before| before.key.get_ref() == key) {
            self.told(byte, "catalog.fault.step-twice", &[("name", key)], "catalog.fault.leave-out");
        }
        let is_of_no_size = of.sizes.is_empty() && step.published.len() == 1;
        if !step.published.is_empty() && step.published.len() != of.sizes.len() && !is_of_no_size {
            let (figures, sizes) = (step.published.len(), of.sizes.len());
            self.told(
                byte,
                "catalog.fault.figures",
                &[("name", key), ("figures", &figures), ("sizes", &sizes)],
                "catalog.fault.write-figures",
            );
        }
        let variant = Variant::parse(step.variant.get_ref());
        let variant = variant.map_err(|error| self.fault(Fault::at(self.text, step.variant.span().start, error.why, error.remedy))).ok()?;
        let claim = self.claim(step, of, is_own);
        // Whoever reads of a guide's claim can look it up.
        match (&step.place, claim.is_some_and(|claim| !claim.is_ours)) {
            (None, true) => self.told(byte, "catalog.fault.no-place", &[("name", key)], "catalog.fault.write-place"),
            (Some(place), false) => {
                self.told(place.span().start, "catalog.fault.place-of-nothing", &[("name", key)], "catalog.fault.write-claim");
            }
            (Some(_), true) | (None, false) => {}
        }
        Some(Step {
            key: key.clone(),
            ladder,
            variant,
            local: step.local,
            published: step.published.clone(),
            claim,
            place: step.place.as_ref().map(|place| place.get_ref().clone()),
            claim_sizes: step.at.as_ref().map_or_else(|| of.sizes.clone(), |at| at.get_ref().clone()),
        })
    }

    fn claim(&mut self, step: &StepRow, of: &LadderRow, is_own: bool) -> Option<Claim> {
        let (key, byte) = (step.key.get_ref(), step.key.span().start);
        let given = [
            (&step.faster_than, Says::Faster),
            (&step.slower_than, Says::Slower),
            (&step.as_fast_as, Says::Same),
            (&step.no_faster_than, Says::NotFaster),
        ];
        let mut given = given.into_iter().filter_map(|(other, says)| Some((other.as_ref()?, says)));
        let Some((other, says)) = given.next() else {
            let of_nothing = step.at.as_ref().map(|at| at.span().start).or(step.ours.then_some(byte));
            if let Some(byte) = of_nothing {
                self.told(byte, "catalog.fault.no-claim", &[("name", key)], "catalog.fault.write-claim");
            }
            return None;
        };
        let is_published = |size: &(usize, usize)| of.sizes.is_empty() || of.sizes.contains(size);
        if let Some(at) = step.at.as_ref().filter(|at| at.get_ref().is_empty() || !at.get_ref().iter().all(is_published)) {
            self.told(at.span().start, "catalog.fault.claim-sizes", &[("name", key)], "catalog.fault.write-claim-sizes");
        }
        if step.ours && is_own {
            self.told(byte, "catalog.fault.ours-twice", &[], "catalog.fault.leave-out-ours");
        }
        if let Some((second, _)) = given.next() {
            self.told(second.span().start, "catalog.fault.claim-twice", &[("name", key)], "catalog.fault.leave-out");
        }
        let against = of.steps.iter().position(|known| known.key.get_ref() == other.get_ref());
        let Some(against) = against.filter(|_| other.get_ref() != key) else {
            let known: Vec<&str> = of.steps.iter().map(|step| step.key.get_ref().as_str()).collect();
            let remedy = meant(other.get_ref(), known.into_iter());
            self.tell(other.span().start, "catalog.fault.no-step", &[("name", other.get_ref())], remedy);
            return None;
        };
        Some(Claim { against, says, is_ours: is_own || step.ours })
    }
}

/// The name of a ladder's file without folder and extension.
pub(super) fn ladder_stem(file: &str) -> &str {
    file.trim_start_matches("ladders/").trim_end_matches(".toml")
}
