"""Arrays of `.safetensors` files."""

import json
import mmap
import os

import numpy as np

from ._arrays import dtype
from ._errors import StrataError

_ELEMENTS = {
    "BOOL": "i1",
    "I8": "i8",
    "I16": "i16",
    "I32": "i32",
    "I64": "i64",
    "U8": "ui8",
    "U16": "ui16",
    "U32": "ui32",
    "U64": "ui64",
    "F16": "f16",
    "BF16": "bf16",
    "F32": "f32",
    "F64": "f64",
    "C64": "complex<f32>",
    "F8_E4M3": "f8E4M3FN",
    "F8_E5M2": "f8E5M2",
}


def read_safetensors(path):
    """The arrays of a `.safetensors` file by name, where they are in the file: nothing is copied until a program reads it.

    The arrays cannot be written, and the file must not change while they are in use.

    Raises:
        OSError: the file cannot be read.
        StrataError: the file is damaged, or has a type that no program has.
    """
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""

    def wrong(reason):
        return StrataError(f"{os.fspath(path)}: {reason}")

    start = 8 + int.from_bytes(content[:8], "little")
    if size < 8 or start > size:
        raise wrong("it is not a safetensors file")
    try:
        header = json.loads(content[8:start])
        described = [(name, one["dtype"], one["shape"], one["data_offsets"]) for name, one in header.items() if name != "__metadata__"]
    except (ValueError, AttributeError, TypeError, KeyError) as error:
        raise wrong(f"its header is damaged: {error}") from None
    arrays = {}
    for name, element, shape, offsets in described:
        if element not in _ELEMENTS:
            raise wrong(f"`{name}` has the type {element}")
        kind = dtype(_ELEMENTS[element])
        numbers = [*shape, *offsets] if isinstance(shape, list) and isinstance(offsets, list) and len(offsets) == 2 else [-1]
        if not all(isinstance(number, int) and number >= 0 for number in numbers):
            raise wrong(f"the place of `{name}` is damaged")
        count = 1
        for length in shape:
            count *= length
        begin, end = offsets
        if end - begin != count * kind.itemsize or start + end > size:
            raise wrong(f"`{name}` has {end - begin} bytes from byte {begin} on, but its type takes {count * kind.itemsize} of {size - start}")
        # An array without elements cannot be made of a place at the end.
        array = np.frombuffer(content, kind, count, start + begin) if count else np.empty(0, kind)
        arrays[name] = array.reshape(shape)
    return arrays
