//! `kernel-ladder peers`: the fastest variant of each filter, or a CPU competitor, beside what a person would use instead: NVIDIA's libraries, OpenCV, Halide,
//! or a program of their own.

mod found;
mod page;
mod process;

use super::arguments::{self, EngineArgument, parse_pixels};
use super::autotune::{self, Question};
use super::output::{self, TerminalProgress};
use super::schema::JsonOf;
use base::error::Result;
use base::files::Unfinished;
use base::texts::{failed, filled};
use clap::Args;
use engine::{Backend, PictureRef, Proof, Target, Task};
use found::{Named, worth_beside};
use kernels::filters::FilterIdExt as _;
use kernels::filters::{self, Filter};
use model::measure::{Coin, Comparison, Pair, Places, compare, median_of, mostly_busy};
use model::{Budget, Channels, FilterId, Spec};
use page::{Beside, Differs, Line, Ours, Place, Program, Setting};
use pictures::Picture;
use process::{Answer, Asked, Peer};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder peers > peers.md
  kernel-ladder peers --filter dilate --filter median --size 7680x4320 --seconds 20
  kernel-ladder peers --peer opencv --python venv/bin/python
  kernel-ladder peers --engine cpu-simd --size 7680x4320
  kernel-ladder peers --filter laplace --peer mine=./mine.py

For every filter and channel setting, a search finds the fastest variant on the device. Then it and each function of the peers run alternately over the \
same image, and their outputs are compared with the reference. With --engine, a CPU competitor of this program takes the place of the variant. \
Without --peer, those of the known peers are used that are installed: cuda (NPP and CUB, by nvcc), opencv-umat, opencv and halide (by Python); \
beside a competitor on one thread, opencv-one-thread and halide-one-thread, beside one on all cores, opencv and halide.")]
pub struct Arguments {
    /// Filter; may be given several times [default: all]
    #[arg(long = "filter", value_name = "NAME", value_parser = filters::by_name)]
    chosen: Vec<&'static Filter>,
    /// Channels to compute in [default: all that the filter supports]
    #[arg(long, value_name = "KIND", value_parser = arguments::channels_parser())]
    channels: Option<Channels>,
    /// Size of the generated picture
    #[arg(long, value_name = "3840x2160", value_parser = parse_pixels, default_value = "3840x2160")]
    size: (usize, usize),
    /// What is measured beside the peers: variants on an OpenCL device, or a CPU competitor
    #[arg(long, value_name = "NAME", value_parser = arguments::engine_parser(), default_value = "opencl")]
    engine: EngineArgument,
    /// OpenCL device, see `kernel-ladder devices` [default: 0]
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// Peer, or NAME=COMMAND for one of your own; may be given several times [default: see below]
    #[arg(long = "peer", value_name = "NAME", value_parser = Named::parse)]
    peers: Vec<Named>,
    /// Python with OpenCV and Halide
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: String,
    /// Approximate time of each search for a variant in seconds [default: 30]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,
    /// Rounds, in each of which everything is measured once
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u64).range(8..=1000))]
    rounds: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How long a search takes unless told otherwise.
const SECONDS: u64 = 30;

/// Runs of a peer in a round.
const RUNS: usize = 20;

/// What this program has in a round: about as much as a peer.
const ROUND: Budget =
    Budget { warmup_runs: 1, warmup_ns: 5_000_000, sample_ns: 50_000_000, min_samples: 5, max_samples: RUNS, warm_cache: false, starts: 1 };

/// The picture whose outputs are compared. Both sides are even, for mosaics; rows are multiples of 16 bytes, and the height is not a power of two.
const COMPARED_PX: (usize, usize) = (640, 362);

/// Prints the page.
///
/// # Errors
/// Usage errors; failed where there is no device or no peer. What one row could not have is told in the row.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let chosen = if arguments.chosen.is_empty() { filters::all().to_vec() } else { arguments.chosen.clone() };
    let specs = arguments::specs(&chosen, arguments.channels, &[])?;
    let place = place(arguments, backend)?;
    let folder = Unfinished::made(tempfile::tempdir, tempfile::TempDir::path);
    let (folder, _unfinished) = folder.map_err(|error| failed("errors.peer.folder", &[("why", &error)]))?;
    let mut peers = started(arguments, &place, folder.path())?;
    // The page comes as it is made: a row takes its half minute, and one that is broken off must not cost those before it.
    let tell = |text: &str| if arguments.json { Ok(()) } else { output::print(text) };
    let setting = Setting { size: arguments.size, seconds: seconds(arguments), rounds: arguments.rounds };
    tell(&page::head(&place, &peers, setting))?;
    let mut lines = Vec::new();
    for channels in Channels::ALL {
        let of_channels: Vec<&Spec> = specs.iter().filter(|spec| spec.channels == channels).collect();
        if of_channels.is_empty() {
            continue;
        }
        let bench = Bench::new(arguments, &place, channels, folder.path())?;
        for spec in of_channels {
            let line = match bench.line(spec, &mut peers, backend) {
                Err(error) if error.is_cancelled() => return Err(error),
                Err(error) => Line { spec: spec.clone(), ours: None, beside: Vec::new(), failed: vec![error.to_string()] },
                Ok(line) => line,
            };
            tell(&page::rows(&line))?;
            lines.push(line);
        }
    }
    if arguments.json {
        return output::print_json(JsonOf::Peers, place.device(), || page::as_json(&place, &peers, setting, &lines));
    }
    tell(&page::summary(&lines))
}

