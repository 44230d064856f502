//! What build logs tell of a kernel.

use model::Resources;

/// NVIDIA's with `-cl-nv-verbose`, and Intel's: what they say of this kernel.
#[must_use]
pub fn resources(log: &str, kernel: &str) -> Resources {
    let mut found = nvidia(log, kernel);
    found.work_items_per_vector = intel(log, kernel);
    found
}

/// A head names the function (`Compiling entry function 'K' for 'sm_90'`, `Function properties for K`), the lines behind it are about it:
/// `0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads`; `Used 48 registers, used 1 barriers, 128 bytes smem, 400 bytes cmem[0]`.
fn nvidia(log: &str, kernel: &str) -> Resources {
    let mut found = Resources::default();
    let mut is_own = false;
    for line in log.lines() {
        if let Some((_, name)) = line.split_once("Compiling entry function").or_else(|| line.split_once("Function properties for")) {
            let name = name.trim().trim_start_matches('\'');
            is_own = name.split(|letter: char| letter == '\'' || letter.is_whitespace()).next() == Some(kernel);
            continue;
        }
        if !is_own {
            continue;
        }
        let words: Vec<&str> = line.split(|letter: char| letter.is_whitespace() || letter == ',').filter(|word| !word.is_empty()).collect();
        let before = |what: &[&str]| {
            let at = words.windows(what.len()).position(|window| window == what)?;
            words.get(at.checked_sub(1)?)?.parse().ok()
        };
        let fill = |field: &mut Option<u32>, what: &[&str]| *field = before(what).or(*field);
        fill(&mut found.registers, &["registers"]);
        fill(&mut found.stack_bytes, &["bytes", "stack", "frame"]);
        fill(&mut found.spill_store_bytes, &["bytes", "spill", "stores"]);
        fill(&mut found.spill_load_bytes, &["bytes", "spill", "loads"]);
        fill(&mut found.local_bytes, &["bytes", "smem"]);
    }
    // Without local memory the log does not speak of it.
    found.local_bytes = found.local_bytes.or(found.registers.map(|_| 0));
    found
}

/// The last word on a kernel: `Kernel "K" was successfully vectorized (16)`, or `Kernel "K" was not vectorized`. What it says before that is what it tried.
fn intel(log: &str, kernel: &str) -> Option<u32> {
    let head = format!("Kernel \"{kernel}\" was ");
    let mut verdicts = log.lines().rev().filter_map(|line| {
        let (_, verdict) = line.split_once(head.as_str())?;
        if verdict.starts_with("not vectorized") {
            return Some(1);
        }
        let (_, width) = verdict.split_once("successfully vectorized (")?;
        width.split(')').next()?.parse().ok()
    });
    verdicts.next()
}

#[cfg(test)]
mod tests {
    use super::resources;
    use model::Resources;

    #[test]
    fn nvidias_figures_are_those_of_the_kernel_and_not_of_its_neighbor() {
        let log = "ptxas info    : 0 bytes gmem, 100 bytes cmem[3]
ptxas info    : Compiling entry function 'rows' for 'sm_90'
ptxas info    : Function properties for rows
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 21 registers, used 0 barriers, 384 bytes cmem[0]
ptxas info    : Compiling entry function 'columns' for 'sm_90'
ptxas info    : Function properties for columns
ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, 4096 bytes smem, 384 bytes cmem[0]
";
        let expected = |registers, stack, stores, loads, local| Resources {
            registers: Some(registers),
            stack_bytes: Some(stack),
            spill_store_bytes: Some(stores),
            spill_load_bytes: Some(loads),
            local_bytes: Some(local),
            ..Resources::default()
        };
        assert_eq!(resources(log, "rows"), expected(21, 0, 0, 0, 0));
        assert_eq!(resources(log, "columns"), expected(255, 16, 8, 12, 4096));
        assert_eq!(resources(log, "row"), Resources::default());
        assert_eq!(resources("", "rows"), Resources::default());
    }

    #[test]
    fn intels_last_line_decides() {
        let log = "Kernel was 16-way vectorized27 gathers7 scatters\nKernel \"laplace\" was not vectorized\nKernel \"rows\" was successfully vectorized (16)\nDone.";
        assert_eq!(resources(log, "laplace").work_items_per_vector, Some(1));
        assert_eq!(resources(log, "rows").work_items_per_vector, Some(16));
        assert_eq!(resources(log, "columns").work_items_per_vector, None);
    }
}
