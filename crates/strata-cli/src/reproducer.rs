//! Writes what is needed to reproduce a bug: the program, the command and the message.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use crate::args::Cli;
use crate::files;

/// What to do with a reproducer.
pub const HINT: &str = "this is a bug in Strata: please report it with the reproducer";

/// Names the folder for reproducers where no option does.
const VARIABLE: &str = "STRATA_CRASH_DIR";

/// The folder that the option names, or the environment.
pub fn folder(option: Option<&Path>) -> Option<PathBuf> {
    let variable = || env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    option.map(Path::to_owned).or_else(variable)
}

/// What ran: the command line, and the program that it names.
#[derive(Clone, Copy)]
pub struct Ran<'a> {
    /// The words of the command line, the command itself first.
    pub arguments: &'a [OsString],
    /// What the command line calls the program; `-` is standard input.
    pub program: Option<&'a Path>,
    /// What was read from standard input, if the program was.
    pub piped: Option<&'a [u8]>,
}

/// Writes a folder `strata-bug-<hash>` to `place`, by default the current folder or else the one for temporary files, and
/// returns a note with its path.
pub fn write(place: Option<&Path>, ran: &Ran<'_>, message: &str) -> String {
    let file = || ran.program.filter(|path| !files::is_standard_stream(path));
    let read = || file().and_then(files::read_again);
    let program = ran.piped.map(<[u8]>::to_vec).or_else(read);
    let mut hasher = DefaultHasher::new();
    ran.arguments.hash(&mut hasher);
    program.hash(&mut hasher);
    let name = format!("strata-bug-{:016x}", hasher.finish());
    let here = place.map_or_else(|| PathBuf::from(&name), |place| place.join(&name));
    let written = |folder: &Path| format!("a reproducer was written to `{}`", folder.display());
    let Err(error) = fill(&here, ran, program.as_deref(), message) else { return written(&here) };
    let wanted = place.unwrap_or(Path::new(".")).display();
    let elsewhere = env::temp_dir().join(&name);
    match fill(&elsewhere, ran, program.as_deref(), message) {
        Ok(()) => format!("{}: `{wanted}` cannot be written to: {error}", written(&elsewhere)),
        Err(_) => format!("no reproducer could be written: `{wanted}`: {error}"),
    }
}

fn fill(folder: &Path, ran: &Ran<'_>, program: Option<&[u8]>, message: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let copy = program.map(|bytes| match bytes.starts_with(b"ML\xefR") {
        true => "input.mlirbc",
        false => "input.mlir",
    });
    let words: Vec<String> = command_in_folder(ran, copy).iter().map(|word| quote(word)).collect();
    fs::write(folder.join("command.txt"), words.join(" ") + "\n")?;
    fs::write(folder.join("message.txt"), format!("{message}\n"))?;
    if let Some((copy, bytes)) = copy.zip(program) {
        fs::write(folder.join(copy), bytes)?;
    }
    for (file, name) in files_beside(ran) {
        fs::copy(file, folder.join(name))?;
    }
    Ok(())
}

/// The other files that the command reads and that are copied to the folder, with their names there.
fn files_beside(ran: &Ran<'_>) -> Vec<(PathBuf, String)> {
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    let words: Vec<_> = ran.arguments.iter().map(|word| word.to_string_lossy()).collect();
    let separate = words.windows(2).map(|pair| (&*pair[0], &*pair[1]));
    let joined = words.iter().filter_map(|word| word.split_once('='));
    for (_, value) in separate.chain(joined).filter(|(option, _)| FILES.contains(option)) {
        let file = match value.split_once('=') {
            Some((_, file)) if !Path::new(value).is_file() => file,
            _ => value,
        };
        let path = std::path::absolute(file).unwrap_or_else(|_| PathBuf::from(file));
        if goes_along(&path) && !found.iter().any(|(known, _)| *known == path) {
            let name = copy_name(&path);
            found.push((path, name));
        }
    }
    found
}

