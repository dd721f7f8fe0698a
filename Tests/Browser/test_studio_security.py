"""The data browser lets in nobody without its token, writes nothing where it may only read, and runs nothing that a file says."""

import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from showcase import PATIENCE, REPOSITORY
from studio import Studio, StudioPage, size, start_studio, window  # noqa: F401

COMMAND = REPOSITORY / ".build/debug/larder"
SCRIPT = "<script>alert('from a file')</script><img src=x onerror=alert(1)>"
TABLE = "\"it's\" <b>`new`</b> 🧺"
COLUMN = "a \"b\" 'c' `d` <img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    """One for all whose requests are refused."""
    studio = Studio(tmp_path_factory.mktemp("studio") / "sample0.larder", "--write", "--make")
    yield studio
    studio.stop()


@pytest.fixture(scope="module")
def reader(studio):
    """One that may only read, on the same file."""
    reader = Studio(studio.file)
    yield reader
    reader.stop()


@pytest.fixture
def hostile(tmp_path):
    """A file whose names and values try to be something else."""
    file = tmp_path / "hostile.db"
    connection = sqlite3.connect(file)
    name = '"' + TABLE.replace('"', '""') + '"'
    column = '"' + COLUMN.replace('"', '""') + '"'
    connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {column} TEXT, json TEXT)")
    connection.execute(f"CREATE VIEW \"v<u>\" AS SELECT * FROM {name}")
    connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", [(1, SCRIPT, "a\0b"), (2, "x" * 3_000_000, None), (3, "\u202eright to left", "𝕏 é")])
    connection.commit()
    connection.close()
    return file


def test_names_and_values_of_a_file_stay_text(open_page, start_studio, hostile, size):
    """The window's fixture fails on any dialog that a script would open, and on any script that the browser had to stop."""
    window = StudioPage(open_page(viewport=size), start_studio(hostile))
    window.show(TABLE)
    expect(window.grid.get_by_role("columnheader").nth(1)).to_contain_text(COLUMN)
    expect(window.row(SCRIPT)).to_be_visible()
    window.grid.get_by_role("columnheader").nth(1).click()
    expect(window.grid.get_by_role("columnheader").nth(1)).to_have_attribute("aria-sort", "ascending")
    expect(window.row(SCRIPT)).to_be_visible()
    window.row(SCRIPT).locator(".grid-cell").first.click()
    expect(window.panel.locator("h2")).to_contain_text("<script>")
    window.write(COLUMN, f"{SCRIPT}!")
    window.expect_unsaved(1)
    window.work.locator(".quiet").click()
    expect(window.dialog).to_contain_text(f"{SCRIPT}!")
    window.dialog.get_by_role("button", name="Close").click()
    window.save()
    window.expect_unsaved(0)
    window.page.goto(window.page.url.split("#")[0] + "#view=diagram")
    expect(window.page.locator(".diagram-title").first).to_be_visible()
    expect(window.page.locator("script")).to_have_count(1)
    expect(window.page.locator("img[src=x]")).to_have_count(0)


def test_a_long_value_is_cut_and_cannot_be_edited_by_halves(open_page, start_studio, hostile, size):
    studio = start_studio(hostile)
    assert len(json.dumps(studio.rows(TABLE))) < 2_000
    window = StudioPage(open_page(viewport=size), studio)
    window.open(TABLE, "xxxx")
    expect(window.field(COLUMN)).to_contain_text("3.0 MB: too long to be edited here")


@pytest.mark.parametrize("path", ["", "studio.js", "api/store", "api/rows", "api/events"])
@pytest.mark.parametrize("token", [None, "Bearer ", "Bearer 0", "Bearer " + "0" * 32, "Basic {token}", "Bearer {token}0", "{token}"])
def test_nothing_is_answered_without_the_token(studio, path, token):
    header = token and token.format(token=studio.token)
    status, headers, answer = studio.ask("GET", path, headers={"Authorization": header}, table="Account")
    assert (status, set(answer)) == (401, {"message"})
    assert "Set-Cookie" not in headers


