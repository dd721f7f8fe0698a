"""The data browser changes rows as a unit of work: undo, redo, saving, discarding, and conflicts with the program."""

import json
import sqlite3
from datetime import datetime, timezone

from playwright.sync_api import expect

from samples import chosen, png
from studio import StudioPage, size, start_studio, studio, window  # noqa: F401


def names(studio, table: str = "Account", column: int = 1) -> list[str]:
    return sorted(row[column] for row in studio.rows(table))


def test_a_change_waits_until_it_is_saved(window, studio):
    window.open("Account", "Wallet")
    window.write("name", "Purse")
    window.expect_unsaved(1)
    expect(window.panel.locator("h2")).to_have_text("Purse")
    assert names(studio) == ["Bank", "Wallet"]
    window.work.locator(".quiet").click()
    expect(window.dialog).to_contain_text("name: Wallet → Purse")
    window.dialog.get_by_role("button", name="Close").click()
    window.save()
    window.expect_unsaved(0)
    assert names(studio) == ["Bank", "Purse"]


def test_steps_are_undone_and_redone_after_saving_too(window, studio):
    window.open("Account", "Wallet")
    window.write("name", "Purse")
    window.expect_unsaved(1)
    window.work.get_by_role("button", name="Undo").click()
    window.expect_unsaved(0)
    expect(window.field("name").locator("textarea")).to_have_value("Wallet")
    window.work.get_by_role("button", name="Redo").click()
    window.expect_unsaved(1)
    window.save()
    window.expect_unsaved(0)
    window.panel.locator("h2").focus()
    window.page.keyboard.press("Control+z")
    window.expect_unsaved(1)
    window.page.keyboard.press("Control+s")
    window.expect_unsaved(0)
    assert names(studio) == ["Bank", "Wallet"]


def test_unsaved_changes_outlive_the_page_and_can_be_discarded(window, studio, open_page):
    window.open("Account", "Wallet")
    window.write("name", "Purse")
    window.expect_unsaved(1)
    session = window.page.evaluate("sessionStorage.getItem('session')")
    page = open_page(viewport=window.page.viewport_size)
    page.add_init_script(f"sessionStorage.setItem('session', '{session}')")
    again = StudioPage(page, studio)
    again.expect_unsaved(1)
    again.work.get_by_role("button", name="Discard").click()
    again.dialog.get_by_role("button", name="Discard").click()
    expect(again.work).to_be_hidden()
    assert names(studio) == ["Bank", "Wallet"]


def test_each_type_has_its_editor(window, studio):
    window.open("Account", "Wallet")
    window.field("currency").locator("select").select_option("JPY")
    window.expect_unsaved(1)
    window.field("isOpen").get_by_role("checkbox").uncheck()
    window.write("address", '{ "city": "Linz", "lines": [] }')
    expect(window.field("address").locator("textarea")).to_have_value('{\n  "city": "Linz",\n  "lines": []\n}')
    window.save()
    window.expect_unsaved(0)
    [row] = [row for row in studio.rows("Account") if row[1] == "Wallet"]
    assert row[2:5] == ["JPY", "false", '{"city":"Linz","lines":[]}']
    window.field("address").get_by_role("button", name="Set address to nil").click()
    expect(window.field("address").locator("textarea")).to_have_value("")
    expect(window.field("balance").locator("input, textarea, select")).to_have_count(0)


def test_a_reference_suggests_the_rows_it_can_lead_to(window, studio):
    window.open("Cost", "Cost 4")
    window.field("account").locator("input").focus()
    bank = window.field("account").locator("option").filter(has_text="Bank")
    expect(bank).to_have_count(1)
    window.write("account", bank.get_attribute("value"))
    window.expect_unsaved(1)
    expect(window.panel.get_by_role("link", name="Bank")).to_be_visible()


def test_line_ends_stay_as_they_were(window, studio):
    studio.execute("update Tag set name = 'a' || char(13, 10) || 'b' where id = 1")
    window.open("Tag", "1")
    window.write("name", "a\nb\nc")
    window.expect_unsaved(1)
    window.save()
    window.expect_unsaved(0)
    assert studio.rows("Tag")[0][1] == "a\r\nb\r\nc"


def test_json_is_checked_while_it_is_written(window, studio):
    window.open("Account", "Wallet")
    window.field("address").locator("textarea").fill('{"city": ')
    expect(window.field("address").locator(".json-editor .field-error")).to_be_visible()
    window.field("address").locator("textarea").blur()
    expect(window.work).to_be_hidden()


