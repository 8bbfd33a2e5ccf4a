//! Attributes that name the dimensions an operation works on.

use melior::{Context, ir::Attribute};

use super::Fields;

/// `name = [1, 2]` for each list and `name = 3` for each number, in the attribute's brackets.
fn struct_text(mnemonic: &str, lists: &[(&str, &[i64])], numbers: &[(&str, i64)]) -> String {
    let mut fields = Vec::with_capacity(lists.len() + numbers.len());
    fields.extend(lists.iter().map(|(name, list)| format!("{name} = {list:?}")));
    fields.extend(numbers.iter().map(|(name, number)| format!("{name} = {number}")));
    format!("#stablehlo.{mnemonic}<{}>", fields.join(", "))
}

macro_rules! dimension_numbers {
    ($(#[$doc:meta])* $name:ident, $mnemonic:literal,
     lists { $($(#[$list_doc:meta])* $list:ident,)* }
     numbers { $($(#[$number_doc:meta])* $number:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$list_doc])* pub $list: Vec<i64>,)*
            $($(#[$number_doc])* pub $number: i64,)*
        }

        impl $name {
            /// Reads the attribute; `None` when it is another one.
            pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
                let fields = Fields::of(attribute, $mnemonic)?;
                Some(Self {
                    $($list: fields.ints(stringify!($list))?,)*
                    $($number: fields.int(stringify!($number))?,)*
                })
            }

            /// The attribute; `None` when the context lacks the dialect.
            pub fn to_attribute<'c>(&self, context: &'c Context) -> Option<Attribute<'c>> {
                Attribute::parse(context, &self.text())
            }
        }
    };
}

macro_rules! plain_text {
    ($name:ident, $mnemonic:literal, [$($list:ident),*], [$($number:ident),*]) => {
        impl $name {
            fn text(&self) -> String {
                struct_text(
                    $mnemonic,
                    &[$((stringify!($list), &self.$list)),*],
                    &[$((stringify!($number), self.$number)),*],
                )
            }
        }
    };
}

dimension_numbers! {
    /// `#stablehlo.dot`: which dimensions a general dot product batches and contracts.
    DotDimensionNumbers, "dot",
    lists {
        /// Batching dimensions of the left operand, paired with those of the right one.
        lhs_batching_dimensions,
        /// Batching dimensions of the right operand.
        rhs_batching_dimensions,
        /// Contracting dimensions of the left operand, paired with those of the right one.
        lhs_contracting_dimensions,
        /// Contracting dimensions of the right operand.
        rhs_contracting_dimensions,
    }
    numbers {}
}
plain_text!(
    DotDimensionNumbers,
    "dot",
    [
        lhs_batching_dimensions,
        rhs_batching_dimensions,
        lhs_contracting_dimensions,
        rhs_contracting_dimensions
    ],
    []
);

dimension_numbers! {
    /// `#stablehlo.gather`: how the indices and slices of a gather map to dimensions.
    GatherDimensionNumbers, "gather",
    lists {
        /// Dimensions of the result that come from the slices.
        offset_dims,
        /// Dimensions of the operand of slice size 1 that the result lacks.
        collapsed_slice_dims,
        /// Dimensions of the operand that are paired with dimensions of the indices.
        operand_batching_dims,
        /// Dimensions of the indices that are paired with dimensions of the operand.
        start_indices_batching_dims,
        /// Dimension of the operand that each entry of an index vector addresses.
        start_index_map,
    }
    numbers {
        /// Dimension of the indices that holds index vectors; their rank when it is implicit.
        index_vector_dim,
    }
}
plain_text!(
    GatherDimensionNumbers,
    "gather",
    [
        offset_dims,
        collapsed_slice_dims,
        operand_batching_dims,
        start_indices_batching_dims,
        start_index_map
    ],
    [index_vector_dim]
);

dimension_numbers! {
    /// `#stablehlo.scatter`: how the indices and windows of a scatter map to dimensions.
    ScatterDimensionNumbers, "scatter",
    lists {
        /// Dimensions of the updates that are window dimensions.
        update_window_dims,
        /// Dimensions of the inputs of window size 1 that the updates lack.
        inserted_window_dims,
        /// Dimensions of the inputs that are paired with dimensions of the indices.
        input_batching_dims,
        /// Dimensions of the indices that are paired with dimensions of the inputs.
        scatter_indices_batching_dims,
        /// Dimension of the inputs that each entry of an index vector addresses.
        scatter_dims_to_operand_dims,
    }
    numbers {
        /// Dimension of the indices that holds index vectors; their rank when it is implicit.
        index_vector_dim,
    }
}
plain_text!(
    ScatterDimensionNumbers,
    "scatter",
    [
        update_window_dims,
        inserted_window_dims,
        input_batching_dims,
        scatter_indices_batching_dims,
        scatter_dims_to_operand_dims
    ],
    [index_vector_dim]
);

dimension_numbers! {
    /// `#stablehlo.conv`: which dimensions of a convolution are batch, feature and space.
    ConvDimensionNumbers, "conv",
    lists {
        /// Spatial dimensions of the input, outermost first.
        input_spatial_dimensions,
        /// Spatial dimensions of the kernel, in the order of the input's.
        kernel_spatial_dimensions,
        /// Spatial dimensions of the output, in the order of the input's.
        output_spatial_dimensions,
    }
    numbers {
        /// Batch dimension of the input.
        input_batch_dimension,
        /// Feature dimension of the input.
        input_feature_dimension,
        /// Dimension of the kernel that is contracted with the input's features.
        kernel_input_feature_dimension,
        /// Dimension of the kernel that becomes the output's features.
        kernel_output_feature_dimension,
        /// Batch dimension of the output.
        output_batch_dimension,
        /// Feature dimension of the output.
        output_feature_dimension,
    }
}

impl ConvDimensionNumbers {
    fn text(&self) -> String {
        let text = struct_text(
            "conv",
            &[
                ("input_spatial_dimensions", &self.input_spatial_dimensions),
                ("kernel_spatial_dimensions", &self.kernel_spatial_dimensions),
                ("output_spatial_dimensions", &self.output_spatial_dimensions),
            ],
            &[
                ("input_batch_dimension", self.input_batch_dimension),
                ("input_feature_dimension", self.input_feature_dimension),
                ("kernel_input_feature_dimension", self.kernel_input_feature_dimension),
                ("kernel_output_feature_dimension", self.kernel_output_feature_dimension),
                ("output_batch_dimension", self.output_batch_dimension),
                ("output_feature_dimension", self.output_feature_dimension),
            ],
        );
        text.replacen('<', "<raw ", 1)
    }
}

dimension_numbers! {
    /// `#stablehlo.output_operand_alias`: a result that shares an operand's memory.
    OutputOperandAlias, "output_operand_alias",
    lists {
        /// Path to the result inside a tuple of all results.
        output_tuple_indices,
        /// Path to the value inside the operand, when that is a tuple.
        operand_tuple_indices,
    }
    numbers {
        /// Position of the operand.
        operand_index,
    }
}
impl OutputOperandAlias {
    /// The fields in the order that the parser insists on.
    fn text(&self) -> String {
        format!(
            "#stablehlo.output_operand_alias<output_tuple_indices = {:?}, operand_index = {}, \
             operand_tuple_indices = {:?}>",
            self.output_tuple_indices, self.operand_index, self.operand_tuple_indices
        )
    }
}
