//! What the system tells of this process, held to what this process does.

use super::{children, chosen_language, cpu_time, parent, process_time_ns, stdout_apart, thread_time};
use crate::texts::Language;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Set in the process that a test starts of itself.
const CHILD: &str = "KERNEL_LADDER_TEST_CHILD";

/// This test's program again, which runs one test alone and knows that it is the child.
fn again(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(CHILD, "1");
    command
}

fn work(for_so_long: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < for_so_long {
        std::hint::black_box(begun);
    }
}

#[test]
fn the_time_of_this_thread_grows_while_it_works() {
    let before = thread_time();
    // Two of Windows' ticks, however much others take of the core.
    let begun = Instant::now();
    while thread_time().saturating_sub(before) < Duration::from_millis(30) {
        work(Duration::from_millis(5));
        assert!(begun.elapsed() < Duration::from_mins(1), "{:?} after {before:?}", thread_time());
    }
}

#[test]
fn the_system_counts_at_least_what_this_process_does() {
    let (Some(all), Some(own)) = (cpu_time(), process_time_ns(std::process::id())) else {
        #[cfg(any(windows, target_os = "macos"))]
        panic!("this system tells");
        #[cfg(not(any(windows, target_os = "macos")))]
        return;
    };
    let grown = || process_time_ns(std::process::id()).expect("it told before") - own;
    while grown() < 100_000_000 {
        work(Duration::from_millis(20));
    }
    let (own, now) = (grown(), cpu_time().expect("it told before"));
    // Each count is rounded to a tick of its own.
    assert!(now.busy_ns - all.busy_ns + 40_000_000 >= own && now.idle_ns >= all.idle_ns, "{own} of {all:?} to {now:?}");
    assert_eq!(process_time_ns(u32::MAX - 1), None);
}

#[test]
fn a_child_is_known_and_knows_its_parent() {
    let name = "system::tests::a_child_is_known_and_knows_its_parent";
    if std::env::var_os(CHILD).is_some() {
        println!("\nparent {}", parent().unwrap_or_default());
        let _ = std::io::stdin().read_line(&mut String::new());
        return;
    }
    let mut child = again(name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
    let listed = children(&[std::process::id()]);
    assert!(listed.contains(&child.id()) || !cfg!(any(windows, target_os = "macos")), "{listed:?} without {}", child.id());
    drop(child.stdin.take());
    let told = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.lines().any(|line| line == format!("parent {}", std::process::id())), "{told}");
}

#[test]
fn what_anybody_prints_goes_to_stderr_and_messages_go_apart() {
    let name = "system::tests::what_anybody_prints_goes_to_stderr_and_messages_go_apart";
    if std::env::var_os(CHILD).is_some() {
        let mut apart = stdout_apart().expect("both are pipes");
        println!("printed by the program");
        #[cfg(any(unix, windows))]
        by_c(c"printed by a library");
        apart.write_all(b"message\n").expect("the pipe is open");
        return;
    }
    let told = again(name).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("it runs");
    let [stdout, stderr] = [&told.stdout, &told.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(stdout.contains("message\n") && !stdout.contains("printed by"), "{stdout}");
    assert!(stderr.contains("printed by the program"), "{stderr}");
    #[cfg(any(unix, windows))]
    assert!(stderr.contains("printed by a library"), "{stderr}");
}

/// As a driver prints: by the C library that this program has.
#[cfg(any(unix, windows))]
#[expect(unsafe_code, reason = "it is there to see what code does that is not ours")]
fn by_c(text: &std::ffi::CStr) {
    unsafe extern "C" {
        fn puts(text: *const std::ffi::c_char) -> i32;
        fn fflush(file: *mut std::ffi::c_void) -> i32;
    }
    // SAFETY: the text ends with 0; no file at all means all of them.
    unsafe {
        puts(text.as_ptr());
        fflush(std::ptr::null_mut());
    }
}

#[test]
fn the_chosen_language_is_one_that_is_understood() {
    let Some(chosen) = chosen_language() else {
        #[cfg(any(windows, target_os = "macos"))]
        panic!("this system tells");
        #[cfg(not(any(windows, target_os = "macos")))]
        return;
    };
    let is_chinese = chosen.starts_with("zh");
    assert_eq!(Language::of_locale(&chosen) == Language::Chinese, is_chinese, "{chosen}");
}
