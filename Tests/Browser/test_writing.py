"""Notes are written, changed and restyled."""

import pytest
from playwright.sync_api import expect

from showcase import content, version


def test_a_shelf_without_notes_says_how_to_begin(window):
    expect(window.page.get_by_text("The shelf is empty")).to_be_visible()


def test_a_new_note_is_saved_by_itself_and_listed(window, server):
    window.write("Plum jam", "Two kilos of plums")
    expect(window.row("Plum jam")).to_contain_text("Two kilos of plums")
    expect(window.row("Plum jam").locator("time")).to_have_count(1)
    expect(window.row("Plum jam")).not_to_contain_text("Made")
    assert server.rows("SELECT title, body FROM Note") == [("Plum jam", "Two kilos of plums")]


def test_the_newest_change_comes_first(window):
    for title in ["First", "Second", "Third"]:
        window.write(title)
    window.expect_titles("Third", "Second", "First")
    window.open("First")
    window.body.fill("Changed")
    window.expect_titles("First", "Third", "Second")


def test_an_edit_is_there_after_a_reload(window):
    window.write("Title")
    window.title.fill("Better title")
    window.body.fill("Better text\nwith a second line")
    expect(window.row("Better title")).to_be_visible()
    window.expect_saved()
    window.page.reload()
    expect(window.title).to_have_value("Better title")
    expect(window.body).to_have_value("Better text\nwith a second line")


def test_what_is_typed_while_a_save_is_under_way_is_saved_too(window, server):
    window.write("Title", "a")
    window.body.press_sequentially("bcdefghijklmnopqrstuvwxyz", delay=60)
    text = window.body.input_value()
    window.press("Control+s")
    window.expect_saved()
    assert server.rows("SELECT body FROM Note") == [(text,)]


def test_font_size_and_colour_are_shown_and_kept(window, server):
    window.write("Styled")
    window.page.get_by_label("Font", exact=True).select_option("Georgia")
    window.page.get_by_label("Font size").fill("28")
    window.page.get_by_role("radio", name="Plum").check(force=True)
    window.expect_saved()
    expect(window.body).to_have_css("font-size", "28px")
    assert window.body.evaluate("body => getComputedStyle(body).fontFamily").startswith("Georgia")
    assert server.rows("SELECT font_name, font_size, textColor -> '$.red' FROM Note") == [("Georgia", 28.0, "123")]
    window.page.reload()
    expect(window.page.get_by_label("Font", exact=True)).to_have_value("Georgia")
    expect(window.page.get_by_label("Font size")).to_have_value("28")
    expect(window.page.get_by_role("radio", name="Plum")).to_be_checked()


def test_a_font_of_the_users_own_can_be_named(window, server):
    window.write("Styled")
    window.page.get_by_label("Font", exact=True).select_option("Other font…")
    window.page.get_by_label("Name of the other font").fill("Garamond")
    window.press("Enter")
    window.press("Control+s")
    window.expect_saved()
    expect(window.page.get_by_label("Font", exact=True)).to_have_value("Garamond")
    assert server.rows("SELECT font_name FROM Note") == [("Garamond",)]


def test_a_font_size_out_of_range_is_refused_at_the_field(window, server):
    window.write("Styled")
    window.page.get_by_label("Font size").fill("500")
    expect(window.page.locator("#style-error")).to_have_text("A font size is a number from 8 to 96.")
    expect(window.state).to_contain_text("Not saved")
    assert server.rows("SELECT font_size FROM Note") == [(16.0,)]


@pytest.mark.parametrize(("field", "message"), [("title", "A note needs a title."), ("body", "A note needs a text.")])
def test_an_emptied_field_is_refused_where_it_is(window, server, field, message):
    window.write("Title", "Text")
    getattr(window, field).fill("   ")
    expect(window.page.locator(f"#{field}-error")).to_have_text(message)
    expect(getattr(window, field)).to_have_attribute("aria-invalid", "true")
    expect(window.state).to_contain_text("Not saved")
    expect(window.row("Title")).to_contain_text("not saved")
    assert server.rows("SELECT title, body FROM Note") == [("Title", "Text")]


def test_a_draft_without_a_title_is_refused_and_not_lost(window, server):
    server.create("Other")
    window.press("n")
    expect(window.title).to_be_focused()
    window.body.fill("A text that nobody wants to lose")
    window.press("Control+s")
    expect(window.page.locator("#title-error")).to_have_text("A note needs a title.")
    assert server.rows("SELECT count(*) FROM Note") == [(1,)]
    window.open("Other")
    window.row("New note").click()
    expect(window.body).to_have_value("A text that nobody wants to lose")
    window.title.fill("Now with a title")
    window.expect_saved()
    window.expect_titles("Now with a title", "Other")


@pytest.mark.parametrize("broken", [{"title": " \n"}, {"body": ""}, {"font": {"name": "", "size": 16}}, {"font": {"name": "Arial", "size": 3}}])
def test_the_server_refuses_what_the_page_would_not_send(server, broken):
    note = server.create("Title", "Text")
    for method, path in [("POST", "/notes/api/notes"), ("PUT", f"/notes/api/notes/{note['id']}")]:
        status, _, answer = server.ask(method, path, content("Other") | broken, version(note))
        assert status == 422
        assert answer["error"]["field"] == next(iter(broken))
    assert server.rows("SELECT title, body FROM Note") == [("Title", "Text")]


def test_the_panel_shows_the_row_as_the_file_keeps_it(window, server):
    window.write("Plum jam", "Two kilos")
    window.page.get_by_role("button", name="What is stored").click()
    panel = window.page.locator("#stored-content")
    expect(panel).to_contain_text("One row of table Note in notes.larder")
    [(identifier, modified)] = server.rows("SELECT lower(hex(id)), modifiedAt FROM Note")
    line = {name: panel.get_by_role("row").filter(has=window.page.get_by_role("rowheader", name=name, exact=True)) for name in ["id", "title", "font_size", "textColor", "modifiedAt"]}
    expect(line["id"].get_by_role("cell")).to_have_text(["BLOB", f"x'{identifier}'"])
    expect(line["title"].get_by_role("cell")).to_have_text(["TEXT", "Plum jam"])
    expect(line["font_size"].get_by_role("cell")).to_have_text(["REAL", "16.0"])
    expect(line["textColor"]).to_contain_text('"red":0')
    expect(line["modifiedAt"].get_by_role("cell")).to_have_text(["REAL", repr(modified)])
    window.title.fill("Plum jam, twice")
    expect(line["title"].get_by_role("cell")).to_have_text(["TEXT", "Plum jam, twice"])


def test_what_was_just_typed_survives_closing_the_window(open_window, server):
    window = open_window()
    window.write("Title", "Before")
    window.body.fill("Typed and closed at once")
    window.page.close(run_before_unload=True)
    other = open_window()
    expect(other.row("Title")).to_contain_text("Typed and closed at once")
