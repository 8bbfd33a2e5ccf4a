//! Stage 15: the program of one device.
//!
//! ```text
//! sdy.mesh @m = <["x"=2]>
//! func.func @main(%x : 4x6 {split along "x" in dimension 1}, %w : 6x3 {split along "x" in dimension 0}) { dot_general %x, %w : 4x3 }
//! ```
//! becomes
//! ```text
//! func.func @main(%x : 4x3, %w : 3x3) { all_reduce(dot_general %x, %w : 4x3) groups [[0, 1]] }
//! ```
//!
//! Values are split along axes of a mesh as the shardings say that follow from those of the program (`strata-sharding`; [`grid`]); sizes that are not divided are filled up, and what they are
//! filled up with takes part in no sum and no result. An operation is done on parts along those of its dimensions that
//! `strata-shapes` says are independent, or are summed ([`factors`]); along all others its operands are gathered first
//! ([`reshard`]).
//!
//! The entry keeps in `strata.shards` what its inputs and outputs are parts of.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod emit;
mod factors;
mod grid;
mod halo;
mod notes;
mod partition;
mod reshape;
mod reshard;

use std::cell::Cell;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Attribute, AttributeExt as _, Builder, Context, Module, Op, OpKind, PARTITIONS, QuantizedType,
    REPLICAS, SHARDING, SHARDING_RULE, SHARDS, SPLIT, Shard, Shards, TERMS, TensorSharding, Type,
    TypeExt as _, Value, array, diagnostic_at, dictionary, entry, func, function, int, integer,
    is_split, module_op, record_types, recorded_types, type_attr,
};
use strata_options::Options;

use crate::{
    grid::{Grid, Layout, shape_of},
    partition::{Held, Partition},
};

/// Whether the stage has anything to do for a program: [`is_split`].
pub fn applies(module: &Module<'_>) -> bool {
    is_split(module)
}

/// Makes the program that of one device.
///
/// # Errors
/// `S1103` for shardings that the partitioner cannot follow.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    let old = entry(module, options.entry.as_deref())?;
    let root = module_op(module);
    root.remove_attr(SPLIT);
    let keeps_terms = root.remove_attr(TERMS);
    strata_sharding::propagate(context, module)?;
    let grid = Grid::of(old)?;
    if !root.has_attr(PARTITIONS) {
        root.set_attr(PARTITIONS, int(integer(context, 32), grid.count()));
        root.set_attr(REPLICAS, int(integer(context, 32), 1));
    }
    let block = old
        .region(0)
        .first_block()
        .ok_or_else(|| diagnostic_at(codes::S9002, old).reason("the entry has no body"))?;
    let returned = block.terminator().map(Op::operands).unwrap_or_default();
    // What integers mean that stand for others, which an earlier stage recorded.
    let recorded = recorded_types(old);
    let layout =
        |sharding: Option<TensorSharding>, value: Value<'c>, recorded: Option<Type<'c>>| {
            let whole = Layout::whole(shape_of(value).len());
            let mut layout = sharding.map_or(whole, |one| grid.layout(&one, shape_of(value).len()));
            // A part has all scales.
            let scaled = recorded.and_then(QuantizedType::of).and_then(|ty| ty.axis);
            if let Some(pieces) = scaled.and_then(|axis| layout.0.get_mut(axis)) {
                pieces.clear();
            }
            layout
        };
    let (before, after) = recorded.clone().unwrap_or_default();
    let inputs: Vec<_> = block
        .args()
        .into_iter()
        .enumerate()
        .map(|(at, value)| {
            layout(TensorSharding::of_argument(old, at), value, before.get(at).copied())
        })
        .collect();
    let outputs: Vec<_> = returned
        .iter()
        .enumerate()
        .map(|(at, value)| {
            layout(TensorSharding::of_result(old, at), *value, after.get(at).copied())
        })
        .collect();
    let terms =
        |sharding: Option<TensorSharding>| sharding.map_or_else(Vec::new, |one| grid.terms(&one));
    let input_terms: Vec<_> =
        (0..inputs.len()).map(|at| terms(TensorSharding::of_argument(old, at))).collect();
    let output_terms: Vec<_> =
        (0..outputs.len()).map(|at| terms(TensorSharding::of_result(old, at))).collect();
    let channels = Cell::new(last_channel(old));
    let mut partition = Partition::new(context, &grid, &channels);
    let types = |values: &[Value<'c>], layouts: &[Layout]| -> Vec<Type<'c>> {
        let parts = values.iter().zip(layouts);
        parts.map(|(value, layout)| partition.part_type(value.ty(), layout)).collect()
    };
    let (input_types, output_types) = (types(&block.args(), &inputs), types(&returned, &outputs));
    let shards = Shards {
        devices: grid.all_devices(),
        replicas: grid.replicas,
        inputs: parts_of(&grid, &block.args(), &inputs, &input_terms),
        outputs: parts_of(&grid, &returned, &outputs, &output_terms),
    };
    let builder = Builder::before(context, old);
    let mut outcome = Ok(());
    let region = builder.region(&input_types, |inner, arguments| {
        let all = block.args().into_iter().zip(arguments).zip(&inputs).zip(&input_terms);
        for (((old, value), layout), terms) in all {
            let (layout, shape) = (layout.clone(), shape_of(old));
            let held = Held { value: *value, layout, shape };
            let held = partition.learn_terms(inner, old, held, terms);
            partition.learn(old, held);
        }
        outcome = partition.block(inner, block).and_then(|values| {
            let parts = values.into_iter().zip(&outputs).zip(&output_terms);
            let parts = parts.map(|((value, layout), terms)| match keeps_terms {
                true => partition.term(inner, value, layout, terms),
                false => partition.term_of_all(inner, value, layout, terms),
            });
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            inner.op(func::RETURN).operands(&parts).build();
            Ok(())
        });
    });
    outcome?;
    partition.drop_unused_sums();
    let kept: Vec<_> = old
        .attrs()
        .into_iter()
        .filter(|(name, _)| *name != "function_type")
        .map(|(name, value)| (name, without_shardings(context, name, value)))
        .collect();
    let new = builder
        .op(func::FUNC)
        .attrs(&kept)
        .attr("function_type", type_attr(function(context, &input_types, &output_types)))
        .region(region)
        .build();
    new.set_attr(
        SHARDS,
        shards.to_attribute(context).ok_or_else(|| {
            diagnostic_at(codes::S9001, new).reason("the shards of the entry cannot be written")
        })?,
    );
    if recorded.is_some() {
        let parts = |types: &[Type<'c>], recorded: &[Type<'c>]| -> Vec<Type<'c>> {
            let of = |(part, meant): (&Type<'c>, &Type<'c>)| part.with_element(meant.element());
            types.iter().zip(recorded).map(of).collect()
        };
        let (inputs, outputs) = (parts(&input_types, &before), parts(&output_types, &after));
        record_types(context, new, &inputs, &outputs);
    }
    for op in new.collect(|op| op.has_attr(SHARDING_RULE)) {
        op.remove_attr(SHARDING_RULE);
    }
    old.erase();
    for mesh in root.collect(|op| op.kind() == OpKind::SdyMesh) {
        mesh.erase();
    }
    Ok(())
}

