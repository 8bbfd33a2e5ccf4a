#!/usr/bin/env python3
"""Check what JAX does with Strata's PJRT plugin beyond computing: callbacks, donated memory, the persistent compilation cache,
functions of the user, options.

    python3 -m venv venv && venv/bin/pip install jax==0.10.2 . ./python/jax-plugin-strata
    venv/bin/python scripts/check_jax_plugin.py

Runs with XLA's CPU beside Strata and without it. The exit code is 1 if something is wrong.
"""

import ctypes
import gc
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings

CHILD = "STRATA_CHECK_CHILD"


def check(found, wanted, what):
    if found != wanted:
        sys.exit(f"{what}: {found!r} instead of {wanted!r}")


def callbacks_are_in_order():
    seen = []

    def note(kind, step):
        def function(value):
            seen.append((kind, float(value)))
            return np.float32(value + step)

        return lambda x: io_callback(function, jax.ShapeDtypeStruct((), jnp.float32), x, ordered=True)

    def body(_, x):
        x = jax.lax.cond(x < 2, note("small", 1), note("large", 2), x)
        jax.debug.callback(lambda value: seen.append(("after", float(value))), x, ordered=True)
        return x

    # The result of the loop is not used.
    ignoring = jax.jit(lambda x: (jax.lax.fori_loop(0, 3, body, x), x)[1])
    check(float(ignoring(0.0)), 0.0, "the argument")
    wanted = [("small", 0.0), ("after", 1.0), ("small", 1.0), ("after", 2.0), ("large", 2.0), ("after", 4.0)]
    check(seen, wanted, "calls of a loop")


def callbacks_are_released():
    from jax_plugin_strata.callbacks import registry

    gc.collect()
    jax.clear_caches()
    before = len(registry.held)
    double = jax.jit(lambda x: jax.pure_callback(lambda value: 2 * np.asarray(value), x, x))
    check(float(double(jnp.float32(4))), 8.0, "a pure callback")
    check(len(registry.held), before + 1, "functions that are held")
    del double
    jax.clear_caches()
    gc.collect()
    check((len(registry.held), len(registry.lowered)), (before, 0), "functions that are held and lowered at the end")


def exceptions_are_told():
    def fail(_):
        raise ValueError("no such value")

    program = jax.jit(lambda x: jax.pure_callback(fail, x, x))
    for _ in range(2):
        try:
            program(1.0)
        except jax.errors.JaxRuntimeError as error:
            text = str(error)
            check("ValueError: no such value" in text and "in fail" in text, True, text)
        else:
            sys.exit("a callback failed without an error")


def callbacks_compute_on_strata():
    def nested(value):
        return np.asarray(jnp.sin(jnp.asarray(value)).sum())

    x = np.linspace(0, 1, 100, dtype=np.float32)
    found = jax.jit(lambda x: jax.pure_callback(nested, jax.ShapeDtypeStruct((), jnp.float32), x))(x)
    check(abs(float(found) - float(np.sin(x).sum())) < 1e-4, True, "a program inside of a callback")


