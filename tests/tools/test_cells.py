"""The numbers of cells.json equal those of scipy, statsmodels and numpy, over 1,000 random cells and pairs."""

import copy
import itertools
import json
import math
import pathlib
import random
import tempfile
import unittest
import uuid
import warnings

import numpy
import scipy.stats
from scipy.special import comb
from statsmodels.stats.proportion import confint_proportions_2indep, power_proportions_2indep, proportion_confint

from support import ROOT, runpress

CASES = 50
# Models that ran every case, and models that ran one case only, two for each.
MODELS = [f"sample/model-{number}" for number in range(18)]
RECORD = json.loads((ROOT / "tests/fixtures/base/content/runs/first/run-record.json").read_text(encoding="utf-8"))


def record(rng, case, model, succeeded):
    run = copy.deepcopy(RECORD)
    run["id"] = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    run["subject"].update(testCaseSlug=case, modelId=model)
    run["status"]["state"] = "completed" if succeeded else "failed"
    run["metrics"]["runTimeSeconds"] = round(rng.lognormvariate(5, 1), 3)
    run["metrics"]["cost"] = {"comparable": round(rng.lognormvariate(-1, 1), 4) if rng.random() < 0.8 else None}
    run["outcomes"] = [{"name": "reward", "value": rng.choice([0, 0.25, 0.5, 1]), "scorer": "grader"}]
    return run


def write_runs(folder):
    rng = random.Random("cells")
    cells = {}
    for number in range(CASES):
        case = f"case-{number}"
        for model in [*MODELS, f"sample/only-{number}-a", f"sample/only-{number}-b"]:
            rate, trials = rng.choice([0, 0.2, 0.5, 0.8, 1]), rng.randint(1, 9)
            runs = [record(rng, case, model, rng.random() < rate) for _ in range(trials)]
            cells[case, model] = runs
            for run in runs:
                write(folder, run)
    return cells


def write(folder, run):
    path = folder / "runs" / run["id"] / "run-record.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(run), encoding="utf-8")


def build(folder):
    """Builds the runs of a folder, and returns the feed of cells."""
    (folder / "site.toml").write_text('[site]\ntitle = "Cells"\n[build]\ncontent = ["runs"]\n', encoding="utf-8")
    done = runpress("--root", folder, "build", "--quiet")
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "public/feeds/cells.json").read_text(encoding="utf-8"))


def draws(samples, values, seed):
    """Numbers below `values` from SplitMix64, whose state after i steps is known without the steps before."""
    with numpy.errstate(over="ignore"):
        steps = numpy.arange(1, samples * values + 1, dtype=numpy.uint64)
        bits = numpy.uint64(seed) + steps * numpy.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        bits ^= bits >> numpy.uint64(31)
    return numpy.array([(int(it) * values) >> 64 for it in bits]).reshape(samples, values)


