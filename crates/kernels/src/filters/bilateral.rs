//! Bilateral filter: what its definition in `kernels/bilateral/` cannot say.

mod footprint;

use super::FilterIdExt as _;
use super::Grid;
use super::attached::Attached;
use kernel_ladder_cpu::filters::bilateral as cpu;
use kernel_ladder_cpu::reference::bilateral::{self as reference, Window};
use model::{FilterId, Parameters};

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, border, parameters, rows| reference::rows(picture.pixels(), border, &window_of(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, window_of(parameters))),
    footprint: Some(&footprint::footprint),
    drawing,
    ..Attached::NONE
};

/// The window that the parameters say; defaults for those that are missing.
fn window_of(parameters: &Parameters) -> Window {
    let value = |name| FilterId::Bilateral.filter().parameter(parameters, name);
    Window { radius_px: value("radius").round() as usize, sigma_space: value("sigma_space"), sigma_color: value("sigma_color") }
}

/// The circle with the weights in space; those in color depend on the picture.
fn drawing(parameters: &Parameters) -> Vec<Grid> {
    let window = window_of(parameters);
    let places: Vec<_> = window.places().collect();
    vec![Grid::around("circle", window.radius_px, |[x, y]| places.contains(&(x, y)).then(|| window.near((x, y))))]
}

