# SPDX-License-Identifier: Apache-2.0
"""Ensembles: many runs of one scenario, and the hazard maps made of them; docs/ensembles.md describes the files.

    import sciara
    ensemble = sciara.ensemble.plan("hazard.json", "hazard")
    ensemble.run()
    ensemble.reduce()
    ensemble.hazard.probability_0m.plot()
    print(ensemble.query(449700, 4347500).thickness[0].value)

Units are SI; times are simulated seconds since the start of the eruption. Every probability is conditional on the model
and on the plan.
"""
from __future__ import annotations

import csv
import dataclasses
import json
import math
import sys
from pathlib import Path
from typing import Any, Callable, Optional, Union

import xarray

from . import _progress
from ._errors import UsageError, check
from ._library import ffi, lib, name_of as _name
from ._values import Duration, PathLike, describe, number_of, path_of, seconds_of, text_of, whole_of


@dataclasses.dataclass(frozen=True)
class Status:
    """How far an ensemble is.

    total: members
    finished: of them; failed and censored ones are finished
    failed: they have no result
    censored: they ended before their own stop rule, or have a tower: what they reached is a lower bound
    now: finished by this call of run
    per_hour: members; of this call, or at the speed of the last hour; 0: unknown
    to_go: wall-clock time, s; None: unknown
    """

    total: int
    finished: int
    failed: int
    censored: int
    now: int
    per_hour: float
    to_go: Optional[float]


@dataclasses.dataclass(frozen=True)
class Probability:
    """A probability at a place.

    limit: a max deposit above this, m (0: any lava), or arrival until this time, s
    value: 0 to 1, from the finished members
    low, high: whatever members that are not finished, failed or censored would do
    error: standard error, or the grid difference of a full plan (Answer.grid_difference); NaN also without hits
    hits: members
    interval: (low, high), the 95 % interval as far as it is due to the draws; NaN: there is none
    """

    limit: float
    value: float
    low: float
    high: float
    error: float
    hits: int
    interval: tuple[float, float]


@dataclasses.dataclass(frozen=True)
class Years:
    """P_T at a place: the probability of lava in some years, from the rates of eruptions in the ensemble file.

    years: T
    limit: a max deposit above this, m (0: any lava)
    value: 0 to 1, from the finished members; NaN, as its ends: none of them lies in a zone of the rates
    low, high: ends of the interval of the rates, with the bounds of the probability of an eruption
    zero_bound: upper 95 % bound without hits; NaN: none, as in Answer
    hits: members
    """

    years: float
    limit: float
    value: float
    low: float
    high: float
    zero_bound: float
    hits: int


@dataclasses.dataclass(frozen=True)
class Quantile:
    """A quantile (0 to 1) over the members that reach a place: arrival, s, and final deposit, m; NaN if fewer than 10 do."""

    quantile: float
    arrival: float
    deposit: float


@dataclasses.dataclass(frozen=True)
class Contribution:
    """What the members of a vent, of a class of eruptions, or of both do at a place.

    vent, event: names, or numbers where there is no name; "-": any
    members, hits: finished members; those that reach the place
    weight: of them, divided by all weight
    probability: P(place is reached | vent, event)
    share: P(vent, event | place is reached)
    arrival: weighted median over hits, s; NaN if fewer than 10
    """

    vent: str
    event: str
    members: int
    hits: int
    weight: float
    probability: float
    share: float
    arrival: float


@dataclasses.dataclass(frozen=True)
class Answer:
    """What an ensemble says about a place: the results that its file lists.

    members, finished, censored: numbers of members of weight above 0
    zero_bound: upper 95 % bound of a probability without hits; NaN unless members were drawn, with equal weights in a stratum
    earliest: first arrival of all members, s; NaN: none reaches the place
    thickness, within: a Probability for each result.thickness_m and each result.within of the file
    quantiles: a Quantile for each result.quantiles
    by_vent, by_event, by_both: a Contribution for each vent, class, or vent and class that reaches the place
    grid_difference: errors are the grid difference of a full plan, which is no standard error
    years: a Years for each result.years and each result.thickness_m; none without eruptions_per_year
    """

    members: int
    finished: int
    censored: int
    zero_bound: float
    earliest: float
    thickness: tuple[Probability, ...]
    within: tuple[Probability, ...]
    quantiles: tuple[Quantile, ...]
    by_vent: tuple[Contribution, ...]
    by_event: tuple[Contribution, ...]
    by_both: tuple[Contribution, ...]
    grid_difference: bool
    years: tuple[Years, ...]


