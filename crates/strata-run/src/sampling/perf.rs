//! Samples by `perf_event_open`: the system writes registers and the top of the stack of each sample to a ring, which a thread reads.

use std::{
    io, mem,
    os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering, fence},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use memmap2::{MmapOptions, MmapRaw};
use perf_event_open_sys::{
    bindings::{
        PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_SW_CPU_CLOCK, PERF_FLAG_FD_CLOEXEC, PERF_RECORD_LOST,
        PERF_RECORD_SAMPLE, PERF_SAMPLE_IP, PERF_SAMPLE_REGS_ABI_64, PERF_SAMPLE_REGS_USER,
        PERF_SAMPLE_STACK_USER, PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE, perf_event_attr,
        perf_event_mmap_page,
    },
    ioctls, perf_event_open,
};

use super::{
    Frames, Samples,
    frames::{DEPTH, Registers},
};

/// The machine's registers: the bits that ask for them, and how to read their values, which are in the order of their numbers.
#[cfg(target_arch = "x86_64")]
mod machine {
    use perf_event_open_sys::bindings::{PERF_REG_X86_BP, PERF_REG_X86_IP, PERF_REG_X86_SP};

    pub const ASKED: u64 = 1 << PERF_REG_X86_BP | 1 << PERF_REG_X86_SP | 1 << PERF_REG_X86_IP;

    pub fn registers(values: [u64; 3]) -> super::Registers {
        let [frame, stack, counter] = values;
        super::Registers { counter, stack, frame, link: None }
    }
}

#[cfg(target_arch = "aarch64")]
mod machine {
    /// x29, x30, the stack pointer and the program counter.
    pub const ASKED: u64 = 0b1111 << 29;

    pub fn registers(values: [u64; 4]) -> super::Registers {
        let [frame, link, stack, counter] = values;
        super::Registers { counter, stack, frame, link: Some(link) }
    }
}

/// What a sample consists of.
const PARTS: u32 = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

/// Pages of a ring, without the first; a power of two. Less if the system allows less.
const PAGES: usize = 128;
const LEAST_PAGES: usize = 8;

/// Bytes of the stack that are copied: what two of the largest frames and calls around them take, within these limits.
const STACK: (u64, u64) = (512, 16 << 10);

/// How often rings are read.
const PERIOD: Duration = Duration::from_millis(5);

/// Events and the thread that reads their rings.
pub struct Sampler {
    reader: JoinHandle<Samples>,
    ends: Arc<AtomicBool>,
}

impl Sampler {
    /// Also says what counts the time; in the error, why the system does not allow it.
    pub fn start(
        frames: &Arc<Frames>,
        frequency: u32,
        threads: &[i32],
    ) -> Result<(Self, &'static str), String> {
        let stack = (2 * frames.largest() + 512).clamp(STACK.0, STACK.1).next_multiple_of(8);
        let stack = u32::try_from(stack).unwrap_or(512);
        let clocks = [
            (PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2, "cycles of the processor"),
            (PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles of the processor"),
            (PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, "the clock of the processor"),
        ];
        let mut reason = String::new();
        for (kind, config, precise, words) in clocks {
            let mut attributes = perf_event_attr {
                type_: kind,
                size: u32::try_from(size_of::<perf_event_attr>()).unwrap_or(0),
                config: config.into(),
                sample_type: PARTS.into(),
                sample_regs_user: machine::ASKED,
                sample_stack_user: stack,
                ..perf_event_attr::default()
            };
            attributes.__bindgen_anon_1.sample_freq = frequency.into();
            attributes.set_freq(1);
            attributes.set_disabled(1);
            attributes.set_exclude_kernel(1);
            attributes.set_exclude_hv(1);
            attributes.set_precise_ip(precise);
            match rings(attributes, threads) {
                Ok(rings) => return Ok((Self::read(rings, Arc::clone(frames)), words)),
                Err(error) => reason = error.to_string(),
            }
        }
        Err(reason)
    }

    fn read(mut rings: Vec<Ring>, frames: Arc<Frames>) -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let ending = Arc::clone(&ends);
        let reader = thread::spawn(move || {
            let mut samples = Samples::default();
            loop {
                let is_over = ending.load(Ordering::SeqCst);
                if is_over {
                    rings.iter().for_each(Ring::disable);
                }
                for ring in &mut rings {
                    ring.drain(&frames, &mut samples);
                }
                if is_over {
                    return samples;
                }
                thread::sleep(PERIOD);
            }
        });
        Self { reader, ends }
    }

    pub fn stop(self) -> Samples {
        self.ends.store(true, Ordering::SeqCst);
        self.reader.join().unwrap_or_default()
    }
}

/// One for each thread that still is there, started.
fn rings(mut attributes: perf_event_attr, threads: &[i32]) -> io::Result<Vec<Ring>> {
    let mut found = Vec::new();
    let mut last = None;
    for thread in threads {
        match Ring::new(&mut attributes, *thread) {
            Ok(ring) => found.push(ring),
            // It has ended.
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => last = Some(error),
            Err(error) => return Err(error),
        }
    }
    if found.is_empty() {
        return Err(last.unwrap_or_else(|| io::Error::other("the process has no threads")));
    }
    for ring in &found {
        ring.enable()?;
    }
    Ok(found)
}

/// The event of a thread and the memory that the system writes its samples to.
struct Ring {
    event: OwnedFd,
    memory: MmapRaw,
    /// Where the samples begin, and their bytes, a power of two.
    data: (usize, usize),
    /// A sample that is read.
    record: Vec<u8>,
}

