#!/usr/bin/env bash
# Random programs, compiled and evaluated: fuzz.sh [CASES] [FIRST_SEED]. A failure names its seed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export STRATA_FUZZ_CASES="${1:-1000}" STRATA_FUZZ_SEED="${2:-1000000}"
cargo test --release -p strata-verify --test random_programs -- --nocapture
