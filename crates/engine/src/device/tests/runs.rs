//! Buffers, arguments, launches.

use super::{INVERT, session};
use crate::device::{Access, Arg, Built, CacheSettings, GuardedBuffer, Poison, Session, check_local};
use base::error::{Error, ErrorKind};
use model::LocalSize;

#[test]
fn a_kernel_runs_over_a_rounded_up_ndrange() {
    let session = session(&CacheSettings::off());
    let built = session.build(INVERT, "", "invert").expect("builds");
    let source = session.buffer(1000, Access::Read).expect("small");
    let target = session.guarded_buffer(1000).expect("small");
    let bytes: Vec<u8> = (0..1000).map(|index| index as u8).collect();
    session.write(&source, &bytes).expect("fits");
    let local = check_local(session.info(), Some(built.limits()), LocalSize::Explicit([64, 1]), &|_| 0).expect("legal");
    for local in [None, local] {
        session.poison(target.buffer(), &Poison::random()).expect("fills");
        let args = [Arg::Buffer(&source), Arg::Buffer(target.buffer()), Arg::Int(1000)];
        let times = session.run(&built, &args, [1000, 1], local).expect("runs");
        if session.info().platform == "Portable Computing Language" {
            assert!(times.kernel_ns().is_some(), "{times:?}");
        }
        session.check_guards(&target).expect("undamaged");
        let mut output = vec![0; 1000];
        session.read(target.buffer(), &mut output).expect("fits");
        assert!(output.iter().zip(&bytes).all(|(&output, &byte)| output == 255 - byte));
    }
}

#[test]
fn surplus_work_items_are_launched_and_the_size_is_a_multiple() {
    let session = session(&CacheSettings::off());
    let source = "__kernel void sizes(__global uint *out) {
        if (get_global_id(0) == 0 && get_global_id(1) == 0) {
            out[0] = get_global_size(0); out[1] = get_global_size(1); out[2] = get_local_size(0); out[3] = get_local_size(1);
        }
    }";
    let built = session.build(source, "", "sizes").expect("builds");
    let out = session.buffer(16, Access::ReadWrite).expect("small");
    session.run(&built, &[Arg::Buffer(&out)], [13, 5], Some([4, 2])).expect("runs");
    let mut bytes = [0; 16];
    session.read(&out, &mut bytes).expect("fits");
    let numbers: Vec<u32> = bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four"))).collect();
    assert_eq!(numbers, [16, 6, 4, 2]);
}

#[test]
fn values_and_local_memory_arrive() {
    let session = session(&CacheSettings::off());
    let source = "__kernel void sum(__global float *out, float scale, int offset, __local float *tile) {
        int i = get_local_id(0);
        tile[i] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = tile[get_local_size(0) - 1 - i] * scale + offset;
    }";
    let built = session.build(source, "", "sum").expect("builds");
    let out = session.buffer(4 * 8, Access::Write).expect("small");
    let args = [Arg::Buffer(&out), Arg::Float(0.5), Arg::Int(-4_000_000), Arg::LocalBytes(4 * 4)];
    session.run(&built, &args, [8, 1], Some([4, 1])).expect("runs");
    let mut bytes = [0; 32];
    session.read(&out, &mut bytes).expect("fits");
    let numbers: Vec<f32> = bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four"))).collect();
    let expected = [1.5, 1.0, 0.5, 0.0].map(|value| value - 4_000_000.0);
    assert_eq!(numbers, [expected, expected].concat());
}

#[test]
fn a_byte_outside_the_output_is_found_on_its_side() {
    let session = session(&CacheSettings::off());
    let source = "__kernel void stray(__global uchar *target, int at) { target[at] = 1; }";
    let built = session.build(source, "", "stray").expect("builds");
    let target = session.guarded_buffer(100).expect("small");
    let stray = |at| {
        session.run(&built, &[Arg::Buffer(target.buffer()), Arg::Int(at)], [1, 1], None).expect("runs");
        session.check_guards(&target).map_err(|error| error.why)
    };
    assert_eq!(stray(0), Ok(()));
    assert_eq!(stray(99), Ok(()));
    assert_eq!(stray(100), Err("1 bytes after the output were overwritten, the nearest at distance 1".to_owned()));
    assert_eq!(stray(0), Ok(()), "the guards are made anew");
    assert_eq!(stray(-7), Err("1 bytes before the output were overwritten, the nearest at distance 7".to_owned()));
}

#[test]
fn a_guard_cannot_be_written_over_with_what_guards_once_held() {
    let session = session(&CacheSettings::off());
    let source = "__kernel void stray(__global uchar *target) { for (int at = 100; at < 132; ++at) target[at] = 0xA5; }";
    let built = session.build(source, "", "stray").expect("builds");
    let target = session.guarded_buffer(100).expect("small");
    session.run(&built, &[Arg::Buffer(target.buffer())], [1, 1], None).expect("runs");
    let why = session.check_guards(&target).expect_err("it wrote outside").why;
    assert!(why.contains("after the output were overwritten, the nearest at distance 1") || why.contains("nearest at distance 2"), "{why}");
}

/// A session with a kernel of four kinds of arguments and two buffers.
fn picky() -> (Session, Built, GuardedBuffer) {
    let session = session(&CacheSettings::off());
    let source = "__kernel void picky(__global uchar *target, int count, float scale, __local uchar *tile) {
        tile[0] = count; target[0] = tile[0] * scale;
    }";
    let built = session.build(source, "", "picky").expect("builds");
    let target = session.guarded_buffer(64).expect("small");
    (session, built, target)
}

