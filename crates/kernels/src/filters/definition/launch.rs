//! What a definition's expressions say of a launch.

use super::names::{Names, Scope};
use crate::filters::Defines;
use crate::footprint::{Plane, Trace};
use crate::launch::{Argument, Between, Launch, Pass, Shape, Surface, Table, Texels, Tile};
use base::expr::Expr;
use model::{Channels, Ownership, Parameters, Reach, StageId, TexelFormat, Variant, values};
use pictures::Layout;
use std::sync::Arc;

/// No output is wider or higher: more than any device takes, and far from what overflows.
const MOST_SIDE_PX: usize = 1 << 24;

/// An argument as a definition names it.
#[derive(Clone, Debug)]
pub enum Asked {
    Source,
    SourceOrigin,
    /// Where the first row of the halo has the picture's first column.
    SourceHaloOrigin,
    SourcePitch,
    Destination,
    DestinationPitch,
    /// One of [`Launching::between`] that has this name.
    Between(String),
    Table(Table),
    /// Local memory: that one of [`Launching::tiles`].
    Tile(usize),
    Int(Expr),
    Float(Expr),
}

/// An argument, and where a kernel takes it.
#[derive(Clone, Debug)]
pub struct ArgumentOf {
    pub asked: Asked,
    pub when: Option<Expr>,
}

/// How a pass is cut into work-items.
#[derive(Clone, Debug)]
pub enum Cut {
    /// One for what a work-item owns.
    Owned,
    /// So many along a row and down the rows.
    Items([Expr; 2]),
    /// So many in dimension 0 and 1.
    Global([Expr; 2]),
}

/// A pass as a definition has it.
#[derive(Clone, Debug)]
pub struct PassOf {
    pub kernel: &'static str,
    pub when: Option<Expr>,
    pub cut: Cut,
    /// Where the definition says so.
    pub size_byte: usize,
    pub arguments: Vec<ArgumentOf>,
}

/// What passes hand to each other.
#[derive(Clone, Debug)]
pub struct BetweenOf {
    pub name: String,
    pub when: Option<Expr>,
    pub size: BetweenSize,
}

#[derive(Clone, Debug)]
pub enum BetweenSize {
    Bytes(Expr),
    /// Width and height of an image object of 16 bits a channel.
    Texels([Expr; 2]),
}

/// Local memory of a work-group; what is not told follows from what a work-item owns and how far the filter reaches.
#[derive(Clone, Debug, Default)]
pub struct TileOf {
    /// Where it is there; with the shared stage for local memory where it is not told.
    pub when: Option<Expr>,
    pub item_bytes: Option<Expr>,
    pub extra_bytes: Option<Expr>,
    pub item_rows: Option<Expr>,
    pub extra_rows: Option<Expr>,
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
    pub names: Arc<Names>,
    pub reach: Expr,
    /// How far to the left and above, where that is not as far as to the right and below.
    pub reach_before: Option<Expr>,
    /// Values that are compiled in, and when.
    pub defines: Vec<(&'static str, Expr, Option<Expr>)>,
    /// Bytes that a work-item may load past the halo's end of a padded row; what it owns where none is told.
    pub slack: Option<Expr>,
    /// Rows that it may load below the halo; what it owns more than one where none are told.
    pub slack_rows: Option<Expr>,
    /// Bytes by which rows of a padded source begin later than at multiples of 128; none where it is not told.
    pub shift: Option<Expr>,
    /// Whether rows of the output begin at multiples of 128 bytes; where it is not told, those do into which more is stored than a pixel at once.
    pub pitched: Option<Expr>,
    /// Bytes that it may store past the end of a pitched row; what it owns more than a pixel where none is told.
    pub surplus: Option<Expr>,
    pub output: Option<Channels>,
    /// Width and height of the output, where they are not those of the source.
    pub output_size: Option<[Expr; 2]>,
    pub between: Vec<BetweenOf>,
    pub tiles: Vec<TileOf>,
    pub passes: Vec<PassOf>,
    pub footprints: Vec<Footprint>,
}

impl Launching {
    pub fn reach(&self, parameters: &Parameters) -> Reach {
        let scope = Scope::of_parameters(&self.names, parameters);
        let after = scope.whole(&self.reach);
        Reach { before: self.reach_before.as_ref().map_or(after, |before| scope.whole(before)), after }
    }

    pub fn defines(&self, variant: &Variant, parameters: &Parameters) -> Defines {
        let scope = Scope::of_variant(&self.names, variant).with_parameters(parameters);
        let is_set = |(_, _, when): &&(_, _, Option<Expr>)| scope.holds_or_none(when.as_ref());
        self.defines.iter().filter(is_set).map(|(name, value, _)| (*name, scope.number(value).round() as i64)).collect()
    }

