"""The data browser finds, sorts and shows rows, however many there are."""

import json
import re
import sqlite3

import pytest
from playwright.sync_api import expect

from studio import Studio, StudioPage, size, start_studio, studio, window  # noqa: F401


def test_tables_are_listed_with_their_counts(window):
    tables = window.page.locator("#tables")
    for heading in ["Models", "Collections", "Pairs"]:
        expect(tables.get_by_role("heading", name=heading)).to_be_visible()
    for name, count in [("Account", 2), ("Cost", 40), ("Ticket", 2), ("people", 2), ("Cost_tags", 3)]:
        expect(tables.locator(f"a[data-table={name}] .count")).to_have_text(str(count))


def test_values_are_shown_as_what_they_are(window):
    window.show("Ticket")
    row = window.row("Opera")
    expect(row).to_contain_text("1.5")
    expect(row).to_contain_text("x'0001ff'")
    expect(row).to_contain_text("pixel.png · 70 bytes")
    expect(window.row("Stays").locator(".nil")).to_have_count(3)
    expect(window.row("Gone")).to_have_count(0)
    window.show("Account")
    expect(window.row("Wallet")).to_contain_text("true")
    expect(window.row("Bank")).to_contain_text("false")


def test_a_heading_sorts_by_its_column_and_then_the_other_way(window):
    window.show("Cost")
    heading = window.grid.get_by_role("columnheader", name="amount")
    first = window.grid.locator('[aria-rowindex="2"]').last
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    expect(first).to_contain_text("Cost 0")
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    expect(first).to_contain_text("Cost 39")


def test_the_table_that_was_shown_is_chosen_again(window):
    window.show("Cost")
    if window.is_phone:
        window.page.get_by_role("button", name="Show all tables").click()
    window.page.locator("#tables a[data-table=Cost]").click()
    expect(window.row("Cost 4")).to_be_visible()


def add_condition(window, name: str, comparison: str, value: str | None = None):
    window.page.get_by_text("Add condition", exact=True).click()
    window.page.get_by_label("Property", exact=True).select_option(name)
    window.page.get_by_label("Comparison").select_option(label=comparison)
    if value is not None:
        control = window.page.get_by_label("Value")
        control.select_option(value) if control.evaluate("made => made.matches('select')") else control.fill(value)
    window.page.locator(".builder").get_by_role("button", name="Add").click()


def test_a_condition_is_put_together_from_its_parts(window, studio):
    count = window.page.locator(".filter-title .count")
    window.show("Cost")
    add_condition(window, "note", "contains", 'a "b')
    expect(window.condition).to_have_value('note contains "a \\"b"')
    expect(count).to_have_text("0 rows")
    window.condition.fill('note contains "1" or note contains "2"')
    window.condition.press("Enter")
    add_condition(window, "amount", "is greater than", "much")
    expect(window.page.locator(".builder .field-error")).to_have_text("Write a number.")
    window.page.get_by_label("Value").fill("2")
    window.page.locator(".builder").get_by_role("button", name="Add").click()
    expect(window.condition).to_have_value('(note contains "1" or note contains "2") and amount > 2')
    expect(count).to_have_text("22 rows")
    add_condition(window, "category", "has no value")
    expect(window.condition).to_have_value(re.compile(r" and category is nil$"))
    expect(window.error).to_be_hidden()
    window.show("Account")
    add_condition(window, "isOpen", "is", "true")
    expect(count).to_have_text("1 row")
    add_condition(window, "currency", "is not", "EUR")
    expect(count).to_have_text("0 rows")
    window.show("Cost")
    add_condition(window, "date", "is after", "2026-05-20T12:00")
    expect(count).to_have_text("28 rows")


def test_a_condition_chooses_rows_and_an_error_stands_under_its_place(window):
    window.show("Cost")
    window.condition.fill('amount > 2 and note contains "1"')
    window.condition.press("Enter")
    expect(window.page.locator(".filter-title .count")).to_have_text("12 rows")
    window.condition.fill("amount > 2 and nothing == 1")
    window.condition.press("Enter")
    expect(window.error).to_contain_text("nothing")
    caret = window.error.locator(".caret")
    assert caret.evaluate("caret => caret.style.getPropertyValue('--position')") == "15"
    window.condition.fill("amount == 2")
    window.condition.press("Enter")
    expect(window.error).to_be_hidden()
    expect(window.row("Cost 8")).to_be_visible()


