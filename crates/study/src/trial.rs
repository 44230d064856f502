//! A kernel that a person edits, tried in the place of the variant that it was: built, run, checked, compared.

use base::error::{Error, Result};
use base::files;
use base::texts::{failed, text};
use engine::{Backend, Compared, Executed, KernelText, Proof, Simulated, Task};
use kernels::kernel_source::{Mark, marks};
use model::measure::Progress;
use model::{Budget, Verification};
use pictures::Picture;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

/// Longer files are no kernels.
const MOST_BYTES: u64 = 1 << 20;

/// A kernel that a person has in a file.
///
/// # Errors
/// The file cannot be read, is far too long, or is no text.
pub fn read_kernel(path: &Path) -> Result<Arc<str>> {
    let not_read = |why: &dyn Display| failed("errors.trial.not-read", &[("path", &path.display()), ("why", why)]);
    let length = path.metadata().map_err(|error| not_read(&error))?.len();
    if length > MOST_BYTES {
        return Err(failed("errors.trial.too-long", &[("bytes", &length), ("most", &MOST_BYTES), ("path", &path.display())]));
    }
    files::read_text(path).map(Arc::from).map_err(|error| not_read(&error))
}

/// What came of it, up to the first fault.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// What the compiler says, by lines.
    pub marks: Vec<Mark>,
    /// The run, where it ran.
    pub executed: Option<Executed>,
    /// The check of its output.
    pub verification: Option<Verification>,
    /// What its output should be, once it was checked.
    pub reference: Option<Arc<Picture>>,
    /// How it compares with the variant's own kernel, code included: above 1 the edited one is faster. Only what is right is compared.
    pub compared: Option<Compared>,
    /// What a simulator found, where it was asked for that.
    pub simulated: Option<Simulated>,
    /// What kept it from being compared, or simulated.
    pub fault: Option<Error>,
}

/// Tries an edited task against the same with the variant's own kernel. `tell` hears of what is known before it is compared, which takes the longest.
///
/// # Errors
/// Only cancellation: all else is a finding.
pub fn try_edited(
    backend: &mut dyn Backend,
    edited: &Task,
    budget: Budget,
    progress: &dyn Progress,
    tell: &dyn Fn(&Tried),
) -> Result<Tried> {
    let mut tried = Tried::default();
    let own = Task { text: KernelText::Composed, ..edited.clone() };
    let compared = proven(backend, edited, progress, &mut tried).and_then(|proof| {
        tell(&tried);
        compared(backend, &own, &proof, budget, progress)
    });
    match compared {
        Err(error) if error.is_cancelled() => Err(error),
        Err(error) => Ok(Tried { fault: Some(error), ..tried }),
        Ok(compared) => Ok(Tried { compared: Some(compared), ..tried }),
    }
}

/// Runs an edited task in a simulator that checks every access. A kernel that does not build there has the marks of its compiler.
///
/// # Errors
/// Only cancellation: all else is a finding.
pub fn simulate_edited(backend: &mut dyn Backend, edited: &Task, progress: &dyn Progress) -> Result<Tried> {
    let mut tried = Tried::default();
    progress.report(0, 1, text("progress.simulating"));
    match backend.simulate(edited, progress) {
        Err(error) if error.is_cancelled() => return Err(error),
        Err(error) => {
            let fault = not_built(error, &mut tried);
            tried.fault = Some(fault);
        }
        Ok(simulated) => tried.simulated = Some(simulated),
    }
    Ok(tried)
}

/// Builds, runs and checks it.
fn proven(backend: &mut dyn Backend, edited: &Task, progress: &dyn Progress, tried: &mut Tried) -> Result<Proof> {
    progress.report(0, 3, text("progress.building"));
    let executed = backend.execute(edited, progress).map_err(|error| not_built(error, tried))?;
    tried.marks = marks(&executed.build.log);
    progress.report(1, 3, text("progress.verifying"));
    let verified = backend.verify(edited, &executed, progress)?;
    tried.executed = Some(executed);
    tried.verification = Some(verified.verification);
    tried.reference = Some(Arc::clone(&verified.reference));
    verified.proof.ok_or_else(|| wrong(&verified.verification))
}

