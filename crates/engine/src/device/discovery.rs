//! All devices of all platforms, the best first.

use super::call::{Call, Failed, code_name};
use super::registered::{self, Registered};
use super::{DeviceInfo, DeviceKind, MOST_SUB_GROUP, NoDevice, loader, user_cache};
use base::texts::{self, filled};
use opencl3::device::{
    CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_GPU, CL_LOCAL, Device,
};
use opencl3::error_codes::{CL_DEVICE_NOT_FOUND, ClError};
use opencl3::platform::Platform;
use opencl3::types::{cl_device_id, cl_device_type};
use std::sync::{Mutex, PoisonError};

/// Held while discovering: the first questions make a driver set itself up, and PoCL 3.1 crashes where two threads ask them together.
static DISCOVERING: Mutex<()> = Mutex::new(());

/// The devices that were there at the last look. Look again by discovering again.
#[derive(Debug)]
pub struct Devices {
    infos: Vec<DeviceInfo>,
    ids: Vec<cl_device_id>,
    problems: Vec<String>,
}

impl Devices {
    /// Looks for all devices of all platforms, GPUs first, then more compute units first. May be called again at any time, also after
    /// a loader or driver was installed.
    ///
    /// A platform or device that fails is left out and named in [`Devices::problems`].
    ///
    /// # Errors
    /// Why there is none, for [`super::install_help`].
    pub fn discover() -> Result<Self, NoDevice> {
        let _one_at_a_time = DISCOVERING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        let ids = loader::platform_ids().map_err(|none| if none == NoDevice::NoDriver { silent_drivers() } else { none })?;
        let mut problems = Vec::new();
        let registered = registered::registered();
        if registered.len() > ids.len() {
            problems.extend(registered.iter().filter_map(Registered::complaint));
        }
        for platform in ids.into_iter().map(Platform::new) {
            if let Err(problem) = list_platform(platform, &mut found, &mut problems) {
                problems.push(problem);
            }
        }
        if found.is_empty() {
            return Err(if problems.is_empty() {
                NoDevice::NoDriver
            } else {
                NoDevice::DriverFailed(texts::joined("words.list.clauses", problems))
            });
        }
        problems.extend(user_cache::cache_notice());
        found.sort_by_key(|(info, _)| (info.kind, std::cmp::Reverse(info.compute_units)));
        let (mut infos, ids): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        for (index, info) in infos.iter_mut().enumerate() {
            info.index = index;
        }
        Ok(Self { infos, ids, problems })
    }

    /// What is known of each, the best first; the position is the index for [`super::Session::open`].
    #[must_use]
    pub fn infos(&self) -> &[DeviceInfo] {
        &self.infos
    }

    /// Notes what a session has shown of the device at `index`, and its description does not say.
    pub fn note(&mut self, index: usize, note: impl FnOnce(&mut DeviceInfo)) {
        if let Some(info) = self.infos.get_mut(index) {
            note(info);
        }
    }

    /// Drivers, platforms and devices that were left out, and what else is not as it should be: a clause for each with its reason.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The device at `index`.
    pub(super) fn get(&self, index: usize) -> Option<(&DeviceInfo, cl_device_id)> {
        Some((self.infos.get(index)?, *self.ids.get(index)?))
    }
}

/// Why there is no platform: no driver is registered, those that are offer none, or the loader does not list what they offer.
fn silent_drivers() -> NoDevice {
    let complaints: Vec<String> =
        registered::registered().iter().map(|driver| driver.complaint().unwrap_or_else(|| driver.skipped())).collect();
    if complaints.is_empty() { NoDevice::NoDriver } else { NoDevice::NoPlatform(complaints) }
}

/// Adds the devices of `platform` to `found`; a device that fails goes to `problems`.
fn list_platform(platform: Platform, found: &mut Vec<(DeviceInfo, cl_device_id)>, problems: &mut Vec<String>) -> Result<(), String> {
    let named = Call::GetPlatformInfo.run(|| platform.name());
    let name = named.map_err(|failed| filled("errors.driver.no-name", &[("code", &code_name(failed.code))]))?;
    let refused = |failed: Failed| filled("errors.driver.no-list", &[("platform", &name.trim()), ("code", &code_name(failed.code))]);
    let ids = match Call::GetDeviceIDs.run(|| platform.get_devices(CL_DEVICE_TYPE_ALL)) {
        Err(Failed { code: CL_DEVICE_NOT_FOUND, .. }) => Vec::new(),
        other => other.map_err(refused)?,
    };
    if ids.is_empty() {
        return Err(filled("errors.driver.no-device", &[("platform", &name.trim())]));
    }
    for id in ids {
        let device = Device::new(id);
        let (is_available, has_compiler) =
            (Call::GetDeviceInfo.run(|| device.available()), Call::GetDeviceInfo.run(|| device.compiler_available()));
        if is_available == Ok(false) || has_compiler == Ok(false) {
            let left_out = Call::GetDeviceInfo.run(|| device.name()).unwrap_or_default();
            problems.push(filled("errors.driver.unavailable", &[("device", &left_out.trim()), ("platform", &name.trim())]));
            continue;
        }
        match Call::GetDeviceInfo.run(|| describe(platform, device)) {
            Ok(info) => found.push((info, id)),
            Err(failed) => {
                problems.push(filled("errors.driver.no-limits", &[("platform", &name.trim()), ("code", &code_name(failed.code))]));
            }
        }
    }
    Ok(())
}

