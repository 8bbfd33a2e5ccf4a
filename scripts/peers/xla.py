"""XLA:CPU, called through jax.jit.

Its outputs are new arrays in each call: an argument that is still needed cannot be donated to one. What is kept of a
call is dropped before the next, so that the allocator (see `measure.environment`) has the pages for it.
"""

import dataclasses
import time
from pathlib import Path

from peers.buffers import Buffers
from peers.programs import arguments, dtype_of


class Xla:
    def __init__(self, spec):
        import jax
        import jax.numpy as jnp
        import numpy as np

        inputs, outputs = ([(tuple(s), dtype_of(e)) for s, e in spec[side]] for side in ("inputs", "outputs"))
        shapes = [jax.ShapeDtypeStruct(*i) for i in inputs]
        # The exported shell of a function of this signature, its body replaced by the program.
        shell = jax.export.export(jax.jit(lambda *_: [jnp.zeros(*o) for o in outputs]))(*shapes)
        exported = dataclasses.replace(
            shell,
            mlir_module_serialized=(Path(spec["folder"]) / "program.bytecode").read_bytes(),
            module_kept_var_idx=tuple(range(len(shapes))),
            disabled_safety_checks=(jax.export.DisabledSafetyCheck.custom_call("*"),),
        )
        # What is loaded and made with the first compilation of a process is not this program's.
        jax.block_until_ready(jax.jit(jnp.negative)(np.zeros((), np.float32)))
        lowered = jax.jit(exported.call).lower(*shapes)
        start = time.perf_counter()
        function = lowered.compile()
        self.compile_seconds, self.note = time.perf_counter() - start, ""
        buffers = Buffers()
        self.given = [buffers.copy(a) for a in arguments(spec)]
        self.arguments = [jax.device_put(a) for a in self.given]
        ready, resident = jax.block_until_ready, self.arguments
        self.variants = {"": lambda: ready(function(*resident))}
        self.numpy = np.asarray

    def results(self, variant=""):
        return [self.numpy(result) for result in self.variants[variant]()]
