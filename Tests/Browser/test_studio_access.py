"""What assistive technology needs of the data browser: axe finds nothing in any view, at both widths, in light and dark."""

import pytest
from playwright.sync_api import expect

import accessibility
from studio import StudioPage, size, start_studio, studio  # noqa: F401


@pytest.fixture(params=["light", "dark"])
def show(request, open_page, size):
    """Opens a window of a studio."""
    return lambda studio: StudioPage(open_page(viewport=size, color_scheme=request.param, reduced_motion="reduce"), studio)


@pytest.fixture
def window(show, studio):
    return show(studio)


def expect_accessible(window):
    accessibility.expect_accessible(window.page)


def test_rows_their_panel_and_what_is_unsaved(window):
    expect_accessible(window)
    window.show("Cost")
    expect(window.row("Cost 4")).to_be_visible()
    expect_accessible(window)
    window.condition.fill("amount >")
    window.condition.press("Enter")
    expect(window.error).to_be_visible()
    expect_accessible(window)
    window.open("Ticket", "Opera")
    expect_accessible(window)
    window.write("title", "Ballet")
    window.expect_unsaved(1)
    expect_accessible(window)
    window.work.locator(".quiet").click()
    expect_accessible(window)
    window.page.keyboard.press("Escape")
    window.panel.get_by_role("button", name="Delete…").click()
    expect(window.dialog).to_be_visible()
    expect_accessible(window)


def test_a_conflict(window, studio):
    window.open("Account", "Wallet")
    window.write("name", "Mine")
    window.expect_unsaved(1)
    studio.execute("update Account set name = 'Theirs' where name = 'Wallet'")
    window.save()
    expect(window.dialog).to_be_visible()
    expect_accessible(window)


def test_a_conflict_before_anything_is_saved(window, studio):
    window.open("Account", "Wallet")
    window.write("name", "Mine")
    window.expect_unsaved(1)
    studio.execute("update Account set name = 'Theirs' where name = 'Wallet'")
    expect(window.panel.get_by_role("group", name="Conflict")).to_be_visible()
    expect_accessible(window)
    window.work.locator(".quiet").click()
    expect(window.dialog.locator(".is-conflict")).to_be_visible()
    expect_accessible(window)


def test_the_dialog_that_discards(window):
    window.open("Account", "Wallet")
    window.write("name", "Mine")
    window.expect_unsaved(1)
    window.work.get_by_role("button", name="Discard").click()
    expect(window.dialog.get_by_role("button", name="Discard")).to_be_visible()
    expect_accessible(window)


def test_a_conflict_of_a_document(window, studio):
    window.open("people", "ada")
    window.field("json").locator("textarea").fill('{"name": "Mine"}')
    studio.change_document("ada", json='{"name": "Theirs"}')
    expect(window.panel.get_by_role("group", name="Conflict")).to_be_visible()
    expect_accessible(window)


def test_who_wrote_a_row_and_what_lost(show, start_studio):
    window = show(start_studio(sample="--share"))
    for table, row in [("Category", "Meals"), ("papers", "plan")]:
        window.open(table, row)
        expect(window.panel.locator(".lost")).to_be_visible()
        window.panel.get_by_text("Written", exact=True).click()
        expect(window.panel.locator(".history li").first).to_be_visible()
        expect_accessible(window)
        window.page.get_by_role("button", name="Close").click()


@pytest.mark.parametrize("table, row", [("Account", "Wallet"), ("Ticket", "Opera"), ("people", "ada")])
def test_a_page_that_only_reads(show, start_studio, tmp_path, table, row):
    start_studio()
    window = show(start_studio(tmp_path / "sample0.larder", is_writable=False))
    window.open(table, row)
    expect(window.page.locator("#access")).to_be_visible()
    expect_accessible(window)


def test_documents_the_schema_the_diagram_and_sql(window):
    window.open("people", "ada")
    expect_accessible(window)
    window.panel.get_by_role("button", name="Tree").click()
    expect(window.panel.locator(".json-leaf").first).to_be_visible()
    expect_accessible(window)
    window.page.get_by_role("button", name="Close").click()
    window.page.get_by_text("Add condition", exact=True).click()
    expect_accessible(window)
    window.page.keyboard.press("Escape")
    window.page.get_by_role("button", name="New row").click()
    expect_accessible(window)
    window.page.get_by_role("link", name="Schema").click()
    expect(window.page.locator(".schema-table").first).to_be_visible()
    expect_accessible(window)
    window.page.get_by_role("link", name="Diagram").click()
    expect(window.page.locator(".diagram-title").first).to_be_visible()
    expect_accessible(window)
    window.page.get_by_role("link", name="SQL").click()
    for name in ["Run", "Plan"]:
        window.page.get_by_role("button", name=name).click()
        expect(window.page.locator("#sql td, .plan li").first).to_be_visible()
        expect_accessible(window)
    window.page.locator("#sql textarea").fill("sel")
    expect(window.page.get_by_role("option").first).to_be_visible()
    expect_accessible(window)
