#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sources are formatted as by clang-format 14 (other versions differ in details).
set -euo pipefail

command -v clang-format-14 > /dev/null || { echo "skipped: clang-format-14 is not installed" && exit 77; }
cd "$SCIARA_SOURCE_DIR"
mapfile -t files < <(find src cuda tests examples packaging -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sort)
messages=$(mktemp)
trap 'rm -f "$messages"' EXIT
if ! clang-format-14 --dry-run -Werror "${files[@]}" 2> "$messages"; then
  sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: error:.*/clang-format-14 -i \1/p' "$messages" | sort -u
  exit 1
fi
