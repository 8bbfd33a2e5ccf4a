//! The compiler as a command.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Error, Model, Result, Visibility, model::Output};

pub(crate) fn compile(model: &Model, name: &str, shown: &str, program: &[u8]) -> Result<Output> {
    println!("cargo::rerun-if-env-changed=STRATA");
    let strata = command()?;
    println!("cargo::rerun-if-changed={}", strata.display());

    let folder = Folder::new(name)?;
    let library = folder.0.join("library.a");
    let module = folder.0.join("module.rs");
    let mut command = Command::new(&strata);
    command.args(["compile", "-", "--emit", "static", "--color", "never", "--name", name]);
    command.arg(format!("-O{}", model.opt_level));
    if model.excess_precision {
        command.arg("--excess-precision");
    }
    if model.flush_subnormals {
        command.arg("--flush-subnormals");
    }
    command.arg("--output").arg(&library).arg("--rust").arg(&module);
    let triple = model.triple();
    // Always given, so that the command's hints do not mention options that a build script does not
    // have.
    let is_x86 =
        triple.as_deref().map_or(cfg!(target_arch = "x86_64"), |one| one.starts_with("x86_64"));
    let cpu = model.cpu.clone().or_else(|| is_x86.then(|| "x86-64".to_owned()));
    for (option, value) in [
        ("--entry", &model.entry),
        ("--target", &triple),
        ("--target-cpu", &cpu),
        ("--target-features", &model.features),
    ] {
        if let Some(value) = value {
            command.arg(option).arg(value);
        }
    }
    let sizes =
        [("--bind", &model.bind), ("--max", &model.max), ("--specialize", &model.specialize)];
    for (option, sizes) in sizes {
        for (symbol, size) in sizes {
            command.arg(option).arg(format!("{symbol}={size}"));
        }
    }
    if model.visibility == Visibility::Hidden {
        command.args(["--visibility", "hidden"]);
    }
    for names in &model.prepare {
        command.arg("--prepare").arg(names);
    }
    let schedule = model.schedule_file();
    if let Some((path, _)) = &schedule {
        command.arg("--schedule").arg(path);
    }
    let failed = |error| Error::new(format!("`{}` was not run: {error}", strata.display()));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    // A process that exits before reading everything reports why.
    let _ = child.stdin.take().map(|mut input| input.write_all(program));
    let ended = child.wait_with_output().map_err(failed)?;
    let mut said = String::from_utf8_lossy(&ended.stderr).replace("<stdin>", shown);
    if let Some((path, shown)) = &schedule {
        said = said.replace(&*path.to_string_lossy(), shown);
    }
    if !ended.status.success() {
        let said = if said.trim().is_empty() { ended.status.to_string() } else { said };
        return Err(Error::new(said));
    }
    let lost = |error| Error::new(format!("`{}` left no result: {error}", strata.display()));
    Ok(Output {
        module: fs::read_to_string(&module).map_err(lost)?,
        library: fs::read(&library).map_err(lost)?,
        warnings: said,
    })
}

/// The command that `STRATA` names, or the one in `PATH`.
fn command() -> Result<PathBuf> {
    if let Some(command) = env::var_os("STRATA") {
        return Ok(PathBuf::from(command));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join("strata")).find(|file| file.is_file()).ok_or_else(
        || {
            Error::new(
                "there is no `strata` in PATH: install it, name it in the variable STRATA, or use strata-build \
                 with its feature `library`",
            )
        },
    )
}

/// A folder for what the command writes, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Self> {
        let place = env::var_os("OUT_DIR").map_or_else(env::temp_dir, PathBuf::from);
        let folder = place.join(format!("strata-build-{name}-{}", std::process::id()));
        make(&folder)?;
        Ok(Self(folder))
    }
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)
        .map_err(|error| Error::new(format!("`{}` is not made: {error}", folder.display())))
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
