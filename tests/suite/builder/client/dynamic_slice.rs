//! Slices at computed start indices, which are clamped.

use strata_builder::{
    BF16, ElementType, F32, Literal, Op, PRED, Result, S8, S16, S32, S64, U8, U16, U32, U64,
};

use super::{super::build, Array, check, check_arrays};

/// A start as the host has it, which no element type bounds.
pub(super) fn scalar(element: ElementType, value: i128) -> Literal {
    let width = usize::try_from(element.byte_width()).expect("a width");
    let bytes = value.to_le_bytes()[..width].to_vec();
    Literal::from_bytes(element, &[], bytes).expect("one element")
}

/// The clamped start of a block.
pub(super) fn inside(starts: &[i128], sizes: &[usize], block: &[usize]) -> Vec<usize> {
    let parts = starts.iter().zip(sizes.iter().zip(block));
    parts.map(|(start, (size, part))| (*start).clamp(0, (size - part) as i128) as usize).collect()
}

fn cut(x: &Array, starts: &[i128], block: &[usize]) -> Array {
    let first = inside(starts, &x.sizes, block);
    Array::of(block, |index| {
        x.at(&index.iter().zip(&first).map(|(at, first)| at + first).collect::<Vec<_>>())
    })
}

/// The starts are arguments, and known when the program is compiled.
fn check_cut(
    x: &Array,
    element: ElementType,
    index: ElementType,
    starts: &[i128],
    block: &[usize],
) {
    let expected = cut(x, starts, block).literal(element);
    let case = (element, index, starts, block);
    let program = build(|b| {
        let operand = x.parameter(b, element, "x");
        let starts: Vec<Op> = starts.iter().map(|_| b.parameter(index, [], "")).collect();
        operand.dynamic_slice(&starts, &super::signed(block))
    });
    let mut arguments = vec![x.literal(element)];
    arguments.extend(starts.iter().map(|start| scalar(index, *start)));
    check(case, &program, &arguments, std::slice::from_ref(&expected));
    let program = build(|b| {
        let operand = x.parameter(b, element, "x");
        let starts: Vec<Op> =
            starts.iter().map(|start| b.constant(scalar(index, *start))).collect();
        operand.dynamic_slice(&starts, &super::signed(block))
    });
    check(case, &program, &arguments[..1], &[expected]);
}

#[test]
fn blocks_of_a_vector() {
    let x = Array::mixed(&[9], -50..51);
    for (start, size) in [(0, 4), (3, 3), (6, 3), (2, 0), (0, 9), (8, 1), (9, 0)] {
        check_cut(&x, S32, S32, &[start], &[size]);
    }
}

#[test]
fn blocks_of_a_vector_that_begin_outside() {
    let x = Array::mixed(&[9], -50..51);
    for (start, size) in [(7, 4), (9, 1), (100, 3), (-1, 2), (-9, 5), (4, 9), (-3, 0), (12, 0)] {
        check_cut(&x, F32, S32, &[start], &[size]);
    }
}

#[test]
fn blocks_of_matrices_and_cuboids() {
    let cases: [(&[usize], &[i128], &[usize]); 14] = [
        (&[4, 5], &[0, 0], &[2, 2]),
        (&[4, 5], &[1, 2], &[2, 1]),
        (&[4, 5], &[2, 3], &[2, 2]),
        (&[4, 5], &[3, 4], &[2, 2]),
        (&[4, 5], &[1, 1], &[4, 5]),
        (&[4, 5], &[-2, 1], &[3, 3]),
        (&[4, 5], &[0, 0], &[2, 0]),
        (&[4, 5], &[5, 0], &[0, 2]),
        (&[4, 5], &[2, 7], &[1, 5]),
        (&[2, 3, 4], &[0, 1, 2], &[2, 2, 1]),
        (&[2, 3, 4], &[1, -1, 9], &[1, 2, 2]),
        (&[2, 3, 4], &[0, 2, 1], &[2, 1, 4]),
        (&[3, 1, 70], &[1, 5, 33], &[2, 1, 35]),
        (&[2, 3, 2, 5], &[7, 1, -7, 2], &[1, 2, 2, 2]),
    ];
    for (sizes, starts, block) in cases {
        check_cut(&Array::mixed(sizes, -60..61), S32, S32, starts, block);
    }
}

#[test]
fn types_of_starts_and_their_limits() {
    let x = Array::mixed(&[11], -50..51);
    let limits = [
        (S8, vec![-128, -1, 5, 127]),
        (U8, vec![0, 6, 128, 255]),
        (S16, vec![-32_768, 3, 32_767]),
        (U16, vec![4, 32_768, 65_535]),
        (S32, vec![i128::from(i32::MIN), -2, 7, i128::from(i32::MAX)]),
        (U32, vec![2, 1 << 31, i128::from(u32::MAX)]),
        (S64, vec![i128::from(i64::MIN), 1 << 32, -(1 << 32), i128::from(i64::MAX)]),
        (U64, vec![3, 1 << 32, 1 << 63, i128::from(u64::MAX)]),
    ];
    for (index, starts) in limits {
        for start in starts {
            check_cut(&x, F32, index, &[start], &[4]);
        }
    }
}

