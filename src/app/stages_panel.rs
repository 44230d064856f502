//! The stages, one switch each: reason, legality, values, what the last switch did.

use super::action::{Action, Command};
use super::effect::effect_ui;
use super::filter_card::folded_filter_card;
use super::host_memory::host_memory_ui;
use super::labels;
use super::local_size::local_size_ui;
use super::state::State;
use super::theme::{accent, space};
use super::widgets::{SEGMENT_WIDTH, command_button, name, segments, segments_wrapped};
use egui::{Checkbox, Color32, RichText, Role, ScrollArea, Slider, TextStyle, Ui};
use kernels::filters::Kind;
use kernels::filters::Offer;
use kernels::filters::VariantExt;
use model::{Stage, StageValue};

/// Room for the scroll bar beside what is scrolled.
const BAR_ROOM: f32 = 10.0;

/// Draws the panel.
pub fn stages_panel(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.heading(labels::stages());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(BAR_ROOM);
            command_button(ui, state, Command::Naive, false, actions);
            undo_buttons(ui, state, actions);
        });
    });
    effect_ui(ui, state, actions);
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("stages").show(ui, |ui| {
        ui.set_max_width(ui.available_width() - BAR_ROOM);
        folded_filter_card(ui, state.choice().filter(), &state.choice().spec.parameters);
        ui.add_space(space::SMALL);
        for offer in state.choice().filter().stages {
            stage_ui(ui, state, offer, false, actions);
        }
        parameters(ui, state, actions);
        ui.separator();
        local_size_ui(ui, state, actions);
        host_memory_ui(ui, state, actions);
    });
}

/// Undo and redo, as signs: words have no room beside the heading.
fn undo_buttons(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    // From right to left. The signs are in the font of code alone.
    for (command, sign) in [(Command::Redo, "↷"), (Command::Undo, "↶")] {
        let (text, why_not) = (command.text(), state.why_not(command));
        let button = ui.add_enabled(why_not.is_none(), egui::Button::new(RichText::new(sign).monospace()));
        name(&button, Role::Button, text.label, None);
        let keys = text.shortcut.map_or_else(String::new, |keys| format!(" ({})", ui.ctx().format_shortcut(&keys)));
        if button.on_hover_text(format!("{}{keys}", text.tooltip)).on_disabled_hover_text(why_not.unwrap_or("")).clicked() {
            actions.push(Action::Run(command));
        }
    }
}

/// What a lesson's task is done with: the stages that can be switched, each with its values and nothing else, parameters, and where it matters the local
/// size.
pub fn switches_ui(ui: &mut Ui, state: &State, has_local_size: bool, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("switches").show(ui, |ui| {
        ui.set_max_width(ui.available_width() - BAR_ROOM);
        effect_ui(ui, state, actions);
        for offer in state.choice().filter().stages {
            stage_ui(ui, state, offer, true, actions);
        }
        parameters(ui, state, actions);
        if has_local_size {
            local_size_ui(ui, state, actions);
        }
    });
}

/// Room for the button that opens what more there is to say, with the gaps before it, in points.
const MORE_ROOM: f32 = 44.0;

/// Whether a stage's values fit beside its title; else they would widen the panel.
fn fit_beside<'a>(ui: &Ui, title: &str, values: impl Iterator<Item = &'a StageValue>) -> bool {
    let font = TextStyle::Button.resolve(ui.style());
    let width = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::PLACEHOLDER).size().x;
    let spacing = ui.spacing();
    let value_width = |value: &StageValue| (width(value.label()) + 2.0 * spacing.button_padding.x).max(SEGMENT_WIDTH) + space::SMALL;
    let values: f32 = values.map(value_width).sum();
    spacing.icon_width + spacing.icon_spacing + width(title) + values + MORE_ROOM <= ui.available_width()
}

