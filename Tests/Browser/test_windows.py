"""Two windows keep in step, and neither overwrites the other without a word."""

from playwright.sync_api import expect

from samples import png
from showcase import content, version


def test_a_second_window_follows(open_window):
    first, second = open_window(), open_window()
    first.write("Seen by both")
    expect(second.row("Seen by both")).to_be_visible()
    first.title.fill("Seen anew")
    first.expect_saved()
    expect(second.row("Seen anew")).to_be_visible()
    first.delete_open_note()
    expect(second.rows).to_have_count(0)
    first.undo_in_toast()
    expect(second.row("Seen anew")).to_be_visible()


def test_an_open_note_follows_what_another_window_writes(open_window, server):
    server.create("Shared", "Before")
    first, second = open_window(), open_window()
    first.open("Shared")
    second.open("Shared")
    first.body.fill("After")
    first.expect_saved()
    expect(second.body).to_have_text("After")
    expect(second.conflict).to_be_hidden()


def conflict(open_window, server, note=None):
    """Two windows with different unsaved changes; the second comes too late."""
    note = note or server.create("Shared", "Before")
    window = open_window()
    window.open("Shared")
    window.page.route("**/notes/api/notes/*", lambda route: route.fallback() if route.request.method != "GET" else route.abort())
    status, _, theirs = server.ask("PUT", f"/notes/api/notes/{note['id']}", content("Shared", "Theirs", images=note["images"]), version(note))
    assert status == 200
    expect(window.row("Shared")).to_contain_text("Theirs")
    window.body.fill("Mine")
    expect(window.conflict).to_contain_text("Another window has changed this note")
    expect(window.state).to_contain_text("Not saved")
    expect(window.body).to_have_text("Mine")
    assert server.ask("GET", f"/notes/api/notes/{note['id']}")[2] == theirs
    window.page.unroute("**/notes/api/notes/*")
    return window


def test_of_two_versions_mine_can_be_kept(open_window, server):
    window = conflict(open_window, server)
    window.page.get_by_role("button", name="Keep mine").click()
    window.expect_saved()
    expect(window.conflict).to_be_hidden()
    assert server.rows("SELECT body FROM Note") == [("Mine",)]


def test_of_two_versions_theirs_can_be_taken(open_window, server):
    window = conflict(open_window, server)
    window.page.get_by_role("button", name="Take theirs").click()
    expect(window.body).to_have_text("Theirs")
    window.expect_saved()
    assert server.rows("SELECT body FROM Note") == [("Theirs",)]


def test_of_two_versions_both_can_be_kept(open_window, server):
    window = conflict(open_window, server)
    window.page.get_by_role("button", name="Keep both").click()
    expect(window.rows).to_have_count(2)
    expect(window.body).to_have_text("Theirs")
    assert server.rows("SELECT body FROM Note ORDER BY body") == [("Mine",), ("Theirs",)]


def test_both_versions_have_the_pictures(open_window, server):
    note = server.create("Shared", "Before")
    path = f"/notes/api/notes/{note['id']}/pictures?name=a.png&x=0&y=200&width=10&height=10"
    assert server.ask("POST", path, png(), version(note))[0] == 201
    window = conflict(open_window, server, server.ask("GET", f"/notes/api/notes/{note['id']}")[2])
    window.page.get_by_role("button", name="Keep both").click()
    expect(window.rows).to_have_count(2)
    [images] = {images for (images,) in server.rows("SELECT images FROM Note")}
    assert '"a.png"' in images
    window.rows.filter(has_text="Mine").click()
    expect(window.body).to_have_text("Mine")
    expect(window.pictures.get_by_role("img")).to_have_js_property("naturalWidth", 200)


def test_a_conflict_is_not_forgotten_when_one_looks_elsewhere(open_window, server):
    server.create("Elsewhere")
    window = conflict(open_window, server)
    window.open("Elsewhere")
    window.row("Shared").click()
    expect(window.body).to_have_text("Mine")
    expect(window.conflict).to_contain_text("Another window has changed this note")


def test_a_note_that_another_window_deleted_can_be_put_back(open_window, server):
    note = server.create("Shared", "Text")
    window = open_window()
    window.open("Shared")
    assert server.ask("DELETE", f"/notes/api/notes/{note['id']}")[0] == 204
    expect(window.conflict).to_contain_text("Another window has deleted this note")
    window.page.get_by_role("button", name="Put it back").click()
    window.expect_titles("Shared")
    window.expect_saved()


def test_a_note_that_the_other_window_brings_back_is_open_again(open_window, server):
    server.create("Shared", "Text")
    first, second = open_window(), open_window()
    first.open("Shared")
    second.open("Shared")
    first.delete_open_note()
    expect(second.conflict).to_contain_text("no longer stored")
    first.undo_in_toast()
    expect(second.conflict).to_be_hidden()
    expect(second.body).to_have_text("Text")
    second.body.fill("After")
    second.expect_saved()
    assert server.rows("SELECT body FROM Note") == [("After",)]


def test_what_another_program_changed_without_a_new_date_is_shown(open_window, server):
    server.create("Shared", "Before")
    window = open_window()
    window.open("Shared")
    sql = "update Note set title = 'Renamed', body = 'After'"
    assert server.ask("POST", "/studio/notes/api/sql?session=test", {"sql": sql, "writes": True})[0] == 200
    expect(window.title).to_have_value("Renamed")
    expect(window.body).to_have_text("After")


def test_a_change_without_the_version_it_is_based_on_is_refused(server):
    note = server.create("Title")
    status, _, _ = server.ask("PUT", f"/notes/api/notes/{note['id']}", content("Other"))
    assert status == 428
    assert server.rows("SELECT title FROM Note") == [("Title",)]
