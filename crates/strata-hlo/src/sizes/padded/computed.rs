//! Sizes that values set: each is a symbol whose value the program computes, and outputs of such a size have their shape beside
//! them.
//!
//! ```text
//! %1 = set_dimension_size %x, %n          %1 = %x with zeros from %n on
//! return %1 : tensor<?xf32>         =>    return %1, [%n] : tensor<8xf32>, tensor<1xi64>
//! ```

use strata_ir::{
    AttributeExt as _, Builder, Context, DYNAMIC, Op, OpKind, SHAPES, Type, TypeExt as _, Value,
    array, dictionary, dimension_bounds, func, i64s, integer, program_names, stablehlo, string,
    tensor,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{DimExpr, Interval, Variable};

use super::{Padded, Padding, extent::Extent};
use crate::emit::Emit as _;

/// A list of numbers is followed through no more operations.
const DEEPEST: usize = 32;

/// A symbol whose value was computed.
pub struct Computed<'c> {
    /// The operation that has the size.
    pub op: Op<'c>,
    /// The element of the value that it is.
    source: (Value<'c>, usize),
    /// The symbol, and its largest value.
    size: DimExpr,
    most: i64,
}

/// The largest size of a dimension of an operation's only result, by its type.
pub fn typed_bound(op: Op<'_>, dim: usize) -> Option<i64> {
    dimension_bounds(op.result(0).ty())?.get(dim).copied().flatten()
}

/// The value that an element of a list of integers is computed as.
fn source<'c>(mut list: Value<'c>, mut at: usize) -> (Value<'c>, usize) {
    for _ in 0..DEEPEST {
        let Some(op) = list.owner() else { break };
        let next = match op.kind() {
            OpKind::Reshape | OpKind::Convert => Some((op.operand(0), at)),
            OpKind::BroadcastInDim if op.operand(0).ty().element_count() == Some(1) => {
                Some((op.operand(0), 0))
            }
            OpKind::Concatenate => {
                let mut place = at;
                op.operands().into_iter().find_map(|part| {
                    let count = part.ty().element_count()? as usize;
                    let found = (place < count).then_some((part, place));
                    place = place.wrapping_sub(count);
                    found
                })
            }
            _ => None,
        };
        let Some(next) = next.filter(|(value, _)| value.ty().element().is_int()) else { break };
        (list, at) = next;
    }
    (list, at)
}

/// Whether the block of `first`, which was converted before, holds `second` or an operation around it.
fn precedes<'c>(first: Op<'c>, second: Op<'c>) -> bool {
    let around = std::iter::successors(Some(second), |op| op.parent());
    first.block().is_some_and(|block| around.into_iter().any(|op| op.block() == Some(block)))
}

impl<'c> Padding<'c> {
    /// The size that element `at` of a list of integers says: an expression of symbols where the program computes it from sizes,
    /// else a symbol of at most `most`.
    pub fn size_in(
        &mut self,
        op: Op<'c>,
        builder: &Builder<'c>,
        (list, at): (Value<'c>, usize),
        most: i64,
    ) -> Outcome<DimExpr> {
        let source = source(list, at);
        // An operation that encloses this one, or comes before it in the same block, has the value already.
        let known = self
            .computed
            .iter()
            .find(|known| known.source == source && known.most == most && precedes(known.op, op));
        if let Some(known) = known {
            return Ok(known.size.clone());
        }
        let number = self.element(builder, list, at)?;
        let number = self.within(builder, number, most);
        Ok(self.symbol(op, source, number, most))
    }

    /// A symbol for what `number` says; one outside of 0 to `most` is the nearest of these.
    pub fn size_of(
        &mut self,
        op: Op<'c>,
        builder: &Builder<'c>,
        number: Value<'c>,
        most: i64,
    ) -> DimExpr {
        let within = self.within(builder, number, most);
        self.symbol(op, (within, 0), within, most)
    }

    fn within(&self, builder: &Builder<'c>, number: Value<'c>, most: i64) -> Value<'c> {
        let number = self.wide_positions(builder, number);
        let number = builder.same(stablehlo::MAXIMUM, &[number, builder.counter(0)]);
        builder.same(stablehlo::MINIMUM, &[number, builder.counter(most)])
    }

