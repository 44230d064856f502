//! The file for the teacher: one JSON object that says what it is, with a sum over everything in it as bundles have it.

use super::{HandedIn, Kept, Sent};
use base::error::Result;
use base::files;
use base::texts::failed;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use study::bundle;

/// What a file says that it is.
const FORMAT: &str = "kernel-ladder for-teacher";

/// Changes whenever an older program could not read what is written.
const VERSION: u64 = 1;

/// A file as it is written. The sum stands before everything that a person may have typed.
#[derive(Serialize)]
struct File<'a> {
    format: &'a str,
    version: u64,
    program_version: &'a str,
    sha256: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    made_up: bool,
    written: &'a str,
    machine: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<&'a str>,
    bundle: &'a RawValue,
    devices: &'a [engine::device::DeviceInfo],
    predictions: Vec<&'a Value>,
    lessons: Vec<&'a Value>,
    #[serde(flatten)]
    other: &'a Map<String, Value>,
}

/// What of it is read as it stands.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    made_up: bool,
    written: String,
    machine: String,
    #[serde(default)]
    alias: Option<String>,
    devices: Vec<engine::device::DeviceInfo>,
}

/// Writes a file for the teacher.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, sent: &Sent) -> Result<()> {
    files::write_atomically(path, text_of(sent)?.as_bytes())
}

/// Reads what a student handed in: a file for the teacher, or a bundle.
///
/// # Errors
/// Failed, with what is wrong: it cannot be read, is too large, cut, no JSON, another program's, newer, changed since it was written, or says what cannot be.
pub fn read(path: &Path) -> Result<HandedIn> {
    let refuse = |error: std::io::Error| failed("errors.class.not-read", &[("why", &error), ("path", &path.display())]);
    let bytes = std::fs::metadata(path).map_err(refuse)?.len();
    if bytes > bundle::MOST_BYTES {
        return Err(failed("errors.class.too-large", &[("bytes", &bytes), ("most", &bundle::MOST_BYTES), ("path", &path.display())]));
    }
    of_bytes(&path.display(), &files::read(path).map_err(refuse)?)
}

/// The file's text, in one line.
pub(super) fn text_of(sent: &Sent) -> Result<String> {
    let not_made = |error: serde_json::Error| failed("errors.class.not-made", &[("why", &error)]);
    let own = bundle::text_of(&sent.bundle)?;
    let bundle = RawValue::from_string(own.trim_end().to_owned()).map_err(not_made)?;
    let file = File {
        format: FORMAT,
        version: VERSION,
        program_version: env!("CARGO_PKG_VERSION"),
        sha256: "",
        made_up: sent.is_made_up,
        written: &sent.written,
        machine: &sent.machine,
        alias: sent.alias.as_deref(),
        bundle: &bundle,
        devices: &sent.devices,
        predictions: sent.predictions.iter().map(|row| &row.json).collect(),
        lessons: sent.lessons.iter().map(|row| &row.json).collect(),
        other: &sent.other,
    };
    serde_json::to_string(&file).map(|text| bundle::sealed(&text)).map_err(not_made)
}

/// Reads the bytes of a file that `name` tells of in messages.
///
/// # Errors
/// As [`read`].
pub fn of_bytes(name: &dyn Display, bytes: &[u8]) -> Result<HandedIn> {
    let error = |key, values: &[(&str, &dyn Display)]| {
        let mut values = values.to_vec();
        values.push(("path", name));
        failed(key, &values)
    };
    let content = |why: serde_json::Error| error("errors.class.content", &[("why", &why)]);
    let text = str::from_utf8(bytes).map_err(|why| error("errors.class.not-json", &[("why", &why)]))?;
    let value: Value = serde_json::from_str(text).map_err(|why| {
        let key = if why.is_eof() { "errors.class.cut" } else { "errors.class.not-json" };
        error(key, &[("incomplete", &files::incomplete()), ("why", &why)])
    })?;
    let said = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    if said("format") == bundle::FORMAT {
        return bundle::of_bytes(name, bytes).map(HandedIn::Bundle);
    }
    let version = value.get("version").and_then(Value::as_u64).unwrap_or(0);
    if said("format") != FORMAT || version == 0 {
        return Err(error("errors.class.foreign", &[]));
    }
    if version > VERSION {
        return Err(error("errors.class.newer", &[("found", &version), ("known", &VERSION), ("program", &said("program_version"))]));
    }
    if !bundle::is_whole(text, said("sha256")) {
        return Err(error("errors.class.changed", &[]));
    }
    let Head { made_up, written, machine, alias, devices } = serde_json::from_str(text).map_err(content)?;
    // Parts as they stand: the bundle has a sum over its own text.
    let mut parts: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).map_err(content)?;
    let mut part = |field: &str| parts.remove(field).map_or("[]".to_owned(), |raw| raw.get().to_owned());
    let bundle = bundle::of_bytes(name, part("bundle").as_bytes())?;
    let predictions = rows(&part("predictions")).map_err(content)?;
    let lessons = rows(&part("lessons")).map_err(content)?;
    let known = ["format", "version", "program_version", "sha256", "made_up", "written", "machine", "alias", "devices"];
    let Value::Object(fields) = &value else { return Err(error("errors.class.foreign", &[])) };
    let is_other = |field: &&String| !known.contains(&field.as_str()) && parts.contains_key(*field);
    let other = fields.keys().filter(is_other).filter_map(|field| Some((field.clone(), fields.get(field)?.clone()))).collect();
    let alias = alias.as_deref().and_then(Sent::alias_of);
    Ok(HandedIn::Sent(Box::new(Sent { is_made_up: made_up, written, machine, alias, bundle, devices, predictions, lessons, other })))
}

/// Rows, each as this version understands it and as it stands.
fn rows<T: DeserializeOwned>(text: &str) -> serde_json::Result<Vec<Kept<T>>> {
    let rows: Vec<Value> = serde_json::from_str(text)?;
    Ok(rows.into_iter().map(|json| Kept { known: serde_json::from_value(json.clone()).ok(), json }).collect())
}
