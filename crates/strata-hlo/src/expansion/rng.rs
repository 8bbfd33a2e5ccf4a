//! Expands `rng` to `rng_bit_generator`, with a counter threaded through the program.
//!
//! ```text
//! %x = rng %a, %b, shape, distribution = UNIFORM : tensor<5xf32>
//! ```
//! becomes
//! ```text
//! %state, %bits = rng_bit_generator [0, %counter], algorithm = THREE_FRY : (tensor<2xui64>, tensor<5xui64>)
//! %unit = convert(%bits >> 11) * 2^-53 : tensor<5xf64>
//! %x = %a + (%b - %a) * %unit, rounded to f32
//! %counter = %state[1]                         used by the next `rng`
//! ```
//!
//! An object keeps no state, so that every call of it draws the same numbers: block `i` of ThreeFry 2x32 with
//! the key 0, from block 0 on, in program order; loops and branches carry the counter. An element takes 64
//! bits, a normal distribution twice as many (Box-Muller).

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Attribute, Block, Builder, Context, Op, OpKind, OpName, RegionBuilder, RngAlgorithm,
    RngDistribution, Type, TypeExt as _, Value, bool_type, diagnostic_at, f64_type, float, i64s,
    int, parse_attr, stablehlo, tensor, unsigned_integer,
};

use crate::pattern::new_splat;

/// Expands every `rng` in `func`.
///
/// # Errors
/// `S1201` if it is in a region that cannot carry the counter, or if its distribution is not defined for its
/// type.
pub fn expand<'c>(context: &'c Context, func: Op<'c>) -> Result<(), Diagnostic> {
    if !draws(func) {
        return Ok(());
    }
    let Some(block) = func.region(0).first_block() else { return Ok(()) };
    let builder = Builder::at_start(context, block, func.location());
    let counter = new_splat(&builder, word(context), int(word(context).element(), 0));
    expand_block(context, block, counter).map(|_| ())
}

fn draws(op: Op<'_>) -> bool {
    !op.collect(|op| op.kind() == OpKind::Rng).is_empty()
}

/// `tensor<ui64>`.
fn word(context: &Context) -> Type<'_> {
    tensor(&[], unsigned_integer(context, 64))
}

/// Expands a block and returns the counter after it.
fn expand_block<'c>(
    context: &'c Context,
    block: Block<'c>,
    mut counter: Value<'c>,
) -> Result<Value<'c>, Diagnostic> {
    for op in block.ops() {
        let kind = op.kind();
        if kind == OpKind::Rng {
            let draw = Draw::of(context, op)?;
            let (value, next) = draw.build(counter)?;
            op.result(0).replace_all_uses_with(value);
            op.erase();
            counter = next;
        } else if op.region_count() > 0 && draws(op) {
            counter = match kind {
                OpKind::While if !draws_in(op, 0) => carry(context, op, counter, true)?,
                OpKind::If | OpKind::Case => carry(context, op, counter, false)?,
                _ => {
                    return Err(diagnostic_at(codes::S1201, op).reason(
                        "`stablehlo.rng` is drawn from in a region that carries no state",
                    ));
                }
            };
        }
    }
    Ok(counter)
}

fn draws_in(op: Op<'_>, region: usize) -> bool {
    let blocks = op.region(region).blocks();
    blocks.iter().flat_map(|block| block.ops()).any(draws)
}

/// Adds the counter to the results of an operation with regions; for a loop also to the operands.
fn carry<'c>(
    context: &'c Context,
    op: Op<'c>,
    counter: Value<'c>,
    is_loop: bool,
) -> Result<Value<'c>, Diagnostic> {
    for (index, region) in op.regions().into_iter().enumerate() {
        let Some(block) = region.first_block() else { continue };
        let start = if is_loop { block.add_arg(word(context), op.location()) } else { counter };
        if is_loop && index == 0 {
            continue;
        }
        let end = expand_block(context, block, start)?;
        if let Some(terminator) = block.terminator() {
            let mut operands = terminator.operands();
            operands.push(end);
            Builder::before(context, terminator).op(stablehlo::RETURN).operands(&operands).build();
            terminator.erase();
        }
    }
    let mut operands = op.operands();
    if is_loop {
        operands.push(counter);
    }
    let mut types = op.result_types();
    types.push(word(context));
    let builder = Builder::before(context, op);
    let mut new = builder.op(op.name()).operands(&operands).attrs(&op.attrs()).results(&types);
    for region in op.regions() {
        new = new.region(RegionBuilder::take(region));
    }
    let new = new.build();
    for (old, result) in op.results().into_iter().zip(new.results()) {
        old.replace_all_uses_with(result);
    }
    op.erase();
    Ok(new.result(new.result_count() - 1))
}

/// The expansion of one `rng`.
struct Draw<'c> {
    op: Op<'c>,
    b: Builder<'c>,
    ty: Type<'c>,
    shape: Vec<i64>,
}

