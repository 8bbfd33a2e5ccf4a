"""DLPack for arrays on Strata, which JAX exports from, and takes to, the platforms that it knows only. They lie in the host's memory."""

import numpy as np

from jax_plugin_strata import versions


class _Memory:
    """The memory of an array, for a consumer of DLPack that asks for no version: before 1.0 nothing says that it may not be written."""

    def __init__(self, array):
        self.array = array
        view = np.asarray(array)
        self.__array_interface__ = {**view.__array_interface__, "data": (view.ctypes.data, False)}


def register(platform):
    """Lets `ArrayImpl` export the arrays of this platform, and `from_dlpack` make them where XLA's CPU is not there."""
    import jax.dlpack
    from jax._src import array, xla_bridge
    from jax._src import dlpack as module
    from jax._src.typing import DLDeviceType

    known, known_device = array.ArrayImpl.__dlpack__, array.ArrayImpl.__dlpack_device__

    def is_ours(self):
        # The array's own platform is not there when it was deleted.
        devices = self.sharding.device_set
        return len(devices) == 1 and next(iter(devices)).platform == platform

    def export(self, **options):
        if not is_ours(self):
            return known(self, **options)
        stream = options.pop("stream", None)
        if stream is not None:
            raise BufferError(f"arrays on {platform} have no streams, but one is given: {stream}")
        # NumPy's view keeps the array alive. It is read-only, which DLPack says since version 1.0. NumPy 2.0 takes none of the options.
        view = np.asarray(self if options.get("max_version") or options.get("copy") else _Memory(self))
        return view.__dlpack__(**{name: value for name, value in options.items() if value is not None})

    def device(self):
        return (DLDeviceType.kDLCPU, 0) if is_ours(self) else known_device(self)

    take = module.from_dlpack
    versions.require(take, "external_array", "device", "copy")

    def from_dlpack(external_array, device=None, copy=None):
        is_of_host = hasattr(external_array, "__dlpack_device__") and external_array.__dlpack_device__()[0] == DLDeviceType.kDLCPU
        is_own = isinstance(external_array, array.ArrayImpl) and is_ours(external_array)
        is_known = "cpu" in xla_bridge.backends() or platform not in xla_bridge.backends()
        if not is_of_host or is_known and not is_own:
            return take(external_array, device=device, copy=copy)
        if is_own and device is None:
            device = external_array.sharding
        given = np.from_dlpack(external_array)
        made = jax.device_put(np.array(given) if copy else given, device, may_alias=copy is not True)
        if copy is False and given.size and made.unsafe_buffer_pointer() != given.ctypes.data:
            raise ValueError("from_dlpack with copy=False: the array cannot be used where it is, by its type, strides or alignment to 64 bytes")
        return made

    module.from_dlpack = jax.dlpack.from_dlpack = from_dlpack
    array.ArrayImpl.__dlpack__ = export
    array.ArrayImpl.__dlpack_device__ = device
