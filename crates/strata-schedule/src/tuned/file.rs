//! The file of schedules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strata_diag::{Diagnostic, Location, codes};
use strata_target::Target;

use super::Fingerprint;
use crate::tiling::choice::Choice;

/// The version of the format that this compiler reads and writes.
pub const VERSION: u64 = 1;

/// The field with the version, by which such a file is told from other JSON.
const VERSION_FIELD: &str = "strata_schedules";

/// The field by which a database of searches is told.
const DATABASE_FIELD: &str = "strata_tuning";

/// Schedules by nest, as a file has them.
///
/// ```
/// use strata_schedule::tuned::Schedules;
///
/// let text = Schedules::default().text();
/// assert_eq!(text, "{\n  \"strata_schedules\": 1,\n  \"nests\": []\n}\n");
/// assert_eq!(Schedules::read("empty.json", &text).unwrap(), Schedules::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedules {
    entries: BTreeMap<Fingerprint, Entry>,
}

/// The schedule of a nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The nest.
    pub nest: Fingerprint,
    /// The target that the fingerprint is for, for people.
    pub target: String,
    /// What the nest computes, for people.
    pub about: String,
    /// Its schedule.
    pub schedule: Choice,
    /// What it gained where it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gains: Option<Gains>,
}

/// How many times as fast a schedule was as the cost model's, at the median.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gains {
    /// The nest alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<f64>,
    /// The program that it was measured in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<f64>,
}

/// The file as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    strata_schedules: u64,
    nests: Vec<Entry>,
}

/// Whether the text of a schedule is such a file, and not one of the transform dialect: no module begins with a brace.
pub fn is_schedules(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// The target as entries name it, without its list of features, which is long for the machine's own processor.
pub(crate) fn name_of(target: &Target) -> String {
    format!("{} {}, vectors of {} bits", target.triple, target.cpu, target.vector_bits())
}

impl Schedules {
    /// Reads a file that diagnostics call `name`.
    ///
    /// # Errors
    /// `S1302` for text that is not such a file, is of another version, or names a nest twice.
    pub fn read(name: &str, text: &str) -> Result<Self, Diagnostic> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| unreadable(name, text, &error))?;
        if value.get(DATABASE_FIELD).is_some() && value.get(VERSION_FIELD).is_none() {
            return Err(wrong(name)
                .reason("it is a database, in which `strata tune` keeps what searches of all programs found")
                .hint("`strata tune PROGRAM --database FILE -o SCHEDULES` writes the schedules of a program, and takes from the database what it has"));
        }
        let version = value.get(VERSION_FIELD).ok_or_else(|| {
            wrong(name)
                .reason(format!("it lacks `{VERSION_FIELD}`, the version of its format"))
                .hint("`strata tune PROGRAM -o FILE` and `strata schedule PROGRAM --format json` write such files")
        })?;
        if version.as_u64() != Some(VERSION) {
            return Err(wrong(name)
                .reason(format!(
                    "its format has version {version}, and this compiler reads version {VERSION}"
                ))
                .hint("run `strata tune` of this version again"));
        }
        let written: Written =
            serde_json::from_str(text).map_err(|error| unreadable(name, text, &error))?;
        let mut entries = BTreeMap::new();
        for entry in written.nests {
            let nest = entry.nest;
            if entries.insert(nest, entry).is_some() {
                return Err(wrong(name)
                    .reason(format!("it has two schedules for the nest {nest}"))
                    .hint("remove one of them"));
            }
        }
        Ok(Self { entries })
    }

    /// The text of the file: the same for equal schedules.
    pub fn text(&self) -> String {
        let nests = self.entries.values().cloned().collect();
        let written = Written { strata_schedules: VERSION, nests };
        // Neither maps with keys other than text nor a writer that fails are in it.
        let text = serde_json::to_string_pretty(&written).unwrap_or_default();
        text + "\n"
    }

    /// Adds a schedule, or replaces that of the same nest.
    pub fn insert(&mut self, entry: Entry) {
        self.entries.insert(entry.nest, entry);
    }

    /// Removes the schedule of a nest.
    pub fn remove(&mut self, nest: Fingerprint) -> Option<Entry> {
        self.entries.remove(&nest)
    }

    /// The schedule of a nest.
    pub fn get(&self, nest: Fingerprint) -> Option<&Entry> {
        self.entries.get(&nest)
    }

    /// All schedules, ordered by fingerprint.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Why none of them was used for a program that is compiled for `targets`.
    pub fn without_use(&self, targets: &[Target]) -> Diagnostic {
        let own: Vec<_> = targets.iter().map(name_of).collect();
        let of_these = self.entries.values().filter(|entry| own.contains(&entry.target)).count();
        let (what, hint) = match (self.entries.is_empty(), of_these) {
            (true, _) => ("it is empty".to_owned(), "`strata tune PROGRAM -o FILE` writes some"),
            (false, 0) => (
                format!(
                    "they are for {}, and the object is for {}",
                    self.entries.values().next().map_or("", |entry| &entry.target),
                    own.join(", ")
                ),
                "compile for the processor that was measured on, or measure on this one with `strata tune`",
            ),
            _ => (
                "the program has none of their nests, as this version compiles it for these features".to_owned(),
                "`strata tune PROGRAM -o FILE` measures the nests of a program",
            ),
        };
        Diagnostic::new(codes::S1303)
            .with_severity(strata_diag::Severity::Warning)
            .reason(what)
            .hint(hint)
    }
}

/// An error in the file.
fn wrong(name: &str) -> Diagnostic {
    Diagnostic::new(codes::S1302).at(Location::file(name))
}

/// The error of an entry that cannot be used, at its line in the file.
pub(crate) fn unusable(name: &str, text: &str, entry: &Entry, reason: &str) -> Diagnostic {
    let print = entry.nest.to_string();
    let line = text.lines().position(|line| line.contains(&print)).unwrap_or(0);
    let column = text.lines().nth(line).and_then(|line| line.find(&print)).unwrap_or(0);
    let at = |number: usize| u32::try_from(number + 1).unwrap_or(u32::MAX);
    Diagnostic::new(codes::S1302)
        .at(Location::new(name, at(line), at(column)))
        .reason(format!(
            "`{}` is not a schedule for this nest ({}): {reason}",
            entry.schedule, entry.about
        ))
        .hint("remove the entry, or let `strata tune` write the file")
        .source_file(name, text)
}

/// The error of text that is not in the format, at its place.
fn unreadable(name: &str, text: &str, error: &serde_json::Error) -> Diagnostic {
    let line = u32::try_from(error.line().max(1)).unwrap_or(u32::MAX);
    let column = u32::try_from(error.column().max(1)).unwrap_or(u32::MAX);
    let message = error.to_string();
    let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
    let reason = if error.is_eof() { "it ends too early".to_owned() } else { reason.to_owned() };
    Diagnostic::new(codes::S1302)
        .at(Location::new(name, line, column))
        .reason(reason)
        .hint("docs/guide/tuning.md describes every field; `strata tune` writes such files")
        .source_file(name, text)
}
