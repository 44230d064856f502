//! What experiments said of the steps' explanations: counted by ladder, and each refuted one with what is said then.

use super::report::{Entry, Group};
use base::texts::{filled, pair, text};
use engine::Compared;
use study::experiment::{Counted, Proof, PutToTest, telling};
use view::plot::units;
use view::story::columns::{Align, Table};

/// The table, and the lists of what was refuted and of what is unexplained.
pub fn render(groups: &[Group]) -> String {
    let mut columns = vec![(text("experiments.table.ladder"), Align::Left)];
    columns.extend(telling::count_heads().into_iter().map(|head| (head, Align::Right)));
    let mut table = Table::new(&columns);
    for row in rows(groups) {
        table.row(row);
    }
    let list = |head: &str, lines: Vec<String>| if lines.is_empty() { String::new() } else { format!("\n{head}\n{}", lines.concat()) };
    let refuted = steps(groups).filter(Step::has_refuted).map(|step| {
        let reasons = step.refuted().map(|say| filled("experiments.table.was", &[("say", &say)]));
        let left = filled("experiments.table.then", &[("say", &telling::left(step.tested))]);
        let lines = reasons.chain([left]).map(|line| format!("    {line}\n")).collect::<Vec<_>>();
        format!("  {}\n{}", step.named(), lines.concat())
    });
    let refuted = list(text("experiments.table.refuted-head"), refuted.collect());
    let unexplained = steps(groups).filter(Step::is_unexplained).map(|step| format!("  {}\n", step.named()));
    format!("{}{refuted}{}", table.render(), list(text("experiments.table.unexplained-head"), unexplained.collect()))
}

/// The same as a section of a Markdown page.
pub fn markdown(groups: &[Group]) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let line = |cells: &[String]| format!("| {} |\n", cells.iter().map(|text| cell(text)).collect::<Vec<_>>().join(" | "));
    let heads: Vec<String> = std::iter::once(text("experiments.table.ladder")).chain(telling::count_heads()).map(str::to_owned).collect();
    let mut page = format!("## {}\n\n{}|---|{}\n", text("experiments.table.title"), line(&heads), "--:|".repeat(heads.len() - 1));
    page.extend(rows(groups).iter().map(|row| line(row)));
    let mut list = |title: &str, heads: &[&'static str], rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            let heads: Vec<String> = heads.iter().map(|key| text(key).to_owned()).collect();
            page.extend(["\n", title, "\n\n", &line(&heads), &"|---".repeat(heads.len()), "|\n"]);
            page.extend(rows.iter().map(|row| line(row)));
        }
    };
    let refuted = steps(groups).filter(Step::has_refuted).map(|step| {
        let reasons = step.refuted().collect::<Vec<_>>().join("<br>");
        vec![step.name(), step.speed_up(), reasons, telling::left(step.tested)]
    });
    let heads = ["experiments.table.step", "tables.bench.speed-up", "experiments.table.was-refuted", "experiments.table.left"];
    list(text("experiments.table.refuted-head"), &heads, refuted.collect());
    let unexplained = steps(groups).filter(Step::is_unexplained).map(|step| vec![step.name(), step.speed_up()]);
    list(text("experiments.table.unexplained-head"), &["experiments.table.step", "tables.bench.speed-up"], unexplained.collect());
    page
}

/// A row for each ladder over each picture size, and their sum where there are several.
fn rows(groups: &[Group]) -> Vec<Vec<String>> {
    let row = |name: &str, counted: Counted| std::iter::once(name.to_owned()).chain(counted.cells()).collect::<Vec<_>>();
    let mut rows = Vec::new();
    let mut sums = Counted::default();
    for group in groups {
        let Some(ladder) = group.entries.iter().find_map(|entry| entry.place).map(|place| place.ladder) else { continue };
        let counted = steps_of(group).map(|step| step.counted()).fold(Counted::default(), Counted::and);
        rows.push(row(ladder.name, counted));
        sums = sums.and(counted);
    }
    if rows.len() > 1 {
        rows.push(row(text("experiments.table.all"), sums));
    }
    rows
}

/// A step that was compared, and whose reasons were put to the test.
struct Step<'a> {
    entry: &'a Entry,
    compared: &'a Compared,
    tested: &'a [PutToTest],
}

fn steps(groups: &[Group]) -> impl Iterator<Item = Step<'_>> {
    groups.iter().flat_map(steps_of)
}

fn steps_of(group: &Group) -> impl Iterator<Item = Step<'_>> {
    group.entries.iter().filter_map(|entry| {
        let compared = entry.tested.as_ref().or(entry.compared.as_ref())?.as_ref().ok()?;
        Some(Step { entry, compared, tested: entry.proven.as_deref()? })
    })
}

impl Step<'_> {
    fn counted(&self) -> Counted {
        Counted::of(self.compared.comparison.verdict, self.tested)
    }

    fn has_refuted(&self) -> bool {
        self.counted().refuted > 0
    }

    fn is_unexplained(&self) -> bool {
        let counted = self.counted();
        counted.undecided == 0 && Proof::of(self.tested) == Proof::Unexplained
    }

    fn refuted(&self) -> impl Iterator<Item = String> {
        self.tested.iter().filter(|one| one.is_refuted()).map(|one| one.reason.say.clone())
    }

    /// "mali-t600, 3 Merged loads".
    fn name(&self) -> String {
        self.entry.place.and_then(|place| Some(format!("{}, {}", place.ladder.name, place.title()?))).unwrap_or_default()
    }

    fn speed_up(&self) -> String {
        units::outcome(&self.compared.comparison, self.compared.busy)
    }

    fn named(&self) -> String {
        pair(&self.name(), &self.speed_up())
    }
}
