//! Everything that is known of one reading, in words: the hover text of its bar.

use base::texts::{filled, pair, text};
use kernels::filters;
use model::{BuildFrom, Contender, Measured, Outcome, Record, Shares, Summary};
use std::fmt::Display;
use study::{Bus, telling};
use view::plot::units;

/// Names and values, in the order in which they are shown; `shares` of the roofs of its device and what its transfers come to, where they are known.
pub fn details(reading: &Record, shares: Option<&Shares>, bus: &Bus) -> Vec<(&'static str, String)> {
    let mut lines = match &reading.outcome {
        Outcome::Measured(measured) => figures(measured, shares, bus),
        Outcome::Unsupported(why) => vec![(text("window.details.unsupported"), why.to_string())],
        Outcome::Failed(why) => vec![(text("window.details.failed"), why.to_string())],
    };
    match &reading.contender {
        Contender::Cpu { instructions, .. } => {
            lines.push((text("window.details.algorithm"), text("window.details.algorithm-about").to_owned()));
            lines.push((text("window.details.instructions"), instructions.to_string()));
        }
        Contender::Device { local, local_used, host_memory, .. } => {
            let used = local_used
                .map_or_else(|| text("window.details.null").to_owned(), |[x, y]| filled("window.details.passed", &[("x", &x), ("y", &y)]));
            lines.push((text("window.details.local"), format!("{local} ({used})")));
            lines.push((text("window.details.host-memory"), host_memory.label().to_owned()));
        }
    }
    lines.push((text("window.details.device"), reading.machine.label()));
    if !reading.machine.driver.is_empty() {
        lines.push((text("window.details.driver"), reading.machine.driver.clone()));
    }
    lines.push((text("window.details.computed"), filters::spec_text(&reading.spec)));
    lines.push((text("window.details.picture"), format!("{} × {}", reading.picture.width_px, reading.picture.height_px)));
    lines.push((
        text("window.details.date"),
        filled("window.details.date-version", &[("date", &reading.date), ("version", &reading.machine.program_version)]),
    ));
    lines
}

fn figures(measured: &Measured, shares: Option<&Shares>, bus: &Bus) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let right = measured.is_right();
    let verified = if measured.verification.total_pixels == 0 {
        text("window.details.not-verified").to_owned()
    } else {
        measured.verification.label()
    };
    lines.push((text("window.details.verification"), verified));
    if right {
        lines.push((
            text("window.details.kernel"),
            match (&measured.kernel, &measured.doubt) {
                (Some(kernel), _) => spread(kernel),
                (None, Some(doubt)) => doubt.label(),
                (None, None) => text("window.details.invalid").to_owned(),
            },
        ));
        for pass in &measured.passes {
            lines.push((text("window.details.pass"), pair(&pass.kernel, &spread(&pass.time))));
        }
        let wait = |name: &'static str, wait: &Option<Summary>| wait.as_ref().map(|wait| (name, spread(wait)));
        lines.extend(wait(text("window.details.queue-wait"), &measured.queue_wait));
        lines.extend(wait(text("window.details.latency"), &measured.launch_latency));
        let trip = &measured.round_trip;
        lines.push((text("window.details.round-trip"), spread(&trip.total)));
        lines.extend(wait(text("window.details.upload"), &trip.upload));
        lines.extend(wait(text("window.details.kernel-in-it"), &trip.kernel));
        lines.extend(wait(text("window.details.read-back"), &trip.readback));
        lines.extend(telling::bus(bus).map(|told| (text("window.details.bus"), told)));
        lines.extend(measured.counts.as_ref().map(|counts| (text("window.details.arithmetic"), units::arithmetic(counts))));
        let bandwidth = text("window.details.bandwidth");
        match shares {
            Some(shares) => {
                // Where arithmetic bounds, bytes per second say nothing.
                lines.extend((!shares.bound.is_arithmetic()).then(|| (bandwidth, units::of_roof(shares))));
                lines.push((text("window.details.bound"), units::bound(shares)));
            }
            None => lines.extend(measured.gb_per_s().map(|rate| (bandwidth, units::bandwidth(rate)))),
        }
    }
    if let Some(counts) = &measured.counts {
        lines.push((text("window.details.memory"), pair(&units::memory_operations(counts), &units::memory_bytes(counts))));
    }
    if let Some(build_ns) = measured.build_ns {
        lines.push((text("window.details.build"), build(build_ns as f64, measured.build_from)));
    }
    let told = |key, share: f64| filled(key, &[("percent", &format!("{:.0}", share * 100.0))]);
    if measured.busy {
        let kept = measured.disturbed_share.filter(|disturbed| *disturbed > 0.0 && measured.discarded_share == 0.0);
        let throughout = || text("window.details.busy-throughout").to_owned();
        lines.push((text("window.details.busy"), kept.map_or_else(throughout, |disturbed| told("window.details.busy-kept", disturbed))));
    }
    if measured.discarded_share > 0.0 {
        lines.push((text("window.details.discarded"), told("window.details.discarded-share", measured.discarded_share)));
    }
    if measured.warm_cache {
        lines.push((text("window.details.caches"), text("window.details.warm").to_owned()));
    }
    lines
}

