//! The engine in a process of its own: it answers as one in this process does, and what ends it costs no more than what was asked. Real processes, real
//! signals, a real driver.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stdout, reason = "a test may panic, and says what it measured")]

use base::error::{Error, ErrorKind};
use base::texts::text;
use engine::remote::{Machines, Patience, Remote, Ssh};
use engine::{Backend, Engine, Executed, KernelText, PictureRef, Printed, Proof, Reply, Request, Target, Task};
use kernels::filters::FilterIdExt as _;
use model::measure::{Comparison, Progress, compare};
use model::{Budget, BuildFrom, Channels, Confinement, CpuEngine, FilterId, HostMemory, LocalSize, Variant};
use pictures::{Picture, generate};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The files and processes of one test are counted while no other one runs.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn apart() -> Remote {
    Remote::of_program(PathBuf::from(env!("CARGO_BIN_EXE_kernel-ladder")))
}

/// The first device that is there: PoCL at least, which the set-up installs.
fn task(variant: &str, picture: &PictureRef) -> Task {
    let variant = Variant::parse(variant).expect("a variant");
    let target = Target::Device { index: 0, variant, local: LocalSize::Driver, host_memory: HostMemory::Copy };
    Task::new(picture.clone(), target)
}

fn picture() -> PictureRef {
    let picture = generate(301, 203, Channels::Rgb, 5);
    let alpha = (0..301 * 203).map(|index| index as u8).collect();
    PictureRef::new(Arc::new(picture.with_alpha(Some(alpha))))
}

/// Does something to the worker once it tells of its progress.
struct Meddling<'a> {
    process: u32,
    meddle: &'a (dyn Fn(u32) + Sync),
    reports: AtomicUsize,
    cancels: bool,
}

impl<'a> Meddling<'a> {
    fn new(apart: &Remote, meddle: &'a (dyn Fn(u32) + Sync)) -> Self {
        Self { process: apart.process_id().expect("it runs"), meddle, reports: AtomicUsize::new(0), cancels: false }
    }
}

impl Progress for Meddling<'_> {
    fn is_cancelled(&self) -> bool {
        self.cancels && self.reports.load(Ordering::SeqCst) > 0
    }

    fn report(&self, _done: usize, _total: usize, _text: &str) {
        if self.reports.fetch_add(1, Ordering::SeqCst) == 0 {
            (self.meddle)(self.process);
        }
    }
}

/// What was told on the way.
#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Progress for Told {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn report(&self, _done: usize, _total: usize, text: &str) {
        self.0.lock().expect("nobody panicked").push(text.to_owned());
    }
}

