//! Filters that a person brings as folders: read, held to what there is, run, verified, measured; and what is said of mistakes in them.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may panic")]

#[path = "user_flows/canned.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod canned;
#[path = "user_flows/window.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod window;

use egui::accesskit::Role;
use engine::{Backend as _, Engine, PictureRef, Target, Task};
use kernel_ladder::app::labels;
use kernels::catalog::{Folder, Misfit, bring};
use kernels::filters::VariantExt;
use kernels::filters::{self, Filter};
use kernels::launch::Shape;
use model::{HeldTo, HostMemory, LocalSize, Parameters, Setting, Variant};
use pictures::Picture;
use std::path::Path;
use std::sync::Arc;

fn emboss() -> Folder {
    Folder::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filters/emboss")).expect("a folder")
}

/// The folder under another name, with one text of a file in the place of another.
fn changed(name: &str, file: &str, from: &str, to: &str) -> Folder {
    let mut folder = emboss();
    name.clone_into(&mut folder.name);
    for (known, text) in &mut folder.files {
        if known == "emboss.cl" {
            *known = format!("{name}.cl");
        }
        if known == file || known == &format!("{name}.cl") && file == "emboss.cl" {
            assert!(text.contains(from), "{file} has no '{from}'");
            *text = text.replacen(from, to, 1);
        }
    }
    folder
}

fn misfits(file: &str, from: &str, to: &str) -> Vec<String> {
    let misfits: Vec<Misfit> = bring(&changed("mistaken", file, from, to)).expect_err("a mistake");
    misfits.iter().map(ToString::to_string).collect()
}

/// What the filter is, byte by byte.
fn expected(picture: &Picture, strength: i32) -> Vec<u8> {
    let (width, height, count) = (picture.width_px(), picture.height_px(), picture.channels().count());
    let at = |x: usize, y: usize, channel: usize| i32::from(picture.pixel(x, y).expect("inside")[channel]);
    let mut bytes = Vec::new();
    for y in 0..height {
        for x in 0..width {
            for channel in 0..count {
                let upper_left = at(x.saturating_sub(1), y.saturating_sub(1), channel);
                let lower_right = at((x + 1).min(width - 1), (y + 1).min(height - 1), channel);
                bytes.push((128 + strength * (upper_left - lower_right) / 4).clamp(0, 255) as u8);
            }
        }
    }
    bytes
}

fn task(filter: &'static Filter, variant: Variant, picture: Picture, strength: f64) -> Task {
    let target = Target::Device { index: 0, variant, local: LocalSize::Driver, host_memory: HostMemory::default() };
    let channels = picture.channels();
    let mut task = Task::new(PictureRef::new(Arc::new(picture)), target);
    task.spec = filter.spec(channels, filter.default_border);
    task.spec.parameters = Parameters::from([("strength", strength)]);
    task
}

#[test]
fn a_filter_of_a_folder_has_all_that_its_files_say() {
    let folder = emboss();
    let filter = bring(&folder).unwrap_or_else(|misfits| panic!("{misfits:#?}"));
    assert!(std::ptr::eq(bring(&folder).expect("the same"), filter));
    assert_eq!(
        (filter.name(), filter.label(), filter.summary()),
        ("emboss", "Emboss", "Light from the upper left makes a relief of the picture")
    );
    assert_eq!(filter.parameters[0].label(), "Strength");
    assert!(filters::by_name("emboss").is_ok_and(|found| std::ptr::eq(found, filter)));
    let quad = filter.stages.last().expect("stages");
    assert_eq!(
        (quad.id.stage().label(), quad.reason()),
        ("Four bytes", "One load and one store for four bytes, whatever pixels they belong to")
    );
    let setting = Setting::new(filter.channels[0], filter.default_border);
    let names: Vec<String> = Variant::all(filter, setting).iter().map(ToString::to_string).collect();
    assert_eq!(names, ["naive", "padded", "padded+quad", "coalesced", "coalesced+padded", "coalesced+padded+quad"]);
    let switched = Variant::naive().switched(quad.id, 1, filter, setting).expect("allowed");
    assert_eq!(switched.variant.to_string(), "padded+quad");
    let refused = Variant::parse("quad").expect("known").check(filter, setting).expect_err("needs padded").to_string();
    assert!(refused.contains("the last load of a row reaches past its end"), "{refused}");
    let ladder = filter.ladder("emboss-steps").expect("a ladder");
    assert_eq!((ladder.label(), ladder.steps.len(), ladder.steps[1].label()), ("Emboss, step by step", 3, "Along the row"));
    // What a folder tells of the accesses is counted; of other variants nothing is said.
    let parameters = filter.defaults();
    let counts = |name: &str| {
        let variant = Variant::parse(name).expect("known");
        let shape = kernels::launch::Shape { variant: &variant, setting, parameters: &parameters, width_px: 64, height_px: 64 };
        filter.counts(&shape, [1, 1])
    };
    assert_eq!(counts("coalesced").map(|counts| (counts.loads, counts.stores)), Some((2.0, 1.0)));
    assert_eq!(counts("coalesced+padded+quad"), None);
}

