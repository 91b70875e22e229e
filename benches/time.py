#!/usr/bin/env python3
"""How the time of a build grows with hostile input (stdlib only, Linux and macOS); growth.py is about memory and disk.

    benches/time.py [--runpress PATH] [--scale X] [--seconds S] [--markdown] [--list] [CASE ...]

Every case makes a site whose input grows with n, and runs `runpress` on it at n and at 2n. What an empty site costs is
subtracted. Linear work has a ratio of 2.0; the limit of the project is 2.3. A development build shows the same ratios as a
release build. `--scale 2` doubles every n: for a case that is too fast to measure.
"""
import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HEADER = '{"type":"header","schema_version":1}'
TAPE = '{"type":"header","version":1,"harn_version":"0.7"}'
RUN = "content/runs/first"
SIDECAR = "events.jsonl.annotations.jsonl"
CASES = {}


def case(n, command="build", config=""):
    """Registers a case: the n that takes about a second, the command, and lines for site.toml."""
    def register(make):
        CASES[make.__name__.replace("_", "-")] = (n, command, config, make)
        return make
    return register


class Site:
    """A site in a temporary folder."""

    def __init__(self, config=""):
        self.root = tempfile.mkdtemp(prefix="runpress-growth-")
        self.write("site.toml", '[site]\nbase_url = "https://runs.example.org/"\n' + config)
        os.makedirs(os.path.join(self.root, "content"), exist_ok=True)

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def lines(self, path, lines):
        self.write(path, "".join(line + "\n" for line in lines))

    def record(self, folder=RUN, number=0, **changes):
        record = {
            "id": f"{number:08x}-8a60-4d2e-9a51-0c9f6f1f2b11",
            "startedAt": "2026-03-01T10:00:00Z", "finishedAt": "2026-03-01T10:10:12Z",
            "subject": {"testCaseSlug": "pong", "testCaseVersion": "v1.0.0", "variant": "base", "harnessSlug": "codex",
                        "harnessVersion": "0.31.0", "modelId": "sample/lark-1"},
            "tooling": {"testCabinetCommit": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"},
            "environment": {"os": "Debian", "containerImage": "test", "nodeVersion": "v22"},
            "metrics": {"runTimeSeconds": 612.5,
                        "tokens": {"uncachedInput": 1, "cachedInput": 1, "output": 1, "reasoning": 1},
                        "cost": {"comparable": 0.4, "actual": 0.4}},
            "validation": {"loaded": True, "detail": None,
                           "install": {"command": "npm ci", "succeeded": True, "detail": None},
                           "build": {"command": "npm run build", "succeeded": True, "detail": None}, "checks": []},
            "links": {"sourceRepo": "https://git.example.org/r", "playableBuild": None},
            "status": {"state": "completed", "detail": None},
        }
        record.update(changes)
        self.write(f"{folder}/run-record.json", json.dumps(record))

    def events(self, events, folder=RUN):
        self.lines(f"{folder}/events.jsonl", events)

    def annotations(self, annotations, name=SIDECAR, folder=RUN):
        self.lines(f"{folder}/{name}", [HEADER, *annotations])


def event(number, timed=True, message="word"):
    event = {"type": "agent", "message": message}
    if timed:
        event["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_772_359_200 + number))
    return json.dumps(event)


def annotation(number, target, **more):
    return json.dumps({"type": "annotation", "id": f"a{number}", "event_id": target, "kind": "note", "evidence": "word", **more})


def thread(number, entries=1, **more):
    entries = [{"id": f"e{i}", "text": "word"} for i in range(entries)]
    return {"id": f"t{number}", "turnId": "t", "resource": "file:///workspace/a.ts", "resolved": False, "entries": entries, **more}


def tape_record(number, at=0, **kind):
    kind = kind or {"kind": "file_delete", "path": f"a{number}"}
    return json.dumps({"type": "record", "seq": number, "virtual_time_ms": at, "monotonic_ms": at, "kind": kind})


# Places of problems.

@case(40_000, "check")
def problems_of_threads(site, n):
    site.record()
    site.write(f"{RUN}/annotations.json", json.dumps({"annotations": [{"id": f"t{i}", "entries": []} for i in range(n)]}))


@case(40_000, "check")
def problems_of_entries(site, n):
    site.record()
    state = {"annotations": [{**thread(0), "entries": [{"id": "same", "text": "x"} for _ in range(n)]}]}
    site.write(f"{RUN}/annotations.json", json.dumps(state))


@case(40_000, "check")
def problems_of_ranges(site, n):
    site.record()
    site.write(f"{RUN}/implementation/a.ts", "one\n")
    end = {"start": {"line": 7, "character": 0}, "end": {"line": 8, "character": 0}}
    site.write(f"{RUN}/annotations.json", json.dumps({"annotations": [thread(i, range=end) for i in range(n)]}))


@case(40_000, "check")
def problems_of_checks(site, n):
    checks = [{"view": 7, "name": "x", "reached": "yes"} for _ in range(n)]
    site.record(validation={"loaded": True, "checks": checks})


@case(40_000, "check")
def problems_of_stages(site, n):
    site.record(metrics={"runTimeSeconds": 1, "tokens": {}, "cost": {}, **{f"setup{i}Seconds": -1 for i in range(n)}})


@case(40_000, "check")
def unknown_keys(site, n):
    site.record(**{f"key{i}": 1 for i in range(n)})


@case(40_000, "check")
def duplicate_keys(site, n):
    site.record()
    path = os.path.join(site.root, RUN, "run-record.json")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    site.write(f"{RUN}/run-record.json", "{" + '"x":1,' * n + text[1:])


@case(20_000, "check")
def problems_of_actions(site, n):
    site.record()
    actions = [{"type": "annotations/removed", "annotationId": f"gone{i}"} for i in range(n)]
    site.lines(f"{RUN}/annotations.actions.jsonl", [json.dumps(action) for action in actions])


@case(20_000, "check")
def problems_of_a_transcript(site, n):
    site.record()
    site.write(f"{RUN}/transcript.json", json.dumps({"_type": "transcript", "version": 2, "messages": [7] * n}))


@case(20_000, "check")
def problems_of_annotations(site, n):
    site.record()
    site.events([event(0)])
    site.annotations([annotation(0, 99, hypothesis_status="active") for _ in range(n)])


@case(10_000, "check")
def links_of_one_annotation(site, n):
    site.record()
    site.events([event(0)])
    site.annotations([annotation(0, 0, links=[{"url": f"x{i}"} for i in range(n)])])


@case(10_000, "check")
def problems_of_a_tape(site, n):
    site.record()
    site.lines(f"{RUN}/run.tape", [TAPE, *[tape_record(0, kind="new") for _ in range(n)]])


@case(20_000, "check")
def keys_of_front_matter(site, n):
    site.record()
    site.write("content/pages/a.md", "+++\n" + "".join(f"k{i} = 1\n" for i in range(n)) + "+++\nwords\n")


@case(20_000, "check")
def keys_of_site_toml(site, n):
    site.record()
    site.write("site.toml", "[site]\n" + "".join(f"k{i} = 1\n" for i in range(n)))


# Tapes.

@case(5_000)
def tape_without_times(site, n):
    site.record()
    site.lines(f"{RUN}/run.tape", [TAPE, *[tape_record(i) for i in range(n)]])


@case(5_000)
def log_without_times(site, n):
    site.record()
    site.events([event(i, timed=False) for i in range(n)])


@case(5_000)
def log_with_times(site, n):
    site.record()
    site.events([event(i) for i in range(n)])


@case(5_000)
def log_of_broken_lines(site, n):
    site.record()
    site.events(['{"type":"agent"' for _ in range(n)])


@case(5_000)
def records_of_one_number(site, n):
    site.record()
    site.lines(f"{RUN}/run.tape", [TAPE, *[tape_record(7) for _ in range(n)]])


@case(5_000)
def spans_to_the_end(site, n):
    site.record()
    site.events([event(i) for i in range(n)])
    span = lambda i: {"start_event_id": i, "end_event_id": n - 1}
    site.annotations([annotation(i, i, span=span(i)) for i in range(n)])


@case(5_000)
def annotations_of_all_events(site, n):
    site.record()
    site.events([event(i) for i in range(n)])
    site.annotations([annotation(i, i) for i in range(n)])


@case(5_000)
def annotations_of_one_event(site, n):
    site.record()
    site.events([event(0)])
    site.annotations([annotation(i, 0) for i in range(n)])


@case(5_000)
def annotations_of_one_id(site, n):
    site.record()
    site.events([event(0)])
    site.annotations([annotation(0, 0, id="") for _ in range(n)], )


@case(2_000)
def identical_quotes(site, n):
    site.record()
    site.events([event(0, message="word " * n)])
    site.annotations([annotation(i, 0, metadata={"quote": "not there"}) for i in range(n)])


@case(2_000)
def different_quotes(site, n):
    site.record()
    site.events([event(0, message="word " * n)])
    site.annotations([annotation(i, 0, metadata={"quote": f"not there {i}"}) for i in range(n)])


@case(2_000)
def quotes_that_are_there(site, n):
    site.record()
    site.events([event(0, message=" ".join(f"word{i}" for i in range(n)))])
    site.annotations([annotation(i, 0, metadata={"quote": f"word{i}"}) for i in range(n)])


@case(2_000)
def words_of_evidence(site, n):
    site.record()
    site.events([event(i) for i in range(n)])
    site.annotations([annotation(i, i, evidence="The llm call is slow.") for i in range(n)])


@case(3_000)
def payloads_of_a_tape(site, n):
    site.record()
    kind = lambda i: {"kind": "llm_call", "request_digest": "r",
                      "response": {"content_hash": hashlib.sha256(str(i).encode()).hexdigest(), "len_bytes": 9}}
    site.lines(f"{RUN}/run.tape", [TAPE, *[tape_record(i, **kind(i)) for i in range(n)]])


@case(100)
def tapes_of_one_run(site, n):
    site.record()
    for number in range(n):
        site.lines(f"{RUN}/run{number:05}.tape", [TAPE, tape_record(0)])
        site.annotations([annotation(0, 0)], f"run{number:05}.tape.annotations.jsonl")


@case(3_000)
def decisions_of_a_log(site, n):
    site.record()
    kinds = ["system", "usage", "command", "search"]
    body = {"stage": "x", "status": "failed", "command": "x", "exitCode": 1, "isSuccess": False, "query": "x", "tokens": {}, "cost": {}}
    site.events([json.dumps({"timestamp": "2026-03-01T10:00:00Z", "type": kinds[i % 4], **body}) for i in range(n)])


# Pages of one tape. With small pages, a cost per page that grows with the tape shows early.

PAGES = "[timeline]\npage_size = 20\n"


def timed(number, **more):
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_772_359_200 + number))
    return json.dumps({"timestamp": at, **more})


