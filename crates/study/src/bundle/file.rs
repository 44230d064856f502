//! The file of a bundle: JSON that says what it is, with a sum over everything in it.
//!
//! The sum is the SHA-256 of the whole text without the sum itself and without blanks between its parts: an editor may set it anew, and whatever else is
//! changed is noticed. It guards against damage, and not against a person who wants another one to believe in false figures.

use super::{Bundle, check, foreign};
use crate::Answer;
use base::error::Result;
use base::files::{self, Line as _};
use base::hash::sha256;
use base::texts::failed;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

/// What a file says that it is.
pub const FORMAT: &str = "kernel-ladder bundle";

/// Changes whenever an older program could not read what is written, and whenever a figure is worked out from its samples in another way. Version 2 had no
/// experiments, version 3 no answers of studies.
const VERSION: u64 = 4;

/// Larger files are no bundles: one of a ladder on a device has about 200 kB.
pub const MOST_BYTES: u64 = 256 << 20;

/// The sum's name, and so much of the text that it stands behind.
const SUM: &str = "\"sha256\":\"";

/// A file as it is written and read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u64,
    program_version: String,
    sha256: String,
    runs: Vec<Box<RawValue>>,
    kernels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    answers: Vec<Box<RawValue>>,
}

/// Writes a bundle.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, bundle: &Bundle) -> Result<()> {
    files::write_atomically(path, text_of(bundle)?.as_bytes())
}

/// Reads a bundle.
///
/// # Errors
/// Failed, with what is wrong: it cannot be read, is too large, cut, no JSON, another program's, newer, changed since it was written, or says what cannot be.
pub fn read(path: &Path) -> Result<Bundle> {
    let refuse = |error: std::io::Error| failed("errors.bundle.not-read", &[("why", &error), ("path", &path.display())]);
    let bytes = std::fs::metadata(path).map_err(refuse)?.len();
    if bytes > MOST_BYTES {
        return Err(failed("errors.bundle.too-large", &[("bytes", &bytes), ("most", &MOST_BYTES), ("path", &path.display())]));
    }
    of_bytes(&path.display(), &std::fs::read(path).map_err(refuse)?)
}

/// The file's text, in one line.
pub fn text_of(bundle: &Bundle) -> Result<String> {
    let not_made = |error: serde_json::Error| failed("errors.bundle.not-made", &[("why", &error)]);
    let own = bundle.runs.iter().map(serde_json::value::to_raw_value);
    let foreign = bundle.foreign.iter().map(|run| RawValue::from_string(run.json.clone()));
    let runs = own.chain(foreign).collect::<serde_json::Result<Vec<_>>>().map_err(not_made)?;
    let own = bundle.answers.iter().map(serde_json::value::to_raw_value);
    let foreign = bundle.foreign_answers.iter().map(|answer| RawValue::from_string(answer.clone()));
    let answers = own.chain(foreign).collect::<serde_json::Result<Vec<_>>>().map_err(not_made)?;
    let file = File {
        format: FORMAT.to_owned(),
        version: VERSION,
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        sha256: String::new(),
        runs,
        kernels: bundle.kernels.clone(),
        answers,
    };
    serde_json::to_string(&file).map(|text| sealed(&text)).map_err(not_made)
}

/// The text of a file in one line, with its sum in the first place for one, which is empty in `text`.
#[must_use]
pub fn sealed(text: &str) -> String {
    let sum = sha256(text.as_bytes());
    text.replacen(SUM, &format!("{SUM}{sum}"), 1) + "\n"
}

/// Reads the bytes of a file that `name` tells of in messages.
///
/// # Errors
/// As [`read`].
pub fn of_bytes(name: &dyn Display, bytes: &[u8]) -> Result<Bundle> {
    let error = |key, values: &[(&str, &dyn Display)]| {
        let mut values = values.to_vec();
        values.push(("path", name));
        failed(key, &values)
    };
    let text = str::from_utf8(bytes).map_err(|why| error("errors.bundle.not-json", &[("why", &why)]))?;
    let value: Value = serde_json::from_str(text).map_err(|why| {
        let key = if why.is_eof() { "errors.bundle.cut" } else { "errors.bundle.not-json" };
        error(key, &[("incomplete", &files::incomplete()), ("why", &why)])
    })?;
    let said = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    let version = value.get("version").and_then(Value::as_u64).unwrap_or(0);
    if said("format") != FORMAT || version == 0 {
        return Err(error("errors.bundle.foreign", &[]));
    }
    if version > VERSION {
        return Err(error("errors.bundle.newer", &[("found", &version), ("known", &VERSION), ("program", &said("program_version"))]));
    }
    if !is_whole(text, said("sha256")) {
        return Err(error("errors.bundle.changed", &[]));
    }
    // From the text again: errors then have a place.
    let File { runs, kernels, answers, .. } = serde_json::from_str(text).map_err(|why| error("errors.bundle.content", &[("why", &why)]))?;
    let mut bundle = Bundle { kernels, ..Bundle::default() };
    for run in &runs {
        let (own, foreign) = foreign::split(run).map_err(|why| error("errors.bundle.content", &[("why", &why)]))?;
        bundle.runs.extend(own);
        bundle.foreign.extend(foreign);
    }
    for answer in answers {
        match serde_json::from_str::<Answer>(answer.get()).ok().and_then(Answer::current) {
            Some(own) => bundle.answers.push(own),
            None => bundle.foreign_answers.push(answer.get().to_owned()),
        }
    }
    check::decide(&mut bundle);
    check::check(&bundle).map_err(|why| error("errors.bundle.content", &[("why", &why)]))?;
    Ok(bundle)
}

/// Whether the text is the one that the sum was made of.
#[must_use]
pub fn is_whole(text: &str, sum: &str) -> bool {
    let dense = without_blanks(text);
    // The first of that name: no text before it is of a person's or a driver's making.
    dense.contains(&format!("{SUM}{sum}\"")) && sha256(dense.replacen(&format!("{SUM}{sum}"), SUM, 1).as_bytes()) == sum
}

/// JSON without blanks outside of its strings.
fn without_blanks(text: &str) -> String {
    let (mut is_string, mut is_escaped) = (false, false);
    text.chars()
        .filter(|letter| {
            let was_string = is_string;
            match letter {
                '"' if !is_escaped => is_string = !is_string,
                _ => {}
            }
            is_escaped = is_string && *letter == '\\' && !is_escaped;
            was_string || !letter.is_ascii_whitespace()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::without_blanks;

    #[test]
    fn blanks_go_but_for_those_of_strings() {
        assert_eq!(without_blanks("{ \"a b\" : [ 1,\n\t\"\\\" c \\\\\" , 2 ] }\r\n"), "{\"a b\":[1,\"\\\" c \\\\\",2]}");
    }
}
