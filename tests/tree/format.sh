#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sources are formatted as by clang-format 14 (other versions differ in details).
set -euo pipefail

command -v clang-format-14 > /dev/null || { echo "skipped: clang-format-14 is not installed" && exit 77; }
cd "$SCIARA_SOURCE_DIR"
mapfile -t files < <(find src cuda tests examples -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sort)
failed=0
for file in "${files[@]}"; do
  if ! clang-format-14 --dry-run -Werror "$file" 2> /dev/null; then
    echo "clang-format-14 -i $file"
    failed=1
  fi
done
exit $failed
