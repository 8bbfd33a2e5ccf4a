//! The table of all names: `docs/builder.md` is generated of it and of the crate's source, and each example is built.
//!
//! `STRATA_BLESS=1` rewrites the page; otherwise a difference is a failure.

use std::{collections::HashMap, env, fs, path::Path};

use strata_builder::{
    Builder, ChannelHandle, ComparisonDirection, Computation, ConvOptions,
    ConvolutionDimensionNumbers, CustomCall, DotDimensionNumbers, F32, FftType,
    GatherDimensionNumbers, Op, Padding, RaggedDotDimensionNumbers, RandomAlgorithm, Result, S32,
    ScatterDimensionNumbers, ScatterOptions, Shape, Transpose, Window,
};

struct Row {
    document: &'static str,
    documents: &'static str,
    method: &'static str,
    becomes: &'static str,
    example: &'static str,
    build: fn(&Builder) -> Result<Op>,
}

macro_rules! rows {
    ($($document:literal $documents:literal $method:literal $becomes:literal => |$b:ident| $example:expr;)*) => {
        &[$(Row {
            document: $document,
            documents: $documents,
            method: $method,
            becomes: $becomes,
            example: stringify!($example),
            build: |$b| $example,
        }),*]
    };
}

fn x(b: &Builder) -> Op {
    b.constant([[1.0_f32, 2.0], [3.0, 4.0]])
}

fn v(b: &Builder) -> Op {
    b.constant([1.0_f32, 2.0])
}

fn list(b: &Builder) -> Op {
    b.constant([0_i32, 1])
}

