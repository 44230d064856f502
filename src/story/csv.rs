//! A table as comma-separated values: the fields of its JSON, one column each (`kernel.low`).

use super::{Table, json};
use crate::error::Result;
use crate::measure;
use std::io::Write;

/// Writes a header line and a line for each row.
///
/// # Errors
/// When `to` cannot be written.
pub fn paint(table: &Table, to: impl Write) -> Result<()> {
    let rows = json::table(table);
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    measure::write_rows(&rows.iter().map(measure::flat).collect::<Result<Vec<_>>>()?, to)
}
