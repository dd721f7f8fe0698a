"""What is shown: filters, charts, other windows, after a restart, on a phone, in the dark, and for those who hear it."""

import pytest
from playwright.sync_api import expect

SCRIPT = "<script>alert('from a field')</script><img src=x onerror=alert(1)>"


@pytest.fixture
def book(server):
    """Two accounts, two currencies, a few costs."""
    cash = server.account("Cash", "EUR", "100")
    dollars = server.account("Dollars", "USD")
    food, gifts = server.category("Bread"), server.category("Gifts")
    server.cost(cash, "-10", "January", "2026-01-10", food)
    server.cost(cash, "-20", "February", "2026-02-10", gifts)
    server.cost(cash, "40", "March", "2026-03-10")
    server.cost(dollars, "-5", "Abroad", "2026-02-20", food)
    return server


def test_the_newest_cost_comes_first_and_filters_choose(book, ledger):
    ledger.expect_notes("March", "Abroad", "February", "January")
    filter = ledger.page.get_by_role("form", name="Filter")
    filter.get_by_label("Account").select_option("Cash")
    ledger.expect_notes("March", "February", "January")
    filter.get_by_label("Category").select_option("Bread")
    ledger.expect_notes("January")
    expect(ledger.count).to_have_text("1 cost")
    filter.get_by_label("Account").select_option("Every account")
    ledger.expect_notes("Abroad", "January")
    filter.get_by_label("Category").select_option("No category")
    ledger.expect_notes("March")
    filter.get_by_role("button", name="Clear").click()
    filter.get_by_label("From day").fill("2026-02-01")
    ledger.expect_notes("March", "Abroad", "February")
    filter.get_by_label("Through day").fill("2026-02-20")
    ledger.expect_notes("Abroad", "February")
    ledger.page.reload()
    ledger.expect_notes("Abroad", "February")
    expect(filter.get_by_label("From day")).to_have_value("2026-02-01")
    ledger.page.go_back()
    ledger.expect_notes("March", "Abroad", "February")
    ledger.page.locator("body").press("Escape")
    expect(ledger.rows).to_have_count(4)


def test_an_account_in_the_list_is_a_filter(book, ledger):
    ledger.account("Dollars").get_by_role("button").first.click()
    ledger.expect_notes("Abroad")
    expect(ledger.account("Dollars").get_by_role("button").first).to_have_attribute("aria-pressed", "true")
    ledger.account("Dollars").get_by_role("button").first.click()
    expect(ledger.rows).to_have_count(4)


def test_a_filter_that_nothing_passes_says_so(book, ledger):
    ledger.page.get_by_label("From day").fill("2030-01-01")
    expect(ledger.page.get_by_text("No cost passes the filter.")).to_be_visible()
    expect(ledger.page.locator("#totals")).to_contain_text("€0.00")


@pytest.mark.parametrize("address", ["?account=x", "?from=2026-02-31", "?through=0002-01-01", "?category=%3Cscript%3E", "?account=6f9619ff-8b86-4011-b42d-00cf4fc964ff"])
def test_an_address_that_makes_no_sense_filters_nothing(book, open_ledger, address):
    window = open_ledger(address)
    expect(window.rows).to_have_count(4)
    expect(window.page.locator("#connection")).to_be_hidden()


def test_a_filter_for_what_another_window_deletes_goes_with_it(book, open_ledger):
    first, second = open_ledger(), open_ledger()
    first.page.get_by_role("form", name="Filter").get_by_label("Account").select_option("Dollars")
    first.expect_notes("Abroad")
    second.ask_to_delete("Dollars")
    second.in_dialog("Delete").click()
    first.expect_notes("March", "February", "January")


def test_a_server_that_is_away_is_missed_and_found_again(book, ledger):
    book.stop()
    expect(ledger.page.get_by_text("The server does not answer.")).to_be_visible()
    ledger.press("n")
    ledger.field("Amount").fill("1")
    ledger.in_dialog("Save").click()
    expect(ledger.dialog.get_by_role("alert").first).to_have_text("Not saved: The server does not answer.")
    book.start()
    expect(ledger.page.get_by_text("The server does not answer.").first).to_be_hidden()
    ledger.save()
    expect(ledger.rows).to_have_count(5)


