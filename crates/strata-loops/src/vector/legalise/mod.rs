//! Legalisation: splits vectors of any shape into one-dimensional vectors that the target has.
//!
//! Before (on a target with 512-bit vectors):
//! ```mlir
//! %sum = arith.addf %a, %b : vector<2x24xf32>
//! ```
//! After: each row in pieces of 16 and 8 lanes.
//! ```mlir
//! %sum0 = arith.addf %a0, %b0 : vector<16xf32>
//! %sum1 = arith.addf %a1, %b1 : vector<8xf32>
//! %sum2 = arith.addf %a2, %b2 : vector<16xf32>
//! %sum3 = arith.addf %a3, %b3 : vector<8xf32>
//! ```
//! One visit per operation in program order; a value of an illegal type is replaced by its parts,
//! rows outermost.

mod beside;
mod bits;
mod columns;
mod contract;
mod control;
mod elementwise;
mod ends;
mod fold;
mod lanes;
mod memory;
mod reduce;
mod shape;
mod tiles;

use rustc_hash::{FxHashMap, FxHashSet};
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Block, Builder, Context, Op, Type, TypeExt as _, Value, affine, arith,
    dense_bytes, diagnostic_at, scf, ub, vector,
};
use strata_target::{Isa, Target, tuning::unrolling::MAX_VECTOR_PIECES};

pub use beside::write_rows;
pub use bits::pack_bits;
pub use tiles::find as tiles;

use lanes::{cut, from_scalars, gather, origins, width_of};

/// Why an operation could not be split.
type Outcome<T = ()> = Result<T, String>;

/// The legal vectors of a target.
#[derive(Clone, Copy)]
pub struct Widths {
    bits: u32,
    /// Whether reads and writes of fewer lanes than a vector has take as long as those of all.
    has_masks: bool,
    /// The bits of the smallest elements that are read with a mask by one instruction.
    masked: Option<u32>,
}

impl Widths {
    /// The widths of `target`.
    pub fn of(target: &Target) -> Self {
        let masked = match target.isa {
            Isa::Avx512 => Some(8),
            Isa::Avx2 => Some(32),
            Isa::Scalar | Isa::Sse2 | Isa::Neon => None,
        };
        Self { bits: target.vector_bits(), has_masks: target.isa == Isa::Avx512, masked }
    }

    /// Whether vectors of a type are read with a mask by one instruction.
    fn has_masked_reads(&self, ty: Type<'_>) -> bool {
        let bits = ty.element().bit_width();
        self.masked.zip(bits).is_some_and(|(least, bits)| bits >= least)
    }

    /// Lanes of the widest vector of `element`; a mask has those of 32-bit elements.
    pub fn lanes(&self, element: Type<'_>) -> i64 {
        let bits = match element.bit_width() {
            Some(1) | None => 32,
            Some(bits) => bits,
        };
        i64::from((self.bits / bits).max(1))
    }

    /// The widths of the pieces of a row: full ones, then powers of two.
    pub fn pieces(&self, element: Type<'_>, row: i64) -> Vec<i64> {
        pieces(self.lanes(element), row)
    }

    /// Whether the type is legal. Masks count up to the widest byte vector.
    pub fn has(&self, ty: Type<'_>) -> bool {
        let Some([lanes]) =
            ty.shape().as_deref().and_then(|shape| <[i64; 1]>::try_from(shape).ok())
        else {
            return false;
        };
        let limit = match ty.element().bit_width() {
            Some(1) => i64::from(self.bits / 8),
            _ => self.lanes(ty.element()),
        };
        lanes > 0 && lanes.count_ones() == 1 && lanes <= limit
    }
}

fn pieces(lanes: i64, row: i64) -> Vec<i64> {
    let mut pieces = Vec::new();
    let (mut left, mut width) = (row, lanes);
    while left > 0 {
        if width <= left {
            pieces.push(width);
            left -= width;
        } else {
            width /= 2;
        }
    }
    pieces
}

/// Splits the vectors in `root`.
///
/// # Errors
/// `S9002` for an operation on vectors that has no rule here.
pub fn split<'c>(context: &'c Context, root: Op<'c>, target: &Target) -> Result<(), Diagnostic> {
    let mut parts = Parts {
        context,
        widths: Widths::of(target),
        has_fma: target.has_fma(),
        split: FxHashMap::default(),
        ends: ends::Ends::default(),
        tiles: tiles::find(root),
        dead: Vec::new(),
    };
    parts.find_ends(root);
    for region in root.regions() {
        for block in region.blocks() {
            parts.block(block)?;
        }
    }
    erase_dead(parts.dead);
    Ok(())
}

