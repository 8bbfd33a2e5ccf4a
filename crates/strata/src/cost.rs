//! What a program costs: operations on numbers and bytes moved, counted on StableHLO.
//!
//! The counts are of the program's semantics, not of the code that is made of it. The rules, per operation:
//!
//! | operations | arithmetic | transcendental |
//! |---|---|---|
//! | `dot_general`, `convolution` | 2 for each product: 2·M·N·K for matrices | |
//! | pointwise | 1 for each element of the result | |
//! | `exponential`, `log`, `tanh`, `sqrt`, `power` and their kind | | 1 for each element |
//! | `reduce` | its body once for each element of the input beyond the first of each sum | as its body |
//! | `reduce_window`, `select_and_scatter` | its body for each element of a window beyond the first; for each element of a line beyond the first, where it is a running reduction along the line | as its body |
//! | `scatter`, `map` | its body for each update, each element | as its body |
//! | `sort` | its comparison n·⌈log₂ n⌉ times for each line of n elements | as its comparison |
//! | `fft` | 5·n·log₂ n for each line of n complex elements, half of it for real ones | |
//! | `cholesky`, `triangular_solve` | n³/3 for each matrix, n² for each right-hand side | |
//! | `while` | its regions as often as they run, where that is a constant; else once | |
//! | `if`, `case` | the most_expensive branch | |
//! | what moves or makes elements | 0 | |
//!
//! Bytes moved are those of all operands and results of every operation outside of bodies like those of `reduce`, as
//! if each read its operands from memory and wrote its results: what fusion saves is not taken off.

#[cfg(test)]
mod tests;

use std::{cmp::Reverse, collections::BTreeMap};

use strata_ir::{
    AttributeExt as _, Block, ComparisonDirection, ConvDimensionNumbers, DotDimensionNumbers,
    Module, Op, OpKind, Type, TypeExt as _, Value, entry_functions, stablehlo,
};

/// What an operation or a program costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Additions, multiplications, comparisons and the like.
    pub flops: u64,
    /// Functions such as the exponential.
    pub transcendentals: u64,
    /// Bytes of operands and results.
    pub bytes: u64,
}

impl Cost {
    fn times(self, count: u64) -> Self {
        Self {
            flops: self.flops.saturating_mul(count),
            transcendentals: self.transcendentals.saturating_mul(count),
            bytes: self.bytes.saturating_mul(count),
        }
    }

    /// What costs are compared by.
    fn price(self) -> (u64, u64) {
        (self.flops.saturating_add(self.transcendentals), self.bytes)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            flops: self.flops.saturating_add(other.flops),
            transcendentals: self.transcendentals.saturating_add(other.transcendentals),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

/// A program's costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// By the operation's name without its dialect: how often it stands in the program, and what all of
    /// its executions cost.
    pub operations: BTreeMap<String, (u64, Cost)>,
    /// Constants whose elements differ: their number and bytes.
    pub weights: (u64, u64),
    /// Loops whose number of rounds is not a constant, which count as one round.
    pub open_loops: u64,
}

impl Costs {
    /// The costs of a module's entry functions, before or after the stage `hlo`. Tensors whose size is not
    /// known count as empty.
    pub fn of(module: &Module<'_>) -> Self {
        let mut costs = Self::default();
        for function in entry_functions(module) {
            for block in function.region(0).blocks() {
                let inside = costs.block(block);
                costs.merge(inside, 1);
            }
        }
        costs
    }

    /// The operations, the most expensive first: by arithmetic and functions, then by bytes. With how often each stands in the
    /// program.
    pub fn by_cost(&self) -> Vec<(&str, u64, Cost)> {
        let all =
            self.operations.iter().map(|(name, (count, cost))| (name.as_str(), *count, *cost));
        let mut all: Vec<_> = all.collect();
        // Those that cost the same are in the order of their names.
        all.sort_by_key(|(.., cost)| Reverse(cost.price()));
        all
    }

    /// The sum over all operations.
    pub fn total(&self) -> Cost {
        self.operations.values().fold(Cost::default(), |sum, (_, cost)| sum.plus(*cost))
    }

    fn merge(&mut self, inside: Inside, rounds: u64) {
        for (name, (count, cost)) in inside {
            let entry = self.operations.entry(name).or_default();
            entry.0 += count;
            entry.1 = entry.1.plus(cost.times(rounds));
        }
    }

