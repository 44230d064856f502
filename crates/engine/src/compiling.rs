//! Looking at what the driver's compiler made of a task.

use super::plan::{Asked, Plan};
use super::{Engine, Task, not_prepared};
use crate::compiled::{self, Compiled, Kernel, Origin, Queried};
use crate::device::{Built, Inspected, Quirk, Session};
use base::error::Result;
use base::texts::misused;
use kernels::kernel_source;
use model::CodeForm;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// How many are remembered: the variants of a whole ladder, of two devices.
const MOST_KNOWN: usize = 64;

/// What decides which code a driver makes. NDRange and arguments are in it because a driver that chooses the local size looks at them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    origin: Origin,
    source: Arc<str>,
    launch: String,
}

/// What was looked at before, the newest last.
#[derive(Default)]
pub struct Known(Vec<(Key, Arc<Compiled>)>);

impl Engine {
    /// What the compiler made of a checked task.
    ///
    /// # Errors
    /// See [`super::Request::Compiled`].
    pub(super) fn compile(&mut self, task: &Task) -> Result<Arc<Compiled>> {
        if Asked::of(task).is_none() {
            return Err(misused("errors.engine.cpu-not-compiled", &[]));
        }
        self.prepare(task)?;
        if let Some(known) = self.known_compiled(task) {
            return Ok(known);
        }
        let (session, prepared) = self.prepared(task)?.ok_or_else(not_prepared)?;
        if Quirk::CompilesPerLocalSize.is_of(session.info()) && !prepared.plan()?.has_run.get() {
            self.run(task)?;
        }
        let (session, prepared) = self.prepared(task)?.ok_or_else(not_prepared)?;
        let plan = prepared.plan()?;
        let compiled = Arc::new(look(session, &subject(plan)));
        let key = key(session, plan);
        if self.compiled.0.len() >= MOST_KNOWN {
            self.compiled.0.remove(0);
        }
        self.compiled.0.push((key, Arc::clone(&compiled)));
        Ok(compiled)
    }

    /// The same with source lines, where the driver tells them.
    ///
    /// # Errors
    /// See [`super::Request::Lines`].
    pub(super) fn compile_with_lines(&mut self, task: &Task) -> Result<Arc<Compiled>> {
        let plain = self.compile(task)?;
        let (session, prepared) = self.prepared(task)?.ok_or_else(not_prepared)?;
        let plan = prepared.plan()?;
        let run = |source: &str, options: &str| {
            let built = plan.launch.passes.iter().map(|pass| session.build(source, options, pass.kernel)).collect::<Result<Vec<_>>>()?;
            plan.run_built(session, &plan.memory(session)?, &built)
        };
        let Some(lined) = with_lines(session, &subject(plan), &plain, run).map(Arc::new) else { return Ok(plain) };
        let key = key(session, plan);
        if let Some((_, known)) = self.compiled.0.iter_mut().find(|(known, _)| *known == key) {
            *known = Arc::clone(&lined);
        }
        Ok(lined)
    }

    /// What was found before of a task that is prepared.
    pub(super) fn known_compiled(&self, task: &Task) -> Option<Arc<Compiled>> {
        let (session, prepared) = self.prepared(task).ok()??;
        let key = key(session, prepared.plan().ok()?);
        self.compiled.0.iter().find(|(known, _)| *known == key).map(|(_, compiled)| Arc::clone(compiled))
    }
}

fn key(session: &Session, plan: &Plan) -> Key {
    let info = session.info();
    let origin =
        Origin { device: info.name.clone(), driver: info.driver(), options: plan.options.clone(), local: plan.local.map(Vec::from) };
    Key { origin, source: Arc::clone(&plan.source), launch: launch(plan) }
}

/// Everything that decides what the kernels' code is run on.
fn launch(plan: &Plan) -> String {
    format!("{:?} {:?} {:?}", plan.launch.passes, plan.launch.source, plan.launch.destination)
}

