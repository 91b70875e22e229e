"""The action and the workflows are what the CI services take, and the scripts that the action runs fail safely."""

import hashlib
import http.server
import os
import pathlib
import platform
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import threading
import tomllib
import unittest

from ruamel.yaml import YAML

from support import PROGRAM, ROOT, Server, blocks, runpress

INSTALL = ROOT / ".github/install.sh"
LEDGER = ROOT / ".github/fetch-ledger.sh"


def checked(schema, *files):
    """Checks files against a schema that comes with check-jsonschema."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Workflows(unittest.TestCase):
    @staticmethod
    def linted(*files):
        """What actionlint reports: names of steps, outputs and the matrix that do not exist, and types."""
        linter = pathlib.Path(sys.executable).parent / "actionlint"
        done = subprocess.run([linter, "-no-color", "-shellcheck=", *files], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def refused(self, schema, *files):
        done = checked(schema, *files)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def test_the_action_is_one(self):
        self.assertEqual(self.refused("vendor.github-actions", ROOT / "action.yml"), "")

    def test_the_workflows_of_the_repository_and_of_a_new_site_are(self):
        files = [*(ROOT / ".github/workflows").glob("*.yml"), ROOT / "src/author/starter/workflow.yml", ROOT / "examples/github/site.yml"]
        self.assertGreater(len(files), 3)
        self.assertEqual(self.refused("vendor.github-workflows", *files), "")
        self.assertEqual(self.linted(*files), "")

    def test_the_example_of_gitlab_is_one(self):
        self.assertEqual(self.refused("vendor.gitlab-ci", ROOT / "examples/gitlab/.gitlab-ci.yml"), "")

    def test_the_examples_of_the_guide_are(self):
        kinds = {"vendor.github-workflows": 0, "vendor.gitlab-ci": 0}
        with tempfile.TemporaryDirectory() as folder:
            for index, (before, text) in enumerate(blocks("ci.md", "yaml")):
                if ".pre-commit-config.yaml" in before:
                    continue
                schema = "vendor.gitlab-ci" if ".gitlab-ci.yml" in before else "vendor.github-workflows"
                file = pathlib.Path(folder) / f"{index}.yml"
                file.write_text(text, encoding="utf-8")
                self.assertEqual(self.refused(schema, file), "", before)
                kinds[schema] += 1
        self.assertTrue(all(kinds.values()), kinds)

    def test_a_new_site_has_the_workflow_of_the_guide(self):
        new = (ROOT / "src/author/starter/workflow.yml").read_text(encoding="utf-8")
        self.assertEqual(re.sub("^(#.*\n)+", "", new), blocks("ci.md", "yaml")[0][1])

    def test_the_check_can_fail(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write("name: x\non: push\njobs: {a: {steps: 3}}\n")
            file.flush()
            self.assertNotEqual(self.refused("vendor.github-workflows", file.name), "")
            file.seek(0)
            file.write((ROOT / "examples/github/site.yml").read_text(encoding="utf-8").replace("matrix.shard", "matrix.part"))
            file.flush()
            self.assertIn('"part" is not defined', self.linted(file.name))


class Action(unittest.TestCase):
    """The steps of the action, each run as a runner runs it, with a program that says what it was asked."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        program = self.folder / "runpress/runpress"
        program.parent.mkdir()
        program.write_text('#!/bin/sh\necho "$*"\n', encoding="utf-8")
        program.chmod(0o755)
        action = YAML(typ="safe").load((ROOT / "action.yml").read_text(encoding="utf-8"))
        self.steps = {step["name"]: step for step in action["runs"]["steps"]}
        self.names = list(self.steps)

    def run_step(self, name, status=0, **variables):
        output = self.folder / "output"
        output.write_text("", encoding="utf-8")
        settings = dict.fromkeys(self.steps[name].get("env", {}), "") | variables
        settings |= {
            "RUNNER_TEMP": str(self.folder), "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self.steps[name]["run"]],
            env=os.environ | settings, capture_output=True, text=True, timeout=60, check=False,
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, output.read_text(encoding="utf-8")

    def test_the_check_and_the_build_are_over_the_same_ledger_and_address(self):
        fetch = "Fetch the ledger of the published site"
        self.assertLess(self.names.index(fetch), self.names.index("Check"))
        site = self.folder / "site/feeds"
        site.mkdir(parents=True)
        (site / "changes.json").write_text('{"schemaVersion": 1}', encoding="utf-8")
        server = Server(self.folder / "site")
        self.addCleanup(server.close)
        _, output = self.run_step(fetch, BASE_URL=server.address)
        self.assertEqual(output, f"folder={self.folder}/previous\n")
        for name in ["Check", "Build"]:
            self.assertEqual(self.steps[name]["env"]["PREVIOUS"], "${{ steps.ledger.outputs.folder }}")
            asked, _ = self.run_step(name, ROOT=".", OUT="public", BASE_URL=server.address, PREVIOUS=f"{self.folder}/previous")
            self.assertIn(f" --base-url {server.address} --previous {self.folder}/previous", asked)
        # A second use in the same job, for a site that is not there yet.
        (site / "changes.json").unlink()
        _, output = self.run_step(fetch, BASE_URL=server.address)
        self.assertEqual(output, "")

    def test_a_pull_request_is_checked_over_the_ledger_too(self):
        self.assertEqual(self.steps["Fetch the ledger of the published site"]["if"], "inputs.base-url != ''")
        workflow = YAML(typ="safe").load((ROOT / "src/author/starter/workflow.yml").read_text(encoding="utf-8"))
        [address] = [step for step in workflow["jobs"]["site"]["steps"] if step.get("id") == "pages"]
        self.assertNotIn("if", address)

    def test_a_shard_and_a_merge_are_not_checked_before(self):
        self.assertEqual(self.steps["Check"]["if"], "inputs.shard == '' && inputs.merge != 'true'")
        asked, output = self.run_step("Build", ROOT=".", OUT="public", SHARD="2/4", KEEP_GOING="true")
        self.assertEqual(asked, "--root . build --shard 2/4 --out public --keep-going\n")
        self.assertEqual(output, "site=public\npart=2-of-4\n")
        for part in ["2-of-4", "1-of-4"]:
            (self.folder / "parts" / f"runpress-part-{part}").mkdir(parents=True)
        asked, _ = self.run_step("Build", ROOT=".", OUT="public", MERGE="true")
        parts = " ".join(f"{self.folder}/parts/runpress-part-{part}" for part in ["1-of-4", "2-of-4"])
        reports = f"--report github --report sarif={self.folder}/runpress-merge.sarif --report markdown={self.folder}/summary.md"
        self.assertEqual(asked, f"--root . merge {parts} {reports} --out public\n")

    def test_a_shard_with_errors_is_left_to_the_merge_and_a_merge_with_errors_fails(self):
        program = self.folder / "runpress/runpress"
        for status, shard, merge, expected in [(1, "1/4", "", 0), (2, "1/4", "", 2), (1, "", "true", 1), (1, "", "", 1)]:
            program.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
            self.run_step("Build", status=expected, SHARD=shard, MERGE=merge)

    def test_code_scanning_gets_the_report_of_a_merge_also_when_runs_have_errors(self):
        report = self.folder / "runpress-merge.sarif"
        program = self.folder / "runpress/runpress"
        program.write_text(f'#!/bin/sh\n: > "{report}"\nexit 1\n', encoding="utf-8")
        _, output = self.run_step("Build", status=1, ROOT=".", OUT="public", MERGE="true")
        self.assertEqual(output, f"sarif={report}\n")
        # What an earlier use left is not taken for it.
        program.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
        _, output = self.run_step("Build", ROOT=".", OUT="public")
        self.assertEqual(output, "site=public\npart=\n")

    def test_code_scanning_gets_the_report_of_each_check_that_wrote_one(self):
        scan = self.steps["Upload problems to code scanning"]
        written = "steps.check.outputs.sarif || steps.build.outputs.sarif"
        self.assertEqual(scan["with"]["sarif_file"], f"${{{{ {written} }}}}")
        for step in ["Check", "Build"]:
            self.assertLess(self.names.index(step), self.names.index("Upload problems to code scanning"))
        self.assertIn("${{ inputs.root }}", scan["with"]["category"])
        self.assertIn(f"({written}) != ''", scan["if"])
        self.assertEqual(self.steps["Check"]["id"], "check")
        report = self.folder / "runpress.sarif"
        program = self.folder / "runpress/runpress"
        # Written by a check that finds errors.
        program.write_text(f'#!/bin/sh\n: > "{report}"\nexit 1\n', encoding="utf-8")
        _, output = self.run_step("Check", status=1, ROOT=".")
        self.assertEqual(output, f"sarif={report}\n")
        # Not written, and what an earlier use left is not taken for it.
        program.write_text("#!/bin/sh\nexit 2\n", encoding="utf-8")
        _, output = self.run_step("Check", status=2, ROOT=".")
        self.assertEqual(output, "")

    def test_an_input_of_several_lines_is_refused_and_never_another_output(self):
        guard = "Refuse inputs of several lines"
        self.assertEqual(self.names[0], guard)
        self.run_step(guard, ROOT=".", OUT="public", SHARD="1/4", VERSION="source")
        for name in self.steps[guard]["env"]:
            for value in ["x\nsite=elsewhere", "x\r\nsarif=y", "x\n"]:
                printed, output = self.run_step(guard, status=1, **{name: value})
                self.assertEqual(output, "")
                self.assertIn(f"::error::The input `{name.lower().replace('_', '-')}` has several lines.", printed)
                self.assertEqual(len(printed.splitlines()), 1)
        _, output = self.run_step("Build", ROOT=".", OUT="public\nsarif=x", SHARD="1/4\nsite=y")
        self.assertEqual([line.split("=")[0] for line in output.splitlines()], ["site", "part"])

    def test_what_an_earlier_use_left_is_not_read_without_an_address(self):
        (self.folder / "previous").mkdir()
        for name in ["Check", "Build"]:
            asked, _ = self.run_step(name, ROOT=".", OUT="public")
            self.assertNotIn("--previous", asked)
            self.assertNotIn("--base-url", asked)


class PreCommit(unittest.TestCase):
    """The hook in a repository of a new site."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.site, self.hooks = self.folder / "site", self.folder / "hooks"
        self.hooks.mkdir()
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", self.hooks)
        self.assertEqual(runpress("new", self.site).returncode, 0)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/runpress").symlink_to(PROGRAM)
        author = {f"GIT_{who}_{what}": "a@example.org" for who in ["AUTHOR", "COMMITTER"] for what in ["NAME", "EMAIL"]}
        self.variables = os.environ | author | {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "PRE_COMMIT_HOME": str(self.folder / "cache")
        }
        for folder in [self.site, self.hooks]:
            for command in ["init --quiet", "add --all", "commit --quiet --message Begin"]:
                self.assertEqual(self.run_command(folder, "git", *command.split()).returncode, 0)

    def run_command(self, folder, *command):
        return subprocess.run(command, cwd=folder, env=self.variables, capture_output=True, text=True, check=False)

    def pre_commit(self, *arguments):
        return self.run_command(self.site, sys.executable, "-m", "pre_commit", *arguments)

    def test_the_manifest_and_the_example_are_valid(self):
        [text] = [text for before, text in blocks("ci.md", "yaml") if ".pre-commit-config.yaml" in before]
        config = self.folder / ".pre-commit-config.yaml"
        config.write_text(text, encoding="utf-8")
        self.assertEqual(self.pre_commit("validate-config", config).returncode, 0)
        hooks = ROOT / ".pre-commit-hooks.yaml"
        self.assertEqual(self.pre_commit("validate-manifest", hooks).returncode, 0)
        yaml = YAML(typ="safe")
        asked = {hook["id"] for repository in yaml.load(text)["repos"] for hook in repository["hooks"]}
        self.assertLessEqual(asked, {hook["id"] for hook in yaml.load(hooks.read_text(encoding="utf-8"))})

    def test_a_commit_with_an_error_is_refused_with_its_place(self):
        command = ["try-repo", self.hooks, "runpress-check", "--all-files"]
        done = self.pre_commit(*command)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Passed", done.stdout)
        record = self.site / "content/runs/sample/run-record.json"
        record.write_text(record.read_text(encoding="utf-8") + "{", encoding="utf-8")
        done = self.pre_commit(*command)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("content/runs/sample/run-record.json", done.stdout)


class Install(unittest.TestCase):
    """A release in a folder, and the script that installs from it."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        machine = {"arm64": "aarch64"}.get(platform.machine(), platform.machine())
        self.archive = f"runpress-1.2.3-{machine}-unknown-linux-musl.tar.gz"
        self.release = self.folder / "releases/v1.2.3"
        self.release.mkdir(parents=True)
        program = self.folder / "runpress"
        program.write_text("#!/bin/sh\necho runpress 1.2.3\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        with tarfile.open(self.release / self.archive, "w:gz") as archive:
            archive.add(program, "runpress")
        self.sums(hashlib.sha256((self.release / self.archive).read_bytes()).hexdigest())

    def sums(self, digest):
        other = f"{'0' * 64}  runpress-1.2.3-other.tar.gz\n"
        (self.release / "SHA256SUMS").write_text(f"{other}{digest}  {self.archive}\n", encoding="utf-8")

    def install(self, version="1.2.3"):
        path = self.folder / "path"
        path.touch()
        variables = os.environ | {"RELEASES": (self.folder / "releases").as_uri(), "GITHUB_PATH": str(path)}
        done = subprocess.run(
            ["bash", INSTALL, version, self.folder / "bin"], env=variables, capture_output=True, text=True, check=False
        )
        return done, (self.folder / "bin/runpress").exists(), path.read_text(encoding="utf-8")

    def test_a_release_with_the_right_checksum_is_installed(self):
        for version in ["1.2.3", "v1.2.3"]:
            done, installed, path = self.install(version)
            self.assertEqual((done.returncode, done.stdout), (0, "runpress 1.2.3\n"), done.stderr)
            self.assertTrue(installed)
            self.assertIn(str(self.folder / "bin"), path)

    def test_another_checksum_installs_nothing(self):
        self.sums("0" * 64)
        done, installed, path = self.install()
        self.assertEqual((done.returncode, installed, path), (1, False, ""))
        self.assertIn("is not that of the release", done.stderr)

    def test_a_list_without_the_archive_installs_nothing(self):
        (self.release / "SHA256SUMS").write_text("", encoding="utf-8")
        done, installed, _ = self.install()
        self.assertEqual((done.returncode, installed), (1, False))
        self.assertIn("has no line for", done.stderr)

    def test_a_version_that_is_not_there_installs_nothing(self):
        done, installed, _ = self.install("9.9.9")
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(installed)

    def test_the_archive_of_a_release_is_installed_and_found_by_binstall(self):
        jobs = YAML(typ="safe").load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"]
        [pack] = [step["run"] for step in jobs["archives"]["steps"] if step.get("name") == "Pack"]
        target = self.archive.removeprefix("runpress-1.2.3-").removesuffix(".tar.gz")
        self.assertIn(target, [each["target"] for each in jobs["archives"]["strategy"]["matrix"]["include"]])
        # A checkout with the program where the step before has compiled it.
        checkout = self.folder / "checkout"
        program = checkout / "target" / target / "dist/runpress"
        program.parent.mkdir(parents=True)
        program.symlink_to(PROGRAM)
        for name in [".github/pack.sh", "README.md", "LICENSE-MIT", "LICENSE-APACHE"]:
            (checkout / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, checkout / name)
        variables = os.environ | {"GITHUB_REF_NAME": "v1.2.3", "TARGET": target, "RUNNER_OS": "Linux"}
        done = subprocess.run(["bash", "-euc", pack], cwd=checkout, env=variables, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.move(checkout / self.archive, self.release / self.archive)
        self.sums(hashlib.sha256((self.release / self.archive).read_bytes()).hexdigest())
        done, installed, _ = self.install()
        self.assertEqual((done.returncode, installed, done.stdout), (0, True, runpress("--version").stdout), done.stderr)
        with tarfile.open(self.release / self.archive) as archive:
            names = set(archive.getnames())
        self.assertLessEqual({"runpress", "README.md", "LICENSE-MIT", "man/runpress-build.1", "completions/runpress.zsh"}, names)
        binstall = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["package"]["metadata"]["binstall"]
        for key, value in {"name": "runpress", "version": "1.2.3", "target": target, "bin": "runpress", "binary-ext": ""}.items():
            binstall = {name: text.replace(f"{{ {key} }}", value) for name, text in binstall.items()}
        self.assertEqual(binstall["pkg-url"], f"{{ repo }}/releases/download/v1.2.3/{self.archive}")
        self.assertIn(binstall["bin-dir"], names)

    def test_sources_are_compiled_where_they_stand_and_not_in_the_folder_of_the_caller(self):
        tools = self.folder / "tools"
        tools.mkdir()
        cargo = tools / "cargo"
        cargo.write_text(
            '#!/bin/sh\npwd >&2\necho "$*" >&2\nfor last; do :; done\nmkdir "$last/bin"\n'
            'printf "#!/bin/sh\\necho runpress\\n" > "$last/bin/runpress"\nchmod +x "$last/bin/runpress"\n',
            encoding="utf-8",
        )
        cargo.chmod(0o755)
        variables = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "GITHUB_PATH": ""}
        done = subprocess.run(
            ["bash", INSTALL, "source", "bin"], cwd=self.folder, env=variables, capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        place, asked = done.stderr.splitlines()
        self.assertEqual(pathlib.Path(place), ROOT)
        self.assertEqual(asked, f"install --locked --quiet --path . --no-default-features --features minify --root {self.folder.resolve()}/bin")
        self.assertTrue((self.folder / "bin/runpress").is_file())


class Version(unittest.TestCase):
    def test_an_image_knows_its_commit(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        rustc = ["rustc", "--edition", "2024", "-o", folder / "build", ROOT / "build.rs"]
        version = {"CARGO_PKG_VERSION": "1.2.3"}
        subprocess.run(rustc, env=os.environ | version, cwd=folder, check=True)
        for given, shown in [("4F1c2d3e8a60", "1.2.3 (4F1c2d3)"), ("", "1.2.3"), ("a word\ncargo:x=y", "1.2.3")]:
            done = subprocess.run(
                [folder / "build"], env=os.environ | {"RUNPRESS_COMMIT": given}, cwd=folder, capture_output=True,
                text=True, check=True,
            )
            self.assertIn(f"cargo:rustc-env=RUNPRESS_VERSION={shown}", done.stdout.splitlines())
            self.assertNotIn("cargo:x", done.stdout)


class ReleaseHandler(http.server.BaseHTTPRequestHandler):
    """Answers with what the test sets, and remembers what was asked."""

    def do_GET(self):
        self.server.asked.append(self.path)
        if self.server.status in (301, 302):
            self.server.status, location = 200, "/login"
            self.send_response(302)
            self.send_header("Location", location)
        else:
            self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_):
        pass


LOGIN = b"<!doctype html><title>Log in</title>"
A_LEDGER = b'{"schemaVersion": 1}'


class FetchTests:
    """What holds for everything that fetches a ledger; `fetch` gives what was done, and the ledger that was found."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def served(self, status, body=A_LEDGER):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ReleaseHandler)
        server.status, server.body, server.asked = status, body, []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server, f"http://127.0.0.1:{server.server_port}/"

    def test_the_ledger_of_a_site_that_is_there_is_fetched_past_any_cache(self):
        server, address = self.served(200)
        for base in [address, address.rstrip("/")]:
            done, ledger = self.fetch(base)
            self.assertEqual((done.returncode, ledger), (0, A_LEDGER), done.stderr)
        for path in server.asked:
            self.assertRegex(path, r"^/feeds/changes\.json\?\w+=.*\d{9,}$")

    def test_a_site_that_is_not_there_yet_has_none_and_what_was_fetched_before_is_gone(self):
        for site in ["", "old"]:
            if site:
                self.assertEqual(self.fetch(self.served(200)[1])[1], A_LEDGER)
            done, ledger = self.fetch(self.served(404)[1])
            self.assertEqual((done.returncode, ledger), (0, None), done.stderr)

    def test_every_other_failure_ends_the_job(self):
        for status in [403, 410, 418, 500]:
            # curl tries some of these again, with pauses.
            done, _ = self.fetch(self.served(status)[1])
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertIn("Could not fetch", done.stderr)
        done, _ = self.fetch("http://127.0.0.1:1/")
        self.assertNotEqual(done.returncode, 0, done.stdout)

    def test_the_parts_of_a_large_ledger_are_fetched_with_it_and_one_that_is_missing_ends_the_job(self):
        site = self.folder / "site"
        (site / "feeds/changes").mkdir(parents=True)
        paths = [f"feeds/changes/{name}-{at:016x}.json" for name in ["builds", "runs"] for at in range(3)]
        parts = ",".join(f'{{"path":"{path}","bytes":9,"blake3":"00","builds":0,"runs":0}}' for path in paths)
        ledger = f'{{"schemaVersion":1,"builds":[],"parts":[{parts}]}}\n'.encode()
        (site / "feeds/changes.json").write_bytes(ledger)
        for path in paths:
            (site / path).write_text(path, encoding="utf-8")
        server = Server(site)
        self.addCleanup(server.close)
        done, found = self.fetch(server.address)
        self.assertEqual((done.returncode, found), (0, ledger), done.stderr)
        for path in paths:
            self.assertEqual((self.folder / "previous" / path).read_text(encoding="utf-8"), path)
        (site / paths[4]).unlink()
        done, _ = self.fetch(server.address)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("404", done.stderr)

    def test_a_page_to_log_in_is_no_ledger(self):
        for status in [200, 302]:
            done, _ = self.fetch(self.served(status, LOGIN)[1])
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("is not a ledger", done.stderr)
            self.assertIn("Private", done.stderr)


class ActionFetch(FetchTests, unittest.TestCase):
    def fetch(self, base):
        previous = self.folder / "previous"
        done = subprocess.run(
            ["bash", LEDGER, base, previous], capture_output=True, text=True, timeout=60, check=False
        )
        file = previous / "feeds/changes.json"
        return done, file.read_bytes() if file.exists() else None


class GuideFetch(FetchTests, unittest.TestCase):
    """`publish.sh` on the page about CI, with a program that says what it was asked."""

    def publish(self, base, *command):
        [(before, text)] = blocks("ci.md", "bash")
        self.assertIn("`publish.sh`", before)
        (self.folder / "publish.sh").write_text(text, encoding="utf-8")
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        (tools / "runpress").write_text('#!/bin/sh\necho "$*"\n', encoding="utf-8")
        (tools / "runpress").chmod(0o755)
        return subprocess.run(
            ["sh", "publish.sh", base, *command], cwd=self.folder, env=os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"},
            capture_output=True, text=True, timeout=60, check=False,
        )

    def fetch(self, base):
        done = self.publish(base)
        if done.returncode != 0:
            self.assertEqual(done.stdout, "", "nothing is built")
            return done, None
        if "--previous" not in done.stdout:
            self.assertEqual(done.stdout, f"build --base-url {base}\n")
            return done, None
        self.assertEqual(done.stdout, f"build --base-url {base} --previous previous\n")
        return done, (self.folder / "previous/feeds/changes.json").read_bytes()

    def test_another_command_is_run_over_the_ledger_too(self):
        command = ["merge", "parts/1", "parts/2", "--out", "public"]
        for status, previous in [(404, ""), (200, " --previous previous")]:
            base = self.served(status)[1]
            done = self.publish(base, *command)
            self.assertEqual(done.stdout, f"{' '.join(command)} --base-url {base}{previous}\n", done.stderr)

    def test_every_service_uses_it_with_an_address_that_stays(self):
        page = (ROOT / "content/pages/ci.md").read_text(encoding="utf-8")
        [gitlab] = [text for before, text in blocks("ci.md", "yaml") if ".gitlab-ci.yml" in before and "publish.sh" in text]
        self.assertIn('sh publish.sh "$CI_PAGES_URL"', gitlab)
        [(_, netlify)] = [found for found in blocks("ci.md", "toml") if "netlify.toml" in found[0]]
        self.assertIn('sh publish.sh \\"$URL\\"', netlify)
        self.assertNotRegex(page, r'"\$CF_PAGES_URL"')


if __name__ == "__main__":
    unittest.main()
