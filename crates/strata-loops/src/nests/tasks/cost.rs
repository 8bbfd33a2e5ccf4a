//! A rough estimate of a nest's time, to decide what is worth a task.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineMap, AttributeExt as _, Block, Op, TypeExt as _, Value, affine, arith, constant_index,
    math, memref, scf, ub, vector,
};
use strata_target::{
    Target,
    tuning::tasks::{
        BANDWIDTH, BYTES_BETWEEN_CORES_PER_NS, MAX_TASK_MEMORY, OPERATIONS_PER_NS, SCALAR_SHARE,
        UNKNOWN_TRIPS,
    },
};

use crate::nests::{accumulators::origin, counted::Counted};

/// The cost of a nest.
#[derive(Clone, Copy)]
pub struct Estimate {
    /// On one thread.
    pub nanoseconds: f64,
    /// Additional nanoseconds on two threads: data that moves between the caches of cores.
    pub transfer: f64,
    /// Bytes of memory that it reads and writes.
    bytes: f64,
}

impl Estimate {
    /// Bytes that tasks may take for themselves.
    pub fn most_memory(&self) -> i64 {
        MAX_TASK_MEMORY.max(self.bytes as i64)
    }
}

/// The cost of `nest`.
pub fn estimate<'c>(nest: Op<'c>, target: &Target) -> Estimate {
    let mut cost = Cost {
        nest,
        width: f64::from(target.vector_bits().max(128)) / 8.0,
        operations: 0.0,
        least: 1.0,
        touched: Vec::new(),
        known: FxHashMap::default(),
    };
    cost.operation(nest, 1.0);
    let all = cost.touched.iter().fold(0.0, |sum, (_, bytes, size)| sum + bytes.min(*size));
    let bandwidth =
        BANDWIDTH.iter().find(|(up_to, _)| all <= *up_to).map_or(1.0, |(_, bytes)| *bytes);
    let is_temporary = |root: &Value<'c>| root.owner().is_some_and(|op| op.is(memref::ALLOC));
    let temporaries = cost.touched.iter().filter(|(root, ..)| is_temporary(root));
    let temporaries = temporaries.map(|(_, bytes, size)| bytes.min(*size));
    let transfer = temporaries.fold(0.0, |sum, one| sum + one) / 2.0 / BYTES_BETWEEN_CORES_PER_NS;
    let nanoseconds = (cost.operations / OPERATIONS_PER_NS).max(all / bandwidth);
    Estimate { nanoseconds, transfer, bytes: all }
}

struct Cost<'c> {
    nest: Op<'c>,
    /// Bytes of a register.
    width: f64,
    operations: f64,
    /// The minimum cost of a scalar operation relative to a vector operation.
    least: f64,
    /// For each buffer, in the order of first accesses, the accessed bytes, and its own: sums of these are rounded in that order.
    touched: Vec<(Value<'c>, f64, f64)>,
    /// Where in the list a buffer is.
    known: FxHashMap<Value<'c>, usize>,
}

impl<'c> Cost<'c> {
    fn block(&mut self, block: Block<'c>, times: f64) {
        for op in block.ops() {
            self.operation(op, times);
        }
    }

    fn operation(&mut self, op: Op<'c>, times: f64) {
        if op.region_count() > 0 {
            let times = times * trips(op);
            let outer = self.least;
            // LLVM vectorises innermost loops.
            let is_innermost = |inner: &Op<'c>| inner.region_count() > 0 && *inner != op;
            if op.is(affine::FOR) && op.collect(|inner| is_innermost(&inner)).is_empty() {
                self.least = SCALAR_SHARE;
            }
            for block in op.regions().into_iter().flat_map(|region| region.blocks()) {
                self.block(block, times);
            }
            self.least = outer;
            return;
        }
        let access = match op.name() {
            affine::LOAD | memref::LOAD | vector::TRANSFER_READ | vector::LOAD => {
                Some((op.operand(0), op.result(0).ty()))
            }
            affine::STORE | memref::STORE | vector::TRANSFER_WRITE | vector::STORE => {
                Some((op.operand(1), op.operand(0).ty()))
            }
            _ => None,
        };
        if let Some((buffer, ty)) = access {
            let bytes = size(ty);
            self.operations += times * (bytes / self.width).max(self.least);
            let is_own = |root: &Value<'c>| root.owner().is_some_and(|op| self.nest.encloses(op));
            if let Some(root) = origin(buffer).filter(|root| !is_own(root)) {
                let own = root.ty().element_count().unwrap_or(0) as f64;
                let own = own * root.ty().element().byte_width().unwrap_or(1) as f64;
                let at = *self.known.entry(root).or_insert_with(|| {
                    self.touched.push((root, 0.0, own));
                    self.touched.len() - 1
                });
                self.touched[at].1 += times * bytes;
            }
            return;
        }
        if op.is(vector::CONTRACT) {
            self.operations += times * self.contraction(op);
            return;
        }
        let Some(result) = op.results().first().map(|result| result.ty()) else { return };
        if result.is_index() {
            return;
        }
        let registers = (size(result) / self.width).max(self.least);
        self.operations += times * registers * weight(op);
    }

