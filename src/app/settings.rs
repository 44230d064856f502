//! What outlives the window: choices and looks, apart from what one session sees.

use super::compiled_panel::CompiledSettings;
use super::editing::Draft;
use super::lessons_panel::CourseSettings;
use super::pictures::PicturesSettings;
use super::source_panel::SourceSettings;
use super::timings::TimingsSettings;
use super::workspace::Workspaces;
use base::texts::{Language, text};
use kernels::filters::Filter;
use kernels::filters::FilterIdExt;
use kernels::filters::SettingExt;
use kernels::filters::VariantExt;
use model::{Channels, CpuEngine, FilterId, HostMemory, LocalSize, Setting, Spec, Variant};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// All that is saved. Every field has a default, so that settings of an older version still load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "switches that a person turns one by one")]
pub struct Settings {
    /// What is computed.
    pub choice: Choice,
    /// The name of the device that was chosen last; `None` for the best one there is.
    pub device: Option<String>,
    /// A CPU competitor that computes instead of a device.
    pub cpu: Option<CpuEngine>,
    /// The ladder that is being climbed.
    pub ladder: Option<LadderPlace>,
    /// Count the hands of a class instead of one person's guess.
    pub asks_class: bool,
    /// Predictions are not kept.
    pub forgets_predictions: bool,
    /// No step of an earlier session is asked about at the start.
    pub never_recalls: bool,
    /// Lessons that somebody wrote, and how far each one is.
    pub course: CourseSettings,
    /// Recent files, the newest first.
    pub recent: Vec<PathBuf>,
    /// Light, dark or the system's.
    pub theme: Theme,
    /// Figures do not move by themselves.
    pub is_still: bool,
    /// The program opens in the Lab.
    pub opens_lab: bool,
    /// The language that was chosen; `None`: the locale's.
    pub language: Option<Language>,
    /// Which workspace is shown, and how they are arranged.
    pub workspaces: Workspaces,
    /// The picture panel's own.
    pub pictures: PicturesSettings,
    /// The timing panel's own.
    pub timings: TimingsSettings,
    /// The source panel's own.
    pub source: SourceSettings,
    /// Kernels that the person edits, the one typed in last first.
    pub drafts: Vec<Draft>,
    /// Those of filters whose folders are not there now: they come back with them.
    pub drafts_elsewhere: Vec<Value>,
    /// The panel of compiled code's own.
    pub compiled: CompiledSettings,
    /// The folder that exports are written into without a dialog; empty asks each time.
    pub export_folder: String,
    /// What the person wants to be called in files for a teacher; empty for the machine's label.
    pub teacher_alias: String,
    /// Other machines whose devices are wanted, by the names that ssh knows, with commas or blanks between them.
    pub hosts: String,
    /// Show how long frames take, in this session.
    #[serde(skip)]
    pub show_frames: bool,
}

/// What is computed: everything but picture and device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Filter, parameters, channels and border mode.
    #[serde(flatten)]
    pub spec: Spec,
    /// Stages.
    pub variant: Variant,
    /// Local work size asked for.
    pub local: LocalSize,
    /// How the picture gets into the device's memory and back.
    #[serde(default)]
    pub host_memory: HostMemory,
}

impl Choice {
    /// The filter's row.
    #[must_use]
    pub fn filter(&self) -> &'static Filter {
        self.spec.filter.filter()
    }

    /// Channels, border mode and parameters, which decide with the variant what is allowed at all; [`super::state::State::setting`] adds the device.
    #[must_use]
    pub fn setting(&self) -> Setting {
        Setting::of(&self.spec)
    }
}

impl Default for Choice {
    /// The naive variant of the first filter, as its ladder begins.
    fn default() -> Self {
        let filter = FilterId::default().filter();
        Self {
            spec: filter.spec(Channels::Rgb, filter.default_border),
            variant: Variant::naive(),
            local: LocalSize::Driver,
            host_memory: HostMemory::Copy,
        }
    }
}

/// Where on which ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LadderPlace {
    /// The ladder's name.
    pub name: String,
    /// The step, from 0.
    pub step: usize,
}

/// What computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The OpenCL device of this [`engine::device::DeviceInfo::index`].
    Device(usize),
    /// A CPU competitor.
    Cpu(CpuEngine),
}

/// Light, dark or the system's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Theme {
    /// As the desktop says; dark where it says nothing.
    #[default]
    System,
    /// Dark text on light ground.
    Light,
    /// Light text on dark ground.
    Dark,
}

