//! Several arrays in one file, as `numpy.savez` writes them: a zip archive of `.npy` files.

use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;

use strata_diag::{Diagnostic, Location, codes};
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::files;

/// The arrays in a file by name, each as the bytes of an `.npy` file of at most `limit`.
///
/// # Errors
/// `S0002` where the file cannot be read, `S1804` where it is not such an archive.
pub fn read(path: &Path, limit: u64) -> Result<Vec<(String, Vec<u8>)>, Diagnostic> {
    let damaged = |reason: String| {
        Diagnostic::new(codes::S1804)
            .at(Location::file(files::display_name(path)))
            .reason(reason)
            .hint("`numpy.savez` writes such files")
    };
    let bytes = files::read(path)?;
    let mut archive =
        ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(error.to_string()))?;
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).map_err(|error| damaged(error.to_string()))?;
        let name = member.name().to_owned();
        let Some(name) = name.strip_suffix(".npy") else {
            return Err(damaged(format!("its member `{name}` is not an array")));
        };
        // The size in the archive may be wrong, and decompressed data may be of any size.
        let mut bytes = Vec::new();
        let mut start = member.by_ref().take(limit.saturating_add(1));
        start.read_to_end(&mut bytes).map_err(|error| damaged(format!("`{name}`: {error}")))?;
        if bytes.len() as u64 > limit {
            return Err(damaged(format!(
                "its member `{name}` is larger than any input of the program"
            )));
        }
        arrays.push((name.to_owned(), bytes));
    }
    Ok(arrays)
}

/// Writes arrays, each as the bytes of an `.npy` file. The same arrays give the same bytes.
///
/// # Errors
/// `S0003`.
pub fn write(path: &Path, arrays: &[(String, Vec<u8>)]) -> Result<(), Diagnostic> {
    let failed = |error: String| {
        Diagnostic::new(codes::S0003).at(Location::file(files::display_name(path))).reason(error)
    };
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    for (name, bytes) in arrays {
        let options = options.large_file(bytes.len() >= 1 << 31);
        archive
            .start_file(format!("{name}.npy"), options)
            .map_err(|error| failed(error.to_string()))?;
        archive.write_all(bytes).map_err(|error| failed(error.to_string()))?;
    }
    let bytes = archive.finish().map_err(|error| failed(error.to_string()))?;
    files::write(path, &bytes.into_inner())
}
