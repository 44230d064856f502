//! The part of Python that T1 files have in their values, sizes and conditions: it is read to a tree, which is computed or written as an expression of a project.

use base::texts::clause;

/// A text has no more tokens: what is done with trees recurses.
const MOST_TOKENS: usize = 400;

/// So many operands may stand within each other.
const MOST_DEEP: usize = 160;

/// A list has no more values.
const MOST_VALUES: usize = 10_000;

/// So much is computed for one text, at most.
const MOST_STEPS: usize = 1_000_000;

/// A result, or what is wrong, as a clause.
pub type Read<T> = Result<T, String>;

/// A Python expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    Number(f64),
    Truth(bool),
    Word(String),
    Name(String),
    Negative(Box<Tree>),
    Not(Box<Tree>),
    /// `+ - * / // % **`, `and` and `or`.
    Binary(&'static str, Box<Tree>, Box<Tree>),
    /// The first value, and each next one with the sign before it.
    Compare(Box<Tree>, Vec<(&'static str, Tree)>),
    /// What is asked, and the values of yes and no.
    Choose(Box<[Tree; 3]>),
    Call(String, Vec<Tree>),
    Item(Box<[Tree; 2]>),
    List(Vec<Tree>),
    Each(Box<Each>),
}

/// `[item for name in over if when]`
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    item: Tree,
    name: String,
    over: Tree,
    when: Option<Tree>,
}

/// What a tree is computed to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number(f64),
    Word(String),
    List(Vec<Value>),
}

/// A name that expressions may have, with what is known of all its values.
pub struct Known<'a> {
    pub name: &'a str,
    pub is_word: bool,
    pub is_whole: bool,
    pub least: f64,
}

/// Reads a text.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse(text: &str) -> Read<Tree> {
    let tokens = tokens(text)?;
    if tokens.len() > MOST_TOKENS {
        return Err(clause("project.t1.fault.long", &[]));
    }
    let mut parser = Parser { tokens: &tokens, depth: 0 };
    let tree = parser.expression()?;
    parser.tokens.first().map_or(Ok(tree), |token| Err(token.unexpected()))
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Number(f64),
    Word,
    Name,
    Sign(&'static str),
}

#[derive(Clone, Copy)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
}

impl Token<'_> {
    fn unexpected(&self) -> String {
        clause("project.t1.fault.sign", &[("text", &self.text)])
    }
}

/// Longer ones first.
const SIGNS: [&str; 20] = ["**", "//", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",", "{", "}"];

/// Names that are signs.
const WORDS: [&str; 7] = ["and", "or", "not", "in", "if", "else", "for"];

fn tokens(text: &str) -> Read<Vec<Token<'_>>> {
    let (mut tokens, mut rest) = (Vec::new(), text.trim());
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit() || first == '.';
        let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
        let length = if let Some(sign) = sign {
            sign.len()
        } else if is_number || first.is_ascii_alphabetic() || first == '_' {
            word_length(rest, is_number)
        } else if first == '\'' || first == '"' {
            let end = rest.get(1..).and_then(|rest| rest.find(first));
            end.ok_or_else(|| clause("project.t1.fault.ends", &[]))? + 2
        } else {
            return Err(clause("project.t1.fault.sign", &[("text", &first)]));
        };
        let (token, after) = rest.split_at(length);
        let (kind, text) = match sign {
            Some(sign) => (Kind::Sign(sign), token),
            None if is_number => {
                let number = token.parse().ok().filter(|number: &f64| number.is_finite());
                (Kind::Number(number.ok_or_else(|| clause("project.t1.fault.sign", &[("text", &token)]))?), token)
            }
            None if first == '\'' || first == '"' => (Kind::Word, token.trim_matches(first)),
            None => (WORDS.into_iter().find(|word| *word == token).map_or(Kind::Name, Kind::Sign), token),
        };
        tokens.push(Token { kind, text });
        rest = after.trim_start();
    }
    Ok(tokens)
}

fn word_length(text: &str, is_number: bool) -> usize {
    let mut before = ' ';
    let ends = |letter: char| {
        let is_sign_of_exponent = is_number && matches!(before, 'e' | 'E') && matches!(letter, '+' | '-');
        before = letter;
        !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.') || is_sign_of_exponent)
    };
    text.find(ends).unwrap_or(text.len())
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    depth: usize,
}

