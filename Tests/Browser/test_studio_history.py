"""Who wrote a row when, and what lost against a write elsewhere, in the data browser."""

import pytest
from playwright.sync_api import expect

from studio import StudioPage, size, start_studio, studio, window  # noqa: F401


@pytest.fixture
def shared(start_studio):
    return lambda **options: start_studio(None, sample="--share", **options)


def open_window(open_page, studio, size):
    return StudioPage(open_page(viewport=size), studio)


def test_a_row_says_which_replica_wrote_each_property(open_page, shared, size):
    window = open_window(open_page, shared(), size)
    window.open("Category", "Meals")
    window.panel.get_by_text("Written", exact=True).click()
    lines = window.panel.locator(".history li")
    expect(lines).to_have_count(2)
    expect(lines.filter(has_text="name")).to_contain_text("Ada's phone")
    expect(lines.filter(has_text="inserted")).to_contain_text("Laptop, this file")


def test_a_value_that_lost_is_restored(open_page, shared, size):
    studio = shared()
    window = open_window(open_page, studio, size)
    window.open("Category", "Meals")
    lost = window.panel.locator(".lost")
    expect(lost).to_contain_text("Groceries")
    expect(lost).to_contain_text("Laptop, this file")
    lost.get_by_role("button", name="Restore").click()
    expect(lost).to_have_count(0)
    expect(window.field("name").locator("input, textarea")).to_have_value("Groceries")
    assert "Groceries" in studio.rows("Category")[0]


def test_what_lost_of_a_document_is_dismissed(open_page, shared, size):
    studio = shared()
    window = open_window(open_page, studio, size)
    window.open("papers", "plan")
    lost = window.panel.locator(".lost")
    expect(lost).to_contain_text("Groceries")
    lost.get_by_role("button", name="Dismiss").click()
    expect(lost).to_have_count(0)
    assert studio.rows("papers")[0][1] == "Meals"


def test_a_decision_is_refused_where_nothing_may_be_written(open_page, shared, size):
    studio = shared(is_writable=False)
    window = open_window(open_page, studio, size)
    window.open("Category", "Meals")
    expect(window.panel.locator(".lost")).to_be_visible()
    expect(window.panel.locator(".lost button")).to_have_count(0)
    key = studio.ask("GET", "api/rows", table="Category")[2]["rows"][0]["key"]
    status, _, answer = studio.ask("POST", "api/conflict", {"table": "Category", "key": key, "conflict": "name", "restores": True})
    assert status == 403, answer


def test_a_store_without_sync_has_no_history(window):
    window.open("Category", "Food")
    expect(window.panel.locator(".field").first).to_be_visible()
    expect(window.panel.locator(".history")).to_have_count(0)
