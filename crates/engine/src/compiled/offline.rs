//! Code for a GPU that is not here, by compilers that are installed: clang for AMD's, clang and ptxas for NVIDIA's.
//!
//! It is not what the driver of such a GPU would make, which has another version of the compiler, its own library of functions and its own switches. Register
//! counts and spills mostly agree; whoever shows them says which compiler they are of.

use super::tools::{found, llvm_names};
use super::{Compiled, Kernel, KernelCode, Origin, Queried, build_log, gcn, ptx};
use base::error::{Error, Result};
use base::system::without_console;
use base::texts::{failed, misused, text};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::Arc;

/// Folders that distributions put libclc's bitcode into.
const LIBRARY_FOLDERS: [&str; 4] = ["/usr/lib/clc", "/usr/share/clc", "/usr/local/lib/clc", "/usr/local/share/clc"];

/// Where CUDA's own installer puts its tools.
const CUDA: &str = "/usr/local/cuda/bin";

/// A processor that code is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Processor {
    /// AMD's, by LLVM's name: `gfx1030`.
    Amd(String),
    /// NVIDIA's, by its compute capability: `sm_90`.
    Nvidia(String),
}

impl FromStr for Processor {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let is_word = |rest: &str| !rest.is_empty() && rest.len() <= 8 && rest.chars().all(|letter| letter.is_ascii_alphanumeric());
        match (name.strip_prefix("gfx").is_some_and(is_word), name.strip_prefix("sm_").is_some_and(is_word)) {
            (true, _) => Ok(Self::Amd(name.to_owned())),
            (_, true) => Ok(Self::Nvidia(name.to_owned())),
            _ => Err(misused("errors.offline.unknown-processor", &[("name", &name)])),
        }
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Amd(name) | Self::Nvidia(name) => formatter.write_str(name),
        }
    }
}

/// What a compiler that is installed makes of a kernel text for a processor that is not here.
#[derive(Clone, Debug)]
pub struct Offline {
    /// The code, with compiler and processor as its origin.
    pub compiled: Compiled,
    /// Wavefronts that a SIMD unit can hold of each kernel, as the compiler reckons; `None` where it does not.
    pub wavefronts: Vec<Option<u32>>,
}

/// Compiles `source` with these build options, and reads the code of these kernels.
///
/// # Errors
/// Failed: a compiler or its library is not installed, with what to install; it refuses the text or the processor, with its words.
pub fn compile(source: &str, options: &str, kernels: &[&str], processor: &Processor) -> Result<Offline> {
    let folder = tempfile::tempdir().map_err(|error| failed("errors.offline.no-folder", &[("why", &error)]))?;
    let file = folder.path().join("kernel.cl");
    std::fs::write(&file, source).map_err(|error| failed("errors.offline.no-folder", &[("why", &error)]))?;
    let clang = clang()?;
    let (triple, library) = match processor {
        Processor::Amd(_) => ("amdgcn-amd-amdhsa", "amdgcn--amdhsa.bc"),
        Processor::Nvidia(_) => ("nvptx64-nvidia-nvcl", "nvptx64--nvidiacl.bc"),
    };
    let library = library_of(library)?;
    let mut command = Command::new(&clang.path);
    without_console(&mut command);
    command.args(["-target", triple, &format!("-mcpu={processor}"), "-x", "cl", "-Xclang", "-finclude-default-header", "-O3", "-nogpulib"]);
    command.args(["-Xclang", "-mlink-builtin-bitcode", "-Xclang"]).arg(&library).arg("-Wno-linker-warnings");
    if matches!(processor, Processor::Amd(_)) {
        // As AMD's own driver: nothing is called.
        command.args(["-mllvm", "-amdgpu-early-inline-all=true", "-mllvm", "-amdgpu-function-calls=false"]);
    }
    let has_version = options.contains("-cl-std=");
    command.args(of_clang(options)).args((!has_version).then_some("-cl-std=CL1.2")).args(["-S", "-o", "-"]).arg(&file);
    let [made, _] = output(&mut command, &clang.version)?;
    let (logs, driver) = match processor {
        Processor::Amd(_) => (String::new(), clang.version.clone()),
        Processor::Nvidia(_) => assembled(&made, folder.path(), processor, &clang)?,
    };
    let kernel = |name: &&str| {
        let (code, resources) = match processor {
            Processor::Amd(_) => (gcn::read(&made, name), gcn::resources(&made, name)),
            Processor::Nvidia(_) => (ptx::read(&made, name), build_log::resources(&logs, name)),
        };
        Kernel {
            name: (*name).to_owned(),
            code: code.map(KernelCode::new),
            lined: None,
            unread: None,
            resources,
            queried: Queried::default(),
        }
    };
    let wavefronts = kernels.iter().map(|name| gcn::wavefronts(&made, name)).collect();
    let compiled = Compiled {
        source: None,
        origin: Origin { device: processor.to_string(), driver, options: options.to_owned(), local: None },
        bare_source: source.into(),
        launch: String::new(),
        kernels: kernels.iter().map(kernel).collect(),
        binary: Arc::from(made.into_bytes()),
        log: logs,
    };
    Ok(Offline { compiled, wavefronts })
}

