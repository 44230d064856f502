//! From which picture size on does a device win, when the picture has to get there and back?
//!
//! Each round trip costs something fixed (launching, waiting) and something for each pixel (transfers and the kernel): t = fixed + per pixel · pixels. Neither
//! can be less than nothing. Where device and processor are even is where their measured times cross, between two sizes that were measured: lines through all
//! sizes may cross elsewhere, as caches end between small pictures and large ones, and beyond the sizes measured nothing is known.

use crate::measure::{Comparison, Verdict, compare_readings};
use crate::model::{BuildFrom, Contender, CpuEngine, Measured, Record};
use serde::Serialize;

/// Sizes that are measured: from a thumbnail to 8K.
pub const SIZES: [(usize, usize); 7] = [(256, 256), (512, 512), (1024, 1024), (1920, 1080), (2560, 1440), (3840, 2160), (7680, 4320)];

/// A time that grows with the number of pixels: t = fixed + per pixel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What a picture of no pixels would take.
    pub fixed_ns: f64,
    /// What each pixel adds.
    pub per_pixel_ns: f64,
}

impl Line {
    /// Through points of pixels and nanoseconds, by least squares of relative errors: what is short counts as much as what is long. Of lines that take less than
    /// nothing for no pixels, or for each one more, none is it, but the best of those that do not. `None` with fewer than two sizes.
    #[must_use]
    pub fn through(points: &[(f64, f64)]) -> Option<Self> {
        // Minimizes the sum of ((fixed + per_pixel x − t) / t)², which is that of (fixed u + per_pixel v − 1)² for u = 1 / t and v = x / t.
        let (mut uu, mut uv, mut vv, mut u, mut v) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(pixels, time_ns) in points.iter().filter(|(_, time_ns)| *time_ns > 0.0) {
            let (one, other) = (1.0 / time_ns, pixels / time_ns);
            uu += one * one;
            uv += one * other;
            vv += other * other;
            u += one;
            v += other;
        }
        let determinant = uu * vv - uv * uv;
        // Relative to what it is made of: points of one size leave rounding alone.
        (determinant > 1e-12 * uu * vv).then(|| {
            let free = Self { fixed_ns: (u * vv - v * uv) / determinant, per_pixel_ns: (v * uu - u * uv) / determinant };
            if free.fixed_ns < 0.0 {
                Self { fixed_ns: 0.0, per_pixel_ns: v / vv }
            } else if free.per_pixel_ns < 0.0 {
                Self { fixed_ns: u / uu, per_pixel_ns: 0.0 }
            } else {
                free
            }
        })
    }
}

/// One size: the device's whole round trip, and what the competitors take for the same picture.
#[derive(Clone, Debug)]
pub struct Rivals<'a> {
    /// The device's record.
    pub device: &'a Record,
    /// The competitors' records.
    pub cpu: Vec<(CpuEngine, &'a Record)>,
}

impl<'a> Rivals<'a> {
    /// Those of each size, in the order in which the sizes were measured. A size that the device has no record of is left out.
    #[must_use]
    pub fn of(records: &'a [Record]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for record in records {
            match record.contender {
                Contender::Device { .. } => all.push(Self { device: record, cpu: Vec::new() }),
                Contender::Cpu { engine, .. } => {
                    if let Some(size) = all.iter_mut().find(|size| size.device.picture == record.picture) {
                        size.cpu.push((engine, record));
                    }
                }
            }
        }
        all
    }
}

/// Where the time of a device's median round trip goes, in nanoseconds; `None` is what is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ledger {
    /// Compiling the program, which is in none of the others. `None` where it was found in a cache of this program: finding it is no build.
    pub build_ns: Option<f64>,
    /// Packing into the padded layout.
    pub layout_ns: Option<f64>,
    /// Upload without packing.
    pub upload_ns: Option<f64>,
    /// Launching, and waiting for the driver.
    pub wait_ns: Option<f64>,
    /// The kernel.
    pub kernel_ns: Option<f64>,
    /// Read-back.
    pub readback_ns: Option<f64>,
    /// The median round trip.
    pub total_ns: f64,
}

impl Ledger {
    /// Of a device's measurement.
    #[must_use]
    pub fn of(measured: &Measured) -> Self {
        let run = measured.round_trip.median_run();
        Self {
            build_ns: measured.build_ns.filter(|_| measured.build_from == BuildFrom::Source).map(|build_ns| build_ns as f64),
            layout_ns: run.and_then(|run| run.layout_ns),
            upload_ns: run.map(|run| run.upload_ns - run.layout_ns.unwrap_or(0.0)),
            wait_ns: run.map(|run| run.other_ns),
            kernel_ns: run.map(|run| run.kernel_ns),
            readback_ns: run.map(|run| run.readback_ns),
            total_ns: measured.round_trip.total.median_ns,
        }
    }

