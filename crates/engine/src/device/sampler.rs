//! Samplers that the host makes, for kernels that take one.

use super::call::{Call, OrFailed as _};
use super::handle::{Handle, Kind};
use super::session::{Inner, Session};
use base::error::Result;
use base::texts::filled;
use model::{AddressMode, Sampling};
use opencl3::context::Context;
use opencl3::device::Device;
use opencl3::memory::{
    CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_MIRRORED_REPEAT, CL_ADDRESS_NONE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR,
    CL_FILTER_NEAREST, Sampler as Wrapped,
};
use std::mem::ManuallyDrop;
use std::rc::Rc;

/// A sampler on one session's device.
#[derive(Debug)]
pub struct Sampler {
    // Before `owner`: the sampler goes before its context.
    pub(super) handle: Handle,
    pub(super) owner: Rc<Inner>,
}

impl Session {
    /// Makes a sampler, by the call of OpenCL 1.2, because 1.2 drivers lack its successor.
    ///
    /// # Errors
    /// The driver's refusal: not every device has image objects.
    pub fn sampler(&self, sampling: Sampling) -> Result<Sampler> {
        let mode = match sampling.address {
            AddressMode::None => CL_ADDRESS_NONE,
            AddressMode::Clamp => CL_ADDRESS_CLAMP,
            AddressMode::ClampToEdge => CL_ADDRESS_CLAMP_TO_EDGE,
            AddressMode::Repeat => CL_ADDRESS_REPEAT,
            AddressMode::MirroredRepeat => CL_ADDRESS_MIRRORED_REPEAT,
        };
        let filter = if sampling.is_linear { CL_FILTER_LINEAR } else { CL_FILTER_NEAREST };
        // The wrapper borrows the context for this call: it must not release what the session owns, nor the sampler that is owned below.
        let context = ManuallyDrop::new(Context::wrap_cl_context(self.inner().context.raw(), &Device::new(self.inner().device)));
        let made = Call::CreateSampler.run(|| Wrapped::create(&context, u32::from(sampling.is_normalized), mode, filter));
        let made = ManuallyDrop::new(made.or_failed(|| filled("errors.device.no-sampler.what", &[("device", &self.info().name)]))?);
        Ok(Sampler { handle: Handle::new(Kind::Sampler, made.get()), owner: Rc::clone(self.inner()) })
    }
}
