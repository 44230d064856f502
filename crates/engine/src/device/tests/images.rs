//! Image objects.

use super::session;
use crate::device::image::check_image_size;
use crate::device::mapping::Mapping;
use crate::device::transfer::copy_rows;
use crate::device::{Access, Arg, Built, CacheSettings, Image, Poison, Session};
use model::{ChannelOrder, ChannelType, HostMemory, ImageKind, ImageShape, TexelFormat};
use opencl3::memory::CL_MAP_READ;

const FORMATS: [TexelFormat; 4] = [TexelFormat::R8, TexelFormat::RGBA8, TexelFormat::R16, TexelFormat::RGBA16];

/// Each texel of the target is its right neighbor in the source, the last one itself; of four channels the order is turned.
const SHIFT: &str = "__constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__kernel void shift(__read_only image2d_t source, __write_only image2d_t target) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (at.x >= get_image_width(target) || at.y >= get_image_height(target)) return;
    uint4 texel = read_imageui(source, NEAREST, at + (int2)(1, 0));
    write_imageui(target, at, get_image_channel_order(source) == CLK_RGBA ? texel.wzyx : texel);
}
";

fn built() -> (Session, Built) {
    let session = session(&CacheSettings::off());
    let built = session.build(SHIFT, "", "shift").expect("builds");
    (session, built)
}

/// Texels of `bytes` bytes of which all differ, in rows `pitch_bytes` apart with 77 between them.
fn rows(width: usize, height: usize, bytes: usize, pitch_bytes: usize) -> Vec<u8> {
    let mut rows = vec![77; pitch_bytes * height];
    for (y, row) in rows.chunks_exact_mut(pitch_bytes).enumerate() {
        for (x, byte) in row[..width * bytes].iter_mut().enumerate() {
            *byte = (x * 7 + y * 31) as u8;
        }
    }
    rows
}

/// What `image` holds, rows without gaps.
pub(super) fn texels(session: &Session, image: &Image) -> Vec<u8> {
    let (mapping, pitch_bytes) = Mapping::of_image(session, image, CL_MAP_READ).expect("mapped");
    let mut bytes = vec![0; image.row_bytes() * image.height()];
    copy_rows(mapping.bytes(), pitch_bytes, &mut bytes, image.row_bytes(), image.row_bytes());
    mapping.unmap().expect("unmapped");
    bytes
}

#[test]
fn no_image_lies_in_shared_virtual_memory() {
    let session = session(&CacheSettings::off());
    let refused = session.image_in(HostMemory::Shared, 4, 3, TexelFormat::RGBA8, Access::Read).expect_err("for buffers alone");
    assert!(refused.why.contains("image objects cannot") && refused.remedy.contains("copy"), "{refused:?}");
}

#[test]
fn every_format_is_written_read_by_kernels_and_read_back() {
    let (session, built) = built();
    let (width, height) = (9, 5);
    for (format, host_memory) in FORMATS.into_iter().flat_map(|format| HostMemory::OF_IMAGES.map(|host_memory| (format, host_memory))) {
        let bytes = format.bytes();
        let pitch_bytes = (width + 3) * bytes;
        let source = session.image_in(host_memory, width, height, format, Access::Read).expect("small");
        let target = session.image_in(host_memory, width, height, format, Access::Write).expect("small");
        assert_eq!((source.width(), source.height(), source.row_bytes()), (width, height, width * bytes));
        let whole = rows(width, height, bytes, pitch_bytes);
        session.write_image(&source, pitch_bytes, &whole[..pitch_bytes * height - 3 * bytes]).expect("the last row has no gap behind");
        session.poison_image(&target, &Poison::random()).expect("fills");
        session.run(&built, &[Arg::Image(&source), Arg::Image(&target)], [width, height], Some([4, 2])).expect("runs");
        let output = texels(&session, &target);
        for (y, (row, expected)) in output.chunks_exact(width * bytes).zip(whole.chunks_exact(pitch_bytes)).enumerate() {
            for x in 0..width {
                let from = (x + 1).min(width - 1) * bytes;
                let mut texel = expected[from..from + bytes].to_vec();
                if matches!(format, TexelFormat::RGBA8 | TexelFormat::RGBA16) {
                    texel = texel.chunks_exact(bytes / 4).rev().flatten().copied().collect();
                }
                assert_eq!(row[x * bytes..(x + 1) * bytes], texel, "{format:?} {host_memory} at {x}, {y}");
            }
        }
    }
}

