//! `while`, `if` and `case` to `scf`, and `optimization_barrier`, which is dropped here, but for waits.
//!
//! ```text
//! %0 = stablehlo.while(%i = %init) : tensor<i32> cond { … } do { … }
//! ```
//! becomes
//! ```text
//! %0 = scf.while (%i = %init) : (tensor<i32>) -> tensor<i32> {
//!   …; scf.condition(tensor.extract %cond[]) %i
//! } do { … }
//! ```

use strata_ir::{
    Block, Builder, Op, OpKind, RegionBuilder, Type, TypeExt as _, Value, WAIT, arith, i64s, scf,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::lowerings::overlap;

fn block_of<'c>(op: Op<'c>, region: usize) -> Outcome<Block<'c>> {
    op.region(region).first_block().or_decline("a region is empty")
}

fn converted<'c>(op: Op<'c>, lowerer: &Lowerer<'c>) -> Outcome<Vec<Type<'c>>> {
    let types = op.result_types();
    let known = types.iter().all(|ty| ty.is_tensor_type() || ty.is_token());
    known.or_decline("a value that it carries is neither a tensor nor a token")?;
    Ok(types.into_iter().map(|ty| lowerer.convert(ty)).collect())
}

/// A region with the lowering of `block`, terminated by `finish`.
fn lowered_region<'c>(
    lowerer: &mut Lowerer<'c>,
    block: Block<'c>,
    types: &[Type<'c>],
    finish: impl FnOnce(&Builder<'c>, &[Value<'c>], &[Value<'c>]),
) -> Outcome<RegionBuilder> {
    let mut outcome = Ok(());
    let builder = lowerer.builder();
    let region =
        builder.region(types, |inner, args| match lowerer.lower_block(block, inner, args) {
            Ok(results) => finish(inner, args, &results),
            Err(declined) => outcome = Err(declined),
        });
    outcome.map(|()| region)
}

fn yields<'c>(builder: &Builder<'c>, _: &[Value<'c>], results: &[Value<'c>]) {
    builder.op(scf::YIELD).operands(results).build();
}

/// The lowering of `while`.
pub struct While;

impl Lowering for While {
    fn name(&self) -> &'static str {
        "while"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::While]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let types = converted(op, lowerer)?;
        let (condition, body) = (block_of(op, 0)?, block_of(op, 1)?);
        let before = lowered_region(lowerer, condition, &types, |inner, args, results| {
            let goes_on = inner.extract(results[0], &[]);
            inner.op(scf::CONDITION).operand(goes_on).operands(args).build();
        })?;
        let after = lowered_region(lowerer, body, &types, yields)?;
        let builder = lowerer.builder();
        let state = builder.op(scf::WHILE).operands(operands).results(&types);
        Ok(state.region(before).region(after).build().results())
    }
}

/// The lowering of `if`.
pub struct If;

impl Lowering for If {
    fn name(&self) -> &'static str {
        "if"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::If]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let types = converted(op, lowerer)?;
        let (yes, no) = (block_of(op, 0)?, block_of(op, 1)?);
        let condition = lowerer.builder().extract(operands[0], &[]);
        let yes = lowered_region(lowerer, yes, &[], yields)?;
        let no = lowered_region(lowerer, no, &[], yields)?;
        let builder = lowerer.builder();
        let chosen = builder.op(scf::IF).operand(condition).results(&types);
        Ok(chosen.region(yes).region(no).build().results())
    }
}

/// The lowering of `case`: the last branch also handles every index out of range.
pub struct Case;

impl Lowering for Case {
    fn name(&self) -> &'static str {
        "case"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Case]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let types = converted(op, lowerer)?;
        let last = op.region_count().checked_sub(1).or_decline("there is no branch")?;
        let builder = lowerer.builder();
        let chosen = builder.extract(operands[0], &[]);
        // Negative numbers are large unsigned ones, hence out of range as well.
        let limit = builder.int(chosen.ty(), last as i64);
        let in_range = builder.cmpi(arith::CmpIPredicate::Ult, chosen, limit);
        let chosen = builder.select(in_range, chosen, limit);
        let chosen = builder.cast(arith::INDEX_CASTUI, chosen, strata_ir::index(builder.context));
        let mut regions = vec![lowered_region(lowerer, block_of(op, last)?, &[], yields)?];
        for index in 0..last {
            regions.push(lowered_region(lowerer, block_of(op, index)?, &[], yields)?);
        }
        let cases: Vec<_> = (0..last as i64).collect();
        let mut switch = builder
            .op(scf::INDEX_SWITCH)
            .operand(chosen)
            .attr("cases", i64s(builder.context, &cases))
            .results(&types);
        for region in regions {
            switch = switch.region(region);
        }
        Ok(switch.build().results())
    }
}

/// Operations that are replaced by their operands, but for waits of exchanges that may be under way.
pub struct PassThrough;

impl Lowering for PassThrough {
    fn name(&self) -> &'static str {
        "pass-through"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::OptimizationBarrier]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let awaited = match operands {
            [value] if op.has_attr(WAIT) => overlap::wait(op, *value, lowerer)?,
            _ => None,
        };
        Ok(awaited.map_or_else(|| operands.to_vec(), |value| vec![value]))
    }
}
