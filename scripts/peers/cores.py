"""What the tasks of a program take on some numbers of threads, one after the other (benches/native/cores.c), and a call of it on one thread and in
a pool of two."""

import ctypes
import json
import os
from pathlib import Path

import numpy as np

from peers.peak import Peak
from peers.schedules import WORKERS
from peers.strata import Strata

WAKES = 201
# Threads of a pool that shows what waking one more takes: all but the caller share a processor, and more of them would
# be in each other's way.
SEVERAL = 8
# Seconds of a sample, so that the clock does not count, and of the calls before it, which bring data to where it is
# used.
SAMPLE, WARM = 200e-6, 0.01


class Cores(Strata):
    def __init__(self, spec):
        remarks = Path(spec["folder"]) / "remarks.json"
        super().__init__(spec | {"threads": 1, "flags": [f"--remarks={remarks}"]})
        self.spec, self.library = spec, ctypes.CDLL(spec["cores"])
        pointer, size, library = ctypes.c_void_p, ctypes.c_size_t, self.library
        for name, result, taken in (
            ("cores_recorder", pointer, [size]),
            ("cores_pool", pointer, [size]),
            ("cores_call", ctypes.c_double, [pointer] * 5 + [size]),
            ("cores_dispatches", size, []),
            ("cores_tasks", size, []),
            ("cores_read", None, [pointer] * 3),
            ("cores_wake", None, [pointer, size] + [pointer] * 3),
        ):
            function = getattr(library, name)
            function.restype, function.argtypes = result, taken
        self.entry = ctypes.cast(self.function, pointer)
        self.parts = json.loads(remarks.read_text())["parts"]

    def call(self, executor, calls=1):
        seconds = self.library.cores_call(self.entry, *self.fixed, executor, calls)
        if seconds < 0:
            raise RuntimeError("the object returned an error")
        return seconds

    def record(self, seconds, rounds, priority, bandwidth):
        """Medians of what tasks take, and the shortest calls on one thread and on two, each on a processor of its own:
        what else runs on the machine interrupts more of a call than of a task."""
        if priority:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
        first, *others = self.spec["processors"]
        pool = self.pool(2, others or [first], first)
        recorder = self.library.cores_recorder(WORKERS[-1])
        for executor in (None, pool, recorder, None):
            took = self.call(executor)
        calls, warm = (max(1, -int(-least // took)) for least in (SAMPLE, WARM))
        rounds = min(max(rounds, int(seconds / ((2 * calls + 2 * warm + 2) * took))), 51)
        one, two = [], []
        for _ in range(rounds):
            for executor, times in ((None, one), (pool, two)):
                self.call(executor, warm)
                times.append(self.call(executor, calls))
        # With few threads several tasks may be one.
        on = {str(threads): self.tasks(threads, rounds) for threads in WORKERS[1:]}
        return {
            "one": min(one),
            "two": min(two),
            "moving": min(Peak(self.spec).moving(copies) for copies in (0, 1)) if bandwidth else 0.0,
            "loops": [loop for part in self.parts for loop in _loops(part)],
            "on": on,
            **on[str(WORKERS[-1])],
        }

    def tasks(self, threads, rounds):
        recorder = self.library.cores_recorder(threads)
        self.library.cores_forget()
        for _ in range(rounds):
            self.call(None)
            self.call(recorder)
        return self.medians(rounds)

    def pool(self, threads, elsewhere, here):
        os.sched_setaffinity(0, elsewhere)  # threads inherit it
        pool = self.library.cores_pool(threads)
        os.sched_setaffinity(0, [here])
        if not pool:
            raise RuntimeError(f"no pool of {threads} threads")
        return pool

    def medians(self, rounds):
        counts = np.zeros(self.library.cores_dispatches(), np.uintp)
        before = np.zeros(len(counts))
        tasks = np.zeros(self.library.cores_tasks())
        self.library.cores_read(counts.ctypes.data, before.ctypes.data, tasks.ctypes.data)
        counts = counts.reshape(rounds, -1)
        if (counts != counts[0]).any():
            raise RuntimeError("calls differ in their dispatches")
        before, tasks = (np.median(a.reshape(rounds, -1), axis=0).tolist() for a in (before, tasks))
        ends = np.cumsum(counts[0])
        return {
            "before": before,
            "tasks": [tasks[end - count : end] for end, count in zip(ends.tolist(), counts[0].tolist(), strict=True)],
        }

    def wake(self, priority):
        """Seconds of the pool: from a dispatch until its caller runs a task, for each further thread that it wakes,
        until the first of them runs one, and from the end of the last task until the dispatch returns."""
        if priority:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
        first, *others = self.spec["processors"]
        if not others:
            raise RuntimeError("what the pool takes to wake a thread is measured on two processors")
        (few, start, end), (many, *_) = (self.wakes(self.pool(n, others, first)) for n in (2, SEVERAL))
        return {"signal": few, "each": max(0.0, (many - few) / (SEVERAL - 2)), "start": start, "end": end}

    def wakes(self, pool):
        times = np.zeros((3, WAKES))
        self.library.cores_wake(pool, WAKES, *(row.ctypes.data for row in times))
        return np.median(times, axis=1).tolist()


def _loops(part):
    """What is said about the loops of a program, in its order, and what each is of."""
    operations, nests = part["operations"], {n["nest"]: n for n in part["nests"]}

    def name(index):
        known = operations[index]
        place = known["location"] or {}
        at = f" at {Path(place['file']).name}:{place['line']}" if place.get("line") else ""
        return known["operation"].removeprefix("stablehlo.") + at

    told = []
    for loop in part["threads"]:
        of = loop["of"]
        known = [*(i for n in of["nests"] for i in nests.get(n, {}).get("operations", ())), *of["operations"]]
        words = [*of["nests"][:1], *(f"({name(i)})" for i in known[:1])]
        kept = {key: loop[key] for key in ("tasks", "runs", "estimated_ns", "because")}
        told.append({"name": " ".join(words), **kept})
    return told
