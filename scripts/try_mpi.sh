#!/usr/bin/env bash
# Installs an MPI, runs programs for several devices on its ranks, and kills one; says each step, and ends with 1 where one is not as
# docs/guide/devices.md says.
#
#   scripts/try_mpi.sh [openmpi] [mpich] [pip]     Debian's two, as root if they are not there yet, and that of PyPI; all if none is named
#
# STRATA is the command (default: that of target/release, then target/debug, then of the PATH). A C compiler has to be there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

strata=${STRATA-}
for one in target/release/strata target/debug/strata "$(command -v strata || true)"; do
  [[ $strata ]] || { [[ -x $one ]] && strata=$(realpath "$one"); }
done
[[ $strata ]] || { echo "try_mpi: there is no command: build it, or set STRATA" >&2; exit 1; }
work=$(mktemp -d)
launcher=''
# A launcher ends its ranks when it is told to end.
trap '[[ ! $launcher ]] || kill "$launcher" 2>/dev/null || true; rm -rf "$work"' EXIT
root=$PWD
# What the ranks that are killed run: of this run alone.
long=long-$$.mlir

say() { printf '\n== %s\n' "$*"; }
# Runs a command that it shows.
run() { printf '$ %s\n' "$*"; "$@"; }
fail() { echo "try_mpi: $*" >&2; exit 1; }

# Installs Debian's packages that are lacking.
debian() {
  dpkg -s "$@" >/dev/null 2>&1 && return
  ((EUID == 0)) || fail "install them as root: apt-get install $*"
  run apt-get update -qq
  run apt-get install -y -qq --no-install-recommends "$@"
}

# Programs for ranks that `launch` starts, and that `compile` builds.
try() {
  local name=$1
  say "$name: training on 4 ranks, examples/mpi/train.c"
  (cd "$work" && run "$strata" compile "$root/examples/mpi/train.mlir" --target-cpu native -o train.o --header train.h)
  (cd "$work" && run "${compile[@]}" -I. -I"$root/include" "$root/examples/mpi/train.c" "$root/include/strata/mpi.c" train.o \
    -lm -pthread -ldl -o "train-$name")
  (cd "$work" && run timeout 120 "${launch[@]}" -n 4 "./train-$name") | tail -n 2

  say "$name: strata run on 4 ranks"
  (cd "$work" && run timeout 120 "${launch[@]}" -n 4 "$strata" run sums.mlir --input x.npy --per-device --output-dir "$name")
  (cd "$work" && run "$strata" run sums.mlir --input x.npy --per-device --output-dir threads)
  cmp "$work/$name/output0.npy" "$work/threads/output0.npy" || fail "$name: ranks and threads differ"
  echo "the outputs are those of threads"

  say "$name: another number of ranks"
  ! (cd "$work" && run timeout 120 "${launch[@]}" -n 2 "$strata" run sums.mlir --input x.npy --per-device >said 2>&1) ||
    fail "$name: 2 ranks run a program for 4 devices"
  grep -m 1 "there are 2 ranks" "$work/said" || fail "$name: $(cat "$work/said")"

  say "$name: a rank is killed in the middle"
  (cd "$work" && exec timeout 120 "${launch[@]}" -n 2 "$strata" run --time-limit 60 "$long" --input line.npy >said 2>&1) &
  launcher=$!
  local victim='' tries status=0
  for ((tries = 0; tries < 600; tries++)); do
    # The last process of a rank, once it has had the time to begin: not the launcher, which has the same words.
    victim=$(ps -eo pid,etimes,args | awk -v own="$strata" -v long="$long" '$2 >= 8 && $3 == own && index($0, long) { last = $1 } END { print last }')
    [[ ! $victim ]] || break
    sleep 0.2
  done
  [[ $victim ]] || fail "$name: no rank runs: $(cat "$work/said")"
  run kill -9 "$victim"
  wait "$launcher" || status=$?
  launcher=''
  ((status != 0 && status != 124)) || fail "$name: it ended with $status after a rank was killed"
  tail -n 3 "$work/said"
  for ((tries = 0; tries < 100; tries++)); do
    pgrep -f "$strata run --time-limit 60 $long" >/dev/null || break
    sleep 0.2
  done
  ((tries < 100)) || fail "$name: ranks are left"
  echo "it ended with $status, and no rank is left"
}

# So many sums over so many devices.
sums() {
  local ids=0 id
  for ((id = 1; id < $2; id++)); do ids+=", $id"; done
  cat <<MLIR
module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = $2 : i32} {
  func.func public @main(%x: tensor<4096xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %count = stablehlo.constant dense<$1> : tensor<i32>
    %quarter = stablehlo.constant dense<0.25> : tensor<4096xf32>
    %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4096xf32>
    cond {
      %go = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %s = "stablehlo.all_reduce"(%y) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }) {replica_groups = dense<[[$ids]]> : tensor<1x$2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<4096xf32>) -> tensor<4096xf32>
      %mean = stablehlo.multiply %s, %quarter : tensor<4096xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %mean : tensor<i32>, tensor<4096xf32>
    }
    return %0#1 : tensor<4096xf32>
  }
}
MLIR
}

say "programs"
sums 3 4 >"$work/sums.mlir"
sums 100000000 2 >"$work/$long"
echo 'func.func @main() -> tensor<4x4096xf32> { %x = stablehlo.iota dim = 1 : tensor<4x4096xf32> return %x : tensor<4x4096xf32> }' >"$work/x.mlir"
echo 'func.func @main() -> tensor<4096xf32> { %x = stablehlo.iota dim = 0 : tensor<4096xf32> return %x : tensor<4096xf32> }' >"$work/line.mlir"
(cd "$work" && run "$strata" eval x.mlir --output x.npy && run "$strata" eval line.mlir --output line.npy)

steps=("$@")
((${#steps[@]})) || steps=(openmpi mpich pip)
for step in "${steps[@]}"; do
  case $step in
  openmpi)
    say "Open MPI of Debian: apt-get install openmpi-bin libopenmpi-dev"
    debian openmpi-bin libopenmpi-dev
    launch=(mpirun.openmpi --oversubscribe) compile=(mpicc.openmpi)
    ((EUID != 0)) || launch+=(--allow-run-as-root)
    ;;
  mpich)
    say "MPICH of Debian: apt-get install mpich libmpich-dev"
    debian mpich libmpich-dev
    launch=(mpirun.mpich) compile=(mpicc.mpich)
    ;;
  pip)
    say "MPICH 5 of PyPI, with the standard ABI: pip install mpich"
    run python3 -m venv "$work/venv"
    run "$work/venv/bin/pip" install -q --disable-pip-version-check mpich
    launch=("$work/venv/bin/mpiexec") compile=(cc -DSTRATA_MPI_ABI)
    export LD_LIBRARY_PATH="$work/venv/lib${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}"
    ;;
  *) fail "there is no step \`$step\`: openmpi, mpich or pip" ;;
  esac
  "${launch[@]}" --version | head -n 1
  try "$step"
done
say "all of: ${steps[*]}"
