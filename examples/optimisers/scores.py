# SPDX-License-Identifier: Apache-2.0
"""Scores of sets of parameters by `sciara evaluate`: one process serves a whole search."""
import json
import subprocess


class Scores:
    def __init__(self, *arguments):
        self.program = subprocess.Popen(["sciara", "evaluate", "--quiet", *arguments], encoding="utf-8",
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def of(self, sets):
        """The results for a list of {key: value}."""
        for k, values in enumerate(sets):
            self.program.stdin.write(json.dumps({"id": k, "set": values}) + "\n")
        self.program.stdin.flush()
        return [json.loads(self.program.stdout.readline()) for _ in sets]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.communicate()
