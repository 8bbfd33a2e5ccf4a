"""Arguments as NumPy arrays that the native module can read where they are."""

import numpy as np

from ._errors import StrataError, input_error

_NUMPY = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}

# The types of the package ml_dtypes, which JAX uses, too.
_ML_DTYPES = {
    "i2": "int2",
    "i4": "int4",
    "ui2": "uint2",
    "ui4": "uint4",
    "bf16": "bfloat16",
    "f4E2M1FN": "float4_e2m1fn",
    "f6E2M3FN": "float6_e2m3fn",
    "f6E3M2FN": "float6_e3m2fn",
    "f8E3M4": "float8_e3m4",
    "f8E4M3": "float8_e4m3",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f8E8M0FNU": "float8_e8m0fnu",
}

_KINDS = "biufc"


def dtype(element):
    """NumPy's type for an element type of StableHLO, such as "f32" or "bf16"."""
    if element in _NUMPY:
        return np.dtype(_NUMPY[element])
    try:
        import ml_dtypes
    except ImportError:
        raise StrataError(f"arrays of {element} need the package ml_dtypes: pip install ml_dtypes") from None
    try:
        return np.dtype(getattr(ml_dtypes, _ML_DTYPES[element]))
    except (AttributeError, KeyError):
        raise StrataError(f"arrays of {element} need a newer ml_dtypes than {ml_dtypes.__version__}") from None


def fitting(value, position, name, sizes, wanted):
    """`value` as a dense array of type `wanted`; a copy only where its elements are not dense or aligned.

    Args:
        value: an array of NumPy or of anything that gives NumPy or DLPack its elements, or a Python number.
        position, name: of the argument, for errors.
        sizes: the sizes of the input, None where any is right.
        wanted: the NumPy type of the input.
    """
    what = f"argument {position}" + (f" (`{name}`)" if name else "")
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        return _number(value, what, sizes, wanted)
    array = _array(value, what)
    if array.dtype != wanted:
        hint = f"convert it: `.astype({str(wanted)!r})`"
        if array.dtype.newbyteorder() == wanted:
            hint = "its bytes are swapped: `.astype(array.dtype.newbyteorder())`"
        reason = f"{what} is of type {array.dtype}, but the program takes {wanted}"
        raise input_error("S1803", "input has the wrong element type", reason, hint)
    fits = len(array.shape) == len(sizes) and all(own in (None, given) for own, given in zip(sizes, array.shape))
    if not fits:
        takes = "(" + ", ".join("any" if size is None else str(size) for size in sizes) + ")"
        reason = f"{what} has the shape {array.shape}, but the program takes {takes}"
        raise input_error("S1802", "input has the wrong shape", reason)
    # A copy is aligned and in the order of its indices; a subclass may compute its elements.
    return np.require(array, requirements=("C", "A", "E"))


def _number(value, what, sizes, wanted):
    if sizes:
        takes = f"{wanted} of {len(sizes)} dimensions"
        raise input_error("S1802", "input has the wrong shape", f"{what} is a number, but the program takes {takes}")
    order = "b" if isinstance(value, bool) else "i" if isinstance(value, int) else "c" if isinstance(value, complex) else "f"
    try:
        kind = wanted.kind if wanted.kind in _KINDS else np.result_type(np.zeros((), wanted), np.int8).kind
    except TypeError:
        kind = "f"
    kind = {"u": "i", "V": "f"}.get(kind, kind)
    is_wider = kind == order or (order != "b" and _KINDS.index(kind) >= _KINDS.index(order))
    if not is_wider:
        reason = f"{what} is {value!r}, a {type(value).__name__}, but the program takes {wanted}"
        raise input_error("S1803", "input has the wrong element type", reason)
    try:
        limits = np.iinfo(wanted) if wanted.kind in "iu" else None
        if limits is not None and not limits.min <= value <= limits.max:
            raise OverflowError
        with np.errstate(over="ignore"):
            array = np.asarray(value, wanted)
        if np.isfinite(value) and not np.isfinite(array):
            raise OverflowError
        return array
    except (OverflowError, ValueError):
        reason = f"{what} is {value!r}, which no {wanted} is"
        raise input_error("S1803", "input has the wrong element type", reason) from None


def _array(value, what):
    if isinstance(value, np.ma.MaskedArray):
        hint = "`.filled(...)` gives an array without a mask"
        raise input_error("S1803", "input has the wrong element type", f"{what} has a mask, which no program knows", hint)
    if isinstance(value, np.ndarray):
        return value
    if str(getattr(value, "dtype", "")).startswith("key<"):
        import jax

        value = jax.random.key_data(value)
    is_array = any(hasattr(value, one) for one in ("__array__", "__array_interface__", "__dlpack__"))
    if not is_array:
        try:
            value = memoryview(value)
        except TypeError:
            reason = f"{what} is a {type(value).__name__}, but the program takes an array"
            hint = "pass an array of NumPy, JAX or PyTorch, or `numpy.asarray(...)` of it"
            raise input_error("S1803", "input has the wrong element type", reason, hint) from None
    try:
        if hasattr(value, "detach") and hasattr(value, "data_ptr"):
            return _tensor(value)
        if hasattr(value, "__array__") or not hasattr(value, "__dlpack__"):
            return np.asarray(value)
        return np.from_dlpack(value)
    except Exception as error:
        reason = f"{what}, a {type(value).__name__}, gives no array: {error}"
        raise input_error("S1803", "input has the wrong element type", reason) from error


def _tensor(value):
    """The elements of a PyTorch tensor, where they are."""
    import torch

    value = value.detach()
    if value.dtype is torch.bfloat16:
        # NumPy has no such type of its own, and PyTorch does not know that of ml_dtypes.
        return value.contiguous().view(torch.int16).numpy().view(dtype("bf16"))
    return value.resolve_conj().resolve_neg().numpy()


def valid(array, shape):
    """The first elements of each dimension, as many as `shape` says."""
    return np.ascontiguousarray(array[tuple(slice(int(size)) for size in shape)])

