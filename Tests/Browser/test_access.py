"""What assistive technology needs of the Showcase's pages: axe finds nothing, at both widths, in light and dark."""

import pytest
from playwright.sync_api import expect

from accessibility import expect_accessible
from notes_page import NotesPage
from samples import chosen, png
from studio import size  # noqa: F401


@pytest.fixture(params=["light", "dark"])
def page(request, open_page, size):
    return open_page(viewport=size, color_scheme=request.param, reduced_motion="reduce")


def test_the_first_page(page, server):
    page.goto(server.url)
    expect_accessible(page)


def test_notes(page, server):
    for title in ["First", "Second"]:
        server.create(title, "Milk and bread")
    assert server.ask("DELETE", f"/notes/api/notes/{server.create('Deleted')['id']}")[0] == 204
    window = NotesPage(page, server.notes_url)
    window.expect_titles("Second", "First")
    expect_accessible(page)
    window.search.fill("milk")
    expect(window.list.locator("mark").first).to_be_visible()
    expect_accessible(page)
    page.get_by_role("button", name="Recently deleted").click()
    expect(page.get_by_role("button", name="Restore Deleted")).to_be_visible()
    expect_accessible(page)
    window.press("Escape")
    window.open("First")
    window.add_picture(chosen("garden.png", png()))
    expect(window.pictures).to_have_count(1)
    window.expect_saved()
    page.get_by_role("button", name="What is stored").click()
    expect(page.locator(".stored-row")).to_be_visible()
    expect_accessible(page)
    window.title.fill("")
    expect(page.locator("#title-error")).to_be_visible()
    expect_accessible(page)
    window.title.fill("First")
    window.expect_saved()
    window.delete_open_note()
    expect(window.toast).to_be_visible()
    expect_accessible(page)


def test_ledger(page, server):
    page.goto(server.ledger_url)
    expect(page.get_by_text("No account yet").locator("visible=true").first).to_be_visible()
    expect_accessible(page)
    account = server.account("Wallet", initial="100")
    server.cost(account, "-12.50", "Milk", category=server.category("Dairy"))
    expect(page.get_by_text("Milk")).to_be_visible()
    expect_accessible(page)
    page.get_by_role("button", name="New cost").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect_accessible(page)


def test_creatures(page, server):
    page.goto(f"{server.url}/creatures/")
    expect(page.get_by_text("No creature has been seen yet")).to_be_visible()
    expect_accessible(page)
    page.get_by_role("button", name="New creature").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect_accessible(page)
    page.get_by_role("dialog").get_by_label("Name").fill("Griffin")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_text("Griffin").first).to_be_visible()
    expect_accessible(page)


def test_two_devices(page, server):
    page.goto(f"{server.url}/devices/")
    expect(page.get_by_role("region", name="Phone", exact=True)).to_contain_text("In step")
    expect_accessible(page)
    page.get_by_role("switch").first.click()
    expect(page.get_by_role("region", name="Laptop", exact=True)).to_contain_text("Offline")
    expect_accessible(page)
