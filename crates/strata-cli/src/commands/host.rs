//! The host's side of infeed, outfeed, send and recv: files of the command line.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use strata::TensorSpec;
use strata_diag::{Diagnostic, codes};
use strata_run::HostIo;

use super::Outcome;
use crate::args::HostArgs;
use crate::{files, npy, values};

/// The status that ends a program when a file is missing or wrong; the diagnostic gives the reason.
const NO_ARRAY: i32 = 5;

/// Files to read, arrays to write.
#[derive(Debug, Default)]
pub struct Host {
    infeed: VecDeque<PathBuf>,
    channels: BTreeMap<i64, VecDeque<PathBuf>>,
    /// The outputs, by the name of their file.
    out: Vec<(String, TensorSpec, Vec<u8>)>,
    /// Why the last transfer failed.
    pub failure: Option<Diagnostic>,
    fed: usize,
}

impl Host {
    pub fn new(args: &HostArgs) -> Self {
        let mut channels: BTreeMap<i64, VecDeque<PathBuf>> = BTreeMap::new();
        for (channel, path) in &args.received {
            channels.entry(*channel).or_default().push_back(path.clone());
        }
        Self { infeed: args.infeed.iter().cloned().collect(), channels, ..Self::default() }
    }

    /// The next arrays of these types, for the infeed or a channel.
    ///
    /// # Errors
    /// `S1801` if there are too few, and errors of reading the file.
    pub fn next(
        &mut self,
        channel: Option<i64>,
        types: &[TensorSpec],
    ) -> Result<Vec<Vec<u8>>, Diagnostic> {
        let mut none = VecDeque::new();
        let (queue, option) = match channel {
            None => (&mut self.infeed, "--infeed FILE.npy".to_owned()),
            Some(channel) => (
                self.channels.get_mut(&channel).unwrap_or(&mut none),
                format!("--recv {channel}=FILE.npy"),
            ),
        };
        let mut arrays = Vec::new();
        for spec in types {
            let path = queue.pop_front().ok_or_else(|| {
                Diagnostic::new(codes::S1801)
                    .reason(format!("the host has no array left for a transfer of `{spec}`"))
                    .hint(format!("give one more: `{option}`"))
            })?;
            arrays.push(npy::read(&path, self.fed, spec)?);
            self.fed += 1;
        }
        Ok(arrays)
    }

    /// Keeps arrays that the program sends.
    pub fn keep(&mut self, channel: Option<i64>, arrays: Vec<(TensorSpec, Vec<u8>)>) {
        let stem = channel.map_or("outfeed".to_owned(), |channel| format!("send{channel}_"));
        for (spec, bytes) in arrays {
            let is_digits = |rest: &str| rest.chars().all(|char| char.is_ascii_digit());
            let of_stem = |name: &str| name.strip_prefix(&stem).is_some_and(is_digits);
            let number = self.out.iter().filter(|(name, ..)| of_stem(name)).count();
            self.out.push((format!("{stem}{number}"), spec, bytes));
        }
    }

    /// Writes the outputs to files, or prints them.
    ///
    /// # Errors
    /// `S0003`.
    pub fn write(&self, args: &HostArgs) -> Outcome {
        if let Some(folder) = &args.outfeed {
            files::create_folder(folder)?;
        }
        for (name, spec, bytes) in &self.out {
            match &args.outfeed {
                Some(folder) => {
                    files::write(&folder.join(format!("{name}.npy")), &npy::encode(spec, bytes)?)?;
                }
                None => {
                    let text = values::render(spec, bytes);
                    files::print(format!("{name}: {spec}\n{text}\n").as_bytes())?;
                }
            }
        }
        Ok(())
    }

    fn served(&mut self, channel: Option<i64>, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        self.next(channel, types).map_err(|diagnostic| {
            self.failure = Some(diagnostic);
            NO_ARRAY
        })
    }
}

impl HostIo for Host {
    fn infeed(&mut self, _: &str, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        self.served(None, types)
    }

    fn outfeed(&mut self, _: &str, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32> {
        self.keep(None, arrays);
        Ok(())
    }

    fn send(&mut self, channel: i64, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32> {
        self.keep(Some(channel), arrays);
        Ok(())
    }

    fn recv(&mut self, channel: i64, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        self.served(Some(channel), types)
    }
}
