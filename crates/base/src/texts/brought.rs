//! Texts of a person's own filters, beside those of the program.

use super::Language;
use std::collections::BTreeMap;
use std::sync::{LazyLock, PoisonError, RwLock};

/// By language and key. A text is never freed: what is on the screen may be it, and there is one for each time that a person changes it.
static BROUGHT: LazyLock<RwLock<BTreeMap<(Language, String), &'static str>>> = LazyLock::new(RwLock::default);

/// Sets the text of a key in a language. A key of the program's own texts stays as it is.
pub fn bring(language: Language, key: &str, text: &str) {
    let mut brought = BROUGHT.write().unwrap_or_else(PoisonError::into_inner);
    let place = brought.entry((language, key.to_owned())).or_default();
    if *place != text {
        *place = Box::leak(text.to_owned().into_boxed_str());
    }
}

/// The text of that key in a language, or in another one where that one lacks it.
pub(super) fn find(language: Language, key: &str) -> Option<&'static str> {
    let brought = BROUGHT.read().unwrap_or_else(PoisonError::into_inner);
    let languages = std::iter::once(language).chain(Language::ALL);
    languages.into_iter().find_map(|language| brought.get(&(language, key.to_owned())).copied())
}
