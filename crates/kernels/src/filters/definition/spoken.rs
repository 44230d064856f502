//! The texts of a folder.

use super::DEFINITION;
use super::ladders::ladder_stem;
use super::read::Reader;
use super::rows::{FilterRow, LadderRow, TextsRow};
use base::texts::{self, Language, meant};
use std::collections::BTreeMap;
use toml::Spanned;

impl Reader<'_> {
    /// Notes a text. Where the folder says nothing, there is one in English, which the other language has then, too.
    fn speak(&mut self, language: Language, key: String, text: Option<&String>, or: &str) {
        let or = (language == Language::English && !or.is_empty()).then_some(or);
        self.texts.extend(text.map(String::as_str).or(or).map(|text| (language, key, text.to_owned())));
    }

    /// The texts of the filter, its parameters and stages. What has none gets its name, or a sentence that says so.
    pub(super) fn texts(&mut self, row: &FilterRow, spoken: &Spoken) {
        let name = self.folder.name;
        for (language, given) in spoken {
            self.turn_to(&texts_file(*language));
            self.hold_names(given, row);
            if self.is_built_in() {
                // They are among the program's texts.
                continue;
            }
            let (language, untold) = (*language, untold(*language));
            self.speak(language, format!("filters.{name}.label"), given.label.as_ref(), name);
            self.speak(language, format!("filters.{name}.summary"), given.summary.as_ref(), name);
            self.speak(language, format!("filters.{name}.formula"), given.formula.as_ref(), "");
            for parameter in &row.parameters {
                let of = parameter.name.get_ref();
                let key = self.parameter_key(of);
                self.speak(language, key, named(&given.parameter, of), of);
            }
            for stage in &row.stages {
                let of = stage.name.get_ref();
                let texts = named(&given.stage, of);
                let is_own = stage.define.is_some();
                let key = if is_own { format!("stages.{of}") } else { format!("stages.{of}.{name}") };
                if is_own {
                    self.speak(language, format!("{key}.label"), texts.and_then(|texts| texts.label.as_ref()), of);
                }
                if is_own || texts.is_some_and(|texts| texts.reason.is_some()) {
                    self.speak(language, format!("{key}.reason"), texts.and_then(|texts| texts.reason.as_ref()), untold);
                    self.speak(language, format!("{key}.more"), texts.and_then(|texts| texts.more.as_ref()), &format!("{untold}."));
                }
                let rule = format!("rules.reason.{}", self.rule_key(of));
                self.speak(language, rule, texts.and_then(|texts| texts.rule.as_ref()), untold);
            }
            for (key, text) in &given.rule {
                self.speak(language, format!("rules.reason.{}", self.own_reason(key.get_ref())), Some(text), "");
            }
        }
        self.turn_to(DEFINITION);
    }

    /// A text of what there is not is a slip.
    fn hold_names(&mut self, given: &TextsRow, row: &FilterRow) {
        let parameters: Vec<&str> = row.parameters.iter().map(|parameter| parameter.name.get_ref().as_str()).collect();
        let stages: Vec<&str> = row.stages.iter().map(|stage| stage.name.get_ref().as_str()).collect();
        let ladders: Vec<String> = self.ladder_files().map(|name| ladder_stem(name).to_owned()).collect();
        let ladders: Vec<&str> = ladders.iter().map(String::as_str).collect();
        let of_parameters = given.parameter.keys().map(|name| (name, &parameters));
        let of_stages = given.stage.keys().map(|name| (name, &stages));
        let of_ladders = given.ladder.keys().map(|name| (name, &ladders));
        for (name, known) in of_parameters.chain(of_stages).chain(of_ladders) {
            if !known.contains(&name.get_ref().as_str()) {
                let remedy = meant(name.get_ref(), known.iter().copied());
                self.tell(name.span().start, "catalog.fault.text-of-nothing", &[("name", name.get_ref())], remedy);
            }
        }
    }

    pub(super) fn ladder_texts(&mut self, (name, stem): (&str, &str), row: &LadderRow, spoken: &Spoken) {
        for (language, given) in spoken {
            let (language, own, untold) = (*language, named(&given.ladder, stem), untold(*language));
            self.speak(language, format!("ladders.{name}.label"), own.and_then(|own| own.label.as_ref()), name);
            self.speak(language, format!("ladders.{name}.source"), own.and_then(|own| own.source.as_ref()), untold);
            let device = texts::find_in(language, "catalog.device").map(str::to_owned);
            let device = own.and_then(|own| own.device.as_ref()).or(device.as_ref());
            self.speak(language, format!("ladders.{name}.device"), device, "");
            for step in &row.steps {
                let key = step.key.get_ref();
                let texts = own.and_then(|own| named(&own.step, key));
                self.speak(language, format!("ladders.{name}.step.{key}.label"), texts.and_then(|texts| texts.label.as_ref()), key);
                self.speak(language, format!("ladders.{name}.step.{key}.why"), texts.and_then(|texts| texts.why.as_ref()), untold);
            }
        }
    }
}

/// What a folder says in each language.
pub(super) type Spoken = [(Language, TextsRow); 2];

/// Whether it says of a shared stage why one would switch it on here.
pub(super) fn has_reason(spoken: &Spoken, stage: &str) -> bool {
    spoken.iter().any(|(_, given)| named(&given.stage, stage).is_some_and(|texts| texts.reason.is_some()))
}

/// Whether it gives this reason.
pub(super) fn has_rule(spoken: &Spoken, key: &str) -> bool {
    spoken.iter().any(|(_, given)| named(&given.rule, key).is_some())
}

/// What stands under a name.
fn named<'a, T>(rows: &'a BTreeMap<Spanned<String>, T>, name: &str) -> Option<&'a T> {
    rows.iter().find(|(known, _)| known.get_ref() == name).map(|(_, row)| row)
}

/// What is said where a folder says nothing.
fn untold(language: Language) -> &'static str {
    texts::find_in(language, "catalog.untold").unwrap_or_default()
}

pub(super) fn texts_file(language: Language) -> String {
    format!("texts.{}.toml", language.code())
}
