//! Lowers pointwise operations to a parallel nest, with broadcasts and splats folded into maps.
//!
//! ```text
//! %b = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
//! %y = stablehlo.add %x, %b : tensor<4x8xf32>
//! ```
//! becomes one nest that reads `%bias` through the map `(d0, d1) -> (d1)`; a splat constant becomes a
//! scalar constant of the body. No broadcast is ever written to memory for a pointwise reader.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, Op, OpKind, Type, TypeExt as _, Value,
    linalg::IteratorType,
};
use strata_rewrite::{Guard as _, Lowerer, Outcome};

use crate::{
    generic::{Indexed, generic},
    lowerings::shape::reshape::keep_dims,
};

/// Computes one element of an operation's result from one element of each operand.
pub type EmitElement = for<'c> fn(Op<'c>, &Builder<'c>, &[Value<'c>]) -> Outcome<Value<'c>>;

/// Lowers a pointwise operation with one result.
pub fn lower<'c>(
    op: Op<'c>,
    operands: &[Value<'c>],
    lowerer: &Lowerer<'c>,
    emit: EmitElement,
) -> Outcome<Vec<Value<'c>>> {
    nest(op, &op.operands(), operands, lowerer, |builder, args| Ok(vec![emit(op, builder, args)?]))
}

/// A parallel nest over the results of `op`, which all have one shape; `old` are the operands before
/// and `new` those after lowering, of the results' shape or of rank 0.
pub fn nest<'c>(
    op: Op<'c>,
    old: &[Value<'c>],
    new: &[Value<'c>],
    lowerer: &Lowerer<'c>,
    body: impl FnOnce(&Builder<'c>, &[Value<'c>]) -> Outcome<Vec<Value<'c>>>,
) -> Outcome<Vec<Value<'c>>> {
    let builder = lowerer.builder();
    let shape = op.result(0).ty().shape().or_decline("the shape is not static")?;
    let results: Vec<_> = op.result_types().into_iter().map(|ty| lowerer.convert(ty)).collect();
    let sources: Vec<_> = old
        .iter()
        .zip(new)
        .map(|(old, new)| Source::of(*old, *new, shape.len(), lowerer))
        .collect();
    let mut inputs = Vec::new();
    for source in &sources {
        inputs.extend(source.input(&builder, &shape)?);
    }
    let outputs: Vec<_> =
        results.iter().map(|ty| Indexed::identity(builder.empty(&shape, ty.element()))).collect();
    generic(
        &builder,
        &inputs,
        &outputs,
        &vec![IteratorType::Parallel; shape.len()],
        |inner, args| {
            let mut next = args.iter().copied();
            let scalars = sources
                .iter()
                .map(|source| source.scalar(inner, &mut next))
                .collect::<Outcome<Vec<_>>>()?;
            body(inner, &scalars)
        },
    )
}

/// How a pointwise operation reads an operand.
pub enum Source<'c> {
    /// All elements equal this one, of that type before lowering.
    Splat(Type<'c>, Attribute<'c>),
    /// Dimension `i` of the value is indexed by loop `dims[i]`, unless its size is 1.
    Tensor(Value<'c>, Vec<usize>),
}

impl<'c> Source<'c> {
    /// Looks through broadcasts and constants.
    pub fn of(old: Value<'c>, new: Value<'c>, loops: usize, lowerer: &Lowerer<'c>) -> Self {
        let rank = old.ty().rank().unwrap_or(0);
        // A scalar operand among tensors is read by every iteration.
        let mut dims: Vec<usize> = if rank == loops { (0..rank).collect() } else { Vec::new() };
        let (mut value, mut current) = (new, old);
        while let Some(op) = current.owner() {
            match op.kind() {
                OpKind::Constant => {
                    let splat = op.attr("value").and_then(|elements| elements.splat_value());
                    if let Some(element) = splat {
                        return Self::Splat(current.ty().element(), element);
                    }
                    break;
                }
                OpKind::BroadcastInDim => {
                    let map = op.attr("broadcast_dimensions").and_then(|dims| dims.as_i64s());
                    let (Some(map), Some(source)) = (map, lowerer.lookup(op.operand(0))) else {
                        break;
                    };
                    dims = map.iter().map(|dim| dims[*dim as usize]).collect();
                    value = source;
                    current = op.operand(0);
                }
                _ => break,
            }
        }
        Self::Tensor(value, dims)
    }

    /// The input of the nest, if there is one: broadcast dimensions of size 1 are dropped.
    fn input(&self, builder: &Builder<'c>, shape: &[i64]) -> Outcome<Option<Indexed<'c>>> {
        let Self::Tensor(value, dims) = self else { return Ok(None) };
        let sizes = value.ty().shape().or_decline("the shape is not static")?;
        let kept: Vec<usize> =
            (0..sizes.len()).filter(|dim| sizes[*dim] == shape[dims[*dim]]).collect();
        let value = keep_dims(builder, *value, &kept)?;
        let dims: Vec<_> = kept.iter().map(|dim| dims[*dim]).collect();
        Ok(Some(Indexed::by(value, shape.len(), &dims)))
    }

    /// The element in the body: the next block argument or a constant.
    fn scalar(
        &self,
        builder: &Builder<'c>,
        args: &mut impl Iterator<Item = Value<'c>>,
    ) -> Outcome<Value<'c>> {
        match self {
            Self::Splat(ty, element) => Ok(builder.scalar(*ty, *element)?),
            Self::Tensor(..) => args.next().or_decline("the nest has too few inputs"),
        }
    }
}
