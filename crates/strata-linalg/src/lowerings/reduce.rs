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

pub(crate) mod arg_extremum;

use strata_ir::{
    AttributeExt as _, Block, Builder, ComparisonDirection as Direction, ElementType, Op, OpKind,
    OpName, Type, TypeExt as _, Value, arith, i64s, integer, linalg, linalg::IteratorType,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    dims::{ints, shape},
    generic::{Indexed, generic},
    loops::{accumulate, for_nest, insert},
    lowerings::{convert::convert, reduce::arg_extremum::ArgExtremum},
    numbers::element::Class,
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

    /// The accumulators after combining `elements`, one per input.
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

    /// Tensors for the results that hold the initial values.
    pub fn filled(
        &self,
        builder: &Builder<'c>,
        op: Op<'c>,
        operands: &[Value<'c>],
    ) -> Outcome<Vec<Value<'c>>> {
        let filled = |(index, result): (usize, Value<'c>)| {
            let initial = self.initial(builder, op, operands, index)?;
            Ok(builder.filled(initial, &shape(result)?))
        };
        op.results().into_iter().enumerate().map(filled).collect()
    }

    /// Whether the region can be the body of a nest.
    pub fn is_on_scalars(&self) -> bool {
        scalar::on_scalars(self.block)
    }

    /// Whether the only initial value is a neutral constant.
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
        if element.is_float_type() && self.is_log_add().is_some() {
            return value.as_f64() == Some(f64::NEG_INFINITY);
        }
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

    /// Whether the region is the logarithm of a sum of exponentials, `max(a, b) + log1p(exp(-|a - b|))`, or `a + b`
    /// if the difference is NaN.
    fn is_log_add(&self) -> Option<()> {
        let args = self.block.args();
        let of = |value: Value<'c>, kind| value.owner().filter(|op| op.kind() == kind);
        let of_both = |op: &Op<'c>| op.operands() == args;
        let [chosen] = self.block.terminator()?.operands()[..] else { return None };
        let [is_nan, plain, sum] = of(chosen, OpKind::Select)?.operands()[..] else { return None };
        let sum = of(sum, OpKind::Add)?;
        of(sum.operand(0), OpKind::Maximum).filter(of_both)?;
        let mut rest = sum.operand(1);
        for kind in [OpKind::LogPlusOne, OpKind::Exponential, OpKind::Negate, OpKind::Abs] {
            rest = of(rest, kind)?.operand(0);
        }
        of(rest, OpKind::Subtract).filter(of_both)?;
        of(plain, OpKind::Add).filter(of_both)?;
        let compare = of(is_nan, OpKind::Compare)?;
        let direction = compare.attr("comparison_direction").and_then(Direction::from_attribute)?;
        (direction == Direction::Ne && compare.operands() == [rest, rest]).then_some(())
    }

    /// The order of 16-bit floats as integers, if the region is their maximum or minimum.
    fn narrow_extremum(&self) -> Option<Order> {
        let ([from], [to]) = (&self.elements[..], &self.accumulators[..]) else { return None };
        let narrow = from == to && from.is_float_type() && from.bit_width() == Some(16);
        match self.single_op().filter(|_| narrow)? {
            OpKind::Maximum => Some(Order::Maximum),
            OpKind::Minimum => Some(Order::Minimum),
            _ => None,
        }
    }

    /// Whether the region adds floats, or complex numbers of them.
    pub fn adds_floats(&self) -> bool {
        let class = match self.accumulators[..] {
            [element] => Class::of(element),
            _ => None,
        };
        self.single_op() == Some(OpKind::Add)
            && matches!(class, Some(Class::Float | Class::Complex))
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

/// An order of 16-bit floats in which integers compare, as `maximum` and `minimum` have it: -0 before +0, NaN at the end that wins.
///
/// Without its sign a number is in the order of its bits; those of negative ones are complemented. Then NaN with a sign are the least
/// integers, those without are the greatest. The distance between the greatest integer and infinity brings both to one end, because
/// integers wrap around.
#[derive(Clone, Copy)]
enum Order {
    Maximum,
    Minimum,
}

impl Order {
    /// The operation on keys.
    fn of_keys(self) -> OpName<'static> {
        match self {
            Self::Maximum => arith::MAXSI,
            Self::Minimum => arith::MINSI,
        }
    }

    /// The names of the operations that move NaN to one end, and back.
    fn moves(self) -> [OpName<'static>; 2] {
        match self {
            Self::Maximum => [arith::SUBI, arith::ADDI],
            Self::Minimum => [arith::ADDI, arith::SUBI],
        }
    }

    /// The integers between infinity and the greatest one.
    fn distance(float: Type<'_>) -> i64 {
        let is_bf16 = ElementType::from_type(float) == Some(ElementType::BFloat16);
        if is_bf16 { 0x7fff - 0x7f80 } else { 0x7fff - 0x7c00 }
    }

    /// The place of a number in the order.
    fn key<'c>(self, b: &Builder<'c>, number: Value<'c>) -> Value<'c> {
        let ty = integer(b.context, 16);
        let distance = b.int(ty, Self::distance(number.ty()));
        let flipped = Self::flipped(b, b.cast(arith::BITCAST, number, ty));
        b.same(self.moves()[0], &[flipped, distance])
    }

    /// The number at a place.
    fn number<'c>(self, b: &Builder<'c>, key: Value<'c>, float: Type<'c>) -> Value<'c> {
        let distance = b.int(key.ty(), Self::distance(float));
        let flipped = b.same(self.moves()[1], &[key, distance]);
        b.cast(arith::BITCAST, Self::flipped(b, flipped), float)
    }

    /// The bits but for the sign, complemented if that is set.
    fn flipped<'c>(b: &Builder<'c>, bits: Value<'c>) -> Value<'c> {
        let [last, others] = [15, 0x7fff].map(|number| b.int(bits.ty(), number));
        let sign = b.same(arith::SHRSI, &[bits, last]);
        let complement = b.same(arith::ANDI, &[sign, others]);
        b.same(arith::XORI, &[bits, complement])
    }
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
        if !combiner.is_on_scalars() {
            return by_loops(&builder, op, operands, &dimensions, &combiner, lowerer);
        }
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
        if let Some(order) = combiner.narrow_extremum() {
            let key = integer(builder.context, 16);
            let x = converted(&builder, operands[0], key, |b, x| order.key(b, x))?;
            let initial = combiner.initial(&builder, op, operands, 0)?;
            let shape = op.result(0).ty().shape().or_decline("the shape is not static")?;
            let output = builder.filled(order.key(&builder, initial), &shape);
            let body = |b: &Builder<'c>, sums: &[Value<'c>], elements: &[Value<'c>]| {
                Ok(vec![b.same(order.of_keys(), &[elements[0], sums[0]])])
            };
            let extreme = reduce(&builder, &[x], &[output], &dimensions, body)?[0];
            let narrow = initial.ty();
            let extreme = converted(&builder, extreme, narrow, |b, x| order.number(b, x, narrow))?;
            return Ok(vec![extreme]);
        }
        let outputs = combiner.filled(&builder, op, operands)?;
        reduce(&builder, &operands[..count], &outputs, &dimensions, |inner, sums, elements| {
            combiner.combine(inner, sums, elements, lowerer)
        })
    }
}

