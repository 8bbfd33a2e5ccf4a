//! Builders of what parts of values are computed with: collectives, the part of a device, masks of what is filled up.

mod ranges;

use std::cell::Cell;

use strata_ir::{
    Attribute, Builder, ChannelHandle, ComparisonDirection, Context, ElementType, OpName, Type,
    TypeExt as _, Value, bool_type, dense_bytes, dense_splat, i64s, int, integer, stablehlo,
    tensor, unit, unsigned_integer,
};

use crate::{
    grid::{Grid, shape_of},
    reshard::Step,
};

/// Builds operations at one place.
#[derive(Clone, Copy)]
pub struct Emit<'c, 'g> {
    /// The place.
    pub builder: Builder<'c>,
    /// The devices.
    pub grid: &'g Grid,
    /// The number of the last exchange: each has a channel of its own.
    pub channels: &'g Cell<i64>,
}

/// The neutral element of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    Add,
    Multiply,
    Minimum,
    Maximum,
    And,
    Or,
    Xor,
}

impl Combination {
    /// The operation that combines two elements.
    pub fn operation(self) -> OpName<'static> {
        match self {
            Self::Add => stablehlo::ADD,
            Self::Multiply => stablehlo::MULTIPLY,
            Self::Minimum => stablehlo::MINIMUM,
            Self::Maximum => stablehlo::MAXIMUM,
            Self::And => stablehlo::AND,
            Self::Or => stablehlo::OR,
            Self::Xor => stablehlo::XOR,
        }
    }

    /// The element that changes nothing; `None` where it is not known for the type.
    pub fn neutral<'c>(self, context: &'c Context, element: Type<'c>) -> Option<Attribute<'c>> {
        if element.is_int() {
            let bits = element.bit_width()?;
            let is_unsigned = element.is_unsigned_int() || bits == 1;
            let low = if is_unsigned { 0 } else { i64::MIN >> (64 - bits) };
            let high = match (is_unsigned, bits) {
                // All ones.
                (true, _) => -1,
                (false, bits) => i64::MAX >> (64 - bits),
            };
            let value = match self {
                Self::Add | Self::Or | Self::Xor => 0,
                Self::Multiply => 1,
                Self::And => -1,
                Self::Minimum => high,
                Self::Maximum => low,
            };
            // Booleans add as `or` and multiply as `and`.
            return Some(int(element, if bits == 1 { value & 1 } else { value }));
        }
        // Narrower ones may lack infinities and the sign of zero.
        let is_wide = element.is_float_type() && element.bit_width()? >= 16;
        let value = match self {
            Self::Add => -0.0,
            Self::Multiply => 1.0,
            Self::Minimum => f64::INFINITY,
            Self::Maximum => f64::NEG_INFINITY,
            Self::And | Self::Or | Self::Xor => return None,
        };
        is_wide.then(|| strata_ir::float(context, element, value))
    }
}

