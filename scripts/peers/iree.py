"""IREE's llvm-cpu code for this CPU, called through its VM: on the calling thread (`local-sync`) where there is one
thread, by workers that are given a processor each (`local-task`) where there are more."""

import time
from pathlib import Path

import numpy as np

from peers.buffers import Buffers
from peers.programs import arguments

# Neither set of flags is always the better one: the faster is kept.
FLAGS = {"default": [], "O3": ["--iree-opt-level=O3"]}


class Iree:
    def __init__(self, spec):
        import iree.compiler
        import iree.runtime

        self.runtime, self.spec = iree.runtime, spec
        if spec["threads"] > 1:
            processors = ",".join(map(str, spec["processors"]))
            iree.runtime.flags.parse_flags(f"--task_topology_cpu_ids={processors}")
        self.config = iree.runtime.Config("local-task" if spec["threads"] > 1 else "local-sync")
        buffers = Buffers()
        self.given = [buffers.copy(a) for a in arguments(spec)]
        self.resident = [iree.runtime.asdevicearray(self.config.device, a) for a in self.given]
        self.arguments = iree.runtime.VmVariantList(len(self.resident))
        for array in self.resident:
            self.arguments.push_ref(array._buffer_view)
        text = (Path(spec["folder"]) / "program.mlir").read_bytes()
        trials, reason = [], None
        for name, flags in FLAGS.items():
            start = time.perf_counter()
            try:
                binary = iree.compiler.compile_str(
                    text,
                    input_type="stablehlo",
                    target_backends=["llvm-cpu"],
                    extra_args=["--iree-llvmcpu-target-cpu=host", *flags],
                )
                seconds = time.perf_counter() - start
                trials.append((self.trial(binary), name, seconds, binary))
            except Exception as error:  # one set of flags may do what the other does not
                reason = error
        if not trials:
            raise reason
        _, self.note, self.compile_seconds, binary = min(trials, key=lambda t: t[0])
        self.load(binary)

    def trial(self, binary):
        """The best time of a few calls."""
        self.load(binary)
        call, best, start = self.variants[""], [], time.perf_counter()
        call()
        while len(best) < 3 or time.perf_counter() - start < 0.2:
            begin = time.perf_counter()
            call()
            best.append(time.perf_counter() - begin)
            if time.perf_counter() - start > 5:
                break
        return min(best)

    def load(self, binary):
        context = self.runtime.SystemContext(config=self.config)
        module = self.runtime.VmModule.copy_buffer(context.instance, binary)
        context.add_vm_module(module)
        function, invoke = module.lookup_function(self.spec["entry"]), context.vm_context.invoke
        variants, given, count = self.runtime.VmVariantList, self.arguments, len(self.spec["outputs"])
        self.context = context

        def call():
            results = variants(count)
            invoke(function, given, results)
            return results

        self.variants = {"": call}

    def results(self, variant=""):
        out = self.variants[variant]()
        views = (out.get_as_object(i, self.runtime.HalBufferView) for i in range(len(self.spec["outputs"])))
        return [np.asarray(self.runtime.DeviceArray(self.config.device, v).to_host()) for v in views]
