//! The filters: their rows, which are read from folders, and what Rust is attached to built-in ones, with their hand-worked tests.

mod add;
mod allowed;
mod attached;
mod bilateral;
mod box_filter;
mod brought;
mod copy;
mod curve;
pub mod definition;
mod demosaic;
mod despeckle;
mod dilate;
mod drawing;
#[cfg(test)]
mod drawing_tests;
mod edges;
mod epsilon;
mod equalize;
mod exposure;
mod gaussian;
mod integral;
mod ladder;
mod laplace;
mod luma;
mod match_template;
mod median;
mod median_wide;
mod on_cpu;
mod resize;
mod rotate;
mod rules;
mod sobel;
mod stage_rules;
mod words;

pub use allowed::{SettingExt, Switched, VariantExt, alternatives, rules};
pub use brought::{FilterIdExt, all, bring};
pub use drawing::Grid;
pub use ladder::{Claim, FigureKind, Figures, Ladder, Says, Step};
pub use on_cpu::{FilterOnCpu, instructions};
pub use rules::{Condition, Kind, Objection, Rule};

use crate::footprint::Describe;
use crate::launch::{Launch, LaunchOf, Pass, Shape};
use base::error::Result;
use base::texts;
use model::{BorderMode, Channels, Counts, CpuEngine, FilterId, Labelled, Parameters, Reach, Setting, Spec, StageId, StageValue, Variant};
use pictures::{Picture, Sharing};
use std::fmt::Display;
use std::ops::{Range, RangeInclusive};

/// One slider of a filter.
#[derive(Debug)]
pub struct Parameter {
    /// As in `--set NAME=VALUE`.
    pub name: &'static str,
    /// Where the texts have its label.
    pub label_key: &'static str,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Value at the start.
    pub default: f64,
    /// Step of the slider.
    pub step: f64,
    /// Whether only whole numbers mean something.
    pub is_whole: bool,
}

impl Parameter {
    /// As in the window.
    #[must_use]
    pub fn label(&self) -> &'static str {
        // A test holds every parameter to have one.
        texts::find(self.label_key).unwrap_or_default()
    }
}

/// One filter: everything that menus, command line, engine and tests need to know of it.
pub struct Filter {
    /// Its id, which has its name.
    pub id: FilterId,
    /// Name of the file in `kernels/`, or among its own files, that stages specialize, see [`Filter::file_of`].
    pub kernel_file: &'static str,
    /// Kernel files of its own by name; none of a built-in filter, whose files are in `kernels/`.
    pub files: &'static [(&'static str, &'static str)],
    /// Its ladders.
    pub ladders: &'static [Ladder],
    /// The stages that its kernel files know, with the values it knows of them.
    pub stages: &'static [Offer],
    /// Its own rules, beside those of the stages: what its kernel file cannot combine, or has no use for.
    pub rules: &'static [(StageId, Rule)],
    /// The channels it is defined for.
    pub channels: &'static [Channels],
    /// The channels of its output; `None`: those of its source.
    pub output_channels: Option<Channels>,
    /// Width and height of its output over a source of some width and height; `None`: the same.
    pub output_size: Option<OutputSize>,
    /// Whether an output byte depends on the whole picture, and not only on what its mask reaches: it cannot be computed in parts.
    pub is_whole: bool,
    /// The border modes that make a difference; a single one where it looks at no neighbors.
    pub borders: &'static [BorderMode],
    /// Its sliders.
    pub parameters: &'static [Parameter],
    /// The border mode at the start.
    pub default_border: BorderMode,
    /// How far its mask reaches: an output byte depends on no others. A name that is missing has its default.
    pub reach: &'static (dyn Fn(&Parameters) -> Reach + Sync),
    /// The smallest and largest value of any partial sum, in the order the kernels add. A name that is missing has its default.
    pub sum_range: &'static (dyn Fn(&Parameters) -> RangeInclusive<i32> + Sync),
    /// By how much an output byte of a variant may differ from the reference: 0 for integer arithmetic. CPU competitors are held to that of
    /// naive.
    pub tolerance: &'static (dyn Fn(&Variant) -> u8 + Sync),
    /// Values of parameters that are compiled into a variant's kernel, by the name that the kernel file tests.
    pub defines: &'static (dyn Fn(&Variant, &Parameters) -> Defines + Sync),
    /// Whether a variant's functions are inlined by force where a compiler would keep them as calls ([`model::Abilities::keeps_calls`]): where that was
    /// measured to be faster.
    pub inlines: &'static (dyn Fn(&Variant) -> bool + Sync),
    /// What is prepared and launched for a variant.
    pub launch: LaunchOf,
    /// What a work-item of a pass loads, computes and stores.
    pub footprint: Describe,
    /// What its outputs are held to.
    pub reference: Reference,
    /// What an output pixel is made of, to be drawn.
    pub drawing: fn(&Parameters) -> Vec<Grid>,
    /// What its kernels do under a condition that depends on the pixels; `None`: nothing.
    pub conditional: Option<Conditional>,
    /// The CPU competitors; `None` where nobody has written them.
    pub cpu: Option<FilterOnCpu>,
}

