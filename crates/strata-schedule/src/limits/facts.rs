//! What is known of elements of tensors from their place alone: coordinates, sizes, masks, and what masks leave.
//!
//! ```mlir
//! %i = linalg.generic … { linalg.index 0 }                       // an index
//! %m = linalg.generic … { arith.cmpi slt, %i, %s }               // below %s in dimension 0
//! %x = linalg.generic … { arith.select %m, %a, %zero }           // zero from %s on
//! ```

use std::{collections::HashMap, ops::RangeInclusive};

use strata_ir::{
    AffineExpr, AffineMap, Attribute, AttributeExt as _, Block, DYNAMIC, Op, TypeExt as _, VALID,
    Value, ZEROS,
    arith::{self, CmpIPredicate},
    linalg, math, narrow, tensor,
};
use strata_target::Lane;

use super::{Bound, Need, elements};

/// What is known of the elements of a tensor, or of a value in the body of an operation, from their place alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Each is a number.
    Number {
        /// What it is at most.
        bound: Bound,
        /// Whether it is that.
        is_exact: bool,
    },
    /// Each is its coordinate in this dimension.
    Index(usize),
    /// A boolean, true only where the coordinates in these dimensions are below the bounds.
    Below(Vec<(usize, Bound)>),
    /// Those whose coordinate in one of these dimensions is not below its bound are a constant.
    Filled(Vec<(usize, Bound)>, Constant),
}

/// A number of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// An integer or a boolean.
    Integer(i64),
    /// The bits of an `f64` of the same value.
    Float(u64),
}

impl Constant {
    /// Zero of either kind.
    pub fn is_zero(self) -> bool {
        match self {
            Self::Integer(number) => number == 0,
            Self::Float(bits) => f64::from_bits(bits) == 0.0,
        }
    }

    /// What an attribute says that all elements are.
    fn of(attribute: Attribute<'_>) -> Option<Self> {
        let one = attribute.splat_value().unwrap_or(attribute);
        let float = one.as_f64().map(|number| Self::Float(number.to_bits()));
        float.or_else(|| one.as_i64().map(Self::Integer))
    }

    /// The constant that all elements of a value are.
    pub fn of_value(value: Value<'_>) -> Option<Self> {
        let owner = value.owner()?;
        match owner.name() {
            arith::CONSTANT => Self::of(owner.attr("value")?),
            linalg::FILL => Self::of_value(owner.operand(0)),
            _ => None,
        }
    }
}

impl Fact {
    /// Whether it is about elements below a bound in the innermost of so many dimensions.
    pub fn ends_along(&self, rank: Option<usize>) -> bool {
        match self {
            Self::Number { .. } | Self::Index(_) => false,
            Self::Below(list) | Self::Filled(list, _) => {
                list.iter().any(|(dim, _)| Some(dim + 1) == rank)
            }
        }
    }

    /// Whether it is about elements below bounds.
    pub fn has_bounds(&self) -> bool {
        matches!(self, Self::Below(_) | Self::Filled(..))
    }

    /// The fact with other numbers of dimensions.
    fn renumbered(&self, number: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        let places = |list: &[(usize, Bound)]| -> Option<Vec<_>> {
            list.iter().map(|(dim, bound)| Some((number(*dim)?, *bound))).collect()
        };
        Some(match self {
            Self::Number { .. } => self.clone(),
            Self::Index(dim) => Self::Index(number(*dim)?),
            Self::Below(list) => Self::Below(places(list)?),
            // What is known of one dimension holds without the others.
            Self::Filled(list, constant) => {
                let kept = list.iter().filter_map(|(dim, bound)| Some((number(*dim)?, *bound)));
                Self::Filled(kept.collect(), *constant)
            }
        })
    }

