//! Programs as shared libraries.
//!
//! A library of an object describes itself by its signature table. What the table does not say is beside it: `<entry>_saved`, a
//! text in JSON.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use strata::{Artifact, Isa, Prepared, Signature, Target, Weights, WeightsFile};
use strata_codegen::Symbols;
use strata_diag::{Diagnostic, Location, codes, did_you_mean};
use strata_run::{Entry, MappedWeights, link_by_cc, sealed};

use crate::{
    executable::{Executable, runs_here},
    settings::Source,
};

/// The version of the text.
const FORMAT: u64 = 1;

fn symbol(entry: &str) -> String {
    format!("{entry}_saved")
}

/// Writes a shared library with the object and `text`.
///
/// # Errors
/// `S1703` if the object calls functions that no given library has, `S1702` without a C compiler, `S0003` if the file cannot be
/// written.
pub fn save(
    path: &Path,
    source: &Source,
    artifact: &Artifact,
    entries: &[&Signature],
    text: &str,
) -> Result<(), Diagnostic> {
    let options = &source.options;
    let mut given = strata_run::Linked::default();
    source.link.iter().try_for_each(|path| given.open(path))?;
    let foreign = artifact.foreign().iter();
    let mut lacking =
        foreign.filter(|(name, convention)| convention.is_symbol() && given.find(name).is_none());
    if let Some((name, _)) = lacking.next() {
        return Err(Diagnostic::new(codes::S1703)
            .reason(format!("the program calls `{name}`, which the library would not have"))
            .hint("compile with `link=[\"FILE.so\"]`, a library that has it; functions of Strata's run-time library are for calls in this process"));
    }
    // An object for several processors chooses by itself.
    let target = options.versions.is_empty().then_some(&options.target);
    let target = target.map(
        |target| json!({"triple": target.triple, "cpu": target.cpu, "features": target.features}),
    );
    let mut constants = String::new();
    for signature in entries {
        let entry = Symbols::new(&options.name, &signature.entry)?.entry;
        let weights = signature.weights.map(|file| [file.offset, file.header_hash]);
        let prepares = match &signature.prepared {
            Some(Prepared::Outputs(inputs)) => Some(inputs),
            _ => None,
        };
        let saved = json!({
            "format": FORMAT,
            "target": target,
            "entry": signature.entry,
            "shapes": signature.shapes,
            "inputs": signature.input_names,
            "outputs": signature.output_names,
            "weights": weights,
            "prepares": prepares,
            "text": text,
        });
        constants += &format!(
            "extern const char {name}[];\nconst char {name}[] = {};\n",
            c_string(&saved.to_string()),
            name = symbol(&entry)
        );
    }
    let soname = format!("-Wl,-soname,lib{}.so", options.name);
    let mut beside = Vec::new();
    for library in &source.link {
        let full = std::path::absolute(library).map_err(|error| unwritten(path, &error))?;
        beside.push(full);
    }
    let flags = ["-shared", "-fPIC", soname.as_str()];
    let bytes = link_by_cc(&options.target, artifact.bytes(), Some(&constants), &flags, &beside)?;
    write(path, &[&sealed(bytes)], 0o755)
}

/// A string of C, in pieces that every compiler takes.
fn c_string(text: &str) -> String {
    let mut lines = String::new();
    for piece in text.as_bytes().chunks(256) {
        lines.push_str("\n  \"");
        for byte in piece {
            match byte {
                b'"' | b'\\' | b'?' => lines.push_str(&format!("\\{}", char::from(*byte))),
                b' '..=b'~' => lines.push(char::from(*byte)),
                _ => lines.push_str(&format!("\\{byte:03o}")),
            }
        }
        lines.push('"');
    }
    lines
}

