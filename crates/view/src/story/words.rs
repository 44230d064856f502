//! All words of a story, to be changed: what a driver or a system said may name a person or a folder.

use super::{Block, Cell, Column, Figure, Group, Row, Step, Story, Table};
use crate::plot::{Curve, CurvePoint, Curves, HeatMap};
use base::texts::Words;

/// What becomes of words.
type Change<'a> = &'a dyn Fn(&Words) -> Words;

impl Story {
    /// The same with all its words changed.
    #[must_use]
    pub fn with_words(&self, change: &dyn Fn(&Words) -> Words) -> Self {
        Self { title: self.title.as_ref().map(change), blocks: self.blocks.iter().map(|block| block_of(block, change)).collect() }
    }
}

fn block_of(block: &Block, change: Change<'_>) -> Block {
    match block {
        Block::Heading(words) => Block::Heading(change(words)),
        Block::Sentence(tone, words) => Block::Sentence(*tone, change(words)),
        Block::Table(table) => Block::Table(table_of(table, change)),
        Block::Figure(figure) => Block::Figure(figure_of(figure, change)),
        Block::Code(code) => Block::Code(code.clone()),
    }
}

fn table_of(table: &Table, change: Change<'_>) -> Table {
    let column = |column: &Column| Column { heads: column.heads.iter().map(change).collect(), ..column.clone() };
    let group =
        |group: &Group| Group { title: group.title.as_ref().map(change), rows: group.rows.iter().map(|row| row_of(row, change)).collect() };
    Table {
        name: table.name.clone(),
        caption: table.caption.as_ref().map(change),
        columns: table.columns.iter().map(column).collect(),
        groups: table.groups.iter().map(group).collect(),
    }
}

fn row_of(row: &Row, change: Change<'_>) -> Row {
    match row {
        Row::Cells(cells) => Row::Cells(cells.iter().map(|cell| cell_of(cell, change)).collect()),
        Row::Instead(cell, why) => Row::Instead(cell_of(cell, change), change(why)),
    }
}

fn cell_of(cell: &Cell, change: Change<'_>) -> Cell {
    match cell {
        Cell::Words(words) => Cell::Words(change(words)),
        Cell::Verdict(mark, words) => Cell::Verdict(*mark, change(words)),
        Cell::Refused(words) => Cell::Refused(change(words)),
        Cell::Lines(cells) => Cell::Lines(cells.iter().map(|cell| cell_of(cell, change)).collect()),
        Cell::Explained(cell, words) => Cell::Explained(Box::new(cell_of(cell, change)), change(words)),
        Cell::Empty
        | Cell::Missing
        | Cell::Awaited
        | Cell::Code(_)
        | Cell::Size(_)
        | Cell::Number(..)
        | Cell::Between(..)
        | Cell::Compared(..) => cell.clone(),
    }
}

fn figure_of(figure: &Figure, change: Change<'_>) -> Figure {
    match figure {
        Figure::Curves(curves) => {
            let point = |point: &CurvePoint| CurvePoint { name: change(&point.name), ..point.clone() };
            let curve =
                |curve: &Curve| Curve { label: change(&curve.label), points: curve.points.iter().map(point).collect(), ..curve.clone() };
            Figure::Curves(Curves {
                curves: curves.curves.iter().map(curve).collect(),
                titles: curves.titles.each_ref().map(change),
                marks: curves.marks.iter().map(|(at, what)| (*at, change(what))).collect(),
                ..curves.clone()
            })
        }
        Figure::Map(map) => {
            Figure::Map(HeatMap { corner: change(&map.corner), lines: map.lines.iter().map(change).collect(), ..map.clone() })
        }
        Figure::Waterfall { steps, whole } => Figure::Waterfall {
            steps: steps.iter().map(|step| Step { label: change(&step.label), worth: cell_of(&step.worth, change) }).collect(),
            whole: cell_of(whole, change),
        },
    }
}