/// Width and height of an output, in pixels, by parameters and those of the source.
pub type OutputSize = &'static (dyn Fn(&Parameters, [usize; 2]) -> [usize; 2] + Sync);

/// Output bytes of the given rows, which lie inside the output, in its channels.
pub type ReferenceRows = fn(&Picture, BorderMode, &Parameters, Range<usize>) -> Vec<u8>;

/// What outputs of a filter are held to.
#[derive(Clone, Copy, Debug)]
pub enum Reference {
    /// A plain program of [`kernel_ladder_cpu::reference`], which shares nothing with the kernels.
    Rows(ReferenceRows),
    /// The naive kernel, on another device where there is one: an error that all kernels share is not found.
    Naive,
}

/// Work that depends on the pixels: lanes of a sub-group may part ways there.
#[derive(Clone, Copy, Debug)]
pub struct Conditional {
    /// The tests for an output pixel, column and row, in the order of the kernel; none where it is stored without any. As the plain reference has them.
    pub tests: fn(&Shape, &Picture, [usize; 2]) -> Vec<Tested>,
    /// Whether a variant's kernel branches there. Others compute both sides, and choose or mask.
    pub branches: fn(&Shape) -> bool,
}

/// One test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tested {
    /// The neighbor that is tested: columns to the right and rows down.
    pub neighbor: [isize; 2],
    /// Its value.
    pub value: u8,
    /// Whether the work is done.
    pub is_true: bool,
}

/// A stage that a filter's kernel file knows.
#[derive(Debug)]
pub struct Offer {
    /// Which.
    pub id: StageId,
    /// The values that it has there for gray and for RGB; `None`: all of the table.
    values: Option<[&'static [u8]; 2]>,
    /// What the texts go by that hold for this filter; `None`: the stage's own do.
    texts: Option<&'static str>,
}

impl Offer {
    /// The stage with all its values.
    #[must_use]
    pub const fn all(id: StageId) -> Self {
        Self { id, values: None, texts: None }
    }

    /// The stage with these values alone.
    #[must_use]
    pub const fn only(id: StageId, values: &'static [u8]) -> Self {
        Self::by_channels(id, values, values)
    }

    /// The stage with some values for gray and others for RGB.
    #[must_use]
    pub const fn by_channels(id: StageId, gray: &'static [u8], rgb: &'static [u8]) -> Self {
        Self { id, values: Some([gray, rgb]), texts: None }
    }

    /// The same with the reason and more that `assets/texts/LANGUAGE/stages.toml` has under the stage and this name, where the stage's own would not be
    /// true of the filter.
    #[must_use]
    pub const fn because(self, texts: &'static str) -> Self {
        Self { texts: Some(texts), ..self }
    }

    /// Why one would switch it on, in one sentence without a full stop.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.text("reason")
    }

    /// More on demand.
    #[must_use]
    pub fn more(&self) -> &'static str {
        self.text("more")
    }

    fn text(&self, part: &str) -> &'static str {
        // A test holds every offer to have both.
        texts::find(&self.key(part)).unwrap_or_default()
    }

    fn key(&self, part: &str) -> String {
        let own = self.texts.map_or_else(String::new, |own| format!(".{own}"));
        format!("stages.{}{own}.{part}", self.id.stage().name)
    }

    /// The rows of the stage's values that the filter knows, for any channels.
    pub fn values(&self) -> impl Iterator<Item = &'static StageValue> + use<> {
        let known = self.values;
        self.id.stage().values.iter().filter(move |value| known.is_none_or(|known| known.iter().any(|known| known.contains(&value.value))))
    }

    /// Those for these channels.
    fn values_for(&self, channels: Channels) -> impl Iterator<Item = &'static StageValue> + use<> {
        let known = self.values.map(|[gray, rgb]| match channels {
            Channels::Gray => gray,
            Channels::Rgb => rgb,
        });
        let exist = self.id.stage().values.iter().filter(move |value| value.channels.contains(&channels));
        exist.filter(move |value| known.is_none_or(|known| known.contains(&value.value)))
    }
}