/// Writes a file as a whole or not at all.
fn write(path: &Path, parts: &[&[u8]], mode: u32) -> Result<(), Diagnostic> {
    // Links are followed, and a device is not replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let place = Location::file(path.to_string_lossy());
        return Err(Diagnostic::new(codes::S0003).at(place).reason("it is not a regular file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let written = tempfile::Builder::new()
        .prefix(".strata")
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .and_then(|mut file| {
            parts.iter().try_for_each(|part| file.write_all(part))?;
            let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
            fs::set_permissions(file.path(), mode)?;
            file.persist(path).map(drop).map_err(|error| error.error)
        });
    written.map_err(|error| unwritten(path, &error))
}

fn unwritten(path: &Path, error: &std::io::Error) -> Diagnostic {
    let place = Location::file(path.to_string_lossy());
    Diagnostic::new(codes::S0003).at(place).reason(error.to_string())
}

/// Writes the file of an object's weights.
///
/// # Errors
/// `S0003` if it cannot be written.
pub fn write_weights(path: &Path, weights: &Weights) -> Result<(), Diagnostic> {
    let start = weights.file_header()?;
    let parts: Vec<_> = std::iter::once(start.as_slice()).chain(weights.parts()).collect();
    write(path, &parts, 0o644)
}

/// Maps the file that [`write_weights`] wrote.
///
/// # Errors
/// `S0002` if it cannot be opened, `S1806` if it is another one by now.
pub fn map_weights(path: &Path, weights: &Weights) -> Result<MappedWeights, Diagnostic> {
    MappedWeights::open(&opened(path)?, &path.to_string_lossy(), weights)
}

/// Maps the file of weights of a library.
///
/// # Errors
/// As [`map_weights`].
pub fn open_weights(path: &Path, weights: WeightsFile) -> Result<MappedWeights, Diagnostic> {
    MappedWeights::of_library(&opened(path)?, &path.to_string_lossy(), weights)
}

fn opened(path: &Path) -> Result<fs::File, Diagnostic> {
    fs::File::open(path).map_err(|error| {
        let place = Location::file(path.to_string_lossy());
        Diagnostic::new(codes::S0002).at(place).reason(error.to_string())
    })
}

/// The names of a library's entries, in order.
///
/// # Errors
/// As [`load`].
pub fn entries(path: &Path) -> Result<Vec<String>, Diagnostic> {
    Ok(Entry::open(path)?.iter().map(|entry| entry.name().to_owned()).collect())
}

/// Loads a shared library, and the entry whose symbols start with `entry`: where it is not given, the only one.
///
/// # Errors
/// `S0002` for what is not such a library, `S0001` for an entry that it does not have, `S0007` for code that this machine cannot
/// run.
pub fn load(
    path: &Path,
    entry: Option<&str>,
    weights: Option<PathBuf>,
) -> Result<Executable, Diagnostic> {
    let mut entries = Entry::open(path)?;
    let names: Vec<String> = entries.iter().map(|one| one.name().to_owned()).collect();
    let at = match entry {
        None if entries.len() == 1 => Some(0),
        None => None,
        Some(name) => names.iter().position(|known| {
            known == name || known.strip_suffix(name).is_some_and(|rest| rest.ends_with('_'))
        }),
    };
    let Some(at) = at else {
        let list = names.join("`, `");
        let (reason, hint) = match entry {
            None => ("the library has several entries".to_owned(), None),
            Some(name) => (
                format!("the library has no entry `{name}`"),
                did_you_mean(name, names.iter().map(String::as_str)),
            ),
        };
        let hint = hint.unwrap_or_else(|| format!("`entry=` is one of `{list}`"));
        let place = Location::file(path.to_string_lossy());
        return Err(Diagnostic::new(codes::S0001).at(place).reason(reason).hint(hint));
    };
    let entry = entries.swap_remove(at);
    let mut signature = entry.signature().clone();
    let wrong = |reason: String| {
        let place = Location::file(path.to_string_lossy());
        Diagnostic::new(codes::S0002).at(place).reason(reason)
    };
    let saved = match entry.text(&symbol(entry.name())) {
        None => Value::Null,
        Some(text) => serde_json::from_str(&text).map_err(|error| {
            wrong(format!("what was saved with the program is damaged: {error}"))
        })?,
    };
    let has_weights = signature.weights.is_some();
    // The entry whose inputs it prepares may read weights where it does not.
    let is_maker = saved["prepares"].is_array();
    if has_weights != weights.is_some() && (has_weights || !is_maker) {
        let (reason, hint) = match has_weights {
            true => (
                "its weights are in a file of their own",
                "`weights=\"FILE.safetensors\"` names it",
            ),
            false => ("its weights are in the library itself", "leave out `weights`"),
        };
        return Err(wrong(reason.to_owned()).hint(hint));
    }
    if saved.is_null() {
        return Ok(Executable::of_library(entry, signature, saved, weights));
    }
    if saved["format"] != FORMAT {
        let format = &saved["format"];
        return Err(wrong(format!("it was saved in format {format}, but {FORMAT} is read")));
    }
    if let Some(target) = target_of(&saved["target"]) {
        runs_here(&target).map_err(|error| error.at(Location::file(path.to_string_lossy())))?;
    }
    let names = |key: &str| -> Vec<String> {
        let all = saved[key].as_array().into_iter().flatten();
        all.map(|name| name.as_str().unwrap_or_default().to_owned()).collect()
    };
    (signature.input_names, signature.output_names) = (names("inputs"), names("outputs"));
    let count = signature.outputs.len();
    for pair in saved["shapes"].as_array().into_iter().flatten() {
        let at = |side: usize| pair[side].as_u64().and_then(|at| usize::try_from(at).ok());
        let (Some(output), Some(shape)) = (at(0), at(1)) else {
            return Err(wrong("what was saved with the program is damaged".to_owned()));
        };
        if output >= count || shape >= count {
            return Err(wrong("what was saved with the program is damaged".to_owned()));
        }
        signature.shapes.push((output, shape));
    }
    if let Some(inputs) = saved["prepares"].as_array() {
        let number = |one: &Value| one.as_u64().and_then(|one| usize::try_from(one).ok());
        let inputs = inputs.iter().map(number).collect::<Option<Vec<_>>>();
        if signature.outputs.len() != 1 {
            return Err(wrong("what was saved with the program is damaged".to_owned()));
        }
        signature.prepared = inputs.map(Prepared::Outputs);
    }
    let number = |at: usize| saved["weights"][at].as_u64();
    if let (Some(file), Some(offset), Some(hash)) = (&mut signature.weights, number(0), number(1)) {
        (file.offset, file.header_hash) = (offset, hash);
    }
    Ok(Executable::of_library(entry, signature, saved, weights))
}

/// The machine that the code is for.
fn target_of(saved: &Value) -> Option<Target> {
    let text = |key: &str| saved[key].as_str().map(str::to_owned);
    let (triple, cpu, features) = (text("triple")?, text("cpu")?, text("features")?);
    // What only the compiler reads does not matter here.
    let (isa, dot_features, l1_bytes, l2_bytes) = (Isa::Scalar, Vec::new(), 0, 0);
    Some(Target { triple, cpu, features, isa, dot_features, l1_bytes, l2_bytes })
}