fn image(b: &Builder) -> Op {
    b.constant([[[[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]])
}

fn kernel(b: &Builder) -> Op {
    b.constant([[[[1.0_f32, 2.0], [3.0, 4.0]]]])
}

fn part() -> Result<Computation> {
    Computation::new("part", &[Shape::of::<f32>([2, 2])], |_, p| p[0].slice(&[0, 0], &[1, 2], &[]))
}

fn below() -> Result<Computation> {
    Computation::new("below", &[Shape::scalar(F32)], |_, p| p[0].lt(100.0))
}

fn double() -> Result<Computation> {
    Computation::new("double", &[Shape::scalar(F32)], |_, p| &p[0] + &p[0])
}

fn channel() -> ChannelHandle {
    ChannelHandle { handle: 1, kind: 1 }
}

fn matrices() -> DotDimensionNumbers {
    DotDimensionNumbers {
        lhs_contracting_dimensions: vec![1],
        rhs_contracting_dimensions: vec![0],
        ..DotDimensionNumbers::default()
    }
}

fn ragged_numbers() -> RaggedDotDimensionNumbers {
    let dot = DotDimensionNumbers { rhs_contracting_dimensions: vec![1], ..matrices() };
    RaggedDotDimensionNumbers { dot, lhs_ragged_dimensions: vec![0], rhs_group_dimensions: vec![0] }
}

fn scatter_numbers() -> ScatterDimensionNumbers {
    ScatterDimensionNumbers {
        inserted_window_dims: vec![0],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        ..ScatterDimensionNumbers::default()
    }
}

fn conv_numbers() -> ConvolutionDimensionNumbers {
    ConvolutionDimensionNumbers {
        input_feature_dimension: 1,
        input_spatial_dimensions: vec![2, 3],
        kernel_input_feature_dimension: 1,
        kernel_spatial_dimensions: vec![2, 3],
        output_feature_dimension: 1,
        output_spatial_dimensions: vec![2, 3],
        ..ConvolutionDimensionNumbers::default()
    }
}

#[rustfmt::skip]
const ROWS: &[Row] = rows! {
    "Abs" "000 001 002 003" "Op::abs" "stablehlo.abs" => |b| b.constant([-1.0_f32]).abs();
    "Add" "000 001 002 003 004" "Op::add" "stablehlo.add" => |b| b.constant([1.0_f32]).add(2.0);
    "AfterAll" "000 002" "Builder::after_all" "stablehlo.after_all" => |b| b.after_all(&[b.create_token()?]);
    "AllGather" "000 002" "Op::all_gather" "stablehlo.all_gather" => |b| x(b).all_gather(0, 2, &[&[0, 1]], Default::default());
    "AllReduce" "000 002" "Op::all_reduce" "stablehlo.all_reduce" => |b| x(b).all_reduce(&Computation::add(F32)?, &[], Default::default());
    "AllToAll" "000 002" "Op::all_to_all" "stablehlo.all_to_all" => |b| x(b).all_to_all(1, 0, 2, &[&[0, 1]], None);
    "And" "002" "Op::and" "stablehlo.and" => |b| b.constant([12_i32]).and(10);
    "AsyncDone" "002" "Op::async_done" "stablehlo.async_done" => |b| b.async_start(&part()?, &[x(b)])?.async_done();
    "AsyncStart" "002" "Builder::async_start" "stablehlo.async_start" => |b| b.async_start(&part()?, &[x(b)])?.async_done();
    "AsyncUpdate" "002" "Op::async_update" "none" => |b| b.async_start(&part()?, &[x(b)])?.async_update()?.async_done();
    "Atan2" "002" "Op::atan2" "stablehlo.atan2" => |b| x(b).atan2(1.0);
    "BatchNormGrad" "000 001 002 003" "Op::batch_norm_grad" "stablehlo.batch_norm_grad" => |b| x(b).batch_norm_grad(&v(b), &v(b), &v(b), &x(b), 1e-3, 1);
    "BatchNormInference" "000 001 002 003" "Op::batch_norm_inference" "stablehlo.batch_norm_inference" => |b| x(b).batch_norm_inference(&v(b), &v(b), &v(b), &v(b), 1e-3, 1);
    "BatchNormTraining" "000 001 002 003" "Op::batch_norm_training" "stablehlo.batch_norm_training" => |b| x(b).batch_norm_training(&v(b), &v(b), 1e-3, 1);
    "BitcastConvertType" "000 002 003" "Op::bitcast_convert_type" "stablehlo.bitcast_convert" => |b| x(b).bitcast_convert_type(S32);
    "BitcastConvert" "002" "Op::bitcast_convert" "stablehlo.bitcast_convert" => |b| x(b).bitcast_convert(S32);
    "Broadcast" "000 001 002 003 004" "Op::broadcast" "stablehlo.broadcast" => |b| v(b).broadcast(&[2, 3]);
    "BroadcastInDim" "000 002" "Op::broadcast_in_dim" "stablehlo.broadcast_in_dim" => |b| v(b).broadcast_in_dim(&[2, 3], &[0]);
    "BuildPartitionId" "002" "Builder::build_partition_id" "stablehlo.partition_id" => |b| b.build_partition_id();
    "Call" "000 001 002 003" "Builder::call" "func.call" => |b| b.call(&Computation::add(F32)?, &[b.constant(1.0_f32), b.constant(2.0_f32)]);
    "Cbrt" "000 002" "Op::cbrt" "stablehlo.cbrt" => |b| x(b).cbrt();
    "Ceil" "000 001 002 003" "Op::ceil" "stablehlo.ceil" => |b| x(b).ceil();
    "Cholesky" "000 002" "Op::cholesky" "stablehlo.cholesky" => |b| b.constant([[4.0_f32, 2.0], [2.0, 10.0]]).cholesky(true);
    "Clamp" "000 001 002 003" "Builder::clamp" "stablehlo.clamp" => |b| b.clamp(0.0, &x(b), 1.0);
    "Clz" "002" "Op::clz" "stablehlo.count_leading_zeros" => |b| b.constant([1_u32]).clz();
    "Collapse" "000 001 002 003" "Op::collapse" "stablehlo.reshape" => |b| x(b).collapse(&[0, 1]);
    "CollectiveBroadcast" "002" "Op::collective_broadcast" "stablehlo.collective_broadcast" => |b| x(b).collective_broadcast(&[&[0, 1]], None);
    "CollectivePermute" "000 002" "Op::collective_permute" "stablehlo.collective_permute" => |b| x(b).collective_permute(&[(0, 1), (1, 0)], None);
    "Compare" "002" "Op::compare" "stablehlo.compare" => |b| x(b).compare(0.0, ComparisonDirection::Lt);
    "Complex" "002" "Op::complex" "stablehlo.complex" => |b| x(b).complex(0.0);
    "CompositeCall" "002" "Builder::composite_call" "stablehlo.composite" => |b| b.composite_call(&part()?, &[x(b)], "my.part", "{n = 1 : i32}", 1);
    "ConcatInDim" "000 001 002 003" "Builder::concat_in_dim" "stablehlo.concatenate" => |b| b.concat_in_dim(&[x(b), x(b)], 0);
    "Concatenate" "000 001 002 003" "Builder::concatenate" "stablehlo.concatenate" => |b| b.concatenate(&[x(b), x(b)], 1);
    "Conditional" "000 002 003" "Builder::conditional" "stablehlo.if" => |b| b.conditional(&b.constant(true), &x(b), &part()?, &x(b), &part()?);
    "Conditional (of an index)" "000 002 003" "Builder::conditional_indexed" "stablehlo.case" => |b| b.conditional_indexed(&b.constant(0_i32), &[part()?], &[x(b)]);
    "ConstantLiteral" "000 001 002 003" "Builder::constant_literal" "stablehlo.constant" => |b| Ok(b.constant_literal(&[1.0_f32, 2.0].into()));
    "Constant" "002" "Builder::constant" "stablehlo.constant" => |b| Ok(b.constant([1.0_f32, 2.0]));
    "Conv" "000 001 002 003" "Op::conv" "stablehlo.convolution" => |b| image(b).conv(kernel(b), &[1, 1], Padding::Same, &ConvOptions::default());
    "ConvGeneral" "002" "Op::conv_general" "stablehlo.convolution" => |b| image(b).conv_general(kernel(b), &[1, 1], &[(0, 0), (1, 1)], &conv_numbers(), &ConvOptions::default());
    "ConvGeneralDilated" "002" "Op::conv_general_dilated" "stablehlo.convolution" => |b| image(b).conv_general_dilated(kernel(b), &[1, 1], &[(0, 0), (1, 1)], &[2, 2], &[1, 1], &conv_numbers(), &ConvOptions::default());
    "ConvWithGeneralDimensions" "002" "Op::conv_with_general_dimensions" "stablehlo.convolution" => |b| image(b).conv_with_general_dimensions(kernel(b), &[1, 1], Padding::Valid, &conv_numbers(), &ConvOptions::default());
    "ConvWithGeneralPadding" "000 001 002 003" "Op::conv_with_general_padding" "stablehlo.convolution" => |b| image(b).conv_with_general_padding(kernel(b), &[1, 1], &[(0, 0), (1, 1)], &ConvOptions::default());
    "ConvertElementType" "000 001 002 003" "Op::convert_element_type" "stablehlo.convert" => |b| x(b).convert_element_type(S32);
    "Cos" "000 001 002 003" "Op::cos" "stablehlo.cosine" => |b| x(b).cos();
    "Cosh" "002" "Op::cosh" "chlo.cosh" => |b| x(b).cosh();
    "CreateToken" "" "Builder::create_token" "stablehlo.after_all" => |b| b.create_token();
    "CrossReplicaSum" "000 001 002 003" "Op::cross_replica_sum" "stablehlo.all_reduce" => |b| x(b).cross_replica_sum(&[]);
    "CustomCall" "000 001 002 003" "Builder::custom_call" "stablehlo.custom_call" => |b| b.custom_call(&[x(b)], &CustomCall { target: "f", shape: Some(Shape::of::<f32>([2])), ..CustomCall::default() });
    "Div" "000 001 002 003" "Op::div" "stablehlo.divide" => |b| x(b).div(2.0);
    "Dot" "000 001 002 003" "Op::dot" "stablehlo.dot_general" => |b| x(b).dot(v(b));
    "DotGeneral" "000 002 003" "Op::dot_general" "stablehlo.dot_general" => |b| x(b).dot_general(x(b), &DotDimensionNumbers { lhs_contracting_dimensions: vec![1], rhs_contracting_dimensions: vec![0], ..Default::default() });
    "DynamicReshape" "002" "Op::dynamic_reshape" "stablehlo.dynamic_reshape" => |b| x(b).dynamic_reshape(&[b.constant(4_i32)], &[4], &[true]);
    "DynamicSlice" "000 001 002 003" "Op::dynamic_slice" "stablehlo.dynamic_slice" => |b| v(b).dynamic_slice(&[b.constant(1_i32)], &[1]);
    "DynamicUpdateSlice" "000 001 002 003" "Op::dynamic_update_slice" "stablehlo.dynamic_update_slice" => |b| v(b).dynamic_update_slice(b.constant([5.0_f32]), &[b.constant(1_i32)]);
    "Eq" "000 001 002 003" "Op::eq" "stablehlo.compare" => |b| x(b).eq(0.0);
    "EqTotalOrder" "000 002" "Op::eq_total_order" "stablehlo.compare" => |b| x(b).eq_total_order(0.0, &[]);
    "Erf" "002" "Op::erf" "chlo.erf" => |b| x(b).erf();
    "Exp" "000 001 002 003" "Op::exp" "stablehlo.exponential" => |b| x(b).exp();
    "Expm1" "002" "Op::expm1" "stablehlo.exponential_minus_one" => |b| x(b).expm1();
    "Fft" "000 002" "Op::fft" "stablehlo.fft" => |b| v(b).fft(FftType::Rfft, &[2]);
    "Floor" "000 001 002 003" "Op::floor" "stablehlo.floor" => |b| x(b).floor();
    "Gather" "000 002" "Op::gather" "stablehlo.gather" => |b| v(b).gather(b.constant([[1_i32]]), &GatherDimensionNumbers { offset_dims: vec![1], start_index_map: vec![0], index_vector_dim: 1, ..Default::default() }, &[1], false);
    "Ge" "000 001 002 003" "Op::ge" "stablehlo.compare" => |b| x(b).ge(0.0);
    "GeTotalOrder" "000" "Op::ge_total_order" "stablehlo.compare" => |b| x(b).ge_total_order(0.0, &[]);
    "GetDimensionSize" "000 002" "Op::get_dimension_size" "stablehlo.get_dimension_size" => |b| x(b).get_dimension_size(0);
    "GetTupleElement" "000 001 002 003" "Op::get_tuple_element" "none" => |b| b.tuple(&[x(b), v(b)])?.get_tuple_element(1);
    "Gt" "000 001 002 003" "Op::gt" "stablehlo.compare" => |b| x(b).gt(0.0);
    "GtTotalOrder" "002" "Op::gt_total_order" "stablehlo.compare" => |b| x(b).gt_total_order(0.0, &[]);
    "Imag" "000 002" "Op::imag" "stablehlo.imag" => |b| x(b).imag();
    "Infeed" "000 001 002 003" "Builder::infeed" "stablehlo.infeed" => |b| b.infeed(&Shape::of::<f32>([2]), "");
    "Infeed (with a token)" "000 001 002 003" "Builder::infeed_with_token" "stablehlo.infeed" => |b| b.infeed_with_token(&b.create_token()?, &Shape::of::<f32>([2]), "");
    "Iota" "000 002" "Builder::iota" "stablehlo.iota" => |b| b.iota(&Shape::of::<i32>([4, 8]), 0);
    "IsFinite" "000 001 002 003" "Op::is_finite" "stablehlo.is_finite" => |b| x(b).is_finite();
    "Le" "000 001 002 003" "Op::le" "stablehlo.compare" => |b| x(b).le(0.0);
    "LeTotalOrder" "000 002" "Op::le_total_order" "stablehlo.compare" => |b| x(b).le_total_order(0.0, &[]);
    "Log" "000 001 002 003" "Op::log" "stablehlo.log" => |b| x(b).log();
    "Log1p" "002" "Op::log1p" "stablehlo.log_plus_one" => |b| x(b).log1p();
    "LogicalAnd" "000 001 003" "Op::logical_and" "stablehlo.and" => |b| b.constant([true]).logical_and(false);
    "LogicalNot" "000 001 003" "Op::logical_not" "stablehlo.not" => |b| b.constant([true]).logical_not();
    "LogicalOr" "000 001 003" "Op::logical_or" "stablehlo.or" => |b| b.constant([true]).logical_or(false);
    "Logistic" "000 002" "Op::logistic" "stablehlo.logistic" => |b| x(b).logistic();
    "Lt" "000 002 003" "Op::lt" "stablehlo.compare" => |b| x(b).lt(0.0);
    "LtTotalOrder" "000 002" "Op::lt_total_order" "stablehlo.compare" => |b| x(b).lt_total_order(0.0, &[]);
    "Map" "000 001 002 003" "Builder::map" "stablehlo.map" => |b| b.map(&[x(b), x(b)], &Computation::add(F32)?, &[0, 1], &[]);
    "Max" "000 001 002 003" "Op::max" "stablehlo.maximum" => |b| x(b).max(0.0);
    "Min" "000 001 002 003" "Op::min" "stablehlo.minimum" => |b| x(b).min(0.0);
    "Mul" "000 001 002 003" "Op::mul" "stablehlo.multiply" => |b| x(b).mul(2.0);
    "Ne" "000 001 002 003" "Op::ne" "stablehlo.compare" => |b| x(b).ne(0.0);
    "NeTotalOrder" "000 002" "Op::ne_total_order" "stablehlo.compare" => |b| x(b).ne_total_order(0.0, &[]);
    "Neg" "000 001 002 003" "Op::neg" "stablehlo.negate" => |b| x(b).neg();
    "Not" "000 001 002 003" "Op::not" "stablehlo.not" => |b| b.constant([true]).not();
    "OptimizationBarrier" "002" "Op::optimization_barrier" "stablehlo.optimization_barrier" => |b| x(b).optimization_barrier();
    "Or" "002" "Op::or" "stablehlo.or" => |b| b.constant([12_i32]).or(10);
    "Outfeed" "002" "Op::outfeed" "stablehlo.outfeed" => |b| v(b).outfeed(&Shape::of::<f32>([2]), "").map(|()| v(b));
    "Outfeed (with a token)" "002" "Op::outfeed_with_token" "stablehlo.outfeed" => |b| v(b).outfeed_with_token(&b.create_token()?, &Shape::of::<f32>([2]), "");
    "Pad" "000 001 002 003" "Op::pad" "stablehlo.pad" => |b| v(b).pad(0.0, &[(1, 1, 0).into()]);
    "Parameter" "000 001 002 003" "Builder::parameter" "none" => |b| b.parameter(F32, [2], "x").neg();
    "PartitionID" "002" "Builder::partition_id" "stablehlo.partition_id" => |b| b.partition_id();
    "PopulationCount" "000 002" "Op::population_count" "stablehlo.popcnt" => |b| b.constant([5_u32]).population_count();
    "Pow" "002" "Op::pow" "stablehlo.power" => |b| x(b).pow(2.0);
    "RaggedAllToAll" "002" "Op::ragged_all_to_all" "stablehlo.custom_call" => |b| v(b).ragged_all_to_all(&list(b), &list(b), &v(b), &list(b), &list(b), &[&[0, 1]], None);
    "RaggedDot" "002" "Op::ragged_dot" "chlo.ragged_dot" => |b| x(b).ragged_dot(&b.constant([[[1.0_f32], [2.0]]]), &b.constant([2_i32]), &ragged_numbers(), &Default::default());
    "Real" "000 002" "Op::real" "stablehlo.real" => |b| x(b).real();
    "Recv" "000 002 003" "Builder::recv" "stablehlo.recv" => |b| b.recv(&Shape::of::<f32>([2]), channel());
    "Recv (with a token)" "000 002 003" "Builder::recv_with_token" "stablehlo.recv" => |b| b.recv_with_token(&b.create_token()?, &Shape::of::<f32>([2]), channel());
    "RecvDone" "000 002 003" "Op::recv_done" "none" => |b| b.recv_with_token(&b.create_token()?, &Shape::of::<f32>([2]), channel())?.recv_done();
    "Reduce" "000 001 002 003" "Op::reduce" "stablehlo.reduce" => |b| x(b).reduce(0.0, &Computation::add(F32)?, &[1]);
    "Reduce (of several arrays)" "000 001 002 003" "Builder::reduce" "stablehlo.reduce" => |b| b.reduce(&[x(b)], &[b.constant(0.0_f32)], &Computation::add(F32)?, &[1]);
    "ReduceAll" "" "Op::reduce_all" "stablehlo.reduce" => |b| x(b).reduce_all(0.0, &Computation::add(F32)?);
    "ReducePrecision" "000 001 002 003" "Op::reduce_precision" "stablehlo.reduce_precision" => |b| x(b).reduce_precision(5, 10);
    "ReduceScatter" "002" "Op::reduce_scatter" "stablehlo.reduce_scatter" => |b| x(b).reduce_scatter(&Computation::add(F32)?, 0, 2, &[&[0, 1]], Default::default());
    "ReduceWindow" "000 001 002 003" "Op::reduce_window" "stablehlo.reduce_window" => |b| v(b).reduce_window(0.0, &Computation::add(F32)?, &[2], &[1], Padding::Same);
    "ReduceWindow (of several arrays)" "000 001 002 003" "Builder::reduce_window" "stablehlo.reduce_window" => |b| b.reduce_window(&[v(b)], &[b.constant(0.0_f32)], &Computation::add(F32)?, &Window { dimensions: &[2], ..Window::default() }, Padding::Valid);
    "ReduceWindowWithGeneralPadding" "" "Op::reduce_window_with_general_padding" "stablehlo.reduce_window" => |b| v(b).reduce_window_with_general_padding(0.0, &Computation::add(F32)?, &Window { dimensions: &[2], ..Window::default() }, &[(1, 0)]);
    "Rem" "000 001 002 003" "Op::rem" "stablehlo.remainder" => |b| x(b).rem(2.0);
    "ReplicaId" "000 002" "Builder::replica_id" "stablehlo.replica_id" => |b| b.replica_id();
    "Reshape" "000 001 002 003" "Op::reshape" "stablehlo.reshape" => |b| x(b).reshape(&[4]);
    "Reshape (explicit)" "000 001 002 003" "Op::reshape_to" "stablehlo.reshape" => |b| x(b).reshape_to(&Shape::of::<f32>([4]));
    "Reshape (in an order)" "001 003" "Op::reshape_in_order" "stablehlo.reshape" => |b| x(b).reshape_in_order(&[1, 0], &[4]);
    "Rev" "000 001 002 003" "Op::rev" "stablehlo.reverse" => |b| x(b).rev(&[0]);
    "RngBernoulli" "001" "Builder::rng_bernoulli" "stablehlo.rng" => |b| b.rng_bernoulli(&b.constant(0.5_f32), &Shape::of::<u32>([4]));
    "RngBitGenerator" "000 002" "Builder::rng_bit_generator" "stablehlo.rng_bit_generator" => |b| b.rng_bit_generator(RandomAlgorithm::ThreeFry, &b.constant([1_u64, 2]), &Shape::of::<u32>([4]));
    "RngNormal" "000 001 002 003" "Builder::rng_normal" "stablehlo.rng" => |b| b.rng_normal(&b.constant(0.0_f32), &b.constant(1.0_f32), &Shape::of::<f32>([4]));
    "RngUniform" "000 001 002 003" "Builder::rng_uniform" "stablehlo.rng" => |b| b.rng_uniform(&b.constant(0.0_f32), &b.constant(1.0_f32), &Shape::of::<f32>([4]));
    "Round" "002" "Op::round" "stablehlo.round_nearest_afz" => |b| x(b).round();
    "RoundNearestAfz" "002" "Op::round_nearest_afz" "stablehlo.round_nearest_afz" => |b| x(b).round_nearest_afz();
    "RoundNearestEven" "002" "Op::round_nearest_even" "stablehlo.round_nearest_even" => |b| x(b).round_nearest_even();
    "Rsqrt" "000 002" "Op::rsqrt" "stablehlo.rsqrt" => |b| x(b).rsqrt();
    "ScaledDot" "002" "Op::scaled_dot" "stablehlo.dot_general" => |b| x(b).scaled_dot(&x(b), &x(b), &x(b), &matrices(), &Default::default());
    "Scatter" "000 002" "Op::scatter" "stablehlo.scatter" => |b| v(b).scatter(b.constant([[1_i32]]), b.constant([5.0_f32]), &Computation::add(F32)?, &scatter_numbers(), ScatterOptions::default());
    "Scatter (of several arrays)" "000 002" "Builder::scatter" "stablehlo.scatter" => |b| b.scatter(&[v(b)], &b.constant([[1_i32]]), &[b.constant([5.0_f32])], &Computation::add(F32)?, &scatter_numbers(), ScatterOptions::default());
    "Select" "000 001 002 003" "Builder::select" "stablehlo.select" => |b| b.select(&b.constant(true), &x(b), &x(b));
    "SelectAndScatter" "000 001 002 003" "Op::select_and_scatter" "stablehlo.select_and_scatter" => |b| v(b).select_and_scatter(&Computation::ge(F32)?, &[2], &[2], Padding::Valid, b.constant([1.0_f32]), 0.0, &Computation::add(F32)?);
    "Send" "000 002 003" "Op::send" "stablehlo.send" => |b| v(b).send(channel()).map(|()| v(b));
    "Send (with a token)" "000 002 003" "Op::send_with_token" "stablehlo.send" => |b| v(b).send_with_token(&b.create_token()?, channel());
    "SendDone" "000 002 003" "Op::send_done" "stablehlo.after_all" => |b| v(b).send_with_token(&b.create_token()?, channel())?.send_done();
    "SetDimensionSize" "000 002" "Op::set_dimension_size" "stablehlo.set_dimension_size" => |b| v(b).set_dimension_size(&b.constant(1_i32), 0);
    "ShiftLeft" "002" "Op::shift_left" "stablehlo.shift_left" => |b| b.constant([1_i32]).shift_left(3);
    "ShiftRightArithmetic" "002" "Op::shift_right_arithmetic" "stablehlo.shift_right_arithmetic" => |b| b.constant([-8_i32]).shift_right_arithmetic(1);
    "ShiftRightLogical" "002" "Op::shift_right_logical" "stablehlo.shift_right_logical" => |b| b.constant([-8_i32]).shift_right_logical(1);
    "Sign" "000 001 002 003" "Op::sign" "stablehlo.sign" => |b| x(b).sign();
    "Sin" "002" "Op::sin" "stablehlo.sine" => |b| x(b).sin();
    "Slice" "000 001 002 003" "Op::slice" "stablehlo.slice" => |b| v(b).slice(&[0], &[1], &[1]);
    "Sort" "000 001 002 003" "Op::sort" "stablehlo.sort" => |b| x(b).sort(&Computation::lt(F32)?, None, false);
    "Sort (of several arrays)" "000 001 002 003" "Builder::sort" "stablehlo.sort" => |b| b.sort(&[x(b)], &Computation::lt(F32)?, 0, true);
    "Sort (of the first document)" "001 003" "Op::sort_ascending" "stablehlo.sort" => |b| x(b).sort_ascending();
    "Sqrt" "000 002" "Op::sqrt" "stablehlo.sqrt" => |b| x(b).sqrt();
    "Sub" "000 001 002 003" "Op::sub" "stablehlo.subtract" => |b| x(b).sub(1.0);
    "Tan" "002" "Op::tan" "stablehlo.tan" => |b| x(b).tan();
    "Tanh" "000 001 002 003" "Op::tanh" "stablehlo.tanh" => |b| x(b).tanh();
    "TopK" "002" "Op::top_k" "chlo.top_k" => |b| x(b).top_k(1, true);
    "Transpose" "000 001 002 003" "Op::transpose" "stablehlo.transpose" => |b| x(b).transpose(&[1, 0]);
    "TriangularSolve" "000 002" "Op::triangular_solve" "stablehlo.triangular_solve" => |b| x(b).triangular_solve(x(b), true, true, false, Transpose::NoTranspose);
    "Tuple" "000 001 002 003" "Builder::tuple" "none" => |b| b.tuple(&[x(b), v(b)]);
    "While" "000 001 002 003" "Builder::while_loop" "stablehlo.while" => |b| b.while_loop(&below()?, &double()?, &b.constant(1.0_f32));
    "Xor" "002" "Op::xor" "stablehlo.xor" => |b| b.constant([12_i32]).xor(10);
};

#[test]
fn every_example_builds_what_its_row_says() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let b = Builder::new("example");
        let built =
            (row.build)(&b).and_then(|op| b.build(&op)).and_then(|program| program.to_text());
        let (_, method) = row.method.split_once("::").expect("an owner");
        match built {
            Ok(text)
                if row.becomes != "none"
                    && !text.contains(row.becomes)
                    && !text.contains(&row.becomes.replace("func.call", "call @")) =>
            {
                wrong.push(format!("{}: no {} in {text}", row.document, row.becomes));
            }
            Ok(_) if !row.example.contains(&format!("{method}(")) => {
                wrong.push(format!("{}: the example does not call {method}", row.document));
            }
            Ok(_) => {}
            Err(error) => wrong.push(format!("{}: {error}", row.document)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The methods of `Op` and `Builder` with their parameters, from the source.
fn signatures() -> HashMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/strata-builder/src");
    let mut found = HashMap::new();
    for folder in [root.clone(), root.join("ops")] {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|ending| ending == "rs") {
                gather(&fs::read_to_string(path).expect("source"), &mut found);
            }
        }
    }
    found
}

fn gather(source: &str, found: &mut HashMap<String, String>) {
    let (mut owner, mut table) = ("", "");
    let lines: Vec<&str> = source.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        match line.trim_end() {
            "impl Op {" => owner = "Op",
            "impl Builder {" | "impl crate::Builder {" => owner = "Builder",
            "unary! {" | "functions! {" | "binary! {" | "comparisons! {" => {
                table = line.trim_end_matches(" {")
            }
            "}" => table = "",
            _ => {}
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [name, .., _] = words[..]
            && !table.is_empty()
            && line.ends_with(';')
        {
            let operand =
                if matches!(table, "unary!" | "functions!") { "" } else { ", rhs: impl Operand" };
            found.insert(format!("Op::{name}"), format!("(&self{operand}) -> Result<Op>"));
            if let (Some(third), "comparisons!") = (words.get(2), table) {
                let list = "(&self, rhs: impl Operand, broadcast_dimensions: &[i64]) -> Result<Op>";
                found.insert(format!("Op::{third}"), list.to_owned());
            }
        }
        let Some(rest) = line.strip_prefix("    pub fn ") else { continue };
        let text = lines[at..].join(" ");
        let end = text.find(" {").unwrap_or(text.len());
        let signature = text[..end].split_whitespace().collect::<Vec<_>>().join(" ");
        let name: String =
            rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
        let parameters = signature.split_once(&name).map_or("", |(_, parameters)| parameters);
        let parameters = parameters.replace("( ", "(").replace(", )", ")");
        found.insert(format!("{owner}::{name}"), parameters);
    }
}

#[test]
fn the_page_is_the_one_of_the_table_and_the_source() {
    let signatures = signatures();
    let mut table =
        String::from("| name | documents | method | becomes | example |\n|---|---|---|---|---|\n");
    for row in ROWS {
        let signature =
            signatures.get(row.method).unwrap_or_else(|| panic!("there is no {}", row.method));
        let becomes = if row.becomes == "none" {
            "no operation".to_owned()
        } else {
            format!("`{}`", row.becomes)
        };
        let documents = if row.documents.is_empty() { "\u{2013}" } else { row.documents };
        let cell =
            |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        table += &format!(
            "| `{}` | {documents} | `{}{}` | {becomes} | `{}` |\n",
            row.document,
            row.method,
            cell(signature),
            cell(row.example)
        );
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/strata-builder/src/names.md");
    if env::var_os("STRATA_BLESS").is_some() {
        fs::write(&path, table).expect("the page is writable");
    } else {
        assert_eq!(
            fs::read_to_string(&path).expect("the page"),
            table,
            "run the tests with STRATA_BLESS=1"
        );
    }
}
