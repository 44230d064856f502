//! A window that starts over what is hostile: settings, readings, predictions and tunings. It is drawn.

use super::kept::{all_predictions, all_settings, all_tunings, records};
use super::{Kind, trees};
use egui_kittest::Harness;
use engine::remote::Remote;
use kernel_ladder::app::panes::Pane;
use kernel_ladder::app::{App, KeptFiles, Saved, Start};
use kernel_ladder::runner::MakeBackend;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Draws a window until it has read what is in the folder, and a few frames more.
fn draw(settings: String, folder: &Path) {
    let make_backend: MakeBackend = Box::new(|_| Box::new(Remote::of_program("/nowhere".into())));
    let kept = KeptFiles::of(folder);
    std::fs::write(folder.join("settings.json"), settings).expect("written");
    let saved = Saved::read(&kept);
    let start = Start { kept, saved, ..Start::of(make_backend) };
    let mut window =
        Harness::builder().with_size([1400.0, 900.0]).with_max_steps(16).build_eframe(|cc| App::new(cc, start).expect("threads start"));
    let begun = Instant::now();
    while !window.state().state().lesson.memory.is_read() && begun.elapsed() < Duration::from_secs(5) {
        window.step();
        std::thread::sleep(Duration::from_millis(1));
    }
    window.run_steps(4);
}

pub fn window() -> Kind {
    let read = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let (settings, lines) = text.split_once('\n').unwrap_or((&text, ""));
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = [("history.jsonl", String::new()), ("predictions.jsonl", String::new()), ("tunings.jsonl", String::new())];
        for line in lines.lines() {
            let file = usize::from(line.contains("step_key")) + 2 * usize::from(line.contains("sought"));
            files[file.min(2)].1 += &(line.to_owned() + "\n");
        }
        for (name, text) in &files {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        draw(settings.to_owned(), folder.path());
        Ok(())
    };
    let all = || {
        let records = records().into_iter().map(|record| json!(record));
        let predictions = all_predictions().into_iter().map(|record| json!(record));
        let tunings = all_tunings().into_iter().map(|record| json!(record));
        records.chain(predictions).chain(tunings).map(|line| line.to_string() + "\n").collect::<String>()
    };
    let lines = all();
    // Each with another panel in front of those that show what was kept.
    let shown = [Pane::Readings, Pane::Predictions, Pane::Verdicts, Pane::Timeline].map(|pane| {
        let mut settings: Value = serde_json::from_slice(&all_settings()[1]).expect("its own text");
        settings["workspaces"] =
            json!({ "now": "Learn", "arranged": { "Learn": { "root": { "Pane": pane }, "hidden": [], "stages": true } } });
        settings["opens_lab"] = json!(true);
        format!("{settings}\n{lines}").into_bytes()
    });
    Kind { valid: shown.to_vec(), ways: trees::JSON.to_vec(), words: &[], read: Arc::new(read), most_bytes: (512 << 20, 80), count: 200 }
}
