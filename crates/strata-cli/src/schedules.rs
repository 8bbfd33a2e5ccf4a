//! Files of schedules as an option of a compilation.

use std::path::Path;

use strata::Options;
use strata_diag::{Diagnostic, codes};

use crate::files;

/// Compiles with the schedules of a file, as `--schedule` does.
///
/// # Errors
/// `S0002` for a file that cannot be read, `S0001` for one that is not text. What is in it is read when a program is compiled.
pub fn give(options: &mut Options, path: &Path) -> Result<(), Diagnostic> {
    let text = String::from_utf8(files::read(path)?).map_err(|_| {
        Diagnostic::new(codes::S0001)
            .reason(format!("the schedule `{}` is not valid UTF-8", path.display()))
    })?;
    options.schedule = Some(text);
    options.schedule_name = Some(files::display_name(path));
    Ok(())
}
