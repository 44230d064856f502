//! Pixels computed from the drawings alone, held to the plain references.

use super::{FilterIdExt as _, Grid};
use crate::filters::{self, Filter};
use model::{BorderMode, Channels, FilterId, Parameters};
use pictures::Picture;

/// The side of the pictures: the farthest neighbor of any filter's window, at its default, and more.
const SIDE: usize = 15;

/// Where the pixel is that is computed.
const AT: usize = SIDE / 2;

/// What a grid's places hold in one channel, with what each counts.
fn counted(grid: &Grid, picture: &Picture, channel: usize) -> Vec<(f64, f64)> {
    let [column, row] = grid.center.expect("places of the picture");
    let place = |index: usize| {
        let (x, y) = (AT + index % grid.columns - column, AT + index / grid.columns - row);
        f64::from(picture.pixel(x, y).expect("inside")[channel])
    };
    grid.cells.iter().enumerate().filter_map(|(index, count)| Some((place(index), (*count)?))).collect()
}

fn sum(grid: &Grid, picture: &Picture, channel: usize) -> f64 {
    counted(grid, picture, channel).iter().map(|(value, count)| value * count).sum()
}

/// The output's pixel in one channel by the filter's formula over what is drawn.
fn computed(filter: &Filter, parameters: &Parameters, picture: &Picture, channel: usize) -> f64 {
    let grids = (filter.drawing)(parameters);
    let (first, of) = (&grids[0], |name: &str| parameters.0.get(name).copied().unwrap_or(0.0));
    let values = || counted(first, picture, channel);
    let center = f64::from(picture.pixel(AT, AT).expect("inside")[channel]);
    let mean = |kept: Vec<f64>| kept.iter().sum::<f64>() / kept.len() as f64;
    match filter.name() {
        "laplace" => sum(first, picture, channel).clamp(0.0, 255.0),
        "sobel" => (sum(first, picture, channel).abs() + sum(&grids[1], picture, channel).abs()).min(255.0),
        "gaussian" => {
            assert_eq!(
                grids[1].cells,
                first.cells[5 * 11..6 * 11].iter().map(|count| count.map(|count| count / 134.0)).collect::<Vec<_>>()
            );
            (sum(first, picture, channel) / 65536.0 + 0.5).floor()
        }
        "epsilon" => {
            let near = values().into_iter().map(|(value, _)| value).filter(|value| (value - center).abs() <= of("threshold"));
            (mean(near.collect()) + 0.5).floor()
        }
        "box" => (mean(values().into_iter().map(|(value, _)| value).collect()) + 0.5).floor(),
        "bilateral" => {
            let alike = |value: f64| (-(value - center).powi(2) / (2.0 * of("sigma_color").powi(2))).exp();
            let weighted = values().into_iter().map(|(value, near)| (value, near * alike(value)));
            let (sum, weights) = weighted.fold((0.0, 0.0), |(sum, weights), (value, weight)| (sum + value * weight, weights + weight));
            (sum / weights).round()
        }
        "median" | "median-wide" | "dilate" => {
            let mut sorted: Vec<f64> = values().into_iter().map(|(value, _)| value).collect();
            sorted.sort_by(f64::total_cmp);
            sorted[grids[1].cells.iter().position(|count| *count == Some(1.0)).expect("one of them")]
        }
        "copy" => sum(first, picture, channel),
        "add" => (sum(first, picture, channel) + of("amount")).clamp(0.0, 255.0),
        "luma" => {
            let pixel = picture.pixel(AT, AT).expect("inside");
            (first.cells.iter().zip(pixel).map(|(weight, &value)| weight.expect("all three") * f64::from(value)).sum::<f64>() + 0.5 + 1e-9)
                .floor()
        }
        "curve" => {
            let (root, strength) = ((255.0 * center).sqrt().round(), of("strength"));
            (((100.0 - strength) * center + strength * root + 50.0) / 100.0).floor()
        }
        "integral" => (mean(values().into_iter().map(|(value, _)| value).collect()) + 0.5).floor(),
        "match" => mean(values().into_iter().map(|(value, template)| (value - template).abs()).collect()).round(),
        "despeckle" => {
            let around: f64 = values().into_iter().map(|(value, _)| value).sum::<f64>() - center;
            if (center - (around / 8.0 + 0.5).floor()).abs() <= of("threshold") {
                return center;
            }
            let reach = 0..5;
            let window = reach.clone().flat_map(|row| reach.clone().map(move |column| [AT + column - 2, AT + row - 2]));
            let mut sorted: Vec<u8> = window.map(|[x, y]| picture.pixel(x, y).expect("inside")[channel]).collect();
            sorted.sort_unstable();
            f64::from(sorted[grids[1].cells.iter().position(|count| *count == Some(1.0)).expect("one of them")])
        }
        "edges" => edges(&grids, picture),
        other => panic!("how does {other} compute a pixel?"),
    }
}

