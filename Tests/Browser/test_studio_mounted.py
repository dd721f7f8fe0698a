"""The Showcase shows its own stores in Studio, which is reached from the landing page and from each app."""

from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from notes_page import NotesPage
from studio import StudioPage, size  # noqa: F401

STORES = {"Notes": "notes", "Ledger": "ledger", "Laptop": "laptop", "Phone": "phone", "Documents": "documents"}
TABLES = {"notes": "Note", "ledger": "Category", "laptop": "Folder", "phone": "Folder", "documents": "papers"}


def studio(server, store: str):
    """What a window of Studio needs to know."""
    return SimpleNamespace(url=f"{server.url}/studio/{store}/")


def test_the_landing_page_leads_to_each_store(open_page, server, size):
    page = open_page(viewport=size)
    for title, store in STORES.items():
        page.goto(server.url)
        page.get_by_role("list", name="Stores").get_by_role("link", name=title, exact=True).click()
        expect(page).to_have_url(f"{server.url}/studio/{store}/")
        expect(page.locator("#store-name")).to_have_text(store)
        expect(page.locator(f"#tables a[data-table={TABLES[store]}]")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.parametrize("app, store", [("notes", "notes"), ("ledger", "ledger"), ("devices", "laptop"), ("devices", "phone")])
def test_each_app_leads_to_its_store_and_back(open_page, server, size, app, store):
    page = open_page(viewport=size)
    page.goto(f"{server.url}/{app}/")
    page.locator(f'a[href="/studio/{store}/"]').click()
    expect(page.locator("#store-name")).to_have_text(store)
    page.locator("#home").click()
    expect(page).to_have_url(f"{server.url}/{app}/")


def test_a_note_that_is_changed_in_studio_changes_in_the_page_of_notes(open_page, server, size):
    server.create("Groceries", "Milk")
    notes = NotesPage(open_page(viewport=size), server.notes_url)
    notes.expect_titles("Groceries")
    notes.page.evaluate("window.isSameDocument = true")
    window = StudioPage(open_page(viewport=size), studio(server, "notes"))
    window.open("Note", "Groceries")
    window.write("title", "Shopping")
    window.expect_unsaved(1)
    notes.expect_titles("Groceries")
    window.save()
    window.expect_unsaved(0)
    notes.expect_titles("Shopping")
    assert notes.page.evaluate("window.isSameDocument")


def test_the_schema_says_that_the_programs_migrations_ran_when_it_opened_the_store(open_page, server, size):
    window = StudioPage(open_page(viewport=size), studio(server, "ledger"))
    window.page.get_by_role("link", name="Schema").click()
    expect(window.page.locator(".schema-table").last).to_have_text("PendingNothing: a program’s migrations run when it opens its store.")


def test_another_site_is_refused_although_no_token_is_needed(server):
    change = {"sql": "delete from Category", "writes": True}
    path = "/studio/ledger/api/sql?session=test"
    assert server.ask("POST", path, change, {"Origin": "http://evil.example"})[0] == 403
    assert server.ask("POST", path, change, {"Host": "evil.example"})[0] == 421
    assert server.ledger_rows("SELECT count(*) > 0 FROM Category") == [(1,)]


def test_the_network_only_reads(server):
    server.stop()
    server.start("--host", "0.0.0.0")
    assert server.ask("GET", "/studio/notes/api/store?session=test")[2]["isWritable"] is False
    assert server.ask("POST", "/studio/notes/api/sql?session=test", {"sql": "delete from Note", "writes": True})[0] == 403
