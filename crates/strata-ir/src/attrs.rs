//! Builtin attributes: construction and readers.

use std::borrow::Cow;

use melior::{
    Context,
    ir::{Attribute, AttributeLike, Type, TypeLike},
};
use mlir_sys as sys;

use crate::{
    diagnostics::capture,
    handles::{str_from, string_ref},
};

fn wrap<'c>(raw: sys::MlirAttribute) -> Attribute<'c> {
    // SAFETY: the callers of this private function have it from MLIR, which keeps attributes as long as their context.
    unsafe { Attribute::from_raw(raw) }
}

/// `array<i64: …>`.
pub fn i64s<'c>(context: &'c Context, values: &[i64]) -> Attribute<'c> {
    // SAFETY: the context is alive, and the list of that length is copied.
    wrap(unsafe {
        sys::mlirDenseI64ArrayGet(context.to_raw(), values.len() as isize, values.as_ptr())
    })
}

/// `dense<[[low, high], …]> : tensor<Nx2xi64>`, as padding is, of one value after the other; `None` for an odd number of them.
pub fn i64_pairs<'c>(context: &'c Context, values: &[i64]) -> Option<Attribute<'c>> {
    let bytes: Vec<_> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    dense_bytes(crate::tensor(&[values.len() as i64 / 2, 2], crate::integer(context, 64)), &bytes)
}

/// `array<i32: …>`, as operand segment sizes are.
pub fn i32s<'c>(context: &'c Context, values: &[i32]) -> Attribute<'c> {
    // SAFETY: the context is alive, and the list of that length is copied.
    wrap(unsafe {
        sys::mlirDenseI32ArrayGet(context.to_raw(), values.len() as isize, values.as_ptr())
    })
}

/// `array<i1: …>`.
pub fn bools<'c>(context: &'c Context, values: &[bool]) -> Attribute<'c> {
    let raw: Vec<_> = values.iter().map(|value| i32::from(*value)).collect();
    // SAFETY: the context is alive, and the list of that length is copied.
    wrap(unsafe { sys::mlirDenseBoolArrayGet(context.to_raw(), raw.len() as isize, raw.as_ptr()) })
}

/// `[true, …]`.
pub fn booleans<'c>(context: &'c Context, values: &[bool]) -> Attribute<'c> {
    array(context, &values.iter().map(|value| boolean(context, *value)).collect::<Vec<_>>())
}

/// `value : ty` for an integer or index type.
pub fn int<'c>(ty: Type<'c>, value: i64) -> Attribute<'c> {
    // SAFETY: the type is alive.
    wrap(unsafe { sys::mlirIntegerAttrGet(ty.to_raw(), value) })
}

/// `value : ty` for a floating-point type; rounds to the type.
pub fn float<'c>(context: &'c Context, ty: Type<'c>, value: f64) -> Attribute<'c> {
    // SAFETY: context and type are alive.
    wrap(unsafe { sys::mlirFloatAttrDoubleGet(context.to_raw(), ty.to_raw(), value) })
}

/// `true` or `false`.
pub fn boolean(context: &Context, value: bool) -> Attribute<'_> {
    // SAFETY: the context is alive.
    wrap(unsafe { sys::mlirBoolAttrGet(context.to_raw(), i32::from(value)) })
}

/// `unit`.
pub fn unit(context: &Context) -> Attribute<'_> {
    // SAFETY: the context is alive.
    wrap(unsafe { sys::mlirUnitAttrGet(context.to_raw()) })
}

/// `"text"`.
pub fn string<'c>(context: &'c Context, text: &str) -> Attribute<'c> {
    // SAFETY: the context is alive, and the text is copied.
    wrap(unsafe { sys::mlirStringAttrGet(context.to_raw(), string_ref(text)) })
}

/// `@symbol`.
pub fn symbol<'c>(context: &'c Context, name: &str) -> Attribute<'c> {
    // SAFETY: the context is alive, and the name is copied.
    wrap(unsafe { sys::mlirFlatSymbolRefAttrGet(context.to_raw(), string_ref(name)) })
}

