//! Composes the kernel source of a variant: the text that is shown, hashed, built, compared and exported.

mod added;
mod diff;
mod includes;
mod marks;
mod moved;
mod resolve;
mod scan;
mod simulated;
mod words;

pub use added::with_added;
pub use diff::{Diff, DiffLine, LineOp, differences, unified};
pub(crate) use includes::is_of_word;
pub use includes::refuse_includes;
pub use marks::{Mark, marks, shown};
pub use moved::with_moved;
pub use resolve::{SourceFile, resolve};
pub use simulated::simulator_marks;
pub use words::changed_words;

use crate::filters::Filter;
use crate::filters::SettingExt;
use crate::filters::VariantExt;
use base::error::{Error, Result};
use base::texts::failed;
use model::{Abilities, Parameters, Setting, StageId, Variant, stages, values};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Every file of `kernels/`, by name; `build.rs` lists them.
pub static KERNEL_FILES: &[resolve::SourceFile] = include!(concat!(env!("OUT_DIR"), "/kernel_files.rs"));

/// The kernel file of that name, as it lies in `kernels/`.
///
/// # Errors
/// Failed where there is none of that name.
pub fn kernel_file(name: &str) -> Result<&'static str> {
    let found = KERNEL_FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    found.ok_or_else(|| no_file(name))
}

fn no_file(name: &str) -> Error {
    failed("errors.source.no-file", &[("name", &name)])
}

/// The values that kernel files test: `CHANNELS`, `BORDER`, every stage's name, and the parameters that the filter compiles in. `parameters`
/// are complete.
#[must_use]
pub fn defines(filter: &Filter, variant: &Variant, setting: Setting, parameters: &Parameters) -> BTreeMap<&'static str, i64> {
    let channels = match setting.channels {
        model::Channels::Gray => 1,
        model::Channels::Rgb => 3,
    };
    let mut defines = BTreeMap::from([
        ("CHANNELS", channels),
        ("BORDER", i64::from(setting.border.define_value())),
        ("INLINE_PTX", i64::from(setting.abilities.has_ptx)),
    ]);
    defines.extend(stages().map(|stage| (stage.define, i64::from(variant.value(stage.id)))));
    defines.extend((filter.defines)(variant, parameters));
    defines
}

/// What the compiler is told for `variant` on a device with these abilities, separated by spaces; empty for most. `local`: the local work size, which
/// goes to those that are built for it, see [`is_built_for_local`].
#[must_use]
pub fn build_options(variant: &Variant, abilities: Abilities, local: Option<[usize; 2]>) -> String {
    let options = stages().filter(|stage| variant.is_on(stage.id)).map(|stage| stage.build_option);
    let group = local.filter(|_| is_built_for_local(variant)).map_or_else(String::new, |[x, y]| format!("-D GROUP_X={x} -D GROUP_Y={y}"));
    // Compilers declare the functions of these extensions for newer versions of OpenCL C than the one they take by default.
    let has_extension = variant.is_on(StageId::Dot) || variant.value(StageId::Reduce) == values::REDUCE_SUB_GROUPS;
    let version = if has_extension && !abilities.has_ptx { "-cl-std=CL3.0" } else { "" };
    options.chain([version, &group]).filter(|option| !option.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The local work size of variants that are built for one, where nobody chose any.
pub const DEFAULT_GROUP: [usize; 2] = [32, 4];

/// Whether the compiler has to know the local work size.
#[must_use]
pub fn is_built_for_local(variant: &Variant) -> bool {
    variant.is_on(StageId::WorkGroup)
}

/// A resolved source without comments, blanks and empty lines: two that are equal then are the same program.
#[must_use]
pub fn bare(text: &str) -> String {
    let mut scanner = scan::Scanner::default();
    let mut bare = String::with_capacity(text.len());
    for line in text.lines() {
        let code = scanner.code_of(line);
        // Of a literal the scanner keeps the quotes alone: such a line is kept as it is.
        let code = if code.contains(['"', '\'']) { line } else { code.as_str() };
        let mut words = code.split_whitespace().peekable();
        if words.peek().is_none() {
            continue;
        }
        for word in words {
            bare += word;
            bare.push(' ');
        }
        bare.push('\n');
    }
    bare
}

/// The source of `variant` of `filter` in `setting`, with no trace of the stages that are off. Build options, where there are any, stand in a
/// comment at its beginning: what is shown is what is built. A variant that is built for a local work size has it as options alone.
///
/// # Errors
/// A usage error where the variant is not allowed or a parameter is wrong. Failed, with file and line, where the kernel file breaks the resolver's rules, which
/// tests rule out for the files of this program.
pub fn compose(filter: &Filter, variant: &Variant, setting: Setting, parameters: &Parameters) -> Result<Arc<str>> {
    let parameters = filter.complete(parameters)?;
    variant.check(filter, setting.with_parameters(filter, &parameters))?;
    // Its own files come first, then those that all share.
    let own: Vec<SourceFile>;
    let library = if filter.files.is_empty() {
        KERNEL_FILES
    } else {
        own = filter.files.iter().chain(KERNEL_FILES).copied().collect();
        &own
    };
    let file = filter.file_of(variant);
    let (name, text) = library.iter().find(|(name, _)| *name == file).ok_or_else(|| no_file(&file))?;
    let resolved = resolve::resolve((*name, *text), library, &defines(filter, variant, setting, &parameters))
        .map_err(|sentence| failed("errors.source.fault", &[("why", &sentence)]))?;
    let Abilities { keeps_calls, keeps_image_calls, .. } = setting.abilities;
    let has_images = variant.is_on(StageId::Image) || variant.is_on(StageId::ImageBetween);
    let text = if keeps_image_calls && has_images {
        inlined(&resolved, "which cannot read image objects")
    } else if keeps_calls && (filter.inlines)(variant) {
        inlined(&resolved, "which it cannot vectorize across")
    } else {
        resolved
    };
    Ok(match build_options(variant, setting.abilities, None).as_str() {
        "" => Arc::from(text),
        options => Arc::from(format!("// Built with {options}\n{text}")),
    })
}

/// The same with all functions inlined, by Clang's compilers.
fn inlined(text: &str, because: &str) -> String {
    let about = format!("// This compiler would keep large functions as calls, {because}: all functions are inlined.");
    format!("{about}\n{INLINE}\n\n{text}\n#pragma clang attribute pop\n")
}

/// Before all functions that are to be inlined.
const INLINE: &str = "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)";

/// The source of a probe kernel of `kernels/roofs/` with these values for the names that it tests.
///
/// # Errors
/// Failed, with file and line, where there is no such file or it breaks the resolver's rules.
pub fn compose_probe(file: &'static str, defines: &[(&'static str, usize)]) -> Result<String> {
    let text = kernel_file(file)?;
    let defines = defines.iter().map(|&(name, value)| (name, i64::try_from(value).unwrap_or(i64::MAX))).collect();
    resolve::resolve((file, text), KERNEL_FILES, &defines).map_err(|sentence| failed("errors.source.fault", &[("why", &sentence)]))
}

