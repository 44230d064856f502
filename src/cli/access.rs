//! `kernel-ladder access`.

use super::arguments::{self, FilterArguments};
use super::output;
use super::schema::JsonOf;
use crate::cli::arguments::LargeArgument;
use crate::cli::named_files::NamedFiles;
use base::error::Result;
use base::files;
use base::texts::{filled, misused, text};
use clap::Args;
use kernels::filters;
use kernels::filters::VariantExt;
use kernels::launch::Shape;
use model::{LocalSize, Spec, Variant};
use pictures::Picture;
use serde_json::{Value, json};
use std::fmt::Display;
use std::path::PathBuf;
use view::access::memory::{DEFAULT_BANKS, SEGMENT_SIZES_BYTES, Segments};
use view::access::{self, Answer, Lane, Lanes, Question, Show, Step, View, answer, words};
use view::plot::Form;
use view::story::{self, Cell, Kind, Table};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder access --pixel 120,80 --variant coalesced
  kernel-ladder access photo.jpg --filter sobel --variant coalesced+block=16 --pixel 200,100 --svg sobel.svg
  kernel-ladder access camera.png --filter epsilon --variant coalesced+local --local 16x16 --pixel 100,100

  kernel-ladder access --pixel 120,80 --variant coalesced --against naive --png both.png

No device is needed: loads and stores follow from the variant.")]
pub struct Arguments {
    /// Picture, or a built-in sample [default: coffee.png]
    #[arg(value_name = "IN", default_value = "coffee.png", hide_default_value = true)]
    input: PathBuf,
    #[command(flatten)]
    large: LargeArgument,
    #[command(flatten)]
    filter: FilterArguments,
    /// Stages joined by '+', or naive; see `kernel-ladder list --filter NAME`
    #[arg(long, value_name = "V", default_value = Variant::NAIVE_NAME, value_parser = Variant::parse)]
    variant: Variant,
    /// Column and row of an output pixel, counted from 0
    #[arg(long, value_name = "X,Y", value_parser = parse_pixel)]
    pixel: [usize; 2],
    /// Pass, counted from 1 [default: the last that stores the pixel]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pass: Option<u16>,
    /// Work-items per work-group, dimension 0 x dimension 1
    #[arg(long, value_name = "32x1", default_value = "32x1", value_parser = parse_local)]
    local: [usize; 2],
    /// Work-items per sub-group; on a CPU, those vectorized together [default: 32; with --cpu, 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    sub_group: Option<u16>,
    /// Work-items of a work-group run in a loop, as on a CPU
    #[arg(long = "cpu", alias = "processor")]
    is_cpu: bool,
    /// Also draw this variant, above the other
    #[arg(long, value_name = "V", value_parser = Variant::parse)]
    against: Option<Variant>,
    /// Bytes per segment in the text below the table: 32, 64 or 128
    #[arg(long, value_name = "BYTES", default_value = "32", value_parser = parse_segment)]
    segment: usize,
    /// Banks of local memory
    #[arg(long, value_name = "N", default_value_t = DEFAULT_BANKS as u16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    banks: u16,
    /// Parameter of the filter; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_parameter)]
    parameters: Vec<(String, f64)>,
    /// Draw the access diagram as an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the access diagram as a PNG file
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Also write the loads and stores one after the other as an animated GIF
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
    /// Draw only the load or store with this number in the table; 0: only the work-item
    #[arg(long, value_name = "N")]
    step: Option<usize>,
    /// Which lanes of the sub-group wait at a branch that depends on the pixels, instead of loads and stores
    #[arg(long, conflicts_with = "step")]
    lanes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default()
            .reading([&self.input])
            .writing(self.svg.as_ref(), &["svg"])
            .writing(self.png.as_ref(), &["png"])
            .writing(self.gif.as_ref(), &["gif"])
    }
}

/// A work-group has so many work-items at most, on any device that is known.
const MOST_WORK_ITEMS: usize = 8192;

/// `120,80`.
fn parse_pixel(text: &str) -> Result<[usize; 2]> {
    let sides = text.split_once(',').and_then(|(x, y)| Some([x.trim().parse().ok()?, y.trim().parse().ok()?]));
    sides.ok_or_else(|| misused("errors.access.pixel", &[("text", &text)]))
}

