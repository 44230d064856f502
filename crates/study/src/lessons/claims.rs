//! What devices did, from the pages in `assets/claims/`, which `kernel-ladder bench --ladders` prints: a lesson names a row and takes no figure over by hand.

use crate::Seen;
use base::texts::{self, Language};
use kernels::filters::Ladder;

/// Every page, by its file's name.
static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/claims_pages.rs"));

/// A row of a page: what one device did at a step of a ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    /// The device.
    pub device: String,
    /// Width and height of the picture, as the page writes them.
    pub size: String,
    /// The step's figure in the unit of the published ones, such as "1.69× (1.69–1.70)"; may be empty.
    pub here: String,
    /// What became of the guide's claim; `None` where it makes none.
    pub seen: Option<Seen>,
    /// How many times as fast as the step that the guide names, with the interval; empty where it names none.
    pub speed_up: String,
    /// Why, in English; empty where no rule explains it.
    pub why: String,
}

/// The names of the pages.
pub fn pages() -> impl Iterator<Item = &'static str> + Clone {
    PAGES.iter().map(|(file, _)| file.trim_end_matches(".md"))
}

/// The row of a step in the page of that name, of the last picture size there: the largest.
#[must_use]
pub fn find(page: &str, ladder: &Ladder, step: usize) -> Option<Claimed> {
    let (_, text) = PAGES.iter().find(|(file, _)| file.trim_end_matches(".md") == page)?;
    let label = texts::find_in(Language::English, &format!("ladders.{}.label", ladder.name))?;
    let own = text.split("\n## ").find(|part| part.lines().next() == Some(label))?;
    let table = own.split("\n### ").last()?;
    let (size, device) = table.lines().next()?.split_once(" on ")?;
    let number = format!("| {} ", step + 1);
    let line = table.lines().find(|line| line.starts_with(&number))?;
    let heads = table.lines().find(|line| line.starts_with("| step "))?;
    let cells = |line: &'static str| -> Vec<&'static str> { line.trim_matches('|').split(" | ").map(str::trim).collect() };
    let (heads, cells) = (cells(heads), cells(line));
    // A ladder that nobody has published has no column for that.
    let cell = |key: &str| {
        let name = texts::find_in(Language::English, key)?;
        cells.get(heads.iter().position(|head| *head == name)?).copied()
    };
    let [here, seen] = [cell("tables.ladder.here")?, cell("tables.ladder.seen")?];
    let [speed_up, why] = [cell("tables.bench.speed-up")?, cell("tables.ladder.why-head")?];
    let known = Seen::ALL.into_iter().find(|known| is_verdict(seen, *known));
    Some(Claimed {
        device: device.to_owned(),
        size: size.to_owned(),
        here: with_sign_behind(here),
        seen: known,
        speed_up: with_sign_behind(speed_up),
        why: reason_there(why),
    })
}

/// The reason that is said first, without what it rests on, as one of another device. "no rule explains this result" is none, and so is one that was refuted.
fn reason_there(cell: &str) -> String {
    let first = cell.split("<br>").next().and_then(|line| line.split(" [").next()).unwrap_or_default();
    let [proven, there, refuted] = ["proven", "proven-there", "refuted"]
        .map(|level| texts::find_in(Language::English, &format!("why.level.{level}")).unwrap_or_default());
    if first.starts_with("no ") || first.starts_with(refuted) {
        return String::new();
    }
    first.strip_prefix(proven).map_or_else(|| first.to_owned(), |rest| format!("{there}{rest}"))
}

/// Whether a cell begins with the label of `known`, or, on pages of older versions, with its name.
fn is_verdict(cell: &str, known: Seen) -> bool {
    let label = texts::find_in(Language::English, known.key());
    label.into_iter().chain([known.name()]).any(|words| cell.starts_with(words))
}

/// A ratio as this program writes it now: pages of older versions have "×1.69 (1.69–1.70)".
fn with_sign_behind(cell: &str) -> String {
    let Some(digits) = cell.strip_prefix('×') else { return cell.to_owned() };
    let (ratio, rest) = digits.split_at(digits.find(' ').unwrap_or(digits.len()));
    format!("{ratio}×{rest}")
}

#[cfg(test)]
mod tests {
    use super::{find, pages};
    use crate::Seen;
    use kernels::filters::FilterIdExt as _;
    use model::FilterId;

    #[test]
    fn a_row_is_read_as_the_page_has_it() {
        let ladder = FilterId::Laplace.filter().ladder("mali-t600").expect("there");
        let row = find("nvidia-h100", ladder, 2).expect("a row");
        assert_eq!((row.device.as_str(), row.size.as_str(), row.seen), ("NVIDIA H100 80GB HBM3", "2048 × 2048", Some(Seen::NotSeen)));
        assert_eq!(row.speed_up, "1.00×", "equal ends are one");
        assert!(row.why.starts_with("The compiler produced the same instructions") && !row.why.contains('['), "{}", row.why);
        // What an experiment refuted is no reason; what it confirmed is one of that device.
        assert!(
            find("nvidia-h100", ladder, 1).is_some_and(|row| row.why.starts_with("Confirmed there by an experiment: The compiled code"))
        );
        assert_eq!(find("nvidia-h100", ladder, 4).map(|row| row.why).as_deref(), Some(""));
        let first = find("nvidia-h100", ladder, 0).expect("a row");
        assert_eq!((first.seen, first.speed_up.as_str()), (None, ""));
        assert_eq!((find("nvidia-h100", ladder, 9), find("no-page", ladder, 0)), (None, None));
    }

    #[test]
    fn pages_of_three_drivers_have_every_step_that_ran_there() {
        for page in ["nvidia-h100", "pocl-2", "intel-runtime-2"] {
            assert!(pages().any(|known| known == page), "{page}");
            let ladder = FilterId::Box.filter().ladder("maleoon-box").expect("there");
            assert!((0..ladder.steps.len()).all(|step| find(page, ladder, step).is_some_and(|row| row.here.contains('×') || step == 0)));
        }
    }
}
