//! The example rows of segments by hand, and that every pixel is found.

use super::memory::{Segments, segments};
use super::reuse::{Reuse, summary};
use super::{Answer, Question, SoFar, answer};
use kernels::filters;
use kernels::filters::VariantExt;
use kernels::footprint::{Kind, Space};
use kernels::launch::Shape;
use model::{BorderMode, Channels, Setting, Variant};

const SUB_GROUP: usize = 32;

struct Asked<'a> {
    filter: &'a str,
    variant: &'a str,
    channels: Channels,
    local: [usize; 2],
    size_px: [usize; 2],
}

fn asked(filter: &str, variant: &str, channels: Channels, pixel: [usize; 2], local: [usize; 2]) -> Answer {
    ask(&Asked { filter, variant, channels, local, size_px: [1024, 256] }, pixel)
}

fn ask(asked: &Asked, pixel: [usize; 2]) -> Answer {
    let filter = filters::by_name(asked.filter).expect("a filter");
    let variant = Variant::parse(asked.variant).expect("a variant");
    let setting = Setting::new(asked.channels, BorderMode::Replicate);
    variant.check(filter, setting).expect("allowed");
    let parameters = filter.defaults();
    let [width_px, height_px] = asked.size_px;
    let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px, height_px };
    answer(&Question { filter, shape, pixel, pass: None, local: asked.local, sub_group: SUB_GROUP, is_loop: false, banks: 32 })
        .expect("an answer")
}

/// The share that is used.
fn percent(segments: &Segments) -> usize {
    (segments.used_share() * 100.0).round() as usize
}

/// Bytes wanted, distinct ones, S for each size, and use at the smallest in percent; of the load at that number.
fn row(answer: &Answer, load: usize) -> (usize, usize, [usize; 3], usize) {
    let step = answer.steps.iter().filter(|step| step.own.kind.is_load()).nth(load).expect("a load");
    let segments = step.segments.expect("in global memory");
    (step.wanted_bytes, step.unique_bytes, segments.map(|segments| segments.touched), percent(&segments[0]))
}

#[test]
fn rows_and_columns_of_pixels() {
    // The center of nine loads is the fifth.
    let naive = asked("sobel", "naive", Channels::Gray, [64, 64], [32, 1]);
    assert_eq!(row(&naive, 4), (32, 32, [32, 32, 32], 3));
    let coalesced = asked("sobel", "coalesced", Channels::Gray, [64, 64], [32, 1]);
    assert_eq!(row(&coalesced, 4), (32, 32, [1, 1, 1], 100));
    // One byte to the left of it, in the row above: unaligned.
    assert_eq!(row(&coalesced, 0), (32, 32, [2, 2, 1], 50));
    // Rows of 1024 bytes and groups of 32: the center is aligned all over the picture. Not so where a row is 1023 bytes.
    let over_picture = |answer: &Answer| answer.steps[4].segments.expect("segments").map(|segments| segments.over_picture);
    assert_eq!(over_picture(&coalesced), [[1, 1]; 3]);
    let odd =
        ask(&Asked { filter: "sobel", variant: "coalesced", channels: Channels::Gray, local: [32, 1], size_px: [1023, 256] }, [64, 64]);
    assert_eq!(over_picture(&odd), [[1, 2]; 3]);
}

#[test]
fn one_channel_of_three() {
    // Bytes 0, 3, 6 … 93 of three segments of 32.
    let rgb = asked("laplace", "coalesced", Channels::Rgb, [128, 64], [32, 1]);
    assert_eq!(row(&rgb, 4), (32, 32, [3, 2, 1], 33));
    // Groups begin at multiples of 96 bytes, and the load at byte 0, 1 or 2 of a pixel: where it crosses into a fourth, one to the left of it.
    let left = asked("laplace", "coalesced", Channels::Rgb, [128, 64], [32, 1]).steps[3].segments.expect("segments");
    assert_eq!((left[0].touched, left[0].over_picture), (4, [4, 4]));
}

#[test]
fn blocks_are_combs() {
    // A block's first column of three rows is loaded first, the second next: that of the block's own first pixel.
    let four: Vec<_> = (0..32).map(|lane| lane * 4..lane * 4 + 1).collect();
    assert_eq!([32, 64, 128].map(|size| segments(&four, size).len()), [4, 2, 1]);
    assert_eq!(percent(&Segments::of(&four, 32, 32)), 25);
    let sixteen = asked("sobel", "coalesced+block=16", Channels::Gray, [512, 64], [32, 1]);
    assert_eq!(row(&sixteen, 4), (32, 32, [16, 8, 4], 6));
}

