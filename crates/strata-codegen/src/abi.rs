//! The numbers of the object's binary interface, shared by the wrapper and the headers. `docs/abi.md`
//! describes them for users.

pub use strata_ir::WORKSPACE_ALIGNMENT;
use strata_ir::{ElementType, Reduction, Signature};
use strata_options::Options;

/// The most inputs and outputs of an entry whose kernel is called without a wrapper.
pub const MOST_DIRECT: usize = 12;

/// Whether the object is one for this process only, whose kernel is called without a wrapper: with the inputs, the outputs and the
/// workspace as its arguments, none of which it checks.
pub fn is_direct(signature: &Signature, options: &Options) -> bool {
    options.in_process
        && signature.donations.is_empty()
        && signature.weights.is_none()
        && signature.prepared.is_none()
        && signature.shapes.is_empty()
        && signature.inputs.len() + signature.outputs.len() <= MOST_DIRECT
}

/// Version of the signature table's layout.
pub const SIGNATURE_VERSION: u32 = 2;

/// Version of the layout with what quantized elements mean, of programs that take or return such.
pub const QUANTIZED_SIGNATURE_VERSION: u32 = 3;

/// The version of the table of a program with this signature.
pub fn signature_version(signature: &Signature) -> u32 {
    let mut all = signature.inputs.iter().chain(&signature.outputs);
    match all.any(|spec| spec.quantization.is_some()) {
        true => QUANTIZED_SIGNATURE_VERSION,
        false => SIGNATURE_VERSION,
    }
}

/// Version of the layout of the table of names.
pub const NAMES_VERSION: u32 = 1;

/// The statuses of the exported function, with their reasons.
pub const STATUS: &[(&str, i32, &str)] = &[
    ("STRATA_OK", 0, "done"),
    ("STRATA_NULL_INPUT", 1, "`inputs`, or a buffer in it that has elements, is NULL"),
    ("STRATA_NULL_OUTPUT", 2, "`outputs`, or a buffer in it that has elements, is NULL"),
    ("STRATA_NULL_WORKSPACE", 3, "`workspace` is NULL and its size is not 0"),
    ("STRATA_UNALIGNED_WORKSPACE", 4, "`workspace` is not aligned"),
    ("STRATA_NO_HOST", 5, "the program exchanges data with a host, and no executor offers one"),
    ("STRATA_BAD_WEIGHTS", 6, "the weights, after the inputs, are NULL or not aligned"),
    ("STRATA_NO_WEIGHTS_FILE", 7, "the weights file cannot be mapped"),
    ("STRATA_WRONG_WEIGHTS_FILE", 8, "the file is not the one written with the object"),
    ("STRATA_UNSUPPORTED_CPU", UNSUPPORTED_CPU, "the object has no code for this processor"),
    (
        "STRATA_WRONG_SIZES",
        WRONG_SIZES,
        "the sizes disagree, or violate a condition of the program",
    ),
    (
        "STRATA_NO_COLLECTIVES",
        NO_COLLECTIVES,
        "the program is for several devices, and no executor offers them",
    ),
    ("STRATA_WRONG_DEVICES", WRONG_DEVICES, "the program is for another number of devices"),
    ("STRATA_TIMED_OUT", 13, "another device did not come in time"),
    ("STRATA_DEVICE_FAILED", 14, "another device failed, or ended without taking part"),
    ("STRATA_DIFFERENT_PROGRAMS", 15, "the devices run different programs, or parts of one"),
    (
        "STRATA_NOT_PREPARED",
        NOT_PREPARED,
        "the prepared inputs are not aligned, or not made for the program",
    ),
];

/// The kinds of reductions, with the names of their codes in the header.
pub(crate) const REDUCTIONS: &[(Reduction, &str, i32)] = &[
    (Reduction::Other, "OTHER", 1),
    (Reduction::Sum, "SUM", 2),
    (Reduction::Product, "PRODUCT", 3),
    (Reduction::Minimum, "MINIMUM", 4),
    (Reduction::Maximum, "MAXIMUM", 5),
    (Reduction::And, "AND", 6),
    (Reduction::Or, "OR", 7),
    (Reduction::Xor, "XOR", 8),
];

/// The end of `strata_collectives` in the header.
pub(crate) const OVERLAPPED: &str = "  /* Begins an exchange that the function of that kind would do: `input` stays as it is, and `output` is not looked at, until `wait` is
   * called with both. Several may be under way, and are waited for in any order that is the same on all devices. NULL, with the other
   * two, where exchanges are done at once. */
  int32_t (*start)(void *context, int32_t kind, const strata_collective *what, int64_t count,
      const void *input, void *output);
  int32_t (*wait)(void *context, const void *input, void *output);
  /* ends those that are under way, when the program ends with another status than 0: none writes to a buffer any more */
  void (*abandon)(void *context);";

/// The kinds of exchanges in the header.
pub(crate) const EXCHANGE_KINDS: &str =
    "/* Kinds of exchanges that may be under way while the program goes on. */
enum strata_exchange {
  STRATA_ALL_REDUCE = 1,
  STRATA_ALL_GATHER = 2,
  STRATA_REDUCE_SCATTER = 3,
  STRATA_ALL_TO_ALL = 4,
  STRATA_COLLECTIVE_PERMUTE = 5,
  STRATA_COLLECTIVE_BROADCAST = 6,
};";

