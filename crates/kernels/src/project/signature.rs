//! The kernels of a source text: their names and what they take.

use super::job::Element;
use model::{Access, ImageKind};

/// A `__kernel` function, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// What it takes.
    pub parameters: Vec<Declared>,
    /// What it does, with whatever stands behind it before the next kernel: without comments and preprocessor lines.
    pub body: String,
}

/// A parameter of a kernel, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Its type without qualifiers: "uchar", "float4".
    pub type_name: String,
    /// Where a pointer leads to; `None` for a value.
    pub space: Option<Space>,
    /// What it points to is not written.
    pub is_const: bool,
    /// Of an image: what the kernel does with it.
    pub access: Option<Access>,
}

/// Where a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Buffers.
    Global,
    /// Buffers that are only read.
    Constant,
    /// Memory of a work-group.
    Local,
}

impl Declared {
    /// The element that it has, where that is one of OpenCL's own: of a vector, that of its parts.
    #[must_use]
    pub fn element(&self) -> Option<Element> {
        typed(&self.type_name).map(|(element, _)| element)
    }

    /// How many elements it has: 4 of "float4".
    #[must_use]
    pub fn lanes(&self) -> usize {
        typed(&self.type_name).map_or(1, |(_, lanes)| lanes)
    }

    /// The kind of image that it takes, where it takes one.
    #[must_use]
    pub fn image(&self) -> Option<ImageKind> {
        ImageKind::ALL.into_iter().find(|kind| kind.type_name() == self.type_name)
    }

    /// Whether it takes a sampler.
    #[must_use]
    pub fn is_sampler(&self) -> bool {
        self.type_name == "sampler_t"
    }

    /// As a person would declare it: "global uchar *source", "`read_only` `image2d_t` source".
    #[must_use]
    pub fn label(&self) -> String {
        let access = self.access.map_or_else(String::new, |access| format!("{} ", access.qualifier()));
        let space = match self.space {
            Some(Space::Global) => "global ",
            Some(Space::Constant) => "constant ",
            Some(Space::Local) => "local ",
            None => "",
        };
        let star = if self.space.is_some() { "*" } else { "" };
        format!("{access}{space}{} {star}{}", self.type_name, self.name)
    }
}

/// The element and the number of them that a type of OpenCL's own has: float and 4 of "float4".
#[must_use]
pub fn typed(type_name: &str) -> Option<(Element, usize)> {
    let scalar = type_name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = type_name.get(scalar.len()..).unwrap_or_default();
    let lanes = if digits.is_empty() { Some(1) } else { digits.parse().ok().filter(|lanes| [2, 3, 4, 8, 16].contains(lanes)) };
    Element::of_name(scalar).zip(lanes)
}

/// The kernels of a text, in order. Macros are not expanded: what they declare is not found.
#[must_use]
pub fn kernels(source: &str) -> Vec<Signature> {
    let text = plain(source);
    let mut found = Vec::new();
    let mut rest = text.as_str();
    while let Some(at) = next_kernel(rest) {
        rest = rest.get(at..).unwrap_or_default();
        // Attributes have parentheses of their own, before the name.
        let mut part = rest.split_once('(');
        while let Some((head, tail)) = part
            && head.trim_end().ends_with("__attribute__")
        {
            part = after_parentheses(tail).split_once('(');
        }
        let Some((head, tail)) = part else { break };
        let name = head.split(|letter: char| !is_of_word(letter)).rfind(|word| !word.is_empty()).unwrap_or_default();
        let end = closing(tail);
        let (inside, after) = (tail.get(..end).unwrap_or_default(), tail.get(end..).unwrap_or_default());
        if !name.is_empty() && !found.iter().any(|known: &Signature| known.name == name) {
            let parameters = split(inside).into_iter().filter_map(declared).collect();
            let body = after.get(..next_kernel(after).unwrap_or(after.len())).unwrap_or_default().to_owned();
            found.push(Signature { name: name.to_owned(), parameters, body });
        }
        rest = after;
    }
    found
}

/// The text without comments and preprocessor lines.
pub(super) fn plain(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        let (before, comment) = rest.split_at(at);
        text.push_str(before);
        text.push(' ');
        let end = if comment.starts_with("/*") { comment.find("*/").map(|end| end + 2) } else { comment.find('\n') };
        rest = end.and_then(|end| comment.get(end..)).unwrap_or_default();
    }
    text.push_str(rest);
    text.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n")
}

pub(super) fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Where the words after the next `kernel` begin.
fn next_kernel(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find("kernel")?;
        let end = at + "kernel".len();
        let before = text.get(..at)?;
        let is_marked = before.ends_with("__") && !before.trim_end_matches('_').ends_with(is_of_word);
        let is_word = is_marked || !before.ends_with(is_of_word);
        if is_word && !text.get(end..)?.starts_with(is_of_word) {
            return Some(end);
        }
        from = end;
    }
}