#[test]
fn starts_whose_type_is_too_narrow_for_the_last_place() {
    // The last block begins at 297, which neither type can represent: 200 and 127 are ordinary
    // indices.
    let x = Array::mixed(&[300], -400..401);
    for (index, start) in [(U8, 200), (U8, 255), (S8, 127), (S8, -128), (S8, -1)] {
        check_cut(&x, S32, index, &[start], &[3]);
    }
    let y = Array::mixed(&[2, 150], -400..401);
    for (index, starts) in [(S8, [1, 126]), (S8, [127, 127]), (S8, [-1, -100]), (U8, [200, 148])] {
        check_cut(&y, S32, index, &starts, &[1, 2]);
    }
}

#[test]
fn element_types_that_are_cut() {
    let flags = Array::of(&[4, 6], |index| f64::from(u8::from((index[0] * 7 + index[1]) % 3 == 1)));
    check_cut(&flags, PRED, S32, &[1, 3], &[2, 3]);
    check_cut(&flags, PRED, S32, &[3, -1], &[3, 4]);
    for element in [BF16, S8, U16, S64] {
        check_cut(&Array::mixed(&[4, 6], 0..100), element, S64, &[2, 9], &[2, 3]);
    }
}

#[test]
fn starts_in_one_vector() {
    let x = Array::mixed(&[4, 5], -60..61);
    for starts in [[1_i32, 2], [-1, 9], [3, 0]] {
        let program = build(|b| {
            let x = x.parameter(b, F32, "x");
            x.dynamic_slice(&[b.parameter(S32, [2], "starts")], &[2, 3])
        });
        let wide = starts.map(i128::from);
        let expected = cut(&x, &wide, &[2, 3]).literal(F32);
        check(starts, &program, &[x.literal(F32), starts[..].into()], &[expected]);
    }
}

#[test]
fn starts_that_are_computed_of_the_operand() {
    // The place of a block is an element of the array that it is cut out of, twice over.
    let x = Array::of(&[8], |index| ((index[0] * 3 + 5) % 8) as f64);
    let first = x.at(&[2]) as i128;
    let second = cut(&x, &[first], &[2]).at(&[1]) as i128;
    let expected = cut(&x, &[second], &[3]);
    check_arrays(
        "chain",
        S32,
        &[&x],
        |_, p| {
            let first = p[0].slice(&[2], &[3], &[])?.reshape(&[])?;
            let pair = p[0].dynamic_slice(&[first], &[2])?;
            let second = pair.slice(&[1], &[2], &[])?.reshape(&[])?;
            p[0].dynamic_slice(&[second], &[3])
        },
        &expected,
    );
}

#[test]
fn a_block_of_a_block_is_moved_twice() {
    let x = Array::mixed(&[10, 7], -90..91);
    for (outer, inner) in [([6, 1], [3, 3]), ([-1, 9], [2, -2]), ([2, 2], [0, 1])] {
        let expected =
            cut(&cut(&x, &outer.map(i128::from), &[5, 4]), &inner.map(i128::from), &[3, 2]);
        check_arrays(
            (outer, inner),
            S32,
            &[&x],
            |b, p| {
                let starts = |list: [i32; 2]| list.map(|start| b.constant(start));
                p[0].dynamic_slice(&starts(outer), &[5, 4])?.dynamic_slice(&starts(inner), &[3, 2])
            },
            &expected,
        );
    }
}

#[test]
fn blocks_of_what_is_computed_and_computed_with() {
    // Squares are sliced at an index that depends on a sum, and the block is transposed.
    let x = Array::mixed(&[5, 6], -9..10);
    let squares = Array::of(&[5, 6], |index| x.at(index) * x.at(index));
    let start = x.values[..6].iter().sum::<f64>() as i128;
    let block = cut(&squares, &[start, 2], &[2, 3]);
    let expected = Array::of(&[3, 2], |index| block.at(&[index[1], index[0]]) - 1.0);
    let sum = strata_builder::Computation::add(S32).expect("a sum");
    check_arrays(
        "between",
        S32,
        &[&x],
        |b, p| -> Result<Op> {
            let start = p[0].slice(&[0, 0], &[1, 6], &[])?.reduce_all(0, &sum)?;
            let block = p[0].mul(&p[0])?.dynamic_slice(&[start, b.constant(2_i32)], &[2, 3])?;
            block.transpose(&[1, 0])? - 1
        },
        &expected,
    );
}
