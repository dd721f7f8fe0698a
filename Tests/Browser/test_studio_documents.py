"""The Showcase's documents in Studio: JSON that nobody declared, found, changed, and gone when its time has come."""

import json
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from studio import StudioPage, size  # noqa: F401

SOON = 12_000


@pytest.fixture
def documents(open_page, server, size):
    window = StudioPage(open_page(viewport=size), SimpleNamespace(url=f"{server.url}/studio/documents/"))
    window.show("papers")
    expect(window.row("ada")).to_be_visible()
    return window


def count(window):
    return window.page.locator(".filter-title .count")


def find(window, condition: str):
    window.condition.fill(condition)
    window.condition.press("Enter")


def insert(window, key: str, text: str):
    window.page.get_by_role("button", name="New row").click()
    window.panel.get_by_label("Key").fill(key)
    window.panel.get_by_label("JSON").fill(text)
    window.panel.get_by_role("button", name="Insert").click()


def close(window):
    window.panel.get_by_role("button", name="Close").click()
    expect(window.panel).to_be_hidden()


def save(server, key: str, text: str, expires: datetime | None = None):
    """What another window writes."""
    before = stored(server, key)
    date = expires and expires.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    after = {"json": text, "expires": date}
    status, _, answer = server.ask("POST", "/studio/documents/api/document?session=other", {"table": "papers", "key": key, "before": before if "json" in before else None, "after": after})
    assert status == 200, answer


def stored(server, key: str) -> dict:
    return server.ask("GET", f"/studio/documents/api/document?session=other&table=papers&key={quote(json.dumps(['t' + key]))}")[2]


def test_the_first_start_brings_a_few_documents_and_no_later_one(documents, server):
    expect(count(documents)).to_have_text("6 rows")
    assert stored(server, "parking")["expires"]
    documents.row("shelf").locator(".grid-cell").first.click()
    documents.panel.get_by_role("button", name="Delete…").click()
    documents.dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(count(documents)).to_have_text("5 rows")
    server.restart()
    documents.page.reload()
    expect(count(documents)).to_have_text("5 rows")


def test_nested_values_are_found_by_their_path(documents):
    find(documents, 'address.city == "London"')
    expect(count(documents)).to_have_text("1 row")
    expect(documents.row("ada")).to_be_visible()
    find(documents, 'customer.address.city == "Graz"')
    expect(documents.row("order 17")).to_be_visible()
    expect(documents.row("ada")).to_have_count(0)
    find(documents, "born > 1900")
    expect(documents.row("grace")).to_be_visible()
    expect(count(documents)).to_have_text("1 row")


def test_columns_appear_with_what_is_stored(documents):
    insert(documents, "bo", '{"home town": "Bad Ischl"}')
    expect(documents.panel.locator("h2")).to_have_text("bo")
    documents.page.reload()
    expect(documents.grid.get_by_role("columnheader", name="home town")).to_have_count(1)


def test_a_document_is_changed_by_its_text(documents, server):
    documents.row("ada").locator(".grid-cell").first.click()
    documents.panel.get_by_label("JSON").fill('{"name": "Adele", "address": {"city": "Graz"}}')
    documents.panel.get_by_role("button", name="Save document").click()
    expect(documents.row("Adele")).to_be_visible()
    assert json.loads(stored(server, "ada")["json"]) == {"name": "Adele", "address": {"city": "Graz"}}


def test_a_key_that_is_taken_overwrites_nothing(documents, server):
    before = stored(server, "ada")["json"]
    insert(documents, "ada", '{"name": "Another"}')
    expect(documents.field("key")).to_contain_text("There is already a document with this key")
    assert stored(server, "ada")["json"] == before