    /// What is known of the result of a `collapse_shape`, where this is of its operand.
    pub fn of_collapsed(&self, op: Op<'_>) -> Option<Self> {
        let (shape, groups) = (op.operand(0).ty().shape()?, groups(op)?);
        self.moved(|dim, need| {
            let at = groups.iter().position(|group| group.contains(&dim))?;
            let (first, rest) = outermost(&shape, &groups[at])?;
            (first == dim).then(|| (at, need.moved(rest, rest - 1)))
        })
    }

    /// The fact of elements that are moved: `to` gives for a need along a dimension the new dimension and the need there.
    fn moved(&self, to: impl Fn(usize, Need) -> Option<(usize, Need)>) -> Option<Self> {
        match self {
            Self::Number { .. } => Some(self.clone()),
            Self::Filled(list, constant) => {
                let moved =
                    list.iter().filter_map(|(dim, bound)| match to(*dim, Need::Below(*bound))? {
                        (dim, Need::Below(bound)) => Some((dim, bound)),
                        _ => None,
                    });
                let moved: Vec<_> = moved.collect();
                (!moved.is_empty()).then_some(Self::Filled(moved, *constant))
            }
            Self::Index(_) | Self::Below(_) => None,
        }
    }
}

/// What is known of tensors and scalars of a block.
#[derive(Default)]
pub struct Facts<'c> {
    known: HashMap<Value<'c>, Fact>,
    /// What each size is at most: no dimension is longer than its buffer.
    most: Vec<Option<i64>>,
    /// What each size is at least.
    least: Vec<i64>,
}

impl<'c> Facts<'c> {
    /// The facts of the entry's body, where sizes are at least `least`.
    pub fn of(entry: Op<'c>, body: Block<'c>, sizes: usize, least: &[i64]) -> Self {
        let mut facts = Self { least: least.to_vec(), ..Self::default() };
        let arguments = body.args();
        let first = arguments.len().saturating_sub(sizes);
        let (inputs, numbers) = arguments.split_at(first);
        for (size, argument) in numbers.iter().enumerate() {
            let bound = Bound { size, scale: 1, more: 0, by: 1 };
            facts.known.insert(*argument, Fact::Number { bound, is_exact: true });
        }
        let zeros = entry.attr(ZEROS).and_then(|maps| maps.as_array()).unwrap_or_default();
        for (argument, map) in inputs.iter().zip(zeros) {
            let map = AffineMap::of(map).filter(|map| map.dims == sizes);
            let valid = map.map(|map| map.results).unwrap_or_default();
            let bound = |(dim, valid)| Some((dim, Bound::of(valid, sizes)?));
            let list: Vec<_> = valid.iter().enumerate().filter_map(bound).collect();
            if !list.is_empty() {
                facts.known.insert(*argument, Fact::Filled(list, zero(*argument)));
            }
        }
        facts.most = vec![None; sizes];
        let lists = [ZEROS, VALID]
            .map(|name| entry.attr(name).and_then(|maps| maps.as_array()).unwrap_or_default());
        let outputs = body.terminator().map(Op::operands).unwrap_or_default();
        let buffers = [inputs.to_vec(), outputs];
        for (buffer, map) in buffers.iter().zip(lists).flat_map(|(own, maps)| own.iter().zip(maps))
        {
            let valid = AffineMap::of(map).map(|map| map.results).unwrap_or_default();
            for (valid, length) in valid.iter().zip(buffer.ty().shape().unwrap_or_default()) {
                let size = valid.as_dim().and_then(|size| facts.most.get_mut(size));
                if let Some(most) = size {
                    *most = Some(most.map_or(length, |most| most.min(length)));
                }
            }
        }
        facts.learn(body);
        facts
    }

    /// The facts of a block, and of the loops and branches in it.
    fn learn(&mut self, block: Block<'c>) {
        for op in block.ops() {
            if let [result] = op.results()[..]
                && let Some(fact) = self.of_op(op)
            {
                self.known.insert(result, fact);
            }
            if op.dialect() == "scf" {
                let blocks = (0..op.region_count()).flat_map(|region| op.region(region).blocks());
                blocks.for_each(|inner| self.learn(inner));
            }
        }
    }

