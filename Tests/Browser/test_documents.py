"""The Documents page: JSON is pasted, columns appear, filters and sorts follow, and rows leave when their time has come."""

import json

import pytest
from playwright.sync_api import expect

SOON = 12_000


class DocumentsPage:
    def __init__(self, page, url):
        self.page = page
        page.goto(url)
        self.json = page.get_by_label("JSON")
        self.rows = page.locator("tbody tr")
        self.columns = page.locator("th button:not([disabled])")
        self.keys = page.locator("td.key")
        self.problem = page.get_by_role("alert")
        self.count = page.locator("#count")

    def store(self, value, key="", expires=""):
        self.json.fill(value if isinstance(value, str) else json.dumps(value))
        self.page.get_by_label("Key", exact=False).first.fill(key)
        self.page.get_by_label("Expires").select_option(expires)
        self.page.get_by_role("button", name="Store").click()

    def filter(self, name, comparison, value):
        self.page.get_by_label("Property").select_option(name)
        self.page.get_by_label("Comparison").select_option(comparison)
        self.page.get_by_label("Value").fill(value)


@pytest.fixture
def documents(open_page, server):
    return DocumentsPage(open_page(), server.url + "/documents/")


PEOPLE = [{"id": "ada", "name": "Ada", "age": 36, "tags": ["a", "b"]}, {"id": "bo", "name": "Bo", "age": 7}, {"id": "cy", "name": "Cy", "vip": True}]


def test_columns_appear_with_what_is_pasted(documents):
    expect(documents.page.get_by_text("Nothing is stored yet")).to_be_visible()
    documents.store({"id": "ada", "name": "Ada"})
    expect(documents.columns).to_have_text(["key", "id", "name"])
    documents.store({"id": "bo", "age": 7, "home town": "Graz"})
    expect(documents.columns).to_have_text(["key", "id", "name", "age", "home town"])
    expect(documents.keys).to_have_count(2)
    expect(documents.json).to_have_value("")


def test_an_array_is_several_documents_and_the_key_replaces(documents):
    documents.store(PEOPLE)
    expect(documents.keys).to_have_text(["ada", "bo", "cy"])
    documents.store({"name": "Adele"}, key="ada")
    expect(documents.page.get_by_role("cell", name="Adele")).to_be_visible()
    expect(documents.keys).to_have_count(3)


def test_filter_and_sort(documents):
    documents.store(PEOPLE)
    documents.page.get_by_role("columnheader", name="age").get_by_role("button").click()
    expect(documents.keys).to_have_text(["cy", "bo", "ada"])
    documents.page.get_by_role("columnheader", name="age").get_by_role("button").click()
    expect(documents.keys).to_have_text(["ada", "bo", "cy"])
    expect(documents.page.get_by_role("columnheader", name="age")).to_have_attribute("aria-sort", "descending")
    documents.filter("age", ">", "10")
    expect(documents.keys).to_have_text(["ada"])
    expect(documents.count).to_have_text("1 of 3")
    documents.filter("tags", "contains", "b")
    expect(documents.keys).to_have_text(["ada"])
    documents.filter("vip", "=", "true")
    expect(documents.keys).to_have_text(["cy"])
    documents.filter("name", "=", "Nobody")
    expect(documents.page.get_by_text("No document satisfies the filter")).to_be_visible()


def test_spaces_and_signs_in_names_keys_and_values(documents):
    documents.store([{"id": "old house", "home town": "Bad Ischl"}, {"id": "a+b", "home town": "Bad+Ischl"}])
    documents.filter("home town", "=", "Bad Ischl")
    expect(documents.keys).to_have_text(["old house"])
    documents.filter("home town", "=", "Bad+Ischl")
    expect(documents.keys).to_have_text(["a+b"])
    documents.filter("home town", "=", "")
    expect(documents.keys).to_have_count(2)
    documents.page.get_by_role("button", name="Remove old house").click()
    expect(documents.keys).to_have_text(["a+b"])


