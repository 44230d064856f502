//! Paints a [`Story`] in the window.

use super::scene_ui::{hits_ui, measure};
use super::studies_ui::warning;
use super::theme::{self, space};
use egui::{Color32, Grid, Label, Response, RichText, ScrollArea, Ui};
use view::plot::Scene;
use view::story::{Block, Cell, Figure, Mark, Row, Story, Table, Tone};

/// Height of a figure that may be as high as there is room for.
const FIGURE_POINTS: [f32; 2] = [180.0, 420.0];

/// So much of the room's height is a figure's, as words and tables stand below it.
const PART_OF_HEIGHT: f32 = 0.6;

/// A cell with more letters than these is wrapped at this width.
const MOST_LETTERS: usize = 64;
const SENTENCE_POINTS: f32 = 380.0;

/// The width and height that figures are laid out on.
pub fn figure_size(ui: &Ui) -> [f32; 2] {
    let [least, most] = FIGURE_POINTS;
    [ui.available_width(), (ui.available_height() * PART_OF_HEIGHT).clamp(least, most)]
}

/// The figures of a story, laid out.
pub fn scenes(ui: &Ui, story: &Story, size: [f32; 2]) -> Vec<Scene> {
    let measure = measure(ui);
    story.figures().map(|figure: &Figure| figure.scene(size.map(f64::from), &measure)).collect()
}

/// Shows all blocks, with their figures as they were laid out.
pub fn story_ui(ui: &mut Ui, story: &Story, scenes: &[Scene]) {
    blocks_ui(ui, story, scenes, |ui, table| {
        ui.add_space(space::SMALL);
        table_ui(ui, table, |ui, _, _, cell| drop(cell_ui(ui, cell)));
    });
}

/// The same with tables as `table_ui` shows them.
pub fn blocks_ui(ui: &mut Ui, story: &Story, scenes: &[Scene], mut table_ui: impl FnMut(&mut Ui, &Table)) {
    let mut scenes = scenes.iter();
    for (index, block) in story.blocks.iter().enumerate() {
        match block {
            Block::Heading(words) => {
                ui.add_space(space::SMALL);
                ui.label(RichText::new(words.to_string()).strong());
            }
            Block::Sentence(tone, words) => {
                let words = words.to_string();
                match tone {
                    Tone::Plain => drop(ui.add(Label::new(words).wrap())),
                    Tone::Strong => drop(ui.add(Label::new(RichText::new(words).strong()).wrap())),
                    Tone::Weak => drop(ui.add(Label::new(RichText::new(words).weak()).wrap())),
                    Tone::Warning => warning(ui, &words),
                }
            }
            Block::Table(table) => table_ui(ui, table),
            Block::Figure(_) => {
                let Some(scene) = scenes.next() else { continue };
                hits_ui(ui, scene, &format!("figure {index}"), false, |ui, index| {
                    ui.label(scene.hits.get(index).map_or("", |hit| hit.name.as_str()));
                });
            }
            Block::Code(code) => drop(ui.add(Label::new(RichText::new(code).monospace()).wrap())),
        }
    }
}

/// Shows a table; `cell_ui` shows a cell of a row and a column.
pub fn table_ui(ui: &mut Ui, table: &Table, mut cell_ui: impl FnMut(&mut Ui, usize, usize, &Cell)) {
    ScrollArea::horizontal().id_salt(("table", &table.name)).show(ui, |ui| {
        Grid::new(&table.name).num_columns(table.columns.len()).spacing([space::LARGE, space::SMALL]).striped(true).show(ui, |ui| {
            for column in &table.columns {
                let heads: Vec<String> = column.heads.iter().map(ToString::to_string).collect();
                ui.label(RichText::new(heads.join("\n")).small().weak());
            }
            ui.end_row();
            for (index, row) in table.rows().enumerate() {
                let (first, others) = row.parts();
                for (column, cell) in first.into_iter().chain(others).enumerate() {
                    cell_ui(ui, index, column, cell);
                }
                if let Row::Instead(_, why) = row {
                    ui.label(why.to_string());
                }
                ui.end_row();
            }
        });
    });
}

/// Shows a cell in the color of what it is worth.
pub fn cell_ui(ui: &mut Ui, cell: &Cell) -> Response {
    let words = RichText::new(match cell {
        // Why stands where the pointer rests.
        Cell::Refused(_) => "–".to_owned(),
        _ => cell.lines().join("\n"),
    });
    let words = match (cell, cell.mark().and_then(|mark| mark_color(ui, mark))) {
        (_, Some(color)) => words.color(color),
        (Cell::Refused(_) | Cell::Awaited, None) => words.weak(),
        _ => words,
    };
    // A sentence that is wider than a table has room for would be cut off at its end.
    let shown = if words.text().chars().count() > MOST_LETTERS {
        ui.scope(|ui| {
            ui.set_max_width(SENTENCE_POINTS);
            ui.add(Label::new(words).wrap())
        })
        .inner
    } else {
        ui.label(words)
    };
    match cell.explained() {
        Some(explained) => shown.on_hover_text(explained),
        None => shown,
    }
}

/// The color of a verdict; `None` for the text's own.
pub fn mark_color(ui: &Ui, mark: Mark) -> Option<Color32> {
    match mark {
        Mark::Confirmed => Some(theme::right(ui.visuals().dark_mode)),
        Mark::Reversed => Some(ui.visuals().warn_fg_color),
        Mark::NotSeen | Mark::Unclear => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{figure_size, scenes, story_ui};
    use crate::app::theme;
    use crate::testing::stories::story;
    use egui::vec2;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    #[test]
    fn every_block_and_every_cell_is_shown() {
        let story = story();
        let mut harness = Harness::builder().with_size(vec2(1400.0, 1400.0)).with_max_steps(20).build_ui(move |ui| {
            theme::install(ui.ctx());
            let size = figure_size(ui);
            let drawn = scenes(ui, &story, size);
            story_ui(ui, &story, &drawn);
        });
        harness.run();
        for label in [
            "The <conclusion>",
            "Guide: faster",
            "Beware",
            "A heading",
            "Name\nof it",
            "naive",
            "1.5 ms",
            "2.00× (1.90–2.10)",
            "64 × 48",
            "12.3",
            "0.500× (0.400–0.600)",
            "confirmed",
            "a | b <c>",
            "one\n2",
            "…",
            "1 µs (500 ns to 2 µs)",
            "short",
            "it failed",
            "How to read it",
            "x = 1 < 2;\n",
        ] {
            assert!(harness.query_all_by_label(label).next().is_some(), "{label:?} is not shown");
        }
        // What could not be had, and what is not known; why stands where the pointer rests.
        assert_eq!(harness.query_all_by_label("–").count(), 2);
        // The points of the curves and the rows of the waterfall can be pointed at.
        assert_eq!(harness.query_all_by_label("a point").count(), 2);
        assert!(harness.query_all_by_label_contains("a step: ").next().is_some());
    }
}
