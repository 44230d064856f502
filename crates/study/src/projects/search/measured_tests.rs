//! Searches over spaces of which every configuration was measured on a device, by `autotune PROJECT --strategy all --trials`: an NVIDIA H100 with driver 580.159.04, and
//! PoCL 7.1 with eight compute units of an Intel Xeon. None of
//! them was used to design the strategies. Columns are parameters, and the median kernel time in nanoseconds, which is empty of what does not run.
//!
//! `KERNEL_LADDER_SEEDS=20 cargo test -p kernel-ladder-study --lib measured -- --nocapture` prints the table of `docs/projects.md`, and with
//! `KERNEL_LADDER_CHARTS=FOLDER` also writes its charts there.

use super::{Search, Seen, Space, Strategy};
use base::texts::Words;
use std::path::Path;
use view::plot::units::Unit;
use view::plot::{Curve, CurvePoint, Curves, Role, Scale, measure, svg};
use view::story::Figure;

/// Name of its chart, name, measurements.
const SPACES: [(&str, &str, &str); 5] = [
    ("unsharp", "unsharp, 1920 x 1080, H100", include_str!("spaces/unsharp.csv")),
    ("convolution", "convolution, 2048 x 2048, H100", include_str!("spaces/convolution.csv")),
    ("matmul", "matrix product, 1024 x 1024, H100", include_str!("spaces/matmul.csv")),
    ("unsharp-pocl", "unsharp, 1920 x 1080, PoCL", include_str!("spaces/unsharp-pocl.csv")),
    ("convolution-pocl", "convolution, 2048 x 2048, PoCL", include_str!("spaces/convolution-pocl.csv")),
];

const STRATEGIES: [(Strategy, Role); 3] =
    [(Strategy::Random, Role::Cpu), (Strategy::LocalSearch, Role::Device), (Strategy::Guided, Role::Accent)];

/// Parts of all configurations after which the best one is looked at.
const PARTS: [f64; 8] = [0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2];

/// Those of the table; the second is what is asserted.
const TOLD: [usize; 3] = [3, 5, 7];

/// The space of a file, and the time of each of its points.
fn space(csv: &str) -> (Space, Vec<Option<f64>>) {
    let (mut rows, mut times): (Vec<Vec<u32>>, Vec<Option<f64>>) = (Vec::new(), Vec::new());
    for line in csv.lines().skip(1) {
        let (values, time) = line.rsplit_once(',').expect("a time");
        rows.push(values.split(',').map(|value| value.parse().expect("a value")).collect());
        times.push(time.parse().ok());
    }
    let column = |index: usize| {
        let mut values: Vec<u32> = rows.iter().map(|row| row[index]).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let columns: Vec<Vec<u32>> = (0..rows[0].len()).map(column).collect();
    let rank = |(value, column): (&u32, &Vec<u32>)| column.binary_search(value).expect("one of its values");
    let points = rows.iter().map(|row| row.iter().zip(&columns).map(rank).collect()).collect();
    (Space { counts: columns.iter().map(Vec::len).collect(), points }, times)
}

/// The best time after each part of the trials, over the best of all.
fn ratios(space: &Space, times: &[Option<f64>], strategy: Strategy, seed: u64) -> [f64; PARTS.len()] {
    let best = times.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let mut search = Search::new(space.clone(), strategy, Some(0), seed);
    let mut tried = 0_usize;
    PARTS.map(|part| {
        while (tried as f64) < part * times.len() as f64 {
            let point = search.next().expect("not all were tried");
            search.tell(point, times[point].map_or(Seen::Failed, Seen::Time));
            tried += 1;
        }
        search.best().map_or(f64::INFINITY, |(_, time)| time / best)
    })
}

/// The best time of each search after each part, over the best of all: for each part the searches in order.
fn searched(space: &Space, times: &[Option<f64>], strategy: Strategy, seeds: u64) -> [Vec<f64>; PARTS.len()] {
    let all: Vec<_> = (0..seeds).map(|seed| ratios(space, times, strategy, seed)).collect();
    std::array::from_fn(|part| {
        let mut sorted: Vec<f64> = all.iter().map(|ratios| ratios[part]).collect();
        sorted.sort_by(f64::total_cmp);
        sorted
    })
}

fn within(sorted: &[f64]) -> usize {
    sorted.iter().filter(|ratio| **ratio <= 1.03).count()
}

/// The median search of each strategy with its quartiles, over the number of trials.
fn chart(count: usize, found: &[[Vec<f64>; PARTS.len()]; STRATEGIES.len()]) -> Curves {
    let curve = |((strategy, role), parts): (&(Strategy, Role), &[Vec<f64>; PARTS.len()])| {
        let points = PARTS.iter().zip(parts).map(|(part, sorted)| {
            let at = |share: f64| 100.0 * (sorted[(share * (sorted.len() - 1) as f64).round() as usize] - 1.0);
            CurvePoint { x: (part * count as f64).round(), y: at(0.5), low: at(0.25), high: at(0.75), name: Words::from("") }
        });
        Curve { label: Words::from(strategy.name()), role: *role, points: points.collect(), is_stepped: false }
    };
    Curves {
        curves: STRATEGIES.iter().zip(found).map(curve).collect(),
        titles: ["configurations tried", "time of the best found above the best of all, %"].map(Words::from),
        units: [Unit::Count, Unit::Count],
        scale: Scale::Linear,
        levels: vec![3.0],
        marks: vec![(0.1 * count as f64, Words::from("a tenth"))],
        names: Vec::new(),
    }
}

#[test]
fn a_tenth_of_the_trials_finds_what_is_within_three_percent_of_the_best() {
    let seeds = std::env::var("KERNEL_LADDER_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(3_u64);
    let charts = std::env::var_os("KERNEL_LADDER_CHARTS");
    for (file, name, csv) in SPACES {
        let (space, times) = space(csv);
        println!("{name}: {} configurations, {} of them run", times.len(), times.iter().flatten().count());
        let found = STRATEGIES.map(|(strategy, _)| searched(&space, &times, strategy, seeds));
        for ((strategy, _), parts) in STRATEGIES.iter().zip(&found) {
            let cell = |part: usize| {
                let sorted = &parts[part];
                format!("{:.3} ({:.3}) {}/{seeds}", sorted[sorted.len() / 2], sorted[sorted.len() * 9 / 10], within(sorted))
            };
            println!("  {:12} {}", strategy.name(), TOLD.map(cell).join("   "));
        }
        if let Some(folder) = &charts {
            let scene = Figure::Curves(chart(times.len(), &found)).scene([560.0, 300.0], &measure);
            std::fs::write(Path::new(folder).join(format!("{file}.svg")), svg(&scene)).expect("written");
        }
        let [random, local, guided] = found.map(|parts| within(&parts[TOLD[1]]));
        let told = format!("{name}: random {random}, local search {local}, guided {guided} of {seeds}");
        if file == "unsharp-pocl" {
            // Two of some hundred configurations are within 3 % of the best there, and what noise makes the best is nowhere near the others: no model can know.
            assert!(guided >= random.max(local), "{told}");
        } else {
            assert_eq!(guided, seeds as usize, "{told}");
        }
    }
    // Where nearly all are far from the best one, chance does not find it.
    let (space, times) = space(SPACES[2].2);
    assert!(searched(&space, &times, Strategy::Random, seeds)[TOLD[1]].iter().any(|ratio| *ratio > 1.03));
}
