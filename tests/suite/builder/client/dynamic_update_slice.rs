//! Updates at computed start indices, which are clamped.

use strata_builder::{
    BF16, Builder, ElementType, F32, Literal, Op, PRED, Result, S8, S32, S64, U8, U32, U64,
};

use super::{
    super::build,
    Array, check, check_arrays,
    dynamic_slice::{inside, scalar},
};

/// The array with the block written over it.
fn written(x: &Array, update: &Array, starts: &[i128]) -> Array {
    let first = inside(starts, &x.sizes, &update.sizes);
    Array::of(&x.sizes, |index| {
        let part: Vec<i64> =
            index.iter().zip(&first).map(|(at, first)| *at as i64 - *first as i64).collect();
        update.inside(&part).unwrap_or_else(|| x.at(index))
    })
}

/// Updates with starts as arguments, and as constants; the operand is returned as well.
fn check_written(
    sizes: &[usize],
    block: &[usize],
    element: ElementType,
    index: ElementType,
    starts: &[i128],
) {
    let (x, update) = (Array::mixed(sizes, 0..60), Array::mixed(block, 61..120));
    let case = (sizes, block, element, index, starts);
    let expected = written(&x, &update, starts).literal(element);
    let program = build(|b| {
        let operand = x.parameter(b, element, "x");
        let update = update.parameter(b, element, "update");
        let starts: Vec<Op> = starts.iter().map(|_| b.parameter(index, [], "")).collect();
        b.tuple(&[operand.dynamic_update_slice(update, &starts)?, operand])
    });
    let mut arguments = vec![x.literal(element), update.literal(element)];
    arguments.extend(starts.iter().map(|start| scalar(index, *start)));
    check(case, &program, &arguments, &[expected.clone(), x.literal(element)]);
    let program = build(|b| {
        let starts: Vec<Op> =
            starts.iter().map(|start| b.constant(scalar(index, *start))).collect();
        let update = b.constant(update.literal(element));
        x.parameter(b, element, "x").dynamic_update_slice(update, &starts)
    });
    check(case, &program, &arguments[..1], &[expected]);
}

#[test]
fn blocks_of_a_vector() {
    for (start, size) in [(0, 3), (2, 3), (6, 3), (4, 0), (0, 9), (8, 1)] {
        check_written(&[9], &[size], F32, S32, &[start]);
    }
}

#[test]
fn blocks_that_begin_outside() {
    for (start, size) in [(7, 3), (9, 2), (-1, 2), (-40, 4), (3, 9), (11, 0)] {
        check_written(&[9], &[size], S32, S32, &[start]);
    }
    for starts in [[3, 4], [-1, 2], [2, -6], [90, 90]] {
        check_written(&[4, 5], &[2, 3], S32, S64, &starts);
    }
}

#[test]
fn blocks_of_matrices_and_cuboids() {
    let cases: [(&[usize], &[usize], &[i128]); 9] = [
        (&[4, 5], &[1, 2], &[0, 0]),
        (&[4, 5], &[1, 2], &[2, 1]),
        (&[4, 5], &[4, 1], &[0, 3]),
        (&[4, 5], &[1, 0], &[2, 1]),
        (&[2, 3, 4], &[2, 2, 2], &[0, 0, 0]),
        (&[2, 3, 4], &[1, 2, 1], &[1, 2, 3]),
        (&[2, 3, 4], &[1, 1, 4], &[0, 9, 0]),
        (&[3, 2, 37], &[2, 1, 33], &[1, 1, 3]),
        (&[2, 3, 2, 5], &[1, 3, 1, 4], &[1, 1, 1, -1]),
    ];
    for (sizes, block, starts) in cases {
        check_written(sizes, block, F32, S32, starts);
    }
}

#[test]
fn types_of_starts_and_elements() {
    for (element, index, start) in [
        (BF16, S32, 2),
        (S8, U8, 255),
        (U8, S8, -128),
        (S64, U64, i128::from(u64::MAX)),
        (F32, U64, 3),
        (S32, U32, 1 << 31),
        (S32, S64, i128::from(i64::MIN)),
        (F32, S64, i128::from(i64::MAX)),
    ] {
        check_written(&[7], &[3], element, index, &[start]);
    }
    // The last block begins where the type of the start has no number.
    check_written(&[300], &[2], S32, U8, &[255]);
    check_written(&[300], &[2], S32, S8, &[127]);
}

#[test]
fn booleans_are_written() {
    let flag = |at: usize| f64::from(u8::from(at % 3 == 1));
    let x = Array::of(&[3, 4], |index| flag(index[0] * 4 + index[1]));
    let update = Array::of(&[2, 2], |index| flag(index[0] + 2 * index[1] + 1));
    check_arrays(
        "pred",
        PRED,
        &[&x, &update],
        |b, p| p[0].dynamic_update_slice(&p[1], &[b.constant(1_i32), b.constant(7_i32)]),
        &written(&x, &update, &[1, 7]),
    );
}

#[test]
fn a_scalar_is_replaced() {
    let (x, update) = (Array::of(&[], |_| 3.0), Array::of(&[], |_| -8.0));
    check_arrays(
        "scalar",
        S32,
        &[&x, &update],
        |_, p| p[0].dynamic_update_slice(&p[1], &[]),
        &update,
    );
}

