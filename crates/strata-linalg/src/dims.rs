//! StableHLO's enumerations and structured attributes, taken apart.

use strata_ir::{Attribute, AttributeExt as _, Op, Value};
use strata_rewrite::{Guard as _, Outcome};

/// The word of an enumeration attribute, such as `LT` of `#stablehlo<comparison_direction LT>`.
pub fn word(attribute: Attribute<'_>) -> String {
    let text = attribute.to_string();
    let inside = text.trim_end_matches('>').rsplit(['<', ' ']).next().unwrap_or_default();
    inside.to_owned()
}

/// The word of the enumeration attribute `name` of `op`.
pub fn word_of(op: Op<'_>, name: &str) -> Option<String> {
    op.attr(name).map(word)
}

/// The required integers of attribute `name`.
pub fn ints(op: Op<'_>, name: &'static str) -> Outcome<Vec<i64>> {
    let values = op.attr(name).and_then(|values| values.as_i64s());
    values.ok_or_else(|| format!("attribute `{name}` is missing").into())
}

/// The required dimensions of attribute `name`.
pub fn dims(op: Op<'_>, name: &'static str) -> Outcome<Vec<usize>> {
    Ok(ints(op, name)?.into_iter().map(|dim| dim as usize).collect())
}

/// The integers of attribute `name`, or `count` times `default` where it is absent.
pub fn ints_or(op: Op<'_>, name: &'static str, count: usize, default: i64) -> Vec<i64> {
    op.attr(name)
        .and_then(|values| values.as_i64s())
        .filter(|values| values.len() == count)
        .unwrap_or_else(|| vec![default; count])
}

/// The `(low, high)` padding of each dimension; zero where attribute `padding` is absent.
pub fn padding(op: Op<'_>, count: usize) -> Vec<(i64, i64)> {
    ints_or(op, "padding", 2 * count, 0).chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The required integer of attribute `name`.
pub fn number(op: Op<'_>, name: &'static str) -> Outcome<i64> {
    let value = op.attr(name).and_then(|value| value.as_i64());
    value.ok_or_else(|| format!("attribute `{name}` is missing").into())
}

/// The static shape of a value.
pub fn shape(value: Value<'_>) -> Outcome<Vec<i64>> {
    use strata_ir::TypeExt as _;
    value.ty().shape().or_decline("the operand is not a ranked tensor")
}

/// The lists `name = [1, 2]` and the numbers `name = 1` of an attribute that prints as
/// `#stablehlo.kind<…>`.
struct Fields(String);

impl Fields {
    fn of(op: Op<'_>, name: &'static str) -> Outcome<Self> {
        let attribute = op.attr(name);
        let text = attribute.map(|attribute| attribute.to_string());
        text.map(Self).ok_or_else(|| format!("attribute `{name}` is missing").into())
    }

    fn after(&self, name: &str) -> Option<&str> {
        let marker = format!("{name} = ");
        let (before, after) = self.0.split_once(&marker)?;
        // `offset_dims` must not be found inside `some_offset_dims`.
        before.ends_with(['<', ' ', ',']).then_some(after)
    }

    fn list(&self, name: &str) -> Vec<usize> {
        self.after(name)
            .and_then(|text| text.strip_prefix('[')?.split_once(']'))
            .map(|(inside, _)| inside.split(',').filter_map(|item| item.trim().parse().ok()).collect())
            .unwrap_or_default()
    }

    fn number(&self, name: &str) -> usize {
        self.after(name)
            .and_then(|text| text.split([',', '>']).next()?.trim().parse().ok())
            .unwrap_or(0)
    }
}

/// The dimension numbers of `dot_general`.
pub struct DotDims {
    /// Batching dimensions of the left and right operand, pairwise.
    pub batch: [Vec<usize>; 2],
    /// Contracting dimensions of the left and right operand, pairwise.
    pub contract: [Vec<usize>; 2],
}

/// Reads `dot_dimension_numbers`.
pub fn dot_dims(op: Op<'_>) -> Outcome<DotDims> {
    let fields = Fields::of(op, "dot_dimension_numbers")?;
    Ok(DotDims {
        batch: [fields.list("lhs_batching_dimensions"), fields.list("rhs_batching_dimensions")],
        contract: [
            fields.list("lhs_contracting_dimensions"),
            fields.list("rhs_contracting_dimensions"),
        ],
    })
}

/// The dimension numbers of `gather`.
pub struct GatherDims {
    /// Result dimensions that run through a slice.
    pub offset: Vec<usize>,
    /// Operand dimensions of slice size 1 that the result lacks.
    pub collapsed: Vec<usize>,
    /// Operand dimensions that are batched with the indices.
    pub operand_batching: Vec<usize>,
    /// The dimensions of the indices that they are batched with.
    pub indices_batching: Vec<usize>,
    /// The operand dimension that component `i` of an index starts.
    pub start_index_map: Vec<usize>,
    /// The dimension of the indices that holds an index's components.
    pub index_vector_dim: usize,
}

/// Reads the `dimension_numbers` of `gather`.
pub fn gather_dims(op: Op<'_>) -> Outcome<GatherDims> {
    let fields = Fields::of(op, "dimension_numbers")?;
    Ok(GatherDims {
        offset: fields.list("offset_dims"),
        collapsed: fields.list("collapsed_slice_dims"),
        operand_batching: fields.list("operand_batching_dims"),
        indices_batching: fields.list("start_indices_batching_dims"),
        start_index_map: fields.list("start_index_map"),
        index_vector_dim: fields.number("index_vector_dim"),
    })
}

/// The dimension numbers of `scatter`.
pub struct ScatterDims {
    /// Update dimensions that run through a window.
    pub window: Vec<usize>,
    /// Input dimensions of window size 1 that the updates lack.
    pub inserted: Vec<usize>,
    /// Input dimensions that are batched with the indices.
    pub input_batching: Vec<usize>,
    /// The dimensions of the indices that they are batched with.
    pub indices_batching: Vec<usize>,
    /// The input dimension that component `i` of an index starts.
    pub to_operand: Vec<usize>,
    /// The dimension of the indices that holds an index's components.
    pub index_vector_dim: usize,
}

/// Reads the `scatter_dimension_numbers` of `scatter`.
pub fn scatter_dims(op: Op<'_>) -> Outcome<ScatterDims> {
    let fields = Fields::of(op, "scatter_dimension_numbers")?;
    Ok(ScatterDims {
        window: fields.list("update_window_dims"),
        inserted: fields.list("inserted_window_dims"),
        input_batching: fields.list("input_batching_dims"),
        indices_batching: fields.list("scatter_indices_batching_dims"),
        to_operand: fields.list("scatter_dims_to_operand_dims"),
        index_vector_dim: fields.number("index_vector_dim"),
    })
}

/// Which dimension of an operand of a convolution is what; `first` and `second` are batch and feature
/// of the input and the output, input and output feature of the kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct ConvOperand {
    /// `b` of input and output, `i` of the kernel.
    pub first: usize,
    /// `f` of input and output, `o` of the kernel.
    pub second: usize,
    /// The spatial dimensions in order.
    pub spatial: Vec<usize>,
}

