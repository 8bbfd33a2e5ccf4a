"""Calls from compiled programs into Python: `jax.pure_callback`, `io_callback`, `jax.debug.callback` and `jax.debug.print`,
`jax.experimental.buffer_callback`, and what is made of them.

A function gets a number, which the program passes to the plugin's target `strata_host_callback`; the plugin passes it to `serve`.
Programs run calls in their order, on the thread that called them, so that tokens have nothing to order.
"""

import atexit
import contextlib
import ctypes
import functools
import itertools
import logging
import math
import threading
import traceback
import types
import weakref

import numpy as np

from jax_plugin_strata import versions

TARGET = "strata_host_callback"
logger = logging.getLogger(__name__)
# Devices take arrays of the host with that alignment as they are; of fewer bytes, a copy is cheaper than the alignment.
ALIGNMENT, SMALL = 64, 1 << 12
# What the plugin asks for.
CALL, HOLD, RELEASE = 0, 1, 2


class Buffer(ctypes.Structure):
    """`strata_buffer` of Strata's interface."""

    _fields_ = [
        ("element_type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dimensions", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
    ]


class Call(ctypes.Structure):
    """`strata_call` of Strata's interface."""

    _fields_ = [
        ("version", ctypes.c_int32),
        ("input_count", ctypes.c_int32),
        ("output_count", ctypes.c_int32),
        ("attribute_count", ctypes.c_int32),
        ("inputs", ctypes.POINTER(Buffer)),
        ("outputs", ctypes.POINTER(Buffer)),
        ("attributes", ctypes.c_void_p),
    ]


HANDLER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, ctypes.c_int64, ctypes.POINTER(Call))


class Callback:
    """A function of arrays, with the shapes and types of what it takes and returns."""

    numbers = itertools.count(1)

    def __init__(self, name, function, inputs, outputs):
        self.name, self.function, self.inputs, self.outputs = name, function, inputs, outputs
        self.number = next(Callback.numbers)
        registry.lowered[self.number] = self

    def __call__(self, call, device):
        arguments = [array_of(call.inputs[at], *type_) for at, type_ in enumerate(self.inputs)]
        results = list(self.function(*on_device(arguments, device)))
        if len(results) != len(self.outputs):
            raise RuntimeError(
                f"Mismatched number of outputs from callback. Expected: {len(self.outputs)}, Actual: {len(results)}"
            )
        for at, (result, type_) in enumerate(zip(results, self.outputs)):
            store(call.outputs[at], checked(at, result, *type_))


class View(np.ndarray):
    """The memory of an argument or a result, in place, which is there as long as the call."""

    @property
    def writeable(self):
        return self.flags.writeable


class BufferCallback(Callback):
    """A function that reads its arguments and writes its results where they are."""

    def __init__(self, name, function, inputs, outputs, aliases):
        super().__init__(name, function, inputs, outputs)
        if any(carrier(dtype) for _, dtype in [*inputs, *outputs]):
            raise NotImplementedError(f"{name} with elements of fewer than 8 bits")
        self.aliases = dict(aliases)

    def __call__(self, call, device):
        results = [view_of(call.outputs[at], *type_, is_writeable=True) for at, type_ in enumerate(self.outputs)]
        arguments = [view_of(call.inputs[at], *type_, is_writeable=False) for at, type_ in enumerate(self.inputs)]
        for one, other in self.aliases.items():
            # They are the same memory for the function.
            np.copyto(results[other], arguments[one])
            arguments[one] = results[other].view()
            arguments[one].flags.writeable = False
        self.function(execution(), *arguments, *results)


class Registry:
    """The functions that programs may call, by their numbers: JAX keeps those of a lowered program, the plugin those of a
    compiled one."""

    def __init__(self):
        self.lowered = weakref.WeakValueDictionary()
        self.held = {}
        # A function may be released while this thread holds another one: by the garbage collector.
        self.lock = threading.RLock()

    def find(self, number):
        callback = self.lowered.get(number)
        if callback is None:
            raise LookupError(f"there is no Python function with the number {number}: the program is of another process")
        return callback

    def hold(self, number):
        with self.lock:
            callback, count = self.find(number), self.held.get(number, (None, 0))[1]
            self.held[number] = (callback, count + 1)

    def release(self, number):
        with self.lock:
            callback, count = self.held.pop(number, (None, 0))
            if count > 1:
                self.held[number] = (callback, count - 1)


