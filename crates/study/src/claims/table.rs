//! The table of claims: the steps of a ladder beside what was published of them, what is claimed, and what was seen here. Command line, page, report and window
//! each choose their columns of it.

use super::Seen;
use base::texts::{Words, filled, joined, pair, text};
use engine::Compared;
use engine::compiled::CodeComparison;
use kernels::filters::{FigureKind, Ladder, Step};
use model::measure::Comparison;
use model::{CpuEngine, Labelled, Summary};
use view::plot::units;
use view::story::{self, Cell, Kind, Mark, Row, Table, Unit, said};

/// A step of a ladder, with what is known of it here.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The ladder.
    pub ladder: &'static Ladder,
    /// The step's index.
    pub index: usize,
    /// Width and height of the picture; `None` where there is none.
    pub size: Option<(usize, usize)>,
    /// The step's title before its variant.
    pub label: Words,
    /// What ran.
    pub variant: String,
    /// Its kernel times.
    pub kernel: Option<Summary>,
    /// How it compares with what the published figures are over, see [`FigureKind`].
    pub over_base: Option<Comparison>,
    /// Why it was not measured.
    pub why_not: Option<Words>,
    /// How it compares in interleaved pairs with the step that its claim names, or why it could not be compared.
    pub found: Option<Result<Found, Words>>,
    /// The same by readings that were not interleaved.
    pub apart: Option<Comparison>,
    /// Why it does here what it does.
    pub why: Vec<Words>,
}

/// What interleaved pairs said of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// How the two compare.
    pub comparison: Comparison,
    /// What became of the claim.
    pub seen: Seen,
    /// That the code is the same, where it is.
    pub same_code: Option<Words>,
    /// Whether the device does the same for both: what was not decided by times is not in doubt because of them.
    pub is_same_work: bool,
    /// Whether other programs ran meanwhile.
    pub is_busy: bool,
    /// How many pairs were run.
    pub pairs: usize,
}

impl Found {
    /// Of a step of which this is claimed.
    #[must_use]
    pub fn of(step: &Step, compared: &Compared) -> Option<Self> {
        let code = compared.code.as_ref();
        Some(Self {
            comparison: compared.comparison,
            seen: Seen::of_compared(step.claim?.says, compared),
            same_code: code.filter(|code| code.is_same_code()).map(|code| said(|| code.label())),
            is_same_work: code.is_some_and(CodeComparison::is_same_work),
            is_busy: compared.busy,
            pairs: compared.pairs.len(),
        })
    }

    fn mark(&self) -> Mark {
        self.seen.mark()
    }

    fn one_run(&self) -> Option<String> {
        self.comparison.one_run().filter(|_| !self.is_same_work).map(str::to_owned)
    }

    /// The verdict with remarks in brackets: "confirmed (same code)".
    fn verdict(&self) -> Cell {
        let words = said(|| {
            let busy = (self.is_busy && !self.is_same_work).then(|| text("tables.busy").to_owned());
            let remarks = self.same_code.iter().map(ToString::to_string).chain(self.one_run()).chain(busy);
            with_remarks(self.seen.label(), remarks)
        });
        Cell::Verdict(self.mark(), words)
    }

    /// A mark and a word, and below them the ratio with what is to be known of it: "✓ confirmed", "2.00×, from one run of the program".
    fn lines(&self, size: Option<[usize; 2]>) -> [Cell; 2] {
        let verdict = said(|| match size {
            Some([width, height]) => pair(&format!("{width} × {height}"), &self.seen.marked()),
            None => self.seen.marked(),
        });
        let figures = said(|| {
            let parts = [Some(units::comparison(&self.comparison)), self.same_code.as_ref().map(ToString::to_string), self.one_run()];
            units::with_note(&joined("words.list.items", parts.into_iter().flatten()), self.is_busy)
        });
        [Cell::Verdict(self.mark(), verdict), Cell::Words(figures)]
    }

    /// All of it: "0.840× (0.806–0.885): the opposite".
    fn told(&self) -> String {
        let verdict = text(match self.seen {
            Seen::Confirmed => "window.step.confirmed",
            Seen::NotSeen => "window.step.not-seen",
            Seen::Reversed => "window.step.opposite",
            Seen::Unclear => "window.step.undecided",
        });
        let told = filled("window.step.found", &[("words", &units::comparison(&self.comparison)), ("verdict", &verdict)]);
        let told = units::with_note(&told, self.is_busy);
        match &self.same_code {
            Some(code) => filled("window.step.found-code", &[("found", &told), ("code", code)]),
            None => units::with_starts(told, &self.comparison),
        }
    }
}