impl Ring {
    fn new(attributes: &mut perf_event_attr, thread: i32) -> io::Result<Self> {
        // SAFETY: the attributes are read during the call; what it returns is a descriptor that is owned from here on.
        let event = unsafe {
            let flags = PERF_FLAG_FD_CLOEXEC.into();
            let event = perf_event_open(&raw mut *attributes, thread, -1, -1, flags);
            if event < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(event)
        };
        // SAFETY: it only asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).map_err(io::Error::other)?;
        let mut pages = PAGES;
        loop {
            let options = MmapOptions::new().len((pages + 1) * page).clone();
            match options.map_raw(event.as_raw_fd()) {
                Ok(memory) => {
                    let data = (page, pages * page);
                    return Ok(Self { event, memory, data, record: Vec::new() });
                }
                Err(_) if pages > LEAST_PAGES => pages /= 2,
                Err(error) => return Err(error),
            }
        }
    }

    fn enable(&self) -> io::Result<()> {
        // SAFETY: the descriptor is one of an event.
        match unsafe { ioctls::ENABLE(self.event.as_raw_fd(), 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn disable(&self) {
        // SAFETY: the descriptor is one of an event.
        unsafe { ioctls::DISABLE(self.event.as_raw_fd(), 0) };
    }

    /// One of the two positions in the ring's first page, which the system and this process both use.
    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the offset is that of an aligned field of 64 bits in the page, which lives as long as the ring.
        unsafe { AtomicU64::from_ptr(self.memory.as_mut_ptr().add(offset).cast()) }
    }

    /// Reads all samples that are there.
    fn drain(&mut self, frames: &Frames, samples: &mut Samples) {
        let head =
            self.position(mem::offset_of!(perf_event_mmap_page, data_head)).load(Ordering::Acquire);
        let tail_at = mem::offset_of!(perf_event_mmap_page, data_tail);
        let mut tail = self.position(tail_at).load(Ordering::Relaxed);
        while head.wrapping_sub(tail) >= 8 {
            let mut header = [0; 8];
            self.copy(tail, &mut header);
            let kind = u32::from_le_bytes([header[0], header[1], header[2], header[3]]);
            let size = usize::from(u16::from_le_bytes([header[6], header[7]]));
            if size < header.len() || size as u64 > head.wrapping_sub(tail) {
                // It is not what was written: nothing after it can be read.
                tail = head;
                samples.lost += 1;
                break;
            }
            let mut record = mem::take(&mut self.record);
            record.resize(size - header.len(), 0);
            self.copy(tail + header.len() as u64, &mut record);
            match kind {
                PERF_RECORD_SAMPLE => samples.stacks.extend(stack(&record, frames)),
                PERF_RECORD_LOST => samples.lost += Words(&record).nth(1).unwrap_or(0),
                _ => {}
            }
            self.record = record;
            tail = tail.wrapping_add(size as u64);
        }
        fence(Ordering::SeqCst);
        self.position(tail_at).store(tail, Ordering::Release);
    }

    /// Copies bytes from a position on, around the end of the ring.
    fn copy(&self, from: u64, to: &mut [u8]) {
        let (start, size) = self.data;
        let at = usize::try_from(from % size as u64).unwrap_or(0);
        let first = to.len().min(size - at);
        let (left, right) = to.split_at_mut(first);
        // SAFETY: both parts are in the ring's data, whose bytes between tail and head the system does not write.
        unsafe {
            let data = self.memory.as_ptr().add(start);
            left.copy_from_slice(std::slice::from_raw_parts(data.add(at), left.len()));
            right.copy_from_slice(std::slice::from_raw_parts(data, right.len().min(size)));
        }
    }
}

/// The words of a record.
struct Words<'r>(&'r [u8]);

impl Iterator for Words<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }
}

/// A sample: program counter, registers, the top of the stack.
fn stack(record: &[u8], frames: &Frames) -> Option<Vec<u64>> {
    let mut words = Words(record);
    let counter = words.next()?;
    let abi = words.next()?;
    if abi != u64::from(PERF_SAMPLE_REGS_ABI_64) {
        return Some(vec![counter]);
    }
    let mut values = [0; machine::ASKED.count_ones() as usize];
    for value in &mut values {
        *value = words.next()?;
    }
    let size = usize::try_from(words.next()?).ok()?;
    let (copied, rest) = words.0.split_at_checked(size)?;
    // After what was asked for is how much of it there is.
    let filled = Words(rest).next().and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
    let copied = &copied[..filled.min(size)];
    let registers = Registers { counter, ..machine::registers(values) };
    let read = |address: u64| {
        let at = usize::try_from(address.checked_sub(registers.stack)?).ok()?;
        Words(copied.get(at..)?).next()
    };
    let mut found = [0; DEPTH];
    let count = frames.walk(registers, read, &mut found);
    Some(found[..count].to_vec())
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::{Words, stack};
    use crate::sampling::{Base, Frames, ReturnAddress, Row};

    #[test]
    fn a_sample_is_walked_in_the_copy_of_its_stack() {
        let row = |start, offset| Row {
            start,
            frame: Some((Base::Stack, offset)),
            saved: None,
            back: ReturnAddress::At(-8),
        };
        let frames = Frames::new(vec![row(100, 24), row(200, 8), Row::outside(300)]);
        // Program counter, kind of registers, frame, stack and counter, the size of the stack, three words of it, how much is filled.
        let record = |filled: u64| -> Vec<u8> {
            let words = [101_u64, 2, 7, 5000, 101, 24, 1, 2, 210, filled];
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        assert_eq!(stack(&record(24), &frames), Some(vec![101, 210]));
        assert_eq!(stack(&record(16), &frames), Some(vec![101]));
        assert_eq!(stack(&record(24)[..40], &frames), None);
        assert_eq!(Words(&record(0)).count(), 10);
    }
}