fn signal(name: &str, process: u32) {
    // A real fault comes again when a handler has stepped back: Rust's does, for a stack that ran over, and so does that of PoCL's compiler. One that was sent
    // does not.
    for _ in 0..if name == "STOP" { 1 } else { 4 } {
        let sent = Command::new("kill").args([format!("-{name}"), process.to_string()]).stderr(Stdio::null()).status();
        assert!(sent.is_ok(), "kill is everywhere");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What a measurement failed with.
fn failure(there: &mut Remote, proof: &Proof, progress: &dyn Progress) -> Error {
    there.measure(proof, LONG, progress).map(|_| ()).expect_err("it was ended")
}

/// A measurement that takes ten seconds unless it is ended.
const LONG: Budget = Budget { sample_ns: 10_000_000_000, max_samples: usize::MAX, ..Budget::GLANCE };

/// The processes that this one has started and that still run a worker.
fn workers() -> Vec<u32> {
    let own = std::process::id().to_string();
    let started = |entry: std::fs::DirEntry| {
        let process: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?.to_owned();
        let command = std::fs::read_to_string(entry.path().join("cmdline")).ok()?;
        (parent == own && command.split('\0').nth(1) == Some("worker")).then_some(process)
    };
    std::fs::read_dir("/proc").expect("Linux").flatten().filter_map(started).collect()
}

#[test]
fn a_comparison_is_repeated_in_processes_of_their_own_and_says_of_how_many_it_is() {
    let _alone = alone();
    let mut there = apart();
    there.rescan().expect("PoCL");
    let picture = picture();
    let proof = |there: &mut Remote, variant| there.prove(&task(variant, &picture), &()).expect("it is right");
    let proofs = ["naive", "coalesced"].map(|variant| proof(&mut there, variant));
    let before = workers();
    let budget = |starts| Budget { starts, sample_ns: 2_000_000, ..Budget::GLANCE };
    let told = Told::default();
    let mut compare_in = |starts| there.compare(&proofs[0], &proofs[1], budget(starts), &told).expect("both run");
    let one = compare_in(1);
    assert!(one.comparison.starts == 1 && one.pairs.iter().all(|pair| pair.start == 0));
    assert_eq!(workers().len(), before.len(), "one start is that of the worker that is there");
    let three = compare_in(3);
    let mut starts: Vec<usize> = three.pairs.iter().map(|pair| pair.start).collect();
    starts.dedup();
    assert_eq!((starts, three.comparison.starts), (vec![0, 1, 2], 3), "{three:?}");
    let Comparison { verdict, .. } = three.comparison;
    assert_eq!(three.comparison, Comparison { verdict, ..compare(&three.pairs, three.places) });
    let running = workers();
    assert_eq!(running.len(), before.len() + 2, "{running:?}");
    // The first process has found what both should bring: none of the others computes it again.
    let told = std::mem::take(&mut *told.0.lock().expect("nobody panicked"));
    assert!(!told.is_empty() && !told.iter().any(|told| told == text("progress.reference")), "{told:?}");
    // They wait for the next comparison, and end when nobody compares any more.
    let again = compare_in(3);
    assert_eq!((again.comparison.starts, workers()), (3, running.clone()));
    // One that came to an end is started anew.
    let ended = running.iter().copied().find(|process| !before.contains(process)).expect("one more");
    signal("KILL", ended);
    assert_eq!(compare_in(3).comparison.starts, 3);
    assert!(workers().len() == running.len() && !workers().contains(&ended));
    while there.tidy() {}
    assert_eq!(workers(), before);
}

#[test]
fn what_another_process_has_found_is_what_outputs_are_held_to() {
    let _alone = alone();
    let [mut first, mut second] = [apart(), apart()];
    let task = task("coalesced", &picture());
    for there in [&mut first, &mut second] {
        there.rescan().expect("PoCL");
    }
    let reference = first.ask(Request::Reference(task.clone()), &()).expect("it is computed");
    let Reply::Reference(reference) = reference else { panic!("{reference:?}") };
    let (width_px, height_px) = task.picture.size();
    let wrong = Arc::new(generate(width_px, height_px, Channels::Rgb, 6));
    for (expected, is_right) in [(wrong, false), (reference, true)] {
        let kept = second.ask(Request::Expect(task.clone(), PictureRef::new(expected)), &()).expect("it is taken");
        assert!(matches!(kept, Reply::Expected) && second.prove(&task, &()).is_ok() == is_right);
    }
}

#[test]
fn it_answers_as_an_engine_here_does() {
    let _alone = alone();
    let (mut here, mut there) = (Engine::new(), apart());
    assert_eq!(there.rescan().expect("PoCL"), here.rescan().expect("PoCL"));
    assert_eq!(there.scanned().problems, here.scanned().problems);
    let picture = picture();
    let cpu = Task { target: Target::Cpu(CpuEngine::Threads), ..task("naive", &picture) };
    for task in [task("naive", &picture), task("coalesced+padded+vectorize=4", &picture), cpu] {
        let [mine, theirs] = [&mut here as &mut dyn Backend, &mut there].map(|backend| {
            let executed = backend.execute(&task, &()).expect("it runs");
            let verified = backend.verify(&task, &executed, &()).expect("it is checked");
            (executed, verified)
        });
        assert!(mine.0.output == theirs.0.output && theirs.0.output.alpha().is_some());
        let told = |run: &Executed| (run.source.clone(), run.limits, run.global, run.notes.clone());
        assert_eq!(told(&mine.0), told(&theirs.0));
        assert_eq!(mine.0.commands.len(), theirs.0.commands.len());
        assert!(mine.1.verification == theirs.1.verification && mine.1.reference == theirs.1.reference);
        let proof = theirs.1.proof.expect("it is right");
        assert_eq!((proof.task(), proof.verification()), (&task, mine.1.verification));
        let record = there.measure(&proof, Budget::GLANCE, &()).expect("it is measured");
        let (spec, facts) = (&record.spec, record.picture.clone());
        assert_eq!(
            (spec, facts, record.machine.clone()),
            (&task.spec, picture.facts(), here.row(&task, Err(Error::failed("", "", ""))).expect("a row").machine)
        );
        assert!(record.kernel().is_some_and(|kernel| kernel.median_ns > 0.0 && kernel.samples_ns.len() >= 5));
        assert!(there.glance(&proof, &()).expect("it is measured") > 0.0);
        // Where a run is known, and where it is not.
        assert_eq!(there.prove(&task, &()).expect("it is right").task(), &task);
        there.verify(&task, &theirs.0, &()).expect("it is checked again");
        let older = there.verify(&task, &mine.0, &()).expect("it is checked");
        assert!(older.verification == mine.1.verification && older.reference == mine.1.reference);
        let why = Error::failed("It did not run", "no reason", "");
        let [mut mine, mut theirs] = [here.row(&task, Err(why.clone())), there.row(&task, Err(why.clone()))].map(|row| row.expect("a row"));
        (mine.date, theirs.date) = (String::new(), String::new());
        assert_eq!(mine, theirs);
    }
    let pair = ["naive", "coalesced"].map(|variant| there.prove(&task(variant, &picture), &()).expect("it is right"));
    let compared = there.compare(&pair[0], &pair[1], Budget::GLANCE, &()).expect("both run");
    assert!(!compared.pairs.is_empty() && compared.pairs.iter().all(|pair| pair.first_ns > 0 && pair.second_ns > 0));
    assert_eq!(compared.comparison, compare(&compared.pairs, compared.places), "the verdict, too, whatever else the machine did");
    let task = task("coalesced", &picture);
    let [mine, theirs] = [here.compiled(&task, &()), there.compiled(&task, &())].map(|compiled| compiled.expect("PoCL shows its code"));
    assert_eq!((mine.summary(), &mine.origin, &mine.binary), (theirs.summary(), &theirs.origin, &theirs.binary));
    assert!(mine.compared_with(&theirs).is_same_code());
}

#[cfg(unix)]
#[test]
fn the_program_is_copied_to_a_machine_without_it_and_its_devices_join_the_list() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let ssh = Ssh {
        command: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stand_in_ssh")),
        arguments: vec![folder.path().into()],
        program: PathBuf::from(env!("CARGO_BIN_EXE_kernel-ladder")),
    };
    let (tell, told) = channel();
    let mut machines = Machines::by_ssh(
        ssh,
        apart(),
        Arc::new(move || {
            let _ = tell.send(());
        }),
    );
    let wait = || told.recv_timeout(Duration::from_mins(1)).expect("it answers");
    let hosts = ["one", "gone"].map(str::to_owned);
    let here = machines.rescan_with(&hosts).expect("PoCL");
    assert_eq!(machines.scanned().awaited, hosts);
    wait();
    wait();
    assert!(machines.arrived().is_empty());
    let scanned = machines.scanned();
    assert_eq!((scanned.without_program, scanned.awaited.len()), (vec!["one".to_owned()], 0));
    // Who is asked meanwhile is copied to all the same; who is not in the list is not.
    let _ = machines.rescan_with(&hosts);
    machines.copy_to(&["one", "two"].map(str::to_owned));
    // Whoever scans meanwhile neither asks it again nor forgets it.
    assert_eq!(machines.rescan_with(&hosts).as_ref(), Ok(&here));
    let scanned = machines.scanned();
    assert_eq!((scanned.copying, scanned.awaited, scanned.without_program.len()), (vec!["one".to_owned()], vec!["gone".to_owned()], 0));
    let mut there = Vec::new();
    while machines.scanned().copying.len() + machines.scanned().awaited.len() > 0 {
        wait();
        there.extend(machines.arrived());
    }
    assert!(there.len() == here.len() && there.iter().all(|device| device.host.as_deref() == Some("one") && device.index >= here.len()));
    let scanned = machines.scanned();
    assert!(
        scanned.without_program.is_empty() && scanned.problems.iter().any(|problem| problem.contains("gone")),
        "{:?}",
        scanned.problems
    );
    let files = std::fs::read_dir(folder.path().join("one/.local/bin")).expect("it is there");
    assert_eq!(files.count(), 1, "no part is left");
}

#[test]
fn what_is_wrong_is_told_in_the_same_words_and_the_process_stays() {
    let _alone = alone();
    let (mut here, mut there) = (Engine::new(), apart());
    let picture = picture();
    let impossible =
        Task { spec: FilterId::Luma.filter().spec(Channels::Gray, FilterId::Luma.filter().default_border), ..task("naive", &picture) };
    let [mine, theirs] = [here.execute(&impossible, &()), there.execute(&impossible, &())].map(|run| run.expect_err("luma needs colors"));
    // This process speaks a language, and has labels in the places of its keys.
    assert_eq!(mine.with_keys(None), theirs.with_keys(None));
    let before = there.process_id();
    there.execute(&task("naive", &picture), &()).expect("it runs");
    assert!(before.is_some() && there.process_id() == before);
}

#[test]
fn a_repeated_run_creates_nothing_there_and_pictures_go_once() {
    let _alone = alone();
    let mut there = apart();
    // Three pictures in turns: more than the other side keeps.
    let pictures: Vec<PictureRef> = (0..3).map(|seed| PictureRef::new(Arc::new(generate(64, 48, Channels::Rgb, seed)))).collect();
    let outputs: Vec<Arc<Picture>> =
        pictures.iter().map(|picture| there.execute(&task("coalesced", picture), &()).expect("it runs").output).collect();
    for (picture, output) in pictures.iter().zip(&outputs).chain(pictures.iter().zip(&outputs).rev()) {
        assert_eq!(&there.execute(&task("coalesced", picture), &()).expect("it runs").output, output);
    }
    let task = task("coalesced", &pictures[0]);
    there.execute(&task, &()).expect("it runs");
    there.execute(&task, &()).expect("it runs");
    let before = there.objects_created();
    for _ in 0..100 {
        assert_eq!(there.execute(&task, &()).expect("it runs").build.from, BuildFrom::Memory);
    }
    assert_eq!((there.objects_created() - before, before > 0), (0, true));
}

#[test]
fn a_crash_costs_what_was_asked_and_nothing_else() {
    let _alone = alone();
    let mut there = apart();
    there.rescan().expect("PoCL");
    let task = task("coalesced", &picture());
    let files = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let left = || {
        let folders =
            ["/dev/shm".into(), std::env::temp_dir()].map(|folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten());
        folders.into_iter().flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with("kernel-ladder-")).count()
    };
    let proof = there.prove(&task, &()).expect("it is right");
    let (files_before, left_before) = (files(), left());
    for (name, words) in [
        ("SEGV", "it was ended by signal 11 (SIGSEGV)"),
        ("ABRT", "it was ended by signal 6 (SIGABRT)"),
        ("KILL", "it was ended by signal 9 (SIGKILL)"),
    ]
    .repeat(4)
    {
        let crashing = |process| signal(name, process);
        let meddling = Meddling::new(&there, &crashing);
        let error = failure(&mut there, &proof, &meddling);
        assert_eq!(error.kind, ErrorKind::Lost);
        assert!(error.why.contains(words) && error.why.contains("measuring coalesced of Laplace"), "{error}");
        assert_eq!(there.process_id(), None);
        // What was proven before is still worth something: the next one builds it again.
        assert!(there.glance(&proof, &()).expect("another one was started") > 0.0);
    }
    // One that comes to an end while nothing is asked costs nothing.
    signal("KILL", there.process_id().expect("it runs"));
    std::thread::sleep(Duration::from_millis(100));
    there.execute(&task, &()).expect("another one was started");
    assert_eq!((files(), left()), (files_before, left_before), "nothing is left of those that ended");
}

