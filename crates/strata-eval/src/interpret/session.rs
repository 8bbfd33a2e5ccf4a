//! State shared by the processes of a run.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    element::ElementType,
    error::Result,
    interpret::{CustomCall, OutsideCall},
    rng::RngStream,
    tensor::Tensor,
};

/// One entry of the infeed.
#[derive(Clone, Debug)]
pub(crate) enum Feed {
    /// The tensors themselves.
    Tensors(Vec<Tensor>),
    /// A function of the program that makes them.
    Function(String),
}

/// The world outside the program: random numbers, feeds, probes, printed text, custom calls.
#[derive(Default)]
pub struct Session {
    stream: Mutex<Option<RngStream>>,
    infeed: Mutex<VecDeque<Feed>>,
    outfeed: Mutex<Vec<(usize, Vec<Tensor>)>>,
    probes: Mutex<BTreeMap<String, Vec<Tensor>>>,
    printed: Mutex<String>,
    custom_calls: BTreeMap<String, Arc<CustomCall>>,
    outside: Option<Arc<Outside>>,
    host: Mutex<Option<Box<HostSource>>>,
    has_host_of_each: bool,
    sent: Mutex<Vec<(usize, i64, Vec<Tensor>)>>,
    noise: Mutex<Option<RngStream>>,
    watch: Option<Arc<Watch>>,
    processes: Option<Arc<Processes>>,
}

/// Hears of each operation of the entry function before it runs: its name, its number from 1, and how many there are.
pub type Watch = dyn Fn(&str, usize, usize) + Send + Sync;

/// The source of the arrays of a device's host: for the infeed, or for a channel, one of each shape and element type; `None` if
/// there are no more.
pub type HostSource = dyn FnMut(usize, Option<i64>, &[(Vec<usize>, ElementType)]) -> Result<Option<Vec<Tensor>>>
    + Send;

