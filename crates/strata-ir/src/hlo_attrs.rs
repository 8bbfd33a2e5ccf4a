//! The attributes of the StableHLO dialect as plain data: read with `from_attribute`, built with
//! `to_attribute`.

mod chlo;
mod dimensions;
mod enums;

use std::{ffi::c_void, fmt::Write as _};

use melior::{
    Context,
    ir::{Attribute, AttributeLike, Type, TypeLike},
};
use mlir_sys as sys;

pub use chlo::{RaggedDotDimensionNumbers, stablehlo_equal};
pub use dimensions::{
    ConvDimensionNumbers, DotDimensionNumbers, GatherDimensionNumbers, OutputOperandAlias,
    ScatterDimensionNumbers,
};
pub use enums::{
    ComparisonDirection, ComparisonType, FftType, Precision, ResultAccuracyMode, RngAlgorithm,
    RngDistribution, Transpose,
};

use crate::handles::{str_from, string_ref};

type IntsSink = unsafe extern "C" fn(*const i64, isize, *mut c_void);

// Defined in dialects/capi.
unsafe extern "C" {
    fn strataAttrMnemonic(attribute: sys::MlirAttribute) -> sys::MlirStringRef;
    fn strataAttrInts(
        attribute: sys::MlirAttribute,
        field: sys::MlirStringRef,
        sink: IntsSink,
        data: *mut c_void,
    ) -> bool;
    fn strataAttrFloat(
        attribute: sys::MlirAttribute,
        field: sys::MlirStringRef,
        value: *mut f64,
    ) -> bool;
    fn strataAttrType(
        attribute: sys::MlirAttribute,
        field: sys::MlirStringRef,
        value: *mut sys::MlirType,
    ) -> bool;
    fn strataAttrNested(
        attribute: sys::MlirAttribute,
        field: sys::MlirStringRef,
        value: *mut sys::MlirAttribute,
    ) -> bool;
    fn strataEnumAttr(
        attribute: sys::MlirAttribute,
        value: *mut i32,
        keyword: *mut sys::MlirStringRef,
    ) -> bool;
    fn strataEnumAttrGet(
        context: sys::MlirContext,
        mnemonic: sys::MlirStringRef,
        value: i32,
    ) -> sys::MlirAttribute;
    fn strataTypeBounds(ty: sys::MlirType, sink: IntsSink, data: *mut c_void) -> bool;
}

unsafe extern "C" fn append_ints(values: *const i64, count: isize, data: *mut c_void) {
    // SAFETY: `data` is the vector of the caller below, `values` are `count` numbers.
    unsafe {
        let list = &mut *data.cast::<Vec<i64>>();
        if count > 0 {
            list.extend_from_slice(std::slice::from_raw_parts(values, count as usize));
        }
    }
}

/// The mnemonic of an attribute of the StableHLO dialect, such as `gather`; `None` for others.
pub fn hlo_mnemonic(attribute: Attribute<'_>) -> Option<&str> {
    // SAFETY: the attribute is alive, and mnemonics live as long as the library.
    let name = unsafe { str_from(strataAttrMnemonic(attribute.to_raw())) };
    (!name.is_empty()).then_some(name)
}

/// The number of an enumeration attribute of the StableHLO dialect; `None` for others.
pub fn enum_number(attribute: Attribute<'_>) -> Option<i32> {
    let mut number = -1;
    // SAFETY: the attribute is alive; the keyword is not asked for.
    let found =
        unsafe { strataEnumAttr(attribute.to_raw(), &raw mut number, std::ptr::null_mut()) };
    found.then_some(number)
}

/// The enumeration attribute of a mnemonic with that number; `None` when there is none.
pub fn enum_attribute<'c>(
    context: &'c Context,
    mnemonic: &str,
    number: i32,
) -> Option<Attribute<'c>> {
    // SAFETY: the context is alive; a null attribute becomes `None`.
    unsafe {
        Attribute::from_option_raw(strataEnumAttrGet(
            context.to_raw(),
            string_ref(mnemonic),
            number,
        ))
    }
}

