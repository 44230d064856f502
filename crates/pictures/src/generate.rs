//! Pictures made rather than loaded: a deterministic test picture, and one picture repeated to a size.

use super::{Channels, Picture};
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

/// Side of the square patches a generated picture is made of. No power of two, so that patches and work-groups do not line up.
const PATCH_PX: usize = 90;

/// A test picture of gradients, edges, texture and noise in patches of 90 × 90 pixels. The same arguments give the same bytes on every
/// machine: there is no floating point in it. A side of 0 counts as 1; sizes from outside go through [`super::check_size`] first.
#[must_use]
pub fn generate(width_px: usize, height_px: usize, channels: Channels, seed: u32) -> Picture {
    let (width_px, height_px) = (width_px.max(1), height_px.max(1));
    let row_bytes = width_px * channels.count();
    let mut bytes = vec![0; row_bytes * height_px];
    bytes.par_chunks_exact_mut(row_bytes).enumerate().for_each(|(y, row)| match channels {
        Channels::Gray => fill_row::<1>(row, y, seed),
        Channels::Rgb => fill_row::<3>(row, y, seed),
    });
    Picture { width_px, height_px, channels, bytes: bytes.into(), alpha: None }
}

fn fill_row<const C: usize>(row: &mut [u8], y: usize, seed: u32) {
    for (column, run) in row.chunks_mut(PATCH_PX * C).enumerate() {
        let patch = Patch::at(column as u32, (y / PATCH_PX) as u32, seed);
        for (x, pixel) in (column * PATCH_PX..).zip(run.as_chunks_mut::<C>().0) {
            *pixel = patch.color(x as u32, y as u32);
        }
    }
}

/// What one square is filled with.
struct Patch {
    kind: u32,
    from: [u8; 3],
    to: [u8; 3],
    step_x: u32,
    step_y: u32,
    seed: u32,
}

impl Patch {
    fn at(column: u32, row: u32, seed: u32) -> Self {
        let seed = mix(column ^ mix(row ^ mix(seed)));
        let [from, to, steps] = [1, 2, 3].map(|salt| mix(seed.wrapping_add(salt)));
        Self { kind: seed % 4, from: first_three(from), to: first_three(to), step_x: steps % 8 + 1, step_y: (steps >> 8) % 8 + 1, seed }
    }

    /// The first `C` channels, so that gray is the red of RGB.
    fn color<const C: usize>(&self, x: u32, y: u32) -> [u8; C] {
        let mut color = [0; C];
        let along = x.wrapping_mul(self.step_x).wrapping_add(y.wrapping_mul(self.step_y));
        let weight = match self.kind {
            // A ramp up and down again: smooth everywhere.
            0 => 255 - (along % 511).abs_diff(255),
            // Stripes of two colors: edges in one direction.
            1 => (along >> 5 & 1) * 255,
            // The classic exclusive-or texture: edges at every scale.
            2 => (x.wrapping_mul(self.step_x) ^ y.wrapping_mul(self.step_y)) & 255,
            // Noise, each channel on its own.
            _ => {
                for (value, noise) in color.iter_mut().zip(mix(x ^ mix(y ^ self.seed)).to_le_bytes()) {
                    *value = noise;
                }
                return color;
            }
        };
        for ((value, from), to) in color.iter_mut().zip(self.from).zip(self.to) {
            // At most 255 · 255 / 255.
            *value = ((u32::from(from) * (255 - weight) + u32::from(to) * weight) / 255) as u8;
        }
        color
    }
}

fn first_three(bits: u32) -> [u8; 3] {
    let [a, b, c, _] = bits.to_le_bytes();
    [a, b, c]
}

/// A bijective scrambling of 32 bits: the hash "lowbias32" of Chris Wellons (public domain).
fn mix(mut bits: u32) -> u32 {
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x7feb_352d);
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x846c_a68b);
    bits ^ (bits >> 16)
}

/// `picture` repeated from the top left corner to `width_px` × `height_px`, alpha included. A side of 0 counts as 1.
#[must_use]
pub fn tile(picture: &Picture, width_px: usize, height_px: usize) -> Picture {
    let (width_px, height_px) = (width_px.max(1), height_px.max(1));
    let repeat = |plane: &[u8], bytes_per_pixel: usize| {
        let mut bytes = Vec::with_capacity(width_px * height_px * bytes_per_pixel);
        let rows = plane.chunks_exact(picture.width_px * bytes_per_pixel).cycle().take(height_px);
        rows.for_each(|row| bytes.extend(row.iter().cycle().take(width_px * bytes_per_pixel)));
        bytes
    };
    let alpha = picture.alpha().map(|plane| repeat(plane, 1));
    let bytes = repeat(&picture.bytes, picture.channels.count()).into();
    Picture { width_px, height_px, channels: picture.channels, bytes, alpha: None }.with_alpha(alpha)
}

