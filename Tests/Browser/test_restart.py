"""Everything is there after a restart, and after a crash."""

from playwright.sync_api import expect

from samples import chosen, png
from showcase import ALL_COLUMNS


def test_everything_is_there_after_a_restart(window, server):
    window.write("Styled", "A text")
    window.page.get_by_label("Font", exact=True).select_option("Georgia")
    window.add_picture(chosen("garden.png", png(200, 100)))
    expect(window.pictures).to_have_count(1)
    window.drag(window.pictures, 50, 30)
    window.expect_saved()
    before = server.rows(ALL_COLUMNS)
    box = window.pictures.bounding_box()

    server.stop()
    expect(window.page.locator("#connection")).to_have_text("The server does not answer. Trying again…")
    server.start()
    expect(window.page.locator("#connection")).to_be_hidden()
    assert server.rows(ALL_COLUMNS) == before

    window.page.reload()
    expect(window.body).to_have_text("A text")
    expect(window.page.get_by_label("Font", exact=True)).to_have_value("Georgia")
    expect(window.pictures.get_by_role("img")).to_have_js_property("naturalWidth", 200)
    assert window.pictures.bounding_box() == box


def test_what_was_acknowledged_survives_a_kill(window, server):
    window.write("Acknowledged")
    server.kill()
    server.start()
    window.page.reload()
    window.expect_titles("Acknowledged")


def test_what_is_typed_while_the_server_is_away_is_saved_when_it_returns(window, server):
    window.write("Patient", "Before")
    server.stop()
    window.body.fill("Typed meanwhile")
    expect(window.state).to_have_text("Not saved: the server does not answer")
    server.start()
    window.expect_saved()
    assert server.rows("SELECT body FROM Note") == [("Typed meanwhile",)]


def test_a_server_with_open_windows_ends_cleanly(open_window, server):
    first, second = open_window(), open_window()
    first.write("Listening")
    expect(second.row("Listening")).to_be_visible()
    server.stop()
