//! What a screen shows, held to the filters' rules.

use super::read::Reader;
use super::rows::ShowRow;
use super::{Against, Picture, Show, panels};
use base::error::Error;
use base::fault::say;
use base::texts::meant;
use kernels::filters::FilterIdExt;
use kernels::filters::SettingExt;
use kernels::filters::VariantExt;
use kernels::filters::{self, Filter};
use model::{Channels, LocalSize, Parameters, Setting, Spec, Variant, spelled, stages};
use pictures::{check_size, samples};
use toml::Spanned;
use view::plot::Concept;

impl Reader<'_> {
    /// What a screen shows; `None` where a fault keeps it from being known.
    pub(super) fn show(&mut self, row: &ShowRow) -> Option<Show> {
        let panel = row.panel.as_ref().and_then(|panel| self.panel(panel));
        let figure = row.figure.as_ref().and_then(|figure| self.figure(figure));
        let picture = row.picture.as_ref().or(self.usual.picture.as_ref()).and_then(|picture| self.picture(picture));
        let local = row.local.as_ref().map_or(Some(LocalSize::Driver), |local| self.local(local));
        let against_local = row.against_local.as_ref().map_or(local, |local| self.local(local));
        let spec = self.spec(row)?;
        let variant = self.variant(&row.variant, &spec);
        let against = match &row.against {
            Some(against) => {
                let variant = self.variant(against, &spec)?;
                Some(Against { variant, local: against_local?, memory: row.against_memory.unwrap_or(row.memory) })
            }
            None => None,
        };
        Some(Show { spec, variant: variant?, local: local?, memory: row.memory, against, picture, panel, figure })
    }

    /// Filter, channels, border mode and parameters: the screen's, else the lesson's where the filter knows them, else the filter's own.
    fn spec(&mut self, row: &ShowRow) -> Option<Spec> {
        let Some(filter) = row.filter.as_ref().or(self.usual.filter.as_ref()) else {
            self.tell(row.variant.span().start, "lessons.fault.which-filter", &[], "lessons.fault.write-filter");
            return None;
        };
        let filter = self.filter(filter)?;
        let channels = match &row.channels {
            Some(channels) if !filter.channels.contains(channels.get_ref()) => {
                let values: [(&str, &dyn std::fmt::Display); 2] = [("filter", &filter.name()), ("name", &channels.get_ref().name())];
                let known = filter.channels.iter().copied().map(Channels::name);
                self.fault(channels.span().start, say("lessons.fault.no-channels", &values), meant("", known));
                return None;
            }
            Some(channels) => *channels.get_ref(),
            None => {
                let usual = self.usual.channels.as_ref().map(|channels| *channels.get_ref());
                usual.filter(|channels| filter.channels.contains(channels)).or(filter.channels.first().copied())?
            }
        };
        let border = row.border.or(self.usual.border).map_or(filter.default_border, |border| filter.border_or_default(border));
        match filter.complete(&Parameters(row.parameters.clone())) {
            Ok(parameters) => Some(Spec { parameters, ..filter.spec(channels, border) }),
            Err(Error { what, why, remedy, .. }) => {
                self.fault(row.variant.span().start, format!("{what}: {why}"), remedy);
                None
            }
        }
    }

    fn filter(&mut self, name: &Spanned<String>) -> Option<&'static Filter> {
        let found = filters::by_name(name.get_ref()).ok();
        if found.is_none() {
            let remedy = meant(name.get_ref(), filters::all().iter().map(|filter| filter.name()));
            self.fault(name.span().start, say("lessons.fault.no-filter", &[("name", name.get_ref())]), remedy);
        }
        found
    }

    fn variant(&mut self, name: &Spanned<String>, spec: &Spec) -> Option<Variant> {
        // Behind the quote.
        let start = name.span().start + 1;
        let Ok(variant) = Variant::parse(name.get_ref()) else {
            let (offset, why, remedy) = unknown_part(name.get_ref());
            self.fault(start + offset, why, remedy);
            return None;
        };
        if let Err(error) = variant.check(spec.filter.filter(), Setting::of(spec)) {
            self.fault(start, say("lessons.fault.not-allowed", &[("variant", &variant), ("why", &error.why)]), String::new());
            return None;
        }
        Some(variant)
    }

    fn local(&mut self, local: &Spanned<String>) -> Option<LocalSize> {
        let size = local.get_ref().parse::<LocalSize>().ok().filter(|size| !matches!(size, LocalSize::Explicit([0, _] | [_, 0])));
        if size.is_none() {
            let values: [(&str, &dyn std::fmt::Display); 1] = [("name", local.get_ref())];
            self.tell(local.span().start, "lessons.fault.no-local", &values, "lessons.fault.write-local");
        }
        size
    }

    fn picture(&mut self, picture: &Spanned<String>) -> Option<Picture> {
        let name = picture.get_ref().as_str();
        let generated = || {
            let (width, height) = name.strip_prefix("generated ")?.split_once('x')?;
            let size = [width.parse().ok()?, height.parse().ok()?];
            check_size(size[0], size[1], Channels::Rgb).is_ok().then_some(Picture::Generated(size))
        };
        let sample = samples().iter().find(|sample| sample.name == name).map(|sample| Picture::Sample(sample.name));
        let found = sample.or_else(generated);
        if found.is_none() {
            let names = samples().iter().map(|sample| sample.name).collect::<Vec<_>>().join(", ");
            let remedy = say("lessons.fault.write-picture", &[("names", &names)]);
            self.fault(picture.span().start, say("lessons.fault.no-picture", &[("name", &name)]), remedy);
        }
        found
    }

    fn panel(&mut self, panel: &Spanned<String>) -> Option<&'static str> {
        let found = panels().find(|known| known == panel.get_ref());
        if found.is_none() {
            let remedy = meant(panel.get_ref(), panels());
            self.fault(panel.span().start, say("lessons.fault.no-panel", &[("name", panel.get_ref())]), remedy);
        }
        found
    }

    fn figure(&mut self, figure: &Spanned<String>) -> Option<Concept> {
        let found = Concept::named(figure.get_ref());
        if found.is_none() {
            let remedy = meant(figure.get_ref(), Concept::ALL.into_iter().map(Concept::name));
            self.fault(figure.span().start, say("lessons.fault.no-figure", &[("name", figure.get_ref())]), remedy);
        }
        found
    }
}

/// What of a variant's name is not known: where it begins, why, and what is meant.
fn unknown_part(name: &str) -> (usize, String, String) {
    let mut offset = 0;
    for part in name.split('+') {
        let (stage_name, value) = part.split_once('=').unwrap_or((part, ""));
        let Some(stage) = stages().find(|stage| stage.name == stage_name) else {
            let known = stages().map(|stage| stage.name);
            return (offset, say("lessons.fault.no-stage", &[("name", &stage_name)]), meant(stage_name, known));
        };
        if !stage.values.iter().any(|known| known.name == value) {
            let known: Vec<String> = stage.values.iter().map(|value| spelled(stage_name, value)).collect();
            let values: [(&str, &dyn std::fmt::Display); 2] = [("stage", &stage_name), ("value", &value)];
            return (offset, say("lessons.fault.no-value", &values), meant("", known.iter().map(String::as_str)));
        }
        offset += part.len() + 1;
    }
    (0, say("lessons.fault.twice", &[("name", &name)]), String::new())
}
