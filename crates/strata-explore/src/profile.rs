//! What `strata profile` measured of the code that a page shows.

use serde_json::{Map, Value, json};
use strata_diag::{Diagnostic, Location, codes};

use crate::Exploration;

/// The form of profiles that is read.
const FORMAT: u64 = 1;

impl Exploration {
    /// Adds what was measured, as `strata profile -o` writes it: the page shows the shares of operations, nests and lines of assembly. `file`
    /// is what diagnostics call it.
    ///
    /// # Errors
    /// `S1809` for text that is not a profile, and for one of other code.
    pub fn with_profile(mut self, text: &str, file: &str) -> Result<Self, Diagnostic> {
        let wrong =
            |reason: String| Diagnostic::new(codes::S1809).at(Location::file(file)).reason(reason);
        let other = |reason| wrong(reason).hint("`strata profile -o FILE.json` writes one");
        if text.trim().is_empty() {
            return Err(other("it is empty".to_owned()));
        }
        let profile: Value = serde_json::from_str(text)
            .map_err(|error| other(format!("it is not JSON: {error}")))?;
        if profile["kind"] != "strata profile" {
            return Err(other("it is JSON, but not a profile".to_owned()));
        }
        if profile["format"] != FORMAT {
            let format = &profile["format"];
            let reason = format!("its format is {format}, and this command reads {FORMAT}");
            return Err(wrong(reason).hint("profile the program again with this command"));
        }
        let index = &self.collected.index;
        if profile["code"] != index["code"] {
            return Err(other_code(&profile, index, wrong));
        }
        let (operations, nests) = (count(&index["operations"]), count(&index["nests"]));
        let lines = self.stage(strata::Stage::Asm).map_or(0, |(text, _)| text.lines().count());
        let damaged = || wrong("it is damaged: a list of it is not as it was written".to_owned());
        let kept = json!({
            "method": profile["method"],
            "samples": profile["samples"]["program"],
            "seconds": profile["run"]["seconds"],
            "threads": profile["run"]["threads"],
            "operations": shares(&profile["operations"], "operation", operations).ok_or_else(damaged)?,
            "nests": shares(&profile["nests"], "nest", nests).ok_or_else(damaged)?,
            "assembly": pairs(&profile["assembly"], lines).ok_or_else(damaged)?,
        });
        let is_whole = kept["samples"].is_u64() && kept["method"].is_string();
        if !is_whole {
            return Err(damaged());
        }
        self.collected.index["profile"] = kept;
        Ok(self)
    }
}

/// Why the code differs, as far as it is known.
fn other_code(profile: &Value, index: &Value, wrong: impl Fn(String) -> Diagnostic) -> Diagnostic {
    let word = |of: &Value| of.as_str().unwrap_or("?").to_owned();
    let cpu = |of: &Value| word(&of["target"]["cpu"]);
    if profile["target"] != index["target"] {
        return wrong(format!(
            "it is of code for {}, and the page shows code for {}",
            cpu(profile),
            cpu(index)
        ))
        .hint(format!(
            "give both commands the same target: `--target-cpu {}`, or `native` on the machine where it was measured",
            cpu(profile)
        ));
    }
    if profile["compiler"] != index["compiler"] {
        return wrong(format!(
            "it is of code of version {} of the compiler, and this is {}",
            word(&profile["compiler"]),
            word(&index["compiler"])
        ))
        .hint("profile the program again");
    }
    // A page always has given sizes.
    let is_open = |input: &Value| input["type"].as_str().is_some_and(|name| name.contains('?'));
    if profile["inputs"].as_array().is_some_and(|inputs| inputs.iter().any(is_open)) {
        let reason =
            "it is of an object for all sizes up to a bound, and a page is about one set of sizes";
        return wrong(reason.to_owned())
            .hint("`strata profile` with the page's `--bind` measures the program at these sizes");
    }
    wrong("it is of code of another program, or with other options".to_owned()).hint(
        "give both commands the same program and options: --entry, --bind, --name, -O, --schedule",
    )
}

fn count(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

/// Pairs of a position, which `key` names, and what was measured.
fn shares(list: &Value, key: &str, count: usize) -> Option<Value> {
    let one = |row: &Value| {
        let at = row[key].as_u64().filter(|at| usize::try_from(*at).is_ok_and(|at| at < count))?;
        let mut measured = Map::new();
        for key in ["share", "split", "error"] {
            measured.insert(key.to_owned(), row[key].as_f64()?.into());
        }
        for key in ["seconds", "share_of_limit", "limit"] {
            measured.insert(key.to_owned(), row[key].clone());
        }
        Some(json!([at, measured]))
    };
    list.as_array()?.iter().map(one).collect()
}

/// Pairs of a line and its share.
fn pairs(list: &Value, lines: usize) -> Option<Value> {
    let one = |pair: &Value| {
        let line = pair[0].as_u64().filter(|at| usize::try_from(*at).is_ok_and(|at| at < lines))?;
        Some(json!([line, pair[1].as_f64()?]))
    };
    list.as_array()?.iter().map(one).collect()
}
