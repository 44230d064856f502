//! The resolver against a real C preprocessor: for every allowed variant, the resolved text gives the tokens that the kernel file gives
//! with `-D` for every choice. Needs `gcc` or whatever `CC` names.

#![allow(clippy::expect_used, reason = "a test's helper fails by panicking, as the test itself does")]

use kernels::filters::VariantExt;
use kernels::filters::{self, Filter};
use kernels::kernel_source;
use model::{BorderMode, Channels, Parameters, Setting, Variant, stages};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The tokens of `text` after a C preprocessor: words and numbers whole, everything else letter by letter. What it includes lies in the filter's folder or in `kernels/`.
fn preprocessed(text: &str, filter: &Filter, defines: &BTreeMap<&str, i64>) -> Vec<String> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "gcc".to_owned());
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let mut child = Command::new(&compiler)
        .args(["-E", "-P", "-x", "c", "-undef"])
        .args([kernels.join(filter.name()), kernels].map(|folder| format!("-I{}", folder.display())))
        .args(defines.iter().map(|(name, value)| format!("-D{name}={value}")))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("this test needs a C compiler, '{compiler}' does not start: {error}"));
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("the preprocessor reads its input");
    let output = child.wait_with_output().expect("the preprocessor ends");
    assert!(output.status.success(), "{compiler} refused {defines:?}");
    tokens(&String::from_utf8(output.stdout).expect("ASCII"))
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    for letter in text.chars() {
        let belongs = letter.is_ascii_alphanumeric() || letter == '_';
        match tokens.last_mut() {
            Some(word) if belongs && in_word => word.push(letter),
            _ if !letter.is_whitespace() => tokens.push(letter.to_string()),
            _ => {}
        }
        in_word = belongs;
    }
    tokens
}

fn settings(filter: &Filter) -> impl Iterator<Item = Setting> {
    filter.channels.iter().flat_map(|&channels| filter.borders.iter().map(move |&border| Setting::new(channels, border)))
}

/// Compares every `step`th variant from `start` on; how many those were.
fn compare(filter: &Filter, start: usize, step: usize) -> usize {
    let variants: Vec<_> =
        settings(filter).flat_map(|setting| Variant::all(filter, setting).into_iter().map(move |variant| (setting, variant))).collect();
    let mut compared = 0;
    for (setting, variant) in variants.into_iter().skip(start).step_by(step) {
        let parameters = filter.complete(&Parameters::default()).expect("defaults");
        let defines = kernel_source::defines(filter, &variant, setting, &parameters);
        let text = kernel_source::compose(filter, &variant, setting, &parameters).expect("an allowed variant");
        let file = kernel_source::kernel_file(&filter.file_of(&variant)).expect("the variant's file");
        let expected = preprocessed(file, filter, &defines);
        assert!(expected.len() > 60, "{setting:?} {variant}: hardly a kernel");
        assert_eq!(preprocessed(&text, filter, &BTreeMap::new()), expected, "{setting:?} {variant}");
        compared += 1;
    }
    compared
}

#[test]
fn the_resolved_text_is_what_a_c_preprocessor_sees() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for filter in filters::all() {
        let compared: usize = std::thread::scope(|scope| {
            let parts: Vec<_> = (0..threads)
                .map(|part| {
                    let builder = std::thread::Builder::new().name(format!("oracle {part}"));
                    builder.spawn_scoped(scope, move || compare(filter, part, threads)).expect("a thread")
                })
                .collect();
            parts.into_iter().map(|part| part.join().expect("all are equal")).sum()
        });
        println!("{}: {compared} resolved texts equal what a C preprocessor gives", filter.name());
    }
}

#[test]
fn kernel_files_are_whole_as_they_stand_and_their_defaults_are_the_naive_kernel() {
    for filter in filters::all() {
        let name = filter.name();
        let (naive, staged) = (filter.file_of(&Variant::naive()), format!("{name}/{name}.cl"));
        let as_they_stand = [&naive, &staged].map(|file| {
            let text = kernel_source::kernel_file(file).expect("there is such a file");
            let tokens = preprocessed(text, filter, &BTreeMap::new());
            let resolved = kernel_source::resolve((file, text), kernel_source::KERNEL_FILES, &BTreeMap::new()).expect("without any choice");
            assert_eq!(preprocessed(&resolved, filter, &BTreeMap::new()), tokens, "{file}");
            tokens
        });
        // The kernel files' own defaults.
        let setting = Setting::new(Channels::Rgb, BorderMode::Copy);
        let setting = if filter.channels.contains(&Channels::Rgb) { setting } else { Setting { channels: Channels::Gray, ..setting } };
        let composed = kernel_source::compose(filter, &Variant::naive(), setting, &Parameters::default()).expect("naive is always allowed");
        assert_eq!(preprocessed(&composed, filter, &BTreeMap::new()), as_they_stand[0], "{naive}");
    }
}

#[test]
fn nothing_of_what_was_not_chosen_is_left() {
    for filter in filters::all() {
        for setting in settings(filter) {
            for variant in Variant::all(filter, setting) {
                let text = kernel_source::compose(filter, &variant, setting, &Parameters::default()).expect("an allowed variant");
                let at = format!("{setting:?} {variant}:\n{text}");
                assert!(!text.contains("\n\n\n"), "double blank lines: {at}");
                assert!(!text.contains("#if") && !text.contains("#el") && !text.contains("#endif"), "a condition is left: {at}");
                for stage in stages().filter(|stage| !variant.is_on(stage.id)) {
                    assert!(!text.contains(stage.define), "{} is off: {at}", stage.define);
                }
            }
        }
    }
}
