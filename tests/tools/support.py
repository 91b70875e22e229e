"""What the tests share: the demo site with an address, a server for it, and the examples on its pages."""

import functools
import html
import http.server
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("RUNPRESS_BIN", ROOT / "target/release/runpress")).resolve()
BASE = "https://runs.example.org/"

# The module for Python, which has the name of the function below.
sys.path.insert(0, str(ROOT / "python"))


def runpress(*arguments, **options):
    """Runs the program."""
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, **options)


def build():
    """Builds the demo site with an address, so that it has every feed."""
    folder = tempfile.TemporaryDirectory()
    site = pathlib.Path(folder.name) / "site"
    done = runpress("--root", ROOT, "build", "--quiet", "--out", site, "--base-url", BASE)
    assert done.returncode == 0, done.stderr
    return folder, site


# The folder lives as long as the tests.
FOLDER, SITE = build()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Server:
    """Serves a folder on the loopback interface."""

    def __init__(self, folder):
        handler = functools.partial(QuietHandler, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def examples():
    """The examples of the page of feeds: feed, tool, text."""
    page = (SITE / "feeds/index.html").read_text(encoding="utf-8")
    for block in re.findall(r"<details.*?</details>", page, re.S):
        feed = re.search(r"<summary>(.*?)</summary>", block).group(1)
        for tool, text in re.findall(r"<p class=\"?lab\"?>(.*?)(?:</p>)?\s*<pre>(.*?)</pre>", block, re.S):
            yield html.unescape(feed), tool, html.unescape(text)


def blocks(page, language):
    """The code blocks of a language on a page of the guide, each with the words of the line before it."""
    text = (ROOT / "content/pages" / page).read_text(encoding="utf-8")
    return re.findall(rf"^([^\n]*)\n\n```{language}\n(.*?)^```$", text, re.S | re.M)
