"""The data browser's documents, schema, diagram and SQL."""

import json
import re
import sqlite3

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


@pytest.mark.parametrize("text", ["[1, 2]", '{"a": 1, "a": 2}', '{"a": 1e999}'])
def test_a_document_that_cannot_be_kept_is_refused(window, text):
    window.open("people", "ada")
    window.write("json", text)
    window.panel.get_by_role("button", name="Save document").click()
    expect(window.field("json").locator(":scope > .field-error")).to_be_visible()


def test_a_document_that_the_program_has_changed_is_neither_deleted_nor_given_a_date(studio):
    before = studio.document("ada")
    place = {"table": "people", "key": "ada"}
    studio.change_document("ada", json='{"name": "Theirs"}')
    for after in [None, before | {"expires": "2090-01-01"}, {"json": '{"name": "Mine"}', "expires": None}]:
        status, _, answer = studio.ask("POST", "api/document", place | {"before": before, "after": after})
        assert (status, "changed meanwhile" in answer["message"]) == (409, True), answer
    now = studio.document("ada")
    assert ("Theirs" in now["json"], now["expires"]) == (True, None)
    studio.change_document("ada", expires="2090-01-01")
    # A date that nobody has seen is neither replaced nor deleted; a change of the JSON alone keeps it.
    for after in [None, now | {"expires": "2091-01-01"}]:
        assert studio.ask("POST", "api/document", place | {"before": now, "after": after})[0] == 409
    assert studio.ask("POST", "api/document", place | {"before": now, "after": now | {"json": '{"name": "Mine"}'}})[0] == 200
    assert studio.document("ada") == {"json": '{"name":"Mine"}', "expires": "2090-01-01T00:00:00.000Z"}
    studio.change_document("ada")
    assert studio.document("ada") is None
    assert studio.ask("POST", "api/document", place | {"before": now, "after": now})[0] == 404


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


def undo(window):
    window.page.locator("#message").get_by_role("button", name="Undo").click()
    expect(window.page.locator("#message")).to_have_text("Undone.")


def test_what_was_done_to_a_document_is_undone(window, studio):
    before = studio.document("bob")
    window.open("people", "bob")
    window.write("json", '{"name": "Robert"}')
    save_document(window)
    assert json.loads(studio.document("bob")["json"]) == {"name": "Robert"}
    undo(window)
    assert studio.document("bob") == before
    expect(window.field("json").locator("textarea")).to_have_value(re.compile("Bob"))
    window.panel.get_by_role("button", name="Delete…").click()
    window.dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(window.panel).to_be_hidden()
    # The JSON and the expiry come back together: nothing can come between them.
    with window.page.expect_request(lambda request: request.method == "POST") as request:
        undo(window)
    assert request.value.post_data_json["after"] == before
    assert studio.document("bob") == before
    window.open("people", "bob")
    window.field("expires").get_by_role("button", name="Set expires to nil").click()
    expect(window.field("expires")).to_contain_text("The row stays.")
    undo(window)
    expect(window.field("expires")).to_contain_text("Gone after")
    assert studio.document("bob") == before


def test_an_inserted_document_is_taken_back_unless_the_program_has_changed_it(window, studio):
    for name in ["eve", "dan"]:
        if window.panel.is_visible():
            window.panel.get_by_role("button", name="Close").click()
        window.show("people")
        window.page.get_by_role("button", name="New row").click()
        window.write("key", name)
        window.write("json", '{"name": "New"}')
        window.panel.get_by_role("button", name="Insert").click()
        expect(window.panel.locator("h2")).to_have_text(name)
        if name == "eve":
            undo(window)
            assert [row[0] for row in studio.rows("people")] == ["ada", "bob"]
    studio.change_document("dan", json='{"name": "Theirs"}')
    window.page.locator("#message").get_by_role("button", name="Undo").click()
    expect(window.page.locator("#message")).to_contain_text("changed meanwhile")
    assert json.loads(studio.document("dan")["json"]) == {"name": "Theirs"}


def test_json_is_a_tree_whose_values_are_edited_one_by_one(window, studio):
    text = '{"name": "Ada", "long": 12345678901234567, "address": {"city": "London", "lines": ["1", {"x": null}]}}'
    studio.change_document("ada", json=text)
    window.open("people", "ada")
    window.panel.get_by_role("button", name="Tree").click()
    expect(window.field("json").locator("textarea")).to_be_hidden()
    city = window.panel.get_by_label("city")
    city.fill("Graz")
    city.press("Enter")
    expect(window.panel.locator(".json-leaf .field-error:visible")).to_contain_text("quotes")
    expect(window.panel.get_by_role("button", name="Save document")).to_be_disabled()
    city.fill('"Graz"')
    city.press("Enter")
    window.panel.get_by_label("x", exact=True).fill("[true]")
    save_document(window)
    stored = studio.document("ada")["json"]
    assert "12345678901234567," in stored
    assert json.loads(stored) == json.loads(text) | {"address": {"city": "Graz", "lines": ["1", {"x": [True]}]}}
    # What was opened and closed stays, and so does the choice of the tree.
    window.panel.get_by_text("lines", exact=True).click()
    studio.execute("update Account set name = name")
    window.panel.get_by_role("button", name="Close").click()
    window.open("people", "ada")
    expect(window.panel.get_by_label("city")).to_have_value('"Graz"')
    expect(window.panel.get_by_label("x", exact=True)).to_have_count(0)
    window.panel.get_by_role("button", name="Text").click()
    expect(window.field("json").locator("textarea")).to_be_visible()


