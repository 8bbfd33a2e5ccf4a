"""OpenVINO on the CPU, of a model that jax2onnx has exported: one stream, computing in f32, with resident tensors.

Without the hint it computes in bf16 where the processor does.
"""

import time
from pathlib import Path

from peers.buffers import Buffers
from peers.programs import arguments, dtype_of


PLACES = ("Exception from ", "Check '", "While validating ", "FrontEnd API failed", "Model wasn't fully", "Summary:")


def _reason(message):
    """What a message says beside places in OpenVINO's sources.

    >>> _reason("Exception from src/core.cpp:1:\\nCheck 'a' failed at src/b.cpp:2:\\nExpected a 4D tensor\\n\\n")
    'Expected a 4D tensor'
    """
    lines = (line.strip() for line in message.splitlines())
    return " ".join(line for line in lines if line and not line.startswith(PLACES))


class OpenVino:
    def __init__(self, spec):
        import openvino

        settings = {
            "INFERENCE_NUM_THREADS": spec["threads"],
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32",
        }
        core, path = openvino.Core(), str(Path(spec["folder"]) / "program.onnx")
        start = time.perf_counter()
        try:
            self.compiled = core.compile_model(path, "CPU", settings)
        except RuntimeError as error:
            raise RuntimeError(_reason(str(error))) from None
        self.compile_seconds, self.note = time.perf_counter() - start, ""
        buffers, request = Buffers(), self.compiled.create_infer_request()
        self.given = [buffers.copy(a) for a in arguments(spec)]
        self.outputs = [buffers.new(shape, dtype_of(element)) for shape, element in spec["outputs"]]
        for arrays, ports, keep in (
            (self.given, self.compiled.inputs, request.set_input_tensor),
            (self.outputs, self.compiled.outputs, request.set_output_tensor),
        ):
            for index, (array, port) in enumerate(zip(arrays, ports, strict=True)):
                if array.dtype != port.element_type.to_dtype():
                    raise RuntimeError(f"{port.element_type.to_dtype()} in place of {array.dtype}")
                keep(index, openvino.Tensor(array, shared_memory=True))
        # Results are not copied: they are where `outputs` says.
        self.variants = {"": lambda: request.infer(share_outputs=True)}

    def results(self, variant=""):
        for output in self.outputs:
            output.reshape(-1).view("u1").fill(0xAA)  # what is not written shows
        self.variants[variant]()
        return self.outputs
