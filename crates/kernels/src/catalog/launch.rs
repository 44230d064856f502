//! What a definition's expressions say of a launch.

use crate::expr::Expr;
use crate::image::Layout;
use crate::model::{Channels, Parameters, StageId, Variant};
use crate::schedule::{Argument, Between, Launch, Pass, Plane, Shape, Surface, Texels, Tile, Trace};

/// The names that expressions know.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Parameters with their values at the start.
    pub parameters: Vec<(String, f64)>,
    /// Stages.
    pub stages: Vec<(String, StageId)>,
}

/// What a picture has, by the names that expressions know.
pub const OF_PICTURE: [&str; 4] = ["width", "height", "channels", "row_bytes"];

impl Names {
    pub fn of_parameters(&self) -> impl Iterator<Item = &str> + Clone {
        self.parameters.iter().map(|(name, _)| name.as_str())
    }

    pub fn of_stages(&self) -> impl Iterator<Item = &str> + Clone {
        self.stages.iter().map(|(name, _)| name.as_str())
    }

    pub fn parameter(&self, parameters: &Parameters, name: &str) -> Option<f64> {
        let (_, start) = self.parameters.iter().find(|(known, _)| known == name)?;
        Some(parameters.0.get(name).copied().unwrap_or(*start))
    }

    pub fn stage(&self, variant: &Variant, name: &str) -> Option<f64> {
        let (_, id) = self.stages.iter().find(|(known, _)| known == name)?;
        Some(f64::from(variant.value(*id)))
    }

    fn of(&self, shape: &Shape, name: &str) -> Option<f64> {
        let channels = shape.channels().count();
        let of_picture = match name {
            "width" => Some(shape.width_px),
            "height" => Some(shape.height_px),
            "channels" => Some(channels),
            "row_bytes" => Some(shape.width_px * channels),
            _ => None,
        };
        let or_stage = || self.stage(shape.variant, name);
        of_picture.map(|value| value as f64).or_else(or_stage).or_else(|| self.parameter(shape.parameters, name))
    }

    /// A whole number of a shape; 0 where there is none.
    fn whole(&self, expr: &Expr, shape: &Shape) -> usize {
        let value = expr.value(&|name| self.of(shape, name)).unwrap_or(0.0).round();
        if value > 0.0 { value as usize } else { 0 }
    }

    fn holds(&self, expr: &Expr, shape: &Shape) -> bool {
        expr.value(&|name| self.of(shape, name)).is_some_and(|value| value != 0.0)
    }
}

/// An argument as a definition names it.
#[derive(Clone, Debug)]
pub enum Asked {
    Source,
    SourceOrigin,
    SourcePitch,
    Destination,
    DestinationPitch,
    Between(usize),
    /// The work-group's pixels with a halo as wide as the filter reaches.
    Tile,
    Int(Expr),
    Float(Expr),
}

/// A pass as a definition has it.
#[derive(Clone, Debug)]
pub struct PassOf {
    pub kernel: &'static str,
    pub when: Option<Expr>,
    pub global: Option<[Expr; 2]>,
    pub arguments: Vec<Asked>,
}

/// Loads of one byte of the output, for variants of these stages.
#[derive(Clone, Debug)]
pub struct Footprint {
    pub stages: Vec<StageId>,
    pub reads: Vec<[isize; 2]>,
    pub operations: usize,
}

/// What is launched, and what its work-items do.
#[derive(Clone, Debug)]
pub struct Launching {
    pub names: Names,
    pub reach: Expr,
    /// Bytes that a work-item may load past the halo's end of a padded row; what it owns where none is told.
    pub slack: Option<Expr>,
    /// Bytes that it may store past the end of a row; what it owns more than a pixel where none is told.
    pub surplus: Option<Expr>,
    pub output: Option<Channels>,
    pub between: Vec<Expr>,
    pub passes: Vec<PassOf>,
    pub footprints: Vec<Footprint>,
}

impl Launching {
    pub fn reach_px(&self, parameters: &Parameters) -> usize {
        let value = self.reach.value(&|name| self.names.parameter(parameters, name)).unwrap_or(0.0).round();
        if value > 0.0 { value as usize } else { 0 }
    }

