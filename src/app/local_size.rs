//! The local work size: the driver's choice, or x × y within what this kernel can have on this device.

use super::action::Action;
use super::labels;
use super::state::State;
use super::widgets::name;
use crate::device::{DeviceInfo, KernelLimits, LocalSize, check_local, legal_max_x, legal_max_y};
use crate::schedule::Shape;
use egui::{RichText, Role, Slider, Ui};

/// What a first explicit size is: wide enough to coalesce, small enough to be legal nearly everywhere.
const FIRST: [usize; 2] = [32, 4];

/// Draws the control.
pub fn local_size_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let is_explicit = state.device().is_some() && state.choice().local != LocalSize::Driver;
    ui.horizontal(|ui| {
        ui.heading(labels::LOCAL_SIZE);
        if is_explicit {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), powers_ui);
        }
    });
    let Some(device) = state.device() else {
        ui.weak("Needs an OpenCL device");
        return;
    };
    let now = state.choice().local;
    ui.horizontal(|ui| {
        if ui.radio(now == LocalSize::Driver, labels::DRIVERS_CHOICE).clicked() {
            actions.push(Action::SetLocal(LocalSize::Driver));
        }
        if ui.radio(now != LocalSize::Driver, labels::EXPLICIT_SIZE).clicked() && now == LocalSize::Driver {
            actions.push(Action::SetLocal(LocalSize::Explicit(fitting(state, device))));
        }
    });
    let limits = kernel_limits(state);
    match now {
        LocalSize::Driver => {
            let multiple = limits.map_or_else(String::new, |limits| format!("; preferred multiple {}", limits.preferred_multiple));
            ui.label(RichText::new(format!("NULL is passed, and the driver divides the NDRange{multiple}")).small().weak());
        }
        LocalSize::Explicit(size) => explicit(ui, state, device, size, actions),
    }
}

/// Limits of the kernel on the screen: those of the chosen one as soon as it was built.
fn kernel_limits(state: &State) -> Option<&KernelLimits> {
    state.shown.as_ref()?.executed.limits.as_ref()
}

/// Local memory that the chosen variant takes at a local size, in bytes.
fn local_bytes(state: &State) -> impl Fn([usize; 2]) -> usize {
    let choice = state.choice();
    let parameters = choice.filter().complete(&choice.spec.parameters).unwrap_or_default();
    // Local memory does not depend on the picture's size.
    let shape = Shape { variant: &choice.variant, setting: choice.setting(), parameters: &parameters, width_px: 1, height_px: 1 };
    let launch = (choice.filter().launch)(&shape);
    move |local| launch.local_bytes(local)
}

fn fitting(state: &State, device: &DeviceInfo) -> [usize; 2] {
    crate::device::largest_local_fitting(device, kernel_limits(state), FIRST, &local_bytes(state)).unwrap_or([1, 1])
}

fn explicit(ui: &mut Ui, state: &State, device: &DeviceInfo, [x, y]: [usize; 2], actions: &mut Vec<Action>) {
    let (limits, bytes) = (kernel_limits(state), local_bytes(state));
    // Beside the other side's present value, so that no slider can leave what is legal; never below what is set.
    let max_x = legal_max_x(device, limits, y, &bytes).max(1);
    let max_y = legal_max_y(device, limits, x, &bytes).max(1);
    let powers = is_powers(ui);
    let new_x = side(ui, labels::LOCAL_X, x, max_x, powers);
    let new_y = side(ui, labels::LOCAL_Y, y, max_y, powers);
    if (new_x, new_y) != (x, y) {
        actions.push(Action::SetLocal(LocalSize::Explicit([new_x, new_y])));
    }
    ui.label(RichText::new(group_text(x * y, limits)).small());
    match check_local(device, limits, LocalSize::Explicit([x, y]), &bytes) {
        Ok(_) => {
            ui.label(RichText::new(format!("Legal here: x up to {max_x} beside this y, y up to {max_y} beside this x")).small().weak())
        }
        Err(error) => ui.label(RichText::new(error.to_string()).small().color(ui.visuals().error_fg_color)),
    };
}

fn powers_id() -> egui::Id {
    egui::Id::unique("powers of two")
}

/// How the sliders step is the hand's business alone, so it lives in egui's memory.
fn is_powers(ui: &Ui) -> bool {
    ui.data_mut(|data| data.get_persisted(powers_id()).unwrap_or(true))
}

fn powers_ui(ui: &mut Ui) {
    let mut powers = is_powers(ui);
    if ui.checkbox(&mut powers, labels::POWERS_OF_TWO).changed() {
        ui.data_mut(|data| data.insert_persisted(powers_id(), powers));
    }
}

fn side(ui: &mut Ui, label: &str, now: usize, max: usize, powers: bool) -> usize {
    ui.horizontal(|ui| {
        ui.label(label);
        ui.spacing_mut().slider_width = (ui.available_width() - 76.0).max(60.0);
        let mut value = now;
        let slider = if powers {
            let mut exponent = now.max(1).ilog2();
            let slider = Slider::new(&mut exponent, 0..=max.max(1).ilog2())
                .custom_formatter(|exponent, _| (1_u64 << exponent as u32).to_string())
                .custom_parser(|text| text.parse::<f64>().ok().map(|value| value.max(1.0).log2().round()));
            let response = ui.add(slider);
            if response.changed() {
                value = 1 << exponent;
            }
            response
        } else {
            ui.add(Slider::new(&mut value, 1..=max))
        };
        name(&slider, Role::Slider, label, None);
        if slider.changed() { value } else { now }
    })
    .inner
}

/// "32 work-items a group: 100 % of 4 × 8 lanes".
fn group_text(items: usize, limits: Option<&KernelLimits>) -> String {
    let Some(limits) = limits else { return format!("{items} work-items a group") };
    let multiple = limits.preferred_multiple.max(1);
    let lanes = items.div_ceil(multiple) * multiple;
    let percent = 100 * items / lanes.max(1);
    format!("{items} work-items a group fill {percent} % of {} × {multiple} lanes", lanes / multiple)
}

#[cfg(test)]
mod tests {
    use super::group_text;
    use crate::device::KernelLimits;

    #[test]
    fn occupancy_counts_the_lanes_of_the_last_multiple_too() {
        let limits = KernelLimits { max_work_group_size: 256, preferred_multiple: 32, local_mem_bytes: 0, private_mem_bytes: 0 };
        assert_eq!(group_text(128, Some(&limits)), "128 work-items a group fill 100 % of 4 × 32 lanes");
        assert_eq!(group_text(48, Some(&limits)), "48 work-items a group fill 75 % of 2 × 32 lanes");
    }
}