    /// What a bound is at most.
    pub fn largest(&self, bound: Bound) -> Option<i64> {
        bound.at((*self.most.get(bound.size)?)?)
    }

    /// The number that a value is.
    pub fn number(&self, value: Value<'c>) -> Option<Bound> {
        match self.known.get(&value)? {
            Fact::Number { bound, is_exact: true } => Some(*bound),
            _ => None,
        }
    }

    /// What a number is at most.
    pub fn most(&self, value: Value<'c>) -> Option<Bound> {
        match self.known.get(&value)? {
            Fact::Number { bound, .. } => Some(*bound),
            _ => None,
        }
    }

    /// What is known of a value.
    pub fn get(&self, value: Value<'c>) -> Option<&Fact> {
        self.known.get(&value)
    }

    /// What is known of `old` is known of `new`, too.
    pub fn rename(&mut self, old: Value<'c>, new: Value<'c>) {
        match self.known.get(&old).cloned() {
            Some(fact) => self.known.insert(new, fact),
            None => self.known.remove(&new),
        };
    }

    /// Nothing is known of a value any more.
    pub fn forget(&mut self, value: Value<'c>) {
        self.known.remove(&value);
    }

    fn of_op(&self, op: Op<'c>) -> Option<Fact> {
        let of = |index: usize| self.known.get(&op.operand(index));
        match op.name() {
            tensor::EXTRACT | tensor::FROM_ELEMENTS | tensor::SPLAT if op.operand_count() > 0 => {
                of(0).filter(|fact| matches!(fact, Fact::Number { .. })).cloned()
            }
            tensor::COLLAPSE_SHAPE => of(0)?.of_collapsed(op),
            tensor::EXPAND_SHAPE => {
                let (shape, groups) = (op.result(0).ty().shape()?, groups(op)?);
                of(0)?.moved(|dim, need| {
                    let (first, rest) = outermost(&shape, groups.get(dim)?)?;
                    Some((first, need.parts(rest)))
                })
            }
            // Lanes of zeros, if none is shifted.
            narrow::PACK if op.attr("from") == op.attr("to") => {
                let lane = Lane::named(op.attr("to")?.as_str()?)?;
                let along = usize::try_from(op.attr("dimension")?.as_i64()?).ok()?;
                let is_zero =
                    |fact: &&Fact| matches!(fact, Fact::Filled(_, zero) if zero.is_zero());
                of(0).filter(is_zero)?.moved(|dim, need| {
                    Some((dim, if dim == along { need.parts(lane.count()) } else { need }))
                })
            }
            tensor::PAD => {
                let low = op.attr("static_low")?.as_i64s()?;
                let Fact::Filled(_, constant) = of(0)? else { return None };
                let end = op.body(0).terminator()?;
                let is_same = Constant::of_value(end.operand(0)) == Some(*constant);
                of(0)
                    .filter(|_| is_same && !low.contains(&DYNAMIC))?
                    .moved(|dim, need| Some((dim, need.moved(1, low[dim]))))
            }
            tensor::EXTRACT_SLICE => {
                let places = slice_places(op)?;
                of(0)?.moved(|dim, need| {
                    let (own, at) = &places[dim];
                    Some(((*own)?, need.moved(1, -at.start())))
                })
            }
            tensor::INSERT_SLICE => elements::inserted(op, of(1)?, |place| self.most(place)),
            arith::MINSI => match (of(0), Constant::of_value(op.operand(1))) {
                (Some(Fact::Number { bound, is_exact: true }), Some(Constant::Integer(most)))
                    if self.largest(*bound).is_some_and(|own| own <= most) =>
                {
                    of(0).cloned()
                }
                _ => of_scalars(op, &self.known, &self.least),
            },
            _ if op.dialect() == "arith" => of_scalars(op, &self.known, &self.least),
            linalg::FILL => of(0).cloned(),
            _ if op.dialect() == "linalg" => {
                let nest = Loops::of(op)?;
                let known = self.of_body(op, &nest);
                let end = op.body(0).terminator()?;
                let map = nest.maps.last()?.projected()?;
                let place = |dim: usize| map.iter().position(|own| *own == dim);
                let is_parallel = map.len() == nest.extents.len();
                let fact = known.get(&end.operand(0))?.renumbered(place)?;
                (is_parallel || !matches!(fact, Fact::Filled(..))).then_some(fact)
            }
            _ => None,
        }
    }