/// A stage; in brief, why it is there is told where the pointer rests, and one that cannot be switched is left out.
fn stage_ui(ui: &mut Ui, state: &State, offer: &'static Offer, is_brief: bool, actions: &mut Vec<Action>) {
    let (choice, row) = (state.choice(), offer.id.stage());
    let (variant, setting) = (choice.variant, state.setting());
    let is_on = variant.is_on(row.id);
    let first = choice.filter().values_for(row.id, setting).next().map_or(row.off, |value| value.value);
    let objection = if is_on { None } else { variant.switched(row.id, first, choice.filter(), setting).err() };
    if is_brief && objection.is_some() {
        return;
    }
    let is_changed = state.change.stages.contains(&row.id);
    // Also where the filter has one value of several: it says which, unless that is the one that the stage's name alone stands for.
    let known = || choice.filter().values_for(row.id, setting);
    let has_values = known().count() > 1 || known().any(|value| !value.name.is_empty());
    let is_beside = has_values && fit_beside(ui, row.label(), known());
    let top = ui.cursor().min;
    let shown = ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.horizontal(|ui| {
            let mut on = is_on;
            let title = RichText::new(row.label()).strong();
            let response = ui.add_enabled(objection.is_none(), Checkbox::new(&mut on, title));
            let response = match &objection {
                Some(objection) => response.on_disabled_hover_text(&objection.sentence),
                None => response.on_hover_text(offer.more()),
            };
            if response.changed() {
                actions.push(Action::SetStage(row.id, if on { first } else { row.off }));
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if !is_brief {
                    more_button(ui, row);
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    if is_beside {
                        ui.add_enabled_ui(objection.is_none(), |ui| values(ui, state, row, segments, actions));
                    }
                });
            });
        });
        let below = egui::Frame::new().inner_margin(egui::Margin { left: 26, ..Default::default() });
        below.show(ui, |ui| {
            if has_values && !is_beside {
                ui.add_enabled_ui(objection.is_none(), |ui| values(ui, state, row, segments_wrapped, actions));
            }
            if is_brief {
                return;
            }
            match &objection {
                // No fact about OpenCL, so it does not look like one.
                Some(objection) if objection.kind == Kind::NotBuilt => {
                    ui.label(RichText::new(&objection.sentence).small().weak().italics())
                }
                Some(objection) => ui.label(RichText::new(&objection.sentence).small().italics()),
                None => ui.label(RichText::new(offer.reason()).small().weak()),
            };
            if is_open(ui, row) {
                ui.label(RichText::new(offer.more()).small());
            }
        });
    });
    if is_changed {
        let bar = egui::Rect::from_min_max(egui::pos2(top.x - space::MEDIUM, top.y), egui::pos2(top.x - 5.0, shown.response.rect.bottom()));
        ui.painter().rect_filled(bar, 1.5, accent(ui.visuals().dark_mode));
    }
    ui.add_space(space::SMALL);
}

/// How values are laid out: beside each other, or on as many lines as they need.
type Segments = fn(&mut Ui, Option<u8>, std::vec::IntoIter<(u8, String, String)>) -> Option<u8>;

fn values(ui: &mut Ui, state: &State, row: &'static Stage, lay_out: Segments, actions: &mut Vec<Action>) {
    let choice = state.choice();
    let now = choice.variant.is_on(row.id).then(|| choice.variant.value(row.id));
    let known = choice.filter().values_for(row.id, choice.setting());
    let texts: Vec<_> = known.map(|value| (value.value, value.label().to_owned(), format!("{} {}", row.label(), value.label()))).collect();
    if let Some(value) = lay_out(ui, now, texts.into_iter()) {
        actions.push(Action::SetStage(row.id, value));
    }
}

fn more_id(stage: &Stage) -> egui::Id {
    egui::Id::unique(("more on", stage.name))
}

fn is_open(ui: &Ui, stage: &Stage) -> bool {
    ui.data(|data| data.get_temp(more_id(stage)).unwrap_or(false))
}

/// Which explanations are open is the eye's business alone, so it lives in egui's memory, not in the state.
fn more_button(ui: &mut Ui, stage: &Stage) {
    let open = is_open(ui, stage);
    let response = ui.add(egui::Button::new(RichText::new("?").small()).frame_when_inactive(false).selected(open));
    name(&response, Role::Button, &format!("{} {}", labels::more(), stage.label()), None);
    if response.clicked() {
        ui.data_mut(|data| data.insert_temp(more_id(stage), !open));
    }
}

fn parameters(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let choice = state.choice();
    for parameter in choice.filter().parameters {
        let mut value = choice.spec.parameters.0.get(parameter.name).copied().unwrap_or(parameter.default);
        ui.label(parameter.label());
        ui.spacing_mut().slider_width = (ui.available_width() - 76.0).max(60.0);
        let decimals = usize::from(parameter.step.fract() != 0.0) * 2;
        let slider = ui.add(Slider::new(&mut value, parameter.min..=parameter.max).step_by(parameter.step).fixed_decimals(decimals));
        name(&slider, Role::Slider, parameter.label(), None);
        if slider.changed() {
            actions.push(Action::SetParameter(parameter.name, value));
        }
    }
}
