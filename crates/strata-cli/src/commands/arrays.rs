//! The input and output arrays of a program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use strata::{Signature, TensorSpec};
use strata_diag::{Diagnostic, Location, codes, did_you_mean, printable};

use super::Outcome;
use crate::args::ArrayArgs;
use crate::{files, npy, npz, values};

/// The inputs or the outputs of a program.
#[derive(Clone, Copy)]
pub struct Arrays<'a> {
    /// Their types.
    pub specs: &'a [TensorSpec],
    /// Their names in the program, `""` for unnamed ones; empty if none is named.
    pub names: &'a [String],
    /// Their names in the C and Rust wrappers.
    pub parameters: &'a [String],
}

/// The signature of a program with the names of the wrappers.
pub struct Named<'a> {
    signature: &'a Signature,
    parameters: [Vec<String>; 2],
}

impl<'a> Named<'a> {
    /// The names that belong to `signature`.
    pub fn of(signature: &'a Signature) -> Self {
        Self { signature, parameters: signature.parameters(&[]) }
    }

    /// The inputs.
    pub fn inputs(&self) -> Arrays<'_> {
        let Signature { inputs, input_names, .. } = self.signature;
        Arrays { specs: inputs, names: input_names, parameters: &self.parameters[0] }
    }

    /// The outputs.
    pub fn outputs(&self) -> Arrays<'_> {
        let Signature { outputs, output_names, .. } = self.signature;
        Arrays { specs: outputs, names: output_names, parameters: &self.parameters[1] }
    }
}

impl Arrays<'_> {
    /// The one called `name`: by the program, by the wrappers, by its number, or as `numpy.savez` numbers arrays.
    fn find(&self, name: &str) -> Option<usize> {
        let numbered = || {
            let number = name.strip_prefix("input").or_else(|| name.strip_prefix("arr_"))?;
            number.parse().ok().filter(|index| *index < self.specs.len())
        };
        let position = |names: &[String]| names.iter().position(|known| known == name);
        let given = position(self.names).filter(|_| !name.is_empty());
        given.or_else(|| position(self.parameters)).or_else(numbered)
    }

    /// The name and type of one.
    fn describe(&self, index: usize) -> String {
        let name = self.names.get(index).filter(|name| !name.is_empty());
        let name = name.or_else(|| self.parameters.get(index).filter(|_| !self.names.is_empty()));
        let ty = &self.specs[index];
        name.map_or_else(|| ty.to_string(), |name| format!("`{name}`: {ty}"))
    }

    /// An upper bound on the size of a file with one of them, whatever its element type.
    fn largest_file(&self) -> u64 {
        let elements = self.specs.iter().map(TensorSpec::element_count).max().unwrap_or(0);
        elements.saturating_mul(LARGEST_ELEMENT).saturating_add(npy::LONGEST_HEADER as u64)
    }

    /// The hint for a name that no input has: those that they have.
    fn names_hint(&self) -> String {
        let name = |index: usize| {
            let own = self.names.get(index).filter(|name| !name.is_empty());
            let name = own.or_else(|| self.parameters.get(index));
            name.map_or_else(|| format!("`input{index}`"), |name| format!("`{name}`"))
        };
        let all: Vec<String> = (0..self.specs.len()).map(name).collect();
        match all.is_empty() {
            true => "the program takes no input".to_owned(),
            false => format!("the names of its inputs are: {}", all.join(", ")),
        }
    }

    /// The name of each in an archive: the program's where it gives one, else that of the wrappers.
    fn members(&self) -> Vec<String> {
        let own = |index: usize| self.names.get(index).filter(|name| !name.is_empty());
        let unnamed: Vec<_> =
            self.parameters.iter().enumerate().filter(|(index, _)| own(*index).is_none()).collect();
        let is_taken = |name: &String| unnamed.iter().any(|(_, parameter)| *parameter == name);
        let member = |(index, parameter): (usize, &String)| {
            own(index).filter(|name| !is_taken(name)).unwrap_or(parameter).clone()
        };
        self.parameters.iter().enumerate().map(member).collect()
    }

    fn list(&self) -> String {
        let all: Vec<_> = (0..self.specs.len()).map(|index| self.describe(index)).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    }
}

