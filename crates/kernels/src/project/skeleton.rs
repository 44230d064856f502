//! The first `project.toml` of a kernel, from what it takes.

use super::job::Element;
use super::macros::{Tunable, tunables};
use super::signature::{Declared, Signature, Space, kernels};
use base::foreign::toml_text;
use base::texts::{filled, text};
use model::{Access, ChannelType, ImageKind};
use std::fmt::{Display, Write as _};

/// What a kernel's own functions for images say of the channels, where more than one type is possible that which is met most.
const CHANNELS: [(&str, ChannelType); 4] =
    [("imagef", ChannelType::Unorm8), ("imageui", ChannelType::Uint8), ("imagei", ChannelType::Int32), ("imageh", ChannelType::Half)];

/// The text of a `project.toml` for the kernels of `source`, which lies in `file`; `None` where there is no kernel in it.
///
/// What cannot be known from a signature, sizes and what is computed, is filled in so that it can be run, and marked.
#[must_use]
pub fn skeleton(file: &str, source: &str) -> Option<String> {
    let found = kernels(source);
    let first = found.first()?;
    let memory = memory(&found);
    let is_deep = found.iter().any(is_deep);
    let has_depth = is_deep || memory.iter().any(|one| one.image().is_some_and(|kind| kind != ImageKind::Plane));
    let mut toml = format!("# {}\nkernel = {}\n", filled("project.skeleton.head", &[("kernel", &first.name)]), toml_text(file));
    let _ = writeln!(toml, "# options = \"-cl-fast-relaxed-math\"\n");
    let (depth, count) = if has_depth { ("depth = 16\n", "width * height * depth") } else { ("", "width * height") };
    let size = if has_depth { 256 } else { 1024 };
    let _ = writeln!(toml, "# {}\n[let]\nwidth = {size}\nheight = {size}\n{depth}count = \"{count}\"\n", text("project.skeleton.let"));
    let _ = writeln!(toml, "# {}", text("project.skeleton.parameters"));
    let sides = [("LX", "[8, 16, 32, 64, 128]", 16), ("LY", "[1, 2, 4, 8]", 4), ("LZ", "[1, 2, 4]", 1)];
    let sides = sides.get(..if is_deep { 3 } else { 2 }).unwrap_or_default();
    for (name, values, default) in sides {
        let _ = writeln!(toml, "[[parameter]]\nname = {name:?}\nvalues = {values}\ndefault = {default}\n");
    }
    for tunable in tunables(source).iter().filter(|tunable| !sides.iter().any(|(name, ..)| *name == tunable.name)) {
        let _ = writeln!(toml, "{}", tunable_text(tunable));
    }
    // A key of the whole file stands before its first table.
    let items = sides.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(" * ");
    let conditions = format!("# {}\nconditions = [\"{items} <= 256\"]\n\n", text("project.skeleton.conditions"));
    let place = toml.find("# options").unwrap_or(0);
    toml.insert_str(place, &conditions);
    for one in &memory {
        let entry = one.image().map_or_else(|| buffer_text(one), |kind| image_text(one, kind, &found));
        let _ = writeln!(toml, "{entry}");
    }
    for kernel in &found {
        let _ = writeln!(toml, "{}", launch_text(kernel, &items, has_depth));
    }
    let _ = writeln!(toml, "# {}", text("project.skeleton.reference"));
    let _ = writeln!(toml, "# [reference]\n# command = [\"python3\", \"reference.py\", \"{{input}}\", \"{{output}}\"]");
    Some(toml)
}

/// A parameter for a name that the kernels leave open, with values around the one that they give it.
fn tunable_text(Tunable { name, default }: &Tunable) -> String {
    let values: Vec<String> = match default {
        Some(default) if default.is_power_of_two() => {
            [default / 2, *default, 2 * default].into_iter().filter(|value| *value > 0).map(|value| value.to_string()).collect()
        }
        Some(default) => vec![default.to_string()],
        None => [1, 2, 4, 8].map(|value: u32| value.to_string()).to_vec(),
    };
    let todo = filled("project.skeleton.tunable", &[("name", name)]);
    let default = default.map_or_else(String::new, |default| format!("default = {default}\n"));
    format!("[[parameter]]\nname = {name:?}\nvalues = [{}]  # {todo}\n{default}", values.join(", "))
}

/// The buffers and images of all kernels, each name once. An image that one kernel writes is written.
fn memory(found: &[Signature]) -> Vec<Declared> {
    let mut all: Vec<Declared> = Vec::new();
    for parameter in found.iter().flat_map(|kernel| &kernel.parameters) {
        let is_memory = matches!(parameter.space, Some(Space::Global | Space::Constant)) || parameter.image().is_some();
        match all.iter_mut().find(|known| known.name == parameter.name) {
            Some(known) if known.access == Some(Access::Read) => known.access = parameter.access,
            None if is_memory => all.push(parameter.clone()),
            Some(_) | None => {}
        }
    }
    all
}

