#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The build refuses flags that change results, and names them.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for flag in -ffast-math -Ofast -ffp-contract=fast -funsafe-math-optimizations -mfpmath=387; do
  if CFLAGS="-g $flag" cmake -G Ninja -S "$SCIARA_SOURCE_DIR" -B "$work/build" -DSCIARA_CUDA=OFF > "$work/log" 2>&1; then
    echo "CFLAGS=$flag was accepted"
    failed=1
  elif ! grep -q -- "contains $flag" "$work/log"; then
    echo "CFLAGS=$flag was refused without being named:"
    cat "$work/log"
    failed=1
  fi
  rm -rf "$work/build"
done
exit $failed
