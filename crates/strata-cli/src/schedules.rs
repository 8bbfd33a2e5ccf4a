//! Files of schedules as an option of a compilation.

use std::path::Path;

use strata::Options;
use strata_diag::{Diagnostic, Location, codes};

use crate::files;

/// Compiles with the schedules of a file, as `--schedule` does.
///
/// # Errors
/// `S0002` for a file that cannot be read, `S1302` for one that is neither an object of JSON nor a module of MLIR. What is in it is read when
/// a program is compiled.
pub fn give(options: &mut Options, path: &Path) -> Result<(), Diagnostic> {
    let wrong = |reason: &str| {
        Err(Diagnostic::new(codes::S1302)
            .at(Location::file(files::display_name(path)))
            .reason(reason)
            .hint("`strata tune` and `strata schedule --format json` write such files, `strata schedule` writes a schedule in the transform dialect"))
    };
    let Ok(text) = String::from_utf8(files::read(path)?) else {
        return wrong("it is not text in UTF-8");
    };
    // Some editors begin files with a mark.
    let text = text.trim_start_matches('\u{feff}');
    match text.trim_start().chars().next() {
        None => return wrong("it is empty"),
        Some(first @ ('[' | '"')) => {
            return wrong(&format!(
                "it begins with `{first}`, but schedules are one object of JSON"
            ));
        }
        Some(_) => {}
    }
    options.schedule = Some(text.to_owned());
    options.schedule_name = Some(files::display_name(path));
    Ok(())
}
