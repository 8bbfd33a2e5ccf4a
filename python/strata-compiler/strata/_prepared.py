"""Inputs that are laid out once, before the calls that read them."""

import numpy as np

from ._errors import input_error

# Of a block, in bytes.
_ALIGNMENT = 64


class Prepared:
    """A program with the inputs that it takes prepared, which `Program.prepare` has laid out: called with the other arguments.

    Arguments, results and `out=` are as those of a `Program`. The arrays that were prepared are not read any more.

    Attributes:
        program: the program.
        block: the inputs as the program reads them, an array of bytes. The same inputs give the same bytes, which may be kept in a
            file and given to `Program.prepared` of the same program, compiled by the same version of Strata for the same processor.
    """

    def __init__(self, program, block):
        self.program, self.block = program, block

    def __call__(self, *args, **kwargs):
        program = self.program
        out = kwargs.pop("out", None) if kwargs and not program._takes_out else None
        return program._run([*program._inputs.others(args, kwargs), self.block], out)

    def __repr__(self):
        return f"<strata.Prepared {self.block.nbytes} bytes of {self.program!r}>"


class PreparedInputs:
    """Which inputs of a program are prepared, and the function that does it."""

    def __init__(self, maker, entry, structure):
        self.maker = maker
        self._numbers = frozenset(maker.prepares)
        # The last input of the entry is the block.
        count = len(entry.inputs) - 1 + len(self._numbers)
        self._places = [at for at in range(count) if at in self._numbers], [at for at in range(count) if at not in self._numbers]
        self._parts = None if structure is None else tuple(structure.part(places) for places in self._places)

    def merged(self, others, prepared):
        """One list for all inputs of the program, of two for the ones that are not prepared and those that are."""
        others, prepared = iter(others), iter(prepared)
        count = sum(map(len, self._places))
        return [next(prepared if at in self._numbers else others) for at in range(count)]

    def prepared(self, args, kwargs):
        """The inputs to prepare, of the arguments of `Program.prepare`."""
        return self._flat(0, args, kwargs)

    def others(self, args, kwargs):
        """The inputs of calls, of their arguments."""
        return self._flat(1, args, kwargs)

    def _flat(self, part, args, kwargs):
        if self._parts is not None:
            return self._parts[part].flatten(args, kwargs)
        if kwargs:
            raise TypeError("a StableHLO program takes its inputs by position")
        return args

    def block(self, array):
        """An array as the program takes it: its bytes, where they are if they are aligned there."""
        size = self._size()
        array = np.asarray(array)
        if array.dtype != np.uint8 or array.shape != (size,):
            reason = f"the block is {array.dtype}{list(array.shape)}, but that of the program is uint8[{size}]"
            raise input_error("S1802", "wrong shape of an input", reason, "`Program.prepare` makes it")
        if array.flags.c_contiguous and array.ctypes.data % _ALIGNMENT == 0:
            return array
        copy = empty_block(size)
        copy[:] = array
        return copy

    def _size(self):
        ((_, _, shape),) = self.maker.outputs
        return shape[0]

    def make(self, inputs):
        """The block of these inputs."""
        block = empty_block(self._size())
        self.maker(*inputs, out=(block,))
        return block


def empty_block(size):
    """An array of so many bytes, aligned as blocks are."""
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start : start + size]
