#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The installed files are enough to build the example elsewhere: through pkg-config, with a self-contained header.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" && exit 1; }

# Building only the program (as tools/demo does) makes everything that is installed.
if [[ -e $SCIARA_BUILD_DIR/build.ninja ]]; then
  ninja -C "$SCIARA_BUILD_DIR" -t commands sciara > "$work/commands"
  grep -q 'sciara doc all' "$work/commands" || fail "building the target sciara does not make the man pages"
fi

cmake --install "$SCIARA_BUILD_DIR" --prefix "$work/first" > "$work/log" || { cat "$work/log" && exit 1; }
# The tree may be moved after the installation.
mv "$work/first" "$work/prefix"
pc=$(find "$work/prefix" -name sciara.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH

version=$("$work/prefix/bin/sciara" --version)
[[ $version == *"$(pkg-config --modversion sciara)"* ]] || fail "sciara --version says $version"

# The flags are separate words.
# shellcheck disable=SC2046
cc -std=c11 -Wall -Wextra -Werror "$SCIARA_SOURCE_DIR/examples/minimal.c" -o "$work/minimal" \
  $(pkg-config --static --cflags --libs sciara)
"$work/minimal" "$work/prefix/share/sciara/config/plane.json"

# The installed program finds its files from any folder, and they are complete.
mkdir "$work/elsewhere"
cd "$work/elsewhere"
mapfile -t examples < <("$work/prefix/bin/sciara" doc examples)
((${#examples[@]} > 1)) || fail "sciara doc examples lists ${#examples[@]} scenarios"
for example in "${examples[@]}"; do
  [[ $example == "$work/prefix/share/sciara/config/"*.json ]] || fail "sciara doc examples: $example"
  "$work/prefix/bin/sciara" run "$example" -q --steps 3 --output "${example##*/}.out" > "$work/log" ||
    fail "the scenario $example does not run"
  grep -q '"./scenario.schema.json"' "$example" && [[ ! -s ${example%/*}/scenario.schema.json ]] &&
    fail "$example names a schema that does not exist"
done
[[ -z $(find "$work/prefix" -newer "$work/minimal" -type f) ]] || fail "a run wrote into the installed tree"
"$work/prefix/bin/sciara" init "$work/prefix/share/sciara/datasets/volcano.tif" --vent 448585,4348110 --rate 5 --duration "1 d" \
  --output "$work/new.json" --quiet > "$work/log" || fail "sciara init makes no scenario"
schema=$(sed -n 's|.*schema": "file://\(.*\)".*|\1|p' "$work/new.json")
[[ $schema == "$work/prefix/share/sciara/config/scenario.schema.json" && -s $schema ]] ||
  fail "sciara init names the schema '$schema'"
cmp "$work/prefix/share/sciara/config/scenario.schema.json" <("$work/prefix/bin/sciara" schema) ||
  fail "the installed schema is not that of the program"
ln -s "$work/prefix/bin/sciara" "$work/elsewhere/linked"
[[ $(./linked doc examples) == "$(printf '%s\n' "${examples[@]}")" ]] || fail "through a link it finds nothing"

# Pages, completions, styles and the script of QGIS are where man, the shells and people expect them.
for file in man/man1/sciara.1 man/man1/sciara-run.1 bash-completion/completions/sciara zsh/site-functions/_sciara \
  fish/vendor_completions.d/sciara.fish sciara/styles/deposit.qml sciara/qgis/sciara_run.py doc/sciara/LICENSE \
  doc/sciara/README.md sciara/datasets/volcano.tif; do
  [[ -s $work/prefix/share/$file ]] || fail "share/$file was not installed"
done
[[ -z $(find "$work/prefix" -name stamp) ]] || fail "a file of the build was installed"
if command -v man > /dev/null; then
  MANPATH=$work/prefix/share/man man -P cat sciara-run 2> "$work/log" | grep -q -- --engine ||
    fail "man sciara-run shows no page"
fi
