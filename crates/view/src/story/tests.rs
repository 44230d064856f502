//! One story with every block and every cell, through every painter.

use super::html::Page;
use super::{Cell, Figure, Step, Story, csv, json, markdown, text};
use crate::plot::Fall;
use crate::testing::stories::{compared, story, words};
use base::texts::{Language, in_language};
use model::measure::{Comparison, Verdict};
use serde_json::json;

#[test]
fn a_terminal_gets_columns() {
    let expected = "\
A title

The <conclusion>
Guide: faster
Beware

A heading

Name of it    Time                                                                                   Ratio  result here
naive       1.5 ms                                                                       2.00× (1.90–2.10)
64 × 48       12.3  0.500× (0.400–0.600) SLOWER (other programs were running), from one run of the program  confirmed
a | b <c>        –                                                                          – (the | tile)  one; 2
e                …                                                                   1 µs (500 ns to 2 µs)  short
Others
f           it failed

How to read it

x = 1 < 2;
";
    assert_eq!(text::paint(&story()), expected);
}

#[test]
fn markdown_takes_names_as_names() {
    let expected = "\
# A title

**The &lt;conclusion>**

Guide: faster

Beware

## A heading

| Name<br>of it | Time | Ratio | result here |
|---|--:|--:|---|
| `naive` | 1.5 ms | 2.00× (1.90–2.10) |  |
| 64 × 48 | 12.3 | 0.500× (0.400–0.600) SLOWER (other programs were running), from one run of the program | confirmed |
| a \\| b &lt;c> | – | – (the \\| tile) | one<br>2 |
| e | … | 1 µs (500 ns to 2 µs) | short |
| **Others** |  |  |  |
| f | it failed |  |  |

How to read it

```
x = 1 < 2;
```
";
    assert_eq!(markdown::paint(&story()), expected);
}

#[test]
fn a_page_has_tags_classes_and_figures() {
    let mut page = Page::default();
    page.story(&story());
    let body = page.body();
    for part in [
        "<p><strong>The &lt;conclusion&gt;</strong></p>",
        "<p>Guide: faster</p>",
        "<p class=\"reversed\">Beware</p>",
        "<h3>A heading</h3>",
        "<caption>Times</caption>",
        "<th scope=\"col\">Name<br>of it</th>",
        "<tr><th scope=\"row\">naive</th><td class=\"number\">1.5 ms</td><td class=\"number\">2.00× (1.90–2.10)</td><td></td></tr>",
        "<td class=\"reversed\">0.500× (0.400–0.600)",
        "<td class=\"confirmed\">confirmed</td>",
        "<th scope=\"row\">a | b &lt;c&gt;</th><td class=\"number\">–</td><td class=\"number\">– (the | tile)</td><td>one<br>2</td>",
        "<th scope=\"rowgroup\" colspan=\"4\" class=\"group\">Others</th>",
        "<tr><th scope=\"row\">f</th><td>it failed</td><td></td><td></td></tr>",
        "<pre><code>x = 1 &lt; 2;</code></pre>",
        ">a curve</text>",
        ">a step</text>",
    ] {
        assert!(body.contains(part), "{part} is not in {body}");
    }
    assert_eq!(body.matches("<svg ").count(), 2);
}

#[test]
fn programs_get_numbers_and_the_same_in_every_language() {
    let made = |language| in_language(language, || json::paint(&story()));
    let [english, chinese] = Language::ALL.map(made);
    assert_eq!(english, chinese);
    let rows = &english["tables"]["times"];
    assert_eq!(rows[0], json!({ "name": "naive", "time": 1.5e6, "ratio": { "value": 2.0, "low": 1.9, "high": 2.1 }, "seen": null }));
    let compared = json!({ "ratio": 0.5, "low": 0.4, "high": 0.6, "verdict": "SLOWER", "starts": 1, "busy": true });
    assert_eq!(rows[1], json!({ "name": [64, 48], "time": 12_345_678.0, "ratio": compared, "seen": "confirmed" }));
    assert_eq!(rows[2], json!({ "name": "a | b <c>", "time": null, "ratio": { "why_not": "the | tile" }, "seen": ["one", 2.0] }));
    assert_eq!(rows[3]["seen"], "short");
    assert_eq!(rows[4], json!({ "name": "f", "why_not": "it failed" }));
    assert_eq!(english["sentences"][1]["text"], "Guide: faster");
}

