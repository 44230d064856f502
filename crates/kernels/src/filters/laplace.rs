//! Laplace sharpen: what its definition in `kernels/laplace/` cannot say.

mod footprint;

use super::attached::Attached;
use super::{Grid, ReferenceRows};
use kernel_ladder_cpu::filters::laplace as cpu;
use kernel_ladder_cpu::reference::laplace as reference;

/// How far a neighbor is.
const RADIUS_PX: usize = 1;

/// The plain reference.
const REFERENCE: ReferenceRows = |picture, border, _, rows| reference::rows(picture.pixels(), border, rows);

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(REFERENCE),
    cpu: Some(|job, _| cpu::run(job)),
    footprint: Some(&footprint::footprint),
    drawing: |_| vec![Grid::asked("laplace", RADIUS_PX, REFERENCE)],
    ..Attached::NONE
};

/// Bytes that a work-item loads at once: its pixels, rounded up to the lanes of one vector, or to 16 + 8.
fn vector_bytes(bytes: usize) -> usize {
    match bytes {
        0..=4 => bytes,
        5..=8 => 8,
        9..=16 => 16,
        _ => bytes.next_multiple_of(8),
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Laplace.filter()
    }

    fn gray(width: usize, height: usize, bytes: &[u8]) -> Picture {
        Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture")
    }

    fn filtered(picture: &Picture, border: BorderMode) -> Vec<u8> {
        filter().reference(picture, border, &Parameters::default()).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn three_by_three_by_hand() {
        let picture = gray(3, 3, &[10, 20, 30, 40, 50, 60, 70, 80, 90]);
        // Center: 9·50 − (10+20+30+40+60+70+80+90) = 450 − 400 = 50.
        assert_eq!(filtered(&picture, BorderMode::Copy), [10, 20, 30, 40, 50, 60, 70, 80, 90]);
        // Top left, replicate: neighbors 10 10 20 / 10 . 20 / 40 40 50 sum to 200; 9·10 − 200 < 0 saturates.
        // Bottom right, replicate: neighbors 50 60 60 / 80 . 90 / 80 90 90 sum to 600; 9·90 − 600 = 210.
        let replicate = filtered(&picture, BorderMode::Replicate);
        assert_eq!((replicate[0], replicate[8]), (0, 210));
        // Top left, reflect101: neighbors 50 40 50 / 20 . 20 / 50 40 50 sum to 320; saturates to 0.
        // Bottom right, reflect101: neighbors 50 60 50 / 80 . 80 / 50 60 50 sum to 480; 810 − 480 = 330 saturates to 255.
        let reflect = filtered(&picture, BorderMode::Reflect101);
        assert_eq!((reflect[0], reflect[8]), (0, 255));
    }

    #[test]
    fn one_pixel_is_itself_in_every_border_mode() {
        for border in BorderMode::ALL {
            assert_eq!(filtered(&gray(1, 1, &[77]), border), [77], "{border:?}");
        }
    }

    #[test]
    fn channels_do_not_mix() {
        let picture = Picture::from_fn(3, 3, Channels::Rgb, |x, y, channel| if (x, y, channel) == (1, 1, 1) { 20 } else { 0 });
        let bytes = filtered(&picture, BorderMode::Copy);
        assert_eq!(bytes.iter().map(|&byte| usize::from(byte)).sum::<usize>(), 180);
        assert_eq!(bytes[4 * 3 + 1], 180);
    }

    #[test]
    fn counts_are_those_that_a_simulator_counted() {
        // Oclgrind's instruction counts gave 27, 1.81, 1.21 and 0.76 loads a pixel: the surplus is that of blocks at the rows' ends. The next one
        // is by hand: (4 + 2) / 4 rows of two loads for 8 pixels.
        for (name, loads, loaded_bytes, stores) in [
            ("naive", 27.0, 27.0, 3.0),
            ("padded+vectorize=5", 1.8, 28.8, 0.8),
            ("padded+vectorize=5+merged", 1.2, 19.2, 0.8),
            ("padded+vectorize=8+merged", 0.75, 12.0, 0.25),
            ("padded+vectorize=8+merged+rows=4", 0.375, 6.0, 0.25),
            // By hand, too: nine texels of four bytes, and (4 + 2) / 4 rows of three; three bytes are one store of a vector.
            ("image", 9.0, 36.0, 1.0),
            ("rows=4+image", 4.5, 18.0, 1.0),
            // The second pass does nothing for pixels inside.
            ("coalesced+edge", 27.0, 27.0, 3.0),
            // Three rows of 16 bytes and two words for 16 bytes, which are 5 1/3 pixels; (4 + 2) / 4 rows.
            ("padded+access=int4+lanes=int", 9.0 / 16.0 * 3.0, 3.0 * 24.0 / 16.0 * 3.0, 3.0 / 16.0),
            ("padded+rows=4+access=int4", 4.5 / 16.0 * 3.0, 1.5 * 24.0 / 16.0 * 3.0, 3.0 / 16.0),
        ] {
            let (variant, setting) = (Variant::parse(name).expect("known"), Setting::new(Channels::Rgb, BorderMode::Copy));
            let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 256, height_px: 144 };
            let counts = filter().counts(&shape, [1, 1]).expect("described");
            let far = [counts.loads - loads, counts.loaded_bytes - loaded_bytes, counts.stores - stores].map(f64::abs);
            assert!(far.iter().all(|far| *far < 1e-9), "{name}: {counts:?}");
        }
    }

    /// The launch of an RGB picture.
    fn launch(name: &str, width_px: usize, height_px: usize) -> crate::launch::Launch {
        let variant = Variant::parse(name).expect("a known variant");
        let setting = Setting::new(Channels::Rgb, BorderMode::Copy);
        (filter().launch)(&Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px, height_px })
    }

    #[test]
    fn a_padded_destination_has_room_for_a_whole_last_block() {
        let destination = launch("padded+vectorize=8", 41, 3).destination;
        // 41 pixels end at byte 123; the sixth block of 8 ends at byte 144.
        assert!(destination.pitch_bytes >= 144, "{}", destination.pitch_bytes);
        assert_eq!((destination.origin_bytes, destination.pitch_bytes % 128), (0, 0));
    }

    #[test]
    fn a_tile_holds_the_groups_pixels_and_a_halo() {
        let local_bytes = |name| launch(name, 67, 35).local_bytes([16, 4]);
        assert_eq!(local_bytes("coalesced"), 0);
        // (16 + 2) pixels of 3 bytes, 4 + 2 rows.
        assert_eq!(local_bytes("coalesced+local"), 54 * 6);
        assert_eq!(local_bytes("coalesced+local=skew"), 60 * 6);
        assert_eq!(local_bytes("local"), 6 * 3 * 18);
        // 16 blocks of 5 pixels and 2 more, and 1 byte for the sixteenth lane; 4 · 2 + 2 rows.
        assert_eq!(local_bytes("coalesced+padded+vectorize=5+local+rows=2"), (82 * 3 + 1) * 10);
    }
}
