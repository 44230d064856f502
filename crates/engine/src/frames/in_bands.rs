//! One picture in bands of rows: while the copy engines bring one band there and another back, the kernels run over a third.

use crate::bands::{Band, cut_alike};
use crate::device::{FrameSet, FrameTimes, Lane, Pinned, Poison, Session, Waits};
use crate::expected::Expected;
use crate::plan::{Asked, Memory, Plan};
use crate::{Task, not_prepared};
use base::error::{Error, Result};
use base::texts::{misused, text};
use model::measure::{Progress, median_of};
use pictures::Picture;

/// Numbers of bands that are tried. With more of them less is left that nothing hides, the first upload and the last read-back, but there are more commands.
const COUNTS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// Pictures by which a number of bands is chosen.
const TRIALS: usize = 5;

/// An upload, a kernel and a read-back can go on at a time: a queue and memory for each.
const LANES: usize = 3;

/// A variant built for bands of a picture, and all that a run needs.
pub struct InBands {
    bands: Vec<Band>,
    plan: Plan,
    memories: Vec<Memory>,
    lanes: Vec<Lane>,
    /// The bytes of each band as the kernel wants them, one band after the other.
    upload: Pinned,
    /// The rows of the whole output.
    output: Pinned,
}

impl InBands {
    /// With as many bands as take the least time; or why there are none: what depends on the whole picture cannot be cut, and not every device has the memory.
    ///
    /// # Errors
    /// A wrong output, or the driver's refusal to run.
    pub fn fastest(
        session: &Session,
        (task, asked): (&Task, &Asked),
        source: &Picture,
        expected: &Expected,
        progress: &dyn Progress,
    ) -> Result<Result<Self>> {
        if task.filter().is_whole {
            return Ok(Err(misused("errors.engine.frames-whole", &[])));
        }
        let mut best: Option<(f64, Self)> = None;
        for (place, count) in COUNTS.into_iter().enumerate() {
            progress.report(place, COUNTS.len(), text("progress.measuring"));
            if progress.is_cancelled() {
                return Err(Error::cancelled());
            }
            let mut tried = match Self::new(session, task, asked, source, count) {
                Ok(tried) => tried,
                Err(why) if best.is_none() => return Ok(Err(why)),
                // There is no room for more.
                Err(_) => break,
            };
            // The rows do not divide into so many.
            if tried.bands.len() < count {
                break;
            }
            tried.run(session, expected, 1)?;
            let times = (0..TRIALS).map(|_| Ok(tried.run(session, expected, 1)?.total_ns as f64)).collect::<Result<Vec<_>>>()?;
            let time_ns = median_of(times);
            if best.as_ref().is_none_or(|(best_ns, _)| time_ns < *best_ns) {
                best = Some((time_ns, tried));
            }
        }
        Ok(best.map(|(_, best)| best).ok_or_else(not_prepared))
    }

    fn new(session: &Session, task: &Task, asked: &Asked, source: &Picture, count: usize) -> Result<Self> {
        let bands = cut_alike(source.height_px(), (task.filter().reach)(&task.spec.parameters), count);
        let rows = bands.first().map_or(0, |band| band.taken.len());
        let plan = Plan::new(session, task, asked, rows)?;
        let memories = (0..LANES.min(bands.len())).map(|_| plan.memory(session)).collect::<Result<Vec<_>>>()?;
        let lanes = memories.iter().map(|_| session.lane(true)).collect::<Result<Vec<_>>>()?;
        let layout = plan.launch.source.layout();
        let mut upload = session.pinned(layout.total_bytes * bands.len())?;
        for (band, bytes) in bands.iter().zip(upload.all_mut(session)?.chunks_mut(layout.total_bytes)) {
            layout.pack_into(&source.rows(band.taken.clone()), task.spec.border, bytes);
        }
        let output = session.pinned(plan.launch.destination.pitch_bytes * source.height_px())?;
        Ok(Self { bands, plan, memories, lanes, upload, output })
    }