def test_a_value_that_does_not_fit_is_refused_at_its_field(window):
    window.open("Cost", "Cost 4")
    window.write("amount", "much")
    expect(window.field("amount").locator(":scope > .field-error")).to_be_visible()
    expect(window.work).to_be_hidden()
    window.open("Ticket", "Opera")
    window.write("count", "70000")
    expect(window.field("count").locator(":scope > .field-error")).to_contain_text("32767")


def test_dates_and_expiry_are_set_in_local_time(open_page, studio, size):
    window = StudioPage(open_page(viewport=size, timezone_id="Asia/Tokyo"), studio)
    window.open("Ticket", "Stays")
    expires = window.field("expires").locator("input")
    expires.fill("2090-01-02T09:00:00")
    expires.blur()
    expect(window.field("expires")).to_contain_text("Gone after 2 Jan 2090, 09:00:00")
    window.save()
    window.expect_unsaved(0)
    key = [row for row in studio.ask("GET", "api/rows", table="Ticket")[2]["rows"] if row["cells"][1] == "Stays"][0]["key"]
    assert studio.ask("GET", "api/row", table="Ticket", key=json.dumps(key))[2]["expires"] == "2090-01-02T00:00:00.000Z"


def test_a_date_is_edited_in_local_time(open_page, studio, size):
    window = StudioPage(open_page(viewport=size, timezone_id="Asia/Tokyo"), studio)
    window.open("Cost", "Cost 4")
    # 06:13:20 in UTC.
    field = window.field("date").locator("input")
    expect(field).to_have_value("2026-05-13T15:13:20")
    field.fill("2026-01-02T08:30:15.250")
    field.blur()
    window.expect_unsaved(1)
    expect(window.row("Cost 4").first).to_contain_text("2 Jan 2026, 08:30:15")
    window.save()
    window.expect_unsaved(0)
    stored = datetime(2026, 1, 1, 23, 30, 15, 250_000, tzinfo=timezone.utc) - datetime(2001, 1, 1, tzinfo=timezone.utc)
    assert studio.sql("select date from Cost where note = 'Cost 4'") == [(stored.total_seconds(),)]


def test_bytes_are_replaced_by_those_of_a_file_and_removed(window, studio):
    window.open("Ticket", "Opera")
    field = window.field("secret")
    expect(field).to_contain_text("3 bytes")
    expect(field).to_contain_text("00 01 ff")
    content = bytes(range(256)) * 300
    field.locator("input[type=file]").set_input_files(chosen("secret.bin", content, "application/octet-stream"))
    expect(field).to_contain_text("77 kB")
    window.save()
    window.expect_unsaved(0)
    assert studio.sql("select secret from Ticket where title = 'Opera'") == [(content,)]
    field.get_by_role("button", name="Remove").click()
    expect(field).to_contain_text("nil")
    window.save()
    window.expect_unsaved(0)
    assert studio.sql("select secret from Ticket where title = 'Opera'") == [(None,)]


def test_a_row_is_inserted_with_a_key_of_its_own(window, studio):
    window.show("Category")
    window.page.get_by_role("button", name="New row").click()
    window.write("name", "Books")
    window.panel.get_by_role("button", name="Insert").click()
    window.expect_unsaved(1)
    expect(window.panel.locator("h2")).to_have_text("Books")
    window.save()
    window.expect_unsaved(0)
    assert names(studio, "Category") == ["Books", "Food", "Travel"]


def test_an_insertion_that_lacks_a_value_says_which(window):
    window.show("Cost")
    window.page.get_by_role("button", name="New row").click()
    window.panel.get_by_role("button", name="Insert").click()
    expect(window.panel.locator(".field > .field-error:visible").first).to_contain_text("Cost")


def test_a_deletion_says_first_what_its_rules_do(window, studio):
    window.open("Account", "Wallet")
    window.panel.get_by_role("button", name="Delete…").click()
    expect(window.dialog).to_contain_text("30 rows of Cost")
    window.dialog.get_by_role("button", name="Delete", exact=True).click()
    window.expect_unsaved(31)
    expect(window.row("Wallet")).to_have_count(0)
    window.save()
    window.expect_unsaved(0)
    assert names(studio) == ["Bank"]
    assert len(studio.rows("Cost")) == 10


