//! What other machines may do to this one, and what processes leave behind. Peers are scripts in the place of ssh that speak the protocol with what is laid down
//! for them; workers, parents and signals are real.

#![cfg(unix)]
#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test may panic")]

use base::error::Error;
use engine::device::DeviceInfo;
use engine::remote::message::{FromRemote, SentPicture, ToRemote, VERSION};
use engine::remote::{Machines, Patience, Remote, Ssh, frame};
use engine::{Backend, Executed, PictureRef, Reply, Request, Scanned, Target, Task};
use model::{Budget, Channels, Confinement, HostMemory, LocalSize, Variant, Verification};
use pictures::generate;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use study::Prober;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_kernel-ladder");

/// What takes longer than this does not end.
const LONG: Duration = Duration::from_mins(2);

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "it never happens: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn task() -> Task {
    let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
    Task::new(PictureRef::new(Arc::new(generate(61, 33, Channels::Rgb, 5))), target)
}

fn frames(messages: &[FromRemote]) -> Vec<u8> {
    messages.iter().flat_map(|message| frame::bytes(message).expect("short enough")).collect()
}

fn answer(number: u64, reply: Reply<SentPicture>) -> FromRemote {
    FromRemote::Answered(number, Ok(Box::new(reply)))
}

fn devices(info: &[DeviceInfo], problem: Option<&str>) -> FromRemote {
    let problems = problem.into_iter().map(str::to_owned).collect();
    answer(1, Reply::Devices(Ok(info.to_vec()), Scanned { problems, confinement: Some(Confinement::Full), ..Scanned::default() }))
}

/// Stands in for ssh: says `ready`, and after the first byte of a question `answers`, or `answers-N` where it is started for the Nth time. Then it does as `then`
/// says; whatever it hears it writes down.
const PEER: &str = r#"
cd "$0"
n=$(ls | grep -c heard)
cat ready
head -c 1 >heard-$n
if [ -e answers-$n ]; then cat answers-$n; else cat answers; fi
case $(cat then) in
    hang-up) [ $n = 0 ] && exit ;;
    flood) while cat more; do :; done ;;
    drip) while cat more; do sleep 0.3; done ;;
esac
exec cat >>heard-$n
"#;

struct Peer {
    folder: TempDir,
}

impl Peer {
    fn new(then: &str, answers: &[FromRemote]) -> Self {
        let peer = Self { folder: tempfile::tempdir().expect("a folder") };
        peer.put("ready", &frames(&[FromRemote::Ready(VERSION, None)]));
        peer.put("answers", &frames(answers));
        peer.put("then", then.as_bytes());
        peer
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).expect("written");
    }

    fn ssh(&self) -> Ssh {
        let arguments = vec!["-c".into(), PEER.into(), self.folder.path().into()];
        Ssh { command: PathBuf::from("/bin/sh"), arguments, program: PathBuf::from(PROGRAM) }
    }

    fn apart(&self) -> Remote {
        let second = Duration::from_secs(1);
        Remote::by_ssh(&self.ssh(), "lab").with_patience(Patience { answer: second, stop: second })
    }

    /// All that it heard in all of its lives.
    fn heard(&self) -> Vec<u8> {
        let files = std::fs::read_dir(self.folder.path()).expect("there").flatten().map(|file| file.path());
        let heard = files.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("heard")));
        heard.flat_map(|path| std::fs::read(path).expect("there")).collect()
    }
}

/// What nobody else is to have, with as many bytes as the task's output.
const SECRET: &[u8] = b"-----BEGIN OPENSSH PRIVATE KEY-----";

fn secret(peer: &Peer) -> PathBuf {
    let bytes: Vec<u8> = SECRET.iter().copied().cycle().take(61 * 33 * 3).collect();
    peer.put("secret", &bytes);
    peer.path("secret")
}

fn shape(width_px: usize, height_px: usize, bytes: &serde_json::Value) -> serde_json::Value {
    let channels = serde_json::to_value(Channels::Rgb).expect("plain data");
    json!({"width_px": width_px, "height_px": height_px, "channels": channels, "bytes": bytes, "alpha": null})
}

