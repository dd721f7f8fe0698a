"""A document that is being edited while the program changes it: the conflict is shown as it comes, and nothing is overwritten unseen."""

import json
from datetime import datetime, timedelta, timezone

import pytest
from playwright.sync_api import expect

from studio import StudioPage, size, start_studio, studio, window  # noqa: F401

SOON = 12_000
MINE, THEIRS = '{"name": "Mine", "age": 36}', '{"name": "Theirs", "age": 37}'


def text(window):
    return window.field("json").locator("textarea")


def conflict(window):
    return window.panel.get_by_role("group", name="Conflict")


def decide(window, choice: str):
    conflict(window).get_by_role("button", name=choice).click()
    expect(conflict(window)).to_have_count(0)


def undo(window):
    window.page.locator("#message").get_by_role("button", name="Undo").click()
    expect(window.page.locator("#message")).to_have_text("Undone.")


def stored(studio, key: str = "ada") -> dict:
    return json.loads(studio.document(key)["json"])


def edit(window, key: str = "ada"):
    window.open("people", key)
    text(window).fill(MINE)


def test_a_conflict_is_shown_as_it_comes_and_mine_can_stay(window, studio):
    edit(window)
    studio.change_document("ada", json=THEIRS)
    expect(conflict(window)).to_contain_text("The program has changed this document")
    expect(conflict(window).get_by_role("row", name='name "Mine" "Theirs"')).to_be_visible()
    expect(conflict(window).get_by_role("row", name="age 36 37")).to_be_visible()
    expect(window.page.locator("#message")).to_contain_text("The program has changed this document")
    expect(text(window)).to_have_value(MINE)
    decide(window, "Keep mine")
    expect(text(window)).to_be_focused()
    expect(text(window)).to_have_value(MINE)
    assert stored(studio) == json.loads(THEIRS)
    window.save_document()
    assert stored(studio) == json.loads(MINE)
    undo(window)
    assert stored(studio) == json.loads(THEIRS)


def test_theirs_can_be_taken(window, studio):
    edit(window)
    studio.change_document("ada", json=THEIRS)
    decide(window, "Take theirs")
    assert json.loads(text(window).input_value()) == json.loads(THEIRS)
    expect(window.panel.get_by_role("button", name="Save document")).to_be_disabled()
    assert stored(studio) == json.loads(THEIRS)


def test_what_another_process_writes_is_a_conflict(window, studio, start_studio):
    edit(window)
    start_studio(studio.file).change_document("ada", json=THEIRS)
    expect(conflict(window).get_by_role("row", name="age 36 37")).to_be_visible()
    expect(text(window)).to_have_value(MINE)


def test_a_document_that_was_deleted_can_be_stored_anew_with_its_expiry(window, studio):
    before = studio.document("bob")
    edit(window, "bob")
    studio.change_document("bob")
    expect(conflict(window)).to_contain_text("deleted this document, or it has expired")
    decide(window, "Keep mine")
    assert studio.document("bob") is None
    window.save_document()
    assert (stored(studio, "bob"), studio.document("bob")["expires"]) == (json.loads(MINE), before["expires"])
    undo(window)
    assert studio.document("bob") is None


def test_a_document_that_was_deleted_can_be_left(window, studio):
    edit(window)
    studio.change_document("ada")
    decide(window, "Take theirs")
    expect(window.panel).to_contain_text("There is no such document any longer")
    assert studio.document("ada") is None


