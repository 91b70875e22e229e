"""The package for Debian is built, installed and removed."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, ROOT, runpress


@unittest.skipUnless(shutil.which("apt-get"), "only Debian installs its packages")
class Debian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        # apt-get reads the package as another user.
        cls.folder.chmod(0o755)
        cls.run_command("bash", ROOT / ".github/pack.sh", PROGRAM)
        profile = "dev" if PROGRAM.parent.name == "debug" else "release"
        cls.run_command("cargo", "deb", "--no-build", "--profile", profile, "--output", cls.folder, cwd=ROOT)
        [cls.package] = cls.folder.glob("runpress_*.deb")

    @staticmethod
    def run_command(*command, **options):
        done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    @classmethod
    def apt_get(cls, *arguments):
        root = [] if os.getuid() == 0 else ["sudo"]
        variables = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        return cls.run_command(*root, "apt-get", "--quiet", "--yes", "--no-install-recommends", *arguments, env=variables)

    def test_it_has_the_manual_and_the_completions(self):
        files = set(re.findall(r" \./(\S*[^/\s])$", self.run_command("dpkg-deb", "--contents", self.package), re.M))
        pages = {f"usr/share/man/man1/{path.name}.gz" for path in (ROOT / "target/pack/man").iterdir()}
        self.assertIn("usr/share/man/man1/runpress-build.1.gz", pages)
        completions = {
            "usr/share/bash-completion/completions/runpress", "usr/share/fish/vendor_completions.d/runpress.fish",
            "usr/share/zsh/vendor-completions/_runpress",
        }
        self.assertLessEqual({"usr/bin/runpress", "usr/share/doc/runpress/copyright"} | pages | completions, files)

    def test_it_installs_and_is_removed(self):
        program = pathlib.Path("/usr/bin/runpress")
        self.assertFalse(program.exists(), "remove the runpress that is installed first")
        self.apt_get("install", self.package)
        try:
            self.assertEqual(self.run_command(program, "--version"), runpress("--version").stdout)
            site = self.folder / "site"
            self.run_command(program, "new", site)
            self.run_command(program, "--root", site, "build", "--quiet")
            self.assertTrue((site / "public/index.html").is_file())
        finally:
            self.apt_get("purge", "runpress")
        self.assertFalse(program.exists())


if __name__ == "__main__":
    unittest.main()
