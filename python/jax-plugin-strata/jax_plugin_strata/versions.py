"""The versions of JAX that the plugin works with, and what differs between them. JAX promises none of it: it is not in the public interface."""

import inspect
import logging

# Tested with the first and the last one of them: scripts/check_jax_plugin.py.
OLDEST, NEWEST = (0, 8), (0, 10)
logger = logging.getLogger(__name__)


def told(version):
    return ".".join(map(str, version))


def too_old():
    """Why the plugin does not work with this JAX, or None. A newer one than the tested ones is tried, with a warning."""
    import jax.version
    import jaxlib.version

    for name, module in (("JAX", jax.version), ("jaxlib", jaxlib.version)):
        found, version = module.__version__, tuple(module.__version_info__[:2])
        if version < OLDEST:
            return f"{name} {found} is too old for Strata's plugin, which needs {told(OLDEST)} or later: pip install --upgrade 'jax>={told(OLDEST)}'"
        if version > NEWEST:
            logger.warning("%s %s is newer than what Strata's plugin was tested with, %s to %s", name, found, told(OLDEST), told(NEWEST))
    return None


def attempt(what, register, *arguments):
    """Registers something by JAX's private functions. Where they are not what they were, it is left out, with a warning."""
    import jax

    try:
        register(*arguments)
    except (AttributeError, ImportError, KeyError, TypeError) as error:
        logger.warning("JAX %s is not known to Strata's plugin: %s left out (%s: %s)", jax.__version__, what, type(error).__name__, error)


def require(function, *names):
    """Raises a TypeError unless the function has parameters of these names; its signature."""
    signature = inspect.signature(function)
    missing = [name for name in names if name not in signature.parameters]
    if missing:
        raise TypeError(f"{function.__name__} does not take {', '.join(missing)}")
    return signature


def with_context(function, context, *arguments):
    """Calls a function that takes the context of the module before all else since JAX 0.10."""
    if next(iter(inspect.signature(function).parameters)) == "ctx":
        arguments = (context.module_context, *arguments)
    return function(*arguments)


def bits(dtype):
    """The bits of an element."""
    from jax._src import dtypes

    # JAX 0.8 has another name for it.
    return dtypes.itemsize_bits(dtype) if hasattr(dtypes, "itemsize_bits") else dtypes.bit_width(dtype)