/// A type as an attribute.
pub fn type_attr(ty: Type<'_>) -> Attribute<'_> {
    // SAFETY: the type is alive.
    wrap(unsafe { sys::mlirTypeAttrGet(ty.to_raw()) })
}

/// `[…]`.
pub fn array<'c>(context: &'c Context, elements: &[Attribute<'c>]) -> Attribute<'c> {
    let raw: Vec<_> = elements.iter().map(|element| element.to_raw()).collect();
    // SAFETY: the context is alive, and the list of that length is copied.
    wrap(unsafe { sys::mlirArrayAttrGet(context.to_raw(), raw.len() as isize, raw.as_ptr()) })
}

/// The attribute `reassociation`: runs of `counts[i]` consecutive dimensions.
pub fn reassociation<'c>(context: &'c Context, counts: &[usize]) -> Attribute<'c> {
    let word = crate::integer(context, 64);
    let mut next = 0;
    let runs = counts.iter().map(|count| {
        let run: Vec<_> = (next..next + count).map(|dim| int(word, dim as i64)).collect();
        next += count;
        array(context, &run)
    });
    array(context, &runs.collect::<Vec<_>>())
}

/// `{name = value, …}`; `None` if a name is empty or given twice.
pub fn dictionary<'c>(
    context: &'c Context,
    entries: &[(&str, Attribute<'c>)],
) -> Option<Attribute<'c>> {
    let mut names: Vec<_> = entries.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    if names.first().is_some_and(|name| name.is_empty())
        || names.windows(2).any(|pair| pair.first() == pair.last())
    {
        return None;
    }
    let named: Vec<_> = entries
        .iter()
        // SAFETY: context and attribute are alive, and the name is copied.
        .map(|(name, value)| unsafe {
            sys::mlirNamedAttributeGet(
                sys::mlirIdentifierGet(context.to_raw(), string_ref(name)),
                value.to_raw(),
            )
        })
        .collect();
    // SAFETY: the names differ and none is empty, as MLIR asks; the list of that length is copied.
    Some(wrap(unsafe {
        sys::mlirDictionaryAttrGet(context.to_raw(), named.len() as isize, named.as_ptr())
    }))
}

/// `affine_map<(d0, …, d(dims-1)) -> (d[results[0]], …)>`: selects dimensions by position.
pub fn projection<'c>(context: &'c Context, dims: usize, results: &[usize]) -> Attribute<'c> {
    // SAFETY: the context is alive; the map copies as many expressions as the list has.
    unsafe {
        let mut exprs: Vec<_> = results
            .iter()
            .map(|dim| sys::mlirAffineDimExprGet(context.to_raw(), *dim as isize))
            .collect();
        let map = sys::mlirAffineMapGet(
            context.to_raw(),
            dims as isize,
            0,
            exprs.len() as isize,
            exprs.as_mut_ptr(),
        );
        wrap(sys::mlirAffineMapAttrGet(map))
    }
}

pub(crate) fn affine_map(attribute: Attribute<'_>) -> Option<sys::MlirAffineMap> {
    // SAFETY: the attribute was asked to be a map first.
    unsafe {
        sys::mlirAttributeIsAAffineMap(attribute.to_raw())
            .then(|| sys::mlirAffineMapAttrGetValue(attribute.to_raw()))
    }
}

/// The number of dimensions of an affine map and, for each of its results, which dimension it is (`None` for other
/// expressions); `None` for other attributes and for maps with symbols.
pub fn map_dims(attribute: Attribute<'_>) -> Option<(usize, Vec<Option<usize>>)> {
    let map = affine_map(attribute)?;
    // SAFETY: the map is alive as its attribute is; each result is below their number, and asked to be a dimension first.
    unsafe {
        if sys::mlirAffineMapGetNumSymbols(map) != 0 {
            return None;
        }
        let results = (0..sys::mlirAffineMapGetNumResults(map)).map(|index| {
            let result = sys::mlirAffineMapGetResult(map, index);
            sys::mlirAffineExprIsADim(result)
                .then(|| sys::mlirAffineDimExprGetPosition(result) as usize)
        });
        Some((sys::mlirAffineMapGetNumDims(map) as usize, results.collect()))
    }
}