/// Whether this is a file, and small enough to be copied.
fn goes_along(path: &Path) -> bool {
    const LARGEST: u64 = 64 << 20;
    path.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST)
}

/// The name of a file's copy, distinct from those of files with the same name in other folders.
fn copy_name(path: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    path.parent().hash(&mut hasher);
    let last = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{:04x}-{last}", hasher.finish() & 0xffff)
}

/// Options whose files or folders a command writes.
const OUTPUTS: &[&str] = &[
    "-o",
    "--output",
    "--header",
    "--cxx",
    "--rust",
    "--dump-stages",
    "--dump-steps",
    "--output-dir",
    "--outfeed",
    "--reproducer",
    "--crash-dir",
];

/// The command line adapted to the reproducer's folder: it reads the copies there of the program and of other files, and
/// writes into the folder.
fn command_in_folder(ran: &Ran<'_>, copy: Option<&str>) -> Vec<String> {
    let takes_value = options_with_values();
    let mut words = Vec::new();
    let mut option: Option<String> = None;
    let (mut names_command, mut names_program) = (false, false);
    for (position, word) in ran.arguments.iter().enumerate() {
        let word = word.to_string_lossy().into_owned();
        if position == 0 {
            // A name without `/` is looked up in `PATH`.
            words.push(if word.contains('/') { from_root(&word) } else { word });
            continue;
        }
        if let Some(option) = option.take() {
            words.push(value_in_folder(&option, &word));
            continue;
        }
        // A folder may have the name of the command.
        if !names_command && !word.starts_with('-') {
            names_command = true;
            words.push(word);
            continue;
        }
        let is_program = ran.program.is_some_and(|program| program.as_os_str() == word.as_str());
        if is_program && let Some(copy) = copy {
            words.push(copy.to_owned());
            names_program = true;
        } else if takes_value.contains(&word) {
            option = Some(word.clone());
            words.push(word);
        } else if let Some((option, value)) =
            word.split_once('=').filter(|(option, _)| takes_value.contains(*option))
        {
            words.push(format!("{option}={}", value_in_folder(option, value)));
        } else if let Some(value) = word.strip_prefix("-o").filter(|_| !word.starts_with("--")) {
            words.push(format!("-o{}", value_in_folder("-o", value)));
        } else {
            words.push(if word.starts_with('-') { word } else { from_root(&word) });
        }
    }
    // `strata opt` reads standard input by default.
    let is_default = ran.piped.is_some() && !names_program;
    words.extend(copy.filter(|_| is_default).map(str::to_owned));
    words
}

/// The options of all commands that take a value: `-o`, `--output`, …
fn options_with_values() -> BTreeSet<String> {
    let command = Cli::command();
    let commands = std::iter::once(&command).chain(command.get_subcommands());
    let options = commands.flat_map(clap::Command::get_arguments).filter(|argument| {
        let needs_equals = argument.is_require_equals_set();
        argument.get_action().takes_values() && !argument.is_positional() && !needs_equals
    });
    let names = options.flat_map(|option| {
        let long = option.get_long().map(|name| format!("--{name}"));
        long.into_iter().chain(option.get_short().map(|name| format!("-{name}")))
    });
    names.collect()
}

/// The value of an option: an output by its last path component, an existing input (`FILE` and `NAME=FILE`) by its copy, or
/// by its absolute path if it is too large to copy.
fn value_in_folder(option: &str, value: &str) -> String {
    let last = Path::new(value).file_name().filter(|_| OUTPUTS.contains(&option));
    if let Some(last) = last {
        return last.to_string_lossy().into_owned();
    }
    let is_file = |path: &str| Path::new(path).is_file();
    match value.split_once('=') {
        _ if is_file(value) && FILES.contains(&option) => copy_or_root(value),
        Some((name, file)) if is_file(file) && FILES.contains(&option) => {
            format!("{name}={}", copy_or_root(file))
        }
        _ => value.to_owned(),
    }
}

/// Options that name input files; other values may happen to be the name of a file.
const FILES: &[&str] =
    &["--input", "--schedule", "--link", "--infeed", "--recv", "--weights-file", "--dump"];

