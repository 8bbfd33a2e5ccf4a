//! Mistakes that are made on purpose, and which layer of the tests finds each.
//!
//! `strata_ir::planted` marks the places; a build with the feature `faults` makes the mistake that `STRATA_FAULT` names.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Result, bail};
use strata_eval::verify::Tolerance;
use strata_ir::FAULT;

use crate::{
    campaign::{draw, lines, oracles},
    families::{FAMILIES, Kind},
    oracle::Oracle,
    source::Case,
};

/// A mistake that can be made.
pub struct Fault {
    /// What `STRATA_FAULT` calls it: the room, and what is wrong there.
    pub name: &'static str,
    /// What is believed wrongly.
    pub what: &'static str,
}

const fn fault(name: &'static str, what: &'static str) -> Fault {
    Fault { name, what }
}

impl Fault {
    /// Whether it is one of where values lie: the checks of stage `affine` have to find it.
    pub fn is_of_buffers(&self) -> bool {
        let rooms = [
            "interference-",
            "liveness-",
            "plan-",
            "moves-",
            "touches-",
            "placement-",
            "rotation-",
            "places-",
            "streams-",
            "emit-",
        ];
        rooms.iter().any(|room| self.name.starts_with(room))
    }
}

/// All of them, along the way through the stages within each group.
pub const FAULTS: &[Fault] = &[
    fault("interference-stream-elsewhere", "a nest that reads before it writes may lie anywhere"),
    fault("interference-next-trip", "what the next trip needs is taken for done with"),
    fault("interference-read", "a write over what is read later does no harm"),
    fault("interference-handed", "a write over what is handed on does no harm"),
    fault(
        "interference-pointwise-elsewhere",
        "an elementwise result may overlap its operand at another place",
    ),
    fault(
        "interference-destination-elsewhere",
        "a result may overlap its destination at another place",
    ),
    fault("interference-part-elsewhere", "a part may lie beside the place that it is put into"),
    fault("liveness-without-loops", "lifetimes are not extended over loops"),
    fault("liveness-ends-early", "lifetimes end one point early"),
    fault("liveness-within-a-trip", "what leaves a loop lives for one trip"),
    fault("liveness-of-one-alias", "what a terminator hands on is no use"),
    fault("liveness-size", "temporaries have half their size"),
    fault("plan-overlap", "lifetimes that touch do not overlap"),
    fault("plan-gap", "a gap is large enough whatever it is to hold"),
    fault("plan-offset", "temporaries lie 64 bytes too low"),
    fault("moves-order", "copies at once are done in any order"),
    fault("moves-saved", "a cycle of copies reads what was overwritten"),
    fault("touches-part-reads", "writes of a part keep nothing of the rest"),
    fault("touches-accumulator-reads", "a body does not read its destination"),
    fault("touches-no-trip", "a nest that runs not even once writes its result"),
    fault("touches-pointwise", "an operand of any map is read element by element"),
    fault("placement-in-input", "temporaries may lie in inputs"),
    fault("placement-interferes", "nothing interferes"),
    fault("placement-one-way", "only the moved buffer is looked at for clobbers"),
    fault("placement-unknown-index", "a slice at an index that is not known yet may be a place"),
    fault("rotation-kept", "a buffer that keeps its role takes another"),
    fault("rotation-outlives", "a buffer that outlives the trip changes its role"),
    fault("places-disjoint", "slices that share an element are disjoint"),
    fault("places-offset", "slices begin where their buffer begins"),
    fault("streams-limit", "a nest may overwrite what its next trip reads"),
    fault("streams-order", "elements may be overwritten before they are read"),
    fault("emit-handed", "the last copy at a block's end is left out"),
    fault("emit-renamed", "no state is copied at a trip's end where buffers change roles"),
    fault("emit-destination", "what a destination holds is not copied"),
    fault("emit-part", "a part is not copied to its place"),
    fault("emit-select", "the other buffer of two is chosen"),
    fault("emit-access", "constant offsets of slices are left out"),
    fault("emit-access-inside", "accesses beyond a slice are seen through it"),
    fault("accumulators-same", "another element of the buffer is kept in a register, too"),
    fault("accumulators-fixed", "an accumulator that moves is kept in a register"),
    fault("reductions-index", "exchanged loops keep the numbers of indices"),
    fault("copies-strided", "strided copies are copied as bytes in a row"),
    fault("kernels-noalias", "arguments that share bytes are said not to"),
    fault("kernels-content", "functions of other promises are one"),
    fault("hlo-add-zero", "x + 0.0 is x"),
    fault("hlo-select", "the other side of a known choice"),
    fault("hlo-float-minus-itself", "identities of integers hold for floats"),
    fault("hlo-fold-reverse", "reversed constants are not reversed"),
    fault("hlo-fold-pad", "padded constants have no gaps"),
    fault("hlo-slice-stride", "a slice of a slice forgets the outer stride"),
    fault("hlo-slices-adjacent", "slices side by side need not touch"),
    fault("hlo-transpose-order", "two transposes are one, in the other order"),
    fault("hlo-short-loop", "an unrolled loop has one trip less"),
    fault("hlo-invariant-state", "what depends on a state is moved out of the loop"),
    fault("linalg-gather-clamp", "negative places are not clamped"),
    fault("linalg-gather-limit", "places are clamped as if slices had one element"),
    fault("linalg-scatter-bound", "an update just behind the end is done"),
    fault("linalg-scatter-unsigned", "large unsigned places are negative ones"),
    fault("linalg-pad-crop", "negative padding cuts the other end"),
    fault("linalg-window-edges", "a window of one place is padded as any other"),
    fault("linalg-compare-nan", "only greater numbers are unequal"),
    fault("linalg-compare-signed", "unsigned numbers are compared as signed"),
    fault("linalg-total-order", "negative floats are ordered by their bits"),
    fault("linalg-clamp-order", "clamp takes the lower bound last"),
    fault("linalg-dot-narrow-sum", "products of narrow floats are added in their type"),
    fault("linalg-dot-unsigned", "unsigned products are extended as signed"),
    fault("linalg-reverse", "reversals begin one element early"),
    fault("linalg-transpose-units", "dimensions of two do not count as moved"),
    fault("linalg-select-first", "the first element of a window is compared with zero"),
    fault("linalg-fft-scale", "inverse transforms are not scaled"),
    fault("linalg-fft-mirror", "the mirrored half is not conjugated"),
    fault("linalg-conv-reversal", "kernels are reversed the other way"),
    fault("linalg-widen-signed", "unsigned integers widen with a sign"),
    fault("schedule-transpose", "copies are transposed by the inverse permutation"),
    fault("schedule-merge-maps", "an operand read twice is read by one map"),
    fault("schedule-gather-reader", "a reader of rows may read them in any order"),
    fault("schedule-rematerialize", "a recomputed value may be read in any order"),
    fault("vector-tail", "a tail of one lane too many is no tail"),
    fault("vector-row-exists", "the row behind the last exists"),
    fault("vector-mask", "masks have one lane too many"),
    fault("vector-both-masks", "the mask of an access with a bound is forgotten"),
    fault("vector-fold-tail", "the narrow tail of a row is not added"),
    fault("codegen-zeros", "maximum and minimum do not order the zeros"),
    fault("codegen-donation-apart", "donated inputs in buffers of their own are not copied"),
];

