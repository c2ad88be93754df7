#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Archive, wheel and source distribution have the same bytes whenever they are packed, and `tools/release --check` finds what is
# wrong in a release. tools/release --twice, in the nightly tier, builds them.
set -euo pipefail

command -v dpkg-deb > /dev/null || { echo "skipped: dpkg-deb is not installed" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" && exit 1; }
version=$("$SCIARA_SOURCE_DIR/tools/version")

# pack FOLDER: a release of a small tree that is made anew.
pack() {
  local tree=$1/sciara-$version-linux-x86_64
  mkdir -p "$tree"/{bin,lib/python/x.dist-info} "$1/deb/DEBIAN" "$1/out"
  touch -d "@$RANDOM" "$tree/bin/sciara" "$tree/lib/libsciara.so.1" && chmod 755 "$tree/bin/sciara" "$1/deb/DEBIAN"
  ln -s libsciara.so.1 "$tree/lib/libsciara.so"
  echo "Version: ${version/-/}" > "$tree/lib/python/x.dist-info/METADATA"
  python3 -B -c 'import importlib.machinery as m, pathlib as p, sys
m.SourceFileLoader("pack", sys.argv[1] + "/packaging/portable/pack").load_module().write_all(
    p.Path(sys.argv[2]), p.Path(sys.argv[1], "python"), p.Path(sys.argv[3]), sys.argv[4], (2, 29), 1.8e9)' \
    "$SCIARA_SOURCE_DIR" "$tree" "$1/out" "$version"
  printf 'Package: sciara\nVersion: %s-1\nArchitecture: all\nMaintainer: x\nDescription: x\n' "${version/-/\~}" > "$1/deb/DEBIAN/control"
  dpkg-deb --build "$1/deb" "$1/out/sciara.deb" > /dev/null
}
(umask 022 && pack "$work/one")
(umask 077 && pack "$work/two")
for file in "$work"/one/out/*.{xz,whl,gz}; do cmp "$file" "$work/two/out/${file##*/}" || fail "not reproducible"; done

# is_refused MESSAGE COMMAND: after a command on the files of this tree that name its version, or on a release of it.
is_refused() {
  rm -rf "$work/tree" "$work/out" && mkdir "$work/tree" && cp -r "$work/one/out" "$work/out"
  (cd "$SCIARA_SOURCE_DIR" && cp --parents CMakeLists.txt C*.cff codemeta.json CHANGELOG.md python/sciara/_*.py tools/{version,release} "$work/tree")
  (cd "$work/out" && sha256sum -- * > SHA256SUMS)
  (cd "$work" && eval "$2") > /dev/null
  "$work/tree/tools/release" --check "$work/out" > "$work/log" 2>&1 && return 1
  grep -q "$1" "$work/log" || { cat "$work/log" && fail "expected \"$1\" after: $2"; }
}
! is_refused '' true || fail "a right release is refused"
while IFS='|' read -r message command; do is_refused "$message" "$command" || fail "accepted after: $command"; done << 'END'
CITATION.cff says version|sed -i s/^version:.*/version:\ 9.9.9/ tree/CITATION.cff
CITATION.cff says date|sed -i s/^date-released:.*/date-released:\ 2001-01-01/ tree/CITATION.cff
codemeta.json says|sed -i 's/"version": "/&9/' tree/codemeta.json
no section|sed -i 's/^## .*/## [Unreleased]/' tree/CHANGELOG.md
not the sums|echo >> out/sciara.deb
does not name just|touch out/more
does not name just|sed -i /deb/d out/SHA256SUMS
has no sciara-.*gz|rm out/*.gz
has no SHA256SUMS|rm out/SHA256SUMS
whl is of version|python3 -c 'import zipfile as z, glob; z.ZipFile(*glob.glob("out/*.whl"), "w").writestr("a.dist-info/METADATA", "Version: 9")'; cd out && sha256sum *[!S] > SHA256SUMS
deb is of version|sed -i s/^Version:.*/Version:\ 9.9/ one/deb/DEBIAN/control; dpkg-deb --build one/deb out/sciara.deb; cd out && sha256sum *[!S] > SHA256SUMS
END