impl<'c> Emit<'c, '_> {
    fn context(&self) -> &'c Context {
        self.builder.context
    }

    /// `stablehlo.constant` of equal elements.
    pub fn splat(&self, ty: Type<'c>, element: Attribute<'c>) -> Value<'c> {
        let value = dense_splat(ty, element);
        self.builder.op(stablehlo::CONSTANT).attr("value", value).result(ty).value()
    }

    /// Zeros of any type; `None` where bytes are none of its elements.
    pub fn zeros(&self, ty: Type<'c>) -> Option<Value<'c>> {
        self.splat_of_bytes(ty, &vec![0; ty.element().byte_width()? as usize])
    }

    /// Elements that change no sum; `None` where the type has none.
    pub fn neutral_of_sums(&self, ty: Type<'c>) -> Option<Value<'c>> {
        self.splat_of_bytes(ty, &ElementType::from_type(ty.element())?.neutral_of_sums()?)
    }

    /// Equal elements of these bytes.
    fn splat_of_bytes(&self, ty: Type<'c>, element: &[u8]) -> Option<Value<'c>> {
        let (scalar, shape) = (tensor(&[], ty.element()), ty.shape()?);
        let value = dense_bytes(scalar, element)?;
        let one = self.builder.op(stablehlo::CONSTANT).attr("value", value).result(scalar).value();
        Some(if shape.is_empty() { one } else { self.spread(one, &shape, &[]) })
    }

    /// `broadcast_in_dim`.
    pub fn spread(&self, value: Value<'c>, shape: &[i64], dims: &[i64]) -> Value<'c> {
        self.builder
            .op(stablehlo::BROADCAST_IN_DIM)
            .operand(value)
            .attr("broadcast_dimensions", i64s(self.context(), dims))
            .result(tensor(shape, value.ty().element()))
            .value()
    }

    /// An operation on values of one type.
    pub fn same(&self, name: OpName<'c>, operands: &[Value<'c>]) -> Value<'c> {
        self.builder.op(name).operands(operands).result(operands[0].ty()).value()
    }

    /// `convert` to another element type.
    pub fn converted(&self, value: Value<'c>, element: Type<'c>) -> Value<'c> {
        let ty = value.ty().with_element(element);
        if ty == value.ty() {
            return value;
        }
        self.builder.op(stablehlo::CONVERT).operand(value).result(ty).value()
    }

    fn word(&self) -> Type<'c> {
        integer(self.context(), 64)
    }

    /// A number as `tensor<i64>`.
    pub fn number(&self, value: i64) -> Value<'c> {
        self.splat(tensor(&[], self.word()), int(self.word(), value))
    }

    /// For each device a number, as `tensor<i64>`: that of this one.
    fn own(&self, of_position: impl Fn(i64) -> i64) -> Value<'c> {
        let mut numbers = vec![0; self.grid.devices.len()];
        for (position, device) in (0..).zip(&self.grid.devices) {
            numbers[*device as usize] = of_position(position);
        }
        let bytes: Vec<_> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let ty = tensor(&[self.grid.count()], self.word());
        let table = dense_bytes(ty, &bytes).expect("as many bytes as the type has");
        let table = self.builder.op(stablehlo::CONSTANT).attr("value", table).result(ty).value();
        let id = tensor(&[], unsigned_integer(self.context(), 32));
        let id = self.builder.op(stablehlo::PARTITION_ID).result(id).value();
        let id = self.converted(id, self.word());
        let one = self.sliced(table, 0, id, 1);
        self.builder.op(stablehlo::RESHAPE).operand(one).result(tensor(&[], self.word())).value()
    }

    /// The first index of this device's part of a dimension, in which a part has `size` indices.
    pub fn first(&self, pieces: &[usize], size: i64) -> Value<'c> {
        self.own(|position| self.grid.index(position, pieces) * size)
    }

    /// For each index along pieces a number, as `tensor<i64>`: that of this device.
    pub fn along(&self, pieces: &[usize], of_index: impl Fn(i64) -> i64) -> Value<'c> {
        self.own(|position| of_index(self.grid.index(position, pieces)))
    }

    /// `dynamic_slice` of `size` indices along `dim`.
    fn sliced(&self, value: Value<'c>, dim: usize, first: Value<'c>, size: i64) -> Value<'c> {
        let mut shape = shape_of(value);
        shape[dim] = size;
        let zero = self.number(0);
        let starts: Vec<_> =
            (0..shape.len()).map(|other| if other == dim { first } else { zero }).collect();
        self.builder
            .op(stablehlo::DYNAMIC_SLICE)
            .operand(value)
            .operands(&starts)
            .attr("slice_sizes", i64s(self.context(), &shape))
            .result(tensor(&shape, value.ty().element()))
            .value()
    }

    /// `value` with `neutral` in place of what dimension `dim`, of `size` indices in all, is filled up with.
    pub fn masked(
        &self,
        value: Value<'c>,
        dim: usize,
        (pieces, size): (&[usize], i64),
        neutral: Value<'c>,
    ) -> Value<'c> {
        let shape = shape_of(value);
        if shape[dim] * self.grid.parts(pieces) == size {
            return value;
        }
        let line = tensor(&[shape[dim]], self.word());
        let along = int(self.word(), 0);
        let index =
            self.builder.op(stablehlo::IOTA).attr("iota_dimension", along).result(line).value();
        let first = self.spread(self.first(pieces, shape[dim]), &[shape[dim]], &[]);
        let index = self.same(stablehlo::ADD, &[index, first]);
        let direction = ComparisonDirection::Lt.to_attribute(self.context());
        let valid = self
            .builder
            .op(stablehlo::COMPARE)
            .operands(&[index, self.splat(line, int(self.word(), size))])
            .attr("comparison_direction", direction.expect("the dialect has it"))
            .result(line.with_element(bool_type(self.context())))
            .value();
        let valid = self.spread(valid, &shape, &[dim as i64]);
        let neutral = if shape.is_empty() { neutral } else { self.spread(neutral, &shape, &[]) };
        self.select(valid, value, neutral)
    }

    /// The term of a sum that this device has along pieces: `value` on the first one, what changes no sum on all others; `None` where the
    /// type has none.
    pub fn term(&self, value: Value<'c>, pieces: &[usize]) -> Option<Value<'c>> {
        let neutral = self.neutral_of_sums(value.ty())?;
        let index = self.own(|position| self.grid.index(position, pieces));
        let direction = ComparisonDirection::Eq.to_attribute(self.context());
        let is_first = self
            .builder
            .op(stablehlo::COMPARE)
            .operands(&[index, self.number(0)])
            .attr("comparison_direction", direction.expect("the dialect has it"))
            .result(tensor(&[], bool_type(self.context())))
            .value();
        Some(self.select(is_first, value, neutral))
    }

    fn groups(&self, groups: &[Vec<i64>]) -> Attribute<'c> {
        let width = groups.first().map_or(0, Vec::len) as i64;
        let bytes: Vec<_> = groups.iter().flatten().flat_map(|id| id.to_le_bytes()).collect();
        let ty = tensor(&[groups.len() as i64, width], self.word());
        dense_bytes(ty, &bytes).expect("groups of equal size")
    }

    fn channel(&self) -> Attribute<'c> {
        self.channels.set(self.channels.get() + 1);
        let channel = ChannelHandle { handle: self.channels.get(), kind: 1 };
        channel.to_attribute(self.context()).expect("the dialect has it")
    }

    /// A region that combines two elements.
    fn combining(&self, how: Combination, element: Type<'c>) -> strata_ir::RegionBuilder {
        let scalar = tensor(&[], element);
        self.builder.region(&[scalar, scalar], |inner, args| {
            let combined = inner.op(how.operation()).operands(args).result(scalar).value();
            inner.op(stablehlo::RETURN).operand(combined).build();
        })
    }

    /// An exchange of a value along pieces, in all replicas.
    fn exchange(
        &self,
        name: OpName<'c>,
        value: Value<'c>,
        pieces: &[usize],
    ) -> strata_ir::OpBuilder<'c> {
        self.builder
            .op(name)
            .operand(value)
            .attr("replica_groups", self.groups(&self.grid.all_groups(pieces)))
            .attr("channel_handle", self.channel())
            .attr("use_global_device_ids", unit(self.context()))
    }

    /// `all_reduce` along pieces.
    pub fn reduced(&self, value: Value<'c>, how: Combination, pieces: &[usize]) -> Value<'c> {
        self.exchange(stablehlo::ALL_REDUCE, value, pieces)
            .region(self.combining(how, value.ty().element()))
            .result(value.ty())
            .value()
    }

    /// `reduce_scatter` along pieces.
    pub fn scattered(
        &self,
        value: Value<'c>,
        how: Combination,
        dim: usize,
        pieces: &[usize],
    ) -> Value<'c> {
        let mut shape = shape_of(value);
        shape[dim] /= self.grid.parts(pieces);
        self.exchange(stablehlo::REDUCE_SCATTER, value, pieces)
            .attr("scatter_dimension", int(self.word(), dim as i64))
            .region(self.combining(how, value.ty().element()))
            .result(tensor(&shape, value.ty().element()))
            .value()
    }

    /// `value`, filled up with zeros or cut to `size` indices of a dimension; `None` where the type has no zero.
    pub fn resized(&self, value: Value<'c>, dim: usize, size: i64) -> Option<Value<'c>> {
        let mut shape = shape_of(value);
        let zero = self.zeros(tensor(&[], value.ty().element()))?;
        let more = size - shape[dim];
        let mut high = vec![0; shape.len()];
        high[dim] = more;
        shape[dim] = size;
        let none = i64s(self.context(), &vec![0; shape.len()]);
        if more > 0 {
            return Some(
                self.builder
                    .op(stablehlo::PAD)
                    .operands(&[value, zero])
                    .attr("edge_padding_low", none)
                    .attr("edge_padding_high", i64s(self.context(), &high))
                    .attr("interior_padding", none)
                    .result(tensor(&shape, value.ty().element()))
                    .value(),
            );
        }
        Some(
            self.builder
                .op(stablehlo::SLICE)
                .operand(value)
                .attr("start_indices", none)
                .attr("limit_indices", i64s(self.context(), &shape))
                .attr("strides", i64s(self.context(), &vec![1; shape.len()]))
                .result(tensor(&shape, value.ty().element()))
                .value(),
        )
    }

    /// `select`.
    fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        let select = self.builder.op(stablehlo::SELECT);
        select.operands(&[condition, yes, no]).result(yes.ty()).value()
    }

    /// What devices have along pieces, one after the other in a dimension.
    pub fn gathered(&self, value: Value<'c>, dim: usize, pieces: &[usize]) -> Value<'c> {
        let mut shape = shape_of(value);
        shape[dim] *= self.grid.parts(pieces);
        self.exchange(stablehlo::ALL_GATHER, value, pieces)
            .attr("all_gather_dim", int(self.word(), dim as i64))
            .result(tensor(&shape, value.ty().element()))
            .value()
    }

    /// What a device has after a step; `None` where the type has no zero to fill up with.
    pub fn step(&self, value: Value<'c>, step: &Step) -> Option<Value<'c>> {
        let element = value.ty().element();
        Some(match step {
            Step::Fill { dim, size } | Step::Keep { dim, size } => {
                self.resized(value, *dim, *size)?
            }
            Step::Take { dim, pieces, size } => {
                self.sliced(value, *dim, self.first(pieces, *size), *size)
            }
            Step::Gather { dim, pieces } => self.gathered(value, *dim, pieces),
            Step::Exchange { split, gather, pieces } => {
                let (mut shape, parts) = (shape_of(value), self.grid.parts(pieces));
                shape[*split] /= parts;
                shape[*gather] *= parts;
                self.builder
                    .op(stablehlo::ALL_TO_ALL)
                    .operand(value)
                    .attr("split_dimension", int(self.word(), *split as i64))
                    .attr("concat_dimension", int(self.word(), *gather as i64))
                    .attr("split_count", int(self.word(), parts))
                    .attr("replica_groups", self.groups(&self.grid.groups(pieces)))
                    .attr("channel_handle", self.channel())
                    .result(tensor(&shape, element))
                    .value()
            }
            Step::Send { pairs } => {
                let device = |position: i64| self.grid.devices[position as usize];
                let pairs: Vec<_> =
                    pairs.iter().map(|(from, to)| vec![device(*from), device(*to)]).collect();
                self.builder
                    .op(stablehlo::COLLECTIVE_PERMUTE)
                    .operand(value)
                    .attr("source_target_pairs", self.groups(&pairs))
                    .attr("channel_handle", self.channel())
                    .result(value.ty())
                    .value()
            }
        })
    }
}
