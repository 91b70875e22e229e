"""The report of atif-scan becomes annotations, each at the event that it is about."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import runpress

STEPS = [
    {"step_id": 1, "source": "user", "message": "Fix it."},
    {
        "step_id": 2,
        "source": "agent",
        "message": "I look.",
        "tool_calls": [
            {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "cat /logs/verifier/reward.txt; env"}},
            {"tool_call_id": "c2", "function_name": "bash", "arguments": {"command": "ls /tests"}},
        ],
        "observation": {
            "results": [
                {"source_call_id": "c1", "content": "1"},
                {"source_call_id": "c2", "content": "test.sh solve.sh"},
            ]
        },
    },
]


class Scanners(unittest.TestCase):
    def test_findings_of_atif_scan_are_at_their_events_and_come_in_once(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        log = folder / "trajectory.json"
        agent = {"name": "a", "version": "1", "model_name": "m"}
        log.write_text(
            json.dumps({"schema_version": "ATIF-v1.6", "session_id": "s", "agent": agent, "steps": STEPS}), encoding="utf-8"
        )
        site = folder / "site"
        for arguments in [("new", site), ("--root", site, "import", log, "--case", "c")]:
            done = runpress(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        (trace,) = site.glob("content/runs/**/import.trace.jsonl")
        scan = [pathlib.Path(sys.executable).parent / "atif-scan", "--no-cache", "--format", "json", log]
        report = folder / "report.json"
        report.write_text(subprocess.run(scan, capture_output=True, text=True, check=False).stdout, encoding="utf-8")

        added = runpress("--root", site, "annotate", trace.parent, "--from", report)
        self.assertEqual(added.returncode, 0, added.stderr)
        rows = {row["seq"]: row for row in map(json.loads, trace.read_text(encoding="utf-8").splitlines()) if "seq" in row}
        (sidecar,) = trace.parent.glob("*.annotations.jsonl")
        notes = [json.loads(line) for line in sidecar.read_text(encoding="utf-8").splitlines()[1:]]
        self.assertEqual({(note["kind"], note["author"]["id"]) for note in notes}, {("note", "atif-scan")})
        places = {(note["evidence"].split("`")[1], rows[note["event_id"]]["source"]["pointer"]) for note in notes}
        call = "/steps/1/tool_calls/{}".format
        expected = {
            ("access.verifier_logs", call(0)),
            ("access.environment_dump", call(0)),
            ("access.test_path", call(1)),
            ("environment.solution_file_discovered", "/steps/1/observation/results/1"),
        }
        self.assertLessEqual(expected, places)
        # Only the missing time is about a whole step, which begins with its message.
        self.assertEqual(places - expected, {("integrity.timestamp_missing", "/steps/1/message")})
        self.assertIn(f": {len(places)} added, 0 already there\n", added.stdout)
        again = runpress("--root", site, "annotate", trace.parent, "--from", "-", input=report.read_text(encoding="utf-8"))
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn(f": 0 added, {len(places)} already there\n", again.stdout)
        checked = runpress("--root", site, "check", "--deny", "warnings")
        self.assertEqual(checked.returncode, 0, checked.stderr)
