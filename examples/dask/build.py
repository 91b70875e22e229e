#!/usr/bin/env python3
"""Builds the site in the current folder as shards on Dask, and merges them.

    pip install "distributed==2026.8.0"
    python build.py --shards 16                                    four processes of this machine
    python build.py --shards 64 --scheduler tcp://10.0.0.1:8786    a cluster

All workers see the folder of the site at the same path, and `runpress` is on their PATH. If a worker is lost, Dask gives its shard to
another one. Three shards a worker keep all workers busy until the end. The parts stay in .parts/, and the next build makes only what
changed.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from distributed import Client, LocalCluster, as_completed

CONTENT_ERRORS = 1
# On Linux, runpress ends with its worker; otherwise it would keep the lock on a part that another worker builds.
TOGETHER = ["setpriv", "--pdeathsig", "KILL"] if sys.platform == "linux" else []


def build(site, shard, shards):
    """Builds a shard and returns the folder of its part."""
    part = f".parts/{shard}-of-{shards}"
    command = ["runpress", "build", "--quiet", "--shard", f"{shard}/{shards}", "--out", part]
    done = subprocess.run([*TOGETHER, *command], cwd=site, capture_output=True, text=True, check=False)
    # The merge reports the errors of runs. Any other status fails this attempt.
    if done.returncode not in (0, CONTENT_ERRORS):
        raise RuntimeError(f"shard {shard} of {shards}: exit status {done.returncode}\n{done.stderr}")
    return part


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, default=12)
    parser.add_argument("--out", default="public")
    parser.add_argument("--scheduler", help="address of a cluster, instead of four processes of this machine")
    given = parser.parse_args()
    site = str(Path.cwd())
    cluster = given.scheduler or LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None)
    try:
        with Client(cluster) as client:
            numbers = range(1, given.shards + 1)
            # pure=False: a build depends on files that Dask does not see, so results must not be reused.
            tasks = [client.submit(build, site, shard, given.shards, retries=2, pure=False) for shard in numbers]
            parts = [part for _, part in as_completed(tasks, with_results=True)]
        return subprocess.run(["runpress", "merge", *parts, "--out", given.out], check=False).returncode
    finally:
        if not given.scheduler:
            cluster.close()


if __name__ == "__main__":
    sys.exit(main())
