//! Random tensors that respect their type.

use num_complex::Complex64;

use crate::{
    convert::convert_element,
    element::{Element, ElementType},
    float_format::FloatType,
    rng::RngStream,
    tensor::Tensor,
};

/// Which values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Moderate ones: floats around one, small integers of both signs.
    Tame,
    /// One in four is extreme: NaN, infinities, zeros of both signs, denormals, the largest and smallest,
    /// indices out of every range.
    Wild,
}

/// A tensor of random elements; equal streams give equal tensors.
pub fn random_tensor(
    shape: &[usize],
    ty: ElementType,
    values: Values,
    stream: &mut RngStream,
) -> Tensor {
    Tensor::from_fn(shape, ty, |_| {
        let extreme = values == Values::Wild && stream.next_u64().is_multiple_of(4);
        match ty {
            ElementType::Bool => Element::Bool(stream.next_u64() & 1 == 1),
            ElementType::Signed(_) | ElementType::Unsigned(_) => integer(ty, extreme, stream),
            ElementType::Float(format) => Element::Float(float(format, extreme, stream)),
            ElementType::Complex(part) => Element::Complex(Complex64::new(
                float(part, extreme, stream),
                float(part, extreme, stream),
            )),
        }
    })
}

fn integer(ty: ElementType, extreme: bool, stream: &mut RngStream) -> Element {
    if extreme {
        let ends = [ty.min_integer(), ty.max_integer() as i64, -1, ty.bits().into()];
        let end = ends[(stream.next_u64() % 4) as usize];
        return ty.from_i64(end);
    }
    convert_element(Element::Signed((stream.next_u64() % 13) as i64 - 4), ty)
}

fn float(format: FloatType, extreme: bool, stream: &mut RngStream) -> f64 {
    let sign = if stream.next_u64() & 1 == 1 { -1.0 } else { 1.0 };
    let smallest = format.decode(1);
    let value = if extreme {
        match stream.next_u64() % 7 {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => 0.0,
            3 => smallest,
            4 => smallest * 3.0,
            5 => format.max_finite(),
            _ => 1.0,
        }
    } else {
        2.0 * stream.next_unit()
    };
    format.round(sign * value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{BF16, F32, I8, UI8};

    #[test]
    fn tame_values_are_moderate() {
        let mut stream = RngStream::new(1);
        let floats = random_tensor(&[200], BF16, Values::Tame, &mut stream);
        assert!(floats.to_f64s().iter().all(|value| value.abs() <= 2.0));
        let integers = random_tensor(&[200], I8, Values::Tame, &mut stream).to_i64s().unwrap();
        assert!(integers.iter().all(|value| (-4..=8).contains(value)));
        assert!(integers.contains(&-4) && integers.contains(&8));
    }

    #[test]
    fn wild_values_are_extreme() {
        let mut stream = RngStream::new(2);
        let floats = random_tensor(&[400], F32, Values::Wild, &mut stream).to_f64s();
        assert!(floats.iter().any(|value| value.is_nan()));
        assert!(floats.contains(&f64::NEG_INFINITY));
        assert!(floats.iter().any(|value| *value != 0.0 && value.abs() < 1e-38));
        let integers = random_tensor(&[400], UI8, Values::Wild, &mut stream).to_i64s().unwrap();
        assert!(integers.contains(&255));
        let again = random_tensor(&[400], F32, Values::Wild, &mut RngStream::new(2)).to_f64s();
        assert_eq!(format!("{again:?}"), format!("{floats:?}"));
    }
}