fn parse_local(text: &str) -> Result<[usize; 2]> {
    match text.parse()? {
        LocalSize::Explicit(local @ [across, down]) if (1..=MOST_WORK_ITEMS).contains(&across.saturating_mul(down)) => Ok(local),
        LocalSize::Explicit(_) => Err(misused("errors.access.local", &[("text", &text), ("most", &MOST_WORK_ITEMS)])),
        LocalSize::Driver => Err(misused("errors.access.drivers", &[])),
    }
}

fn parse_segment(text: &str) -> Result<usize> {
    let known = text.parse().ok().filter(|size| SEGMENT_SIZES_BYTES.contains(size));
    known.ok_or_else(|| misused("errors.access.segment", &[("text", &text)]))
}

/// Prints who makes the pixel, a line for each of its loads and stores, and the sums.
///
/// # Errors
/// A usage error where the variant is not allowed or the pixel is outside; whatever keeps the picture from being read.
pub fn run(arguments: &Arguments) -> Result<()> {
    let filter = arguments.filter.filter();
    let parameters = arguments::parameters(filter, &arguments.parameters)?;
    let picture = arguments::open_picture(&arguments.input, arguments.large)?.picture;
    let setting = arguments.filter.setting_or(filter, picture.channels(), None)?;
    arguments.variant.check(filter, setting)?;
    let (width_px, height_px) = (picture.width_px(), picture.height_px());
    let shape = Shape { variant: &arguments.variant, setting, parameters: &parameters, width_px, height_px };
    let question = Question {
        filter,
        shape,
        pixel: arguments.pixel,
        pass: arguments.pass.map(|pass| usize::from(pass) - 1),
        local: arguments.local,
        sub_group: usize::from(arguments.sub_group.unwrap_or(if arguments.is_cpu { 1 } else { 32 })),
        is_loop: arguments.is_cpu,
        banks: usize::from(arguments.banks),
    };
    let answer = answer(&question)?;
    let show = match arguments.step {
        None => Show::All,
        Some(0) => Show::Who,
        Some(step) if step <= answer.steps.len() => Show::Step(step - 1),
        Some(step) => {
            return Err(misused("errors.access.step", &[("step", &step), ("count", &answer.steps.len())]));
        }
    };
    if arguments.lanes && filter.conditional.is_none() {
        let names = filters::all().iter().filter(|filter| filter.conditional.is_some()).map(|filter| filter.name());
        let names = names.collect::<Vec<_>>().join(", ");
        return Err(misused("errors.access.no-branch", &[("filter", &filter.name()), ("names", &names)]));
    }
    if arguments.svg.is_some() || arguments.png.is_some() || arguments.gif.is_some() {
        draw(arguments, &question, &answer, &picture, show)?;
    }
    let lanes = if arguments.lanes { Lanes::of(&question, &answer, &picture) } else { None };
    if arguments.json {
        return output::print_json(if lanes.is_some() { JsonOf::Lanes } else { JsonOf::Access }, None, || match &lanes {
            Some(lanes) => lanes_as_json(arguments, &question, lanes),
            None => as_json(arguments, &question, &answer),
        });
    }
    let spec = Spec { filter: filter.id, parameters: parameters.clone(), channels: setting.channels, border: setting.border };
    let computed = filters::spec_text(&spec);
    let values: [(&str, &dyn Display); 4] =
        [("computed", &computed), ("width", &width_px), ("height", &height_px), ("variant", &arguments.variant)];
    let head = filled("tables.access.head", &values) + "\n";
    let lines = words::pass(&answer).into_iter().chain([words::who(&question, &answer), words::lane(&question, &answer)]);
    if let Some(lanes) = &lanes {
        let lines = lines.map(|line| line + "\n").collect::<String>();
        let sum = access::sum_words(lanes, lanes.rows.len());
        return output::print(&format!(
            "{head}{lines}\n{}\n{sum}\n{}\n",
            story::text::table(&lanes_table(lanes)),
            text("access.lanes.about")
        ));
    }
    let below = words::totals(&question, &answer, arguments.segment).into_iter().chain(words::notes(&question).map(str::to_owned));
    let joined = |lines: &mut dyn Iterator<Item = String>| lines.map(|line| line + "\n").collect::<String>();
    output::print(&format!("{head}{}\n{}\n{}", joined(&mut { lines }), story::text::table(&table(&answer)), joined(&mut { below })))
}

