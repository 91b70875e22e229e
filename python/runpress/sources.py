"""Where the files of a site are: in a folder, in a ZIP archive, or on a web server.

Paths are relative to the root of the site and come from its feeds. They are not trusted: none of them leads out of the site.
"""

import http.client
import os
import pathlib
import re
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from typing import Protocol, Union

from runpress.errors import DamagedSiteError, FetchError, SiteNotFoundError

INDEX = "feeds/index.json"
# How long a server may be silent.
SECONDS = 60


class Source(Protocol):
    """The files of a site."""

    def read(self, path: str) -> bytes:
        """Returns the content of a file. Raises `FileNotFoundError` if there is no such file."""

    def close(self) -> None:
        """Releases the file or the connection."""


class Folder:
    """A site in a folder."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root.resolve()

    def read(self, path: str) -> bytes:
        file = (self.root / checked(path)).resolve()
        # A link may lead out of the folder.
        if self.root not in file.parents:
            raise outside(path)
        try:
            return file.read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise FileNotFoundError(path) from None
        except OSError as error:
            raise FetchError(f"{file} cannot be read: {error}", "Make the file readable.") from error

    def close(self) -> None:
        pass


class Archive:
    """A site in a ZIP archive, at its root or in one of its folders."""

    def __init__(self, file: pathlib.Path) -> None:
        self.file = file
        try:
            self.archive = zipfile.ZipFile(file)
        except (OSError, zipfile.BadZipFile) as error:
            raise FetchError(f"{file} cannot be read: {error}", "Download or pack the archive again.") from error
        folders = [name[: -len(INDEX)] for name in self.archive.namelist() if f"/{name}".endswith(f"/{INDEX}")]
        self.folder = min(folders, key=len, default="")

    def read(self, path: str) -> bytes:
        try:
            return self.archive.read(self.folder + checked(path))
        except KeyError:
            raise FileNotFoundError(path) from None
        except (OSError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
            problem = f"{path} in {self.file} cannot be read: {error}"
            raise FetchError(problem, "Pack the site again, without a password and with the method deflate.") from error

    def close(self) -> None:
        self.archive.close()


class Address:
    """A site on a web server."""

    def __init__(self, root: str) -> None:
        self.root = root

    def read(self, path: str) -> bytes:
        return fetch(self.root + urllib.parse.quote(checked(path)))

    def close(self) -> None:
        pass


def fetch(url: str) -> bytes:
    """Downloads a file. Raises `FileNotFoundError` if the server does not have it."""
    request = urllib.request.Request(url, headers={"User-Agent": "runpress (Python)"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            content: bytes = answer.read()
            return content
    except urllib.error.HTTPError as error:
        with error:
            if error.code in (404, 410):
                raise FileNotFoundError(url) from None
            raise FetchError(f"{url} cannot be read: HTTP status {error.code}", advice(error.code)) from error
    except urllib.error.URLError as error:
        raise FetchError(f"{url} cannot be read: {error.reason}", advice(0)) from error
    except (OSError, http.client.HTTPException) as error:
        raise FetchError(f"{url} cannot be read: {error}", advice(0)) from error


def advice(status: int) -> str:
    if status in (401, 403):
        return "The site asks for a login. Download it, and open the folder or the ZIP archive."
    return "Check the address and the network, and try again."


def is_web_address(text: str) -> bool:
    return re.match(r"https?://", text, re.IGNORECASE) is not None


def checked(path: str) -> str:
    """The path, if it leads to a file of the site."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or re.search(r"[\\:\x00-\x1f]", part) for part in parts):
        raise outside(path)
    return path


def outside(path: str) -> DamagedSiteError:
    return DamagedSiteError(f"The site names a file outside of it: {path!r}", "Do not trust this copy of the site.")


def source_of(place: Union[str, "os.PathLike[str]"]) -> Source:
    """The source for what a caller of `open` gives."""
    text = os.fspath(place)
    if is_web_address(text):
        address = urllib.parse.urlsplit(text)
        path = re.sub(rf"/({INDEX}|index\.html)?$", "", address.path)
        return Address(urllib.parse.urlunsplit((address.scheme, address.netloc, f"{path}/", "", "")))
    if re.match(r"[a-z][a-z0-9+.-]*://", text, re.IGNORECASE):
        raise SiteNotFoundError(f"{text} is not a web address", "Give an address that begins with https:// or http://.")
    file = pathlib.Path(text)
    if file.is_dir():
        return Folder(file)
    if file.is_file():
        return Archive(file)
    raise SiteNotFoundError(f"{text} does not exist", "Give the folder, the ZIP archive or the web address of a published site.")
