//! Legalises control flow that carries vectors: each becomes several legal ones.
//!
//! Before:
//! ```mlir
//! %r = scf.for … iter_args(%acc = %init) -> (vector<2x16xf32>)
//! ```
//! After:
//! ```mlir
//! %r:2 = scf.for … iter_args(%acc0 = %init0, %acc1 = %init1) -> (vector<16xf32>, vector<16xf32>)
//! ```

use strata_diag::{Diagnostic, codes};
use strata_ir::{Block, Builder, Op, Type, TypeExt as _, Value, diagnostic_at, scf};

use super::{Outcome, Parts};

impl<'c> Parts<'c> {
    /// An operation with regions: its bodies, and its signature if it carries illegal vectors.
    pub(super) fn control(&mut self, op: Op<'c>) -> Result<(), Diagnostic> {
        let broken = |reason: String| {
            diagnostic_at(codes::S9002, op).reason(format!("cannot split its vectors: {reason}"))
        };
        let illegal = |value: &Value<'c>| {
            value.ty().is_vector_type()
                && !self.widths.has(value.ty())
                && !self.tiles.contains(value)
        };
        let carries = op.results().iter().chain(&op.operands()).any(illegal)
            || op
                .regions()
                .iter()
                .flat_map(|region| region.blocks())
                .any(|block| block.args().iter().any(illegal));
        if !carries {
            for region in op.regions() {
                for block in region.blocks() {
                    self.block(block)?;
                }
            }
            return Ok(());
        }
        if !matches!(op.name(), scf::FOR | scf::WHILE | scf::IF | scf::INDEX_SWITCH) {
            return Err(broken("it carries vectors of several dimensions".to_owned()));
        }
        self.rebuild(op).map_err(broken)??;
        self.dead.push(op);
        Ok(())
    }

    /// A copy of `op` that carries parts; the outer error is about its signature, the inner one
    /// about an operation in its body.
    fn rebuild(&mut self, op: Op<'c>) -> Outcome<Result<(), Diagnostic>> {
        let builder = Builder::before(self.context, op);
        let operands = self.all_parts(&op.operands())?;
        let types = self.all_types(op.result_types())?;
        let mut regions = Vec::new();
        let mut bodies = Vec::new();
        for region in op.regions() {
            let Some(old) = region.first_block() else {
                regions.push(strata_ir::RegionBuilder::empty());
                continue;
            };
            let arguments = self.all_types(old.args().into_iter().map(Value::ty).collect())?;
            let fresh = builder.region(&arguments, |_, _| {});
            let block = fresh.first_block(self.context).ok_or("a region is empty")?;
            bodies.push((old, block));
            regions.push(fresh);
        }
        let mut replacement =
            builder.op(op.name()).operands(&operands).results(&types).attrs(&op.attrs());
        for region in regions {
            replacement = replacement.region(region);
        }
        let replacement = replacement.build();
        for (old, block) in bodies {
            self.bind_all(&old.args(), &block.args())?;
            move_body(builder, old, block);
            if let Err(error) = self.block(block) {
                return Ok(Err(error));
            }
            if let Some(end) = block.terminator() {
                let operands = self.all_parts(&end.operands())?;
                Builder::before(self.context, end).op(end.name()).operands(&operands).build();
                end.erase();
            }
        }
        self.bind_all(&op.results(), &replacement.results())?;
        Ok(Ok(()))
    }

    fn all_parts(&self, values: &[Value<'c>]) -> Outcome<Vec<Value<'c>>> {
        let mut all = Vec::new();
        for value in values {
            if value.ty().is_vector_type() {
                all.extend(self.get(*value)?)
            } else {
                all.push(*value)
            }
        }
        Ok(all)
    }

    fn all_types(&self, types: Vec<Type<'c>>) -> Outcome<Vec<Type<'c>>> {
        let mut all = Vec::new();
        for ty in types {
            if ty.is_vector_type() { all.extend(self.part_types(ty)?) } else { all.push(ty) }
        }
        Ok(all)
    }

    /// Maps the old values to the new ones in order.
    fn bind_all(&mut self, old: &[Value<'c>], new: &[Value<'c>]) -> Outcome {
        let mut rest = new;
        for value in old {
            let count =
                if value.ty().is_vector_type() { self.part_types(value.ty())?.len() } else { 1 };
            let (own, others) = rest.split_at_checked(count).ok_or("the parts do not match")?;
            rest = others;
            match own {
                [one] if one.ty() == value.ty() => value.replace_all_uses_with(*one),
                _ => self.bind(*value, own.to_vec())?,
            }
        }
        Ok(())
    }
}

/// Moves all operations of `from` to the end of the empty block `to`.
fn move_body<'c>(builder: Builder<'c>, from: Block<'c>, to: Block<'c>) {
    let end = Builder::at_end(builder.context, to, builder.location);
    // An anchor, because operations can only be moved relative to another one.
    let anchor = end.op(scf::YIELD).build();
    for op in from.ops() {
        op.move_before(anchor);
    }
    anchor.erase();
}
