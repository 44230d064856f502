//! Pictures that are too large for a device: bands of rows, one after the other over the same memory, each with the rows around it that its own ones depend on.

use super::expected::Expected;
use super::on_device::{self, Kept};
use super::plan::{Asked, Plan};
use super::sampling::{RoundTrip, Sample};
use super::{Executed, Task, Timings, elapsed_ns, not_prepared};
use crate::device::Session;
use base::error::Result;
use base::texts::{Words, filled, speaking_keys};
use model::measure::{Progress, Sampled, Watched, sample};
use model::{Budget, Doubt, Reach};
use pictures::{Bytes, Picture, Sharing};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// Most bytes that all memory objects of a band have: so large that launches cost next to nothing, and so small that they do not crowd out what lies in the
/// host's memory.
const BAND_BYTES: usize = 512 << 20;

/// A part of the output, and what it is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// Rows of the output.
    pub own: Range<usize>,
    /// Rows of the source: the same, and those above and below that the mask reaches.
    pub taken: Range<usize>,
}

impl Band {
    /// Those rows of a picture of `height` rows, and what they depend on.
    pub fn of(own: Range<usize>, reach: Reach, height: usize) -> Self {
        let taken = own.start.saturating_sub(reach.before)..(own.end + reach.after).min(height);
        Self { own, taken }
    }

    /// Its own rows within those that it takes.
    pub fn inside(&self) -> Range<usize> {
        self.own.start - self.taken.start..self.own.end - self.taken.start
    }

    /// Where its own rows are in the whole output.
    pub fn place(&self, row_bytes: usize) -> Range<usize> {
        self.own.start * row_bytes..self.own.end * row_bytes
    }

    /// Its own rows of `output`, which has as many as it takes.
    ///
    /// # Errors
    /// It has fewer.
    pub fn own_rows<'a>(&self, output: &'a [u8], row_bytes: usize) -> Result<&'a [u8]> {
        let own = self.inside();
        output.get(own.start * row_bytes..own.end * row_bytes).ok_or_else(not_prepared)
    }

    /// Copies its own rows of `output`, which has as many as it takes. How long that took, in nanoseconds.
    fn join(&self, output: &[u8], row_bytes: usize, to: &mut [u8]) -> u64 {
        let (rows, begun) = (self.own_rows(output, row_bytes), Instant::now());
        if let Ok(rows) = rows
            && rows.len() == to.len()
        {
            to.copy_from_slice(rows);
        }
        elapsed_ns(begun)
    }
}

/// `count` bands of `height` rows at most, each of which takes as many rows: one plan serves all.
pub fn cut_alike(height: usize, reach: Reach, count: usize) -> Vec<Band> {
    let reach = mirrored(reach);
    let mut bands = cut(height, reach, height.div_ceil(count.max(1)) + reach.before + reach.after);
    let rows = bands.iter().map(|band| band.taken.len()).max().unwrap_or(0);
    for Band { taken, .. } in &mut bands {
        let start = taken.start.min(height - rows);
        *taken = start..start + rows;
    }
    bands
}

/// As far up as down: a mirrored neighbor lies as far on the other side.
pub fn mirrored(reach: Reach) -> Reach {
    Reach::around(reach.before.max(reach.after))
}

/// Bands of `height` rows that take `most` rows each at most, as even as they can be, so that few of them differ in size. At the picture's edges a band
/// ends where the picture does, so that the border mode sees the same as in the whole.
fn cut(height: usize, reach: Reach, most: usize) -> Vec<Band> {
    let own = most.saturating_sub(reach.before + reach.after).max(1);
    let own = height.div_ceil(height.div_ceil(own).max(1)).max(1);
    let starts = (0..height).step_by(own);
    starts.map(|start| Band::of(start..(start + own).min(height), reach, height)).collect()
}

/// The most rows, up to `height`, for which `fits` holds; it must hold for fewer rows, too. 0: not even for one.
fn most_rows(height: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut fitting, mut too_many) = (0, height + 1);
    while too_many - fitting > 1 {
        let middle = usize::midpoint(fitting, too_many);
        if fits(middle) { fitting = middle } else { too_many = middle }
    }
    fitting
}

/// A variant built for a device, for the bands of a picture.
pub struct Banded {
    bands: Vec<Band>,
    /// For each number of rows that a band takes.
    plans: Vec<(usize, Plan)>,
}