def test_a_property_with_json_is_edited_in_its_tree(window, studio):
    window.open("Account", "Wallet")
    window.write("address", '{"city": "Linz", "lines": ["a"]}')
    window.expect_unsaved(1)
    window.field("address").get_by_role("button", name="Tree").click()
    city = window.field("address").get_by_label("city")
    city.fill('"Wien"')
    city.press("Enter")
    expect(city).to_be_focused()
    window.save()
    window.expect_unsaved(0)
    assert [row[4] for row in studio.rows("Account") if row[1] == "Wallet"] == ['{"city":"Wien","lines":["a"]}']


def test_json_of_many_entries_shows_them_in_parts(window, studio):
    text = json.dumps({"numbers": list(range(1000)), "deep": "x"})
    studio.change_document("ada", json=text)
    window.open("people", "ada")
    window.panel.get_by_role("button", name="Tree").click()
    expect(window.panel.locator(".json-leaf")).to_have_count(1)
    window.panel.get_by_text("numbers", exact=True).click()
    expect(window.panel.locator(".json-leaf")).to_have_count(101)
    window.panel.get_by_role("button", name="900 more").click()
    expect(window.panel.locator(".json-leaf")).to_have_count(201)


def part(window, heading: str):
    """The part of the schema with the heading."""
    return window.page.locator(".schema-table").filter(has=window.page.get_by_role("heading", name=heading, exact=True))


def test_the_schema_says_what_tables_have(window, studio):
    window.page.get_by_role("link", name="Schema").click()
    schema = window.page.locator("#schema")
    account = schema.locator(".schema-table").filter(has=window.page.get_by_role("heading", name="Account"))
    expect(account.get_by_role("row", name="currency")).to_contain_text("one of")
    expect(account).to_contain_text("derived")
    expect(account.locator("li").filter(has_text="costs")).to_contain_text("to many Cost, delete rule")
    expect(part(window, "Migrations").get_by_role("listitem")).to_have_text("2026-10 first categories")
    expect(part(window, "Pending")).to_contain_text("“larder plan” compares it")
    account.get_by_role("link", name="Account").click()
    expect(window.page.locator(".filter-title h2")).to_have_text("Account")


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


def test_the_schema_says_that_no_migration_ran(start_studio, open_page, size):
    window = StudioPage(open_page(viewport=size), start_studio(sample="--share"))
    window.page.get_by_role("link", name="Schema").click()
    expect(part(window, "Migrations")).to_contain_text("None ran in this file.")


def test_the_schema_says_what_the_programs_next_version_would_change(start_studio, open_page, size):
    window = StudioPage(open_page(viewport=size), start_studio(view="--next"))
    window.page.get_by_role("link", name="Schema").click()
    expect(part(window, "Migrations").get_by_role("listitem")).to_have_text("2026-10 first categories")
    steps = part(window, "Pending").get_by_role("listitem")
    expect(steps).to_have_count(2)
    expect(steps.first).to_contain_text("color")
    expect(steps.last).to_have_text('run the migration "2026-12 colors of categories"')


def test_a_programs_own_store_has_nothing_pending(start_studio, open_page, size):
    window = StudioPage(open_page(viewport=size), start_studio(view="--program"))
    asked = []
    window.page.on("request", lambda request: asked.append(request) if "/api/pending" in request.url else None)
    window.page.get_by_role("link", name="Schema").click()
    expect(part(window, "Pending")).to_contain_text("Nothing: the file matches the program’s models.")
    assert len(asked) == 1


def test_what_the_program_can_say_no_more_is_said_in_its_place(start_studio, open_page, size):
    """The file is of a newer version of the program than the one that shows it."""
    studio = start_studio(view="--program")
    with sqlite3.connect(studio.file) as connection:
        connection.execute("insert into _larder_migrations (name) values ('2027-01 later')")
    connection.close()
    window = StudioPage(open_page(viewport=size), studio)
    window.page.get_by_role("link", name="Schema").click()
    expect(part(window, "Pending")).to_contain_text("A newer version of the program wrote the file")


