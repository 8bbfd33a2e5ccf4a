//! Memory of buffers: aligned for compiled code, owned or the host's.

use std::{
    alloc::{Layout, alloc, dealloc},
    ptr::{self, NonNull},
    slice,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use strata::TensorSpec;

use crate::{
    element,
    event::Pending,
    failure::{Code, Failure},
    layouts::Order,
    strides,
};

/// What compiled code asks of every buffer.
pub const ALIGNMENT: usize = 64;

/// Bytes of [`Aligned`] memory in this process now, at most so far, and how often some was allocated.
static IN_USE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);
static COUNT: AtomicU64 = AtomicU64::new(0);
static LARGEST: AtomicU64 = AtomicU64::new(0);

/// The least bytes of memory that is kept when it is let go. The system takes large blocks back, and gives the next one page by page,
/// which takes longer than to fill it; smaller ones the allocator keeps, but gives to whichever processor asks first: to write a block
/// that is in the caches of another one takes twice as long.
const LEAST_KEPT: usize = 32 << 10;
/// The most bytes that are kept, and the most blocks.
const MOST_KEPT: usize = 256 << 20;
const MOST_BLOCKS: usize = 256;

/// Memory that was let go, the last one at the end.
static KEPT: Mutex<Kept> = Mutex::new(Kept { blocks: Vec::new(), bytes: 0 });

struct Kept {
    blocks: Vec<Block>,
    bytes: usize,
}

/// A block, and the processor that asked for it, if that is known.
struct Block {
    data: NonNull<u8>,
    layout: Layout,
    processor: Option<usize>,
}

// SAFETY: nothing else has the blocks.
unsafe impl Send for Kept {}

impl Kept {
    /// A block of that layout, if there is one: one that `processor` had, if there is such a one.
    fn take(&mut self, layout: Layout, processor: Option<usize>) -> Option<NonNull<u8>> {
        let fits = |block: &Block| block.layout == layout;
        let own = |block: &Block| fits(block) && block.processor == processor;
        let at = self.blocks.iter().rposition(own);
        let at = at.or_else(|| self.blocks.iter().rposition(fits))?;
        self.bytes -= layout.size();
        Some(self.blocks.remove(at).data)
    }

    /// Keeps a block; gives those back that were let go first, where there are too many bytes or blocks.
    fn keep(&mut self, block: Block) {
        self.bytes += block.layout.size();
        self.blocks.push(block);
        while self.bytes > MOST_KEPT || self.blocks.len() > MOST_BLOCKS {
            self.give_back();
        }
    }

    /// Gives the first block back.
    fn give_back(&mut self) {
        let Block { data, layout, .. } = self.blocks.remove(0);
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
fn allocate(layout: Layout, processor: Option<usize>) -> Option<NonNull<u8>> {
    // SAFETY: sizes are not 0.
    let new = || NonNull::new(unsafe { alloc(layout) });
    if layout.size() < LEAST_KEPT {
        return new();
    }
    kept(|kept| kept.take(layout, processor)).or_else(new).or_else(|| {
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
    processor: Option<usize>,
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
        let processor = strata_threads::processor();
        let data = allocate(layout, processor).ok_or_else(none)?;
        let now = IN_USE.fetch_add(size as u64, Ordering::Relaxed) + size as u64;
        PEAK.fetch_max(now, Ordering::Relaxed);
        COUNT.fetch_add(1, Ordering::Relaxed);
        LARGEST.fetch_max(size as u64, Ordering::Relaxed);
        Ok(Self { data, size, layout, processor })
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
        let block = Block { data: self.data, layout: self.layout, processor: self.processor };
        match (LEAST_KEPT..=MOST_KEPT).contains(&self.layout.size()) {
            true => kept(|kept| kept.keep(block)),
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

    /// The array of that type that it holds in an order, in another one.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn reordered(
        &self,
        spec: &TensorSpec,
        (from, to): (&Order, &Order),
    ) -> Result<Aligned, Failure> {
        let dims: Vec<_> = spec.shape.iter().map(|size| size.cast_signed()).collect();
        let (bytes, width) = (self.bytes(), element::width(spec.element));
        let memory = Aligned::new(bytes.len())?;
        let (from, to) = (from.strides(&dims, width), to.strides(&dims, width));
        strides::rows(&dims, (&from, &to), width, &mut |source, target, length| {
            let row = &bytes[source as usize..][..length];
            // SAFETY: both arrays are dense, and have as many bytes.
            unsafe {
                let target = memory.pointer().offset(target as isize);
                ptr::copy_nonoverlapping(row.as_ptr(), target, length);
            }
        });
        Ok(memory)
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
        assert!(kept(|kept| kept.blocks.iter().all(|block| block.layout.size() <= MOST_KEPT)));
    }

    #[test]
    fn a_processor_gets_what_it_had() {
        let (mut own, mut data) = (Kept { blocks: Vec::new(), bytes: 0 }, vec![0_u8; 600]);
        let layout = Layout::from_size_align(1, 1).expect("a layout");
        let mut address = |at: usize| NonNull::new(&raw mut data[at]).expect("an address");
        for (at, processor) in [(0, Some(0)), (1, Some(1)), (2, None), (3, Some(1))] {
            own.keep(Block { data: address(at), layout, processor });
        }
        assert_eq!(own.take(layout, Some(0)), Some(address(0)));
        assert_eq!(own.take(layout, Some(1)), Some(address(3)));
        // Of another processor, where there is none of its own.
        assert_eq!(own.take(layout, Some(7)), Some(address(2)));
        assert_eq!(own.take(layout, None), Some(address(1)));
        assert_eq!((own.take(layout, None), own.bytes), (None, 0));
    }
}
