//! Kernels: the preprocessor over every kernel file, what is done with a kernel that a person edits, and what compilers say of it.

use super::spoil::{Given, Way};
use super::{Kind, spoil};
use base::texts::failed;
use kernels::filters;
use kernels::filters::{FilterIdExt as _, VariantExt};
use kernels::footprint::AddedWork;
use kernels::kernel_source::{self, Diff, KERNEL_FILES, changed_words, compose, defines, marks, resolve, shown, unified, with_added};
use model::{AddedKind, FilterId, Setting, Variant};
use std::sync::Arc;

const WORDS: &[&str] = &[
    "#if ",
    "#if 1\n",
    "#elif 1\n",
    "#else\n",
    "#endif\n",
    "#ifndef NAME\n#define NAME 1 // it\n#endif\n",
    "#define A B\n",
    "#define A A\n",
    "#include \"common/stages.clh\"\n",
    "#include \"",
    "#pragma unroll\n",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "%",
    "/ 0",
    "- 9223372036854775807 - 2",
    "&&",
    "||",
    "!",
    "CHANNELS",
    "\u{2028}",
    "\r",
    "#",
];

/// A condition of the file is another.
fn condition(given: &mut Given<'_>) -> Vec<u8> {
    let text = String::from_utf8_lossy(given.whole).into_owned();
    let places: Vec<usize> = ["#if ", "#elif "].iter().flat_map(|word| text.match_indices(word).map(|(at, _)| at + word.len())).collect();
    let Some(&at) = given.rng.choice(&places) else { return given.whole.to_vec() };
    let opening = *given.rng.choice(&["(", "!", "-", "+", "1 +", "1 ||", "(1", "9223372036854775807 *", "1 /", "1 %"]).expect("some");
    let times = given.many();
    given.with(at..at, opening.repeat(times).as_bytes())
}

/// A file of `kernels/`, its name on the first line, in the place of the program's own: over it every filter's kernel is resolved that may include it.
fn resolved(bytes: &[u8]) -> Result<(), String> {
    let text = str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let (name, text) = text.split_once('\n').unwrap_or(("", text));
    let library: Vec<(&str, &str)> =
        KERNEL_FILES.iter().map(|&(own, whole)| if own == name { (own, text) } else { (own, whole) }).collect();
    let mut outcome = Ok(());
    // Files in a folder of a filter are its own; others may be included by all.
    let folder = name.split('/').next().unwrap_or_default();
    let is_shared = filters::all().iter().all(|filter| filter.name() != folder);
    let own = filters::all().iter().filter(|filter| is_shared || filter.name() == folder);
    for filter in own {
        let setting = Setting::new(filter.channels[0], filter.default_border);
        let variants = Variant::all(filter, setting);
        // Another variant for each text: one that has no stage, one that has many.
        for variant in [Variant::naive(), variants[text.len() % variants.len()]] {
            let file = filter.file_of(&variant);
            let root = library.iter().find(|(own, _)| *own == file).expect("a kernel file");
            outcome = outcome.and(resolve(*root, &library, &defines(filter, &variant, setting, &filter.defaults())).map(drop));
        }
    }
    outcome.map_err(|why| failed("errors.source.fault", &[("why", &why)]).to_string())
}

pub fn preprocessor() -> Kind {
    // Probes are resolved by themselves, with values of their own.
    let own = KERNEL_FILES.iter().filter(|(name, _)| !name.starts_with("roofs/"));
    Kind {
        valid: own.map(|(name, text)| format!("{name}\n{text}").into_bytes()).collect(),
        ways: [spoil::TEXT, &[condition as Way; 4]].concat(),
        words: WORDS,
        read: Arc::new(resolved),
        most_bytes: (16 << 20, 80),
        count: 1200,
    }
}

/// What is added for the bottleneck test.
const WORK: AddedWork = AddedWork {
    kernel: "laplace",
    kind: AddedKind::Integer,
    lanes: 4,
    instructions: 100,
    accumulators: 4,
    per_pixel: 2.0,
    buffer_bytes: 1024,
};

/// The kernel of a variant as text.
fn composed(filter: &filters::Filter, variant: &Variant) -> String {
    let setting = Setting::new(filter.channels[0], filter.default_border);
    compose(filter, variant, setting, &filter.defaults()).expect("an allowed variant").to_string()
}

pub fn edited() -> Kind {
    let original = composed(FilterId::Laplace.filter(), &Variant::naive());
    let read = move |bytes: &[u8]| {
        let text = str::from_utf8(bytes).map_err(|error| error.to_string())?;
        // `kernel-ladder try` refuses longer files.
        if text.len() > 1 << 20 {
            return Err("too long".to_owned());
        }
        let _ = kernel_source::bare(text);
        let diff = Diff::new(&original, text);
        let _ = (diff.counts(), changed_words(&diff), unified("old", &original, "new", text));
        let places = [1, 7, text.lines().count(), text.lines().count() + 1, usize::MAX];
        let log: String = places.map(|line| format!("x.cl:{line}:{}: error: words\n", usize::MAX)).concat();
        let _ = shown(&marks(&log), "x.cl", text);
        with_added(text, &WORK).map(drop)
    };
    let all = filters::all().iter().flat_map(|filter| {
        let variants = Variant::all(filter, Setting::new(filter.channels[0], filter.default_border));
        [0, variants.len() / 2, variants.len() - 1].map(|index| composed(filter, &variants[index]))
    });
    // Those of Laplace have the kernel to which work is added.
    let all = all.filter(|text| text.contains("__kernel void laplace("));
    Kind {
        valid: all.map(String::into_bytes).collect(),
        ways: spoil::TEXT.to_vec(),
        words: WORDS,
        read: Arc::new(read),
        most_bytes: (64 << 20, 200),
        count: 500,
    }
}

/// As PoCL and NVIDIA's compiler write them.
const LOGS: [&str; 2] = [
    "error: /tmp/cl/tempfile.cl:3:5: use of undeclared identifier 'a'\nwarning: /tmp/cl/tempfile.cl:12:17: unused variable 'b'\n2 errors generated.\n",
    "<kernel>:3:5: error: use of undeclared identifier 'a'\n    a = 1;\n    ^\n<kernel>:9:1: warning: control reaches the end\n\n",
];

pub fn build_logs() -> Kind {
    let source = composed(FilterId::Laplace.filter(), &Variant::naive());
    let read = move |bytes: &[u8]| {
        // Drivers write what they like.
        let log = String::from_utf8_lossy(bytes);
        let marks = marks(&log);
        if marks.is_empty() {
            return Err("nothing is marked".to_owned());
        }
        let _ = shown(&marks, "x.cl", &source);
        Ok(())
    };
    Kind {
        valid: LOGS.map(|log| log.as_bytes().to_vec()).to_vec(),
        ways: spoil::TEXT.to_vec(),
        words: &[":", "::", ":1:1: error: x\n", "error: ", ":18446744073709551615:18446744073709551615: error: x\n", "\r", "\0"],
        read: Arc::new(read),
        most_bytes: (64 << 20, 80),
        count: 300,
    }
}
