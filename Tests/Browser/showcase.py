"""The server under test: the built executable on a free port, with a data folder of its own."""

import http.client
import json
import os
import re
import select
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
EXECUTABLE = Path(os.environ.get("LARDER_SHOWCASE", REPOSITORY / ".build/debug/Showcase"))
PATIENCE = 30
ALL_COLUMNS = "SELECT id, title, body, font_name, font_size, textColor, images, createdAt, modifiedAt FROM Note"


class Showcase:
    """Runs the executable. `stop` and `start` again are a restart: the same port, the same data."""

    def __init__(self, data: Path):
        self.data = data
        self.port = 0
        self.process = None

    def start(self, *options: str):
        assert EXECUTABLE.exists(), f"{EXECUTABLE} is missing: run 'swift build --product Showcase' first"
        self.process = subprocess.Popen(
            [EXECUTABLE, "--port", str(self.port), "--data", self.data, *options], stdout=subprocess.PIPE, text=True
        )
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready else ""
        address = re.search(r"http://[^/]+:(\d+)/", line)
        assert address, f"the server did not say where it listens, but: {line!r}"
        self.port = int(address[1])

    def stop(self):
        """Ends the server as a system does, and demands that it ends cleanly."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0, "SIGTERM did not end the server cleanly"
        self.process.stdout.close()
        self.process = None

    def restart(self):
        self.stop()
        self.start()

    def kill(self):
        """Ends the server as a power cut does."""
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process = None

    # What the tests look at

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def notes_url(self) -> str:
        return f"{self.url}/notes/"

    @property
    def ledger_url(self) -> str:
        return f"{self.url}/ledger/"

    @property
    def picture_files(self) -> dict[str, Path]:
        """The files that keep the pictures of notes, by their digests."""
        files = (self.data / "notes/notes.larder.attachments").glob("[0-9a-f]/*")
        return {file.parent.name + file.name: file for file in files}

    def expect_picture_files(self, count: int):
        """Waits until the store has deleted what no row names."""
        end = time.monotonic() + PATIENCE
        while len(self.picture_files) != count:
            assert time.monotonic() < end, f"there are {len(self.picture_files)} files, not {count}"
            select.select([], [], [], 0.05)

    def rows(self, sql: str, file: str = "notes/notes.larder") -> list[tuple]:
        """What another program reads from the file while the server runs."""
        connection = sqlite3.connect(f"file:{self.data}/{file}?mode=ro", uri=True)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def ledger_rows(self, sql: str) -> list[tuple]:
        return self.rows(sql, "ledger/ledger.larder")

    def ask(self, method: str, path: str, body=None, headers=None):
        """One request without a browser; a dictionary goes as JSON. Answers with the status, the headers and the body."""
        headers = dict(headers or {})
        if isinstance(body, dict):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        if (response.getheader("Content-Type") or "").startswith("application/json"):
            content = json.loads(content)
        return response.status, response.headers, content

    def ask_chunked(self, path: str, body: bytes, headers: dict):
        """A POST that does not say beforehand how long it is."""
        size = 1 << 16
        pieces = (body[start : start + size] for start in range(0, len(body), size))
        return self.ask("POST", path, pieces, headers)

    def create(self, title: str, body: str = "Text") -> dict:
        """A note that is there before the browser looks."""
        status, _, note = self.ask("POST", "/notes/api/notes", content(title, body))
        assert status == 201, note
        return note

    def account(self, name: str, currency: str = "EUR", initial: str = "0") -> str:
        """The key of an account that is there before the browser looks."""
        return self.made("accounts", {"name": name, "currency": currency, "initialValue": initial})

    def category(self, name: str) -> str:
        return self.made("categories", {"name": name})

    def cost(self, account: str, amount: str, note: str = "", date: str = "2026-11-21", category: str | None = None) -> str:
        return self.made("costs", {"amount": amount, "date": date, "note": note, "account": account, "category": category})

    def made(self, kind: str, form: dict) -> str:
        status, _, answer = self.ask("POST", f"/ledger/api/{kind}", form)
        assert status == 201, answer
        return answer["id"]


def content(title: str, body: str = "Text", **others) -> dict:
    """What a page sends as a note."""
    return {
        "title": title,
        "body": body,
        "font": {"name": "Helvetica", "size": 16},
        "textColor": {"red": 0, "green": 0, "blue": 0},
        "images": [],
    } | others


def version(note: dict) -> dict:
    """The header that says which version of the note a change is based on."""
    return {"If-Match": f'"{note["modifiedAt"]!r}"'}
