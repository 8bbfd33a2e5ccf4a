//! `dot_general` and `dot` to contractions.
//!
//! Dimensions of one role that are adjacent in both operands are collapsed first, so that most dots
//! are one `linalg.matmul` or `linalg.batch_matmul`, with transposed operands expressed by their
//! indexing maps:
//!
//! ```text
//! %2 = stablehlo.dot_general %0, %1, contracting_dims = [2] x [1]
//!        : (tensor<2x5x6xf32>, tensor<7x6xf32>) -> tensor<2x5x7xf32>
//! ```
//! becomes
//! ```text
//! %l = tensor.collapse_shape %0 [[0, 1], [2]] : … into tensor<10x6xf32>
//! %m = linalg.matmul indexing_maps = [(m, n, k) -> (m, k), (n, k), (m, n)] ins(%l, %1) outs(zeros)
//! %2 = tensor.expand_shape %m [[0, 1], [2]] : tensor<10x7xf32> into tensor<2x5x7xf32>
//! ```
//!
//! If some dimensions of a role are not adjacent, those that are are collapsed, and the dot is a
//! `linalg.generic` that reads the operands in place. Sums of floats narrower than `f32` are accumulated in `f32` and rounded once.

pub(crate) mod declined;
pub(crate) mod lanes;
pub(crate) mod subwords;
pub(crate) mod widened;

use strata_ir::{
    APART, AffineMap, AttributeExt as _, Builder, Op, OpKind, OpName, Precision, Type,
    TypeExt as _, Value, arith, bounded_entry, complex, f32_type, linalg, linalg::IteratorType,
    narrow, string,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};
use strata_target::Lane;

use crate::{
    dims::{DotDims, dot_dims, shape},
    generic::{Indexed, generic},
    lowerings::{
        convert::convert,
        shape::reshape::{collapse_dims, reshape},
    },
    numbers::element::Class,
};

/// The lowering of dots.
pub struct Dot;

impl Lowering for Dot {
    fn name(&self) -> &'static str {
        "dot"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::DotGeneral, OpKind::Dot]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let numbers = match op.kind() {
            OpKind::Dot => DotDims {
                batch: [Vec::new(), Vec::new()],
                contract: [vec![shape(operands[0])?.len().saturating_sub(1)], vec![0]],
            },
            _ => dot_dims(op)?,
        };
        let types = Types::of(&builder, op)?;
        let lhs = Operand::of(operands[0], &numbers.batch[0], &numbers.contract[0])?;
        let rhs = Operand::of(operands[1], &numbers.batch[1], &numbers.contract[1])?;
        // Dimensions whose loops end at the sizes of a call stay loops of their own.
        let is_apart = op.has_attr(APART);
        let is_joined = |role: Role| match role {
            Role::Free(_) => !is_apart,
            Role::Batch(_) | Role::Contract(_) => lhs.follows(role) && rhs.follows(role),
        };
        let [lhs, rhs] = [&lhs, &rhs].map(|operand| {
            operand.joined(&builder, is_joined).or_decline("an operand has no shape")
        });
        let (lhs, rhs) = (lhs?, rhs?);
        let target = (lowerer.target(), bounded_entry(op).is_some());
        let product = match lanes::product(&builder, &lhs, &rhs, &types, target)? {
            Some(product) => product,
            None => match widened::product(&builder, &lhs, &rhs, &types)? {
                Some(product) => product,
                None => contract(&builder, &lhs, &rhs, &types)?,
            },
        };
        let result = op.result(0).ty();
        let product = reshape(&builder, product, &shape(op.result(0))?)?;
        Ok(vec![types.rounded(&builder, product, result)?])
    }
}

/// The element types of a contraction, before lowering.
pub struct Types<'c> {
    pub(crate) lhs: Type<'c>,
    pub(crate) rhs: Type<'c>,
    /// The accumulation type.
    pub sum: Type<'c>,
    pub(crate) class: Class,
    /// What the lanes of the operands hold, where elements are lanes.
    lanes: Option<[Lane; 2]>,
    /// Whether an operand is multiplied as precisely as the target can.
    pub(crate) is_precise: bool,
}