/// The operands (dimensions, then symbols, each as often as it is added) and the constant that the only result of an
/// affine map is the sum of; `None` for other attributes and other expressions.
pub fn map_sum(attribute: Attribute<'_>) -> Option<(Vec<usize>, i64)> {
    let map = affine_map(attribute)?;
    // SAFETY: the map is alive as its attribute is; it has a result 0, and each expression is asked for its kind first.
    unsafe {
        if sys::mlirAffineMapGetNumResults(map) != 1 {
            return None;
        }
        let dims = sys::mlirAffineMapGetNumDims(map) as usize;
        let (mut operands, mut constant) = (Vec::new(), 0_i64);
        let mut work = vec![sys::mlirAffineMapGetResult(map, 0)];
        while let Some(expr) = work.pop() {
            if sys::mlirAffineExprIsAAdd(expr) {
                work.push(sys::mlirAffineBinaryOpExprGetLHS(expr));
                work.push(sys::mlirAffineBinaryOpExprGetRHS(expr));
            } else if sys::mlirAffineExprIsAConstant(expr) {
                constant = constant.checked_add(sys::mlirAffineConstantExprGetValue(expr))?;
            } else if sys::mlirAffineExprIsADim(expr) {
                operands.push(sys::mlirAffineDimExprGetPosition(expr) as usize);
            } else if sys::mlirAffineExprIsASymbol(expr) {
                operands.push(dims + sys::mlirAffineSymbolExprGetPosition(expr) as usize);
            } else {
                return None;
            }
        }
        Some((operands, constant))
    }
}

/// `affine_map<()[s0, …] -> (s0 + … + constant)>` of `terms` symbols.
pub fn sum_map(context: &Context, terms: usize, constant: i64) -> Attribute<'_> {
    let context = context.to_raw();
    // SAFETY: the context is alive; the map has one result, which is read during the call.
    unsafe {
        let symbols = (0..terms).map(|at| sys::mlirAffineSymbolExprGet(context, at as isize));
        let sum = symbols.reduce(|sum, symbol| sys::mlirAffineAddExprGet(sum, symbol));
        let constant = sys::mlirAffineConstantExprGet(context, constant);
        let mut sum = sum.map_or(constant, |sum| sys::mlirAffineAddExprGet(sum, constant));
        let map = sys::mlirAffineMapGet(context, 0, terms as isize, 1, &raw mut sum);
        wrap(sys::mlirAffineMapAttrGet(map))
    }
}

/// The identity affine map of `dims` dimensions.
pub fn identity_map(context: &Context, dims: usize) -> Attribute<'_> {
    projection(context, dims, &(0..dims).collect::<Vec<_>>())
}

/// Dense elements of a static shaped type from raw little-endian row-major bytes (one byte per
/// element for `i1`); `None` when the number of bytes does not fit.
pub fn dense_bytes<'c>(shaped: Type<'c>, bytes: &[u8]) -> Option<Attribute<'c>> {
    use crate::types::TypeExt as _;
    let size = shaped.element_count()?.checked_mul(shaped.element().byte_width()?)?;
    if size != bytes.len() as u64 {
        return None;
    }
    // MLIR packs i1 in bits, and takes unpacked ones only through another function.
    if shaped.element().bit_width() == Some(1) {
        let values: Vec<_> = bytes.iter().map(|byte| i32::from(*byte != 0)).collect();
        // SAFETY: the type is of booleans, of which there are as many as it has elements.
        return Some(wrap(unsafe {
            sys::mlirDenseElementsAttrBoolGet(
                shaped.to_raw(),
                values.len() as isize,
                values.as_ptr(),
            )
        }));
    }
    // SAFETY: the bytes are as many as the elements take; MLIR copies them, and a null attribute becomes `None`.
    unsafe {
        Attribute::from_option_raw(sys::mlirDenseElementsAttrRawBufferGet(
            shaped.to_raw(),
            bytes.len(),
            bytes.as_ptr().cast(),
        ))
    }
}

/// Dense elements of a static shaped type that all equal `element`.
pub fn dense_splat<'c>(shaped: Type<'c>, element: Attribute<'c>) -> Attribute<'c> {
    // SAFETY: type and element are alive.
    wrap(unsafe { sys::mlirDenseElementsAttrSplatGet(shaped.to_raw(), element.to_raw()) })
}

/// Parses an attribute from its text; `None` if invalid, without a report.
pub fn parse_attr<'c>(context: &'c Context, text: &str) -> Option<Attribute<'c>> {
    capture(context, || Attribute::parse(context, text)).0
}

