//! The four element types.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use faer::traits::{ComplexField, RealField};
use num_complex::Complex;

/// An element of a matrix: `f32`, `f64`, or complex of these.
pub trait Scalar:
    ComplexField<Real = Self::Part>
    + Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The real type.
    type Part: Scalar<Part = Self::Part> + RealField + PartialOrd;
    /// The code of the element type in a buffer's description.
    const CODE: i32;
    /// The code of the real type.
    const REAL_CODE: i32;
    /// The distance from one to the next number of the real type.
    const EPSILON: Self::Part;
    /// The smallest normal number of the real type.
    const TINY: Self::Part;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// From the real and the imaginary part, which real types leave out.
    fn new(re: Self::Part, im: Self::Part) -> Self;
    /// The real part.
    fn re(self) -> Self::Part;
    /// The imaginary part.
    fn im(self) -> Self::Part;
    /// The conjugate.
    fn bar(self) -> Self;
    /// The absolute value.
    fn magnitude(self) -> Self::Part;
    /// The square root of a real number.
    fn root(value: Self::Part) -> Self::Part;
    /// Neither NaN nor infinite.
    fn finite(self) -> bool;
    /// Whether the real part has the sign bit, which zeros have as well.
    fn is_negative(self) -> bool;

    /// A real number.
    fn real(value: Self::Part) -> Self {
        Self::new(value, Self::Part::ZERO)
    }

    /// The square of the absolute value.
    fn square(self) -> Self::Part {
        self.re() * self.re() + self.im() * self.im()
    }
}

macro_rules! scalars {
    ($($real:ty, $code:literal, $complex_code:literal;)*) => {
        $(
            impl Scalar for $real {
                type Part = $real;
                const CODE: i32 = $code;
                const REAL_CODE: i32 = $code;
                const EPSILON: $real = <$real>::EPSILON;
                const TINY: $real = <$real>::MIN_POSITIVE;
                const ZERO: Self = 0.0;
                const ONE: Self = 1.0;
                fn new(re: $real, _: $real) -> Self {
                    re
                }
                fn re(self) -> $real {
                    self
                }
                fn im(self) -> $real {
                    0.0
                }
                fn bar(self) -> Self {
                    self
                }
                fn magnitude(self) -> $real {
                    self.abs()
                }
                fn root(value: $real) -> $real {
                    value.sqrt()
                }
                fn finite(self) -> bool {
                    self.is_finite()
                }
                fn is_negative(self) -> bool {
                    self.is_sign_negative()
                }
            }

            impl Scalar for Complex<$real> {
                type Part = $real;
                const CODE: i32 = $complex_code;
                const REAL_CODE: i32 = $code;
                const EPSILON: $real = <$real>::EPSILON;
                const TINY: $real = <$real>::MIN_POSITIVE;
                const ZERO: Self = Complex::new(0.0, 0.0);
                const ONE: Self = Complex::new(1.0, 0.0);
                fn new(re: $real, im: $real) -> Self {
                    Complex::new(re, im)
                }
                fn re(self) -> $real {
                    self.re
                }
                fn im(self) -> $real {
                    self.im
                }
                fn bar(self) -> Self {
                    self.conj()
                }
                fn magnitude(self) -> $real {
                    self.norm()
                }
                fn root(value: $real) -> $real {
                    value.sqrt()
                }
                fn finite(self) -> bool {
                    self.re.is_finite() && self.im.is_finite()
                }
                fn is_negative(self) -> bool {
                    self.re.is_sign_negative()
                }
            }
        )*
    };
}

scalars! {
    f32, 0x420, 0x640;
    f64, 0x440, 0x680;
}

/// Scales finite elements by a power of two, so that the largest is from 1 to 2, and returns what undoes it: the squares of small
/// ones would vanish next to the tolerances of an iteration, those of large ones overflow.
pub fn normalise<T: Scalar>(elements: &mut [T]) -> T::Part {
    let part = |value: T::Part| value.magnitude();
    let mut largest = <T::Part as Scalar>::ZERO;
    for one in elements.iter() {
        for size in [part(one.re()), part(one.im())] {
            largest = if size > largest { size } else { largest };
        }
    }
    let (one, two) = (T::Part::ONE, T::Part::ONE + T::Part::ONE);
    let (mut scale, mut back) = (one, one);
    if largest < T::Part::TINY {
        // The inverse might not be a number; these have lost their digits anyway.
        return one;
    }
    while largest * scale > two {
        (scale, back) = (scale / two, back * two);
    }
    while largest * scale < one {
        (scale, back) = (scale * two, back / two);
    }
    for one in elements {
        *one *= T::real(scale);
    }
    back
}
