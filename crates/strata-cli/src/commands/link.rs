//! The functions outside of a program that the command line offers.

use std::path::PathBuf;

use strata::{Convention, Linked};
use strata_diag::{Diagnostic, codes};

use crate::args::LinkArgs;

/// What to do about functions that are missing.
pub const HINT: &str = "`--link FILE.so` loads a library that defines them; `--link-runtime` takes JAX's \
                        `lapack_*_ffi` from Strata's own";

/// Everything that may be called.
///
/// # Errors
/// `S0002` for a library that cannot be loaded.
pub fn linked(args: &LinkArgs) -> Result<Linked, Diagnostic> {
    let mut linked = libraries(&args.libraries)?;
    if args.link_runtime {
        add_runtime(&mut linked);
    }
    Ok(linked)
}

/// The functions of shared libraries.
///
/// # Errors
/// As [`linked`].
pub fn libraries(paths: &[PathBuf]) -> Result<Linked, Diagnostic> {
    let mut linked = Linked::default();
    paths.iter().try_for_each(|path| linked.open(path))?;
    Ok(linked)
}

/// Adds the functions of the run-time library.
pub fn add_runtime(linked: &mut Linked) {
    for (name, target) in strata_runtime::TARGETS {
        linked.define(name, *target as *const _);
    }
}

/// The run-time library as a file for the system's linker: beside this command, or in `lib` beside its
/// folder.
///
/// # Errors
/// `S1702` where it is in neither place.
pub fn runtime_archive() -> Result<PathBuf, Diagnostic> {
    const NAME: &str = "libstrata_runtime.a";
    let command = std::env::current_exe().ok();
    let folder = command.as_deref().and_then(|path| path.parent());
    let places = folder.map(|folder| [folder.join(NAME), folder.join("../lib").join(NAME)]);
    places.into_iter().flatten().find(|place| place.is_file()).ok_or_else(|| {
        Diagnostic::new(codes::S1702)
            .reason(format!("`{NAME}` is neither beside this command nor in `../lib`"))
            .hint("`cargo build -p strata-runtime` makes it")
    })
}

/// Refuses a program that calls what nobody offers.
///
/// # Errors
/// `S1703` naming all that is missing.
pub fn check(
    linked: &Linked,
    foreign: &[(String, Convention)],
    hint: &str,
) -> Result<(), Diagnostic> {
    let symbols = foreign.iter().filter(|(_, convention)| !convention.is_host_transfer());
    let missing: Vec<_> = symbols
        .filter(|(name, _)| linked.find(name).is_none())
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Diagnostic::new(codes::S1703)
        .reason(format!("the program calls {}, which nothing defines", missing.join(", ")))
        .hint(hint))
}
