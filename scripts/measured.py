"""Runs a command and tells how long it took and how much memory it needed at its most.

The operating system counts the memory of the process that starts a command into the command's peak: a child begins
as a copy of its parent. A large Python process therefore cannot ask for `ru_maxrss` of what it starts itself. A small
interpreter stands between the two; what is below its own 10 MiB is not seen.
"""

import dataclasses
import json
import os
import signal
import subprocess
import sys

LAUNCHER = """
import json, os, sys, time
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - start
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps([seconds, usage.ru_maxrss * unit, os.waitstatus_to_exitcode(status)]))
"""


@dataclasses.dataclass
class Measured:
    """What a command took: wall time, peak memory in bytes, its exit code and what it wrote to standard error."""

    seconds: float
    memory: int
    returncode: int
    errors: str


def run(command, timeout=None):
    """Runs `command`; its standard output is thrown away. `TimeoutError` after `timeout` seconds.

    >>> done = run([sys.executable, "-c", "import sys; x = bytes(range(256)) * 400000; sys.exit(3)"])
    >>> done.returncode, done.memory > 100_000_000, done.memory < 200_000_000
    (3, True, True)
    """
    launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, *(str(part) for part in command)]
    process = subprocess.Popen(
        launcher, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True
    )
    try:
        told, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"still running after {timeout:g} s") from None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]}: {errors.strip()[-500:]}")
    return Measured(*json.loads(told), errors)
