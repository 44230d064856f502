//! Kernels of a person's own: a folder with `project.toml` says what they take, what they bring, how they are launched and which values may be tried.
//!
//! A filter turns a picture into a picture and has stages; a project has any buffers, images and parameters. What is read here is resolved to plain data, a
//! [`Problem`] and a [`Job`] for each configuration, which knows nothing of expressions and files. `docs/projects.md` describes the format.

mod contents;
mod half;
mod includes;
mod job;
mod kernel_tuner;
mod macros;
mod read;
#[cfg(test)]
mod reading_tests;
mod resolve;
mod rows;
mod signature;
mod skeleton;

pub use contents::{NumpyFault, numpy, numpy_bytes, numpy_of_sides};
pub use job::{Argument, Difference, Element, Job, Launch, Memory, Problem, Role, Scratch, Texels, Tolerance, difference};
pub use kernel_tuner::{Imported, import};
pub use read::{MOST_POINTS, PROJECT, stamp};
pub use signature::{Declared, Signature, Space, kernels};
pub use skeleton::skeleton;

use crate::filters::definition::Misfit;
use base::expr::Expr;
use model::{ImageKind, Sampling, TexelFormat};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A project that was read; nothing is wrong with it that can be known without a device.
#[derive(Clone, Debug)]
pub struct Project {
    /// The folder's name.
    pub name: String,
    /// Where it is.
    pub folder: PathBuf,
    /// The first digits of a hash of all that decides what its configurations compute: definition, kernels and the data of its files.
    pub hash: String,
    /// What may be tried.
    pub parameters: Vec<Parameter>,
    /// Where its reference comes from.
    pub reference: Reference,
    problem: Problem,
    lets: Vec<(String, Expr)>,
    defines: Vec<(String, Expr)>,
    conditions: Vec<Expr>,
    scratch: Vec<ScratchOf>,
    launches: Vec<LaunchOf>,
    source: String,
    options: String,
}

/// Something that kernels are built with, and the values that may be tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, which is that of a define, too.
    pub name: String,
    /// Its values.
    pub values: Vec<Value>,
    /// The index of the one at the start.
    pub default: usize,
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A word, such as a type; expressions do not know it.
    Word(String),
}

impl std::fmt::Display for Value {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Word(word) => formatter.write_str(word),
        }
    }
}

/// What outputs are compared with.
#[derive(Clone, Debug)]
pub enum Reference {
    /// What the first configuration brings: each parameter at its default. Weak: a mistake of all configurations is not found.
    Default,
    /// What naive kernels bring.
    Naive(Box<Job>),
    /// What a program writes.
    Command(Command),
    /// What is stored for every output.
    Stored,
}

/// A program that computes the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments; `{buffer}` stands for a file of that buffer.
    pub words: Vec<String>,
    /// How long it may take.
    pub seconds: u64,
}

/// A launch with its expressions.
#[derive(Clone, Debug)]
struct LaunchOf {
    kernel: String,
    global: Vec<Expr>,
    local: Option<Vec<Expr>>,
    arguments: Vec<ArgumentOf>,
    when: Option<Expr>,
}

#[derive(Clone, Debug)]
enum ArgumentOf {
    Buffer(usize),
    Scratch(usize),
    /// As many numbers as the vector has, or one for all.
    Value {
        element: Element,
        lanes: usize,
        numbers: Vec<Expr>,
    },
    Sampler(Sampling),
    Local(Expr),
}

/// Memory that only kernels see, with its expressions.
#[derive(Clone, Debug)]
struct ScratchOf {
    name: String,
    element: Element,
    extent: Extent,
}

/// How much memory there is.
#[derive(Clone, Debug)]
enum Extent {
    /// So many elements.
    Count(Expr),
    /// Texels along these sides.
    Sides(ImageKind, Vec<Expr>, TexelFormat),
}

/// A choice of a value for each parameter, by its index.
pub type Point = Vec<usize>;

impl Project {
    /// Reads a folder.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(folder: &std::path::Path) -> Result<Self, Vec<Misfit>> {
        read::read(folder)
    }

    /// Its data, with what outputs should be where that is stored.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Each parameter at its default.
    #[must_use]
    pub fn default_point(&self) -> Point {
        self.parameters.iter().map(|parameter| parameter.default).collect()
    }

    /// Names and values of a configuration, as they are written: "TILE=16 UNROLL=4".
    #[must_use]
    pub fn label(&self, point: &[usize]) -> String {
        let one = |(parameter, index): (&Parameter, &usize)| {
            parameter.values.get(*index).map(|value| format!("{}={value}", parameter.name)).unwrap_or_default()
        };
        self.parameters.iter().zip(point).map(one).collect::<Vec<_>>().join(" ")
    }

    /// Names and values of a configuration.
    #[must_use]
    pub fn configuration(&self, point: &[usize]) -> BTreeMap<&str, &Value> {
        let mut named = BTreeMap::new();
        for (parameter, index) in self.parameters.iter().zip(point) {
            if let Some(value) = parameter.values.get(*index) {
                named.insert(parameter.name.as_str(), value);
            }
        }
        named
    }

    /// The text that is built.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// Whether it can be a name of C's preprocessor.
fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && name.len() <= 64
}
