//! Memory of buffers: aligned for compiled code, owned or the host's.

use std::{
    alloc::{Layout, alloc, dealloc},
    ptr::NonNull,
    slice,
    sync::{
        Arc,
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
        // SAFETY: the size is not 0.
        let data = NonNull::new(unsafe { alloc(layout) }).ok_or_else(none)?;
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
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(self.data.as_ptr(), self.layout) };
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
