//! What studies found, in sentences: the window and the command line say the same.

use super::ablation::{self, StageWorth};
use super::widths::Found;
use super::{
    AddedCurve, AddedPoint, BreakEven, Bus, Candidate, Cell, Diagnosis, Ending, Estimate, Even, KernelTime, Line, OfBus, Sought, Tuned,
    Tuning,
};
use base::texts::{Words, filled, joined, text};
use model::measure::Verdict;
use model::{AddedKind, Bound, Labelled, LocalSize, Pipe, Variant, local_label};
use std::fmt::Display;
use view::plot::units::{self, number};
use view::story::{self, Block, Column, Kind, Table, Tone};

/// Both transfers of a round trip beside what the bus reaches: "upload 11.3 (10.9 to 11.8) of 25.9 GB/s, read-back …"; `None` where neither is known.
#[must_use]
pub fn bus(bus: &Bus) -> Option<String> {
    let told = |key, of: &Option<OfBus>| {
        of.map(|OfBus { gb_per_s: [rate, lower, upper], roof_gb_per_s }| {
            let [rate, lower, upper] = [rate, lower, upper].map(units::number);
            let roof = units::bandwidth(roof_gb_per_s);
            filled(key, &[("rate", &rate), ("lower", &lower), ("upper", &upper), ("roof", &roof)])
        })
    };
    let both = [told("studies.shares.upload-of-bus", &bus.upload), told("studies.shares.read-back-of-bus", &bus.readback)];
    both.iter().any(Option::is_some).then(|| joined("words.list.items", both.into_iter().flatten()))
}

/// A line for each curve that was tested: its flat part and its slope, and how busy what does this kind of work is without anything added; or why there is no
/// curve.
#[must_use]
pub fn curve_sentences(diagnosis: &Diagnosis) -> Vec<String> {
    diagnosis.curves.iter().zip(&diagnosis.endings).filter_map(|(curve, ending)| curve_sentence(curve, ending)).collect()
}

fn curve_sentence(curve: &AddedCurve, ending: &Ending) -> Option<String> {
    let unit = curve.kind.unit();
    if let Some(frame) = curve.frame.filter(|_| curve.is_changed()) {
        let time = units::speed_up_between(frame.time, frame.low, frame.high);
        return Some(filled("studies.bottleneck.frame-changed", &[("unit", &unit), ("time", &time)]));
    }
    if curve.points.is_empty() {
        return curve.failed.as_ref().map(|why| filled("studies.bottleneck.failed", &[("unit", &unit), ("why", why)]));
    }
    let hidden = match curve.hidden() {
        0.0 => filled("studies.bottleneck.first-costs", &[("unit", &unit)]),
        most => filled("studies.bottleneck.hidden", &[("most", &number(most)), ("unit", &unit)]),
    };
    let cost = match &ending.slope {
        Some(Estimate { value, low, high }) => {
            let [cost, low, high] = [value, low, high].map(|share| number(100.0 * share));
            let values: [(&str, &dyn Display); 4] = [("hidden", &hidden), ("cost", &cost), ("least", &low), ("most", &high)];
            filled("studies.bottleneck.slope", &values)
        }
        None => hidden,
    };
    let Some(Estimate { value, low, high }) = &ending.busy_share else { return Some(cost) };
    let [share, low, high] = [*value, *low, *high].map(units::whole_percent);
    let busy = text(match curve.kind {
        AddedKind::Bytes => "studies.bottleneck.bytes",
        AddedKind::Integer => "studies.bottleneck.integer",
        AddedKind::Float => "studies.bottleneck.float",
    });
    let values: [(&str, &dyn Display); 5] = [("cost", &cost), ("units", &busy), ("share", &share), ("least", &low), ("most", &high)];
    Some(filled("studies.bottleneck.busy", &values))
}

/// A stage whose contributions alone and last have intervals that do not meet; `None` where they do.
#[must_use]
pub fn interaction(variant: &Variant, stage: &StageWorth) -> Option<String> {
    let (alone, last) = stage.interaction()?;
    let [alone, last] = [alone, last].map(|compared| units::comparison(&compared.comparison));
    let values: [(&str, &dyn Display); 3] = [("stage", &ablation::name(variant, &stage.stages)), ("alone", &alone), ("last", &last)];
    Some(filled("studies.ablation.interaction", &values))
}

