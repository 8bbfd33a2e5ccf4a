//! Groups of tiles: sums that are computed together, by the same loops or from the same operands.

use std::collections::{HashMap, HashSet};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, Op, TypeExt as _, Value, arith, diagnostic_at, memref, narrow, scf,
    vector,
};
use strata_target::{Lane, TILES};

use super::Outcome;

/// What sums start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start<'c> {
    /// Zeros.
    Zero,
    /// A part of a buffer.
    Read(Value<'c>),
}

/// A tile of sums, from its start to where it is stored.
#[derive(Clone, Copy, Debug)]
pub struct Sums<'c> {
    pub rows: i64,
    pub columns: i64,
    pub start: Start<'c>,
    pub store: Op<'c>,
}

/// Tiles of sums whose products are in the same loops, or have an operand in common.
#[derive(Clone)]
pub struct Group<'c> {
    /// The operations of the block of the stores, in order: loops, products, stores.
    pub ops: Vec<Op<'c>>,
    /// The tiles.
    pub sums: Vec<Sums<'c>>,
    /// The tile that each value is, from loop to loop and product to product.
    pub number: HashMap<Value<'c>, usize>,
}

/// A product.
#[derive(Clone, Copy, Debug)]
pub struct Product<'c> {
    pub lanes: [Lane; 2],
    pub lhs: Value<'c>,
    pub rhs: Value<'c>,
}

impl<'c> Product<'c> {
    /// The product that an operation is.
    pub fn of(op: Op<'c>) -> Option<Self> {
        let lane = |name: &str| Lane::named(op.attr(name)?.as_str()?);
        let lanes = || Some([lane("left")?, lane("right")?]);
        let found = || Some(Self { lanes: lanes()?, lhs: op.operand(0), rhs: op.operand(1) });
        op.is(narrow::MATMUL).then(found).flatten()
    }
}

/// Rows and columns of a tile's type.
pub fn shape(value: Value<'_>) -> Option<[i64; 2]> {
    <[i64; 2]>::try_from(value.ty().shape()?).ok()
}

/// What reads a tile, as elements of any type.
fn read_of(tile: Value<'_>) -> Outcome<Op<'_>> {
    let owner = tile.owner().ok_or("an operand is carried by a loop")?;
    match owner.name() {
        vector::BITCAST => read_of(owner.operand(0)),
        vector::LOAD => Ok(owner),
        _ => Err(format!("an operand comes from `{}`", owner.name())),
    }
}

/// Whether an operation writes nothing, and reads tiles at most.
fn is_pure(op: Op<'_>) -> bool {
    let is_view = op.dialect() == "memref" && op.result_count() > 0;
    matches!(op.dialect(), "arith" | "affine")
        || is_view && !matches!(op.name(), memref::LOAD | memref::ALLOC | memref::ALLOCA)
        || op.is(vector::LOAD) && op.result(0).ty().rank() == Some(2)
        || matches!(op.name(), vector::BITCAST | narrow::MATMUL)
}

/// Whether an operation stores a tile: no other stores of two dimensions are left.
fn stores_tile(op: Op<'_>) -> bool {
    op.is(vector::STORE) && op.operand(0).ty().rank() == Some(2)
}

/// The groups of a function, in order.
///
/// # Errors
/// `S9002` for tiles that are not stored once and as they are.
pub fn find<'c>(function: Op<'c>) -> Result<Vec<Group<'c>>, Diagnostic> {
    let mut groups: Vec<Group<'c>> = Vec::new();
    for store in function.collect(stores_tile) {
        let own = Group::of(store).map_err(|reason| {
            diagnostic_at(codes::S9002, store).reason(format!("a tile is not known: {reason}"))
        })?;
        let mut joined = own;
        let mut others = Vec::new();
        for other in groups {
            match other.shares_loop(&joined) || other.may_join(&joined) {
                true => joined = other.joined(joined),
                false => others.push(other),
            }
        }
        groups = others;
        groups.push(joined);
    }
    for group in &mut groups {
        group.put_in_order().map_err(|reason| {
            diagnostic_at(codes::S9002, group.end())
                .reason(format!("tiles are not apart: {reason}"))
        })?;
    }
    Ok(groups)
}

