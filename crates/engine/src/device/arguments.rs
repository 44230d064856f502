//! Kernel arguments, checked against what the kernel declares: a wrong one can be accepted silently by a driver.

use super::call::Call;
use super::handle::Handle;
use super::{Access, Buffer, Image, Sampler};
use base::error::Result;
use base::texts::{filled, misused, text};
use model::ImageKind;
use opencl3::kernel::{
    CL_KERNEL_ARG_ACCESS_QUALIFIER, CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_READ_WRITE, CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
    CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
    CL_KERNEL_ARG_TYPE_NAME, get_kernel_arg_info,
};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// One argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// A `__global` or `__constant` pointer.
    Buffer(&'a Buffer),
    /// An `image2d_t`, or one of another kind.
    Image(&'a Image),
    /// An `int`.
    Int(i32),
    /// A `float`.
    Float(f32),
    /// A value of any of OpenCL's types.
    Value {
        /// The type: "ushort", "float4".
        type_name: &'a str,
        /// What lies in memory, little-endian.
        bytes: &'a [u8],
    },
    /// A `sampler_t`.
    Sampler(&'a Sampler),
    /// A `__local` pointer to so many bytes for each work-group.
    LocalBytes(usize),
}

impl Arg<'_> {
    /// As an error names it.
    fn label(&self) -> String {
        let key = match self {
            Self::Buffer(_) => "errors.argument.buffer",
            Self::Image(image) => match image.access {
                Access::Read => "errors.argument.image-to-read",
                Access::Write => "errors.argument.image-to-write",
                Access::ReadWrite => "errors.argument.image-to-read-and-write",
            },
            Self::Int(_) => "errors.argument.int",
            Self::Float(_) => "errors.argument.float",
            Self::Value { type_name, .. } => return filled("errors.argument.value", &[("type", type_name)]),
            Self::Sampler(_) => "errors.argument.sampler",
            Self::LocalBytes(_) => "errors.argument.local-memory",
        };
        text(key).to_owned()
    }

    /// Whether the kernel's declaration takes it. A type name that is none of OpenCL's own (a typedef) takes every value; the driver
    /// compares the sizes.
    fn fits(&self, declared: &ArgKind) -> bool {
        let value = |own: &str| {
            let name = declared.type_name.as_str();
            let is_long_name = own.strip_prefix('u').is_some_and(|rest| name.strip_prefix("unsigned ") == Some(rest));
            let scalar = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            declared.space == Space::Private && (name == own || is_long_name || !(is_opaque(name) || SCALARS.contains(&scalar)))
        };
        match self {
            Self::Buffer(_) => matches!(declared.space, Space::Global | Space::Constant) && !is_opaque(&declared.type_name),
            // Drivers differ in where they say that an image lies. A kernel may use less than the image was made for.
            Self::Image(image) => {
                declared.type_name.contains(image.shape().kind.type_name())
                    && declared.access.is_none_or(|access| image.access == access || image.access == Access::ReadWrite)
            }
            Self::LocalBytes(_) => declared.space == Space::Local,
            Self::Int(_) => value("int"),
            Self::Float(_) => value("float"),
            Self::Value { type_name, .. } => value(type_name),
            // Drivers differ in where they say that a sampler lies, too.
            Self::Sampler(_) => declared.type_name.contains(SAMPLER),
        }
    }
}

/// The type of samplers.
const SAMPLER: &str = "sampler_t";

/// Whether a type is that of an image or a sampler.
fn is_opaque(type_name: &str) -> bool {
    ImageKind::ALL.iter().map(|kind| kind.type_name()).chain([SAMPLER]).any(|opaque| type_name.contains(opaque))
}

/// The names of OpenCL C's scalar types, as drivers write them.
const SCALARS: [&str; 16] = [
    "bool",
    "char",
    "uchar",
    "unsigned char",
    "short",
    "ushort",
    "unsigned short",
    "int",
    "uint",
    "unsigned int",
    "long",
    "ulong",
    "unsigned long",
    "half",
    "float",
    "double",
];

/// Where an argument points, or that it is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Space {
    Global,
    Constant,
    Local,
    Private,
}

/// What a kernel declares for one argument. Kept in the disk cache too, as many drivers forget it in their binaries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ArgKind {
    pub(super) space: Space,
    pub(super) type_name: String,
    /// Of an image.
    pub(super) access: Option<Access>,
}

impl ArgKind {
    /// Where or how, and which type: "global uchar*".
    fn label(&self) -> String {
        let where_or_how = self.access.map_or_else(|| format!("{:?}", self.space).to_lowercase(), |access| access.qualifier().to_owned());
        format!("{where_or_how} {}", self.type_name)
    }
}

