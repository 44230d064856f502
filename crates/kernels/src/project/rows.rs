//! `project.toml` as it is written.

use super::job::{Element, Role};
use crate::filters::definition::Written;
use model::{ChannelOrder, ChannelType, TexelFormat};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Spanned, Value};

/// Expressions by name.
pub type Named = BTreeMap<Spanned<String>, Spanned<Written>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectRow {
    pub kernel: Spanned<String>,
    #[serde(default)]
    pub options: String,
    #[serde(default)]
    pub include: Vec<Spanned<String>>,
    #[serde(default, rename = "let")]
    pub lets: Named,
    #[serde(default, rename = "define")]
    pub defines: Named,
    #[serde(default, rename = "parameter")]
    pub parameters: Vec<ParameterRow>,
    #[serde(default)]
    pub conditions: Vec<Spanned<String>>,
    #[serde(default, rename = "buffer")]
    pub buffers: Vec<BufferRow>,
    #[serde(default, rename = "image")]
    pub images: Vec<ImageRow>,
    #[serde(default, rename = "launch")]
    pub launches: Vec<LaunchRow>,
    pub reference: Option<Spanned<ReferenceRow>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterRow {
    pub name: Spanned<String>,
    pub values: Spanned<Vec<Value>>,
    pub default: Option<Spanned<Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferRow {
    pub name: Spanned<String>,
    #[serde(rename = "type")]
    pub element: Element,
    pub count: Spanned<Written>,
    pub role: Option<Spanned<RoleRow>>,
    pub from: Option<Spanned<FromRow>>,
    /// A file with what it should hold.
    pub expected: Option<Spanned<String>>,
    #[serde(default)]
    pub tolerance: ToleranceRow,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageRow {
    pub name: Spanned<String>,
    pub channels: ChannelOrder,
    #[serde(rename = "type")]
    pub channel: ChannelType,
    /// Width, height, and of an `image3d_t` depth.
    pub size: Spanned<Vec<Spanned<Written>>>,
    /// Of an `image2d_array_t`.
    pub layers: Option<Spanned<Written>>,
    /// These as of a buffer.
    pub role: Option<Spanned<RoleRow>>,
    pub from: Option<Spanned<FromRow>>,
    pub expected: Option<Spanned<String>>,
    #[serde(default)]
    pub tolerance: ToleranceRow,
}

/// What buffers and images have in common.
#[derive(Clone, Copy)]
pub struct MemoryRow<'a> {
    pub name: &'a Spanned<String>,
    role: Option<&'a Spanned<RoleRow>>,
    pub from: Option<&'a Spanned<FromRow>>,
    pub expected: Option<&'a Spanned<String>>,
    pub tolerance: &'a ToleranceRow,
}

impl BufferRow {
    pub fn memory(&self) -> MemoryRow<'_> {
        let Self { name, role, from, expected, tolerance, .. } = self;
        MemoryRow { name, role: role.as_ref(), from: from.as_ref(), expected: expected.as_ref(), tolerance }
    }
}

impl ImageRow {
    pub fn memory(&self) -> MemoryRow<'_> {
        let Self { name, role, from, expected, tolerance, .. } = self;
        MemoryRow { name, role: role.as_ref(), from: from.as_ref(), expected: expected.as_ref(), tolerance }
    }

    pub fn format(&self) -> TexelFormat {
        TexelFormat { order: self.channels, channel: self.channel }
    }
}

impl MemoryRow<'_> {
    /// Without one that is given: an output where nothing is said of what it holds, else an input.
    pub fn role(&self) -> RoleRow {
        let given = self.role.map(|role| *role.get_ref());
        given.unwrap_or(if self.from.is_some() { RoleRow::Input } else { RoleRow::Output })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RoleRow {
    Input,
    Output,
    Both,
    /// Only kernels see it; its size may depend on the configuration.
    Scratch,
}

impl RoleRow {
    /// Of a buffer or an image of the problem.
    pub fn role(self) -> Option<Role> {
        match self {
            Self::Input => Some(Role::Input),
            Self::Output => Some(Role::Output),
            Self::Both => Some(Role::Both),
            Self::Scratch => None,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToleranceRow {
    #[serde(default)]
    pub absolute: f64,
    #[serde(default)]
    pub relative: f64,
    #[serde(default)]
    pub share: f64,
}

/// What a buffer holds at the start: one of these.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FromRow {
    /// Every element is this.
    pub value: Option<f64>,
    /// From this number on, each one more than the last.
    pub count_from: Option<f64>,
    /// Numbers of an even spread from the first to the second.
    pub random: Option<[f64; 2]>,
    #[serde(default)]
    pub seed: u32,
    /// The program's generated picture of that width and height.
    pub picture: Option<[Spanned<Written>; 2]>,
    pub channels: Option<Spanned<usize>>,
    /// A `.npy` file, or one with nothing but the elements.
    pub file: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchRow {
    pub kernel: Spanned<String>,
    pub global: Spanned<Vec<Spanned<Written>>>,
    pub local: Option<Spanned<Vec<Spanned<Written>>>>,
    pub arguments: Spanned<Vec<Spanned<Written>>>,
    pub when: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceRow {
    /// The file of naive kernels; `launch` says how they are launched.
    pub kernel: Option<Spanned<String>>,
    #[serde(default, rename = "launch")]
    pub launches: Vec<LaunchRow>,
    #[serde(default)]
    pub options: String,
    /// A program and its arguments, in which `{buffer}` stands for the `.npy` file of that buffer.
    pub command: Option<Spanned<Vec<String>>>,
    /// How long it may take.
    pub seconds: Option<u64>,
}
