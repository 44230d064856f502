//! Ways to spoil what is written as a tree of values, JSON or CBOR, so that it can still be read as such a tree.

use super::spoil::{Given, NUMBERS, Way};
use ciborium::Value as Cbor;
use fastrand::Rng;
use serde_json::{Value as Json, json};

/// For one value of JSON, or one on each line.
pub const JSON: &[Way] = &[json_value, json_value, json_value, json_twice];

/// For frames: a length of four bytes, little-endian, then CBOR.
pub const FRAMES: &[Way] = &[cbor_value, cbor_value, cbor_claim, other_length, same_length];

/// A value with values in it.
trait Tree: Sized + Clone {
    fn children(&mut self) -> Vec<&mut Self>;

    /// Something that nobody expects there.
    fn strange(rng: &mut Rng) -> Self;

    /// A number that is read as one, and is too much for whoever counts on; `None` in the place of anything but a number.
    fn extreme(&self, rng: &mut Rng) -> Option<Self>;
}

impl Tree for Json {
    fn children(&mut self) -> Vec<&mut Self> {
        match self {
            Json::Array(values) => values.iter_mut().collect(),
            Json::Object(fields) => fields.values_mut().collect(),
            _ => Vec::new(),
        }
    }

    fn strange(rng: &mut Rng) -> Self {
        let deep = (0..rng.usize(1..120)).fold(json!(1), |inner, _| json!([inner]));
        let values = [
            Json::Null,
            json!(true),
            json!(""),
            json!("\u{0}\u{202E}\n\t"),
            json!("x".repeat(rng.usize(1..100_000))),
            json!([]),
            json!({}),
            json!({ "a": 1 }),
            json!(-1),
            json!(0),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(u32::MAX),
            json!(f64::MAX),
            json!(-f64::MAX),
            json!(f64::MIN_POSITIVE),
            json!(1e39),
            json!(1e-300),
            json!(NUMBERS[rng.usize(..NUMBERS.len())]),
            json!([u64::MAX, u64::MAX]),
            deep,
        ];
        values[rng.usize(..values.len())].clone()
    }

    fn extreme(&self, rng: &mut Rng) -> Option<Self> {
        let number = self.as_number()?;
        Some(if number.is_f64() { json!(REAL[rng.usize(..REAL.len())]) } else { json!(WHOLE[rng.usize(..WHOLE.len())]) })
    }
}

/// The last of each type, and what lies just beyond or rounds to it.
const WHOLE: [u64; 8] = [0, 1, u8::MAX as u64, u16::MAX as u64, u32::MAX as u64, 1 << 32, i64::MAX as u64, u64::MAX];
const REAL: [f64; 8] = [0.0, -1.0, 1e-300, 1e39, -1e39, f64::MAX, f64::MIN, 0.1];

impl Tree for Cbor {
    fn children(&mut self) -> Vec<&mut Self> {
        match self {
            Cbor::Array(values) => values.iter_mut().collect(),
            Cbor::Map(fields) => fields.iter_mut().flat_map(|(key, value)| [key, value]).collect(),
            Cbor::Tag(_, value) => vec![value],
            _ => Vec::new(),
        }
    }

    fn strange(rng: &mut Rng) -> Self {
        let deep = (0..rng.usize(1..120)).fold(Cbor::Null, |inner, _| Cbor::Array(vec![inner]));
        let values = [
            Cbor::Null,
            Cbor::Bool(true),
            Cbor::Text(String::new()),
            Cbor::Text("/dev/zero".to_owned()),
            Cbor::Text("x".repeat(rng.usize(1..100_000))),
            Cbor::Bytes(vec![0xFF; rng.usize(..100_000)]),
            Cbor::Array(Vec::new()),
            Cbor::Array(vec![Cbor::from(u64::MAX); 2]),
            Cbor::Map(Vec::new()),
            Cbor::from(-1),
            Cbor::from(0),
            Cbor::from(u64::MAX),
            Cbor::from(i64::MIN),
            Cbor::from(1_u64 << 40),
            Cbor::from(u32::MAX),
            Cbor::Float(f64::NAN),
            Cbor::Float(f64::INFINITY),
            Cbor::Float(f64::NEG_INFINITY),
            Cbor::Float(f64::MAX),
            Cbor::Tag(u64::MAX, Box::new(Cbor::Null)),
            deep,
        ];
        values[rng.usize(..values.len())].clone()
    }

    fn extreme(&self, rng: &mut Rng) -> Option<Self> {
        match self {
            Cbor::Integer(_) => Some(Cbor::from(WHOLE[rng.usize(..WHOLE.len())])),
            Cbor::Float(_) => Some(Cbor::Float(REAL[rng.usize(..REAL.len())])),
            _ => None,
        }
    }
}

fn visit<T: Tree>(value: &mut T, see: &mut dyn FnMut(&mut T)) {
    see(value);
    for child in value.children() {
        visit(child, see);
    }
}

