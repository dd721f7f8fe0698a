"""Rows with unsaved changes that the program changes too: the conflict is shown as it comes, before anything is saved."""

from playwright.sync_api import expect

from studio import StudioPage, size, start_studio, studio, window  # noqa: F401


def conflict(window):
    return window.panel.get_by_role("group", name="Conflict")


def in_bar(window):
    return window.work.locator(".work-conflicts")


def edit(window):
    window.open("Account", "Wallet")
    window.write("name", "Mine")
    window.expect_unsaved(1)


def decide(window, choice: str):
    conflict(window).get_by_role("button", name=choice).click()
    expect(conflict(window)).to_have_count(0)
    expect(in_bar(window)).to_be_hidden()


def account(studio, columns: str = "name, currency", condition: str = "isOpen"):
    return studio.sql(f"select {columns} from Account where {condition}")


def write(studio, sql: str):
    """What the studio's own store writes, of which a window hears only what it watches."""
    assert studio.ask("POST", "api/sql", {"sql": sql, "writes": True}, session="other")[0] == 200


def save(window):
    window.save()
    window.expect_unsaved(0)
    expect(window.dialog).to_have_count(0)


def test_a_change_is_marked_as_it_comes_and_mine_can_stay(window, studio):
    edit(window)
    expect(in_bar(window)).to_be_hidden()
    studio.execute("update Account set name = 'Theirs', currency = 'JPY' where name = 'Wallet'")
    expect(conflict(window)).to_contain_text("The program has changed this row")
    expect(conflict(window).get_by_role("row", name="name Mine Theirs")).to_be_visible()
    # Nobody has changed the currency here.
    expect(conflict(window).get_by_role("row")).to_have_count(2)
    expect(in_bar(window)).to_have_text("1 conflict…")
    expect(window.page.locator("#message")).to_contain_text("The program has changed “Mine”, which is changed here")
    expect(window.field("name").locator("textarea")).to_have_value("Mine")
    assert account(studio) == [("Theirs", "JPY")]
    decide(window, "Keep mine")
    assert account(studio) == [("Theirs", "JPY")]
    save(window)
    assert account(studio) == [("Mine", "JPY")]


def test_theirs_can_be_taken_and_what_only_i_have_changed_stays(window, studio):
    edit(window)
    window.write("address", '{"city": "Linz", "lines": []}')
    studio.execute("update Account set name = 'Theirs', currency = 'JPY' where name = 'Wallet'")
    decide(window, "Take theirs")
    expect(window.field("name").locator("textarea")).to_have_value("Theirs")
    expect(window.field("currency").locator("select")).to_have_value("JPY")
    window.expect_unsaved(1)
    window.work.locator(".quiet").click()
    expect(window.dialog.locator(".differences li")).to_have_count(1)
    window.dialog.get_by_role("button", name="Close").click()
    save(window)
    assert account(studio, "name, currency, address") == [("Theirs", "JPY", '{"city":"Linz","lines":[]}')]


def test_a_change_of_another_property_is_no_conflict(window, studio):
    edit(window)
    window.show("Account")
    studio.execute("update Account set currency = 'JPY' where name = 'Wallet'")
    # A row that isn't changed here shows that the window has heard of what the program wrote.
    studio.execute("update Account set name = 'Branch' where name = 'Bank'")
    expect(window.row("Branch")).to_be_visible()
    expect(in_bar(window)).to_be_hidden()
    status, _, answer = studio.ask("GET", "api/changes", session=window.page.evaluate("sessionStorage.getItem('session')"))
    assert (status, answer["conflicts"], len(answer["changes"])) == (200, [], 1), answer
    save(window)
    assert account(studio) == [("Mine", "JPY")]


def test_what_the_program_computes_is_no_conflict(window, studio):
    edit(window)
    studio.execute("update Cost set amount = '1000' where note = 'Cost 4'")
    studio.execute("update Account set name = 'Branch' where name = 'Bank'")
    expect(window.row("Branch")).to_have_count(1)
    expect(conflict(window)).to_have_count(0)
    expect(in_bar(window)).to_be_hidden()
    save(window)
    assert account(studio, "name, balance") == [("Mine", "1107.75")]


def test_a_deletion_is_marked_as_it_comes_and_the_row_can_be_stored_anew(window, studio):
    window.open("Tag", "cash")
    window.write("name", "coins")
    window.expect_unsaved(1)
    studio.execute("delete from Tag where id = 1")
    expect(conflict(window)).to_contain_text("The program has deleted this row")
    expect(in_bar(window)).to_have_text("1 conflict…")
    decide(window, "Keep mine")
    assert studio.sql("select name from Tag") == [("late",)]
    save(window)
    assert studio.sql("select name from Tag order by id") == [("coins",), ("late",)]


