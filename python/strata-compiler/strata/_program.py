"""Programs: compiled, loaded, called."""

import atexit
import dataclasses
import json
import os
import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path

from . import _jax, _native
from ._errors import StrataError, StrataWarning, input_error
from ._options import checked, settings_of
from ._prepared import Prepared, PreparedInputs
from ._views import Page, Profile

@dataclasses.dataclass(frozen=True)
class Tensor:
    """An input or output.

    Attributes:
        name: its name in the program, such as "params['w']"; "" if it has none.
        element: the type of its elements as StableHLO writes it, such as "f32" or "bf16".
        shape: its sizes, None for those that calls give.
    """

    name: str
    element: str
    shape: tuple

    @property
    def dtype(self):
        """NumPy's type of its elements."""
        from ._arrays import dtype

        return dtype(self.element)


@dataclasses.dataclass(frozen=True)
class Cost:
    """What a program costs, from its operations after simplification.

    Attributes:
        flops: additions, multiplications, comparisons and the like.
        transcendentals: functions such as the exponential.
        bytes: bytes of operands and results of all operations, were each computed by itself.
        weight_bytes: bytes of constants.
        workspace_bytes: bytes that a call needs for temporaries; None where they depend on sizes.
        open_loops: loops whose number of rounds is not known, which count as one round.
        operations: by the name of the operation, the most expensive first: how often it stands in the program, flops,
            transcendentals, bytes.
    """

    flops: int
    transcendentals: int
    bytes: int
    weight_bytes: int
    workspace_bytes: int
    open_loops: int
    operations: dict


class Stages(Mapping):
    """The text of a program after each stage of the compiler, by the stage's name: `program.stages["linalg"]`.

    A program for sizes that calls give has texts of `hlo` to `llvm` if they have a bound (`max`), which these then are for.

    `spmd` is `hlo` again where values are not split over devices.

    A text is made when it is asked for, by compiling up to that stage. `strata compile --from STAGE` reads it back.
    """

    def __init__(self, executable):
        self._executable = executable
        self._texts = {}

    def __getitem__(self, name):
        if name not in self._texts:
            self._texts[name] = self._executable.stage(name)
        return self._texts[name]

    def __contains__(self, name):
        return name in _native.Executable.stages()

    def __iter__(self):
        return iter(_native.Executable.stages())

    def __len__(self):
        return len(_native.Executable.stages())

    def __repr__(self):
        return f"<stages {', '.join(self)}>"


