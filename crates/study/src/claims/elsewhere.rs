//! What the steps of the ladders did on other devices, so that a step can be contrasted with the same one on a device that nobody here has.
//!
//! `bench --ladders --claims-data FILE` writes a file for one device; those in `assets/claims/*.json` are part of the program. A file has a head (what was
//! measured where, with which driver, when) and a line for each step that was compared: ratio, interval and verdict of the interleaved pairs. Of the
//! reasons it keeps the rules' ids and the facts that they name, and of experiments their comparisons: the sentences are those of today, in the language of
//! whoever reads them.

use super::Seen;
use crate::experiment::{Conclusion, Proof, PutToTest, Tested};
use crate::predict::{Change, truth};
use crate::why::{self, Facts, Level, Part, Reason};
use base::error::{Error, Result};
use base::texts::Words;
use engine::Compared;
use engine::compiled::CodeComparison;
use engine::device::{DeviceInfo, DeviceKind, display_name};
use kernels::filters::{self, Ladder, Says};
use model::Variant;
use model::measure::{Comparison, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::LazyLock;
use view::plot::units;

/// What a file says that it is.
const FORMAT: &str = "kernel-ladder claims";

/// Changes whenever an older program could not read what is written. The first one had no experiments.
const VERSION: u32 = 2;

/// The oldest that is read.
const OLDEST: u64 = 1;

/// Every file of `assets/claims/`, by name.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/claims_files.rs"));

static DEVICES: LazyLock<Vec<DeviceClaims>> = LazyLock::new(|| {
    // A file that cannot be read is left out: a test holds every one to be right.
    FILES.iter().filter_map(|(file, text)| read(&format!("assets/claims/{file}"), text).ok()).collect()
});

/// The devices that were measured elsewhere.
#[must_use]
pub fn devices() -> &'static [DeviceClaims] {
    &DEVICES
}

/// What the steps did on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceClaims {
    format: String,
    version: u32,
    /// The device's name, as its driver says it.
    pub device: String,
    /// GPU, CPU, …
    pub kind: DeviceKind,
    /// Compute units.
    pub compute_units: u32,
    /// Platform name.
    pub platform: String,
    /// Driver version.
    pub driver_version: String,
    /// Version of the program that measured.
    pub program_version: String,
    /// When the first row was measured: RFC 3339.
    pub date: String,
    /// In the order measured.
    pub steps: Vec<StepThere>,
}

/// What a step did there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepThere {
    /// The ladder's name.
    pub ladder: String,
    /// The step's key.
    pub step: String,
    /// The key of the step that it was compared with.
    pub against: String,
    /// Its variant then.
    pub variant: Variant,
    /// Width and height of the picture in pixels.
    pub size_px: [usize; 2],
    /// How it compared; above 1 it is faster.
    pub comparison: Comparison,
    /// Whether the device was given the same work for both.
    pub is_same_work: bool,
    /// Whether other work disturbed the comparison throughout.
    pub is_busy: bool,
    /// Why. Where reasons were put to the test, those that an experiment refuted stand before the one that is left.
    pub why: Vec<Cited>,
    /// Whether the reasons were put to the test.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_put_to_test: bool,
}

/// A reason, as files have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cited {
    /// The rule's id.
    pub rule: String,
    /// The facts that it names.
    pub facts: Facts,
    /// What its experiment said, where one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested: Option<Tested>,
    /// Why none could be made, where it was to be put to the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_tested: Option<Words>,
}

impl Cited {
    /// A reason of rules alone.
    #[must_use]
    pub fn of(reason: &Reason) -> Self {
        Self { rule: reason.rule.clone(), facts: reason.facts.clone(), tested: None, not_tested: None }
    }

    /// A reason that was put to the test.
    #[must_use]
    pub fn of_test(one: &PutToTest) -> Self {
        let (tested, not_tested) = match &one.tested {
            Ok(tested) => (Some(tested.rounded()), None),
            Err(why) => (None, Some(why.clone())),
        };
        Self { tested, not_tested, ..Self::of(&one.reason) }
    }

