//! Attributes of StableHLO that VHLO writes as several.
//!
//! ```text
//! stablehlo: dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], …>
//! vhlo:      lhs_contracting_dimensions = #vhlo.tensor_v1<dense<1> : tensor<1xi64>>, …
//! ```

use std::collections::BTreeMap;

use strata_ir::{
    Attribute, AttributeExt as _, ChannelHandle, Context, ConvDimensionNumbers, DotAlgorithm,
    DotDimensionNumbers, GatherDimensionNumbers, Op, ScatterDimensionNumbers, array, parse_type,
    plain_attribute_to_vhlo, type_attr,
};

use crate::{
    rules::Group,
    values::{
        dims_of, int_of, plain_from_vhlo, plain_to_vhlo, type_of, vhlo_bool, vhlo_dims, vhlo_int,
    },
};

type Attributes<'c> = BTreeMap<&'c str, Attribute<'c>>;
/// What `dot_algorithm` becomes. Where a program has none, all of them are the type `none`.
const ALGORITHM: &[&str] = &[
    "accumulation_type",
    "allow_imprecise_accumulation",
    "lhs_component_count",
    "lhs_precision_type",
    "num_primitive_operations",
    "rhs_component_count",
    "rhs_precision_type",
];

type Named<'c> = Vec<(&'static str, Attribute<'c>)>;

/// The StableHLO attributes that a group of VHLO attributes stands for; none where all are what a program leaves
/// out. What an older version lacks is empty. `None` where an attribute is none of its kind.
pub(crate) fn from_vhlo<'c>(
    context: &'c Context,
    group: Group,
    written: &Attributes<'c>,
) -> Option<Named<'c>> {
    let int = |name: &str| int_of(*written.get(name)?);
    let dims = |name: &str| dims_of(*written.get(name)?);
    let newer = |name: &str| written.get(name).map_or(Some(Vec::new()), |value| dims_of(*value));
    match group {
        Group::Gather => {
            let numbers = GatherDimensionNumbers {
                offset_dims: dims("offset_dims")?,
                collapsed_slice_dims: dims("collapsed_slice_dims")?,
                operand_batching_dims: newer("operand_batching_dims")?,
                start_indices_batching_dims: newer("start_indices_batching_dims")?,
                start_index_map: dims("start_index_map")?,
                index_vector_dim: int("index_vector_dim")?,
            };
            Some(vec![("dimension_numbers", numbers.to_attribute(context)?)])
        }
        Group::Scatter => {
            let numbers = ScatterDimensionNumbers {
                update_window_dims: dims("update_window_dims")?,
                inserted_window_dims: dims("inserted_window_dims")?,
                input_batching_dims: newer("input_batching_dims")?,
                scatter_indices_batching_dims: newer("scatter_indices_batching_dims")?,
                scatter_dims_to_operand_dims: dims("scatter_dims_to_operand_dims")?,
                index_vector_dim: int("index_vector_dim")?,
            };
            Some(vec![("scatter_dimension_numbers", numbers.to_attribute(context)?)])
        }
        Group::Convolution => {
            let numbers = ConvDimensionNumbers {
                input_batch_dimension: int("input_batch_dimension")?,
                input_feature_dimension: int("input_feature_dimension")?,
                input_spatial_dimensions: dims("input_spatial_dimensions")?,
                kernel_input_feature_dimension: int("kernel_input_feature_dimension")?,
                kernel_output_feature_dimension: int("kernel_output_feature_dimension")?,
                kernel_spatial_dimensions: dims("kernel_spatial_dimensions")?,
                output_batch_dimension: int("output_batch_dimension")?,
                output_feature_dimension: int("output_feature_dimension")?,
                output_spatial_dimensions: dims("output_spatial_dimensions")?,
            };
            Some(vec![("dimension_numbers", numbers.to_attribute(context)?)])
        }
        Group::Dot => {
            let numbers = DotDimensionNumbers {
                lhs_batching_dimensions: dims("lhs_batching_dimensions")?,
                rhs_batching_dimensions: dims("rhs_batching_dimensions")?,
                lhs_contracting_dimensions: dims("lhs_contracting_dimensions")?,
                rhs_contracting_dimensions: dims("rhs_contracting_dimensions")?,
            };
            let mut named = vec![("dot_dimension_numbers", numbers.to_attribute(context)?)];
            if let Some(lhs) = written.get("lhs_precision_type") {
                let none = parse_type(context, "none")?;
                let ty = |name: &str| type_of(*written.get(name)?);
                let lhs_precision_type = type_of(*lhs)?;
                if lhs_precision_type != none {
                    let imprecise = *written.get("allow_imprecise_accumulation")?;
                    let algorithm = DotAlgorithm {
                        lhs_precision_type,
                        rhs_precision_type: ty("rhs_precision_type")?,
                        accumulation_type: ty("accumulation_type")?,
                        lhs_component_count: int("lhs_component_count")?,
                        rhs_component_count: int("rhs_component_count")?,
                        num_primitive_operations: int("num_primitive_operations")?,
                        allow_imprecise_accumulation: plain_from_vhlo(context, imprecise)?
                            .as_bool()?,
                    };
                    named.push(("algorithm", algorithm.to_attribute(context)?));
                }
            }
            Some(named)
        }
        Group::Channel => match int("channel_id")? {
            0 => Some(Vec::new()),
            handle => channel(context, handle, 0),
        },
        Group::TypedChannel => channel(context, int("channel_id")?, int("channel_type")?),
        Group::Layouts => {
            let read = |name| {
                let list = plain_from_vhlo(context, *written.get(name)?)?;
                list.as_array().map(|elements| (list, elements.is_empty()))
            };
            let (operands, no_operands) = read("operand_layouts")?;
            let (results, no_results) = read("result_layouts")?;
            Some(if no_operands && no_results {
                Vec::new()
            } else {
                vec![("operand_layouts", operands), ("result_layouts", results)]
            })
        }
    }
}