#[test]
fn one_that_hangs_is_stopped_and_a_cancel_is_heard() {
    let _alone = alone();
    let mut there = apart().with_patience(Patience { answer: Duration::from_secs(1), stop: Duration::from_secs(1) });
    let task = task("coalesced", &picture());
    let proof = there.prove(&task, &()).expect("it is right");
    // What goes on is told from what hangs, however long it takes.
    let long = Budget { sample_ns: 3_000_000_000, ..LONG };
    let mut patient = there.with_patience(Patience { answer: Duration::from_secs(2), stop: Duration::from_secs(1) });
    assert!(patient.measure(&proof, long, &()).is_ok());
    let mut there = patient.with_patience(Patience { answer: Duration::from_secs(1), stop: Duration::from_secs(1) });
    // Told to stop, it stops and stays.
    let (nothing, before, begun) = (|_: u32| (), there.process_id(), Instant::now());
    let cancelling = Meddling { cancels: true, ..Meddling::new(&there, &nothing) };
    assert!(failure(&mut there, &proof, &cancelling).is_cancelled());
    assert!(begun.elapsed() < Duration::from_secs(5) && there.process_id() == before);
    // One that stands still is ended: with a word, and without one where the person has let go of it.
    let stopping = |process| signal("STOP", process);
    let meddling = Meddling::new(&there, &stopping);
    let error = failure(&mut there, &proof, &meddling);
    assert!(error.why.contains("it did not respond for 1 s while measuring coalesced"), "{error}");
    there.execute(&task, &()).expect("another one was started");
    let cancelling = Meddling { cancels: true, ..Meddling::new(&there, &stopping) };
    let patient = there.with_patience(Patience { answer: Duration::from_mins(1), stop: Duration::from_secs(1) });
    let mut there = patient;
    assert!(failure(&mut there, &proof, &cancelling).is_cancelled());
    there.execute(&task, &()).expect("another one was started");
}

