//! Kernel Ladder teaches how OpenCL kernels become fast: switch optimization stages of a filter on and off, and see at once the filtered
//! picture, the proof that it is still correct, the kernel source that ran, and honest timings.
//!
//! This page is the map. It names the parts and what flows between them; each module's own page has the rules.
//!
//! # Words
//!
//! A **filter** turns a picture into a picture (Laplace sharpen). A **stage** is one optimization switch (`merged`). A **variant** is one
//! choice for all stages of one filter and has one name everywhere (`padded+vectorize=4+merged`, or `naive`). A **ladder** is an ordered
//! list of variants that some guide publishes. A **contender** is whatever computes the filter: a variant on an OpenCL device, or one of
//! the three CPU competitors. All other words are OpenCL's: work-item, NDRange, local work size, kernel time (END − START).
//!
//! # Data flow
//!
//! ```text
//! panel ──Action──▶ State::apply ──Show / Bench──▶ Worker's mailbox (newest show wins) ──▶ its thread asks a Backend
//!   ▲                                                                                          │
//!   └─── State (the previous result stays visible) ◀── App::logic drains ◀── Update sent, then request_repaint
//! ```
//!
//! Window, command line and tests ask a [`engine::Backend`] one [`engine::Request`] at a time, by one method, and get an [`engine::Reply`]; its other methods are
//! that one with the reply's value. The engine is in a process of its own ([`apart`]), whose messages carry the same values: a driver that crashes or hangs costs
//! what was asked of it. Tests ask an [`engine::Engine`] directly. What a study found, a [`study::Finding`], goes unchanged to whoever shows it, and with it what
//! follows so far, a [`story::Story`], which has no language until it is painted. One run of a
//! [`engine::Task`] is:
//!
//! 1. [`model::Variant::check`]: the variant is allowed, or a sentence says why not;
//! 2. [`source::compose`]: the kernel file, `naive.cl` or the one with stages, without a trace of those not chosen. This text is what is shown, hashed, built and diffed;
//! 3. [`schedule::Launch`]: the filter says, as plain data, which kernels run over how many work-items, and how pictures lie in buffers or image objects;
//! 4. [`device::Session`]: build or take from the cache, check the local work size, upload, run, read back, check the guard bytes;
//! 5. the output is compared with the filter's plain reference ([`engine::Verified`]), and only the [`engine::Proof`] of a right one goes to
//! 6. [`measure`]: warm up, sample, hold every set of memory that was timed to the reference again, median and spread → a [`model::Record`], the row of every table, plot and export.
//!
//! # Where to look
//!
//! Imports run downward: a module knows those below it in this table, and none above; `tests/documents.rs` holds them to it.
//!
//! | module | knows |
//! |---|---|
//! | [`cli`], [`app`] | the command line; the window |
//! | [`class`] | what students send to a teacher as one file, and the page of many: a dot per device, votes, tasks |
//! | [`report`] | bundles as a page: claims, charts, tables, sources, how to repeat |
//! | [`bundle`] | everything that a benchmark brought as one file, without names and paths: written, read and held to what can be, merged |
//! | [`worker`] | the thread that owns the engine: newest request wins, progress, cancel |
//! | [`lessons`] | lessons that a teacher writes as text files: read, held to what the program knows, each fault told with its line |
//! | [`study`] | what to measure next, given what is known: ladders and their claims, bottleneck, break-even, self-test, the best local size, the fastest variant, an edited kernel |
//! | [`why`] | why one variant is faster than another: rules over facts |
//! | [`access`] | which work-item makes a pixel, what its sub-group loads and stores together, and what segments and banks of memory make of that |
//! | [`story`] | what a study, a ladder or a comparison has to tell as one value: sentences, tables with typed columns, figures; its painters |
//! | [`plot`] | charts of records as scenes: what the window and the files of them paint |
//! | [`apart`] | the engine in a process of its own, here or on other machines: the same requests as messages, pictures through shared memory or in the messages, and what a crash costs |
//! | [`engine`] | what may be asked and what is answered; task → executed → verified → proof → record; comparisons |
//! | [`roofs`] | what a device can do at most, by probe kernels: copy, read, write, arithmetic, launch, latency |
//! | [`device`] | the only module that calls OpenCL |
//! | [`compiled`] | what a compiler made of a kernel: machine code and PTX read, counted, compared |
//! | [`catalog`] | filters of a person's own: folders that are read while the program runs, held to their kernels, and brought to where filters are looked up |
//! | [`source`] | kernel text, resolved for a variant, and its differences |
//! | [`filters`] | what a filter's folder says, read and held to what there is; Rust that is attached to built-in ones; the rules of stages, what is allowed, ladders |
//! | [`cpu`] | what readings call the CPU competitors' instructions |
//! | [`schedule`] | what the host launches for a variant (passes, NDRanges, layouts, arguments), what each work-item loads and stores, and the counts that follow |
//! | [`measure`] | sampling, statistics, verdicts, CSV and JSON; knows nothing of OpenCL |
//! | [`image`] | pictures and padded layouts, in memory that another process may read; files, samples, generated pictures |
//! | [`model`] | plain data that everything speaks of: specs, stages, variants, what a work-item owns, targets, records |
//! | [`trust`] | what of a stranger's the person agreed to run |
//! | [`expr`] | expressions over names, read and computed: conditions of kernel files, formulas and conditions of lessons and rules |
//! | [`texts`] | what is said in English and in Chinese, by keys: `assets/texts/LANGUAGE/*.toml`, `kernels/FILTER/texts.LANGUAGE.toml`; [`error`], [`fault`], [`files`]; memory that two processes share; hashes as text; text of others on its way to terminals, CSV and Markdown |
//! | [`kernel_ladder_cpu`] | a crate of its own, `cpu/`: each filter's plain reference, and its arithmetic for the CPU competitors; instruction sets, strips, halos, borders |
//!
//! # How to add a filter
//!
//! A filter is a folder in `kernels/`, in the format that `docs/filters.md` describes for a person's own: `copy` is the smallest to start from, `dilate` the
//! smallest that looks at neighbors. `build.rs` finds the folders.
//!
//! 1. Write `kernels/NAME/naive.cl`, the kernel as a textbook would write it: it is that of the variants `naive` and `coalesced`. Write `kernels/NAME/NAME.cl`
//!    (and `.clh` files beside it where it grows) for all others: valid OpenCL C with a condition on each stage. `kernels/common/` has what filters share: the
//!    stages' defaults, the contract, the mapping of dimensions, what a work-item owns, borders, edges, lanes and tiles. Set `REACH` before including it where the
//!    filter looks at neighbors. [`source`] lists the directives that are allowed.
//! 2. Write `kernels/NAME/filter.toml`: the stages that the kernel file knows, their rules, parameters, borders, layouts, passes and their arguments, in the order
//!    in which kernels take them. Write its `texts.en.toml` and `texts.zh.toml`, and ladders in `ladders/` where a study has one.
//! 3. Add its id and name to the list in `crates/model/src/filter_id.rs`: one line. Menus, command line, plots and all exhaustive tests find it there. With nothing more,
//!    its outputs are held to its naive kernel.
//! 4. What data cannot say is attached to its name in `crates/kernels/src/filters/attached.rs`: `crates/cpu/src/reference/NAME.rs`, the plain reference (rows of output bytes);
//!    `crates/cpu/src/filters/NAME.rs`, the same for the CPU competitors, as one of the traits that [`kernel_ladder_cpu`] lists; `crates/kernels/src/filters/NAME.rs`, what its work-items
//!    load, compute and store, in the words of [`schedule::Trace`], and tests worked by hand. Each needs a line in the `mod.rs` beside it.
//! 5. Tell `window` in `crates/engine/tests/accesses.rs` which neighbors an output pixel is made of: a test must not learn that from what it tests. Add a row to
//!    the table in `README.md`.
//!
//! # How to add a stage
//!
//! 1. Add an id to [`model::StageId`] and a row to `crates/model/src/stages/table.rs` (name, label, define, values, group of alternatives, what a work-item
//!    owns), both at the same place: their order is that of variants' names and of the window. `STAGES` becomes one longer, and `StageId::LAST` is
//!    the last id.
//! 2. Where it needs or excludes other stages in every filter, add rules with a reason each to `crates/kernels/src/filters/stage_rules.rs`. Rules know stages,
//!    channels, the border mode, parameters and what the device can do, but not the picture's size: limits on that are in `crates/engine/src/plan.rs`.
//! 3. Write its `reason` and `more` in `stages.toml` of each language. A filter of which they would not be true has texts of its own in its folder.
//! 4. Add its default to `kernels/common/stages.clh` and write its `#if`s, once in `kernels/common/` where several filters have it. One that changes
//!    what a work-item owns says so in `kernels/common/mapping.clh` and `own_place.clh`.
//! 5. Offer it in the `filter.toml` of the filters that have it. Where it changes layouts or arguments, say so there; where it changes what is loaded, computed or
//!    stored, in their `accesses`.
//!
//! # How to test a filter or a stage
//!
//! `cargo test --lib` has the rules, the texts and the tests worked by hand. `crates/engine/tests/bit_exact.rs` holds every variant to the reference;
//! `KERNEL_LADDER_ONLY=NAME` restricts it to one filter. `crates/kernels/tests/composed_source.rs` holds the resolver to a real C preprocessor over every variant.
//! Where oclgrind is installed, `crates/engine/tests/accesses.rs` holds what filters describe to what their kernels do, and `crates/engine/tests/oclgrind.rs` finds
//! invalid accesses and data races; its head says what oclgrind cannot compile.
//!
//! # How to add a ladder
//!
//! Write `kernels/FILTER/ladders/NAME.toml` (its steps' variants, published figures and claims) and its texts in the `texts.LANGUAGE.toml` of that folder.
//! `build.rs` finds the file; tests hold every step to the filter's rules and every text to a step.
//!
//! # How to add a lesson
//!
//! Write `assets/lessons/LANGUAGE/NAME.toml` in each language; `docs/lessons.md` describes the format. `build.rs` finds the files; tests hold
//! both languages to the same screens, and every variant, fact and row of a record to what there is. `kernel-ladder lessons --teacher all` prints
//! `docs/teaching.md` from the notes in the files.
//!
//! # How to add a study
//!
//! 1. Write `crates/study/src/NAME.rs`: a `pub static KIND` (see [`study::Kind`]), and what it begins. That is a [`study::Study`], which proposes one probe after the
//!    other from what was found, and concludes what it has to tell as a [`story::Story`]. Where programs are to read more than the story's tables, it has
//!    `facts`; where not everything that fails is a failure of the whole, its own `check`.
//! 2. Add its line to the list in `crates/study/src/lib.rs`.
//! 3. Write its texts in `studies.toml` of each language: `command.NAME` and `command.NAME-about`, `job.NAME`, `pane.NAME`, and `none` in a table `NAME`, which
//!    explains it. A test holds every study to have them.
//!
//! Menu entry, shortcut, panel, the command with its help and JSON, and what is kept of a search follow from the list. A panel that is more than its story, such as
//! a map whose cells are buttons, paints a block of it in a way of its own: a line in `src/app/panes.rs`.
//!
//! # How to add a text
//!
//! Write it under one key in `assets/texts/en/` and `assets/texts/zh/`, or in both `texts.LANGUAGE.toml` of a filter's folder, and look it up where it is drawn: [`texts::text`], [`texts::filled`]. Then run
//! `assets/fonts/build`, which adds new Chinese characters to the font. Tests hold both languages to the same keys, `{places}` and numbers.

pub mod app;
pub mod cli;
#[cfg(test)]
mod testing;
pub mod worker;

// Tests of the whole program name its crates through it.
pub use ::engine;
pub use ::model;
pub use ::report;
pub use ::study;
pub use base::{error, expr, fault, files, texts, trust};
pub use engine::{apart, compiled, device, roofs};
pub use kernels::{catalog, filters, schedule, source};
pub use model::measure;
pub use pictures as image;
pub use report::class;
pub use study::{bundle, lessons, why};
pub use view::{access, plot, story};

use base::foreign;
use kernels::cpu;
