#!/usr/bin/env bash
# Makes the pictures of docs/guide/explore.md: the page of examples/explore/block.mlir in a browser. STRATA_BIN is the command. Needs node,
# chromium and chromedriver (Debian: nodejs chromium chromium-driver).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${STRATA_BIN:-strata}" explore examples/explore/block.mlir --target-cpu x86-64-v3 --sources examples/explore -o "$work/block.html"
node crates/strata-explore/page/test/browser.mjs whole "$work/block.html" "$work/shots" webp
"${STRATA_BIN:-strata}" profile examples/explore/block.mlir --frequency 4999 --time 8 -o "$work/block.json" >/dev/null
"${STRATA_BIN:-strata}" explore examples/explore/block.mlir --target-cpu native --profile "$work/block.json" --sources examples/explore -o "$work/measured.html"
node crates/strata-explore/page/test/browser.mjs measured "$work/measured.html" "$work/shots" webp
mkdir -p docs/guide/pictures
mv "$work/shots/profile-assembly.webp" docs/guide/pictures/explore-profile.webp
for name in graph operation assembly nest memory cost dark narrow-graph; do
  mv "$work/shots/$name.webp" "docs/guide/pictures/explore-$name.webp"
done
