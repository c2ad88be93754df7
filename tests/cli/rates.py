# SPDX-License-Identifier: Apache-2.0
"""Effusion rates from CSV files as others write them, through the program: what is understood and assumed is printed, dates
count from run.start, and the same rates in another form give bit-identical states."""
import os
import re
from datetime import datetime

import case
from case import Case

PLAIN = "time_s,rate_m3_s\n0,1.5\n1800,3\n3600,0\n"
OTHER = "\ufeff# an observatory\nDate;TADR [m3/s];n\n2006-07-14 00:00;1,5;4\n2006-07-14T00:30:00Z;3;7\n2006-07-14 01:00;0;1\n;;\n"


class Rates(Case):
    def vent(self, **effusion):
        return [{"row": 8, "col": 20, "effusion": {"csv": "rates.csv", **effusion}}]

    def write_rates(self, text, name="rates.csv"):
        case.write_text(self.path(name), text)

    def check(self, text, code=0, run=None, **effusion):
        self.write_rates(text)
        self.write_scenario(vents=self.vent(**effusion), run=run or {})
        return self.sciara("check", "s.json", code=code)

    def test_bit_identical(self):
        for name, text, run in (("plain", PLAIN, {}), ("other", OTHER, {"start": "2006-07-14"})):
            self.write_rates(text)
            self.write_scenario(vents=self.vent(), run={"max_steps": 60, **run})
            self.sciara("run", "s.json", "-q", "-o", name)
        plain, other = (case.record(self.path(name))["snapshots"][-1]["checksum"] for name in ("plain", "other"))
        self.assertEqual(plain, other)

    def test_what_is_understood_is_printed(self):
        said = self.check(PLAIN).stderr
        self.assertIn('sciara: ./rates.csv: "time_s" is the time in s, "rate_m3_s" is the effusion rate in m3/s; separated by '
                      "commas; 2 rates from 0 s to 3600 s, each until the next one (at most 1800 s), at most 3 m3/s, 8100 m3 "
                      "in all\n", said)
        self.assertNotIn("warning: ./rates.csv", said)
        said = self.check(OTHER, run={"start": "2006-07-14"}).stderr
        for line in ("./rates.csv: a UTF-8 byte order mark is skipped", "./rates.csv: dates without a zone are taken as UTC",
                     './rates.csv: columns that are not used: "n"',
                     's.json: run.start: "2006-07-14" is taken as 2006-07-14T00:00:00Z'):
            self.assertIn(f"sciara: {line}\n", said)
        self.assertIn("warning: ./rates.csv: the last rate, 3 m3/s from 1800 s on, has no end: ",
                      self.check(PLAIN.replace("3600,0\n", "")).stderr)

    def test_vents_with_one_file(self):
        """It is described once; a warning says that each of two vents emits all of it, unless one opens when the other closes."""
        self.write_rates(PLAIN)
        for windows, overlap in (([{}, {}, {}], "0 to 3600 s"), ([{"until": "20 min"}, {"from": 1199}, {"from": 1200}], "1199 to 1200 s"),
                                 ([{"until": "20 min"}, {"from": 1200, "until": 1800}, {"from": "30 min"}], "")):
            self.write_scenario(vents=[self.vent()[0] | {"row": 8 + k} | window for k, window in enumerate(windows)])
            said = self.sciara("check", "s.json").stderr
            self.assertEqual(said.count('"time_s" is the time in s'), 1, said)
            self.assertEqual(re.findall(r"warning: s.json: (vents.*) from (\d+ to \d+ s): if", said),
                             [("vents[0] and vents[1] each emit the rates of rates.csv, at the same time", overlap)] * bool(overlap))

    def test_vents_that_take_turns_with_two_files(self):
        for name in ("a.csv", "b.csv"):
            self.write(name, PLAIN)
        self.write_scenario(vents=[self.vent()[0] | {"row": 8 + k, "effusion": {"csv": name}} for k, name in enumerate(("a.csv", "b.csv") * 2)])
        said = self.sciara("check", "s.json").stderr
        self.assertEqual(said.count('"time_s" is the time in s'), 2, said)
        self.assertEqual(re.findall(r"warning: s.json: (vents.*), at the same time", said),
                         [f"vents[{k}] and vents[{k + 2}] each emit the rates of {name}" for k, name in enumerate(("a.csv", "b.csv"))])

    def test_dates_need_a_start(self):
        said = self.check(OTHER, code=3).stderr
        self.assertIn("s.json: vents[0].effusion.csv: ./rates.csv:3: has dates: expected run.start in the scenario", said)
        self.assertIn("./rates.csv:3: expected a date from 2006-07-14T00:00:01Z (run.start) on",
                      self.check(OTHER, code=3, run={"start": "2006-07-14T00:00:01Z"}).stderr)
        self.write_rates(OTHER)
        vent = self.vent()
        vent[0]["start"] = "1 h"
        self.write_scenario(vents=vent, run={"start": "2006-07-14"})
        self.assertIn("s.json: vents[0].start: expected 0 for rates with dates, which say when they begin; found 3600 s",
                      self.sciara("check", "s.json", code=3).stderr)

    def test_a_start_without_time_of_day(self):
        """It is midnight in files, and an invalid one is refused."""
        import h5py
        self.write_scenario(run={"max_steps": 2, "start": "2006-07-14"})
        self.sciara("run", "s.json", "-q", "-o", "out")
        last = case.record(self.path("out"))["snapshots"][-1]["name"]
        with h5py.File(self.path("out", last)) as f:
            self.assertEqual(f.attrs["start"].decode(), "2006-07-14T00:00:00Z")
            self.assertEqual(f["time"].attrs["units"].decode(), "seconds since 2006-07-14 00:00:00 UTC")
        for start, utc in (("2006-07-14T01:30:00+02:00", "2006-07-13T23:30:00Z"), ("2026-11-27T14:30Z", "2026-11-27T14:30:00Z"), ("2026-11-27T14:30+01:00", "2026-11-27T13:30:00Z"), ("2006-12-31T23:30:00-04:30", "2007-01-01T04:00:00Z"),
                           ("2006-07-14T01:30:00+02", "2006-07-13T23:30:00Z"), ("2006-07-14T23:30", "2006-07-14T23:30:00Z"), ("2006-07-14 23:30:00.9", "2006-07-14T23:30:00Z"), ("2006-07-14 23:30 UTC", "2006-07-14T23:30:00Z")):
            self.write_scenario(run={"start": start})
            self.assertIn(f'sciara: s.json: run.start: "{start}" is taken as {utc}\n', self.sciara("check", "s.json").stderr)
        for start in ("2006-07-14T01:30:00+2", "2006-07-14T01:30:00+15:00", "0001-01-01T00:00:00+02:00", "2006-02-29", "2006-07", "2006-07-14T23", "20060714", "2006-7-14", "2006-07-14  23:30:00Z", 2006):
            self.write_scenario(run={"start": start})
            self.assertIn('run.start: expected a date "YYYY-MM-DDThh:mmZ", perhaps with seconds, a space for T, +02:00 for Z or no zone (UTC), or "YYYY-MM-DD", or null; found',
                          self.sciara("check", "s.json", code=3).stderr)

    def test_dates_that_descend(self):
        """The cause is the order, also where run.start is the first date, and the line is named."""
        case.write_dem(self.path("dem.asc"))
        case.write_text(self.path("r.csv"), "date;rate (m3/s)\n2026-05-10 04:00;1\n2026-05-10 03:00;2\n2026-05-10 06:00;0\n")
        said = self.sciara("init", "dem.asc", "--vent", f"{case.WEST + 205},{case.NORTH - 85}", "--rates", "r.csv", code=3).stderr
        self.assertIn('r.csv:3: expected a date after that of the previous row, 2026-05-10T04:00:00Z, for times ascend, found "2026-05-10 03:00"', said)

    def volume(self, text, code=0):
        """The scenario that `sciara init` makes of a file with dates or times: its m3 and start, or the error and no scenario."""
        case.write_dem(self.path("dem.asc"))
        self.write_rates(text, "r.csv")
        made = self.path("made.json")
        if os.path.exists(made):
            os.remove(made)
        done = self.sciara("init", "dem.asc", "--vent", f"{case.WEST + 205},{case.NORTH - 85}", "--rates", "r.csv", "-o", "made.json", code=code)
        if code:
            self.assertFalse(os.path.exists(made))
            return done.stderr
        start = case.read_json(made)["run"].get("start")
        return float(re.search(r"\nvents: .*?([0-9.e+]+) m3 in all", self.sciara("check", "made.json", "--no-estimate").stdout)[1]), start

    def test_times_in_columns_that_are_not_used(self):
        """Each error's cure leads to the volume that the observer meant: 5 m3/s from 14:30 to 04:00 in summer time."""
        hours = datetime(2026, 5, 2, 4) - datetime(2026, 5, 1, 14, 30)
        meant = (5 * hours.total_seconds(), "2026-05-01T12:30:00Z")
        rows = "{}\n2026-05-01,14:30{},5\n2026-05-02,04:00{},0\n"
        said = self.volume(rows.format("date,time (CEST),rate", "", ""), code=3)
        self.assertIn('r.csv:2: "time (CEST)" is not used: expected nothing in it about times, found a time of day, "14:30"; name the two columns '
                      '"date" and "time", and write the zone behind each time, such as 14:30+02:00 (without a zone it is UTC)\n', said)
        self.assertEqual(self.volume(rows.format("date,time,rate", "+02:00", "+02:00")), meant)
        for column, zone in (("tz", "+02:00"), ("note", "UTC+2")):
            said = self.volume(rows.format(f"date,time,{column},rate", f",{zone}", f",{zone}"), code=3)
            self.assertIn(f'"{column}" is not used: expected nothing in it about times, found a zone, "{zone}"; write it behind each time of day, such as '
                          "14:30+02:00 (without a zone it is UTC), and remove the column\n", said)
        self.assertEqual(self.volume(rows.format("date,time,tz,rate", ",UTC", ",Z")), (meant[0], "2026-05-01T14:30:00Z"))
        for header, end, found in (("start date,end date", "2026-05-03", "an end or a duration"), ("date,fine", "18:00", "an end or a duration"),
                                   ("date,until dusk", "2026-05-03", "a date"), ("time_h,duration_h", "48", "an end or a duration")):
            begin = "0" if "time" in header else "2026-05-01"
            said = self.volume(f"{header},rate\n{begin},{end},2\n", code=3)
            self.assertIn(f'"{header.split(",")[1]}" is not used: expected nothing in it about times, found {found}, "{end}"; if a rate ends then, say so '
                          "in a row of its own with the rate 0, for each lasts until the next row; then remove the column\n", said)
        self.assertEqual(self.volume("start date,rate\n2026-05-01,2\n2026-05-03,0\n")[0], 2 * 2 * 86400)
        self.assertEqual(self.volume("time_h,rate\n0,2\n48,0\n")[0], 2 * 48 * 3600)

    def test_choices(self):
        band = "time_s,low,high\n0,1,4\n100,0,0\n"
        for choose, volume in (({}, 250), ({"choose": "mean"}, 250), ({"choose": "low"}, 100), ({"choose": "high"}, 400)):
            self.assertIn(f"\nvents:         1, {volume} m3 in all", self.check(band, **choose).stdout)
        for key in ("choose", "radiant_density_J_m3", "background_radiance_W_m2_sr_um"):
            value = "low" if key == "choose" else 1
            self.write_scenario(vents=[{"row": 8, "col": 20, "effusion": {"table": [[0, 1], [1, 0]], key: value}}])
            self.assertIn(f'vents[0].effusion.{key}: expected the key only together with "csv"; found it alone',
                          self.sciara("check", "s.json", code=3).stderr)
        self.assertIn("radiant_density_J_m3: expected above 0 to 1e12 J/m3; found 0",
                      self.check(band, code=3, radiant_density_J_m3=0).stderr)

    def test_rates_beside_power(self):
        """MIROVA has both: the rates are taken, the power is listed, and a warning says if its density is then of no use."""
        both = "date,VRP_MW,TADR_min,TADR_max,n\n2018-04-02,150,0.5,1.5,3\n2018-04-03,0,0,0,3\n"
        for text, density, unused, warned in ((both, {}, '"VRP_MW", "n"', False), (both, {"radiant_density_J_m3": 1e8}, '"VRP_MW", "n"', True),
                                              (both.replace("TADR", "other"), {"radiant_density_J_m3": 1e8}, '"other_min", "other_max", "n"', False)):
            done = self.check(text, run={"start": "2018-04-02"}, **density)
            self.assertIn(f"\nvents:         1, {129600 if 'other' in text else 86400} m3 in all", done.stdout)
            self.assertIn(f"./rates.csv: columns that are not used: {unused}\n", done.stderr)
            self.assertEqual('warning: ./rates.csv: radiant_density_J_m3 is not used: "TADR_min" is an effusion rate' in done.stderr, warned)

    def test_firms(self):
        """The columns of NASA's FIRMS, whose times of day have no colon; the unit that the message asks for is the cure."""
        rows = "acq_date,acq_time,{}\n2026-05-10,0035,120\n2026-05-10,135,240\n2026-05-11,0035,0\n"
        keys = {"run": {"start": "2026-05-10T00:35:00Z"}, "radiant_density_J_m3": 1e8}
        said = self.check(rows.format("frp"), code=3, **keys).stderr
        name = re.search(r'expected the unit of the power in the header, such as "(.*?)"; found "frp"', said)[1]
        done = self.check(rows.format(name), **keys)
        self.assertIn("times of day such as 0035 are taken as 00:35", done.stderr)
        plain = self.check(rows.replace("0035", "00:35").replace(",135", ",01:35").format(name), **keys)
        self.assertEqual(*(re.search("\nvents: .*", text.stdout)[0] for text in (done, plain)))
        self.assertNotIn("such as 0035", plain.stderr)
        self.assertIn(f"{1.2 * 3600 + 2.4 * 23 * 3600:.0f} m3 in all", done.stdout)
        for wrong in ("2460", "0061", "35", "12345"):
            self.assertIn("expected a date such as", self.check(rows.replace(",0035,120", f",{wrong},120").format(name), code=3, **keys).stderr)

    def test_modvolc(self):
        rows = "".join(f"{time} A 2006 07 14 21 30 15.0 37.7 {band} 2.1 1.0 9.0 8.0 10 20 30 40 5 6 -0.5 7 1 300 0\n"
                       for time, band in ((1152912600, 10.5), (1152912600, 20.5), (1152916200, 0.5)))
        start = {"start": "2006-07-14T21:30:00Z"}
        self.assertIn("found neither", self.check(rows, code=3, run=start).stderr)
        report = self.check(rows, run=start, radiant_density_J_m3=1.89e8, background_radiance_W_m2_sr_um=0.5)
        self.assertIn("\nvents:         1, 10800 m3 in all, until 1 h\n", report.stdout)
        self.assertIn("alerts of MODVOLC, 3 pixels, 1 of them not above 0.5 W/(m2 sr um)", report.stderr)
