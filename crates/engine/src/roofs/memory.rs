//! Probes of memory, and the bytes that they go through.

use super::probe::{Choice, Number, Probe, Recipe, WORD_BYTES};
use super::trial::Subject;
use crate::device::{Access, Buffer, DeviceKind, GuardedBuffer, Session};
use base::error::Result;
use base::texts::failed;
use model::ProbeSetup;
use std::fmt::Display;

/// What is read and what is written, each larger than caches are.
pub struct Field {
    /// Numbers that the compiler does not know: number i is [`word`] of i.
    pub source: Buffer,
    /// What probes write.
    pub destination: GuardedBuffer,
    /// Bytes of each of the two, a power of two.
    pub bytes: usize,
}

/// Several times the largest last-level caches of GPUs.
const MOST_BYTES: usize = 512 << 20;

/// The same for the host's processor, on which a run over more takes long.
const MOST_BYTES_OF_A_CPU: usize = 256 << 20;

/// Fewer than this are in a cache, and say nothing of memory.
const FEWEST_BYTES: usize = 16 << 20;

/// Room for the guard zones of the destination.
const GUARD_BYTES: u64 = 1 << 20;

/// The source is written in parts of so many numbers.
const PART_WORDS: usize = 4 << 20;

/// Number `index` of the source: neighbors have nothing to do with each other.
pub fn word(index: usize) -> u32 {
    let mixed = (index as u32).wrapping_mul(0x9E37_79B9);
    mixed ^ (mixed >> 15)
}

impl Field {
    /// As large as the device allows, and filled.
    ///
    /// # Errors
    /// The device has too little memory, or refuses.
    pub fn new(session: &Session) -> Result<Self> {
        let info = session.info();
        let most = if info.kind == DeviceKind::Cpu { MOST_BYTES_OF_A_CPU } else { MOST_BYTES };
        // An eighth of its memory for each leaves room for other programs.
        let allowed = info.max_alloc_bytes.saturating_sub(GUARD_BYTES).min(info.global_mem_bytes / 8);
        let allowed = usize::try_from(allowed).unwrap_or(usize::MAX).min(most);
        let bytes = allowed.checked_ilog2().map_or(0, |exponent| 1 << exponent);
        if bytes < FEWEST_BYTES {
            let values: [(&str, &dyn Display); 3] = [("device", &info.name), ("allowed", &allowed), ("needed", &FEWEST_BYTES)];
            return Err(failed("errors.roofs.no-room", &values));
        }
        Self::of(session, bytes)
    }

    /// Of so many bytes, a power of two.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn of(session: &Session, bytes: usize) -> Result<Self> {
        let field = Self { source: session.buffer(bytes, Access::Read)?, destination: session.guarded_buffer(bytes)?, bytes };
        field.fill(session, word)?;
        Ok(field)
    }

    /// Writes number i of the source, for every i.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn fill(&self, session: &Session, number: impl Fn(usize) -> u32) -> Result<()> {
        let words = self.bytes / WORD_BYTES;
        let mut part = Vec::with_capacity(PART_WORDS.min(words) * WORD_BYTES);
        for first in (0..words).step_by(PART_WORDS) {
            part.clear();
            part.extend((first..words.min(first + PART_WORDS)).flat_map(|index| number(index).to_ne_bytes()));
            session.write_at(&self.source, first * WORD_BYTES, &part)?;
        }
        Ok(())
    }
}

/// Bytes of a piece of so many lanes.
fn piece_bytes(choice: Choice) -> usize {
    choice.lanes * WORD_BYTES
}

fn lanes(choice: Choice) -> (&'static str, usize) {
    ("LANES", choice.lanes)
}

/// Copying. With `wraps`, a launch over few bytes copies them again and again, so that it lasts; on a processor, cores would then write the same cache lines in
/// turn, and a launch costs little there.
pub struct Copy<'a> {
    pub session: &'a Session,
    pub field: &'a Field,
    pub wraps: bool,
}