def test_what_takes_its_time_leads_away_from_no_other_row(window, studio):
    held = []
    for path in ("insert", "delete"):
        window.page.route(f"**/api/{path}?*", lambda route: held.append(route))

    def release():
        held.pop().continue_()

    def open_another():
        # The panel covers the rows of a phone.
        if window.is_phone:
            window.panel.get_by_role("button", name="Close").click()
        window.open("Account", "Wallet")

    shown = window.panel.locator("h2")
    window.show("Account")
    window.page.get_by_role("button", name="New row").click()
    window.write("name", "Cash")
    window.panel.get_by_role("button", name="Insert").click()
    open_another()
    release()
    window.expect_unsaved(1)
    expect(shown).to_have_text("Wallet")
    if window.is_phone:
        window.panel.get_by_role("button", name="Close").click()
    window.open("Account", "Cash")
    window.panel.get_by_role("button", name="Delete…").click()
    window.dialog.get_by_role("button", name="Delete").click()
    expect(window.page.locator("dialog")).to_have_count(0)
    open_another()
    release()
    expect(window.row("Cash")).to_have_count(0)
    expect(shown).to_have_text("Wallet")


def test_a_deletion_says_which_rows_are_left_without_a_reference(window, studio):
    window.open("Category", "Food")
    window.panel.get_by_role("button", name="Delete…").click()
    expect(window.dialog).to_contain_text("Left without a reference:")
    expect(window.dialog.get_by_role("listitem")).to_have_text("13 rows of Cost, property category")
    window.dialog.get_by_role("button", name="Delete", exact=True).click()
    window.expect_unsaved(14)
    assert studio.sql("select count(category) from Cost") == [(26,)]
    window.save()
    window.expect_unsaved(0)
    assert (names(studio, "Category"), studio.sql("select count(*), count(category) from Cost")) == (["Travel"], [(40, 13)])


def test_a_deletion_that_a_rule_denies_is_not_offered(window):
    window.open("Category", "Travel")
    window.panel.get_by_role("button", name="Delete…").click()
    expect(window.dialog).to_contain_text("1 row of Guard, whose category refers to it")
    expect(window.dialog.get_by_role("button", name="Delete", exact=True)).to_have_count(0)


def test_an_attachment_shows_its_picture_and_can_be_replaced(window):
    window.open("Ticket", "Opera")
    picture = window.field("picture").get_by_role("img", name="Preview of pixel.png")
    expect(picture).to_be_visible()
    assert picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") == 1
    window.field("picture").locator("input[type=file]").set_input_files(chosen("<b>cat</b>.png", png()))
    expect(window.field("picture")).to_contain_text("<b>cat</b>.png")
    window.save()
    window.expect_unsaved(0)


def test_an_attachment_of_another_kind_is_saved_and_downloaded_as_it_is_and_removed(window, studio):
    content = b"<script>alert(1)</script>\r\n\0\xff" * 1000
    window.open("Ticket", "Opera")
    field = window.field("picture")
    field.locator("input[type=file]").set_input_files(chosen("notes.html", content, "text/html"))
    expect(field).to_contain_text("notes.html")
    expect(field).to_contain_text("29 kB · text/html")
    expect(field.get_by_role("img")).to_have_count(0)
    window.save()
    window.expect_unsaved(0)
    assert content in studio.attached()
    stored = json.loads(studio.sql("select picture from Ticket where title = 'Opera'")[0][0])
    assert (stored["name"], stored["size"], stored["type"]) == ("notes.html", len(content), "text/html")
    with window.page.expect_download() as download:
        field.get_by_role("link", name="notes.html").click()
    assert download.value.suggested_filename == "notes.html"
    assert download.value.path().read_bytes() == content
    field.get_by_role("button", name="Remove").click()
    expect(field).to_contain_text("nil")
    expect(field.get_by_role("link")).to_have_count(0)
    window.save()
    window.expect_unsaved(0)
    assert studio.sql("select picture from Ticket where title = 'Opera'") == [(None,)]


def conflict(window, studio):
    window.open("Account", "Wallet")
    window.write("name", "Mine")
    window.expect_unsaved(1)
    studio.execute("update Account set name = 'Theirs' where name = 'Wallet'")
    window.save()
    expect(window.dialog).to_contain_text("The program has changed the same rows")
    expect(window.dialog.get_by_role("row", name="name Mine Theirs")).to_be_visible()


def test_a_conflict_is_shown_and_mine_can_stay(window, studio):
    conflict(window, studio)
    window.dialog.get_by_label("Keep mine").check()
    window.dialog.get_by_role("button", name="Save").click()
    window.expect_unsaved(0)
    assert names(studio) == ["Bank", "Mine"]


def test_a_conflict_is_shown_and_theirs_can_be_taken(window, studio):
    conflict(window, studio)
    window.dialog.get_by_label("Take theirs").check()
    window.dialog.get_by_role("button", name="Save").click()
    window.expect_unsaved(0)
    assert names(studio) == ["Bank", "Theirs"]
    expect(window.panel.locator("h2")).to_have_text("Theirs")