/// A reduction by a region that cannot be the body of a nest.
fn by_loops<'c>(
    builder: &Builder<'c>,
    op: Op<'c>,
    operands: &[Value<'c>],
    dimensions: &[i64],
    combiner: &Combiner<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let inputs = &operands[..operands.len() / 2];
    let outputs = combiner.filled(builder, op, operands)?;
    let sizes = shape(inputs[0])?;
    let positions = |_: &Builder<'c>, at: &[Value<'c>]| {
        let kept = (0..at.len()).filter(|dim| !dimensions.contains(&(*dim as i64)));
        [at.to_vec(), kept.map(|dim| at[dim]).collect()]
    };
    accumulate(builder, &sizes, [inputs, &outputs], &positions, &|b, sums, elements| {
        combiner.combine(b, sums, elements, lowerer)
    })
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
                inner.op(linalg::YIELD).operands(&results).build();
            }
            Err(declined) => outcome = Err(declined),
        }
    });
    outcome?;
    let types: Vec<_> = outputs.iter().map(|value| value.ty()).collect();
    Ok(builder
        .op(linalg::REDUCE)
        .operands(inputs)
        .operands(outputs)
        .attr("dimensions", i64s(builder.context, dimensions))
        .results(&types)
        .region(region)
        .build()
        .results())
}

/// `x` with elements of type `to`, each converted by `cast`.
pub fn converted<'c>(
    b: &Builder<'c>,
    x: Value<'c>,
    to: Type<'c>,
    cast: impl FnOnce(&Builder<'c>, Value<'c>) -> Value<'c>,
) -> Outcome<Value<'c>> {
    if x.ty().element() == to {
        return Ok(x);
    }
    let sizes = shape(x)?;
    let result = Indexed::identity(b.empty(&sizes, to));
    let loops = vec![IteratorType::Parallel; sizes.len()];
    let body = |b: &Builder<'c>, args: &[Value<'c>]| Ok(vec![cast(b, args[0])]);
    Ok(generic(b, &[Indexed::identity(x)], &[result], &loops, body)?[0])
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
        if !scalar::on_scalars(block) {
            let builder = lowerer.builder();
            let to = lowerer.convert(op.result(0).ty());
            let sizes = shape(op.result(0))?;
            let result = builder.empty(&sizes, to.element());
            return for_nest(&builder, &sizes, &[result], &mut |b, at, carried| {
                let args: Vec<_> = operands.iter().map(|value| b.extract(*value, at)).collect();
                let element = scalar::inline(block, b, &args, lowerer)?[0];
                Ok(vec![insert(b, element, carried[0], at)])
            });
        }
        pointwise::nest(op, &op.operands(), operands, lowerer, |inner, args| {
            scalar::inline(block, inner, args, lowerer)
        })
    }
}