#[test]
fn vectors_of_sixteen_bytes() {
    // Left, right and center of three rows each; lanes are 15 bytes apart: 31 · 15 + 16 = 481.
    let five = asked("laplace", "coalesced+padded+vectorize=5", Channels::Rgb, [5 * 32, 64], [32, 1]);
    let (wanted, unique, [at_32, ..], _) = row(&five, 2);
    assert_eq!((wanted, unique, at_32), (512, 481, 16));
    // The same bytes from an aligned beginning, and split to bytes: a comb with teeth 15 bytes apart.
    let whole: Vec<_> = (0..32).map(|lane| lane * 15..lane * 15 + 16).collect();
    assert_eq!([32, 64, 128].map(|size| segments(&whole, size).len()), [16, 8, 4]);
    assert_eq!(percent(&Segments::of(&whole, 32, 32)), 94);
    let split: Vec<_> = (0..32).map(|lane| lane * 15..lane * 15 + 1).collect();
    let of_split = Segments::of(&split, 32, 1);
    assert_eq!((of_split.touched, of_split.over_picture, percent(&of_split)), (15, [15, 16], 7));
    assert_eq!([64, 128].map(|size| segments(&split, size).len()), [8, 4]);
    // Rows on dimension 0: each lane in a segment of its own, or two.
    let rows = asked("laplace", "padded+vectorize=5", Channels::Rgb, [0, 64], [32, 1]);
    assert!((32..=64).contains(&row(&rows, 2).2[0]));
    // Sixteen aligned bytes a lane, and those one to the left.
    let words = asked("copy", "coalesced+padded+access=int4", Channels::Gray, [0, 64], [32, 1]);
    assert_eq!(row(&words, 0), (512, 512, [16, 8, 4], 100));
    let left = asked("laplace", "coalesced+padded+vectorize=16", Channels::Gray, [0, 64], [32, 1]);
    assert_eq!(row(&left, 0), (512, 512, [17, 9, 5], 94));
}

#[test]
fn texels_are_counted_and_have_no_segments() {
    let texels = asked("copy", "coalesced+image", Channels::Rgb, [64, 64], [32, 1]);
    let [read, store] = &texels.steps[..] else { panic!("{:?}", texels.steps) };
    assert_eq!((read.own.kind, read.wanted_bytes, read.unique_bytes, read.segments), (Kind::ImageRead, 128, 128, None));
    assert_eq!((store.own.kind, store.own.space), (Kind::Store, Space::Destination));
    assert!((texels.totals.image_reads_per_px - 1.0).abs() < 1e-12);
    assert!(texels.totals.wanted_bytes_per_px.abs() < 1e-12);
}

#[test]
fn the_shape_of_a_group_changes_the_segments() {
    let touched =
        [[32, 1], [16, 2], [8, 4], [1, 32]].map(|local| row(&asked("sobel", "coalesced", Channels::Gray, [64, 64], local), 4).2[0]);
    assert_eq!(touched, [1, 2, 4, 32]);
}

#[test]
fn who_makes_a_pixel() {
    let answer = asked("laplace", "coalesced+padded+vectorize=4", Channels::Rgb, [133, 70], [16, 4]);
    // Block 33 of row 70; the second of its pixels.
    assert_eq!((answer.item.global(), answer.item.group, answer.item.local), ([33, 70], [2, 17], [1, 2]));
    assert_eq!((answer.lane, answer.sub_group, answer.sub_group_items), (1, 1, 32));
    // Twelve bytes are stored as eight and four lanes: bytes 3, 4 and 5.
    assert_eq!(answer.vector_lanes, Some(3..6));
    // Rows on dimension 0.
    let naive = asked("laplace", "naive", Channels::Rgb, [133, 70], [16, 4]);
    assert_eq!((naive.item.global(), naive.vector_lanes), ([70, 133], None));
    let words = asked("copy", "padded+access=uchar16", Channels::Rgb, [6, 2], [16, 4]);
    // Byte 18 is the third of the second piece.
    assert_eq!((words.item.global(), words.vector_lanes), ([2, 1], Some(2..5)));
}

#[test]
fn totals_per_pixel_by_hand() {
    // Sobel in gray: nine loads of one byte a pixel. Each load of 32 lanes in a row touches one segment of 32 in the middle column and two at its sides.
    let answer = asked("sobel", "coalesced", Channels::Gray, [64, 64], [32, 1]);
    let totals = &answer.totals;
    assert!((totals.sub_group_px - 32.0).abs() < 1e-12);
    assert!((totals.wanted_bytes_per_px - 9.0).abs() < 1e-12);
    assert!((totals.by_size[0].cold - (3.0 * (2.0 + 1.0 + 2.0))).abs() < 1e-12);
    // Three rows of three segments each.
    assert!((totals.by_size[0].once_per_sub_group - 9.0).abs() < 1e-12);
    assert!((totals.floor_bytes_per_px - 1.0).abs() < 1e-12);
    // A work-group of one sub-group fetches as much; one of eight rows shares what lies between them: ten rows for eight.
    assert!((totals.by_size[0].once_per_group - 9.0).abs() < 1e-12);
    let taller = asked("sobel", "coalesced", Channels::Gray, [64, 64], [32, 8]);
    assert!((taller.totals.by_size[0].once_per_group - 3.0 * 10.0 / 8.0).abs() < 1e-12);
    // Each byte is loaded by the lanes of its left and right neighbors too, but for those at the sub-group's ends.
    let also = &asked("sobel", "coalesced", Channels::Gray, [70, 64], [32, 1]).steps[4].also_loaded;
    assert_eq!(also, &[2]);
    assert_eq!(asked("sobel", "coalesced", Channels::Gray, [64, 64], [32, 1]).steps[4].also_loaded, [1]);
}