    /// What is known of the values in the body of an operation, in terms of its loops.
    pub fn of_body(&self, op: Op<'c>, nest: &Loops) -> HashMap<Value<'c>, Fact> {
        let mut known = HashMap::new();
        let operands = op.operands().into_iter().zip(&nest.maps);
        for ((operand, map), argument) in operands.zip(op.body(0).args()) {
            let at = |dim: usize| map.results.get(dim).and_then(AffineExpr::as_dim);
            if let Some(fact) = self.known.get(&operand).and_then(|fact| fact.renumbered(at)) {
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
                        if let Some(fact) = self.known.get(&operand)
                            && matches!(fact, Fact::Number { .. })
                        {
                            known.insert(operand, fact.clone());
                        }
                    }
                    of_scalars(inner, &known, &self.least)
                }
            };
            if let ([result], Some(fact)) = (&inner.results()[..], fact) {
                known.insert(*result, fact);
            }
        }
        known
    }
}

/// Zero in the type of a tensor's elements.
fn zero(of: Value<'_>) -> Constant {
    match of.ty().element().is_float_type() {
        true => Constant::Float(0),
        false => Constant::Integer(0),
    }
}

/// The outermost dimension of a group that has several elements, and how many elements each of its own has.
fn outermost(shape: &[i64], group: &[usize]) -> Option<(usize, i64)> {
    let long = long(shape, group);
    let (first, rest) = long.split_first()?;
    let rest = rest.iter().map(|dim| shape[*dim]).product();
    (rest > 0).then_some((*first, rest))
}

/// What arithmetic makes of what is known, where sizes are at least those.
fn of_scalars<'c>(op: Op<'c>, known: &HashMap<Value<'c>, Fact>, sizes: &[i64]) -> Option<Fact> {
    of_places(op, known, sizes).or_else(|| of_zeros(op, known))
}

