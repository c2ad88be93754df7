# SPDX-License-Identifier: Apache-2.0
"""What the batches of an ensemble hold."""
import glob
import os

import h5py
import numpy

OF_CELLS = ("cell", "arrival", "max_deposit", "deposit")


def members(folder):
    """Of each member, in the order of their ids, a dict of what its batch has; `cell`: the indices of its cells."""
    for path in sorted(glob.glob(os.path.join(folder, "batches", "*.h5"))):
        with h5py.File(path) as file:
            f = {name: file[name][:] for name in file if name != "texts"}
        for k, end in enumerate(numpy.cumsum(f["cells"])):
            part = slice(end - f["cells"][k], end)
            yield {name: values[part] if name in OF_CELLS else values[k] for name, values in f.items()} | {"cell": numpy.cumsum(f["cell"][part])}


def arrivals(folder, size):
    """Arrival in each of so many cells, by member, s after their start; infinite: never."""
    found = []
    for f in members(folder):
        found.append(numpy.full(size, numpy.inf))
        found[-1][f["cell"]] = f["arrival"]
    return numpy.array(found)
