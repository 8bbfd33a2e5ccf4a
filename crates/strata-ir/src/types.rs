//! Builtin types: construction and readers.

use melior::{
    Context,
    ir::{Type, TypeLike},
};
use mlir_sys as sys;

use crate::{diagnostics::capture, handles::str_from};

/// MLIR's marker for a dynamic dimension.
pub const DYNAMIC: i64 = i64::MIN;

fn wrap<'c>(raw: sys::MlirType) -> Type<'c> {
    // SAFETY: the callers of this private function have it from MLIR, which keeps types as long as their context.
    unsafe { Type::from_raw(raw) }
}

/// The signless integer type of `width` bits.
pub fn integer(context: &Context, width: u32) -> Type<'_> {
    // SAFETY: the context is alive.
    wrap(unsafe { sys::mlirIntegerTypeGet(context.to_raw(), width) })
}

/// The unsigned integer type of `width` bits.
pub fn unsigned_integer(context: &Context, width: u32) -> Type<'_> {
    // SAFETY: the context is alive.
    wrap(unsafe { sys::mlirIntegerTypeUnsignedGet(context.to_raw(), width) })
}

/// `i1`.
pub fn bool_type(context: &Context) -> Type<'_> {
    integer(context, 1)
}

/// `index`.
pub fn index(context: &Context) -> Type<'_> {
    // SAFETY: the context is alive.
    wrap(unsafe { sys::mlirIndexTypeGet(context.to_raw()) })
}

/// `f16`.
pub fn f16_type(context: &Context) -> Type<'_> {
    // SAFETY: the context is alive.
    wrap(unsafe { sys::mlirF16TypeGet(context.to_raw()) })
}

/// `f32`.
pub fn f32_type(context: &Context) -> Type<'_> {
    // SAFETY: the context is alive.
    wrap(unsafe { sys::mlirF32TypeGet(context.to_raw()) })
}

/// `f64`.
pub fn f64_type(context: &Context) -> Type<'_> {
    // SAFETY: the context is alive.
    wrap(unsafe { sys::mlirF64TypeGet(context.to_raw()) })
}

/// The type that floats narrower than `f32` are computed in: `f32`, but `f64` for `f8E8M0FNU`, which has the smallest
/// numbers of `f32` and no zero that results below them could become.
pub fn wide_float<'c>(context: &'c Context, element: Type<'c>) -> Type<'c> {
    match crate::ElementType::from_type(element) {
        Some(crate::ElementType::SmallFloat("f8E8M0FNU")) => f64_type(context),
        _ => f32_type(context),
    }
}

/// `tensor<shape x element>`; [`DYNAMIC`] marks run-time dimensions.
pub fn tensor<'c>(shape: &[i64], element: Type<'c>) -> Type<'c> {
    // SAFETY: the element type is alive, and the list of that length is copied.
    wrap(unsafe {
        sys::mlirRankedTensorTypeGet(
            shape.len() as isize,
            shape.as_ptr(),
            element.to_raw(),
            sys::mlirAttributeGetNull(),
        )
    })
}

/// `memref<shape x element>` with the identity layout in the default memory space.
pub fn memref<'c>(shape: &[i64], element: Type<'c>) -> Type<'c> {
    // SAFETY: the element type is alive, and the list of that length is copied.
    wrap(unsafe {
        sys::mlirMemRefTypeContiguousGet(
            element.to_raw(),
            shape.len() as isize,
            shape.as_ptr(),
            sys::mlirAttributeGetNull(),
        )
    })
}

/// `memref<shape x element, strided<strides, offset: offset>>`; with [`DYNAMIC`] for dynamic ones.
pub fn strided_memref<'c>(
    shape: &[i64],
    strides: &[i64],
    offset: i64,
    element: Type<'c>,
) -> Type<'c> {
    // SAFETY: the element type and its context are alive; both lists are copied at the lengths given.
    wrap(unsafe {
        let layout = sys::mlirStridedLayoutAttrGet(
            element.context_raw(),
            offset,
            strides.len() as isize,
            strides.as_ptr(),
        );
        sys::mlirMemRefTypeGet(
            element.to_raw(),
            shape.len() as isize,
            shape.as_ptr(),
            layout,
            sys::mlirAttributeGetNull(),
        )
    })
}

/// The strides and the offset of a memref's layout, in elements, [`DYNAMIC`] for dynamic ones; `None` for other
/// types and other layouts.
pub fn memref_layout(ty: Type<'_>) -> Option<(Vec<i64>, i64)> {
    let rank = ty.rank().filter(|_| ty.is_memref_type())?;
    let mut strides = vec![0_i64; rank];
    let mut offset = 0_i64;
    // SAFETY: the type is a memref, and there is room for as many strides as it has dimensions.
    let result = unsafe {
        sys::mlirMemRefTypeGetStridesAndOffset(ty.to_raw(), strides.as_mut_ptr(), &raw mut offset)
    };
    (result.value != 0).then_some((strides, offset))
}

