//! Building kernels: from memory, from the disk cache, from source.

use super::arguments::{self, ArgKind};
use super::cache::{Key, Stored};
use super::call::{Call, Failed, OrFailed as _};
use super::handle::{Handle, Kind};
use super::session::Inner;
use super::{KernelLimits, Session};
use base::error::{Error, Result};
use base::texts::{filled, misused};
use model::BuildFrom;
use opencl3::error_codes::CL_BUILD_PROGRAM_FAILURE;
use opencl3::kernel::{
    CL_KERNEL_LOCAL_MEM_SIZE, CL_KERNEL_NUM_ARGS, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_PRIVATE_MEM_SIZE,
    CL_KERNEL_WORK_GROUP_SIZE, create_kernel, get_kernel_info, get_kernel_work_group_info,
};
use opencl3::program::{
    CL_PROGRAM_BINARIES, CL_PROGRAM_BUILD_LOG, CL_PROGRAM_KERNEL_NAMES, build_program, create_program_with_binary,
    create_program_with_source, get_program_build_info, get_program_info,
};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::{CStr, CString};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How many programs stay in memory; the oldest goes first. A whole filter has fewer variants.
const MAX_PROGRAMS: usize = 512;

/// For how long a session saves programs when it ends.
const SAVE_AT_END: Duration = Duration::from_secs(1);

/// Asks the compiler to keep what arguments are declared as, so that wrong ones can be refused. Does not change the code.
const ARG_INFO_OPTION: &str = "-cl-kernel-arg-info";

/// A kernel that is ready to run; cloning is cheap.
#[derive(Clone, Debug)]
pub struct Built {
    pub(super) kernel: Rc<Kernel>,
    report: BuildReport,
}

/// What a driver's compiler tells of a program: for looking at, not for running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspected {
    /// The driver's binary, whatever that is; empty where it hands out none.
    pub binary: Vec<u8>,
    /// The build log.
    pub log: String,
}

/// How a build went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildReport {
    /// Host clock from the request to the kernel.
    pub build_ns: u64,
    /// Where it came from.
    pub from: BuildFrom,
    /// The driver's log (warnings); often empty.
    pub log: String,
}

impl Built {
    /// How this build went.
    #[must_use]
    pub fn report(&self) -> &BuildReport {
        &self.report
    }

    /// The kernel's limits on its device.
    #[must_use]
    pub fn limits(&self) -> &KernelLimits {
        &self.kernel.limits
    }
}

/// A kernel object with what is needed to launch it rightly.
#[derive(Debug)]
pub(super) struct Kernel {
    // In the order of dropping: kernel, program, context.
    pub(super) handle: Handle,
    program: Rc<Program>,
    pub(super) owner: Rc<Inner>,
    pub(super) name: String,
    pub(super) arg_count: usize,
    pub(super) kinds: Option<Vec<ArgKind>>,
    pub(super) limits: KernelLimits,
}

/// A built program.
#[derive(Debug)]
struct Program {
    handle: Handle,
    kinds: BTreeMap<String, Vec<ArgKind>>,
    log: String,
}

/// The programs in memory.
#[derive(Debug, Default)]
pub(super) struct Programs {
    kernels: HashMap<Key, Vec<Rc<Kernel>>>,
    oldest_first: VecDeque<Key>,
    unsaved: VecDeque<(Key, Rc<Program>)>,
}

impl Programs {
    fn get(&self, key: &Key) -> &[Rc<Kernel>] {
        self.kernels.get(key).map_or(&[], Vec::as_slice)
    }

    fn insert(&mut self, key: Key, kernel: Rc<Kernel>) {
        let kernels = self.kernels.entry(key).or_default();
        if kernels.is_empty() {
            self.oldest_first.push_back(key);
        }
        kernels.push(kernel);
        if self.oldest_first.len() > MAX_PROGRAMS
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.kernels.remove(&oldest);
        }
    }
}

