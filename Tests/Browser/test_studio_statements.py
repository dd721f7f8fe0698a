"""SQL that a person writes: it reaches one file, ends with the window that waits for it, and says what it leaves out."""

import http.client
import json
import re
import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import expect

from showcase import PATIENCE
from studio import StudioPage, size, start_studio, studio, window  # noqa: F401

ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
ENDLESS_ROWS = "with recursive n(i) as (select 1 union all select i + 1 from n) select i, 'text ' || i from n"


def run(studio, sql: str, writes: bool = False):
    return studio.ask("POST", "api/sql", {"sql": sql, "writes": writes})


def begin(studio, sql: str) -> http.client.HTTPConnection:
    """Sends a statement, and doesn't wait for its end."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=PATIENCE)
    body = json.dumps({"sql": sql, "writes": False}).encode()
    connection.request("POST", "/api/sql?session=endless", body, {"Authorization": f"Bearer {studio.token}"})
    return connection


def peak(studio) -> int:
    """The greatest size of the studio's memory so far, in bytes."""
    text = Path(f"/proc/{studio.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", text)[1]) * 1024


@pytest.fixture
def other(tmp_path) -> Path:
    file = tmp_path / "other.db"
    connection = sqlite3.connect(file)
    connection.executescript("create table secret (x); insert into secret values ('hidden')")
    connection.close()
    return file


@pytest.mark.parametrize("is_writable", [False, True])
@pytest.mark.parametrize("form", ["attach '{}' as other", "; -- first\n/* then */ ATTACH DATABASE '{}' AS other", "\ufeffattach '{}' as other"])
def test_no_statement_opens_another_file(start_studio, tmp_path, other, form, is_writable):
    start_studio()
    studio = start_studio(tmp_path / "sample0.larder", is_writable=is_writable)
    for writes in [False, True] if is_writable else [False]:
        status, _, answer = run(studio, form.format(other), writes)
        assert (status, "attaches no other" in answer["message"]) == (403, True), answer
        assert run(studio, "detach other", writes)[0] == 403
        # Each of the connections may be the next one's.
        for _ in range(4):
            status, _, answer = run(studio, "select * from other.secret", writes)
            assert status == 422, answer


def test_a_statement_ends_with_the_connection_of_its_window(studio):
    endless = [begin(studio, ENDLESS) for _ in range(2)]
    for connection in endless:
        connection.close()
    status, _, answer = run(studio, "select 1 as one")
    assert (status, answer["rows"]) == (200, [["1"]]), answer


def test_an_endless_statement_does_not_keep_the_studio_from_ending(studio):
    """The fixture sends SIGTERM, and fails if the process goes on."""
    studio.endless = [begin(studio, ENDLESS) for _ in range(2)]
    assert studio.ask("GET", "api/store")[0] == 200


@pytest.mark.parametrize("end", ["", ";", "; -- a comment"])
@pytest.mark.parametrize("writes", [False, True])
def test_endless_rows_end_at_the_limit(studio, end, writes):
    status, _, answer = run(studio, ENDLESS_ROWS + end, writes)
    assert status == 200, answer
    assert (len(answer["rows"]), answer["hasMore"], answer["rows"][999]) == (1000, True, ["1000", "text 1000"])


def test_two_columns_of_one_name_keep_it(studio):
    assert run(studio, "select id, id, name from Tag where id = 1")[2]["columns"] == ["id", "id", "name"]


def test_large_values_are_not_kept_whole(start_studio, tmp_path):
    file = tmp_path / "large.db"
    connection = sqlite3.connect(file)
    connection.execute("create table t (id integer primary key, data blob)")
    connection.executemany("insert into t values (?, zeroblob(4000000))", [(number,) for number in range(80)])
    connection.commit()
    connection.close()
    studio = start_studio(file, is_writable=False)
    before = peak(studio)
    assert len(studio.rows("t")) == 80
    assert len(run(studio, "select data from t")[2]["rows"]) == 80
    assert peak(studio) - before < 160_000_000


def test_a_file_that_lacks_rows_is_said_to(window, studio):
    body = {"sql": f"{ENDLESS_ROWS} limit 100001", "writes": False}
    status, headers, text = studio.ask("POST", "api/sql/csv", body)
    assert (status, text.count(b"\r\n"), headers["Studio-Row-Limit"]) == (200, 100_001, "100000")
    body["sql"] = f"{ENDLESS_ROWS} limit 100000"
    status, headers, text = studio.ask("POST", "api/sql/csv", body)
    assert (status, text.count(b"\r\n"), headers["Studio-Row-Limit"]) == (200, 100_001, None)
    window.page.get_by_role("link", name="SQL").click()
    window.page.locator("#sql textarea").fill(f"{ENDLESS_ROWS} limit 100001")
    with window.page.expect_download():
        window.page.get_by_role("button", name="CSV").click()
    expect(window.page.locator(".sql-status")).to_contain_text("the first 100,000 rows; there are more")
