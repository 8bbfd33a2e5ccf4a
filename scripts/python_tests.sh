#!/usr/bin/env bash
# Builds the wheel of the Python package and tries it:
#
#   wheel    `pip wheel .` from this checkout; at most 60 MB
#   venv     the wheel in a fresh virtual environment, with all tests of python/strata-compiler/tests; jax-plugin-strata beside it,
#            with its own: docs/guide/training.md is one
#   older    both with the oldest JAX that the plugin takes
#   torch    the same with PyTorch and torchax, which are large: left out unless named
#   debian   the wheel in a bare Debian 12 that has Python, and nothing of LLVM or of a C compiler
#
#   scripts/python_tests.sh [STEP…]        wheel, venv, older and debian without arguments
#
# Packages of Python come over the network; `debian` needs root, mmdebstrap and Debian's packages. STRATA_WHEEL names a wheel to try in
# place of building one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

steps=("$@")
((${#steps[@]})) || steps=(wheel venv older debian)
python=${PYTHON:-python3}
out=$PWD/build/wheels
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
phase() { printf 'python_tests: %d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }

wheel() {
  phase "building the wheel"
  rm -rf "$out"
  "$python" -m pip wheel --quiet --no-deps --wheel-dir "$out" .
}
built() {
  local wheel=${STRATA_WHEEL:-$(echo "$out"/strata_compiler-*.whl)}
  [[ -f $wheel ]] || { echo "python_tests: there is no wheel: name the step wheel, or STRATA_WHEEL" >&2; exit 1; }
  local size
  size=$(stat -Lc %s "$wheel")
  ((size <= 60000000)) || { echo "python_tests: the wheel has $size bytes, more than 60 MB" >&2; exit 1; }
  echo "$wheel"
}
environment() { # folder, packages
  "$python" -m venv "$1"
  "$1/bin/pip" install --quiet --disable-pip-version-check "$(built)" "${@:2}"
  "$1/bin/strata" --version
}
venv() {
  phase "a fresh environment"
  environment "$work/venv" 'jax==0.10.2'
  (cd python/strata-compiler/tests && for name in test_*.py; do
    [[ $name == test_torch.py ]] || JAX_PLATFORMS=cpu "$work/venv/bin/python" -m unittest -q "${name%.py}"
  done)
  phase "JAX on Strata"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check ./python/jax-plugin-strata flax optax
  JAX_PLATFORMS=strata,cpu "$work/venv/bin/python" scripts/check_jax_plugin.py
  (cd python/jax-plugin-strata/tests && for name in test_*.py; do "$work/venv/bin/python" -m unittest -q "${name%.py}"; done)
}
older() {
  phase "the oldest JAX"
  environment "$work/older" 'jax==0.8.0' 'jaxlib==0.8.0'
  "$work/older/bin/pip" install --quiet --disable-pip-version-check ./python/jax-plugin-strata
  (cd python/strata-compiler/tests && JAX_PLATFORMS=cpu "$work/older/bin/python" -m unittest -q test_jax)
  JAX_PLATFORMS=strata,cpu "$work/older/bin/python" scripts/check_jax_plugin.py
}
torch() {
  phase "with PyTorch"
  environment "$work/torch" 'jax==0.10.2' flax 'torch==2.9.1' 'torchax==0.0.13'
  (cd python/strata-compiler/tests && JAX_PLATFORMS=cpu "$work/torch/bin/python" -m unittest -q test_torch)
}
debian() {
  phase "a bare Debian 12"
  ((EUID == 0)) || { echo "python_tests: debian: run as root: the system is entered with chroot" >&2; exit 1; }
  command -v mmdebstrap >/dev/null || { echo "python_tests: no mmdebstrap: apt-get install mmdebstrap" >&2; exit 1; }
  local sources=()
  if grep -q '^VERSION_CODENAME=bookworm' /etc/os-release && [[ -f /etc/apt/sources.list.d/debian.sources ]]; then
    sources=(/etc/apt/sources.list.d/debian.sources)
  fi
  mmdebstrap --quiet --variant=apt --include=python3,python3-pip,python3-venv bookworm "$work/debian" "${sources[@]}"
  # What the wheel depends on comes as files, so that the system needs no network.
  mkdir "$work/debian/wheels"
  cp "$(built)" "$work/debian/wheels/"
  "$python" -m pip download --quiet --dest "$work/debian/wheels" --only-binary :all: --python-version 3.11 'numpy<3' ml_dtypes
  cp -r python/strata-compiler/tests "$work/debian/tests"
  chroot "$work/debian" env -i PATH=/usr/bin:/bin HOME=/root bash -euo pipefail -c '
    ! command -v cc && ! ls /usr/lib/llvm* 2>/dev/null
    python3 -m venv /venv
    /venv/bin/pip install --quiet --no-index --find-links /wheels strata-compiler
    /venv/bin/strata --version
    cd /tests
    /venv/bin/python -m unittest -q test_calls test_programs.Errors test_programs.Programs.test_stages test_processes'
}

for step in "${steps[@]}"; do
  case $step in
    wheel | venv | older | torch | debian) "$step" ;;
    *) echo "usage: scripts/python_tests.sh [wheel] [venv] [older] [torch] [debian]" >&2; exit 2 ;;
  esac
done
phase "done"
