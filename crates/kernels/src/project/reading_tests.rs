//! Images, vectors and three dimensions in a definition: what is read, and what is told of mistakes.

use super::{Argument, Element, Project, Role, Texels};
use model::{AddressMode, ChannelOrder, ChannelType, ImageKind, ImageShape, Sampling, TexelFormat};

const SOURCE: &str =
    "__kernel void soften(__read_only image2d_t in, sampler_t how, __write_only image2d_t out, uchar small, float4 weights, half3 h) {}
__kernel void between(__read_only image2d_t out, __write_only image3d_t deep, __write_only image2d_array_t layers) {}
__kernel void plain(__global uchar *bytes, int3 place) {}
";

const DEFINITION: &str = r#"kernel = "k.cl"
[let]
width = 30
height = 20
[[parameter]]
name = "P"
values = [1, 2]
[[buffer]]
name = "bytes"
type = "uchar"
count = 8
role = "output"
[[image]]
name = "in"
channels = "rgba"
type = "unorm8"
size = ["width", "height"]
from = { picture = ["width", "height"], seed = 3 }
[[image]]
name = "out"
channels = "rg"
type = "half"
size = ["width", "2 * height"]
tolerance = { absolute = 0.5 }
[[image]]
name = "deep"
channels = "r"
type = "int16"
size = ["width", "height", "4 * P"]
role = "scratch"
[[image]]
name = "layers"
channels = "rgba"
type = "uint32"
size = [3, 2]
layers = 5
[[launch]]
kernel = "soften"
global = ["width", "height", 7]
local = [4]
arguments = ["in", "sampler repeat linear normalized", "out", "200", "float4 0.5, max(1, P), -1, 0.25", 1]
[[launch]]
kernel = "between"
global = ["width"]
arguments = ["out", "deep", "layers"]
[[launch]]
kernel = "plain"
global = [8]
arguments = ["bytes", "1, 2, P"]
"#;

fn read(definition: &str) -> Result<Project, Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.cl"), SOURCE).expect("written");
    std::fs::write(folder.path().join("project.toml"), definition).expect("written");
    Project::read(folder.path()).map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

#[test]
fn images_are_read_with_their_sides_and_what_they_hold() {
    let project = read(DEFINITION).unwrap_or_else(|faults| panic!("{faults:?}"));
    let [bytes, source, out, layers] = project.problem().buffers.as_slice() else { panic!("{:?}", project.problem()) };
    assert_eq!((bytes.texels, bytes.sides()), (None, vec![8]));
    assert_eq!((source.element, source.role, source.sides()), (Element::Uchar, Role::Input, vec![20, 30, 4]));
    assert!(source.contents.chunks_exact(4).all(|pixel| pixel[3] == 255), "opaque");
    let picture = pictures::generate(30, 20, model::Channels::Rgb, 3);
    let colors: Vec<u8> = source.contents.chunks_exact(4).flat_map(|pixel| pixel[..3].to_vec()).collect();
    assert_eq!(colors, picture.bytes());
    let format = TexelFormat { order: ChannelOrder::Rg, channel: ChannelType::Half };
    assert_eq!(out.texels, Some(Texels { shape: ImageShape::plane(30, 40), format }));
    assert_eq!((out.element, out.role, out.count, out.len_bytes()), (Element::Half, Role::Output, 2400, 4800));
    assert_eq!((layers.sides(), layers.texels.map(|texels| texels.shape.kind)), (vec![5, 2, 3, 4], Some(ImageKind::Layers)));
    let job = project.job(&[1]).expect("a job");
    let shape = ImageShape { kind: ImageKind::Volume, width: 30, height: 20, depth: 8 };
    assert_eq!(job.scratch[0].texels.map(|texels| texels.shape), Some(shape));
    assert_eq!(job.scratch[0].bytes, 30 * 20 * 8 * 2);
}

#[test]
fn values_have_the_type_that_is_declared_and_launches_one_to_three_dimensions() {
    let project = read(DEFINITION).unwrap_or_else(|faults| panic!("{faults:?}"));
    let job = project.job(&[1]).expect("a job");
    let [soften, between, plain] = job.launches.as_slice() else { panic!("{:?}", job.launches) };
    assert_eq!((&soften.global, &soften.local), (&vec![30, 20, 7], &Some(vec![4, 1, 1])));
    assert_eq!((&between.global, &between.local), (&vec![30], &None));
    let value = |type_name: &str, element: Element, numbers: &[f64]| {
        let mut bytes = Vec::new();
        for number in numbers {
            element.push(*number, &mut bytes);
        }
        Argument::Value { type_name: type_name.to_owned(), bytes: bytes.into() }
    };
    let sampling = Sampling { address: AddressMode::Repeat, is_linear: true, is_normalized: true };
    let expected = [
        Argument::Buffer(1),
        Argument::Sampler(sampling),
        Argument::Buffer(2),
        value("uchar", Element::Uchar, &[200.0]),
        value("float4", Element::Float, &[0.5, 2.0, -1.0, 0.25]),
        value("half3", Element::Half, &[1.0, 1.0, 1.0, 0.0]),
    ];
    assert_eq!(soften.arguments, expected);
    assert_eq!(plain.arguments[1], value("int3", Element::Int, &[1.0, 2.0, 2.0, 0.0]));
}

