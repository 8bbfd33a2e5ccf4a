//! What searches found on a machine, for all programs: one record for each nest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strata::{Choice, Fingerprint};
use strata_diag::{Diagnostic, Location, codes};

/// The version of the format.
const VERSION: u64 = 1;

/// What a search of a nest found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The nest.
    pub nest: Fingerprint,
    /// The target, for people.
    pub target: String,
    /// What the nest computes, for people.
    pub about: String,
    /// The version of the compiler that was measured.
    pub compiler: String,
    /// The schedule that is faster than the compiler's own choice; none where there is none.
    pub schedule: Option<Choice>,
    /// How many times as fast it is.
    pub gain: f64,
    /// How many schedules were measured.
    pub tried: usize,
    /// The budget of the search in seconds.
    pub seconds: f64,
    /// Whether the search ended by itself, not by its budget.
    pub complete: bool,
}

impl Record {
    /// Whether a search with this budget would hardly find more.
    pub fn serves(&self, compiler: &str, seconds: f64) -> bool {
        self.compiler == compiler && (self.complete || self.tried > 0 && self.seconds >= seconds)
    }

    /// Which of two records of a nest is worth more.
    fn rank(&self) -> (&str, bool, f64, usize) {
        (&self.compiler, self.complete, self.seconds, self.tried)
    }
}

/// The records of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Database {
    records: BTreeMap<Fingerprint, Record>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    strata_tuning: u64,
    nests: Vec<Record>,
}

impl Database {
    /// Reads a database that diagnostics call `name`; an empty text is an empty one.
    ///
    /// # Errors
    /// `S1302` for text that is not a database, or is one of another version.
    pub fn read(name: &str, text: &str) -> Result<Self, Diagnostic> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let wrong = |reason: String| {
            Diagnostic::new(codes::S1302)
                .at(Location::file(name))
                .reason(format!("it is not a database of this version of `strata tune`: {reason}"))
                .hint("name another file with `--database`; a database of another version can be removed")
        };
        let written: Written =
            serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if written.strata_tuning != VERSION {
            return Err(wrong(format!("its format has version {}", written.strata_tuning)));
        }
        let mut database = Self::default();
        written.nests.into_iter().for_each(|record| database.add(record));
        Ok(database)
    }

    /// The text of the database: the same for equal records.
    pub fn text(&self) -> String {
        let nests = self.records.values().cloned().collect();
        // Neither maps with keys other than text nor a writer that fails are in it.
        let text = serde_json::to_string_pretty(&Written { strata_tuning: VERSION, nests });
        text.unwrap_or_default() + "\n"
    }

    /// Adds a record, unless there is one of the nest that is worth more.
    pub fn add(&mut self, record: Record) {
        let is_worth_more = |known: &Record| {
            let (known, own) = (known.rank(), record.rank());
            known.partial_cmp(&own) == Some(std::cmp::Ordering::Greater)
        };
        if !self.records.get(&record.nest).is_some_and(is_worth_more) {
            self.records.insert(record.nest, record);
        }
    }

    /// The record of a nest.
    pub fn get(&self, nest: Fingerprint) -> Option<&Record> {
        self.records.get(&nest)
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use strata::Choice;

    use super::{Database, Record};

    fn record(nest: u8, compiler: &str, seconds: f64, complete: bool) -> Record {
        Record {
            nest: format!("{nest:032x}").parse().expect("digits"),
            target: "a target".into(),
            about: "a nest".into(),
            compiler: compiler.into(),
            schedule: Some(Choice::Loops),
            gain: 1.5,
            tried: 3,
            seconds,
            complete,
        }
    }

    #[test]
    fn a_database_is_read_as_it_was_written_and_keeps_what_is_worth_more() {
        let mut database = Database::default();
        let long = record(1, "0.1.0", 60.0, false);
        database.add(long.clone());
        database.add(record(1, "0.1.0", 5.0, false));
        assert_eq!(database.get(long.nest), Some(&long));
        assert!(long.serves("0.1.0", 60.0) && !long.serves("0.1.0", 61.0));
        assert!(!long.serves("0.2.0", 1.0));
        let whole = record(1, "0.1.0", 5.0, true);
        database.add(whole.clone());
        assert_eq!(database.get(long.nest), Some(&whole));
        assert!(whole.serves("0.1.0", 1e9));
        database.add(record(2, "0.1.0", 1.0, true));
        let text = database.text();
        let again = Database::read("d", &text).expect("reads");
        assert_eq!((again.len(), again.text()), (2, text.clone()));
        assert_eq!(Database::read("d", " \n").expect("empty"), Database::default());
        let cases = [&text[..text.len() / 2], "{}", &text.replace("tuning\": 1", "tuning\": 2")];
        for wrong in cases {
            assert!(Database::read("d", wrong).is_err(), "{wrong}");
        }
    }
}
