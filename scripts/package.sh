#!/usr/bin/env bash
# Makes the packages: strata_<version>_<architecture>.deb for Debian 12, and strata-<version>-<machine>-linux.tar.zst, which runs from
# any folder. Both hold the command, the run-time library, strata/abi.h, the CMake package, pkg-config files, manual pages,
# completions, an SBOM and the licences of all that is linked in. Times are those of the commit, or SOURCE_DATE_EPOCH, so that
# packing the same files again gives the same bytes.
#
#   scripts/package.sh [--test] [FOLDER]     into build/packages by default
#
# --test also runs scripts/try_packages.sh on them, which needs root and fetches Debian's packages. Without it nothing is fetched but
# the crates that are linked in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

try=0
if [[ ${1-} == --test ]]; then
  try=1
  shift
fi
[[ ${1-} != -* && $# -le 1 ]] || {
  echo "usage: scripts/package.sh [--test] [FOLDER]" >&2
  exit 2
}
phase() { printf 'package: %d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }

out=$(mkdir -p "${1:-build/packages}" && cd "${1:-build/packages}" && pwd)
for tool in dpkg-deb dpkg-shlibdeps zstd strip python3; do
  command -v "$tool" >/dev/null || {
    echo "package: no $tool in PATH: apt-get install dpkg-dev zstd binutils python3" >&2
    exit 1
  }
done

version=$(sed -n '/^\[workspace\.package\]/,/^\[/s/^version *= *"\(.*\)"/\1/p' Cargo.toml)
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || true)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Cargo.lock)}
machine=$(uname -m)
architecture=$(dpkg --print-architecture)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

phase "1 of 6: building the command and the run-time library"
# The messages say where the sources of what is linked in are.
cargo build --locked --release -p strata-cli -p strata-runtime --message-format json-render-diagnostics >"$work/built.json"
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release

# What both packages hold, below $1; `bash-completion` and the others look in different folders of a system and of a prefix.
stage() { # folder, folder of zsh's completions
  install -D -m 755 "$target/strata" "$1/bin/strata"
  strip --strip-all "$1/bin/strata"
  (($(stat -c %s "$1/bin/strata") < 120000000)) || {
    echo "package: the command has more than 120 MB; see docs/build-systems.md" >&2
    exit 1
  }
  install -D -m 644 "$target/libstrata_runtime.a" "$1/lib/libstrata_runtime.a"
  strip --strip-debug --enable-deterministic-archives "$1/lib/libstrata_runtime.a"

  mkdir -p "$1/include/strata"
  install -m 644 include/strata/* "$1/include/strata/"

  install -D -m 644 packaging/cmake/StrataConfig.cmake "$1/lib/cmake/Strata/StrataConfig.cmake"
  mkdir -p "$1/lib/pkgconfig"
  sed "s/@VERSION@/$version/" packaging/cmake/StrataConfigVersion.cmake.in >"$1/lib/cmake/Strata/StrataConfigVersion.cmake"
  for name in strata strata-runtime; do
    sed "s/@VERSION@/$version/" "packaging/$name.pc.in" >"$1/lib/pkgconfig/$name.pc"
  done

  "$1/bin/strata" man --output-dir "$1/share/man/man1"
  gzip -9n "$1"/share/man/man1/*
  mkdir -p "$1/share/bash-completion/completions" "$1/share/fish/vendor_completions.d" "$1/$2"
  "$1/bin/strata" completions bash >"$1/share/bash-completion/completions/strata"
  "$1/bin/strata" completions fish >"$1/share/fish/vendor_completions.d/strata.fish"
  "$1/bin/strata" completions zsh >"$1/$2/_strata"

  mkdir -p "$1/share/doc/strata"
  cp README.md docs/abi.md "$1/share/doc/strata/"
  cp "$work/strata.cdx.json" "$work/THIRD-PARTY.txt" "$1/share/doc/strata/"
}

phase "2 of 6: SBOM and licences"
scripts/licences.py --sbom "$work/strata.cdx.json" --texts "$work/THIRD-PARTY.txt" --commit "$commit" --built "$work/built.json" \
  --target "$machine-unknown-linux-gnu"

phase "3 of 6: files of the archive"
root=$work/strata-$version-$machine-linux
stage "$root" share/zsh/site-functions
cp LICENSE "$root/"
find "$root" -type d -exec chmod 755 {} + -o -type f ! -perm /111 -exec chmod 644 {} +
tarball=$out/strata-$version-$machine-linux.tar.zst
phase "4 of 6: ${tarball##*/} (compressing takes a minute or two)"
tar --create --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
  --directory "$work" "strata-$version-$machine-linux" | zstd -19 -T0 --quiet --force -o "$tarball"

phase "5 of 6: files of the .deb"
system=$work/deb
stage "$system/usr" share/zsh/vendor-completions
{
  echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
  printf 'Files: *\nCopyright: the authors of Strata\nLicense: Apache-2.0\n'
  echo " The text is in /usr/share/common-licenses/Apache-2.0. What is linked in, and its licences, is in THIRD-PARTY.txt."
} >"$system/usr/share/doc/strata/copyright"
gzip -9n "$system/usr/share/doc/strata/THIRD-PARTY.txt"
find "$system" -type d -exec chmod 755 {} + -o -type f ! -perm /111 -exec chmod 644 {} +
mkdir -p "$work/debian"
printf 'Source: strata\n\nPackage: strata\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -e"$system/usr/bin/strata" | sed -n 's/^shlibs:Depends=//p')
[[ $depends ]]
mkdir -p "$system/DEBIAN"
cat >"$system/DEBIAN/control" <<CONTROL
Package: strata
Version: $version
Architecture: $architecture
Maintainer: the authors of Strata <strata@localhost>
Installed-Size: $(du --apparent-size -sk "$system/usr" | cut -f1)
Depends: $depends
Recommends: gcc, libc6-dev
Suggests: cmake, pkg-config
Section: devel
Priority: optional
Description: ahead-of-time compiler for StableHLO
 Compiles a StableHLO program into an object file that any C, C++ or Rust
 program can link, with nothing left to install.
CONTROL
(cd "$system" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$system/DEBIAN/md5sums"
find "$system" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
deb=$out/strata_${version}_$architecture.deb
phase "6 of 6: ${deb##*/} (compressing takes a minute or two)"
dpkg-deb --root-owner-group -Zxz --build "$system" "$deb" >/dev/null

cp "$work/strata.cdx.json" "$out/"
(cd "$out" && sha256sum "${deb##*/}" "${tarball##*/}" strata.cdx.json >SHA256SUMS)
ls -l "$system/usr/bin/strata" "$deb" "$tarball" | awk '{ print "package: " $5 " bytes " $9 }'
phase "done"
if ((try)); then
  scripts/try_packages.sh "$out"
fi
