//! Tuples, tokens and barriers.

use std::rc::Rc;
use strata_ir::stablehlo;

use crate::{
    Builder,
    error::{Result, Site},
    graph::Results,
    op::{Node, Op},
    shape::check_nesting,
};

impl Builder {
    /// Values grouped into one. No operation is built: programs take and return the elements.
    ///
    /// # Errors
    /// For a value of another builder, or of a call that failed; for more than 256 tuples in each other, or 2^20 elements.
    #[track_caller]
    pub fn tuple(&self, elements: &[Op]) -> Result<Op> {
        let site = Site::new("Tuple");
        let whole = self.graph.tuple(elements.to_vec());
        check_nesting(std::slice::from_ref(&whole), |op| match &op.node {
            Node::Tuple(elements) => Some(&elements[..]),
            _ => None,
        })
        .map_err(|limits| site.error(limits))?;
        for element in elements {
            self.graph.leaves(site, element)?;
        }
        Ok(whole)
    }

    /// A token that comes after all of `tokens`.
    ///
    /// # Errors
    /// For values that are not tokens.
    #[track_caller]
    pub fn after_all(&self, tokens: &[Op]) -> Result<Op> {
        let site = Site::new("AfterAll");
        let values = self.graph.values(site, tokens)?;
        self.graph.emit_op(site, stablehlo::AFTER_ALL, Results::Inferred, |op| op.operands(&values))
    }

    /// A first token.
    ///
    /// # Errors
    /// None.
    #[track_caller]
    pub fn create_token(&self) -> Result<Op> {
        let site = Site::new("CreateToken");
        self.graph.emit_op(site, stablehlo::AFTER_ALL, Results::Inferred, |op| op)
    }
}

impl Op {
    /// Element `index` of a tuple.
    ///
    /// # Errors
    /// For other values, and an index out of range.
    #[track_caller]
    pub fn get_tuple_element(&self, index: usize) -> Result<Op> {
        let site = Site::new("GetTupleElement");
        let elements = match &self.node {
            Node::Tuple(elements) => elements,
            Node::Failed(error) => return Err((**error).clone()),
            _ => {
                let shape = self.shape_at(site)?;
                return Err(site.error(format!("the operand is {shape}, expected a tuple")));
            }
        };
        elements.get(index).cloned().ok_or_else(|| {
            site.error(format!(
                "the tuple has {} elements, element {index} was asked for",
                elements.len()
            ))
        })
    }

    /// The elements of a tuple.
    ///
    /// # Errors
    /// For other values.
    #[track_caller]
    pub fn tuple_elements(&self) -> Result<Vec<Op>> {
        let site = Site::new("GetTupleElement");
        match &self.node {
            Node::Tuple(elements) => Ok(elements.to_vec()),
            Node::Failed(error) => Err((**error).clone()),
            _ => {
                let shape = self.shape_at(site)?;
                Err(site.error(format!("the operand is {shape}, expected a tuple")))
            }
        }
    }

    /// The value after a barrier: nothing is moved across it, and all elements of a tuple become available together.
    ///
    /// # Errors
    /// For a value of a call that failed.
    #[track_caller]
    pub fn optimization_barrier(&self) -> Result<Op> {
        let site = Site::new("OptimizationBarrier");
        let graph = Rc::clone(&self.graph);
        let values = graph.leaves(site, self)?;
        let barrier =
            graph.emit(site, stablehlo::OPTIMIZATION_BARRIER, Results::Inferred, |op| {
                op.operands(&values)
            })?;
        let shape = self.shape_at(site)?;
        graph
            .gathered(&shape, &mut barrier.results().into_iter())
            .ok_or_else(|| site.error("the barrier has no result"))
    }
}