#[test]
fn another_program_is_no_worker() {
    let task = task("naive", &picture());
    for (program, words) in
        [("/no/such/program", "did not start"), ("/bin/false", "exited with code 1"), ("/bin/echo", "ended unexpectedly")]
    {
        let error = Remote::of_program(program.into()).execute(&task, &()).expect_err("no worker");
        assert!(error.to_string().contains(words), "{program}: {error}");
    }
}

#[test]
fn without_anybody_to_answer_to_the_process_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["sources", "results"] {
        std::fs::write(folder.path().join(name), []).expect("a file");
    }
    let mut worker = Command::new(env!("CARGO_BIN_EXE_kernel-ladder"));
    let mut worker = worker.arg("worker").arg(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    drop(worker.stdin.take());
    let begun = Instant::now();
    while worker.try_wait().expect("it is ours").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The text of a task's kernel with a line at the beginning of its body.
fn with_line(own: &str, line: &str) -> KernelText {
    let at = own.find("__kernel").expect("a kernel");
    let body = at + own[at..].find('{').expect("a body") + 1;
    KernelText::Edited(format!("{}\n    {line}\n{}", &own[..body], &own[body..]).into())
}

#[test]
fn what_an_edited_kernel_prints_comes_with_its_run() {
    let _alone = alone();
    let mut there = apart();
    let own = task("coalesced", &picture());
    let executed = there.execute(&own, &()).expect("it runs");
    assert_eq!(executed.printed, Printed::default());
    let text = executed.source.expect("a kernel");
    let line = "if (get_global_id(0) == 3 && get_global_id(1) == 2) printf(\"at %d\\n\", (int)get_global_id(0));";
    let printed = there.execute(&Task { text: with_line(&text, line), ..own.clone() }, &()).expect("it runs").printed;
    // A run whose times are in doubt is repeated.
    assert!(printed.count >= 1 && printed.lines.iter().all(|line| line == "at 3"), "{printed:?}");
    // The next one prints nothing, and is told nothing of the one before.
    let printed = there.execute(&Task { text: with_line(&text, ""), ..own }, &()).expect("it runs").printed;
    assert_eq!(printed, Printed::default());
}

/// What is inserted writes to an address that nobody has.
const WILD: &str = "*(__global uchar *)(size_t)(8 + get_global_id(0)) = 1;";

#[test]
fn edited_kernels_that_crash_or_never_end_cost_what_was_asked() {
    let _alone = alone();
    let mut there = apart().with_patience(Patience { answer: Duration::from_secs(3), stop: Duration::from_secs(1) });
    let own = task("coalesced", &picture());
    let text = there.execute(&own, &()).expect("it runs").source.expect("a kernel");
    let endless = "volatile int more = 1; while (more) { }";
    for (line, words) in
        [(WILD, "it was ended by signal 11 (SIGSEGV)"), (endless, "did not respond for 3 s"), (WILD, "signal 11 (SIGSEGV)")]
    {
        let edited = Task { text: with_line(&text, line), ..own.clone() };
        let error = there.execute(&edited, &()).map(|_| ()).expect_err("it was ended");
        assert!(error.why.contains(words), "{line}: {error}");
        assert!(there.prove(&own, &()).is_ok(), "another one was started");
    }
    // One that nobody wants any more is not waited for.
    let unwanted = Meddling { cancels: true, reports: AtomicUsize::new(1), ..Meddling::new(&there, &|_| ()) };
    let begun = Instant::now();
    let edited = Task { text: with_line(&text, endless), ..own.clone() };
    assert!(there.execute(&edited, &unwanted).map(|_| ()).expect_err("it was ended").is_cancelled());
    assert!(begun.elapsed() < Duration::from_secs(3));
}

/// A hundred crashes leave nothing behind.
#[test]
#[ignore = "takes minutes, and `a_crash_costs_what_was_asked_and_nothing_else` has a few"]
fn a_hundred_crashes() {
    let _alone = alone();
    let mut there = apart();
    let own = task("coalesced", &picture());
    let text = there.execute(&own, &()).expect("it runs").source.expect("a kernel");
    let edited = Task { text: with_line(&text, WILD), ..own.clone() };
    let held = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default().to_owned();
        (
            std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count),
            std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count),
            line,
        )
    };
    println!("before: {:?} files and threads", held());
    for _ in 0..100 {
        assert!(there.execute(&edited, &()).map(|_| ()).expect_err("it crashes").why.contains("SIGSEGV"));
    }
    assert!(there.prove(&own, &()).is_ok());
    println!("after: {:?} files and threads", held());
}