/// Erases the replaced operations, users first. Rebuilt control flow waits until nothing uses the
/// arguments of its old bodies any more.
fn erase_dead(mut dead: Vec<Op<'_>>) {
    dead.reverse();
    loop {
        let before = dead.len();
        dead.retain(|op| {
            let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
            let busy = blocks.flat_map(|block| block.args()).any(|argument| argument.has_uses());
            let keep = busy || !op.is_unused();
            if !keep {
                op.erase();
            }
            keep
        });
        if dead.len() == before {
            return;
        }
    }
}

/// The state of one run.
struct Parts<'c> {
    context: &'c Context,
    widths: Widths,
    has_fma: bool,
    /// The parts of values of illegal types.
    split: FxHashMap<Value<'c>, Vec<Value<'c>>>,
    /// Values of rows whose last vector begins earlier.
    ends: ends::Ends<'c>,
    /// Values that stay as they are.
    tiles: FxHashSet<Value<'c>>,
    /// Replaced operations, in program order.
    dead: Vec<Op<'c>>,
}

/// The shape of a vector as rows.
#[derive(Clone, Debug)]
struct Rows {
    /// All dimensions but the last.
    leading: Vec<i64>,
    /// The last dimension; 1 for a vector of rank 0.
    row: i64,
}

impl Rows {
    fn of(ty: Type<'_>) -> Outcome<Self> {
        let mut leading = ty.shape().ok_or_else(|| format!("`{ty}` is not a vector"))?;
        let row = leading.pop().unwrap_or(1);
        Ok(Self { leading, row })
    }

    fn count(&self) -> usize {
        self.leading.iter().product::<i64>() as usize
    }

    /// The leading indices of every row, in order.
    fn indices(&self) -> Vec<Vec<i64>> {
        indices(&self.leading)
    }

    /// The number of the row at these leading indices.
    fn number(&self, index: &[i64]) -> usize {
        linear(&self.leading, index)
    }
}

fn linear(shape: &[i64], index: &[i64]) -> usize {
    shape.iter().zip(index).fold(0, |at, (size, one)| at * size + one) as usize
}

fn indices(shape: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for size in shape {
        all = all
            .into_iter()
            .flat_map(|index: Vec<i64>| {
                (0..*size).map(move |one| index.iter().copied().chain([one]).collect())
            })
            .collect();
    }
    all
}

impl<'c> Parts<'c> {
    fn block(&mut self, block: Block<'c>) -> Result<(), Diagnostic> {
        for op in block.ops() {
            self.visit(op)?;
        }
        Ok(())
    }

    fn visit(&mut self, op: Op<'c>) -> Result<(), Diagnostic> {
        let broken = |reason: String| {
            diagnostic_at(codes::S9002, op).reason(format!("cannot split its vectors: {reason}"))
        };
        if op.region_count() > 0 {
            return self.control(op);
        }
        if !concerns_vectors(op) {
            return Ok(());
        }
        if self.has_tiles(op) {
            if self.tile(Builder::before(self.context, op), op).map_err(broken)? {
                self.dead.push(op);
            }
            return Ok(());
        }
        let lowered = self.lower(op).map_err(broken)?;
        if let Some(results) = lowered {
            for (old, parts) in op.results().into_iter().zip(results) {
                self.bind(old, parts).map_err(broken)?;
            }
            self.dead.push(op);
        }
        Ok(())
    }