/// What stands beside the peers.
fn place(arguments: &Arguments, backend: &mut dyn Backend) -> Result<Place> {
    let EngineArgument::Cpu(engine) = arguments.engine else {
        let devices = arguments::devices(backend)?;
        return Ok(Place::Device(Box::new(arguments::device(&devices, arguments.device.unwrap_or(0))?.clone())));
    };
    arguments::refuse_surplus(engine, &[("--device", arguments.device.is_some()), ("--seconds", arguments.seconds.is_some())])?;
    Ok(Place::Cpu(engine))
}

fn seconds(arguments: &Arguments) -> u64 {
    arguments.seconds.unwrap_or(SECONDS)
}

/// Those that were named, or all that can be had and are worth a comparison.
fn started(arguments: &Arguments, place: &Place, folder: &Path) -> Result<Vec<Peer>> {
    if !arguments.peers.is_empty() {
        return arguments.peers.iter().map(|named| named.start(&arguments.python, folder)).collect();
    }
    let mut peers = Vec::new();
    for key in worth_beside(place) {
        match (Named { key: key.to_owned(), command: None }).start(&arguments.python, folder) {
            Ok(peer) => peers.push(peer),
            Err(error) => output::note(&filled("tables.peers.left-out", &[("peer", &key), ("why", &error.why)])),
        }
    }
    if peers.is_empty() { Err(failed("errors.peer.none", &[])) } else { Ok(peers) }
}

/// The pictures of rows in the same channels.
struct Bench<'a> {
    arguments: &'a Arguments,
    place: &'a Place,
    folder: &'a Path,
    timed: PictureRef,
    timed_path: PathBuf,
    compared: PictureRef,
    compared_path: PathBuf,
}

impl<'a> Bench<'a> {
    fn new(arguments: &'a Arguments, place: &'a Place, channels: Channels, folder: &'a Path) -> Result<Self> {
        let written = |name: &str, size| -> Result<_> {
            let (picture, path) = (PictureRef::generated(size, channels), folder.join(format!("{name}-{channels:?}")));
            fs::write(&path, picture.picture.bytes()).map_err(|error| failed("errors.peer.folder", &[("why", &error)]))?;
            Ok((picture, path))
        };
        let (timed, timed_path) = written("timed", arguments.size)?;
        let (compared, compared_path) = written("compared", COMPARED_PX)?;
        Ok(Self { arguments, place, folder, timed, timed_path, compared, compared_path })
    }

    /// One row: ours, and every function of every peer. Without any, there is nothing to measure.
    fn line(&self, spec: &Spec, peers: &mut [Peer], backend: &mut dyn Backend) -> Result<Line> {
        let mut line = Line { spec: spec.clone(), ours: None, beside: Vec::new(), failed: Vec::new() };
        let differs = self.differences(spec, peers, &mut line.failed);
        if differs.is_empty() {
            return Ok(line);
        }
        let mut progress = TerminalProgress::new();
        progress.job = filters::spec_text(spec);
        let (program, mut own) = self.own(spec, backend, &progress)?;
        let beside = self.rounds(spec, &mut own, peers, &mut line.failed, backend, &progress)?;
        progress.clear();
        let ns = median_of(own.ns.iter().map(|&ns| ns as f64).collect());
        line.ours = Some(Ours { program, ns, copy: own.over_copy(), is_busy: mostly_busy(own.busy.iter().copied()) });
        line.beside.extend(beside.into_iter().map(|((peer, function), pairs)| {
            let differs = differs.get(&(peer, function.clone())).copied();
            let ns = median_of(pairs.iter().map(|pair| pair.first_ns as f64).collect());
            let peer = peers.get(peer).map_or_else(String::new, |peer| peer.name.clone());
            Beside { peer, function, ns, over: compare(&pairs, Places::Shared), differs }
        }));
        Ok(line)
    }

