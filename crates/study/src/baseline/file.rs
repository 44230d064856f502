//! The file of a baseline: one JSON object that says what it is, with a sum over everything in it as bundles have it, and a whole bundle as one of its fields.

use super::{Baseline, Fingerprint, Row, rows};
use crate::bundle;
use base::error::Result;
use base::files;
use base::texts::{failed, filled, text};
use model::{Budget, FilterId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::path::Path;

/// What a file says that it is.
const FORMAT: &str = "kernel-ladder baseline";

/// Changes whenever an older program could not read what is written. What is only added needs no new one: it is kept as it is.
const VERSION: u64 = 1;

/// No kernel takes longer, in nanoseconds: eleven days.
const MOST_NS: f64 = 1e15;

/// A file as it is written and read. The sum stands before everything that a person or a driver may have worded.
#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u64,
    program_version: String,
    sha256: String,
    fingerprint: Fingerprint,
    rows: Vec<Row>,
    bundle: Box<RawValue>,
}

/// The fields of [`File`].
const FIELDS: [&str; 7] = ["format", "version", "program_version", "sha256", "fingerprint", "rows", "bundle"];

/// Writes a baseline.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, baseline: &Baseline) -> Result<()> {
    files::write_atomically(path, text_of(baseline)?.as_bytes())
}

/// Reads a baseline.
///
/// # Errors
/// Failed, with what is wrong: it cannot be read, is too large, cut, no JSON, another program's, newer, changed since it was written, or says what cannot be.
pub fn read(path: &Path) -> Result<Baseline> {
    let refuse = |error: std::io::Error| failed("errors.baseline.not-read", &[("why", &error), ("path", &path.display())]);
    let bytes = files::read_at_most(path, bundle::MOST_BYTES).map_err(refuse)?;
    of_bytes(&path.display(), &bytes)
}

/// The file's text, in one line.
pub(super) fn text_of(baseline: &Baseline) -> Result<String> {
    let not_made = |error: serde_json::Error| failed("errors.bundle.not-made", &[("why", &error)]);
    let own = bundle::text_of(&baseline.bundle)?;
    let file = File {
        format: FORMAT.to_owned(),
        version: VERSION,
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        sha256: String::new(),
        fingerprint: baseline.fingerprint.clone(),
        rows: baseline.rows.clone(),
        bundle: RawValue::from_string(own.trim_end().to_owned()).map_err(not_made)?,
    };
    let text = serde_json::to_string(&file).map_err(not_made)?;
    // What a newer version added stands at the end, as it was: a bundle must stay the text that its own sum is of.
    let other = serde_json::to_string(&baseline.other).map_err(not_made)?;
    let text = match text.strip_suffix('}').filter(|_| !baseline.other.is_empty()) {
        Some(before) => format!("{before},{}", other.trim_start_matches('{')),
        None => text,
    };
    Ok(bundle::sealed(&text))
}

