"""Options of a compilation, as keyword arguments."""

import os
from collections.abc import Mapping

DEFAULTS = {
    "name": "model",
    "entry": None,
    "entries": (),
    "weights": None,
    "target": None,
    "target_cpu": None,
    "target_features": None,
    "opt_level": 3,
    "bind": (),
    "max": (),
    "specialize": (),
    "semantics": None,
    "excess_precision": False,
    "schedule": None,
    "debug_info": False,
    "flush_subnormals": False,
    "freestanding": False,
    "compile_threads": 0,
    "threads": 0,
    "link": (),
    "prepare": (),
}


def settings_of(options):
    """The options of a compilation with the defaults of those that are not given, as the native module takes them.

    Raises:
        TypeError: there is no such option, or its value has another type.
    """
    unknown = sorted(set(options) - set(DEFAULTS))
    if unknown:
        from difflib import get_close_matches

        near = get_close_matches(unknown[0], DEFAULTS)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise TypeError(f"compile() has no argument {unknown[0]!r}{hint}")
    settings = DEFAULTS | options
    cpus = settings["target_cpu"]
    if isinstance(cpus, (list, tuple)) and all(isinstance(cpu, str) for cpu in cpus):
        settings["target_cpu"] = ",".join(cpus)
    link = settings["link"]
    if isinstance(link, (str, os.PathLike)):
        settings["link"] = (link,)
    if isinstance(settings["prepare"], str):
        settings["prepare"] = (settings["prepare"],)
    return {key: checked(key, value) for key, value in settings.items()}


def _is_number(value, least, most):
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def checked(key, value):
    """The value of an option, as the native module takes it.

    Raises:
        TypeError: it has another type, or is a number that is out of range.
    """
    if key in ("bind", "max", "specialize"):
        pairs = list(value.items()) if isinstance(value, Mapping) else value
        if isinstance(pairs, (list, tuple)) and all(isinstance(one, tuple) and len(one) == 2 for one in pairs):
            if all(isinstance(name, str) and _is_number(size, -(2**63), 2**63 - 1) for name, size in pairs):
                return list(pairs)
        wanted = 'a dictionary of sizes, such as {"b": 64}'
    elif key in ("threads", "compile_threads"):
        if _is_number(value, 0, 1024):
            return value
        wanted = "a number from 0 to 1024"
    elif key == "opt_level":
        if _is_number(value, 0, 3):
            return value
        wanted = "a number from 0 to 3"
    elif key in ("debug_info", "excess_precision", "flush_subnormals", "freestanding"):
        if isinstance(value, bool):
            return value
        wanted = "True or False"
    elif key == "link":
        if isinstance(value, (list, tuple)) and all(isinstance(path, (str, os.PathLike)) for path in value):
            return [os.fspath(path) for path in value]
        wanted = "the path of a library, or a list of paths"
    elif key == "entries":
        if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
            return list(value)
        wanted = "a list of names of functions"
    elif key == "prepare":
        if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
            return list(value)
        wanted = "the name of an input, with * for any characters, or a list of names"
    elif key in ("weights", "schedule"):
        if value is None or isinstance(value, (str, os.PathLike)):
            return None if value is None else os.fspath(value)
        wanted = f"the path of a file to {'write' if key == 'weights' else 'read'}"
    elif isinstance(value, str) or value is None and key != "name":
        return value
    else:
        wanted = "a text"
    raise TypeError(f"{key} is {value!r}, but has to be {wanted}")
