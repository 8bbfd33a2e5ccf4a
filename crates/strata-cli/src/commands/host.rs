//! The host's side of infeed, outfeed, send and recv: files of the command line.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// Where arrays have one more dimension, of devices: which of them this one is of, and how many there are.
    device: Option<(usize, usize)>,
}

/// What goes out, in the order of their names, and how many bytes it has.
type Listed<'h> = Vec<(&'h str, &'h TensorSpec, &'h [u8])>;

impl Host {
    pub fn new(args: &HostArgs) -> Self {
        let mut channels: BTreeMap<i64, VecDeque<PathBuf>> = BTreeMap::new();
        for (channel, path) in &args.received {
            channels.entry(*channel).or_default().push_back(path.clone());
        }
        Self { infeed: args.infeed.iter().cloned().collect(), channels, ..Self::default() }
    }

    /// The host of one of `count` devices, which takes its entries of arrays that have one for each.
    pub fn of_device(args: &HostArgs, device: usize, count: usize) -> Self {
        Self { device: Some((device, count)), ..Self::new(args) }
    }

    /// The hosts of all devices; their arrays are the same unless each has an entry of its own.
    pub fn of_all(args: &HostArgs, count: usize, are_per_device: bool) -> Vec<Shared> {
        let host = |device| match are_per_device {
            true => Self::of_device(args, device, count),
            false => Self::new(args),
        };
        (0..count).map(|device| Shared(Arc::new(Mutex::new(host(device))))).collect()
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
            arrays.push(match self.device {
                None => npy::read(&path, self.fed, spec)?,
                Some((device, count)) => {
                    let all = npy::read(&path, self.fed, &stacked(spec, count))?;
                    let size = all.len() / count;
                    all[device * size..(device + 1) * size].to_vec()
                }
            });
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

    /// What goes out, by name.
    fn listed(&self) -> Listed<'_> {
        let mut all: Vec<_> =
            self.out.iter().map(|(name, spec, bytes)| (name.as_str(), spec, &bytes[..])).collect();
        all.sort_by_key(|(name, ..)| *name);
        all
    }

    /// The names and types of what goes out: arrays of all devices are concatenated where these are the same on each.
    pub fn names(&self) -> String {
        let names: Vec<_> =
            self.listed().iter().map(|(name, spec, _)| format!("{name}: {spec}")).collect();
        names.join(", ")
    }

    /// Takes what goes out, in the order of [`Self::names`].
    pub fn take_arrays(&mut self) -> Vec<Vec<u8>> {
        let mut all = std::mem::take(&mut self.out);
        all.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        let (kept, arrays) =
            all.into_iter().map(|(name, spec, bytes)| ((name, spec, Vec::new()), bytes)).unzip();
        self.out = kept;
        arrays
    }

    /// Gives back the arrays of all devices, one after the other, of which each takes one more dimension.
    pub fn put_arrays(&mut self, arrays: Vec<Vec<u8>>, count: usize) {
        for ((_, spec, bytes), all) in self.out.iter_mut().zip(arrays) {
            *spec = stacked(spec, count);
            *bytes = all;
        }
    }

    /// Writes what devices gave their hosts: that of the first, or arrays of all.
    ///
    /// # Errors
    /// `S0003`; `S1805` where devices have other arrays than the first.
    pub fn write_all(hosts: &[Shared], args: &HostArgs, are_per_device: bool) -> Outcome {
        let mut all: Vec<_> = hosts.iter().map(Shared::lock).collect();
        if are_per_device {
            let names = all[0].names();
            for (device, host) in all.iter().enumerate() {
                check_alike(&names, (device, &host.names()))?;
            }
            let arrays: Vec<_> = all.iter_mut().map(|host| host.take_arrays()).collect();
            let of = |at: usize| arrays.iter().flat_map(|own| own[at].iter().copied()).collect();
            let joined = (0..arrays[0].len()).map(of).collect();
            all[0].put_arrays(joined, hosts.len());
        }
        all[0].write(args)
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

/// An array with an entry for each device.
fn stacked(spec: &TensorSpec, count: usize) -> TensorSpec {
    let mut spec = spec.clone();
    spec.shape.insert(0, count as u64);
    spec
}

/// Refuses to concatenate what devices gave where it is not of the same names and types.
///
/// # Errors
/// `S1805`.
fn check_alike(first: &str, (device, names): (usize, &str)) -> Result<(), Diagnostic> {
    let told = |names: &str| if names.is_empty() { "nothing".to_owned() } else { names.to_owned() };
    match first == names {
        true => Ok(()),
        false => Err(not_alike(format!(
            "device {device} gave its host {}, and device 0 {}",
            told(names),
            told(first)
        ))),
    }
}

/// Devices gave their hosts other arrays, for this reason.
pub fn not_alike(reason: String) -> Diagnostic {
    Diagnostic::new(codes::S1805).reason(reason).hint(
        "with `--per-device` arrays have an entry of each device; without it those of device 0 are written",
    )
}

/// The host of a device, which its thread and this command use.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<Host>>);

impl Shared {
    /// The host itself.
    pub fn lock(&self) -> MutexGuard<'_, Host> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the first transfer failed that did.
    pub fn failure(all: &[Self]) -> Option<Diagnostic> {
        all.iter().find_map(|host| host.lock().failure.take())
    }
}

impl HostIo for Shared {
    fn infeed(&mut self, config: &str, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        self.lock().infeed(config, types)
    }

    fn outfeed(&mut self, config: &str, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32> {
        self.lock().outfeed(config, arrays)
    }

    fn send(&mut self, channel: i64, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32> {
        self.lock().send(channel, arrays)
    }

    fn recv(&mut self, channel: i64, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        self.lock().recv(channel, types)
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