/// How tightly signs bind; a unary minus is between 7 and 9.
fn binds(sign: &str) -> Option<u8> {
    Some(match sign {
        "or" => 1,
        "and" => 2,
        "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" => 4,
        "+" | "-" => 6,
        "*" | "/" | "//" | "%" => 7,
        "**" => 9,
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    fn sign(&self) -> Option<&'static str> {
        self.tokens.first().and_then(|token| if let Kind::Sign(sign) = token.kind { Some(sign) } else { None })
    }

    fn take(&mut self, sign: &str) -> bool {
        let is_it = self.sign() == Some(sign);
        if is_it {
            self.skip();
        }
        is_it
    }

    fn skip(&mut self) {
        self.tokens = self.tokens.get(1..).unwrap_or_default();
    }

    fn next(&mut self) -> Read<Token<'a>> {
        let token = *self.tokens.first().ok_or_else(|| clause("project.t1.fault.ends", &[]))?;
        self.skip();
        Ok(token)
    }

    fn expect(&mut self, sign: &str) -> Read<()> {
        match self.next()? {
            Token { kind: Kind::Sign(found), .. } if found == sign => Ok(()),
            other => Err(other.unexpected()),
        }
    }

    fn expression(&mut self) -> Read<Tree> {
        let yes = self.binary(0)?;
        if !self.take("if") {
            return Ok(yes);
        }
        let which = self.binary(0)?;
        self.expect("else")?;
        self.deeper()?;
        let no = self.expression()?;
        self.depth -= 1;
        Ok(Tree::Choose(Box::new([which, yes, no])))
    }

    fn deeper(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > MOST_DEEP { Err(clause("project.t1.fault.long", &[])) } else { Ok(()) }
    }

    /// Everything that binds more tightly than `floor`.
    fn binary(&mut self, floor: u8) -> Read<Tree> {
        self.deeper()?;
        let mut left = match self.sign() {
            Some("not") if floor < 4 => {
                self.skip();
                Tree::Not(Box::new(self.binary(3)?))
            }
            Some("-") => {
                self.skip();
                Tree::Negative(Box::new(self.binary(8)?))
            }
            Some("+") => {
                self.skip();
                self.binary(8)?
            }
            _ => self.operand()?,
        };
        while let Some((sign, binding)) = self.sign().and_then(|sign| Some((sign, binds(sign)?))).filter(|(_, binding)| *binding > floor) {
            if binding == 4 {
                left = Tree::Compare(Box::new(left), self.comparisons()?);
                continue;
            }
            self.skip();
            // A power's right side is one with its own signs and powers.
            let right = self.binary(if sign == "**" { 8 } else { binding })?;
            left = Tree::Binary(sign, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn comparisons(&mut self) -> Read<Vec<(&'static str, Tree)>> {
        let mut all = Vec::new();
        while let Some(sign) = self.sign().filter(|sign| binds(sign) == Some(4)) {
            self.skip();
            let sign = if sign == "not" {
                self.expect("in")?;
                "not-in"
            } else {
                sign
            };
            all.push((sign, self.binary(4)?));
        }
        Ok(all)
    }

    fn operand(&mut self) -> Read<Tree> {
        let token = self.next()?;
        let mut tree = match token.kind {
            Kind::Number(number) => Tree::Number(number),
            Kind::Word => Tree::Word(token.text.to_owned()),
            Kind::Name if token.text == "True" || token.text == "False" => Tree::Truth(token.text == "True"),
            Kind::Name if self.take("(") => Tree::Call(token.text.to_owned(), self.list(")")?.0),
            Kind::Name => Tree::Name(token.text.to_owned()),
            Kind::Sign("[") => {
                if self.take("]") {
                    return Ok(Tree::List(Vec::new()));
                }
                let first = self.expression()?;
                if self.take("for") { self.each(first)? } else { self.list_from(first)? }
            }
            Kind::Sign("(") => match self.list(")")? {
                (mut inside, false) if inside.len() == 1 => inside.pop().unwrap_or(Tree::List(Vec::new())),
                (inside, _) => Tree::List(inside),
            },
            Kind::Sign(_) => return Err(token.unexpected()),
        };
        while self.take("[") {
            let place = self.expression()?;
            self.expect("]")?;
            tree = Tree::Item(Box::new([tree, place]));
        }
        Ok(tree)
    }

    /// Values up to a closing sign, and whether there is a comma.
    fn list(&mut self, end: &str) -> Read<(Vec<Tree>, bool)> {
        let (mut all, mut has_comma) = (Vec::new(), false);
        while !self.take(end) {
            all.push(self.expression()?);
            if self.take(",") {
                has_comma = true;
            } else {
                self.expect(end)?;
                break;
            }
        }
        Ok((all, has_comma))
    }

    fn list_from(&mut self, first: Tree) -> Read<Tree> {
        let mut all = vec![first];
        if self.take(",") {
            all.extend(self.list("]")?.0);
        } else {
            self.expect("]")?;
        }
        Ok(Tree::List(all))
    }

    fn each(&mut self, item: Tree) -> Read<Tree> {
        let name = self.next()?;
        if name.kind != Kind::Name {
            return Err(name.unexpected());
        }
        self.expect("in")?;
        let over = self.binary(0)?;
        let when = if self.take("if") { Some(self.binary(0)?) } else { None };
        self.expect("]")?;
        Ok(Tree::Each(Box::new(Each { item, name: name.text.to_owned(), over, when })))
    }
}

/// What names stand for where a tree is computed.
pub type Scope<'a> = &'a dyn Fn(&str) -> Option<Value>;

impl Value {
    fn truth(is: bool) -> Self {
        Self::Number(f64::from(is))
    }

    fn number(self) -> Read<f64> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Word(word) => Err(clause("project.t1.fault.word", &[("text", &word)])),
            Self::List(_) => Err(clause("project.t1.fault.list", &[])),
        }
    }

    fn is_true(&self) -> bool {
        match self {
            Self::Number(number) => *number != 0.0,
            Self::Word(word) => !word.is_empty(),
            Self::List(list) => !list.is_empty(),
        }
    }

    fn list(self) -> Read<Vec<Self>> {
        if let Self::List(list) = self { Ok(list) } else { Err(clause("project.t1.fault.no-list", &[])) }
    }
}

impl Tree {
    /// Its value.
    ///
    /// # Errors
    /// What has no value.
    pub fn value(&self, scope: Scope) -> Read<Value> {
        self.compute(scope, &mut 0)
    }

    /// Its value, which is a number.
    ///
    /// # Errors
    /// What has no value, or another one.
    pub fn number(&self, scope: Scope) -> Read<f64> {
        self.value(scope)?.number()
    }

    fn compute(&self, scope: Scope, steps: &mut usize) -> Read<Value> {
        *steps += 1;
        if *steps > MOST_STEPS {
            return Err(clause("project.t1.fault.long", &[]));
        }
        Ok(match self {
            Self::Number(number) => Value::Number(*number),
            Self::Truth(is) => Value::truth(*is),
            Self::Word(word) => Value::Word(word.clone()),
            Self::Name(name) => scope(name).ok_or_else(|| clause("project.t1.fault.name", &[("name", name)]))?,
            Self::Negative(of) => Value::Number(-of.compute(scope, steps)?.number()?),
            Self::Not(of) => Value::truth(!of.compute(scope, steps)?.is_true()),
            Self::Binary(sign @ ("and" | "or"), left, right) => {
                let left = left.compute(scope, steps)?;
                if left.is_true() == (*sign == "or") { left } else { right.compute(scope, steps)? }
            }
            Self::Binary(sign, left, right) => {
                let (left, right) = (left.compute(scope, steps)?.number()?, right.compute(scope, steps)?.number()?);
                Value::Number(arithmetic(sign, left, right)?)
            }
            Self::Compare(first, others) => {
                let mut left = first.compute(scope, steps)?;
                for (sign, right) in others {
                    let right = right.compute(scope, steps)?;
                    if !compared(sign, &left, &right)? {
                        return Ok(Value::truth(false));
                    }
                    left = right;
                }
                Value::truth(true)
            }
            Self::Choose(parts) => {
                let [which, yes, no] = parts.as_ref();
                if which.compute(scope, steps)?.is_true() { yes.compute(scope, steps)? } else { no.compute(scope, steps)? }
            }
            Self::Item(parts) => {
                let [list, place] = parts.as_ref();
                let list = list.compute(scope, steps)?.list()?;
                let place = place.compute(scope, steps)?.number()?;
                let place = if place < 0.0 { place + list.len() as f64 } else { place };
                let is_place = place.fract() == 0.0 && (0.0..list.len() as f64).contains(&place);
                let found = if is_place { list.get(place as usize).cloned() } else { None };
                found.ok_or_else(|| clause("project.t1.fault.place", &[]))?
            }
            Self::List(list) => Value::List(list.iter().map(|tree| tree.compute(scope, steps)).collect::<Read<_>>()?),
            Self::Each(each) => {
                let mut all = Vec::new();
                for value in each.over.compute(scope, steps)?.list()? {
                    let inside = |name: &str| if name == each.name { Some(value.clone()) } else { scope(name) };
                    let is_in = each.when.as_ref().map_or(Ok(true), |when| when.compute(&inside, steps).map(|value| value.is_true()));
                    if is_in? {
                        all.push(each.item.compute(&inside, steps)?);
                    }
                }
                Value::List(all)
            }
            Self::Call(name, given) => {
                let given = given.iter().map(|tree| tree.compute(scope, steps)).collect::<Read<Vec<_>>>()?;
                called(name, given)?
            }
        })
    }
}

fn finite(number: f64) -> Read<f64> {
    if number.is_finite() { Ok(number) } else { Err(clause("project.t1.fault.infinite", &[])) }
}

fn arithmetic(sign: &str, left: f64, right: f64) -> Read<f64> {
    finite(match sign {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "//" => (left / right).floor(),
        // The remainder has the sign of the right side.
        "%" => left - right * (left / right).floor(),
        "**" => left.powf(right),
        _ => f64::NAN,
    })
}

fn compared(sign: &str, left: &Value, right: &Value) -> Read<bool> {
    let (one, other) = match (sign, left, right) {
        ("in" | "not-in", _, Value::List(list)) => return Ok(list.contains(left) == (sign == "in")),
        ("==", ..) => return Ok(left == right),
        ("!=", ..) => return Ok(left != right),
        _ => (left.clone().number()?, right.clone().number()?),
    };
    match sign {
        "<" => Ok(one < other),
        "<=" => Ok(one <= other),
        ">" => Ok(one > other),
        ">=" => Ok(one >= other),
        _ => Err(clause("project.t1.fault.no-list", &[])),
    }
}

fn called(name: &str, mut given: Vec<Value>) -> Read<Value> {
    let count = given.len();
    let unknown = || clause("project.t1.fault.function", &[("name", &name)]);
    let last = given.pop().ok_or_else(unknown)?;
    match (name, count) {
        ("list" | "tuple" | "sorted" | "set", 1) => Ok(Value::List(last.list()?)),
        ("len", 1) => Ok(Value::Number(last.list()?.len() as f64)),
        ("max" | "min" | "sum", _) => {
            let values = if count == 1 {
                last.list()?
            } else {
                given.push(last);
                given
            };
            let numbers = values.into_iter().map(Value::number).collect::<Read<Vec<_>>>()?;
            let found = match name {
                "max" => numbers.into_iter().reduce(f64::max),
                "min" => numbers.into_iter().reduce(f64::min),
                _ => Some(numbers.into_iter().sum()),
            };
            found.map(Value::Number).ok_or_else(|| clause("project.t1.fault.place", &[]))
        }
        ("range", 1..=3) => {
            given.push(last);
            let numbers = given.into_iter().map(Value::number).collect::<Read<Vec<_>>>()?;
            let (from, to, step) = match *numbers.as_slice() {
                [to] => (0.0, to, 1.0),
                [from, to] => (from, to, 1.0),
                [from, to, step] => (from, to, step),
                _ => return Err(unknown()),
            };
            range(from, to, step).map(Value::List)
        }
        ("pow", 2) => {
            let base = given.pop().ok_or_else(unknown)?.number()?;
            arithmetic("**", base, last.number()?).map(Value::Number)
        }
        (_, 1) => {
            let number = last.number()?;
            finite(match name.strip_prefix("math.").unwrap_or(name) {
                "abs" => number.abs(),
                "int" => number.trunc(),
                "float" => number,
                "bool" => f64::from(number != 0.0),
                "floor" => number.floor(),
                "ceil" => number.ceil(),
                "sqrt" => number.sqrt(),
                "log2" => number.log2(),
                "exp" => number.exp(),
                _ => return Err(unknown()),
            })
            .map(Value::Number)
        }
        _ => Err(unknown()),
    }
}

fn range(from: f64, to: f64, step: f64) -> Read<Vec<Value>> {
    let count = ((to - from) / step).ceil();
    if step == 0.0 || [from, to, step].iter().any(|number| number.fract() != 0.0) {
        return Err(clause("project.t1.fault.range", &[]));
    }
    if count > MOST_VALUES as f64 {
        return Err(clause("project.t1.fault.many", &[("most", &MOST_VALUES)]));
    }
    Ok((0..count.max(0.0) as usize).map(|index| Value::Number(from + step * index as f64)).collect())
}

/// How tightly the outermost sign of a written expression binds; those of [`base::expr`].
mod level {
    pub const CHOOSE: u8 = 0;
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const COMPARE: u8 = 4;
    pub const ADD: u8 = 5;
    pub const MULTIPLY: u8 = 6;
    pub const SIGNED: u8 = 7;
    pub const VALUE: u8 = 8;
}

/// A number as expressions and TOML have it.
pub fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 9e15 { format!("{number:.0}") } else { format!("{number:?}") }
}