/// A verdict with remarks in brackets.
#[must_use]
pub fn with_remarks(verdict: &str, remarks: impl Iterator<Item = String>) -> String {
    remarks.fold(verdict.to_owned(), |what, remark| filled("tables.bench.remark", &[("what", &what), ("remark", &remark)]))
}

/// What became of a claim over each picture size, one below the other; that it was not tested where there is none.
#[must_use]
pub fn over_sizes(found: &[(Found, [usize; 2])]) -> Cell {
    match found {
        [] => Cell::Words(Words::text("report.claims.not-tested")),
        [(one, _)] => Cell::Lines(one.lines(None).into()),
        all => Cell::Lines(all.iter().flat_map(|(one, size)| one.lines(Some(*size))).collect()),
    }
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The step's title with its variant.
    Label,
    /// The step's title.
    Step,
    /// Its variant.
    Variant,
    /// Median kernel time in milliseconds.
    Kernel,
    /// The figure here, in the kind of the published ones.
    Here,
    /// The same in words.
    HereTold,
    /// The published figure at this picture's size or the nearest.
    Published,
    /// The published figure at this size, or the range over all sizes.
    PublishedTold,
    /// What is claimed, by whom and where.
    Claim,
    /// What is claimed, and by whom.
    ClaimBriefly,
    /// What became of it.
    Seen,
    /// The speed-up over the step that the claim names.
    SpeedUp,
    /// Both in one.
    Found,
    /// How many pairs were compared.
    Pairs,
    /// Why.
    Why,
}

impl Column {
    /// For programs, whether its cells are numbers, and the key of its head.
    const fn facts(self) -> (&'static str, Kind, &'static str) {
        let (words, number) = (Kind::Words, Kind::Number);
        match self {
            Self::Label => ("label", words, "tables.ladder.step-head"),
            Self::Step => ("step", words, "tables.ladder.step-head"),
            Self::Variant => ("variant", words, "tables.ladder.variant"),
            Self::Kernel => ("kernel_ns", number, "tables.ladder.kernel"),
            Self::Here => ("here", number, "tables.ladder.here"),
            Self::HereTold => ("here", words, "window.verdicts.here"),
            Self::Published => ("published", number, "tables.ladder.published"),
            Self::PublishedTold => ("published", words, "window.verdicts.published"),
            Self::Claim => ("claim", words, "tables.ladder.says"),
            Self::ClaimBriefly => ("claim", words, "window.verdicts.guide"),
            Self::Seen => ("seen", words, "tables.ladder.seen"),
            Self::SpeedUp => ("speed_up", number, "tables.bench.speed-up"),
            Self::Found => ("found", words, "window.verdicts.verdict"),
            Self::Pairs => ("pairs", number, "tables.bench.pairs"),
            Self::Why => ("why", words, "tables.ladder.why-head"),
        }
    }

    fn of(self, ladder: &Ladder) -> story::Column {
        let (name, kind, head) = self.facts();
        let head = match self {
            Self::Label => said(|| ladder.label().to_owned()),
            Self::Published => said(|| filled(head, &[("device", &ladder.device())])),
            _ => Words::text(head),
        };
        story::Column::headed(name, kind, head)
    }
}

/// The steps of a ladder in these columns. A row without figures has the reason in place of all of them where the label begins it, and else as its result.
/// Of a ladder without published figures there is no column for them.
#[must_use]
pub fn table(ladder: &Ladder, rows: &[Claimed], columns: &[Column]) -> Table {
    let has_figures = ladder.steps.iter().any(|step| !step.published.is_empty());
    let is_shown = |column: &Column| has_figures || !matches!(column, Column::Published | Column::PublishedTold);
    let columns: Vec<Column> = columns.iter().copied().filter(is_shown).collect();
    let mut table = Table::new("claims", columns.iter().map(|column| column.of(ladder)).collect());
    for row in rows {
        table.row(match &row.why_not {
            Some(why) if columns.first() == Some(&Column::Label) => Row::Instead(row.cell(Column::Label), why.clone()),
            _ => Row::Cells(columns.iter().map(|column| row.cell(*column)).collect()),
        });
    }
    table
}

impl Claimed {
    /// Of which nothing is known here yet.
    #[must_use]
    pub const fn new(ladder: &'static Ladder, index: usize, size: Option<(usize, usize)>) -> Self {
        Self {
            ladder,
            index,
            size,
            label: Words::Plain(String::new()),
            variant: String::new(),
            kernel: None,
            over_base: None,
            why_not: None,
            found: None,
            apart: None,
            why: Vec::new(),
        }
    }