impl<'c> Types<'c> {
    /// The types of an operation on two operands.
    pub fn of(builder: &Builder<'c>, op: Op<'c>) -> Outcome<Self> {
        let result = op.result(0).ty().element();
        let class = Class::of(result).or_decline("the element type is not supported")?;
        let narrow = class == Class::Float && result.bit_width().is_some_and(|width| width < 32);
        op.attr("algorithm").is_none().or_decline("its algorithm is not resolved")?;
        Ok(Self {
            lhs: op.operand(0).ty().element(),
            rhs: op.operand(1).ty().element(),
            sum: match narrow && !strata_ir::planted("linalg-dot-narrow-sum") {
                true => f32_type(builder.context),
                false => result,
            },
            class,
            lanes: None,
            is_precise: op.attr("precision_config").and_then(|list| list.as_array()).is_some_and(
                |list| {
                    list.into_iter()
                        .any(|one| Precision::from_attribute(one) == Some(Precision::Highest))
                },
            ),
        })
    }

    /// Contractions of floats of one type.
    pub fn floats(ty: Type<'c>) -> Self {
        Self { lhs: ty, rhs: ty, sum: ty, class: Class::Float, lanes: None, is_precise: false }
    }

    /// The contraction of operands that were packed into lanes.
    pub fn of_lanes(&self, lanes: [Lane; 2]) -> Self {
        Self { lhs: self.sum, rhs: self.sum, lanes: Some(lanes), ..*self }
    }

    /// With the operands in the other order.
    pub fn swapped(&self) -> Self {
        Self { lhs: self.rhs, rhs: self.lhs, ..*self }
    }

    /// Whether MLIR's named operations have the same semantics.
    pub fn are_plain(&self) -> bool {
        let class = |ty| Class::of(ty);
        // Named operations extend real operands, not complex ones.
        let extends =
            self.class != Class::Complex || (self.lhs == self.sum && self.rhs == self.sum);
        self.lanes.is_none()
            && self.class != Class::Bool
            && self.class != Class::Unsigned
            && extends
            && class(self.lhs) == Some(self.class)
            && class(self.rhs) == Some(self.class)
    }

    /// A tensor of zeros to add to.
    pub fn zeros(&self, builder: &Builder<'c>, shape: &[i64]) -> Value<'c> {
        builder.filled(builder.number(self.sum.signless(), 0.0), shape)
    }

    /// `sum + lhs * rhs`; the arguments are lhs, rhs, sum.
    pub fn multiply_add(&self, b: &Builder<'c>, args: &[Value<'c>]) -> Outcome<Value<'c>> {
        if let Some([left, right]) = self.lanes {
            let product = b
                .op(narrow::DOT)
                .operands(&args[..2])
                .attr("left", string(b.context, left.name()))
                .attr("right", string(b.context, right.name()))
                .result(args[2].ty())
                .value();
            let add = if self.class == Class::Float { arith::ADDF } else { arith::ADDI };
            return Ok(b.same(add, &[args[2], product]));
        }
        let lhs = convert(b, args[0], self.lhs, self.sum)?;
        let rhs = convert(b, args[1], self.rhs, self.sum)?;
        let (multiply, add) = match self.class {
            Class::Bool => (arith::ANDI, arith::ORI),
            Class::Signed | Class::Unsigned => (arith::MULI, arith::ADDI),
            Class::Float => (arith::MULF, arith::ADDF),
            Class::Complex => (complex::MUL, complex::ADD),
        };
        let product = b.same(multiply, &[lhs, rhs]);
        Ok(b.same(add, &[args[2], product]))
    }

    /// The sums in the result's type.
    pub fn rounded(
        &self,
        builder: &Builder<'c>,
        sums: Value<'c>,
        result: Type<'c>,
    ) -> Outcome<Value<'c>> {
        if self.sum == result.element() {
            return Ok(sums);
        }
        let shape = shape(sums)?;
        let input = Indexed::identity(sums);
        let output = builder.empty(&shape, result.element().signless());
        let output = Indexed::identity(output);
        let rounded = generic(
            builder,
            &[input],
            &[output],
            &vec![IteratorType::Parallel; shape.len()],
            |b, args| Ok(vec![convert(b, args[0], self.sum, result.element())?]),
        )?;
        Ok(rounded[0])
    }
}

