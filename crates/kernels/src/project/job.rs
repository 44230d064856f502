//! What is run of a project, as plain data: its buffers and images with what they hold and what they should hold, and the launches of one configuration.

use super::half;
use model::{ChannelType, ImageKind, ImageShape, Sampling, TexelFormat};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// What a buffer has many of, and what a channel of a texel is for the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// 8 bits, signed.
    Char,
    /// 8 bits.
    Uchar,
    /// 16 bits, signed.
    Short,
    /// 16 bits.
    Ushort,
    /// 32 bits, signed.
    Int,
    /// 32 bits.
    Uint,
    /// 64 bits, signed.
    Long,
    /// 64 bits.
    Ulong,
    /// 16-bit floating point.
    Half,
    /// 32-bit floating point.
    Float,
    /// 64-bit floating point.
    Double,
}

impl Element {
    /// All, in the order of their sizes.
    pub const ALL: [Self; 11] = [
        Self::Char,
        Self::Uchar,
        Self::Short,
        Self::Ushort,
        Self::Int,
        Self::Uint,
        Self::Long,
        Self::Ulong,
        Self::Half,
        Self::Float,
        Self::Double,
    ];

    /// OpenCL's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::Uchar => "uchar",
            Self::Short => "short",
            Self::Ushort => "ushort",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Long => "long",
            Self::Ulong => "ulong",
            Self::Half => "half",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// By OpenCL's name, also the long one.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let long = name.strip_prefix("unsigned ").map(|rest| format!("u{rest}"));
        let name = long.as_deref().unwrap_or(name);
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// Size of one, in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Char | Self::Uchar => 1,
            Self::Short | Self::Ushort | Self::Half => 2,
            Self::Int | Self::Uint | Self::Float => 4,
            Self::Long | Self::Ulong | Self::Double => 8,
        }
    }

    /// Whether it is a floating-point number.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::Half | Self::Float | Self::Double)
    }

    /// Its name in a header of numpy, little-endian.
    #[must_use]
    pub fn numpy(self) -> &'static str {
        match self {
            Self::Char => "|i1",
            Self::Uchar => "|u1",
            Self::Short => "<i2",
            Self::Ushort => "<u2",
            Self::Int => "<i4",
            Self::Uint => "<u4",
            Self::Long => "<i8",
            Self::Ulong => "<u8",
            Self::Half => "<f2",
            Self::Float => "<f4",
            Self::Double => "<f8",
        }
    }

    /// The least and the largest whole number that it can be; `None` of floating-point numbers. Beyond 9e15, 64-bit integers cannot be written as expressions.
    #[must_use]
    pub fn range(self) -> Option<[f64; 2]> {
        Some(match self {
            Self::Char => [f64::from(i8::MIN), f64::from(i8::MAX)],
            Self::Uchar => [0.0, f64::from(u8::MAX)],
            Self::Short => [f64::from(i16::MIN), f64::from(i16::MAX)],
            Self::Ushort => [0.0, f64::from(u16::MAX)],
            Self::Int => [f64::from(i32::MIN), f64::from(i32::MAX)],
            Self::Uint => [0.0, f64::from(u32::MAX)],
            Self::Long => [-9e15, 9e15],
            Self::Ulong => [0.0, 9e15],
            Self::Half | Self::Float | Self::Double => return None,
        })
    }

    /// What the host has where a texel has such a channel.
    #[must_use]
    pub fn of_channel(channel: ChannelType) -> Self {
        match channel {
            ChannelType::Unorm8 | ChannelType::Uint8 => Self::Uchar,
            ChannelType::Unorm16 | ChannelType::Uint16 => Self::Ushort,
            ChannelType::Uint32 => Self::Uint,
            ChannelType::Int8 => Self::Char,
            ChannelType::Int16 => Self::Short,
            ChannelType::Int32 => Self::Int,
            ChannelType::Half => Self::Half,
            ChannelType::Float => Self::Float,
        }
    }

    /// The numbers in `bytes`. 64-bit integers beyond 2^53 are rounded.
    pub fn numbers(self, bytes: &[u8]) -> impl Iterator<Item = f64> {
        bytes.chunks_exact(self.bytes()).map(move |one| {
            let mut word = [0; 8];
            word.iter_mut().zip(one).for_each(|(to, from)| *to = *from);
            let whole = u64::from_le_bytes(word);
            match self {
                Self::Char => f64::from((whole as u8).cast_signed()),
                Self::Uchar | Self::Ushort | Self::Uint | Self::Ulong => whole as f64,
                Self::Short => f64::from((whole as u16).cast_signed()),
                Self::Int => f64::from((whole as u32).cast_signed()),
                Self::Long => whole.cast_signed() as f64,
                Self::Half => half::value(whole as u16),
                Self::Float => f64::from(f32::from_bits(whole as u32)),
                Self::Double => f64::from_bits(whole),
            }
        })
    }

    /// Appends `number`: rounded and held to its range where it is whole.
    pub fn push(self, number: f64, bytes: &mut Vec<u8>) {
        let whole = number.round();
        match self {
            Self::Char => bytes.extend((whole as i8).to_le_bytes()),
            Self::Uchar => bytes.extend((whole as u8).to_le_bytes()),
            Self::Short => bytes.extend((whole as i16).to_le_bytes()),
            Self::Ushort => bytes.extend((whole as u16).to_le_bytes()),
            Self::Int => bytes.extend((whole as i32).to_le_bytes()),
            Self::Uint => bytes.extend((whole as u32).to_le_bytes()),
            Self::Long => bytes.extend((whole as i64).to_le_bytes()),
            Self::Ulong => bytes.extend((whole as u64).to_le_bytes()),
            Self::Half => bytes.extend(half::nearest(number).to_le_bytes()),
            Self::Float => bytes.extend((number as f32).to_le_bytes()),
            Self::Double => bytes.extend(number.to_le_bytes()),
        }
    }
}

