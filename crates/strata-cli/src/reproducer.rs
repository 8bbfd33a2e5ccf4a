//! Keeps what is needed to see a bug again: the program, the command and the message.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use crate::files;

/// What to do with a reproducer.
pub const HINT: &str = "this is a defect of Strata: please report it with the reproducer";

/// Names the folder for reproducers where no option does.
const VARIABLE: &str = "STRATA_CRASH_DIR";

/// The folder that the option names, or the environment.
pub fn folder(option: Option<&Path>) -> Option<PathBuf> {
    let variable = || env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    option.map(Path::to_owned).or_else(variable)
}

/// [`write()`] for a program that still lies in its file. What came through standard input is gone by now.
pub fn write_file(
    place: Option<&Path>,
    arguments: &[OsString],
    program: Option<&Path>,
    message: &str,
) -> String {
    let bytes = program
        .filter(|path| !files::is_standard_stream(path))
        .and_then(|path| fs::read(path).ok());
    write(place, arguments, bytes.as_deref(), message)
}

/// Writes a folder `strata-bug-<hash>` to `place`, which is here unless it is said, or where temporary files go, and says
/// where it is.
pub fn write(
    place: Option<&Path>,
    arguments: &[OsString],
    program: Option<&[u8]>,
    message: &str,
) -> String {
    let mut hasher = DefaultHasher::new();
    arguments.hash(&mut hasher);
    program.hash(&mut hasher);
    let name = format!("strata-bug-{:016x}", hasher.finish());
    let here = place.map_or_else(|| PathBuf::from(&name), |place| place.join(&name));
    let folders = [here, env::temp_dir().join(&name)];
    for folder in folders {
        if fill(&folder, arguments, program, message).is_ok() {
            return format!("a reproducer was written to `{}`", folder.display());
        }
    }
    "no reproducer could be written".to_owned()
}

fn fill(
    folder: &Path,
    arguments: &[OsString],
    program: Option<&[u8]>,
    message: &str,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let words: Vec<String> = arguments.iter().map(|word| quote(&word.to_string_lossy())).collect();
    fs::write(folder.join("command.txt"), words.join(" ") + "\n")?;
    fs::write(folder.join("message.txt"), format!("{message}\n"))?;
    if let Some(bytes) = program {
        let extension = if bytes.starts_with(b"ML\xefR") { "mlirbc" } else { "mlir" };
        fs::write(folder.join("input").with_extension(extension), bytes)?;
    }
    Ok(())
}

/// The word as a shell reads it.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{fill, folder, quote, write};

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quote("a-b.mlir"), "a-b.mlir");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("it's"), r"'it'\''s'");
    }

    #[test]
    fn a_folder_that_is_named_is_made() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let named = place.path().join("not/yet");
        assert_eq!(folder(Some(&named)).as_deref(), Some(named.as_path()));
        let note = write(Some(&named), &["strata".into()], Some(b"module {}"), "it broke");
        let (_, rest) = note.split_once('`').expect("a place");
        let bug = Path::new(rest.trim_end_matches('`'));
        assert_eq!(bug.parent(), Some(named.as_path()));
        assert!(bug.join("input.mlir").is_file(), "{note}");
    }

    #[test]
    fn the_folder_holds_everything() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let folder = place.path().join("bug");
        let command = ["strata".into(), "compile".into(), "my model.mlir".into()];
        fill(&folder, &command, Some(b"module {}"), "it broke").expect("written");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
        assert_eq!(read("command.txt"), "strata compile 'my model.mlir'\n");
        assert_eq!(read("message.txt"), "it broke\n");
        assert_eq!(read("input.mlir"), "module {}");
    }
}