def test_rows_change_as_the_program_writes(window, studio):
    window.show("Account")
    expect(window.row("Wallet")).to_be_visible()
    studio.execute("update Account set name = 'Purse' where name = 'Wallet'")
    expect(window.row("Purse")).to_be_visible()
    window.row("Purse").locator(".grid-cell").first.click()
    expect(window.panel.locator("h2")).to_have_text("Purse")
    studio.execute("update Account set name = 'Bag' where name = 'Purse'")
    expect(window.panel.locator("h2")).to_have_text("Bag")
    expect(window.field("name").locator("textarea")).to_have_value("Bag")


def test_what_is_being_written_is_not_lost_when_the_program_writes(window, studio):
    window.open("Account", "Wallet")
    name = window.field("name").locator("textarea")
    name.fill("Half a na")
    studio.execute("update Account set currency = 'JPY' where name = 'Wallet'")
    expect(window.row("JPY")).to_have_count(1)
    expect(window.field("currency").locator("select")).to_have_value("JPY")
    expect(name).to_have_value("Half a na")


def test_the_cursor_and_what_is_selected_stay_when_the_program_writes(window, studio):
    window.open("Account", "Wallet")
    name = window.field("name").locator("textarea")
    name.select_text()
    studio.execute("update Account set currency = 'JPY' where name = 'Wallet'")
    expect(window.field("currency").locator("select")).to_have_value("JPY")
    window.page.keyboard.insert_text("Purse")
    expect(name).to_have_value("Purse")


def test_what_is_being_written_is_not_lost_when_the_field_before_is_taken(window, studio):
    window.open("Cost", "Cost 4")
    held = []
    window.page.route("**/api/update?*", lambda route: held.append(route))
    window.write("note", "Lunch")
    amount = window.field("amount").locator("input")
    amount.fill("2.75")
    window.page.wait_for_function("() => true")
    held[0].continue_()
    window.expect_unsaved(1)
    expect(window.panel.locator("h2")).to_have_text("Lunch")
    expect(amount).to_be_focused()
    expect(amount).to_have_value("2.75")
    window.page.unroute("**/api/update?*")
    amount.blur()
    window.save()
    window.expect_unsaved(0)
    assert [row[1:3] for row in studio.rows("Cost") if row[1] == "Lunch"] == [["Lunch", "2.75"]]


def test_what_is_being_written_is_not_lost_while_the_studio_does_not_answer(window, studio):
    window.open("Cost", "Cost 4")
    amount = window.field("amount").locator("input")
    amount.fill("2.75")
    window.page.route("**/api/row?*", lambda route: route.abort())
    studio.execute("update Cost set note = 'Cost four' where note = 'Cost 4'")
    expect(window.row("Cost four")).to_be_visible()
    expect(amount).to_have_value("2.75")
    window.page.unroute("**/api/row?*")
    studio.execute("update Cost set note = 'Cost IV' where note = 'Cost four'")
    expect(window.panel.locator("h2")).to_have_text("Cost IV")
    expect(amount).to_have_value("2.75")


def test_a_taken_value_is_shown_as_the_store_has_it(window):
    window.open("Cost", "Cost 4")
    amount = window.field("amount").locator("input")
    amount.fill("2.50")
    amount.press("Enter")
    expect(amount).to_have_value("2.5")
    expect(amount).to_be_focused()


CASH, LATE = ["i1"], ["i2"]


def change(studio, name: str, key: list):
    status, _, answer = studio.ask("POST", "api/update", {"table": "Tag", "key": key, "values": {"name": name}})
    assert status == 200, answer
    return answer


def differences(answer) -> list[tuple]:
    return sorted((one["before"], one["after"]) for change in answer["changes"] for one in change["differences"])


def test_what_the_program_writes_is_no_unsaved_change(studio):
    change(studio, "Mine", CASH)
    assert studio.ask("POST", "api/discard", {})[2]["changes"] == []
    studio.execute("update Tag set name = 'Theirs' where id = 1")
    assert differences(change(studio, "Branch", LATE)) == [("late", "Branch")]
    assert differences(change(studio, "Purse", CASH)) == [("Theirs", "Purse"), ("late", "Branch")]
    assert studio.ask("POST", "api/save", {})[0] == 200
    assert names(studio, "Tag") == ["Branch", "Purse"]
    studio.execute("update Tag set name = 'Later' where id = 1")
    assert differences(change(studio, "Last", LATE)) == [("Branch", "Last")]
    assert studio.ask("POST", "api/save", {})[0] == 200
    assert names(studio, "Tag") == ["Last", "Later"]