    /// What is prepared and launched.
    pub fn launch(&self, shape: &Shape) -> Launch {
        let reach_px = self.reach_px(shape.parameters);
        let output = self.output.unwrap_or(shape.channels());
        let source = if shape.is_on(StageId::Image) {
            Surface::Image(Texels::one_pixel(shape))
        } else if shape.is_on(StageId::Padded) {
            let slack = self.slack.as_ref().map_or_else(|| shape.owned().bytes, |slack| self.names.whole(slack, shape));
            let surplus_rows = shape.owned().surplus_rows();
            Surface::Buffer(Layout::padded(shape.width_px, shape.height_px, shape.channels(), reach_px, slack, surplus_rows))
        } else {
            Surface::Buffer(shape.tight())
        };
        // Rows with room for the last block of each, where blocks are wider than a pixel.
        let is_block = shape.owned().bytes > shape.channels().count();
        let destination = if let Some(surplus) = &self.surplus {
            Layout::padded(shape.width_px, shape.height_px, output, 0, self.names.whole(surplus, shape), 0)
        } else if is_block {
            shape.whole_blocks(shape.owned(), output)
        } else {
            Layout::tight(shape.width_px, shape.height_px, output)
        };
        let between = self.between.iter().map(|bytes| Between::Buffer { bytes: self.names.whole(bytes, shape).max(1) }).collect();
        let is_launched = |pass: &&PassOf| pass.when.as_ref().is_none_or(|when| self.names.holds(when, shape));
        let passes = self.passes.iter().filter(is_launched).map(|pass| self.pass(pass, shape, &source, &destination)).collect();
        Launch { source, destination, between, tables: Vec::new(), passes }
    }

    fn pass(&self, pass: &PassOf, shape: &Shape, source: &Surface, destination: &Layout) -> Pass {
        let global = match &pass.global {
            Some(global) => global.each_ref().map(|side| self.names.whole(side, shape).max(1)),
            None => shape.global(shape.owned()),
        };
        let arguments = pass.arguments.iter().filter_map(|asked| {
            Some(match asked {
                Asked::Source => Argument::Source,
                // An image object knows where it begins.
                Asked::SourceOrigin | Asked::SourcePitch if matches!(source, Surface::Image(_)) => return None,
                Asked::SourceOrigin => Argument::size(source.layout().origin_bytes),
                Asked::SourcePitch => Argument::size(source.layout().pitch_bytes),
                Asked::Destination => Argument::Destination,
                Asked::DestinationPitch => Argument::size(destination.pitch_bytes),
                Asked::Between(index) => Argument::Between(*index),
                Asked::Tile if shape.is_on(StageId::Local) => Argument::Tile(self.tile(shape)),
                Asked::Tile => return None,
                Asked::Int(expr) => Argument::Int(self.number(expr, shape).round() as i32),
                Asked::Float(expr) => Argument::Float(self.number(expr, shape) as f32),
            })
        });
        Pass { kernel: pass.kernel, global, arguments: arguments.collect() }
    }

    fn number(&self, expr: &Expr, shape: &Shape) -> f64 {
        expr.value(&|name| self.names.of(shape, name)).unwrap_or(0.0)
    }

    fn tile(&self, shape: &Shape) -> Tile {
        let (owned, reach_px) = (shape.owned(), self.reach_px(shape.parameters));
        Tile {
            item_bytes: owned.bytes,
            extra_bytes: 2 * reach_px * shape.channels().count(),
            item_rows: owned.rows,
            extra_rows: 2 * reach_px,
            coalesced: shape.is_on(StageId::Coalesced),
            is_skewed: shape.is_skewed(),
        }
    }

    /// What a work-item loads and stores, where the definition tells it of the variant.
    pub fn describe(&self, trace: &mut Trace) {
        let shape = trace.shape;
        let is_of = |footprint: &&Footprint| self.names.stages.iter().all(|(_, id)| !shape.is_on(*id) || footprint.stages.contains(id));
        let Some(footprint) = self.footprints.iter().find(is_of) else { return trace.leave_untold() };
        let owned = shape.owned();
        let channels = shape.channels().count();
        let Some([x, y]) = trace.own_block(owned.bytes / channels, owned.rows) else { return };
        let pixels = (owned.bytes / channels).min(shape.width_px.saturating_sub(x.cast_unsigned()));
        let rows = owned.rows.min(shape.height_px.saturating_sub(y.cast_unsigned()));
        let (source, destination) = (trace.source(), trace.destination());
        let outputs = self.output.unwrap_or(shape.channels()).count();
        for row in y..y + rows.cast_signed() {
            for column in x..x + pixels.cast_signed() {
                Self::describe_pixel(trace, footprint, [&source, &destination], [column, row], [channels, outputs]);
            }
        }
    }

    fn describe_pixel(
        trace: &mut Trace,
        footprint: &Footprint,
        [source, destination]: [&Plane; 2],
        [x, y]: [isize; 2],
        [channels, outputs]: [usize; 2],
    ) {
        for channel in 0..channels.cast_signed() {
            let from = source.shifted(channel);
            for [right, down] in &footprint.reads {
                trace.load(&from, [x + right, y + down], &[1]);
            }
        }
        for channel in 0..outputs.cast_signed() {
            trace.compute(1, &[(crate::model::Operation::Add, footprint.operations)]);
            trace.store(&destination.shifted(channel), [x, y], &[1]);
        }
    }
}