/// What the widths say together: a rule without exception, that there is no difference, or how many are which. `None` where none was compared.
#[must_use]
pub fn widths_sentence(found: &Found) -> Option<String> {
    let (width, _) = found.base_px;
    let count = found.compared_count();
    let [slower, faster, same, unclear] =
        [Verdict::Slower, Verdict::Faster, Verdict::Same, Verdict::Unclear].map(|verdict| found.count(verdict));
    if count == 0 {
        return None;
    }
    if same == count {
        return Some(filled("studies.widths.no-difference", &[("count", &count), ("width", &width)]));
    }
    if let (Some(power), Some((least, most))) = (found.slower_unless_multiple_of(), found.slower_between()) {
        let [least, most] = [least, most].map(units::speed_up);
        return Some(filled("studies.widths.rule", &[("power", &power), ("width", &width), ("least", &least), ("most", &most)]));
    }
    let values: [(&str, &dyn Display); 6] =
        [("width", &width), ("count", &count), ("slower", &slower), ("faster", &faster), ("same", &same), ("unclear", &unclear)];
    let counts = filled("studies.widths.counts", &values);
    Some(if slower == 0 { counts } else { filled("studies.widths.no-rule", &[("counts", &counts)]) })
}

/// What the test itself costs: the kernel that is ready to have something added, against the kernel alone.
#[must_use]
pub fn frame_sentence(frame: &AddedPoint) -> String {
    filled("studies.bottleneck.frame", &[("time", &units::speed_up_between(frame.time, frame.low, frame.high))])
}

/// What follows of all curves; `None` where memory or arithmetic could not be tested.
#[must_use]
pub fn conclusion(diagnosis: &Diagnosis) -> Option<String> {
    let hidden = |kinds: &[AddedKind]| {
        let of_kinds = diagnosis.curves.iter().filter(|curve| kinds.contains(&curve.kind) && !curve.points.is_empty());
        of_kinds.map(AddedCurve::hidden).fold(f64::INFINITY, f64::min)
    };
    let told = |hidden: f64, key: &'static str, none: &'static str| {
        if hidden > 0.0 { filled(key, &[("most", &number(hidden))]) } else { text(none).to_owned() }
    };
    if diagnosis.is_changed() {
        return Some(text("studies.bottleneck.changed").to_owned());
    }
    match (diagnosis.bound, diagnosis.open.as_slice()) {
        (Some(Bound::AtRoof(Pipe::Memory) | Bound::Mostly(Pipe::Memory)), _) => {
            let hidden = hidden(&[AddedKind::Integer, AddedKind::Float]);
            Some(told(hidden, "studies.bottleneck.memory", "studies.bottleneck.memory-none"))
        }
        (Some(Bound::AtRoof(Pipe::Arithmetic) | Bound::Mostly(Pipe::Arithmetic)), _) => {
            Some(told(hidden(&[AddedKind::Bytes]), "studies.bottleneck.arithmetic", "studies.bottleneck.arithmetic-none"))
        }
        (Some(Bound::Balanced), _) => Some(text("studies.bottleneck.balanced").to_owned()),
        (Some(Bound::Neither | Bound::Launch | Bound::Unknown | Bound::AtRoof(Pipe::Local) | Bound::Mostly(Pipe::Local)), _) => {
            Some(text("studies.bottleneck.neither").to_owned())
        }
        (None, open) => {
            let labels = open.iter().map(|bound| bound.label().to_owned());
            let bounds = labels.reduce(|one, other| filled("studies.bottleneck.or", &[("one", &one), ("other", &other)]))?;
            Some(filled("studies.bottleneck.open", &[("bounds", &bounds)]))
        }
    }
}

/// What a search for the best local work size found, a line each: the best, the worst, the driver's choice.
#[must_use]
pub fn tuned_sentences(tuned: &Tuned) -> Vec<String> {
    let told = |key, cell: &Cell, time: KernelTime| filled(key, &[("size", &local_label(cell.local)), ("time", &kernel_time(&time))]);
    // The times that stand beside a ratio are those that it was made of.
    let [driver, best] = tuned.in_pairs.map_or([None; 2], |times| times.map(Some));
    let best = tuned.best().and_then(|cell| {
        let best = told("studies.tune.best", cell, best.or(cell.time)?);
        let Some(gain) = &tuned.gain else { return Some(best) };
        let change = units::outcome(gain, tuned.is_gain_busy);
        Some(filled("studies.tune.best-against", &[("best", &best), ("change", &change)]))
    });
    let driver = driver.or(tuned.driver).map(|time| filled("studies.tune.driver", &[("time", &kernel_time(&time))]));
    let worst = tuned.worst().filter(|_| tuned.cells.len() > 1).and_then(|cell| Some(told("studies.tune.worst", cell, cell.time?)));
    best.into_iter().chain(driver).chain(worst).collect()
}

