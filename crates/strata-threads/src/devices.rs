//! Devices in this process: threads that exchange values through shared memory.
//!
//! Each device runs on a thread of its own. Members of a group meet: each brings the addresses of its input and output, and
//! when all are there, each computes its share of the results, in the order of the group, so that every run has the same bits.
//! No member leaves before all have finished, since they read each other's buffers. A device that waits longer than the time limit,
//! fails or ends makes all others that wait return a status.

use std::{
    collections::BTreeMap,
    ffi::{CStr, c_void},
    ptr, slice,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use strata_abi::{
    Collective, Collectives, DEVICE_FAILED, DIFFERENT_PROGRAMS, Executor, Host, TIMED_OUT,
};

/// How long a device waits for others if nothing else is asked for.
pub const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Elements that are combined at a time: the partial results stay in the first-level cache.
const BLOCK: usize = 1024;

/// The devices of one program.
pub struct Devices {
    replicas: usize,
    partitions: usize,
    time_limit: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Meetings that not all members have left.
    meetings: BTreeMap<Key, Meeting>,
    /// What was sent and not received, by channel, sender and receiver.
    sent: BTreeMap<(i64, usize, usize), Vec<Message>>,
    /// Devices that take part in nothing any more.
    ended: Vec<bool>,
    /// What went wrong first.
    failure: Option<Failure>,
}

/// Members in order, channel, and how many meetings of them on it came before.
type Key = (Vec<usize>, i64, u64);

/// What devices say of an exchange, which has to be the same for all.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Subject {
    program: u64,
    operation: String,
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

struct Meeting {
    subject: Subject,
    /// By position in the group.
    places: Vec<Option<Place>>,
    finished: usize,
    left: usize,
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

impl Devices {
    /// The devices of a program for `replicas` times `partitions` of them.
    pub fn new(replicas: usize, partitions: usize) -> Self {
        let ended = vec![false; replicas * partitions];
        Self {
            replicas,
            partitions,
            time_limit: TIME_LIMIT,
            state: Mutex::new(State { ended, ..State::default() }),
            changed: Condvar::new(),
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

    /// Runs `body` for each device on a thread of its own and returns the statuses. A body that returns another one than 0, or
    /// panics, ends the exchanges of all others. After a failure the devices are of no further use.
    pub fn run(self: &Arc<Self>, body: impl Fn(&Device) -> i32 + Sync) -> Vec<i32> {
        let body = &body;
        let mut state = self.lock();
        state.ended.fill(false);
        drop(state);
        thread::scope(|scope| {
            let start = |number| {
                let device = Device::new(Arc::clone(self), number);
                scope.spawn(move || {
                    let status = body(&device);
                    device.end(status);
                    status
                })
            };
            let threads: Vec<_> = (0..self.count()).map(start).collect();
            // A device that is dropped by a panic has failed.
            threads.into_iter().map(|thread| thread.join().unwrap_or(DEVICE_FAILED)).collect()
        })
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
        self.changed.notify_all();
        status
    }

    /// Waits until `ready` gives a value; gives up at the deadline, at a failure, and where one of `members` that `awaited`
    /// names has ended.
    fn wait<'s, T>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        device: usize,
        what: &str,
        mut ready: impl FnMut(&mut State) -> Option<T>,
        awaited: impl Fn(&State) -> Vec<usize>,
    ) -> Result<(MutexGuard<'s, State>, T), i32> {
        let deadline = Instant::now() + self.time_limit;
        loop {
            if let Some(value) = ready(&mut state) {
                return Ok((state, value));
            }
            if state.failure.is_some() {
                return Err(DEVICE_FAILED);
            }
            let gone = awaited(&state).into_iter().find(|member| state.ended[*member]);
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
                    listed(&awaited(&state))
                );
                return Err(self.fail(&mut state, device, TIMED_OUT, reason));
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
    /// How many meetings there have been, by members and channel.
    met: Mutex<BTreeMap<(Vec<usize>, i64), u64>>,
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
            all_reduce: Some(all_reduce),
            all_gather: Some(all_gather),
            reduce_scatter: Some(reduce_scatter),
            all_to_all: Some(all_to_all),
            collective_permute: Some(collective_permute),
            collective_broadcast: Some(collective_broadcast),
            send: Some(send),
            recv: Some(recv),
        };
        let mut device = Box::new(Self {
            devices,
            number,
            met: Mutex::default(),
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

    /// Says that the device takes part in nothing any more; another status than 0 is a failure, for which others do not wait.
    pub fn end(&self, status: i32) {
        let mut has_ended = self.has_ended.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *has_ended, true) {
            return;
        }
        let mut state = self.devices.lock();
        state.ended[self.number] = true;
        if status != 0 {
            let reason = format!("the program of device {} returned {status}", self.number);
            self.devices.fail(&mut state, self.number, status, reason);
        }
        self.devices.changed.notify_all();
    }

    /// Brings buffers to a meeting of `group`, and calls `work` with the position of this device and all buffers.
    fn meet(
        &self,
        group: &[usize],
        subject: Subject,
        channel: i64,
        mine: Place,
        work: impl FnOnce(usize, &[Place]),
    ) -> Result<(), i32> {
        let Some(position) = group.iter().position(|member| *member == self.number) else {
            return Ok(());
        };
        let key = {
            let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
            let count = met.entry((group.to_vec(), channel)).or_insert(0);
            *count += 1;
            (group.to_vec(), channel, *count)
        };
        let what = subject.operation.clone();
        let devices = &*self.devices;
        let mut state = devices.lock();
        if state.failure.is_some() {
            return Err(DEVICE_FAILED);
        }
        let meeting = state.meetings.entry(key.clone()).or_insert_with(|| Meeting {
            subject: subject.clone(),
            places: vec![None; group.len()],
            finished: 0,
            left: 0,
        });
        if meeting.subject != subject {
            let reason = format!(
                "device {} is in {}, and another one of its group in {}",
                self.number,
                described(&subject),
                described(&meeting.subject)
            );
            return Err(devices.fail(&mut state, self.number, DIFFERENT_PROGRAMS, reason));
        }
        meeting.places[position] = Some(mine);
        if meeting.places.iter().all(Option::is_some) {
            devices.changed.notify_all();
        }
        let all = |state: &mut State| {
            state.meetings.get(&key)?.places.iter().copied().collect::<Option<Vec<_>>>()
        };
        let absent = |state: &State| -> Vec<usize> {
            let places = state.meetings.get(&key).map(|meeting| &meeting.places[..]);
            let places = places.unwrap_or_default().iter().zip(group);
            places.filter(|(place, _)| place.is_none()).map(|(_, member)| *member).collect()
        };
        let waited = devices.wait(state, self.number, &what, all, absent);
        let (state, places) = match waited {
            Ok(ready) => ready,
            Err(status) => {
                // Not all were there, so that none looks at these buffers, nor will: there is a failure now.
                let mut state = devices.lock();
                if let Some(meeting) = state.meetings.get_mut(&key) {
                    meeting.places[position] = None;
                }
                return Err(status);
            }
        };
        drop(state);
        work(position, &places);
        let mut state = devices.lock();
        let count = group.len();
        if let Some(meeting) = state.meetings.get_mut(&key) {
            meeting.finished += 1;
            if meeting.finished == count {
                devices.changed.notify_all();
            }
        }
        // All others are at work, which ends: there is no time limit, and no other way out while buffers are shared.
        loop {
            let Some(meeting) = state.meetings.get_mut(&key) else { return Ok(()) };
            if meeting.finished == count {
                meeting.left += 1;
                if meeting.left == count {
                    state.meetings.remove(&key);
                }
                return Ok(());
            }
            state = devices.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
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
        queue.push(Message { subject, data });
        self.devices.changed.notify_all();
        Ok(())
    }

    fn receive(&self, source: usize, channel: i64, subject: &Subject) -> Result<Vec<u8>, i32> {
        let key = (channel, source, self.number);
        let next = |state: &mut State| {
            let queue = state.sent.get_mut(&key)?;
            (!queue.is_empty()).then(|| queue.remove(0))
        };
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

/// An exchange as the object describes it.
struct Request<'a> {
    device: &'a Device,
    what: &'a Collective,
    groups: Vec<Vec<usize>>,
    /// Bytes of an element.
    size: usize,
    count: usize,
}

impl<'a> Request<'a> {
    /// # Safety
    /// `context` is a [`Device`], `what` a constant of an object.
    unsafe fn read(context: *mut c_void, what: *const Collective, count: i64) -> Self {
        // SAFETY: as the caller promises; the tables have the lengths that the structure says.
        unsafe {
            let (device, what) = (&*context.cast::<Device>(), &*what);
            let groups = usize::try_from(what.group_count).unwrap_or(0);
            let starts = slice::from_raw_parts(what.group_starts, groups + 1);
            let group = |ends: &[i64]| {
                let length = usize::try_from(ends[1] - ends[0]).unwrap_or(0);
                let first = what.members.offset(ends[0] as isize);
                slice::from_raw_parts(first, length).iter().map(|id| *id as usize).collect()
            };
            Self {
                device,
                what,
                groups: starts.windows(2).map(group).collect(),
                size: usize::try_from(what.element_size).unwrap_or(0),
                count: usize::try_from(count).unwrap_or(0),
            }
        }
    }

    fn subject(&self, bytes: usize) -> Subject {
        // SAFETY: the object's text ends with a zero byte.
        let operation = unsafe { CStr::from_ptr(self.what.operation) };
        Subject {
            program: self.what.program,
            operation: operation.to_string_lossy().into_owned(),
            bytes,
            element: self.what.element_type,
        }
    }

    /// Meets the group of this device; without one the `zeros` bytes of the output are 0.
    fn meet(
        &self,
        input: *const c_void,
        output: *mut c_void,
        zeros: usize,
        work: impl FnOnce(usize, &[Place]),
    ) -> i32 {
        let is_member = |group: &&Vec<usize>| group.contains(&self.device.number);
        let Some(group) = self.groups.iter().find(is_member) else {
            // SAFETY: the output has as many bytes.
            unsafe { ptr::write_bytes(output.cast::<u8>(), 0, zeros) };
            return 0;
        };
        let mine = Place { input: input.cast(), output: output.cast() };
        let subject = self.subject(self.count * self.size);
        let met = self.device.meet(group, subject, self.what.channel, mine, work);
        met.err().unwrap_or(0)
    }

    /// Combines elements `begin` to `end` of all inputs, each `offset` bytes on, into `result`, in the order of the group.
    ///
    /// # Safety
    /// The buffers have these elements, and only this thread writes those of `result`.
    unsafe fn combine(&self, places: &[Place], offset: usize, result: *mut u8, range: [usize; 2]) {
        let (Some(combine), [first, others @ ..]) = (self.what.combine, places) else { return };
        let [begin, end] = range;
        for block in (begin..end).step_by(BLOCK) {
            let length = BLOCK.min(end - block);
            let at = block * self.size;
            // SAFETY: as the caller promises.
            unsafe {
                let result = result.add(at);
                let input = |place: &Place| place.input.add(offset + at);
                match others {
                    [] => ptr::copy_nonoverlapping(input(first), result, length * self.size),
                    [second, rest @ ..] => {
                        let length = length as i64;
                        let value = |place: &Place| input(place).cast::<c_void>();
                        combine(value(first), value(second), result.cast(), length);
                        for place in rest {
                            combine(result.cast(), value(place), result.cast(), length);
                        }
                    }
                }
            }
        }
    }
}

/// # Safety
/// As `strata_collectives` says: `context` is a [`Device`], the buffers have the elements that `what` and `count` say.
unsafe extern "C" fn all_reduce(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read(context, what, count) };
    let (count, size) = (request.count, request.size);
    request.meet(input, output, count * size, |position, places| {
        // Each member computes a share of the results, for all.
        let share = |member: usize| member * count / places.len();
        let (begin, end) = (share(position), share(position + 1));
        for block in (begin..end).step_by(BLOCK) {
            let (at, length) = (block * size, BLOCK.min(end - block));
            let mine = places[position].output;
            // SAFETY: shares do not overlap, and all members have the same number of elements.
            unsafe {
                request.combine(places, 0, mine, [block, block + length]);
                for (member, place) in places.iter().enumerate() {
                    if member != position {
                        ptr::copy_nonoverlapping(mine.add(at), place.output.add(at), length * size);
                    }
                }
            }
        }
    })
}

/// # Safety
/// As [`all_reduce`].
unsafe extern "C" fn all_gather(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read(context, what, count) };
    let bytes = request.count * request.size;
    let members = request.groups.first().map_or(0, Vec::len);
    request.meet(input, output, members * bytes, |position, places| {
        let mine = places[position].output;
        for (member, place) in places.iter().enumerate() {
            // SAFETY: the output has a part for each member.
            unsafe { ptr::copy_nonoverlapping(place.input, mine.add(member * bytes), bytes) };
        }
    })
}

/// # Safety
/// As [`all_reduce`].
unsafe extern "C" fn reduce_scatter(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read(context, what, count) };
    let bytes = request.count * request.size;
    request.meet(input, output, bytes, |position, places| {
        let mine = places[position].output;
        // SAFETY: the inputs have a part for each member, and this thread alone writes its output.
        unsafe { request.combine(places, position * bytes, mine, [0, request.count]) };
    })
}

/// # Safety
/// As [`all_reduce`].
unsafe extern "C" fn all_to_all(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read(context, what, count) };
    let bytes = request.count * request.size;
    let members = request.groups.first().map_or(0, Vec::len);
    request.meet(input, output, members * bytes, |position, places| {
        let mine = places[position].output;
        for (member, place) in places.iter().enumerate() {
            // SAFETY: inputs and output have a part for each member.
            unsafe {
                let part = place.input.add(position * bytes);
                ptr::copy_nonoverlapping(part, mine.add(member * bytes), bytes);
            }
        }
    })
}

/// # Safety
/// As [`all_reduce`].
unsafe extern "C" fn collective_broadcast(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read(context, what, count) };
    let bytes = request.count * request.size;
    request.meet(input, output, bytes, |position, places| {
        // SAFETY: all have the same number of elements.
        unsafe { ptr::copy_nonoverlapping(places[0].input, places[position].output, bytes) };
    })
}

/// # Safety
/// As [`all_reduce`].
unsafe extern "C" fn collective_permute(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read(context, what, count) };
    let bytes = request.count * request.size;
    // A device can be the source of one pair and the target of another: all that pairs connect meet at once.
    let mut group = vec![request.device.number];
    loop {
        let known = group.len();
        for pair in &request.groups {
            if pair.iter().any(|member| group.contains(member)) {
                let new = pair.iter().filter(|member| !group.contains(member));
                group.extend(new.copied().collect::<Vec<_>>());
            }
        }
        if group.len() == known {
            break;
        }
    }
    group.sort_unstable();
    let source = request.groups.iter().find(|pair| pair.last() == Some(&request.device.number));
    let source = source.and_then(|pair| group.iter().position(|member| *member == pair[0]));
    let takes_part = request.groups.iter().any(|pair| pair.contains(&request.device.number));
    let all = Request { groups: if takes_part { vec![group] } else { Vec::new() }, ..request };
    all.meet(input, output, bytes, |position, places| {
        let mine = places[position].output;
        // SAFETY: all have the same number of elements.
        unsafe {
            match source {
                Some(source) => ptr::copy_nonoverlapping(places[source].input, mine, bytes),
                None => ptr::write_bytes(mine, 0, bytes),
            }
        }
    })
}

