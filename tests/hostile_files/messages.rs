//! Messages between the window and the process that runs drivers. Those of every kind are recorded from a real conversation; what is spoiled goes through the
//! reader of either side, to a real worker, and from a false one to the window's side.

use super::count::resident_bytes;
use super::kept::{all_roofs, task};
use super::spoil::{BYTES, Given, Way};
use super::{Kind, trees};
use engine::remote::frame;
use engine::remote::message::{FromRemote, SentPicture, ToRemote, VERSION};
use engine::remote::{Patience, Remote};
use engine::{Backend, Executed, PictureRef, Reply, Request, Task, Verified};
use kernels::filters::FilterIdExt as _;
use model::measure::Progress;
use model::{Budget, Channels, FilterId};
use std::collections::BTreeSet;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_kernel-ladder");

/// What was said.
struct Recorded {
    to_worker: Vec<Vec<u8>>,
    from_worker: Vec<Vec<u8>>,
    task: Task,
    /// What was run and checked last: its pictures are those that are still there.
    last: Task,
    /// Keeps the pictures where the answers say that they are.
    _alive: Mutex<(Remote, Executed, Verified)>,
}

static RECORDED: LazyLock<Recorded> = LazyLock::new(record);

/// The person cancels at once.
struct Cancelled;

impl Progress for Cancelled {
    fn is_cancelled(&self) -> bool {
        true
    }

    fn report(&self, _done: usize, _total: usize, _text: &str) {}
}

/// A program of some lines.
fn script(folder: &Path, lines: &str) -> PathBuf {
    let path = folder.join("worker.sh");
    std::fs::write(&path, format!("#!/bin/sh\nhere=$(dirname \"$0\")\n{lines}\n")).expect("written");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
    path
}

/// Asks a worker everything, and writes down both sides.
fn record() -> Recorded {
    let folder = tempfile::tempdir().expect("a folder");
    // Pictures are named here, and no open file gets through a pipe: the worker may not be kept from opening them.
    let lines = format!("tee \"$here/to\" | KERNEL_LADDER_CACHE= KERNEL_LADDER_CONFINE=0 {PROGRAM} \"$@\" | tee \"$here/from\"");
    let mut apart = Remote::of_program(script(folder.path(), &lines));
    apart.rescan().expect("PoCL");
    // In memory that the workers to come may read, too.
    let picture = task(true).picture.picture.to_shared().expect("there is room");
    let picture = PictureRef::new(Arc::new(picture));
    let [task, on_cpu] = [true, false].map(|is_on_device| Task { picture: picture.clone(), ..task(is_on_device) });
    // The first question has the picture with it: those that follow only name it.
    apart.execute(&on_cpu, &()).expect("runs");
    let proof = apart.prove(&task, &()).expect("right");
    let before = apart.execute(&task, &()).expect("runs");
    // The worker has kept the run for the first check.
    for _ in 0..2 {
        apart.verify(&task, &before, &()).expect("checked");
    }
    apart.measure(&proof, Budget::GLANCE, &()).expect("measured");
    apart.glance(&proof, &()).expect("measured");
    apart.compare(&proof, &proof, Budget::GLANCE, &()).expect("compared");
    apart.compiled(&task, &()).expect("compiled");
    apart.note_code(&task, &()).expect("compiled");
    let _ = (apart.known_roofs(0, &()), apart.tidy(), apart.objects_created());
    let _ = apart.measure_roofs(0, &Cancelled);
    // Of another filter, so that its reference comes with the answer.
    let other = Task { spec: FilterId::Sobel.filter().spec(Channels::Gray, FilterId::Sobel.filter().default_border), ..on_cpu };
    let executed = apart.execute(&other, &()).expect("runs");
    let verified = apart.verify(&other, &executed, &()).expect("checked");
    let (to_worker, mut from_worker) = recorded(folder.path());
    let roofs = Reply::Roofs(Some(Arc::new(all_roofs())));
    for message in [
        FromRemote::Alive,
        FromRemote::Progress { done: 3, total: 7, text: "running".to_owned() },
        FromRemote::Answered(1, Ok(Box::new(roofs))),
    ] {
        from_worker.push(frame_of(&message));
    }
    hold_to_all(&to_worker, &from_worker);
    Recorded { to_worker, from_worker, task, last: other, _alive: Mutex::new((apart, executed, verified)) }
}

