//! From a text to an expression's steps, or to what is wrong with it.

use super::{COMPARISONS, Expr, Fault, NOT_EXACT, Step};

/// So many expressions may stand within each other: each takes its part of the stack.
const MOST_DEEP: usize = 100;

/// The functions, and how many values each takes.
const FUNCTIONS: [(&str, usize); 9] =
    [("min", 2), ("max", 2), ("abs", 1), ("floor", 1), ("ceil", 1), ("round", 1), ("sqrt", 1), ("log2", 1), ("ceil_div", 2)];

/// Those of C's conditions; longer ones first, so that `<=` is not read as `<`.
const SIGNS: [&str; 16] = ["||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "(", ")"];

/// Those that C's conditions do not have.
const MORE_SIGNS: [&str; 4] = ["=", "?", ":", ","];

/// Reads an expression; one of C's preprocessor where it `is_whole`.
pub(super) fn parse(text: &str, is_whole: bool) -> Result<Expr, Fault> {
    let (tokens, end) = tokens(text, is_whole)?;
    let mut parser = Parser { tokens: &tokens, end, is_whole, depth: 0, steps: Vec::new() };
    let is_condition = parser.expression()?;
    match parser.tokens.first() {
        Some(token) => Err(token.fault("expr.extra")),
        None => Ok(Expr { text: text.to_owned(), steps: parser.steps, is_condition, is_whole }),
    }
}

#[derive(Clone, Copy)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
    column: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Number(f64),
    /// `true` or `false`.
    Truth(f64),
    Name,
    Sign(&'static str),
}

/// The tokens, and the column behind the last character.
fn tokens(text: &str, is_whole: bool) -> Result<(Vec<Token<'_>>, usize), Fault> {
    let (mut tokens, mut rest, mut column) = (Vec::new(), text, 1);
    while let Some(first) = rest.chars().next() {
        let signs = SIGNS.iter().chain(MORE_SIGNS.iter().filter(|_| !is_whole));
        let sign = signs.copied().find(|sign| rest.starts_with(sign));
        let length = match sign {
            Some(sign) => sign.len(),
            None => first.len_utf8().max(word_length(rest)),
        };
        let (text, after) = rest.split_at(length);
        let token = Token { kind: Kind::Name, text, column };
        if !first.is_whitespace() {
            let kind = sign.map_or_else(|| token.word(first, is_whole), |sign| Ok(Kind::Sign(if sign == "=" { "==" } else { sign })))?;
            tokens.push(Token { kind, ..token });
        }
        column += text.chars().count();
        rest = after;
    }
    Ok((tokens, column))
}

/// How many bytes of a name or number `text` begins with.
fn word_length(text: &str) -> usize {
    let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let mut before = ' ';
    let ends = |letter: char| {
        let is_sign_of_exponent = is_number && matches!(before, 'e' | 'E') && matches!(letter, '+' | '-');
        before = letter;
        !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.') || is_sign_of_exponent)
    };
    text.find(ends).unwrap_or(text.len())
}

impl Token<'_> {
    fn fault(&self, key: &'static str) -> Fault {
        Fault::new(self.column, key, &[("text", &self.text)])
    }

    /// What a token is that is no sign.
    fn word(&self, first: char, is_whole: bool) -> Result<Kind, Fault> {
        let wrong = |key| Err(self.fault(if is_whole { "expr.whole" } else { key }));
        match (first, self.text) {
            ('0'..='9' | '.', text) => {
                let is_exact = |number: f64| text.bytes().all(|byte| byte.is_ascii_digit()) && number < NOT_EXACT;
                let number = text.parse().ok().filter(|number: &f64| if is_whole { is_exact(*number) } else { number.is_finite() });
                number.map_or_else(|| wrong("expr.number"), |number| Ok(Kind::Number(number)))
            }
            ('A'..='Z' | 'a'..='z' | '_', text) if is_whole && !text.contains('.') => Ok(Kind::Name),
            _ if is_whole => wrong("expr.whole"),
            (_, "and") => Ok(Kind::Sign("&&")),
            (_, "or") => Ok(Kind::Sign("||")),
            (_, "true") => Ok(Kind::Truth(1.0)),
            (_, "false") => Ok(Kind::Truth(0.0)),
            ('A'..='Z' | 'a'..='z' | '_', _) => Ok(Kind::Name),
            _ => wrong("expr.character"),
        }
    }
}

struct Parser<'a> {
    /// Those that are still to be read.
    tokens: &'a [Token<'a>],
    /// The column behind all of them.
    end: usize,
    is_whole: bool,
    /// Expressions that are open.
    depth: usize,
    steps: Vec<Step>,
}