    /// The reason in the words of today, as sure as its experiment makes it. `None` where there is no such rule any more.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        let reason = why::recall(&self.rule, &self.facts)?;
        Some(match self.tested.as_ref().map(|tested| tested.conclusion) {
            Some(Conclusion::Confirmed) => reason.with_proof(Level::Proven),
            Some(Conclusion::Refuted) => reason.with_proof(Level::Refuted),
            Some(Conclusion::Unclear(_)) | None => reason,
        })
    }

    /// The reason with what its experiment said. `None` where there is no such rule any more.
    #[must_use]
    pub fn put_to_test(&self) -> Option<PutToTest> {
        let not_tested = || self.not_tested.clone().unwrap_or_else(|| Words::text("experiments.none.not-run"));
        Some(PutToTest { reason: why::recall(&self.rule, &self.facts)?, tested: self.tested.clone().ok_or_else(not_tested) })
    }
}

impl DeviceClaims {
    /// Nothing of a device yet.
    #[must_use]
    pub fn new(info: &DeviceInfo, program_version: &str, date: &str) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            device: info.name.clone(),
            kind: info.kind,
            compute_units: info.compute_units,
            platform: info.platform.clone(),
            driver_version: info.driver_version.clone(),
            program_version: program_version.to_owned(),
            date: date.to_owned(),
            steps: Vec::new(),
        }
    }

    /// A short name for headings: "NVIDIA H200".
    #[must_use]
    pub fn name(&self) -> String {
        display_name(&self.platform, &self.device, self.kind)
    }

    /// Whether it is this device, or one just like it: then it is not elsewhere.
    #[must_use]
    pub fn is_of(&self, info: &DeviceInfo) -> bool {
        self.device == info.name && self.platform == info.platform && self.compute_units == info.compute_units
    }

    /// What a step of a ladder did there, over the picture whose number of pixels is nearest.
    #[must_use]
    pub fn step(&self, ladder: &Ladder, step: usize, pixels: usize) -> Option<&StepThere> {
        let key = &ladder.steps.get(step)?.key;
        let distance = |row: &StepThere| (row.pixels() as f64 / pixels.max(1) as f64).ln().abs();
        let rows = self.steps.iter().filter(|row| row.ladder == ladder.name && row.step == *key);
        rows.min_by(|one, other| distance(one).total_cmp(&distance(other)))
    }

    /// The file.
    ///
    /// # Errors
    /// Never for plain data.
    pub fn to_json(&self) -> Result<String> {
        let failed = |error: serde_json::Error| {
            Error::failed("The claims could not be written as JSON", error.to_string(), "this is a defect: report it")
        };
        let Value::Object(fields) = serde_json::to_value(self).map_err(failed)? else { return Ok(String::new()) };
        let mut text = String::from("{\n");
        for (name, value) in fields.iter().filter(|(name, _)| *name != "steps") {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  \"{name}\": {value},");
        }
        let steps = self.steps.iter().map(serde_json::to_string).collect::<std::result::Result<Vec<_>, _>>().map_err(failed)?;
        let _ = writeln!(text, "  \"steps\": [\n    {}\n  ]\n}}", steps.join(",\n    "));
        Ok(text)
    }
}

impl StepThere {
    /// Of two that were compared.
    #[must_use]
    pub fn of([ladder, step, against]: [&str; 3], variant: Variant, size_px: [usize; 2], compared: &Compared, reasons: &[Reason]) -> Self {
        let Comparison { ratio, low, high, verdict, starts } = compared.comparison;
        let [ratio, low, high] = [ratio, low, high].map(units::rounded);
        Self {
            ladder: ladder.to_owned(),
            step: step.to_owned(),
            against: against.to_owned(),
            variant,
            size_px,
            comparison: Comparison { ratio, low, high, verdict, starts },
            is_same_work: compared.code.as_ref().is_some_and(CodeComparison::is_same_work),
            is_busy: compared.busy,
            why: reasons.iter().map(Cited::of).collect(),
            is_put_to_test: false,
        }
    }