    /// Where the definition has a number of work-items that is none for this shape, such as one divided by 0.
    pub fn undefined_size(&self, shape: &Shape) -> Option<usize> {
        let scope = Scope::of_shape(&self.names, shape);
        let is_number = |expr: &Expr| scope.of(expr).is_some_and(f64::is_finite);
        let is_undefined = |pass: &&PassOf| match &pass.cut {
            Cut::Items(sides) | Cut::Global(sides) => scope.holds_or_none(pass.when.as_ref()) && !sides.iter().all(is_number),
            Cut::Owned => false,
        };
        self.passes.iter().find(is_undefined).map(|pass| pass.size_byte)
    }

    /// What is prepared and launched.
    pub fn launch(&self, shape: &Shape) -> Launch {
        let scope = Scope::of_shape(&self.names, shape);
        let (source, destination) = (self.source(shape, &scope), self.destination(shape, &scope));
        let between: Vec<&BetweenOf> = self.between.iter().filter(|between| scope.holds_or_none(between.when.as_ref())).collect();
        let mut launching = Passes { of: self, shape, scope, source, destination, between: &between, tables: Vec::new() };
        let is_launched = |pass: &&PassOf| launching.scope.holds_or_none(pass.when.as_ref());
        let launched: Vec<&PassOf> = self.passes.iter().filter(is_launched).collect();
        let passes = launched.into_iter().map(|pass| launching.pass(pass)).collect();
        let between = between.iter().map(|between| launching.between(&between.size)).collect();
        Launch { source, destination, between, tables: launching.tables, passes }
    }

    fn source(&self, shape: &Shape, scope: &Scope) -> Surface {
        let Reach { before, after } = self.reach(shape.parameters);
        let halo_px = before.max(after);
        let slack = || scope.whole_or(self.slack.as_ref(), shape.owned().bytes);
        let slack_rows = || scope.whole_or(self.slack_rows.as_ref(), shape.owned().surplus_rows());
        if shape.has_value(StageId::Image, values::IMAGE_FOUR_PIXELS) {
            Surface::Image(Texels::four_pixels(shape, halo_px, slack(), slack_rows()))
        } else if shape.is_on(StageId::Image) {
            Surface::Image(Texels::one_pixel(shape))
        } else if shape.is_on(StageId::Padded) {
            let shift = scope.whole_or(self.shift.as_ref(), 0);
            // Behind the halo, not instead of it.
            let slack_bytes = slack().max(halo_px * shape.channels().count()) + shift;
            let aligned = Layout::padded(shape.width_px, shape.height_px, shape.channels(), halo_px, slack_bytes, slack_rows());
            Surface::Buffer(aligned.shifted(shift))
        } else {
            Surface::Buffer(shape.tight())
        }
    }

    fn destination(&self, shape: &Shape, scope: &Scope) -> Layout {
        let output = self.output.unwrap_or(shape.channels());
        let owned = shape.owned();
        let [width_px, height_px] = self.output_size_in(scope).unwrap_or([shape.width_px, shape.height_px]);
        let is_pitched = match &self.pitched {
            Some(pitched) => scope.holds(pitched),
            None => self.surplus.is_some() || owned.bytes > shape.channels().count(),
        };
        if !is_pitched {
            return Layout::tight(width_px, height_px, output);
        }
        // A work-item's pixels, in the channels of the output.
        let stored = if output == shape.channels() { owned } else { Ownership::pixels(shape.pixels_per_item(), output) };
        let surplus_bytes = self.surplus.as_ref().map_or_else(|| stored.surplus_bytes(output), |surplus| scope.whole(surplus));
        Layout::padded(width_px, height_px, output, 0, surplus_bytes, 0)
    }

    /// Width and height of the output over a source of `size_px`.
    pub fn output_size(&self, parameters: &Parameters, size_px: [usize; 2]) -> [usize; 2] {
        self.output_size_in(&Scope::of_size(&self.names, parameters, size_px)).unwrap_or(size_px)
    }

    fn output_size_in(&self, scope: &Scope) -> Option<[usize; 2]> {
        let sides = self.output_size.as_ref()?;
        Some(sides.each_ref().map(|side| scope.whole(side).clamp(1, MOST_SIDE_PX)))
    }

