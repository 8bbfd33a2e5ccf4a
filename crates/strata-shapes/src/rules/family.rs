//! Which file has an operation's rule. A new operation has to be entered here: the match has no wildcard.

use strata_ir::OpKind;

/// What operations are alike in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Each element of a result depends on the same element of the operands; operands of rank 0 are used by all.
    Pointwise,
    /// Pointwise, after operands are broadcast to the result.
    Expanding,
    /// Each operand becomes a result as it is.
    Carried,
    /// Elements are moved, repeated or left out.
    Movement,
    /// The same elements in row-major order in another shape.
    Reshape,
    /// Sums of products.
    Contraction,
    /// Reductions, sorts and normalisations: some dimensions are combined, the others are parallel.
    Reduction,
    /// Windows and convolutions.
    Window,
    /// Reads and writes at computed positions.
    Indexed,
    /// Functions of the innermost dimensions: factorisations, solves, Fourier transforms.
    Matrices,
    /// Nothing is known along any dimension, or it is none of a tensor: random numbers, constants, tokens, and what other processes or the host take part in.
    Whole,
    /// Branches, loops and calls: their regions decide.
    Regions,
}

/// The family of operations of that kind.
#[deny(clippy::wildcard_enum_match_arm)]
#[rustfmt::skip]
pub fn family(kind: OpKind) -> Family {
    match kind {
        OpKind::Abs | OpKind::Add | OpKind::And | OpKind::Atan2 | OpKind::Cbrt | OpKind::Ceil
        | OpKind::Clamp | OpKind::Compare | OpKind::Complex | OpKind::Convert | OpKind::Cosine
        | OpKind::CountLeadingZeros | OpKind::Divide | OpKind::Exponential | OpKind::ExponentialMinusOne
        | OpKind::Floor | OpKind::Imag | OpKind::IsFinite | OpKind::Log | OpKind::LogPlusOne
        | OpKind::Logistic | OpKind::Maximum | OpKind::Minimum | OpKind::Multiply | OpKind::Negate
        | OpKind::Not | OpKind::Or | OpKind::Popcnt | OpKind::Power | OpKind::Real
        | OpKind::ReducePrecision | OpKind::Remainder | OpKind::RoundNearestAfz
        | OpKind::RoundNearestEven | OpKind::Rsqrt | OpKind::Select | OpKind::ShiftLeft
        | OpKind::ShiftRightArithmetic | OpKind::ShiftRightLogical | OpKind::Sign | OpKind::Sine
        | OpKind::Sqrt | OpKind::Subtract | OpKind::Tan | OpKind::Tanh | OpKind::UniformDequantize
        | OpKind::UniformQuantize | OpKind::Xor | OpKind::ChloAcos | OpKind::ChloAcosh
        | OpKind::ChloAsin | OpKind::ChloAsinAcosKernel | OpKind::ChloAsinh | OpKind::ChloAtan
        | OpKind::ChloAtanh | OpKind::ChloBesselI1e | OpKind::ChloConj | OpKind::ChloConstantLike
        | OpKind::ChloCosh | OpKind::ChloDigamma | OpKind::ChloErf | OpKind::ChloErfInv
        | OpKind::ChloErfc | OpKind::ChloIsInf | OpKind::ChloIsNegInf | OpKind::ChloIsPosInf
        | OpKind::ChloLgamma | OpKind::ChloMulhi | OpKind::ChloNextAfter | OpKind::ChloPolygamma
        | OpKind::ChloSinh | OpKind::ChloSquare | OpKind::ChloTan | OpKind::ChloZeta | OpKind::Map => Family::Pointwise,
        OpKind::ChloBroadcastAdd | OpKind::ChloBroadcastAnd | OpKind::ChloBroadcastAtan2
        | OpKind::ChloBroadcastCompare | OpKind::ChloBroadcastComplex | OpKind::ChloBroadcastDivide
        | OpKind::ChloBroadcastMaximum | OpKind::ChloBroadcastMinimum | OpKind::ChloBroadcastMultiply
        | OpKind::ChloBroadcastNextAfter | OpKind::ChloBroadcastOr | OpKind::ChloBroadcastPolygamma
        | OpKind::ChloBroadcastPower | OpKind::ChloBroadcastRemainder | OpKind::ChloBroadcastSelect
        | OpKind::ChloBroadcastShiftLeft | OpKind::ChloBroadcastShiftRightArithmetic
        | OpKind::ChloBroadcastShiftRightLogical | OpKind::ChloBroadcastSubtract
        | OpKind::ChloBroadcastXor | OpKind::ChloBroadcastZeta => Family::Expanding,
        OpKind::OptimizationBarrier | OpKind::SdyAllGather | OpKind::SdyAllReduce | OpKind::SdyAllSlice
        | OpKind::SdyAllToAll | OpKind::SdyCollectivePermute | OpKind::SdyPropagationBarrier
        | OpKind::SdyReduceScatter | OpKind::SdyReplicatedToUnreduced | OpKind::SdyShardedToUnreduced
        | OpKind::SdyReshard | OpKind::SdyShardingConstraint => Family::Carried,
        OpKind::Broadcast | OpKind::BroadcastInDim | OpKind::Concatenate | OpKind::DynamicBroadcastInDim
        | OpKind::DynamicIota | OpKind::DynamicPad | OpKind::DynamicSlice | OpKind::DynamicUpdateSlice
        | OpKind::Iota | OpKind::Pad | OpKind::RealDynamicSlice | OpKind::Reverse | OpKind::Slice
        | OpKind::Transpose => Family::Movement,
        OpKind::BitcastConvert | OpKind::DynamicReshape | OpKind::Reshape => Family::Reshape,
        OpKind::Dot | OpKind::DotGeneral | OpKind::Einsum | OpKind::UnaryEinsum => Family::Contraction,
        OpKind::BatchNormGrad | OpKind::BatchNormInference | OpKind::BatchNormTraining
        | OpKind::ChloTopK | OpKind::Reduce | OpKind::Sort => Family::Reduction,
        OpKind::Convolution | OpKind::DynamicConv | OpKind::ReduceWindow | OpKind::SelectAndScatter => Family::Window,
        OpKind::DynamicGather | OpKind::Gather | OpKind::TorchIndexSelect | OpKind::Scatter => Family::Indexed,
        OpKind::Cholesky | OpKind::Fft | OpKind::TriangularSolve | OpKind::CustomCall => Family::Matrices,
        OpKind::Constant | OpKind::SdyConstant | OpKind::GetDimensionSize | OpKind::RngBitGenerator | OpKind::SetDimensionSize
        | OpKind::ChloConstant | OpKind::ChloRaggedDot | OpKind::Rng | OpKind::ChloScan
        | OpKind::AfterAll | OpKind::CreateToken | OpKind::GetTupleElement | OpKind::SdyShardingGroup
        | OpKind::Tuple | OpKind::AllGather | OpKind::AllReduce | OpKind::AllToAll
        | OpKind::CollectiveBroadcast | OpKind::CollectivePermute | OpKind::CollectiveReduce
        | OpKind::CrossReplicaSum | OpKind::InterpreterRunParallel | OpKind::PartitionId
        | OpKind::ReduceScatter | OpKind::ReplicaId | OpKind::Infeed | OpKind::InterpreterPrint
        | OpKind::InterpreterProbe | OpKind::Outfeed | OpKind::Recv | OpKind::Send
        | OpKind::CheckExpectAlmostEq | OpKind::CheckExpectAlmostEqConst | OpKind::CheckExpectClose
        | OpKind::CheckExpectEq | OpKind::CheckExpectEqConst | OpKind::CheckExpectSerializedEq
        | OpKind::Return | OpKind::SdyMesh | OpKind::SdyReturn | OpKind::Foreign => Family::Whole,
        OpKind::AsyncDone | OpKind::AsyncStart | OpKind::Case | OpKind::Composite | OpKind::If
        | OpKind::While | OpKind::SdyManualComputation | OpKind::SdyNamedComputation => Family::Regions,
    }
}
