//! Programs that are mapped instead of read: their constants are then in memory once, and only while they are used.
//!
//! Such a file must not be written to meanwhile, which a compiler cannot prevent: what is cut off kills the process with SIGBUS,
//! and other bytes would be compiled unchecked. The supervisor recognises the first, and the second is an error before
//! anything is written. Replacing a file (`mv`, and what writes as this command does) does not change the one that is mapped.

use std::borrow::Cow;
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use strata_diag::{Diagnostic, Location, codes};

use crate::files::{self, display_name};

/// Smaller files are read: a copy of them costs nothing that matters.
const LEAST: u64 = 16 << 20;

/// What tells that a file was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn new(found: &Metadata) -> Self {
        Self { size: found.len(), modified: found.modified().ok() }
    }

    /// The stamp of a regular file.
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().filter(Metadata::is_file).map(|found| Self::new(&found))
    }
}

/// A file that is mapped, as it was.
struct Mapped {
    path: PathBuf,
    file: File,
    stamp: Stamp,
}

impl Mapped {
    /// The content of a large regular file. `None` for others, and where the file system can only read.
    fn new(path: &Path) -> Option<(&'static [u8], Self)> {
        let is_large = Stamp::of(path).is_some_and(|stamp| stamp.size >= LEAST);
        let file = is_large.then(|| File::open(path).ok()).flatten()?;
        let stamp = Stamp::new(&file.metadata().ok()?);
        let bytes = strata_ir::map_file(&file).ok()?;
        Some((bytes, Self { path: path.to_owned(), file, stamp }))
    }

    fn is_changed(&self) -> bool {
        self.file.metadata().map_or(true, |found| Stamp::new(&found) != self.stamp)
    }
}

static ALL: Mutex<Vec<Mapped>> = Mutex::new(Vec::new());

/// The content of a program's file as [`files::read`] has it.
///
/// # Errors
/// As there.
pub fn read(path: &Path) -> Result<Cow<'static, [u8]>, Diagnostic> {
    let is_stream = files::is_standard_stream(path);
    match (!is_stream).then(|| Mapped::new(path)).flatten() {
        Some((bytes, mapped)) => {
            files::check_head(path, bytes)?;
            ALL.lock().unwrap_or_else(PoisonError::into_inner).push(mapped);
            Ok(Cow::Borrowed(bytes))
        }
        None => files::read(path).map(Cow::Owned),
    }
}

/// Checks that no file was written to while it was mapped.
///
/// # Errors
/// `S0002`.
pub fn check_unchanged() -> Result<(), Diagnostic> {
    let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter().find(|one| one.is_changed()).map_or(Ok(()), |one| Err(changed(&one.path)))
}

/// The error about a file that was written to.
pub fn changed(path: &Path) -> Diagnostic {
    Diagnostic::new(codes::S0002)
        .at(Location::file(display_name(path)))
        .reason("another process wrote to the file while it was in use")
        .hint("write programs to a new file, and rename it when it is complete")
}

#[cfg(test)]
mod tests {
    use super::{LEAST, Mapped, Stamp};
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;

    #[test]
    fn a_mapped_file_is_not_to_change() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large.mlir");
        let text = "// \n".repeat(LEAST as usize / 4);
        fs::write(&path, &text).expect("written");
        let (bytes, mapped) = Mapped::new(&path).expect("mapped");
        assert_eq!(bytes, text.as_bytes());
        assert!(!mapped.is_changed());
        // Another file of the same name is not the one that is mapped.
        let (before, other) = (Stamp::of(&path), folder.path().join("other"));
        fs::write(&other, "x").expect("written");
        fs::rename(&other, &path).expect("replaced");
        assert!(!mapped.is_changed());
        assert_ne!(Stamp::of(&path), before);
        assert!(Mapped::new(&path).is_none(), "small files are read");

        fs::write(&path, &text).expect("written");
        let (_, mapped) = Mapped::new(&path).expect("mapped");
        let mut file = OpenOptions::new().append(true).open(&path).expect("opened");
        file.write_all(b"// more\n").expect("written");
        assert!(mapped.is_changed());
    }
}
