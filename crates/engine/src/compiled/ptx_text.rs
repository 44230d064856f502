//! The text of PTX in pieces: declarations, functions, their statements.

use base::texts;

/// A module's parts.
pub(super) struct Module {
    pub functions: Vec<Body>,
    /// Variables outside of functions, with their values.
    pub declarations: Vec<String>,
}

/// A function's text.
pub(super) struct Body {
    pub name: String,
    /// Kind and parameters.
    pub head: String,
    pub statements: Vec<Statement>,
}

/// A piece of a function.
pub(super) enum Statement {
    Label(String),
    Declaration(String),
    Instruction(String),
}

/// Without comments, and with one blank for many.
fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        let (before, behind) = rest.split_at(at);
        clean += before;
        rest = behind.find("*/").and_then(|end| behind.get(end + 2..)).unwrap_or("");
    }
    clean += rest;
    let lines = clean.lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The parts of a text.
///
/// # Errors
/// A clause: a function or a declaration is not closed.
pub(super) fn split(text: &str) -> Result<Module, String> {
    let clean = clean(text);
    let mut rest = clean.as_str();
    let mut module = Module { functions: Vec::new(), declarations: Vec::new() };
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(module);
        }
        if let Some(line) = [".version", ".target", ".address_size"].iter().find_map(|word| rest.strip_prefix(word)) {
            rest = behind_setting(line);
            continue;
        }
        let end = rest.find([';', '{']).ok_or_else(|| texts::text("code.reason.cut-declaration"))?;
        let (head, behind) = rest.split_at(end);
        let is_function = head.split_whitespace().any(|word| word == ".entry" || word == ".func" || word.starts_with(".entry("));
        if behind.starts_with(';') {
            if !is_function {
                module.declarations.push(head.trim().to_owned());
            }
            rest = behind.get(1..).unwrap_or("");
        } else if is_function {
            let (body, after) = braces(behind).ok_or_else(|| texts::text("code.reason.open-function"))?;
            module.functions.push(Body { name: function_name(head), head: head.trim().to_owned(), statements: statements(body) });
            rest = after;
        } else {
            // A variable with its values.
            let (_, after) = braces(behind).ok_or_else(|| texts::text("code.reason.open-declaration"))?;
            let length = rest.len() - after.len();
            module.declarations.push(rest.get(..length).unwrap_or(rest).trim().to_owned());
            rest = after.trim_start().strip_prefix(';').unwrap_or(after);
        }
    }
}

/// `.version 8.7`, `.target sm_90, texmode_independent` and `.address_size 64` end without a mark: with the last word that a comma does not announce.
fn behind_setting(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let end = rest.find(' ').unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        rest = behind.trim_start();
        if !word.ends_with(',') {
            return rest;
        }
    }
}

/// What stands between the brace at the beginning and the one that closes it, and what follows.
fn braces(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (index, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some((text.get(1..index)?, text.get(index + 1..)?));
        }
    }
    None
}

/// `laplace` of `.visible .entry laplace( .param …`, and of `.func (.param .b32 r) helper ( …`.
fn function_name(head: &str) -> String {
    let behind = head.split_once(".entry").or_else(|| head.split_once(".func")).map_or(head, |(_, behind)| behind).trim_start();
    let behind = if behind.starts_with('(') { behind.split_once(')').map_or(behind, |(_, behind)| behind) } else { behind };
    behind.trim_start().split(['(', ' ']).next().unwrap_or_default().to_owned()
}

/// Braces within a function are either a block, at the beginning of a statement, or a vector of operands.
fn statements(body: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut rest = body;
    loop {
        rest = rest.trim_start_matches([' ', ';', '{', '}']);
        if rest.is_empty() {
            return found;
        }
        let word_end = rest.find([' ', ';']).unwrap_or(rest.len());
        if let Some(label) = rest.get(..word_end).and_then(|word| word.strip_suffix(':')) {
            found.push(Statement::Label(label.to_owned()));
            rest = rest.get(word_end..).unwrap_or("");
            continue;
        }
        // Only here: many labels in a row would each look for it.
        let end = rest.find(';').unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or(rest).trim().to_owned();
        match text.as_str() {
            ".loc" | ".file" => {}
            _ if text.starts_with(".loc ") || text.starts_with(".pragma") => {}
            _ if text.starts_with('.') => found.push(Statement::Declaration(text)),
            _ => found.push(Statement::Instruction(text)),
        }
        rest = rest.get(end..).unwrap_or("");
    }
}
