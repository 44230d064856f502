//! What several commands' arguments have in common: parsers, and the options that describe a task.

use base::error::Result;
use base::texts::misused;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use engine::device::DeviceInfo;
use engine::{Backend, KernelText, PictureRef, Target, Task};
use kernels::filters::FilterIdExt as _;
use kernels::filters::SettingExt;
use kernels::filters::VariantExt;
use kernels::filters::{self, Filter};
use kernels::project::PROJECT;
use model::{BorderMode, Budget, Channels, CpuEngine, FilterId, HostMemory, Labelled as _, LocalSize, Parameters, Setting, Spec, Variant};
use pictures::{Large, Loaded};
use report::story_file;
use std::path::{Path, PathBuf};
use study::Search;

/// The filter and what surrounds it.
#[derive(Args, Clone, Debug)]
pub struct FilterArguments {
    /// Filter, see `kernel-ladder list` [default: laplace]
    #[arg(long = "filter", value_name = "NAME", value_parser = filters::by_name)]
    pub named: Option<&'static Filter>,
    /// Border mode, for pixels outside the image [default: depends on the filter]
    #[arg(long, value_name = "MODE", value_parser = border_parser())]
    pub border: Option<BorderMode>,
    /// Channels to compute in
    #[arg(long, value_name = "KIND", value_parser = channels_parser())]
    pub channels: Option<Channels>,
}

impl FilterArguments {
    /// An option that was given, where there is one.
    pub fn given(&self) -> Option<&'static str> {
        let given = [(self.named.is_some(), "--filter"), (self.border.is_some(), "--border"), (self.channels.is_some(), "--channels")];
        first_given(&given)
    }

    /// The filter that was named, or the first of the table.
    pub fn filter(&self) -> &'static Filter {
        self.named.unwrap_or(FilterId::Laplace.filter())
    }

    /// Channels and border mode as given; else these, or the filter's own where it is not defined for them.
    ///
    /// # Errors
    /// Wrong use where a border mode is given that the filter does not have.
    pub fn setting_or(&self, filter: &Filter, channels: Channels, border: Option<BorderMode>) -> Result<Setting> {
        if let Some(border) = self.border.filter(|border| !filter.borders.contains(border)) {
            let known = filter.borders.iter().map(|border| border.name()).collect::<Vec<_>>().join(", ");
            return Err(misused("errors.cli.no-border", &[("filter", &filter.name()), ("border", &border.name()), ("known", &known)]));
        }
        let known = filter.channels;
        let channels = if known.contains(&channels) { channels } else { known.first().copied().unwrap_or(channels) };
        let border = self.border.or(border).unwrap_or(filter.default_border);
        Ok(Setting::new(self.channels.unwrap_or(channels), filter.border_or_default(border)))
    }
}

fn border_parser() -> impl TypedValueParser<Value = BorderMode> {
    named(BorderMode::ALL.map(|mode| (mode.name(), mode)))
}

/// "rgb" or "gray".
pub fn channels_parser() -> impl TypedValueParser<Value = Channels> {
    named(Channels::ALL.map(|channels| (channels.name(), channels)))
}

/// What commands that study one variant have in common.
#[derive(Args, Clone, Debug)]
pub struct StudyArguments {
    /// Stages joined by '+', or naive; see `kernel-ladder list --filter NAME`
    #[arg(value_name = "VARIANT", value_parser = Variant::parse)]
    pub variant: Variant,
    #[command(flatten)]
    pub filter: FilterArguments,
    /// OpenCL device, see `kernel-ladder devices`
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub device: usize,
    /// Local size, dimension 0 x dimension 1; `driver` leaves it to the driver
    #[arg(long, value_name = "32x4|driver", default_value = "driver", value_parser = parse_local)]
    pub local: LocalSize,
    /// Sampling time per measurement, in milliseconds
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    budget_ms: u64,
    /// Number of processes in which every comparison is repeated; with 1, its interval is from one run of the program
    #[arg(long, value_name = "N", default_value_t = Budget::STARTS as u64, value_parser = clap::value_parser!(u64).range(1..=Budget::MOST_STARTS as u64))]
    starts: u64,
    /// Parameter of the filter; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    parameters: Vec<(String, f64)>,
    /// Also write the result to this file, in the form that its extension names: md, html, pdf, json, csv, txt; charts also as svg or
    /// png
    #[arg(long, value_name = "FILE", value_parser = parse_story_file)]
    pub out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl StudyArguments {
    /// Sampling for each measurement.
    pub fn budget(&self) -> Budget {
        Budget { sample_ns: self.budget_ms * 1_000_000, starts: self.starts as usize, ..Budget::default() }
    }

    /// The device, what is computed, and what both allow, which the variant is held to. A picture has `own_channels`.
    ///
    /// # Errors
    /// A usage error for a device that is not there, as [`parameters`], or for a variant that is not allowed on this device.
    pub fn checked<'a>(&self, found: &'a [DeviceInfo], own_channels: Channels) -> Result<(&'a DeviceInfo, Spec, Setting)> {
        let filter = self.filter.filter();
        let parameters = parameters(filter, &self.parameters)?;
        let info = device(found, self.device)?;
        let setting = self.filter.setting_or(filter, own_channels, None)?.with_parameters(filter, &parameters).on(info.abilities());
        self.variant.check(filter, setting)?;
        Ok((info, Spec { filter: filter.id, parameters, channels: setting.channels, border: setting.border }, setting))
    }

