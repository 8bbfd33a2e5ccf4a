//! Slices: offsets, sizes and strides, each a number or an operand.

use strata_ir::{AttributeExt as _, DYNAMIC, Op};

use crate::{
    fault::{Fault, Run},
    machine::{Machine, Operand},
    prepare::{Preparer, Unsupported, numbers, unsupported},
};

/// A number of the program, or one that is known only at run time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    Known(i64),
    Computed(Operand),
}

impl Extent {
    pub fn value(self, machine: &Machine) -> Run<i64> {
        match self {
            Self::Known(value) => Ok(value),
            Self::Computed(operand) => machine.index(operand),
        }
    }
}

/// The values of a list of extents.
pub(crate) fn values(machine: &Machine, extents: &[Extent]) -> Run<Vec<i64>> {
    extents.iter().map(|extent| extent.value(machine)).collect()
}

/// The numbers of an attribute, with operands for the dynamic ones.
pub(crate) fn extents(
    op: Op<'_>,
    name: &str,
    operands: &[Operand],
) -> Result<Vec<Extent>, Unsupported> {
    let mut operands = operands.iter();
    numbers(op, name)?
        .into_iter()
        .map(|value| match value {
            DYNAMIC => match operands.next() {
                Some(operand) => Ok(Extent::Computed(*operand)),
                None => unsupported(format!("`{name}` wants more operands than there are")),
            },
            value => Ok(Extent::Known(value)),
        })
        .collect()
}

/// The slice of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    pub offsets: Vec<Extent>,
    pub sizes: Vec<Extent>,
    pub strides: Vec<Extent>,
}

/// A slice whose numbers are known.
pub(crate) struct Part {
    pub offsets: Vec<i64>,
    pub sizes: Vec<i64>,
    pub strides: Vec<i64>,
}

impl Slice {
    /// The slice of an operation whose last three groups of operands are offsets, sizes and strides.
    pub fn new<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Result<Self, Unsupported> {
        let groups = p.groups(op)?;
        let [.., offsets, sizes, strides] = &groups[..] else {
            return unsupported("its operands are in no known groups");
        };
        Ok(Self {
            offsets: extents(op, "static_offsets", offsets)?,
            sizes: extents(op, "static_sizes", sizes)?,
            strides: extents(op, "static_strides", strides)?,
        })
    }

    pub fn part(&self, machine: &Machine) -> Run<Part> {
        Ok(Part {
            offsets: values(machine, &self.offsets)?,
            sizes: values(machine, &self.sizes)?,
            strides: values(machine, &self.strides)?,
        })
    }
}

impl Part {
    /// Fails unless it is in bounds of `shape`.
    pub fn check(&self, shape: &[i64]) -> Run {
        for (dim, size) in shape.iter().enumerate() {
            let (offset, count, stride) = (self.offsets[dim], self.sizes[dim], self.strides[dim]);
            let last = offset + (count - 1) * stride;
            let is_inside = count == 0 && (0..=*size).contains(&offset)
                || count > 0 && (0..*size).contains(&offset) && (0..*size).contains(&last);
            if !is_inside {
                return Err(Fault::outside(format!(
                    "{count} elements from {offset} on by {stride} of dimension {dim}, which has {size}"
                )));
            }
        }
        Ok(())
    }

    /// The index in the source of an element of the slice.
    pub fn whole(&self, index: &[i64]) -> Vec<i64> {
        let along = self.offsets.iter().zip(&self.strides).zip(index);
        along.map(|((offset, stride), index)| offset + index * stride).collect()
    }
}

/// Which dimensions of `sizes` are left in a result of `shape`: dimensions of size 1 may be dropped.
pub(crate) fn kept(sizes: &[Extent], shape: &[i64]) -> Result<Vec<bool>, Unsupported> {
    let mut kept = Vec::new();
    let mut left = shape.iter().peekable();
    for size in sizes {
        let fits = match (size, left.peek()) {
            (Extent::Known(size), Some(wanted)) => size == *wanted,
            (Extent::Computed(_), Some(wanted)) => **wanted == DYNAMIC,
            (_, None) => false,
        };
        if fits {
            left.next();
        } else if !matches!(size, Extent::Known(1)) {
            return unsupported("its result has other dimensions than the slice");
        }
        kept.push(fits);
    }
    if left.peek().is_some() {
        return unsupported("its result has other dimensions than the slice");
    }
    Ok(kept)
}

/// The elements of `values` whose flag is set.
pub(crate) fn only<T: Copy>(values: &[T], kept: &[bool]) -> Vec<T> {
    values.iter().zip(kept).filter(|(_, kept)| **kept).map(|(value, _)| *value).collect()
}

/// The groups of dimensions in a `reassociation`.
pub(crate) fn reassociation(op: Op<'_>) -> Result<Vec<Vec<usize>>, Unsupported> {
    let groups = op.attr("reassociation").and_then(|groups| groups.as_array());
    let groups = groups.map(|groups| {
        groups
            .into_iter()
            .map(|group| Some(group.as_i64s()?.into_iter().map(|dim| dim as usize).collect()))
            .collect::<Option<Vec<Vec<usize>>>>()
    });
    match groups.flatten() {
        Some(groups) => Ok(groups),
        None => unsupported("its dimensions are in no groups"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_within_the_whole() {
        let part = |offset, size, stride| Part {
            offsets: vec![offset],
            sizes: vec![size],
            strides: vec![stride],
        };
        assert!(part(1, 3, 2).check(&[6]).is_ok());
        assert!(part(2, 3, 2).check(&[6]).is_err());
        assert!(part(-1, 1, 1).check(&[6]).is_err());
        assert!(part(6, 0, 1).check(&[6]).is_ok());
        assert_eq!(part(1, 3, 2).whole(&[2]), [5]);
    }

    #[test]
    fn dropped_dimensions_have_size_one() {
        let sizes = [Extent::Known(1), Extent::Known(5), Extent::Known(1)];
        assert_eq!(kept(&sizes, &[5, 1]).ok(), Some(vec![false, true, true]));
        assert_eq!(kept(&sizes, &[5]).ok(), Some(vec![false, true, false]));
        assert!(kept(&sizes, &[4]).is_err());
    }
}