/// Everything we want to know of `device`. What only newer versions answer falls back to "no" or 0.
fn describe(platform: Platform, device: Device) -> Result<DeviceInfo, ClError> {
    let mut extensions: Vec<String> = device.extensions()?.split_whitespace().map(str::to_owned).collect();
    extensions.sort_unstable();
    let sizes = device.max_work_item_sizes()?;
    let size = |dimension: usize| sizes.get(dimension).copied().unwrap_or(1);
    let has_images = device.image_support().unwrap_or(false);
    Ok(DeviceInfo {
        host: None,
        index: 0,
        platform: platform.name()?.trim().to_owned(),
        platform_version: platform.version()?.trim().to_owned(),
        name: device.name()?.trim().to_owned(),
        vendor: device.vendor()?.trim().to_owned(),
        driver_version: device.driver_version()?.trim().to_owned(),
        opencl_version: device.version()?.trim().to_owned(),
        opencl_c_version: device.opencl_c_version().unwrap_or_default().trim().to_owned(),
        kind: kind(device.dev_type()?),
        compute_units: device.max_compute_units()?,
        clock_mhz: device.max_clock_frequency().unwrap_or(0),
        max_work_group_size: device.max_work_group_size()?,
        max_work_item_sizes: [size(0), size(1), size(2)],
        local_mem_bytes: usize::try_from(device.local_mem_size()?).unwrap_or(usize::MAX),
        local_mem_is_dedicated: device.local_mem_type()? == CL_LOCAL,
        global_mem_bytes: device.global_mem_size()?,
        max_alloc_bytes: device.max_mem_alloc_size()?,
        // The specification gives it in bits.
        base_align_bytes: (device.mem_base_addr_align()? as usize / 8).max(1),
        timer_resolution_ns: device.profiling_timer_resolution().unwrap_or(0),
        max_image_px: if has_images { Some([device.image2d_max_width()?, device.image2d_max_height()?]) } else { None },
        has_fp16: extensions.iter().any(|extension| extension == "cl_khr_fp16"),
        // It takes a run to know, see `crate::roofs::half_lanes`.
        has_half_lanes: false,
        lacks_gray_images: false,
        lacks_fma: false,
        compute_capability: compute_capability(device, &extensions),
        sub_group_sizes: sub_group_sizes(device, &extensions),
        cache_line_bytes: device.global_mem_cacheline_size().unwrap_or(0),
        has_unified_memory: device.host_unified_memory().unwrap_or(false),
        extensions,
    })
}

/// Work-items of a sub-group, where the device has an extension that tells them: AMD's wavefronts, NVIDIA's warps, and all that Intel's compiler chooses from.
fn sub_group_sizes(device: Device, extensions: &[String]) -> Vec<usize> {
    const WARP_SIZE_NV: u32 = 0x4003;
    const WAVEFRONT_WIDTH_AMD: u32 = 0x4043;
    const SUB_GROUP_SIZES_INTEL: u32 = 0x4108;
    let has = |wanted: &str| extensions.iter().any(|extension| extension == wanted);
    let told = |name: u32| device.get_data(name).unwrap_or_default();
    let one = |bytes: &[u8]| bytes.first_chunk::<4>().map(|width| u32::from_ne_bytes(*width) as usize).into_iter().collect();
    let sizes: Vec<usize> = if has("cl_amd_device_attribute_query") {
        one(&told(WAVEFRONT_WIDTH_AMD))
    } else if has("cl_nv_device_attribute_query") {
        one(&told(WARP_SIZE_NV))
    } else if has("cl_intel_required_subgroup_size") {
        let bytes = told(SUB_GROUP_SIZES_INTEL);
        // A `size_t` each.
        let (sizes, _) = bytes.as_chunks::<{ size_of::<usize>() }>();
        sizes.iter().map(|size| usize::from_ne_bytes(*size)).collect()
    } else {
        Vec::new()
    };
    sizes.into_iter().filter(|size| (1..=MOST_SUB_GROUP).contains(size)).collect()
}

/// NVIDIA's, where the device has the extension that tells it.
fn compute_capability(device: Device, extensions: &[String]) -> Option<[u32; 2]> {
    let is_known = extensions.iter().any(|extension| extension == "cl_nv_device_attribute_query");
    let capability = || Some([device.compute_capability_major_nv().ok()?, device.compute_capability_minor_nv().ok()?]);
    if is_known { capability() } else { None }
}

/// The one kind that is claimed. A simulator that claims to be all of them at once is none: it must not become the default GPU.
fn kind(claimed: cl_device_type) -> DeviceKind {
    match claimed & !CL_DEVICE_TYPE_DEFAULT {
        CL_DEVICE_TYPE_GPU => DeviceKind::Gpu,
        CL_DEVICE_TYPE_ACCELERATOR => DeviceKind::Accelerator,
        CL_DEVICE_TYPE_CPU => DeviceKind::Cpu,
        _ => DeviceKind::Other,
    }
}
