//! The local work size: the driver's choice, or x × y within what this kernel can have on this device.

use super::action::Action;
use super::labels;
use super::state::State;
use super::widgets::name;
use base::texts::{filled, text};
use egui::{RichText, Role, Slider, Ui};
use engine::device::{DeviceInfo, KernelLimits, check_local, legal_max_x, legal_max_y, round_up_global};
use kernels::launch::{Launch, Shape};
use model::{LocalSize, Spec, Variant};
use std::fmt::Display;
use std::sync::Arc;
use view::plot::units::grouped;

/// Draws the control.
pub fn local_size_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let is_explicit = state.device().is_some() && state.choice().local != LocalSize::Driver;
    ui.horizontal(|ui| {
        ui.heading(labels::local_size()).on_hover_text(text("window.local-size.about"));
        if is_explicit {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), powers_ui);
        }
    });
    let Some(device) = state.device() else {
        ui.weak(text("window.local-size.needs-device"));
        return;
    };
    let now = state.choice().local;
    ui.horizontal(|ui| {
        if ui.radio(now == LocalSize::Driver, labels::drivers_choice()).clicked() {
            actions.push(Action::SetLocal(LocalSize::Driver));
        }
        if ui.radio(now != LocalSize::Driver, labels::explicit_size()).clicked() && now == LocalSize::Driver {
            actions.push(Action::SetLocal(LocalSize::Explicit(fitting(ui, state, device))));
        }
    });
    let limits = kernel_limits(state);
    match now {
        LocalSize::Driver => {
            let words = limits.map_or_else(
                || text("window.local-size.driver").to_owned(),
                |limits| filled("window.local-size.driver-multiple", &[("multiple", &limits.preferred_multiple)]),
            );
            ui.label(RichText::new(words).small().weak());
        }
        LocalSize::Explicit(size) => explicit(ui, state, device, size, actions),
    }
}

/// Limits of the kernel on the screen: those of the chosen one as soon as it was built.
fn kernel_limits(state: &State) -> Option<&KernelLimits> {
    state.shown.as_ref()?.executed.limits.as_ref()
}

/// What the chosen launch was made of.
#[derive(Clone, PartialEq)]
struct Key {
    spec: Spec,
    variant: Variant,
    size_px: (usize, usize),
}

/// The launch of the chosen variant over the picture. It is made when something of it changes and not with every frame: tables of a filter are many
/// exponentials. It is derived from the state alone, so it lives in egui's memory.
fn launch(ui: &Ui, state: &State) -> Arc<Launch> {
    let choice = state.choice();
    let size_px = state.picture.as_ref().map_or((1, 1), |opened| opened.picture.size());
    let key = Key { spec: choice.spec.clone(), variant: choice.variant, size_px };
    let id = egui::Id::unique("launch of the local size panel");
    if let Some((known, launch)) = ui.data(|data| data.get_temp::<(Key, Arc<Launch>)>(id))
        && known == key
    {
        return launch;
    }
    let parameters = choice.filter().complete(&choice.spec.parameters).unwrap_or_default();
    let (width_px, height_px) = size_px;
    let shape = Shape { variant: &choice.variant, setting: choice.setting(), parameters: &parameters, width_px, height_px };
    let launch = Arc::new((choice.filter().launch)(&shape));
    ui.data_mut(|data| data.insert_temp(id, (key, Arc::clone(&launch))));
    launch
}

fn fitting(ui: &Ui, state: &State, device: &DeviceInfo) -> [usize; 2] {
    let launch = launch(ui, state);
    let bytes = move |local| launch.local_bytes(local);
    engine::device::largest_local_fitting(device, kernel_limits(state), LocalSize::COMMON, &bytes).unwrap_or([1, 1])
}

