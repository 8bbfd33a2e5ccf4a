//! Files and standard streams: files are read whole, and written atomically.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
};
use strata_diag::{Code, Diagnostic, Location, codes};
use strata_ir::FROM_TENSORFLOW;

use crate::mapped;

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

/// The content of a file, or of standard input for `-`. A regular file may be of any size, a pipe or device of up to
/// [`MOST_STREAMED`].
///
/// # Errors
/// `S0002`.
pub fn read(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    if is_standard_stream(path) {
        let input = io::stdin().lock();
        let is_file = is_regular(Path::new("/dev/stdin"));
        return content(path, input, is_file).map(|bytes| PIPED.get_or_init(|| bytes).clone());
    }
    let failing = |error| failed(codes::S0002, path, &error);
    if let Some(what) = unreadable_kind(&fs::metadata(path).map_err(failing)?.file_type()) {
        return Err(failed_by(codes::S0002, path, format!("this is {what}, not a file")));
    }
    content(path, File::open(path).map_err(failing)?, is_regular(path))
}

/// The most that is read from a pipe or a device, which may have no end.
const MOST_STREAMED: u64 = 4 << 30;

/// The same if what comes first is neither text nor of a known format.
const MOST_UNKNOWN: u64 = 64 << 20;

/// How many bytes show what a stream is.
const HEAD: u64 = 4096;

/// The content of a reader.
fn content(path: &Path, mut from: impl Read, is_file: bool) -> Result<Vec<u8>, Diagnostic> {
    let failing = |error| failed(codes::S0002, path, &error);
    let mut bytes = Vec::new();
    from.by_ref().take(HEAD).read_to_end(&mut bytes).map_err(failing)?;
    check_head(path, &bytes)?;
    if is_file {
        from.read_to_end(&mut bytes).map_err(failing)?;
        return Ok(bytes);
    }
    let most = if is_known(&bytes) { MOST_STREAMED } else { MOST_UNKNOWN };
    from.by_ref().take(most).read_to_end(&mut bytes).map_err(failing)?;
    if bytes.len() as u64 > most {
        let mib = most >> 20;
        let reason = match most {
            MOST_UNKNOWN => {
                format!("it begins like no program and no array, and goes on after {mib} MiB")
            }
            _ => format!("a pipe or device is read up to {} GiB, and this one goes on", mib >> 10),
        };
        return Err(failed_by(codes::S0002, path, reason).hint("give a regular file"));
    }
    Ok(bytes)
}

/// Refuses what begins with NULs only.
///
/// # Errors
/// `S0002`.
pub fn check_head(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    match bytes.get(..HEAD as usize) {
        Some(head) if head.iter().all(|byte| *byte == 0) => {
            let reason = format!(
                "its first {HEAD} bytes are NUL, which no program and no array begins with"
            );
            Err(failed_by(codes::S0002, path, reason))
        }
        _ => Ok(()),
    }
}

/// Whether a head is text, or of a format of programs or arrays.
fn is_known(head: &[u8]) -> bool {
    let formats: [&[u8]; 3] = [b"ML\xefR", b"\x93NUMPY", b"PK"];
    let is_text = match std::str::from_utf8(head) {
        Ok(_) => true,
        // A letter that the end of the head cuts.
        Err(error) => error.error_len().is_none(),
    };
    (is_text && !head.contains(&0)) || formats.iter().any(|magic| head.starts_with(magic))
}

/// The content of a regular file, for a second look; of a pipe there is none.
pub fn read_again(path: &Path) -> Option<Vec<u8>> {
    is_regular(path).then(|| fs::read(path).ok()).flatten()
}

fn is_regular(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// What cannot be read or written as a file.
#[cfg(unix)]
fn unreadable_kind(kind: &fs::FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    match () {
        () if kind.is_socket() => Some("a socket"),
        () if kind.is_block_device() => Some("a block device"),
        () => None,
    }
}

#[cfg(not(unix))]
fn unreadable_kind(_: &fs::FileType) -> Option<&'static str> {
    None
}

