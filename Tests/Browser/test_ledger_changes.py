"""Accounts, costs and categories: made, changed, deleted, and brought back."""

import pytest
from playwright.sync_api import expect

ALL_COSTS = "SELECT id, amount, date, note, account, category FROM Cost ORDER BY id"
COUNTS = "SELECT (SELECT count(*) FROM Account), (SELECT count(*) FROM Cost), (SELECT count(*) FROM Category WHERE NOT isHidden)"


def test_an_account_with_costs_from_the_first_start_on(ledger, server):
    expect(ledger.page.get_by_text("No account yet", exact=True)).to_be_visible()
    ledger.add_account("Cash", "EUR", "100")
    ledger.expect_balance("Cash", "€100.00")
    ledger.add_cost("12,50", "Lunch", category="Food")
    ledger.expect_balance("Cash", "€87.50")
    row = ledger.cost("Lunch")
    expect(row).to_contain_text("−€12.50")
    expect(row).to_contain_text("Food")
    assert server.ledger_rows("SELECT balance FROM Account") == [("87.5",)]
    hidden = "SELECT amount FROM Cost JOIN Category ON Category.id = Cost.category WHERE Category.name = 'initValue' AND Category.isHidden"
    assert server.ledger_rows(hidden) == [("100",)]
    expect(ledger.categories.get_by_text("initValue")).to_have_count(0)


@pytest.mark.parametrize(
    ("typed", "direction", "shown"),
    [
        ("3", "Spent", "−€3.00"), ("3", "Received", "€3.00"), ("-3", "Received", "−€3.00"), ("+3", "Spent", "€3.00"), ("0", "Spent", "€0.00"),
        ("1.234,56", "Spent", "−€1,234.56"), ("1,234.56", "Spent", "−€1,234.56"), ("0,05", "Received", "€0.05"),
        ("999999999999999999.99", "Received", "€999,999,999,999,999,999.99"),
    ],
)
def test_amounts_keep_every_digit_and_the_sign_that_was_meant(ledger, server, typed, direction, shown):
    server.account("Cash")
    ledger.expect_balance("Cash", "€0.00")
    ledger.press("n")
    ledger.dialog.get_by_label(direction, exact=True).check(force=True)
    ledger.field("Amount").press_sequentially(typed)
    ledger.field("Note").fill("It")
    ledger.save()
    expect(ledger.cost("It").locator(".amount")).to_have_text(shown)
    ledger.expect_balance("Cash", shown)
    ledger.open_cost("It")
    ledger.save()
    expect(ledger.cost("It").locator(".amount")).to_have_text(shown)


def test_sums_are_exact(ledger, server):
    account = server.account("Cash")
    for _ in range(3):
        server.cost(account, "0.10")
    ledger.expect_balance("Cash", "€0.30")
    server.cost(account, "999999999999999999.99")
    server.cost(account, "999999999999999999.99")
    ledger.expect_balance("Cash", "€2,000,000,000,000,000,000.28")


def test_a_cost_is_changed_and_moved(ledger, server):
    cash = server.account("Cash")
    server.account("Dollars", "USD", "5")
    server.cost(cash, "-10", "Book")
    ledger.open_cost("Book")
    expect(ledger.field("Amount")).to_have_value("10.00")
    ledger.field("Account").select_option(label="Dollars (USD)")
    ledger.field("Amount").fill("7.25")
    ledger.field("Date").fill("2026-01-02")
    ledger.field("Note").fill("Atlas")
    ledger.save()
    row = ledger.cost("Atlas")
    expect(row).to_contain_text("−$7.25")
    expect(row).to_contain_text("2 Jan 2026")
    ledger.expect_balance("Cash", "€0.00")
    ledger.expect_balance("Dollars", "−$2.25")


def test_a_cost_is_deleted_and_brought_back(ledger, server):
    account = server.account("Cash", initial="1")
    server.cost(account, "-10", "Book")
    ledger.button("Delete Book").click()
    expect(ledger.toast).to_contain_text("“Book” was deleted.")
    expect(ledger.rows).to_have_count(0)
    ledger.expect_balance("Cash", "€1.00")
    ledger.undo_in_toast()
    ledger.expect_notes("Book")
    ledger.expect_balance("Cash", "−€9.00")


def test_deleting_an_account_says_how_many_costs_go_with_it(ledger, server):
    account = server.account("Cash")
    other = server.account("Bank")
    for number in range(12):
        server.cost(account, "-1", f"Cost {number}")
    server.cost(other, "-2", "Stays")
    before = server.ledger_rows(ALL_COSTS)
    ledger.ask_to_delete("Cash")
    expect(ledger.dialog).to_contain_text("This removes 12 costs and the account’s initial value.")
    expect(ledger.in_dialog("Cancel")).to_be_focused()
    assert server.ledger_rows(COUNTS) == [(2, 15, 8)], "nothing is deleted before the answer"
    ledger.in_dialog("Cancel").click()
    expect(ledger.accounts).to_have_count(2)
    ledger.ask_to_delete("Cash")
    ledger.in_dialog("Delete").click()
    expect(ledger.accounts).to_have_count(1)
    ledger.expect_notes("Stays")
    ledger.undo_in_toast()
    expect(ledger.accounts).to_have_count(2)
    expect(ledger.rows).to_have_count(13)
    assert server.ledger_rows(ALL_COSTS) == before


