//! How the attributes of StableHLO's operations are written in VHLO: a table by the attribute's name.
//!
//! ```text
//! stablehlo: broadcast_dimensions = array<i64: 0, 1>
//! vhlo:      broadcast_dimensions = #vhlo.tensor_v1<dense<[0, 1]> : tensor<2xi64>>
//! ```
//!
//! VHLO has no optional attributes: omitted attributes are written with their default, and defaults
//! are omitted again when read.

/// The kind of a StableHLO attribute, if its value alone does not determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Determined by the value.
    Plain,
    /// `array<i64: …>`, written as elements.
    Dims,
    /// `array<i1: …>`, written as elements.
    Flags,
    /// A unit attribute, written as a boolean.
    Unit,
    /// A symbol, written as a string.
    Symbol,
    /// A list of symbols, written as a list of strings.
    Symbols,
    /// An `i32`, written as an enumeration.
    ApiVersion,
}

/// The default of an omitted attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// It is required.
    Required,
    /// A boolean.
    Bool(bool),
    /// An integer of that many bits.
    Int(i64, u32),
    /// The empty string; for `backend_config` an empty dictionary is the same.
    Text,
    /// `[]`.
    List,
    /// `{}`.
    Dict,
    /// Elements that are all this: one for each spatial dimension, or a pair for `padding`.
    Fill(i64),
    /// No elements.
    Nothing,
    /// `NOTYPE`.
    NoType,
    /// Twice `DEFAULT`.
    Precision,
    /// The mode `DEFAULT` without tolerances.
    Accuracy,
}

/// The encoding of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) kind: Kind,
    pub(crate) default: Absent,
}

/// The rule of attribute `name` of the operation `base` (without dialect and version).
pub(crate) fn rule(base: &str, name: &str) -> Rule {
    use self::{Absent as D, Kind as K};
    let (kind, default) = match (base, name) {
        ("cholesky", "lower") => (K::Plain, D::Bool(false)),
        ("sort", "dimension") => (K::Plain, D::Int(-1, 64)),
        ("send" | "recv", "source_target_pairs") => (K::Plain, D::Nothing),
        ("select_and_scatter", "window_dimensions") => (K::Dims, D::Fill(1)),
        (
            _,
            "has_side_effect" | "indices_are_sorted" | "unique_indices" | "is_host_transfer"
            | "is_stable",
        ) => (K::Plain, D::Bool(false)),
        (_, "backend_config" | "infeed_config" | "outfeed_config") => (K::Plain, D::Text),
        (_, "layout" | "output_operand_aliases" | "result_tilings") => (K::Plain, D::List),
        (_, "composite_attributes") => (K::Plain, D::Dict),
        (_, "version") => (K::Plain, D::Int(0, 64)),
        (_, "compare_type") => (K::Plain, D::NoType),
        (_, "precision_config") => (K::Plain, D::Precision),
        (_, "result_accuracy") => (K::Plain, D::Accuracy),
        (_, "padding") => (K::Plain, D::Fill(0)),
        (_, "window_reversal") => (K::Flags, D::Fill(0)),
        (
            _,
            "window_strides" | "window_dilations" | "base_dilations" | "lhs_dilation"
            | "rhs_dilation",
        ) => (K::Dims, D::Fill(1)),
        (_, "known_expanding_dimensions" | "known_nonexpanding_dimensions") => {
            (K::Dims, D::Nothing)
        }
        (
            _,
            "dimensions"
            | "broadcast_dimensions"
            | "broadcast_sizes"
            | "permutation"
            | "slice_sizes"
            | "start_indices"
            | "limit_indices"
            | "strides"
            | "fft_length"
            | "edge_padding_low"
            | "edge_padding_high"
            | "interior_padding"
            | "window_dimensions",
        ) => (K::Dims, D::Required),
        (_, "use_global_device_ids" | "has_dynamic_root") => (K::Unit, D::Bool(false)),
        (_, "callee" | "decomposition") => (K::Symbol, D::Required),
        (_, "called_computations") => (K::Symbols, D::List),
        (_, "api_version") => (K::ApiVersion, D::Int(1, 32)),
        _ => (K::Plain, D::Required),
    };
    Rule { kind, default }
}

/// A StableHLO attribute that is written as several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// `dimension_numbers` of gather and dynamic_gather.
    Gather,
    /// `scatter_dimension_numbers`.
    Scatter,
    /// `dimension_numbers` of convolutions.
    Convolution,
    /// `dot_dimension_numbers` and `algorithm`.
    Dot,
    /// `channel_handle` of collectives, written without its type.
    Channel,
    /// `channel_handle` of send and recv.
    TypedChannel,
    /// `operand_layouts` and `result_layouts`: both or none.
    Layouts,
}

impl Group {
    /// The group that attribute `name` of the operation `base` belongs to.
    pub(crate) fn of(base: &str, name: &str) -> Option<Self> {
        match (base, name) {
            (
                "gather" | "dynamic_gather",
                "offset_dims"
                | "collapsed_slice_dims"
                | "operand_batching_dims"
                | "start_indices_batching_dims"
                | "start_index_map"
                | "index_vector_dim",
            ) => Some(Self::Gather),
            (
                "scatter",
                "update_window_dims"
                | "inserted_window_dims"
                | "input_batching_dims"
                | "scatter_indices_batching_dims"
                | "scatter_dims_to_operand_dims"
                | "index_vector_dim",
            ) => Some(Self::Scatter),
            (
                "convolution" | "dynamic_conv",
                "input_batch_dimension"
                | "input_feature_dimension"
                | "input_spatial_dimensions"
                | "kernel_input_feature_dimension"
                | "kernel_output_feature_dimension"
                | "kernel_spatial_dimensions"
                | "output_batch_dimension"
                | "output_feature_dimension"
                | "output_spatial_dimensions",
            ) => Some(Self::Convolution),
            (
                "dot_general",
                "lhs_batching_dimensions"
                | "rhs_batching_dimensions"
                | "lhs_contracting_dimensions"
                | "rhs_contracting_dimensions"
                | "accumulation_type"
                | "allow_imprecise_accumulation"
                | "lhs_component_count"
                | "lhs_precision_type"
                | "num_primitive_operations"
                | "rhs_component_count"
                | "rhs_precision_type",
            ) => Some(Self::Dot),
            ("send" | "recv", "channel_id" | "channel_type") => Some(Self::TypedChannel),
            (_, "channel_id") => Some(Self::Channel),
            ("custom_call", "operand_layouts" | "result_layouts") => Some(Self::Layouts),
            _ => None,
        }
    }

    /// The StableHLO attributes that the group is written for.
    pub(crate) fn sources(self) -> &'static [&'static str] {
        match self {
            Self::Gather | Self::Convolution => &["dimension_numbers"],
            Self::Scatter => &["scatter_dimension_numbers"],
            Self::Dot => &["dot_dimension_numbers", "algorithm"],
            Self::Channel | Self::TypedChannel => &["channel_handle"],
            Self::Layouts => &["operand_layouts", "result_layouts"],
        }
    }
}
