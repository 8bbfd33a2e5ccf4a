//! The processes of one parallel run, and how they meet.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use crate::{
    error::{EvalError, Result},
    interpret::host_io::Transfer,
    tensor::Tensor,
};

/// The place of a process: replica and partition.
pub(super) type Id = (usize, usize);

/// Which meeting: the members in order, the channel, and how many meetings of them came before.
type Key = (Vec<Id>, i64, usize);

/// Which queue of messages: the channel, and sender and receiver where they are named.
type Line = (i64, Option<(i64, i64)>);

#[derive(Default)]
struct State {
    meetings: BTreeMap<Key, Meeting>,
    lines: BTreeMap<Line, VecDeque<Vec<Tensor>>>,
    /// Processes that have not ended.
    running: usize,
    /// Those of them that have looked since the last progress, in vain.
    waiting: usize,
    /// Counts what could let a waiting process go on.
    progress: u64,
    failed: bool,
}

#[derive(Default)]
struct Meeting {
    brought: BTreeMap<Id, Vec<Tensor>>,
    taken: usize,
}

/// A grid of replicas and partitions that run at once.
pub(super) struct Grid {
    pub replicas: usize,
    pub partitions: usize,
    state: Mutex<State>,
    changed: Condvar,
}

impl Grid {
    pub fn new(replicas: usize, partitions: usize) -> Self {
        let state = State { running: replicas * partitions, ..State::default() };
        Self { replicas, partitions, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that something happened which a waiting process may be waiting for: all look again.
    fn advance(&self, state: &mut State) {
        state.progress += 1;
        state.waiting = 0;
        self.changed.notify_all();
    }

    /// A process has ended; those that wait for one that failed must not wait for ever.
    pub fn end(&self, failed: bool) {
        let mut state = self.lock();
        state.running -= 1;
        state.failed |= failed;
        self.advance(&mut state);
    }

    /// Waits until `take` gives something.
    fn wait<T>(&self, mut take: impl FnMut(&mut State) -> Option<T>) -> Result<T> {
        let mut state = self.lock();
        loop {
            if let Some(taken) = take(&mut state) {
                self.advance(&mut state);
                return Ok(taken);
            }
            if state.failed {
                return Err(EvalError::invalid("another process has failed"));
            }
            state.waiting += 1;
            if state.waiting >= state.running {
                state.failed = true;
                self.advance(&mut state);
                return Err(EvalError::invalid("every process waits for another one"));
            }
            let seen = state.progress;
            while state.progress == seen {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// One process of a grid.
pub(crate) struct Process {
    pub(super) grid: Arc<Grid>,
    pub(super) id: Id,
    meetings: Mutex<BTreeMap<(Vec<Id>, i64), usize>>,
}

impl Process {
    pub(super) fn new(grid: Arc<Grid>, id: Id) -> Self {
        Self { grid, id, meetings: Mutex::new(BTreeMap::new()) }
    }

    /// The number of the process among all of the grid.
    fn flat_id(&self) -> i64 {
        (self.id.0 * self.grid.partitions + self.id.1) as i64
    }

    /// Brings tensors to a meeting of `members` and returns what each of them brought, in their order.
    pub(super) fn meet(
        &self,
        members: &[Id],
        channel: i64,
        brought: Vec<Tensor>,
    ) -> Result<Vec<Vec<Tensor>>> {
        let count = {
            let mut meetings = self.meetings.lock().unwrap_or_else(PoisonError::into_inner);
            let count = meetings.entry((members.to_vec(), channel)).or_insert(0);
            *count += 1;
            *count
        };
        let key = (members.to_vec(), channel, count);
        {
            let mut state = self.grid.lock();
            state.meetings.entry(key.clone()).or_default().brought.insert(self.id, brought);
            self.grid.advance(&mut state);
        }
        self.grid.wait(|state| {
            let meeting = state.meetings.get_mut(&key)?;
            let all =
                members.iter().map(|id| meeting.brought.get(id).cloned()).collect::<Option<_>>()?;
            meeting.taken += 1;
            if meeting.taken == members.len() {
                state.meetings.remove(&key);
            }
            Some(all)
        })
    }

    pub(super) fn send(&self, transfer: &Transfer, tensors: Vec<Tensor>) {
        let mut state = self.grid.lock();
        let me = self.flat_id();
        let targets: Vec<Line> = if transfer.pairs.is_empty() {
            vec![(transfer.channel, None)]
        } else {
            let mine = transfer.pairs.iter().filter(|(source, _)| *source == me);
            mine.map(|pair| (transfer.channel, Some(*pair))).collect()
        };
        for line in targets {
            state.lines.entry(line).or_default().push_back(tensors.clone());
        }
        self.grid.advance(&mut state);
    }

    pub(super) fn receive(&self, transfer: &Transfer) -> Result<Vec<Tensor>> {
        let me = self.flat_id();
        let line: Line = if transfer.pairs.is_empty() {
            (transfer.channel, None)
        } else {
            let pair = transfer.pairs.iter().find(|(_, target)| *target == me);
            let pair = pair
                .ok_or_else(|| EvalError::invalid("no process sends to this one on the channel"))?;
            (transfer.channel, Some(*pair))
        };
        self.grid.wait(|state| state.lines.get_mut(&line)?.pop_front())
    }
}