    fn symbol(
        &mut self,
        op: Op<'c>,
        source: (Value<'c>, usize),
        number: Value<'c>,
        most: i64,
    ) -> DimExpr {
        self.scalars.push(Some(number));
        let variable = Variable::Symbol(self.scalars.len() - 1);
        self.walk.domain.set(variable, Interval { low: Some(0), high: Some(most) });
        let size = DimExpr::variable(variable);
        self.computed.push(Computed { op, source, size: size.clone(), most });
        size
    }

    /// An output of type `ty` with zeros where it is not valid, and its shape as a list of 64-bit integers.
    pub fn shaped_output(
        &self,
        builder: &Builder<'c>,
        padded: &Padded<'c>,
        ty: Type<'c>,
    ) -> Outcome<(Value<'c>, Value<'c>)> {
        let all: Vec<usize> = (0..padded.dims.len()).collect();
        let value = self.clean(builder, padded, &all)?;
        let own = value.ty().shape().or_decline("the output has no rank")?;
        let (sizes, bounds) = (ty.shape().unwrap_or_default(), dimension_bounds(ty));
        let declared = |dim: usize| {
            let size = sizes.get(dim).copied().filter(|size| *size != DYNAMIC);
            size.or_else(|| bounds.as_ref()?.get(dim).copied().flatten()).unwrap_or(own[dim])
        };
        let shape: Vec<i64> = all.iter().map(|dim| declared(*dim)).collect();
        let value = self.resized(builder, value, &shape, None)?;
        let number = |(dim, extent): (usize, &Extent)| {
            let mut number = self.number(builder, &Self::size(extent)?)?;
            if shape[dim] < own[dim] {
                number = builder.same(stablehlo::MINIMUM, &[number, builder.counter(shape[dim])]);
            }
            Ok(builder.reshaped(number, &[1]))
        };
        let numbers = padded.dims.iter().enumerate().map(number).collect::<Outcome<Vec<_>>>()?;
        let ty = tensor(&[numbers.len() as i64], integer(self.context, 64));
        let list = builder.op(stablehlo::CONCATENATE).operands(&numbers);
        let list = list.attr("dimension", strata_ir::int(integer(self.context, 64), 0));
        Ok((value, list.result(ty).value()))
    }
}

/// Returns shapes after the results of the function: those of the outputs with the given numbers.
pub fn return_shapes<'c>(
    context: &'c Context,
    function: Op<'c>,
    shapes: &[(usize, Value<'c>)],
) -> Outcome {
    let end = function.region(0).first_block().and_then(|block| block.terminator());
    let end = end.or_decline("the function does not return")?;
    let (count, inputs) = (end.operand_count(), function.region(0).first_block());
    let inputs = inputs.map(|block| block.args().len()).unwrap_or_default();
    let [_, names] = program_names(function, inputs, count);
    let mut attributes = function.attr("res_attrs").and_then(|list| list.as_array());
    let none = dictionary(context, &[]).or_decline("an attribute cannot be made")?;
    let list = attributes.get_or_insert_default();
    list.resize(count, none);
    let mut returned = end.operands();
    for (output, shape) in shapes {
        let name = names.get(*output).filter(|name| !name.is_empty());
        let name =
            name.map_or_else(|| format!("output{output}_shape"), |name| format!("{name}.shape"));
        let name = [("jax.result_info", string(context, &name))];
        list.push(dictionary(context, &name).or_decline("an attribute cannot be made")?);
        returned.push(*shape);
    }
    function.set_attr("res_attrs", array(context, list));
    let numbers: Vec<i64> = shapes.iter().map(|(output, _)| *output as i64).collect();
    function.set_attr(SHAPES, i64s(context, &numbers));
    Builder::before(context, end).op(func::RETURN).operands(&returned).build();
    end.erase();
    Ok(())
}
