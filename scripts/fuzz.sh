#!/usr/bin/env bash
# Random programs, compiled and evaluated: fuzz.sh [CASES] [FIRST_SEED]. A failure names its seed.
# Damaged artifacts, read or refused:      fuzz.sh artifacts [CASES] [FIRST_SEED] [FILE…]. Without files, some are written first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ "${1:-}" != artifacts ]]; then
  export STRATA_FUZZ_CASES="${1:-1000}" STRATA_FUZZ_SEED="${2:-1000000}"
  exec cargo test --release -p strata-verify --test random_programs -- --nocapture
fi

cases="${2:-20000}" next="${3:-0}"
end=$((next + cases))
files=("${@:4}")
profile=(${STRATA_FUZZ_PROFILE:---release})
cargo build "${profile[@]}" -p strata-tests --example mutate
cargo build "${profile[@]}" -p strata-cli
built="${CARGO_TARGET_DIR:-target}/release"
[[ "${profile[*]}" == --release ]] || built="${CARGO_TARGET_DIR:-target}/debug"

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
if ((${#files[@]} == 0)); then
  for program in examples/*/*.mlir tests/programs/*/input.mlir tests/ops/*/input.mlir; do
    for version in 0.9.0 0.14.0 1.8.0 1.20.0; do
      file="$scratch/$(tr / - <<<"${program%.mlir}")-$version.mlirbc"
      "$built/strata" translate --to "artifact@$version" -o "$file" "$program" 2>"$scratch/refused" || true
      [[ -s "$file" ]] && files+=("$file")
    done
  done
fi

crashes=0
while ((next < end)); do
  # A process that reads a small file has no use for more memory than this.
  if (ulimit -v 2097152 && timeout 3600 "$built/examples/mutate" "$next" "$end" "${files[@]}") >"$scratch/log"; then
    next=$end
    tail -n 1 "$scratch/log"
  else
    last="$(tail -n 1 "$scratch/log")"
    echo "mutation $last ended the process" >&2
    crashes=$((crashes + 1))
    next=$((last + 1))
  fi
done
echo "$cases mutations of ${#files[@]} artifacts, $crashes crashes"
((crashes == 0))