/// Whether a kernel asks for its place in a third dimension.
fn is_deep(kernel: &Signature) -> bool {
    kernel.body.match_indices("get_").any(|(at, _)| {
        let rest = kernel.body.get(at..).unwrap_or_default();
        let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_').trim_start();
        let inside = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside.trim());
        inside == Some("2")
    })
}

fn buffer_text(buffer: &Declared) -> String {
    let element = buffer.element();
    let todo = |key| if element.is_some() { String::new() } else { format!("  # {}", text(key)) };
    let name = element.map_or("float", Element::name);
    let lanes = buffer.lanes();
    let count = if lanes == 1 { "count".to_owned() } else { format!("{lanes} * count") };
    let mut toml = format!("[[buffer]]\nname = {:?}\ntype = \"{name}\"{}\n", buffer.name, todo("project.skeleton.type"));
    let _ = writeln!(toml, "count = {count:?}  # {}", text("project.skeleton.count"));
    if buffer.is_const {
        let _ = writeln!(toml, "from = {}", random(element.unwrap_or(Element::Uchar)));
    } else {
        let _ = writeln!(toml, "role = \"output\"  # {}", text("project.skeleton.role"));
        toml.push_str(tolerance(element.unwrap_or(Element::Uchar)));
    }
    toml
}

fn random(element: Element) -> String {
    let ends = match element {
        _ if element.is_float() => "[0.0, 1.0]",
        Element::Char => "[-128, 127]",
        _ => "[0, 255]",
    };
    format!("{{ random = {ends}, seed = 1 }}")
}

fn tolerance(element: Element) -> &'static str {
    match element {
        Element::Half => "tolerance = { relative = 1e-3 }\n",
        _ if element.is_float() => "tolerance = { relative = 1e-5 }\n",
        _ => "",
    }
}

fn image_text(image: &Declared, kind: ImageKind, found: &[Signature]) -> String {
    let channel = found.iter().find_map(|kernel| channel(&kernel.body, &image.name)).unwrap_or(ChannelType::Unorm8);
    let element = Element::of_channel(channel);
    // As the definition's reader knows it, see `ChannelType`.
    let name = format!("{channel:?}").to_lowercase();
    let mut toml = format!("[[image]]\nname = {:?}\nchannels = \"rgba\"\n", image.name);
    let _ = writeln!(toml, "type = \"{name}\"  # {}", text("project.skeleton.texels"));
    let depth = if kind == ImageKind::Volume { ", \"depth\"" } else { "" };
    let _ = writeln!(toml, "size = [\"width\", \"height\"{depth}]  # {}", text("project.skeleton.size"));
    if kind == ImageKind::Layers {
        toml.push_str("layers = \"depth\"\n");
    }
    let role = match image.access {
        Some(Access::Write) => "output",
        Some(Access::ReadWrite) => "both",
        _ => "input",
    };
    let _ = writeln!(toml, "role = \"{role}\"  # {}", text("project.skeleton.role"));
    let is_picture = kind == ImageKind::Plane && element == Element::Uchar;
    if role != "output" {
        let from = if is_picture { "{ picture = [\"width\", \"height\"] }".to_owned() } else { random(element) };
        let _ = writeln!(toml, "from = {from}");
    }
    if role != "input" {
        toml.push_str(tolerance(element));
    }
    toml
}

/// What a kernel's text says of the channels of an image: by which function it reads or writes it.
fn channel(body: &str, name: &str) -> Option<ChannelType> {
    body.match_indices("_image").find_map(|(at, _)| {
        let (function, rest) = body.get(at + 1..)?.split_once('(')?;
        let first = rest.split([',', ')']).next()?.trim();
        CHANNELS.into_iter().find(|(known, _)| *known == function.trim() && first == name).map(|(_, channel)| channel)
    })
}

fn launch_text(kernel: &Signature, items: &str, has_depth: bool) -> String {
    let is_size = |parameter: &Declared| {
        let name = parameter.name.as_str();
        parameter.lanes() == 1 && (["width", "height", "count"].contains(&name) || (has_depth && name == "depth"))
    };
    let is_deep = is_deep(kernel);
    let argument = |parameter: &Declared| match parameter.space {
        Some(Space::Global | Space::Constant) => format!("{:?}", parameter.name),
        Some(Space::Local) => {
            let bytes = parameter.element().map_or(4, Element::bytes) * parameter.lanes().next_power_of_two();
            format!("\"local {items} * {bytes}\"")
        }
        None if parameter.image().is_some() || is_size(parameter) => format!("{:?}", parameter.name),
        None if parameter.is_sampler() => "\"sampler clamp-to-edge nearest\"".to_owned(),
        None => "1".to_owned(),
    };
    let todo = |parameter: &Declared| {
        let is_known = parameter.space.is_some() || parameter.image().is_some() || is_size(parameter);
        let values: [(&str, &dyn Display); 1] = [("declared", &parameter.label())];
        let key = if is_known { "project.skeleton.known" } else { "project.skeleton.unknown" };
        format!("    {},  # {}\n", argument(parameter), filled(key, &values))
    };
    let arguments: String = kernel.parameters.iter().map(todo).collect();
    let (depth, planes) = if is_deep { (", \"depth\"", ", \"LZ\"") } else { ("", "") };
    format!(
        "[[launch]]\nkernel = {:?}\nglobal = [\"width\", \"height\"{depth}]\nlocal = [\"LX\", \"LY\"{planes}]\narguments = [\n{arguments}]\n",
        kernel.name
    )
}