/// What the other process costs, in turns with an engine here: medians of a run with its check, and of the first run of a session. Not held to anything: times
/// are.
#[test]
#[ignore = "measures, and asserts nothing"]
fn what_it_costs() {
    let _alone = alone();
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    for side in [(768, 432), (2560, 1600), (7680, 4320)] {
        let task = task("coalesced+padded+vectorize=4", &PictureRef::generated(side, Channels::Rgb));
        // As in the window: the picture before it is looked at until the next one is there.
        let mut looked_at = [None, None];
        let mut time = |backend: &mut dyn Backend, side: usize| {
            let begun = Instant::now();
            let executed = backend.execute(&task, &()).expect("it runs");
            let shown = begun.elapsed();
            backend.verify(&task, &executed, &()).expect("it is checked");
            let checked = begun.elapsed();
            looked_at[side] = Some(executed.output);
            (shown, checked)
        };
        let (mut here, mut there) = (Engine::new(), apart());
        let first = [time(&mut here, 0), time(&mut there, 1)];
        let rounds: Vec<_> = (0..9).map(|_| [time(&mut here, 0), time(&mut there, 1)]).collect();
        for (index, name) in ["here", "apart"].into_iter().enumerate() {
            let [shown, checked] =
                [0, 1].map(|part| median(rounds.iter().map(|round| if part == 0 { round[index].0 } else { round[index].1 }).collect()));
            println!("{side:?} {name}: first {:?}, shown {shown:?}, checked {checked:?}", first[index].0);
        }
    }
}

