//! Loops and branches of the program of one device: all devices go the same way, on their parts.

use strata_ir::{Block, Builder, Op, RegionBuilder, SHARDING, TypeExt as _, Value, stablehlo};

use super::{Held, Outcome, Partition, held_results};
use crate::grid::{Layout, shape_of};

impl<'c> Partition<'c, '_> {
    /// A region of `block`, whose arguments have the parts of these layouts; it returns parts of the layouts `returned`.
    fn region(
        &mut self,
        builder: &Builder<'c>,
        block: Block<'c>,
        layouts: &[Layout],
        returned: &[Layout],
    ) -> Outcome<RegionBuilder> {
        let args = block.args();
        let types: Vec<_> = args
            .iter()
            .zip(layouts)
            .map(|(arg, layout)| self.part_type(arg.ty(), layout))
            .collect();
        // What the region moves is not known after it.
        let outer = self.moved.clone();
        let mut outcome = Ok(());
        let region = builder.region(&types, |inner, new| {
            for ((old, value), layout) in args.iter().zip(new).zip(layouts) {
                let (value, layout, shape) = (*value, layout.clone(), shape_of(*old));
                self.known.insert(*old, Held { value, layout, shape });
            }
            outcome = self.body(inner, block, returned);
        });
        self.moved = outer;
        outcome.map(|()| region)
    }

    fn body(
        &mut self,
        builder: &Builder<'c>,
        block: Block<'c>,
        returned: &[Layout],
    ) -> Outcome<()> {
        let values = self.block(builder, block)?;
        let builder = &block
            .terminator()
            .map_or(*builder, |end| Builder { location: end.location(), ..*builder });
        let parts = values.into_iter().zip(returned);
        let parts = parts.map(|(value, layout)| self.part(builder, value, layout));
        let parts = parts.collect::<Outcome<Vec<_>>>()?;
        builder.op(stablehlo::RETURN).operands(&parts).build();
        Ok(())
    }

    /// A loop: what it carries keeps its layouts.
    pub(super) fn repeated(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        wanted: &[Option<Layout>],
    ) -> Outcome<Vec<Held<'c>>> {
        let mut layouts = Vec::new();
        let mut parts = Vec::new();
        for (value, wanted) in op.operands().into_iter().zip(wanted) {
            let held = self.held(value);
            let layout = wanted.clone().unwrap_or_else(|| held.layout.clone());
            parts.push(self.moved_to(builder, &held, &layout)?);
            layouts.push(layout);
        }
        let whole = [Layout::whole(0)];
        let condition = self.region(builder, op.body(0), &layouts, &whole)?;
        let body = self.region(builder, op.body(1), &layouts, &layouts)?;
        let new = self.with_regions(builder, op, &parts, &layouts, vec![condition, body]);
        Ok(held_results(op, new, layouts))
    }

    /// Branches: all devices take the same one.
    pub(super) fn branches(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        wanted: &[Option<Layout>],
    ) -> Outcome<Vec<Held<'c>>> {
        let results = op.results().into_iter().zip(wanted);
        let layouts: Vec<_> = results
            .map(|(result, wanted)| {
                wanted.clone().unwrap_or_else(|| Layout::whole(result.ty().rank().unwrap_or(0)))
            })
            .collect();
        let which = self.part(builder, op.operand(0), &Layout::whole(0))?;
        let regions = op.regions().into_iter().filter_map(|region| region.first_block());
        let regions = regions
            .map(|block| self.region(builder, block, &[], &layouts))
            .collect::<Outcome<Vec<_>>>()?;
        let new = self.with_regions(builder, op, &[which], &layouts, regions);
        Ok(held_results(op, new, layouts))
    }

    /// `op` on other operands, with other regions.
    fn with_regions(
        &self,
        builder: &Builder<'c>,
        op: Op<'c>,
        operands: &[Value<'c>],
        layouts: &[Layout],
        regions: Vec<RegionBuilder>,
    ) -> Op<'c> {
        let types: Vec<_> = op
            .result_types()
            .into_iter()
            .zip(layouts)
            .map(|(ty, layout)| self.part_type(ty, layout))
            .collect();
        let attributes: Vec<_> =
            op.attrs().into_iter().filter(|(name, _)| *name != SHARDING).collect();
        let new = builder.op(op.name()).operands(operands).attrs(&attributes).results(&types);
        regions.into_iter().fold(new, |new, region| new.region(region)).build()
    }
}