def test_the_token_moves_from_the_address_to_a_cookie(studio, open_page, size):
    status, headers, _ = studio.ask("GET", "", headers={"Authorization": None}, token=studio.token)
    assert (status, headers["Location"]) == (303, "/")
    assert "HttpOnly" in headers["Set-Cookie"] and "SameSite=Strict" in headers["Set-Cookie"]
    window = StudioPage(open_page(viewport=size), studio)
    assert studio.token not in window.page.url
    assert studio.token not in window.page.content()


def test_a_program_that_opens_a_browser_gets_an_invitation_for_one(hostile, tmp_path):
    """Any user of the machine can read the arguments of a program."""
    seen = tmp_path / "seen"
    for name in ["open", "xdg-open"]:
        (tmp_path / name).write_text(f'#!/bin/sh\necho "$@" > {seen}.part && mv {seen}.part {seen}\n')
        (tmp_path / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with subprocess.Popen([COMMAND, "studio", hostile], stdout=subprocess.PIPE, text=True, env=environment) as command:
        try:
            address = command.stdout.readline().removeprefix("Studio: ").strip()
            deadline = time.monotonic() + PATIENCE
            while not seen.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            opened = urlsplit(seen.read_text().strip())
            assert "token" not in opened.query and urlsplit(address).query.removeprefix("token=") not in opened.query
            answers = []
            # Only the page itself takes it: nothing else uses it up.
            for path in ["/api/store", "/api/store/", "/studio.js/", "/nothing/", "/jar.svg", "/", "/"]:
                connection = http.client.HTTPConnection("127.0.0.1", opened.port, timeout=PATIENCE)
                connection.request("GET", f"{path}?{opened.query}")
                answers.append(connection.getresponse())
                connection.close()
            assert [answer.status for answer in answers] == [401, 401, 401, 401, 401, 303, 401]
            assert "HttpOnly" in answers[-2].headers["Set-Cookie"] and "Set-Cookie" not in answers[-1].headers
        finally:
            command.send_signal(signal.SIGTERM)
            command.wait(PATIENCE)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture
def command(hostile, tmp_path):
    """Starts the command on a file; what would open a browser leaves a file behind."""
    for name in ["open", "xdg-open"]:
        (tmp_path / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/opened\n")
        (tmp_path / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    started = []

    def start(*options: str) -> Studio:
        arguments = [COMMAND, "studio", hostile, *options]
        started.append(Studio.of(hostile, subprocess.Popen(arguments, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, env=environment)))
        return started[-1]

    yield start
    for studio in started:
        studio.stop()


def test_the_command_lets_nobody_write_unless_it_is_told_to(command, hostile, tmp_path):
    port = free_port()
    body = {"table": TABLE, "key": ["i1"], "values": {COLUMN: "changed"}}
    reader = command("--port", str(port), "--no-open")
    assert reader.port == port
    assert reader.ask("GET", "api/store")[2]["isWritable"] is False
    for path, values in [("update", body), ("sql", {"sql": f"delete from {json.dumps(TABLE)}", "writes": True})]:
        assert reader.ask("POST", f"api/{path}", values)[0] == 403
    writer = command("--write", "--no-open")
    assert writer.ask("GET", "api/store")[2]["isWritable"] is True
    assert writer.ask("POST", "api/update", body)[0] == 200
    assert writer.ask("POST", "api/save", {})[0] == 200
    assert reader.rows(TABLE)[0][1] == "changed"
    assert not (tmp_path / "opened").exists()


def test_the_command_says_that_a_port_is_taken(command, hostile):
    studio = command("--no-open")
    taken = subprocess.run([COMMAND, "studio", hostile, "--port", str(studio.port), "--no-open"], capture_output=True, text=True, timeout=PATIENCE)
    assert taken.returncode != 0 and f"Port {studio.port} is taken" in taken.stderr


def own_addresses() -> set[str]:
    """The addresses by which other machines, or programs that mean the network, reach this one. Nothing is sent."""
    found = {"127.0.0.2"} if sys.platform == "linux" else set()
    for family, target in [(socket.AF_INET, "198.51.100.1"), (socket.AF_INET6, "2001:db8::1")]:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((target, 9))
                found.add(probe.getsockname()[0])
        except OSError:
            # There is no way out by this family.
            continue
    return found - {"127.0.0.1", "::1"}


def test_the_command_listens_on_loopback_alone(command):
    studio = command("--no-open")
    with socket.create_connection(("127.0.0.1", studio.port), PATIENCE):
        pass
    addresses = own_addresses()
    if not addresses:
        pytest.skip("this machine has no other address")
    for address in addresses:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((address, studio.port), PATIENCE)


def expect_rules(headers):
    assert "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_pages_allow_no_foreign_script_and_no_frame(studio):
    for path in ["", "studio.js", "api/store"]:
        status, headers, _ = studio.ask("GET", path)
        assert status == 200
        expect_rules(headers)


@pytest.mark.parametrize("headers, expected", [({"Host": "evil.example"}, 421), ({"Origin": "http://evil.example"}, 403), ({"Authorization": None}, 401)])
@pytest.mark.parametrize("path", ["", "studio.js", "api/store", "nothing"])
def test_refusals_have_the_same_rules(studio, path, headers, expected):
    status, headers, answer = studio.ask("GET", path, headers=headers)
    assert (status, set(answer)) == (expected, {"message"})
    expect_rules(headers)


def test_what_is_not_there_is_told_to_nobody_else_and_has_the_same_rules(studio):
    for path in ["nothing", "api/nothing", "api/store/nothing"]:
        assert studio.ask("GET", path, headers={"Authorization": None})[0] == 401
        assert studio.ask("GET", path, headers={"Host": "evil.example"})[0] == 421
        status, headers, answer = studio.ask("GET", path)
        assert (status, bool(answer["message"])) == (404, True)
        expect_rules(headers)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "[evil]", "10.0.0.1"])
def test_a_foreign_name_that_points_here_is_refused(studio, host):
    assert studio.ask("GET", "api/store", headers={"Host": host})[0] == 421


@pytest.mark.parametrize("header", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}])
def test_another_sites_requests_are_refused(studio, header):
    assert studio.ask("POST", "api/undo", {}, header)[0] == 403
    assert studio.ask("GET", "api/rows", headers=header, table="Account")[0] == 403