/// What kernels do with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// They read it.
    Input,
    /// They write it; what it holds before is noise.
    Output,
    /// Both: it is filled anew before each run that is checked.
    Both,
}

/// By how much an output may differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// A difference of this is allowed whatever the value,
    pub absolute: f64,
    /// and one of this share of the expected value.
    pub relative: f64,
    /// So large a share of all elements may differ by more.
    pub share: f64,
}

/// How texels lie in an image object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texels {
    /// Its sides.
    pub shape: ImageShape,
    /// What a texel holds.
    pub format: TexelFormat,
}

impl Texels {
    /// All channels of all texels.
    #[must_use]
    pub fn elements(self) -> usize {
        self.shape.texels().saturating_mul(self.format.order.count())
    }

    /// Its size in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.shape.texels().saturating_mul(self.format.bytes())
    }
}

/// A buffer or an image of a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// As the project calls it.
    pub name: String,
    /// What it has.
    pub element: Element,
    /// How many.
    pub count: usize,
    /// Where it is an image: how its elements are texels, row by row.
    pub texels: Option<Texels>,
    /// What kernels do with it.
    pub role: Role,
    /// What it holds before a run; none of an output.
    pub contents: ByteBuf,
    /// What it should hold after a run, where that is known.
    pub expected: Option<ByteBuf>,
    /// By how much it may differ.
    pub tolerance: Tolerance,
}

impl Memory {
    /// Its size in bytes.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        self.count * self.element.bytes()
    }

    /// Its sides as numpy has them: `(count,)`, or `(height, width, channels)` of an image, with depth or layers before them where it has any.
    #[must_use]
    pub fn sides(&self) -> Vec<usize> {
        let Some(Texels { shape, format }) = self.texels else { return vec![self.count] };
        let planes = (shape.kind != ImageKind::Plane).then_some(shape.depth);
        planes.into_iter().chain([shape.height, shape.width, format.order.count()]).collect()
    }
}

/// What all configurations of a project have in common: its data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Its buffers and images.
    pub buffers: Vec<Memory>,
}

impl Problem {
    /// How many of them are images.
    #[must_use]
    pub fn images(&self) -> usize {
        self.buffers.iter().filter(|memory| memory.texels.is_some()).count()
    }

    /// Bytes of all buffers and images.
    #[must_use]
    pub fn total_bytes(&self) -> usize {
        self.buffers.iter().map(Memory::len_bytes).sum()
    }
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Argument {
    /// The problem's buffer or image of that index.
    Buffer(usize),
    /// The job's own buffer or image of that index.
    Scratch(usize),
    /// A number, or a vector of them.
    Value {
        /// OpenCL's name of its type: "ushort", "float4".
        type_name: String,
        /// As it lies in memory, little-endian; of a vector of three with the room of a fourth.
        bytes: ByteBuf,
    },
    /// A sampler.
    Sampler(Sampling),
    /// So many bytes of local memory.
    Local(usize),
}

/// One kernel over one NDRange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// Name of the `__kernel` function.
    pub kernel: String,
    /// Work-items, in one to three dimensions; rounded up to multiples of the local size.
    pub global: Vec<usize>,
    /// Local work size, in as many dimensions; `None` for the driver's choice.
    pub local: Option<Vec<usize>>,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

/// Memory that only the kernels of a job see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scratch {
    /// As the project calls it.
    pub name: String,
    /// Its size in bytes.
    pub bytes: usize,
    /// Where it is an image.
    pub texels: Option<Texels>,
}

/// One configuration of a project, ready to build and run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The text that is built.
    pub source: String,
    /// Options of the compiler.
    pub options: String,
    /// Buffers and images that only its kernels see.
    pub scratch: Vec<Scratch>,
    /// Its launches, in order.
    pub launches: Vec<Launch>,
}

/// How an output compares with what it should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The buffer.
    pub buffer: String,
    /// Elements that differ by more than is allowed.
    pub differing: usize,
    /// Of so many.
    pub count: usize,
    /// Largest difference of all.
    pub largest: f64,
    /// Sides of an image: (height, width, channels), with depth or layers before them where it has any; nothing of a buffer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<usize>,
    /// The first that differs by more than is allowed: its index, what it is, and what it should be.
    pub first: Option<(usize, f64, f64)>,
    /// More of them differ than may.
    pub is_wrong: bool,
}