/// Values by the names that a kernel file tests.
pub type Defines = Vec<(&'static str, i64)>;

impl std::fmt::Debug for Filter {
    /// The name says it all; the row is in the table.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Filter({})", self.name())
    }
}

impl Filter {
    /// A row that says nothing yet: no stages, no parameters, a source of any channels.
    const fn nothing(id: FilterId) -> Self {
        Self {
            id,
            kernel_file: "",
            files: &[],
            ladders: &[],
            stages: &[],
            rules: &[],
            channels: &Channels::ALL,
            output_channels: None,
            output_size: None,
            is_whole: false,
            borders: &[BorderMode::Replicate],
            parameters: &[],
            default_border: BorderMode::Replicate,
            reach: &|_| Reach::around(0),
            // What nobody told fits nowhere.
            sum_range: &|_| i32::MIN..=i32::MAX,
            tolerance: &|_| 0,
            defines: &|_, _| Vec::new(),
            inlines: &|_| false,
            launch: &|shape| Launch::single(shape.tight(), shape.tight(), Pass { kernel: "", global: [1, 1], arguments: Vec::new() }),
            footprint: &|trace| trace.leave_untold(),
            reference: Reference::Naive,
            drawing: |_| Vec::new(),
            conditional: None,
            cpu: None,
        }
    }