/// Checks the contract: no operation and no attribute of a sharding is left.
///
/// # Errors
/// `S9002` naming the first operation with one.
pub fn check(module: &Module<'_>) -> Result<(), Diagnostic> {
    let mut first = Ok(());
    module_op(module).walk(strata_ir::WalkOrder::Pre, &mut |op| {
        if first.is_ok() && (op.dialect() == "sdy" || op.has_attr(SHARDING)) {
            first = Err(diagnostic_at(codes::S9002, op).reason("a sharding of it is left"));
        }
    });
    first
}

/// Tokens are left out, as they are in signatures.
fn parts_of(
    grid: &Grid,
    values: &[Value<'_>],
    layouts: &[Layout],
    terms: &[Vec<usize>],
) -> Vec<Shard> {
    let all = values.iter().zip(layouts).zip(terms);
    let pieces = |pieces: &Vec<usize>| -> Vec<(i64, i64)> {
        let piece = |piece: &usize| (grid.pieces[*piece].stride, grid.pieces[*piece].size);
        pieces.iter().map(piece).collect()
    };
    let shard = |((value, layout), terms): ((&Value<'_>, &Layout), &Vec<usize>)| Shard {
        shape: shape_of(*value),
        split: layout.0.iter().map(pieces).collect(),
        terms: pieces(terms),
    };
    all.filter(|((value, _), _)| !value.ty().is_token()).map(shard).collect()
}

/// The largest channel that the program has.
fn last_channel(func: Op<'_>) -> i64 {
    func.collect(|_| true).into_iter().map(strata_ir::channel_of).max().unwrap_or(0)
}

/// The attributes of arguments and results without shardings.
fn without_shardings<'c>(context: &'c Context, name: &str, value: Attribute<'c>) -> Attribute<'c> {
    if !matches!(name, "arg_attrs" | "res_attrs") {
        return value;
    }
    let without = |entries: Attribute<'c>| {
        let mut entries = entries.as_dictionary()?;
        entries.retain(|(name, _)| *name != SHARDING);
        dictionary(context, &entries)
    };
    let all: Option<Vec<_>> =
        value.as_array().and_then(|list| list.into_iter().map(without).collect());
    all.map_or(value, |all| array(context, &all))
}
