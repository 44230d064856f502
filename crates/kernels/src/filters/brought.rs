//! Where the rows of filters are: those that came with the program, and those that were made of a person's own definitions.

use super::Filter;
use super::definition::{self, Definition};
use model::FilterId;
use std::sync::{LazyLock, PoisonError, RwLock};

/// Every filter that came with the program, in the order menus show them. They are read when the first of them is asked for.
static BUILT_IN: LazyLock<Vec<&'static Filter>> = LazyLock::new(|| FilterId::BUILT_IN.iter().map(|&id| built_in(id)).collect());

fn built_in(id: FilterId) -> &'static Filter {
    // A folder in which something is wrong, which a test rules out, has no stages and nothing to launch.
    Box::leak(Box::new(match definition::built_in(id) {
        Ok(Definition { filter, ladders, .. }) => Filter { ladders: Vec::leak(ladders), ..filter },
        Err(_) => Filter::nothing(id),
    }))
}

/// The rows that were brought.
struct Brought {
    /// By the places of their ids.
    rows: Vec<Option<&'static Filter>>,
    /// What menus show: the built-in ones, then the newest definition of each name.
    all: &'static [&'static Filter],
}

/// A row is never freed: whoever has its id may look at it for as long as the program runs.
static BROUGHT: LazyLock<RwLock<Brought>> = LazyLock::new(|| RwLock::new(Brought { rows: Vec::new(), all: &BUILT_IN }));

static NOTHING: Filter = Filter::nothing(FilterId::NOT_BROUGHT);

/// From an id to its row.
pub trait FilterIdExt: Sized {
    /// The filter's row.
    #[must_use]
    fn filter(self) -> &'static Filter;
}

impl FilterIdExt for FilterId {
    fn filter(self) -> &'static Filter {
        if let Some(filter) = BUILT_IN.iter().find(|filter| filter.id == self) {
            return filter;
        }
        let brought = BROUGHT.read().unwrap_or_else(PoisonError::into_inner);
        let row = brought.rows.get(self.place()).copied().flatten();
        // Every id of a brought filter was given with its row.
        row.unwrap_or(&NOTHING)
    }
}

/// Every filter, in the order menus show them.
#[must_use]
pub fn all() -> &'static [&'static Filter] {
    BROUGHT.read().unwrap_or_else(PoisonError::into_inner).all
}

/// The filter of a definition of this name and hash, whose row is made where it is new, and shown in the place of earlier definitions. `None` where the name is
/// that of a built-in filter, or there is no room for another definition.
pub fn bring(name: &str, hash: &str, row: impl FnOnce(FilterId) -> Filter) -> Option<&'static Filter> {
    let mut brought = BROUGHT.write().unwrap_or_else(PoisonError::into_inner);
    let id = FilterId::bring(name, hash)?;
    if brought.rows.len() <= id.place() {
        brought.rows.resize(id.place() + 1, None);
    }
    let known = brought.rows.get_mut(id.place())?;
    let filter = *known.get_or_insert_with(|| Box::leak(Box::new(row(id))));
    let mut all = brought.all.to_vec();
    match all.iter_mut().find(|shown| shown.name() == name) {
        Some(shown) if shown.id == id => return Some(filter),
        Some(shown) => *shown = filter,
        None => all.push(filter),
    }
    brought.all = Vec::leak(all);
    Some(filter)
}
