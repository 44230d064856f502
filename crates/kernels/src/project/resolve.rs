//! From a configuration to what is run.

use super::job::{Argument, Element, Job, Launch, Scratch, Texels};
use super::read::MOST_POINTS;
use super::{ArgumentOf, Extent, LaunchOf, Point, Project, ScratchOf, Value};
use base::error::Result;
use base::expr::Expr;
use base::texts::{failed, misused};
use model::ImageShape;
use serde_bytes::ByteBuf;
use std::fmt::{Display, Write as _};

/// Configurations that are looked at, allowed or not.
const MOST_VISITED: usize = 20_000_000;

/// The values of all names of a configuration.
struct Scope<'a> {
    project: &'a Project,
    point: &'a [usize],
    lets: Vec<Option<f64>>,
}

impl<'a> Scope<'a> {
    /// `point` may have the first parameters alone: what depends on others is unknown.
    fn new(project: &'a Project, point: &'a [usize]) -> Self {
        let mut scope = Self { project, point, lets: Vec::with_capacity(project.lets.len()) };
        for (_, expr) in &project.lets {
            let value = scope.of(expr);
            scope.lets.push(value);
        }
        scope
    }

    fn of(&self, expr: &Expr) -> Option<f64> {
        expr.value(&|name| self.named(name))
    }

    fn named(&self, name: &str) -> Option<f64> {
        if let Some(place) = self.project.parameters.iter().position(|parameter| parameter.name == name) {
            let value = self.project.parameters.get(place)?.values.get(*self.point.get(place)?)?;
            return if let Value::Number(number) = value { Some(*number) } else { None };
        }
        let place = self.project.lets.iter().position(|(known, _)| known == name)?;
        self.lets.get(place).copied().flatten()
    }

    /// A size: a whole number from 1 that a host can hold.
    fn size(&self, what: &'static str, expr: &Expr) -> Result<usize> {
        let value = self.of(expr);
        let whole = value.filter(|value| value.fract() == 0.0 && (1.0..=1e12).contains(value));
        whole.map(|whole| whole as usize).ok_or_else(|| {
            let is = value.map_or_else(|| base::texts::text("project.unknown").to_owned(), |value| value.to_string());
            let label = self.project.label(self.point);
            let values: [(&str, &dyn Display); 4] = [("what", &base::texts::text(what)), ("text", expr), ("value", &is), ("label", &label)];
            failed("errors.project.size", &values)
        })
    }

    fn sizes(&self, what: &'static str, sides: &[Expr]) -> Result<Vec<usize>> {
        sides.iter().map(|side| self.size(what, side)).collect()
    }

    fn scratch(&self, scratch: &ScratchOf) -> Result<Scratch> {
        let name = scratch.name.clone();
        match &scratch.extent {
            Extent::Count(count) => {
                let count = self.size("project.size.buffer", count)?;
                Ok(Scratch { name, bytes: count.saturating_mul(scratch.element.bytes()), texels: None })
            }
            Extent::Sides(kind, sides, format) => {
                let shape = shape(*kind, &self.sizes("project.size.image", sides)?);
                let texels = Texels { shape, format: *format };
                Ok(Scratch { name, bytes: texels.bytes(), texels: Some(texels) })
            }
        }
    }

    fn launch(&self, launch: &LaunchOf) -> Result<Launch> {
        let arguments = launch.arguments.iter().map(|argument| self.argument(argument)).collect::<Result<_>>()?;
        let global = self.sizes("project.size.global", &launch.global)?;
        let local = launch.local.as_ref().map(|local| self.sizes("project.size.local", local)).transpose()?;
        Ok(Launch { kernel: launch.kernel.clone(), global, local, arguments })
    }

    fn argument(&self, argument: &ArgumentOf) -> Result<Argument> {
        Ok(match argument {
            ArgumentOf::Buffer(index) => Argument::Buffer(*index),
            ArgumentOf::Scratch(index) => Argument::Scratch(*index),
            ArgumentOf::Local(bytes) => Argument::Local(self.size("project.size.local-memory", bytes)?),
            ArgumentOf::Sampler(sampling) => Argument::Sampler(*sampling),
            ArgumentOf::Value { element, lanes, numbers } => self.value(*element, *lanes, numbers)?,
        })
    }

