//! Readings as rows of a chart, in the quantity that is shown.

use super::figures::{Bars, Problem, Span, bars, figures, is_device};
use super::options::{Baseline, Entry, Options, Order, Quantity, baseline_index};
use super::palette::Role;
use super::roofline::{Ceiling, Limit};
use super::scale::Axis;
use base::texts::text;
use model::{Contender, RoofKind};
use std::collections::BTreeSet;

/// One row of the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Position in the slice of entries.
    pub index: usize,
    /// The name that a person gave, else the ladder's step, else the variant or competitor; with the device where the rows come from several.
    pub label: String,
    /// The variant, where the label does not say it.
    pub detail: Option<String>,
    /// CPU or device.
    pub role: Role,
    /// What to draw.
    pub bars: Bars,
    /// What to write instead of, or (invalid timestamps) beside the bars.
    pub problem: Option<Problem>,
    /// Other programs ran throughout.
    pub is_busy: bool,
    /// Speed-ups are against this row.
    pub is_baseline: bool,
    /// It is of what is on the screen.
    pub is_shown: bool,
}

impl Row {
    /// Label and detail on one line.
    #[must_use]
    pub fn title(&self) -> String {
        self.detail.as_ref().map_or_else(|| self.label.clone(), |detail| format!("{} · {detail}", self.label))
    }
}

/// Rows with the axis that fits them.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// In the order that the options ask for.
    pub rows: Vec<Row>,
    /// How many rows more there are, which the options hide.
    pub hidden: usize,
    /// The device is the processor that the CPU competitors run on.
    pub is_on_host: bool,
    /// Value axis for all rows and ceilings.
    pub axis: Axis,
    /// What GB/s are held to, where that is known; none of other quantities.
    pub ceilings: Vec<Ceiling>,
    /// What the bars show.
    pub quantity: Quantity,
    /// What speed-ups are against: a row's label or text("window.chart.step-before"); `None` where nothing is measured.
    pub baseline_label: Option<String>,
}