/// `vector<shape x element>`.
pub fn vector<'c>(shape: &[i64], element: Type<'c>) -> Type<'c> {
    // SAFETY: the element type is alive, and the list of that length is copied.
    wrap(unsafe { sys::mlirVectorTypeGet(shape.len() as isize, shape.as_ptr(), element.to_raw()) })
}

/// `complex<part>`.
pub fn complex(part: Type<'_>) -> Type<'_> {
    // SAFETY: the type is alive.
    wrap(unsafe { sys::mlirComplexTypeGet(part.to_raw()) })
}

/// `!llvm.ptr`.
pub fn llvm_pointer(context: &Context) -> Type<'_> {
    // SAFETY: the context is alive.
    wrap(unsafe { sys::mlirLLVMPointerTypeGet(context.to_raw(), 0) })
}

/// `!llvm.void`.
pub fn llvm_void(context: &Context) -> Type<'_> {
    // SAFETY: the context is alive.
    wrap(unsafe { sys::mlirLLVMVoidTypeGet(context.to_raw()) })
}

/// `!llvm.func<result (inputs)>`.
pub fn llvm_function<'c>(result: Type<'c>, inputs: &[Type<'c>]) -> Type<'c> {
    let inputs: Vec<_> = inputs.iter().map(|ty| ty.to_raw()).collect();
    // SAFETY: all types are alive, and the list of that length is copied.
    wrap(unsafe {
        sys::mlirLLVMFunctionTypeGet(result.to_raw(), inputs.len() as isize, inputs.as_ptr(), false)
    })
}

/// `(inputs) -> results`.
pub fn function<'c>(context: &'c Context, inputs: &[Type<'c>], results: &[Type<'c>]) -> Type<'c> {
    let inputs: Vec<_> = inputs.iter().map(|ty| ty.to_raw()).collect();
    let results: Vec<_> = results.iter().map(|ty| ty.to_raw()).collect();
    // SAFETY: the context and all types are alive, and the lists of these lengths are copied.
    wrap(unsafe {
        sys::mlirFunctionTypeGet(
            context.to_raw(),
            inputs.len() as isize,
            inputs.as_ptr(),
            results.len() as isize,
            results.as_ptr(),
        )
    })
}

/// Parses a type from its text; `None` when it is not one.
pub fn parse_type<'c>(context: &'c Context, text: &str) -> Option<Type<'c>> {
    capture(context, || Type::parse(context, text)).0
}

/// The inputs and results of a function type.
pub fn function_types(ty: Type<'_>) -> Option<(Vec<Type<'_>>, Vec<Type<'_>>)> {
    // SAFETY: the type was asked to be a function first; the indices are below the numbers of its inputs and results.
    unsafe {
        if !sys::mlirTypeIsAFunction(ty.to_raw()) {
            return None;
        }
        let inputs = (0..sys::mlirFunctionTypeGetNumInputs(ty.to_raw()))
            .map(|index| wrap(sys::mlirFunctionTypeGetInput(ty.to_raw(), index)))
            .collect();
        let results = (0..sys::mlirFunctionTypeGetNumResults(ty.to_raw()))
            .map(|index| wrap(sys::mlirFunctionTypeGetResult(ty.to_raw(), index)))
            .collect();
        Some((inputs, results))
    }
}

