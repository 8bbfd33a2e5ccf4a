//! States of functions: what a stage makes and a later one is given. The state of `instantiate` lives as long as the program,
//! those of `prepare` and `initialize` as long as one call.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ffi::{CStr, c_void},
    ptr,
    sync::{Arc, Mutex, PoisonError},
};

use strata_abi::Call;
use strata_ir::{AttributeExt as _, Module, Op, OpKind, dictionary, int, integer, module_op};

use super::header::{EXECUTE, INSTANTIATE};
use crate::callback;

/// Tells the calls of a program apart whose functions have states: an attribute of theirs that functions do not see.
const NUMBER: &str = "strata.call";
const NUMBER_IN_CALLS: &CStr = c"strata.call";
const CONFIG: &str = "mhlo.backend_config";

/// Destroys an object.
pub type Deleter = unsafe extern "C" fn(object: *mut c_void);

/// A type of states, by its number from 1 on.
struct Registered {
    name: String,
    deleter: Option<Deleter>,
}

static TYPES: Mutex<Vec<Registered>> = Mutex::new(Vec::new());

/// Registers a type under a name; the number is 0 where there is none yet, and otherwise that of an earlier registration.
///
/// # Errors
/// If the number is not that of the name.
pub fn register(name: &str, number: i64, deleter: Option<Deleter>) -> Result<i64, String> {
    let mut types = TYPES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = types.iter().position(|one| one.name == name);
    let found = known.map(|at| at as i64 + 1);
    if number != 0 && found != Some(number) {
        return Err(format!("type `{name}` is not the one with the number {number}"));
    }
    Ok(found.unwrap_or_else(|| {
        types.push(Registered { name: name.to_owned(), deleter });
        types.len() as i64
    }))
}

fn deleter(number: i64) -> Option<Deleter> {
    let types = TYPES.lock().unwrap_or_else(PoisonError::into_inner);
    usize::try_from(number - 1).ok().and_then(|at| types.get(at)?.deleter)
}

/// An object of the client.
pub struct State {
    number: i64,
    object: *mut c_void,
}

// SAFETY: functions may be given a state on any thread, says XLA's interface.
unsafe impl Send for State {}
// SAFETY: as above.
unsafe impl Sync for State {}

impl Drop for State {
    fn drop(&mut self) {
        if let Some(deleter) = deleter(self.number) {
            // SAFETY: the client gave the object with a type that has this deleter; it is destroyed once.
            unsafe { deleter(self.object) };
        }
    }
}

/// What the context of a call frame points to: the states by stage.
#[derive(Default)]
pub struct Context(RefCell<[Option<Arc<State>>; EXECUTE as usize]>);

impl Context {
    /// A context with the state of `instantiate`.
    pub fn with(state: Option<Arc<State>>) -> Self {
        let context = Self::default();
        context.0.borrow_mut()[INSTANTIATE as usize] = state;
        context
    }

    /// The state of `instantiate`.
    pub fn instantiated(&self) -> Option<Arc<State>> {
        self.0.borrow()[INSTANTIATE as usize].clone()
    }

    /// Keeps the state of a stage.
    ///
    /// # Errors
    /// If it has one.
    pub fn set(&self, stage: i32, number: i64, object: *mut c_void) -> Result<(), String> {
        // It is destroyed where it is not kept.
        let state = Arc::new(State { number, object });
        let mut states = self.0.borrow_mut();
        let place = usize::try_from(stage).ok().and_then(|stage| states.get_mut(stage));
        match place {
            Some(place @ None) => {
                *place = Some(state);
                Ok(())
            }
            Some(_) => Err("the stage has a state already".to_owned()),
            None => Err(format!("there is no stage {stage} with a state")),
        }
    }

    /// The state of a stage.
    ///
    /// # Errors
    /// If there is none, or one of another type.
    pub fn get(&self, stage: i32, number: i64) -> Result<*mut c_void, String> {
        let states = self.0.borrow();
        let state = usize::try_from(stage).ok().and_then(|stage| states.get(stage)?.as_ref());
        match state {
            Some(state) if state.number == number => Ok(state.object),
            Some(_) => Err("the stage's state has another type".to_owned()),
            None => Err("the stage has no state".to_owned()),
        }
    }
}

/// The states of a program, by the numbers of its calls.
#[derive(Default)]
pub struct States(Mutex<BTreeMap<i64, Option<Arc<State>>>>);

thread_local! {
    /// Those of the program that runs on this thread.
    static CURRENT: Cell<*const States> = const { Cell::new(ptr::null()) };
}

impl States {
    /// Calls `body`, in which the program with these states runs.
    pub fn during<R>(&self, body: impl FnOnce() -> R) -> R {
        struct Before(*const States);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        let _before = Before(CURRENT.replace(self));
        body()
    }
}

/// The state of a call of the program that runs on this thread, which `make` makes the first time.
///
/// # Errors
/// Those of `make`, and for a call without a number.
///
/// # Safety
/// `call` describes a call, as a compiled program does.
pub unsafe fn of_call(
    call: &Call,
    make: impl FnOnce() -> Result<Option<Arc<State>>, String>,
) -> Result<Option<Arc<State>>, String> {
    // SAFETY: as the caller promises; the program whose states these are runs on this thread.
    let (number, states) =
        unsafe { (callback::number_of(call, NUMBER_IN_CALLS), CURRENT.get().as_ref()) };
    let (Some(number), Some(states)) = (number, states) else {
        let text = "the function was registered with `instantiate` after the program was compiled";
        return Err(text.to_owned());
    };
    let known = || states.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(state) = known().get(&number) {
        return Ok(state.clone());
    }
    // The function may call programs.
    let state = make()?;
    Ok(known().entry(number).or_insert(state).clone())
}

/// Whether functions do not see an attribute.
pub fn is_hidden(name: &CStr) -> bool {
    name == NUMBER_IN_CALLS
}

/// Numbers the calls of a program whose targets have states; whether there are any.
pub fn number<'c>(
    context: &'c strata_ir::Context,
    module: &Module<'c>,
    has_state: impl Fn(&str) -> bool,
) -> bool {
    let target = |op: Op<'c>| op.attr("call_target_name").and_then(|name| name.as_str());
    let calls = module_op(module).collect(|op| op.kind() == OpKind::CustomCall);
    let with_states = calls.into_iter().filter(|op| target(*op).is_some_and(&has_state));
    let with_states: Vec<_> = with_states.collect();
    for (at, op) in with_states.iter().enumerate() {
        let config = op.attr(CONFIG).or_else(|| op.attr("backend_config"));
        let mut entries = config.and_then(|one| one.as_dictionary()).unwrap_or_default();
        entries.retain(|(name, _)| *name != NUMBER);
        entries.push((NUMBER, int(integer(context, 64), at as i64)));
        if let Some(config) = dictionary(context, &entries) {
            op.set_attr(CONFIG, config);
        }
    }
    !with_states.is_empty()
}
