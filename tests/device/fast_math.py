#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The GPU's approximate functions are only in the code for --fast-math.

With cuobjdump it reads the machine code of the library (SCIARA_LIBRARY); without, the PTX that nvcc makes of the same
command lines (compile_commands.json of SCIARA_BUILD_DIR): each of the instructions looked for is one machine instruction.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

APPROXIMATE = {"sass": ("MUFU.EX2", "MUFU.LG2"), "ptx": ("ex2.approx", "lg2.approx")}
CONTRACTED = {"sass": "FFMA", "ptx": "fma.rn"}


def machine_code(cuobjdump):
    """Text of each function of the library, by name."""
    found = subprocess.run([cuobjdump, "--dump-sass", os.environ["SCIARA_LIBRARY"]], check=True, capture_output=True, text=True)
    parts = re.split(r"^\s*Function : (\S+)", found.stdout, flags=re.M)[1:]
    return list(zip(parts[0::2], parts[1::2]))


def ptx():
    """Text of engine_cuda_rbb in each precision."""
    commands = json.loads((Path(os.environ["SCIARA_BUILD_DIR"]) / "compile_commands.json").read_text())
    functions = []
    for entry in commands:
        if not entry["file"].endswith("engine_cuda_rbb.cu"):
            continue
        words = [w for w in shlex.split(entry["command"])
                 if not w.startswith(("--generate-code", "-Ofc="))]  # contracted only when optimised
        words = words[:words.index("-c")] + ["-ptx", entry["file"], "-o", "-", "-arch=sm_80"]
        if "-MD" in words:  # no dependency files
            words = [w for k, w in enumerate(words) if w not in ("-MD",) and (k == 0 or words[k - 1] not in ("-MT", "-MF")) and w not in ("-MT", "-MF")]
        text = subprocess.run(words, cwd=entry["directory"], check=True, capture_output=True, text=True).stdout
        parts = re.split(r"\.entry (\S+)\(", text)[1:]
        functions += list(zip(parts[0::2], parts[1::2]))
    return functions


def main():
    cuobjdump = shutil.which("cuobjdump")
    if "-Ofc=" in (Path(os.environ["SCIARA_BUILD_DIR"]) / "compile_commands.json").read_text():
        cuobjdump = None  # a build for checks, with little optimisation
    kind, functions = ("sass", machine_code(cuobjdump)) if cuobjdump else ("ptx", ptx())
    counts = {"f64": 0, "f32": 0, "fast": 0}
    approximate = {key: {name: 0 for name in APPROXIMATE[kind]} for key in counts}
    contracted = dict.fromkeys(counts, 0)
    for name, text in functions:
        precision = re.search(r"sciara_gpu_[a-z0-9]+_(f64|f32|fast)", name)
        if not precision:
            continue
        counts[precision[1]] += 1
        # Intended ones are inline assembly: sciara_real_fma.
        without_inline = re.sub(r"// begin inline asm.*?// end inline asm", "", text, flags=re.S)
        contracted[precision[1]] += without_inline.count(CONTRACTED[kind])
        for instruction in APPROXIMATE[kind]:
            approximate[precision[1]][instruction] += text.count(instruction)
    failed = []
    for precision, count in counts.items():
        print(f"{kind}, {precision}: {count} kernels, {approximate[precision]}, contracted {contracted[precision]}")
        if count == 0:
            failed.append(f"no kernels of {precision} were found")
        for instruction, number in approximate[precision].items():
            if (number > 0) != (precision == "fast"):
                failed.append(f"{precision}: {number} times {instruction}")
    if contracted["fast"] == 0:
        failed.append("fast: no contraction")
    # In machine code a division is several instructions, some of them contracted; PTX shows the source operations.
    if kind == "ptx" and (contracted["f32"] or contracted["f64"]):
        failed.append("contraction in a precision that must have none")
    print("\n".join(failed))
    return 1 if failed else 0

sys.exit(main())
