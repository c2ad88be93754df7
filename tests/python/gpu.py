#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of a Python program on a GPU: bit-identical to serial, also in threads, with changed rates, and continued from a file."""
import concurrent.futures
import os
import sys

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
import setup
import case

import numpy

import sciara

ENGINE = "cuda-fused"


def make(site, engine, rate=4.0, **options):
    return sciara.Run(site=site, vents=[{"rowcol": case.VENT, "rate": rate, "duration": "20 min"}], engine=engine,
                      params={"cooling": 150}, **options)


def compute(site, engine, rate):
    with make(site, engine, rate) as run:
        run.advance(steps=200)
        run.set_rate("vent 1", 2 * rate, until="10 h")
        run.advance(minutes=5)
        return run.checksum, run.ledger, run.engine


class OnGpu(case.Case):
    def prepare_test(self):
        self.site = sciara.Site(setup.dem_array(), **setup.PLACE)

    def test_bits_and_fields(self):
        with make(self.site, ENGINE) as gpu, make(self.site, "serial") as cpu:
            for run in (gpu, cpu):
                run.advance(minutes=10)
            self.assertEqual(gpu.engine, ENGINE)
            self.assertEqual((gpu.checksum, gpu.step, gpu.time), (cpu.checksum, cpu.step, cpu.time))
            self.assertGreater(float(gpu.thickness.max()), 0)
            for name in cpu.fields:
                numpy.testing.assert_array_equal(gpu.field(name).values, cpu.field(name).values, name)
            with gpu.view("thickness") as h:
                self.assertEqual(float(h.max()), float(cpu.thickness.max()))

    def test_in_threads_with_changed_rates(self):
        rates = [1.5 + k for k in range(4)]
        right = [compute(self.site, "serial", rate)[:2] for rate in rates]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda rate: compute(self.site, ENGINE, rate), rates))
        self.assertEqual([f[:2] for f in found], right)
        self.assertEqual({f[2] for f in found}, {ENGINE})

    def test_continued_on_the_other(self):
        with make(self.site, ENGINE) as gpu, make(self.site, "serial") as cpu:
            gpu.advance(steps=100)
            gpu.write_checkpoint(self.path("at_100.h5"))
            cpu.advance(steps=250)
            with sciara.open_checkpoint(self.path("at_100.h5"), self.site, {"engine.name": "serial"}) as rest:
                rest.advance(steps=150)
                self.assertEqual(rest.checksum, cpu.checksum)

    def test_device_that_is_not_there(self):
        with self.assertRaisesRegex(sciara.DeviceError, "99"):
            make(self.site, ENGINE, device=99)


if __name__ == "__main__":
    try:
        make(sciara.Site(setup.dem_array(), **setup.PLACE), ENGINE).close()
    except sciara.DeviceError as e:
        setup.skip(f"no GPU for {ENGINE}: {e}")
    case.main()
