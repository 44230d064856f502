//! Image objects: making, writing, reading, filling. All transfers block, as those of buffers.

use super::call::{Call, Failed, OrFailed as _};
use super::handle::{Handle, Kind};
use super::host_memory::Block;
use super::mapping::Mapping;
use super::memory::{self, check_usable, out_of_memory};
use super::session::{Inner, Session};
use super::transfer::copy_rows;
use super::{Access, DeviceInfo, HostMemory, Poison, TexelFormat, host_memory, texels};
use base::error::Result;
use base::texts::{failed, filled, misused};
use model::{ImageKind, ImageShape};
use opencl3::command_queue::{enqueue_fill_image, enqueue_read_image, enqueue_write_image};
use opencl3::device::Device;
use opencl3::memory::{CL_MAP_WRITE_INVALIDATE_REGION, cl_image_desc, cl_image_format, create_image, get_supported_image_formats};
use opencl3::types::CL_TRUE;
use std::cell::Cell;
use std::fmt::Display;
use std::ptr::null;
use std::rc::Rc;

/// An image object on one session's device.
#[derive(Debug)]
pub struct Image {
    // Before `owner`: the memory goes before its context.
    pub(super) memory: Handle,
    pub(super) owner: Rc<Inner>,
    // After `memory`, whose bytes they are: every command is waited for, so the image goes when it is released.
    _block: Option<Block>,
    host_memory: HostMemory,
    /// The host has a slice of it.
    pub(super) is_mapped: Cell<bool>,
    pub(super) access: Access,
    shape: ImageShape,
    format: TexelFormat,
}

impl Image {
    /// Width in texels.
    #[must_use]
    pub fn width(&self) -> usize {
        self.shape.width
    }

    /// Rows of texels: of all planes or layers, where there are several.
    #[must_use]
    pub fn height(&self) -> usize {
        self.shape.rows()
    }

    /// Its sides.
    #[must_use]
    pub fn shape(&self) -> ImageShape {
        self.shape
    }

    /// What a texel holds.
    #[must_use]
    pub fn format(&self) -> TexelFormat {
        self.format
    }

    /// Bytes of a row of texels without gaps.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.shape.width * self.format.bytes()
    }

    fn region(&self) -> [usize; 3] {
        [self.shape.width, self.shape.height, self.shape.depth]
    }
}

/// Where every transfer begins: it covers the whole image.
const ORIGIN: [usize; 3] = [0; 3];

impl Session {
    /// An image object of `width` × `height` texels with undefined content. One that a kernel writes and another reads is
    /// [`Access::ReadWrite`].
    ///
    /// # Errors
    /// No texels, a device without images or without this format, more texels a side than the device allows (with both sizes), or out of
    /// memory.
    pub fn image(&self, width: usize, height: usize, format: TexelFormat, access: Access) -> Result<Image> {
        self.image_in(HostMemory::Copy, width, height, format, access)
    }

    /// As [`Session::image`], with a choice of where its bytes lie for the host. Transfers of images that are mapped map, copy rows and
    /// unmap.
    ///
    /// # Errors
    /// As [`Session::image`].
    pub fn image_in(&self, host_memory: HostMemory, width: usize, height: usize, format: TexelFormat, access: Access) -> Result<Image> {
        self.new_image(host_memory, ImageShape::plane(width, height), format, access)
    }

    /// As [`Session::image`], of any shape.
    ///
    /// # Errors
    /// As [`Session::image`].
    pub fn image_of(&self, shape: ImageShape, format: TexelFormat, access: Access) -> Result<Image> {
        self.new_image(HostMemory::Copy, shape, format, access)
    }

    fn new_image(&self, host_memory: HostMemory, shape: ImageShape, format: TexelFormat, access: Access) -> Result<Image> {
        check_image(self.info(), shape, format, || self.most_sides(shape.kind))?;
        // OpenCL says of buffers alone that they lie in it (section 5.2.1): drivers may copy from a pointer that the host cannot read there.
        if !HostMemory::OF_IMAGES.contains(&host_memory) {
            return Err(failed("errors.device.svm-image", &[("device", &self.info().name)]));
        }
        self.check_format(shape.kind, format, access)?;
        let cl_format = texels::for_opencl(format);
        let description = cl_image_desc {
            image_type: texels::object_type(shape.kind),
            image_width: shape.width,
            image_height: shape.height,
            image_depth: if shape.kind == ImageKind::Volume { shape.depth } else { 0 },
            image_array_size: if shape.kind == ImageKind::Layers { shape.depth } else { 0 },
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: std::ptr::null_mut(),
        };
        let bytes = shape.texels() * format.bytes();
        let block = Block::of(host_memory, self.inner(), bytes)?;
        let pointer = block.as_ref().map_or(std::ptr::null_mut(), Block::as_ptr);
        let flags = memory::flags(access) | host_memory::flags(host_memory);
        // SAFETY: the context is alive; format and description are whole and outlive the call; a host pointer is given where the flags ask
        // for one, leads to all rows (a pitch of 0 means no gaps) and outlives the image.
        let created = Call::CreateImage.run(|| unsafe {
            create_image(self.inner().context.raw(), flags, &raw const cl_format, &raw const description, pointer.cast())
        });
        let memory = created.map_err(|failed| out_of_memory(failed, bytes, &self.info().name))?;
        let (memory, owner) = (Handle::new(Kind::Memory, memory), Rc::clone(self.inner()));
        Ok(Image { memory, owner, _block: block, host_memory, is_mapped: Cell::new(false), access, shape, format })
    }

