//! Composes the kernel source of a variant: the text that is shown, hashed, built, compared and exported.

mod diff;
mod expression;
mod resolve;
mod scan;

pub use diff::{Diff, DiffLine, LineOp, changed_lines, unified};

use crate::error::{Error, Result};
use crate::filters::Filter;
use crate::stages::{STAGES, Setting};
use crate::variant::Variant;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Every file of `kernels/`, by name. A new kernel file is one line here.
pub static KERNEL_FILES: [resolve::SourceFile; 4] = [
    ("border.clh", include_str!("../../kernels/border.clh")),
    ("laplace.cl", include_str!("../../kernels/laplace.cl")),
    ("laplace_scalar.clh", include_str!("../../kernels/laplace_scalar.clh")),
    ("laplace_vector.clh", include_str!("../../kernels/laplace_vector.clh")),
];

/// The kernel file of that name, as it lies in `kernels/`.
///
/// # Errors
/// Failed where there is none of that name.
pub fn kernel_file(name: &str) -> Result<&'static str> {
    KERNEL_FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text).ok_or_else(|| {
        Error::failed("The kernel source could not be composed", format!("there is no kernel file '{name}'"), "this is a defect: report it")
    })
}

/// The values that kernel files test: `CHANNELS`, `BORDER` and every stage's name.
#[must_use]
pub fn defines(variant: &Variant, setting: Setting) -> BTreeMap<&'static str, i64> {
    let channels = match setting.channels {
        crate::image::Channels::Gray => 1,
        crate::image::Channels::Rgb => 3,
    };
    let mut defines = BTreeMap::from([("CHANNELS", channels), ("BORDER", i64::from(setting.border.define_value()))]);
    defines.extend(STAGES.iter().map(|stage| (stage.define, i64::from(variant.value(stage.id)))));
    defines
}

/// The source of `variant` of `filter` in `setting`, with no trace of the stages that are off.
///
/// # Errors
/// A usage error where the variant is not allowed. Failed, with file and line, where the kernel file breaks the resolver's rules, which
/// tests rule out for the files of this program.
pub fn compose(filter: &Filter, variant: &Variant, setting: Setting) -> Result<Arc<str>> {
    variant.check(filter, setting)?;
    let text = kernel_file(filter.kernel_file)?;
    resolve::resolve((filter.kernel_file, text), &KERNEL_FILES, &defines(variant, setting))
        .map(Arc::from)
        .map_err(|sentence| Error::failed("The kernel source could not be composed", sentence, "mend the kernel file at that line"))
}