/// What each parameter of a search explains of the differences between its times, from 0 to 1: a table, the most first, and how to read it. Nothing of none.
#[must_use]
pub fn importance(mut of: Vec<(story::Cell, f64)>) -> Vec<Block> {
    if of.is_empty() {
        return Vec::new();
    }
    let columns =
        vec![Column::new("parameter", Kind::Words, "project.told.parameter"), Column::new("share", Kind::Number, "project.told.share")];
    let mut table = Table::new("importance", columns);
    of.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (name, share) in of {
        table.row([name, story::Cell::of(&format!("{} %", units::whole_percent(share)))]);
    }
    vec![Block::Table(table), Block::Sentence(Tone::Weak, Words::text("project.told.importance-note"))]
}

/// "coalesced+rows=8, 64 × 2".
#[must_use]
pub fn candidate(candidate: Candidate) -> String {
    let local = match candidate.local {
        LocalSize::Driver => text("studies.autotune.drivers").to_owned(),
        LocalSize::Explicit(size) => local_label(size),
    };
    filled("studies.autotune.candidate", &[("variant", &candidate.variant), ("local", &local)])
}

/// What an earlier search found, and what it is worth against what it was compared with.
#[must_use]
pub fn found_before(tuning: &Tuning) -> [String; 2] {
    let found = candidate(tuning.found);
    let values: [(&str, &dyn Display); 3] = [("width", &tuning.width_px), ("height", &tuning.height_px), ("candidate", &found)];
    let against = match tuning.sought {
        Sought::Variant => "studies.autotune.whole",
        Sought::LocalSize => "studies.found-before.against-driver",
    };
    [filled("studies.found-before.found", &values), filled(against, &[("change", &units::outcome(&tuning.comparison, tuning.busy))])]
}

/// A kernel time with its quartiles, marked where it is not to be trusted: "55.4 µs (54 µs to 56 µs)".
#[must_use]
pub fn kernel_time(time: &KernelTime) -> String {
    let words = units::time_between(time.median_ns, time.lower_quartile_ns, time.upper_quartile_ns);
    if time.busy { filled("studies.tune.time-busy", &[("time", &words)]) } else { words }
}

/// From which size on the device wins against a competitor, with the lines that say from which on it should.
#[must_use]
pub fn break_even_sentence(result: &BreakEven) -> String {
    let name = result.against.label();
    let wins = match result.from {
        Some((width, height)) => filled("studies.break-even.wins", &[("name", &name), ("width", &width), ("height", &height)]),
        None => filled("studies.break-even.loses", &[("name", &name)]),
    };
    let (Some(device), Some(cpu)) = (&result.device, &result.cpu) else { return wins };
    let line = |line: &Line| {
        let [fixed, per_pixel] = [line.fixed_ns, line.per_pixel_ns].map(units::time);
        filled("studies.break-even.line", &[("fixed", &fixed), ("per_pixel", &per_pixel)])
    };
    let lines = filled("studies.break-even.lines", &[("wins", &wins), ("device", &line(device)), ("cpu", &line(cpu))]);
    match even(result) {
        Some(even) => filled("studies.break-even.with-even", &[("lines", &lines), ("even", &even)]),
        None => lines,
    }
}

