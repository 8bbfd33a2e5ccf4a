//! Bodies that are written for the parts of one device, of `shard_map`.

use std::collections::HashMap;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Block, Builder, Op, OpKind, SHARDING, TensorSharding, Type, TypeExt as _, Value, axis_names,
    diagnostic_at,
};

use super::{Held, Outcome, Partition};
use crate::grid::{Layout, of_list, shape_of};

impl<'c> Partition<'c, '_> {
    /// A body that works on parts already.
    pub(super) fn manual(&mut self, builder: &Builder<'c>, op: Op<'c>) -> Outcome<Vec<Held<'c>>> {
        let body = op.region(0).first_block();
        let body = body.ok_or_else(|| diagnostic_at(codes::S1103, op).reason("it has no body"))?;
        let (inputs, outputs) = (of_list(op, "in_shardings")?, of_list(op, "out_shardings")?);
        let manual = op.attr("manual_axes").map(axis_names).unwrap_or_default();
        let own = |mut sharding: TensorSharding, value: Value<'c>| {
            sharding.remove_axes(|part| !manual.contains(&part.axis));
            let layout = self.grid.layout(&sharding, value.ty().rank().unwrap_or(0));
            (layout, self.grid.terms(&sharding))
        };
        let layouts = |shardings: Vec<TensorSharding>, values: Vec<Value<'c>>| -> Vec<_> {
            shardings.into_iter().zip(values).map(|(one, value)| own(one, value)).collect()
        };
        let (inputs, outputs) = (layouts(inputs, op.operands()), layouts(outputs, op.results()));
        let mut known = HashMap::new();
        let arguments = body.args().into_iter().zip(op.operands()).zip(&inputs);
        for ((argument, operand), (layout, terms)) in arguments {
            let part = self.term(builder, operand, layout, terms)?;
            if part.ty() != argument.ty() {
                return Err(uneven(op, operand.ty(), argument.ty()));
            }
            known.insert(argument, part);
        }
        // A body may take values from outside, which are whole in it.
        for inner in op.collect(|inner| inner != op) {
            for value in inner.operands() {
                if self.known.contains_key(&value) && !known.contains_key(&value) {
                    let whole = Layout::whole(value.ty().rank().unwrap_or(0));
                    let part = self.part(builder, value, &whole)?;
                    known.insert(value, part);
                }
            }
        }
        let returned = self.manual_body(builder, body, &mut known)?;
        let results = returned.into_iter().zip(op.results()).zip(outputs);
        results
            .map(|((value, old), (layout, terms))| {
                if value.ty() != self.part_type(old.ty(), &layout) {
                    return Err(uneven(op, old.ty(), value.ty()));
                }
                let held = Held { value, layout, shape: shape_of(old) };
                Ok(self.learn_terms(builder, old, held, &terms))
            })
            .collect()
    }

    /// Copies the operations of a body; those inside of it that work on parts of its parts are done as well.
    fn manual_body(
        &mut self,
        builder: &Builder<'c>,
        block: Block<'c>,
        known: &mut HashMap<Value<'c>, Value<'c>>,
    ) -> Outcome<Vec<Value<'c>>> {
        let end = block.terminator();
        let of = |known: &HashMap<Value<'c>, Value<'c>>, value: Value<'c>| {
            known.get(&value).copied().unwrap_or(value)
        };
        for op in block.ops().into_iter().filter(|op| Some(*op) != end) {
            let builder = &Builder { location: op.location(), ..*builder };
            match op.kind() {
                OpKind::SdyShardingGroup => {}
                kind if is_placement(kind) => {
                    known.insert(op.result(0), of(known, op.operand(0)));
                }
                OpKind::SdyManualComputation => {
                    for operand in op.operands() {
                        let value = of(known, operand);
                        let shape = shape_of(value);
                        let layout = Layout::whole(shape.len());
                        self.known.insert(operand, Held { value, layout, shape });
                    }
                    for (old, held) in op.results().into_iter().zip(self.manual(builder, op)?) {
                        let whole = Layout::whole(held.shape.len());
                        known.insert(old, self.moved_to(builder, &held, &whole)?);
                    }
                }
                _ => {
                    let nested = op.collect(|inner| inner.kind() == OpKind::SdyManualComputation);
                    if let Some(nested) = nested.first() {
                        return Err(diagnostic_at(codes::S1103, *nested)
                            .reason("it is in a loop or branch of another one"));
                    }
                    let copy = builder.copy(op, known);
                    for inner in copy.collect(|_| true) {
                        inner.remove_attr(SHARDING);
                    }
                    for constraint in copy.collect(|inner| is_placement(inner.kind())) {
                        constraint.result(0).replace_all_uses_with(constraint.operand(0));
                        constraint.erase();
                    }
                }
            }
        }
        let returned = end.map(Op::operands).unwrap_or_default();
        Ok(returned.into_iter().map(|value| of(known, value)).collect())
    }
}

/// Whether it says where a value is.
fn is_placement(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::SdyShardingConstraint | OpKind::SdyReshard | OpKind::SdyPropagationBarrier
    )
}

fn uneven(op: Op<'_>, whole: Type<'_>, part: Type<'_>) -> Diagnostic {
    diagnostic_at(codes::S1103, op)
        .reason(format!("its shardings do not divide `{whole}` in parts `{part}`"))
        .hint("`shard_map` takes sizes that its axes divide")
}
