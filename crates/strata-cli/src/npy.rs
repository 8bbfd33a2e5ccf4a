//! Arrays in NumPy's `.npy` format, to and from the dense row-major buffers of compiled code.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};
use std::path::Path;

use npyz::{Endianness, NpyHeader, Order, TypeChar, TypeStr, WriterBuilder};
use strata::{ElementType, TensorSpec};
use strata_diag::{Diagnostic, Location, codes};

use crate::files;

/// No legitimate header is longer; NumPy itself rejects more than 10,000 bytes.
pub const LONGEST_HEADER: usize = 1 << 16;

/// Reads input number `index`, which must be of type `expected`.
///
/// # Errors
/// `S0002` where the file cannot be read, `S1804` where it is damaged, `S1802` and `S1803` where it holds
/// something else.
pub fn read(path: &Path, index: usize, expected: &TensorSpec) -> Result<Vec<u8>, Diagnostic> {
    decode(&files::read(path)?, index, expected)
        .map_err(|diagnostic| diagnostic.at(Location::file(files::display_name(path))))
}

/// The type of input number `index`, with the sizes of the array in `file` where `expected` leaves them open.
///
/// # Errors
/// As [`decode`], but for the type of the elements.
pub fn resolve(file: &[u8], index: usize, expected: &TensorSpec) -> Result<TensorSpec, Diagnostic> {
    check_header(file)?;
    let found = header(&mut &with_known_type(file)[..])?;
    let agrees = |(size, found): (&u64, &u64)| *size == TensorSpec::UNKNOWN || size == found;
    let shape = found.shape();
    if shape.len() != expected.shape.len() || !expected.shape.iter().zip(shape).all(agrees) {
        return Err(wrong_shape(index, &expected.shape, shape));
    }
    Ok(TensorSpec::new(shape.to_vec(), expected.element))
}

fn wrong_shape(index: usize, expected: &[u64], found: &[u64]) -> Diagnostic {
    Diagnostic::new(codes::S1802)
        .reason(format!(
            "input {index} must have the shape {}, the file holds {}",
            shape_text(expected),
            shape_text(found)
        ))
        .hint(fitting(expected, found))
}

/// What makes an array of the one shape of the other; sizes that are not known fit all.
fn fitting(expected: &[u64], found: &[u64]) -> &'static str {
    let is_known = !expected.contains(&TensorSpec::UNKNOWN);
    let count = |shape: &[u64]| shape.iter().try_fold(1_u64, |all, size| all.checked_mul(*size));
    if expected.len() == found.len() && expected.iter().rev().eq(found) {
        "save its transpose: `numpy.transpose(x)`"
    } else if is_known && count(expected).is_some() && count(expected) == count(found) {
        "it has as many elements: save `x.reshape(…)`"
    } else {
        "inputs are not broadcast: save an array of this shape, or export the program for the shape of yours"
    }
}

/// Reads the header off the front of a file.
fn header(file: &mut &[u8]) -> Result<NpyHeader, Diagnostic> {
    NpyHeader::from_reader(file).map_err(|error| {
        Diagnostic::new(codes::S1804).reason(match error.kind() {
            ErrorKind::UnexpectedEof => "the file ends within its header".to_owned(),
            _ => error.to_string(),
        })
    })
}