impl Theme {
    /// All, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// As in the menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::System => "window.theme.system",
            Self::Light => "window.theme.light",
            Self::Dark => "window.theme.dark",
        })
    }
}

impl From<Theme> for egui::ThemePreference {
    fn from(theme: Theme) -> Self {
        match theme {
            Theme::System => Self::System,
            Theme::Light => Self::Light,
            Theme::Dark => Self::Dark,
        }
    }
}

/// Most recent files that are kept.
const MAX_RECENT: usize = 8;

impl Settings {
    /// Settings out of saved text. What in it is damaged, or of another version, is left at its default, and told.
    #[must_use]
    pub fn load(text: &str) -> (Self, Option<String>) {
        let known = of_known_filters(text);
        let text = known.as_deref().unwrap_or(text);
        let (mut settings, error) = match serde_json::from_str::<Self>(text) {
            Ok(settings) => (settings, None),
            Err(error) => (Self::of_sound_fields(text), Some(error.to_string())),
        };
        // A person can edit the file, and rules may have changed since it was written.
        let choice = &mut settings.choice;
        let filter = choice.filter();
        choice.variant = choice.variant.fitted(filter, choice.setting()).variant;
        choice.spec.parameters = filter.complete_or_defaults(&choice.spec.parameters);
        settings.pictures = settings.pictures.in_range();
        settings.drafts = settings.drafts.into_iter().map(Draft::with_known_origin).collect();
        (settings, error)
    }

    /// Of each field that can be read by itself.
    fn of_sound_fields(text: &str) -> Self {
        let mut sound = Map::new();
        for (key, value) in serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default() {
            let one = Map::from_iter([(key.clone(), value.clone())]);
            if Self::deserialize(Value::Object(one)).is_ok() {
                sound.insert(key, value);
            }
        }
        Self::deserialize(Value::Object(sound)).unwrap_or_default()
    }

    /// As text to save.
    #[must_use]
    pub fn to_text(&self) -> String {
        // Plain data with string keys always serializes; an empty text loads as the defaults.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// [`Settings::hosts`], one by one, each once.
    #[must_use]
    pub fn host_list(&self) -> Vec<String> {
        let mut hosts: Vec<String> = Vec::new();
        for host in self.hosts.split(|letter: char| letter == ',' || letter.is_whitespace()).filter(|host| !host.is_empty()) {
            if !hosts.iter().any(|known| known == host) {
                hosts.push(host.to_owned());
            }
        }
        hosts
    }

    /// The same with these machines, too.
    #[must_use]
    pub fn with_hosts(self, hosts: &[String]) -> Self {
        if hosts.is_empty() {
            return self;
        }
        let all = Self { hosts: [self.hosts.as_str(), &hosts.join(",")].join(","), ..self };
        Self { hosts: all.host_list().join(", "), ..all }
    }

    /// Puts `path` first among the recent files.
    pub fn remember(&mut self, path: PathBuf) {
        self.recent.retain(|other| *other != path);
        self.recent.insert(0, path);
        self.recent.truncate(MAX_RECENT);
    }
}

/// Saved settings about the filters that there are: what is of a filter of the person's own becomes that of its definition as it is now; where its folder is
/// not there, another filter is chosen, and its drafts wait. `None` where the text is no object.
fn of_known_filters(text: &str) -> Option<String> {
    let mut saved: Map<String, Value> = serde_json::from_str(text).ok()?;
    // By its name alone: the definition may have changed since.
    let renew = |place: Option<&mut Value>| -> bool {
        let Some(Value::String(full)) = place else { return true };
        let Some((name, _)) = full.split_once('@') else { return true };
        let now = name.parse::<FilterId>().ok();
        now.map(|id| *full = String::from(id)).is_some()
    };
    let is_chosen_there = renew(saved.get_mut("choice").and_then(|choice| choice.get_mut("filter")));
    if !is_chosen_there {
        saved.remove("choice");
    }
    let taken = |saved: &mut Map<String, Value>, key: &str| match saved.remove(key) {
        Some(Value::Array(drafts)) => drafts,
        _ => Vec::new(),
    };
    let drafts = taken(&mut saved, "drafts").into_iter().chain(taken(&mut saved, "drafts_elsewhere"));
    let (mut here, mut elsewhere) = (Vec::new(), Vec::new());
    for mut draft in drafts {
        if renew(draft.pointer_mut("/of/filter")) { &mut here } else { &mut elsewhere }.push(draft);
    }
    for (key, drafts) in [("drafts", here), ("drafts_elsewhere", elsewhere)] {
        if !drafts.is_empty() {
            saved.insert(key.to_owned(), Value::Array(drafts));
        }
    }
    serde_json::to_string(&saved).ok()
}

#[cfg(test)]
mod tests {
    use super::{LadderPlace, Settings, Theme};
    use crate::app::workspace::Workspace;
    use base::texts::Language;
    use model::Variant;

