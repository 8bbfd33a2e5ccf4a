//! Compiled programs of a client by their bytes, and by their text without locations: clients that run each operation as a program
//! of its own compile the same ones again and again.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use crate::program::Program;

/// How many keys are kept, of which a program has up to two.
const MOST: usize = 8192;
/// How many bytes of keys and code are kept.
const MOST_BYTES: usize = 1 << 28;

/// Programs by bytes or text, the least recently used of which go first. The options are those of the client.
#[derive(Default)]
pub struct Cache(Mutex<State>);

#[derive(Default)]
struct State {
    programs: HashMap<Arc<[u8]>, (u64, Arc<Program>)>,
    /// When each was used last.
    used: BTreeMap<u64, Arc<[u8]>>,
    clock: u64,
    bytes: usize,
}

impl Cache {
    /// The program with these bytes.
    pub fn get(&self, bytes: &[u8]) -> Option<Arc<Program>> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let (used, program) = state.programs.get_mut(bytes)?;
        let key = state.used.remove(used)?;
        state.clock += 1;
        *used = state.clock;
        state.used.insert(state.clock, key);
        Some(Arc::clone(program))
    }

    /// Keeps a program.
    pub fn put(&self, bytes: Arc<[u8]>, program: &Arc<Program>) {
        let size = size(&bytes, program);
        if size > MOST_BYTES {
            return;
        }
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.remove(&bytes);
        state.clock += 1;
        state.bytes += size;
        let clock = state.clock;
        state.used.insert(clock, Arc::clone(&bytes));
        state.programs.insert(bytes, (clock, Arc::clone(program)));
        while state.used.len() > MOST || state.bytes > MOST_BYTES {
            let Some(oldest) = state.used.first_key_value().map(|(_, key)| Arc::clone(key)) else {
                return;
            };
            state.remove(&oldest);
        }
    }
}

impl State {
    fn remove(&mut self, bytes: &[u8]) {
        if let Some((used, program)) = self.programs.remove(bytes) {
            self.used.remove(&used);
            self.bytes -= size(bytes, &program);
        }
    }
}

/// The bytes of a key, and of the code with the object that it was linked from.
fn size(key: &[u8], program: &Program) -> usize {
    key.len() + 2 * program.code_size()
}