    fn block(&mut self, block: Block<'_>) -> Inside {
        let mut inside = Inside::new();
        for op in block.ops() {
            if op.dialect() == "func" || op.is(stablehlo::RETURN) {
                continue;
            }
            if constant(op).is_some() {
                if op.kind() == OpKind::Constant {
                    self.constant(op);
                }
                continue;
            }
            let cost = Cost { bytes: bytes_moved(op), ..own_cost(op) };
            add(&mut inside, op.name().mnemonic(), 1, cost);
            match op.kind() {
                OpKind::While => {
                    let rounds = rounds(op);
                    self.open_loops += u64::from(rounds.is_none());
                    for region in op.regions() {
                        self.nested(region.blocks(), rounds.unwrap_or(1), &mut inside);
                    }
                }
                OpKind::If | OpKind::Case => self.most_expensive(op, &mut inside),
                _ => {}
            }
        }
        inside
    }

    fn nested(&mut self, blocks: Vec<Block<'_>>, rounds: u64, inside: &mut Inside) {
        for block in blocks {
            for (name, (count, cost)) in self.block(block) {
                add(inside, &name, count, cost.times(rounds));
            }
        }
    }

    fn most_expensive(&mut self, op: Op<'_>, inside: &mut Inside) {
        let mut branches: Vec<Inside> = Vec::new();
        for region in op.regions() {
            let mut branch = Inside::new();
            self.nested(region.blocks(), 1, &mut branch);
            branches.push(branch);
        }
        let price = |branch: &Inside| {
            let sum = branch.values().fold(Cost::default(), |sum, (_, cost)| sum.plus(*cost));
            sum.price()
        };
        if let Some(most_expensive) = branches.into_iter().max_by_key(price) {
            for (name, (count, cost)) in most_expensive {
                add(inside, &name, count, cost);
            }
        }
    }

    fn constant(&mut self, op: Op<'_>) {
        let is_splat = op.attr("value").is_some_and(|value| value.is_splat());
        if !is_splat {
            self.weights.0 += 1;
            self.weights.1 = self.weights.1.saturating_add(bytes_of(op.result(0).ty()));
        }
    }
}

/// What each operation of the entry functions costs in a call, without what is in its regions and runs by itself; see [`executed`].
pub(crate) fn each<'c>(module: &Module<'c>) -> Vec<(Op<'c>, Cost)> {
    let cost = |op| Cost { bytes: bytes_moved(op), ..own_cost(op) };
    executed(module).into_iter().map(|(op, times)| (op, cost(op).times(times))).collect()
}

