"""The filter: words of the notes, sums that follow it, and buttons that keep their place."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def book(server):
    """An account with an initial value, and costs of two categories."""
    cash = server.account("Cash", "EUR", "100")
    bank = server.account("Bank", "EUR", "1000")
    food, gifts = server.category("Bread"), server.category("Gifts")
    server.cost(cash, "-10", "Lunch in the café", "2026-01-10", food)
    server.cost(cash, "-20", "Flowers", "2026-02-10", gifts)
    server.cost(bank, "-40", "Lunch again", "2026-03-10", food)
    return server


def test_words_of_the_notes_are_found_together_with_the_other_filters(book, ledger):
    filter = ledger.page.get_by_role("form", name="Filter")
    search = filter.get_by_label("Search notes")
    search.press_sequentially("lun")
    ledger.expect_notes("Lunch again", "Lunch in the café")
    expect(ledger.count).to_have_text("2 costs")
    expect(search).to_be_focused()
    search.fill("CAFE lunch")
    ledger.expect_notes("Lunch in the café")
    search.fill("lunch")
    filter.get_by_label("Account").select_option("Bank")
    ledger.expect_notes("Lunch again")
    filter.get_by_label("Category").select_option("Gifts")
    expect(ledger.page.get_by_text("No cost passes the filter.")).to_be_visible()
    filter.get_by_label("Category").select_option("Every category")
    ledger.expect_notes("Lunch again")
    ledger.page.reload()
    expect(search).to_have_value("lunch")
    ledger.expect_notes("Lunch again")
    filter.get_by_role("button", name="Clear").click()
    expect(search).to_have_value("")
    expect(ledger.rows).to_have_count(3)
    ledger.page.go_back()
    ledger.expect_notes("Lunch again")


@pytest.mark.parametrize("text", ['"', "a OR *", "note:x NEAR", "<script>alert(1)</script>", "' OR 1=1 --", "("])
def test_no_letter_has_a_meaning_of_its_own(book, ledger, text):
    ledger.page.get_by_label("Search notes").fill(text + " flowersandmore")
    expect(ledger.page.get_by_text("No cost passes the filter.")).to_be_visible()
    expect(ledger.page.locator("#connection")).to_be_hidden()


def test_the_slash_leads_to_the_search_and_escape_away_from_it(book, ledger):
    ledger.press("/")
    expect(ledger.page.get_by_label("Search notes")).to_be_focused()
    ledger.page.keyboard.type("flow")
    ledger.expect_notes("Flowers")
    ledger.press("Escape")
    expect(ledger.rows).to_have_count(3)


def test_the_letters_of_a_word_are_one_step_back(book, ledger):
    search = ledger.page.get_by_label("Search notes")
    for letters, count in [("l", 2), ("lu", 2), ("lunch in", 1)]:
        search.fill(letters)
        expect(ledger.page).to_have_url(f"{book.ledger_url}?text={letters.replace(' ', '+')}")
        expect(ledger.rows).to_have_count(count)
    ledger.page.go_back()
    expect(ledger.rows).to_have_count(3)
    expect(ledger.page).to_have_url(book.ledger_url)


def test_what_the_chart_over_time_shows_follows_the_filter(book, ledger):
    filter = ledger.page.get_by_role("form", name="Filter")
    totals = ledger.page.locator("#totals")
    balances = ledger.page.get_by_role("img", name="Balance over time, EUR")
    expect(balances.locator("> desc")).to_contain_text("From €1,100.00 before 10 Jan 2026 to €1,030.00")
    filter.get_by_label("Account").select_option("Cash")
    expect(balances.locator("> desc")).to_contain_text("From €100.00 before 10 Jan 2026 to €70.00")
    expect(totals).to_contain_text("Balance€70.00")
    filter.get_by_label("Account").select_option("Every account")
    filter.get_by_label("Category").select_option("Bread")
    sums = ledger.page.get_by_role("img", name="Sum over time, EUR")
    expect(sums.locator("> desc")).to_have_text(
        "From €0.00 before 10 Jan 2026 to −€50.00 on 10 Mar 2026. Lowest −€50.00 on 10 Mar 2026, highest −€10.00 on 10 Jan 2026."
    )
    expect(balances).to_have_count(0)
    expect(totals).to_contain_text("Together−€50.00")
    expect(totals).not_to_contain_text("Balance")
    filter.get_by_label("Category").select_option("Every category")
    filter.get_by_label("Search notes").fill("again")
    expect(sums.locator("> desc")).to_contain_text("to −€40.00 on 10 Mar 2026.")


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, {"width": 1000, "height": 800}, {"width": 390, "height": 844}], ids=["wide", "medium", "narrow"])
def test_a_filter_moves_no_button(book, open_ledger, size):
    ledger = open_ledger(viewport=size)
    if size["width"] < 760:
        ledger.button("Filter").click()
    places = "[...document.querySelectorAll('.tools :is(button, a, input, select)')].map((one) => { const box = one.getBoundingClientRect(); return [one.id, box.x, box.y, box.width]; })"
    expect(ledger.rows).to_have_count(3)
    before = ledger.page.evaluate(places)
    filter = ledger.page.get_by_role("form", name="Filter")
    filter.get_by_label("Category").select_option("Gifts")
    expect(ledger.rows).to_have_count(1)
    assert ledger.page.evaluate(places) == before
    expect(filter.get_by_role("button", name="Clear")).to_be_enabled()
    filter.get_by_role("button", name="Clear").click()
    expect(ledger.rows).to_have_count(3)
    assert ledger.page.evaluate(places) == before
    expect(filter.get_by_label("Account")).to_be_focused()