#[cfg(test)]
mod tests {
    use super::Window;
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Bilateral.filter()
    }

    fn parameters(radius: f64, sigma_space: f64, sigma_color: f64) -> Parameters {
        let named = [("radius", radius), ("sigma_space", sigma_space), ("sigma_color", sigma_color)];
        Parameters(named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    fn filtered(picture: &Picture, border: BorderMode, parameters: &Parameters) -> Vec<u8> {
        filter().reference(picture, border, parameters).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn five_pixels_by_hand() {
        // Radius 1 is a cross. Sigmas such that exp(−1 / (2 σs²)) = 1/2 and exp(−Δ² / (2 σc²)) = 1/4 for Δ = 10:
        // 1 / (2 σs²) = ln 2, and 100 / (2 σc²) = ln 4.
        let (sigma_space, sigma_color) = ((0.5 / 2f64.ln()).sqrt(), (50.0 / 4f64.ln()).sqrt());
        let picture = Picture::new(3, 3, Channels::Gray, vec![0, 100, 0, 110, 100, 100, 0, 90, 0]).expect("a picture");
        // Center 100, weights 1; above 100 and right 100, 1/2 each; left 110 and below 90, 1/8 each: the mean is 100.
        // Right of it, replicate: center 100 with itself on the right, 1 + 1/2; left 100, 1/2; above and below 0, e^−138 each.
        let cross = parameters(1.0, sigma_space, sigma_color);
        let bytes = filtered(&picture, BorderMode::Replicate, &cross);
        assert_eq!((bytes[4], bytes[5]), (100, 100));
        // Left, replicate: center 110 with itself on the left, 1 + 1/2; right 100, 1/8: (165 + 12.5) / 1.625 = 109.23.
        assert_eq!(bytes[3], 109);
        // Left, reflect101: left and right are both 100: (110 + 25) / 1.25 = 108.
        assert_eq!(filtered(&picture, BorderMode::Reflect101, &cross)[3], 108);
        // Copy: only the center pixel has its whole window.
        assert_eq!(filtered(&picture, BorderMode::Copy, &cross), [0, 100, 0, 110, 100, 100, 0, 90, 0]);
    }

    #[test]
    fn channels_share_their_weight() {
        // All three channels differ by 10 together: the difference is 30, as of one channel that differs by 30.
        let (sigma_space, sigma_color) = ((0.5 / 2f64.ln()).sqrt(), (450.0 / 4f64.ln()).sqrt());
        let picture = Picture::new(2, 1, Channels::Rgb, vec![100, 100, 100, 110, 110, 90]).expect("a picture");
        // Replicate, radius 1: center twice beside it and above and below, 1 + 3/2; the other 1/2 · 1/4.
        // 100 + 10 · (1/8) / (21/8) = 100.476, and 100 − 0.476; the other pixel 110 − 0.476, 90 + 0.476.
        let bytes = filtered(&picture, BorderMode::Replicate, &parameters(1.0, sigma_space, sigma_color));
        assert_eq!(bytes, [100, 100, 100, 110, 110, 90]);
        // With weights that fall off slowly the mean is that of all five: (4 · 100 + 110) / 5.
        let bytes = filtered(&picture, BorderMode::Replicate, &parameters(1.0, 20.0, 150.0));
        assert_eq!(bytes[..3], [102, 102, 98]);
    }

    #[test]
    fn edges_stay_and_noise_goes() {
        // Two halves with noise of ±2: a mean of either half lies within it, and nothing of one half reaches the other.
        let picture = Picture::from_fn(20, 9, Channels::Gray, |x, y, _| {
            let noise = (x * 7 + y * 13) % 5;
            if x < 10 { 50 + noise as u8 } else { 200 + noise as u8 }
        });
        let bytes = filtered(&picture, BorderMode::Reflect101, &Parameters::default());
        for (place, byte) in bytes.iter().enumerate() {
            let low = if place % 20 < 10 { 51 } else { 201 };
            assert!((low..=low + 2).contains(byte), "{byte} at {place}");
        }
    }

    #[test]
    fn weights_that_vanish_leave_the_center() {
        let picture = Picture::from_fn(9, 9, Channels::Rgb, |x, y, channel| if (x + y) % 2 == 0 { 0 } else { 250 + channel as u8 });
        for border in BorderMode::ALL {
            assert_eq!(filtered(&picture, border, &parameters(1.0, 0.5, 1.0)), picture.bytes(), "{border:?}");
        }
    }

    #[test]
    fn windows_are_circles() {
        let places = |radius| Window { radius_px: radius, sigma_space: 1.0, sigma_color: 1.0 }.places().count();
        assert_eq!([1, 2, 3, 7].map(places), [5, 13, 29, 149]);
    }

    #[test]
    fn counts_follow_the_window_and_the_source() {
        for (name, channels, radius, loads, loaded_bytes) in [
            ("naive", Channels::Rgb, 3.0, 29.0, 87.0),
            ("coalesced+image", Channels::Rgb, 1.0, 5.0, 20.0),
            ("coalesced+image", Channels::Gray, 1.0, 5.0, 5.0),
            ("coalesced+table", Channels::Gray, 7.0, 149.0 + 149.0, 149.0 + 149.0 * 4.0),
            // A group of 16 × 16 loads 30 × 30 pixels, byte by byte.
            ("coalesced+local", Channels::Rgb, 7.0, 2700.0 / 256.0, 2700.0 / 256.0),
            // Four gray pixels are a word, with one more on each side, in seven rows; four of RGB are three, with three more.
            ("coalesced+padded+specialized+native+access=uchar4", Channels::Gray, 3.0, 21.0 / 4.0, 21.0),
            ("coalesced+padded+specialized+native+access=int3", Channels::Rgb, 3.0, 63.0 / 4.0, 63.0),
            // A vector for each place; of RGB four bytes from each pixel on.
            ("coalesced+padded+vectorize=16+specialized", Channels::Gray, 3.0, 29.0 / 16.0, 29.0),
            ("coalesced+padded+vectorize=8+specialized", Channels::Rgb, 3.0, 29.0, 29.0 * 4.0),
        ] {
            let variant = Variant::parse(name).expect("a known variant");
            let setting = Setting::new(channels, BorderMode::Replicate);
            let shape = Shape { variant: &variant, setting, parameters: &parameters(radius, 3.0, 30.0), width_px: 64, height_px: 64 };
            let counts = filter().counts(&shape, [16, 16]).expect("described");
            assert_eq!((counts.loads, counts.loaded_bytes), (loads, loaded_bytes), "{name}");
            let bytes = channels.count() as f64;
            let stores = match (name.contains("access"), name.contains("vectorize")) {
                (true, _) => bytes / 4.0,
                (_, true) => {
                    if channels == Channels::Rgb {
                        4.0 / 8.0
                    } else {
                        1.0 / 16.0
                    }
                }
                _ => 1.0,
            };
            assert_eq!((counts.stores, counts.stored_bytes), (stores, bytes), "{name}");
        }
    }
}
