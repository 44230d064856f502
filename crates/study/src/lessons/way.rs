//! The way from naive to the fastest variant that a search found, as a lesson: a screen for each step, with a prediction. What it says is the stages' own
//! words and facts in braces; what was measured is measured anew where the lesson is taken. A teacher goes on from there.

use super::Needs;
use crate::{Candidate, PathStep};
use base::foreign::toml_text;
use base::texts::{filled, text};
use engine::{Target, Task};
use kernels::filters::Filter;
use model::{HostMemory, LocalSize, StageId};

/// Minutes for a step: the prediction, ten seconds of measurement, and reading why.
const STEP_MINUTES: usize = 3;

/// The text of the lesson's file. `like` is what the search was over, on a device of the kind `device`; `best` is what it found. Steps that cannot be compared
/// are left out; `None` where there is no other.
#[must_use]
pub fn of_way(like: &Task, device: Needs, path: &[PathStep], best: Candidate) -> Option<String> {
    let spec = &like.spec;
    let (filter, (width_px, height_px)) = (like.filter(), like.picture.size());
    let pairs: Vec<_> = path.iter().filter_map(|step| step.pair.as_ref().ok()).collect();
    let first = pairs.first()?;
    let parameters = spec.parameters.0.iter().map(|(name, value)| format!("{name} = {value:?}")).collect::<Vec<_>>().join(", ");
    let parameters = if parameters.is_empty() { parameters } else { format!("parameters = {{ {parameters} }}, ") };
    let memory = match like.target {
        Target::Device { host_memory, .. } if host_memory != HostMemory::Copy => format!("memory = {}, ", toml_text(host_memory.name())),
        _ => String::new(),
    };
    let show = |before: &Candidate, after: &Candidate| {
        let local = |name: &str, local: LocalSize| format!("{name} = {}", toml_text(&local.to_string()));
        format!(
            "show = {{ {parameters}{memory}variant = {}, {}, against = {}, {}, panel = \"timings\" }}\npredict = true\n",
            toml_text(&after.variant.to_string()),
            local("local", after.local),
            toml_text(&before.variant.to_string()),
            local("against_local", before.local)
        )
    };
    let mut lesson = format!(
        "title = {}\ngoal = {}\nminutes = {}\ndevice = {}\nfilter = {}\nchannels = {}\nborder = {}\npicture = {}\n",
        toml_text(&filled("lessons.way.title", &[("filter", &filter.label())])),
        toml_text(text("lessons.way.goal")),
        STEP_MINUTES * (pairs.len() + 1),
        toml_text(device.name()),
        toml_text(filter.name()),
        toml_text(spec.channels.name()),
        toml_text(spec.border.name()),
        toml_text(&format!("generated {width_px}x{height_px}"))
    );
    for (before, after) in &pairs {
        let (title, about) = step_words(filter, before, after);
        lesson.extend(["\n[[screen]]\ntitle = ", &toml_text(&title), "\ntext = ", &paragraphs(&about), "\n"]);
        lesson.extend([&show(before, after), "then = ", &toml_text(text("lessons.way.then")), "\n"]);
    }
    // A single step is all of them.
    if **first != (Candidate::naive(), best) {
        let [title, about] = ["lessons.way.end-title", "lessons.way.end-text"].map(|key| toml_text(text(key)));
        lesson.extend(["\n[end]\ntitle = ", &title, "\ntext = ", &about, "\n", &show(&Candidate::naive(), &best)]);
    }
    Some(lesson)
}

/// What a step switches on, and why one would.
fn step_words(filter: &Filter, before: &Candidate, after: &Candidate) -> (String, String) {
    let is_added = |stage: &StageId| before.variant.value(*stage) != after.variant.value(*stage);
    let offers: Vec<_> = filter.stages.iter().filter(|offer| is_added(&offer.id)).collect();
    if offers.is_empty() {
        return (text("lessons.way.local-title").to_owned(), text("lessons.way.local-text").to_owned());
    }
    let titles: Vec<_> = offers.iter().map(|offer| offer.id.stage().label()).collect();
    let reasons: Vec<_> =
        offers.iter().flat_map(|offer| [filled("lessons.way.reason", &[("reason", &offer.reason())]), offer.more().to_owned()]).collect();
    (titles.join(" + "), reasons.join("\n\n"))
}

