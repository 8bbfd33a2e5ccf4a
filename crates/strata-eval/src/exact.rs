//! Sums that would cancel in `f64`, computed without error until the last rounding.

/// `a + b` as the rounded sum and its error.
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let virtual_b = sum - a;
    (sum, (a - (sum - virtual_b)) + (b - virtual_b))
}

/// `a * b` as the rounded product and its error.
pub fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

/// The sum of finite `terms`, nearly correctly rounded (Shewchuk's growing expansion).
pub fn sum(terms: &[f64]) -> f64 {
    let mut expansion: Vec<f64> = Vec::with_capacity(terms.len());
    for term in terms {
        let mut carry = *term;
        let mut grown = Vec::with_capacity(expansion.len() + 1);
        for part in &expansion {
            let (high, low) = two_sum(carry, *part);
            if low != 0.0 {
                grown.push(low);
            }
            carry = high;
        }
        grown.push(carry);
        expansion = grown;
    }
    // From the smallest part to the largest: the parts do not overlap.
    expansion.into_iter().sum()
}

/// `x*x + y*y - 1` for moderate `x` and `y`.
pub fn norm_minus_one(x: f64, y: f64) -> f64 {
    let (xx, xx_error) = two_product(x, x);
    let (yy, yy_error) = two_product(y, y);
    sum(&[xx_error, yy_error, -1.0, xx, yy])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_leaves_the_small_part() {
        assert_eq!(sum(&[1e16, 1.0, -1e16]), 1.0);
        assert_eq!(sum(&[1.0, 1e-30, -1.0]), 1e-30);
        assert_eq!(norm_minus_one(1.0, 1e-10), 1e-10 * 1e-10);
    }
}