/// An attribute of a known mnemonic, read field by field.
#[derive(Clone, Copy)]
pub struct Fields<'c>(Attribute<'c>);

impl<'c> Fields<'c> {
    /// The fields, when the attribute has that mnemonic.
    pub fn of(attribute: Attribute<'c>, mnemonic: &str) -> Option<Self> {
        // SAFETY: the attribute is alive, and mnemonics live as long as the library.
        let found = unsafe { str_from(strataAttrMnemonic(attribute.to_raw())) };
        (found == mnemonic).then_some(Self(attribute))
    }

    /// Integers of a list, or the only one.
    pub fn ints(self, field: &str) -> Option<Vec<i64>> {
        let mut list = Vec::<i64>::new();
        // SAFETY: the sink gets the vector that it expects, during the call only.
        let found = unsafe {
            strataAttrInts(self.0.to_raw(), string_ref(field), append_ints, (&raw mut list).cast())
        };
        found.then_some(list)
    }

    /// An integer.
    pub fn int(self, field: &str) -> Option<i64> {
        self.ints(field)?.first().copied()
    }

    fn float(self, field: &str) -> Option<f64> {
        let mut value = 0.0;
        // SAFETY: the attribute is alive and `value` is written during the call.
        unsafe { strataAttrFloat(self.0.to_raw(), string_ref(field), &raw mut value) }
            .then_some(value)
    }

    fn ty(self, field: &str) -> Option<Type<'c>> {
        let mut value = sys::MlirType { ptr: std::ptr::null_mut() };
        // SAFETY: as above; a null type becomes `None`.
        unsafe {
            strataAttrType(self.0.to_raw(), string_ref(field), &raw mut value)
                .then(|| Type::from_option_raw(value))
                .flatten()
        }
    }

    /// An attribute inside.
    pub fn nested(self, field: &str) -> Option<Attribute<'c>> {
        let mut value = sys::MlirAttribute { ptr: std::ptr::null_mut() };
        // SAFETY: as above; a null attribute becomes `None`.
        unsafe {
            strataAttrNested(self.0.to_raw(), string_ref(field), &raw mut value)
                .then(|| Attribute::from_option_raw(value))
                .flatten()
        }
    }
}

/// `#stablehlo.channel_handle`: a communication channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelHandle {
    /// Number of the channel; 0 when there is none.
    pub handle: i64,
    /// 1 from device to device, 2 from device to host, 3 from host to device.
    pub kind: i64,
}

impl ChannelHandle {
    /// Reads the attribute; `None` when it is another one.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        let fields = Fields::of(attribute, "channel_handle")?;
        Some(Self { handle: fields.int("handle")?, kind: fields.int("type")? })
    }

    /// The attribute; `None` when the context lacks the dialect.
    pub fn to_attribute(self, context: &Context) -> Option<Attribute<'_>> {
        Attribute::parse(
            context,
            &format!("#stablehlo.channel_handle<handle = {}, type = {}>", self.handle, self.kind),
        )
    }
}

/// `#stablehlo.dot_algorithm`: the arithmetic that a dot product is computed with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DotAlgorithm<'c> {
    /// Type that the left operand is rounded to.
    pub lhs_precision_type: Type<'c>,
    /// Type that the right operand is rounded to.
    pub rhs_precision_type: Type<'c>,
    /// Type of the accumulator.
    pub accumulation_type: Type<'c>,
    /// Number of values that the left operand is split into.
    pub lhs_component_count: i64,
    /// Number of values that the right operand is split into.
    pub rhs_component_count: i64,
    /// Number of products of components that are summed.
    pub num_primitive_operations: i64,
    /// Whether accumulation may be less precise than the accumulator's type.
    pub allow_imprecise_accumulation: bool,
}

