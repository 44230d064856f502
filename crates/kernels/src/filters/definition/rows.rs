//! `filter.toml` and its neighbors as they are written.

use crate::filters::{Figures, Kind};
use model::{BorderMode, Channels};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A number, or an expression.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Written {
    Number(f64),
    Text(String),
}

impl Written {
    pub fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// Values and expressions by name.
type Named = BTreeMap<Spanned<String>, Spanned<Written>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterRow {
    pub channels: Spanned<Vec<Channels>>,
    pub output: Option<Channels>,
    pub output_size: Option<[Spanned<Written>; 2]>,
    #[serde(default)]
    pub whole_picture: bool,
    #[serde(default)]
    pub borders: Vec<BorderMode>,
    pub default_border: Option<Spanned<BorderMode>>,
    pub reach: Option<Spanned<Written>>,
    pub reach_before: Option<Spanned<Written>>,
    pub tolerance: Option<Spanned<Written>>,
    pub sums: Option<[Spanned<Written>; 2]>,
    pub inline: Option<Spanned<String>>,
    pub kernel: Option<Spanned<String>>,
    pub slack: Option<Spanned<Written>>,
    pub slack_rows: Option<Spanned<Written>>,
    pub shift: Option<Spanned<Written>>,
    pub pitched: Option<Spanned<String>>,
    pub surplus: Option<Spanned<Written>>,
    #[serde(default, rename = "let")]
    pub lets: Named,
    #[serde(default, rename = "define")]
    pub defines: Named,
    #[serde(default, rename = "parameter")]
    pub parameters: Vec<ParameterRow>,
    #[serde(default, rename = "stage")]
    pub stages: Vec<StageRow>,
    #[serde(default, rename = "between")]
    pub between: Vec<BetweenRow>,
    #[serde(default, rename = "tile")]
    pub tiles: Vec<TileRow>,
    #[serde(default, rename = "table")]
    pub tables: Vec<TableRow>,
    #[serde(rename = "pass")]
    pub passes: Vec<PassRow>,
    #[serde(default, rename = "footprint")]
    pub footprints: Vec<FootprintRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterRow {
    pub name: Spanned<String>,
    pub min: f64,
    pub max: f64,
    pub default: f64,
    pub step: f64,
    pub whole: Option<bool>,
}

impl ParameterRow {
    /// Whether only whole numbers mean something.
    pub fn is_whole(&self) -> bool {
        self.whole.unwrap_or_else(|| [self.min, self.max, self.default, self.step].iter().all(|value| value.fract() == 0.0))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageRow {
    pub name: Spanned<String>,
    pub define: Option<Spanned<String>>,
    #[serde(default)]
    pub values: Vec<Spanned<Written>>,
    #[serde(default)]
    pub gray: Vec<Spanned<Written>>,
    #[serde(default)]
    pub rgb: Vec<Spanned<Written>>,
    #[serde(default)]
    pub needs: Vec<Spanned<String>>,
    #[serde(default)]
    pub excludes: Vec<Spanned<String>>,
    #[serde(default)]
    pub rules: Vec<RuleRow>,
    pub because: Option<Spanned<String>>,
    #[serde(default)]
    pub build_option: String,
}

/// One condition, and why.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleRow {
    pub needs: Option<Spanned<String>>,
    /// The value of the stage that needs the other one; every value where none is told.
    pub value: Option<Spanned<Written>>,
    pub needs_one_of: Option<Vec<Spanned<String>>>,
    pub excludes: Option<Spanned<String>>,
    pub not_where: Option<Spanned<String>>,
    /// With this value, no sum of the filter may be larger.
    pub sums_up_to: Option<i32>,
    #[serde(default)]
    pub kind: KindRow,
    pub because: Spanned<String>,
}

/// The kinds of reasons that a definition may give.
#[derive(Clone, Copy, Default, Deserialize)]
pub enum KindRow {
    #[default]
    #[serde(rename = "limit")]
    Limit,
    #[serde(rename = "nothing to do")]
    NothingToDo,
    #[serde(rename = "not built here")]
    NotBuilt,
}

impl KindRow {
    pub fn kind(self) -> Kind {
        match self {
            Self::Limit => Kind::Limit,
            Self::NothingToDo => Kind::NothingToDo,
            Self::NotBuilt => Kind::NotBuilt,
        }
    }
}

/// A buffer that has so many bytes, or an image object of that size.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BetweenRow {
    pub name: Spanned<String>,
    pub when: Option<Spanned<String>>,
    pub bytes: Option<Spanned<Written>>,
    pub texels: Option<[Spanned<Written>; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileRow {
    pub name: Spanned<String>,
    pub when: Option<Spanned<String>>,
    pub item_bytes: Option<Spanned<Written>>,
    pub extra_bytes: Option<Spanned<Written>>,
    pub item_rows: Option<Spanned<Written>>,
    pub extra_rows: Option<Spanned<Written>>,
}

/// Constant data: so many values, or one expression for all of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableRow {
    pub name: Spanned<String>,
    #[serde(rename = "type")]
    pub of: NumberRow,
    #[serde(default)]
    pub values: Vec<Spanned<Written>>,
    pub count: Option<Spanned<Written>>,
    pub value: Option<Spanned<Written>>,
}

/// The types of a table's values, as kernels have them.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberRow {
    Int,
    Ushort,
    Float,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassRow {
    pub kernel: Spanned<String>,
    pub when: Option<Spanned<String>>,
    pub items: Option<[Spanned<Written>; 2]>,
    pub global: Option<[Spanned<Written>; 2]>,
    pub arguments: Spanned<Vec<Spanned<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FootprintRow {
    pub stages: Vec<Spanned<String>>,
    pub reads: Vec<[isize; 2]>,
    #[serde(default)]
    pub operations: usize,
}

/// `texts.LANGUAGE.toml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextsRow {
    pub label: Option<String>,
    pub summary: Option<String>,
    pub formula: Option<String>,
    #[serde(default)]
    pub parameter: BTreeMap<Spanned<String>, String>,
    #[serde(default)]
    pub stage: BTreeMap<Spanned<String>, StageTextsRow>,
    #[serde(default)]
    pub ladder: BTreeMap<Spanned<String>, LadderTextsRow>,
    /// Reasons of rules, by what they go by there.
    #[serde(default)]
    pub rule: BTreeMap<Spanned<String>, String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageTextsRow {
    pub label: Option<String>,
    pub reason: Option<String>,
    pub more: Option<String>,
    /// Why it needs or excludes what it does.
    pub rule: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderTextsRow {
    pub label: Option<String>,
    pub device: Option<String>,
    pub source: Option<String>,
    #[serde(default)]
    pub step: BTreeMap<Spanned<String>, StepTextsRow>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepTextsRow {
    pub label: Option<String>,
    pub why: Option<String>,
}

/// `ladders/NAME.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderRow {
    /// Whether it comes before the filter's other ladders.
    #[serde(default)]
    pub first: bool,
    /// Whether no guide has it.
    pub own: Option<bool>,
    /// The ladder of a guide that it goes on from.
    pub continues: Option<String>,
    pub channels: Channels,
    pub border: Option<BorderMode>,
    #[serde(default)]
    pub figures: Figures,
    /// Width and height, as the document states them.
    #[serde(default)]
    pub sizes: Vec<(usize, usize)>,
    #[serde(rename = "step")]
    pub steps: Vec<StepRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRow {
    pub key: Spanned<String>,
    pub variant: Spanned<String>,
    pub local: Option<[usize; 2]>,
    /// A figure for each size, or one alone where the document states no size.
    #[serde(default)]
    pub published: Vec<f64>,
    pub faster_than: Option<Spanned<String>>,
    pub slower_than: Option<Spanned<String>>,
    pub as_fast_as: Option<Spanned<String>>,
    pub no_faster_than: Option<Spanned<String>>,
    /// The sizes that the claim was published for, where these are not all of the ladder's.
    pub at: Option<Spanned<Vec<(usize, usize)>>>,
    /// A claim that the guide does not make.
    #[serde(default)]
    pub ours: bool,
    /// Where the guide makes its claim.
    pub place: Option<Spanned<String>>,
}
