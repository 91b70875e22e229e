"""What a check and a build compute grows with the input, not with its square. Instructions are counted, so neither the machine nor
its load matters. `benches/time.py` has more cases, and measures seconds.
"""

import importlib.util
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


class Growth(unittest.TestCase):
    def test_instructions_grow_with_the_input(self):
        floors = {command: growing.instructions(PROGRAM, name, 0) for command, name in [("build", "nothing"), ("check", "nothing-checked")]}
        for name, n in CASES.items():
            with self.subTest(name):
                floor = floors[growing.CASES[name][1]]
                once, twice = (growing.instructions(PROGRAM, name, count) - floor for count in (n, 2 * n))
                self.assertGreater(once, floor / 50, "too small an input says nothing")
                self.assertLessEqual(twice / once, STEEPEST, f"{once} instructions, then {twice}")


if __name__ == "__main__":
    unittest.main()
