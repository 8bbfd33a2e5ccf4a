//! Copies of boxes of elements from one row-major array to another, in bytes.

/// A box of elements: its sizes, and the distance of neighbours along each dimension in the source and in the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Bytes of an element.
    width: usize,
    /// Dimensions of more than one element, those that are contiguous on both sides joined.
    dims: Vec<Dim>,
    /// Whether it has no element.
    is_empty: bool,
}

/// One dimension of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dim {
    /// How many elements.
    pub(crate) size: i64,
    /// From one to the next in the source, in elements.
    pub(crate) from: i64,
    /// From one to the next in the destination, in elements.
    pub(crate) to: i64,
}

impl Block {
    /// The box of these dimensions, the outermost first.
    pub(crate) fn new(width: usize, dims: &[Dim]) -> Self {
        let is_empty = dims.iter().any(|dim| dim.size <= 0);
        let mut joined: Vec<Dim> = Vec::new();
        for dim in dims.iter().copied().filter(|dim| dim.size > 1) {
            match joined.last_mut() {
                Some(last) if last.from == dim.from * dim.size && last.to == dim.to * dim.size => {
                    *last = Dim { size: last.size * dim.size, ..dim };
                }
                _ => joined.push(dim),
            }
        }
        Self { width, dims: joined, is_empty }
    }

    /// The bytes of its elements.
    pub(crate) fn bytes(&self) -> usize {
        let sizes = self.dims.iter().map(|dim| usize::try_from(dim.size).unwrap_or_default());
        if self.is_empty { 0 } else { sizes.product::<usize>().saturating_mul(self.width) }
    }

    /// Copies the elements from position `at` of `source` to position `to` of `target`; `None`, and nothing is known of the
    /// target, where one is outside of either.
    pub(crate) fn copy(
        &self,
        (source, at): (&[u8], i64),
        (target, to): (&mut [u8], i64),
    ) -> Option<()> {
        if self.is_empty {
            return Some(());
        }
        self.part(&self.dims, (source, at), (target, to))
    }

    fn part(
        &self,
        dims: &[Dim],
        (source, at): (&[u8], i64),
        (target, to): (&mut [u8], i64),
    ) -> Option<()> {
        let width = self.width;
        let place = |at: i64| usize::try_from(at).ok()?.checked_mul(width);
        match dims {
            [] => {
                let (at, to) = (place(at)?, place(to)?);
                target.get_mut(to..to + width)?.copy_from_slice(source.get(at..at + width)?);
            }
            [Dim { size, from: 1, to: 1 }] => {
                let bytes = place(*size)?;
                let (at, to) = (place(at)?, place(to)?);
                target.get_mut(to..to + bytes)?.copy_from_slice(source.get(at..at + bytes)?);
            }
            [dim, rest @ ..] => {
                for step in 0..dim.size {
                    let places = (at + step * dim.from, to + step * dim.to);
                    self.part(rest, (source, places.0), (&mut *target, places.1))?;
                }
            }
        }
        Some(())
    }
}

/// The strides of a row-major array.
pub(crate) fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * shape[dim];
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::{Block, Dim, row_major};

    #[test]
    fn contiguous_dimensions_are_one() {
        let dim = |size, from, to| Dim { size, from, to };
        let block = Block::new(4, &[dim(3, 20, 20), dim(1, 7, 9), dim(5, 4, 4), dim(4, 1, 1)]);
        assert_eq!(block.dims, [dim(60, 1, 1)]);
        let block = Block::new(4, &[dim(3, 32, 20), dim(5, 4, 4), dim(4, 1, 1)]);
        assert_eq!(block.dims, [dim(3, 32, 20), dim(20, 1, 1)]);
    }

    #[test]
    fn a_transposed_box_is_copied_and_nothing_outside_is_touched() {
        let source: Vec<u8> = (0..24).collect();
        let mut target = vec![255; 12];
        // Columns 1 and 2 of a 3x4 matrix of two bytes, transposed.
        let dims = [Dim { size: 2, from: 1, to: 3 }, Dim { size: 3, from: 4, to: 1 }];
        let done = Block::new(2, &dims).copy((&source, 1), (&mut target, 0));
        assert_eq!(done, Some(()));
        assert_eq!(target, [2, 3, 10, 11, 18, 19, 4, 5, 12, 13, 20, 21]);
        assert_eq!(Block::new(2, &dims).copy((&source, 3), (&mut target, 0)), None);
        assert_eq!(Block::new(2, &dims).copy((&source, -1), (&mut target, 0)), None);
        let none = [Dim { size: 0, from: 1, to: 1 }];
        assert_eq!(Block::new(2, &none).copy((&source, 99), (&mut target, 0)), Some(()));
        assert_eq!(row_major(&[2, 3, 4]), [12, 4, 1]);
    }
}
