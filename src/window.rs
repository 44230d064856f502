//! The same program without a console, for Windows: opened by a click, it shows its window alone. Elsewhere there is no difference.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() -> std::process::ExitCode {
    kernel_ladder::cli::main()
}
