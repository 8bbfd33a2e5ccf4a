//! The container of MLIR bytecode: a header and sections of bytes.
//!
//! Source: MLIR's documentation of its bytecode format, versions 0 to 6.

use super::cursor::{Cursor, Damage, damaged};

/// The magic number.
pub(crate) const MAGIC: &[u8] = b"ML\xefR";

/// The padding byte for alignment.
pub(super) const PADDING: u8 = 0xcb;

/// Writes a varint.
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

/// One section: its number, its alignment, and its content.
pub(super) struct Section<'b> {
    pub id: u8,
    pub alignment: Option<usize>,
    pub content: &'b [u8],
}

/// The section numbers.
pub(super) const STRINGS: u8 = 0;
pub(super) const DIALECTS: u8 = 1;
pub(super) const ENTRIES: u8 = 2;
pub(super) const ENTRY_SIZES: u8 = 3;
pub(super) const BODY: u8 = 4;
pub(super) const PROPERTIES: u8 = 8;
pub(super) const SECTIONS: usize = 9;

/// Splits a file into its header and sections.
pub(super) fn split(bytes: &[u8]) -> Result<(&[u8], Vec<Section<'_>>), Damage> {
    let mut rest = Cursor::new(bytes);
    if rest.take(MAGIC.len())? != MAGIC {
        return damaged("the magic number is wrong");
    }
    rest.number()?;
    rest.text()?;
    let header = &bytes[..bytes.len() - rest.len()];
    let mut sections = Vec::new();
    while !rest.is_empty() {
        sections.push(rest.section(bytes.len())?);
    }
    Ok((header, sections))
}

/// Assembles a file from sections; the inverse of [`split`].
pub(super) fn join(header: &[u8], sections: &[Section<'_>]) -> Vec<u8> {
    let mut out = header.to_vec();
    for section in sections {
        out.push(section.id | if section.alignment.is_some() { 0x80 } else { 0 });
        put_number(&mut out, section.content.len() as u64);
        if let Some(to) = section.alignment {
            put_number(&mut out, to as u64);
            out.resize(out.len().next_multiple_of(to), PADDING);
        }
        out.extend(section.content);
    }
    out
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
            let mut reader = Cursor::new(&bytes);
            assert_eq!(reader.number(), Ok(number), "{bytes:x?}");
            assert_eq!(reader.len(), 0, "{number} leaves bytes of {bytes:x?}");
        }
    }

    #[test]
    fn damage_is_noticed() {
        assert!(Cursor::new(&[0b10]).number().is_err(), "a byte is missing");
        assert!(Cursor::new(&[0, 1, 2]).number().is_err(), "six bytes are missing");
        assert!(split(b"ML\xefR\x0dx\0\x04\xff").is_err(), "a section is longer than the file");
    }
}
