//! What `--version` prints.

use std::fmt::Write as _;

use strata::Target;
use strata_vhlo::Version;

/// The version, then the commit that it was built from (if it was built in a checkout), the versions of its components,
/// and the default target.
pub fn long() -> String {
    let mut text = format!("{} (", env!("CARGO_PKG_VERSION"));
    if let Some(commit) = option_env!("STRATA_COMMIT") {
        let _ = write!(text, "commit {commit}, ");
    }
    let (llvm, stablehlo) = (strata::target::llvm_version(), Version::NEWEST);
    let target = Target::x86_64_baseline();
    let _ =
        write!(text, "LLVM {llvm}, StableHLO {stablehlo}, for {} {})", target.triple, target.cpu);
    text
}

/// The version and the commit: what measurements are kept under.
pub fn key() -> String {
    match option_env!("STRATA_COMMIT") {
        Some(commit) => format!("{} {commit}", env!("CARGO_PKG_VERSION")),
        None => env!("CARGO_PKG_VERSION").to_owned(),
    }
}