    /// The same with what experiments said of the reasons, in the order tested.
    #[must_use]
    pub fn put_to_test(self, tested: &[PutToTest]) -> Self {
        Self { why: tested.iter().map(Cited::of_test).collect(), is_put_to_test: true, ..self }
    }

    /// The reasons with what experiments said of them; `None` where they were not put to the test.
    #[must_use]
    pub fn tests(&self) -> Option<Vec<PutToTest>> {
        self.is_put_to_test.then(|| self.why.iter().filter_map(Cited::put_to_test).collect())
    }

    /// How far it is explained; `None` where nothing was put to the test, or the comparison does not say that there is anything to explain.
    #[must_use]
    pub fn proof(&self) -> Option<Proof> {
        self.tests().filter(|_| self.comparison.verdict != Verdict::Unclear).map(|tests| Proof::of(&tests))
    }

    /// Lets the interval decide what older versions of this program left unclear as other programs were running. Without its pairs, whether both halves of the
    /// run point the same way is not known any more.
    fn decide(&mut self) {
        if self.is_busy && self.comparison.verdict == Verdict::Unclear {
            self.comparison.verdict = Verdict::of_interval(self.comparison.low, self.comparison.high);
        }
        self.forget_busy_reason();
    }

    /// Takes away the reason why nothing was said, where something is.
    pub fn forget_busy_reason(&mut self) {
        if self.comparison.verdict != Verdict::Unclear {
            self.why.retain(|cited| cited.rule != "machine-was-busy");
        }
    }

    /// What came of a claim there.
    #[must_use]
    pub fn seen(&self, says: Says) -> Seen {
        Seen::of_work(says, self.is_same_work, &self.comparison)
    }

    /// What was true there.
    #[must_use]
    pub fn truth(&self) -> Vec<Change> {
        if self.is_same_work { vec![Change::Same] } else { truth(&self.comparison) }
    }

    /// Why, in the words of today.
    #[must_use]
    pub fn reasons(&self) -> Vec<Reason> {
        self.why.iter().filter_map(Cited::reason).collect()
    }

    /// The cause: the first that no experiment refuted, or the first of all where every one was.
    #[must_use]
    pub fn cause(&self) -> Option<Reason> {
        let causes: Vec<Reason> = self.reasons().into_iter().filter(|reason| reason.part == Part::Cause).collect();
        causes.iter().find(|cause| cause.level != Level::Refuted).or_else(|| causes.first()).cloned()
    }

    fn pixels(&self) -> usize {
        self.size_px.iter().product()
    }

    /// Whether the ladders and rules of today still have it.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.check().is_ok()
    }

    /// Holds the row to the ladders and rules of today.
    fn check(&self) -> std::result::Result<(), String> {
        let Self { ladder: name, step, against, variant, .. } = self;
        let ladder = filters::all().iter().find_map(|filter| filter.ladder(name)).ok_or(format!("there is no ladder '{name}'"))?;
        let find =
            |key: &String| ladder.steps.iter().find(|step| step.key == *key).ok_or_else(|| format!("ladder '{name}' has no step '{key}'"));
        find(against)?;
        let now = find(step)?.variant();
        if now != *variant {
            return Err(format!("step '{step}' of ladder '{name}' was {variant} and is {now} now"));
        }
        match self.why.iter().find(|cited| why::recall(&cited.rule, &cited.facts).is_none()) {
            Some(cited) => Err(format!("there is no rule '{}', or it names other facts now", cited.rule)),
            None => Ok(()),
        }
    }
}

