//! What this stage does about each kind of operation. A new operation has to be entered here: the match has no
//! wildcard.

use strata_ir::OpKind;

/// What becomes of operations of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legality {
    /// Allowed after the stage: the next one lowers it.
    Legal,
    /// Rewritten in legal operations. One that is left is reported: it is outside of what the rewrite supports.
    Rewritten,
    /// Depends on a size that is known only at run time.
    SizedAtRunTime,
    /// Cannot be compiled.
    Unsupported,
}

/// What becomes of operations of that kind. CHLO functions are legal where each is one function of the math dialect or a
/// scalar expression, which expanding it here would hide.
#[deny(clippy::wildcard_enum_match_arm)]
#[rustfmt::skip]
pub fn legality(kind: OpKind) -> Legality {
    match kind {
        OpKind::Abs | OpKind::Add | OpKind::AfterAll | OpKind::AllGather | OpKind::AllReduce
        | OpKind::AllToAll | OpKind::And | OpKind::Atan2
        | OpKind::BitcastConvert | OpKind::BroadcastInDim | OpKind::Case | OpKind::Cbrt | OpKind::Ceil
        | OpKind::Cholesky | OpKind::Clamp | OpKind::CollectiveBroadcast | OpKind::CollectivePermute
        | OpKind::Compare | OpKind::Complex | OpKind::Concatenate
        | OpKind::Constant | OpKind::Convert | OpKind::Convolution | OpKind::Cosine
        | OpKind::CountLeadingZeros | OpKind::CreateToken | OpKind::CustomCall | OpKind::Divide
        | OpKind::Dot | OpKind::DotGeneral | OpKind::DynamicSlice | OpKind::DynamicUpdateSlice
        | OpKind::Exponential | OpKind::ExponentialMinusOne | OpKind::Fft | OpKind::Floor | OpKind::Gather
        | OpKind::If | OpKind::Imag | OpKind::Infeed | OpKind::Iota | OpKind::IsFinite | OpKind::Log
        | OpKind::LogPlusOne | OpKind::Logistic | OpKind::Map | OpKind::Maximum | OpKind::Minimum
        | OpKind::Multiply | OpKind::Negate | OpKind::Not | OpKind::OptimizationBarrier | OpKind::Or
        | OpKind::Outfeed | OpKind::Pad | OpKind::PartitionId | OpKind::Popcnt | OpKind::Power | OpKind::Real | OpKind::Recv
        | OpKind::Reduce | OpKind::ReducePrecision | OpKind::ReduceScatter | OpKind::ReduceWindow | OpKind::Remainder
        | OpKind::ReplicaId | OpKind::Reshape | OpKind::Reverse | OpKind::RngBitGenerator | OpKind::RoundNearestAfz
        | OpKind::RoundNearestEven | OpKind::Rsqrt | OpKind::Scatter | OpKind::Select
        | OpKind::SelectAndScatter | OpKind::Send | OpKind::ShiftLeft | OpKind::ShiftRightArithmetic
        | OpKind::ShiftRightLogical | OpKind::Sign | OpKind::Sine | OpKind::Slice | OpKind::Sort
        | OpKind::Sqrt | OpKind::Subtract | OpKind::Tan | OpKind::Tanh | OpKind::Transpose
        | OpKind::TriangularSolve | OpKind::While | OpKind::Xor | OpKind::ChloAsinAcosKernel
        | OpKind::ChloAcos | OpKind::ChloAcosh | OpKind::ChloAsin | OpKind::ChloAsinh | OpKind::ChloAtan
        | OpKind::ChloAtanh | OpKind::ChloBesselI1e | OpKind::ChloConj | OpKind::ChloCosh
        | OpKind::ChloDigamma | OpKind::ChloErf | OpKind::ChloErfInv | OpKind::ChloErfc
        | OpKind::ChloLgamma | OpKind::ChloMulhi | OpKind::ChloNextAfter | OpKind::ChloSinh
        | OpKind::ChloSquare | OpKind::Return => Legality::Legal,
        OpKind::AsyncDone | OpKind::AsyncStart | OpKind::BatchNormGrad | OpKind::BatchNormInference
        | OpKind::BatchNormTraining | OpKind::Broadcast | OpKind::CollectiveReduce | OpKind::Composite
        | OpKind::CrossReplicaSum
        | OpKind::DynamicBroadcastInDim | OpKind::DynamicConv | OpKind::DynamicGather
        | OpKind::DynamicIota | OpKind::DynamicPad | OpKind::DynamicReshape | OpKind::Einsum
        | OpKind::GetTupleElement | OpKind::RealDynamicSlice | OpKind::Rng | OpKind::TorchIndexSelect
        | OpKind::Tuple | OpKind::UnaryEinsum | OpKind::UniformDequantize | OpKind::UniformQuantize
        | OpKind::ChloBroadcastAdd | OpKind::ChloBroadcastAnd
        | OpKind::ChloBroadcastAtan2 | OpKind::ChloBroadcastCompare | OpKind::ChloBroadcastComplex
        | OpKind::ChloBroadcastDivide | OpKind::ChloBroadcastMaximum | OpKind::ChloBroadcastMinimum
        | OpKind::ChloBroadcastMultiply | OpKind::ChloBroadcastNextAfter | OpKind::ChloBroadcastOr
        | OpKind::ChloBroadcastPolygamma | OpKind::ChloBroadcastPower | OpKind::ChloBroadcastRemainder
        | OpKind::ChloBroadcastSelect | OpKind::ChloBroadcastShiftLeft
        | OpKind::ChloBroadcastShiftRightArithmetic | OpKind::ChloBroadcastShiftRightLogical
        | OpKind::ChloBroadcastSubtract | OpKind::ChloBroadcastXor | OpKind::ChloBroadcastZeta
        | OpKind::ChloConstant | OpKind::ChloConstantLike | OpKind::ChloIsInf | OpKind::ChloIsNegInf
        | OpKind::ChloIsPosInf | OpKind::ChloPolygamma | OpKind::ChloRaggedDot | OpKind::ChloScan
        | OpKind::ChloTan | OpKind::ChloTopK | OpKind::ChloZeta | OpKind::SdyNamedComputation
        | OpKind::SdyManualComputation | OpKind::SdyReshard | OpKind::SdyShardingConstraint
        | OpKind::SdyShardingGroup | OpKind::SdyAllGather | OpKind::SdyAllReduce | OpKind::SdyAllSlice
        | OpKind::SdyAllToAll | OpKind::SdyCollectivePermute | OpKind::SdyConstant
        | OpKind::SdyPropagationBarrier | OpKind::SdyReduceScatter
        | OpKind::SdyReplicatedToUnreduced | OpKind::SdyShardedToUnreduced => Legality::Rewritten,
        OpKind::GetDimensionSize | OpKind::SetDimensionSize => Legality::SizedAtRunTime,
        OpKind::CheckExpectAlmostEq | OpKind::CheckExpectAlmostEqConst | OpKind::CheckExpectClose
        | OpKind::CheckExpectEq | OpKind::CheckExpectEqConst | OpKind::CheckExpectSerializedEq
        | OpKind::InterpreterPrint | OpKind::InterpreterProbe | OpKind::InterpreterRunParallel
        | OpKind::SdyMesh | OpKind::SdyReturn
        | OpKind::Foreign => Legality::Unsupported,
    }
}
