#!/usr/bin/env python3
"""Makes inputs that once cost far more than their size, at n and at 2n, and measures the build of each.

    benches/growth.py                      every row: time, peak memory and bytes written at n and 2n
    benches/growth.py assets shared        some rows
    benches/growth.py --survive            50 good runs and one bad run of each row, with 1 GiB for the process:
                                           the 50 must be published
    benches/growth.py --bin target/release/runpress --before path/to/an/older/runpress

A row is a function of `ROWS`: it gets the folder of a run and a number, and fills the folder.
"""

import argparse
import hashlib
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

MIB = 1 << 20
# BLAKE3 of the payload of `shared`.
SHARED = "02e95d1dc3ef98dea7aed3c83ddcbdcb01419b89df7f52d33ddff6666bb150d3"
HEADER = '{"type":"header","schema_version":1}\n'


def record(folder, name, **changes):
    digest = hashlib.sha256(name.encode()).hexdigest()
    run_id = f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-9{digest[17:20]}-{digest[20:32]}"
    value = {
        "id": run_id,
        "startedAt": "2026-03-01T10:00:00Z",
        "finishedAt": "2026-03-01T10:10:12Z",
        "subject": {"testCaseSlug": "pong", "testCaseVersion": "v1.0.0", "variant": "base", "harnessSlug": "codex",
                    "harnessVersion": "0.31.0", "modelId": "sample/lark-1"},
        "tooling": {"testCabinetCommit": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"},
        "environment": {"os": "Debian GNU/Linux 12", "containerImage": "c", "nodeVersion": "v22.14.0"},
        "metrics": {"runTimeSeconds": 612.5, "tokens": {"uncachedInput": 1, "cachedInput": 2, "output": 3,
                    "reasoning": 4}, "cost": {"comparable": 0.4210, "actual": 0.40}},
        "validation": {"loaded": True, "detail": None, "install": None, "build": None, "checks": []},
        "links": {"sourceRepo": None, "playableBuild": None},
        "status": {"state": "completed", "detail": None},
    }
    value.update(changes)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run-record.json").write_text(json.dumps(value))
    return value


def events(folder, count, message="hello"):
    with open(folder / "events.jsonl", "w") as out:
        for index in range(count):
            at = f"2026-03-01T10:{index // 60 % 60:02}:{index % 60:02}Z"
            out.write(json.dumps({"timestamp": at, "type": "agent", "message": message}) + "\n")


def sparse(path, size):
    with open(path, "wb") as out:
        out.truncate(size)


def assets(run, n):
    """n public assets that name one sparse file of 32 MiB."""
    (run / "assets").mkdir()
    sparse(run / "assets/one.bin", 32 * MIB)
    listed = [{"id": f"a{i}", "kind": "blob", "visibility": "public", "storage": {"path": "assets/one.bin"}}
              for i in range(n)]
    (run / "transcript.json").write_text(json.dumps({"_type": "transcript", "version": 2, "messages": [
        {"role": "user", "content": "hello"}], "assets": listed}))


def shared(run, n):
    """n events of a tape that share one payload of 256 KiB, of characters that take most room on a page."""
    payload = (b"\x1b[1m\x01\x1b[0m<" * (256 * 1024))[:256 * 1024]
    name = SHARED
    (run / "run.tape.cas").mkdir()
    (run / "run.tape.cas" / name).write_bytes(payload)
    with open(run / "run.tape", "w") as out:
        out.write('{"type":"header","version":1,"harn_version":"0.8.26"}\n')
        for seq in range(n):
            out.write(json.dumps({"type": "record", "seq": seq, "phase": "user_script", "virtual_time_ms": seq,
                                  "monotonic_ms": seq, "kind": {"kind": "llm_call", "request_digest": "r",
                                  "response": {"len_bytes": len(payload), "content_hash": name}}}) + "\n")


def excerpts(run, n):
    """n review threads about one line of 2 MiB."""
    (run / "implementation").mkdir()
    (run / "implementation/a.js").write_text("x" * 2 * MIB)
    thread = lambda i: {"id": f"t{i}", "resource": "file:///workspace/a.js", "range": {
        "start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
        "turnId": "1", "resolved": False, "entries": [{"id": f"e{i}", "text": "why"}]}
    (run / "annotations.json").write_text(json.dumps({"annotations": [thread(i) for i in range(n)]}))


def entries(run, n):
    """n entries of one review thread, of 64 KiB each, that a page would quote ten times as long."""
    (run / "annotations.json").write_text(json.dumps({"annotations": [
        {"id": "t", "resource": "file:///workspace/a.js", "turnId": "1", "resolved": False,
         "entries": [{"id": f"e{i}", "text": "\u0001" * 65536} for i in range(n)]}]}))


def evidence(run, n):
    """n annotations of one event with evidence of 32 KiB, in small pieces of Markdown."""
    events(run, 1)
    with open(run / "events.jsonl.annotations.jsonl", "w") as out:
        out.write(HEADER)
        for index in range(n):
            out.write(json.dumps({"type": "annotation", "id": f"a-{index}", "event_id": 0, "kind": "note",
                                  "evidence": "*a* " * 8192}) + "\n")


def one_evidence(run, n):
    """One annotation with evidence of n KiB, in small pieces of Markdown."""
    events(run, 1)
    (run / "events.jsonl.annotations.jsonl").write_text(HEADER + json.dumps(
        {"type": "annotation", "id": "a", "event_id": 0, "kind": "note", "evidence": "*a* " * 256 * n}) + "\n")


def checks(run, n):
    """A record with n checks."""
    found = [{"view": f"view-{i:06}", "name": f"View number {i}", "reached": True, "similarity": 0.5, "detail": None}
             for i in range(n)]
    record(run, run.name, validation={"loaded": True, "detail": None, "install": None, "build": None, "checks": found})


def turns(run, n):
    """A transcript of n turns of 64 KiB of characters that a page shows as marked symbols."""
    (run / "transcript.json").write_text(json.dumps({"_type": "transcript", "version": 2, "messages": [
        {"role": "assistant", "content": [{"type": "text", "visibility": "public", "text": "\u0001" * 65536}]}
        for _ in range(n)]}))


def content(run, n):
    """n events of 64 KiB of characters that a page shows as marked symbols."""
    events(run, n, "\u0001" * 65536)


def tapes(run, n):
    """n tapes, each with a page of its own on the page of the run."""
    for index in range(n):
        with open(run / f"{index:04}.tape", "w") as out:
            out.write('{"type":"header","version":1,"harn_version":"0.8.26"}\n')
            for seq in range(500):
                out.write(json.dumps({"type": "record", "seq": seq, "phase": "user_script", "virtual_time_ms": seq,
                                      "monotonic_ms": seq, "kind": {"kind": "file_delete",
                                                                    "path": "x" * 2000}}) + "\n")


def payloads(run, n):
    """A tape with n payloads of 48 MiB, all different; bytes that are not UTF-8 take most room."""
    (run / "run.tape.cas").mkdir()
    with open(run / "run.tape", "w") as out:
        out.write('{"type":"header","version":1,"harn_version":"0.8.26"}\n')
        for seq in range(n):
            name = f"{seq:064x}"
            (run / "run.tape.cas" / name).write_bytes(bytes([255 - seq % 8]) * 48 * MIB)
            out.write(json.dumps({"type": "record", "seq": seq, "phase": "user_script", "virtual_time_ms": seq,
                                  "monotonic_ms": seq, "kind": {"kind": "llm_call", "request_digest": "r",
                                  "response": {"len_bytes": 48 * MIB, "content_hash": name}}}) + "\n")


def long_events(run, n):
    """n valid events of 1 MiB."""
    events(run, n, "hello wo" * (MIB // 8))


def long_results(run, n):
    """A trace of n calls, each with a result of 1 MiB."""
    with open(run / "run.trace.jsonl", "w") as out:
        out.write('{"type":"trace","schemaVersion":1}\n')
        for index in range(n):
            out.write(json.dumps({"type": "tool_call", "name": "bash", "call": f"c{index}", "arguments": {"command": "make"}}) + "\n")
            out.write(json.dumps({"type": "tool_result", "call": f"c{index}", "text": "hello wo" * (MIB // 8)}) + "\n")


def empty_events(run, n):
    """n thousand events that are `{}`."""
    (run / "events.jsonl").write_text("{}\n" * n * 1000)


def sparse_row(name):
    def fill(run, n):
        sparse(run / name, n * MIB)
    fill.__doc__ = f"A sparse `{name}` of n MiB."
    return fill


ROWS = {
    "assets": (assets, 32),
    "shared": (shared, 250),
    "excerpts": (excerpts, 100),
    "entries": (entries, 50),
    "evidence": (evidence, 100),
    "one_evidence": (one_evidence, 500),
    "checks": (checks, 5000),
    "turns": (turns, 50),
    "content": (content, 100),
    "tapes": (tapes, 50),
    "payloads": (payloads, 12),
    "long_events": (long_events, 510),
    "long_results": (long_results, 100),
    "empty_events": (empty_events, 250),
    "sparse_events": (sparse_row("events.jsonl"), 512),
    "sparse_raw": (sparse_row("raw.jsonl"), 512),
    "sparse_tape": (sparse_row("run.tape"), 512),
    "sparse_sidecar": (sparse_row("events.jsonl.annotations.jsonl"), 512),
    "sparse_transcript": (sparse_row("transcript.json"), 512),
    "sparse_threads": (sparse_row("annotations.json"), 512),
    "sparse_actions": (sparse_row("annotations.actions.jsonl"), 512),
    "sparse_record": (sparse_row("run-record.json"), 512),
}


def fill(site, row, n, good=0):
    (site / "site.toml").write_text('[site]\ntitle = "Growth"\n')
    for index in range(good):
        run = site / f"content/runs/good-{index:02}"
        record(run, run.name)
        events(run, 20)
    run = site / "content/runs/bad"
    record(run, "bad")
    ROWS[row][0](run, n)


def build(binary, site, limit=None):
    """Runs a build: exit status, seconds, peak of memory in bytes, bytes and files written, the end of its output."""
    output = site / "output.txt"
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        if limit:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        out = os.open(output, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.execv(binary, [binary, "--root", str(site), "build", "--keep-going"])
    _, status, usage = os.wait4(pid, 0)
    seconds = time.monotonic() - start
    written = [path for path in (site / "public").rglob("*") if path.is_file()] if (site / "public").exists() else []
    return {
        "status": os.waitstatus_to_exitcode(status),
        "seconds": seconds,
        "memory": usage.ru_maxrss * 1024,
        "bytes": sum(path.stat().st_size for path in written),
        "largest": max((path.stat().st_size for path in written if path.suffix == ".html"), default=0),
        "pages": len(list((site / "public/runs").glob("*/run.json"))),
        "output": output.read_text(errors="replace")[-300:],
    }


def measured(binary, row, n, good=0, limit=None):
    with tempfile.TemporaryDirectory(prefix="growth-") as folder:
        site = Path(folder)
        fill(site, row, n, good)
        return build(binary, site, limit)


def size(count):
    return f"{count / MIB:,.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", help="all rows by default")
    parser.add_argument("--bin", default="target/debug/runpress")
    parser.add_argument("--survive", action="store_true")
    parser.add_argument("--limit", type=int, default=1024, help="MiB of memory that --survive grants")
    asked = parser.parse_args()
    binary = str(Path(asked.bin).resolve())
    failed = False
    for row in asked.rows or ROWS:
        n = ROWS[row][1]
        if asked.survive:
            found = measured(binary, row, 2 * n, good=50, limit=asked.limit * MIB)
            good = found["pages"] >= 50
            failed |= not good
            print(f"{row:18} {'ok' if good else 'FAILED'}: status {found['status']}, {found['pages']} runs, "
                  f"{found['seconds']:.1f} s, {size(found['memory'])} MiB, {size(found['bytes'])} MiB written",
                  "" if good else found["output"], flush=True)
            continue
        once, twice = (measured(binary, row, count) for count in (n, 2 * n))
        print(f"{row:18} n={n:<6} {once['seconds']:7.2f} s {size(once['memory']):>9} MiB {size(once['bytes']):>9} MiB out "
              f"page {size(once['largest']):>7} | 2n {twice['seconds']:7.2f} s {size(twice['memory']):>9} MiB "
              f"{size(twice['bytes']):>9} MiB out page {size(twice['largest']):>7} | "
              f"x{twice['seconds'] / once['seconds']:.1f} time, x{twice['memory'] / once['memory']:.1f} memory, "
              f"exit {once['status']}/{twice['status']}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
