//! How a host program brings one picture after the other to a device and back, and how long that takes.

use super::{Comparison, Pair, Places, compare};
use base::error::Error;
use serde::{Deserialize, Serialize};

/// A way for a host program to go about it: upload, kernels and read-back of each picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostWay {
    /// Buffers are created for each picture, and each command is waited for.
    Create,
    /// Buffers are reused, and each command is waited for.
    Wait,
    /// Nothing is waited for until all pictures are enqueued.
    Batch,
    /// The same, but what was enqueued is handed over after each picture.
    Flush,
    /// Two queues and two sets of buffers take turns, so that transfers of one picture go on beside the kernels of the other.
    TwoQueues,
    /// One queue that may reorder commands, with two sets of buffers; events say what needs what.
    OutOfOrder,
    /// Two queues and two sets of buffers, and pictures that lie in pinned memory of the host: what copy engines work on without the driver's own copies.
    Pinned,
    /// Each picture is waited for, but cut into bands of rows that take turns on three queues, from and to pinned memory: a band is uploaded while another is
    /// computed and a third read back.
    InBands,
}

impl HostWay {
    /// In the order of tables.
    pub const ALL: [Self; 8] =
        [Self::Create, Self::Wait, Self::Batch, Self::Flush, Self::TwoQueues, Self::OutOfOrder, Self::Pinned, Self::InBands];

    /// What the others are compared with.
    pub const BASE: Self = Self::Wait;

    /// Where its label is, as tables show it.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Create => "studies.host.way.create",
            Self::Wait => "studies.host.way.wait",
            Self::Batch => "studies.host.way.batch",
            Self::Flush => "studies.host.way.flush",
            Self::TwoQueues => "studies.host.way.two-queues",
            Self::OutOfOrder => "studies.host.way.out-of-order",
            Self::Pinned => "studies.host.way.pinned",
            Self::InBands => "studies.host.way.in-bands",
        }
    }
}

/// All ways over the same picture.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Frames {
    /// Pictures of one run.
    pub count: usize,
    /// Each way, in the order of [`HostWay::ALL`].
    pub ways: Vec<FramesOf>,
    /// Median times of one picture's upload, kernels and read-back where each is waited for, in nanoseconds.
    pub parts_ns: [f64; 3],
    /// Median times of one picture's upload and read-back from and to pinned memory, each alone and waited for, in nanoseconds: what the bus takes. `None` where
    /// there is no such memory.
    #[serde(default)]
    pub pinned_ns: Option<[f64; 2]>,
    /// Many pictures by [`HostWay::Pinned`]; `None` where none crosses a bus.
    #[serde(default)]
    pub stream: Option<Stream>,
    /// Into how many bands [`HostWay::InBands`] cuts a picture: as many as took the least time. `None` where it cannot be cut.
    #[serde(default)]
    pub bands: Option<usize>,
    /// Other programs took the CPU.
    pub busy: bool,
}

/// Many pictures, one after the other, with one wait at the end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// How many.
    pub count: usize,
    /// Median of the time per picture of some such streams, in nanoseconds.
    pub picture_ns: f64,
    /// The same without kernels: uploads and read-backs alone, in both directions at once. In nanoseconds.
    pub bus_ns: f64,
}

/// One way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FramesOf {
    /// Which.
    pub way: HostWay,
    /// What could not be done; then there are no times.
    pub why_not: Option<Error>,
    /// Runs of all pictures, each beside one of [`HostWay::BASE`], which is the first of a pair; of that itself twice. In nanoseconds on the host's clock, to the end of the
    /// last command.
    pub pairs: Vec<Pair>,
    /// Until the last command was enqueued: what a program takes for the time that forgets to wait. Nanoseconds, for each pair.
    pub enqueued_ns: Vec<u64>,
}

impl FramesOf {
    /// The base's time over its own: 2 means that it takes half the time.
    #[must_use]
    pub fn comparison(&self) -> Comparison {
        compare(&self.pairs, Places::Own)
    }
}
