"""Sync files on their way: nobody else can read them, and none is left behind."""

import http.client
import stat
import time
from contextlib import closing

import pytest

from showcase import PATIENCE

UPLOADS = {"ledger": "/ledger/api/sync", "devices": "/devices/api/laptop/file"}


def begin_upload(server, path: str, length: int, content: bytes = b""):
    """A request whose body doesn't come to its end. It closes the connection in a `with` statement."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", str(length))
    connection.endheaders(content)
    return closing(connection)


def expect_files(folder, count: int):
    end = time.monotonic() + PATIENCE
    while len(found := list(folder.iterdir())) != count:
        assert time.monotonic() < end, found
        time.sleep(0.05)


@pytest.mark.parametrize("app", UPLOADS)
def test_an_upload_is_in_the_data_folder_and_goes_with_its_connection(server, app):
    folder = server.data / app / "transfers"
    with begin_upload(server, UPLOADS[app], 1_000_000, b"half of it"):
        expect_files(folder, 1)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    expect_files(folder, 0)


@pytest.mark.parametrize("app", UPLOADS)
def test_what_a_killed_server_has_left_is_gone_after_the_next_start(server, app):
    folder = server.data / app / "transfers"
    with begin_upload(server, UPLOADS[app], 1_000_000, b"half of it"):
        expect_files(folder, 1)
        server.kill()
    expect_files(folder, 1)
    server.start()
    expect_files(folder, 0)


@pytest.mark.parametrize("app", UPLOADS)
def test_a_saved_file_leaves_nothing_behind(server, app):
    for method in ("HEAD", "GET"):
        status, headers, content = server.ask(method, UPLOADS[app])
        assert (status, len(content) > 0) == (200, method == "GET")
        assert int(headers["Content-Length"]) > 0
    expect_files(server.data / app / "transfers", 0)


@pytest.mark.parametrize("app", UPLOADS)
def test_a_sync_file_may_be_large(server, app):
    status, _, answer = server.ask_chunked(UPLOADS[app], bytes(21 << 20), {})
    assert (status, answer["message"].partition(".")[0]) == (422, "This is no whole sync file")


@pytest.mark.parametrize(("app", "status", "message"), [("ledger", 422, "A sync file may have at most 1 GB."), ("devices", 413, "The request is too long.")])
def test_a_sync_file_that_is_too_large_is_refused_at_once(server, app, status, message):
    with begin_upload(server, UPLOADS[app], (1 << 30) + 1) as connection:
        response = connection.getresponse()
        assert (response.status, message in response.read().decode()) == (status, True)