def resolve(studio, conflict: dict) -> int:
    body = {name: conflict[name] for name in ("table", "key", "version")}
    return studio.ask("POST", "api/resolve", body | {"keepsMine": True})[0]


def test_a_decision_holds_for_the_version_that_was_seen(studio):
    change(studio, "Mine", CASH)
    studio.execute("update Tag set name = 'First' where id = 1")
    status, _, answer = studio.ask("POST", "api/save", {})
    assert (status, len(answer["conflicts"])) == (409, 1), answer
    [first] = answer["conflicts"]
    studio.execute("update Tag set name = 'Second' where id = 1")
    assert resolve(studio, first) == 200
    status, _, answer = studio.ask("POST", "api/save", {})
    [second] = answer["conflicts"]
    assert (status, second["differences"][0]["before"]) == (409, "Second"), answer
    assert names(studio, "Tag") == ["Second", "late"]
    assert resolve(studio, second) == 200
    assert studio.ask("POST", "api/save", {})[0] == 200
    assert names(studio, "Tag") == ["Mine", "late"]


def test_values_of_a_column_without_a_type_keep_their_kind(start_studio, tmp_path):
    file = tmp_path / "kinds.db"
    connection = sqlite3.connect(file)
    connection.execute("create table t (id integer primary key, v)")
    connection.executemany("insert into t values (?, ?)", [(1, "007"), (2, 5), (3, b"\0\1"), (4, None), (5, None), (6, 1.5)])
    connection.commit()
    studio = start_studio(file)
    for number, text in [(1, "008"), (2, "6"), (3, "AAEC"), (4, "0042"), (5, "42"), (6, "2.5")]:
        status, _, answer = studio.ask("POST", "api/update", {"table": "t", "key": [f"i{number}"], "values": {"v": text}})
        assert status == 200, answer
    status, _, answer = studio.ask("POST", "api/update", {"table": "t", "key": ["i3"], "values": {"v": "no bytes"}})
    assert (status, "has bytes" in answer["message"]) == (422, True), answer
    for text in ["1e5", "7"]:
        assert studio.ask("POST", "api/insert", {"table": "t", "values": {"v": text}, "expires": None})[0] == 200
    assert studio.ask("POST", "api/save", {})[0] == 200
    assert [row[0] for row in connection.execute("select v from t order by id")] == ["008", 6, b"\0\1\2", "0042", 42, 2.5, "1e5", 7]
    connection.close()


def test_saving_is_one_transaction(window, studio):
    """Of two rows that are changed, one can't be saved: a value that must be unique is taken by now."""
    for table, text, name in [("Tag", "cash", "coins"), ("Account", "Wallet", "Purse")]:
        window.open(table, text)
        window.write("name", name)
    window.expect_unsaved(2)
    studio.execute("update Account set name = 'Purse' where name = 'Bank'")
    expect(window.row("Purse")).to_have_count(2)
    window.save()
    expect(window.page.locator("#message")).to_contain_text("Account.name")
    window.expect_unsaved(2)
    assert (names(studio), names(studio, "Tag")) == (["Purse", "Wallet"], ["cash", "late"])
    window.open("Account", "EUR")
    window.write("name", "Bag")
    window.save()
    window.expect_unsaved(0)
    assert (names(studio), names(studio, "Tag")) == (["Bag", "Purse"], ["coins", "late"])


def test_a_conflict_in_one_row_keeps_the_others_from_being_saved(window, studio):
    for table, text, name in [("Tag", "cash", "coins"), ("Account", "Wallet", "Mine")]:
        window.open(table, text)
        window.write("name", name)
    window.expect_unsaved(2)
    studio.execute("update Account set name = 'Theirs' where name = 'Wallet'")
    window.save()
    expect(window.dialog).to_contain_text("The program has changed the same rows")
    window.dialog.get_by_role("button", name="Not now").click()
    window.expect_unsaved(2)
    assert (names(studio), names(studio, "Tag")) == (["Bank", "Theirs"], ["cash", "late"])


def test_windows_with_unsaved_changes_keep_no_other_from_reading(studio):
    body = {"table": "Tag", "key": CASH, "values": {"name": "Mine"}}
    for number in range(64):
        assert studio.ask("POST", "api/update", body, session=f"closed {number}")[0] == 200
    assert [row[1] for row in studio.rows("Tag", session="new")] == ["cash", "late"]
    assert studio.ask("GET", "api/changes", session="new")[2]["changes"] == []
    assert studio.ask("POST", "api/update", body, session="new")[0] == 503
    assert studio.ask("POST", "api/discard", {}, session="closed 7")[0] == 200
    assert studio.ask("POST", "api/update", body, session="new")[0] == 200