    fn value(&self, element: Element, lanes: usize, numbers: &[Expr]) -> Result<Argument> {
        let mut bytes = Vec::new();
        for expr in numbers.iter().cycle().take(lanes) {
            let fits = |number: &f64| element.range().is_none_or(|[low, high]| number.fract() == 0.0 && (low..=high).contains(number));
            let number = self.of(expr).filter(fits);
            let number =
                number.ok_or_else(|| failed("errors.project.scalar", &[("text", expr), ("label", &self.project.label(self.point))]))?;
            element.push(number, &mut bytes);
        }
        // A vector of three takes the room of four.
        bytes.resize(lanes.next_power_of_two() * element.bytes(), 0);
        let type_name = if lanes == 1 { element.name().to_owned() } else { format!("{}{lanes}", element.name()) };
        Ok(Argument::Value { type_name, bytes: ByteBuf::from(bytes) })
    }
}

/// An image with these sides; those that it has no expression for are 1.
pub fn shape(kind: model::ImageKind, sides: &[usize]) -> ImageShape {
    let side = |place: usize| sides.get(place).copied().unwrap_or(1);
    ImageShape { kind, width: side(0), height: side(1), depth: side(2) }
}

impl Project {
    /// Whether all conditions hold.
    #[must_use]
    pub fn is_allowed(&self, point: &[usize]) -> bool {
        let scope = Scope::new(self, point);
        self.conditions.iter().all(|condition| scope.of(condition).is_some_and(|value| value != 0.0))
    }

    /// All configurations that are allowed, in the order of the parameters and their values.
    ///
    /// # Errors
    /// There are too many.
    pub fn points(&self) -> Result<Vec<Point>> {
        let mut points = Vec::new();
        let mut visited = 0_usize;
        let mut point: Point = Vec::with_capacity(self.parameters.len());
        self.extend(&mut point, &mut points, &mut visited)?;
        Ok(points)
    }

    /// All allowed ones that begin so. What is decided by the first parameters ends a branch early.
    fn extend(&self, point: &mut Point, points: &mut Vec<Point>, visited: &mut usize) -> Result<()> {
        *visited += 1;
        if *visited > MOST_VISITED || points.len() > MOST_POINTS {
            return Err(misused("errors.project.many-points", &[("most", &MOST_POINTS)]));
        }
        let scope = Scope::new(self, point);
        if self.conditions.iter().any(|condition| scope.of(condition) == Some(0.0)) {
            return Ok(());
        }
        let Some(parameter) = self.parameters.get(point.len()) else {
            if self.is_allowed(point) {
                points.push(point.clone());
            }
            return Ok(());
        };
        for value in 0..parameter.values.len() {
            point.push(value);
            self.extend(point, points, visited)?;
            point.pop();
        }
        Ok(())
    }

    /// What is run for a configuration.
    ///
    /// # Errors
    /// A size or an argument has no value, or one that cannot be.
    pub fn job(&self, point: &[usize]) -> Result<Job> {
        let scope = Scope::new(self, point);
        let mut options = self.options.trim().to_owned();
        for (parameter, index) in self.parameters.iter().zip(point) {
            if let Some(value) = parameter.values.get(*index) {
                let _ = write!(options, " -D{}={value}", parameter.name);
            }
        }
        for (name, expr) in &self.defines {
            let value = scope.of(expr).ok_or_else(|| failed("errors.project.scalar", &[("text", expr), ("label", &self.label(point))]))?;
            let _ = write!(options, " -D{name}={value}");
        }
        let is_launched = |launch: &&LaunchOf| launch.when.as_ref().is_none_or(|when| scope.of(when).is_some_and(|value| value != 0.0));
        Ok(Job {
            source: self.source.clone(),
            options: options.trim().to_owned(),
            scratch: self.scratch.iter().map(|scratch| scope.scratch(scratch)).collect::<Result<_>>()?,
            launches: self.launches.iter().filter(is_launched).map(|launch| scope.launch(launch)).collect::<Result<_>>()?,
        })
    }

    /// The configuration with these values; others are at their defaults.
    ///
    /// # Errors
    /// A usage error of an unknown name or value.
    pub fn point_of(&self, given: &[(String, String)]) -> Result<Point> {
        let mut point = self.default_point();
        for (name, value) in given {
            let place = self.parameters.iter().position(|parameter| parameter.name == *name);
            let known = self.parameters.iter().map(|parameter| parameter.name.as_str());
            let place = place
                .ok_or_else(|| misused("errors.project.no-parameter", &[("name", name), ("remedy", &base::texts::meant(name, known))]))?;
            let values = self.parameters.get(place).map(|parameter| parameter.values.iter().map(Value::to_string).collect::<Vec<_>>());
            let values = values.unwrap_or_default();
            let index = values
                .iter()
                .position(|known| known == value)
                .ok_or_else(|| misused("errors.project.no-value", &[("name", name), ("value", value), ("values", &values.join(", "))]))?;
            if let Some(slot) = point.get_mut(place) {
                *slot = index;
            }
        }
        Ok(point)
    }
}