/// Paragraphs as a string of a TOML file of several lines.
fn paragraphs(text: &str) -> String {
    let inside = |line: String| line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or_default().to_owned();
    let lines: Vec<_> = text.lines().map(|line| inside(toml_text(line))).collect();
    format!("\"\"\"\n{}\n\"\"\"", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{of_way, paragraphs};
    use crate::lessons::{Item, Needs, Part, Picture, read};
    use crate::{Autotuned, Candidate};
    use engine::{PictureRef, Target, Task};
    use kernels::filters;
    use kernels::filters::SettingExt as _;
    use kernels::filters::VariantExt as _;
    use model::{Channels, HostMemory, LocalSize, Setting, Variant};

    #[test]
    fn the_way_to_any_variant_is_a_lesson_without_a_fault() {
        for filter in filters::all() {
            for &channels in filter.channels {
                let spec = filter.spec(channels, filter.default_border);
                let host_memory = HostMemory::Map;
                let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory };
                let like = Task { spec: spec.clone(), ..Task::new(PictureRef::generated((31, 17), channels), target) };
                let setting = Setting::of(&spec);
                let variants = Variant::all(filter, setting);
                // The one with the longest name has the most stages.
                let Some(variant) = variants.into_iter().max_by_key(|variant| variant.to_string().len()) else { continue };
                let best = Candidate { variant, local: LocalSize::Explicit([64, 2]) };
                let path = Autotuned { best: Some(best), ..Autotuned::default() }.path(filter, setting, &[]);
                let text = of_way(&like, Needs::Gpu, &path, best).expect("there are steps");
                let lesson = read(&text).unwrap_or_else(|faults| panic!("{}: {faults:?}\n{text}", filter.name()));
                let end = lesson.screens.last().expect("there");
                let shown = end.show.as_ref().expect("it shows");
                assert_eq!((end.part, shown.variant, shown.local, &shown.spec), (Part::End, variant, LocalSize::Explicit([64, 2]), &spec));
                assert_eq!(lesson.screens.len(), path.iter().filter(|step| step.pair.is_ok()).count() + 1, "{text}");
                assert!(lesson.screens.iter().all(|screen| screen.item == Some(Item::Predict)));
                assert_eq!((shown.memory, shown.against.map(|against| against.memory)), (host_memory, Some(host_memory)));
                assert_eq!((lesson.device, shown.picture), (Needs::Gpu, Some(Picture::Generated([31, 17]))));
            }
        }
    }

    #[test]
    fn one_step_is_all_and_none_is_no_lesson() {
        let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        let like = Task::new(PictureRef::generated((31, 17), Channels::Rgb), target);
        let text = |local| {
            let best = Candidate { local, ..Candidate::naive() };
            let path = Autotuned { best: Some(best), ..Autotuned::default() }.path(like.filter(), like.setting(), &[]);
            of_way(&like, Needs::Any, &path, best)
        };
        assert_eq!(text(LocalSize::Driver), None);
        let lesson = read(&text(LocalSize::Explicit([64, 2])).expect("a step")).expect("no fault");
        assert_eq!(lesson.screens.iter().map(|screen| screen.part).collect::<Vec<_>>(), [Part::Middle]);
    }

    #[test]
    fn what_a_string_of_toml_must_not_have_is_escaped() {
        for text in ["a \"b\"\"\"\n\nc\\n", "\"", ""] {
            let table: toml::Table = format!("text = {}", paragraphs(text)).parse().expect("TOML");
            assert_eq!(table["text"].as_str().map(str::trim_end), Some(text));
        }
    }
}
