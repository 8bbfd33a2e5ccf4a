"""Models that are JAX functions: those of scripts/models, those of scripts/export_examples.py, those of other files.

ONNX Runtime and OpenVINO take the function as jax2onnx exports it, all others as StableHLO, with the same weights
and arguments. A file of one's own has a function `model()`, which returns the function, its weights and its
arguments: `function(weights, *arguments)`.

What is loaded is named by a source, which a line of JSON can hold.
"""

import hashlib
import importlib.util
import json
import sys
from pathlib import Path

from peers import einsum

SCRIPTS = Path(__file__).resolve().parent.parent
NAMES = ("resnet50", "mobilenet", "vit", "unet", "bert", "gpt2", "gpt2_decode", "lstm", "cnn_train")
# Their weights are constants.
EXAMPLES = ("mlp", "cnn", "transformer")
# Their weights are arguments: results are new ones.
TRAINED = ("cnn_train",)
WEIGHTS = ("constants", "arguments")


class Model:
    """A model to be measured; stands where `programs.Listed` does for a text."""

    text = kinds = None

    def __init__(self, name, source):
        self.name, self.source = name, source
        written = hashlib.sha256(json.dumps(source, sort_keys=True).encode())
        for path in [Path(source["file"])] if "file" in source else _sources():
            written.update(path.read_bytes())
        self.digest = written.hexdigest()[:16]


def _sources():
    return [*sorted((SCRIPTS / "models").glob("*.py")), SCRIPTS / "export_examples.py"]


def name_of(name, weights):
    """The name of a row, as docs/models.md has it.

    >>> name_of("bert", "constants"), name_of("bert", "arguments"), name_of("mlp", "constants")
    ('bert_embedded', 'bert', 'mlp')
    """
    return f"{name}_embedded" if weights == "constants" and name not in EXAMPLES else name


def listed(names, files, weights, tiny):
    """The models of some names (`all`: every one) and files, with each of some ways to have weights."""
    names = [*NAMES, *EXAMPLES] if names == ["all"] else names
    if unknown := set(names) - {*NAMES, *EXAMPLES}:
        raise SystemExit(f"no model {', '.join(sorted(unknown))}; there are {', '.join((*NAMES, *EXAMPLES))}")
    found = []
    for name in names:
        for way in ["constants"] if name in EXAMPLES else ["arguments"] if name in TRAINED else weights:
            found.append(Model(name_of(name, way), {"name": name, "weights": way, "tiny": tiny}))
    for path in files:
        for way in weights:
            found.append(Model(name_of(path.stem, way), {"file": str(path.resolve()), "weights": way}))
    return found


# What follows runs in a worker.


def load(source):
    """The function of flat arguments, with a flat tuple of results, and its arguments."""
    import jax
    import numpy as np

    jax.config.update("jax_enable_x64", False)  # workers have it on, for programs on f64
    function, weights, inputs = _read(source)
    inside = source["weights"] == "constants"
    leaves, tree = jax.tree.flatten(tuple(inputs) if inside else (weights, *inputs))

    def flat(*arguments):
        arguments = jax.tree.unflatten(tree, arguments)
        return tuple(jax.tree.leaves(function(weights, *arguments) if inside else function(*arguments)))

    return flat, [np.asarray(leaf) for leaf in leaves]


def _read(source):
    """The function, its weights and its inputs."""
    if "file" in source:
        spec = importlib.util.spec_from_file_location("model_of_a_file", source["file"])
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(Path(source["file"]).parent))
        spec.loader.exec_module(module)
        made = module.model()
        return (made.function, made.weights, made.inputs) if hasattr(made, "function") else made
    name = source["name"]
    if name in EXAMPLES:
        import export_examples

        ending = f"tests/programs/{name}_tiny" if source["tiny"] else f"examples/models/{name}"
        function, inputs, _ = next(made for _, folder, made in export_examples.programs() if folder == ending)
        return (lambda _, *given: function(*given)), (), inputs
    from models import MODELS

    maker, large, small = MODELS[name]
    made = maker(**(small if source["tiny"] else large))
    return made.function, made.weights, made.inputs


def lowered(source):
    """The StableHLO of a model, and its arguments."""
    import jax

    flat, arguments = load(source)
    # All arguments are kept, so that the order is that of the flat tree.
    return jax.jit(flat, keep_unused=True).lower(*arguments).compiler_ir("stablehlo"), arguments


def export_onnx(source, folder):
    """Writes program.onnx."""
    import jax
    import onnx
    from jax2onnx import to_onnx

    flat, arguments = load(source)
    shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arguments]
    path = str(Path(folder) / "program.onnx")
    to_onnx(flat, shapes, return_mode="file", output_path=path)
    # Weights may be in a file of their own, which stays.
    model = onnx.load(path, load_external_data=False)
    for part in (model.graph, *model.functions):
        einsum.replace(part, onnx.helper)
    onnx.save(model, path)
