# SPDX-License-Identifier: Apache-2.0
"""HDF5 files that refer to something outside themselves, or are stored in a way that the program never uses."""
import contextlib
import os
import shutil
import subprocess

import case
import h5py
import numpy as np

FORMATS = ["cog", "png", "frames", "nc", "gpkg", "geojson", "kml", "csv", "html"]  # of `sciara export`
MADE = {kind: f"made.{'tif' if kind == 'cog' else kind}" for kind in FORMATS}  # the file's name in the tests
SECRET = b"the secret of another file "  # these bytes must not appear anywhere


def write_secret(path, count=1 << 16):
    """A file whose bytes are no HDF5: external storage reads any file."""
    case.write_bytes(path, (SECRET * (count // len(SECRET) + 1))[:count])


def write_secret_hdf5(path, names, shape, dtype):
    """An HDF5 file with datasets of these names: external links and virtual datasets read such."""
    values = np.frombuffer((SECRET * (1 << 16))[:int(np.prod(shape)) * np.dtype(dtype).itemsize], dtype)
    with h5py.File(path, "w") as f:
        for name in names:
            f.create_dataset(name, data=values.reshape(shape))


class Place:
    """A dataset to be replaced, and what the replacement may refer to."""

    def __init__(self, file, name, secret, secret_hdf5):
        self.file, self.name, self.secret, self.secret_hdf5 = file, name, secret, secret_hdf5
        self.values, self.attributes = file[name][...], self._attributes(file[name])
        self.dtype = file[name].dtype

    @staticmethod
    def _attributes(dataset):
        return {k: v for k, v in dataset.attrs.items() if k not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME")}

    def again(self, checksum=True, **how):
        """The same values in a dataset stored in another way."""
        del self.file[self.name]
        how.setdefault("data", None if "external" in how else self.values)
        made = self.file.create_dataset(self.name, shape=self.values.shape, dtype=self.dtype, **how)
        for key, value in self.attributes.items():
            if checksum or key != "sciara_checksum":
                made.attrs.create(key, value)
        return made


USUAL = {"shuffle": True, "compression": "gzip", "compression_opts": 1, "fletcher32": True}


def chunks(place):
    return tuple(min(256, n) for n in place.values.shape)


def external_storage(p):
    p.again(checksum=False, external=[(p.secret, 0, h5py.h5f.UNLIMITED)])


def external_link(p):
    del p.file[p.name]
    p.file[p.name] = h5py.ExternalLink(p.secret_hdf5, "/" + p.name)


def soft_link(p):
    p.file.move(p.name, "elsewhere")
    p.file[p.name] = h5py.SoftLink("/elsewhere")


def virtual_dataset(p):
    del p.file[p.name]
    layout = h5py.VirtualLayout(shape=p.values.shape, dtype=p.dtype)
    layout[...] = h5py.VirtualSource(p.secret_hdf5, p.name, shape=p.values.shape)
    p.file.create_virtual_dataset(p.name, layout, fillvalue=0)


def virtual_unlimited(p):
    """HDF5 opens the sources of such a dataset even to determine its size."""
    del p.file[p.name]
    rank = len(p.values.shape)
    space = h5py.h5s.create_simple(p.values.shape, (h5py.h5s.UNLIMITED,) + p.values.shape[1:])
    source = h5py.h5s.create_simple(p.values.shape, (h5py.h5s.UNLIMITED,) + p.values.shape[1:])
    for s in (space, source):
        s.select_hyperslab((0,) * rank, (h5py.h5s.UNLIMITED,) + (1,) * (rank - 1), None, (1,) + p.values.shape[1:])
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_virtual(space, p.secret_hdf5.encode(), p.name.encode(), source)
    h5py.h5d.create(p.file.id, p.name.encode(), h5py.h5t.py_create(p.dtype), space, plist)


def compact(p):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    shape, kind = p.values.shape, h5py.h5t.py_create(p.dtype)
    del p.file[p.name]
    h5py.h5d.create(p.file.id, p.name.encode(), kind, h5py.h5s.create_simple(shape), plist)
    for key, value in p.attributes.items():
        p.file[p.name].attrs.create(key, value)


def _with_pipeline(p, add):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(chunks(p))
    add(plist)
    kind, space = h5py.h5t.py_create(p.dtype), h5py.h5s.create_simple(p.values.shape)
    del p.file[p.name]
    made = h5py.h5d.create(p.file.id, p.name.encode(), kind, space, plist)
    for key, value in p.attributes.items():
        p.file[p.name].attrs.create(key, value)
    return made


def plugin_filter(p):
    """A filter that only a plugin implements, on a chunk that exists: reading it would search for the plugin."""
    made = _with_pipeline(p, lambda plist: plist.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (3,)))
    made.write_direct_chunk((0,) * p.values.ndim, b"\x28\xb5\x2f\xfd" + bytes(60), 0)


def no_checksum(p):
    del p.file[p.name].attrs["sciara_checksum"]


def group(p):
    del p.file[p.name]
    p.file.create_group(p.name)


def link_next_to_it(p):
    """A member that nobody reads."""
    p.file["next_to_it"] = h5py.ExternalLink(p.secret_hdf5, "/" + p.name)


def soft_link_next_to_it(p):
    p.file["next_to_it"] = h5py.SoftLink("/" + p.name)


def storage_next_to_it(p):
    p.file.create_dataset("next_to_it", shape=(8,), dtype="u1", external=[(p.secret, 0, 8)])


def link_in_a_group(p):
    p.file.create_group("deep/deeper")["next_to_it"] = h5py.ExternalLink(p.secret_hdf5, "/" + p.name)


def virtual_in_a_group(p):
    layout = h5py.VirtualLayout(shape=p.values.shape, dtype=p.dtype)
    layout[...] = h5py.VirtualSource(p.secret_hdf5, p.name, shape=p.values.shape)
    p.file.create_group("deep").create_virtual_dataset("next_to_it", layout, fillvalue=0)


# What no reader accepts, whatever it reads.
LEADS_AWAY = [external_storage, external_link, soft_link, virtual_dataset, virtual_unlimited, link_next_to_it,
              soft_link_next_to_it, storage_next_to_it, link_in_a_group, virtual_in_a_group, plugin_filter]


def spoil(path, how, name, secret, secret_hdf5):
    with h5py.File(path, "r+") as f:
        how(Place(f, name, secret, secret_hdf5))


def put_user_block(path, size=512):
    """The same file with its HDF5 signature at a higher offset."""
    with h5py.File(path, "r") as old, h5py.File(path + ".new", "w", userblock_size=size) as new:
        for key in old:
            old.copy(old[key], new, key, expand_external=False)
        for key, value in old.attrs.items():
            new.attrs.create(key, value)
    os.replace(path + ".new", path)


def named(how, name):
    """What the diagnostic of a file damaged in this way names, if `name` is the damaged dataset."""
    return "next_to_it" if "next_to_it" in how.__name__ or how.__name__.endswith("_a_group") else name


class Hostile(case.SharedCase):
    """A run `good` of three snapshots and two checkpoints; the tests damage copies of it."""

    @classmethod
    def prepare(cls):
        output = {"fields": case.FIELDS, "dtype": "float64", "every": "2 min", "checkpoint_every": "2 min",
                  "maps": ["deposit"]}
        case.write_scenario(cls.work, output=output)
        case.run_program("run", "s.json", "-q", "-o", "good", "--until", "5 min", cwd=cls.work)
        cls.names = [s["name"] for s in case.record(os.path.join(cls.work, "good"))["snapshots"]]
        cls.checkpoints = sorted(os.listdir(os.path.join(cls.work, "good", "checkpoints")))
        assert len(cls.names) >= 3 and len(cls.checkpoints) == 2

    def setUp(self):
        for name in os.listdir(self.work):
            if name not in ("good", "s.json", "dem.asc"):
                path = self.path(name)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        self.secret, self.secret_hdf5 = self.path("secret"), self.path("secret.h5")
        write_secret(self.secret)

    def fifos(self):
        """Replaces the secrets by FIFOs: a program that opens one waits for ever."""
        for path in (self.secret, self.secret_hdf5):
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)
            os.mkfifo(path)

    def spoil(self, path, how, name):
        with h5py.File(path, "r") as f:
            dataset = f[name]
            if not os.path.exists(self.secret_hdf5):
                write_secret_hdf5(self.secret_hdf5, [name], dataset.shape, dataset.dtype)
        spoil(path, how, name, self.secret, self.secret_hdf5)

    def copy(self, name="run"):
        shutil.rmtree(self.path(name), True)
        shutil.copytree(self.path("good"), self.path(name))
        return self.path(name)

    def contents(self):
        """The contents of the folder without FIFOs, which must not be read."""
        return {os.path.relpath(os.path.join(at, name), self.work): os.lstat(os.path.join(at, name)).st_mtime_ns
                for at, _, files in os.walk(self.work) for name in files}

    def refused(self, *args, says=(), code=3):
        """The command is refused at once, writes nothing and shows nothing of the secrets."""
        before = self.contents()
        try:
            done = self.sciara(*args, code=code, timeout=60)
        except subprocess.TimeoutExpired:
            self.fail(f"sciara {' '.join(args)} waits: it opened a file named in another file")
        for what in says:
            self.assertIn(what, done.stderr, args)
        for text in (done.stdout, done.stderr):
            self.assertNotIn("secret of", text)
        self.assertEqual(self.contents(), before, "something was written or removed")
        return done

    def assert_each(self, hows, make, commands, name):
        """Every command refuses the file while the other file exists; the first does so without opening that file."""
        for how in hows:
            with self.subTest(how=how.__name__):
                self.setUp()
                path = make()
                self.spoil(path, how, name)
                says = (os.path.basename(path), named(how, name))
                for command in commands(path):
                    self.refused(*command, says=says)
                if how in LEADS_AWAY:
                    self.fifos()
                    self.refused(*commands(path)[0], says=says)
