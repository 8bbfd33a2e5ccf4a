//! Which file says what an operation means. A new operation has to be entered here: the match has no wildcard.

use strata_ir::OpKind;

/// The files of this folder that evaluate operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Functions of tensors.
    Operations,
    /// Operations with regions that compute elements, and random numbers, which the machine draws.
    Bodies,
    /// Calls, branches and loops.
    ControlFlow,
    /// Tuples, tokens and what only hands its operands on.
    TupleToken,
    /// What several processes do together, and which of them this is.
    Collective,
    /// What comes from the host and goes there.
    HostIo,
    /// Custom calls, and the checks of conformance files.
    CustomCall,
    /// Terminators, declarations and what has no meaning of its own.
    Unknown,
}

/// The file that evaluates operations of that kind.
#[deny(clippy::wildcard_enum_match_arm)]
#[rustfmt::skip]
pub fn family(kind: OpKind) -> Family {
    match kind {
        OpKind::Abs | OpKind::Add | OpKind::And | OpKind::Atan2 | OpKind::BatchNormGrad
        | OpKind::BatchNormInference | OpKind::BatchNormTraining | OpKind::BitcastConvert
        | OpKind::Broadcast | OpKind::BroadcastInDim | OpKind::Cbrt | OpKind::Ceil | OpKind::Cholesky
        | OpKind::Clamp | OpKind::Compare | OpKind::Complex | OpKind::Concatenate | OpKind::Constant
        | OpKind::SdyConstant
        | OpKind::Convert | OpKind::Convolution | OpKind::Cosine | OpKind::CountLeadingZeros
        | OpKind::Divide | OpKind::Dot | OpKind::DotGeneral | OpKind::DynamicBroadcastInDim
        | OpKind::DynamicConv | OpKind::DynamicGather | OpKind::DynamicIota | OpKind::DynamicPad
        | OpKind::DynamicReshape | OpKind::DynamicSlice | OpKind::DynamicUpdateSlice | OpKind::Einsum
        | OpKind::Exponential | OpKind::ExponentialMinusOne | OpKind::Fft | OpKind::Floor
        | OpKind::Gather | OpKind::GetDimensionSize | OpKind::Imag | OpKind::Iota | OpKind::IsFinite
        | OpKind::Log | OpKind::LogPlusOne | OpKind::Logistic | OpKind::Maximum | OpKind::Minimum
        | OpKind::Multiply | OpKind::Negate | OpKind::Not | OpKind::Or | OpKind::Pad | OpKind::Popcnt
        | OpKind::Power | OpKind::Real | OpKind::RealDynamicSlice | OpKind::ReducePrecision
        | OpKind::Remainder | OpKind::Reshape | OpKind::Reverse | OpKind::RngBitGenerator
        | OpKind::RoundNearestAfz | OpKind::RoundNearestEven | OpKind::Rsqrt | OpKind::Select
        | OpKind::SetDimensionSize | OpKind::ShiftLeft | OpKind::ShiftRightArithmetic
        | OpKind::ShiftRightLogical | OpKind::Sign | OpKind::Sine | OpKind::Slice | OpKind::Sqrt
        | OpKind::Subtract | OpKind::Tan | OpKind::Tanh | OpKind::TorchIndexSelect | OpKind::Transpose
        | OpKind::TriangularSolve | OpKind::UnaryEinsum | OpKind::UniformDequantize
        | OpKind::UniformQuantize | OpKind::Xor
        | OpKind::ChloAcos | OpKind::ChloAcosh | OpKind::ChloAsin | OpKind::ChloAsinAcosKernel
        | OpKind::ChloAsinh | OpKind::ChloAtan | OpKind::ChloAtanh | OpKind::ChloBesselI1e
        | OpKind::ChloBroadcastAdd | OpKind::ChloBroadcastAnd | OpKind::ChloBroadcastAtan2
        | OpKind::ChloBroadcastCompare | OpKind::ChloBroadcastComplex | OpKind::ChloBroadcastDivide
        | OpKind::ChloBroadcastMaximum | OpKind::ChloBroadcastMinimum | OpKind::ChloBroadcastMultiply
        | OpKind::ChloBroadcastNextAfter | OpKind::ChloBroadcastOr | OpKind::ChloBroadcastPolygamma
        | OpKind::ChloBroadcastPower | OpKind::ChloBroadcastRemainder | OpKind::ChloBroadcastSelect
        | OpKind::ChloBroadcastShiftLeft | OpKind::ChloBroadcastShiftRightArithmetic
        | OpKind::ChloBroadcastShiftRightLogical | OpKind::ChloBroadcastSubtract
        | OpKind::ChloBroadcastXor | OpKind::ChloBroadcastZeta | OpKind::ChloConj | OpKind::ChloConstant
        | OpKind::ChloConstantLike | OpKind::ChloCosh | OpKind::ChloDigamma | OpKind::ChloErf
        | OpKind::ChloErfInv | OpKind::ChloErfc | OpKind::ChloIsInf | OpKind::ChloIsNegInf
        | OpKind::ChloIsPosInf | OpKind::ChloLgamma | OpKind::ChloMulhi | OpKind::ChloNextAfter
        | OpKind::ChloPolygamma | OpKind::ChloRaggedDot | OpKind::ChloSinh | OpKind::ChloSquare
        | OpKind::ChloTan | OpKind::ChloTopK | OpKind::ChloZeta => Family::Operations,
        OpKind::Map | OpKind::Reduce | OpKind::ReduceWindow | OpKind::Rng | OpKind::Scatter
        | OpKind::SelectAndScatter | OpKind::Sort | OpKind::ChloScan => Family::Bodies,
        OpKind::AsyncDone | OpKind::AsyncStart | OpKind::Case | OpKind::Composite | OpKind::If
        | OpKind::While | OpKind::SdyManualComputation | OpKind::SdyNamedComputation => {
            Family::ControlFlow
        }
        OpKind::AfterAll | OpKind::CreateToken | OpKind::GetTupleElement
        | OpKind::OptimizationBarrier | OpKind::SdyAllGather | OpKind::SdyAllReduce | OpKind::SdyAllSlice
        | OpKind::SdyAllToAll | OpKind::SdyCollectivePermute | OpKind::SdyPropagationBarrier
        | OpKind::SdyReduceScatter | OpKind::SdyReplicatedToUnreduced | OpKind::SdyShardedToUnreduced
        | OpKind::SdyReshard | OpKind::SdyShardingConstraint
        | OpKind::SdyShardingGroup | OpKind::Tuple => Family::TupleToken,
        OpKind::AllGather | OpKind::AllReduce | OpKind::AllToAll | OpKind::CollectiveBroadcast
        | OpKind::CollectivePermute | OpKind::CollectiveReduce | OpKind::CrossReplicaSum
        | OpKind::InterpreterRunParallel | OpKind::PartitionId | OpKind::ReduceScatter
        | OpKind::ReplicaId => Family::Collective,
        OpKind::Infeed | OpKind::InterpreterPrint | OpKind::InterpreterProbe | OpKind::Outfeed
        | OpKind::Recv | OpKind::Send => Family::HostIo,
        OpKind::CheckExpectAlmostEq | OpKind::CheckExpectAlmostEqConst | OpKind::CheckExpectClose
        | OpKind::CheckExpectEq | OpKind::CheckExpectEqConst | OpKind::CheckExpectSerializedEq
        | OpKind::CustomCall => Family::CustomCall,
        OpKind::Return | OpKind::SdyMesh | OpKind::SdyReturn | OpKind::Foreign => Family::Unknown,
    }
}
