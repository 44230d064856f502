//! Tried configurations for Kernel Tuner and what reads its files: T4, the output format of <https://github.com/odgaard/TuningSchema>, and cache files, from
//! which it continues a search, simulates one and draws.

use super::trials::{NOT_EXACT, as_json};
use base::error::Result;
use base::texts::{clause, failed};
use kernels::project::Value;
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;

/// One tried configuration, for other programs.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<'a> {
    /// Names and values.
    pub configuration: Vec<(&'a str, Value)>,
    /// Its time, where it was correct.
    pub time_ms: Option<f64>,
    /// All times that were measured.
    pub times_ms: Vec<f64>,
    /// Why it has no time.
    pub invalidity: Invalidity,
    /// How long it was compiled.
    pub compilation_ms: f64,
    /// How long it was measured.
    pub benchmark_ms: f64,
    /// How long its outputs were compared.
    pub validation_ms: f64,
    /// When, as RFC 3339 has it.
    pub timestamp: String,
}

/// What became of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalidity {
    /// It has the right outputs.
    Correct,
    /// It did not compile.
    Compile,
    /// It could not be launched, or was not finished.
    Runtime,
    /// Its outputs are wrong.
    Correctness,
    /// A condition, or a limit of the device, does not allow it.
    Constraints,
}

impl Invalidity {
    /// As T4 calls it.
    fn name(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Compile => "compile",
            Self::Runtime => "runtime",
            Self::Correctness => "correctness",
            Self::Constraints => "constraints",
        }
    }

    /// What stands in a cache file in the place of a time. Kernel Tuner has no name for wrong outputs: it ends there.
    fn fault(self) -> Option<&'static str> {
        match self {
            Self::Correct => None,
            Self::Compile => Some("CompilationFailedConfig"),
            Self::Runtime | Self::Correctness => Some("RuntimeFailedConfig"),
            Self::Constraints => Some("InvalidConfig"),
        }
    }
}

/// What all configurations of a cache file have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Head<'a> {
    /// The device's name.
    pub device: &'a str,
    /// The kernel's name.
    pub kernel: &'a str,
    /// The sides of the problem: "4096", "1024 1024" or "1024x1024". Anything else is written as it is.
    pub problem_size: &'a str,
    /// What could be tried, in the order of the project.
    pub parameters: Vec<(&'a str, Vec<Value>)>,
}

/// The results as T4: "metadata" of the machine belongs to a file of its own.
#[must_use]
pub fn t4(rows: &[Row]) -> Json {
    let result = |row: &Row| {
        let measurements: Vec<Json> = row
            .time_ms
            .filter(|time| time.is_finite())
            .map(|time| json!({ "name": "time", "value": time, "unit": "ms" }))
            .into_iter()
            .collect();
        json!({
            "timestamp": row.timestamp,
            "configuration": configuration(row),
            "times": {
                // The schema has the first name, and Kernel Tuner writes the second.
                "compilation_time": row.compilation_ms,
                "compilation": row.compilation_ms,
                "benchmark": row.benchmark_ms,
                "framework": 0.0,
                "search_algorithm": 0.0,
                "validation": row.validation_ms,
                "runtimes": finite(&row.times_ms),
            },
            "invalidity": row.invalidity.name(),
            "correctness": i32::from(row.invalidity == Invalidity::Correct),
            "measurements": measurements,
            "objectives": ["time"],
        })
    };
    json!({
        "results": rows.iter().map(result).collect::<Vec<_>>(),
        "schema_version": "1.0.0",
        "metadata": { "timeunit": "milliseconds" },
    })
}

/// A cache file. It must be written by `serde_json::to_string_pretty`: to continue it, Kernel Tuner cuts off its last three characters, two brackets and the line
/// end between them.
#[must_use]
pub fn cache(head: &Head, rows: &[Row]) -> Json {
    let mut entries = Map::new();
    for row in rows {
        let mut entry = configuration(row);
        let time = row.time_ms.filter(|time| time.is_finite());
        let time = match row.invalidity.fault() {
            Some(fault) => Json::from(fault),
            None => time.map_or_else(|| Json::from("RuntimeFailedConfig"), Json::from),
        };
        entry.insert("time".to_owned(), time);
        if row.invalidity == Invalidity::Correct {
            entry.insert("times".to_owned(), Json::from(finite(&row.times_ms)));
        }
        for (name, time) in [
            ("compile_time", row.compilation_ms),
            ("verification_time", row.validation_ms),
            ("benchmark_time", row.benchmark_ms),
            ("strategy_time", 0.0),
            ("framework_time", 0.0),
        ] {
            entry.insert(name.to_owned(), Json::from(time));
        }
        entry.insert("timestamp".to_owned(), Json::from(row.timestamp.as_str()));
        // Values are found in the order of the parameters, whatever that of the row is.
        let of = |name: &str| row.configuration.iter().find(|(known, _)| *known == name).map(|(_, value)| python_text(value));
        let key: Vec<String> = head.parameters.iter().filter_map(|(name, _)| of(name)).collect();
        entries.insert(key.join(","), Json::Object(entry));
    }
    let parameters: Map<String, Json> =
        head.parameters.iter().map(|(name, values)| ((*name).to_owned(), values.iter().map(as_json).collect())).collect();
    // What is last is what is continued.
    json!({
        "device_name": head.device,
        "kernel_name": head.kernel,
        "problem_size": problem_size(head.problem_size),
        "tune_params_keys": head.parameters.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        "tune_params": parameters,
        "objective": "time",
        "cache": entries,
    })
}

