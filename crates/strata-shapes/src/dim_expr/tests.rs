use super::*;

fn d(input: usize) -> DimExpr {
    DimExpr::variable(Variable::Dimension(input, 0))
}

#[test]
fn equal_sizes_are_equal_expressions() {
    let (a, b) = (d(0), d(1));
    let left = a.plus(&b).unwrap().times(&a.minus(&b).unwrap()).unwrap();
    let right = a.times(&a).unwrap().minus(&b.times(&b).unwrap()).unwrap();
    assert_eq!(left, right);
    assert_eq!(a.minus(&a).unwrap().as_constant(), Some(0));
    let six = a.times(&DimExpr::constant(6)).unwrap();
    assert_eq!(
        six.floordiv(&DimExpr::constant(2)).unwrap(),
        a.times(&DimExpr::constant(3)).unwrap()
    );
    assert_eq!(six.modulo(&DimExpr::constant(3)).unwrap().as_constant(), Some(0));
    assert_eq!(a.maximum(&a.plus(&DimExpr::constant(1)).unwrap()).unwrap().to_string(), "d0.0 + 1");
}

#[test]
fn values_overflow_to_nothing() {
    let square = d(0).times(&d(0)).unwrap();
    assert_eq!(square.value(&|_| Some(5)), Some(25));
    assert_eq!(square.value(&|_| Some(1 << 40)), None);
    assert_eq!(square.value(&|_| None), None);
    let quotient = d(0).floordiv(&d(1)).unwrap();
    let of = |variable| Some(if variable == Variable::Dimension(0, 0) { 7 } else { 0 });
    assert_eq!(quotient.value(&of), None);
    assert_eq!(DimExpr::constant(i64::MAX).plus(&DimExpr::constant(1)), None);
}

#[test]
fn text_is_as_programs_write_it() {
    let size = d(0).times(&DimExpr::constant(2)).unwrap().plus(&DimExpr::constant(-1)).unwrap();
    assert_eq!(size.text(&|_| "n".to_owned()), "2*n - 1");
    let size = d(0).floordiv(&DimExpr::constant(4)).unwrap();
    assert_eq!(size.text(&|_| "n".to_owned()), "floordiv(n, 4)");
}
fn text(size: &DimExpr) -> String {
    size.text(&|variable| match variable {
        Variable::Dimension(0, _) => "n".to_owned(),
        _ => "m".to_owned(),
    })
}

#[test]
fn divisions_have_one_form() {
    let (n, m, number) = (d(0), d(1), DimExpr::constant);
    let negated = |size: &DimExpr| size.times(&number(-1)).unwrap();
    let half = n.floordiv(&number(2)).unwrap();
    let even = n.modulo(&number(2)).unwrap();
    assert_eq!(text(&half.times(&number(2)).unwrap()), "n - mod(n, 2)");
    let up = negated(&negated(&n).floordiv(&number(2)).unwrap());
    assert_eq!(text(&up), "n - floordiv(n, 2)");
    assert_eq!(n.plus(&even).unwrap().floordiv(&number(2)).unwrap(), up);
    assert_eq!(n.minus(&even).unwrap().floordiv(&number(2)).unwrap(), half);
    assert_eq!(half.plus(&even).unwrap(), up);
    let wide = n.times(&number(4)).unwrap().plus(&number(7)).unwrap();
    assert_eq!(text(&wide.floordiv(&number(8)).unwrap()), "floordiv(n + 1, 2)");
    assert_eq!(text(&wide.modulo(&number(8)).unwrap()), "4*mod(n + 1, 2) + 3");
    let third = half.plus(&number(1)).unwrap().floordiv(&number(3)).unwrap();
    assert_eq!(text(&third), "floordiv(n + 2, 6)");
    // For a factor of both, too.
    let all = half.times(&m).unwrap().times(&number(2)).unwrap();
    assert_eq!(all.plus(&even.times(&m).unwrap()).unwrap(), n.times(&m).unwrap());
}