/// The constant that an operation makes, in any order of its dimensions: the compiler moves its elements.
pub(crate) fn constant(op: Op<'_>) -> Option<Op<'_>> {
    match op.kind() {
        OpKind::Constant => Some(op),
        OpKind::Transpose => op.operand(0).owner().filter(|owner| owner.kind() == OpKind::Constant),
        _ => None,
    }
}

/// The operations of the entry functions, without constants, and how often each is done in a call; a branch as if it were taken, a
/// loop with an unknown number of rounds as if it had one.
pub(crate) fn executed<'c>(module: &Module<'c>) -> Vec<(Op<'c>, u64)> {
    let mut found = Vec::new();
    let mut open: Vec<(Op<'c>, u64)> =
        entry_functions(module).into_iter().map(|function| (function, 1)).collect();
    while let Some((around, times)) = open.pop() {
        for block in around.regions().into_iter().flat_map(|region| region.blocks()) {
            for op in block.ops() {
                if op.dialect() == "func" || op.is(stablehlo::RETURN) {
                    continue;
                }
                if constant(op).is_none() {
                    found.push((op, times));
                }
                match op.kind() {
                    OpKind::While => open.push((op, times.saturating_mul(rounds(op).unwrap_or(1)))),
                    OpKind::If | OpKind::Case => open.push((op, times)),
                    _ => {}
                }
            }
        }
    }
    found
}

/// Costs by operation name.
type Inside = BTreeMap<String, (u64, Cost)>;

fn add(inside: &mut Inside, name: &str, count: u64, cost: Cost) {
    let entry = inside.entry(name.to_owned()).or_default();
    entry.0 += count;
    entry.1 = entry.1.plus(cost);
}

fn elements(ty: Type<'_>) -> u64 {
    ty.element_count().unwrap_or(0)
}

fn bytes_of(ty: Type<'_>) -> u64 {
    if !ty.is_tensor_type() {
        return 0;
    }
    elements(ty).saturating_mul(ty.element().byte_width().unwrap_or(0))
}

/// Operations that only rename what they take.
const RENAMING: &[OpKind] = &[
    OpKind::Reshape,
    OpKind::Tuple,
    OpKind::GetTupleElement,
    OpKind::OptimizationBarrier,
    OpKind::While,
    OpKind::If,
    OpKind::Case,
];

fn bytes_moved(op: Op<'_>) -> u64 {
    if RENAMING.contains(&op.kind()) {
        return 0;
    }
    // What is read in part counts as the part.
    let partly = match op.kind() {
        OpKind::Slice | OpKind::DynamicSlice | OpKind::Gather => {
            return bytes_of(op.result(0).ty()).saturating_mul(2);
        }
        OpKind::DynamicUpdateSlice => return bytes_of(op.operand(1).ty()).saturating_mul(2),
        _ => op.operands().into_iter().map(Value::ty),
    };
    partly.chain(op.result_types()).map(bytes_of).fold(0, u64::saturating_add)
}

/// What the operation costs without the regions that run by themselves.
fn own_cost(op: Op<'_>) -> Cost {
    let result = op.result_types().first().map_or(0, |ty| elements(*ty));
    let flops = |flops: u64| Cost { flops, ..Cost::default() };
    match op.kind() {
        OpKind::DotGeneral => flops(doubled(result, contracted(op))),
        OpKind::Dot => {
            let inner = op.operand(0).ty().shape().and_then(|sizes| sizes.last().copied());
            flops(doubled(result, inner.map_or(0, |size| size.max(0) as u64)))
        }
        OpKind::Convolution | OpKind::DynamicConv => flops(doubled(result, products(op))),
        OpKind::Reduce => {
            let input = elements(op.operand(0).ty());
            body(op, 0).times(input.saturating_sub(result))
        }
        OpKind::ReduceWindow => {
            let more = match running_line(op) {
                Some(line) => result - result / line,
                None => result.saturating_mul(window(op).saturating_sub(1)),
            };
            body(op, 0).times(more)
        }
        OpKind::SelectAndScatter => {
            let source = elements(op.operand(1).ty());
            let chosen = body(op, 0).times(source.saturating_mul(window(op).saturating_sub(1)));
            chosen.plus(body(op, 1).times(source))
        }
        OpKind::Scatter => {
            // Inputs, indices, updates; as many inputs as updates.
            let updates = op.operand_count() / 2 + 1;
            let count =
                if updates < op.operand_count() { elements(op.operand(updates).ty()) } else { 0 };
            body(op, 0).times(count)
        }
        OpKind::Map => body(op, 0).times(result),
        OpKind::Sort => {
            let line = line(op);
            body(op, 0).times(result.saturating_mul(u64::from(log2_ceil(line))))
        }
        OpKind::Fft => {
            let lengths = op.attr("fft_length").and_then(|list| list.as_i64s()).unwrap_or_default();
            let size: u64 =
                lengths.iter().map(|length| (*length).max(1) as u64).fold(1, u64::saturating_mul);
            let is_real = !op.operand(0).ty().element().is_complex()
                || !op.result(0).ty().element().is_complex();
            let lines = elements(op.operand(0).ty()).max(result) / size.max(1);
            let each = size.saturating_mul(5 * u64::from(log2_ceil(size)));
            flops(lines.saturating_mul(if is_real { each / 2 } else { each }))
        }
        OpKind::Cholesky => {
            let n = last_size(op.result(0).ty());
            flops(result.saturating_mul(n) / 3)
        }
        OpKind::TriangularSolve => flops(result.saturating_mul(last_size(op.operand(0).ty()))),
        kind => match work(kind) {
            Work::Pointwise => flops(result),
            Work::Transcendental => Cost { transcendentals: result, ..Cost::default() },
            Work::OwnFormula | Work::Nothing => Cost::default(),
        },
    }
}

/// How much an operation computes for each element of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// What a formula of its own says.
    OwnFormula,
    /// What a processor has an instruction for, or a few.
    Pointwise,
    /// A polynomial or the like.
    Transcendental,
    /// Nothing: it moves elements, or what it computes is inside of it, outside of the program or not yet expanded.
    Nothing,
}

