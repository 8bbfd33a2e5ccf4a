//! Devices in this process: threads that exchange values through shared memory.
//!
//! Each device runs on a thread of its own. Members of a group meet: each brings the addresses of its input and output, and
//! when all are there, each computes its results, or its share of those of all, in the order of the group, so that every run has the same bits.
//! No member leaves before all have finished, since they read each other's buffers. A device that waits longer than the time limit,
//! fails or ends makes all others that wait return a status. Those that wait look for some microseconds before they sleep, if
//! there is a processor for each.

mod crew;
mod exchanges;
mod streams;

use std::{
    collections::{BTreeMap, VecDeque},
    hint,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use strata_abi::{Collectives, DEVICE_FAILED, DIFFERENT_PROGRAMS, Executor, Host, TIMED_OUT};

/// How long a device waits for others if nothing else is asked for.
pub const TIME_LIMIT: Duration = Duration::from_secs(300);

/// How often a device looks whether others are there before it sleeps: 200 µs on a Zen 4, as long as devices come one after the other
/// that compute for some milliseconds. Of 50 µs a block of GPT-2 takes 1 % longer.
const LOOKS: usize = 8000;

/// The devices of one program.
pub struct Devices {
    replicas: usize,
    partitions: usize,
    time_limit: Duration,
    /// How often a device looks before it sleeps.
    looks: usize,
    state: Mutex<State>,
    changed: Condvar,
    has_failed: AtomicBool,
}

#[derive(Default)]
struct State {
    rooms: Vec<Room>,
    /// What was sent and not received, by channel, sender and receiver.
    sent: BTreeMap<(i64, usize, usize), VecDeque<Message>>,
    /// Devices that take part in nothing any more.
    ended: Vec<bool>,
    /// What each device that sleeps waits for.
    waits: Vec<Option<Wait>>,
    /// Counts what could let a device go on.
    progress: u64,
    /// What went wrong first.
    failure: Option<Failure>,
}

/// What a device that has looked in vain waits for.
struct Wait {
    /// [`State::progress`] when it looked.
    progress: u64,
    operation: &'static str,
    /// It goes on when all of them have done something.
    awaited: Vec<usize>,
}

/// Where the members of a group meet on a channel, again and again.
struct Room {
    members: Vec<usize>,
    channel: i64,
    /// For each member the meetings that it has come to.
    met: Vec<u64>,
    /// The meetings of even and of odd numbers: all have left one before any comes to the next but one.
    meetings: [Meeting; 2],
}

/// What devices say of an exchange, which has to be the same for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Subject {
    program: u64,
    /// A constant of the object, which is there while the device runs it.
    operation: &'static str,
    bytes: usize,
    element: i32,
}

struct Message {
    subject: Subject,
    data: Vec<u8>,
}

/// The buffers that a member brings.
#[derive(Clone, Copy)]
struct Place {
    input: *const u8,
    output: *mut u8,
}

// SAFETY: members use each other's buffers only while all of them are in the meeting.
unsafe impl Send for Place {}

#[derive(Default)]
struct Meeting {
    number: u64,
    /// That of the first member that came.
    subject: Option<Subject>,
    /// By position in the group.
    places: Vec<Option<Place>>,
    progress: Arc<Progress>,
}

/// How many members have come to a meeting, and have done their share.
#[derive(Default)]
struct Progress {
    there: AtomicUsize,
    finished: AtomicUsize,
}

/// Why the devices of a program ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The device that found it.
    pub device: usize,
    /// Its status.
    pub status: i32,
    /// What happened, in words.
    pub reason: String,
}

impl State {
    /// The room of a group on a channel, which is made if there is none.
    fn room_of(&mut self, group: &[i64], channel: i64) -> usize {
        let is_of = |room: &Room| {
            let members = room.members.iter().map(|member| *member as i64);
            room.channel == channel && members.eq(group.iter().copied())
        };
        self.rooms.iter().position(is_of).unwrap_or_else(|| {
            let members = group.iter().map(|member| *member as usize).collect();
            let (met, meetings) = (vec![0; group.len()], Default::default());
            self.rooms.push(Room { members, channel, met, meetings });
            self.rooms.len() - 1
        })
    }
}

impl State {
    /// Devices of which each waits for the next one and the last for the first, which is `device`.
    ///
    /// Those that have not looked since something happened may go on. A member that came since then waits for those that are missing
    /// itself, so that a path that leads through it is one without it, too.
    fn circle(&self, device: usize) -> Option<Vec<usize>> {
        let (mut path, mut seen) = (Vec::new(), vec![false; self.waits.len()]);
        self.reaches(device, device, &mut path, &mut seen).then_some(path)
    }

