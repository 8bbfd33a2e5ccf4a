//! The processes of one parallel run, as threads of this one: how they meet and send each other messages.
//!
//! It does not depend on what the processes compute: they exchange messages of type `M`. It detects deadlocks: if
//! all of them wait, or one has failed, all waiting ones fail.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

/// Which process: replica and partition.
pub type Id = (usize, usize);

/// Why a process cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// The awaited event cannot occur any more.
    #[error("another process has failed")]
    OtherFailed,
    /// Nothing can happen any more.
    #[error("every process waits for another one")]
    Deadlock,
}

/// Which meeting: the members in order, the channel, and how many meetings of them came before.
type Key = (Vec<Id>, i64, usize);

/// Which queue of messages: the channel, and sender and receiver where they are named.
type Line = (i64, Option<(i64, i64)>);

struct State<M> {
    meetings: BTreeMap<Key, Meeting<M>>,
    lines: BTreeMap<Line, VecDeque<M>>,
    /// Processes that have not ended.
    running: usize,
    /// Those of them that have looked since the last progress, in vain.
    waiting: usize,
    /// Counts events that could wake a waiting process.
    progress: u64,
    failed: bool,
}

struct Meeting<M> {
    brought: BTreeMap<Id, M>,
    taken: usize,
}

/// A grid of replicas and partitions that run at once.
pub struct Grid<M> {
    /// How many rows of processes there are.
    pub replicas: usize,
    /// How many processes a row has.
    pub partitions: usize,
    state: Mutex<State<M>>,
    changed: Condvar,
}