fn configuration(row: &Row) -> Map<String, Json> {
    row.configuration.iter().map(|(name, of)| ((*name).to_owned(), as_json(of))).collect()
}

fn finite(times: &[f64]) -> Vec<f64> {
    times.iter().copied().filter(|time| time.is_finite()).collect()
}

/// As Python's `str` writes it: Kernel Tuner finds configurations by that.
fn python_text(of: &Value) -> String {
    match of {
        Value::Number(number) if number.fract() == 0.0 && number.abs() < NOT_EXACT => format!("{number:.0}"),
        Value::Number(number) => python_float(*number),
        Value::Word(word) => word.clone(),
    }
}

/// The fewest digits that mean that number; with an exponent below 0.0001 and from 10^16 on.
fn python_float(number: f64) -> String {
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e').and_then(|(digits, exponent)| Some((digits, exponent.parse::<i32>().ok()?)))
    else {
        return number.to_string();
    };
    if (-4..16).contains(&exponent) {
        let plain = number.to_string();
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let mut text = format!("{digits}e{}", if exponent < 0 { '-' } else { '+' });
    let _ = write!(text, "{:02}", exponent.abs());
    text
}

/// One side as a number, several as a list.
fn problem_size(text: &str) -> Json {
    let sides: Vec<&str> = text.split([' ', ',', 'x', '×', '(', ')', '[', ']']).filter(|side| !side.is_empty()).collect();
    let numbers: Option<Vec<u64>> = sides.iter().map(|side| side.parse().ok()).collect();
    match numbers.as_deref() {
        Some([one]) => Json::from(*one),
        Some(several @ [_, ..]) => Json::from(several),
        _ => Json::from(text),
    }
}

/// A configuration, and its time in milliseconds where it has one.
pub type Cached = (Vec<(String, String)>, Option<f64>);

/// The configurations of a cache file of Kernel Tuner's. It may end where a search was stopped.
///
/// # Errors
/// It is none.
pub fn read_cache(text: &str) -> Result<Vec<Cached>> {
    let wrong = |why: String| failed("errors.project.cache-read", &[("why", &why)]);
    let whole: Json = serde_json::from_str(text).or_else(|error| {
        // Kernel Tuner leaves a file open while it searches.
        let open = text.trim_end();
        let open = open.strip_suffix(',').unwrap_or(open);
        serde_json::from_str(&format!("{open}}}}}")).map_err(|_| wrong(error.to_string()))
    })?;
    let missing = |name: &str| wrong(clause("project.cache.missing", &[("name", &name)]));
    let names = whole.get("tune_params_keys").and_then(Json::as_array).ok_or_else(|| missing("tune_params_keys"))?;
    let names: Vec<&str> = names.iter().filter_map(Json::as_str).collect();
    let entries = whole.get("cache").and_then(Json::as_object).ok_or_else(|| missing("cache"))?;
    let read = |entry: &Json| {
        let configuration = names
            .iter()
            .map(|name| {
                let text = entry.get(*name).and_then(own_text).ok_or_else(|| missing(name))?;
                Ok(((*name).to_owned(), text))
            })
            .collect::<Result<Vec<_>>>()?;
        // Old versions write a time that no kernel has for those that failed.
        let is_time = |time: &f64| (0.0..1e19).contains(time);
        let time = if entry.get("__error__").is_some() { None } else { entry.get("time").and_then(Json::as_f64).filter(is_time) };
        Ok((configuration, time))
    };
    entries.values().map(read).collect()
}

/// As the values of a project are written.
fn own_text(json: &Json) -> Option<String> {
    match json {
        Json::Number(number) => number.as_f64().map(|number| Value::Number(number).to_string()),
        Json::Bool(is) => Some(u8::from(*is).to_string()),
        Json::String(word) => Some(word.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Head, Invalidity, Row, cache, python_float, read_cache, t4};
    use kernels::project::Value;
    use serde_json::json;

    fn head() -> Head<'static> {
        let numbers = |values: &[f64]| values.iter().map(|value| Value::Number(*value)).collect();
        let words = vec![Value::Word("float".to_owned()), Value::Word("float4".to_owned())];
        let parameters = vec![("block_size_x", numbers(&[16.0, 32.0])), ("share", numbers(&[0.5, 0.000_01])), ("type", words)];
        Head { device: "A \"device\"", kernel: "vector_add", problem_size: "1024x512", parameters }
    }

    /// All configurations; the first ones are of each kind.
    fn rows() -> Vec<Row<'static>> {
        let kinds = [Invalidity::Correct, Invalidity::Compile, Invalidity::Runtime, Invalidity::Correctness, Invalidity::Constraints];
        let mut rows: Vec<Row> = Vec::new();
        let head = head();
        let [blocks, shares, types] = [0, 1, 2].map(|index| head.parameters[index].1.clone());
        for block in &blocks {
            for share in &shares {
                for kind in &types {
                    let invalidity = kinds.get(rows.len()).copied().unwrap_or(Invalidity::Correct);
                    let time_ms = (invalidity == Invalidity::Correct).then_some(1.5 + rows.len() as f64);
                    rows.push(Row {
                        configuration: vec![("block_size_x", block.clone()), ("share", share.clone()), ("type", kind.clone())],
                        time_ms,
                        times_ms: time_ms.into_iter().flat_map(|time| [time, time + 0.25, f64::NAN]).collect(),
                        invalidity,
                        compilation_ms: 100.0,
                        benchmark_ms: 20.0,
                        validation_ms: 3.0,
                        timestamp: "2026-11-26T15:00:00Z".to_owned(),
                    });
                }
            }
        }
        rows
    }

    #[test]
    fn t4_has_what_its_schema_asks_for() {
        let t4 = t4(&rows());
        // Where a folder is given, Kernel Tuner's own schema and simulation are asked about it.
        if let Some(folder) = std::env::var_os("KERNEL_LADDER_KERNEL_TUNER") {
            let folder = std::path::PathBuf::from(folder);
            std::fs::write(folder.join("t4.json"), t4.to_string()).expect("written");
            std::fs::write(folder.join("cache.json"), format!("{:#}", cache(&head(), &rows()))).expect("written");
        }
        let first = &t4["results"][0];
        assert_eq!(first["configuration"], json!({ "block_size_x": 16, "share": 0.5, "type": "float" }));
        assert_eq!(first["measurements"], json!([{ "name": "time", "value": 1.5, "unit": "ms" }]));
        assert_eq!((&first["times"]["runtimes"], &first["correctness"]), (&json!([1.5, 1.75]), &json!(1)));
        let names: Vec<&str> = t4["results"].as_array().expect("a list").iter().filter_map(|row| row["invalidity"].as_str()).collect();
        assert_eq!(names[..6], ["correct", "compile", "runtime", "correctness", "constraints", "correct"]);
        assert_eq!(t4["results"][3]["correctness"], json!(0));
    }

    #[test]
    fn a_cache_file_is_read_again_whole_or_open() {
        let cache = cache(&head(), &rows());
        assert_eq!(
            (&cache["problem_size"], cache["cache"]["16,1e-05,float4"]["time"].as_str()),
            (&json!([1024, 512]), Some("RuntimeFailedConfig"))
        );
        let turned =
            rows().into_iter().map(|row| Row { configuration: row.configuration.into_iter().rev().collect(), ..row }).collect::<Vec<_>>();
        assert_eq!(super::cache(&head(), &turned)["cache"]["32,0.5,float4"]["time"], json!(6.5), "in the order of the parameters");
        let (compact, pretty) = (cache.to_string(), format!("{cache:#}"));
        assert!(pretty.ends_with("  }\n}"), "that is what is cut off");
        let open = [compact.trim_end_matches('}').to_owned() + "},", compact.trim_end_matches('}').to_owned() + "}\n"];
        for text in [&compact, &pretty, &open[0], &open[1]] {
            let read = read_cache(text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(read.len(), 8);
            let first =
                [("block_size_x", "16"), ("share", "0.5"), ("type", "float")].map(|(name, value)| (name.to_owned(), value.to_owned()));
            assert_eq!(read[0], (first.to_vec(), Some(1.5)));
            assert_eq!(
                read.iter().map(|(_, time)| time.is_some()).collect::<Vec<_>>(),
                [true, false, false, false, false, true, true, true]
            );
        }
    }

    #[test]
    fn files_of_all_versions_are_read_and_foreign_ones_are_refused() {
        let of = |entry: &str| read_cache(&format!("{{\"tune_params_keys\": [\"a\"], \"cache\": {{\"1\": {entry}}}}}"));
        assert_eq!(of("{\"a\": 1.0, \"time\": 2}").expect("read"), [(vec![("a".to_owned(), "1".to_owned())], Some(2.0))]);
        for failed in ["{\"a\": true, \"time\": 1e20}", "{\"a\": 1, \"time\": 3, \"__error__\": \"InvalidConfig\"}", "{\"a\": 1}"] {
            assert_eq!(of(failed).expect("read"), [(vec![("a".to_owned(), "1".to_owned())], None)]);
        }
        for text in ["", "{}", "[]", "{\"tune_params_keys\": [\"a\"]}", "{\"cache\": {}}"] {
            assert!(read_cache(text).is_err(), "{text}");
        }
        assert!(of("{\"b\": 1}").is_err() && of("3").is_err() && of("{\"a\": []}").is_err());
    }

    #[test]
    fn numbers_are_written_as_python_writes_them() {
        let texts = [
            (0.5, "0.5"),
            (0.0001, "0.0001"),
            (0.000_01, "1e-05"),
            (0.000_012_5, "1.25e-05"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (9.5e15, "9500000000000000.0"),
        ];
        for (number, text) in texts {
            assert_eq!(python_float(number), text);
        }
    }
}