/// Whether an operation computes each element of its result from one of each operand.
pub(crate) fn computes_elements(kind: OpKind) -> bool {
    matches!(work(kind), Work::Pointwise | Work::Transcendental)
}

/// A new operation has to be entered here: the match has no wildcard.
#[deny(clippy::wildcard_enum_match_arm)]
#[rustfmt::skip]
fn work(kind: OpKind) -> Work {
    match kind {
        OpKind::DotGeneral | OpKind::Dot | OpKind::Convolution | OpKind::DynamicConv | OpKind::Reduce
        | OpKind::ReduceWindow | OpKind::SelectAndScatter | OpKind::Scatter | OpKind::Map | OpKind::Sort
        | OpKind::Fft | OpKind::Cholesky | OpKind::TriangularSolve => Work::OwnFormula,
        OpKind::Abs | OpKind::Add | OpKind::And | OpKind::Ceil | OpKind::Clamp | OpKind::Compare
        | OpKind::CountLeadingZeros | OpKind::Divide | OpKind::Floor | OpKind::IsFinite | OpKind::Maximum
        | OpKind::Minimum | OpKind::Multiply | OpKind::Negate | OpKind::Not | OpKind::Or | OpKind::Popcnt
        | OpKind::ReducePrecision | OpKind::Remainder | OpKind::Rng | OpKind::RngBitGenerator
        | OpKind::RoundNearestAfz | OpKind::RoundNearestEven | OpKind::Select | OpKind::ShiftLeft
        | OpKind::ShiftRightArithmetic | OpKind::ShiftRightLogical | OpKind::Sign | OpKind::Subtract
        | OpKind::UniformDequantize | OpKind::UniformQuantize | OpKind::Xor | OpKind::ChloSquare => Work::Pointwise,
        OpKind::Cbrt | OpKind::Cosine | OpKind::Exponential | OpKind::ExponentialMinusOne | OpKind::Log
        | OpKind::LogPlusOne | OpKind::Logistic | OpKind::Power | OpKind::Rsqrt | OpKind::Sine | OpKind::Sqrt
        | OpKind::Tan | OpKind::Tanh | OpKind::ChloAcos | OpKind::ChloAcosh | OpKind::ChloAsin
        | OpKind::ChloAsinh | OpKind::ChloAtan | OpKind::ChloAtanh | OpKind::ChloCosh | OpKind::ChloDigamma
        | OpKind::ChloErf | OpKind::ChloErfInv | OpKind::ChloErfc | OpKind::ChloLgamma | OpKind::ChloSinh
        | OpKind::ChloTan => Work::Transcendental,
        OpKind::AfterAll | OpKind::AllGather | OpKind::AllReduce | OpKind::AllToAll | OpKind::AsyncDone
        | OpKind::AsyncStart | OpKind::Atan2 | OpKind::BatchNormGrad | OpKind::BatchNormInference
        | OpKind::BatchNormTraining | OpKind::BitcastConvert | OpKind::Broadcast | OpKind::BroadcastInDim
        | OpKind::Case | OpKind::CollectiveBroadcast | OpKind::CollectivePermute | OpKind::CollectiveReduce
        | OpKind::Complex | OpKind::Composite | OpKind::Concatenate | OpKind::Constant | OpKind::Convert
        | OpKind::CreateToken | OpKind::CrossReplicaSum | OpKind::CustomCall | OpKind::DynamicBroadcastInDim
        | OpKind::DynamicGather | OpKind::DynamicIota | OpKind::DynamicPad | OpKind::DynamicReshape
        | OpKind::DynamicSlice | OpKind::DynamicUpdateSlice | OpKind::Einsum | OpKind::Gather
        | OpKind::GetDimensionSize | OpKind::GetTupleElement | OpKind::If | OpKind::Imag | OpKind::Infeed
        | OpKind::Iota | OpKind::OptimizationBarrier | OpKind::Outfeed | OpKind::Pad | OpKind::PartitionId
        | OpKind::Real | OpKind::RealDynamicSlice | OpKind::Recv | OpKind::ReduceScatter | OpKind::ReplicaId
        | OpKind::Reshape | OpKind::Return | OpKind::Reverse | OpKind::Send | OpKind::SetDimensionSize
        | OpKind::Slice | OpKind::TorchIndexSelect | OpKind::Transpose | OpKind::Tuple | OpKind::UnaryEinsum
        | OpKind::While | OpKind::ChloAsinAcosKernel | OpKind::ChloBesselI1e | OpKind::ChloBroadcastAdd
        | OpKind::ChloBroadcastAnd | OpKind::ChloBroadcastAtan2 | OpKind::ChloBroadcastCompare
        | OpKind::ChloBroadcastComplex | OpKind::ChloBroadcastDivide | OpKind::ChloBroadcastMaximum
        | OpKind::ChloBroadcastMinimum | OpKind::ChloBroadcastMultiply | OpKind::ChloBroadcastNextAfter
        | OpKind::ChloBroadcastOr | OpKind::ChloBroadcastPolygamma | OpKind::ChloBroadcastPower
        | OpKind::ChloBroadcastRemainder | OpKind::ChloBroadcastSelect | OpKind::ChloBroadcastShiftLeft
        | OpKind::ChloBroadcastShiftRightArithmetic | OpKind::ChloBroadcastShiftRightLogical
        | OpKind::ChloBroadcastSubtract | OpKind::ChloBroadcastXor | OpKind::ChloBroadcastZeta
        | OpKind::ChloConj | OpKind::ChloConstant | OpKind::ChloConstantLike | OpKind::ChloIsInf
        | OpKind::ChloIsNegInf | OpKind::ChloIsPosInf | OpKind::ChloMulhi | OpKind::ChloNextAfter
        | OpKind::ChloPolygamma | OpKind::ChloRaggedDot | OpKind::ChloScan | OpKind::ChloTopK
        | OpKind::ChloZeta | OpKind::CheckExpectAlmostEq | OpKind::CheckExpectAlmostEqConst
        | OpKind::CheckExpectClose | OpKind::CheckExpectEq | OpKind::CheckExpectEqConst
        | OpKind::CheckExpectSerializedEq | OpKind::InterpreterPrint | OpKind::InterpreterProbe
        | OpKind::InterpreterRunParallel | OpKind::SdyManualComputation | OpKind::SdyMesh
        | OpKind::SdyNamedComputation | OpKind::SdyReshard | OpKind::SdyReturn | OpKind::SdyShardingConstraint
        | OpKind::SdyShardingGroup | OpKind::SdyAllGather | OpKind::SdyAllReduce
        | OpKind::SdyAllSlice | OpKind::SdyAllToAll | OpKind::SdyCollectivePermute
        | OpKind::SdyConstant | OpKind::SdyPropagationBarrier | OpKind::SdyReduceScatter
        | OpKind::SdyReplicatedToUnreduced | OpKind::SdyShardedToUnreduced
        | OpKind::Foreign => Work::Nothing,
    }
}