/// The types in `tuple<…>`; `None` for other types.
pub fn tuple_types(ty: Type<'_>) -> Option<Vec<Type<'_>>> {
    // SAFETY: the type was asked to be a tuple first; the indices are below the number of its types.
    unsafe {
        sys::mlirTypeIsATuple(ty.to_raw()).then(|| {
            (0..sys::mlirTupleTypeGetNumTypes(ty.to_raw()))
                .map(|index| Type::from_raw(sys::mlirTupleTypeGetType(ty.to_raw(), index)))
                .collect()
        })
    }
}

/// The tuple of these types, in the context of `ty`.
pub fn tuple<'c>(ty: Type<'c>, types: &[Type<'c>]) -> Type<'c> {
    let types: Vec<_> = types.iter().map(|ty| ty.to_raw()).collect();
    // SAFETY: the context is alive as the types are, and the list of that length is copied.
    wrap(unsafe { sys::mlirTupleTypeGet(ty.context_raw(), types.len() as isize, types.as_ptr()) })
}

/// Readers of builtin types.
pub trait TypeExt<'c>: Copy {
    /// Whether this is a ranked tensor.
    fn is_tensor_type(self) -> bool;
    /// Whether this is a ranked memref.
    fn is_memref_type(self) -> bool;
    /// Whether this is a vector.
    fn is_vector_type(self) -> bool;
    /// The dimensions of a ranked shaped type; [`DYNAMIC`] for run-time ones.
    fn shape(self) -> Option<Vec<i64>>;
    /// The number of dimensions of a ranked shaped type.
    fn rank(self) -> Option<usize>;
    /// Whether this is a ranked shaped type without run-time dimensions.
    fn has_static_shape(self) -> bool;
    /// The product of the dimensions; `None` for run-time dimensions or on overflow.
    fn element_count(self) -> Option<u64>;
    /// The element type of a shaped type; the type itself otherwise.
    fn element(self) -> Type<'c>;
    /// The same shaped type (tensor, memref or vector) with another element type.
    fn with_element(self, element: Type<'c>) -> Type<'c>;
    /// Whether this is an integer type (signless, signed or unsigned).
    fn is_int(self) -> bool;
    /// Whether this is an unsigned integer type.
    fn is_unsigned_int(self) -> bool;
    /// Whether this is a floating-point type.
    fn is_float_type(self) -> bool;
    /// Whether lanes of such elements may be moved by any shuffle: LLVM 22.1.8 fails at some of floats of 16 bits.
    fn can_shuffle(self) -> bool;
    /// Whether this is the `index` type.
    fn is_index(self) -> bool;
    /// Whether this is `tf32`.
    fn is_tf32(self) -> bool;
    /// Whether this is the type `none`.
    fn is_none(self) -> bool;
    /// Whether this is a tuple.
    fn is_tuple(self) -> bool;
    /// Whether this is `!stablehlo.token`.
    fn is_token(self) -> bool;
    /// Whether this is a `!stablehlo.future`.
    fn is_future(self) -> bool;
    /// The namespace of the dialect that defines the type, such as `builtin`.
    fn dialect(self) -> &'c str;
    /// Whether this is a complex type.
    fn is_complex(self) -> bool;
    /// The element type of a complex type.
    fn complex_element(self) -> Option<Type<'c>>;
    /// The bits of an integer or floating-point type; both parts of a complex one; 64 for index.
    fn bit_width(self) -> Option<u32>;
    /// Bytes that one element takes in a dense buffer: sub-byte types take one byte each.
    fn byte_width(self) -> Option<u64>;
    /// The same type with unsigned integers made signless, inside shaped and complex types too.
    fn signless(self) -> Type<'c>;
    /// Whether elements are integers of 2 or 4 bits or floats of at most 8, without hardware arithmetic.
    fn is_narrow(self) -> bool;
    /// The same type with narrow elements as bytes: of unsigned integers and floats `ui8`, of signed
    /// integers `i8`.
    fn in_bytes(self) -> Self;
    /// The context's handle, for building related types.
    fn context_raw(self) -> sys::MlirContext;
}

impl<'c> TypeExt<'c> for Type<'c> {
    fn is_tensor_type(self) -> bool {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeIsARankedTensor(self.to_raw()) }
    }

    fn is_memref_type(self) -> bool {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeIsAMemRef(self.to_raw()) }
    }

    fn is_vector_type(self) -> bool {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeIsAVector(self.to_raw()) }
    }

    fn shape(self) -> Option<Vec<i64>> {
        let rank = self.rank()?;
        Some(
            (0..rank)
                // SAFETY: the type has a rank, and the dimension is below it.
                .map(|dim| unsafe { sys::mlirShapedTypeGetDimSize(self.to_raw(), dim as isize) })
                .collect(),
        )
    }

    fn rank(self) -> Option<usize> {
        // SAFETY: the type was asked to be shaped before it is asked for a rank.
        unsafe {
            (sys::mlirTypeIsAShaped(self.to_raw()) && sys::mlirShapedTypeHasRank(self.to_raw()))
                .then(|| sys::mlirShapedTypeGetRank(self.to_raw()) as usize)
        }
    }

    fn has_static_shape(self) -> bool {
        // SAFETY: the type has a rank, as shaped types alone do.
        self.rank().is_some() && unsafe { sys::mlirShapedTypeHasStaticShape(self.to_raw()) }
    }

    fn element_count(self) -> Option<u64> {
        (0..self.rank()? as isize).try_fold(1_u64, |count, dim| {
            // SAFETY: the type has a rank, and the dimension is below it.
            let size = unsafe { sys::mlirShapedTypeGetDimSize(self.to_raw(), dim) };
            count.checked_mul(u64::try_from(size).ok()?)
        })
    }

    fn element(self) -> Type<'c> {
        // SAFETY: the type was asked to be shaped first.
        unsafe {
            if sys::mlirTypeIsAShaped(self.to_raw()) {
                wrap(sys::mlirShapedTypeGetElementType(self.to_raw()))
            } else {
                self
            }
        }
    }

    fn with_element(self, element: Type<'c>) -> Type<'c> {
        let Some(shape) = self.shape() else { return element };
        if self.is_tensor_type() {
            // SAFETY: the type is a tensor, whose encoding may be null; the list of that length is copied.
            unsafe {
                wrap(sys::mlirRankedTensorTypeGet(
                    shape.len() as isize,
                    shape.as_ptr(),
                    element.to_raw(),
                    sys::mlirRankedTensorTypeGetEncoding(self.to_raw()),
                ))
            }
        } else if self.is_memref_type() {
            memref(&shape, element)
        } else {
            vector(&shape, element)
        }
    }

    fn is_int(self) -> bool {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeIsAInteger(self.to_raw()) }
    }

    fn is_unsigned_int(self) -> bool {
        // SAFETY: it is an integer type.
        self.is_int() && unsafe { sys::mlirIntegerTypeIsUnsigned(self.to_raw()) }
    }

    fn is_float_type(self) -> bool {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeIsAFloat(self.to_raw()) }
    }

    fn can_shuffle(self) -> bool {
        let has_bytes = || self.bit_width().is_some_and(|bits| bits % 8 == 0);
        match self.is_float_type() {
            true => matches!(self.bit_width(), Some(32 | 64)),
            false => self.is_int() && has_bytes(),
        }
    }

    fn is_index(self) -> bool {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeIsAIndex(self.to_raw()) }
    }

    fn is_tf32(self) -> bool {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeIsATF32(self.to_raw()) }
    }

    fn is_none(self) -> bool {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeIsANone(self.to_raw()) }
    }

    fn is_tuple(self) -> bool {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeIsATuple(self.to_raw()) }
    }

    fn is_token(self) -> bool {
        self.dialect() == "stablehlo" && self.to_string() == "!stablehlo.token"
    }

    fn is_future(self) -> bool {
        self.dialect() == "stablehlo" && self.to_string().starts_with("!stablehlo.future")
    }

    fn dialect(self) -> &'c str {
        // SAFETY: the type and its dialect live as long as their context, and so does the namespace.
        unsafe { str_from(sys::mlirDialectGetNamespace(sys::mlirTypeGetDialect(self.to_raw()))) }
    }

    fn is_complex(self) -> bool {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeIsAComplex(self.to_raw()) }
    }

    fn complex_element(self) -> Option<Type<'c>> {
        self.is_complex()
            // SAFETY: it is a complex type.
            .then(|| wrap(unsafe { sys::mlirComplexTypeGetElementType(self.to_raw()) }))
    }

    fn bit_width(self) -> Option<u32> {
        // SAFETY: the type was asked for its kind before its width.
        unsafe {
            if self.is_int() {
                Some(sys::mlirIntegerTypeGetWidth(self.to_raw()))
            } else if self.is_float_type() {
                Some(sys::mlirFloatTypeGetWidth(self.to_raw()))
            } else if sys::mlirTypeIsAIndex(self.to_raw()) {
                Some(64)
            } else {
                self.complex_element()?.bit_width().map(|width| 2 * width)
            }
        }
    }

    fn byte_width(self) -> Option<u64> {
        self.bit_width().map(|width| u64::from(width.div_ceil(8)))
    }

    fn signless(self) -> Type<'c> {
        if self.is_unsigned_int() {
            let width = self.bit_width().unwrap_or(1);
            // SAFETY: the context is alive as the type is.
            wrap(unsafe { sys::mlirIntegerTypeGet(self.context_raw(), width) })
        } else if self.rank().is_some() {
            self.with_element(self.element().signless())
        } else {
            self
        }
    }

    fn is_narrow(self) -> bool {
        use crate::ElementType::{Signed, SmallFloat, Unsigned};
        let element = crate::ElementType::from_type(self.element());
        matches!(element, Some(Signed(2 | 4) | Unsigned(2 | 4) | SmallFloat(_)))
    }

    fn in_bytes(self) -> Self {
        if !self.is_narrow() {
            return self;
        }
        let element = self.element();
        let context = self.context_raw();
        // SAFETY: the context is alive as the type is.
        let byte = wrap(unsafe {
            if element.is_int() && !element.is_unsigned_int() {
                sys::mlirIntegerTypeGet(context, 8)
            } else {
                sys::mlirIntegerTypeUnsignedGet(context, 8)
            }
        });
        self.with_element(byte)
    }

    fn context_raw(self) -> sys::MlirContext {
        // SAFETY: the type lives as long as its context.
        unsafe { sys::mlirTypeGetContext(self.to_raw()) }
    }
}