    /// The longest sides of an image of that kind, where the device has images.
    fn most_sides(&self, kind: ImageKind) -> Result<[usize; 3]> {
        let device = Device::new(self.inner().device);
        let [width, height] = self.info().max_image_px.unwrap_or_default();
        let sides = Call::GetDeviceInfo.run(|| match kind {
            ImageKind::Plane => Ok([width, height, 1]),
            ImageKind::Volume => Ok([device.image3d_max_width()?, device.image3d_max_height()?, device.image3d_max_depth()?]),
            ImageKind::Layers => Ok::<_, opencl3::error_codes::ClError>([width, height, device.image_max_array_size()?]),
        });
        sides.or_failed(|| filled("errors.device.no-image.what", &[("device", &self.info().name)]))
    }

    /// Whether the device has images of `format` for kernels that use them so.
    fn has_format(&self, kind: ImageKind, format: TexelFormat, access: Access) -> std::result::Result<bool, Failed> {
        let (context, flags, kind) = (self.inner().context.raw(), memory::flags(access), texels::object_type(kind));
        let known = Call::GetSupportedImageFormats.run(|| get_supported_image_formats(context, flags, kind))?;
        let parts = |format: &cl_image_format| (format.image_channel_order, format.image_channel_data_type);
        Ok(known.iter().any(|other| parts(other) == parts(&texels::for_opencl(format))))
    }

    /// Whether it has images of one channel: of 8 bits to read, as integers or normalized, and of 16 bits for what one kernel hands to the next. True where the
    /// driver does not answer.
    #[must_use]
    pub fn has_gray_images(&self) -> bool {
        [(TexelFormat::R8, Access::Read), (TexelFormat::R8_UNORM, Access::Read), (TexelFormat::R16, Access::ReadWrite)]
            .into_iter()
            .all(|(format, access)| self.has_format(ImageKind::Plane, format, access).unwrap_or(true))
    }

    /// The widest use that the device allows of an image that kernels write: not every device has images of every format that are written and read.
    #[must_use]
    pub fn widest_access(&self, kind: ImageKind, format: TexelFormat) -> Access {
        let is_both = self.has_format(kind, format, Access::ReadWrite).unwrap_or(true);
        if is_both { Access::ReadWrite } else { Access::Write }
    }

    /// That the device has images of `format` for kernels that use them so.
    fn check_format(&self, kind: ImageKind, format: TexelFormat, access: Access) -> Result<()> {
        let device = &self.info().name;
        if self.has_format(kind, format, access).or_failed(|| filled("errors.device.no-image.what", &[("device", device)]))? {
            return Ok(());
        }
        let key = match access {
            Access::Read => "errors.device.image-format-to-read",
            Access::Write => "errors.device.image-format-to-write",
            Access::ReadWrite => "errors.device.image-format-to-read-and-write",
        };
        Err(failed(key, &[("device", device), ("format", &format.label())]))
    }

    /// Writes the whole `image` from rows that lie `pitch_bytes` apart in `bytes`.
    ///
    /// # Errors
    /// A pitch shorter than a row, too few bytes, or the driver's refusal.
    pub fn write_image(&self, image: &Image, pitch_bytes: usize, bytes: &[u8]) -> Result<()> {
        self.check_rows(image, pitch_bytes, bytes.len())?;
        if image.host_memory.is_mapped() {
            let (mut mapping, mapped_pitch) = Mapping::of_image(self, image, CL_MAP_WRITE_INVALIDATE_REGION)?;
            copy_rows(bytes, pitch_bytes, mapping.bytes_mut(), mapped_pitch, image.row_bytes());
            return mapping.unmap();
        }
        let (memory, region) = (image.memory.raw(), image.region());
        // SAFETY: origin and region have three numbers and are the whole image, which belongs to this queue's context; all rows lie in
        // `bytes` (both checked above), and the call returns only after they were read.
        self.enqueue(Call::EnqueueWriteImage, bytes.len(), |queue| unsafe {
            let from = bytes.as_ptr().cast_mut().cast();
            enqueue_write_image(queue, memory, CL_TRUE, ORIGIN.as_ptr(), region.as_ptr(), pitch_bytes, 0, from, 0, null())
        })
    }

