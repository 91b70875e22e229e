"""The module `runpress` for Python reads the demo site from a folder, a ZIP archive and an address, and says what is wrong elsewhere."""

import ast
import contextlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
import zipfile

import duckdb

from support import ROOT, SITE, Server
from support import runpress as program

import runpress

PACKAGE = ROOT / "python/runpress"


def feed(name, site=SITE):
    text = (site / "feeds" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if name.endswith("jsonl") else json.loads(text)


def rewrite(path, change):
    """Changes a document of JSON."""
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def opened(self, place):
        return self.enterContext(runpress.open(place))

    def copy(self):
        """A copy of the feeds and one run of the demo site."""
        site = self.folder / "copy"
        shutil.copytree(SITE / "feeds", site / "feeds")
        slug = feed("runs.json")["runs"][0]["slug"]
        shutil.copytree(SITE / "runs" / slug, site / "runs" / slug)
        return site

    def new_site(self, publish="", log=None):
        """A new site, with more keys in `[publish]` and another event log."""
        root = self.folder / "new"
        self.assertEqual(program("new", root).returncode, 0)
        sample = root / "content/runs/sample"
        if log is not None:
            for name in ["events.jsonl.annotations.jsonl", "transcript.json", "annotations.json"]:
                (sample / name).unlink()
            (sample / "events.jsonl").write_bytes(log)
        file = root / "site.toml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("[publish]\n", f"[publish]\n{publish}\n"), encoding="utf-8")
        done = program("--root", root, "build", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return root / "public"

    @contextlib.contextmanager
    def failure(self, kind, *words):
        with self.assertRaises(kind) as caught:
            yield
        self.assertIsInstance(caught.exception, runpress.RunpressError)
        self.assertTrue(caught.exception.help)
        for word in [*words, "help: "]:
            self.assertIn(word, str(caught.exception))


class Reading(WithFolder):
    def check(self, place):
        site = self.opened(place)
        self.assertEqual(site.index, feed("index.json"))
        self.assertEqual(site.runs(), feed("runs.json")["runs"])
        self.assertEqual(site.annotations(), feed("annotations.jsonl"))
        run = next(run for run in site.runs() if run["annotations"]["count"])
        self.assertEqual(site.run(run)["record"]["id"], run["id"])
        self.assertEqual(len(site.events(run)), run["events"])
        return site

    def test_a_folder(self):
        self.assertEqual(repr(self.check(SITE)), f"<runpress.Site {str(SITE)!r}: {len(feed('runs.json')['runs'])} runs>")

    def test_an_archive_of_the_folder_or_of_its_files(self):
        for index, folder in enumerate(["", "public/", "a/b/"]):
            file = self.folder / f"{index}.zip"
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                # The index of another site, deeper in the archive, is not that of the site.
                archive.writestr(f"{folder}nested/site/feeds/index.json", "{}")
                for path in [*SITE.glob("feeds/*"), *SITE.glob("runs/**/*")]:
                    if path.is_file():
                        archive.write(path, folder + str(path.relative_to(SITE)))
            self.check(file)

    def test_an_address_with_and_without_the_name_of_the_page(self):
        server = Server(SITE.parent)
        self.addCleanup(server.close)
        for end in ["site", "site/", "site/index.html", "site/feeds/index.json", "site/?from=mail#runs"]:
            self.check(server.address + end)

    def test_every_annotation_finds_its_event(self):
        site = self.opened(SITE)
        events = {
            (run["id"], event["tape"], event["seq"]): event for run in site.runs() for event in site.events(run)
        }
        self.assertEqual(len(events), sum(run["events"] for run in site.runs()))
        annotations = [each for each in site.annotations() if each["target"]]
        self.assertGreater(len(annotations), 50)
        for each in annotations:
            event = events[each["runId"], each["tape"], each["event_id"]]
            kind = event["kind"]["kind"] if isinstance(event.get("kind"), dict) else event["type"]
            self.assertEqual(kind, each["target"]["kind"])

    def test_a_run_is_named_by_id_slug_or_card(self):
        site = self.opened(SITE)
        run = site.runs()[-1]
        self.assertEqual(site.run(run), site.run(run["id"]))
        self.assertEqual(site.run(run), site.run(run["slug"]))

    def test_a_site_without_an_address_and_with_prefixed_folders(self):
        site = self.opened(self.new_site('run_folders = "prefixed"'))
        [run] = site.runs()
        self.assertRegex(run["url"], r"^runs/[0-9a-f]{2}/")
        self.assertEqual(len(site.events(run["id"])), run["events"])

    def test_lines_that_cannot_be_read_keep_the_numbers_of_the_others(self):
        log = [
            b'\xef\xbb\xbf{"timestamp":"2026-03-01T10:00:00Z","type":"agent","message":"One\xe2\x80\xa8line."}\r\n', b" \t\n",
            b'{"type":\n', b"[1]\n", b'{"type":"agent","message":"\xff"}\n', b'{"type":"agent","message":NaN}\n',
            b'{"type":"agent","message":"half \\ud83d, whole \\ud83d\\ude00","far":1e999,"near":[0.5]}\n',
            b'{"tape":"other","seq":99,"deep":' + b"[" * 9999 + b"]" * 9999 + b"}\n", b'{"tape":"other","seq":99}',
        ]
        events = self.opened(self.new_site(log=b"".join(log))).events(self.only_run())
        self.assertEqual([event["seq"] for event in events], list(range(8)))
        self.assertEqual({event["tape"] for event in events}, {"events.jsonl"})
        self.assertEqual([number for number, event in enumerate(events) if "unreadable" in event], [1, 2, 4, 6])
        self.assertEqual(events[0]["message"], "One\u2028line.")
        self.assertEqual(events[3]["message"], "\ufffd")
        self.assertEqual((events[5]["message"], events[5]["far"], events[5]["near"]), ("half \ufffd, whole 😀", None, [0.5]))
        # Both tables take them.
        self.assertEqual(len(events.to_pandas()), 8)
        self.assertEqual(len(events.to_polars()), 8)

    def only_run(self):
        [run] = feed("runs.json", self.folder / "new/public")["runs"]
        return run["slug"]

    def test_events_at_another_address(self):
        bucket = self.folder / "bucket"
        server = Server(bucket)
        self.addCleanup(server.close)
        public = self.new_site(f'files_base_url = "{server.address}"')
        shutil.move(public / "downloads", bucket)
        site = self.opened(public)
        [run] = site.runs()
        self.assertEqual(len(site.events(run)), run["events"])

    def test_cells_are_those_of_the_feed(self):
        site = self.copy()
        pong, todo = {"case": "pong", "version": "1"}, {"case": "todo-board", "version": None}
        one, two = {"model": "a", "runIds": ["1", "2"], "trials": 2}, {"model": "b", "runIds": ["3"], "trials": 1}
        sets = [{**pong, "cells": [one, two]}, {**todo, "cells": [two]}]
        self.write_cells(site, {"schemaVersion": 1, "sets": sets})
        self.assertEqual(self.opened(site).cells(), [pong | one, pong | two, todo | two])
        self.write_cells(site, {"schemaVersion": 1})
        with self.failure(runpress.DamagedSiteError, "feeds/cells.json cannot be read"):
            self.opened(site).cells()
        self.write_cells(site, None)
        with self.failure(runpress.FeedNotFoundError, "has no feeds/cells.json", "newer version of runpress"):
            self.opened(site).cells()

    @staticmethod
    def write_cells(site, document):
        path = site / "feeds/cells.json"
        feeds = []
        if document is not None:
            path.write_text(json.dumps(document), encoding="utf-8")
            feeds = [{"path": "feeds/cells.json", "schema": None, "bytes": path.stat().st_size, "blake3": ""}]
        rewrite(site / "feeds/index.json", lambda index: index.update(
            feeds=[each for each in index["feeds"] if each["path"] != "feeds/cells.json"] + feeds
        ))


class Tables(WithFolder):
    def test_pandas_polars_and_duckdb_agree_with_the_feed(self):
        runs = self.opened(SITE).runs()
        costs = [run["metrics"]["cost"]["actual"] for run in runs if run["metrics"]["cost"]["actual"] is not None]
        states = {state: sum(run["state"] == state for run in runs) for state in {run["state"] for run in runs}}
        self.assertGreater(len(costs), 5)
        frame, table = runs.to_pandas(), runs.to_polars()
        self.assertEqual(list(frame.columns), table.columns)
        self.assertEqual((len(frame), len(table)), (len(runs), len(runs)))
        self.assertAlmostEqual(frame["metrics.cost.actual"].sum(), sum(costs))
        self.assertAlmostEqual(table["metrics.cost.actual"].sum(), sum(costs))
        self.assertEqual(frame["metrics.cost.actual"].count(), len(costs))
        self.assertEqual(len(table["metrics.cost.actual"].drop_nulls()), len(costs))
        self.assertEqual(frame["state"].value_counts().to_dict(), states)
        self.assertEqual(dict(table["state"].value_counts().iter_rows()), states)
        for each in [frame, table]:  # noqa: B007
            counted = duckdb.sql("SELECT state, count(*), round(sum(\"metrics.cost.actual\"), 6) FROM each GROUP BY state").fetchall()
            self.assertEqual({state: count for state, count, _ in counted}, states)
            self.assertAlmostEqual(sum(cost or 0 for *_, cost in counted), sum(costs), places=4)

    def test_every_list_of_the_demo_site_is_a_table(self):
        site = self.opened(SITE)
        lists = [(site.annotations(), "tape"), *((site.events(run), "tape") for run in site.runs())]
        if any(each["path"] == "feeds/cells.json" for each in site.index["feeds"]):
            lists.append((site.cells(), "model"))
        for rows, column in lists:
            frame, table = rows.to_pandas(), rows.to_polars()
            self.assertEqual(list(frame.columns), table.columns)
            self.assertEqual((len(frame), len(table)), (len(rows), len(rows)))
            self.assertEqual(frame[column].to_list(), table[column].to_list())

    def test_columns_of_mixed_values(self):
        rows = runpress.Rows([
            {"a": 1, "mixed": "x", "numbers": 1, "list": ["x"], "object": {"b": {"c": True}}, "empty": {}, "large": 2**70},
            {"mixed": 2, "numbers": 0.5, "list": [], "object": {"b": {}}, "object.b.c": False, "odd": [1, "x"]},
            {"a": None, "mixed": {"d": [1]}, "object.b.c": False, "object": {"b": {"c": True}}},
        ])
        columns = rows.columns()
        self.assertEqual(list(columns), ["a", "mixed", "numbers", "list", "object.b.c", "empty", "large", "object.b", "odd", "mixed.d"])
        self.assertEqual(columns["object.b.c"], [True, False, False])
        self.assertEqual(rows.to_pandas()["mixed"].to_list()[:2], ["x", 2])
        table = rows.to_polars()
        self.assertEqual(table["a"].to_list(), [1, None, None])
        self.assertEqual(table["numbers"].to_list(), [1.0, 0.5, None])
        self.assertEqual(table["list"].to_list(), [["x"], [], None])
        self.assertEqual(table["mixed"].to_list(), ['"x"', "2", None])
        self.assertEqual(table["large"].to_list(), [float(2**70), None, None])
        self.assertEqual(table["odd"].to_list(), [None, '[1, "x"]', None])
        self.assertEqual(table["mixed.d"].to_list(), [None, None, [1]])
        self.assertEqual((len(runpress.Rows().to_pandas()), len(runpress.Rows().to_polars())), (0, 0))
        # A row without any column is a row.
        self.assertEqual(len(runpress.Rows([{}, {}]).to_pandas()), 2)

    def test_a_package_that_is_not_installed(self):
        for name, convert in [("pandas", runpress.Rows.to_pandas), ("polars", runpress.Rows.to_polars)]:
            with unittest.mock.patch.dict(sys.modules, {name: None}), self.failure(ImportError, f"pip install {name}"):
                convert(runpress.Rows())


class Failures(WithFolder):
    def test_places_without_a_site(self):
        with self.failure(runpress.SiteNotFoundError, "does not exist"):
            runpress.open(self.folder / "missing")
        with self.failure(runpress.SiteNotFoundError, "feeds/index.json is missing", "`public`"):
            runpress.open(self.folder)
        with self.failure(runpress.SiteNotFoundError, "is not a web address", "https://"):
            runpress.open("ftp://runs.example.org/")
        file = self.folder / "notes.txt"
        file.write_text("no archive", encoding="utf-8")
        with self.failure(runpress.FetchError, "notes.txt cannot be read", "not a zip file"):
            runpress.open(file)
        zipfile.ZipFile(self.folder / "empty.zip", "w").close()
        with self.failure(runpress.SiteNotFoundError, "empty.zip"):
            runpress.open(self.folder / "empty.zip")
        server = Server(self.folder)
        self.addCleanup(server.close)
        with self.failure(runpress.SiteNotFoundError, server.address):
            runpress.open(server.address)
        with self.failure(runpress.FetchError, "http://127.0.0.1:1/", "address and the network"):
            runpress.open("http://127.0.0.1:1/")

    def test_a_server_that_asks_for_a_login(self):
        class Locked(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_error(403)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Locked)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        with self.failure(runpress.FetchError, "HTTP status 403", "login"):
            runpress.open(f"http://127.0.0.1:{server.server_port}/")

    def test_another_version_of_the_feeds(self):
        for version, kind, words in [
            (2, runpress.VersionError, ["has schema version 2", "pip install --upgrade runpress"]),
            (0, runpress.VersionError, ["has schema version 0", "Build the site again"]),
            ("1", runpress.DamagedSiteError, ["no `schemaVersion`"]),
            (None, runpress.DamagedSiteError, ["no `schemaVersion`"]),
        ]:
            with self.subTest(version=version):
                site = self.copy()
                run = self.opened(site).runs()[0]
                for name in [f"runs/{run['slug']}/run.json", "feeds/index.json"]:
                    rewrite(site / name, lambda document, version=version: document.update(schemaVersion=version))
                    with self.failure(kind, name, *words):
                        self.opened(site).run(run)
                shutil.rmtree(site)

    def test_a_run_that_is_not_there(self):
        site = self.opened(SITE)
        for run in ["no-such-run", {}]:
            with self.failure(runpress.RunNotFoundError, "`id` or the `slug`"):
                site.events(run)

    def test_a_feed_that_was_cut_or_is_missing(self):
        site = self.copy()
        path = site / "feeds/annotations.jsonl"
        path.write_bytes(path.read_bytes()[:-1])
        with self.failure(runpress.DamagedSiteError, "annotations.jsonl", "bytes", "copy it again"):
            self.opened(site).annotations()
        path.unlink()
        with self.failure(runpress.DamagedSiteError, "annotations.jsonl", "is missing"):
            self.opened(site).annotations()

    def test_events_that_were_cut(self):
        site = self.copy()
        run = self.opened(site).runs()[0]
        [tape] = (site / "runs" / run["slug"]).glob("*.jsonl")
        tape.write_bytes(tape.read_bytes()[:-1].rpartition(b"\n")[0])
        with self.failure(runpress.DamagedSiteError, tape.name, f"and run.json says {run['events']}"):
            self.opened(site).events(run)

    def test_documents_of_another_shape(self):
        for index in ["[]", "no json", '{"schemaVersion":1}', '{"schemaVersion":1,"site":{"baseUrl":null},"feeds":[1]}', "[" * 99999]:
            site = self.folder / "shape/feeds"
            site.mkdir(parents=True, exist_ok=True)
            (site / "index.json").write_text(index, encoding="utf-8")
            with self.failure(runpress.DamagedSiteError, "feeds/index.json cannot be read"):
                runpress.open(self.folder / "shape")
        site = self.copy()
        run = self.opened(site).runs()[0]
        rewrite(site / "runs" / run["slug"] / "run.json", lambda document: document.update(tapes=[{"file": 1}]))
        with self.failure(runpress.DamagedSiteError, "run.json cannot be read"):
            self.opened(site).events(run)

    def test_events_that_the_site_does_not_publish(self):
        for settings in ["downloads = \"none\"", "files_base_url = \"http://127.0.0.1:1/\""]:
            site = self.opened(self.new_site(settings))
            [run] = site.runs()
            kind, words = (runpress.FileNotPublishedError, "events.jsonl") if "none" in settings else (runpress.FetchError, "127.0.0.1:1")
            with self.failure(kind, words):
                site.events(run)
            self.assertTrue(site.run(run)["steps"])
            shutil.rmtree(self.folder / "new")

    def test_no_path_leads_out_of_the_site(self):
        secret = self.folder / "secret/run.json"
        secret.parent.mkdir()
        secret.write_text('{"schemaVersion":1,"tapes":[],"files":[]}', encoding="utf-8")
        copy = self.copy()
        (copy / "runs/link").symlink_to(secret.parent)
        site = self.opened(copy)
        paths = ["../secret/", "runs/../../secret/", f"{secret.parent}/", "..\\secret\\", "%2e%2e/secret/", "http://127.0.0.1:1/", "a\0/"]
        for path in paths:
            with self.subTest(path=path), self.failure(runpress.DamagedSiteError, "outside of it"):
                site.run({"url": path})
        with self.failure(runpress.DamagedSiteError, "outside of it", "Do not trust"):
            self.opened(copy).run({"url": "runs/link/"})
        run = self.opened(copy).runs()[0]
        rewrite(copy / "runs" / run["slug"] / "run.json", lambda document: document["tapes"][0].update(file="../../../secret/run.json"))
        with self.failure(runpress.DamagedSiteError, "outside of it"):
            self.opened(copy).events(run)


class Sources(unittest.TestCase):
    def test_the_types_are_strict_and_the_syntax_is_that_of_python_3_9(self):
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, PACKAGE], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        vermin = pathlib.Path(sys.executable).parent / "vermin"
        command = [vermin, "--target=3.9-", "--no-tips", "--eval-annotations", PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_nothing_but_the_standard_library_is_imported(self):
        names = set()
        for path in PACKAGE.glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    names |= {each.name.partition(".")[0] for each in node.names}
                elif isinstance(node, ast.ImportFrom):
                    names.add(node.module.partition(".")[0])
        self.assertEqual(names - sys.stdlib_module_names, {"runpress", "pandas", "polars"})


if __name__ == "__main__":
    unittest.main()
