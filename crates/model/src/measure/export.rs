//! Records as CSV and JSON.
//!
//! JSON is the records as they are. A CSV row is the same record flattened: a column is the path to a value, with a dot between its parts
//! (`kernel.median_ns`), without the parts that every row has, and without raw samples. A record that gains a field gains a column.

use crate::{Outcome, Record};
use base::error::{Error, Result};
use base::foreign::csv_text;
use base::texts::{failed, in_english};
use serde_json::{Map, Value};
use std::io::Write;

/// What column names leave out.
const PREFIXES: [&str; 6] = ["spec.", "contender.device.", "contender.cpu.", "machine.", "picture.", "outcome.measured."];

/// A record, or anything with one in it, flat: column names with their cells, in the order of the fields.
///
/// # Errors
/// Never for plain data.
pub fn flat(row: &impl serde::Serialize) -> Result<Vec<(String, String)>> {
    let value = serde_json::to_value(row).map_err(|error| not_written(&error))?;
    let mut cells = Vec::new();
    flatten("", &value, &mut cells);
    Ok(cells)
}

fn flatten(path: &str, value: &Value, cells: &mut Vec<(String, String)>) {
    let name = path.strip_prefix("record.").unwrap_or(path);
    let name = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    match value {
        // Words: programs read the English ones.
        Value::Object(fields) if fields.contains_key("key") && fields.get("text").is_some_and(Value::is_string) => {
            cells.push((name.to_owned(), fields.get("text").map(text).unwrap_or_default()));
        }
        Value::Object(fields) => fields.iter().for_each(|(field, value)| {
            let path = if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
            flatten(&path, value, cells);
        }),
        // What is not known is an empty cell, in whatever column other rows have for it.
        Value::Null => {}
        // Raw samples are in the JSON alone.
        Value::Array(_) if path.ends_with("samples_ns") => {}
        Value::Array(items) if items.iter().all(Value::is_object) => {
            items.iter().enumerate().for_each(|(index, item)| flatten(&format!("{path}.{index}"), item, cells));
        }
        Value::Array(items) => cells.push((name.to_owned(), items.iter().map(text).collect::<Vec<_>>().join("x"))),
        value => cells.push((name.to_owned(), text(value))),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// A record with what is derived from it, as rows are written.
pub fn with_derived(record: &Record) -> Result<Map<String, Value>> {
    let status = match &record.outcome {
        Outcome::Measured(_) => "measured",
        Outcome::Unsupported(_) => "unsupported",
        Outcome::Failed(_) => "failed",
    };
    let mut row = Map::new();
    row.insert("status".to_owned(), status.into());
    if let Some(reason) = record.reason() {
        row.insert("reason".to_owned(), reason.english().into());
    }
    row.insert("gb_per_s".to_owned(), record.measured().and_then(crate::Measured::gb_per_s).into());
    row.insert("record".to_owned(), serde_json::to_value(record).map_err(|error| not_written(&error))?);
    Ok(row)
}

/// Writes a header line and one line for each row (nothing at all where there are none). A column is there where any row has it, in the order first seen;
/// what a row does not have is empty. Times are nanoseconds, bandwidth is 10⁹ bytes per second.
///
/// # Errors
/// When `to` cannot be written.
pub fn write_rows(rows: &[Vec<(String, String)>], to: impl Write) -> Result<()> {
    let mut columns: Vec<&str> = Vec::new();
    for (column, _) in rows.iter().flatten() {
        if !columns.contains(&column.as_str()) {
            columns.push(column);
        }
    }
    let mut writer = csv::Writer::from_writer(to);
    if !columns.is_empty() {
        writer.write_record(&columns).map_err(|error| not_written(&error))?;
    }
    for row in rows {
        let cell = |wanted: &&str| row.iter().find(|(column, _)| column == wanted).map_or("", |(_, cell)| cell.as_str());
        writer.write_record(columns.iter().map(|column| csv_text(cell(column)).into_owned())).map_err(|error| not_written(&error))?;
    }
    writer.flush().map_err(|error| not_written(&error))
}

/// Writes the heads of columns that have no rows.
///
/// # Errors
/// When `to` cannot be written.
pub fn write_heads(heads: &[&str], to: impl Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record(heads).map_err(|error| not_written(&error))?;
    writer.flush().map_err(|error| not_written(&error))
}

/// Writes records as comma-separated values, see [`write_rows`].
///
/// # Errors
/// When `to` cannot be written.
pub fn write_csv(records: &[Record], to: impl Write) -> Result<()> {
    let rows = in_english(|| records.iter().map(|record| flat(&with_derived(record)?)).collect::<Result<Vec<_>>>())?;
    write_rows(&rows, to)
}

/// Writes an array of records, raw samples included.
///
/// # Errors
/// When `to` cannot be written.
pub fn write_json(records: &[Record], mut to: impl Write) -> Result<()> {
    serde_json::to_writer_pretty(&mut to, records).map_err(|error| not_written(&error))?;
    writeln!(to).and_then(|()| to.flush()).map_err(|error| not_written(&error))
}

fn not_written(error: &dyn std::error::Error) -> Error {
    failed("errors.readings.not-written", &[("why", &error)])
}

#[cfg(test)]
mod tests {
    use super::{write_csv, write_json};
    use crate::testing::records::{on_cpu, on_device, on_device_in, with_local};
    use crate::{CpuEngine, Outcome, Record};

    fn table(records: &[Record]) -> impl Fn(usize, &str) -> String + use<> {
        let mut bytes = Vec::new();
        write_csv(records, &mut bytes).expect("written");
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let header = reader.headers().expect("a header").clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("as long as the header")).collect();
        move |row: usize, name: &str| {
            let column = header.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name} in {header:?}"));
            rows[row][column].to_owned()
        }
    }

    #[test]
    fn every_row_has_every_column() {
        let named = Record { name: Some("my start".into()), ..on_device("naive", 20e6) };
        let refused = on_device_in("coalesced+local", Outcome::Unsupported("too large, by far".into()));
        let cell = table(&[with_local(on_device("padded+vectorize=4", 20e6), [32, 4]), on_cpu(CpuEngine::Simd, 1e6), refused, named]);
        assert_eq!([cell(0, "filter"), cell(0, "border"), cell(0, "width_px")], ["laplace", "copy", "2048"]);
        assert_eq!(
            [cell(0, "variant"), cell(0, "local"), cell(0, "local_used"), cell(0, "host_memory")],
            ["padded+vectorize=4", "32x4", "32x4", "copy"]
        );
        assert_eq!([cell(0, "kernel.median_ns"), cell(0, "gb_per_s"), cell(0, "status")], ["20000000.0", "0.6", "measured"]);
        assert_eq!([cell(0, "round_trip.upload.median_ns"), cell(0, "schema")], ["3000000.0", "2"]);
        assert_eq!([cell(1, "engine"), cell(1, "round_trip.upload.median_ns")], ["cpu-simd", ""]);
        assert_eq!([cell(2, "status"), cell(2, "reason"), cell(2, "kernel.median_ns")], ["unsupported", "too large, by far", ""]);
        assert_eq!([cell(3, "name"), cell(3, "variant")], ["my start", "naive"]);
    }

    #[test]
    fn parameters_are_columns() {
        let mut record = on_device("naive", 20e6);
        record.spec.filter = crate::FilterId::Box;
        record.spec.parameters.0.insert("radius".into(), 16.0);
        assert_eq!(table(&[record])(0, "parameters.radius"), "16.0");
    }

    #[test]
    fn json_is_the_records_and_reads_back() {
        let records = vec![on_device("naive", 20e6), on_cpu(CpuEngine::Scalar, 5e6)];
        let mut bytes = Vec::new();
        write_json(&records, &mut bytes).expect("written");
        assert_eq!(serde_json::from_slice::<Vec<Record>>(&bytes).expect("JSON"), records);
    }

    #[test]
    fn a_full_disk_is_an_error() {
        struct Full;
        impl std::io::Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        assert!(write_csv(&[on_device("naive", 1e6)], Full).is_err());
        assert!(write_json(&[on_device("naive", 1e6)], Full).is_err());
    }

    #[test]
    fn spreadsheets_get_numbers_and_text_and_no_formula() {
        let row = |cell: &str| vec![("device".to_owned(), cell.to_owned()), ("n".to_owned(), "-1.5".to_owned())];
        let mut written = Vec::new();
        super::write_rows(&[row("=cmd|' /c calc'!A0"), row("@x \u{1b}[2J")], &mut written).expect("into memory");
        let written = String::from_utf8(written).expect("UTF-8");
        assert_eq!(written, "device,n\n'=cmd|' /c calc'!A0,-1.5\n'@x \\u001b[2J,-1.5\n");
    }
}
