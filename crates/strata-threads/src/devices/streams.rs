//! Copies that bypass the caches: to buffers that others read next, or that are larger than caches.

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{copy, end};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::{
        arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128},
        ptr,
    };

    /// Bytes of a store.
    const STEP: usize = size_of::<__m128i>();

    /// Copies `bytes` from one buffer to another one. Other threads see them after [`end`].
    ///
    /// # Safety
    /// The buffers have these bytes and do not overlap.
    pub unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
        let before = to.align_offset(STEP).min(bytes);
        let streamed = (bytes - before) / STEP * STEP;
        let after = before + streamed;
        // SAFETY: all offsets are below `bytes`; from `before` on the target is aligned.
        unsafe {
            ptr::copy_nonoverlapping(from, to, before);
            for at in (before..after).step_by(STEP) {
                _mm_stream_si128(to.add(at).cast(), _mm_loadu_si128(from.add(at).cast()));
            }
            ptr::copy_nonoverlapping(from.add(after), to.add(after), bytes - after);
        }
    }

    /// Makes what was copied visible before later stores are.
    pub fn end() {
        // SAFETY: every processor of this architecture has the instruction.
        unsafe { _mm_sfence() };
    }
}

/// An ordinary copy.
///
/// # Safety
/// The buffers have these bytes and do not overlap.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
}

/// Nothing to do.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn end() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_copied_and_no_others() {
        let from: Vec<u8> = (0..200).collect();
        for begin in 0..20 {
            for bytes in [0, 1, 7, 15, 16, 17, 31, 32, 48, 100, 150] {
                let mut to = [255; 200];
                // SAFETY: both have so many bytes after `begin`.
                unsafe { copy(from[3..].as_ptr(), to[begin..].as_mut_ptr(), bytes) };
                end();
                assert_eq!(to[begin..begin + bytes], from[3..3 + bytes]);
                assert!(to[..begin].iter().chain(&to[begin + bytes..]).all(|byte| *byte == 255));
            }
        }
    }
}