impl<'c> DotAlgorithm<'c> {
    /// Reads the attribute; `None` when it is another one.
    pub fn from_attribute(attribute: Attribute<'c>) -> Option<Self> {
        let fields = Fields::of(attribute, "dot_algorithm")?;
        Some(Self {
            lhs_precision_type: fields.ty("lhs_precision_type")?,
            rhs_precision_type: fields.ty("rhs_precision_type")?,
            accumulation_type: fields.ty("accumulation_type")?,
            lhs_component_count: fields.int("lhs_component_count")?,
            rhs_component_count: fields.int("rhs_component_count")?,
            num_primitive_operations: fields.int("num_primitive_operations")?,
            allow_imprecise_accumulation: fields.int("allow_imprecise_accumulation")? != 0,
        })
    }

    /// The attribute; `None` when the context lacks the dialect.
    pub fn to_attribute(&self, context: &'c Context) -> Option<Attribute<'c>> {
        Attribute::parse(
            context,
            &format!(
                "#stablehlo.dot_algorithm<lhs_precision_type = {}, rhs_precision_type = {}, \
                 accumulation_type = {}, lhs_component_count = {}, rhs_component_count = {}, \
                 num_primitive_operations = {}, allow_imprecise_accumulation = {}>",
                self.lhs_precision_type,
                self.rhs_precision_type,
                self.accumulation_type,
                self.lhs_component_count,
                self.rhs_component_count,
                self.num_primitive_operations,
                self.allow_imprecise_accumulation,
            ),
        )
    }
}

/// `#stablehlo.result_accuracy`: the accuracy that a result must have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultAccuracy {
    /// Absolute tolerance.
    pub atol: f64,
    /// Relative tolerance.
    pub rtol: f64,
    /// Tolerance in units in the last place.
    pub ulps: i64,
    /// Whether the tolerances count.
    pub mode: ResultAccuracyMode,
}

impl Default for ResultAccuracy {
    /// The implementation's own accuracy.
    fn default() -> Self {
        Self { atol: 0.0, rtol: 0.0, ulps: 0, mode: ResultAccuracyMode::Default }
    }
}

impl ResultAccuracy {
    /// Reads the attribute; `None` when it is another one.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        let fields = Fields::of(attribute, "result_accuracy")?;
        Some(Self {
            atol: fields.float("atol")?,
            rtol: fields.float("rtol")?,
            ulps: fields.int("ulps")?,
            mode: ResultAccuracyMode::from_attribute(fields.nested("mode")?)?,
        })
    }

    /// The attribute; `None` when the context lacks the dialect or the tolerances are not valid
    /// for the mode.
    pub fn to_attribute<'c>(&self, context: &'c Context) -> Option<Attribute<'c>> {
        let mut text = String::from("#stablehlo.result_accuracy<");
        // Exponents need a point before them in MLIR's text form.
        let _ = write!(
            text,
            "atol = {:?}, rtol = {:?}, ulps = {}, ",
            Decimal(self.atol),
            Decimal(self.rtol),
            self.ulps
        );
        let _ = write!(text, "mode = #stablehlo.result_accuracy_mode<{}>>", self.mode.keyword());
        Attribute::parse(context, &text)
    }
}

/// A number as MLIR reads it: with a decimal point.
struct Decimal(f64);

impl std::fmt::Debug for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:e}", self.0);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let point = if mantissa.contains('.') { "" } else { ".0" };
        write!(f, "{mantissa}{point}e{exponent}")
    }
}

