//! Comparisons and selection.

use strata_ir::{
    ComparisonDirection, ComparisonType,
    ElementType::{Bool, Complex, Signed, Unsigned},
    stablehlo,
};

use crate::{
    Builder, broadcast,
    error::{Result, Site},
    graph::Results,
    op::{Node, Op},
    operand::Operand,
    shape::Shape,
};

impl Op {
    fn compared(
        &self,
        site: Site,
        rhs: impl Operand,
        dimensions: Option<&[i64]>,
        direction: ComparisonDirection,
        order: Option<ComparisonType>,
    ) -> Result<Op> {
        let graph = &self.graph;
        graph.value(site, self)?;
        let rhs = self.beside(site, rhs)?;
        let (left, right) = broadcast::pair(site, graph, self, &rhs, dimensions)?;
        let operands = [graph.value(site, &left)?, graph.value(site, &right)?];
        let context = graph.context();
        let is_order = !matches!(direction, ComparisonDirection::Eq | ComparisonDirection::Ne);
        if is_order && matches!(left.array_at(site)?.element, Complex(_)) {
            return Err(site.error("complex elements can only be compared for equality"));
        }
        let missing = || site.error("the dialect has no such comparison");
        let direction = direction.to_attribute(context).ok_or_else(missing)?;
        // Only floats have two orders.
        let is_float = !matches!(left.array_at(site)?.element, Bool | Signed(_) | Unsigned(_));
        let order = match order.filter(|order| is_float || *order != ComparisonType::TotalOrder) {
            Some(order) => Some(order.to_attribute(context).ok_or_else(missing)?),
            None => None,
        };
        graph.emit_op(site, stablehlo::COMPARE, Results::Inferred, |op| {
            let op = op.operands(&operands).attr("comparison_direction", direction);
            order.into_iter().fold(op, |op, order| op.attr("compare_type", order))
        })
    }

    /// The comparison of that direction: XLA's `Compare(lhs, rhs, direction)`.
    ///
    /// # Errors
    /// As [`Op::eq`].
    #[track_caller]
    pub fn compare(&self, rhs: impl Operand, direction: ComparisonDirection) -> Result<Op> {
        self.compared(Site::new("Compare"), rhs, None, direction, None)
    }

    /// As [`Op::compare`], with broadcast dimensions and an order.
    ///
    /// # Errors
    /// As [`Op::eq_in_dim`], and for an order that the element type does not have.
    #[track_caller]
    pub fn compare_in_dim(
        &self,
        rhs: impl Operand,
        broadcast_dimensions: &[i64],
        direction: ComparisonDirection,
        order: ComparisonType,
    ) -> Result<Op> {
        let site = Site::new("Compare");
        self.compared(site, rhs, Some(broadcast_dimensions), direction, Some(order))
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $method:ident $in_dim:ident $total:ident $document:literal $total_document:literal $direction:ident;)*) => {
        #[allow(clippy::should_implement_trait)]
        impl Op {$(
            $(#[$doc])*
            /// Booleans of the broadcast shape; NaN is unequal to all and in no order.
            ///
            /// # Errors
            /// For arrays of different rank, sizes that are not compatible, and element types that differ.
            #[track_caller]
            pub fn $method(&self, rhs: impl Operand) -> Result<Op> {
                let direction = ComparisonDirection::$direction;
                self.compared(Site::new($document), rhs, None, direction, None)
            }

            #[doc = concat!("As [`Op::", stringify!($method), "`], of arrays of different rank.")]
            ///
            /// # Errors
            #[doc = concat!("As [`Op::", stringify!($method), "`], and for invalid broadcast dimensions.")]
            #[track_caller]
            pub fn $in_dim(&self, rhs: impl Operand, broadcast_dimensions: &[i64]) -> Result<Op> {
                let direction = ComparisonDirection::$direction;
                let dimensions = Some(broadcast_dimensions);
                self.compared(Site::new($document), rhs, dimensions, direction, None)
            }

            #[doc = concat!("As [`Op::", stringify!($in_dim), "`], by the total order of floats:")]
            /// -NaN < -Inf < -Finite < -0 < +0 < +Finite < +Inf < +NaN. Other types have one order only.
            ///
            /// # Errors
            #[doc = concat!("As [`Op::", stringify!($in_dim), "`].")]
            #[track_caller]
            pub fn $total(&self, rhs: impl Operand, broadcast_dimensions: &[i64]) -> Result<Op> {
                let site = Site::new($total_document);
                let direction = ComparisonDirection::$direction;
                let order = Some(ComparisonType::TotalOrder);
                self.compared(site, rhs, Some(broadcast_dimensions), direction, order)
            }
        )*}
    };
}

