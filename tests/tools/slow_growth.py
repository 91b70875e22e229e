"""What a check and a build compute grows with the input, not with its square. Instructions are counted, so neither the machine nor
its load matters. `benches/time.py` has more cases, and measures seconds. And how the memory of a merge grows.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

from support import PROGRAM, ROOT

# The module has the name of one of Python's own.
SPEC = importlib.util.spec_from_file_location("growing", ROOT / "benches/time.py")
growing = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(growing)

# Twice the input may take this many times the instructions.
STEEPEST = 2.3
CASES = {
    "pages-of-failures": 3_000,
    "pages-of-annotations": 3_000,
    "timed-usage": 4_000,
    "redactions-of-events": 250,
    "redactions-of-a-string": 250,
    "redactions-of-a-list": 250,
}

# Peak memory of a merge, in MB. A program of its own, since the peak of a process includes that of the process that started it.
MERGE = """
import pathlib, sys, types, scale
folder, program, runs = sys.argv[1:]
archive = scale.Archive(pathlib.Path(folder), int(runs), 2, types.SimpleNamespace(bin=pathlib.Path(program), shards=2))
archive.shards()
print(dict(zip(scale.COLUMNS, archive.merge()))["Peak memory, MB"])
"""


class Growth(unittest.TestCase):
    def test_instructions_grow_with_the_input(self):
        floors = {command: growing.instructions(PROGRAM, name, 0) for command, name in [("build", "nothing"), ("check", "nothing-checked")]}
        for name, n in CASES.items():
            with self.subTest(name):
                floor = floors[growing.CASES[name][1]]
                once, twice = (growing.instructions(PROGRAM, name, count) - floor for count in (n, 2 * n))
                self.assertGreater(once, floor / 50, "too small an input says nothing")
                self.assertLessEqual(twice / once, STEEPEST, f"{once} instructions, then {twice}")


class Memory(unittest.TestCase):
    def test_the_memory_of_a_merge_grows_by_at_most_20_kb_for_each_run(self):
        memory = {}
        for runs in [2_000, 8_000]:
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, "-B", "-c", MERGE, folder, PROGRAM, str(runs)]
                environment = os.environ | {"PYTHONPATH": str(ROOT / "benches")}
                done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
                memory[runs] = float(done.stdout)
        grown = (memory[8_000] - memory[2_000]) * 1e6 / 6_000
        # More than nothing, so that this measures the runs.
        self.assertTrue(1_000 < grown <= 20_000, memory)


if __name__ == "__main__":
    unittest.main()