/// What reports print after the number of an input or output: its name, if it has one.
pub(super) fn called(names: &[String], index: usize) -> String {
    let name = names.get(index).filter(|name| !name.is_empty());
    name.map(|name| format!(" `{}`", printable(name))).unwrap_or_default()
}

/// Bytes of NumPy's largest element that is a number.
const LARGEST_ELEMENT: u64 = 32;

/// Where an input comes from.
enum Source<'a> {
    File(&'a Path),
    Member(Vec<u8>, String),
}

/// The inputs as buffers, checked against the signature.
///
/// # Errors
/// `S1801` to `S1804`, `S0002`.
pub fn read_inputs(
    args: &ArrayArgs,
    expected: Arrays<'_>,
    program: &str,
) -> Result<Vec<Vec<u8>>, Diagnostic> {
    each(args, expected, program, npy::decode)
}

/// The types of the inputs, with the sizes of the arrays where the signature leaves them open.
///
/// # Errors
/// As [`read_inputs`].
pub fn resolve(
    args: &ArrayArgs,
    expected: Arrays<'_>,
    program: &str,
) -> Result<Vec<TensorSpec>, Diagnostic> {
    each(args, expected, program, npy::resolve)
}

/// What `take` makes of the file of each input.
fn each<T>(
    args: &ArrayArgs,
    expected: Arrays<'_>,
    program: &str,
    take: impl Fn(&[u8], usize, &TensorSpec) -> Result<T, Diagnostic>,
) -> Result<Vec<T>, Diagnostic> {
    let wrong = |reason: String| {
        Diagnostic::new(codes::S1801)
            .at(Location::file(program))
            .reason(reason)
            .hint(format!("its inputs are: {}", expected.list()))
    };
    let (sources, in_order) = assign(args, &expected, &wrong)?;
    let filled = sources.iter().filter(|source| source.is_some()).count();
    if filled + in_order.len() != expected.specs.len() {
        let count = expected.specs.len();
        let inputs = if count == 1 { "input" } else { "inputs" };
        let given = filled + in_order.len();
        let error = wrong(format!("the program takes {count} {inputs}, --input gives {given}"));
        let missing = (0..sources.len()).filter(|index| sources[*index].is_none());
        let missing: Vec<_> = missing.map(|index| expected.describe(index)).collect();
        return Err(match filled {
            0 => error,
            _ => error.hint(format!("arrays without a name are for: {}", missing.join(", "))),
        });
    }
    let mut rest = in_order.into_iter();
    let sources =
        sources.into_iter().map(|source| source.or_else(|| rest.next().map(Source::File)));
    sources
        .zip(expected.specs)
        .enumerate()
        .map(|(index, (source, spec))| match source {
            Some(Source::File(path)) => take(&files::read(path)?, index, spec)
                .map_err(|diagnostic| diagnostic.at(Location::file(files::display_name(path)))),
            Some(Source::Member(bytes, place)) => {
                take(&bytes, index, spec).map_err(|diagnostic| diagnostic.at(Location::file(place)))
            }
            None => Err(wrong(format!("no array is given for {}", expected.describe(index)))),
        })
        .collect()
}

/// What is given for each input by name, and the files that are given in order.
type Given<'a> = (Vec<Option<Source<'a>>>, Vec<&'a Path>);

