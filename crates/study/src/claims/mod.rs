//! What guides claim of the steps of ladders, beside what is seen here and was seen on other devices.

mod claim;
pub mod elsewhere;
mod table;

pub use claim::Seen;
pub use table::{Claimed, Column, Found, over_sizes, table, with_remarks};