fn compared(backend: &mut dyn Backend, own: &Task, edited: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Compared> {
    let own = backend.prove(own, progress)?;
    // Code that was looked at is compared, too. Where it cannot be had, the times can.
    for task in [own.task(), edited.task()] {
        if let Err(error) = backend.note_code(task, progress)
            && error.is_cancelled()
        {
            return Err(error);
        }
    }
    backend.compare(&own, edited, budget, progress)
}

/// The first of its errors by its line, where the compiler names one.
fn not_built(error: Error, tried: &mut Tried) -> Error {
    let Some(log) = &error.detail else { return error };
    tried.marks = marks(log);
    let errors = || tried.marks.iter().filter(|mark| mark.is_error);
    let Some(first) = errors().next() else { return error };
    let values: [(&str, &dyn Display); 3] = [("count", &errors().count()), ("line", &first.line), ("words", &first.words)];
    failed("errors.trial.not-built", &values).with_detail(log.clone())
}

fn wrong(verification: &Verification) -> Error {
    let (x, y) = verification.first_differing.unwrap_or_default();
    let values: [(&str, &dyn Display); 4] = [("how", &verification.label()), ("most", &verification.max_difference), ("x", &x), ("y", &y)];
    failed("errors.trial.wrong", &values)
}

#[cfg(test)]
mod tests {
    use super::try_edited;
    use crate::testing::noise;
    use engine::device::CacheSettings;
    use engine::{Engine, KernelText, PictureRef, Target, Task};
    use model::{Budget, HostMemory, LocalSize, Variant};
    use std::sync::Arc;

    const SHORT: Budget =
        Budget { warmup_runs: 1, warmup_ns: 0, sample_ns: 20_000_000, min_samples: 3, max_samples: 50, warm_cache: false, starts: 1 };

    fn task(variant: &str) -> Task {
        let picture = PictureRef::new(Arc::new(noise(203, 101, model::Channels::Rgb)));
        let variant = Variant::parse(variant).expect("known");
        Task::new(picture, Target::Device { index: 0, variant, local: LocalSize::Explicit([16, 4]), host_memory: HostMemory::Copy })
    }

    fn edited(task: &Task, text: &str) -> Task {
        Task { text: KernelText::Edited(text.into()), ..task.clone() }
    }

    fn own_text(task: &Task, engine: &mut Engine) -> String {
        use engine::Backend as _;
        engine.execute(task, &()).expect("runs").source.expect("a kernel").to_string()
    }

    #[test]
    fn the_variants_own_text_is_right_and_the_same_program() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let task = task("coalesced");
        let text = own_text(&task, &mut engine);
        let tried = try_edited(&mut engine, &edited(&task, &text), SHORT, &(), &|_| ()).expect("not cancelled");
        assert_eq!((tried.fault, tried.verification.map(|it| it.is_right())), (None, Some(true)));
        let compared = tried.compared.expect("it is right");
        assert!(compared.comparison.ratio > 0.0);
        assert!(compared.code.is_some_and(|code| code.is_same_code()));
    }

    #[test]
    fn errors_are_told_by_line_and_wrong_outputs_by_place() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let task = task("coalesced");
        let own = own_text(&task, &mut engine);
        let lines = own.lines().count();
        let broken = format!("{own}\nint broken(int x)\n{{\n    return x + nowhere;\n}}\n");
        let tried = try_edited(&mut engine, &edited(&task, &broken), SHORT, &(), &|_| ()).expect("not cancelled");
        let errors: Vec<_> = tried.marks.iter().filter(|mark| mark.is_error).collect();
        assert_eq!(errors.iter().map(|mark| (mark.line, mark.column)).collect::<Vec<_>>(), vec![(lines + 4, 16)]);
        assert!(errors[0].words.contains("nowhere") && tried.executed.is_none());
        let fault = tried.fault.expect("it does not build");
        assert!(fault.why.contains(&format!("line {}", lines + 4)) && fault.detail.is_some(), "{fault}");
        // A center that weighs too much.
        let wrong = own.replace("10 * byte[0]", "11 * byte[0]");
        assert_ne!(wrong, own, "the kernel has that factor");
        let tried = try_edited(&mut engine, &edited(&task, &wrong), SHORT, &(), &|_| ()).expect("not cancelled");
        assert!(tried.verification.is_some_and(|it| !it.is_right()) && tried.compared.is_none());
        let (output, reference) = (&tried.executed.as_ref().expect("it ran").output, tried.reference.as_ref().expect("it was checked"));
        let (x, y) = tried.verification.and_then(|it| it.first_differing).expect("a place");
        assert_ne!(output.pixel(x, y), reference.pixel(x, y), "both are there to be looked at");
        assert!(tried.fault.is_some_and(|fault| fault.why.contains("the first at (")));
        // Other arguments than the host passes.
        let other = own.replace("__kernel void ", "__kernel void other_");
        let tried = try_edited(&mut engine, &edited(&task, &other), SHORT, &(), &|_| ()).expect("not cancelled");
        assert!(tried.executed.is_none() && tried.fault.is_some());
    }

    #[test]
    fn a_kernel_that_looks_whether_its_output_is_there_already_is_wrong() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let task = task("coalesced");
        let own = own_text(&task, &mut engine);
        let place = "__global uchar *out = destination + y * destination_pitch + x * CHANNELS;";
        let right = |channel: usize| {
            format!("out[{channel}] == (is_edge(x, y, width, height) ? center[{channel}] : sharpen(center + {channel}, source_pitch))")
        };
        // What outputs were filled with once; and a kernel that does the last third of its work only where the rest was not done before.
        for looks in ["out[0] != 0x5A".to_owned(), format!("{} && {}", right(0), right(1))] {
            let lazy = own.replace(place, &format!("{place}\n    if ({looks}) return;"));
            assert_ne!(lazy, own, "the kernel has that line");
            let tried = try_edited(&mut engine, &edited(&task, &lazy), SHORT, &(), &|_| ()).expect("not cancelled");
            let fault = tried.fault.unwrap_or_else(|| panic!("{looks}: compared as {:?}", tried.compared.as_ref().map(|it| it.comparison)));
            assert!(tried.compared.is_none() && fault.what.contains("output"), "{looks}: {fault}");
        }
    }

    #[test]
    fn a_write_outside_the_output_is_found() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let task = task("coalesced");
        let own = own_text(&task, &mut engine);
        let at = own.find("__kernel").expect("a kernel");
        let body = own[at..].find('{').expect("a body") + at + 1;
        let target = own[at..body].split(',').find(|it| it.contains("__global") && !it.contains("const")).expect("an output");
        let name = target.rsplit([' ', '*']).next().expect("a name").trim();
        let beyond = 203 * 101 * 3 + 5;
        let wild = format!("{}\n    {name}[{beyond}] = 1;\n{}", &own[..body], &own[body..]);
        let tried = try_edited(&mut engine, &edited(&task, &wild), SHORT, &(), &|_| ()).expect("not cancelled");
        assert!(tried.compared.is_none() && tried.executed.is_none(), "{:?}", tried.fault);
    }
}
