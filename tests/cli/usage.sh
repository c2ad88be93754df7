#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every mistake ends with the exit code of its kind and a helpful message, and leaves no file behind.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/here"
cd "$work/here"
failed=0
checks=0

fail() {
  echo "FAILED: $1"
  sed 's/^/  stdout: /' "$work/out"
  sed 's/^/  stderr: /' "$work/err"
  failed=1
}

listing() { find . -printf '%p %s %T@\n' | sort; }

# expect CODE PATTERN ARGUMENT...: that exit code, a line on stderr (on stdout for code 0) that the pattern (extended
# regular expression) matches, nothing on the other one, and no file made, changed or removed.
expect() {
  local code=$1 pattern=$2 found=0 before after message=$work/err silent=$work/out
  shift 2
  before=$(listing)
  "$SCIARA_PROGRAM" "$@" > "$work/out" 2> "$work/err" < /dev/null || found=$?
  after=$(listing)
  if ((code == 0)); then message=$work/out silent=$work/err; fi
  checks=$((checks + 1))
  ((found == code)) || fail "sciara $*: expected exit code $code, found $found"
  grep -qE -- "$pattern" "$message" || fail "sciara $*: expected a line that matches '$pattern'"
  [[ ! -s $silent ]] || fail "sciara $*: expected nothing on ${silent##*/}"
  [[ $before == "$after" ]] ||
    fail "sciara $*: expected the folder as before, found $(diff <(echo "$before") <(echo "$after"))"
}

cat > dem.asc << 'GRID'
ncols 5
nrows 5
xllcorner 500000
yllcorner 4177000
cellsize 10
NODATA_value -9999
105 104 103 102 101
106 105 104 103 102
107 106 105 104 103
108 107 106 105 104
109 108 107 106 105
GRID
cat > s.json << 'JSON'
{
  "dem": { "path": "dem.asc", "crs": "EPSG:32633" },
  "vents": [{ "row": 2, "col": 2, "effusion": { "slot": "1 h", "rates_m3_s": [1] } }]
}
JSON

# Help and version.
expect 0 '^usage: sciara COMMAND' --help
expect 0 '^usage: sciara COMMAND' -h
expect 0 '^usage: sciara COMMAND' help
expect 0 '^sciara [0-9]+\.[0-9]+\.[0-9]+ \(.+\), HDF5 1\.[0-9.]+, GDAL [0-9.]+' --version
commands=(init check run export info compare import engines bench schema doc)
for command in "${commands[@]}"; do
  expect 0 "^  $command +[a-z]" --help
  expect 0 "^usage: sciara $command \[OPTION\]" "$command" --help
  expect 0 "^  -h, --help" "$command" -h
  expect 0 "^usage: sciara $command \[OPTION\]" help "$command"
done
expect 0 '^serial +yes +exact ' engines

# Exit code 2: the command line itself is wrong. Without a command the help is printed.
"$SCIARA_PROGRAM" > "$work/out" 2> "$work/err" && code=0 || code=$?
((code == 2)) || fail "sciara without arguments: expected exit code 2, found $code"
grep -q '^usage: sciara COMMAND' "$work/out" "$work/err" || fail "sciara without arguments: expected the help"
expect 2 'there is no command "rnu"; did you mean "run"\?' rnu s.json
expect 2 'there is no command "xyzzy".*--help' xyzzy
expect 2 'there is no command ""' ''
expect 2 'there is no option --foo before the command; usage: sciara COMMAND' --foo
expect 2 'there is no option -q before the command' -q run s.json
expect 2 'there is no option --hlep; did you mean --help\?' --hlep
expect 2 'there is no option --versoin; did you mean --version\?' --versoin
expect 2 'there is no option --stepz; did you mean --steps\?' run s.json --stepz 3
expect 2 'there is no option --stepz; did you mean --steps\?' run --stepz=3 s.json
expect 2 "there is no option --xyzzy; 'sciara run --help'" run s.json --xyzzy
expect 2 'there is no option -Z' run s.json -Z
expect 2 'there is no option -X' info --quiet -Xq s.json
expect 2 '--quiet takes no value' run s.json --quiet=3
expect 2 '--steps needs a value' run s.json --steps
expect 2 '-n needs a value' run s.json -n
for option in --steps --engine --precision --until --threads --output --set; do
  expect 2 "$option: expected a value that is not empty" run s.json "$option" ''
