"""Functions that are compiled when they are called."""

import functools
import threading

from . import _jax
from ._program import compile


class Jit:
    """A function that is compiled for each shape and type of its arguments, when it is first called with them.

    Arguments and results are those of the function, with NumPy arrays in the results. `programs` are the programs compiled so far.
    """

    def __init__(self, function, static_argnums=(), static_argnames=(), **options):
        jax = _jax.jax()
        self._numbers = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
        self._names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
        self._jitted = jax.jit(function, static_argnums=self._numbers, static_argnames=self._names)
        self._options = options
        self._programs = {}
        self._lock = threading.Lock()
        self._flatten = jax.tree_util.tree_flatten
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args, **kwargs):
        args, kwargs, static = self._split(args, kwargs)
        leaves, tree = self._flatten((args, kwargs))
        key = (tree, static, *[_signature(leaf) for leaf in leaves])
        program = self._programs.get(key)
        if program is None:
            program = self._compile(key, args, kwargs, static)
        return program(*args, **kwargs)

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

    def _compile(self, key, args, kwargs, static):
        with self._lock:
            if key in self._programs:
                return self._programs[key]
            full = list(args)
            for where, value in static:
                if isinstance(where, int):
                    full.insert(where, value)
            constants = {where: value for where, value in static if isinstance(where, str)}
            program = compile(self._jitted, *full, kwargs=kwargs | constants, **self._options)
            self._programs[key] = program
            return program


def jit(function=None, *, static_argnums=(), static_argnames=(), target_cpu="native", **options):
    """Wraps a JAX function: calls compile it for the shapes and types of the arguments, once for each, and run it in this process.

    Args:
        function: the function; without it, a decorator.
        static_argnums, static_argnames: arguments that are constants of the program, as of `jax.jit`.
        target_cpu: the processor; this one by default, since the code is not kept.
        options: the other arguments of `strata.compile`, such as `threads`.

    Returns:
        A `Jit`. Results are NumPy arrays.
    """
    if function is None:
        return lambda function: jit(
            function, static_argnums=static_argnums, static_argnames=static_argnames, target_cpu=target_cpu, **options
        )
    return Jit(function, static_argnums, static_argnames, target_cpu=target_cpu, **options)


def _signature(leaf):
    dtype = getattr(leaf, "dtype", None)
    if dtype is None:
        return type(leaf)
    return leaf.shape, dtype, getattr(leaf, "weak_type", False)
