#!/usr/bin/env bash
# Checks what building Strata needs, and says how to repair what is missing. The LLVM version and its
# prefix are pinned in .cargo/config.toml and nowhere else. `--verbose` also names what is fine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

verbose=0
[[ ${1-} == --verbose || ${1-} == -v ]] && verbose=1
faults=0

good() { if ((verbose)); then echo "doctor: ok: $*"; fi; }
bad() { # what is wrong, how to repair it
  echo "doctor: $1" >&2
  echo "        repair: $2" >&2
  faults=$((faults + 1))
}
pinned() { sed -n "s/^$1 *= *\"\(.*\)\".*/\1/p" .cargo/config.toml; }
install_by_setup="scripts/setup.sh (Debian), or your system's package"

version=$(pinned STRATA_LLVM_VERSION)
prefix=$(pinned STRATA_LLVM_PREFIX)
major=${version%%.*}

if [[ -x $prefix/bin/llvm-config ]]; then
  found=$("$prefix/bin/llvm-config" --version)
  if [[ $found == "$version" ]]; then
    good "LLVM $found in $prefix"
  else
    bad "LLVM in $prefix is $found, but $version is pinned" \
      "install $version (scripts/setup.sh), or change STRATA_LLVM_VERSION in .cargo/config.toml and run scripts/test.sh"
  fi
else
  bad "no LLVM $version: $prefix/bin/llvm-config is missing" \
    "scripts/setup.sh, or set the prefixes in .cargo/config.toml to where LLVM $major is"
fi
for prefix_variable in "MLIR_SYS_${major}0_PREFIX" "LLVM_SYS_${major}1_PREFIX" "TABLEGEN_${major}0_PREFIX"; do
  if [[ $(pinned "$prefix_variable") != "$prefix" ]]; then
    bad "$prefix_variable differs from STRATA_LLVM_PREFIX" "make them equal in .cargo/config.toml"
  fi
done

for file in "lib/cmake/mlir/MLIRConfig.cmake:libmlir-$major-dev" "include/mlir-c/IR.h:libmlir-$major-dev" \
  "bin/mlir-tblgen:mlir-$major-tools" "lib/libPolly.a:libpolly-$major-dev" "lib/libclang.so:libclang-$major-dev"; do
  if [[ -e $prefix/${file%%:*} ]]; then
    good "$prefix/${file%%:*}"
  else
    bad "$prefix/${file%%:*} is missing" "install ${file##*:}: $install_by_setup"
  fi
done

for tool in "clang-$major:clang-$major" "ld.lld-$major:lld-$major" cmake:cmake ninja:ninja-build cc:gcc nm:binutils; do
  if command -v "${tool%%:*}" >/dev/null; then
    good "${tool%%:*}"
  else
    bad "no ${tool%%:*} in PATH" "install ${tool##*:}: $install_by_setup"
  fi
done

for header in zstd.h:libzstd-dev zlib.h:zlib1g-dev; do
  if command -v cc >/dev/null && ! echo "#include <${header%%:*}>" | cc -E -x c - >/dev/null 2>&1; then
    bad "${header%%:*} is missing" "install ${header##*:}: $install_by_setup"
  fi
done

rust_needed=$(sed -n 's/^rust-version *= *"\(.*\)".*/\1/p' Cargo.toml)
rust_needed=${rust_needed:-1.88}
if ! command -v cargo >/dev/null; then
  bad "no cargo in PATH" "install Rust $rust_needed or newer: https://rustup.rs"
elif ! rust=$(rustc --version 2>/dev/null); then
  bad "rustc does not run (rustup has no toolchain)" "rustup default stable"
else
  rust=$(awk '{ print $2 }' <<<"$rust")
  if [[ $(printf '%s\n' "$rust_needed" "$rust" | sort -V | head -n 1) == "$rust_needed" ]]; then
    good "Rust $rust"
  else
    bad "Rust $rust is too old, $rust_needed is needed" "rustup update stable"
  fi
fi

if ((faults)); then
  echo "doctor: $faults fault(s)" >&2
  exit 1
fi
good "everything is here"
