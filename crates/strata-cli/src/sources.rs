//! The source files that a page of `strata explore` shows.

use std::{
    fs,
    path::{Path, PathBuf},
};

use strata_diag::{Diagnostic, Location, codes};
use strata_explore::Exploration;

use crate::files;

/// Source files of more bytes are not shown.
const MOST_BYTES: u64 = 8 << 20;

/// The folders whose files may be shown, without links.
///
/// # Errors
/// `S0002` for one that is not there.
pub fn folders(given: &[PathBuf]) -> Result<Vec<PathBuf>, Diagnostic> {
    let folder = |path: &PathBuf| {
        let failed = |reason: String| {
            Diagnostic::new(codes::S0002)
                .at(Location::file(files::display_name(path)))
                .reason(reason)
                .hint("--sources takes a folder with source files")
        };
        let full = fs::canonicalize(path).map_err(|error| failed(error.to_string()))?;
        match full.is_dir() {
            true => Ok(full),
            false => Err(failed("this is not a folder".to_owned())),
        }
    };
    given.iter().map(folder).collect()
}

/// Adds the program itself, if it is text, and the files that it names and that are in one of the folders. Others are left out, as those
/// that cannot be read are: a program may name any file.
#[must_use]
pub fn add(
    mut found: Exploration,
    (name, program): (&str, &[u8]),
    folders: &[PathBuf],
) -> Exploration {
    if program.len() as u64 <= MOST_BYTES
        && let Ok(text) = std::str::from_utf8(program)
    {
        found = found.with_source(name, text);
    }
    for file in found.files().clone() {
        let candidates = folders.iter().map(|folder| folder.join(&file));
        let inside = candidates.filter_map(|path| fs::canonicalize(path).ok());
        let mut inside = inside.filter(|path| is_shown(path, folders));
        if let Some(text) = inside.next().and_then(|path| fs::read_to_string(path).ok()) {
            found = found.with_source(&file, &text);
        }
    }
    found
}

fn is_shown(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
        && fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= MOST_BYTES)
}