    /// The variant over a picture.
    pub fn task(&self, spec: Spec, picture: PictureRef, host_memory: HostMemory) -> Task {
        let target = Target::Device { index: self.device, variant: self.variant, local: self.local, host_memory };
        Task { spec, picture, target, text: KernelText::Composed }
    }
}

/// Engine that computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineArgument {
    /// A variant on an OpenCL device.
    OpenCl,
    /// A CPU competitor.
    Cpu(CpuEngine),
}

/// `opencl`, or a CPU competitor's name.
pub fn engine_parser() -> impl TypedValueParser<Value = EngineArgument> {
    let [scalar, simd, threads] = CpuEngine::ALL.map(|engine| (engine.name(), EngineArgument::Cpu(engine)));
    named([("opencl", EngineArgument::OpenCl), scalar, simd, threads])
}

/// Refuses options that a CPU competitor has no use for, where they are given.
///
/// # Errors
/// A usage error that names the first of them.
pub fn refuse_surplus(engine: CpuEngine, options: &[(&str, bool)]) -> Result<()> {
    match options.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(misused("errors.run.surplus", &[("option", option), ("engine", &engine.name())])),
    }
}

/// `rapid`, `normal` or `exhaustive`.
pub fn search_parser() -> impl TypedValueParser<Value = Search> {
    named(Search::ALL.map(|search| (search.name(), search)))
}

/// A parser that accepts exactly these names, and lists them in help and messages.
pub fn named<T: Copy + Send + Sync + 'static, const N: usize>(names: [(&'static str, T); N]) -> impl TypedValueParser<Value = T> {
    let possible = PossibleValuesParser::new(names.map(|(name, _)| name));
    possible.try_map(move |text| {
        names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or("it is not one of the possible values")
    })
}

/// `NAME=VALUE`.
///
/// # Errors
/// A usage error that shows the form.
pub fn parse_parameter(text: &str) -> Result<(String, f64)> {
    let parts = text.split_once('=').and_then(|(name, value)| Some((name.to_owned(), value.parse::<f64>().ok()?)));
    parts.filter(|(name, value)| !name.is_empty() && value.is_finite()).ok_or_else(|| misused("errors.cli.parameter", &[("text", &text)]))
}

/// `NAME=VALUE`, where the value need not be a number.
///
/// # Errors
/// A usage error that shows the form.
pub fn parse_setting(text: &str) -> Result<(String, String)> {
    let parts = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    parts.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| misused("errors.project.setting", &[("text", &text)]))
}

/// Settings whose values are numbers, as those of filters are.
///
/// # Errors
/// See [`parse_parameter`].
pub fn as_numbers(settings: &[(String, String)]) -> Result<Vec<(String, f64)>> {
    settings.iter().map(|(name, value)| parse_parameter(&format!("{name}={value}"))).collect()
}

