//! What is needed of each tensor of a block: from the last operation to the first, what its users need.
//!
//! ```mlir
//! %m = linalg.generic … { arith.select (%d1 < %s), %x, %zero }         // of %x, the first %s columns
//! %r = linalg.matmul ins(%a, %b)                                       // of %a, the rows that are needed of %r; all of %b
//! return %r                                                            // what the entry says
//! ```
//! Tensors whose values become addresses, divisors or trip counts are needed whole, and so is all that they are computed from.
//! A mask is a comparison of an index with a size; what is chosen where it holds is needed there only. Reductions need all that
//! they run over: masks before them are what makes parts of it unnecessary.

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Block, Context, DYNAMIC, LIMIT, Op, TypeExt as _,
    VALID, Value,
    arith::{self, CmpIPredicate},
    func, linalg, tensor,
};

use super::{Bound, Need};
use crate::structured::Structured;

/// What is needed of the tensors of a block.
#[derive(Default)]
pub struct Needs<'c> {
    /// The number of sizes that the entry takes.
    pub sizes: usize,
    known: HashMap<Value<'c>, Vec<Need>>,
}

impl<'c> Needs<'c> {
    /// The needs of the tensors in the body of the entry; none where the program has no bounds.
    pub fn of(entry: Op<'c>) -> Self {
        let Some((sizes, valid)) = valid(entry) else { return Self::default() };
        let Some(body) = entry.region(0).first_block() else { return Self::default() };
        let facts = Facts::of(body, sizes);
        let mut needs = Self { sizes, known: HashMap::new() };
        for op in body.ops().into_iter().rev() {
            if op.is(func::RETURN) {
                for (index, value) in op.operands().into_iter().enumerate() {
                    // Lists of sizes come after the outputs.
                    match valid.get(index) {
                        Some(valid) => needs.add(value, valid.clone()),
                        None => needs.add_all(value),
                    }
                }
            } else {
                needs.step(op, &facts);
            }
        }
        needs
    }

    /// What is needed of a tensor, if that is less than all of it.
    pub fn partial(&self, value: Value<'c>) -> Option<&[Need]> {
        let needs = self.known.get(&value)?;
        needs.iter().any(|need| matches!(need, Need::Below(_))).then_some(needs)
    }

    /// Gives the elementwise operations that have no schedule the numbers of iterations that are needed of each loop: a list of maps
    /// from the sizes, without a result for a loop that is needed whole.
    pub fn limit_unscheduled(&self, context: &'c Context, block: Block<'c>) {
        if self.known.is_empty() {
            return;
        }
        for op in block.ops() {
            let Some(nest) = Structured::of_generic(op).filter(Structured::is_parallel) else {
                continue;
            };
            let maps = op.indexing_maps().unwrap_or_default();
            let mut limits = vec![Need::Nothing; nest.extents.len()];
            for (index, result) in op.results().into_iter().enumerate() {
                let needs = self.needed(result);
                let dims = maps.get(nest.inputs + index).and_then(AffineMap::projected);
                for (number, limit) in limits.iter_mut().enumerate() {
                    let at =
                        dims.as_ref().and_then(|dims| dims.iter().position(|dim| *dim == number));
                    *limit = limit.or(at.map_or(Need::All, |at| needs[at]));
                }
            }
            if !limits.iter().any(|limit| matches!(limit, Need::Below(_))) {
                continue;
            }
            let map = |limit: &Need| match limit {
                Need::Below(bound) => bound.to_map(self.sizes),
                Need::Nothing | Need::All => AffineMap::new(self.sizes, Vec::new()),
            };
            let maps: Vec<_> = limits.iter().map(map).collect();
            op.set_attr(LIMIT, AffineMap::list(context, &maps));
        }
    }

    fn add(&mut self, value: Value<'c>, needs: Vec<Need>) {
        let Some(rank) = value.ty().rank().filter(|_| value.ty().is_tensor_type()) else { return };
        let known = self.known.entry(value).or_insert_with(|| vec![Need::Nothing; rank]);
        let needs = if needs.len() == rank { needs } else { vec![Need::All; rank] };
        for (known, need) in known.iter_mut().zip(needs) {
            *known = known.or(need);
        }
    }

