//! The builder: parameters, constants, and finished programs.

use std::rc::Rc;

use strata_ir::{self as ir, Location, stablehlo};

use crate::{
    computation::Computation,
    element::ElementType,
    error::{Error, Result, Site},
    graph::{Graph, Parameter, Results},
    literal::Literal,
    op::Op,
    shape::{ArrayShape, Shape},
    spelling,
};

/// Builds one program, or one computation that other programs use.
///
/// Cheap to clone: clones build the same program. All builders of a thread may use each other's computations; values
/// belong to one builder.
#[derive(Clone)]
pub struct Builder {
    pub(crate) graph: Rc<Graph>,
}

impl Builder {
    /// A builder without operations, for a program of that name.
    #[track_caller]
    pub fn new(name: &str) -> Self {
        Self { graph: Graph::new(Site::new("Builder"), name) }
    }

    /// The name of the program.
    pub fn name(&self) -> &str {
        &self.graph.name
    }

    /// The next parameter, an array. An invalid shape gives a failed handle: the first operation that uses it, and
    /// [`Self::build`], report the error with this location.
    #[track_caller]
    pub fn parameter(&self, element: ElementType, dimensions: impl AsRef<[i64]>, name: &str) -> Op {
        self.declare(Site::new("Parameter"), None, &Shape::array(element, dimensions), name)
    }

    /// The next parameter, of any shape. Fails as [`Self::parameter`] does.
    #[track_caller]
    pub fn parameter_of(&self, shape: &Shape, name: &str) -> Op {
        self.declare(Site::new("Parameter"), None, shape, name)
    }

    /// Parameter `number`, of any shape: XLA's `Parameter(builder, number, shape, name)`. When the program is built,
    /// there has to be one for each number from 0 on. Fails as [`Self::parameter`] does.
    #[track_caller]
    pub fn parameter_at(&self, number: usize, shape: &Shape, name: &str) -> Op {
        self.declare(Site::new("Parameter"), Some(number), shape, name)
    }

    fn declare(&self, site: Site, number: Option<usize>, shape: &Shape, name: &str) -> Op {
        match self.try_declare(site, number, shape, name) {
            Ok(op) => op,
            Err(error) => self.graph.failed(error),
        }
    }

    fn try_declare(
        &self,
        site: Site,
        number: Option<usize>,
        shape: &Shape,
        name: &str,
    ) -> Result<Op> {
        let graph = &self.graph;
        let types = graph.types_of(site, shape)?;
        let location = Location::name(graph.context(), name, graph.location(site));
        {
            let parameters = &mut graph.state.borrow_mut().parameters;
            let next = parameters.iter().map(|one| one.number + 1).max().unwrap_or(0);
            let number = number.unwrap_or(next);
            if let Some(other) = parameters.iter().find(|one| one.number == number) {
                let reason = format!("there is a parameter {number} already, `{}`", other.name);
                return Err(site.error(reason));
            }
            if let Some(other) = parameters.iter().find(|one| one.name == name && !name.is_empty())
            {
                return Err(site.hinted(
                    format!("parameter {} is called `{name}` already", other.number),
                    "give each parameter a name of its own: inputs are given by name",
                ));
            }
            let start = graph.block.arg_count();
            let arguments = start..start + types.len();
            let (name, shape) = (name.to_owned(), shape.clone());
            parameters.push(Parameter { number, name, shape, arguments });
        }
        let values: Vec<_> =
            types.into_iter().map(|ty| graph.block.add_arg(ty, location)).collect();
        graph
            .gathered(shape, &mut values.into_iter())
            .ok_or_else(|| site.error("the parameter has no value"))
    }

    /// A constant array. An invalid literal gives a failed handle, as in [`Self::parameter`].
    #[track_caller]
    pub fn constant(&self, literal: impl Into<Literal>) -> Op {
        self.literal_at(Site::new("ConstantLiteral"), &literal.into())
    }

    /// As [`Self::constant`]: XLA's `ConstantLiteral`.
    #[track_caller]
    pub fn constant_literal(&self, literal: &Literal) -> Op {
        self.literal_at(Site::new("ConstantLiteral"), literal)
    }