/// Like [`read`], from the bytes of a file.
///
/// # Errors
/// As [`read`], without a place.
pub fn decode(file: &[u8], index: usize, expected: &TensorSpec) -> Result<Vec<u8>, Diagnostic> {
    let damaged = |reason: String| Diagnostic::new(codes::S1804).reason(reason);
    check_header(file)?;
    let file = &with_known_type(file)[..];
    let mut rest = file;
    let header = header(&mut rest)?;

    let found = header.dtype();
    let element = expected.element;
    let scalar = match &found {
        npyz::DType::Plain(scalar) if accepts(element, scalar) => scalar,
        _ => {
            return Err(Diagnostic::new(codes::S1803)
                .reason(format!(
                    "input {index} must be {} (`{}`), the file holds {}",
                    element,
                    descr(element),
                    found.descr().replace('\'', "`")
                ))
                .hint(conversion_hint(element)));
        }
    };
    if header.shape() != expected.shape {
        return Err(wrong_shape(index, &expected.shape, header.shape()));
    }
    let needed = usize::try_from(expected.byte_count()).unwrap_or(usize::MAX);
    if rest.len() != needed {
        return Err(damaged(format!(
            "the header promises {needed} bytes of elements, the file has {}",
            rest.len()
        )));
    }

    let mut bytes = Vec::with_capacity(needed);
    rest.read_to_end(&mut bytes).map_err(|error| damaged(error.to_string()))?;
    if header.order() == Order::Fortran {
        bytes = to_row_major(&bytes, &expected.shape, size(element));
    }
    if scalar.endianness() == Endianness::Big {
        let parts = if matches!(element, ElementType::Complex(_)) { 2 } else { 1 };
        bytes.chunks_exact_mut(size(element) / parts).for_each(<[u8]>::reverse);
    }
    normalize(element, &mut bytes);
    Ok(bytes)
}

/// The file that holds these elements.
///
/// # Errors
/// `S9001` where the file cannot be made: there is no cause for it in the input.
pub fn encode(spec: &TensorSpec, bytes: &[u8]) -> Result<Vec<u8>, Diagnostic> {
    let internal = |reason: String| Diagnostic::new(codes::S9001).reason(reason);
    let scalar: TypeStr = descr(spec.element)
        .parse()
        .map_err(|error| internal(format!("{}: {error}", spec.element)))?;
    let mut file = Vec::with_capacity(bytes.len() + 128);
    // The elements are there already as bytes: the writer is asked for the header alone.
    npyz::WriteOptions::new_header_only()
        .dtype(npyz::DType::new_scalar(scalar))
        .shape(&spec.shape)
        .writer(&mut file)
        .write_header_only()
        .map_err(|error| internal(error.to_string()))?;
    file.extend_from_slice(bytes);
    Ok(file)
}

/// Rejects what is not an `.npy` file, and headers that would overflow the parser's stack or use much memory.
fn check_header(file: &[u8]) -> Result<(), Diagnostic> {
    let damaged = |reason: &str| Err(Diagnostic::new(codes::S1804).reason(reason));
    if !file.starts_with(b"\x93NUMPY") {
        return damaged(match file {
            [] => "the file is empty",
            [b'P', b'K', ..] => "the file is an archive (.npz): extract its members first",
            _ => "the file does not start with the .npy signature",
        });
    }
    let length = match (file.get(6), file.get(8..12)) {
        (Some(1), Some(&[low, high, ..])) => usize::from(u16::from_le_bytes([low, high])),
        (Some(_), Some(&[a, b, c, d])) => {
            usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(usize::MAX)
        }
        _ => return damaged("the file ends within its header"),
    };
    if length > LONGEST_HEADER {
        return damaged("the header is too long");
    }
    let header = file.get(10..).unwrap_or_default();
    let header = header.get(..length.min(header.len())).unwrap_or_default();
    if header.iter().filter(|byte| b"([{".contains(byte)).count() > 16 {
        return damaged("the header does not describe a plain array");
    }
    // The parser multiplies the dimensions without checking for overflow.
    let numbers = header.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let fits = numbers
        .map(|digits| std::str::from_utf8(digits).ok()?.parse::<u64>().ok())
        .try_fold(1u64, |all, number| all.checked_mul(number?.max(1)));
    match fits {
        Some(_) => Ok(()),
        None => damaged("the array is larger than the address space"),
    }
}

fn size(element: ElementType) -> usize {
    usize::try_from(element.byte_width()).unwrap_or(usize::MAX)
}

/// The `.npy` type that an element type is written as.
pub fn descr(element: ElementType) -> String {
    let letter = match element {
        ElementType::Bool => 'b',
        ElementType::Signed(_) => 'i',
        ElementType::Unsigned(_) => 'u',
        ElementType::Float(_) => 'f',
        ElementType::Complex(_) => 'c',
        // NumPy has no type for these; packages that add them write raw bytes.
        ElementType::BFloat16 | ElementType::SmallFloat(_) => 'V',
    };
    let size = size(element);
    let order = if size == 1 { '|' } else { '<' };
    format!("{order}{letter}{size}")
}