/// Between brackets, where what is in it binds less than it has to.
fn held((text, binds): (String, u8), least: u8) -> String {
    if binds < least { format!("({text})") } else { text }
}

impl Tree {
    /// As an expression of a project: the same value for each configuration.
    ///
    /// # Errors
    /// What such expressions do not have.
    pub fn written(&self, known: &[Known]) -> Read<String> {
        self.print(known).map(|(text, _)| text)
    }

    /// The same as a factor.
    ///
    /// # Errors
    /// What such expressions do not have.
    pub fn factor(&self, known: &[Known]) -> Read<String> {
        self.operand(known, level::SIGNED)
    }

    /// The same as a size, which Python makes whole.
    ///
    /// # Errors
    /// What such expressions do not have.
    pub fn whole(&self, known: &[Known]) -> Read<String> {
        let text = self.written(known)?;
        Ok(if self.is_whole(known) { text } else { format!("floor({text})") })
    }

    /// Such a size as a factor.
    ///
    /// # Errors
    /// What such expressions do not have.
    pub fn whole_factor(&self, known: &[Known]) -> Read<String> {
        if self.is_whole(known) { self.factor(known) } else { self.whole(known) }
    }

    fn operand(&self, known: &[Known], least: u8) -> Read<String> {
        // In Python, `a and b` is one of both; in a project's expressions it is a yes or a no.
        if matches!(self, Self::Binary("and" | "or", ..)) && !self.is_truth() {
            return Err(clause("project.t1.fault.and", &[]));
        }
        self.print(known).map(|printed| held(printed, least))
    }

