"""Two ledgers on two computers: each saves a sync file, reads the other's, and both are the same."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from ledger_page import LedgerPage
from showcase import Showcase


@pytest.fixture
def other(open_page, tmp_path):
    """The ledger of another computer."""
    server = Showcase(tmp_path / "other")
    server.start()
    yield LedgerPage(open_page(), server.ledger_url)
    server.stop()


def save(ledger, path):
    ledger.page.get_by_role("button", name="Sync with another ledger").click()
    with ledger.page.expect_download() as download:
        ledger.dialog.get_by_role("link", name="Save a sync file").click()
    download.value.save_as(path)
    ledger.in_dialog("Close").click()
    return path


def read(ledger, path, answer):
    ledger.page.get_by_role("button", name="Sync with another ledger").click()
    ledger.page.locator("#sync-file").set_input_files(path)
    expect(ledger.dialog).to_contain_text(answer)
    ledger.in_dialog("Close").click()


def test_two_ledgers_have_the_same_after_each_has_read_the_others_file(ledger, other, tmp_path):
    ledger.add_account("Cash", initial="100")
    ledger.add_cost("-3.50", "Bread", account="Cash (EUR)", category="Food")
    other.add_account("Bank", initial="1000")
    other.add_cost("-20", "Shoes", account="Bank (EUR)", category="Clothes")
    read(other, save(ledger, tmp_path / "first"), "have changed.")
    read(ledger, save(other, tmp_path / "second"), "have changed.")
    read(other, save(ledger, tmp_path / "third"), "")
    for window in (ledger, other):
        window.expect_balance("Cash", "€96.50")
        window.expect_balance("Bank", "€980.00")
        window.expect_notes("Shoes", "Bread")
        expect(window.category("Food")).to_have_count(1)
        expect(window.cost("Bread")).to_contain_text("Food")
    read(ledger, tmp_path / "second", "Nothing in it is new.")


def test_an_account_with_the_same_name_waits_until_one_is_renamed(ledger, other, tmp_path):
    ledger.add_account("Cash", initial="100")
    other.add_account("Cash", currency="USD", initial="50")
    expect(ledger.page.locator("#toast")).to_be_visible()
    read(ledger, save(other, tmp_path / "file"), "Another account is called “Cash” here")
    expect(ledger.page.locator("#toast")).to_be_hidden()
    expect(ledger.account("Cash")).to_have_count(1)


def test_a_damaged_file_changes_nothing(ledger, other, tmp_path):
    other.add_account("Bank", initial="1000")
    file = save(other, tmp_path / "file")
    file.write_bytes(file.read_bytes()[:-7])
    ledger.page.get_by_role("button", name="Sync with another ledger").click()
    ledger.page.locator("#sync-file").set_input_files(file)
    expect(ledger.dialog.get_by_role("alert")).to_contain_text("This is no whole sync file.")
    ledger.in_dialog("Close").click()
    expect(ledger.account("Bank")).to_have_count(0)


def test_undo_begins_anew_after_a_file_that_has_changed_something(ledger, other, server, tmp_path):
    ledger.add_account("Cash", initial="100")
    ledger.add_cost("-2", "Salt", account="Cash (EUR)", category="Food")
    ledger.page.locator("#undo").click()
    expect(ledger.page.locator("#redo")).to_be_enabled()
    read(other, save(ledger, tmp_path / "first"), "have changed.")
    expect(other.page.locator("#undo")).to_be_disabled()
    other.add_cost("-3.50", "Bread", account="Cash (EUR)", category="Food")
    read(ledger, save(other, tmp_path / "second"), "have changed.")
    for name in ("undo", "redo"):
        expect(ledger.page.locator(f"#{name}")).to_be_disabled()
        assert server.ask("POST", f"/ledger/api/{name}")[0] == 409
    ledger.expect_notes("Bread")
    ledger.expect_balance("Cash", "€96.50")


def test_a_file_without_anything_new_leaves_undo_as_it_is(ledger, other, tmp_path):
    other.add_account("Bank", initial="1000")
    file = save(other, tmp_path / "file")
    read(ledger, file, "have changed.")
    ledger.add_cost("-20", "Shoes", account="Bank (EUR)")
    read(ledger, file, "Nothing in it is new.")
    ledger.page.locator("#undo").click()
    ledger.expect_balance("Bank", "€1,000.00")


def test_the_same_file_can_be_read_in_several_windows_at_once(ledger, other, server, tmp_path):
    other.add_account("Bank", initial="1000")
    file = save(other, tmp_path / "file").read_bytes()
    with ThreadPoolExecutor(8) as windows:
        answers = list(windows.map(lambda _: server.ask("POST", "/ledger/api/sync", file), range(8)))
    assert [status for status, _, _ in answers] == [200] * 8, answers
    expect(ledger.account("Bank")).to_have_count(1)
    expect(ledger.category("Food")).to_have_count(1)
