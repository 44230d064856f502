//! The list of filters: their ids and names.

use base::error::{Error, Result};
use base::texts::{meant, misused};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// Declares the ids of the built-in filters, and their names on the command line, each that of a folder in `kernels/`.
macro_rules! filter_ids {
    ($($id:ident $name:literal,)*) => {
        #[derive(Clone, Copy)]
        enum BuiltIn {
            $($id,)*
        }

        #[expect(non_upper_case_globals, missing_docs, reason = "they are read as the names of one type's values, and the rows of the filters say what each one is")]
        impl FilterId {
            $(pub const $id: Self = Self(BuiltIn::$id as u16);)*

            /// Every built-in filter, in the order of menus.
            pub const BUILT_IN: &[Self] = &[$(Self::$id),*];
        }

        /// Their names.
        const NAMES: &[&str] = &[$($name),*];
    };
}

// Adding one is one line here, in the place that it is to have in menus. The micro-kernels come last.
filter_ids! {
    Laplace "laplace",
    Sobel "sobel",
    Gaussian "gaussian",
    Epsilon "epsilon",
    Box "box",
    Bilateral "bilateral",
    Median "median",
    MedianWide "median-wide",
    Dilate "dilate",
    Edges "edges",
    Curve "curve",
    Integral "integral",
    Resize "resize",
    Despeckle "despeckle",
    Match "match",
    Rotate "rotate",
    Demosaic "demosaic",
    Equalize "equalize",
    Exposure "exposure",
    Copy "copy",
    Add "add",
    Luma "luma",
}

/// Which filter. Its row, with everything that is known of it, is `FilterId::filter`. A definition that a person brought has an id of its own, and another one after
/// each change: what was computed or measured with the one is not taken for what comes of the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FilterId(u16);

/// What stands between a brought filter's name and the hash of its definition.
const AT: char = '@';

/// Name and hash of each definition that was brought, by their ids past the built-in ones. As long as the program runs, none is forgotten.
static BROUGHT: RwLock<Vec<&'static str>> = RwLock::new(Vec::new());

impl FilterId {
    /// Of a definition that is held to its kernels and is not brought yet.
    pub const NOT_BROUGHT: Self = Self(u16::MAX);

    /// The id of a definition of this name and hash; `None` where the name is that of a built-in filter, or there is no room for another.
    #[must_use]
    pub fn bring(name: &str, hash: &str) -> Option<Self> {
        if NAMES.contains(&name) {
            return None;
        }
        let full = format!("{name}{AT}{hash}");
        let mut brought = BROUGHT.write().unwrap_or_else(PoisonError::into_inner);
        let place = brought.iter().position(|known| *known == full).unwrap_or(brought.len());
        let id = Self(u16::try_from(NAMES.len() + place).ok()?);
        if place == brought.len() {
            brought.push(Box::leak(full.into_boxed_str()));
        }
        Some(id)
    }

    /// Whether it came with the program.
    #[must_use]
    pub const fn is_built_in(self) -> bool {
        (self.0 as usize) < NAMES.len()
    }

    /// Its place among those that were brought.
    #[must_use]
    pub const fn place(self) -> usize {
        (self.0 as usize).saturating_sub(NAMES.len())
    }

    /// As in records: its name, with the hash of its definition where it was brought.
    #[must_use]
    pub fn full_name(self) -> &'static str {
        match NAMES.get(usize::from(self.0)) {
            Some(name) => name,
            None => BROUGHT.read().unwrap_or_else(PoisonError::into_inner).get(self.place()).copied().unwrap_or_default(),
        }
    }

    /// As on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        let full = self.full_name();
        full.split_once(AT).map_or(full, |(name, _)| name)
    }
}

impl fmt::Display for FilterId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl From<FilterId> for String {
    fn from(id: FilterId) -> Self {
        id.full_name().to_owned()
    }
}

impl TryFrom<String> for FilterId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl std::str::FromStr for FilterId {
    type Err = Error;

    /// By its name, which means the newest definition, or by name and hash, which means that one.
    fn from_str(text: &str) -> Result<Self> {
        if let Some(place) = NAMES.iter().position(|name| *name == text) {
            return Ok(Self(place as u16));
        }
        let brought = BROUGHT.read().unwrap_or_else(PoisonError::into_inner);
        let is_meant = |full: &&str| **full == *text || full.split_once(AT).is_some_and(|(name, _)| name == text);
        if let Some(place) = brought.iter().rposition(is_meant) {
            return Ok(Self((NAMES.len() + place) as u16));
        }
        let own = brought.iter().filter_map(|full| full.split_once(AT)).map(|(name, _)| name);
        let mut known: Vec<_> = NAMES.to_vec();
        for name in own {
            if !known.contains(&name) {
                known.push(name);
            }
        }
        Err(misused("errors.model.filter", &[("name", &text), ("known", &meant(text, known.iter().copied()))]))
    }
}

#[cfg(test)]
mod tests {
    use super::FilterId;

    #[test]
    fn names_are_read_as_they_are_written() {
        for &id in FilterId::BUILT_IN {
            assert_eq!(id.name().parse(), Ok(id));
            assert_eq!(serde_json::to_value(id).expect("a name"), id.name());
        }
        let error = "blur".parse::<FilterId>().expect_err("unknown");
        assert!(error.remedy.contains("gaussian"), "{error}");
    }

    #[test]
    fn a_brought_filter_is_known_by_name_and_each_definition_by_its_hash() {
        let first = FilterId::bring("names-only", "1a").expect("room");
        let second = FilterId::bring("names-only", "2b").expect("room");
        assert_eq!(FilterId::bring("names-only", "1a"), Some(first));
        assert_ne!(first, second);
        assert_eq!("names-only".parse(), Ok(second));
        assert_eq!("names-only@1a".parse(), Ok(first));
        assert_eq!(serde_json::to_value(first).expect("a name"), "names-only@1a");
        assert_eq!((first.name(), first.is_built_in(), FilterId::Luma.is_built_in()), ("names-only", false, true));
        assert!("names-only@3c".parse::<FilterId>().is_err());
        assert_eq!(FilterId::bring("laplace", "1a"), None);
    }
}
