# SPDX-License-Identifier: Apache-2.0
"""Several runs in threads on one site; one run in several threads; a thousand runs, opened and closed."""
import concurrent.futures
import gc
import multiprocessing
import os
import signal
import threading
import time

import setup
import case

import sciara

RUNS = 10000 if case.LONG else 1000


def make(site, k):
    return sciara.Run(site=site, vents=[{"rowcol": case.VENT, "rate": 3 + k, "duration": "20 min"}], threads=1,
                      params={"cooling": 150})


def compute(site, k):
    with make(site, k) as run:
        run.advance(steps=200)
        run.set_rate("vent 1", 2 * k, until="1 h")
        run.advance(minutes=5)
        return run.checksum, float(run.deposit.sum())


def make_together(threads=2):
    return sciara.Run(setup.dem_array(), **setup.PLACE, vents=[{"rowcol": case.VENT, "rate": 5, "duration": "20 min"}],
                      engine="openmp", threads=threads)


def state_after(steps, threads=2):
    with make_together(threads) as run:
        run.advance(steps=steps)
        return run.checksum


class Threads(case.Case):
    def test_as_one_after_the_other(self):
        site = sciara.Site(setup.dem_array(), **setup.PLACE)
        alone = [compute(site, k) for k in range(8)]
        self.assertEqual(len(set(alone)), 8)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for _ in range(3):
                self.assertEqual(list(pool.map(lambda k: compute(site, k), range(8))), alone)

    def test_errors_belong_to_their_thread(self):
        def fail(name):
            for _ in range(50):
                try:
                    sciara.open(name)
                except OSError as e:
                    if name not in str(e):
                        return str(e)
            return None
        names = [self.path(f"{k}.json") for k in range(8)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(list(pool.map(fail, names)), 8 * [None])

    def test_gil_is_released(self):
        self.write_scenario(**case.ENDLESS)
        run = sciara.open(self.path("s.json"))
        thread = threading.Thread(target=run.run)
        thread.start()
        count, end = 0, time.monotonic() + 1
        while time.monotonic() < end:
            count += 1
            time.sleep(0.001)
        run.cancel()
        thread.join()
        self.assertGreater(count, 50, "this thread ran meanwhile")
        self.assertGreater(run.step, 0)

    def test_one_run_in_several_threads(self):
        """Each waits for the others; nothing is lost."""
        site = sciara.Site(setup.dem_array(), **setup.PLACE)
        alone, together = make(site, 1), make(site, 1)
        alone.advance(steps=200)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: (together.advance(steps=10), together.thickness), range(20)))
        self.assertEqual((together.step, together.checksum), (200, alone.checksum))

    def test_closed_by_another_thread(self):
        self.write_scenario(**case.ENDLESS)
        for _ in range(5):
            run, seen = sciara.open(self.path("s.json")), []

            def use():
                try:
                    while True:
                        run.advance(steps=5)
                except sciara.UsageError as e:
                    seen.append(str(e))
            threads = [threading.Thread(target=use) for _ in range(3)]
            for thread in threads:
                thread.start()
            time.sleep(0.05)
            run.close()
            for thread in threads:
                thread.join()
            self.assertEqual(seen, 3 * ["expected an open run, found a closed one"])


class Forks(case.Case):
    """A child has no thread of its parent but the one that forked: neither a team of threads nor the user of a run."""

    def in_child(self, work):
        """What work() returns in the child of a fork, as text; a child that waits for ever fails the test."""
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            try:
                text = str(work())
            except sciara.UsageError as e:
                text = str(e)
            os.write(write, text.encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as f:
            text = f.read()
        self.assertEqual(os.waitpid(pid, 0)[1], 0, "the child ends")
        return text

    def test_child_computes(self):
        alone = state_after(200, threads=1)
        run = make_together()
        run.advance(steps=80)
        self.assertEqual(self.in_child(lambda: (run.advance(steps=120), run.checksum)[1]), alone, "a run of the parent")
        self.assertEqual(self.in_child(lambda: state_after(200)), alone, "a run of its own")
        self.assertEqual(self.in_child(lambda: self.in_child(lambda: state_after(200))), alone, "a grandchild")
        run.advance(steps=120)
        self.assertEqual(run.checksum, alone, "the parent continues")

    def test_pool(self):
        steps = [50, 100, 150, 200]
        alone = [state_after(count) for count in steps]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map_async(state_after, steps).get(60), alone)

    def test_run_that_another_thread_uses(self):
        self.write_scenario(**case.ENDLESS)
        run = sciara.open(self.path("s.json"))
        thread = threading.Thread(target=run.run)
        thread.start()
        while not run._lock.locked():
            time.sleep(0.001)
        try:
            self.assertEqual(self.in_child(lambda: run.step), "expected a run that nothing uses, found one that another "
                             "thread was using when this process was forked: open it again")
        finally:
            run.cancel()
            thread.join()
        self.assertGreaterEqual(run.step, 0, "the parent still has it")


class Memory(case.Case):
    @staticmethod
    def resident():
        """KiB"""
        gc.collect()
        return int(case.read_text("/proc/self/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024

    def assert_no_growth(self, work):
        for _ in range(100):
            work()
        before = self.resident()
        for _ in range(RUNS):
            work()
        grown = self.resident() - before
        self.assertLess(grown, 2048, f"KiB after {RUNS} runs")

    def test_runs_from_memory(self):
        dem = setup.dem_array()

        def work():
            run = sciara.Run(dem, **setup.PLACE, vents=[{"rowcol": case.VENT, "rate": 5, "duration": 60}], threads=1,
                             engine="serial")
            run.advance(steps=3)
            with run.view("thickness") as h:
                self.assertGreater(h.max(), 0)
            run.read = run.thickness
            run.close()
        self.assert_no_growth(work)
