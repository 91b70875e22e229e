"""The example of an adapter: it conforms, it is short, and its runs are those of the samples."""

import json
import pathlib
import shlex
import sys
import tempfile
import unittest

from support import ROOT, runpress

ADAPTER = ROOT / "examples/adapters/gemini_cli.py"
SAMPLES = ROOT / "examples/adapters/samples"
COMMAND = shlex.join([sys.executable, str(ADAPTER)])


class Adapters(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_the_example_conforms_on_all_of_its_samples(self):
        self.assertLessEqual(len(ADAPTER.read_text(encoding="utf-8").splitlines()), 150)
        done = runpress("import", SAMPLES, "--check-adapter", COMMAND, "--report", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 samples, 0 with problems: 0 problems", done.stderr)
        samples = {sample["name"]: sample for sample in json.loads(done.stdout)["samples"]}
        self.assertEqual({name: sample["runs"] for name, sample in samples.items()}, dict.fromkeys(samples, 1))
        self.assertEqual(samples["made-rewound.jsonl"]["events"], 17)

    def imported(self):
        site = self.folder / "site"
        self.assertEqual(runpress("new", site).returncode, 0)
        command = ["--root", site, "import", SAMPLES, "--from-command", COMMAND, "--case", "sample", "--report", "json"]
        done = runpress(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        return site, command, {run["source"]: run for run in json.loads(done.stdout)["runs"]}

    def test_its_runs_have_what_the_samples_have(self):
        site, command, runs = self.imported()
        run = runs["made-rewound.jsonl"]
        self.assertEqual(run["id"], "2b1f0e6c-0000-4000-8000-00000000c001")
        keys = ["toolCalls", "toolResults", "failedCalls", "branches", "errors", "reasoning", "images"]
        self.assertEqual([run[key] for key in keys], [3, 3, 1, 2, 1, 1, 1])
        self.assertEqual(run["messages"], {"user": 2, "assistant": 2, "system": 0})
        self.assertEqual(run["tokens"], {"uncached": 1200, "cached": 2200, "output": 55, "reasoning": 20})
        self.assertEqual(run["withheld"], {"absolutePaths": 2, "images": 1, "injectedContext": 1})
        self.assertEqual(runs["letta-cleanup.json"]["unknownRows"], {"telemetry": 1})
        text = (site / "content/runs" / run["folder"] / "import.trace.jsonl").read_text(encoding="utf-8")
        self.assertNotIn("/home/ana", text)
        self.assertIn('"path":"./parse.py"', text)
        again = runpress(*command)
        self.assertEqual([run["result"] for run in json.loads(again.stdout)["runs"]], ["unchanged"] * 3)
        built = runpress("--root", site, "build", "--deny", "warnings")
        self.assertEqual(built.returncode, 0, built.stderr)

    def test_calls_and_results_of_the_other_samples_are_counted(self):
        _, _, runs = self.imported()
        keys = ["toolCalls", "toolResults", "failedCalls", "reasoning"]
        counts = {name: [run[key] for key in keys] for name, run in runs.items() if name.startswith("letta")}
        self.assertEqual(counts, {"letta-tool-calls.json": [1, 1, 0, 1], "letta-cleanup.json": [1, 1, 1, 0]})

    def test_a_broken_adapter_fails_with_the_place(self):
        broken = self.folder / "broken.py"
        broken.write_text(ADAPTER.read_text(encoding="utf-8").replace('"tool_result"', '"tool_reslt"'), encoding="utf-8")
        command = shlex.join([sys.executable, str(broken)])
        done = runpress("import", SAMPLES, "--check-adapter", command)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Did you mean `tool_result`?", done.stderr)
        self.assertIn("letta-cleanup.json (output):6", done.stderr)

    def test_a_site_cannot_name_a_command(self):
        site = self.folder / "site"
        self.assertEqual(runpress("new", site).returncode, 0)
        with (site / "site.toml").open("a", encoding="utf-8") as file:
            file.write('\n[[import]]\npath = "**"\ncase = "c"\nfrom_command = "touch started"\n')
        done = runpress("--root", site, "check")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("from_command", done.stderr)


if __name__ == "__main__":
    unittest.main()
