//! A program and its compilation options.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::{Error, Result};

#[cfg(not(feature = "library"))]
use crate::command as compiler;
#[cfg(feature = "library")]
use crate::library as compiler;

/// A program and its compilation options.
///
/// ```no_run
/// # fn main() -> strata_build::Result<()> {
/// strata_build::Model::new("models/mlp.mlir").name("net").target_cpu("x86-64-v3").compile()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    source: Source,
    name: Option<String>,
    out_dir: Option<PathBuf>,
    pub(crate) entry: Option<String>,
    pub(crate) target: Option<String>,
    pub(crate) cpu: Option<String>,
    pub(crate) features: Option<String>,
    pub(crate) opt_level: u8,
    pub(crate) excess_precision: bool,
    pub(crate) flush_subnormals: bool,
    pub(crate) bind: Vec<(String, i64)>,
    pub(crate) max: Vec<(String, i64)>,
    pub(crate) specialize: Vec<(String, i64)>,
    pub(crate) visibility: Visibility,
    pub(crate) prepare: Vec<String>,
    schedule: Option<PathBuf>,
}

/// Who sees the symbols of a program's library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone: a shared library that it is linked into may export them.
    #[default]
    Default,
    /// What is linked into the same shared library or program.
    Hidden,
}

#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    Bytes(Vec<u8>),
}

/// The outputs of [`Model::compile`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiled {
    /// The Rust module, for `include!`.
    pub module: PathBuf,
    /// The static library.
    pub library: PathBuf,
}

/// The outputs of the compiler.
pub(crate) struct Output {
    pub module: String,
    pub library: Vec<u8>,
    pub warnings: String,
}

