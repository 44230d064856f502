//! Charts and access pictures as scenes, and the painters that write them to files.

pub mod access;
pub mod plot;
pub mod testing;

use ::model;
use base::{error, texts};
use kernels::{filters, schedule};
use model::measure;
use pictures as image;
