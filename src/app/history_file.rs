//! The history on disk: one record per line. Written by the file thread alone.

use base::files::{Lines, LinesJob};
use model::Record;

/// What earlier sessions left.
pub type Kept = Lines<Record>;

/// Work for the file thread.
pub type HistoryJob = LinesJob<Record>;

#[cfg(test)]
mod tests {
    use super::{HistoryJob, Kept};
    use crate::testing::records::{on_cpu, on_device};
    use base::files::read_lines;
    use model::{CpuEngine, Record};

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
    fn nothing_of_other_versions_is_lost_or_called_damaged() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("history.jsonl");
        let own = on_device("padded", 2e6);
        let as_json = |record: &Record| serde_json::to_value(record).expect("plain data");
        let mut older = as_json(&on_cpu(CpuEngine::Threads, 1e6));
        older["schema"] = 1.into();
        older["contender"]["cpu"]["instructions"] = "AVX2，8 个线程".into();
        let (mut newer, mut blurred) = (as_json(&own), as_json(&own));
        newer["schema"] = 9.into();
        newer["outcome"] = serde_json::json!({ "estimated": 3 });
        blurred["spec"]["filter"] = "blur".into();
        let lines = [older, newer, blurred, as_json(&own)].map(|line| line.to_string());
        std::fs::write(&path, lines.join("\n") + "\n").expect("written");
        let kept = read_lines::<Record>(&path).expect("read");
        assert_eq!((kept.lines.len(), kept.foreign.as_slice(), kept.damaged, &kept.copy), (2, &lines[1..3], 0, &None));
        // The older one is converted, and says what it said.
        let converted = &kept.lines[0];
        assert!(matches!(&converted.contender, model::Contender::Cpu { instructions, .. } if instructions.to_string() == "AVX2，8 个线程"));
        assert_eq!(converted.schema, Record::SCHEMA);
        assert_eq!(std::fs::read_to_string(&path).expect("there"), lines.join("\n") + "\n", "nothing is written for reading");
        // A session that names one writes all of it anew.
        let named = vec![converted.clone(), Record { name: Some("mine".to_owned()), ..own }];
        HistoryJob::Change(Box::new(named[1].clone())).run(&path).expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("there").lines().take(3).collect::<Vec<_>>(), lines[..3]);
        let again = read_lines::<Record>(&path).expect("read");
        assert_eq!((again.lines, again.foreign.as_slice(), again.damaged), (named, &lines[1..3], 0));
    }
}