    #[test]
    fn machines_are_taken_apart() {
        let of = |hosts: &str| Settings { hosts: hosts.to_owned(), ..Settings::default() }.host_list();
        assert_eq!(of(" lab-pc, pi@board  lab-pc,,"), ["lab-pc", "pi@board"]);
        assert!(of("").is_empty() && of(" , ").is_empty());
        let with = |hosts: &str, more: &[&str]| {
            let more: Vec<String> = more.iter().map(|&host| host.to_owned()).collect();
            Settings { hosts: hosts.to_owned(), ..Settings::default() }.with_hosts(&more).hosts
        };
        assert_eq!([with("", &["lab"]), with("a b", &["lab", "a"]), with("a b", &[])], ["lab", "a, b, lab", "a b"]);
    }

    #[test]
    fn settings_survive_saving() {
        let mut settings = Settings { theme: Theme::Light, language: Some(Language::Chinese), ..Settings::default() };
        settings.choice.variant = Variant::parse("padded+vectorize=4").expect("known");
        settings.ladder = Some(LadderPlace { name: "mali-t600".into(), step: 2 });
        settings.remember("a.png".into());
        assert_eq!(Settings::load(&settings.to_text()), (settings, None));
    }

    #[test]
    fn what_is_of_a_filter_that_is_not_there_waits_for_it() {
        let draft = r#"{"of":{"filter":"gone@1a2b","channels":"gray","border":"copy","variant":"own-stage"},"text":"kernel"}"#;
        let text = format!(r#"{{"choice":{{"filter":"gone@1a2b"}},"theme":"Light","drafts":[{draft}]}}"#);
        let (settings, error) = Settings::load(&text);
        assert_eq!((settings.theme, settings.choice.filter().name(), error), (Theme::Light, "laplace", None));
        assert!(settings.drafts.is_empty() && settings.drafts_elsewhere.len() == 1);
        let again = Settings::load(&settings.to_text());
        assert_eq!(again, (settings, None), "it is kept however often it is saved");
    }

    #[test]
    fn damaged_settings_fall_back_and_say_so() {
        for text in ["", "{", "7", r#"{"theme":"pink"}"#, r#"{"choice":{"filter":"none"}}"#] {
            let (settings, error) = Settings::load(text);
            assert_eq!(settings, Settings::default(), "{text}");
            assert!(error.is_some(), "{text}");
        }
    }

    #[test]
    fn a_damaged_setting_costs_no_other_one() {
        let mut saved: serde_json::Value =
            serde_json::from_str(&Settings { hosts: "lab1".into(), ..Settings::default() }.to_text()).expect("text");
        saved["theme"] = serde_json::json!("of a newer version");
        let (read, error) = Settings::load(&saved.to_string());
        assert_eq!((read.hosts.as_str(), read.theme), ("lab1", Theme::default()));
        assert!(error.is_some());
    }

    #[test]
    fn a_damaged_layout_costs_no_other_setting() {
        let settings = Settings { theme: Theme::Light, ..Settings::default() };
        let mut saved = serde_json::to_value(&settings).expect("plain data");
        saved["workspaces"] = serde_json::json!({ "now": "Tune", "arranged": { "Tune": { "root": 1 } } });
        // What a version without tiles had in its place.
        saved["tab"] = serde_json::json!("Source");
        let (read, error) = Settings::load(&saved.to_string());
        assert_eq!((read.theme, read.workspaces.now, error), (Theme::Light, Workspace::Tune, None));
        assert_eq!(read.workspaces.arrangement(1280.0), Workspace::Tune.arrangement(1280.0));
    }

    #[test]
    fn a_variant_that_is_not_allowed_any_more_is_fitted() {
        let text = Settings::default().to_text().replace("\"naive\"", "\"merged\"");
        assert_eq!(Settings::load(&text).0.choice.variant, Variant::naive());
    }

    #[test]
    fn recent_files_are_few_unique_and_newest_first() {
        let mut settings = Settings::default();
        for name in ["a", "b", "a", "c", "d", "e", "f", "g", "h", "i"] {
            settings.remember(name.into());
        }
        assert_eq!(settings.recent.first().map(|path| path.to_string_lossy().into_owned()).as_deref(), Some("i"));
        assert_eq!(settings.recent.len(), 8);
    }
}
