//! Just enough of C's lexical rules: comments, literals, names and the balance of brackets.

/// Walks a file line by line and remembers an open block comment.
#[derive(Default)]
pub struct Scanner {
    in_comment: bool,
}

impl Scanner {
    /// Whether the next line begins inside a block comment.
    pub fn in_comment(&self) -> bool {
        self.in_comment
    }

    /// The line's code: comments become one space, and literals keep their quotes alone.
    pub fn code_of(&mut self, line: &str) -> String {
        let mut code = String::with_capacity(line.len());
        let mut literal: Option<char> = None;
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            let next = letters.peek().copied();
            match (literal, letter, next) {
                _ if self.in_comment => {
                    if (letter, next) == ('*', Some('/')) {
                        letters.next();
                        self.in_comment = false;
                    }
                }
                (Some(_), '\\', _) => {
                    letters.next();
                }
                (Some(quote), _, _) => {
                    if letter == quote {
                        code.push(quote);
                        literal = None;
                    }
                }
                (None, '/', Some('/')) => break,
                (None, '/', Some('*')) => {
                    letters.next();
                    code.push(' ');
                    self.in_comment = true;
                }
                (None, '"' | '\'', _) => {
                    code.push(letter);
                    literal = Some(letter);
                }
                (None, _, _) => code.push(letter),
            }
        }
        code
    }
}

/// The code of a line that stands alone.
pub fn code(line: &str) -> String {
    Scanner::default().code_of(line)
}

/// The keyword and the rest of a directive, where the code is one.
pub fn directive(code: &str) -> Option<(&str, &str)> {
    let body = code.trim().strip_prefix('#')?.trim_start();
    let end = body.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(body.len());
    let (keyword, rest) = body.split_at(end);
    Some((keyword, rest.trim()))
}

/// The identifiers in `code`.
pub fn names(code: &str) -> impl Iterator<Item = &str> {
    code.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| word.chars().next().is_some_and(|first| !first.is_ascii_digit()))
}

/// Open brackets, each kind on its own.
#[derive(Default)]
pub struct Balance {
    braces: usize,
    parentheses: usize,
    squares: usize,
}

impl Balance {
    /// Counts the brackets of one line of code.
    ///
    /// # Errors
    /// A bracket that closes what this branch or file did not open.
    pub fn count(&mut self, code: &str) -> Result<(), String> {
        for letter in code.chars() {
            let (open, is_opening) = match letter {
                '{' | '}' => (&mut self.braces, letter == '{'),
                '(' | ')' => (&mut self.parentheses, letter == '('),
                '[' | ']' => (&mut self.squares, letter == '['),
                _ => continue,
            };
            *open = if is_opening { Some(*open + 1) } else { open.checked_sub(1) }
                .ok_or_else(|| format!("'{letter}' closes what this branch did not open"))?;
        }
        Ok(())
    }

    /// Whether a parenthesis or a square bracket is open.
    pub fn in_parentheses(&self) -> bool {
        self.parentheses > 0 || self.squares > 0
    }

    /// # Errors
    /// "an open '{'".
    pub fn closed(&self) -> Result<(), String> {
        for (open, letter) in [(self.braces, '{'), (self.parentheses, '('), (self.squares, '[')] {
            if open > 0 {
                return Err(format!("an open '{letter}'"));
            }
        }
        Ok(())
    }
}