    fn print(&self, known: &[Known]) -> Read<(String, u8)> {
        Ok(match self {
            Self::Number(number) => (number_text(*number), level::VALUE),
            Self::Truth(is) => (is.to_string(), level::VALUE),
            Self::Word(word) => return Err(clause("project.t1.fault.word", &[("text", word)])),
            Self::Name(name) => match known.iter().find(|known| known.name == name) {
                Some(Known { is_word: false, .. }) => (name.clone(), level::VALUE),
                Some(_) => return Err(clause("project.t1.fault.word", &[("text", name)])),
                None => return Err(clause("project.t1.fault.name", &[("name", name)])),
            },
            Self::Negative(of) => (format!("-{}", of.operand(known, level::SIGNED)?), level::SIGNED),
            Self::Not(of) => (format!("!{}", held(of.print(known)?, level::SIGNED)), level::SIGNED),
            Self::Binary("or", left, right) => {
                (format!("{} || {}", held(left.print(known)?, level::OR), held(right.print(known)?, level::OR)), level::OR)
            }
            // Either way round, the value of several ones is the same.
            Self::Binary("and", left, right) => {
                (format!("{} && {}", held(left.print(known)?, level::AND), held(right.print(known)?, level::AND)), level::AND)
            }
            Self::Binary("**", left, right) => left.power(right, known)?,
            Self::Binary(sign, left, right) => {
                let binds = if matches!(*sign, "+" | "-") { level::ADD } else { level::MULTIPLY };
                let (one, other) = (left.operand(known, binds)?, right.operand(known, binds + 1)?);
                match *sign {
                    "//" => (format!("floor({one} / {other})"), level::VALUE),
                    "%" if !(left.is_positive(known) && right.is_positive(known)) => {
                        let one_added = left.operand(known, level::ADD)?;
                        (format!("{one_added} - {other} * floor({one} / {other})"), level::ADD)
                    }
                    sign => (format!("{one} {sign} {other}"), binds),
                }
            }
            Self::Compare(first, others) => {
                let mut left = first.as_ref();
                let mut parts = Vec::new();
                for (sign, right) in others {
                    parts.push(comparison(left, sign, right, known)?);
                    left = right;
                }
                match (parts.pop(), parts.is_empty()) {
                    (Some(only), true) => only,
                    (last, _) => {
                        let all: Vec<String> = parts.into_iter().chain(last).map(|part| held(part, level::COMPARE)).collect();
                        (all.join(" && "), level::AND)
                    }
                }
            }
            Self::Choose(parts) => {
                let [which, yes, no] = parts.as_ref();
                let which = held(which.print(known)?, level::OR);
                (format!("{which} ? {} : {}", yes.operand(known, level::OR)?, no.operand(known, level::OR)?), level::CHOOSE)
            }
            Self::Call(name, given) => print_call(name, given, known)?,
            Self::Item(_) | Self::List(_) | Self::Each(_) => return Err(clause("project.t1.fault.list", &[])),
        })
    }

