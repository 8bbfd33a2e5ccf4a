//! XLA's broadcasting of two operands: scalars, `broadcast_dimensions`, and dimensions of size 1.

use std::rc::Rc;
use strata_ir::stablehlo;

use crate::{
    error::{Error, Result, Site},
    graph::{Graph, Results},
    op::Op,
    shape::{ArrayShape, Shape},
};

const PAGE: &str = "the broadcasting page says what is compatible";

/// The error for operands that only differ in what they consist of, or in more.
pub(crate) fn mixed_types(site: Site, left: &ArrayShape, right: &ArrayShape) -> Error {
    site.hinted(
        format!("the operands have different element types: {left} and {right}"),
        "`convert_element_type` converts one of them",
    )
}

/// The operands, each with the shape of the result.
///
/// # Errors
/// The rule of the broadcasting page that is violated.
pub(crate) fn pair(
    site: Site,
    graph: &Rc<Graph>,
    lhs: &Op,
    rhs: &Op,
    dimensions: Option<&[i64]>,
) -> Result<(Op, Op)> {
    let (left, right) = (shape(site, graph, lhs)?, shape(site, graph, rhs)?);
    if left.element != right.element {
        return Err(mixed_types(site, &left, &right));
    }
    let left_is_larger = left.rank() >= right.rank();
    let (larger, smaller) = if left_is_larger { (&left, &right) } else { (&right, &left) };
    let map = mapping(site, larger, smaller, dimensions)?;
    if larger.rank() == smaller.rank() && sizes(larger).eq(sizes(smaller)) {
        return Ok((lhs.clone(), rhs.clone()));
    }
    let result = result(site, larger, smaller, &map)?;
    let identity: Vec<i64> = (0..larger.rank() as i64).collect();
    let (of_left, of_right) = if left_is_larger { (&identity, &map) } else { (&map, &identity) };
    Ok((
        broadcast(site, graph, lhs, &left, &result, of_left)?,
        broadcast(site, graph, rhs, &right, &result, of_right)?,
    ))
}

fn shape(site: Site, graph: &Rc<Graph>, op: &Op) -> Result<ArrayShape> {
    graph.value(site, op)?;
    op.array_at(site)
}

fn sizes(shape: &ArrayShape) -> impl Iterator<Item = (&i64, &bool)> {
    shape.dimensions.iter().zip(&shape.is_dynamic)
}

/// The dimension of the larger array that each dimension of the smaller one matches.
fn mapping(
    site: Site,
    larger: &ArrayShape,
    smaller: &ArrayShape,
    dimensions: Option<&[i64]>,
) -> Result<Vec<i64>> {
    let rank = larger.rank() as i64;
    if larger.rank() == smaller.rank() {
        let identity: Vec<i64> = (0..rank).collect();
        return match dimensions {
            None | Some([]) => Ok(identity),
            Some(given) if given == identity => Ok(identity),
            Some(given) => Err(site.hinted(
                format!(
                    "broadcast_dimensions of arrays of equal rank match each dimension with itself, found {given:?} for {larger} and {smaller}"
                ),
                "omit them",
            )),
        };
    }
    let Some(given) = dimensions.filter(|given| !given.is_empty() || smaller.rank() == 0) else {
        if smaller.rank() == 0 {
            return Ok(Vec::new());
        }
        return Err(site.hinted(
            format!(
                "arrays of different rank need broadcast_dimensions, none are given for {larger} and {smaller}"
            ),
            "give the dimensions of the larger array that those of the smaller one match: `add_in_dim(…, &[1])`",
        ));
    };
    if given.len() != smaller.rank() {
        return Err(site.error(format!(
            "broadcast_dimensions have one entry for each dimension of the lower-rank array {smaller}, found {given:?}"
        )));
    }
    if let Some(outside) = given.iter().find(|at| !(0..rank).contains(*at)) {
        return Err(site.error(format!(
            "broadcast dimension {outside} is not a dimension of the higher-rank array {larger}"
        )));
    }
    if given.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(
            site.error(format!("broadcast_dimensions are strictly increasing, found {given:?}"))
        );
    }
    Ok(given.to_vec())
}

/// The common shape: of each pair of sizes the one that is not 1.
fn result(
    site: Site,
    larger: &ArrayShape,
    smaller: &ArrayShape,
    map: &[i64],
) -> Result<ArrayShape> {
    let mut result = larger.clone();
    for (at, target) in map.iter().enumerate() {
        let target = *target as usize;
        let own = (smaller.dimensions[at], smaller.is_dynamic[at]);
        let other = (larger.dimensions[target], larger.is_dynamic[target]);
        let joined = match (own, other) {
            _ if own == other => own,
            ((1, false), other) => other,
            (own, (1, false)) => own,
            // A static size may equal a dynamic one.
            ((_, true), (_, true)) | ((_, true), _) | (_, (_, true)) => {
                if own.1 {
                    other
                } else {
                    own
                }
            }
            _ => {
                return Err(site.hinted(
                    format!(
                        "dimension {at} of {smaller} and dimension {target} of {larger} are incompatible: they are neither equal nor is one of them 1"
                    ),
                    PAGE,
                ));
            }
        };
        result.dimensions[target] = joined.0;
        result.is_dynamic[target] = joined.1;
    }
    result.element = larger.element;
    Ok(result)
}

fn broadcast(
    site: Site,
    graph: &Rc<Graph>,
    op: &Op,
    own: &ArrayShape,
    result: &ArrayShape,
    map: &[i64],
) -> Result<Op> {
    if own.rank() == result.rank() && sizes(own).eq(sizes(result)) {
        return Ok(op.clone());
    }
    let value = graph.value(site, op)?;
    let shape = ArrayShape { element: own.element, ..result.clone() };
    let ty = graph.type_of(site, &Shape::Array(shape))?;
    let dims = strata_ir::i64s(graph.context(), map);
    graph.emit_op(site, stablehlo::BROADCAST_IN_DIM, Results::Given(vec![ty]), |op| {
        op.operand(value).attr("broadcast_dimensions", dims)
    })
}