#[test]
fn a_part_of_the_array_written_over_itself() {
    // Forwards and backwards, so that copying element by element in either order would be seen.
    let x = Array::mixed(&[12], -50..51);
    for (from, to) in [(0, 2), (2, 0), (3, 4), (4, 3), (1, 9), (0, 0)] {
        let part = Array::of(&[7], |index| x.at(&[from + index[0]]));
        check_arrays(
            (from, to),
            S32,
            &[&x],
            |b, p| {
                let part = p[0].slice(&[from as i64], &[from as i64 + 7], &[])?;
                p[0].dynamic_update_slice(part, &[b.constant(to)])
            },
            &written(&x, &part, &[i128::from(to)]),
        );
    }
    let x = Array::mixed(&[6, 5], -90..91);
    for (from, to) in
        [([0_i32, 0], [1_i32, 1]), ([1, 1], [0, 0]), ([2, 0], [1, 2]), ([0, 2], [2, 1])]
    {
        let part = Array::of(&[4, 3], |index| {
            x.at(&[from[0] as usize + index[0], from[1] as usize + index[1]])
        });
        let starts = |b: &Builder, list: [i32; 2]| list.map(|start| b.constant(start));
        check_arrays(
            (from, to),
            F32,
            &[&x],
            |b, p| {
                let part = p[0].dynamic_slice(&starts(b, from), &[4, 3])?;
                p[0].dynamic_update_slice(part, &starts(b, to))
            },
            &written(&x, &part, &to.map(i128::from)),
        );
    }
}

#[test]
fn the_transposed_array_written_over_itself() {
    let x = Array::mixed(&[9], -50..51);
    let part = Array::of(&[6], |index| x.at(&[8 - index[0]]));
    check_arrays(
        "transposed",
        S32,
        &[&x],
        |b, p| {
            let part = p[0].rev(&[0])?.slice(&[0], &[6], &[])?;
            p[0].dynamic_update_slice(part, &[b.constant(2_i32)])
        },
        &written(&x, &part, &[2]),
    );
}

#[test]
fn writes_one_after_the_other_and_each_state_of_the_array() {
    let x = Array::mixed(&[10], -50..51);
    let updates =
        [Array::mixed(&[4], 60..70), Array::mixed(&[3], 70..80), Array::mixed(&[5], 80..90)];
    let starts = [1_i32, 3, 6];
    let mut states = vec![x.clone()];
    for (update, start) in updates.iter().zip(starts) {
        states.push(written(&states[states.len() - 1], update, &[i128::from(start)]));
    }
    let program = build(|b| {
        let mut ops = vec![x.parameter(b, S32, "x")];
        for (update, start) in updates.iter().zip(starts) {
            let update = update.parameter(b, S32, "");
            ops.push(ops[ops.len() - 1].dynamic_update_slice(update, &[b.constant(start)])?);
        }
        b.tuple(&ops)
    });
    let mut arguments = vec![x.literal(S32)];
    arguments.extend(updates.iter().map(|update| update.literal(S32)));
    let expected: Vec<Literal> = states.iter().map(|state| state.literal(S32)).collect();
    check("states", &program, &arguments, &expected);
}

#[test]
fn two_writes_into_the_same_array_do_not_see_each_other() {
    let x = Array::mixed(&[8], -50..51);
    let (y, z) = (Array::mixed(&[4], 60..70), Array::mixed(&[4], 70..80));
    let (one, other) = (written(&x, &y, &[1]), written(&x, &z, &[3]));
    let expected = Array::of(&[8], |index| one.at(index) - 2.0 * other.at(index));
    check_arrays(
        "two",
        F32,
        &[&x, &y, &z],
        |b, p| -> Result<Op> {
            let one = p[0].dynamic_update_slice(&p[1], &[b.constant(1_i32)])?;
            let other = p[0].dynamic_update_slice(&p[2], &[b.constant(3_i32)])?;
            one - other * 2.0
        },
        &expected,
    );
}

#[test]
fn what_is_read_before_and_after_a_write() {
    let (x, y) = (Array::mixed(&[4, 3], -30..31), Array::mixed(&[2, 3], 40..60));
    let after = written(&x, &y, &[1, 0]);
    let expected = Array::of(&[3], |index| x.at(&[2, index[0]]) * 100.0 + after.at(&[2, index[0]]));
    check_arrays(
        "row",
        S32,
        &[&x, &y],
        |b, p| -> Result<Op> {
            let starts = [b.constant(1_i32), b.constant(0_i32)];
            let after = p[0].dynamic_update_slice(&p[1], &starts)?;
            let row = |x: &Op| x.slice(&[2, 0], &[3, 3], &[])?.reshape(&[3]);
            (row(&p[0])? * 100)? + row(&after)?
        },
        &expected,
    );
}

#[test]
fn a_block_of_what_is_computed_into_an_array_of_one_number() {
    // Padding by hand: a product in the middle of an array that was a scalar.
    let (x, y) = (Array::mixed(&[2, 3], -9..10), Array::mixed(&[2, 3], -7..8));
    let product = Array::of(&[2, 3], |index| x.at(index) * y.at(index));
    let around = Array::of(&[4, 6], |_| -1.0);
    check_arrays(
        "padded",
        F32,
        &[&x, &y],
        |b, p| {
            let around = b.constant(-1.0_f32).broadcast(&[4, 6])?;
            let starts = [b.constant(1_i32), b.constant(2_i32)];
            around.dynamic_update_slice(p[0].mul(&p[1]), &starts)
        },
        &written(&around, &product, &[1, 2]),
    );
}