#[test]
fn an_image_between_two_passes_is_written_and_then_read() {
    let (session, built) = built();
    let image = |access| session.image(6, 1, TexelFormat::R16, access).expect("small");
    let (source, between, target) = (image(Access::Read), image(Access::ReadWrite), image(Access::Write));
    let sent: Vec<u8> = [500_u16, 40_000, 65_535, 7, 0, 1234].into_iter().flat_map(u16::to_ne_bytes).collect();
    session.write_image(&source, sent.len(), &sent).expect("fits");
    session.run(&built, &[Arg::Image(&source), Arg::Image(&between)], [6, 1], None).expect("runs");
    session.run(&built, &[Arg::Image(&between), Arg::Image(&target)], [6, 1], None).expect("runs");
    let numbers: Vec<u16> =
        texels(&session, &target).chunks_exact(2).map(|bytes| u16::from_ne_bytes(bytes.try_into().expect("two"))).collect();
    assert_eq!(numbers, [65_535, 7, 0, 1234, 1234, 1234]);
}

#[test]
fn filling_reaches_every_byte_of_every_format() {
    let (session, _) = built();
    let poison = Poison::random();
    for format in FORMATS {
        let image = session.image(5, 3, format, Access::ReadWrite).expect("small");
        session.poison_image(&image, &poison).expect("fills");
        let bytes = texels(&session, &image);
        assert_eq!(bytes.len(), image.row_bytes() * 3);
        assert!(bytes.iter().all(|&byte| byte == poison.byte()), "{format:?}: {bytes:?}");
    }
    for channel in ChannelType::ALL {
        let format = TexelFormat { order: ChannelOrder::Rgba, channel };
        let image = session.image(5, 3, format, Access::ReadWrite).expect("every device has these");
        session.poison_image(&image, &poison).expect("fills");
        let mut bytes = vec![0; image.row_bytes() * 3];
        session.read_image(&image, &mut bytes).expect("reads");
        // A half is the byte's value, which is no small number: the first bits of its exponent are 100.
        let is_filled = |pair: &[u8]| if channel == ChannelType::Half { pair[1] >> 2 >= 19 } else { pair == [poison.byte(); 2] };
        assert!(bytes.chunks_exact(2).all(is_filled), "{format:?}: {bytes:?} instead of {}", poison.byte());
    }
}

#[test]
fn volumes_and_layers_are_written_and_read_back_within_the_devices_sizes() {
    let (session, _) = built();
    for kind in [ImageKind::Volume, ImageKind::Layers] {
        let shape = ImageShape { kind, width: 5, height: 3, depth: 4 };
        let image = session.image_of(shape, TexelFormat::RGBA16, Access::ReadWrite).expect("small");
        assert_eq!((image.shape(), image.height(), image.row_bytes()), (shape, 12, 40));
        let whole = rows(5, 12, 8, 40);
        session.write_image(&image, 40, &whole).expect("fits");
        let mut bytes = vec![0; whole.len()];
        session.read_image(&image, &mut bytes).expect("reads");
        assert_eq!(bytes, whole, "{kind:?}");
        assert!(session.read_image(&image, &mut bytes[1..]).is_err(), "one byte short");
        let deep = session.image_of(ImageShape { depth: 1 << 30, ..shape }, TexelFormat::R8, Access::Read).expect_err("too deep");
        assert!(deep.why.starts_with("it needs 5 × 3 × 1073741824 texels"), "{}", deep.why);
        assert!(session.image_of(ImageShape { depth: 0, ..shape }, TexelFormat::R8, Access::Read).is_err());
    }
}

