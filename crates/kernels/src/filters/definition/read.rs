//! From a folder's texts to a filter, or to everything that is wrong with them.

use super::launch::{ArgumentOf, Asked, BetweenOf, BetweenSize, Cut, Footprint, Launching, PassOf, TileOf};
use super::names::{Names, Needs, Scope};
use super::rows::{BetweenRow, FilterRow, FootprintRow, PassRow, RuleRow, StageRow, TextsRow, TileRow, Written};
use super::spoken::{Spoken, has_reason, has_rule, texts_file};
use super::{DEFINITION, Definition, Files, Misfit};
use crate::filters::attached::Attached;
use crate::filters::{Condition, Filter, Offer, OutputSize, Parameter, Reference, Rule};
use crate::footprint::Trace;
use crate::launch::{Shape, Table};
use base::expr::Expr;
use base::fault::{Fault, say};
use base::texts::{self, Language, meant};
use model::{BorderMode, FilterId, OwnStage, Parameters, STAGES, Setting, Stage, StageId, Variant, reserve};
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;

/// More is not told: nobody mends so much before reading the folder again.
const MOST_MISFITS: usize = 50;

/// A definition names no more expressions: each may use those before it.
const MOST_LETS: usize = 64;

/// The name of the work-group's tile that every definition has.
const TILE: &str = "tile";

pub(super) struct Reader<'a> {
    pub folder: &'a Files<'a>,
    /// The filter's id and what is attached to it, where it came with the program.
    built_in: Option<(FilterId, &'static Attached)>,
    /// The file that is being read.
    file: String,
    pub text: &'a str,
    pub misfits: Vec<Misfit>,
    /// What is brought once nothing is wrong.
    pub texts: Vec<(Language, String, String)>,
    stages: Vec<OwnStage>,
    /// The tables that arguments may name.
    tables: Vec<Table>,
}

