//! The readings of this session, in the order in which they came.

use crate::engine::Task;
use crate::model::Record;

/// Rows beyond this many push the oldest out: a session that runs for a week must not grow for a week.
const MAX_ROWS: usize = 1000;

/// One reading.
#[derive(Clone, Debug)]
pub struct Row {
    /// Unique in the session.
    pub id: u64,
    /// What was asked: what a person chooses is looked up by it.
    pub task: Task,
    /// The reading, with the name that a person gave it.
    pub record: Record,
}

impl Row {
    /// The given name, or the reading's own label.
    #[must_use]
    pub fn label(&self) -> String {
        self.record.name.clone().unwrap_or_else(|| self.record.label())
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

    /// The newest row of exactly this task.
    #[must_use]
    pub fn newest_of(&self, task: &Task) -> Option<&Row> {
        self.rows.iter().rev().find(|row| row.task == *task)
    }

    /// Adds a reading and returns its row's id.
    pub fn push(&mut self, task: Task, record: Record) -> u64 {
        self.next_id += 1;
        self.rows.push(Row { id: self.next_id, task, record });
        if self.rows.len() > MAX_ROWS {
            self.rows.remove(0);
        }
        self.next_id
    }

    /// Names a row; an empty name takes the name away.
    pub fn name(&mut self, id: u64, name: &str) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.id == id) {
            row.record.name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
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
