"""Editors know the settings, the rules and the records of a new site by their schemas."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from support import ROOT, blocks, runpress

TOOLS = pathlib.Path(sys.executable).parent
TOML = {"tombi": ["tombi", "lint", "--offline"], "taplo": ["taplo", "lint", "--colors", "never"]}


class Editors(unittest.TestCase):
    """A new site after its first build."""

    def setUp(self):
        self.site = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "site"
        self.assertEqual(runpress("new", self.site).returncode, 0)
        self.assertEqual(runpress("--root", self.site, "build", "--quiet").returncode, 0)

    def lint(self, tool, path):
        program, *arguments = TOML[tool]
        done = subprocess.run([TOOLS / program, *arguments, path], cwd=self.site, capture_output=True, text=True, check=False)
        return done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)

    def assert_mistake_is_found(self, path, right, wrong, column):
        text = (self.site / path).read_text(encoding="utf-8")
        for tool in TOML:
            status, printed = self.lint(tool, path)
            self.assertEqual((status, "not found" in printed), (0, False), printed)
        self.assertIn(right, text)
        row = text[: text.index(right)].count("\n") + 1
        (self.site / path).write_text(text.replace(right, wrong, 1), encoding="utf-8")
        for tool in TOML:
            status, printed = self.lint(tool, path)
            self.assertEqual((status, f"{path}:{row}:{column}" in printed), (1, True), printed)

    def test_the_settings_that_a_new_site_has(self):
        self.assert_mistake_is_found("site.toml", 'title = "Agent runs"', "title = 5", 9)

    def test_an_unknown_key_of_the_settings(self):
        self.assert_mistake_is_found("site.toml", "require_review", "requires_review", 1)

    def test_rules_with_the_line_of_the_page(self):
        [line] = re.findall(r"`(#:schema \.\./[^`]+)`", (ROOT / "content/pages/formats.md").read_text(encoding="utf-8"))
        (self.site / "rules").mkdir()
        [rules] = (ROOT / "rules").glob("*.toml")
        text = f"{line}\n{rules.read_text(encoding='utf-8')}"
        (self.site / "rules/demo.toml").write_text(text, encoding="utf-8")
        self.assert_mistake_is_found("rules/demo.toml", 'severity = "note"', "severity = 1", 12)

    def test_the_schemas_that_the_setting_of_vs_code_names(self):
        [settings] = [json.loads(text) for before, text in blocks("formats.md", "json") if ".vscode/settings.json" in before]
        sample = self.site / "content/runs/sample"
        for entry in settings["json.schemas"]:
            [name] = entry["fileMatch"]
            command = [TOOLS / "check-jsonschema", "--schemafile", self.site / entry["url"], sample / name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            (sample / name).write_text("[]", encoding="utf-8")
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, name)


if __name__ == "__main__":
    unittest.main()
