//! A story for programs: a list of rows for each table, with a field for each column, and the sentences.

use super::{Block, Cell, Row, Story, Table};
use serde_json::{Map, Value, json};

/// The whole story.
#[must_use]
pub fn paint(story: &Story) -> Value {
    let tables: Map<String, Value> = story.tables().map(|of| (of.name.clone(), table(of))).collect();
    let sentences: Vec<_> =
        story.blocks.iter().filter_map(|block| if let Block::Sentence(_, words) = block { Some(words) } else { None }).collect();
    json!({ "title": story.title, "tables": tables, "sentences": sentences })
}

/// The rows of a table. A row without figures has its reason in their place.
#[must_use]
pub fn table(table: &Table) -> Value {
    let row = |row: &Row| {
        let (first, others) = row.parts();
        let names = table.columns.iter().map(|column| column.name.clone());
        let mut fields: Map<String, Value> = names.zip(first.into_iter().chain(others).map(cell)).collect();
        if let Row::Instead(_, why) = row {
            fields.insert("why_not".to_owned(), why.english().into());
        }
        Value::Object(fields)
    };
    table.rows().map(row).collect()
}

fn cell(cell: &Cell) -> Value {
    match cell {
        Cell::Empty | Cell::Missing | Cell::Awaited => Value::Null,
        Cell::Words(words) | Cell::Verdict(_, words) => words.english().into(),
        Cell::Code(code) => code.as_str().into(),
        Cell::Size(size) => json!(size),
        Cell::Number(value, _) => json!(value),
        Cell::Between([value, low, high], _) => json!({ "value": value, "low": low, "high": high }),
        Cell::Compared(comparison, busy) => {
            let mut fields = json!(comparison);
            if let Value::Object(fields) = &mut fields {
                fields.insert("busy".to_owned(), (*busy).into());
            }
            fields
        }
        Cell::Refused(why) => json!({ "why_not": why.english() }),
        Cell::Lines(cells) => cells.iter().map(self::cell).collect(),
        Cell::Explained(cell, _) => self::cell(cell),
    }
}
