//! Functions of the symbols beside the entry: stage `llvm` exports them, and its wrappers call them.
//!
//! ```mlir
//! func.func private @main.violation(%symbols: memref<2xi64>) -> i32           // the first condition that is violated, or -1
//! func.func private @main.workspace_size(%symbols: memref<2xi64>) -> i64      // where none is
//! func.func private @main.symbols(%dims: memref<5xi64>, %symbols: memref<2xi64>)
//! func.func private @main.input_shapes(%symbols: memref<2xi64>, %dims: memref<5xi64>)
//! func.func private @main.output_shapes(%symbols: memref<2xi64>, %dims: memref<3xi64>)
//! ```
//! Dimensions are those of all tensors, one after the other.

use strata_ir::{Builder, Type, Value, arith, func, function, index, integer, memref, scf};
use strata_shapes::{DimExpr, Helper, Variable};

use super::{
    Version,
    entry::{Chosen, Dispatcher, evaluate},
    sizes::{Sizes, read, sum},
};

/// Emits all of them.
pub fn emit<'c>(at: &Builder<'c>, dispatcher: &Dispatcher<'_, 'c>) {
    let shapes = &dispatcher.all.shapes;
    let list = |count: usize| memref(&[count as i64], integer(at.context, 64));
    let count = |shapes: &[Vec<DimExpr>]| shapes.iter().map(Vec::len).sum::<usize>();
    let symbols = list(shapes.symbols.len());
    let (inputs, outputs) = (list(count(&shapes.inputs)), list(count(&shapes.outputs)));
    let word = integer(at.context, 64);
    let define = |helper,
                  inputs: &[Type<'c>],
                  result: Option<Type<'c>>,
                  fill: &dyn Fn(&Builder<'c>, &[Value<'c>]) -> Option<Value<'c>>| {
        let body = at.region(inputs, |builder, arguments| {
            let result = fill(builder, arguments);
            func::return_(builder, result.as_slice()).build();
        });
        let results: Vec<_> = result.into_iter().collect();
        let ty = function(at.context, inputs, &results);
        let name = Helper::name(helper, dispatcher.name);
        func::func(at, &name, ty, body).sym_visibility("private").build();
    };
    define(Helper::Violation, &[symbols], Some(integer(at.context, 32)), &|builder, arguments| {
        Some(violation(builder, dispatcher, arguments[0]))
    });
    define(Helper::WorkspaceSize, &[symbols], Some(word), &|builder, arguments| {
        let size = workspace_size(builder, dispatcher, arguments[0]);
        Some(builder.cast(arith::INDEX_CAST, size, word))
    });
    define(Helper::Symbols, &[inputs, symbols], None, &|builder, arguments| {
        let first = |input: usize| count(&shapes.inputs[..input]);
        let value = |variable| match variable {
            Variable::Dimension(input, dim) => {
                Some(read(builder, arguments[0], first(input) + dim))
            }
            Variable::Symbol(_) => None,
        };
        let sizes = Sizes { builder: *builder, value: &value };
        let values = shapes.values.iter().map(|value| sizes.size(value)).collect();
        write(builder, values, arguments[1]);
        None
    });
    for (helper, sizes, ty) in [
        (Helper::InputShapes, &shapes.inputs, inputs),
        (Helper::OutputShapes, &shapes.outputs, outputs),
    ] {
        define(helper, &[symbols, ty], None, &|builder, arguments| {
            let symbols = values(builder, dispatcher, arguments[0]);
            let all = sizes.iter().flatten().map(|size| evaluate(builder, size, &symbols));
            write(builder, all.collect(), arguments[1]);
            None
        });
    }
}

/// The values of the symbols.
fn values<'c>(
    builder: &Builder<'c>,
    dispatcher: &Dispatcher<'_, 'c>,
    list: Value<'c>,
) -> Vec<Value<'c>> {
    (0..dispatcher.all.shapes.symbols.len()).map(|at| read(builder, list, at)).collect()
}

fn write<'c>(builder: &Builder<'c>, values: Vec<Value<'c>>, list: Value<'c>) {
    for (at, value) in values.into_iter().enumerate() {
        let word = builder.cast(arith::INDEX_CAST, value, integer(builder.context, 64));
        memref::store(builder, word, list, &[builder.index(at as i64)]).build();
    }
}