    /// The multiply-adds of a contraction, in registers.
    fn contraction(&self, op: Op<'c>) -> f64 {
        let shape = |at: usize| op.operand(at).ty().shape().unwrap_or_default();
        let maps = op.attr("indexing_maps").and_then(|maps| maps.as_array()).unwrap_or_default();
        let mut sizes: BTreeMap<usize, f64> = BTreeMap::new();
        for (operand, map) in maps.into_iter().take(2).enumerate() {
            let Some(map) = AffineMap::of(map) else { continue };
            for (result, length) in map.results.iter().zip(shape(operand)) {
                if let strata_ir::AffineExpr::Dim(dim) = result {
                    sizes.insert(*dim, length as f64);
                }
            }
        }
        let element = op.result(0).ty().element().byte_width().unwrap_or(4) as f64;
        sizes.into_values().product::<f64>() * element / self.width
    }
}

/// The cost relative to an addition.
fn weight(op: Op<'_>) -> f64 {
    match op.name() {
        math::FMA | math::ABSF | math::COPYSIGN => 1.0,
        math::SQRT | math::RSQRT | arith::DIVF => 6.0,
        arith::DIVSI | arith::DIVUI | arith::REMSI | arith::REMUI | arith::REMF => 20.0,
        math::POWF => 60.0,
        // Each round of shuffles doubles the side of the squares that are transposed.
        vector::TRANSPOSE => {
            let row = op.result(0).ty().shape().and_then(|shape| shape.last().copied());
            f64::from(row.unwrap_or(1).max(2).ilog2())
        }
        arith::CONSTANT | ub::POISON | vector::BROADCAST => 0.0,
        _ if op.dialect() == "math" => 20.0,
        _ => 1.0,
    }
}

/// Bytes of a number or a vector.
fn size(ty: strata_ir::Type<'_>) -> f64 {
    let count = if ty.is_vector_type() { ty.element_count().unwrap_or(1) } else { 1 };
    count as f64 * ty.element().byte_width().unwrap_or(1) as f64
}

/// The trip count of a loop, as far as known.
fn trips(op: Op<'_>) -> f64 {
    match op.name() {
        scf::FOR => {
            let bounds = [0, 1, 2].map(|at| constant_index(op.operand(at)));
            match (Counted::of(op), bounds) {
                (Some(counted), _) => counted.trips() as f64,
                // No iterations.
                (None, [Some(_), Some(_), Some(_)]) => 0.0,
                // Most often a tile: assume one of the constant bounds.
                _ => tile(op).unwrap_or(UNKNOWN_TRIPS),
            }
        }
        affine::FOR => {
            let bound = |name: &str| {
                let map = op.attr(name).and_then(AffineMap::of)?;
                match &map.results[..] {
                    [strata_ir::AffineExpr::Constant(number)] => Some(*number),
                    _ => None,
                }
            };
            let step = op.attr("step").and_then(|step| step.as_i64()).unwrap_or(1).max(1);
            match (bound("lowerBoundMap"), bound("upperBoundMap")) {
                (Some(first), Some(last)) => ((last - first).max(0) as f64 / step as f64).ceil(),
                _ => UNKNOWN_TRIPS,
            }
        }
        scf::WHILE => UNKNOWN_TRIPS,
        _ => 1.0,
    }
}

/// The trip count of a loop whose upper bound is a minimum with a constant.
fn tile(op: Op<'_>) -> Option<f64> {
    let step = constant_index(op.operand(2)).filter(|step| *step > 0)?;
    let first = constant_index(op.operand(0))?;
    let owner = op.operand(1).owner().filter(|owner| owner.is(affine::MIN))?;
    let map = owner.attr("map").and_then(AffineMap::of)?;
    let numbers = map.results.iter().filter_map(|one| match one {
        strata_ir::AffineExpr::Constant(number) => Some(*number),
        _ => None,
    });
    let last = numbers.min()?;
    Some(((last - first).max(0) as f64 / step as f64).ceil())
}