def test_deleting_a_category_says_how_many_costs_lose_it(ledger, server):
    account = server.account("Cash")
    gifts = server.category("Gifts")
    for number in range(3):
        server.cost(account, "-1", f"Gift {number}", category=gifts)
    expect(ledger.category("Gifts").locator(".row-value")).to_have_text("3")
    ledger.ask_to_delete("Gifts")
    expect(ledger.dialog).to_contain_text("3 costs lose their category")
    ledger.in_dialog("Delete").click()
    expect(ledger.category("Gifts")).to_have_count(0)
    expect(ledger.rows).to_have_count(3)
    assert server.ledger_rows("SELECT DISTINCT category FROM Cost WHERE note <> ''") == [(None,)]
    ledger.undo_in_toast()
    expect(ledger.category("Gifts").locator(".row-value")).to_have_text("3")
    expect(ledger.cost("Gift 0")).to_contain_text("Gifts")


def test_what_a_deletion_takes_along_is_said_anew_if_it_has_changed(ledger, server):
    account = server.account("Cash")
    ledger.ask_to_delete("Cash")
    expect(ledger.dialog).to_contain_text("No cost belongs to it.")
    server.cost(account, "-1")
    ledger.in_dialog("Delete").click()
    expect(ledger.dialog).to_contain_text("Meanwhile its costs have changed.")
    expect(ledger.dialog).to_contain_text("This removes 1 cost")
    expect(ledger.accounts).to_have_count(1)
    ledger.in_dialog("Delete").click()
    expect(ledger.accounts).to_have_count(0)


def test_accounts_and_categories_are_changed(ledger, server):
    server.account("Cash", "EUR", "5")
    server.category("Gifts")
    ledger.edit("Cash")
    expect(ledger.field("Initial value")).to_have_value("5.00")
    ledger.field("Name").fill("Purse")
    ledger.field("Currency").select_option("CNY")
    ledger.field("Initial value").fill("-7,5")
    ledger.save()
    ledger.expect_balance("Purse", "−¥7.50")
    ledger.edit("Gifts")
    ledger.field("Name").fill("Presents")
    ledger.save()
    expect(ledger.category("Presents")).to_be_visible()
    expect(ledger.category("Gifts")).to_have_count(0)


def test_many_changes_are_undone_and_redone_one_after_another(ledger, server):
    ledger.add_account("Cash", "EUR", "10")
    for number in range(1, 5):
        ledger.add_cost(str(number), f"Cost {number}")
        expect(ledger.cost(f"Cost {number}")).to_be_visible()
    ledger.open_cost("Cost 4")
    ledger.field("Note").fill("Changed")
    ledger.save()
    ledger.expect_balance("Cash", "€0.00")
    expect(ledger.button("Undo").first).to_have_attribute("title", "Undo: “Changed” changed")
    ledger.press("Control+z")
    expect(ledger.cost("Cost 4")).to_be_visible()
    for balance in ["€4.00", "€7.00", "€9.00", "€10.00"]:
        ledger.press("Control+z")
        ledger.expect_balance("Cash", balance)
    ledger.press("Control+z")
    expect(ledger.accounts).to_have_count(0)
    expect(ledger.page.locator("#undo")).to_be_disabled()
    for balance in ["€10.00", "€9.00", "€7.00"]:
        ledger.press("Control+Shift+z")
        ledger.expect_balance("Cash", balance)
    ledger.press("Control+y")
    ledger.expect_balance("Cash", "€4.00")
    ledger.page.locator("#redo").click()
    ledger.expect_balance("Cash", "€0.00")
    expect(ledger.toast).to_contain_text("Done again: “Cost 4” added.")


def test_errors_are_shown_at_their_fields(ledger, server):
    ledger.press("a")
    ledger.field("Initial value").fill("1,234")
    ledger.in_dialog("Save").click()
    expect(ledger.error("Name")).to_have_text("An account needs a name.")
    expect(ledger.error("Initial value")).to_contain_text("can be read in two ways")
    expect(ledger.field("Name")).to_be_focused()
    expect(ledger.field("Name")).to_have_attribute("aria-invalid", "true")
    ledger.field("Name").fill("Cash")
    expect(ledger.error("Name")).to_be_hidden()
    ledger.field("Initial value").fill("1234")
    ledger.save()
    ledger.press("n")
    ledger.field("Amount").fill("one")
    ledger.field("Date").fill("")
    ledger.press("Enter")
    expect(ledger.error("Amount")).to_have_text("“one” is not a number.")
    expect(ledger.error("Date")).to_have_text("A date is missing.")
    expect(ledger.field("Amount")).to_be_focused()
    ledger.in_dialog("Cancel").click()
    ledger.press("a")
    ledger.field("Name").fill("CASH")
    ledger.press("Enter")
    expect(ledger.error("Name")).to_have_text("There is already an account of this name.")
    assert server.ledger_rows(COUNTS) == [(1, 1, 8)]


@pytest.mark.parametrize("typed", ["abc", "12abc", "1 2"])
def test_an_amount_is_quoted_as_it_was_typed(ledger, server, typed):
    server.account("Cash")
    expect(ledger.accounts).to_have_count(1)
    ledger.press("n")
    ledger.field("Amount").fill(typed)
    ledger.in_dialog("Save").click()
    expect(ledger.error("Amount")).to_have_text(f"“{typed}” is not a number.")


def test_the_currency_of_an_account_with_costs_stays(ledger, server):
    server.cost(server.account("Cash"), "-1")
    ledger.edit("Cash")
    ledger.field("Currency").select_option("USD")
    ledger.in_dialog("Save").click()
    expect(ledger.error("Currency")).to_contain_text("keeps its currency")