/// Puts something strange, or another of its own values, in the place of a few values.
fn spoiled<T: Tree>(tree: &mut T, rng: &mut Rng) {
    let mut all = Vec::new();
    visit(tree, &mut |value| all.push(value.clone()));
    let mut chosen: Vec<usize> = (0..rng.usize(1..=3)).map(|_| rng.usize(..all.len())).collect();
    if rng.bool() {
        // Numbers alone: what is read is then used.
        chosen.retain(|index| all[*index].extreme(rng).is_some());
        let numbers: Vec<usize> = (0..all.len()).filter(|index| all[*index].extreme(rng).is_some()).collect();
        chosen.extend(rng.choice(&numbers));
    }
    let mut number = 0;
    visit(tree, &mut |value| {
        if chosen.contains(&number) {
            let extreme = value.extreme(rng).filter(|_| rng.u8(..4) > 0);
            let own = || all.get(number * 7 % all.len()).cloned();
            *value = extreme.or_else(|| own().filter(|_| number % 4 == 0)).unwrap_or_else(|| T::strange(rng));
        }
        number += 1;
    });
}

/// The value on one of the lines, and the rest as it is.
fn of_a_line(given: &mut Given<'_>, change: impl FnOnce(&mut Given<'_>, &[u8]) -> Option<Vec<u8>>) -> Vec<u8> {
    let whole = given.whole;
    let lines: Vec<&[u8]> = whole.split(|byte| *byte == b'\n').collect();
    let chosen = given.rng.usize(..lines.len());
    let changed = change(given, lines[chosen]).unwrap_or_default();
    let lines = lines.iter().enumerate().map(|(index, line)| if index == chosen { changed.as_slice() } else { line });
    lines.collect::<Vec<_>>().join(&b'\n')
}

fn json_value(given: &mut Given<'_>) -> Vec<u8> {
    of_a_line(given, |given, line| {
        let mut value: Json = serde_json::from_slice(line).ok()?;
        spoiled(&mut value, given.rng);
        serde_json::to_vec(&value).ok()
    })
}

/// A field that is there twice.
fn json_twice(given: &mut Given<'_>) -> Vec<u8> {
    of_a_line(given, |given, line| {
        let value: Json = serde_json::from_slice(line).ok()?;
        let fields: Vec<_> = value.as_object()?.iter().collect();
        let (name, own) = *given.rng.choice(&fields)?;
        let other = if given.rng.bool() { own.clone() } else { Json::strange(given.rng) };
        let twice = format!("{{{}:{other},", json!(name));
        Some([twice.as_bytes(), line.strip_prefix(b"{")?].concat())
    })
}

/// With its length before it.
pub fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_le_bytes(), message].concat()
}

fn message<'a>(given: &Given<'a>) -> &'a [u8] {
    given.whole.get(4..).unwrap_or_default()
}

fn cbor_value(given: &mut Given<'_>) -> Vec<u8> {
    let Ok(mut value) = ciborium::from_reader::<Cbor, _>(message(given)) else { return given.whole.to_vec() };
    spoiled(&mut value, given.rng);
    let mut bytes = Vec::new();
    ciborium::into_writer(&value, &mut bytes).expect("into memory");
    framed(&bytes)
}

/// Something that says that it is very long, or very deep.
fn cbor_claim(given: &mut Given<'_>) -> Vec<u8> {
    let message = message(given);
    let at = given.rng.usize(..=message.len());
    let times = given.many();
    let head =
        *given.rng.choice(&[0x5B, 0x7B, 0x9B, 0xBB, 0x5A, 0x7A, 0x9A, 0xBA, 0x9F, 0xBF, 0x81, 0xA1, 0xC1, 0x5F, 0x7F]).expect("some");
    let claim = match head {
        0x5B | 0x7B | 0x9B | 0xBB => [&[head][..], &[0x7F], &[0xFF; 7]].concat(),
        0x5A | 0x7A | 0x9A | 0xBA => [&[head][..], &[0xFF; 4]].concat(),
        head => vec![head; times],
    };
    let end = (at + given.rng.usize(..2)).min(message.len());
    framed(&[&message[..at], &claim, &message[end..]].concat())
}

fn other_length(given: &mut Given<'_>) -> Vec<u8> {
    let message = message(given);
    let own = message.len() as u32;
    let lengths = [0, 1, own.wrapping_sub(1), own + 1, own * 2, 256 << 20, (256 << 20) + 1, i32::MAX as u32, u32::MAX];
    let length = *given.rng.choice(&lengths).expect("some");
    [&length.to_le_bytes(), message].concat()
}

/// Spoiled as bytes, with the length that it then has.
fn same_length(given: &mut Given<'_>) -> Vec<u8> {
    let way = *given.rng.choice(super::spoil::BYTES).expect("some");
    let (whole, other) = (message(given), given.other.get(4..).unwrap_or_default());
    framed(&way(&mut Given { rng: given.rng, whole, other, words: given.words }))
}
