//! Memory of a project on a device: a buffer, or an image object.

use crate::device::{Access, Arg, GuardedBuffer, Image, Poison, Session};
use base::error::{Error, ErrorKind, Result};
use base::texts::failed;
use kernels::project::{Memory, Role, Scratch, Texels};
use std::fmt::Display;

/// A buffer between guard bytes, or an image. A write outside of an image does not happen: OpenCL drops it, so nothing has to be guarded.
pub(super) enum Held {
    Buffer(GuardedBuffer),
    Image(Image),
}

impl Held {
    /// Memory of a problem, not yet filled.
    pub(super) fn of(session: &Session, memory: &Memory) -> Result<Self> {
        let Some(texels) = memory.texels else { return session.guarded_buffer(memory.len_bytes()).map(Self::Buffer) };
        let access = match memory.role {
            Role::Input => Access::Read,
            Role::Both => Access::ReadWrite,
            // One kernel may write it, and the next one read it.
            Role::Output => session.widest_access(texels.shape.kind, texels.format),
        };
        Self::image(session, &memory.name, texels, access)
    }

    /// Memory that only kernels see.
    pub(super) fn of_scratch(session: &Session, scratch: &Scratch) -> Result<Self> {
        match scratch.texels {
            None => session.guarded_buffer(scratch.bytes).map(Self::Buffer),
            Some(texels) => Self::image(session, &scratch.name, texels, Access::ReadWrite),
        }
    }

    fn image(session: &Session, name: &str, texels: Texels, access: Access) -> Result<Self> {
        session.image_of(texels.shape, texels.format, access).map(Self::Image).map_err(|error| {
            if error.kind == ErrorKind::Lost {
                return error;
            }
            // What the error says to do is for filters.
            let values: [(&str, &dyn Display); 3] = [("name", &name), ("what", &error.what), ("why", &error.why)];
            Error { detail: error.detail.clone(), ..failed("errors.project.no-image", &values) }
        })
    }

    /// Fills it.
    pub(super) fn write(&self, session: &Session, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Buffer(buffer) => session.write(buffer.buffer(), bytes),
            Self::Image(image) => session.write_image(image, image.row_bytes(), bytes),
        }
    }

    /// Fills it with what no kernel would write.
    pub(super) fn poison(&self, session: &Session, poison: &Poison) -> Result<()> {
        match self {
            Self::Buffer(buffer) => session.poison(buffer.buffer(), poison),
            Self::Image(image) => session.poison_image(image, poison),
        }
    }

    /// What it holds.
    pub(super) fn read(&self, session: &Session, bytes: &mut [u8]) -> Result<()> {
        match self {
            Self::Buffer(buffer) => session.read(buffer.buffer(), bytes),
            Self::Image(image) => session.read_image(image, bytes),
        }
    }

    /// That nothing was written outside of it.
    pub(super) fn check_guards(&self, session: &Session) -> Result<()> {
        match self {
            Self::Buffer(buffer) => session.check_guards(buffer),
            Self::Image(_) => Ok(()),
        }
    }

    /// As kernels take it.
    pub(super) fn argument(&self) -> Arg<'_> {
        match self {
            Self::Buffer(buffer) => Arg::Buffer(buffer.buffer()),
            Self::Image(image) => Arg::Image(image),
        }
    }
}
