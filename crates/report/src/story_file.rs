//! A story as a file, painted in the form that the file's ending names.

use super::document;
use base::error::Result;
use base::texts::{failed, in_english};
use std::path::Path;
use view::plot::{Form, Heading, figures_file, measure, pdf};
use view::story::html::Page;
use view::story::{Block, Story, Tone, csv, json, markdown, paper, text};

/// The endings that are known; any other one gets text.
pub const EXTENSIONS: [&str; 8] = ["md", "html", "json", "csv", "txt", "svg", "png", "pdf"];

/// The file's bytes.
///
/// # Errors
/// Where a table cannot be written as CSV, or a picture is asked for of a story without figures.
pub fn paint(story: &Story, path: &Path) -> Result<Vec<u8>> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    Ok(match ending.as_str() {
        "md" => markdown::paint(story).into_bytes(),
        "html" => {
            let mut page = Page::default();
            page.story(story);
            document(&story.title.as_ref().map(ToString::to_string).unwrap_or_default(), &page).into_bytes()
        }
        "json" => format!("{:#}\n", in_english(|| json::paint(story))).into_bytes(),
        "csv" => {
            let mut bytes = Vec::new();
            csv::paint(story, &mut bytes)?;
            bytes
        }
        "svg" => pictured(story, Form::Svg)?,
        "png" => pictured(story, Form::Png)?,
        "pdf" => pdf(&story.title.as_ref().map(ToString::to_string).unwrap_or_default(), &paper::pages(story, &measure))?,
        _ => text::paint(story).into_bytes(),
    })
}

/// Its figures, one below the other.
fn pictured(story: &Story, form: Form) -> Result<Vec<u8>> {
    if story.figures().next().is_none() {
        return Err(failed("errors.report.no-figure", &[("extension", &form.extension())]));
    }
    let title = story.title.as_ref().map(ToString::to_string).unwrap_or_default();
    let strong = story.blocks.iter().filter_map(|block| match block {
        Block::Sentence(Tone::Strong | Tone::Warning, words) => Some(words.to_string()),
        _ => None,
    });
    let heading = Heading { title, lines: strong.collect() };
    figures_file(form, &heading, |size, measure| story.figures().map(|figure| figure.scene(size, measure)).collect())
}

#[cfg(test)]
mod tests {
    use super::{EXTENSIONS, paint};
    use std::path::Path;
    use study::testing::stories::story;

    #[test]
    fn a_picture_of_no_figures_is_refused() {
        let error = paint(&super::Story::default(), Path::new("a.svg")).expect_err("no figure");
        assert!(error.why.contains("no charts"), "{error}");
    }

    #[test]
    fn the_ending_of_a_file_names_its_painter() {
        let begins = ["# A title\n", "<!DOCTYPE html>", "{", "table,name,", "A title\n", "<svg", "\u{fffd}PNG", "%PDF"];
        for (ending, begin) in EXTENSIONS.into_iter().zip(begins) {
            let bytes = paint(&story(), &Path::new("a").with_extension(ending)).expect("painted");
            assert!(String::from_utf8_lossy(&bytes).starts_with(begin), "{ending}: {}", String::from_utf8_lossy(&bytes));
        }
    }
}
