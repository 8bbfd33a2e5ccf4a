"""DLPack for arrays on Strata, which JAX exports from the platforms that it knows only. They lie in the host's memory."""

import numpy as np


def register(platform):
    """Lets `ArrayImpl` export the arrays of this platform."""
    from jax._src import array
    from jax._src.typing import DLDeviceType

    known, known_device = array.ArrayImpl.__dlpack__, array.ArrayImpl.__dlpack_device__

    def is_ours(self):
        return len(self.sharding.device_set) == 1 and self.platform() == platform

    def export(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if not is_ours(self):
            return known(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
        if stream is not None:
            raise BufferError(f"arrays on {platform} have no streams, but one is given: {stream}")
        # NumPy's view keeps the array alive. It is read-only, which DLPack says since version 1.0.
        return np.asarray(self).__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)

    def device(self):
        return (DLDeviceType.kDLCPU, 0) if is_ours(self) else known_device(self)

    array.ArrayImpl.__dlpack__ = export
    array.ArrayImpl.__dlpack_device__ = device
