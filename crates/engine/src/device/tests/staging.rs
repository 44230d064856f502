//! Transfers through pinned memory: the same bytes as by transfers that block.

use super::session;
use crate::device::{Access, CacheSettings, Poison, Rows};
use model::{HostMemory, TexelFormat};

/// Byte `at` of row `row`.
fn byte(row: usize, at: usize) -> u8 {
    (row * 31 + at * 7 + (row * at) / 251) as u8
}

fn lay_out(pitch_bytes: usize) -> impl FnMut(usize, &mut [u8]) {
    move |first, piece| {
        for (row, bytes) in (first..).zip(piece.chunks_mut(pitch_bytes)) {
            bytes.iter_mut().enumerate().for_each(|(at, to)| *to = byte(row, at));
        }
    }
}

#[test]
fn rows_in_pieces_are_the_rows_at_once() {
    let session = session(&CacheSettings::off());
    // One piece; pieces that the rows do not fill; more pieces than the two that take turns, with a last one of fewer rows.
    for (rows, row_bytes, pitch_bytes) in [(1, 1, 1), (7, 100, 128), (300, 5000, 5000), (3001, 1500, 1536), (3, 9 << 20, 9 << 20)] {
        let mut staging = session.staging(pitch_bytes).expect("room");
        let buffer = session.buffer(rows * pitch_bytes, Access::ReadWrite).expect("room");
        session.poison(&buffer, &Poison::random()).expect("fills");
        session.write_staged(&mut staging, Rows::Buffer(&buffer), rows, pitch_bytes, lay_out(pitch_bytes)).expect("writes");
        let mut whole = vec![0; rows * pitch_bytes];
        session.read(&buffer, &mut whole).expect("reads");
        let expected = |pitch_bytes: usize, row_bytes: usize| -> Vec<u8> {
            (0..rows).flat_map(|row| (0..row_bytes).map(move |at| byte(row, at))).take(rows * pitch_bytes).collect()
        };
        assert!(whole == expected(pitch_bytes, pitch_bytes), "{rows} rows of {pitch_bytes} written");
        let mut cut = vec![0; rows * row_bytes];
        session.read_staged(&mut staging, &buffer, pitch_bytes, row_bytes, &mut cut).expect("reads");
        assert!(cut == expected(row_bytes, row_bytes), "{rows} rows of {row_bytes}, {pitch_bytes} apart, read");
    }
}

#[test]
fn an_image_takes_rows_in_pieces() {
    let session = session(&CacheSettings::off());
    let (width, height) = (301, 1100);
    let image = session.image(width, height, TexelFormat::RGBA8, Access::Read).expect("small");
    let mut staging = session.staging(width * 4).expect("room");
    session.write_staged(&mut staging, Rows::Image(&image), height, width * 4, lay_out(width * 4)).expect("writes");
    let texels = super::images::texels(&session, &image);
    let expected: Vec<u8> = (0..height).flat_map(|row| (0..width * 4).map(move |at| byte(row, at))).collect();
    assert!(texels == expected);
}

#[test]
fn pinned_bytes_go_to_a_buffer_and_back_with_true_timestamps() {
    let session = session(&CacheSettings::off());
    let buffer = session.buffer(1 << 20, Access::ReadWrite).expect("small");
    let mut pinned = session.pinned(1 << 20).expect("small");
    lay_out(1 << 10)(0, pinned.bytes_mut(&session, 1 << 20).expect("fits"));
    let (times, commands) = session.noting(|| session.write_pinned(&buffer, &mut pinned, 1 << 20));
    assert!(times.expect("writes").kernel_ns().is_some());
    assert_eq!(
        commands.iter().map(|command| (command.name.as_str(), command.bytes)).collect::<Vec<_>>(),
        [("clEnqueueWriteBuffer", 1 << 20)]
    );
    pinned.bytes_mut(&session, 1 << 20).expect("fits").fill(0);
    assert!(session.read_pinned(&buffer, &mut pinned, 1 << 20).expect("reads").kernel_ns().is_some());
    let mut expected = vec![0; 1 << 20];
    lay_out(1 << 10)(0, &mut expected);
    assert!(pinned.bytes_mut(&session, 1 << 20).expect("fits") == expected);
}

#[test]
fn what_does_not_fit_is_refused() {
    let session = session(&CacheSettings::off());
    let mut staging = session.staging(1).expect("room");
    assert!(staging.serves(&session, 8 << 20) && !staging.serves(&session, (8 << 20) + 1));
    let buffer = session.buffer(1000, Access::ReadWrite).expect("small");
    assert!(session.write_staged(&mut staging, Rows::Buffer(&buffer), 11, 100, |_, _| ()).is_err(), "more rows than the buffer has");
    assert!(session.read_staged(&mut staging, &buffer, 100, 100, &mut [0; 1100]).is_err());
    assert!(session.read_staged(&mut staging, &buffer, 100, 101, &mut [0; 101]).is_err(), "rows longer than the pitch");
    // The bytes of such buffers are the host's.
    let mapped = session.buffer_in(HostMemory::Map, 1000, Access::ReadWrite).expect("small");
    assert!(session.write_staged(&mut staging, Rows::Buffer(&mapped), 10, 100, |_, _| ()).is_err());
    let image = session.image(10, 10, TexelFormat::R8, Access::Read).expect("small");
    assert!(session.write_staged(&mut staging, Rows::Image(&image), 11, 10, |_, _| ()).is_err(), "more rows than the image has");
    assert!(session.write_staged(&mut staging, Rows::Image(&image), 10, 9, |_, _| ()).is_err(), "rows longer than the pitch");
    // None of them spoils the next one.
    session.write_staged(&mut staging, Rows::Buffer(&buffer), 10, 100, lay_out(100)).expect("fits");
    let mut pinned = session.pinned(10).expect("small");
    assert!(pinned.bytes_mut(&session, 11).is_err());
    assert!(session.write_pinned(&buffer, &mut pinned, 11).is_err() && session.read_pinned(&buffer, &mut pinned, 11).is_err());
}
