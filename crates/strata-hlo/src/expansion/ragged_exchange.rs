//! The exchange of ragged rows, `custom_call @ragged_all_to_all`: its lists become 64-bit ones, which the executor's function takes. In groups of one
//! nothing is exchanged:
//!
//! ```text
//! custom_call @ragged_all_to_all(rows : 5x2, output : 7x2, from : 4, sizes : 4, to : 4, received : 4)  groups of 1
//!   row r of the result: row r - to + from of the last update with to <= r < to + size, else that of output
//! ```

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Builder, ComparisonDirection, GatherDimensionNumbers, Op, OpName, RAGGED_ALL_TO_ALL,
    TypeExt as _, Value, diagnostic_at, groups_of, i64s, int, integer, is_ragged, stablehlo,
    tensor, unsigned_integer,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    pattern::{new_splat, patterns},
};

patterns! {
    /// 64-bit lists; the rows of a group's only member.
    RaggedExchange = "ragged-exchange" on [CustomCall] by expand;
}

fn expand<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_ragged(op).or_decline("it is another call")?;
    let exchange = Ragged::of(op)?;
    let builder = rewriter.builder();
    if exchange.moves_nothing() {
        rewriter.replace(&[exchange.output]);
        return Ok(());
    }
    if exchange.members == 1 {
        rewriter.replace(&[exchange.own_rows(&builder)?]);
        return Ok(());
    }
    (!exchange.has_wide_lists()).or_decline("its lists have 64 bits")?;
    let mut operands = op.operands();
    for (place, list) in operands[2..].iter_mut().zip(exchange.lists) {
        *place = wide(&builder, list);
    }
    let copy = op.clone_detached();
    for (index, operand) in operands.into_iter().enumerate() {
        copy.set_operand(index, operand);
    }
    rewriter.replace(&builder.insert(copy).results());
    Ok(())
}

/// A list of 64-bit integers. Numbers that are too large stay so as signed ones.
fn wide<'c>(builder: &Builder<'c>, list: Value<'c>) -> Value<'c> {
    let is_unsigned = list.ty().element() == unsigned_integer(builder.context, 64);
    let list = match is_unsigned {
        true => {
            let most = builder.int_constant(list.ty(), i64::MAX);
            builder.op(stablehlo::MINIMUM).operands(&[list, most]).result(list.ty()).value()
        }
        false => list,
    };
    builder.converted(list, integer(builder.context, 64))
}

/// Whether an exchange of ragged rows is one that the next stage lowers.
///
/// # Errors
/// `S1103`.
pub(crate) fn check(op: Op<'_>) -> Result<(), Diagnostic> {
    match Ragged::of(op) {
        Ok(exchange) if exchange.has_wide_lists() => Ok(()),
        _ => Err(refused(op)),
    }
}

/// The error for an exchange that is left.
fn refused(op: Op<'_>) -> Diagnostic {
    let reason = Ragged::of(op).err();
    diagnostic_at(codes::S1103, op)
        .reason(reason.unwrap_or_else(|| "its operands are not what it exchanges".to_owned()))
        .hint("operands are rows, output, and four lists of integers with as many entries for each member of a group: input offsets, send sizes, output offsets, receive sizes")
}

struct Ragged<'c> {
    input: Value<'c>,
    output: Value<'c>,
    output_shape: Vec<i64>,
    /// Where rows begin, how many they are, where they are written.
    lists: [Value<'c>; 3],
    /// The rows of a member.
    rows: i64,
    members: i64,
    /// The entries of a list for each member.
    updates: i64,
}