/// What is looked at: a text and the kernels of it that are launched.
pub(super) struct Subject<'a> {
    pub source: &'a str,
    pub options: &'a str,
    pub passes: Vec<Looked<'a>>,
    /// Everything that decides what the kernels' code is run on.
    pub launch: String,
}

/// A kernel that is looked at, as it is launched.
pub(super) struct Looked<'a> {
    pub kernel: &'a str,
    /// One to three sides, as many as of the local size.
    pub global: &'a [usize],
    pub local: Option<&'a [usize]>,
    pub built: &'a Built,
}

fn subject<'a>(plan: &'a Plan) -> Subject<'a> {
    let local = plan.local.as_ref().map(<[usize; 2]>::as_slice);
    let looked = |(pass, built): (&'a kernels::launch::Pass, _)| Looked { kernel: pass.kernel, global: &pass.global, local, built };
    let passes = plan.launch.passes.iter().zip(&plan.built).map(looked).collect();
    Subject { source: &plan.source, options: &plan.options, passes, launch: launch(plan) }
}

pub(super) fn look(session: &Session, subject: &Subject) -> Compiled {
    let (info, local) = (session.info(), subject.passes.first().and_then(|pass| pass.local).map(<[usize]>::to_vec));
    let origin = Origin { device: info.name.clone(), driver: info.driver(), options: subject.options.to_owned(), local };
    let inspected = session.inspect(subject.source, subject.options);
    let verbose = verbose(session, subject);
    let mut kernels: Vec<Kernel> = Vec::new();
    for pass in &subject.passes {
        if kernels.iter().any(|kernel| kernel.name == pass.kernel) {
            continue;
        }
        let read = |inspected: &Inspected| compiled::read(&inspected.binary, pass.kernel, pass.local, &launched(pass));
        let code = inspected.as_ref().map_err(ToString::to_string).and_then(read);
        let log = match (&verbose, &inspected) {
            // The option is there to tell, and not to change the code; if it did, its figures would be those of another.
            (Some(verbose), _) => Some(verbose)
                .filter(|verbose| read(verbose).ok().map(|code| code.normal) == code.as_ref().ok().map(|code| code.normal.clone())),
            (None, inspected) => inspected.as_ref().ok(),
        };
        let resources = log.map_or_else(Default::default, |inspected| compiled::resources(&inspected.binary, &inspected.log, pass.kernel));
        let unread =
            inspected.as_ref().ok().filter(|_| code.is_err()).and_then(|inspected| compiled::unread(&inspected.binary, pass.kernel));
        kernels.push(Kernel { name: pass.kernel.to_owned(), code, lined: None, unread, resources, queried: queried(pass.built) });
    }
    let (binary, plain_log) = inspected.map_or_else(|_| (Vec::new(), String::new()), |inspected| (inspected.binary, inspected.log));
    let log = verbose.map_or(plain_log, |verbose| verbose.log);
    let bare_source = kernel_source::bare(subject.source).into();
    Compiled { origin, bare_source, source: None, launch: subject.launch.clone(), kernels, binary: binary.into(), log }
}

/// The option with which compilers note source lines.
const LINES: &str = "-g";

