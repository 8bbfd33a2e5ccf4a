//! Random numbers.

use strata_ir as ir;

/// Algorithms for random bits.
pub use strata_ir::RngAlgorithm as RandomAlgorithm;
use strata_ir::{RngDistribution, stablehlo};

use crate::{
    Builder,
    element::{F32, U32, U64},
    error::{Result, Site},
    graph::Results,
    literal::Literal,
    op::Op,
    shape::{ArrayShape, Shape},
};

impl Builder {
    /// Numbers of the normal distribution with a mean and a standard deviation, scalars of the shape's element type.
    ///
    /// # Errors
    /// For parameters that are not scalars, and element types that are not floats or differ.
    #[track_caller]
    pub fn rng_normal(&self, mu: &Op, sigma: &Op, shape: &Shape) -> Result<Op> {
        self.random(Site::new("RngNormal"), mu, sigma, shape, RngDistribution::Normal)
    }

    /// Numbers of the uniform distribution over `[a, b)`, scalars of the shape's element type.
    ///
    /// # Errors
    /// For parameters that are not scalars, and element types that differ.
    #[track_caller]
    pub fn rng_uniform(&self, a: &Op, b: &Op, shape: &Shape) -> Result<Op> {
        self.random(Site::new("RngUniform"), a, b, shape, RngDistribution::Uniform)
    }

    /// 1 with the probability `mean`, a scalar of `F32`, else 0, of `U32`: a uniform number compared with it.
    ///
    /// # Errors
    /// For a mean of another type, and a shape of other elements than `U32`.
    #[track_caller]
    pub fn rng_bernoulli(&self, mean: &Op, shape: &Shape) -> Result<Op> {
        let site = Site::new("RngBernoulli");
        let own = mean.array_at(site)?;
        if own != ArrayShape::new(F32, []) {
            return Err(site.error(format!("the mean is f32[], found {own}")));
        }
        let dimensions = match shape {
            Shape::Array(array) if array.element == U32 => &array.dimensions,
            other => {
                return Err(
                    site.error(format!("the elements of the result are u32, found {other}"))
                );
            }
        };
        let (zero, one) = (self.constant(0.0_f32), self.constant(1.0_f32));
        let shape = Shape::array(F32, dimensions);
        let numbers = self.random(site, &zero, &one, &shape, RngDistribution::Uniform)?;
        numbers.lt(mean)?.convert_element_type(U32)
    }

    fn random(
        &self,
        site: Site,
        a: &Op,
        b: &Op,
        shape: &Shape,
        distribution: RngDistribution,
    ) -> Result<Op> {
        let graph = &self.graph;
        let operands = graph.values(site, &[a.clone(), b.clone()])?;
        let Shape::Array(wanted) = shape else {
            return Err(site.error(format!("the shape is {shape}, expected an array")));
        };
        graph.type_of(site, shape)?;
        if !wanted.is_static() {
            return Err(site.error(format!("the sizes of the shape are known, found {shape}")));
        }
        for one in [a, b] {
            let own = one.array_at(site)?;
            if own != ArrayShape::new(wanted.element, []) {
                return Err(site.error(format!(
                    "the parameters are scalars of the shape's element type, found {own} for {shape}"
                )));
            }
        }
        let sizes = graph
            .value(site, &self.literal_at(site, &Literal::from(wanted.dimensions.as_slice())))?;
        let distribution = distribution.to_attribute(graph.context());
        let distribution =
            distribution.ok_or_else(|| site.error("there is no such distribution"))?;
        graph.emit_op(site, stablehlo::RNG, Results::Inferred, |op| {
            op.operands(&operands).operand(sizes).attr("rng_distribution", distribution)
        })
    }

    /// Random bits of a shape, a function of the algorithm and its state: a tuple of the next state and the bits.
    /// Threefry's state is `U64[2]`, that of Philox `U64[2]` or `U64[3]`.
    ///
    /// # Errors
    /// For a state that the algorithm does not have.
    #[track_caller]
    pub fn rng_bit_generator(
        &self,
        algorithm: RandomAlgorithm,
        initial_state: &Op,
        shape: &Shape,
    ) -> Result<Op> {
        let site = Site::new("RngBitGenerator");
        let graph = &self.graph;
        let state = graph.value(site, initial_state)?;
        let own = initial_state.array_at(site)?;
        let known: &[i64] = match algorithm {
            RandomAlgorithm::Default => &[],
            RandomAlgorithm::ThreeFry => &[2],
            RandomAlgorithm::Philox => &[2, 3],
        };
        if !known.is_empty() && !known.iter().any(|size| own == ArrayShape::new(U64, [*size])) {
            return Err(
                site.error(format!("the state is u64[n] with n one of {known:?}, found {own}"))
            );
        }
        let types = vec![state.ty(), graph.type_of(site, shape)?];
        let algorithm = algorithm.to_attribute(graph.context());
        let algorithm = algorithm.ok_or_else(|| site.error("there is no such algorithm"))?;
        graph.emit_many(site, stablehlo::RNG_BIT_GENERATOR, Results::Given(types), |op| {
            op.operand(state).attr("rng_algorithm", algorithm)
        })
    }
}

impl Builder {
    /// A 64-bit integer attribute.
    pub(super) fn i64_attribute(&self, value: i64) -> ir::Attribute<'static> {
        ir::int(ir::integer(self.graph.context(), 64), value)
    }
}
