//! What `kernel-ladder bench` measures, all checked before anything runs.

use super::Arguments;
use crate::cli::arguments::{self, SizeArgument};
use base::error::{Error, Result};
use base::texts::{meant, misused, text};
use engine::Backend;
use engine::device::DeviceInfo;
use kernels::filters::FilterIdExt;
use kernels::filters::SettingExt;
use kernels::filters::VariantExt;
use kernels::filters::{self, Filter, Ladder, Step};
use model::{Budget, Channels, HostMemory, LocalSize, Setting, Spec, Variant};
use pictures::Picture;

/// The side of the generated picture where neither `--size` nor `--picture` says otherwise; a size of the Mali-T600 study.
const DEFAULT_SIDE_PX: usize = 2048;

/// A step of a ladder.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Which ladder.
    pub ladder: &'static Ladder,
    /// The step's index in it.
    pub index: usize,
}

impl Place {
    /// The step itself.
    pub fn step(self) -> Option<&'static Step> {
        self.ladder.steps.get(self.index)
    }

    /// The step's number and label.
    pub fn title(&self) -> Option<String> {
        self.ladder.step_title(self.index)
    }
}

/// A variant to measure with each of its local work sizes.
pub struct Row {
    /// The variant.
    pub variant: Variant,
    /// The sizes; a step's own alone, where it has one.
    pub locals: Vec<LocalSize>,
    /// Where it stands in the ladder that is measured.
    pub place: Option<Place>,
}

/// One filter's rows, over the same pictures on the same devices.
pub struct Plan {
    pub spec: Spec,
    pub rows: Vec<Row>,
    /// The first local work size that was chosen, for steps without their own.
    pub local: LocalSize,
    pub memories: Vec<HostMemory>,
    pub devices: Vec<DeviceInfo>,
    pub sizes: Vec<(usize, usize)>,
    /// What is tiled; `None` generates.
    pub picture: Option<(String, Picture)>,
    pub budget: Budget,
}

impl Plan {
    /// What is filtered, for headings.
    pub fn picture_name(&self) -> &str {
        self.picture.as_ref().map_or_else(|| text("tables.bench.picture"), |(name, _)| name)
    }

    /// The picture that is filtered, tiled or generated at that size.
    pub fn picture_of(&self, width: usize, height: usize) -> Picture {
        pictures::filled(self.picture.as_ref().map(|(_, picture)| picture), width, height, self.spec.channels)
    }

    /// Rows of readings, the CPU competitors' included.
    pub fn readings(&self) -> usize {
        let rows = self.rows.iter().map(|row| row.locals.len()).sum::<usize>() * self.memories.len() * self.devices.len();
        (self.spec.filter.filter().competitors().len() + rows) * self.sizes.len()
    }
}

/// One plan, or one for each ladder.
///
/// # Errors
/// A usage error for names, sizes or devices that are not there; failed where there is no device at all.
pub fn plans(arguments: &Arguments, backend: &mut dyn Backend) -> Result<Vec<Plan>> {
    let is_of_all = arguments.ladders && arguments.named_ladders.is_empty();
    let wanted = if is_of_all { all_ladders(arguments)? } else { named(arguments)? };
    let found = arguments::devices(backend)?;
    let indices = if arguments.devices.is_empty() { &[0] } else { arguments.devices.as_slice() };
    if arguments.claims_data.is_some() && indices.len() > 1 {
        return Err(misused("errors.cli.claims-data", &[("count", &indices.len())]));
    }
    let devices: Vec<_> = indices.iter().map(|&index| arguments::device(&found, index).cloned()).collect::<Result<_>>()?;
    wanted.into_iter().map(|(filter, ladder)| plan(arguments, filter, ladder, &devices)).collect()
}

type FilterAndLadder = (&'static Filter, Option<&'static Ladder>);

/// Every ladder of the filter that was named, or of all.
fn all_ladders(arguments: &Arguments) -> Result<Vec<FilterAndLadder>> {
    let filters = filters::all().iter().filter(|filter| arguments.filter.named.is_none_or(|named| named.name() == filter.name()));
    let ladders: Vec<_> = filters.flat_map(|filter| filter.ladders().iter().map(|ladder| (*filter, Some(ladder)))).collect();
    match (ladders.is_empty(), arguments.filter.named) {
        (true, Some(filter)) => Err(no_ladder(filter, "", text("errors.cli.do.no-filter"))),
        _ => Ok(ladders),
    }
}

/// Stands for every ladder where one is named.
const EVERY_LADDER: &str = "all";

/// The ladders that were asked for, each once; the filter's first where nothing was asked for.
fn named(arguments: &Arguments) -> Result<Vec<FilterAndLadder>> {
    if arguments.named_ladders.is_empty() {
        let filter = arguments.filter.filter();
        let is_asked = arguments.all || !arguments.variants.is_empty();
        return Ok(vec![(filter, filter.ladders().first().filter(|_| !is_asked))]);
    }
    let of = |name: &String| if name == EVERY_LADDER { all_ladders(arguments) } else { Ok(vec![one(arguments, name)?]) };
    let all = arguments.named_ladders.iter().map(of).collect::<Result<Vec<_>>>()?.concat();
    let name = |(_, ladder): &FilterAndLadder| ladder.map(|ladder| ladder.name);
    let mut wanted: Vec<FilterAndLadder> = Vec::new();
    for one in all {
        if !wanted.iter().any(|known| name(known) == name(&one)) {
            wanted.push(one);
        }
    }
    Ok(wanted)
}

