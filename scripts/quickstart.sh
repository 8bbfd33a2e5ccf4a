#!/usr/bin/env bash
# From a fresh machine to a linked model: sets up, builds `strata`, compiles the bundled MLP, links
# examples/c/mlp.c with the system's C compiler and prints the predicted classes next to JAX's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
out=build/quickstart
mkdir -p "$out"

echo "quickstart: building strata (the first time takes some minutes)"
cargo build --quiet --release -p strata-cli
strata=${CARGO_TARGET_DIR:-target}/release/strata

echo "quickstart: strata compile examples/models/mlp.mlir -o $out/mlp.o --header $out/mlp.h"
"$strata" compile examples/models/mlp.mlir -o "$out/mlp.o" --header "$out/mlp.h"

echo "quickstart: cc -O2 -I$out examples/c/mlp.c $out/mlp.o -lm -o $out/mlp"
cc -O2 -I"$out" examples/c/mlp.c "$out/mlp.o" -lm -o "$out/mlp"

"$out/mlp" examples/models/mlp/input0.npy examples/models/mlp/output0.npy