class Cells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            cls.runs = write_runs(folder)
            cls.feed = build(folder)
        cls.cells = {(case["case"], cell["model"]): cell for case in cls.feed["sets"] for cell in case["cells"]}

    def near(self, found, expected, place):
        self.assertTrue(math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9), f"{place}: {found} is not {expected}")

    def test_there_is_a_cell_for_each_case_and_model(self):
        self.assertGreaterEqual(len(self.cells), 1000)
        self.assertEqual(self.cells.keys(), self.runs.keys())
        for place, runs in self.runs.items():
            cell = self.cells[place]
            self.assertEqual(sorted(cell["runIds"]), sorted(run["id"] for run in runs))
            self.assertEqual(cell["trials"], len(runs))
            self.assertEqual(cell["successes"], sum(run["status"]["state"] == "completed" for run in runs))

    def test_wilson_intervals_are_those_of_statsmodels(self):
        for place, cell in self.cells.items():
            if cell["trials"] < 2:
                self.assertNotIn("interval", cell)
                continue
            low, high = proportion_confint(cell["successes"], cell["trials"], alpha=0.05, method="wilson")
            self.near(cell["interval"]["low"], low, place)
            self.near(cell["interval"]["high"], high, place)

    def test_pass_at_k_and_pass_all_k_are_those_of_scipy(self):
        for place, cell in self.cells.items():
            n, c = cell["trials"], cell["successes"]
            if n < 2:
                self.assertFalse({"passAt", "passAll"} & cell.keys())
                continue
            self.assertEqual((len(cell["passAt"]), len(cell["passAll"])), (n, n))
            for k, (at, every) in enumerate(zip(cell["passAt"], cell["passAll"]), 1):
                self.near(at, 1 - comb(n - c, k, exact=True) / comb(n, k, exact=True), place)
                self.near(every, comb(c, k, exact=True) / comb(n, k, exact=True), place)
                self.near(every, scipy.stats.hypergeom(n, c, k).pmf(k), place)

    def test_medians_and_their_intervals_are_those_of_numpy(self):
        samples, seed = self.feed["bootstrap"]["resamples"], self.feed["bootstrap"]["seed"]
        drawn = {size: draws(samples, size, seed) for size in range(1, 10)}
        for place, runs in self.runs.items():
            values = {
                "cost.comparable": [run["metrics"]["cost"]["comparable"] for run in runs],
                "runTimeSeconds": [run["metrics"]["runTimeSeconds"] for run in runs],
                "reward": [run["outcomes"][0]["value"] for run in runs],
            }
            measures = {measure["name"]: measure for measure in self.cells[place].get("measures", [])}
            for name, numbers in values.items():
                numbers = numpy.sort([number for number in numbers if number is not None])
                if len(runs) < 2 or not len(numbers):
                    self.assertNotIn(name, measures)
                    continue
                measure = measures[name]
                self.assertEqual(measure["values"], len(numbers))
                self.near(measure["median"], numpy.median(numbers), place)
                self.assertEqual((measure["min"], measure["max"]), (numbers.min(), numbers.max()))
                # The range of all values covers the median unless all are on one side of it.
                if 1 - 2 * scipy.stats.binom(len(numbers), 0.5).cdf(0) < self.feed["confidence"]:
                    self.assertNotIn("interval", measure)
                    continue
                medians = numpy.median(numbers[drawn[len(numbers)]], axis=1)
                low, high = numpy.percentile(medians, [2.5, 97.5])
                self.near(measure["interval"]["low"], low, place)
                self.near(measure["interval"]["high"], high, place)

    def test_the_seed_makes_no_difference_to_intervals_of_medians(self):
        # Another generator, and five times the samples: the medians of few values jump, so most intervals are equal.
        equal, count = 0, 0
        for place, runs in itertools.islice(self.runs.items(), 100):
            measures = {measure["name"]: measure for measure in self.cells[place].get("measures", [])}
            if len(runs) < 6:
                continue
            numbers = [run["metrics"]["runTimeSeconds"] for run in runs]
            result = scipy.stats.bootstrap(
                (numbers,), numpy.median, method="percentile", n_resamples=10_000, rng=numpy.random.default_rng(7)
            )
            found = measures["runTimeSeconds"]["interval"]
            spread = max(numbers) - min(numbers)
            ends = zip((found["low"], found["high"]), result.confidence_interval)
            equal += all(abs(a - b) <= 0.1 * spread for a, b in ends)
            count += 1
        self.assertGreater(count, 30)
        self.assertGreater(equal / count, 0.9)

    def test_differences_are_those_of_statsmodels(self):
        single, pooled = 0, 0
        for pair in self.feed["pairs"]:
            names = pair["models"]
            both = [case for case in {case for case, _ in self.cells} if all((case, name) in self.cells for name in names)]
            tables = [[self.cells[case, name] for name in names] for case in both]
            self.assertEqual(pair["cells"], len(both))
            self.assertEqual(pair["trials"], [sum(table[side]["trials"] for table in tables) for side in (0, 1)])
            counts = [[(cell["successes"], cell["trials"]) for cell in table] for table in tables]
            mean = numpy.mean([c / n - d / m for (c, n), (d, m) in counts])
            low, high = difference(counts)
            self.near(pair["difference"], mean, names)
            self.near(pair["interval"]["low"], low, names)
            self.near(pair["interval"]["high"], high, names)
            self.assertEqual(pair["distinguishable"], low > 0 or high < 0)
            if len(both) == 1:
                single += 1
                ((c, n), (d, m)) = counts[0]
                low, high = confint_proportions_2indep(c, n, d, m, compare="diff", method="newcomb")
                self.near(pair["interval"]["low"], low, names)
                self.near(pair["interval"]["high"], high, names)
                self.needed(pair, c / n, d / m)
            else:
                pooled += 1
        self.assertGreater(single, 30)
        self.assertGreater(pooled, 100)

    def needed(self, pair, first, second):
        """So many trials find the difference with a power near 80 %, by the normal approximation of statsmodels."""
        if first == second:
            self.assertNotIn("trialsNeeded", pair)
            return
        if not (0 < first < 1 and 0 < second < 1):
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            power = power_proportions_2indep(first - second, second, pair["trialsNeeded"]).power
        self.assertTrue(0.74 < power < 0.92, (pair, power))


