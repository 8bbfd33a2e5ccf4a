//! What of the world outside the compiler looks at: files, the environment, the host's processor.

use super::{Source, crates, sources};

/// A place that may, and why.
type Allowed = (&'static str, &'static str);

/// Files.
const FILES: &[Allowed] = &[
    ("crates/strata-cli/", "the command"),
    ("crates/strata-build/", "for build scripts, which write files"),
    ("crates/strata-fuzz/", "a tool, which keeps what it found"),
    ("crates/strata-codegen/src/caches.rs", "the host's caches, for `--target-cpu native`"),
    ("crates/strata-run/src/loaded.rs", "maps a file of weights that its caller opened"),
    ("crates/strata-run/src/library.rs", "loads a shared library that its caller names"),
    ("crates/strata-run/src/shared.rs", "gives the C compiler an object in a temporary folder"),
    (
        "crates/strata-python/src/library.rs",
        "writes the shared library that a user of the Python package asks for",
    ),
    ("crates/strata-run/src/sampling/threads.rs", "asks Linux for the threads of this process"),
    ("crates/strata-profile/src/limits.rs", "asks Linux for the sizes of the host's caches"),
    ("crates/strata-run/src/worker.rs", "asks Linux for the number of threads of this process"),
];

/// Variables of the environment.
const ENVIRONMENT: &[Allowed] = &[
    ("crates/strata-cli/", "the command"),
    ("crates/strata-build/", "what Cargo tells build scripts"),
    ("crates/strata-ir/src/faults.rs", "planted faults, which no release has"),
];

/// The processor that runs the compiler.
const HOST: &[Allowed] = &[
    ("crates/strata-codegen/src/caches.rs", "for `--target-cpu native`"),
    ("crates/strata-profile/src/limits.rs", "the sizes of arrays that no cache holds"),
    ("crates/strata-codegen/src/target.rs", "for `--target-cpu native`"),
    (
        "crates/strata-cli/src/commands/tune/database.rs",
        "what was measured is of the processor that measured it",
    ),
    ("crates/strata-fuzz/", "which other levels of x86-64 it can run"),
];

/// Fails where one of `words` stands in the code of a crate, tests aside, that is not `allowed`, or where what is allowed has none.
fn only(allowed: &[Allowed], words: &[&str], what: &str) {
    let speaks = |source: &Source| {
        let line = source.code().find(|(_, line)| words.iter().any(|word| line.contains(word)));
        line.map(|(at, line)| format!("{}:{at}: {}", source.path, line.trim()))
    };
    let all: Vec<_> = crates()
        .iter()
        .flat_map(|name| sources(&format!("crates/{name}/src")))
        .filter(|source| !source.path.ends_with("/tests.rs"))
        .filter_map(|source| speaks(&source))
        .collect();
    let is_allowed = |found: &&String| allowed.iter().any(|(place, _)| found.starts_with(place));
    let wrong: Vec<_> = all.iter().filter(|found| !is_allowed(found)).collect();
    assert!(wrong.is_empty(), "{what} where nothing is allowed it:\n{wrong:#?}");
    for (place, because) in allowed {
        let is_used = all.iter().any(|found| found.starts_with(place));
        assert!(is_used, "{place} may use {what} ({because}), and does not");
    }
}

#[test]
fn only_the_command_and_the_tools_read_and_write_files() {
    only(FILES, &["std::fs", "fs::", "File::open", "File::create", "OpenOptions"], "files");
}

#[test]
fn only_the_command_and_the_tools_look_at_the_environment() {
    only(
        ENVIRONMENT,
        &["env::var", "env::vars", "env::args", "env::current_dir"],
        "the environment",
    );
}

#[test]
fn the_host_is_looked_at_for_native_only() {
    let words = [
        "get_host_cpu",
        "caches::of_host",
        "/sys/devices",
        "is_x86_feature_detected",
        "/proc/cpuinfo",
    ];
    only(HOST, &words, "the host's processor");
}