comparisons! {
    #[doc = "Whether `self` equals `rhs`."]
    eq eq_in_dim eq_total_order "Eq" "EqTotalOrder" Eq;
    #[doc = "Whether `self` does not equal `rhs`."]
    ne ne_in_dim ne_total_order "Ne" "NeTotalOrder" Ne;
    #[doc = "Whether `self` is greater than `rhs` or equals it."]
    ge ge_in_dim ge_total_order "Ge" "GeTotalOrder" Ge;
    #[doc = "Whether `self` is greater than `rhs`."]
    gt gt_in_dim gt_total_order "Gt" "GtTotalOrder" Gt;
    #[doc = "Whether `self` is less than `rhs` or equals it."]
    le le_in_dim le_total_order "Le" "LeTotalOrder" Le;
    #[doc = "Whether `self` is less than `rhs`."]
    lt lt_in_dim lt_total_order "Lt" "LtTotalOrder" Lt;
}

impl Op {
    /// The elements of `on_true` where `self` is true, else those of `on_false`. `self` has their shape or is a scalar;
    /// with tuples of the same shape, `self` is a scalar and selects one of them.
    ///
    /// # Errors
    /// For alternatives of different shapes, and a predicate that is neither of their shape nor a scalar.
    #[track_caller]
    pub fn select(&self, on_true: impl Operand, on_false: impl Operand) -> Result<Op> {
        let site = Site::new("Select");
        // A number on one side takes the type of the other side.
        let on_true = self.beside_alternative(site, on_true)?;
        let on_false = on_true.beside(site, on_false)?;
        self.selected(site, &on_true, &on_false)
    }

    fn beside_alternative(&self, site: Site, operand: impl Operand) -> Result<Op> {
        self.beside(site, operand)
    }

    fn selected(&self, site: Site, on_true: &Op, on_false: &Op) -> Result<Op> {
        let graph = &self.graph;
        if let (Node::Tuple(left), Node::Tuple(right)) = (&on_true.node, &on_false.node) {
            let (shapes, scalar) =
                ((on_true.shape_at(site)?, on_false.shape_at(site)?), self.array_at(site)?);
            if shapes.0 != shapes.1 {
                return Err(site.error(format!(
                    "the alternatives have the same shape, found {} and {}",
                    shapes.0, shapes.1
                )));
            }
            if scalar.rank() > 0 {
                return Err(site.error(format!("tuples are selected by a scalar, found {scalar}")));
            }
            let parts = left.iter().zip(right.iter());
            let parts = parts.map(|(left, right)| self.selected(site, left, right));
            return Ok(graph.tuple(parts.collect::<Result<_>>()?));
        }
        let operands = graph.values(site, &[self.clone(), on_true.clone(), on_false.clone()])?;
        for op in [on_true, on_false] {
            if let Shape::Token = op.shape_at(site)? {
                return Err(site.error("tokens cannot be selected"));
            }
        }
        graph.emit_op(site, stablehlo::SELECT, Results::Inferred, |op| op.operands(&operands))
    }
}

impl Builder {
    /// XLA's `Select(pred, on_true, on_false)`.
    ///
    /// # Errors
    /// As [`Op::select`].
    #[track_caller]
    pub fn select(&self, pred: &Op, on_true: &Op, on_false: &Op) -> Result<Op> {
        pred.select(on_true, on_false)
    }
}
