//! Memory of buffers: aligned for compiled code, owned or the host's.

use std::{
    alloc::{Layout, alloc, dealloc},
    ptr::NonNull,
    slice,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    event::Pending,
    failure::{Code, Failure},
};

/// What compiled code asks of every buffer.
pub const ALIGNMENT: usize = 64;

/// Bytes of [`Aligned`] memory in this process now, at most so far, and how often some was allocated.
static IN_USE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);
static COUNT: AtomicU64 = AtomicU64::new(0);
static LARGEST: AtomicU64 = AtomicU64::new(0);

/// The least bytes of memory that is kept when it is let go. Smaller blocks the allocator keeps itself; the system takes larger ones
/// back, and gives the next one page by page, which takes longer than to fill it.
const LEAST_KEPT: usize = 1 << 20;
/// The most bytes that are kept.
const MOST_KEPT: usize = 256 << 20;

/// Memory that was let go, the last one at the end.
static KEPT: Mutex<Kept> = Mutex::new(Kept { blocks: Vec::new(), bytes: 0 });

struct Kept {
    blocks: Vec<(NonNull<u8>, Layout)>,
    bytes: usize,
}

// SAFETY: nothing else has the blocks.
unsafe impl Send for Kept {}

impl Kept {
    /// A block of that layout, if there is one.
    fn take(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let at = self.blocks.iter().rposition(|(_, own)| *own == layout)?;
        self.bytes -= layout.size();
        Some(self.blocks.remove(at).0)
    }

    /// Keeps a block; gives those back that were let go first, where there are too many bytes.
    fn keep(&mut self, data: NonNull<u8>, layout: Layout) {
        self.blocks.push((data, layout));
        self.bytes += layout.size();
        while self.bytes > MOST_KEPT {
            self.give_back();
        }
    }

    /// Gives the first block back.
    fn give_back(&mut self) {
        let (data, layout) = self.blocks.remove(0);
        self.bytes -= layout.size();
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(data.as_ptr(), layout) };
    }
}

