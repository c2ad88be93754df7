#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every shell script of the tree passes shellcheck.
set -euo pipefail

command -v shellcheck > /dev/null || { echo "skipped: shellcheck is not installed" && exit 77; }
cd "$SCIARA_SOURCE_DIR"
mapfile -t scripts < <(grep -rlE '^#!.*\b(ba)?sh$' .ci tools tests cmake packaging)
echo "${#scripts[@]} scripts"
shellcheck "${scripts[@]}"