impl<'c> Group<'c> {
    /// The group of one store.
    fn of(store: Op<'c>) -> Outcome<Self> {
        let value = store.operand(0);
        let [rows, columns] = shape(value).ok_or("it is not a matrix")?;
        let sums = Sums { rows, columns, start: Start::Zero, store };
        let mut group = Self { ops: vec![store], sums: vec![sums], number: HashMap::default() };
        let mut waiting = vec![(value, 0)];
        while let Some((value, number)) = waiting.pop() {
            if group.number.contains_key(&value) {
                continue;
            }
            let Some(owner) = value.owner() else {
                group.number.insert(value, number);
                continue;
            };
            match owner.name() {
                arith::CONSTANT => {
                    let number = owner.attr("value").and_then(|value| value.splat_value());
                    let is_zero = number.is_some_and(|number| {
                        number.as_i64() == Some(0)
                            || number.as_f64().is_some_and(|one| one.to_bits() == 0)
                    });
                    is_zero.then_some(()).ok_or("it starts from a number other than zero")?;
                    continue;
                }
                vector::LOAD => {
                    group.sums[number].start = Start::Read(value);
                    continue;
                }
                narrow::MATMUL => waiting.push((owner.operand(2), number)),
                scf::FOR => {
                    let at = value.result_index().ok_or("a loop without a result")?;
                    let given = owner.body(0).terminator().map(Op::operands).unwrap_or_default();
                    let given = *given.get(at).ok_or("a loop without a result")?;
                    let inside = owner.body(0).arg(1 + at);
                    waiting.extend([owner.operand(3 + at), given, inside].map(|one| (one, number)));
                }
                _ => return Err(format!("it comes from `{}`", owner.name())),
            }
            group.number.insert(value, number);
            if owner.block() == store.block() && !group.ops.contains(&owner) {
                group.ops.push(owner);
            }
        }
        // What other results of its loops are is known from their stores.
        Ok(group)
    }

    /// Whether another group has one of its loops.
    fn shares_loop(&self, other: &Self) -> bool {
        self.ops.iter().filter(|op| op.is(scf::FOR)).any(|op| other.ops.contains(op))
    }

    /// Whether another group has products with an operand in common and sums of the same shape, and nothing is between the two.
    fn may_join(&self, other: &Self) -> bool {
        let shape = |group: &Self| (group.sums[0].rows, group.sums[0].columns);
        let has_loop = |group: &Self| group.ops.iter().any(|op| op.is(scf::FOR));
        let operands = |group: &Self| -> Vec<_> {
            let products = group.ops.iter().filter_map(|op| Product::of(*op));
            let operands = products.flat_map(|product| [product.lhs, product.rhs]);
            operands.filter_map(|one| Place::of_tile(one, &Known::default()).ok()).collect()
        };
        let known = operands(self);
        self.end().block() == other.end().block()
            && !has_loop(self)
            && !has_loop(other)
            && shape(self) == shape(other)
            && self.sums.len() + other.sums.len() <= TILES / 2
            && operands(other).iter().any(|one| known.contains(one))
            && self.clone().joined(other.clone()).put_in_order().is_ok()
    }

    fn joined(mut self, other: Self) -> Self {
        let count = self.sums.len();
        self.sums.extend(other.sums);
        self.number.extend(other.number.into_iter().map(|(value, at)| (value, at + count)));
        for op in other.ops {
            if !self.ops.contains(&op) {
                self.ops.push(op);
            }
        }
        self
    }

    /// Orders the operations as they are in their block. All of them are computed at the place of the last one: nothing else is written from the
    /// first read on.
    fn put_in_order(&mut self) -> Outcome {
        let all = self.end().block().map(|block| block.ops()).unwrap_or_default();
        let place = |op: &Op<'c>| all.iter().position(|other| other == op);
        let mut own = self.ops.iter().map(place).collect::<Option<Vec<_>>>().unwrap_or_default();
        own.sort_unstable();
        let (Some(mut first), Some(last)) = (own.first().copied(), own.last()) else {
            return Err("they are in no block".to_owned());
        };
        for read in self.reads()? {
            if let Some(at) = place(&read) {
                first = first.min(at);
            } else if !self.ops.iter().any(|op| op.encloses(read)) {
                return Err("an operand is read outside of their block".to_owned());
            }
        }
        let inside = self.ops.iter().filter(|op| op.is(scf::FOR));
        let inside =
            inside.flat_map(|op| op.collect(|inner| inner != *op && !self.is_of_loop(inner)));
        let between = all[first..=*last].iter().copied().filter(|op| !self.ops.contains(op));
        if let Some(op) = inside.chain(between).find(|op| !is_pure(*op)) {
            return Err(format!("`{}` is between them", op.name()));
        }
        self.ops = own.into_iter().map(|at| all[at]).collect();
        match self.ops.last().is_some_and(|op| stores_tile(*op)) {
            true => Ok(()),
            false => Err("nothing is stored at their end".to_owned()),
        }
    }

