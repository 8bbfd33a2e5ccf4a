//! Stacks to compile on.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

/// Sizes to try, in bytes. The parser and the passes of MLIR recurse over the program's nesting; address space costs nothing
/// until it is touched.
const SIZES: [usize; 3] = [1 << 29, 1 << 26, 1 << 23];

/// Runs `body` in a thread with a large stack, or in this one where the system gives none. What compiles programs of
/// users should run in it: deep nesting overflows the stacks that threads usually have.
///
/// # Errors
/// The message of a panic.
pub fn on_large_stack<R: Send>(body: &(impl Fn() -> R + Sync)) -> Result<R, String> {
    let guarded = || {
        catch_unwind(AssertUnwindSafe(body))
            .map_err(|payload| panic_message(payload.as_ref()).to_owned())
    };
    thread::scope(|scope| {
        for size in SIZES {
            let builder = thread::Builder::new().name("compiler".to_owned()).stack_size(size);
            if let Ok(thread) = builder.spawn_scoped(scope, guarded) {
                let ended = thread.join();
                return ended
                    .unwrap_or_else(|payload| Err(panic_message(payload.as_ref()).to_owned()));
            }
        }
        guarded()
    })
}

/// The message of a panic that was caught.
pub fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use super::on_large_stack;

    #[test]
    fn a_panic_is_an_error() {
        let outcome: Result<(), _> = on_large_stack(&|| panic!("index {} out of bounds", 2));
        assert_eq!(outcome, Err("index 2 out of bounds".to_owned()));
    }

    #[test]
    fn deep_recursion_has_room() {
        fn depth(left: u32) -> u64 {
            let pad = std::hint::black_box([u64::from(left); 64]);
            if left == 0 { 0 } else { pad[7].min(1) + depth(left - 1) }
        }
        assert_eq!(on_large_stack(&|| depth(100_000)), Ok(100_000));
    }
}
