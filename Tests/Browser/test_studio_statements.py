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


OWN = "attaches no other"
FORMS = ["explain attach '{}' as y", "EXPLAIN QUERY PLAN attach '{}' as y", "select 1; attach '{}' as y", "select ';' ; -- x\n; attach '{}' as y", "\"\"; attach '{}' as y", "/* /*/ attach '{}' as y", "/**/--*/\nattach '{}' as y"]


@pytest.mark.parametrize("form", FORMS)
def test_no_way_of_writing_it_attaches_a_file(studio, other, form):
    for path, writes in [("sql", False), ("sql", True), ("sql/plan", False), ("sql/csv", False)]:
        status, _, answer = studio.ask("POST", f"api/{path}", {"sql": form.format(other), "writes": writes})
        assert (status, OWN in answer["message"]) == (403, True), answer
    assert len(run(studio, "pragma database_list")[2]["rows"]) == len(run(studio, "pragma database_list", True)[2]["rows"])
    assert run(studio, "select * from y.secret")[0] == 422


@pytest.mark.parametrize("form", ["vacuum into '{}'", "-- copy\nVACUUM main INTO '{}'", "vacuum\"main\"into'{}'", "vacuum/*\n*/main/**/into '{}'", "explain vacuum into '{}'", "select 1; vacuum into '{}'"])
@pytest.mark.parametrize("writes", [False, True])
def test_no_statement_writes_another_file(studio, tmp_path, form, writes):
    copy = tmp_path / "copy.db"
    status, _, answer = run(studio, form.format(copy), writes)
    assert (status, "no other file" in answer["message"]) == (403, True), answer
    assert not copy.exists()


SETTINGS = [
    "foreign_keys = off", "main.foreign_keys(off)", "'foreign_keys' = off", '"main".[foreign_keys] = off', "`foreign_keys`=0", "/* x */ foreign_keys -- y\n = off",
    "query_only = on", "writable_schema = on", "locking_mode = exclusive", "journal_mode = delete", "temp_store_directory = '/'", "hard_heap_limit = 1000000000", "soft_heap_limit = 1000000000", "case_sensitive_like(on)",
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_statement_sets_what_holds_for_others(studio, setting):
    """Some pragmas act while they are compiled: in a plan, and in a second statement too."""
    forms = ["pragma {}", "explain pragma {}", "EXPLAIN QUERY PLAN pragma {}", "select 1; pragma {}", "select $a('); pragma {}; --')"]
    for form in forms:
        for path, writes in [("sql", False), ("sql", True), ("sql/plan", False)]:
            status, _, answer = studio.ask("POST", f"api/{path}", {"sql": form.format(setting), "writes": writes})
            assert (status, "later statements" in answer["message"]) == (403, True), answer
    for writes in [False, True]:
        assert run(studio, "pragma foreign_keys", writes)[2]["rows"] == [["1"]]
        assert run(studio, "pragma hard_heap_limit", writes)[2]["rows"] == [["0"]]


@pytest.mark.parametrize("sql", ["pragma table_info(Tag)", "pragma main.table_info=Tag", "pragma foreign_key_list('Cost')", "pragma foreign_keys", "pragma integrity_check(1);", "explain query plan select * from Tag"])
@pytest.mark.parametrize("writes", [False, True])
def test_pragmas_that_only_look_are_executed(studio, sql, writes):
    status, _, answer = run(studio, sql, writes)
    assert (status, len(answer["rows"]) > 0) == (200, True), answer


def test_what_is_kept_in_the_file_is_set_and_the_file_compacted(studio):
    for sql in ["pragma user_version = 7", "vacuum", "pragma wal_checkpoint(truncate)"]:
        assert run(studio, sql, True)[0] == 200, sql
    assert run(studio, "pragma user_version", True)[2]["rows"] == [["7"]]
    trigger = "create trigger t after delete on Tag begin insert into Tag values (9, 'attach; vacuum into'); end"
    assert run(studio, trigger, True)[0] == 200


@pytest.mark.parametrize("sql", ["select fts3_tokenizer('simple')", "select FTS3_Tokenizer /* x */ ('simple', x'4141414141414141')", "select \"fts3_tokenizer\"('simple')", "select 1; select [fts3_tokenizer]('simple')", "create view v as select `fts3_tokenizer`('simple')"])
@pytest.mark.parametrize("writes", [False, True])
def test_no_statement_reaches_the_memory_of_the_process(studio, sql, writes):
    status, _, answer = run(studio, sql, writes)
    assert (status, "memory" in answer["message"]) == (403, True), answer
    assert run(studio, "select 'fts3_tokenizer' as name", writes)[2]["rows"] == [["fts3_tokenizer"]]


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
