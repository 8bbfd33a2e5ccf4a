//! The container of MLIR bytecode: a header and sections of bytes.
//!
//! Source: MLIR's documentation of its bytecode format, versions 0 to 6.

/// The four bytes that bytecode begins with.
pub(crate) const MAGIC: &[u8] = b"ML\xefR";

/// Reads numbers and bytes from the front of a slice; `None` where they are damaged.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'b>(pub &'b [u8]);

impl<'b> Bytes<'b> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// The bytes in front of the next zero, which is skipped.
    pub(super) fn string(&mut self) -> Option<&'b [u8]> {
        let end = self.0.iter().position(|&byte| byte == 0)?;
        let text = self.take(end)?;
        self.byte()?;
        Some(text)
    }

    /// A number of variable width: the zeros at the low end of the first byte count the bytes that
    /// follow it, eight of them standing for a plain 64-bit number.
    pub(super) fn number(&mut self) -> Option<u64> {
        let first = self.byte()?;
        let extra = first.trailing_zeros() as usize;
        let mut wide = [0; 8];
        if first == 0 {
            wide.copy_from_slice(self.take(8)?);
            return Some(u64::from_le_bytes(wide));
        }
        wide[0] = first;
        wide[1..=extra].copy_from_slice(self.take(extra)?);
        Some(u64::from_le_bytes(wide) >> (extra + 1))
    }

    pub(super) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }
}

/// Writes a number of variable width.
pub(super) fn put_number(out: &mut Vec<u8>, number: u64) {
    let bits = 64 - number.leading_zeros() as usize;
    let extra = bits.saturating_sub(1) / 7;
    if extra > 7 {
        out.push(0);
        out.extend(number.to_le_bytes());
        return;
    }
    let coded = (number << 1 | 1) << extra;
    out.extend(&coded.to_le_bytes()[..=extra]);
}

/// One section: what it is, how its data is aligned, and the data.
pub(super) struct Section<'b> {
    pub id: u8,
    pub alignment: Option<u64>,
    pub data: &'b [u8],
}

/// Sections that other sections refer to.
pub(super) const STRINGS: u8 = 0;
pub(super) const DIALECTS: u8 = 1;
pub(super) const ENTRIES: u8 = 2;
pub(super) const OFFSETS: u8 = 3;

/// Splits a file into its header and sections.
pub(super) fn split(bytes: &[u8]) -> Option<(&[u8], Vec<Section<'_>>)> {
    const PADDING: u8 = 0xcb;
    let mut rest = Bytes(bytes.strip_prefix(MAGIC)?);
    rest.number()?;
    rest.string()?;
    let header = &bytes[..bytes.len() - rest.0.len()];
    let mut sections = Vec::new();
    while !rest.0.is_empty() {
        let tag = rest.byte()?;
        let length = rest.count()?;
        let mut alignment = None;
        if tag & 0x80 != 0 {
            let to = rest.number().filter(|to| to.is_power_of_two())?;
            let unit = usize::try_from(to).ok()?;
            while !(bytes.len() - rest.0.len()).is_multiple_of(unit) {
                rest.byte().filter(|&byte| byte == PADDING)?;
            }
            alignment = Some(to);
        }
        sections.push(Section { id: tag & 0x7f, alignment, data: rest.take(length)? });
    }
    Some((header, sections))
}

/// The file of these sections; the inverse of [`split`].
pub(super) fn join(header: &[u8], sections: &[Section<'_>]) -> Option<Vec<u8>> {
    const PADDING: u8 = 0xcb;
    let mut out = header.to_vec();
    for section in sections {
        out.push(section.id | if section.alignment.is_some() { 0x80 } else { 0 });
        put_number(&mut out, section.data.len() as u64);
        if let Some(to) = section.alignment {
            put_number(&mut out, to);
            out.resize(out.len().next_multiple_of(usize::try_from(to).ok()?), PADDING);
        }
        out.extend(section.data);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let edges = (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        for number in edges.chain([u64::MAX]) {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            let mut reader = Bytes(&bytes);
            assert_eq!(reader.number(), Some(number), "{bytes:x?}");
            assert!(reader.0.is_empty(), "{number} leaves {:x?}", reader.0);
        }
    }

    #[test]
    fn damage_is_nothing() {
        assert!(Bytes(&[0b10]).number().is_none(), "a byte is missing");
        assert!(Bytes(&[0, 1, 2]).number().is_none(), "five bytes are missing");
        assert!(split(b"ML\xefR\x0dx\0\x04\xff").is_none(), "a section is longer than the file");
    }
}