@case(40_000, config=PAGES)
def pages_of_failures(site, n):
    site.record()
    site.events([timed(i, type="command", command=f"npm test {i % 7}", exitCode=i % 2, isSuccess=i % 2 == 0) for i in range(n)])


@case(40_000, config=PAGES)
def pages_of_annotations(site, n):
    site.record()
    site.events([timed(i, type="agent", message="word") for i in range(n)])
    site.annotations([annotation(i, i) for i in range(0, n, 20)])


@case(50_000)
def timed_usage(site, n):
    site.record()
    tokens = {"uncachedInput": 1, "cachedInput": 1, "output": 1, "reasoning": 1}
    site.events([timed(i, type="usage", tokens=tokens) for i in range(n)])


# Redactions.

def redaction(number, secret, **place):
    return json.dumps({"id": f"r{number}", "file": "events.jsonl", "length": len(secret), "reason": "secret", **place})


def secrets(n):
    return [hashlib.sha256(str(i).encode()).hexdigest()[:24] for i in range(n)]


@case(4_000, "check")
def redactions_of_events(site, n):
    site.record()
    site.events([timed(i, type="agent", message=f"\u00e9 {secret}") for i, secret in enumerate(secrets(n))])
    site.lines(f"{RUN}/redactions.jsonl", [
        redaction(i, secret, event=i, pointer="/message", start=3, end=27) for i, secret in enumerate(secrets(n))])


