//! What must not be in a bundle: who measured, on which computer, and where their files lie. Drivers' messages name such things.

use std::env;
use std::path::PathBuf;

/// What stands for what was struck out.
const STRUCK: &str = "…";

/// Shorter names than this are part of too many words.
const LEAST_NAME: usize = 3;

/// What messages put around paths.
const QUOTES: &str = "'\"`";

/// Folders and names of the person and of the computer.
pub struct Private {
    folders: Vec<String>,
    names: Vec<String>,
}

impl Private {
    /// Those of this process.
    pub fn of_this_machine() -> Self {
        let home = directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned());
        let user = home.as_ref().and_then(|home| home.file_name()).map(|name| name.to_string_lossy().into_owned());
        let variables = ["USER", "LOGNAME", "USERNAME", "HOSTNAME", "COMPUTERNAME"];
        let host = ["/proc/sys/kernel/hostname", "/etc/hostname"].into_iter().filter_map(|path| std::fs::read_to_string(path).ok());
        let names = user.into_iter().chain(variables.into_iter().filter_map(|name| env::var(name).ok())).chain(host);
        let folders: [Option<PathBuf>; 3] = [home, env::current_dir().ok(), Some(env::temp_dir())];
        Self::new(folders.into_iter().flatten().map(|folder| folder.to_string_lossy().into_owned()), names)
    }

    /// These, the longest first: a folder lies within another.
    fn new(folders: impl IntoIterator<Item = String>, names: impl IntoIterator<Item = String>) -> Self {
        let by_length = |mut texts: Vec<String>| {
            texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
            texts
        };
        let folders = folders.into_iter().filter(|folder| folder.len() >= LEAST_NAME).collect();
        let names = names.into_iter().map(|name| name.trim().to_owned()).filter(|name| name.chars().count() >= LEAST_NAME).collect();
        Self { folders: by_length(folders), names: by_length(names) }
    }

    /// `text` without them, and without any absolute path.
    pub fn struck(&self, text: &str) -> String {
        self.names.iter().fold(self.without_paths(text), |text, name| without_word(&text, name))
    }

    fn without_paths(&self, text: &str) -> String {
        let mut struck = String::with_capacity(text.len());
        let mut rest = text;
        let mut before: Option<char> = None;
        while let Some(letter) = rest.chars().next() {
            let path = self.path_bytes(before, rest);
            if path.is_some() {
                struck.push_str(STRUCK);
            } else {
                struck.push(letter);
            }
            before = struck.chars().next_back();
            rest = rest.get(path.unwrap_or(letter.len_utf8())..).unwrap_or_default();
        }
        struck
    }

    /// How long the path is that begins here: to the quotation mark that closes it, or else to the next blank, which the person's folders may have.
    fn path_bytes(&self, before: Option<char>, rest: &str) -> Option<usize> {
        let folder = self.folders.iter().find(|folder| rest.starts_with(folder.as_str())).map(String::len);
        if folder.is_none() && !begins_path(before, rest) {
            return None;
        }
        let known = folder.unwrap_or(0);
        let after = rest.get(known..)?;
        let end = match before.filter(|before| QUOTES.contains(*before)) {
            Some(quote) => after.find(quote),
            None => after.find(|letter: char| letter.is_whitespace() || ",;)".contains(letter) || QUOTES.contains(letter)),
        };
        Some(known + end.unwrap_or(after.len()))
    }
}

/// Whether an absolute path begins here: `/x`, `~/`, `\\x`, `C:\`.
fn begins_path(before: Option<char>, rest: &str) -> bool {
    // "GB/s", "loads/pixel", "https://".
    if before.is_some_and(|before| before.is_alphanumeric() || "/\\:.".contains(before)) {
        return false;
    }
    let mut letters = rest.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some('/'), Some(next), _) => next.is_alphanumeric() || "._-".contains(next),
        (Some('~'), Some('/'), _) | (Some('\\'), Some('\\'), _) => true,
        (Some(drive), Some(':'), Some('\\' | '/')) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// `text` with what stands for each `word` that is no part of another one.
fn without_word(text: &str, word: &str) -> String {
    let mut struck = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, from) = rest.split_at(at);
        let after = from.get(word.len()..).unwrap_or_default();
        let is_part =
            before.chars().next_back().is_some_and(char::is_alphanumeric) || after.chars().next().is_some_and(char::is_alphanumeric);
        struck.push_str(before);
        struck.push_str(if is_part { word } else { STRUCK });
        rest = after;
    }
    struck + rest
}

#[cfg(test)]
mod tests {
    use super::Private;

    #[test]
    fn folders_paths_and_names_are_struck_out_and_all_else_stays() {
        let private = Private::new(["/home/Jane Doe".to_owned(), "C:\\Users\\jane".to_owned()], ["jane".to_owned(), "lab-7\n".to_owned()]);
        for (text, struck) in [
            ("cannot open '/home/Jane Doe/my photo.png': no", "cannot open '…': no"),
            ("error in /tmp/a/b.cl:3, line 3", "error in …, line 3"),
            ("see ~/.cache/pocl and C:\\Users\\jane\\x.bin", "see … and …"),
            ("user jane on lab-7, janet stays", "user … on …, janet stays"),
            ("\\\\server\\share (/mnt/x)", "… (…)"),
            ("12 GB/s, 3 loads/pixel, 1 / 2, https://x.org", "12 GB/s, 3 loads/pixel, 1 / 2, https://x.org"),
            ("the tile needs 40000 bytes", "the tile needs 40000 bytes"),
        ] {
            assert_eq!(private.struck(text), struck);
        }
    }

    #[test]
    fn this_machine_has_a_home_that_is_struck_out() {
        let Some(folders) = directories::BaseDirs::new() else { return };
        let home = folders.home_dir().display().to_string();
        let struck = Private::of_this_machine().struck(&format!("in {home}/x y.png it failed"));
        assert!(!struck.contains(&home), "{struck}");
    }
}
