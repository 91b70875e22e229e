#!/usr/bin/env python3
"""Measures how builds grow with an archive: one build, again, four shards and their merge, and a run added (stdlib only, Linux and
macOS).

    cargo build --release --features parquet
    benches/scale.py                               1,000 runs of 200 events; 1,000, 10,000 and 100,000 of 20; needs 20 GB of disk
    benches/scale.py --quick                       100 runs of 20: whether it works
    benches/scale.py --sizes 1000x200 10000x20 --shards 8 --folder /path/for/inputs
    benches/scale.py --growth 10 --sizes 10000x20 user CPU of ten archives of 10,000 runs compared with one of 100,000

Each row is measured once. Bytes and files are those that a command wrote anew; what a merge moves from the parts does not count.
The merged site is compared with that of one build. With `--growth`, half of the small builds come before the large one and half
after it, since the speed of a machine changes within minutes.
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
BUILD = ["build", "--quiet"]
COLUMNS = ["Wall, s", "User CPU, s", "Peak memory, MB", "MB written", "Files"]


class Archive:
    """The runs of a size, and a site of them."""

    def __init__(self, folder, runs, events, given):
        self.folder, self.program, self.events = folder, given.bin.resolve(), events
        self.site, self.out = folder / "site", folder / "site/public"
        self.parts = [self.site / f"parts/{shard}" for shard in range(1, given.shards + 1)]
        self.site.mkdir(parents=True)
        (self.site / "site.toml").write_text('[site]\ntitle = "Runs"\n[build]\ncontent = ["../runs"]\n')
        self.generate(0, runs)
        self.next = runs

    def generate(self, first, number):
        command = [sys.executable, HERE / "runs.py", "--runs", str(number), "--from", str(first), "--events", str(self.events)]
        subprocess.run([*command, "--out", self.folder / "runs"], check=True, stdout=subprocess.DEVNULL)

    def clear(self):
        """Removes all that builds left."""
        for old in (self.out, self.site / ".runpress", self.site / "parts"):
            shutil.rmtree(old, ignore_errors=True)

    def build(self):
        return self.measure(*BUILD, "--out", self.out)

    def first_build(self):
        self.clear()
        return self.build()

    def shards(self):
        """Values for each shard."""
        self.clear()
        number = len(self.parts)
        return [self.measure(*BUILD, "--shard", f"{index}/{number}", "--out", part) for index, part in enumerate(self.parts, 1)]

    def merge(self):
        shutil.rmtree(self.out, ignore_errors=True)
        return self.measure("merge", *self.parts, "--quiet", "--out", self.out)

    def one_added(self):
        self.generate(self.next, 1)
        self.next += 1
        return self.build()

    def measure(self, *arguments):
        """One value for each column."""
        out = arguments[arguments.index("--out") + 1]
        return run([self.program, "--root", self.site, *arguments], out)

    def digest(self):
        """A digest of every file of the site."""
        digests = {}
        for path, _ in files(self.out):
            with open(path, "rb") as file:
                digests[str(Path(path).relative_to(self.out))] = hashlib.file_digest(file, "blake2b").digest()
        return hashlib.blake2b(repr(sorted(digests.items())).encode()).hexdigest()


def run(command, out):
    """Runs a program that writes into a folder: seconds, seconds of user CPU, peak memory in MB, MB written, files written."""
    # A file that was just written may look like one that changes.
    time.sleep(0.1)
    # The times of files are up to a hundredth of a second late.
    began, start = time.time_ns() - 20_000_000, time.monotonic()
    command = [str(word) for word in command]
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    wall = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"failed: {' '.join(command)}")
    new = [stat.st_size for _, stat in files(out) if stat.st_mtime_ns >= began]
    memory = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)
    return [wall, usage.ru_utime, memory, sum(new) / 1e6, len(new)]


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


def measured(archive):
    """Prints the table of an archive."""
    print(f"| | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}")
    row("First build", archive.first_build())
    row("Nothing changed", archive.build())
    whole = archive.digest()
    rows = archive.shards()
    row(f"Largest of {len(rows)} shards", [max(column) for column in zip(*rows)])
    row(f"All {len(rows)} shards, one after another", [(max if index == 2 else sum)(column) for index, column in enumerate(zip(*rows))])
    row("Merge", archive.merge())
    same = archive.digest() == whole
    row("One run added, after the merge", archive.one_added())
    print(f"\nThe merged site is {'the same' if same else 'DIFFERENT'}.", flush=True)


def compared(small, large, times):
    """Prints the user CPU of an archive and that of one that is so many times as large."""
    steps = {
        "First build": lambda archive: archive.first_build()[1],
        "All shards": lambda archive: sum(shard[1] for shard in archive.shards()),
        "Merge": lambda archive: archive.merge()[1],
        "One run added": lambda archive: archive.one_added()[1],
    }
    print("| | Small, s | Large, s | Large ÷ small |\n|---|--:|--:|--:|")
    for name, step in steps.items():
        before = sum(step(small) for _ in range(times // 2))
        whole = step(large)
        parts = before + sum(step(small) for _ in range(times - times // 2))
        print(f"| {name} | {parts:,.2f} | {whole:,.2f} | {whole / parts:.2f} |", flush=True)


def size(text):
    runs, _, events = text.partition("x")
    return int(runs), int(events or 20)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=size, nargs="+", metavar="RUNSxEVENTS",
                        default=[(1_000, 200), (1_000, 20), (10_000, 20), (100_000, 20)])
    parser.add_argument("--growth", type=int, metavar="TIMES", help="compare each size with one that is so many times as large")
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--quick", action="store_true", help="100 runs of 20 events")
    parser.add_argument("--bin", type=Path, default=RELEASE / "runpress")
    parser.add_argument("--folder", type=Path, help="where inputs and sites go; default: a temporary folder")
    given = parser.parse_args()
    if not given.bin.is_file():
        parser.error(f"no such program: {given.bin}; see --help")
    for runs, events in [(100, 20)] if given.quick else given.sizes:
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            folder = Path(folder)
            archive = Archive(folder / f"{runs}", runs, events, given)
            read = sum(stat.st_size for _, stat in files(folder / f"{runs}/runs"))
            print(f"\n{runs:,} runs of {events} events, {read / 1e6:,.1f} MB\n")
            if given.growth:
                compared(archive, Archive(folder / f"{runs * given.growth}", runs * given.growth, events, given), given.growth)
            else:
                measured(archive)


if __name__ == "__main__":
    main()