    /// What is ours: on a device, the variant that a search finds, and how it compares with a copy; on the CPU, a competitor and the copy's.
    fn own(&self, spec: &Spec, backend: &mut dyn Backend, progress: &TerminalProgress) -> Result<(Program, Own)> {
        match self.place {
            Place::Device(info) => {
                let limit = Duration::from_secs(seconds(self.arguments));
                let question = Question::guided(info, spec.clone(), self.timed.clone(), limit);
                let told = autotune::search(&question, backend)?;
                let proof = backend.prove(&question.candidate(told.best), progress)?;
                let over = told.copy.and_then(|(_, worth)| worth?.ok()).map(|compared| compared.comparison);
                Ok((Program::Kernel(told.best), Own::new(proof, over.map(Copied::Compared))))
            }
            Place::Cpu(engine) => {
                let on_cpu = |spec: &Spec| Task { spec: spec.clone(), ..Task::new(self.timed.clone(), Target::Cpu(*engine)) };
                let proof = backend.prove(&on_cpu(spec), progress)?;
                let (filter, copy) = (spec.filter.filter(), FilterId::Copy.filter());
                let is_comparable = filter.id != copy.id && filter.output_channels(spec.channels) == spec.channels;
                let copy = is_comparable.then(|| backend.prove(&on_cpu(&copy.spec(spec.channels, copy.default_border)), progress));
                Ok((
                    Program::Competitor(*engine),
                    Own::new(proof, copy.transpose()?.map(|proof| Copied::InRounds(Box::new(proof), Vec::new()))),
                ))
            }
        }
    }

    /// How far the outputs of a small picture are from the reference, for each function that computes the filter.
    fn differences(&self, spec: &Spec, peers: &mut [Peer], failures: &mut Vec<String>) -> BTreeMap<Function, Differs> {
        let filter = spec.filter.filter();
        let reference = filter.reference(&self.compared.picture, spec.border, &spec.parameters);
        let reach = (filter.reach)(&spec.parameters);
        let asked = Asked { spec, size: COMPARED_PX, path: &self.compared_path };
        let mut differs = BTreeMap::new();
        for (number, peer) in peers.iter_mut().enumerate() {
            let answers = answered(peer, failures, |peer| peer.output(&asked, &self.folder.join(format!("output-{number}"))));
            for answer in answers {
                match answer {
                    Answer::Failed(why) => failures.push(format!("{}: {why}", peer.name)),
                    Answer::Of(function, path) => match (fs::read(&path), &reference) {
                        (Err(error), _) => failures.push(failed("errors.peer.output", &[("peer", &peer.key), ("why", &error)]).to_string()),
                        (Ok(bytes), Some(reference)) => {
                            differs.insert((number, function), difference(reference, &bytes, reach.before.max(reach.after)));
                        }
                        (Ok(_), None) => {
                            differs.insert((number, function), Differs::Unknown);
                        }
                    },
                }
            }
        }
        differs
    }

    /// Everything once in each round; a coin decides whether ours is first or last, and the peers take turns at being the first of them.
    fn rounds(
        &self,
        spec: &Spec,
        own: &mut Own,
        peers: &mut [Peer],
        failures: &mut Vec<String>,
        backend: &mut dyn Backend,
        progress: &TerminalProgress,
    ) -> Result<BTreeMap<Function, Vec<Pair>>> {
        let asked = Asked { spec, size: self.arguments.size, path: &self.timed_path };
        let (mut beside, mut coin) = (BTreeMap::<Function, Vec<Pair>>::new(), Coin::tossed_by_the_clock());
        for round in 0..self.arguments.rounds as usize {
            let before = if coin.is_heads() { Some(own.measure(backend, progress)?) } else { None };
            let mut times = Vec::new();
            for place in 0..peers.len() {
                // Each is the first of them in turn: what a peer leaves behind, heat and clocks, is not always the same one's to bear.
                let number = (round + place) % peers.len();
                let Some(peer) = peers.get_mut(number) else { continue };
                for answer in answered(peer, failures, |peer| peer.measure(&asked, RUNS)) {
                    match answer {
                        Answer::Of(function, us) => times.push(((number, function), (1000.0 * median_of(us)).round() as u64)),
                        // What fails once fails in every round.
                        Answer::Failed(why) if round == 0 => failures.push(format!("{}: {why}", peer.name)),
                        Answer::Failed(_) => {}
                    }
                }
            }
            let ours = match before {
                Some(ours) => ours,
                None => own.measure(backend, progress)?,
            };
            for (function, ns) in times {
                beside.entry(function).or_default().push(pair(ns, ours));
            }
            if beside.is_empty() {
                break;
            }
        }
        Ok(beside)
    }
}

