//! The line of numbers for the pixel under the pointer. All of them come from the byte pictures, none from the screen.

use super::inputs::Inputs;
use base::texts::text;
use pictures::Picture;
use std::fmt::Write as _;

/// "x 312 y 87   original 120 80 33 → filtered 133 90 20   reference 133 90 20   Δ 0 0 0". `None` outside the original.
#[must_use]
pub fn readout(inputs: &Inputs<'_>, [x, y]: [f64; 2]) -> Option<String> {
    let original = inputs.original?;
    let (x, y) = pixel_at(original, [x, y])?;
    let mut line = format!("x {x} y {y}   {} {}", text("window.readout.original"), values(&inputs.original_pixel(x, y)?));
    let filtered = inputs.filtered.and_then(|picture| picture.pixel(x, y));
    if let Some(filtered) = filtered {
        // Writing to a String cannot fail.
        let _ = write!(line, " → {} {}", text("window.readout.filtered"), values(filtered));
        if let Some(reference) = inputs.reference.and_then(|picture| picture.pixel(x, y)) {
            let _ = write!(line, "   {} {}", text("window.readout.reference"), values(reference));
            if reference.len() == filtered.len() {
                let delta: Vec<_> = filtered.iter().zip(reference).map(|(&a, &b)| i16::from(a) - i16::from(b)).map(signed).collect();
                let _ = write!(line, "   Δ {}", delta.join(" "));
            }
        }
    }
    Some(line)
}

/// The pixel that holds a picture coordinate.
#[must_use]
pub fn pixel_at(picture: &Picture, [x, y]: [f64; 2]) -> Option<(usize, usize)> {
    let inside = x >= 0.0 && y >= 0.0 && x < picture.width_px() as f64 && y < picture.height_px() as f64;
    inside.then_some((x as usize, y as usize))
}

fn values(pixel: &[u8]) -> String {
    pixel.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
}

/// With a real minus sign, and a plus where it is not 0.
fn signed(value: i16) -> String {
    match value {
        0 => "0".to_owned(),
        1.. => format!("+{value}"),
        _ => format!("−{}", value.unsigned_abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::inputs::Inputs;
    use super::readout;
    use model::Channels;
    use pictures::Picture;
    use std::sync::Arc;

    fn picture(channels: Channels, value: impl Fn(usize, usize) -> u8) -> Arc<Picture> {
        Arc::new(Picture::from_fn(4, 3, channels, |x, y, channel| value(x, y) + channel as u8))
    }

    #[test]
    fn all_values_of_the_pixel_and_its_distance_from_the_reference() {
        let original = picture(Channels::Rgb, |x, y| (10 * y + x) as u8);
        let filtered = picture(Channels::Rgb, |_, _| 100);
        let reference = picture(Channels::Rgb, |x, _| if x == 2 { 102 } else { 99 });
        let inputs = Inputs { original: Some(&original), filtered: Some(&filtered), reference: Some(&reference), ..Inputs::default() };
        let at = |x, y| readout(&inputs, [x, y]);
        assert_eq!(
            at(2.9, 1.0).as_deref(),
            Some("x 2 y 1   original 12 13 14 → filtered 100 101 102   reference 102 103 104   Δ −2 −2 −2")
        );
        assert!(at(3.0, 2.5).is_some_and(|text| text.ends_with("Δ +1 +1 +1")));
        for (x, y) in [(-0.1, 0.0), (4.0, 0.0), (0.0, 3.0), (f64::NAN, 0.0)] {
            assert_eq!(at(x, y), None, "{x} {y}");
        }
    }

    #[test]
    fn without_a_reference_there_is_no_distance() {
        let original = picture(Channels::Rgb, |_, _| 7);
        let filtered = picture(Channels::Gray, |_, _| 9);
        let inputs = Inputs { original: Some(&original), filtered: Some(&filtered), ..Inputs::default() };
        assert_eq!(readout(&inputs, [0.0, 0.0]).as_deref(), Some("x 0 y 0   original 7 8 9 → filtered 9"));
    }
}