/// Reads a file.
///
/// # Errors
/// Failed, with the line, for what is no such file, of another version, or about steps and rules that are not those of today.
pub fn read(path: &str, text: &str) -> Result<DeviceClaims> {
    let wrong =
        |why: String| Error::failed("Claims of a device cannot be read", format!("{path}: {why}"), "measure again with --claims-data");
    let value: Value = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(wrong(format!("it does not say that it is '{FORMAT}'")));
    }
    let version = value.get("version").and_then(Value::as_u64);
    if !version.is_some_and(|version| (OLDEST..=u64::from(VERSION)).contains(&version)) {
        let said = version.map_or_else(|| "none".to_owned(), |version| version.to_string());
        return Err(wrong(format!("its version is {said}, and this program reads {VERSION}")));
    }
    // From the text again: errors then have a line.
    let mut claims: DeviceClaims = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    claims.steps.iter_mut().for_each(StepThere::decide);
    for (row, step) in claims.steps.iter().enumerate() {
        step.check().map_err(|why| wrong(format!("step {} of its list: {why}", row + 1)))?;
    }
    Ok(claims)
}

#[cfg(test)]
mod tests {
    use super::{DeviceClaims, FILES, StepThere, read};
    use crate::Seen;
    use crate::experiment::Proof;
    use crate::predict::Change;
    use crate::testing::bundles::put_to_test;
    use crate::testing::compared_as;
    use crate::why::{self, Facts, Level};
    use engine::device::DeviceInfo;
    use kernels::filters::{self, Ladder, Says};
    use model::measure::{Comparison, Verdict};

