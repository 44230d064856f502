//! How rows and findings end: what failed, and whether anything that was asked for was measured.

use super::Finding;
use base::error::{Error, ErrorKind, Result};
use base::texts::{failed, filled};
use model::{Contender, Outcome, Record};
use std::fmt::Display;

/// Of rows, each with what else went wrong with it.
///
/// # Errors
/// Failed where a row did, or where devices were asked for and no row of theirs has figures; with the rows' reasons.
pub fn of_rows<'a>(rows: impl IntoIterator<Item = (&'a Record, Option<&'a str>)>) -> Result<()> {
    let rows: Vec<_> = rows.into_iter().collect();
    let told = |row: &Record, why: &dyn Display| filled("tables.bench.row", &[("title", &row.label()), ("row", why)]);
    let failures = rows.iter().filter_map(|(row, other)| {
        if let Outcome::Failed(why) = &row.outcome { Some(told(row, why)) } else { other.map(|why| told(row, &why)) }
    });
    let failures: Vec<_> = failures.collect();
    if !failures.is_empty() {
        let values: [(&str, &dyn Display); 2] = [("failed", &failures.len()), ("count", &rows.len())];
        return Err(failed("errors.cli.not-complete", &values).with_detail(failures.join("\n")));
    }
    // The processor is measured beside them, whoever asks.
    let of_devices: Vec<_> = rows.iter().map(|(row, _)| row).filter(|row| matches!(row.contender, Contender::Device { .. })).collect();
    if of_devices.is_empty() || of_devices.iter().any(|row| row.measured().is_some()) {
        return Ok(());
    }
    let reasons: Vec<_> = of_devices.iter().filter_map(|row| Some(told(row, row.reason()?))).collect();
    Err(failed("errors.cli.nothing-measured", &[("count", &of_devices.len())]).with_detail(reasons.join("\n")))
}

/// That nothing of what was asked for failed: a wrong output or a driver's refusal, told in its place in the tables, is a failure of the whole. What is not supported is
/// not.
///
/// # Errors
/// Something failed.
pub fn complete(findings: &[Finding]) -> Result<()> {
    let failure = |error: &Error| (error.kind != ErrorKind::Usage).then(|| error.to_string());
    let failures: Vec<String> = findings
        .iter()
        .filter_map(|finding| match finding {
            Finding::Record(_, record) => match &record.outcome {
                Outcome::Failed(why) => Some(why.to_string()),
                Outcome::Measured(_) | Outcome::Unsupported(_) => None,
            },
            Finding::Glanced(_, Err(error))
            | Finding::Compared(_, Err(error))
            | Finding::Frames(_, Err(error))
            | Finding::Split(_, Err(error)) => failure(error),
            Finding::Glanced(_, Ok(_))
            | Finding::Compared(_, Ok(_))
            | Finding::Frames(_, Ok(_))
            | Finding::Split(_, Ok(_))
            | Finding::Code(..)
            | Finding::Roofs(_) => None,
        })
        .collect();
    if failures.is_empty() {
        return Ok(());
    }
    let values: [(&str, &dyn Display); 2] = [("failed", &failures.len()), ("count", &findings.len())];
    Err(failed("errors.cli.not-complete", &values).with_detail(failures.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::of_rows;
    use crate::testing::records::{on_cpu, on_device, on_device_in};
    use model::{CpuEngine, Outcome};

    #[test]
    fn nothing_measured_of_what_was_asked_for_is_a_failure() {
        let cpu = on_cpu(CpuEngine::Scalar, 1e6);
        let refused = on_device_in("naive", Outcome::Unsupported("too large".into()));
        let broken = on_device_in("naive", Outcome::Failed("it broke".into()));
        let right = on_device("coalesced", 1e6);
        let of = |rows: &[&model::Record]| of_rows(rows.iter().map(|row| (*row, None)));
        assert!(of(&[&cpu, &right, &refused]).is_ok(), "some of what was asked for was measured");
        assert!(of(&[&cpu]).is_ok(), "no device was asked for");
        let error = of(&[&cpu, &refused]).expect_err("the only row of the device has no figures");
        assert!(error.detail.is_some_and(|detail| detail.contains("too large")));
        let error = of(&[&cpu, &right, &broken]).expect_err("a row failed");
        assert!(error.why.starts_with("1 of 3"), "{error}");
        assert!(of_rows([(&right, Some("the comparison lost the device"))]).is_err());
    }
}
