//! Events: what a program's end, a transfer's, or that of the use of the host's memory is waited for with.

use std::{
    ffi::c_void,
    process, ptr,
    sync::{
        Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    abi::{Callback, Handle, Of, OnReady, Value},
    failure::{Error, Failure},
};

/// `PJRT_Event`.
pub struct Event(Arc<Pending>);

/// How what was waited for has ended.
pub type Outcome = Result<(), Failure>;

/// What an event waits for.
pub struct Pending {
    /// Whether there is an outcome.
    is_ready: AtomicBool,
    state: Mutex<State>,
    happened: Condvar,
    /// The process that it happens in.
    process: u32,
}

/// What is called with the outcome.
type Next = Box<dyn FnOnce(&Outcome) + Send>;

#[derive(Default)]
struct State {
    outcome: Option<Outcome>,
    next: Vec<Next>,
}

/// What the client gave for its callback.
struct Argument(*mut c_void);

// SAFETY: the client's callbacks may be called on any thread, says the C API.
unsafe impl Send for Argument {}

impl Pending {
    /// What has not happened yet.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            is_ready: AtomicBool::new(false),
            state: Mutex::default(),
            happened: Condvar::new(),
            process: process::id(),
        })
    }

    /// What has happened.
    pub fn ready() -> Arc<Self> {
        static READY: LazyLock<Arc<Pending>> = LazyLock::new(|| {
            let ready = Pending::new();
            ready.set(Ok(()));
            ready
        });
        Arc::clone(&READY)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It has happened, once: calls what waits for it.
    pub fn set(&self, outcome: Outcome) {
        let mut state = self.state();
        let next = std::mem::take(&mut state.next);
        state.outcome = Some(outcome.clone());
        self.is_ready.store(true, Ordering::Release);
        drop(state);
        self.happened.notify_all();
        for one in next {
            one(&outcome);
        }
    }

    /// Whether it has happened.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// The outcome, once there is one.
    pub fn wait(&self) -> Outcome {
        let mut state = self.state();
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone();
            }
            if self.process != process::id() {
                let text = "the program runs in the process that this one was forked from";
                return Err(Failure::internal(text));
            }
            state = self.happened.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Calls `next` with the outcome: now, or on the thread that sets it.
    pub fn then(&self, next: impl FnOnce(&Outcome) + Send + 'static) {
        let mut state = self.state();
        match state.outcome.clone() {
            None => state.next.push(Box::new(next)),
            Some(outcome) => {
                drop(state);
                next(&outcome);
            }
        }
    }
}

impl Event {
    /// An event that has happened.
    pub fn ready() -> Handle<Self> {
        Handle::new(Self(Pending::ready()))
    }

    /// An event that waits.
    pub fn waiting(pending: &Arc<Pending>) -> Handle<Self> {
        Handle::new(Self(Arc::clone(pending)))
    }
}

pub fn destroy(arguments: &mut Of<Event>) -> Result<(), Failure> {
    arguments.object.destroy();
    Ok(())
}

pub fn is_ready(arguments: &mut Value<Event, bool>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.0.is_ready();
    Ok(())
}

/// What went wrong, if it has happened.
pub fn error(arguments: &mut Of<Event>) -> Result<(), Failure> {
    let outcome = arguments.object.get()?.0.state().outcome.clone();
    outcome.unwrap_or(Ok(()))
}

pub fn wait(arguments: &mut Of<Event>) -> Result<(), Failure> {
    arguments.object.get()?.0.wait()
}

pub fn on_ready(arguments: &mut OnReady) -> Result<(), Failure> {
    let pending = &arguments.event.get()?.0;
    let callback = arguments.callback.ok_or_else(|| Failure::invalid("the callback is null"))?;
    let argument = Argument(arguments.user_arg);
    pending.then(move |outcome| call(callback, argument, outcome));
    Ok(())
}

fn call(callback: Callback, argument: Argument, outcome: &Outcome) {
    let error = outcome.as_ref().err().map_or(ptr::null_mut(), Error::of);
    // SAFETY: the client gave both for this; a null error says that all went well, another one is the callback's from here on.
    unsafe { callback(error, argument.0) };
}