#[test]
fn mistakes_are_told_at_their_lines() {
    for (from, to, words) in [
        ("channels = \"rg\"", "channels = \"rgb\"", &["project.toml:21:12:", "unknown variant `rgb`"][..]),
        ("type = \"half\"", "type = \"haf\"", &["project.toml:22:8:", "did you mean 'half'"]),
        ("size = [3, 2]", "size = [3]", &["project.toml:35:8:", "width and height"]),
        ("\"2 * height\"", "\"2 * P\"", &["project.toml:23:18:", "'P' depends on a parameter"]),
        ("\"2 * height\"", "\"9e12 * height\"", &["project.toml:23:8:", "bytes are too many"]),
        ("seed = 3", "channels = 1", &["project.toml:18:52:", "a picture has 1 channel"]),
        ("channels = \"rgba\"\ntype = \"unorm8\"", "channels = \"rg\"\ntype = \"unorm8\"", &["project.toml:18:8:", "none for"]),
        ("from = { picture = [\"width\", \"height\"]", "from = { picture = [\"height\", \"width\"]", &["project.toml:18:8:", "30 × 20"]),
        ("name = \"out\"", "name = \"in\"", &["project.toml:20:8:", "'in' is not a valid name, or it is used", "'out' is no image"]),
        ("[\"in\", \"sampler", "[\"bytes\", \"sampler", &["project.toml:41:14:", "'bytes' has uchar elements", "read_only image2d_t in"]),
        ("[\"in\", \"sampler", "[\"layers\", \"sampler", &["project.toml:41:14:", "'layers' is an image2d_array_t"]),
        ("[\"in\", \"sampler", "[\"inn\", \"sampler", &["'inn' is no image", "did you mean 'in'"]),
        ("normalized\", \"out\"", "normalized\", \"in\"", &["project.toml:41:56:", "'in' is an input", "write_only image2d_t out"]),
        ("size = [\"width\", \"2 * height\"]", "size = [\"width\", \"2 * height\"]\nrole = \"both\"", &["'out' is read"]),
        ("sampler repeat linear normalized", "sampler repeat linear", &["project.toml:41:20:", "repeat needs the word normalized"]),
        ("sampler repeat linear normalized", "sampler repeat", &["a sampler takes an address mode", "clamp-to-edge"]),
        ("sampler repeat linear normalized", "sampler clamp nearest nearest", &["a sampler takes an address mode"]),
        ("\"sampler repeat linear normalized\"", "0", &["'0' is no sampler"]),
        ("\"200\"", "\"sampler clamp nearest\"", &["a sampler cannot be passed here", "uchar small"]),
        ("\"200\"", "\"int 200\"", &["'uchar small' here, but the value is written as int"]),
        ("\"200\"", "\"256\"", &["'256' has no value of its type"]),
        ("max(1, P), -1,", "-1,", &["float4 takes 4 values, but 3 are given"]),
        ("max(1, P), -1", "max(1, Q), -1", &["project.toml:41:90:", "there is no name 'Q'"]),
        ("global = [8]", "global = [8, 1, 1, 1]", &["one to three sizes"]),
        ("\"1, 2, P\"", "\"1, 2\"", &["int3 takes 3 values"]),
    ] {
        assert!(DEFINITION.contains(from), "{from}");
        let faults = read(&DEFINITION.replacen(from, to, 1)).expect_err(to);
        // What is wrong with an image is not told again where the image is passed.
        let is_no_image = |text: &str| text.contains("is no image");
        assert!(words.iter().any(|word| is_no_image(word)) || !faults.iter().any(|fault| is_no_image(fault)), "{to}: {faults:?}");
        for word in words {
            assert!(faults.iter().any(|fault| fault.contains(word)), "{to}: '{word}' is not in {faults:?}");
        }
    }
}

#[test]
fn an_image_that_is_only_read_is_no_output() {
    let alone = DEFINITION.replacen("\"out\", \"200\"", "\"other\", \"200\"", 1);
    let other = "[[image]]\nname = \"other\"\nchannels = \"rg\"\ntype = \"half\"\nsize = [\"width\", \"height\"]\n[[launch]]\n";
    let faults = read(&alone.replacen("[[launch]]\n", other, 1)).expect_err("only read");
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].contains("project.toml:50:14:") && faults[0].contains("no kernel writes image 'out'"), "{faults:?}");
}

#[test]
fn a_picture_fills_the_range_of_normalized_channels() {
    let wide = DEFINITION.replacen("type = \"unorm8\"", "type = \"unorm16\"", 1);
    let project = read(&wide).unwrap_or_else(|faults| panic!("{faults:?}"));
    let narrow = read(DEFINITION).unwrap_or_else(|faults| panic!("{faults:?}"));
    let numbers = |project: &Project| -> Vec<f64> {
        let source = &project.problem().buffers[1];
        source.element.numbers(&source.contents).collect()
    };
    let expected: Vec<f64> = numbers(&narrow).into_iter().map(|number| number * 257.0).collect();
    assert_eq!(numbers(&project), expected);
}
