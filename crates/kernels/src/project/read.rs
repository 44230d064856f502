//! From `project.toml` and its files to a project, or to everything that is wrong with them.

mod arguments;
mod memories;

use super::job::{Problem, Role};
use super::rows::{Named, ParameterRow, ProjectRow, ReferenceRow};
use super::signature::{Signature, kernels};
use super::{Command, LaunchOf, Parameter, Project, Reference, Value, includes, is_name};
use crate::filters::definition::{Misfit, Written};
use arguments::{ImageUse, Launching, named};
use base::expr::Expr;
use base::fault::{Fault, say};
use base::files::{self, Stamp};
use base::hash::short_sha256;
use base::texts::{failed, meant};
use memories::Memories;
use std::fmt::Display;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;

/// The file that makes a folder a project.
pub const PROJECT: &str = "project.toml";

/// More is not told at once.
const MOST_MISFITS: usize = 50;

/// A definition names no more expressions.
const MOST_LETS: usize = 200;

/// A text file of a project has no more bytes.
const MOST_TEXT_BYTES: u64 = 4 << 20;

/// Of a project's folder, so many files are looked after, in folders that lie so deep.
const MOST_FILES: usize = 1000;
const MOST_DEPTH: usize = 4;

/// The buffers and images of a project have no more bytes in all: both processes hold them.
const MOST_BYTES: u64 = 2 << 30;

/// Configurations that are allowed, at most.
pub const MOST_POINTS: usize = 1_000_000;

/// How long a reference program may take, where nothing is said, and at most.
const SECONDS: u64 = 60;
const MOST_SECONDS: u64 = 3600;

/// The state of a project's folder: where it is another one, the project is read again. `None` where the folder is not there.
#[must_use]
pub fn stamp(folder: &Path) -> Option<Stamp> {
    let mut paths = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(_) if depth > 0 => continue,
            Err(_) => return None,
        };
        for entry in entries.flatten() {
            // A link to a folder may lead back to it.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < MOST_DEPTH => folders.push((entry.path(), depth + 1)),
                Ok(kind) if !kind.is_dir() && paths.len() < MOST_FILES => paths.push(entry.path()),
                _ => {}
            }
        }
    }
    paths.sort();
    Some(files::stamp(paths))
}

/// A folder on the disk, of which nothing outside is read.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A path within it; `None` where it would lead outside.
    fn inside(&self, name: &str) -> Option<PathBuf> {
        let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        // A link may lead elsewhere.
        let path = self.path.join(name);
        let real = path.canonicalize();
        (is_plain && real.is_ok_and(|real| real.starts_with(&self.path))).then_some(path)
    }

    /// Whether there is such a file.
    pub fn has(&self, name: &str) -> bool {
        self.inside(name).is_some_and(|path| path.is_file())
    }

    /// The text of a file.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub fn text(&self, name: &str) -> Result<String, Fault> {
        self.bytes(name, MOST_TEXT_BYTES).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn bytes(&self, name: &str, most: u64) -> Result<Vec<u8>, Fault> {
        let refused = |why: String| Fault { line: 0, column: 0, why, remedy: String::new() };
        let path = self.inside(name).ok_or_else(|| {
            let is_outside = self.path.join(name).exists();
            let key = if is_outside { "project.fault.outside" } else { "project.fault.no-file" };
            refused(say(key, &[("name", &name)]))
        })?;
        files::read_at_most(&path, most).map_err(|error| refused(say("project.fault.not-read", &[("name", &name), ("why", &error)])))
    }

    /// How large a file is.
    fn length(&self, name: &str) -> Option<u64> {
        Some(self.inside(name)?.metadata().ok()?.len())
    }
}

/// Reads a folder.
///
/// # Errors
/// Everything that is wrong.
pub fn read(path: &Path) -> Result<Project, Vec<Misfit>> {
    let of_file = |fault| vec![Misfit { file: PROJECT.to_owned(), fault }];
    let whole = path
        .canonicalize()
        .map_err(|error| of_file(Fault::of_file(&failed("errors.project.not-read", &[("why", &error), ("path", &path.display())]))))?;
    let folder = Folder { path: whole };
    let text = folder.text(PROJECT).map_err(of_file)?;
    let mut reader = Reader {
        folder: &folder,
        text: &text,
        misfits: Vec::new(),
        image_uses: Vec::new(),
        broken: Vec::new(),
        hashed: vec![text.clone().into_bytes()],
    };
    match reader.project().filter(|_| reader.misfits.is_empty()) {
        Some(project) => Ok(project),
        None => Err(reader.misfits),
    }
}

