//! The engine in a process of its own, so that a driver's crash is not the program's.
//!
//! [`Apart`] is a [`Backend`](crate::engine::Backend) that starts `kernel-ladder worker` and asks it ([`serve`] answers): no driver's code runs where the window
//! is. A worker that crashes, is aborted or does not answer costs what was asked, with an error that says what happened; the next question starts another one.
//!
//! Messages go over the worker's stdin and stdout: a length of four bytes, then CBOR, which holds records whose fields may be missing. One question is answered
//! at a time; on the way the worker tells its progress, and may be told to stop. Pictures do not go through the pipe: they lie in memory that both processes
//! have ([`pictures`]), and what the other side has already is only named. The worker is confined as far as the system can ([`confine`]), and is handed that memory
//! ([`handed`]). To another machine ([`launch`]) the messages carry them; [`Machines`] is this machine
//! with others, and [`install`] copies this program there.

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
mod serve;
mod simulator;

pub use ask::Apart;
pub use launch::Ssh;
pub use machines::{Machines, Wake};
pub use pictures::Carriage;
pub use process::{Patience, let_go};
pub use serve::serve;