/// NumPy writes `<f1` for the one small format that it treats as a native float; the header parser does not know one-byte
/// floats.
fn with_known_type(file: &[u8]) -> Cow<'_, [u8]> {
    const UNKNOWN: &[u8] = b"'<f1'";
    let end = file.len().min(LONGEST_HEADER);
    match file[..end].windows(UNKNOWN.len()).position(|part| part == UNKNOWN) {
        Some(at) if file.starts_with(b"\x93NUMPY") && at < 40 => {
            let mut known = file.to_vec();
            known[at..at + UNKNOWN.len()].copy_from_slice(b"'|u1'");
            Cow::Owned(known)
        }
        _ => Cow::Borrowed(file),
    }
}

fn accepts(element: ElementType, scalar: &TypeStr) -> bool {
    use ElementType::{BFloat16, Bool, Complex, Float, Signed, SmallFloat, Unsigned};
    if scalar.num_bytes() != Some(size(element)) {
        return false;
    }
    match scalar.type_char() {
        TypeChar::Bool => element == Bool,
        TypeChar::Int => matches!(element, Signed(_)),
        TypeChar::Uint => matches!(element, Unsigned(_) | BFloat16 | SmallFloat(_)),
        TypeChar::Float => matches!(element, Float(_)),
        TypeChar::Complex => matches!(element, Complex(_)),
        TypeChar::RawData => {
            matches!(element, BFloat16 | SmallFloat(_) | Signed(2 | 4) | Unsigned(2 | 4))
        }
        _ => false,
    }
}

fn conversion_hint(element: ElementType) -> String {
    let name = match element {
        ElementType::Bool => "bool".to_owned(),
        ElementType::Signed(bits) => format!("int{}", bits.max(8)),
        ElementType::Unsigned(bits) => format!("uint{}", bits.max(8)),
        ElementType::Float(bits) => format!("float{bits}"),
        ElementType::Complex(bits) => format!("complex{bits}"),
        ElementType::BFloat16 | ElementType::SmallFloat(_) => {
            return format!("in NumPy: `array.view(\"uint{}\")` of the bits", 8 * size(element));
        }
    };
    format!("in NumPy: `array.astype(\"{name}\")`")
}

/// Sets the unused bits of narrow elements as compiled code expects: `i1` is 0 or 1, signed integers
/// are sign-extended, unsigned ones zero-extended.
fn normalize(element: ElementType, bytes: &mut [u8]) {
    for byte in bytes {
        *byte = match element {
            ElementType::Bool => u8::from(*byte != 0),
            ElementType::Signed(bits @ 2..8) => (((*byte << (8 - bits)) as i8) >> (8 - bits)) as u8,
            ElementType::Unsigned(bits @ 2..8) => (*byte << (8 - bits)) >> (8 - bits),
            _ => return,
        };
    }
}

/// A shape as NumPy shows it: `(2, 3)`, `(3,)`, `()`.
pub fn shape_text(shape: &[u64]) -> String {
    let size = |size: &u64| match *size {
        TensorSpec::UNKNOWN => "?".to_owned(),
        size => size.to_string(),
    };
    match shape {
        [one] => format!("({},)", size(one)),
        _ => format!("({})", shape.iter().map(size).collect::<Vec<_>>().join(", ")),
    }
}

