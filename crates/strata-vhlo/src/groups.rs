//! StableHLO attributes that VHLO stores as several.
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
/// The attributes for `dot_algorithm`. Without an algorithm all of them are the type `none`.
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

/// The StableHLO attributes that a group of VHLO attributes stands for; none if all are defaults. What an older
/// version lacks is empty. `None` if an attribute has the wrong kind.
pub(crate) fn from_vhlo<'c>(
    context: &'c Context,
    group: Group,
    written: &Attributes<'c>,
) -> Option<Named<'c>> {
    let reader = Reader { context, written };
    match group {
        Group::Gather => {
            let numbers = reader.gather()?.to_attribute(context)?;
            Some(vec![("dimension_numbers", numbers)])
        }
        Group::Scatter => {
            let numbers = reader.scatter()?.to_attribute(context)?;
            Some(vec![("scatter_dimension_numbers", numbers)])
        }
        Group::Convolution => {
            let numbers = reader.convolution()?.to_attribute(context)?;
            Some(vec![("dimension_numbers", numbers)])
        }
        Group::Dot => {
            let numbers = reader.dot()?.to_attribute(context)?;
            let mut named = vec![("dot_dimension_numbers", numbers)];
            if let Some(algorithm) = reader.algorithm()? {
                named.push(("algorithm", algorithm.to_attribute(context)?));
            }
            Some(named)
        }
        Group::Channel => match reader.int("channel_id")? {
            0 => Some(Vec::new()),
            handle => channel(context, handle, 0),
        },
        Group::TypedChannel => {
            channel(context, reader.int("channel_id")?, reader.int("channel_type")?)
        }
        Group::Layouts => {
            let (operands, no_operands) = reader.list("operand_layouts")?;
            let (results, no_results) = reader.list("result_layouts")?;
            Some(if no_operands && no_results {
                Vec::new()
            } else {
                vec![("operand_layouts", operands), ("result_layouts", results)]
            })
        }
    }
}

/// VHLO attributes as what StableHLO makes of them.
struct Reader<'a, 'c> {
    context: &'c Context,
    written: &'a Attributes<'c>,
}

impl<'c> Reader<'_, 'c> {
    fn int(&self, name: &str) -> Option<i64> {
        int_of(*self.written.get(name)?)
    }

    fn dims(&self, name: &str) -> Option<Vec<i64>> {
        dims_of(*self.written.get(name)?)
    }

    /// Dimensions that older versions lack.
    fn newer(&self, name: &str) -> Option<Vec<i64>> {
        self.written.get(name).map_or(Some(Vec::new()), |value| dims_of(*value))
    }

    /// A list, and whether it is empty.
    fn list(&self, name: &str) -> Option<(Attribute<'c>, bool)> {
        let list = plain_from_vhlo(self.context, *self.written.get(name)?)?;
        list.as_array().map(|elements| (list, elements.is_empty()))
    }

    fn gather(&self) -> Option<GatherDimensionNumbers> {
        Some(GatherDimensionNumbers {
            offset_dims: self.dims("offset_dims")?,
            collapsed_slice_dims: self.dims("collapsed_slice_dims")?,
            operand_batching_dims: self.newer("operand_batching_dims")?,
            start_indices_batching_dims: self.newer("start_indices_batching_dims")?,
            start_index_map: self.dims("start_index_map")?,
            index_vector_dim: self.int("index_vector_dim")?,
        })
    }

    fn scatter(&self) -> Option<ScatterDimensionNumbers> {
        Some(ScatterDimensionNumbers {
            update_window_dims: self.dims("update_window_dims")?,
            inserted_window_dims: self.dims("inserted_window_dims")?,
            input_batching_dims: self.newer("input_batching_dims")?,
            scatter_indices_batching_dims: self.newer("scatter_indices_batching_dims")?,
            scatter_dims_to_operand_dims: self.dims("scatter_dims_to_operand_dims")?,
            index_vector_dim: self.int("index_vector_dim")?,
        })
    }

    fn convolution(&self) -> Option<ConvDimensionNumbers> {
        Some(ConvDimensionNumbers {
            input_batch_dimension: self.int("input_batch_dimension")?,
            input_feature_dimension: self.int("input_feature_dimension")?,
            input_spatial_dimensions: self.dims("input_spatial_dimensions")?,
            kernel_input_feature_dimension: self.int("kernel_input_feature_dimension")?,
            kernel_output_feature_dimension: self.int("kernel_output_feature_dimension")?,
            kernel_spatial_dimensions: self.dims("kernel_spatial_dimensions")?,
            output_batch_dimension: self.int("output_batch_dimension")?,
            output_feature_dimension: self.int("output_feature_dimension")?,
            output_spatial_dimensions: self.dims("output_spatial_dimensions")?,
        })
    }

    fn dot(&self) -> Option<DotDimensionNumbers> {
        Some(DotDimensionNumbers {
            lhs_batching_dimensions: self.dims("lhs_batching_dimensions")?,
            rhs_batching_dimensions: self.dims("rhs_batching_dimensions")?,
            lhs_contracting_dimensions: self.dims("lhs_contracting_dimensions")?,
            rhs_contracting_dimensions: self.dims("rhs_contracting_dimensions")?,
        })
    }

    /// The algorithm of a dot; `Some(None)` where the program names none, by types `none` or in an older version.
    fn algorithm(&self) -> Option<Option<DotAlgorithm<'c>>> {
        let Some(lhs) = self.written.get("lhs_precision_type") else { return Some(None) };
        let ty = |name: &str| type_of(*self.written.get(name)?);
        let lhs_precision_type = type_of(*lhs)?;
        if lhs_precision_type == parse_type(self.context, "none")? {
            return Some(None);
        }
        let imprecise = *self.written.get("allow_imprecise_accumulation")?;
        Some(Some(DotAlgorithm {
            lhs_precision_type,
            rhs_precision_type: ty("rhs_precision_type")?,
            accumulation_type: ty("accumulation_type")?,
            lhs_component_count: self.int("lhs_component_count")?,
            rhs_component_count: self.int("rhs_component_count")?,
            num_primitive_operations: self.int("num_primitive_operations")?,
            allow_imprecise_accumulation: plain_from_vhlo(self.context, imprecise)?.as_bool()?,
        }))
    }
}

