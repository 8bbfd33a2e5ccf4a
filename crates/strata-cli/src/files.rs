//! Files and standard streams: files are read whole, and written atomically.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use strata_diag::{Code, Diagnostic, Location, codes};

/// What was read from standard input, kept for reproducers because it cannot be read twice.
static PIPED: OnceLock<Vec<u8>> = OnceLock::new();

/// What was read of standard input, if anything was.
pub fn piped() -> Option<&'static [u8]> {
    PIPED.get().map(Vec::as_slice)
}

/// Whether the path is `-`.
pub fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// How locations name the file.
pub fn display_name(path: &Path) -> String {
    if is_standard_stream(path) {
        "<stdin>".to_owned()
    } else {
        path.to_string_lossy().into_owned()
    }
}

/// The content of a file, or of standard input for `-`.
///
/// # Errors
/// `S0002`.
pub fn read(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let result = if is_standard_stream(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| PIPED.get_or_init(|| bytes).clone())
    } else {
        fs::read(path)
    };
    result.map_err(|error| failed(codes::S0002, path, &error))
}

/// Writes a temporary file next to the target and renames it, so that a reader sees the old file or the
/// new one. `-` is standard output. Devices and pipes are written directly.
///
/// # Errors
/// `S0003`.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    write_together(&[Output { path, parts: vec![bytes], is_executable: false }])
}

/// A file to be written: its content in pieces that need not be joined in memory.
pub struct Output<'a> {
    pub path: &'a Path,
    pub parts: Vec<&'a [u8]>,
    pub is_executable: bool,
}

/// Writes several files as [`write()`] does: none appears where the content of one cannot be written.
///
/// # Errors
/// `S0003`.
pub fn write_together(outputs: &[Output<'_>]) -> Result<(), Diagnostic> {
    let is_direct = |path: &Path| is_standard_stream(path) || is_special(path);
    let mut complete = Vec::new();
    for output in outputs.iter().filter(|output| !is_direct(output.path)) {
        let written = prepare(output).map_err(|error| failed(codes::S0003, output.path, &error))?;
        complete.push((output.path, written));
    }
    for output in outputs.iter().filter(|output| is_direct(output.path)) {
        match is_standard_stream(output.path) {
            true => output.parts.iter().try_for_each(|bytes| print(bytes))?,
            false => File::options()
                .write(true)
                .open(output.path)
                .and_then(|mut file| {
                    output.parts.iter().try_for_each(|bytes| file.write_all(bytes))
                })
                .map_err(|error| failed(codes::S0003, output.path, &error))?,
        }
    }
    for (path, (file, target)) in complete {
        file.persist(&target).map_err(|error| failed(codes::S0003, path, &error.error))?;
    }
    Ok(())
}

/// Writes to standard output; a closed pipe (`| head`) is not an error.
///
/// # Errors
/// `S0003`.
pub fn print(bytes: &[u8]) -> Result<(), Diagnostic> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(failed(codes::S0003, Path::new("<stdout>"), &error))
        }
        _ => Ok(()),
    }
}

/// Checks the output paths before the work is done. Outputs that would overwrite the input or one
/// another are rejected.
///
/// # Errors
/// `S0001`, and `S0003` where a folder is missing.
pub fn check_outputs(input: &Path, outputs: &[&Path]) -> Result<(), Diagnostic> {
    // A file that does not exist yet is compared by name.
    let place = |path: &Path| fs::canonicalize(path).or_else(|_| std::path::absolute(path)).ok();
    if outputs.iter().filter(|path| is_standard_stream(path)).count() > 1 {
        return Err(Diagnostic::new(codes::S0001)
            .reason("two outputs go to standard output")
            .hint("give each output its own file"));
    }
    let mut taken = vec![("the input", place(input))];
    for output in outputs.iter().filter(|path| !is_standard_stream(path) && !is_special(path)) {
        let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(error) = folder.and_then(|folder| fs::metadata(folder).err()) {
            return Err(failed(codes::S0003, output, &error));
        }
        let at = place(output);
        if let Some((what, _)) = taken.iter().find(|(_, other)| at.is_some() && *other == at) {
            return Err(Diagnostic::new(codes::S0001)
                .reason(format!("`{}` is {what} and would be overwritten", output.display()))
                .hint("give each output its own file"));
        }
        taken.push(("another output", at));
    }
    Ok(())
}

/// A device or a pipe, to which many may write.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The path from the root, for a process that works in another folder.
///
/// # Errors
/// `S0002`.
pub fn absolute(path: &Path) -> Result<PathBuf, Diagnostic> {
    std::path::absolute(path).map_err(|error| failed(codes::S0002, path, &error))
}

/// Makes a folder and those above it.
///
/// # Errors
/// `S0003`.
pub fn create_folder(path: &Path) -> Result<(), Diagnostic> {
    fs::create_dir_all(path).map_err(|error| {
        if path.is_file() {
            return Diagnostic::new(codes::S0003)
                .at(Location::file(path.to_string_lossy()))
                .reason("expected a folder, but this is a file");
        }
        failed(codes::S0003, path, &error)
    })
}

