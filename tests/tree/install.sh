#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is installed is enough to build the example elsewhere: through pkg-config, with a header that stands alone.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$SCIARA_BUILD_DIR" --prefix "$work/first" > "$work/log" || { cat "$work/log" && exit 1; }
# The tree may be moved after it was installed.
mv "$work/first" "$work/prefix"
pc=$(find "$work/prefix" -name sciara.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH

version=$("$work/prefix/bin/sciara" --version)
[[ $version == *"$(pkg-config --modversion sciara)"* ]] || { echo "sciara --version says $version" && exit 1; }
[[ -n $(find "$work/prefix/share/sciara" -name '*.json') ]] || { echo "no scenario was installed" && exit 1; }

# The flags are words.
# shellcheck disable=SC2046
cc -std=c11 -Wall -Wextra -Werror "$SCIARA_SOURCE_DIR/examples/minimal.c" -o "$work/minimal" \
  $(pkg-config --static --cflags --libs sciara)
"$work/minimal" "$work/prefix/share/sciara/config/plane.json"
