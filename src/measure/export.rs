//! Readings as CSV and JSON: one row a reading, every column named with its unit, a row without figures where a reading could not be taken.

use super::{BuildFrom, Contender, Measured, Reading, ReadingState, Summary};
use crate::error::{Error, Result};
use serde::Serialize;
use std::io::Write;

/// One reading, flat. The fields' order is the columns' order.
#[derive(Debug, Serialize)]
struct Row<'a> {
    date: &'a str,
    program_version: &'a str,
    filter: &'a str,
    width_px: usize,
    height_px: usize,
    channels: &'static str,
    border: &'static str,
    /// `opencl`, `cpu-scalar`, `cpu-simd` or `cpu-threads`.
    engine: &'static str,
    device: &'a str,
    driver: &'a str,
    instructions: Option<&'a str>,
    variant: Option<String>,
    local_size: Option<String>,
    /// Empty for NULL.
    local_size_used: Option<String>,
    /// `copy`, `map` or `use-host-ptr`.
    host_memory: Option<&'static str>,
    /// `measured`, `unsupported`, `skipped` or `failed`.
    status: &'static str,
    reason: Option<&'a str>,
    verification: Option<String>,
    differing_pixels: Option<usize>,
    max_difference: Option<u8>,
    kernel_median_ns: Option<f64>,
    kernel_min_ns: Option<f64>,
    kernel_lower_quartile_ns: Option<f64>,
    kernel_upper_quartile_ns: Option<f64>,
    kernel_max_ns: Option<f64>,
    kernel_sample_count: Option<usize>,
    bytes_moved: Option<u64>,
    gb_per_s: Option<f64>,
    /// Operations and bytes a pixel, counted from the code.
    loads_per_pixel: Option<f64>,
    loaded_bytes_per_pixel: Option<f64>,
    stores_per_pixel: Option<f64>,
    stored_bytes_per_pixel: Option<f64>,
    upload_median_ns: Option<f64>,
    readback_median_ns: Option<f64>,
    round_trip_median_ns: Option<f64>,
    round_trip_lower_quartile_ns: Option<f64>,
    round_trip_upper_quartile_ns: Option<f64>,
    build_ns: Option<u64>,
    build_from: Option<&'static str>,
    warm_cache: Option<bool>,
    discarded_share: Option<f64>,
    busy: Option<bool>,
}

