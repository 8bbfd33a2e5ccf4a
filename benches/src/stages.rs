//! Compile time of each stage: medians over several compilations.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, root, run, strata};

const ROUNDS: usize = 5;
const MODELS: [&str; 3] = ["mlp", "cnn", "transformer"];

/// Compiles each file (the bundled models by default) several times and prints a column per file.
pub fn time_all(files: &[&str]) -> Result<()> {
    let strata = strata()?;
    let files: Vec<PathBuf> = if files.is_empty() {
        MODELS.iter().map(|m| root().join(format!("examples/models/{m}.mlir"))).collect()
    } else {
        files.iter().map(PathBuf::from).collect()
    };
    for file in files {
        println!("{}", file.display());
        for (stage, milliseconds) in time_stages(&strata, &file, ROUNDS)? {
            println!("  {stage:<12} {milliseconds:>10.2} ms");
        }
    }
    Ok(())
}

/// The stages in order, with the median of their times in milliseconds.
pub fn time_stages(strata: &Path, file: &Path, rounds: usize) -> Result<Vec<(String, f64)>> {
    let folder = tempfile::tempdir()?;
    let mut stages: Vec<(String, Vec<f64>)> = Vec::new();
    for _ in 0..rounds {
        let output = run(Command::new(strata)
            .arg("compile")
            .arg(file)
            .arg("--time-stages")
            .arg("-o")
            .arg(folder.path().join("program.o")))?;
        for (stage, time) in String::from_utf8(output.stderr)?.lines().filter_map(stage_time) {
            match stages.iter_mut().find(|(name, _)| *name == stage) {
                Some((_, times)) => times.push(time),
                None => stages.push((stage, vec![time])),
            }
        }
    }
    if stages.is_empty() {
        return Err("`strata compile --time-stages` printed no times".into());
    }
    Ok(stages.into_iter().map(|(name, times)| (name, median(times))).collect())
}

/// A line of `--time-stages`: the stage's name, ..., the time in milliseconds, `ms`.
fn stage_time(line: &str) -> Option<(String, f64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [rest @ .., time, "ms"] = words.as_slice() else { return None };
    Some((rest.join(" "), time.parse().ok()?))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
