//! Thresholds are in the room for tuning, each with what it was measured on.

use super::{root, text};

const TUNING: &str = "crates/strata-ir/src/tuning.rs";

/// The Rust files below a folder, by path from the root.
fn sources(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                _ if path.is_dir() => open.push(path),
                Some(ending) if ending == "rs" => {
                    let path = path.strip_prefix(root()).expect("below the root");
                    found.push(path.to_str().expect("a plain name").to_owned());
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// The name of the constant that a line declares.
fn constant(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
    line.strip_prefix("const ")?.split(':').next()
}

/// Limits that follow from something else than time: what a stack holds, which numbers a format can hold.
const NOT_TUNED: &[&str] = &["MAX_FRAME_BYTES"];

#[test]
fn stages_have_no_thresholds_of_their_own() {
    let crates =
        ["strata-hlo", "strata-linalg", "strata-schedule", "strata-loops", "strata-codegen"];
    let mut found = Vec::new();
    for file in crates.iter().flat_map(|name| sources(&format!("crates/{name}/src"))) {
        let text = text(&file);
        let limits = text.lines().filter_map(constant).filter(|name| {
            (name.starts_with("MAX_") || name.starts_with("MIN_")) && !NOT_TUNED.contains(name)
        });
        found.extend(limits.map(|name| format!("{file}: {name}")));
    }
    assert!(found.is_empty(), "these belong to {TUNING}: {found:#?}");
}

#[test]
fn every_threshold_says_what_it_was_measured_on() {
    let text = text(TUNING);
    let (mut seen, mut docs, mut module) = (0, String::new(), String::new());
    for line in text.lines() {
        if let Some(doc) = line.trim_start().strip_prefix("///") {
            docs.push_str(doc);
        } else if line.starts_with("pub mod ") {
            module = std::mem::take(&mut docs);
        } else if constant(line).is_some() {
            let is_said =
                |text: &str| ["easured", "measurement"].iter().any(|word| text.contains(word));
            // What is said of all numbers of a module need not be said of each.
            assert!(is_said(&docs) || is_said(&module), "{line}: measured on what?");
            seen += 1;
            docs.clear();
        }
    }
    assert!(seen > 80, "only {seen} thresholds were read");
}