/// `picture` with `factor` times as many columns and rows, between whose pixels values run evenly; without alpha. A factor of 0 counts as 1.
#[must_use]
pub fn enlarged(picture: &Picture, factor: usize) -> Picture {
    let factor = factor.max(1);
    let (channels, row_bytes, bytes) = (picture.channels.count(), picture.row_bytes(), picture.bytes());
    // Where an enlarged pixel's center lies: the pixel before it, and how far behind that, in parts of 2 · factor.
    let place = |index: usize, most: usize| {
        let twice = (2 * index + 1).saturating_sub(factor);
        let first = (twice / (2 * factor)).min(most - 1);
        (first, (first + 1).min(most - 1), (twice % (2 * factor)) as u32)
    };
    let parts = 2 * factor as u32;
    Picture::from_fn(picture.width_px * factor, picture.height_px * factor, picture.channels, |x, y, channel| {
        let ((left, right, across), (top, bottom, down)) = (place(x, picture.width_px), place(y, picture.height_px));
        let at = |column: usize, row: usize| bytes.get(row * row_bytes + column * channels + channel).copied().map_or(0, u32::from);
        let along = |row: usize| at(left, row) * (parts - across) + at(right, row) * across;
        ((along(top) * (parts - down) + along(bottom) * down + parts * parts / 2) / (parts * parts)) as u8
    })
}

/// What a size is filled with: `picture`, repeated like tiles where it has another size, or where there is none, a generated one.
#[must_use]
pub fn filled(picture: Option<&Picture>, width_px: usize, height_px: usize, channels: Channels) -> Picture {
    match picture {
        Some(picture) if (picture.width_px, picture.height_px) == (width_px, height_px) => picture.clone(),
        Some(picture) => tile(picture, width_px, height_px),
        None => generate(width_px, height_px, channels, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::{Channels, Picture, enlarged, generate, tile};
    use sha2::{Digest as _, Sha256};

    fn digest(picture: &Picture) -> [u8; 8] {
        Sha256::digest(picture.bytes())[..8].try_into().expect("eight bytes")
    }

    #[test]
    fn an_enlarged_picture_runs_evenly_from_pixel_to_pixel() {
        let picture = Picture::from_fn(2, 1, Channels::Rgb, |x, _, channel| (100 * x + 10 * channel) as u8);
        let large = enlarged(&picture, 2);
        let row: Vec<u8> = large.bytes().iter().step_by(3).copied().collect();
        assert_eq!((large.width_px, large.height_px, row), (4, 2, vec![0, 25, 75, 100, 0, 25, 75, 100]));
        assert_eq!(large.bytes()[5], 45);
        assert_eq!(enlarged(&picture, 1).bytes(), picture.bytes());
    }

    #[test]
    fn generated_bytes_never_change() {
        // Timings of different days and machines are comparable only while these stay as they are.
        assert_eq!(digest(&generate(451, 300, Channels::Rgb, 1)), 0x7e40_c2b5_ce27_13b5_u64.to_be_bytes());
        assert_eq!(digest(&generate(451, 300, Channels::Gray, 1)), 0xd812_1502_335e_ac6d_u64.to_be_bytes());
    }

    #[test]
    fn seeds_differ_and_a_larger_picture_continues_a_smaller_one() {
        assert_ne!(generate(64, 64, Channels::Rgb, 1), generate(64, 64, Channels::Rgb, 2));
        let (small, large) = (generate(100, 100, Channels::Rgb, 7), generate(300, 200, Channels::Rgb, 7));
        assert_eq!(small.pixel(99, 99), large.pixel(99, 99));
    }

    #[test]
    fn a_generated_picture_uses_the_whole_range() {
        let picture = generate(512, 512, Channels::Rgb, 1);
        let mut counts = [0_u32; 256];
        picture.bytes().iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        assert!(counts.iter().all(|&count| count > 0), "some value never occurs");
    }

    #[test]
    fn tiles_repeat_in_both_directions_and_crop() {
        let picture = Picture::new(2, 2, Channels::Gray, vec![1, 2, 3, 4]).expect("four bytes").with_alpha(Some(vec![5, 6, 7, 8]));
        let tiled = tile(&picture, 3, 5);
        assert_eq!(tiled.bytes(), [1, 2, 1, 3, 4, 3, 1, 2, 1, 3, 4, 3, 1, 2, 1]);
        assert_eq!(tiled.alpha(), Some(&[5, 6, 5, 7, 8, 7, 5, 6, 5, 7, 8, 7, 5, 6, 5][..]));
        assert_eq!(tile(&picture, 1, 1).bytes(), [1]);
    }
}