/// The bounds of a tensor type's dynamic dimensions (`#stablehlo.bounds`), one for each dimension,
/// `None` where there is none; `None` when the type has no bounds at all.
pub fn dimension_bounds(ty: Type<'_>) -> Option<Vec<Option<i64>>> {
    let mut list = Vec::<i64>::new();
    // SAFETY: the type is alive, and the sink gets the vector that it expects.
    let found = unsafe { strataTypeBounds(ty.to_raw(), append_ints, (&raw mut list).cast()) };
    found.then(|| list.into_iter().map(|bound| (bound != i64::MIN).then_some(bound)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::new_context;

    fn parse<'c>(context: &'c Context, text: &str) -> Attribute<'c> {
        Attribute::parse(context, text).unwrap()
    }

    #[test]
    fn dimension_numbers_survive() {
        let context = new_context();
        let gather = parse(
            &context,
            "#stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], \
             operand_batching_dims = [0], start_indices_batching_dims = [0], \
             start_index_map = [1], index_vector_dim = 2>",
        );
        let numbers = GatherDimensionNumbers::from_attribute(gather).unwrap();
        assert_eq!(numbers.start_index_map, [1]);
        assert_eq!(numbers.index_vector_dim, 2);
        assert_eq!(numbers.to_attribute(&context), Some(gather));
        assert_eq!(ScatterDimensionNumbers::from_attribute(gather), None);

        let conv = parse(&context, "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1]>");
        let numbers = ConvDimensionNumbers::from_attribute(conv).unwrap();
        assert_eq!(numbers.output_spatial_dimensions, [2, 3]);
        assert_eq!(numbers.kernel_output_feature_dimension, 3);
        assert_eq!(numbers.to_attribute(&context), Some(conv));

        let dot = DotDimensionNumbers {
            lhs_contracting_dimensions: vec![1],
            rhs_contracting_dimensions: vec![0],
            ..Default::default()
        };
        let attribute = dot.to_attribute(&context).unwrap();
        assert_eq!(DotDimensionNumbers::from_attribute(attribute), Some(dot));

        let channel = ChannelHandle { handle: 5, kind: 2 };
        let attribute = channel.to_attribute(&context).unwrap();
        assert_eq!(ChannelHandle::from_attribute(attribute), Some(channel));
    }

    #[test]
    fn enumerations_survive() {
        let context = new_context();
        let attribute = parse(&context, "#stablehlo<comparison_direction LE>");
        assert_eq!(ComparisonDirection::from_attribute(attribute), Some(ComparisonDirection::Le));
        assert_eq!(ComparisonDirection::Le.to_attribute(&context), Some(attribute));
        assert_eq!(ComparisonType::from_attribute(attribute), None);
        assert_eq!(
            Transpose::Adjoint.to_attribute(&context),
            Some(parse(&context, "#stablehlo<transpose ADJOINT>"))
        );
    }

    #[test]
    fn accuracy_and_algorithm_survive() {
        let context = new_context();
        let accuracy =
            ResultAccuracy { atol: 1e-5, rtol: 0.0, ulps: 2, mode: ResultAccuracyMode::Tolerance };
        let attribute = accuracy.to_attribute(&context).unwrap();
        assert_eq!(ResultAccuracy::from_attribute(attribute), Some(accuracy));

        let attribute = parse(
            &context,
            "#stablehlo.dot_algorithm<lhs_precision_type = f8E5M2, rhs_precision_type = f8E5M2, \
             accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, \
             num_primitive_operations = 1, allow_imprecise_accumulation = true>",
        );
        let algorithm = DotAlgorithm::from_attribute(attribute).unwrap();
        assert_eq!(algorithm.num_primitive_operations, 1);
        assert!(algorithm.allow_imprecise_accumulation);
        assert_eq!(algorithm.to_attribute(&context), Some(attribute));
    }

    #[test]
    fn bounds_are_read_from_types() {
        let context = new_context();
        let bounded = Type::parse(&context, "tensor<?x4xf32, #stablehlo.bounds<8, ?>>").unwrap();
        assert_eq!(dimension_bounds(bounded), Some(vec![Some(8), None]));
        let plain = Type::parse(&context, "tensor<?x4xf32>").unwrap();
        assert_eq!(dimension_bounds(plain), None);
    }
}
