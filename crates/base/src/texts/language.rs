//! The languages, and the one that is spoken now.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

/// A language of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Language {
    /// Its texts are complete: those that another language lacks are shown in English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// All, in the order of the menu.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// In the language itself: who looks for it can read that.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "简体中文",
        }
    }

    /// Its folder of `assets/texts`, and its name on the command line.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// The font with the letters that the fonts of egui lack; it has those of our texts alone, `assets/fonts/build` makes it.
    #[must_use]
    pub const fn font(self) -> Option<&'static [u8]> {
        match self {
            Self::English => None,
            Self::Chinese => Some(include_bytes!("../../../../assets/fonts/noto-sans-sc.otf")),
        }
    }

    /// That of a locale such as `zh_CN.UTF-8`; English for one whose language is not there.
    #[must_use]
    pub fn of_locale(locale: &str) -> Self {
        let code = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
        code.to_ascii_lowercase().parse().unwrap_or_default()
    }

    /// That of the environment's locale for messages; where it has none, that which the person chose for the system.
    #[must_use]
    pub fn of_environment() -> Self {
        // The first that is set decides, and an empty one counts as not set (POSIX, 8.2).
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok()).find(|value| !value.is_empty());
        // Programs of Windows, and those that a Mac's Finder starts, have no such variables.
        set.or_else(crate::system::chosen_language).map_or_else(Self::default, |locale| Self::of_locale(&locale))
    }
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(code: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code).ok_or_else(|| {
            let known = Self::ALL.map(|language| format!("{} ({})", language.code(), language.label())).join(", ");
            super::misused("errors.text.language", &[("code", &code), ("known", &known)])
        })
    }
}

/// How texts are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// In words.
    Words(Language),
    /// By their keys, for whoever makes words of them: see [`Words`](super::Words).
    Keys,
}

/// The index in [`Language::ALL`] of the language that is spoken now, or [`KEYS`].
static NOW: AtomicU8 = AtomicU8::new(0);

/// Stands for [`Voice::Keys`].
const KEYS: u8 = u8::MAX;

thread_local! {
    /// How this thread says it for a while, whatever is spoken otherwise.
    static APART: Cell<Option<Voice>> = const { Cell::new(None) };
}

/// How texts are said now.
pub(super) fn voice() -> Voice {
    APART.get().unwrap_or_else(|| match NOW.load(Ordering::Relaxed) {
        KEYS => Voice::Keys,
        index => Voice::Words(Language::ALL.get(usize::from(index)).copied().unwrap_or_default()),
    })
}

/// Whether this thread says it otherwise for a while.
pub(super) fn is_apart() -> bool {
    APART.get().is_some()
}

/// The language that is spoken now: English until another one is set.
#[must_use]
pub fn language() -> Language {
    match voice() {
        Voice::Words(language) => language,
        Voice::Keys => Language::default(),
    }
}

/// Says by keys from now on, in the whole process.
pub fn speak_keys() {
    NOW.store(KEYS, Ordering::Relaxed);
}

/// What `say` says in English, whatever is spoken otherwise: files that programs read are the same in every language.
pub fn in_english<T>(say: impl FnOnce() -> T) -> T {
    apart(Voice::Words(Language::English), say)
}

/// The same by keys.
pub fn speaking_keys<T>(say: impl FnOnce() -> T) -> T {
    apart(Voice::Keys, say)
}

/// The same in that language.
pub fn in_language<T>(language: Language, say: impl FnOnce() -> T) -> T {
    apart(Voice::Words(language), say)
}

fn apart<T>(voice: Voice, say: impl FnOnce() -> T) -> T {
    /// A panic does not leave a thread in another language.
    struct Before(Option<Voice>);
    impl Drop for Before {
        fn drop(&mut self) {
            APART.set(self.0);
        }
    }
    let _before = Before(APART.replace(Some(voice)));
    say()
}

/// Speaks another language from now on, in the whole process: whatever is drawn next is drawn in it.
pub fn set_language(language: Language) {
    NOW.store(language as u8, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn a_locale_names_a_language() {
        for (locale, language) in [
            ("zh_CN.UTF-8", Language::Chinese),
            ("zh", Language::Chinese),
            ("zh-Hans-CN", Language::Chinese),
            ("en_US.UTF-8", Language::English),
            ("C.UTF-8", Language::English),
            ("POSIX", Language::English),
            ("de_DE@euro", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(Language::of_locale(locale), language, "{locale}");
        }
    }

    #[test]
    fn the_index_of_a_language_is_its_number() {
        for (index, language) in Language::ALL.into_iter().enumerate() {
            assert_eq!((language as usize, language.code().parse::<Language>().ok()), (index, Some(language)));
        }
        let error = "de".parse::<Language>().expect_err("not there").to_string();
        assert!(error.contains("en (English), zh (简体中文)"), "{error}");
    }
}