/// The dimension numbers of `convolution`: input, kernel, output.
pub fn conv_dims(op: Op<'_>) -> Outcome<[ConvOperand; 3]> {
    let fields = Fields::of(op, "dimension_numbers")?;
    conv_operands(&fields.0).or_decline("the dimension numbers are not understood")
}

/// Reads `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`.
fn conv_operands(text: &str) -> Option<[ConvOperand; 3]> {
    let mut lists = text.split('[').skip(1).map(|part| part.split(']').next().unwrap_or(""));
    let mut operand = |first: &str, second: &str| {
        let items: Vec<_> = lists.next()?.split(',').map(str::trim).collect();
        let position = |wanted: &str| items.iter().position(|item| *item == wanted);
        let spatial =
            (0..items.len() - 2).map(|dim| position(&dim.to_string())).collect::<Option<_>>()?;
        Some(ConvOperand { first: position(first)?, second: position(second)?, spatial })
    };
    Some([operand("b", "f")?, operand("i", "o")?, operand("b", "f")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_attributes_are_read() {
        let fields = Fields(
            "#stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], index_vector_dim = 2>"
                .to_owned(),
        );
        assert_eq!(fields.list("collapsed_slice_dims"), [0, 1]);
        assert_eq!(fields.number("index_vector_dim"), 2);
        assert!(fields.list("start_index_map").is_empty());
    }

    #[test]
    fn convolution_dimensions_are_read() {
        let [input, kernel, output] =
            conv_operands("#stablehlo.conv<[b, 0, 1, f]x[1, 0, o, i]->[f, 0, 1, b]>").unwrap();
        assert_eq!(input, ConvOperand { first: 0, second: 3, spatial: vec![1, 2] });
        assert_eq!(kernel, ConvOperand { first: 3, second: 2, spatial: vec![1, 0] });
        assert_eq!(output, ConvOperand { first: 3, second: 0, spatial: vec![1, 2] });
    }
}
