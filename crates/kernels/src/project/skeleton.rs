//! The first `project.toml` of a kernel, from what it takes.

use super::signature::{Declared, Signature, Space, kernels};
use base::foreign::toml_text;
use base::texts::{filled, text};
use std::fmt::{Display, Write as _};

/// The text of a `project.toml` for the kernels of `source`, which lies in `file`; `None` where there is no kernel in it.
///
/// What cannot be known from a signature, sizes and what is computed, is filled in so that it can be run, and marked.
#[must_use]
pub fn skeleton(file: &str, source: &str) -> Option<String> {
    let found = kernels(source);
    let first = found.first()?;
    let mut toml = format!("# {}\nkernel = {}\n", filled("project.skeleton.head", &[("kernel", &first.name)]), toml_text(file));
    let _ = writeln!(toml, "# options = \"-cl-fast-relaxed-math\"\n");
    let _ = writeln!(toml, "# {}\n[let]\nwidth = 1024\nheight = 1024\ncount = \"width * height\"\n", text("project.skeleton.let"));
    let _ = writeln!(toml, "# {}", text("project.skeleton.parameters"));
    for (name, values, default) in [("LX", "[8, 16, 32, 64, 128]", 16), ("LY", "[1, 2, 4, 8]", 4)] {
        let _ = writeln!(toml, "[[parameter]]\nname = {name:?}\nvalues = {values}\ndefault = {default}\n");
    }
    // A key of the whole file stands before its first table.
    let conditions = format!("# {}\nconditions = [\"LX * LY <= 256\"]\n\n", text("project.skeleton.conditions"));
    let place = toml.find("# options").unwrap_or(0);
    toml.insert_str(place, &conditions);
    let mut buffers: Vec<&Declared> = Vec::new();
    for parameter in found.iter().flat_map(|kernel| &kernel.parameters) {
        let is_buffer = matches!(parameter.space, Some(Space::Global | Space::Constant));
        if is_buffer && !buffers.iter().any(|known| known.name == parameter.name) {
            buffers.push(parameter);
        }
    }
    for buffer in buffers {
        let _ = writeln!(toml, "{}", buffer_text(buffer));
    }
    for kernel in &found {
        let _ = writeln!(toml, "{}", launch_text(kernel));
    }
    let _ = writeln!(toml, "# {}", text("project.skeleton.reference"));
    let _ = writeln!(toml, "# [reference]\n# command = [\"python3\", \"reference.py\", \"{{input}}\", \"{{output}}\"]");
    Some(toml)
}

/// How many elements of OpenCL's scalar a type has: 4 of "float4".
fn lanes(type_name: &str) -> usize {
    let digits = type_name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    digits.parse().ok().filter(|lanes| [2, 3, 4, 8, 16].contains(lanes)).unwrap_or(1)
}

fn buffer_text(buffer: &Declared) -> String {
    let element = buffer.element();
    let todo = |key| if element.is_some() { String::new() } else { format!("  # {}", text(key)) };
    let name = element.map_or("float", super::Element::name);
    let lanes = lanes(&buffer.type_name);
    let count = if lanes == 1 { "count".to_owned() } else { format!("{lanes} * count") };
    let mut toml = format!("[[buffer]]\nname = {:?}\ntype = \"{name}\"{}\n", buffer.name, todo("project.skeleton.type"));
    let _ = writeln!(toml, "count = {count:?}  # {}", text("project.skeleton.count"));
    if buffer.is_const {
        let ends = if element.is_some_and(super::Element::is_float) { "[0.0, 1.0]" } else { "[0, 255]" };
        let _ = writeln!(toml, "from = {{ random = {ends}, seed = 1 }}");
    } else {
        let _ = writeln!(toml, "role = \"output\"  # {}", text("project.skeleton.role"));
        if element.is_some_and(super::Element::is_float) {
            let _ = writeln!(toml, "tolerance = {{ relative = 1e-5 }}");
        }
    }
    toml
}

fn launch_text(kernel: &Signature) -> String {
    let argument = |parameter: &Declared| match parameter.space {
        Some(Space::Global | Space::Constant) => format!("{:?}", parameter.name),
        Some(Space::Local) => {
            let bytes = parameter.element().map_or(4, super::Element::bytes) * lanes(&parameter.type_name);
            format!("\"local LX * LY * {bytes}\"")
        }
        None if ["width", "height", "count"].contains(&parameter.name.as_str()) => format!("{:?}", parameter.name),
        None => "1".to_owned(),
    };
    let todo = |parameter: &Declared| {
        let is_known = parameter.space.is_some() || ["width", "height", "count"].contains(&parameter.name.as_str());
        let values: [(&str, &dyn Display); 1] = [("declared", &parameter.label())];
        let key = if is_known { "project.skeleton.known" } else { "project.skeleton.unknown" };
        format!("    {},  # {}\n", argument(parameter), filled(key, &values))
    };
    let arguments: String = kernel.parameters.iter().map(todo).collect();
    format!(
        "[[launch]]\nkernel = {:?}\nglobal = [\"width\", \"height\"]\nlocal = [\"LX\", \"LY\"]\narguments = [\n{arguments}]\n",
        kernel.name
    )
}

#[cfg(test)]
mod tests {
    use super::skeleton;
    use crate::project::Project;

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
