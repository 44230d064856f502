//! Made-up readings for tests of charts and panels.

use crate::{
    BorderMode, BuildFrom, Channels, Contender, CpuEngine, FilterId, HostMemory, LocalSize, Machine, Measured, OperationClass, Outcome,
    Parameters, PictureFacts, ProbeSetup, Record, Roof, RoofKind, Roofs, RoundTrip, Spec, Summary, Variant, Verification,
};

/// Five samples around `median_ns`, from −10 % to +20 %.
#[must_use]
pub fn summary(median_ns: f64) -> Summary {
    let samples_ns = [0.9, 0.97, 1.0, 1.05, 1.2].map(|factor| (median_ns * factor) as u64);
    Summary {
        median_ns,
        min_ns: median_ns * 0.9,
        lower_quartile_ns: median_ns * 0.97,
        upper_quartile_ns: median_ns * 1.05,
        max_ns: median_ns * 1.2,
        count: samples_ns.len(),
        samples_ns: samples_ns.to_vec(),
    }
}

/// Five equal samples.
#[must_use]
pub fn steady(median_ns: f64) -> Summary {
    Summary::of(vec![median_ns as u64; 5]).unwrap_or_default()
}

/// A right output, 12 MB moved; without transfers.
#[must_use]
pub fn measured(kernel_ns: f64) -> Measured {
    Measured {
        passes: Vec::new(),
        counts: None,
        compiled: Vec::new(),
        roofline: None,
        queue_wait: None,
        launch_latency: None,
        kernel: Some(summary(kernel_ns)),
        doubt: None,
        round_trip: RoundTrip { total: summary(kernel_ns), ..RoundTrip::default() },
        build_ns: None,
        build_from: BuildFrom::Nothing,
        bytes_moved: 12_000_000,
        verification: Verification {
            differing_pixels: 0,
            total_pixels: 2_000_000,
            max_difference: 0,
            first_differing: None,
            tolerance: 0,
            ..Verification::default()
        },
        discarded_share: 0.0,
        disturbed_share: None,
        warm_cache: false,
        busy: false,
    }
}

fn reading(contender: Contender, device: &str, driver: &str, outcome: Outcome) -> Record {
    Record {
        schema: Record::SCHEMA,
        name: None,
        spec: Spec { filter: FilterId::Laplace, parameters: Parameters::default(), channels: Channels::Rgb, border: BorderMode::Copy },
        contender,
        machine: Machine { device: device.into(), driver: driver.into(), program_version: "0.1.0".into(), alias: None },
        picture: PictureFacts { width_px: 2048, height_px: 1024, sha256: "5a".into() },
        date: "2026-02-03T04:05:06Z".into(),
        outcome,
    }
}

/// A CPU competitor of that kernel time.
#[must_use]
pub fn on_cpu(engine: CpuEngine, kernel_ns: f64) -> Record {
    let contender = Contender::Cpu { engine, instructions: "AVX2, 1 thread".into() };
    reading(contender, "Test processor", "", Outcome::Measured(Box::new(measured(kernel_ns))))
}

/// A variant that could not be measured, or any other state.
///
/// # Panics
/// Where the variant is not one of the tables.
#[must_use]
pub fn on_device_in(variant: &str, state: Outcome) -> Record {
    let variant = Variant::parse(variant).expect("a variant of the tables");
    reading(
        Contender::Device { variant, local: LocalSize::Driver, local_used: None, host_memory: HostMemory::Copy },
        "Test device",
        "OpenCL 3.0 test, driver 1.0",
        state,
    )
}

/// A variant of that kernel time; 3 ms up, 2 ms back, 1 ms of launching and waiting.
///
/// # Panics
/// Where the variant is not one of the tables.
#[must_use]
pub fn on_device(variant: &str, kernel_ns: f64) -> Record {
    let mut measured = measured(kernel_ns);
    measured.round_trip = RoundTrip {
        upload: Some(steady(3e6)),
        layout: Some(steady(1e6)),
        kernel: Some(steady(kernel_ns)),
        readback: Some(steady(2e6)),
        total: steady(kernel_ns + 6e6),
    };
    on_device_in(variant, Outcome::Measured(Box::new(measured)))
}

/// `reading` with its figures changed.
#[must_use]
pub fn changed(mut reading: Record, change: impl FnOnce(&mut Measured)) -> Record {
    if let Outcome::Measured(measured) = &mut reading.outcome {
        change(measured);
    }
    reading
}

/// `reading` as of 100,000 pixels, 0.6 MB, over one pair of buffers: within the cache of [`roofs`].
pub fn within_cache(measured: &mut Measured) {
    (measured.verification.total_pixels, measured.bytes_moved, measured.warm_cache) = (100_000, 600_000, true);
}

/// `reading` with that local size.
#[must_use]
pub fn with_local(mut reading: Record, size: [usize; 2]) -> Record {
    if let Contender::Device { local, local_used, .. } = &mut reading.contender {
        (*local, *local_used) = (LocalSize::Explicit(size), Some(size));
    }
    reading
}

/// Three CPU competitors, four variants, one wrong, one unsupported.
#[must_use]
pub fn ladder() -> Vec<Record> {
    vec![
        on_device("naive", 40e6),
        on_device("coalesced", 20e6),
        on_cpu(CpuEngine::Threads, 3e6),
        on_device("coalesced+padded+vectorize=4", 5e6),
        on_cpu(CpuEngine::Scalar, 100e6),
        on_cpu(CpuEngine::Simd, 5e6),
        changed(on_device("coalesced+padded", 10e6), |measured| measured.verification.differing_pixels = 12),
        on_device_in("coalesced+local", Outcome::Unsupported("the tile needs 40000 bytes of local memory, the device has 32768".into())),
        with_local(on_device("coalesced+padded+vectorize=4+merged+short16", 2.5e6), [32, 4]),
    ]
}

/// A device that copies 100 GB/s, 400 within a cache of 1 MiB, does 50 additions or 200 float operations per nanosecond, and starts a kernel in 1 µs.
#[must_use]
pub fn roofs() -> Roofs {
    let copy = |(bytes, work)| {
        let setup = ProbeSetup { lanes: 4, local: LocalSize::Explicit([256, 1]), items: 1 << 20, bytes, is_consecutive: false };
        Roof { work, time: steady(1000.0), setup, busy: false }
    };
    let roof = |(kind, work)| (kind, copy((1 << 28, work)));
    let found = [
        (RoofKind::Copy, 1e5),
        (RoofKind::CachedCopy, 4e5),
        (OperationClass::IntegerAdd.roof(), 5e4),
        (OperationClass::FloatMultiplyAdd.roof(), 2e5),
        (RoofKind::Upload, 5e3),
        (RoofKind::ReadBack, 4e3),
        (RoofKind::Launch, 1.0),
    ];
    Roofs {
        schema: Roofs::SCHEMA,
        machine: Machine {
            device: "Test device".into(),
            driver: "OpenCL 3.0 test, driver 1.0".into(),
            program_version: "0.1.0".into(),
            alias: None,
        },
        date: "2026-02-03T04:05:06Z".into(),
        found: found.map(roof).into(),
        missing: [(OperationClass::HalfMultiplyAdd.roof(), "Not measured: the device has no half precision".into())].into(),
        copies: [(1 << 20, 4e5), (2 << 20, 1e5)].map(copy).into(),
        reads: Vec::new(),
        reads_missing: None,
        waits: Vec::new(),
        cache_bytes: Some(1 << 20),
    }
}