impl<'c> Draw<'c> {
    fn of(context: &'c Context, op: Op<'c>) -> Result<Self, Diagnostic> {
        let ty = op.result(0).ty();
        let shape = ty.shape().filter(|_| ty.has_static_shape()).ok_or_else(|| {
            diagnostic_at(codes::S1101, op).reason("its shape is known only at run time")
        })?;
        Ok(Self { op, b: Builder::before(context, op), ty, shape })
    }

    /// The numbers, and the counter after them.
    fn build(&self, counter: Value<'c>) -> Result<(Value<'c>, Value<'c>), Diagnostic> {
        let distribution =
            self.op.attr("rng_distribution").and_then(RngDistribution::from_attribute);
        let element = self.ty.element();
        match distribution {
            Some(RngDistribution::Uniform) if element.is_float_type() => self.uniform(counter),
            Some(RngDistribution::Normal) if element.is_float_type() => self.normal(counter),
            Some(RngDistribution::Uniform) if element == bool_type(self.b.context) => {
                self.coins(counter)
            }
            Some(RngDistribution::Uniform) if element.is_int() => self.integers(counter),
            _ => Err(self.refused("the distribution is not defined for this type")),
        }
    }

    fn refused(&self, reason: &str) -> Diagnostic {
        diagnostic_at(codes::S1201, self.op).reason(reason)
    }

