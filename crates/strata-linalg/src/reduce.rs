//! `reduce` to `linalg.reduce` with the region inlined, and `map` to a parallel nest.
//!
//! ```text
//! %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
//!        : (tensor<5x3xf32>, tensor<f32>) -> tensor<5xf32>
//! ```
//! becomes
//! ```text
//! %f = linalg.fill ins(%z) outs(…) -> tensor<5xf32>
//! %1 = linalg.reduce ins(%0) outs(%f) dimensions = [1]
//!        (%x: f32, %sum: f32) { linalg.yield (arith.addf %sum, %x) }
//! ```

use strata_ir::{AttributeExt as _, Block, Builder, Op, OpKind, Type, TypeExt as _, Value, i64s};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    arg_extremum::ArgExtremum, convert::convert, dims::ints, element::Class, emit::Emit as _,
    pointwise, scalar,
};

/// A region that combines accumulators with elements, and the types around it.
pub struct Combiner<'c> {
    block: Block<'c>,
    elements: Vec<Type<'c>>,
    /// The element types of the accumulators, before lowering.
    pub accumulators: Vec<Type<'c>>,
}

impl<'c> Combiner<'c> {
    /// The first region of `op`, whose operands are inputs and as many initial values.
    pub fn of(op: Op<'c>) -> Outcome<Self> {
        let block = op.region(0).first_block().or_decline("its region is empty")?;
        let inputs = op.operand_count() / 2;
        (block.arg_count() == 2 * inputs).or_decline("the region's arguments do not match")?;
        let element = |value: &Value<'c>| value.ty().element();
        let elements = op.operands()[..inputs].iter().map(element).collect();
        let accumulators = op.results().iter().map(element).collect();
        Ok(Self { block, elements, accumulators })
    }

