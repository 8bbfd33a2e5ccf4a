"""PyTorch modules, through `torch.export` and torchax."""

import numpy as np

from ._errors import StrataError
from ._program import compile as _compile


class Module:
    """A compiled PyTorch module: called with the tensors that the module takes, it returns what the module returns.

    `program` is the `strata.Program`; its first inputs are the parameters and buffers that the program reads, which are kept here.
    With `prepare=True` they are laid out once: a change in place counts from the next `prepare()` on.
    """

    def __init__(self, program, weights, kept, takes, results, returns):
        self.program = program
        self._weights = weights
        self._kept = kept
        self._takes = takes
        self._results = results
        self._returns = returns
        self._prepared = None

    def prepare(self):
        """Lays out the parameters that the module has now, for the calls that follow.

        Raises:
            TypeError: the module is not compiled with `prepare=True`, or its program reads no parameter.
        """
        self._prepared = self.program.prepare(*[self._weights[at] for at in self._kept if at < len(self._weights)])

    def __call__(self, *args):
        import torch
        from torch.utils import _pytree as pytree

        flat, found = pytree.tree_flatten((args, {}))
        if found != self._takes:
            raise TypeError(f"the module takes arguments like {self._takes}, but those given are {found}")
        if self._prepared is None:
            given = [*self._weights, *flat]
            computed = self.program(*[given[at] for at in self._kept])
        else:
            computed = self._prepared(*[flat[at - len(self._weights)] for at in self._kept if at >= len(self._weights)])
        computed = iter(computed if isinstance(computed, tuple) else (computed,))
        results = [_tensor(torch, next(computed)) if isinstance(one, _Computed) else one for one in self._results]
        return pytree.tree_unflatten(results, self._returns)

    def __repr__(self):
        return f"<strata.torch.Module {self.program!r}>"


def compile(module, example, **options):
    """Compiles a PyTorch module.

    Args:
        module: a `torch.nn.Module`, in the mode (`eval` or `train`) that it is to run in, or a `torch.export.ExportedProgram`.
        example: a tensor or a tuple of arguments, with the shapes and types of those of later calls: tensors, also in lists and dictionaries.
        options: the arguments of `strata.compile`; `prepare=True` stands for all parameters, which are laid out now instead of in each call.

    Returns:
        A `Module`. The parameters are those that the module has now: they are read where they are, so that changes in place count,
        with `prepare=True` after `Module.prepare()`.

    Raises:
        StrataError: the module cannot be exported or compiled; PyTorch or torchax (`pip install torchax`) cannot be imported.
    """
    try:
        import jax
        import torch
        import torchax
        from torchax.export import exported_program_to_jax, extract_avals
    except ImportError as error:
        raise StrataError(f"PyTorch modules need torch and torchax, which cannot be imported: {error}") from error
    prepare = options.pop("prepare", None)
    if prepare not in (None, False, True):
        raise TypeError("`prepare=True` prepares the parameters of a module, all of them")
    example = example if isinstance(example, tuple) else (example,)
    exported = module if isinstance(module, torch.export.ExportedProgram) else torch.export.export(module, example)
    # Indices, and what is computed with them, are of 64 bits in PyTorch; without this JAX makes them narrower. JAX 0.7 has it elsewhere.
    with (jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64)(True):
        # Registers the operations that torchax knows.
        torchax.default_env()
        # Without a copy, which torchax makes of the parameters otherwise.
        _, states, function = exported_program_to_jax(exported, export_raw=True)
        weights = [_array(torch, one.detach()) for one in states]
        avals = [jax.ShapeDtypeStruct(one.shape, one.dtype) for one in weights]
        results = _results(torch, exported)

        def typed(weights, arguments):
            found = zip(function(weights, arguments), results, strict=True)
            return [one.astype(type_) for one, type_ in found if isinstance(type_, _Computed)]

        lowered = jax.export.export(jax.jit(typed))(avals, (extract_avals(exported),))
    options.setdefault("name", "model")
    kept = tuple(lowered.module_kept_var_idx)
    # A module without parameters has nothing to prepare.
    prepare = bool(prepare) and any(at < len(weights) for at in kept)
    if prepare:
        options["prepare"] = "weights*"
    program = _compile(lowered.mlir_module_serialized, **options)
    spec = exported.call_spec
    compiled = Module(program, weights, kept, spec.in_spec, results, spec.out_spec)
    if prepare:
        compiled.prepare()
    return compiled


def _results(torch, exported):
    """What the module returns, flat: the type of each tensor (torchax has places, of `topk` say, in 32 bits), and the others as they are."""
    results = exported.graph.output_node().args[0]
    results = results[len(results) - len(exported.graph_signature.user_outputs) :]
    return [_Computed(str(one.meta["val"].dtype).removeprefix("torch.")) if isinstance(one, torch.fx.Node) else one for one in results]


class _Computed(str):
    """The type of a tensor that the program computes."""


def _array(torch, tensor):
    """A tensor of the CPU as an array of NumPy, where it is."""
    if tensor.dtype != torch.bfloat16:
        return tensor.numpy()
    import ml_dtypes

    return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)


def _tensor(torch, array):
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)
