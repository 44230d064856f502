//! Probes in a fixed order.

use super::{Finding, Probe, Study};
use engine::{Target, Task};
use kernels::filters::FilterIdExt;
use kernels::filters::{Ladder, Step};
use model::LocalSize;
use std::collections::VecDeque;

/// Takes one probe after the other. A comparison with a task that was tried before it and could not be measured is left out: its row says why.
#[derive(Clone, Debug)]
pub struct Sequence {
    probes: VecDeque<Probe>,
    total: usize,
}

impl Sequence {
    /// These probes, in this order.
    #[must_use]
    pub fn new(probes: impl IntoIterator<Item = Probe>) -> Self {
        let probes: VecDeque<_> = probes.into_iter().collect();
        Self { total: probes.len(), probes }
    }
}

impl Study for Sequence {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        let was_refused = |task: &Task| {
            let rows = || findings.iter().filter(|finding| matches!(finding, Finding::Record(known, _) if known == task));
            rows().next().is_some() && !rows().any(|finding| finding.is_measured(task))
        };
        loop {
            match self.probes.pop_front()? {
                Probe::Compare(first, second) if was_refused(&first) || was_refused(&second) => {}
                probe => return Some(probe),
            }
        }
    }

    fn total(&self) -> usize {
        self.total
    }
}

/// What tests a ladder: the CPU competitors, then each step, and behind it the comparison with the step that its guide names.
///
/// `like` is any task over the picture on the device, with the filter's parameters; the ladder brings channels and border mode, and its steps variants and
/// some of the local sizes. `free_local` is for steps without one of their own.
#[must_use]
pub fn ladder_probes(ladder: &Ladder, like: &Task, free_local: LocalSize) -> Vec<Probe> {
    let competitors = ladder
        .filter
        .filter()
        .competitors()
        .iter()
        .map(|engine| Probe::Measure(Task { target: Target::Cpu(*engine), ..on_ladder(ladder, like) }));
    let steps = ladder.steps.iter().flat_map(|step| {
        let task = step_task(ladder, step, like, free_local);
        let against = step.claim.and_then(|claim| ladder.steps.get(claim.against));
        let test = against.map(|against| Probe::Compare(step_task(ladder, against, like, free_local), task.clone()));
        std::iter::once(Probe::Measure(task)).chain(test)
    });
    competitors.chain(steps).collect()
}

/// A step of a ladder as a task, see [`ladder_probes`].
#[must_use]
pub fn step_task(ladder: &Ladder, step: &Step, like: &Task, free_local: LocalSize) -> Task {
    let task = on_ladder(ladder, like);
    match task.target {
        Target::Device { index, host_memory, .. } => {
            let (variant, local) = (step.variant(), step.local_or(free_local));
            Task { target: Target::Device { index, variant, local, host_memory }, ..task }
        }
        Target::Cpu(_) => task,
    }
}

fn on_ladder(ladder: &Ladder, like: &Task) -> Task {
    let spec = model::Spec { channels: ladder.channels, border: ladder.border, ..like.spec.clone() };
    Task { spec, ..like.clone() }
}

#[cfg(test)]
mod tests {
    use super::{Probe, Sequence, Study, ladder_probes};
    use engine::{PictureRef, Target, Task};
    use kernels::filters::FilterIdExt as _;
    use model::{BorderMode, Channels, FilterId, HostMemory, LocalSize, Variant};
    use pictures::Picture;
    use std::sync::Arc;

    fn like() -> Task {
        let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        Task::new(PictureRef::new(Arc::new(Picture::from_fn(4, 4, Channels::Gray, |_, _, _| 0))), target)
    }

    #[test]
    fn a_ladder_is_measured_in_its_own_channels_and_each_claim_is_tested_behind_its_step() {
        let ladder = FilterId::Laplace.filter().ladder("mali-t600").expect("there");
        let probes = ladder_probes(ladder, &like(), LocalSize::Driver);
        // Three competitors, six steps, five claims.
        assert_eq!(probes.len(), 3 + 6 + 5);
        let of = |index: usize| match &probes[index] {
            Probe::Measure(task) | Probe::Glance(task) => vec![task],
            Probe::Compare(first, second) | Probe::CompareCached(first, second) => vec![first, second],
            Probe::Code(_) | Probe::Frames(_) | Probe::Split(_) | Probe::Roofs(_) => Vec::new(),
        };
        let variant = |task: &Task| match task.target {
            Target::Device { variant, .. } => variant.to_string(),
            Target::Cpu(engine) => engine.name().to_owned(),
        };
        let names: Vec<Vec<String>> = (2..6).map(|index| of(index).into_iter().map(variant).collect()).collect();
        assert_eq!(names[0], ["cpu-threads"]);
        assert_eq!(names[1], ["naive"]);
        assert_eq!(names[2], ["padded+vectorize=5"]);
        assert_eq!(names[3], ["naive", "padded+vectorize=5"]);
        assert!((0..probes.len()).flat_map(of).all(|task| (task.spec.channels, task.spec.border) == (Channels::Rgb, BorderMode::Copy)));
    }

    #[test]
    fn a_sequence_ends() {
        let probe = Probe::Measure(like());
        let mut study = Sequence::new([probe.clone()]);
        assert_eq!((study.total(), study.next(&[]), study.next(&[])), (1, Some(probe), None));
    }
}
