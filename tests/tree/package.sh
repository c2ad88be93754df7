#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages: right names and dependencies, the requirements of the policy (lintian, if it is installed), and a
# program that runs from the unpacked tree. tools/cleanroom --deb installs them in a bare system.
set -euo pipefail

for tool in dpkg-deb dpkg-shlibdeps cpack; do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed" && exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" && exit 1; }

# What tools/package builds exists.
read -ra targets <<< "$(sed -n 's/.*--target \([a-z_ ]*\) \$.*/\1/p' "$SCIARA_SOURCE_DIR/tools/package")"
((${#targets[@]} > 2)) || fail "tools/package: expected --target and names"
cmake --build "$SCIARA_BUILD_DIR" --target "${targets[@]}" -- -n > "$work/log" 2>&1 || { cat "$work/log" && exit 1; }

# CPackConfig.cmake contains the user who configured the build; the maintainer is given here.
cpack --config "$SCIARA_BUILD_DIR/CPackConfig.cmake" -B "$work/made" -G DEB \
  -D CPACK_PACKAGE_CONTACT="Somebody <somebody@debian.org>" > "$work/log" 2>&1 || { cat "$work/log" && exit 1; }
cd "$work/made"
made=$work/made
shopt -s nullglob
program=(sciara_*.deb) shared=(libsciara1_*.deb) library=(libsciara-dev_*.deb) python=(python3-sciara_*_all.deb)
((${#program[@]} == 1 && ${#shared[@]} == 1 && ${#library[@]} == 1)) || fail "made: $(ls)"
if ! /usr/bin/python3 -c 'import cffi, numpy, xarray' 2> /dev/null; then
  python=() && echo "python3-cffi or python3-xarray is not installed: python3-sciara not tested"
elif ((${#python[@]} != 1)); then
  fail "python3-sciara was not made: $(ls)"
fi

field() { dpkg-deb -f "$1" "$2"; }
[[ $(field "${program[0]}" Version) == "$("$SCIARA_PROGRAM" --version | cut -d ' ' -f 2 | tr - '~')"-* ]] || fail "wrong version"
for needed in libc6 libgdal libhdf5 libcjson zlib1g libcairo2 libpango-1.0-0 libpangocairo-1.0-0 libfontconfig1; do
  [[ $(field "${shared[0]}" Depends) == *$needed* ]] || fail "libsciara1 does not depend on $needed"
done
for package in "${program[0]}" "${library[0]}" "${python[@]}"; do
  [[ $(field "$package" Depends) == *"libsciara1 (= $(field "${shared[0]}" Version))"* ]] ||
    fail "$package does not depend on its own libsciara1"
done
for needed in libgdal-dev libhdf5-dev libcjson-dev zlib1g-dev libpango1.0-dev; do
  [[ $(field "${library[0]}" Depends) == *$needed* ]] || fail "libsciara-dev does not depend on $needed"
done
for package in "${python[@]}"; do
  for needed in 'python3 (' python3-cffi-backend python3-numpy python3-xarray; do
    [[ $(field "$package" Depends) == *"$needed"* ]] || fail "python3-sciara does not depend on $needed"
  done
done
if command -v lintian > /dev/null; then
  # A build for another prefix has another folder for libraries; tools/package makes its packages for /usr.
  lintian --allow-root --fail-on error --tag-display-limit 0 --suppress-tags pkg-config-multi-arch-wrong-dir ./*.deb
else
  echo "lintian is not installed: policy not checked"
fi

dpkg-deb -x "${program[0]}" "$work/root"
dpkg-deb -x "${shared[0]}" "$work/root"
dpkg-deb -x "${library[0]}" "$work/dev"
[[ -z $(find "$work/root" -name '*.a' -o -name '*.h') ]] || fail "the program's package contains files for programmers"
[[ -s $work/dev/usr/include/sciara.h ]] || fail "libsciara-dev has no header"
[[ -n $(find "$work/dev" -name libsciara.a) && -L $(find "$work/dev" -name libsciara.so) ]] || fail "libsciara-dev has no library"
[[ -s $(find "$work/dev" -name sciaraConfig.cmake) ]] || fail "libsciara-dev has no files for CMake"
for file in man/man1/sciara-run.1.gz zsh/vendor-completions/_sciara doc/sciara/changelog.Debian.gz \
  doc/sciara/copyright doc/sciara/docs/ensembles.md sciara/qgis/sciara_lava_flows.zip; do
  [[ -s $work/root/usr/share/$file ]] || fail "the package has no /usr/share/$file"
done
cd "$work"
! objdump -p "$work/root/usr/bin/sciara" "$work/root/usr/libexec/sciara/sciara-bench" | grep -E 'RPATH|RUNPATH' || fail "a packaged program names a folder of libraries"
LD_LIBRARY_PATH=$(dirname "$(find "$work/root" -name 'libsciara.so.1')") # as ldconfig would find it
export LD_LIBRARY_PATH
# Nothing of the source tree on the path, no compiler and no parser of C: the declarations are in the package.
for package in "${python[@]}"; do
  dpkg-deb -x "$made/$package" "$work/python"
  modules=$work/python/usr/lib/python3/dist-packages
  [[ -z $(find "$work/python" -name '*.pyc' -o -name __pycache__) ]] || fail "python3-sciara contains bytecode"
  [[ -s $modules/sciara/_ffi.py && -e $modules/sciara/py.typed ]] || fail "python3-sciara lacks a file: $(ls "$modules/sciara")"
  for script in postinst prerm; do
    [[ $(dpkg-deb --ctrl-tarfile "$made/$package" | tar -tvf - "./$script") == -rwxr-xr-x* ]] || fail "$script is not executable"
  done
  for notebook in first_map compare_observed hazard_map; do
    [[ -s $work/python/usr/share/doc/python3-sciara/examples/$notebook.ipynb ]] || fail "python3-sciara has no $notebook"
  done
  env -u SCIARA_LIBRARY -u PYTHONPATH /usr/bin/python3 -I -B - "$modules" "$work/root/usr/share/sciara" << 'PYTHON'
import sys
modules, data = sys.argv[1:]
sys.path.insert(0, modules)
sys.modules["cffi"] = sys.modules["pycparser"] = None  # cannot be imported
import importlib.metadata
import sciara
assert sciara.__file__.startswith(modules), sciara.__file__
assert importlib.metadata.version("sciara") == sciara.__version__
with sciara.open(f"{data}/config/volcano.json") as run:
    run.advance(steps=5)
    assert run.step == 5 and float(run.thickness.max()) > 0
with open("/proc/self/maps", encoding="utf-8") as maps:
    libraries = {line.split()[-1] for line in maps if "libsciara" in line}
assert len(libraries) == 1 and data.rsplit("/share", 1)[0] in libraries.pop(), "the library of the package"
PYTHON
done
example=$("$work/root/usr/bin/sciara" doc examples | grep /volcano.json)
"$work/root/usr/bin/sciara" run "$example" -q --steps 5 --output run.out
for package in "${program[0]}" "${python[@]}"; do
  echo "$package: $(stat -c %s "$made/$package") bytes, depends on $(field "$made/$package" Depends)"
done
