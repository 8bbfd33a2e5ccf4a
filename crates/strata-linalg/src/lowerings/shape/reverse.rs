//! `reverse` to a nest that reads backwards: `(d0) -> (size - 1 - d0)`.
//!
//! In programs for sizes up to bounds the valid elements come after zeros before they are reversed:
//! ```text
//! %w = stablehlo.pad %x, %zero, low = [128], high = [0] : tensor<128xf32> -> tensor<256xf32>
//! %v = stablehlo.dynamic_slice %w, %s, sizes = [128]
//! %r = stablehlo.reverse %v, dims = [0]
//! ```
//! becomes
//! ```text
//! %r = linalg.generic {
//!   %inside = arith.cmpi slt, linalg.index 0, %s
//!   %at = arith.select %inside, %s - 1 - linalg.index 0, 0
//!   %e = tensor.extract %x[%at]
//!   linalg.yield (arith.select %inside, %e, %zero)
//! }
//! ```

use strata_ir::{
    AffineExpr, Builder, Op, OpKind, TypeExt as _, Value, arith, linalg::IteratorType,
};
use strata_rewrite::{Lowerer, Lowering, Outcome};

use crate::{
    dims::{dims, ints, shape},
    generic::{Indexed, generic, loop_index},
    lowerings::gather_scatter::gather::clamped,
};

/// The lowering of `reverse`.
pub struct Reverse;

impl Lowering for Reverse {
    fn name(&self) -> &'static str {
        "reverse"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Reverse]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let reversed = dims(op, "dimensions")?;
        let builder = lowerer.builder();
        if let Some(moved) = Moved::of(op, &reversed, lowerer) {
            return Ok(vec![moved.reversed(&builder, &reversed)?]);
        }
        Ok(vec![reverse(&builder, operands[0], &reversed)?])
    }
}

/// `value` backwards along dimensions `reversed`.
pub fn reverse<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    reversed: &[usize],
) -> Outcome<Value<'c>> {
    let sizes = shape(value)?;
    let exprs: Vec<_> = (0..sizes.len())
        .map(|dim| match reversed.contains(&dim) && sizes[dim] > 1 {
            true => {
                let last = if strata_ir::planted("linalg-reverse") {
                    sizes[dim] - 2
                } else {
                    sizes[dim] - 1
                };
                AffineExpr::dim(dim) * -1 + last.max(0)
            }
            false => AffineExpr::dim(dim),
        })
        .collect();
    let input = Indexed::at(value, sizes.len(), exprs);
    let output = Indexed::identity(builder.empty(&sizes, value.ty().element()));
    let loops = vec![IteratorType::Parallel; sizes.len()];
    Ok(generic(builder, &[input], &[output], &loops, |_, args| Ok(vec![args[0]]))?[0])
}

/// An operand whose first elements along some of the reversed dimensions come after others, which are all the same.
struct Moved<'c> {
    source: Value<'c>,
    fill: Value<'c>,
    /// For each dimension how many elements come first in the source; `None` for all.
    counts: Vec<Option<Value<'c>>>,
}

impl<'c> Moved<'c> {
    fn of(op: Op<'c>, reversed: &[usize], lowerer: &Lowerer<'c>) -> Option<Self> {
        let slice = op.operand(0).owner().filter(|op| op.kind() == OpKind::DynamicSlice)?;
        let pad = slice.operand(0).owner().filter(|op| op.kind() == OpKind::Pad)?;
        let sizes = pad.operand(0).ty().shape()?;
        let amounts = |name| ints(pad, name).ok();
        let is_zero = |list: Vec<i64>| list.iter().all(|amount| *amount == 0);
        let is_before =
            is_zero(amounts("edge_padding_high")?) && is_zero(amounts("interior_padding")?);
        (is_before && slice.result(0).ty().shape()? == sizes).then_some(())?;
        let mut counts = Vec::new();
        for (dim, low) in amounts("edge_padding_low")?.into_iter().enumerate() {
            counts.push(match low {
                0 => None,
                low => {
                    let start = slice.operand(1 + dim);
                    let is_signed = !start.ty().element().is_unsigned_int();
                    (low == sizes[dim] && reversed.contains(&dim) && is_signed).then_some(())?;
                    Some(lowerer.lookup(start)?)
                }
            });
        }
        let (source, fill) = (lowerer.lookup(pad.operand(0))?, lowerer.lookup(pad.operand(1))?);
        counts.iter().any(Option::is_some).then_some(Self { source, fill, counts })
    }

    fn reversed(&self, builder: &Builder<'c>, reversed: &[usize]) -> Outcome<Value<'c>> {
        let sizes = shape(self.source)?;
        let fill = builder.extract(self.fill, &[]);
        let count = |(count, size): (&Option<Value<'c>>, &i64)| {
            count.map(|count| clamped(builder, builder.extract(count, &[]), *size, true))
        };
        let counts: Vec<_> = self.counts.iter().zip(&sizes).map(count).collect();
        let output = Indexed::identity(builder.empty(&sizes, self.source.ty().element()));
        let loops = vec![IteratorType::Parallel; sizes.len()];
        let nest = generic(builder, &[], &[output], &loops, |inner, _| {
            let mut all: Option<Value<'c>> = None;
            let mut places = Vec::new();
            for (dim, size) in sizes.iter().enumerate() {
                let at = loop_index(inner, dim);
                if !reversed.contains(&dim) || *size < 2 {
                    places.push(at);
                    continue;
                }
                let length = counts[dim].unwrap_or_else(|| inner.index(*size));
                let back = inner.same(arith::SUBI, &[inner.offset(length, -1), at]);
                if counts[dim].is_none() {
                    places.push(back);
                    continue;
                }
                let inside = inner.cmpi(arith::CmpIPredicate::Slt, at, length);
                places.push(inner.select(inside, back, inner.index(0)));
                all = Some(all.map_or(inside, |all| inner.same(arith::ANDI, &[all, inside])));
            }
            let element = inner.extract(self.source, &places);
            Ok(vec![all.map_or(element, |all| inner.select(all, element, fill))])
        })?;
        Ok(nest[0])
    }
}
