#!/usr/bin/env python3
"""Makes valid run directories, the same ones everywhere (stdlib only).

    benches/runs.py --runs N --out DIR [--from I] [--events E] [--annotations A] [--writeup-kb K] [--seed S] [--jobs J]

Run i depends on the seed, i and the options alone, so 200 runs are the first 200 of 1,000. At 200 events a run has about
92 KB: a record, an event log, a sidecar and a writeup.
"""
import argparse
import json
import os
import random
import uuid
from datetime import datetime, timedelta, timezone
from multiprocessing import Pool

SIDECAR = "events.jsonl.annotations.jsonl"
CASES = ["snake-game", "todo-app", "markdown-editor", "chess-board", "kanban", "weather-dash",
         "pixel-paint", "csv-viewer", "tower-defense", "music-seq", "maze-solver", "chat-ui"]
VARIANTS = ["base", "spec-only", "with-tests"]
HARNESSES = ["claude", "codex", "cline", "antigravity", "goose", "kilo", "opencode", "pi"]
MODELS = ["opus-5", "sonnet-5", "haiku-5", "gpt-6", "gpt-6-mini", "gemini-4-pro", "gemini-4-flash",
          "qwen-4-coder", "deepseek-v5", "grok-5-code", "kimi-k3", "glm-6"]
KINDS = ["correct", "incorrect", "alternative", "note", "marker", "mute", "hypothesis", "friction", "crystallize_here"]
STATUSES = ["active", "verifying", "confirmed", "disproven", "stale"]
FRICTION = ["repeated_query", "repeated_clarification", "approval_stall", "missing_context", "manual_handoff", "tool_gap",
            "failed_assumption", "expensive_model_used_for_deterministic_step", "human_hypothesis"]
TYPES = ["agent", "command", "read", "write", "search", "list", "skill", "orchestration", "error", "warning", "unknown"]
WEIGHTS = [26, 27, 17, 12, 7, 4, 1.5, 1.5, 2, 1.5, 0.5]
WORDS = ("the a to of and in is it for with on that this be as at by from or an will can not we file test build state "
         "render function component module update check value error return type string array object event handler loop "
         "canvas score keyboard input server client route config package script output stream buffer cache index query "
         "schema layout style grid button click drag drop reset timer frame pixel sprite collision bounds queue stack "
         "graph node edge path search sort merge split parse format validate retry fallback default option flag").split()
HOSTILE = [
    "</script><script>alert(1)</script>", "<img src=x onerror=\"alert('x')\">", "<!-- not closed & <b>bold",
    "\u001b[31merror\u001b[0m: \u001b[1mfailed\u001b[22m after 3 retries", "🚀✨ done — naïve café 你好 مرحبا",
    "{{ 7*7 }} {% raw %} ${HOME} <%= x %>", "\u202etxt.exe\u202c \u0000nul \ufeffbom", "]]> &amp; &#x27; \\u003c \"'`",
    "a👩‍👩‍👧‍👦b\u2028line-sep\u2029para-sep",
]
DIRS = ["src", "src/components", "src/lib", "src/state", "test", "public", "scripts", "docs"]
EXTS = [".ts", ".tsx", ".js", ".css", ".json", ".md", ".html"]
COMMANDS = ["npm install", "npm run build", "npm test -- --run", "npx tsc --noEmit", "git status --short",
            "git diff --stat HEAD~1", "ls -la src", "node scripts/check.mjs --verbose", "npx vite build --mode production",
            "grep -rn \"TODO\" src | head -50", "cat package.json | jq '.scripts'", "npx playwright test --reporter=line"]


def sentence(rng, lo=6, hi=18):
    s = " ".join(rng.choices(WORDS, k=rng.randint(lo, hi)))
    return s[0].upper() + s[1:] + "."


def paragraph(rng, size):
    out, n = [], 0
    while n < size:
        s = sentence(rng)
        r = rng.random()
        if r < 0.12:
            s = f"Use `{rng.choice(WORDS)}{rng.randint(1, 99)}()` here: {s}"
        elif r < 0.2:
            s = f"**{rng.choice(WORDS)}** {s}"
        elif r < 0.26:
            s = f"\n- {s}"
        elif r < 0.29:
            s = f"\n```js\nconst {rng.choice(WORDS)} = {rng.randint(0, 999)} < limit && ok;\n```\n"
        out.append(s)
        n += len(s) + 1
    return " ".join(out)


_pool_rng = random.Random("text-pool")
POOL = [paragraph(_pool_rng, _pool_rng.randint(60, 380)) for _ in range(3000)]  # building blocks, reused by all runs