impl Banded {
    /// For a picture that `session`'s device does not take at once, or not in `most_bytes`; `None` where it does, or where it does not take one row either.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn new(session: &Session, task: &Task, asked: &Asked, most_bytes: Option<usize>) -> Result<Option<Self>> {
        let height = task.picture.picture.height_px();
        let takes = |rows: usize, most_bytes: Option<usize>| {
            let bytes = Plan::bytes_taken(session.info(), task, asked, rows);
            bytes.is_some_and(|bytes| most_bytes.is_none_or(|most| bytes <= most))
        };
        // What depends on the whole picture cannot be cut.
        if takes(height, most_bytes) || task.filter().is_whole {
            return Ok(None);
        }
        let reach = mirrored((task.filter().reach)(&task.spec.parameters));
        let least = reach.before + reach.after + 1;
        let most = most_rows(height, |rows| takes(rows, Some(most_bytes.unwrap_or(BAND_BYTES))));
        // Rows that are so long: as few as do.
        let most = if most < least { most_rows(2 * least, |rows| takes(rows, most_bytes)) } else { most };
        if most < least {
            return Ok(None);
        }
        let bands = cut(height, reach, most);
        let mut plans: Vec<(usize, Plan)> = Vec::new();
        for rows in bands.iter().map(|band| band.taken.len()) {
            if plans.iter().all(|(known, _)| *known != rows) {
                plans.push((rows, Plan::new(session, task, asked, rows)?));
            }
        }
        Ok(Some(Self { bands, plans }))
    }

    /// The plan of the first band, which has the same kernels as all.
    pub fn first(&self) -> Option<&Plan> {
        self.plans.first().map(|(_, plan)| plan)
    }

    fn plan(&self, band: &Band) -> Result<&Plan> {
        let plan = self.plans.iter().find(|(rows, _)| *rows == band.taken.len());
        plan.map(|(_, plan)| plan).ok_or_else(not_prepared)
    }

    /// Each band with its plan and its rows of `source`; how long it took to cut them out, in nanoseconds.
    fn parts<'a>(&'a self, source: &'a Picture) -> impl Iterator<Item = Result<(&'a Band, &'a Plan, Picture, u64)>> {
        self.bands.iter().map(|band| {
            let begun = Instant::now();
            let rows = source.rows(band.taken.clone());
            Ok((band, self.plan(band)?, rows, elapsed_ns(begun)))
        })
    }
}

/// Runs every band once, each over a poisoned output, and joins their own rows.
///
/// # Errors
/// As [`on_device::execute`].
pub fn execute(session: &Session, banded: &Banded, task: &Task, source: &Picture, kept: &mut Kept, outputs: Sharing) -> Result<Executed> {
    let mut whole: Option<Executed> = None;
    let mut bytes = Bytes::default();
    for part in banded.parts(source) {
        let (band, plan, rows, cut_ns) = part?;
        let mut executed = on_device::execute(session, plan, task, &rows, kept, Sharing::Private)?;
        let row_bytes = executed.output.row_bytes();
        if bytes.is_empty() {
            bytes = Bytes::zeroed(row_bytes * source.height_px(), outputs);
        }
        let to = bytes.to_mut().get_mut(band.place(row_bytes)).ok_or_else(not_prepared)?;
        let join_ns = band.join(executed.output.bytes(), row_bytes, to);
        executed.timings.upload_ns += cut_ns;
        executed.timings.readback_ns += join_ns;
        executed.timings.round_trip_ns += cut_ns + join_ns;
        whole = Some(match whole.take() {
            None => executed,
            Some(mut before) => {
                before.timings = added(&before.timings, &executed.timings);
                // What lies between two bands belongs to neither: poisoning, guards.
                let (end, begin) = (before.commands.last().map(|command| command.times.end), executed.commands.first());
                let gap = begin.zip(end).map_or(0, |(begin, end)| begin.times.queued.saturating_sub(end));
                before.commands.extend(executed.commands.iter().map(|command| command.earlier(gap)));
                before
            }
        });
    }
    let mut whole = whole.ok_or_else(not_prepared)?;
    let output = Picture::new(source.width_px(), source.height_px(), whole.output.channels(), bytes)?;
    whole.output = Arc::new(output.with_shared_alpha(source.placed_alpha().cloned()));
    whole.notes.push(Words::from(speaking_keys(|| filled("errors.engine.bands", &[("count", &banded.bands.len())]))));
    Ok(whole)
}

