//! The values at which operations go wrong.

use num_complex::Complex64;
use strata_eval::{Element, ElementType, FloatType};

/// Formats of so few bits are taken with all their values.
const ALL: u32 = 8;

/// Values for all pairs.
pub fn of(ty: ElementType) -> Vec<Element> {
    match ty {
        ElementType::Bool => vec![Element::Bool(false), Element::Bool(true)],
        _ if ty.bits() <= ALL => every(ty),
        ElementType::Signed(_) | ElementType::Unsigned(_) => integers(ty),
        ElementType::Float(format) => {
            floats(format, FLOATS).into_iter().map(Element::Float).collect()
        }
        ElementType::Complex(part) => complexes(&floats(part, PARTS)),
    }
}

/// Values for all triples.
pub fn few(ty: ElementType) -> Vec<Element> {
    match ty {
        ElementType::Float(format) => floats(format, FEW).into_iter().map(Element::Float).collect(),
        ElementType::Complex(part) => complexes(&floats(part, &FEW[..5])),
        _ => {
            let all = of(ty);
            let step = all.len().div_ceil(16);
            let last = all.last().copied();
            all.into_iter().step_by(step).chain(last).collect()
        }
    }
}

/// Values for functions of one operand: of 16 bits all.
pub fn many(ty: ElementType) -> Vec<Element> {
    if ty.bits() <= 16 && ty != ElementType::Bool { every(ty) } else { of(ty) }
}

/// Values for conversions: also those around the limits of the integer types.
pub fn to_convert(ty: ElementType) -> Vec<Element> {
    let mut ends = Vec::new();
    for bits in [2, 4, 8, 16, 31, 32, 33, 53, 63, 64] {
        let end = 2f64.powi(bits);
        ends.extend([end - 1.0, end - 0.5, end, end + 0.5, end + 1.0, end * (1.0 - 1e-7)]);
        ends.extend([end - 1.5, end * 1.000_000_1, end * 0.5, end * 0.5 - 0.5]);
    }
    match ty {
        ElementType::Float(format) if format.bits() > ALL => {
            let signed = ends.iter().flat_map(|end| [*end, -end]);
            let mut all = floats(format, FLOATS);
            all.extend(signed.map(|value| format.round(value)));
            distinct(all).into_iter().map(Element::Float).collect()
        }
        _ => of(ty),
    }
}

/// Every value of a type, by its bits.
fn every(ty: ElementType) -> Vec<Element> {
    (0..1u32 << ty.bits()).map(|bits| ty.decode(&bits.to_le_bytes()[..ty.bytes()])).collect()
}

fn integers(ty: ElementType) -> Vec<Element> {
    let (low, high, bits) = (ty.min_integer(), ty.max_integer() as i64, i64::from(ty.bits()));
    let mut values =
        vec![0, 1, 2, 3, 5, 7, 10, bits - 1, bits, bits + 1, 100, -1, -2, -3, -7, -100];
    for near in [low, high, high / 2, low / 2, 1 << (bits / 2)] {
        values.extend([near.wrapping_sub(1), near, near.wrapping_add(1)]);
    }
    let mut elements: Vec<Element> = Vec::new();
    for value in values {
        let element = ty.from_i64(value);
        if !elements.contains(&element) {
            elements.push(element);
        }
    }
    elements
}

/// A value that every format has its own of.
#[derive(Clone, Copy)]
enum Special {
    Number(f64),
    SmallestSubnormal,
    LargestSubnormal,
    SmallestNormal,
    Largest,
    /// The number next to one, above and below.
    Above,
    Below,
}

use Special::{Above, Below, Largest, LargestSubnormal, Number, SmallestNormal, SmallestSubnormal};

/// With both signs.
const FEW: &[Special] = &[
    Number(0.0),
    Number(f64::NAN),
    Number(f64::INFINITY),
    Number(1.0),
    Largest,
    SmallestSubnormal,
    Number(0.5),
    SmallestNormal,
];

const PARTS: &[Special] =
    &[Number(0.0), Number(f64::NAN), Number(f64::INFINITY), Number(1.0), Number(0.5), Number(2.75)];

const FLOATS: &[Special] = &[
    Number(0.0),
    Number(f64::NAN),
    Number(f64::INFINITY),
    Number(1.0),
    Number(0.5),
    Number(1.5),
    Number(2.0),
    Number(2.5),
    Number(3.0),
    Number(0.3),
    Number(7.25),
    Number(100.0),
    Number(1e10),
    Above,
    Below,
    Largest,
    SmallestNormal,
    SmallestSubnormal,
    LargestSubnormal,
];

fn floats(format: FloatType, specials: &[Special]) -> Vec<f64> {
    let first_normal = 1u64 << format.mantissa_bits();
    let one = format.encode(1.0);
    let magnitude = |special: &Special| match special {
        Number(value) => *value,
        SmallestSubnormal => format.decode(1),
        LargestSubnormal => format.decode(first_normal - 1),
        SmallestNormal => format.decode(first_normal),
        Largest => format.max_finite(),
        Above => format.decode(one + 1),
        Below => format.decode(one - 1),
    };
    let signed = specials.iter().map(magnitude).flat_map(|value| [value, -value]);
    distinct(signed.map(|value| format.round(value)).collect())
}

fn distinct(values: Vec<f64>) -> Vec<f64> {
    let mut seen = std::collections::BTreeSet::new();
    values.into_iter().filter(|value| seen.insert(value.to_bits())).collect()
}

fn complexes(parts: &[f64]) -> Vec<Element> {
    let pair = |re: &f64| {
        let re = *re;
        parts.iter().map(move |im| Element::Complex(Complex64::new(re, *im))).collect::<Vec<_>>()
    };
    parts.iter().flat_map(pair).collect()
}
