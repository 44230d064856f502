//! Buffers over host memory: the same bytes as by copies, through map and unmap.

use super::{INVERT, host_memories, session};
use crate::device::{Access, Arg, CacheSettings, Poison};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn every_host_memory_takes_bytes_through_a_kernel_and_back() {
    let session = session(&CacheSettings::off());
    let built = session.build(INVERT, "", "invert").expect("builds");
    // Neither whole cache lines nor whole pages.
    let bytes: Vec<u8> = (0..10_001).map(|index| (index % 251) as u8).collect();
    for host_memory in host_memories() {
        let source = session.buffer_in(host_memory, bytes.len(), Access::Read).expect("small");
        let target = session.guarded_buffer_in(host_memory, bytes.len()).expect("small");
        assert_eq!((source.host_memory(), target.buffer().host_memory()), (host_memory, host_memory));
        assert_eq!((source.len_bytes(), target.buffer().len_bytes()), (bytes.len(), bytes.len()));
        for turn in 0..3_u8 {
            let sent: Vec<u8> = bytes.iter().map(|byte| byte.wrapping_add(turn)).collect();
            session.write(&source, &sent).expect("fits");
            let poison = Poison::random();
            session.poison(target.buffer(), &poison).expect("fills");
            let args = [Arg::Buffer(&source), Arg::Buffer(target.buffer()), Arg::Int(10_000)];
            session.run(&built, &args, [bytes.len(), 1], None).expect("runs");
            session.check_guards(&target).expect("undamaged");
            let mut output = vec![0; bytes.len()];
            session.read(target.buffer(), &mut output).expect("fits");
            let (last, inverted) = output.split_last().expect("not empty");
            assert!(inverted.iter().zip(&sent).all(|(&output, &byte)| output == 255 - byte), "{host_memory}, turn {turn}");
            assert_eq!(*last, poison.byte(), "{host_memory}: what the kernel left out is as it was filled");
        }
    }
}

#[test]
fn guards_are_checked_in_every_host_memory() {
    let session = session(&CacheSettings::off());
    let source = "__kernel void stray(__global uchar *target, int at) { target[at] = 1; }";
    let built = session.build(source, "", "stray").expect("builds");
    for host_memory in host_memories() {
        let target = session.guarded_buffer_in(host_memory, 100).expect("small");
        let stray = |at| {
            session.run(&built, &[Arg::Buffer(target.buffer()), Arg::Int(at)], [1, 1], None).expect("runs");
            session.check_guards(&target).map_err(|error| error.why)
        };
        assert_eq!(stray(99), Ok(()), "{host_memory}");
        let behind = "1 bytes after the output were overwritten, the nearest at distance 1".to_owned();
        assert_eq!(stray(100), Err(behind), "{host_memory}");
        assert_eq!(stray(0), Ok(()), "{host_memory}: the guards are made anew");
        let before = "1 bytes before the output were overwritten, the nearest at distance 7".to_owned();
        assert_eq!(stray(-7), Err(before), "{host_memory}");
    }
}

#[test]
fn rows_are_read_without_their_gaps_from_every_host_memory() {
    let session = session(&CacheSettings::off());
    for host_memory in host_memories() {
        let target = session.guarded_buffer_in(host_memory, 3 * 128 - 100).expect("small");
        let whole: Vec<u8> = (0..target.buffer().len_bytes()).map(|index| (index % 251) as u8).collect();
        session.write(target.buffer(), &whole).expect("fits");
        let mut rows = [0; 3 * 28];
        session.read_rows(target.buffer(), 128, 28, &mut rows).expect("the last row ends with the buffer");
        let expected: Vec<u8> = [0, 128, 256].into_iter().flat_map(|start| whole[start..start + 28].to_vec()).collect();
        assert_eq!(rows.as_slice(), expected, "{host_memory}");
        assert!(session.read_rows(target.buffer(), 128, 29, &mut [0; 3 * 29]).is_err(), "the last row ends behind the buffer");
    }
}

#[test]
fn ranges_are_written_and_read_in_place() {
    let session = session(&CacheSettings::off());
    for host_memory in host_memories() {
        let buffer = session.buffer_in(host_memory, 100, Access::ReadWrite).expect("small");
        session.write(&buffer, &[1; 100]).expect("fits");
        let sum = session.with_mapped_mut(&buffer, 10..20, |bytes| {
            bytes.fill(7);
            bytes.len()
        });
        assert_eq!(sum, Ok(10), "what the closure returns is handed on");
        let seen = session.with_mapped(&buffer, 5..25, <[u8]>::to_vec).expect("in the buffer");
        assert_eq!(seen, [[1; 5].as_slice(), &[7; 10], &[1; 5]].concat(), "{host_memory}");
        assert!(session.with_mapped(&buffer, 90..101, |_| ()).is_err(), "behind the end");
        assert!(session.with_mapped(&buffer, 7..7, |_| ()).is_err(), "no bytes");
    }
}

#[test]
fn a_mapped_buffer_is_not_used_otherwise_and_free_again_after_a_panic() {
    let session = session(&CacheSettings::off());
    let built = session.build(INVERT, "", "invert").expect("builds");
    let target = session.buffer(10, Access::ReadWrite).expect("small");
    for host_memory in host_memories() {
        let buffer = session.buffer_in(host_memory, 10, Access::ReadWrite).expect("small");
        let uses = session.with_mapped_mut(&buffer, 0..10, |bytes| {
            bytes.fill(1);
            [
                session.with_mapped(&buffer, 0..1, |_| ()).is_err(),
                session.with_mapped_mut(&buffer, 9..10, |_| ()).is_err(),
                session.write(&buffer, &[2]).is_err(),
                session.poison(&buffer, &Poison::random()).is_err(),
                session.run(&built, &[Arg::Buffer(&buffer), Arg::Buffer(&target), Arg::Int(10)], [10, 1], None).is_err(),
            ]
        });
        assert_eq!(uses, Ok([true; 5]), "{host_memory}: refused while mapped");
        let panicked = catch_unwind(AssertUnwindSafe(|| session.with_mapped_mut(&buffer, 0..10, |_| panic!("on purpose"))));
        assert!(panicked.is_err(), "the panic is passed on");
        session.write(&buffer, &[5; 10]).expect("unmapped by the panic");
        assert_eq!(session.with_mapped(&buffer, 0..10, <[u8]>::to_vec), Ok(vec![5; 10]), "{host_memory}");
    }
}