struct Reader<'a> {
    folder: &'a Folder,
    text: &'a str,
    misfits: Vec<Misfit>,
    image_uses: Vec<ImageUse>,
    /// Buffers and images in which something is wrong: nothing more is said of those that name them.
    broken: Vec<String>,
    /// What the hash is of.
    hashed: Vec<Vec<u8>>,
}

/// What expressions may name.
#[derive(Default)]
struct Names {
    parameters: Vec<String>,
    lets: Vec<(String, Expr)>,
    /// Those that no parameter changes.
    fixed: Vec<String>,
}

impl Names {
    fn all(&self) -> Vec<String> {
        self.parameters.iter().chain(self.lets.iter().map(|(name, _)| name)).cloned().collect()
    }

    fn is_known(&self, name: &str) -> bool {
        self.all().iter().any(|known| known == name)
    }

    /// The value of a name that no parameter changes.
    fn value(&self, name: &str) -> Option<f64> {
        if !self.fixed.iter().any(|known| known == name) {
            return None;
        }
        let mut values: Vec<(&str, Option<f64>)> = Vec::new();
        for (known, expr) in &self.lets {
            let value = expr.value(&|name| values.iter().find(|(known, _)| *known == name).and_then(|(_, value)| *value));
            values.push((known, value));
        }
        values.iter().find(|(known, _)| *known == name).and_then(|(_, value)| *value)
    }
}

