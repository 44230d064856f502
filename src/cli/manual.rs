//! `kernel-ladder completions`, `man` and `topic`: what shells, packages and readers ask of the program about itself.

use super::{definition, output};
use base::error::Result;
use base::files;
use base::texts::{failed, meant, misused, text};
use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

/// Arguments of `completions`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder completions bash > ~/.local/share/bash-completion/completions/kernel-ladder
  kernel-ladder completions zsh > ~/.zfunc/_kernel-ladder
  kernel-ladder completions fish > ~/.config/fish/completions/kernel-ladder.fish")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder man | man -l -
  kernel-ladder man bench | man -l -
  kernel-ladder man --out ~/.local/share/man/man1")]
pub struct Manual {
    /// The page of this command [default: that of the program]
    #[arg(conflicts_with = "out")]
    command: Option<String>,
    /// Write the pages of the program and of all commands to this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Arguments of `topic`.
#[derive(Args, Debug)]
pub struct Topic {
    /// The topic [default: list them]
    name: Option<String>,
}

/// Topics: name and page. Their titles are the pages' first lines.
const TOPICS: &[(&str, &str)] = &[
    ("variants", include_str!("../../docs/variants.md")),
    ("measuring", include_str!("../../docs/measuring.md")),
    ("filters", include_str!("../../docs/filters.md")),
    ("projects", include_str!("../../docs/projects.md")),
    ("json", include_str!("../../docs/json.md")),
    ("bundles", include_str!("../../docs/bundles.md")),
    ("other-machines", include_str!("../../docs/other-machines.md")),
    ("drivers", include_str!("../../docs/drivers.md")),
    ("lessons", include_str!("../../docs/lessons.md")),
    ("course", include_str!("../../docs/course.md")),
    ("guides", include_str!("../../docs/guides.md")),
    ("peers", include_str!("../../docs/peers.md")),
    ("class", include_str!("../../docs/class.md")),
    ("predictions", include_str!("../../docs/predictions.md")),
    ("refuted", include_str!("../../docs/refuted.md")),
];

/// Prints a script that completes commands, options and their values in a shell.
///
/// # Errors
/// Only when printing fails.
pub fn completions(arguments: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut definition(), PROGRAM, &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// Prints a manual page, or writes all.
///
/// # Errors
/// A usage error for an unknown command; failed where a page cannot be written.
pub fn manual(arguments: &Manual) -> Result<()> {
    let mut program = definition();
    program.build();
    let pages: Vec<clap::Command> = std::iter::once(program.clone())
        .chain(program.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help").cloned())
        .collect();
    if let Some(folder) = &arguments.out {
        let refused = |error: &dyn std::fmt::Display| failed("errors.cli.not-written", &[("path", &folder.display()), ("why", error)]);
        std::fs::create_dir_all(folder).map_err(|error| refused(&error))?;
        for page in pages {
            // "kernel-ladder-bench", as those of git.
            let name = page.get_display_name().unwrap_or(PROGRAM).to_owned();
            let text = rendered(page).map_err(|error| refused(&error))?;
            files::write_atomically(&folder.join(format!("{name}.1")), &text)?;
        }
        return Ok(());
    }
    let wanted = arguments.command.as_deref().unwrap_or(PROGRAM);
    let names: Vec<String> = pages.iter().skip(1).map(|page| page.get_name().to_owned()).collect();
    let page = pages.into_iter().find(|page| page.get_name() == wanted);
    let unknown = || misused("errors.cli.no-command", &[("name", &wanted), ("known", &meant(wanted, names.iter().map(String::as_str)))]);
    let text = rendered(page.ok_or_else(unknown)?).map_err(|error| failed("errors.cli.not-printed", &[("why", &error)]))?;
    output::print(&String::from_utf8_lossy(&text))
}

/// As it is called in a shell.
const PROGRAM: &str = "kernel-ladder";

fn rendered(page: clap::Command) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    Ok(text)
}

/// Prints a page of the documentation, or the list of them.
///
/// # Errors
/// A usage error for an unknown topic.
pub fn topic(arguments: &Topic) -> Result<()> {
    let Some(wanted) = &arguments.name else {
        let title = |page: &'static str| page.lines().next().unwrap_or_default().trim_start_matches("# ");
        let widest = TOPICS.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let lines: Vec<String> = TOPICS.iter().map(|(name, page)| format!("{name:widest$}  {}", title(page))).collect();
        return output::print(&format!("{}\n\n{}\n", lines.join("\n"), text("tables.topics")));
    };
    let page = TOPICS.iter().find(|(name, _)| name == wanted).map(|(_, page)| page);
    let known = || meant(wanted, TOPICS.iter().map(|(name, _)| *name));
    output::print(page.ok_or_else(|| misused("errors.cli.no-topic", &[("name", wanted), ("known", &known())]))?)
}

#[cfg(test)]
mod tests {
    use super::{Manual, PROGRAM, TOPICS, manual, rendered};
    use clap_complete::Shell;

    #[test]
    fn every_shell_gets_a_script_that_knows_the_commands() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut crate::cli::definition(), PROGRAM, &mut script);
            let script = String::from_utf8(script).expect("text");
            assert!(["bench", "autotune", "device"].iter().all(|word| script.contains(word)), "{shell}");
        }
    }

    #[test]
    fn every_command_has_a_page_under_its_own_name() {
        let folder = tempfile::tempdir().expect("a folder");
        manual(&Manual { command: None, out: Some(folder.path().to_owned()) }).expect("written");
        let bench = std::fs::read_to_string(folder.path().join("kernel-ladder-bench.1")).expect("a page");
        assert!(bench.contains("kernel\\-ladder\\-bench") && bench.contains("\\-\\-ladder"), "{bench}");
        assert!(!folder.path().join("kernel-ladder-worker.1").exists());
        let program = String::from_utf8(rendered(crate::cli::definition()).expect("a page")).expect("text");
        assert!(program.contains("Exit codes"), "{program}");
    }

    #[test]
    fn every_topic_begins_with_its_title() {
        assert!(TOPICS.iter().all(|(_, page)| page.starts_with("# ")));
    }
}
