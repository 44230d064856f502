//! What drivers hand out as machine code.

use super::{Kind, spoil};
use engine::compiled;
use std::sync::Arc;

const FILES: [&[u8]; 6] = [
    include_bytes!("../compiled/pocl_laplace_five.bin"),
    include_bytes!("../compiled/pocl_laplace_five_merged.bin"),
    include_bytes!("../compiled/intel_laplace_five.bin"),
    include_bytes!("../compiled/intel_laplace_five_merged.bin"),
    include_bytes!("../compiled/h200_laplace_five.ptx"),
    include_bytes!("../compiled/h200_laplace_five_merged_short16.ptx"),
];

pub fn machine_code() -> Kind {
    // Asked for a local size, and where the driver chose.
    let read = |bytes: &[u8]| {
        let _ = compiled::read(bytes, "laplace", None, &[512, 512]);
        compiled::read(bytes, "laplace", Some(&[16, 4]), &[512, 512]).map(drop)
    };
    Kind {
        valid: FILES.map(<[u8]>::to_vec).to_vec(),
        ways: [spoil::BYTES, spoil::TEXT].concat(),
        words: &[".visible .entry laplace(", "{\n", "}\n", ".func f()\n", "call ", "bra $L__BB0_1;\n", ".param ", ";", "\"", "/*"],
        read: Arc::new(read),
        most_bytes: (16 << 20, 400),
        count: 700,
    }
}
