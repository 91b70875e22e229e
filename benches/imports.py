#!/usr/bin/env python3
"""What `runpress import` costs for large and hostile logs (stdlib only, Linux and macOS).

    benches/imports.py [--bin PATH] [--scale X] [--seconds S] [--list] [CASE ...]

Every case writes a log of size n and one of 2n, imports both, and prints CPU seconds, MB of source for each of them, and peak
memory. Time that grows with the size has a ratio of 2. `--scale 0.1` makes every log a tenth as large. An import that takes more
than S seconds of CPU or 8 GiB is killed, and fails.
"""
import argparse
import io
import json
import os
import resource
import sys
import tempfile
import time
import zipfile

MB = 1_000_000
CASES = {}
SESSION = "7d9f0c52-0000-4000-8000-00000000a001"
WORDS = "The test fails because the parser drops the last line; see src/lines.rs:41 for \"the\" reason.\n"


def case(n, status=0):
    """Registers a case: n, and the exit status of its import."""
    def register(make):
        CASES[make.__name__.replace("_", "-")] = (n, status, make)
        return make
    return register


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def clock(i):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(1_772_359_200 + i)) + ".000Z"


# Rows of sessions.

def claude(i, kind, **message):
    return compact({"parentUuid": f"u{i - 1}" if i else None, "isSidechain": False, "cwd": "/Users/ana/app", "sessionId": SESSION,
                    "version": "2.1.0", "type": kind, "message": {"role": kind, **message}, "uuid": f"u{i}", "timestamp": clock(i)})


def claude_usage():
    return {"input_tokens": 5, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 900, "output_tokens": 30}


def claude_turn(i, text):
    call = [{"type": "tool_use", "id": f"t{i}", "name": "Bash", "input": {"command": "cargo test", "description": "Run"}}]
    result = [{"type": "tool_result", "tool_use_id": f"t{i}", "is_error": False, "content": text}]
    yield claude(2 * i, "assistant", id=f"msg_{i}", model="sample", content=call, usage=claude_usage())
    yield claude(2 * i + 1, "user", content=result)


def codex(i, kind, payload):
    return compact({"timestamp": clock(i), "type": kind, "payload": payload})


def codex_turn(i, text):
    yield codex(i, "response_item", {"type": "function_call", "name": "exec_command", "call_id": f"c{i}",
                                     "arguments": compact({"cmd": "cargo test", "workdir": "/Users/ana/app"})})
    yield codex(i, "response_item", {"type": "function_call_output", "call_id": f"c{i}", "output": text})


def codex_start():
    return codex(0, "session_meta", {"id": SESSION, "timestamp": clock(0), "cwd": "/Users/ana/app", "cli_version": "0.100.0"})


def session(folder, size, turn, first=()):
    """Turns with results of 8 KB until there are so many bytes."""
    path, written = os.path.join(folder, f"{SESSION}.jsonl"), 0
    with open(path, "w") as out:
        for line in first:
            written += out.write(line + "\n")
        i = 1
        while written < size:
            for line in turn(i, WORDS * 80):
                written += out.write(line + "\n")
            i += 1
    return path


@case(100 * MB)
def claude_session(folder, n):
    return session(folder, n, claude_turn)


@case(100 * MB)
def codex_session(folder, n):
    return session(folder, n, codex_turn, [codex_start()])


def rows(folder, lines):
    path = os.path.join(folder, f"{SESSION}.jsonl")
    with open(path, "w") as out:
        out.writelines(line + "\n" for line in lines)
    return path


@case(500_000)
def claude_rows(folder, n):
    message = lambda i: claude(i, "assistant", id=f"m{i}", model="sample", content=[{"type": "text", "text": "Yes."}], usage=claude_usage())
    return rows(folder, (message(i) for i in range(n)))