    fn add_all(&mut self, value: Value<'c>) {
        let rank = value.ty().rank().unwrap_or_default();
        self.add(value, vec![Need::All; rank]);
    }

    /// What is needed of a result.
    fn needed(&self, value: Value<'c>) -> Vec<Need> {
        let rank = value.ty().rank().unwrap_or_default();
        self.known.get(&value).cloned().unwrap_or_else(|| vec![Need::Nothing; rank])
    }

    fn step(&mut self, op: Op<'c>, facts: &Facts<'c>) {
        let handled = match op.name() {
            tensor::PAD => self.pad(op),
            tensor::EXTRACT_SLICE => self.extract_slice(op),
            tensor::INSERT_SLICE => self.insert_slice(op),
            tensor::COLLAPSE_SHAPE => self.collapse(op),
            tensor::EXPAND_SHAPE => self.expand(op),
            _ if op.dialect() == "linalg" => self.structured(op, facts),
            _ => None,
        };
        if handled.is_none() {
            op.operands().into_iter().for_each(|operand| self.add_all(operand));
        }
        // Whatever regions use of tensors around them.
        let own: Vec<Value<'c>> =
            op.collect(|inner| inner != op).into_iter().flat_map(Op::operands).collect();
        for value in own.into_iter().filter(|value| value.ty().is_tensor_type()) {
            if value.owner().is_some_and(|owner| !op.encloses(owner)) || value.block_arg().is_some()
            {
                self.add_all(value);
            }
        }
    }

    fn pad(&mut self, op: Op<'c>) -> Option<()> {
        let low = op.attr("static_low")?.as_i64s()?;
        let needs = self.needed(op.result(0)).into_iter().zip(low);
        let needs = needs.map(|(need, low)| match low {
            DYNAMIC => Need::All,
            low => need.moved(1, -low),
        });
        self.add(op.operand(0), needs.collect());
        Some(())
    }

    fn extract_slice(&mut self, op: Op<'c>) -> Option<()> {
        let offsets = slice(op, op.operand(0), op.result(0))?;
        let needs = self.needed(op.result(0)).into_iter().zip(offsets);
        self.add(op.operand(0), needs.map(|(need, at)| need.moved(1, at)).collect());
        Some(())
    }

    fn insert_slice(&mut self, op: Op<'c>) -> Option<()> {
        let offsets = slice(op, op.operand(1), op.operand(0))?;
        let needs = self.needed(op.result(0));
        self.add(op.operand(1), needs.clone());
        let part = needs.into_iter().zip(offsets).map(|(need, at)| need.moved(1, -at));
        self.add(op.operand(0), part.collect());
        Some(())
    }

    /// A group of dimensions of which only the first one has elements that are not needed.
    fn collapse(&mut self, op: Op<'c>) -> Option<()> {
        let shape = op.operand(0).ty().shape()?;
        let mut needs = vec![Need::All; shape.len()];
        for (need, group) in self.needed(op.result(0)).into_iter().zip(groups(op)?) {
            let long = long(&shape, &group);
            let Some((first, rest)) = long.split_first() else { continue };
            let inner: i64 = rest.iter().map(|dim| shape[*dim]).product();
            needs[*first] = match need {
                Need::Below(bound) if inner > 0 && bound.scale % inner == 0 => {
                    let more = bound.more.div_euclid(inner) + i64::from(bound.more % inner != 0);
                    Need::Below(Bound { scale: bound.scale / inner, more, ..bound })
                }
                Need::Below(_) => Need::All,
                need => need,
            };
        }
        self.add(op.operand(0), needs);
        Some(())
    }

    fn expand(&mut self, op: Op<'c>) -> Option<()> {
        let shape = op.result(0).ty().shape()?;
        let own = self.needed(op.result(0));
        let groups = groups(op)?;
        let needs = groups.iter().map(|group| {
            let long = long(&shape, group);
            let Some((first, rest)) = long.split_first() else { return Need::All };
            let inner: i64 = rest.iter().map(|dim| shape[*dim]).product();
            match own[*first] {
                // The last row is needed whole.
                Need::Below(bound) => bound
                    .scale
                    .checked_mul(inner)
                    .zip(bound.more.checked_mul(inner))
                    .filter(|(scale, _)| *scale > 0)
                    .map_or(Need::All, |(scale, more)| Need::Below(Bound { scale, more, ..bound })),
                need => need,
            }
        });
        let needs = needs.collect();
        self.add(op.operand(0), needs);
        Some(())
    }