    fn reaches(&self, from: usize, last: usize, path: &mut Vec<usize>, seen: &mut [bool]) -> bool {
        let wait = self.waits[from].as_ref().filter(|wait| wait.progress == self.progress);
        let Some(wait) = wait.filter(|_| !std::mem::replace(&mut seen[from], true)) else {
            return false;
        };
        path.push(from);
        let is_closed =
            wait.awaited.iter().any(|next| *next == last || self.reaches(*next, last, path, seen));
        if !is_closed {
            path.pop();
        }
        is_closed
    }
}

impl Meeting {
    fn new(number: u64, members: usize) -> Self {
        Self { number, places: vec![None; members], ..Self::default() }
    }
}

impl Devices {
    /// The devices of a program for `replicas` times `partitions` of them.
    pub fn new(replicas: usize, partitions: usize) -> Self {
        let ended = vec![false; replicas * partitions];
        let waits = ended.iter().map(|_| None).collect();
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self {
            replicas,
            partitions,
            time_limit: TIME_LIMIT,
            looks: if ended.len() <= processors { LOOKS } else { 0 },
            state: Mutex::new(State { ended, waits, ..State::default() }),
            changed: Condvar::new(),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Sets how long a device waits for others; then it returns [`strata_abi::TIMED_OUT`].
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.replicas * self.partitions
    }

    /// What went wrong first, if something did.
    pub fn failure(&self) -> Option<Failure> {
        self.lock().failure.clone()
    }

    /// Runs `body` for each device, all at the same time on threads of their own, one of which is the caller's; returns the
    /// statuses. A body that returns another one than 0, or panics, ends the exchanges of all others. After a failure the devices are
    /// of no further use.
    pub fn run(self: &Arc<Self>, body: impl Fn(&Device) -> i32 + Sync) -> Vec<i32> {
        let mut state = self.lock();
        state.ended.fill(false);
        drop(state);
        let start = |number| (Device::new(Arc::clone(self), number), AtomicI32::new(DEVICE_FAILED));
        let all: Vec<_> = (0..self.count()).map(start).collect();
        let run = |number: usize| {
            let (device, end) = &all[number];
            let status = catch_unwind(AssertUnwindSafe(|| body(device))).unwrap_or(DEVICE_FAILED);
            end.store(status, Ordering::Release);
            device.end(status);
        };
        crew::run(self.count(), self.looks, &run, &|number| all[number].0.end(DEVICE_FAILED));
        all.iter().map(|(_, end)| end.load(Ordering::Acquire)).collect()
    }

    /// What was sent and never received, in words.
    pub fn unreceived(&self) -> Option<String> {
        let state = self.lock();
        let mut left = state.sent.iter().filter(|(_, queue)| !queue.is_empty());
        let ((channel, source, target), queue) = left.next()?;
        Some(format!(
            "device {source} sent {} messages on channel {channel} to device {target}, which did not receive them",
            queue.len()
        ))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, state: &mut State, device: usize, status: i32, reason: String) -> i32 {
        state.failure.get_or_insert(Failure { device, status, reason });
        self.has_failed.store(true, Ordering::Release);
        self.changed.notify_all();
        status
    }

    /// Looks whether `is_ready` for a while.
    fn look(&self, is_ready: impl Fn() -> bool) {
        for _ in 0..self.looks {
            if is_ready() || self.has_failed.load(Ordering::Acquire) {
                return;
            }
            hint::spin_loop();
        }
    }

    /// Waits until `ready` gives a value; gives up at the deadline, at a failure, and where one of the devices that `awaited` names
    /// has ended or waits for this one.
    fn wait<'s, T>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        device: usize,
        what: &'static str,
        mut ready: impl FnMut(&mut State) -> Option<T>,
        awaited: impl Fn(&State) -> Vec<usize>,
    ) -> Result<(MutexGuard<'s, State>, T), i32> {
        let deadline = Instant::now() + self.time_limit;
        loop {
            state.waits[device] = None;
            if let Some(value) = ready(&mut state) {
                return Ok((state, value));
            }
            if state.failure.is_some() {
                return Err(DEVICE_FAILED);
            }
            let missing = awaited(&state);
            let gone = missing.iter().copied().find(|member| state.ended[*member]);
            if let Some(gone) = gone {
                let reason =
                    format!("device {gone} ended, and device {device} waits for it in {what}");
                return Err(self.fail(&mut state, device, DEVICE_FAILED, reason));
            }
            let now = Instant::now();
            if now >= deadline {
                let reason = format!(
                    "device {device} waited {:?} in {what} for {}",
                    self.time_limit,
                    listed(&missing)
                );
                return Err(self.fail(&mut state, device, TIMED_OUT, reason));
            }
            let progress = state.progress;
            state.waits[device] = Some(Wait { progress, operation: what, awaited: missing });
            if let Some(circle) = state.circle(device) {
                let in_what = |device: &usize| {
                    let operation = state.waits[*device].as_ref().map_or(what, |w| w.operation);
                    format!("device {device} in {operation}")
                };
                let all: Vec<_> = circle.iter().map(in_what).collect();
                let reason = format!("{} wait for each other", all.join(" and "));
                return Err(self.fail(&mut state, device, DIFFERENT_PROGRAMS, reason));
            }
            let waited = self.changed.wait_timeout(state, deadline - now);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn listed(devices: &[usize]) -> String {
    let all: Vec<_> = devices.iter().map(usize::to_string).collect();
    format!("device{} {}", if all.len() == 1 { "" } else { "s" }, all.join(", "))
}

/// One of the devices, for the thread that runs the program of it.
pub struct Device {
    devices: Arc<Devices>,
    number: usize,
    /// Whether it takes part in an exchange: it can in one at a time.
    is_busy: AtomicBool,
    table: Box<Collectives>,
    has_ended: Mutex<bool>,
}

// SAFETY: the table is read only; its context is the device itself, whose state is guarded by mutexes.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    /// Device `number` of `devices`. There must be one of each.
    pub fn new(devices: Arc<Devices>, number: usize) -> Box<Self> {
        let table = Collectives {
            size: size_of::<Collectives>(),
            context: ptr::null_mut(),
            replica_count: devices.replicas as i64,
            partition_count: devices.partitions as i64,
            replica: (number / devices.partitions) as i64,
            partition: (number % devices.partitions) as i64,
            all_reduce: Some(exchanges::all_reduce),
            all_gather: Some(exchanges::all_gather),
            reduce_scatter: Some(exchanges::reduce_scatter),
            all_to_all: Some(exchanges::all_to_all),
            collective_permute: Some(exchanges::collective_permute),
            collective_broadcast: Some(exchanges::collective_broadcast),
            send: Some(exchanges::send),
            recv: Some(exchanges::recv),
            ragged_all_to_all: Some(exchanges::ragged_all_to_all),
            // Each device copies what it gets itself, so that no other thread could do it beside the program.
            start: None,
            wait: None,
            abandon: None,
        };
        let mut device = Box::new(Self {
            devices,
            number,
            is_busy: AtomicBool::new(false),
            table: Box::new(table),
            has_ended: Mutex::new(false),
        });
        device.table.context = ptr::from_ref::<Self>(&device).cast_mut().cast();
        device
    }

    /// Its number, `replica * partitions + partition`.
    pub fn number(&self) -> usize {
        self.number
    }

    /// What a program needs of it: `strata_host.collectives`. It is valid as long as the device.
    pub fn collectives(&self) -> &Collectives {
        &self.table
    }

    /// A host that offers the device, and nothing else.
    pub fn host(&self) -> Host {
        Host {
            size: size_of::<Host>(),
            context: ptr::null_mut(),
            infeed: None,
            outfeed: None,
            send: None,
            recv: None,
            collectives: self.collectives(),
        }
    }

    /// An executor that offers `host`, and runs everything on the calling thread.
    pub fn executor(host: &Host) -> Executor {
        Executor { context: ptr::null_mut(), concurrency: 1, parallel_for: None, host }
    }

    /// Ends the exchanges of all devices; returns the status.
    fn fail(&self, operation: &str, status: i32, reason: &str) -> i32 {
        let mut state = self.devices.lock();
        self.devices.fail(&mut state, self.number, status, format!("{operation}: {reason}"))
    }

    /// Says that the device takes part in nothing any more; another status than 0 is a failure, for which others do not wait.
    pub fn end(&self, status: i32) {
        let mut has_ended = self.has_ended.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *has_ended, true) {
            return;
        }
        let mut state = self.devices.lock();
        state.ended[self.number] = true;
        state.progress += 1;
        if status != 0 {
            let reason = format!("the program of device {} returned {status}", self.number);
            self.devices.fail(&mut state, self.number, status, reason);
        }
        self.devices.changed.notify_all();
    }

    /// Does `exchange`, unless another thread does one of this device: it is a mistake to use its executor twice at a time.
    fn alone<T>(&self, what: &str, exchange: impl FnOnce() -> Result<T, i32>) -> Result<T, i32> {
        if self.is_busy.swap(true, Ordering::Acquire) {
            let reason =
                format!("two threads use the executor of device {} in {what}", self.number);
            let mut state = self.devices.lock();
            return Err(self.devices.fail(&mut state, self.number, DEVICE_FAILED, reason));
        }
        let outcome = exchange();
        self.is_busy.store(false, Ordering::Release);
        outcome
    }

    /// Brings buffers to a meeting of `group`, and calls `work` with the position of this device and all buffers.
    fn meet(
        &self,
        group: &[i64],
        subject: Subject,
        channel: i64,
        mine: Place,
        work: impl FnOnce(usize, &[Place]),
    ) -> Result<(), i32> {
        let operation = subject.operation;
        self.alone(operation, || self.meet_alone(group, subject, channel, mine, work))
    }

    fn meet_alone(
        &self,
        group: &[i64],
        subject: Subject,
        channel: i64,
        mine: Place,
        work: impl FnOnce(usize, &[Place]),
    ) -> Result<(), i32> {
        let is_mine = |member: &i64| *member == self.number as i64;
        let Some(position) = group.iter().position(is_mine) else {
            return Ok(());
        };
        let (devices, what) = (&*self.devices, subject.operation);
        let mut state = devices.lock();
        if state.failure.is_some() {
            return Err(DEVICE_FAILED);
        }
        let at = state.room_of(group, channel);
        let room = &mut state.rooms[at];
        room.met[position] += 1;
        let number = room.met[position];
        let which = usize::from(number % 2 == 1);
        let meeting = &mut room.meetings[which];
        if meeting.number != number {
            *meeting = Meeting::new(number, group.len());
        }
        let known = meeting.subject.get_or_insert(subject);
        if *known != subject {
            let reason = format!(
                "device {} is in {}, and another one of its group in {}",
                self.number,
                described(&subject),
                described(known)
            );
            return Err(devices.fail(&mut state, self.number, DIFFERENT_PROGRAMS, reason));
        }
        meeting.places[position] = Some(mine);
        let progress = Arc::clone(&meeting.progress);
        if progress.there.fetch_add(1, Ordering::AcqRel) + 1 == group.len() {
            state.progress += 1;
            devices.changed.notify_all();
        } else {
            drop(state);
            devices.look(|| progress.there.load(Ordering::Acquire) == group.len());
            state = devices.lock();
        }
        let all = |state: &mut State| {
            let meeting = &state.rooms[at].meetings[which];
            meeting.places.iter().copied().collect::<Option<Vec<_>>>()
        };
        let absent = |state: &State| -> Vec<usize> {
            let room = &state.rooms[at];
            let places = room.meetings[which].places.iter().zip(&room.members);
            places.filter(|(place, _)| place.is_none()).map(|(_, member)| *member).collect()
        };
        let (state, places) = match devices.wait(state, self.number, what, all, absent) {
            Ok(ready) => ready,
            Err(status) => {
                // Not all were there, so that none looks at these buffers, nor will: there is a failure now.
                devices.lock().rooms[at].meetings[which].places[position] = None;
                return Err(status);
            }
        };
        drop(state);
        work(position, &places);
        if progress.finished.fetch_add(1, Ordering::AcqRel) + 1 == group.len() {
            // Those that sleep have the mutex from their look at the number on.
            drop(devices.lock());
            devices.changed.notify_all();
            return Ok(());
        }
        let have_all_finished = || progress.finished.load(Ordering::Acquire) == group.len();
        devices.look(have_all_finished);
        // All others are at work, which ends: there is no time limit, and no other way out while buffers are shared.
        if !have_all_finished() {
            let mut state = devices.lock();
            while !have_all_finished() {
                state = devices.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        Ok(())
    }

    fn send(
        &self,
        target: usize,
        channel: i64,
        subject: Subject,
        data: Vec<u8>,
    ) -> Result<(), i32> {
        let mut state = self.devices.lock();
        if state.failure.is_some() {
            return Err(DEVICE_FAILED);
        }
        let queue = state.sent.entry((channel, self.number, target)).or_default();
        queue.push_back(Message { subject, data });
        state.progress += 1;
        self.devices.changed.notify_all();
        Ok(())
    }

    fn receive(&self, source: usize, channel: i64, subject: &Subject) -> Result<Vec<u8>, i32> {
        let key = (channel, source, self.number);
        let next = |state: &mut State| state.sent.get_mut(&key)?.pop_front();
        let state = self.devices.lock();
        let (mut state, message) =
            self.devices.wait(state, self.number, "recv", next, |_| vec![source])?;
        let (sent, wanted) = (&message.subject, subject);
        let same = (sent.program, sent.bytes, sent.element)
            == (wanted.program, wanted.bytes, wanted.element);
        if !same {
            let reason = format!(
                "device {} receives {}, and device {source} sent {}",
                self.number,
                described(wanted),
                described(sent)
            );
            return Err(self.devices.fail(&mut state, self.number, DIFFERENT_PROGRAMS, reason));
        }
        Ok(message.data)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // Without an end it was left by a panic, or is used no more.
        self.end(if thread::panicking() { DEVICE_FAILED } else { 0 });
    }
}

fn described(subject: &Subject) -> String {
    format!(
        "{} of {} bytes of type {:#x} of program {:016x}",
        subject.operation, subject.bytes, subject.element, subject.program
    )
}