#[test]
fn images_and_buffers_are_not_taken_for_each_other_nor_for_another_use() {
    let (session, built) = built();
    let image = |access| session.image(4, 4, TexelFormat::R8, access).expect("small");
    let (read, write, both) = (image(Access::Read), image(Access::Write), image(Access::ReadWrite));
    let buffer = session.buffer(16, Access::ReadWrite).expect("small");
    let run = |source, target| session.run(&built, &[source, target], [4, 4], None).map_err(|error| error.why);
    run(Arg::Image(&read), Arg::Image(&write)).expect("right");
    run(Arg::Image(&both), Arg::Image(&write)).expect("may also be written");
    let refused = run(Arg::Image(&write), Arg::Image(&write)).expect_err("cannot be read");
    assert_eq!(refused, "argument 0 is declared as read_only image2d_t, but an image to write was given");
    assert!(run(Arg::Image(&read), Arg::Image(&read)).is_err(), "cannot be written");
    assert!(run(Arg::Buffer(&buffer), Arg::Image(&write)).is_err(), "a buffer is no image");
    let copy = "__kernel void one(__global uchar *target) { target[0] = 1; }";
    let copy = session.build(copy, "", "one").expect("builds");
    assert!(session.run(&copy, &[Arg::Image(&both)], [1, 1], None).is_err(), "an image is no buffer");
    let other = super::session(&CacheSettings::off());
    let foreign = other.image(4, 4, TexelFormat::R8, Access::Write).expect("small");
    assert!(run(Arg::Image(&read), Arg::Image(&foreign)).is_err(), "another session's image");
    assert!(session.poison_image(&foreign, &Poison::random()).is_err(), "another session's image");
}

#[test]
fn images_keep_to_the_devices_sizes_and_transfers_to_the_images() {
    let (session, _) = built();
    let [max_width, max_height] = session.info().max_image_px.expect("this device has images");
    session.image(max_width, 1, TexelFormat::R8, Access::Read).expect("the widest");
    for (width, height) in [(max_width + 1, 1), (1, max_height + 1)] {
        let refused = session.image(width, height, TexelFormat::R8, Access::Read).expect_err("too large");
        let expected = format!("it needs {width} × {height} texels, and the device limit is {max_width} × {max_height}");
        assert_eq!(refused.why, expected);
        assert_eq!(refused.remedy, "choose a smaller picture, or turn image objects off");
    }
    assert!(session.image(0, 1, TexelFormat::R8, Access::Read).is_err());
    assert!(session.image(1, 0, TexelFormat::R8, Access::Read).is_err());
    let image = session.image(4, 3, TexelFormat::RGBA8, Access::Read).expect("small");
    session.write_image(&image, 20, &[1; 56]).expect("ends with the last row");
    let refused = session.write_image(&image, 20, &[1; 55]).expect_err("one byte short").why;
    assert_eq!(refused, "55 bytes are too few for 3 rows of 16 bytes at a pitch of 20");
    assert!(session.write_image(&image, 15, &[0; 64]).is_err(), "rows longer than the pitch");
    assert!(session.write_image(&image, usize::MAX, &[0; 64]).is_err());
}

#[test]
fn a_device_without_images_or_with_too_little_memory_says_so() {
    let (session, _) = built();
    let mut info = session.info().clone();
    info.max_alloc_bytes = 100;
    assert!(check_image_size(&info, 5, 5, TexelFormat::RGBA8).is_ok(), "exactly 100 bytes");
    let refused = check_image_size(&info, 26, 1, TexelFormat::RGBA8).expect_err("too many bytes");
    assert_eq!(refused.why, "it needs 104 bytes, and the device limit is 100");
    info.max_image_px = None;
    assert_eq!(check_image_size(&info, 1, 1, TexelFormat::R8).expect_err("no images").why, "this device does not support image objects");
}
