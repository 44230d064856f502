//! What the program keeps between sessions: settings, lines of readings, predictions and tunings, roofs.

use super::{Kind, spoil, trees};
use base::error::Error;
use base::files::{Line, Lines, read_lines};
use base::texts::{Language, failed};
use engine::device::{CacheSettings, DeviceInfo};
use engine::roofs;
use engine::{Backend as _, Compared, Engine, PictureRef, Target, Task};
use kernel_ladder::app::settings::{LadderPlace, Settings, Theme};
use kernel_ladder::app::state::State;
use kernel_ladder::app::workspace::Workspace;
use kernels::filters::{FilterIdExt as _, VariantExt};
use model::measure::{Comparison, Places, Verdict, write_csv, write_json};
use model::{
    Budget, Channels, CpuEngine, FilterId, HostMemory, LocalSize, Machine, OperationClass, ProbeSetup, Record, Roof, RoofKind, Roofs,
    Summary, Variant,
};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use study::predict::votes::Votes;
use study::predict::{Bot, Change, Guess, Predicted};
use study::trend::Trend;
use study::{Asked, Candidate, PredictionRecord, Sought, Tuning, complete, predictions_json, telling, write_predictions_csv};
use tempfile::TempDir;
use view::plot::{Entry, Options, Quantity, Scale, chart, plot_svg};

fn json_and_text() -> Vec<spoil::Way> {
    [trees::JSON, trees::JSON, spoil::TEXT].concat()
}

/// Settings as a window leaves them, with something in every field.
pub fn all_settings() -> Vec<Vec<u8>> {
    let mut full = Settings {
        device: Some("PoCL on a processor".to_owned()),
        cpu: Some(CpuEngine::Simd),
        ladder: Some(LadderPlace { name: "mali-t600".to_owned(), step: 2 }),
        theme: Theme::Light,
        language: Some(Language::Chinese),
        export_folder: "/tmp/exports".to_owned(),
        ..Settings::default()
    };
    full.remember("a.png".into());
    full.choice.variant = Variant::parse("padded+vectorize=4").expect("a variant");
    full.choice.local = LocalSize::Explicit([32, 4]);
    for workspace in Workspace::ALL {
        full.workspaces.arranged.insert(workspace, workspace.arrangement(1280.0));
    }
    let mut value: Value = serde_json::from_str(&full.to_text()).expect("its own text");
    let choice = value["choice"].clone();
    let of = |name: &str| choice[name].clone();
    value["drafts"] = json!([{
        "of": { "filter": of("filter"), "channels": of("channels"), "border": of("border"), "variant": of("variant") },
        "text": "__kernel void laplace(int a)\n{\n}\n",
    }]);
    value["course"] = json!({
        "open": "1-memory-access",
        "progress": { "1-memory-access": { "screen": 3, "furthest": 4, "given": { "1": { "Number": 2.5 }, "2": { "Choice": 1 }, "3": "Done" } } },
    });
    [Settings::default().to_text(), value.to_string()].map(String::into_bytes).to_vec()
}

pub fn settings() -> Kind {
    let read = |bytes: &[u8]| {
        // The window's storage holds text.
        let text = str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let (settings, damage) = Settings::load(text);
        let saved = settings.to_text();
        assert_eq!(Settings::load(&saved), (settings.clone(), None), "what is saved is read: {saved}");
        let state = State::new(settings);
        assert!(state.choice().variant.check(state.choice().filter(), state.choice().setting()).is_ok());
        let _ = (state.draft(), state.edited_task());
        // As the window tells it.
        damage.map_or(Ok(()), |why| Err(failed("errors.window.settings", &[("why", &why)]).to_string()))
    };
    Kind {
        valid: all_settings(),
        ways: json_and_text(),
        words: &["{", "}", "[", "]", ",", ":", "null", "\"", "\\u0000", "\\ud800"],
        read: Arc::new(read),
        most_bytes: (4 << 20, 40),
        count: 1500,
    }
}

/// A task of a small picture on a CPU competitor, or on a device.
pub fn task(is_on_device: bool) -> Task {
    let device = Target::Device {
        index: 0,
        variant: Variant::parse("coalesced+padded+vectorize=4").expect("a variant"),
        local: LocalSize::Explicit([16, 4]),
        host_memory: HostMemory::Copy,
    };
    let target = if is_on_device { device } else { Target::Cpu(CpuEngine::Simd) };
    Task::new(PictureRef::generated((67, 35), Channels::Rgb), target)
}