#[cfg(test)]
mod tests {
    use super::{INLINE, bare, build_options, compose};
    use crate::filters;
    use crate::filters::{FilterIdExt as _, VariantExt};
    use model::{Abilities, Channels, FilterId, Parameters, Setting, StageId, Variant};

    #[test]
    fn functions_are_inlined_around_images_where_a_compiler_cannot_read_them_in_calls() {
        let keeps_image_calls = Abilities { keeps_image_calls: true, ..Abilities::ALL };
        let gaussian = filters::by_name("gaussian").expect("a filter");
        let setting = Setting::new(Channels::Gray, gaussian.default_border);
        for (variant, is_inlined) in
            [("image+separable+walk", true), ("padded+vectorize=16+between+separable+walk", true), ("coalesced+separable", false)]
        {
            let variant = Variant::parse(variant).expect("known");
            let text = |abilities| compose(gaussian, &variant, setting.on(abilities), &Parameters::default()).expect("an allowed variant");
            assert_eq!(text(keeps_image_calls).contains(INLINE), is_inlined, "{variant}");
            assert!(!text(Abilities::ALL).contains(INLINE), "{variant}");
        }
    }

    #[test]
    fn dot_products_ask_for_a_version_of_the_language_that_has_them_where_no_instruction_is_told() {
        let dot = Variant::parse("padded+access=int4+separable+dot").expect("known");
        assert_eq!(build_options(&dot, Abilities::ALL, None), "-cl-std=CL3.0");
        assert_eq!(build_options(&dot, Abilities { has_ptx: true, ..Abilities::ALL }, None), "");
        assert_eq!(build_options(&Variant::naive(), Abilities::ALL, None), "");
    }

    #[test]
    fn functions_are_inlined_where_a_filter_wants_it_and_a_compiler_would_not() {
        let keeps_calls = Abilities { keeps_calls: true, ..Abilities::ALL };
        for filter in filters::all() {
            let setting = Setting::new(filter.channels[0], filter.default_border);
            for variant in Variant::all(filter, setting) {
                let text =
                    |abilities| compose(filter, &variant, setting.on(abilities), &Parameters::default()).expect("an allowed variant");
                let (plain, told) = (text(Abilities::ALL), text(keeps_calls));
                assert!(!plain.contains(INLINE));
                assert_eq!(told.contains(INLINE), (filter.inlines)(&variant), "{} {variant}", filter.name());
                // What is added stands around the kernel.
                let body = |text: &str| bare(text).lines().filter(|line| !line.starts_with("#pragma clang")).collect::<Vec<_>>().join("\n");
                assert_eq!(body(&plain), body(&told));
            }
        }
        let five = Variant::naive().with(StageId::Padded, 1).with(StageId::Vectorize, 5);
        assert!((FilterId::Laplace.filter().inlines)(&five) && !(FilterId::Laplace.filter().inlines)(&Variant::naive()));
    }

    #[test]
    fn comments_and_blanks_make_no_difference_and_anything_else_does() {
        let text = "// Built with -cl-mad-enable\nint a =  1; /* two\nlines */ int b; // end\n\n#define C 'x'\n";
        assert_eq!(bare(text), "int a = 1; \nint b; \n#define C 'x' \n");
        assert_ne!(bare(text), bare(&text.replace("'x'", "'y'")));
        assert_ne!(bare("a b"), bare("ab"));
    }
}