    /// Into how many bands a picture is cut.
    pub fn count(&self) -> usize {
        self.bands.len()
    }

    /// `count` pictures, one after the other, each waited for, over a poisoned output that is held to what it should be.
    ///
    /// # Errors
    /// A wrong output, or the driver's refusal.
    pub fn run(&mut self, session: &Session, expected: &Expected, count: usize) -> Result<FrameTimes> {
        let Self { bands, plan, memories, lanes, upload, output } = self;
        let (layout, destination) = (plan.launch.source.layout(), &plan.launch.destination);
        let output = output.all_mut(session)?;
        for memory in memories.iter() {
            memory.poison(session)?;
        }
        Poison::random().fill(output);
        let mut sets = Vec::with_capacity(bands.len());
        let (mut uploads, mut rest) = (upload.all_mut(session)?.chunks(layout.total_bytes), &mut *output);
        for (band, memory) in bands.iter().zip(memories.iter().cycle()) {
            let own;
            (own, rest) = rest.split_at_mut_checked(band.own.len() * destination.pitch_bytes).ok_or_else(not_prepared)?;
            sets.push(FrameSet {
                source: memory.source_buffer().ok_or_else(not_prepared)?,
                upload: uploads.next().ok_or_else(not_prepared)?,
                launches: plan.launches(memory).collect::<Result<Vec<_>>>()?,
                destination: memory.destination.buffer(),
                offset: band.inside().start * destination.pitch_bytes,
                output: own,
            });
        }
        let mut total_ns = 0;
        for _ in 0..count {
            total_ns += session.frames(lanes, &mut sets, bands.len(), Waits::OnceAndFlushes)?.total_ns;
        }
        drop(sets);
        expected.check_all(&super::rows_of(destination, bands.last().map_or(0, |band| band.own.end), output))?;
        memories.iter().try_for_each(|memory| memory.check_guards(session))?;
        // Each picture was waited for.
        Ok(FrameTimes { enqueued_ns: total_ns, total_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::InBands;
    use crate::device::CacheSettings;
    use crate::plan::Asked;
    use crate::testing::noise;
    use crate::{Engine, PictureRef, Target, Task};
    use kernels::filters;
    use model::{Channels, HostMemory, LocalSize, Variant};
    use std::sync::Arc;

    #[test]
    fn every_band_is_held_to_its_rows() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        for (filter, variant) in [("laplace", "coalesced+padded+rows=3+access=int4"), ("gaussian", "coalesced+separable"), ("box", "naive")]
        {
            let filter = filters::by_name(filter).expect("a filter");
            let variant = Variant::parse(variant).expect("known");
            let target = Target::Device { index: 0, variant, local: LocalSize::Driver, host_memory: HostMemory::Copy };
            let picture = PictureRef::new(Arc::new(noise(61, 103, Channels::Rgb)));
            let task = Task { spec: filter.spec(Channels::Rgb, filter.default_border), ..Task::new(picture, target) };
            let (expected, source) = engine.ready(&task, &()).expect("ready");
            let (session, _) = engine.prepared(&task).expect("prepared").expect("a device");
            let asked = Asked::of(&task).expect("of a device");
            for count in [1, 2, 5, 8] {
                let mut bands = InBands::new(session, &task, &asked, &source, count).expect("bands");
                bands.run(session, &expected, 2).expect("right");
                // What a band is made of, and nothing else, is another one.
                let len = bands.plan.launch.source.layout().total_bytes;
                for band in 0..bands.count() {
                    let bytes = bands.upload.all_mut(session).expect("bytes");
                    let own = bytes[band * len..][..len].to_vec();
                    bytes[band * len..][..len].fill(0);
                    assert!(bands.run(session, &expected, 1).is_err(), "{variant} in {count}: band {band} is not looked at");
                    bands.upload.all_mut(session).expect("bytes")[band * len..][..len].copy_from_slice(&own);
                }
                bands.run(session, &expected, 1).expect("right again");
            }
        }
    }
}
