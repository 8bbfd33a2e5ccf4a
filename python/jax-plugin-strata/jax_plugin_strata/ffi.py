"""Functions of the user in programs: `jax.ffi.register_ffi_target(…, platform="strata")`."""

import ctypes

STAGES = ("instantiate", "prepare", "initialize", "execute")
# The functions' owners, which must not go away.
kept = []


def address(capsule):
    """The function that a capsule holds."""
    if capsule is None:
        return None
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))


def register(library, platform):
    """Makes the plugin take functions, also those that were registered before it was loaded."""
    from jax._src.lib import xla_client

    library.StrataRegisterFfi.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p * len(STAGES)]
    library.StrataRegisterFfi.restype = ctypes.c_char_p
    library.StrataRegisterFfiType.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    library.StrataRegisterFfiType.restype = ctypes.c_char_p

    def add(name, function, platform_name, api_version=1, traits=0):
        if api_version != 1:
            raise NotImplementedError(f"{name}: functions of API version {api_version} on {platform}; 1 is the typed interface")
        stages = function if isinstance(function, dict) else {"execute": function}
        unknown = sorted(set(stages) - set(STAGES))
        if unknown:
            raise ValueError(f"{name}: there are no stages {unknown}, but {STAGES}")
        bundle = (ctypes.c_void_p * len(STAGES))(*(address(stages.get(stage)) for stage in STAGES))
        encoded = name.encode()
        refused = library.StrataRegisterFfi(encoded, len(encoded), bundle)
        if refused:
            raise ValueError(f"jax.ffi.register_ffi_target: {refused.decode()}")
        kept.append(function)

    def add_type(name, registration):
        # Before JAX 0.9 it is the place of the number alone.
        parts = registration if isinstance(registration, dict) else {"type_id": registration}
        encoded = name.encode()
        refused = library.StrataRegisterFfiType(encoded, len(encoded), address(parts["type_id"]), address(parts.get("type_info")))
        if refused:
            raise ValueError(f"jax.ffi.register_ffi_type: {refused.decode()}")
        kept.append(registration)

    # Functions with states say which type these have when they are registered; jaxlib 0.8.0 takes none for other platforms.
    if hasattr(xla_client, "register_custom_type_handler"):
        xla_client.register_custom_type_handler(platform, add_type)
    xla_client.register_custom_call_handler(platform, add)