@case(4_000, "check")
def redactions_of_a_string(site, n):
    site.record()
    site.events([timed(0, type="agent", message=" ".join(secrets(n)))])
    site.lines(f"{RUN}/redactions.jsonl", [
        redaction(i, secret, event=0, pointer="/message", start=25 * i, end=25 * i + 24) for i, secret in enumerate(secrets(n))])


@case(4_000, "check")
def redactions_of_a_list(site, n):
    site.record()
    site.events([timed(0, type="unknown", raw=secrets(n))])
    site.lines(f"{RUN}/redactions.jsonl", [
        redaction(i, secret, event=0, pointer=f"/raw/{i}", start=0, end=24) for i, secret in enumerate(secrets(n))])


# Transcripts.

@case(10_000)
def transcript_assets(site, n):
    site.record()
    assets = [{"id": f"a{i}", "kind": "blob", "visibility": "public"} for i in range(n)]
    site.write(f"{RUN}/transcript.json", json.dumps({"_type": "transcript", "version": 2, "messages": [], "assets": assets}))


@case(10_000)
def transcript_messages(site, n):
    site.record()
    messages = [{"role": "assistant", "content": "words"} for _ in range(n)]
    site.write(f"{RUN}/transcript.json", json.dumps({"_type": "transcript", "version": 2, "messages": messages}))