def test_words_are_searched_for(window):
    window.show("Cost")
    window.page.get_by_label("Search words").fill("bre")
    window.page.get_by_label("Search words").press("Enter")
    expect(window.page.locator(".filter-title .count")).to_have_text("1 row")
    expect(window.row("milk and bread")).to_be_visible()


def test_a_column_can_be_hidden_and_stays_hidden(window):
    window.show("Cost")
    window.page.locator(".filter-title summary").click()
    window.page.get_by_role("group", name="Columns").get_by_label("note").uncheck()
    expect(window.grid.get_by_role("columnheader", name="note")).to_have_count(0)
    window.page.reload()
    expect(window.grid.get_by_role("columnheader", name="amount")).to_be_visible()
    expect(window.grid.get_by_role("columnheader", name="note")).to_have_count(0)


def test_a_reference_leads_to_its_row_and_back_to_all_that_refer(window):
    window.open("Cost", "Cost 4")
    window.panel.get_by_role("link", name="Wallet").click()
    expect(window.panel.locator("h2")).to_have_text("Wallet")
    expect(window.field("balance")).to_contain_text("108.75")
    window.panel.get_by_role("link", name="all 30: costs").click()
    expect(window.page.locator(".filter-title .count")).to_have_text("30 rows")
    expect(window.page.locator(".chip")).to_contain_text("costs of Account Wallet")
    window.page.get_by_role("link", name="Show all rows of Cost").click()
    expect(window.page.locator(".filter-title .count")).to_have_text("40 rows")


def test_rows_of_many_to_many_are_listed_on_both_sides(window):
    window.open("Tag", "cash")
    costs = window.panel.locator(".related").filter(has_text="costs")
    expect(costs.get_by_role("link")).to_have_text(["Cost 2", "Cost 3"])
    costs.get_by_role("link", name="Cost 2").click()
    expect(window.panel.locator("h2")).to_have_text("Cost 2")
    tags = window.panel.locator(".related").filter(has_text="tags")
    expect(tags.get_by_role("link")).to_have_text(["cash", "late"])
    tags.get_by_role("link", name="late").click()
    expect(window.panel.locator("h2")).to_have_text("late")
    expect(window.panel.locator(".related").get_by_role("link")).to_have_text(["Cost 2"])


def test_the_rows_of_many_to_many_are_shown_in_the_grid(window, studio):
    studio.execute("insert into Cost_tags (source, target) select id, 1 from Cost where note in ('Cost 10', 'Cost 11', 'Cost 12', 'Cost 13')")
    window.open("Tag", "cash")
    window.panel.get_by_role("link", name="all 6: costs").click()
    expect(window.page.locator(".filter-title .count")).to_have_text("6 rows")
    expect(window.page.locator(".chip")).to_contain_text("costs of Tag cash")
    expect(window.row("Cost 13")).to_have_count(1)
    expect(window.row("Cost 14")).to_have_count(0)


@pytest.fixture
def wide(tmp_path):
    """A file of another program's whose table is much wider than a window."""
    file = tmp_path / "wide.db"
    connection = sqlite3.connect(file)
    names = [f"column_{number}" for number in range(1, 40)]
    connection.execute(f"CREATE TABLE wide (id INTEGER PRIMARY KEY, {', '.join(names)})")
    values = [(row, *(f"{name} of {row}" for name in names)) for row in range(1, 101)]
    connection.executemany(f"INSERT INTO wide VALUES ({', '.join('?' * 40)})", values)
    connection.commit()
    connection.close()
    return file


def expect_in_view(window, made):
    """Demands that the grid shows all of an element."""
    expect(made).to_be_in_viewport(ratio=0.99)
    bounds, box = window.page.locator(".grid").bounding_box(), made.bounding_box()
    assert bounds["x"] - 1 <= box["x"] and box["x"] + box["width"] <= bounds["x"] + bounds["width"] + 1