    fn power(&self, exponent: &Self, known: &[Known]) -> Read<(String, u8)> {
        if let (Self::Number(base), Self::Number(exponent)) = (self, exponent) {
            return Ok((number_text(arithmetic("**", *base, *exponent)?), level::VALUE));
        }
        match (self, exponent) {
            (_, Self::Number(times)) if [1.0, 2.0, 3.0, 4.0].contains(times) => {
                let factor = self.operand(known, level::SIGNED)?;
                Ok((vec![factor; *times as usize].join(" * "), level::MULTIPLY))
            }
            (Self::Number(base), exponent)
                if *base >= 2.0 && base.fract() == 0.0 && exponent.is_whole(known) && exponent.is_positive(known) =>
            {
                let exponent = exponent.operand(known, level::MULTIPLY)?;
                Ok((format!("round(exp({exponent} * {:?}))", base.ln()), level::VALUE))
            }
            _ => Err(clause("project.t1.fault.power", &[])),
        }
    }

    /// Whether its value is a yes or a no.
    fn is_truth(&self) -> bool {
        match self {
            Self::Truth(_) | Self::Not(_) | Self::Compare(..) => true,
            Self::Binary("and" | "or", left, right) => left.is_truth() && right.is_truth(),
            _ => false,
        }
    }

