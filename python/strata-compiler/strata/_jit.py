"""Functions that are compiled when they are called."""

import functools
import inspect
import types

import numpy as np

from . import _jax
from ._program import compile


class Jit:
    """A function that is compiled for each shape and type of its arguments, when it is first called with them.

    Arguments and results are those of the function, with NumPy arrays in the results; arrays of 64-bit types are narrowed where JAX
    does that. With `out=` results are written to arrays of the caller, as those of a `Program` are; a function with a parameter `out`, or
    with any keywords, gets it itself. `programs` are the programs compiled so far.
    """

    def __init__(self, function, static_argnums=(), static_argnames=(), **options):
        if options.get("prepare"):
            raise TypeError("strata.jit compiles for the arguments of each call: inputs are prepared with `strata.compile(…, prepare=…)`")
        jax = _jax.jax()
        self._numbers = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
        self._names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
        self._jitted = jax.jit(_jax.hashable(function), static_argnums=self._numbers, static_argnames=self._names)
        self._options = options
        self._programs = {}
        self._tracer = jax.core.Tracer
        self._canonical = jax.dtypes.canonicalize_dtype
        self._config = jax.config
        self._flatten = jax.tree_util.tree_flatten
        self._takes_out = _takes(function, "out")
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args, **kwargs):
        out = kwargs.pop("out", None) if kwargs and not self._takes_out else None
        args, kwargs, static = self._split(args, kwargs)
        leaves, tree = self._flatten((args, kwargs))
        if any(isinstance(leaf, self._tracer) for leaf in leaves):
            # Inside of another transformation the function is part of that one's program.
            if out is not None:
                raise TypeError("out= names arrays, but the call is part of a function that JAX traces, whose values have no memory yet")
            return self._jitted(*self._joined(args, static), **kwargs, **_named(static))
        mode = self._mode()
        if mode[0] and any(getattr(leaf, "dtype", None) in _WIDE for leaf in leaves):
            # As JAX does where types of 64 bits are off.
            leaves = [self._narrow(leaf) for leaf in leaves]
            args, kwargs = tree.unflatten(leaves)
        key = (tree, mode, tuple((where, type(value), value) for where, value in static), *map(_signature, leaves))
        program = self._programs.get(key)
        if program is None:
            # Two threads may both compile: a lock would be held while functions are traced, which may call this one.
            program = compile(self._jitted, *self._joined(args, static), kwargs=kwargs | _named(static), **self._options)
            program = self._programs.setdefault(key, program)
        return program(*args, **kwargs) if out is None else program(*args, out=out, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self):
        return f"<strata.jit of {self.__wrapped__!r}>"

    @property
    def programs(self):
        """The programs compiled so far, in order."""
        return list(self._programs.values())

    def _split(self, args, kwargs):
        """The arguments that are arrays, and those that are constants of the program."""
        if not self._numbers and not self._names:
            return args, kwargs, ()
        numbers = {number % len(args) for number in self._numbers if -len(args) <= number < len(args)}
        static = tuple((number, args[number]) for number in sorted(numbers))
        named = tuple((name, kwargs[name]) for name in sorted(kwargs) if name in self._names)
        left = tuple(arg for number, arg in enumerate(args) if number not in numbers)
        return left, {name: value for name, value in kwargs.items() if name not in self._names}, static + named

    def _joined(self, args, static):
        """The positional arguments, with the constants at their places."""
        full = list(args)
        for where, value in static:
            if isinstance(where, int):
                full.insert(where, value)
        return full

    def _mode(self):
        """What the meaning of a function depends on besides its arguments; first, whether types of 64 bits are off."""
        config = self._config
        is_narrow = self._canonical(np.float64) != np.float64
        return is_narrow, config.jax_default_matmul_precision, config.jax_numpy_dtype_promotion

    def _narrow(self, leaf):
        dtype = getattr(leaf, "dtype", None)
        return np.asarray(leaf, self._canonical(dtype)) if dtype in _WIDE else leaf


def jit(function=None, *, static_argnums=(), static_argnames=(), target_cpu="native", **options):
    """Wraps a JAX function: calls compile it for the shapes and types of the arguments, once for each, and run it in this process.

    Args:
        function: the function; without it, a decorator.
        static_argnums, static_argnames: arguments that are constants of the program, as of `jax.jit`.
        target_cpu: the processor; this one by default, since the code is not kept.
        options: the other arguments of `strata.compile`, such as `threads`.

    Returns:
        A `Jit`. Results are NumPy arrays. Where it is called by a function that JAX traces, it is a part of that function.
    """
    if function is None:
        return lambda function: jit(
            function, static_argnums=static_argnums, static_argnames=static_argnames, target_cpu=target_cpu, **options
        )
    return Jit(function, static_argnums, static_argnames, target_cpu=target_cpu, **options)


# Types that JAX narrows by default.
_WIDE = frozenset(np.dtype(one) for one in ("float64", "int64", "uint64", "complex128"))


def _takes(function, name):
    """Whether a function may be called with a keyword of that name."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(one.kind is one.VAR_KEYWORD or one.kind is not one.POSITIONAL_ONLY and one.name == name for one in parameters)


def _named(static):
    return {where: value for where, value in static if isinstance(where, str)}


def _signature(leaf):
    dtype = getattr(leaf, "dtype", None)
    if dtype is None:
        return type(leaf)
    return leaf.shape, dtype, getattr(leaf, "weak_type", False)
