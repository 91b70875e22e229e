"""The examples of a site on several machines, with GNU make and xargs; of the others, schemas are checked and commands are run.
`slow_engines.py` runs those for Dask and Slurm.

Each site is compared with that of one build, byte for byte.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import kubernetes_validate
from ruamel.yaml import YAML

from support import PROGRAM, ROOT, Server, blocks, runpress

EXAMPLES = ROOT / "examples"
BASE = "https://runs.example.org/"


def tree(folder):
    """The digests of all files of a site but the marker of its folder."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".runpress")
    return {str(path.relative_to(folder)): hashlib.blake2b(path.read_bytes()).hexdigest() for path in files}


def new_site(folder, runs, events):
    """A site of the generator's runs."""
    folder.mkdir()
    (folder / "site.toml").write_text('[site]\ntitle = "Runs"\n', encoding="utf-8")
    generator = [sys.executable, ROOT / "benches/runs.py", "--runs", str(runs), "--events", str(events), "--out", folder / "content/runs"]
    subprocess.run(generator, check=True, stdout=subprocess.DEVNULL)


def example(name):
    return YAML(typ="safe").load((EXAMPLES / name).read_text(encoding="utf-8"))


class Engine(unittest.TestCase):
    """A site in a folder, what one build makes of it, and the program on the path of every command."""

    runs, events, base = 60, 10, None

    @classmethod
    def setUpClass(cls):
        shared = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.original, cls.whole = shared / "site", shared / "whole"
        new_site(cls.original, cls.runs, cls.events)
        address = ["--base-url", cls.base] if cls.base else []
        done = runpress("--root", cls.original, "build", "--quiet", "--out", cls.whole, *address)
        assert done.returncode == 0, done.stderr
        # The engine starts as on a machine that has never built the site.
        shutil.rmtree(cls.original / ".runpress", ignore_errors=True)

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.site, self.tools = self.folder / "site", self.folder / "tools"
        shutil.copytree(self.original, self.site)
        self.tools.mkdir()
        (self.tools / "runpress").symlink_to(PROGRAM)

    def run_command(self, command, status=0, timeout=300, **variables):
        path = os.pathsep.join([str(self.tools), str(pathlib.Path(sys.executable).parent), os.environ["PATH"], "/usr/sbin"])
        done = subprocess.run(
            command, cwd=self.site, env=os.environ | {"PATH": path} | variables,
            capture_output=True, text=True, timeout=timeout, check=False,
        )
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def break_a_run(self):
        """Damages the record of a run, and returns the name of its folder."""
        run = min((self.site / "content/runs").iterdir())
        record = run / "run-record.json"
        record.write_text(record.read_text(encoding="utf-8").replace('"startedAt": "2026', '"startedAt": "last year, 2026'), encoding="utf-8")
        return run.name

    def assert_same_site(self, name="public"):
        expected, merged = tree(self.whole), tree(self.site / name)
        self.assertEqual(merged.keys() ^ expected.keys(), set())
        self.assertEqual([path for path in expected if merged[path] != expected[path]], [])
        self.assertGreater(len(expected), self.runs)


class Make(Engine):
    def make(self, **options):
        return self.run_command(["make", "--silent", "-f", EXAMPLES / "make/Makefile", "-j", "2", "SHARDS=5"], **options)

    def test_shards_of_one_machine_are_merged(self):
        self.make()
        self.assert_same_site()
        # Again, over the finished shards.
        self.make()
        self.assert_same_site()

    def test_the_merge_reports_a_run_with_errors_and_keeps_the_site(self):
        self.make()
        run = self.break_a_run()
        self.assertIn(run, self.make(status=2))
        self.assert_same_site()

    def test_a_shard_that_could_not_run_stops_the_merge(self):
        (self.site / "site.toml").write_text("[site\n", encoding="utf-8")
        output = self.make(status=2)
        self.assertRegex(output, r"shard-\d\] Error")
        self.assertNotIn("site] Error", output)
        self.assertFalse((self.site / "public").exists())


    def test_xargs_builds_and_merges_the_same_shards(self):
        text = (EXAMPLES / "make/Makefile").read_text(encoding="utf-8")
        [command] = re.findall(r"(seq 8 .*\n.*--out public)\n", text)
        command = command.replace("\n# ", "\n")
        self.run_command(["sh", "-c", command])
        self.assert_same_site()
        run = self.break_a_run()
        self.assertIn(run, self.run_command(["sh", "-c", command], status=1))
        self.assert_same_site()


