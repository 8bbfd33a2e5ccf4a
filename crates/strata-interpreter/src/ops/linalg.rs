//! `linalg`: loops over the indices of a domain, in row-major order of its dimensions, on tensors or buffers.
//!
//! Named operations carry their region; their maps are in [`super::named`]. Sums are computed in the order of the domain:
//! sequentially, with the last dimension innermost.

use std::rc::Rc;

use strata_ir::{AffineExpr, AffineMap, Op, linalg};

use super::{named, scf::give, unknown};
use crate::{
    element::{Bits, Elem},
    fault::{Fault, Run},
    machine::{Block, Machine, Operand, Slot},
    memory::View,
    prepare::{Prepared, Preparer, number, unsupported},
    value::{Tensor, Value, each, outside, position},
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    match op.name() {
        linalg::INDEX => index(p, op),
        _ if op.region_count() == 1 => nest(p, op),
        _ => unknown(),
    }
}

fn index<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (dim, result) = (number(op, "dim")? as usize, p.result(op));
    Ok(Box::new(move |machine| {
        let at = machine.indices.get(dim).copied();
        let at = at.ok_or_else(|| Fault::internal(format!("there is no dimension {dim}")))?;
        machine.set(result, Value::Scalar(Elem::Index.wrap(at.into())));
        Ok(())
    }))
}

/// A linalg operation, resolved.
struct Nest {
    /// Inputs, then outputs.
    operands: Vec<Operand>,
    maps: Vec<AffineMap>,
    inputs: usize,
    /// Which arguments of the body are used.
    is_read: Vec<bool>,
    body: Block,
    results: Vec<Slot>,
}

fn nest<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let maps = named::maps(op)?;
    let operands = p.operands(op);
    let args = op.body(0).args();
    let inputs = named::inputs(op)?;
    if maps.len() != operands.len() || inputs > operands.len() {
        return unsupported("it does not have one map per operand");
    }
    // The region of `linalg.map` and the like may have no argument for an output.
    let is_read = (0..operands.len()).map(|at| args.get(at).is_some_and(|arg| arg.has_uses()));
    let nest = Nest {
        is_read: is_read.collect(),
        inputs,
        maps,
        operands,
        results: p.results(op),
        body: p.body(op, 0)?,
    };
    Ok(Box::new(move |machine| nest.run(machine)))
}

/// An operand of a linalg operation.
enum Place {
    Scalar(Bits),
    Tensor(Rc<Tensor>),
    Buffer(Rc<View>),
}

impl Place {
    fn shape(&self) -> Vec<i64> {
        match self {
            Self::Scalar(_) => Vec::new(),
            Self::Tensor(tensor) => tensor.shape.iter().map(|size| *size as i64).collect(),
            Self::Buffer(view) => view.shape.clone(),
        }
    }

    /// The stride of each dimension, in the units of [`Self::read`].
    fn strides(&self) -> Vec<i64> {
        match self {
            Self::Buffer(view) => {
                view.strides.iter().map(|stride| stride * view.elem.bytes() as i64).collect()
            }
            _ => crate::memory::dense_strides(&self.shape()),
        }
    }

    fn start(&self) -> i64 {
        if let Self::Buffer(view) = self { view.offset } else { 0 }
    }

    fn read(&self, machine: &Machine, at: i64) -> Run<Bits> {
        match self {
            Self::Scalar(bits) => Ok(*bits),
            Self::Tensor(tensor) => tensor.get(at as usize),
            Self::Buffer(view) => machine.memory.read(view, at),
        }
    }

    fn write(&mut self, machine: &mut Machine, at: i64, bits: Bits) -> Run {
        match self {
            Self::Scalar(_) => Err(Fault::internal("an output is not a buffer")),
            Self::Tensor(tensor) => {
                Rc::make_mut(tensor).set(at as usize, bits);
                Ok(())
            }
            Self::Buffer(view) => machine.memory.write(view, at, bits),
        }
    }
}

/// The positions of an operand's elements for each index of the domain.
enum Course {
    /// A linear function of the indices, in bounds for the whole domain.
    Linear { start: i64, steps: Vec<i64> },
    /// The map, evaluated for each index.
    Mapped { map: AffineMap, shape: Vec<usize>, strides: Vec<i64>, start: i64 },
}

