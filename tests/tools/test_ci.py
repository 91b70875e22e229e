"""The action and the workflows are what the CI services take, and the scripts that the action runs fail safely."""

import hashlib
import http.server
import os
import pathlib
import platform
import re
import stat
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

from support import ROOT, Server, blocks

INSTALL = ROOT / ".github/install.sh"
LEDGER = ROOT / ".github/fetch-ledger.sh"


def checked(schema, *files):
    """Checks files against a schema that comes with check-jsonschema."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Workflows(unittest.TestCase):
    def refused(self, schema, *files):
        done = checked(schema, *files)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def test_the_action_is_one(self):
        self.assertEqual(self.refused("vendor.github-actions", ROOT / "action.yml"), "")

    def test_the_workflows_of_the_repository_and_of_a_new_site_are(self):
        files = [*(ROOT / ".github/workflows").glob("*.yml"), ROOT / "src/author/starter/workflow.yml"]
        self.assertGreater(len(files), 2)
        self.assertEqual(self.refused("vendor.github-workflows", *files), "")

    def test_the_examples_of_the_guide_are(self):
        kinds = {"vendor.github-workflows": 0, "vendor.gitlab-ci": 0}
        with tempfile.TemporaryDirectory() as folder:
            for index, (before, text) in enumerate(blocks("ci.md", "yaml")):
                schema = "vendor.gitlab-ci" if ".gitlab-ci.yml" in before else "vendor.github-workflows"
                file = pathlib.Path(folder) / f"{index}.yml"
                file.write_text(text, encoding="utf-8")
                self.assertEqual(self.refused(schema, file), "", before)
                kinds[schema] += 1
        self.assertTrue(all(kinds.values()), kinds)

    def test_a_new_site_has_the_workflow_of_the_guide(self):
        new = (ROOT / "src/author/starter/workflow.yml").read_text(encoding="utf-8")
        self.assertEqual(re.sub("^(#.*\n)+", "", new), blocks("ci.md", "yaml")[0][1])

    def test_the_check_can_fail(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write("name: x\non: push\njobs: {a: {steps: 3}}\n")
            file.flush()
            self.assertNotEqual(self.refused("vendor.github-workflows", file.name), "")


class Install(unittest.TestCase):
    """A release in a folder, and the script that installs from it."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        machine = {"arm64": "aarch64"}.get(platform.machine(), platform.machine())
        self.archive = f"runpress-1.2.3-{machine}-unknown-linux-musl.tar.gz"
        self.release = self.folder / "releases/v1.2.3"
        self.release.mkdir(parents=True)
        program = self.folder / "runpress"
        program.write_text("#!/bin/sh\necho runpress 1.2.3\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        with tarfile.open(self.release / self.archive, "w:gz") as archive:
            archive.add(program, "runpress")
        self.sums(hashlib.sha256((self.release / self.archive).read_bytes()).hexdigest())

    def sums(self, digest):
        other = f"{'0' * 64}  runpress-1.2.3-other.tar.gz\n"
        (self.release / "SHA256SUMS").write_text(f"{other}{digest}  {self.archive}\n", encoding="utf-8")

    def install(self, version="1.2.3"):
        path = self.folder / "path"
        path.touch()
        variables = os.environ | {"RELEASES": (self.folder / "releases").as_uri(), "GITHUB_PATH": str(path)}
        done = subprocess.run(
            ["bash", INSTALL, version, self.folder / "bin"], env=variables, capture_output=True, text=True, check=False
        )
        return done, (self.folder / "bin/runpress").exists(), path.read_text(encoding="utf-8")

    def test_a_release_with_the_right_checksum_is_installed(self):
        for version in ["1.2.3", "v1.2.3"]:
            done, installed, path = self.install(version)
            self.assertEqual((done.returncode, done.stdout), (0, "runpress 1.2.3\n"), done.stderr)
            self.assertTrue(installed)
            self.assertIn(str(self.folder / "bin"), path)

    def test_another_checksum_installs_nothing(self):
        self.sums("0" * 64)
        done, installed, path = self.install()
        self.assertEqual((done.returncode, installed, path), (1, False, ""))
        self.assertIn("is not that of the release", done.stderr)

    def test_a_list_without_the_archive_installs_nothing(self):
        (self.release / "SHA256SUMS").write_text("", encoding="utf-8")
        done, installed, _ = self.install()
        self.assertEqual((done.returncode, installed), (1, False))
        self.assertIn("has no line for", done.stderr)

    def test_a_version_that_is_not_there_installs_nothing(self):
        done, installed, _ = self.install("9.9.9")
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(installed)


class Broken(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_error(500)

    def log_message(self, *_):
        pass


class Ledger(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def fetch(self, base):
        previous = self.folder / "previous"
        done = subprocess.run(
            ["bash", LEDGER, base, previous], capture_output=True, text=True, timeout=60, check=False
        )
        return done, previous

    def test_the_ledger_of_a_site_that_is_there_is_fetched(self):
        site = self.folder / "site/feeds"
        site.mkdir(parents=True)
        (site / "changes.json").write_text("{}", encoding="utf-8")
        server = Server(self.folder / "site")
        self.addCleanup(server.close)
        for base in [server.address, server.address.rstrip("/")]:
            done, previous = self.fetch(base)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((previous / "feeds/changes.json").read_text(encoding="utf-8"), "{}")

    def test_a_site_that_is_not_there_yet_has_none(self):
        server = Server(self.folder)
        self.addCleanup(server.close)
        done, previous = self.fetch(server.address)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(previous.exists())

    def test_a_server_that_fails_ends_the_job(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Broken)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        done, _ = self.fetch(f"http://127.0.0.1:{server.server_port}/")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("could not be fetched", done.stderr)


if __name__ == "__main__":
    unittest.main()