@case(10_000)
def blocks_of_one_message(site, n):
    site.record()
    content = [{"type": "text", "visibility": "public", "text": "words"} for _ in range(n)]
    messages = [{"role": "assistant", "content": content}]
    site.write(f"{RUN}/transcript.json", json.dumps({"_type": "transcript", "version": 2, "messages": messages}))


@case(10_000)
def asset_blocks(site, n):
    site.record()
    content = [{"type": "image", "visibility": "public", "asset_id": f"a{i}"} for i in range(n)]
    assets = [{"id": f"a{i}", "kind": "blob", "visibility": "public"} for i in range(n)]
    messages = [{"role": "assistant", "content": content}]
    site.write(f"{RUN}/transcript.json", json.dumps({"_type": "transcript", "version": 2, "messages": messages, "assets": assets}))


# Review threads.

def actions(site, lines):
    site.record()
    site.write(f"{RUN}/implementation/a.ts", "one\n")
    site.write(f"{RUN}/annotations.json", json.dumps({"annotations": [thread(0)]}))
    site.lines(f"{RUN}/annotations.actions.jsonl", [json.dumps(line) for line in lines])


@case(5_000)
def entries_set(site, n):
    actions(site, ({"type": "annotations/entrySet", "annotationId": "t0", "entry": {"id": f"n{i}", "text": "x"}} for i in range(n)))


@case(5_000)
def entries_set_and_removed(site, n):
    actions(site, [
        *({"type": "annotations/entrySet", "annotationId": "t0", "entry": {"id": f"n{i}", "text": "x"}} for i in range(n)),
        *({"type": "annotations/entryRemoved", "annotationId": "t0", "entryId": f"n{i}"} for i in range(n)),
    ])


@case(5_000)
def threads_set_and_removed(site, n):
    actions(site, [
        *({"type": "annotations/set", "annotation": thread(i)} for i in range(n)),
        *({"type": "annotations/updated", "annotationId": f"t{i}", "resolved": True} for i in range(n)),
        *({"type": "annotations/removed", "annotationId": f"t{i}"} for i in range(n)),
    ])