/// Readers of attributes.
pub trait AttributeExt<'c>: Copy {
    /// The elements of `array<i64: …>`, of a one-dimensional dense integer attribute or of an
    /// array of integers.
    fn as_i64s(self) -> Option<Vec<i64>>;
    /// The value of an integer, index or boolean attribute.
    fn as_i64(self) -> Option<i64>;
    /// The value of a floating-point attribute.
    fn as_f64(self) -> Option<f64>;
    /// The value of a boolean attribute.
    fn as_bool(self) -> Option<bool>;
    /// The text of a string attribute.
    fn as_str(self) -> Option<&'c str>;
    /// The name of a flat symbol reference.
    fn as_symbol(self) -> Option<&'c str>;
    /// The type in a type attribute.
    fn as_type(self) -> Option<Type<'c>>;
    /// The elements of an array attribute.
    fn as_array(self) -> Option<Vec<Attribute<'c>>>;
    /// The entries of a dictionary, by name.
    fn as_dictionary(self) -> Option<Vec<(&'c str, Attribute<'c>)>>;
    /// The bits of an element of `array<i64: …>`, `array<i32: …>` or `array<i1: …>`.
    fn dense_array_width(self) -> Option<u32>;
    /// The entry `name` of a dictionary.
    fn entry(self, name: &str) -> Option<Attribute<'c>>;
    /// Whether this is a dense elements attribute whose elements are all equal.
    fn is_splat(self) -> bool;
    /// The common element of a splat.
    fn splat_value(self) -> Option<Attribute<'c>>;
    /// Whether this is the unit attribute.
    fn is_unit(self) -> bool;
    /// The namespace of the dialect that defines the attribute, such as `builtin`.
    fn dialect(self) -> &'c str;
    /// The type of a number, such as `f32` of `1.0 : f32`.
    fn number_type(self) -> Option<Type<'c>>;
    /// The elements of `array<f32: …>` as their type and little-endian bytes, one byte for a boolean.
    fn dense_array(self) -> Option<(Type<'c>, Vec<u8>)>;
    /// The type of an elements attribute.
    fn elements_type(self) -> Option<Type<'c>>;
    /// The elements of a dense attribute as raw little-endian row-major bytes, splats expanded,
    /// one byte per element for `i1` and other sub-byte types.
    fn raw_elements(self) -> Option<Vec<u8>>;
    /// As [`Self::raw_elements`], without a copy where the elements are stored that way.
    fn dense_bytes(self) -> Option<Cow<'c, [u8]>>;
}

