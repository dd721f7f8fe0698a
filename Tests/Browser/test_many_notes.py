"""With as many notes as the list shows, a key touches few parts of the page."""

import pytest
from playwright.sync_api import expect

from notes_page import NotesPage

NOTES = 500
COUNT_WORK = """
const count = (nodes) => nodes.reduce((sum, node) => sum + 1 + (node.querySelectorAll?.('*').length ?? 0), 0);
window.work = { nodes: 0, attributes: 0 };
new MutationObserver((mutations) => {
  for (const { type, addedNodes, removedNodes } of mutations) {
    if (type === 'attributes') window.work.attributes += 1;
    else window.work.nodes += count([...addedNodes]) + count([...removedNodes]);
  }
}).observe(document.getElementById('notes'), { childList: true, subtree: true, attributes: true, characterData: true });
"""


@pytest.fixture
def many(open_window, server):
    for number in range(NOTES):
        server.create(f"Note {number:03}", "Needle" if number == 7 else f"Text {number}")
    window = open_window()
    expect(window.rows).to_have_count(NOTES)
    return window


def work(window: NotesPage) -> dict:
    """What has been written to the list since the last time."""
    return window.page.evaluate("() => { const done = window.work; window.work = { nodes: 0, attributes: 0 }; return done; }")


def test_arrows_and_letters_touch_single_rows(many):
    many.open("Note 499")
    many.row("Note 499").focus()
    many.page.evaluate(COUNT_WORK)
    many.press("ArrowDown")
    expect(many.title).to_have_value("Note 498")
    done = work(many)
    assert done["nodes"] == 0
    assert done["attributes"] <= 6
    many.body.focus()
    many.page.keyboard.type("a few words")
    assert work(many) == {"nodes": 0, "attributes": 0}
    many.expect_saved()
    expect(many.titles.first).to_have_text("Note 498")
    assert work(many)["nodes"] < 30, "one row is moved and filled anew"


def test_a_change_elsewhere_touches_its_row_alone(many, server):
    many.page.evaluate(COUNT_WORK)
    server.create("New")
    expect(many.titles.first).to_have_text("New")
    assert work(many)["nodes"] < 30


def test_a_search_begins_at_the_best_match(many):
    many.list.evaluate("list => { list.scrollTop = 9000; }")
    many.search.fill("Note")
    expect(many.titles.locator("mark").first).to_have_text("Note")
    assert many.list.evaluate("list => list.scrollTop") == 0
    many.list.evaluate("list => { list.scrollTop = 9000; }")
    many.search.fill("needle")
    many.expect_titles("Note 007")
    expect(many.row("Note 007")).to_be_in_viewport()


def test_a_list_that_is_only_changed_stays_where_it_is(many, server):
    many.list.evaluate("list => { list.scrollTop = 9000; }")
    server.create("New")
    expect(many.titles.first).to_have_text("New")
    assert many.list.evaluate("list => list.scrollTop") >= 9000
