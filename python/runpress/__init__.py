"""Reads the feeds of a site that was published with runpress: from a folder, an address or a ZIP archive.

    import runpress

    site = runpress.open("https://example.org/runs/")
    frame = site.runs().to_pandas()
"""

from runpress.errors import (
    DamagedSiteError,
    FeedNotFoundError,
    FetchError,
    FileNotPublishedError,
    PackageNotFoundError,
    RunNotFoundError,
    RunpressError,
    SiteNotFoundError,
    VersionError,
)
from runpress.rows import Row, Rows
from runpress.site import SCHEMA_VERSION, Site, open

__all__ = [
    "SCHEMA_VERSION",
    "DamagedSiteError",
    "FeedNotFoundError",
    "FetchError",
    "FileNotPublishedError",
    "PackageNotFoundError",
    "Row",
    "Rows",
    "RunNotFoundError",
    "RunpressError",
    "Site",
    "SiteNotFoundError",
    "VersionError",
    "open",
]
