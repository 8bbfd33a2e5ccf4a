//! Dot products.

use strata_ir::{self as ir, Precision, chlo, stablehlo};

use crate::{
    broadcast::mixed_types,
    element::ElementType,
    error::{Result, Site},
    graph::Results,
    op::Op,
    operand::Operand,
    shape::element_type,
};

/// The contracting and batch dimensions of a dot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotDimensionNumbers {
    /// Contracted dimensions of the left operand, paired with those of the right one.
    pub lhs_contracting_dimensions: Vec<i64>,
    /// Contracted dimensions of the right operand.
    pub rhs_contracting_dimensions: Vec<i64>,
    /// Batch dimensions of the left operand, paired with those of the right one.
    pub lhs_batch_dimensions: Vec<i64>,
    /// Batch dimensions of the right operand.
    pub rhs_batch_dimensions: Vec<i64>,
}

/// The dimensions of a ragged dot, whose left operand is split into groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaggedDotDimensionNumbers {
    /// As for any dot.
    pub dot: DotDimensionNumbers,
    /// The dimension of the left operand that is split.
    pub lhs_ragged_dimensions: Vec<i64>,
    /// The dimension of the right operand that holds one entry for each group.
    pub rhs_group_dimensions: Vec<i64>,
}

/// Options of a dot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotOptions {
    /// The precision of each operand; none is `Default` for both.
    pub precision_config: Vec<Precision>,
    /// The element type of the result; the left operand's where it is not given.
    pub preferred_element_type: Option<ElementType>,
}

impl DotOptions {
    /// `[#stablehlo<precision …>, …]`.
    pub(super) fn precision(
        &self,
        context: &'static ir::Context,
    ) -> Option<ir::Attribute<'static>> {
        let all: Vec<_> =
            self.precision_config.iter().filter_map(|one| one.to_attribute(context)).collect();
        (!all.is_empty()).then(|| ir::array(context, &all))
    }

    pub(super) fn element(
        &self,
        site: Site,
        context: &'static ir::Context,
        lhs: ElementType,
    ) -> Result<ir::Type<'static>> {
        let wanted = self.preferred_element_type.unwrap_or(lhs);
        element_type(context, wanted)
            .ok_or_else(|| site.error(format!("there is no element type {wanted}")))
    }
}

impl Op {
    /// The product of vectors, of a matrix and a vector, or of matrices: sums over the last dimension of `self` and the
    /// first of `rhs`.
    ///
    /// # Errors
    /// For other ranks, and contracted dimensions of different sizes.
    #[track_caller]
    pub fn dot(&self, rhs: impl Operand) -> Result<Op> {
        let site = Site::new("Dot");
        let rhs = self.beside(site, rhs)?;
        self.dotted(site, &rhs, &DotOptions::default())
    }

    /// As [`Op::dot`], with a precision and an element type of the result.
    ///
    /// # Errors
    /// As [`Op::dot`].
    #[track_caller]
    pub fn dot_with(&self, rhs: impl Operand, options: &DotOptions) -> Result<Op> {
        let site = Site::new("Dot");
        let rhs = self.beside(site, rhs)?;
        self.dotted(site, &rhs, options)
    }

    fn dotted(&self, site: Site, rhs: &Op, options: &DotOptions) -> Result<Op> {
        let (left, right) = (self.array_at(site)?, rhs.array_at(site)?);
        if !(1..=2).contains(&left.rank()) || !(1..=2).contains(&right.rank()) {
            return Err(site.hinted(
                format!("the operands are vectors or matrices, found {left} and {right}"),
                "`dot_general` takes arrays of any rank",
            ));
        }
        let numbers = DotDimensionNumbers {
            lhs_contracting_dimensions: vec![left.rank() as i64 - 1],
            rhs_contracting_dimensions: vec![0],
            ..DotDimensionNumbers::default()
        };
        self.contracted(site, rhs, &numbers, options)
    }

    /// Sums of products over contracted dimensions, for each index of the batch dimensions. The result has the batch
    /// dimensions, then the other ones of `self`, then those of `rhs`.
    ///
    /// # Errors
    /// For dimensions out of range or given twice, and pairs of different sizes.
    #[track_caller]
    pub fn dot_general(
        &self,
        rhs: impl Operand,
        dimension_numbers: &DotDimensionNumbers,
    ) -> Result<Op> {
        self.dot_general_with(rhs, dimension_numbers, &DotOptions::default())
    }

    /// As [`Op::dot_general`], with a precision and an element type of the result.
    ///
    /// # Errors
    /// As [`Op::dot_general`].
    #[track_caller]
    pub fn dot_general_with(
        &self,
        rhs: impl Operand,
        dimension_numbers: &DotDimensionNumbers,
        options: &DotOptions,
    ) -> Result<Op> {
        let site = Site::new("DotGeneral");
        let rhs = self.beside(site, rhs)?;
        self.contracted(site, &rhs, dimension_numbers, options)
    }