/// One execution of a region on scalars. The region's own operations move nothing.
fn body(op: Op<'_>, region: usize) -> Cost {
    let Some(block) = op.regions().get(region).and_then(|region| region.first_block()) else {
        return Cost::default();
    };
    block.ops().into_iter().map(own_cost).fold(Cost::default(), Cost::plus)
}

/// The number of products that each element of a `dot_general` sums.
fn contracted(op: Op<'_>) -> u64 {
    let numbers = op.attr("dot_dimension_numbers").and_then(DotDimensionNumbers::from_attribute);
    let (Some(numbers), Some(sizes)) = (numbers, op.operand(0).ty().shape()) else { return 0 };
    let size = |dim: &i64| sizes.get(*dim as usize).map_or(1, |size| (*size).max(0) as u64);
    numbers.lhs_contracting_dimensions.iter().map(size).fold(1, u64::saturating_mul)
}

/// The number of products that each element of a convolution sums: all of the kernel but its output features.
fn products(op: Op<'_>) -> u64 {
    let numbers = op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
    let (Some(numbers), kernel) = (numbers, op.operand(1).ty()) else { return 0 };
    let features = kernel
        .shape()
        .and_then(|sizes| sizes.get(numbers.kernel_output_feature_dimension as usize).copied());
    elements(kernel) / features.map_or(1, |size| size.max(1) as u64)
}

fn window(op: Op<'_>) -> u64 {
    let sizes = op.attr("window_dimensions").and_then(|list| list.as_i64s()).unwrap_or_default();
    sizes.iter().map(|size| (*size).max(0) as u64).fold(1, u64::saturating_mul)
}

/// A dimension of a `reduce_window` without steps or holes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlainWindow {
    pub(crate) window: i64,
    /// Of the operand.
    pub(crate) size: i64,
    pub(crate) padding: [i64; 2],
}

