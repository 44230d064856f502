//! Files are read as they were written, whatever is wrong with one is told, and gates rule as they say.

use super::file::{of_bytes, text_of};
use super::fingerprint::Power;
use super::judging::{Outcome, Outlook, Question, Terms, judge, overall, save};
use super::{Baseline, Fingerprint, Process, Row, Rows, differences, row_sentence, story};
use crate::bundle::{self, sealed};
use crate::testing::bundles::bundle;
use base::error::{Error, Result};
use engine::device::DeviceInfo;
use engine::{Backend, Compared, KernelText, Proven, Reply, Request, Task};
use model::measure::{Pair, Places, Progress, Ruling};
use model::{Record, Summary, Target as _, Verification};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use view::story::{json as story_json, markdown, text as story_text};
