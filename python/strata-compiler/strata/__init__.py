"""Strata: StableHLO programs, JAX functions and PyTorch modules compiled ahead of time to native code.

    import jax.numpy as jnp, numpy as np, strata

    program = strata.compile(lambda x: jnp.tanh(x) + 1, np.zeros(8, np.float32))
    program(np.arange(8, dtype=np.float32))      # runs in this process
    program.save_object("f.o", header="f.h")     # for C, C++ and Rust

`compile` makes a `Program`, `jit` wraps a function and compiles it for each shape, `load` loads what `Program.save` or
`strata compile --emit shared` wrote. Errors are `StrataError`.
"""

import os as _os
from importlib import import_module as _import

# The command `strata` is this package, too, and starts before NumPy could be imported.
_HOME = {
    "Cost": "_program",
    "InputError": "_errors",
    "Jit": "_jit",
    "Page": "_views",
    "Prepared": "_prepared",
    "Profile": "_views",
    "Program": "_program",
    "Programs": "_program",
    "Stages": "_program",
    "StrataError": "_errors",
    "StrataWarning": "_errors",
    "Tensor": "_program",
    "compile": "_program",
    "jit": "_jit",
    "load": "_program",
    "read_safetensors": "_safetensors",
}

__all__ = [*_HOME, "__version__", "torch"]


def __getattr__(name):
    if name == "__version__":
        from . import _native

        return _native.version().split()[0]
    if name == "torch":
        return _import("strata.torch")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(_import(f"strata.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__():
    return sorted({*globals(), *__all__})


def _after_fork():
    from . import _native

    _native.after_fork()


if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_after_fork)
