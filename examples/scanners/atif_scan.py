"""Turns the report of atif-scan on one trajectory into findings for `runpress annotate --from`.

    atif-scan --format json trajectory.json > report.json
    python atif_scan.py report.json RUN/import.trace.jsonl | runpress annotate RUN --from -

RUN is the folder that `runpress import trajectory.json` made. Matches without a place in the trace are listed on standard
error, and are no findings.
"""

import json
import sys


def pointers(at):
    """Where the evidence is in the trajectory, the most exact place first."""
    step = f"/steps/{at['step']}"
    if at["call"] is not None:
        yield f"{step}/tool_calls/{at['call']}"
    if at["observation"] is not None:
        yield f"{step}/observation/results/{at['observation']}"
    if at["channel"] in ("message", "reasoning"):
        yield f"{step}/message" if at["channel"] == "message" else f"{step}/reasoning_content"
    # Metadata of a step has no event of its own.
    yield step


def event(at, events):
    """The number of the first event that was made from the evidence; `None` if there is none."""
    for pointer in pointers(at):
        for origin, number in events:
            if origin == pointer or origin.startswith(f"{pointer}/"):
                return number
    return None


def main(report, trace):
    with open(report, encoding="utf-8") as file:
        document = json.load(file)
    if len(document["inputs"]) != 1:
        sys.exit(f"{report}: the report is about {len(document['inputs'])} trajectories. Scan them one by one.")
    with open(trace, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    events = [(row["source"]["pointer"], row["seq"]) for row in rows if "pointer" in row.get("source", {})]
    for match in document["inputs"][0]["assessments"]:
        # Rules repeat what detectors found; `expected_by` names allowances.
        if match["status"] != "match" or match["kind"] != "detector" or match["expected_by"]:
            continue
        title = document["checks"][match["id"]]["title"]
        numbers = {event(at, events) for at in match["evidence"]} - {None}
        if not numbers:
            print(f"{match['id']}: {title}: no event", file=sys.stderr)
        for number in sorted(numbers):
            finding = {
                "event": number,
                "kind": "note",
                "evidence": f"{title} (`{match['id']}`, severity {match['severity']}).",
                "author": {"id": "atif-scan", "kind": "system"},
            }
            print(json.dumps(finding, ensure_ascii=False))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