/// What evaluates functions outside of the program; `None` for those that it does not know.
pub type Outside = dyn Fn(&OutsideCall<'_>) -> Result<Option<Vec<Tensor>>> + Send + Sync;

/// What runs the functions of a parallel run instead of the evaluator: by replica and partition the name of the function, and the
/// tensors that it takes; the results are those of each process, in the same order.
pub type Processes =
    dyn Fn(&[Vec<&str>], Vec<Vec<Tensor>>) -> Result<Vec<Vec<Tensor>>> + Send + Sync;

/// A panicked thread cannot leave this plain data inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// A session whose random numbers start from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { stream: Mutex::new(Some(RngStream::new(seed))), ..Self::default() }
    }

    /// Evaluates with rounding noise from here on: sums in other orders, functions off by a few units in the last place.
    /// Equal seeds give equal noise.
    pub fn add_noise(&mut self, seed: u64) {
        self.noise = Mutex::new(Some(RngStream::new(seed)));
    }

    /// Has `watch` hear of the operations of the entry function.
    pub fn set_watch(&mut self, watch: Arc<Watch>) {
        self.watch = Some(watch);
    }

    /// Lets `run` run the processes of parallel runs.
    pub fn set_processes(&mut self, run: Arc<Processes>) {
        self.processes = Some(run);
    }

    pub(crate) fn processes(&self) -> Option<&Processes> {
        self.processes.as_deref()
    }

    pub(crate) fn watch(&self) -> Option<&Watch> {
        self.watch.as_deref()
    }

    /// Whether sums and functions are off by rounding.
    pub(crate) fn is_noisy(&self) -> bool {
        lock(&self.noise).is_some()
    }

    pub(crate) fn with_noise<R>(&self, change: impl FnOnce(&mut RngStream) -> R) -> Option<R> {
        lock(&self.noise).as_mut().map(change)
    }

    /// Makes `call` the meaning of `stablehlo.custom_call @target`.
    pub fn register(&mut self, target: impl Into<String>, call: Arc<CustomCall>) {
        self.custom_calls.insert(target.into(), call);
    }

    /// Appends the tensors of one infeed.
    pub fn feed(&self, tensors: Vec<Tensor>) {
        lock(&self.infeed).push_back(Feed::Tensors(tensors));
    }

    /// Lets `evaluate` answer the custom calls that the evaluator does not know.
    pub fn set_outside(&mut self, evaluate: Arc<Outside>) {
        self.outside = Some(evaluate);
    }

    /// Sets the source of arrays for infeeds and receives from the host.
    pub fn set_host(&mut self, source: Box<HostSource>) {
        self.host = Mutex::new(Some(source));
    }

    /// The same where each of several devices has a host of its own, with which it exchanges what it sends and receives, too. Without
    /// one, what a device sends to its host on a channel, another receives from its own.
    pub fn set_host_of_each(&mut self, source: Box<HostSource>) {
        self.set_host(source);
        self.has_host_of_each = true;
    }

    /// Which host is that of a device: the only one, or its own.
    fn host_of(&self, device: usize) -> usize {
        if self.has_host_of_each { device } else { 0 }
    }

    pub(crate) fn has_host_of_each(&self) -> bool {
        self.has_host_of_each
    }

    /// All that a device, 0 of programs for one, sent to its host, in order, with its channel.
    pub fn sent_by(&self, device: usize) -> Vec<(i64, Vec<Tensor>)> {
        let sent = lock(&self.sent);
        let own = sent.iter().filter(|(by, ..)| *by == device);
        own.map(|(_, channel, tensors)| (*channel, tensors.clone())).collect()
    }

    pub(crate) fn outside(&self) -> Option<&Arc<Outside>> {
        self.outside.as_ref()
    }

    pub(crate) fn receive_from_host(
        &self,
        device: usize,
        channel: Option<i64>,
        types: &[(Vec<usize>, ElementType)],
    ) -> Result<Option<Vec<Tensor>>> {
        match lock(&self.host).as_mut() {
            Some(source) => source(self.host_of(device), channel, types),
            None => Ok(None),
        }
    }

    pub(crate) fn send_to_host(&self, device: usize, channel: i64, tensors: Vec<Tensor>) {
        lock(&self.sent).push((self.host_of(device), channel, tensors));
    }

    /// All that a device, 0 of programs for one, outfed, in order.
    pub fn outfed_by(&self, device: usize) -> Vec<Vec<Tensor>> {
        let outfed = lock(&self.outfeed);
        let own = outfed.iter().filter(|(by, _)| *by == device);
        own.map(|(_, tensors)| tensors.clone()).collect()
    }

    /// All that `interpreter.print` wrote.
    pub fn printed(&self) -> String {
        lock(&self.printed).clone()
    }

    /// The tensors that passed a probe, in order.
    pub fn probed(&self, id: &str) -> Vec<Tensor> {
        lock(&self.probes).get(id).cloned().unwrap_or_default()
    }

    pub(crate) fn custom_call(&self, target: &str) -> Option<&Arc<CustomCall>> {
        self.custom_calls.get(target)
    }

    pub(crate) fn feed_function(&self, name: String) {
        lock(&self.infeed).push_back(Feed::Function(name));
    }

    pub(crate) fn next_feed(&self) -> Option<Feed> {
        lock(&self.infeed).pop_front()
    }

    pub(crate) fn outfeed(&self, device: usize, tensors: Vec<Tensor>) {
        lock(&self.outfeed).push((self.host_of(device), tensors));
    }

    pub(crate) fn probe(&self, id: &str, tensor: Tensor) {
        lock(&self.probes).entry(id.to_owned()).or_default().push(tensor);
    }

    pub(crate) fn print(&self, text: &str) {
        let mut printed = lock(&self.printed);
        printed.push_str(text);
        printed.push('\n');
    }

    pub(crate) fn with_stream<R>(&self, draw: impl FnOnce(&mut RngStream) -> R) -> R {
        let mut stream = lock(&self.stream);
        draw(stream.get_or_insert_with(|| RngStream::new(0)))
    }
}
