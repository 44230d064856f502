//! What came of the rows as JUnit XML, as build servers read it: a test for each row. A row that is slower or wrong is a failure; one that is inconclusive, or
//! that the baseline has no figures of, is skipped with its reason: it neither passes nor fails.
//!
//! In English: it is for programs.

use super::judging::{Judged, Outcome};
use super::telling::row_sentence;
use base::texts::in_english;
use model::measure::Ruling;
use std::time::Duration;

/// The file's text. It took so long.
#[must_use]
pub fn junit(judged: &[Judged], took: Duration) -> String {
    in_english(|| {
        let cases: Vec<Case> = judged.iter().map(Case::of).collect();
        let count = |is: fn(&State) -> bool| cases.iter().filter(|case| is(&case.state)).count();
        let (failures, skipped) = (count(|state| matches!(state, State::Failure(_))), count(|state| matches!(state, State::Skipped)));
        let numbers = format!(
            "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{:.3}\"",
            cases.len(),
            took.as_secs_f64()
        );
        let body: String = cases.iter().map(Case::xml).collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kernel-ladder\" {numbers}>\n  <testsuite name=\"kernel-ladder compare\" {numbers}>\n{body}  \
             </testsuite>\n</testsuites>\n"
        )
    })
}

struct Case {
    class: String,
    name: String,
    sentence: String,
    state: State,
}

enum State {
    Passed,
    /// Of this type.
    Failure(&'static str),
    Skipped,
}

impl Case {
    fn of(judged: &Judged) -> Self {
        let state = match &judged.outcome {
            Outcome::Failed(_) => State::Failure("failed"),
            Outcome::Skipped(_) => State::Skipped,
            Outcome::Compared(ratio) => match ratio.ruling {
                Some(Ruling::Slower) => State::Failure("slower"),
                Some(Ruling::Inconclusive) => State::Skipped,
                Some(Ruling::NotSlower) | None => State::Passed,
            },
        };
        Self { class: judged.class.clone(), name: judged.name.to_string(), sentence: row_sentence(judged), state }
    }

    fn xml(&self) -> String {
        let (class, name, sentence) = (escaped(&self.class), escaped(&self.name), escaped(&self.sentence));
        let inside = match self.state {
            State::Passed => format!("<system-out>{sentence}</system-out>"),
            State::Failure(kind) => format!("<failure type=\"{kind}\" message=\"{sentence}\">{sentence}</failure>"),
            State::Skipped => format!("<skipped message=\"{sentence}\"/>"),
        };
        format!("    <testcase classname=\"{class}\" name=\"{name}\">{inside}</testcase>\n")
    }
}

/// Text as it may stand between tags and within quotation marks. What XML 1.0 cannot say at all is a mark that says so: U+FFFD.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Else attributes have blanks in their place.
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => escaped.push('\u{FFFD}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{escaped, junit};
    use crate::baseline::judging::{Judged, Outcome, Question, Ratio};
    use base::texts::Words;
    use model::measure::{Change, Ruling};
    use std::time::Duration;

    #[test]
    fn no_letter_breaks_the_markup() {
        assert_eq!(escaped("a<b> & \"c\"\n\u{1b}[31m'd'\t\u{FFFF}é"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;\u{FFFD}[31m'd'&#9;\u{FFFD}é");
    }

    #[test]
    fn each_outcome_has_its_element() {
        let row = |name: &str, outcome| Judged { name: Words::from(name), class: "A & B.laplace".to_owned(), outcome };
        let ratio = |ruling| {
            Outcome::Compared(Ratio {
                question: Question::Machine,
                before_ns: 1e6,
                now_ns: 1.1e6,
                change: Some(Change { ratio: 1.1, low: 1.05, high: 1.15 }),
                processes: 7,
                ruling,
                why: None,
                busy: false,
            })
        };
        let rows = [
            row("one", ratio(Some(Ruling::NotSlower))),
            row("two", ratio(Some(Ruling::Slower))),
            row("three", ratio(Some(Ruling::Inconclusive))),
            row("four", Outcome::Failed(Words::from("1 < 2 pixels differ"))),
            row("five", Outcome::Skipped(Words::from("no images"))),
            row("six", ratio(None)),
        ];
        let xml = junit(&rows, Duration::from_millis(1500));
        assert_eq!(xml.matches("tests=\"6\" failures=\"2\" errors=\"0\" skipped=\"2\" time=\"1.500\"").count(), 2, "{xml}");
        assert_eq!(xml.matches("classname=\"A &amp; B.laplace\"").count(), 6, "{xml}");
        for part in
            ["<failure type=\"slower\"", "<failure type=\"failed\"", "1 &lt; 2 pixels differ", "<skipped message=\"", "1.10× (1.05–1.15)"]
        {
            assert!(xml.contains(part), "'{part}' is not in {xml}");
        }
        assert_eq!(xml.matches("<testcase ").count(), xml.matches("</testcase>").count());
    }
}
