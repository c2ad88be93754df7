# SPDX-License-Identifier: Apache-2.0
"""Memory: the estimate of `check` is what a run uses; without enough memory the program says so and ends with code 6."""
import mmap
import os
import re
import resource
import shutil
import time
import unittest.mock

import bed
import case
import shim
import whole

OK, IO, NO_MEMORY, STOPPED = 0, 4, 6, 143
MB = 1e6


class Refused(bed.Bed):
    """Requests of the program for memory fail."""

    def check(self, k, args=bed.RUN):
        outcome, state = self.attempt(f"malloc {k}", args=args)
        how = f"request {k} of {' '.join(args)}"
        self.assertEqual(outcome.done, 1, how)
        self.assert_lives(outcome, how, (NO_MEMORY,))
        self.assertRegex(outcome.stderr, "memory", how)
        self.assert_whole(outcome, state, how)

    def numbers(self, outcome):
        """In the long form all of them, otherwise the first and the last of each place in the program."""
        if bed.LONG:
            return range(1, outcome.mallocs + 1)
        return sorted({k for _, first, last in outcome.sites for k in (first, last) if k <= outcome.mallocs})

    def test_each_request_of_the_readers(self):
        """check, info, compare and export of every format."""
        _, state = self.undisturbed()
        whole.save(state, self.path("run"))
        trials = ("check", "s.json")  # openmp tries numbers of threads: how many requests it makes depends on times
        commands = [trials, ("check", "s.json", "-t", "1"), ("info", "run"), ("compare", "run", "run")]
        commands += [("export", "run", "-q", "-f", f, "-o", f"x.{dict(cog='tif').get(f, f)}", "--overwrite")
                     for f in ("cog", "png", "nc", "gpkg", "geojson", "kml", "csv", "html")]
        for args in commands:
            outcome, _ = self.attempt(args=args)
            self.assertEqual(outcome.code, OK, f"{args}\n{outcome.stderr}")
            numbers = self.numbers(outcome)
            for k in numbers[::bed.pick(1, 4)]:
                with self.subTest(args=args, k=k):
                    refused, _ = self.attempt(f"malloc {k}", args=args)
                    if args == trials and refused.mallocs < k:
                        self.assert_lives(refused, f"{refused.mallocs} requests of {' '.join(args)}", (OK,))
                        continue
                    self.assertEqual(refused.done, 1)
                    if args[0] == "check" and "estimate:      none (" in refused.stdout:
                        self.assert_lives(refused, f"request {k} of the estimate", (OK,))
                        continue
                    self.assert_lives(refused, f"request {k} of {' '.join(args)}", (NO_MEMORY,))


