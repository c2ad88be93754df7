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

# CPackConfig.cmake contains the user who configured the build; the maintainer is given here.
cpack --config "$SCIARA_BUILD_DIR/CPackConfig.cmake" -B "$work/made" -G DEB \
  -D CPACK_PACKAGE_CONTACT="Somebody <somebody@debian.org>" > "$work/log" 2>&1 || { cat "$work/log" && exit 1; }
cd "$work/made"
shopt -s nullglob
program=(sciara_*.deb) shared=(libsciara0_*.deb) library=(libsciara-dev_*.deb)
((${#program[@]} == 1 && ${#shared[@]} == 1 && ${#library[@]} == 1)) || fail "made: $(ls)"

field() { dpkg-deb -f "$1" "$2"; }
[[ $(field "${program[0]}" Version) == "$("$SCIARA_PROGRAM" --version | cut -d ' ' -f 2)"-* ]] || fail "wrong version"
for needed in libc6 libgdal libhdf5 libcjson zlib1g libcairo2 libpango-1.0-0 libpangocairo-1.0-0 libfontconfig1; do
  [[ $(field "${shared[0]}" Depends) == *$needed* ]] || fail "libsciara0 does not depend on $needed"
done
for package in "${program[0]}" "${library[0]}"; do
  [[ $(field "$package" Depends) == *"libsciara0 (= $(field "${shared[0]}" Version))"* ]] ||
    fail "$package does not depend on its own libsciara0"
done
for needed in libgdal-dev libhdf5-dev libcjson-dev zlib1g-dev libpango1.0-dev; do
  [[ $(field "${library[0]}" Depends) == *$needed* ]] || fail "libsciara-dev does not depend on $needed"
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
  doc/sciara/copyright; do
  [[ -s $work/root/usr/share/$file ]] || fail "the package has no /usr/share/$file"
done
cd "$work"
! objdump -p "$work/root/usr/bin/sciara" | grep -E 'RPATH|RUNPATH' || fail "the packaged program names a folder of libraries"
LD_LIBRARY_PATH=$(dirname "$(find "$work/root" -name 'libsciara.so.0')") # as ldconfig would find it
export LD_LIBRARY_PATH
example=$("$work/root/usr/bin/sciara" doc examples | grep /volcano.json)
"$work/root/usr/bin/sciara" run "$example" -q --steps 5 --output run.out
made=$work/made/${program[0]}
echo "${program[0]}: $(stat -c %s "$made") bytes, depends on $(field "$made" Depends)"
