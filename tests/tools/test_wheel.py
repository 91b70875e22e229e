"""The wheel has the program and the module: it installs where nothing else is, and `uvx` runs it."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import PROGRAM, ROOT, SITE, runpress

TOOLS = pathlib.Path(sys.executable).parent


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        # With the profile and the features of the program that is tested, nothing is compiled.
        profile = "dev" if PROGRAM.parent.name == "debug" else "release"
        cls.run_command([TOOLS / "maturin", "build", "--quiet", "--profile", profile, "--out", cls.folder], cwd=ROOT)
        [cls.wheel] = cls.folder.glob("*.whl")

    @staticmethod
    def run_command(command, **options):
        done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def test_it_has_the_program_the_module_and_the_licenses_for_every_python(self):
        self.assertRegex(self.wheel.name, r"^runpress-[0-9.]+-py3-none-\w+\.whl$")
        names = set(zipfile.ZipFile(self.wheel).namelist())
        module = {path.relative_to(ROOT / "python").as_posix() for path in (ROOT / "python/runpress").iterdir() if path.is_file()}
        self.assertEqual({name for name in names if name.startswith("runpress/")}, module)
        self.assertIn("runpress/py.typed", module)
        for end in ["scripts/runpress", "licenses/LICENSE-MIT", "licenses/LICENSE-APACHE"]:
            self.assertEqual(len([name for name in names if name.endswith(f"/{end}")]), 1, end)

    def test_a_clean_environment_gets_both(self):
        clean = self.folder / "clean"
        self.run_command([sys.executable, "-m", "venv", clean])
        self.run_command([clean / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", self.wheel])
        self.assertEqual(self.run_command([clean / "bin/runpress", "--version"]), runpress("--version").stdout)
        script = f"import runpress\nprint(len(runpress.open({str(SITE)!r}).runs()))"
        count = self.run_command([clean / "bin/python", "-c", script], cwd=self.folder)
        self.assertGreater(int(count), 30)
        # Checkers of types know those of an installed package by its marker.
        (self.folder / "typed.py").write_text("import runpress\n\nreveal_type(runpress.open('.').runs())\n", encoding="utf-8")
        command = [TOOLS / "mypy", "--strict", "--cache-dir", os.devnull, "--python-executable", clean / "bin/python", "typed.py"]
        self.assertIn('Revealed type is "runpress.rows.Rows"', self.run_command(command, cwd=self.folder))

    def test_uvx_creates_a_site_as_the_readme_says(self):
        variables = os.environ | {"UV_CACHE_DIR": str(self.folder / "cache"), "UV_TOOL_DIR": str(self.folder / "tools"), "UV_OFFLINE": "1"}
        variables |= {"UV_NO_CONFIG": "1", "UV_PYTHON": sys.executable, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
        checkout = self.folder / "checkout"
        checkout.mkdir()
        (checkout / "dist").symlink_to(self.folder)
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        [command] = re.findall(r"^    (uvx --from .* new my-site)$", readme, re.M)
        for line in [command, command.replace("new my-site", "--root my-site build --quiet")]:
            self.run_command(["bash", "-c", line], cwd=checkout, env=variables)
        self.assertTrue((checkout / "my-site/public/index.html").is_file())


if __name__ == "__main__":
    unittest.main()
