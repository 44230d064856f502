//! All lessons: those that are built in, and those of the person's folder.

use super::read::read;
use super::{EXAMPLE, Fault, Lesson};
use base::error::Error;
use base::texts::Language;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// The files of `assets/lessons/`, by their path there: `en/cpu-device.toml`; `build.rs` lists them.
pub(super) static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lesson_files.rs"));

/// The text of every built-in lesson, by its path.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied()
}

static BUILT_IN: LazyLock<Vec<Edition>> = LazyLock::new(|| {
    // A test holds every file to be right.
    FILES.iter().map(|(path, text)| Edition::of_text(path, None, text)).collect()
});

/// A lesson in one language, from one file.
#[derive(Clone, Debug)]
pub struct Edition {
    /// The lesson's name: that of its file, without extension.
    pub name: String,
    /// Its language; `None`: it is shown in any.
    pub language: Option<Language>,
    /// The person's file; `None`: it is built in.
    pub path: Option<PathBuf>,
    /// The lesson as it was when its file was last without a fault.
    pub lesson: Option<Arc<Lesson>>,
    /// What is wrong with the file as it is now.
    pub faults: Vec<Fault>,
}

impl Edition {
    /// From the text of a file, by its path in a folder of lessons: `NAME.toml`, or `LANGUAGE/NAME.toml`.
    #[must_use]
    pub fn of_text(path_there: &str, path: Option<PathBuf>, text: &str) -> Self {
        let (folder, file) = path_there.rsplit_once('/').unwrap_or(("", path_there));
        let (lesson, faults) = match read(text) {
            Ok(lesson) => (Some(Arc::new(lesson)), Vec::new()),
            Err(faults) => (None, faults),
        };
        Self { name: file.trim_end_matches(".toml").to_owned(), language: folder.parse().ok(), path, lesson, faults }
    }
}

impl Edition {
    /// Of a file, or a folder of them, that cannot be read: in the folder's part of that name.
    #[must_use]
    pub(super) fn unread(path: PathBuf, part: &str, error: &Error) -> Self {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self { name, language: part.parse().ok(), path: Some(path), lesson: None, faults: vec![Fault::of_file(error)] }
    }
}

/// All lessons there are.
#[derive(Clone, Debug)]
pub struct Shelf {
    editions: Vec<Edition>,
}

impl Default for Shelf {
    /// The built-in lessons.
    fn default() -> Self {
        Self { editions: BUILT_IN.clone() }
    }
}

impl Shelf {
    /// Takes what the person's folder holds now. A file with a fault keeps the lesson that it had when it was last without one.
    pub fn take(&mut self, own: Vec<Edition>) {
        let before: Vec<Edition> = self.editions.extract_if(.., |edition| edition.path.is_some()).collect();
        let kept = |edition: &Edition| before.iter().find(|known| known.path == edition.path).and_then(|known| known.lesson.clone());
        self.editions
            .extend(own.into_iter().map(|edition| Edition { lesson: edition.lesson.clone().or_else(|| kept(&edition)), ..edition }));
    }

    /// The text of a built-in lesson, or of the example, in a language or else in English.
    #[must_use]
    pub fn text(name: &str, language: Language) -> Option<&'static str> {
        let of =
            |language: Language| FILES.iter().find(|(path, _)| *path == format!("{}/{name}.toml", language.code())).map(|(_, text)| *text);
        of(language).or_else(|| of(Language::English)).or_else(|| (name == "example").then_some(EXAMPLE))
    }

    /// Every file.
    #[must_use]
    pub fn editions(&self) -> &[Edition] {
        &self.editions
    }

    /// The names of all lessons that can be shown: the built-in ones in their order, then the person's.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for edition in self.editions.iter().filter(|edition| edition.lesson.is_some()) {
            if !names.contains(&edition.name.as_str()) {
                names.push(edition.name.as_str());
            }
        }
        names
    }

    /// The lesson of that name that fits a language best: one in the language before others, English before the rest, the person's before a built-in.
    #[must_use]
    pub fn find(&self, name: &str, language: Language) -> Option<&Arc<Lesson>> {
        self.edition(name, language).and_then(|edition| edition.lesson.as_ref())
    }

    /// The same with where it is from.
    #[must_use]
    pub fn edition(&self, name: &str, language: Language) -> Option<&Edition> {
        let rank = |edition: &&Edition| {
            let foreign = match edition.language {
                None => 0,
                Some(own) if own == language => 0,
                Some(Language::English) => 1,
                Some(_) => 2,
            };
            (foreign, edition.path.is_none())
        };
        let own = self.editions.iter().filter(|edition| edition.name == name && edition.lesson.is_some());
        own.min_by_key(rank)
    }
}
