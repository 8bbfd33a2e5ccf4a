//! The entries of the tables of attributes and types.

use super::super::small_floats::{FIRST, NAMES};
use super::{Cursor, Damage, Tables, damaged};

/// The maximum nesting of attributes and types: the reader recurses.
const DEEPEST: usize = 400;

/// The maximum bracket depth of a text entry.
const DEEPEST_TEXT: usize = 256;

struct Entry<'b> {
    dialect: usize,
    is_encoded: bool,
    content: &'b [u8],
}

/// How the fields of an entry are encoded: a letter for each, lists with a bracket before.
///
/// `A` attribute, `T` type, `P` two attributes, `S` string, `v` number, `s` signed number, `q` 64 bits, `B` byte,
/// `b` bytes, `o` optional attribute with a flag, `c` optional attribute with a count; `.` anything.
fn layout(dialect: &[u8], is_type: bool, code: u64) -> Option<&'static str> {
    Some(match (dialect, is_type, code) {
        (b"builtin", false, 0 | 12) => "[A",
        (b"builtin", false, 1) => "[P",
        (b"builtin", false, 2) => "S",
        (b"builtin", false, 3) => "ST",
        (b"builtin", false, 4 | 21) => "A",
        (b"builtin", false, 5) => "A[A",
        (b"builtin", false, 6) => "T",
        (b"builtin", false, 7 | 15) => "",
        (b"builtin", false, 8 | 9) => "T.",
        (b"builtin", false, 10 | 14) => "AA",
        (b"builtin", false, 11) => "Avv",
        (b"builtin", false, 13) => "[AA",
        (b"builtin", false, 16 | 19) => "T.",
        (b"builtin", false, 17) => "Tvb",
        (b"builtin", false, 18) => "Tb",
        (b"builtin", false, 20) => "TAA",
        (b"builtin", false, 22) => "A[v",
        (b"builtin", true, 0) => "v",
        (b"builtin", true, 1 | 3..=8 | 12) => "",
        (b"builtin", true, 2) => "[T[T",
        (b"builtin", true, 9 | 16 | 17) => "T",
        (b"builtin", true, 10) => "[sTA",
        (b"builtin", true, 11) => "A[sTA",
        (b"builtin", true, 13 | 19) => "[sT",
        (b"builtin", true, 14) => "A[sT",
        (b"builtin", true, 15) => "[T",
        (b"vhlo", false, 1) => "[A",
        (b"vhlo", false, 2..=5 | 7 | 11..=13 | 16 | 19) => "v",
        (b"vhlo", false, 6) => "[P",
        (b"vhlo", false, 8 | 9) => "T.",
        (b"vhlo", false, 10) => "[ss[s",
        (b"vhlo", false, 14) => "S",
        (b"vhlo", false, 15) => "Tb",
        (b"vhlo", false, 17) => "T",
        (b"vhlo", false, 18) => "[s",
        (b"vhlo", false, 20) => "qqsA",
        (b"vhlo", false, 21) => "ss",
        (b"vhlo", false, 22) => "Ac",
        (b"vhlo", false, 23) => "AA",
        (b"vhlo", false, 24) => "As",
        (b"vhlo", false, 25) => "Ao",
        (b"vhlo", true, 1 | 25) => "T",
        (b"vhlo", true, 8) => "[T[T",
        (b"vhlo", true, 20 | 41) => "[sT",
        (b"vhlo", true, 21) => "A[sT",
        (b"vhlo", true, 23 | 42) => "[T",
        (b"vhlo", true, 24) => "vTTqsss",
        (b"vhlo", true, 30) => "vTTvss[q[s",
        (b"vhlo", true, 0..=40) => "",
        (b"sdy", false, 0 | 7 | 9 | 11 | 12 | 14 | 16) => "[A",
        (b"sdy", false, 1) => "Ss",
        (b"sdy", false, 2) => "[A[s",
        (b"sdy", false, 3) => "ss",
        (b"sdy", false, 4) => "So",
        (b"sdy", false, 5) => "[ABv",
        (b"sdy", false, 6) => "A[A[A",
        (b"sdy", false, 8) => "[s",
        (b"sdy", false, 10) => "[s[A[A[s[s[s[sB",
        (b"sdy", false, 13) => "[Ass",
        (b"sdy", false, 15) => "A[A[A[A",
        (b"sdy", false, 17) => "A[A[A[As",
        _ => return None,
    })
}

/// Checks both tables and records their sizes.
pub(super) fn check(tables: &mut Tables, sizes: &[u8], contents: &[u8]) -> Result<(), Damage> {
    let mut sizes = Cursor::new(sizes);
    let mut contents = Cursor::new(contents);
    tables.attributes = sizes.count()?;
    tables.types = sizes.count()?;
    let attributes = table(tables, tables.attributes, &mut sizes, &mut contents)?;
    let types = table(tables, tables.types, &mut sizes, &mut contents)?;
    if !sizes.is_empty() || !contents.is_empty() {
        return damaged("the attributes and types do not fill their section");
    }
    // One numbering for both: attributes first.
    let mut inside = Vec::with_capacity(attributes.len() + types.len());
    for (entries, is_type) in [(&attributes, false), (&types, true)] {
        for entry in entries {
            inside.push(references(tables, entry, is_type)?);
        }
    }
    check_depth(&inside)?;
    check_elements(tables, &attributes, &types)
}