fn run_with(task: &Task, shape: serde_json::Value) -> Reply<SentPicture> {
    let run = Executed::on_host(Arc::clone(&task.picture.picture), 1000);
    let sent = SentPicture::Once(serde_json::from_value(shape).expect("as the messages have it"));
    Reply::Executed(Box::new(run.try_map(|_| Ok(sent)).expect("named")))
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn a_peer_gets_no_bytes_of_a_file_here() {
    let task = task();
    // In the place of an output.
    let peer = Peer::new("hang-up", &[]);
    let place = json!({"File": secret(&peer)});
    peer.put("answers", &frames(&[answer(1, run_with(&task, shape(61, 33, &place)))]));
    let mut apart = peer.apart();
    let executed = apart.execute(&task, &());
    if let Ok(executed) = &executed {
        let _ = apart.verify(&task, executed, &());
    }
    assert!(!contains(&peer.heard(), SECRET), "the file was sent");
    assert!(executed.is_err_and(|error| error.to_string().contains("missing")));

    // In the place of a reference, and of alpha.
    let peer = Peer::new("hang-up", &[]);
    let place = json!({"File": secret(&peer)});
    let reference = SentPicture::New(1, serde_json::from_value(shape(61, 33, &place)).expect("as the messages have it"));
    let right = Verification {
        differing_pixels: 0,
        total_pixels: 61 * 33,
        max_difference: 0,
        first_differing: None,
        tolerance: 0,
        ..Verification::default()
    };
    peer.put("answers", &frames(&[answer(1, Reply::Verified(right, reference))]));
    let output = Executed::on_host(Arc::clone(&task.picture.picture), 1000);
    assert!(peer.apart().verify(&task, &output, &()).is_err(), "a file became a reference");

    let peer = Peer::new("hang-up", &[]);
    let mut with_alpha = shape(61, 33, &json!({"Carried": vec![7; 61 * 33 * 3]}));
    with_alpha["alpha"] = json!({"File": secret(&peer)});
    peer.put("answers", &frames(&[answer(1, run_with(&task, with_alpha))]));
    assert!(peer.apart().execute(&task, &()).is_err(), "a file became alpha");
}

#[test]
fn a_peers_output_is_of_the_tasks_size_and_channels() {
    let task = task();
    let run = |width_px: usize, height_px: usize| {
        let carried = json!({"Carried": vec![7; width_px * height_px * 3]});
        Peer::new("", &[answer(1, run_with(&task, shape(width_px, height_px, &carried)))]).apart().execute(&task, &())
    };
    assert!(run(61, 33).is_ok_and(|run| (run.output.width_px(), run.output.height_px()) == (61, 33)));
    for (width_px, height_px) in [(411, 1), (33, 61), (671, 3), (122, 33)] {
        assert!(run(width_px, height_px).is_err(), "{width_px} x {height_px}");
    }
}

#[test]
fn a_peer_that_ends_within_a_message_is_told_as_that() {
    let task = task();
    let peer = Peer::new("hang-up", &[]);
    let whole = frames(&[answer(1, run_with(&task, shape(61, 33, &json!({"Carried": []}))))]);
    peer.put("answers", &whole[..whole.len() - 1]);
    let error = peer.apart().execute(&task, &()).map(drop).expect_err("its end is missing");
    assert!(error.detail.as_deref().is_some_and(|detail| detail.ends_with("it is truncated: its end is missing")), "{error:?}");
}

#[test]
fn a_peers_notes_are_not_read() {
    let peer = Peer::new("hang-up", &[]);
    // The number of a call.
    peer.put("note", &[5; 16]);
    peer.put("ready", &frames(&[FromRemote::Ready(VERSION, Some(peer.path("note")))]));
    let error = peer.apart().execute(&task(), &()).map(drop).expect_err("it hung up");
    assert!(!error.to_string().contains("in cl"), "{error}");
}

fn resident_mib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|kib| kib.parse::<usize>().ok()).unwrap_or_default() / 1024
}

