//! `jax.export.Exported.serialize()`: a FlatBuffers table around a portable artifact.
//!
//! The schema is `jax/_src/export/serialization.fbs`: field 0 is the version, 1 the function's name, 13 the artifact.
//! Fields are only added to it.

use super::Foreign;
use crate::bytecode::MAGIC;

const FUNCTION_NAME: usize = 1;
const ARTIFACT: usize = 13;

/// Recognises such a table.
pub(super) fn exported(bytes: &[u8]) -> Option<Foreign> {
    let table = offset(bytes, 0)?;
    let (start, artifact) = vector(bytes, table, ARTIFACT)?;
    if !artifact.starts_with(MAGIC) {
        return None;
    }
    let function = vector(bytes, table, FUNCTION_NAME)
        .and_then(|(_, name)| std::str::from_utf8(name).ok())
        .filter(|name| !name.is_empty() && name.len() < 80)
        .map_or(String::new(), |name| format!(" of the function `{name}`"));
    Some(Foreign {
        what: format!(
            "what `jax.export.Exported.serialize()` gives{function}, which only JAX reads"
        ),
        hint: Some(format!(
            "save `exported.mlir_module_serialized` instead; it is also in this file, {} bytes from byte {start} on: \
             `tail -c +{} FILE | head -c {} > model.mlirbc`",
            artifact.len(),
            start + 1,
            artifact.len()
        )),
    })
}

/// The bytes of a field that is a vector or a string, and where they begin.
fn vector(bytes: &[u8], table: usize, field: usize) -> Option<(usize, &[u8])> {
    let back = i32::from_le_bytes(*bytes.get(table..)?.first_chunk()?);
    let fields = table.checked_add_signed(isize::try_from(back).ok()?.checked_neg()?)?;
    let size = short(bytes, fields)?;
    let entry = 4 + 2 * field;
    let place = short(bytes, fields.checked_add(entry)?).filter(|_| entry + 2 <= size)?;
    if place == 0 {
        return None;
    }
    let at = offset(bytes, table.checked_add(place)?)?;
    let length = u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize;
    let start = at.checked_add(4)?;
    Some((start, bytes.get(start..start.checked_add(length)?)?))
}

/// Where the offset at that place leads.
fn offset(bytes: &[u8], at: usize) -> Option<usize> {
    let distance = u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
    at.checked_add(distance as usize).filter(|place| distance > 0 && *place < bytes.len())
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?).into())
}

#[cfg(test)]
pub(super) mod tests {
    use super::exported;

    /// A table with the two fields, laid out as FlatBuffers' builders do: vtable, table, vectors.
    fn sample(artifact: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(40u32.to_le_bytes());
        let mut fields = [0u16; 18];
        (fields[0], fields[1]) = (32, 12);
        (fields[2 + 1], fields[2 + 13]) = (4, 8);
        fields[..16].iter().for_each(|field| bytes.extend(field.to_le_bytes()));
        bytes.extend([0; 4]);
        assert_eq!(bytes.len(), 40);
        bytes.extend(36i32.to_le_bytes());
        bytes.extend(8u32.to_le_bytes());
        bytes.extend(16u32.to_le_bytes());
        bytes.extend(7u32.to_le_bytes());
        bytes.extend(b"predict\0");
        bytes.extend((artifact.len() as u32).to_le_bytes());
        bytes.extend(artifact);
        bytes
    }

    #[test]
    fn the_artifact_is_found_where_it_is() {
        let bytes = sample(b"ML\xefR\x0dStableHLO_v1.9.0\0");
        let found = exported(&bytes).expect("recognised");
        assert!(found.what.contains("`predict`"), "{}", found.what);
        let hint = found.hint.expect("a hint");
        assert!(
            hint.contains("22 bytes from byte 68 on: `tail -c +69 FILE | head -c 22"),
            "{hint}"
        );
        assert_eq!(&bytes[68..72], b"ML\xefR");
    }

    #[test]
    fn damaged_tables_are_none() {
        let whole = sample(b"ML\xefR\x0d");
        assert!(exported(&whole).is_some());
        for cut in 0..whole.len() {
            assert_eq!(exported(&whole[..cut]), None, "{cut}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] = 0xff;
            // It may still be a table, but nothing may panic.
            let _ = exported(&changed);
        }
    }
}