/// Where both take the same time, as far as the sizes measured tell.
fn even(result: &BreakEven) -> Option<String> {
    let (least, most) = (result.at.first()?.0, result.at.last()?.0);
    let outside = |key, (width, height): (usize, usize)| filled(key, &[("width", &width), ("height", &height)]);
    Some(match result.even? {
        Even::Below => outside("studies.break-even.below", least),
        Even::Above => outside("studies.break-even.above", most),
        Even::Within { pixels, low, high } => {
            let side = |pixels: f64| filled("studies.break-even.side", &[("side", &format!("{:.0}", pixels.sqrt()))]);
            let low = low.map_or_else(|| outside("studies.break-even.smaller", least), side);
            let high = high.map_or_else(|| outside("studies.break-even.larger", most), side);
            let count = units::grouped(pixels.round() as usize);
            let values: [(&str, &dyn Display); 4] = [("pixels", &count), ("side", &side(pixels)), ("low", &low), ("high", &high)];
            filled("studies.break-even.even", &values)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{break_even_sentence, conclusion, curve_sentences, frame_sentence, tuned_sentences};
    use crate::testing::curves::curve;
    use crate::{AddedCurve, AddedPoint, BreakEven, Cell, Diagnosis, Even, KernelTime, Lead, Line, Tuned};
    use model::measure::{Comparison, Verdict};
    use model::{AddedKind, Bound, CpuEngine};

    #[test]
    fn a_test_is_told_in_words() {
        let failed = AddedCurve { kind: AddedKind::Float, failed: Some("no float".into()), ..curve(AddedKind::Float, &[]) };
        let bytes = curve(AddedKind::Bytes, &[1.5, 2.0, 3.0]);
        let integer = curve(AddedKind::Integer, &[1.0, 1.0, 1.0, 1.0, 1.8, 3.4]);
        let diagnosis = Diagnosis::of(vec![bytes, integer, failed]);
        let lines = curve_sentences(&diagnosis);
        assert!(
            lines[0].starts_with("Even a few bytes loaded per pixel slow it; beyond that, each costs 50 % of the kernel time ("),
            "{lines:?}"
        );
        assert!(lines[0].contains("Loads and stores are busy for 100 % of the original kernel time ("), "{lines:?}");
        assert!(
            lines[1].starts_with("Up to 8 more integer operations per pixel cost less than 5 %; beyond that, each costs 10 % of"),
            "{lines:?}"
        );
        assert_eq!(lines[2], "float operations per pixel: no float");
        let told = conclusion(&diagnosis).expect("both were tested");
        assert_eq!(told, "Memory-bound: up to 8 more operations per pixel are hidden behind the loads");
        assert_eq!(conclusion(&Diagnosis::of(vec![curve(AddedKind::Bytes, &[2.0])])), None);
        let frame = AddedPoint { per_pixel: 0.0, time: 4.37, low: 4.3, high: 4.4, busy: false };
        let changed = Diagnosis::of(vec![AddedCurve { frame: Some(frame), ..curve(AddedKind::Bytes, &[2.0]) }]);
        assert!(conclusion(&changed).expect("a reason").starts_with("No verdict: the test changed the kernel"), "{changed:?}");
        assert!(curve_sentences(&changed)[0].contains("4.37×"), "{:?}", curve_sentences(&changed));
        let open = Diagnosis { open: vec![Bound::Balanced, Bound::Neither], bound: None, ..diagnosis };
        assert_eq!(
            conclusion(&open).expect("open"),
            "The intervals cannot identify the limit: memory and arithmetic; or neither. Measure on a less busy machine or with a longer budget."
        );
        let frame = AddedPoint { per_pixel: 0.0, time: 1.02, low: 1.0, high: 1.04, busy: false };
        assert_eq!(frame_sentence(&frame), "Overhead of the test itself: 1.02× (1.00–1.04) the time of the original kernel");
    }

    /// A lucky reading of 43 µs beside pairs in which the same size took 78 µs.
    #[test]
    fn the_best_size_is_told_with_the_times_of_its_pairs() {
        let time = |median_ns| KernelTime { median_ns, lower_quartile_ns: median_ns, upper_quartile_ns: median_ns, busy: false };
        let tuned = Tuned {
            driver: Some(time(150e3)),
            cells: vec![Cell { local: [64, 2], time: Some(time(43.3e3)), why_not: None }],
            gain: Some(Comparison { ratio: 1.63, low: 1.6, high: 1.66, verdict: Verdict::Faster, starts: 1 }),
            is_gain_busy: false,
            in_pairs: Some([time(127e3), time(78e3)]),
        };
        let told = tuned_sentences(&tuned);
        assert!(told[0].starts_with("Best: 64 × 2, 78 µs") && told[0].contains("1.63×"), "{told:?}");
        assert!(told[1].starts_with("Driver's choice: 127 µs"), "{told:?}");
    }

    #[test]
    fn a_break_even_is_told_in_words() {
        let line = |fixed_ns, per_pixel_ns| Some(Line { fixed_ns, per_pixel_ns });
        let lead = Lead { ratio: 1.0, low: 0.9, high: 1.1, busy: false };
        let result = BreakEven {
            against: CpuEngine::Simd,
            at: vec![((256, 256), lead), ((512, 512), lead)],
            from: Some((512, 512)),
            even: Some(Even::Within { pixels: 90_000.0, low: Some(78_400.0), high: Some(102_400.0) }),
            device: line(50_000.0, 1.5),
            cpu: line(0.0, 2.0),
        };
        let lines = "CPU SIMD: the device is faster from 512 × 512 on, among the sizes measured; device 50 µs + 1.5 ns per pixel, CPU 0 ns + 2 ns per pixel";
        assert_eq!(
            break_even_sentence(&result),
            format!("{lines}: break-even at 90,000 pixels, which is 300 × 300 (280 × 280 to 320 × 320)")
        );
        let told = |even| break_even_sentence(&BreakEven { even: Some(even), ..result.clone() });
        assert_eq!(
            told(Even::Within { pixels: 90_000.0, low: None, high: None }),
            format!("{lines}: break-even at 90,000 pixels, which is 300 × 300 (less than 256 × 256 to more than 512 × 512)")
        );
        assert_eq!(told(Even::Below), format!("{lines}: faster at every size measured; any break-even is below 256 × 256"));
        assert_eq!(told(Even::Above), format!("{lines}: slower at 512 × 512; any break-even is above that size"));
        assert_eq!(
            break_even_sentence(&BreakEven { device: None, from: None, ..result }),
            "CPU SIMD: the device is not faster even at the largest size measured"
        );
    }
}
