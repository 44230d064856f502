//! Problems of Kernel Tuner: from a T1 file, "a description of a tuning problem which can be loaded by an autotuning framework", to a `project.toml`.
//!
//! T1 is the input format of <https://github.com/odgaard/TuningSchema>. What its schema leaves open is read as Kernel Tuner does: the work-groups are
//! `ProblemSize` by the product of the grid divisors, and `block_size_x`, `block_size_y` and `block_size_z` are the local sizes.

mod python;

use super::is_name;
use super::job::Element;
use base::error::{Error, Result};
use base::expr::Expr;
use base::foreign::toml_text;
use base::texts::{clause, failed, filled};
use python::{Known, Tree, Value, number_text, parse};
use serde::Deserialize;
use serde_json::Value as Json;
use std::fmt::{Display, Write as _};

/// Configurations that are looked at for one that the conditions allow.
const MOST_VISITED: usize = 100_000;

/// What Kernel Tuner compares floating-point outputs with, where nothing is given.
const TOLERANCE: &str = "absolute = 1e-6, relative = 1e-5";

/// A problem of Kernel Tuner's as a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// What it is called: its benchmark, or its kernel.
    pub name: String,
    /// The text of its `project.toml`.
    pub project: String,
    /// The kernel's file, as the T1 file has it: relative to that file. The project names its last part.
    pub kernel_file: String,
    /// What could not be carried over, and what has to be done by hand.
    pub notes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct File {
    general: Option<Json>,
    configuration_space: Space,
    kernel_specification: Specification,
    search: Option<Json>,
    budget: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Space {
    tuning_parameters: Vec<ParameterRow>,
    #[serde(default)]
    conditions: Vec<ConditionRow>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ParameterRow {
    name: String,
    #[serde(default, rename = "Type")]
    kind: String,
    values: Json,
    default: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ConditionRow {
    expression: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Sizes {
    x: Option<Json>,
    y: Option<Json>,
    z: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Specification {
    language: String,
    kernel_name: String,
    kernel_file: String,
    benchmark_name: Option<String>,
    device: Option<Json>,
    #[serde(default)]
    compiler_options: Vec<String>,
    global_size_type: Option<String>,
    #[serde(default)]
    global_size: Sizes,
    #[serde(default)]
    local_size: Sizes,
    problem_size: Option<Json>,
    grid_div_x: Option<Json>,
    grid_div_y: Option<Json>,
    grid_div_z: Option<Json>,
    shared_memory: Option<u64>,
    #[serde(default)]
    arguments: Vec<ArgumentRow>,
    #[serde(default)]
    reference_arguments: Vec<ReferenceRow>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ArgumentRow {
    name: Option<String>,
    #[serde(rename = "Type")]
    kind: String,
    memory_type: String,
    access_type: Option<String>,
    size: Option<Json>,
    fill_type: Option<String>,
    fill_value: Option<f64>,
    data_source: Option<String>,
    random_seed: Option<u32>,
    output: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ReferenceRow {
    name: String,
    target_name: String,
    fill_type: String,
    data_source: Option<String>,
    validation_method: Option<String>,
    validation_threshold: Option<f64>,
}

impl Specification {
    /// Whether `GlobalSize` counts work-groups.
    fn is_in_groups(&self) -> bool {
        self.global_size_type.as_deref().is_some_and(|kind| kind != "OpenCL")
    }
}

/// A parameter that was read.
struct Parameter {
    name: String,
    values: Vec<Value>,
    default: usize,
}

/// Reads a T1 file.
///
/// # Errors
/// It is none, its kernel is not one of OpenCL, or it has something that a project cannot have.
pub fn import(t1: &str) -> Result<Imported> {
    let file: File = serde_json::from_str(t1).map_err(|error| failed("errors.project.t1-read", &[("why", &error)]))?;
    let kernel = &file.kernel_specification;
    if kernel.language != "OpenCL" {
        return Err(failed("errors.project.t1-language", &[("language", &kernel.language)]));
    }
    let mut notes = Vec::new();
    let parameters = file.configuration_space.tuning_parameters.iter().map(|row| parameter(row, &mut notes)).collect::<Result<_>>()?;
    let mut importer = Importer { kernel, parameters, taken: Vec::new(), notes };
    importer.taken = importer.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    let general = file.general.as_ref().and_then(|general| general.get("BenchmarkName")).and_then(Json::as_str);
    let name = general.or(kernel.benchmark_name.as_deref()).unwrap_or(&kernel.kernel_name).to_owned();
    if file.search.is_some() || file.budget.is_some() {
        importer.note("project.t1.search", &[]);
    }
    if kernel.device.is_some() {
        importer.note("project.t1.device", &[]);
    }
    let project = importer.project(&file.configuration_space.conditions)?;
    Ok(Imported { name, project, kernel_file: kernel.kernel_file.clone(), notes: importer.notes })
}

/// Texts in a list, each on its line.
fn lines(texts: &[String]) -> String {
    let mut list = String::from("[\n");
    for text in texts {
        let _ = writeln!(list, "    {},", toml_text(text));
    }
    list + "]"
}

/// As it is written in a TOML file: a number, or anything else in quotes.
fn number_or_toml_text(text: &str) -> String {
    if !text.is_empty() && text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit()) { text.to_owned() } else { toml_text(text) }
}

/// A text or number of a T1 file as a text of Python.
fn python_text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

/// A value of a parameter, where it can be one.
fn plain(value: Value) -> Option<Value> {
    match value {
        Value::Word(word) => match word.trim().parse() {
            Ok(number) if f64::is_finite(number) && !is_name(&word) => Some(Value::Number(number)),
            _ => is_name(&word).then_some(Value::Word(word)),
        },
        Value::Number(number) => Some(Value::Number(number)),
        Value::List(_) => None,
    }
}

fn of_json(json: &Json) -> Option<Value> {
    match json {
        Json::Bool(is) => Some(Value::Number(f64::from(*is))),
        Json::Number(number) => number.as_f64().map(Value::Number),
        Json::String(word) => plain(Value::Word(word.clone())),
        _ => None,
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Number(number) => number_text(*number),
        Value::Word(word) => toml_text(word),
        Value::List(_) => String::new(),
    }
}

fn parameter(row: &ParameterRow, notes: &mut Vec<String>) -> Result<Parameter> {
    let name = &row.name;
    let text = python_text(&row.values);
    let wrong = |why: String| failed("errors.project.t1-values", &[("name", name), ("text", &text), ("why", &why)]);
    let no_word = || wrong(clause("project.t1.fault.values", &[]));
    let given = match &row.values {
        Json::Array(list) => list.iter().map(|json| of_json(json).ok_or_else(no_word)).collect::<Result<Vec<_>>>()?,
        _ => match parse(&text).and_then(|tree| tree.value(&|_| None)).map_err(wrong)? {
            Value::List(list) => list.into_iter().map(|value| plain(value).ok_or_else(no_word)).collect::<Result<_>>()?,
            one => vec![plain(one).ok_or_else(no_word)?],
        },
    };
    let mut values: Vec<Value> = Vec::with_capacity(given.len());
    for value in given {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    if values.is_empty() {
        return Err(no_word());
    }
    if row.kind == "float" && values.iter().any(|value| matches!(value, Value::Number(number) if number.fract() == 0.0)) {
        notes.push(filled("project.t1.whole-float", &[("name", name)]));
    }
    let wanted = row.default.as_ref().map(of_json);
    let found = wanted.as_ref().map(|wanted| wanted.as_ref().and_then(|wanted| values.iter().position(|value| value == wanted)));
    if let (Some(None), Some(default)) = (found, &row.default) {
        notes.push(filled("project.t1.default", &[("name", name), ("default", &python_text(default))]));
    }
    Ok(Parameter { name: name.clone(), values, default: found.flatten().unwrap_or(0) })
}

/// How many work-items there are, as expressions.
struct Extent {
    /// Names with their expressions, for later ones.
    lets: Vec<(String, String)>,
    /// The names of the numbers of work-groups.
    groups: [String; 3],
    global: [String; 3],
    local: [String; 3],
    /// So many of them are more than 1.
    dimensions: usize,
}

struct Importer<'a> {
    kernel: &'a Specification,
    parameters: Vec<Parameter>,
    /// Names that have a meaning already.
    taken: Vec<String>,
    notes: Vec<String>,
}

impl Importer<'_> {
    fn note(&mut self, key: &'static str, values: &[(&str, &dyn Display)]) {
        self.notes.push(filled(key, values));
    }

    fn known(&self) -> Vec<Known<'_>> {
        let least = |least: f64, value: &Value| if let Value::Number(number) = value { Some(least.min(*number)) } else { None };
        let of = |parameter: &Parameter| parameter.values.iter().try_fold(f64::INFINITY, least);
        let is_whole = |value: &Value| matches!(value, Value::Number(number) if number.fract() == 0.0);
        self.parameters
            .iter()
            .map(|parameter| Known {
                name: &parameter.name,
                is_word: of(parameter).is_none(),
                is_whole: parameter.values.iter().all(is_whole),
                least: of(parameter).unwrap_or_default(),
            })
            .collect()
    }

    fn has(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == name)
    }

    /// A name that nothing has yet, and now this has.
    fn free(&mut self, wish: &str) -> String {
        let mut name = if is_name(wish) { wish.to_owned() } else { "argument".to_owned() };
        while self.taken.contains(&name) || name.len() > 64 {
            name = if name.len() > 60 { "argument".to_owned() } else { name + "_" };
        }
        self.taken.push(name.clone());
        name
    }

    fn project(&mut self, rows: &[ConditionRow]) -> Result<String> {
        let kernel = self.kernel;
        let conditions = rows.iter().map(|row| self.condition(&row.expression)).collect::<Result<Vec<_>>>()?;
        self.choose_allowed(&conditions);
        let extent = self.extent()?;
        let (buffers, arguments) = self.arguments()?;
        let shown: String = kernel.kernel_name.chars().filter(|letter| !letter.is_control()).collect();
        let file = kernel.kernel_file.rsplit(['/', '\\']).next().unwrap_or_default();
        let mut toml = format!("# {}\nkernel = {}\n", filled("project.t1.head", &[("kernel", &shown)]), toml_text(file));
        if !kernel.compiler_options.is_empty() {
            let _ = writeln!(toml, "options = {}", toml_text(&kernel.compiler_options.join(" ")));
        }
        if !conditions.is_empty() {
            let _ = writeln!(toml, "conditions = {}", lines(&conditions));
        }
        if !extent.lets.is_empty() {
            toml.push_str("\n[let]\n");
            for (name, text) in &extent.lets {
                let _ = writeln!(toml, "{name} = {}", number_or_toml_text(text));
            }
        }
        let _ = writeln!(toml, "\n{}", self.defines(&extent));
        for parameter in &self.parameters {
            let values: Vec<String> = parameter.values.iter().map(value_text).collect();
            let default = parameter.values.get(parameter.default).map(value_text).unwrap_or_default();
            let name = toml_text(&parameter.name);
            let _ = writeln!(toml, "[[parameter]]\nname = {name}\nvalues = [{}]\ndefault = {default}\n", values.join(", "));
        }
        toml.push_str(&buffers);
        let sizes = |sizes: &[String; 3]| {
            let sizes: Vec<String> = sizes.iter().take(extent.dimensions).map(|size| number_or_toml_text(size)).collect();
            format!("[{}]", sizes.join(", "))
        };
        let _ = writeln!(toml, "[[launch]]\nkernel = {}", toml_text(&kernel.kernel_name));
        let _ = writeln!(toml, "global = {}\nlocal = {}", sizes(&extent.global), sizes(&extent.local));
        let _ = writeln!(toml, "arguments = {}", lines(&arguments));
        Ok(toml)
    }

    /// What Kernel Tuner defines besides the parameters.
    fn defines(&self, extent: &Extent) -> String {
        let ([groups_x, groups_y, groups_z], [local_x, local_y, local_z]) = (&extent.groups, &extent.local);
        let one = "1".to_owned();
        let all = [
            ("block_size_x", local_x),
            ("block_size_y", local_y),
            ("block_size_z", local_z),
            ("grid_size_x", groups_x),
            ("grid_size_y", groups_y),
            ("grid_size_z", groups_z),
            ("kernel_tuner", &one),
        ];
        let line = |(name, text): (&str, &String)| (!self.has(name)).then(|| format!("{name} = {}\n", number_or_toml_text(text)));
        format!("[define]\n{}", all.into_iter().filter_map(line).collect::<String>())
    }

    fn condition(&self, text: &str) -> Result<String> {
        let wrong = |why: String| failed("errors.project.t1-condition", &[("text", &text), ("why", &why)]);
        let written = parse(text).and_then(|tree| tree.written(&self.known())).map_err(wrong)?;
        Expr::parse(&written).map_err(|fault| wrong(fault.sentence))?;
        Ok(written)
    }

    /// Changes the defaults where the conditions do not allow them: to the first configuration that they allow.
    fn choose_allowed(&mut self, conditions: &[String]) {
        let conditions: Vec<Expr> = conditions.iter().filter_map(|text| Expr::parse(text).ok()).collect();
        let point: Vec<usize> = self.parameters.iter().map(|parameter| parameter.default).collect();
        if conditions.iter().all(|condition| self.holds(condition, &point) == Some(true)) {
            return;
        }
        let mut visited = 0;
        let mut found = Vec::new();
        if self.first_allowed(&conditions, &mut found, &mut visited) {
            self.parameters.iter_mut().zip(&found).for_each(|(parameter, index)| parameter.default = *index);
            let one = |parameter: &Parameter| {
                let value = parameter.values.get(parameter.default).map(value_text).unwrap_or_default();
                format!("{}={}", parameter.name, value.trim_matches('"'))
            };
            let label = self.parameters.iter().map(one).collect::<Vec<_>>().join(" ");
            self.note("project.t1.default-not-allowed", &[("label", &label)]);
        }
    }

    /// Whether a condition holds where so many parameters have values; `None` where the others decide.
    fn holds(&self, condition: &Expr, point: &[usize]) -> Option<bool> {
        condition.value(&|name| self.parameter_at(name, point)).map(|value| value != 0.0)
    }

    fn parameter_at(&self, name: &str, point: &[usize]) -> Option<f64> {
        let place = self.parameters.iter().position(|parameter| parameter.name == name)?;
        let value = self.parameters.get(place)?.values.get(*point.get(place)?)?;
        if let Value::Number(number) = value { Some(*number) } else { None }
    }

    fn first_allowed(&self, conditions: &[Expr], point: &mut Vec<usize>, visited: &mut usize) -> bool {
        *visited += 1;
        if *visited > MOST_VISITED || conditions.iter().any(|condition| self.holds(condition, point) == Some(false)) {
            return false;
        }
        let Some(parameter) = self.parameters.get(point.len()) else {
            return conditions.iter().all(|condition| self.holds(condition, point) == Some(true));
        };
        for value in 0..parameter.values.len() {
            point.push(value);
            if self.first_allowed(conditions, point, visited) {
                return true;
            }
            point.pop();
        }
        false
    }

    /// A size as an expression, on its own or as a factor.
    fn size(&self, json: &Json, write: fn(&Tree, &[Known]) -> python::Read<String>) -> Result<String> {
        let text = python_text(json);
        let wrong = |why: String| failed("errors.project.t1-size", &[("text", &text), ("why", &why)]);
        let written = parse(&text).and_then(|tree| write(&tree, &self.known())).map_err(wrong)?;
        Expr::parse(&written).map_err(|fault| wrong(fault.sentence))?;
        Ok(written)
    }

    /// The sides of the problem; `None` where there is none.
    fn sides(&self) -> Result<Option<[String; 3]>> {
        let given = match &self.kernel.problem_size {
            None | Some(Json::Null) => return Ok(None),
            Some(Json::Array(list)) => list.iter().collect(),
            Some(one) => vec![one],
        };
        let mut sides = ones();
        for (place, json) in given.into_iter().enumerate() {
            let side = self.size(json, Tree::whole)?;
            match sides.get_mut(place) {
                Some(slot) => *slot = side,
                None if side == "1" => {}
                None => return Err(failed("errors.project.t1-dimensions", &[("text", &side)])),
            }
        }
        Ok(Some(sides))
    }

    /// The product by which a side is divided; `None` where that is 1.
    fn divisor(&self, given: Option<&Json>, default: &str) -> Result<Option<String>> {
        let given = match given {
            // As in Kernel Tuner, an empty list is none.
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Array(list)) => list.iter().collect(),
            Some(one) => vec![one],
        };
        let mut factors = given.iter().map(|json| self.size(json, Tree::whole_factor)).collect::<Result<Vec<_>>>()?;
        if given.is_empty() && self.has(default) {
            factors.push(default.to_owned());
        }
        factors.retain(|factor| factor != "1");
        Ok((!factors.is_empty()).then(|| factors.join(" * ")))
    }

    /// The sizes of a work-group. Kernel Tuner takes them from parameters alone; `LocalSize`, which its schema asks for, is what the file means.
    fn local_sizes(&mut self) -> Result<[String; 3]> {
        let own = |name: &str, size: &str| if self.has(name) { name } else { size }.to_owned();
        let mut local = [own("block_size_x", "256"), own("block_size_y", "1"), own("block_size_z", "1")];
        let Sizes { x, y, z } = &self.kernel.local_size;
        let given = [("X", "block_size_x", x), ("Y", "block_size_y", y), ("Z", "block_size_z", z)];
        for (slot, (axis, name, json)) in local.iter_mut().zip(given) {
            let is_own = |json: &&Json| json.is_null() || (json.as_str() == Some(name) && !self.has(name));
            let Some(json) = json.as_ref().filter(|json| !is_own(json)) else { continue };
            let text = self.size(json, Tree::whole)?;
            if text != *slot {
                self.note("project.t1.local", &[("axis", &axis), ("text", &text), ("own", slot)]);
            }
            *slot = text;
        }
        Ok(local)
    }

    fn extent(&mut self) -> Result<Extent> {
        let kernel = self.kernel;
        let local = self.local_sizes()?;
        let sides = self.sides()?;
        let mut lets = Vec::new();
        let mut groups = ["grid_size_x", "grid_size_y", "grid_size_z"].map(|name| self.free(name));
        let mut global = times(&groups, &local);
        if let Some(sides) = sides {
            let divisors = [
                self.divisor(kernel.grid_div_x.as_ref(), "block_size_x")?,
                self.divisor(kernel.grid_div_y.as_ref(), "block_size_y")?,
                self.divisor(kernel.grid_div_z.as_ref(), "block_size_z")?,
            ];
            let names = ["problem_size_x", "problem_size_y", "problem_size_z"].map(|name| self.free(name));
            for ((group, name), (side, divisor)) in groups.iter().zip(names).zip(sides.into_iter().zip(divisors)) {
                if side == "1" {
                    lets.push((group.clone(), side));
                    continue;
                }
                let count = divisor.map_or_else(|| name.clone(), |divisor| format!("ceil_div({name}, {divisor})"));
                lets.extend([(name, side), (group.clone(), count)]);
            }
            self.hold_global(&lets, &groups, &global);
        } else {
            let sizes = kernel.global_size.all();
            if sizes.iter().all(|json| json.is_none()) {
                return Err(failed("errors.project.t1-no-size", &[]));
            }
            let mut counts = ones();
            for (slot, json) in counts.iter_mut().zip(sizes) {
                if let Some(json) = json {
                    *slot = self.size(json, Tree::whole)?;
                }
            }
            for ((group, count), local) in groups.iter().zip(&counts).zip(&local) {
                let is_divided = !kernel.is_in_groups() && local != "1" && count != "1";
                lets.push((group.clone(), if is_divided { format!("ceil_div({count}, {local})") } else { count.clone() }));
            }
            if !kernel.is_in_groups() {
                global = counts;
            }
        }
        let mut dimensions = groups.len();
        for (group, local) in groups.iter_mut().zip(&local).skip(1).rev() {
            let is_flat = local == "1" && lets.iter().any(|(name, text)| name == group && text == "1");
            if !is_flat {
                break;
            }
            lets.retain(|(name, _)| name != group);
            "1".clone_into(group);
            dimensions -= 1;
        }
        Ok(Extent { lets, groups, global, local, dimensions })
    }

    /// Says so where `GlobalSize`, which Kernel Tuner does not read, would be another number of work-items.
    fn hold_global(&mut self, lets: &[(String, String)], groups: &[String; 3], global: &[String; 3]) {
        let kernel = self.kernel;
        let point: Vec<usize> = self.parameters.iter().map(|parameter| parameter.default).collect();
        let ours = if kernel.is_in_groups() { groups } else { global };
        for ((axis, json), ours) in ["X", "Y", "Z"].into_iter().zip(kernel.global_size.all()).zip(ours) {
            let Some(json) = json else { continue };
            let theirs = self.size(json, Tree::whole).ok().and_then(|text| self.with_lets(&[], &text, &point));
            if theirs.is_none() || theirs != self.with_lets(lets, ours, &point) {
                self.note("project.t1.global", &[("axis", &axis), ("text", &python_text(json))]);
            }
        }
    }

    /// The value of an expression in which names stand for others.
    fn with_lets(&self, lets: &[(String, String)], text: &str, point: &[usize]) -> Option<f64> {
        let mut values: Vec<(&str, Option<f64>)> = Vec::new();
        let of = |values: &[(&str, Option<f64>)], text: &str| {
            let expr = Expr::parse(text).ok()?;
            expr.value(&|name| {
                let found = values.iter().find(|(known, _)| *known == name);
                found.map_or_else(|| self.parameter_at(name, point), |(_, value)| *value)
            })
        };
        for (name, text) in lets {
            let value = of(&values, text);
            values.push((name, value));
        }
        of(&values, text)
    }

    /// The texts of all buffers, and the arguments.
    fn arguments(&mut self) -> Result<(String, Vec<String>)> {
        let kernel = self.kernel;
        let has_output = kernel.arguments.iter().any(|row| row.is_output() == Some(true));
        let (mut buffers, mut arguments, mut files, mut has_local) = (String::new(), Vec::new(), Vec::new(), false);
        for (index, row) in kernel.arguments.iter().enumerate() {
            let name = row.name.clone().unwrap_or_else(|| format!("argument_{}", index + 1));
            match row.memory_type.as_str() {
                "Vector" => {
                    let own = self.free(&name);
                    if own != name {
                        self.note("project.t1.renamed", &[("name", &name), ("own", &own)]);
                    }
                    buffers.push_str(&self.buffer(row, &name, &own, index, has_output, &mut files)?);
                    arguments.push(own);
                }
                "Scalar" => arguments.push(scalar(row, &name)?),
                "Local" => {
                    has_local = true;
                    arguments.push(self.local(row, &name)?);
                }
                other => return Err(failed("errors.project.t1-memory", &[("name", &name), ("memory", &other)])),
            }
        }
        if !has_local && kernel.shared_memory.is_some_and(|bytes| bytes > 0) {
            self.note("project.t1.shared", &[]);
        }
        let targets: Vec<&str> =
            kernel.reference_arguments.iter().filter(|row| row.fill_type != "BinaryRaw").map(|row| row.name.as_str()).collect();
        if !targets.is_empty() {
            self.note("project.t1.reference", &[("names", &targets.join(", "))]);
        }
        if !files.is_empty() {
            self.note("project.t1.files", &[("files", &files.join(", "))]);
        }
        Ok((buffers, arguments))
    }

    fn local(&self, row: &ArgumentRow, name: &str) -> Result<String> {
        let Some(json) = &row.size else {
            let bytes = self.kernel.shared_memory.filter(|bytes| *bytes > 0);
            let bytes = bytes.ok_or_else(|| no_size(name, "", &clause("project.t1.fault.size", &[])))?;
            return Ok(format!("local {bytes}"));
        };
        let (element, lanes) = element(row, name)?;
        let bytes = element.bytes() * lanes;
        Ok(match self.count(json, name) {
            Ok(count) => format!("local {}", number_text(count * bytes as f64)),
            Err(_) => format!("local {} * {bytes}", self.size(json, Tree::factor)?),
        })
    }

    /// A number of elements, which no parameter changes: `ProblemSize[0]`, and parameters as lists of their values.
    fn count(&self, json: &Json, name: &str) -> Result<f64> {
        let text = python_text(json);
        let of_problem = |json: &Json| match json {
            Json::Array(list) => list.iter().map(|side| side.as_f64().map(Value::Number)).collect::<Option<_>>().map(Value::List),
            one => one.as_f64().map(Value::Number),
        };
        let scope = |name: &str| match name {
            "ProblemSize" => self.kernel.problem_size.as_ref().and_then(of_problem),
            _ => self.parameters.iter().find(|parameter| parameter.name == name).map(|parameter| Value::List(parameter.values.clone())),
        };
        let count = parse(&text).and_then(|tree| tree.number(&scope)).map_err(|why| no_size(name, &text, &why))?.trunc();
        if (1.0..1e12).contains(&count) { Ok(count) } else { Err(no_size(name, &text, &clause("project.t1.fault.size", &[]))) }
    }

    fn buffer(
        &mut self,
        row: &ArgumentRow,
        name: &str,
        own: &str,
        index: usize,
        has_output: bool,
        files: &mut Vec<String>,
    ) -> Result<String> {
        let (element, lanes) = element(row, name)?;
        let json = row.size.as_ref().ok_or_else(|| no_size(name, "", &clause("project.t1.fault.size", &[])))?;
        let count = self.count(json, name)? * lanes as f64;
        let mut toml = format!("[[buffer]]\nname = {}\ntype = \"{}\"\ncount = {}\n", toml_text(own), element.name(), number_text(count));
        let role = row.role(has_output);
        let _ = writeln!(toml, "role = \"{role}\"");
        if matches!(role, "input" | "both") {
            let _ = writeln!(toml, "from = {}", self.contents(row, name, element, index, files)?);
        }
        if matches!(role, "output" | "both") {
            let reference = self.kernel.reference_arguments.iter().find(|reference| reference.target_name == name);
            if let Some(source) =
                reference.filter(|reference| reference.fill_type == "BinaryRaw").and_then(|reference| reference.data_source.as_ref())
            {
                let _ = writeln!(toml, "expected = {}", toml_text(source));
                files.push(source.clone());
            }
            let threshold = reference.and_then(|reference| {
                let kind =
                    if reference.validation_method.as_deref() == Some("SideBySideRelativeComparison") { "relative" } else { "absolute" };
                reference.validation_threshold.map(|threshold| format!("{kind} = {}", number_text(threshold)))
            });
            if let Some(tolerance) = threshold.or_else(|| element.is_float().then(|| TOLERANCE.to_owned())) {
                let _ = writeln!(toml, "tolerance = {{ {tolerance} }}");
            }
        }
        toml.push('\n');
        Ok(toml)
    }

    fn contents(&mut self, row: &ArgumentRow, name: &str, element: Element, index: usize, files: &mut Vec<String>) -> Result<String> {
        let fill = row.fill_type.as_deref().unwrap_or("Constant");
        Ok(match (fill, &row.data_source) {
            ("Constant", _) => format!("{{ value = {} }}", number_text(row.fill_value.unwrap_or(0.0))),
            ("Random", _) => {
                let usual = match element {
                    Element::Half | Element::Float | Element::Double => 1.0,
                    Element::Char => 127.0,
                    _ => 255.0,
                };
                let end = row.fill_value.filter(|value| *value != 0.0).unwrap_or(usual);
                let (low, high) = (number_text(end.min(0.0)), number_text(end.max(0.0)));
                self.note("project.t1.random", &[("name", &name), ("low", &low), ("high", &high)]);
                let seed = row.random_seed.unwrap_or(index as u32 + 1);
                format!("{{ random = [{low}, {high}], seed = {seed} }}")
            }
            ("BinaryRaw", Some(source)) => {
                files.push(source.clone());
                format!("{{ file = {} }}", toml_text(source))
            }
            _ => return Err(failed("errors.project.t1-fill", &[("name", &name), ("fill", &fill)])),
        })
    }
}

fn no_size(name: &str, text: &str, why: &str) -> Error {
    failed("errors.project.t1-argument-size", &[("name", &name), ("text", &text), ("why", &why)])
}

/// Sizes that are all 1.
fn ones() -> [String; 3] {
    ["1", "1", "1"].map(str::to_owned)
}

/// Work-items of so many groups.
fn times(groups: &[String; 3], local: &[String; 3]) -> [String; 3] {
    let one = |(groups, local): (&String, &String)| {
        let is_simple = local.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        match (local.as_str(), is_simple) {
            ("1", _) => groups.clone(),
            (local, true) => format!("{groups} * {local}"),
            (local, false) => format!("{groups} * ({local})"),
        }
    };
    let mut all = groups.iter().zip(local).map(one);
    groups.each_ref().map(|_| all.next().unwrap_or_default())
}

impl Sizes {
    fn all(&self) -> [&Option<Json>; 3] {
        [&self.x, &self.y, &self.z]
    }
}

impl ArgumentRow {
    /// Whether it is marked as an output, or as none.
    fn is_output(&self) -> Option<bool> {
        match self.output.as_ref()? {
            Json::Bool(is) => Some(*is),
            Json::Number(number) => number.as_f64().map(|number| number != 0.0),
            _ => None,
        }
    }

    fn role(&self, has_output: bool) -> &'static str {
        match (self.access_type.as_deref(), self.is_output()) {
            (Some("WriteOnly"), Some(false)) if has_output => "scratch",
            (Some("WriteOnly"), _) => "output",
            (Some("ReadWrite"), _) | (_, Some(true)) => "both",
            _ => "input",
        }
    }
}

/// The type of an argument, and how many of it one element has.
fn element(row: &ArgumentRow, name: &str) -> Result<(Element, usize)> {
    let found = match row.kind.as_str() {
        "int8" => Some((Element::Char, 1)),
        "uint8" => Some((Element::Uchar, 1)),
        "int16" => Some((Element::Short, 1)),
        "uint16" => Some((Element::Ushort, 1)),
        "int32" => Some((Element::Int, 1)),
        "uint32" => Some((Element::Uint, 1)),
        "int64" => Some((Element::Long, 1)),
        "uint64" => Some((Element::Ulong, 1)),
        kind => {
            let scalar = kind.trim_end_matches(|letter: char| letter.is_ascii_digit());
            let lanes = kind.strip_prefix(scalar).filter(|lanes| !lanes.is_empty()).map_or(Some(1), |lanes| lanes.parse().ok());
            Element::of_name(scalar).filter(|element| element.is_float()).zip(lanes.filter(|lanes| [1, 2, 4, 8, 16].contains(lanes)))
        }
    };
    found.ok_or_else(|| failed("errors.project.t1-type", &[("name", &name), ("type", &row.kind)]))
}

fn scalar(row: &ArgumentRow, name: &str) -> Result<String> {
    let (element, lanes) = element(row, name)?;
    let value = row.fill_value.ok_or_else(|| failed("errors.project.t1-scalar", &[("name", &name)]))?;
    let lanes = if lanes == 1 { String::new() } else { lanes.to_string() };
    Ok(format!("{}{lanes} {}", element.name(), number_text(value)))
}

#[cfg(test)]
mod tests {
    use super::{Imported, import};
    use crate::project::{Argument, Element, Job, Project, Role};
    use serde_bytes::ByteBuf;
    use std::fs;
    use std::path::Path;

    /// A small problem, with pieces of its text replaced.
    fn changed(changes: &[(&str, &str)]) -> String {
        let mut text = r#"{
            "ConfigurationSpace": {
                "TuningParameters": [
                    { "Name": "block_size_x", "Type": "int", "Values": "[32, 64]", "Default": 64 },
                    { "Name": "tile", "Type": "int", "Values": [1, 2, 4] }
                ],
                "Conditions": [{ "Parameters": ["tile"], "Expression": "tile < 9" }]
            },
            "KernelSpecification": {
                "Language": "OpenCL", "KernelName": "f", "KernelFile": "../kernels/f.cl",
                "GlobalSize": { "X": "1000" }, "LocalSize": { "X": "block_size_x" }, "GridDivX": ["block_size_x", "tile"], "ProblemSize": [1000],
                "Arguments": [
                    { "Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "ProblemSize[0]" },
                    { "Name": "in", "Type": "int32", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "FillValue": 9, "Size": 10 },
                    { "Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000 }
                ]
            }
        }"#
        .to_owned();
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        text
    }

    fn imported(changes: &[(&str, &str)]) -> Imported {
        import(&changed(changes)).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The project, in a folder with that kernel.
    fn project(imported: &Imported, source: &str) -> Project {
        let folder = tempfile::tempdir().expect("a folder");
        let file = Path::new(&imported.kernel_file).file_name().expect("a name");
        fs::write(folder.path().join(file), source).expect("written");
        fs::write(folder.path().join("project.toml"), &imported.project).expect("written");
        Project::read(folder.path()).unwrap_or_else(|faults| panic!("{faults:?}\n{}", imported.project))
    }

    fn value(element: Element, number: f64) -> Argument {
        let mut bytes = Vec::new();
        element.push(number, &mut bytes);
        Argument::Value { type_name: element.name().to_owned(), bytes: ByteBuf::from(bytes) }
    }

    /// Global and local size of the first launch.
    fn sizes(job: &Job) -> (&[usize], Option<&[usize]>) {
        let launch = &job.launches[0];
        (&launch.global, launch.local.as_deref())
    }

    const SOURCE: &str = "__kernel void f(__global float *out, __global const int *in, int n) {}";

    fn job(project: &Project, given: &[(&str, &str)]) -> Job {
        let given: Vec<(String, String)> = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        project.job(&project.point_of(&given).expect("known")).expect("a job")
    }

    fn example(name: &str) -> (Imported, Project) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/projects/t1").join(name);
        let imported =
            import(&fs::read_to_string(folder.join("problem.json")).expect("a problem")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(imported.name, name);
        let source = fs::read_to_string(folder.join(&imported.kernel_file)).expect("a kernel");
        let project = project(&imported, &source);
        (imported, project)
    }

    #[test]
    fn the_example_problems_are_read_with_the_configurations_that_kernel_tuner_has() {
        // Counted by Python's own evaluation of their values and conditions.
        for (name, points, random) in [("vector-add", 27, 2), ("convolution", 72, 2), ("matmul", 92, 2)] {
            let (imported, project) = example(name);
            let all = project.points().expect("few");
            assert_eq!(all.len(), points, "{name}");
            assert_eq!(imported.notes.len(), random, "{name}: {:?}", imported.notes);
            for point in all {
                let job = project.job(&point).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(job.options.contains("-Dkernel_tuner=1") && job.options.contains("-Dgrid_size_x="), "{}", job.options);
            }
        }
    }

    #[test]
    fn groups_and_work_items_are_those_of_kernel_tuner() {
        let (_, convolution) = example("convolution");
        for (x, y, across, down) in [(16, 8, 1, 1), (48, 4, 2, 4), (64, 4, 4, 2), (64, 1, 1, 4)] {
            let of = |number: usize| number.to_string();
            let names = ["block_size_x", "block_size_y", "tile_size_x", "tile_size_y"];
            let values = [of(x), of(y), of(across), of(down)];
            let given: Vec<(&str, &str)> = names.into_iter().zip(values.iter().map(String::as_str)).collect();
            let job = job(&convolution, &given);
            let groups = [512_usize.div_ceil(x * across), 512_usize.div_ceil(y * down)];
            assert_eq!(sizes(&job), (&[groups[0] * x, groups[1] * y][..], Some(&[x, y][..])));
            assert!(
                job.options.ends_with(&format!("-Dgrid_size_x={} -Dgrid_size_y={} -Dgrid_size_z=1 -Dkernel_tuner=1", groups[0], groups[1])),
                "{}",
                job.options
            );
        }
        let names: Vec<(&str, usize)> = convolution.problem().buffers.iter().map(|memory| (memory.name.as_str(), memory.count)).collect();
        assert_eq!(names, [("output", 512 * 512), ("input", 516 * 516), ("filter", 25)]);
        let (_, add) = example("vector-add");
        let job = job(&add, &[("block_size_x", "64"), ("per_item", "16")]);
        assert_eq!(sizes(&job), (&[1_000_000_usize.div_ceil(1024) * 64][..], Some(&[64][..])));
        assert_eq!(job.launches[0].arguments[3], value(Element::Int, 1e6));
    }

    #[test]
    fn a_problem_of_one_dimension_has_one_and_defaults_are_kept() {
        let imported = imported(&[]);
        let project = project(&imported, SOURCE);
        assert_eq!((imported.name.as_str(), imported.kernel_file.as_str()), ("f", "../kernels/f.cl"));
        assert!(
            imported.project.contains("global = [\"grid_size_x * block_size_x\"]") && !imported.project.contains("problem_size_y"),
            "{}",
            imported.project
        );
        assert_eq!(project.label(&project.default_point()), "block_size_x=64 tile=1");
        let roles: Vec<Role> = project.problem().buffers.iter().map(|memory| memory.role).collect();
        assert_eq!(roles, [Role::Output, Role::Input]);
        assert!(
            imported.project.contains("from = { random = [0, 9], seed = 2 }") && imported.project.contains("relative = 1e-5"),
            "{}",
            imported.project
        );
        let job = job(&project, &[("tile", "4")]);
        let options =
            "-Dblock_size_x=64 -Dtile=4 -Dblock_size_y=1 -Dblock_size_z=1 -Dgrid_size_x=4 -Dgrid_size_y=1 -Dgrid_size_z=1 -Dkernel_tuner=1";
        assert_eq!((sizes(&job).0, job.options.as_str()), (&[256][..], options));
    }

    #[test]
    fn without_a_parameter_of_that_name_a_group_has_256_work_items() {
        let imported = imported(&[("\"Name\": \"block_size_x\"", "\"Name\": \"unroll\""), ("[\"block_size_x\", \"tile\"]", "\"4*tile\"")]);
        assert_eq!(sizes(&job(&project(&imported, SOURCE), &[("tile", "2")])), (&[125 * 256][..], Some(&[256][..])));
    }

    #[test]
    fn a_third_dimension_has_a_size_a_divisor_and_a_parameter() {
        let changes = [
            ("\"Name\": \"tile\"", "\"Name\": \"block_size_z\""),
            ("\"tile\"]", "\"block_size_x\"]"),
            ("tile < 9", "block_size_z < 9"),
            ("\"ProblemSize\": [1000]", "\"ProblemSize\": [1000, 1, 30], \"GridDivZ\": [\"block_size_z\"]"),
            ("\"Name\": \"n\", \"Type\": \"int32\"", "\"Name\": \"n\", \"Type\": \"int16\""),
            (
                "\"X\": \"block_size_x\" }, \"GridDivX\": [\"block_size_x\", \"block_size_x\"]",
                "\"X\": \"block_size_x\" }, \"GridDivX\": [\"block_size_x\"]",
            ),
        ];
        let imported = imported(&changes);
        let project = project(&imported, &SOURCE.replace("int n", "short n"));
        let job = job(&project, &[("block_size_z", "4")]);
        assert_eq!(sizes(&job), (&[1024, 1, 32][..], Some(&[64, 1, 4][..])));
        assert!(job.options.contains("-Dblock_size_z=4") && job.options.contains("-Dgrid_size_z=8"), "{}", job.options);
        assert_eq!(job.launches[0].arguments[2], value(Element::Short, 1000.0));
    }

    #[test]
    fn without_a_problem_size_the_global_size_counts() {
        let none = ("\"ProblemSize\": [1000]", "\"GlobalSizeType\": \"OpenCL\"");
        let size = ("\"X\": \"1000\"", "\"X\": \"1000 // tile\"");
        let opencl = job(&project(&imported(&[none, size, ("\"ProblemSize[0]\"", "7")]), SOURCE), &[("tile", "2")]);
        assert_eq!(sizes(&opencl), (&[500][..], Some(&[64][..])));
        assert!(opencl.options.contains("-Dgrid_size_x=8 "), "{}", opencl.options);
        let groups = [none, size, ("\"ProblemSize[0]\"", "7"), ("\"GlobalSizeType\": \"OpenCL\"", "\"GlobalSizeType\": \"CUDA\"")];
        let cuda = job(&project(&imported(&groups), SOURCE), &[("tile", "2")]);
        assert_eq!(sizes(&cuda).0, [500 * 64]);
        assert!(import(&changed(&[none, ("\"X\": \"1000\"", "\"Y\": null"), ("\"ProblemSize[0]\"", "7")])).is_err());
    }

    #[test]
    fn arguments_of_all_kinds_are_carried_over() {
        let arguments = r#"
            { "Name": "tile", "Type": "double4", "MemoryType": "Vector", "AccessType": "ReadWrite", "FillType": "Constant", "FillValue": -1.5, "Size": "max(tile) * len(tile)" },
            { "Name": "data", "Type": "uint8", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "RandomSeed": 7, "Size": 8 },
            { "Name": "only here", "Type": "uint16", "MemoryType": "Vector", "AccessType": "WriteOnly", "Output": 0, "Size": 3 },
            { "Name": "marked", "Type": "int64", "MemoryType": "Vector", "Output": true, "Size": 3 },
            { "Type": "float2", "MemoryType": "Local", "Size": "block_size_x + 1" },
            { "Type": "float", "MemoryType": "Local", "Size": 8 },
            { "Type": "int8", "MemoryType": "Local" },
            { "Name": "factor", "Type": "float", "MemoryType": "Scalar", "FillValue": 0.5 },
            { "Name": "less", "Type": "uint64", "MemoryType": "Scalar", "FillValue": 3 },
            { "Name": "out","#;
        let imported = imported(&[
            ("{ \"Name\": \"out\",", arguments),
            ("\"ProblemSize\": [1000]", "\"ProblemSize\": [1000], \"SharedMemory\": 48, \"CompilerOptions\": [\"-DA=\\\"b\\\"\", \"-w\"]"),
        ]);
        let source = "__kernel void f(__global double4 *tile, __constant uchar *d, __global ushort *h, __global long *m, __local float2 *a, __local float *b, __local char *c,
            float factor, ulong less, __global float *out, __global const int *in, int n) {}";
        let project = project(&imported, source);
        let buffers: Vec<(&str, usize, Role)> =
            project.problem().buffers.iter().map(|memory| (memory.name.as_str(), memory.count, memory.role)).collect();
        let expected = [
            ("tile_", 48, Role::Both),
            ("data", 8, Role::Input),
            ("marked", 3, Role::Both),
            ("out", 1000, Role::Output),
            ("in", 10, Role::Input),
        ];
        // One that is marked as no output is only between kernels, where another one is marked.
        assert_eq!(buffers, expected);
        let job = job(&project, &[("block_size_x", "32")]);
        assert_eq!(job.scratch.iter().map(|scratch| scratch.bytes).collect::<Vec<_>>(), [6]);
        let arguments = &job.launches[0].arguments;
        assert_eq!(arguments[4..7], [Argument::Local(33 * 8), Argument::Local(32), Argument::Local(48)]);
        assert_eq!(arguments[7..9], [value(Element::Float, 0.5), value(Element::Ulong, 3.0)]);
        assert!(job.options.starts_with("-DA=\"b\" -w "), "{}", job.options);
        assert_eq!(
            imported.notes.iter().filter(|note| note.contains("'tile_'") || note.contains("'argument'")).count(),
            2,
            "{:?}",
            imported.notes
        );
    }

    #[test]
    fn files_and_thresholds_of_references_are_carried_over() {
        let reference = r#""ReferenceArguments": [
            { "Name": "r", "TargetName": "out", "FillType": "BinaryRaw", "DataSource": "out.bin", "ValidationMethod": "SideBySideRelativeComparison", "ValidationThreshold": 0.01 }
        ], "Arguments""#;
        let file = ("\"FillType\": \"Random\"", "\"FillType\": \"BinaryRaw\", \"DataSource\": \"in.bin\"");
        let imported = imported(&[("\"Arguments\"", reference), file]);
        for text in ["expected = \"out.bin\"", "tolerance = { relative = 0.01 }", "from = { file = \"in.bin\" }"] {
            assert!(imported.project.contains(text), "{}", imported.project);
        }
        assert!(imported.notes.iter().any(|note| note.contains("out.bin, in.bin")), "{:?}", imported.notes);
    }

    #[test]
    fn what_is_not_carried_over_is_named() {
        let changes: [(&[(&str, &str)], &str); 10] = [
            (&[("\"ConfigurationSpace\"", "\"Search\": { \"Name\": \"x\" }, \"ConfigurationSpace\"")], "Search"),
            (&[("\"Language\"", "\"Device\": { \"Name\": \"A100\" }, \"Language\"")], "Device"),
            (&[("\"Name\": \"tile\", \"Type\": \"int\"", "\"Name\": \"tile\", \"Type\": \"float\"")], "'tile'"),
            (&[("\"Default\": 64", "\"Default\": 63")], "63"),
            (&[("tile < 9", "tile * block_size_x == 256")], "block_size_x=64 tile=4"),
            (
                &[("\"LocalSize\": { \"X\": \"block_size_x\" }", "\"LocalSize\": { \"X\": \"block_size_x // 2\" }")],
                "floor(block_size_x / 2)",
            ),
            (&[("\"X\": \"1000\"", "\"X\": \"1025\"")], "1025"),
            (&[("\"Name\": \"in\"", "\"Name\": \"block_size_x\"")], "block_size_x_"),
            (&[("\"ProblemSize\": [1000]", "\"ProblemSize\": [1000], \"SharedMemory\": 8")], "SharedMemory"),
            (
                &[(
                    "\"Arguments\"",
                    "\"ReferenceArguments\": [{ \"Name\": \"r\", \"TargetName\": \"out\", \"FillType\": \"Script\" }], \"Arguments\"",
                )],
                "references r",
            ),
        ];
        // As many work-items as GlobalSize has: nothing is said of it.
        let usual = ("\"X\": \"1000\"", "\"X\": \"1024\"");
        assert_eq!(imported(&[usual]).notes.len(), 1, "only that random numbers have another spread");
        for (changes, words) in changes {
            let changes: Vec<(&str, &str)> = if changes[0].0 == usual.0 { changes.to_vec() } else { [changes, &[usual]].concat() };
            let imported = imported(&changes);
            assert!(imported.notes.len() >= 2 && imported.notes.iter().any(|note| note.contains(words)), "{words}: {:?}", imported.notes);
            if !words.contains("floor") {
                project(&imported, SOURCE);
            }
        }
    }

    #[test]
    fn each_fault_is_an_error_that_names_what_is_wrong() {
        let argument = "\"MemoryType\": \"Vector\", \"AccessType\": \"ReadOnly\"";
        for (from, to, words) in [
            ("\"KernelName\": \"f\",", "", "KernelName"),
            ("\"OpenCL\"", "\"CUDA\"", "written in CUDA"),
            ("\"[32, 64]\"", "\"[i for i in open('x')]\"", "parameter 'block_size_x'"),
            ("\"[32, 64]\"", "\"[]\"", "at least one"),
            ("\"[32, 64]\"", "[\"a b\"]", "words of letters"),
            ("tile < 9", "tile < lambda", "'lambda'"),
            ("tile < 9", "tile.x < 9", "tile.x"),
            ("\"ProblemSize\": [1000]", "\"ProblemSize\": [\"tile ** tile\"]", "powers"),
            ("\"ProblemSize\": [1000]", "\"ProblemSize\": [1000, 1, 1, 2]", "dimension '2'"),
            ("[\"block_size_x\", \"tile\"]", "[\"width\"]", "'width'"),
            ("\"Type\": \"float\"", "\"Type\": \"bool\"", "type bool of argument 'out'"),
            (argument, "\"MemoryType\": \"Symbol\"", "Symbol"),
            ("\"FillType\": \"Random\"", "\"FillType\": \"Generator\"", "Generator"),
            ("\"FillType\": \"Random\"", "\"FillType\": \"BinaryRaw\"", "DataSource"),
            ("\"ProblemSize[0]\"", "\"ProblemSize[1]\"", "'ProblemSize[1]' of argument 'out'"),
            ("\"ProblemSize[0]\"", "\"ProblemSize[0] * tile\"", "list"),
            ("\"Size\": 10", "\"Size\": 0", "whole number from 1"),
            ("\"FillValue\": 1000", "\"FillValue\": null", "'n' has no FillValue"),
        ] {
            let error = import(&changed(&[(from, to)])).map(|imported| imported.project).expect_err(to);
            assert!(error.to_string().contains(words), "{words}: {error}");
        }
        assert!(import("").is_err() && import("[]").is_err());
    }

    #[test]
    fn names_and_texts_of_a_foreign_file_break_no_line() {
        let imported = imported(&[("\"KernelName\": \"f\"", "\"KernelName\": \"f\\n[x]\""), ("../kernels/f.cl", "a\\\"\\u007f\\\\b.cl")]);
        assert!(imported.project.contains("kernel = \"b.cl\"") && !imported.project.contains("\n[x]"), "{}", imported.project);
        let row: toml::Table = imported.project.parse().expect("TOML");
        assert_eq!(row.get("launch").and_then(|launches| launches.get(0)?.get("kernel")?.as_str()), Some("f\n[x]"));
    }
}