    fn structured(&mut self, op: Op<'c>, facts: &Facts<'c>) -> Option<()> {
        let nest = Loops::of(op).filter(|_| op.body(0).arg_count() == op.operand_count())?;
        let mut needs = vec![Need::All; nest.extents.len()];
        let inputs = op.operand_count() - op.result_count();
        for (index, result) in op.results().into_iter().enumerate() {
            let own = self.needed(result);
            let dims = nest.maps[inputs + index].projected()?;
            for (number, need) in needs.iter_mut().enumerate() {
                // Loops that a result is not indexed by are reductions.
                let at = dims.iter().position(|dim| *dim == number);
                let at = at.map_or(Need::All, |at| own[at]);
                *need = if index == 0 { at } else { need.or(at) };
            }
        }
        let arguments = arguments(op, &needs, &facts.of_body(op, &nest));
        for (index, (operand, needs)) in op.operands().into_iter().zip(arguments).enumerate() {
            let of_dim = |index: &AffineExpr| nest.need_at(index, &needs);
            self.add(operand, nest.maps[index].results.iter().map(of_dim).collect());
        }
        Some(())
    }
}

/// The loops of a linalg operation.
struct Loops {
    extents: Vec<i64>,
    maps: Vec<AffineMap>,
}

impl Loops {
    fn of(op: Op<'_>) -> Option<Self> {
        let maps = op.indexing_maps().filter(|maps| maps.len() == op.operand_count())?;
        let mut extents = vec![None; maps.first()?.dims];
        for (operand, map) in op.operands().into_iter().zip(&maps) {
            let shape = operand.ty().shape().unwrap_or_default();
            for (size, index) in shape.into_iter().zip(&map.results) {
                if let Some(extent) = index.as_dim().and_then(|dim| extents.get_mut(dim)) {
                    *extent = Some(size);
                }
            }
        }
        let extents = extents.into_iter().collect::<Option<Vec<_>>>()?;
        extents.iter().all(|extent| *extent >= 0).then_some(Self { extents, maps })
    }

    /// What is needed of a dimension that is indexed by an expression of the loops, of whose iterations `needs` are needed.
    fn need_at(&self, index: &AffineExpr, needs: &[Need]) -> Need {
        if let Some(dim) = index.as_dim() {
            return needs[dim];
        }
        let Some((factors, mut more)) = index.linear(self.extents.len()) else { return Need::All };
        let mut bounded = None;
        for (dim, factor) in factors.into_iter().enumerate().filter(|(_, factor)| *factor != 0) {
            match needs[dim] {
                _ if factor < 0 => return Need::All,
                Need::Nothing => return Need::Nothing,
                Need::Below(_) if bounded.is_none() => bounded = Some((dim, factor)),
                _ => more += factor * (self.extents[dim] - 1),
            }
        }
        bounded.map_or(Need::All, |(dim, factor)| needs[dim].moved(factor, more))
    }
}

/// The iterations in which each operand of a linalg operation is needed, where `needs` are needed of the operation.
fn arguments<'c>(op: Op<'c>, needs: &[Need], facts: &HashMap<Value<'c>, Fact>) -> Vec<Vec<Need>> {
    let nothing = vec![Need::Nothing; needs.len()];
    let body = op.body(0);
    let mut known: HashMap<Value<'c>, Vec<Need>> = HashMap::new();
    let add = |known: &mut HashMap<Value<'c>, Vec<Need>>, value: Value<'c>, more: &[Need]| {
        let own = known.entry(value).or_insert_with(|| nothing.clone());
        own.iter_mut().zip(more).for_each(|(own, more)| *own = own.or(*more));
    };
    for inner in body.ops().into_iter().rev() {
        let own = if inner.is(linalg::YIELD) {
            needs.to_vec()
        } else if is_risky(inner) {
            vec![Need::All; needs.len()]
        } else {
            let results = inner.results().into_iter().filter_map(|result| known.get(&result));
            results.fold(nothing.clone(), |all, own| {
                all.into_iter().zip(own).map(|(all, own)| all.or(*own)).collect()
            })
        };
        let mask = inner.is(arith::SELECT).then(|| facts.get(&inner.operand(0))).flatten();
        for (index, operand) in inner.operands().into_iter().enumerate() {
            let mut own = own.clone();
            if let (1, Some(Fact::Below(list))) = (index, mask) {
                for (dim, bound) in list {
                    if own[*dim] == Need::All {
                        own[*dim] = Need::Below(*bound);
                    }
                }
            }
            add(&mut known, operand, &own);
        }
    }
    let arguments = body.args().into_iter();
    arguments.map(|argument| known.remove(&argument).unwrap_or_else(|| nothing.clone())).collect()
}