def text(rng, lo, hi):
    want, s = rng.randint(lo, hi), ""
    while len(s) < want:
        s += ("\n\n" if s else "") + rng.choice(POOL)
    s = s[:hi]
    if rng.random() < 0.04:
        cut = rng.randint(0, len(s))
        s = s[:cut] + rng.choice(HOSTILE) + s[cut:]
    return s


def path(rng):
    return f"{rng.choice(DIRS)}/{rng.choice(WORDS)}-{rng.randint(1, 60)}{rng.choice(EXTS)}"


def iso(t):
    return t.strftime("%Y-%m-%dT%H:%M:%S.") + f"{t.microsecond // 1000:03d}Z"


def event(rng, kind, when, session):
    e = {"type": kind, "timestamp": iso(when), "sessionId": session}
    if kind == "agent":
        e["message"] = text(rng, 100, 1500)
        if rng.random() < 0.002:  # a very long single line
            e["message"] = "x<y>&" * rng.randint(2000, 6000)
    elif kind == "command":
        c = rng.choice(COMMANDS)
        while rng.random() < 0.35 and len(c) < 180:
            c += " && " + rng.choice(COMMANDS)
        code = 0 if rng.random() < 0.86 else rng.choice([1, 1, 2, 127, 137])
        e.update(command=c[:200], workingDirectory="/workspace/app", exitCode=code, isSuccess=code == 0)
    elif kind in ("read", "write"):
        start = rng.randint(1, 300)
        e.update(path=path(rng), startLine=start, endLine=start + rng.randint(1, 120))
    elif kind == "search":
        e.update(query=" ".join(rng.choices(WORDS, k=rng.randint(1, 4))), path=rng.choice(DIRS))
    elif kind == "list":
        e["path"] = rng.choice(DIRS)
    elif kind == "skill":
        name = rng.choice(["frontend-design", "testing", "review"])
        e.update(path=f"skills/{name}/SKILL.md", skillName=name)
    elif kind == "orchestration":
        e.update(action=rng.choice(["subagent_started", "subagent_completed", "subagent_failed"]), subagentName=rng.choice(WORDS))
    elif kind in ("error", "warning"):
        e["message"] = text(rng, 60, 400)
    else:
        e["raw"] = {"kind": rng.choice(WORDS), "n": rng.randint(0, 9)}
    return e


def writeup(rng, kb):
    rating = rng.choices(["flawless", "great", "scuffed", "broken"], [10, 40, 35, 15])[0]
    out = [f"---\nrating: {rating}\n---\n", f"# {sentence(rng, 3, 6)}\n"]
    n = 0
    while n < kb * 1024:
        r = rng.random()
        if r < 0.5:
            b = rng.choice(POOL)
        elif r < 0.62:
            b = f"## {sentence(rng, 2, 5)}"
        elif r < 0.77:
            body = "\n".join(f"const {rng.choice(WORDS)}{i} = ({rng.choice(WORDS)}) => {rng.randint(0, 99)} < {i} && '<b>';"
                             for i in range(rng.randint(3, 10)))
            b = f"```ts\n{body}\n```"
        elif r < 0.88:
            b = "\n".join(f"{i}. {sentence(rng, 4, 9)}" for i in range(1, rng.randint(3, 6)))
        elif r < 0.96:
            rows = "\n".join(f"| {rng.choice(WORDS)} | {rng.randint(0, 999)} |" for _ in range(4))
            b = f"| metric | value |\n| --- | --- |\n{rows}"
        else:
            b = rng.choice(HOSTILE[:3]) + " " + sentence(rng)
        out.append(b + "\n")
        n += len(b) + 1
    return "\n".join(out)


