//! No output of a command takes the place of what it reads, of another output, or of a file of another kind.

use base::error::Result;
use base::texts::misused;
use pictures::READABLE_EXTENSIONS;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Extensions of what people write or keep for this program. A file with one of them gives way to no output of another kind: `--binary my.cl` is a slip.
const KEPT_EXTENSIONS: [&str; 9] = ["cl", "clh", "toml", "json", "jsonl", "csv", "html", "htm", "svg"];

/// The files that a command names.
#[derive(Default)]
pub struct NamedFiles<'a> {
    inputs: Vec<&'a Path>,
    /// With the extensions of their kind.
    outputs: Vec<(&'a Path, &'static [&'static str])>,
}

impl<'a> NamedFiles<'a> {
    /// These, and files that it reads.
    pub fn reading(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.inputs.extend(paths.into_iter().map(PathBuf::as_path));
        self
    }

    /// These, and a file that it writes, where one is named. Files of its kind have these extensions, or others that nobody keeps for this program.
    pub fn writing(mut self, path: impl Into<Option<&'a PathBuf>>, extensions: &'static [&'static str]) -> Self {
        self.outputs.extend(path.into().map(|path| (path.as_path(), extensions)));
        self
    }

    /// The same with several files of one kind.
    pub fn writing_all(mut self, paths: &'a [PathBuf], extensions: &'static [&'static str]) -> Self {
        self.outputs.extend(paths.iter().map(|path| (path.as_path(), extensions)));
        self
    }

    /// Refuses before anything is run.
    ///
    /// # Errors
    /// A usage error for an output that is an input, or another output, by whatever name; for one that would replace a file of another kind.
    pub fn check(&self) -> Result<()> {
        for (at, (output, extensions)) in self.outputs.iter().enumerate() {
            let path = output.display();
            if let Some(input) = self.inputs.iter().find(|input| is_same(input, output)) {
                return Err(misused("errors.cli.output-is-input", &[("path", &path), ("input", &input.display())]));
            }
            if self.outputs.iter().take(at).any(|(other, _)| is_same(other, output)) {
                return Err(misused("errors.cli.output-twice", &[("path", &path)]));
            }
            let extension = output.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
            let is_kept = KEPT_EXTENSIONS.iter().chain(&READABLE_EXTENSIONS).any(|kept| *kept == extension);
            if is_kept && !extensions.contains(&extension.as_str()) && output.is_file() {
                return Err(misused("errors.cli.output-of-other-kind", &[("path", &path), ("extension", &extension)]));
            }
        }
        Ok(())
    }
}

/// Whether both names lead to one file, or would: through links, too.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        })
    };
    place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other)) || is_same_file(one, other)
}

/// Whether both are names of one file that is there.
#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let number = |path: &Path| path.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| (metadata.dev(), metadata.ino()));
    number(one).is_some_and(|number_of_one| Some(number_of_one) == number(other))
}

#[cfg(not(unix))]
fn is_same_file(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::NamedFiles;
    use base::error::ErrorKind;
    use std::path::{Path, PathBuf};

    fn checked(inputs: &[PathBuf], outputs: &[(&PathBuf, &'static [&'static str])]) -> base::error::Result<()> {
        let named = NamedFiles::default().reading(inputs);
        outputs.iter().fold(named, |named, (path, extensions)| named.writing(*path, extensions)).check()
    }

    #[test]
    fn an_output_takes_no_inputs_place_by_whatever_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| folder.path().join(name);
        let input = file("g.json");
        std::fs::write(&input, "bundle").expect("written");
        std::fs::create_dir(file("sub")).expect("made");
        let mut others = vec![input.clone(), file("sub/../g.json"), folder.path().join("./g.json")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&input, file("link.json")).expect("linked");
            std::os::unix::fs::symlink(Path::new("g.json"), file("relative.json")).expect("linked");
            std::fs::hard_link(&input, file("second.json")).expect("linked");
            others.extend([file("link.json"), file("relative.json"), file("second.json")]);
        }
        for output in &others {
            let error = checked(std::slice::from_ref(&input), &[(output, &["json"])]).expect_err("refused");
            assert_eq!(error.kind, ErrorKind::Usage);
            assert!(error.to_string().contains(&output.display().to_string()), "{error}");
        }
        checked(std::slice::from_ref(&input), &[(&file("other.json"), &["json"])]).expect("a file of its own");
        // An input that is not there is a sample, or told later.
        checked(&[PathBuf::from("coffee.png")], &[(&file("a.json"), &["json"])]).expect("no file of that name");
    }

    #[test]
    fn two_outputs_are_two_files_even_where_neither_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, same) = (folder.path().join("new.svg"), folder.path().join(".").join("new.svg"));
        checked(&[], &[(&one, &["svg"]), (&same, &["svg"])]).expect_err("refused");
        checked(&[], &[(&one, &["svg"]), (&folder.path().join("new.png"), &["png"])]).expect("two files");
    }

    #[test]
    fn a_file_of_another_kind_that_people_keep_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["my.cl", "MY.CL", "lesson.toml", "photo.jpg"] {
            let path = folder.path().join(name);
            checked(&[], &[(&path, &["bin"])]).expect("nothing is there yet");
            std::fs::write(&path, "work of days").expect("written");
            let error = checked(&[], &[(&path, &["bin"])]).expect_err("refused");
            assert_eq!(error.kind, ErrorKind::Usage);
        }
        // Of its own kind, or of none that is known, it is what was written the last time.
        for name in ["old.csv", "old.bin", "old"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "rows").expect("written");
            checked(&[], &[(&path, &["csv"])]).expect("replaced");
        }
    }
}
