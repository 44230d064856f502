//! The device and the processor over picture sizes.

use super::{Finding, Probe, Study};
use crate::engine::{PictureRef, Target, Task};
use std::collections::VecDeque;

/// Measures a task on its device, then the CPU competitors, over a generated picture of each size. A picture is made when it is its turn, which takes as
/// long as it is large: not for the window's thread.
pub struct SizeSweep {
    like: Task,
    sizes: VecDeque<(usize, usize)>,
    total: usize,
    /// Over the picture of the present size.
    waiting: VecDeque<Task>,
}

impl SizeSweep {
    /// Of sizes in this order; the task's own picture is not used.
    #[must_use]
    pub fn new(like: Task, sizes: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let sizes: VecDeque<_> = sizes.into_iter().collect();
        let competitors = like.filter().competitors().len();
        Self { like, total: sizes.len() * (1 + competitors), sizes, waiting: VecDeque::new() }
    }
}

impl Study for SizeSweep {
    fn next(&mut self, _: &[Finding]) -> Option<Probe> {
        if self.waiting.is_empty() {
            let (width_px, height_px) = self.sizes.pop_front()?;
            let picture = PictureRef::generated((width_px, height_px), self.like.spec.channels);
            let targets =
                std::iter::once(self.like.target).chain(self.like.filter().competitors().iter().map(|engine| Target::Cpu(*engine)));
            self.waiting = targets.map(|target| Task { target, picture: picture.clone(), ..self.like.clone() }).collect();
        }
        self.waiting.pop_front().map(Probe::Measure)
    }

    fn total(&self) -> usize {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::SizeSweep;
    use crate::engine::{PictureRef, Target, Task};
    use crate::image::Picture;
    use crate::model::{Channels, CpuEngine, HostMemory, LocalSize, Variant};
    use crate::study::{Probe, Study};
    use std::sync::Arc;

    #[test]
    fn each_size_is_measured_on_the_device_and_on_every_competitor_over_one_picture() {
        let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        let like = Task::new(PictureRef::new(Arc::new(Picture::from_fn(2, 2, Channels::Gray, |_, _, _| 0))), target);
        let mut sweep = SizeSweep::new(like.clone(), [(8, 4), (16, 8)]);
        let tasks: Vec<Task> = std::iter::from_fn(|| match sweep.next(&[]) {
            Some(Probe::Measure(task)) => Some(task),
            _ => None,
        })
        .collect();
        assert_eq!((tasks.len(), sweep.total()), (8, 8));
        assert_eq!(tasks.iter().map(|task| task.picture.size()).collect::<Vec<_>>(), [[(8, 4); 4], [(16, 8); 4]].concat());
        let targets = [target].into_iter().chain(CpuEngine::ALL.map(Target::Cpu)).collect::<Vec<_>>();
        assert!(tasks.chunks(4).all(|four| four.iter().map(|task| task.target).eq(targets.iter().copied())));
        assert!(
            tasks[..4].iter().all(|task| task.picture == tasks[0].picture && task.spec == like.spec)
                && tasks[4].picture != tasks[0].picture
        );
    }
}
