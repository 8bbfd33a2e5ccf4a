#!/usr/bin/env bash
# Sets up (scripts/setup.sh) and passes all tests. Arguments go to the test runner.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
# Built together with the tests, the command shares their dependencies; built separately, as the suite would otherwise
# do, it resolves other features and compiles the MLIR bindings a second time.
cargo build --workspace --bins --tests || {
  # Debug binaries take 9 GB: a linker that fails has mostly run out of something, and says so far above.
  echo "test.sh: the build failed; disk and memory that are left:" >&2
  df -h . >&2
  free -m >&2 || true
  exit 1
}
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
export STRATA_BIN=${STRATA_BIN:-$target/debug/strata}
# Its lints are part of docs/ARCHITECTURE.md: safety comments, and no order of hash maps in output.
# Nothing is linked for them: the C++ of the build above serves, which would be built once more.
if cargo clippy --version >/dev/null 2>&1; then
  (
    for built in "$target"/debug/build/strata-ir-*/out/build; do
      [[ ! -d $built ]] || export STRATA_DIALECTS_BUILD=$built
    done
    cargo clippy --workspace --all-targets --quiet
  )
fi
if command -v cargo-nextest >/dev/null; then
  cargo nextest run --workspace --no-fail-fast "$@"
  cargo test --workspace --doc --quiet
else
  cargo test --workspace --no-fail-fast "$@"
fi