fn spread(summary: &Summary) -> String {
    let Summary { median_ns, lower_quartile_ns, upper_quartile_ns, min_ns, max_ns, count, .. } = *summary;
    let [middle, lower, upper, least, most] = [median_ns, lower_quartile_ns, upper_quartile_ns, min_ns, max_ns].map(units::time);
    let values: [(&str, &dyn Display); 6] =
        [("middle", &middle), ("lower", &lower), ("upper", &upper), ("least", &least), ("most", &most), ("count", &count)];
    filled("window.details.spread", &values)
}

fn build(nanoseconds: f64, from: BuildFrom) -> String {
    let time = units::time(nanoseconds);
    match from {
        BuildFrom::Source => filled("window.details.compiled", &[("time", &time)]),
        BuildFrom::Disk => filled("window.details.loaded", &[("time", &time)]),
        BuildFrom::Memory => text("window.details.built-before").to_owned(),
        BuildFrom::Nothing => text("window.details.nothing-built").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::details;
    use crate::testing::records::{changed, on_device, roofs, with_local};
    use model::{Bound, Pipe, Shares};
    use study::{Bus, OfBus};

    #[test]
    fn full_numbers_are_told() {
        let lines = details(&with_local(on_device("coalesced+padded", 10e6), [32, 4]), None, &Bus::default());
        let told = |name: &str| lines.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        assert_eq!(told("Kernel time"), Some("10 ms · quartiles 9.7 ms to 10.5 ms · all 9 ms to 12 ms · n\u{a0}5"));
        assert_eq!(told("Verification"), Some("bit-exact"));
        assert_eq!(told("Local size"), Some("32x4 (32 × 4 passed)"));
        assert_eq!(told("Driver"), Some("OpenCL 3.0 test, driver 1.0"));
        assert_eq!(told("Bandwidth"), Some("1.2 GB/s"));
        assert_eq!(told("Date"), Some("2026-02-03T04:05:06Z, version 0.1.0"));
    }

    #[test]
    fn transfers_are_beside_what_the_bus_reaches() {
        let record = on_device("naive", 10e6);
        let told = |bus: &Bus| details(&record, None, bus).into_iter().find(|(name, _)| *name == "Transfers").map(|(_, value)| value);
        assert_eq!(told(&Bus::default()), None);
        let of = OfBus { gb_per_s: [11.3, 10.9, 11.8], roof_gb_per_s: 25.0 };
        let upload = "upload 11.3 (10.9 to 11.8) of 25 GB/s";
        assert_eq!(told(&Bus { upload: Some(of), readback: None }).as_deref(), Some(upload));
        let both = Bus { upload: Some(of), readback: Some(OfBus { gb_per_s: [2.0, 1.0, 3.0], ..of }) };
        assert_eq!(told(&both), Some(format!("{upload}, read-back 2 (1 to 3) of 25 GB/s")));
    }

    #[test]
    fn gigabytes_are_beside_their_ceiling_unless_arithmetic_bounds() {
        let told = |bound: Bound| {
            let record = on_device("naive", 150_000.0);
            let shares = Shares { bound, ..Shares::of(record.measured().expect("measured"), &roofs()).expect("roofs") };
            details(&record, Some(&shares), &Bus::default()).into_iter().find(|(name, _)| *name == "Bandwidth").map(|(_, value)| value)
        };
        assert_eq!(told(Bound::AtRoof(Pipe::Memory)).as_deref(), Some("80 of 100 GB/s (80 %)"));
        assert_eq!(told(Bound::Mostly(Pipe::Arithmetic)), None);
    }

    #[test]
    fn a_busy_reading_does_not_say_that_its_samples_were_discarded() {
        let busy = changed(on_device("naive", 10e6), |measured| (measured.busy, measured.disturbed_share) = (true, Some(1.0)));
        let lines = details(&busy, None, &Bus::default());
        assert!(
            lines.iter().all(|(name, _)| *name != "Discarded")
                && lines.iter().any(|(name, value)| *name == "Busy" && value.contains("100 %"))
        );
    }

    #[test]
    fn a_wrong_output_has_no_times() {
        let lines =
            details(&changed(on_device("naive", 10e6), |measured| measured.verification.differing_pixels = 3), None, &Bus::default());
        assert_eq!(lines[0], ("Verification", "3 of 2000000 pixels differ".to_owned()));
        assert!(lines.iter().all(|(name, _)| !["Kernel time", "Round trip", "Bandwidth"].contains(name)));
    }
}