/// The ladder of that name, of any filter where none was named.
fn one(arguments: &Arguments, name: &str) -> Result<FilterAndLadder> {
    let filter = arguments.filter.filter();
    let filters = match arguments.filter.named {
        Some(_) => vec![filter],
        None => filters::all().to_vec(),
    };
    let found = filters.iter().find_map(|filter| Some((*filter, Some(filter.ladder(name)?))));
    found.ok_or_else(|| {
        let known: Vec<_> = filters.iter().flat_map(|filter| filter.ladders()).map(|ladder| ladder.name).collect();
        let remedy = match known.as_slice() {
            [] => text("errors.cli.do.no-ladder").to_owned(),
            known => meant(name, known.iter().copied()),
        };
        match arguments.filter.named {
            Some(filter) => no_ladder(filter, name, &remedy),
            None => misused("errors.cli.ladder", &[("name", &name), ("remedy", &remedy)]),
        }
    })
}

fn no_ladder(filter: &Filter, name: &str, remedy: &str) -> Error {
    if name.is_empty() {
        return misused("errors.cli.no-ladder", &[("filter", &filter.label()), ("remedy", &remedy)]);
    }
    misused("errors.cli.ladder-of", &[("name", &name), ("filter", &filter.label()), ("remedy", &remedy)])
}

fn plan(arguments: &Arguments, filter: &'static Filter, ladder: Option<&'static Ladder>, devices: &[DeviceInfo]) -> Result<Plan> {
    let parameters = arguments::parameters(filter, &arguments.parameters)?;
    let loaded = arguments.picture.as_deref().map(|path| arguments::open_picture(path, arguments.large)).transpose()?;
    let own_channels = loaded.as_ref().map_or(Channels::Rgb, |loaded| loaded.picture.channels());
    let channels = ladder.map_or(own_channels, |ladder| ladder.channels);
    let border = ladder.map(|ladder| ladder.border);
    let setting = arguments.filter.setting_or(filter, channels, border)?.with_parameters(filter, &parameters);
    let own_size = loaded.as_ref().map(|loaded| (loaded.picture.width_px(), loaded.picture.height_px()));
    // Converted once, not for every size.
    let picture = loaded.map(|loaded| (loaded.name, loaded.picture.to_channels(setting.channels).with_alpha(None)));
    Ok(Plan {
        spec: Spec { filter: filter.id, parameters, channels: setting.channels, border: setting.border },
        rows: rows(arguments, filter, ladder, setting),
        local: arguments.locals.first().copied().unwrap_or_default(),
        memories: if arguments.memories.is_empty() { vec![HostMemory::Copy] } else { arguments.memories.clone() },
        devices: devices.to_vec(),
        sizes: sizes(&arguments.sizes, ladder, own_size),
        picture,
        budget: Budget {
            sample_ns: arguments.budget_ms * 1_000_000,
            warm_cache: arguments.warm_cache,
            starts: arguments.starts as usize,
            ..Budget::default()
        },
    })
}

fn rows(arguments: &Arguments, filter: &'static Filter, ladder: Option<&'static Ladder>, setting: Setting) -> Vec<Row> {
    let locals = if arguments.locals.is_empty() { vec![LocalSize::Driver] } else { arguments.locals.clone() };
    let Some(ladder) = ladder else {
        let chosen = if arguments.all { Variant::all(filter, setting) } else { arguments.variants.clone() };
        let chosen = if chosen.is_empty() { vec![Variant::naive()] } else { chosen };
        return chosen.into_iter().map(|variant| Row { variant, locals: locals.clone(), place: None }).collect();
    };
    let row = |(index, step): (usize, &Step)| Row {
        variant: step.variant(),
        locals: step.local.map_or_else(|| locals.clone(), |local| vec![LocalSize::Explicit(local)]),
        place: Some(Place { ladder, index }),
    };
    ladder.steps.iter().enumerate().map(row).collect()
}

/// `study` is the ladder's own sizes, or those of the first ladder that has any.
fn sizes(given: &[SizeArgument], ladder: Option<&'static Ladder>, own: Option<(usize, usize)>) -> Vec<(usize, usize)> {
    let study = || {
        ladder
            .into_iter()
            .chain(filters::ladders())
            .map(|ladder| ladder.sizes.as_slice())
            .find(|sizes| !sizes.is_empty())
            .unwrap_or_default()
    };
    let asked = given.iter().flat_map(|size| match *size {
        SizeArgument::Study => study().to_vec(),
        SizeArgument::Pixels(width, height) => vec![(width, height)],
    });
    let asked: Vec<_> = asked.collect();
    if asked.is_empty() { vec![own.unwrap_or((DEFAULT_SIDE_PX, DEFAULT_SIDE_PX))] } else { asked }
}
