"""Arrays that stay where they are, in huge pages where they are large enough."""

import mmap

import numpy as np

HUGE = 2 << 20
LINE = 64


def _mapped(size):
    """Fresh pages, from a multiple of 2 MiB on."""
    pages = mmap.mmap(-1, size + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        try:
            pages.madvise(mmap.MADV_HUGEPAGE)
        except OSError:
            pass  # a kernel without them: small pages for all
    raw = np.frombuffer(pages, np.uint8)
    start = -raw.ctypes.data % HUGE
    return raw[start : start + size]


class Buffers:
    """Arrays of 2 MiB and more begin a huge page each, as docs/abi.md advises; smaller ones share pages, each from a
    cache line of its own on."""

    def __init__(self):
        self.rest = np.empty(0, np.uint8)

    def new(self, shape, dtype):
        """An array of zeros, all of its pages touched."""
        dtype = np.dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        if size >= HUGE:
            memory = _mapped(size)
        else:
            taken = -(-max(size, 1) // LINE) * LINE
            if len(self.rest) < taken:
                self.rest = _mapped(2 * HUGE)
            memory, self.rest = self.rest[:size], self.rest[taken:]
        array = memory.view(dtype).reshape(shape)
        array.fill(0)
        return array

    def copy(self, array):
        made = self.new(array.shape, array.dtype)
        made[...] = array
        return made