/// A launch copies at least so many bytes where it wraps.
const LEAST_COPIED_BYTES: usize = 128 << 20;

impl<'a> Subject<'a> for Copy<'a> {
    fn probe(&self, choice: Choice, bytes: usize) -> Result<Probe<'a>> {
        let pieces = bytes / piece_bytes(choice);
        let items = if self.wraps { pieces.max(LEAST_COPIED_BYTES.min(self.field.bytes) / piece_bytes(choice)) } else { pieces };
        Probe::new(
            self.session,
            Recipe {
                file: "roofs/copy.cl",
                defines: vec![lanes(choice)],
                buffers: vec![&self.field.source, self.field.destination.buffer()],
                numbers: vec![Number::size(pieces - 1)],
                setup: ProbeSetup { lanes: choice.lanes, local: choice.local, items, bytes: 2 * bytes, is_consecutive: false },
                work: (2 * items * piece_bytes(choice)) as f64,
            },
        )
    }

    fn verify(&self, probe: &Probe<'a>) -> Result<()> {
        probe.verify(&self.field.destination, probe.setup.bytes / 2 / WORD_BYTES, word)
    }
}

/// Reading.
pub struct Read<'a> {
    pub session: &'a Session,
    pub field: &'a Field,
}

/// Pieces that a work-item adds up: `PIECES` of the kernel.
const PIECES: usize = 32;

impl<'a> Subject<'a> for Read<'a> {
    fn has_orders(&self) -> bool {
        true
    }

    fn probe(&self, choice: Choice, bytes: usize) -> Result<Probe<'a>> {
        let items = bytes / piece_bytes(choice) / PIECES;
        let Choice { is_consecutive, local, .. } = choice;
        Probe::new(
            self.session,
            Recipe {
                file: "roofs/read.cl",
                defines: vec![lanes(choice), ("PIECES", PIECES), ("CONSECUTIVE", usize::from(is_consecutive))],
                buffers: vec![&self.field.source, self.field.destination.buffer()],
                numbers: Vec::new(),
                setup: ProbeSetup { lanes: choice.lanes, local, items, bytes, is_consecutive },
                work: bytes as f64,
            },
        )
    }

    fn verify(&self, probe: &Probe<'a>) -> Result<()> {
        let ProbeSetup { lanes, items, is_consecutive, .. } = probe.setup;
        probe.verify(&self.field.destination, items * lanes, |index| {
            let (item, lane) = (index / lanes, index % lanes);
            let (first, step) = if is_consecutive { (item * PIECES, 1) } else { (item, items) };
            (0..PIECES).map(|piece| word((first + piece * step) * lanes + lane)).fold(0, u32::wrapping_add)
        })
    }
}

/// Writing.
pub struct Write<'a> {
    pub session: &'a Session,
    pub field: &'a Field,
}

/// What the first work-item writes.
const FIRST_WRITTEN: u32 = 0x1234_5678;

impl<'a> Subject<'a> for Write<'a> {
    fn probe(&self, choice: Choice, bytes: usize) -> Result<Probe<'a>> {
        Probe::new(
            self.session,
            Recipe {
                file: "roofs/write.cl",
                defines: vec![lanes(choice)],
                buffers: vec![self.field.destination.buffer()],
                numbers: vec![Number::Int(FIRST_WRITTEN.cast_signed())],
                setup: ProbeSetup {
                    lanes: choice.lanes,
                    local: choice.local,
                    items: bytes / piece_bytes(choice),
                    bytes,
                    is_consecutive: false,
                },
                work: bytes as f64,
            },
        )
    }

    fn verify(&self, probe: &Probe<'a>) -> Result<()> {
        let ProbeSetup { lanes, bytes, .. } = probe.setup;
        probe.verify(&self.field.destination, bytes / WORD_BYTES, |index| (index / lanes) as u32 + FIRST_WRITTEN)
    }
}