done
expect 2 'too few arguments; usage: sciara run .* SCENARIO' run
expect 2 'too few arguments; usage: sciara compare .* A B' compare s.out
expect 2 'too few arguments' export --format cog
expect 2 'too few arguments' info
expect 2 'too few arguments' import -o x
expect 2 'unexpected argument "more"; usage: sciara run' run s.json more
expect 2 'unexpected argument "c"' compare a b c
expect 2 'unexpected argument "more"' engines more
expect 2 '--output is missing' import x.cfg
expect 2 'there is no page "bsh"; did you mean "bash"\?' doc bsh
expect 4 'no scenarios are installed with this program' doc examples
expect 2 '--steps: expected a whole number >= 1, found "-1"' run s.json --steps=-1
expect 2 '--steps: expected a whole number >= 1, found "1.5"' run s.json --steps 1.5
expect 2 '--steps: expected a whole number >= 1, found "many"' run s.json -n many
expect 2 '--threads: expected a whole number >= 0, found "-2"' run s.json --threads -2
expect 2 '--until: expected a time above 0 such as "6 h", "3 d" or seconds, a date such as 2026-05-11T10:00Z, "solidified" or "front at rest"; found "soon"' run s.json --until soon
expect 2 '--until: expected a time above 0 such as "6 h", "3 d" or seconds, a date such as 2026-05-11T10:00Z, "solidified" or "front at rest"; found "0"' run s.json --until 0
expect 2 '--until: expected a time above 0 such as "6 h", "3 d" or seconds, a date such as 2026-05-11T10:00Z, "solidified" or "front at rest"; found "-5 s"' run s.json --until '-5 s'
expect 2 '--precision: expected double or single, found "half"' run s.json --precision half
expect 2 '--set: expected KEY=VALUE, found "novalue"' run s.json --set novalue
expect 2 'there is no engine "seral"; did you mean "serial"\?' run s.json --engine seral
expect 2 'there is no engine "xyzzy"' run s.json --engine xyzzy

# Exit code 3: what was given is wrong.
printf '{ "dem": { "path": "dem.asc" },\n  "vents": [{ "row": 1 "col": 2 }] }\n' > bad.json
expect 3 'bad\.json:2:24: expected .*found ' run bad.json
printf '{ "dem": { "path": "dem.asc" }, "vents": [] } x' > bad.json
expect 3 'bad\.json:1:47: expected .*found .*x' run bad.json
printf '{ "dem": { "path": "dem.asc" }, "dem": { "path": "dem.asc" }, "vents": [] }' > bad.json
expect 3 'bad\.json: .*dem.*twice|bad\.json:1:33: .*dem' run bad.json
: > bad.json
expect 3 'bad\.json' run bad.json
expect 3 's\.json: output\.evry: unknown key, .*did you mean "every"\?' run s.json --set output.evry=3
expect 3 's\.json: .*ventz.* unknown key, .*did you mean "vents"\?' run s.json --set ventz=3
expect 3 's\.json: output\.every: expected above 0 to 1e12 s; found -3' run s.json --set output.every=-3
expect 3 's\.json: model\.emissivity: expected 0 to 1; found 2' run s.json --set model.emissivity=2
expect 3 's\.json: boundary: expected "open" or "closed"; found "ajar"' run s.json --set boundary=ajar
expect 2 '--steps: expected a whole number >= 1, found "0"' run s.json --steps 0
expect 3 's\.json: run\.max_steps: expected 1 to 9007199254740991; found 0' run s.json --set run.max_steps=0
expect 3 's\.json: engine\.threads: expected 0 to 1024; found 3000' run s.json --threads 3000
expect 3 's\.json: cannot be opened as a raster \(formats allowed: GTiff, ' run s.json --set dem.path=s.json
expect 3 's\.json: vents\[0\] .*expected a cell whose 8 neighbours are valid, found a cell on the rim of the domain in row 0, column 2' run s.json --set vents.0.row=0
expect 3 's\.json: vents\[0\] .*expected row 0 to 4 .*found row 5, column 2' run s.json --set vents.0.row=5
expect 3 'CRS "EPSG:999999" is not known' run s.json --set dem.crs=EPSG:999999
expect 3 'x\.txt: expected NAME\.cfg' import x.txt -o imported
expect 3 '\.: is not a run folder' compare . .

# Exit code 4: a file cannot be read or written.
expect 4 'none\.json: cannot open: No such file or directory' run none.json
expect 3 '\.: is a folder, expected a file' run .
expect 4 'error: .*s\.json/sub: .*Not a directory' run s.json --output s.json/sub
expect 4 'error: .*s\.json: ' run s.json --output s.json
expect 4 'none\.asc: No such file or directory' run s.json --set dem.path=none.asc
expect 4 'none\.nc: cannot open: No such file or directory' info none.nc

# A full disk at stdout is reported, with exit code 4, by every command that prints a result.
"$SCIARA_PROGRAM" run s.json -q -n 5 -o run > "$work/out" 2> "$work/err" ||
  fail "sciara run: expected exit code 0, found $?"
for arguments in schema 'schema --manual' 'doc bash' engines --version --help 'run --help' 'info run' 'compare run run' \
  'export run -f cog'; do
  : > "$work/out"
  # The words are arguments.
  # shellcheck disable=SC2086
  "$SCIARA_PROGRAM" $arguments > /dev/full 2> "$work/err" && code=0 || code=$?
  ((code == 4)) || fail "sciara $arguments > /dev/full: expected exit code 4, found $code"
  grep -q 'standard output' "$work/err" || fail "sciara $arguments > /dev/full: expected a message about it"
  checks=$((checks + 1))
done

echo "$checks command lines"
exit $failed
