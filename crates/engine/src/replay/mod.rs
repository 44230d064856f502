//! A run of an NVIDIA device's kernels, recorded so that it can be repeated through CUDA.
//!
//! NVIDIA's profilers count nothing of OpenCL programs: of one, Nsight Compute says "No kernels were profiled". But the driver hands out the PTX that it made of a kernel, and CUDA
//! takes it. So everything that a run takes is recorded here: that text, buffers with their bytes, arguments, work-items; and what the output was. Another process loads it,
//! launches the same code over the same bytes through CUDA, and holds its output to the recorded one, byte by byte ([`Recording::replay`]). A profiler around that process
//! counts the very code that the variant runs as.
//!
//! Two things are put in other words, as CUDA has none for them: the first group and the offset of the NDRange, which are 0 in all runs here and which OpenCL's driver
//! hands over in the registers `%envreg0` to `%envreg5`; and local memory that is an argument, which becomes part of one array of dynamic shared memory.

mod cuda;

use crate::device::{Arg, Buffer, Session};
use crate::plan::{Memory, Plan};
use base::error::{Error, Result};
use base::texts::{failed, misused};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::path::Path;

/// How often a replay runs: the first run of a module pays for its loading, a profiler replays each anyway.
const RUNS: usize = 3;

/// What stands behind `%envreg` where a register holds the first group of a launch that the driver has split, or the offset of the NDRange.
const OFFSETS: [&str; 6] = ["0;", "1;", "2;", "3;", "4;", "5;"];

/// What the driver says of a parameter that points to local memory; its alignment and its name follow.
const SHARED_POINTER: &str = ".ptr .shared .align ";

/// The array that holds all local memory of arguments.
const TILES: &str = "kernel_ladder_tiles";

/// Everything that a run takes, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Name of the device.
    device: String,
    /// The driver's code, as CUDA takes it.
    ptx: String,
    /// What each buffer held before the run.
    buffers: Vec<ByteBuf>,
    /// Which of them is the output,
    output: usize,
    /// and what it held behind the run.
    expected: ByteBuf,
    /// The kernels in their order.
    passes: Vec<Pass>,
    /// Bytes per pixel that the kernels have to move at least; `None` of those whose accesses are not described.
    pub must_move_bytes: Option<f64>,
}

/// A kernel of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pass {
    kernel: String,
    /// Work-items along each side, whole groups.
    global: [usize; 2],
    local: [usize; 2],
    arguments: Vec<Argument>,
    /// Bytes of local memory that are arguments.
    shared_bytes: usize,
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Argument {
    /// The buffer of that index.
    Buffer(usize),
    /// Four bytes.
    Word([u8; 4]),
    /// Local memory: its place among that of all arguments. Its parameter is not read.
    Local(usize),
}

impl Recording {
    /// Runs a plan over memory that holds its source already, and records it.
    ///
    /// # Errors
    /// The driver's refusal; what cannot be repeated: images, an NDRange whose groups the driver chose, code that is no PTX.
    pub(super) fn of(session: &Session, plan: &Plan, memory: &Memory, binary: &[u8]) -> Result<Self> {
        let local = plan.local.ok_or_else(|| refused("errors.replay.local"))?;
        let mut seen: Vec<&Buffer> = Vec::new();
        let mut passes = Vec::new();
        for (launch, pass) in plan.launches(memory).zip(&plan.launch.passes) {
            let launch = launch?;
            let mut shared_bytes = 0;
            let arguments = launch.args.iter().map(|arg| argument(arg, &mut seen, &mut shared_bytes)).collect::<Result<Vec<_>>>()?;
            let global = [0, 1].map(|side: usize| {
                let of = |sides: [usize; 2]| sides.get(side).copied().unwrap_or(1);
                of(launch.global).next_multiple_of(of(local))
            });
            passes.push(Pass { kernel: pass.kernel.to_owned(), global, local, arguments, shared_bytes });
        }
        let output = seen.iter().position(|known| std::ptr::eq(*known, memory.destination.buffer()));
        let output = output.ok_or_else(|| refused("errors.replay.images"))?;
        let read = |buffer: &Buffer| -> Result<ByteBuf> {
            let mut bytes = vec![0; buffer.len_bytes()];
            session.read_at(buffer, 0, &mut bytes)?;
            Ok(ByteBuf::from(bytes))
        };
        let buffers = seen.iter().map(|buffer| read(buffer)).collect::<Result<Vec<_>>>()?;
        plan.run(session, memory)?;
        let expected = read(memory.destination.buffer())?;
        let ptx = for_cuda(binary, &passes).map_err(refused)?;
        let must_move_bytes = plan.counts.map(|counts| counts.must_move_bytes);
        Ok(Self { device: session.info().name.clone(), ptx, buffers, output, expected, passes, must_move_bytes })
    }

    /// Repeats it through CUDA.
    ///
    /// # Errors
    /// There is no such device, CUDA refuses, or the output is another one.
    pub fn replay(&self) -> Result<()> {
        cuda::run(self, RUNS)
    }