/// The declarations of all `count` arguments; `None` where the driver does not know them.
pub(super) fn declared(kernel: &Handle, count: u32) -> Option<Vec<ArgKind>> {
    let one = |index| {
        let ask = |which| Call::GetKernelArgInfo.run(|| get_kernel_arg_info(kernel.raw(), index, which)).ok();
        let space = match u32::from(ask(CL_KERNEL_ARG_ADDRESS_QUALIFIER)?) {
            CL_KERNEL_ARG_ADDRESS_GLOBAL => Space::Global,
            CL_KERNEL_ARG_ADDRESS_CONSTANT => Space::Constant,
            CL_KERNEL_ARG_ADDRESS_LOCAL => Space::Local,
            _ => Space::Private,
        };
        let type_name = String::from(ask(CL_KERNEL_ARG_TYPE_NAME)?);
        let access = match u32::from(ask(CL_KERNEL_ARG_ACCESS_QUALIFIER)?) {
            CL_KERNEL_ARG_ACCESS_READ_ONLY => Some(Access::Read),
            CL_KERNEL_ARG_ACCESS_WRITE_ONLY => Some(Access::Write),
            CL_KERNEL_ARG_ACCESS_READ_WRITE => Some(Access::ReadWrite),
            _ => None,
        };
        Some(ArgKind { space, type_name: type_name.trim().to_owned(), access })
    };
    (0..count).map(one).collect()
}

/// That `args` are what kernel `name` declares: their number always, their kinds where the driver told them.
pub(super) fn check(name: &str, count: usize, kinds: Option<&[ArgKind]>, args: &[Arg]) -> Result<()> {
    if args.len() != count {
        return Err(misused("errors.device.argument-count", &[("kernel", &name), ("count", &count), ("given", &args.len())]));
    }
    for (index, (arg, declared)) in args.iter().zip(kinds.unwrap_or_default()).enumerate() {
        if !arg.fits(declared) {
            let values: [(&str, &dyn Display); 4] =
                [("kernel", &name), ("index", &index), ("declared", &declared.label()), ("given", &arg.label())];
            return Err(misused("errors.device.argument-kind", &values));
        }
    }
    for (index, arg) in args.iter().enumerate() {
        if matches!(arg, Arg::LocalBytes(0)) {
            return Err(misused("errors.device.argument-empty", &[("kernel", &name), ("index", &index)]));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Arg, ArgKind, Space, check};

    fn kind(space: Space, type_name: &str) -> ArgKind {
        ArgKind { space, type_name: type_name.to_owned(), access: None }
    }

    #[test]
    fn a_value_is_taken_by_its_own_type_and_by_typedefs_only() {
        for (arg, name, fits) in [
            (Arg::Int(1), "int", true),
            (Arg::Int(1), "float", false),
            (Arg::Int(1), "uint", false),
            (Arg::Int(1), "pixels", true),
            (Arg::Float(1.0), "float", true),
            (Arg::Float(1.0), "int", false),
            (Arg::Value { type_name: "uchar", bytes: &[1] }, "unsigned char", true),
            (Arg::Value { type_name: "uchar", bytes: &[1] }, "char", false),
            (Arg::Value { type_name: "float2", bytes: &[0; 8] }, "float2", true),
            (Arg::Value { type_name: "float2", bytes: &[0; 8] }, "float4", false),
            (Arg::Value { type_name: "float2", bytes: &[0; 8] }, "float", false),
            (Arg::Value { type_name: "float2", bytes: &[0; 8] }, "complex_t", true),
            (Arg::Value { type_name: "int", bytes: &[0; 4] }, "sampler_t", false),
        ] {
            assert_eq!(check("k", 1, Some(&[kind(Space::Private, name)]), &[arg]).is_ok(), fits, "{arg:?} for {name}");
        }
        assert!(check("k", 1, Some(&[kind(Space::Global, "int*")]), &[Arg::Int(1)]).is_err());
    }

    #[test]
    fn local_memory_goes_to_local_pointers_and_has_bytes() {
        let local = [kind(Space::Local, "uchar*")];
        assert!(check("k", 1, Some(&local), &[Arg::LocalBytes(1)]).is_ok());
        assert!(check("k", 1, Some(&local), &[Arg::LocalBytes(0)]).is_err());
        assert!(check("k", 1, Some(&[kind(Space::Global, "uchar*")]), &[Arg::LocalBytes(1)]).is_err());
    }

    #[test]
    fn the_number_is_checked_even_where_kinds_are_unknown() {
        assert!(check("k", 2, None, &[Arg::Int(1), Arg::Float(1.0)]).is_ok());
        let error = check("k", 2, None, &[Arg::Int(1)]).expect_err("one is missing");
        assert_eq!(error.why, "it takes 2 arguments, but 1 were given");
    }
}