def test_the_charts_can_be_heard_and_read_as_tables(book, ledger):
    categories = ledger.page.get_by_role("img", name="Sum by category, EUR")
    expect(categories).to_be_visible()
    expect(categories.locator("desc")).to_have_text("No category €40.00; Gifts −€20.00; Bread −€10.00.")
    balances = ledger.page.get_by_role("img", name="Balance over time, EUR")
    expect(balances.locator("> desc")).to_have_text(
        "From €100.00 before 10 Jan 2026 to €110.00 on 10 Mar 2026. Lowest €70.00 on 10 Feb 2026, highest €110.00 on 10 Mar 2026."
    )
    for name in ["By category", "Balance over time"]:
        ledger.page.locator("figure").filter(has_text=name).locator("summary").click()
    table = ledger.page.get_by_role("table", name="Sum by category, EUR")
    expect(table.get_by_role("row")).to_have_text(["CategoryCostsSum", "No category1€40.00", "Gifts1−€20.00", "Bread1−€10.00"])
    table = ledger.page.get_by_role("table", name="Balance over time, EUR")
    expect(table.get_by_role("row")).to_have_text(["DayBalance", "10 Jan 2026€90.00", "10 Feb 2026€70.00", "10 Mar 2026€110.00"])
    book.cost(book.account("Purse"), "-1", date="2026-03-11")
    expect(table.get_by_role("row").last).to_have_text("11 Mar 2026€109.00")


def test_each_currency_has_charts_of_its_own(book, ledger):
    ledger.page.get_by_label("USD", exact=True).check(force=True)
    expect(ledger.page.get_by_role("img", name="Sum by category, USD").locator("desc")).to_have_text("Bread −$5.00.")
    expect(ledger.page.locator("#totals")).to_contain_text("−$5.00")
    ledger.account("Cash").get_by_role("button").first.click()
    expect(ledger.page.get_by_role("img", name="Sum by category, EUR")).to_be_visible()


def test_the_balance_of_a_span_begins_with_what_was_before(book, ledger):
    ledger.page.get_by_label("From day").fill("2026-02-01")
    ledger.page.get_by_label("Through day").fill("2026-02-28")
    expect(ledger.page.get_by_role("img", name="Balance over time, EUR").locator("> desc")).to_contain_text(
        "From €90.00 before 10 Feb 2026 to €70.00 on 10 Feb 2026."
    )


def test_a_second_window_follows(open_ledger):
    first, second = open_ledger(), open_ledger()
    first.add_account("Shared", "CNY", "3")
    expect(second.account("Shared")).to_be_visible()
    first.add_cost("1", "Seen by both")
    expect(second.cost("Seen by both")).to_be_visible()
    second.expect_balance("Shared", "¥2.00")
    second.press("Control+z")
    expect(first.rows).to_have_count(0)
    first.expect_balance("Shared", "¥3.00")


def test_a_second_window_does_not_overwrite_the_first_without_a_word(open_ledger, server):
    server.cost(server.account("Cash"), "-1", "Before")
    first, second = open_ledger(), open_ledger()
    for window in [first, second]:
        window.open_cost("Before")
    first.field("Note").fill("Theirs")
    first.save()
    expect(second.cost("Theirs")).to_be_attached()
    second.field("Note").fill("Mine")
    second.in_dialog("Save").click()
    expect(second.dialog.get_by_role("alert").first).to_contain_text("Another window has changed this cost.")
    assert server.ledger_rows("SELECT note FROM Cost WHERE note <> ''") == [("Theirs",)]
    second.save()
    expect(first.cost("Mine")).to_be_visible()


def test_everything_is_there_after_a_restart_and_can_still_be_undone(book, ledger):
    before = book.ledger_rows("SELECT id, amount, date, note, account, category FROM Cost ORDER BY id")
    ledger.button("Delete March").click()
    expect(ledger.rows).to_have_count(3)
    book.restart()
    ledger.press("Control+z")
    ledger.expect_notes("March", "Abroad", "February", "January")
    book.kill()
    book.start()
    assert book.ledger_rows("SELECT id, amount, date, note, account, category FROM Cost ORDER BY id") == before
    ledger.page.reload()
    ledger.expect_balance("Cash", "€110.00")
    expect(ledger.categories).to_have_count(10)


