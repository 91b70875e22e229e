"""Turns the results of Inspect Scout on one transcript into findings for `runpress annotate --from`.

    scout scan scanners.py -T logs/
    python scout.py scans/scan_id=... RUN | runpress annotate RUN --from -

RUN is the folder that `runpress import` made of the same log. Results without a place in the trace are listed on standard
error, and are no findings. Runs where Inspect Scout is installed, which reads its own results.
"""

import json
import pathlib
import sys

from inspect_scout import scan_results_df

# The kind of annotation of a scanner's results, by its name. What a value means, only the author of a scanner knows.
KINDS = {}


def results(location):
    """Each result, with the author of its annotations: a scanner that called a model is an agent."""
    scan = scan_results_df(location, exclude_columns=["scan_events"])
    for scanner, frame in scan.scanners.items():
        kind = "agent" if scan.summary.scanners[scanner].tokens else "system"
        for row in json.loads(frame.to_json(orient="records")):
            yield {"id": f"scout/{scanner}", "kind": kind}, scanner, row


def is_found(row):
    """Whether there is a result: by Scout's convention, a value such as false, 0 or nothing is none."""
    value = row["value"]
    if isinstance(value, str) and row["value_type"] in ("boolean", "number", "null", "array", "object"):
        value = json.loads(value)
    return bool(value)


def messages(row):
    """The messages that the scanner was given, by id."""
    given = json.loads(row["input"])
    found = given["messages"] if row["input_type"] == "transcript" else given if isinstance(given, list) else [given]
    return {message.get("id"): message for message in found}


def references(row):
    """The messages and events that a result is about: those that it cites, else the one that was scanned."""
    cited = [(it["type"], it["id"]) for key in ("message", "event") for it in json.loads(row.get(f"{key}_references") or "[]")]
    kind = row["input_type"]
    return cited or [(kind, it) for it in json.loads(row["input_ids"]) if kind in ("message", "event")]


def text(message):
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return "\n".join(part["text"] for part in parts if part["type"] == "text")


def event_of_message(message, events):
    """The number of the event of a message. A call and its result have the id of the call, other messages only their words."""
    for call in [message.get("tool_call_id")] if message["role"] == "tool" else [it["id"] for it in message.get("tool_calls") or []]:
        kind = "tool_result" if message["role"] == "tool" else "tool_call"
        for event in events:
            if event["type"] == kind and event.get("call") == call:
                return event["seq"]
    words = text(message).strip()
    for event in events:
        if event["type"] == "message" and event["role"] == message["role"] and event["text"].strip() == words:
            return event["seq"]
    return None


def main(location, run):
    run = pathlib.Path(run)
    transcript = json.loads((run / "run-record.json").read_text(encoding="utf-8"))["id"]
    with open(run / "import.trace.jsonl", encoding="utf-8") as file:
        events = [row for row in map(json.loads, filter(str.strip, file)) if "seq" in row]
    # The first event of each event of the log.
    numbers = {event["source"].get("id"): event["seq"] for event in reversed(events)}
    for author, scanner, row in results(location):
        if row["transcript_id"] != transcript:
            continue
        if row.get("scan_error"):
            print(f"{scanner}: it failed: {row['scan_error']}", file=sys.stderr)
            continue
        if not is_found(row):
            continue
        said = row.get("explanation") or row.get("answer") or f"{row.get('label') or scanner}: {row['value']}"
        given = messages(row)
        found = set()
        for kind, name in references(row):
            is_known = kind == "message" and name in given
            found.add(event_of_message(given[name], events) if is_known else numbers.get(name))
        if not found - {None}:
            print(f"{scanner}: {said}: no event", file=sys.stderr)
        for number in sorted(found - {None}):
            finding = {"event": number, "kind": KINDS.get(scanner, "note"), "evidence": said.strip(), "author": author}
            print(json.dumps(finding, ensure_ascii=False))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
