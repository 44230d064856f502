//! The word that somebody may mean who wrote another.

use super::filled;

/// "did you mean 'merged'?", of the known word that is meant; or all that are known.
#[must_use]
pub fn meant<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    did_you_mean(word, known.clone()).unwrap_or_else(|| filled("words.meant.known", &[("names", &known.collect::<Vec<_>>().join(", "))]))
}

/// The same; `None` where none of those that are known is like it.
#[must_use]
pub fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    nearest(word, known).map(|name| filled("words.meant.name", &[("name", &name)]))
}

/// The known word that differs least, where that is little: a third of its letters.
fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let most = (length / 3).max(1);
    // A word that is much longer differs by more, and would take long to compare.
    // Who wrote the beginning of a word has left off the rest.
    let is_begun = |other: &str| length > 2 && other.starts_with(word);
    let alike = known.filter(|other| is_begun(other) || other.chars().count().abs_diff(length) <= most);
    let distance = |other| if is_begun(other) { 1 } else { strsim::osa_distance(word, other) };
    let near = alike.map(|other| (distance(other), other)).min_by_key(|(distance, other)| (*distance, other.len()));
    near.filter(|(distance, _)| *distance <= most).map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_told_from_another_word() {
        let known = ["merged", "padded", "local"];
        assert_eq!(nearest("merge", known.into_iter()), Some("merged"));
        assert_eq!(nearest("lcoal", known.into_iter()), Some("local"));
        assert_eq!(nearest("pad", known.into_iter()), Some("padded"));
        assert_eq!(nearest("moral", known.into_iter()), None);
        assert_eq!(nearest("tessellated", known.into_iter()), None);
    }
}
