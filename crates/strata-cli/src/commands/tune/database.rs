//! The database of a machine, which several programs and processes share.

use std::{
    env,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use strata::Options;
use strata_diag::{Diagnostic, Location, codes};
use strata_tune::{Database, Record};

use crate::{args::TuneArgs, files, version};

/// The database, in its file unless there is none.
pub struct Kept {
    database: Database,
    path: Option<PathBuf>,
}

impl Kept {
    /// Reads the database that the command line names, or this machine's.
    ///
    /// # Errors
    /// `S0002` for one that cannot be read, `S1302` for one that is damaged.
    pub fn open(args: &TuneArgs, options: &Options) -> Result<Self, Diagnostic> {
        let path = match (&args.database, args.no_database) {
            (_, true) => None,
            (Some(path), _) => Some(path.clone()),
            (None, _) => folder().map(|folder| folder.join(file_name(options))),
        };
        let database = match &path {
            Some(path) => read(path)?,
            None => Database::default(),
        };
        Ok(Self { database, path })
    }

    /// What was found so far.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Where it is, in words.
    pub fn place(&self) -> String {
        self.path.as_ref().map_or("no database".to_owned(), |path| path.display().to_string())
    }

    /// Adds a record, to the file, too: with what other processes wrote meanwhile.
    ///
    /// # Errors
    /// `S0003` where the file cannot be written, and as [`Self::open`].
    pub fn add(&mut self, record: Record) -> Result<(), Diagnostic> {
        self.database.add(record.clone());
        let Some(path) = &self.path else { return Ok(()) };
        let failed = |error: io::Error| {
            Diagnostic::new(codes::S0003)
                .at(Location::file(path.to_string_lossy()))
                .reason(format!("the database cannot be locked: {error}"))
                .hint("`--no-database` keeps none, `--database FILE` names another one")
        };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            files::create_folder(folder)?;
        }
        // Replaced files have no lock that lasts: it is one beside it.
        let mut lock = path.clone().into_os_string();
        lock.push(".lock");
        let lock = File::create(lock).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut all = read(path)?;
        all.add(record);
        files::write(path, all.text().as_bytes())
    }
}

fn read(path: &Path) -> Result<Database, Diagnostic> {
    if !path.exists() {
        return Ok(Database::default());
    }
    let name = files::display_name(path);
    let text = String::from_utf8(files::read(path)?).map_err(|_| {
        Diagnostic::new(codes::S1302).at(Location::file(&name)).reason("it is not text").hint(
            "name another file with `--database`; a database of another version can be removed",
        )
    })?;
    Database::read(&name, &text)
}

/// `$XDG_CACHE_HOME/strata/tuning`, or that of the home folder.
fn folder() -> Option<PathBuf> {
    let absolute =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("strata").join("tuning"))
}

/// One file for each model of processor, target and version of the compiler.
fn file_name(options: &Options) -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("unknown", |(_, model)| model.trim());
    let all = format!("{model}-{}-{}", options.target.cpu, version::key());
    let plain =
        |one: char| if one.is_ascii_alphanumeric() || ".-".contains(one) { one } else { '_' };
    format!("{}.json", all.chars().map(plain).collect::<String>())
}