#[test]
fn a_peer_that_floods_or_drips_keeps_nobody_from_measuring_here() {
    let progress = |length: usize| FromRemote::Progress { done: 1, total: 2, text: "x".repeat(length) };
    for (then, more) in [
        ("flood", frames(&[FromRemote::Alive]).repeat(1000)),
        ("flood", frames(&[progress(200_000)])),
        // What begins so would be a message of 16 MiB and more.
        ("flood", vec![1; 1 << 20]),
        ("drip", frames(&[FromRemote::Alive])),
    ] {
        let peer = Peer::new(then, &[devices(&[DeviceInfo::example(), DeviceInfo::example()], None)]);
        peer.put("more", &more);
        let (tell, told) = channel();
        let wake = move || {
            let _ = tell.send(());
        };
        let mut machines = Machines::by_ssh(peer.ssh(), Remote::of_program(PathBuf::from(PROGRAM)), Arc::new(wake));
        let here = machines.rescan_with(&["lab".to_owned()]).expect("PoCL").len();
        told.recv_timeout(LONG).expect("its devices are known");
        let before = resident_mib();
        let there: Vec<usize> = machines.arrived().iter().map(|device| device.index).collect();
        assert_eq!(there, [here, here + 1], "whatever it says of their numbers");
        for device in there {
            assert!(machines.known_roofs(device, &()).is_none());
        }
        machines.execute(&task(), &()).expect("this machine's device runs");
        std::thread::sleep(Duration::from_secs(1));
        let grown = resident_mib().saturating_sub(before);
        assert!(grown < 256, "{then}: {grown} MiB more");
        // Those who are not wanted any more end beside.
        assert_eq!(machines.rescan().expect("PoCL").len(), here);
    }
}

#[test]
fn a_shell_that_prints_by_itself_is_told_as_that() {
    let peer = Peer::new("", &[]);
    for (chatter, first) in [
        ("Welcome to lab", "\"Welcome to lab\""),
        ("", "\"\""),
        ("\\033]0;owned\\007Hi, this is lab", "\"\\u001b]0;owned\\u0007Hi, this is lab\""),
    ] {
        let script = format!("printf '{chatter}\\n'; {PEER}");
        let ssh = Ssh { arguments: vec!["-c".into(), script.into(), peer.folder.path().into()], ..peer.ssh() };
        let Error { what, why, remedy, .. } = Remote::by_ssh(&ssh, "lab").execute(&task(), &()).map(drop).expect_err("not clean");
        assert!(what.contains("shell on lab prints") && why.ends_with(first) && remedy.contains("ssh lab true"), "{what}: {why}; {remedy}");
    }
    // Without it, the same peer is understood.
    let error = peer.apart().execute(&task(), &()).map(drop).expect_err("it says nothing more");
    assert!(!error.what.contains("shell"), "{error}");
}

#[test]
fn a_worker_that_starts_anew_has_the_same_devices_whatever_memory_is_free() {
    let listed = DeviceInfo::example();
    for (now, is_same) in [
        (DeviceInfo { global_mem_bytes: 7 << 20, max_alloc_bytes: 1 << 20, clock_mhz: 1, ..listed.clone() }, true),
        (DeviceInfo { name: "Another".to_owned(), ..listed.clone() }, false),
        (DeviceInfo { driver_version: "1.1".to_owned(), ..listed.clone() }, false),
    ] {
        let peer = Peer::new("hang-up", &[devices(std::slice::from_ref(&listed), None)]);
        peer.put("answers-1", &frames(&[devices(&[now], None), answer(2, Reply::Objects(7))]));
        let mut apart = peer.apart();
        apart.rescan().expect("one");
        until("it hangs up", || apart.objects_created() > 0 || apart.scanned().has_others);
        assert_eq!((apart.scanned().has_others, apart.objects_created() == 7), (!is_same, false));
        // A rescan knows them.
        let _ = apart.rescan();
        assert!(!apart.scanned().has_others);
    }
}