/// The same with the line of the source of each instruction: the kernels are built again so that the compiler notes them, and `run` as that source with these options. `None` where the lines
/// are known, where the code is no machine code, and where the compiler makes other code then.
pub(super) fn with_lines(
    session: &Session,
    subject: &Subject,
    plain: &Compiled,
    run: impl FnOnce(&str, &str) -> Result<()>,
) -> Option<Compiled> {
    let is_open = |kernel: &Kernel| kernel.lined.is_none() && kernel.code.as_ref().is_ok_and(|code| code.code.form == CodeForm::X86);
    if !plain.kernels.iter().any(is_open) {
        return None;
    }
    let options = format!("{} {LINES}", subject.options);
    let options = options.trim();
    let source = without_renumbering(subject.source);
    let inspected = quietly(|| {
        run(&source, options)?;
        session.inspect(&source, options)
    });
    let inspected = inspected.ok()?;
    let lined = |kernel: &Kernel| {
        let pass = subject.passes.iter().find(|pass| pass.kernel == kernel.name)?;
        let (binary, launched) = (&inspected.binary, launched(pass));
        let code = compiled::read(binary, pass.kernel, pass.local, &launched).ok()?;
        let is_same = kernel.code.as_ref().is_ok_and(|plain| plain.normal == code.normal);
        let lined = compiled::read_lined(binary, pass.kernel, pass.local, &launched).filter(|_| is_same)?;
        Some(Kernel { lined: Some(lined), ..kernel.clone() })
    };
    let kernels: Vec<Option<Kernel>> = plain.kernels.iter().map(lined).collect();
    kernels.iter().any(Option::is_some).then(|| {
        let kernels = kernels.into_iter().zip(&plain.kernels).map(|(lined, plain)| lined.unwrap_or_else(|| plain.clone())).collect();
        Compiled { kernels, source: Some(subject.source.into()), ..plain.clone() }
    })
}

/// Does something while what this process prints goes nowhere: PoCL's compiler complains of lines that its own library has none.
#[cfg(unix)]
fn quietly<T>(act: impl FnOnce() -> T) -> T {
    let silenced = || {
        let kept = rustix::io::fcntl_dupfd_cloexec(std::io::stderr(), 3)?;
        rustix::stdio::dup2_stderr(std::fs::File::options().write(true).open("/dev/null")?)?;
        std::io::Result::Ok(kept)
    };
    let kept = silenced();
    let done = act();
    // Where it cannot be undone, nobody could be told.
    let _ = kept.map(rustix::stdio::dup2_stderr);
    done
}

#[cfg(not(unix))]
fn quietly<T>(act: impl FnOnce() -> T) -> T {
    act()
}

/// The same text without directives that number its lines anew: lines are then those of the text itself.
fn without_renumbering(source: &str) -> String {
    source.lines().map(|line| if compiled::renumbering(line).is_some() { "\n".to_owned() } else { format!("{line}\n") }).collect()
}

/// Work-items that are launched: where a local size is given, whole work-groups.
fn launched(pass: &Looked) -> Vec<usize> {
    let rounded = |(side, local): (&usize, &usize)| side.checked_next_multiple_of(*local).unwrap_or(*side);
    pass.local.map_or_else(|| pass.global.to_vec(), |local| pass.global.iter().zip(local).map(rounded).collect())
}

/// A second build whose log tells registers and spills. A driver that answers from its own cache has no log to give, and NVIDIA's knows each kernel by its
/// code: it is asked again for kernels of names that it cannot know, which are taken back out of what it answers.
fn verbose(session: &Session, subject: &Subject) -> Option<Inspected> {
    if !Quirk::TellsRegisters.is_of(session.info()) {
        return None;
    }
    let options = format!("{} -cl-nv-verbose", subject.options);
    let tells = |inspected: &Inspected| inspected.log.contains("registers");
    let build = |more: &str| session.inspect(subject.source, format!("{options}{more}").trim()).ok().filter(tells);
    build("").or_else(|| {
        let now_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let suffix = format!("_{now_ns}");
        let renamed: String = subject.passes.iter().map(|pass| format!(" -D{0}={0}{suffix}", pass.kernel)).collect::<Vec<_>>().concat();
        let Inspected { binary, log } = build(&renamed)?;
        let code = String::from_utf8_lossy(&binary).replace(&suffix, "");
        Some(Inspected { binary: code.into_bytes(), log: log.replace(&suffix, "") })
    })
}

fn queried(built: &Built) -> Queried {
    let limits = built.limits();
    Queried {
        private_bytes: limits.private_mem_bytes,
        local_bytes: limits.local_mem_bytes,
        max_work_group_size: limits.max_work_group_size,
        preferred_multiple: limits.preferred_multiple,
    }
}