#[test]
fn divisors_may_be_variables() {
    let (n, m, number) = (d(0), d(1), DimExpr::constant);
    let up = |size: &DimExpr, by: &DimExpr| {
        let size = size.plus(by).unwrap().minus(&number(1)).unwrap();
        size.floordiv(by).unwrap()
    };
    let negated = n.times(&number(-1)).unwrap().floordiv(&m).unwrap();
    assert_eq!(negated.times(&number(-1)).unwrap(), up(&n, &m));
    assert_eq!(text(&up(&n, &m)), "floordiv(n - 1, m) + 1");
    let more = n.plus(&m.times(&n).unwrap()).unwrap();
    assert_eq!(text(&more.floordiv(&m).unwrap()), "floordiv(n, m) + n");
    assert_eq!(text(&more.modulo(&m).unwrap()), "mod(n, m)");
    let both = n.plus(&m).unwrap();
    let product = both.times(&m).unwrap();
    assert_eq!(product.floordiv(&both).unwrap(), m);
    assert_eq!(product.modulo(&both).unwrap().as_constant(), Some(0));
}

/// Numbers without an order that matters.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }

    /// An expression of two variables, and its value by the definition of each operation, where these are `n` and `m`.
    pub fn expression(
        &mut self,
        depth: u32,
        linear: bool,
    ) -> (DimExpr, Box<dyn Fn(i64, i64) -> i64>) {
        let kind = if depth == 0 { self.below(3) } else { 3 + self.below(7) };
        let number = self.below(9) as i64 - 3;
        match kind {
            0 => (d(0), Box::new(|n, _| n)),
            1 => (d(1), Box::new(|_, m| m)),
            2 => (DimExpr::constant(number), Box::new(move |_, _| number)),
            _ => {
                let (a, of_a) = self.expression(depth - 1, linear);
                let (b, of_b) = self.expression(depth - 1, linear);
                // The divisor is a number, or `m` and a number.
                let (by, more) = (self.below(7) as i64 + 1, i64::from(!linear));
                let divisor = d(1).times(&DimExpr::constant(more)).unwrap();
                let divisor = divisor.plus(&DimExpr::constant(by)).unwrap();
                let times = DimExpr::constant(number);
                match kind {
                    3 => (a.plus(&b).unwrap(), Box::new(move |n, m| of_a(n, m) + of_b(n, m))),
                    4 => (a.minus(&b).unwrap(), Box::new(move |n, m| of_a(n, m) - of_b(n, m))),
                    5 if linear => {
                        (a.times(&times).unwrap(), Box::new(move |n, m| of_a(n, m) * number))
                    }
                    5 => (a.times(&b).unwrap(), Box::new(move |n, m| of_a(n, m) * of_b(n, m))),
                    6 => (
                        a.floordiv(&divisor).unwrap(),
                        Box::new(move |n, m| of_a(n, m).div_euclid(by + m * more)),
                    ),
                    7 => (
                        a.modulo(&divisor).unwrap(),
                        Box::new(move |n, m| of_a(n, m).rem_euclid(by + m * more)),
                    ),
                    8 => {
                        let value = move |n, m| i64::max(of_a(n, m), of_b(n, m));
                        (a.maximum(&b).unwrap(), Box::new(value))
                    }
                    _ => {
                        let value = move |n, m| i64::min(of_a(n, m), of_b(n, m));
                        (a.minimum(&b).unwrap(), Box::new(value))
                    }
                }
            }
        }
    }
}

#[test]
fn expressions_have_the_values_of_their_definitions() {
    let mut numbers = Numbers(1);
    for _ in 0..4000 {
        let depth = 1 + numbers.below(3) as u32;
        let linear = numbers.below(2) == 0;
        let (size, value) = numbers.expression(depth, linear);
        let again = size.replaced(&|at| Some(DimExpr::variable(at)));
        for n in 0..17 {
            for m in [0, 1, 2, 3, 7, 12] {
                let at = |variable| Some(if variable == Variable::Dimension(0, 0) { n } else { m });
                assert_eq!(size.value(&at), Some(value(n, m)), "{size} at {n}, {m}");
            }
        }
        assert_eq!(again.as_ref(), Some(&size), "{size} is in normal form");
    }
}
