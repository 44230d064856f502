//! What commands print with `--json`: held to the schema that the program prints, and the result in it.

use serde_json::Value;
use std::collections::HashMap;
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The result in what a command printed.
///
/// # Panics
/// It is not JSON, or not as its schema says. With `KERNEL_LADDER_SAMPLES=FOLDER` it is also written there, to write a schema from.
pub fn result(stdout: &str, stderr: &str) -> Value {
    let mut envelope: Value = serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{error}: {stdout}\n{stderr}"));
    let id = envelope["schema"].as_str().unwrap_or_default().to_owned();
    let name = id.split('/').nth(1).unwrap_or_else(|| panic!("no schema in {stdout}"));
    if let Some(folder) = std::env::var_os("KERNEL_LADDER_SAMPLES") {
        let file = tempfile::Builder::new().prefix(&format!("{name}@")).suffix(".json").tempfile_in(folder).expect("a file");
        std::fs::write(file.into_temp_path().keep().expect("kept"), envelope["result"].to_string()).expect("written");
    }
    if let Err(why) = held_to(&schema(name), &envelope) {
        panic!("{why}\n{stdout}");
    }
    envelope["result"].take()
}

/// Holds a value to a schema.
///
/// # Errors
/// What in it is not as the schema says.
pub fn held_to(schema: &Value, value: &Value) -> Result<(), String> {
    let mut compiler = boon::Compiler::new();
    let mut schemas = boon::Schemas::new();
    compiler.enable_format_assertions();
    compiler.add_resource("schema.json", schema.clone()).expect("a schema");
    let index = compiler.compile("schema.json", &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
    schemas.validate(value, index).map_err(|error| format!("{error:#}"))
}

/// The schema of that result, as the program prints it.
fn schema(name: &str) -> Value {
    static KNOWN: OnceLock<Mutex<HashMap<String, Value>>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let print = || {
        let printed = Command::new(env!("CARGO_BIN_EXE_kernel-ladder")).args(["schema", name]).output().expect("it starts");
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        serde_json::from_slice(&printed.stdout).expect("JSON")
    };
    known.entry(name.to_owned()).or_insert_with(print).clone()
}
