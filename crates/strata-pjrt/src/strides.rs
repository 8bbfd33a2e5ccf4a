//! Copies between arrays with strides.

use crate::failure::Failure;

/// The strides of a dense array whose dimensions are given from the densest to the sparsest, in bytes.
pub fn ordered(dims: &[i64], order: &[usize], width: usize) -> Vec<i64> {
    let mut strides = vec![0; dims.len()];
    let mut step = width as i64;
    for &dimension in order {
        strides[dimension] = step;
        step = step.saturating_mul(dims[dimension].max(1));
    }
    strides
}

/// Whether strides lead to the same places; those of dimensions of size 1 do not matter.
pub fn are_same(dims: &[i64], one: &[i64], other: &[i64]) -> bool {
    dims.contains(&0) || (0..dims.len()).all(|at| dims[at] == 1 || one[at] == other[at])
}

/// The bytes of an array.
///
/// # Errors
/// For negative sizes, and for more bytes than there are addresses.
pub fn byte_count(dims: &[i64], width: usize) -> Result<usize, Failure> {
    let wrong = || Failure::invalid(format!("an array with sizes {dims:?} cannot exist"));
    if dims.iter().any(|&size| size < 0) {
        return Err(wrong());
    }
    if dims.contains(&0) {
        return Ok(0);
    }
    let count = dims
        .iter()
        .try_fold(width, |product, &size| product.checked_mul(usize::try_from(size).ok()?));
    count.filter(|&count| isize::try_from(count).is_ok()).ok_or_else(wrong)
}

/// Calls `copy` with the offsets of each row in the two arrays and the bytes of the row: a run that is dense in both. Rows follow each
/// other as in the second array.
pub fn rows(
    dims: &[i64],
    (from, to): (&[i64], &[i64]),
    width: usize,
    copy: &mut dyn FnMut(i64, i64, usize),
) {
    if dims.contains(&0) {
        return;
    }
    let mut order: Vec<usize> = (0..dims.len()).collect();
    order.sort_by_key(|&dimension| std::cmp::Reverse(to[dimension]));
    let sorted = |all: &[i64]| order.iter().map(|&dimension| all[dimension]).collect::<Vec<_>>();
    let (dims, from, to) = (&sorted(dims)[..], &sorted(from)[..], &sorted(to)[..]);
    let (mut length, mut outer) = (width, dims.len());
    while outer > 0 {
        let fits = |strides: &[i64]| dims[outer - 1] == 1 || strides[outer - 1] == length as i64;
        if !fits(from) || !fits(to) {
            break;
        }
        outer -= 1;
        length *= dims[outer] as usize;
    }
    let mut index = vec![0; outer];
    let (mut source, mut target) = (0, 0);
    loop {
        copy(source, target, length);
        let mut at = outer;
        loop {
            if at == 0 {
                return;
            }
            at -= 1;
            index[at] += 1;
            source += from[at];
            target += to[at];
            if index[at] < dims[at] {
                break;
            }
            source -= from[at] * dims[at];
            target -= to[at] * dims[at];
            index[at] = 0;
        }
    }
}