registry = Registry()


def shape_and_type(aval):
    """The shape and the NumPy type of a value in memory."""
    from jax._src import core, dtypes

    aval = core.physical_aval(aval)
    if not core.is_constant_shape(aval.shape):
        raise NotImplementedError("callbacks with sizes that are not constants")
    return tuple(aval.shape), np.dtype(np.bool_) if aval.dtype == dtypes.float0 else np.dtype(aval.dtype)


def carrier(dtype):
    """The type that elements of fewer than 8 bits have on the way, or None: other types are passed as they are."""
    from jax._src import dtypes

    if dtypes.issubdtype(dtype, np.bool_) or versions.bits(dtype) >= 8:
        return None
    if not dtypes.issubdtype(dtype, np.integer):
        return np.dtype(np.float32)
    return np.dtype(np.int8 if dtypes.issubdtype(dtype, np.signedinteger) else np.uint8)


def array_of(buffer, shape, dtype):
    """A copy of what is in memory, which does not change after the call."""
    passed = carrier(dtype) or dtype
    size = math.prod(shape) * passed.itemsize
    if size == 0:
        return np.zeros(shape, dtype)
    if size < SMALL:
        values = np.frombuffer(ctypes.string_at(buffer.data, size), passed)
    else:
        room = np.empty(size + ALIGNMENT, np.uint8)
        values = room[-room.ctypes.data % ALIGNMENT :][:size].view(passed)
        ctypes.memmove(values.ctypes.data, buffer.data, size)
    return values.astype(dtype, copy=False).reshape(shape)


def view_of(buffer, shape, dtype, *, is_writeable):
    """What is in memory, in place."""
    size = math.prod(shape) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(buffer.data) if size else b""
    values = np.frombuffer(memory, dtype).reshape(shape).view(View)
    values.flags.writeable = is_writeable and size > 0
    return values


def execution():
    """What the function of a buffer callback is told of the call: there is one stage, and no stream."""
    from jax._src import buffer_callback

    return types.SimpleNamespace(stage=buffer_callback.ExecutionStage.EXECUTE)


def store(buffer, value):
    """Writes a result."""
    value = np.ascontiguousarray(value.astype(carrier(value.dtype) or value.dtype, copy=False))
    if value.size:
        ctypes.memmove(buffer.data, value.ctypes.data, value.nbytes)


def checked(at, result, shape, dtype):
    """The result as an array of the type that was promised. What JAX's other platforms say is what users look for."""
    from jax._src import dtypes

    value = np.asarray(dtypes.canonicalize_value(np.asarray(result)))
    if value.shape != shape:
        raise RuntimeError(f"Incorrect output shape for return value #{at}: Expected: {shape}, Actual: {value.shape}")
    if value.dtype != dtype:
        raise RuntimeError(f"Incorrect output dtype for return value #{at}: Expected: {dtype}, Actual: {value.dtype}")
    return value


def host_device():
    """Where callbacks compute: on XLA's CPU, if this process has it."""
    from jax._src import xla_bridge

    for platform in ("cpu", "strata"):
        with contextlib.suppress(RuntimeError):
            return xla_bridge.local_devices(backend=platform)[0]
    raise RuntimeError("there is no device for the arguments of a callback")


def on_device(arguments, device):
    import jax

    return jax.device_put(arguments, device)


def serve(request, number, call):
    """What the plugin calls: 0, or 1 for a failure."""
    try:
        if request == HOLD:
            registry.hold(number)
        elif request == RELEASE:
            registry.release(number)
        else:
            run(registry.find(number), call.contents)
    except BaseException as error:  # Nothing may pass through compiled code.
        tell(error)
        return 1
    return 0


