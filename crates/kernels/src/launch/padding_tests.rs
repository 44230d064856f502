//! Holds the padding that filters ask for to what sizes of pictures are checked with.

use crate::filters::{self, Parameter, VariantExt as _};
use crate::launch::{Shape, Surface};
use model::{Parameters, Setting, Variant};
use pictures::{HALO_PX, Layout, SLACK_BYTES, SURPLUS_ROWS};

/// Whether what this filter asks for in `setting` has buffers for pictures that are larger than with a halo of `halo_px`.
fn exceeds(filter: &filters::Filter, setting: Setting, halo_px: usize) -> bool {
    let extremes: [fn(&Parameter) -> f64; 2] = [|parameter| parameter.min, |parameter| parameter.max];
    let extremes = extremes.map(|extreme| Parameters(filter.parameters.iter().map(|it| (it.name.to_owned(), extreme(it))).collect()));
    let variants = Variant::all(filter, setting);
    let shapes = variants.iter().flat_map(|variant| extremes.iter().map(move |parameters| (variant, parameters)));
    let mut sized = shapes.flat_map(|shape| [(1, 1), (67, 35)].map(|size| (shape, size)));
    sized.any(|((variant, parameters), (width_px, height_px))| {
        let launch = (filter.launch)(&Shape { variant, setting, parameters, width_px, height_px });
        let limit = |channels| Layout::padded(width_px, height_px, channels, halo_px, SLACK_BYTES, SURPLUS_ROWS).total_bytes;
        let source = if let Surface::Buffer(layout) = launch.source { layout.total_bytes } else { 0 };
        source > limit(setting.channels) || launch.destination.total_bytes > limit(launch.destination.channels)
    })
}

#[test]
fn no_filter_asks_for_more_padding_than_is_allowed_for() {
    let settings = |filter: &'static filters::Filter| {
        let of = move |&channels| filter.borders.iter().map(move |&border| (filter, Setting::new(channels, border)));
        filter.channels.iter().flat_map(of)
    };
    let all: Vec<_> = filters::all().iter().flat_map(|&filter| settings(filter)).collect();
    for &(filter, setting) in &all {
        assert!(!exceeds(filter, setting, HALO_PX), "{} in {setting:?}", filter.name());
    }
    assert!(all.iter().any(|&(filter, setting)| exceeds(filter, setting, HALO_PX / 2)), "the check sees a halo that is too small");
}