def test_what_was_changed_meanwhile_is_not_overwritten(documents, server):
    documents.row("ada").locator(".grid-cell").first.click()
    text = documents.panel.get_by_label("JSON")
    text.fill('{"name": "Mine"}')
    save(server, "ada", '{"name":"Theirs"}')
    expect(documents.panel.get_by_role("group", name="Conflict")).to_contain_text("Theirs")
    documents.panel.get_by_role("button", name="Save document").click()
    expect(documents.field("json")).to_contain_text("was changed meanwhile")
    expect(text).to_have_value('{"name": "Mine"}')
    assert stored(server, "ada")["json"] == '{"name":"Theirs"}'


def test_a_document_is_deleted_after_a_question(documents):
    documents.row("ada").locator(".grid-cell").first.click()
    documents.panel.get_by_role("button", name="Delete…").click()
    documents.dialog.get_by_role("button", name="Keep").click()
    expect(documents.row("ada")).to_be_visible()
    documents.panel.get_by_role("button", name="Delete…").click()
    documents.dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(documents.row("ada")).to_have_count(0)


def test_an_expiry_belongs_to_one_document(documents, server):
    documents.row("ada").locator(".grid-cell").first.click()
    expires = documents.field("expires").locator("input")
    expires.fill("2090-01-02T09:00:00")
    expires.blur()
    expect(documents.field("expires")).to_contain_text("Gone after 2 Jan 2090")
    close(documents)
    insert(documents, "next", '{"name": "Next"}')
    expect(documents.panel.locator("h2")).to_have_text("next")
    expect(documents.field("expires")).to_contain_text("The row stays.")
    assert stored(server, "next").get("expires") is None
    assert stored(server, "ada")["expires"].startswith("2090-01-02")


def test_a_document_leaves_by_itself_when_its_time_has_come(documents, server):
    save(server, "leaves", '{"name":"Leaves"}', expires=datetime.now(timezone.utc) + timedelta(seconds=4))
    expect(documents.row("leaves")).to_be_visible()
    expect(documents.row("leaves")).to_have_count(0, timeout=SOON)
    expect(documents.row("ada")).to_be_visible()


def test_all_of_many_documents_are_reached(documents, server):
    for number in range(250):
        save(server, f"x{number}", f'{{"number":{number}}}')
    expect(count(documents)).to_have_text("256 rows")
    documents.page.locator(".grid").evaluate("grid => { grid.scrollTop = grid.scrollHeight; }")
    expect(documents.row("x99")).to_be_visible()
    assert documents.grid.locator(".grid-row").count() < 60, "rows out of view are on the page"


NUMBERS = '{"big":9223372036854775807,"small":5e-324,"whole":1.0,"price":4.9,"minus":-0.0}'


def test_numbers_stay_as_they_were_written(documents, server):
    insert(documents, "numbers", NUMBERS)
    expect(documents.panel.locator("h2")).to_have_text("numbers")
    text = documents.panel.get_by_label("JSON")
    assert text.input_value().replace("\n", "").replace(" ", "") == NUMBERS
    text.fill(text.input_value().replace('"whole"', '"one"'))
    documents.save_document()
    assert stored(server, "numbers")["json"] == NUMBERS.replace('"whole"', '"one"')


def test_a_number_that_would_be_rounded_is_refused(documents):
    insert(documents, "rounded", '{"number": 123456789012345678901234567890}')
    expect(documents.field("json").locator(":scope > .field-error")).to_contain_text("neither a 64-bit integer nor a double holds this number")
    expect(documents.row("rounded")).to_have_count(0)


@pytest.mark.parametrize("text", ["[1]", "12"])
def test_what_is_no_object_is_refused_beside_the_text(documents, text):
    insert(documents, "wrong", text)
    expect(documents.field("json").locator(":scope > .field-error")).to_be_visible()
    expect(documents.row("wrong")).to_have_count(0)


def test_markup_in_a_document_is_text(documents):
    insert(documents, "<img src=x onerror=alert(1)>", '{"<b>": "<script>alert(2)</script>"}')
    expect(documents.panel.locator("h2")).to_have_text("<img src=x onerror=alert(1)>")
    expect(documents.row("<img src=x")).to_contain_text("<img src=x onerror=alert(1)>")
