#!/usr/bin/env bash
# Installs the Debian packages of scripts/packages.txt that are missing, then checks everything with
# scripts/doctor.sh. Does nothing when all is there. On another system, doctor.sh says what is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t packages < <(grep -v '^#' scripts/packages.txt)

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  missing=()
  for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $status == installed ]] || missing+=("$package")
  done
  if ((${#missing[@]})); then
    as_root=()
    if ((EUID != 0)); then
      command -v sudo >/dev/null || {
        echo "setup: run as root, or install sudo: apt-get install ${missing[*]}" >&2
        exit 1
      }
      as_root=(sudo)
    fi
    echo "setup: installing ${missing[*]}"
    "${as_root[@]}" apt-get -qq update || echo "setup: apt-get update failed; trying with the lists that are here" >&2
    for package in "${missing[@]}"; do
      if [[ $(apt-cache policy "$package" | awk '/Candidate:/ { print $2 }') =~ ^(\(none\))?$ ]]; then
        echo "setup: no package $package here. Debian 12 has LLVM 22 in bookworm-security (main)," >&2
        echo "       the LLVM project's own apt repository in llvm-toolchain-bookworm-22." >&2
        exit 1
      fi
    done
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 || {
      tail -n 30 "$log" >&2
      exit 1
    }
  fi
fi

exec scripts/doctor.sh
