"""The parent's side: a process for each system, results compared, then interleaved rounds."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from peers import limits, peak, strata, summary, with_numpy
from peers.programs import dtype_of

SCRIPTS = Path(__file__).resolve().parent.parent
WARM_ROUNDS = 2


def environment(threads):
    """Of all workers: as many threads for each library, and memory that is kept and in huge pages.

    Without the last, glibc gives large arrays back to the system when they are freed; XLA and IREE, which allocate
    their results in every call, would then spend much of the call on page faults.
    """
    several = "true" if threads > 1 else "false"
    keep = "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=0x7fffffffffff:glibc.malloc.arena_max=1"
    return os.environ | {
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_X64": "1",
        "XLA_FLAGS": f"--xla_cpu_multi_thread_eigen={several} intra_op_parallelism_threads={threads}",
        "PJRT_NPROC": str(threads),
        "NPROC": str(threads),
        "OPENBLAS_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "GLIBC_TUNABLES": f"glibc.malloc.hugetlb=1:{keep}",
        "PYTHONPATH": str(SCRIPTS),
    }


def taken(threads):
    """The processors that systems run on."""
    return sorted(os.sched_getaffinity(0))[-threads:]


class Fault(Exception):
    """Why a system has no time."""


class TimedOut(Fault):
    pass


class Process:
    """A worker. It is stopped between its rounds, with the threads of its pools, which may spin for a while."""

    def __init__(self, threads, folder):
        self.errors = tempfile.TemporaryFile(dir=folder)
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "peers.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=environment(threads),
            cwd=SCRIPTS,
            bufsize=0,
        )
        self.buffer = b""

    def ask(self, action, timeout, **values):
        try:
            self.process.send_signal(signal.SIGCONT)
            self.process.stdin.write((json.dumps([action, values]) + "\n").encode())
            line = self.line(timeout)
            self.process.send_signal(signal.SIGSTOP)
        except (OSError, EOFError):
            raise Fault(self.ended(action)) from None
        answer = json.loads(line)
        if "fault" in answer:
            raise Fault(answer["fault"])
        return answer["answer"]

    def line(self, timeout):
        deadline = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise TimedOut(f"no answer after {timeout:g} s")
            if not (read := os.read(self.process.stdout.fileno(), 1 << 16)):
                raise EOFError
            self.buffer += read
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def ended(self, action):
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            return f"{action}: the process closed its output"
        self.errors.seek(0)
        told = self.errors.read()[-400:].decode(errors="replace").strip().splitlines()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"{action}: the process ended with {how}" + (f": {told[-1]}" if told else "")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()


def compare(folder, system, reference, outputs):
    """The largest difference from the results of `reference`, relative to the largest magnitude of each output, and
    whether it is one that no tolerance excuses: of integers, booleans, or what is not a number."""
    worst, excusable = 0.0, True
    for index, (shape, element) in enumerate(outputs):
        dtype = dtype_of(element)
        count = int(np.prod(shape, dtype=np.int64))
        paths = (folder / f"{s}{index}.bin" for s in (system, reference))
        if not all((paths := list(paths))[i].is_file() for i in (0, 1)):
            continue  # NumPy tells the first of several results only
        got, want = (np.memmap(p, np.uint8, mode="r") if count else np.empty(0, np.uint8) for p in paths)
        got, want = got.view(dtype).reshape(-1), want.view(dtype).reshape(-1)
        wide = np.complex128 if dtype.kind == "c" else np.float64
        largest = largest_difference = 0.0
        for begin in range(0, count, 1 << 20):
            g, w = got[begin : begin + (1 << 20)], want[begin : begin + (1 << 20)]
            if dtype.kind in "iub" and not np.array_equal(g, w):
                excusable = False
            g, w = g.astype(wide), w.astype(wide)
            with np.errstate(invalid="ignore"):
                apart = np.where((g == w) | (np.isnan(g) & np.isnan(w)), 0.0, np.abs(g - w))
            if np.isnan(apart).any():
                excusable, apart = False, np.nan_to_num(apart, nan=np.inf)
            largest_difference = max(largest_difference, float(apart.max(initial=0)))
            finite = np.abs(w[np.isfinite(w)])
            largest = max(largest, float(finite.max(initial=0)))
        worst = max(worst, largest_difference / max(largest, 1e-30) if largest_difference else 0.0)
    return worst, excusable


def plan(seconds, budget, sample, rounds):
    """How many calls a sample has, how many rounds there are, and in each how manyth round a system takes part.

    `seconds` are those of a call. The same number of calls for all: the fastest system's sample lasts `sample` at
    least. Systems that would use up the budget sit out rounds, and have five samples at least.

    >>> plan({"a": 1e-6, "b": 2e-6}, 1.0, 200e-6, (7, 101))
    (3300, 101, {'a': 1, 'b': 1})
    >>> plan({"a": 1e-3, "b": 0.4}, 3.0, 200e-6, (7, 101))
    (1, 101, {'a': 1, 'b': 14})
    >>> plan({"a": 2.0, "b": 4.0}, 3.0, 200e-6, (7, 101))
    (1, 7, {'a': 1, 'b': 1})
    """
    fewest, most = rounds
    calls = max(1, -int(-sample // min(seconds.values())))
    # Where most rounds do not fill the budget, samples are longer.
    calls = max(calls, int(budget / most / sum(seconds.values())))
    cost = {name: (calls + (s < 0.1)) * s for name, s in seconds.items()}
    samples, left = {}, budget
    # Time that fast systems do not use is given to the others.
    for position, name in enumerate(sorted(cost, key=cost.get)):
        samples[name] = min(most, left / (len(cost) - position) / cost[name])
        left -= min(left, samples[name] * cost[name])
    number = max(fewest, int(max(samples.values())))
    return calls, number, {name: max(1, int(number / max(n, 5))) for name, n in samples.items()}


class Harness:
    """Everything that is the same for all rows."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.systems = [s for s in summary.SYSTEMS if s not in options.without]
        self.explains = getattr(options, "explain", False)
        self.tools = {"strata": str(options.strata or ""), "pool": "", "peak": ""}
        self.faults = {}
        if not options.strata:
            self.faults["Strata"] = "there is no strata command"
        elif max(options.threads) > 1:
            try:
                self.tools["pool"] = str(strata.make_pool(options.strata, folder))
            except Exception as error:
                self.faults["Strata"] = f"the pool: {error}"
        try:
            self.tools["peak"] = str(peak.make(folder))
        except (OSError, subprocess.CalledProcessError) as error:
            self.faults["peak"] = str(error)
        self.described = self.exported = None
        # Systems that took too long for a program, even with more threads.
        self.hopeless = {}
        self.multiples = None

    def describe(self, program):
        """The signature of a program, and files with its arguments, which all rows of the program share."""
        if self.described and self.described[0] == program.digest:
            return self.described[1]
        folder = self.folder / "program"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        worker = Process(1, self.folder)
        try:
            values = {"text": program.text, "kinds": program.kinds, "source": program.source}
            told = worker.ask("describe", self.options.timeout, program=values, folder=str(folder))
        finally:
            worker.close()
        told["folder"] = str(folder)
        self.described = program.digest, told
        return told

    def export(self, program):
        """Why there is no ONNX of a program; None where there is one."""
        if self.exported is None or self.exported[0] != program.digest:
            worker, reason = Process(1, self.folder), None
            try:
                values = {"source": program.source, "folder": str(self.folder / "program")}
                worker.ask("export_onnx", self.options.timeout, **values)
            except Fault as fault:
                reason = f"jax2onnx: {fault}"
            finally:
                worker.close()
            self.exported = program.digest, reason
        return self.exported[1]

    def peaks_of_types(self):
        """Multiples of the f32 peak by element type, with what `strata bench` measures."""
        if self.multiples is None:
            told = strata.bench(self.options.strata, self.folder) if self.options.strata else None
            self.multiples = limits.multiples(told)
        return self.multiples

    def row(self, program, threads):
        """One line of the table; what went wrong is in it."""
        row = {"program": program.name, "digest": program.digest, "threads": threads, "systems": {}}
        workers = {}
        try:
            signature = self.describe(program)
            row |= {key: signature[key] for key in ("flops", "of_peak")}
            self.build(row, program, signature, threads, workers)
            self.compare(row, signature, workers)
            self.turns(row, workers, signature)
        except Exception as error:  # one row's fault must not end the run
            row["fault"] = str(error) if isinstance(error, Fault) else f"{type(error).__name__}: {error}"
        finally:
            for worker in workers.values():
                worker.close()
        return row

    def give_up(self, row, workers, name, reason):
        row["systems"].setdefault(name, {})["fault"] = str(reason)
        if name in workers:
            workers.pop(name).close()

    def build(self, row, program, signature, threads, workers):
        """Each system compiles and is called, one after the other."""
        base = {**signature, **self.tools, "program": program.name, "threads": threads, "processors": taken(threads)}
        for name in [*self.systems, *(["peak"] if signature["of_peak"] or self.explains else [])]:
            of_function = name in summary.OF_FUNCTIONS
            if name == "NumPy" and not with_numpy.has(program.name) or of_function and not program.source:
                continue
            told = row["systems"][name] = {}
            reason = self.faults.get(name) or self.hopeless.get((program.digest, name))
            if reason := reason or (self.export(program) if of_function else None):
                told["fault"] = reason
                continue
            for old in (self.folder / "program").glob(f"{name}*.bin"):
                old.unlink()
            workers[name] = Process(threads, self.folder)
            try:
                told |= workers[name].ask("build", self.options.timeout, spec=base | {"system": name})
                if name != "peak":
                    told |= workers[name].ask("check", self.options.timeout)
            except Fault as fault:
                self.give_up(row, workers, name, fault)
                if isinstance(fault, TimedOut):
                    self.hopeless[program.digest, name] = f"{fault} ({threads} threads)"

    def compare(self, row, signature, workers):
        """Only systems with the right results are timed."""
        reference = next((s for s in ("XLA", "NumPy") if s in workers), None)
        row["reference"] = reference
        if reference is None:
            return
        for name in [n for n in workers if n not in (reference, "peak")]:
            told = row["systems"][name]
            difference, excusable = compare(self.folder / "program", name, reference, signature["outputs"])
            told["difference"] = difference
            if difference > self.options.tolerance or not excusable:
                self.give_up(row, workers, name, f"results differ from those of {reference} by {difference:.2g}")
            elif not told.get("same_bits", True):
                self.give_up(row, workers, name, "results with one thread and with several differ in bits")

    def turns(self, row, workers, signature):
        """Rounds that time every system, each round starting with a different one."""
        systems = row["systems"]
        takers = {(n, v): s for n in workers if n != "peak" for v, s in systems[n]["seconds"].items()}
        if not takers:
            return
        rounds = (self.options.rounds, self.options.most_rounds)
        calls, number, every = plan(takers, self.options.seconds_per_row, self.options.sample, rounds)
        row |= {"calls": calls, "rounds": number}
        times = {taker: [] for taker in takers}
        faults = {taker: [] for taker in takers}
        peaks, others, order = [], [], list(takers)
        for turn in range(-WARM_ROUNDS, number):
            if "peak" in workers:
                try:
                    peaks.append(workers["peak"].ask("peak", self.options.timeout))
                    if self.explains:
                        others.append(workers["peak"].ask("limits", self.options.timeout))
                except Fault as fault:
                    self.give_up(row, workers, "peak", fault)
            for name, variant in order[turn % len(order) :] + order[: turn % len(order)]:
                taker = name, variant
                seconds = None
                if name in workers and (turn < 0 and every[taker] == 1 or turn >= 0 and turn % every[taker] == 0):
                    values = {"calls": calls, "warm": int(takers[taker] < 0.1), "variant": variant}
                    try:
                        seconds, count = workers[name].ask("time", self.options.timeout, **values)
                        faults[taker].append(count)
                    except Fault as fault:
                        self.give_up(row, workers, name, fault)
                times[taker].append(seconds)
        for (name, variant), measured in times.items():
            if "fault" in systems[name]:
                continue
            told = systems[name] if not variant else systems.setdefault(f"{name}, one thread", {})
            told["times"] = measured[WARM_ROUNDS:]
            told["milliseconds"] = 1e3 * summary.median(t for t in told["times"] if t is not None)
            told["page_faults"] = summary.median(faults[name, variant])
        row["peaks"] = peaks[WARM_ROUNDS:] if "peak" in workers else []
        if others and row["peaks"]:
            processors, known = taken(row["threads"]), self.peaks_of_types()
            limits.explain(row, processors, signature["least"], others[WARM_ROUNDS:], known)
        for name, worker in workers.items():
            systems[name].pop("seconds", None)
            try:
                systems[name] |= worker.ask("memory", self.options.timeout)
            except Fault as fault:
                systems[name]["fault"] = str(fault)