@case(500_000)
def codex_rows(folder, n):
    message = lambda i: codex(i, "response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]})
    return rows(folder, [codex_start(), *(message(i) for i in range(n))])


@case(500_000)
def codex_twins(folder, n):
    """What is written twice, far apart: each is looked for among the others."""
    item = lambda i: codex(i, "response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"{i}"}]})
    event = lambda i: codex(i, "event_msg", {"type": "agent_message", "message": f"{i}"})
    return rows(folder, [codex_start(), *map(item, range(n // 2)), *map(event, range(n // 2))])


@case(500_000)
def claude_forks(folder, n):
    """Every second row was abandoned."""
    def row(i):
        value = json.loads(claude(i, "user", content=f"Try {i}"))
        value["parentUuid"] = f"u{i - 1 - i % 2}" if i > 1 else None
        return compact(value)
    return rows(folder, map(row, range(n)))


@case(200_000)
def claude_agents(folder, n):
    """Every row is the first of a subagent."""
    def row(i):
        value = json.loads(claude(i, "user", content="Go."))
        value.update(parentUuid=None, isSidechain=True, agentId=f"a{i}")
        return compact(value)
    return rows(folder, map(row, range(n)))


@case(200_000)
def calls_of_one_id(folder, n):
    call = lambda i: claude(i, "assistant", id=f"m{i}", model="sample", content=[{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}])
    result = lambda i: claude(i, "user", content=[{"type": "tool_result", "tool_use_id": "t", "content": "x"}])
    return rows(folder, [*map(call, range(n // 2)), *map(result, range(n // 2, n))])


@case(200_000)
def broken_rows(folder, n):
    return rows(folder, [claude(0, "user", content="Go."), *['{"type":"user"'] * n])


# Texts.

def one_message(folder, text):
    return rows(folder, [claude(0, "user", content=text)])


@case(50 * MB)
def one_long_line(folder, n):
    return one_message(folder, WORDS * (n // len(WORDS)))


@case(200_000)
def names_of_people(folder, n):
    """A home folder of another person on each line."""
    return rows(folder, (claude(i, "user", content=f"/home/person{i}/code and person{i}") for i in range(n)))


@case(2 * MB)
def at_signs(folder, n):
    return one_message(folder, "@" * n)


@case(2 * MB)
def home_folders(folder, n):
    return one_message(folder, "/home/" * (n // 6))


@case(2 * MB)
def addresses(folder, n):
    return one_message(folder, "a.b@" * (n // 4))


@case(10_000)
def deep_arguments(folder, n):
    value = "[" * n + "]" * n
    line = claude(0, "assistant", id="m", model="sample", content=[{"type": "tool_use", "id": "t", "name": "Bash", "input": {"x": 1}}])
    return rows(folder, [claude(1, "user", content="Go."), line.replace('{"x":1}', value)])


# Documents.

def document(folder, name, value):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        json.dump(value, out, separators=(",", ":"))
    return path


@case(10_000)
def atif_steps(folder, n):
    step = lambda i: {"step_id": i, "timestamp": clock(i), "source": "agent", "message": WORDS,
                      "tool_calls": [{"tool_call_id": f"c{i}", "function_name": "bash", "arguments": {"cmd": "ls"}}],
                      "observation": {"results": [{"source_call_id": f"c{i}", "content": WORDS * 80}]}}
    return document(folder, "trajectory.json", {"schema_version": "ATIF-v1.7", "session_id": "s", "agent": {"name": "a", "version": "1"},
                                                "steps": [step(i) for i in range(1, n + 1)]})


@case(10_000)
def mini_swe_agent_messages(folder, n):
    messages = [{"role": "system", "content": "x"}]
    for i in range(n):
        messages += [{"role": "assistant", "content": "```bash\nls\n```"}, {"role": "user", "content": WORDS * 80}]
    return document(folder, "a.traj.json", {"info": {}, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"})


@case(10_000)
def swe_agent_steps(folder, n):
    step = {"action": "ls", "observation": WORDS * 80, "response": "ls", "thought": "ls", "state": {}}
    return document(folder, "a.traj", {"environment": "x", "trajectory": [step] * n, "history": [], "info": {}})


@case(10_000)
def openhands_events(folder, n):
    events = []
    for i in range(0, 2 * n, 2):
        events += [{"id": i, "timestamp": clock(i), "source": "agent", "action": "run", "args": {"command": "ls"}},
                   {"id": i + 1, "timestamp": clock(i), "source": "agent", "observation": "run", "cause": i, "content": WORDS * 80}]
    return document(folder, "a.json", events)


@case(10_000)
def inspect_messages(folder, n):
    call = lambda i: {"role": "assistant", "content": "x", "tool_calls": [{"id": f"c{i}", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}]}
    result = lambda i: {"role": "tool", "tool_call_id": f"c{i}", "content": WORDS * 80}
    messages = [message for i in range(n) for message in (call(i), result(i))]
    sample = {"id": 1, "epoch": 1, "input": "x", "target": "y", "messages": messages, "scores": {}}
    return document(folder, "a.json", {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": [sample]})


# Bombs.

def packed(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, size in members:
            with archive.open(name, "w", force_zip64=True) as member:
                for _ in range(size // MB):
                    member.write(b" " * MB)
    return out.getvalue()


def archive(folder, content):
    path = os.path.join(folder, "log.eval")
    with open(path, "wb") as out:
        out.write(content)
    return path


@case(500, status=1)
def zip_bomb(folder, n):
    return archive(folder, packed([("header.json", n * MB)]))


@case(100, status=1)
def zip_bomb_of_members(folder, n):
    """Samples that are small enough one by one."""
    header = [("header.json", 0)]
    return archive(folder, packed(header + [(f"samples/{i}_epoch_1.json", 60 * MB) for i in range(n // 5)]))


@case(500, status=1)
def zip_bomb_in_a_zip(folder, n):
    inner = packed([("header.json", n * MB)])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as outer:
        outer.writestr("header.json", inner)
        outer.writestr("samples/1_epoch_1.json", inner)
    return archive(folder, out.getvalue())


def measured(binary, path, seconds):
    """Exit status, CPU seconds, peak memory in MB, and the end of the output."""
    with tempfile.TemporaryDirectory() as out:
        output = os.path.join(out, "output")
        pid = os.fork()
        if pid == 0:
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            file = os.open(output, os.O_CREAT | os.O_WRONLY)
            os.dup2(file, 1)
            os.dup2(file, 2)
            os.execv(binary, [binary, "import", path, "--case", "large", "--out", os.path.join(out, "runs")])
        _, status, usage = os.wait4(pid, 0)
        peak = usage.ru_maxrss / (1024 if sys.platform == "linux" else 1 << 20)
        with open(output, errors="replace") as file:
            end = file.read()[-400:]
        return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, peak, end


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="all by default")
    parser.add_argument("--bin", default="target/release/runpress")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    if given.list:
        print("\n".join(CASES))
        return
    failed = False
    print("| | MB | CPU, s | MB/s | Peak, MB | Ratio |\n|---|--:|--:|--:|--:|--:|")
    for name in given.cases or CASES:
        n, expected, make = CASES[name]
        first = None
        for count in (int(n * given.scale), int(2 * n * given.scale)):
            with tempfile.TemporaryDirectory() as folder:
                path = make(folder, count)
                size = os.path.getsize(path) / MB
                status, cpu, peak, end = measured(os.path.abspath(given.bin), path, given.seconds)
            ratio = f"{cpu / first:.1f}" if first else ""
            first = first or cpu
            print(f"| {name} | {size:,.1f} | {cpu:.2f} | {size / cpu:,.0f} | {peak:,.0f} | {ratio} |", flush=True)
            if status != expected:
                failed = True
                print(f"{name}: exit status {status} instead of {expected}: {end}", file=sys.stderr)
                break
    sys.exit(failed)


if __name__ == "__main__":
    main()