#[test]
fn lanes_that_take_another_path_are_left_out() {
    // Border copy: the pixels of the first column keep the source by another load.
    let filter = filters::by_name("laplace").expect("laplace");
    let (variant, parameters) = (Variant::parse("coalesced").expect("a variant"), filter.defaults());
    let setting = Setting::new(Channels::Gray, BorderMode::Copy);
    let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px: 64, height_px: 64 };
    let of = |pixel| {
        answer(&Question { filter, shape, pixel, pass: None, local: [32, 1], sub_group: 32, is_loop: false, banks: 32 }).expect("an answer")
    };
    assert_eq!(of([5, 5]).steps[0].lanes.len(), 31);
    assert_eq!(of([0, 5]).steps[0].lanes.len(), 1);
    assert_eq!(of([40, 5]).steps[0].lanes.len(), 31);
}

#[test]
fn what_cannot_be_answered_says_why() {
    let filter = filters::by_name("laplace").expect("laplace");
    let (variant, parameters) = (Variant::naive(), filter.defaults());
    let setting = Setting::new(Channels::Gray, BorderMode::Copy);
    let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px: 8, height_px: 4 };
    let question = Question { filter, shape, pixel: [8, 0], pass: None, local: [32, 1], sub_group: 32, is_loop: false, banks: 32 };
    let refused = |question: &Question| answer(question).expect_err("refused").to_string();
    assert!(refused(&question).contains("8 × 4"), "{}", refused(&question));
    let passes = Question { pixel: [0, 0], pass: Some(1), ..question };
    assert!(refused(&passes).contains("last pass of the variant is number 1"), "{}", refused(&passes));
}

#[test]
fn sums_grow_step_by_step() {
    // The first load lies one byte to the left of a segment; nine loads touch 3 · (2 + 1 + 2) segments, three in each of three rows are distinct.
    let sobel = asked("sobel", "coalesced", Channels::Gray, [64, 64], [32, 1]);
    let sums = |steps| SoFar::after(&sobel, steps, 32);
    assert_eq!(sums(0), SoFar::default());
    assert_eq!(sums(1), SoFar { wanted_bytes: 32, touched: 2, distinct: 2, ..SoFar::default() });
    let loads = sobel.steps.iter().filter(|step| step.own.kind.is_load()).count();
    let all = SoFar { wanted_bytes: 9 * 32, touched: 15, distinct: 9, ..SoFar::default() };
    assert_eq!(sums(loads), all);
    assert_eq!(sums(sobel.steps.len()), SoFar { stored_bytes: 32, stored_segments: 1, ..all });
    // What the sums say at the end is what the totals do.
    assert!((sobel.totals.by_size[0].cold * sobel.totals.sub_group_px - 32.0 * all.touched as f64).abs() < 1e-9);
    // Of a tile and of texels other things are summed.
    let tile = asked("sobel", "coalesced+local", Channels::Gray, [64, 64], [32, 8]);
    let turns = SoFar::after(&tile, tile.steps.len(), 32).bank_turns;
    assert!(turns > 0 && turns as f64 <= tile.totals.bank_cycles_per_px * tile.totals.sub_group_px + 1e-9, "{turns}");
    let texels = asked("copy", "coalesced+image", Channels::Rgb, [64, 64], [32, 1]);
    assert_eq!(SoFar::after(&texels, 1, 32), SoFar { image_reads: 32, ..SoFar::default() });
}

#[test]
fn a_loop_comes_back_to_its_lines() {
    // Lines of 64 bytes, and rows of 1024; each work-item loads three bytes of three rows.
    let of = |variant, pixel| summary(&asked("sobel", variant, Channels::Gray, pixel, [64, 1]), 64);
    let reuse = |before, after| Reuse { before, after };
    // In the middle of a line: the work-items on either side load from it, too.
    assert_eq!(of("coalesced", [70, 64]), [(reuse(Some(1), Some(1)), 3)]);
    // At its beginning: its left neighbor belongs to the line before, and to another group.
    assert_eq!(of("coalesced", [64, 64]), [(reuse(None, None), 3), (reuse(None, Some(1)), 3)]);
    // Down the rows: the one above is loaded from for the last time, the one below for the first; the two columns' lines are two in each.
    let down = of("naive", [64, 70]);
    assert_eq!(down, [(reuse(None, Some(1)), 2), (reuse(Some(1), None), 2), (reuse(Some(1), Some(1)), 2)]);
    // The last of eight in the first of two rows: the next work-item, the first of the second row, loads from two of its three lines.
    let tall = summary(&asked("sobel", "coalesced", Channels::Gray, [71, 64], [8, 2]), 64);
    assert_eq!(tall, [(reuse(Some(1), Some(1)), 2), (reuse(Some(1), None), 1)]);
}