fn copy_or_root(file: &str) -> String {
    match std::path::absolute(file) {
        Ok(path) if goes_along(&path) => copy_name(&path),
        _ => from_root(file),
    }
}

/// The absolute path, if it exists.
fn from_root(path: &str) -> String {
    let absolute = std::path::absolute(path).ok().filter(|path| path.exists());
    absolute.map_or_else(|| path.to_owned(), |path| path.to_string_lossy().into_owned())
}

/// The word quoted for a shell.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::path::Path;

    use super::{Ran, folder, quote, write};

    /// A call with a program that came through standard input.
    fn piped(arguments: &[OsString]) -> Ran<'_> {
        Ran { arguments, program: Some(Path::new("-")), piped: Some(b"module {}") }
    }

    /// The folder that a note names.
    fn named(note: &str) -> &Path {
        let (_, rest) = note.split_once('`').expect("a place");
        Path::new(rest.split('`').next().expect("a path"))
    }

    /// `command.txt` for these words.
    fn command(words: &[&str], ran: impl Fn(&[OsString]) -> String) -> String {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let note = ran(&words);
        fs::read_to_string(named(&note).join("command.txt")).expect("written").trim_end().to_owned()
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quote("a-b.mlir"), "a-b.mlir");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("it's"), r"'it'\''s'");
    }

    #[test]
    fn a_folder_that_is_named_is_made() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let wanted = place.path().join("not/yet");
        assert_eq!(folder(Some(&wanted)).as_deref(), Some(wanted.as_path()));
        let note = write(Some(&wanted), &piped(&["strata".into()]), "it broke");
        let bug = named(&note);
        assert_eq!(bug.parent(), Some(wanted.as_path()));
        let read = |name: &str| fs::read_to_string(bug.join(name)).expect(name);
        assert_eq!(read("message.txt"), "it broke\n");
        assert_eq!(read("input.mlir"), "module {}");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_told() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let file = place.path().join("file");
        fs::write(&file, "").expect("written");
        let note = write(Some(&file.join("inside")), &piped(&["strata".into()]), "it broke");
        let reason = format!("`{}` cannot be written to: ", file.join("inside").display());
        assert!(note.contains(&reason), "{note}");
        assert!(named(&note).join("input.mlir").is_file(), "{note}");
        fs::remove_dir_all(named(&note)).expect("removed");
    }

    #[test]
    fn the_command_runs_in_its_folder() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| place.path().join(name).to_string_lossy().into_owned();
        for name in ["my model.mlir", "a.npy"] {
            fs::write(at(name), "module {}").expect("written");
        }
        let (model, array) = (at("my model.mlir"), at("a.npy"));
        let by_name = |words: &[OsString]| {
            let program = Some(Path::new(&model));
            let ran = Ran { arguments: words, program, piped: None };
            write(Some(place.path()), &ran, "it broke")
        };
        let by_pipe = |words: &[OsString]| write(Some(place.path()), &piped(words), "it broke");

        let words = ["strata", "compile", &model, "-o", "out/a.o", "--header=out/a.h", "-O0"];
        let expected = "strata compile input.mlir -o a.o --header=a.h -O0";
        assert_eq!(command(&words, by_name), expected);
        let given = format!("x={array}");
        let words = ["strata", "run", "--input", &given, &model, "--entry", &model, "-oout.npz"];
        let copy = super::copy_name(Path::new(&array));
        assert!(copy.ends_with("-a.npy") && !copy.contains('/'), "{copy}");
        let expected =
            format!("strata run --input x={copy} input.mlir --entry '{model}' -oout.npz");
        assert_eq!(command(&words, by_name), expected);
        assert_eq!(
            command(&["strata", "compile", "-", "-o", "-"], by_pipe),
            "strata compile input.mlir -o -"
        );
        let words = ["strata", "opt", "--pattern", "fold"];
        assert_eq!(command(&words, by_pipe), "strata opt --pattern fold input.mlir");
    }
}