    /// As on the command line and in every record.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.id.name()
    }

    /// The file that has a variant's kernel: the `naive.cl` of its folder, as a textbook would write it, or the one that stages specialize. A person's own filter
    /// need not have the former; where it has, that is the naive variant alone.
    #[must_use]
    pub fn file_of(&self, variant: &Variant) -> String {
        const TEXTBOOK: &str = "naive.cl";
        let has_own = || *variant == Variant::naive() && self.files.iter().any(|(name, _)| *name == TEXTBOOK);
        if self.id.is_built_in() && variant.is_textbook() {
            format!("{}/{TEXTBOOK}", self.name())
        } else if has_own() {
            TEXTBOOK.to_owned()
        } else {
            self.kernel_file.to_owned()
        }
    }

    /// The options of a command that name it: of a filter from a folder with the folder, of which the name alone is known.
    #[must_use]
    pub fn options(&self) -> String {
        let name = self.name();
        if self.files.is_empty() { format!("--filter {name}") } else { format!("--filters {name} --filter {name}") }
    }

    /// As in the window.
    #[must_use]
    pub fn label(&self) -> &'static str {
        self.text("label")
    }

    /// What it computes, in one sentence without a full stop.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.text("summary")
    }

    /// What it computes as a formula: p is the source, q the output.
    #[must_use]
    pub fn formula(&self) -> &'static str {
        self.text("formula")
    }

    fn text(&self, part: &str) -> &'static str {
        // A test holds every filter to have all three.
        texts::find(&format!("filters.{}.{part}", self.name())).unwrap_or_default()
    }

    /// The filter with all its parameters at their start.
    #[must_use]
    pub fn spec(&self, channels: Channels, border: BorderMode) -> Spec {
        Spec { filter: self.id, parameters: self.defaults(), channels, border }
    }

    /// The parameters at the start.
    #[must_use]
    pub fn defaults(&self) -> Parameters {
        Parameters(self.parameters.iter().map(|parameter| (parameter.name.to_owned(), parameter.default)).collect())
    }

    /// What the filter knows of a stage; `None` where it does not know it.
    #[must_use]
    pub fn offer(&self, id: StageId) -> Option<&'static Offer> {
        self.stages.iter().find(|offer| offer.id == id)
    }

    /// The values of a stage that this filter knows and that exist for the setting's channels.
    pub fn values_for(&self, id: StageId, setting: Setting) -> impl Iterator<Item = &'static StageValue> + use<> {
        self.offer(id).into_iter().flat_map(move |offer| offer.values_for(setting.channels))
    }

    /// The CPU competitors that there are.
    #[must_use]
    pub fn competitors(&self) -> &'static [CpuEngine] {
        if self.cpu.is_some() { &CpuEngine::ALL } else { &[] }
    }

    /// The channels of the output over a source of `channels`.
    #[must_use]
    pub fn output_channels(&self, channels: Channels) -> Channels {
        self.output_channels.unwrap_or(channels)
    }

    /// Whether what lies beyond the edge makes a difference.
    #[must_use]
    pub fn looks_at_neighbors(&self) -> bool {
        self.borders.len() > 1 || (self.reach)(&self.defaults()) != Reach::default()
    }

    /// How readings and headings name a border mode; `None` where it makes no difference.
    #[must_use]
    pub fn border_words(&self, border: BorderMode) -> Option<String> {
        self.looks_at_neighbors().then(|| texts::filled("words.spec.border", &[("border", &border.name())]))
    }

    /// The border mode, or the filter's own where it does not know that one.
    #[must_use]
    pub fn border_or_default(&self, border: BorderMode) -> BorderMode {
        if self.borders.contains(&border) { border } else { self.default_border }
    }

    /// The parameters with every name checked, in range, and none missing.
    ///
    /// # Errors
    /// A usage error that names the parameter and its range, or the whole numbers beside a value that is none.
    pub fn complete(&self, given: &Parameters) -> Result<Parameters> {
        let mut complete = Parameters::default();
        for name in given.0.keys() {
            if !self.parameters.iter().any(|parameter| parameter.name == name) {
                let known: Vec<_> = self.parameters.iter().map(|parameter| parameter.name).collect();
                let key = if known.is_empty() { "errors.filter.no-parameters" } else { "errors.filter.no-parameter" };
                let known = texts::meant(name, known.iter().copied());
                return Err(texts::misused(key, &[("name", name), ("filter", &self.label()), ("known", &known)]));
            }
        }
        for parameter in self.parameters {
            let value = given.0.get(parameter.name).copied().unwrap_or(parameter.default);
            if !(parameter.min..=parameter.max).contains(&value) {
                let values: [(&str, &dyn Display); 4] =
                    [("name", &parameter.name), ("value", &value), ("min", &parameter.min), ("max", &parameter.max)];
                return Err(texts::misused("errors.filter.out-of-range", &values));
            }
            // Not rounded: what is recorded is what was asked for and what was computed.
            if parameter.is_whole && value.fract() != 0.0 {
                let values: [(&str, &dyn Display); 4] =
                    [("name", &parameter.name), ("value", &value), ("below", &value.floor()), ("above", &value.ceil())];
                return Err(texts::misused("errors.filter.not-whole", &values));
            }
            complete.0.insert(parameter.name.to_owned(), value);
        }
        Ok(complete)
    }

    /// Width and height of the output over a source of `size_px`, in pixels.
    #[must_use]
    pub fn output_size(&self, parameters: &Parameters, size_px: [usize; 2]) -> [usize; 2] {
        self.output_size.map_or(size_px, |of| of(parameters, size_px))
    }

    /// A black output over `picture`, with its alpha where it has the same size.
    #[must_use]
    pub fn blank(&self, picture: &Picture, parameters: &Parameters, sharing: Sharing) -> Picture {
        let size_px = self.output_size(parameters, [picture.width_px(), picture.height_px()]);
        Picture::blank(picture, size_px, self.output_channels(picture.channels()), sharing)
    }

    /// A parameter, or its value at the start where `given` does not have it.
    #[must_use]
    pub fn parameter(&self, given: &Parameters, name: &str) -> f64 {
        let start = || self.parameters.iter().find(|parameter| parameter.name == name).map_or(0.0, |parameter| parameter.default);
        given.0.get(name).copied().unwrap_or_else(start)
    }

    /// The same as a whole number, at least 1: a radius, a percentage.
    #[must_use]
    pub fn whole_parameter(&self, given: &Parameters, name: &str) -> usize {
        self.parameter(given, name).round().max(1.0) as usize
    }

    /// The same where nothing may be refused: all at their start where something is wrong with them.
    #[must_use]
    pub fn complete_or_defaults(&self, given: &Parameters) -> Parameters {
        self.complete(given).unwrap_or_else(|_| self.defaults())
    }

    /// Memory and arithmetic operations of a variant per output pixel, see [`crate::footprint::counts`].
    #[must_use]
    pub fn counts(&self, shape: &Shape, local: [usize; 2]) -> Option<Counts> {
        crate::footprint::counts(self.launch, self.footprint, shape, local)
    }

    /// The plain reference of a whole picture, alpha included; `None` where there is none but the naive kernel.
    #[must_use]
    pub fn reference(&self, picture: &Picture, border: BorderMode, parameters: &Parameters) -> Option<Picture> {
        let Reference::Rows(rows) = self.reference else { return None };
        let parameters = self.complete(parameters).unwrap_or_else(|_| parameters.clone());
        let mut output = self.blank(picture, &parameters, Sharing::Private);
        let bytes = rows(picture, border, &parameters, 0..output.height_px());
        debug_assert_eq!(bytes.len(), output.bytes().len(), "a reference covers the rows it was asked for");
        for (place, byte) in output.bytes_mut().iter_mut().zip(bytes) {
            *place = byte;
        }
        Some(output)
    }

    /// Its published ladders, in the order of menus.
    #[must_use]
    pub fn ladders(&self) -> &'static [Ladder] {
        self.ladders
    }

    /// The ladder of that name.
    #[must_use]
    pub fn ladder(&self, name: &str) -> Option<&'static Ladder> {
        self.ladders().iter().find(|ladder| ladder.name == name)
    }
}

