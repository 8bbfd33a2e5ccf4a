//! Handles to values of a program under construction.

use std::{fmt, rc::Rc};

use strata_ir::Value;

use crate::{
    builder::Builder,
    error::{Error, Result, Site},
    graph::Graph,
    shape::{ArrayShape, Shape},
};

/// A value of a program under construction: an array, a tuple or a token.
///
/// Cheap to clone. It belongs to its builder; other builders reject it with `S1015`. Operations are methods, under the
/// names of XLA's documents in snake case; those without an operand, or with a list of them, are methods of
/// [`Builder`].
#[derive(Clone)]
pub struct Op {
    pub(crate) graph: Rc<Graph>,
    pub(crate) node: Node,
}

#[derive(Clone)]
pub(crate) enum Node {
    /// An array or a token.
    Value(Value<'static>),
    Tuple(Rc<[Op]>),
    /// An operation that was started ([`Builder::async_start`]).
    Future(Rc<Future>),
    /// A failed call.
    Failed(Rc<Error>),
}

/// An operation that was started.
pub(crate) enum Future {
    /// StableHLO's `async_start`, with the shape of the result.
    Started(Value<'static>, Shape),
    /// The result.
    Done(Op),
}

impl Op {
    /// The shape.
    ///
    /// # Errors
    /// The error of the failed call.
    #[track_caller]
    pub fn shape(&self) -> Result<Shape> {
        self.shape_at(Site::new("GetShape"))
    }

    pub(crate) fn shape_at(&self, site: Site) -> Result<Shape> {
        match &self.node {
            Node::Value(value) => {
                Shape::from_type(value.ty()).ok_or_else(|| site.error("the value has no shape"))
            }
            Node::Tuple(elements) => {
                let shapes = elements.iter().map(|element| element.shape_at(site));
                Ok(Shape::Tuple(shapes.collect::<Result<_>>()?))
            }
            Node::Future(future) => match &**future {
                Future::Started(_, shape) => Ok(shape.clone()),
                Future::Done(op) => op.shape_at(site),
            },
            Node::Failed(error) => Err((**error).clone()),
        }
    }

    /// The array's shape, for `site`.
    pub(crate) fn array_at(&self, site: Site) -> Result<ArrayShape> {
        match self.shape_at(site)? {
            Shape::Array(array) => Ok(array),
            other => Err(site.error(format!("the operand is {other}, expected an array"))),
        }
    }

    /// The size of each dimension of an array.
    ///
    /// # Errors
    /// As [`Self::shape`], and for tuples and tokens.
    #[track_caller]
    pub fn dimensions(&self) -> Result<Vec<i64>> {
        Ok(self.array_at(Site::new("GetShape"))?.dimensions)
    }

    /// The element type of an array.
    ///
    /// # Errors
    /// As [`Self::shape`], and for tuples and tokens.
    #[track_caller]
    pub fn element_type(&self) -> Result<crate::ElementType> {
        Ok(self.array_at(Site::new("GetShape"))?.element)
    }

    /// The builder that the value belongs to.
    pub fn builder(&self) -> Builder {
        Builder { graph: Rc::clone(&self.graph) }
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shape_at(Site::new("GetShape")) {
            Ok(shape) => write!(formatter, "Op({shape})"),
            Err(error) => write!(formatter, "Op(failed: {error})"),
        }
    }
}
