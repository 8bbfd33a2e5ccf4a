"""What may come between while jaxlib compiles a program, which it does on threads of its own: a fork and Ctrl-C."""

import os
import signal
import threading

from jax_plugin_strata import versions

OF_PARENT = (
    "this process was forked from one that computes on Strata: it can run programs that were compiled before, but jaxlib has no threads here to compile "
    "others. Start processes by 'spawn' or 'forkserver' (multiprocessing.set_start_method) or before the first computation, or call "
    "jax.extend.backend.clear_backends() here first, which lets the arrays of before go"
)


def register(library, platform):
    """Makes a compilation that would not end an error, and ends one that Ctrl-C interrupts before Python goes on."""
    from jax._src import compiler, xla_bridge

    known = compiler.backend_compile_and_load
    versions.require(known, "backend")
    library.StrataInterruptCompilations.argtypes, library.StrataInterruptCompilations.restype = [], None
    of_parent, others = [], Count()

    def after_fork():
        of_parent[:] = [client for name, client in xla_bridge._backends.items() if name == platform]
        others.forget()

    def compile_and_load(backend, *rest, **named):
        if backend.platform != platform:
            return known(backend, *rest, **named)
        if any(client is backend for client in of_parent):
            raise RuntimeError(OF_PARENT)
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(handler):
            with others:
                return known(backend, *rest, **named)
        return deferring(handler, lambda: known(backend, *rest, **named))

    def deferring(handler, compile_):
        """If `handler` raised an exception while jaxlib waits, the process would end with a crash: jaxlib goes on compiling."""
        seen = []

        def note(*arguments):
            seen.append(arguments)
            # A handler of the user may return, and then the program is needed; so are those of other threads.
            if handler is signal.default_int_handler and others.count == 0:
                library.StrataInterruptCompilations()

        signal.signal(signal.SIGINT, note)
        try:
            return compile_()
        finally:
            signal.signal(signal.SIGINT, handler)
            if seen:
                handler(*seen[0])

    os.register_at_fork(after_in_child=after_fork)
    compiler.backend_compile_and_load = compile_and_load


class Count:
    """How many threads are in a block."""

    def __init__(self):
        self.forget()

    def forget(self):
        self.count, self.lock = 0, threading.Lock()

    def __enter__(self):
        with self.lock:
            self.count += 1

    def __exit__(self, *_):
        with self.lock:
            self.count -= 1
