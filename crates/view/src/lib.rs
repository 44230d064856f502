//! Charts and access pictures as scenes, what studies have to tell as stories, and the painters that write them to files.

pub mod access;
pub mod plot;
pub mod story;
pub mod testing;