WRITES = [
    ("insert", {"table": "Category", "values": {"name": "x"}}),
    ("update", {"table": "Tag", "key": ["i1"], "values": {"name": "x"}}),
    ("delete", {"table": "Tag", "key": ["i1"]}),
    ("expiry", {"table": "Ticket", "key": ["i1"], "expires": None}),
    ("document", {"table": "people", "key": "ada", "after": {"json": "{}"}}),
    ("document", {"table": "people", "key": "ada"}),
    ("resolve", {"table": "Tag", "key": ["i1"], "version": "0", "keepsMine": True}),
    ("undo", {}), ("redo", {}), ("discard", {}), ("save", {}),
    ("attachment", {}),
    ("sql", {"sql": "delete from Tag", "writes": True}),
    ("sql", {"sql": "delete from Tag", "writes": False}),
    ("sql", {"sql": "drop table Tag", "writes": False}),
    ("sql", {"sql": "delete from Tag returning id", "writes": False}),
    ("sql", {"sql": "pragma user_version = 5", "writes": False}),
]


@pytest.mark.parametrize("path, body", WRITES)
def test_a_read_only_studio_writes_nothing(reader, path, body):
    status, _, answer = reader.ask("POST", f"api/{path}", body)
    assert (status, set(answer)) == (403, {"message"}), answer
    assert len(reader.rows("Tag")) == 2


