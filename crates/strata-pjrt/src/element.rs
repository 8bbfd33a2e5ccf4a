//! Element types: the codes of `PJRT_Buffer_Type`.

use strata::{ElementType, element_code};

use crate::failure::Failure;

/// All types that have a code, by it.
const TYPES: &[(i32, ElementType)] = &[
    (1, ElementType::Bool),
    (2, ElementType::Signed(8)),
    (3, ElementType::Signed(16)),
    (4, ElementType::Signed(32)),
    (5, ElementType::Signed(64)),
    (6, ElementType::Unsigned(8)),
    (7, ElementType::Unsigned(16)),
    (8, ElementType::Unsigned(32)),
    (9, ElementType::Unsigned(64)),
    (10, ElementType::Float(16)),
    (11, ElementType::Float(32)),
    (12, ElementType::Float(64)),
    (13, ElementType::BFloat16),
    (14, ElementType::Complex(64)),
    (15, ElementType::Complex(128)),
    (16, ElementType::SmallFloat("f8E5M2")),
    (17, ElementType::SmallFloat("f8E4M3FN")),
    (18, ElementType::SmallFloat("f8E4M3B11FNUZ")),
    (19, ElementType::SmallFloat("f8E5M2FNUZ")),
    (20, ElementType::SmallFloat("f8E4M3FNUZ")),
    (21, ElementType::Signed(4)),
    (22, ElementType::Unsigned(4)),
    (24, ElementType::Signed(2)),
    (25, ElementType::Unsigned(2)),
    (26, ElementType::SmallFloat("f8E4M3")),
    (27, ElementType::SmallFloat("f8E3M4")),
    (28, ElementType::SmallFloat("f8E8M0FNU")),
    (29, ElementType::SmallFloat("f4E2M1FN")),
];

/// The type with that code.
///
/// # Errors
/// For codes without a type that Strata has.
pub fn of_code(code: i32) -> Result<ElementType, Failure> {
    let found = TYPES.iter().find(|(known, _)| *known == code).map(|(_, element)| *element);
    found.ok_or_else(|| Failure::unimplemented(format!("element type {code} of PJRT")))
}

/// The code of a type.
///
/// # Errors
/// For types that PJRT does not have.
pub fn code(element: ElementType) -> Result<i32, Failure> {
    let found = TYPES.iter().find(|(_, known)| *known == element).map(|(code, _)| *code);
    found.ok_or_else(|| Failure::unimplemented(format!("PJRT has no type for {element:?}")))
}

/// The bytes of an element of a buffer that compiled programs describe, by its code there.
pub fn width_of_code(code: i32) -> usize {
    let found = TYPES.iter().find(|(_, element)| element_code(*element) == code);
    found.map_or(0, |(_, element)| element.byte_width() as usize)
}

/// The bytes of an element of a buffer.
pub fn width(element: ElementType) -> usize {
    usize::try_from(element.byte_width()).unwrap_or(1)
}

/// How the bytes of the host become those of a compiled program, where they may differ: a truth value is 0 or 1, an integer of
/// fewer bits than a byte is extended to one.
pub fn normal_form(element: ElementType) -> Option<fn(u8) -> u8> {
    Some(match element {
        ElementType::Bool => |byte| u8::from(byte != 0),
        ElementType::Signed(4) => |byte| ((byte << 4).cast_signed() >> 4).cast_unsigned(),
        ElementType::Signed(2) => |byte| ((byte << 6).cast_signed() >> 6).cast_unsigned(),
        ElementType::Unsigned(4) | ElementType::SmallFloat("f4E2M1FN") => |byte| byte & 15,
        ElementType::Unsigned(2) => |byte| byte & 3,
        _ => return None,
    })
}
