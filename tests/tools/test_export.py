"""The Parquet export is read back by DuckDB and by pyarrow, and says what the feeds say."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import duckdb
import pyarrow.dataset
import pyarrow.parquet

from support import PROGRAM, ROOT, SITE, runpress


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.place.name)
        cls.tables = folder / "tables"
        cls.arguments = ["--root", ROOT, "build", "--quiet", "--out", folder / "site", "--export", f"parquet={cls.tables}"]
        done = runpress(*cls.arguments)
        assert done.returncode == 0, done.stderr
        cls.cards = json.loads((SITE / "feeds/runs.json").read_text(encoding="utf-8"))["runs"]

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def table(self, name):
        return f"read_parquet('{self.tables}/{name}/*/*.parquet', hive_partitioning = true)"

    def ask(self, query):
        return duckdb.sql(query).fetchall()

    def test_the_runs_are_those_of_the_feed_with_what_is_not_recorded_as_null(self):
        rows = self.ask(
            "SELECT id, slug, test_case_slug, model_id, state, rating, comparable_cost_usd, reasoning_tokens, events, annotations,"
            " threads, thread_entries, threads_open, threads_resolved"
            f" FROM {self.table('runs')} ORDER BY id"
        )
        expected = sorted(
            (
                card["id"], card["slug"], card["subject"]["testCaseSlug"], card["subject"]["modelId"], card["state"], card["rating"],
                card["metrics"]["cost"]["comparable"], card["metrics"]["tokens"]["reasoning"], card["events"], card["annotations"]["count"],
                *((card["threads"] or {}).get(key) for key in ("annotationCount", "entryCount", "openCount", "resolvedCount")),
            )
            for card in self.cards
        )
        self.assertEqual(rows, expected)
        self.assertTrue(any(row[7] is None for row in rows), "no token class is unknown in the sample")
        self.assertTrue(any(row[12] for row in rows), "no run of the sample has an open thread")

    def test_every_event_is_there_in_its_order_and_partitions_can_be_left_out(self):
        total = self.ask(f"SELECT count(*), count(DISTINCT run_id) FROM {self.table('events')}")
        with_events = [card for card in self.cards if card["events"]]
        self.assertEqual(total, [(sum(card["events"] for card in self.cards), len(with_events))])
        card = with_events[0]
        case = card["subject"]["testCaseSlug"]
        seqs = self.ask(f"SELECT seq FROM {self.table('events')} WHERE \"case\" = '{case}' AND run_id = '{card['id']}'")
        self.assertEqual([seq for (seq,) in seqs], list(range(card["events"])))

    def test_annotations_join_their_events(self):
        lines = (SITE / "feeds/annotations.jsonl").read_text(encoding="utf-8").splitlines()
        joined = self.ask(
            f"SELECT count(*) FROM {self.table('annotations')} a JOIN {self.table('events')} e"
            " ON e.run_id = a.run_id AND e.tape = a.tape AND e.seq = a.event_id"
        )
        self.assertEqual(joined, [(len(lines),)])

    def test_pyarrow_reads_each_table_as_one_dataset(self):
        for name, rows in [("runs", len(self.cards)), ("events", sum(card["events"] for card in self.cards))]:
            dataset = pyarrow.dataset.dataset(self.tables / name, format="parquet", partitioning="hive")
            table = dataset.to_table()
            self.assertEqual(table.num_rows, rows)
            self.assertIn("case", table.column_names)

    def test_the_same_input_gives_the_same_bytes_and_replaces_the_tables_at_once(self):
        def files():
            return {path.relative_to(self.tables): path.read_bytes() for path in self.tables.rglob("*.parquet")}

        before = files()
        self.assertEqual(runpress(*self.arguments, "--jobs", "1").returncode, 0)
        self.assertEqual(files(), before)

    def test_withheld_words_are_in_no_table_and_the_canary_is_in_the_metadata_of_each(self):
        with tempfile.TemporaryDirectory() as place:
            site = pathlib.Path(place) / "site"
            self.assertEqual(runpress("new", site).returncode, 0)
            settings = site / "site.toml"
            text = settings.read_text(encoding="utf-8") + 'canary = "CANARY 26b5c67b"\n'
            settings.write_text(text, encoding="utf-8")
            tables = pathlib.Path(place) / "tables"
            build = ["--root", site, "build", "--quiet", "--export", f"parquet={tables}"]
            texts = []
            for _ in range(2):
                self.assertEqual(runpress(*build).returncode, 0)
                files = sorted(tables.rglob("*.parquet"))
                texts.append("".join(str(pyarrow.parquet.read_table(file).to_pydict()) for file in files))
                for file in files:
                    metadata = pyarrow.parquet.read_metadata(file).metadata
                    self.assertEqual(metadata[b"canary"], b"CANARY 26b5c67b", file)
                done = runpress("--root", site, "redact", site / "content/runs/sample", "--event", "5", "--quote", "npm test", "--reason", "secret")
            self.assertIn("npm test", texts[0])
            self.assertNotIn("npm test", texts[1], done.stderr)
            self.assertIn("[withheld: secret, 8 characters]", texts[1])

    def test_a_folder_of_something_else_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "letter.txt"
            kept.write_text("mine", encoding="utf-8")
            done = subprocess.run([PROGRAM, *self.arguments[:-1], f"parquet={folder}"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("publish.foreign-folder", done.stderr)
            self.assertEqual(kept.read_text(encoding="utf-8"), "mine")


if __name__ == "__main__":
    unittest.main()
