"""CSV in and out: previewed, refused line by line with the reason, saved with progress, exported without formulas."""

import csv
import io

import pytest
from playwright.sync_api import expect

GOOD = "date,account,currency,category,amount,note\n2026-11-01,Cash,EUR,Food,-3.50,Bread\n"


@pytest.fixture
def cash(server):
    return server.account("Cash")


def test_a_file_is_seen_before_it_is_saved(cash, ledger, server):
    ledger.choose_file(GOOD + "2026-11-02,Cash,EUR,Gifts,\"-1,50\",\"Roses, red\"\n")
    expect(ledger.dialog).to_contain_text("2 costs can be imported.")
    expect(ledger.dialog).to_contain_text("1 category is new: “Gifts”.")
    expect(ledger.dialog.get_by_role("row")).to_contain_text(["Date", "Bread", "Roses, red"])
    assert server.ledger_rows("SELECT count(*) FROM Cost") == [(1,)], "the initial value alone"
    ledger.in_dialog("Import 2 costs").click()
    expect(ledger.toast).to_contain_text("2 costs imported.")
    ledger.expect_notes("Roses, red", "Bread")
    ledger.expect_balance("Cash", "−€5.00")
    ledger.undo_in_toast()
    expect(ledger.rows).to_have_count(0)
    expect(ledger.category("Gifts")).to_have_count(0)
    ledger.press("Control+Shift+z")
    ledger.expect_notes("Roses, red", "Bread")


def test_the_name_of_the_file_is_kept_as_it_is(cash, ledger, server):
    ledger.choose_file(GOOD, name="costs + gifts of May.csv")
    ledger.in_dialog("Import 1 cost").click()
    expect(ledger.toast).to_contain_text("imported")
    assert server.ledger_rows("SELECT title FROM Step WHERE title LIKE 'Import%'") == [
        ("Import of costs + gifts of May.csv: 1 cost",)
    ]


def test_refused_lines_are_listed_with_their_reasons_and_the_others_are_imported(cash, ledger):
    ledger.choose_file(
        GOOD
        + "2026-02-30,Cash,EUR,Food,-1,\n"
        + "2026-11-01,Purse,EUR,Food,-1,\n"
        + "2026-11-01,Cash,GBP,Food,-1,\n"
        + "2026-11-01,Cash,USD,Food,-1,\n"
        + "2026-11-01,Cash,EUR,Food,much,\n"
        + "2026-11-01,Cash,EUR\n"
        + "\n"
        + "2026-11-03,Cash,EUR,,7,Found\n"
    )
    expect(ledger.dialog).to_contain_text("2 costs can be imported.")
    expect(ledger.dialog).to_contain_text("6 lines are refused")
    lines = ledger.page.get_by_role("list", name="Refused lines").get_by_role("listitem")
    for number, (line, reason) in enumerate(
        [
            (3, "There is no day “2026-02-30”"),
            (4, "There is no account “Purse”."),
            (5, "“GBP” is not a currency that Ledger knows: CNY, EUR, USD."),
            (6, "The account “Cash” is kept in EUR, not in USD."),
            (7, "“much” is not a number."),
            (8, "It has 3 fields; the first line has 6."),
        ]
    ):
        expect(lines.nth(number)).to_contain_text(f"Line {line}")
        expect(lines.nth(number)).to_contain_text(reason)
    ledger.in_dialog("Import 2 costs").click()
    expect(ledger.toast).to_contain_text("2 costs imported. 6 lines were refused.")
    ledger.expect_notes("Found", "Bread")


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffdate;account;amount;note\r\n2026-11-01;Cash;-3,50;\"two\r\nlines; \"\"quoted\"\"\"\r\n",
        "date\taccount\tamount\tnote\n01.11.2026\tcash\t−3.50\t\"two\r\nlines; \"\"quoted\"\"\"",
    ],
    ids=["semicolons, byte order mark, CRLF", "tabs"],
)
def test_files_of_other_programs_are_read(cash, ledger, server, content):
    ledger.choose_file(content)
    ledger.in_dialog("Import 1 cost").click()
    ledger.expect_balance("Cash", "−€3.50")
    assert server.ledger_rows("SELECT amount, date, note FROM Cost WHERE note <> ''") == [("-3.5", "2026-11-01", "two\r\nlines; \"quoted\"")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "This file is empty."),
        (b"a,b\n1,2\n", "“date” is missing"),
        ("date,account,amount\n2026-11-01,Cäsh,1".encode("latin-1"), "not text in UTF-8"),
        (GOOD.encode("utf-16"), "not text in UTF-8"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "not text in UTF-8"),
    ],
    ids=["empty", "no header", "Latin 1", "UTF-16", "a picture"],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(cash, ledger, content, reason):
    ledger.choose_file(content)
    expect(ledger.dialog.get_by_role("alert")).to_contain_text(reason)
    expect(ledger.page.locator("#import-start")).to_be_hidden()


def test_a_file_without_a_good_line_cannot_be_imported(cash, ledger):
    ledger.choose_file("date,account,amount\nx,y,z\n")
    expect(ledger.dialog).to_contain_text("No line can be imported.")
    expect(ledger.page.locator("#import-start")).to_be_hidden()