class Program:
    """A compiled program.

    Calling it runs it in this process, on `threads` threads; other Python threads run meanwhile, and may call it at the same time.

    - Of a StableHLO program the arguments are its inputs in order. The result is an array, or a tuple of arrays if there are
      several.
    - Of a JAX function they are those of the function, nested as those that it was compiled for; so is the result, with NumPy arrays.

    Arguments are arrays of NumPy (with the types of ml_dtypes), JAX or PyTorch, or anything with `__array__`, `__dlpack__` or the
    buffer protocol, of the exact type and shape; and Python numbers for scalars. They are read where they are, and never
    written; only arrays that are not dense in row-major order, or not aligned, are copied. Results are new NumPy arrays.

    With `out=` results are written to arrays of the caller, nested as the results are, and these are returned. They have the exact
    types and shapes, are dense and aligned, and overlap neither arguments nor each other; one may be a donated argument that the
    result may share memory with. A function with a parameter of its own that is called `out` has no such arrays.

    Calls raise `InputError` for arguments that do not fit: S1801 (number, structure), S1802 (shape), S1803 (type).
    """

    def __init__(self, executable, structure=None, inputs=None):
        self._executable = executable
        # Those that are prepared; None if there are none.
        self._inputs = inputs
        self._structure = structure
        self._is_plain = structure is None or structure.is_flat
        self._is_single = structure.is_single if structure else len(executable.outputs) == 1
        self._takes_out = structure is not None and structure.has_keyword("out")
        self._nests = structure is not None and not structure.is_single
        self._stages = None

    def __call__(self, *args, **kwargs):
        out = kwargs.pop("out", None) if kwargs and not self._takes_out else None
        return self._run(self._flat(args, kwargs), out)

    def _flat(self, args, kwargs):
        """The inputs of the program."""
        if self._inputs is not None:
            hint = "`ready = program.prepare(…)` prepares them once, and `ready(…)` takes the other arguments"
            raise input_error("S1801", "wrong number of inputs", "some inputs of the program are prepared", hint)
        if self._is_plain and not kwargs:
            return args
        if self._structure is None:
            raise TypeError("a StableHLO program takes its inputs by position")
        return self._structure.flatten(args, kwargs)

    def _run(self, inputs, out):
        if out is not None:
            self._executable(*inputs, out=self._results(out))
            return out
        results = self._executable(*inputs)
        if self._is_single:
            return results[0]
        return self._structure.unflatten(results) if self._nests else results

    def prepare(self, *args, **kwargs):
        """Lays out the inputs that the program takes prepared (`prepare=`): a `Prepared`, which is called with the other arguments.

        Args:
            args, kwargs: of a StableHLO program the prepared inputs, in order. Of a JAX function its arguments that have arrays to prepare,
                in order, those by keyword by keyword. An argument that has others, too, is given here and to the calls, as a whole.

        Raises:
            TypeError: no input is prepared.
            InputError: as calls do.
        """
        inputs = self._prepared_inputs()
        return Prepared(self, inputs.make(inputs.prepared(args, kwargs)))

    def prepared(self, block):
        """A `Prepared` of the `block` of an earlier one, as bytes in an array: a file of it may be mapped.

        Calls raise S1805 for the block of another program, of another version of Strata or for another processor.

        Raises:
            TypeError: no input is prepared.
            InputError: an array of another size or type.
        """
        return Prepared(self, self._prepared_inputs().block(block))

    def _prepared_inputs(self):
        if self._inputs is None:
            raise TypeError("the program takes no input prepared: compile it with `prepare=`, which names them")
        return self._inputs

    def _refuse_prepared(self, what):
        if self._inputs is not None:
            raise StrataError(f"{what} is about a program whose inputs are not prepared: compile it without `prepare=`")

    def _results(self, out):
        """The arrays that a caller gives for results, in order."""
        if self._is_single:
            return (out,)
        if self._structure is not None:
            return tuple(self._structure.flatten_results(out))
        if not isinstance(out, (tuple, list)):
            raise TypeError(f"out is a {type(out).__name__}, but has to be a tuple of arrays, one for each result")
        return tuple(out)

    def __repr__(self):
        def types(tensors):
            return ", ".join(f"{one.element}[{','.join('?' if size is None else str(size) for size in one.shape)}]" for one in tensors)

        return f"<strata.Program {self._executable.symbol}({types(self.inputs)}) -> ({types(self.outputs)})>"

    @property
    def inputs(self):
        """The inputs of the compiled program, in order: a list of `Tensor`. Arguments of a JAX function that it does not use are
        not among them, those that are prepared are."""
        inputs = self._executable.inputs
        if self._inputs is not None:
            inputs = self._inputs.merged(inputs[:-1], self._inputs.maker.inputs)
        return [Tensor(*one) for one in inputs]

    @property
    def outputs(self):
        """The outputs, in order: a list of `Tensor`."""
        return [Tensor(*one) for one in self._executable.outputs]

    @property
    def symbol(self):
        """What the names of the object's functions start with: `model_main`."""
        return self._executable.symbol

    @property
    def threads(self):
        """Threads that calls run on, the calling one included; 0 is one for each processor. Results do not depend on it."""
        return self._executable.threads

    @threads.setter
    def threads(self, count):
        self._executable.threads = checked("threads", count)
        if self._inputs is not None:
            self._inputs.maker.threads = self._executable.threads

    @property
    def object(self):
        """The object file, as bytes."""
        return self._executable.object

    @property
    def header(self):
        """The C header of the object."""
        return self._executable.header("c")

    @property
    def cxx(self):
        """The C++ header of the object, with a class."""
        return self._executable.header("c++")

    @property
    def rust(self):
        """The Rust module that calls the object."""
        return self._executable.header("rust")

    @property
    def stages(self):
        """The program after each stage, by the stage's name: a mapping of texts."""
        if self._stages is None:
            self._executable.object  # A loaded program has none.
            self._stages = Stages(self._executable)
        return self._stages

    @property
    def remarks(self):
        """What became of each operation: how nests were scheduled, what is copied, which loops run on threads."""
        return self._executable.remarks()

    def explore(self, sources=()):
        """A page that shows what the compiler made of the program, as `strata explore` writes it: a `Page`, which notebooks show.

        Args:
            sources: folders with source files that the page may show, such as that of the JAX function; the page holds those files
                whole that the program's locations name.

        Raises:
            StrataError: the sizes are known at calls only; inputs are prepared; S0002 for a folder that is not there.
        """
        self._refuse_prepared("a page")
        if any(None in one.shape for one in self.inputs):
            raise StrataError("a page is about one set of sizes: compile with `bind=` for some of them")
        if isinstance(sources, (str, bytes, os.PathLike)):
            sources = (sources,)
        return Page(self._executable.explore([os.fsdecode(one) for one in sources]))

    def profile(self, *args, seconds=2.0, frequency=997, method=None, limits=True, **kwargs):
        """Calls the program with these arguments again and again, and says where the time goes, as `strata profile` does: a `Profile`.

        Args:
            seconds: for how long samples are taken.
            frequency: samples of each thread in a second.
            method: "perf" or "signals"; by default events of the system where it allows them, else signals.
            limits: whether the machine's limits are measured before.

        Raises:
            StrataError: S1808 for too few samples; the sizes are known at calls only; inputs are prepared.
        """
        self._refuse_prepared("a profile")
        if any(None in one.shape for one in self.inputs):
            raise StrataError("a profile is about one set of sizes: compile with `bind=` for some of them")
        inputs = self._flat(args, kwargs)
        return Profile(*self._executable.profile(tuple(inputs), float(seconds), frequency, method, limits))

    @property
    def cost(self):
        """What the program costs: a `Cost`.

        Raises:
            StrataError: the sizes are known at calls only.
        """
        if any(None in one.shape for one in self.inputs):
            raise StrataError("the cost depends on sizes that calls give: compile with `bind=` for some of them")
        return Cost(**self._executable.cost())

    def save_object(self, path, header=None, *, cxx=None, rust=None):
        """Writes the object file, and beside it wrappers for C, C++ and Rust where their paths are given.

        Nothing needs to be installed where the object is used; docs/abi.md has its interface.

        Raises:
            OSError: a file cannot be written.
        """
        contents = [(path, self.object)]
        texts = [(header, self.header), (cxx, self.cxx), (rust, self.rust)]
        contents += [(where, text.encode()) for where, text in texts if where is not None]
        for where, content in contents:
            _write(Path(where), content)

    def save(self, path):
        """Writes a shared library, which `strata.load` loads and any C program can.

        The library is linked by the system's `cc`.

        Raises:
            StrataError: S1702 without a C compiler; S1703 for a program that calls functions outside of it; S0003 if the file cannot
                be written.
        """
        structure = self._structure.save() if self._structure else None
        text = {"structure": structure, "is_function": self._structure is not None}
        self._executable.save(os.fsdecode(path), json.dumps(text))


