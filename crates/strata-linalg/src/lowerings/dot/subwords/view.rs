//! The elements of a constant in the places of another tensor's.

use strata_ir::AffineMap;

/// Sizes and strides that the index along a dimension has, from the slowest on.
type Factors = Vec<[i64; 2]>;

/// Which element of a constant each element of a tensor is, after reshapes, transposes and broadcasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    dims: Vec<Factors>,
}

impl View {
    /// The constant itself.
    pub fn whole(shape: &[i64]) -> Self {
        let stride = |dim: usize| shape[dim + 1..].iter().product();
        Self { dims: (0..shape.len()).map(|dim| vec![[shape[dim], stride(dim)]]).collect() }
    }

    /// One element in all places.
    pub fn of_scalar(shape: &[i64]) -> Self {
        Self { dims: shape.iter().map(|size| vec![[*size, 0]]).collect() }
    }

    /// As another shape of the same number of elements; `None` where a dimension would not have strides.
    pub fn reshaped(&self, shape: &[i64]) -> Option<Self> {
        let mut left: Vec<_> = self.dims.iter().flatten().rev().copied().collect();
        let mut dims = Vec::new();
        for size in shape {
            let (mut factors, mut need) = (Vec::new(), *size);
            while need > 1 {
                let [size, stride] = left.pop()?;
                if size <= need {
                    (need % size == 0).then_some(())?;
                    need /= size;
                    factors.push([size, stride]);
                } else {
                    (size % need == 0).then_some(())?;
                    let inner = size / need;
                    factors.push([need, stride * inner]);
                    left.push([inner, stride]);
                    need = 1;
                }
            }
            dims.push(factors);
        }
        left.iter().all(|[size, _]| *size == 1).then_some(Self { dims })
    }

    /// Dimension `i` is the one of number `dims[i]`.
    pub fn transposed(&self, dims: &[i64]) -> Option<Self> {
        let dim = |dim: &i64| self.dims.get(usize::try_from(*dim).ok()?).cloned();
        Some(Self { dims: dims.iter().map(dim).collect::<Option<_>>()? })
    }

    /// Of loops with these extents, which index it by `map`.
    pub fn indexed(&self, map: &AffineMap, extents: &[i64]) -> Option<Self> {
        let mut dims = Self::of_scalar(extents).dims;
        let mut seen = vec![false; extents.len()];
        for (factors, number) in self.dims.iter().zip(map.projected()?) {
            (!std::mem::replace(seen.get_mut(number)?, true)).then_some(())?;
            dims[number].clone_from(factors);
        }
        Some(Self { dims })
    }

    /// The places of the elements along a dimension, less that of the first.
    pub fn offsets(&self, dim: usize) -> Vec<usize> {
        let mut offsets = vec![0];
        for [size, stride] in &self.dims[dim] {
            let steps = |from: usize| (0..*size).map(move |at| from + (at * stride) as usize);
            offsets = offsets.into_iter().flat_map(steps).collect();
        }
        offsets
    }

    /// How many neighbours along a dimension are the same element.
    pub fn group(&self, dim: usize) -> i64 {
        let same =
            self.dims[dim].iter().rev().take_while(|[size, stride]| *stride == 0 || *size == 1);
        same.map(|[size, _]| size).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All places, the last dimension the fastest.
    fn places(view: &View) -> Vec<usize> {
        (0..view.dims.len()).fold(vec![0], |places, dim| {
            let offsets = view.offsets(dim);
            places.into_iter().flat_map(|at| offsets.iter().map(move |more| at + more)).collect()
        })
    }

    #[test]
    fn reshapes_keep_the_order() {
        let view = View::whole(&[4, 6]);
        for shape in [vec![24], vec![2, 2, 6], vec![4, 3, 2], vec![8, 3], vec![1, 4, 1, 6]] {
            let found = view.reshaped(&shape).expect("has strides");
            assert_eq!(places(&found), (0..24).collect::<Vec<_>>(), "{shape:?}");
        }
        let transposed = view.transposed(&[1, 0]).expect("two dimensions");
        assert_eq!(places(&transposed)[..5], [0, 6, 12, 18, 1]);
        assert_eq!(places(&transposed.reshaped(&[24]).expect("factors"))[..5], [0, 6, 12, 18, 1]);
        assert_eq!(transposed.reshaped(&[5, 5]), None);
        // Rows of four in columns of three.
        assert_eq!(transposed.reshaped(&[8, 3]), None);
    }

    #[test]
    fn groups_are_what_is_broadcast() {
        // [3, 5] to [3, 4, 5] to [12, 5].
        let map = AffineMap::projection(3, &[0, 2]);
        let wide = View::whole(&[3, 5]).indexed(&map, &[3, 4, 5]).expect("a broadcast");
        let joined = wide.reshaped(&[12, 5]).expect("factors");
        assert_eq!((joined.group(0), joined.group(1)), (4, 1));
        assert_eq!(joined.offsets(0), [0, 0, 0, 0, 5, 5, 5, 5, 10, 10, 10, 10]);
        assert_eq!(View::of_scalar(&[12, 5]).group(0), 12);
        // Both dimensions by one loop are a diagonal, which has no strides of its own.
        let diagonal = AffineMap::projection(1, &[0, 0]);
        assert_eq!(View::whole(&[3, 3]).indexed(&diagonal, &[3]), None);
    }
}
