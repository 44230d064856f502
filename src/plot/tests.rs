//! What exported plots say, and that no reading is too odd to be drawn.

use crate::model::{Outcome, Record};
use crate::plot::{Entry, Options, Quantity, Scale, chart, plot_png, plot_svg};
use crate::testing::records::{changed, ladder, on_device, on_device_in, summary};

fn svg(readings: &[Record], options: &Options) -> String {
    plot_svg(&Entry::of(readings), options).expect("an SVG")
}

fn every_option() -> impl Iterator<Item = Options> {
    let with_scale = |scale| Quantity::ALL.map(|quantity| Options { quantity, scale, ..Options::default() });
    Scale::ALL.into_iter().flat_map(with_scale).chain([Options { round_trip: false, ..Options::default() }])
}

/// Texts of an SVG document, unescaped.
fn texts(svg: &str) -> Vec<String> {
    let inside = |part: &str| part.split_once('>').and_then(|(_, rest)| rest.split_once("</text>")).map(|(text, _)| text.trim().to_owned());
    svg.split("<text").skip(1).filter_map(inside).map(|text| text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).collect()
}

#[test]
fn every_label_is_in_the_svg_once() {
    let readings = ladder();
    for options in every_option() {
        let texts = texts(&svg(&readings, &options));
        for row in chart(&Entry::of(&readings), &options).rows {
            let note = format!("{}: ", row.title());
            let count = texts.iter().filter(|text| **text == row.title() || text.starts_with(&note)).count();
            assert_eq!(count, 1, "{} in {texts:?}", row.label);
        }
    }
}

#[test]
fn a_wrong_output_is_a_note_with_its_reason_and_no_time() {
    let wrong = changed(on_device("naive", 123e6), |measured| measured.verification.differing_pixels = 7);
    let svg = svg(&[wrong], &Options::default());
    assert!(svg.contains("naive: failed: wrong output, 7 of 2000000 pixels differ"), "{svg}");
    assert!(!svg.contains("123 ms"));
}

#[test]
fn the_heading_says_what_was_measured_where_and_when() {
    let texts = texts(&svg(&ladder(), &Options::default())).join("\n");
    for part in [
        "Laplace sharpen, RGB, border copy · 2048 × 1024",
        "Test device · OpenCL 3.0 test, driver 1.0",
        "2026-02-03",
        "Kernel Ladder 0.1.0",
    ] {
        assert!(texts.contains(part), "{part} in {texts}");
    }
}

fn awkward() -> Vec<Vec<Record>> {
    let zero = || changed(on_device("naive", 0.0), |measured| measured.round_trip.total = summary(0.0));
    let invalid = || changed(on_device("coalesced", 5e6), |measured| measured.kernel = None);
    let long = || on_device_in("naive", Outcome::Failed("a reason that does not end ".repeat(40)));
    let mut long_device = on_device("coalesced+padded+vectorize=8+merged+short16+select+local=skew+rows=8", 1.0);
    long_device.machine.device = "A device whose maker could not stop <&> ".repeat(12);
    vec![
        vec![],
        vec![on_device("naive", 5e6)],
        vec![zero()],
        vec![invalid()],
        vec![long()],
        vec![zero(), on_device("coalesced", 1e-3), on_device("padded", 1e18)],
        vec![on_device("naive", 5e6), long_device],
        std::iter::repeat_with(ladder).take(30).flatten().collect(),
    ]
}

#[test]
fn awkward_readings_are_drawn_in_every_way() {
    for readings in awkward() {
        for options in every_option() {
            let svg = svg(&readings, &options);
            assert!(svg.trim_end().ends_with("</svg>") && !svg.contains("NaN") && !svg.contains("inf"), "{options:?} {svg}");
        }
    }
}

#[test]
fn pngs_decode_and_are_not_blank() {
    for readings in awkward() {
        let file = plot_png(&Entry::of(&readings), &Options { scale: Scale::Log, ..Options::default() }).expect("a PNG");
        let picture = image::load_from_memory(&file).expect("a picture").to_rgb8();
        assert!(picture.width() > 400 && picture.pixels().any(|pixel| pixel.0 != [255; 3]));
    }
}
