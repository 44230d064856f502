//! The readings of this session, in the order in which they came.

use crate::measure::Reading;

/// Rows beyond this many push the oldest out: a session that runs for a week must not grow for a week.
const MAX_ROWS: usize = 1000;

/// One reading, with the name that a person gave it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Unique in the session.
    pub id: u64,
    /// Given by the person.
    pub name: Option<String>,
    /// The reading.
    pub reading: Reading,
}

impl Row {
    /// The given name, or the reading's own label.
    #[must_use]
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.reading.label())
    }
}

/// All rows, the oldest first.
#[derive(Debug, Default)]
pub struct History {
    rows: Vec<Row>,
    next_id: u64,
}

impl History {
    /// All rows, the oldest first.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of that id.
    #[must_use]
    pub fn row(&self, id: u64) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// The newest row.
    #[must_use]
    pub fn newest(&self) -> Option<&Row> {
        self.rows.last()
    }

    /// Adds a reading and returns its row's id.
    pub fn push(&mut self, reading: Reading) -> u64 {
        self.next_id += 1;
        self.rows.push(Row { id: self.next_id, name: None, reading });
        if self.rows.len() > MAX_ROWS {
            self.rows.remove(0);
        }
        self.next_id
    }

    /// Names a row; an empty name takes the name away.
    pub fn name(&mut self, id: u64, name: &str) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.id == id) {
            row.name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        }
    }

    /// Drops a row.
    pub fn remove(&mut self, id: u64) {
        self.rows.retain(|row| row.id != id);
    }

    /// Drops all rows. Ids are not used again.
    pub fn clear(&mut self) {
        self.rows.clear();
    }
}
