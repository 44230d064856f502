//! The engine in a process of its own, so that a driver's crash is not the program's.
//!
//! [`Remote`] is a [`Backend`](crate::Backend) that starts `kernel-ladder worker` and asks it ([`serve`](fn@serve) answers): no driver's code runs where the window
//! is. A worker that crashes, is aborted or does not answer costs what was asked, with an error that says what happened; the next question starts another one. A
//! comparison is repeated in several of them (`starts`): what it says of one process may not hold for the next.
//!
//! Messages carry a [`Request`](crate::Request) and its [`Reply`](crate::Reply) as they are, with a number, progress and cancelling beside them;
//! only a picture has another form in them. They go over the worker's stdin and stdout: a length of four bytes, then CBOR, which holds records whose fields may be
//! missing. One request is answered at a time; on the way the worker tells its progress, and may be told to stop. Pictures do not go through the pipe: they lie in
//! memory that both processes have (`pictures`), and what the other side has already is only named. The worker is confined as far as the system can
//! (`confine`), and is handed that memory (`handed`). To another machine (`launch`) the messages carry them; [`Machines`] is this machine with others, and
//! `install` copies this program there.
//!
//! Another machine is not trusted with this one: paths that it names are not opened, messages, lists and rates have bounds, what it prints goes through
//! [`foreign`](base::foreign), and it is waited for where others are not kept by it, or only until somebody cancels.

mod ask;
mod confine;
pub mod frame;
mod handed;
mod install;
mod launch;
mod machines;
pub mod message;
mod pictures;
mod process;
mod program;
mod serve;
mod simulator;
mod starts;
mod words;

pub use ask::Remote;
pub use launch::Ssh;
pub use machines::{Machines, Wake};
pub use pictures::Carriage;
#[cfg(unix)]
pub use process::end_before_cache;
pub use process::{Patience, let_go};
pub use program::{CONFINED, become_confined, confined};
pub use serve::serve;
