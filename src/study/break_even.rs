//! From which picture size on does a device win, when the picture has to get there and back?
//!
//! Each round trip costs something fixed (launching, waiting) and something for each pixel (transfers and the kernel): t = L + (k + transfers) · pixels, against
//! c · pixels on the processor. The device wins where pixels > L / (c − k − transfers), and never where the bracket is not positive.

use crate::measure::{Comparison, Verdict, compare_readings};
use crate::model::{Contender, CpuEngine, Measured, Record, Summary};
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
    /// Through points of pixels and nanoseconds, by least squares of relative errors: what is short counts as much as what is long. `None` with fewer than two
    /// sizes.
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
        (determinant > 1e-12 * uu * vv)
            .then(|| Self { fixed_ns: (u * vv - v * uv) / determinant, per_pixel_ns: (v * uu - u * uv) / determinant })
    }

    /// The number of pixels from which on `self` takes less time than `other`; 0 where it always does, `None` where it never does.
    #[must_use]
    pub fn pixels_to_beat(&self, other: &Self) -> Option<f64> {
        let gain_per_pixel_ns = other.per_pixel_ns - self.per_pixel_ns;
        (gain_per_pixel_ns > 0.0).then(|| ((self.fixed_ns - other.fixed_ns) / gain_per_pixel_ns).max(0.0))
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
    /// Building the program, which is in none of the others.
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
            build_ns: measured.build_ns.map(|build_ns| build_ns as f64),
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

/// How a device's round trip stands against one competitor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreakEven {
    /// The competitor.
    pub against: CpuEngine,
    /// At each size that both were measured at, how many times as fast the device is, with what the quartiles of both leave open.
    pub at: Vec<((usize, usize), Comparison)>,
    /// The smallest size from which on the device wins at every size that was measured, beyond what the quartiles leave open.
    pub from: Option<(usize, usize)>,
    /// The number of pixels from which on it should, by lines through both; `None`: never.
    pub pixels: Option<f64>,
    /// The device's line.
    pub device: Option<Line>,
    /// The competitor's line.
    pub cpu: Option<Line>,
}

impl BreakEven {
    /// Of the sizes measured, from small to large.
    #[must_use]
    pub fn of(rivals: &[Rivals], against: CpuEngine) -> Self {
        let total = |record: &Record| -> Option<Summary> { record.measured().map(|measured| measured.round_trip.total.clone()) };
        let mut at = Vec::new();
        let (mut device, mut cpu) = (Vec::new(), Vec::new());
        for size in rivals {
            let competitor = size.cpu.iter().find(|(engine, _)| *engine == against).map(|(_, record)| record);
            let competitor = competitor.and_then(|record| Some((total(record)?, record.is_busy())));
            let (Some(own), Some((competitor, is_theirs_busy))) = (total(size.device), competitor) else { continue };
            let picture = size.device.picture.size();
            let pixels = (picture.0 * picture.1) as f64;
            device.push((pixels, own.median_ns));
            cpu.push((pixels, competitor.median_ns));
            at.extend(
                compare_readings((&competitor, is_theirs_busy), (&own, size.device.is_busy())).map(|comparison| (picture, comparison)),
            );
        }
        let wins = at.iter().rev().take_while(|(_, comparison)| comparison.verdict == Verdict::Faster);
        let (device, cpu) = (Line::through(&device), Line::through(&cpu));
        Self {
            against,
            from: wins.last().map(|(size, _)| *size),
            pixels: device.zip(cpu).and_then(|(device, cpu)| device.pixels_to_beat(&cpu)),
            at,
            device,
            cpu,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BreakEven, Ledger, Line, Rivals};
    use crate::model::{CpuEngine, Record};
    use crate::testing::records::{changed, on_cpu, on_device, steady};

    #[test]
    fn a_line_goes_through_its_points() {
        let line = Line::through(&[(1e4, 130.0), (1e6, 3100.0), (1e8, 300_100.0)]).expect("three sizes");
        assert!((line.fixed_ns - 100.0).abs() < 1e-6 && (line.per_pixel_ns - 0.003).abs() < 1e-12, "{line:?}");
        assert_eq!(Line::through(&[(1e4, 130.0), (1e4, 140.0)]), None);
        assert_eq!(Line::through(&[]), None);
    }

    #[test]
    fn the_break_even_by_hand() {
        let line = |fixed_ns, per_pixel_ns| Line { fixed_ns, per_pixel_ns };
        // 50 µs fixed, and half a nanosecond per pixel saved: 100 000 pixels.
        assert_eq!(line(50_000.0, 1.5).pixels_to_beat(&line(0.0, 2.0)), Some(100_000.0));
        // Transfers that cost more than computing does: never.
        assert_eq!(line(50_000.0, 2.0).pixels_to_beat(&line(0.0, 2.0)), None);
        assert_eq!(line(10.0, 1.0).pixels_to_beat(&line(20.0, 2.0)), Some(0.0));
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
        assert!((found.pixels.expect("it wins") - 60_000.0).abs() < 1.0, "{found:?}");
        // A size in between that it wins by chance does not count, nor does a competitor that was not measured.
        let chance: Vec<_> = [made(100, 10.0), made(200, time(200)), made(300, time(300))].into();
        assert_eq!(BreakEven::of(&rivals(chance.leak()), CpuEngine::Simd).from, Some((300, 300)));
        assert_eq!(BreakEven::of(&rivals(records), CpuEngine::Threads).from, None);
    }
}