/// Whether an operation of a body must not be given just any value: it reads from where a number says, divides integers, or is not
/// known.
fn is_risky(op: Op<'_>) -> bool {
    let divides = ["arith.div", "arith.rem", "arith.ceildiv", "arith.floordiv"];
    let is_integer = op.results().first().is_some_and(|result| !result.ty().is_float_type());
    op.region_count() > 0
        || !matches!(op.dialect(), "arith" | "math" | "narrow" | "complex" | "linalg")
        || is_integer && divides.iter().any(|name| op.name().as_str().starts_with(name))
}

/// What is known of the elements of a tensor, or of a value in the body of an operation, from their place alone.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fact {
    /// Each is this number.
    Number(Bound),
    /// Each is its coordinate in this dimension.
    Index(usize),
    /// A boolean: whether the coordinates in these dimensions are below the bounds.
    Below(Vec<(usize, Bound)>),
}

impl Fact {
    /// The fact with other numbers of dimensions.
    fn renumbered(&self, number: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        Some(match self {
            Self::Number(bound) => Self::Number(*bound),
            Self::Index(dim) => Self::Index(number(*dim)?),
            Self::Below(list) => Self::Below(
                list.iter()
                    .map(|(dim, bound)| Some((number(*dim)?, *bound)))
                    .collect::<Option<_>>()?,
            ),
        })
    }
}

/// What is known of tensors and scalars of a block.
#[derive(Default)]
struct Facts<'c>(HashMap<Value<'c>, Fact>);

impl<'c> Facts<'c> {
    fn of(body: Block<'c>, sizes: usize) -> Self {
        let mut facts = Self::default();
        let arguments = body.args();
        let first = arguments.len().saturating_sub(sizes);
        for (size, argument) in arguments.into_iter().skip(first).enumerate() {
            facts.0.insert(argument, Fact::Number(Bound { size, scale: 1, more: 0 }));
        }
        for op in body.ops() {
            if let [result] = op.results()[..]
                && let Some(fact) = facts.of_op(op)
            {
                facts.0.insert(result, fact);
            }
        }
        facts
    }

    fn of_op(&self, op: Op<'c>) -> Option<Fact> {
        let of = |index: usize| self.0.get(&op.operand(index));
        match op.name() {
            tensor::EXTRACT
            | tensor::EXPAND_SHAPE
            | tensor::COLLAPSE_SHAPE
            | tensor::FROM_ELEMENTS
            | tensor::SPLAT
                if op.operand_count() > 0 =>
            {
                of(0).filter(|fact| matches!(fact, Fact::Number(_))).cloned()
            }
            _ if op.dialect() == "arith" => of_scalars(op, &self.0),
            linalg::FILL => of(0).cloned(),
            _ if op.dialect() == "linalg" => {
                let nest = Loops::of(op)?;
                let known = self.of_body(op, &nest);
                let end = op.body(0).terminator()?;
                let map = nest.maps.last()?.projected()?;
                let place = |dim: usize| map.iter().position(|own| *own == dim);
                known.get(&end.operand(0))?.renumbered(place)
            }
            _ => None,
        }
    }