/// The index of the first condition that symbols violate, -1 if they violate none; the last ones are their ranges.
fn violation<'c>(
    builder: &Builder<'c>,
    dispatcher: &Dispatcher<'_, 'c>,
    list: Value<'c>,
) -> Value<'c> {
    let all = dispatcher.all;
    let shapes = &all.shapes;
    let symbols = values(builder, dispatcher, list);
    let value = |variable| match variable {
        Variable::Symbol(index) => symbols.get(index).copied(),
        Variable::Dimension(..) => None,
    };
    let sizes = Sizes { builder: *builder, value: &value };
    let ty = integer(builder.context, 32);
    let mut first = builder.int(ty, -1);
    for (index, condition) in shapes.constraints.iter().enumerate().rev() {
        first = builder.select(sizes.holds(condition), first, builder.int(ty, index as i64));
    }
    // Out of range, conditions may overflow.
    for (symbol, own) in symbols.iter().enumerate().rev() {
        let most = all.most(symbol, &dispatcher.versions[0].signature);
        let low = builder.cmpi(arith::CmpIPredicate::Sge, *own, builder.index(0));
        let high = builder.cmpi(arith::CmpIPredicate::Sle, *own, builder.index(most));
        let is_in_range = builder.same(arith::ANDI, &[low, high]);
        let index = builder.int(ty, (shapes.constraints.len() + symbol) as i64);
        first = builder.select(is_in_range, first, index);
    }
    first
}

/// The bytes that the functions of a call need: those for up to that size of the batch, with the bounds of its sizes.
fn workspace_size<'c>(
    builder: &Builder<'c>,
    dispatcher: &Dispatcher<'_, 'c>,
    list: Value<'c>,
) -> Value<'c> {
    let all = dispatcher.all;
    let chosen = Chosen::of(builder, all, values(builder, dispatcher, list));
    let (direct, others) = (dispatcher.direct(), dispatcher.others());
    let rest = |builder: &Builder<'c>| {
        if others.is_empty() {
            return builder.index(0);
        }
        with_copies(builder, dispatcher, &chosen.among(builder, all, &others))
    };
    if direct.is_empty() {
        return rest(builder);
    }
    let number = dispatcher.direct_number(builder, &chosen);
    let cases: Vec<_> = direct.iter().map(|version| dispatcher.case(version) as i64).collect();
    let gives = |size: &dyn Fn(&Builder<'c>) -> Value<'c>| {
        builder.region(&[], |inner, _| {
            let size = size(inner);
            scf::yield_(inner, &[size]).build();
        })
    };
    let own = |version: &&Version<'_, 'c>| {
        let size = version.workspace_size as i64;
        gives(&|inner| inner.index(size))
    };
    let regions = direct.iter().map(own).collect();
    let types = [index(builder.context)];
    scf::index_switch(builder, number, &cases, &types, gives(&rest), regions).value()
}

/// The same where sizes may differ from those of the buffers of functions, or for parts of a batch.
fn with_copies<'c>(
    builder: &Builder<'c>,
    dispatcher: &Dispatcher<'_, 'c>,
    chosen: &Chosen<'c>,
) -> Value<'c> {
    let all = dispatcher.all;
    let counts = all.batch_sizes();
    let mut size = builder.index(0);
    for (position, count) in counts.iter().enumerate() {
        let examples = builder.index(*count as i64);
        let place = builder.index(position as i64);
        let copies = dispatcher.copies(builder, chosen, examples, place);
        let copies = copies.iter().flatten().map(|copy| copy.space);
        let copies = copies.fold(builder.index(0), |all, space| sum(builder, all, space));
        let own = own_size(builder, dispatcher, chosen, (position, counts.len()));
        let needed = sum(builder, copies, own);
        let more = builder.same(arith::MAXSI, &[size, needed]);
        size = match &all.shapes.batch {
            Some(batch) => {
                let total = chosen.symbols[batch.symbol];
                let is_reached = builder.cmpi(arith::CmpIPredicate::Sge, total, examples);
                builder.select(is_reached, more, size)
            }
            None => more,
        };
    }
    size
}

/// The bytes that the function for a combination of bounds and one of the sizes of the batch needs.
fn own_size<'c>(
    builder: &Builder<'c>,
    dispatcher: &Dispatcher<'_, 'c>,
    chosen: &Chosen<'c>,
    (position, count): (usize, usize),
) -> Value<'c> {
    let versions = dispatcher.others();
    if let [only] = versions[..] {
        return builder.index(only.workspace_size as i64);
    }
    let own = versions.into_iter().filter_map(|version| {
        let case = dispatcher.case(version);
        (case % count == position).then(|| ((case / count) as i64, version.workspace_size as i64))
    });
    let (cases, sizes): (Vec<_>, Vec<_>) = own.unzip();
    let gives = |size: i64| {
        builder.region(&[], |inner, _| {
            scf::yield_(inner, &[inner.index(size)]).build();
        })
    };
    let regions = sizes.into_iter().map(gives).collect();
    let types = [index(builder.context)];
    scf::index_switch(builder, chosen.combination, &cases, &types, gives(0), regions).value()
}