    pub(crate) fn literal_at(&self, site: Site, literal: &Literal) -> Op {
        match self.try_literal(site, literal) {
            Ok(op) => op,
            Err(error) => self.graph.failed(error),
        }
    }

    fn try_literal(&self, site: Site, literal: &Literal) -> Result<Op> {
        let graph = &self.graph;
        let ty = graph.type_of(site, &literal.shape())?;
        let value = ir::dense_bytes(ty, literal.bytes()).ok_or_else(|| {
            site.error(format!("there is no constant of shape {}", literal.shape()))
        })?;
        graph.emit_op(site, stablehlo::CONSTANT, Results::Inferred, |op| op.attr("value", value))
    }

    /// The first failed handle's error, those of [`Self::parameter`] and [`Self::constant`]: the error that [`Self::build`]
    /// would return. Other calls return their errors directly.
    pub fn first_error(&self) -> Option<Error> {
        self.graph.state.borrow().first_error.clone()
    }

    /// The program that computes `root`: an array, or a tuple for several results. Operations that neither `root` nor an
    /// effect needs are dropped; parameters are kept. The builder can continue, and build other programs.
    ///
    /// # Errors
    /// An invalid parameter or constant, a value of another builder, a missing parameter number.
    #[track_caller]
    pub fn build(&self, root: &Op) -> Result<Computation> {
        let site = Site::new("Build");
        if let Some(error) = self.first_error() {
            return Err(error);
        }
        Computation::of(site, &self.graph, root)
    }

    /// Attaches this sharding to all later operations (`mhlo.sharding`): XLA's `SetSharding`.
    pub fn set_sharding(&self, sharding: Option<&str>) {
        let value = sharding.map(|text| ir::string(self.graph.context(), text));
        self.set_attribute("mhlo.sharding", value);
    }

    /// Attaches these attributes to all later operations (`mhlo.frontend_attributes`): XLA's `SetFrontendAttributes`. An empty
    /// list removes them.
    ///
    /// # Errors
    /// A name that is empty or given twice.
    #[track_caller]
    pub fn set_frontend_attributes(&self, attributes: &[(&str, &str)]) -> Result<()> {
        let site = Site::new("SetFrontendAttributes");
        let context = self.graph.context();
        let entries: Vec<_> =
            attributes.iter().map(|(name, text)| (*name, ir::string(context, text))).collect();
        let value = ir::dictionary(context, &entries)
            .ok_or_else(|| site.error("the name of an attribute is empty or given twice"))?;
        let value = (!attributes.is_empty()).then_some(value);
        self.set_attribute("mhlo.frontend_attributes", value);
        Ok(())
    }

    /// Adds this name to the location of all later operations, for diagnostics and profiles: XLA's `SetOpMetadata`.
    pub fn set_op_metadata(&self, op_name: Option<&str>) {
        self.graph.state.borrow_mut().metadata = op_name.map(str::to_owned);
    }

    fn set_attribute(&self, name: &str, value: Option<ir::Attribute<'static>>) {
        let attributes = &mut self.graph.state.borrow_mut().attributes;
        attributes.retain(|(known, _)| known != name);
        attributes.extend(value.map(|value| (name.to_owned(), value)));
        attributes.sort_by(|one, other| one.0.cmp(&other.0));
    }

    /// The shape of a value.
    ///
    /// # Errors
    /// As [`Op::shape`].
    #[track_caller]
    pub fn get_shape(&self, op: &Op) -> Result<Shape> {
        op.shape_at(Site::new("GetShape"))
    }

    /// A scalar of an array's element type.
    pub(crate) fn number(
        &self,
        site: Site,
        like: &ArrayShape,
        number: crate::literal::Number,
    ) -> Result<Op> {
        if !number.fits(like.element) {
            return Err(site.hinted(
                format!("{number:?} is not a value of {}", spelling::element(like.element)),
                "convert the operand, or use a number that its element type can represent",
            ));
        }
        self.try_literal(site, &Literal::of_number(like.element, number))
    }
}
