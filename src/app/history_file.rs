//! The history on disk: one record per line. Written by the file thread alone.

use crate::files::{Line, LineStep, Lines, LinesJob};
use crate::model::Record;

/// What earlier sessions left.
pub type Kept = Lines<Record>;

/// Work for the file thread.
pub type HistoryJob = LinesJob<Record>;

impl Line for Record {
    const FILE: &'static str = "history.jsonl";
    const MOST: usize = 1000;
    const UNREAD: [&'static str; 2] = ["errors.window.unread-reading", "errors.window.unread-history"];

    fn is_current(&self) -> bool {
        self.schema == Self::SCHEMA
    }

    /// A name is the only thing that a person can change of it.
    fn identity(&self) -> String {
        serde_json::to_string(&Self { name: None, ..self.clone() }).unwrap_or_default()
    }

    fn refused(step: LineStep) -> &'static str {
        match step {
            LineStep::Read => "errors.history.not-read",
            LineStep::Copy => "errors.history.not-copied",
            LineStep::Append => "errors.history.not-appended",
            LineStep::Replace => "errors.history.not-kept",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HistoryJob, Kept};
    use crate::files::{Line as _, read_lines};
    use crate::model::{CpuEngine, Record};
    use crate::testing::records::{on_cpu, on_device};

    #[test]
    fn records_come_back_as_they_were_and_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("history.jsonl");
        let records =
            vec![on_cpu(CpuEngine::Simd, 1e6), Record { name: Some("my start\nin \"two\" lines".to_owned()), ..on_device("padded", 2e6) }];
        for record in &records {
            HistoryJob::Append(Box::new(record.clone())).run(&path).expect("written");
        }
        assert_eq!(read_lines::<Record>(&path).expect("read"), Kept { lines: records, ..Kept::default() });
    }

    #[test]
    fn a_record_of_another_version_is_not_taken() {
        let record = on_device("padded", 2e6);
        assert!(record.is_current() && !Record { schema: Record::SCHEMA + 1, ..record }.is_current());
    }
}