impl Model {
    /// The program in a file: MLIR text, MLIR bytecode or a portable artifact. Relative paths start at the crate that is being
    /// built. Its name is that of the file, with `_` for characters that C names cannot have.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self::of(Source::File(path.as_ref().to_owned()), None)
    }

    /// A program that the build script made or read, as text or bytes.
    pub fn from_bytes(name: impl Into<String>, program: impl Into<Vec<u8>>) -> Self {
        Self::of(Source::Bytes(program.into()), Some(name.into()))
    }

    fn of(source: Source, name: Option<String>) -> Self {
        Self {
            source,
            name,
            out_dir: None,
            entry: None,
            target: None,
            cpu: None,
            features: None,
            opt_level: 3,
            excess_precision: false,
            flush_subnormals: false,
            bind: Vec::new(),
            max: Vec::new(),
            specialize: Vec::new(),
            visibility: Visibility::Default,
            prepare: Vec::new(),
            schedule: None,
        }
    }

    /// The name of the module's file and the library, and the prefix of symbols: a C identifier.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The function to compile, where several are public.
    #[must_use]
    pub fn entry(mut self, function: impl Into<String>) -> Self {
        self.entry = Some(function.into());
        self
    }

    /// A value for a symbol that sizes of inputs depend on, of a program with open sizes. The function takes the values of the
    /// symbols that stay open.
    #[must_use]
    pub fn bind(mut self, symbol: impl Into<String>, size: i64) -> Self {
        self.bind.push((symbol.into(), size));
        self
    }

    /// The largest value of a symbol that stays open.
    #[must_use]
    pub fn max(mut self, symbol: impl Into<String>, bound: i64) -> Self {
        self.max.push((symbol.into(), bound));
        self
    }

    /// A value of an open symbol that the library has code of its own for.
    #[must_use]
    pub fn specialize(mut self, symbol: impl Into<String>, size: i64) -> Self {
        self.specialize.push((symbol.into(), size));
        self
    }

    /// The machine to compile for, as a triple; by default the one that Cargo builds for.
    #[must_use]
    pub fn target(mut self, triple: impl Into<String>) -> Self {
        self.target = Some(triple.into());
        self
    }

    /// The processor, such as `x86-64-v3`, or `native` for the one that builds. By default the code runs on every processor of
    /// the architecture, several times slower than possible on most.
    #[must_use]
    pub fn target_cpu(mut self, cpu: impl Into<String>) -> Self {
        self.cpu = Some(cpu.into());
        self
    }

    /// Features of the processor to enable and to disable, such as `+avx2,-fma`.
    #[must_use]
    pub fn target_features(mut self, features: impl Into<String>) -> Self {
        self.features = Some(features.into());
        self
    }

    /// How much is optimised, from 0 to 3, the default; 1 is for code that is compiled in little time.
    #[must_use]
    pub fn opt_level(mut self, level: u8) -> Self {
        self.opt_level = level;
        self
    }

    /// Lets numbers of `bf16` and `f16` keep more digits than their type from one arithmetic operation to the next.
    #[must_use]
    pub fn excess_precision(mut self, permitted: bool) -> Self {
        self.excess_precision = permitted;
        self
    }

    /// Lets arithmetic of `f32` and `f64` take subnormal numbers as zeros: they take up to a hundred times as long on some processors.
    #[must_use]
    pub fn flush_subnormals(mut self, permitted: bool) -> Self {
        self.flush_subnormals = permitted;
        self
    }

    /// Who sees the symbols of the library. Hidden ones never meet those of another shared library in the same process, such as
    /// a plugin with a program of the same name.
    #[must_use]
    pub fn visibility(mut self, visibility: Visibility) -> Self {
        self.visibility = visibility;
        self
    }

    /// Lays these inputs out once, with a function of their own, and not in every call: names of inputs, with `*` for any
    /// characters. The module then has a module for the function, `X_prepare`, beside that of the entry, as one of several
    /// entries has. Inputs that the program marks with `strata.prepare` are laid out so, too.
    #[must_use]
    pub fn prepare(mut self, names: impl Into<String>) -> Self {
        self.prepare.push(names.into());
        self
    }

    /// A file of schedules to use instead of the compiler's own, as `strata tune` writes. Relative paths start at the crate that is
    /// being built. One that has nothing for the program is a warning of the build.
    #[must_use]
    pub fn schedule(mut self, path: impl Into<PathBuf>) -> Self {
        self.schedule = Some(path.into());
        self
    }

    /// Where the files go; by default Cargo's `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(folder.into());
        self
    }

    /// Compiles the program, writes `<name>.rs` and `lib<name>.a`, and prints Cargo's directives to link the library and to
    /// watch files.
    ///
    /// # Errors
    /// Errors in the program or the target; files that cannot be read or written.
    pub fn compile(self) -> Result<Compiled> {
        let folder = match &self.out_dir {
            Some(folder) => folder.clone(),
            None => env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
                Error::new("OUT_DIR is not set: call this in a build script, or give `out_dir`")
            })?,
        };
        let (name, shown, program) = self.read()?;
        let output = compiler::compile(&self, &name, &shown, &program)?;
        for line in output.warnings.lines().filter(|line| !line.trim().is_empty()) {
            println!("cargo::warning={line}");
        }
        let compiled = Compiled {
            module: folder.join(format!("{name}.rs")),
            library: folder.join(format!("lib{name}.a")),
        };
        write(&compiled.module, output.module.as_bytes())?;
        write(&compiled.library, &output.library)?;
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static={name}");
        println!("cargo::rustc-link-lib=m");
        Ok(compiled)
    }

    /// The file of schedules, at its place, and what diagnostics call it.
    pub(crate) fn schedule_file(&self) -> Option<(PathBuf, String)> {
        let path = self.schedule.as_ref()?;
        println!("cargo::rerun-if-changed={}", path.display());
        Some((root().join(path), path.display().to_string()))
    }

    /// The triple to compile for.
    pub(crate) fn triple(&self) -> Option<String> {
        self.target.clone().or_else(|| env::var("TARGET").ok())
    }

    /// The name, what diagnostics call the program, and the program.
    fn read(&self) -> Result<(String, String, Vec<u8>)> {
        let (name, shown, program) = match &self.source {
            Source::Bytes(bytes) => (String::new(), "<build script>".to_owned(), bytes.clone()),
            Source::File(path) => {
                println!("cargo::rerun-if-changed={}", path.display());
                let shown = path.display().to_string();
                let program = fs::read(root().join(path))
                    .map_err(|error| Error::new(format!("`{shown}` is not read: {error}")))?;
                (name_of(path), shown, program)
            }
        };
        let name = self.name.clone().unwrap_or(name);
        if !is_identifier(&name) {
            return Err(Error::new(format!(
                "`{name}` is not a C identifier: use letters, digits and `_`, a digit not first"
            )));
        }
        Ok((name, shown, program))
    }
}

/// Where relative paths start.
fn root() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default()
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes)
        .map_err(|error| Error::new(format!("`{}` is not written: {error}", path.display())))
}

/// The same name as the command's: that of the file without its extension. Characters that C does not allow are kept, and
/// rejected later.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_ending = |part: &str| part.chars().all(|c| c.is_ascii_alphabetic());
    let whole = name.rsplit_once('.').filter(|(_, ending)| is_ending(ending));
    let stem = whole.map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
    let stem = stem.unwrap_or(&name).trim_matches('.');
    let letter = |c: char| if c.is_ascii() && !c.is_ascii_alphanumeric() { '_' } else { c };
    let name: String = stem.chars().map(letter).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_command() {
        for (path, name) in [
            ("models/mlp.export.mlir", "mlp_export"),
            ("model.v1", "model_v1"),
            ("3-layers.mlir", "_3_layers"),
            (".hidden", "hidden"),
        ] {
            assert_eq!(name_of(Path::new(path)), name);
            assert!(is_identifier(name));
        }
        assert!(!is_identifier(&name_of(Path::new("modèle.mlir"))));
        for name in ["", "3d", "a-b", "ä"] {
            let refused = Model::from_bytes(name, "").out_dir("/").compile();
            assert!(refused.is_err_and(|error| error.to_string().contains("identifier")), "{name}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Model::new("no/such.mlir").out_dir("/").compile().expect_err("no file");
        assert!(format!("{error:?}").contains("`no/such.mlir` is not read"), "{error}");
    }
}
