//! How the window looks: one accent, one scale of spaces, type large enough for a projector.

use base::texts::Language;
use egui::epaint::text::{FontInsert, FontPriority, InsertFontFamily};
use egui::{Color32, CornerRadius, FontData, FontFamily, FontId, Margin, Stroke, Style, TextStyle, Theme, Ui, Visuals, vec2};
use view::plot::Role;

/// The scale of spaces, in points; everything is one of these.
pub mod space {
    /// Between parts of one control.
    pub const SMALL: f32 = 4.0;
    /// Between controls.
    pub const MEDIUM: f32 = 8.0;
    /// Between groups.
    pub const LARGE: f32 = 16.0;
}

/// Dresses both themes.
pub fn install(ctx: &egui::Context) {
    // Letters of no text of ours, such as those of a file's name, are left to the system's fonts.
    fonts().for_each(|font| ctx.add_font(font));
    for theme in [Theme::Dark, Theme::Light] {
        ctx.style_mut_of(theme, |style| dress(style, theme));
    }
}

/// The fonts of languages, for letters that egui's own do not have, in prose and in code. All are there in every language: the menu of languages
/// has each in its own letters.
fn fonts() -> impl Iterator<Item = FontInsert> {
    Language::ALL.into_iter().filter_map(|language| {
        let families = [FontFamily::Proportional, FontFamily::Monospace];
        let families = families.map(|family| InsertFontFamily { family, priority: FontPriority::Lowest });
        Some(FontInsert::new(language.code(), FontData::from_static(language.font()?), families.into()))
    })
}

/// Size of the type of prose.
const BODY_POINTS: f32 = 15.0;

fn dress(style: &mut Style, theme: Theme) {
    let sizes = [
        (TextStyle::Small, 12.5, FontFamily::Proportional),
        (TextStyle::Body, BODY_POINTS, FontFamily::Proportional),
        (TextStyle::Button, 15.0, FontFamily::Proportional),
        (TextStyle::Heading, 18.0, FontFamily::Proportional),
        (TextStyle::Monospace, 14.0, FontFamily::Monospace),
    ];
    style.text_styles = sizes.into_iter().map(|(name, size, family)| (name, FontId::new(size, family))).collect();
    style.spacing.item_spacing = vec2(space::MEDIUM, 6.0);
    style.spacing.button_padding = vec2(10.0, 4.0);
    style.spacing.interact_size.y = 28.0;
    style.spacing.icon_width = 18.0;
    style.spacing.icon_width_inner = 10.0;
    style.spacing.menu_margin = Margin::same(8);
    style.spacing.window_margin = Margin::same(16);
    style.spacing.tooltip_width = 420.0;
    style.spacing.combo_height = 420.0;
    // Menus may be this high before they scroll.
    style.spacing.default_area_size = vec2(600.0, 680.0);
    style.interaction.selectable_labels = false;
    style.interaction.tooltip_delay = 0.35;
    // Nothing moves by itself: some get sick of it, and each step of a fade is a frame that nobody asked for.
    style.animation_time = 0.0;
    style.scroll_animation = egui::style::ScrollAnimation::none();
    style.visuals = visuals(theme);
}

fn visuals(theme: Theme) -> Visuals {
    let is_dark = theme == Theme::Dark;
    let pick = |dark: [u8; 3], light: [u8; 3]| {
        let [red, green, blue] = if is_dark { dark } else { light };
        Color32::from_rgb(red, green, blue)
    };
    let mut visuals = if is_dark { Visuals::dark() } else { Visuals::light() };
    visuals.panel_fill = pick([23, 26, 31], [247, 248, 250]);
    visuals.window_fill = pick([30, 34, 40], [255, 255, 255]);
    visuals.extreme_bg_color = pick([15, 17, 21], [255, 255, 255]);
    visuals.faint_bg_color = pick([30, 34, 40], [238, 240, 244]);
    visuals.code_bg_color = visuals.faint_bg_color;
    visuals.hyperlink_color = accent(is_dark);
    visuals.warn_fg_color = color(Role::Warning, is_dark);
    visuals.error_fg_color = color(Role::Failure, is_dark);
    visuals.selection.bg_fill = pick([28, 84, 138], [201, 224, 250]);
    visuals.selection.stroke = Stroke::new(1.0, pick([232, 242, 255], [10, 62, 120]));
    visuals.window_stroke = Stroke::new(1.0, pick([58, 64, 74], [208, 213, 221]));
    visuals.weak_text_color = Some(color(Role::Weak, is_dark));
    visuals.slider_trailing_fill = true;
    visuals.disabled_alpha = 0.6;
    let widgets = &mut visuals.widgets;
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, color(Role::Grid, is_dark));
    widgets.noninteractive.fg_stroke.color = color(Role::Text, is_dark);
    widgets.inactive.weak_bg_fill = pick([42, 47, 56], [232, 235, 240]);
    widgets.inactive.bg_fill = pick([52, 58, 68], [214, 219, 227]);
    widgets.inactive.fg_stroke.color = color(Role::Text, is_dark);
    widgets.inactive.bg_stroke = Stroke::new(1.0, pick([74, 82, 94], [196, 202, 212]));
    widgets.hovered.weak_bg_fill = pick([54, 61, 72], [220, 225, 233]);
    widgets.hovered.bg_stroke = Stroke::new(1.0, accent(is_dark));
    widgets.active.weak_bg_fill = pick([64, 72, 85], [206, 213, 224]);
    widgets.active.bg_stroke = Stroke::new(2.0, accent(is_dark));
    widgets.open.weak_bg_fill = pick([42, 47, 56], [232, 235, 240]);
    for widget in [&mut widgets.noninteractive, &mut widgets.inactive, &mut widgets.hovered, &mut widgets.active, &mut widgets.open] {
        widget.corner_radius = CornerRadius::same(6);
        widget.expansion = 0.0;
    }
    visuals
}

