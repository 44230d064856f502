//! What every layer needs: texts, errors, expressions, files that are kept.

pub mod error;
pub mod expr;
pub mod fault;
pub mod files;
pub mod foreign;
pub mod hash;
pub mod shared_memory;
pub mod system;
pub mod testing;
pub mod texts;
pub mod trust;
