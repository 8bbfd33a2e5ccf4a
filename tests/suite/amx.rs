//! Dots on the tiles of AMX, by an emulator of its instructions (`tests/amx/emulator.c`), so that any x86-64 runs them.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// Compiles a file of `tests/amx`; where it is, for as long as the process lives.
fn built(file: &str, flags: &[&str]) -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder"));
    let made = folder.path().join(file).with_extension("built");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("amx").join(file);
    let cc = Command::new("cc")
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"])
        .args(flags)
        .arg("-o")
        .args([&made, &source])
        .args(["-lm", "-lpthread"])
        .output()
        .expect("cc runs");
    assert!(cc.status.success(), "{}", String::from_utf8_lossy(&cc.stderr));
    made
}

/// The emulator, as a shared library; `None` where there is nothing to emulate.
pub fn emulator() -> Option<PathBuf> {
    let is_possible = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    if !is_possible {
        eprintln!("not run: AMX is emulated on Linux for x86-64 only");
    }
    is_possible.then(|| built("emulator.c", &["-mfma", "-fPIC", "-shared"]))
}

/// Each instruction, each kind of operand, and what must end the process.
#[test]
fn the_emulator_does_what_the_manual_says() {
    let Some(emulator) = emulator() else { return };
    let check = built("check.c", &[]);
    for (answer, argument) in [("right", "all"), ("refused", "refused")] {
        let found = Command::new(&check)
            .arg(argument)
            .env("LD_PRELOAD", &emulator)
            .env("STRATA_AMX", if answer == "refused" { "refuse" } else { "" })
            .output()
            .expect("it runs");
        assert_eq!(String::from_utf8_lossy(&found.stdout).trim(), answer, "{found:?}");
    }
}