@case(3_000)
def threads_of_one_file(site, n):
    site.record()
    site.write(f"{RUN}/implementation/a.ts", "one\n" * n)
    at = lambda i: {"start": {"line": i, "character": 0}, "end": {"line": i, "character": 1}}
    site.write(f"{RUN}/annotations.json", json.dumps({"annotations": [thread(i, range=at(i)) for i in range(n)]}))


@case(3_000)
def threads_of_many_files(site, n):
    site.record()
    for i in range(n):
        site.write(f"{RUN}/implementation/a{i}.ts", "one\n")
    threads = [thread(i, resource=f"file:///workspace/a{i}.ts") for i in range(n)]
    site.write(f"{RUN}/annotations.json", json.dumps({"annotations": threads}))


@case(5_000)
def entries_of_one_thread(site, n):
    site.record()
    site.write(f"{RUN}/implementation/a.ts", "one\n")
    site.write(f"{RUN}/annotations.json", json.dumps({"annotations": [thread(0, entries=n)]}))


# Archives.

@case(400, "build", '[policy]\non_invalid = "quarantine"\n')
def quarantine_of_records(site, n):
    for i in range(n):
        site.write(f"content/runs/r{i:06}/run-record.json", "{")


@case(200, "build", '[policy]\non_invalid = "quarantine"\n')
def quarantine_of_files(site, n):
    for i in range(n):
        site.record(f"content/runs/r{i:06}", i)
        site.annotations([annotation(0, 9)], folder=f"content/runs/r{i:06}")
        site.events([event(0)], f"content/runs/r{i:06}")


@case(200, "build")
def runs_of_one_id(site, n):
    for i in range(n):
        site.record(f"content/runs/r{i:06}", 0)


@case(150)
def runs_of_one_case(site, n):
    for i in range(n):
        site.record(f"content/runs/r{i:06}", i)


@case(150)
def runs_of_their_own_case(site, n):
    for i in range(n):
        names = {"testCaseSlug": f"case{i}", "testCaseVersion": "1", "variant": "base", "harnessSlug": f"h{i}",
                 "harnessVersion": "1", "modelId": f"m{i}"}
        site.record(f"content/runs/r{i:06}", i, subject=names)


def check(name):
    return {"view": name, "name": name, "reached": True, "similarity": 0.5, "detail": None}


@case(60)
def distinct_checks(site, n):
    for i in range(n):
        checks = [check(f"c{i}-{j}") for j in range(20)]
        site.record(f"content/runs/r{i:06}", i, validation={"loaded": True, "detail": None, "checks": checks})


@case(2_000)
def checks_of_one_run(site, n):
    site.record(validation={"loaded": True, "detail": None, "checks": [check(f"c{j}") for j in range(n)]})


@case(2_000)
def prior_entries(site, n):
    site.record(gameJamPriorEntries=[{"runId": f"r{i}", "title": "x", "readme": "x"} for i in range(n)])


# Prose.

@case(150)
def pages_of_prose(site, n):
    site.record()
    for i in range(n):
        site.write(f"content/pages/p{i}.md", "# One\n" + "".join(f"[w](../p{(i + j) % n}/index.html)\n" for j in range(20)))


@case(4_000)
def links_of_one_page(site, n):
    site.record()
    site.write("content/pages/p.md", "".join(f"[w](../gone{i}/index.html)\n\n" for i in range(n)))


@case(4_000)
def headings_of_one_page(site, n):
    site.record()
    site.write("site.toml", '[site]\nbase_url = "https://runs.example.org/"\n[limits]\nwriteup = "64 MiB"\n')
    site.write("content/pages/p.md", "# same\n\n" * n)


@case(3_000)
def unsafe_links_of_a_review(site, n):
    site.record()
    site.write("site.toml", '[site]\nbase_url = "https://runs.example.org/"\n[limits]\nwriteup = "64 MiB"\n')
    site.write(f"{RUN}/writeup.md", "---\nrating: great\n---\n" + "[w](x:y)\n\n" * n)


