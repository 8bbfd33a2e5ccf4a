"""Functions compiled by Strata and called on arrays."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np

# Elements of one call.
LENGTH = 8192

# Type: numpy's type of the elements in memory, and how many of them an element of the program has.
LAYOUT = {
    "f64": (np.float64, 1),
    "f32": (np.float32, 1),
    "f16": (np.float16, 1),
    "bf16": (np.uint16, 1),
    "complex<f64>": (np.float64, 2),
    "complex<f32>": (np.float32, 2),
}


def widened(bits):
    """bf16 as f32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


class Compiled:
    """One operation on tensors of a type, for a processor."""

    def __init__(self, strata, folder, operation, ty, arity, cpu, result=None):
        tensor = f"tensor<{LENGTH}x{ty}>"
        result = f"tensor<{LENGTH}x{result or ty}>"
        names = ["%x", "%y"][:arity]
        arguments = ", ".join(f"{name}: {tensor}" for name in names)
        if operation.startswith("chlo.") and arity == 2:
            line = f"{operation} {', '.join(names)} : {tensor}, {tensor} -> {tensor}"
        elif operation.startswith("chlo."):
            line = f"{operation} {names[0]} : {tensor} -> {result}"
        elif result != tensor:
            line = f"{operation} {names[0]} : ({tensor}) -> {result}"
        else:
            line = f"{operation} {', '.join(names)} : {tensor}"
        text = f"func.func @main({arguments}) -> {result} {{\n  %0 = {line}\n  return %0 : {result}\n}}\n"
        stem = "".join(c if c.isalnum() else "_" for c in f"{operation}_{ty}_{cpu}")
        source, library = Path(folder) / f"{stem}.mlir", Path(folder) / f"{stem}.so"
        source.write_text(text)
        command = [strata, "compile", source, "--name", "f", "--emit", "shared", "--target-cpu", cpu, "-o", library]
        subprocess.run([str(part) for part in command], check=True)
        self.library = ctypes.CDLL(str(library))
        size = self.library.f_main_workspace_size
        size.restype = ctypes.c_size_t
        self.workspace = np.zeros(size() + 64, np.uint8)
        self.arity = arity
        self.dtype, self.parts = LAYOUT[ty]
        self.result_parts = self.parts if result == tensor else 1

    def block(self, arguments):
        pointers = (ctypes.c_void_p * self.arity)(*[one.ctypes.data for one in arguments])
        out = np.zeros(LENGTH * self.result_parts, self.dtype)
        outs = (ctypes.c_void_p * 1)(out.ctypes.data)
        base = self.workspace.ctypes.data
        status = self.library.f_main(pointers, outs, ctypes.c_void_p((base + 63) & ~63), None)
        if status:
            raise RuntimeError(f"status {status}")
        return out

    def __call__(self, *arguments):
        """The results for arrays of one length, complex numbers as pairs of parts in a second dimension."""
        count = len(arguments[0])
        flat = [np.ascontiguousarray(one, self.dtype).reshape(-1) for one in arguments]
        width, results = LENGTH * self.parts, []
        for start in range(0, count * self.parts, width):
            rows = [one[start : start + width] for one in flat]
            rows = [np.concatenate([row, np.ones(width - len(row), self.dtype)]) if len(row) < width else row for row in rows]
            results.append(self.block(rows))
        out = np.concatenate(results)[: count * self.result_parts]
        return out.reshape(count, self.result_parts) if self.result_parts > 1 else out
