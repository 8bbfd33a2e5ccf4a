"""The command `strata`."""

import signal
import sys


def main():
    from . import _native

    # Ctrl-C ends the command as it ends any other: Python's handler would wait for the compiler to return.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.main(["strata", *sys.argv[1:]], [sys.executable, "-m", "strata"]))


if __name__ == "__main__":
    main()
