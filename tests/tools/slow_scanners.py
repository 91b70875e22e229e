"""The results of Inspect Scout become annotations, each at the event that it is about."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import ROOT, runpress

# It needs another version of DuckDB than the other tests, so it has an environment of its own.
SCOUT = ["inspect-scout==0.6.1", "inspect-ai==0.3.285"]


class Scanners(unittest.TestCase):
    def scout(self, folder, *arguments):
        uv = [pathlib.Path(sys.executable).parent / "uv", "run", "--no-project"]
        packages = [word for package in SCOUT for word in ("--with", package)]
        command = [*uv, *packages, "--python", sys.executable, "python", "-B", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_results_of_inspect_scout_are_at_their_events_and_come_in_once(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.scout(folder, ROOT / "tests/tools/scout_scan.py")
        (log,) = folder.glob("logs/*.eval")
        (scan,) = folder.glob("scans/*")
        site = folder / "site"
        for arguments in [("new", site), ("--root", site, "import", log, "--case", "division")]:
            done = runpress(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        (trace,) = site.glob("content/runs/**/import.trace.jsonl")
        converted = self.scout(folder, ROOT / "examples/scanners/scout.py", scan, trace.parent)
        self.assertEqual(
            sorted(line for line in converted.stderr.splitlines() if ": " in line),
            ["broken: it failed: a fault", "whole: About the transcript.: no event"],
        )
        rows = {row["seq"]: row for row in map(json.loads, trace.read_text(encoding="utf-8").splitlines()) if "seq" in row}
        found = list(map(json.loads, converted.stdout.splitlines()))
        self.assertEqual({(it["kind"], it["author"]["kind"]) for it in found}, {("note", "system")})
        places = {}
        for it in found:
            places.setdefault(it["author"]["id"], []).append(rows[it["event"]])
        (failed,) = places["scout/failed_calls"]
        self.assertEqual((failed["type"], failed["ok"], failed["text"]), ("tool_result", False, "division by zero"))
        self.assertEqual(places["scout/errors"], [failed])
        (answer,) = places["scout/answers"]
        self.assertEqual((answer["type"], answer["text"]), ("message", "It is 2."))
        self.assertEqual(
            [row.get("role", row["type"]) for row in places["scout/roles"]],
            ["user", "tool_call", "tool_result", "tool_call", "tool_result", "assistant"],
        )
        for added, existing in [(len(found), 0), (0, len(found))]:
            done = runpress("--root", site, "annotate", trace.parent, "--from", "-", input=converted.stdout)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f": {added} added, {existing} already there\n", done.stdout)
        checked = runpress("--root", site, "check", "--deny", "warnings")
        self.assertEqual(checked.returncode, 0, checked.stderr)


if __name__ == "__main__":
    unittest.main()
