"""`CITATION.cff` of the demo site is what cffconvert accepts, and `llms.txt` what its readers parse."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from support import BASE, SITE, runpress

# Its own environment, because it needs an older `jsonschema` than other tools.
CFFCONVERT = [pathlib.Path(sys.executable).parent / "uv", "tool", "run", "--quiet", "--from", "cffconvert==2.0.0", "cffconvert"]


def cffconvert(file, *arguments):
    done = subprocess.run([*CFFCONVERT, "--infile", file, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Citation(unittest.TestCase):
    def test_the_citation_of_the_demo_site_is_valid_and_converts(self):
        cffconvert(SITE / "CITATION.cff", "--validate")
        bibtex = cffconvert(SITE / "CITATION.cff", "--format", "bibtex")
        self.assertIn("runpress demo", bibtex)
        self.assertIn("the runpress developers", bibtex)

    def test_every_key_that_a_site_can_set_is_valid(self):
        with tempfile.TemporaryDirectory() as place:
            site = pathlib.Path(place) / "site"
            self.assertEqual(runpress("new", site).returncode, 0)
            for licence in ["CC-BY-4.0", "ODbL-1.0 OR PDDL-1.0", "our own"]:
                (site / "site.toml").write_text(
                    '[site]\ntitle = "Runs: \\"all\\" # \\u202e"\nbase_url = "https://runs.example.org/"\n'
                    f'[policy]\nlicence = "{licence}"\n'
                    '[citation]\nauthors = ["Doe, Jane", "The lab"]\ndoi = "10.5281/zenodo.1234"\n',
                    encoding="utf-8",
                )
                done = runpress("--root", site, "build", "--quiet")
                self.assertEqual(done.returncode, 0, done.stderr)
                file = site / "public/CITATION.cff"
                cffconvert(file, "--validate")
                self.assertIn("Doe, Jane and The lab", cffconvert(file, "--format", "bibtex"))

    def test_the_index_for_language_models_parses_as_its_format_says(self):
        text = (SITE / "llms.txt").read_text(encoding="utf-8")
        self.assertRegex(text, r"\A# [^\n]+\n\n> [^\n]+\n\n")
        _, *sections = re.split(r"^## ", text, flags=re.M)
        self.assertEqual([section.split("\n")[0] for section in sections], ["Pages", "Data", "Cases", "Newest runs"])
        for section in sections:
            for line in filter(None, section.split("\n")[1:]):
                link = re.match(r"-\s*\[(?P<title>[^\]]+)\]\((?P<url>[^\)]+)\)(?::\s*(?P<desc>.*))?$", line)
                self.assertIsNotNone(link, line)
                self.assertTrue((SITE / link["url"].removeprefix(BASE)).is_file(), line)


if __name__ == "__main__":
    unittest.main()