def test_a_deletion_can_be_left(window, studio):
    window.open("Tag", "cash")
    window.write("name", "coins")
    window.expect_unsaved(1)
    studio.execute("delete from Tag where id = 1")
    decide(window, "Take theirs")
    window.expect_unsaved(0)
    expect(window.panel).to_contain_text("There is no such row any longer")
    assert studio.sql("select name from Tag") == [("late",)]


def test_a_row_that_is_deleted_here_and_changed_there_is_decided_in_the_bar(window, studio):
    window.open("Ticket", "Opera")
    window.panel.get_by_role("button", name="Delete…").click()
    window.dialog.get_by_role("button", name="Delete", exact=True).click()
    window.expect_unsaved(1)
    studio.execute("update Ticket set title = 'Ballet' where title = 'Opera'")
    in_bar(window).click()
    expect(window.dialog).to_contain_text("You have deleted the row; the program has changed it.")
    window.dialog.get_by_label("Take theirs").check()
    window.dialog.get_by_role("button", name="Decide").click()
    expect(in_bar(window)).to_be_hidden()
    window.expect_unsaved(0)
    expect(window.row("Ballet")).to_have_count(1)
    assert studio.sql("select title from Ticket where title <> 'Gone' order by title") == [("Ballet",), ("Stays",)]


def test_a_conflict_is_marked_in_the_list_of_changes_whatever_is_shown(window, studio):
    edit(window)
    window.show("Tag")
    write(studio, "update Tag set name = 'coins' where id = 1")
    expect(window.row("coins")).to_be_visible()
    write(studio, "update Account set name = 'Theirs' where name = 'Wallet'")
    expect(in_bar(window)).to_have_text("1 conflict…")
    message, button = window.page.locator("#message").bounding_box(), in_bar(window).bounding_box()
    assert message["y"] + message["height"] <= button["y"], "the message covers the button"
    window.work.locator(".quiet").click()
    expect(window.dialog.locator(".change .is-conflict")).to_have_text("conflict")
    window.page.keyboard.press("Escape")
    in_bar(window).click()
    expect(window.dialog.get_by_role("row", name="name Mine Theirs")).to_be_visible()
    window.dialog.get_by_role("button", name="Not now").click()
    expect(in_bar(window)).to_be_visible()
    if window.is_phone:
        assert window.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_next_version_is_another_conflict(window, studio):
    edit(window)
    studio.execute("update Account set name = 'First' where name = 'Wallet'")
    expect(conflict(window).get_by_role("row", name="name Mine First")).to_be_visible()
    decide(window, "Keep mine")
    studio.execute("update Account set name = 'Second' where name = 'First'")
    expect(conflict(window).get_by_role("row", name="name Mine Second")).to_be_visible()
    studio.execute("update Account set name = 'Mine' where name = 'Second'")
    expect(conflict(window)).to_have_count(0)
    expect(in_bar(window)).to_be_hidden()


def test_a_decision_about_a_version_that_is_no_longer_there_decides_nothing(studio):
    body = {"table": "Tag", "key": ["i1"], "values": {"name": "Mine"}}
    assert studio.ask("POST", "api/update", body)[2]["conflicts"] == []
    studio.execute("update Tag set name = 'First' where id = 1")
    [first] = studio.ask("GET", "api/changes")[2]["conflicts"]
    studio.execute("update Tag set name = 'Second' where id = 1")
    for keeps_mine in [True, False]:
        decision = {name: first[name] for name in ("table", "key", "version")} | {"keepsMine": keeps_mine}
        status, _, answer = studio.ask("POST", "api/resolve", decision)
        [second] = answer["conflicts"]
        assert (status, second["differences"][0]["before"], second["differences"][0]["after"]) == (200, "Second", "Mine")
    assert studio.ask("POST", "api/save", {})[0] == 409


def test_undo_ends_a_conflict(window, studio):
    edit(window)
    studio.execute("update Account set name = 'Theirs' where name = 'Wallet'")
    expect(conflict(window)).to_be_visible()
    window.work.get_by_role("button", name="Undo").click()
    window.expect_unsaved(0)
    expect(conflict(window)).to_have_count(0)
    expect(window.field("name").locator("textarea")).to_have_value("Theirs")


def test_the_date_on_which_a_row_expires_can_be_in_conflict(window, studio):
    window.open("Ticket", "Stays")
    expires = window.field("expires").locator("input")
    expires.fill("2090-01-02T09:00:00")
    expires.blur()
    window.expect_unsaved(1)
    other = {"table": "Ticket", "key": window.key, "expires": "2095-01-01T00:00:00Z"}
    for path, body in [("expiry", other), ("save", {})]:
        assert studio.ask("POST", f"api/{path}", body, session="other")[0] == 200
    expect(conflict(window).get_by_role("row", name="expires 2090")).to_be_visible()
    decide(window, "Take theirs")
    window.expect_unsaved(0)
    expect(window.field("expires")).to_contain_text("2095")
