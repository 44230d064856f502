//! Kernel Ladder teaches how OpenCL kernels become fast: switch optimization stages of a filter on and off, and see at once the filtered
//! picture, the proof that it is still correct, the kernel source that ran, and honest timings.
//!
//! This page is the table of modules; each module's own page has the rules.
//!
//! `docs/architecture.md` is the map in ten minutes: words, data flow, what each layer holds and what it never does, and walks of one value.
//! `docs/contributing.md` says how to add a filter, a stage, a ladder, a lesson or a text.
//!
//! # Data flow
//!
//! Window, command line and tests ask a [`engine::Backend`] one [`engine::Request`] at a time, by one method, and get an [`engine::Reply`]; its other methods are
//! that one with the reply's value. The engine is in a process of its own ([`remote`]), whose messages carry the same values: a driver that crashes or hangs costs
//! what was asked of it. Tests ask an [`engine::Engine`] directly. What a study found, a [`study::Finding`], goes unchanged to whoever shows it, and with it what
//! follows so far, a [`view::story::Story`], which has no language until it is painted. One run of a
//! [`engine::Task`] is:
//!
//! 1. [`kernels::filters::VariantExt::check`]: the variant is allowed, or a sentence says why not;
//! 2. [`kernels::kernel_source::compose`]: the kernel file, `naive.cl` or the one with stages, without a trace of those not chosen. This text is what is shown, hashed, built and diffed;
//! 3. [`kernels::launch::Launch`]: the filter says, as plain data, which kernels run over how many work-items, and how pictures lie in buffers or image objects;
//! 4. [`engine::device::Session`]: build or take from the cache, check the local work size, upload, run, read back, check the guard bytes;
//! 5. the output is compared with the filter's plain reference ([`engine::Verified`]), and only the [`engine::Proof`] of a right one goes to
//! 6. [`measure`]: warm up, sample, hold every set of memory that was timed to the reference again, median and spread → a [`model::Record`], the row of every table, plot and export.
//!
//! # Where to look
//!
//! Imports run downward: a module knows those below it in this table, and none above; between crates Cargo sees to it, within one `tests/documents.rs`.
//!
//! | module | knows |
//! |---|---|
//! | [`cli`], [`app`] | the command line; the window |
//! | [`class`] | what students send to a teacher as one file, and the page of many: a dot per device, votes, tasks |
//! | [`report`] | bundles as a page: claims, charts, tables, sources, how to repeat |
//! | [`baseline`] | what kernels took, kept to be held to later: measured again in new processes, judged, told as JUnit |
//! | [`bundle`] | everything that a benchmark brought as one file, without names and paths: written, read and held to what can be, merged |
//! | [`runner`] | the thread that owns the engine: newest request wins, progress, cancel |
//! | [`lessons`] | lessons that a teacher writes as text files: read, held to what the program knows, each fault told with its line |
//! | [`study`] | what to measure next, given what is known: ladders and their claims, bottleneck, break-even, self-test, the best local size, the fastest variant, an edited kernel |
//! | [`why`] | why one variant is faster than another: rules over facts |
//! | [`projects`] | kernels of a person's own: their reference, the search for the best configuration, and what is told of it |
//! | [`access`] | which work-item makes a pixel, what its sub-group loads and stores together, and what segments and banks of memory make of that |
//! | [`story`] | what a study, a ladder or a comparison has to tell as one value: sentences, tables with typed columns, figures; its painters |
//! | [`plot`] | charts of records as scenes: what the window and the files of them paint |
//! | [`remote`] | the engine in a process of its own, here or on other machines: the same requests as messages, pictures through shared memory or in the messages, and what a crash costs |
//! | [`engine`] | what may be asked and what is answered; task → executed → verified → proof → record; comparisons |
//! | [`roofs`] | what a device can do at most, by probe kernels: copy, read, write, arithmetic, launch, latency |
//! | [`device`] | the only module that calls OpenCL |
//! | [`compiled`] | what a compiler made of a kernel: machine code and PTX read, counted, compared |
//! | [`project`] | what a folder with `project.toml` says, read and resolved to buffers and launches; how outputs compare with what they should be |
//! | [`catalog`] | filters of a person's own: folders that are read while the program runs, held to their kernels, and brought to where filters are looked up |
//! | [`kernel_source`] | kernel text, resolved for a variant, and its differences |
//! | [`filters`] | what a filter's folder says, read and held to what there is; Rust that is attached to built-in ones; the rules of stages, what is allowed, ladders |
//! | [`footprint`] | what each work-item loads and stores, and the counts that follow |
//! | [`launch`] | what the host launches for a variant: passes, NDRanges, layouts, arguments |
//! | [`measure`] | sampling, statistics, verdicts, CSV and JSON; knows nothing of OpenCL |
//! | [`pictures`] | pictures and padded layouts, in memory that another process may read; files, samples, generated pictures |
//! | [`model`] | plain data that everything speaks of: specs, stages, variants, what a work-item owns, targets, records |
//! | [`trust`] | what of a stranger's the person agreed to run |
//! | [`expr`] | expressions over names, read and computed: conditions of kernel files, formulas and conditions of lessons and rules |
//! | [`texts`] | what is said in English and in Chinese, by keys: `assets/texts/LANGUAGE/*.toml`, `kernels/FILTER/texts.LANGUAGE.toml`; [`error`], [`fault`], [`files`]; memory that two processes share; hashes as text; text of others on its way to terminals, CSV and Markdown |
//! | [`kernel_ladder_cpu`] | a crate of its own, `crates/cpu/`: each filter's plain reference, and its arithmetic for the CPU competitors; instruction sets, strips, halos, borders |
//!
//! [`class`]: report::class
//! [`baseline`]: study::baseline
//! [`projects`]: study::projects
//! [`bundle`]: study::bundle
//! [`lessons`]: study::lessons
//! [`why`]: study::why
//! [`access`]: view::access
//! [`story`]: view::story
//! [`plot`]: view::plot
//! [`remote`]: engine::remote
//! [`roofs`]: engine::roofs
//! [`device`]: engine::device
//! [`compiled`]: engine::compiled
//! [`catalog`]: kernels::catalog
//! [`project`]: kernels::project
//! [`kernel_source`]: kernels::kernel_source
//! [`filters`]: kernels::filters
//! [`footprint`]: kernels::footprint
//! [`launch`]: kernels::launch
//! [`measure`]: model::measure
//! [`trust`]: base::trust
//! [`expr`]: base::expr
//! [`texts`]: base::texts
//! [`error`]: base::error
//! [`fault`]: base::fault
//! [`files`]: base::files

pub mod app;
pub mod cli;
pub mod runner;
#[cfg(test)]
mod testing;
