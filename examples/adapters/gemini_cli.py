"""Prints a session of Gemini CLI as the lines that `runpress import --from-command` reads.

    runpress import ~/.gemini/tmp --from-command 'python3 gemini_cli.py' --case fix-parser

A session is one JSON document, or JSON Lines in newer versions. Python 3.9, without packages.
"""

import json
import sys

def printed(line):
    """Prints a line without the keys that have no value."""
    line = {key: value for key, value in line.items() if value not in (None, "", [], {})}
    print(json.dumps(line, ensure_ascii=False, allow_nan=False))


def session(text):
    """The facts and the messages of a session, each message with the name of its branch; None for another file."""
    try:
        rows = [(1, json.loads(text))]
    except ValueError:
        lines = text.split("\n")
        rows = []
        for number, line in enumerate(lines, 1):
            try:
                rows += [(number, json.loads(line))] if line.strip() else []
            except ValueError:
                # The last line may be cut off while the program writes.
                if number < len(lines) or not rows:
                    raise
    facts, messages, living, branches = {}, [], {}, 0
    for number, row in rows:
        if not isinstance(row, dict):
            return None
        update = row.get("$set", row if "sessionId" in row else {})
        facts.update({key: value for key, value in update.items() if key != "messages"})
        for message in [row] if "id" in row else update.get("messages") or []:
            # A message is written again when more of it is known.
            at = living.setdefault(message.get("id") or len(messages), len(messages))
            messages[at : at + 1] = [{**message, "line": number}]
        if "$rewindTo" in row:
            # What was taken back stays, as a branch.
            branches += 1
            order = list(living)
            for key in order[order.index(row["$rewindTo"]) if row["$rewindTo"] in living else 0 :]:
                messages[living.pop(key)]["branch"] = f"b{branches}"
    return (facts, messages) if "sessionId" in facts and messages else None


def content(value):
    """The texts of a content, and the number of its attachments."""
    parts = value if isinstance(value, list) else [value]
    texts = [part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, (str, dict))]
    files = [part for part in parts if isinstance(part, dict) and ("inlineData" in part or "fileData" in part)]
    return "\n".join(text for text in texts if isinstance(text, str)), len(files)


def output(call):
    """The text of a result, or None if the call has none."""
    parts = call.get("result")
    parts = parts if isinstance(parts, list) else [parts]
    texts = []
    for part in parts:
        response = part.get("functionResponse", {}).get("response") if isinstance(part, dict) else part
        if isinstance(response, dict):
            response = response.get("output", response.get("error", json.dumps(response, ensure_ascii=False)))
        if response is not None:
            texts.append(response if isinstance(response, str) else json.dumps(response, ensure_ascii=False))
    return "\n".join(texts) if texts else None


def answer(message, common):
    """Prints the events of an answer of the model."""
    time, model = message.get("timestamp"), message.get("model")
    for thought in message.get("thoughts") or []:
        text = "\n".join(filter(None, (thought.get("subject"), thought.get("description"))))
        printed({"type": "reasoning", "time": thought.get("timestamp") or time, "summary": True, "text": text, **common})
    text, images = content(message.get("content"))
    if text.strip() or images:
        printed({"type": "message", "time": time, "role": "assistant", "text": text or " ", "model": model, "images": images or None, **common})
    calls = [call for call in message.get("toolCalls") or [] if isinstance(call, dict)]
    for call in calls:
        printed({"type": "tool_call", "time": time, "name": call.get("name") or "unknown", "call": call.get("id"), "arguments": call.get("args"), **common})
    for call in sorted(calls, key=lambda call: call.get("timestamp") or ""):
        result(call, common)
    tokens = message.get("tokens") or {}
    if any(tokens.get(key) for key in ("input", "output", "total")):
        # The input includes what was cached, and the output does not include the thoughts.
        cached = tokens.get("cached", 0)
        classes = {
            "uncachedInput": tokens.get("input", 0) - cached + tokens.get("tool", 0),
            "cachedInput": cached,
            "output": tokens.get("output", 0),
            "reasoning": tokens.get("thoughts"),
        }
        tokens = {key: value for key, value in classes.items() if value is not None}
        ids = [call["id"] for call in calls if call.get("id")]
        printed({"type": "usage", "model": model, "tokens": tokens, "calls": ids, **common})


def result(call, common):
    """Prints the result of a call, and the edit that it made."""
    status, text = call.get("status"), output(call)
    if text is None and status not in ("success", "error", "cancelled"):
        return
    common = {"time": call.get("timestamp"), "call": call.get("id"), **common}
    ok = {"success": True, "error": False}.get(status)
    printed({"type": "tool_result", "ok": ok, "status": status, "text": text, **common})
    shown = call.get("resultDisplay")
    if ok and isinstance(shown, dict) and shown.get("fileDiff"):
        change = "create" if shown.get("isNewFile") or shown.get("originalContent") is None else "modify"
        path = shown.get("filePath") or shown.get("fileName") or "unknown"
        printed({"type": "edit", "path": path, "change": change, "diff": shown["fileDiff"], **common})


def main(path):
    sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    printed({"type": "adapter", "schemaVersion": 1, "importer": {"format": "gemini-cli", "version": 1}})
    read = session(text) if text.lstrip().startswith("{") else None
    if read is None:
        return
    facts, messages = read
    models = sorted({message["model"] for message in messages if message.get("model")})
    printed({
        "type": "record", "id": facts["sessionId"], "startedAt": facts.get("startTime"), "finishedAt": facts.get("lastUpdated"),
        "subject": {"harnessSlug": "gemini-cli"}, "import": {"models": models}, "private": {"folders": facts.get("directories") or []},
    })  # fmt: skip
    for message in messages:
        source = {"file": 0, "line": message["line"], "id": message.get("id") or str(message["line"])}
        common = {"branch": message.get("branch"), "source": source}
        kind, time = message.get("type"), message.get("timestamp")
        text, images = content(message.get("content"))
        if kind == "gemini":
            answer(message, common)
        elif kind == "user" and text.lstrip().startswith(("<session_context>", "<hook_context>")):
            printed({"type": "note", "time": time, "kind": "injected context", "text": text, **common})
        elif kind == "user":
            printed({"type": "message", "time": time, "role": "user", "text": text or " ", "images": images or None, **common})
        elif kind == "error":
            printed({"type": "error", "time": time, "message": text or "error", **common})
        elif kind in ("info", "warning"):
            printed({"type": "note", "time": time, "kind": kind, "text": text, **common})
        else:
            printed({"type": "unknown", "time": time, "kind": kind or "no type", **common})


if __name__ == "__main__":
    main(sys.argv[-1])
