//! Small floating-point types, which later versions of MLIR write by number and the linked one only
//! reads as text.
//!
//! Bytecode of MLIR 23, which JAX writes, has an entry `24` of the builtin dialect for `f8E4M3FN`. Such
//! entries are replaced by the text `f8E4M3FN`, as MLIR 22 writes them. All other bytes are kept.

use std::borrow::Cow;

use super::{
    container::{DIALECTS, ENTRIES, ENTRY_SIZES, STRINGS, Section, join, put_number, split},
    cursor::Cursor,
};

/// The names of the builtin types that MLIR 23 numbers from [`FIRST`] on.
pub(super) const NAMES: [&str; 12] = [
    "tf32",
    "f8E5M2",
    "f8E4M3",
    "f8E4M3FN",
    "f8E5M2FNUZ",
    "f8E4M3FNUZ",
    "f8E4M3B11FNUZ",
    "f8E3M4",
    "f4E2M1FN",
    "f6E2M3FN",
    "f6E3M2FN",
    "f8E8M0FNU",
];
pub(super) const FIRST: usize = 21;

/// The same program with the small floating-point types as text. Damage is left to MLIR's reader to
/// report.
pub(crate) fn as_text(bytes: &[u8]) -> Cow<'_, [u8]> {
    rewrite(bytes).map_or(Cow::Borrowed(bytes), Cow::Owned)
}

/// `None` if nothing has to be replaced, or can be.
fn rewrite(bytes: &[u8]) -> Option<Vec<u8>> {
    let (header, mut sections) = split(bytes).ok()?;
    let find = |id| sections.iter().position(|section: &Section<'_>| section.id == id);
    let (entries_at, sizes_at) = (find(ENTRIES)?, find(ENTRY_SIZES)?);
    let builtin =
        builtin_dialect(sections[find(STRINGS)?].content, sections[find(DIALECTS)?].content)?;
    let (entries, sizes) =
        replace_entries(sections[entries_at].content, sections[sizes_at].content, builtin)?;
    sections[entries_at].content = &entries;
    sections[sizes_at].content = &sizes;
    Some(join(header, &sections))
}

/// The index of the dialect named `builtin`.
fn builtin_dialect(strings: &[u8], dialects: &[u8]) -> Option<usize> {
    let mut reader = Cursor::new(strings);
    let count = reader.size().ok()?;
    // The lengths are in reverse order and include the final zero.
    let mut lengths = Vec::new();
    for _ in 0..count {
        lengths.push(reader.size().ok()?);
    }
    let mut name_index = None;
    for (index, length) in lengths.into_iter().rev().enumerate() {
        if reader.take(length).ok()? == b"builtin\0" {
            name_index = Some(index);
        }
    }
    let name_index = name_index?;
    let mut reader = Cursor::new(dialects);
    for dialect in 0..reader.size().ok()? {
        let name = reader.size().ok()?;
        if name >> 1 == name_index {
            return Some(dialect);
        }
        if name & 1 == 1 {
            // The dialect's version.
            reader.section(0).ok()?;
        }
    }
    None
}

/// Goes through the attributes and types, whose sizes are in `sizes`, grouped by dialect: once to see whether any is replaced, as
/// the constants of a program are among them.
fn replace_entries(entries: &[u8], sizes: &[u8], builtin: usize) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut is_any = false;
    each_entry(entries, sizes, builtin, |_, entry| is_any |= matches!(entry, Entry::Float(_)))?;
    if !is_any {
        return None;
    }
    let (mut new_entries, mut new_sizes) = (Vec::with_capacity(entries.len()), Vec::new());
    each_entry(entries, sizes, builtin, |size, entry| match entry {
        Entry::Count => put_number(&mut new_sizes, size),
        Entry::Float(name) => {
            new_entries.extend(name.as_bytes());
            new_entries.push(0);
            put_number(&mut new_sizes, (name.len() as u64 + 1) << 1);
        }
        Entry::Other(content) => {
            new_entries.extend(content);
            put_number(&mut new_sizes, size);
        }
    })?;
    Some((new_entries, new_sizes))
}

/// What a number of the table of sizes is of.
enum Entry<'b> {
    /// Not of an entry: how many there are, or the dialect of those that follow.
    Count,
    /// A type that MLIR has to read as text.
    Float(&'static str),
    Other(&'b [u8]),
}

fn each_entry<'b>(
    entries: &'b [u8],
    sizes: &[u8],
    builtin: usize,
    mut see: impl FnMut(u64, Entry<'b>),
) -> Option<()> {
    let (mut sizes, mut data) = (Cursor::new(sizes), Cursor::new(entries));
    let mut seen = 0usize;
    let (attributes, types) = (sizes.size().ok()?, sizes.size().ok()?);
    see(attributes as u64, Entry::Count);
    see(types as u64, Entry::Count);
    while seen < attributes.checked_add(types)? {
        let (dialect, count) = (sizes.size().ok()?, sizes.size().ok()?);
        see(dialect as u64, Entry::Count);
        see(count as u64, Entry::Count);
        for _ in 0..count {
            let size = sizes.number().ok()?;
            let entry = data.take(usize::try_from(size >> 1).ok()?).ok()?;
            let name = (dialect == builtin && seen >= attributes && size & 1 == 1)
                .then(|| small_float(entry))
                .flatten();
            see(size, name.map_or(Entry::Other(entry), Entry::Float));
            seen += 1;
        }
    }
    (data.is_empty() && sizes.is_empty()).then_some(())
}

/// The name of the type that `entry` is the number of.
fn small_float(entry: &[u8]) -> Option<&'static str> {
    let mut reader = Cursor::new(entry);
    let code = reader.size().ok()?;
    let name = NAMES.get(code.checked_sub(FIRST)?)?;
    reader.is_empty().then_some(*name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_stay() {
        for bytes in [&b"ML\xefR"[..], b"", b"module {}", b"ML\xefR\x0dMLIR22.1.8\0"] {
            assert!(matches!(as_text(bytes), Cow::Borrowed(same) if same == bytes));
        }
    }

    #[test]
    fn the_first_and_the_last_number() {
        assert_eq!(small_float(&[0x2b]), Some("tf32"));
        assert_eq!(small_float(&[0x31]), Some("f8E4M3FN"));
        assert_eq!(small_float(&[0x41]), Some("f8E8M0FNU"));
        assert_eq!(small_float(&[0x29]), None);
        assert_eq!(small_float(&[0x43]), None);
        assert_eq!(small_float(&[0x2b, 1]), None);
    }
}