/// Readings as rows.
#[must_use]
pub fn chart(entries: &[Entry<'_>], options: &Options) -> Chart {
    let mut order: Vec<(usize, &Entry<'_>)> = entries.iter().enumerate().filter(|(_, entry)| options.shows(entry)).collect();
    match options.order {
        Order::Steps => {
            order.sort_by_key(|(_, entry)| (cpu_rank(&entry.reading.contender), entry.step.map_or(usize::MAX, |step| step.number)));
        }
        Order::Fastest => order.sort_by(|(_, left), (_, right)| kernel_ns(left).total_cmp(&kernel_ns(right))),
    }
    let on_device = || order.iter().map(|(_, entry)| *entry).filter(|entry| is_device(&entry.reading));
    let devices: BTreeSet<String> = on_device().map(|entry| entry.reading.machine.label()).collect();
    let is_on_host = on_device().all(|entry| entry.is_on_host);
    let sizes: BTreeSet<_> = order.iter().map(|(_, entry)| (entry.reading.picture.width_px, entry.reading.picture.height_px)).collect();
    let machines: BTreeSet<Option<&str>> = order.iter().map(|(_, entry)| entry.reading.machine.alias.as_deref()).collect();
    let label = |entry: &Entry<'_>| label(entry, [devices.len() > 1, machines.len() > 1], sizes.len() > 1);
    // One for all rows, but for "the one before": it need not be looked for again.
    let common = baseline_index(entries, &options.against, 0);
    let rows: Vec<Row> = order
        .iter()
        .map(|&(index, entry)| {
            let baseline = if options.against == Baseline::Previous { baseline_index(entries, &options.against, index) } else { common };
            let against = baseline.and_then(|index| entries.get(index)).and_then(|entry| figures(&entry.reading).ok());
            let (bars, problem) = bars(entry, options, against);
            let (label, detail) = label(entry);
            Row {
                index,
                label,
                detail,
                role: if is_device(&entry.reading) { Role::Device } else { Role::Cpu },
                bars,
                problem,
                is_busy: entry.reading.is_busy(),
                is_baseline: baseline == Some(index),
                is_shown: entry.is_shown,
            }
        })
        .collect();
    let baseline_label = match options.against {
        Baseline::Previous if !rows.iter().any(|row| row.is_baseline) => None,
        Baseline::Previous if entries.iter().any(|entry| entry.step.is_some()) => Some(text("window.chart.step-before").to_owned()),
        Baseline::Previous => Some(text("window.chart.variant-before").to_owned()),
        // It may be a hidden one.
        _ => common.and_then(|index| entries.get(index)).map(|entry| label(entry).0),
    };
    let hidden = entries.len() - rows.len();
    let ceilings = if options.quantity == Quantity::Bandwidth { ceilings(order.iter().map(|(_, entry)| *entry)) } else { Vec::new() };
    let axis = axis(&rows, &ceilings, options);
    Chart { axis, ceilings, rows, hidden, is_on_host, quantity: options.quantity, baseline_label }
}

/// The charts of several groups of readings, along one axis.
#[must_use]
pub fn charts<'a>(groups: impl IntoIterator<Item = &'a [Entry<'a>]>, options: &Options) -> Vec<Chart> {
    let mut charts: Vec<Chart> = groups.into_iter().map(|entries| chart(entries, options)).collect();
    let rows: Vec<Row> = charts.iter().flat_map(|chart| chart.rows.iter().cloned()).collect();
    let ceilings: Vec<Ceiling> = charts.iter().flat_map(|chart| chart.ceilings.iter().cloned()).collect();
    let axis = axis(&rows, &ceilings, options);
    for chart in &mut charts {
        chart.axis = axis.clone();
    }
    charts
}

/// What these are held to, each once.
fn ceilings<'a, 'b: 'a>(entries: impl Iterator<Item = &'a Entry<'b>>) -> Vec<Ceiling> {
    let mut ceilings: Vec<Ceiling> = Vec::new();
    for shares in entries.filter_map(|entry| entry.shares).filter(|shares| !shares.bound.is_arithmetic()) {
        let kind = if shares.is_cached { RoofKind::CachedCopy } else { RoofKind::Copy };
        let ceiling = Ceiling { label: kind.label().to_owned(), limit: Limit::Bytes(shares.roof_gb_per_s), is_level: false };
        if !ceilings.contains(&ceiling) {
            ceilings.push(ceiling);
        }
    }
    ceilings
}

/// Label and detail, with what tells the row from its neighbors.
fn label(entry: &Entry<'_>, [with_device, with_machine]: [bool; 2], with_size: bool) -> (String, Option<String>) {
    let step = entry.step.map(|step| format!("{} {}", step.number, step.name));
    let given = entry.name().map(str::to_owned);
    let mut names = [given, step, Some(entry.reading.label())].into_iter().flatten();
    let mut label = names.next().unwrap_or_default();
    let rest: Vec<String> = names.collect();
    if with_device && is_device(&entry.reading) {
        label = format!("{label} · {}", entry.reading.machine.label());
    }
    // A device of another machine beside the CPU competitors of this one.
    if with_machine && !is_device(&entry.reading) {
        label = format!("{label} · {}", entry.reading.machine.alias.as_deref().unwrap_or(text("window.chart.this-machine")));
    }
    if with_size {
        label = format!("{label} · {} × {}", entry.reading.picture.width_px, entry.reading.picture.height_px);
    }
    (label, (!rest.is_empty()).then(|| rest.join(" · ")))
}

/// A disturbed reading must not squash every bar: the axis ends this many times beyond the largest median, whiskers then in an arrow.
const WHISKER_REACH: f64 = 1.4;

fn axis(rows: &[Row], ceilings: &[Ceiling], options: &Options) -> Axis {
    let spans: Vec<Span> = rows.iter().flat_map(|row| [row.bars.kernel, row.bars.round_trip]).flatten().collect();
    let largest = spans.iter().map(|span| span.median).fold(0.0, f64::max);
    let smallest = spans.iter().map(|span| span.median).fold(f64::INFINITY, f64::min);
    let ends = |span: &Span| [span.lower.max(smallest / WHISKER_REACH), span.median, span.upper.min(largest * WHISKER_REACH)];
    let values = spans.iter().flat_map(ends);
    let stacks = rows.iter().filter_map(|row| row.bars.parts).map(|parts| parts.total_ns());
    let origin = (options.quantity == Quantity::SpeedUp).then_some(1.0);
    Axis::new(options.scale, values.chain(stacks).chain(ceilings.iter().map(|ceiling| ceiling.limit.rate())), origin)
}

/// What was not measured comes last.
fn kernel_ns(entry: &Entry<'_>) -> f64 {
    figures(&entry.reading).ok().and_then(|measured| measured.kernel.as_ref()).map_or(f64::INFINITY, |kernel| kernel.median_ns)
}

fn cpu_rank(contender: &Contender) -> usize {
    match contender {
        Contender::Cpu { engine, .. } => *engine as usize,
        Contender::Device { .. } => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::Row;
    use crate::plot::figures::stack;
    use crate::plot::{Baseline, Chart, Entry, LadderStep, Options, Quantity, Role, Scale};
    use crate::testing::records::{changed, ladder, on_cpu, on_device, on_device_in, roofs, steady, within_cache};
    use model::{Counts, CpuEngine, Measured, Outcome, Record, Shares};

    fn chart(readings: &[Record], options: &Options) -> Chart {
        super::chart(&Entry::of(readings), options)
    }

    fn baseline_index(readings: &[Record], wanted: Option<&str>) -> Option<usize> {
        let against = wanted.map_or(Baseline::Auto, |key| Baseline::Row(key.to_owned()));
        super::baseline_index(&Entry::of(readings), &against, 0)
    }

    fn key(reading: &Record) -> String {
        Entry::new(reading).key()
    }

    /// Steps 1, 2, 3 … of a ladder.
    fn climbed(readings: &[Record]) -> Vec<Entry<'_>> {
        let step = |number| Some(LadderStep { number, name: "Step" });
        readings.iter().zip(1..).map(|(reading, number)| Entry { step: step(number), ..Entry::new(reading) }).collect()
    }

    fn speed_ups() -> Options {
        Options { quantity: Quantity::SpeedUp, ..Options::default() }
    }

    fn kernel(row: &Row) -> Option<f64> {
        row.bars.kernel.map(|span| span.median)
    }

    #[test]
    fn a_cpu_beside_a_device_of_another_machine_is_said_to_be_this_ones() {
        let mut elsewhere = on_device("padded", 2e6);
        let cpu = on_cpu(CpuEngine::Simd, 1e6);
        let labels = |readings: &[Record]| chart(readings, &Options::default()).rows.into_iter().map(|row| row.label).collect::<Vec<_>>();
        assert!(labels(&[cpu.clone(), elsewhere.clone()]).contains(&"CPU SIMD".to_owned()));
        elsewhere.machine.alias = Some("lab1".to_owned());
        assert!(labels(&[cpu, elsewhere.clone()]).contains(&"CPU SIMD · this machine".to_owned()));
        // Two machines with the same device are two devices.
        let mut other = elsewhere.clone();
        other.machine.alias = Some("lab2".to_owned());
        assert!(!elsewhere.is_repetition(&other));
        assert!(labels(&[elsewhere, other]).iter().all(|label| label.contains("lab")));
    }

    #[test]
    fn competitors_come_first_slowest_first_then_the_variants_in_order() {
        let labels: Vec<_> = chart(&ladder(), &Options::default()).rows.into_iter().map(|row| row.label).collect();
        assert_eq!(labels[..5], ["CPU scalar", "CPU SIMD", "CPU SIMD all cores", "naive", "coalesced"]);
        assert_eq!(labels[8], "coalesced+padded+vectorize=4+merged+short16 @ 32x4");
    }

    #[test]
    fn times_are_kernel_and_stacked_round_trip() {
        let alone = chart(&[on_device("naive", 40e6)], &Options { round_trip: false, ..Options::default() }).rows;
        let rows = chart(&[on_device("naive", 40e6)], &Options::default()).rows;
        let span = alone[0].bars.kernel.expect("a kernel time");
        // Quartiles: the extremes of hundreds of samples say little, and are told on hover.
        assert_eq!((span.lower, span.median, span.upper), (38.8e6, 40e6, 42e6));
        let parts = rows[0].bars.parts.expect("a stack");
        assert_eq!((parts.upload_ns, parts.kernel_ns, parts.other_ns, parts.readback_ns, parts.total_ns()), (3e6, 40e6, 1e6, 2e6, 46e6));
        let ends: Vec<_> = stack(&parts).into_iter().map(|(_, to, role)| (to, role)).collect();
        let (transfers, device) = (Some(Role::Transfers), Some(Role::Device));
        assert_eq!(ends, [(3e6, transfers), (43e6, device), (44e6, None), (46e6, transfers)]);
    }

    #[test]
    fn the_stack_is_of_the_runs_that_it_was_measured_in() {
        // The kernel sampled apart takes 40 ms, longer than a whole round trip: the stack has the 20 ms of its own runs, or there is none.
        let apart = changed(on_device("naive", 40e6), |measured| {
            measured.round_trip.total = steady(26e6);
            measured.round_trip.kernel = Some(steady(20e6));
        });
        let row = &chart(std::slice::from_ref(&apart), &Options::default()).rows[0];
        let parts = row.bars.parts.expect("a stack");
        assert_eq!((parts.upload_ns, parts.kernel_ns, parts.other_ns, parts.readback_ns), (3e6, 20e6, 1e6, 2e6));
        // So is the kernel's own bar beside it: no part exceeds the whole.
        assert_eq!((kernel(row), row.bars.round_trip.map(|span| span.median)), (Some(20e6), Some(26e6)));
        let alone = chart(std::slice::from_ref(&apart), &Options { round_trip: false, ..Options::default() });
        assert_eq!(kernel(&alone.rows[0]), Some(40e6));
        let unknown = changed(apart, |measured| measured.round_trip.kernel = None);
        assert_eq!(chart(&[unknown], &Options::default()).rows[0].bars.parts, None);
    }

    #[test]
    fn a_log_axis_has_no_lengths_to_stack() {
        let options = Options { scale: Scale::Log, ..Options::default() };
        assert_eq!(chart(&[on_device("naive", 40e6)], &options).rows[0].bars.parts, None);
    }

    #[test]
    fn competitors_transfer_nothing_and_the_round_trip_can_be_hidden() {
        let rows = chart(&[on_cpu(CpuEngine::Simd, 5e6), on_device("naive", 5e6)], &Options::default()).rows;
        assert!(rows[0].bars.round_trip.is_none() && rows[1].bars.round_trip.is_some());
        let hidden = chart(&[on_device("naive", 5e6)], &Options { round_trip: false, ..Options::default() }).rows;
        assert!(hidden[0].bars.round_trip.is_none() && hidden[0].bars.parts.is_none());
    }

    #[test]
    fn speed_ups_are_kernel_by_kernel_and_round_trip_by_round_trip() {
        let readings = [on_device("naive", 40e6), on_device("coalesced", 10e6)];
        let rows = chart(&readings, &speed_ups()).rows;
        assert_eq!((kernel(&rows[0]), kernel(&rows[1])), (Some(1.0), Some(4.0)));
        let round_trip = rows[1].bars.round_trip.expect("a round trip");
        assert!((round_trip.median - 46.0 / 16.0).abs() < 1e-12);
        // The interval knows both spreads: the quartiles are 3 % below and 5 % above their medians.
        let span = rows[1].bars.kernel.expect("a span");
        assert!((span.lower - 38.8 / 10.5).abs() < 1e-12 && (span.upper - 42.0 / 9.7).abs() < 1e-12, "{span:?}");
        assert_eq!(span.text(Quantity::SpeedUp), "4.00× (3.70–4.33)");
        assert_eq!(rows[0].bars.kernel.map(|span| span.text(Quantity::SpeedUp)).as_deref(), Some("1×"), "no doubt about itself");
        assert!(rows.iter().all(|row| row.bars.parts.is_none()), "ratios do not stack");
    }

    #[test]
    fn gigabytes_are_bytes_over_the_time() {
        let rows = chart(&[on_device("naive", 6e6)], &Options { quantity: Quantity::Bandwidth, ..Options::default() }).rows;
        // 12 MB in 6 ms, and in 12 ms with the transfers.
        assert_eq!((kernel(&rows[0]), rows[0].bars.round_trip.map(|span| span.median)), (Some(2.0), Some(1.0)));
    }

    #[test]
    fn gigabytes_are_beside_their_ceiling_and_are_not_where_arithmetic_bounds() {
        // 12 MB in 150 µs are 80 GB/s, below the copy's 100; 0.6 MB come from the cache, of 400. 100 additions per pixel, 200 million, in 5 ms are 40 of 50 per
        // nanosecond.
        let with_shares = |kernel_ns: f64, operations: f64, change: fn(&mut Measured)| {
            changed(on_device("naive", kernel_ns), |measured| {
                change(measured);
                measured.counts = Some(Counts { operations, must_move_bytes: 6.0, ..Counts::default() });
                measured.roofline = Shares::of(measured, &roofs());
            })
        };
        let readings = [with_shares(150_000.0, 0.0, |_| ()), with_shares(3000.0, 0.0, within_cache), with_shares(5e6, 100.0, |_| ())];
        let options = Options { quantity: Quantity::Bandwidth, ..Options::default() };
        let found = chart(&readings, &options);
        let rates: Vec<_> = found.ceilings.iter().map(|ceiling| (ceiling.label.as_str(), ceiling.limit.rate())).collect();
        assert_eq!(rates, [("Copy", 100.0), ("Copy in cache", 400.0)]);
        assert!(found.axis.ends()[1] >= 400.0, "the ceilings are on the axis");
        assert_eq!((kernel(&found.rows[0]), kernel(&found.rows[2]), found.rows[2].bars.round_trip), (Some(80.0), None, None));
        assert_eq!(found.rows[2].problem.as_ref().expect("words").text, "bound by arithmetic: GB/s is not meaningful");
        assert!(chart(&readings, &Options::default()).ceilings.is_empty(), "times have no ceiling");
        assert!(chart(&[on_device("naive", 6e6)], &options).ceilings.is_empty(), "what is not known is not drawn");
    }

    #[test]
    fn the_baseline_is_the_wanted_row_else_naive_else_scalar_else_the_first() {
        let all = ladder();
        let wanted = key(&all[3]);
        assert_eq!(baseline_index(&all, Some(&wanted)), Some(3));
        assert_eq!(baseline_index(&all, Some("gone")), Some(0));
        assert_eq!(baseline_index(&[on_device("coalesced", 1.0), on_cpu(CpuEngine::Scalar, 2.0)], None), Some(1));
        assert_eq!(baseline_index(&[on_device("coalesced", 1.0)], None), Some(0));
        assert_eq!(baseline_index(&[on_device_in("naive", Outcome::Failed("cancelled".into()))], None), None);
        // A wrong output is no baseline, even where it is asked for.
        assert_eq!(baseline_index(&all, Some(&key(&all[6]))), Some(0));
        let rows = chart(&all, &Options { against: Baseline::Row(wanted), ..speed_ups() }).rows;
        assert_eq!(rows.iter().filter(|row| row.is_baseline).map(|row| row.index).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn on_a_ladder_the_baseline_is_its_first_step_and_rows_say_step_and_variant() {
        let readings = [on_device("coalesced", 40e6), on_device("naive", 80e6), on_device("padded", 10e6)];
        let chart = super::chart(&climbed(&readings), &speed_ups());
        assert_eq!(chart.rows.iter().map(kernel).collect::<Vec<_>>(), [Some(1.0), Some(0.5), Some(4.0)]);
        assert_eq!(chart.baseline_label.as_deref(), Some("1 Step"));
        assert_eq!((chart.rows[2].label.as_str(), chart.rows[2].detail.as_deref()), ("3 Step", Some("padded")));
        assert_eq!(chart.rows[2].title(), "3 Step · padded");
    }

    #[test]
    fn steps_are_compared_with_the_step_before() {
        let readings = [
            on_device("naive", 80e6),
            on_device_in("coalesced", Outcome::Unsupported("no".into())),
            on_device("padded", 20e6),
            on_device("padded+vectorize=4", 10e6),
            on_cpu(CpuEngine::Simd, 1e6),
        ];
        let mut entries = climbed(&readings);
        entries[4].step = None;
        let previous = Options { against: Baseline::Previous, ..speed_ups() };
        let on_ladder = super::chart(&entries, &previous);
        let told = |chart: &Chart| chart.rows.iter().map(|row| (row.index, kernel(row))).collect::<Vec<_>>();
        // What was not measured is passed over; a competitor is no step.
        assert_eq!(told(&on_ladder), [(4, None), (0, Some(1.0)), (1, None), (2, Some(4.0)), (3, Some(2.0))]);
        assert_eq!(on_ladder.baseline_label.as_deref(), Some("the previous step"));
        let without = chart(&readings, &previous);
        assert_eq!(told(&without), told(&on_ladder));
        assert_eq!(without.baseline_label.as_deref(), Some("the previous variant"));
    }

    #[test]
    fn what_was_not_measured_or_is_wrong_is_a_row_with_a_reason_and_no_bar() {
        let unverified = changed(on_device("naive", 1e6), |measured| measured.verification.total_pixels = 0);
        let mut readings = ladder();
        readings.push(unverified);
        readings.push(on_device_in("padded", Outcome::Failed("the driver gave up".into())));
        let chart = chart(&readings, &Options::default());
        let told: Vec<_> = chart.rows.iter().filter_map(|row| row.problem.clone().map(|problem| (row.index, problem))).collect();
        let expected = [
            (6, true, "failed: wrong output, 12 of 2000000 pixels differ"),
            (7, false, "not supported: the tile needs 40000 bytes of local memory, the device has 32768"),
            (9, true, "failed: output not verified"),
            (10, true, "failed: the driver gave up"),
        ];
        assert_eq!(told.len(), expected.len());
        for ((index, problem), wanted) in told.iter().zip(expected) {
            assert_eq!((*index, problem.is_failure, problem.text.as_str()), wanted);
        }
        for row in chart.rows.iter().filter(|row| row.problem.is_some()) {
            assert_eq!(row.bars, super::Bars::default(), "{}", row.label);
        }
    }

    #[test]
    fn invalid_timestamps_leave_the_round_trip_and_say_so() {
        let rows = chart(&[changed(on_device("naive", 5e6), |measured| measured.kernel = None)], &Options::default()).rows;
        assert_eq!(rows[0].problem.as_ref().map(|problem| problem.text.as_str()), Some("timestamp invalid"));
        assert!(rows[0].bars.kernel.is_none() && rows[0].bars.round_trip.is_some());
    }

    #[test]
    fn a_disturbed_reading_does_not_squash_the_bars() {
        let slow = changed(on_device("naive", 5e6), |measured| {
            if let Some(kernel) = &mut measured.kernel {
                (kernel.upper_quartile_ns, kernel.max_ns) = (5e9, 5e9);
            }
        });
        let chart = chart(&[slow], &Options { round_trip: false, ..Options::default() });
        assert!(chart.axis.position(5e6) > 0.5 && chart.axis.ends_before(5e9));
    }

    #[test]
    fn rows_of_several_devices_and_sizes_say_which() {
        let mut other = on_device("naive", 5e6);
        other.machine.device = "Second device".into();
        let labels = |readings: &[_]| chart(readings, &Options::default()).rows.into_iter().map(|row| row.label).collect::<Vec<_>>();
        assert_eq!(labels(&[on_device("naive", 5e6), other.clone()]), ["naive · Test device", "naive · Second device"]);
        other.machine.device = "Test device".into();
        other.picture.width_px = 10;
        assert_eq!(labels(&[on_device("naive", 5e6), other]), ["naive · 2048 × 1024", "naive · 10 × 1024"]);
    }

    #[test]
    fn ratios_on_a_log_axis_begin_at_one_with_slower_rows_to_the_left() {
        let readings = [on_device("naive", 40e6), on_device("coalesced", 80e6), on_device("padded", 10e6)];
        let axis = chart(&readings, &Options { scale: Scale::Log, ..speed_ups() }).axis;
        assert!(axis.position(0.5) < axis.origin() && axis.position(4.0) > axis.origin());
    }

    #[test]
    fn a_given_name_stands_in_for_the_label() {
        let named = Record { name: Some("before lunch".into()), ..on_device("naive", 5e6) };
        let rows = chart(&[named, on_device("naive", 6e6)], &Options { against: Baseline::Row("before lunch".into()), ..speed_ups() }).rows;
        assert_eq!((rows[0].label.as_str(), rows[1].label.as_str()), ("before lunch", "naive"));
        assert_eq!(rows[0].detail.as_deref(), Some("naive"), "the name does not hide which variant it is");
        assert!(rows[0].is_baseline && !rows[1].is_baseline);
    }
}