@dataclasses.dataclass(frozen=True)
class Asset:
    """What an ensemble says about a feature of a vector file.

    name, kind: "point", "line" or "zone"
    state: "land", or why no member can reach it: "sea", "NODATA", "outside", "empty"
    answer: without by_vent, by_event and by_both; None unless it is on land
    """

    name: str
    kind: str
    state: str
    answer: Optional[Answer]


@dataclasses.dataclass(frozen=True)
class Said:
    """What was said of the cells of a class of probabilities, and what came true.

    low, high: of the class; equal: this probability alone, else `high` does not belong to it
    cells: number of cells
    mean: of their probabilities; NaN: there is no cell
    observed: share of them that was covered; NaN likewise
    off: 200 cells or more, and the two differ by more than 0.2
    """

    low: float
    high: float
    cells: int
    mean: float
    observed: float
    off: bool


@dataclasses.dataclass(frozen=True)
class Scores:
    """Scores of probabilities over some cells (docs/validation.md); NaN: not defined.

    cells, observed_cells, likely_cells: all; those that were covered; those with a probability of 0.5 or more
    area_ratio, jaccard: of the likely cells and those observed
    jaccard_nothing_moves: of the lava with which the members begin
    brier, brier_nothing_moves, brier_base_rate: also of that lava, and of the observed share of the cells said of each
    skill_nothing_moves, skill_base_rate: 1 - brier / the other
    sharpness: share of the cells with a probability below 0.1 or above 0.9
    said: the twelve classes
    """

    cells: int
    observed_cells: int
    likely_cells: int
    area_ratio: float
    jaccard: float
    jaccard_nothing_moves: float
    brier: float
    brier_nothing_moves: float
    brier_base_rate: float
    skill_nothing_moves: float
    skill_base_rate: float
    sharpness: float
    said: tuple[Said, ...]


@dataclasses.dataclass(frozen=True)
class Rank:
    """What was observed among what the members have; NaN: not known.

    least, median, most: of the members, the median by weight
    below, equal: share of the weight of the members that have less, or as much
    """

    observed: float
    least: float
    median: float
    most: float
    below: float
    equal: float


@dataclasses.dataclass(frozen=True)
class Verification:
    """What an ensemble said, judged by a mapped extent: verification.json (docs/formats.md).

    at: simulated time that was judged, s; None: members ended at rest
    date: of it; None: not known
    chosen: "given", "file" (the last date of the file that the members reach) or "end" (of the members)
    all: Scores of all cells
    beyond_start: of those without lava when the members begin; None: they begin without lava
    area, run_out: a Rank each, m2 and m
    left_out_cells: observed cells in the sea or without an altitude
    condition: what the probabilities are conditional on
    """

    at: Optional[float]
    date: Optional[str]
    chosen: str
    all: Scores
    beyond_start: Optional[Scores]
    area: Rank
    run_out: Rank
    left_out_cells: int
    condition: str


#: None: a bar if somebody sees it; True, False: a bar or none; a function: called with each Status.
ProgressLike = Union[None, bool, Callable[[Status], Any]]


def _status_of(c: Any) -> Status:
    return Status(c.total, c.finished, c.failed, c.censored, c.now, c.per_hour, c.to_go_s if c.to_go_s >= 0 else None)


def _text(now: Status) -> str:
    left = "" if now.to_go is None else f", {_progress.duration_text(now.to_go)} to go"
    return f"sciara: {now.finished} of {now.total} members{left}"


