"""An upload of what a plan lists makes a remote site the same as the one that was built."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import blocks, runpress


def files(folder):
    """The files of a site, without the marker of its folder."""
    every = (path for path in folder.rglob("*") if path.is_file() and path.name != ".runpress")
    return {str(path.relative_to(folder)): path.read_bytes() for path in every}


class Plans(unittest.TestCase):
    def upload(self, root, remote):
        """Runs the documented commands, but for the program itself."""
        script = next(text for _, text in blocks("ci.md", "sh") if "--plan plan.json" in text)
        build, upload = script.split("\n", 1)
        done = runpress(*build.split()[1:], cwd=root)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(["sh", "-eu", "-c", upload], cwd=root, env={**os.environ, "REMOTE": str(remote)}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((root / "plan.json").read_text())

    def test_rclone_uploads_what_a_plan_lists_and_nothing_else(self):
        for settings in ["", '[publish]\ndownloads = "packed"\n']:
            with self.subTest(settings):
                self.follow(settings)

    def follow(self, settings):
        """A first upload, one of nothing, one of another run, and one without that run."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            root, remote = folder / "site", folder / "remote"
            self.assertEqual(runpress("new", root).returncode, 0)
            with (root / "site.toml").open("a") as file:
                file.write(f"\n{settings}")
            first = self.upload(root, remote)
            self.assertEqual((first["changed"], first["removed"]), ([], []))
            self.assertEqual(files(remote), files(root / "public"))

            # Nothing changed, so nothing is uploaded or removed.
            (remote / "index.html").unlink()
            again = self.upload(root, remote)
            self.assertEqual([again[what] for what in ("added", "changed", "removed")], [[], [], []])
            self.assertFalse((remote / "index.html").exists())
            shutil.copy(root / "public/index.html", remote / "index.html")

            run = next((root / "content/runs").iterdir())
            copy = run.with_name("second")
            shutil.copytree(run, copy)
            record = copy / "run-record.json"
            record.write_text(record.read_text().replace(json.loads(record.read_text())["id"], "6c1c2d3e-0000-4d2e-9a51-0c9f6f1f2b12"))
            added = self.upload(root, remote)
            self.assertEqual(files(remote), files(root / "public"))
            self.assertTrue(added["added"] and added["changed"])
            self.assertLess(len(added["added"] + added["changed"]), len(files(remote)))
            packs = [file["path"] for file in added["added"] + added["changed"] if file["path"].startswith("downloads/")]
            self.assertEqual(len(packs), 1 if settings else 0)

            shutil.rmtree(copy)
            gone = self.upload(root, remote)
            self.assertTrue(gone["removed"])
            self.assertEqual(files(remote), files(root / "public"))


if __name__ == "__main__":
    unittest.main()
