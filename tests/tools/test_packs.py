"""The documented examples read packed downloads, and find what the logs hold."""

import collections
import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import ROOT, blocks, runpress


class Packs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "content", cls.root / "content")
        (cls.root / "site.toml").write_text('[publish]\ndownloads = "packed"\npacks = 16\n')
        done = runpress("build", cwd=cls.root)
        assert done.returncode == 0, done.stderr
        lines = (cls.root / "public/feeds/downloads.jsonl").read_text().splitlines()
        members = collections.defaultdict(list)
        for line in map(json.loads, lines):
            if line["file"] == "events.jsonl":
                members[line["pack"]].append(line["slug"])
        pack, cls.slugs = max(members.items(), key=lambda item: len(item[1]))
        shutil.copy(cls.root / "public" / pack, cls.root / "3f.zip")

    def events(self, slug):
        """How many events the page of a run is made of."""
        document = json.loads((self.root / "public/runs" / slug / "run.json").read_text())
        return next(tape["events"] for tape in document["tapes"] if tape["file"] == "events.jsonl")

    def test_unzip(self):
        [text] = [text for _, text in blocks("data-feeds.md", "sh") if "unzip" in text]
        done = subprocess.run(["sh", "-euc", text], cwd=self.root, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        for slug in self.slugs:
            lines = (self.root / "logs" / slug / "events.jsonl").read_text().splitlines()
            self.assertEqual(len(lines), self.events(slug))

    def test_pandas_and_duckdb(self):
        texts = [text for _, text in blocks("data-feeds.md", "python") if "3f.zip" in text]
        self.assertEqual(len(texts), 2)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.root)
        for text in texts:
            printed, found = io.StringIO(), {}
            with contextlib.redirect_stdout(printed):
                exec(text, found)  # noqa: S102
            self.assertGreater(len(self.slugs), 1)
            for slug in self.slugs:
                self.assertIn(str(self.events(slug)), printed.getvalue())
            self.assertEqual(len(found["events"]), sum(map(self.events, self.slugs)))


if __name__ == "__main__":
    unittest.main()
