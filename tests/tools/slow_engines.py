"""The examples of a site on Dask, with a worker that is killed, and on a Slurm cluster of one node."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import unittest

from support import PROGRAM
from test_engines import EXAMPLES, Engine

SLURM = ["slurmctld", "slurmd", "sbatch"]


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


if __name__ == "__main__":
    unittest.main()
