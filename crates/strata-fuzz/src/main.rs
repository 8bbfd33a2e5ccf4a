//! `strata-fuzz`: random programs, compiled in several ways and evaluated.
#![forbid(unsafe_code)]

use std::{
    fs,
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use clap::{Parser, Subcommand};
use strata_fuzz::{
    campaign::{self, AGREES, FAILS, Plan, REFUSED},
    families::{FAMILIES, family},
    faults,
    oracle::{ORACLES, Oracle, Outcome},
    reduce::reduce,
    source::Case,
};
use strata_verify::Tolerance;

// Compilers make many small allocations: glibc's allocator takes a tenth of their time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Random programs, compiled in several ways and evaluated.
#[derive(Parser)]
#[command(version, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Runs programs of all families; exit code 1 if one fails
    Run {
        /// How long, in hours
        #[arg(long, default_value_t = 1.0)]
        hours: f64,
        /// How many programs at most
        #[arg(long, default_value_t = u64::MAX)]
        programs: u64,
        /// How many processes in parallel
        #[arg(long, default_value_t = 2)]
        jobs: usize,
        /// Only these families, separated by commas
        #[arg(long, value_delimiter = ',')]
        families: Vec<String>,
        /// Only this oracle
        #[arg(long)]
        oracle: Option<String>,
        /// The record to continue from
        #[arg(long, default_value = "target/fuzz.json")]
        record: PathBuf,
        /// Where failing programs are written, reduced
        #[arg(long, default_value = "tests/found")]
        found: PathBuf,
    },
    /// Prints the program of a family and a seed
    Show { family: String, seed: u64 },
    /// Compiles and evaluates one program
    Check {
        program: PathBuf,
        #[command(flatten)]
        how: How,
    },
    /// Reduces a failing program
    Reduce {
        program: PathBuf,
        #[command(flatten)]
        how: How,
    },
    /// Lists the families and the oracles
    List,
    /// Enables each planted fault and prints what finds it (feature `faults`)
    Faults {
        /// The folder of the cases
        #[arg(long, default_value = "tests")]
        cases: PathBuf,
        /// How many processes in parallel
        #[arg(long, default_value_t = 2)]
        jobs: usize,
        /// Only these
        names: Vec<String>,
    },
    /// What `faults` starts
    #[command(hide = true)]
    Probe {
        #[arg(long)]
        cases: PathBuf,
        #[arg(long)]
        layer: faults::Layer,
        #[arg(long)]
        from: usize,
    },
    /// What `run` starts
    #[command(hide = true)]
    Work {
        family: String,
        first: u64,
        end: u64,
        #[arg(long)]
        oracle: Option<String>,
    },
}

#[derive(clap::Args)]
struct How {
    /// The oracle: a name of `strata-fuzz list`
    #[arg(long, default_value = "native")]
    oracle: String,
    /// Seed of the inputs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Results must be equal
    #[arg(long)]
    exact: bool,
    /// No extreme inputs
    #[arg(long)]
    tame: bool,
}

/// The oracle of a name.
fn oracle(name: &str) -> Result<Oracle> {
    Oracle::of(name).with_context(|| format!("there is no oracle `{name}`"))
}

impl How {
    fn case(&self, text: String) -> Case {
        let case = Case::exact(text);
        let case = if self.exact { case } else { case.within(Tolerance::default()) };
        if self.tame { case.tame() } else { case }
    }

    fn oracle(&self) -> Result<Oracle> {
        oracle(&self.oracle)
    }
}

fn main() -> ExitCode {
    match act(Cli::parse().command) {
        Ok(code) => ExitCode::from(code as u8),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(REFUSED as u8)
        }
    }
}

fn act(command: Action) -> Result<i32> {
    match command {
        Action::Run { hours, programs, jobs, families, oracle: only, record, found } => {
            if !(0.0..=10_000.0).contains(&hours) {
                bail!("{hours} is not a valid number of hours");
            }
            let until = Instant::now() + Duration::from_secs_f64(hours * 3600.0);
            let oracle = only.as_deref().map(oracle).transpose()?;
            let plan = Plan { until, programs, jobs, families, oracle, record, found };
            Ok(if campaign::run(&plan)? { AGREES } else { FAILS })
        }
        Action::Show { family: name, seed } => {
            let family = family(&name).with_context(|| format!("there is no family `{name}`"))?;
            print!("{}", campaign::draw(family, seed).text);
            Ok(AGREES)
        }
        Action::Check { program, how } => {
            let text = read(&program)?;
            match how.oracle()?.check(&how.case(text), how.seed) {
                Ok(Outcome::Agrees) => Ok(AGREES),
                Ok(Outcome::Refused(code)) => {
                    println!("refused: {code}");
                    Ok(REFUSED)
                }
                Err(reason) => {
                    println!("{reason}");
                    Ok(FAILS)
                }
            }
        }
        Action::Reduce { program, how } => {
            let text = read(&program)?;
            let oracle = how.oracle()?;
            let fails = |text: &str| oracle.check(&how.case(text.to_owned()), how.seed).is_err();
            if !fails(&text) {
                bail!("{} does not fail", program.display());
            }
            let small = reduce(&text, 2000, &mut |text| fails(text))
                .map_err(|error| anyhow::anyhow!(error.render()))?;
            print!("{small}");
            Ok(AGREES)
        }
        Action::List => {
            FAMILIES.iter().for_each(|family| println!("family {}", family.name));
            ORACLES.iter().for_each(|oracle| println!("oracle {}", oracle.name()));
            Ok(AGREES)
        }
        Action::Faults { cases, jobs, names } => {
            Ok(if faults::table(&cases, &names, jobs)? { AGREES } else { FAILS })
        }
        Action::Probe { cases, layer, from } => {
            faults::probe(&cases, layer, from)?;
            Ok(AGREES)
        }
        Action::Work { family: name, first, end, oracle: only } => {
            let family = family(&name).with_context(|| format!("there is no family `{name}`"))?;
            campaign::work(family, first, end, only.as_deref().map(oracle).transpose()?)?;
            Ok(AGREES)
        }
    }
}

fn read(path: &std::path::Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}