#[test]
fn a_story_without_rows_is_a_file_that_programs_read() {
    let empty = || {
        let mut bytes = Vec::new();
        csv::paint(&Story::default(), &mut bytes).expect("written");
        bytes
    };
    assert_eq!(empty(), b"table\n");
}

#[test]
fn a_spreadsheet_gets_a_column_for_each_field() {
    let mut bytes = Vec::new();
    csv::paint(&story(), &mut bytes).expect("written");
    let mut reader = ::csv::Reader::from_reader(bytes.as_slice());
    let heads = reader.headers().expect("heads").clone();
    let rows: Vec<_> = reader.records().map(|row| row.expect("as long as the heads")).collect();
    let cell = |row: usize, name: &str| rows[row][heads.iter().position(|head| head == name).expect(name)].to_owned();
    assert_eq!(
        (rows.len(), cell(0, "table"), cell(0, "ratio.low"), cell(0, "seen")),
        (5, "times".to_owned(), "1.9".to_owned(), String::new())
    );
    assert_eq!(
        (cell(1, "name"), cell(1, "ratio.verdict"), cell(1, "seen")),
        ("64x48".to_owned(), "SLOWER".to_owned(), "confirmed".to_owned())
    );
    assert_eq!((cell(2, "ratio.why_not"), cell(4, "why_not")), ("the | tile".to_owned(), "it failed".to_owned()));
}

#[test]
fn a_story_is_kept_without_a_language() {
    let kept = |language| in_language(language, || serde_json::to_string(&story()).expect("plain data"));
    let [english, chinese] = Language::ALL.map(kept);
    assert_eq!(english, chinese);
    assert_eq!(serde_json::from_str::<Story>(&english).expect("its own"), story());
    let told = in_language(Language::Chinese, || text::paint(&serde_json::from_str(&chinese).expect("its own")));
    assert!(told.contains("指南") && told.contains("The <conclusion>"), "{told}");
}

#[test]
fn steps_begin_where_the_one_before_ended_and_the_whole_at_one() {
    let worth =
        |ratio: f64| Cell::Compared(Comparison { ratio, low: ratio * 0.9, high: ratio * 1.1, verdict: Verdict::Faster, starts: 7 }, false);
    let step = |worth| Step { label: words("step"), worth };
    let rows = super::figure::rows(&[step(worth(2.0)), step(worth(1.5))], &worth(2.9));
    let ends = |index: usize| match &rows[index].fall {
        Fall::Step { from, to, ends } => (*from, *to, ends.map(|end| (end * 100.0).round() / 100.0)),
        Fall::None(why) => panic!("{why}"),
    };
    assert_eq!((ends(0), ends(1), ends(2)), ((1.0, 2.0, [1.8, 2.2]), (2.0, 3.0, [2.7, 3.3]), (1.0, 2.9, [2.61, 3.19])));
    assert_eq!((rows[1].value.as_str(), rows[2].is_whole), ("1.50× (1.35–1.65)", true));
    // What was not compared begins nothing.
    let rows = super::figure::rows(&[step(Cell::Refused(words("it failed"))), step(worth(1.5))], &Cell::Awaited);
    assert_eq!(
        rows.iter().map(|row| row.fall.clone()).collect::<Vec<_>>(),
        ["not compared: it failed", "", ""].map(|why| Fall::None(why.into()))
    );
}

#[test]
fn figures_are_laid_out_in_the_language_of_whoever_reads_them() {
    let figure = Figure::Waterfall { steps: Vec::new(), whole: compared() };
    let texts = |language| {
        in_language(language, || figure.scene([800.0, 300.0], &crate::testing::measure).texts().map(str::to_owned).collect::<Vec<_>>())
    };
    let [english, chinese] = Language::ALL.map(texts);
    let has = |texts: &[String], part: &str| texts.iter().any(|text| text.contains(part));
    assert!(has(&english, "other programs") && has(&chinese, "其他程序") && !has(&chinese, "other programs"), "{english:?} {chinese:?}");
}
