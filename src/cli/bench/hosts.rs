//! The same benchmark on several machines at once: they do not disturb each other, and one that is lost costs its own part alone.

use super::Arguments;
use crate::cli::{merge, note_carried, output};
use base::error::{Error, Result};
use base::files::Unfinished;
use base::texts::{failed, filled, misused};
use engine::remote::Remote;
use std::path::{Path, PathBuf};
use std::thread;
use study::bundle::{self, Bundle};

/// Measures on each of the machines, and writes one bundle of what they brought.
///
/// # Errors
/// Usage where no bundle is to be written, or something that only one machine can bring; failed where machines failed, after all others are written.
pub fn run(arguments: &Arguments, hosts: &[String]) -> Result<()> {
    if arguments.save.is_some() {
        return Err(misused("errors.baseline.several-hosts", &[("hosts", &hosts.join(","))]));
    }
    let Some(path) = arguments.bundle.as_deref() else { return Err(misused("errors.hosts.no-bundle", &[("hosts", &hosts.join(","))])) };
    if arguments.json || arguments.ladders || arguments.csv.is_some() || arguments.claims_data.is_some() || arguments.self_test.is_some() {
        return Err(misused("errors.hosts.bundle-alone", &[]));
    }
    if !arguments.alias.is_empty() && arguments.alias.len() != hosts.len() {
        return Err(misused("errors.hosts.aliases", &[("aliases", &arguments.alias.len()), ("hosts", &hosts.len())]));
    }
    // It is better known before anything is measured that it cannot be written.
    bundle::write(path, &Bundle::default())?;
    let folder = Unfinished::made(tempfile::tempdir, tempfile::TempDir::path);
    let (folder, _unfinished) = folder.map_err(|error| failed("errors.hosts.no-folder", &[("why", &error)]))?;
    let parts: Vec<PathBuf> = (0..hosts.len()).map(|number| folder.path().join(format!("{number}.json"))).collect();
    let mut failures: Vec<Error> = thread::scope(|scope| {
        let alias = |number: usize| arguments.alias.get(number).cloned().into_iter().collect::<Vec<_>>();
        let all = hosts.iter().zip(&parts).enumerate();
        let threads: Vec<_> = all.map(|(number, (host, part))| scope.spawn(move || on(host, part, alias(number), arguments))).collect();
        // A panic has been told.
        let results = threads
            .into_iter()
            .zip(hosts)
            .map(|(thread, host)| thread.join().unwrap_or_else(|_| Err(failed("errors.hosts.panicked", &[("host", host)]))));
        results.filter_map(Result::err).collect()
    });
    // What a machine brought before it was lost is there. Where nothing is, its failure says why.
    let (merged, _) = Bundle::merged(brought(&parts, hosts, &mut failures));
    bundle::write(path, &merged)?;
    merge::tell(path, &merged)?;
    if failures.is_empty() {
        return Ok(());
    }
    failures.iter().for_each(output::complain);
    Err(failed("errors.hosts.failed", &[("failed", &failures.len()), ("hosts", &hosts.len())]))
}

/// What machines have written; what of it is no bundle is a failure.
fn brought(parts: &[PathBuf], hosts: &[String], failures: &mut Vec<Error>) -> Vec<Bundle> {
    let read = |(part, host): (&PathBuf, &String)| bundle::read(part).map_err(|error| of_host(host, error));
    let there = parts.iter().zip(hosts).filter(|(part, _)| part.exists());
    there.map(read).filter_map(|bundle| bundle.map_err(|error| failures.push(error)).ok()).collect()
}

/// Measures on one machine; each of its errors names it.
fn on(host: &str, part: &Path, alias: Vec<String>, arguments: &Arguments) -> Result<()> {
    let mut backend = Remote::on_host(host);
    let own = Arguments { bundle: Some(part.to_owned()), is_silent: true, alias, ..arguments.clone() };
    let result = super::run(&own, &mut backend);
    note_carried(&backend);
    result.map_err(|error| of_host(host, error))
}

/// The same, with the machine's name.
fn of_host(host: &str, error: Error) -> Error {
    Error { what: filled("errors.hosts.of", &[("host", &host), ("what", &error.what)]), ..error }
}

#[cfg(test)]
mod tests {
    use super::brought;
    use study::bundle::{self, Bundle};

    #[test]
    fn a_part_that_cannot_be_read_is_a_failure_and_one_that_is_missing_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let parts = ["good", "bad", "missing"].map(|name| folder.path().join(name));
        bundle::write(&parts[0], &Bundle::default()).expect("written");
        let text = std::fs::read_to_string(&parts[0]).expect("there");
        std::fs::write(&parts[1], &text[..text.len() / 2]).expect("written");
        let mut failures = Vec::new();
        let read = brought(&parts, &["one", "two", "three"].map(str::to_owned), &mut failures);
        assert_eq!((read.len(), failures.len()), (1, 1));
        assert!(failures[0].what.contains("two"), "{failures:?}");
    }
}