    fn apply(&self, name: OpName<'static>, operands: &[Value<'c>]) -> Value<'c> {
        self.b.op(name).operands(operands).result(operands[0].ty()).value()
    }

    fn convert(&self, value: Value<'c>, element: Type<'c>) -> Value<'c> {
        if value.ty().element() == element {
            return value;
        }
        let ty = value.ty().with_element(element);
        self.b.op(stablehlo::CONVERT).operand(value).result(ty).value()
    }

    fn splat(&self, like: Value<'c>, value: f64) -> Value<'c> {
        let ty = like.ty();
        let value: Attribute<'c> = match ty.element().is_int() {
            true => int(ty.element(), value as i64),
            false => float(self.b.context, ty.element(), value),
        };
        new_splat(&self.b, ty, value)
    }

    /// Operand `index`, a scalar, broadcast and converted to `element`.
    fn bound(&self, index: usize, element: Type<'c>) -> Value<'c> {
        let scalar = self.convert(self.op.operand(index), element);
        let ty = self.ty.with_element(element);
        let broadcast = self.b.op(stablehlo::BROADCAST_IN_DIM).operand(scalar);
        broadcast.attr("broadcast_dimensions", i64s(self.b.context, &[])).result(ty).value()
    }

    fn compare(
        &self,
        direction: &str,
        lhs: Value<'c>,
        rhs: Value<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let text = format!("#stablehlo<comparison_direction {direction}>");
        let direction = parse_attr(self.b.context, &text)
            .ok_or_else(|| self.refused("a comparison cannot be written"))?;
        let ty = lhs.ty().with_element(bool_type(self.b.context));
        let compare = self.b.op(stablehlo::COMPARE).operands(&[lhs, rhs]);
        Ok(compare.attr("comparison_direction", direction).result(ty).value())
    }

    fn slice(&self, value: Value<'c>, starts: &[i64], limits: &[i64]) -> Value<'c> {
        let sizes: Vec<_> = starts.iter().zip(limits).map(|(low, high)| high - low).collect();
        self.b
            .op(stablehlo::SLICE)
            .operand(value)
            .attr("start_indices", i64s(self.b.context, starts))
            .attr("limit_indices", i64s(self.b.context, limits))
            .attr("strides", i64s(self.b.context, &vec![1; starts.len()]))
            .result(tensor(&sizes, value.ty().element()))
            .value()
    }

    fn reshape(&self, value: Value<'c>, shape: &[i64]) -> Value<'c> {
        let ty = tensor(shape, value.ty().element());
        self.b.op(stablehlo::RESHAPE).operand(value).result(ty).value()
    }

    /// 64 random bits for each element of `shape`, and the next counter.
    fn bits(
        &self,
        counter: Value<'c>,
        shape: &[i64],
    ) -> Result<(Value<'c>, Value<'c>), Diagnostic> {
        let element = unsigned_integer(self.b.context, 64);
        let key = new_splat(&self.b, tensor(&[1], element), int(element, 0));
        let algorithm = RngAlgorithm::ThreeFry
            .to_attribute(self.b.context)
            .ok_or_else(|| self.refused("the generator cannot be named"))?;
        let state_type = tensor(&[2], element);
        let state = self
            .b
            .op(stablehlo::CONCATENATE)
            .operands(&[key, self.reshape(counter, &[1])])
            .attr("dimension", int(strata_ir::integer(self.b.context, 64), 0))
            .result(state_type)
            .value();
        let drawn = self
            .b
            .op(stablehlo::RNG_BIT_GENERATOR)
            .operand(state)
            .attr("rng_algorithm", algorithm)
            .results(&[state_type, tensor(shape, element)])
            .build();
        let next = self.reshape(self.slice(drawn.result(0), &[1], &[2]), &[]);
        Ok((drawn.result(1), next))
    }

    /// Multiples of 2^-53 in [0, 1), in `f64`.
    fn unit(&self, bits: Value<'c>) -> Value<'c> {
        let high = self.apply(stablehlo::SHIFT_RIGHT_LOGICAL, &[bits, self.splat(bits, 11.0)]);
        let whole = self.convert(high, f64_type(self.b.context));
        self.apply(stablehlo::MULTIPLY, &[whole, self.splat(whole, 2f64.powi(-53))])
    }

    fn uniform(&self, counter: Value<'c>) -> Result<(Value<'c>, Value<'c>), Diagnostic> {
        let wide = f64_type(self.b.context);
        let (bits, next) = self.bits(counter, &self.shape)?;
        let (low, high) = (self.bound(0, wide), self.bound(1, wide));
        let range = self.apply(stablehlo::SUBTRACT, &[high, low]);
        let scaled = self.apply(stablehlo::MULTIPLY, &[range, self.unit(bits)]);
        let value = self.apply(stablehlo::ADD, &[low, scaled]);
        let element = self.ty.element();
        let value = self.convert(value, element);
        let (low, high) = (self.bound(0, element), self.bound(1, element));
        // Rounding may reach the bound, which is excluded.
        let reaches = self.compare("GE", value, high)?;
        let select = self.b.op(stablehlo::SELECT).operands(&[reaches, low, value]);
        Ok((select.result(self.ty).value(), next))
    }

    fn normal(&self, counter: Value<'c>) -> Result<(Value<'c>, Value<'c>), Diagnostic> {
        let mut pairs = self.shape.clone();
        pairs.push(2);
        let (bits, next) = self.bits(counter, &pairs)?;
        let unit = self.unit(bits);
        let part = |index: i64| {
            let (mut starts, mut limits) = (vec![0; pairs.len()], pairs.clone());
            if let (Some(start), Some(limit)) = (starts.last_mut(), limits.last_mut()) {
                (*start, *limit) = (index, index + 1);
            }
            self.reshape(self.slice(unit, &starts, &limits), &self.shape)
        };
        let (first, second) = (part(0), part(1));
        // One minus the number is never zero, which has no logarithm.
        let rest = self.apply(stablehlo::SUBTRACT, &[self.splat(first, 1.0), first]);
        let log = self.apply(stablehlo::LOG, &[rest]);
        let scaled = self.apply(stablehlo::MULTIPLY, &[self.splat(log, -2.0), log]);
        let radius = self.apply(stablehlo::SQRT, &[scaled]);
        let angle = self.splat(second, std::f64::consts::TAU);
        let angle = self.apply(stablehlo::MULTIPLY, &[angle, second]);
        let cosine = self.apply(stablehlo::COSINE, &[angle]);
        let wide = f64_type(self.b.context);
        let (mean, deviation) = (self.bound(0, wide), self.bound(1, wide));
        let length = self.apply(stablehlo::MULTIPLY, &[deviation, radius]);
        let offset = self.apply(stablehlo::MULTIPLY, &[length, cosine]);
        let value = self.apply(stablehlo::ADD, &[mean, offset]);
        Ok((self.convert(value, self.ty.element()), next))
    }

    fn integers(&self, counter: Value<'c>) -> Result<(Value<'c>, Value<'c>), Diagnostic> {
        let wide = unsigned_integer(self.b.context, 64);
        let (bits, next) = self.bits(counter, &self.shape)?;
        let (low, high) = (self.bound(0, wide), self.bound(1, wide));
        let range = self.apply(stablehlo::SUBTRACT, &[high, low]);
        let range = self.apply(stablehlo::MAXIMUM, &[range, self.splat(range, 1.0)]);
        let offset = self.apply(stablehlo::REMAINDER, &[bits, range]);
        let value = self.apply(stablehlo::ADD, &[low, offset]);
        Ok((self.convert(value, self.ty.element()), next))
    }

    fn coins(&self, counter: Value<'c>) -> Result<(Value<'c>, Value<'c>), Diagnostic> {
        let (bits, next) = self.bits(counter, &self.shape)?;
        let lowest = self.apply(stablehlo::AND, &[bits, self.splat(bits, 1.0)]);
        let element = self.ty.element();
        let coin = self.convert(lowest, element);
        let (low, high) = (self.bound(0, element), self.bound(1, element));
        let fixed = self.compare("EQ", low, high)?;
        let select = self.b.op(stablehlo::SELECT).operands(&[fixed, low, coin]);
        Ok((select.result(self.ty).value(), next))
    }
}
