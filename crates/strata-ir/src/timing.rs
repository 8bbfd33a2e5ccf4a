//! Optional timing of the parts of a stage: Strata's own named parts, and MLIR's passes.
//!
//! A compilation stays on one thread, so that what is recorded belongs to the thread.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use mlir_sys as sys;

/// A part of a stage: a step, a pass. Runs of one name within the same part are one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// The number of runs.
    pub count: u64,
    /// The total time of all runs.
    pub elapsed: Duration,
    /// Its parts, in the order of their first runs.
    pub parts: Vec<Part>,
}

/// The recorded parts, with the stack of running ones: positions and start times.
#[derive(Default)]
struct Recorder {
    root: Part,
    running: Vec<(usize, Instant)>,
}

thread_local! {
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

impl Recorder {
    /// The innermost part that runs.
    fn innermost(&mut self) -> &mut Part {
        self.running.iter().fold(&mut self.root, |part, (at, _)| &mut part.parts[*at])
    }

    fn begin(&mut self, name: &str) {
        let inside = &mut self.innermost().parts;
        let known = inside.iter().position(|part| part.name == name);
        let at = known.unwrap_or(inside.len());
        if known.is_none() {
            inside.push(Part { name: name.to_owned(), ..Part::default() });
        }
        self.running.push((at, Instant::now()));
    }

    fn end(&mut self) {
        let part = self.innermost();
        part.count += 1;
        if let Some((_, started)) = self.running.last() {
            let elapsed = started.elapsed();
            self.innermost().elapsed += elapsed;
        }
        self.running.pop();
    }
}

/// Runs `body` and also returns the times of its parts.
pub fn recorded<R>(body: impl FnOnce() -> R) -> (R, Vec<Part>) {
    let outer = RECORDER.replace(Some(Recorder::default()));
    let result = body();
    let found = RECORDER.replace(outer);
    (result, found.map(|recorder| recorder.root.parts).unwrap_or_default())
}

/// Runs `body` as a timed part, if timing is on.
pub fn timed<R>(name: &str, body: impl FnOnce() -> R) -> R {
    /// Ends the part even if `body` panics.
    struct Running;
    impl Drop for Running {
        fn drop(&mut self) {
            with_recorder(Recorder::end);
        }
    }
    if !is_recording() {
        return body();
    }
    with_recorder(|recorder| recorder.begin(name));
    let _running = Running;
    body()
}

/// Whether timing is on.
pub(crate) fn is_recording() -> bool {
    RECORDER.with_borrow(Option::is_some)
}

fn with_recorder(body: impl FnOnce(&mut Recorder)) {
    RECORDER.with_borrow_mut(|recorder| recorder.iter_mut().next().map(body));
}

/// Called by MLIR around each pass.
pub(crate) extern "C" fn hear_pass(name: sys::MlirStringRef, begins: bool) {
    if !begins {
        return with_recorder(Recorder::end);
    }
    // SAFETY: MLIR gives the name of a registered pass, which is text that lives as long as the pass.
    let name = unsafe { std::slice::from_raw_parts(name.data.cast::<u8>(), name.length) };
    with_recorder(|recorder| recorder.begin(&String::from_utf8_lossy(name)));
}

#[cfg(test)]
mod tests {
    use super::{Part, recorded, timed};

    #[test]
    fn runs_of_one_name_are_one_part() {
        let step = || timed("step", || timed("pass", || 1) + timed("pass", || 2));
        let (sum, parts) = recorded(|| {
            timed("first", || ());
            step() + step()
        });
        assert_eq!(sum, 6);
        let shape = |part: &Part| (part.name.clone(), part.count);
        assert_eq!(
            parts.iter().map(shape).collect::<Vec<_>>(),
            [("first".into(), 1), ("step".into(), 2)]
        );
        let inner = &parts[1].parts;
        assert_eq!(inner.iter().map(shape).collect::<Vec<_>>(), [("pass".into(), 4)]);
        assert!(inner[0].elapsed <= parts[1].elapsed);
    }

    #[test]
    fn nothing_is_recorded_unless_it_is_asked_for() {
        assert_eq!(timed("alone", || 7), 7);
        assert_eq!(recorded(|| ()), ((), Vec::new()));
    }

    #[test]
    fn a_part_that_panics_has_ended() {
        let broken = || std::panic::catch_unwind(|| timed("broken", || panic!("on purpose")));
        let (_, parts) = recorded(|| {
            assert!(broken().is_err());
            timed("next", || ());
        });
        assert_eq!(
            parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(),
            ["broken", "next"]
        );
    }
}
