//! Searches over spaces of which every configuration was measured on a device: an NVIDIA H100, driver 580.159.04, by `autotune PROJECT --strategy all --trials`. None of
//! them was used to design the strategies. Columns are parameters, and the median kernel time in nanoseconds, which is empty of what does not run.
//!
//! `KERNEL_LADDER_SEEDS=20 cargo test -p kernel-ladder-study --lib measured -- --nocapture` prints the table of `docs/projects.md`.

use super::{Search, Seen, Space, Strategy};

const SPACES: [(&str, &str); 3] = [
    ("unsharp, 1920 x 1080", include_str!("spaces/unsharp.csv")),
    ("convolution, 2048 x 2048", include_str!("spaces/convolution.csv")),
    ("matrix product, 1024 x 1024", include_str!("spaces/matmul.csv")),
];

/// Parts of all configurations after which the best one is looked at.
const PARTS: [f64; 3] = [0.05, 0.1, 0.2];

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
fn ratios(space: &Space, times: &[Option<f64>], strategy: Strategy, seed: u64) -> [f64; 3] {
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

#[test]
fn a_tenth_of_the_trials_finds_what_is_within_three_percent_of_the_best() {
    let seeds = std::env::var("KERNEL_LADDER_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(3_u64);
    for (name, csv) in SPACES {
        let (space, times) = space(csv);
        println!("{name}: {} configurations, {} of them run", times.len(), times.iter().flatten().count());
        let mut found = Vec::new();
        for strategy in [Strategy::Random, Strategy::LocalSearch, Strategy::Guided] {
            let all: Vec<[f64; 3]> = (0..seeds).map(|seed| ratios(&space, &times, strategy, seed)).collect();
            let cell = |part: usize| {
                let mut sorted: Vec<f64> = all.iter().map(|ratios| ratios[part]).collect();
                sorted.sort_by(f64::total_cmp);
                let within = sorted.iter().filter(|ratio| **ratio <= 1.03).count();
                found.push(within);
                format!("{:.3} ({:.3}) {within}/{seeds}", sorted[sorted.len() / 2], sorted[sorted.len() * 9 / 10])
            };
            let cells: Vec<String> = (0..PARTS.len()).map(cell).collect();
            println!("  {:12} {}", strategy.name(), cells.join("   "));
        }
        let [_, random, _, _, local, _, _, guided, _] = found[..] else { panic!("three strategies") };
        assert_eq!(guided, seeds as usize, "{name}: random {random}, local search {local}, guided {guided} of {seeds}");
    }
    // Where nearly all are far from the best one, chance does not find it.
    let (space, times) = space(SPACES[2].1);
    assert!((0..seeds).any(|seed| ratios(&space, &times, Strategy::Random, seed)[1] > 1.03));
}