    /// Build, layout, upload, launch and wait, kernel, read-back and the whole, as tables have them.
    #[must_use]
    pub fn cells(&self) -> [Option<f64>; 7] {
        [self.build_ns, self.layout_ns, self.upload_ns, self.wait_ns, self.kernel_ns, self.readback_ns, Some(self.total_ns)]
    }
}

/// How many times as fast the device's round trip is at one size, from separate runs: no verdict of interleaved pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// By the medians.
    pub ratio: f64,
    /// The least that the quartiles of both leave open.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// Other work disturbed one of the two.
    pub busy: bool,
}

/// Where the device and a competitor take the same time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "where")]
pub enum Even {
    /// Between two sizes that were measured; from there on the device is ahead at all that were.
    Within {
        /// Number of pixels.
        pixels: f64,
        /// The fewest that the quartiles leave open; `None` where those lie below the smallest size.
        low: Option<f64>,
        /// The most; `None` where those lie above the largest size.
        high: Option<f64>,
    },
    /// The device is ahead at every size measured: at a smaller one, if anywhere.
    Below,
    /// The device is behind at the largest size measured: at a larger one, if anywhere.
    Above,
}

impl Even {
    /// Of leads at sizes from few pixels to many; `None` of no size.
    fn of(at: &[((usize, usize), Lead)]) -> Option<Self> {
        at.first()?;
        let even = |of: fn(&Lead) -> f64| {
            let points = at.iter().map(|((width, height), lead)| ((width * height) as f64, of(lead)));
            Self::crossing(&points.collect::<Vec<_>>())
        };
        let pixels = |even: Self| if let Self::Within { pixels, .. } = even { Some(pixels) } else { None };
        Some(match even(|lead| lead.ratio) {
            Self::Within { pixels: middle, .. } => {
                Self::Within { pixels: middle, low: pixels(even(|lead| lead.high)), high: pixels(even(|lead| lead.low)) }
            }
            outside => outside,
        })
    }

    /// Behind the last size at which the device is behind, on logarithmic scales.
    fn crossing(points: &[(f64, f64)]) -> Self {
        let Some(behind) = points.iter().rposition(|(_, ratio)| *ratio < 1.0) else { return Self::Below };
        match (points.get(behind), points.get(behind + 1)) {
            (Some((fewer, slower)), Some((more, faster))) => {
                let part = slower.recip().ln() / (faster / slower).ln();
                Self::Within { pixels: fewer * (more / fewer).powf(part), low: None, high: None }
            }
            _ => Self::Above,
        }
    }
}

/// How a device's round trip stands against one competitor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreakEven {
    /// The competitor.
    pub against: CpuEngine,
    /// At each size that both were measured at, from small to large, how many times as fast the device is.
    pub at: Vec<((usize, usize), Lead)>,
    /// The smallest size from which on the device wins at every size that was measured, beyond what the quartiles leave open.
    pub from: Option<(usize, usize)>,
    /// Where both take the same time; `None` where no size was measured on both.
    pub even: Option<Even>,
    /// The device's line.
    pub device: Option<Line>,
    /// The competitor's line.
    pub cpu: Option<Line>,
}

impl BreakEven {
    /// Of the sizes measured, from small to large.
    #[must_use]
    pub fn of(rivals: &[Rivals], against: CpuEngine) -> Self {
        let (mut at, mut from) = (Vec::new(), None);
        let (mut device, mut cpu) = (Vec::new(), Vec::new());
        for size in rivals {
            let competitor = size.cpu.iter().find(|(engine, _)| *engine == against).and_then(|(_, record)| record.measured());
            let (Some(own), Some(competitor)) = (size.device.measured(), competitor) else { continue };
            let (is_theirs_busy, is_own_busy) = (competitor.busy, own.busy);
            let (own, competitor) = (&own.round_trip.total, &competitor.round_trip.total);
            let picture = size.device.picture.size();
            let pixels = (picture.0 * picture.1) as f64;
            device.push((pixels, own.median_ns));
            cpu.push((pixels, competitor.median_ns));
            let compared = compare_readings((competitor, is_theirs_busy), (own, is_own_busy));
            let Some(Comparison { ratio, low, high, verdict, .. }) = compared else { continue };
            at.push((picture, Lead { ratio, low, high, busy: is_theirs_busy || is_own_busy }));
            from = if verdict == Verdict::Faster { from.or(Some(picture)) } else { None };
        }
        Self { against, from, even: Even::of(&at), at, device: Line::through(&device), cpu: Line::through(&cpu) }
    }
}

