"""JAX functions as StableHLO, and their arguments as flat lists."""

import base64
import sys

from ._errors import StrataError, input_error


def is_exported(value):
    """Whether it is what `jax.export.export` returns."""
    export = sys.modules.get("jax.export") or sys.modules.get("jax._src.export._export")
    return export is not None and isinstance(value, export.Exported)


def jax():
    """The package JAX."""
    try:
        import jax
        import jax.export
    except ImportError as error:
        raise StrataError(f"a function is compiled by JAX's help, which cannot be imported: {error}") from error
    return jax


def export(function, args, kwargs):
    """The function for arguments of these shapes and types, with symbolic sizes where they are `jax.ShapeDtypeStruct`s of such."""
    module = jax()
    jitted = function if hasattr(function, "lower") and hasattr(function, "trace") else module.jit(hashable(function))
    try:
        return module.export.export(jitted, platforms=("cpu",))(*args, **kwargs)
    except NotImplementedError as error:
        hint = "callbacks into Python and other effects run under JAX itself: see docs/guide/pjrt.md"
        raise StrataError(f"JAX cannot export the function: {error}\n  = hint: {hint}") from error


def hashable(function):
    """The function; within another one, if it is an object that has no hash, such as a module with arrays in it."""
    try:
        hash(function)
    except TypeError:
        return lambda *args, **kwargs: function(*args, **kwargs)
    return function


def _leaves(args, kwargs, expected, words, hint):
    """The arrays of arguments that are nested as expected."""
    leaves, tree = jax().tree_util.tree_flatten((args, kwargs))
    if tree != expected:
        raise input_error("S1801", "wrong number of inputs", f"the arguments are {tree}, but {words} {expected}", hint)
    return leaves


class Structure:
    """How nested arguments become the program's inputs, and its outputs nested results."""

    __slots__ = ("inputs", "is_flat", "is_single", "kept", "outputs")

    def __init__(self, inputs, outputs, kept):
        tree = jax().tree_util
        self.inputs, self.outputs, self.kept = inputs, outputs, kept
        leaf = tree.tree_structure(0)
        count = inputs.num_leaves
        plain = tree.tree_structure((((0,) * count), {}))
        self.is_flat = inputs == plain and kept == tuple(range(count))
        self.is_single = outputs == leaf

    @classmethod
    def of(cls, exported):
        """That of an exported function."""
        return cls(exported.in_tree, exported.out_tree, tuple(exported.module_kept_var_idx))

    def flatten(self, args, kwargs):
        """The inputs of the program."""
        hint = "pass positional arguments by position, keywords by keyword, and leave out static ones, which are in the program"
        leaves = _leaves(args, kwargs, self.inputs, "the function was compiled for", hint)
        return leaves if len(self.kept) == len(leaves) else [leaves[at] for at in self.kept]

    def part(self, inputs):
        """The arguments of the function that have some of these inputs of the program: a `Part`."""
        tree = jax().tree_util
        args, kwargs = self.inputs.unflatten(range(self.inputs.num_leaves))
        wanted = {self.kept[at]: at for at in inputs}

        def has_some(argument):
            return not wanted.keys().isdisjoint(tree.tree_leaves(argument))

        chosen = tuple(filter(has_some, args)), {name: value for name, value in kwargs.items() if has_some(value)}
        leaves, nested = tree.tree_flatten(chosen)
        places = {wanted[leaf]: place for place, leaf in enumerate(leaves) if leaf in wanted}
        return Part(nested, [places[at] for at in inputs])

    def has_keyword(self, name):
        """Whether the function was compiled with a keyword argument of that name."""
        node = self.inputs.children()[1].node_data()
        return node is not None and name in node[1]

    def flatten_results(self, results):
        """The outputs of the program that are nested as the function's result is."""
        leaves, tree = jax().tree_util.tree_flatten(results)
        if tree != self.outputs:
            raise TypeError(f"out is {tree}, but the function returns {self.outputs}")
        return leaves

    def unflatten(self, results):
        """The function's result."""
        return results[0] if self.is_single else self.outputs.unflatten(results)

    def save(self):
        """As JSON; None for containers that JAX cannot serialise, such as classes of the user."""
        try:
            trees = [base64.b64encode(tree.serialize_using_proto()).decode() for tree in (self.inputs, self.outputs)]
        except (ValueError, TypeError, AttributeError):
            return None
        return {"inputs": trees[0], "outputs": trees[1], "kept": list(self.kept)}

    @classmethod
    def load(cls, saved):
        """What `save` gave."""
        util = jax().tree_util
        trees = [
            util.PyTreeDef.deserialize_using_proto(util.default_registry, base64.b64decode(saved[key]))
            for key in ("inputs", "outputs")
        ]
        return cls(*trees, tuple(saved["kept"]))


class Part:
    """Some arguments of a function, and the inputs of the program that are in them."""

    __slots__ = ("places", "tree")

    def __init__(self, tree, places):
        self.tree, self.places = tree, places

    def flatten(self, args, kwargs):
        """These inputs."""
        hint = "`prepare` takes the arguments with arrays that are prepared, calls those with others; both as they were compiled"
        leaves = _leaves(args, kwargs, self.tree, "those here are", hint)
        return [leaves[at] for at in self.places]
