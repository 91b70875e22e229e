"""The kappas of agreement.json equal those of statsmodels, over 1,000 random tables."""

import copy
import itertools
import json
import pathlib
import random
import tempfile
import unittest
import uuid
import warnings

import numpy
from statsmodels.stats.inter_rater import cohens_kappa

from support import ROOT, runpress

RUNS = 80
KINDS = ["correct", "incorrect", "note", "marker", "praise"]
BASE = ROOT / "tests/fixtures/base/content/runs/first"


def annotations(rng, events):
    """Annotations of some authors, with the sets of kinds that each gives each event."""
    authors = [(f"author-{number}", rng.choice(["human", "agent", "system"])) for number in range(rng.randint(2, 4))]
    given, lines = {}, []
    for author, kind in authors:
        own = given[author] = [set() for _ in range(events)]
        favorites = rng.sample(KINDS, rng.randint(1, len(KINDS)))
        for _ in range(rng.randint(1, events)):
            first = rng.randrange(events)
            last = rng.choice([first, first, rng.randrange(first, events)])
            word = rng.choice(favorites)
            for event in range(first, last + 1):
                own[event].add("unknown" if word == "praise" else word)
            line = {"type": "annotation", "event_id": first, "kind": word, "author": {"id": author, "kind": kind}}
            lines.append(line | ({"span": {"start_event_id": first, "end_event_id": last}} if last > first else {}))
    rng.shuffle(lines)
    return given, lines


def write_runs(folder):
    rng = random.Random("agreement")
    record = json.loads((BASE / "run-record.json").read_text(encoding="utf-8"))
    given = {}
    for _ in range(RUNS):
        run = copy.deepcopy(record)
        run["id"] = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        events = rng.randint(1, 40)
        given[run["id"]], lines = annotations(rng, events)
        path = folder / "runs" / run["id"]
        path.mkdir(parents=True)
        (path / "run-record.json").write_text(json.dumps(run), encoding="utf-8")
        (path / "writeup.md").write_text("---\nrating: great\n---\nFine.\n", encoding="utf-8")
        (path / "events.jsonl").write_text('{"type":"agent","message":"It works."}\n' * events, encoding="utf-8")
        rows = [{"type": "header", "schema_version": 1}, *lines]
        sidecar = "".join(json.dumps(row) + "\n" for row in rows)
        (path / "events.jsonl.annotations.jsonl").write_text(sidecar, encoding="utf-8")
    return given


def table(first, second):
    """How many events each pair of classes has."""
    classes = sorted(set(first) | set(second))
    counts = numpy.zeros((len(classes), len(classes)))
    for a, b in zip(first, second):
        counts[classes.index(a), classes.index(b)] += 1
    return counts


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            cls.given = write_runs(folder)
            (folder / "site.toml").write_text('[site]\ntitle = "Agreement"\n[build]\ncontent = ["runs"]\n', encoding="utf-8")
            done = runpress("--root", folder, "build", "--quiet")
            assert done.returncode == 0, done.stderr
            cls.feed = json.loads((folder / "public/feeds/agreement.json").read_text(encoding="utf-8"))

    def same(self, found, first, second, place):
        """Whether a kappa is that of statsmodels, or undefined in both."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = cohens_kappa(table(first, second), return_results=False)
        if numpy.isnan(expected):
            self.assertIsNone(found, place)
            self.assertEqual((len(set(first)), set(first)), (1, set(second)), place)
            return 1
        self.assertAlmostEqual(found, expected, places=9, msg=str(place))
        return 0

    def test_kappas_are_those_of_statsmodels(self):
        tables, undefined, negative = 0, 0, 0
        self.assertEqual({tape["runId"] for tape in self.feed["tapes"]}, set(self.given))
        for tape in self.feed["tapes"]:
            given = self.given[tape["runId"]]
            names = [annotator["id"] for annotator in tape["annotators"]]
            self.assertEqual(sorted(names), sorted(given))
            together = [sorted(pair) for pair in itertools.combinations(range(len(names)), 2)
                        if any(one and other for one, other in zip(*(given[names[index]] for index in pair)))]
            self.assertEqual(sorted(sorted(pair["annotators"]) for pair in tape["pairs"]), together)
            for pair in tape["pairs"]:
                sides = [given[names[index]] for index in pair["annotators"]]
                self.assertEqual(tape["events"], len(sides[0]))
                classes = [["+".join(sorted(kinds)) for kinds in side] for side in sides]
                place = (tape["runId"], pair["annotators"])
                undefined += self.same(pair["kappa"], *classes, place)
                negative += pair["kappa"] is not None and pair["kappa"] < 0
                both = [one == other for one, other in zip(*classes) if one and other]
                self.assertEqual((pair["both"], pair["same"]), (len(both), sum(both)), place)
                used = set().union(*sides[0], *sides[1])
                self.assertEqual({it["kind"] for it in pair["kinds"]}, used, place)
                for it in pair["kinds"]:
                    has = [[it["kind"] in kinds for kinds in side] for side in sides]
                    undefined += self.same(it["kappa"], *has, (*place, it["kind"]))
                    counts = [list(zip(*has)).count(each) for each in itertools.product([True, False], repeat=2)]
                    self.assertEqual([it["both"], *it["only"], it["neither"]], counts, place)
                tables += 1 + len(pair["kinds"])
        self.assertGreaterEqual(tables, 1000)
        self.assertGreater(undefined, 0)
        self.assertGreater(negative, 20)

    def test_disagreements_are_the_events_on_which_annotators_differ(self):
        for tape in self.feed["tapes"]:
            sides = [self.given[tape["runId"]][annotator["id"]] for annotator in tape["annotators"]]
            listed = {}
            for it in tape["disagreements"]:
                for event in range(it["event_id"], it["end_event_id"] + 1):
                    self.assertNotIn(event, listed)
                    listed[event] = [set(kinds) for kinds in it["kinds"]]
            each = enumerate(map(list, zip(*sides)))
            self.assertEqual(listed, {event: kinds for event, kinds in each if any(it != kinds[0] for it in kinds)})


if __name__ == "__main__":
    unittest.main()