class SlurmScripts(Engine):
    """The scripts without a cluster, with the variables that Slurm sets."""

    def test_one_task_of_the_array_builds_its_shard_again(self):
        (self.site / ".parts").mkdir()
        for task in ["1", "2", "3"]:
            self.shard(task, "1", "3", "3")
        parts = self.site / ".parts"
        whole = {part.name: tree(part) for part in parts.iterdir() if part.is_dir()}
        self.assertEqual(whole.keys(), {"1-of-3", "2-of-3", "3-of-3"})
        shutil.rmtree(parts / "3-of-3")
        # sbatch --array=3
        self.shard("3", "3", "3", "1")
        self.assertEqual(tree(parts / "3-of-3").keys(), whole["3-of-3"].keys())
        # sbatch --array=1,3
        for task in ["1", "3"]:
            self.shard(task, "1", "3", "2")
        self.run_command(["sh", EXAMPLES / "slurm/merge.sh"], SHARDS="3")
        self.assert_same_site()

    def test_without_the_number_of_shards_nothing_is_built(self):
        variables = {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_MAX": "3", "SLURM_ARRAY_TASK_COUNT": "1"}
        output = self.run_command(["sh", EXAMPLES / "slurm/shards.sh"], status=2, SHARDS="", **variables)
        self.assertIn("set it to the number of shards", output)
        output = self.run_command(["runpress", "build", "--shard", "auto", "--out", "part"], status=2, **variables)
        self.assertIn("`SLURM_ARRAY_TASK_MIN` is 3", output)
        self.assertFalse((self.site / "part").exists())

    def shard(self, task, first, last, count):
        self.run_command(
            ["sh", EXAMPLES / "slurm/shards.sh"], SHARDS="3", SLURM_ARRAY_TASK_ID=task,
            SLURM_ARRAY_TASK_MIN=first, SLURM_ARRAY_TASK_MAX=last, SLURM_ARRAY_TASK_COUNT=count,
        )


class GitLab(Engine):
    """The site is served at its address, as GitLab Pages does: the last job fetches the ledger from there."""

    @classmethod
    def setUpClass(cls):
        cls.pages = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "pages"
        cls.pages.mkdir()
        server = Server(cls.pages)
        cls.addClassCleanup(server.close)
        cls.base = server.address
        super().setUpClass()

    def setUp(self):
        super().setUp()
        [(_, script)] = blocks("ci.md", "bash")
        (self.site / "publish.sh").write_text(script, encoding="utf-8")

    def test_each_deployment_continues_the_ledger_of_the_published_site(self):
        self.deploy()
        self.assert_same_site()
        self.assertTrue((self.site / "runpress.xml").is_file())
        withdrawn = min((self.site / "content/runs").iterdir())
        shutil.rmtree(withdrawn)
        self.deploy()
        one = ["build", "--quiet", "--base-url", self.base, "--previous", self.whole, "--fresh", "--out", self.folder / "one"]
        done = runpress("--root", self.site, *one)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(tree(self.site / "public"), tree(self.folder / "one"))
        [latest, first] = json.loads((self.site / "public/feeds/changes.json").read_text(encoding="utf-8"))["builds"]
        self.assertEqual([latest["build"], first["build"]], [2, 1])

    def deploy(self):
        """Runs the jobs of a pipeline, each job as on a machine with nothing but the sources, and publishes the site."""
        jobs = example("gitlab/.gitlab-ci.yml")
        self.assertEqual(jobs["pages"]["needs"], ["shard"])
        for folder in ["public", "parts", "previous"]:
            shutil.rmtree(self.site / folder, ignore_errors=True)
        shards = jobs["shard"]["parallel"]
        for shard in range(1, shards + 1):
            self.script(jobs["shard"], CI_NODE_INDEX=str(shard), CI_NODE_TOTAL=str(shards))
        self.script(jobs["pages"])
        shutil.rmtree(self.pages)
        shutil.copytree(self.site / "public", self.pages)

    def script(self, job, **variables):
        shutil.rmtree(self.site / ".runpress", ignore_errors=True)
        for line in job["script"]:
            self.run_command(["bash", "-eo", "pipefail", "-c", line], CI_PAGES_URL=self.base, **variables)


class Kubernetes(Engine):
    def test_the_jobs_are_valid(self):
        for name in ["shards", "merge"]:
            job = example(f"kubernetes/{name}.yaml")
            kubernetes_validate.validate(job, kubernetes_validate.latest_version(), strict=True)
            job["spec"]["completion"] = 8
            with self.assertRaises(kubernetes_validate.ValidationError):
                kubernetes_validate.validate(job, kubernetes_validate.latest_version(), strict=True)

    def test_the_commands_of_the_pods(self):
        shards = example("kubernetes/shards.yaml")["spec"]["completions"]
        for index in range(shards):
            self.pod("shards", JOB_COMPLETION_INDEX=str(index))
        self.pod("merge")
        self.assert_same_site()

    def test_the_script_merges_after_the_shards_have_ended_and_reports_the_merge(self):
        log, asked = self.folder / "log", self.folder / "asked"
        for outcome, status in [("Complete", 0), ("Failed", 1)]:
            log.unlink(missing_ok=True)
            asked.unlink(missing_ok=True)
            # Each job runs when it is asked for the first time, and has ended at the second. A job fails first in part.
            kubectl = self.tools / "kubectl"
            kubectl.write_text(f"""#!/bin/sh
echo "$1 $2 $3" >> "{log}"
[ "$1" = get ] || exit 0
if grep -qx "$3" "{asked}"; then printf 'FailureTarget\n%s\n' {outcome}; else echo "$3" >> "{asked}"; fi
""", encoding="utf-8")
            kubectl.chmod(0o755)
            asked.touch()
            self.run_command(["sh", EXAMPLES / "kubernetes/submit.sh"], status=status, SECONDS_BETWEEN="0")
            shards, merge = (f"create --filename {EXAMPLES}/kubernetes/{name}.yaml" for name in ["shards", "merge"])
            self.assertEqual(log.read_text(encoding="utf-8").splitlines(), [
                "delete job runpress-shards", shards, *["get job runpress-shards"] * 2,
                merge, *["get job runpress-merge"] * 2, "logs job/runpress-merge ",
            ])

    def pod(self, name, **variables):
        [container] = example(f"kubernetes/{name}.yaml")["spec"]["template"]["spec"]["containers"]
        # As the kubelet replaces variables.
        arguments = [re.sub(r"\$\((\w+)\)", lambda found: variables[found.group(1)], argument) for argument in container["args"]]
        self.run_command([PROGRAM, *arguments], **variables)


class GitHub(Engine):
    base = BASE

    def test_the_workflow_uses_inputs_that_the_action_has(self):
        inputs = example("../action.yml")["inputs"]
        for job in example("github/site.yml")["jobs"].values():
            for step in job["steps"]:
                if "runpress@" in step["uses"]:
                    self.assertLessEqual(step["with"].keys(), inputs.keys())

    def test_the_steps_of_the_action_build_shards_and_merge_them(self):
        [build] = [step for step in example("../action.yml")["runs"]["steps"] if step["name"] == "Build"]
        [upload] = [step for step in example("../action.yml")["runs"]["steps"] if "upload-artifact" in step.get("uses", "")]
        self.assertTrue(upload["with"]["include-hidden-files"])
        for shard in example("github/site.yml")["jobs"]["shard"]["strategy"]["matrix"]["shard"]:
            machine = self.folder / shard.replace("/", "-")
            part = re.search("part=(.*)", self.step(build, machine, SHARD=shard)).group(1)
            # An artifact keeps neither times nor permissions.
            shutil.copytree(self.site / "public", self.folder / "merge/parts" / f"runpress-part-{part}", copy_function=shutil.copyfile)
            shutil.rmtree(self.site / "public")
            shutil.rmtree(self.site / ".runpress", ignore_errors=True)
        self.step(build, self.folder / "merge", MERGE="true")
        self.assert_same_site()

    def step(self, step, machine, **variables):
        """Runs a step of the action as on a machine of its own, and returns its outputs."""
        machine.mkdir(exist_ok=True)
        (machine / "runpress").mkdir()
        (machine / "runpress/runpress").symlink_to(PROGRAM)
        output = machine / "output"
        settings = dict.fromkeys(step["env"], "") | {"ROOT": ".", "OUT": "public", "BASE_URL": BASE} | variables
        settings |= {"RUNNER_TEMP": str(machine), "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(machine / "summary.md")}
        self.run_command(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], **settings)
        return output.read_text(encoding="utf-8")


if __name__ == "__main__":
    unittest.main()
