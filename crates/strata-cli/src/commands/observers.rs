//! What the command line does with the stages as they finish: dumps and timings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use strata::{Observer, Product, Stage, StageInfo};
use strata_diag::Diagnostic;

use crate::files;

/// Writes the program after each stage to `<dir>/<number>-<stage>.<ending>`.
pub struct Dumps {
    folder: PathBuf,
    failed: Option<Diagnostic>,
}

impl Dumps {
    /// Dumps into that folder, which is made if it is not there.
    ///
    /// # Errors
    /// `S0003`.
    pub fn new(folder: &Path) -> Result<Self, Diagnostic> {
        files::create_folder(folder)?;
        Ok(Self { folder: folder.to_owned(), failed: None })
    }

    /// The first failure to write, if any.
    ///
    /// # Errors
    /// `S0003`.
    pub fn finish(self) -> Result<(), Diagnostic> {
        self.failed.map_or(Ok(()), Err)
    }
}

impl Observer for Dumps {
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
        let path = self.folder.join(format!("{}.{ending}", info.stem()));
        let written = match product {
            Product::Bytes(bytes) => files::write(&path, bytes),
            _ => files::write(&path, product.text().unwrap_or_default().as_bytes()),
        };
        self.failed = written.err();
    }
}

/// Keeps how long each stage took.
#[derive(Default)]
pub struct Timings(Vec<(String, Duration)>);

impl Observer for Timings {
    fn stage_finished(&mut self, info: &StageInfo, _: &Product<'_, '_>, elapsed: Duration) {
        self.0.push((info.stem(), elapsed));
    }

    fn wants_assembly(&self) -> bool {
        false
    }
}

impl Timings {
    /// A table in milliseconds.
    pub fn table(&self) -> String {
        let total = self.0.iter().map(|(_, elapsed)| *elapsed).sum();
        let rows = self.0.iter().map(|(name, elapsed)| (name.as_str(), *elapsed));
        rows.chain([("total", total)])
            .map(|(name, elapsed)| format!("{name:<12} {:>10.3} ms\n", elapsed.as_secs_f64() * 1e3))
            .collect()
    }
}
