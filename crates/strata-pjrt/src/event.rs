//! Events: executions and transfers are synchronous, so that only the end of a host buffer's use may be pending.

use std::{
    ffi::c_void,
    ptr,
    sync::{Arc, Condvar, Mutex, PoisonError},
};

use crate::{
    abi::{Callback, Handle, Of, OnReady, Value},
    failure::Failure,
};

/// `PJRT_Event`.
pub struct Event(Arc<Pending>);

/// What an event waits for.
#[derive(Default)]
pub struct Pending {
    state: Mutex<State>,
    happened: Condvar,
}

#[derive(Default)]
struct State {
    is_ready: bool,
    callbacks: Vec<(Callback, Argument)>,
}

/// What the client gave for its callback.
struct Argument(*mut c_void);

// SAFETY: the client's callbacks may be called on any thread, says the C API.
unsafe impl Send for Argument {}

impl Pending {
    /// It has happened: calls what waits for it.
    pub fn set(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_ready = true;
        let callbacks = std::mem::take(&mut state.callbacks);
        drop(state);
        self.happened.notify_all();
        for (callback, argument) in callbacks {
            // SAFETY: the client gave both for this; a null error says that all went well.
            unsafe { callback(ptr::null_mut(), argument.0) };
        }
    }
}

impl Event {
    /// An event that has happened.
    pub fn ready() -> Handle<Self> {
        let pending = Pending::default();
        pending.set();
        Handle::new(Self(Arc::new(pending)))
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
    let pending = &arguments.object.get()?.0;
    arguments.value = pending.state.lock().unwrap_or_else(PoisonError::into_inner).is_ready;
    Ok(())
}

/// What fails does so before there is an event.
pub fn error(arguments: &mut Of<Event>) -> Result<(), Failure> {
    arguments.object.get().map(|_| ())
}

pub fn wait(arguments: &mut Of<Event>) -> Result<(), Failure> {
    let pending = &arguments.object.get()?.0;
    let mut state = pending.state.lock().unwrap_or_else(PoisonError::into_inner);
    while !state.is_ready {
        state = pending.happened.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    Ok(())
}

pub fn on_ready(arguments: &mut OnReady) -> Result<(), Failure> {
    let pending = &arguments.event.get()?.0;
    let callback = arguments.callback.ok_or_else(|| Failure::invalid("the callback is null"))?;
    let mut state = pending.state.lock().unwrap_or_else(PoisonError::into_inner);
    if !state.is_ready {
        state.callbacks.push((callback, Argument(arguments.user_arg)));
        return Ok(());
    }
    drop(state);
    // SAFETY: as in `set`.
    unsafe { callback(ptr::null_mut(), arguments.user_arg) };
    Ok(())
}