    /// Whether no value of it is below 0.
    fn is_positive(&self, known: &[Known]) -> bool {
        match self {
            Self::Number(number) => *number >= 0.0,
            Self::Name(name) => known.iter().any(|known| known.name == name && known.least >= 0.0),
            Self::Binary("+" | "*" | "/" | "//" | "%" | "**" | "and" | "or", left, right) => {
                left.is_positive(known) && right.is_positive(known)
            }
            Self::Choose(parts) => {
                let [_, yes, no] = parts.as_ref();
                yes.is_positive(known) && no.is_positive(known)
            }
            Self::Call(name, given) => match name.strip_prefix("math.").unwrap_or(name) {
                "abs" | "sqrt" | "exp" => true,
                "max" => given.iter().any(|tree| tree.is_positive(known)),
                "min" | "floor" | "ceil" | "int" | "float" => given.iter().all(|tree| tree.is_positive(known)),
                _ => false,
            },
            _ => self.is_truth(),
        }
    }

    /// Whether all its values are whole numbers.
    fn is_whole(&self, known: &[Known]) -> bool {
        match self {
            Self::Number(number) => number.fract() == 0.0,
            Self::Name(name) => known.iter().any(|known| known.name == name && known.is_whole),
            Self::Negative(of) => of.is_whole(known),
            Self::Binary("//", ..) => true,
            Self::Binary("+" | "-" | "*" | "%" | "and" | "or", left, right) => left.is_whole(known) && right.is_whole(known),
            Self::Choose(parts) => {
                let [_, yes, no] = parts.as_ref();
                yes.is_whole(known) && no.is_whole(known)
            }
            Self::Call(name, given) => match name.strip_prefix("math.").unwrap_or(name) {
                "floor" | "ceil" | "int" => true,
                "max" | "min" | "abs" => given.iter().all(|tree| tree.is_whole(known)),
                _ => false,
            },
            _ => self.is_truth(),
        }
    }
}

fn comparison(left: &Tree, sign: &str, right: &Tree, known: &[Known]) -> Read<(String, u8)> {
    let one = left.operand(known, level::ADD)?;
    if !matches!(sign, "in" | "not-in") {
        return Ok((format!("{one} {sign} {}", right.operand(known, level::ADD)?), level::COMPARE));
    }
    let Tree::List(list) = right else { return Err(clause("project.t1.fault.no-list", &[])) };
    let (sign, between, binds) = if sign == "in" { ("==", " || ", level::OR) } else { ("!=", " && ", level::AND) };
    let all = list.iter().map(|other| Ok(format!("{one} {sign} {}", other.operand(known, level::ADD)?))).collect::<Read<Vec<_>>>()?;
    Ok(match all.as_slice() {
        [] => ((sign == "!=").to_string(), level::VALUE),
        [only] => (only.clone(), level::COMPARE),
        _ => (all.join(between), binds),
    })
}

