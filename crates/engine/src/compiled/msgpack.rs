//! `MessagePack`, of which AMD's notes are made: a reader for bytes that nobody vouches for. It takes no more values than there are bytes, no deeper than notes
//! are, and has no recursion without that limit.

/// Notes are five deep: kernels, a kernel, its arguments, one of them, its value.
const MOST_DEPTH: usize = 16;

/// A value. What notes do not have (extensions, numbers with a point) is read over.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'a> {
    /// A whole number that is not negative.
    Number(u64),
    /// Text.
    Text(&'a str),
    /// A list.
    List(Vec<Value<'a>>),
    /// Pairs, in the order of the file.
    Map(Vec<(Value<'a>, Value<'a>)>),
    /// Anything else.
    Other,
}

impl<'a> Value<'a> {
    /// Reads a value, whatever lies behind it; `None` where the bytes end within it or are no `MessagePack`.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        Reader { rest: bytes }.value(MOST_DEPTH)
    }

    /// What a map has under a key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(pairs) = self else { return None };
        pairs.iter().find_map(|(name, value)| (*name == Value::Text(key)).then_some(value))
    }

    /// The values of a list; none of anything else.
    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// A number that fits.
    pub fn number(&self) -> Option<u32> {
        if let Self::Number(number) = self { u32::try_from(*number).ok() } else { None }
    }

    /// A text.
    pub const fn text(&self) -> Option<&'a str> {
        if let Self::Text(text) = self { Some(*text) } else { None }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// A number of so many bytes, the highest first.
    fn number(&mut self, bytes: usize) -> Option<u64> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn length(&mut self, bytes: usize) -> Option<usize> {
        usize::try_from(self.number(bytes)?).ok()
    }

    fn value(&mut self, depth: usize) -> Option<Value<'a>> {
        let depth = depth.checked_sub(1)?;
        let first = self.number(1)?;
        let low = |mask: u64| usize::try_from(first & mask).ok();
        match first {
            0x00..=0x7f => Some(Value::Number(first)),
            0x80..=0x8f => self.map(low(0x0f)?, depth),
            0x90..=0x9f => self.list(low(0x0f)?, depth),
            0xa0..=0xbf => self.text(low(0x1f)?),
            // Nothing, no, yes, and small negative numbers.
            0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => Some(Value::Other),
            // Bytes: their length has 1, 2 or 4 bytes.
            0xc4..=0xc6 => self.length(1 << (first - 0xc4)).and_then(|length| self.over(length)),
            0xc7..=0xc9 => self.length(1 << (first - 0xc7)).and_then(|length| self.over(length.checked_add(1)?)),
            0xca => self.over(4),
            0xcb => self.over(8),
            0xcc..=0xcf => self.number(1 << (first - 0xcc)).map(Value::Number),
            0xd0..=0xd3 => self.signed(1 << (first - 0xd0)),
            0xd4..=0xd8 => self.over(1 + (1 << (first - 0xd4))),
            0xd9..=0xdb => self.length(1 << (first - 0xd9)).and_then(|length| self.text(length)),
            0xdc | 0xdd => self.length(2 << (first - 0xdc)).and_then(|length| self.list(length, depth)),
            0xde | 0xdf => self.length(2 << (first - 0xde)).and_then(|length| self.map(length, depth)),
            _ => None,
        }
    }

    /// A signed number of so many bytes: a negative one is of no use here.
    fn signed(&mut self, bytes: usize) -> Option<Value<'a>> {
        let number = self.number(bytes)?;
        let is_negative = number >> (8 * bytes - 1) & 1 == 1;
        Some(if is_negative { Value::Other } else { Value::Number(number) })
    }

    fn over(&mut self, count: usize) -> Option<Value<'a>> {
        self.take(count).map(|_| Value::Other)
    }

    fn text(&mut self, length: usize) -> Option<Value<'a>> {
        std::str::from_utf8(self.take(length)?).ok().map(Value::Text)
    }

    fn list(&mut self, count: usize, depth: usize) -> Option<Value<'a>> {
        // Each value is a byte at least: of a length that lies the bytes come to an end first.
        (0..count).map(|_| self.value(depth)).collect::<Option<_>>().map(Value::List)
    }

    fn map(&mut self, count: usize, depth: usize) -> Option<Value<'a>> {
        (0..count).map(|_| Some((self.value(depth)?, self.value(depth)?))).collect::<Option<_>>().map(Value::Map)
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn values_of_every_length_are_read() {
        let read = |bytes: &[u8]| Value::read(bytes).unwrap_or_else(|| panic!("{bytes:x?}")).number();
        for (bytes, number) in [
            (&[0x7f_u8] as &[u8], Some(127)),
            (&[0xcc, 200], Some(200)),
            (&[0xcd, 1, 2], Some(258)),
            (&[0xce, 0, 1, 0, 0], Some(65536)),
            (&[0xcf, 0, 0, 0, 0, 0, 0, 0, 9], Some(9)),
            (&[0xcf, 1, 0, 0, 0, 0, 0, 0, 0], None),
            (&[0xd0, 5], Some(5)),
            (&[0xd1, 0xff, 0xff], None),
            (&[0xff], None),
            (&[0xc3], None),
            (&[0xcb, 0, 0, 0, 0, 0, 0, 0, 0], None),
        ] {
            assert_eq!(read(bytes), number, "{bytes:x?}");
        }
        let text = |bytes: &'static [u8]| Value::read(bytes).and_then(|value| value.text());
        assert_eq!([text(b"\xa3abc"), text(b"\xd9\x03abc"), text(b"\xda\0\x03abc"), text(b"\xdb\0\0\0\x03abc")], [Some("abc"); 4]);
        // What is read over is as long as it says: the number behind it is found.
        for over in [&b"\xc4\x02.."[..], b"\xc7\x01x.", b"\xd4x.", b"\xd8x................", b"\xca....", b"\xc0"] {
            let list = [b"\x92", over, &[7]].concat();
            assert_eq!(Value::read(&list).expect("a list").items()[1], Value::Number(7), "{over:x?}");
        }
    }

    #[test]
    fn maps_and_lists_of_every_form() {
        let map = b"\x82\xa1a\x93\x01\x02\x03\xa1b\xde\0\x01\xa1c\xdc\0\x01\x05";
        let value = Value::read(map).expect("a map");
        assert_eq!(value.get("a").map(|list| list.items().len()), Some(3));
        assert_eq!(value.get("b").and_then(|inner| inner.get("c")), Some(&Value::List(vec![Value::Number(5)])));
        assert_eq!((value.get("c"), value.items().len()), (None, 0));
        for end in 0..map.len() {
            assert_eq!(Value::read(&map[..end]), None, "cut at {end}");
        }
    }

    #[test]
    fn lengths_that_lie_and_endless_depth_are_no_harm() {
        assert_eq!(Value::read(b"\xdd\xff\xff\xff\xff\x01"), None);
        assert_eq!(Value::read(b"\xdf\x7f\xff\xff\xff\x01\x01"), None);
        assert_eq!(Value::read(b"\xdb\xff\xff\xff\xffabc"), None);
        assert_eq!(Value::read(&vec![0x91; 100_000]), None);
        assert!(Value::read(&[&[0x91; 14][..], &[1]].concat()).is_some());
        assert_eq!(Value::read(&[0xc1]), None);
    }
}
