//! Chooses the order of dimensions in which each value of a program with convolutions is computed.
//!
//! Convolutions are computed with their features last. Where a program has them elsewhere (`NCHW`), each one would be between two
//! transposes:
//!
//! ```text
//! %1 = convolution(%x, %k), dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]
//! %2 = maximum(%1, %zero)
//! %3 = convolution(%2, %l), dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]
//! ```
//! becomes
//! ```text
//! %0 = transpose(%x), dims = [0, 2, 3, 1]
//! %1 = convolution(%0, %m), dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
//! %2 = maximum(%1, %zero)
//! %3 = convolution(%2, %n), dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
//! %4 = transpose(%3), dims = [0, 3, 1, 2]
//! ```
//!
//! The orders that convolutions have spread to what is beside them, as far as each dimension keeps its identity ([`ways`]). Then
//! each operation computes either in the program's orders or in these, so that the transposes between move as few bytes as possible
//! ([`graph`], by a minimum [`cut`]): inputs, outputs and operations that have no other way are in the program's. Constants and what
//! repeats a vector are in both.

pub(crate) mod apply;
mod conv;
mod cut;
mod graph;
pub(crate) mod ways;
mod window;

use strata_ir::{Context, Op};
use strata_remarks::{Remark, remark, subject_of};

use self::{apply::Layouts, graph::Graph};

/// Chooses the layouts of the values of a function, also where transposes are at its ends only: what pads the operand of a convolution, and
/// what is computed from its result, then has features last, too; says whether any is another one than the program's.
pub fn choose<'c>(context: &'c Context, func: Op<'c>) -> bool {
    let mut graph = Graph::of(func);
    if !graph.spread() {
        return false;
    }
    let chosen = graph.choose();
    let mut layouts = Layouts::new(context);
    let ways = || graph.nodes.iter().zip(&chosen);
    for (node, chosen) in ways() {
        let Some(way) = node.way.as_ref().filter(|_| *chosen) else { continue };
        for (value, order) in node.defs.iter().zip(&way.results) {
            layouts.compute(*value, order);
        }
    }
    let mut reads = Vec::new();
    // What regions return comes last: by then all that is in them reads what it should.
    let carried = ways().filter(|(node, _)| node.is_carried());
    for (node, chosen) in ways().filter(|(node, _)| !node.is_carried()).chain(carried) {
        let way = node.way.as_ref().filter(|_| *chosen);
        for (at, (user, index)) in node.uses.iter().enumerate() {
            let order =
                way.map_or_else(|| ways::own(user.operand(*index)), |way| way.operands[at].clone());
            reads.push((*user, *index, order));
        }
    }
    for (user, index, order) in reads {
        layouts.read(user, index, &order);
    }
    for (node, chosen) in ways() {
        if let Some(way) = node.way.as_ref().filter(|_| *chosen) {
            apply::reattribute(context, node.op, way);
        }
    }
    remark(|| Remark { subject: subject_of(func.location()), decision: layouts.told() });
    true
}
