"""The examples on the page of feeds do what they say, and feed readers understand the feeds."""

import json
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

import duckdb
import feedparser
import jsonfeed
import pandas

from support import BASE, SITE, Server, examples


class Labels(unittest.TestCase):
    def test_pandas_and_duckdb_read_every_judgment(self):
        path = SITE / "feeds/labels.jsonl"
        kinds = ("correct", "incorrect", "alternative")
        lines = (SITE / "feeds/annotations.jsonl").read_text(encoding="utf-8").splitlines()
        annotations = [json.loads(line) for line in lines]
        judged = [each for each in annotations if each["kind"] in kinds and each["target"]]
        frame = pandas.read_json(path, lines=True)
        self.assertEqual(list(frame["runId"]), [each["runId"] for each in judged])
        self.assertTrue(all(event["headline"] or event["texts"] for events in frame["events"] for event in events))
        counted = duckdb.sql(f"SELECT kind, count(*) FROM read_json('{path}') GROUP BY kind").fetchall()
        self.assertEqual(dict(counted), {kind: sum(each["kind"] == kind for each in judged) for kind in kinds})


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(SITE)
        cls.all = list(examples())

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def of(self, *tools):
        for feed, tool, text in self.all:
            if tool in tools:
                self.assertIn(BASE, text)
                yield feed, text

    def test_every_feed_has_examples(self):
        index = json.loads((SITE / "feeds/index.json").read_text(encoding="utf-8"))
        written = {feed["path"].rsplit("/", 1)[-1] for feed in index["feeds"]}
        listed = {feed for feed, _, _ in self.all}
        self.assertEqual(listed, written | {"index.json"})
        self.assertGreater(len(self.all), 30)

    def run_text(self, feed, arguments):
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), feed)
        self.assertNotIn("null\tnull", done.stdout, feed)
        return done.stdout

    def test_curl_and_jq(self):
        printed = {}
        for feed, text in self.of("curl", "curl and jq"):
            with self.subTest(feed=feed):
                command = text.replace(BASE, self.server.address)
                printed[feed] = self.run_text(feed, ["bash", "-c", command])
        runs = json.loads((SITE / "feeds/runs.json").read_text(encoding="utf-8"))["runs"]
        self.assertEqual(len(printed["runs.json"].splitlines()), len(runs))
        for feed, text in printed.items():
            self.assertTrue(text.strip(), feed)

    def test_python(self):
        for feed, text in self.of("Python"):
            with self.subTest(feed=feed):
                text = text.replace(BASE, self.server.address)
                printed = self.run_text(feed, [sys.executable, "-c", text])
                self.assertTrue(printed.strip(), feed)
                self.assertNotEqual(printed.strip(), "0", feed)

    def test_duckdb(self):
        # Reading over HTTP needs an extension that DuckDB fetches from its own host; the query is the same on a file.
        rows = {}
        for feed, text in self.of("DuckDB"):
            with self.subTest(feed=feed):
                rows[feed] = len(duckdb.sql(text.replace(BASE, f"{SITE}/")).fetchall())
                self.assertGreater(rows[feed], 0)
        runs = json.loads((SITE / "feeds/runs.json").read_text(encoding="utf-8"))["runs"]
        self.assertEqual(rows["runs.json"], len(runs))
        self.assertEqual(rows["runs.jsonl"], len(runs))


class Readers(unittest.TestCase):
    def read(self, name):
        feed = feedparser.parse(str(SITE / "feeds" / name))
        self.assertFalse(feed.bozo, feed.get("bozo_exception"))
        return feed

    def test_atom_is_read_as_atom_with_an_id_a_title_and_a_time_for_each_run(self):
        feed = self.read("atom.xml")
        self.assertEqual(feed.version, "atom10")
        self.assertTrue(feed.feed.title and feed.feed.id and feed.feed.updated_parsed)
        runs = json.loads((SITE / "feeds/runs.json").read_text(encoding="utf-8"))["runs"]
        # Atom requires a time, which an imported run may lack.
        dated = [run for run in runs if run["finishedAt"] or run["startedAt"]]
        self.assertEqual(len(feed.entries), min(len(dated), 50))
        for entry in feed.entries:
            self.assertTrue(entry.id and entry.title and entry.updated_parsed and entry.link, entry)
        self.assertEqual(len({entry.id for entry in feed.entries}), len(feed.entries))

    def test_the_json_feed_is_read_as_version_1_1(self):
        text = (SITE / "feeds/feed.json").read_text(encoding="utf-8")
        self.assertEqual(json.loads(text)["version"], "https://jsonfeed.org/version/1.1")
        feed = jsonfeed.Feed.parse_string(text)
        self.assertTrue(feed.title and feed.authors)
        self.assertEqual(feed.feed_url, f"{BASE}feeds/feed.json")
        self.assertGreater(len(feed.items), 20)
        for item in feed.items:
            self.assertTrue(item.id and item.url.startswith(BASE) and item.title, item)
        # An imported run may have no time.
        self.assertGreater(sum(1 for item in feed.items if item.date_published), 20)

    def test_the_sitemap_names_pages_that_are_there(self):
        space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
        addresses = [place.text for place in ElementTree.parse(SITE / "sitemap.xml").iter(f"{space}loc")]
        self.assertGreater(len(addresses), 40)
        base = min(addresses, key=len)
        for address in addresses:
            self.assertTrue((SITE / address.removeprefix(base) / "index.html").is_file(), address)


if __name__ == "__main__":
    unittest.main()