impl Session {
    /// Builds `source` with `options` and takes kernel `kernel_name` of it, or finds it built already.
    ///
    /// # Errors
    /// The source does not build (the log is the error's detail), there is no such kernel, or the driver fails.
    pub fn build(&self, source: &str, options: &str, kernel_name: &str) -> Result<Built> {
        let started = Instant::now();
        let name = c_string(kernel_name, "errors.device.kernel-name-with-zero")?;
        let key = Key::new(source, options, self.info());
        let (kernel, from) = if let Some(found) = self.in_memory(&key, &name)? {
            found
        } else if let Some(kernel) = self.on_disk(&key, options, &name) {
            (kernel, BuildFrom::Disk)
        } else {
            let program = Rc::new(self.compile(source, options)?);
            (self.kernel(&program, &name)?, BuildFrom::Source)
        };
        let build_ns = started.elapsed().as_nanos() as u64;
        let mut programs = self.programs.borrow_mut();
        if from == BuildFrom::Source && self.disk.is_some() {
            programs.unsaved.push_back((key, Rc::clone(&kernel.program)));
        }
        if !programs.get(&key).iter().any(|other| Rc::ptr_eq(other, &kernel)) {
            programs.insert(key, Rc::clone(&kernel));
        }
        let log = kernel.program.log.clone();
        Ok(Built { kernel, report: BuildReport { build_ns, from, log } })
    }

    /// Builds `source` once more, apart from this program's caches, and hands out the driver's binary with the build log.
    ///
    /// Remote from them because PoCL's binary is frozen when it is first asked for: one of a program that has not run yet never gets the code for its
    /// local size. Asked of a second program after the run, it has all that was compiled so far, and the code for any local size besides, which PoCL
    /// compiles for it.
    ///
    /// # Errors
    /// The source does not build.
    pub fn inspect(&self, source: &str, options: &str) -> Result<Inspected> {
        let program = self.compile(source, options)?;
        Ok(Inspected { binary: binary(&program).unwrap_or_default(), log: program.log })
    }

    /// The kernel itself, or another of the same program.
    fn in_memory(&self, key: &Key, name: &CStr) -> Result<Option<(Rc<Kernel>, BuildFrom)>> {
        let programs = self.programs.borrow();
        let kernels = programs.get(key);
        if let Some(kernel) = kernels.iter().find(|kernel| kernel.name.as_bytes() == name.to_bytes()) {
            return Ok(Some((Rc::clone(kernel), BuildFrom::Memory)));
        }
        kernels.first().map(|kernel| Ok((self.kernel(&kernel.program, name)?, BuildFrom::Memory))).transpose()
    }

    /// Whatever goes wrong with a cached binary, the source is there.
    fn on_disk(&self, key: &Key, options: &str, name: &CStr) -> Option<Rc<Kernel>> {
        let stored = self.disk.as_ref()?.load(key)?;
        // SAFETY: the device is the context's; the binary is what the same driver returned for it, by its key and checksum.
        let created = Call::CreateProgramWithBinary
            .run(|| unsafe { create_program_with_binary(self.inner().context.raw(), &[self.inner().device], &[&stored.binary]) });
        let handle = Handle::new(Kind::Program, created.ok()?);
        let options = c_string(&format!("{options} {ARG_INFO_OPTION}"), "errors.device.options-with-zero").ok()?;
        self.build_of(&handle, &options).ok()?;
        let program = Program { handle, kinds: stored.kinds, log: stored.log };
        self.kernel(&Rc::new(program), name).ok()
    }

    fn compile(&self, source: &str, options: &str) -> Result<Program> {
        let device = &self.info().name;
        let what = || filled("errors.device.not-built.what", &[("device", device)]);
        let options = c_string(&format!("{options} {ARG_INFO_OPTION}"), "errors.device.options-with-zero")?;
        let program =
            Call::CreateProgramWithSource.run(|| create_program_with_source(self.inner().context.raw(), &[source])).or_failed(what)?;
        let handle = Handle::new(Kind::Program, program);
        let built = self.build_of(&handle, &options);
        let log = Call::GetProgramBuildInfo
            .run(|| get_program_build_info(handle.raw(), self.inner().device, CL_PROGRAM_BUILD_LOG))
            .map_or_else(|_| String::new(), String::from);
        let log = log.trim().to_owned();
        match built {
            Err(failed) if failed.code == CL_BUILD_PROGRAM_FAILURE && !log.is_empty() => {
                let error = failed.error(what());
                let why = first_error(&log).map_or(error.why, str::to_owned);
                Err(Error::failed(error.what, why, error.remedy).with_detail(log))
            }
            Err(failed) => Err(failed.error(what()).with_detail(log)),
            Ok(()) => Ok(Program { kinds: declared_by_all(&handle), handle, log }),
        }
    }

    /// Builds the program of that handle for the device.
    fn build_of(&self, program: &Handle, options: &CStr) -> std::result::Result<(), Failed> {
        Call::BuildProgram.run(|| build_program(program.raw(), &[self.inner().device], options, None, std::ptr::null_mut()))
    }