pub(super) fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl<'a> Reader<'a> {
    pub fn of(folder: &'a Files<'a>, built_in: Option<(FilterId, &'static Attached)>) -> Self {
        let text = folder.file(DEFINITION).unwrap_or_default();
        Self {
            folder,
            built_in,
            file: DEFINITION.to_owned(),
            text,
            misfits: Vec::new(),
            texts: Vec::new(),
            stages: Vec::new(),
            tables: Vec::new(),
        }
    }

    pub fn is_built_in(&self) -> bool {
        self.built_in.is_some()
    }

    /// The id of what is read; a person's filter gets one when it is brought.
    pub fn id(&self) -> FilterId {
        self.built_in.map_or(FilterId::NOT_BROUGHT, |(id, _)| id)
    }

    pub fn fault(&mut self, fault: Fault) {
        if self.misfits.len() < MOST_MISFITS {
            self.misfits.push(Misfit { file: self.file.clone(), fault });
        }
    }

    pub fn tell(&mut self, byte: usize, why: &'static str, values: &[(&str, &dyn Display)], remedy: String) {
        self.fault(Fault::at(self.text, byte, say(why, values), remedy));
    }

    pub fn told(&mut self, byte: usize, why: &'static str, values: &[(&str, &dyn Display)], remedy: &'static str) {
        self.tell(byte, why, values, say(remedy, &[]));
    }

    pub fn parsed<T: DeserializeOwned>(&mut self) -> Option<T> {
        toml::from_str(self.text).map_err(|error| self.fault(Fault::of_toml(self.text, &error))).ok()
    }

    pub fn read(mut self) -> Result<Definition, Vec<Misfit>> {
        match self.definition().filter(|_| self.misfits.is_empty()) {
            Some(definition) => Ok(definition),
            None => Err(self.misfits),
        }
    }

    fn definition(&mut self) -> Option<Definition> {
        let name = self.folder.name;
        let is_name = name.starts_with(|letter: char| letter.is_ascii_lowercase())
            && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
            && name.len() <= 40;
        if !is_name {
            self.told(0, "catalog.fault.name", &[("name", &name)], "catalog.fault.rename");
        } else if !self.is_built_in() && FilterId::BUILT_IN.iter().any(|id| id.name() == name) {
            self.told(0, "catalog.fault.built-in", &[("name", &name)], "catalog.fault.rename");
        }
        let row: FilterRow = self.parsed()?;
        let spoken = Language::ALL.map(|language| (language, self.spoken(language)));
        let (filter, launching) = self.filter(&row, &spoken)?;
        self.texts(&row, &spoken);
        let ladders = self.ladders(filter.channels, filter.borders, &spoken);
        let (texts, stages) = (std::mem::take(&mut self.texts), std::mem::take(&mut self.stages));
        Some(Definition { filter, launching, ladders, texts, stages })
    }

    /// What the folder says in a language.
    fn spoken(&mut self, language: Language) -> TextsRow {
        self.turn_to(&texts_file(language));
        let spoken = if self.text.is_empty() { None } else { self.parsed() };
        self.turn_to(DEFINITION);
        spoken.unwrap_or_default()
    }

    /// What is told from here on is of that file.
    pub fn turn_to(&mut self, file: &str) {
        (self.file, self.text) = (file.to_owned(), self.folder.file(file).unwrap_or_default());
    }

    fn filter(&mut self, row: &FilterRow, spoken: &Spoken) -> Option<(Filter, &'static Launching)> {
        if row.channels.get_ref().is_empty() {
            self.told(row.channels.span().start, "catalog.fault.no-channels", &[], "catalog.fault.write-channels");
        }
        let mut names = Names::default();
        let parameters = self.parameters(row, &mut names);
        let offers = self.stages(row, spoken, &mut names);
        self.lets(row, &mut names);
        let names = Arc::new(names);
        let rules = self.rules(row, spoken, &offers, &names);
        let (kernel_file, files) = self.kernels(row);
        let of_stages = names.where_known(Needs::STAGES);
        let tolerance = row.tolerance.as_ref().and_then(|tolerance| self.number(tolerance, &of_stages));
        let inline = self.condition(row.inline.as_ref(), &of_stages);
        let of_parameters = names.where_known(Needs::PARAMETERS);
        let sums = row.sums.as_ref().and_then(|[low, high]| Some([self.number(low, &of_parameters)?, self.number(high, &of_parameters)?]));
        let borders = if row.borders.is_empty() { vec![BorderMode::Replicate] } else { row.borders.clone() };
        let default_border = self.default_border(row, &borders);
        let launching = self.launching(row, &names)?;
        let launching: &'static Launching = Box::leak(Box::new(launching));
        let plain = Filter::nothing(self.id());
        let mut filter = Filter {
            kernel_file,
            files: Vec::leak(files),
            stages: Vec::leak(offers),
            rules: Vec::leak(rules),
            channels: Vec::leak(row.channels.get_ref().clone()),
            output_channels: row.output,
            is_whole: row.whole_picture,
            output_size: row.output_size.as_ref().map(|_| {
                let of: OutputSize = Box::leak(Box::new(|parameters: &Parameters, size_px| launching.output_size(parameters, size_px)));
                of
            }),
            borders: Vec::leak(borders),
            parameters: Vec::leak(parameters),
            default_border,
            reach: Box::leak(Box::new(|parameters: &Parameters| launching.reach(parameters))),
            defines: Box::leak(Box::new(|variant: &Variant, parameters: &Parameters| launching.defines(variant, parameters))),
            launch: Box::leak(Box::new(|shape: &Shape| launching.launch(shape))),
            footprint: Box::leak(Box::new(|trace: &mut Trace| launching.describe(trace))),
            ..plain
        };
        if let Some([low, high]) = sums {
            filter.sum_range = Box::leak(Box::new(move |parameters: &Parameters| {
                let scope = Scope::of_parameters(&launching.names, parameters);
                let value = |expr: &Expr| scope.of(expr).unwrap_or(f64::MAX);
                value(&low).floor() as i32..=value(&high).ceil() as i32
            }));
        }
        if let Some(tolerance) = tolerance {
            filter.tolerance = Box::leak(Box::new(move |variant: &Variant| {
                Scope::of_variant(&launching.names, variant).number(&tolerance).clamp(0.0, 255.0) as u8
            }));
        }
        if let Some(inline) = inline {
            filter.inlines = Box::leak(Box::new(move |variant: &Variant| Scope::of_variant(&launching.names, variant).holds(&inline)));
        }
        if let Some((_, attached)) = self.built_in {
            filter.reference = attached.reference.map_or(Reference::Naive, Reference::Rows);
            filter.footprint = attached.footprint.unwrap_or(filter.footprint);
            filter.drawing = attached.drawing;
            filter.conditional = attached.conditional;
            filter.cpu = attached.cpu;
        }
        Some((filter, launching))
    }

    /// The file that stages specialize, and the kernel files of the folder. Those of built-in filters are in `kernels/`, under the filter's name.
    fn kernels(&mut self, row: &FilterRow) -> (&'static str, Vec<(&'static str, &'static str)>) {
        let name = self.folder.name;
        let kernel_file = row.kernel.as_ref().map_or_else(|| format!("{name}.cl"), |kernel| kernel.get_ref().clone());
        if self.is_built_in() {
            return (leaked(&format!("{name}/{kernel_file}")), Vec::new());
        }
        if self.folder.file(&kernel_file).is_none() {
            let byte = row.kernel.as_ref().map_or(0, |kernel| kernel.span().start);
            let there = self.folder.files.iter().map(|(name, _)| *name).filter(|name| is_of(name, "cl"));
            self.tell(byte, "catalog.fault.no-file", &[("name", &kernel_file)], meant(&kernel_file, there));
        }
        let is_kernel = |(name, _): &&(&str, &str)| !is_of(name, "toml");
        let files = self.folder.files.iter().filter(is_kernel).map(|(name, text)| (leaked(name), leaked(text))).collect();
        (leaked(&kernel_file), files)
    }

    fn default_border(&mut self, row: &FilterRow, borders: &[BorderMode]) -> BorderMode {
        let first = borders.first().copied().unwrap_or(BorderMode::Replicate);
        let Some(given) = &row.default_border else { return first };
        if !borders.contains(given.get_ref()) {
            let known: Vec<&str> = borders.iter().map(|border| border.name()).collect();
            let name = given.get_ref().name();
            self.tell(given.span().start, "catalog.fault.no-border", &[("name", &name)], meant(name, known.into_iter()));
        }
        *given.get_ref()
    }

    fn launching(&mut self, row: &FilterRow, names: &Arc<Names>) -> Option<Launching> {
        let of_parameters = names.where_known(Needs::PARAMETERS);
        let known = names.where_known(Needs::ALL);
        let reach = row.reach.as_ref().map_or_else(|| Expr::number("0").ok(), |reach| self.number(reach, &of_parameters));
        let reach_before = row.reach_before.as_ref().and_then(|reach| self.number(reach, &of_parameters));
        let [slack, slack_rows, shift, surplus] = [&row.slack, &row.slack_rows, &row.shift, &row.surplus]
            .map(|given| given.as_ref().and_then(|given| self.number(given, &known)));
        let pitched = self.condition(row.pitched.as_ref(), &known);
        let between = row.between.iter().filter_map(|between| self.between(between, &known)).collect();
        let mut tiles: Vec<TileOf> = row.tiles.iter().map(|tile| self.tile(tile, &known)).collect();
        tiles.push(TileOf::default());
        self.tables = row.tables.iter().filter_map(|table| self.table(table, names)).collect();
        if row.passes.is_empty() {
            self.told(0, "catalog.fault.no-pass", &[], "catalog.fault.write-pass");
        }
        let passes = row.passes.iter().filter_map(|pass| self.pass(pass, row, &known)).collect();
        let footprints = row.footprints.iter().map(|footprint| self.footprint(footprint, names)).collect();
        let defines = self.defines(row, names);
        let of_size = names.where_known(Needs::PARAMETERS.and(Needs::SOURCE_SIZE));
        let output_size = match &row.output_size {
            Some([width, height]) => Some([self.number(width, &of_size)?, self.number(height, &of_size)?]),
            None => None,
        };
        let (names, output, reach) = (Arc::clone(names), row.output, reach?);
        Some(Launching {
            names,
            reach,
            reach_before,
            defines,
            slack,
            slack_rows,
            shift,
            pitched,
            surplus,
            output,
            output_size,
            between,
            tiles,
            passes,
            footprints,
        })
    }

    fn parameters(&mut self, row: &FilterRow, names: &mut Names) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for given in &row.parameters {
            let (name, byte) = (given.name.get_ref(), given.name.span().start);
            if !is_free(name, names) {
                self.told(byte, "catalog.fault.parameter-name", &[("name", name)], "catalog.fault.rename-parameter");
            }
            if !(given.min < given.max && given.step > 0.0) {
                self.told(byte, "catalog.fault.range", &[("name", name)], "catalog.fault.write-range");
            } else if !(given.min..=given.max).contains(&given.default) {
                let values: [(&str, &dyn Display); 4] =
                    [("name", name), ("default", &given.default), ("min", &given.min), ("max", &given.max)];
                self.told(byte, "catalog.fault.default", &values, "catalog.fault.write-default");
            }
            names.add_parameter(name, given.default);
            let (min, max, default, step) = (given.min, given.max, given.default, given.step);
            let label_key = leaked(&self.parameter_key(name));
            parameters.push(Parameter { name: leaked(name), label_key, min, max, default, step, is_whole: given.is_whole() });
        }
        parameters
    }

    /// The expressions that the definition names, in the order in which they stand there.
    fn lets(&mut self, row: &FilterRow, names: &mut Names) {
        let mut given: Vec<_> = row.lets.iter().collect();
        given.sort_by_key(|(name, _)| name.span().start);
        for (place, (name, written)) in given.into_iter().enumerate() {
            let byte = name.span().start;
            if place == MOST_LETS {
                return self.told(byte, "catalog.fault.many-lets", &[("most", &MOST_LETS)], "catalog.fault.leave-out");
            }
            if !is_free(name.get_ref(), names) {
                self.told(byte, "catalog.fault.let-name", &[("name", name.get_ref())], "catalog.fault.rename-parameter");
            }
            let known = names.where_known(Needs::ALL);
            if let Some(expr) = self.expression(&written.get_ref().text(), written.span().start, &known, Expr::parse) {
                names.add_let(name.get_ref(), expr);
            }
        }
    }

    /// Values that are compiled into kernels.
    fn defines(&mut self, row: &FilterRow, names: &Names) -> Vec<(&'static str, Expr, Option<Expr>)> {
        const OF_PROGRAM: [&str; 3] = ["CHANNELS", "BORDER", "INLINE_PTX"];
        let known = names.where_known(Needs::STAGES.and(Needs::PARAMETERS));
        let mut defines = Vec::new();
        for (name, written) in &row.defines {
            let is_taken = OF_PROGRAM.contains(&name.get_ref().as_str()) || model::stages().any(|stage| stage.define == name.get_ref());
            if is_taken || !is_identifier(name.get_ref()) {
                self.told(name.span().start, "catalog.fault.define-name", &[("name", name.get_ref())], "catalog.fault.rename-define");
            }
            let (text, byte) = (written.get_ref().text(), written.span().start);
            let Some((value, when)) = self.split_condition(&text, byte, &known) else { continue };
            let value = self.expression(value, byte, &known, Expr::number);
            defines.extend(value.map(|value| (leaked(name.get_ref()), value, when)));
        }
        defines
    }

    fn stages(&mut self, row: &FilterRow, spoken: &Spoken, names: &mut Names) -> Vec<Offer> {
        let mut offers: Vec<Offer> = Vec::new();
        for given in &row.stages {
            let Some(offer) = self.stage(given, spoken) else {
                // Its name is known all the same: that it is used is no further mistake.
                names.add_parameter(&given.name.get_ref().replace('-', "_"), 0.0);
                continue;
            };
            if offers.iter().any(|known| known.id == offer.id) {
                self.told(
                    given.name.span().start,
                    "catalog.fault.stage-twice",
                    &[("name", given.name.get_ref())],
                    "catalog.fault.leave-out",
                );
            }
            names.add_stage(offer.id);
            offers.push(offer);
        }
        offers.sort_by_key(|offer| offer.id);
        offers
    }

    fn rules(&mut self, row: &FilterRow, spoken: &Spoken, offers: &[Offer], names: &Arc<Names>) -> Vec<(StageId, Rule)> {
        let mut rules = Vec::new();
        for given in &row.stages {
            let Some(id) = stage_named(given.name.get_ref()) else { continue };
            let reason = leaked(&self.rule_key(given.name.get_ref()));
            for other in &given.needs {
                rules.extend(self.other_stage(other, offers).map(|other| (id, Rule::needs(other, reason))));
            }
            for other in &given.excludes {
                rules.extend(self.other_stage(other, offers).map(|other| (id, Rule::excludes(other, reason))));
            }
            for rule in &given.rules {
                let reason = self.reason(&rule.because, spoken);
                let condition = self.rule(rule, id, offers, names);
                rules.extend(condition.map(|condition| (id, Rule { condition, kind: rule.kind.kind(), reason })));
            }
        }
        rules
    }

    /// What a rule of stage `id` asks for.
    fn rule(&mut self, rule: &RuleRow, id: StageId, offers: &[Offer], names: &Arc<Names>) -> Option<Condition> {
        if let RuleRow {
            value: Some(value),
            sums_up_to: Some(most),
            needs: None,
            needs_one_of: None,
            excludes: None,
            not_where: None,
            ..
        } = rule
        {
            return Some(Condition::ValueNeedsSums(self.value_of(value, id.stage())?, *most));
        }
        match (&rule.needs, &rule.needs_one_of, &rule.excludes, &rule.not_where) {
            _ if rule.sums_up_to.is_some() => {
                self.told(rule.because.span().start, "catalog.fault.rule", &[], "catalog.fault.write-rule");
                None
            }
            (Some(other), None, None, None) => {
                let value = rule.value.as_ref().and_then(|value| self.value_of(value, id.stage()));
                let other = self.other_stage(other, offers)?;
                Some(value.map_or(Condition::Needs(other), |value| Condition::ValueNeeds(value, other)))
            }
            (None, Some(others), None, None) => {
                let others = others.iter().flat_map(|other| self.other_values(other, offers)).collect();
                Some(Condition::NeedsOneOf(Vec::leak(others)))
            }
            (None, None, Some(other), None) => Some(Condition::Excludes(self.other_stage(other, offers)?)),
            (None, None, None, Some(test)) => {
                let known = names.where_known(Needs::STAGES.and(Needs::SETTING));
                let (test, names) = (self.condition(Some(test), &known)?, Arc::clone(names));
                let holds = move |variant: &Variant, setting: Setting| Scope::of_setting(&names, variant, setting).holds(&test);
                Some(Condition::NotWhere(Box::leak(Box::new(holds))))
            }
            _ => {
                self.told(rule.because.span().start, "catalog.fault.rule", &[], "catalog.fault.write-rule");
                None
            }
        }
    }

    /// What a reason goes by in the texts: one of the folder's own, or of the program's.
    fn reason(&mut self, because: &Spanned<String>, spoken: &Spoken) -> &'static str {
        let key = because.get_ref();
        if has_rule(spoken, key) {
            return leaked(&self.own_reason(key));
        }
        if texts::find(&format!("rules.reason.{key}")).is_none() {
            self.told(because.span().start, "catalog.fault.no-reason", &[("name", key)], "catalog.fault.write-reason");
        }
        leaked(key)
    }

    /// What a reason of the folder goes by in the program's texts.
    pub fn own_reason(&self, key: &str) -> String {
        format!("{}.{key}", self.folder.name)
    }

    /// Where the texts have a parameter's label: built-in filters share those of one name.
    pub fn parameter_key(&self, parameter: &str) -> String {
        if self.is_built_in() {
            format!("filters.parameter.{parameter}")
        } else {
            format!("filters.{}.parameter.{parameter}", self.folder.name)
        }
    }

    pub fn rule_key(&self, stage: &str) -> String {
        format!("{}-{stage}", self.folder.name)
    }

    fn other_stage(&mut self, name: &Spanned<String>, offers: &[Offer]) -> Option<StageId> {
        let found = self.offered(name.get_ref(), name.span().start, offers)?;
        Some(found.id)
    }

    fn offered<'o>(&mut self, name: &str, byte: usize, offers: &'o [Offer]) -> Option<&'o Offer> {
        let found = stage_named(name).and_then(|id| offers.iter().find(|offer| offer.id == id));
        if found.is_none() {
            let known: Vec<_> = offers.iter().map(|offer| offer.id.stage().name).collect();
            self.tell(byte, "catalog.fault.no-stage", &[("name", &name)], meant(name, known.into_iter()));
        }
        found
    }

    /// "block=16", or a stage with any of its values.
    fn other_values(&mut self, written: &Spanned<String>, offers: &[Offer]) -> Vec<(StageId, u8)> {
        let byte = written.span().start;
        let (name, value) = written.get_ref().split_once('=').unwrap_or((written.get_ref(), ""));
        let Some(offer) = self.offered(name, byte, offers) else { return Vec::new() };
        if value.is_empty() {
            return offer.values().map(|value| (offer.id, value.value)).collect();
        }
        self.value_named(value, byte, offer.id.stage()).map(|value| (offer.id, value)).into_iter().collect()
    }

    fn value_of(&mut self, written: &Spanned<Written>, stage: &Stage) -> Option<u8> {
        self.value_named(&written.get_ref().text(), written.span().start, stage)
    }

    /// A stage's value by its name; the one without a name is `on`.
    fn value_named(&mut self, name: &str, byte: usize, stage: &Stage) -> Option<u8> {
        let found = stage.values.iter().find(|known| known.name == name || (known.name.is_empty() && name == "on"));
        if found.is_none() {
            let known = stage.values.iter().map(|value| if value.name.is_empty() { "on" } else { value.name });
            self.tell(byte, "catalog.fault.no-value", &[("name", &stage.name), ("value", &name)], meant(name, known));
        }
        found.map(|found| found.value)
    }

    /// One of the shared stages, or one of its own, which has a define.
    fn stage(&mut self, given: &StageRow, spoken: &Spoken) -> Option<Offer> {
        let (name, byte) = (given.name.get_ref().as_str(), given.name.span().start);
        let shared = STAGES.iter().find(|stage| stage.name == name);
        let Some(define) = &given.define else {
            let Some(shared) = shared else {
                let remedy = format!("{}; {}", meant(name, STAGES.iter().map(|stage| stage.name)), say("catalog.fault.write-define", &[]));
                self.tell(byte, "catalog.fault.no-stage", &[("name", &name)], remedy);
                return None;
            };
            let [values, gray, rgb] = [&given.values, &given.gray, &given.rgb]
                .map(|values| &*Vec::leak(values.iter().filter_map(|value| self.value_of(value, shared)).collect::<Vec<u8>>()));
            let offer = if !gray.is_empty() || !rgb.is_empty() {
                Offer::by_channels(shared.id, gray, rgb)
            } else if values.is_empty() {
                Offer::all(shared.id)
            } else {
                Offer::only(shared.id, values)
            };
            return Some(match &given.because {
                Some(because) => {
                    let key = because.get_ref();
                    if texts::find(&format!("stages.{name}.{key}.reason")).is_none() {
                        self.told(because.span().start, "catalog.fault.no-reason", &[("name", key)], "catalog.fault.write-because");
                    }
                    offer.because(leaked(key))
                }
                None if has_reason(spoken, name) => offer.because(leaked(self.folder.name)),
                None => offer,
            });
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
        for written in &given.values {
            let value = written.get_ref().text();
            match value.parse::<u8>().ok().filter(|value| *value > 0) {
                Some(number) if !numbers.contains(&number) => numbers.push(number),
                _ => self.told(written.span().start, "catalog.fault.own-value", &[("value", &value)], "catalog.fault.write-value"),
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

    pub fn number(&mut self, written: &Spanned<Written>, known: &[String]) -> Option<Expr> {
        self.expression(&written.get_ref().text(), written.span().start, known, Expr::number)
    }

    fn expression(&mut self, text: &str, byte: usize, known: &[String], read: fn(&str) -> Result<Expr, base::expr::Fault>) -> Option<Expr> {
        let read = read(text).and_then(|expr| expr.check(known.iter().map(String::as_str)).map(|()| expr));
        match read {
            Ok(expr) => Some(expr),
            Err(fault) => {
                self.fault(Fault::of_expression(self.text, byte, text, fault.column, fault.sentence));
                None
            }
        }
    }

    fn condition(&mut self, given: Option<&Spanned<String>>, known: &[String]) -> Option<Expr> {
        given.and_then(|given| self.expression(given.get_ref(), given.span().start, known, Expr::parse))
    }

    /// "radius if !specialized": what stands before the condition, and the condition.
    fn split_condition<'t>(&mut self, text: &'t str, byte: usize, known: &[String]) -> Option<(&'t str, Option<Expr>)> {
        const IF: &str = " if ";
        match text.split_once(IF) {
            None => Some((text.trim(), None)),
            Some((before, condition)) => {
                let condition = self.expression(condition, byte + before.len() + IF.len(), known, Expr::parse)?;
                Some((before.trim(), Some(condition)))
            }
        }
    }

    fn between(&mut self, row: &BetweenRow, known: &[String]) -> Option<BetweenOf> {
        let size = match (&row.bytes, &row.texels) {
            (Some(bytes), None) => BetweenSize::Bytes(self.number(bytes, known)?),
            (None, Some([width, height])) => BetweenSize::Texels([self.number(width, known)?, self.number(height, known)?]),
            _ => {
                let name = row.name.get_ref();
                self.told(row.name.span().start, "catalog.fault.between-size", &[("name", name)], "catalog.fault.write-size");
                return None;
            }
        };
        Some(BetweenOf { name: row.name.get_ref().clone(), when: self.condition(row.when.as_ref(), known), size })
    }

    fn tile(&mut self, row: &TileRow, known: &[String]) -> TileOf {
        let when = self.condition(row.when.as_ref(), known);
        let [item_bytes, extra_bytes, item_rows, extra_rows] = [&row.item_bytes, &row.extra_bytes, &row.item_rows, &row.extra_rows]
            .map(|given| given.as_ref().and_then(|given| self.number(given, known)));
        TileOf { when, item_bytes, extra_bytes, item_rows, extra_rows }
    }

    fn pass(&mut self, pass: &PassRow, row: &FilterRow, known: &[String]) -> Option<PassOf> {
        let kernel = pass.kernel.get_ref();
        if !is_identifier(kernel) {
            self.told(pass.kernel.span().start, "catalog.fault.kernel-name", &[("name", kernel)], "catalog.fault.write-kernel");
        }
        let when = self.condition(pass.when.as_ref(), known);
        let size_byte = pass.items.as_ref().or(pass.global.as_ref()).map_or(pass.kernel.span().start, |[first, _]| first.span().start);
        let cut = match (&pass.items, &pass.global) {
            (None, None) => Cut::Owned,
            (Some([across, down]), None) => Cut::Items([self.number(across, known)?, self.number(down, known)?]),
            (None, Some([first, second])) => Cut::Global([self.number(first, known)?, self.number(second, known)?]),
            (Some(_), Some(_)) => {
                self.told(pass.kernel.span().start, "catalog.fault.cut-twice", &[("kernel", kernel)], "catalog.fault.leave-out");
                return None;
            }
        };
        let arguments = pass.arguments.get_ref().iter().filter_map(|argument| self.argument(argument, row, known)).collect();
        Some(PassOf { kernel: leaked(kernel), when, cut, size_byte, arguments })
    }

    fn argument(&mut self, argument: &Spanned<String>, row: &FilterRow, known: &[String]) -> Option<ArgumentOf> {
        let byte = argument.span().start;
        let (text, when) = self.split_condition(argument.get_ref(), byte, known)?;
        Some(ArgumentOf { asked: self.asked(text, byte, row, known)?, when })
    }

    fn asked(&mut self, text: &str, byte: usize, row: &FilterRow, known: &[String]) -> Option<Asked> {
        if row.between.iter().any(|between| between.name.get_ref() == text) {
            return Some(Asked::Between(text.to_owned()));
        }
        if let Some(place) = row.tiles.iter().position(|tile| tile.name.get_ref() == text) {
            return Some(Asked::Tile(place));
        }
        if text == TILE {
            return Some(Asked::Tile(row.tiles.len()));
        }
        if let Some(table) = self.tables.iter().find(|table| table.name == text) {
            return Some(Asked::Table(*table));
        }
        if let Some((_, asked)) = ARGUMENTS.iter().find(|(word, _)| *word == text) {
            return Some(asked.clone());
        }
        let (is_float, text) = text.strip_prefix("float ").map_or((false, text), |text| (true, text));
        let words: Vec<String> = known.iter().cloned().chain(argument_words().map(str::to_owned)).collect();
        let expr = self.expression(text, byte, &words, Expr::number)?;
        // A word of the list is a whole argument.
        if let Some((word, _)) = expr.names().find(|(name, _)| argument_words().any(|word| word == *name)) {
            let word = word.to_owned();
            self.told(byte, "catalog.fault.no-number", &[("name", &word)], "catalog.fault.write-arguments");
            return None;
        }
        let is_plain_float = row.parameters.iter().any(|parameter| parameter.name.get_ref() == text && !parameter.is_whole());
        Some(if is_float || is_plain_float { Asked::Float(expr) } else { Asked::Int(expr) })
    }

    fn footprint(&mut self, row: &FootprintRow, names: &Names) -> Footprint {
        let mut stages = Vec::new();
        for stage in &row.stages {
            let name = stage.get_ref().replace('-', "_");
            if let Some((_, id)) = names.stages().find(|(known, _)| *known == name) {
                stages.push(id);
            } else {
                let known: Vec<&str> = names.stages().map(|(name, _)| name).collect();
                let remedy = meant(stage.get_ref(), known.into_iter());
                self.tell(stage.span().start, "catalog.fault.no-stage", &[("name", stage.get_ref())], remedy);
            }
        }
        Footprint { stages, reads: row.reads.clone(), operations: row.operations }
    }
}

/// The arguments that are no numbers, or that the picture's layout decides.
const ARGUMENTS: &[(&str, Asked)] = &[
    ("source", Asked::Source),
    ("source_origin", Asked::SourceOrigin),
    ("source_halo_origin", Asked::SourceHaloOrigin),
    ("source_pitch", Asked::SourcePitch),
    ("destination", Asked::Destination),
    ("destination_pitch", Asked::DestinationPitch),
];

/// The words that are arguments; `tile` is one unless the definition says otherwise.
fn argument_words() -> impl Iterator<Item = &'static str> + Clone {
    ARGUMENTS.iter().map(|(word, _)| *word).chain([TILE])
}

/// Whether a file's name has this extension.
#[must_use]
pub fn is_of(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|known| known == extension)
}

fn stage_named(name: &str) -> Option<StageId> {
    model::stages().find(|stage| stage.name == name).map(|stage| stage.id)
}

fn is_identifier(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Whether a definition may give something this name.
fn is_free(name: &str, names: &Names) -> bool {
    is_identifier(name) && !names.is_known(name) && argument_words().all(|word| word != name)
}
