//! Everything that is known of one reading, in words: the hover text of its bar.

use crate::filters;
use crate::model::{BuildFrom, Contender, Measured, Outcome, Record, Summary};
use crate::plot::units;

/// Names and values, in the order in which they are shown.
pub fn details(reading: &Record) -> Vec<(&'static str, String)> {
    let mut lines = match &reading.outcome {
        Outcome::Measured(measured) => figures(measured),
        Outcome::Unsupported(why) => vec![("Not supported", why.clone())],
        Outcome::Failed(why) => vec![("Failed", why.clone())],
    };
    match &reading.contender {
        Contender::Cpu { instructions, .. } => {
            lines.push(("Algorithm", "The best for a CPU that we know, which need not be the kernel's".to_owned()));
            lines.push(("Instructions", instructions.clone()));
        }
        Contender::Device { local, local_used, host_memory, .. } => {
            let used = local_used.map_or_else(|| "NULL passed".to_owned(), |[x, y]| format!("{x} × {y} passed"));
            lines.push(("Local work size", format!("{local} ({used})")));
            lines.push(("Host memory", host_memory.label().to_owned()));
        }
    }
    lines.push(("Device", reading.machine.device.clone()));
    if !reading.machine.driver.is_empty() {
        lines.push(("Driver", reading.machine.driver.clone()));
    }
    lines.push(("Computed", filters::spec_text(&reading.spec)));
    lines.push(("Picture", format!("{} × {}", reading.picture.width_px, reading.picture.height_px)));
    lines.push(("Date", format!("{}, version {}", reading.date, reading.machine.program_version)));
    lines
}

fn figures(measured: &Measured) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let right = measured.verification.is_right() && measured.verification.total_pixels > 0;
    let verified = if measured.verification.total_pixels == 0 { "not verified".to_owned() } else { measured.verification.label() };
    lines.push(("Verification", verified));
    if right {
        lines.push(("Kernel time", measured.kernel.as_ref().map_or_else(|| "timestamp invalid".to_owned(), spread)));
        for pass in &measured.passes {
            lines.push(("Pass", format!("{}: {}", pass.kernel, spread(&pass.time))));
        }
        let wait = |name: &'static str, wait: &Option<Summary>| wait.as_ref().map(|wait| (name, spread(wait)));
        lines.extend(wait("Queue wait", &measured.queue_wait));
        lines.extend(wait("Launch latency", &measured.launch_latency));
        let trip = &measured.round_trip;
        lines.push(("Round trip", spread(&trip.total)));
        lines.extend(wait("  Upload", &trip.upload));
        lines.extend(wait("  Kernel in it", &trip.kernel));
        lines.extend(wait("  Read-back", &trip.readback));
        lines.extend(measured.counts.as_ref().map(|counts| ("Arithmetic", units::arithmetic(counts))));
        match &measured.roofline {
            Some(shares) => lines.extend([("Bandwidth", units::of_roof(shares)), ("Bound by", units::bound(shares))]),
            None => lines.extend(measured.gb_per_s().map(|rate| ("Bandwidth", units::bandwidth(rate)))),
        }
    }
    if let Some(counts) = &measured.counts {
        lines.push(("Memory operations", format!("{}: {}", units::memory_operations(counts), units::memory_bytes(counts))));
    }
    if let Some(build_ns) = measured.build_ns {
        lines.push(("Build", build(build_ns as f64, measured.build_from)));
    }
    let disturbed = format!("{:.0} % of the samples", measured.discarded_share * 100.0);
    if measured.busy && measured.discarded_share > 0.0 {
        let text = format!("Other programs disturbed {disturbed}; too few others were left, so all were kept: do not trust these times");
        lines.push(("Busy", text));
    } else if measured.busy {
        lines.push(("Busy", "Other programs were busy throughout: do not trust these times".to_owned()));
    } else if measured.discarded_share > 0.0 {
        lines.push(("Discarded", format!("{disturbed}, which other programs disturbed; n counts the rest")));
    }
    if measured.warm_cache {
        lines.push(("Caches", "Warm: the same buffers in every run".to_owned()));
    }
    lines
}

fn spread(summary: &Summary) -> String {
    format!(
        "{} · quartiles {} to {} · all {} to {} · n\u{a0}{}",
        units::time(summary.median_ns),
        units::time(summary.lower_quartile_ns),
        units::time(summary.upper_quartile_ns),
        units::time(summary.min_ns),
        units::time(summary.max_ns),
        summary.count
    )
}

fn build(nanoseconds: f64, from: BuildFrom) -> String {
    let time = units::time(nanoseconds);
    match from {
        BuildFrom::Source => format!("Compiled from source in {time}"),
        BuildFrom::Disk => format!("Loaded from the disk cache in {time}"),
        BuildFrom::Memory => "Built before in this session".to_owned(),
        BuildFrom::Nothing => "Nothing to build".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::details;
    use crate::testing::records::{changed, on_device, with_local};

    #[test]
    fn full_numbers_are_told() {
        let lines = details(&with_local(on_device("coalesced+padded", 10e6), [32, 4]));
        let told = |name: &str| lines.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        assert_eq!(told("Kernel time"), Some("10 ms · quartiles 9.7 ms to 10.5 ms · all 9 ms to 12 ms · n\u{a0}5"));
        assert_eq!(told("Verification"), Some("bit-exact"));
        assert_eq!(told("Local work size"), Some("32x4 (32 × 4 passed)"));
        assert_eq!(told("Driver"), Some("OpenCL 3.0 test, driver 1.0"));
        assert_eq!(told("Bandwidth"), Some("1.2 GB/s"));
        assert_eq!(told("Date"), Some("2026-02-03T04:05:06Z, version 0.1.0"));
    }

    #[test]
    fn a_busy_reading_does_not_say_that_its_samples_were_discarded() {
        let busy = changed(on_device("naive", 10e6), |measured| (measured.busy, measured.discarded_share) = (true, 1.0));
        let lines = details(&busy);
        assert!(
            lines.iter().all(|(name, _)| *name != "Discarded")
                && lines.iter().any(|(name, value)| *name == "Busy" && value.contains("100 %"))
        );
    }

    #[test]
    fn a_wrong_output_has_no_times() {
        let lines = details(&changed(on_device("naive", 10e6), |measured| measured.verification.differing_pixels = 3));
        assert_eq!(lines[0], ("Verification", "3 of 2000000 pixels differ".to_owned()));
        assert!(lines.iter().all(|(name, _)| !["Kernel time", "Round trip", "Bandwidth"].contains(name)));
    }
}