/// Luma, blur and the strength of two gradients, one after the other, each rounded to a byte.
fn edges(grids: &[Grid], picture: &Picture) -> f64 {
    let whole = |grid: &Grid, at: [usize; 2], value: &dyn Fn([usize; 2]) -> f64| -> f64 {
        let [column, row] = grid.center.expect("places of the picture");
        let place = |index: usize| [at[0] + index % grid.columns - column, at[1] + index / grid.columns - row];
        grid.cells.iter().enumerate().filter_map(|(index, count)| Some(value(place(index)) * (*count)?)).sum()
    };
    let luma = |[x, y]: [usize; 2]| {
        let pixel = picture.pixel(x, y).expect("inside");
        (grids[0].cells.iter().zip(pixel).map(|(weight, &byte)| weight.expect("all three") * f64::from(byte)).sum::<f64>() + 0.5).floor()
    };
    let blurred = |place: [usize; 2]| (whole(&grids[1], place, &luma) / 16.0 + 0.5).floor();
    let gradient = |grid: &Grid| whole(grid, [AT, AT], &blurred).abs();
    (gradient(&grids[2]) + gradient(&grids[3])).min(255.0)
}

/// Noise around a level, so that some of the neighbors are alike.
fn picture(seed: usize, channels: Channels) -> Picture {
    let mut random = seed.wrapping_mul(0x9e37_79b9).wrapping_add(1) as u32;
    Picture::from_fn(SIDE, SIDE, channels, |_, _, _| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = (random >> 24) as u8;
        if seed.is_multiple_of(2) { noise } else { 96 + noise / 4 }
    })
}

#[test]
fn the_drawings_are_what_the_references_compute() {
    for filter in filters::all() {
        // One channel is enough where each is computed on its own; luma has three.
        let channels = if filter.channels.contains(&Channels::Gray) { Channels::Gray } else { Channels::Rgb };
        let mut parameters = filter.defaults();
        // Nothing is drawn of what depends on the whole picture.
        if (filter.drawing)(&parameters).is_empty() {
            assert!(filter.is_whole, "{} has no drawing", filter.name());
            continue;
        }
        // Windows that fit the pictures.
        if matches!(filter.name(), "integral" | "match") {
            parameters.0.insert("radius".to_owned(), 3.0);
        }
        for picture in (0..40).map(|seed| picture(seed, channels)) {
            let output = filter.reference(&picture, BorderMode::Replicate, &parameters).expect("a plain reference");
            let expected = f64::from(output.pixel(AT, AT).expect("inside")[0]);
            let computed = computed(filter, &parameters, &picture, 0);
            assert!((computed - expected).abs() < 1e-6, "{}: {computed} is drawn, {expected} computed", filter.name());
        }
    }
}

#[test]
fn windows_follow_their_parameters() {
    let cells = |filter: &Filter, radius: f64| {
        let mut parameters = filter.defaults();
        parameters.0.insert("radius".to_owned(), radius);
        let grids = (filter.drawing)(&parameters);
        (grids[0].columns, grids[0].cells.iter().flatten().count())
    };
    assert_eq!([1.0, 4.0, 16.0].map(|radius| cells(FilterId::Box.filter(), radius)), [(2, 4), (8, 64), (32, 1024)]);
    assert_eq!([1.0, 3.0].map(|radius| cells(FilterId::Bilateral.filter(), radius)), [(3, 5), (7, 29)]);
    assert_eq!((FilterId::Laplace.filter().drawing)(&Parameters::default())[0].cells[4], Some(9.0));
}
