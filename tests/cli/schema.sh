#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Generated files in the tree are those that the program generates now.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# same FILE COMMAND...: the output of the command is the file of the tree.
same() {
  local file=$1
  shift
  "$SCIARA_PROGRAM" "$@" > "$work/found"
  if ! diff -u "$SCIARA_SOURCE_DIR/$file" "$work/found"; then
    echo "$file is not what 'sciara $*' prints; write it again: sciara $* > $file"
    failed=1
  fi
}

same config/scenario.schema.json schema
same config/ensemble.schema.json ensemble schema
same config/calibration.schema.json schema --calibration

"$SCIARA_PROGRAM" schema > "$work/scenario.schema.json"
"$SCIARA_PROGRAM" ensemble schema > "$work/ensemble.schema.json"
"$SCIARA_PROGRAM" schema --calibration > "$work/calibration.schema.json"
/usr/bin/python3 - "$work" "$SCIARA_SOURCE_DIR"/config/*.json << 'PYTHON' || failed=1
import json
import sys

schemas = {}
for name in ("scenario.schema.json", "ensemble.schema.json"):
    with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as f:
        schemas[f"./{name}"] = json.load(f)
schema = schemas["./scenario.schema.json"]
failed = False


def expect(what, expected, found):
    global failed
    if expected != found:
        print(f"{what}: expected {expected}, found {found}")
        failed = True


expect("$schema", "http://json-schema.org/draft-07/schema#", schema["$schema"])
expect("required", ["dem", "vents"], sorted(schema["required"]))
expect("additionalProperties", False, schema["additionalProperties"])
with open(f"{sys.argv[1]}/calibration.schema.json", encoding="utf-8") as f:
    calibration = json.load(f)
searches = calibration["properties"]["searches"]["items"]
expect("model of a search", schema["properties"]["model"]["properties"].keys(), searches["properties"]["model"]["properties"].keys())
expect("unknowns, or searches", [["unknowns"], ["searches"]], [one["required"] for one in calibration["anyOf"]])
expect("clock_max_s", 120, schema["properties"]["model"]["properties"]["clock_max_s"]["default"])
for path in sys.argv[2:]:  # every key of the scenarios and ensembles that come with the program
    if path.endswith(".schema.json"):
        continue
    with open(path, encoding="utf-8") as f:
        scenario = json.load(f)
    expect(f"{path}: keys that the schema does not know", [], [k for k in scenario if k not in schemas[scenario["$schema"]]["properties"]])
sys.exit(failed)
PYTHON
exit $failed