    /// What is known of the values in the body of an operation, in terms of its loops.
    fn of_body(&self, op: Op<'c>, nest: &Loops) -> HashMap<Value<'c>, Fact> {
        let mut known = HashMap::new();
        let operands = op.operands().into_iter().zip(&nest.maps);
        for ((operand, map), argument) in operands.zip(op.body(0).args()) {
            let at = |dim: usize| map.results.get(dim).and_then(AffineExpr::as_dim);
            if let Some(fact) = self.0.get(&operand).and_then(|fact| fact.renumbered(at)) {
                known.insert(argument, fact);
            }
        }
        for inner in op.body(0).ops() {
            let fact = match inner.name() {
                linalg::INDEX => {
                    let dim = inner.attr("dim").and_then(|dim| dim.as_i64());
                    dim.and_then(|dim| usize::try_from(dim).ok()).map(Fact::Index)
                }
                _ => {
                    for operand in inner.operands() {
                        if let Some(fact) = self.0.get(&operand)
                            && matches!(fact, Fact::Number(_))
                        {
                            known.insert(operand, fact.clone());
                        }
                    }
                    of_scalars(inner, &known)
                }
            };
            if let ([result], Some(fact)) = (&inner.results()[..], fact) {
                known.insert(*result, fact);
            }
        }
        known
    }
}

/// What arithmetic makes of what is known. Sizes and coordinates are at most 2^31 - 1, so that casts to 32 bits and more keep them.
fn of_scalars<'c>(op: Op<'c>, known: &HashMap<Value<'c>, Fact>) -> Option<Fact> {
    let of = |index: usize| known.get(&op.operand(index));
    match op.name() {
        arith::TRUNCI | arith::EXTSI | arith::EXTUI | arith::INDEX_CAST | arith::INDEX_CASTUI => {
            let fact = of(0)?;
            let bits = op.result(0).ty().bit_width();
            let is_kept = matches!(fact, Fact::Below(_)) || bits.is_none_or(|bits| bits >= 32);
            is_kept.then(|| fact.clone())
        }
        arith::ANDI => match (of(0)?, of(1)?) {
            (Fact::Below(left), Fact::Below(right)) => {
                Some(Fact::Below([left.clone(), right.clone()].concat()))
            }
            _ => None,
        },
        arith::CMPI => {
            match (CmpIPredicate::of(op.attr("predicate")?)?, of(0)?, of(1)) {
                // A boolean as a byte is compared with zero.
                (CmpIPredicate::Ne, Fact::Below(list), None) if is_zero(op.operand(1)) => {
                    Some(Fact::Below(list.clone()))
                }
                (CmpIPredicate::Slt, Fact::Index(dim), Some(Fact::Number(bound))) => {
                    Some(Fact::Below(vec![(*dim, *bound)]))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_zero(value: Value<'_>) -> bool {
    let constant = value.owner().filter(|owner| owner.is(arith::CONSTANT));
    constant.and_then(|owner| owner.attr("value")).and_then(|value| value.as_i64()) == Some(0)
}

/// The offsets of a slice of consecutive elements that keeps the rank.
fn slice<'c>(op: Op<'c>, whole: Value<'c>, part: Value<'c>) -> Option<Vec<i64>> {
    let offsets = op.attr("static_offsets")?.as_i64s()?;
    let strides = op.attr("static_strides")?.as_i64s()?;
    let fits = strides.iter().all(|stride| *stride == 1)
        && offsets.iter().all(|offset| *offset != DYNAMIC)
        && whole.ty().rank() == part.ty().rank()
        && part.ty().has_static_shape();
    fits.then_some(offsets)
}

/// The dimensions that each dimension of the shorter shape is made of.
fn groups(op: Op<'_>) -> Option<Vec<Vec<usize>>> {
    let groups = op.attr("reassociation")?.as_array()?.into_iter().map(|group| {
        let dims = group.as_array()?.into_iter().map(|dim| dim.as_i64());
        dims.map(|dim| usize::try_from(dim?).ok()).collect::<Option<Vec<_>>>()
    });
    groups.collect()
}

/// The dimensions of a group that have more than one element.
fn long(shape: &[i64], group: &[usize]) -> Vec<usize> {
    group.iter().copied().filter(|dim| shape[*dim] != 1).collect()
}

/// The number of sizes that the entry takes, and what callers read of its outputs.
fn valid(entry: Op<'_>) -> Option<(usize, Vec<Vec<Need>>)> {
    let maps = entry.attr(VALID)?.as_array()?;
    let maps = maps.into_iter().map(AffineMap::of).collect::<Option<Vec<_>>>()?;
    let sizes = maps.first()?.dims;
    let needs = |map: &AffineMap| {
        let need = |size| Bound::of(size, sizes).map_or(Need::All, Need::Below);
        map.results.iter().map(need).collect()
    };
    Some((sizes, maps.iter().map(needs).collect()))
}
