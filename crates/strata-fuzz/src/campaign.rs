//! Runs many programs of all families in worker processes, with a record from which a later run
//! continues.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value as Json, json};
use strata_verify::Tolerance;

use crate::{
    coverage::{self, Pairs},
    families::{FAMILIES, Family, Kind, family},
    oracle::{EXCHANGING, Oracle, Outcome, TURNS, beside},
    reduce::reduce,
    source::{Case, Source},
};

/// Time limit of a program.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of programs per process.
const BATCH: u64 = 100;
/// The maximum number of tests by the reducer.
const REDUCTION_STEPS: usize = 400;

/// The options of `strata-fuzz run`.
#[derive(Clone, Debug)]
pub struct Plan {
    /// When it ends.
    pub until: Instant,
    /// How many programs at most.
    pub programs: u64,
    /// How many processes work at the same time.
    pub jobs: usize,
    /// The families; all if empty.
    pub families: Vec<String>,
    /// The oracle for all programs; `None`: one after the other.
    pub oracle: Option<Oracle>,
    /// Where the record is kept.
    pub record: PathBuf,
    /// Where programs that fail are written.
    pub found: PathBuf,
}

/// The oracle for a program of a family: the usual one for every second seed, the others alternately for
/// the rest. Each compares with the evaluator, so another program is worth more than another oracle for
/// the same one.
pub fn oracle(family: &Family, seed: u64) -> Oracle {
    let others = match family.kind {
        Kind::Damaged => return Oracle::Compiles,
        Kind::Dynamic => return Oracle::Bounded,
        // Neither the emulator nor the interpreter of dumps has several devices.
        Kind::Exchanging if !seed.is_multiple_of(2) => return EXCHANGING[(seed / 2 % 3) as usize],
        Kind::Exchanging => return Oracle::Native,
        Kind::Single => &TURNS[..3],
        Kind::Composed => TURNS,
    };
    if seed.is_multiple_of(2) { Oracle::Native } else { beside(others, seed / 2) }
}

/// The program of a family and a seed.
pub fn draw(family: &Family, seed: u64) -> Case {
    (family.draw)(&mut Source::new(seed))
}

/// Statistics of a family.
#[derive(Clone, Debug, Default)]
struct Counts {
    next: u64,
    programs: u64,
    refused: u64,
    findings: Vec<String>,
}

/// The record; written after each batch.
#[derive(Debug, Default)]
struct Record {
    families: BTreeMap<String, Counts>,
    pairs: Pairs,
}

impl Record {
    fn read(path: &Path) -> Result<Self> {
        let mut record = Self::default();
        let Ok(text) = fs::read_to_string(path) else { return Ok(record) };
        let json: Json = serde_json::from_str(&text)
            .with_context(|| format!("{} is not a record of strata-fuzz", path.display()))?;
        let number = |json: &Json, field: &str| json[field].as_u64().unwrap_or(0);
        for (name, counts) in json["families"].as_object().into_iter().flatten() {
            let findings = counts["findings"].as_array().into_iter().flatten();
            let counts = Counts {
                next: number(counts, "next"),
                programs: number(counts, "programs"),
                refused: number(counts, "refused"),
                findings: findings.filter_map(|one| one.as_str().map(str::to_owned)).collect(),
            };
            record.families.insert(name.clone(), counts);
        }
        for (pair, count) in json["pairs"].as_object().into_iter().flatten() {
            record.pairs.insert(pair.clone(), count.as_u64().unwrap_or(0));
        }
        Ok(record)
    }

    fn write(&self, path: &Path) -> Result<()> {
        let families: serde_json::Map<_, _> = self
            .families
            .iter()
            .map(|(name, counts)| {
                let counts = json!({
                    "next": counts.next, "programs": counts.programs, "refused": counts.refused,
                    "findings": counts.findings,
                });
                (name.clone(), counts)
            })
            .collect();
        let text = json!({ "families": families, "pairs": self.pairs });
        // An interruption here must not lose the findings of earlier runs.
        let beside = path.with_extension("new");
        fs::write(&beside, serde_json::to_string_pretty(&text)?)?;
        fs::rename(&beside, path).with_context(|| format!("{} cannot be written", path.display()))
    }

    fn print(&self) {
        println!("{:32} {:>9} {:>8} {:>8}", "family", "programs", "refused", "findings");
        let mut all = (0, 0, 0);
        for (name, counts) in &self.families {
            let found = counts.findings.len();
            println!("{name:32} {:>9} {:>8} {found:>8}", counts.programs, counts.refused);
            all = (all.0 + counts.programs, all.1 + counts.refused, all.2 + found);
        }
        println!("{:32} {:>9} {:>8} {:>8}", "all", all.0, all.1, all.2);
        let readers: std::collections::BTreeSet<_> =
            self.pairs.keys().filter_map(|pair| pair.split(" -> ").nth(1)).collect();
        println!("{} operations, {} pairs of neighbours", readers.len(), self.pairs.len());
    }
}

