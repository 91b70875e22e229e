"""The errors of this package. Each says what happened, and in `help` what to do about it."""


class RunpressError(Exception):
    """The base class of all errors of this package."""

    def __init__(self, problem: str, help: str) -> None:
        super().__init__(problem, help)
        self.problem = problem
        self.help = help

    def __str__(self) -> str:
        return f"{self.problem}\n  help: {self.help}"


class SiteNotFoundError(RunpressError):
    """There is no published site at the given place."""


class VersionError(RunpressError):
    """The site has another version of the feeds than this package reads."""


class FeedNotFoundError(RunpressError):
    """The site does not have the feed."""


class RunNotFoundError(RunpressError):
    """The site does not have the run."""


class FileNotPublishedError(RunpressError):
    """The site names the file, but does not publish it."""


class DamagedSiteError(RunpressError):
    """A file of the site is not what the site says about it."""


class FetchError(RunpressError):
    """A file could not be read from the disk, the archive or the network."""


class PackageNotFoundError(RunpressError, ImportError):
    """The package that a table is converted to is not installed."""