class _Line:
    """One line of a terminal or a notebook, written again and again."""

    def __init__(self) -> None:
        self.width = 0

    def __call__(self, now: Status) -> None:
        text = _text(now)
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\n")


def _probabilities(items: Any, intervals: Any, count: int) -> tuple[Probability, ...]:
    return tuple(Probability(c.limit, c.value, c.low, c.high, c.error, c.hits, (i.low, i.high))
                 for c, i in zip(items[0:count], intervals[0:count]))


def _contributions(items: Any, count: int) -> tuple[Contribution, ...]:
    return tuple(Contribution(_name(c.vent), _name(c.event), c.members, c.hits, c.weight, c.probability, c.share,
                              c.arrival_s) for c in items[0:count])


def _answer_of(c: Any) -> Answer:
    return Answer(c.members, c.finished, c.censored, c.zero_bound, c.earliest_s,
                  _probabilities(c.thickness, c.thickness_interval, c.thickness_count),
                  _probabilities(c.within, c.within_interval, c.within_count),
                  tuple(Quantile(q.quantile, q.arrival_s, q.deposit_m) for q in c.quantiles[0:c.quantile_count]),
                  _contributions(c.by_vent, c.by_vent_count), _contributions(c.by_event, c.by_event_count),
                  _contributions(c.by_both, c.by_both_count), c.grid_difference,
                  tuple(Years(y.years, y.limit, y.value, y.low, y.high, y.zero_bound, y.hits)
                        for y in c.years[0:c.years_count]))


def _known(values: dict[str, Any]) -> dict[str, Any]:
    """null becomes NaN."""
    return {key: math.nan if value is None else value for key, value in values.items()}


def _scores_of(found: dict[str, Any]) -> Scores:
    values = _known(found)
    values["said"] = tuple(Said(*_known(one).values()) for one in found["said"])
    return Scores(**values)