def test_a_long_import_tells_how_far_it_is(cash, ledger, server):
    lines = "".join(f"2026-{index % 12 + 1:02}-{index % 28 + 1:02},Cash,EUR,Food,-0.01,Cost {index}\n" for index in range(20_000))
    ledger.page.evaluate(
        """() => {
            window.steps = [];
            const bar = document.getElementById('import-bar');
            new MutationObserver(() => window.steps.push(bar.value)).observe(bar, { attributes: true });
        }"""
    )
    ledger.choose_file(GOOD + lines)
    ledger.in_dialog("Import 20,001 costs").click()
    expect(ledger.toast).to_contain_text("20,001 costs imported.", timeout=60_000)
    steps = ledger.page.evaluate("() => window.steps")
    assert len({step for step in steps if 0 < step < 1}) > 2, steps
    ledger.expect_balance("Cash", "−€203.50")
    expect(ledger.count).to_have_text("20,001 costs")
    ledger.press("Control+z")
    expect(ledger.rows).to_have_count(0, timeout=60_000)


def test_a_cancelled_import_saves_nothing(cash, ledger, server):
    lines = "".join(f"2026-11-01,Cash,EUR,Food,-0.01,Cost {index}\n" for index in range(30_000))
    ledger.choose_file(GOOD + lines)
    ledger.in_dialog("Import 30,001 costs").click(timeout=30_000)
    ledger.in_dialog("Cancel").click()
    expect(ledger.toast).to_contain_text("Nothing was saved.")
    ledger.add_cost("1", "After it")
    ledger.expect_notes("After it")


def test_the_export_holds_what_the_filter_shows_and_no_formula(ledger, server):
    account = server.account("=cash()", "USD")
    category = server.category("@home")
    server.cost(account, "-12.5", "=1+1", "2026-11-02", category)
    server.cost(account, "1000", "+49, \"quoted\"\nand more", "2026-11-01")
    server.cost(server.account("Other"), "0", "plain", "2026-11-03")
    ledger.page.get_by_role("form", name="Filter").get_by_label("Account").select_option("=cash()")
    expect(ledger.rows).to_have_count(2)
    with ledger.page.expect_download() as download:
        ledger.page.get_by_role("link", name="Export").click()
    assert download.value.suggested_filename.startswith("ledger-")
    with open(download.value.path(), newline="", encoding="utf-8") as file:
        text = file.read()
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["date", "account", "currency", "category", "amount", "note"],
        ["2026-11-02", "'=cash()", "USD", "'@home", "-12.50", "'=1+1"],
        ["2026-11-01", "'=cash()", "USD", "", "1000.00", "'+49, \"quoted\"\nand more"],
    ]
    ledger.choose_file(text)
    expect(ledger.dialog).to_contain_text("Nothing in this file is new.")
    expect(ledger.dialog).to_contain_text("2 costs are already there")


def test_costs_that_are_already_there_are_shown_and_left_out(cash, ledger, server):
    ledger.choose_file(GOOD + "2026-11-02,Cash,EUR,Gifts,-2,Roses\n2026-11-02,Cash,EUR,Gifts,-2,Roses\n")
    ledger.in_dialog("Import 3 costs").click()
    expect(ledger.rows).to_have_count(3)
    text = server.ask("GET", "/ledger/api/export")[2].decode()
    # The same file and one cost more: of three that are the same, the ledger has two.
    ledger.choose_file(text + "2026-11-02,Cash,EUR,Gifts,-2,Roses\n2026-11-02,Cash,EUR,,-2,Roses\n")
    expect(ledger.dialog).to_contain_text("2 costs can be imported.")
    expect(ledger.dialog).to_contain_text("3 costs are already there")
    known = ledger.dialog.get_by_role("row").filter(has_text="already there")
    expect(known).to_have_count(3)
    expect(known).to_contain_text(["Roses", "Roses", "Bread"])
    ledger.in_dialog("Import 2 costs").click()
    expect(ledger.toast).to_contain_text("2 costs imported. 3 were already there.")
    expect(ledger.rows).to_have_count(5)


def test_a_file_that_is_already_there_is_imported_once_more_if_that_is_chosen(cash, ledger, server):
    assert server.ask("POST", "/ledger/api/import?name=a", GOOD.encode())[0] == 200
    expect(ledger.rows).to_have_count(1)
    ledger.choose_file(GOOD)
    expect(ledger.dialog).to_contain_text("Nothing in this file is new.")
    expect(ledger.dialog).to_contain_text("1 cost is already there")
    expect(ledger.page.locator("#import-start")).to_be_hidden()
    ledger.dialog.get_by_label("Import it once more").check()
    ledger.in_dialog("Import 1 cost").click()
    expect(ledger.rows).to_have_count(2)
    ledger.undo_in_toast()
    expect(ledger.rows).to_have_count(1)


def test_a_file_is_compared_with_what_is_there_when_it_is_saved(cash, server):
    assert server.ask("POST", "/ledger/api/import?name=a", GOOD.encode())[0] == 200
    answer = server.ask("POST", "/ledger/api/import?name=a", GOOD.encode())[2]
    assert "All costs of this file are already there." in answer.decode()
    assert server.ledger_rows("SELECT count(*) FROM Cost WHERE note = 'Bread'") == [(1,)]


def test_a_file_that_is_too_long_is_refused(server):
    status, _, answer = server.ask("POST", "/ledger/api/import/preview", b"x" * (20 * 1024 * 1024 + 1))
    assert status == 422
    assert "at most 20 MB" in answer["message"]
    status, _, answer = server.ask_chunked("/ledger/api/import/preview", b"x" * (20 * 1024 * 1024 + 1), {})
    assert status == 422