impl<'c> AttributeExt<'c> for Attribute<'c> {
    fn as_i64s(self) -> Option<Vec<i64>> {
        let raw = self.to_raw();
        // SAFETY: each index is below the number of elements of the kind that was asked for first.
        unsafe {
            if sys::mlirAttributeIsADenseI64Array(raw) {
                let count = sys::mlirDenseArrayGetNumElements(raw);
                return Some(
                    (0..count).map(|index| sys::mlirDenseI64ArrayGetElement(raw, index)).collect(),
                );
            }
            if sys::mlirAttributeIsADenseI32Array(raw) {
                let count = sys::mlirDenseArrayGetNumElements(raw);
                return Some(
                    (0..count)
                        .map(|index| i64::from(sys::mlirDenseI32ArrayGetElement(raw, index)))
                        .collect(),
                );
            }
            if sys::mlirAttributeIsADenseBoolArray(raw) {
                let count = sys::mlirDenseArrayGetNumElements(raw);
                return Some(
                    (0..count)
                        .map(|index| i64::from(sys::mlirDenseBoolArrayGetElement(raw, index)))
                        .collect(),
                );
            }
            if sys::mlirAttributeIsADenseIntElements(raw) {
                return dense_ints(self);
            }
        }
        self.as_array()?.into_iter().map(AttributeExt::as_i64).collect()
    }

    fn as_i64(self) -> Option<i64> {
        let raw = self.to_raw();
        // SAFETY: the attribute lives as long as its context, and was asked for its kind first.
        unsafe {
            if sys::mlirAttributeIsABool(raw) {
                return Some(i64::from(sys::mlirBoolAttrGetValue(raw)));
            }
            if !sys::mlirAttributeIsAInteger(raw) {
                return None;
            }
            let ty = sys::mlirAttributeGetType(raw);
            if sys::mlirTypeIsAInteger(ty) && sys::mlirIntegerTypeIsUnsigned(ty) {
                Some(sys::mlirIntegerAttrGetValueUInt(raw) as i64)
            } else if sys::mlirTypeIsAInteger(ty) && sys::mlirIntegerTypeIsSigned(ty) {
                Some(sys::mlirIntegerAttrGetValueSInt(raw))
            } else {
                Some(sys::mlirIntegerAttrGetValueInt(raw))
            }
        }
    }

    fn as_f64(self) -> Option<f64> {
        // SAFETY: the attribute lives as long as its context, and was asked for its kind first.
        unsafe {
            sys::mlirAttributeIsAFloat(self.to_raw())
                .then(|| sys::mlirFloatAttrGetValueDouble(self.to_raw()))
        }
    }

    fn as_bool(self) -> Option<bool> {
        // SAFETY: the attribute lives as long as its context, and was asked for its kind first.
        unsafe {
            sys::mlirAttributeIsABool(self.to_raw())
                .then(|| sys::mlirBoolAttrGetValue(self.to_raw()))
        }
    }

    fn as_str(self) -> Option<&'c str> {
        // SAFETY: the attribute was asked to be a string first, whose text lives as long as the context.
        unsafe {
            sys::mlirAttributeIsAString(self.to_raw())
                .then(|| str_from(sys::mlirStringAttrGetValue(self.to_raw())))
        }
    }

    fn as_symbol(self) -> Option<&'c str> {
        // SAFETY: the attribute was asked to be a symbol first, whose name lives as long as the context.
        unsafe {
            sys::mlirAttributeIsAFlatSymbolRef(self.to_raw())
                .then(|| str_from(sys::mlirFlatSymbolRefAttrGetValue(self.to_raw())))
        }
    }

    fn as_type(self) -> Option<Type<'c>> {
        // SAFETY: the attribute lives as long as its context, and was asked for its kind first.
        unsafe {
            sys::mlirAttributeIsAType(self.to_raw())
                .then(|| Type::from_raw(sys::mlirTypeAttrGetValue(self.to_raw())))
        }
    }

    fn as_array(self) -> Option<Vec<Attribute<'c>>> {
        let raw = self.to_raw();
        // SAFETY: the attribute was asked to be an array first; the indices are below the number of its elements.
        unsafe {
            sys::mlirAttributeIsAArray(raw).then(|| {
                (0..sys::mlirArrayAttrGetNumElements(raw))
                    .map(|index| wrap(sys::mlirArrayAttrGetElement(raw, index)))
                    .collect()
            })
        }
    }

    fn as_dictionary(self) -> Option<Vec<(&'c str, Attribute<'c>)>> {
        let raw = self.to_raw();
        // SAFETY: the attribute was asked to be a dictionary first; the indices are below the number of its entries, whose
        // names live as long as the context.
        unsafe {
            sys::mlirAttributeIsADictionary(raw).then(|| {
                (0..sys::mlirDictionaryAttrGetNumElements(raw))
                    .map(|index| {
                        let named = sys::mlirDictionaryAttrGetElement(raw, index);
                        (str_from(sys::mlirIdentifierStr(named.name)), wrap(named.attribute))
                    })
                    .collect()
            })
        }
    }

    fn dense_array_width(self) -> Option<u32> {
        let raw = self.to_raw();
        // SAFETY: the attribute is alive.
        unsafe {
            if sys::mlirAttributeIsADenseI64Array(raw) {
                Some(64)
            } else if sys::mlirAttributeIsADenseI32Array(raw) {
                Some(32)
            } else {
                sys::mlirAttributeIsADenseBoolArray(raw).then_some(1)
            }
        }
    }

    fn entry(self, name: &str) -> Option<Attribute<'c>> {
        // SAFETY: the attribute was asked to be a dictionary first; the name is read during the call only.
        unsafe {
            if !sys::mlirAttributeIsADictionary(self.to_raw()) {
                return None;
            }
            Attribute::from_option_raw(sys::mlirDictionaryAttrGetElementByName(
                self.to_raw(),
                string_ref(name),
            ))
        }
    }

    fn is_splat(self) -> bool {
        // SAFETY: the attribute lives as long as its context, and was asked for its kind first.
        unsafe {
            sys::mlirAttributeIsADenseElements(self.to_raw())
                && sys::mlirDenseElementsAttrIsSplat(self.to_raw())
        }
    }

    fn splat_value(self) -> Option<Attribute<'c>> {
        self.is_splat()
            // SAFETY: it is a splat.
            .then(|| wrap(unsafe { sys::mlirDenseElementsAttrGetSplatValue(self.to_raw()) }))
    }

    fn is_unit(self) -> bool {
        // SAFETY: the attribute lives as long as its context.
        unsafe { sys::mlirAttributeIsAUnit(self.to_raw()) }
    }

    fn dialect(self) -> &'c str {
        // SAFETY: the attribute and its dialect live as long as their context, and so does the namespace.
        unsafe {
            str_from(sys::mlirDialectGetNamespace(sys::mlirAttributeGetDialect(self.to_raw())))
        }
    }

    fn number_type(self) -> Option<Type<'c>> {
        // SAFETY: the attribute lives as long as its context, and was asked for its kind first.
        unsafe {
            let is_number = sys::mlirAttributeIsAInteger(self.to_raw())
                || sys::mlirAttributeIsAFloat(self.to_raw());
            is_number.then(|| Type::from_raw(sys::mlirAttributeGetType(self.to_raw())))
        }
    }

    fn dense_array(self) -> Option<(Type<'c>, Vec<u8>)> {
        let raw = self.to_raw();
        // SAFETY: each position is below the number of elements of the kind that was asked for first; the context
        // outlives the attribute.
        unsafe {
            let context = sys::mlirAttributeGetContext(raw);
            macro_rules! of_kind {
                ($is:ident, $get:ident, $ty:expr) => {
                    if sys::$is(raw) {
                        let count = sys::mlirDenseArrayGetNumElements(raw);
                        let bytes = (0..count).flat_map(|at| sys::$get(raw, at).to_le_bytes());
                        return Some((Type::from_raw($ty), bytes.collect()));
                    }
                };
            }
            of_kind!(
                mlirAttributeIsADenseI8Array,
                mlirDenseI8ArrayGetElement,
                sys::mlirIntegerTypeGet(context, 8)
            );
            of_kind!(
                mlirAttributeIsADenseI16Array,
                mlirDenseI16ArrayGetElement,
                sys::mlirIntegerTypeGet(context, 16)
            );
            of_kind!(
                mlirAttributeIsADenseI32Array,
                mlirDenseI32ArrayGetElement,
                sys::mlirIntegerTypeGet(context, 32)
            );
            of_kind!(
                mlirAttributeIsADenseI64Array,
                mlirDenseI64ArrayGetElement,
                sys::mlirIntegerTypeGet(context, 64)
            );
            of_kind!(
                mlirAttributeIsADenseF32Array,
                mlirDenseF32ArrayGetElement,
                sys::mlirF32TypeGet(context)
            );
            of_kind!(
                mlirAttributeIsADenseF64Array,
                mlirDenseF64ArrayGetElement,
                sys::mlirF64TypeGet(context)
            );
            sys::mlirAttributeIsADenseBoolArray(raw).then(|| {
                let count = sys::mlirDenseArrayGetNumElements(raw);
                let elements = (0..count).map(|at| sys::mlirDenseBoolArrayGetElement(raw, at));
                (
                    Type::from_raw(sys::mlirIntegerTypeGet(context, 1)),
                    elements.map(u8::from).collect(),
                )
            })
        }
    }

    fn elements_type(self) -> Option<Type<'c>> {
        // SAFETY: the attribute lives as long as its context, and was asked for its kind first.
        unsafe {
            sys::mlirAttributeIsAElements(self.to_raw())
                .then(|| Type::from_raw(sys::mlirAttributeGetType(self.to_raw())))
        }
    }

    fn raw_elements(self) -> Option<Vec<u8>> {
        crate::dense::raw_elements(self).map(Cow::into_owned)
    }

    fn dense_bytes(self) -> Option<Cow<'c, [u8]>> {
        crate::dense::raw_elements(self)
    }
}

fn dense_ints(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    use crate::types::TypeExt;
    let ty = attribute.elements_type()?;
    let unsigned = ty.element().is_unsigned_int() || ty.element().bit_width() == Some(1);
    let width = ty.element().byte_width()? as usize;
    let bytes = crate::dense::raw_elements(attribute)?;
    Some(
        bytes
            .chunks_exact(width)
            .map(|chunk| {
                let negative = !unsigned && chunk[width - 1] & 0x80 != 0;
                let mut word = if negative { [0xff; 8] } else { [0; 8] };
                word[..width].copy_from_slice(chunk);
                i64::from_le_bytes(word)
            })
            .collect(),
    )
}
