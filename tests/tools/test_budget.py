"""How much a site takes: bytes written for each byte read, and files of each run, which are the same everywhere."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import PROGRAM, ROOT, runpress

RUNS = 300
# Bytes written for each byte read: what was reached so far, rounded up. Lower it when a build writes less; the goal is 2.2.
BYTES = 3.59
# Files in the folder of a run: its page, its story, run.json, run.md, its event log and its sidecar.
FILES = 6
# All other files, for each run: pages of lists, feeds, data for scripts, assets. Half of them are small files of the data of search
# and of the page of runs, so that a reader loads only what is shown. A case with repeated runs has a page of its trials, and every
# format a schema.
SHARED = 1.06


def sizes(folder):
    return {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}


class Budget(unittest.TestCase):
    def test_a_site_of_300_runs_stays_within_its_budget_of_bytes_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            generator = [sys.executable, ROOT / "benches/runs.py", "--runs", str(RUNS), "--out", folder / "runs"]
            subprocess.run(generator, check=True, stdout=subprocess.DEVNULL)
            (folder / "site.toml").write_text('[site]\ntitle = "Runs"\n[build]\ncontent = ["runs"]\n')
            done = runpress("--root", folder, "build", "--quiet", "--out", folder / "site")
            self.assertEqual(done.returncode, 0, done.stderr)
            read, written = sizes(folder / "runs"), sizes(folder / "site")
            runs = [path for path in (folder / "site/runs").iterdir() if (path / "run.json").is_file()]
            self.assertEqual(len(runs), RUNS)
            for run in runs:
                self.assertLessEqual(len(sizes(run)), FILES, run)
            shared = len(written) - sum(len(sizes(run)) for run in runs)
            self.assertLessEqual(shared / RUNS, SHARED)
            ratio = sum(written.values()) / sum(read.values())
            self.assertLessEqual(ratio, BYTES)


if __name__ == "__main__":
    unittest.main()
