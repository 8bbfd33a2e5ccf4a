//! Exchanges between replicas, each of which has all parts of a value.

use strata_ir::{Builder, Op};

use super::{Held, Outcome, Partition, held_results};
use crate::grid::Layout;

impl<'c> Partition<'c, '_> {
    /// An exchange between replicas that does the same with each element: each partition does it with its parts.
    pub(super) fn between_replicas(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        wanted: &[Option<Layout>],
    ) -> Outcome<Vec<Held<'c>>> {
        let held: Vec<_> = op.operands().into_iter().map(|value| self.held(value)).collect();
        let layouts: Vec<_> = held
            .iter()
            .zip(wanted)
            .map(|(held, wanted)| wanted.as_ref().unwrap_or(&held.layout).clone())
            .collect();
        let parts = held.iter().zip(&layouts);
        let parts = parts.map(|(held, layout)| self.moved_to(builder, held, layout));
        let parts = parts.collect::<Outcome<Vec<_>>>()?;
        let copy = self.copy(builder, op, &parts, &layouts, &[])?;
        Ok(held_results(op, copy, layouts))
    }
}
