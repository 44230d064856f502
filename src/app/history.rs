//! The readings of this session, in the order in which they came, and those that earlier sessions left.

use engine::Task;
use model::{ForeignRecord, Record};

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

/// All readings, the oldest first. Charts and comparisons know this session's alone: the machine may have been another one, or busy, in earlier ones.
#[derive(Debug, Default)]
pub struct History {
    rows: Vec<Row>,
    /// With ids of the same numbers as rows.
    earlier: Vec<(u64, Record)>,
    /// Of other versions of the program, with their lines in the file.
    foreign: Vec<(String, ForeignRecord)>,
    is_read: bool,
    next_id: u64,
}

impl History {
    /// All rows, the oldest first.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Every reading with its id, the oldest first.
    pub fn kept(&self) -> impl Iterator<Item = (u64, &Record)> {
        let earlier = self.earlier.iter().map(|(id, record)| (*id, record));
        earlier.chain(self.rows.iter().map(|row| (row.id, &row.record)))
    }

    /// What other versions left, as far as it can be shown.
    #[must_use]
    pub fn foreign(&self) -> impl ExactSizeIterator<Item = &ForeignRecord> {
        self.foreign.iter().map(|(_, record)| record)
    }

    /// The reading of that id.
    #[must_use]
    pub fn record(&self, id: u64) -> Option<&Record> {
        self.kept().find(|(known, _)| *known == id).map(|(_, record)| record)
    }

    /// Whether what earlier sessions left is known; before that nothing is written, or it would be lost.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.is_read
    }

    /// Takes in what earlier sessions left.
    pub fn take_earlier(&mut self, records: Vec<Record>, foreign: Vec<String>) {
        let shown = |line: String| (ForeignRecord::of_line(&line), line);
        self.foreign = foreign.into_iter().map(shown).map(|(record, line)| (line, record)).collect();
        for record in records {
            self.next_id += 1;
            self.earlier.push((self.next_id, record));
        }
        self.is_read = true;
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

    /// Names a row; an empty name takes the name away. Its reading with the name.
    pub fn name(&mut self, id: u64, name: &str) -> Option<Record> {
        let earlier = self.earlier.iter_mut().map(|(known, record)| (*known, record));
        let mut all = earlier.chain(self.rows.iter_mut().map(|row| (row.id, &mut row.record)));
        let (_, record) = all.find(|(known, _)| *known == id)?;
        record.name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        Some(record.clone())
    }

    /// Drops a row, and returns its reading.
    pub fn remove(&mut self, id: u64) -> Option<Record> {
        let removed = self.record(id).cloned();
        self.rows.retain(|row| row.id != id);
        self.earlier.retain(|(known, _)| *known != id);
        removed
    }

    /// Drops all rows, and returns their readings, and the lines of those of other versions. Ids are not used again.
    pub fn clear(&mut self) -> (Vec<Record>, Vec<String>) {
        let foreign = std::mem::take(&mut self.foreign).into_iter().map(|(line, _)| line).collect();
        let earlier = std::mem::take(&mut self.earlier).into_iter().map(|(_, record)| record);
        (earlier.chain(std::mem::take(&mut self.rows).into_iter().map(|row| row.record)).collect(), foreign)
    }
}
