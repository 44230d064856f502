//! The window's icon: a ladder, drawn here so that it needs no file.

/// Side in pixels.
const SIDE: u32 = 64;

/// The icon.
#[must_use]
pub fn icon() -> egui::IconData {
    let rgba = (0..SIDE * SIDE).flat_map(|index| pixel(index % SIDE, index / SIDE)).collect();
    egui::IconData { rgba, width: SIDE, height: SIDE }
}

/// Rails at the sides, rungs that grow brighter upwards, on a dark square with round corners.
fn pixel(x: u32, y: u32) -> [u8; 4] {
    const RADIUS: u32 = 12;
    let from_corner = |position: u32| RADIUS.saturating_sub(position).max((position + RADIUS + 1).saturating_sub(SIDE));
    if from_corner(x).pow(2) + from_corner(y).pow(2) > RADIUS.pow(2) {
        return [0; 4];
    }
    let is_rail = (8..56).contains(&y) && ((17..22).contains(&x) || (42..47).contains(&x));
    let is_rung = (22..42).contains(&x) && (10..54).contains(&y) && y % 11 < 4;
    match (is_rail, is_rung) {
        (true, _) => [90, 169, 255, 255],
        (_, true) => [98, 203, 132, 255],
        _ => [23, 26, 31, 255],
    }
}