#[test]
fn questions_take_few_bytes_and_code_is_sent_to_whoever_looks_at_it() {
    let mut apart = Remote::of_program(PathBuf::from(PROGRAM));
    apart.rescan().expect("PoCL");
    let task = task();
    let variant = Variant::parse("padded+vectorize=8+merged+rows=8").expect("known");
    let large = task.with_variant(variant);
    let mut before = apart.carried();
    let mut most = |apart: &Remote, what: &str, most_bytes: u64| {
        let now = apart.carried();
        let took = (now.0 - before.0) + (now.1 - before.1);
        assert!(took <= most_bytes, "{what} took {took} bytes");
        before = now;
        took
    };
    let executed = apart.execute(&large, &()).expect("runs");
    most(&apart, "a run with its source", 48 << 10);
    apart.verify(&large, &executed, &()).expect("checked");
    most(&apart, "a check", 4 << 10);
    let proof = apart.prove(&large, &()).expect("right");
    most(&apart, "a proof", 4 << 10);
    apart.note_code(&large, &()).expect("compiled");
    most(&apart, "code that is only noted", 2 << 10);
    apart.measure(&proof, Budget::GLANCE, &()).expect("measured");
    most(&apart, "a measurement", 48 << 10);
    apart.glance(&proof, &()).expect("measured");
    most(&apart, "a glance", 4 << 10);
    let naive = apart.prove(&task, &()).expect("right");
    apart.compare(&naive, &proof, Budget::GLANCE, &()).expect("compared");
    most(&apart, "a proof and a comparison", 64 << 10);
    let _ = apart.known_roofs(0, &());
    // Where this machine's roofs were measured and kept: some forty probes with the samples of each.
    most(&apart, "known roofs", 96 << 10);
    let _ = apart.known_roofs(0, &());
    assert_eq!(most(&apart, "known roofs once more", 0), 0);
    // As benches and studies ask.
    let mut prober = Prober::new(Budget::GLANCE);
    let rows = ["coalesced+padded", "merged+padded+rows=4+vectorize=4"].map(|name| task.with_variant(Variant::parse(name).expect("known")));
    for row in &rows {
        prober.record(row, &mut apart, &()).expect("not cancelled").measured().expect("measured");
        most(&apart, "a row of a bench", 64 << 10);
    }
    prober.compare(&rows[0], &rows[1], &mut apart, &()).expect("not cancelled").expect("compared");
    most(&apart, "a comparison of two that are known", 64 << 10);
    let compiled = apart.compiled(&large, &()).expect("compiled");
    assert!(!compiled.binary.is_empty());
    // The binary as it is and not as a list of numbers, beside listing and counts.
    let rest = Remote::carried(&apart).1;
    most(&apart, "code", compiled.binary.len() as u64 + (1 << 20));
    assert!(rest > compiled.binary.len() as u64);
}

/// The processes that one has started.
fn children(parent: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Whether a process has come to an end, though nobody may have asked for its status.
fn has_ended(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z') || rest.starts_with('X'))
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([format!("-{name}"), process.to_string()]).status().expect("kill is everywhere");
    assert!(sent.success());
}

/// A command that takes a while, with all of its temporary files in a folder.
fn measuring(home: &Path, folder: &Path) -> Child {
    let mut command = Command::new("env");
    // What starts the tests in the background may ignore signals, and the program leaves those ignored.
    command.args(["--default-signal=INT,TERM,HUP", PROGRAM]);
    // For a minute, if it is let: it must not be over before a signal comes. A small picture is, as no row takes more than so many samples.
    command.args(["bench", "--variant", "naive", "--size", "4096x4096", "--budget-ms", "60000"]);
    command.env("HOME", home).env("TMPDIR", folder).env_remove("POCL_CACHE_DIR").env_remove("KERNEL_LADDER_CACHE");
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_is_stopped_ends_with_its_parent() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut parent = measuring(folder.path(), folder.path());
    until("it starts a worker", || !children(parent.id()).is_empty());
    let worker = children(parent.id())[0];
    // It has a driver loaded by then, and is asked something.
    std::thread::sleep(Duration::from_secs(2));
    signal("STOP", worker);
    signal("KILL", parent.id());
    parent.wait().expect("ours");
    until("the worker ends", || has_ended(worker));
}

#[test]
fn a_worker_whose_parent_ends_in_a_long_question_ends_without_a_core_file() {
    let mut worker = Command::new(PROGRAM);
    worker.arg("worker").env("KERNEL_LADDER_CACHE", "").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut worker = worker.spawn().expect("it starts");
    let (mut to, mut from) = (worker.stdin.take().expect("a pipe"), worker.stdout.take().expect("a pipe"));
    let asked = ToRemote::Asked { number: 1, returned: Vec::new(), handed: Vec::new(), request: Box::new(Request::MeasureRoofs(0)) };
    frame::write(&asked, &mut to).expect("it listens");
    while !matches!(frame::read(&mut from), Ok(Some(FromRemote::Progress { .. }))) {}
    drop(to);
    let status = worker.wait().expect("ours");
    let ended_by = std::os::unix::process::ExitStatusExt::signal(&status);
    assert!(ended_by != Some(6) && !std::os::unix::process::ExitStatusExt::core_dumped(&status), "{status}");
}

#[test]
fn ctrl_c_leaves_no_temporary_cache() {
    for name in ["INT", "TERM", "HUP"] {
        let folder = tempfile::tempdir().expect("a folder");
        let caches = || {
            let entries = std::fs::read_dir(folder.path()).expect("there").flatten();
            entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("kernel-ladder")).count()
        };
        let mut parent = measuring(Path::new("/dev/null"), folder.path());
        until("it has a cache and a worker", || caches() > 0 && !children(parent.id()).is_empty());
        let worker = children(parent.id())[0];
        // The worker writes into the cache by then.
        std::thread::sleep(Duration::from_secs(2));
        signal(name, parent.id());
        let status = parent.wait().expect("ours");
        assert!(std::os::unix::process::ExitStatusExt::signal(&status).is_some(), "it ends by the signal: {status}");
        until("the worker ends", || has_ended(worker));
        assert_eq!(caches(), 0, "{name}");
    }
}

