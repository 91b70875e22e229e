"""The documented upload copies a site, and then only what changed in it."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from support import ROOT, blocks, runpress


def files(folder):
    """The files of a site, without the marker of its folder, each with its content."""
    every = (path for path in folder.rglob("*") if path.is_file() and path.name != ".runpress")
    return {str(path.relative_to(folder)): path.read_bytes() for path in every}


class Upload(unittest.TestCase):
    def test_the_documented_command_uploads_only_what_changed(self):
        command = next(text for _, text in blocks("ci.md", "sh") if "rclone sync --checksum" in text)
        with tempfile.TemporaryDirectory() as place:
            root, remote = pathlib.Path(place) / "site", pathlib.Path(place) / "remote"
            done = runpress("new", str(root))
            self.assertEqual(done.returncode, 0, done.stderr)

            def upload():
                done = runpress("build", cwd=root)
                self.assertEqual(done.returncode, 0, done.stderr)
                env = {**os.environ, "REMOTE": str(remote)}
                done = subprocess.run(["sh", "-eu", "-c", command], cwd=root, env=env, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                site = files(root / "public")
                self.assertEqual(files(remote), site)
                return site, {path: (remote / path).stat().st_ino for path in site}

            site, places = upload()
            (root / "content/pages").mkdir(exist_ok=True)
            (root / "content/pages/more.md").write_text("More.\n", encoding="utf-8")
            next_site, next_places = upload()
            same = [path for path, content in next_site.items() if site.get(path) == content]
            self.assertTrue(0 < len(same) < len(next_site))
            self.assertEqual([path for path in same if places[path] != next_places[path]], [])