class Libraries(bed.Bed):
    """A request fails in a library that gives up without memory: the program ends there in C++; GLib traps."""

    def refuse_each(self, library, args, samples, results):
        with unittest.mock.patch.dict(os.environ, SCIARA_SHIM_LIBRARY=library):
            outcome, _ = self.attempt(args=args)
            self.assertEqual(outcome.code, OK, outcome.stderr)
            self.assertGreater(outcome.mallocs, 100, library)
            codes = []
            for k in range(1, outcome.mallocs + 1, max(1, outcome.mallocs // samples)):
                refused, _ = self.attempt(f"malloc {k}", args=args)
                self.assert_lives(refused, f"request {k} of {library}", results)
                codes.append(refused.code)
        self.assertIn(NO_MEMORY, codes)

    def test_new(self):
        self.refuse_each("libstdc++", bed.RUN, bed.pick(1000, 40), (NO_MEMORY,))

    def test_text_of_a_picture(self):
        _, state = self.undisturbed()
        whole.save(state, self.path("run"))
        args = ("export", "run", "-q", "-f", "png", "-o", "x.png", "--overwrite")
        self.refuse_each("libglib-2.0", args, bed.pick(1000, 15), (OK, 3, IO, NO_MEMORY))  # it may continue


class Limited(bed.Bed):
    """A limit of the address space, in steps (ulimit -v)."""

    def run_within(self, size, args=bed.RUN):
        return self.attempt(args=args, limit=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))

    @staticmethod
    def least(unit, enough, claim):
        """The least multiple of the unit, up to `enough` of them, for which the claim holds, and for all above it."""
        low, high = 1, enough
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if claim(middle * unit) else (middle + 1, high)
        return low * unit

    def loads(self, size):
        """Whether the program reaches its own code: with less memory the loader fails."""
        return self.run_within(size, ("--version",))[0].code in (OK, NO_MEMORY)

    def test_in_steps(self):
        self.undisturbed()
        least = self.least(1 << 20, 4096, self.loads)
        enough = least + self.least(16 << 20, 256, lambda size: self.run_within(least + size)[0].code == OK)
        codes = set()
        steps = bed.pick(60, 15)
        for k in range(steps):
            size = least + (enough - least) * k // steps
            outcome, state = self.run_within(size)
            how = f"{size} bytes of address space"
            self.assert_lives(outcome, how, (OK, NO_MEMORY))
            self.assert_whole(outcome, state, how)
            codes.add(outcome.code)
        self.assertIn(NO_MEMORY, codes)

    def test_in_steps_with_threads(self):
        """openmp uses as many threads as there is room for: otherwise the OpenMP runtime would end the program."""
        args = ("run", "s.json", "-o", "root/out", "--engine", "openmp", "--threads", "16", "-n", "40")
        outcome, state = self.attempt(args=args)
        self.assertEqual(outcome.code, OK, outcome.stderr)
        self.right = whole.right_of(state)
        least = self.least(16 << 20, 256, self.loads)
        fewer, steps = 0, bed.pick(80, 12)
        for k in range(steps):
            size = least + (448 << 20) * k // steps
            outcome, state = self.run_within(size, args)
            how = f"{size} bytes of address space, 16 threads"
            self.assert_lives(outcome, how, (OK, NO_MEMORY))
            self.assert_whole(outcome, state, how)
            if outcome.code == OK:
                self.assertEqual(whole.right_of(state), self.right, how)
                fewer += "has room for" in outcome.stderr
        self.assertEqual(outcome.code, OK, "the widest limit")
        self.assertGreater(fewer, 0, "no run used fewer threads")


class Huge(bed.Bed):
    """A DEM whose header declares more than the machine has: refused before memory is allocated, however much there is."""

    ROWS = COLS = 40000  # a sparse file has no cells on the disk

    def write(self, rows, cols):
        from osgeo import gdal, osr
        options = ["SPARSE_OK=TRUE", "TILED=YES", "COMPRESS=DEFLATE", "BLOCKXSIZE=4096", "BLOCKYSIZE=4096"]
        dem = gdal.GetDriverByName("GTiff").Create(self.path("huge.tif"), cols, rows, 1, gdal.GDT_Float32, options)
        dem.SetGeoTransform([500000, 1, 0, 4177000, 0, -1])  # within its zone
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(32633)
        dem.SetProjection(srs.ExportToWkt())
        del dem
        self.assertLess(os.path.getsize(self.path("huge.tif")), 1 << 20)
        case.write_json(self.path("s.json"), case.scenario(dem={"path": "huge.tif"}))

    def expect_refused(self, args, size=None):
        limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))) if size else None
        outcome, state = self.attempt(args=args, limit=limit)
        self.assertEqual(outcome.code, NO_MEMORY, outcome.stderr)
        self.assertRegex(outcome.stderr, r"huge.tif: \d+ x \d+ cells take about [\d.]+ [GT]B at \d+ bytes each, [\d.]+ [MG]B are free")
        self.assertLess(outcome.resident, 200 * MB)
        self.assertEqual(state, {})

    def test_header_of_40000_x_40000(self):
        self.write(self.ROWS, self.COLS)
        for args in (("check", "s.json"), bed.RUN):
            self.expect_refused(args, 16 << 30)  # as on a machine that has no more
        free = int(re.search(r"MemAvailable: +(\d+)", case.read_text("/proc/meminfo"))[1]) * 1024
        if free < 50 * self.ROWS * self.COLS:  # so also without a limit
            self.expect_refused(bed.RUN)

    def test_headers_around_two_to_the_31(self):
        for rows, cols in ((65536, 32767), (65536, 32768), (65536, 32769), (400000, 400000)):
            with self.subTest(rows=rows, cols=cols):
                self.write(rows, cols)
                self.expect_refused(bed.RUN, 16 << 30)


