//! `kernel-ladder schema`: what JSON of the commands has in it.
//!
//! Invariants:
//! - Every command's JSON is one [`Envelope`]; `schema` in it names the command and a number that grows with any change that a reader has to know of.
//! - The schema of a command's result is the file of its name in `assets/schemas/`; tests hold what commands print to it.

use super::output;
use base::error::Result;
use base::texts::{failed, misused};
use clap::Args;
use engine::device::DeviceInfo;
use serde::Serialize;
use serde_json::Value;

/// Arguments of `schema`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder schema
  kernel-ladder schema bench > bench.schema.json
  kernel-ladder run in.png out.png --filter box --json | check-jsonschema --schemafile run.schema.json -")]
pub struct Arguments {
    /// Result to describe [default: list all]
    result: Option<String>,
}

/// Makes [`JsonOf`] from names, whose schemas are files.
macro_rules! results {
    ($($result:ident $name:literal $version:literal;)+) => {
        /// A result that is printed as JSON.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum JsonOf {
            $(#[doc = $name] $result,)+
        }

        impl JsonOf {
            const ALL: [Self; [$($name),+].len()] = [$(Self::$result),+];

            /// Its name: the command's, and what its arguments make of it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$result => $name,)+ }
            }

            /// Grows with any change that a reader has to know of.
            const fn version(self) -> u32 {
                match self { $(Self::$result => $version,)+ }
            }

            /// The schema of the result.
            const fn text(self) -> &'static str {
                match self { $(Self::$result => include_str!(concat!("../../assets/schemas/", $name, ".json")),)+ }
            }
        }
    };
}

results! {
    Ablation "ablation" 1;
    Access "access" 1;
    Autotune "autotune" 1;
    AutotuneProject "autotune-project" 1;
    Bench "bench" 1;
    Bottleneck "bottleneck" 1;
    BreakEven "break-even" 1;
    Caches "caches" 1;
    Check "check" 1;
    Compare "compare" 1;
    Compiled "compiled" 1;
    CompiledProject "compiled-project" 1;
    Counters "counters" 1;
    CountersOfGpu "counters-gpu" 1;
    Devices "devices" 1;
    Diff "diff" 1;
    History "history" 1;
    Host "host" 1;
    KeptStudy "kept-study" 1;
    Lanes "access-lanes" 1;
    Limits "limits" 1;
    List "list" 1;
    Occupancy "occupancy" 1;
    Peers "peers" 1;
    Predictions "predictions" 1;
    Roofs "roofs" 1;
    Run "run" 1;
    SelfTest "self-test" 1;
    Source "source" 1;
    Split "split" 1;
    Studies "studies" 1;
    Try "try" 1;
    Tune "tune" 1;
    Why "why" 1;
    WhyProject "why-project" 1;
    Widths "widths" 1;
}

impl JsonOf {
    /// That of the study with this command.
    ///
    /// # Errors
    /// It has none, which a test excludes.
    pub fn study(command: &str) -> Result<Self> {
        Self::named(command).ok_or_else(|| failed("errors.cli.not-json", &[("why", &command)]))
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.name() == name)
    }

    /// What stands in the envelope.
    fn id(self) -> String {
        format!("kernel-ladder/{}/{}", self.name(), self.version())
    }

    /// The schema of all that is printed.
    fn schema(self) -> Value {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let mut schema = read(include_str!("../../assets/schemas/envelope.json"));
        let parts = [
            ("/title", Value::String(format!("kernel-ladder {} --json", self.name()))),
            ("/properties/schema/const", Value::String(self.id())),
            ("/properties/result", read(self.text())),
        ];
        for (place, part) in parts {
            schema.pointer_mut(place).into_iter().for_each(|known| *known = part.clone());
        }
        schema
    }
}

/// What every command says around its result.
#[derive(Serialize)]
pub struct Envelope<T> {
    schema: String,
    program: &'static str,
    date: String,
    machine: MachineJson,
    settings: Vec<String>,
    result: T,
}

#[derive(Serialize)]
struct MachineJson {
    system: &'static str,
    architecture: &'static str,
    cpu: String,
    device: Option<String>,
    platform: Option<String>,
    driver: Option<String>,
}

impl<T> Envelope<T> {
    /// Around a result.
    pub fn around(of: JsonOf, device: Option<&DeviceInfo>, result: T) -> Self {
        let machine = MachineJson {
            system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            cpu: kernel_ladder_cpu::processor_name(),
            device: device.map(|device| device.name.clone()),
            platform: device.map(|device| device.platform.clone()),
            driver: device.map(|device| device.driver_version.clone()),
        };
        let settings = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
        Self { schema: of.id(), program: super::VERSION, date: engine::now(), machine, settings, result }
    }
}

/// Prints a schema, or the names of all.
///
/// # Errors
/// There is none of that name.
pub fn run(arguments: &Arguments) -> Result<()> {
    let Some(name) = &arguments.result else {
        return output::print(&JsonOf::ALL.map(|of| format!("{}\n", of.name())).concat());
    };
    let of = JsonOf::named(name).ok_or_else(|| {
        let meant = base::texts::meant(name, JsonOf::ALL.iter().map(|of| of.name()));
        misused("errors.cli.no-schema", &[("name", name), ("meant", &meant)])
    })?;
    output::print(&(serde_json::to_string_pretty(&of.schema()).unwrap_or_default() + "\n"))
}
