//! The table of faults and of the layers that find them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::{Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::{Result, bail};
use strata_ir::FAULT;

use super::{
    FAULTS, Fault,
    probe::{LAYERS, Layer},
};
use crate::campaign::lines;

/// How long one program may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// A layer's report about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sign {
    /// `static`: the compiler's own checks; `shadow`: the interpreter's; `stage`: the results of a stage; `value`: those of
    /// the object; `crash`: the process ended, or hangs.
    kind: String,
    /// The program.
    place: String,
}

impl Sign {
    /// Whether it was a check that found it, not only a result.
    fn is_checked(&self) -> bool {
        self.kind == "static" || self.kind == "shadow"
    }
}

/// The programs of each layer that fail without a fault.
type Known = BTreeMap<Layer, BTreeSet<String>>;

/// Options for all faults.
struct Question<'a> {
    cases: &'a Path,
    known: Known,
}

impl Question<'_> {
    /// The reports of a fault in a layer, until `is_enough` of them.
    fn signs(
        &self,
        fault: &str,
        layer: Layer,
        is_enough: impl Fn(&[Sign]) -> bool,
    ) -> Result<Vec<Sign>> {
        let is_known =
            |place: &str| self.known.get(&layer).is_some_and(|known| known.contains(place));
        let mut found: Vec<Sign> = Vec::new();
        let mut from = 0;
        loop {
            let mut child = Command::new(std::env::current_exe()?)
                .args(["probe", "--layer", layer.name(), "--from", &from.to_string(), "--cases"])
                .arg(self.cases)
                .env(FAULT, fault)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()?;
            let lines = lines(&mut child);
            let mut last: Option<(usize, String)> = None;
            let mut is_over = false;
            while let Ok(line) = lines.recv_timeout(PATIENCE) {
                let words: Vec<&str> = line.splitn(3, ' ').collect();
                match words.as_slice() {
                    ["start", number, place] => {
                        last = number.parse().ok().map(|number| (number, (*place).to_owned()));
                    }
                    ["sign", kind, place] if !is_known(place) => {
                        found.push(Sign { kind: (*kind).to_owned(), place: (*place).to_owned() });
                    }
                    ["end"] => is_over = true,
                    _ => {}
                }
                if is_enough(&found) {
                    is_over = true;
                    break;
                }
            }
            // It may have ended by itself.
            let _ = child.kill();
            child.wait()?;
            if is_over {
                return Ok(found);
            }
            let Some((number, place)) = last else { bail!("`strata-fuzz probe` does not start") };
            if !is_known(&place) {
                found.push(Sign { kind: "crash".to_owned(), place });
            }
            from = number + 1;
        }
    }

    /// A row of the table, and whether the fault was found as required.
    fn row(&self, fault: &Fault) -> Result<(String, bool)> {
        let is_checked = |found: &[Sign]| found.iter().any(Sign::is_checked);
        let mut cells = Vec::new();
        let mut all: Vec<Sign> = Vec::new();
        for layer in LAYERS {
            // The interpreter is slow: it only runs if a check must find the fault and none has.
            if layer == Layer::Shadow && (!fault.is_of_buffers() || is_checked(&all)) {
                cells.push(String::new());
                continue;
            }
            let needs_check =
                layer == Layer::Shadow || (layer == Layer::Cases && fault.is_of_buffers());
            let found = self.signs(fault.name, layer, |found| match needs_check {
                true => is_checked(found),
                false => !found.is_empty(),
            })?;
            // A failed check is more specific than a wrong result.
            let sign = found.iter().find(|sign| sign.is_checked()).or(found.first());
            cells.push(match sign {
                Some(sign) => format!("{} {}", sign.kind, sign.place.replace("/input.mlir", "")),
                None => "-".to_owned(),
            });
            all.extend(found);
        }
        let is_missed = all.is_empty() || (fault.is_of_buffers() && !is_checked(&all));
        let mark = if is_missed { "  <- missed" } else { "" };
        let row = format!(
            "{:36} {:40} {:32} {:24} {}{mark}",
            fault.name, cells[0], cells[1], cells[2], fault.what
        );
        Ok((row, !is_missed))
    }
}

/// Enables each fault, `jobs` in parallel, and prints which layer finds it; returns true if all are found, those
/// about buffers by a check.
///
/// # Errors
/// If the build has no faults, or files cannot be read.
pub fn table(cases: &Path, only: &[String], jobs: usize) -> Result<bool> {
    if !cfg!(feature = "faults") {
        bail!("this build has no faults: build it with `--features faults`");
    }
    if !cases.join("ops").is_dir() {
        bail!("{} has no folder `ops`: name the folder `tests` of the repository", cases.display());
    }
    if let Some(unknown) = only.iter().find(|name| FAULTS.iter().all(|fault| fault.name != **name))
    {
        bail!("there is no fault `{unknown}`");
    }
    let chosen: Vec<&Fault> = FAULTS
        .iter()
        .filter(|fault| only.is_empty() || only.iter().any(|name| name == fault.name))
        .collect();
    let mut question = Question { cases, known: Known::new() };
    let without = at_once(jobs, &LAYERS, |layer| {
        let found = question.signs("", *layer, |_| false)?;
        Ok((*layer, found.into_iter().map(|sign| sign.place).collect()))
    })?;
    question.known = without.into_iter().collect();
    let count: usize = question.known.values().map(BTreeSet::len).sum();
    println!("{count} programs fail without a fault and are skipped");
    println!("{:36} {:40} {:32} {:24} what", "fault", "cases", "random programs", "shadow");
    let rows = at_once(jobs, &chosen, |fault| {
        let (row, is_found) = question.row(fault)?;
        println!("{row}");
        Ok(is_found)
    })?;
    let missed = rows.iter().filter(|is_found| !**is_found).count();
    println!("{} faults, {missed} missed", rows.len());
    Ok(missed == 0)
}

/// `act` on all of `list`, `jobs` in parallel; the results in the order of the list.
fn at_once<T: Sync, R: Send>(
    jobs: usize,
    list: &[T],
    act: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(one) = list.get(at) else { break };
                    let result = act(one);
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert(at, result);
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}
