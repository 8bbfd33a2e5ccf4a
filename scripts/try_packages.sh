#!/usr/bin/env bash
# Tries the packages, and each way to build with Strata, in a bare Debian 12 that has nothing of Strata or LLVM:
#
#   deb         the .deb with what it depends on, and every kind of file in it
#   tarball     the .tar.zst in an odd folder, linking a C program by hand
#   cmake       examples/cmake with the unpacked package
#   pkg-config  a C compiler with what pkg-config says, also with the run-time library
#   crate       a crate whose build script uses strata-build with the installed command
#   install     cargo install --path crates/strata-cli, then examples/template, which has the compiler in its build script; both
#               build everything, which takes half an hour: left out unless named
#
#   scripts/try_packages.sh [PACKAGES [STEP…]]     PACKAGES is the folder of scripts/package.sh
#
# Needs root, mmdebstrap and Debian's packages over the network. `crate` and `install` lend the system this one's Rust toolchain
# and crates. STRATA_ROOTS names a folder that keeps the bare system for the next run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

((EUID == 0)) || { echo "try_packages: run as root: the system is entered with chroot" >&2; exit 1; }
command -v mmdebstrap >/dev/null || { echo "try_packages: no mmdebstrap: apt-get install mmdebstrap" >&2; exit 1; }
# What is mounted below is mounted for this process only, and gone when it ends.
[[ ${STRATA_MOUNTS-} == own ]] || exec env STRATA_MOUNTS=own unshare --mount "scripts/${0##*/}" "$@"

