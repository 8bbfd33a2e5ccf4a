//! The external functions that the command line provides.

use std::path::PathBuf;

use strata_diag::{Diagnostic, codes};
use strata_run::Linked;

use crate::args::LinkArgs;

/// The hint for functions that are missing when the program runs here.
pub const HINT: &str = "`--link FILE.so` loads a library of external functions";

/// The hint for functions that an executable or a library lacks.
const EMIT_HINT: &str = "`--link FILE.so` links a library of external functions";

/// The same if Strata's run-time library has them.
const RUNTIME_HINT: &str = "`--link-runtime` links Strata's run-time library, which has JAX's `lapack_*_ffi`; `--link FILE.so` \
                            a library of your own";

/// Everything that may be called by a program that runs here: the functions of the given libraries, then those of the
/// run-time library, which is in this command.
///
/// # Errors
/// `S0002` for a library that cannot be loaded.
pub fn linked(args: &LinkArgs) -> Result<Linked, Diagnostic> {
    let mut linked = libraries(&args.libraries)?;
    linked.offer(strata_runtime::TARGETS);
    Ok(linked)
}

/// Everything that is linked to an executable or a library: of the run-time library nothing unless it is asked for.
///
/// # Errors
/// As [`linked`].
pub fn linked_if_asked(args: &LinkArgs) -> Result<Linked, Diagnostic> {
    if args.link_runtime { linked(args) } else { libraries(&args.libraries) }
}

/// What to do about a program that calls what is not linked to an executable or a library.
pub fn emit_hint(args: &LinkArgs) -> &'static str {
    if args.link_runtime { EMIT_HINT } else { RUNTIME_HINT }
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
            .reason(format!("`{NAME}` is neither next to this command nor in `../lib`"))
            .hint("`cargo build -p strata-runtime` builds it")
    })
}
