//! Other programs that keep every core busy.

use std::process::Command;

/// Busy shells, until it is dropped. They are no children of this process: its own children are no other programs.
pub struct Load(Vec<String>);

impl Load {
    /// Begins with so many shells for each core, which end by themselves after so many seconds.
    #[must_use]
    pub fn begin(per_core: usize, seconds: u32) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        // The shell in between ends at once, so that the first process of the system adopts the busy one.
        let busy = format!("timeout {seconds} sh -c 'while :; do :; done' >/dev/null 2>&1 </dev/null & echo $!");
        let begin = |_| {
            let begun = Command::new("sh").args(["-c", &busy]).output().expect("a shell");
            String::from_utf8(begun.stdout).expect("a number").trim().to_owned()
        };
        Self((0..per_core * cores).map(begin).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        // `timeout` hands the signal on.
        let _ = Command::new("kill").args(&self.0).status();
    }
}
