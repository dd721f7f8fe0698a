"""Everything can be done without a pointer."""

from playwright.sync_api import expect

from notes_page import NotesPage

LATE_UPDATES = """
const listen = EventSource.prototype.addEventListener;
EventSource.prototype.addEventListener = function (name, handle) {
  listen.call(this, name, (event) => setTimeout(() => handle(event), 700));
};
"""


def test_from_writing_to_undoing_with_the_keyboard_alone(window, server):
    page = window.page
    window.press("n")
    expect(window.title).to_be_focused()
    page.keyboard.type("First")
    window.press("Enter")
    expect(window.body).to_be_focused()
    page.keyboard.type("Some text")
    window.press("Control+s")
    window.expect_saved()
    window.press("Escape")
    expect(window.row("First")).to_be_focused()

    window.press("n")
    page.keyboard.type("Second")
    window.press("Tab")
    page.keyboard.type("More text")
    window.press("Control+s")
    window.expect_saved()
    window.press("Escape")
    expect(window.row("Second")).to_be_focused()

    window.press("ArrowDown")
    expect(window.row("First")).to_be_focused()
    expect(window.title).to_have_value("First")
    window.press("Enter")
    expect(window.title).to_be_focused()
    window.press("End")
    page.keyboard.type(" of all")
    window.press("Control+s")
    window.expect_titles("First of all", "Second")

    window.press("Escape", "Delete")
    window.expect_titles("Second")
    window.press("Control+z")
    window.expect_titles("First of all", "Second")


def test_the_focus_waits_for_a_note_that_the_list_does_not_know_yet(open_page, server):
    page = open_page()
    page.add_init_script(LATE_UPDATES)
    window = NotesPage(page, server.notes_url)
    for title in ["First", "Second"]:
        window.press("n")
        expect(window.title).to_be_focused()
        page.keyboard.type(title)
        window.press("Enter")
        page.keyboard.type("Some text")
        window.press("Control+s")
        window.expect_saved()
        window.press("Escape")
        expect(window.row(title)).to_be_focused()
    window.press("Delete")
    window.expect_titles("First")
    window.press("Control+z")
    expect(window.row("Second")).to_be_focused()


def test_arrows_home_and_end_walk_the_list(window, server):
    for number in range(5):
        server.create(f"Note {number}")
    expect(window.rows).to_have_count(5)
    window.press("Tab", "Tab", "Tab", "Tab", "Tab")
    expect(window.row("Note 4")).to_be_focused()
    window.press("End")
    expect(window.row("Note 0")).to_be_focused()
    expect(window.title).to_have_value("Note 0")
    window.press("ArrowUp")
    expect(window.row("Note 1")).to_be_focused()
    window.press("Home", "ArrowUp")
    expect(window.row("Note 4")).to_be_focused()
    expect(window.row("Note 4")).to_have_attribute("aria-selected", "true")


def test_the_focus_can_be_seen(window, server):
    server.create("Note")
    window.open("Note")
    window.press("Escape", "ArrowDown")
    for control in [window.row("Note"), window.page.get_by_role("button", name="New", exact=True), window.search]:
        control.focus()
        style = control.evaluate("element => getComputedStyle(element).outlineStyle")
        assert style == "solid"


def test_the_shortcuts_are_shown(window):
    window.press("?")
    dialog = window.page.get_by_role("dialog", name="Keyboard")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("new note")
    window.press("Escape")
    expect(dialog).to_be_hidden()


def test_letters_in_a_text_are_no_shortcuts(window):
    window.press("n")
    window.page.keyboard.type("no / shortcuts? n")
    expect(window.title).to_have_value("no / shortcuts? n")