/// Writes the files that were asked for.
fn draw(arguments: &Arguments, question: &Question, answer: &Answer, picture: &Picture, show: Show) -> Result<()> {
    let name = arguments.variant.to_string();
    let view = View { question, answer, photo: Some(picture), show, segment_bytes: arguments.segment, name: &name };
    let against = arguments.against.as_ref();
    if let Some(against) = against {
        against.check(question.filter, question.shape.setting)?;
    }
    let other = against.map(|against| Question { shape: Shape { variant: against, ..question.shape }, pass: None, ..*question });
    let other_answer = other.as_ref().map(access::answer).transpose()?;
    let other_name = against.map_or_else(String::new, Variant::to_string);
    let before = other.as_ref().zip(other_answer.as_ref()).map(|(question, answer)| View {
        question,
        answer,
        show: show.within(answer.steps.len()),
        name: &other_name,
        ..view
    });
    let forms = [(Form::Svg, &arguments.svg), (Form::Png, &arguments.png), (Form::Gif, &arguments.gif)];
    for (form, path) in forms.into_iter().filter_map(|(form, path)| Some((form, path.as_ref()?))) {
        let bytes = if arguments.lanes {
            access::lanes_file(form, before.iter().chain([&view]))?
        } else {
            access::file(form, &view, before.as_ref())?
        };
        files::write_atomically(path, &bytes)?;
    }
    Ok(())
}

fn lanes_table(lanes: &Lanes) -> Table {
    let heads = ["#", "tables.lanes.neighbor", "tables.lanes.works", "tables.lanes.waits", "tables.lanes.skips"];
    let mut table = Table::headed("lanes", heads.map(|head| (Kind::Number, head)));
    for (index, row) in lanes.rows.iter().enumerate() {
        let [works, waits, skips] = [Lane::Works, Lane::Waits, Lane::Skips].map(|lane| Cell::count(row.count(lane)));
        let [dx, dy] = row.neighbor;
        table.row([Cell::count(index + 1), Cell::of(&format!("{dx}, {dy}")), works, waits, skips]);
    }
    table
}

fn lanes_as_json(arguments: &Arguments, question: &Question, lanes: &Lanes) -> Value {
    let row = |row: &access::TestRow| {
        let [works, waits, skips] = [Lane::Works, Lane::Waits, Lane::Skips].map(|lane| row.count(lane));
        json!({ "neighbor": row.neighbor, "lanes_at_work": works, "lanes_waiting": waits, "lanes_skipping": skips })
    };
    let sums = lanes.sums(lanes.rows.len());
    json!({
        "filter": question.filter.name(),
        "variant": arguments.variant.to_string(),
        "border": question.shape.setting.border.name(),
        "pixel": question.pixel,
        "branches": lanes.branches,
        "tests": lanes.rows.iter().map(row).collect::<Vec<_>>(),
        "executed": sums.executed,
        "divergent": sums.divergent,
        "lanes_at_work": sums.works,
        "lanes_waiting": sums.waits,
    })
}

fn table(answer: &Answer) -> Table {
    let heads = [
        (Kind::Number, "#"),
        (Kind::Words, "tables.access.instruction"),
        (Kind::Words, "tables.access.place"),
        (Kind::Number, "tables.access.lanes"),
        (Kind::Number, "tables.access.wanted"),
        (Kind::Number, "tables.access.distinct"),
        (Kind::Number, "S32"),
        (Kind::Number, "S64"),
        (Kind::Number, "S128"),
        (Kind::Number, "tables.access.used"),
        (Kind::Number, "tables.access.degree"),
        (Kind::Number, "tables.access.also"),
    ];
    let mut table = Table::headed("accesses", heads);
    for (index, step) in answer.steps.iter().enumerate() {
        let touched = |of: Segments| match of.over_picture {
            [least, most] if least == most => Cell::count(of.touched),
            [least, most] => Cell::of(&format!("{} ({least}–{most})", of.touched)),
        };
        let [at_32, at_64, at_128] = step.segments.map_or([const { Cell::Empty }; 3], |sizes| sizes.map(touched));
        let used = step.segments.map(|[at_32, ..]| format!("{:.0} %", at_32.used_share() * 100.0));
        table.row([
            Cell::count(index + 1),
            Cell::of(&words::instruction(&step.own)),
            Cell::of(&words::place(&step.own)),
            Cell::count(step.lanes.len()),
            Cell::count(step.wanted_bytes),
            Cell::count(step.unique_bytes),
            at_32,
            at_64,
            at_128,
            used.map_or(Cell::Empty, |used| Cell::of(&used)),
            step.banks.as_ref().map_or(Cell::Empty, |banks| Cell::count(banks.degree)),
            step.also_loaded.iter().max().map_or(Cell::Empty, |most| Cell::count(*most)),
        ]);
    }
    table
}