class Programs(Mapping):
    """The entries of one object, by their names: `lm["decode"](…)`. They share its code and constants."""

    def __init__(self, programs):
        self._programs = programs
        self._first = next(iter(programs.values()))

    def __getitem__(self, entry):
        return self._programs[entry]

    def __iter__(self):
        return iter(self._programs)

    def __len__(self):
        return len(self._programs)

    def __repr__(self):
        return f"<strata.Programs {', '.join(self)}>"

    @property
    def object(self):
        """The object file, as bytes."""
        return self._first.object

    @property
    def header(self):
        """The C header of the object."""
        return self._first.header

    @property
    def cxx(self):
        """The C++ header of the object, with a class for each entry."""
        return self._first.cxx

    @property
    def rust(self):
        """The Rust module that calls the object, with a module for each entry."""
        return self._first.rust

    def save_object(self, path, header=None, *, cxx=None, rust=None):
        """Writes the object file, and wrappers, as `Program.save_object`."""
        self._first.save_object(path, header, cxx=cxx, rust=rust)

    def save(self, path):
        """Writes a shared library with all entries, as `Program.save`."""
        self._first.save(path)


def compile(program, *args, **options):
    """Compiles a program to native code.

    Args:
        program: a JAX function (jitted or not), a `jax.export.Exported`, or a StableHLO program: text, the bytes of bytecode or of a
            portable artifact, a path to a file of either, or a module of MLIR's Python bindings.
        args: for a function its arguments: arrays, or `jax.ShapeDtypeStruct`s, which may have symbolic sizes.
        kwargs: for a function its keyword arguments, a dictionary.
        name: what the symbols of the object start with; a C identifier.
        entry: the function of the program to compile, where it has several.
        entries: names of several, for one object with all of them; the result is then a `Programs`.
        target_cpu: the processor: None for any of the architecture, "native" for this one, a name of `strata list targets`, or
            several with commas between, from which the object chooses at run time.
        target: LLVM's triple; this machine's on Linux by default.
        target_features: such as "+avx2,-fma".
        max: the largest value of each symbolic size: {"b": 64}.
        bind: values of symbolic sizes, to compile for these alone.
        specialize: pairs of a symbolic size and a value to have code of its own for.
        threads: threads that calls run on; 0 is one for each processor.
        opt_level: how much is optimised, 0 to 3; 1 compiles in little time, and its code is somewhat slower.
        debug_info: whether addresses map to lines of the program.
        flush_subnormals: whether arithmetic of f32 and f64 may take subnormal numbers as zeros, as XLA does on CPUs.
        freestanding: whether the object may need not even the C mathematics library.
        semantics: "xla" or "spec", where the two differ.
        excess_precision: whether numbers of bf16 and f16 may keep more digits than their type from one arithmetic operation to the next,
            as in XLA by default.
        schedule: the path of a file of schedules, which `strata tune` or `strata schedule --format json` writes, to use instead of the
            compiler's own; one that has nothing for the program is a warning.
        compile_threads: threads that compile; 0 is one for each processor. The object does not depend on it.
        link: shared libraries with functions that the program calls.
        weights: the path of a file to write the program's large constants to, a `.safetensors` file, which calls map. Without it they
            are in the object.
        prepare: names of inputs, with `*` for any characters, that `Program.prepare` lays out once instead of each call: weights, such
            as "params*".

    Returns:
        A `Program`; with `entries` a `Programs`.

    Raises:
        StrataError: the program cannot be compiled; the exception has code, place, reason and hint. Hints name the options of the
            command `strata`, which are called as the arguments here.
        KeyboardInterrupt: Ctrl-C during a compilation; the compiler's thread ends after the stage that it is in.
    """
    kwargs = options.pop("kwargs", None) or {}
    if callable(program) and not _jax.is_exported(program):
        program = _jax.export(program, args, kwargs)
    elif args or kwargs:
        raise TypeError("arguments are for functions: a program has the types of its own")
    structure = None
    if _jax.is_exported(program):
        structure = _jax.Structure.of(program)
        options.setdefault("name", _identifier(program.fun_name))
        content, file = program.mlir_module_serialized, program.fun_name
    else:
        content, file = _read(program, options)
    settings = settings_of(options)
    if settings["entries"] and (structure is not None or settings["entry"] is not None):
        other = "a function is one entry" if structure is not None else "entry= names one"
        raise TypeError(f"entries= names functions of a StableHLO program, but {other}")
    executables = _native.compile(content, file, settings)
    for one in json.loads(executables[0].warnings()):
        text = ": ".join(part for part in (one["title"], one["reason"]) if part)
        warnings.warn(f"{one['code']}: {text}", StrataWarning, stacklevel=2)
    programs = _programs(executables, lambda _: structure)
    return Programs(programs) if settings["entries"] else next(iter(programs.values()))


