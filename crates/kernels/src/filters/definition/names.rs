//! The names that a definition's expressions know, and what they stand for.

use crate::launch::Shape;
use base::expr::Expr;
use model::{BorderMode, Parameters, Setting, StageId, Variant};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The name of a value's place in a table.
pub const INDEX: &str = "index";

/// What a name needs to have a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs(u8);

impl Needs {
    pub const PARAMETERS: Self = Self(1);
    pub const STAGES: Self = Self(2);
    pub const SETTING: Self = Self(4);
    pub const SIZE: Self = Self(8);
    /// Width and height of the source, which are known without a variant.
    pub const SOURCE_SIZE: Self = Self(16);
    pub const ALL: Self = Self(31);

    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn are_in(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

/// What a picture and a variant over it have.
type OfPicture = fn(&Shape) -> usize;

/// What a name stands for.
#[derive(Clone, Debug)]
enum Meaning {
    /// A parameter, with its value at the start.
    Parameter(f64),
    /// A stage's value.
    Stage(StageId),
    /// Whether a stage has this value.
    Value(StageId, u8),
    /// The expression that the definition has under the name, with its place among those.
    Let(Expr, usize),
    /// Whether this is the border mode.
    Border(BorderMode),
    Channels,
    Picture(OfPicture),
    /// Width or height of the source.
    Side(usize),
}

#[derive(Clone, Debug)]
struct Name {
    word: String,
    needs: Needs,
    meaning: Meaning,
}

/// The names that a definition's expressions know.
#[derive(Clone, Debug)]
pub struct Names {
    all: Vec<Name>,
    lets: usize,
}

impl Default for Names {
    /// What every picture and variant has.
    fn default() -> Self {
        let mut names = Self { all: Vec::new(), lets: 0 };
        names.add("channels", Needs::SETTING, Meaning::Channels);
        for border in BorderMode::ALL {
            names.add(&format!("border_{}", border.name()), Needs::SETTING, Meaning::Border(border));
        }
        for (side, name) in ["width", "height"].into_iter().enumerate() {
            names.add(name, Needs::SOURCE_SIZE, Meaning::Side(side));
        }
        let of_picture: [(&str, OfPicture); 3] = [
            ("row_bytes", |shape| shape.width_px * shape.channels().count()),
            ("owned_bytes", |shape| shape.owned().bytes),
            ("owned_rows", |shape| shape.owned().rows),
        ];
        for (name, of) in of_picture {
            names.add(name, Needs::SIZE, Meaning::Picture(of));
        }
        names
    }
}

impl Names {
    fn add(&mut self, name: &str, needs: Needs, meaning: Meaning) {
        self.all.push(Name { word: name.to_owned(), needs, meaning });
    }

    pub fn add_parameter(&mut self, name: &str, start: f64) {
        self.add(name, Needs::PARAMETERS, Meaning::Parameter(start));
    }

    /// A stage, and its values that have a name which is no number: `access` and `access_int4`.
    pub fn add_stage(&mut self, id: StageId) {
        let stage = id.stage();
        let name = stage.name.replace('-', "_");
        self.add(&name, Needs::STAGES, Meaning::Stage(id));
        for value in stage.values.iter().filter(|value| value.name.starts_with(|letter: char| letter.is_ascii_alphabetic())) {
            self.add(&format!("{name}_{}", value.name), Needs::STAGES, Meaning::Value(id, value.value));
        }
    }

    /// An expression over names that are there already.
    pub fn add_let(&mut self, name: &str, expr: Expr) {
        let needs = expr.names().filter_map(|(name, _)| self.find(name)).fold(Needs::default(), |needs, name| needs.and(name.needs));
        self.add(name, needs, Meaning::Let(expr, self.lets));
        self.lets += 1;
    }

    fn find(&self, name: &str) -> Option<&Name> {
        self.all.iter().find(|known| known.word == name)
    }

    pub fn is_known(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Those that have a value where so much is known.
    pub fn where_known(&self, known: Needs) -> Vec<String> {
        self.all.iter().filter(|name| name.needs.are_in(known)).map(|name| name.word.clone()).collect()
    }

    /// The stages.
    pub fn stages(&self) -> impl Iterator<Item = (&str, StageId)> {
        self.all.iter().filter_map(|name| match name.meaning {
            Meaning::Stage(id) => Some((name.word.as_str(), id)),
            _ => None,
        })
    }
}

/// What is known where an expression is computed.
pub struct Scope<'a> {
    names: &'a Names,
    parameters: Option<&'a Parameters>,
    variant: Option<&'a Variant>,
    setting: Option<Setting>,
    shape: Option<&'a Shape<'a>>,
    /// Width and height of the source.
    size_px: Option<[usize; 2]>,
    /// What was computed of the definition's own names: each once, however often it is used.
    lets: RefCell<BTreeMap<usize, Option<f64>>>,
}

impl<'a> Scope<'a> {
    fn new(names: &'a Names) -> Self {
        Self { names, parameters: None, variant: None, setting: None, shape: None, size_px: None, lets: RefCell::default() }
    }

    pub fn of_parameters(names: &'a Names, parameters: &'a Parameters) -> Self {
        Self { parameters: Some(parameters), ..Self::new(names) }
    }

    pub fn of_variant(names: &'a Names, variant: &'a Variant) -> Self {
        Self { variant: Some(variant), ..Self::new(names) }
    }

    pub fn of_setting(names: &'a Names, variant: &'a Variant, setting: Setting) -> Self {
        Self { setting: Some(setting), ..Self::of_variant(names, variant) }
    }

    pub fn with_parameters(self, parameters: &'a Parameters) -> Self {
        Self { parameters: Some(parameters), ..self }
    }

    pub fn of_shape(names: &'a Names, shape: &'a Shape<'a>) -> Self {
        let size_px = Some([shape.width_px, shape.height_px]);
        Self { shape: Some(shape), size_px, ..Self::of_setting(names, shape.variant, shape.setting).with_parameters(shape.parameters) }
    }

    pub fn of_size(names: &'a Names, parameters: &'a Parameters, size_px: [usize; 2]) -> Self {
        Self { size_px: Some(size_px), ..Self::of_parameters(names, parameters) }
    }

    fn value(&self, name: &str) -> Option<f64> {
        let known = self.names.find(name)?;
        let yes_or_no = |is: bool| f64::from(u8::from(is));
        match &known.meaning {
            Meaning::Parameter(start) => self.parameters.map(|parameters| parameters.0.get(name).copied().unwrap_or(*start)),
            Meaning::Stage(id) => self.variant.map(|variant| f64::from(variant.value(*id))),
            Meaning::Value(id, value) => self.variant.map(|variant| yes_or_no(variant.value(*id) == *value)),
            Meaning::Border(border) => self.setting.map(|setting| yes_or_no(setting.border == *border)),
            Meaning::Channels => self.setting.map(|setting| setting.channels.count() as f64),
            Meaning::Side(side) => self.size_px.and_then(|size_px| size_px.get(*side).map(|side| *side as f64)),
            Meaning::Picture(of) => self.shape.map(|shape| of(shape) as f64),
            Meaning::Let(expr, place) => {
                let computed = self.lets.borrow().get(place).copied();
                computed.unwrap_or_else(|| {
                    let value = self.of(expr);
                    self.lets.borrow_mut().insert(*place, value);
                    value
                })
            }
        }
    }

    /// The value of an expression that knows the place of what it computes.
    pub fn at(&self, index: usize, expr: &Expr) -> f64 {
        expr.value(&|name| if name == INDEX { Some(index as f64) } else { self.value(name) }).unwrap_or(0.0)
    }

    /// An expression's value; `None` where it has none.
    pub fn of(&self, expr: &Expr) -> Option<f64> {
        expr.value(&|name| self.value(name))
    }

    pub fn number(&self, expr: &Expr) -> f64 {
        self.of(expr).unwrap_or(0.0)
    }

    /// A whole number; 0 where there is none.
    pub fn whole(&self, expr: &Expr) -> usize {
        let value = self.number(expr).round();
        if value > 0.0 { value as usize } else { 0 }
    }

    /// The same; what follows without it where there is none.
    pub fn whole_or(&self, expr: Option<&Expr>, or: usize) -> usize {
        expr.map_or(or, |expr| self.whole(expr))
    }

    pub fn holds(&self, expr: &Expr) -> bool {
        self.number(expr) != 0.0
    }

    /// Whether a condition holds; where there is none, it does.
    pub fn holds_or_none(&self, expr: Option<&Expr>) -> bool {
        expr.is_none_or(|expr| self.holds(expr))
    }
}