    fn tile(&self, tile: &TileOf, shape: &Shape, scope: &Scope) -> Tile {
        let (owned, Reach { before, after }) = (shape.owned(), self.reach(shape.parameters));
        Tile {
            item_bytes: scope.whole_or(tile.item_bytes.as_ref(), owned.bytes),
            extra_bytes: scope.whole_or(tile.extra_bytes.as_ref(), (before + after) * shape.channels().count()),
            item_rows: scope.whole_or(tile.item_rows.as_ref(), owned.rows),
            extra_rows: scope.whole_or(tile.extra_rows.as_ref(), before + after),
            coalesced: shape.is_on(StageId::Coalesced),
            is_skewed: shape.is_skewed(),
        }
    }
}

/// Passes in the making.
struct Passes<'a> {
    of: &'a Launching,
    shape: &'a Shape<'a>,
    scope: Scope<'a>,
    source: Surface,
    destination: Layout,
    /// What passes hand to each other with these stages.
    between: &'a [&'a BetweenOf],
    /// The tables that were asked for up to now.
    tables: Vec<Table>,
}

impl Passes<'_> {
    fn between(&self, size: &BetweenSize) -> Between {
        match size {
            BetweenSize::Bytes(bytes) => Between::Buffer { bytes: self.scope.whole(bytes).max(1) },
            BetweenSize::Texels(sides) => {
                let [width, height] = sides.each_ref().map(|side| self.scope.whole(side).max(1));
                let format = match self.shape.channels() {
                    Channels::Gray => TexelFormat::R16,
                    Channels::Rgb => TexelFormat::RGBA16,
                };
                Between::Image { width, height, format }
            }
        }
    }

    fn pass(&mut self, pass: &PassOf) -> Pass {
        let sides = |sides: &[Expr; 2]| sides.each_ref().map(|side| self.scope.whole(side).max(1));
        let global = match &pass.cut {
            Cut::Owned => self.shape.global(self.shape.owned()),
            Cut::Global(global) => sides(global),
            Cut::Items(items) => {
                let [across, down] = sides(items);
                if self.shape.is_on(StageId::Coalesced) { [across, down] } else { [down, across] }
            }
        };
        let mut arguments = Vec::new();
        for argument in &pass.arguments {
            if self.scope.holds_or_none(argument.when.as_ref()) {
                arguments.extend(self.argument(&argument.asked));
            }
        }
        Pass { kernel: pass.kernel, global, arguments }
    }

    fn argument(&mut self, asked: &Asked) -> Option<Argument> {
        Some(match (asked, &self.source) {
            (Asked::Source, _) => Argument::Source,
            // Four pixels a texel have a halo: column and row of the texel that the picture begins with. Other image objects begin with the picture.
            (Asked::SourceOrigin, Surface::Image(texels)) if self.is_packed() => Argument::size(texels.origin_texel()),
            (Asked::SourcePitch, Surface::Image(texels)) if self.is_packed() => Argument::size(texels.origin_row()),
            (Asked::SourceOrigin | Asked::SourceHaloOrigin | Asked::SourcePitch, Surface::Image(_)) => return None,
            (Asked::SourceOrigin, Surface::Buffer(layout)) => Argument::size(layout.origin_bytes),
            (Asked::SourceHaloOrigin, Surface::Buffer(layout)) => Argument::size(layout.origin_bytes - layout.halo_px * layout.pitch_bytes),
            (Asked::SourcePitch, Surface::Buffer(layout)) => Argument::size(layout.pitch_bytes),
            (Asked::Destination, _) => Argument::Destination,
            (Asked::DestinationPitch, _) => Argument::size(self.destination.pitch_bytes),
            (Asked::Between(name), _) => Argument::Between(self.between.iter().position(|between| between.name == *name)?),
            (Asked::Table(table), _) => {
                let place = self.tables.iter().position(|known| known == table);
                Argument::Table(place.unwrap_or_else(|| {
                    self.tables.push(*table);
                    self.tables.len() - 1
                }))
            }
            (Asked::Tile(place), _) => {
                let tile = self.of.tiles.get(*place)?;
                let is_there = tile.when.as_ref().map_or_else(|| self.shape.is_on(StageId::Local), |when| self.scope.holds(when));
                return is_there.then(|| Argument::Tile(self.of.tile(tile, self.shape, &self.scope)));
            }
            (Asked::Int(expr), _) => Argument::Int(self.scope.number(expr).round() as i32),
            (Asked::Float(expr), _) => Argument::Float(self.scope.number(expr) as f32),
        })
    }

    fn is_packed(&self) -> bool {
        self.shape.has_value(StageId::Image, values::IMAGE_FOUR_PIXELS)
    }
}

impl Launching {
    /// What a work-item loads and stores, where the definition tells it of the variant.
    pub fn describe(&self, trace: &mut Trace) {
        let shape = trace.shape;
        let is_of = |footprint: &&Footprint| self.names.stages().all(|(_, id)| !shape.is_on(id) || footprint.stages.contains(&id));
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
            trace.compute(1, &[(model::Operation::Add, footprint.operations)]);
            trace.store(&destination.shifted(channel), [x, y], &[1]);
        }
    }
}