#[cfg(test)]
mod tests {
    use super::skeleton;
    use crate::project::{Argument, Element, Project, Role};

    fn read(source: &str) -> (Project, String) {
        let toml = skeleton("kernel.cl", source).expect("a kernel");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("kernel.cl"), source).expect("written");
        std::fs::write(folder.path().join("project.toml"), &toml).expect("written");
        (Project::read(folder.path()).unwrap_or_else(|faults| panic!("{faults:?}\n{toml}")), toml)
    }

    #[test]
    fn images_samplers_small_values_and_a_third_dimension_are_written_as_they_are_declared() {
        let source = "__kernel void blur(read_only image2d_t in, sampler_t how, write_only image2d_t out, uchar small, float4 weights, int width)\n\
            { write_imageui(out, 0, convert_uint4(read_imagef(in, how, 0))); }\n\
            __kernel void again(read_only image2d_t out, write_only image2d_t last) { write_imagei(last, 0, read_imagei(out, 0)); }";
        let (project, toml) = read(source);
        let kinds: Vec<_> = project.problem().buffers.iter().map(|memory| (memory.name.as_str(), memory.element, memory.role)).collect();
        assert_eq!(
            kinds,
            [("in", Element::Uchar, Role::Input), ("out", Element::Uchar, Role::Output), ("last", Element::Int, Role::Output)]
        );
        assert!(toml.contains("from = { picture = [\"width\", \"height\"] }") && toml.contains("type = \"unorm8\""), "{toml}");
        let job = project.job(&project.default_point()).expect("a job");
        assert_eq!((job.launches[0].global.len(), job.launches[0].arguments.len()), (2, 6));
        let source = "__kernel void grow(__read_only image3d_t in, __global float2 *out, int depth, __local float3 *tile)\n\
            { out[get_group_id( 2 )] = read_imageh(in, 0).xy; }\n__kernel void flat(read_only image2d_array_t layers, __global char *c) { get_global_id(1); }";
        let (project, toml) = read(source);
        let job = project.job(&project.default_point()).expect("a job");
        assert_eq!([&job.launches[0].global, &job.launches[1].global], [&vec![256, 256, 16], &vec![256, 256]]);
        assert_eq!(job.launches[0].arguments[3], Argument::Local(16 * 4 * 16));
        assert!(toml.contains("type = \"half\"") && toml.contains("layers = \"depth\"") && toml.contains("LX * LY * LZ <= 256"), "{toml}");
    }

    #[test]
    fn names_that_the_kernels_leave_open_are_parameters() {
        let source = "#ifndef WG\n#define WG 64\n#endif\n__kernel void total(__global const float *in, __global float *out, int N)\n\
            { __local float part[WG]; for (int k = 0; k < PER_ITEM; ++k) out[0] = in[k] * LX; }";
        let (project, toml) = read(source);
        let found: Vec<_> = project.parameters.iter().map(|one| (one.name.as_str(), one.values.len(), one.default)).collect();
        assert_eq!(found, [("LX", 5, 1), ("LY", 4, 2), ("WG", 3, 1), ("PER_ITEM", 4, 0)], "{toml}");
    }

    #[test]
    fn a_skeleton_reads_and_names_what_it_could_not_know() {
        let source = "__kernel void blur(__global const float4 *in, __global float4 *out, __local float *tile, int width, int height, float amount)\n{\n}\n";
        let toml = skeleton("blur.cl", source).expect("a kernel");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("blur.cl"), source).expect("written");
        std::fs::write(folder.path().join("project.toml"), &toml).expect("written");
        let project = Project::read(folder.path()).unwrap_or_else(|faults| panic!("{faults:?}\n{toml}"));
        assert_eq!(project.parameters.len(), 2);
        assert!(project.points().expect("few").len() < 20, "the condition leaves some out");
        assert!(toml.contains("float amount"), "{toml}");
        assert_eq!(skeleton("a.cl", "float f(float a) { return a; }"), None);
    }
}