/// The options that clang has, too: a definition or a folder may stand apart from its sign, and those of one driver alone are left out.
fn of_clang(options: &str) -> Vec<&str> {
    let mut words = options.split_whitespace();
    let mut own = Vec::new();
    while let Some(word) = words.next() {
        if word == "-D" || word == "-I" {
            own.push(word);
            own.extend(words.next());
        } else if ["-D", "-I", "-cl-"].iter().any(|start| word.starts_with(start)) && !word.starts_with("-cl-nv-") {
            own.push(word);
        }
    }
    own
}

/// What ptxas says of the text that clang made, and by which of both.
fn assembled(ptx: &str, folder: &Path, processor: &Processor, clang: &Tool) -> Result<(String, String)> {
    let ptxas = found(&["ptxas".to_owned()], "KERNEL_LADDER_PTXAS", Some(Path::new(CUDA)))
        .ok_or_else(|| failed("errors.offline.no-ptxas", &[("processor", processor)]))?;
    let version = version(&ptxas).unwrap_or_default();
    let file = folder.join("kernel.ptx");
    std::fs::write(&file, ptx).map_err(|error| failed("errors.offline.no-folder", &[("why", &error)]))?;
    let mut command = Command::new(&ptxas);
    without_console(&mut command);
    command.args(["-v", &format!("-arch={processor}"), "-o"]).arg(folder.join("kernel.cubin")).arg(&file);
    let [printed, log] = output(&mut command, &version)?;
    let log = log + &printed;
    Ok((log, format!("{}, {version}", clang.version)))
}

/// A program with what it calls itself.
struct Tool {
    path: PathBuf,
    version: String,
}

fn clang() -> Result<Tool> {
    let path = found(&llvm_names("clang"), "KERNEL_LADDER_CLANG", None).ok_or_else(|| failed("errors.offline.no-clang", &[]))?;
    let version = version(&path).unwrap_or_else(|| "clang".to_owned());
    Ok(Tool { path, version })
}

/// The line of `--version` that has a version in it.
fn version(program: &Path) -> Option<String> {
    let told = without_console(&mut Command::new(program)).arg("--version").stdin(Stdio::null()).output().ok()?;
    let told = String::from_utf8_lossy(&told.stdout);
    let line = told.lines().find(|line| line.contains("version") || line.contains("release"))?;
    // Of ptxas: a line of its release, without its name.
    let name = program.file_name()?.to_string_lossy().into_owned();
    Some(if line.contains("clang") { line.trim().to_owned() } else { format!("{name}, {}", line.rsplit(", ").next()?.trim()) })
}

fn library_of(name: &str) -> Result<PathBuf> {
    let named = std::env::var_os("KERNEL_LADDER_LIBCLC").map(PathBuf::from);
    let folders = named.into_iter().chain(LIBRARY_FOLDERS.map(PathBuf::from));
    folders
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .ok_or_else(|| failed("errors.offline.no-library", &[("file", &name)]))
}

/// What it prints to stdout and to stderr; where it fails, the first line there that tells of an error.
fn output(command: &mut Command, version: &str) -> Result<[String; 2]> {
    let program = command.get_program().to_string_lossy().into_owned();
    let ran = command.stdin(Stdio::null()).output();
    let ran = ran.map_err(|error| failed("errors.offline.not-run", &[("program", &program), ("why", &error)]))?;
    let [printed, log] = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if ran.status.success() {
        return Ok([printed, log]);
    }
    let first = log.lines().find(|line| line.contains("error")).unwrap_or_else(|| text("errors.offline.no-words")).to_owned();
    Err(failed("errors.offline.refused", &[("compiler", &version), ("why", &first)]).with_detail(log))
}

#[cfg(test)]
mod tests {
    use super::{Processor, clang, compile, library_of};
    use model::Counted;

    const KERNEL: &str = "__kernel void scale(__global const float *in, __global float *out) {
    const int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < COUNT; ++k) sum += in[i + k];
    out[i] = sum;
}";

    #[test]
    fn names_tell_processors_apart() {
        assert_eq!("gfx90a".parse::<Processor>().expect("AMD"), Processor::Amd("gfx90a".to_owned()));
        assert_eq!("sm_90".parse::<Processor>().expect("NVIDIA"), Processor::Nvidia("sm_90".to_owned()));
        for name in ["gfx", "sm_", "gfx1030 -o x", "h100", "gfx10/../x", ""] {
            assert!(name.parse::<Processor>().is_err(), "{name}");
        }
    }

    #[test]
    fn a_kernel_is_compiled_for_a_gpu_that_is_not_here() {
        if clang().is_err() || library_of("amdgcn--amdhsa.bc").is_err() {
            return;
        }
        let gfx1030 = "gfx1030".parse().expect("known");
        let made = compile(KERNEL, "-D COUNT=1000 -cl-mad-enable -cl-nv-verbose", &["scale"], &gfx1030).expect("compiled");
        let kernel = &made.compiled.kernels[0];
        let summary = kernel.summary().expect("its code");
        assert!(kernel.resources.registers.is_some_and(|count| count > 0), "{:?}", kernel.resources);
        assert_eq!(kernel.resources.spill_store_bytes, Some(0));
        assert!(summary.innermost_loop.is_some() && made.wavefronts[0].is_some());
        assert_eq!(summary.form.body(), Counted::Whole);
        let wrong = compile("__kernel void scale() { nonsense }", "", &["scale"], &gfx1030).expect_err("refused");
        assert!(wrong.why.contains("nonsense"), "{wrong}");
        let unknown = "gfx1".parse().expect("a name");
        assert!(compile(KERNEL, "-DCOUNT=1", &["scale"], &unknown).is_err());
    }
}
