//! How near the transfers of a round trip come to the bus between host and device.

use kernels::filters::FilterIdExt;
use model::{Contender, HostMemory, Record, RoofKind, Roofs, Summary};

/// One direction: bytes of the picture per time on the host's clock, against what one transfer from or to pinned memory reaches on the device's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfBus {
    /// Median, lower and upper quartile, in GB/s.
    pub gb_per_s: [f64; 3],
    /// The roof, in GB/s.
    pub roof_gb_per_s: f64,
}

/// Both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bus {
    /// The source's upload, with laying it out.
    pub upload: Option<OfBus>,
    /// The output's read-back.
    pub readback: Option<OfBus>,
}

impl Bus {
    /// Of a record: where its output is right, its bytes were copied over the bus, and the roofs are known.
    #[must_use]
    pub fn of(record: &Record, roofs: &Roofs) -> Self {
        let is_copied = matches!(record.contender, Contender::Device { host_memory: HostMemory::Copy, .. });
        let Some(measured) = record.measured().filter(|measured| is_copied && measured.is_right()) else { return Self::default() };
        let (width, height) = record.picture.size();
        let channels = record.spec.channels;
        let output = record.spec.filter.filter().output_channels(channels);
        let of = |time: &Option<Summary>, channels: usize, kind| {
            let (time, roof_gb_per_s) = (time.as_ref()?, roofs.rate(kind)?);
            // Bytes per nanosecond are GB/s; the longer time is the lower rate.
            let rate = |time_ns: f64| (width * height * channels) as f64 / time_ns;
            let gb_per_s = [time.median_ns, time.upper_quartile_ns, time.lower_quartile_ns].map(rate);
            gb_per_s.iter().all(|rate| rate.is_finite()).then_some(OfBus { gb_per_s, roof_gb_per_s })
        };
        let trip = &measured.round_trip;
        Self {
            upload: of(&trip.upload, channels.count(), RoofKind::Upload),
            readback: of(&trip.readback, output.count(), RoofKind::ReadBack),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bus;
    use crate::testing::records::{changed, on_cpu, on_device, roofs};
    use model::{Contender, HostMemory, RoofKind};

    #[test]
    fn rates_are_those_of_the_pictures_bytes_with_their_quartiles() {
        let record = on_device("naive", 10e6);
        let (width, height) = record.picture.size();
        let bytes = (width * height * record.spec.channels.count()) as f64;
        let known = roofs();
        let bus = Bus::of(&record, &known);
        let upload = bus.upload.expect("both are known");
        let time = record.measured().and_then(|measured| measured.round_trip.upload.clone()).expect("measured");
        let expected = [time.median_ns, time.upper_quartile_ns, time.lower_quartile_ns].map(|time_ns| bytes / time_ns);
        assert_eq!(upload.gb_per_s.map(f64::to_bits), expected.map(f64::to_bits));
        assert!(upload.gb_per_s[1] <= upload.gb_per_s[0] && upload.gb_per_s[0] <= upload.gb_per_s[2]);
        assert_eq!(Some(upload.roof_gb_per_s), known.rate(RoofKind::Upload));
        assert_eq!(bus.readback.map(|of| of.roof_gb_per_s), known.rate(RoofKind::ReadBack));
        // A luma picture has a third of the bytes.
        let mut luma = record.clone();
        luma.spec.filter = model::FilterId::Luma;
        let third = Bus::of(&luma, &known).readback.expect("known").gb_per_s[0];
        assert!((bus.readback.expect("known").gb_per_s[0] - 3.0 * third).abs() < 1e-9);
    }

    #[test]
    fn what_does_not_cross_the_bus_has_no_share_of_it() {
        let known = roofs();
        assert_eq!(Bus::of(&on_cpu(model::CpuEngine::Threads, 3e6), &known), Bus::default());
        let wrong = changed(on_device("naive", 10e6), |measured| measured.verification.differing_pixels = 1);
        assert_eq!(Bus::of(&wrong, &known), Bus::default());
        let mut mapped = on_device("naive", 10e6);
        if let Contender::Device { host_memory, .. } = &mut mapped.contender {
            *host_memory = HostMemory::Map;
        }
        assert_eq!(Bus::of(&mapped, &known), Bus::default());
        let mut older = known;
        older.found.remove(&RoofKind::Upload);
        let bus = Bus::of(&on_device("naive", 10e6), &older);
        assert!(bus.upload.is_none() && bus.readback.is_some());
    }
}