/// One way in which a program of a family fails.
#[derive(Clone, Debug)]
struct Finding {
    family: &'static str,
    seed: u64,
    oracle: Oracle,
    reason: String,
}

/// What a process found in one batch.
#[derive(Debug, Default)]
struct Batch {
    programs: u64,
    refused: u64,
    findings: Vec<Finding>,
    pairs: Pairs,
}

/// Runs programs until the time is over; returns true if none failed.
///
/// # Errors
/// If files cannot be read or written, or a family is not known.
pub fn run(plan: &Plan) -> Result<bool> {
    let chosen: Vec<&'static Family> = match plan.families.as_slice() {
        [] => FAMILIES.iter().collect(),
        names => names
            .iter()
            .map(|name| family(name).with_context(|| format!("there is no family `{name}`")))
            .collect::<Result<_>>()?,
    };
    let mut record = Record::read(&plan.record)?;
    let mut left = plan.programs;
    let mut is_clean = true;
    let mut turn = 0;
    while left > 0 && Instant::now() < plan.until {
        let batches: Vec<(&'static Family, u64, u64)> = (0..plan.jobs.max(1))
            .map_while(|_| {
                let family = chosen[turn % chosen.len()];
                turn += 1;
                let count = left.min(BATCH);
                left -= count;
                let counts = record.families.entry(family.name.to_owned()).or_default();
                let first = counts.next;
                counts.next += count;
                (count > 0).then_some((family, first, first + count))
            })
            .collect();
        let workers: Vec<_> = batches
            .into_iter()
            .map(|(family, first, end)| {
                let only = plan.oracle;
                (family, thread::spawn(move || batch(family, first, end, only)))
            })
            .collect();
        for (family, worker) in workers {
            let Ok(found) = worker.join() else { bail!("a thread panicked") };
            let found = found?;
            let counts = record.families.entry(family.name.to_owned()).or_default();
            counts.programs += found.programs;
            counts.refused += found.refused;
            for (pair, count) in found.pairs {
                *record.pairs.entry(pair).or_default() += count;
            }
            for finding in found.findings {
                is_clean = false;
                counts.findings.push(keep(&finding, &plan.found)?);
            }
        }
        record.write(&plan.record)?;
    }
    record.print();
    Ok(is_clean)
}

/// Runs the seeds from `first` to `end` in worker processes, with a new one after each crash.
fn batch(family: &'static Family, first: u64, end: u64, only: Option<Oracle>) -> Result<Batch> {
    let mut batch = Batch::default();
    let mut next = first;
    while next < end {
        let seeds = [next.to_string(), end.to_string()];
        let mut child = Command::new(std::env::current_exe()?)
            .args(["work", family.name, &seeds[0], &seeds[1]])
            .args(only.iter().flat_map(|oracle| ["--oracle", oracle.name()]))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let lines = lines(&mut child);
        let mut at: Option<(u64, Oracle)> = None;
        let ended = loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    let words: Vec<&str> = line.splitn(4, ' ').collect();
                    match words.as_slice() {
                        ["start", seed, oracle] => at = seed.parse().ok().zip(Oracle::of(oracle)),
                        ["done", seed] => {
                            batch.programs += 1;
                            next = seed.parse::<u64>().unwrap_or(next) + 1;
                        }
                        ["refused", ..] => batch.refused += 1,
                        ["differs", seed, oracle, reason] => {
                            let (Ok(seed), Some(oracle)) = (seed.parse(), Oracle::of(oracle))
                            else {
                                continue;
                            };
                            let reason = reason.replace("\\n", "\n");
                            batch.findings.push(Finding {
                                family: family.name,
                                seed,
                                oracle,
                                reason,
                            });
                        }
                        ["pairs", ..] => {
                            let json = line.trim_start_matches("pairs ");
                            let found: Pairs = serde_json::from_str(json).unwrap_or_default();
                            for (pair, count) in found {
                                *batch.pairs.entry(pair).or_default() += count;
                            }
                        }
                        _ => {}
                    }
                }
                Err(RecvTimeoutError::Timeout) => break "takes longer than a minute",
                Err(RecvTimeoutError::Disconnected) => break "ends the process",
            }
        };
        // It may have ended by itself.
        let _ = child.kill();
        let status = child.wait()?;
        if next >= end && status.success() {
            break;
        }
        let Some((seed, oracle)) = at else { bail!("`strata-fuzz work` does not start: {status}") };
        let reason = format!("the program {ended}: {status}");
        batch.findings.push(Finding { family: family.name, seed, oracle, reason });
        next = seed + 1;
    }
    Ok(batch)
}