impl PlainWindow {
    /// The dimensions; `None` for another operation, or where windows have steps or holes.
    pub(crate) fn all(op: Op<'_>) -> Option<Vec<Self>> {
        let list = |name| op.attr(name).and_then(|list| list.as_i64s());
        let is_one = |name| list(name).is_none_or(|steps| steps.iter().all(|step| *step == 1));
        let steps = ["window_strides", "window_dilations", "base_dilations"];
        if op.kind() != OpKind::ReduceWindow || !steps.into_iter().all(is_one) {
            return None;
        }
        let (windows, sizes) = (list("window_dimensions")?, op.operand(0).ty().shape()?);
        let padding = list("padding").unwrap_or_else(|| vec![0; 2 * windows.len()]);
        let dims = windows.into_iter().zip(sizes).zip(padding.chunks(2));
        dims.map(|((window, size), padding)| {
            Some(Self { window, size, padding: padding.try_into().ok()? })
        })
        .collect()
    }

    /// Whether each window is the element at its own place.
    pub(crate) fn is_trivial(self) -> bool {
        self.window == 1 && self.padding == [0, 0]
    }

    /// Whether each window has all elements up to its own place.
    pub(crate) fn is_up_to(self) -> bool {
        self.window == self.size && self.padding == [self.size - 1, 0]
    }

    /// Whether each window has all elements from its own place on.
    fn is_from(self) -> bool {
        self.window == self.size && self.padding == [0, self.size - 1]
    }
}

/// The length of the lines of a running reduction: each window has all elements of the line up to its own place, or from there on.
pub(crate) fn running_line(op: Op<'_>) -> Option<u64> {
    let windows = PlainWindow::all(op)?;
    let mut long = windows.into_iter().filter(|window| !window.is_trivial());
    let (Some(along), None) = (long.next(), long.next()) else { return None };
    (along.is_up_to() || along.is_from()).then_some(along.size.unsigned_abs())
}

/// The length of the lines that a `sort` sorts.
fn line(op: Op<'_>) -> u64 {
    let dim = op.attr("dimension").and_then(|dim| dim.as_i64()).unwrap_or(-1);
    let sizes = op.operand(0).ty().shape().unwrap_or_default();
    let dim = if dim < 0 { dim + sizes.len() as i64 } else { dim };
    sizes.get(dim as usize).map_or(0, |size| (*size).max(0) as u64)
}

fn last_size(ty: Type<'_>) -> u64 {
    ty.shape().and_then(|sizes| sizes.last().copied()).map_or(0, |size| size.max(0) as u64)
}

/// A multiplication and an addition for each of `count` products of each element.
fn doubled(elements: u64, count: u64) -> u64 {
    elements.saturating_mul(count).saturating_mul(2)
}

fn log2_ceil(size: u64) -> u32 {
    64 - size.max(1).saturating_sub(1).leading_zeros()
}

/// How often a loop runs that counts from a constant to a constant in constant steps.
fn rounds(op: Op<'_>) -> Option<u64> {
    let condition = op.region(0).first_block()?;
    let body = op.region(1).first_block()?;
    let test =
        condition.terminator()?.operand(0).owner().filter(|test| test.kind() == OpKind::Compare)?;
    let direction = ComparisonDirection::from_attribute(test.attr("comparison_direction")?);
    if direction != Some(ComparisonDirection::Lt) {
        return None;
    }
    let (_, place) = test.operand(0).block_arg()?;
    let end = scalar(test.operand(1))?;
    let next =
        body.terminator()?.operand(place).owner().filter(|next| next.kind() == OpKind::Add)?;
    let is_counter = |value: Value<'_>| value.block_arg() == Some((body, place));
    let step = match (is_counter(next.operand(0)), is_counter(next.operand(1))) {
        (true, false) => scalar(next.operand(1))?,
        (false, true) => scalar(next.operand(0))?,
        _ => return None,
    };
    let start = scalar(op.operand(place))?;
    let distance = u64::try_from(end.checked_sub(start)?.max(0)).ok()?;
    Some(distance.div_ceil(u64::try_from(step).ok().filter(|step| *step > 0)?))
}

fn scalar(value: Value<'_>) -> Option<i64> {
    value.owner()?.attr("value")?.splat_value()?.as_i64()
}
