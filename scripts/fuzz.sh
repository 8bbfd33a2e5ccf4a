#!/usr/bin/env bash
# Random programs of all families, compiled in several ways and evaluated; a run continues where the last one
# ended:
#   fuzz.sh [HOURS] [OPTION…]                                options of `strata-fuzz run`
# Failing programs are reduced and written to tests/found; counts per family are printed at the end.
# Damaged artifacts, read or rejected; without files, some are written first:
#   fuzz.sh artifacts [CASES] [FIRST_SEED] [FILE…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ "${1:-}" != artifacts ]]; then
  cargo build --release -p strata-fuzz
  # A small program that needs more memory than this is a finding.
  ulimit -v 8388608
  exec "${CARGO_TARGET_DIR:-target}/release/strata-fuzz" run --hours "${1:-1}" "${@:2}"
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