fn explicit(ui: &mut Ui, state: &State, device: &DeviceInfo, [x, y]: [usize; 2], actions: &mut Vec<Action>) {
    let (limits, launch) = (kernel_limits(state), launch(ui, state));
    let bytes = |local| launch.local_bytes(local);
    // Beside the other side's present value, so that no slider can leave what is legal; never below what is set.
    let max_x = legal_max_x(device, limits, y, &bytes).max(1);
    let max_y = legal_max_y(device, limits, x, &bytes).max(1);
    let powers = is_powers(ui);
    let new_x = side(ui, labels::local_x(), x, max_x, powers);
    let new_y = side(ui, labels::local_y(), y, max_y, powers);
    if (new_x, new_y) != (x, y) {
        actions.push(Action::SetLocal(LocalSize::Explicit([new_x, new_y])));
    }
    ui.label(RichText::new(group_text(x * y, limits)).small());
    if let Some(words) = launched_text(&launch, [x, y], device.compute_units) {
        ui.label(RichText::new(words).small()).on_hover_text(text("window.local-size.rounded-up"));
    }
    match check_local(device, limits, LocalSize::Explicit([x, y]), &bytes) {
        Ok(_) => {
            let words = filled("window.local-size.allowed", &[("max_x", &max_x), ("max_y", &max_y)]);
            ui.label(RichText::new(words).small().weak())
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
    if ui.checkbox(&mut powers, labels::powers_of_two()).changed() {
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
                // A size that is no power of two is shown as it was set.
                .custom_formatter(move |exponent, _| {
                    if exponent as u32 == now.max(1).ilog2() { now.to_string() } else { (1_u64 << exponent as u32).to_string() }
                })
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

/// "48 work-items per work-group, not a multiple of 32: some lanes stay idle".
fn group_text(items: usize, limits: Option<&KernelLimits>) -> String {
    let count = grouped(items);
    match limits.map(|limits| limits.preferred_multiple.max(1)) {
        Some(multiple) if !items.is_multiple_of(multiple) => {
            filled("window.local-size.group-idle", &[("items", &count), ("multiple", &multiple)])
        }
        _ => filled("window.local-size.group", &[("items", &count)]),
    }
}

/// "155,648 work-items launched, 39 % of them inside the image; 38 work-groups, 9.5 per compute unit", of the pass that launches most. `None` for a local size
/// with a zero, or where the NDRange overflows.
fn launched_text(launch: &Launch, local: [usize; 2], compute_units: u32) -> Option<String> {
    let launched = |global: [usize; 2]| {
        let rounded = round_up_global(global, local)?;
        Some((rounded[0].checked_mul(rounded[1])?, global[0].checked_mul(global[1])?))
    };
    let passes: Vec<_> = launch.passes.iter().map(|pass| launched(pass.global)).collect::<Option<_>>()?;
    let (items, with_pixels) = passes.into_iter().max()?;
    let groups = items / local[0].checked_mul(local[1])?.max(1);
    let share = 100.0 * with_pixels as f64 / items.max(1) as f64;
    let per_unit = groups as f64 / f64::from(compute_units.max(1));
    let per_unit = if per_unit < 10.0 { format!("{per_unit:.1}") } else { grouped(per_unit as usize) };
    let values: [(&str, &dyn Display); 4] =
        [("items", &grouped(items)), ("share", &format!("{share:.0}")), ("groups", &grouped(groups)), ("per_unit", &per_unit)];
    Some(filled("window.local-size.launched", &values))
}

#[cfg(test)]
mod tests {
    use super::{group_text, launched_text};
    use engine::device::KernelLimits;
    use kernels::filters::FilterIdExt as _;
    use kernels::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};

    #[test]
    fn a_group_that_leaves_lanes_idle_says_so() {
        let limits = KernelLimits { max_work_group_size: 256, preferred_multiple: 32, local_mem_bytes: 0, private_mem_bytes: 0 };
        assert_eq!(group_text(128, Some(&limits)), "128 work-items per work-group");
        assert_eq!(group_text(48, Some(&limits)), "48 work-items per work-group, not a multiple of 32: some lanes stay idle");
    }

    /// 1024 × 4 over 400 × 150 work-items: rounded up to 1024 × 152, of which 60,000 have a pixel.
    #[test]
    fn work_items_without_a_pixel_are_counted() {
        let variant = Variant::parse("coalesced").expect("known");
        let setting = Setting::new(Channels::Rgb, BorderMode::Copy);
        let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 400, height_px: 150 };
        let launch = (FilterId::Laplace.filter().launch)(&shape);
        let text = launched_text(&launch, [1024, 4], 4);
        assert_eq!(
            text.as_deref(),
            Some("155,648 work-items launched, 39 % of them inside the image; 38 work-groups, 9.5 per compute unit")
        );
        let text = launched_text(&launch, [10, 10], 4);
        assert_eq!(
            text.as_deref(),
            Some("60,000 work-items launched, 100 % of them inside the image; 600 work-groups, 150 per compute unit")
        );
        assert_eq!(launched_text(&launch, [0, 4], 4), None);
        assert_eq!(launched_text(&launch, [usize::MAX, usize::MAX], 4), None);
    }
}
