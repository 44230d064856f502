//! From a folder's texts to a filter, or to everything that is wrong with them.

use super::launch::{Asked, Footprint, Launching, Names, OF_PICTURE, PassOf};
use super::rows::{FilterRow, FootprintRow, LadderRow, PassRow, StageRow, StepRow, TextsRow, Written};
use super::{DEFINITION, Folder, Misfit};
use crate::expr::Expr;
use crate::fault::{Fault, say};
use crate::filters::VariantExt;
use crate::filters::{self, Claim, Figures, Filter, Ladder, Offer, Parameter, Reference, Rule, Says, Step, exact, no_defines};
use crate::model::{BorderMode, Channels, FilterId, OwnStage, Parameters, Reach, STAGES, Setting, StageId, Variant, reserve};
use crate::schedule::{Pass, Shape, Trace};
use crate::source;
use crate::texts::{self, Language, meant};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::sync::{PoisonError, RwLock};
use toml::Spanned;

/// Makes the filter of a folder the newest one of its name. The same folder again brings the same filter.
///
/// # Errors
/// Everything that is wrong with it. Nothing of it is brought then, but for what its own stages are called in kernels, where those are wrong alone.
pub fn bring(folder: &Folder) -> Result<&'static Filter, Vec<Misfit>> {
    let mut reader = Reader::of(folder);
    let found = reader.filter();
    match found.filter(|_| reader.misfits.is_empty()) {
        Some(filter) => {
            BROUGHT.write().unwrap_or_else(PoisonError::into_inner).insert(filter.id, folder.clone());
            Ok(filter)
        }
        None => Err(reader.misfits),
    }
}

/// The folders of filters that were brought: other processes and machines are sent them.
static BROUGHT: RwLock<BTreeMap<FilterId, Folder>> = RwLock::new(BTreeMap::new());

/// The folder that a filter was made of.
#[must_use]
pub fn folder_of(id: FilterId) -> Option<Folder> {
    BROUGHT.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
}

/// So many variants of each setting are composed when a folder is read; what is wrong with others is told when they are chosen.
const MOST_COMPOSED: usize = 50;

/// More is not told: nobody mends so much before reading the folder again.
const MOST_MISFITS: usize = 50;

struct Reader<'a> {
    folder: &'a Folder,
    /// The file that is being read.
    file: String,
    text: &'a str,
    misfits: Vec<Misfit>,
    /// What is brought once nothing is wrong.
    texts: Vec<(Language, String, String)>,
    stages: Vec<OwnStage>,
}

/// A definition that was read and is not brought yet.
struct Defined {
    channels: Vec<Channels>,
    borders: Vec<BorderMode>,
    output: Option<Channels>,
    parameters: Vec<Parameter>,
    offers: Vec<Offer>,
    rules: Vec<(StageId, Rule)>,
    tolerance: Option<Expr>,
    sums: Option<[Expr; 2]>,
    kernel_file: &'static str,
    launching: Launching,
}

fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl<'a> Reader<'a> {
    fn of(folder: &'a Folder) -> Self {
        let text = folder.file(DEFINITION).unwrap_or_default();
        Self { folder, file: DEFINITION.to_owned(), text, misfits: Vec::new(), texts: Vec::new(), stages: Vec::new() }
    }

    fn fault(&mut self, fault: Fault) {
        if self.misfits.len() < MOST_MISFITS {
            self.misfits.push(Misfit { file: self.file.clone(), fault });
        }
    }

    fn tell(&mut self, byte: usize, why: &'static str, values: &[(&str, &dyn Display)], remedy: String) {
        self.fault(Fault::at(self.text, byte, say(why, values), remedy));
    }

    fn told(&mut self, byte: usize, why: &'static str, values: &[(&str, &dyn Display)], remedy: &'static str) {
        self.tell(byte, why, values, say(remedy, &[]));
    }

    fn parsed<T: DeserializeOwned>(&mut self) -> Option<T> {
        toml::from_str(self.text).map_err(|error| self.fault(Fault::of_toml(self.text, &error))).ok()
    }

    fn filter(&mut self) -> Option<&'static Filter> {
        let folder = self.folder;
        let name = folder.name.as_str();
        let is_name = name.starts_with(|letter: char| letter.is_ascii_lowercase())
            && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
            && name.len() <= 40;
        if !is_name {
            self.told(0, "catalog.fault.name", &[("name", &name)], "catalog.fault.rename");
        } else if FilterId::BUILT_IN.iter().any(|id| id.name() == name) {
            self.told(0, "catalog.fault.built-in", &[("name", &name)], "catalog.fault.rename");
        }
        let row: FilterRow = self.parsed()?;
        let spoken = Language::ALL.map(|language| (language, self.spoken(language)));
        let defined = self.defined(&row, &spoken)?;
        self.texts(&row, &spoken);
        if !self.misfits.is_empty() {
            return None;
        }
        self.brought(defined, &spoken)
    }

    /// What the folder says in a language.
    fn spoken(&mut self, language: Language) -> TextsRow {
        self.turn_to(&texts_file(language));
        let spoken = if self.text.is_empty() { None } else { self.parsed() };
        self.turn_to(DEFINITION);
        spoken.unwrap_or_default()
    }

    /// What is told from here on is of that file.
    fn turn_to(&mut self, file: &str) {
        (self.file, self.text) = (file.to_owned(), self.folder.file(file).unwrap_or_default());
    }

    /// Holds the kernels to the definition, and puts everything in its place.
    fn brought(&mut self, defined: Defined, spoken: &Spoken) -> Option<&'static Filter> {
        let folder = self.folder;
        let is_kernel = |(name, _): &&(String, String)| !is_of(name, "toml");
        let files: Vec<_> = folder.files.iter().filter(is_kernel).map(|(name, text)| (leaked(name), leaked(text))).collect();
        let Defined { channels, borders, output, parameters, offers, rules, tolerance, sums, kernel_file, launching } = defined;
        let ladders = self.ladders(&channels, &borders, spoken);
        if !self.misfits.is_empty() {
            return None;
        }
        for stage in &self.stages {
            crate::model::bring(stage);
        }
        let launching: &'static Launching = Box::leak(Box::new(launching));
        let default_border = borders.first().copied().unwrap_or(BorderMode::Replicate);
        let unnamed = Filter {
            id: FilterId::NOT_BROUGHT,
            kernel_file,
            files: Vec::leak(files),
            ladders: &[],
            stages: Vec::leak(offers),
            rules: Vec::leak(rules),
            channels: Vec::leak(channels),
            output_channels: output,
            borders: Vec::leak(borders),
            parameters: Vec::leak(parameters),
            default_border,
            reach: Box::leak(Box::new(|parameters: &Parameters| Reach::around(launching.reach_px(parameters)))),
            sum_range: match sums {
                // What nobody told fits nowhere.
                None => &|_| i32::MIN..=i32::MAX,
                Some([low, high]) => Box::leak(Box::new(move |parameters: &Parameters| {
                    let value = |expr: &Expr| expr.value(&|name| launching.names.parameter(parameters, name)).unwrap_or(f64::MAX);
                    value(&low).floor() as i32..=value(&high).ceil() as i32
                })),
            },
            tolerance: match tolerance {
                None => &exact,
                Some(tolerance) => Box::leak(Box::new(move |variant: &Variant| {
                    tolerance.value(&|name| launching.names.stage(variant, name)).unwrap_or(0.0).clamp(0.0, 255.0) as u8
                })),
            },
            defines: &no_defines,
            inlines: |_| false,
            launch: Box::leak(Box::new(|shape: &Shape| launching.launch(shape))),
            accesses: Box::leak(Box::new(|trace: &mut Trace| launching.describe(trace))),
            reference: Reference::Naive,
            drawing: |_| Vec::new(),
            conditional: None,
            cpu: None,
        };
        self.hold_kernels(&unnamed, launching);
        if !self.misfits.is_empty() {
            return None;
        }
        for (language, key, text) in &self.texts {
            texts::bring(*language, key, text);
        }
        let filter = filters::bring(&folder.name, &folder.hash(), |id| {
            let ladders = ladders.into_iter().map(|ladder| Ladder { filter: id, ..ladder });
            Filter { id, ladders: Vec::leak(ladders.collect()), ..unnamed }
        });
        if filter.is_none() {
            self.told(0, "catalog.fault.many", &[], "catalog.fault.restart");
        }
        filter
    }

    /// Composes the kernels of the first variants in every setting, and counts their arguments.
    fn hold_kernels(&mut self, filter: &Filter, launching: &Launching) {
        let defaults = filter.defaults();
        for &channels in filter.channels {
            for &border in filter.borders {
                let setting = Setting::new(channels, border);
                for variant in Variant::all(filter, setting).into_iter().take(MOST_COMPOSED) {
                    let text = match source::compose(filter, &variant, setting, &defaults) {
                        Ok(text) => text,
                        Err(error) => return self.kernel_fault(filter.kernel_file, &error.why),
                    };
                    let shape = Shape { variant: &variant, setting, parameters: &defaults, width_px: 64, height_px: 64 };
                    for pass in launching.launch(&shape).passes {
                        if !self.hold_arguments(&pass, &text, &filter.file_of(&variant)) {
                            return;
                        }
                    }
                }
            }
        }
    }

    fn hold_arguments(&mut self, pass: &Pass, text: &str, file: &str) -> bool {
        let (given, kernel) = (pass.arguments.len(), pass.kernel);
        match arguments_of(text, kernel) {
            Some(taken) if taken == given => true,
            Some(taken) => {
                let values: [(&str, &dyn Display); 3] = [("kernel", &kernel), ("taken", &taken), ("given", &given)];
                self.told(self.byte_of(kernel), "catalog.fault.arguments", &values, "catalog.fault.write-arguments");
                false
            }
            None => {
                let values: [(&str, &dyn Display); 2] = [("kernel", &kernel), ("file", &file)];
                self.told(self.byte_of(kernel), "catalog.fault.no-kernel", &values, "catalog.fault.write-kernel");
                false
            }
        }
    }

    /// Where the definition first has this word in quotes.
    fn byte_of(&self, word: &str) -> usize {
        self.text.find(&format!("\"{word}\"")).unwrap_or(0)
    }

    /// What the resolver says, "emboss.cl:12: there is no file 'x.clh'", at that line.
    fn kernel_fault(&mut self, kernel_file: &str, sentence: &str) {
        let mut parts = sentence.splitn(3, ':');
        let (file, line) = (parts.next().unwrap_or_default(), parts.next().and_then(|line| line.parse().ok()));
        let (file, fault) = match line {
            Some(line) => {
                let why = parts.next().unwrap_or_default().trim().to_owned();
                (file.to_owned(), Fault { line, column: 1, why, remedy: say("catalog.fault.mend-kernel", &[]) })
            }
            None => (kernel_file.to_owned(), Fault { line: 0, column: 0, why: sentence.to_owned(), remedy: String::new() }),
        };
        self.misfits.push(Misfit { file, fault });
    }

    fn defined(&mut self, row: &FilterRow, spoken: &Spoken) -> Option<Defined> {
        if row.channels.get_ref().is_empty() {
            self.told(row.channels.span().start, "catalog.fault.no-channels", &[], "catalog.fault.write-channels");
        }
        let mut names = Names::default();
        let parameters = self.parameters(row, &mut names);
        let (offers, rules) = self.stages(row, spoken, &mut names);
        let kernel_file = match &row.kernel {
            Some(kernel) => kernel.get_ref().clone(),
            None => format!("{}.cl", self.folder.name),
        };
        if self.folder.file(&kernel_file).is_none() {
            let byte = row.kernel.as_ref().map_or(0, |kernel| kernel.span().start);
            let there = self.folder.files.iter().map(|(name, _)| name.as_str()).filter(|name| is_of(name, "cl"));
            self.tell(byte, "catalog.fault.no-file", &[("name", &kernel_file)], meant(&kernel_file, there));
        }
        let shape_names: Vec<String> =
            OF_PICTURE.into_iter().chain(names.of_parameters()).chain(names.of_stages()).map(str::to_owned).collect();
        let of_parameters: Vec<String> = names.of_parameters().map(str::to_owned).collect();
        let of_stages: Vec<String> = names.of_stages().map(str::to_owned).collect();
        let reach = row.reach.as_ref().map_or_else(|| Expr::number("0").ok(), |reach| self.number(reach, &of_parameters));
        let tolerance = row.tolerance.as_ref().and_then(|tolerance| self.number(tolerance, &of_stages));
        let sums = row.sums.as_ref().and_then(|[low, high]| Some([self.number(low, &of_parameters)?, self.number(high, &of_parameters)?]));
        let slack = row.slack.as_ref().and_then(|slack| self.number(slack, &shape_names));
        let surplus = row.surplus.as_ref().and_then(|surplus| self.number(surplus, &shape_names));
        let between: Vec<Expr> = row.between.iter().filter_map(|between| self.number(&between.bytes, &shape_names)).collect();
        if row.passes.is_empty() {
            self.told(0, "catalog.fault.no-pass", &[], "catalog.fault.write-pass");
        }
        let passes = row.passes.iter().filter_map(|pass| self.pass(pass, row, &shape_names)).collect();
        let footprints = row.footprints.iter().map(|footprint| self.footprint(footprint, &names)).collect();
        let borders = if row.borders.is_empty() { vec![BorderMode::Replicate] } else { row.borders.clone() };
        let launching = Launching { names, reach: reach?, slack, surplus, output: row.output, between, passes, footprints };
        let channels = row.channels.get_ref().clone();
        let (output, kernel_file) = (row.output, leaked(&kernel_file));
        Some(Defined { channels, borders, output, parameters, offers, rules, tolerance, sums, kernel_file, launching })
    }

    fn parameters(&mut self, row: &FilterRow, names: &mut Names) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for given in &row.parameters {
            let (name, byte) = (given.name.get_ref(), given.name.span().start);
            let is_taken = names.of_parameters().chain(OF_PICTURE).any(|known| known == name) || argument_words().any(|word| word == name);
            if is_taken || !is_identifier(name) {
                self.told(byte, "catalog.fault.parameter-name", &[("name", name)], "catalog.fault.rename-parameter");
            }
            let is_range = given.min < given.max && (given.min..=given.max).contains(&given.default) && given.step > 0.0;
            if !is_range {
                self.told(byte, "catalog.fault.range", &[("name", name)], "catalog.fault.write-range");
            }
            names.parameters.push((name.clone(), given.default));
            let (min, max, default, step) = (given.min, given.max, given.default, given.step);
            parameters.push(Parameter { name: leaked(name), min, max, default, step, is_whole: given.is_whole() });
        }
        parameters
    }

    fn stages(&mut self, row: &FilterRow, spoken: &Spoken, names: &mut Names) -> (Vec<Offer>, Vec<(StageId, Rule)>) {
        let mut offers: Vec<Offer> = Vec::new();
        for given in &row.stages {
            let Some(offer) = self.stage(given, spoken) else { continue };
            if offers.iter().any(|known| known.id == offer.id) {
                self.told(
                    given.name.span().start,
                    "catalog.fault.stage-twice",
                    &[("name", given.name.get_ref())],
                    "catalog.fault.leave-out",
                );
            }
            names.stages.push((given.name.get_ref().replace('-', "_"), offer.id));
            offers.push(offer);
        }
        let mut rules = Vec::new();
        for given in &row.stages {
            let Some(id) = stage_named(given.name.get_ref()) else { continue };
            let reason = leaked(&self.rule_key(given.name.get_ref()));
            for other in &given.needs {
                rules.extend(self.other_stage(other, &offers).map(|other| (id, Rule::needs(other, reason))));
            }
            for other in &given.excludes {
                rules.extend(self.other_stage(other, &offers).map(|other| (id, Rule::excludes(other, reason))));
            }
        }
        offers.sort_by_key(|offer| offer.id);
        (offers, rules)
    }

    fn rule_key(&self, stage: &str) -> String {
        format!("{}-{stage}", self.folder.name)
    }

    fn other_stage(&mut self, name: &Spanned<String>, offers: &[Offer]) -> Option<StageId> {
        let found = stage_named(name.get_ref()).filter(|id| offers.iter().any(|offer| offer.id == *id));
        if found.is_none() {
            let known: Vec<_> = offers.iter().map(|offer| offer.id.stage().name).collect();
            let remedy = meant(name.get_ref(), known.into_iter());
            self.tell(name.span().start, "catalog.fault.no-stage", &[("name", name.get_ref())], remedy);
        }
        found
    }

    /// One of the shared stages, or one of its own, which has a define.
    fn stage(&mut self, given: &StageRow, spoken: &Spoken) -> Option<Offer> {
        let (name, byte) = (given.name.get_ref().as_str(), given.name.span().start);
        let shared = STAGES.iter().find(|stage| stage.name == name);
        let values: Vec<String> = given.values.iter().map(|value| value.get_ref().text()).collect();
        let Some(define) = &given.define else {
            let Some(shared) = shared else {
                let remedy = format!("{}; {}", meant(name, STAGES.iter().map(|stage| stage.name)), say("catalog.fault.write-define", &[]));
                self.tell(byte, "catalog.fault.no-stage", &[("name", &name)], remedy);
                return None;
            };
            let mut known = Vec::new();
            for (written, value) in given.values.iter().zip(&values) {
                let found = shared.values.iter().find(|known| known.name == value);
                if found.is_none() {
                    let remedy = meant(value, shared.values.iter().map(|value| value.name));
                    self.tell(written.span().start, "catalog.fault.no-value", &[("name", &name), ("value", value)], remedy);
                }
                known.extend(found.map(|found| found.value));
            }
            let offer = if known.is_empty() { Offer::all(shared.id) } else { Offer::only(shared.id, Vec::leak(known)) };
            return Some(if has_reason(spoken, name) { offer.because(leaked(&self.folder.name)) } else { offer });
        };
        if shared.is_some() {
            self.told(define.span().start, "catalog.fault.shared-define", &[("name", &name)], "catalog.fault.leave-define");
            return None;
        }
        let is_name = is_identifier(&name.replace('-', "_")) && is_identifier(define.get_ref());
        let is_taken = STAGES.iter().any(|stage| stage.define == define.get_ref());
        if !is_name || is_taken {
            self.told(byte, "catalog.fault.stage-name", &[("name", &name)], "catalog.fault.rename-stage");
            return None;
        }
        let mut numbers = Vec::new();
        for (written, value) in given.values.iter().zip(&values) {
            match value.parse::<u8>().ok().filter(|value| *value > 0) {
                Some(number) if !numbers.contains(&number) => numbers.push(number),
                _ => self.told(written.span().start, "catalog.fault.own-value", &[("value", value)], "catalog.fault.write-value"),
            }
        }
        let (name, define, build_option) = (name.to_owned(), define.get_ref().clone(), given.build_option.clone());
        let own = OwnStage { name, define, values: numbers, build_option };
        let id = reserve(&own);
        if id.is_none() {
            self.told(byte, "catalog.fault.many-stages", &[], "catalog.fault.restart");
        }
        self.stages.push(own);
        id.map(Offer::all)
    }

    fn number(&mut self, written: &Spanned<Written>, known: &[String]) -> Option<Expr> {
        self.expression(&written.get_ref().text(), written.span().start, known, Expr::number)
    }

    fn expression(
        &mut self,
        text: &str,
        byte: usize,
        known: &[String],
        read: fn(&str) -> Result<Expr, crate::expr::Fault>,
    ) -> Option<Expr> {
        let read = read(text).and_then(|expr| expr.check(known.iter().map(String::as_str)).map(|()| expr));
        match read {
            Ok(expr) => Some(expr),
            Err(fault) => {
                // A text in quotes begins behind its quote; one that has signs written in another way is pointed at as a whole.
                let inside = self.text.get(byte + 1..).is_some_and(|rest| rest.starts_with(text));
                let before: usize = text.chars().take(fault.column.saturating_sub(1)).map(char::len_utf8).sum();
                let byte = if inside { byte + 1 + before } else { byte };
                self.fault(Fault::at(self.text, byte, fault.sentence, String::new()));
                None
            }
        }
    }

    fn pass(&mut self, pass: &PassRow, row: &FilterRow, known: &[String]) -> Option<PassOf> {
        let kernel = pass.kernel.get_ref();
        if !is_identifier(kernel) {
            self.told(pass.kernel.span().start, "catalog.fault.kernel-name", &[("name", kernel)], "catalog.fault.write-kernel");
        }
        let when = match &pass.when {
            Some(when) => Some(self.expression(when.get_ref(), when.span().start, known, Expr::parse)?),
            None => None,
        };
        let global = match &pass.global {
            Some([first, second]) => Some([self.number(first, known)?, self.number(second, known)?]),
            None => None,
        };
        let arguments = pass.arguments.get_ref().iter().filter_map(|argument| self.argument(argument, row, known)).collect();
        Some(PassOf { kernel: leaked(kernel), when, global, arguments })
    }

    fn argument(&mut self, argument: &Spanned<String>, row: &FilterRow, known: &[String]) -> Option<Asked> {
        let text = argument.get_ref().trim();
        if let Some(index) = row.between.iter().position(|between| between.name.get_ref() == text) {
            return Some(Asked::Between(index));
        }
        if let Some((_, asked)) = ARGUMENTS.iter().find(|(word, _)| *word == text) {
            return Some(asked.clone());
        }
        let (is_float, text) = text.strip_prefix("float ").map_or((false, text), |text| (true, text));
        let words: Vec<String> = known.iter().cloned().chain(argument_words().map(str::to_owned)).collect();
        let expr = self.expression(text, argument.span().start, &words, Expr::number)?;
        // A word of the list is a whole argument.
        if let Some((word, _)) = expr.names().find(|(name, _)| argument_words().any(|word| word == *name)) {
            let word = word.to_owned();
            self.told(argument.span().start, "catalog.fault.no-number", &[("name", &word)], "catalog.fault.write-arguments");
            return None;
        }
        let is_plain_float = row.parameters.iter().any(|parameter| parameter.name.get_ref() == text && !parameter.is_whole());
        Some(if is_float || is_plain_float { Asked::Float(expr) } else { Asked::Int(expr) })
    }

    fn footprint(&mut self, row: &FootprintRow, names: &Names) -> Footprint {
        let mut stages = Vec::new();
        for stage in &row.stages {
            let name = stage.get_ref().replace('-', "_");
            if let Some((_, id)) = names.stages.iter().find(|(known, _)| *known == name) {
                stages.push(*id);
            } else {
                let remedy = meant(stage.get_ref(), names.of_stages());
                self.tell(stage.span().start, "catalog.fault.no-stage", &[("name", stage.get_ref())], remedy);
            }
        }
        Footprint { stages, reads: row.reads.clone(), operations: row.operations }
    }

    /// Notes a text. Where the folder says nothing, there is one in English, which the other language has then, too.
    fn speak(&mut self, language: Language, key: String, text: Option<&String>, or: &str) {
        let or = (language == Language::English && !or.is_empty()).then_some(or);
        self.texts.extend(text.map(String::as_str).or(or).map(|text| (language, key, text.to_owned())));
    }

    /// The texts of the filter, its parameters and stages. What has none gets its name, or a sentence that says so.
    fn texts(&mut self, row: &FilterRow, spoken: &Spoken) {
        let name = self.folder.name.clone();
        for (language, given) in spoken {
            self.turn_to(&texts_file(*language));
            self.hold_names(given, row);
            let (language, untold) = (*language, untold(*language));
            self.speak(language, format!("filters.{name}.label"), given.label.as_ref(), &name);
            self.speak(language, format!("filters.{name}.summary"), given.summary.as_ref(), &name);
            self.speak(language, format!("filters.{name}.formula"), given.formula.as_ref(), "");
            for parameter in &row.parameters {
                let of = parameter.name.get_ref();
                self.speak(language, format!("filters.parameter.{of}"), named(&given.parameter, of), of);
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

    fn ladder_files(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let files = self.folder.files.iter().map(|(name, _)| name.as_str());
        files.filter(|name| name.starts_with("ladders/") && is_of(name, "toml"))
    }

    fn ladders(&mut self, channels: &[Channels], borders: &[BorderMode], spoken: &Spoken) -> Vec<Ladder> {
        let mut ladders = Vec::new();
        for file in self.ladder_files() {
            self.turn_to(file);
            let Some(row) = self.parsed::<LadderRow>() else { continue };
            let stem = ladder_stem(file);
            let name = if stem == self.folder.name { stem.to_owned() } else { format!("{}-{stem}", self.folder.name) };
            let (name, border) = (leaked(&name), row.border.or(borders.first().copied()).unwrap_or(BorderMode::Replicate));
            if !channels.contains(&row.channels) || !borders.contains(&border) {
                self.told(0, "catalog.fault.ladder-setting", &[("name", &name)], "catalog.fault.write-setting");
            }
            let steps: Vec<Step> = row.steps.iter().filter_map(|step| self.step(step, &row, name)).collect();
            self.ladder_texts((name, stem), &row, spoken);
            ladders.push(Ladder {
                name,
                filter: FilterId::default(),
                is_first: ladders.is_empty(),
                is_own: true,
                continues: None,
                channels: row.channels,
                border,
                sizes: Vec::new(),
                figures: Figures::default(),
                steps,
            });
        }
        self.turn_to(DEFINITION);
        ladders
    }

    fn step(&mut self, step: &StepRow, of: &LadderRow, ladder: &'static str) -> Option<Step> {
        let variant = Variant::parse(step.variant.get_ref());
        let variant = variant.map_err(|error| self.fault(Fault::at(self.text, step.variant.span().start, error.why, error.remedy))).ok()?;
        let given = [(&step.faster_than, Says::Faster), (&step.slower_than, Says::Slower), (&step.as_fast_as, Says::Same)];
        let mut claim = None;
        for (other, says) in given {
            let Some(other) = other else { continue };
            let against = of.steps.iter().position(|known| known.key.get_ref() == other.get_ref());
            if let Some(against) = against.filter(|_| other.get_ref() != step.key.get_ref()) {
                claim = Some(Claim { against, says, is_ours: true });
            } else {
                let known: Vec<&str> = of.steps.iter().map(|step| step.key.get_ref().as_str()).collect();
                let remedy = meant(other.get_ref(), known.into_iter());
                self.tell(other.span().start, "catalog.fault.no-step", &[("name", other.get_ref())], remedy);
            }
        }
        let key = step.key.get_ref().clone();
        Some(Step { key, ladder, variant, local: step.local, published: Vec::new(), claim, place: None, claim_sizes: Vec::new() })
    }

    fn ladder_texts(&mut self, (name, stem): (&str, &str), row: &LadderRow, spoken: &Spoken) {
        for (language, given) in spoken {
            let (language, own, untold) = (*language, named(&given.ladder, stem), untold(*language));
            self.speak(language, format!("ladders.{name}.label"), own.and_then(|own| own.label.as_ref()), name);
            self.speak(language, format!("ladders.{name}.source"), own.and_then(|own| own.source.as_ref()), untold);
            let device = texts::find_in(language, "catalog.device").map(str::to_owned);
            self.speak(language, format!("ladders.{name}.device"), device.as_ref(), "");
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
type Spoken = [(Language, TextsRow); 2];

/// Whether it says of a shared stage why one would switch it on here.
fn has_reason(spoken: &Spoken, stage: &str) -> bool {
    spoken.iter().any(|(_, given)| named(&given.stage, stage).is_some_and(|texts| texts.reason.is_some()))
}

/// What stands under a name.
fn named<'a, T>(rows: &'a BTreeMap<Spanned<String>, T>, name: &str) -> Option<&'a T> {
    rows.iter().find(|(known, _)| known.get_ref() == name).map(|(_, row)| row)
}

/// What is said where a folder says nothing.
fn untold(language: Language) -> &'static str {
    texts::find_in(language, "catalog.untold").unwrap_or_default()
}

/// The arguments that are no numbers, or that the picture's layout decides.
const ARGUMENTS: &[(&str, Asked)] = &[
    ("source", Asked::Source),
    ("source_origin", Asked::SourceOrigin),
    ("source_pitch", Asked::SourcePitch),
    ("destination", Asked::Destination),
    ("destination_pitch", Asked::DestinationPitch),
    ("tile", Asked::Tile),
];

fn argument_words() -> impl Iterator<Item = &'static str> + Clone {
    ARGUMENTS.iter().map(|(word, _)| *word)
}

fn texts_file(language: Language) -> String {
    format!("texts.{}.toml", language.code())
}

fn ladder_stem(file: &str) -> &str {
    file.trim_start_matches("ladders/").trim_end_matches(".toml")
}

/// Whether a file's name has this extension.
fn is_of(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|known| known == extension)
}

fn stage_named(name: &str) -> Option<StageId> {
    crate::model::stages().find(|stage| stage.name == name).map(|stage| stage.id)
}

fn is_identifier(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// How many arguments a kernel of a text takes; `None` where there is no such kernel.
fn arguments_of(text: &str, kernel: &str) -> Option<usize> {
    let bare = source::bare(text);
    let words = bare.replace('\n', " ");
    let begin = words.match_indices(kernel).find(|(at, _)| {
        let before = words.get(..*at).unwrap_or_default().trim_end();
        let after = words.get(at + kernel.len()..).unwrap_or_default().trim_start();
        after.starts_with('(') && before.ends_with("void")
    })?;
    let list = words.get(begin.0 + kernel.len()..)?.trim_start().strip_prefix('(')?;
    let end = list.find(')')?;
    let list = list.get(..end)?.trim();
    Some(if list.is_empty() || list == "void" { 0 } else { list.split(',').count() })
}
