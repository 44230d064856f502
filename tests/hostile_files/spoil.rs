//! Ways to spoil an input that was whole.

use fastrand::Rng;
use std::ops::Range;

/// What a way works with.
pub struct Given<'a> {
    pub rng: &'a mut Rng,
    pub whole: &'a [u8],
    /// Another input of the same kind.
    pub other: &'a [u8],
    /// Words that mean something to the reader.
    pub words: &'a [&'a str],
}

/// A way.
pub type Way = fn(&mut Given<'_>) -> Vec<u8>;

/// Ways that know nothing of what the bytes mean.
pub const BYTES: &[Way] =
    &[cut, flipped, put_in, left_out, doubled, swapped, extreme_number, spliced, overwritten, repeated, extreme_number, flipped];

/// Ways for text.
pub const TEXT: &[Way] = &[
    cut,
    flipped,
    left_out,
    doubled,
    swapped,
    spliced,
    no_utf8,
    other_number,
    nested,
    word_put_in,
    line_doubled,
    lines_swapped,
    long_word,
    line_left_out,
];

impl Given<'_> {
    pub fn at(&mut self) -> usize {
        self.rng.usize(..=self.whole.len())
    }

    fn part(&mut self, most: usize) -> Range<usize> {
        let start = self.at();
        let length = self.rng.usize(..=most.min(self.whole.len() - start));
        start..start + length
    }

    /// With these bytes in the place of that part.
    pub fn with(&self, part: Range<usize>, bytes: &[u8]) -> Vec<u8> {
        [&self.whole[..part.start], bytes, &self.whole[part.end..]].concat()
    }

    /// A number of repetitions: mostly few, sometimes very many.
    pub fn many(&mut self) -> usize {
        let most = *self.rng.choice(&[10, 200, 5_000, 100_000]).expect("four");
        self.rng.usize(1..=most)
    }
}

fn cut(given: &mut Given<'_>) -> Vec<u8> {
    let at = given.at();
    given.whole[..at].to_vec()
}

fn flipped(given: &mut Given<'_>) -> Vec<u8> {
    let mut bytes = given.whole.to_vec();
    for _ in 0..given.rng.usize(1..=8) {
        if let Some(byte) = bytes.len().checked_sub(1).map(|last| given.rng.usize(..=last)).and_then(|at| bytes.get_mut(at)) {
            *byte ^= 1 << given.rng.u8(..8);
        }
    }
    bytes
}

fn noise(given: &mut Given<'_>) -> Vec<u8> {
    (0..given.rng.usize(1..=64)).map(|_| given.rng.u8(..)).collect()
}

fn put_in(given: &mut Given<'_>) -> Vec<u8> {
    let (at, noise) = (given.at(), noise(given));
    given.with(at..at, &noise)
}

fn overwritten(given: &mut Given<'_>) -> Vec<u8> {
    let (part, noise) = (given.part(64), noise(given));
    given.with(part, &noise)
}

fn left_out(given: &mut Given<'_>) -> Vec<u8> {
    let part = given.part(64);
    given.with(part, &[])
}

fn doubled(given: &mut Given<'_>) -> Vec<u8> {
    let part = given.part(4096);
    let at = given.at();
    given.with(at..at, &given.whole[part])
}

fn repeated(given: &mut Given<'_>) -> Vec<u8> {
    let (part, times) = (given.part(8), given.many());
    let bytes = given.whole[part.clone()].repeat(times);
    given.with(part, &bytes)
}

fn swapped(given: &mut Given<'_>) -> Vec<u8> {
    let (one, other) = (given.part(64), given.part(64));
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    if first.end > second.start {
        return given.whole.iter().rev().copied().collect();
    }
    let whole = given.whole;
    [&whole[..first.start], &whole[second.clone()], &whole[first.end..second.start], &whole[first], &whole[second.end..]].concat()
}

/// What a length, a size or an index must not be taken for.
fn extreme_number(given: &mut Given<'_>) -> Vec<u8> {
    let values = [0, 1, i8::MAX as u64, u64::from(u8::MAX), i16::MAX as u64, u64::from(u16::MAX), i32::MAX as u64, u64::from(u32::MAX)];
    let value = *given.rng.choice(&values).expect("some");
    let value = *given.rng.choice(&[value, i64::MAX as u64, u64::MAX, i64::MIN as u64, u64::MAX / 4]).expect("some");
    let width = *given.rng.choice(&[1, 2, 4, 8]).expect("some");
    let bytes = if given.rng.bool() { value.to_le_bytes()[..width].to_vec() } else { value.to_be_bytes()[8 - width..].to_vec() };
    let start = given.at();
    given.with(start..(start + width).min(given.whole.len()), &bytes)
}