/// Times of two runs, one after the other. They waited for the queue as the first one did.
fn added(one: &Timings, next: &Timings) -> Timings {
    Timings {
        kernel_ns: one.kernel_ns.zip(next.kernel_ns).map(|(one, next)| one + next),
        upload_ns: one.upload_ns + next.upload_ns,
        readback_ns: one.readback_ns + next.readback_ns,
        round_trip_ns: one.round_trip_ns + next.round_trip_ns,
        ..*one
    }
}

/// Bands ready to run again and again. Their memory does not hold the whole picture, so every run is a round trip.
pub struct Runner<'a> {
    session: &'a Session,
    banded: &'a Banded,
    task: &'a Task,
    source: &'a Picture,
    /// Memory for one size of bands at a time, or for two that are small: a device may not have room for all.
    kept: RefCell<Kept>,
    /// What both clocks say of the last band of each run.
    watched: RefCell<Vec<Watched>>,
}

impl<'a> Runner<'a> {
    /// Over the bands of `source`.
    pub fn new(session: &'a Session, banded: &'a Banded, task: &'a Task, source: &'a Picture) -> Self {
        Self { session, banded, task, source, kept: RefCell::default(), watched: RefCell::default() }
    }

    /// One round trip of every band. Own rows are copied as for the whole output, which is not kept.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn run(&self) -> Result<Sample> {
        let mut trip = RoundTrip { upload_ns: 0, layout_ns: Some(0), readback_ns: 0, total_ns: 0 };
        let mut sum = Sample { round_trip: None, ..Sample::of(Some(0), Vec::new()) };
        let mut joined = Vec::new();
        for (number, part) in self.banded.parts(self.source).enumerate() {
            let (band, plan, rows, cut_ns) = part?;
            let mut kept = self.kept.borrow_mut();
            let (sample, own, output) = on_device::round_trip_over(self.session, plan, self.task, &rows, &mut kept)?;
            let row_bytes = plan.launch.destination.row_bytes();
            joined.resize(band.place(row_bytes).len(), 0);
            let join_ns = band.join(output, row_bytes, &mut joined);
            sum.kernel_ns = sum.kernel_ns.zip(sample.kernel_ns).map(|(sum, own)| sum + own);
            sum.waited_ns += sample.waited_ns;
            if number + 1 == self.banded.bands.len() {
                self.watched.borrow_mut().extend(sample.watched());
            }
            if number == 0 {
                (sum.pass_ns, sum.queue_wait_ns, sum.launch_latency_ns) = (sample.pass_ns, sample.queue_wait_ns, sample.launch_latency_ns);
            } else {
                sum.pass_ns.iter_mut().zip(&sample.pass_ns).for_each(|(sum, own)| *sum += own);
            }
            trip.upload_ns += own.upload_ns + cut_ns;
            trip.layout_ns = trip.layout_ns.zip(own.layout_ns).map(|(sum, own)| sum + own + cut_ns);
            trip.readback_ns += own.readback_ns + join_ns;
            trip.total_ns += own.total_ns + cut_ns + join_ns;
        }
        Ok(Sample { round_trip: Some(trip), ..sum })
    }

    /// The last lap: every band once more, with poison on the device and on the host. Its own rows are held to what they should be, and its guards are checked.
    ///
    /// # Errors
    /// An output is wrong, a guard was written to, or the driver's refusal.
    pub fn check(&self, expected: &Expected) -> Result<()> {
        for part in self.banded.parts(self.source) {
            let (band, plan, rows, _) = part?;
            let mut kept = self.kept.borrow_mut();
            let output = on_device::checked_trip_over(self.session, plan, self.task, &rows, &mut kept)?;
            expected.check(band.own_rows(output, plan.launch.destination.row_bytes())?, band.own.start)?;
        }
        Ok(())
    }

    /// Whether the device's times of its runs are to be doubted, by those of the last band.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn doubt(&self) -> Result<Option<Doubt>> {
        let Some(last) = self.banded.bands.last() else { return Ok(None) };
        on_device::doubted_over(self.session, self.banded.plan(last)?, &mut self.kept.borrow_mut(), &self.watched.borrow())
    }
}

