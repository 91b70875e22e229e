"""The examples of a site on several machines. Engines that run here run them; of the others, schemas are checked and commands are run.

Each site is compared with that of one build, byte for byte.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import kubernetes_validate
from ruamel.yaml import YAML

from support import PROGRAM, ROOT, Server, blocks, runpress

EXAMPLES = ROOT / "examples"
SLURM = ["slurmctld", "slurmd", "sbatch"]
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


class Dask(Engine):
    runs, events = 2_000, 20

    def test_a_shard_whose_worker_was_killed_is_built_again(self):
        log, lost = self.folder / "log", self.folder / "lost"
        program = self.tools / "runpress"
        program.unlink()
        # The first try of a shard is cut off while it writes its part, and the worker that started it is killed.
        program.write_text(
            f"""#!/bin/sh
echo "$PPID $*" >> "{log}"
case "$*" in *"--shard 2/8 "*)
  if ! test -e "{lost}"; then
    echo $$ > "{lost}"
    "{PROGRAM}" "$@" &
    until ls -d .parts/.2-of-8.runpress* || ! kill -0 $!; do :; done
    kill -KILL $!
    kill -KILL $PPID
    exec sleep 600
  fi ;;
esac
exec "{PROGRAM}" "$@"
""",
            encoding="utf-8",
        )
        program.chmod(0o755)
        self.run_command([sys.executable, EXAMPLES / "dask/build.py", "--shards", "8"])
        self.assert_same_site()
        lines = log.read_text(encoding="utf-8").splitlines()
        workers = [line.split()[0] for line in lines if "--shard 2/8 " in line]
        self.assertEqual(len(set(workers)), 2, "the shard was built by a second worker")
        self.assertEqual(len([line for line in lines if " merge " in line]), 1)
        with self.assertRaises(ProcessLookupError, msg="the program has ended with its worker"):
            os.kill(int(lost.read_text(encoding="utf-8")), 0)


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
        told = self.make(status=2)
        self.assertRegex(told, r"shard-\d\] Error")
        self.assertNotIn("site] Error", told)
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


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


# tests/run installs Slurm, and so must a machine of CI: there, its absence is a failure.
MISSING = [name for name in SLURM if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")]


@unittest.skipIf(MISSING and "CI" not in os.environ, f"not installed: {', '.join(MISSING)} (apt-get install slurmctld slurmd slurm-client)")
class Slurm(Engine):
    """A cluster of one node in a folder, for the user who runs the tests."""

    def setUp(self):
        super().setUp()
        self.cluster = self.folder / "cluster"
        for name in ["state", "spool"]:
            (self.cluster / name).mkdir(parents=True)
        host = socket.gethostname().split(".")[0]
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        self.configuration = self.cluster / "slurm.conf"
        self.configuration.write_text(
            f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={self.cluster}/state
SlurmdSpoolDir={self.cluster}/spool
SlurmctldPidFile={self.cluster}/slurmctld.pid
SlurmdPidFile={self.cluster}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
""",
            encoding="utf-8",
        )
        for name in ["slurmctld", "slurmd"]:
            self.start(name)

    def start(self, name):
        program = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
        log = (self.cluster / f"{name}.log").open("w")
        self.addCleanup(log.close)
        daemon = subprocess.Popen([program, "-D", "-f", self.configuration], stdout=log, stderr=log)
        self.addCleanup(daemon.wait, 60)
        self.addCleanup(daemon.terminate)

    def logs(self):
        return "".join(path.read_text(encoding="utf-8", errors="replace")[-3000:] for path in self.cluster.glob("*.log"))

    def slurm(self, *command, **options):
        return self.run_command(command, SLURM_CONF=str(self.configuration), **options)

    def finished(self, job):
        """The state of a job when it has ended."""
        for _ in range(240):
            time.sleep(0.25)
            shown = self.slurm("scontrol", "--oneliner", "show", "job", job)
            state = re.search(r"JobState=(\w+)", shown).group(1)
            if state not in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING"):
                return state
        self.fail(f"job {job} did not end: {shown}\n{self.logs()}")

    def submit(self):
        for _ in range(40):
            if "idle" in self.slurm("sinfo", "--noheader"):
                return self.slurm("sh", str(EXAMPLES / "slurm/submit.sh"), "3").strip()
            time.sleep(0.25)
        self.fail(f"the node did not come up\n{self.logs()}")

    def test_a_job_array_builds_the_shards_and_a_second_job_merges_them(self):
        self.assertEqual(self.finished(self.submit()), "COMPLETED", self.logs())
        self.assert_same_site()

    def test_one_shard_is_built_again(self):
        self.assertEqual(self.finished(self.submit()), "COMPLETED", self.logs())
        shutil.rmtree(self.site / ".parts/3-of-3")
        shutil.rmtree(self.site / "public")
        job = self.slurm("sbatch", "--parsable", "--array=3", EXAMPLES / "slurm/shards.sh", SHARDS="3").strip()
        self.assertEqual(self.finished(job), "COMPLETED", self.logs())
        self.assertEqual(self.finished(self.slurm("sbatch", "--parsable", EXAMPLES / "slurm/merge.sh", SHARDS="3").strip()), "COMPLETED")
        self.assert_same_site()

    def test_the_merge_reports_a_run_with_errors(self):
        run = self.break_a_run()
        self.assertEqual(self.finished(self.submit()), "FAILED")
        self.assertIn(run, (self.site / ".parts/merge.log").read_text(encoding="utf-8"))

    def test_the_merge_is_canceled_if_a_shard_could_not_run(self):
        (self.site / "site.toml").write_text("[site\n", encoding="utf-8")
        self.assertEqual(self.finished(self.submit()), "CANCELLED")
        self.assertFalse((self.site / "public").exists())


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
        told = self.run_command(["sh", EXAMPLES / "slurm/shards.sh"], status=2, SHARDS="", **variables)
        self.assertIn("set it to the number of shards", told)
        told = self.run_command(["runpress", "build", "--shard", "auto", "--out", "part"], status=2, **variables)
        self.assertIn("`SLURM_ARRAY_TASK_MIN` is 3", told)
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