fn spliced(given: &mut Given<'_>) -> Vec<u8> {
    let (at, from) = (given.at(), given.rng.usize(..=given.other.len()));
    [&given.whole[..at], &given.other[from..]].concat()
}

fn no_utf8(given: &mut Given<'_>) -> Vec<u8> {
    let signs: [&[u8]; 6] = [b"\xFF\xFE", b"\xC0\x80", b"\x80", b"\xED\xA0\x80", b"\xF4\x90\x80\x80", b"\xE2\x82"];
    let (at, sign) = (given.at(), *given.rng.choice(&signs).expect("some"));
    given.with(at..at, sign)
}

/// Where the words are: what stands between anything that is no letter and no digit.
fn words(text: &[u8], is_of: impl Fn(&u8) -> bool + Copy) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for part in text.split(|byte| !is_of(byte)) {
        if !part.is_empty() {
            parts.push(start..start + part.len());
        }
        start += part.len() + 1;
    }
    parts
}

/// What numbers of text become.
pub const NUMBERS: [&str; 24] = [
    "0",
    "-1",
    "-0",
    "1e308",
    "-1e308",
    "1e999",
    "1e-400",
    "1e39",
    "NaN",
    "inf",
    "-inf",
    "null",
    "255",
    "256",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "0.0000001",
];

fn other_number(given: &mut Given<'_>) -> Vec<u8> {
    let numbers = words(given.whole, |byte| byte.is_ascii_digit() || *byte == b'.');
    let Some(part) = given.rng.choice(&numbers).cloned() else { return word_put_in(given) };
    let number = *given.rng.choice(&NUMBERS).expect("some");
    given.with(part, number.as_bytes())
}

fn nested(given: &mut Given<'_>) -> Vec<u8> {
    let opening = ["[", "{", "(", "{\"a\":", "[[", "!", "-", "/*", "a.", "\"", "\\", "'", "a={", "#if 1\n"];
    let (at, times, opening) = (given.at(), given.many(), *given.rng.choice(&opening).expect("some"));
    let mut bytes = opening.repeat(times).into_bytes();
    if given.rng.bool() {
        let closing = match opening {
            "(" => ")",
            "{" | "{\"a\":" | "a={" => "}",
            "#if 1\n" => "#endif\n",
            _ => "]",
        };
        bytes.extend(b"1");
        bytes.extend(closing.repeat(times).into_bytes());
    }
    given.with(at..at, &bytes)
}

fn word_put_in(given: &mut Given<'_>) -> Vec<u8> {
    let word = given.rng.choice(given.words).copied().unwrap_or(" ");
    let times = if given.rng.u8(..8) == 0 { given.many() } else { 1 };
    let at = given.at();
    given.with(at..at, word.repeat(times).as_bytes())
}

fn long_word(given: &mut Given<'_>) -> Vec<u8> {
    let words = words(given.whole, |byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let Some(part) = given.rng.choice(&words).cloned() else { return repeated(given) };
    let times = given.many();
    let word = given.whole[part.clone()].repeat(times);
    given.with(part, &word)
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn line_doubled(given: &mut Given<'_>) -> Vec<u8> {
    let mut lines = lines(given.whole);
    let Some(line) = given.rng.choice(&lines).copied() else { return Vec::new() };
    let (at, times) = (given.rng.usize(..=lines.len()), given.rng.usize(1..50));
    lines.splice(at..at, std::iter::repeat_n(line, times));
    lines.concat()
}

fn lines_swapped(given: &mut Given<'_>) -> Vec<u8> {
    let mut lines = lines(given.whole);
    given.rng.shuffle(&mut lines);
    lines.concat()
}

fn line_left_out(given: &mut Given<'_>) -> Vec<u8> {
    let mut lines = lines(given.whole);
    for _ in 0..given.rng.usize(1..=3).min(lines.len()) {
        lines.remove(given.rng.usize(..lines.len()));
    }
    lines.concat()
}