    fn contracted(
        &self,
        site: Site,
        rhs: &Op,
        numbers: &DotDimensionNumbers,
        options: &DotOptions,
    ) -> Result<Op> {
        let graph = &self.graph;
        let context = graph.context();
        let operands = graph.values(site, &[self.clone(), rhs.clone()])?;
        let (left, right) = (self.array_at(site)?, rhs.array_at(site)?);
        if left.element != right.element {
            return Err(mixed_types(site, &left, &right));
        }
        let attribute = ir::DotDimensionNumbers {
            lhs_batching_dimensions: numbers.lhs_batch_dimensions.clone(),
            rhs_batching_dimensions: numbers.rhs_batch_dimensions.clone(),
            lhs_contracting_dimensions: numbers.lhs_contracting_dimensions.clone(),
            rhs_contracting_dimensions: numbers.rhs_contracting_dimensions.clone(),
        };
        let attribute = graph.made(|context| attribute.to_attribute(context));
        let attribute = attribute.ok_or_else(|| site.error("the dimension numbers are invalid"))?;
        let element = options.element(site, context, self.array_at(site)?.element)?;
        let precision = options.precision(context);
        graph.emit_op(site, stablehlo::DOT_GENERAL, Results::Elements(element), |op| {
            let op = op.operands(&operands).attr("dot_dimension_numbers", attribute);
            precision.into_iter().fold(op, |op, one| op.attr("precision_config", one))
        })
    }

    /// The dot of arrays whose elements are first multiplied by scales: each scale is repeated along its dimensions to
    /// its operand's shape. Built of conversions, multiplications and a general dot, in the element type of the result,
    /// by default `BF16`.
    ///
    /// # Errors
    /// As [`Op::dot_general`], and for scales whose dimensions do not divide the operands'.
    #[track_caller]
    pub fn scaled_dot(
        &self,
        lhs_scale: &Op,
        rhs: &Op,
        rhs_scale: &Op,
        dimension_numbers: &DotDimensionNumbers,
        options: &DotOptions,
    ) -> Result<Op> {
        let site = Site::new("ScaledDot");
        let element = options.preferred_element_type.unwrap_or(crate::element::BF16);
        let left = self.scaled(site, lhs_scale, element)?;
        let right = rhs.scaled(site, rhs_scale, element)?;
        let options = DotOptions { preferred_element_type: Some(element), ..options.clone() };
        left.contracted(site, &right, dimension_numbers, &options)
    }

    fn scaled(&self, site: Site, scale: &Op, element: ElementType) -> Result<Op> {
        self.graph.values(site, &[self.clone(), scale.clone()])?;
        let (own, sizes) = (self.array_at(site)?, scale.array_at(site)?);
        let divides = |(large, small): (&i64, &i64)| *small > 0 && large % small == 0;
        if own.rank() != sizes.rank() || !own.dimensions.iter().zip(&sizes.dimensions).all(divides)
        {
            return Err(site.error(format!(
                "each dimension of the scale divides that of its operand, found {sizes} for {own}"
            )));
        }
        // Each dimension of the scale is followed by a new one, along which it is repeated.
        let (mut repeated, mut places) = (Vec::new(), Vec::new());
        for (at, (large, small)) in own.dimensions.iter().zip(&sizes.dimensions).enumerate() {
            repeated.extend([*small, large / small]);
            places.push(2 * at as i64);
        }
        let scale = scale
            .convert_element_type(element)?
            .broadcast_in_dim(&repeated, &places)?
            .reshape(&own.dimensions)?;
        self.convert_element_type(element)?.binary(site, stablehlo::MULTIPLY, &scale, None)
    }

    /// The dot of an array, one dimension of which is split into groups of the sizes `group_sizes`, with one matrix for
    /// each group.
    ///
    /// # Errors
    /// As [`Op::dot_general`], and for groups that do not fit.
    #[track_caller]
    pub fn ragged_dot(
        &self,
        rhs: &Op,
        group_sizes: &Op,
        dimension_numbers: &RaggedDotDimensionNumbers,
        options: &DotOptions,
    ) -> Result<Op> {
        let site = Site::new("RaggedDot");
        let graph = &self.graph;
        let context = graph.context();
        let operands = graph.values(site, &[self.clone(), rhs.clone(), group_sizes.clone()])?;
        let dot = &dimension_numbers.dot;
        let text = format!(
            "#chlo.ragged_dot<lhs_batching_dimensions = {:?}, rhs_batching_dimensions = {:?}, \
             lhs_contracting_dimensions = {:?}, rhs_contracting_dimensions = {:?}, \
             lhs_ragged_dimensions = {:?}, rhs_group_dimensions = {:?}>",
            dot.lhs_batch_dimensions,
            dot.rhs_batch_dimensions,
            dot.lhs_contracting_dimensions,
            dot.rhs_contracting_dimensions,
            dimension_numbers.lhs_ragged_dimensions,
            dimension_numbers.rhs_group_dimensions
        );
        let attribute = ir::parse_attr(context, &text);
        let attribute = attribute.ok_or_else(|| site.error("the dimension numbers are invalid"))?;
        let element = options.element(site, context, self.array_at(site)?.element)?;
        let config = options.precision_config.iter().map(|one| {
            let text = format!("#chlo<precision {}>", one.keyword());
            ir::parse_attr(context, &text).ok_or_else(|| site.error("there is no such precision"))
        });
        let config = config.collect::<Result<Vec<_>>>()?;
        graph.emit_op(site, chlo::RAGGED_DOT, Results::Elements(element), |op| {
            let op = op.operands(&operands).attr("ragged_dot_dimension_numbers", attribute);
            if config.is_empty() {
                op
            } else {
                op.attr("precision_config", ir::array(context, &config))
            }
        })
    }
}