impl Course {
    fn new(map: &AffineMap, place: &Place, domain: &[i64]) -> Run<Self> {
        let (shape, strides, start) = (place.shape(), place.strides(), place.start());
        if map.results.len() != shape.len() {
            return Err(Fault::internal("a map has other results than its operand dimensions"));
        }
        let mut course = (start, vec![0; domain.len()]);
        for (dim, result) in map.results.iter().enumerate() {
            let Some((factors, constant)) = result.linear(domain.len()) else {
                let shape = super::tensor::sizes(&shape)?;
                return Ok(Self::Mapped { map: map.clone(), shape, strides, start });
            };
            check(&factors, constant, domain, (dim, shape[dim]))?;
            course.0 += constant * strides[dim];
            for (step, factor) in course.1.iter_mut().zip(factors) {
                *step += factor * strides[dim];
            }
        }
        Ok(Self::Linear { start: course.0, steps: course.1 })
    }

    fn at(&self, index: &[i64]) -> Run<i64> {
        match self {
            Self::Linear { start, steps } => {
                Ok(start + index.iter().zip(steps).map(|(index, step)| index * step).sum::<i64>())
            }
            Self::Mapped { map, shape, strides, start } => {
                let results = map.results.iter().map(|result| result.value(index, &[]));
                let place: Vec<i64> = results
                    .collect::<Option<_>>()
                    .ok_or_else(|| Fault::undefined(format!("a map has no value for {index:?}")))?;
                position(&place, shape)?;
                Ok(start + place.iter().zip(strides).map(|(at, stride)| at * stride).sum::<i64>())
            }
        }
    }
}

/// Fails unless a linear function of the indices is in bounds of a dimension for the whole domain.
fn check(factors: &[i64], constant: i64, domain: &[i64], (dim, size): (usize, i64)) -> Run {
    if domain.contains(&0) {
        return Ok(());
    }
    let ends = factors.iter().zip(domain).map(|(factor, count)| factor * (count - 1));
    let (low, high) =
        ends.fold((constant, constant), |(low, high), end| (low + end.min(0), high + end.max(0)));
    match (low, high) {
        (low, _) if low < 0 => Err(outside(low, dim, size)),
        (_, high) if high >= size => Err(outside(high, dim, size)),
        _ => Ok(()),
    }
}

impl Nest {
    fn run(&self, machine: &mut Machine) -> Run {
        let mut places = Vec::new();
        for operand in &self.operands {
            places.push(match machine.value(*operand) {
                Value::Scalar(bits) => Place::Scalar(bits),
                Value::Tensor(tensor) => Place::Tensor(tensor),
                Value::Buffer(view) => Place::Buffer(view),
                other => return Err(crate::machine::unexpected(&other, "an operand")),
            });
        }
        let domain = self.domain(&places)?;
        let courses =
            self.maps.iter().zip(&places).map(|(map, place)| Course::new(map, place, &domain));
        let courses = courses.collect::<Run<Vec<_>>>()?;
        let outer = std::mem::take(&mut machine.indices);
        let outcome = each(&domain, |index| self.point(machine, index, &courses, &mut places));
        machine.indices = outer;
        outcome?;
        let outputs = places.into_iter().skip(self.inputs);
        let tensors = outputs.filter_map(|place| match place {
            Place::Tensor(tensor) => Some(Value::Tensor(tensor)),
            _ => None,
        });
        give(machine, &self.results, tensors.collect());
        Ok(())
    }

    /// One index of the domain.
    fn point(
        &self,
        machine: &mut Machine,
        index: &[i64],
        courses: &[Course],
        places: &mut [Place],
    ) -> Run {
        machine.indices.clear();
        machine.indices.extend_from_slice(index);
        for (at, slot) in self.body.args.iter().enumerate() {
            if self.is_read[at] {
                let bits = places[at].read(machine, courses[at].at(index)?)?;
                machine.frame[*slot] = Value::Scalar(bits);
            }
        }
        machine.run(&self.body)?;
        for (output, operand) in self.body.yields.iter().enumerate() {
            let bits = machine.scalar(*operand)?;
            let at = self.inputs + output;
            let place = courses[at].at(index)?;
            places[at].write(machine, place, bits)?;
        }
        Ok(())
    }

    /// The extent of each index: the size of a dimension that it alone addresses.
    fn domain(&self, places: &[Place]) -> Run<Vec<i64>> {
        let dims = self.maps.first().map_or(0, |map| map.dims);
        let mut domain = vec![None; dims];
        for (map, place) in self.maps.iter().zip(places) {
            for (result, size) in map.results.iter().zip(place.shape()) {
                if let AffineExpr::Dim(dim) = result {
                    domain[*dim].get_or_insert(size);
                }
            }
        }
        let missing = || Fault::undefined("the extent of an index is unknown");
        domain.into_iter().map(|size| size.ok_or_else(missing)).collect()
    }
}
