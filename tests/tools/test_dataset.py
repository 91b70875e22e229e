"""`export huggingface` writes a dataset repository that `datasets` loads without a network."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest

os.environ["HF_HUB_OFFLINE"] = "1"

import datasets
import pyarrow.parquet
from datasets.packaged_modules.json.json import has_agent_traces_markers
from huggingface_hub import DatasetCard

from support import BASE, ROOT, SITE, blocks, runpress

datasets.disable_progress_bars()

TYPES = {
    "runs": {"id": "string", "slug": "string", "started_ms": "int64", "comparable_cost_usd": "float64", "validation_loaded": "bool"},
    "annotations": {"run_id": "string", "event_id": "int64", "end_event_id": "int64", "evidence": "string"},
    "cells": {"case": "string", "trials": "int64", "interval_low": "float64", "variant": "string"},
    "events": {"run_id": "string", "seq": "int64", "at_ms": "int64", "succeeded": "bool", "content": "string"},
}


def load(folder, name):
    # Its cache takes folders of the same name for one.
    with tempfile.TemporaryDirectory() as cache:
        return datasets.load_dataset(str(folder), name, split="train", cache_dir=cache, keep_in_memory=True)


def sessions(folder):
    return {path: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] for path in sorted(folder.glob("traces/**/*.jsonl"))}


class Dataset(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name) / "dataset"
        cls.arguments = ["--root", ROOT, "export", "huggingface", cls.folder, "--base-url", BASE]
        done = runpress(*cls.arguments)
        assert done.returncode == 0, done.stderr
        cls.log = done.stderr
        cls.cards = json.loads((SITE / "feeds/runs.json").read_text(encoding="utf-8"))["runs"]

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def types(self, rows, name):
        features = {column: rows.features[column].dtype for column in TYPES[name]}
        self.assertEqual(features, TYPES[name])

    def test_every_configuration_loads_and_holds_what_the_feeds_hold(self):
        annotations = (SITE / "feeds/annotations.jsonl").read_text(encoding="utf-8").splitlines()
        cells = json.loads((SITE / "feeds/cells.json").read_text(encoding="utf-8"))["sets"]
        expected = {
            "runs": len(self.cards),
            "annotations": len(annotations),
            "cells": sum(len(each["cells"]) for each in cells),
            "events": sum(card["events"] or 0 for card in self.cards),
        }
        for name, rows in expected.items():
            table = load(self.folder, name)
            self.assertEqual(table.num_rows, rows, name)
            self.types(table, name)
        runs = load(self.folder, "runs")
        self.assertEqual(sorted(runs["slug"]), sorted(card["slug"] for card in self.cards))
        self.assertIn("Exported", self.log)

    def test_the_example_of_the_page_of_feeds(self):
        [(_, text)] = [found for found in blocks("data-feeds.md", "python") if "load_dataset" in found[1]]
        printed = io.StringIO()
        with contextlib.chdir(self.folder.parent), contextlib.redirect_stdout(printed):
            exec(text, {})  # noqa: S102
        self.assertIn(self.cards[0]["slug"], printed.getvalue())

    def test_the_card_names_license_and_configurations(self):
        card = DatasetCard.load(self.folder / "README.md")
        data = card.data.to_dict()
        self.assertEqual(data["license"], ["mit", "apache-2.0"])
        self.assertEqual(data["tags"], ["agent-traces"])
        self.assertEqual([each["config_name"] for each in data["configs"]], [*TYPES])
        self.assertIn(BASE, card.text)
        self.assertIn("Sample content", card.text)

    def test_a_tape_is_a_session_whose_results_answer_its_calls(self):
        found = sessions(self.folder)
        self.assertGreaterEqual(len(found), sum(1 for card in self.cards if card["events"]))
        roles, ids = set(), set()
        for path, lines in found.items():
            header, *messages = lines
            self.assertEqual((header["type"], header["harness"] != ""), ("session", True), path)
            ids.add(header["id"])
            calls = set()
            for line in messages:
                self.assertEqual(line["type"], "message")
                message = line["message"]
                self.assertIsInstance(message["content"], str)
                roles.add(message["role"])
                for call in message.get("toolCalls", []):
                    calls.add(call["id"])
                    self.assertNotEqual(call["function"]["name"], "")
                    self.assertIsInstance(json.loads(call["function"]["arguments"]), dict)
                if message["role"] == "tool":
                    self.assertIn(message["toolCallId"], calls, path)
        self.assertEqual(roles, {"user", "assistant", "system", "tool"})
        self.assertEqual(len(ids), len(found))

    def test_datasets_recognizes_the_sessions(self):
        files = str(self.folder / "traces/**/*.jsonl")
        with tempfile.TemporaryDirectory() as cache:
            rows = datasets.load_dataset("json", data_files=files, split="train", parse_agent_traces=False, cache_dir=cache, keep_in_memory=True)
        self.assertEqual(rows.num_rows, sum(len(lines) for lines in sessions(self.folder).values()))
        self.assertTrue(has_agent_traces_markers(rows.features), rows.features)

    def test_the_same_input_gives_the_same_bytes(self):
        def files():
            return {path.relative_to(self.folder): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

        before = files()
        self.assertEqual(runpress(*self.arguments, "--jobs", "1").returncode, 0)
        self.assertEqual(files(), before)

    def test_a_site_without_runs_has_tables_with_the_same_types(self):
        with tempfile.TemporaryDirectory() as place:
            site, folder = pathlib.Path(place) / "site", pathlib.Path(place) / "dataset"
            (site / "content").mkdir(parents=True)
            done = runpress("--root", site, "export", "huggingface", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            for path in ["runs.parquet", "annotations.parquet", "cells.parquet", "events/00001.parquet"]:
                full, empty = (pyarrow.parquet.read_table(root / path) for root in (self.folder, folder))
                self.assertEqual(empty.num_rows, 0, path)
                self.assertEqual(empty.schema, full.schema, path)
            for name in TYPES:
                rows = datasets.load_dataset(str(folder), name, split="train", streaming=True)
                self.assertEqual(list(rows), [])
                self.types(rows, name)
            self.assertNotIn("traces", (folder / "README.md").read_text(encoding="utf-8"))

    def test_what_is_withheld_is_in_no_file_and_an_error_stops_the_export(self):
        with tempfile.TemporaryDirectory() as place:
            site, folder = pathlib.Path(place) / "site", pathlib.Path(place) / "dataset"
            self.assertEqual(runpress("new", site).returncode, 0)
            export = ["--root", site, "export", "huggingface", folder]

            def text():
                tables = "".join(str(load(folder, name).to_dict()) for name in TYPES)
                return tables + "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.suffix in (".jsonl", ".md"))

            self.assertEqual(runpress(*export).returncode, 0)
            self.assertTrue("npm test" in text())
            runpress("--root", site, "redact", site / "content/runs/sample", "--event", "5", "--quote", "npm test", "--reason", "secret")
            done = runpress(*export)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertFalse("npm test" in text())
            self.assertTrue("[withheld: secret, 8 characters]" in text())
            settings = site / "site.toml"
            settings.write_text(settings.read_text(encoding="utf-8").replace("[publish]\n", "[publish]\ndownloads = \"none\"\n"), encoding="utf-8")
            self.assertEqual(runpress(*export).returncode, 0)
            self.assertEqual(sorted(path.name for path in folder.iterdir() if path.name != ".runpress"), ["README.md", "annotations.parquet", "cells.parquet", "runs.parquet"])
            before = (folder / "runs.parquet").read_bytes()
            (site / "content/runs/sample/run-record.json").write_text("{", encoding="utf-8")
            done = runpress(*export)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("Nothing was exported", done.stderr)
            self.assertEqual((folder / "runs.parquet").read_bytes(), before)

    def test_a_folder_of_something_else_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "letter.txt"
            kept.write_text("mine", encoding="utf-8")
            done = runpress("--root", ROOT, "export", "huggingface", folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("publish.foreign-folder", done.stderr)
            self.assertEqual(kept.read_text(encoding="utf-8"), "mine")


if __name__ == "__main__":
    unittest.main()
