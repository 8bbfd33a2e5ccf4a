//! Programs for several devices whose devices are the ranks of an MPI program: `mpirun -n 4 strata run …`.

use std::{
    env, fs,
    os::unix::process::parent_id,
    path::{Path, PathBuf},
    process::Command,
};

use strata::Signature;
use strata_diag::{Diagnostic, Location, codes};
use strata_run::{Environment, Loaded, MPI_SOURCES, MpiLibrary, Rank};
use strata_threads::Pool;

use super::{
    Outcome, devices,
    host::{Host, not_alike},
    threads,
};
use crate::{args::RunArgs, supervisor};

/// What an MPI's launcher tells its processes in the environment: how many they are, by variable, and whether it is Open MPI's.
const LAUNCHERS: &[(&str, bool)] = &[("OMPI_COMM_WORLD_SIZE", true), ("PMI_SIZE", false)];

/// Compilers of an MPI, by whether it is Open MPI.
const COMPILERS: [&[&str]; 2] = [&["mpicc.mpich", "mpicc"], &["mpicc.openmpi", "mpicc"]];

/// Names of an MPI with the standard ABI.
const STANDARD: &[&str] = &["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"];

/// The launcher that started this process.
#[derive(Clone, Copy)]
pub struct Launcher {
    /// How many ranks it started; `None` if only the MPI knows.
    count: Option<usize>,
    is_open_mpi: bool,
}

/// That of several processes, if there is one; `None`, too, if the command line asks for devices in this process.
pub fn launcher(args: &RunArgs) -> Option<Launcher> {
    let found = LAUNCHERS.iter().find_map(|(name, is_open_mpi)| {
        let count = env::var(name).ok()?.parse().ok()?;
        Some(Launcher { count: Some(count), is_open_mpi: *is_open_mpi })
    });
    match args.mpi.to_str() {
        Some("none") => None,
        Some("auto") => found.filter(|found| found.count != Some(1)),
        _ => Some(found.unwrap_or(Launcher { count: None, is_open_mpi: false })),
    }
}

/// Refuses to run a program for one device several times, with the same files.
///
/// # Errors
/// `S0001`.
pub fn check_alone(args: &RunArgs) -> Result<(), Diagnostic> {
    match launcher(args).and_then(|launcher| launcher.count) {
        Some(count) if count > 1 => Err(Diagnostic::new(codes::S0001)
            .reason(format!("the program is for one device, and there are {count} ranks"))
            .hint(format!(
                "start it without `mpirun`, or with `--mpi none` to run it on each rank alone; a program for {count} devices declares them: \
                 `mhlo.num_partitions = {count} : i32`"
            ))),
        _ => Ok(()),
    }
}

/// Runs the program on this rank. The first one writes the outputs.
pub fn run(
    args: &RunArgs,
    loaded: &Loaded,
    signature: &Signature,
    grid: (usize, usize),
    launcher: Launcher,
    (name, program): (&str, &[u8]),
) -> Outcome {
    let count = grid.0 * grid.1;
    if let Some(ranks) = launcher.count.filter(|ranks| *ranks != count) {
        let ranks =
            if ranks == 1 { "is one rank".to_owned() } else { format!("are {ranks} ranks") };
        let many = |count: usize, noun: &str| match count {
            1 => format!("1 {noun}"),
            _ => format!("{count} {noun}s"),
        };
        let reason = format!(
            "the program is for {count} devices ({} of {}), and there {ranks}",
            many(grid.0, "replica"),
            many(grid.1, "partition")
        );
        let failed = Diagnostic::new(codes::S1805).at(Location::file(name)).reason(reason);
        let hint = format!("`mpirun -n {count}`; without `mpirun` devices are threads");
        return Err(failed.hint(hint).into());
    }
    let mut inputs = devices::read_inputs(&args.arrays, signature, count, name)?;
    let pool = threads::pool(args.threads)?;
    let library = library(&args.mpi, launcher)?;
    supervisor::compiled_code_starts();
    let in_program = |error: Diagnostic| error.at(Location::file(name));
    let limit = args.time_limit as f64;
    let rank = library.join(grid, signature.program.unwrap_or(0), limit).map_err(in_program)?;
    check_inputs(&rank, &inputs).map_err(in_program)?;
    let mine = std::mem::take(&mut inputs[rank.number()]);
    drop(inputs);
    let mut host = match args.arrays.per_device {
        true => Host::of_device(&args.host, rank.number(), count),
        false => Host::new(&args.host),
    };
    let mut environment = Environment {
        host: Some(&mut host),
        collectives: Some(rank.collectives()),
        threads: pool.as_ref().map(Pool::executor),
    };
    let (status, outputs) = loaded.call_in(&mine, &mut environment)?;
    let ended = rank.end(status).map_err(|error| devices::placed(error, name, program));
    if let Some(failure) = host.failure.take() {
        return Err(failure.into());
    }
    ended?;
    if args.arrays.per_device {
        gather_arrays(&rank, &mut host).map_err(in_program)?;
    }
    let mut all = vec![Vec::new(); count];
    for output in outputs {
        let gathered = rank.gather(c"an output", output).map_err(in_program)?;
        for (outputs, bytes) in all.iter_mut().zip(gathered) {
            outputs.push(bytes);
        }
    }
    rank.end(0).map_err(in_program)?;
    match rank.number() {
        0 => {
            host.write(&args.host)?;
            devices::write_outputs(&args.arrays, signature, &all)
        }
        _ => Ok(()),
    }
}

