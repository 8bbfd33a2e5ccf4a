"""What is measured: StableHLO programs, their signatures and their arguments."""

import hashlib
import json
import shutil
from pathlib import Path

from peers.counts import counts

ROOT = Path(__file__).resolve().parent.parent.parent
MATMULS = (64, 128, 256, 512, 1024)
BUNDLED = ("mlp", "cnn", "transformer")


class Listed:
    """A program to be measured: a name, its text, and kinds of arguments if a manifest has them."""

    source = None

    def __init__(self, name, text, kinds=None):
        self.name, self.text, self.kinds = name, text, kinds
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]


def matmul(n):
    """The text of a product of squares."""
    t = f"tensor<{n}x{n}xf32>"
    return (
        f"func.func public @main(%a: {t}, %b: {t}) -> {t} {{\n"
        f"  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({t}, {t}) -> {t}\n"
        f"  return %0 : {t}\n}}\n"
    )


def of_folder(folder):
    """The programs of a folder: in the order of its manifest.json where it has one, by name otherwise."""
    manifest = folder / "manifest.json"
    if not manifest.is_file():
        return [Listed(path.stem, path.read_text()) for path in sorted(folder.glob("*.mlir"))]
    told = json.loads(manifest.read_text())
    return [Listed(p["name"], (folder / f"{p['name']}.mlir").read_text(), p.get("inputs")) for p in told]


def of_file(path):
    """A program, with the arguments in the manifest in its folder."""
    manifest = path.parent / "manifest.json"
    told = json.loads(manifest.read_text()) if manifest.is_file() else []
    kinds = next((p.get("inputs") for p in told if p["name"] == path.stem), None)
    return Listed(path.stem, path.read_text(), kinds)


def selected(paths, models, only, functions=()):
    """The programs of files and folders, the bundled models, and models that are JAX functions; without any, matmuls
    and the bundled models."""
    found = []
    for path in paths:
        found += of_folder(path) if path.is_dir() else [of_file(path)]
    nothing = not paths and not functions
    if nothing:
        found = [Listed(f"matmul_f32_{n}", matmul(n)) for n in MATMULS]
    found += functions
    if models or nothing:
        found += [Listed(name, (ROOT / f"examples/models/{name}.mlir").read_text()) for name in BUNDLED]
    if unknown := set(only) - {p.name for p in found}:
        raise SystemExit(f"no program {', '.join(sorted(unknown))}")
    return [p for p in found if not only or p.name in only]


# What follows runs in a worker: it needs numpy and the MLIR of jaxlib.


def dtype_of(name):
    """numpy's type of an element type of MLIR."""
    import ml_dtypes
    import numpy as np

    known = {"bf16": ml_dtypes.bfloat16, "i1": np.bool_, "complex<f32>": np.complex64, "complex<f64>": np.complex128}
    if name in known:
        return np.dtype(known[name])
    if name.startswith("f8"):
        return np.dtype(getattr(ml_dtypes, "float8_" + name[2:].lower()))
    kind, bits = name.rstrip("0123456789"), name.lstrip("abcdefghijklmnopqrstuvwxyz")
    return np.dtype({"f": "float", "i": "int", "ui": "uint"}[kind] + bits)


def describe(program, folder):
    """Signature, what it must do at least, and files with the arguments and with the portable form that JAX takes.

    `program` has `text` and `kinds` of arguments, or the `source` of a model.
    """
    import numpy as np
    from jax._src.interpreters import mlir as jax_mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    from peers import zoo

    if program.get("source"):
        module, given = zoo.lowered(program["source"])
        with module.context:
            told = _described(ir, stablehlo, module, folder)
        # Text of constants is large, and slow to write and to read.
        shutil.copyfile(folder / "program.bytecode", folder / "program.mlir")
    else:
        given, kinds = None, program["kinds"]
        with jax_mlir.make_ir_context():
            told = _described(ir, stablehlo, ir.Module.parse(program["text"]), folder)
        (folder / "program.mlir").write_text(program["text"])
    rng = np.random.default_rng(0)
    for index, (shape, element) in enumerate(told["inputs"]):
        if given is None:
            kind = kinds[index] if kinds else None
            array = _argument(rng, shape, dtype_of(element), kind)
        else:
            array = given[index]
        np.save(folder / f"input{index}.npy", array.view(_plain(element)))
    return told


def _described(ir, stablehlo, module, folder):
    functions = {f.name.value: f for f in module.body if f.operation.name == "func.func"}
    entry = functions["main"] if "main" in functions else next(iter(functions.values()))
    counted = counts(ir, stablehlo, module, entry, functions)
    told = {
        "entry": entry.name.value,
        "inputs": [_signature(ir, t) for t in entry.type.inputs],
        "outputs": [_signature(ir, t) for t in entry.type.results],
        "flops": sum(counted["flops"].values()),
        # Shares of the f32 peak say nothing about products of other types.
        "of_peak": set(counted["flops"]) == {"f32"},
        "least": counted,
    }
    # JAX loads modules that are called `main`, and whose signature it knows.
    module.operation.attributes["sym_name"] = ir.StringAttr.get("program")
    (folder / "program.bytecode").write_bytes(_portable(module, stablehlo))
    return told


def _portable(module, stablehlo):
    try:
        return stablehlo.serialize_portable_artifact(module, stablehlo.get_minimum_version())
    except Exception:  # operations of another dialect among them
        return stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version(), True)


def _plain(element):
    """The type that an array is kept as in a file, where numpy's own do not do."""
    dtype = dtype_of(element)
    return dtype if dtype.kind in "biufc" else f"u{dtype.itemsize}"


def _signature(ir, tensor):
    tensor = ir.RankedTensorType(tensor)
    return list(tensor.shape), str(tensor.element_type)


def _argument(rng, shape, dtype, kind):
    import numpy as np

    kind = kind or {"kind": "int", "lo": 0, "hi": 8} if dtype.kind in "iub" else kind or {"kind": "normal"}
    match kind["kind"]:
        case "int":
            values = rng.integers(kind["lo"], kind["hi"], size=shape)
        case "uniform":
            values = rng.uniform(kind["lo"], kind["hi"], size=shape)
        case "const":
            values = np.full(shape, kind["value"])
        case "ones":
            values = np.ones(shape)
        case "spd":  # symmetric and positive definite
            factor = rng.normal(size=shape)
            values = factor @ np.swapaxes(factor, -1, -2) / shape[-1] + np.eye(shape[-1])
        case "tril":  # a lower triangle that can be solved with
            factor = rng.normal(size=shape)
            values = np.tril(factor, -1) / shape[-1] + (1 + np.abs(factor)) * np.eye(shape[-1])
        case "normal":
            values = rng.standard_normal(shape)
            if dtype.kind == "c":
                values = values + 1j * rng.standard_normal(shape)
            values = values * kind.get("scale", 1.0)
        case other:
            raise ValueError(f"the manifest has an argument of an unknown kind: {other}")
    return np.asarray(values).astype(dtype)


def arguments(spec):
    """The arguments that `describe` has written."""
    import numpy as np

    for index, (shape, element) in enumerate(spec["inputs"]):
        yield np.load(f"{spec['folder']}/input{index}.npy").view(dtype_of(element)).reshape(shape)
