//! A cursor over MLIR bytecode: numbers, strings, sections.

use std::borrow::Cow;

use super::container::{PADDING, Section};

/// The error.
pub(super) type Damage = Cow<'static, str>;

pub(super) fn damaged<T>(what: &'static str) -> Result<T, Damage> {
    Err(Damage::Borrowed(what))
}

/// Reads from the front of the rest.
pub(super) struct Cursor<'b> {
    left: &'b [u8],
}

impl<'b> Cursor<'b> {
    pub(super) fn new(left: &'b [u8]) -> Self {
        Self { left }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// Bytes that are left.
    pub(super) fn len(&self) -> usize {
        self.left.len()
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'b [u8], Damage> {
        let Some((taken, left)) = self.left.split_at_checked(count) else {
            return damaged("it ends unexpectedly");
        };
        self.left = left;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Damage> {
        self.take(1).map(|taken| taken.first().copied().unwrap_or(0))
    }

    /// A number whose first byte says by its trailing zeros how many more there are.
    pub(super) fn number(&mut self) -> Result<u64, Damage> {
        let first = self.byte()?;
        let more = first.trailing_zeros() as usize;
        let mut bytes = [0; 9];
        bytes[0] = first;
        let rest = self.take(more)?;
        for (place, byte) in bytes[1..].iter_mut().zip(rest) {
            *place = *byte;
        }
        let [_, tail @ ..] = bytes;
        if more == 8 {
            return Ok(u64::from_le_bytes(tail));
        }
        let [low @ .., _] = bytes;
        Ok(u64::from_le_bytes(low) >> (more + 1))
    }

    /// The number of things that follow, of at least a byte each.
    pub(super) fn count(&mut self) -> Result<usize, Damage> {
        let count = self.size()?;
        if count > self.left.len() {
            return damaged("a count is larger than the file");
        }
        Ok(count)
    }

    pub(super) fn size(&mut self) -> Result<usize, Damage> {
        usize::try_from(self.number()?)
            .map_or_else(|_| damaged("a size is larger than any memory"), Ok)
    }

    /// An index below `count`.
    pub(super) fn index(&mut self, count: usize) -> Result<usize, Damage> {
        let index = self.size()?;
        if index >= count {
            return damaged("an index is out of range");
        }
        Ok(index)
    }

    /// Bytes up to a zero.
    pub(super) fn text(&mut self) -> Result<&'b [u8], Damage> {
        let Some(length) = self.left.iter().position(|byte| *byte == 0) else {
            return damaged("a string is not terminated");
        };
        let text = self.take(length)?;
        self.take(1)?;
        Ok(text)
    }

    /// A section. Alignment is counted from the start of the file, which has `whole`
    /// bytes; 0 if the position is unknown and all padding is skipped.
    pub(super) fn section(&mut self, whole: usize) -> Result<Section<'b>, Damage> {
        let head = self.byte()?;
        let size = self.size()?;
        let mut alignment = None;
        if head & 0x80 != 0 {
            let to = self.size()?;
            if !to.is_power_of_two() || to > 1 << 16 {
                return damaged("a section's alignment is not a small power of two");
            }
            if whole > 0 {
                let at = whole - self.left.len();
                let padding = self.take(at.next_multiple_of(to) - at)?;
                if padding.iter().any(|byte| *byte != PADDING) {
                    return damaged("a section is not aligned");
                }
            } else {
                while self.left.first() == Some(&PADDING) {
                    self.take(1)?;
                }
            }
            alignment = Some(to);
        }
        Ok(Section { id: head & 0x7f, alignment, content: self.take(size)? })
    }
}

#[cfg(test)]
mod tests {
    use super::Cursor;

    #[test]
    fn numbers_of_all_lengths() {
        assert_eq!(Cursor::new(&[0x0d]).number().ok(), Some(6));
        assert_eq!(Cursor::new(&[0b1000_0010, 0b1]).number().ok(), Some(0b110_0000));
        assert_eq!(Cursor::new(&[0, 1, 0, 0, 0, 0, 0, 0, 0x80]).number().ok(), Some(1 << 63 | 1));
        assert!(Cursor::new(&[0, 1]).number().is_err());
    }
}