fn table<'b>(
    tables: &Tables,
    count: usize,
    sizes: &mut Cursor<'_>,
    contents: &mut Cursor<'b>,
) -> Result<Vec<Entry<'b>>, Damage> {
    let mut entries = Vec::with_capacity(count);
    while entries.len() < count {
        let dialect = sizes.index(tables.dialects.len())?;
        let group = sizes.count()?;
        if group > count - entries.len() {
            return damaged("there are more attributes or types than declared");
        }
        for _ in 0..group {
            let size = sizes.number()?;
            let length = usize::try_from(size >> 1).unwrap_or(usize::MAX);
            let content = contents.take(length)?;
            entries.push(Entry { dialect, is_encoded: size & 1 == 1, content });
        }
    }
    Ok(entries)
}

/// The entries that an entry refers to, types numbered after attributes.
fn references(tables: &Tables, entry: &Entry<'_>, is_type: bool) -> Result<Vec<usize>, Damage> {
    let mut found = Vec::new();
    if !entry.is_encoded {
        check_text(entry.content)?;
        return Ok(found);
    }
    let mut cursor = Cursor::new(entry.content);
    let code = cursor.number()?;
    let dialect = tables.dialects.get(entry.dialect).map_or(&[][..], Vec::as_slice);
    let Some(layout) = layout(dialect, is_type, code) else { return Ok(found) };
    let mut letters = layout.bytes();
    while let Some(letter) = letters.next() {
        match letter {
            b'.' => return Ok(found),
            b'[' => {
                let element = letters.next().unwrap_or(b'v');
                for _ in 0..cursor.count()? {
                    field(tables, element, &mut cursor, &mut found)?;
                }
            }
            letter => field(tables, letter, &mut cursor, &mut found)?,
        }
    }
    if dialect == b"builtin" && is_type && code == 0 {
        check_integer_width(entry.content)?;
    }
    if !cursor.is_empty() {
        return damaged("an attribute or type is longer than its fields");
    }
    Ok(found)
}

fn field(
    tables: &Tables,
    letter: u8,
    cursor: &mut Cursor<'_>,
    found: &mut Vec<usize>,
) -> Result<(), Damage> {
    let attribute = |cursor: &mut Cursor<'_>| cursor.index(tables.attributes);
    match letter {
        b'A' => found.push(attribute(cursor)?),
        b'P' => found.extend([attribute(cursor)?, attribute(cursor)?]),
        b'T' => found.push(tables.attributes + cursor.index(tables.types)?),
        b'S' => {
            cursor.index(tables.strings)?;
        }
        b'b' => {
            let size = cursor.size()?;
            cursor.take(size)?;
        }
        b'B' => {
            cursor.byte()?;
        }
        b'c' => match cursor.number()? {
            0 => {}
            1 => found.push(attribute(cursor)?),
            _ => return damaged("an optional attribute occurs more than once"),
        },
        b'o' => {
            let flagged = cursor.size()?;
            if flagged & 1 == 1 {
                match flagged >> 1 {
                    index if index < tables.attributes => found.push(index),
                    _ => return damaged("an index is out of range"),
                }
            }
        }
        _ => {
            cursor.number()?;
        }
    }
    Ok(())
}

