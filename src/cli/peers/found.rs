//! The peers that came with the program, where what they need is installed; and those that were named.

use super::page::Place;
use super::process::Peer;
use base::error::Result;
use base::texts::{failed, misused};
use model::CpuEngine;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The libraries that `assets/peers/cuda.cu` calls.
const CUDA_LIBRARIES: [&str; 8] = ["if", "im", "ist", "ig", "icc", "ial", "idei", "c"];

const CUDA: &str = include_str!("../../../assets/peers/cuda.cu");
const OPENCV: &str = include_str!("../../../assets/peers/opencv.py");
const HALIDE: &str = include_str!("../../../assets/peers/halide_peer.py");

/// Where CUDA puts its compiler where no search path has it.
const NVCC: &str = "/usr/local/cuda/bin/nvcc";

/// How a peer that came with the program is started.
enum Start {
    /// Compiled first.
    Compiled,
    /// By Python: name and text of the file, and its arguments.
    Script(&'static str, &'static str, &'static [&'static str]),
}

/// What a peer computes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    Gpu,
    AllCores,
    OneThread,
}

/// The peers that came with the program.
static PEERS: [(&str, Runs, Start); 6] = [
    ("cuda", Runs::Gpu, Start::Compiled),
    ("opencv-umat", Runs::Gpu, Start::Script("opencv.py", OPENCV, &["umat"])),
    ("opencv", Runs::AllCores, Start::Script("opencv.py", OPENCV, &["all"])),
    ("opencv-one-thread", Runs::OneThread, Start::Script("opencv.py", OPENCV, &["one"])),
    ("halide", Runs::AllCores, Start::Script("halide_peer.py", HALIDE, &["all"])),
    ("halide-one-thread", Runs::OneThread, Start::Script("halide_peer.py", HALIDE, &["one"])),
];

/// Their names.
fn known() -> impl Iterator<Item = &'static str> {
    PEERS.iter().map(|(key, ..)| *key)
}

/// The names of those that a person would choose between: beside a device, all but those that leave cores idle; beside a CPU competitor, those that
/// compute on as many threads.
pub fn worth_beside(place: &Place) -> impl Iterator<Item = &'static str> {
    let is_worth = match place {
        Place::Device(_) => |runs| runs != Runs::OneThread,
        Place::Cpu(CpuEngine::Threads) => |runs| runs == Runs::AllCores,
        Place::Cpu(CpuEngine::Scalar | CpuEngine::Simd) => |runs| runs == Runs::OneThread,
    };
    PEERS.iter().filter(move |(_, runs, _)| is_worth(*runs)).map(|(key, ..)| *key)
}

/// A peer by its name, and how it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub key: String,
    /// A command of a person's own; `None` for one of [`known`].
    pub command: Option<String>,
}

impl Named {
    /// "cuda", or "mine=python3 mine.py".
    ///
    /// # Errors
    /// A usage error where there is no such peer.
    pub fn parse(text: &str) -> Result<Self> {
        match text.split_once('=') {
            Some((key, command)) if !key.is_empty() && !command.trim().is_empty() => {
                Ok(Self { key: key.to_owned(), command: Some(command.to_owned()) })
            }
            None if known().any(|key| key == text) => Ok(Self { key: text.to_owned(), command: None }),
            _ => Err(misused("errors.peer.unknown", &[("peer", &text), ("known", &known().collect::<Vec<_>>().join(", "))])),
        }
    }

    /// Starts it.
    ///
    /// # Errors
    /// What it needs is not installed, or it does not start.
    pub fn start(&self, python: &str, folder: &Path) -> Result<Peer> {
        let mut command = match (&self.command, PEERS.iter().find(|(key, ..)| *key == self.key)) {
            (Some(command), _) => {
                let mut words = command.split_whitespace();
                let mut started = Command::new(words.next().unwrap_or_default());
                started.args(words);
                started
            }
            (None, Some((_, _, Start::Script(name, text, arguments)))) => {
                let path = folder.join(name);
                fs::write(&path, text).map_err(|error| failed("errors.peer.folder", &[("why", &error)]))?;
                let mut started = Command::new(python);
                started.arg(path).args(*arguments);
                started
            }
            (None, _) => Command::new(compiled(folder)?),
        };
        Peer::start(&self.key, &mut command)
    }
}

/// NVIDIA's libraries are called from a program that their compiler builds for the GPU of this machine. It is not kept: a home may be shared by machines with
/// other GPUs.
fn compiled(folder: &Path) -> Result<PathBuf> {
    let broken = |why: &dyn Display| failed("errors.peer.compile", &[("why", why)]);
    let (source, built) = (folder.join("cuda.cu"), folder.join("cuda"));
    fs::write(&source, CUDA).map_err(|error| failed("errors.peer.folder", &[("why", &error)]))?;
    let compiler = if Path::new(NVCC).exists() { NVCC } else { "nvcc" };
    let mut command = Command::new(compiler);
    command.args(["-O2", "-std=c++17", "-arch=native", "-o"]).args([&built, &source]);
    command.args(CUDA_LIBRARIES.map(|library| format!("-lnpp{library}")));
    let output = command.stdin(Stdio::null()).output().map_err(|error| broken(&error))?;
    if output.status.success() {
        return Ok(built);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let error = said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next());
    Err(broken(&error.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::Named;

    #[test]
    fn a_peer_is_one_of_ours_or_has_a_command() {
        let own = Named::parse("mine=python3 mine.py --fast").expect("a command");
        assert_eq!((own.key.as_str(), own.command.as_deref()), ("mine", Some("python3 mine.py --fast")));
        assert_eq!(Named::parse("cuda").expect("known").command, None);
        for wrong in ["nobody", "=x", "mine="] {
            assert!(Named::parse(wrong).is_err(), "{wrong}");
        }
    }
}