/// Assigns what has a name to the input of that name.
///
/// # Errors
/// `S1801` for names that no input has, or that two files have; `S0002` for archives that cannot be read.
fn assign<'a>(
    args: &'a ArrayArgs,
    expected: &Arrays<'_>,
    wrong: &dyn Fn(String) -> Diagnostic,
) -> Result<Given<'a>, Diagnostic> {
    let mut sources: Vec<Option<Source<'_>>> = Vec::new();
    sources.resize_with(expected.specs.len(), || None);
    let mut in_order = Vec::new();
    for given in &args.inputs {
        let named = split(given, expected);
        let (name, path) = match &named {
            Some((name, path)) => (Some(name.as_str()), *path),
            None => (None, given.as_path()),
        };
        let found = match name {
            None if is_archive(path) => {
                for (name, bytes) in npz::read(path, expected.largest_file())? {
                    let index = expected.find(&name).ok_or_else(|| {
                        wrong(format!(
                            "no input has the name `{name}` of an array in {}",
                            files::display_name(path)
                        ))
                        .hint(expected.names_hint())
                    })?;
                    let place = format!("{}:{name}", files::display_name(path));
                    fill(&mut sources, index, Source::Member(bytes, place)).map_err(|()| {
                        wrong(format!("{} is given twice", expected.describe(index)))
                    })?;
                }
                continue;
            }
            None => {
                in_order.push(path);
                continue;
            }
            Some(name) => expected.find(name).ok_or_else(|| {
                let known = expected.names.iter().chain(expected.parameters);
                let known = known.map(String::as_str).filter(|known| !known.is_empty());
                let error = wrong(format!("no input has the name `{name}`"));
                error.hint(did_you_mean(name, known).unwrap_or_else(|| expected.names_hint()))
            })?,
        };
        fill(&mut sources, found, Source::File(path))
            .map_err(|()| wrong(format!("{} is given twice", expected.describe(found))))?;
    }
    Ok((sources, in_order))
}

fn fill<'a>(
    sources: &mut [Option<Source<'a>>],
    index: usize,
    source: Source<'a>,
) -> Result<(), ()> {
    match sources[index].replace(source) {
        Some(_) => Err(()),
        None => Ok(()),
    }
}

/// Splits `NAME=FILE` at the `=` after a name of the program, else at the first one, unless the whole is a file.
fn split<'a>(given: &'a Path, expected: &Arrays<'_>) -> Option<(String, &'a Path)> {
    let text = given.to_str()?;
    let parts = || text.match_indices('=').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let known = parts().rfind(|(name, _)| expected.find(name).is_some());
    let first = || parts().next().filter(|_| !given.exists());
    let (name, file) = known.or_else(first)?;
    Some((name.to_owned(), Path::new(file)))
}

fn is_archive(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("npz"))
}

/// The file of `--output` where it is to hold an array, not an archive.
fn single(args: &ArrayArgs) -> Option<&Path> {
    args.output.as_deref().filter(|path| path.extension() == Some(OsStr::new("npy")))
}

/// Refuses a file of one array for another number of outputs.
///
/// # Errors
/// `S0001`.
pub fn check_output(args: &ArrayArgs, count: usize) -> Result<(), Diagnostic> {
    let Some(path) = single(args).filter(|_| count != 1) else { return Ok(()) };
    let archive = path.with_extension("npz");
    Err(Diagnostic::new(codes::S0001)
        .reason(format!(
            "`{}` holds one array, and the program has {count} outputs",
            path.display()
        ))
        .hint(format!("`--output {}` holds all of them by name", archive.display())))
}

/// Writes the outputs to files, or prints them.
///
/// # Errors
/// `S0003`, and `S0001` as [`check_output`].
pub fn write_outputs(args: &ArrayArgs, all: Arrays<'_>, outputs: &[Vec<u8>]) -> Outcome {
    check_output(args, outputs.len())?;
    if let (Some(path), [spec], [bytes]) = (single(args), all.specs, outputs) {
        files::write(path, &npy::encode(spec, bytes)?)?;
    } else if let Some(path) = &args.output {
        let arrays = all.specs.iter().zip(all.members()).zip(outputs);
        let arrays = arrays.map(|((spec, name), bytes)| Ok((name, npy::encode(spec, bytes)?)));
        npz::write(path, &arrays.collect::<Result<Vec<_>, Diagnostic>>()?)?;
    }
    if let Some(folder) = &args.output_dir {
        files::create_folder(folder)?;
        for (index, (spec, bytes)) in all.specs.iter().zip(outputs).enumerate() {
            let path: PathBuf = folder.join(format!("output{index}.npy"));
            files::write(&path, &npy::encode(spec, bytes)?)?;
        }
    }
    if args.output.is_none() && args.output_dir.is_none() {
        for (index, (spec, bytes)) in all.specs.iter().zip(outputs).enumerate() {
            let text = values::render(spec, bytes);
            let name = called(all.names, index);
            files::print(format!("output {index}{name}: {spec}\n{text}\n").as_bytes())?;
        }
    }
    Ok(())
}