#[cfg(test)]
mod tests {
    use super::{BreakEven, Even, Lead, Ledger, Line, Rivals};
    use crate::model::{BuildFrom, CpuEngine, Record};
    use crate::testing::records::{changed, on_cpu, on_device, steady};

    #[test]
    fn a_line_goes_through_its_points() {
        let line = Line::through(&[(1e4, 130.0), (1e6, 3100.0), (1e8, 300_100.0)]).expect("three sizes");
        assert!((line.fixed_ns - 100.0).abs() < 1e-6 && (line.per_pixel_ns - 0.003).abs() < 1e-12, "{line:?}");
        assert_eq!(Line::through(&[(1e4, 130.0), (1e4, 140.0)]), None);
        assert_eq!(Line::through(&[]), None);
    }

    #[test]
    fn no_line_takes_less_than_nothing() {
        // Quadratic times: the best line of all begins far below 0.
        let line = Line::through(&[(1e4, 1e4), (1e5, 1e6), (1e6, 1e8)]).expect("three sizes");
        // Of relative errors with x / t of 1, 0.1 and 0.01: 1.11 / 1.0101.
        assert!(line.fixed_ns == 0.0 && (line.per_pixel_ns - 1.11 / 1.0101).abs() < 1e-9, "{line:?}");
        // Shorter for more pixels: flat.
        let line = Line::through(&[(1e4, 1e3), (1e6, 500.0)]).expect("two sizes");
        // 1 / t of 0.001 and 0.002: 0.003 / 0.000005.
        assert!(line.per_pixel_ns == 0.0 && (line.fixed_ns - 600.0).abs() < 1e-9, "{line:?}");
    }

    #[test]
    fn the_even_point_lies_between_sizes_measured_or_is_not_said() {
        let at = |ratios: &[(f64, f64, f64)]| -> Vec<_> {
            let sides = [100, 200, 400, 800];
            let lead = |&(low, ratio, high): &(f64, f64, f64)| Lead { ratio, low, high, busy: false };
            sides.iter().zip(ratios).map(|(side, ratios)| ((*side, *side), lead(ratios))).collect()
        };
        let even = |ratios: &[(f64, f64, f64)]| Even::of(&at(ratios)).expect("sizes");
        // Half as fast at 200 × 200, twice at 400 × 400: even half-way on logarithmic scales, at 80,000. At its best even at 100 × 100 · 4^½ = 20,000, and at
        // its worst at 400 × 400 · 4^½ = 320,000.
        let Even::Within { pixels, low, high } = even(&[(0.2, 0.4, 0.5), (0.25, 0.5, 2.0), (0.5, 2.0, 3.0), (2.0, 4.0, 5.0)]) else {
            panic!("it lies between sizes measured")
        };
        let ends = [pixels, low.expect("above the smallest"), high.expect("below the largest")];
        assert_eq!(ends.map(|pixels| pixels.round() as u32), [80_000, 20_000, 320_000]);
        // What the quartiles leave open beyond the sizes measured has no end.
        let Even::Within { low, high, .. } = even(&[(0.2, 0.5, 1.1), (0.5, 2.0, 3.0), (0.5, 2.0, 3.0), (0.9, 2.0, 3.0)]) else {
            panic!("it lies between sizes measured")
        };
        assert_eq!((low, high), (None, None));
        assert_eq!(even(&[(0.9, 1.2, 1.3); 4]), Even::Below);
        assert_eq!(even(&[(1.5, 1.6, 1.7), (0.9, 0.95, 1.2)]), Even::Above);
        assert_eq!(Even::of(&[]), None);
    }

    /// A device that is ahead even of the smallest picture: lines through the sizes cross at less than no pixels.
    #[test]
    fn files_have_no_negative_figures_and_no_verdict_of_separate_runs() {
        let sizes = [(100, 50.0, 80.0), (200, 900.0, 1200.0), (400, 4000.0, 9000.0)];
        let made: Vec<_> = sizes
            .map(|(side, device_ns, cpu_ns)| {
                (record(on_device("naive", 1e3), side, device_ns), record(on_cpu(CpuEngine::Simd, 1e3), side, cpu_ns))
            })
            .into();
        let rivals: Vec<_> = made.iter().map(|(device, cpu)| Rivals { device, cpu: vec![(CpuEngine::Simd, cpu)] }).collect();
        let found = BreakEven::of(&rivals, CpuEngine::Simd);
        assert_eq!((found.from, found.even), (Some((100, 100)), Some(Even::Below)));
        let written = serde_json::to_string(&found).expect("plain data");
        assert!(!written.contains("verdict") && !written.contains(":-") && !written.contains("pixels\":0"), "{written}");
    }

