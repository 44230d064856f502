//! Every filter in the window: its own controls, its output whatever its channels are.

use super::window::Window;
use egui::accesskit::Role;
use engine::Engine;
use engine::device::CacheSettings;
use kernel_ladder::app::action::{Command, Export};
use kernel_ladder::app::labels;
use kernels::filters;
use model::Channels;
use pictures::load;

fn choose(window: &mut Window, name: &str) {
    let filter = filters::by_name(name).expect("a filter");
    if window.state().choice().spec.filter.name() != filter.name() {
        window.choose(Role::ComboBox, labels::filter(), filter.label());
    }
    window.settle();
    assert_eq!(window.state().choice().spec.filter.name(), name);
}

#[test]
fn every_filter_shows_its_own_stages_parameters_and_channels() {
    let mut window = Window::settled();
    for filter in filters::all() {
        choose(&mut window, filter.name());
        assert!(window.has("bit-exact"), "{}", filter.name());
        for offer in filter.stages {
            assert!(window.has(offer.id.stage().label()), "{}: {}", filter.name(), offer.id.stage().label());
        }
        for parameter in filter.parameters {
            assert!(window.has(parameter.label()), "{}: {}", filter.name(), parameter.label());
        }
        for (channels, label) in [(Channels::Rgb, "Channels RGB"), (Channels::Gray, "Channels Gray")] {
            assert_eq!(window.has(label), filter.channels.contains(&channels), "{}: {label}", filter.name());
        }
        assert_eq!(window.is_disabled(Role::ComboBox, labels::border()), !filter.looks_at_neighbors(), "{}", filter.name());
    }
}

#[test]
fn a_gray_output_of_a_color_picture_is_shown_and_exported_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = Window::settled();
    choose(&mut window, "luma");
    let output = window.state().shown.as_ref().expect("a result").executed.output.clone();
    assert_eq!((window.state().choice().spec.channels, output.channels()), (Channels::Rgb, Channels::Gray));
    for (export, channels) in [(Export::Filtered, Channels::Gray), (Export::SideBySide, Channels::Rgb)] {
        let known: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
        window.click(Role::Button, labels::export_menu());
        if window.state().settings.export_folder.is_empty() {
            window.write(labels::export_path(), &folder.path().to_string_lossy());
        }
        window.click(Role::Button, Command::Export(export).text().label);
        window.wait("the file", |state| state.notices.all().iter().any(|notice| notice.what == "File written"));
        window.click(Role::Button, &format!("{} File written", labels::dismiss()));
        let files = std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("a file").path());
        let new: Vec<_> = files.filter(|path| !known.contains(path)).collect();
        let picture = load(new.first().expect("a new file")).expect("a picture").picture;
        assert_eq!(picture.channels(), channels);
        let right = output.to_channels(channels);
        let first_row = right.row_bytes();
        let start = picture.row_bytes() - first_row;
        assert_eq!(picture.bytes()[start..start + first_row], right.bytes()[..first_row], "its right part is the output");
    }
}

#[test]
fn the_real_engine_says_its_tolerance_and_its_counts() {
    let mut window = Window::open([1400.0, 900.0], Box::new(|| Box::new(Engine::with_cache(CacheSettings::off()))), None);
    window.settle();
    choose(&mut window, "luma");
    assert!(window.has("within ±1"));
    if window.state().device().is_some() {
        assert!(window.has("3 loads, 1 store per pixel"));
    }
}