/// The role of an operand's dimension, in the order of the nest's loops except for the side of free
/// ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A pair of batching dimensions.
    Batch(usize),
    /// A dimension of the result alone.
    Free(usize),
    /// A pair of contracting dimensions.
    Contract(usize),
}

impl Role {
    /// The same role with another number.
    fn numbered(self, number: usize) -> Self {
        match self {
            Self::Batch(_) => Self::Batch(number),
            Self::Free(_) => Self::Free(number),
            Self::Contract(_) => Self::Contract(number),
        }
    }

    fn number(self) -> usize {
        match self {
            Self::Batch(number) | Self::Free(number) | Self::Contract(number) => number,
        }
    }

    fn next(self) -> Self {
        self.numbered(self.number() + 1)
    }

    /// Whether this is a later one of the same role.
    fn is_after(self, other: &Self) -> bool {
        self.numbered(0) == other.numbered(0) && self.number() > other.number()
    }
}

/// An operand with the role of each dimension; the number counts within the role.
#[derive(Clone)]
pub struct Operand<'c> {
    /// The array.
    pub value: Value<'c>,
    /// Its shape.
    pub sizes: Vec<i64>,
    /// The role of each dimension.
    pub roles: Vec<Role>,
}

impl<'c> Operand<'c> {
    fn of(value: Value<'c>, batch: &[usize], contract: &[usize]) -> Outcome<Self> {
        let sizes = shape(value)?;
        let mut free = 0;
        let roles = (0..sizes.len())
            .map(|dim| {
                let position = |list: &[usize]| list.iter().position(|other| *other == dim);
                if let Some(index) = position(batch) {
                    Role::Batch(index)
                } else if let Some(index) = position(contract) {
                    Role::Contract(index)
                } else {
                    free += 1;
                    Role::Free(free - 1)
                }
            })
            .collect();
        Ok(Self { value, sizes, roles })
    }

    /// Whether a dimension has the role after that of the dimension before it.
    fn follows(&self, role: Role) -> bool {
        self.roles.windows(2).any(|pair| pair[1] == role && pair[0].next() == role)
    }

    /// Collapses dimensions into the ones before them, where they have the next role and `is_joined`.
    fn joined(&self, builder: &Builder<'c>, is_joined: impl Fn(Role) -> bool) -> Option<Self> {
        let is_joined = |role: Role| self.follows(role) && is_joined(role);
        let mut counts: Vec<usize> = Vec::new();
        let mut kept: Vec<Role> = Vec::new();
        for role in &self.roles {
            if is_joined(*role) {
                *counts.last_mut()? += 1;
            } else {
                counts.push(1);
                kept.push(*role);
            }
        }
        // Of each role, the first ones are counted again.
        let before = |role: &Role| kept.iter().filter(|other| role.is_after(other)).count();
        let roles = kept.iter().map(|role| role.numbered(before(role))).collect();
        let value = collapse_dims(builder, self.value, &counts);
        Some(Self { value, sizes: value.ty().shape()?, roles })
    }

    /// The contracting dimension, if there is one alone.
    pub fn summed(&self) -> Option<usize> {
        let mut dims = self.roles.iter().enumerate();
        let dim = dims.find(|(_, role)| matches!(role, Role::Contract(_)))?.0;
        dims.all(|(_, role)| !matches!(role, Role::Contract(_))).then_some(dim)
    }

    fn count(&self, select: impl Fn(&Role) -> bool) -> usize {
        self.roles.iter().filter(|role| select(role)).count()
    }

    /// The sizes of the free dimensions.
    pub fn free(&self) -> Vec<i64> {
        let pairs = self.roles.iter().zip(&self.sizes);
        pairs.filter(|(role, _)| matches!(role, Role::Free(_))).map(|(_, size)| *size).collect()
    }

    /// How many vectors it has in a batch, and each of the other operand's elements uses.
    pub fn vectors(&self) -> i64 {
        self.free().iter().product()
    }