def test_a_script_tag_in_every_text_field_is_shown_as_text(ledger, server):
    """The window's fixture fails on any dialog that a script would open, and on any script that the browser had to stop."""
    name = SCRIPT[:60]
    ledger.add_account(name)
    ledger.press("c")
    ledger.field("Name").fill(name)
    ledger.save()
    ledger.add_cost("1", SCRIPT, category=name)
    expect(ledger.cost(SCRIPT)).to_contain_text(name)
    expect(ledger.page.locator("#category-chart desc")).to_contain_text(name)
    ledger.open_cost(SCRIPT)
    ledger.in_dialog("Cancel").click()
    ledger.choose_file(f"date,account,amount,category,note\n{SCRIPT},{SCRIPT},1,{SCRIPT},{SCRIPT}\n2026-11-21,{name},1,{name},{SCRIPT}\n", f"{name.replace('/', ':')}.csv")
    expect(ledger.dialog).to_contain_text(name[:30])
    ledger.in_dialog("Import 1 cost").click()
    expect(ledger.rows).to_have_count(2)
    ledger.ask_to_delete(name)
    ledger.in_dialog("Delete").click()
    expect(ledger.accounts).to_have_count(0)
    expect(ledger.toast).to_contain_text(name)
    expect(ledger.page.locator("script")).to_have_count(1)
    expect(ledger.page.locator("img[src=x]")).to_have_count(0)


def test_a_key_works_at_once_after_a_dialog_has_closed(ledger):
    ledger.press("a")
    expect(ledger.field("Name")).to_be_focused()
    # Quicker than the page is drawn: the field that has gone still has the focus.
    ledger.page.evaluate("""() => {
        const field = document.activeElement;
        document.querySelector('dialog[open] .cancel').click();
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'c', bubbles: true, cancelable: true }));
    }""")
    expect(ledger.dialog).to_contain_text("New category")


def test_a_cost_can_be_added_as_soon_as_the_dialog_of_its_account_has_closed(ledger):
    # What the page shows comes later than the answer to the change.
    ledger.page.add_init_script("""
        const listen = EventSource.prototype.addEventListener;
        EventSource.prototype.addEventListener = function (name, body) {
            listen.call(this, name, name === 'ledger' ? (event) => setTimeout(() => body(event), 500) : body);
        };
    """)
    ledger.page.reload()
    ledger.button("New account").first.click()
    ledger.field("Name").fill("Cash")
    ledger.save()
    ledger.press("n")
    expect(ledger.field("Amount")).to_be_focused()


def test_everything_works_with_the_keyboard_alone(ledger):
    ledger.press("a")
    expect(ledger.field("Name")).to_be_focused()
    ledger.page.keyboard.type("Cash")
    ledger.press("Enter")
    expect(ledger.dialog).to_have_count(0)
    expect(ledger.account("Cash")).to_be_visible()
    for note in ["One", "Two", "Three"]:
        ledger.press("n")
        expect(ledger.field("Amount")).to_be_focused()
        ledger.page.keyboard.type("1.5")
        ledger.press("Tab", "Tab")
        expect(ledger.field("Category")).to_be_focused()
        ledger.field("Note").focus()
        ledger.page.keyboard.type(note)
        ledger.press("Enter")
        expect(ledger.dialog).to_have_count(0)
        expect(ledger.cost(note)).to_be_visible()
    ledger.press("ArrowDown")
    expect(ledger.notes.nth(0)).to_be_focused()
    ledger.press("ArrowDown")
    expect(ledger.notes.nth(1)).to_be_focused()
    ledger.press("Enter")
    expect(ledger.field("Note")).to_have_value("Two")
    ledger.press("Escape")
    expect(ledger.notes.nth(1)).to_be_focused()
    ledger.press("Delete")
    ledger.expect_notes("Three", "One")
    expect(ledger.notes.nth(1)).to_be_focused()
    ledger.press("Control+z")
    ledger.expect_notes("Three", "Two", "One")
    ledger.press("f")
    expect(ledger.page.get_by_role("form", name="Filter").get_by_label("Account")).to_be_focused()
    ledger.press("Escape", "?")
    expect(ledger.dialog).to_contain_text("Keyboard")


