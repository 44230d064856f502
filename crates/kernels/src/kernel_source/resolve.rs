//! Specializes a kernel file: conditions are decided, defaults take the chosen values, and what was not chosen leaves no trace.
//!
//! The input is OpenCL C that a compiler takes as it stands. It may hold these directives, each on one line:
//!
//! - `#include "name.clh"`, a file beside the one that includes it, or `#include "common/name.clh"`, a path from `kernels/`. It may stand in a
//!   function's body: the file then holds statements.
//! - `#if` / `#elif` / `#else` / `#endif` on integers and known names, see [`Expr::whole`]. Known are the names that have a default above.
//! - A documented default at the top level: the three lines `#ifndef NAME`, `#define NAME integer // what it means`, `#endif`. It becomes
//!   `#define NAME chosen // what it means` where the remaining text uses the name as a value, and vanishes with the comment lines
//!   directly above it where it does not. Of several defaults of one name, the first counts.
//! - `#define NAME text` without parameters, which vanishes in the same way where no line that remains uses the name.
//! - `#pragma unroll`, with a count of 2 or 4 or without, and the pragma that enables half precision, kept as they are.
//!
//! Not supported, and an error with file and line like everything else: other directives, `defined`, continued lines, branches that are
//! not balanced in braces or that stand inside parentheses, branches more than three deep in one file, and names in a condition without a default.
//!
//! A comment belongs to the branch that it stands in. Runs of blank lines become one, and none is left after `{` or before `}`.

use super::scan::{self, Balance, Scanner};
use base::expr::Expr;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Branches of one file may nest so deep.
const MAX_DEPTH: usize = 3;

/// The pragmas that pass.
const PRAGMAS: [&str; 4] = ["unroll", "unroll 2", "unroll 4", "OPENCL EXTENSION cl_khr_fp16 : enable"];

/// One kernel file: its name in `kernels/` and its text.
pub type SourceFile = (&'static str, &'static str);

/// `file` with every choice of `defines` made; `library` has the files that it may include.
///
/// # Errors
/// `file:line: what is wrong`.
pub fn resolve(file: (&str, &str), library: &[(&str, &str)], defines: &BTreeMap<&str, i64>) -> Result<String, String> {
    let mut resolver =
        Resolver { library, defines, known: BTreeMap::new(), branches: Vec::new(), including: Vec::new(), lines: Vec::new() };
    resolver.file(file.0, file.1)?;
    Ok(tidy(&without_unused_defines(resolver.lines)))
}

/// One line that was kept.
struct Line {
    text: String,
    /// What may use other names: the text without comments and literals, of a `#define` only what follows the name.
    code: String,
    /// The name that a `#define` gives a value.
    defined: Option<String>,
}

/// Which lines of an `#if` are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// Those of a branch that is still to come, where one is chosen.
    Ahead,
    /// Those of the present branch.
    Here,
    /// No more: an earlier branch was kept, or the `#if` stands in lines that are not.
    Over,
}

/// An `#if` that is open.
struct Branch {
    /// Line of the `#if`, for messages.
    line: usize,
    choice: Choice,
    seen_else: bool,
    balance: Balance,
}

struct Resolver<'a> {
    library: &'a [(&'a str, &'a str)],
    defines: &'a BTreeMap<&'a str, i64>,
    /// Names with a default above, and their chosen values.
    known: BTreeMap<String, i64>,
    branches: Vec<Branch>,
    including: Vec<String>,
    lines: Vec<Line>,
}

/// A line with its directive taken apart.
struct Directive<'a> {
    keyword: &'a str,
    rest: &'a str,
    /// The whole line.
    text: &'a str,
}

