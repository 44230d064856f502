//! What the two processes say to each other.

use super::pictures::Shape;
use crate::{Reply, Request};
use base::error::Error;
use kernels::catalog::Folder;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Of the messages, to be raised with any change of what they hold. On one machine both sides are the same program, unless its file was replaced while it ran;
/// another machine may have another build, which is asked as long as this number is the same.
pub const VERSION: u32 = 8;

/// How a worker's first message begins after its length, whatever the version: a map of one entry by the name "Ready".
pub const READY: &[u8; 7] = b"\xa1\x65Ready";

/// The first message has no more bytes: a number and a path.
pub const READY_BYTES: u32 = 1 << 16;

/// To the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToRemote {
    /// Something to do. The answer, or an error, bears the same number.
    Asked {
        /// Of this question.
        number: u64,
        /// Runs whose outputs nobody has any more on this side.
        returned: Vec<u64>,
        /// Names of the files that come with it, in their order: memory of the asking process, see `super::handed`.
        #[serde(default)]
        handed: Vec<PathBuf>,
        /// What.
        request: Box<Request<SentPicture>>,
    },
    /// The question of that number is to end soon.
    Cancel(u64),
    /// A filter that questions to come are about, and that came with no program.
    Bring(Box<Folder>),
}

/// From the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromRemote {
    /// The first thing said: [`VERSION`], and where it notes which call of OpenCL is under way. Its first bytes tell it from what else may be printed there, see
    /// [`READY`], and stay as they are in all versions.
    Ready(u32, Option<PathBuf>),
    /// There is nothing to tell, but it goes on.
    Alive,
    /// How far the question is.
    Progress {
        /// Steps done.
        done: usize,
        /// Of so many.
        total: usize,
        /// What is going on.
        text: String,
    },
    /// What became of the question of that number.
    Answered(u64, Result<Box<Reply<SentPicture>>, Error>),
}

/// A picture in a message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum SentPicture {
    /// That of this number, which was sent before.
    Known(u64),
    /// It has this number from now on.
    New(u64, Shape),
    /// For this message alone.
    Once(Shape),
    /// The output of the worker's last run, which has kept it for one check.
    Last,
}