/// Seeds of each family that a fault meets.
const SEEDS: u64 = 16;
/// How long one program may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a layer said of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sign {
    /// `static`: the compiler's own checks; `shadow`: the interpreter's; `stage`: the results of a stage; `value`: those of
    /// the object; `crash`: the process ended, or hangs.
    kind: String,
    /// The program.
    place: String,
}

/// The programs that a fault meets.
struct Programs {
    /// The repository's own.
    files: Vec<PathBuf>,
    /// Random ones: families and seeds.
    random: Vec<(&'static str, u64)>,
}

fn programs(cases: &Path) -> Result<Programs> {
    let mut files = Vec::new();
    for folder in ["ops", "programs", "expected"] {
        collect(&cases.join(folder), &mut files)?;
    }
    files.sort();
    let random = (0..SEEDS).flat_map(|seed| {
        let families = FAMILIES.iter().filter(|family| family.kind != Kind::Damaged);
        families.map(move |family| (family.name, seed))
    });
    Ok(Programs { files, random: random.collect() })
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|kind| kind == "mlir") {
            files.push(path);
        }
    }
    Ok(())
}

/// Goes through the programs with the mistake made and says of each that fails how it does. `skip` are those that fail
/// without a mistake, `from` is the number of the first program.
///
/// # Errors
/// Where files cannot be read.
pub fn probe(cases: &Path, from: usize) -> Result<()> {
    let Programs { files, random } = programs(cases)?;
    let fault = std::env::var(FAULT).unwrap_or_default();
    let has_shadow = FAULTS.iter().any(|one| one.name == fault && one.is_of_buffers());
    let tell = |number: usize, place: &str, case: &Case, oracles: &[Oracle], seed: u64| {
        let shadow = has_shadow.then_some(Oracle::Stages);
        for oracle in oracles.iter().copied().chain(shadow) {
            if let Err(reason) = oracle.check(case, seed) {
                println!("sign {number} {} {place}", kind_of(&reason));
            }
        }
    };
    for (number, file) in files.iter().enumerate().skip(from) {
        println!("start {number} case:{}", place_of(cases, file));
        let case = Case::exact(fs::read_to_string(file)?).within(Tolerance::default());
        tell(number, &format!("case:{}", place_of(cases, file)), &case, &[Oracle::Native], 1);
    }
    for (at, (name, seed)) in random.iter().enumerate() {
        let number = files.len() + at;
        if number < from {
            continue;
        }
        println!("start {number} random:{name}:{seed}");
        let Some(family) = crate::families::family(name) else { continue };
        let case = draw(family, *seed);
        let place = format!("random:{name}:{seed}");
        tell(number, &place, &case, &oracles(family, *seed), *seed);
    }
    println!("end");
    Ok(())
}