fn print_call(name: &str, given: &[Tree], known: &[Known]) -> Read<(String, u8)> {
    let unknown = || clause("project.t1.fault.function", &[("name", &name)]);
    let name = name.strip_prefix("math.").unwrap_or(name);
    let given = match given {
        [Tree::List(list)] if matches!(name, "max" | "min") => list.as_slice(),
        other => other,
    };
    let text = match (name, given) {
        ("max" | "min", [first, rest @ ..]) => {
            let mut text = first.operand(known, level::CHOOSE)?;
            for next in rest {
                text = format!("{name}({text}, {})", next.operand(known, level::CHOOSE)?);
            }
            if rest.is_empty() {
                return Err(clause("project.t1.fault.no-list", &[]));
            }
            text
        }
        ("pow", [base, exponent]) => return base.power(exponent, known),
        ("abs" | "floor" | "ceil" | "sqrt" | "log2" | "exp", [of]) => format!("{name}({})", of.operand(known, level::CHOOSE)?),
        ("int", [of]) if of.is_positive(known) => format!("floor({})", of.operand(known, level::CHOOSE)?),
        ("float", [of]) => return Ok((of.operand(known, level::VALUE)?, level::VALUE)),
        ("bool", [of]) => return Ok((format!("{} != 0", of.operand(known, level::ADD)?), level::COMPARE)),
        _ => return Err(unknown()),
    };
    Ok((text, level::VALUE))
}

#[cfg(test)]
mod tests {
    use super::{Known, Tree, Value, parse};
    use base::expr::Expr;

    fn numbers(text: &str) -> Vec<f64> {
        let value = parse(text).and_then(|tree| tree.value(&|_| None)).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        let Value::List(list) = value else { panic!("{text} is no list") };
        list.into_iter().map(|value| if let Value::Number(number) = value { number } else { panic!("{text}: {value:?}") }).collect()
    }