/// Each of these says whether the value is a yes or a no.
impl<'a> Parser<'a> {
    fn expression(&mut self) -> Result<bool, Fault> {
        self.depth += 1;
        if self.depth > MOST_DEEP {
            let column = self.tokens.first().map_or(self.end, |token| token.column);
            return Err(Fault::new(column, "expr.deep", &[("most", &MOST_DEEP)]));
        }
        let (mut choices, mut all_conditions) = (0, true);
        let mut is_condition = self.binary(0)?;
        while let Some(question) = self.take("?") {
            all_conditions &= self.expression()?;
            self.take(":").ok_or_else(|| question.fault("expr.colon"))?;
            // A further choice in the place of the other value is one of this loop.
            is_condition = self.binary(0)?;
            choices += 1;
        }
        self.steps.extend((0..choices).map(|_| Step::Choose));
        self.depth -= 1;
        Ok(is_condition && all_conditions)
    }

    /// Precedence climbing: everything that binds more tightly than `floor`.
    fn binary(&mut self, floor: u8) -> Result<bool, Fault> {
        let mut is_condition = self.signed()?;
        let mut is_compared = false;
        while let Some((token, operator, binds)) = self.operator().filter(|(.., binds)| *binds > floor) {
            let is_comparison = COMPARISONS.contains(&operator);
            if is_comparison && is_compared && !self.is_whole {
                return Err(token.fault("expr.chain"));
            }
            self.skip();
            let right = self.steps.len();
            self.binary(binds)?;
            self.steps.push(Step::Binary(operator, right));
            is_compared = is_comparison;
            is_condition = is_comparison || matches!(operator, "&&" | "||");
        }
        Ok(is_condition)
    }

    /// The operator that is next, and how tightly it binds; C's order.
    fn operator(&self) -> Option<(&'a Token<'a>, &'static str, u8)> {
        let token = self.tokens.first()?;
        let Kind::Sign(sign) = token.kind else { return None };
        let binds = match sign {
            "||" => 1,
            "&&" => 2,
            "==" | "!=" if self.is_whole => 3,
            "==" | "!=" | "<" | "<=" | ">" | ">=" => 4,
            "+" | "-" => 5,
            "*" | "/" | "%" => 6,
            _ => return None,
        };
        Some((token, sign, binds))
    }

    fn signed(&mut self) -> Result<bool, Fault> {
        let mut signs = Vec::new();
        while let Some(sign) = ["!", "-", "+"].into_iter().find(|sign| self.take(sign).is_some()) {
            signs.push(sign);
        }
        let is_condition = self.operand()?;
        self.steps.extend(signs.iter().rev().filter(|sign| **sign != "+").map(|sign| Step::Unary(sign)));
        Ok(signs.first().map_or(is_condition, |sign| *sign == "!"))
    }

    fn operand(&mut self) -> Result<bool, Fault> {
        let Some(token) = self.tokens.first() else { return Err(Fault::new(self.end, "expr.ends", &[])) };
        self.skip();
        match token.kind {
            Kind::Number(number) | Kind::Truth(number) => self.steps.push(Step::Number(number)),
            Kind::Name => match self.take("(") {
                Some(open) => self.call(token, open)?,
                None => self.steps.push(Step::Name { name: token.text.to_owned(), column: token.column }),
            },
            Kind::Sign("(") => {
                let is_condition = self.expression()?;
                self.close(token)?;
                return Ok(is_condition);
            }
            Kind::Sign(_) => return Err(token.fault("expr.value")),
        }
        Ok(matches!(token.kind, Kind::Truth(_)))
    }

    fn call(&mut self, function: &Token<'_>, open: &Token<'_>) -> Result<(), Fault> {
        if self.is_whole {
            return Err(function.fault("expr.whole"));
        }
        let Some((name, needs)) = FUNCTIONS.into_iter().find(|(name, _)| *name == function.text) else {
            return Err(Fault::unknown(function.column, "expr.function", function.text, FUNCTIONS.iter().map(|(name, _)| *name)));
        };
        let (mut given, mut last) = (0, self.steps.len());
        while given == 0 || self.take(",").is_some() {
            last = self.steps.len();
            self.expression()?;
            given += 1;
        }
        self.close(open)?;
        if given != needs {
            return Err(Fault::new(function.column, "expr.arguments", &[("name", &name), ("given", &given), ("needs", &needs)]));
        }
        self.steps.push(if needs == 1 { Step::Unary(name) } else { Step::Binary(name, last) });
        Ok(())
    }

    fn close(&mut self, open: &Token<'_>) -> Result<(), Fault> {
        match (self.take(")"), self.tokens.first()) {
            (Some(_), _) => Ok(()),
            (None, Some(other)) => Err(other.fault("expr.extra")),
            (None, None) => Err(open.fault("expr.open")),
        }
    }

    /// Takes the next token where it is this sign.
    fn take(&mut self, sign: &'static str) -> Option<&'a Token<'a>> {
        let token = self.tokens.first().filter(|token| token.kind == Kind::Sign(sign))?;
        self.skip();
        Some(token)
    }

    fn skip(&mut self) {
        self.tokens = self.tokens.get(1..).unwrap_or_default();
    }
}