/// Warms up and samples whole round trips; then holds all bands to what they should be. Whether the device's times are to be doubted, too.
///
/// # Errors
/// Cancelled, the driver's refusal, or an output of what was timed is wrong.
pub fn measure(
    session: &Session,
    banded: &Banded,
    subject: &on_device::Subject<'_>,
    budget: Budget,
    progress: &dyn Progress,
) -> Result<(Sampled<Sample>, Option<Doubt>)> {
    let runner = Runner::new(session, banded, subject.task, subject.source);
    let sampled = sample(&budget, &mut on_device::gate(session), progress, || runner.run())?;
    runner.check(subject.expected)?;
    Ok((sampled, runner.doubt()?))
}

#[cfg(test)]
mod tests {
    use super::{Band, cut, cut_alike, mirrored, most_rows};
    use crate::device::CacheSettings;
    use crate::testing::noise;
    use crate::{Backend as _, Engine, PictureRef, Target, Task};
    use kernels::filters::Reference;
    use kernels::filters::{self, Filter, Parameter};
    use model::measure::{Comparison, compare};
    use model::{BorderMode, Budget, HostMemory, LocalSize, Parameters, Reach, Variant};
    use pictures::Picture;
    use std::sync::Arc;

    #[test]
    fn every_row_has_one_band_with_all_that_its_mask_reaches() {
        let reach = Reach { before: 2, after: 3 };
        for height in [1, 5, 6, 7, 100, 101] {
            for most in [0, 6, 7, 20, 100, 200] {
                let bands = cut(height, reach, most);
                let own: Vec<_> = bands.iter().flat_map(|band| band.own.clone()).collect();
                assert_eq!(own, (0..height).collect::<Vec<_>>(), "{height} rows, {most} at most");
                for Band { own, taken } in &bands {
                    assert_eq!(*taken, own.start.saturating_sub(2)..(own.end + 3).min(height));
                    assert!(taken.len() <= most.max(6));
                }
            }
        }
    }

    #[test]
    fn bands_that_are_alike_take_as_many_rows_each_and_all_that_they_need() {
        let reach = Reach { before: 2, after: 3 };
        for (height, count) in [(1, 1), (5, 8), (64, 1), (100, 8), (101, 8), (101, 1000)] {
            let bands = cut_alike(height, reach, count);
            assert!(bands.len() <= count, "{height} rows in {count}");
            let own: Vec<_> = bands.iter().flat_map(|band| band.own.clone()).collect();
            assert_eq!(own, (0..height).collect::<Vec<_>>(), "{height} rows in {count}");
            for Band { own, taken } in &bands {
                assert_eq!(taken.len(), bands[0].taken.len(), "{height} rows in {count}");
                assert!(taken.start <= own.start.saturating_sub(3) && taken.end >= (own.end + 3).min(height) && taken.end <= height);
            }
        }
    }

    #[test]
    fn the_most_rows_are_found() {
        for most in 0..=9 {
            assert_eq!(most_rows(9, |rows| rows <= most), most);
        }
    }

    /// The reference's output in bands of nine rows.
    fn in_bands(filter: &Filter, picture: &Picture, border: BorderMode, parameters: &Parameters, reach: Reach) -> Vec<u8> {
        let bands = cut(picture.height_px(), reach, reach.before + reach.after + 9);
        assert!(bands.last().is_some_and(|band| band.own.len() == 1), "the least that a band can have");
        let Reference::Rows(reference) = filter.reference else { panic!("a plain reference") };
        let own = |band: &Band| reference(&picture.rows(band.taken.clone()), border, parameters, band.inside());
        bands.iter().flat_map(own).collect()
    }