def test_a_phone_shows_one_part_at_a_time_and_nothing_too_wide(ledger_phone, server):
    account = server.account("An account with a name that is wider than a phone is, or so", "EUR", "999999999999999999.99")
    server.cost(account, "-999999999999999999.99", "A note that goes on and on, much longer than a phone is wide, " + "x" * 120, category=server.category("A category with a long name too"))
    tabs = ledger_phone.page.get_by_role("navigation", name="Parts of the page")
    for part, shown in [("Charts", "#category-chart"), ("Accounts", "#accounts"), ("Costs", "#costs")]:
        tabs.get_by_role("button", name=part).tap()
        expect(ledger_phone.page.locator(shown)).to_be_visible()
        assert ledger_phone.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    expect(ledger_phone.page.locator("#accounts")).to_be_hidden()
    ledger_phone.button("New cost").tap()
    ledger_phone.field("Amount").fill("1")
    ledger_phone.field("Note").fill("On the way")
    ledger_phone.in_dialog("Save").tap()
    expect(ledger_phone.cost("On the way")).to_be_visible()
    ledger_phone.button("Filter").tap()
    expect(ledger_phone.page.get_by_label("From day")).to_be_visible()
    assert ledger_phone.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    tabs.get_by_role("button", name="Accounts").tap()
    ledger_phone.categories.get_by_text("Food").tap()
    expect(ledger_phone.page.get_by_text("No cost passes the filter.")).to_be_visible()


def test_it_is_dark_where_the_system_is(open_ledger, server):
    server.cost(server.account("Cash"), "-1", "Lunch")

    def brightness(window, selector, property):
        color = window.page.locator(selector).first.evaluate(
            """(element, property) => {
                const context = document.createElement('canvas').getContext('2d');
                context.fillStyle = getComputedStyle(element)[property];
                context.fillRect(0, 0, 1, 1);
                return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
            }""",
            property,
        )
        return sum(color) / 3

    light, dark = open_ledger(color_scheme="light"), open_ledger(color_scheme="dark")
    for window in [light, dark]:
        expect(window.cost("Lunch")).to_be_visible()
    assert brightness(light, ".card", "backgroundColor") > 230
    assert brightness(dark, ".card", "backgroundColor") < 60
    for text in ["#cost-rows .edit", ".chart .label", ".chart .value"]:
        assert brightness(light, text, "fill" if "chart" in text else "color") < 120
        assert brightness(dark, text, "fill" if "chart" in text else "color") > 140
    assert brightness(dark, ".chart rect", "fill") > 120, "bars stand out on dark paper"


def test_the_start_page_leads_to_both_apps(open_page, server):
    page = open_page()
    page.goto(server.url)
    page.locator("a.card", has_text="Ledger").first.click()
    expect(page).to_have_title("Ledger")
    page.get_by_role("link", name="All examples").click()
    page.locator("a.card", has_text="Notes").first.click()
    expect(page).to_have_title("Notes")


@pytest.mark.parametrize("path", ["accounts/1", "categories/x", "costs/6f9619ff-8b86-4011-b42d-00cf4fc964ff"])
def test_what_is_not_there_is_not_there(server, path):
    assert server.ask("DELETE", f"/ledger/api/{path}?costs=0")[0] == 404


def test_nothing_is_deleted_without_saying_what_goes_with_it(server):
    account = server.account("Cash")
    assert server.ask("DELETE", f"/ledger/api/accounts/{account}")[0] == 428
    assert server.ask("DELETE", f"/ledger/api/accounts/{account}?costs=1")[0] == 412
    assert server.ledger_rows("SELECT count(*) FROM Account") == [(1,)]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"name": 1}', b"\xff\xfe"])
def test_a_request_that_makes_no_sense_is_refused(server, body):
    for kind in ["accounts", "categories", "costs"]:
        assert server.ask("POST", f"/ledger/api/{kind}", body)[0] == 400