/// The temporary file with the content, and the target.
fn prepare(output: &Output<'_>) -> io::Result<(tempfile::NamedTempFile, PathBuf)> {
    let path = output.path;
    // A folder in the way is reported before the work, not by a failing rename.
    if path.is_dir() {
        return Err(io::Error::from(ErrorKind::IsADirectory));
    }
    // Through a symbolic link, its target is replaced and the link stays.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let permissions = fs::metadata(&target).map(|found| found.permissions()).ok();
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(io::Error::from(ErrorKind::PermissionDenied));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".strata-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Like `open`, apply the umask; tempfile's own default is private.
        let mode = if output.is_executable { 0o777 } else { 0o666 };
        builder.permissions(permissions.unwrap_or_else(|| fs::Permissions::from_mode(mode)));
    }
    let mut file = builder.tempfile_in(folder)?;
    output.parts.iter().try_for_each(|bytes| file.write_all(bytes))?;
    file.as_file().sync_data()?;
    Ok((file, target))
}

/// The file, opened to be mapped.
///
/// # Errors
/// `S0002`.
pub fn open(path: &Path) -> Result<File, Diagnostic> {
    File::open(path).map_err(|error| failed(codes::S0002, path, &error))
}

fn failed(code: Code, path: &Path, error: &io::Error) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(code).at(Location::file(display_name(path))).reason(system_text(error));
    if code == codes::S0002 {
        return unreadable(diagnostic, path, error);
    }
    let folder_is_missing = code == codes::S0003
        && error.kind() == ErrorKind::NotFound
        && path.parent().is_some_and(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    if folder_is_missing { diagnostic.hint("create the folder first") } else { diagnostic }
}

/// The maximum number of folder entries examined.
const MOST_ENTRIES: usize = 10_000;

/// Suggests a similar name for a file that cannot be read.
fn unreadable(diagnostic: Diagnostic, path: &Path, error: &io::Error) -> Diagnostic {
    if path.is_dir() {
        let mut programs = names(path);
        programs.retain(|name| name.ends_with(".mlir") || name.ends_with(".mlirbc"));
        programs.sort();
        let diagnostic = diagnostic.reason("this is a folder, not a file");
        return match programs.first() {
            Some(name) => diagnostic
                .hint(format!("name a file in it, such as `{}`", path.join(name).display())),
            None => diagnostic,
        };
    }
    if error.kind() != ErrorKind::NotFound {
        return diagnostic;
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        let missing = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let missing = missing.take_while(|folder| !folder.exists()).last().unwrap_or(folder);
        return diagnostic.reason(format!("there is no folder `{}`", missing.display()));
    }
    let diagnostic = diagnostic.reason("there is no such file");
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return diagnostic };
    let names = names(folder);
    let same_stem = || {
        let stem = Path::new(name).file_stem();
        names.iter().map(String::as_str).filter(move |other| Path::new(other).file_stem() == stem)
    };
    let mut near = strata_diag::near(name, names.iter().map(String::as_str));
    near.extend(same_stem());
    near.dedup();
    let near: Vec<_> = near
        .iter()
        .take(3)
        .map(|name| format!("`{}`", path.with_file_name(name).display()))
        .collect();
    match near.is_empty() {
        true => diagnostic,
        false => diagnostic.hint(format!("did you mean {}?", near.join(" or "))),
    }
}

/// The names in a folder that are valid UTF-8.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().take(MOST_ENTRIES).flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The system's own message, without the name of the temporary file that `tempfile` adds.
fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{read, write};
    use std::fs;
    use strata_diag::codes;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let path = place.path().join("out.o");
        write(&path, b"first").expect("written");
        write(&path, b"second").expect("replaced");
        assert_eq!(read(&path).expect("read"), b"second");
        assert_eq!(fs::read_dir(place.path()).expect("listed").count(), 1);
    }

    #[test]
    fn a_missing_folder_is_told_with_a_hint() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let error = write(&place.path().join("no/out.o"), b"x").expect_err("no folder");
        assert_eq!(error.code(), codes::S0003);
        assert_eq!(error.hint_text(), Some("create the folder first"));
        assert_eq!(error.reason_text(), Some("No such file or directory (os error 2)"));
        let error = write(place.path(), b"x").expect_err("a folder is in the way");
        assert_eq!(error.code(), codes::S0003);
    }

    #[test]
    fn a_missing_file_is_told_with_those_that_are_near() {
        let place = tempfile::tempdir().expect("a temporary folder");
        fs::write(place.path().join("model.mlir"), "").expect("written");
        let failed = |path: &str| read(&place.path().join(path)).expect_err("not there");
        let hint = |path: &str| failed(path).hint_text().unwrap_or_default().to_owned();
        assert!(hint("modle.mlir").contains("model.mlir`?"));
        assert!(hint("model.mlirbc").contains("model.mlir`?"));
        assert!(hint("").contains("such as"));
        assert_eq!(hint("weights.npz"), "");
        let reason = failed("no/where/model.mlir").reason_text().unwrap_or_default().to_owned();
        assert!(reason.starts_with("there is no folder") && reason.ends_with("/no`"), "{reason}");
    }

    #[cfg(unix)]
    #[test]
    fn a_read_only_file_and_a_link_are_respected() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let place = tempfile::tempdir().expect("a temporary folder");
        let file = place.path().join("file");
        let link = place.path().join("link");
        fs::write(&file, "old").expect("written");
        symlink(&file, &link).expect("linked");
        write(&link, b"new").expect("written through the link");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read(&file).expect("read"), b"new");

        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("set");
        let error = write(&file, b"newer").expect_err("read-only");
        assert_eq!(error.code(), codes::S0003);
        assert_eq!(fs::read(&file).expect("read"), b"new");
    }
}