    /// Makes a kernel object of a built program.
    fn kernel(&self, program: &Rc<Program>, name: &CStr) -> Result<Rc<Kernel>> {
        let text = name.to_string_lossy().into_owned();
        let what = || filled("errors.device.kernel-not-made.what", &[("kernel", &text), ("device", &self.info().name)]);
        let handle = kernel_of(&program.handle, name).or_failed(what)?;
        let arg_count = argument_count(&handle).or_failed(what)?;
        let kinds = arguments::declared(&handle, arg_count).or_else(|| program.kinds.get(&text).cloned());
        let info = |which| {
            Call::GetKernelWorkGroupInfo.run(|| get_kernel_work_group_info(handle.raw(), self.inner().device, which)).or_failed(what)
        };
        let limits = KernelLimits {
            max_work_group_size: info(CL_KERNEL_WORK_GROUP_SIZE)?.into(),
            preferred_multiple: info(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).map_or(1, usize::from),
            local_mem_bytes: info(CL_KERNEL_LOCAL_MEM_SIZE).map_or(0, u64::from),
            private_mem_bytes: info(CL_KERNEL_PRIVATE_MEM_SIZE).map_or(0, u64::from),
        };
        let owner = Rc::clone(self.inner());
        Ok(Rc::new(Kernel { handle, program: Rc::clone(program), owner, name: text, arg_count: arg_count as usize, kinds, limits }))
    }

    /// Saves newly built programs for later sessions until `budget` is used up, at least one; how many still wait.
    ///
    /// Remote from building, because a driver may compile once more to hand out a binary (PoCL takes as long as for the build): call it
    /// when the result has been delivered. What still waits when the session ends is saved then, for a second at most.
    pub fn save_programs(&self, budget: Duration) -> usize {
        let started = Instant::now();
        loop {
            let next = self.programs.borrow_mut().unsaved.pop_front();
            let Some((key, program)) = next else { return 0 };
            self.store(&key, &program);
            let waiting = self.programs.borrow().unsaved.len();
            if started.elapsed() >= budget {
                return waiting;
            }
        }
    }

    /// Keeps the program for later sessions.
    fn store(&self, key: &Key, program: &Program) {
        let Some(disk) = &self.disk else { return };
        if let Some(binary) = binary(program) {
            disk.store(key, &Stored { kinds: program.kinds.clone(), log: program.log.clone(), binary });
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Not during a panic: it may come from this very driver.
        if !std::thread::panicking() {
            self.save_programs(SAVE_AT_END);
        }
    }
}

/// The kernel of that name.
fn kernel_of(program: &Handle, name: &CStr) -> std::result::Result<Handle, Failed> {
    Call::CreateKernel.run(|| create_kernel(program.raw(), name)).map(|kernel| Handle::new(Kind::Kernel, kernel))
}

/// How many arguments it takes.
fn argument_count(kernel: &Handle) -> std::result::Result<u32, Failed> {
    Call::GetKernelInfo.run(|| get_kernel_info(kernel.raw(), CL_KERNEL_NUM_ARGS)).map(u32::from)
}

/// The declared arguments of all kernels of a program that was built from source, where the driver tells.
fn declared_by_all(program: &Handle) -> BTreeMap<String, Vec<ArgKind>> {
    let names =
        Call::GetProgramInfo.run(|| get_program_info(program.raw(), CL_PROGRAM_KERNEL_NAMES)).map_or_else(|_| String::new(), String::from);
    let of_one = |name: &str| {
        let handle = kernel_of(program, &CString::new(name).ok()?).ok()?;
        let count = argument_count(&handle).ok()?;
        Some((name.to_owned(), arguments::declared(&handle, count)?))
    };
    names.split(';').filter_map(of_one).collect()
}

/// What the driver made of it for its one device.
fn binary(program: &Program) -> Option<Vec<u8>> {
    let binaries = Call::GetProgramInfo.run(|| get_program_info(program.handle.raw(), CL_PROGRAM_BINARIES)).ok()?;
    Vec::<Vec<u8>>::from(binaries).into_iter().next().filter(|binary| !binary.is_empty())
}

/// The first line of a build log that reports an error.
fn first_error(log: &str) -> Option<&str> {
    log.lines().map(str::trim).find(|line| line.contains("error"))
}

/// `text` for C; `refused` is the key of the error where it cannot be.
fn c_string(text: &str, refused: &'static str) -> Result<CString> {
    CString::new(text).map_err(|_| misused(refused, &[]))
}