def test_a_document_that_expires_while_it_is_edited_has_a_conflict(window, studio):
    window.open("people", "ada")
    date = (datetime.now(timezone.utc) + timedelta(seconds=4)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    studio.change_document("ada", expires=date)
    expect(window.field("expires")).to_contain_text("Gone after")
    text(window).fill(MINE)
    expect(conflict(window)).to_contain_text("it has expired", timeout=SOON)
    decide(window, "Keep mine")
    expect(window.field("expires")).to_contain_text("The row stays.")
    window.save_document()
    assert (stored(studio), studio.document("ada")["expires"]) == (json.loads(MINE), None)


def test_a_decision_holds_for_the_version_that_was_seen(window, studio):
    edit(window)
    studio.change_document("ada", json='{"name": "First"}')
    expect(conflict(window).get_by_role("row", name='name "Mine" "First"')).to_be_visible()
    studio.change_document("ada", json='{"name": "Second"}')
    expect(conflict(window).get_by_role("row", name='name "Mine" "Second"')).to_be_visible()
    decide(window, "Keep mine")
    studio.change_document("ada", json='{"name": "Third"}')
    expect(conflict(window).get_by_role("row", name='name "Mine" "Third"')).to_be_visible()
    assert stored(studio) == {"name": "Third"}


def test_saving_before_the_conflict_is_known_shows_it(window, studio):
    edit(window)
    window.page.route("**/api/events?*", lambda route: route.abort())
    window.page.route("**/api/document?*", lambda route: route.continue_() if route.request.method == "POST" else route.abort())
    studio.change_document("ada", json=THEIRS)
    window.page.unroute("**/api/document?*")
    window.panel.get_by_role("button", name="Save document").click()
    expect(conflict(window).get_by_role("row", name="age 36 37")).to_be_visible()
    expect(window.field("json").locator(":scope > .field-error")).to_contain_text("changed meanwhile")
    expect(text(window)).to_have_value(MINE)
    assert stored(studio) == json.loads(THEIRS)


def test_versions_are_compared_while_they_are_written(window, studio):
    edit(window)
    studio.change_document("ada", json=THEIRS)
    expect(conflict(window).get_by_role("row")).to_have_count(3)
    text(window).fill('{"name": "Theirs", "age": ')
    expect(conflict(window).get_by_role("row")).to_have_count(3)
    text(window).fill('{"name": "Theirs", "age": 38}')
    expect(conflict(window).get_by_role("row")).to_have_count(2)
    expect(conflict(window).get_by_role("row", name="age 38 37")).to_be_visible()


def test_the_same_change_is_no_conflict(window, studio):
    edit(window)
    studio.change_document("ada", json=MINE)
    expect(window.panel.get_by_role("button", name="Save document")).to_be_disabled()
    expect(conflict(window)).to_have_count(0)
    assert json.loads(text(window).input_value()) == json.loads(MINE)


def test_a_conflict_ends_when_the_program_takes_its_change_back(window, studio):
    before = studio.document("ada")["json"]
    edit(window)
    studio.change_document("ada", json=THEIRS)
    expect(conflict(window)).to_be_visible()
    studio.change_document("ada", json=before)
    expect(conflict(window)).to_have_count(0)
    expect(text(window)).to_have_value(MINE)


def test_another_expiry_is_no_conflict_of_the_text(window, studio):
    edit(window)
    studio.change_document("ada", expires="2090-01-02T09:00:00.000Z")
    expect(window.field("expires")).to_contain_text("Gone after 2 Jan 2090")
    expect(conflict(window)).to_have_count(0)
    expect(text(window)).to_have_value(MINE)
    window.save_document()
    assert (stored(studio), studio.document("ada")["expires"]) == (json.loads(MINE), "2090-01-02T09:00:00.000Z")


def test_an_expiry_that_the_program_has_changed_is_not_overwritten(window, studio):
    window.open("people", "bob")
    expires = window.field("expires").locator("input")
    # As the browser's own field has it while it is written: Playwright would tell of a change at once.
    expires.evaluate("field => { field.focus(); field.value = '2091-01-02T09:00:00'; }")
    studio.change_document("bob", expires="2090-01-02T09:00:00.000Z", json=MINE)
    expect(text(window)).to_have_value('{\n  "name": "Mine",\n  "age": 36\n}')
    expires.dispatch_event("change")
    expect(window.field("expires").locator(":scope > .field-error")).to_contain_text("changed meanwhile")
    expect(window.field("expires")).to_contain_text("Gone after 2 Jan 2090")
    assert studio.document("bob")["expires"] == "2090-01-02T09:00:00.000Z"
    expires.fill("2091-01-02T09:00:00")
    expect(window.field("expires")).to_contain_text("Gone after 2 Jan 2091")


def test_a_tree_that_is_being_edited_stays(window, studio):
    window.open("people", "ada")
    window.panel.get_by_role("button", name="Tree").click()
    city = window.panel.get_by_label("city")
    city.fill('"Graz')
    studio.change_document("ada", json=THEIRS)
    expect(conflict(window)).to_be_visible()
    expect(city).to_have_value('"Graz')
    expect(city).to_be_focused()
    city.fill('"Graz"')
    city.press("Enter")
    expect(conflict(window).get_by_role("row", name='address {"city":"Graz"} none')).to_be_visible()
    decide(window, "Keep mine")
    window.save_document()
    assert stored(studio)["address"] == {"city": "Graz"}


def test_what_is_written_while_it_is_saved_stays(window, studio):
    edit(window)
    held = []
    window.page.route("**/api/document?*", lambda route: held.append(route) if route.request.method == "POST" else route.continue_())
    with window.page.expect_request(lambda request: request.method == "POST"):
        window.panel.get_by_role("button", name="Save document").click()
    text(window).fill('{"name": "Mine", "age": 40}')
    held[0].continue_()
    expect(window.page.locator("#message")).to_contain_text("Saved.")
    expect(text(window)).to_have_value('{"name": "Mine", "age": 40}')
    expect(conflict(window)).to_have_count(0)
    window.page.unroute("**/api/document?*")
    assert stored(studio) == json.loads(MINE)
    window.save_document()
    assert stored(studio) == {"name": "Mine", "age": 40}


@pytest.mark.parametrize("way", ["closed", "another row"])
def test_a_document_is_shown_as_it_was_left_when_it_is_opened_again(window, studio, way):
    edit(window)
    before = studio.document("ada")["json"]
    if way == "closed":
        window.panel.get_by_role("button", name="Close").click()
        expect(window.panel).to_be_hidden()
        window.open("people", "ada")
    else:
        window.page.evaluate("location.hash = '#table=Account'")
        expect(window.panel).to_be_hidden()
        window.open("Account", "Wallet")
        window.page.evaluate("location.hash = '#table=people&row=' + encodeURIComponent('[\"tada\"]')")
    expect(window.panel.locator("h2")).to_have_text("ada")
    expect(text(window)).to_have_value(MINE)
    window.panel.get_by_role("button", name="Discard changes").click()
    expect(text(window)).to_have_value(json.dumps(json.loads(before), indent=2))


def go_on_writing(window):
    message = window.page.locator("#message")
    expect(message).to_contain_text("What you wrote is not saved.")
    message.get_by_role("button", name="Go on writing").click()


def leave(window, way: str):
    if way == "close":
        window.panel.get_by_role("button", name="Close").click()
    elif way == "key":
        window.page.keyboard.press("Escape")
    elif way == "row":
        # A phone shows nothing else while a row is open.
        window.page.evaluate("location.hash = location.hash.replace('tada', 'tbob')")
    else:
        window.page.evaluate("location.hash = '#table=Account'")


@pytest.mark.parametrize("way", ["close", "key", "row", "table"])
def test_what_was_not_saved_can_be_taken_up_again(window, studio, way):
    before = stored(studio)
    edit(window)
    leave(window, way)
    go_on_writing(window)
    expect(text(window)).to_have_value(MINE)
    assert stored(studio) == before
    window.save_document()
    assert stored(studio) == json.loads(MINE)


def test_what_is_taken_up_again_has_a_conflict_with_what_was_written_meanwhile(window, studio):
    edit(window)
    leave(window, "close")
    studio.change_document("ada", json=THEIRS)
    go_on_writing(window)
    expect(conflict(window).get_by_role("row", name="age 36 37")).to_be_visible()
    expect(text(window)).to_have_value(MINE)
    assert stored(studio) == json.loads(THEIRS)


def test_what_is_taken_up_again_of_a_deleted_document_can_be_stored(window, studio):
    edit(window)
    leave(window, "close")
    studio.change_document("ada")
    go_on_writing(window)
    decide(window, "Keep mine")
    window.save_document()
    assert stored(studio) == json.loads(MINE)


@pytest.mark.parametrize("way", ["close", "table"])
def test_a_new_document_that_was_not_inserted_can_be_taken_up_again(window, studio, way):
    window.show("people")
    window.page.get_by_role("button", name="New row").click()
    window.field("key").locator("input").fill("cy")
    text(window).fill(MINE)
    leave(window, way)
    go_on_writing(window)
    expect(window.field("key").locator("input")).to_have_value("cy")
    window.panel.get_by_role("button", name="Insert").click()
    expect(window.page.locator("#message")).to_contain_text("Saved.")
    assert stored(studio, "cy") == json.loads(MINE)


def test_leaving_without_a_change_says_nothing(window):
    window.open("people", "ada")
    leave(window, "close")
    expect(window.panel).to_be_hidden()
    expect(window.page.locator("#message")).to_be_hidden()


def test_a_saved_or_deleted_document_is_left_without_a_word(window, studio):
    edit(window)
    window.save_document()
    leave(window, "close")
    expect(window.page.locator("#message")).not_to_contain_text("not saved")


LATER = '{"name": "Later", "age": 38}'


def hold(window, path: str):
    """Keeps the answer to the next request of a path back; returns what lets it go."""
    held = []
    window.page.route(f"**/api/{path}?*", lambda route: held.append(route) if route.request.method == "POST" else route.continue_())

    def release():
        for route in held:
            route.continue_()
        window.page.unroute(f"**/api/{path}?*")

    return release


def message(window):
    return window.page.locator("#message")


def test_a_document_that_was_left_is_as_it_was_left_and_the_draft_can_be_discarded(window, studio):
    before = stored(studio)
    edit(window)
    leave(window, "close")
    edit(window, "bob")
    leave(window, "close")
    window.open("people", "ada")
    expect(message(window)).to_contain_text("This is what you wrote before.")
    expect(text(window)).to_have_value(MINE)
    message(window).get_by_role("button", name="Discard").click()
    assert json.loads(text(window).input_value()) == before
    leave(window, "close")
    window.open("people", "bob")
    expect(text(window)).to_have_value(MINE)
    window.panel.get_by_role("button", name="Discard changes").click()
    expect(window.panel.get_by_role("button", name="Discard changes")).to_be_hidden()
    assert json.loads(text(window).input_value()) == stored(studio, "bob")
    window.open("people", "ada")
    assert json.loads(text(window).input_value()) == before


def test_what_is_written_while_a_save_runs_is_kept_when_the_panel_closes(window, studio):
    edit(window)
    release = hold(window, "document")
    window.panel.get_by_role("button", name="Save document").click()
    text(window).fill(LATER)
    leave(window, "close")
    release()
    expect(message(window)).to_contain_text("Saved, but not what you wrote since.")
    assert stored(studio) == json.loads(MINE)
    message(window).get_by_role("button", name="Go on writing").click()
    expect(text(window)).to_have_value(LATER)
    expect(conflict(window)).to_have_count(0)
    window.save_document()
    assert stored(studio) == json.loads(LATER)


def test_a_save_that_is_refused_after_the_panel_was_closed_keeps_the_text(window, studio):
    edit(window)
    release = hold(window, "document")
    window.panel.get_by_role("button", name="Save document").click()
    leave(window, "close")
    studio.change_document("ada", json=THEIRS)
    release()
    expect(message(window)).to_contain_text("changed meanwhile")
    message(window).get_by_role("button", name="Go on writing").click()
    expect(conflict(window).get_by_role("row", name="age 36 37")).to_be_visible()
    expect(text(window)).to_have_value(MINE)


def test_a_draft_is_taken_up_in_the_tree(window, studio):
    window.open("people", "ada")
    window.panel.get_by_role("button", name="Tree").click()
    # Without leaving the field.
    window.panel.get_by_label("name").fill('"Grace"')
    leave(window, "key")
    go_on_writing(window)
    expect(window.panel.get_by_label("name")).to_have_value('"Grace"')
    window.panel.get_by_label("age").fill("99")
    window.panel.get_by_label("age").blur()
    window.save_document()
    assert (stored(studio)["name"], stored(studio)["age"]) == ("Grace", 99)
    window.panel.get_by_role("button", name="Text").click()


def test_what_is_no_json_yet_in_the_tree_is_kept_in_the_text(window, studio):
    window.open("people", "ada")
    window.panel.get_by_role("button", name="Tree").click()
    window.panel.get_by_label("name").fill('Grace "the first" Hopper')
    leave(window, "key")
    go_on_writing(window)
    expect(text(window)).to_be_visible()
    assert 'Grace "the first" Hopper' in text(window).input_value()
    expect(window.panel.get_by_role("button", name="Save document")).to_be_disabled()
    text(window).fill(MINE)
    window.save_document()
    assert stored(studio) == json.loads(MINE)
    window.panel.get_by_role("button", name="Text").click()


def test_a_refused_insertion_and_one_that_was_begun_meanwhile_are_both_kept(window, studio):
    window.show("people")
    window.page.get_by_role("button", name="New row").click()
    window.field("key").locator("input").fill("ada")
    text(window).fill(MINE)
    release = hold(window, "document")
    window.panel.get_by_role("button", name="Insert").click()
    leave(window, "close")
    window.page.get_by_role("button", name="New row").click()
    window.field("key").locator("input").fill("cy")
    text(window).fill(LATER)
    leave(window, "close")
    release()
    expect(message(window)).to_contain_text("already a document")
    message(window).get_by_role("button", name="Go on writing").click()
    expect(window.field("key").locator("input")).to_have_value("ada")
    expect(text(window)).to_have_value(MINE)
    window.field("key").locator("input").fill("dot")
    window.panel.get_by_role("button", name="Insert").click()
    expect(message(window)).to_contain_text("Saved.")
    assert stored(studio, "dot") == json.loads(MINE)
    leave(window, "close")
    window.page.get_by_role("button", name="New row").click()
    expect(window.field("key").locator("input")).to_have_value("cy")
    expect(text(window)).to_have_value(LATER)
    message(window).get_by_role("button", name="Discard").click()
    window.page.get_by_role("button", name="New row").click()
    expect(window.field("key").locator("input")).to_have_value("")
    leave(window, "close")


def test_a_deletion_that_takes_its_time_closes_no_other_document(window, studio):
    window.open("people", "ada")
    release = hold(window, "document")
    window.panel.get_by_role("button", name="Delete…").click()
    window.dialog.get_by_role("button", name="Delete").click()
    window.page.evaluate("location.hash = location.hash.replace('tada', 'tbob')")
    expect(window.panel.locator("h2")).to_have_text("bob")
    text(window).fill(MINE)
    release()
    expect(message(window)).to_contain_text("Deleted.")
    expect(text(window)).to_have_value(MINE)
    assert studio.document("ada") is None


def test_a_document_that_is_shown_while_a_deletion_is_confirmed_appears(window, studio):
    window.open("people", "ada")
    window.panel.get_by_role("button", name="Delete…").click()
    window.page.evaluate("""() => {
      document.querySelector('dialog').addEventListener('close', (event) => {
        event.stopImmediatePropagation();
        location.hash = location.hash.replace('tada', 'tbob');
        // The dialog is closed once the page has gone on.
        addEventListener('hashchange', () => event.target.dispatchEvent(new Event('close')), { once: true });
      }, { once: true, capture: true });
    }""")
    window.dialog.get_by_role("button", name="Delete").click()
    expect(window.panel.locator("h2")).to_have_text("bob")
    expect(message(window)).to_contain_text("Deleted.")
    expect(window.panel.locator("h2")).to_have_text("bob")
    assert studio.document("ada") is None


def test_an_insertion_that_takes_its_time_leads_away_from_nothing(window, studio):
    window.show("people")
    window.page.get_by_role("button", name="New row").click()
    window.field("key").locator("input").fill("cy")
    release = hold(window, "document")
    window.panel.get_by_role("button", name="Insert").click()
    window.page.evaluate("location.hash = '#table=people&row=' + encodeURIComponent('[\"tada\"]')")
    expect(window.panel.locator("h2")).to_have_text("ada")
    text(window).fill(MINE)
    release()
    expect(message(window)).to_contain_text("Saved.")
    expect(text(window)).to_have_value(MINE)
    assert stored(studio, "cy") == {}


def test_leaving_the_page_asks_while_a_draft_is_kept(window):
    def asks() -> bool:
        return window.page.evaluate("(() => { const event = new Event('beforeunload', { cancelable: true }); dispatchEvent(event); return event.defaultPrevented; })()")

    window.open("people", "ada")
    assert not asks()
    text(window).fill(MINE)
    assert asks()
    leave(window, "close")
    assert asks()
    window.open("people", "ada")
    window.panel.get_by_role("button", name="Discard changes").click()
    assert not asks()
