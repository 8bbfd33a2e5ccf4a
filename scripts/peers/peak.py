"""The machine's limits: the f32 FMA peak of one core (benches/native/peak.c), which percentages refer to, and for
`--explain` what moving a program's operands takes, and an empty call (benches/native/memory.c)."""

import ctypes
import platform
import subprocess
import threading
import time
from pathlib import Path

from peers.buffers import LINE, Buffers
from peers.programs import ROOT

SECONDS, SLICES = 0.002, 5
CALLS = 1000


def make(folder):
    library = Path(folder) / "peak.so"
    # The first chooses its instructions when it runs.
    sources = [ROOT / "benches/native" / name for name in ("peak.c", "memory.c")]
    wide = ["-march=native", "-mprefer-vector-width=512"] if platform.machine() == "x86_64" else []
    command = ["cc", "-O2", *wide, "-shared", "-fPIC", "-o", library, *sources]
    subprocess.run(command, check=True)
    return library


class Peak:
    def __init__(self, spec):
        self.library = library = ctypes.CDLL(spec["peak"])
        library.strata_peak_isa.restype = ctypes.c_char_p
        library.strata_peak_f32.restype = ctypes.c_double
        library.strata_peak_f32.argtypes = [ctypes.c_double]
        library.strata_move.restype = ctypes.c_double
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        library.strata_move.argtypes = [pointer, size, pointer, size, ctypes.c_int, ctypes.c_double]
        library.strata_nothing.argtypes = [pointer] * 4
        self.compile_seconds, self.note = 0.0, library.strata_peak_isa().decode()
        self.gflops = lambda: max(library.strata_peak_f32(SECONDS) for _ in range(SLICES))
        self.threads, self.least = spec["threads"], spec["least"]
        self.ranges = None

    def limits(self):
        """Seconds of moving the operands once, and of an empty call."""
        return {"memory": min(self.moving(copies) for copies in (0, 1)), "call": self.call()}

    def moving(self, copies):
        """Each thread moves its part; the last one to be ready counts."""
        read, written = (-(-self.least[side] // self.threads) for side in ("read", "written"))
        if self.ranges is None:
            buffers = Buffers()
            sizes = [-(-size // LINE) * LINE for size in (read, written)]
            self.ranges = [[buffers.new((size,), "u1") for size in sizes] for _ in range(self.threads)]
        together, took = threading.Barrier(self.threads), [0.0] * self.threads

        def part(index):
            source, target = (array.ctypes.data for array in self.ranges[index])
            together.wait()
            took[index] = self.library.strata_move(source, read, target, written, copies, SECONDS)

        others = [threading.Thread(target=part, args=(i,)) for i in range(1, self.threads)]
        for other in others:
            other.start()
        part(0)
        for other in others:
            other.join()
        return max(took)

    def call(self):
        best, nothing = float("inf"), self.library.strata_nothing
        for _ in range(SLICES):
            turns = range(CALLS)
            start = time.perf_counter()
            for _ in turns:
                nothing(None, None, None, None)
            best = min(best, (time.perf_counter() - start) / CALLS)
        return best