impl<M: Clone> Grid<M> {
    /// A grid whose processes have not begun.
    pub fn new(replicas: usize, partitions: usize) -> Self {
        let state = State {
            meetings: BTreeMap::new(),
            lines: BTreeMap::new(),
            running: replicas * partitions,
            waiting: 0,
            progress: 0,
            failed: false,
        };
        Self { replicas, partitions, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that something happened which a waiting process may be waiting for: all look again.
    fn advance(&self, state: &mut State<M>) {
        state.progress += 1;
        state.waiting = 0;
        self.changed.notify_all();
    }

    /// A process has ended; those that wait for one that failed must not wait for ever.
    fn end(&self, failed: bool) {
        let mut state = self.lock();
        state.running -= 1;
        state.failed |= failed;
        self.advance(&mut state);
    }

    /// Waits until `take` returns a value.
    fn wait<T>(&self, mut take: impl FnMut(&mut State<M>) -> Option<T>) -> Result<T, Stuck> {
        let mut state = self.lock();
        loop {
            if let Some(taken) = take(&mut state) {
                self.advance(&mut state);
                return Ok(taken);
            }
            if state.failed {
                return Err(Stuck::OtherFailed);
            }
            state.waiting += 1;
            if state.waiting >= state.running {
                state.failed = true;
                self.advance(&mut state);
                return Err(Stuck::Deadlock);
            }
            let seen = state.progress;
            while state.progress == seen {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// Records that a process has ended, even by a panic.
struct End<'a, M: Clone> {
    grid: &'a Grid<M>,
    failed: bool,
}

impl<M: Clone> Drop for End<'_, M> {
    fn drop(&mut self) {
        self.grid.end(self.failed);
    }
}

/// One process of a grid.
pub struct Process<M> {
    /// The grid that it belongs to.
    pub grid: Arc<Grid<M>>,
    /// Which of the grid's processes it is.
    pub id: Id,
    meetings: Mutex<BTreeMap<(Vec<Id>, i64), usize>>,
}

impl<M: Clone> Process<M> {
    /// A process of `grid`.
    pub fn new(grid: Arc<Grid<M>>, id: Id) -> Self {
        Self { grid, id, meetings: Mutex::new(BTreeMap::new()) }
    }

    /// Runs the process, and records for the others how it ended.
    ///
    /// # Errors
    /// Those of `body`.
    pub fn run<T, E>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut end = End { grid: &self.grid, failed: true };
        let outcome = body();
        end.failed = outcome.is_err();
        outcome
    }

    /// The number of the process among all of the grid.
    fn flat_id(&self) -> i64 {
        (self.id.0 * self.grid.partitions + self.id.1) as i64
    }

    /// Brings something to a meeting of `members` and returns what each of them brought, in their order.
    ///
    /// # Errors
    /// If a member cannot take part.
    pub fn meet(&self, members: &[Id], channel: i64, brought: M) -> Result<Vec<M>, Stuck> {
        let count = {
            let mut meetings = self.meetings.lock().unwrap_or_else(PoisonError::into_inner);
            let count = meetings.entry((members.to_vec(), channel)).or_insert(0);
            *count += 1;
            *count
        };
        let key = (members.to_vec(), channel, count);
        {
            let mut state = self.grid.lock();
            let meeting = state.meetings.entry(key.clone());
            let meeting = meeting.or_insert_with(|| Meeting { brought: BTreeMap::new(), taken: 0 });
            meeting.brought.insert(self.id, brought);
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

    /// Sends on a channel: to the receivers of this process among `pairs`, or to the first receiver if there are
    /// none.
    pub fn send(&self, channel: i64, pairs: &[(i64, i64)], message: M) {
        let mut state = self.grid.lock();
        let me = self.flat_id();
        let targets: Vec<Line> = if pairs.is_empty() {
            vec![(channel, None)]
        } else {
            let mine = pairs.iter().filter(|(source, _)| *source == me);
            mine.map(|pair| (channel, Some(*pair))).collect()
        };
        for line in targets {
            state.lines.entry(line).or_default().push_back(message.clone());
        }
        self.grid.advance(&mut state);
    }

    /// Receives on a channel, as [`Self::send`] sends; `None` if there are pairs, and this process is the receiver of none.
    ///
    /// # Errors
    /// Where nothing can come.
    pub fn receive(&self, channel: i64, pairs: &[(i64, i64)]) -> Result<Option<M>, Stuck> {
        let me = self.flat_id();
        let pair = pairs.iter().copied().find(|(_, target)| *target == me);
        if pair.is_none() && !pairs.is_empty() {
            return Ok(None);
        }
        let line: Line = (channel, pair);
        self.grid.wait(|state| state.lines.get_mut(&line)?.pop_front()).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcomes of two processes that run `body`.
    fn two<T: Send>(
        body: impl Fn(&Process<u32>) -> Result<T, Stuck> + Sync,
    ) -> Vec<Result<T, Stuck>> {
        let grid = Arc::new(Grid::new(2, 1));
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..2)
                .map(|replica| {
                    let process = Process::new(grid.clone(), (replica, 0));
                    let body = &body;
                    scope.spawn(move || process.run(|| body(&process)))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        })
    }

    #[test]
    fn all_get_what_all_brought() {
        let outcomes = two(|process| process.meet(&[(1, 0), (0, 0)], 1, process.id.0 as u32));
        assert_eq!(outcomes, [Ok(vec![1, 0]), Ok(vec![1, 0])]);
    }

    #[test]
    fn messages_keep_their_order() {
        let outcomes = two(|process| {
            if process.id.0 == 0 {
                process.send(3, &[(0, 1)], 5);
                process.send(3, &[(0, 1)], 6);
                return Ok(Vec::new());
            }
            let next = || process.receive(3, &[(0, 1)]);
            Ok(vec![next()?, next()?])
        });
        assert_eq!(outcomes[1], Ok(vec![Some(5), Some(6)]));
    }

    #[test]
    fn who_receives_from_none_has_nothing() {
        let outcomes = two(|process| {
            if process.id.0 == 0 {
                process.send(3, &[(0, 1)], 5);
            }
            process.receive(3, &[(0, 1)])
        });
        assert_eq!(outcomes, [Ok(None), Ok(Some(5))]);
    }

    #[test]
    fn no_process_waits_for_ever() {
        let outcomes = two(|process| process.receive(1, &[]));
        assert!(outcomes.contains(&Err(Stuck::Deadlock)), "{outcomes:?}");
        let outcomes = two(|process| match process.id.0 {
            0 => Err(Stuck::OtherFailed),
            _ => process.receive(1, &[]),
        });
        assert!(outcomes[1].is_err(), "{outcomes:?}");
    }
}