def test_the_last_column_of_a_wide_table_can_be_reached(open_page, start_studio, wide, size):
    window = StudioPage(open_page(viewport=size), start_studio(wide))
    window.show("wide")
    heading, cell = window.grid.get_by_role("columnheader").last, window.row("column_39 of 1").first.locator(".grid-cell").last
    expect(heading).not_to_be_in_viewport()
    # The columns get their widths from the first rows.
    expect(cell).to_have_text("column_39 of 1")
    bounds = window.page.locator(".grid").bounding_box()
    window.page.mouse.move(bounds["x"] + 50, bounds["y"] + 100)
    window.page.mouse.wheel(20_000, 0)
    for made in [heading, cell]:
        expect_in_view(window, made)
    assert heading.bounding_box()["x"] == pytest.approx(cell.bounding_box()["x"], abs=1)
    assert window.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    window.page.locator(".grid").evaluate("grid => { grid.scrollLeft = 0; }")
    window.row("column_39 of 1").first.locator(".grid-cell").first.focus()
    window.page.keyboard.press("End")
    expect(cell).to_be_focused()
    for made in [heading, cell]:
        expect_in_view(window, made)


def test_the_grid_is_used_by_keys_alone(window):
    window.show("Cost")
    window.row("Cost 0").locator(".grid-cell").nth(1).focus()
    window.page.keyboard.press("ArrowDown")
    window.page.keyboard.press("ArrowDown")
    window.page.keyboard.press("Enter")
    expect(window.panel.locator("h2")).to_have_text("Cost 2")
    window.page.keyboard.press("Escape")
    expect(window.panel).to_be_hidden()
    window.page.keyboard.press("Control+End")
    expect(window.row("Cost 39")).to_be_visible()
    window.page.keyboard.press("Control+Home")
    window.page.keyboard.press("ArrowUp")
    window.page.keyboard.press("ArrowRight")
    window.page.keyboard.press("Enter")
    expect(window.grid.get_by_role("columnheader", name="note")).to_have_attribute("aria-sort", "ascending")


def test_the_place_is_in_the_address(window):
    window.open("Cost", "Cost 4")
    window.page.reload()
    expect(window.panel.locator("h2")).to_have_text("Cost 4")
    window.show("Tag")
    window.page.go_back()
    expect(window.panel.locator("h2")).to_have_text("Cost 4")


@pytest.fixture(scope="session")
def million(tmp_path_factory):
    """A file of another program's with a million rows."""
    file = tmp_path_factory.mktemp("million") / "million.db"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL)")
    connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) INSERT INTO item SELECT i, 'Item ' || i, i * 0.25 FROM n"
    )
    connection.commit()
    connection.close()
    return file


def test_a_million_rows_are_reached_from_end_to_end(open_page, start_studio, million, size):
    window = StudioPage(open_page(viewport=size), start_studio(million, is_writable=False))
    window.show("item")
    expect(window.page.locator(".filter-title .count")).to_have_text(re.compile("1,000,000 rows"))
    assert window.grid.locator(".grid-row").count() < 60, "rows out of view are on the page"
    scroller = window.page.locator(".grid")
    scroller.evaluate("grid => { grid.scrollTop = grid.scrollHeight; }")
    expect(window.row("Item 1000000")).to_be_visible()
    scroller.evaluate("grid => { grid.scrollTop = (grid.scrollHeight - grid.clientHeight) / 2; }")
    expect(window.row(re.compile("Item 500000"))).to_be_visible()
    scroller.evaluate("grid => { grid.scrollTop = 0; }")
    expect(window.row(re.compile(r"Item 1$|Item 10\.25")).first).to_be_visible()
    window.grid.locator(".grid-row").first.locator(".grid-cell").first.click()
    expect(window.panel).to_be_visible()
    window.page.keyboard.press("Escape")
    window.page.keyboard.press("Control+End")
    expect(window.row("Item 1000000")).to_be_visible()
    window.page.keyboard.press("ArrowUp")
    window.page.keyboard.press("Enter")
    expect(window.panel.locator("h2")).to_have_text("Item 999999")