    /// Reads the whole `image` into `bytes`, rows without gaps.
    ///
    /// # Errors
    /// Fewer bytes than it has, or the driver's refusal.
    pub fn read_image(&self, image: &Image, bytes: &mut [u8]) -> Result<()> {
        self.check_rows(image, image.row_bytes(), bytes.len())?;
        let (memory, region) = (image.memory.raw(), image.region());
        // SAFETY: as in `write_image`; the bytes are borrowed exclusively until the call returns.
        self.enqueue(Call::EnqueueReadImage, bytes.len(), |queue| unsafe {
            let to = bytes.as_mut_ptr().cast();
            enqueue_read_image(queue, memory, CL_TRUE, ORIGIN.as_ptr(), region.as_ptr(), 0, 0, to, 0, null())
        })
    }

    /// Sets every byte of every texel to one of the poison's, see `texels::color`.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn poison_image(&self, image: &Image, poison: &Poison) -> Result<()> {
        self.check_image_owner(image)?;
        let channel = texels::color(image.format.channel, poison);
        let (color, memory, region) = ([channel; 4], image.memory.raw(), image.region());
        // SAFETY: a color of any format is four 32-bit numbers; origin and region are the whole image, of this queue's context.
        self.enqueue(Call::EnqueueFillImage, image.row_bytes() * image.height(), |queue| unsafe {
            enqueue_fill_image(queue, memory, color.as_ptr().cast(), ORIGIN.as_ptr(), region.as_ptr(), 0, null())
        })
    }

    /// That `image` is of this session, and that `len` bytes hold its rows at `pitch_bytes`.
    fn check_rows(&self, image: &Image, pitch_bytes: usize, len: usize) -> Result<()> {
        self.check_image_owner(image)?;
        let row_bytes = image.row_bytes();
        let needed = pitch_bytes.saturating_mul(image.height() - 1).saturating_add(row_bytes);
        if pitch_bytes >= row_bytes && len >= needed {
            return Ok(());
        }
        let values: [(&str, &dyn Display); 4] =
            [("bytes", &len), ("rows", &image.height()), ("row_bytes", &row_bytes), ("pitch_bytes", &pitch_bytes)];
        Err(misused("errors.device.texels", &values))
    }

    /// That `image` keeps its texels on the device and has these rows, and that they fit into `pitch_bytes`.
    pub(super) fn check_rows_of(&self, image: &Image, first_row: usize, count: usize, pitch_bytes: usize) -> Result<()> {
        self.check_image_owner(image)?;
        if image.host_memory != HostMemory::Copy {
            return Err(misused("errors.device.is-mapped", &[]));
        }
        if pitch_bytes >= image.row_bytes() && first_row.checked_add(count).is_some_and(|end| end <= image.height()) {
            return Ok(());
        }
        let (rows, row_bytes, len) = (first_row + count, image.row_bytes(), count * pitch_bytes);
        let values: [(&str, &dyn Display); 4] =
            [("bytes", &len), ("rows", &rows), ("row_bytes", &row_bytes), ("pitch_bytes", &pitch_bytes)];
        Err(misused("errors.device.texels", &values))
    }

    /// That `image` belongs to this session's context, and is not in the host's hands.
    pub(super) fn check_image_owner(&self, image: &Image) -> Result<()> {
        check_usable(&image.owner, self.inner(), &image.is_mapped)
    }
}

/// That the device of `info` can have an image of `width` × `height` texels.
///
/// # Errors
/// Why not, with both numbers.
pub fn check_image_size(info: &DeviceInfo, width: usize, height: usize, format: TexelFormat) -> Result<()> {
    let [max_width, max_height] = info.max_image_px.unwrap_or_default();
    check_image(info, ImageShape::plane(width, height), format, || Ok([max_width, max_height, 1]))
}

/// That the device of `info` can have such an image, whose sides are at most `most`, where it has any.
fn check_image(info: &DeviceInfo, shape: ImageShape, format: TexelFormat, most: impl FnOnce() -> Result<[usize; 3]>) -> Result<()> {
    let device = &info.name;
    let sides = [shape.width, shape.height, shape.depth];
    if sides.contains(&0) {
        return Err(misused("errors.device.image-empty", &[("device", device), ("size", &shape.label())]));
    }
    if info.max_image_px.is_none() {
        return Err(failed("errors.device.no-images", &[("device", device)]));
    }
    let most = most()?;
    if sides.iter().zip(&most).any(|(side, most)| side > most) {
        let [width, height, depth] = most;
        let values: [(&str, &dyn Display); 3] =
            [("device", device), ("size", &shape.label()), ("most", &ImageShape { width, height, depth, ..shape }.label())];
        return Err(failed("errors.device.image-sides", &values));
    }
    let bytes = shape.texels().saturating_mul(format.bytes());
    if bytes as u64 > info.max_alloc_bytes {
        return Err(failed("errors.device.image-bytes", &[("device", device), ("bytes", &bytes), ("limit", &info.max_alloc_bytes)]));
    }
    Ok(())
}