/// What is computed, for headings and details: "Box filter (radius 16), gray, border replicate".
#[must_use]
pub fn spec_text(spec: &Spec) -> String {
    let filter = spec.filter.filter();
    let name = match spec.parameters.text() {
        text if text.is_empty() => filter.label().to_owned(),
        text => texts::filled("words.spec.parameters", &[("filter", &filter.label()), ("parameters", &text)]),
    };
    let parts = [Some(name), Some(spec.channels.label().to_owned()), filter.border_words(spec.border)];
    texts::joined("words.list.items", parts.into_iter().flatten())
}

/// Every ladder, filter by filter.
pub fn ladders() -> impl Iterator<Item = &'static Ladder> + Clone {
    all().iter().flat_map(|filter| filter.ladders())
}

/// The ladder of that name, whatever filter it is of.
#[must_use]
pub fn ladder(name: &str) -> Option<&'static Ladder> {
    ladders().find(|ladder| ladder.name == name)
}

/// The filter of that name, for arguments.
///
/// # Errors
/// A usage error that lists those there are.
pub fn by_name(name: &str) -> Result<&'static Filter> {
    Ok(name.parse::<FilterId>()?.filter())
}

#[cfg(test)]
mod tests {
    use super::Offer;
    use base::texts;
    use model::{STAGES, StageValue};
    use std::collections::BTreeSet;

    #[test]
    fn every_stage_and_offer_has_its_texts_and_every_text_is_used() {
        let shared = || STAGES.iter();
        let stages = shared().map(|stage| Offer::all(stage.id));
        let parts = |offer: &Offer| ["reason", "more"].map(|part| offer.key(part));
        let offers = super::all().iter().flat_map(|filter| filter.stages);
        let labels = shared().map(|stage| format!("stages.{}.label", stage.name));
        let values = shared().flat_map(|stage| stage.values).map(StageValue::key).filter(|key| texts::find(key).is_some());
        let reasons = stages.flat_map(|offer| parts(&offer)).chain(offers.flat_map(parts));
        let used: BTreeSet<String> = reasons.chain(labels).chain(values).collect();
        let there: BTreeSet<String> = texts::keys("stages").map(str::to_owned).collect();
        assert_eq!(used, there);
    }

    #[test]
    fn every_filter_and_parameter_has_its_texts_and_every_text_is_used() {
        let filters =
            super::all().iter().flat_map(|filter| ["label", "summary", "formula"].map(|part| format!("filters.{}.{part}", filter.name())));
        let parameters = super::all().iter().flat_map(|filter| filter.parameters).map(|parameter| parameter.label_key.to_owned());
        let grids = super::all().iter().flat_map(|filter| (filter.drawing)(&filter.defaults()));
        let grids = grids.map(|grid| format!("filters.grid.{}", grid.caption));
        let used: BTreeSet<String> = filters.chain(parameters).chain(grids).collect();
        let there: BTreeSet<String> = texts::keys("filters").map(str::to_owned).collect();
        assert_eq!(used, there);
    }

    #[test]
    fn every_rule_has_its_reason_and_every_reason_is_used() {
        let rules = super::all().iter().flat_map(|filter| filter.stages.iter().flat_map(|offer| super::rules(offer.id, filter)));
        let used: BTreeSet<String> = rules.map(|rule| format!("rules.reason.{}", rule.reason)).collect();
        let there: BTreeSet<String> = texts::keys("rules").filter(|key| key.starts_with("rules.reason.")).map(str::to_owned).collect();
        assert_eq!(used, there);
    }
}