impl Resolver<'_> {
    fn file(&mut self, name: &str, text: &str) -> Result<(), String> {
        let outer_depth = self.branches.len();
        self.including.push(name.to_owned());
        let mut balance = Balance::default();
        let mut scanner = Scanner::default();
        let mut lines = text.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            let at = |sentence: String| format!("{name}:{}: {sentence}", index + 1);
            let in_comment = scanner.in_comment();
            let code = scanner.code_of(line);
            match scan::directive(&code).filter(|_| !in_comment) {
                None => {
                    let inner = self.branches.get_mut(outer_depth..).and_then(<[Branch]>::last_mut).map(|branch| &mut branch.balance);
                    inner.unwrap_or(&mut balance).count(&code).map_err(at)?;
                    self.keep(line, code, None);
                }
                Some((_, rest)) if rest.ends_with('\\') => return Err(at("a directive must not continue on the next line".to_owned())),
                Some(("ifndef", rest)) => {
                    let default = [lines.next(), lines.next()].map(|next| next.map_or("", |(_, line)| line));
                    self.default(rest, default).map_err(at)?;
                }
                Some(("include", _)) => self.include(line).map_err(|sentence| self.located(sentence, &at))?,
                Some((keyword, rest)) => {
                    let directive = Directive { keyword, rest, text: line };
                    self.directive(&directive, &code, index + 1, outer_depth, &balance).map_err(at)?;
                }
            }
        }
        if let Some(branch) = self.branches.get(outer_depth) {
            return Err(format!("{name}:{}: this '#if' has no '#endif'", branch.line));
        }
        balance.closed().map_err(|sentence| format!("{name}:{}: the file ends with {sentence}", text.lines().count()))?;
        self.including.pop();
        Ok(())
    }

    /// An error of an included file names that file already.
    fn located(&self, sentence: String, at: &dyn Fn(String) -> String) -> String {
        if self.library.iter().any(|(name, _)| sentence.starts_with(&format!("{name}:"))) { sentence } else { at(sentence) }
    }

    fn active(&self) -> bool {
        self.branches.last().is_none_or(|branch| branch.choice == Choice::Here)
    }

    fn keep(&mut self, text: &str, code: String, defined: Option<String>) {
        if self.active() {
            self.lines.push(Line { text: text.trim_end().to_owned(), code, defined });
        }
    }

    /// The three lines of a documented default.
    fn default(&mut self, name: &str, [define, endif]: [&str; 2]) -> Result<(), String> {
        if !self.branches.is_empty() {
            return Err(format!("the default of '{name}' stands inside a branch"));
        }
        let shape = || format!("expected '#ifndef {name}', '#define {name} integer' and '#endif' on three lines");
        let code = scan::code(define);
        let ("define", body) = scan::directive(&code).ok_or_else(shape)? else { return Err(shape()) };
        let (defined, value) = body.split_once(char::is_whitespace).ok_or_else(shape)?;
        let default: i64 = value.trim().parse().map_err(|_| shape())?;
        if defined != name || scan::directive(&scan::code(endif)) != Some(("endif", "")) {
            return Err(shape());
        }
        let chosen = self.defines.get(name).copied().unwrap_or(default);
        if let Entry::Vacant(place) = self.known.entry(name.to_owned()) {
            place.insert(chosen);
            let comment = define.find("//").map_or("", |start| define.split_at(start).1);
            let text = format!("#define {name} {chosen} {comment}");
            self.keep(&text, String::new(), Some(name.to_owned()));
        }
        Ok(())
    }

    fn include(&mut self, line: &str) -> Result<(), String> {
        // The scanned code has its literals emptied, so the name is read from the line itself.
        let name = line.split('"').nth(1).filter(|_| line.matches('"').count() == 2).ok_or("expected '#include \"name.clh\"'")?;
        let library = self.library;
        let folder = self.including.last().and_then(|outer| outer.rsplit_once('/')).map(|(folder, _)| format!("{folder}/{name}"));
        let found = folder.as_deref().into_iter().chain([name]).find_map(|path| library.iter().find(|(known, _)| *known == path));
        let (name, text) = found.ok_or_else(|| format!("there is no file '{name}'"))?;
        if self.including.iter().any(|outer| outer == name) {
            return Err(format!("'{name}' includes itself"));
        }
        self.file(name, text)
    }

    fn directive(&mut self, directive: &Directive<'_>, code: &str, line: usize, outer_depth: usize, file: &Balance) -> Result<(), String> {
        let Directive { keyword, rest, text } = *directive;
        match keyword {
            "if" => self.open(rest, line, outer_depth, file),
            "elif" | "else" | "endif" if self.branches.len() == outer_depth => Err(format!("'#{keyword}' without '#if'")),
            "elif" => {
                let value = self.condition(rest)?;
                self.next_branch(value)
            }
            "else" | "endif" if !rest.is_empty() => Err(format!("'{rest}' does not belong after '#{keyword}'")),
            "else" => {
                self.next_branch(true)?;
                self.branches.iter_mut().next_back().into_iter().for_each(|branch| branch.seen_else = true);
                Ok(())
            }
            "endif" => self.branches.pop().map_or(Ok(()), |branch| branch.ended()),
            "define" => {
                let name = rest.split_whitespace().next().unwrap_or_default();
                if name.is_empty() || name.contains('(') {
                    return Err("only '#define NAME text' without parameters is allowed".to_owned());
                }
                if self.known.contains_key(name) {
                    return Err(format!("'{name}' has a default and cannot be defined again"));
                }
                let value = rest.split_at(name.len()).1;
                self.keep(text, value.to_owned(), Some(name.to_owned()));
                Ok(())
            }
            "pragma" if PRAGMAS.contains(&rest) => {
                self.keep(text, code.to_owned(), None);
                Ok(())
            }
            _ => Err(format!("directive '#{keyword}' is not allowed")),
        }
    }

    fn condition(&self, text: &str) -> Result<bool, String> {
        let condition = Expr::whole(text).and_then(|condition| condition.check(self.known.keys().map(String::as_str)).map(|()| condition));
        let condition = condition.map_err(|fault| fault.sentence)?;
        let value = condition.value(&|name| self.known.get(name).map(|value| *value as f64));
        value.map(|value| value != 0.0).ok_or_else(|| format!("'{condition}' has no value"))
    }

    fn open(&mut self, condition: &str, line: usize, outer_depth: usize, file: &Balance) -> Result<(), String> {
        if self.branches.len() == outer_depth + MAX_DEPTH {
            return Err(format!("branches nest more than {MAX_DEPTH} deep; choose between two functions instead"));
        }
        let around = self.branches.get(outer_depth..).and_then(<[Branch]>::last).map_or(file, |branch| &branch.balance);
        if around.in_parentheses() {
            return Err("a branch must not cut a parameter list; choose between two functions instead".to_owned());
        }
        let choice = match (self.active(), self.condition(condition)?) {
            (false, _) => Choice::Over,
            (true, true) => Choice::Here,
            (true, false) => Choice::Ahead,
        };
        self.branches.push(Branch { line, choice, seen_else: false, balance: Balance::default() });
        Ok(())
    }

    fn next_branch(&mut self, chosen: bool) -> Result<(), String> {
        let Some(branch) = self.branches.last_mut() else { return Ok(()) };
        branch.ended()?;
        if branch.seen_else {
            return Err("this branch comes after '#else'".to_owned());
        }
        branch.balance = Balance::default();
        branch.choice = match branch.choice {
            Choice::Ahead if chosen => Choice::Here,
            Choice::Ahead => Choice::Ahead,
            Choice::Here | Choice::Over => Choice::Over,
        };
        Ok(())
    }
}

