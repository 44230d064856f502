//! How many times as fast as the plain reference, on one thread, the CPU competitors are.
//!
//!     cargo run --release -p kernel-ladder-kernels --example cpu_ratios -- [--size 3840x2160] [--rounds 5] [--set NAME=VALUE] [FILTER …]
//!
//! Each round runs the reference and all competitors right behind each other, and has ratios of its own: machines are noisy, and a ratio of one round is of one time of
//! day. What is printed is the median of the rounds' ratios, with the smallest and the largest, and the median time. What runs on one thread is timed by the clock of
//! that thread (on Windows by the wall's), of which other programs take nothing; what runs on all, by the fastest run of each round on the wall's. Every output is compared with
//! the reference.

use kernel_ladder_cpu::{CpuEngine, InstructionSet, Job, processor_name};
use kernels::filters::{self, Filter, Reference};
use model::{Channels, Parameters, Variant};
use pictures::{Picture, Sharing};
use std::time::Instant;

/// Runs of a competitor in a round.
const RUNS: usize = 5;

/// Where the reference takes longer, one scalar run has to do.
const LONG_MS: f64 = 2000.0;

struct Asked {
    size: (usize, usize),
    rounds: usize,
    parameters: Vec<(String, f64)>,
    filters: Vec<&'static Filter>,
}

fn main() {
    let asked = asked(std::env::args().skip(1)).unwrap_or_else(|wrong| {
        eprintln!("{wrong}");
        std::process::exit(2)
    });
    let (threads, (width, height)) = (rayon::current_num_threads(), asked.size);
    println!("{}, {}, {width} × {height}, {} rounds\n", processor_name(), InstructionSet::best().name(), asked.rounds);
    println!("| filter | reference, ms | scalar | SIMD | SIMD, {threads} threads |\n|---|--:|--:|--:|--:|");
    for filter in &asked.filters {
        let has = |name: &str| filter.parameters.iter().any(|parameter| parameter.name == name);
        let given = Parameters(asked.parameters.iter().filter(|(name, _)| has(name)).cloned().collect());
        for &channels in filter.channels {
            println!("{}", row(filter, channels, &filter.complete_or_defaults(&given), asked.size, asked.rounds));
        }
    }
}

fn asked(mut arguments: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut asked = Asked { size: (3840, 2160), rounds: 5, parameters: Vec::new(), filters: Vec::new() };
    let wrong = |value: &str| format!("{value}: not understood");
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        let number = |value: &str| value.parse().ok().filter(|&number: &usize| number > 0).ok_or_else(|| wrong(value));
        match argument.as_str() {
            "--size" => {
                let value = value()?;
                let (width, height) = value.split_once('x').ok_or_else(|| wrong(&value))?;
                asked.size = (number(width)?, number(height)?);
            }
            "--rounds" => asked.rounds = number(&value()?)?,
            "--set" => {
                let value = value()?;
                let (name, number) = value.split_once('=').ok_or_else(|| wrong(&value))?;
                asked.parameters.push((name.to_owned(), number.parse().map_err(|_| wrong(&value))?));
            }
            name => asked.filters.push(filters::by_name(name).map_err(|error| error.to_string())?),
        }
    }
    if asked.filters.is_empty() {
        asked.filters = filters::all().iter().copied().filter(|filter| filter.cpu.is_some()).collect();
    }
    Ok(asked)
}

/// Times and ratios of one filter.
fn row(
    filter: &'static Filter,
    channels: Channels,
    parameters: &Parameters,
    (width_px, height_px): (usize, usize),
    rounds: usize,
) -> String {
    let picture = kernels::testing::noise(width_px, height_px, channels);
    let (border, tolerance) = (filter.default_border, (filter.tolerance)(&Variant::naive()));
    let (Reference::Rows(reference), Some(cpu)) = (filter.reference, filter.cpu) else {
        return format!("| {} | – | – | – | – |", filter.name());
    };
    let mut output = filter.blank(&picture, parameters, Sharing::Private);
    let (mut reference_ms, mut times, mut ratios) = (Vec::new(), [const { Vec::new() }; 3], [const { Vec::new() }; 3]);
    for _ in 0..rounds {
        let begun = thread_ms();
        let expected = reference(&picture, border, parameters, 0..output.height_px());
        let took = thread_ms() - begun;
        reference_ms.push(took);
        for ((engine, times), ratios) in CpuEngine::ALL.into_iter().zip(&mut times).zip(&mut ratios) {
            let clock = if engine == CpuEngine::Threads { wall_ms } else { thread_ms };
            let run = |output: &mut Picture| {
                let begun = clock();
                cpu(Job::new(engine, picture.pixels(), border, (filter.reach)(parameters), output.bytes_mut()), parameters);
                clock() - begun
            };
            output.bytes_mut().fill(170);
            let first = run(&mut output);
            let is_right = output.bytes().iter().zip(&expected).all(|(got, want)| got.abs_diff(*want) <= tolerance);
            assert!(is_right, "{} by {} is wrong", filter.name(), engine.name());
            let once_will_do = took > LONG_MS && engine == CpuEngine::Scalar;
            let runs: Vec<_> = if once_will_do { vec![first] } else { (0..RUNS).map(|_| run(&mut output)).collect() };
            let time = if engine == CpuEngine::Threads { runs.into_iter().fold(f64::MAX, f64::min) } else { median(runs) };
            times.push(time);
            ratios.push(took / time);
        }
    }
    let cells: Vec<_> = ratios.into_iter().zip(times).map(|(ratios, times)| told(ratios, times)).collect();
    let name = [filter.name(), channels.name(), &parameters.text()].join(" ");
    format!("| {} | {:.1} | {} |", name.trim_end(), median(reference_ms), cells.join(" | "))
}

/// Milliseconds on the clock of this thread.
#[cfg(unix)]
fn thread_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

#[cfg(not(unix))]
fn thread_ms() -> f64 {
    wall_ms()
}

/// Milliseconds on the wall's clock.
fn wall_ms() -> f64 {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
}

fn told(ratios: Vec<f64>, times: Vec<f64>) -> String {
    let [least, most] = [f64::min, f64::max].map(|choose| ratios.iter().copied().reduce(choose).unwrap_or(f64::NAN));
    format!("{:.1}× ({least:.1}–{most:.1}), {:.2} ms", median(ratios), median(times))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
