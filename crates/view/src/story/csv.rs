//! A story as comma-separated values: the rows of all tables with the fields of their JSON, one column each (`kernel.low`), behind the table's name.

use super::{Story, json};
use base::error::Result;
use model::measure;
use serde_json::json;
use std::io::Write;

/// The column of the table that a row is of.
const TABLE: &str = "table";

/// Writes a header line and a line for each row; without any row, the head of the first column, as programs read no file that is empty.
///
/// # Errors
/// When `to` cannot be written.
pub fn paint(story: &Story, to: impl Write) -> Result<()> {
    let mut rows = Vec::new();
    if story.tables().all(|table| table.rows().next().is_none()) {
        return measure::write_heads(&[TABLE], to);
    }
    for table in story.tables() {
        let name = measure::flat(&json!({ TABLE: table.name }))?;
        for row in json::table(table).as_array().into_iter().flatten() {
            rows.push([name.clone(), measure::flat(row)?].concat());
        }
    }
    measure::write_rows(&rows, to)
}
