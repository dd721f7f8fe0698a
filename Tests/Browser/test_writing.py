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
    expect(window.body).to_have_text("Better text\nwith a second line", use_inner_text=True)


def test_what_is_typed_while_a_save_is_under_way_is_saved_too(window, server):
    window.write("Title", "a")
    window.body.press_sequentially("bcdefghijklmnopqrstuvwxyz", delay=60)
    text = window.body.text_content()
    window.press("Control+s")
    window.expect_saved()
    assert server.rows("SELECT body FROM Note") == [(text,)]


@pytest.mark.parametrize("text", ["One\n\n\nfour", "\nSecond", "Ends in lines\n\n", "  two  spaces  ", "a\tb"])
def test_every_character_of_a_text_is_kept_as_typed(window, server, text):
    window.write("Typed")
    window.body.click()
    window.press("Control+a")
    window.page.keyboard.type(text)
    window.press("Control+s")
    window.expect_saved()
    assert server.rows("SELECT body FROM Note") == [(text,)]
    window.page.reload()
    expect(window.title).to_have_value("Typed")
    window.body.click()
    window.press("Control+End")
    window.page.keyboard.type("!")
    window.press("Control+s")
    window.expect_saved()
    assert server.rows("SELECT body FROM Note") == [(text + "!",)]


@pytest.mark.parametrize("insert", [lambda window, text: window.body.fill(text), lambda window, text: window.page.keyboard.insert_text(text)])
def test_lines_that_arrive_at_once_are_lines(window, server, insert):
    window.write("Filled")
    window.body.click()
    window.press("Control+a")
    insert(window, "One\n\nthree\nfour")
    window.press("End", "Enter")
    window.page.keyboard.type("five")
    window.press("Control+s")
    window.expect_saved()
    assert server.rows("SELECT body FROM Note") == [("One\n\nthree\nfour\nfive",)]


def test_what_is_pasted_is_plain_text(window, server):
    window.write("Pasted")
    window.page.evaluate(
        """() => {
            const rich = document.createElement('div');
            rich.innerHTML = '<h2>Bold</h2><p>one <b>two</b></p><ul><li>three</li></ul>';
            document.getElementById('welcome').parentElement.append(rich);
            getSelection().selectAllChildren(rich);
            document.execCommand('copy');
            rich.remove();
        }"""
    )
    window.body.click()
    window.press("Control+a", "Control+v")
    window.press("Control+s")
    window.expect_saved()
    [(body,)] = server.rows("SELECT body FROM Note")
    assert body.split() == ["Bold", "one", "two", "three"]
    assert window.body.locator("h2, p, b, ul").count() == 0
    expect(window.body).to_have_css("font-weight", "400")


def test_typing_is_undone_and_redone(window, server):
    window.write("Typed", "Before")
    window.body.click()
    window.press("Control+End", "Enter")
    window.page.keyboard.type("after")
    expect(window.body).to_have_text("Before\nafter", use_inner_text=True)
    steps = len("after") + 1
    window.press(*["Control+z"] * steps)
    expect(window.body).to_have_text("Before")
    window.press(*["Control+Shift+z"] * steps)
    window.press("Control+s")
    window.expect_saved()
    assert server.rows("SELECT body FROM Note") == [("Before\nafter",)]


def test_undoing_never_reaches_the_text_of_another_note(window, server):
    server.create("First", "Text of the first")
    server.create("Second", "Text of the second")
    window.open("First")
    window.body.click()
    window.press("Control+a", "Delete")
    window.page.keyboard.type("New")
    window.expect_saved()
    window.open("Second")
    window.body.click()
    window.press("Control+z", "Control+z", "Control+z", "Control+Shift+z", "Control+Shift+z")
    expect(window.body).to_have_text("Text of the second")


def test_the_caret_stays_at_its_word_when_another_window_writes(open_window, server):
    server.create("Shared", "One two")
    first, second = open_window(), open_window()
    first.open("Shared")
    second.open("Shared")
    second.body.click()
    second.press("Control+Home", "ArrowRight", "ArrowRight", "ArrowRight")
    for text in ["One two three", "Zero, One two three"]:
        first.body.fill(text)
        first.expect_saved()
        expect(second.body).to_have_text(text)
    expect(second.body).to_be_focused()
    second.page.keyboard.type("!")
    expect(second.body).to_have_text("Zero, One! two three")


def test_the_text_is_a_text_box_of_several_lines(window):
    window.press("n")
    text = window.page.get_by_role("textbox", name="Text", exact=True)
    expect(text).to_have_attribute("aria-multiline", "true")
    expect(text).to_have_attribute("aria-placeholder", "Write here")
    window.press("Tab")
    expect(text).to_be_focused()
    shown = "body => getComputedStyle(body, '::before').content"
    assert text.evaluate(shown) == '"Write here"'
    window.page.keyboard.type("x")
    assert text.evaluate(shown) == "none"
    window.press("Backspace")
    assert text.evaluate(shown) == '"Write here"'


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
    expect(window.body).to_have_text("A text that nobody wants to lose")
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
