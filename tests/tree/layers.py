# SPDX-License-Identifier: Apache-2.0
"""tools/check-layers finds the breaches planted in a small tree, and nothing in the tree without them."""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
SOURCE = Path(os.environ["SCIARA_SOURCE_DIR"])
CHECK = SOURCE / "tools/check-layers"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check_layers", str(CHECK))
check_layers = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_layers", loader))
loader.exec_module(check_layers)
STOREYS = "".join(re.findall(r"^sciara_add_storey.*\n", (SOURCE / "CMakeLists.txt").read_text(), re.M))

CLEAN = {
    "CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\n" + STOREYS,
    "src/sciara.h": SPDX + "#include <stddef.h>\n",
    "src/base/portable.h": SPDX + "#ifdef __CUDACC__\n#endif\n",
    "src/base/a.h": SPDX + '#include "sciara.h"\n',
    "src/model/m.h": SPDX + '#include "base/a.h"\n// printf(1) and -ffast-math in a comment are no breach\n',
    "src/engine/e.h": SPDX + '#include "model/m.h"\n',
    "src/file/i.h": SPDX + '#include "model/m.h"\n',
    "src/store/s.h": SPDX + '#include "file/i.h"\n',
    "src/store/part.h": SPDX + "// Included by this room alone.\n",
    "src/run/s.c": SPDX + '#include "engine/e.h"\n#include "file/i.h"\n#include "store/s.h"\nconst char *t = "exit(1)";\n',
    "src/app/output.c": SPDX + "#include <stdio.h>\n" + '#include "file/i.h"\nvoid f(void) { printf("x"); fflush(stdout); }\n'
                        "static int put(void);\n",
    "src/app/doc.c": SPDX + "#include <stdio.h>\nvoid f(FILE *out) { fprintf(out, \"x\"); }\n",
}

# The text added to each file, and a part of the expected message.
PLANTED = [
    ("src/base/a.h", '#include "model/m.h"\n', "base must not include model"),
    ("src/model/m.h", '#include "engine/e.h"\n', "model must not include engine"),
    ("src/file/i.h", '#include "engine/e.h"\n', "file must not include engine"),
    ("src/engine/e.h", '#include "file/i.h"\n', "engine must not include file"),
    ("src/engine/e.h", '#include "run/s.c"\n', "engine must not include run"),
    ("src/run/s.c", '#include "ensemble/x.h"\n', "is no header below src"),
    ("src/run/s.c", '#include "store/part.h"\n', "is included by store alone"),
    ("src/store/s.h", '#include "store/part.h"\n', "open to other rooms"),
    ("src/member/m.h", SPDX + '#include "store/s.h"\n#include "run/s.c"\n', "member must not include run"),
    ("src/file/i.h", '#include "i.h"\n', "is no header below src"),
    ("src/terrain/t.h", SPDX + '#include "store/s.h"\n', "terrain must not include store"),
    ("src/store/s.h", SPDX + '#include "engine/e.h"\n', "store must not include engine"),
    ("src/sciara.h", '#include "base/a.h"\n', "the public header includes no other"),
    ("src/model/m.h", "#include <gdal.h>\n", "<gdal.h> is for"),
    ("src/run/s.c", "#include <cuda_runtime.h>\n", "is for cuda"),
    ("src/model/m.h", "#ifdef __CUDACC__\n#endif\n", "__CUDACC__ is for"),
    ("src/run/s.c", '#include <stdio.h>\nvoid f(void) { printf("x"); }\n', "only src/app prints or exits"),
    ("src/run/s.c", '#include <stdio.h>\nvoid f(void) { fprintf(stderr, "x"); }\n', "only src/app prints or exits"),
    ("src/file/i.h", "#include <stdlib.h>\nstatic inline void f(void) { exit(1); }\n", "only src/app prints or exits"),
    ("src/app/doc.c", "static int put(int x) { return x; }\n", "put is the name of a function of doc.c, too"),
    ("src/app/doc.c", 'void g(void) { printf("x"); }\n', "are for app/output.h"),
    ("src/app/doc.c", 'void g(void) { puts("x"); }\n', "are for app/output.h"),
    ("src/app/doc.c", 'void g(void) { fputs("x", stdout); }\n', "are for app/output.h"),
    ("src/app/doc.c", "void g(void) { f(stderr); }\n", "are for app/output.h"),
    ("src/model/m.h", "#pragma STDC FP_CONTRACT ON\n", "floating-point modes"),
    ("CMakeLists.txt", "add_compile_options(-ffast-math)\n", "floating-point flags"),
    ("src/model/m.h", "static inline size_t f(FILE *x);\n", "does not compile on its own"),
    ("src/model/new.h", "int x;\n", "SPDX"),
    ("src/misc/new.h", SPDX, "src/misc is no layer"),
]


def plant(folder, added):
    """Writes the clean tree with `added`: a file and the text to add to it, or None."""
    files = dict(CLEAN)
    if added:
        files[added[0]] = files.get(added[0], "") + added[1]
    for name, text in files.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def called(added=None):
    """The exit status and what is printed when a user calls it."""
    with tempfile.TemporaryDirectory() as folder:
        plant(folder, added)
        done = subprocess.run([CHECK, folder], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def breaches(added, compile_headers):
    """What it finds, in this process: a new one for each would take longer than the search."""
    with tempfile.TemporaryDirectory() as folder:
        plant(folder, added)
        return "\n".join(check_layers.Checker(Path(folder).resolve()).run(compile_headers))

failures = 0
status, printed = called()
if status != 0:
    print("a clean tree was refused:\n" + printed)
    failures += 1
status, printed = called(PLANTED[0][:2])
if status != 1 or PLANTED[0][2] not in printed:
    print(f"expected exit status 1 and {PLANTED[0][2]!r}, found {status} and:\n{printed}")
    failures += 1
for name, text, expected in PLANTED:
    printed = breaches((name, text), expected == "does not compile on its own")
    if expected not in printed:
        print(f"not found in {name}: {text!r}\nexpected {expected!r}, printed:\n{printed}")
        failures += 1
print(f"{failures} failures of {len(PLANTED) + 2}")
sys.exit(failures != 0)
