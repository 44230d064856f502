//! The table of filters. One file a filter: its row, its plain reference, its hand-worked tests, its ladders.

pub mod laplace;

use crate::error::{Error, Result};
use crate::image::{BorderMode, Channels, Picture};
use crate::stages::StageId;
use crate::variant::Variant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// The values of a filter's parameters by name; a name that is missing has its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parameters(pub BTreeMap<String, f64>);

/// One slider of a filter.
#[derive(Debug)]
pub struct Parameter {
    /// As in `--set NAME=VALUE`.
    pub name: &'static str,
    /// As in the window.
    pub label: &'static str,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Value at the start.
    pub default: f64,
    /// Step of the slider.
    pub step: f64,
}

/// One filter: everything that menus, command line, engine and tests need to know of it.
pub struct Filter {
    /// As on the command line.
    pub name: &'static str,
    /// As in the window.
    pub label: &'static str,
    /// What it computes, in one sentence without a full stop.
    pub summary: &'static str,
    /// Name of its file in `kernels/`.
    pub kernel_file: &'static str,
    /// Name of the `__kernel` function.
    pub kernel_name: &'static str,
    /// The stages that its kernel file knows.
    pub stages: &'static [StageId],
    /// The channels it is defined for.
    pub channels: &'static [Channels],
    /// Its sliders.
    pub parameters: &'static [Parameter],
    /// The border mode at the start.
    pub default_border: BorderMode,
    /// How far a neighbor can be, in pixels.
    pub radius_px: usize,
    /// The smallest and largest value of any partial sum, in the order the kernels add.
    pub sum_range: (i32, i32),
    /// By how much an output byte may differ from the reference: 0 for integer filters.
    pub tolerance: u8,
    /// The plain reference, obviously right and never fast: the output bytes of the given rows, which lie inside the picture. By rows, so
    /// that a large picture can be cancelled and spread over cores.
    pub reference_rows: fn(&Picture, BorderMode, &Parameters, Range<usize>) -> Vec<u8>,
    /// The CPU competitors.
    pub cpu: crate::cpu::FilterOnCpu,
    /// Published ladders.
    pub ladders: &'static [Ladder],
}

impl std::fmt::Debug for Filter {
    /// The name says it all; the row is in the table.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Filter({})", self.name)
    }
}

impl Filter {
    /// Whether 16-bit signed accumulators suffice.
    #[must_use]
    pub fn sum_fits_16_bits(&self) -> bool {
        self.sum_range.0 >= i32::from(i16::MIN) && self.sum_range.1 <= i32::from(i16::MAX)
    }

    /// The parameters with every name checked, in range, and none missing.
    ///
    /// # Errors
    /// A usage error that names the parameter and its range.
    pub fn complete(&self, given: &Parameters) -> Result<Parameters> {
        let mut complete = Parameters::default();
        for name in given.0.keys() {
            if !self.parameters.iter().any(|parameter| parameter.name == name) {
                let known: Vec<_> = self.parameters.iter().map(|parameter| parameter.name).collect();
                let remedy =
                    if known.is_empty() { "it has none; leave --set out".to_owned() } else { format!("it has {}", known.join(", ")) };
                return Err(Error::usage(
                    format!("Parameter '{name}' is not known"),
                    format!("{} has no such parameter", self.label),
                    remedy,
                ));
            }
        }
        for parameter in self.parameters {
            let value = given.0.get(parameter.name).copied().unwrap_or(parameter.default);
            if !(parameter.min..=parameter.max).contains(&value) {
                return Err(Error::usage(
                    format!("Parameter '{}' is out of range", parameter.name),
                    format!("{value} is not between {} and {}", parameter.min, parameter.max),
                    "choose a value inside the range",
                ));
            }
            complete.0.insert(parameter.name.to_owned(), value);
        }
        Ok(complete)
    }

    /// The plain reference of a whole picture, alpha included.
    #[must_use]
    pub fn reference(&self, picture: &Picture, border: BorderMode, parameters: &Parameters) -> Picture {
        let mut output = picture.clone();
        let bytes = (self.reference_rows)(picture, border, parameters, 0..picture.height_px());
        debug_assert_eq!(bytes.len(), output.bytes().len(), "a reference covers the rows it was asked for");
        for (place, byte) in output.bytes_mut().iter_mut().zip(bytes) {
            *place = byte;
        }
        output
    }

    /// The ladder of that name.
    #[must_use]
    pub fn ladder(&self, name: &str) -> Option<&'static Ladder> {
        self.ladders.iter().find(|ladder| ladder.name == name)
    }
}

/// A published list of variants, in the order in which a guide applies them.
#[derive(Debug)]
pub struct Ladder {
    /// As in `--ladder NAME`.
    pub name: &'static str,
    /// As in the window.
    pub label: &'static str,
    /// Which document, which device, what its figures mean.
    pub source: &'static str,
    /// The channels the study used.
    pub channels: Channels,
    /// The border mode the study used.
    pub border: BorderMode,
    /// Picture sizes (width, height) of the published figures; may be empty.
    pub sizes: &'static [(usize, usize)],
    /// The steps, in order.
    pub steps: &'static [Step],
}

/// One step of a ladder.
#[derive(Debug)]
pub struct Step {
    /// Short title.
    pub label: &'static str,
    /// The variant's name.
    pub variant: &'static str,
    /// Why the guide takes this step, in our words.
    pub why: &'static str,
    /// Published speed-up per size of the ladder; empty where none was published. The first step's figures are against the study's CPU,
    /// the others' against the first step.
    pub published: &'static [f32],
}

impl Step {
    /// The step's variant. Tests hold every ladder to names that parse and are allowed.
    #[must_use]
    pub fn variant(&self) -> Variant {
        Variant::parse(self.variant).unwrap_or_default()
    }
}

/// Every filter, in the order menus show them. Adding a filter is one line here.
#[must_use]
pub fn all() -> &'static [&'static Filter] {
    static ALL: [&Filter; 1] = [&laplace::FILTER];
    &ALL
}

/// The filter of that name.
///
/// # Errors
/// A usage error that lists those there are.
pub fn by_name(name: &str) -> Result<&'static Filter> {
    all().iter().copied().find(|filter| filter.name == name).ok_or_else(|| {
        let known: Vec<_> = all().iter().map(|filter| filter.name).collect();
        Error::usage(
            format!("Filter '{name}' is not known"),
            "there is no filter of that name",
            format!("filters are {}", known.join(", ")),
        )
    })
}
