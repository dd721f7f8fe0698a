"""What assistive technology needs of Ledger: axe finds nothing in any view or dialog, at both widths, in light and dark."""

import pytest
from playwright.sync_api import expect

from accessibility import expect_accessible

SIZES = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 390, "height": 844}}


@pytest.fixture(params=["light", "dark"])
def scheme(request):
    return request.param


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def ledger(request, scheme, server, open_ledger):
    def open_window():
        return open_ledger(viewport=request.param, color_scheme=scheme, reduced_motion="reduce")

    open_window.is_narrow = request.param["width"] < 760
    return open_window


@pytest.fixture
def book(server):
    cash = server.account("Cash", "EUR", "100")
    dollars = server.account("Dollars", "USD")
    gifts = server.category("Gifts")
    server.cost(cash, "-10", "Lunch", "2026-01-10")
    server.cost(cash, "20", "", "2026-02-10", gifts)
    server.cost(dollars, "0", "Nothing", "2026-02-20", gifts)
    lines = "".join(f"2026-01-{index % 28 + 1:02},Cash,Gifts,-1,Cost {index}\n" for index in range(200))
    assert server.ask("POST", "/ledger/api/import", f"date,account,category,amount,note\n{lines}".encode())[0] == 200
    return server


def test_an_empty_ledger(ledger):
    window = ledger()
    expect_accessible(window.page)


def test_costs_charts_and_the_filter(book, ledger):
    window = ledger()
    expect(window.rows.first).to_be_visible()
    expect_accessible(window.page)
    window.scroll("height / 2")
    expect_accessible(window.page)
    window.rows.nth(12).locator(".edit").focus()
    expect_accessible(window.page)
    window.scroll("0")
    if ledger.is_narrow:
        window.button("Filter").click()
    window.page.get_by_label("Search notes").fill("lunch")
    window.expect_notes("Lunch")
    expect_accessible(window.page)
    if ledger.is_narrow:
        window.button("Charts").click()
    for summary in window.page.locator("summary").all():
        summary.click()
    expect(window.page.get_by_role("table", name="Sum over time, EUR")).to_be_visible()
    expect_accessible(window.page)
    if ledger.is_narrow:
        window.button("Accounts").click()
        expect_accessible(window.page)
        window.button("Costs").click()
    window.page.get_by_label("Search notes").fill("dinner")
    expect(window.page.get_by_text("No cost passes the filter.")).to_be_visible()
    expect_accessible(window.page)


def test_the_dialogs(book, ledger):
    window = ledger()
    expect(window.rows.first).to_be_visible()
    window.notes.nth(2).click()
    expect(window.dialog).to_be_visible()
    expect_accessible(window.page)
    window.field("Amount").fill("abc")
    window.in_dialog("Save").click()
    expect(window.error("Amount")).to_be_visible()
    expect_accessible(window.page)
    window.in_dialog("Cancel").click()
    for key, title in [("a", "New account"), ("c", "New category"), ("?", "Keyboard")]:
        window.page.locator("h1").click()
        window.press(key)
        expect(window.dialog).to_contain_text(title)
        expect_accessible(window.page)
        window.press("Escape")
    window.page.get_by_role("button", name="Sync with another ledger").click()
    expect(window.dialog).to_contain_text("Sync with another ledger")
    expect_accessible(window.page)
    window.press("Escape")
    if ledger.is_narrow:
        window.button("Accounts").click()
    window.ask_to_delete("Cash")
    expect_accessible(window.page)


def test_an_import_and_what_is_said_of_it(book, ledger):
    window = ledger()
    expect(window.rows.first).to_be_visible()
    window.button("Import").click()
    expect_accessible(window.page)
    text = "date,account,amount,note\n2026-01-10,Cash,-10,Lunch\n2026-01-10,Cash,-11,Lunch\nsoon,Cash,1,x\n"
    window.page.locator("#import-file").set_input_files({"name": "costs.csv", "mimeType": "text/csv", "buffer": text.encode()})
    expect(window.dialog).to_contain_text("already there")
    expect_accessible(window.page)
    window.in_dialog("Import 1 cost").click()
    expect(window.toast).to_contain_text("1 cost imported.")
    expect_accessible(window.page)