impl<'c> Ragged<'c> {
    /// # Errors
    /// What is wrong with the operation, in words.
    fn of(op: Op<'c>) -> Result<Self, String> {
        let operands = op.operands();
        let [input, output, from, sizes, to, received] = operands[..] else {
            return Err(format!("`{RAGGED_ALL_TO_ALL}` has 6 operands, and it {}", operands.len()));
        };
        if op.result_types() != [output.ty()] {
            return Err("its result has not the type of its output operand".to_owned());
        }
        let shape = |value: Value<'_>| {
            let shape = value.ty().shape().filter(|_| value.ty().has_static_shape());
            shape.ok_or_else(|| format!("the sizes of `{}` are not known", value.ty()))
        };
        let (rows, output_shape, list) = (shape(input)?, shape(output)?, shape(from)?);
        if rows.is_empty()
            || rows.get(1..) != output_shape.get(1..)
            || input.ty().element() != output.ty().element()
        {
            return Err(format!("rows of `{}` are none of `{}`", input.ty(), output.ty()));
        }
        let groups = groups_of(op)?;
        let members = groups.first().map_or(1, Vec::len) as i64;
        if let Some(other) = groups.iter().find(|group| group.len() as i64 != members) {
            return Err(format!("groups have {members} and {} members", other.len()));
        }
        let entries: i64 = list.iter().product();
        for other in [from, sizes, to, received] {
            if shape(other)? != list || !other.ty().element().is_int() {
                return Err(format!(
                    "its lists are not integers of one shape: `{}` and `{}`",
                    from.ty(),
                    other.ty()
                ));
            }
        }
        if entries % members != 0 {
            return Err(format!(
                "{entries} entries of its lists are not as many for each of {members} members"
            ));
        }
        Ok(Self {
            input,
            output,
            rows: rows[0],
            output_shape,
            lists: [from, sizes, to],
            members,
            updates: entries / members,
        })
    }

    /// Whether no row is sent, or none is written.
    fn moves_nothing(&self) -> bool {
        let sizes = [self.rows, self.updates];
        sizes.contains(&0) || self.output_shape.contains(&0)
    }

    fn has_wide_lists(&self) -> bool {
        self.lists.iter().all(|list| {
            let element = list.ty().element();
            element.is_int() && element.bit_width() == Some(64) && !element.is_unsigned_int()
        })
    }

    /// The result for the only member of a group.
    fn own_rows(&self, builder: &Builder<'c>) -> Outcome<Value<'c>> {
        let word = integer(builder.context, 64);
        let (count, entries) = (self.output_shape[0], self.updates);
        let lists = self.lists.map(|list| builder.reshaped(wide(builder, list), &[entries]));
        // A row for each row of the output, a column for each entry of the lists.
        let table = [count, entries];
        let ty = tensor(&table, word);
        let number = |value: i64| builder.int_constant(ty, value);
        let same = |name: OpName<'c>, operands: [Value<'c>; 2]| {
            builder.op(name).operands(&operands).result(operands[0].ty()).value()
        };
        let [from, size, to] = lists.map(|list| builder.broadcast_in_dim(list, &table, &[1]));
        let place = same(stablehlo::SUBTRACT, [builder.iota(&table, word, 0), to]);
        let source = same(stablehlo::ADD, [place, from]);
        let (at_least, below) = (ComparisonDirection::Ge, ComparisonDirection::Lt);
        let zero = number(0);
        // Rows that the sender has not are not sent. No difference or sum of what passes the tests before it overflows.
        let tests = [
            builder.compare(at_least, to, zero)?,
            builder.compare(at_least, place, zero)?,
            builder.compare(below, place, size)?,
            builder.compare(at_least, from, zero)?,
            builder.compare(below, from, number(self.rows))?,
            builder.compare(below, source, number(self.rows))?,
        ];
        let is_sent = tests
            .into_iter()
            .reduce(|all, one| same(stablehlo::AND, [all, one]))
            .or_decline("no test")?;
        // The update is in the upper digits: the last one that sends a row wins.
        let own = self.rows;
        let entry = builder.iota(&table, word, 1);
        let key = same(stablehlo::ADD, [source, same(stablehlo::MULTIPLY, [entry, number(own)])]);
        let key = builder.selected(is_sent, key, number(-1));
        let scalar = tensor(&[], word);
        let region = builder.region(&[scalar, scalar], |inner, args| {
            let largest = inner.op(stablehlo::MAXIMUM).operands(args).result(scalar).value();
            inner.returned(&[largest]);
        });
        let line = tensor(&[count], word);
        let last = builder
            .op(stablehlo::REDUCE)
            .operands(&[key, new_splat(builder, scalar, int(word, -1))])
            .attr("dimensions", i64s(builder.context, &[1]))
            .result(line)
            .region(region)
            .value();
        let is_written = builder.compare(at_least, last, builder.int_constant(line, 0))?;
        let row = same(
            stablehlo::REMAINDER,
            [
                same(stablehlo::MAXIMUM, [last, builder.int_constant(line, 0)]),
                builder.int_constant(line, own),
            ],
        );
        let rows = self.taken_rows(builder, row)?;
        let is_written = builder.broadcast_in_dim(is_written, &self.output_shape, &[0]);
        Ok(builder.selected(is_written, rows, self.output))
    }

    /// The rows at these indices.
    fn taken_rows(&self, builder: &Builder<'c>, indices: Value<'c>) -> Outcome<Value<'c>> {
        let rank = self.output_shape.len() as i64;
        let numbers = GatherDimensionNumbers {
            offset_dims: (1..rank).collect(),
            collapsed_slice_dims: vec![0],
            operand_batching_dims: Vec::new(),
            start_indices_batching_dims: Vec::new(),
            start_index_map: vec![0],
            index_vector_dim: 1,
        };
        let numbers =
            numbers.to_attribute(builder.context).or_decline("the dimensions do not fit")?;
        Ok(builder
            .op(stablehlo::GATHER)
            .operands(&[self.input, indices])
            .attr("dimension_numbers", numbers)
            .attr("slice_sizes", i64s(builder.context, &[&[1], &self.output_shape[1..]].concat()))
            .result(self.output.ty())
            .value())
    }
}
