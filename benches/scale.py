#!/usr/bin/env python3
"""Measures how builds grow with an archive: one build, again, four shards and their merge, and a run added (stdlib only, Linux and
macOS).

    cargo build --release --features parquet
    benches/scale.py                               1,000 runs of 200 events; 1,000, 10,000 and 100,000 of 20; needs 20 GB of disk
    benches/scale.py --quick                       100 runs of 20: whether it works
    benches/scale.py --sizes 1000x200 10000x20 --shards 8 --folder /path/for/inputs

Each row is measured once. Bytes and files are those that a command wrote anew; what a merge moves from the parts does not count.
The merged site is compared with that of one build.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASE = HERE.parent / "target/release"
COLUMNS = ["Wall, s", "User CPU, s", "Peak memory, MB", "MB written", "Files"]


class Archive:
    """The runs of a size, and a site of them."""

    def __init__(self, folder, runs, events, program):
        self.folder, self.program, self.events = folder, program, events
        self.site, self.out = folder / "site", folder / "site/public"
        self.site.mkdir()
        (self.site / "site.toml").write_text('[site]\ntitle = "Runs"\n[build]\ncontent = ["../runs"]\n')
        self.generate(0, runs)
        self.next = runs

    def generate(self, first, number):
        command = [sys.executable, HERE / "runs.py", "--runs", str(number), "--from", str(first), "--events", str(self.events)]
        subprocess.run([*command, "--out", self.folder / "runs"], check=True, stdout=subprocess.DEVNULL)

    def add(self):
        self.generate(self.next, 1)
        self.next += 1

    def clear(self):
        """Removes all that builds left."""
        for old in (self.out, self.site / ".runpress", self.site / "parts"):
            shutil.rmtree(old, ignore_errors=True)

    def measure(self, *arguments):
        """One value for each column."""
        # A file that was just written may look like one that changes.
        time.sleep(0.1)
        # The times of files are up to a hundredth of a second late.
        began, start = time.time_ns() - 20_000_000, time.monotonic()
        command = [str(word) for word in (self.program, "--root", self.site, *arguments)]
        child = os.posix_spawn(command[0], command, os.environ)
        _, status, usage = os.wait4(child, 0)
        wall = time.monotonic() - start
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"failed: {' '.join(command)}")
        new = [stat.st_size for _, stat in files(arguments[arguments.index("--out") + 1]) if stat.st_mtime_ns >= began]
        memory = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)
        return [wall, usage.ru_utime, memory, sum(new) / 1e6, len(new)]

    def digest(self):
        """A digest of every file of the site."""
        digests = {}
        for path, _ in files(self.out):
            with open(path, "rb") as file:
                digests[str(Path(path).relative_to(self.out))] = hashlib.file_digest(file, "blake2b").digest()
        return hashlib.blake2b(repr(sorted(digests.items())).encode()).hexdigest()


def files(folder):
    """The files below a folder, without the marker that runpress leaves in it."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from files(entry.path)
        elif entry.name != ".runpress":
            yield entry.path, entry.stat(follow_symlinks=False)


def row(name, values):
    cells = [f"{value:,.{digits}f}" for value, digits in zip(values, [2, 2, 0, 1, 0])]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def measured(archive, shards):
    """Prints the table of an archive."""
    print(f"| | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}")
    build = ["build", "--quiet", "--out", archive.out]
    row("First build", archive.measure(*build))
    row("Nothing changed", archive.measure(*build))
    whole = archive.digest()
    archive.clear()
    parts = [archive.site / f"parts/{shard}" for shard in range(1, shards + 1)]
    rows = [archive.measure("build", "--quiet", "--shard", f"{index}/{shards}", "--out", part) for index, part in enumerate(parts, 1)]
    row(f"Largest of {shards} shards", [max(column) for column in zip(*rows)])
    row(f"All {shards} shards, one after another", [(max if index == 2 else sum)(column) for index, column in enumerate(zip(*rows))])
    row("Merge", archive.measure("merge", *parts, "--quiet", "--out", archive.out))
    same = archive.digest() == whole
    archive.add()
    row("One run added, after the merge", archive.measure(*build))
    print(f"\nThe merged site is {'the same' if same else 'DIFFERENT'}.", flush=True)


def size(text):
    runs, _, events = text.partition("x")
    return int(runs), int(events or 20)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=size, nargs="+", metavar="RUNSxEVENTS",
                        default=[(1_000, 200), (1_000, 20), (10_000, 20), (100_000, 20)])
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--quick", action="store_true", help="100 runs of 20 events")
    parser.add_argument("--bin", type=Path, default=RELEASE / "runpress")
    parser.add_argument("--folder", type=Path, help="where inputs and sites go; default: a temporary folder")
    given = parser.parse_args()
    if not given.bin.is_file():
        parser.error(f"no such program: {given.bin}; see --help")
    for runs, events in [(100, 20)] if given.quick else given.sizes:
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            archive = Archive(Path(folder), runs, events, given.bin.resolve())
            read = sum(stat.st_size for _, stat in files(Path(folder) / "runs"))
            print(f"\n{runs:,} runs of {events} events, {read / 1e6:,.1f} MB\n")
            measured(archive, given.shards)


if __name__ == "__main__":
    main()