impl<'a> Row<'a> {
    fn new(reading: &'a Reading) -> Self {
        let (engine, instructions, variant, local_size, local_size_used, host_memory) = match &reading.contender {
            Contender::Cpu { engine, instructions } => (engine.name(), Some(instructions.as_str()), None, None, None, None),
            Contender::Device { variant, local, local_used, host_memory } => {
                let used = local_used.map(|[x, y]| format!("{x}x{y}"));
                ("opencl", None, Some(variant.to_string()), Some(local.to_string()), used, Some(host_memory.name()))
            }
        };
        let (status, reason) = match &reading.state {
            ReadingState::Measured(_) => ("measured", None),
            ReadingState::Unsupported(reason) => ("unsupported", Some(reason.as_str())),
            ReadingState::Skipped(reason) => ("skipped", Some(reason.as_str())),
            ReadingState::Failed(reason) => ("failed", Some(reason.as_str())),
        };
        let measured = reading.measured();
        let kernel = measured.and_then(|measured| measured.kernel.as_ref());
        let counts = measured.and_then(|measured| measured.counts);
        let median = |part: fn(&Measured) -> Option<&Summary>| measured.and_then(part).map(|summary| summary.median_ns);
        Self {
            date: &reading.date,
            program_version: &reading.program_version,
            filter: &reading.filter,
            width_px: reading.width_px,
            height_px: reading.height_px,
            channels: reading.channels.name(),
            border: reading.border.name(),
            engine,
            device: &reading.device,
            driver: &reading.driver,
            instructions,
            variant,
            local_size,
            local_size_used,
            host_memory,
            status,
            reason,
            verification: measured.map(|measured| measured.verification.label()),
            differing_pixels: measured.map(|measured| measured.verification.differing_pixels),
            max_difference: measured.map(|measured| measured.verification.max_difference),
            kernel_median_ns: kernel.map(|kernel| kernel.median_ns),
            kernel_min_ns: kernel.map(|kernel| kernel.min_ns),
            kernel_lower_quartile_ns: kernel.map(|kernel| kernel.lower_quartile_ns),
            kernel_upper_quartile_ns: kernel.map(|kernel| kernel.upper_quartile_ns),
            kernel_max_ns: kernel.map(|kernel| kernel.max_ns),
            kernel_sample_count: kernel.map(|kernel| kernel.count),
            bytes_moved: measured.map(|measured| measured.bytes_moved),
            gb_per_s: measured.and_then(Measured::gb_per_s),
            loads_per_pixel: counts.map(|counts| counts.loads),
            loaded_bytes_per_pixel: counts.map(|counts| counts.loaded_bytes),
            stores_per_pixel: counts.map(|counts| counts.stores),
            stored_bytes_per_pixel: counts.map(|counts| counts.stored_bytes),
            upload_median_ns: median(|measured| measured.upload.as_ref()),
            readback_median_ns: median(|measured| measured.readback.as_ref()),
            round_trip_median_ns: median(|measured| Some(&measured.round_trip)),
            round_trip_lower_quartile_ns: measured.map(|measured| measured.round_trip.lower_quartile_ns),
            round_trip_upper_quartile_ns: measured.map(|measured| measured.round_trip.upper_quartile_ns),
            build_ns: measured.and_then(|measured| measured.build_ns),
            build_from: measured.map(|measured| origin(measured.build_from)),
            warm_cache: measured.map(|measured| measured.warm_cache),
            discarded_share: measured.map(|measured| measured.discarded_share),
            busy: measured.map(|measured| measured.busy),
        }
    }
}

const fn origin(from: BuildFrom) -> &'static str {
    match from {
        BuildFrom::Source => "source",
        BuildFrom::Disk => "disk cache",
        BuildFrom::Memory => "memory",
        BuildFrom::Nothing => "nothing to build",
    }
}

/// A row with its raw samples, in the order taken.
#[derive(Debug, Serialize)]
struct RowWithSamples<'a> {
    #[serde(flatten)]
    row: Row<'a>,
    kernel_samples_ns: &'a [u64],
    upload_samples_ns: &'a [u64],
    readback_samples_ns: &'a [u64],
    round_trip_samples_ns: &'a [u64],
}

impl<'a> RowWithSamples<'a> {
    fn new(reading: &'a Reading) -> Self {
        let samples = |part: fn(&Measured) -> Option<&Summary>| {
            reading.measured().and_then(part).map_or([].as_slice(), |summary| summary.samples_ns.as_slice())
        };
        Self {
            row: Row::new(reading),
            kernel_samples_ns: samples(|measured| measured.kernel.as_ref()),
            upload_samples_ns: samples(|measured| measured.upload.as_ref()),
            readback_samples_ns: samples(|measured| measured.readback.as_ref()),
            round_trip_samples_ns: samples(|measured| Some(&measured.round_trip)),
        }
    }
}

/// Writes a header line and one line a reading (nothing at all where there are none). Times are nanoseconds, bandwidth is 10⁹ bytes a second, what is not known is empty.
///
/// # Errors
/// When `to` cannot be written.
pub fn write_csv(readings: &[Reading], to: impl Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(to);
    for reading in readings {
        writer.serialize(Row::new(reading)).map_err(|error| not_written(&error))?;
    }
    writer.flush().map_err(|error| not_written(&error))
}

/// Writes an array with one object a reading: the columns of [`write_csv`] and all raw samples; what is not known is null.
///
/// # Errors
/// When `to` cannot be written.
pub fn write_json(readings: &[Reading], mut to: impl Write) -> Result<()> {
    let rows: Vec<_> = readings.iter().map(RowWithSamples::new).collect();
    serde_json::to_writer_pretty(&mut to, &rows).map_err(|error| not_written(&error))?;
    writeln!(to).and_then(|()| to.flush()).map_err(|error| not_written(&error))
}