/// What arithmetic makes of places, sizes and masks. Sizes and coordinates are at most 2^31 - 1, so that casts to 32 bits and more keep them;
/// a sum that is larger than that becomes a negative number.
fn of_places<'c>(op: Op<'c>, known: &HashMap<Value<'c>, Fact>, sizes: &[i64]) -> Option<Fact> {
    let of = |index: usize| known.get(&op.operand(index));
    match op.name() {
        arith::TRUNCI | arith::EXTSI | arith::EXTUI | arith::INDEX_CAST | arith::INDEX_CASTUI => {
            let fact = of(0)?;
            let bits = op.result(0).ty().bit_width();
            let is_kept = match fact {
                Fact::Below(_) => true,
                // Of a boolean, 1 may become -1.
                Fact::Filled(_, constant) => constant.is_zero(),
                Fact::Index(_) => bits.is_none_or(|bits| bits >= 32),
                Fact::Number { bound, .. } => {
                    let is_signed = !matches!(op.name(), arith::EXTUI | arith::INDEX_CASTUI);
                    bits.is_none_or(|bits| bits >= 32) && (is_signed || bound.is_size())
                }
            };
            is_kept.then(|| fact.clone())
        }
        arith::ADDI | arith::SUBI | arith::MULI | arith::DIVSI => {
            let Fact::Number { bound, is_exact } = of(0)? else { return None };
            let Constant::Integer(by) = Constant::of_value(op.operand(1))? else { return None };
            let number = match op.name() {
                arith::ADDI => bound.plus(by),
                arith::SUBI => bound.plus(by.checked_neg()?),
                arith::MULI => (by > 0).then(|| bound.times(by)).flatten(),
                // Negative quotients are rounded up.
                _ => bound.plus(by.checked_sub(1)?)?.over(by),
            };
            let is_exact = *is_exact && !op.is(arith::DIVSI);
            number.map(|bound| Fact::Number { bound, is_exact })
        }
        arith::MINSI => {
            // The other one may be less.
            let number = |fact: Option<&Fact>| match fact {
                Some(Fact::Number { bound, .. }) => {
                    Some(Fact::Number { bound: *bound, is_exact: false })
                }
                _ => None,
            };
            number(of(0)).or(number(of(1)))
        }
        arith::MAXSI => match (of(0)?, Constant::of_value(op.operand(1))?) {
            // Sizes are not negative.
            (Fact::Number { bound, is_exact }, Constant::Integer(least))
                if bound.more >= 0 && least <= 0
                    || sizes.get(bound.size).and_then(|size| bound.at(*size)) >= Some(least) =>
            {
                Some(Fact::Number { bound: *bound, is_exact: *is_exact })
            }
            // The number is negative where the size is small.
            (Fact::Number { bound, .. }, Constant::Integer(least)) if least <= 0 => {
                let bound = (bound.by == 1).then(|| bound.plus(bound.more.checked_neg()?))??;
                Some(Fact::Number { bound, is_exact: false })
            }
            _ => None,
        },
        arith::EXTF | arith::TRUNCF => match of(0)? {
            Fact::Filled(list, constant) if constant.is_zero() => {
                Some(Fact::Filled(list.clone(), *constant))
            }
            _ => None,
        },
        arith::ANDI => match (of(0), of(1)) {
            (Some(Fact::Below(left)), Some(Fact::Below(right))) => {
                Some(Fact::Below([left.clone(), right.clone()].concat()))
            }
            // What the other one is changes nothing beyond.
            (Some(Fact::Below(list)), _) | (_, Some(Fact::Below(list))) => {
                Some(Fact::Below(list.clone()))
            }
            _ => None,
        },
        arith::SELECT => match of(0)? {
            Fact::Below(list) => {
                let constant = Constant::of_value(op.operand(2))?;
                let list = match of(1) {
                    // One mask after the other.
                    Some(Fact::Filled(before, own)) if *own == constant => {
                        [before.clone(), list.clone()].concat()
                    }
                    _ => list.clone(),
                };
                Some(Fact::Filled(list, constant))
            }
            _ => None,
        },
        arith::CMPI => {
            match (CmpIPredicate::of(op.attr("predicate")?)?, of(0)?, of(1)) {
                // A boolean as a byte is compared with zero.
                (CmpIPredicate::Ne, Fact::Below(list), None) if is_zero(op.operand(1)) => {
                    Some(Fact::Below(list.clone()))
                }
                (CmpIPredicate::Slt, Fact::Index(dim), Some(Fact::Number { bound, .. })) => {
                    Some(Fact::Below(vec![(*dim, *bound)]))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// What arithmetic makes of zeros, which stay zeros of either sign.
fn of_zeros<'c>(op: Op<'c>, known: &HashMap<Value<'c>, Fact>) -> Option<Fact> {
    // Where a value is zero; nothing for one that is zero everywhere.
    let zeros = |value: Value<'c>| match known.get(&value) {
        Some(Fact::Filled(list, constant)) if constant.is_zero() => Some(Some(list)),
        _ => is_zero(value).then_some(None),
    };
    let operands = match op.name() {
        arith::SELECT => op.operands().split_off(1),
        arith::ADDF
        | arith::ADDI
        | arith::ANDI
        | arith::MAXIMUMF
        | arith::MAXSI
        | arith::MAXUI
        | arith::MINIMUMF
        | arith::MINSI
        | arith::MINUI
        | arith::MULF
        | arith::MULI
        | arith::NEGF
        | arith::ORI
        | arith::SUBF
        | arith::SUBI
        | arith::XORI
        | math::ABSI => op.operands(),
        _ if keeps_zero(op) => op.operands(),
        _ => return None,
    };
    let mut lists =
        operands.into_iter().map(zeros).collect::<Option<Vec<_>>>()?.into_iter().flatten();
    let first = lists.next()?.clone();
    let all = lists.fold(first, |mut all, list| {
        all.retain(|place| list.contains(place));
        all
    });
    (!all.is_empty()).then(|| Fact::Filled(all, zero(op.result(0))))
}

/// Whether an operation is a function of one float that is zero at zero.
pub(super) fn keeps_zero(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        math::ABSF
            | math::CBRT
            | math::CEIL
            | math::EXPM1
            | math::FLOOR
            | math::LOG1P
            | math::SIN
            | math::SQRT
            | math::TAN
            | math::TANH
    )
}

fn is_zero(value: Value<'_>) -> bool {
    Constant::of_value(value).is_some_and(Constant::is_zero)
}

/// The loops of a linalg operation.
pub struct Loops {
    /// The number of iterations of each.
    pub extents: Vec<i64>,
    /// How they index each operand.
    pub maps: Vec<AffineMap>,
}

impl Loops {
    /// Those of an operation whose loops all index a dimension of an operand.
    pub fn of(op: Op<'_>) -> Option<Self> {
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
}

/// For each dimension of what a slice of elements that follow each other is taken of, or inserted into, the dimension of the slice, and
/// where it begins at least and at most: a computed place leaves room for all of it.
pub fn slice_places(op: Op<'_>) -> Option<Vec<(Option<usize>, RangeInclusive<i64>)>> {
    let (whole, part) = match op.is(tensor::INSERT_SLICE) {
        true => (op.operand(1).ty(), op.operand(0).ty()),
        false => (op.operand(0).ty(), op.result(0).ty()),
    };
    let [offsets, sizes, strides] = ["static_offsets", "static_sizes", "static_strides"]
        .map(|name| op.attr(name).and_then(|list| list.as_i64s()));
    let (offsets, sizes) = (offsets?, sizes?);
    let is_dense = strides?.iter().all(|stride| *stride == 1);
    if !is_dense || !whole.has_static_shape() || !part.has_static_shape() {
        return None;
    }
    let (whole, part) = (whole.shape()?, part.shape()?);
    let is_reduced = whole.len() != part.len();
    let kept: Vec<usize> = (0..part.len()).filter(|dim| !is_reduced || part[*dim] != 1).collect();
    let mut kept = kept.into_iter();
    let dims = offsets.into_iter().zip(whole).zip(sizes).map(|((at, whole), size)| {
        let dim = if is_reduced && size == 1 { None } else { Some(kept.next()?) };
        Some((dim, if at == DYNAMIC { 0..=whole - size } else { at..=at }))
    });
    let dims = dims.collect::<Option<Vec<_>>>()?;
    kept.next().is_none().then_some(dims)
}

/// The dimensions that each dimension of the shorter shape is made of.
pub fn groups(op: Op<'_>) -> Option<Vec<Vec<usize>>> {
    let groups = op.attr("reassociation")?.as_array()?.into_iter().map(|group| {
        let dims = group.as_array()?.into_iter().map(|dim| dim.as_i64());
        dims.map(|dim| usize::try_from(dim?).ok()).collect::<Option<Vec<_>>>()
    });
    groups.collect()
}

/// The dimensions of a group that have more than one element.
pub fn long(shape: &[i64], group: &[usize]) -> Vec<usize> {
    group.iter().copied().filter(|dim| shape[*dim] != 1).collect()
}