@pytest.fixture
def diagram(window):
    window.page.get_by_role("link", name="Diagram").click()
    expect(window.page.locator(".diagram-title").first).to_be_visible()
    return window


def drawing(window) -> dict:
    return window.page.locator(".diagram-drawing").bounding_box()


def places(window) -> list[str]:
    return window.page.locator(".diagram-box").evaluate_all("boxes => boxes.map(box => box.getAttribute('transform'))")


def account(window):
    return window.page.get_by_role("img", name="Account: ")


def drag(window, box, x: float, y: float):
    box.scroll_into_view_if_needed()
    start = box.bounding_box()
    left, top = start["x"] + 20, start["y"] + 8
    window.page.mouse.move(left, top)
    window.page.mouse.down()
    window.page.mouse.move(left + x, top + y, steps=4)
    window.page.mouse.up()
    moved = box.bounding_box()
    return moved["x"] - start["x"], moved["y"] - start["y"]


def test_the_diagram_is_shown_larger_and_smaller(diagram):
    before = drawing(diagram)
    larger, smaller = diagram.page.get_by_role("button", name="Larger"), diagram.page.get_by_role("button", name="Smaller")
    larger.click()
    assert drawing(diagram)["width"] == pytest.approx(before["width"] * 1.2, abs=1)
    assert drawing(diagram)["height"] == pytest.approx(before["height"] * 1.2, abs=1)
    smaller.click()
    smaller.click()
    assert drawing(diagram)["width"] == pytest.approx(before["width"] / 1.2, abs=1)
    # A table follows the pointer at any size.
    assert drag(diagram, account(diagram), 40, 20) == (pytest.approx(40, abs=1.5), pytest.approx(20, abs=1.5))
    for _ in range(20):
        smaller.click()
    assert drawing(diagram)["width"] > 100
    for _ in range(40):
        larger.click()
    assert drawing(diagram)["width"] < before["width"] * 4


def test_the_diagram_is_tidied_up_and_stays_tidy(diagram):
    tidy = places(diagram)
    drag(diagram, account(diagram), 60, 40)
    assert places(diagram) != tidy
    diagram.page.reload()
    expect(diagram.page.locator(".diagram-title").first).to_be_visible()
    assert places(diagram) != tidy
    diagram.page.get_by_role("button", name="Tidy up").click()
    assert places(diagram) == tidy
    diagram.page.reload()
    expect(diagram.page.locator(".diagram-title").first).to_be_visible()
    assert places(diagram) == tidy


def test_every_table_of_the_diagram_can_be_scrolled_to_and_leads_to_its_rows(diagram):
    frame = diagram.page.locator(".diagram-frame")
    for _ in range(8):
        diagram.page.get_by_role("button", name="Larger").click()
    assert frame.evaluate("frame => [frame.scrollWidth > frame.clientWidth, frame.scrollHeight > frame.clientHeight]") == [True, True]
    bounds = frame.bounding_box()
    diagram.page.mouse.move(bounds["x"] + bounds["width"] / 2, bounds["y"] + bounds["height"] - 5)
    diagram.page.mouse.wheel(3000, 3000)
    diagram.page.wait_for_function("() => { const frame = document.querySelector('.diagram-frame'); return frame.scrollLeft > 0 && frame.scrollTop > 0; }")
    last = diagram.page.locator(".diagram-box").evaluate_all("boxes => boxes.map(box => box.getBoundingClientRect()).reduce((right, box) => Math.max(right, box.right), 0)")
    assert last <= bounds["x"] + bounds["width"], "the table at the right edge can't be reached"
    assert diagram.page.evaluate("document.documentElement.scrollWidth") <= diagram.page.viewport_size["width"]
    account(diagram).focus()
    box = account(diagram).bounding_box()
    assert box["x"] < bounds["x"] + bounds["width"] and box["x"] + box["width"] > bounds["x"], "the table that is chosen by a key isn't in view"
    diagram.page.keyboard.press("Enter")
    expect(diagram.page.locator(".filter-title h2")).to_have_text("Account")


# What can be seen of the page apart from an element and what is around it.
OTHERS = """element => [...document.body.querySelectorAll('*')]
  .filter(other => !element.contains(other) && !other.contains(element) && other.checkVisibility({ visibilityProperty: true }) && other.getClientRects().length)
  .map(other => other.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("name, part", [("Diagram", ".diagram-drawing"), ("Schema", ".schema-text")])
def test_the_diagram_and_the_schema_print_alone(window, name, part):
    window.open("Account", "Wallet")
    window.write("name", "Purse")
    window.expect_unsaved(1)
    window.page.get_by_role("link", name=name).click()
    shown = window.page.locator(part)
    expect(shown).to_be_visible()
    assert shown.evaluate(OTHERS) != []
    window.page.emulate_media(media="print")
    expect(shown).to_be_visible()
    assert shown.evaluate(OTHERS) == []


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