    /// The parts of every result; `None` if the operation is legal.
    fn lower(&mut self, op: Op<'c>) -> Outcome<Option<Vec<Vec<Value<'c>>>>> {
        let emit = Builder::before(self.context, op);
        let legal = op
            .results()
            .iter()
            .chain(&op.operands())
            .all(|value| !value.ty().is_vector_type() || self.widths.has(value.ty()));
        let one = |parts: Vec<Value<'c>>| Ok(Some(vec![parts]));
        let ends = op.results().into_iter().find_map(|result| self.ends.get(&result).copied());
        match op.name() {
            _ if let Some(lanes) = ends.filter(|_| is_on_elements(op)) => {
                one(self.elementwise_ends(emit, op, lanes)?)
            }
            vector::TRANSFER_READ => one(self.transfer_read(emit, op)?),
            vector::TRANSFER_WRITE => self.transfer_write(emit, op).map(|()| Some(Vec::new())),
            vector::CONTRACT => one(self.contract(emit, op)?),
            vector::OUTERPRODUCT => one(self.outer_product(emit, op)?),
            vector::MULTI_REDUCTION => one(self.multi_reduction(emit, op)?),
            vector::REDUCTION => one(self.reduction(emit, op)?),
            vector::FMA => one(self.fma(emit, op)?),
            ub::POISON => one(self.zeros(emit, op.result(0).ty())?),
            _ if legal => Ok(None),
            arith::CONSTANT => one(self.constant(emit, op)?),
            vector::LOAD => one(self.load(emit, op)?),
            vector::STORE => self.store(emit, op).map(|()| Some(Vec::new())),
            vector::BROADCAST => one(self.broadcast(emit, op)?),
            vector::BITCAST => one(self.bitcast(emit, op)?),
            vector::SHAPE_CAST => one(self.shape_cast(emit, op)?),
            vector::TRANSPOSE if ends::spreads(op) => one(self.spread(emit, op)?),
            vector::TRANSPOSE => one(self.transpose(emit, op)?),
            vector::EXTRACT => one(self.extract(emit, op)?),
            vector::INSERT => one(self.insert(emit, op)?),
            vector::EXTRACT_STRIDED_SLICE => one(self.extract_slice(emit, op)?),
            vector::INSERT_STRIDED_SLICE => one(self.insert_slice(emit, op)?),
            vector::SHUFFLE => one(self.shuffle(emit, op)?),
            vector::CREATE_MASK => one(self.create_mask(emit, op)?),
            vector::CONSTANT_MASK => one(self.constant_mask(emit, op)?),
            vector::FROM_ELEMENTS => one(self.elements(emit, op)?),
            scf::YIELD | scf::CONDITION | affine::YIELD => Ok(None),
            _ if matches!(op.dialect(), "arith" | "math" | "narrow") => {
                one(self.elementwise(emit, op)?)
            }
            _ => Err("there is no rule for this operation".to_owned()),
        }
    }

    /// The parts of a vector; the value itself if its type is legal.
    fn get(&self, value: Value<'c>) -> Outcome<Vec<Value<'c>>> {
        if let Some(parts) = self.split.get(&value) {
            return Ok(parts.clone());
        }
        if self.widths.has(value.ty()) {
            return Ok(vec![value]);
        }
        Err(format!("an operand of type `{}` was not split", value.ty()))
    }

    /// The parts of a vector, row by row.
    fn rows(&self, value: Value<'c>) -> Outcome<Vec<Vec<Value<'c>>>> {
        let parts = self.get(value)?;
        let rows = Rows::of(value.ty())?;
        if rows.count() == 0 || rows.row == 0 {
            return Err(format!("`{}` is empty", value.ty()));
        }
        Ok(parts.chunks(parts.len() / rows.count()).map(<[_]>::to_vec).collect())
    }

    fn bind(&mut self, old: Value<'c>, parts: Vec<Value<'c>>) -> Outcome {
        if !old.ty().is_vector_type() || self.widths.has(old.ty()) {
            let [one] = parts[..] else {
                return Err(format!("`{}` has {} parts", old.ty(), parts.len()));
            };
            old.replace_all_uses_with(one);
        } else {
            self.split.insert(old, parts);
        }
        Ok(())
    }

    /// Where the pieces of a row of a value begin, and their lanes.
    fn places(&self, value: Value<'c>) -> Outcome<Vec<(i64, i64)>> {
        if let Some(lanes) = self.ends.get(&value) {
            let row = Rows::of(value.ty())?.row;
            return Ok(ends::starts(row, *lanes).map(|start| (start, *lanes)).collect());
        }
        let widths = self.row_pieces(value.ty())?.into_iter();
        let place = |start: &mut i64, lanes: i64| {
            *start += lanes;
            Some((*start - lanes, lanes))
        };
        Ok(widths.scan(0, place).collect())
    }

    /// The types of the parts of a vector type.
    fn part_types(&self, ty: Type<'c>) -> Outcome<Vec<Type<'c>>> {
        let rows = Rows::of(ty)?;
        let row: Vec<_> =
            self.row_pieces(ty)?.into_iter().map(|lanes| vector(&[lanes], ty.element())).collect();
        if row.len().saturating_mul(rows.count()) > MAX_VECTOR_PIECES {
            return Err(format!("`{ty}` is too large for a vector"));
        }
        Ok(row.repeat(rows.count()))
    }

    /// The widths of the pieces of one row of a vector type.
    fn row_pieces(&self, ty: Type<'c>) -> Outcome<Vec<i64>> {
        let rows = Rows::of(ty)?;
        // A mask of a legal type is one piece, however other operands are split.
        if self.widths.has(ty) {
            return Ok(vec![rows.row]);
        }
        Ok(self.widths.pieces(ty.element(), rows.row))
    }

    fn zeros(&self, emit: Builder<'c>, ty: Type<'c>) -> Outcome<Vec<Value<'c>>> {
        if !ty.is_vector_type() {
            let known = ty.is_float_type() || ty.is_int() || ty.is_index();
            return if known { Ok(vec![emit.zero(ty)]) } else { Err(format!("poison of `{ty}`")) };
        }
        Ok(self.part_types(ty)?.into_iter().map(|part| emit.zero(part)).collect())
    }

    fn constant(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let ty = op.result(0).ty();
        let value = op.attr("value").ok_or("it has no value")?;
        let types = self.part_types(ty)?;
        if let Some(element) = value.splat_value() {
            return Ok(types.into_iter().map(|part| emit.splat(part, element)).collect());
        }
        let bytes = value.raw_elements().ok_or("its elements are not dense")?;
        let width = ty.element().byte_width().ok_or("its elements have no width")? as usize;
        let mut rest = bytes.as_slice();
        types
            .into_iter()
            .map(|part| {
                let take = part.element_count().unwrap_or(0) as usize * width;
                let (own, others) = rest.split_at_checked(take).ok_or("it is too short")?;
                rest = others;
                let dense = dense_bytes(part, own).ok_or("MLIR refuses its elements")?;
                Ok(emit.op(arith::CONSTANT).attr("value", dense).result(part).value())
            })
            .collect()
    }

    /// `length` lanes from lane `start` of a row given by its pieces, as one vector.
    fn lanes(
        &self,
        emit: Builder<'c>,
        row: &[Value<'c>],
        start: i64,
        length: i64,
    ) -> Outcome<Value<'c>> {
        let all = origins(row);
        let wanted = usize::try_from(start)
            .ok()
            .and_then(|start| all.get(start..start + length as usize))
            .ok_or("a slice leaves its vector")?;
        gather(emit, wanted)
    }

    /// A row split into other widths.
    fn recut(
        &self,
        emit: Builder<'c>,
        row: &[Value<'c>],
        widths: &[i64],
    ) -> Outcome<Vec<Value<'c>>> {
        if row.iter().map(|piece| width_of(*piece)).eq(widths.iter().copied()) {
            return Ok(row.to_vec());
        }
        cut(emit, &origins(row), widths)
    }

    /// One element of a vector as a scalar.
    fn element(&self, emit: Builder<'c>, row: &[Value<'c>], lane: i64) -> Outcome<Value<'c>> {
        let mut at = 0;
        for piece in row {
            let width = width_of(*piece);
            if lane < at + width {
                return Ok(emit.lane(*piece, lane - at));
            }
            at += width;
        }
        Err("an element is out of bounds of its vector".to_owned())
    }

    /// A row assembled from scalars.
    fn row_of(&self, emit: Builder<'c>, scalars: &[Value<'c>], widths: &[i64]) -> Vec<Value<'c>> {
        let mut rest = scalars;
        widths
            .iter()
            .map(|width| {
                let (own, others) = rest.split_at((*width as usize).min(rest.len()));
                rest = others;
                from_scalars(emit, own)
            })
            .collect()
    }
}

/// Whether it is arithmetic on elements.
fn is_on_elements(op: Op<'_>) -> bool {
    matches!(op.dialect(), "arith" | "math") || op.is(vector::FMA)
}

fn concerns_vectors(op: Op<'_>) -> bool {
    op.is(ub::POISON)
        || op.results().iter().chain(&op.operands()).any(|value| value.ty().is_vector_type())
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn rows_are_cut_into_full_pieces_then_powers_of_two() {
        assert_eq!(pieces(16, 35), [16, 16, 2, 1]);
        assert_eq!(pieces(8, 7), [4, 2, 1]);
        assert_eq!(pieces(4, 0), [0; 0]);
    }
}
