//! Samples by signals: a timer for each thread, whose handler walks the thread's stack.

use std::{
    cell::UnsafeCell,
    ffi::{c_int, c_void},
    io, mem, ptr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};

use super::{
    Frames, Samples,
    frames::{DEPTH, Registers},
};

/// Samples for which there is room.
const ROOM: usize = 1 << 18;

/// Where the handler writes to; null between profiles.
static TARGET: AtomicPtr<Target> = AtomicPtr::new(ptr::null_mut());
/// Handlers that are running.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// There is one handler of the signal, and so one profile at a time.
static ONE: Mutex<()> = Mutex::new(());

struct Target {
    frames: Arc<Frames>,
    slots: Box<[Slot]>,
    next: AtomicUsize,
    lost: AtomicU64,
    /// The handle of each thread's timer, counted from 1: handles begin at 0. 0 where there is none.
    timers: Vec<AtomicUsize>,
    nanoseconds: u64,
    ends: AtomicBool,
}

/// A sample: its number of addresses, then these.
struct Slot(UnsafeCell<[u64; DEPTH + 1]>);

// SAFETY: each slot is written by the one handler that took its number, and read once all handlers have ended.
unsafe impl Sync for Slot {}

/// The running timers.
pub struct Sampler {
    target: Box<Target>,
    before: libc::sigaction,
    _one: MutexGuard<'static, ()>,
}

impl Sampler {
    pub fn start(frames: Arc<Frames>, frequency: u32, threads: &[i32]) -> Result<Self, String> {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = (0..ROOM).map(|_| Slot(UnsafeCell::new([0; DEPTH + 1])));
        let target = Box::new(Target {
            frames,
            slots: slots.collect(),
            next: AtomicUsize::new(0),
            lost: AtomicU64::new(0),
            timers: threads.iter().map(|_| AtomicUsize::new(0)).collect(),
            nanoseconds: 1_000_000_000 / u64::from(frequency.max(1)),
            ends: AtomicBool::new(false),
        });
        // SAFETY: an action of zeros is a valid one; the handler has the signature that SA_SIGINFO asks for.
        let before = unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            let mut before: libc::sigaction = mem::zeroed();
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = handle;
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigemptyset(&raw mut action.sa_mask);
            if libc::sigaction(libc::SIGPROF, &raw const action, &raw mut before) != 0 {
                return Err(io::Error::last_os_error().to_string());
            }
            before
        };
        TARGET.store(ptr::from_ref::<Target>(&target).cast_mut(), Ordering::SeqCst);
        let started = Self { target, before, _one: one };
        for (number, thread) in threads.iter().enumerate() {
            if let Err(error) = started.target.create(number, *thread) {
                // A thread may have ended since.
                if started.target.has_no_timer() && number + 1 == threads.len() {
                    return Err(error.to_string());
                }
            }
        }
        Ok(started)
    }

    pub fn stop(self) -> Samples {
        self.end();
        let taken = self.target.next.load(Ordering::SeqCst).min(ROOM);
        let of = |slot: &Slot| {
            // SAFETY: no handler runs any more.
            let record = unsafe { &*slot.0.get() };
            let count = usize::try_from(record[0]).unwrap_or(0).min(DEPTH);
            record[1..=count].to_vec()
        };
        let stacks = self.target.slots[..taken].iter().map(of);
        let stacks = stacks.filter(|stack| !stack.is_empty()).collect();
        Samples { stacks, lost: self.target.lost.load(Ordering::SeqCst) }
    }

    /// Ends all timers and waits for the handlers.
    fn end(&self) {
        self.target.ends.store(true, Ordering::SeqCst);
        for timer in &self.target.timers {
            if let Some(timer) = handle_of(timer.swap(0, Ordering::SeqCst)) {
                // SAFETY: the timer exists, and is deleted once. One that a handler starts meanwhile is one that is gone.
                unsafe { libc::timer_delete(timer) };
            }
        }
        TARGET.store(ptr::null_mut(), Ordering::SeqCst);
        while INSIDE.load(Ordering::SeqCst) > 0 {
            thread::yield_now();
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.end();
        // SAFETY: the action is the one that there was. Where that is to end the process, a signal that is still on its way would do so:
        // it is ignored from here on.
        unsafe {
            let mut action = self.before;
            if action.sa_sigaction == libc::SIG_DFL {
                action.sa_sigaction = libc::SIG_IGN;
            }
            libc::sigaction(libc::SIGPROF, &raw const action, ptr::null_mut());
        }
    }
}

