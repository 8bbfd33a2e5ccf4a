//! A context with shared ownership, for programs that are built incrementally.

use std::{
    cell::RefCell,
    fmt,
    rc::{Rc, Weak},
};

use melior::Context;

use crate::context::{OwnedContext, new_context};

/// A context that lives as long as one of its owners.
///
/// Objects created in it borrow from [`Self::get`] and must not outlive the last owner: structs with handles keep an
/// owner in a field declared after them.
#[derive(Clone)]
pub struct SharedContext(Rc<Owner>);

struct Owner(&'static OwnedContext);

impl Drop for Owner {
    fn drop(&mut self) {
        let context = std::ptr::from_ref(self.0).cast_mut();
        // SAFETY: `Owner` is made from a leaked box only, and no borrows are left.
        drop(unsafe { Box::from_raw(context) });
    }
}

thread_local! {
    static OF_THREAD: RefCell<Weak<Owner>> = const { RefCell::new(Weak::new()) };
}

impl SharedContext {
    /// The context of this thread, shared by all current owners, so that they can use each other's objects.
    pub fn of_thread() -> Self {
        OF_THREAD.with(|slot| {
            let alive = slot.borrow().upgrade();
            let owner = alive.unwrap_or_else(|| {
                let owner = Rc::new(Owner(Box::leak(Box::new(new_context()))));
                *slot.borrow_mut() = Rc::downgrade(&owner);
                owner
            });
            Self(owner)
        })
    }

    /// The context.
    pub fn get(&self) -> &'static Context {
        self.0.0
    }
}

impl fmt::Debug for SharedContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SharedContext")
    }
}

#[cfg(test)]
mod tests {
    use super::SharedContext;

    #[test]
    fn owners_of_one_thread_share_and_the_last_one_ends_it() {
        let first = SharedContext::of_thread();
        let second = SharedContext::of_thread();
        assert!(std::ptr::eq(first.get(), second.get()));
        let weak = std::rc::Rc::downgrade(&first.0);
        drop((first, second));
        assert!(weak.upgrade().is_none());
        assert_eq!(std::rc::Rc::strong_count(&SharedContext::of_thread().0), 1);
    }
}