fn channel(context: &Context, handle: i64, kind: i64) -> Option<Named<'_>> {
    let attribute = ChannelHandle { handle, kind }.to_attribute(context)?;
    Some(vec![("channel_handle", attribute)])
}

/// The VHLO attributes that stand for a group's StableHLO attributes.
pub(crate) fn to_vhlo<'c>(context: &'c Context, group: Group, op: Op<'c>) -> Option<Named<'c>> {
    match group {
        Group::Gather => gather_to_vhlo(context, op),
        Group::Scatter => scatter_to_vhlo(context, op),
        Group::Convolution => convolution_to_vhlo(context, op),
        Group::Dot => {
            let mut named = dot_to_vhlo(context, op)?;
            named.extend(algorithm_to_vhlo(context, op)?);
            Some(named)
        }
        Group::Channel | Group::TypedChannel => {
            let handle = match op.attr("channel_handle") {
                Some(attribute) => ChannelHandle::from_attribute(attribute)?,
                None => ChannelHandle { handle: 0, kind: 0 },
            };
            let mut named = vec![("channel_id", vhlo_int(context, handle.handle)?)];
            if group == Group::TypedChannel {
                named.push(("channel_type", vhlo_int(context, handle.kind)?));
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

fn gather_to_vhlo<'c>(context: &'c Context, op: Op<'c>) -> Option<Named<'c>> {
    let dims = |values: &[i64]| vhlo_dims(context, values);
    let numbers = GatherDimensionNumbers::from_attribute(op.attr("dimension_numbers")?)?;
    Some(vec![
        ("offset_dims", dims(&numbers.offset_dims)?),
        ("collapsed_slice_dims", dims(&numbers.collapsed_slice_dims)?),
        ("operand_batching_dims", dims(&numbers.operand_batching_dims)?),
        ("start_indices_batching_dims", dims(&numbers.start_indices_batching_dims)?),
        ("start_index_map", dims(&numbers.start_index_map)?),
        ("index_vector_dim", vhlo_int(context, numbers.index_vector_dim)?),
    ])
}

fn scatter_to_vhlo<'c>(context: &'c Context, op: Op<'c>) -> Option<Named<'c>> {
    let dims = |values: &[i64]| vhlo_dims(context, values);
    let numbers = ScatterDimensionNumbers::from_attribute(op.attr("scatter_dimension_numbers")?)?;
    Some(vec![
        ("update_window_dims", dims(&numbers.update_window_dims)?),
        ("inserted_window_dims", dims(&numbers.inserted_window_dims)?),
        ("input_batching_dims", dims(&numbers.input_batching_dims)?),
        ("scatter_indices_batching_dims", dims(&numbers.scatter_indices_batching_dims)?),
        ("scatter_dims_to_operand_dims", dims(&numbers.scatter_dims_to_operand_dims)?),
        ("index_vector_dim", vhlo_int(context, numbers.index_vector_dim)?),
    ])
}

fn convolution_to_vhlo<'c>(context: &'c Context, op: Op<'c>) -> Option<Named<'c>> {
    let dims = |values: &[i64]| vhlo_dims(context, values);
    let int = |value: i64| vhlo_int(context, value);
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

fn dot_to_vhlo<'c>(context: &'c Context, op: Op<'c>) -> Option<Named<'c>> {
    let dims = |values: &[i64]| vhlo_dims(context, values);
    let numbers = DotDimensionNumbers::from_attribute(op.attr("dot_dimension_numbers")?)?;
    Some(vec![
        ("lhs_batching_dimensions", dims(&numbers.lhs_batching_dimensions)?),
        ("rhs_batching_dimensions", dims(&numbers.rhs_batching_dimensions)?),
        ("lhs_contracting_dimensions", dims(&numbers.lhs_contracting_dimensions)?),
        ("rhs_contracting_dimensions", dims(&numbers.rhs_contracting_dimensions)?),
    ])
}

fn algorithm_to_vhlo<'c>(context: &'c Context, op: Op<'c>) -> Option<Named<'c>> {
    let int = |value: i64| vhlo_int(context, value);
    let ty = |ty| plain_attribute_to_vhlo(type_attr(ty));
    let Some(algorithm) = op.attr("algorithm") else {
        let none = ty(parse_type(context, "none")?)?;
        return Some(ALGORITHM.iter().map(|name| (*name, none)).collect());
    };
    let algorithm = DotAlgorithm::from_attribute(algorithm)?;
    let imprecise = vhlo_bool(context, algorithm.allow_imprecise_accumulation)?;
    Some(vec![
        ("lhs_precision_type", ty(algorithm.lhs_precision_type)?),
        ("rhs_precision_type", ty(algorithm.rhs_precision_type)?),
        ("accumulation_type", ty(algorithm.accumulation_type)?),
        ("lhs_component_count", int(algorithm.lhs_component_count)?),
        ("rhs_component_count", int(algorithm.rhs_component_count)?),
        ("num_primitive_operations", int(algorithm.num_primitive_operations)?),
        ("allow_imprecise_accumulation", imprecise),
    ])
}