/// Reads the bytes of a file that `name` tells of in messages.
///
/// # Errors
/// As [`read`].
pub(super) fn of_bytes(name: &dyn Display, bytes: &[u8]) -> Result<Baseline> {
    let error = |key, values: &[(&str, &dyn Display)]| {
        let mut values = values.to_vec();
        values.push(("path", name));
        failed(key, &values)
    };
    let content = |why: &dyn Display| error("errors.baseline.content", &[("why", why)]);
    let text = str::from_utf8(bytes).map_err(|why| error("errors.baseline.not-json", &[("why", &why)]))?;
    let value: Value = serde_json::from_str(text).map_err(|why| {
        let key = if why.is_eof() { "errors.baseline.cut" } else { "errors.baseline.not-json" };
        error(key, &[("incomplete", &files::incomplete()), ("why", &why)])
    })?;
    let said = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    if said("format") == bundle::FORMAT {
        return Err(error("errors.baseline.is-bundle", &[]));
    }
    let version = value.get("version").and_then(Value::as_u64).unwrap_or(0);
    if said("format") != FORMAT || version == 0 {
        return Err(error("errors.baseline.foreign", &[]));
    }
    if version > VERSION {
        return Err(error("errors.baseline.newer", &[("found", &version), ("known", &VERSION), ("program", &said("program_version"))]));
    }
    if !bundle::is_whole(text, said("sha256")) {
        return Err(error("errors.baseline.changed", &[]));
    }
    let File { fingerprint, rows, bundle, .. } = serde_json::from_str(text).map_err(|why| content(&why))?;
    // The bundle has a sum over its own text, and is held to what can be.
    let bundle = match of_filters_now(bundle.get()) {
        Some(text) => bundle::of_bytes(name, text.as_bytes())?,
        None => bundle::of_bytes(name, bundle.get().as_bytes())?,
    };
    if let Some(record) = bundle.foreign.iter().flat_map(|run| &run.records).next() {
        return Err(error("errors.baseline.unknown-rows", &[("why", &record.why)]));
    }
    let other: Map<String, Value> = match value {
        Value::Object(fields) => fields.into_iter().filter(|(field, _)| !FIELDS.contains(&field.as_str())).collect(),
        _ => Map::new(),
    };
    let baseline = Baseline { fingerprint, rows, bundle, other };
    check(&baseline).map_err(|why| content(&why))?;
    Ok(baseline)
}

/// A bundle's text with the filters that a person brought as they are now. In records they are known by the hash of their folder, so that nothing that was measured of
/// one definition is taken for another's; but to hold today's definition to the one before is what a baseline is for. `None` where there is nothing to change, or its sum
/// is wrong already.
fn of_filters_now(text: &str) -> Option<String> {
    let mut bundle: Value = serde_json::from_str(text).ok()?;
    let sum = bundle.get("sha256").and_then(Value::as_str).filter(|sum| bundle::is_whole(text, sum))?.to_owned();
    let mut is_changed = false;
    for run in bundle.get_mut("runs")?.as_array_mut()? {
        let mut records: Vec<&mut Value> = Vec::new();
        let Value::Object(parts) = run else { return None };
        for (part, value) in parts.iter_mut() {
            let all = value.as_array_mut().into_iter().flatten();
            match part.as_str() {
                "cpu" => records.extend(all),
                "devices" => {
                    let readings = all.filter_map(|device| device.get_mut("readings")?.as_array_mut()).flatten();
                    records.extend(readings.filter_map(|reading| reading.get_mut("record")));
                }
                _ => {}
            }
        }
        for filter in records.into_iter().filter_map(|record| record.pointer_mut("/spec/filter")) {
            let Some((name, _)) = filter.as_str().filter(|full| full.parse::<FilterId>().is_err()).and_then(|full| full.split_once('@'))
            else {
                continue;
            };
            // A name alone means the newest definition.
            if let Ok(now) = name.parse::<FilterId>() {
                *filter = now.full_name().into();
                is_changed = true;
            }
        }
    }
    if !is_changed {
        return None;
    }
    let text = serde_json::to_string(&bundle).ok()?;
    Some(bundle::sealed(&text.replacen(&sum, "", 1)))
}

/// Holds it to what can be: rows of readings that there are, and times.
fn check(baseline: &Baseline) -> std::result::Result<(), String> {
    let readings = rows::readings(&baseline.bundle).count();
    if readings != baseline.rows.len() {
        return Err(filled("errors.baseline.is.rows", &[("rows", &baseline.rows.len()), ("readings", &readings)]));
    }
    let processes = || baseline.rows.iter().flat_map(|row| &row.processes);
    let is_time = |time: f64| time > 0.0 && time <= MOST_NS;
    let can_be = baseline.rows.iter().all(|row| row.processes.len() <= Budget::MOST_STARTS)
        && processes().all(|process| [process.median_ns, process.lower_quartile_ns, process.upper_quartile_ns].into_iter().all(is_time));
    if can_be { Ok(()) } else { Err(text("errors.bundle.is.too-large").to_owned()) }
}