/// MLIR parses these, with a level of recursion for each bracket.
fn check_text(content: &[u8]) -> Result<(), Damage> {
    match content.split_last() {
        Some((0, text)) if !text.contains(&0) => {
            let mut depth = 0_usize;
            for byte in text {
                match byte {
                    b'(' | b'[' | b'{' | b'<' => depth += 1,
                    b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth > DEEPEST_TEXT {
                    return damaged("an attribute or type is nested too deeply");
                }
            }
            Ok(())
        }
        _ => damaged("a text attribute or type does not end with a zero"),
    }
}

fn check_integer_width(content: &[u8]) -> Result<(), Damage> {
    let mut cursor = Cursor::new(content);
    cursor.number()?;
    let encoded = cursor.number()?;
    // Two bits for the signedness; MLIR limits the width to 24 bits.
    if encoded & 3 == 3 || !(0..1 << 24).contains(&(encoded >> 2)) {
        return damaged("an integer type has an impossible width");
    }
    Ok(())
}

/// Rejects entries that contain themselves or are nested too deeply.
fn check_depth(inside: &[Vec<usize>]) -> Result<(), Damage> {
    #[derive(Clone, Copy)]
    enum State {
        New,
        Open,
        Done(usize),
    }
    let mut states = vec![State::New; inside.len()];
    for start in 0..inside.len() {
        let mut stack = vec![(start, 0_usize)];
        while let Some((entry, next)) = stack.pop() {
            let Some(state) = states.get(entry).copied() else { continue };
            if next == 0 {
                match state {
                    State::Done(_) => continue,
                    State::Open => return damaged("an attribute or type contains itself"),
                    State::New => states[entry] = State::Open,
                }
            }
            if stack.len() > DEEPEST {
                return damaged("attributes or types are nested too deeply");
            }
            let children = &inside[entry];
            match children.get(next) {
                Some(child) => {
                    stack.push((entry, next + 1));
                    stack.push((*child, 0));
                }
                None => {
                    let below = children.iter().map(|child| match states.get(*child) {
                        Some(State::Done(depth)) => *depth,
                        _ => 0,
                    });
                    let depth = below.max().map_or(0, |depth| depth + 1);
                    if depth > DEEPEST {
                        return damaged("attributes or types are nested too deeply");
                    }
                    states[entry] = State::Done(depth);
                }
            }
        }
    }
    Ok(())
}

/// The reader trusts that builtin elements have the size of their type.
fn check_elements(
    tables: &Tables,
    attributes: &[Entry<'_>],
    types: &[Entry<'_>],
) -> Result<(), Damage> {
    let is_builtin = |entry: &Entry<'_>| {
        entry.is_encoded
            && tables.dialects.get(entry.dialect).is_some_and(|name| name == b"builtin")
    };
    for entry in attributes.iter().filter(|entry| is_builtin(entry)) {
        let mut cursor = Cursor::new(entry.content);
        let code = cursor.number()?;
        if code != 17 && code != 18 {
            continue;
        }
        let ty = types.get(cursor.index(types.len())?).filter(|ty| is_builtin(ty));
        if code == 17 && !ty.is_some_and(|ty| is_array_element(ty.content)) {
            return damaged("an array has elements of an impossible type");
        }
        let Some(ty) = ty else { return damaged("elements have a type without a shape") };
        let (count, element) = match code {
            17 => (cursor.number()?, bits(ty.content, types)),
            _ => match shape(ty.content, types)? {
                Some((count, element)) if element.is_encoded => {
                    let bits = bits(element.content, types);
                    // Later versions of MLIR encode small floating-point types by number.
                    let code = usize::try_from(Cursor::new(element.content).number()?);
                    let is_small =
                        code.is_ok_and(|code| (FIRST..FIRST + NAMES.len()).contains(&code));
                    if !(is_builtin(element) && (bits.is_some() || is_small)) {
                        return damaged("elements have an impossible type");
                    }
                    (count, bits)
                }
                // As text, the linked version parses these types.
                Some((_, element)) => match element.content.split_last() {
                    Some((_, name)) if NAMES.iter().any(|known| known.as_bytes() == name) => {
                        continue;
                    }
                    _ => return damaged("elements have an impossible type"),
                },
                None => return damaged("elements have a type without a shape"),
            },
        };
        let Some(element) = element else { continue };
        let size = cursor.size()? as u64;
        let width = element.div_ceil(8);
        let whole = match element {
            1 if code == 18 => count.div_ceil(8),
            _ => count.saturating_mul(width),
        };
        let is_splat = code == 18 && size == width && count > 0;
        if size != whole && !is_splat {
            return damaged("the number of elements does not match their type");
        }
    }
    Ok(())
}

/// Whether dense arrays can have elements of this builtin type: MLIR computes its size without a check.
fn is_array_element(content: &[u8]) -> bool {
    let mut cursor = Cursor::new(content);
    match (cursor.number(), cursor.number()) {
        (Ok(0), Ok(encoded)) => matches!(encoded >> 2, 1 | 8 | 16 | 32 | 64),
        (Ok(code), _) => matches!(code, 3..=6),
        _ => false,
    }
}

/// The bits of an element of a builtin type; `None` if it is not a number.
fn bits(content: &[u8], types: &[Entry<'_>]) -> Option<u64> {
    let mut cursor = Cursor::new(content);
    match cursor.number().ok()? {
        0 => Some(cursor.number().ok()? >> 2),
        1 | 6 => Some(64),
        3 | 4 => Some(16),
        5 => Some(32),
        7 => Some(80),
        8 => Some(128),
        9 => {
            let element = types.get(cursor.index(types.len()).ok()?)?;
            let is_number = !element.content.starts_with(&[9 << 1 | 1]);
            is_number
                .then(|| bits(element.content, types))
                .flatten()
                .map(|bits| 16 * bits.div_ceil(8))
        }
        _ => None,
    }
}

/// The number of elements and the element type of a builtin tensor or vector.
fn shape<'t, 'b>(
    content: &[u8],
    types: &'t [Entry<'b>],
) -> Result<Option<(u64, &'t Entry<'b>)>, Damage> {
    let mut cursor = Cursor::new(content);
    match cursor.number()? {
        13 | 19 => {}
        14 => {
            cursor.number()?;
        }
        _ => return Ok(None),
    }
    let mut count = 1_u64;
    for _ in 0..cursor.count()? {
        let zigzag = cursor.number()?;
        if zigzag & 1 == 1 {
            return damaged("elements have an unknown size");
        }
        count = count.saturating_mul(zigzag >> 1);
    }
    Ok(types.get(cursor.index(types.len())?).map(|element| (count, element)))
}