fn not_written(error: &dyn std::error::Error) -> Error {
    Error::failed("The readings were not written", error.to_string(), "check the free space and the folder's rights")
}

#[cfg(test)]
mod tests {
    use super::{write_csv, write_json};
    use crate::cpu::CpuEngine;
    use crate::device::{HostMemory, LocalSize};
    use crate::image::{BorderMode, Channels};
    use crate::measure::{BuildFrom, Contender, Measured, Reading, ReadingState, Summary, Verification};
    use crate::variant::Variant;

    fn reading(contender: Contender, state: ReadingState) -> Reading {
        Reading {
            filter: "laplace".into(),
            contender,
            device: "A device, with \"quotes\"".into(),
            driver: "1.0".into(),
            program_version: "0.1.0".into(),
            width_px: 4,
            height_px: 2,
            channels: Channels::Rgb,
            border: BorderMode::Copy,
            date: "2026-01-02T03:04:05Z".into(),
            state,
        }
    }

    fn readings() -> Vec<Reading> {
        let verification = Verification { differing_pixels: 0, total_pixels: 8, max_difference: 0, first_differing: None, tolerance: 0 };
        let measured = Measured {
            passes: Vec::new(),
            counts: None,
            kernel: Summary::of(vec![10, 30, 20]),
            upload: Summary::of(vec![5]),
            readback: None,
            round_trip: Summary::of(vec![40, 50]).expect("samples"),
            build_ns: Some(7),
            build_from: BuildFrom::Disk,
            bytes_moved: 48,
            verification,
            discarded_share: 0.25,
            warm_cache: false,
            busy: false,
        };
        let local = LocalSize::Explicit([32, 4]);
        let variant = Variant::parse("padded+vectorize=4").expect("known");
        vec![
            reading(
                Contender::Device { variant, local, local_used: Some([32, 4]), host_memory: HostMemory::Map },
                ReadingState::Measured(Box::new(measured)),
            ),
            reading(
                Contender::Cpu { engine: CpuEngine::Simd, instructions: "AVX2, 1 thread".into() },
                ReadingState::Skipped("cancelled, on request".into()),
            ),
        ]
    }

    #[test]
    fn csv_has_a_row_for_each_reading_and_every_row_has_every_column() {
        let mut bytes = Vec::new();
        write_csv(&readings(), &mut bytes).expect("written");
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let header = reader.headers().expect("a header").clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("as long as the header")).collect();
        let cell = |row: usize, name: &str| {
            let column = header.iter().position(|column| column == name).expect(name);
            rows[row][column].to_owned()
        };
        assert_eq!(rows.len(), 2);
        assert_eq!(cell(0, "device"), "A device, with \"quotes\"");
        assert_eq!([cell(0, "variant"), cell(0, "local_size"), cell(0, "host_memory")], ["padded+vectorize=4", "32x4", "map"]);
        assert_eq!([cell(0, "kernel_median_ns"), cell(0, "gb_per_s")], ["20.0", "2.4"]);
        assert_eq!([cell(0, "readback_median_ns"), cell(0, "status")], ["", "measured"]);
        assert_eq!([cell(1, "engine"), cell(1, "status"), cell(1, "reason")], ["cpu-simd", "skipped", "cancelled, on request"]);
        assert_eq!(cell(1, "kernel_median_ns"), "");
    }

    #[test]
    fn json_keeps_raw_samples_in_their_order() {
        let mut bytes = Vec::new();
        write_json(&readings(), &mut bytes).expect("written");
        let rows: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(rows[0]["kernel_samples_ns"], serde_json::json!([10, 30, 20]));
        assert_eq!(rows[0]["round_trip_median_ns"], 45.0);
        assert_eq!(rows[1]["kernel_median_ns"], serde_json::Value::Null);
        assert_eq!(rows[1]["reason"], "cancelled, on request");
    }

    #[test]
    fn a_full_disk_is_an_error() {
        struct Full;
        impl std::io::Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        assert!(write_csv(&readings(), Full).is_err());
        assert!(write_json(&readings(), Full).is_err());
    }
}