def record(rng, i, seed, started, finished):
    case, variant = CASES[i % len(CASES)], VARIANTS[(i // len(CASES)) % len(VARIANTS)]
    state = rng.choices(["completed", "failed", "unevaluable"], [82, 13, 5])[0]
    ok = state == "completed"
    cost = round(rng.lognormvariate(0.3, 0.9), 4)
    checks = [{"view": v, "name": f"{v}-{rng.choice(WORDS)}", "reached": ok or rng.random() < 0.4,
               "similarity": 0, "detail": None} for v in ("home", "play", "end", "mobile")[:rng.randint(2, 4)]]
    for c in checks:
        c.update({"similarity": round(rng.random(), 4)} if c["reached"] else {"detail": sentence(rng)})
    step = lambda cmd: {"command": cmd, "succeeded": ok or rng.random() < 0.6, "detail": None if ok else sentence(rng)}
    return {
        "id": str(uuid.UUID(int=random.Random(f"{seed}:id:{i}").getrandbits(128), version=4)),
        "startedAt": iso(started), "finishedAt": iso(finished),
        "subject": {"testCaseSlug": case, "testCaseVersion": f"1.{rng.randint(0, 4)}.0", "variant": variant,
                    "harnessSlug": rng.choice(HARNESSES), "harnessVersion": f"{rng.randint(0, 3)}.{rng.randint(0, 40)}.{rng.randint(0, 9)}",
                    "modelId": rng.choice(MODELS)},
        "tooling": {"testCabinetCommit": f"{rng.getrandbits(160):040x}"},
        "environment": {"os": "Debian GNU/Linux 12 (bookworm)", "containerImage": f"ghcr.io/example/runner@sha256:{rng.getrandbits(256):064x}", "nodeVersion": "v22.11.0"},
        "metrics": {"runTimeSeconds": round((finished - started).total_seconds(), 1),
                    "tokens": {"uncachedInput": rng.randint(10_000, 400_000), "cachedInput": rng.randint(0, 6_000_000),
                               "output": rng.randint(4_000, 120_000), "reasoning": rng.randint(0, 60_000)},
                    "cost": {"comparable": cost, "actual": round(cost * rng.uniform(0.6, 1.1), 4)}},
        "validation": {"loaded": ok, "detail": None if ok else text(rng, 40, 200), "install": step("npm ci"),
                       "build": step("npm run build"), "checks": checks},
        "links": {"sourceRepo": f"https://example.org/runs/{i}", "playableBuild": f"https://play.example.org/{i}/" if ok else None},
        "status": {"state": state, "detail": None if ok else sentence(rng)},
    }


def write_run(job):
    i, a = job
    rng = random.Random(f"{a.seed}:{i}")
    started = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=i * 977)
    session, when, events = f"sess-{rng.getrandbits(48):012x}", started, []
    for kind in rng.choices(TYPES, WEIGHTS, k=a.events):
        when += timedelta(milliseconds=rng.randint(80, 20_000))
        events.append(event(rng, kind, when, session))
    rec = record(rng, i, a.seed, started, when)
    d = os.path.join(a.out, rec["id"])
    os.makedirs(d, exist_ok=True)
    dump = lambda o: json.dumps(o, ensure_ascii=False, separators=(",", ":"))
    notes = [{"type": "header", "schema_version": 1, "tape_path": "events.jsonl", "tape_content_hash": None}]
    for k, at in enumerate(sorted(rng.sample(range(a.events), min(a.annotations, a.events)))):
        note = {"type": "annotation", "id": f"ann-{i}-{k}", "event_id": at, "kind": rng.choice(KINDS),
                "evidence": text(rng, 40, 300),
                "author": {"id": rng.choice(["rev-a", "rev-b", "judge-1"]), "kind": rng.choice(["human", "agent", "system"])},
                "timestamp": iso(when + timedelta(minutes=k + 1))}
        if note["kind"] == "hypothesis":
            note["hypothesis_status"] = rng.choice(STATUSES)
        elif note["kind"] == "friction":
            note["friction_kind"] = rng.choice(FRICTION)
        if rng.random() < 0.2:
            note["span"] = {"start_event_id": at, "end_event_id": rng.randint(at, a.events - 1)}
        notes.append(note)
    files = {"run-record.json": json.dumps(rec, ensure_ascii=False, indent=2) + "\n",
             "events.jsonl": "".join(dump(e) + "\n" for e in events),
             SIDECAR: "".join(dump(n) + "\n" for n in notes), "writeup.md": writeup(rng, a.writeup_kb)}
    for name, body in files.items():
        with open(os.path.join(d, name), "w", encoding="utf-8", newline="\n") as f:
            f.write(body)
    return sum(len(b.encode()) for b in files.values())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--runs", type=int, required=True)
    p.add_argument("--events", type=int, default=200)
    p.add_argument("--out", required=True)
    p.add_argument("--annotations", type=int, default=8)
    p.add_argument("--writeup-kb", type=float, default=3)
    p.add_argument("--from", type=int, default=0, dest="first", help="the first run")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2)
    a = p.parse_args()
    with Pool(a.jobs) as pool:
        total = sum(pool.imap_unordered(write_run, ((i, a) for i in range(a.first, a.first + a.runs)), chunksize=16))
    print(f"{a.runs} runs, {total} bytes in {a.out}")


if __name__ == "__main__":
    main()