/// The output of a worker, line by line.
pub fn lines(child: &mut Child) -> Receiver<String> {
    let (send, receive) = channel();
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
    }
    receive
}

/// The worker: runs the seeds and prints the outcome of each on standard output.
///
/// # Errors
/// If standard output is closed.
pub fn work(family: &Family, first: u64, end: u64, only: Option<Oracle>) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut pairs = Pairs::new();
    for seed in first..end {
        let case = draw(family, seed);
        let oracle = only.unwrap_or_else(|| oracle(family, seed));
        writeln!(out, "start {seed} {}", oracle.name())?;
        out.flush()?;
        match oracle.check(&case, seed) {
            Ok(Outcome::Agrees) => {}
            Ok(Outcome::Refused(code)) => writeln!(out, "refused {seed} {code}")?,
            Err(reason) => {
                let reason = reason.replace('\n', "\\n");
                writeln!(out, "differs {seed} {} {reason}", oracle.name())?;
            }
        }
        coverage::add(&case.text, &mut pairs);
        writeln!(out, "done {seed}")?;
    }
    writeln!(out, "pairs {}", serde_json::to_string(&pairs)?)?;
    Ok(out.flush()?)
}

/// How `strata-fuzz check` ends.
pub const AGREES: i32 = 0;
/// The results differ, or the compiler breaks.
pub const FAILS: i32 = 1;
/// The program is rejected, or invalid.
pub const REFUSED: i32 = 2;

/// Reduces the program of a finding, writes it, and prints a line about it.
fn keep(finding: &Finding, folder: &Path) -> Result<String> {
    let Finding { family: name, seed, oracle, reason } = finding;
    let Some(family) = family(name) else { bail!("there is no family `{name}`") };
    let case = draw(family, *seed);
    let scratch =
        std::env::temp_dir().join(format!("strata-fuzz-{}-{name}-{seed}.mlir", std::process::id()));
    let kind = failure(&case.text, &case, *oracle, *seed, &scratch)?;
    let mut fails = |text: &str| {
        kind.is_some()
            && failure(text, &case, *oracle, *seed, &scratch).is_ok_and(|now| now == kind)
    };
    let small =
        reduce(&case.text, REDUCTION_STEPS, &mut fails).unwrap_or_else(|_| case.text.clone());
    // Rewritten for each test.
    let _ = fs::remove_file(&scratch);
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("{name}_{seed}_{}.mlir", oracle.name().replace('-', "_")));
    let reason: String = reason.lines().take(12).map(|line| format!("// {line}\n")).collect();
    let unstable = if kind.is_some() { "" } else { "// It did not fail again during reduction.\n" };
    fs::write(
        &path,
        format!("// {name}, seed {seed}, {}:\n{reason}{unstable}{small}", oracle.name()),
    )?;
    let first = finding.reason.lines().next().unwrap_or_default();
    let line = format!("{name} {seed} {}: {first}", oracle.name());
    println!("{line}");
    Ok(line)
}

/// How a program fails in a worker process; `None` if it does not.
fn failure(
    text: &str,
    case: &Case,
    oracle: Oracle,
    seed: u64,
    scratch: &Path,
) -> Result<Option<String>> {
    fs::write(scratch, text)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("check").arg(scratch).args([
        "--oracle",
        oracle.name(),
        "--seed",
        &seed.to_string(),
    ]);
    if case.loosest() == Tolerance::EXACT {
        command.arg("--exact");
    }
    if case.values.is_some() {
        command.arg("--tame");
    }
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let lines = lines(&mut child);
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut first = None;
    let hangs = loop {
        match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => first = first.or(Some(line)),
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        }
    };
    if hangs {
        // It may just have ended.
        let _ = child.kill();
        child.wait()?;
        return Ok(Some("hangs".to_owned()));
    }
    Ok(match child.wait()?.code() {
        Some(AGREES | REFUSED) => None,
        Some(_) => Some(first.map_or_else(|| "fails".to_owned(), |line| kind_of(&line))),
        None => Some("crashes".to_owned()),
    })
}

/// What two failures must have in common: the code of a diagnostic, or that results differ.
fn kind_of(line: &str) -> String {
    let code = line.split(|letter: char| !letter.is_ascii_alphanumeric()).find(|word| {
        word.len() == 5
            && word.starts_with('S')
            && word[1..].chars().all(|digit| digit.is_ascii_digit())
    });
    code.unwrap_or("differs").to_owned()
}
