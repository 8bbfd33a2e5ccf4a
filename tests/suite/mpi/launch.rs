//! The MPIs of this machine, and their launchers.

use std::{
    fs,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use super::ROOT;
use crate::command::binary;

/// Seconds after which a run counts as one that hangs.
pub const LIMIT: &str = "120";

/// How long a launcher may stay after its ranks.
const LEFT: Duration = Duration::from_secs(10);

/// An MPI.
pub struct Mpi {
    pub name: &'static str,
    /// What starts ranks, up to their number.
    pub launch: Vec<String>,
    /// What compiles a C file for it.
    compile: Vec<String>,
    /// What the provider loads.
    pub library: Option<PathBuf>,
}

impl Mpi {
    /// Compiles a C file with the provider.
    pub fn build(&self, source: &Path, more: &[&str], folder: &Path) -> PathBuf {
        let program =
            folder.join(format!("{}-{}", source.file_stem().unwrap().display(), self.name));
        let built = Command::new(&self.compile[0])
            .args(&self.compile[1..])
            .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread", "-I"])
            .arg(Path::new(ROOT).join("include"))
            .arg(source)
            .arg(Path::new(ROOT).join("include/strata/mpi.c"))
            .args(more)
            .args(["-lm", "-ldl", "-o"])
            .arg(&program)
            .current_dir(folder)
            .output()
            .expect("a compiler");
        assert!(built.status.success(), "{}: {}", self.name, text(&built));
        program
    }

    /// Runs a program on so many ranks.
    pub fn run(&self, ranks: usize, program: &Path, arguments: &[&str], folder: &Path) -> Output {
        self.timed(ranks, program, arguments, folder).0
    }

    /// The same, and how long it took.
    pub fn timed(
        &self,
        ranks: usize,
        program: &Path,
        arguments: &[&str],
        folder: &Path,
    ) -> (Output, Duration) {
        let mut words = self.launch.clone();
        words.extend([ranks.to_string(), program.display().to_string()]);
        words.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        // What is loaded instead of found is named.
        if self.loads(program) {
            words.extend(self.library.iter().map(|library| library.display().to_string()));
        }
        launch(&words, folder)
    }

    /// Whether a program is told which MPI it loads; commands find it.
    fn loads(&self, program: &Path) -> bool {
        program != binary() && program != Path::new("sh")
    }
}

/// Runs a launcher of ranks. What the ranks do counts: Open MPI's launcher, up to 4.1 at least, may wait for itself for ever in
/// `PMIx_server_finalize` after all ranks have ended. It is killed then, and the run is done again.
fn launch(words: &[String], folder: &Path) -> (Output, Duration) {
    for _ in 0..5 {
        let start = Instant::now();
        if let Some(output) = launch_once(words, folder) {
            return (output, start.elapsed());
        }
        eprintln!("the launcher has stayed after its ranks: {words:?}");
    }
    panic!("the launcher stays after its ranks: {words:?}");
}

/// None if the launcher does not end though all ranks have.
fn launch_once(words: &[String], folder: &Path) -> Option<Output> {
    // Files, since who waits for the end of a pipe waits for all that hold it.
    let said = [tempfile::tempfile().expect("a file"), tempfile::tempfile().expect("a file")];
    let [out, err] = [0, 1].map(|at: usize| said[at].try_clone().expect("a file"));
    let mut launcher = Command::new("timeout")
        .args(["--kill-after=5", LIMIT])
        .args(words)
        .current_dir(folder)
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .expect("it starts");
    let mut alone_since = None;
    let mut had_ranks = false;
    let status = loop {
        if let Some(status) = launcher.try_wait().expect("its status") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(20));
        // `timeout`'s child is the launcher.
        let lives = living_below(launcher.id()).len() > 1;
        had_ranks |= lives;
        alone_since = (!lives && had_ranks).then(|| alone_since.unwrap_or_else(Instant::now));
        if alone_since.is_some_and(|since| since.elapsed() > LEFT) {
            for process in living_below(launcher.id()) {
                Command::new("kill").args(["-KILL", &process.to_string()]).status().expect("kill");
            }
            launcher.wait().expect("its status");
            return None;
        }
    };
    let [stdout, stderr] = said.map(|mut file| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).expect("a file");
        file.read_to_end(&mut bytes).expect("a file");
        bytes
    });
    Some(Output { status, stdout, stderr })
}

/// The processes that one has started, and theirs, that have not ended.
fn living_below(process: u32) -> Vec<u32> {
    let all: Vec<_> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter_map(|one| {
            let line = fs::read_to_string(format!("/proc/{one}/stat")).ok()?;
            // The name in parentheses may have spaces.
            let mut rest = line.rsplit_once(") ")?.1.split(' ');
            let (state, parent) = (rest.next()?, rest.next()?.parse::<u32>().ok()?);
            (state != "Z").then_some((one, parent))
        })
        .collect();
    let mut found = vec![process];
    let mut at = 0;
    while at < found.len() {
        let own = found[at];
        found.extend(all.iter().filter(|(_, parent)| *parent == own).map(|(one, _)| *one));
        at += 1;
    }
    found.split_off(1)
}

pub fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}{err}")
}

fn is_installed(command: &str) -> bool {
    Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The MPIs of this machine; says why one is left out.
pub fn installed() -> Vec<Mpi> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut all = Vec::new();
    let debian = [
        ("openmpi", "mpirun.openmpi --allow-run-as-root --oversubscribe -n", "mpicc.openmpi"),
        ("mpich", "mpirun.mpich -n", "mpicc.mpich"),
    ];
    for (name, launch, compiler) in debian {
        let launch = words(launch);
        if is_installed(compiler) && is_installed(&launch[0]) {
            all.push(Mpi { name, launch, compile: words(compiler), library: None });
        } else {
            eprintln!("left out: {name}, since there is no {compiler} (Debian: lib{name}-dev)");
        }
    }
    // That of `pip install mpich`, whose folder the environment names.
    let folder = std::env::var_os("STRATA_TEST_MPI").map(PathBuf::from);
    match folder {
        Some(folder) => all.push(Mpi {
            name: "abi",
            launch: vec![folder.join("bin/mpiexec").display().to_string(), "-n".to_owned()],
            compile: words("cc -DSTRATA_MPI_ABI"),
            library: Some(folder.join("lib/libmpi_abi.so.1")),
        }),
        None => eprintln!(
            "left out: an MPI with the standard ABI, since STRATA_TEST_MPI does not name the folder of one (`pip install mpich`)"
        ),
    }
    all
}

/// A launcher that stays after its ranks is killed, and the run done again; one whose ranks live is left alone.
#[test]
fn a_launcher_that_stays_is_started_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "sleep 1; echo ran; if mkdir first 2>/dev/null; then kill -STOP $$; fi; exit 3";
    let (output, _) = launch(&["sh", "-c", script].map(str::to_owned), folder.path());
    assert_eq!((output.status.code(), text(&output)), (Some(3), "ran\n".to_owned()));
}