    /// The sizes of the batch dimensions, in order of their number.
    fn batch(&self) -> Vec<i64> {
        (0..self.count(|role| matches!(role, Role::Batch(_))))
            .filter_map(|index| {
                let dim = self.roles.iter().position(|role| *role == Role::Batch(index))?;
                Some(self.sizes[dim])
            })
            .collect()
    }
}

/// The nest over batch, lhs free, rhs free and contracting dimensions, in this order.
pub fn contract<'c>(
    builder: &Builder<'c>,
    lhs: &Operand<'c>,
    rhs: &Operand<'c>,
    types: &Types<'c>,
) -> Outcome<Value<'c>> {
    let (batch, m, n) = (lhs.batch(), lhs.free(), rhs.free());
    let contracted = lhs.count(|role| matches!(role, Role::Contract(_)));
    let outer = batch.len() + m.len() + n.len();
    let loops = outer + contracted;
    let dims = |operand: &Operand<'c>, free_start: usize| -> Vec<usize> {
        let dim = |role: &Role| match role {
            Role::Batch(index) => *index,
            Role::Free(index) => free_start + index,
            Role::Contract(index) => outer + index,
        };
        operand.roles.iter().map(dim).collect()
    };
    let (lhs_dims, rhs_dims) = (dims(lhs, batch.len()), dims(rhs, batch.len() + m.len()));
    let sizes: Vec<i64> = batch.iter().chain(&m).chain(&n).copied().collect();
    let inputs =
        [Indexed::by(lhs.value, loops, &lhs_dims), Indexed::by(rhs.value, loops, &rhs_dims)];
    let zeros = types.zeros(builder, &sizes);
    let output = Indexed::by(zeros, loops, &(0..outer).collect::<Vec<_>>());
    let roles = [batch.len(), m.len(), n.len(), contracted];
    if let Some(name) = named(roles, &lhs_dims, &rhs_dims)
        && types.are_plain()
    {
        return named_contraction(builder, name, inputs, output, types);
    }
    let mut kinds = vec![IteratorType::Parallel; outer];
    kinds.resize(loops, IteratorType::Reduction);
    let sums = generic(builder, &inputs, &[output], &kinds, |inner, args| {
        Ok(vec![types.multiply_add(inner, args)?])
    })?;
    Ok(sums[0])
}

/// MLIR's named operation for that many batch, lhs free, rhs free and contracting loops.
fn named(roles: [usize; 4], lhs: &[usize], rhs: &[usize]) -> Option<OpName<'static>> {
    match (roles, lhs, rhs) {
        ([0, 1, 1, 1], _, _) => Some(linalg::MATMUL),
        // Batches must stay outermost: MLIR's verifier requires it.
        ([1, 1, 1, 1], [0, ..], [0, ..]) => Some(linalg::BATCH_MATMUL),
        ([0, 1, 0, 1], [0, 1], [1]) => Some(linalg::MATVEC),
        ([0, 0, 1, 1], [1], [1, 0]) => Some(linalg::VECMAT),
        ([0, 0, 0, 1], _, _) => Some(linalg::DOT),
        _ => None,
    }
}

fn named_contraction<'c>(
    builder: &Builder<'c>,
    name: OpName<'static>,
    inputs: [Indexed<'c>; 2],
    output: Indexed<'c>,
    types: &Types<'c>,
) -> Outcome<Value<'c>> {
    let operands = [inputs[0].value, inputs[1].value, output.value];
    let elements = operands.map(|value| value.ty().element());
    let mut outcome = Ok(());
    let region = builder.region(&elements, |inner, args| match types.multiply_add(inner, args) {
        Ok(sum) => {
            linalg::yield_(inner, &[sum]).build();
        }
        Err(declined) => outcome = Err(declined),
    });
    outcome?;
    let mut op = builder.structured(name, &operands[..2], &operands[2..], region);
    if matches!(name, linalg::MATMUL | linalg::BATCH_MATMUL) {
        let maps = [&inputs[0], &inputs[1], &output].map(|operand| operand.map.clone());
        op = op.attr("indexing_maps", AffineMap::list(builder.context, &maps));
    }
    Ok(op.value())
}