    #[test]
    fn lists_and_comprehensions_have_the_values_that_python_gives_them() {
        assert_eq!(numbers("[16*i for i in range(1,9)]"), [16.0, 32.0, 48.0, 64.0, 80.0, 96.0, 112.0, 128.0]);
        assert_eq!(numbers("[2**i for i in range(6)]"), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
        assert_eq!(numbers("[i for i in range(3,12,2)]"), [3.0, 5.0, 7.0, 9.0, 11.0]);
        assert_eq!(numbers("[i for i in range(3, 0, -1)]"), [3.0, 2.0, 1.0]);
        assert_eq!(numbers("[0, 1]"), [0.0, 1.0]);
        assert_eq!(numbers("[True, False,]"), [1.0, 0.0]);
        assert_eq!(numbers("list(range(4))"), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(numbers("[i for i in range(1, 13) if 12 % i == 0 and not i == 1]"), [2.0, 3.0, 4.0, 6.0, 12.0]);
        assert_eq!(
            numbers("[-7 // 2, -7 % 3, 7 / 2, -2**2, 2**-1, 2**3**2, 1e-3, (1 + 2) * 3]"),
            [-4.0, 2.0, 3.5, -4.0, 0.5, 512.0, 0.001, 9.0]
        );
        assert_eq!(numbers("[1 if i > 1 else 0 for i in (1, 2)]"), [0.0, 1.0]);
    }

    #[test]
    fn what_is_no_such_list_is_refused_and_nothing_runs_away() {
        let deep = format!("{}1{}", "(".repeat(300), ")".repeat(300));
        let signs = format!("[{}1]", "-".repeat(399));
        let long = "1+".repeat(5000) + "1";
        let texts = [
            "",
            "[",
            "[1, 2",
            "[i for i in range(9)",
            "[i for 3 in range(9)]",
            "[i for i in 3]",
            "open('x')",
            "[1 2]",
            "[x]",
            "1 + not 2",
            "'a",
            "[1; 2]",
            "{1}",
            "[i for i in range(1, 2, 0)]",
            "[i for i in range(10**9)]",
            "[1 / 0]",
            "['a' * 2]",
            "[[1][5]]",
            "max([])",
            "lambda: 0",
            "[1.2.3]",
            "[é]",
            "[[[k for k in range(1000)] for i in range(1000)] for j in range(1000)]",
            "not",
            "1 not 2",
            deep.as_str(),
            signs.as_str(),
            long.as_str(),
        ];
        for text in texts {
            assert!(parse(text).and_then(|tree| tree.value(&|_| None)).is_err(), "{}", text.chars().take(40).collect::<String>());
        }
    }

    const KNOWN: [Known<'static>; 4] = [
        Known { name: "a", is_word: false, is_whole: true, least: 1.0 },
        Known { name: "b", is_word: false, is_whole: true, least: 0.0 },
        Known { name: "n", is_word: false, is_whole: false, least: -8.0 },
        Known { name: "w", is_word: true, is_whole: false, least: 0.0 },
    ];

    fn written(text: &str) -> Result<String, String> {
        parse(text).and_then(|tree: Tree| tree.written(&KNOWN))
    }

    #[test]
    fn conditions_are_written_with_the_precedence_that_they_had() {
        for (python, ours) in [
            ("a==0 or (b % 32 != 0)", "a == 0 || b % 32 != 0"),
            ("(a or b) and a > 1", "(a || b) && a > 1"),
            ("not a == b", "!(a == b)"),
            ("not (a and b) or a", "!(a && b) || a"),
            ("1 < a <= b < 9", "1 < a && a <= b && b < 9"),
            ("a // b * 2 - (a - b)", "floor(a / b) * 2 - (a - b)"),
            ("(a + b) // 2 % 4", "floor((a + b) / 2) % 4"),
            ("n % 4", "n - 4 * floor(n / 4)"),
            ("a * (n - 1) % b", "a * (n - 1) - b * floor(a * (n - 1) / b)"),
            ("a / (b / 2)", "a / (b / 2)"),
            ("-a ** 2", "-(a * a)"),
            ("(a + 1) ** 2", "(a + 1) * (a + 1)"),
            ("2 ** 10 > a", "1024 > a"),
            ("a in [1, 2] and b not in (3, 4)", "(a == 1 || a == 2) && b != 3 && b != 4"),
            ("max(a, b, 3) == min(a, b)", "max(max(a, b), 3) == min(a, b)"),
            ("(1 if a > 2 else 0) == b", "(a > 2 ? 1 : 0) == b"),
            ("(a > 1) + (b > 1) <= 1", "(a > 1) + (b > 1) <= 1"),
            ("(a > 1 or b > 1) == True", "(a > 1 || b > 1) == true"),
        ] {
            assert_eq!(written(python).as_deref(), Ok(ours), "{python}");
        }
    }

    #[test]
    fn what_is_written_has_the_value_that_python_computes() {
        let texts = [
            "a==0 or (b % 32 != 0)",
            "not a == b",
            "1 < a <= b < 9",
            "(a + b) // 2 % 4",
            "n % 4",
            "n // 3 - n % 3 * 2",
            "-a ** 2 + b",
            "2 ** b",
            "a ** 3 // 7",
            "a in [1, 2] or n not in (3, -4)",
            "max(a, b, 3) - min(a, n)",
            "n % 4 * 2 + 1",
            "1 - n % 4",
            "(a if a > b else b) % 3 == 0",
            "abs(n) // 2",
            "n - (a - b) - 1",
            "int(a / 2) + float(b)",
            "a / (b + 1) / 2 * 3",
            "not not a",
            "- - n",
            "(n % -3) + (a % 5)",
        ];
        for text in texts {
            let (tree, ours) = (parse(text).expect("read"), written(text).unwrap_or_else(|fault| panic!("{text}: {fault}")));
            let expr = Expr::parse(&ours).unwrap_or_else(|fault| panic!("{ours}: {fault:?}"));
            for (a, b, n) in [(1.0, 0.0, -8.0), (2.0, 5.0, -3.0), (7.0, 3.0, 4.0), (32.0, 64.0, 2.5), (5.0, 5.0, 0.0)] {
                let of = |name: &str| [("a", a), ("b", b), ("n", n)].iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
                let python = tree.number(&|name| of(name).map(Value::Number)).expect("a value");
                let is = expr.value(&of).unwrap_or_else(|| panic!("{ours} has no value"));
                assert!((is - python).abs() <= 1e-9 * python.abs().max(1.0), "{text} is {python}, {ours} is {is}, for {a}, {b}, {n}");
            }
        }
    }

    #[test]
    fn what_expressions_do_not_have_is_refused() {
        for text in [
            "c > 1",
            "w == 'float'",
            "a == 'x'",
            "a ** b",
            "n ** 0.5",
            "a in b",
            "[a]",
            "max(a)",
            "round(a)",
            "(a or b) + 1",
            "int(n)",
            "a[0]",
            "f(a)",
        ] {
            assert!(written(text).is_err(), "{text}");
        }
    }
}