# What the name of a function that prepares inputs has after that of the entry.
_PREPARE = "_prepare"


def _programs(executables, structure_of):
    """Programs by the names of their entries; functions that prepare inputs belong to those of their entries."""
    makers = {one.entry.removesuffix(_PREPARE): one for one in executables if one.prepares is not None}
    programs = {}
    for executable in executables:
        if executable.prepares is None:
            entry, structure = executable.entry, structure_of(executable.entry)
            inputs = PreparedInputs(makers[entry], executable, structure) if entry in makers else None
            programs[entry] = Program(executable, structure, inputs)
    return programs


def load(path, entry=None, *, threads=0, weights=None):
    """Loads a shared library that `Program.save` or `strata compile --emit shared` wrote.

    Args:
        path: the library. It is code that runs in this process: load only what you trust.
        entry: which program, where the library has several and not all are wanted.
        threads: threads that calls run on; 0 is one for each processor.
        weights: the file with the constants of a library that was compiled with such a file.

    Returns:
        A `Program`, or a `Programs` of a library with several entries. A program takes and returns nested arguments as the function did that was compiled, if it was a function of JAX and
        its containers are those of Python. The texts of stages, remarks and costs are not in a library.

    Raises:
        StrataError: S0002 for another file, S0007 for code that this processor cannot run.
    """
    path, weights = os.fsdecode(path), None if weights is None else os.fsdecode(weights)
    names = _native.entries(path)
    if entry is not None:
        wanted = _native.load(path, entry, weights).symbol
        names = [name for name in names if name in (wanted, wanted + _PREPARE)]
    executables, structures = [], {}
    for name in names:
        executable = _native.load(path, name, weights)
        executable.threads = checked("threads", threads)
        saved = json.loads(executable.saved() or "{}")
        structure = saved.get("structure")
        structures[executable.entry] = _jax.Structure.load(structure) if structure else None
        executables.append(executable)
    programs = _programs(executables, structures.get)
    return Programs(programs) if len(programs) > 1 else next(iter(programs.values()))


