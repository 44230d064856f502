//! The program: see [`kernel_ladder::cli`] for commands and [`kernel_ladder::app`] for the window.

fn main() -> std::process::ExitCode {
    kernel_ladder::cli::main()
}
