"""Documents and lines of JSON, published and recorded."""

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, Optional

from runpress.errors import DamagedSiteError
from runpress.rows import Row

# Half of a surrogate pair is an escape that begins like this.
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parsed(content: bytes, path: str) -> Row:
    """A document of the site, or a line of one."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise damaged(path, str(error)) from error
    if not isinstance(document, dict):
        raise damaged(path, "it is not a JSON object")
    return document


def lines(content: bytes) -> list[bytes]:
    """The lines of a file that are not blank, without its byte order mark."""
    content = content[3:] if content.startswith(b"\xef\xbb\xbf") else content
    return [line for line in content.split(b"\n") if line.strip(b" \t\r\f")]


def recorded(content: bytes, format: str) -> list[tuple[int, Row]]:
    """The events of a tape, each with its number."""
    # A trace and a Harn tape begin with a header.
    events = lines(content)[format != "events" :]
    if format == "harn":
        # Of a recording that was cut off, the last line cannot be read, and is no event.
        return [(event["seq"], event) for event in map(recorded_event, events) if "unreadable" not in event]
    return list(enumerate(map(recorded_event, events)))


def recorded_event(line: bytes) -> Row:
    """A recorded line. What tables cannot hold is replaced as in the feeds: numbers without bounds, and halves of surrogate pairs."""
    text = line.decode(errors="replace")
    try:
        event = json.loads(text, parse_float=finite, parse_constant=refuse)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        return {"unreadable": text}
    return whole(event) if SURROGATE.search(text) else event


def finite(digits: str) -> Optional[float]:
    number = float(digits)
    return number if math.isfinite(number) else None


def refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def whole(value: Any) -> Any:
    """The value with U+FFFD instead of each half of a surrogate pair."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [whole(each) for each in value]
    if isinstance(value, dict):
        return {whole(key): whole(each) for key, each in value.items()}
    return value


@contextmanager
def shaped(path: str) -> Iterator[None]:
    """Reports a key that is missing or has a value of another type as damage of the document."""
    try:
        yield
    except (AttributeError, KeyError, TypeError) as error:
        raise damaged(path, f"a value is missing or has another type ({error!r})") from error


def damaged(path: str, problem: str) -> DamagedSiteError:
    return DamagedSiteError(f"{path} cannot be read: {problem}", "Copy or build the site again.")