def test_a_read_only_page_offers_no_change(start_studio, tmp_path, open_page, size):
    start_studio()
    window = StudioPage(open_page(viewport=size), start_studio(tmp_path / "sample0.larder", is_writable=False))
    window.open("Account", "Wallet")
    expect(window.page.locator("#access")).to_have_text("read-only")
    expect(window.panel.locator("input, textarea:not([readonly]), select")).to_have_count(0)
    for name in ["New row", "Delete…", "Save"]:
        expect(window.page.get_by_role("button", name=name)).to_have_count(0)


@pytest.mark.parametrize("sql", ["vacuum into 'copy.db'", "select load_extension('x')", "begin", "select 1; select 2"])
def test_sql_that_only_reads_reaches_no_other_file(studio, sql):
    status, _, answer = studio.ask("POST", "api/sql", {"sql": sql, "writes": False})
    assert status in (403, 422), answer


@pytest.mark.parametrize("digest", ["../sample0.larder", "a.png", "0" * 63, "0" * 62 + "/0", "A" * 64, ""])
def test_an_attachment_cannot_name_a_file_of_its_own_choice(studio, digest):
    assert studio.ask("GET", "api/attachment", json=json.dumps({"larder.attachment": digest, "size": 1}))[0] == 422


@pytest.mark.parametrize("values", [
    {}, {"table": "nothing"}, {"table": "Account", "offset": "-1"}, {"table": "Account", "limit": "x"},
    {"table": "Account", "after": "{"}, {"table": "Account", "after": '["z"]'}, {"table": "Account", "relationship": "costs"},
    {"table": "Account", "sort": "nothing"}, {"table": "Account", "where": "(" * 5000}, {"table": "Account", "session": ""},
])
def test_a_request_that_makes_no_sense_is_refused_with_the_reason(studio, values):
    status, _, answer = studio.ask("GET", "api/rows", **values)
    assert 400 <= status < 500 and answer["message"], answer


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe", b'{"table": 1}', b'{"table": "Tag", "key": ["i1"]}'])
def test_a_body_that_makes_no_sense_is_refused(studio, body):
    assert studio.ask("POST", "api/update", body)[0] == 400


@pytest.mark.parametrize("view", ["", "view=sql", "view=schema", "view=diagram"])
def test_a_view_of_the_whole_file_says_that_the_file_is_gone(start_studio, open_page, hostile, tmp_path, size, view):
    studio = start_studio(hostile)
    window = StudioPage(open_page(viewport=size), studio)
    window.page.evaluate(f"location.hash = '#{view}'")
    hostile.rename(tmp_path / "kept.db")
    expect(window.page.locator("#connection")).to_contain_text("The file was removed")
    (tmp_path / "kept.db").rename(hostile)
    expect(window.page.locator("#connection")).to_be_hidden()


def test_another_file_with_the_same_name_is_not_taken_for_the_one_that_was_opened(start_studio, open_page, hostile, tmp_path, size):
    """Programs that save a whole file put a new one in its place."""
    studio = start_studio(hostile)
    window = StudioPage(open_page(viewport=size), studio)
    window.show(TABLE)
    expect(window.row(SCRIPT)).to_be_visible()
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)")
    connection.commit()
    connection.close()
    kept = tmp_path / "kept.db"
    hostile.rename(kept)
    other.rename(hostile)
    # The window hears of it, though nobody asks.
    expect(window.page.locator("#connection")).to_contain_text("another one has its name")
    for method, path in [("GET", "api/store"), ("POST", "api/save")]:
        status, _, answer = studio.ask(method, path, body={} if method == "POST" else None)
        assert status == 410 and "another one has its name" in answer["message"]
    hostile.unlink()
    kept.rename(hostile)
    assert studio.ask("GET", "api/store")[0] == 200