def _read(program, options):
    """The bytes of a program, and its name in diagnostics."""
    if hasattr(program, "operation") and hasattr(program.operation, "get_asm"):
        return program.operation.get_asm(enable_debug_info=True).encode(), "module"
    if isinstance(program, (bytes, bytearray, memoryview)):
        return bytes(program), "program"
    if isinstance(program, str) and ("\n" in program or "{" in program):
        return program.encode(), "program"
    if isinstance(program, (str, os.PathLike)):
        path = Path(program)
        options.setdefault("name", _identifier(path.name.split(".")[0]))
        try:
            return path.read_bytes(), os.fspath(path)
        except FileNotFoundError:
            raise
        except (OSError, ValueError) as error:
            raise StrataError(f"{str(program)[:80]!r} is neither a program nor a file that can be read: {error}") from error
    raise TypeError(f"a {type(program).__name__} is not a program: give a function, StableHLO as text or bytes, or a path")


def _identifier(name):
    text = "".join(char if char.isascii() and char.isalnum() else "_" for char in name)
    # `<lambda>` has a name like others.
    text = text.strip("_") or "model"
    return f"_{text}" if text[0].isdigit() else text


def _write(path, content):
    """Writes a file as a whole or not at all."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        # A device or a pipe is written to, not replaced.
        with path.open("wb") as device:
            device.write(content)
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@atexit.register
def _leave():
    # The destructors of the compiler's libraries would take away what a compilation that was interrupted still uses.
    try:
        while _native.is_compiling():
            time.sleep(0.02)
    except KeyboardInterrupt:
        sys.stdout.flush()
        sys.stderr.flush()
        _native.leave(130)


__all__ = ["Cost", "Program", "Programs", "Stages", "StrataError", "Tensor", "compile", "load"]
