"""PyTorch modules, through `torch.export` and torchax."""

import numpy as np

from ._errors import StrataError
from ._program import compile as _compile


class Module:
    """A compiled PyTorch module: called with the tensors that the module takes, it returns its outputs as tensors.

    `program` is the `strata.Program`; its first inputs are the parameters and buffers that the program reads, which are kept here.
    """

    def __init__(self, program, weights, kept, count):
        self.program = program
        self._weights = weights
        self._kept = kept
        self._count = count

    def __call__(self, *args):
        import torch

        if len(args) != self._count:
            raise TypeError(f"the module takes {self._count} tensors, but {len(args)} are given")
        given = [*self._weights, *args]
        results = self.program(*[given[at] for at in self._kept])
        if isinstance(results, tuple):
            return tuple(_tensor(torch, one) for one in results)
        return _tensor(torch, results)

    def __repr__(self):
        return f"<strata.torch.Module {self.program!r}>"


def compile(module, example, **options):
    """Compiles a PyTorch module.

    Args:
        module: a `torch.nn.Module`, in the mode (`eval` or `train`) that it is to run in, or a `torch.export.ExportedProgram`.
        example: a tensor or a tuple of tensors, with the shapes and types of the arguments.
        options: the arguments of `strata.compile`.

    Returns:
        A `Module`. The parameters are those that the module has now: they are read where they are, so that changes in place count.

    Raises:
        StrataError: the module cannot be exported or compiled; PyTorch or torchax (`pip install torchax`) cannot be imported.
    """
    try:
        import torch
        from torchax.export import exported_program_to_stablehlo
    except ImportError as error:
        raise StrataError(f"PyTorch modules need torch and torchax, which cannot be imported: {error}") from error
    example = example if isinstance(example, tuple) else (example,)
    exported = module if isinstance(module, torch.export.ExportedProgram) else torch.export.export(module, example)
    weights, lowered = exported_program_to_stablehlo(exported)
    options.setdefault("name", "model")
    program = _compile(lowered.mlir_module_serialized, **options)
    weights = [np.asarray(one) for one in weights]
    return Module(program, weights, tuple(lowered.module_kept_var_idx), len(example))


def _tensor(torch, array):
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)
