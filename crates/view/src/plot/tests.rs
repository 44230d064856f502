//! What charts consist of, what exported ones say, and that no reading is too odd to be drawn.

use crate::plot::{
    Anchor, Entry, Item, Options, Order, Quantity, Role, Scale, Scene, Shape, aligned, chart, charts, figure, plot_png, plot_svg,
};
use crate::testing::measure;
use crate::testing::records::{changed, ladder, on_device, on_device_in, summary};
use model::{Outcome, Record};

fn svg(readings: &[Record], options: &Options) -> String {
    plot_svg(&Entry::of(readings), options)
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
            assert_eq!(texts.iter().filter(|text| **text == row.label).count(), 1, "{} in {texts:?}", row.label);
        }
    }
}

#[test]
fn each_text_of_many_charts_is_measured_a_few_times_however_many_there_are() {
    let readings = ladder();
    let entries = Entry::of(&readings);
    let measured = |count: usize| {
        let calls = std::cell::Cell::new(0_usize);
        let counting = |text: &str, size: f64| {
            calls.set(calls.get() + 1);
            measure(text, size)
        };
        assert_eq!(aligned(&charts(vec![entries.as_slice(); count], &Options::default()), 800.0, &counting).len(), count);
        calls.get()
    };
    assert_eq!(measured(400), 400 * measured(1));
}