#[test]
fn wrong_arguments_are_refused_before_the_launch() {
    let (session, built, target) = picky();
    let buffer = Arg::Buffer(target.buffer());
    let run = |args: &[Arg]| session.run(&built, args, [1, 1], None).map_err(|error| error.why);
    run(&[buffer, Arg::Int(1), Arg::Float(1.0), Arg::LocalBytes(4)]).expect("right");
    let count = run(&[buffer, Arg::Int(1), Arg::Float(1.0)]).expect_err("one too few");
    assert_eq!(count, "it takes 4 arguments, but 3 were given");
    for wrong in [
        [Arg::Int(1), Arg::Int(1), Arg::Float(1.0), Arg::LocalBytes(4)],
        [Arg::LocalBytes(4), Arg::Int(1), Arg::Float(1.0), Arg::LocalBytes(4)],
        [buffer, Arg::Float(1.0), Arg::Float(1.0), Arg::LocalBytes(4)],
        [buffer, buffer, Arg::Float(1.0), Arg::LocalBytes(4)],
        [buffer, Arg::Int(1), Arg::Int(1), Arg::LocalBytes(4)],
        [buffer, Arg::Int(1), Arg::Float(1.0), buffer],
        [buffer, Arg::Int(1), Arg::Float(1.0), Arg::LocalBytes(0)],
    ] {
        assert!(run(&wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn illegal_sizes_are_refused_before_the_launch() {
    let (session, built, target) = picky();
    let run = |global, local, bytes| {
        let args = [Arg::Buffer(target.buffer()), Arg::Int(1), Arg::Float(1.0), Arg::LocalBytes(bytes)];
        session.run(&built, &args, global, local)
    };
    let most = built.limits().max_work_group_size.min(session.info().max_work_group_size);
    run([1, 1], Some([1, 1]), 4).expect("legal");
    for (global, local, bytes) in [
        ([0, 1], None, 4),
        ([1, 1], Some([0, 1]), 4),
        ([1, 1], Some([most, 2]), 4),
        ([1, 1], None, session.info().local_mem_bytes + 1),
        ([usize::MAX, 1], Some([2, 1]), 4),
    ] {
        assert_eq!(run(global, local, bytes).expect_err("illegal").kind, ErrorKind::Usage, "{global:?} {local:?} {bytes}");
    }
}

#[test]
fn what_belongs_to_another_session_is_refused() {
    let (mine, built, target) = picky();
    let (other, ..) = picky();
    let args = [Arg::Buffer(target.buffer()), Arg::Int(1), Arg::Float(1.0), Arg::LocalBytes(4)];
    assert!(other.run(&built, &args, [1, 1], None).is_err(), "another session's kernel");
    assert!(other.write(target.buffer(), &[1]).is_err(), "another session's buffer");
    drop((mine, target));
    drop(built);
}

#[test]
fn buffers_and_transfers_keep_to_their_sizes() {
    let session = session(&CacheSettings::off());
    let why = |result: Result<(), Error>| result.expect_err("refused").why;
    let limit = session.info().max_alloc_bytes;
    let too_large = usize::try_from(limit).expect("64 bits") + 1;
    let refused = why(session.buffer(too_large, Access::Read).map(drop));
    assert!(refused.contains(&limit.to_string()) && refused.contains(&too_large.to_string()), "{refused}");
    assert!(session.buffer(0, Access::Read).is_err());
    assert!(session.guarded_buffer(0).is_err());
    assert!(session.guarded_buffer(usize::MAX).is_err());
    let buffer = session.buffer(10, Access::Read).expect("small");
    session.write_at(&buffer, 3, &[1; 7]).expect("ends with the buffer");
    let refused = why(session.write_at(&buffer, 4, &[1; 7]).map(drop));
    assert_eq!(refused, "7 bytes at offset 4 exceed a buffer of 10 bytes");
    assert!(session.read(&buffer, &mut [0; 11]).is_err());
    assert!(session.read_at(&buffer, usize::MAX, &mut [0; 2]).is_err());
}

#[test]
fn rows_are_read_without_their_gaps() {
    let session = session(&CacheSettings::off());
    let target = session.guarded_buffer(3 * 128 - 100).expect("small");
    let whole: Vec<u8> = (0..target.buffer().len_bytes()).map(|index| (index % 251) as u8).collect();
    session.write(target.buffer(), &whole).expect("fits");
    let mut rows = [0; 3 * 28];
    session.read_rows(target.buffer(), 128, 28, &mut rows).expect("the last row ends with the buffer");
    let expected: Vec<u8> = [0, 128, 256].into_iter().flat_map(|start| whole[start..start + 28].to_vec()).collect();
    assert_eq!(rows.as_slice(), expected);
    let mut tight = vec![0; whole.len()];
    session.read_rows(target.buffer(), whole.len(), whole.len(), &mut tight).expect("one row");
    assert_eq!(tight, whole);
    assert!(session.read_rows(target.buffer(), 128, 29, &mut [0; 3 * 29]).is_err(), "the last row ends behind the buffer");
    assert!(session.read_rows(target.buffer(), 128, 28, &mut [0; 29]).is_err(), "not a whole number of rows");
    assert!(session.read_rows(target.buffer(), 20, 28, &mut [0; 56]).is_err(), "rows longer than the pitch");
    assert!(session.read_rows(target.buffer(), 0, 0, &mut []).is_err(), "no rows");
}