impl Target {
    fn has_no_timer(&self) -> bool {
        self.timers.iter().all(|timer| timer.load(Ordering::SeqCst) == 0)
    }

    fn create(&self, number: usize, thread: i32) -> io::Result<()> {
        // SAFETY: a request of zeros is a valid one, its fields are set below, and the timer is written before it is read.
        unsafe {
            let mut event: libc::sigevent = mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = libc::SIGPROF;
            event.sigev_notify_thread_id = thread;
            event.sigev_value.sival_ptr = ptr::without_provenance_mut(number);
            let mut timer: libc::timer_t = ptr::null_mut();
            if libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) != 0 {
                return Err(io::Error::last_os_error());
            }
            self.timers[number].store(timer.addr().wrapping_add(1), Ordering::SeqCst);
            self.arm(number, timer, thread.unsigned_abs().into());
        }
        Ok(())
    }

    /// Starts a timer, for a time between half and one and a half periods, so that samples do not keep step with the program.
    fn arm(&self, number: usize, timer: libc::timer_t, seed: u64) {
        let mut random = seed.wrapping_add(number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        random ^= random >> 29;
        random = random.wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32;
        let wait = self.nanoseconds / 2 + self.nanoseconds * random / (1 << 32);
        let part = |value: u64| libc::c_long::try_from(value).unwrap_or(libc::c_long::MAX);
        let value = libc::timespec {
            tv_sec: part(wait / 1_000_000_000),
            tv_nsec: part(wait % 1_000_000_000),
        };
        let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let setting = libc::itimerspec { it_interval: none, it_value: value };
        // SAFETY: the setting is read during the call; a timer that is gone is an error, which changes nothing.
        unsafe { libc::timer_settime(timer, 0, &raw const setting, ptr::null_mut()) };
    }

    /// Takes a sample. Called by the handler: it neither allocates nor locks.
    fn take(&self, registers: Registers) -> usize {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(slot) = self.slots.get(at) else {
            self.lost.fetch_add(1, Ordering::Relaxed);
            return at;
        };
        let mut found = [0; DEPTH];
        let read = |address: u64| {
            // Frames of the object are in the thread's stack, above its pointer.
            let distance = address.checked_sub(registers.stack)?;
            (address.is_multiple_of(8) && distance < MOST_STACK).then(|| {
                // SAFETY: the frames say that the function or its caller wrote here, and it is near the stack pointer.
                unsafe { ptr::with_exposed_provenance::<u64>(address as usize).read_volatile() }
            })
        };
        let count = self.frames.walk(registers, read, &mut found);
        // SAFETY: the number was given to this handler only.
        let record = unsafe { &mut *slot.0.get() };
        record[1..].copy_from_slice(&found);
        record[0] = count as u64;
        at
    }
}

/// A timer, from where it is kept.
fn handle_of(kept: usize) -> Option<libc::timer_t> {
    (kept != 0).then(|| ptr::without_provenance_mut(kept.wrapping_sub(1)))
}

/// Bytes of a stack that are looked at, at most.
const MOST_STACK: u64 = 1 << 20;

extern "C" fn handle(_: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: errno is the thread's own, and is put back.
    let errno = unsafe { *libc::__errno_location() };
    INSIDE.fetch_add(1, Ordering::SeqCst);
    // SAFETY: the target lives until it is no longer there and no handler is inside.
    if let Some(target) = unsafe { TARGET.load(Ordering::SeqCst).as_ref() } {
        // SAFETY: the system gives the context of the interrupted thread, and what was asked for with the timer.
        let (registers, number) = unsafe {
            (registers(&*context.cast::<libc::ucontext_t>()), (*info).si_value().sival_ptr.addr())
        };
        let at = target.take(registers);
        let timer = target.timers.get(number);
        let timer = timer.and_then(|timer| handle_of(timer.load(Ordering::SeqCst)));
        if let Some(timer) = timer.filter(|_| !target.ends.load(Ordering::SeqCst)) {
            target.arm(number, timer, at as u64);
        }
    }
    INSIDE.fetch_sub(1, Ordering::SeqCst);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    let of = |register: c_int| {
        let value = usize::try_from(register).ok().and_then(|at| context.uc_mcontext.gregs.get(at));
        value.map_or(0, |value| value.cast_unsigned())
    };
    Registers {
        counter: of(libc::REG_RIP),
        stack: of(libc::REG_RSP),
        frame: of(libc::REG_RBP),
        link: None,
    }
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    let machine = &context.uc_mcontext;
    Registers {
        counter: machine.pc,
        stack: machine.sp,
        frame: machine.regs[29],
        link: Some(machine.regs[30]),
    }
}
