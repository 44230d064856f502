//! `filter.toml` and its neighbors as they are written.

use crate::model::{BorderMode, Channels};
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterRow {
    pub channels: Spanned<Vec<Channels>>,
    pub output: Option<Channels>,
    #[serde(default)]
    pub borders: Vec<BorderMode>,
    pub reach: Option<Spanned<Written>>,
    pub tolerance: Option<Spanned<Written>>,
    pub sums: Option<[Spanned<Written>; 2]>,
    pub kernel: Option<Spanned<String>>,
    pub slack: Option<Spanned<Written>>,
    pub surplus: Option<Spanned<Written>>,
    #[serde(default, rename = "parameter")]
    pub parameters: Vec<ParameterRow>,
    #[serde(default, rename = "stage")]
    pub stages: Vec<StageRow>,
    #[serde(default, rename = "between")]
    pub between: Vec<BetweenRow>,
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
}

impl ParameterRow {
    /// Whether only whole numbers mean something.
    pub fn is_whole(&self) -> bool {
        [self.min, self.max, self.default, self.step].iter().all(|value| value.fract() == 0.0)
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
    pub needs: Vec<Spanned<String>>,
    #[serde(default)]
    pub excludes: Vec<Spanned<String>>,
    #[serde(default)]
    pub build_option: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BetweenRow {
    pub name: Spanned<String>,
    pub bytes: Spanned<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassRow {
    pub kernel: Spanned<String>,
    pub when: Option<Spanned<String>>,
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
    pub channels: Channels,
    pub border: Option<BorderMode>,
    #[serde(rename = "step")]
    pub steps: Vec<StepRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRow {
    pub key: Spanned<String>,
    pub variant: Spanned<String>,
    pub local: Option<[usize; 2]>,
    pub faster_than: Option<Spanned<String>>,
    pub slower_than: Option<Spanned<String>>,
    pub as_fast_as: Option<Spanned<String>>,
}