@contextlib.contextmanager
def on_host(device):
    """Neither the mesh nor the device of the caller is that of a callback."""
    from jax._src import config, mesh, sharding_impls

    with (
        config.default_device(device),
        sharding_impls._internal_use_concrete_mesh(mesh.empty_concrete_mesh),
        mesh.use_abstract_mesh(mesh.empty_abstract_mesh),
    ):
        yield


def run(callback, call):
    device = host_device()
    with on_host(device):
        try:
            callback(call, device)
        except BaseException:
            logger.exception("%s failed", callback.name)
            raise


def tell(error):
    """Gives the plugin the text of an exception, with the lines of Python that led to it below this file's."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    text = "".join(traceback.format_exception_only(error)).strip()
    if own:
        text += "\n\nat (most recent call last):\n" + "".join(traceback.format_list(own))
    encoded = text.encode("utf-8", errors="replace")
    library.StrataSetHostCallbackError(encoded, len(encoded))


handler = HANDLER(serve)
library = None


def initialize(path, platform):
    """Connects the plugin at `path` with this module, and registers how callbacks are lowered."""
    global library
    library = ctypes.CDLL(str(path))
    library.StrataSetHostCallback.argtypes = [HANDLER]
    library.StrataSetHostCallback.restype = None
    library.StrataSetHostCallbackError.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    library.StrataSetHostCallbackError.restype = None
    library.StrataSetHostCallback(handler)
    # Programs that are destroyed after the interpreter must not call it.
    atexit.register(library.StrataSetHostCallback, HANDLER())
    register(platform)


def register(platform):
    from jax._src import buffer_callback as buffers
    from jax._src import callback, debugging
    from jax._src.interpreters import mlir
    from jax.interpreters import mlir as public

    rules = {
        callback.pure_callback_p: pure_callback,
        callback.io_callback_p: io_callback,
        debugging.debug_callback_p: debug_callback,
        debugging.debug_print_p: debug_print,
        buffers.buffer_callback_p: buffer_callback,
    }
    for primitive, rule in rules.items():
        mlir.register_lowering(primitive, rule, platform=platform, cacheable=False)
    emit = callback.emit_python_callback

    signature = versions.require(emit, "ctx", "callback", "token", "operands", "operand_avals", "result_avals", "has_side_effect")

    def emit_python_callback(*arguments, **named):
        """What lowerings of other operations, and of packages, make callbacks by."""
        given = signature.bind(*arguments, **named).arguments
        if tuple(given["ctx"].module_context.platforms) != (platform,):
            return emit(*arguments, **named)
        context = given["ctx"].replace(avals_in=tuple(given["operand_avals"]), avals_out=tuple(given["result_avals"]))
        is_pure, placement = not given["has_side_effect"], given.get("sharding")
        made = lower(context, "a callback", given["callback"], given["operands"], is_pure=is_pure, placement=placement)
        return made, given["token"], None

    callback.emit_python_callback = public.emit_python_callback = emit_python_callback
    known = debugging.debug_callback_impl

    def debug_callback_outside(*operands, callback, **parameters):
        """`jax.debug` outside of programs, which JAX has for processes with XLA's CPU only."""
        device = host_device()
        if device.platform != platform:
            return known(*operands, callback=callback, **parameters)
        with on_host(device):
            callback(*on_device(list(operands), device))
        return ()

    debugging.debug_callback_impl = debug_callback_outside
    debugging.debug_callback_p.def_impl(debug_callback_outside)