fn as_json(arguments: &Arguments, question: &Question, answer: &Answer) -> Value {
    let totals = &answer.totals;
    let sizes = totals.by_size.map(|size| {
        json!({
            "segment_bytes": size.size_bytes,
            "cold_bytes_per_pixel": size.cold,
            "once_per_sub_group_bytes_per_pixel": size.once_per_sub_group,
            "once_per_group_bytes_per_pixel": size.once_per_group,
        })
    });
    json!({
        "filter": question.filter.name(),
        "variant": arguments.variant.to_string(),
        "channels": question.shape.channels().name(),
        "border": question.shape.setting.border.name(),
        "width_px": question.shape.width_px,
        "height_px": question.shape.height_px,
        "pixel": question.pixel,
        "pass": answer.pass + 1,
        "kernel": answer.launch.passes.get(answer.pass).map(|pass| pass.kernel),
        "work_item": answer.item.global(),
        "work_group": answer.item.group,
        "place_in_group": answer.item.local,
        "local_size": answer.item.local_size,
        "sub_group": answer.sub_group,
        "lane": answer.lane,
        "vector_lanes": answer.vector_lanes,
        "steps": answer.steps.iter().map(step_as_json).collect::<Vec<_>>(),
        "accesses_left_out": answer.other_accesses,
        "sub_group_pixels": totals.sub_group_px,
        "wanted_bytes_per_pixel": totals.wanted_bytes_per_px,
        "floor_bytes_per_pixel": totals.floor_bytes_per_px,
        "image_reads_per_pixel": totals.image_reads_per_px,
        "bank_cycles_per_pixel": totals.bank_cycles_per_px,
        "fetched": sizes,
    })
}

fn step_as_json(step: &Step) -> Value {
    let segments = step.segments.map(|sizes| {
        sizes.map(|segments| {
            json!({
                "segment_bytes": segments.size_bytes,
                "touched": segments.touched,
                "ideal": segments.ideal,
                "over_picture": segments.over_picture,
                "used_share": segments.used_share(),
            })
        })
    });
    json!({
        "instruction": words::instruction(&step.own),
        "place": words::place(&step.own),
        "is_repeat": step.own.is_repeat,
        "lanes": step.lanes.len(),
        "wanted_bytes": step.wanted_bytes,
        "unique_bytes": step.unique_bytes,
        "segments": segments,
        "bank_degree": step.banks.as_ref().map(|banks| banks.degree),
        "bank_cycles": step.banks.as_ref().map(|banks| banks.cycles),
        "lanes_that_load_each_byte_too": step.also_loaded,
    })
}

#[cfg(test)]
mod tests {
    use super::{parse_local, parse_pixel, parse_segment};

    #[test]
    fn arguments_are_pixels_sizes_and_segments() {
        assert_eq!(parse_pixel("120,80").expect("a pixel"), [120, 80]);
        assert_eq!((parse_local("16x4").expect("a size"), parse_segment("64").expect("a size")), ([16, 4], 64));
        for text in ["", "3", "3x4", "-1,2", "a,b", "1,2,3"] {
            assert!(parse_pixel(text).is_err(), "{text}");
        }
        for text in ["driver", "0x1", "8192x2", "32"] {
            assert!(parse_local(text).is_err(), "{text}");
        }
        assert!(parse_segment("48").is_err());
    }
}