fn channel(context: &Context, handle: i64, kind: i64) -> Option<Named<'_>> {
    let attribute = ChannelHandle { handle, kind }.to_attribute(context)?;
    Some(vec![("channel_handle", attribute)])
}

/// The VHLO attributes that stand for a group's StableHLO attributes.
pub(crate) fn to_vhlo<'c>(context: &'c Context, group: Group, op: Op<'c>) -> Option<Named<'c>> {
    let dims = |values: &[i64]| vhlo_dims(context, values);
    let int = |value: i64| vhlo_int(context, value);
    match group {
        Group::Gather => {
            let numbers = GatherDimensionNumbers::from_attribute(op.attr("dimension_numbers")?)?;
            Some(vec![
                ("offset_dims", dims(&numbers.offset_dims)?),
                ("collapsed_slice_dims", dims(&numbers.collapsed_slice_dims)?),
                ("operand_batching_dims", dims(&numbers.operand_batching_dims)?),
                ("start_indices_batching_dims", dims(&numbers.start_indices_batching_dims)?),
                ("start_index_map", dims(&numbers.start_index_map)?),
                ("index_vector_dim", int(numbers.index_vector_dim)?),
            ])
        }
        Group::Scatter => {
            let attribute = op.attr("scatter_dimension_numbers")?;
            let numbers = ScatterDimensionNumbers::from_attribute(attribute)?;
            Some(vec![
                ("update_window_dims", dims(&numbers.update_window_dims)?),
                ("inserted_window_dims", dims(&numbers.inserted_window_dims)?),
                ("input_batching_dims", dims(&numbers.input_batching_dims)?),
                ("scatter_indices_batching_dims", dims(&numbers.scatter_indices_batching_dims)?),
                ("scatter_dims_to_operand_dims", dims(&numbers.scatter_dims_to_operand_dims)?),
                ("index_vector_dim", int(numbers.index_vector_dim)?),
            ])
        }
        Group::Convolution => {
            let numbers = ConvDimensionNumbers::from_attribute(op.attr("dimension_numbers")?)?;
            Some(vec![
                ("input_batch_dimension", int(numbers.input_batch_dimension)?),
                ("input_feature_dimension", int(numbers.input_feature_dimension)?),
                ("input_spatial_dimensions", dims(&numbers.input_spatial_dimensions)?),
                ("kernel_input_feature_dimension", int(numbers.kernel_input_feature_dimension)?),
                ("kernel_output_feature_dimension", int(numbers.kernel_output_feature_dimension)?),
                ("kernel_spatial_dimensions", dims(&numbers.kernel_spatial_dimensions)?),
                ("output_batch_dimension", int(numbers.output_batch_dimension)?),
                ("output_feature_dimension", int(numbers.output_feature_dimension)?),
                ("output_spatial_dimensions", dims(&numbers.output_spatial_dimensions)?),
            ])
        }
        Group::Dot => {
            let attribute = op.attr("dot_dimension_numbers")?;
            let numbers = DotDimensionNumbers::from_attribute(attribute)?;
            let mut named = vec![
                ("lhs_batching_dimensions", dims(&numbers.lhs_batching_dimensions)?),
                ("rhs_batching_dimensions", dims(&numbers.rhs_batching_dimensions)?),
                ("lhs_contracting_dimensions", dims(&numbers.lhs_contracting_dimensions)?),
                ("rhs_contracting_dimensions", dims(&numbers.rhs_contracting_dimensions)?),
            ];
            let ty = |ty| plain_attribute_to_vhlo(type_attr(ty));
            let Some(algorithm) = op.attr("algorithm") else {
                let none = ty(parse_type(context, "none")?)?;
                named.extend(ALGORITHM.iter().map(|name| (*name, none)));
                return Some(named);
            };
            let algorithm = DotAlgorithm::from_attribute(algorithm)?;
            let imprecise = vhlo_bool(context, algorithm.allow_imprecise_accumulation)?;
            named.extend([
                ("lhs_precision_type", ty(algorithm.lhs_precision_type)?),
                ("rhs_precision_type", ty(algorithm.rhs_precision_type)?),
                ("accumulation_type", ty(algorithm.accumulation_type)?),
                ("lhs_component_count", int(algorithm.lhs_component_count)?),
                ("rhs_component_count", int(algorithm.rhs_component_count)?),
                ("num_primitive_operations", int(algorithm.num_primitive_operations)?),
                ("allow_imprecise_accumulation", imprecise),
            ]);
            Some(named)
        }
        Group::Channel | Group::TypedChannel => {
            let handle = match op.attr("channel_handle") {
                Some(attribute) => ChannelHandle::from_attribute(attribute)?,
                None => ChannelHandle { handle: 0, kind: 0 },
            };
            let mut named = vec![("channel_id", int(handle.handle)?)];
            if group == Group::TypedChannel {
                named.push(("channel_type", int(handle.kind)?));
            }
            Some(named)
        }
        Group::Layouts => {
            let list = |name| {
                let list = op.attr(name).unwrap_or_else(|| array(context, &[]));
                plain_to_vhlo(context, list)
            };
            Some(vec![
                ("operand_layouts", list("operand_layouts")?),
                ("result_layouts", list("result_layouts")?),
            ])
        }
    }
}