/// What is ours, and what rounds brought of it.
struct Own {
    proof: Proof,
    copy: Option<Copied>,
    ns: Vec<u64>,
    /// Whether other programs disturbed it, for each round.
    busy: Vec<bool>,
}

/// The filter copy beside ours.
enum Copied {
    /// The search has compared both.
    Compared(Comparison),
    /// It is measured in every round, too: its time over ours.
    InRounds(Box<Proof>, Vec<Pair>),
}

impl Own {
    const fn new(proof: Proof, copy: Option<Copied>) -> Self {
        Self { proof, copy, ns: Vec::new(), busy: Vec::new() }
    }

    /// Ours once, and the copy where it is measured, too. Nanoseconds of ours.
    fn measure(&mut self, backend: &mut dyn Backend, progress: &TerminalProgress) -> Result<u64> {
        let mut is_busy = false;
        let mut time = |proof: &Proof| -> Result<u64> {
            let record = backend.measure(proof, ROUND, progress)?;
            is_busy |= record.is_busy();
            let kernel = record.kernel().ok_or_else(|| failed("errors.peer.no-time", &[]))?;
            Ok(kernel.median_ns.round() as u64)
        };
        let ours = time(&self.proof)?;
        if let Some(Copied::InRounds(proof, pairs)) = &mut self.copy {
            pairs.push(pair(time(proof)?, ours));
        }
        self.ns.push(ours);
        self.busy.push(is_busy);
        Ok(ours)
    }

    /// Its speed relative to the copy's.
    fn over_copy(&self) -> Option<Comparison> {
        match self.copy.as_ref()? {
            Copied::Compared(comparison) => Some(*comparison),
            Copied::InRounds(_, pairs) => Some(compare(pairs, Places::Shared)),
        }
    }
}

/// The first over the second.
fn pair(first_ns: u64, second_ns: u64) -> Pair {
    Pair { first_ns: first_ns.max(1), second_ns: second_ns.max(1), first_place: 0, second_place: 0, start: 0 }
}

/// What a peer answers. One whose answer cannot be understood is ended, and says nothing more: its next lines could belong to this question.
fn answered<T>(peer: &mut Peer, failures: &mut Vec<String>, ask: impl FnOnce(&mut Peer) -> Result<Vec<T>>) -> Vec<T> {
    if peer.is_lost() {
        return Vec::new();
    }
    ask(peer).unwrap_or_else(|error| {
        peer.end();
        failures.push(error.to_string());
        Vec::new()
    })
}

/// A peer's number, and the name of its function.
type Function = (usize, String);

/// What differs from the reference further than `reach` pixels from its edges, and nearer.
fn difference(reference: &Picture, bytes: &[u8], reach: usize) -> Differs {
    let (row_bytes, height, channels) =
        (reference.width_px() * reference.channels().count(), reference.height_px(), reference.channels().count());
    if bytes.len() != row_bytes * height {
        return Differs::Size;
    }
    let (mut inside, mut differing, mut most, mut at_edge) = (0_usize, 0_usize, 0, false);
    for (place, (is, should)) in bytes.iter().zip(reference.bytes()).enumerate() {
        let (x, y) = (place % row_bytes / channels, place / row_bytes);
        let is_inside = x >= reach && y >= reach && x + reach < reference.width_px() && y + reach < height;
        let by = is.abs_diff(*should);
        if is_inside {
            inside += 1;
            differing += usize::from(by > 0);
            most = most.max(by);
        } else {
            at_edge |= by > 0;
        }
    }
    Differs::Bytes { share: differing as f64 / inside.max(1) as f64, most, at_edge: (reach > 0).then_some(at_edge) }
}

#[cfg(test)]
mod tests {
    use super::difference;
    use crate::cli::peers::page::Differs;
    use model::Channels;
    use pictures::Picture;

    #[test]
    fn the_inside_and_the_edges_of_an_output_are_told_apart() {
        let reference = Picture::from_fn(5, 4, Channels::Gray, |_, _, _| 100);
        let of = |place: usize, value: u8| {
            let mut bytes = vec![100; 20];
            bytes[place] = value;
            difference(&reference, &bytes, 1)
        };
        // Three by two pixels are inside.
        assert_eq!(of(6, 97), Differs::Bytes { share: 1.0 / 6.0, most: 3, at_edge: Some(false) });
        assert_eq!(of(0, 97), Differs::Bytes { share: 0.0, most: 0, at_edge: Some(true) });
        assert_eq!(of(0, 100), Differs::Bytes { share: 0.0, most: 0, at_edge: Some(false) });
        assert_eq!(difference(&reference, &[0; 19], 1), Differs::Size);
        // Without a mask there are no edges.
        assert_eq!(difference(&reference, &[100; 20], 0), Differs::Bytes { share: 0.0, most: 0, at_edge: None });
    }
}
