//! Messages of Protocol Buffers, recognised by the numbers and types of their fields, since they have no magic
//! number.

use super::{FROM_JAX, FROM_TENSORFLOW, Foreign, ONNX};

/// The maximum number of fields to examine.
const ENOUGH: usize = 64;

/// A field's value.
enum Value<'b> {
    Number(u64),
    Bytes(&'b [u8]),
    Other,
}

/// Recognises known messages.
pub(super) fn named(bytes: &[u8]) -> Option<Foreign> {
    let all = fields(bytes)?;
    let hlo = |what: &str| Some(Foreign::new(what, Some(FROM_JAX)));
    if is_hlo_module(&all) {
        return hlo("an `HloModuleProto`, XLA's own format for HLO");
    }
    match all.as_slice() {
        [(1, Value::Bytes(inside)), ..] if is_hlo_module(&fields(inside).unwrap_or_default()) => {
            hlo("an `HloProto`, XLA's own format for HLO")
        }
        [(1, Value::Number(1)), (2, Value::Bytes(_)), ..] => {
            Some(Foreign::new("a TensorFlow SavedModel", Some(FROM_TENSORFLOW)))
        }
        [(1, Value::Number(3..=20)), ..]
            if all.iter().any(|(number, value)| *number == 7 && is_bytes(value)) =>
        {
            Some(Foreign::new("an ONNX model", Some(ONNX)))
        }
        [(1, Value::Bytes(node)), ..] if is_node(&fields(node).unwrap_or_default()) => {
            Some(Foreign::new("a TensorFlow `GraphDef`", Some(FROM_TENSORFLOW)))
        }
        _ => None,
    }
}

/// Name, entry computation, computations, and the numbers of the module or its entry.
fn is_hlo_module(fields: &[(u64, Value<'_>)]) -> bool {
    let [(1, name), (2, entry), (3, computation), ..] = fields else { return false };
    let is_numbered =
        |(number, value): &(u64, Value<'_>)| matches!((number, value), (5 | 6, Value::Number(_)));
    let is_left = fields.len() == ENOUGH;
    is_name(name)
        && is_name(entry)
        && is_bytes(computation)
        && (is_left || fields.iter().any(is_numbered))
}

/// Name and operation of a node.
fn is_node(fields: &[(u64, Value<'_>)]) -> bool {
    matches!(fields, [(1, name), (2, operation), ..] if is_name(name) && is_name(operation))
}

fn is_bytes(value: &Value<'_>) -> bool {
    matches!(value, Value::Bytes(_))
}

fn is_name(value: &Value<'_>) -> bool {
    let Value::Bytes(bytes) = value else { return false };
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_graphic)
}

/// The first fields; `None` if the bytes are not a message.
fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, Value<'_>)>> {
    let mut all = Vec::new();
    while !bytes.is_empty() && all.len() < ENOUGH {
        let key = varint(&mut bytes)?;
        let value = match key & 7 {
            0 => Value::Number(varint(&mut bytes)?),
            1 => skip(&mut bytes, 8)?,
            2 => {
                let size = usize::try_from(varint(&mut bytes)?).ok()?;
                let (inside, rest) = bytes.split_at_checked(size)?;
                bytes = rest;
                Value::Bytes(inside)
            }
            5 => skip(&mut bytes, 4)?,
            _ => return None,
        };
        if key >> 3 == 0 {
            return None;
        }
        all.push((key >> 3, value));
    }
    Some(all)
}

fn skip<'b>(bytes: &mut &'b [u8], size: usize) -> Option<Value<'b>> {
    *bytes = bytes.get(size..)?;
    Some(Value::Other)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::named;

    fn bytes(number: u8, inside: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, inside.len() as u8], inside].concat()
    }

    fn what(message: &[u8]) -> String {
        named(message).map(|found| found.what).unwrap_or_default()
    }

    #[test]
    fn messages_are_told_apart() {
        let instruction = bytes(1, b"Arg_0.1");
        let computation = [bytes(1, b"main.3"), bytes(2, &instruction)].concat();
        let parts =
            [bytes(1, b"jit_f"), bytes(2, b"main.3"), bytes(3, &computation), vec![6 << 3, 3]];
        let module = parts.concat();
        assert!(what(&module).starts_with("an `HloModuleProto`"));
        assert!(what(&bytes(1, &module)).starts_with("an `HloProto`"));
        let saved = [vec![8, 1], bytes(2, &bytes(1, b"meta"))].concat();
        assert_eq!(what(&saved), "a TensorFlow SavedModel");
        let onnx = [vec![8, 8], bytes(2, b"pytorch"), bytes(7, &bytes(1, b"x"))].concat();
        assert_eq!(what(&onnx), "an ONNX model");
        let node = [bytes(1, b"x"), bytes(2, b"Placeholder")].concat();
        assert_eq!(what(&bytes(1, &node)), "a TensorFlow `GraphDef`");
        for other in [&b""[..], b"\x0a", b"\x00\x01", b"ML\xefR", b"\x0a\xff\xff\xff\xff\x7f"] {
            assert_eq!(what(other), "");
        }
    }
}
