"""The data browser under test: the built executable on a free port, on a file that the test names."""

import http.client
import json
import os
import re
import select
import signal
import sqlite3
import subprocess
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from showcase import PATIENCE, REPOSITORY

EXECUTABLE = Path(os.environ.get("LARDER_STUDIO", REPOSITORY / ".build/debug/LarderStudioTestProcess"))
WIDTHS = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


class Studio:
    """Runs the executable. `execute` is what the program does that uses the same file."""

    def __init__(self, file: Path, *options: str):
        assert EXECUTABLE.exists(), f"{EXECUTABLE} is missing: run 'swift build --product LarderStudioTestProcess' first"
        self.show(file, subprocess.Popen([EXECUTABLE, file, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    @classmethod
    def of(cls, file: Path, process: subprocess.Popen) -> "Studio":
        """The studio that another executable runs."""
        studio = cls.__new__(cls)
        studio.show(file, process)
        return studio

    def show(self, file: Path, process: subprocess.Popen):
        self.file = file
        self.process = process
        self.url = self.line().removeprefix("Studio: ")
        address = urlsplit(self.url)
        self.port = address.port
        self.token = address.query.removeprefix("token=")

    def line(self) -> str:
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready else ""
        assert re.match(r"Studio: http://127\.0\.0\.1:\d+/\?token=|done|failed", line), f"the studio said {line!r}"
        return line.strip()

    def execute(self, sql: str):
        self.process.stdin.write(f"{sql}\n")
        self.process.stdin.flush()
        assert (said := self.line()) == "done", said

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0, "SIGTERM did not end the studio cleanly"
        self.process.stdin.close()
        self.process.stdout.close()

    def ask(self, method: str, path: str, body=None, headers=None, **values):
        """One request without a browser; a dictionary goes as JSON. Answers with the status, the headers and the body."""
        headers = {"Authorization": f"Bearer {self.token}"} | (headers or {})
        headers = {name: value for name, value in headers.items() if value is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        body = json.dumps(body).encode() if isinstance(body, dict) else body
        try:
            connection.request(method, f"/{path}?{urlencode({'session': 'test'} | values, quote_via=quote)}", body, headers)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        if (response.getheader("Content-Type") or "").startswith("application/json"):
            content = json.loads(content)
        return response.status, response.headers, content

    def rows(self, table: str, session: str = "look", **values) -> list[list]:
        """The rows as another window sees them."""
        status, _, answer = self.ask("GET", "api/rows", table=table, session=session, **values)
        assert status == 200, answer
        return [row["cells"] for row in answer["rows"]]

    def sql(self, sql: str) -> list[tuple]:
        """What another program reads from the file."""
        connection = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def attached(self) -> list[bytes]:
        """The bytes of all attachments."""
        return [file.read_bytes() for file in Path(f"{self.file}.attachments").glob("[0-9a-f]/*")]

    def document(self, key: str, table: str = "people") -> dict | None:
        """A document's JSON and when it expires, as it is stored; None if there is none."""
        status, _, answer = self.ask("GET", "api/document", table=table, key=json.dumps([f"t{key}"]), session="look")
        return None if status == 404 else {"json": answer["json"], "expires": answer.get("expires")}

    def change_document(self, key: str, table: str = "people", **after):
        """What another window makes of a document: other values of `json` and `expires`, or none of both to delete it."""
        before = self.document(key, table)
        after = ({"expires": None} | (before or {}) | after) if after else None
        status, _, answer = self.ask("POST", "api/document", {"table": table, "key": key, "before": before, "after": after}, session="other")
        assert status in (200, 204), answer


class StudioPage:
    """A window of the studio."""

    def __init__(self, page: Page, studio: Studio):
        self.page = page
        self.studio = studio
        page.goto(studio.url)
        expect(page.locator("#tables")).not_to_be_empty()
        self.panel = page.locator("#panel")
        self.work = page.locator("#work")
        self.grid = page.get_by_role("grid")
        self.condition = page.get_by_label("Condition")
        self.error = page.locator(".condition-error")
        self.dialog = page.get_by_role("dialog")

    @property
    def is_phone(self) -> bool:
        return self.page.viewport_size["width"] < 700

    def show(self, table: str):
        if self.is_phone and not self.page.locator("#tables").is_visible():
            self.page.get_by_role("button", name="Show all tables").click()
        self.page.locator("#tables").locator(f"a[data-table={json.dumps(table, ensure_ascii=False)}]").click()
        expect(self.page.locator(".filter-title h2")).to_have_text(table)

    def row(self, text: str):
        return self.grid.locator(".grid-row").filter(has_text=text)

    def open(self, table: str, text: str):
        self.show(table)
        self.row(text).locator(".grid-cell").first.click()
        expect(self.panel).to_be_visible()
        expect(self.panel.locator(".field").first).to_be_visible()

    def save_document(self):
        """Saves the document and waits for the response: the page may still say "Saved." of an earlier one."""
        with self.page.expect_response(lambda response: response.request.method == "POST" and "/api/document?" in response.url):
            self.panel.get_by_role("button", name="Save document").click()
        expect(self.panel.get_by_role("button", name="Save document")).to_be_disabled()
        expect(self.page.locator("#message")).to_contain_text("Saved.")

    def field(self, name: str):
        return self.panel.locator(f".field[data-property={json.dumps(name, ensure_ascii=False)}]")

    def write(self, name: str, text: str):
        control = self.field(name).locator("input, textarea").first
        control.fill(text)
        control.blur()

    @property
    def key(self) -> list:
        """The key of the row that the panel shows."""
        return json.loads(parse_qs(urlsplit(self.page.url).fragment)["row"][0])

    def expect_unsaved(self, count: int):
        expect(self.work.locator(".quiet")).to_have_text("All saved" if count == 0 else f"{count} unsaved change{'s' if count > 1 else ''}")

    def save(self):
        self.work.get_by_role("button", name="Save", exact=True).click()


@pytest.fixture
def start_studio(tmp_path):
    """Starts studios on files: without a file on a sample that has each kind of table and property."""
    started = []

    def start(file: Path | None = None, is_writable: bool = True, sample: str = "--make", view: str | None = None):
        options = (["--write"] if is_writable else []) + ([sample] if file is None else []) + ([view] if view else [])
        started.append(Studio(file or tmp_path / f"sample{len(started)}.larder", *options))
        return started[-1]

    yield start
    for studio in started:
        studio.stop()


@pytest.fixture
def studio(start_studio):
    return start_studio()


@pytest.fixture(params=WIDTHS)
def size(request) -> dict:
    """Each test that shows pages runs at the width of a desk and of a phone."""
    return WIDTHS[request.param]


@pytest.fixture
def window(open_page, studio, size):
    return StudioPage(open_page(viewport=size), studio)