def test_a_change_elsewhere_leaves_the_rows_that_it_does_not_concern(documents):
    documents.store(PEOPLE)
    expect(documents.keys).to_have_count(3)
    documents.page.evaluate("() => { for (const one of document.querySelectorAll('th button, tr[data-key]')) one.marked = true; }")
    documents.store({"id": "ba", "name": "Ba"})
    expect(documents.keys).to_have_text(["ada", "bo", "cy", "ba"])
    unmarked = "() => [...document.querySelectorAll('th button, tr[data-key]')].filter((one) => !one.marked).map((one) => one.dataset.key)"
    assert documents.page.evaluate(unmarked) == ["ba"]


def test_what_is_typed_while_a_document_is_stored_stays(documents):
    documents.json.fill('{"id": "first"}')
    with documents.page.expect_response(lambda response: response.request.method == "POST") as answer:
        documents.page.evaluate("""() => {
            document.getElementById('paste').requestSubmit();
            document.getElementById('json').value = '{"id": "second"}';
        }""")
    answer.value.finished()
    expect(documents.keys).to_have_text(["first"])
    expect(documents.json).to_have_value('{"id": "second"}')
    documents.page.get_by_role("button", name="Store").click()
    expect(documents.keys).to_have_count(2)
    expect(documents.json).to_have_value("")


def test_a_document_leaves_by_itself_when_its_time_has_come(documents, open_page, server):
    other = DocumentsPage(open_page(), server.url + "/documents/")
    documents.store({"id": "stays"})
    expect(documents.keys).to_have_text(["stays"])
    documents.store({"id": "leaves"}, expires="5")
    expect(documents.page.locator("td.leaves")).to_contain_text("in")
    expect(other.keys).to_have_count(2)
    expect(documents.keys).to_have_text(["stays"], timeout=SOON)
    expect(other.keys).to_have_text(["stays"], timeout=SOON)


@pytest.mark.parametrize(
    "text, words", [("{\"a\": }", "column 7"), ("[1]", "must be an object"), ("12", "A document is an object"), ("", "cannot be read")]
)
def test_what_is_no_document_is_said_with_the_place(documents, text, words):
    documents.store(text)
    expect(documents.problem).to_contain_text(words)
    expect(documents.json).to_have_value(text)
    expect(documents.keys).to_have_count(0)


def test_numbers_keep_all_their_digits(documents):
    documents.store('{"id": "n", "big": 9223372036854775807, "small": 5e-324, "whole": 1.0}')
    expect(documents.page.get_by_role("cell", name="9223372036854775807")).to_be_visible()
    expect(documents.page.get_by_role("cell", name="5e-324")).to_be_visible()


def test_removing_one_and_all(documents):
    documents.store(PEOPLE)
    documents.page.get_by_role("button", name="Remove bo").click()
    expect(documents.keys).to_have_text(["ada", "cy"])
    documents.page.get_by_role("button", name="Remove all").click()
    expect(documents.keys).to_have_count(2)
    documents.page.get_by_role("button", name="Really remove all?").click()
    expect(documents.page.get_by_text("Nothing is stored yet")).to_be_visible()


def test_markup_in_a_document_is_text(documents):
    documents.store({"id": "<img src=x onerror=alert(1)>", "<b>": "<script>alert(2)</script>"})
    expect(documents.keys).to_have_text(["<img src=x onerror=alert(1)>"])
    expect(documents.page.get_by_role("cell", name="<script>alert(2)</script>")).to_be_visible()


def test_all_is_there_after_a_restart(documents, server):
    documents.store(PEOPLE)
    expect(documents.keys).to_have_count(3)
    server.restart()
    documents.page.reload()
    expect(documents.keys).to_have_text(["ada", "bo", "cy"])


def test_on_a_phone_nothing_is_cut_off(open_page, server):
    phone = DocumentsPage(open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True), server.url + "/documents/")
    phone.page.get_by_role("button", name="three at once").tap()
    phone.page.get_by_role("button", name="Store").tap()
    expect(phone.keys).to_have_count(3)
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390