def callbacks_run_on_threads():
    results = {}

    def work(number):
        add = jax.jit(lambda x: 2 * jax.pure_callback(lambda value: np.asarray(value) + np.float32(number), x, x))
        results[number] = [float(add(jnp.float32(value))) for value in range(20)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(results, {number: [2.0 * (value + number) for value in range(20)] for number in range(4)}, "threads")


def types_pass_through_callbacks():
    for name in ("int4", "uint2", "float4_e2m1fn", "bool", "bfloat16", "complex64", "uint8"):
        x = jnp.array([[0, 1], [1, 0]]).astype(name)
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        found = jax.jit(lambda x: jax.pure_callback(lambda value: np.asarray(value).T, shape, x))(x)
        check((found.dtype, found.tolist()), (x.dtype, x.T.tolist()), name)


def buffers_are_in_place():
    from jax.experimental import buffer_callback

    seen = []

    def add(execution, results, x, step):
        seen.append((execution.stage, x.shape, x.dtype, x.writeable, results[0].writeable, step.ndim))
        # The first result has the memory of the first argument.
        np.asarray(results[0])[...] += np.asarray(step)
        np.asarray(results[1])[...] = np.asarray(x) > 2

    kinds = [jax.ShapeDtypeStruct((3,), np.float32), jax.ShapeDtypeStruct((3,), np.bool_)]
    function = buffer_callback.buffer_callback(add, kinds, input_output_aliases={0: 0})
    x = jnp.arange(3, dtype=jnp.float32)
    both = jax.jit(lambda x: function(x, step=jnp.float32(1)))(x)
    check([one.tolist() for one in both], [[1.0, 2.0, 3.0], [False, False, True]], "results of a buffer callback")
    check(x.tolist(), [0.0, 1.0, 2.0], "its argument")
    check(seen, [(buffer_callback.ExecutionStage.EXECUTE, (3,), np.float32, False, True, 0)], "what it sees")
    for kind, wrong, text in ((kinds[0], lambda *_: 1, "must not return any values"), (jax.ShapeDtypeStruct((3,), jnp.int4), add, "fewer than 8 bits")):
        try:
            jax.jit(buffer_callback.buffer_callback(wrong, kind))(x).block_until_ready()
        except (jax.errors.JaxRuntimeError, NotImplementedError) as error:
            check(text in str(error), True, str(error))
        else:
            sys.exit("a buffer callback that is wrong was called")


def operations_of_the_processor_are_lowered():
    # JAX and packages lower them for "cpu" alone: by callbacks, as scipy's solver, or not at all, as checks that are for `checkify`.
    from jax.experimental import checkify
    from jax.experimental.sparse.linalg import spsolve

    data, columns, rows = jnp.array([2.0, 1.0, 4.0]), jnp.array([0, 1, 1]), jnp.array([0, 2, 3])
    check(spsolve(data, columns, rows, jnp.array([6.0, 8.0])).tolist(), [2.0, 2.0], "a sparse system")

    def positive(x):
        checkify.debug_check(x > 0, "x is {x}", x=x)
        return x + 1

    check(float(jax.jit(positive)(-2.0)), -1.0, "a check outside of checkify")
    error, _ = jax.jit(checkify.checkify(positive))(-2.0)
    check("x is -2.0" in error.get(), True, error.get())


def views_outlive_donations():
    increment = jax.jit(lambda x: x + 1, donate_argnums=0)
    for view in (np.asarray, np.from_dlpack):
        x = jnp.arange(1000.0) * 1
        seen = view(x)
        after = increment(x)
        jnp.zeros(1000).block_until_ready()
        check((seen[:3].tolist(), after[:3].tolist()), ([0.0, 1.0, 2.0], [1.0, 2.0, 3.0]), f"{view.__name__}")


def arrays_come_by_dlpack():
    if os.environ["JAX_PLATFORMS"] != "strata":
        return
    room = np.arange(40, dtype=np.float32)
    at = -room.ctypes.data % 64 // 4
    aligned, other = room[at : at + 8], room[at + 1 : at + 9]
    for given in (aligned, other, room[::3], jnp.arange(4), np.zeros((0, 3), np.int32)):
        for copy in (None, True):
            found = jnp.from_dlpack(given, copy=copy)
            check((found.dtype, next(iter(found.devices())).platform), (given.dtype, "strata"), "an array that came by DLPack")
            check(found.tolist(), given.tolist(), "its elements")
    copied, shared = jnp.from_dlpack(aligned, copy=True), jnp.from_dlpack(aligned, copy=False)
    check([one.unsafe_buffer_pointer() == aligned.ctypes.data for one in (copied, shared)], [False, True], "memory that is shared")
    try:
        jnp.from_dlpack(other, copy=False)
    except ValueError as error:
        check("copy=False" in str(error), True, str(error))
    else:
        sys.exit("memory was used that is not aligned")


def arrays_of_strata_go_by_dlpack():
    x = jax.device_put(np.arange(7, dtype=np.float32), jax.devices("strata")[0])
    for copy in (None, True, False):
        found = jnp.from_dlpack(x, copy=copy)
        check((next(iter(found.devices())).platform, found.tolist()), ("strata", x.tolist()), f"an array of its own, copy={copy}")
        check(found.unsafe_buffer_pointer() == x.unsafe_buffer_pointer(), not copy, f"whether its memory is shared, copy={copy}")

    class Old:
        """Takes no version, as before DLPack 1.0."""

        def __dlpack__(self, stream=None):
            return x.__dlpack__()

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    check(np.from_dlpack(x).flags.writeable, False, "a view with a version")
    for taken in (x.__dlpack__(), x.__dlpack__(stream=None), x.__dlpack__(max_version=(1, 0))):
        check(type(taken).__name__, "PyCapsule", "a capsule")
    pointer = x.unsafe_buffer_pointer()
    view = np.from_dlpack(Old()) if np.lib.NumpyVersion(np.__version__) < "2.1.0" else None
    check(view is None or view.ctypes.data == pointer, True, "the memory of a view without a version")


def executables_are_kept():
    """In another process: the first compiles and writes, the second reads, the third finds a damaged entry."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, CHILD: folder}
        for wanted in ("missed, 42.0, True, ", "hit, 42.0, True, ", "missed, 42.0, True, damaged"):
            child = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=False)
            check(child.stdout.strip(), wanted.strip(), f"the compilation cache\n{child.stderr}")
            for path in pathlib.Path(folder).glob("*-cache") if wanted.startswith("hit") else ():
                whole = compilation_cache.decompress_executable(path.read_bytes())
                path.write_bytes(compilation_cache.compress_executable(whole[:-9] + b"x" + whole[-8:]))


# What a program calls: all kinds of arguments and attributes, memory, threads, and a function that ends later.
FUNCTIONS = r"""
#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;

static ffi::Error Mix(ffi::ScratchAllocator scratch, ffi::ThreadPool pool, ffi::AnyBuffer x, ffi::Buffer<ffi::S8> y,
                      ffi::ResultBuffer<ffi::F32> sum, ffi::Result<ffi::AnyBuffer> count, float scale, int64_t shift, bool is_negative,
                      ffi::Span<const int32_t> weights, std::string_view mode, ffi::Dictionary more) {
  if (mode == "fail") return ffi::Error(ffi::ErrorCode::kOutOfRange, "mode is fail");
  auto inner = more.get<std::string_view>("name");
  auto memory = scratch.Allocate(8 * x.element_count(), 128);
  if (!inner.has_value() || *inner != "inner" || !memory.has_value()) return ffi::Error::Internal("an attribute or memory");
  if (reinterpret_cast<uintptr_t>(*memory) % 128 != 0) return ffi::Error::Internal("the alignment of memory");
  auto* wide = static_cast<double*>(*memory);
  if (pool.num_threads() < 1) return ffi::Error::Internal("there are no threads");
  ffi::Error seen = ffi::Error::Success();
  bool has_run = false;
  pool.Schedule([&] {
    for (size_t at = 0; at < x.element_count(); ++at) {
      auto value = x.typed_data<std::complex<float>>()[at];
      wide[at] = value.real() + 100 * value.imag() + y.typed_data()[at] * weights[at % weights.size()];
    }
    pool.Schedule([&] { has_run = true; });
  });
  if (!has_run) return ffi::Error::Internal("a task was not run");
  for (size_t at = 0; at < x.element_count(); ++at) sum->typed_data()[at] = (is_negative ? -scale : scale) * (wide[at] + shift);
  *static_cast<uint8_t*>(count->untyped_data()) = x.dimensions().size();
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(mix, Mix, ffi::Ffi::Bind().Ctx<ffi::ScratchAllocator>().Ctx<ffi::ThreadPool>().Arg<ffi::AnyBuffer>()
    .Arg<ffi::Buffer<ffi::S8>>().Ret<ffi::Buffer<ffi::F32>>().Ret<ffi::AnyBuffer>().Attr<float>("scale").Attr<int64_t>("shift")
    .Attr<bool>("is_negative").Attr<ffi::Span<const int32_t>>("weights").Attr<std::string_view>("mode").Attr<ffi::Dictionary>("more"));

static ffi::Future Later(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  ffi::Promise promise;
  ffi::Future future(promise);
  std::thread([x, y, promise = std::move(promise)]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    y->typed_data()[0] = 2 * x.typed_data()[0];
    if (x.typed_data()[0] < 0) promise.SetError(ffi::Error(ffi::ErrorCode::kAborted, "below zero"));
    else promise.SetAvailable();
  }).detach();
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(later, Later, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

#ifdef STATES
struct Counter { static ffi::TypeId id; int64_t count; };
ffi::TypeId Counter::id = {};
static auto info = ffi::MakeTypeInfo<Counter>();
extern "C" void* counter_id() { return &Counter::id; }
extern "C" void* counter_info() { return &info; }
static ffi::ErrorOr<std::unique_ptr<Counter>> Start(int64_t from) {
  if (from < 0) return ffi::Unexpected(ffi::Error::InvalidArgument("it starts below zero"));
  return std::make_unique<Counter>(Counter{from});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(start, Start, ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
static ffi::Error Count(Counter* state, ffi::ResultBuffer<ffi::S32> y, int64_t) {
  y->typed_data()[0] = static_cast<int32_t>(state->count++);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(count, Count, ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<ffi::Buffer<ffi::S32>>().Attr<int64_t>("start"));
#endif
"""


def functions_of_the_user_are_called():
    compiler = shutil.which("c++") or shutil.which("clang++") or shutil.which("clang++-22")
    if compiler is None:
        sys.exit("functions of the user: there is no C++ compiler")
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "functions.cpp"), pathlib.Path(folder, "functions.so")
        source.write_text(FUNCTIONS, encoding="utf-8")
        # jaxlib 0.8.0 describes types of states in another way.
        has_states = "MakeTypeInfo" in pathlib.Path(jax.ffi.include_dir(), "xla/ffi/api/ffi.h").read_text(encoding="utf-8")
        options = ["-DSTATES"] if has_states else []
        subprocess.run([compiler, *options, "-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-I", jax.ffi.include_dir(), "-o", library, source], check=True)
        loaded = ctypes.CDLL(str(library))
    jax.ffi.register_ffi_target("check_mix", jax.ffi.pycapsule(loaded.mix), platform="strata")
    jax.ffi.register_ffi_target("check_later", {"execute": jax.ffi.pycapsule(loaded.later)}, platform="strata")
    shapes = (jax.ShapeDtypeStruct((3, 1), jnp.float32), jax.ShapeDtypeStruct((), jnp.uint8))

    def mix(x, y, mode="sum", **rest):
        more = {"scale": np.float32(0.5), "shift": 3, "is_negative": True, "weights": np.array([1, 10], np.int32), "more": {"name": "inner"}}
        return jax.ffi.ffi_call("check_mix", shapes)(x, y, mode=mode, **{**more, **rest})

    x, y = jnp.array([[1 + 2j], [3j], [-1]], jnp.complex64), jnp.array([1, 2, -4], jnp.int8)
    found, rank = jax.jit(mix)(x, y)
    check((found.ravel().tolist(), int(rank)), ([-102.5, -161.5, 1.0], 2), "a function of the user")
    for wrong, wanted in (("fail", "OUT_OF_RANGE: mode is fail"), (7, "Wrong attribute type")):
        try:
            mix(x, y, mode=wrong)
        except jax.errors.JaxRuntimeError as error:
            check(wanted in str(error) and "check_mix" in str(error), True, str(error))
        else:
            sys.exit("a function failed without an error")
    later = jax.jit(lambda x: jax.ffi.ffi_call("check_later", jax.ShapeDtypeStruct((1,), jnp.float32))(x) + 1)
    check(later(jnp.ones(1)).tolist(), [3.0], "a function that ends later")
    try:
        later(-jnp.ones(1))
    except (jax.errors.JaxRuntimeError, ValueError) as error:  # From its second call on, JAX calls a program by another way.
        check("ABORTED: below zero" in str(error), True, str(error))
    else:
        sys.exit("a function failed later without an error")
    try:
        jax.ffi.register_ffi_target("check_mix", jax.ffi.pycapsule(loaded.later), platform="strata")
    except ValueError as error:
        check("registered already" in str(error), True, str(error))
    else:
        sys.exit("a name was given twice")
    if has_states:
        functions_keep_states(loaded)


def functions_keep_states(loaded):
    loaded.counter_id.restype = loaded.counter_info.restype = ctypes.c_void_p
    parts = {"type_id": loaded.counter_id(), "type_info": loaded.counter_info()}
    jax.ffi.register_ffi_type("check_counter", {name: jax.ffi.pycapsule(ctypes.c_void_p(at)) for name, at in parts.items()}, platform="strata")
    stages = {"instantiate": jax.ffi.pycapsule(loaded.start), "execute": jax.ffi.pycapsule(loaded.count)}
    jax.ffi.register_ffi_target("check_count", stages, platform="strata")

    def count(start):
        return jax.ffi.ffi_call("check_count", jax.ShapeDtypeStruct((), jnp.int32), has_side_effect=True)(start=np.int64(start))

    counts = jax.jit(lambda: (count(7), count(7), count(100)))
    check([list(map(int, counts())) for _ in range(3)], [[7, 7, 100], [8, 8, 101], [9, 9, 102]], "states of functions")
    try:
        print(jax.jit(lambda: count(-1))())
    except jax.errors.JaxRuntimeError as error:
        check("it starts below zero" in str(error), True, str(error))
    else:
        sys.exit("a state failed without an error")


def options_are_checked():
    for options, wanted in (
        ({"xla_embed_ir_in_executable": True, "opt_level": 1}, None),
        ({"no_such": 1}, "No such compile option: 'no_such'"),
        ({"opt_level": 9}, "'9' is not a valid level from 0 to 3"),
    ):
        try:
            found = float(jax.jit(lambda x: x + 1, compiler_options=options)(1.0))
        except jax.errors.JaxRuntimeError as error:
            check(wanted is not None and wanted in str(error), True, str(error))
        else:
            check((found, wanted), (2.0, None), f"options {options}")


def arrays_have_layouts():
    if jax.__version_info__ < (0, 10):
        # jaxlib reads layouts off the program's text, which does not have them.
        return
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    kept = Format(Layout((2, 0, 1)), jax.sharding.SingleDeviceSharding(jax.devices()[0]))
    array = jax.device_put(x, kept)
    check((array.format.layout.major_to_minor, np.asarray(array).strides), ((2, 0, 1), (12, 4, 24)), "an array's layout")
    check(np.array_equal(array, x) and np.array_equal(np.from_dlpack(array), x), True, "its values")
    doubled = jax.jit(lambda value: value * 2 - 1, out_shardings=kept)(array)
    check((doubled.format.layout.major_to_minor, np.array_equal(doubled, x * 2 - 1)), ((2, 0, 1), True), "a result's layout")
    summed = array + doubled
    check((summed.format.layout.major_to_minor, np.array_equal(summed, x * 3 - 1)), ((0, 1, 2), True), "a layout where none is asked for")


def compiled_programs_have_a_text():
    text = jax.jit(lambda x: jnp.sin(x) * 2).lower(np.ones(3, np.float32)).compile().as_text()
    check("f32[3]" in text and "sine" in text, True, text)


def the_branch_of_the_processor_is_taken():
    def chosen(**branches):
        return float(jax.jit(lambda x: jax.lax.platform_dependent(x, **branches))(3.0))

    add = {name: (lambda x, step=step: x + step) for step, name in enumerate(("strata", "cpu", "default", "cuda"))}
    for names, wanted in ((("cpu", "cuda"), 4.0), (("cpu", "default"), 4.0), (("cuda", "cpu", "strata"), 3.0), (("cuda", "default"), 5.0)):
        check(chosen(**{name: add[name] for name in names}), wanted, f"the branch of {names}")
    try:
        chosen(cuda=add["cuda"])
    except NotImplementedError as error:
        check("not found for platform strata" in str(error), True, str(error))
    else:
        sys.exit("a branch was taken that there is not")


def functions_exported_for_the_processor_run():
    def called(function, x, *platforms):
        return jax.export.export(jax.jit(function), platforms=platforms)(x).call(x)

    def shift(x):
        return jax.lax.platform_dependent(x, cuda=lambda y: y + 1, cpu=lambda y: y + 2, default=lambda y: y + 4)

    matrix = np.diag(np.float32([3, 1, 2]))
    check(called(jnp.linalg.eigvalsh, matrix, "cpu").tolist(), [1.0, 2.0, 3.0], "eigenvalues")
    for platforms, step in ((("cpu",), 2), (("cuda", "cpu", "tpu"), 2), (("tpu", "strata"), 2), (("cpu", "strata"), 2)):
        check(called(shift, np.float32(10), *platforms).tolist(), 10.0 + step, f"a function for {platforms}")
    try:
        called(shift, np.float32(10), "cuda", "tpu")
    except ValueError as error:
        check("used on '('strata',)'" in str(error), True, str(error))
    else:
        sys.exit("a function for other platforms was called")


def keep(folder):
    events = []
    jax.monitoring.register_event_listener(lambda event, **_: events.append(event))
    jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    x = jax.device_put(np.full(8, 20, np.float32))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = float(jax.jit(lambda x: 2 * x + 2, donate_argnums=0)(x)[0])
    # A function of this process must not get into the cache.
    jax.jit(lambda x: jax.pure_callback(lambda value: np.asarray(value), x, x))(result)
    files = [path.name for path in pathlib.Path(folder).glob("*-cache")]
    check(len([name for name in files if "lambda" in name]), 1, f"entries of the cache: {files}")
    check(sum(event.endswith("tasks_using_cache") for event in events), 1, "events of a process that uses the cache")
    state = "hit" if any(event.endswith("cache_hits") for event in events) else "missed"
    damaged = "damaged" if any("is damaged" in str(one.message) for one in said) else ""
    print(f"{state}, {result}, {x.is_deleted()}, {damaged}")


def main():
    if CHILD in os.environ:
        keep(os.environ[CHILD])
        return
    for test in (
        callbacks_are_in_order,
        callbacks_are_released,
        exceptions_are_told,
        callbacks_compute_on_strata,
        callbacks_run_on_threads,
        types_pass_through_callbacks,
        buffers_are_in_place,
        operations_of_the_processor_are_lowered,
        views_outlive_donations,
        arrays_come_by_dlpack,
        arrays_of_strata_go_by_dlpack,
        executables_are_kept,
        functions_of_the_user_are_called,
        options_are_checked,
        arrays_have_layouts,
        compiled_programs_have_a_text,
        the_branch_of_the_processor_is_taken,
        functions_exported_for_the_processor_run,
    ):
        test()
        print(f"{os.environ['JAX_PLATFORMS']}: {test.__name__.replace('_', ' ')}", flush=True)
    if os.environ["JAX_PLATFORMS"] == "strata,cpu":
        environment = {**os.environ, "JAX_PLATFORMS": "strata"}
        sys.exit(subprocess.run([sys.executable, __file__], env=environment, check=False).returncode)


if __name__ == "__main__":
    os.environ.setdefault("JAX_PLATFORMS", "strata,cpu")
    import jax
    import jax.export
    import jax.monitoring
    import jax.numpy as jnp
    import numpy as np
    from jax._src import compilation_cache
    from jax.experimental import io_callback
    from jax.experimental.layout import Format, Layout

    main()
