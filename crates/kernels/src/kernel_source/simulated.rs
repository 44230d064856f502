//! What oclgrind, a simulator of a device that checks every access, says of a source: read from its log.

use super::Mark;
use base::texts::filled;
use std::fmt::Display;

/// Invalid accesses, data races and uses of values that nobody wrote, by the lines where they happened, the first of each kind and line first. Such a fault shows up in
/// hundreds of work-items: it is told once, with the first of them and their number.
#[must_use]
pub fn simulator_marks(log: &str) -> Vec<Mark> {
    let mut faults: Vec<(Fault, usize)> = Vec::new();
    for fault in reports(log).filter_map(|report| Fault::of(&report)) {
        match faults.iter_mut().find(|(known, _)| known.is_same_as(&fault)) {
            Some((_, count)) => *count += 1,
            None => faults.push((fault, 1)),
        }
    }
    faults.into_iter().map(|(fault, count)| fault.into_mark(count)).collect()
}

/// Each report is a headline, and lines that are indented.
fn reports(log: &str) -> impl Iterator<Item = Vec<&str>> {
    let mut reports: Vec<Vec<&str>> = Vec::new();
    for line in log.lines().filter(|line| !line.trim().is_empty()) {
        match reports.last_mut() {
            Some(report) if line.starts_with(char::is_whitespace) || is_part(line) => report.push(line),
            _ => reports.push(vec![line]),
        }
    }
    reports.into_iter()
}

/// Lines of a report that are not indented in every version.
fn is_part(line: &str) -> bool {
    ["Kernel:", "Entity:", "First entity:", "Second entity:", "At line"].iter().any(|word| line.starts_with(word))
}

/// One report.
struct Fault {
    /// The headline without the address.
    what: String,
    line: usize,
    column: usize,
    /// Of a race, the line of the other access.
    other_line: Option<usize>,
    /// "Global(9,0,0)" of the first work-item.
    entity: String,
}

impl Fault {
    fn of(report: &[&str]) -> Option<Self> {
        let what = report.first()?.split(" address 0x").next()?.trim().to_owned();
        let mut places = report.iter().filter_map(|line| place(line));
        let (line, column) = places.next()?;
        let entity = report.iter().find_map(|line| line.trim().split_once("ntity:"))?.1.split_whitespace().next()?.to_owned();
        Some(Self { what, line, column, other_line: places.next().map(|(line, _)| line), entity })
    }

    fn is_same_as(&self, other: &Self) -> bool {
        (&self.what, self.line, self.other_line) == (&other.what, other.line, other.other_line)
    }

    fn into_mark(self, count: usize) -> Mark {
        let Self { what, line, column, other_line, entity } = self;
        let values: [(&str, &dyn Display); 4] =
            [("what", &what), ("entity", &entity), ("count", &count), ("other", &other_line.unwrap_or_default())];
        let key = if other_line.is_some() { "errors.trial.simulated-race" } else { "errors.trial.simulated" };
        // It loses track of what is written through some vectors, and so cannot be sure of values.
        Mark { line, column, is_error: !what.contains("uninit"), words: filled(key, &values) }
    }
}

/// The numbers of "At line 12 (column 9) of input.cl:".
fn place(line: &str) -> Option<(usize, usize)> {
    let (row, rest) = line.trim().strip_prefix("At line ")?.split_once(' ').unwrap_or_default();
    let column = rest.split_once("(column ").and_then(|(_, rest)| rest.split_once(')')?.0.parse().ok());
    Some((row.trim_end_matches(':').parse().ok()?, column.unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::simulator_marks;

    const LOG: &str = "
Invalid write of size 1 at global memory address 0x10000000024c3
\tKernel: laplace
\tEntity: Global(3,0,0) Local(3,0,0) Group(0,0,0)
\t  store i8 1, i8 addrspace(1)* %arrayidx, align 1, !dbg !48
\tAt line 46 (column 52) of input.cl:
\t  destination[64*48*3 + get_global_id(0)] = 1;

Invalid write of size 1 at global memory address 0x10000000024c4
\tKernel: laplace
\tEntity: Global(4,0,0) Local(4,0,0) Group(0,0,0)
\t  store i8 1, i8 addrspace(1)* %arrayidx, align 1, !dbg !48
\tAt line 46 (column 52) of input.cl:
\t  destination[64*48*3 + get_global_id(0)] = 1;

Read-write data race at local memory address 0x1000000000004
\tKernel: laplace
\t
\tFirst entity:  Global(1,0,0) Local(1,0,0) Group(0,0,0)
\t  store i32 %conv, i32 addrspace(3)* %arrayidx, align 4
\tAt line 48 (column 21) of input.cl:
\t  shared[me & 63] = me;
\t
\tSecond entity: Global(0,0,0) Local(0,0,0) Group(0,0,0)
\t  %2 = load i32, i32 addrspace(3)* %arrayidx6, align 4
\tAt line 49 (column 17) of input.cl:
\t  int other = shared[(me + 1) & 63];

Controlflow depends on uninitialized value
\tKernel: laplace
\tEntity: Global(0,0,0) Local(0,0,0) Group(0,0,0)
\t  br i1 %cmp28, label %cond.end41, label %cond.false, !dbg !83
\tAt line 60 (column 24) of input.cl:
\t  out[channel] = other;

Oclgrind: 1000 errors generated - suppressing further errors
";

    #[test]
    fn each_fault_is_told_once_at_its_line() {
        let marks = simulator_marks(LOG);
        let places: Vec<_> = marks.iter().map(|mark| (mark.line, mark.column, mark.is_error)).collect();
        assert_eq!(places, [(46, 52, true), (48, 21, true), (60, 24, false)]);
        for (mark, words) in marks.iter().zip([
            "Invalid write of size 1 at global memory, first in Global(3,0,0), reported 2 times",
            "Read-write data race at local memory with line 49, first in Global(1,0,0), reported 1 times",
            "Controlflow depends on uninitialized value, first in Global(0,0,0), reported 1 times",
        ]) {
            assert_eq!(mark.words, words);
        }
        assert!(simulator_marks("").is_empty());
        assert!(simulator_marks("At line\n\tAt line x (column y)\nEntity:").is_empty());
    }
}