/// # Safety
/// As [`all_reduce`], without an output.
unsafe extern "C" fn send(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    data: *const c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read(context, what, count) };
    let bytes = request.count * request.size;
    let data = match bytes {
        0 => &[][..],
        // SAFETY: the buffer has as many bytes.
        _ => unsafe { slice::from_raw_parts(data.cast::<u8>(), bytes) },
    };
    let device = request.device;
    for pair in request.groups.iter().filter(|pair| pair.first() == Some(&device.number)) {
        let [_, target] = pair[..] else { continue };
        let sent = device.send(target, request.what.channel, request.subject(bytes), data.to_vec());
        if let Err(status) = sent {
            return status;
        }
    }
    0
}

/// # Safety
/// As [`all_reduce`], without an input.
unsafe extern "C" fn recv(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    data: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read(context, what, count) };
    let bytes = request.count * request.size;
    let device = request.device;
    let pair = request.groups.iter().find(|pair| pair.last() == Some(&device.number));
    let Some(pair) = pair else {
        // SAFETY: the buffer has as many bytes.
        unsafe { ptr::write_bytes(data.cast::<u8>(), 0, bytes) };
        return 0;
    };
    match device.receive(pair[0], request.what.channel, &request.subject(bytes)) {
        // SAFETY: the message has as many bytes as the buffer.
        Ok(message) => unsafe {
            ptr::copy_nonoverlapping(message.as_ptr(), data.cast(), bytes.min(message.len()));
            0
        },
        Err(status) => status,
    }
}
