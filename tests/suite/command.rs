//! Runs the built `strata` command.

use std::env;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// How a call of the command ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit code; a process that a signal ended fails the test instead.
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ended {
    /// Standard output as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("standard output is text")
    }

    /// Fails the test unless the command did what it was asked for.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }
}

/// The command with these arguments, in that folder.
#[track_caller]
pub fn strata(folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Ended {
    strata_with_input(folder, arguments, b"")
}

/// The command on a terminal of so many columns: what it shows there, with the control characters, and its exit code.
#[track_caller]
pub fn strata_on_terminal(folder: &Path, columns: u16, arguments: &[&str]) -> (String, i32) {
    let quoted = |text: &&str| format!("'{}'", text.replace('\'', "'\\''"));
    let words: Vec<_> = arguments.iter().map(quoted).collect();
    let binary = binary().display().to_string();
    let line = format!("stty cols {columns} rows 40; exec '{binary}' {}", words.join(" "));
    // `script` of util-linux runs the line in a pseudo-terminal.
    let ended = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .current_dir(folder)
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .output()
        .expect("`script` of util-linux runs");
    let shown = String::from_utf8(ended.stdout).expect("text").replace("\r\n", "\n");
    (shown, ended.status.code().expect("an exit code"))
}

/// Text without the sequences that colour it or move the cursor.
pub fn without_escapes(text: &str) -> String {
    let mut pieces = text.split('\u{1b}');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end =
            piece.find(|one: char| one.is_ascii_alphabetic()).map_or(piece.len(), |at| at + 1);
        plain.push_str(&piece[end..]);
    }
    plain
}

/// The same with something on standard input.
#[track_caller]
pub fn strata_with_input(folder: &Path, arguments: &[impl AsRef<OsStr>], input: &[u8]) -> Ended {
    let mut child = Command::new(binary())
        .args(arguments)
        .current_dir(folder)
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        // A command that does not read its input is not at fault.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("the command ends")
    });
    Ended {
        code: output.status.code().unwrap_or_else(|| panic!("ended by {}", output.status)),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

/// The command built from this checkout with the profile of this test, or `STRATA_BIN`.
#[track_caller]
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    BINARY
        .get_or_init(|| env::var_os("STRATA_BIN").map_or_else(build, |path| Some(path.into())))
        .as_deref()
        .expect("strata-cli builds")
}

/// Cargo builds no commands of other packages for a test, so it is asked to.
fn build() -> Option<PathBuf> {
    // <target>/<profile>/deps/suite-<hash>
    let test = env::current_exe().ok()?;
    let folder = test.ancestors().nth(2)?;
    let profile = match folder.file_name()?.to_str()? {
        "debug" => "dev",
        name => name,
    };
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "strata-cli", "--profile", profile])
        .arg("--target-dir")
        .arg(folder.parent()?)
        .current_dir(workspace())
        .status()
        .ok()?;
    status.success().then(|| folder.join("strata"))
}

/// The root of the checkout.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder above")
}
