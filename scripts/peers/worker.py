"""The process of one system: `python -m peers.worker` reads a line of JSON for each thing to do, and answers with one."""

import ctypes
import gc
import json
import os
import resource
import signal
import sys
import time
from importlib import import_module

SYSTEMS = {
    "Strata": ("peers.strata", "Strata"),
    "XLA": ("peers.xla", "Xla"),
    "IREE": ("peers.iree", "Iree"),
    "NumPy": ("peers.with_numpy", "Numpy"),
    "ONNX Runtime": ("peers.onnx_runtime", "OnnxRuntime"),
    "OpenVINO": ("peers.open_vino", "OpenVino"),
    "peak": ("peers.peak", "Peak"),
    "cores": ("peers.cores", "Cores"),
}


class Worker:
    def __init__(self):
        self.system = self.spec = None

    def describe(self, program, folder):
        from pathlib import Path

        from peers.programs import describe

        return describe(program, Path(folder))

    def export_onnx(self, source, folder):
        from peers.zoo import export_onnx

        export_onnx(source, folder)

    def build(self, spec):
        os.sched_setaffinity(0, spec["processors"])
        module, name = SYSTEMS[spec["system"]]
        self.spec, self.system = spec, getattr(import_module(module), name)(spec)
        told = {"compile": self.system.compile_seconds, "note": self.system.note}
        if hasattr(self.system, "compile_memory"):
            told["compile_memory"] = self.system.compile_memory
        return told

    def check(self):
        """Writes what the third call gives: a system whose first calls spoil its arguments shows. How long a call
        takes, and whether all variants give the same bits."""
        call = self.system.variants[""]
        call()
        call()
        results = self.system.results()
        for index, (result, (shape, _)) in enumerate(zip(results, self.spec["outputs"], strict=True)):
            if tuple(result.shape) != tuple(shape):
                raise RuntimeError(f"result {index} has the shape {result.shape}, not {tuple(shape)}")
            with open(f"{self.spec['folder']}/{self.spec['system']}{index}.bin", "wb") as file:
                file.write(memoryview(_bytes(result)))
        told = {"seconds": {}}
        if len(self.system.variants) > 1:
            first = [_bytes(r).copy() for r in results]
            told["same_bits"] = True
            for variant in self.system.variants:
                others = map(_bytes, self.system.results(variant))
                told["same_bits"] &= all((a == b).all() for a, b in zip(first, others, strict=True))
        for variant, call in self.system.variants.items():
            seconds, _ = self.timed(call, 1)
            for _ in range(5 if seconds < 0.1 else 0):
                seconds = min(seconds, self.timed(call, max(1, int(0.005 / max(seconds, 1e-7))))[0])
            told["seconds"][variant] = seconds
        return told

    def time(self, calls, warm, variant=""):
        """Seconds of a call, and page faults in one."""
        call = self.system.variants[variant]
        for _ in range(warm):
            call()
        return self.timed(call, calls)

    @staticmethod
    def timed(call, calls):
        gc.disable()
        faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        clock, turns = time.perf_counter, range(calls)
        start = clock()
        for _ in turns:
            call()
        seconds = clock() - start
        faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
        gc.enable()
        return seconds / calls, faults / calls

    def record(self, **values):
        return self.system.record(**values)

    def wake(self, **values):
        return self.system.wake(**values)

    def peak(self):
        return self.system.gflops()

    def limits(self):
        return self.system.limits()

    def memory(self):
        """The peak of this process in bytes, without what compiled in a process of its own, and what of its memory is
        in huge pages."""
        return {"memory": _kilobytes("status", "VmHWM"), "huge_pages": _kilobytes("smaps_rollup", "AnonHugePages")}


def _kilobytes(file, entry):
    try:
        with open(f"/proc/self/{file}") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(entry))
    except (OSError, StopIteration):
        return None


def _bytes(array):
    import numpy as np

    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def main():
    # Answers go to what standard output was; what libraries print goes to standard error.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    if sys.platform == "linux":  # ends with its parent, also while it is stopped
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    worker = Worker()
    for line in sys.stdin:
        action, values = json.loads(line)
        try:
            answer = {"answer": getattr(worker, action)(**values)}
        except Exception as error:
            answer = {"fault": f"{type(error).__name__}: {error}".strip()}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