/// Holds what an output has to what it should have. NaN is equal to NaN alone: a value that is not a number is never within a tolerance.
#[must_use]
pub fn difference(memory: &Memory, got: &[u8], expected: &[u8]) -> Difference {
    let Tolerance { absolute, relative, share } = memory.tolerance;
    let mut found = Difference {
        buffer: memory.name.clone(),
        differing: 0,
        count: memory.count,
        largest: 0.0,
        sides: memory.texels.map_or_else(Vec::new, |_| memory.sides()),
        first: None,
        is_wrong: false,
    };
    if got == expected {
        return found;
    }
    let element = memory.element;
    for (index, (is, should)) in element.numbers(got).zip(element.numbers(expected)).enumerate() {
        if is.to_bits() == should.to_bits() || (is - should).abs() == 0.0 || (is.is_nan() && should.is_nan()) {
            continue;
        }
        let apart = (is - should).abs();
        found.largest = if apart.is_nan() { f64::INFINITY } else { found.largest.max(apart) };
        let is_allowed = apart <= absolute || apart <= relative * should.abs();
        if !is_allowed || apart.is_nan() {
            found.differing += 1;
            found.first.get_or_insert((index, is, should));
        }
    }
    // Bytes that differ in no number: 64-bit integers that round to the same one.
    if found.differing == 0 && found.largest == 0.0 && !element.is_float() && got.len() == expected.len() {
        let mut pairs = got.chunks_exact(element.bytes()).zip(expected.chunks_exact(element.bytes()));
        found.differing = pairs.clone().filter(|(is, should)| is != should).count();
        found.first = pairs.position(|(is, should)| is != should).map(|index| (index, f64::NAN, f64::NAN));
        found.largest = if found.differing > 0 { 1.0 } else { 0.0 };
    }
    found.is_wrong = got.len() != expected.len() || found.differing as f64 > share * memory.count as f64;
    found
}

#[cfg(test)]
mod tests {
    use super::{ByteBuf, Element, Memory, Role, Tolerance, difference};

    fn memory(element: Element, count: usize, tolerance: Tolerance) -> Memory {
        let (contents, expected) = (ByteBuf::new(), None);
        Memory { name: "out".to_owned(), element, count, texels: None, role: Role::Output, contents, expected, tolerance }
    }

    fn bytes(element: Element, numbers: &[f64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in numbers {
            element.push(*number, &mut bytes);
        }
        bytes
    }

    #[test]
    fn every_element_reads_back_what_was_written() {
        for element in Element::ALL {
            let numbers: &[f64] = if element.name().starts_with('u') { &[0.0, 1.0, 200.0] } else { &[-100.0, 0.0, 99.0] };
            let written = bytes(element, numbers);
            assert_eq!(written.len(), 3 * element.bytes());
            assert_eq!(element.numbers(&written).collect::<Vec<_>>(), numbers, "{element:?}");
            assert_eq!(Element::of_name(element.name()), Some(element));
        }
        assert_eq!(bytes(Element::Uchar, &[-3.0, 300.0]), [0, 255], "held to the range");
        assert_eq!(Element::of_name("unsigned short"), Some(Element::Ushort));
    }

    #[test]
    fn tolerances_are_absolute_or_relative_and_a_share_may_exceed_them() {
        let floats = |numbers: &[f64]| bytes(Element::Float, numbers);
        let (got, expected) = (floats(&[1.0, 100.5, 3.0, 4.0]), floats(&[1.0, 100.0, 3.0, 5.0]));
        let judged = |tolerance| difference(&memory(Element::Float, 4, tolerance), &got, &expected);
        let strict = judged(Tolerance::default());
        assert_eq!((strict.differing, strict.is_wrong, strict.first), (2, true, Some((1, 100.5, 100.0))));
        let absolute = judged(Tolerance { absolute: 0.5, ..Tolerance::default() });
        assert_eq!((absolute.differing, absolute.first), (1, Some((3, 4.0, 5.0))));
        assert!(!judged(Tolerance { relative: 0.01, share: 0.25, ..Tolerance::default() }).is_wrong);
        assert!(judged(Tolerance { relative: 0.01, share: 0.2, ..Tolerance::default() }).is_wrong);
    }

    #[test]
    fn what_is_no_number_is_never_within_a_tolerance() {
        let wide = Tolerance { absolute: f64::INFINITY, ..Tolerance::default() };
        let of = |got: f64, expected: f64| {
            let [got, expected] = [got, expected].map(|number| bytes(Element::Float, &[number]));
            difference(&memory(Element::Float, 1, wide), &got, &expected).is_wrong
        };
        assert!(of(f64::NAN, 1.0));
        assert!(of(1.0, f64::NAN));
        assert!(!of(f64::NAN, -f64::NAN));
        assert!(!of(1.0, 1e30));
    }

    #[test]
    fn integers_that_round_to_the_same_number_still_differ() {
        let [one, other] = [(1_u64 << 60) + 1, 1 << 60].map(|number| number.to_le_bytes().to_vec());
        assert!(difference(&memory(Element::Ulong, 1, Tolerance::default()), &one, &other).is_wrong);
    }
}
