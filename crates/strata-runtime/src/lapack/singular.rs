//! `gesdd` and `gesvd`: the singular value decomposition.

use faer::MatRef;

use super::{
    Arguments, BadCall, Outcome,
    scalar::{Scalar, normalise},
};

/// Singular values in descending order, U and the conjugate transpose of V, all or the first of them as
/// the outputs have room; neither with mode `N`.
///
/// `info` is 1 where the iteration does not converge, as for elements that are not finite.
pub fn values<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let mut a = call.updated::<T>(0, 0, T::CODE)?;
    let mut values = call.output::<T::Part>(1, T::REAL_CODE)?;
    let mut u = call.output::<T>(2, T::CODE)?;
    let mut vt = call.output::<T>(3, T::CODE)?;
    let info = call.integers(4)?;
    let with_vectors = call.letter("mode")? != b'N';
    let (columns, rows, batches) = (a.size(0)?, a.size(1)?, a.batches(2)?);
    let (left, right) = (u.size(0)?, vt.size(1)?);
    let sizes = values.data.len() == batches * rows.min(columns)
        && info.data.len() == batches
        && (!with_vectors
            || (u.data.len() == batches * rows * left
                && vt.data.len() == batches * right * columns));
    sizes.then_some(()).ok_or(BadCall)?;
    for index in 0..batches {
        let matrix = a.batch(index, batches);
        let finite = matrix.iter().all(|one| one.finite());
        let scale = if finite { normalise(matrix) } else { T::Part::ONE };
        let view = MatRef::from_column_major_slice(matrix, rows, columns);
        let full = left > rows.min(columns) || right > rows.min(columns);
        let found = if full { view.svd() } else { view.thin_svd() };
        let Some(found) = found.ok().filter(|_| finite) else {
            info.data[index] = 1;
            continue;
        };
        info.data[index] = 0;
        for (at, value) in values.batch(index, batches).iter_mut().enumerate() {
            *value = found.S()[at].re() * scale;
        }
        if with_vectors {
            let (u, vt) = (u.batch(index, batches), vt.batch(index, batches));
            for column in 0..left {
                for row in 0..rows {
                    u[column * rows + row] = found.U()[(row, column)];
                }
            }
            for column in 0..columns {
                for row in 0..right {
                    vt[column * right + row] = found.V()[(column, row)].bar();
                }
            }
        }
    }
    Ok(())
}