/// Where the parenthesis closes within which `text` begins.
fn closing(text: &str) -> usize {
    let mut depth = 1;
    for (at, letter) in text.char_indices() {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// What follows the closed parenthesis.
fn after_parentheses(text: &str) -> &str {
    text.get(closing(text) + 1..).unwrap_or_default()
}

/// Parts between commas that are in no parentheses.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.extend(text.get(begin..at));
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(begin..));
    parts
}

/// One parameter.
fn declared(text: &str) -> Option<Declared> {
    let is_pointer = text.contains('*') || text.contains('[');
    // "mask[9]" is called mask.
    let text = text.split('[').next().unwrap_or_default();
    let mut words: Vec<&str> = text.split(|letter: char| !is_of_word(letter)).filter(|word| !word.is_empty()).collect();
    let name = (words.len() > 1).then(|| words.pop()).flatten()?.to_owned();
    let (mut space, mut is_const, mut access) = (None, false, None);
    let mut type_words = Vec::new();
    for word in words {
        match word.trim_start_matches('_') {
            "global" => space = Some(Space::Global),
            "constant" => (space, is_const) = (Some(Space::Constant), true),
            "local" => space = Some(Space::Local),
            "const" => is_const = true,
            "restrict" | "volatile" | "private" => {}
            plain => match Access::ALL.into_iter().find(|access| access.qualifier() == plain) {
                Some(given) => access = Some(given),
                None => type_words.push(word),
            },
        }
    }
    let space = if is_pointer { Some(space.unwrap_or(Space::Global)) } else { None };
    let declared = Declared { name, type_name: type_words.join(" "), space, is_const, access: None };
    // Images are read where nothing is said.
    let access = declared.image().map(|_| access.unwrap_or(Access::Read));
    Some(Declared { access, ..declared })
}

#[cfg(test)]
mod tests {
    use super::{Access, Element, ImageKind, Space, kernels, typed};

    #[test]
    fn kernels_are_found_with_what_they_take() {
        let source = "// __kernel void in_a_comment(int a) {}\n#define KERNEL __kernel\nfloat helper(float a) { return a; }\n\
            __attribute__((always_inline)) void h(int b) {}\n\
            __kernel __attribute__((reqd_work_group_size(16, 16, 1)))\nvoid blur(__global const uchar4 *restrict in, /* out */ global float *out,\n\
            __local ushort *tile, __constant float mask[9], const unsigned int width, float2 pair) {}\nkernel void sum(global int* a) {}";
        let found = kernels(source);
        assert_eq!(found.iter().map(|kernel| kernel.name.as_str()).collect::<Vec<_>>(), ["blur", "sum"]);
        let labels: Vec<String> = found[0].parameters.iter().map(super::Declared::label).collect();
        let expected =
            ["global uchar4 *in", "global float *out", "local ushort *tile", "constant float *mask", "unsigned int width", "float2 pair"];
        assert_eq!(labels, expected);
        let spaces: Vec<Option<Space>> = found[0].parameters.iter().map(|parameter| parameter.space).collect();
        assert_eq!(spaces, [Some(Space::Global), Some(Space::Global), Some(Space::Local), Some(Space::Constant), None, None]);
        let consts: Vec<bool> = found[0].parameters.iter().map(|parameter| parameter.is_const).collect();
        assert_eq!(consts, [true, false, false, true, true, false]);
        assert_eq!(found[0].parameters[0].element(), Some(Element::Uchar));
        assert_eq!(found[0].parameters[4].element(), Some(Element::Uint));
    }

    #[test]
    fn images_and_samplers_are_told_apart_with_what_is_done_to_them() {
        let source = "__kernel void f(__read_only image2d_t in, write_only image3d_t out, image2d_array_t layers, sampler_t how, half3 h)\n\
            { out[get_global_id(2)]; }\n__kernel void g(int a) { get_global_id(0); }";
        let found = kernels(source);
        let kinds: Vec<_> = found[0].parameters.iter().map(|one| (one.image(), one.access, one.is_sampler())).collect();
        let image = |kind, access| (Some(kind), Some(access), false);
        let expected = [
            image(ImageKind::Plane, Access::Read),
            image(ImageKind::Volume, Access::Write),
            image(ImageKind::Layers, Access::Read),
            (None, None, true),
            (None, None, false),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(found[0].parameters[1].label(), "write_only image3d_t out");
        assert_eq!((found[0].parameters[4].element(), found[0].parameters[4].lanes()), (Some(Element::Half), 3));
        assert!(found[0].body.contains("get_global_id(2)") && !found[0].body.contains("get_global_id(0)"), "{}", found[0].body);
        assert_eq!([typed("float5"), typed("uint16"), typed("image2d_t")], [None, Some((Element::Uint, 16)), None]);
    }

    #[test]
    fn what_is_cut_short_or_is_no_kernel_is_not_found_and_ends_nothing() {
        for text in ["", "__kernel", "__kernel void", "__kernel void f(", "mykernel void f(int a)", "kernels void f(int a)"] {
            let found = kernels(text);
            assert!(found.len() <= 1, "{text}");
        }
        assert_eq!(kernels("__kernel void f(void) {}").first().map(|kernel| kernel.parameters.len()), Some(0));
    }
}