impl Reader<'_> {
    fn fault(&mut self, fault: Fault) {
        if self.misfits.len() < MOST_MISFITS {
            self.misfits.push(Misfit { file: PROJECT.to_owned(), fault });
        }
    }

    fn tell(&mut self, byte: usize, why: &'static str, values: &[(&str, &dyn Display)]) {
        self.fault(Fault::at(self.text, byte, say(why, values), String::new()));
    }

    fn expression(&mut self, written: &Spanned<Written>, known: &[String]) -> Option<Expr> {
        self.expression_at(&written.get_ref().text(), written.span().start, known, Expr::number)
    }

    fn condition(&mut self, written: &Spanned<String>, known: &[String]) -> Option<Expr> {
        self.expression_at(written.get_ref(), written.span().start, known, Expr::parse)
    }

    fn expression_at(
        &mut self,
        text: &str,
        byte: usize,
        known: &[String],
        read: fn(&str) -> Result<Expr, base::expr::Fault>,
    ) -> Option<Expr> {
        let read = read(text).and_then(|expr| expr.check(known.iter().map(String::as_str)).map(|()| expr));
        read.map_err(|fault| self.fault(Fault::of_expression(self.text, byte, text, fault.column, fault.sentence))).ok()
    }

    fn project(&mut self) -> Option<Project> {
        let row: ProjectRow = toml::from_str(self.text).map_err(|error| self.fault(Fault::of_toml(self.text, &error))).ok()?;
        let mut names = Names::default();
        let parameters: Vec<Parameter> = row.parameters.iter().filter_map(|row| self.parameter(row, &mut names)).collect();
        self.lets(&row.lets, &mut names);
        let all = names.all();
        let conditions = row.conditions.iter().filter_map(|condition| self.condition(condition, &all)).collect();
        let defines = self.defines(&row.defines, &names);
        let memories = self.memories(&row.buffers, &row.images, &names);
        let places: Vec<String> = row.include.iter().map(|place| place.get_ref().clone()).collect();
        let (source, signatures) = self.kernel(&row.kernel, &places)?;
        if row.launches.is_empty() {
            self.tell(0, "project.fault.no-launch", &[]);
        }
        let there = named(&memories);
        let launching = Launching { known: &all, named: &there, signatures: &signatures, file: row.kernel.get_ref() };
        let launches: Vec<LaunchOf> = row.launches.iter().filter_map(|launch| self.launch(launch, launching)).collect();
        self.hold_image_uses();
        let Memories { problem, scratch } = memories;
        let name = self.folder.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut project = Project {
            name,
            folder: self.folder.path.clone(),
            hash: String::new(),
            parameters,
            reference: Reference::Default,
            problem,
            lets: names.lets.clone(),
            defines,
            conditions,
            scratch,
            launches,
            source,
            options: row.options.clone(),
        };
        project.reference = self.reference(row.reference.as_ref(), &project, &names, &places)?;
        self.hold_outputs(&project);
        if self.misfits.is_empty() && !project.is_allowed(&project.default_point()) {
            let label = project.label(&project.default_point());
            self.tell(0, "project.fault.default-not-allowed", &[("label", &label)]);
        }
        if self.misfits.is_empty()
            && let Err(error) = project.job(&project.default_point())
        {
            self.fault(Fault { line: 0, column: 0, why: error.why, remedy: error.remedy });
        }
        project.hash = short_sha256(self.hashed.concat(), 8);
        Some(project)
    }

    fn parameter(&mut self, row: &ParameterRow, names: &mut Names) -> Option<Parameter> {
        let (name, byte) = (row.name.get_ref(), row.name.span().start);
        if !is_name(name) || names.is_known(name) {
            self.tell(byte, "project.fault.name", &[("name", name)]);
        }
        let at = row.values.span().start;
        let value = |value: &toml::Value| match value {
            toml::Value::Integer(number) => Some(Value::Number(*number as f64)),
            toml::Value::Float(number) if number.is_finite() => Some(Value::Number(*number)),
            toml::Value::Boolean(is) => Some(Value::Number(f64::from(*is))),
            // It goes to a compiler's command line.
            toml::Value::String(word) if is_name(word) => Some(Value::Word(word.clone())),
            _ => None,
        };
        let values: Option<Vec<Value>> = row.values.get_ref().iter().map(value).collect();
        let Some(values) = values.filter(|values| !values.is_empty()) else {
            self.tell(at, "project.fault.values", &[("name", name)]);
            return None;
        };
        if (1..values.len())
            .any(|index| values.get(..index).is_some_and(|before| values.get(index).is_some_and(|value| before.contains(value))))
        {
            self.tell(at, "project.fault.value-twice", &[("name", name)]);
        }
        let default = match &row.default {
            None => 0,
            Some(given) => {
                let wanted = value(given.get_ref());
                values.iter().position(|known| Some(known) == wanted.as_ref()).unwrap_or_else(|| {
                    self.tell(given.span().start, "project.fault.default", &[("name", name)]);
                    0
                })
            }
        };
        names.parameters.push(name.clone());
        Some(Parameter { name: name.clone(), values, default })
    }

    /// The expressions that the definition names, in the order in which they stand there.
    fn lets(&mut self, rows: &Named, names: &mut Names) {
        let mut given: Vec<_> = rows.iter().collect();
        given.sort_by_key(|(name, _)| name.span().start);
        for (place, (name, written)) in given.into_iter().enumerate() {
            let (word, byte) = (name.get_ref(), name.span().start);
            if place == MOST_LETS {
                return self.tell(byte, "project.fault.many-lets", &[("most", &MOST_LETS)]);
            }
            if !is_name(word) || names.is_known(word) {
                self.tell(byte, "project.fault.name", &[("name", word)]);
            }
            let known = names.all();
            let text = written.get_ref().text();
            if let Some(expr) = self.expression_at(&text, written.span().start, &known, Expr::parse) {
                if expr.names().all(|(name, _)| names.fixed.iter().any(|fixed| fixed == name)) {
                    names.fixed.push(word.clone());
                }
                names.lets.push((word.clone(), expr));
            }
        }
    }

    fn defines(&mut self, rows: &Named, names: &Names) -> Vec<(String, Expr)> {
        let all = names.all();
        let mut defines = Vec::new();
        for (name, written) in rows {
            if !is_name(name.get_ref()) || names.parameters.contains(name.get_ref()) {
                self.tell(name.span().start, "project.fault.name", &[("name", name.get_ref())]);
            }
            let expr = self.expression_at(&written.get_ref().text(), written.span().start, &all, Expr::parse);
            defines.extend(expr.map(|expr| (name.get_ref().clone(), expr)));
        }
        defines
    }

    /// The text of a kernel file with what it includes, and the kernels in it.
    fn kernel(&mut self, file: &Spanned<String>, places: &[String]) -> Option<(String, Vec<Signature>)> {
        match includes::text_of(self.folder, file.get_ref(), places) {
            Ok(text) => {
                self.hashed.push(text.clone().into_bytes());
                let found = kernels(&text);
                Some((text, found))
            }
            Err((name, fault)) if name == *file.get_ref() && fault.line == 0 => {
                self.fault(Fault::at(self.text, file.span().start, fault.why, fault.remedy));
                None
            }
            Err((file, fault)) => {
                self.misfits.push(Misfit { file, fault });
                None
            }
        }
    }

    fn reference(&mut self, row: Option<&Spanned<ReferenceRow>>, project: &Project, names: &Names, places: &[String]) -> Option<Reference> {
        let outputs = || project.problem.buffers.iter().filter(|memory| memory.role != Role::Input);
        let Some(row) = row else {
            let is_stored = outputs().next().is_some() && outputs().all(|memory| memory.expected.is_some());
            return Some(if is_stored { Reference::Stored } else { Reference::Default });
        };
        let (byte, row) = (row.span().start, row.get_ref());
        match (&row.kernel, &row.command) {
            (Some(file), None) => {
                let (source, signatures) = self.kernel(file, places)?;
                let fixed: Vec<String> = names.fixed.clone();
                let there = named(&Memories { problem: project.problem.clone(), scratch: Vec::new() });
                let launching = Launching { known: &fixed, named: &there, signatures: &signatures, file: file.get_ref() };
                let launches: Vec<LaunchOf> = row.launches.iter().filter_map(|launch| self.launch(launch, launching)).collect();
                if launches.is_empty() {
                    self.tell(byte, "project.fault.no-reference-launch", &[]);
                    return None;
                }
                // Of the data, arguments know the places alone.
                let naive = Project {
                    name: project.name.clone(),
                    folder: project.folder.clone(),
                    hash: String::new(),
                    reference: Reference::Default,
                    problem: Problem::default(),
                    parameters: Vec::new(),
                    lets: project.lets.iter().filter(|(name, _)| names.fixed.contains(name)).cloned().collect(),
                    defines: Vec::new(),
                    conditions: Vec::new(),
                    scratch: Vec::new(),
                    launches,
                    source,
                    options: row.options.clone(),
                };
                match naive.job(&[]) {
                    Ok(job) => Some(Reference::Naive(Box::new(job))),
                    Err(error) => {
                        self.fault(Fault::at(self.text, byte, error.why, error.remedy));
                        None
                    }
                }
            }
            (None, Some(command)) => {
                let words = command.get_ref().clone();
                if words.first().is_none_or(String::is_empty) {
                    self.tell(command.span().start, "project.fault.command", &[]);
                }
                for word in &words {
                    let place = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
                    if let Some(name) = place.filter(|name| !self.is_memory(name, project)) {
                        let known: Vec<&str> = project.problem.buffers.iter().map(|memory| memory.name.as_str()).collect();
                        let why = say("project.fault.command-buffer", &[("name", &name)]);
                        self.fault(Fault::at(self.text, command.span().start, why, meant(name, known.into_iter())));
                    }
                }
                let seconds = row.seconds.unwrap_or(SECONDS).clamp(1, MOST_SECONDS);
                // A script of the folder decides what the reference is.
                for word in &words {
                    if self.folder.has(word) {
                        self.hashed.extend(self.folder.bytes(word, MOST_TEXT_BYTES));
                    }
                }
                Some(Reference::Command(Command { words, seconds }))
            }
            _ => {
                self.tell(byte, "project.fault.reference", &[]);
                None
            }
        }
    }

    /// Whether the definition has a buffer or an image of that name that is no scratch.
    fn is_memory(&self, name: &str, project: &Project) -> bool {
        self.broken.iter().any(|broken| broken == name) || project.problem.buffers.iter().any(|memory| memory.name == name)
    }

    fn hold_outputs(&mut self, project: &Project) {
        if self.broken.is_empty() && !project.problem.buffers.iter().any(|memory| memory.role != Role::Input) {
            self.tell(0, "project.fault.no-output", &[]);
        }
    }
}