/// Bytes of `strata_collective`.
pub(crate) const COLLECTIVE_SIZE: i64 = 88;

/// The status for a program whose executor offers no other devices.
pub(crate) const NO_COLLECTIVES: i32 = 11;

/// The status for a program for another number of devices than there are.
pub(crate) const WRONG_DEVICES: i32 = 12;

/// The status for a block of prepared inputs that the program does not read, or that is not aligned.
pub(crate) const NOT_PREPARED: i32 = 16;

/// The status of an object for several processors on another one.
pub(crate) const UNSUPPORTED_CPU: i32 = 9;

/// The status for sizes that violate the program's conditions.
pub(crate) const WRONG_SIZES: i32 = 10;

/// The status for a program whose executor offers no host.
pub(crate) const NO_HOST: i32 = 5;

/// Version of `strata_call`.
pub(crate) const CALL_VERSION: usize = 1;

/// The code of a string among the attributes of a call.
pub const STRING: i32 = 0x800;
/// The code of a dictionary among the attributes of a call.
pub(crate) const DICTIONARY: i32 = 0x900;
/// The code of a list among the attributes of a call.
pub(crate) const LIST: i32 = 0xa00;

/// The function attribute that marks external functions of the program.
pub(crate) const FOREIGN: &str = "strata-foreign";

/// The code of a number among the attributes of a call, by the name of its MLIR type.
pub fn attribute_code(ty: &str) -> Option<i32> {
    let bits = |prefix: &str| ty.strip_prefix(prefix)?.parse::<u32>().ok();
    let element = match ty {
        "i1" => ElementType::Bool,
        "index" => ElementType::Signed(64),
        "bf16" => ElementType::BFloat16,
        "f16" | "f32" | "f64" => ElementType::Float(bits("f")?),
        "complex<f32>" => ElementType::Complex(64),
        "complex<f64>" => ElementType::Complex(128),
        _ => match (bits("ui"), bits("si").or_else(|| bits("i"))) {
            (Some(bits @ (8 | 16 | 32 | 64)), _) => ElementType::Unsigned(bits),
            (_, Some(bits @ (8 | 16 | 32 | 64))) => ElementType::Signed(bits),
            _ => return None,
        },
    };
    Some(element_code(element))
}

/// The small floating-point formats, in the order of their codes.
pub(crate) const SMALL_FLOATS: &[(&str, i32)] = &[
    ("f4E2M1FN", 0x701),
    ("f6E2M3FN", 0x702),
    ("f6E3M2FN", 0x703),
    ("f8E3M4", 0x704),
    ("f8E4M3", 0x705),
    ("f8E4M3B11FNUZ", 0x706),
    ("f8E4M3FN", 0x707),
    ("f8E4M3FNUZ", 0x708),
    ("f8E5M2", 0x709),
    ("f8E5M2FNUZ", 0x70a),
    ("f8E8M0FNU", 0x70b),
];

/// The code of an element type in the signature table: its class in the second byte, its bits (for
/// the small floating-point formats: an arbitrary number) in the first.
pub fn element_code(element: ElementType) -> i32 {
    let (class, bits) = match element {
        ElementType::Bool => (1, 1),
        ElementType::Signed(bits) => (2, bits),
        ElementType::Unsigned(bits) => (3, bits),
        ElementType::Float(bits) => (4, bits),
        ElementType::BFloat16 => (5, 16),
        ElementType::Complex(bits) => (6, bits),
        ElementType::SmallFloat(name) => {
            return SMALL_FLOATS
                .iter()
                .find(|(known, _)| *known == name)
                .map_or(0x700, |row| row.1);
        }
    };
    (class << 8) | bits as i32
}

/// The element type of a code.
pub fn element_of_code(code: i32) -> Option<ElementType> {
    let bits = u32::try_from(code & 0xff).ok()?;
    Some(match code >> 8 {
        1 => ElementType::Bool,
        2 => ElementType::Signed(bits),
        3 => ElementType::Unsigned(bits),
        4 => ElementType::Float(bits),
        5 => ElementType::BFloat16,
        // 128 bits are written as 0x80, 64 as 0x40.
        6 => ElementType::Complex(bits),
        7 => ElementType::SmallFloat(SMALL_FLOATS.iter().find(|(_, own)| *own == code)?.0),
        _ => return None,
    })
}

/// Alignment of an input or output buffer in bytes: that of its C type.
pub fn buffer_alignment(element: ElementType) -> u64 {
    match element {
        ElementType::Complex(bits) => u64::from(bits / 16),
        other => other.byte_width(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_hold_class_and_bits() {
        assert_eq!(element_code(ElementType::Bool), 0x101);
        assert_eq!(element_code(ElementType::Signed(4)), 0x204);
        assert_eq!(element_code(ElementType::Unsigned(64)), 0x340);
        assert_eq!(element_code(ElementType::Float(32)), 0x420);
        assert_eq!(element_code(ElementType::BFloat16), 0x510);
        assert_eq!(element_code(ElementType::Complex(128)), 0x680);
        assert_eq!(element_code(ElementType::SmallFloat("f8E4M3FN")), 0x707);
        assert_eq!(buffer_alignment(ElementType::Complex(128)), 8);
    }
}