class Predicted(case.Case):
    """The estimate of `check` is within a tenth of the peak of a run stopped by a signal: it may write a checkpoint."""

    def write(self, rows, cols, wet):
        from osgeo import gdal, osr
        import numpy
        gdal.UseExceptions()
        dem = gdal.GetDriverByName("GTiff").Create(self.path("dem.tif"), cols, rows, 1, gdal.GDT_Float32)
        dem.SetGeoTransform([500000, 10, 0, 4177000 + rows * 10, 0, -10])
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(32633)
        dem.SetProjection(srs.ExportToWkt())
        rough = numpy.random.default_rng(1).random((rows, cols))
        dem.GetRasterBand(1).WriteArray(1000 + 3 * numpy.arange(rows)[::-1, None] - 0.5 * numpy.arange(cols) + rough)
        del dem
        trickle = {"row": rows // 2, "col": cols // 2, "effusion": {"slot": "10000 d", "rates_m3_s": [1e-6]}}  # no end
        scenario = case.scenario(dem={"path": "dem.tif"}, vents=[trickle], model={"cooling": 0})
        if wet:
            scenario["initial"] = {"thickness": 3}
        case.write_json(self.path("s.json"), scenario)

    def stop_when_steady(self, process):
        """Sends SIGTERM when the memory of the process has not grown while it worked for a while: then it is stepping."""
        most, since = 0, 0
        while process.poll() is None and case.processor_time(process) < since + bed.pick(1, 0.5):
            time.sleep(0.05)
            now = int((re.search(r"\nVmHWM:\s+(\d+)", case.read_text(f"/proc/{process.pid}/status")) or (0, 0))[1])
            if now > most or not os.path.exists(self.path("out", "run.json")):
                most, since = now, case.processor_time(process)
        process.terminate()

    def peak(self, *args):
        shutil.rmtree(self.path("out"), ignore_errors=True)
        outcome = shim.run(("run", "s.json", "-q", "-o", "out", *args), self.work, self.path("none"),
                           after=self.stop_when_steady)
        self.assertEqual(outcome.code, STOPPED, outcome.stderr)
        self.assertEqual(len(os.listdir(self.path("out", "checkpoints"))), 1, "checkpoints")
        return outcome.resident

    def predicted(self, *args):
        report = self.sciara("check", "s.json", "-q", "--no-estimate", *args).stdout
        return float(re.search(r"\nhost memory: +([\d.]+) MB", report)[1]) * MB

    SERIAL, OPENMP = ("-e", "serial"), ("-e", "openmp", "-t", "1")
    WAYS = (SERIAL, OPENMP, ("-e", "openmp", "-t", "2"), (*OPENMP, "-p", "single"), (*SERIAL, "-p", "single"),
            (*SERIAL, "--set", "output.every=1"), ("-e", "openmp", "--set", 'output.maps=["deposit"]'))

    def cases(self):
        """(rows, columns, whether lava is everywhere, options): in the long form each option on each kind of map; otherwise
        each one with lava everywhere, and those that depend on lava or shape also without lava and on another shape. Half
        as many cells where lava is everywhere: still most of the memory is theirs, unless a picture is drawn."""
        if bed.LONG:
            return [(*grid, wet, self.WAYS) for grid in ((1000, 1000), (600, 1300), (2000, 3000)) for wet in (False, True)]
        return [(700, 700, True, self.WAYS[:6]), (1000, 1000, True, self.WAYS[6:]),
                (1000, 1000, False, self.WAYS[:1] + self.WAYS[2:3] + self.WAYS[5:6]),
                (600, 1300, True, self.WAYS[:1]), (600, 1300, False, self.WAYS[3:4] + self.WAYS[6:7])]

    def test_within_a_tenth(self):
        for rows, cols, wet, ways in self.cases():
            self.write(rows, cols, wet)
            for args in ways:
                predicted, taken = self.predicted(*args), self.peak(*args)
                with self.subTest(rows=rows, cols=cols, wet=wet, args=args):
                    print(f"{rows} x {cols}, {'lava everywhere' if wet else 'bare'}, {' '.join(args)}: predicted "
                          f"{predicted / MB:.0f} MB, taken {taken / MB:.0f} MB, {predicted / taken:.3f}", flush=True)
                    self.assertLess(abs(predicted - taken), 0.1 * taken)

    def read_but_not_written(self, size):
        """How much of `size` bytes that are only read counts as used: on some systems all of it, on others nothing."""
        def resident():
            return int(re.search(r"\nVmRSS:\s+(\d+)", case.read_text("/proc/self/status"))[1]) * 1024
        before = resident()
        with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
            self.assertEqual(sum(memory[k] for k in range(0, size, mmap.PAGESIZE)), 0)
            return size if resident() - before > size / 2 else 0

    def test_engines_side_by_side(self):
        """`validate` has all its engines in memory at once: the sum is predicted, and refused before any of them starts."""
        for wet in (False, True):
            self.write(1000, 1000, wet)
            for engines in ("serial", "serial,openmp"):
                args = ("validate", "s.json", "-q", "--steps", "2", "--engines", engines)
                whole = shim.run(args, self.work, self.path("none"))
                self.assertEqual(whole.code, OK, whole.stderr)
                size = whole.resident + (100 << 20)  # code takes more address space than memory; 64 MiB are kept free
                limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))
                refused = shim.run(args, self.work, self.path("none"), limit=limit)
                self.assertEqual(refused.code, NO_MEMORY, refused.stderr)
                said = re.search(r"s.json: all engines together need about ([\d.]+) ([MG]B) of memory .* free; name fewer",
                                 refused.stderr)
                self.assertIsNotNone(said, refused.stderr)
                self.assertLess(refused.resident, 0.6 * whole.resident)
                predicted = float(said[1]) * {"MB": 1e6, "GB": 1e9}[said[2]] + 50 * (1 << 20)  # and the program
                print(f"validate {engines}, {'lava everywhere' if wet else 'bare'}: predicted {predicted / MB:.0f} MB, used "
                      f"{whole.resident / MB:.0f} MB", flush=True)
                bare = 0 if wet else 5 * 8 * 1000 * 1000  # in the initial state: h, T, px, py, lost; only read
                unused = bare - self.read_but_not_written(bare) if bare else 0
                with self.subTest(wet=wet, engines=engines):
                    self.assertLess(abs(predicted - unused - whole.resident), 0.1 * whole.resident)
