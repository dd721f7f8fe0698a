"""The first page: all apps and Studio at a glance."""

from playwright.sync_api import expect

from studio import size  # noqa: F401


def test_all_apps_and_studio_are_seen_at_once_on_a_desk(open_page, server):
    page = open_page()
    page.goto(server.url)
    for card in page.locator(".card").all():
        expect(card).to_be_in_viewport(ratio=1)
    expect(page.locator(".card")).to_have_count(5)


def test_nothing_is_cut_off(open_page, server, size):
    page = open_page(viewport=size)
    page.goto(server.url)
    for line in page.locator(".card :is(strong, h2, small), .stores a").all():
        assert line.evaluate("line => line.scrollWidth <= line.clientWidth + 1 || getComputedStyle(line).display === 'inline'")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_every_card_is_reached_by_keys(open_page, server):
    page = open_page()
    page.goto(server.url)
    paths = []
    for _ in range(page.locator("main a").count()):
        page.keyboard.press("Tab")
        paths.append(page.evaluate("document.activeElement.getAttribute('href')"))
    assert paths == ["/notes/", "/ledger/", "/creatures/", "/devices/", *(f"/studio/{store}/" for store in ["notes", "ledger", "laptop", "phone", "documents"])]
