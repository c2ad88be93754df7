#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The rule calls no mathematical function of the C library, on which its results would depend. (-O2 inlines the square root.)
set -euo pipefail

found=0 seen=0
while IFS= read -r -d '' object; do
  seen=$((seen + 1))
  calls=$(nm -u "$object" | awk '{print $NF}' | grep -E '^(exp|log|pow|cbrt|sqrt|hypot|fma|sin|cos|tan|atan|exp2|log2|log10|expm1|log1p)[fl]?$' || true)
  if [[ -n $calls ]]; then
    echo "$object calls $calls"
    found=1
  fi
done < <(find "$SCIARA_BUILD_DIR/CMakeFiles" -path '*sciara_engine*' -name '*.o' -print0)
[[ $seen -ge 8 ]] || { echo "only $seen objects of engines were found" && exit 1; }
exit $found
