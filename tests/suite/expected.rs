//! Programs that say what they compute: truth that neither engine has from the other.

use std::path::Path;

use crate::command::strata;

#[test]
fn both_engines_compute_what_the_programs_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ended = strata(folder, &["test", "--engine", "both", "expected"]);
    let last = ended.text().lines().last().unwrap_or_default().to_owned();
    assert_eq!(ended.code, 0, "{}{}", ended.text(), ended.stderr);
    assert!(last.ends_with(", 0 failed, 0 skipped") && !last.starts_with("0 "), "{last}");
}
