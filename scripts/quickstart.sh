#!/usr/bin/env bash
# From a fresh machine to linked models: sets up, builds `strata` and the run-time library, compiles the bundled MLP, links
# examples/c/mlp.c with the system's C compiler and prints the predicted classes next to JAX's. Then the same with a program of
# eigenvalues, which needs the run-time library.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'quickstart: %d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }

say "checking what the build needs"
scripts/setup.sh
out=build/quickstart
mkdir -p "$out"

say "building strata and its run-time library (the first time takes ten minutes on two cores)"
cargo build --release -p strata-cli -p strata-runtime
strata=${CARGO_TARGET_DIR:-target}/release/strata

say "strata compile examples/models/mlp.mlir -o $out/mlp.o --header $out/mlp.h"
"$strata" compile examples/models/mlp.mlir -o "$out/mlp.o" --header "$out/mlp.h"

say "cc -O2 -I$out examples/c/mlp.c $out/mlp.o -lm -o $out/mlp"
cc -O2 -I"$out" examples/c/mlp.c "$out/mlp.o" -lm -o "$out/mlp"
"$out/mlp" examples/models/mlp/input0.npy examples/models/mlp/output0.npy

say "strata compile examples/eigen/eigen.mlir --target-cpu native --link-runtime --emit exe -o $out/eigen"
"$strata" compile examples/eigen/eigen.mlir --target-cpu native --link-runtime --emit exe -o "$out/eigen"
# Writes output0.npy to the folder that it runs in.
examples=$PWD/examples
(cd "$out" && ./eigen "$examples/eigen/input0.npy" && [[ -s output0.npy ]])
"$strata" run examples/eigen/eigen.mlir --input examples/eigen/input0.npy

say "done: the command is $strata"