/// Both sides, once the last answer is written down, too.
fn recorded(folder: &Path) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let frames = |name: &str| {
        let bytes = std::fs::read(folder.join(name)).expect("recorded");
        let (mut rest, mut frames) = (bytes.as_slice(), Vec::new());
        while let Some((message, after)) =
            rest.split_first_chunk().and_then(|(head, after)| after.split_at_checked(u32::from_le_bytes(*head) as usize))
        {
            frames.push(trees::framed(message));
            rest = after;
        }
        frames
    };
    let begun = Instant::now();
    loop {
        let (to_worker, from_worker) = (frames("to"), frames("from"));
        let is_asked = |frame: &&Vec<u8>| matches!(frame::read(frame.as_slice()), Ok(Some(ToRemote::Asked { .. })));
        let is_answered = |frame: &&Vec<u8>| matches!(frame::read(frame.as_slice()), Ok(Some(FromRemote::Answered(..))));
        if from_worker.iter().filter(is_answered).count() == to_worker.iter().filter(is_asked).count() {
            return (to_worker, from_worker);
        }
        assert!(begun.elapsed() < PATIENCE, "the conversation is not written down");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What is written to a file arrives within this, or never.
const PATIENCE: Duration = Duration::from_secs(20);

fn frame_of(message: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(message, &mut bytes).expect("into memory");
    bytes
}

/// Every question and every answer is among them.
fn hold_to_all(to_worker: &[Vec<u8>], from_worker: &[Vec<u8>]) {
    let name = |value: String| value.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned();
    let mut names = BTreeSet::new();
    for frame in to_worker {
        names.insert(match frame::read(frame.as_slice()).expect("whole").expect("a message") {
            ToRemote::Asked { request, .. } => name(format!("{request:?}")),
            ToRemote::Cancel(_) => "Cancel".to_owned(),
            ToRemote::Bring(_) => "Bring".to_owned(),
        });
    }
    for frame in from_worker {
        names.insert(match frame::read(frame.as_slice()).expect("whole").expect("a message") {
            FromRemote::Answered(_, Ok(answer)) => name(format!("{answer:?}")),
            FromRemote::Answered(_, Err(_)) => "Error".to_owned(),
            other => name(format!("{other:?}")),
        });
    }
    let questions =
        "Cancel CompareHere Compiled Execute Glance KnownRoofs Measure MeasureRoofs NoteCode ObjectsCreated Prove Rescan Tidy Verify";
    let answers =
        "Alive CodeNoted Compared Compiled Devices Error Executed Glanced Objects Progress Proven Ready Record Roofs Tidied Verified";
    let missing: Vec<_> = questions.split(' ').chain(answers.split(' ')).filter(|name| !names.contains(*name)).collect();
    assert!(missing.is_empty(), "not recorded: {missing:?}");
}

/// All messages of a stream; each is written again as it is after it was read.
fn all_read<M: serde::de::DeserializeOwned + serde::Serialize>(bytes: &[u8]) -> Result<(), String> {
    let mut from = bytes;
    while let Some(message) = frame::read::<M>(&mut from).map_err(|error| error.to_string())? {
        frame::write(&message, std::io::sink()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn reader(valid: &[Vec<u8>], read: fn(&[u8]) -> Result<(), String>) -> Kind {
    Kind {
        valid: valid.to_vec(),
        ways: [trees::FRAMES, trees::FRAMES, BYTES].concat(),
        words: &[],
        read: Arc::new(read),
        most_bytes: (4 << 20, 40),
        count: 1000,
    }
}

pub fn to_worker() -> Kind {
    reader(&RECORDED.to_worker, all_read::<ToRemote>)
}

pub fn from_worker() -> Kind {
    reader(&RECORDED.from_worker, all_read::<FromRemote>)
}

/// How long a worker may go on with a question after nobody waits any more; then it ends itself.
const PARTING: Duration = Duration::from_secs(3);

/// How long a worker's answers are waited for: some questions, a measurement of a thousand seconds, have none.
const WAIT: Duration = Duration::from_secs(6);

/// The most resident memory that a worker may take with a driver loaded.
const MOST_RESIDENT: usize = 1 << 30;

fn read_all(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    std::thread::Builder::new().name("worker's words".to_owned()).spawn(work).expect("a thread")
}

/// Gives a real worker what stands for a conversation. It answers, or ends in silence; it does not crash.
fn conversed(bytes: &[u8]) -> Result<(), String> {
    let mut from = bytes;
    let asked = std::iter::from_fn(|| frame::read(&mut from).ok().flatten()).filter(|message| matches!(message, ToRemote::Asked { .. }));
    let asked = asked.count();
    let mut command = Command::new(PROGRAM);
    command
        .arg("worker")
        .env("KERNEL_LADDER_CACHE", "")
        .env("KERNEL_LADDER_CONFINE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let (mut stdout, stderr) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
    let words = thread(move || read_all(stderr));
    let (tell, told) = channel();
    let answers = thread(move || {
        while let Ok(Some(message)) = frame::read(&mut stdout) {
            if let FromRemote::Answered(_, answer) = message {
                let _ = tell.send(answer.is_ok());
            }
        }
    });
    // It may end before it has taken all.
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(bytes);
    let begun = Instant::now();
    let mut answered = Vec::new();
    while answered.len() < asked {
        match told.recv_timeout(WAIT.saturating_sub(begun.elapsed())) {
            Ok(is_ok) => answered.push(is_ok),
            Err(_) => break,
        }
    }
    let resident = resident_bytes(&child.id().to_string());
    let let_go = Instant::now();
    drop(stdin);
    let status = child.wait().expect("ours");
    let words = words.join().expect("it does not panic");
    answers.join().expect("it does not panic");
    let is_ended = let_go.elapsed() >= PARTING && std::os::unix::process::ExitStatusExt::signal(&status) == Some(9);
    assert!(status.success() || is_ended, "the worker ended with {status}: {words}");
    assert!(!words.contains("panicked") && !words.contains("overflowed"), "{words}");
    assert!(resident <= MOST_RESIDENT, "the worker took {resident} bytes");
    if answered.len() == asked && asked > 0 { Ok(()) } else { Err(format!("{} of {asked} questions were answered", answered.len())) }
}

pub fn worker_process() -> Kind {
    let mut questions = RECORDED.to_worker.iter().filter(|frame| {
        let message = frame::read(frame.as_slice()).expect("whole").expect("a message");
        // That of roofs takes seconds, where nobody cancels it.
        matches!(message, ToRemote::Asked { request, .. } if !matches!(*request, Request::MeasureRoofs(_)))
    });
    let rescan = questions.next().expect("the first question");
    let with_picture = questions.next().expect("the second question");
    let others = questions.map(|question| [with_picture.as_slice(), question].concat());
    Kind {
        valid: [rescan.clone(), with_picture.clone()].into_iter().chain(others).collect(),
        ways: [&[last_frame as Way; 3], &BYTES[..2]].concat(),
        words: &[],
        read: Arc::new(conversed),
        most_bytes: (16 << 20, 20),
        count: 300,
    }
}

/// The last message is spoiled.
fn last_frame(given: &mut Given<'_>) -> Vec<u8> {
    let first = given.whole.first_chunk().map_or(0, |head| 4 + u32::from_le_bytes(*head) as usize);
    let start = if first < given.whole.len() { first } else { 0 };
    let (head, last) = given.whole.split_at(start);
    let way = *given.rng.choice(trees::FRAMES).expect("a way");
    [head, &way(&mut Given { rng: given.rng, whole: last, other: given.other, words: &[] })].concat()
}

/// A worker that is ready, and answers with what lies in a file.
struct False {
    folder: TempDir,
    program: PathBuf,
}

impl False {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("ready"), frame_of(&FromRemote::Ready(VERSION, None))).expect("written");
        // The first byte of the question is waited for.
        let program = script(folder.path(), "cat \"$here/ready\"; head -c 1 >/dev/null; exec cat \"$here/answers\"");
        Self { folder, program }
    }

    /// Asks for what the first byte says; the rest is what is answered.
    fn ask(&self, bytes: &[u8]) -> Result<(), String> {
        let (which, answers) = bytes.split_first().unwrap_or((&0, &[]));
        std::fs::write(self.folder.path().join("answers"), answers).expect("written");
        let patience = Patience { answer: Duration::from_secs(5), stop: Duration::from_secs(1) };
        let mut apart = Remote::of_program(self.program.clone()).with_patience(patience);
        let (task, last) = (&RECORDED.task, &RECORDED.last);
        let output = || Executed::on_host(Arc::clone(&task.picture.picture), 1000);
        match which % 7 {
            0 => apart.rescan().map(drop).map_err(|error| format!("{error:?}")),
            1 => apart.execute(last, &()).map(drop).map_err(|error| error.to_string()),
            2 => apart.verify(last, &output(), &()).map(drop).map_err(|error| error.to_string()),
            3 => apart.compiled(task, &()).map(drop).map_err(|error| error.to_string()),
            4 => apart.measure_roofs(0, &()).map(drop).map_err(|error| error.to_string()),
            5 => apart.prove(task, &()).map(drop).map_err(|error| error.to_string()),
            _ => apart.known_roofs(0, &()).map(drop).ok_or_else(|| "no roofs".to_owned()),
        }
    }
}

pub fn window_side() -> Kind {
    let which = |reply: &Reply<SentPicture>| match reply {
        Reply::Devices(..) => Some(0),
        Reply::Executed(_) => Some(1),
        Reply::Verified(..) => Some(2),
        Reply::Compiled(_) => Some(3),
        Reply::Roofs(Some(_)) => Some(4),
        Reply::Proven(_) => Some(5),
        _ => None,
    };
    let alive = frame_of(&FromRemote::Alive);
    let mut valid: Vec<Vec<u8>> = Vec::new();
    // Of the pictures that the answers name, the last ones are still there.
    for frame in RECORDED.from_worker.iter().rev() {
        let Ok(Some(FromRemote::Answered(_, Ok(answer)))) = frame::read(frame.as_slice()) else { continue };
        let Some(which) = which(&answer) else { continue };
        if !valid.iter().any(|bytes| bytes[0] == which) {
            let answered = frame_of(&FromRemote::Answered(1, Ok(answer)));
            valid.push([&[which], alive.as_slice(), &answered].concat());
        }
    }
    assert_eq!(valid.len(), 6);
    let worker = False::new();
    Kind {
        valid,
        ways: [&[spoiled_answer as Way; 12], BYTES].concat(),
        words: &[],
        read: Arc::new(move |bytes: &[u8]| worker.ask(bytes)),
        most_bytes: (16 << 20, 40),
        count: 400,
    }
}

/// The last message is spoiled.
fn spoiled_answer(given: &mut Given<'_>) -> Vec<u8> {
    let alive = frame_of(&FromRemote::Alive).len();
    let Some((head, answer)) = given.whole.split_at_checked(1 + alive) else { return given.whole.to_vec() };
    let other = given.other.get(1 + alive..).unwrap_or_default();
    let way = *given.rng.choice(trees::FRAMES).expect("a way");
    [head, &way(&mut Given { rng: given.rng, whole: answer, other, words: &[] })].concat()
}