@case(3_000)
def front_matter_of_a_review(site, n):
    site.record()
    site.write("site.toml", '[site]\nbase_url = "https://runs.example.org/"\n[limits]\nwriteup = "64 MiB"\n')
    site.write(f"{RUN}/writeup.md", "---\nrating: great\n" + "".join(f"key{i}: x\n" for i in range(n)) + "---\n")


def measure(runpress, name, n):
    """User and system CPU in seconds and the peak of memory in MiB."""
    _, command, config, make = CASES[name]
    site = Site(config)
    try:
        make(site, n)
        arguments = [runpress, "--root", site.root, command, "--jobs", "1"]
        quiet = os.open(os.devnull, os.O_WRONLY)
        child = os.posix_spawn(runpress, arguments, os.environ,
                               file_actions=[(os.POSIX_SPAWN_DUP2, quiet, 1), (os.POSIX_SPAWN_DUP2, quiet, 2)])
        os.close(quiet)
        _, status, usage = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, 1, 2):
            print(f"{name} at {n}: {signal.Signals(-code).name if code < 0 else f'exit status {code}'}", file=sys.stderr)
        peak = usage.ru_maxrss / (1024 if sys.platform == "linux" else 1 << 20)
        return usage.ru_utime + usage.ru_stime, peak
    finally:
        shutil.rmtree(site.root)


def instructions(runpress, name, n):
    """Executed instructions, counted by valgrind: the same on a busy machine."""
    _, command, config, make = CASES[name]
    site = Site(config)
    try:
        make(site, n)
        counted = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        done = subprocess.run([*counted, runpress, "--root", site.root, command, "--jobs", "1"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
        if found is None or done.returncode not in (0, 1):
            raise RuntimeError(f"{name} at {n}: exit status {done.returncode}: {done.stderr[-2000:]}")
        return int(found.group(1).replace(",", ""))
    finally:
        shutil.rmtree(site.root)


@case(0)
def nothing(site, n):
    site.record()


@case(0, "check")
def nothing_checked(site, n):
    site.record()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--runpress", default="target/debug/runpress")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seconds", type=int, default=120, help="CPU seconds after which a run is stopped")
    parser.add_argument("--markdown", action="store_true", help="print a table for the page on security")
    parser.add_argument("--list", action="store_true", help="list the cases")
    given = parser.parse_args()
    names = given.cases or [name for name in CASES if not name.startswith("nothing")]
    if given.list:
        print("\n".join(names))
        return
    unknown = [name for name in names if name not in CASES]
    if unknown:
        parser.error(f"no such case: {', '.join(unknown)}")
    runpress = shutil.which(given.runpress) or parser.error(f"no such program: {given.runpress}")
    runpress = os.path.abspath(runpress)
    # What explodes must not take the machine down.
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (given.seconds, given.seconds))
    floors = {command: measure(runpress, name, 0)[0] for command, name in [("build", "nothing"), ("check", "nothing-checked")]}
    if given.markdown:
        print("| Input | n | Seconds at n | at 2n | Ratio | MiB at n | at 2n |\n|---|---|---|---|---|---|---|")
    for name in names:
        n = int(CASES[name][0] * given.scale)
        floor = floors[CASES[name][1]]
        (one, memory), (two, more) = measure(runpress, name, n), measure(runpress, name, 2 * n)
        one, two = max(one - floor, 0.001), max(two - floor, 0.001)
        ratio = two / one
        if given.markdown:
            print(f"| {name.replace('-', ' ')} | {n} | {one:.2f} | {two:.2f} | {ratio:.1f} | {memory:.0f} | {more:.0f} |")
        else:
            # Times of a few hundredths say nothing.
            mark = "  TOO STEEP" if ratio > 2.3 and two > 0.3 else ""
            print(f"{name:28} n={n:<7} {one:8.2f} s {two:8.2f} s  x{ratio:4.1f}  {memory:6.0f} MiB {more:6.0f} MiB{mark}", flush=True)


if __name__ == "__main__":
    main()