@pytest.fixture(scope="session")
def many(tmp_path_factory):
    """A file of Larder's own with a million rows, whose keys are UUIDs."""
    studio = Studio(tmp_path_factory.mktemp("many") / "many.larder", "--many")
    studio.stop()
    return studio.file


def test_a_million_rows_of_a_model_are_reached_sorted_and_filtered(open_page, start_studio, many, size):
    window = StudioPage(open_page(viewport=size), start_studio(many, is_writable=False))
    window.show("Entry")
    count = window.page.locator(".filter-title .count")
    expect(count).to_have_text("1,000,000 rows")
    scroller = window.page.locator(".grid")
    middle = "grid => { grid.scrollTop = (grid.scrollHeight - grid.clientHeight) / 2; }"
    scroller.evaluate(middle)
    expect(window.row("Entry 500000")).to_have_count(1)
    heading = window.grid.get_by_role("columnheader", name="date")
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    expect(window.row("Entry 1").first).to_be_attached()
    # The number of rows is the same in each order, so it needn't be counted again before one scrolls.
    window.page.route("**/api/count?*", lambda route: None)
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    expect(count).to_have_text("1,000,000 rows")
    expect(window.row("Entry 1000000")).to_be_attached()
    scroller.evaluate(middle)
    expect(window.row("Entry 500000")).to_have_count(1)
    window.page.unroute("**/api/count?*")
    window.condition.fill("number >= 500000 and date > 2024-01-01")
    window.condition.press("Enter")
    expect(count).to_have_text(re.compile(r"^\d{3},\d{3} rows$"))
    scroller.evaluate("grid => { grid.scrollTop = grid.scrollHeight; }")
    # At the end are the earliest dates that the condition selects.
    expect(window.row("Jan 2024").first).to_be_attached()
    expect(window.grid.locator(".grid-row.waiting")).to_have_count(0)


def test_a_key_that_begins_with_a_combining_mark_opens_its_row_and_pages_on(start_studio, tmp_path):
    file = tmp_path / "marks.db"
    connection = sqlite3.connect(file)
    connection.execute("create table t (key text primary key, n)")
    connection.executemany("insert into t values (?, ?)", [("\u0301a", 1), ("\u0301b", 2), ("\u0301c", 3)])
    connection.commit()
    connection.close()
    studio = start_studio(file)
    rows = studio.ask("GET", "api/rows", table="t", limit="2")[2]["rows"]
    assert [row["key"] for row in rows] == [["t\u0301a"], ["t\u0301b"]]
    status, _, answer = studio.ask("GET", "api/row", table="t", key=json.dumps(rows[0]["key"]))
    assert (status, answer.get("cells")) == (200, ["\u0301a", "1"]), answer
    assert studio.rows("t", limit="2", after=json.dumps(rows[1]["key"])) == [["\u0301c", "3"]]


def test_rows_without_a_value_in_their_key_are_not_taken_for_each_other(start_studio, tmp_path):
    file = tmp_path / "keys.db"
    connection = sqlite3.connect(file)
    connection.execute("create table t (key text primary key, n)")
    connection.executemany("insert into t values (?, ?)", [(None, 1), (None, 2), (None, 3), ("a", 4)])
    connection.commit()
    connection.close()
    studio = start_studio(file)
    rows = studio.ask("GET", "api/rows", table="t")[2]["rows"]
    assert sorted((row["cells"][1], row.get("key")) for row in rows if row["cells"][0] is None) == [("1", None), ("2", None), ("3", None)]
    for method, path, body in [("GET", "row", None), ("POST", "update", {"values": {"n": "9"}}), ("POST", "delete", {})]:
        values = {"table": "t", "key": '["n"]'} if body is None else {}
        status, _, answer = studio.ask(method, f"api/{path}", body if body is None else body | {"table": "t", "key": ["n"]}, **values)
        assert (status, "told apart" in answer["message"]) == (422, True), answer
