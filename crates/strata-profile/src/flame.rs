//! Stacks of the source, and the flame graph of them.

use std::collections::BTreeSet;

use inferno::flamegraph::{self, Options};
use serde_json::Value;
use strata_diag::{Diagnostic, codes, printable};
use strata_explore::{Exploration, Frame};

use crate::{attribution::Part, report::Profile};

/// What a sample is in, the outermost first: the source's functions with the lines at which they are, or name scopes where there are no
/// places; the operation; where only a nest is known, that.
pub fn stack(found: &Exploration, part: &Part) -> String {
    let (index, remarks) = (found.index(), found.remarks());
    let mut frames = Vec::new();
    let ways = |at: &usize| -> Vec<Vec<String>> {
        let operation = &index["operations"][*at];
        found.ways(*at, &part.calls).iter().map(|way| callers(operation, way)).collect()
    };
    let callers: Vec<Vec<String>> = part.operations.iter().flat_map(ways).collect();
    if let Some((first, others)) = callers.split_first() {
        let common = |count: &usize| {
            others.iter().all(|other| other.get(..*count) == Some(&first[..*count]))
        };
        let count = (0..=first.len()).rev().find(common).unwrap_or(0);
        frames.extend_from_slice(&first[..count]);
    }
    let name = |at: &usize| index["operations"][*at]["name"].as_str().unwrap_or("?");
    let operations: Vec<String> =
        part.operations.iter().map(|at| format!("{} #{at}", name(at))).collect();
    let nests: Vec<String> = part.nests.iter().map(|nest| remarks.nest_name(*nest)).collect();
    match (&operations[..], &nests[..]) {
        ([], []) => frames.push("(not known)".to_owned()),
        ([], nests) => frames.push(format!("{} (the nest)", either(nests))),
        (operations, _) => frames.push(either(operations)),
    }
    if part.is_call {
        frames.push("(called function)".to_owned());
    }
    let frames: Vec<_> = frames.iter().map(|frame| plain(frame)).collect();
    frames.join(";")
}

/// One of several, with not too many words.
fn either(names: &[String]) -> String {
    const MOST: usize = 4;
    match names {
        [one] => one.clone(),
        names if names.len() <= MOST => names.join(" or "),
        names => format!("{} or {} others", names[..MOST].join(" or "), names.len() - MOST),
    }
}

/// The frames around an operation, the outermost first.
fn callers(operation: &Value, frames: &[Frame]) -> Vec<String> {
    if frames.is_empty() {
        let label = operation["label"].as_str().unwrap_or_default();
        let mut scopes: Vec<_> = label.split('/').map(str::to_owned).collect();
        // The last is the operation itself.
        scopes.pop();
        return scopes;
    }
    let one = |Frame { name, file, line, .. }: &Frame| match name {
        Some(name) => format!("{name} ({file}:{line})"),
        None => format!("{file}:{line}"),
    };
    frames.iter().rev().map(one).collect()
}

/// Without what separates frames, stacks and lines, or cannot be seen.
fn plain(frame: &str) -> String {
    let one = |char: char| match char {
        ';' => ',',
        char if char.is_control() => ' ',
        char => char,
    };
    printable(frame.chars().map(one).collect::<String>().trim())
}

impl Profile {
    /// The flame graph, as SVG: the same bytes for the same stacks.
    ///
    /// # Errors
    /// `S9001` if it cannot be made.
    pub fn flame_graph(&self) -> Result<String, Diagnostic> {
        let failed = |reason: String| {
            Diagnostic::new(codes::S9001).reason(format!("the flame graph was not made: {reason}"))
        };
        let mut options = Options::default();
        options.title = format!("{}, {} samples", self.program, self.counts.inside);
        options.count_name = "samples".to_owned();
        options.name_type = "Operation:".to_owned();
        options.deterministic = true;
        let folded = self.folded();
        let mut svg = Vec::new();
        flamegraph::from_lines(&mut options, folded.lines(), &mut svg)
            .map_err(|error| failed(error.to_string()))?;
        String::from_utf8(svg).map_err(|error| failed(error.to_string()))
    }

    /// The frames that stacks have, each once.
    pub fn frames(&self) -> BTreeSet<&str> {
        self.stacks.keys().flat_map(|stack| stack.split(';')).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, callers, either, plain};
    use serde_json::json;

    #[test]
    fn frames_hold_no_separators() {
        assert_eq!(plain("a;b\nc <d> "), "a,b c <d>");
    }

    #[test]
    fn callers_are_places_or_name_scopes() {
        let frame = |name: Option<&str>, line| Frame {
            name: name.map(str::to_owned),
            file: "f.py".to_owned(),
            line,
            column: 1,
        };
        let placed = [frame(Some("g"), 9), frame(None, 5)];
        assert_eq!(callers(&json!({"label": "a/b/c"}), &placed), ["f.py:5", "g (f.py:9)"]);
        assert_eq!(callers(&json!({"label": "jit(f)/layer/dot"}), &[]), ["jit(f)", "layer"]);
        assert!(callers(&json!({}), &[]).is_empty());
    }

    #[test]
    fn many_names_are_counted() {
        let names: Vec<_> = (0..6).map(|one| one.to_string()).collect();
        assert_eq!(either(&names[..2]), "0 or 1");
        assert_eq!(either(&names), "0 or 1 or 2 or 3 or 2 others");
    }
}