/// Larger type and controls, for those who sit far away.
pub fn enlarge(style: &mut Style, scale: f32) {
    if scale > 1.0 {
        for font in style.text_styles.values_mut() {
            font.size *= scale;
        }
        style.spacing.interact_size.y *= scale;
    }
}

/// How much larger than usual the type is where `ui` is: what [`enlarge`] was given.
#[must_use]
pub fn type_scale(ui: &Ui) -> f32 {
    TextStyle::Body.resolve(ui.style()).size / BODY_POINTS
}

/// The one accent: what is chosen, what just changed.
#[must_use]
pub fn accent(is_dark: bool) -> Color32 {
    color(Role::Accent, is_dark)
}

/// What the charts are painted with, on the window's background.
#[must_use]
pub fn color(role: Role, is_dark: bool) -> Color32 {
    let [red, green, blue] = role.rgb(is_dark);
    Color32::from_rgb(red, green, blue)
}

/// Verified.
#[must_use]
pub fn right(is_dark: bool) -> Color32 {
    if is_dark { Color32::from_rgb(98, 203, 132) } else { Color32::from_rgb(16, 118, 54) }
}

#[cfg(test)]
mod tests {
    use super::{color, fonts, right, visuals};
    use crate::testing::contrast;
    use base::texts::{self, Language};
    use egui::epaint::text::{Fonts, TextOptions};
    use egui::{Color32, FontDefinitions, FontFamily, FontId, Theme};
    use std::sync::Arc;
    use view::plot::Role;

    #[test]
    fn text_and_bars_stand_out_from_every_ground() {
        for theme in [Theme::Dark, Theme::Light] {
            let (visuals, is_dark) = (visuals(theme), theme == Theme::Dark);
            let text = [
                ("text", visuals.text_color()),
                ("weak text", visuals.weak_text_color()),
                ("warning", visuals.warn_fg_color),
                ("error", visuals.error_fg_color),
                ("link", visuals.hyperlink_color),
                ("right", right(is_dark)),
            ];
            let grounds = [visuals.panel_fill, visuals.window_fill, visuals.extreme_bg_color, visuals.faint_bg_color];
            let buttons = [&visuals.widgets.inactive, &visuals.widgets.hovered, &visuals.widgets.active, &visuals.widgets.open];
            let chosen = [("chosen", visuals.selection.stroke.color, visuals.selection.bg_fill)];
            let on_grounds = text.iter().flat_map(|(name, ink)| grounds.map(|ground| (*name, *ink, ground)));
            let on_buttons = buttons.map(|widget| ("button", widget.fg_stroke.color, widget.weak_bg_fill));
            let words = on_grounds.chain(on_buttons).chain(chosen).map(|(name, ink, ground)| (name, ink, ground, 4.5));
            let bars =
                [Role::Cpu, Role::Device, Role::Transfers, Role::Strong].map(|role| ("bar", color(role, is_dark), visuals.panel_fill, 3.0));
            for (name, ink, ground, least) in words.chain(bars) {
                let seen: f32 = contrast(ink, ground);
                assert!(seen >= least, "{name} {ink:?} on {ground:?}, {theme:?}: {seen:.2}");
            }
            assert_ne!(visuals.panel_fill, Color32::TRANSPARENT);
        }
    }

    #[test]
    fn every_character_of_every_text_is_in_a_font() {
        let mut definitions = FontDefinitions::default();
        for font in fonts() {
            for family in font.families {
                definitions.families.entry(family.family).or_default().push(font.name.clone());
            }
            definitions.font_data.insert(font.name, Arc::new(font.data));
        }
        let mut fonts = Fonts::new(TextOptions::default(), definitions);
        let names = Language::ALL.into_iter().map(|language| ("the language's name", language.label()));
        let lessons = study::lessons::files();
        // Headings of documents, in their own language.
        let steps = kernels::filters::ladders().flat_map(|ladder| &ladder.steps);
        let places = steps.filter_map(|step| Some(("place", step.place.as_deref()?)));
        for (key, text) in Language::ALL.into_iter().flat_map(texts::all).chain(lessons).chain(names).chain(places) {
            for family in [FontFamily::Proportional, FontFamily::Monospace] {
                let id = FontId::new(15.0, family);
                let missing: String = text.chars().filter(|&letter| letter != '\n' && !fonts.has_glyph(&id, letter)).collect();
                assert!(missing.is_empty(), "{key}: '{missing}'; run assets/fonts/build");
            }
        }
    }
}