/// What was let go and is kept.
fn kept<R>(of: impl FnOnce(&mut Kept) -> R) -> R {
    of(&mut KEPT.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Memory of that layout: what was let go, or new.
fn allocate(layout: Layout) -> Option<NonNull<u8>> {
    // SAFETY: sizes are not 0.
    let new = || NonNull::new(unsafe { alloc(layout) });
    if layout.size() < LEAST_KEPT {
        return new();
    }
    kept(|kept| kept.take(layout)).or_else(new).or_else(|| {
        kept(|kept| {
            while !kept.blocks.is_empty() {
                kept.give_back()
            }
        });
        new()
    })
}

/// What the memory of buffers and workspaces was used for in this process.
pub struct Usage {
    /// Bytes in use.
    pub in_use: u64,
    /// The most bytes that were in use at a time.
    pub peak: u64,
    /// How often memory was allocated.
    pub count: u64,
    /// The bytes of the largest allocation.
    pub largest: u64,
    /// The machine's memory.
    pub limit: u64,
}

impl Usage {
    /// That of now.
    pub fn now() -> Self {
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let (in_use, peak) = (read(&IN_USE), read(&PEAK));
        let (count, largest, limit) = (read(&COUNT), read(&LARGEST), machine_memory() as u64);
        Self { in_use, peak: peak.max(in_use), count, largest, limit }
    }
}

/// The bytes of memory that the machine has.
fn machine_memory() -> usize {
    // SAFETY: it only asks for numbers.
    let (pages, page) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    usize::try_from(pages.saturating_mul(page)).unwrap_or(usize::MAX)
}

/// Memory that is aligned, and never without an address.
pub struct Aligned {
    data: NonNull<u8>,
    size: usize,
    layout: Layout,
}

// SAFETY: it owns its memory, which only `&mut` or its one owner writes.
unsafe impl Send for Aligned {}
// SAFETY: as above.
unsafe impl Sync for Aligned {}

impl Aligned {
    /// Memory with contents that are not set: a compiled program writes all of its outputs.
    ///
    /// # Errors
    /// If there is not enough memory. Systems overcommit, so more than the machine has is refused first.
    pub fn new(size: usize) -> Result<Self, Failure> {
        let none = || {
            let message = format!("a buffer of {size} bytes cannot be allocated");
            Failure::new(Code::ResourceExhausted, message)
        };
        let layout = Layout::from_size_align(size.max(1), ALIGNMENT).map_err(|_| none())?;
        if size > machine_memory() {
            return Err(none());
        }
        let data = allocate(layout).ok_or_else(none)?;
        let now = IN_USE.fetch_add(size as u64, Ordering::Relaxed) + size as u64;
        PEAK.fetch_max(now, Ordering::Relaxed);
        COUNT.fetch_add(1, Ordering::Relaxed);
        LARGEST.fetch_max(size as u64, Ordering::Relaxed);
        Ok(Self { data, size, layout })
    }

    /// The address.
    pub fn pointer(&self) -> *mut u8 {
        self.data.as_ptr()
    }

    /// The number of bytes.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Aligned {
    fn drop(&mut self) {
        IN_USE.fetch_sub(self.size as u64, Ordering::Relaxed);
        match (LEAST_KEPT..=MOST_KEPT).contains(&self.layout.size()) {
            true => kept(|kept| kept.keep(self.data, self.layout)),
            // SAFETY: it was allocated with this layout.
            false => unsafe { dealloc(self.data.as_ptr(), self.layout) },
        }
    }
}

/// The host's memory, which stays as it is until this is dropped.
pub struct Borrowed {
    data: *const u8,
    size: usize,
    done: Arc<Pending>,
}

// SAFETY: nothing writes it as long as it is borrowed, which the client promises.
unsafe impl Send for Borrowed {}
// SAFETY: as above.
unsafe impl Sync for Borrowed {}

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.done.set(Ok(()));
    }
}

/// The bytes of a buffer.
pub enum Storage {
    /// Ours, which an output may take.
    Owned(Aligned),
    /// The host's, which is never written.
    Borrowed(Borrowed),
}

impl Storage {
    /// Memory of the host: `done` happens when it is no longer used.
    pub fn borrowed(data: *const u8, size: usize, done: Arc<Pending>) -> Self {
        Self::Borrowed(Borrowed { data, size, done })
    }

    /// The address.
    pub fn pointer(&self) -> *const u8 {
        match self {
            Self::Owned(memory) => memory.pointer().cast_const(),
            Self::Borrowed(memory) => memory.data,
        }
    }

    /// The bytes, which programs have written.
    pub fn bytes(&self) -> &[u8] {
        let size = match self {
            Self::Owned(memory) => memory.size,
            Self::Borrowed(memory) => memory.size,
        };
        match size {
            0 => &[],
            // SAFETY: both kinds hold as many bytes, set before the storage became a buffer's.
            _ => unsafe { slice::from_raw_parts(self.pointer(), size) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_memory_is_used_again() {
        let size = LEAST_KEPT + 12345;
        let first = Aligned::new(size).expect("memory");
        let address = first.pointer();
        let other = Aligned::new(size).expect("memory");
        assert_ne!(other.pointer(), address);
        drop(first);
        let again = Aligned::new(size).expect("memory");
        assert_eq!(again.pointer(), address);
        // Another size is other memory, and what is beyond the limit is not kept.
        drop(again);
        assert_ne!(Aligned::new(size + 64).expect("memory").pointer(), address);
        // Nothing reads it, so that the system has not given its pages yet.
        drop(Aligned::new(MOST_KEPT + 1).expect("memory"));
        assert!(kept(|kept| kept.blocks.iter().all(|(_, layout)| layout.size() <= MOST_KEPT)));
    }
}