packages=$(cd "${1:-build/packages}" && pwd)
shift || true
steps=("$@")
((${#steps[@]})) || steps=(deb tarball cmake pkg-config crate)
deb=$(basename "$packages"/strata_*.deb)
tarball=$(basename "$packages"/strata-*.tar.zst)

roots=${STRATA_ROOTS:-$(mktemp -d)}
root=$roots/root
mkdir -p "$root"
clean() {
  awk -v root="$root/" 'index($2, root) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount
  rm -rf --one-file-system "$root"
  [[ ${STRATA_ROOTS-} ]] || rm -rf --one-file-system "$roots"
}
trap clean EXIT

if [[ ! -f $roots/bare.tar ]]; then
  echo "try_packages: making a bare Debian 12"
  # The sources of a Debian 12 may be those of a mirror.
  sources=()
  if grep -q '^VERSION_CODENAME=bookworm' /etc/os-release && [[ -f /etc/apt/sources.list.d/debian.sources ]]; then
    sources=(/etc/apt/sources.list.d/debian.sources)
  fi
  mmdebstrap --quiet --variant=apt bookworm "$roots/new.tar" "${sources[@]}"
  mv "$roots/new.tar" "$roots/bare.tar"
fi

lend() { # folder here, folder there
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  mount -o remount,bind,ro "$root$2"
}
# A new system for each step.
fresh() {
  awk -v root="$root/" 'index($2, root) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount
  rm -rf --one-file-system "$root"
  mkdir -p "$root"
  tar -C "$root" -xf "$roots/bare.tar"
  cp /etc/resolv.conf "$root/etc/"
  mount -t proc proc "$root/proc"
  lend "$packages" /packages
  lend "$PWD" /source
}
inside() { # commands
  chroot "$root" env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive ${extra[@]+"${extra[@]}"} bash -euo pipefail -c "$1"
}
get() { # packages
  inside "apt-get -qq update && apt-get -qq install -y --no-install-recommends $* >/var/log/get 2>&1 ||
    { tail -n 20 /var/log/get; exit 1; }"
}
unpack() {
  get zstd libstdc++6 zlib1g libzstd1 libffi8 "$@"
  inside "mkdir -p '/opt/odd place' && tar -C '/opt/odd place' --strip-components 1 -xf /packages/$tarball"
}
rust() {
  lend "$(rustc --print sysroot)" /rust
  # Cargo writes to the folder of its crates.
  local registry=${CARGO_HOME:-$HOME/.cargo}/registry
  mkdir -p "$root/cargo/registry" "$root/changes" "$root/work"
  mount -t overlay overlay -o "lowerdir=$registry,upperdir=$root/changes,workdir=$root/work" "$root/cargo/registry" ||
    cp -a "$registry" "$root/cargo/"
  extra=(PATH=/rust/bin:/usr/local/bin:/usr/bin:/bin CARGO_HOME=/cargo CARGO_NET_OFFLINE=true)
}
mlp='/source/examples/models/mlp/input0.npy /source/examples/models/mlp/output0.npy'

try_deb() {
  get "/packages/$deb" gcc libc6-dev
  inside "
    strata --version
    cd /tmp
    strata compile /source/examples/models/mlp.mlir --target-cpu x86-64 -o mlp.o --header mlp.h
    cc -I. /source/examples/c/mlp.c mlp.o -lm -o mlp && ./mlp $mlp
    strata compile /source/examples/models/mlp.mlir --target-cpu x86-64 --emit exe -o alone
    strata run /source/examples/models/mlp.mlir --input /source/examples/models/mlp/input0.npy | head -n 1
    for file in /usr/lib/libstrata_runtime.a /usr/include/strata/abi.h /usr/lib/cmake/Strata/StrataConfig.cmake \
      /usr/lib/pkgconfig/strata.pc /usr/share/bash-completion/completions/strata \
      /usr/share/fish/vendor_completions.d/strata.fish /usr/share/zsh/vendor-completions/_strata; do
      test -s \$file || { echo \"no \$file\"; exit 1; }
    done
    # A bare system is configured without manual pages and documents.
    dpkg-deb --contents /packages/$deb >contents
    for file in man1/strata.1.gz man1/strata-compile.1.gz THIRD-PARTY.txt.gz strata.cdx.json doc/strata/copyright; do
      grep -q \"/\$file\$\" contents || { echo \"no \$file\"; exit 1; }
    done
    dpkg --remove strata >/dev/null
    ! test -e /usr/lib/libstrata_runtime.a"
}

try_tarball() {
  unpack gcc libc6-dev
  inside "
    cd '/opt/odd place'
    bin/strata --version
    bin/strata compile /source/examples/models/mlp.mlir --target-cpu x86-64 -o /tmp/mlp.o --header /tmp/mlp.h
    cc -I/tmp /source/examples/c/mlp.c /tmp/mlp.o -lm -o /tmp/mlp && /tmp/mlp $mlp
    echo '#include <strata/abi.h>
      int main(void) { return sizeof(strata_executor) == 4 * sizeof(void *) ? STRATA_OK : 1; }' >/tmp/abi.c
    cc -Wall -Werror -Iinclude /tmp/abi.c -o /tmp/abi && /tmp/abi
    test -s share/man/man1/strata.1.gz -a -s share/zsh/site-functions/_strata -a -s LICENSE
    test -s share/doc/strata/THIRD-PARTY.txt -a -s share/doc/strata/strata.cdx.json"
}

try_cmake() {
  unpack cmake make gcc libc6-dev
  inside "
    cmake -S /source/examples/cmake -B /tmp/build -DCMAKE_PREFIX_PATH='/opt/odd place' >/dev/null
    cmake --build /tmp/build && /tmp/build/mlp $mlp && /tmp/build/grid"
}

try_pkg-config() {
  unpack pkg-config gcc libc6-dev
  inside "
    export PKG_CONFIG_PATH='/opt/odd place/lib/pkgconfig'
    cd /tmp
    # Spaces are escaped by backslashes.
    eval strata=\$(pkg-config --variable=strata strata)
    \"\$strata\" compile /source/examples/models/mlp.mlir --target-cpu x86-64 -o mlp.o --header mlp.h
    eval cc -I. /source/examples/c/mlp.c mlp.o \$(pkg-config --cflags --libs strata) -o mlp && ./mlp $mlp
    echo 'int lapack_spotrf_ffi(const void *); int main(void) { return lapack_spotrf_ffi == 0; }' >lapack.c
    eval cc lapack.c \$(pkg-config --libs strata-runtime) -o lapack && ./lapack"
}

try_crate() {
  get "/packages/$deb" gcc libc6-dev
  rust
  inside "
    mkdir -p /tmp/crate/src && cd /tmp/crate
    cp /source/examples/models/mlp.mlir /source/Cargo.lock .
    printf '[package]\nname = \"outside\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[build-dependencies]\n' >Cargo.toml
    echo 'strata-build = { path = \"/source/crates/strata-build\", default-features = false }' >>Cargo.toml
    echo 'fn main() -> strata_build::Result<()> { strata_build::compile(\"mlp.mlir\") }' >build.rs
    echo 'mod mlp { include!(concat!(env!(\"OUT_DIR\"), \"/mlp.rs\")); }
      fn main() {
        let (mut y, mut workspace) = ([[0.0; 10]; 4], mlp::Workspace::boxed());
        mlp::mlp_main(&[[0.5; 784]; 4], &mut y, &mut workspace);
        assert!(y[0] == y[3] && y[0].iter().all(|x| x.is_finite()) && y[0] != [0.0; 10]);
        println!(\"{:?}\", y[0]);
      }' >src/main.rs
    cargo run --quiet"
}

try_install() {
  get $(grep -v '^#' scripts/packages.txt) git
  rust
  inside "
    mkdir /tmp/strata && cd /tmp/strata
    tar -C /source --exclude=./target --exclude=./build --exclude=./.git -cf - . | tar -xf -
    cargo install --locked --path crates/strata-cli --root /usr/local --quiet
    rm -rf target
    cd / && strata --version
    cp -r /tmp/strata/examples/template /tmp/mine
    sed -i 's|\"../../crates|\"/tmp/strata/crates|' /tmp/mine/Cargo.toml
    cp /tmp/strata/Cargo.lock /tmp/mine/
    cd /tmp/mine && rm -rf .cargo && PATH=/usr/lib/llvm-22/bin:\$PATH cargo run --quiet"
}

passed=0 failed=0 extra=()
for step in "${steps[@]}"; do
  echo "try_packages: $step"
  # In a condition `set -e` would mean nothing.
  set +e
  (set -e; fresh; "try_$step")
  status=$?
  set -e
  if ((status == 0)); then
    passed=$((passed + 1))
  else
    echo "try_packages: $step failed" >&2
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
((failed == 0))
