//! Copies of panels that were moved out of the loop over panels walk along rows.
//!
//! Moving the copy out leaves one panel after the other: every row of the source is visited once per
//! panel, and memory has to be waited for each time. Row by row, hardware prefetches.
//!
//! ```text
//! %p = scf.for %j = 0 to 512 step 64 iter_args(%q = %empty) -> (tensor<8x512x64xf32>) {
//!   %c = … copy rows 0 to 512 of columns %j to %j + 64 of %b …
//!   %i = tensor.insert_slice %c into %q[%j / 64, 0, 0]
//! }
//! ```
//! becomes
//! ```text
//! %p = scf.for %k = 0 to 512 step 1 … {
//!   scf.for %j = 0 to 8 step 1 … { copy row %k of columns 64 * %j to 64 * %j + 64 }
//! }
//! ```

use strata_ir::{
    Attribute, Builder, Context, Op, TypeExt as _, Value, WalkOrder, float, i32s, index, int,
    parse_attr, projection, vector,
};

/// A copy into panels, one panel per trip.
struct PanelCopy<'c> {
    around: Op<'c>,
    source: Value<'c>,
    panels: i64,
    rows: i64,
    columns: i64,
    lanes: i64,
}

/// Interchanges the loops of every copy into panels in `func`.
pub fn copy_along_rows<'c>(context: &'c Context, func: Op<'c>) {
    // One at a time: a rewrite erases loops, also some that were found before.
    let next = || func.collect(|op| op.is("scf.for")).into_iter().find_map(recognise);
    while let Some(copy) = next() {
        if rewrite(context, &copy).is_none() {
            return;
        }
    }
}

fn recognise<'c>(around: Op<'c>) -> Option<PanelCopy<'c>> {
    if around.result_count() != 1 {
        return None;
    }
    let shape = around.result(0).ty().shape()?;
    let [panels, rows, columns] = shape.try_into().ok()?;
    let body = around.body(0);
    let insert = body.terminator()?.operand(0).owner()?;
    let is_copy = insert.is("tensor.insert_slice")
        && insert.operand(1) == body.arg(1)
        && insert.operand(0).ty().shape()? == [rows, columns];
    let inner = insert.operand(0).owner().filter(|inner| is_copy && inner.is("scf.for"))?;
    let mut reads = Vec::new();
    let mut other = false;
    inner.walk(WalkOrder::Pre, &mut |op| match op.name() {
        "vector.transfer_read" => reads.push(op),
        "vector.transfer_write" | "scf.for" | "scf.yield" | "affine.apply" | "arith.constant" => {}
        _ => other = true,
    });
    let read = reads.first().copied().filter(|_| !other)?;
    let source = read.operand(0);
    let from_outside = source.owner().is_none_or(|owner| !around.encloses(owner));
    let fits = reads.iter().all(|one| one.operand(0) == source)
        && source.ty().shape()? == [rows, panels * columns]
        && source.ty().element().is_float_type();
    let lanes = *read.result(0).ty().shape()?.first()?;
    (from_outside && fits && columns % lanes == 0).then_some(PanelCopy {
        around,
        source,
        panels,
        rows,
        columns,
        lanes,
    })
}

fn rewrite<'c>(context: &'c Context, copy: &PanelCopy<'c>) -> Option<()> {
    let builder = Builder::before(context, copy.around);
    let element = copy.source.ty().element();
    let attributes = Transfers {
        read: projection(context, 2, &[1]),
        write: projection(context, 3, &[2]),
        in_bounds: parse_attr(context, "[true]")?,
        ty: vector(&[copy.lanes], element),
        padding: builder
            .op("arith.constant")
            .attr("value", float(context, element, 0.0))
            .result(element)
            .value(),
    };
    let start = copy.around.operand(3);
    let result = counted(&builder, copy.rows, start, |builder, row, start| {
        counted(builder, copy.panels, start, |builder, panel, start| {
            let width = number(builder, copy.columns);
            let first =
                builder.op("arith.muli").operands(&[panel, width]).result(index(context)).value();
            (0..copy.columns / copy.lanes).fold(start, |panels, piece| {
                attributes.copy(builder, copy, [row, panel, first], piece * copy.lanes, panels)
            })
        })
    });
    copy.around.result(0).replace_all_uses_with(result);
    copy.around.erase();
    Some(())
}

struct Transfers<'c> {
    read: Attribute<'c>,
    write: Attribute<'c>,
    in_bounds: Attribute<'c>,
    ty: strata_ir::Type<'c>,
    padding: Value<'c>,
}

impl<'c> Transfers<'c> {
    /// Copies one vector at `offset` columns into the panel whose first column is `first`.
    fn copy(
        &self,
        builder: &Builder<'c>,
        copy: &PanelCopy<'c>,
        [row, panel, first]: [Value<'c>; 3],
        offset: i64,
        panels: Value<'c>,
    ) -> Value<'c> {
        let context = builder.context;
        let offset = number(builder, offset);
        let column =
            builder.op("arith.addi").operands(&[first, offset]).result(index(context)).value();
        let value = builder
            .op("vector.transfer_read")
            .operands(&[copy.source, row, column, self.padding])
            .attr("permutation_map", self.read)
            .attr("in_bounds", self.in_bounds)
            .attr("operandSegmentSizes", i32s(context, &[1, 2, 1, 0]))
            .result(self.ty)
            .value();
        builder
            .op("vector.transfer_write")
            .operands(&[value, panels, panel, row, offset])
            .attr("permutation_map", self.write)
            .attr("in_bounds", self.in_bounds)
            .attr("operandSegmentSizes", i32s(context, &[1, 1, 3, 0]))
            .result(panels.ty())
            .value()
    }
}

fn number<'c>(builder: &Builder<'c>, value: i64) -> Value<'c> {
    let ty = index(builder.context);
    builder.op("arith.constant").attr("value", int(ty, value)).result(ty).value()
}

/// A loop of `trips` trips that carries `start`.
fn counted<'c>(
    builder: &Builder<'c>,
    trips: i64,
    start: Value<'c>,
    body: impl FnOnce(&Builder<'c>, Value<'c>, Value<'c>) -> Value<'c>,
) -> Value<'c> {
    let bounds = [0, trips, 1].map(|value| number(builder, value));
    let ty = index(builder.context);
    let region = builder.region(&[ty, start.ty()], |inner, args| {
        let result = body(inner, args[0], args[1]);
        inner.op("scf.yield").operand(result).build();
    });
    builder.op("scf.for").operands(&bounds).operand(start).result(start.ty()).region(region).value()
}