def lower(context, name, function, operands, *, effect=None, is_pure=False, placement=None, sharding=None, kind=Callback):
    """The call of a function, by the public function of JAX called `name`; its results. `placement` is JAX's annotation of it, `sharding`
    what the user has asked for."""
    from jax._src import core, effects
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir import ir
    from jax._src.lib.mlir.dialects import hlo

    if len(context.module_context.platforms) > 1:
        raise NotImplementedError("callbacks in programs for several platforms")
    inputs, outputs = ([shape_and_type(aval) for aval in avals] for avals in (context.avals_in, context.avals_out))
    called = kind(name, function, inputs, outputs)
    context.module_context.add_keepalive(called)

    def tensor(shape, dtype):
        return versions.with_context(mlir.aval_to_ir_type, context, core.ShapedArray(shape, dtype))

    device = caller(context, sharding)
    config = {"number": called.number} | ({} if device is None else {"device": device})
    passed = [
        hlo.convert(tensor(shape, carrier(dtype)), operand) if carrier(dtype) else operand
        for operand, (shape, dtype) in zip(operands, inputs)
    ]
    made = mlir.custom_call(
        TARGET,
        result_types=[tensor(shape, carrier(dtype) or dtype) for shape, dtype in outputs],
        operands=passed,
        backend_config={key: ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value) for key, value in config.items()},
        has_side_effect=not is_pure,
    )
    if placement is not None:
        versions.with_context(mlir.set_sharding, context, made, placement)
    if effect is not None and effects.ordered_effects.contains(effect):
        # Calls with side effects stay in the order of the program.
        token = context.tokens_in.get(effect)
        context.set_tokens_out(context.tokens_in.update_tokens(mlir.TokenSet({effect: token})))
    return [
        hlo.convert(tensor(shape, dtype), result) if carrier(dtype) else result
        for result, (shape, dtype) in zip(made.results, outputs)
    ]


def caller(context, sharding):
    """The number of the device that calls a function for all, or None: where the compiler splits a program, a function is called once,
    and where the program is written for each device (`shard_map`), by each."""
    from jax._src import sharding_impls

    axis = context.module_context.axis_context
    if not isinstance(axis, sharding_impls.ShardingContext) or axis.num_devices == 1:
        return None
    if sharding is None or axis.device_assignment is None:
        return 0
    return axis.device_assignment.index(next(iter(sharding.device_set)))


def placed(context, sharding):
    """What JAX annotates the call with."""
    from jax._src import callback

    return callback._callback_op_sharding(context.module_context.axis_context, sharding, context.avals_out)


def pure_callback(context, *operands, callback, sharding, **_):
    placement = placed(context, sharding)
    return lower(context, "jax.pure_callback", callback, operands, is_pure=True, placement=placement, sharding=sharding)


def io_callback(context, *operands, callback, sharding, ordered, **_):
    from jax._src import callback as module

    effect = module._OrderedIOEffect if ordered else module._IOEffect
    placement = placed(context, sharding)
    return lower(context, "jax.io_callback", callback, operands, effect=effect, placement=placement, sharding=sharding)


def buffer_callback(context, *operands, callback, in_tree, out_tree, has_side_effect, input_output_aliases, **_):
    from jax import tree_util

    def function(execution, *buffers):
        arguments, named = tree_util.tree_unflatten(in_tree, buffers[: in_tree.num_leaves])
        results = tree_util.tree_unflatten(out_tree, buffers[in_tree.num_leaves :])
        if callback(execution, results, *arguments, **named) is not None:
            raise ValueError("buffer_callback callback must not return any values.")

    kind = functools.partial(BufferCallback, aliases=input_output_aliases)
    return lower(context, "jax.experimental.buffer_callback", function, operands, is_pure=not has_side_effect, kind=kind)


def debug_callback(context, *operands, callback, effect, **_):
    def function(*arguments):
        callback(*arguments)
        return ()

    return lower(context, "jax.debug.callback", function, operands, effect=effect)


def debug_print(context, *operands, ordered, partitioned, in_tree, static_args, fmt, np_printoptions, has_placeholders, **rest):
    from jax._src import debugging

    # JAX 0.8 has no `logging_record`.
    text = (fmt, dict(np_printoptions), has_placeholders, *(rest[name] for name in ("logging_record",) if name in rest))

    def show(*arguments, **named):
        debugging._format_print_callback(*text, *arguments, **named)

    function = debugging._make_flat_callback(in_tree, show, static_args)
    effect = debugging.ordered_debug_effect if ordered else debugging.debug_effect
    return debug_callback(context, *operands, callback=function, effect=effect)