#[test]
fn every_variant_computes_what_the_filter_is_and_a_wrong_one_is_caught() {
    let mut engine = Engine::new();
    if engine.devices().is_err() {
        return;
    }
    let filter = bring(&emboss()).expect("a filter");
    let mut seen = 0;
    for &channels in filter.channels {
        let setting = Setting::new(channels, filter.default_border);
        for (width, height) in [(1, 1), (37, 19), (64, 5)] {
            let picture = Picture::from_fn(width, height, channels, |x, y, channel| (x * 37 + y * 101 + channel * 50 + x * y) as u8);
            for variant in Variant::all(filter, setting) {
                let task = task(filter, variant, picture.clone(), 9.0);
                let executed = engine.execute(&task, &()).unwrap_or_else(|error| panic!("{variant}: {error}"));
                assert_eq!(executed.output.bytes(), expected(&picture, 9), "{variant}, {width} × {height}, {channels:?}");
                let verified = engine.verify(&task, &executed, &()).expect("verified");
                assert_eq!(verified.verification.held_to, HeldTo::Naive);
                assert_eq!(verified.verification.label(), "equal to naive");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 36);
    let wrong = bring(&changed("dented", "emboss.cl", "vload4(0, own + source_pitch + CHANNELS)", "vload4(0, own + source_pitch)"))
        .expect("it composes");
    let picture = Picture::from_fn(37, 19, wrong.channels[0], |x, y, _| (x * 37 + y * 101) as u8);
    let task = task(wrong, Variant::parse("coalesced+padded+quad").expect("known"), picture, 9.0);
    let executed = engine.execute(&task, &()).expect("it runs");
    let verified = engine.verify(&task, &executed, &()).expect("verified");
    assert!(!verified.verification.is_right() && verified.proof.is_none());
    assert!(verified.verification.label().ends_with("pixels differ from naive"), "{}", verified.verification.label());
}

#[test]
fn another_definition_is_another_filter_of_the_same_name() {
    let first = bring(&changed("renewed", "filter.toml", "default = 4", "default = 4")).expect("a filter");
    let second = bring(&changed("renewed", "filter.toml", "default = 4", "default = 5")).expect("a filter");
    assert_ne!(first.id, second.id);
    assert_eq!((first.defaults().0["strength"], second.defaults().0["strength"]), (4.0, 5.0));
    assert!(std::ptr::eq(filters::by_name("renewed").expect("there"), second));
    assert_eq!(filters::all().iter().filter(|filter| filter.name() == "renewed").count(), 1);
}

#[test]
fn mistakes_are_told_by_file_line_and_column() {
    for (file, from, to, said) in [
        ("filter.toml", "name = \"padded\"", "name = \"paded\"", "filter.toml:20:8: there is no stage 'paded'; did you mean 'padded'?"),
        ("filter.toml", "needs = [\"padded\"]", "needs = [\"image\"]", "filter.toml:25:10: there is no stage 'image'"),
        ("filter.toml", "min = 1\n", "min = 20\n", "filter.toml:10:8: the range of 'strength' is empty"),
        (
            "filter.toml",
            "ceil_div(row_bytes, quad ? 4 : channels) : height",
            "ceil_div(row_byte, quad ? 4 : channels) : height",
            "filter.toml:31:27: there is no name 'row_byte' here; did you mean 'row_bytes'?",
        ),
        (
            "filter.toml",
            "\"strength\",\n]",
            "\"strenght\",\n]",
            "filter.toml:35:104: there is no name 'strenght' here; did you mean 'strength'?",
        ),
        ("filter.toml", "\"height\", \"strength\"", "\"strength\"", "kernel 'emboss' takes 8 arguments, but the list has 7"),
        ("filter.toml", "kernel = \"emboss\"", "kernel = \"embos\"", "there is no kernel 'embos' in 'naive.cl'"),
        ("filter.toml", "reach = 1", "reech = 1", "filter.toml:4:1: unknown field `reech`"),
        (
            "filter.toml",
            "needs = [\"padded\"]",
            "rules = [{ needs = \"padded\", because = \"wide\" }]",
            "filter.toml:25:40: there is no text 'wide'; write it under [rule]",
        ),
        ("filter.toml", "needs = [\"padded\"]", "rules = [{ because = \"x\" }]", "filter.toml:25:22: a rule asks for one thing"),
        (
            "filter.toml",
            "needs = [\"padded\"]",
            "rules = [{ not_where = \"padded && width > 3\", because = \"x\" }]",
            "filter.toml:25:35: there is no name 'width' here",
        ),
        (
            "filter.toml",
            "\"strength\",\n]",
            "\"strength if quod\",\n]",
            "filter.toml:35:116: there is no name 'quod' here; did you mean 'quad'?",
        ),
        (
            "filter.toml",
            "[[parameter]]",
            "[let]\nquad = 1\n\n[[parameter]]",
            "filter.toml:10:1: 'quad' cannot be the name of an expression",
        ),
        ("filter.toml", "[[parameter]]", "[let]\na = \"b\"\nb = 1\n\n[[parameter]]", "filter.toml:10:6: there is no name 'b' here"),
        ("filter.toml", "[[parameter]]", "[define]\nPADDED = 1\n\n[[parameter]]", "filter.toml:10:1: 'PADDED' cannot be compiled in"),
        (
            "filter.toml",
            "[[parameter]]",
            "[[between]]\nname = \"sums\"\n\n[[parameter]]",
            "filter.toml:10:8: nothing says how large 'sums' is",
        ),
        ("filter.toml", "reach = 1", "default_border = \"copy\"", "filter.toml:4:18: the filter does not have the border mode 'copy'"),
        ("emboss.cl", "common/mapping.clh", "common/maping.clh", "mistaken.cl:11:1: there is no file 'common/maping.clh'"),
        ("texts.en.toml", "[stage.quad]", "[stage.quat]", "texts.en.toml:8:8: 'quat' is no part of the filter; did you mean 'quad'?"),
        ("ladders/steps.toml", "coalesced+padded+quad", "coalesced+quadd", "ladders/steps.toml:14:11: "),
        (
            "ladders/steps.toml",
            "faster_than = \"along\"",
            "faster_than = \"alon\"",
            "ladders/steps.toml:15:15: there is no other step 'alon'; did you mean 'along'?",
        ),
    ] {
        let told = misfits(file, from, to);
        assert!(told.iter().any(|line| line.contains(said)), "'{said}' is not in {told:#?}");
    }
    // Nothing of it is there.
    assert!(filters::by_name("mistaken").is_err());
}

#[test]
fn names_that_are_taken_are_refused() {
    let named = |name: &str| {
        let mut folder = emboss();
        name.clone_into(&mut folder.name);
        bring(&folder).expect_err("refused").first().map(ToString::to_string).unwrap_or_default()
    };
    assert!(named("laplace").contains("built-in"), "{}", named("laplace"));
    assert!(named("My Filter").contains("cannot be a filter's name"), "{}", named("My Filter"));
}

/// The folder of a built-in filter as one of a person's own. Its ladders are a guide's, and stay behind.
fn copied(name: &str) -> Folder {
    let mut folder = Folder::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(name)).expect("a folder");
    folder.name = format!("own-{name}");
    folder.files.retain(|(file, _)| !file.starts_with("ladders/"));
    for (file, text) in &mut folder.files {
        if file.starts_with("texts.") {
            text.truncate(text.find("[ladder.").unwrap_or(text.len()));
        } else if file == "filter.toml" {
            *text = format!("kernel = \"{name}.cl\"\n{text}");
        }
    }
    folder
}

/// What built-in filters say in their folders, others can say.
#[test]
fn a_copy_of_a_built_in_folder_launches_the_same() {
    for name in ["copy", "add", "luma", "dilate", "median", "laplace", "sobel", "gaussian", "epsilon", "box", "bilateral"] {
        let (built_in, own) = (filters::by_name(name).expect("there"), bring(&copied(name)).expect("a filter"));
        assert_eq!(own.defaults(), built_in.defaults());
        let parameters = own.defaults();
        for (&channels, &border) in own.channels.iter().flat_map(|channels| own.borders.iter().map(move |border| (channels, border))) {
            let setting = Setting::new(channels, border);
            let variants = Variant::all(own, setting);
            assert_eq!(variants, Variant::all(built_in, setting), "{name}");
            for variant in variants.iter().step_by(7) {
                let shape = Shape { variant, setting, parameters: &parameters, width_px: 43, height_px: 10 };
                let [own_launch, launch] = [own, built_in].map(|filter| (filter.launch)(&shape));
                assert_eq!(own_launch, launch, "{name} {variant}");
                let tables = [own_launch, launch].map(|launch| launch.tables.iter().map(|table| table.bytes(&shape)).collect::<Vec<_>>());
                assert_eq!(tables[0], tables[1], "{name} {variant}");
                assert_eq!((own.tolerance)(variant), (built_in.tolerance)(variant), "{name} {variant}");
            }
        }
        let offers = own.stages.iter().zip(built_in.stages);
        assert!(offers.clone().all(|(own, built_in)| (own.reason(), own.more()) == (built_in.reason(), built_in.more())), "{name}");
        for id in offers.map(|(own, _)| own.id) {
            let sentences = |filter| filters::rules(id, filter).map(|rule| rule.sentence(filter)).collect::<Vec<_>>();
            assert_eq!(sentences(own), sentences(built_in), "{name}");
        }
    }
}

/// The page that leads through the example shows it as it is.
#[test]
fn the_page_shows_the_files_of_the_example() {
    let page = include_str!("../docs/filters.md");
    for (file, text) in emboss().files.iter().filter(|(file, _)| file != "texts.zh.toml") {
        let indented: String = text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect();
        assert!(page.contains(&indented), "docs/filters.md does not show {file} as it is");
    }
}

/// A folder that is opened in the window, has a mistake, and is mended while it is shown.
#[test]
fn the_window_follows_a_folder() {
    let folder = std::env::temp_dir().join(format!("kernel-ladder-own-{}", std::process::id())).join("followed");
    std::fs::create_dir_all(folder.join("ladders")).expect("a folder");
    let write = |file: &str, text: &str| {
        let name = if file == "emboss.cl" { "followed.cl" } else { file };
        std::fs::write(folder.join(name), text).expect("written");
    };
    for (file, text) in &emboss().files {
        write(file, text);
    }
    let mut window = window::Window::open([1400.0, 900.0], Box::new(|| Box::new(canned::Canned::with_device())), None);
    window.settle();
    // The path field takes a folder, too.
    window.click(Role::Button, labels::picture_menu());
    window.write(labels::path_field(), &folder.to_string_lossy());
    window.click(Role::Button, labels::open_path());
    window.wait("the filter", |state| state.choice().filter().name() == "followed");
    window.settle();
    assert!(window.has("Four bytes") && window.has("Strength"));
    window.click(Role::CheckBox, "Four bytes");
    window.settle();
    assert_eq!(window.state().choice().variant.to_string(), "padded+quad");
    let first = window.state().choice().spec.filter;
    // A mistake: the earlier definition stays, and it is said where the mistake is.
    let text = emboss().file("filter.toml").expect("a definition").to_owned();
    write("filter.toml", &text.replace("reach = 1", "reach = one"));
    window.wait("the mistake", |state| !state.notices.all().is_empty());
    assert!(window.has_part("filter.toml:4:"), "{:?}", window.state().notices.all());
    assert_eq!(window.state().choice().spec.filter, first);
    // Mended, with another range: what was chosen stays.
    write("filter.toml", &text.replace("max = 16", "max = 32"));
    window.wait("the new definition", |state| state.choice().spec.filter != first);
    window.settle();
    assert!(window.state().notices.all().is_empty(), "{:?}", window.state().notices.all());
    assert_eq!(window.state().choice().variant.to_string(), "padded+quad");
    assert!(window.state().choice().filter().parameters[0].max > 31.0);
    std::fs::remove_dir_all(folder.parent().expect("a parent")).expect("removed");
}

/// Settings of a session with an earlier definition, and drafts of it.
#[test]
fn saved_settings_follow_a_definition() {
    let first = bring(&changed("kept", "filter.toml", "default = 4", "default = 4")).expect("a filter");
    let draft = r#"{"of":{"filter":"kept@00000000","channels":"gray","border":"replicate","variant":"padded+quad"},"text":"kernel"}"#;
    let text = format!(r#"{{"drafts_elsewhere":[{draft}]}}"#);
    let (settings, error) = kernel_ladder::app::settings::Settings::load(&text);
    assert_eq!((settings.drafts.len(), settings.drafts_elsewhere.len(), error), (1, 0, None));
    assert!(settings.to_text().contains(&String::from(first.id)), "{}", settings.to_text());
}