/// The first option that was given.
pub fn first_given(options: &[(bool, &'static str)]) -> Option<&'static str> {
    options.iter().find(|(is_given, _)| *is_given).map(|(_, name)| *name)
}

/// What a command is about.
pub enum Subjects<'a> {
    /// Variants of the filter.
    Variants(Vec<Variant>),
    /// The folder of a project.
    Project(&'a Path),
}

/// The variants that were named, or the one folder with `project.toml`, whose commands do not take an option `of_filters`.
///
/// # Errors
/// A usage error where a name is neither, or both are named, or two projects, or that option.
pub fn subjects<'a>(named: &'a [String], of_filters: Option<&'static str>) -> Result<Subjects<'a>> {
    let is_project = |name: &str| Path::new(name).join(PROJECT).is_file();
    if let [name] = named
        && is_project(name)
    {
        return match of_filters {
            Some(option) => Err(misused("errors.cli.only-for-filters", &[("option", &option)])),
            None => Ok(Subjects::Project(Path::new(name))),
        };
    }
    let variant = |name: &String| match Variant::parse(name) {
        Ok(variant) => Ok(variant),
        Err(_) if is_project(name) => Err(misused("errors.cli.one-project", &[("folder", name)])),
        Err(error) => Err(misused("errors.cli.no-subject", &[("name", name), ("why", &error.why), ("remedy", &error.remedy)])),
    };
    named.iter().map(variant).collect::<Result<_>>().map(Subjects::Variants)
}

/// The parameters of all `--set`, checked and complete.
///
/// # Errors
/// A usage error for a name given twice, a name that the filter does not have, or a value out of range.
pub fn parameters(filter: &Filter, given: &[(String, f64)]) -> Result<Parameters> {
    let mut parameters = Parameters::default();
    for (name, value) in given {
        if parameters.0.insert(name.clone(), *value).is_some() {
            return Err(misused("errors.cli.parameter-twice", &[("name", name)]));
        }
    }
    filter.complete(&parameters)
}

/// Each filter in its channels, or in these alone, with those of the parameters that it has.
///
/// # Errors
/// A usage error for a parameter that none of them has or that is wrong, and where none of them takes these channels.
pub fn specs(asked: &[&'static Filter], channels: Option<Channels>, given: &[(String, f64)]) -> Result<Vec<Spec>> {
    let has = |filter: &Filter, name: &str| filter.parameters.iter().any(|parameter| parameter.name == name);
    if let Some((name, _)) = given.iter().find(|(name, _)| !asked.iter().any(|filter| has(filter, name))) {
        return Err(misused("errors.cli.no-filter-has", &[("name", name)]));
    }
    let mut specs = Vec::new();
    for filter in asked {
        let given: Vec<_> = given.iter().filter(|(name, _)| has(filter, name)).cloned().collect();
        let parameters = parameters(filter, &given)?;
        for &channels in filter.channels.iter().filter(|&&own| channels.is_none_or(|asked| asked == own)) {
            specs.push(Spec { parameters: parameters.clone(), ..filter.spec(channels, filter.default_border) });
        }
    }
    match (specs.is_empty(), channels) {
        (true, Some(channels)) => Err(misused("errors.cli.no-filter-in", &[("channels", &channels.label())])),
        _ => Ok(specs),
    }
}

/// `driver`, or `32x4`.
///
/// # Errors
/// A usage error that shows the form; no side is 0.
pub fn parse_local(text: &str) -> Result<LocalSize> {
    let local = text.parse()?;
    if matches!(local, LocalSize::Explicit(sides) if sides.contains(&0)) {
        Err(misused("errors.cli.local-zero", &[("text", &text)]))
    } else {
        Ok(local)
    }
}

/// A file that a story can be painted into.
pub fn parse_story_file(text: &str) -> Result<PathBuf> {
    let path = PathBuf::from(text);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase();
    if story_file::EXTENSIONS.contains(&extension.as_str()) {
        return Ok(path);
    }
    Err(misused("errors.cli.story-file", &[("file", &text), ("known", &story_file::EXTENSIONS.join(", "))]))
}

/// A picture's size on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeArgument {
    /// The sizes of the published study.
    Study,
    /// Width and height in pixels.
    Pixels(usize, usize),
}

/// `2048x2048`, or `study`.
///
/// # Errors
/// A usage error that shows the form, or names the limit that was passed.
pub fn parse_size(text: &str) -> Result<SizeArgument> {
    if text == "study" {
        return Ok(SizeArgument::Study);
    }
    let sides = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let (width, height) = sides.ok_or_else(|| misused("errors.cli.size", &[("text", &text)]))?;
    pictures::check_size(width, height, Channels::Rgb)?;
    Ok(SizeArgument::Pixels(width, height))
}

/// `2048x2048`, where one picture is needed.
///
/// # Errors
/// As [`parse_size`]; a usage error for `study`, which is several.
pub fn parse_pixels(text: &str) -> Result<(usize, usize)> {
    match parse_size(text)? {
        SizeArgument::Pixels(width, height) => Ok((width, height)),
        SizeArgument::Study => Err(misused("errors.cli.one-picture", &[])),
    }
}

/// The device that `--device` names, out of those there are now.
///
/// # Errors
/// Failed, with what to install, where there is none at all; a usage error where there are fewer.
pub fn device(found: &[DeviceInfo], index: usize) -> Result<&DeviceInfo> {
    let device = found.iter().find(|info| info.index == index);
    device.ok_or_else(|| misused("errors.cli.device", &[("index", &index), ("count", &found.len())]))
}

/// All devices.
///
/// # Errors
/// Failed, with what to install, where there is none.
pub fn devices(backend: &mut dyn Backend) -> Result<Vec<DeviceInfo>> {
    backend.rescan().map_err(|none| engine::device::install_help(&none).into_error())
}

/// Whether a large picture is meant so.
#[derive(Args, Clone, Copy, Debug)]
pub struct LargeArgument {
    /// Also open pictures of more than 64 megapixels, and smaller ones that are compressed extremely
    #[arg(long)]
    large: bool,
}

/// The picture at `path`; the name of a built-in sample will do where there is no such file.
///
/// # Errors
/// Whatever keeps it from being read; a usage error where it is large, and not said to be.
pub fn open_picture(path: &Path, large: LargeArgument) -> Result<Loaded> {
    let sample = pictures::samples().iter().find(|sample| Path::new(sample.name) == path && !path.exists());
    let large = if large.large { Large::Whole } else { Large::Ask };
    let loaded = sample.map_or_else(|| pictures::open(path, large)?.asked_for(), pictures::Sample::load)?;
    for note in &loaded.notes {
        super::output::note(note);
    }
    // The engine's process reads it where it is.
    Ok(Loaded { picture: loaded.picture.into_shared(), ..loaded })
}

#[cfg(test)]
mod tests {
    use super::{SizeArgument, parameters, parse_local, parse_parameter, parse_pixels, parse_size};
    use kernels::filters;
    use model::LocalSize;

    #[test]
    fn sizes_are_two_numbers_or_the_study() {
        assert_eq!(parse_size("2048x1024").expect("a size"), SizeArgument::Pixels(2048, 1024));
        assert_eq!(parse_size("study").expect("a size"), SizeArgument::Study);
        assert_eq!(parse_pixels("2048x1024").expect("a size"), (2048, 1024));
        assert!(parse_pixels("study").is_err());
        for text in ["", "2048", "2048x", "x3", "-1x3", "0x5", "5x0", "2048X2048", "99999999999x99999999999", "3x4x5"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn local_sizes_are_the_drivers_or_two_numbers_above_0() {
        assert_eq!(parse_local("driver").expect("known"), LocalSize::Driver);
        assert_eq!(parse_local("32x4").expect("known"), LocalSize::Explicit([32, 4]));
        for text in ["0x0", "0x4", "32x0", "32", "32x-1"] {
            assert!(parse_local(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parameters_that_count_are_whole() {
        let box_filter = filters::by_name("box").expect("box");
        let error = parameters(box_filter, &[("radius".to_owned(), 2.5)]).expect_err("no radius");
        assert!(error.to_string().contains("use 2 or 3"), "{error}");
        assert!(parameters(box_filter, &[("radius".to_owned(), 3.0)]).is_ok());
        let bilateral = filters::by_name("bilateral").expect("bilateral");
        assert!(parameters(bilateral, &[("sigma_space".to_owned(), 2.5)]).is_ok(), "any number");
    }

    #[test]
    fn parameters_are_a_name_and_a_number() {
        assert_eq!(parse_parameter("threshold=20").expect("a parameter"), ("threshold".to_owned(), 20.0));
        for text in ["", "threshold", "threshold=", "=3", "threshold=high", "threshold=nan", "threshold=inf"] {
            assert!(parse_parameter(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parameters_that_the_filter_does_not_have_are_refused() {
        let filter = filters::by_name("laplace").expect("laplace");
        assert!(parameters(filter, &[]).is_ok());
        assert!(parameters(filter, &[("threshold".to_owned(), 3.0)]).is_err());
    }
}
