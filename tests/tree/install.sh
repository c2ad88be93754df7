#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is installed is enough to build the examples elsewhere: through pkg-config and CMake, shared and static, as C and as
# C++, with a header that stands alone.
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

# Only what sciara.h declares, under a version that promises to stay; the rest under one of this release.
library=$(find "$work/prefix" -name "libsciara.so.*.*")
[[ $(objdump -p "$library" | awk '/SONAME/ {print $2}') == libsciara.so.1 ]] || fail "another SONAME"
exported=$(nm -D --defined-only --with-symbol-versions "$library" | awk '{print $3}')
! grep -v '^sciara_\|^LIBSCIARA_' <<< "$exported" || fail "$library exports these"
diff <(grep -o '^SCIARA_API[^;(]*(' "$SCIARA_SOURCE_DIR/src/sciara.h" | grep -o 'sciara_[a-z_]*(' | tr -d '(' | sort -u) \
  <(sed -n 's/@@LIBSCIARA_1$//p' <<< "$exported" | sort) || fail "the symbols of $library are not those of sciara.h"

# with_cc NAME COMPILER...: builds the examples and runs them.
scenario=$work/prefix/share/sciara/config/volcano.json
with_cc() {
  local name example arguments=()
  name=$1 && shift
  mkdir "$work/$name"
  for example in "$work"/prefix/share/doc/sciara/examples/[1-5]_*.c; do
    "$@" "$example" -o "$work/$name/$(basename "$example" .c)" "${libraries[@]}" -lm -lpthread
    case ${example##*/} in
      1_*) arguments=("$work/prefix/share/sciara/config/plane.json") ;;
      3_*) arguments=() ;;
      2_* | 4_*) arguments=("$scenario" "$work/$name") ;;
      *) arguments=("$scenario") ;;
    esac
    "$work/$name/$(basename "$example" .c)" "${arguments[@]}" > "$work/log" 2>&1 || { cat "$work/log" && fail "$name: $example"; }
  done
  (($(find "$work/$name" -type f -perm -u+x | wc -l) >= 5)) || fail "$name: not all examples were built"
}
# The program of `sciara calibrate` finds package and library of its own prefix.
if [[ -z ${SCIARA_SANITIZE:-} ]]; then
  (
    cd "$work"
    sed 's/"run": *{/&"max_steps": 20, /; s|"\.\./|"'"$work/prefix/share/sciara"'/|' "${scenario/volcano/plane}" > plane.json
    "$work/prefix/bin/sciara" run plane.json -q --output flow
    "$work/prefix/bin/sciara" export flow -q --format cog --output flow.tif
    echo '{"pairs": [{"scenario": "plane.json", "observed": "flow.tif"}], "unknowns": [{"key": "model.relaxation", "min": 0.1,
      "max": 1}], "design": "morris", "budget": 8}' > fit.json
    env -u SCIARA_LIBRARY -u PYTHONPATH "$work/prefix/bin/sciara" calibrate fit.json -q --output fit
    [[ -s fit/sensitivity.csv ]]
  ) || fail "sciara calibrate of the prefix"
fi

read -ra libraries <<< "$(pkg-config --cflags --libs sciara)"
libraries+=("-Wl,-rpath,$(dirname "$library")")
if [[ -z ${SCIARA_SANITIZE:-} ]]; then
  with_cc shared cc -std=c11 -Wall -Wextra -Werror
  with_cc cpp c++ -x c++ -std=c++17 -Wall -Wextra -Wno-missing-field-initializers -Werror
  cmake -E make_directory "$work/consumer"
  cat > "$work/consumer/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.16)
project(consumer C)
find_package(sciara 1.0 REQUIRED)
foreach(kind IN ITEMS sciara static)
  add_executable(with_${kind} ${EXAMPLE})
  target_link_libraries(with_${kind} PRIVATE sciara::${kind})
endforeach()
END
  cmake -S "$work/consumer" -B "$work/consumer/build" -D CMAKE_PREFIX_PATH="$work/prefix" \
    -D EXAMPLE="$work/prefix/share/doc/sciara/examples/1_open_and_run.c" > "$work/log" 2>&1 ||
    { cat "$work/log" && fail "CMake finds no library"; }
  cmake --build "$work/consumer/build" > "$work/log" 2>&1 || { cat "$work/log" && fail "CMake links no library"; }
  for kind in sciara static; do "$work/consumer/build/with_$kind" "${scenario/volcano/plane}" > /dev/null; done
  # The static library, where there is no other.
  cp -r "$work/prefix" "$work/static-prefix"
  find "$work/static-prefix" -name 'libsciara.so*' -delete
  PKG_CONFIG_PATH=$(dirname "$(find "$work/static-prefix" -name sciara.pc)")
  read -ra libraries <<< "$(pkg-config --static --cflags --libs sciara)"
  static=(cc -std=c11)
  "${static[@]}" "$work/prefix/share/doc/sciara/examples/1_open_and_run.c" -o "$work/linked-by-default" "${libraries[@]}" -lm -lpthread
  # The default linker needs 8 s for each program with these libraries, gold half a second.
  if command -v ld.gold > /dev/null; then static+=(-fuse-ld=gold); fi
  with_cc static "${static[@]}"
fi
touch "$work/built"

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
[[ -z $(find "$work/prefix" -newer "$work/built" -type f) ]] || fail "a run wrote into the installed tree"
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
  doc/sciara/README.md sciara/datasets/volcano.tif sciara/config/aa-sets.csv; do
  [[ -s $work/prefix/share/$file ]] || fail "share/$file was not installed"
done
"$SCIARA_SOURCE_DIR/tools/check-docs" --links "$work/prefix/share/doc/sciara" > "$work/log" ||
  { cat "$work/log" && fail "an installed page links to a file that is not installed"; }
[[ -z $(find "$work/prefix" -name stamp) ]] || fail "a file of the build was installed"
if command -v man > /dev/null; then
  MANPATH=$work/prefix/share/man man -P cat sciara-run 2> "$work/log" | grep -q -- --engine ||
    fail "man sciara-run shows no page"
fi
