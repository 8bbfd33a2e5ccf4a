//! Arrays in NumPy's `.npy` format, to and from the dense row-major buffers of compiled code.

use std::io::{ErrorKind, Read};
use std::path::Path;

use npyz::{Endianness, NpyHeader, Order, TypeChar, TypeStr, WriterBuilder};
use strata_diag::{Diagnostic, Location, codes};

use crate::files;
use crate::tensor::{Element, Kind, TensorType};

/// No honest header is longer; NumPy itself refuses more than 10,000 bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// Reads input number `index`, which must be of type `expected`.
///
/// # Errors
/// `S0002` where the file cannot be read, `S1804` where it is damaged, `S1802` and `S1803` where it holds
/// something else.
pub fn read(path: &Path, index: usize, expected: &TensorType) -> Result<Vec<u8>, Diagnostic> {
    decode(&files::read(path)?, index, expected)
        .map_err(|diagnostic| diagnostic.at(Location::file(files::display_name(path))))
}

fn decode(file: &[u8], index: usize, expected: &TensorType) -> Result<Vec<u8>, Diagnostic> {
    let damaged = |reason: String| Diagnostic::new(codes::S1804).reason(reason);
    let mut rest = file;
    check_header(file)?;
    let header = NpyHeader::from_reader(&mut rest).map_err(|error| {
        damaged(match error.kind() {
            ErrorKind::UnexpectedEof => "the file ends within its header".to_owned(),
            _ => error.to_string(),
        })
    })?;

    let found = header.dtype();
    let element = expected.element;
    let scalar = match &found {
        npyz::DType::Plain(scalar) if accepts(element, scalar) => scalar,
        _ => {
            return Err(Diagnostic::new(codes::S1803)
                .reason(format!(
                    "input {index} must be {} (`{}`), the file holds {}",
                    element.name(),
                    descr(element),
                    found.descr().replace('\'', "`")
                ))
                .hint(conversion_hint(element)));
        }
    };
    if header.shape() != expected.shape {
        return Err(Diagnostic::new(codes::S1802).reason(format!(
            "input {index} must have the shape {}, the file holds {}",
            shape_text(&expected.shape),
            shape_text(header.shape())
        )));
    }
    let needed = expected
        .byte_size()
        .ok_or_else(|| damaged("the array is larger than the address space".to_owned()))?;
    if rest.len() != needed {
        return Err(damaged(format!(
            "the header announces {needed} bytes of elements, the file has {}",
            rest.len()
        )));
    }

    let mut bytes = Vec::with_capacity(needed);
    rest.read_to_end(&mut bytes).map_err(|error| damaged(error.to_string()))?;
    if header.order() == Order::Fortran {
        bytes = to_row_major(&bytes, &expected.shape, element.size());
    }
    if scalar.endianness() == Endianness::Big {
        let part = element.component_size();
        bytes.chunks_exact_mut(part).for_each(<[u8]>::reverse);
    }
    element.normalize(&mut bytes);
    Ok(bytes)
}

/// The file that holds these elements.
pub fn encode(ty: &TensorType, bytes: &[u8]) -> Result<Vec<u8>, Diagnostic> {
    let internal = |reason: String| Diagnostic::new(codes::S9001).reason(reason);
    let scalar: TypeStr = descr(ty.element)
        .parse()
        .map_err(|error| internal(format!("{}: {error}", ty.element.name())))?;
    let mut file = Vec::with_capacity(bytes.len() + 128);
    // The elements are there already as bytes: the writer is asked for the header alone.
    npyz::WriteOptions::new_header_only()
        .dtype(npyz::DType::new_scalar(scalar))
        .shape(&ty.shape)
        .writer(&mut file)
        .write_header_only()
        .map_err(|error| internal(error.to_string()))?;
    file.extend_from_slice(bytes);
    Ok(file)
}