/// Readings that were really taken, and one that could not be.
pub fn records() -> Vec<Record> {
    let mut engine = Engine::with_cache(CacheSettings::off());
    let _ = engine.rescan();
    let mut records = Vec::new();
    for task in [task(false), task(true)] {
        let proof = engine.prove(&task, &()).expect("right");
        records.push(engine.measure(&proof, Budget::GLANCE, &()).expect("measured"));
    }
    records.push(engine.row(&task(true), Err(Error::failed("It did not run", "no reason", ""))).expect("a row"));
    records
}

fn lines(values: &[impl serde::Serialize]) -> Vec<u8> {
    let lines = values.iter().map(|value| serde_json::to_string(value).expect("plain data") + "\n");
    lines.collect::<String>().into_bytes()
}

/// What a file of lines holds after the bytes were written into it. It is mended by reading it.
fn read_back<T: Line>(folder: &TempDir, bytes: &[u8]) -> Result<Lines<T>, String> {
    let path = folder.path().join(T::FILE);
    for entry in std::fs::read_dir(folder.path()).expect("listed") {
        std::fs::remove_file(entry.expect("listed").path()).expect("ours");
    }
    std::fs::write(&path, bytes).expect("written");
    let kept = read_lines::<T>(&path).map_err(|error| error.to_string())?;
    let again = read_lines::<T>(&path).expect("it was read before");
    assert_eq!((again.lines.len(), again.damaged), (kept.lines.len(), 0), "it is mended");
    Ok(kept)
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn told<T: Line>(kept: &Lines<T>) -> Result<(), String> {
    kept.damage().map_or(Ok(()), |damage| Err(damage.to_string()))
}

pub fn history() -> Kind {
    let folder = folder();
    let read = move |bytes: &[u8]| {
        let kept = read_back::<Record>(&folder, bytes)?;
        // What the window and the exports make of them.
        write_csv(&kept.lines, Vec::new()).map_err(|error| error.to_string())?;
        write_json(&kept.lines, Vec::new()).map_err(|error| error.to_string())?;
        let entries = Entry::of(&kept.lines);
        for quantity in Quantity::ALL {
            for scale in [Scale::Linear, Scale::Log] {
                let options = Options { quantity, scale, ..Options::default() };
                let _ = chart(&entries, &options);
                if quantity == Quantity::Time {
                    let _ = plot_svg(&entries, &options);
                }
            }
        }
        told(&kept)
    };
    let records = records();
    Kind {
        valid: vec![lines(&records), lines(&records[..1])],
        ways: json_and_text(),
        words: &["{", "}", "[", "]", ",", ":", "null", "\n", "\"", "\0"],
        read: Arc::new(read),
        most_bytes: (16 << 20, 40),
        count: 1500,
    }
}

/// A guess and a vote, as they are kept.
pub fn all_predictions() -> Vec<PredictionRecord> {
    let info = DeviceInfo::example();
    let comparison = Comparison { ratio: 1.6, low: 1.5, high: 1.7, verdict: Verdict::Faster, starts: 1 };
    let compared = &Compared { comparison, pairs: Vec::new(), places: Places::Shared, busy: true, code: None };
    let predicted = |step, guess| Predicted {
        ladder: "mali-t600".to_owned(),
        step,
        guess,
        truth: vec![Change::Faster, Change::MuchFaster],
        bots: Bot::ALL.map(|bot| bot.guess(None, Some((27.0, 1.8)))),
        has_right_reason: Some(true),
    };
    let asked = || Asked { key: "vectorize".to_owned(), against: 0, filter: FilterId::Laplace, size_px: (640, 480), device: &info };
    let guess = Some(Guess { change: Change::Faster, is_sure: true });
    let votes = Votes { first: [1, 2, 3, 4, 5], second: [0, 0, 2, 9, 4] };
    let one = PredictionRecord { order: 1, ..asked().record(predicted(1, guess), compared, None, 4.5) };
    let reasons = vec!["same-code".to_owned(), "fewer-loads".to_owned()];
    let two = PredictionRecord {
        order: 2,
        reasons_shown: reasons.clone(),
        reason_chosen: reasons.first().cloned(),
        recalls: vec![Some(Change::Same), None],
        ..asked().record(predicted(2, None), compared, Some(votes), 60.0)
    };
    vec![one, two]
}

pub fn predictions() -> Kind {
    let folder = folder();
    let read = move |bytes: &[u8]| {
        let kept = read_back::<PredictionRecord>(&folder, bytes)?;
        let outcome = told(&kept);
        let records = complete(kept.lines);
        let _ = Trend::of(&records).map(|trend| trend.lines());
        for record in &records {
            let _ = (record.place(), record.votes.map(|votes| votes.in_words(&record.predicted.truth)));
        }
        write_predictions_csv(&records, Vec::new()).map_err(|error| error.to_string())?;
        let _ = predictions_json(&records);
        outcome
    };
    let records = all_predictions();
    Kind {
        valid: vec![lines(&records), lines(&records[..1])],
        ways: json_and_text(),
        words: &["{", "}", "[", "]", ",", ":", "null", "\n", "\"", "\0"],
        read: Arc::new(read),
        most_bytes: (4 << 20, 40),
        count: 1500,
    }
}

/// A variant and a local size that searches found.
pub fn all_tunings() -> Vec<Tuning> {
    let laplace = FilterId::Laplace.filter();
    let of = |sought, variant: &str| Tuning {
        schema: Tuning::SCHEMA,
        sought,
        machine: DeviceInfo::example().machine(),
        spec: laplace.spec(Channels::Rgb, laplace.default_border),
        width_px: 640,
        height_px: 480,
        found: Candidate { variant: Variant::parse(variant).expect("a variant"), local: LocalSize::Explicit([16, 4]) },
        comparison: Comparison { ratio: 1.6, low: 1.5, high: 1.7, verdict: Verdict::Faster, starts: 1 },
        busy: false,
    };
    vec![of(Sought::Variant, "padded"), of(Sought::LocalSize, "coalesced")]
}

pub fn tunings() -> Kind {
    let folder = folder();
    let read = move |bytes: &[u8]| {
        let kept = read_back::<Tuning>(&folder, bytes)?;
        for tuning in &kept.lines {
            let _ = telling::found_before(tuning);
        }
        told(&kept)
    };
    Kind {
        valid: vec![lines(&all_tunings())],
        ways: json_and_text(),
        words: &["{", "}", "null", "\n", "\0"],
        read: Arc::new(read),
        most_bytes: (4 << 20, 40),
        count: 300,
    }
}

/// Roofs of the example device.
pub fn all_roofs() -> Roofs {
    let time = || Summary::of(vec![1000, 1010, 1020]).expect("samples");
    let roof = |(kind, work)| (kind, Roof { work, time: time(), setup: ProbeSetup::default(), busy: false });
    Roofs {
        schema: Roofs::SCHEMA,
        machine: Machine::new("Example device".to_owned(), "a driver".to_owned()),
        date: "2026-02-03T04:05:06Z".to_owned(),
        found: [(RoofKind::Copy, 1e5), (RoofKind::CachedCopy, 4e5), (RoofKind::Launch, 1.0)].map(roof).into(),
        missing: [(OperationClass::HalfMultiplyAdd.roof(), "Not measured".into())].into(),
        copies: Vec::new(),
        reads: Vec::new(),
        reads_missing: None,
        waits: Vec::new(),
        cache_bytes: Some(1 << 20),
    }
}

pub fn roofs() -> Kind {
    let folder = folder();
    let (cache, info) = (CacheSettings::at(folder.path()), DeviceInfo::example());
    roofs::keep(&cache, &info, &all_roofs()).expect("kept");
    let path: PathBuf = cache.device_file("roofs", &info).expect("a cache");
    let valid = std::fs::read(&path).expect("it is there");
    let read = move |bytes: &[u8]| {
        let _ = &folder;
        std::fs::write(&path, bytes).expect("written");
        // They are measured again.
        roofs::known(&cache, &info).map(drop).ok_or_else(|| "no roofs".to_owned())
    };
    Kind {
        valid: vec![valid],
        ways: json_and_text(),
        words: &["{", "}", "null", "\0"],
        read: Arc::new(read),
        most_bytes: (4 << 20, 40),
        count: 300,
    }
}