    /// The accumulators after `elements`, one per input, were taken in.
    pub fn combine(
        &self,
        builder: &Builder<'c>,
        accumulators: &[Value<'c>],
        elements: &[Value<'c>],
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let types = self.elements.iter().zip(&self.accumulators);
        let elements = types
            .zip(elements)
            .map(|((from, to), element)| convert(builder, *element, *from, *to))
            .collect::<Outcome<Vec<_>>>()?;
        let args: Vec<_> = accumulators.iter().copied().chain(elements).collect();
        scalar::inline(self.block, builder, &args, lowerer)
    }

    /// The initial value of accumulator `index`, of rank 0, as a scalar of the accumulator's type.
    pub fn initial(
        &self,
        builder: &Builder<'c>,
        op: Op<'c>,
        operands: &[Value<'c>],
        index: usize,
    ) -> Outcome<Value<'c>> {
        let position = self.elements.len() + index;
        let from = op.operand(position).ty().element();
        let scalar = builder.extract(operands[position], &[]);
        convert(builder, scalar, from, self.accumulators[index])
    }

    /// Whether the only initial value is a constant that leaves every element as it is.
    pub fn starts_neutral(&self, op: Op<'c>) -> bool {
        let [element] = self.accumulators[..] else { return false };
        let initial = (0..4).try_fold(op.operand(1), |value, _| match value.owner() {
            Some(owner) if matches!(owner.kind(), OpKind::BroadcastInDim | OpKind::Reshape) => {
                Ok(owner.operand(0))
            }
            owner => Err(owner),
        });
        let Err(Some(constant)) = initial else { return false };
        let Some(value) = constant.attr("value").and_then(|value| value.splat_value()) else {
            return false;
        };
        let (Some(kind), Some(class)) = (self.single_op(), Class::of(element)) else {
            return false;
        };
        match class {
            Class::Float => value.as_f64().is_some_and(|value| match kind {
                OpKind::Add => value == 0.0,
                OpKind::Multiply => value == 1.0,
                OpKind::Maximum => value == f64::NEG_INFINITY,
                OpKind::Minimum => value == f64::INFINITY,
                _ => false,
            }),
            Class::Signed | Class::Unsigned => value.as_i64().is_some_and(|value| match kind {
                OpKind::Add | OpKind::Or | OpKind::Xor => value == 0,
                OpKind::Multiply => value == 1,
                OpKind::And => value == -1,
                OpKind::Maximum => class == Class::Signed && value == least(element),
                OpKind::Minimum => class == Class::Signed && value == !least(element),
                _ => false,
            }),
            _ => false,
        }
    }

    /// The only operation of a region such as `stablehlo.add(%0, %1)` on its two arguments.
    pub fn single_op(&self) -> Option<OpKind> {
        let [op, end] = self.block.ops()[..] else { return None };
        let args = self.block.args();
        let [a, b] = op.operands()[..] else { return None };
        let combines = args.len() == 2 && args.contains(&a) && args.contains(&b) && a != b;
        (combines && end.operands() == op.results()).then(|| op.kind())
    }
}

/// The least value of a signed integer type.
fn least(ty: Type<'_>) -> i64 {
    i64::MIN >> (64 - ty.bit_width().unwrap_or(64))
}

/// The lowering of `reduce`.
pub struct Reduce;

impl Lowering for Reduce {
    fn name(&self) -> &'static str {
        "reduce"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Reduce]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let mut dimensions = ints(op, "dimensions")?;
        dimensions.sort_unstable();
        let combiner = Combiner::of(op)?;
        let count = operands.len() / 2;
        if dimensions.is_empty() {
            // Every element is combined with the initial value once.
            let old = op.operands();
            return pointwise::nest(op, &old, operands, lowerer, |inner, args| {
                combiner.combine(inner, &args[count..], &args[..count], lowerer)
            });
        }
        if let Some(arg) = ArgExtremum::of(op) {
            return arg.build(&builder, op, operands[0]);
        }
        let mut outputs = Vec::new();
        for (index, result) in op.results().into_iter().enumerate() {
            let shape = result.ty().shape().or_decline("the shape is not static")?;
            let initial = combiner.initial(&builder, op, operands, index)?;
            outputs.push(builder.filled(initial, &shape));
        }
        reduce(&builder, &operands[..count], &outputs, &dimensions, |inner, sums, elements| {
            combiner.combine(inner, sums, elements, lowerer)
        })
    }
}

/// `linalg.reduce` of `inputs` into `outputs`; `body` gets accumulators and elements.
pub fn reduce<'c>(
    builder: &Builder<'c>,
    inputs: &[Value<'c>],
    outputs: &[Value<'c>],
    dimensions: &[i64],
    body: impl FnOnce(&Builder<'c>, &[Value<'c>], &[Value<'c>]) -> Outcome<Vec<Value<'c>>>,
) -> Outcome<Vec<Value<'c>>> {
    let elements: Vec<_> = inputs.iter().chain(outputs).map(|value| value.ty().element()).collect();
    let mut outcome = Ok(());
    let region = builder.region(&elements, |inner, args| {
        let (elements, accumulators) = args.split_at(inputs.len());
        match body(inner, accumulators, elements) {
            Ok(results) => {
                inner.op("linalg.yield").operands(&results).build();
            }
            Err(declined) => outcome = Err(declined),
        }
    });
    outcome?;
    let types: Vec<_> = outputs.iter().map(|value| value.ty()).collect();
    Ok(builder
        .op("linalg.reduce")
        .operands(inputs)
        .operands(outputs)
        .attr("dimensions", i64s(builder.context, dimensions))
        .results(&types)
        .region(region)
        .build()
        .results())
}

/// `map`: its region is the body of a parallel nest.
pub struct Map;

impl Lowering for Map {
    fn name(&self) -> &'static str {
        "map"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Map]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let block = op.region(0).first_block().or_decline("its region is empty")?;
        pointwise::nest(op, &op.operands(), operands, lowerer, |inner, args| {
            scalar::inline(block, inner, args, lowerer)
        })
    }
}