fn failed_by(code: Code, path: &Path, reason: String) -> Diagnostic {
    Diagnostic::new(code).at(Location::file(display_name(path))).reason(reason)
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
    mapped::check_unchanged()?;
    let is_direct = |path: &Path| is_standard_stream(path) || is_special(path);
    let mut complete = Vec::new();
    for output in outputs.iter().filter(|output| !is_direct(output.path)) {
        let written = prepare(output).map_err(|error| failed(codes::S0003, output.path, &error))?;
        complete.push((output.path, written));
    }
    for output in outputs.iter().filter(|output| is_direct(output.path)) {
        match is_standard_stream(output.path) {
            true => output.parts.iter().try_for_each(|bytes| print(bytes))?,
            false => write_special(output)?,
        }
    }
    for (path, (file, target)) in complete {
        file.persist(&target).map_err(|error| failed(codes::S0003, path, &error.error))?;
    }
    Ok(())
}

/// How long a named pipe without a reader is waited for.
const READER: Duration = Duration::from_secs(5);

/// Writes to a device or pipe. Opening a named pipe to write waits for a reader, for ever if none comes: so it is opened
/// without waiting, and what does not fit into it is written as it is read.
fn write_special(output: &Output<'_>) -> Result<(), Diagnostic> {
    let failing = |error| failed(codes::S0003, output.path, &error);
    let started = Instant::now();
    let mut file = loop {
        match open_special(output.path) {
            Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
                if started.elapsed() > READER {
                    let reason = "no process reads from this pipe".to_owned();
                    return Err(failed_by(codes::S0003, output.path, reason)
                        .hint("start the reader first, or write to a file"));
                }
                thread::sleep(Duration::from_millis(20));
            }
            opened => break opened.map_err(failing)?,
        }
    };
    for mut rest in output.parts.iter().copied() {
        while !rest.is_empty() {
            match file.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The reader has not yet read what is in the pipe.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(error) => return Err(failing(error)),
            }
        }
    }
    Ok(())
}

/// Opens a device or pipe to write, without waiting for a reader.
fn open_special(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
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
    for output in outputs.iter().filter(|path| !is_standard_stream(path)) {
        let Ok(found) = fs::metadata(output) else { continue };
        let kind =
            if found.is_dir() { Some("a folder") } else { unreadable_kind(&found.file_type()) };
        if let Some(what) = kind {
            let reason = format!("this is {what}, expected a file");
            return Err(failed_by(codes::S0003, output, reason));
        }
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
        if ["saved_model.pb", "saved_model.pbtxt"].iter().any(|name| path.join(name).exists()) {
            return diagnostic
                .reason("this is the folder of a TensorFlow SavedModel, not a file")
                .hint(FROM_TENSORFLOW);
        }
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
    use super::{content, read, write};
    use std::fs;
    use std::path::Path;
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

    #[test]
    fn streams_without_an_end_are_not_read_for_ever() {
        let read = |bytes: &[u8], is_file| content(Path::new("x"), bytes, is_file);
        for text in [&b"func"[..], b"", b"\0asm", &[0; 4096][..4095]] {
            assert_eq!(read(text, false).expect("read"), text);
        }
        assert_eq!(read(&[1; 9000], true).expect("read").len(), 9000);
        // A sparse file may be larger than the memory.
        assert!(read(&[0; 9000], true).is_err());
        let refused = |byte: u8, words: &str| {
            let endless = std::io::repeat(byte);
            let error = content(Path::new("x"), endless, false).expect_err("no end");
            assert_eq!(error.code(), codes::S0002);
            assert!(error.reason_text().is_some_and(|reason| reason.contains(words)), "{error:?}");
        };
        refused(0, "are NUL");
        refused(0xff, "goes on after 64 MiB");
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