    fn ladder() -> &'static Ladder {
        filters::by_name("laplace").expect("laplace").ladder("mali-t600").expect("its ladder")
    }

    fn row(size_px: [usize; 2]) -> StepThere {
        let compared = compared_as(Comparison { ratio: 1.234_567, low: 1.2, high: 1.3, verdict: Verdict::Faster, starts: 1 });
        let mut facts = Facts::default();
        facts.set("interval_width", 0.1);
        facts.set("before.loads", 27.0);
        facts.set("after.loads", 1.8);
        let reasons = why::explain(why::Seen::Faster, &facts);
        StepThere::of(["mali-t600", "vectorize", "original"], ladder().steps[1].variant(), size_px, &compared, &reasons)
    }

    fn claims() -> DeviceClaims {
        let mut claims = DeviceClaims::new(&DeviceInfo::example(), "0.1.0", "2026-11-21T20:19:46Z");
        claims.steps = vec![row([1024, 1024]), row([3840, 2160])];
        claims
    }

    #[test]
    fn every_file_of_the_program_is_read() {
        for (file, text) in FILES {
            let claims = read(file, text).unwrap_or_else(|error| panic!("{error}"));
            assert!(!claims.steps.is_empty(), "{file}");
            for step in &claims.steps {
                assert_eq!(step.reasons().len(), step.why.len(), "{file}, {} {}", step.ladder, step.step);
            }
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let text = claims().to_json().expect("JSON");
        assert_eq!(read("a.json", &text).expect("the same"), claims());
        assert_eq!(text.lines().count(), claims().steps.len() + 13, "a line for each step: {text}");
        let there = &claims().steps[0];
        assert!((there.comparison.ratio - 1.2346).abs() < 1e-12, "{}", there.comparison.ratio);
        assert_eq!((there.truth(), there.seen(Says::Faster)), (vec![Change::Faster], Seen::Confirmed));
        assert_eq!((there.why.len(), there.reasons().len()), (1, 1));
        let same = StepThere { is_same_work: true, ..there.clone() };
        assert_eq!((same.truth(), same.seen(Says::Faster)), (vec![Change::Same], Seen::NotSeen));
    }

    #[test]
    fn experiments_are_written_and_read_and_files_of_before_have_none() {
        let mut claims = claims();
        claims.steps[0] = claims.steps[0].clone().put_to_test(&put_to_test(claims.steps[0].comparison));
        let text = claims.to_json().expect("JSON");
        let read_back = read("a.json", &text).expect("the same");
        assert_eq!(read_back, claims);
        let step = &read_back.steps[0];
        assert_eq!((step.proof(), read_back.steps[1].proof()), (Some(Proof::Experiment), None));
        let levels: Vec<_> = step.reasons().iter().map(|reason| reason.level).collect();
        assert_eq!(levels, [Level::Refuted, Level::Proven]);
        let of = |step: &StepThere| step.cause().expect("a cause").line_there();
        assert!(of(step).starts_with(Level::Proven.label_there()), "{}", of(step));
        // Where every reason was refuted, that is what is said.
        let mut all = put_to_test(step.comparison);
        all.truncate(1);
        let refuted = step.clone().put_to_test(&all);
        assert_eq!((refuted.proof(), refuted.cause().map(|cause| cause.level)), (Some(Proof::Unexplained), Some(Level::Refuted)));
        // As it was written before there were any.
        let older = super::tests::claims().to_json().expect("JSON").replacen("\"version\": 2", "\"version\": 1", 1);
        assert_eq!(read("a.json", &older).expect("read").steps, super::tests::claims().steps);
    }

    #[test]
    fn the_interval_decides_what_older_programs_left_unclear_on_a_busy_machine() {
        let of = |low, high| {
            let mut claims = claims();
            let comparison = Comparison { ratio: f64::midpoint(low, high), low, high, verdict: Verdict::Unclear, starts: 1 };
            let rule = "machine-was-busy".to_owned();
            let why = vec![super::Cited { rule, facts: Facts::default(), tested: None, not_tested: None }];
            claims.steps = vec![StepThere { comparison, is_busy: true, why, ..claims.steps[0].clone() }];
            let step = read("a.json", &claims.to_json().expect("JSON")).expect("it is read").steps.remove(0);
            (step.comparison.verdict, step.is_busy, step.why.len())
        };
        assert_eq!(of(2.75, 3.3), (Verdict::Faster, true, 0), "the note stays, the reason for no answer goes");
        assert_eq!(of(0.93, 1.18), (Verdict::Unclear, true, 1));
    }

    #[test]
    fn a_step_is_found_at_the_nearest_size() {
        let claims = claims();
        let size = |pixels: usize| claims.step(ladder(), 1, pixels).map(|row| row.size_px);
        assert_eq!([size(1), size(2_000_000), size(5_000_000)], [Some([1024, 1024]), Some([1024, 1024]), Some([3840, 2160])]);
        assert!(claims.step(ladder(), 0, 1).is_none() && claims.step(ladder(), 99, 1).is_none());
        assert!(claims.is_of(&DeviceInfo::example()));
        assert!(!claims.is_of(&DeviceInfo { compute_units: 5, ..DeviceInfo::example() }));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let text = claims().to_json().expect("JSON");
        for (from, to, words) in [
            ("kernel-ladder claims", "something else", "a.json: it does not say that it is 'kernel-ladder claims'"),
            ("\"version\": 2", "\"version\": 7", "a.json: its version is 7, and this program reads 2"),
            ("\"date\"", "\"day\"", "unknown field `day`"),
            ("\"step\":\"vectorize\"", "\"step\":\"sideways\"", "step 1 of its list: ladder 'mali-t600' has no step 'sideways'"),
            ("\"ladder\":\"mali-t600\"", "\"ladder\":\"no\"", "there is no ladder 'no'"),
            ("\"variant\":\"padded", "\"variant\":\"coalesced", "step 'vectorize' of ladder 'mali-t600' was coalesced"),
            ("\"rule\":\"", "\"rule\":\"un", "or it names other facts now"),
            ("{\n", "\n", "at line 2"),
        ] {
            let broken = text.replacen(from, to, 1);
            assert_ne!(broken, text, "{from} is not in: {text}");
            let error = read("a.json", &broken).expect_err(words).to_string();
            assert!(error.contains(words), "'{words}' is not in: {error}");
        }
    }
}