    /// What became of the claim, where it was put to the test.
    #[must_use]
    pub fn seen(&self) -> Option<Seen> {
        Some(self.found.as_ref()?.as_ref().ok()?.seen)
    }

    /// Whether there is a figure of it here, in the kind of the published ones.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        if self.kind() == FigureKind::Milliseconds { self.kernel.is_some() } else { self.over_base.is_some() }
    }

    /// A column's cell.
    #[must_use]
    pub fn cell(&self, column: Column) -> Cell {
        let found = self.found.as_ref().and_then(|found| found.as_ref().ok());
        match column {
            Column::Label => Cell::Words(self.label.clone()),
            Column::Step => Cell::Words(said(|| self.ladder.step_title(self.index).unwrap_or_default())),
            Column::Variant => Cell::Code(self.variant.clone()),
            Column::Kernel => Cell::number(self.kernel.as_ref().map(|kernel| kernel.median_ns), Unit::Milliseconds),
            Column::Here => self.here(),
            Column::HereTold => self.here_told(),
            Column::Published => self.published(),
            Column::PublishedTold => self.published_told(),
            Column::Claim => Cell::words_or_empty(self.claim()),
            Column::ClaimBriefly => self.claim_briefly().map_or_else(
                || Cell::Words(Words::text("window.verdicts.no-claim")),
                |claim| Cell::Explained(Box::new(Cell::Words(claim)), said(|| self.ladder.claim_line(self.index).unwrap_or_default())),
            ),
            Column::Seen => match (&self.why_not, &self.found) {
                (Some(why), _) => Cell::Words(why.clone()),
                (None, Some(Ok(found))) => found.verdict(),
                (None, Some(Err(why))) => Cell::Words(said(|| filled("tables.ladder.not-tested", &[("why", why)]))),
                (None, None) => Cell::Empty,
            },
            Column::SpeedUp => found.map_or(Cell::Empty, |found| Cell::ratio(&found.comparison)),
            Column::Found => self.found_told(),
            Column::Pairs => found.map_or(Cell::Empty, |found| Cell::count(found.pairs)),
            Column::Why => Cell::Lines(self.why.iter().cloned().map(Cell::Words).collect()),
        }
    }

    fn step(&self) -> Option<&'static Step> {
        self.ladder.steps.get(self.index)
    }

    fn kind(&self) -> FigureKind {
        self.ladder.kind(self.index)
    }

    fn claim(&self) -> Option<Words> {
        self.step()?.claim?;
        Some(said(|| {
            let line = self.size.map_or_else(|| self.ladder.claim_line(self.index), |size| self.ladder.claim_line_at(self.index, size));
            line.unwrap_or_default()
        }))
    }

    /// What is claimed, and by whom: "Guide: faster than step 2".
    fn claim_briefly(&self) -> Option<Words> {
        let (step, claim) = (self.step()?, self.step()?.claim?);
        Some(said(|| {
            let says = claim.says.words(&filled("words.claim.step", &[("number", &(claim.against + 1))]));
            let is_other = self.size.is_some_and(|size| step.is_of_other_size(size));
            // The sizes are told where the pointer rests: there may be many.
            claim.by(&if is_other { filled("words.claim.not-its-size", &[("claim", &says)]) } else { says })
        }))
    }

    /// "5.00× (4.90–5.10)", "8.00× (CPU)" or "17.0 ms".
    fn here(&self) -> Cell {
        let is_base = self.kind() == FigureKind::OverFirst && self.index == 0;
        match (self.kind(), &self.kernel, self.over_base) {
            (FigureKind::Milliseconds, Some(kernel), _) => {
                let ms = units::significant(kernel.median_ns / 1e6);
                Cell::Words(Words::of(&format!("{ms} ms")))
            }
            // The first step over itself says nothing.
            (FigureKind::OverFirst, Some(_), Some(comparison)) if !is_base => Cell::ratio(&comparison),
            (FigureKind::OverCpu, Some(_), Some(comparison)) => Cell::Words(said(|| format!("{} (CPU)", units::comparison(&comparison)))),
            _ => Cell::Empty,
        }
    }

    /// "3.10× (2.90–3.30) over step 1"; nothing for the step that the others are compared with.
    fn here_told(&self) -> Cell {
        let over = |name: fn() -> String| {
            let over = |comparison| said(|| filled("window.step.over", &[("words", &units::comparison(&comparison)), ("name", &name())]));
            self.over_base.map(over)
        };
        let told = match self.kind() {
            FigureKind::OverFirst if self.index == 0 => return Cell::Missing,
            // Of the published milliseconds only the time itself is told here.
            FigureKind::Milliseconds => self
                .kernel
                .as_ref()
                .map(|kernel| said(|| units::time_between(kernel.median_ns, kernel.lower_quartile_ns, kernel.upper_quartile_ns))),
            FigureKind::OverCpu => over(|| CpuEngine::Scalar.label().to_owned()),
            FigureKind::OverFirst => over(|| filled("words.claim.step", &[("number", &1)])),
        };
        Cell::Words(told.unwrap_or_else(|| Words::text("window.step.found-nothing")))
    }

    /// "4.2×", "0.7× (CPU)" or "17 ms"; where there is none at this picture's size, that at the nearest one, which is named.
    fn published(&self) -> Cell {
        let nearest = self.size.and_then(|size| Some((size, self.ladder.published_nearest(self.index, size)?)));
        let Some((size, (at, figure))) = nearest else { return Cell::Empty };
        Cell::Words(said(|| {
            let figure = match self.kind() {
                FigureKind::Milliseconds => format!("{figure} ms"),
                FigureKind::OverFirst => format!("{figure}×"),
                FigureKind::OverCpu => format!("{figure}× (CPU)"),
            };
            match at {
                None => filled("words.claim.no-size", &[("figure", &figure)]),
                Some(at) if at == size => figure,
                Some((width, height)) => filled("window.step.at-size", &[("figure", &figure), ("width", &width), ("height", &height)]),
            }
        }))
    }

    /// "4.2× over step 1 at 2560 × 1600", or the range over all sizes.
    fn published_told(&self) -> Cell {
        let (ladder, kind) = (self.ladder, self.kind());
        let figure = |figure: f64| match kind {
            FigureKind::OverCpu | FigureKind::OverFirst => units::speed_up(figure),
            FigureKind::Milliseconds => units::time(figure * 1e6),
        };
        let with_against = |figure: String| match kind {
            FigureKind::OverCpu => filled("window.step.figure-over-cpu", &[("figure", &figure)]),
            FigureKind::OverFirst => filled("window.step.figure-over-first", &[("figure", &figure)]),
            FigureKind::Milliseconds => figure,
        };
        let at = |(width, height): (usize, usize), value: f64| {
            let figure = with_against(figure(value));
            filled("window.step.at-size", &[("figure", &figure), ("width", &width), ("height", &height)])
        };
        let all = || -> Vec<f64> { ladder.sizes.iter().filter_map(|&size| ladder.published(self.index, size)).collect() };
        let told = || {
            if let Some((size, value)) = self.size.and_then(|size| Some((size, ladder.published(self.index, size)?))) {
                return Some(at(size, value));
            }
            if ladder.sizes.is_empty() {
                let figure = with_against(figure(*self.step()?.published.first()?));
                return Some(filled("words.claim.no-size", &[("figure", &figure)]));
            }
            let [least, most] = [all().into_iter().reduce(f64::min)?, all().into_iter().reduce(f64::max)?];
            if let [size] = ladder.sizes.as_slice() {
                return Some(at(*size, least));
            }
            let figure = with_against(filled("window.step.range", &[("least", &figure(least)), ("most", &figure(most))]));
            Some(filled("window.step.by-size", &[("figure", &figure)]))
        };
        if self.step().is_some_and(|step| !step.published.is_empty()) {
            Cell::Words(said(|| told().unwrap_or_default()))
        } else {
            Cell::Missing
        }
    }

    /// "0.840× (0.806–0.885): the opposite", and how it was found out.
    fn found_told(&self) -> Cell {
        if self.step().is_none_or(|step| step.claim.is_none()) {
            return Cell::Missing;
        }
        match (&self.found, self.apart) {
            (Some(Ok(found)), _) => {
                let verdict = Cell::Verdict(found.mark(), said(|| found.told()));
                Cell::Explained(Box::new(verdict), Words::text("window.step.interleaved"))
            }
            // What disturbed one of two readings need not have disturbed the other, so nothing is decided.
            (_, apart) => {
                let words = apart.map_or_else(
                    || Words::text("window.step.found-nothing"),
                    |apart| said(|| filled("window.step.found-apart", &[("words", &units::comparison(&apart))])),
                );
                Cell::Explained(Box::new(Cell::Words(words)), Words::text("window.step.apart"))
            }
        }
    }

    /// Claim and result in one line: "Guide: faster than step 2; here: 0.840× (0.806–0.885): the opposite". `None` where nothing is claimed.
    #[must_use]
    pub fn told(&self) -> Option<Words> {
        let claim = self.claim_briefly()?;
        Some(said(|| match (&self.found, self.apart) {
            (Some(Ok(found)), _) => filled("window.step.told", &[("claim", &claim), ("found", &found.told())]),
            (_, Some(apart)) => filled("window.step.told-apart", &[("claim", &claim), ("words", &units::comparison(&apart))]),
            (_, None) => filled("window.step.told-nothing", &[("claim", &claim)]),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Claimed, Column, Found, over_sizes};
    use crate::Seen;
    use crate::testing::{compared_as, same_code};
    use base::texts::Words;
    use engine::Compared;
    use kernels::filters;
    use model::measure::{Comparison, Verdict};
    use view::story::{Cell, Mark};

    fn compared(ratio: f64, low: f64, high: f64, verdict: Verdict) -> Compared {
        compared_as(Comparison { ratio, low, high, verdict, starts: 7 })
    }

    /// A step of which it is claimed that it is faster than the first one.
    fn row(compared: Option<&Compared>) -> Claimed {
        let ladder = filters::by_name("laplace").expect("laplace").ladder("mali-t600").expect("its ladder");
        let found = compared.map(|compared| Ok(Found::of(&ladder.steps[1], compared).expect("a claim")));
        Claimed { found, ..Claimed::new(ladder, 1, Some((2560, 1600))) }
    }

    #[test]
    fn a_claim_is_answered_in_words() {
        let told = |compared: &Compared| row(Some(compared)).told().expect("a claim").to_string();
        let reversed = compared(0.84, 0.806, 0.885, Verdict::Slower);
        assert_eq!(told(&reversed), "Guide: faster than step 1; here: 0.840× (0.806–0.885): the opposite");
        let reversed = row(Some(&reversed));
        assert_eq!((reversed.seen(), reversed.cell(Column::Found).mark()), (Some(Seen::Reversed), Some(Mark::Reversed)));
        assert_eq!(reversed.cell(Column::Found).told(), "0.840× (0.806–0.885): the opposite");
        let unclear = Compared { busy: true, ..compared(1.05, 0.9, 1.2, Verdict::Unclear) };
        assert_eq!(told(&unclear), "Guide: faster than step 1; here: 1.05× (0.90–1.20): inconclusive, other programs were running");
        let same = Compared { code: Some(same_code()), ..compared(1.05, 1.03, 1.07, Verdict::Faster) };
        assert_eq!(told(&same), "Guide: faster than step 1; here: 1.05× (1.03–1.07): no difference observed (same code)");
        let apart = Claimed { apart: Some(compared(1.25, 1.2, 1.31, Verdict::Faster).comparison), ..row(None) };
        let told = |row: &Claimed| row.told().expect("a claim").to_string();
        assert_eq!(told(&apart), "Guide: faster than step 1; here, from separate runs: 1.25× (1.20–1.31)");
        assert_eq!((apart.seen(), told(&row(None)).as_str()), (None, "Guide: faster than step 1; not measured here yet"));
    }

    #[test]
    fn what_times_did_not_decide_is_not_in_doubt_because_of_them() {
        let busy = |code| Compared { busy: true, code, ..compared(1.05, 1.03, 1.07, Verdict::Faster) };
        let one_run = |compared: Compared| Compared { comparison: Comparison { starts: 1, ..compared.comparison }, ..compared };
        let seen = |compared| row(Some(&one_run(compared))).cell(Column::Seen).told();
        assert_eq!(seen(busy(Some(same_code()))), "no difference observed (same code)");
        assert_eq!(seen(busy(None)), "confirmed (from one run of the program) (other programs were running)");
    }

    #[test]
    fn a_result_over_several_sizes_has_a_color_where_all_agree() {
        let found = |ratio, verdict| row(Some(&compared(ratio, ratio, ratio, verdict))).found.expect("compared").expect("compared");
        let (faster, slower) = (found(2.0, Verdict::Faster), found(0.5, Verdict::Slower));
        assert_eq!(over_sizes(&[]), Cell::Words(Words::text("report.claims.not-tested")));
        assert_eq!(over_sizes(&[(faster.clone(), [64, 48])]).lines(), ["✓ confirmed", "2.00×"]);
        let [alike, apart] = [&faster, &slower].map(|other| over_sizes(&[(faster.clone(), [64, 48]), (other.clone(), [96, 96])]));
        assert_eq!((alike.mark(), apart.mark()), (Some(Mark::Confirmed), None));
        assert_eq!(apart.lines(), ["64 × 48: ✓ confirmed", "2.00×", "96 × 96: ✗ reversed", "0.500×"]);
    }
}