#[test]
fn ctrl_c_leaves_no_part_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in.png");
    pictures::save(&input, &generate(3000, 3000, Channels::Rgb, 1)).expect("written");
    let parts = || {
        let entries = std::fs::read_dir(folder.path()).expect("there").flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".part")).count()
    };
    for name in ["INT", "TERM"] {
        let mut command = Command::new(PROGRAM);
        command.args(["run", "--engine", "cpu-threads"]).arg(&input).arg(folder.path().join("out.png"));
        command.env("HOME", folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = command.spawn().expect("it starts");
        until("it writes", || {
            assert!(run.try_wait().expect("ours").is_none(), "it ended before it was seen writing");
            parts() > 0
        });
        signal(name, run.id());
        run.wait().expect("ours");
        assert_eq!(parts(), 0, "{name}");
    }
}

#[test]
fn a_peers_words_do_nothing_in_a_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\u{9b}2J Evil";
    let info = DeviceInfo { name: evil.to_owned(), platform: evil.to_owned(), driver_version: evil.to_owned(), ..DeviceInfo::example() };
    let peer = Peer::new("", &[devices(&[info], Some(evil))]);
    peer.put("peer.sh", PEER.replace("$0", "$1").as_bytes());
    let run = |peer: &Peer| {
        let mut command = Command::new(PROGRAM);
        let ssh = format!("/bin/sh {} {}", peer.path("peer.sh").display(), peer.folder.path().display());
        command.args(["devices", "--on", "lab"]).env("KERNEL_LADDER_SSH", ssh).env("KERNEL_LADDER_CACHE", "").stdin(Stdio::null());
        let output = command.output().expect("it starts");
        [output.stdout, output.stderr].concat()
    };
    let said = String::from_utf8(run(&peer)).expect("UTF-8");
    assert!(said.contains("Evil") && said.contains("\\u001b]0;owned"), "{said}");
    assert!(!said.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{said:?}");
    // In an error, too.
    peer.put("answers", &frames(&[FromRemote::Answered(1, Err(Error::failed(evil, evil, evil).with_detail(evil)))]));
    let said = String::from_utf8(run(&peer)).expect("UTF-8");
    assert!(said.contains("Evil") && !said.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{said:?}");
}

#[test]
fn threads_that_the_system_refuses_are_an_error() {
    let mut command = Command::new("/bin/sh");
    let script = format!("ulimit -v 1000000; exec {PROGRAM} list");
    // With large stacks it is one of them that has no room, and never what a thread that was started needs for itself.
    command.args(["-c", &script]).env("RAYON_NUM_THREADS", "4000").env("RUST_MIN_STACK", "67108864").stdin(Stdio::null());
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("Worker threads could not be started") && !said.contains("panicked"), "{said}");
}