def _value_of(text: str) -> Any:
    """A value of members.csv: JSON or a word; None: the member does not set this key."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text


class Ensemble:
    """A planned ensemble in its folder: `plan` makes one, `open` finds one.

    An object holds only the path, so that any number of them may exist. One thread at a time may run or reduce an
    ensemble; others may read its status and query it meanwhile. The GIL is released while the library computes.
    """

    def __init__(self, folder: PathLike) -> None:
        self._path = path_of(folder, "the folder of an ensemble")
        self.folder = Path(folder)
        self.status()

    def __repr__(self) -> str:
        now = self.status()
        return f"<sciara.ensemble.Ensemble {self.folder}: {now.finished} of {now.total} members are finished>"

    def status(self) -> Status:
        """How far the whole ensemble is, from its folder, also while another process computes it."""
        out = ffi.new("struct sciara_ensemble_progress *")
        check(lib.sciara_ensemble_read_progress(self._path, out))
        return _status_of(out)

    def run(self, progress: ProgressLike = None, *, first: Optional[int] = None, last: Optional[int] = None,
            part: Optional[tuple[int, int]] = None, workers: Optional[int] = None,
            engine: Optional[str] = None) -> Status:
        """Computes the members that are not finished; returns the status of the members that it was to compute.

        progress: None: a line if somebody sees it; True, False; or a function that is called about every 0.2 s with a
            Status and may raise to end the call
        first, last: only the batches that hold an id of `members` from first to last, both given
        part: (i, n): only part i, from 1, of n parts of the batches
        workers: members at a time; None: one per core, or one per GPU
        engine: one of sciara.engines(); None: that of the base scenario, where auto is openmp

        Ctrl-C ends it and raises KeyboardInterrupt; a later call continues. A member that fails does not end it.
        """
        options = ffi.new("struct sciara_ensemble_run_options *")
        if (first is None) != (last is None):
            raise UsageError("expected first and last, found one of them")
        if first is not None:
            options.has_ids, options.first_id = True, whole_of(first, "first")
            options.last_id = whole_of(last, "last")
        if part is not None:
            if not isinstance(part, tuple) or len(part) != 2:
                raise UsageError(f"part: expected (i, n), found {describe(part)}")
            options.part, options.parts = whole_of(part[0], "part"), whole_of(part[1], "part")
            if options.parts == 0:
                raise UsageError("part: expected at least one part, found 0")
        options.workers = 0 if workers is None else min(whole_of(workers, "workers"), 2 ** 31 - 1)
        name = ffi.NULL if engine is None else ffi.new("char[]", text_of(engine, "engine"))
        options.engine = name
        return self._run(options, progress)

    def _run(self, options: Any, progress: ProgressLike) -> Status:
        if progress is None:
            progress = _progress._is_seen()
        if not isinstance(progress, bool) and not callable(progress):
            raise UsageError(f"progress: expected True, False or a function, found {describe(progress)}")
        line = _Line()
        report: Optional[Callable[[Status], Any]] = line if progress is True else None if progress is False else progress
        caught: list[BaseException] = []

        def tick(_context: Any, now: Any) -> bool:
            if report is not None:
                report(_status_of(now))
            return True

        # An exception, also that of Ctrl-C, cancels: cffi returns `error` for the function.
        options.progress = c_tick = ffi.callback("bool(void *, const struct sciara_ensemble_progress *)", tick,
                                                 error=False,
                                                 onerror=lambda _kind, error, _traceback: caught.append(error))
        out = ffi.new("struct sciara_ensemble_progress *")
        try:
            status = lib.sciara_ensemble_run(self._path, options, out)
        finally:
            line.close()
            del c_tick
        if caught:
            raise caught[0]
        check(status)
        return _status_of(out)

    def reduce(self, *, all_members: bool = False, pictures: bool = False, threads: Optional[int] = None) -> None:
        """Makes maps/, hazard.nc, the vector files and sites.csv in the folder, of the batches that are whole so far.

        all_members: also where the stop rule of the ensemble holds earlier
        pictures: also PNG pictures of the maps
        threads: None: one per core
        """
        options = ffi.new("struct sciara_ensemble_reduce_options *", {
            "all": bool(all_members), "pictures": bool(pictures),
            "threads": 0 if threads is None else min(whole_of(threads, "threads"), 2 ** 31 - 1)})
        check(lib.sciara_ensemble_reduce(self._path, options))

    def query(self, x: float, y: float) -> Answer:
        """Asks the members of all whole batches about the cell of a place.

        InputError for one that no member can reach: outside the DEM, in the sea, without an altitude.

        x, y: easting and northing in the CRS of the DEM, m
        """
        out = ffi.new("const struct sciara_ensemble_answer **")
        check(lib.sciara_ensemble_query(self._path, number_of(x, "x"), number_of(y, "y"), out))
        try:
            return _answer_of(out[0])
        finally:
            lib.sciara_ensemble_release(out[0])

    def expose(self, assets: PathLike, *, layer: Optional[str] = None) -> tuple[Asset, ...]:
        """Asks the members of all whole batches about the features of a vector file, as `sciara exposure` does.

        assets: file of points, lines and polygons with names, in any CRS; formats: docs/cli.md
        layer: of a file with several
        """
        out = ffi.new("const struct sciara_ensemble_assets **")
        name = ffi.NULL if layer is None else ffi.new("char[]", text_of(layer, "layer"))
        check(lib.sciara_ensemble_expose(self._path, path_of(assets, "assets"), name, out))
        try:
            return tuple(Asset(_name(a.name), _name(a.kind), _name(a.state), None if a.answer == ffi.NULL else _answer_of(a.answer))
                         for a in out[0].asset[0:out[0].count])
        finally:
            lib.sciara_ensemble_assets_release(out[0])

    def verify(self, observed: PathLike, *, at: Optional[Duration] = None,
               since: Optional[Duration] = None, dates: Optional[str] = None, layer: Optional[str] = None, region: Optional[PathLike] = None) -> Verification:
        """Judges the probabilities by what was mapped later, as `sciara verify`; writes verification.json and verification.csv.

        observed: the mapped extent, polygons or a raster in any CRS
        at: its simulated time, or its date as text. None: the last date in the file that the members reach, or their end
        since: likewise, of an earlier outline of the file, which stays if nothing moves. None: the lava with which members begin
        dates: field of the file with the dates of its outlines; None: the only one with dates. Without `at`
        layer: of a file with several layers of polygons
        region: judge only cells of these polygons, or of this raster
        """
        options = ffi.new("struct sciara_ensemble_verify_options *")
        when = {key: value if isinstance(value, str) else f"{seconds_of(value, key):.17g}" for key, value in (("at", at), ("since", since))
                if value is not None}
        given = {"observed": path_of(observed, "observed"), "layer": None if layer is None else text_of(layer, "layer"),
                 **{key: text_of(value, key) for key, value in when.items()}, "dates": None if dates is None else text_of(dates, "dates"),
                 "region": None if region is None else path_of(region, "region")}
        kept = {key: ffi.new("char[]", value) for key, value in given.items() if value is not None}
        for key, value in kept.items():
            setattr(options, key, value)
        check(lib.sciara_ensemble_verify(self._path, options))
        found = json.loads((self.folder / "verification.json").read_text(encoding="utf-8"))
        beyond = found["beyond_start"]
        return Verification(found["at_s"], found["date"], found["at"], _scores_of(found["all"]),
                            None if beyond is None else _scores_of(beyond), Rank(**_known(found["area_m2"])),
                            Rank(**_known(found["run_out_m"])), found["left_out_cells"], found["condition"])

    @property
    def hazard(self) -> xarray.Dataset:
        """All maps of `reduce`, read from hazard.nc: variables (y, x) with units and CRS; NaN: outside the DEM, or no value.

        "." of a name is "p": probability_0p5m. Needs netCDF4 or h5netcdf.
        """
        path = self.folder / "hazard.nc"
        if not path.exists():
            raise UsageError(f"{path}: expected the maps of the ensemble, found none: call reduce() first")
        with xarray.open_dataset(path, decode_times=False) as found:
            return found.load()

    @property
    def members(self) -> dict[str, list[Any]]:
        """The table of members, a list for each column: id, stratum, replicate, vent, event (-1: not given), weight (after
        `sciara ensemble reweight` those that follow from the observation), what was drawn (volume_m3 and duration_s with
        events, rate_scale if it varies), and each key of the scenario that varies; None: the member does not set it.
        """
        self.status()  # refuses a table that is not the planned one
        rows = _rows_of(self.folder / "members.csv")
        observed = self.folder / "weights-observed.csv"
        source = observed if observed.exists() else self.folder / "weights.csv"
        weights = {int(row["id"]): float(row["weight"]) for row in _rows_of(source)}
        table: dict[str, list[Any]] = {name: [_value_of(row[name]) for row in rows] for name in (rows[0] if rows else ())}
        table["weight"] = [weights[number] for number in table["id"]]
        return table


def _rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table; a value, such as the rates of a vent, may be longer than the csv module allows at first."""
    before = csv.field_size_limit(1 << 30)
    try:
        with path.open(encoding="utf-8-sig", newline="") as f:
            if f.read(1) == "#":
                f.readline()  # how the weights were made
            else:
                f.seek(0)
            return list(csv.DictReader(f))
    finally:
        csv.field_size_limit(before)


def plan(file: PathLike, folder: PathLike, *, overwrite: bool = False) -> Ensemble:
    """Plans an ensemble: reads a file of docs/ensembles.md, and writes the folder with the members and the DEM.

    A folder with the same members retains its results. overwrite: replace an ensemble with other members, if it has no
    results yet. Nothing is written if there is a problem (InputError).
    """
    check(lib.sciara_ensemble_make_plan(path_of(file, "the ensemble file"), path_of(folder, "the folder"),
                                        bool(overwrite)))
    return Ensemble(folder)


def open(folder: PathLike) -> Ensemble:  # pylint: disable=redefined-builtin
    """The ensemble in a folder of `sciara ensemble plan`."""
    return Ensemble(folder)
