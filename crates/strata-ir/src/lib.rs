//! Strata's view of MLIR: the context with every dialect the compiler uses, copyable handles to
//! operations, values and blocks, a builder, typed views generated from the `.td` files, parsing,
//! printing and pass pipelines whose failures become [`strata_diag::Diagnostic`]s.
//!
//! Handles ([`Op`], [`Value`], [`Block`]) borrow from the context, not from the module. What [`Op::erase`] takes out of a program stays
//! in memory as long as the context, so that no handle to it dangles. What MLIR destroys itself does not: handles into a
//! module end with it, with the next pass over it, and those of a block's argument with [`Block::erase_arg`].
#![deny(missing_docs)]

mod affine_map;
mod attrs;
mod builder;
mod bytecode;
mod calls;
mod columns;
mod context;
mod dense;
mod devices;
mod diagnostics;
mod dialects;
mod enumerations;
mod faults;
mod handles;
mod held;
mod hex;
mod hlo_attrs;
mod kinds;
mod limits;
mod literals;
mod locations;
mod meshes;
mod module;
mod named_sequence;
mod names;
mod op_name;
mod parse;
mod pass;
mod precision;
mod prepared;
pub mod presburger;
mod quantized;
mod recognise;
mod reports;
mod resources;
mod semantics;
mod sharding_rule;
mod shardings;
mod shards;
mod shared;
mod short_forms;
mod signature;
mod steps;
mod timing;
mod types;
mod versioned;

pub use affine_map::{AffineExpr, AffineMap};
pub use attrs::*;
pub use builder::{Builder, OpBuilder, Point, RegionBuilder};
pub use bytecode::write_bytecode;
pub use calls::{CALL, CONDITION, Convention, ExternalCall, external_calls, external_name};
pub use columns::inserted_columns;
pub use context::{
    LentContext, OwnedContext, is_dialect_known, new_context, operations_of, release_erased,
};
pub use devices::{
    COMBINE, Devices, Exchange, FLATTENED, MOST_DEVICES, MOST_THREADS, PARTITIONS, PROGRAM, Phase,
    RAGGED_ALL_TO_ALL, REPLICAS, Reduction, WAIT, channel_of, check_devices, check_groups,
    communicates, groups_of, hash_of, is_between_replicas, is_elementwise_exchange, is_exchange,
    is_ragged, received,
};
pub use diagnostics::{
    Captured, Frame, capture, diagnostic_at, frames, fused_parts, source_location,
};
pub use dialects::{
    New, affine, arith, bufferization, builtin, cf, check, chlo, complex, func, interpreter,
    linalg, llvm, math, memref, mhlo, narrow, scf, sdy, stablehlo, tensor, transform, ub, vector,
    vhlo,
};
pub use enumerations::FastMath;
pub use faults::{FAULT, planted};
pub use handles::{
    Block, Op, Region, Value, WalkOrder, attribute_address, location_address, type_address,
    value_address,
};
pub use held::{HeldBytes, Hole, ModuleBytes, dense_owned, held_bytes, map_file, unload};
pub use hlo_attrs::{
    ChannelHandle, ComparisonDirection, ComparisonType, ConvDimensionNumbers, DotAlgorithm,
    DotDimensionNumbers, FftType, Fields, GatherDimensionNumbers, OutputOperandAlias, Precision,
    RaggedDotDimensionNumbers, ResultAccuracy, ResultAccuracyMode, RngAlgorithm, RngDistribution,
    ScatterDimensionNumbers, Transpose, dimension_bounds, enum_attribute, enum_number,
    hlo_mnemonic, stablehlo_equal,
};
pub use kinds::{Definition, OpKind, View, views};
pub use limits::{LARGEST_BYTES, check_size, check_sizes};
pub use locations::{LocationParts, location_of, location_parts};
pub use melior::Context;
pub use melior::ir::{Attribute, Location, Module, Type};
pub use meshes::{AxisPart, Mesh, axis_names, axis_parts, mesh_groups};
pub use module::{
    entry, entry_functions, function_name, module_op, print, print_elided,
    print_elided_with_locations, print_verified, verify,
};
pub use named_sequence::apply_named_sequence;
pub use names::{
    INPUT_NAMES, OUTPUT_NAMES, adopt_names, parameter_names, program_names, record_names,
};
pub use op_name::OpName;
pub use parse::{parse, parse_text};
pub use pass::{
    PassFor, fold_memref_views, forget_unread_output, pass_names, run_passes_for, run_pipeline,
    unknown_pass,
};
pub use precision::{
    EXCESS_PRECISION, ROUNDED, allow_excess_precision, allows_excess_precision, half_exponent,
};
pub use prepared::{
    PREPARE, PREPARE_SUFFIX, PREPARED, PREPARED_NAME, Prepare, PreparePart, Prepared,
    PreparedProgram, is_to_prepare, made_places, named_inputs, prepared_places, prepared_tag,
};
pub use quantized::{Misfit, Quantization, QuantizedType, Scale, stored_type};
pub use recognise::FROM_TENSORFLOW;
pub use reports::{dialect_hint, read_errors};
pub use semantics::{SEMANTICS, Semantics, spread_semantics};
pub use sharding_rule::{SHARDING_RULE, ShardingRule};
pub use shardings::{
    DimSharding, MeshRef, SHARDING, TensorSharding, read_shardings, set_argument_sharding,
    set_result_sharding, set_shardings, shardings_of,
};
pub use shards::{SHARDS, SPLIT, Shard, Shards, TERMS, declare_devices, is_split, stated_at};
pub use shared::SharedContext;
pub use short_forms::constant_index;
pub use signature::{
    AGAIN, APART, BLOCKS, DEVICES, DISPATCH, DONATIONS, ENTRY, ElementType, FORMULA, IN_PLACE,
    INPUTS, KERNEL, LIMIT, MASK, MATH, OPEN_SUMS, OUTPUTS, PACKED, PARTS, PLACES, RANGES, RARELY,
    ROWS, SCHEDULE, SHAPES, Signature, TASKS, TILES, TensorSpec, VALID, WEIGHTS,
    WORKSPACE_ALIGNMENT, WORKSPACE_SIZE, WeightsFile, ZEROS, bounded_entry, marked_entry,
    record_signature, record_types, recorded_types, shapes,
};
pub use steps::{Step, StepInfo};
pub use timing::{Part, recorded, timed};
pub use types::*;
pub use versioned::{
    VHLO_OPS, VhloOp, VhloRecord, plain_attribute_from_vhlo, plain_attribute_to_vhlo,
    type_from_vhlo, type_to_vhlo, vhlo_op, write_bytecode_as,
};
