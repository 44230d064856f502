//! On a real driver: whatever device comes first, PoCL where nothing else is installed.

use super::{Access, Arg, CacheSettings, Devices, LocalSize, Session, check_local};
use crate::measure::BuildFrom;

/// A session on the first device. Without one these tests have nothing to test, which must not pass for success.
fn session(cache: &CacheSettings) -> Session {
    let devices = Devices::discover().unwrap_or_else(|none| panic!("these tests need an OpenCL device, and there is none: {none:?}"));
    Session::open(&devices, 0, cache).expect("the first device opens")
}

const INVERT: &str = "__kernel void invert(__global const uchar *source, __global uchar *target, int count) {
    int i = get_global_id(0);
    if (i < count) target[i] = 255 - source[i];
}
";

#[test]
fn a_kernel_runs_over_a_rounded_up_ndrange() {
    let session = session(&CacheSettings::off());
    let built = session.build(INVERT, "", "invert").expect("builds");
    let source = session.buffer(1000, Access::Read).expect("small");
    let target = session.guarded_buffer(1000).expect("small");
    let bytes: Vec<u8> = (0..1000).map(|index| index as u8).collect();
    session.write(&source, &bytes).expect("fits");
    session.fill(target.buffer(), 3).expect("fills");
    let local = check_local(session.info(), Some(built.limits()), LocalSize::Explicit([64, 1]), &|_| 0).expect("legal");
    for local in [None, local] {
        let args = [Arg::Buffer(&source), Arg::Buffer(target.buffer()), Arg::Int(1000)];
        let times = session.run(&built, &args, [1000, 1], local).expect("runs");
        println!("{times:?} {:?}", times.kernel_ns());
        session.check_guards(&target).expect("undamaged");
        let mut output = vec![0; 1000];
        session.read(target.buffer(), &mut output).expect("fits");
        assert!(output.iter().zip(&bytes).all(|(&output, &byte)| output == 255 - byte));
    }
}

#[test]
fn memory_is_hit_before_source() {
    let session = session(&CacheSettings::off());
    let from = |options| session.build(INVERT, options, "invert").expect("builds").report().from;
    assert_eq!([from(""), from(""), from("-DX=1"), from("")], [BuildFrom::Source, BuildFrom::Memory, BuildFrom::Source, BuildFrom::Memory]);
}
