//! What is computed for loops that end at a size ends there, too.

use crate::command::{strata, workspace};

/// Where each loop of a scheduled program ends: `…` for one that has no limit.
fn ends(name: &str, bounds: &str) -> Vec<(String, String)> {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join(format!("tests/sizes/{name}.mlir"));
    let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
    let arguments = [&arguments[..], &["--max", bounds, "--to", "schedule", "-o", "-"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    let limit = |line: &str| {
        let found = line.split_once("strata.limit = ");
        found.map_or_else(
            || "…".to_owned(),
            |(_, limit)| limit[..limit.find('}').unwrap()].to_owned(),
        )
    };
    let mut lines = text.lines().peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let kind = ["linalg.generic", "tensor.pad"].into_iter().find(|kind| line.contains(kind));
        let Some(kind) = kind else { continue };
        // The attributes of a pad follow its region.
        let with_limit = match kind {
            "tensor.pad" => lines.find(|line| line.starts_with("    }")).unwrap_or_default(),
            _ => line,
        };
        if line.contains("iterator_types = []") {
            continue;
        }
        found.push((kind.to_owned(), limit(with_limit)));
    }
    found
}

/// A window whose padding depends on the size is moved by one pad and one slice, and the pad makes as much as is read; the masks and
/// transposes before a sum over all rows end with it.
#[test]
fn what_moved_windows_and_sums_read_ends_at_the_size() {
    let all = ends("strided_images", "x.1=40,x.2=44");
    let pads = all.iter().filter(|(kind, _)| kind == "tensor.pad");
    assert_eq!(pads.count(), 2, "{all:?}");
    assert!(all.iter().all(|(_, limit)| limit != "…"), "{all:?}");
}
