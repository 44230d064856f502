//! The list of filters: their ids, names and modules.

use crate::error::{Error, Result};
use crate::texts::misused;
use serde::{Deserialize, Serialize};

/// Calls `$callback!` with every filter: its id, the module in `src/filters/`, its name on the command line. Adding a filter is one line here, in the
/// place that it is to have in menus. The micro-kernels come last.
macro_rules! with_filters {
    ($callback:ident) => {
        $callback! {
            Laplace laplace "laplace",
            Sobel sobel "sobel",
            Gaussian gaussian "gaussian",
            Epsilon epsilon "epsilon",
            Box box_filter "box",
            Bilateral bilateral "bilateral",
            Median median "median",
            Dilate dilate "dilate",
            Copy copy "copy",
            Add add "add",
            Luma luma "luma",
        }
    };
}
pub(crate) use with_filters;

macro_rules! filter_ids {
    ($($id:ident $module:ident $name:literal,)*) => {
        /// Which filter. Its row, with everything that is known of it, is `FilterId::filter`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "the rows of the filters say what each one is")]
        pub enum FilterId {
            #[default]
            $(#[serde(rename = $name)] $id,)*
        }

        impl FilterId {
            /// Every filter, in the order of menus.
            pub const ALL: &[Self] = &[$(Self::$id),*];

            /// As on the command line and in every record.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$id => $name,)*
                }
            }
        }
    };
}
with_filters!(filter_ids);

impl std::fmt::Display for FilterId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

impl std::str::FromStr for FilterId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.iter().copied().find(|id| id.name() == text).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|id| id.name()).collect();
            misused("errors.model.filter", &[("name", &text), ("known", &known.join(", "))])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::FilterId;

    #[test]
    fn names_are_read_as_they_are_written() {
        for &id in FilterId::ALL {
            assert_eq!(id.name().parse(), Ok(id));
            assert_eq!(serde_json::to_value(id).expect("a name"), id.name());
        }
        let error = "blur".parse::<FilterId>().expect_err("unknown");
        assert!(error.remedy.contains("gaussian"), "{error}");
    }
}
