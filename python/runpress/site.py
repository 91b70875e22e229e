"""A published site, and what its feeds say."""

import os
import re
from types import TracebackType
from typing import Optional, Union
from urllib.parse import unquote

from runpress.documents import damaged, lines, parsed, recorded, shaped
from runpress.errors import (
    DamagedSiteError,
    FeedNotFoundError,
    FileNotPublishedError,
    RunNotFoundError,
    SiteNotFoundError,
    VersionError,
)
from runpress.rows import Row, Rows
from runpress.sources import INDEX, Source, fetch, is_web_address, source_of

# The version of the feeds that this package reads. A key is only removed or changed in meaning with a new one.
SCHEMA_VERSION = 1


def open(place: Union[str, "os.PathLike[str]"]) -> "Site":
    """Opens a published site: a folder, a ZIP archive of one, or its address."""
    source = source_of(place)
    try:
        return Site(source, os.fspath(place))
    except BaseException:
        source.close()
        raise


class Site:
    """A published site. Feeds are read when they are asked for, each time anew."""

    def __init__(self, source: Source, place: str) -> None:
        self._source = source
        self.place = place
        try:
            content = source.read(INDEX)
        except FileNotFoundError:
            raise SiteNotFoundError(
                f"There is no published site at {place}: {INDEX} is missing",
                "Give the output folder of `runpress build` (`public`), a ZIP archive of it, or the address of its home page.",
            ) from None
        #: The document `feeds/index.json`: the site and its feeds.
        self.index: Row = self._document(INDEX, content)
        with shaped(INDEX):
            self._sizes: dict[str, int] = {feed["path"]: feed["bytes"] for feed in self.index["feeds"]}
            self._base: str = self.index["site"]["baseUrl"] or ""
        self._pages: dict[str, str] = {}

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<runpress.Site {self.place!r}: {self.index['runs']} runs>"

    def close(self) -> None:
        """Closes the archive, if the site is in one."""
        self._source.close()

    def runs(self) -> Rows:
        """A card for each run, newest first."""
        with shaped("feeds/runs.json"):
            return Rows(self._document("feeds/runs.json", self._feed("feeds/runs.json"))["runs"])

    def cells(self) -> Rows:
        """The trials of each variant, model and harness, with the comparable set that they are in: case, version, engine, orchestrator."""
        with shaped("feeds/cells.json"):
            sets = self._document("feeds/cells.json", self._feed("feeds/cells.json"))["sets"]
            return Rows({**comparable, **cell} for comparable in sets for cell in comparable.pop("cells"))

    def annotations(self) -> Rows:
        """Every annotation of the archive, newest run first."""
        return Rows(parsed(line, "feeds/annotations.jsonl") for line in lines(self._feed("feeds/annotations.jsonl")))

    def run(self, run: Union[str, Row]) -> Row:
        """All data of a run: the document `run.json`. A run is named by its id, its slug or its card."""
        path = f"{self._folder(run)}run.json"
        return self._document(path, self._read(path))

    def events(self, run: Union[str, Row]) -> Rows:
        """The events of all tapes of a run, as recorded.

        `tape` and `seq` are added to each: an annotation refers to them as `tape` and `event_id`. An event that cannot be read has
        its line as `unreadable`.
        """
        folder = self._folder(run)
        document = self.run(run)
        events = Rows()
        with shaped(f"{folder}run.json"):
            addresses = {file["path"]: file.get("url") for file in document["files"]}
            for tape in document["tapes"]:
                name = tape["file"]
                content = self._download(folder + name, addresses.get(name))
                found = recorded(content, tape["format"])
                if len(found) != tape["events"]:
                    raise changed(folder + name, f"it has {len(found)} events, and run.json says {tape['events']}")
                events.extend({**event, "tape": name, "seq": seq} for seq, event in found)
        return events

    def _feed(self, path: str) -> bytes:
        """The content of a feed that the index lists."""
        size = self._sizes.get(path)
        if size is None:
            raise FeedNotFoundError(
                f"The site {self.place} has no {path}",
                "Build the site with a newer version of runpress; `site.index['feeds']` lists the feeds that it has.",
            )
        content = self._read(path)
        if len(content) != size:
            raise changed(path, f"it has {len(content)} bytes, and {INDEX} says {size}")
        return content

    def _read(self, path: str) -> bytes:
        try:
            return self._source.read(path)
        except FileNotFoundError:
            raise changed(path, "it is missing") from None

    def _download(self, path: str, url: Optional[str]) -> bytes:
        """A recorded file, next to the page of its run or at the address where the site publishes it."""
        try:
            if url is None:
                return self._source.read(path)
            if is_web_address(url):
                return fetch(url)
        except FileNotFoundError:
            pass
        raise FileNotPublishedError(
            f"The site {self.place} does not publish {path}",
            "Its publisher left event logs and tapes out; `site.run(...)` has the steps of the run.",
        )

    def _document(self, path: str, content: bytes) -> Row:
        document = parsed(content, path)
        version = document.get("schemaVersion")
        if version != SCHEMA_VERSION:
            if not isinstance(version, int):
                raise damaged(path, "it has no `schemaVersion`")
            raise VersionError(
                f"{path} of {self.place} has schema version {version}; this package reads {SCHEMA_VERSION}",
                "Run `pip install --upgrade runpress`." if version > SCHEMA_VERSION else "Build the site again.",
            )
        return document

    def _folder(self, run: Union[str, Row]) -> str:
        """The path of the folder of a run."""
        with shaped("feeds/runs.json"):
            if isinstance(run, str) and run not in self._pages:
                for card in self.runs():
                    self._pages[card["id"]] = self._pages[card["slug"]] = card["url"]
            url = self._pages.get(run) if isinstance(run, str) else run.get("url")
            if url is None:
                raise RunNotFoundError(
                    f"The site {self.place} has no run {run!r}",
                    "Give the `id` or the `slug` of a run in `site.runs()`, or the run itself.",
                )
            path = url.removeprefix(self._base)
            return unquote(re.sub(r"index\.html$", "", path))


def changed(path: str, problem: str) -> DamagedSiteError:
    return DamagedSiteError(
        f"{path} is not what the site says about it: {problem}",
        "If the site was published again in the meantime, open it again. Otherwise copy it again.",
    )