    /// Writes it to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let file = std::fs::File::create(path).map_err(|error| not_kept(path, &error))?;
        ciborium::into_writer(self, std::io::BufWriter::new(file)).map_err(|error| not_kept(path, &error))
    }

    /// Reads such a file.
    ///
    /// # Errors
    /// It is none.
    pub fn read(path: &Path) -> Result<Self> {
        let file = std::fs::File::open(path).map_err(|error| not_kept(path, &error))?;
        ciborium::from_reader(std::io::BufReader::new(file)).map_err(|error| not_kept(path, &error))
    }
}

fn not_kept(path: &Path, why: &dyn std::fmt::Display) -> Error {
    failed("errors.replay.file", &[("path", &path.display()), ("why", why)])
}

fn refused(key: &'static str) -> Error {
    misused(key, &[])
}

fn argument<'a>(arg: &Arg<'a>, seen: &mut Vec<&'a Buffer>, shared_bytes: &mut usize) -> Result<Argument> {
    Ok(match *arg {
        Arg::Buffer(buffer) => Argument::Buffer(seen.iter().position(|known| std::ptr::eq(*known, buffer)).unwrap_or_else(|| {
            seen.push(buffer);
            seen.len() - 1
        })),
        Arg::Int(value) => Argument::Word(value.to_le_bytes()),
        Arg::Float(value) => Argument::Word(value.to_le_bytes()),
        Arg::LocalBytes(bytes) => {
            let place = *shared_bytes;
            // Each begins where any vector may.
            *shared_bytes = (place + bytes).next_multiple_of(128);
            Argument::Local(place)
        }
        Arg::Image(_) | Arg::Sampler(_) | Arg::Value { .. } => return Err(refused("errors.replay.images")),
    })
}

/// The driver's text with what CUDA has no words for in others; or the key of why that cannot be.
fn for_cuda(binary: &[u8], passes: &[Pass]) -> std::result::Result<String, &'static str> {
    let text = str::from_utf8(binary).map_err(|_| "errors.replay.no-ptx")?.trim_end_matches('\0');
    if !text.contains(".version") || !text.contains(".entry") {
        return Err("errors.replay.no-ptx");
    }
    let tiles = passes.iter().flat_map(|pass| {
        let named = pass.arguments.iter().enumerate().filter_map(|(index, argument)| match argument {
            Argument::Local(place) => Some((format!("[{}_param_{index}]", pass.kernel), *place)),
            _ => None,
        });
        named.collect::<Vec<_>>()
    });
    let tiles: Vec<(String, usize)> = tiles.collect();
    let mut lines = Vec::new();
    for line in text.lines() {
        let loaded = tiles.iter().find(|(parameter, _)| line.contains("ld.param") && line.contains(parameter.as_str()));
        lines.push(match (loaded, line.split_once("%envreg")) {
            (Some((_, place)), _) => {
                let register = line.split_whitespace().find(|word| word.starts_with('%')).ok_or("errors.replay.no-ptx")?;
                format!("\tmov.u64 {register} {TILES}+{place};")
            }
            (None, Some((before, rest))) if OFFSETS.contains(&rest.trim_end()) => format!("{before}0;"),
            (None, Some(_)) => return Err("errors.replay.registers"),
            // CUDA takes no parameter that says that it points there.
            (None, None) => match line.split_once(SHARED_POINTER) {
                Some((before, rest)) => format!("{before}{}", rest.split_once(' ').map_or("", |(_, name)| name)),
                None => line.to_owned(),
            },
        });
        if !tiles.is_empty() && line.starts_with(".address_size") {
            lines.push(format!(".extern .shared .align 128 .b8 {TILES}[];"));
        }
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::{Argument, Pass, for_cuda};

    fn pass(arguments: Vec<Argument>) -> Pass {
        Pass { kernel: "laplace".to_owned(), global: [64, 64], local: [8, 8], arguments, shared_bytes: 0 }
    }

    #[test]
    fn what_cuda_has_no_words_for_is_put_in_others() {
        let text = include_bytes!("../../../../tests/compiled/h200_laplace_five.ptx");
        let made = for_cuda(text, &[pass(vec![Argument::Buffer(0)])]).expect("PTX");
        assert!(!made.contains("envreg") && made.contains("mov.b32 \t%r9, 0;"), "{}", &made[..2000]);
        // Nothing else is another.
        let original = String::from_utf8_lossy(text).trim_end_matches('\0').to_owned();
        let changed = original.lines().zip(made.lines()).filter(|(one, other)| one != other).count();
        assert_eq!(changed, original.matches("%envreg").count());

        let tile = ".version 9.0\n.address_size 64\n.entry laplace(\n.param .u64 .ptr .shared .align 1 laplace_param_1\n)\n{\n\tld.param.u64 \t%rd2, [laplace_param_1];\n}\n";
        let made = for_cuda(tile.as_bytes(), &[pass(vec![Argument::Buffer(0), Argument::Local(256)])]).expect("PTX");
        assert!(
            made.contains("mov.u64 %rd2, kernel_ladder_tiles+256;")
                && made.contains(".extern .shared .align 128 .b8 kernel_ladder_tiles[];"),
            "{made}"
        );
        assert!(made.contains(".param .u64 laplace_param_1\n") && !made.contains(".ptr .shared"), "{made}");
        for other in ["no code", ".version 9\n.entry a()\nmov.b32 %r1, %envreg9;\n"] {
            assert!(for_cuda(other.as_bytes(), &[]).is_err(), "{other}");
        }
    }
}