fn place_of(cases: &Path, file: &Path) -> String {
    file.strip_prefix(cases).unwrap_or(file).display().to_string()
}

/// What found it: the interpreter's shadow of the bytes, the results of a stage, one of the compiler's own checks, a result.
fn kind_of(reason: &str) -> &'static str {
    let has = |codes: &[&str]| codes.iter().any(|code| reason.contains(code));
    match () {
        () if has(&["S1921", "S1922", "S1923", "S1924"]) => "shadow",
        () if has(&["S9006"]) => "stage",
        () if reason.contains("depend on what the workspace held") => "value",
        () if has(&["S9002", "S9003", "S9001"]) => "static",
        () => "value",
    }
}

/// All signs of a mistake; with `enough`, only until each layer that can find it has.
fn signs(fault: &str, cases: &Path, known: &BTreeSet<String>, enough: bool) -> Result<Vec<Sign>> {
    let of_buffers = FAULTS.iter().any(|one| one.name == fault && one.is_of_buffers());
    let mut found: Vec<Sign> = Vec::new();
    let mut from = 0;
    loop {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["probe", "--cases"])
            .arg(cases)
            .args(["--from", &from.to_string()])
            .env(FAULT, fault)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let lines = lines(&mut child);
        let mut last: Option<(usize, String)> = None;
        let mut is_over = false;
        while let Ok(line) = lines.recv_timeout(PATIENCE) {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            match words.as_slice() {
                ["start", number, place] => {
                    last = number.parse().ok().map(|number| (number, (*place).to_owned()));
                }
                ["sign", _, kind, place] if !known.contains(*place) => {
                    found.push(Sign { kind: (*kind).to_owned(), place: (*place).to_owned() });
                }
                ["end"] => is_over = true,
                _ => {}
            }
            let has = |layer: &str| found.iter().any(|sign| sign.place.starts_with(layer));
            if enough && has("case") && has("random") && (!of_buffers || is_checked(&found)) {
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
        if !known.contains(&place) {
            found.push(Sign { kind: "crash".to_owned(), place });
        }
        from = number + 1;
    }
}

/// Whether it was a check that found it, not only a result.
fn is_checked(found: &[Sign]) -> bool {
    found.iter().any(|sign| sign.kind == "static" || sign.kind == "shadow")
}

/// Makes each mistake in turn and prints which layer finds it; true where all are found, those of buffers by a check.
///
/// # Errors
/// Where the build has no mistakes to make, or files cannot be read.
pub fn table(cases: &Path, only: &[String]) -> Result<bool> {
    if !cfg!(feature = "faults") {
        bail!("this build makes no mistakes: build it with `--features faults`");
    }
    if !cases.join("ops").is_dir() {
        bail!("{} has no folder `ops`: name the folder `tests` of the repository", cases.display());
    }
    let known = signs("", cases, &BTreeSet::new(), false)?;
    let known: BTreeSet<String> = known.into_iter().map(|sign| sign.place).collect();
    println!("{} programs fail without a fault and are left out", known.len());
    println!("{:36} {:44} {:44} what", "fault", "cases", "random programs");
    let mut missed = 0;
    let mut count = 0;
    for fault in
        FAULTS.iter().filter(|fault| only.is_empty() || only.iter().any(|one| one == fault.name))
    {
        count += 1;
        let found = signs(fault.name, cases, &known, true)?;
        let first = |layer: &str| {
            let of_layer = found.iter().filter(|sign| sign.place.starts_with(layer));
            // A check says more than a result.
            let of_kind = |kind: &str| of_layer.clone().find(|sign| sign.kind == kind);
            let sign = of_kind("static").or(of_kind("shadow")).or(of_layer.clone().next());
            sign.map_or_else(
                || "-".to_owned(),
                |sign| {
                    let (_, place) = sign.place.split_once(':').unwrap_or(("", &sign.place));
                    format!("{} {place}", sign.kind)
                },
            )
        };
        let is_missed = found.is_empty() || (fault.is_of_buffers() && !is_checked(&found));
        missed += usize::from(is_missed);
        let mark = if is_missed { "  <- missed" } else { "" };
        println!(
            "{:36} {:44} {:44} {}{mark}",
            fault.name,
            first("case"),
            first("random"),
            fault.what
        );
    }
    println!("{count} faults, {missed} missed");
    Ok(missed == 0)
}
