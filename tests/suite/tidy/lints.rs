//! The lints that docs/ARCHITECTURE.md relies on are on, in every crate.

use super::{crates, sources, text};

const LINTS: [&str; 3] =
    ["undocumented_unsafe_blocks", "iter_over_hash_type", "disallowed_methods"];

#[test]
fn every_crate_has_the_lints_of_the_workspace() {
    let manifests = crates().into_iter().map(|name| format!("crates/{name}/Cargo.toml"));
    for manifest in
        manifests.chain(["tests/Cargo.toml".to_owned(), "benches/Cargo.toml".to_owned()])
    {
        assert!(text(&manifest).contains("[lints]\nworkspace = true\n"), "{manifest}");
    }
}

/// `scripts/test.sh` runs clippy, which checks what no text search can.
#[test]
fn clippy_asks_for_safety_comments_and_against_the_order_of_hash_maps() {
    let workspace = text("Cargo.toml");
    let lints = workspace.split("[workspace.lints.clippy]").nth(1).expect("lints of clippy");
    for lint in LINTS {
        assert!(lints.contains(&format!("{lint} = \"deny\"")), "`{lint}` is not denied");
    }
    let settings = text("clippy.toml");
    for map in ["HashMap", "HashSet"] {
        for method in ["iter", "drain", "retain"] {
            let path = format!("std::collections::{map}::{method}\"");
            assert!(settings.contains(&path), "clippy.toml does not name {path}");
        }
    }
    assert!(text("scripts/test.sh").contains("cargo clippy"), "nothing runs clippy");
}

/// Where one of these is switched off, the reason is stated.
#[test]
fn exceptions_have_reasons() {
    let mut silent = Vec::new();
    for source in ["crates", "tests", "benches"].into_iter().flat_map(sources) {
        for lint in LINTS {
            for (at, _) in source.text.match_indices(&format!("(clippy::{lint}")) {
                let rest = source.text[at..].split(']').next().unwrap_or_default();
                if !rest.contains("reason = ") {
                    silent.push(format!("{}: {rest}", source.path));
                }
            }
        }
    }
    assert!(silent.is_empty(), "exceptions without a reason: {silent:#?}");
}
