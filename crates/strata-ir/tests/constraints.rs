//! The names of constraints: those of the specification, those that `dialects/` checks and those
//! that the programs of `dialects/*/verify` violate are the same, except for those listed in
//! `dialects/stablehlo/CONSTRAINTS.md` with a reason.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use strata_ir::OpKind;

/// An operation and the number of one of its constraints.
type Label = (String, u32);

fn dialects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dialects")
}

/// Files below `folder` with one of the extensions.
fn files(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("readable")
        .map(|entry| entry.expect("readable").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, extensions, found);
        } else if path
            .extension()
            .is_some_and(|extension| extensions.iter().any(|known| extension == *known))
        {
            found.push(path);
        }
    }
}

/// `reduce_c3` as a label.
fn label(word: &str) -> Option<Label> {
    let (operation, number) = word.rsplit_once("_c")?;
    let named = !operation.is_empty()
        && operation.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    Some((operation.to_owned(), number.parse().ok()?)).filter(|_| named)
}

/// The labels in the comments of a text, where `a_c2 to a_c4` stands for three.
fn labels(text: &str, found: &mut BTreeSet<Label>) {
    for (_, comment) in text.lines().filter_map(|line| line.split_once("//")) {
        let mut last: Option<Label> = None;
        let mut range = false;
        for word in comment.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            if word.is_empty() {
                continue;
            }
            if let Some((operation, number)) = label(word) {
                let first = match &last {
                    Some((same, before)) if range && *same == operation => before + 1,
                    _ => number,
                };
                found.extend((first..=number).map(|n| (operation.clone(), n)));
                last = Some((operation, number));
            }
            range = word == "to";
        }
    }
}

fn labels_below(extensions: &[&str]) -> BTreeSet<Label> {
    let mut paths = Vec::new();
    files(&dialects(), extensions, &mut paths);
    assert!(!paths.is_empty(), "there are files of {extensions:?}");
    let mut found = BTreeSet::new();
    for path in paths {
        // Programs that are accepted name constraints only in passing.
        let rejected = path.parent().is_some_and(|folder| folder.ends_with("verify"));
        if extensions == ["mlir"] && !rejected {
            continue;
        }
        labels(&fs::read_to_string(path).expect("readable"), &mut found);
    }
    found
}

/// The tables of the page: heading, and the two columns of each row.
fn tables() -> BTreeMap<String, Vec<(String, String)>> {
    let page = fs::read_to_string(dialects().join("stablehlo/CONSTRAINTS.md")).expect("the page");
    let mut tables: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut heading = String::new();
    for line in page.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            heading = name.to_owned();
        }
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        if let ["", first, second, ""] = cells[..]
            && !first.starts_with("---")
            && !matches!(first, "operation" | "constraint")
        {
            let row = (first.to_owned(), second.to_owned());
            tables.entry(heading.clone()).or_default().push(row);
        }
    }
    tables
}

/// The labels of one table, each with a reason.
fn listed(heading: &str) -> BTreeSet<Label> {
    tables()[heading]
        .iter()
        .map(|(name, reason)| {
            assert!(!reason.is_empty(), "{name} has no reason");
            label(name).unwrap_or_else(|| panic!("{name} is not a label"))
        })
        .collect()
}

fn specified() -> BTreeSet<Label> {
    tables()["Constraints of each operation"]
        .iter()
        .flat_map(|(operation, count)| {
            let count = count.parse::<u32>().unwrap_or_default();
            (1..=count).map(move |number| (operation.clone(), number))
        })
        .collect()
}

fn names<'a>(labels: impl IntoIterator<Item = &'a Label>) -> Vec<String> {
    labels.into_iter().map(|(operation, number)| format!("{operation}_c{number}")).collect()
}

#[test]
fn the_page_has_every_operation() {
    let mut rows: BTreeSet<String> = tables()["Constraints of each operation"]
        .iter()
        .map(|(operation, _)| format!("stablehlo.{operation}"))
        .collect();
    assert!(rows.remove("stablehlo.quantized_type"));
    let kinds: BTreeSet<String> = OpKind::ALL
        .iter()
        .map(|kind| kind.name())
        .filter(|name| name.dialect() == "stablehlo")
        .map(String::from)
        .collect();
    assert_eq!(rows, kinds);
}

#[test]
fn each_constraint_that_is_checked_has_a_program_that_breaks_it() {
    let checked = labels_below(&["cpp", "h", "td"]);
    let broken = labels_below(&["mlir"]);
    let without = listed("Checked, without a program");
    let missing: Vec<_> = checked.difference(&broken).filter(|l| !without.contains(*l)).collect();
    assert_eq!(names(missing), [""; 0], "no program of dialects/*/verify violates these");
    assert_eq!(names(broken.difference(&checked)), [""; 0], "no verifier names these");
    let stale: Vec<_> =
        without.iter().filter(|l| broken.contains(*l) || !checked.contains(*l)).collect();
    assert_eq!(names(stale), [""; 0], "the page says that these have no program");
}

#[test]
fn each_constraint_of_the_specification_is_checked() {
    let checked = labels_below(&["cpp", "h", "td"]);
    let specified = specified();
    let unchecked = listed("Not checked");
    let missing: Vec<_> =
        specified.difference(&checked).filter(|l| !unchecked.contains(*l)).collect();
    assert_eq!(names(missing), [""; 0], "no verifier names these");
    let stale: Vec<_> =
        unchecked.iter().filter(|l| checked.contains(*l) || !specified.contains(*l)).collect();
    assert_eq!(names(stale), [""; 0], "the page says that these are not checked");
    let beyond = listed("Beyond the specification");
    let own: BTreeSet<_> = checked.difference(&specified).cloned().collect();
    assert_eq!(names(&own), names(&beyond), "checked beyond the specification");
}