/// Refuses what is no `.npy` file and headers that would cost the parser its stack or much memory.
fn check_header(file: &[u8]) -> Result<(), Diagnostic> {
    let damaged = |reason: &str| Err(Diagnostic::new(codes::S1804).reason(reason));
    if !file.starts_with(b"\x93NUMPY") {
        return damaged(match file {
            [] => "the file is empty",
            [b'P', b'K', ..] => "the file is an archive (.npz): take its members apart first",
            _ => "the file does not begin as .npy files do",
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
        return damaged("the header describes more than a plain array");
    }
    // The parser multiplies the dimensions without looking at the size of the product.
    let numbers = header.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let fits = numbers
        .map(|digits| std::str::from_utf8(digits).ok()?.parse::<u64>().ok())
        .try_fold(1u64, |all, number| all.checked_mul(number?.max(1)));
    match fits {
        Some(_) => Ok(()),
        None => damaged("the array is larger than the address space"),
    }
}

/// The `.npy` type that an element type is written as.
fn descr(element: Element) -> String {
    let (order, letter) = match element.kind() {
        Kind::Bool => ('|', 'b'),
        Kind::Signed => ('<', 'i'),
        Kind::Unsigned => ('<', 'u'),
        Kind::Float => ('<', 'f'),
        Kind::Complex => ('<', 'c'),
        Kind::BitsOfFloat => ('<', 'V'),
    };
    let order = if element.size() == 1 { '|' } else { order };
    format!("{order}{letter}{}", element.size())
}

fn accepts(element: Element, scalar: &TypeStr) -> bool {
    if scalar.num_bytes() != Some(element.size()) {
        return false;
    }
    // NumPy has no type for the narrow ones: packages that add them write raw bytes.
    let is_narrow = element.kind() == Kind::BitsOfFloat || element.bits() < 8;
    match (element.kind(), scalar.type_char()) {
        (Kind::Bool, TypeChar::Bool)
        | (Kind::Signed, TypeChar::Int)
        | (Kind::Unsigned, TypeChar::Uint)
        | (Kind::Float, TypeChar::Float)
        | (Kind::Complex, TypeChar::Complex)
        | (Kind::BitsOfFloat, TypeChar::Uint) => true,
        (kind, TypeChar::RawData) => is_narrow && kind != Kind::Bool,
        _ => false,
    }
}

fn conversion_hint(element: Element) -> String {
    let bits = element.bits();
    let name = match element.kind() {
        Kind::Bool => "bool".to_owned(),
        Kind::Signed => format!("int{}", bits.max(8)),
        Kind::Unsigned => format!("uint{}", bits.max(8)),
        Kind::Float => format!("float{bits}"),
        Kind::Complex => format!("complex{bits}"),
        Kind::BitsOfFloat => {
            let bytes = 8 * element.size();
            return format!("in NumPy: `array.view(\"uint{bytes}\")` of the bits");
        }
    };
    format!("in NumPy: `array.astype(\"{name}\")`")
}

/// A shape as NumPy shows it: `(2, 3)`, `(3,)`, `()`.
fn shape_text(shape: &[u64]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => {
            let all: Vec<String> = shape.iter().map(u64::to_string).collect();
            format!("({})", all.join(", "))
        }
    }
}

/// Elements in column-major order as row-major ones. `bytes` holds exactly the elements of `shape`.
fn to_row_major(bytes: &[u8], shape: &[u64], size: usize) -> Vec<u8> {
    let count = bytes.len() / size;
    let mut out = Vec::with_capacity(bytes.len());
    let mut position = vec![0u64; shape.len()];
    for _ in 0..count {
        // Column-major: the first dimension runs fastest.
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
    use crate::tensor::TensorType;
    use strata_diag::codes;

    fn ty(text: &str) -> TensorType {
        TensorType::parse(text).expect(text)
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
        for name in [
            "i1",
            "i4",
            "ui4",
            "i8",
            "ui8",
            "i16",
            "ui32",
            "i64",
            "bf16",
            "f16",
            "f32",
            "f64",
            "f8E4M3FN",
            "complex<f32>",
            "complex<f64>",
        ] {
            let ty = ty(&format!("tensor<0x{name}>"));
            assert!(decode(&encode(&ty, &[]).unwrap(), 0, &ty).unwrap().is_empty());
            let ty = TensorType { shape: vec![1, 3], ..ty };
            let bytes: Vec<u8> = (0..3 * ty.element.size()).map(|i| (i % 2) as u8).collect();
            let file = encode(&ty, &bytes).unwrap();
            assert_eq!(decode(&file, 0, &ty).unwrap(), bytes, "{name}");
        }
    }

    #[test]
    fn column_major_and_big_endian_files_are_converted() {
        let data: Vec<u8> = [1i16, 4, 2, 5, 3, 6].iter().flat_map(|v| v.to_be_bytes()).collect();
        let got = decode(&file(">i2", "True", "(2, 3)", &data), 0, &ty("tensor<2x3xi16>")).unwrap();
        let expected: Vec<u8> =
            [1i16, 2, 3, 4, 5, 6].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn narrow_types_come_as_raw_bytes_too() {
        let got = decode(&file("<V2", "False", "(1,)", &[0, 0x3f]), 0, &ty("tensor<1xbf16>"));
        assert_eq!(got.unwrap(), [0, 0x3f]);
        let got = decode(&file("|V1", "False", "(2,)", &[0x0f, 7]), 0, &ty("tensor<2xi4>"));
        assert_eq!(got.unwrap(), [0xff, 7], "sign-extended");
        let got = decode(&file("|b1", "False", "()", &[2]), 0, &ty("tensor<i1>"));
        assert_eq!(got.unwrap(), [1]);
    }

    #[test]
    fn each_kind_of_wrong_file_has_its_code() {
        let f32x3 = ty("tensor<3xf32>");
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
        let huge = ty("tensor<99999999999x999999999xf32>");
        let error = decode(&file("<f4", "False", "(99999999999, 999999999)", &[]), 0, &huge);
        assert_eq!(error.expect_err("refused").code(), codes::S1804);
    }
}