/// The program, which is not confined.
fn unconfined(folder: &std::path::Path) -> Remote {
    let path = folder.join("worker.sh");
    let program = env!("CARGO_BIN_EXE_kernel-ladder");
    std::fs::write(&path, format!("#!/bin/sh\nKERNEL_LADDER_CONFINE=0 exec {program} \"$@\"\n")).expect("written");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
    Remote::of_program(path)
}

/// The kernel of `task` where the work-item of the first pixel makes system calls: it opens a file for writing, removes another, makes a socket of the internet and one
/// of this machine, and sends a signal to the process that asks. Each byte of the first two pixels says whether one of them went well (1) or not (2).
fn calling(own: &str, opened: &std::path::Path, removed: &std::path::Path) -> String {
    let at = own.find("__kernel").expect("a kernel");
    let body = own[at..].find('{').expect("a body") + at + 1;
    let target = own[at..body].split(',').find(|it| it.contains("__global") && !it.contains("const")).expect("an output");
    let target = target.rsplit([' ', '*']).next().expect("a name").trim_end_matches(')').trim();
    let (opened, removed, parent) = (opened.display(), removed.display(), std::process::id());
    let system = "long call_system(long number, long a, long b, long c)\n{\n    long result;\n    \
        __asm__ volatile(\"syscall\" : \"=a\"(result) : \"a\"(number), \"D\"(a), \"S\"(b), \"d\"(c) : \"rcx\", \"r11\", \"memory\");\n    return result;\n}\n";
    let calls = [
        format!("call_system(2, (long)\"{opened}\", 0101, 0600)"),
        format!("call_system(87, (long)\"{removed}\", 0, 0)"),
        "call_system(41, 2, 1, 0)".to_owned(),
        "call_system(41, 1, 1, 0)".to_owned(),
        format!("call_system(62, {parent}, 0, 0)"),
        "call_system(39, 0, 0, 0)".to_owned(),
    ];
    let lines = calls.iter().enumerate().map(|(place, call)| format!("        {target}[{place}] = {call} < 0 ? 2 : 1;\n"));
    let lines: String = lines.collect();
    let guard = format!("\n    if (get_global_id(0) == 0 && get_global_id(1) == 0) {{\n{lines}        return;\n    }}\n");
    // The second pixel is another work-item's, which has nothing to say.
    let other = "    if (get_global_id(0) + get_global_id(1) == 1) return;\n";
    format!("{}{system}{}{guard}{other}{}", &own[..at], &own[at..body], &own[body..])
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn what_a_kernel_does_besides_computing_is_kept_from_it() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let (opened, removed) = (folder.path().join("opened"), folder.path().join("removed"));
    let picture = PictureRef::new(Arc::new(generate(61, 43, Channels::Rgb, 5)));
    let own = Engine::new().execute(&task("naive", &picture), &()).expect("runs").source.expect("a kernel").to_string();
    let text = calling(&own, &opened, &removed);
    let task = Task { text: KernelText::Edited(text.into()), ..task("naive", &picture) };
    let called = |mut there: Remote| {
        std::fs::write(&removed, "kept").expect("written");
        there.rescan().expect("PoCL");
        let executed = there.execute(&task, &()).unwrap_or_else(|error| panic!("{error} {:?}", error.detail));
        (executed.output.bytes()[..6].to_vec(), there.scanned().confinement)
    };
    let (went, confinement) = called(unconfined(folder.path()));
    assert_eq!((went.as_slice(), confinement), ([1; 6].as_slice(), Some(Confinement::Off)), "the kernel does what it says");
    assert!(opened.exists() && !removed.exists());
    std::fs::remove_file(&opened).expect("ours");
    let (went, confinement) = called(apart());
    let confinement = confinement.expect("it was told");
    // No network, whatever else the system can; the last call is harmless.
    assert_eq!((went[2], went[3], went[5]), (2, 2, 1), "{confinement:?}");
    let keeps_files = matches!(confinement, Confinement::Full | Confinement::NoFiles);
    println!("this system: {confinement:?}, {went:?}");
    assert_eq!((went[0] == 2, went[1] == 2, opened.exists(), removed.exists()), (keeps_files, keeps_files, !keeps_files, keeps_files));
}
