//! What outputs should be, where a program or another kernel has to be asked.

use base::error::Result;
use base::texts::failed;
use engine::{Backend, ProjectQuestion, ProjectReply, ProjectRequest};
use kernels::project::{Command, Problem, Project, Reference, Role, numpy_bytes, numpy_of_sides};
use model::measure::Progress;
use serde_bytes::ByteBuf;
use std::fmt::Display;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a program is looked at that runs.
const GLANCE: Duration = Duration::from_millis(20);

/// An output file has a header beside its elements.
const HEADER_BYTES: u64 = 1 << 20;

/// How much of what a program wrote to stderr is told.
const MOST_SAID: usize = 2000;

/// The problem with what its outputs should be.
///
/// # Errors
/// The reference does not build, run or end, or does not write what it should; cancelled.
pub fn with_expected(
    project: &Project,
    device: usize,
    patience: Duration,
    backend: &mut dyn Backend,
    progress: &dyn Progress,
) -> Result<Arc<Problem>> {
    let problem = Arc::new(project.problem().clone());
    let job = match &project.reference {
        Reference::Stored => return Ok(problem),
        Reference::Command(command) => return of_command(project, command, progress).map(Arc::new),
        Reference::Naive(job) => job.as_ref().clone(),
        Reference::Default => project.job(&project.default_point())?,
    };
    let ask = |what| ProjectRequest { device, problem: name(project, "plain"), patience, what };
    // Where the device cannot have the buffers and images, that is no fault of the reference.
    backend.project(&problem, ask(ProjectQuestion::Lay(Arc::clone(&problem))), progress)?;
    let reply = backend.project(&problem, ask(ProjectQuestion::Outputs(job)), progress).map_err(|error| {
        if error.is_cancelled() {
            return error;
        }
        let values: [(&str, &dyn Display); 2] = [("why", &error.why), ("what", &error.what)];
        let key = if matches!(project.reference, Reference::Default) { "errors.project.no-default" } else { "errors.project.no-reference" };
        base::error::Error { detail: error.detail.clone(), ..failed(key, &values) }
    })?;
    let ProjectReply::Outputs(outputs) = reply else { return Err(failed("errors.project.no-buffer", &[])) };
    let mut problem = Arc::unwrap_or_clone(problem);
    for (memory, output) in problem.buffers.iter_mut().zip(outputs).filter(|(memory, _)| memory.role != Role::Input) {
        memory.expected.get_or_insert(output);
    }
    Ok(Arc::new(problem))
}

/// Tells problems apart that an engine holds: data of another hash, or with other expected outputs, are others.
#[must_use]
pub fn name(project: &Project, state: &str) -> String {
    format!("{}@{} {state}", project.name, project.hash)
}

/// Runs a program that writes the outputs as `.npy` files.
fn of_command(project: &Project, command: &Command, progress: &dyn Progress) -> Result<Problem> {
    let refused =
        |key, why: &dyn Display| failed(key, &[("command", &command.words.join(" ")), ("why", why), ("seconds", &command.seconds)]);
    let not_run = |error: std::io::Error| refused("errors.project.command-not-run", &error);
    let folder = tempfile::tempdir().map_err(not_run)?;
    let mut problem = project.problem().clone();
    let path_of = |name: &str| folder.path().join(format!("{name}.npy"));
    for memory in problem.buffers.iter().filter(|memory| memory.role != Role::Output) {
        std::fs::write(path_of(&memory.name), numpy_of_sides(memory.element, &memory.sides(), &memory.contents)).map_err(not_run)?;
    }
    let word = |word: &String| {
        let name = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
        match name.filter(|name| problem.buffers.iter().any(|memory| memory.name == *name)) {
            Some(name) => path_of(name).into_os_string(),
            // A file of the folder; the program runs elsewhere.
            None if project.folder.join(word).is_file() && !Path::new(word).is_absolute() => project.folder.join(word).into_os_string(),
            None => word.into(),
        }
    };
    let words: Vec<_> = command.words.iter().map(word).collect();
    let Some((program, arguments)) = words.split_first() else { return Err(refused("errors.project.command-not-run", &"")) };
    let said = tempfile::NamedTempFile::new().map_err(not_run)?;
    let mut running = engine::remote::confined(program, arguments, folder.path());
    running.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(said.reopen().map_err(not_run)?);
    let mut child = running.spawn().map_err(not_run)?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(not_run)? {
            break status;
        }
        if progress.is_cancelled() {
            end(&mut child);
            return Err(base::error::Error::cancelled());
        }
        if begun.elapsed() > Duration::from_secs(command.seconds) {
            end(&mut child);
            return Err(refused("errors.project.command-endless", &""));
        }
        progress.report(0, 1, base::texts::text("progress.reference"));
        std::thread::sleep(GLANCE);
    };
    if !status.success() {
        let words = base::files::read_at_most(said.path(), 1 << 20).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).trim().to_owned();
        let from = words.char_indices().rev().nth(MOST_SAID).map_or(0, |(at, _)| at);
        let error = refused("errors.project.command-failed", &status);
        return Err(error.with_detail(words.get(from..).unwrap_or_default().to_owned()));
    }
    for memory in problem.buffers.iter_mut().filter(|memory| memory.role != Role::Input) {
        let path = path_of(&memory.name);
        let most = memory.len_bytes() as u64 + HEADER_BYTES;
        let told = |why: &dyn Display| {
            let values: [(&str, &dyn Display); 4] =
                [("buffer", &memory.name), ("why", why), ("count", &memory.count), ("type", &memory.element.name())];
            failed("errors.project.command-output", &values)
        };
        let file = base::files::read_at_most(&path, most).map_err(|error| told(&error))?;
        let elements = numpy_bytes(&file, memory.element, memory.count).map_err(|fault| told(&fault))?;
        memory.expected = Some(ByteBuf::from(elements.to_vec()));
    }
    Ok(problem)
}

/// Ends a program with all that it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        // Its own group, see `confined`.
        if let Some(group) = rustix_pid(child) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn rustix_pid(child: &Child) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(child.id()).ok()?)
}
