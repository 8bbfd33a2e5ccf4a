//! The programs that each fault is tested with, layer by layer, and the reports of those that fail.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;
use clap::ValueEnum;
use strata::Stage;
use strata_verify::Dump;
use strata_verify::Tolerance;

use crate::{
    campaign::{draw, oracle},
    families::{FAMILIES, Family, Kind},
    oracle::Oracle,
    source::Case,
};

/// Seeds of each family to test a fault with.
const SEEDS: u64 = 16;
/// Families whose programs keep values in buffers for long.
const OF_BUFFERS: &[&str] = &["aliases", "fusions", "nested", "grown", "states", "layers"];
/// Seeds of these to test a fault with under the interpreter.
const SHADOWED: u64 = 32;

/// A layer of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Layer {
    /// The repository's own programs, compiled and evaluated, and the hand-written dumps.
    Cases,
    /// Random programs, compiled in one of several ways and evaluated.
    Random,
    /// Random programs, interpreted at every stage with a shadow of the bytes.
    Shadow,
}

/// All layers, in the order in which they are asked.
pub const LAYERS: [Layer; 3] = [Layer::Cases, Layer::Random, Layer::Shadow];

impl Layer {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cases => "cases",
            Self::Random => "random",
            Self::Shadow => "shadow",
        }
    }
}

/// A program to test a fault with.
struct Probe {
    place: String,
    case: Case,
    oracle: Oracle,
    seed: u64,
    dump: Option<Dump>,
}

impl Probe {
    fn check(&self) -> Result<(), String> {
        match &self.dump {
            Some(dump) => self.oracle.check_dump(&self.case, self.seed, dump),
            None => self.oracle.check(&self.case, self.seed).map(drop),
        }
    }
}

/// Runs the programs of a layer from number `from` on, and prints each failure on standard output.
///
/// # Errors
/// Where files cannot be read.
pub fn probe(cases: &Path, layer: Layer, from: usize) -> Result<()> {
    let files = if layer == Layer::Cases { files(cases)? } else { Vec::new() };
    let random = match layer {
        Layer::Cases => Vec::new(),
        Layer::Random => drawn(SEEDS, |family| family.kind != Kind::Damaged),
        Layer::Shadow => drawn(SHADOWED, |family| OF_BUFFERS.contains(&family.name)),
    };
    let of_file = |file: &PathBuf| -> Result<Probe> {
        let place = file.strip_prefix(cases).unwrap_or(file).display().to_string();
        let case = Case::exact(fs::read_to_string(file)?).within(Tolerance::default());
        let dump = dump_beside(file)?;
        Ok(Probe { place, case, oracle: Oracle::Native, seed: 1, dump })
    };
    let of_seed = |(family, seed): &(&Family, u64)| -> Result<Probe> {
        let oracle = match layer {
            Layer::Shadow => Oracle::Stages,
            _ => oracle(family, *seed),
        };
        let place = format!("{}:{seed}", family.name);
        Ok(Probe { place, case: draw(family, *seed), oracle, seed: *seed, dump: None })
    };
    let probes = files.iter().map(of_file).chain(random.iter().map(of_seed));
    for (number, probe) in probes.enumerate().skip(from) {
        let probe = probe?;
        let place = &probe.place;
        println!("start {number} {place}");
        if let Err(reason) = probe.check() {
            println!("sign {} {place}", kind_of(&reason));
        }
    }
    println!("end");
    Ok(())
}

/// What found it: the interpreter's shadow of the bytes, the results of a stage, one of the compiler's own checks, a result.
fn kind_of(reason: &str) -> &'static str {
    let has = |codes: &[&str]| codes.iter().any(|code| reason.contains(code));
    match () {
        () if has(&["S1921", "S1922", "S1923", "S1924"]) => "shadow",
        () if has(&["S9006"]) => "stage",
        () if reason.contains("depend on the initial contents of the workspace") => "value",
        () if has(&["S9002", "S9003", "S9001"]) => "static",
        () => "value",
    }
}

fn drawn(seeds: u64, is_meant: impl Fn(&Family) -> bool) -> Vec<(&'static Family, u64)> {
    let families = || FAMILIES.iter().filter(|family| is_meant(family));
    (0..seeds).flat_map(|seed| families().map(move |family| (family, seed))).collect()
}

fn files(cases: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in ["ops", "programs", "expected", "dumps"] {
        collect(&cases.join(folder), &mut files)?;
    }
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|kind| kind == "mlir") && !is_dump(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a file has the name of a stage: it replaces that stage's output for the `input.mlir` in the same folder.
fn is_dump(file: &Path) -> bool {
    stage_of(file).is_some_and(|stage| stage != Stage::Input)
}

fn stage_of(file: &Path) -> Option<Stage> {
    Stage::from_name(file.file_stem()?.to_str()?)
}

/// The dump next to a program, if there is one.
fn dump_beside(program: &Path) -> Result<Option<Dump>> {
    let Some(folder) = program.parent() else { return Ok(None) };
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        let is_program = file.extension().is_some_and(|kind| kind == "mlir");
        if let Some(stage) = stage_of(&file).filter(|_| is_program && is_dump(&file)) {
            let name = file.display().to_string();
            return Ok(Some(Dump { stage, step: None, name, text: fs::read(&file)? }));
        }
    }
    Ok(None)
}
