"""Every command in the README and on the pages of the guide does what they say, in the order of the page."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import tomllib
import unittest
import urllib.request

import duckdb

from support import PROGRAM, ROOT, SITE, Server, runpress

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)


def page(name):
    path = ROOT / name if name == "README.md" else ROOT / "content/pages" / name
    return path.read_text(encoding="utf-8")


def steps(text):
    """The code blocks of a page: language, text, and the paragraph before it."""
    for found in FENCE.finditer(text):
        before = text[: found.start()].strip().rsplit("\n\n", 1)[-1]
        yield found.group(1), found.group(2), before


class Documented(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "runpress").symlink_to(PROGRAM)
        # What the tests must not do to the machine: install a program, or write to a host that does not exist.
        self.stub(tools, "cargo", 'test "$*" = "install --path ." && test -f Cargo.toml || test "$1" = install')
        self.stub(tools, "rsync", 'for last; do :; done; case "$last" in web@runs.example.org:*) ;; *) exit 1;; esac; test -f public/index.html')
        (tools / "check-jsonschema").symlink_to(pathlib.Path(sys.executable).parent / "check-jsonschema")
        (self.folder / "remote").mkdir()
        self.variables = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "REMOTE": str(self.folder / "remote")}

    @staticmethod
    def stub(folder, name, script):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def bash(self, script, folder):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=self.variables,
            capture_output=True, text=True, timeout=300, check=False,
        )
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def follow(self, name, begin="cd ."):
        """Follows a page: files that it says to write are written, commands are run, each where `cd` has led."""
        place, done = self.folder / "start", 0
        place.mkdir(exist_ok=True)
        for language, text, before in steps(page(name)):
            target = re.findall(r"`(content/[^`]+)`", before)
            if language == "json" and target:
                (place / target[-1]).write_text(text, encoding="utf-8")
            elif language == "sh":
                text = text.replace(begin, "cd .")
                printed = self.bash(f"{text}\npwd > {self.folder}/place", place)
                place = pathlib.Path((self.folder / "place").read_text(encoding="utf-8").strip())
                done += 1
                yield text, printed, place
        self.assertGreater(done, 0)

    def test_the_readme(self):
        place, output = None, ""
        for _, printed, place in self.follow("README.md"):
            output += printed
        self.assertIn("Read this twice.", output)
        # The page says which address the run has.
        address = re.search(r"`(runs/sample-[^`]+/)`", page("README.md")).group(1)
        self.assertIn(f"{pathlib.PurePath(address).name}\tcompleted\tgreat", output)
        shown = (place / "public" / address / "index.html").read_text(encoding="utf-8")
        self.assertIn("Read this twice.", shown)
        for report in ["checks.xml", "summary.md"]:
            self.assertTrue((place / report).is_file())
        [text] = [text for language, text, _ in steps(page("README.md")) if language == "sql"]
        rows = duckdb.sql(text.replace("'public/", f"'{place}/public/")).fetchall()
        self.assertIn(("agent", 3), rows)

    def test_the_guide(self):
        for text, printed, place in self.follow("guide.md"):
            if "runpress build" in text:
                self.assertTrue((place / "public/index.html").is_file())
            if text.startswith("jq"):
                self.assertEqual(printed, "")

    def test_publishing_from_ci(self):
        site = self.folder / "start"
        done = runpress("new", site)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.bash("runpress build --out published", site)
        for _, _, place in self.follow("ci.md"):
            pass
        self.assertTrue((place / "summary.md").read_text(encoding="utf-8").startswith("## Published: 1 run"))

    def test_serving(self):
        site = self.folder / "site"
        self.assertEqual(runpress("new", site).returncode, 0)
        [text] = [text for language, text, _ in steps(page("serving.md")) if language == "sh"]
        # It runs until Ctrl-C: a session of its own, so that the signal reaches no other program.
        child = subprocess.Popen(
            ["bash", "-euc", text], cwd=site, env=self.variables, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )
        late = threading.Timer(120, os.killpg, [child.pid, signal.SIGKILL])
        late.start()
        try:
            log = ""
            while not (address := re.search(r"Serving at (http://127\.0\.0\.1:\d+/)", log)):
                line = child.stderr.readline()
                self.assertTrue(line, log)
                log += line
            with urllib.request.urlopen(address.group(1), timeout=60) as answer:
                home = answer.read().decode()
            self.assertEqual(answer.status, 200)
            self.assertIn("<h1", home)
            os.killpg(child.pid, signal.SIGINT)
            child.communicate(timeout=60)
        finally:
            late.cancel()
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
        self.assertFalse((site / "public").exists())

    def test_the_settings_in_toml_can_be_read(self):
        for name in ["ci.md", "guide.md", "formats.md"]:
            for language, text, _ in steps(page(name)):
                if language == "toml":
                    tomllib.loads(text.replace("+++\n", ""))

    def test_a_withdrawn_run_is_reported_as_the_page_says(self):
        site = self.folder / "site"
        self.assertEqual(runpress("new", site).returncode, 0)
        text = next(text for language, text, before in steps(page("ci.md")) if "withdrawn.toml" in before)
        record = (site / "content/runs/sample/run-record.json").read_text(encoding="utf-8")
        identity = re.search(r'"id": "([^"]+)"', record).group(1)
        text = re.sub(r'(?<=id = ")[^"]+', identity, text)
        self.bash("runpress build -q && rm -r content/runs/sample", site)
        (site / "content/withdrawn.toml").write_text(text, encoding="utf-8")
        self.bash("runpress build -q", site)
        [stone] = (site / "public/runs").glob("sample-*/index.html")
        self.assertIn("started with another model", stone.read_text(encoding="utf-8"))

    def test_the_examples_of_the_formats_are_a_run_that_has_no_problem(self):
        run = self.folder / "content/runs/first"
        files = {
            "This is a complete record": ["run-record.json"],
            "`events.jsonl` is": ["events.jsonl"],
            "`writeup.md` is": ["writeup.md"],
            "is a trace:": ["run.trace.jsonl"],
            "is a Harn tape": ["run.tape"],
            "a sidecar of the event log above": ["events.jsonl.annotations.jsonl"],
            "`transcript.json` is": ["transcript.json"],
            "`assets/tests.txt` in": ["assets/tests.txt"],
            "`annotations.json` is": ["annotations.json"],
            "`annotations.actions.jsonl` contains": ["annotations.actions.jsonl"],
            "`implementation/src/ball.ts` in": ["implementation/src/ball.ts"],
            "`raw.jsonl` contains": ["raw.jsonl"],
            "A record of sub-version 1": ["../early/run-record.json"],
            "a later form with domains": ["../later/writeup.md"],
        }
        written = set()
        for _, text, before in steps(page("formats.md")):
            for words, [name] in files.items():
                if words in before:
                    (run / name).parent.mkdir(parents=True, exist_ok=True)
                    (run / name).write_text(text, encoding="utf-8")
                    written.add(words)
        self.assertEqual(written, set(files))
        # The second review needs a run of its own.
        record = (run / "run-record.json").read_text(encoding="utf-8")
        later = run / "../later/run-record.json"
        later.write_text(record.replace("4f1c2d3e-", "5e1c2d3e-"), encoding="utf-8")
        (self.folder / "site.toml").touch()
        done = runpress("--root", self.folder, "check", "--deny", "warnings", "--report", "json=report.json", cwd=self.folder)
        self.assertEqual(done.returncode, 0, (self.folder / "report.json").read_text(encoding="utf-8"))
        self.assertIn("3 runs", done.stderr)

    def test_the_feeds_with_curl_jq_and_a_validator(self):
        server = Server(SITE)
        self.addCleanup(server.close)
        address = server.address.rstrip("/")
        texts = [text for language, text, _ in steps(page("data-feeds.md")) if language == "sh" and ".zip" not in text]
        texts.sort(key=lambda text: "BASE=" not in text)
        exports = [text for text in texts if "export" in text]
        texts = [text for text in texts if text not in exports]
        script = "\n".join(texts).replace("https://example.org/runs", address)
        printed = self.bash(script, self.folder)
        for expected in ["feeds/runs.json", "friction", "ok -- validation done"]:
            self.assertIn(expected, printed)
        shutil.copytree(ROOT / "content", self.folder / "content")
        (self.folder / "site.toml").touch()
        self.bash("\n".join(exports), self.folder)
        self.assertTrue((self.folder / "dataset/README.md").is_file())
        text = next(text for language, text, _ in steps(page("data-feeds.md")) if "read_parquet" in text)
        text = text.replace("'tables/", f"'{self.folder}/tables/")
        self.assertGreater(len(duckdb.sql(text).fetchall()), 0)

    def test_the_feeds_with_python(self):
        server = Server(SITE)
        self.addCleanup(server.close)
        texts = [text for language, text, _ in steps(page("data-feeds.md")) if language == "python" and ".zip" not in text]
        # `test_dataset.py` runs it.
        texts = [text for text in texts if "load_dataset" not in text]
        # What a reader of each example sees, by a word of the example.
        expected = {
            "runs.json": ["completed", "(a class is not reported)"],
            "labels.jsonl": ["incorrect", "alternative"],
            "site.events": ["incorrect", "command"],
            "duckdb": ["markdown-notes", "todo-board"],
            "runpress.Rows": ["approval_stall"],
        }
        self.assertEqual(len(texts), len(expected))
        for text in texts:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(text.replace("https://example.org/runs/", server.address), {})  # noqa: S102
            [words] = [words for feed, words in expected.items() if feed in text]
            for word in words:
                self.assertIn(word, printed.getvalue())

    def test_the_feeds_with_duckdb(self):
        texts = [text for language, text, _ in steps(page("data-feeds.md")) if language == "sql"]
        self.assertGreater(len(texts), 1)
        log = next(SITE.glob("runs/*/events.jsonl"))
        for text in texts:
            if "read_parquet" in text:
                continue
            text = text.replace("'runs.jsonl'", f"'{SITE}/feeds/runs.jsonl'").replace("'events.jsonl'", f"'{log}'")
            text = text.replace("'labels.jsonl'", f"'{SITE}/feeds/labels.jsonl'")
            self.assertGreater(len(duckdb.sql(text).fetchall()), 0, text)


if __name__ == "__main__":
    unittest.main()
