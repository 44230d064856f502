//! What a person does in the window, by the labels of the controls: with a canned engine, and once with the real one.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a helper of a test that cannot go on fails it, and one shows what it measured"
)]

mod access;
mod canned;
mod compiled;
mod course;
mod crash;
mod editor;
mod export;
mod film;
mod filters;
mod kernels;
mod lessons;
mod lies;
mod loaded;
mod no_driver;
mod open;
mod predictions;
mod real_engine;
mod screen_reader;
mod snapshots;
mod stages;
mod start;
mod studies;
mod trust;
mod walk;
mod window;
mod workspaces;
