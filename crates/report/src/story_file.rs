//! A story as a file, painted in the form that the file's ending names.

use super::document;
use base::error::Result;
use base::texts::in_english;
use std::path::Path;
use view::story::html::Page;
use view::story::{Story, csv, json, markdown, text};

/// The endings that are known; any other one gets text.
pub const EXTENSIONS: [&str; 5] = ["md", "html", "json", "csv", "txt"];

/// The file's bytes.
///
/// # Errors
/// Where a table cannot be written as CSV.
pub fn paint(story: &Story, path: &Path) -> Result<Vec<u8>> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    Ok(match ending {
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
        _ => text::paint(story).into_bytes(),
    })
}

#[cfg(test)]
mod tests {
    use super::{EXTENSIONS, paint};
    use std::path::Path;
    use study::testing::stories::story;

    #[test]
    fn the_ending_of_a_file_names_its_painter() {
        let begins = ["# A title\n", "<!DOCTYPE html>", "{", "table,name,", "A title\n"];
        for (ending, begin) in EXTENSIONS.into_iter().zip(begins) {
            let bytes = paint(&story(), &Path::new("a").with_extension(ending)).expect("painted");
            assert!(String::from_utf8_lossy(&bytes).starts_with(begin), "{ending}: {}", String::from_utf8_lossy(&bytes));
        }
    }
}
