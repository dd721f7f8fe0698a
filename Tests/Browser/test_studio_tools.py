"""The data browser's documents, diagram and SQL."""

import pytest
from playwright.sync_api import expect

from studio import StudioPage, size, start_studio, studio, window  # noqa: F401


def save_document(window):
    window.panel.get_by_role("button", name="Save document").click()
    expect(window.panel.get_by_role("button", name="Save document")).to_be_disabled()


def test_a_document_is_edited_as_json_and_keeps_its_expiry(window):
    window.open("people", "bob")
    expect(window.field("expires")).to_contain_text("Gone after")
    window.write("json", '{"name": "Bob", "address": {"city": "Ghent"}}')
    save_document(window)
    expect(window.field("expires")).to_contain_text("Gone after")
    window.panel.get_by_role("button", name="Close").click()
    window.condition.fill('address.city == "Ghent"')
    window.condition.press("Enter")
    expect(window.page.locator(".filter-title .count")).to_have_text("1 row")
    expect(window.row("bob")).to_be_visible()


@pytest.mark.parametrize("json", ["[1, 2]", '{"a": 1, "a": 2}', '{"a": 1e999}'])
def test_a_document_that_cannot_be_kept_is_refused(window, json):
    window.open("people", "ada")
    window.write("json", json)
    window.panel.get_by_role("button", name="Save document").click()
    expect(window.field("json").locator(":scope > .field-error")).to_be_visible()


def test_a_document_that_the_program_has_changed_is_not_overwritten(window, studio):
    window.open("people", "ada")
    window.field("json").locator("textarea").fill('{"name": "Mine"}')
    studio.ask("POST", "api/document", {"table": "people", "key": "ada", "json": '{"name": "Theirs"}', "before": studio.ask("GET", "api/document", table="people", key='["tada"]')[2]["json"]})
    window.panel.get_by_role("button", name="Save document").click()
    expect(window.field("json").locator(":scope > .field-error")).to_contain_text("changed meanwhile")
    assert studio.rows("people")[0][1] == "Theirs"


def test_a_document_that_the_program_has_changed_is_neither_deleted_nor_given_a_date(studio):
    before = studio.ask("GET", "api/document", table="people", key='["tada"]')[2]["json"]
    place = {"table": "people", "key": "ada"}
    assert studio.ask("POST", "api/document", place | {"json": '{"name": "Theirs"}', "before": before})[0] == 200
    for path in ["document/delete", "document/expiry"]:
        status, _, answer = studio.ask("POST", f"api/{path}", place | {"before": before, "expires": "2090-01-01"})
        assert (status, "changed meanwhile" in answer["message"]) == (409, True), answer
    now = studio.ask("GET", "api/document", table="people", key='["tada"]')[2]
    assert ("Theirs" in now["json"], now.get("expires")) == (True, None)
    assert studio.ask("POST", "api/document/expiry", place | {"before": now["json"], "expires": "2090-01-01"})[0] == 200
    assert studio.ask("POST", "api/document/delete", place | {"before": now["json"]})[0] == 204


def test_a_document_is_inserted_and_deleted(window, studio):
    window.show("people")
    window.page.get_by_role("button", name="New row").click()
    window.write("key", "ada")
    window.panel.get_by_role("button", name="Insert").click()
    expect(window.field("key").locator(".field-error")).to_contain_text("already")
    window.write("key", "eve")
    window.write("json", '{"name": "Eve"}')
    window.panel.get_by_role("button", name="Insert").click()
    expect(window.panel.locator("h2")).to_have_text("eve")
    assert [row[0] for row in studio.rows("people")] == ["ada", "bob", "eve"]
    window.panel.get_by_role("button", name="Delete…").click()
    expect(window.dialog).to_contain_text("at once")
    window.dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(window.panel).to_be_hidden()
    assert [row[0] for row in studio.rows("people")] == ["ada", "bob"]


def test_the_diagram_shows_tables_and_can_be_moved_by_pointer_and_keys(window):
    window.page.get_by_role("link", name="Diagram").click()
    box = window.page.get_by_role("img", name="Account: id, name, currency, isOpen, address, balance")
    expect(box).to_contain_text("balance")
    expect(window.page.locator("path.diagram-line")).to_have_count(4)
    before = box.bounding_box()
    box.focus()
    window.page.keyboard.press("ArrowRight")
    assert box.bounding_box()["x"] == pytest.approx(before["x"] + 16, abs=1)
    x, y = before["x"] + 40, before["y"] + 10
    window.page.mouse.move(x, y)
    window.page.mouse.down()
    window.page.mouse.move(x + 60, y + 30, steps=4)
    window.page.mouse.up()
    moved = box.bounding_box()
    assert (moved["x"], moved["y"]) == (pytest.approx(before["x"] + 76, abs=2), pytest.approx(before["y"] + 30, abs=2))
    window.page.reload()
    assert box.bounding_box()["x"] == pytest.approx(moved["x"], abs=2)


def test_the_diagram_prints_alone(window):
    window.page.get_by_role("link", name="Diagram").click()
    window.page.emulate_media(media="print")
    expect(window.page.locator(".diagram-drawing")).to_be_visible()
    expect(window.page.locator(".top")).to_be_hidden()


def write_sql(window, text: str):
    window.page.get_by_role("link", name="SQL").click()
    window.page.locator("#sql textarea").fill(text)


def test_sql_shows_rows_a_plan_and_a_file(window):
    write_sql(window, "select name, currency from Account order by name")
    window.page.get_by_role("button", name="Run").click()
    expect(window.page.locator("#sql td").first).to_have_text("Bank")
    expect(window.page.locator(".sql-status")).to_contain_text("2 rows")
    window.page.get_by_role("button", name="Plan").click()
    expect(window.page.locator(".plan")).to_contain_text("Account")
    with window.page.expect_download() as download:
        window.page.get_by_role("button", name="CSV").click()
    assert download.value.path().read_text() == "name,currency\nBank,USD\nWallet,EUR\n"


def test_sql_that_is_wrong_is_refused_with_the_reason(window):
    write_sql(window, "select nme from Account")
    window.page.get_by_role("button", name="Run").click()
    expect(window.page.locator(".sql-status")).to_contain_text("nme")


def test_names_complete_the_word_that_is_being_written(window):
    write_sql(window, "select * from Acc")
    expect(window.page.get_by_role("option", name="Account", exact=True)).to_be_visible()
    window.page.keyboard.press("Enter")
    expect(window.page.locator("#sql textarea")).to_have_value("select * from Account")


def test_sql_writes_only_if_it_is_told_that_it_may(window, studio):
    write_sql(window, "delete from Tag")
    window.page.keyboard.press("Escape")
    window.page.get_by_role("button", name="Run").click()
    expect(window.page.locator(".sql-status")).to_have_class("sql-status soft error-text")
    assert len(studio.rows("Tag")) == 2
    window.page.get_by_label("may write at once").check()
    window.page.get_by_role("button", name="Run").click()
    expect(window.page.locator(".sql-status")).to_contain_text("No rows")
    assert studio.rows("Tag") == []
