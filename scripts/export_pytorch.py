#!/usr/bin/env python3
"""Export a PyTorch model to StableHLO and compare what Strata computes with what PyTorch does.

    python3 -m venv venv
    venv/bin/pip install torch==2.9.1 torchax==0.0.13 jax==0.10.2 flax
    venv/bin/python scripts/export_pytorch.py --strata target/release/strata

PyPI's torch for Linux comes with libraries for GPUs (5 GB), which nothing here uses but torch does not load without; any
other torch 2.9 will do.

The route is `torch.export`, which traces the model, and torchax, which lowers what was traced through JAX. The
program's arguments are the parameters and buffers that it reads, in torchax's order, then the inputs.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from torchax.export import exported_program_to_stablehlo


class Net(torch.nn.Module):
    """Two convolutions, one of them depthwise, with normalisation, pooling and attention over what is left."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.depthwise = torch.nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=8)
        self.attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        x = torch.nn.functional.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        x = torch.nn.functional.gelu(self.depthwise(x)).flatten(2).transpose(1, 2)
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return torch.log_softmax(self.head(x.mean(1)), -1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="keep the program and its arrays in this folder")
    parser.add_argument("--strata", type=Path, help="the command to run the program with")
    options = parser.parse_args()
    torch.manual_seed(7)
    model, x = Net().eval(), torch.randn(2, 3, 13, 11)
    program = torch.export.export(model, (x,))
    weights, lowered = exported_program_to_stablehlo(program)
    expected = model(x).detach().numpy()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.output or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.mlir").write_text(lowered.mlir_module())
        arguments = []
        arrays = [*weights, x.numpy()]
        # Inputs that the program does not read, such as training counters, are not arguments of it.
        for index, position in enumerate(lowered.module_kept_var_idx):
            np.save(folder / f"input{index}.npy", np.asarray(arrays[position]))
            arguments += ["--input", folder / f"input{index}.npy"]
        np.save(folder / "output0.npy", expected)
        if options.strata is None:
            return 0
        command = [options.strata, "run", folder / "model.mlir", "--output-dir", folder / "found", *arguments]
        (folder / "found").mkdir(exist_ok=True)
        subprocess.run([str(part) for part in command], check=True)
        found = np.load(folder / "found" / "output0.npy")
    difference = float(np.abs(found - expected).max())
    print(f"largest difference {difference:.1e}")
    return 0 if difference < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