    #[test]
    fn the_ledger_adds_up_to_the_round_trip() {
        // 3 ms up, of which 1 ms is packing; 10 ms of kernel, 1 ms of waiting, 2 ms back.
        let record = on_device("naive", 10e6);
        let ledger = Ledger::of(record.measured().expect("measured"));
        assert_eq!(ledger.cells(), [None, Some(1e6), Some(2e6), Some(1e6), Some(10e6), Some(2e6), Some(16e6)]);
        assert!((ledger.cells()[1..6].iter().flatten().sum::<f64>() - ledger.total_ns).abs() < 1e-6);
    }

    #[test]
    fn what_was_found_in_a_cache_was_not_built() {
        let build = |build_from| {
            let record =
                changed(on_device("naive", 10e6), |measured| (measured.build_ns, measured.build_from) = (Some(12_000), build_from));
            Ledger::of(record.measured().expect("measured")).build_ns
        };
        assert_eq!([BuildFrom::Source, BuildFrom::Disk, BuildFrom::Memory].map(build), [Some(12_000.0), None, None]);
    }

    #[test]
    fn records_are_rivals_by_their_picture() {
        let records = [
            record(on_device("naive", 1e3), 100, 1e3),
            record(on_cpu(CpuEngine::Simd, 1e3), 100, 2e3),
            record(on_device("naive", 1e3), 200, 1e3),
            record(on_cpu(CpuEngine::Scalar, 1e3), 200, 2e3),
            record(on_cpu(CpuEngine::Scalar, 1e3), 300, 2e3),
        ];
        let found: Vec<_> = Rivals::of(&records)
            .iter()
            .map(|size| (size.device.picture.width_px, size.cpu.iter().map(|(engine, _)| *engine).collect::<Vec<_>>()))
            .collect();
        assert_eq!(found, [(100, vec![CpuEngine::Simd]), (200, vec![CpuEngine::Scalar])]);
    }

    /// A record of that round trip over a picture so many pixels wide and high.
    fn record(record: Record, side: usize, total_ns: f64) -> Record {
        let mut record = changed(record, |measured| measured.round_trip.total = steady(total_ns));
        (record.picture.width_px, record.picture.height_px) = (side, side);
        record
    }

    #[test]
    fn a_win_counts_from_the_size_on_that_no_larger_one_loses() {
        // 60 µs and 1 ns per pixel, against 2 ns per pixel: even at 60 000 pixels, which are 245 × 245.
        let made = |side: usize, device_ns: f64| {
            let pixels = (side * side) as f64;
            (record(on_device("naive", 1e3), side, device_ns), record(on_cpu(CpuEngine::Simd, 1e3), side, 2.0 * pixels))
        };
        let time = |side: usize| 60_000.0 + (side * side) as f64;
        let records: Vec<_> = [100, 200, 300, 400].map(|side| made(side, time(side))).into();
        let rivals = |records: &'static [(Record, Record)]| -> Vec<Rivals> {
            records.iter().map(|(device, cpu)| Rivals { device, cpu: vec![(CpuEngine::Simd, cpu)] }).collect()
        };
        let records: &'static [(Record, Record)] = records.leak();
        let found = BreakEven::of(&rivals(records), CpuEngine::Simd);
        assert_eq!(found.from, Some((300, 300)));
        // Between 200 × 200 and 300 × 300; on logarithmic scales the ratio of the two lines is not quite straight.
        let Some(Even::Within { pixels, .. }) = found.even else { panic!("{found:?}") };
        assert!((pixels - 60_000.0).abs() < 3000.0, "{found:?}");
        // A size in between that it wins by chance does not count, nor does a competitor that was not measured.
        let chance: Vec<_> = [made(100, 10.0), made(200, time(200)), made(300, time(300))].into();
        assert_eq!(BreakEven::of(&rivals(chance.leak()), CpuEngine::Simd).from, Some((300, 300)));
        assert_eq!(BreakEven::of(&rivals(records), CpuEngine::Threads).from, None);
    }
}
