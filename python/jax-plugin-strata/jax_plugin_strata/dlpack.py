"""DLPack for arrays on Strata, which JAX exports from the platforms that it knows only. They lie in the host's memory."""

import numpy as np


def register(platform):
    """Lets `ArrayImpl` export the arrays of this platform."""
    from jax._src import array
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
        return np.asarray(self).__dlpack__(**{name: value for name, value in options.items() if value is not None})

    def device(self):
        return (DLDeviceType.kDLCPU, 0) if is_ours(self) else known_device(self)

    array.ArrayImpl.__dlpack__ = export
    array.ArrayImpl.__dlpack_device__ = device
