"""The f32 FMA peak of one core (benches/native/peak.c), which percentages refer to."""

import ctypes
import subprocess
from pathlib import Path

from peers.programs import ROOT

SECONDS, SLICES = 0.002, 5


def make(folder):
    library = Path(folder) / "peak.so"
    source = ROOT / "benches/native/peak.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


class Peak:
    def __init__(self, spec):
        library = ctypes.CDLL(spec["peak"])
        library.strata_peak_isa.restype = ctypes.c_char_p
        library.strata_peak_f32.restype = ctypes.c_double
        library.strata_peak_f32.argtypes = [ctypes.c_double]
        self.compile_seconds, self.note = 0.0, library.strata_peak_isa().decode()
        self.gflops = lambda: max(library.strata_peak_f32(SECONDS) for _ in range(SLICES))