    /// Whether an operation in a loop is a loop that carries tiles, or the end of one.
    fn is_of_loop(&self, op: Op<'c>) -> bool {
        op.is(scf::YIELD) || op.is(scf::FOR) && self.is_carried(op)
    }

    /// The reads of operands and of what sums start from.
    fn reads(&self) -> Outcome<Vec<Op<'c>>> {
        let operands = self.products().into_iter().flat_map(|one| [one.lhs, one.rhs]);
        let starts = self.sums.iter().filter_map(|sums| match sums.start {
            Start::Read(value) => Some(value),
            Start::Zero => None,
        });
        operands.chain(starts).map(read_of).collect()
    }

    /// The last store.
    pub fn end(&self) -> Op<'c> {
        self.ops.iter().rev().copied().find(|op| stores_tile(*op)).unwrap_or(self.ops[0])
    }

    /// The products, in loops, too.
    pub fn products(&self) -> Vec<Product<'c>> {
        let all = self.ops.iter().flat_map(|op| op.collect(|op| op.is(narrow::MATMUL)));
        all.filter_map(Product::of).collect()
    }

    /// Takes the operations out of the program.
    pub fn erase(self) {
        for op in self.ops.into_iter().rev() {
            op.erase();
        }
    }
}

/// A part of a buffer, of so many rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'c> {
    pub buffer: Value<'c>,
    pub at: Vec<Value<'c>>,
}

/// What values of the old code are in the new one.
pub type Known<'c> = HashMap<Value<'c>, Value<'c>>;

impl<'c> Place<'c> {
    /// Where an operand of a product is read, or what a store writes.
    pub fn of(op: Op<'c>, first: usize, known: &Known<'c>) -> Self {
        let renamed = |value: Value<'c>| known.get(&value).copied().unwrap_or(value);
        let operands = op.operands();
        Self {
            buffer: renamed(operands[first]),
            at: operands[first + 1..].iter().map(|value| renamed(*value)).collect(),
        }
    }

    /// Where a tile is read, as elements of any type.
    pub fn of_tile(tile: Value<'c>, known: &Known<'c>) -> Outcome<Self> {
        Ok(Self::of(read_of(tile)?, 0, known))
    }

    /// Elements of its buffer in a lane of 32 bits.
    pub fn elements_of_lane(&self) -> i64 {
        self.buffer.ty().element().bit_width().map_or(1, |bits| i64::from(32 / bits.clamp(1, 32)))
    }

    /// Bytes of its buffer.
    pub fn bytes(&self) -> Option<u64> {
        let ty = self.buffer.ty();
        ty.element_count()?.checked_mul(ty.element().byte_width()?)
    }

    /// Whether it is another place in each iteration of a loop.
    pub fn changes_in(&self, each: Op<'c>) -> bool {
        let mut seen = HashSet::new();
        let mut waiting = self.at.clone();
        waiting.push(self.buffer);
        while let Some(value) = waiting.pop() {
            if value == each.body(0).arg(0) {
                return true;
            }
            if seen.insert(value) {
                let owner = value.owner().filter(|owner| each.encloses(*owner));
                waiting.extend(owner.into_iter().flat_map(|owner| owner.operands()));
            }
        }
        false
    }

    /// The place so many rows and lanes on.
    pub fn offset(&self, b: &Builder<'c>, row: Value<'c>, lane: Value<'c>) -> Vec<Value<'c>> {
        let (mut at, rank) = (self.at.clone(), self.at.len());
        let lane = match self.elements_of_lane() {
            1 => lane,
            count => b.same(arith::MULI, &[lane, b.index(count)]),
        };
        for (dim, more) in [(rank - 2, row), (rank - 1, lane)] {
            at[dim] = b.same(arith::ADDI, &[at[dim], more]);
        }
        at
    }
}

/// Whether an operation of a loop's body is of tiles, and not copied as it is: their reads, where they are used, and the end.
pub fn is_of_tiles(op: Op<'_>) -> bool {
    let is_tile = |value: Value<'_>| value.ty().is_vector_type() && value.ty().rank() == Some(2);
    op.is(scf::YIELD)
        || matches!(op.name(), vector::LOAD | vector::BITCAST) && is_tile(op.result(0))
}