class TauBench(unittest.TestCase):
    """pass^k of published rows of tau-bench, https://github.com/sierra-research/tau-bench, commit 59a200c6 (MIT).

    The repository has the trials of four rows. The rewards of one are below, and those of another follow from its numbers. The files
    of the other two, both of claude-3-5-sonnet-20241022, have many megabytes and are not copied here, and their rows do not say how
    often each task succeeded: see `test_the_other_rows_do_not_say_their_successes`.
    """

    # How many of four trials succeeded in each of the 50 tasks of the airline domain: the rewards of
    # historical_trajectories/gpt-4o-airline.json, by task_id.
    GPT_4O = [int(digit) for digit in "01100111000142021140430040220122003443413241222144"]
    # The table of README.md has only pass^k. With four trials, the four numbers of a row allow exactly one number of tasks for each
    # number of successes, from 0 to 4.
    TABLE = {
        "airline-gpt-4o": ([14, 12, 10, 4, 10], [0.420, 0.273, 0.220, 0.200]),
        "airline-gpt-4o-mini": ([30, 7, 6, 2, 5], [0.225, 0.140, 0.110, 0.100]),
        "airline-act": ([17, 11, 11, 4, 7], [0.365, 0.217, 0.160, 0.140]),
        "airline-react": ([26, 4, 7, 5, 8], [0.325, 0.233, 0.185, 0.160]),
        "retail-gpt-4o": ([22, 18, 9, 22, 44], [0.604, 0.491, 0.430, 0.383]),
    }

    # Tasks, and pass^4, of the rows of claude-3-5-sonnet-20241022 and claude-3-5-sonnet-20240620.
    OTHERS = [(50, 0.225), (50, 0.139), (115, 0.462), (115, 0.387)]

    def test_the_other_rows_do_not_say_their_successes(self):
        """With four trials of each task, pass^4 is a share of all tasks. These are none, so there were other numbers of trials."""
        for tasks, published in self.OTHERS:
            self.assertNotIn(published, [round(all_four / tasks, 3) for all_four in range(tasks + 1)])

    def test_the_published_rows_are_the_means_over_tasks(self):
        rng = random.Random("tau")
        self.assertEqual([self.GPT_4O.count(successes) for successes in range(5)], self.TABLE["airline-gpt-4o"][0])
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for row, (tasks, _) in self.TABLE.items():
                counts = itertools.chain.from_iterable([successes] * times for successes, times in enumerate(tasks))
                for task, successes in enumerate(self.GPT_4O if row == "airline-gpt-4o" else counts):
                    for trial in range(4):
                        write(folder, record(rng, f"task-{task}", row, trial < successes))
            feed = build(folder)
        for row, (tasks, published) in self.TABLE.items():
            cells = [cell for case in feed["sets"] for cell in case["cells"] if cell["model"] == row]
            self.assertEqual(len(cells), sum(tasks))
            means = [numpy.mean([cell["passAll"][k] for cell in cells]) for k in range(4)]
            self.assertEqual([round(mean, 3) for mean in means], published, row)


def difference(tables):
    """The interval of a mean of differences of proportions, by variance estimates recovery from intervals of statsmodels."""
    squares = numpy.zeros(2)
    mean = 0
    for (c, n), (d, m) in tables:
        low, high = proportion_confint(c, n, method="wilson")
        bottom, top = proportion_confint(d, m, method="wilson")
        a, b = c / n, d / m
        mean += (a - b) / len(tables)
        squares += [(a - low) ** 2 + (top - b) ** 2, (high - a) ** 2 + (b - bottom) ** 2]
    below, above = numpy.sqrt(squares) / len(tables)
    return mean - below, mean + above


if __name__ == "__main__":
    unittest.main()