/// Tells a program that has no hash from others.
pub fn hash_of_program(text: &[u8]) -> i64 {
    hash_of(std::iter::once(text)).cast_signed()
}

/// FNV-1a, of words.
fn hash_of<'b>(all: impl Iterator<Item = &'b [u8]>) -> u64 {
    let step = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0100_0000_01b3);
    let word = |chunk: &[u8]| {
        chunk.iter().fold(chunk.len() as u64, |word, byte| word << 8 | u64::from(*byte))
    };
    all.flat_map(|one| one.chunks(8)).map(word).fold(0xcbf2_9ce4_8422_2325, step)
}

/// Gives the first rank what all ranks gave their hosts, which have to be arrays of the same names and types.
fn gather_arrays(rank: &Rank, host: &mut Host) -> Result<(), Diagnostic> {
    let hash = hash_of(std::iter::once(host.names().as_bytes()));
    let all = rank.all_gather(c"the arrays of hosts", &hash.to_le_bytes())?;
    let (first, rest) = all.split_at(8);
    if let Some(other) = rest.chunks(8).position(|other| other != first) {
        return Err(not_alike(format!(
            "rank {} gave its host other arrays than rank 0",
            other + 1
        )));
    }
    let mut joined = Vec::new();
    for own in host.take_arrays() {
        joined.push(rank.gather(c"an array of a host", own)?.concat());
    }
    host.put_arrays(joined, rank.count());
    Ok(())
}

/// All ranks have to have read the same inputs.
fn check_inputs(rank: &Rank, inputs: &[Vec<Vec<u8>>]) -> Result<(), Diagnostic> {
    let hash = hash_of(inputs.iter().flatten().map(|one| &one[..]));
    let all = rank.all_gather(c"the inputs", &hash.to_le_bytes())?;
    let (first, rest) = all.split_at(8);
    match rest.chunks(8).position(|other| other != first) {
        None => Ok(()),
        Some(other) => Err(Diagnostic::new(codes::S1805)
            .reason(format!("rank {} read other inputs than rank 0", other + 1))
            .hint("all ranks read the same files, whole: each takes its part of them")),
    }
}

/// The MPI that the command line names, or that of the launcher.
///
/// # Errors
/// `S0002` if it cannot be loaded, or there is none.
fn library(asked: &Path, launcher: Launcher) -> Result<MpiLibrary, Diagnostic> {
    if asked != Path::new("auto") {
        return MpiLibrary::open(asked);
    }
    if !launcher.is_open_mpi {
        for candidate in beside_launcher() {
            if candidate.exists() {
                return MpiLibrary::open(&candidate);
            }
        }
        // Where the system's loader finds it.
        for name in STANDARD {
            if let Ok(library) = MpiLibrary::open(Path::new(name)) {
                return Ok(library);
            }
        }
    }
    let mut said = String::new();
    for compiler in COMPILERS[usize::from(launcher.is_open_mpi)] {
        match compiled(compiler) {
            Ok(library) => return Ok(library),
            Err(error) => said = error.reason_text().unwrap_or_default().to_owned(),
        }
    }
    let (launched, package) = match launcher.is_open_mpi {
        true => ("Open MPI", "libopenmpi-dev"),
        false => ("MPICH or one like it", "libmpich-dev, or `pip install mpich`"),
    };
    Err(Diagnostic::new(codes::S0002)
        .reason(format!("there is no library for the MPI of the launcher, {launched}: {said}"))
        .hint(format!("install {package}; `--mpi FILE` names a library")))
}

/// Where an MPI with the standard ABI is if its launcher started this process: `bin/mpiexec`, `lib/libmpi_abi.so.1`.
fn beside_launcher() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut process = parent_id();
    // This command's own supervisor is between the two.
    for _ in 0..4 {
        if let Ok(file) = fs::read_link(format!("/proc/{process}/exe")) {
            folders.extend(file.parent().and_then(Path::parent).map(Path::to_owned));
        }
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // What follows the name, which is in parentheses: the state, and the parent.
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
        let Some(parent) = parent.and_then(|parent| parent.parse().ok()) else { break };
        process = parent;
    }
    let of = |folder: PathBuf| STANDARD.iter().map(move |name| folder.join("lib").join(name));
    folders.into_iter().flat_map(of).collect()
}

/// The provider, compiled by an MPI's compiler.
fn compiled(compiler: &str) -> Result<MpiLibrary, Diagnostic> {
    let failed = |reason: String| Diagnostic::new(codes::S0002).reason(reason);
    let system = |error: std::io::Error| failed(error.to_string());
    let folder = tempfile::tempdir().map_err(system)?;
    for (name, text) in MPI_SOURCES {
        fs::write(folder.path().join(name), text).map_err(system)?;
    }
    let output = Command::new(compiler)
        .current_dir(folder.path())
        .args(["-std=c11", "-O2", "-shared", "-fPIC", "-Wl,-Bsymbolic", "-pthread"])
        .args(["mpi.c", "-o", "libstrata_mpi.so"])
        .output()
        .map_err(|error| failed(format!("`{compiler}` did not start: {error}")))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format!(
            "`{compiler}` ended with {}: {}",
            output.status,
            message.trim_end()
        )));
    }
    MpiLibrary::open(&folder.path().join("libstrata_mpi.so"))
}
