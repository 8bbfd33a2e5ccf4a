use strata_shapes::{Bound, DimExpr, Variable};

use super::buffers::{grows, with_more};

#[test]
fn buffers_of_sizes_before_a_bound_are_its_own() {
    let own = |sizes: &[u64]| Bound { symbol: 0, sizes: sizes.to_vec(), buffers: sizes.to_vec() };
    let more = with_more(&own(&[1, 2, 8, 64]), vec![1, 2, 7, 8, 63, 64]);
    assert_eq!(more.buffers, [1, 2, 8, 8, 64, 64]);
    assert_eq!((more.buffer(63), more.buffer(2)), (64, 2));
    // Called with one size only.
    let more = with_more(&own(&[8, 10]), vec![8, 9, 10]);
    assert_eq!(more.buffers, [8, 9, 10]);
}

#[test]
fn sizes_grow_with_their_symbols() {
    let s = DimExpr::variable(Variable::Symbol(0));
    let number = DimExpr::constant;
    let bounds = |most| [Bound { symbol: 0, sizes: vec![8, 16, most], buffers: vec![8, 16, most] }];
    let quotient = s.floordiv(&number(4)).unwrap();
    let rounded = quotient.times(&number(4)).unwrap();
    for size in [number(3), s.clone(), s.minus(&number(4)).unwrap(), quotient, rounded] {
        assert!(grows(&size, &bounds(30)), "{size}");
    }
    let rest = s.modulo(&number(4)).unwrap();
    let less = number(100).minus(&s).unwrap();
    for size in [rest, less] {
        assert!(!grows(&size, &bounds(30)), "{size}");
    }
    // As many elements as rounded up to 2: 9 have 10, and so have 10.
    let even = s.plus(&s.modulo(&number(2)).unwrap()).unwrap();
    assert!(grows(&even, &bounds(1 << 30)));
    // Up to 8 elements there are more at 7, and beyond more at an odd number than at the next bound.
    let odd = s.plus(&s.modulo(&number(2)).unwrap().times(&number(3)).unwrap()).unwrap();
    assert!(!grows(&odd, &bounds(1 << 30)));
    let all: Vec<u64> = (1..=8).collect();
    let exact = [Bound { symbol: 0, sizes: all.clone(), buffers: all }];
    assert!(grows(&odd, &exact));
}
