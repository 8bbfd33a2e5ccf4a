//! Observers of the command line: dumps.

use std::path::{Path, PathBuf};
use std::time::Duration;

use strata::{Observer, Product, Stage, StageInfo};
use strata_diag::Diagnostic;

use crate::files;

/// Writes the program after each stage to `<dir>/<number>-<stage>.<ending>`.
pub struct Dumps {
    folder: PathBuf,
    /// The subfolder for a part of a joint object.
    part: String,
    with_locations: bool,
    failed: Option<Diagnostic>,
}

impl Dumps {
    /// Dumps into that folder, which is created if needed.
    ///
    /// # Errors
    /// `S0003`.
    pub fn new(folder: &Path, with_locations: bool) -> Result<Self, Diagnostic> {
        files::create_folder(folder)?;
        Ok(Self { folder: folder.to_owned(), part: String::new(), with_locations, failed: None })
    }

    /// The first failure to write, if any.
    ///
    /// # Errors
    /// `S0003`.
    pub fn finish(self) -> Result<(), Diagnostic> {
        self.failed.map_or(Ok(()), Err)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(&self.part).join(name)
    }

    fn text(&self, product: &Product<'_, '_>) -> String {
        let text = if self.with_locations { product.text_with_locations() } else { product.text() };
        text.unwrap_or_default()
    }

    fn begin(&mut self, part: &str) {
        part.clone_into(&mut self.part);
        if self.failed.is_none() {
            self.failed = files::create_folder(&self.folder.join(part)).err();
        }
    }
}

impl Observer for Dumps {
    fn part_started(&mut self, name: &str) {
        self.begin(name);
    }

    fn stage_finished(&mut self, info: &StageInfo, product: &Product<'_, '_>, _: Duration) {
        if self.failed.is_some() {
            return;
        }
        let ending = match info.stage {
            Stage::LlvmIr => "ll",
            Stage::Asm => "s",
            Stage::Obj => "o",
            _ => "mlir",
        };
        let path = self.path(&format!("{}.{ending}", info.stem()));
        let written = match product {
            Product::Bytes(bytes) => files::write(&path, bytes),
            _ => files::write(&path, self.text(product).as_bytes()),
        };
        self.failed = written.err();
    }
}

/// Writes the module after each step of a stage to a file.
pub struct StepDumps(Dumps);

impl StepDumps {
    /// Dumps into that folder, which is created if needed.
    ///
    /// # Errors
    /// `S0003`.
    pub fn new(folder: &Path, with_locations: bool) -> Result<Self, Diagnostic> {
        Dumps::new(folder, with_locations).map(Self)
    }

    /// The first failure to write, if any.
    ///
    /// # Errors
    /// `S0003`.
    pub fn finish(self) -> Result<(), Diagnostic> {
        self.0.finish()
    }
}

impl Observer for StepDumps {
    fn part_started(&mut self, name: &str) {
        self.0.begin(name);
    }

    fn stage_finished(&mut self, _: &StageInfo, _: &Product<'_, '_>, _: Duration) {}

    fn step_finished(
        &mut self,
        info: &StageInfo,
        number: usize,
        name: &str,
        product: &Product<'_, '_>,
        _: Duration,
    ) {
        if self.0.failed.is_none() {
            let path = self.0.path(&format!("{}.{number:02}-{name}.mlir", info.stem()));
            let text = self.0.text(product);
            self.0.failed = files::write(&path, text.as_bytes()).err();
        }
    }

    fn wants_assembly(&self) -> bool {
        false
    }
}