impl Branch {
    fn ended(&self) -> Result<(), String> {
        self.balance.closed().map_err(|sentence| format!("the branch of line {} ends with {sentence}", self.line))
    }
}

/// Drops the defines whose names no line that remains uses, with the comment lines directly above them.
fn without_unused_defines(mut lines: Vec<Line>) -> Vec<Line> {
    loop {
        let before = lines.len();
        let used: BTreeSet<String> = lines.iter().flat_map(|line| scan::names(&line.code)).map(str::to_owned).collect();
        let mut kept: Vec<Line> = Vec::with_capacity(before);
        for line in lines {
            if line.defined.as_deref().is_none_or(|name| used.contains(name)) {
                kept.push(line);
            } else {
                while kept.last().is_some_and(|above| above.text.trim_start().starts_with("//")) {
                    kept.pop();
                }
            }
        }
        // A define may have been the only one to use another.
        if kept.len() == before {
            return kept;
        }
        lines = kept;
    }
}

/// One blank line where there were several; none at either end, after `{` or before `}`.
fn tidy(lines: &[Line]) -> String {
    let mut text = String::new();
    let mut after: Option<&str> = None;
    let mut blank = false;
    for line in lines.iter().map(|line| line.text.as_str()) {
        if line.is_empty() {
            blank = true;
            continue;
        }
        let keeps_blank = after.is_some_and(|above| !above.ends_with('{')) && !line.trim_start().starts_with('}');
        if blank && keeps_blank {
            text.push('\n');
        }
        text.push_str(line);
        text.push('\n');
        blank = false;
        after = Some(line);
    }
    text
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