/// Elements in column-major order as row-major ones. `bytes` holds exactly the elements of `shape`.
fn to_row_major(bytes: &[u8], shape: &[u64], size: usize) -> Vec<u8> {
    let count = bytes.len() / size;
    let mut out = Vec::with_capacity(bytes.len());
    let mut position = vec![0u64; shape.len()];
    for _ in 0..count {
        // Column-major: the first dimension varies fastest.
        let from = position.iter().zip(shape).rev().fold(0, |at, (&i, &n)| at * n + i);
        let from = usize::try_from(from).unwrap_or(usize::MAX) * size;
        out.extend_from_slice(&bytes[from..from + size]);
        for (i, &n) in position.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < n {
                break;
            }
            *i = 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};
    use strata::{ElementType, TensorSpec};
    use strata_diag::codes;

    fn spec(shape: &[u64], element: ElementType) -> TensorSpec {
        TensorSpec::new(shape.to_vec(), element)
    }

    fn file(descr: &str, order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}}}\n");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(data);
        file
    }

    #[test]
    fn what_is_written_is_read_again() {
        use ElementType::{BFloat16, Bool, Complex, Float, Signed, SmallFloat, Unsigned};
        let signed = [2, 4, 8, 16, 32, 64].map(Signed);
        let unsigned = [2, 4, 8, 16, 32, 64].map(Unsigned);
        let others = [
            Bool,
            Float(16),
            Float(32),
            Float(64),
            BFloat16,
            SmallFloat("f8E4M3FN"),
            Complex(64),
            Complex(128),
        ];
        for element in signed.into_iter().chain(unsigned).chain(others) {
            let empty = spec(&[0], element);
            assert!(decode(&encode(&empty, &[]).unwrap(), 0, &empty).unwrap().is_empty());
            let three = spec(&[1, 3], element);
            let bytes: Vec<u8> = (0..three.byte_count()).map(|i| (i % 2) as u8).collect();
            assert_eq!(
                decode(&encode(&three, &bytes).unwrap(), 0, &three).unwrap(),
                bytes,
                "{element}"
            );
        }
    }

    #[test]
    fn column_major_and_big_endian_files_are_converted() {
        let data: Vec<u8> = [1i16, 4, 2, 5, 3, 6].iter().flat_map(|v| v.to_be_bytes()).collect();
        let got = decode(
            &file(">i2", "True", "(2, 3)", &data),
            0,
            &spec(&[2, 3], ElementType::Signed(16)),
        )
        .unwrap();
        let expected: Vec<u8> =
            [1i16, 2, 3, 4, 5, 6].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn narrow_types_come_as_raw_bytes_too() {
        let got = decode(
            &file("<V2", "False", "(1,)", &[0, 0x3f]),
            0,
            &spec(&[1], ElementType::BFloat16),
        );
        assert_eq!(got.unwrap(), [0, 0x3f]);
        let got = decode(
            &file("|V1", "False", "(2,)", &[0x0f, 7]),
            0,
            &spec(&[2], ElementType::Signed(4)),
        );
        assert_eq!(got.unwrap(), [0xff, 7], "sign-extended");
        let got = decode(&file("|b1", "False", "()", &[2]), 0, &spec(&[], ElementType::Bool));
        assert_eq!(got.unwrap(), [1]);
    }

    #[test]
    fn each_kind_of_wrong_file_has_its_code() {
        let f32x3 = spec(&[3], ElementType::Float(32));
        let whole = file("<f4", "False", "(3,)", &[0; 12]);
        let code = |file: &[u8]| decode(file, 0, &f32x3).expect_err("refused").code();
        for length in 0..whole.len() {
            assert_eq!(code(&whole[..length]), codes::S1804, "{length} bytes");
        }
        assert_eq!(code(&[whole.clone(), vec![0]].concat()), codes::S1804);
        assert_eq!(code(&file("<f4", "False", "(4,)", &[0; 16])), codes::S1802);
        assert_eq!(code(&file("<f4", "False", "(3, 1)", &[0; 12])), codes::S1802);
        assert_eq!(code(&file("<f8", "False", "(3,)", &[0; 24])), codes::S1803);
        assert_eq!(code(&file("<i4", "False", "(3,)", &[0; 12])), codes::S1803);
        assert_eq!(code(&file("|O", "False", "(3,)", &[0; 12])), codes::S1803);
        assert_eq!(code(&file("<f4", "False", &"(".repeat(40_000), &[])), codes::S1804);
    }

    #[test]
    fn sizes_do_not_overflow() {
        let huge = spec(&[99_999_999_999, 999_999_999], ElementType::Float(32));
        let error = decode(&file("<f4", "False", "(99999999999, 999999999)", &[]), 0, &huge);
        assert_eq!(error.expect_err("refused").code(), codes::S1804);
    }
}
