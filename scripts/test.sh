#!/usr/bin/env bash
# Sets up (scripts/setup.sh) and passes all tests. Arguments go to the test runner.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
if command -v cargo-nextest >/dev/null; then
  cargo nextest run --workspace --no-fail-fast "$@"
  cargo test --workspace --doc --quiet
else
  cargo test --workspace --no-fail-fast "$@"
fi