    #[test]
    fn the_reference_in_bands_is_that_of_the_whole_for_every_filter() {
        let ends: [fn(&Parameter) -> f64; 3] = [|it| it.default, |it| it.min, |it| it.max];
        // One that depends on the whole picture is never cut.
        for filter in filters::all().iter().filter(|filter| !filter.is_whole) {
            let mut sees_too_little = false;
            for (&channels, end) in filter.channels.iter().flat_map(|channels| ends.map(|end| (channels, end))) {
                let parameters = Parameters(filter.parameters.iter().map(|it| (it.name.to_owned(), end(it))).collect());
                let (reach, picture) = (mirrored((filter.reach)(&parameters)), noise(13, 73, channels));
                for &border in filter.borders {
                    let whole = filter.reference(&picture, border, &parameters).expect("a plain reference");
                    assert_eq!(in_bands(filter, &picture, border, &parameters, reach), whole.bytes(), "{} {border:?}", filter.name());
                    let less = Reach { before: reach.before.saturating_sub(1), after: reach.after.saturating_sub(1) };
                    sees_too_little |= in_bands(filter, &picture, border, &parameters, less) != whole.bytes();
                }
            }
            let looks_around = (filter.reach)(&filter.defaults()) != Reach::default();
            assert_eq!(sees_too_little, looks_around, "{}: the check sees a reach that is too small", filter.name());
        }
    }

    /// Less than the picture of the test needs, and enough for some of its rows.
    const FEW_BYTES: usize = 60_000;

    fn task(filter: &str, variant: &str, host_memory: HostMemory) -> Task {
        let filter = filters::by_name(filter).expect("a filter");
        let channels = filter.channels.first().copied().expect("some");
        let picture = PictureRef::new(Arc::new(noise(101, 203, channels).with_alpha(Some(vec![7; 101 * 203]))));
        let target = Target::Device { index: 0, variant: Variant::parse(variant).expect("known"), local: LocalSize::Driver, host_memory };
        Task { spec: filter.spec(channels, filter.default_border), ..Task::new(picture, target) }
    }

    #[test]
    fn variants_in_bands_give_what_they_give_in_one() {
        let mut engine = Engine::with_cache(CacheSettings::off()).within(FEW_BYTES);
        for (filter, variant, host_memory) in [
            ("laplace", "naive", HostMemory::Copy),
            ("laplace", "coalesced+padded+rows=3+access=int4", HostMemory::Map),
            ("gaussian", "separable+walk", HostMemory::Copy),
            ("gaussian", "coalesced+image+between+separable", HostMemory::Copy),
            ("box", "separable+running", HostMemory::UsePointer),
            ("bilateral", "coalesced+local", HostMemory::Copy),
            ("add", "coalesced", HostMemory::Copy),
        ] {
            let task = task(filter, variant, host_memory);
            let executed = engine.execute(&task, &()).expect("runs");
            assert!(executed.notes.iter().any(|note| note.english().contains("bands of rows")), "{:?}", executed.notes);
            assert_eq!(executed.output.alpha(), task.picture.picture.alpha());
            let verified = engine.verify(&task, &executed, &()).expect("not cancelled");
            assert!(verified.verification.is_right(), "{filter} {variant}: {}", verified.verification.label());
        }
    }

    #[test]
    fn bands_are_measured_compared_and_looked_at_like_whole_pictures() {
        let mut engine = Engine::with_cache(CacheSettings::off()).within(FEW_BYTES);
        let short =
            Budget { warmup_runs: 1, warmup_ns: 0, sample_ns: 1_000_000, min_samples: 3, max_samples: 5, warm_cache: false, starts: 1 };
        let task = task("laplace", "coalesced+padded", HostMemory::Copy);
        let other = task.with_variant(Variant::naive());
        let [proof, theirs] = [&task, &other].map(|task| engine.prove(task, &()).expect("right"));
        let record = engine.measure(&proof, short, &()).expect("not cancelled");
        let measured = record.measured().expect("measured");
        let trip = &measured.round_trip;
        assert!(measured.kernel.is_some() && trip.upload.is_some() && trip.readback.is_some() && trip.layout.is_some());
        assert_eq!(measured.bytes_moved, 2 * 101 * 203 * 3);
        let compared = engine.compare(&proof, &theirs, short, &()).expect("not cancelled");
        let pairs = &compared.pairs;
        assert!(!pairs.is_empty() && pairs.iter().all(|pair| pair.first_ns > 0 && pair.second_ns > 0));
        let Comparison { verdict, .. } = compared.comparison;
        assert_eq!(compared.comparison, Comparison { verdict, ..compare(pairs, compared.places) });
        assert!(engine.compiled(&task, &()).expect("runs").kernels.len() == 1);
        // What fits is taken as a whole.
        let mut whole = Engine::with_cache(CacheSettings::off()).within(1 << 20);
        assert!(whole.execute(&task, &()).expect("runs").notes.is_empty());
    }
}