#[test]
fn a_wrong_output_has_its_reason_and_no_time() {
    let wrong = changed(on_device("naive", 123e6), |measured| measured.verification.differing_pixels = 7);
    let svg = svg(&[wrong], &Options::default());
    assert!(svg.contains("failed: wrong output, 7 of 2000000 pixels differ"), "{svg}");
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
    let long = || on_device_in("naive", Outcome::Failed("a reason that does not end ".repeat(40).into()));
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

#[test]
fn a_reason_that_its_row_has_no_room_for_is_told_in_full_below() {
    let reason = "a reason of some length ".repeat(12);
    let texts = texts(&svg(&[on_device_in("naive", Outcome::Failed(reason.trim().into()))], &Options::default()));
    let below = texts.iter().position(|text| text.starts_with("naive: failed: a reason")).expect("a note");
    assert_eq!(texts[below..].join(" "), format!("naive: failed: {}", reason.trim()));
}

#[test]
fn rows_are_left_out_and_sorted_and_the_page_says_so() {
    let readings = ladder();
    let entries = Entry::of(&readings);
    let hidden = [entries[0].key()].into();
    let options = Options { quantity: Quantity::SpeedUp, order: Order::Fastest, cpu: false, hidden, ..Options::default() };
    let chart = chart(&entries, &options);
    let rows: Vec<_> = chart.rows.iter().map(|row| (row.index, row.bars.kernel.map(|span| span.median))).collect();
    // Still against the row that is not shown; what has no time comes last.
    assert_eq!(rows, [(8, Some(16.0)), (3, Some(8.0)), (1, Some(2.0)), (6, None), (7, None)]);
    assert_eq!((chart.baseline_label.as_deref(), chart.hidden), (Some("naive"), 4));
    let texts = texts(&svg(&readings, &options)).join("\n");
    assert!(texts.contains("Speed-up over naive") && texts.contains("4 rows omitted"), "{texts}");
    assert!(!texts.contains("Test processor"), "{texts}");
}

fn listed(scene: &Scene) -> Vec<String> {
    let numbers = |numbers: &[f64]| numbers.iter().map(|number| format!("{number:.2}")).collect::<Vec<_>>().join(" ");
    let told = |Item { role, shape }: &Item| match shape {
        Shape::Fill(area, opacity) => format!("{role:?} fill {opacity}: {}", numbers(area)),
        Shape::Outline(area) => format!("{role:?} outline: {}", numbers(area)),
        Shape::Lines(segments, _) => {
            let [from, to] = segments[0];
            format!("{role:?} {} lines, the first: {}", segments.len(), numbers(&[from.0, from.1, to.0, to.1]))
        }
        Shape::Dot(center, radius) => format!("{role:?} dot: {}", numbers(&[center.0, center.1, *radius])),
        Shape::Text { text, at, anchor, .. } => format!("{role:?} {anchor:?} {text:?}: {}", numbers(&[at.0, at.1])),
    };
    scene.items.iter().map(told).collect()
}

/// The name's column is 33.75 for "naive" and 8 + 30 for "shown", so bars begin at 10 + 71.75 + 8 = 89.75. Values have 72, so bars end 80 before the
/// right edge: 250 units for the axis to 50 ms, 5 units per millisecond.
const WIDTH: f64 = 419.75;

#[test]
fn a_row_is_laid_out_as_worked_by_hand() {
    let reading = on_device("naive", 40e6);
    let entries = [Entry { is_shown: true, ..Entry::new(&reading) }];
    let figure = figure(&chart(&entries, &Options::default()), WIDTH, &measure);
    let axis = ["0", "10 ms", "20 ms", "30 ms", "40 ms", "50 ms"].into_iter().enumerate();
    let axis = axis.map(|(index, text)| format!("Weak Center {text:?}: {:.2} 9.00", 89.75 + 50.0 * index as f64));
    assert_eq!(listed(&figure.axis), axis.collect::<Vec<_>>());
    let rows = [
        "Text fill 0.04: 0.00 0.00 419.75 33.00",
        "Accent fill 1: 2.00 3.00 5.00 30.00",
        "Grid 6 lines, the first: 89.75 0.00 89.75 33.00",
        "Weak 1 lines, the first: 89.75 0.00 89.75 33.00",
        "Text Left \"naive\": 10.00 16.50",
        "Accent Left \"shown\": 51.75 16.50",
        // 40 ms in the round trips, whose quartiles are the same.
        "Device fill 1: 89.75 3.50 289.75 17.50",
        "Strong 3 lines, the first: 289.75 10.50 289.75 10.50",
        "Strong Left \"40 ms\": 347.75 10.50",
        // 3 ms up: a stripe every 3 units of 15; 40 ms kernel; 1 ms of waiting, which has no pattern; 2 ms back.
        "Transfers fill 0.16: 89.75 20.50 104.75 28.50",
        "Transfers 4 lines, the first: 92.75 20.50 92.75 28.50",
        "Transfers outline: 89.75 20.50 104.75 28.50",
        "Device fill 1: 104.75 20.50 304.75 28.50",
        "Transfers fill 0.16: 304.75 20.50 309.75 28.50",
        "Transfers outline: 304.75 20.50 309.75 28.50",
        "Transfers fill 0.16: 309.75 20.50 319.75 28.50",
        "Transfers 3 lines, the first: 312.75 20.50 312.75 28.50",
        "Transfers outline: 309.75 20.50 319.75 28.50",
        "Strong 3 lines, the first: 319.75 24.50 319.75 24.50",
        "Weak Left \"46 ms\": 347.75 24.50",
    ];
    assert_eq!(listed(&figure.rows), rows);
    let hit = &figure.rows.hits[0];
    assert_eq!((hit.area, hit.name.as_str()), ([0.0, 0.0, WIDTH, 33.0], "naive kernel 40 ms, round trip 46 ms, baseline, on screen"));
    let legend = ["OpenCL kernel", "upload, read-back", "launch, wait", "quartiles"];
    assert_eq!(figure.legend.texts().collect::<Vec<_>>(), legend);
    assert!(figure.notes.is_empty());
}

#[test]
fn charts_one_above_the_other_have_one_axis_and_the_same_columns() {
    let (fast, slow) = ([on_device("naive", 4e6)], [on_device("coalesced+padded", 40e6)]);
    let groups = [Entry::of(&fast), Entry::of(&slow)];
    let charts = charts(groups.iter().map(Vec::as_slice), &Options::default());
    let figures = aligned(&charts, WIDTH, &measure);
    assert_eq!((figures.len(), &figures[0].axis), (2, &figures[1].axis));
    // The bar of the kernel is the first in the device's color: a tenth as long, from the same place.
    let bars: Vec<[f64; 2]> = figures
        .iter()
        .map(|figure| {
            let bar = figure.rows.items.iter().find_map(|item| match item {
                Item { role: Role::Device, shape: Shape::Fill([left, _, right, _], _) } => Some([*left, right - left]),
                _ => None,
            });
            bar.expect("a bar")
        })
        .collect();
    assert!((bars[0][0] - bars[1][0]).abs() < 1e-9 && (bars[0][1] * 10.0 - bars[1][1]).abs() < 1e-9, "{bars:?}");
    // By itself the fast one would have another axis.
    assert_ne!(figure(&chart(&groups[0], &Options::default()), WIDTH, &measure).axis, figures[0].axis);
}

#[test]
fn values_on_a_log_axis_are_points() {
    let figure = figure(&chart(&Entry::of(&ladder()), &Options { scale: Scale::Log, ..Options::default() }), WIDTH, &measure);
    let dots = figure.rows.items.iter().filter(|item| matches!(item.shape, Shape::Dot(..))).count();
    assert_eq!(dots, 4, "one for each kernel that was measured");
    assert!(figure.rows.items.iter().all(|item| !matches!(item.shape, Shape::Fill([left, _, right, _], _) if right - left > 10.5)));
}

#[test]
fn nothing_lies_outside_of_a_narrow_chart() {
    let mut readings = ladder();
    readings[3].name = Some("a name that a person gave it, which is much too long for a narrow window".to_owned());
    for width in [240.0, 400.0, 900.0] {
        for options in every_option() {
            let mut entries = Entry::of(&readings);
            entries[8].is_shown = true;
            let figure = figure(&chart(&entries, &options), width, &measure);
            for item in [&figure.axis, &figure.rows, &figure.legend].into_iter().flat_map(|scene| &scene.items) {
                if let Shape::Text { text, at: (x, _), size, anchor: Anchor::Left } = &item.shape {
                    let is_value = text.contains('×') || text.contains("GB/s") || text.ends_with('s');
                    assert!(is_value || x + measure(text, *size) <= width + 0.01, "{text} at {x} of {width}");
                }
            }
            let [mut top, mut bottom] = [0.0; 2];
            for hit in &figure.rows.hits {
                assert!(hit.area[1] >= bottom && hit.area[3] > hit.area[1], "rows lie one below the other");
                [top, bottom] = [hit.area[1], hit.area[3]];
            }
            assert!(top < bottom && (bottom - figure.rows.height).abs() < 0.01);
        }
    }
}
