"""With as many notes as the list shows, the page has the rows in sight, and a key touches few parts of it."""

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
    expect(window.rows.first).to_have_attribute("aria-setsize", str(NOTES))
    return window


def numbers(window: NotesPage) -> list[int]:
    """The places in the list of the rows that the page has."""
    return [int(place) for place in window.rows.evaluate_all("rows => rows.map(row => row.ariaPosInSet)")]


def in_sight(window: NotesPage) -> list[str]:
    """The titles that can be seen, from above; demands that nothing is missing among them."""
    seen = window.list.evaluate(
        """async list => {
            for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
            const { left, top, bottom, width } = list.getBoundingClientRect();
            const rows = new Set();
            for (let y = top + 1; y < bottom; y += 20) rows.add(document.elementFromPoint(left + width / 2, y)?.closest('#notes > *'));
            return [...rows].map(row => row?.querySelector('.note-title')?.textContent ?? row?.textContent ?? null);
        }"""
    )
    assert None not in seen, seen
    return seen


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


def test_the_page_has_the_rows_in_sight_and_few_others(many):
    assert 10 <= many.rows.count() <= 50
    assert numbers(many) == list(range(1, many.rows.count() + 1))
    for top in [3000, 20000, 31000, 12000, 0]:
        many.list.evaluate("(list, top) => { list.scrollTop = top; }", top)
        expect(many.row("Note 499")).to_be_attached()
        [day, *titles] = in_sight(many)
        assert day == "Today"
        first = int(titles[0].removeprefix("Note "))
        assert titles == [f"Note {number:03}" for number in range(first, first - len(titles), -1)]
        assert many.rows.count() <= 50
        assert sorted(numbers(many)) == numbers(many)


def test_the_list_is_as_long_as_all_of_its_rows(many):
    height = many.list.evaluate("list => list.scrollHeight")
    [row] = {round(row, 2) for row in many.rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().height)")}
    assert abs(height - NOTES * (row + 1)) < 150
    many.row("Note 499").focus()
    many.press("End")
    expect(many.row("Note 000")).to_be_focused()
    expect(many.row("Note 000")).to_be_in_viewport()
    assert in_sight(many)[-1] == "Note 000"
    assert many.list.evaluate("list => list.scrollHeight") == height


def test_the_focus_survives_scrolling_away(many):
    many.row("Note 499").focus()
    many.press("PageDown")
    expect(many.row("Note 491")).to_be_focused()
    many.list.evaluate("list => { list.scrollTop = 20000; }")
    assert len(in_sight(many)) > 5
    expect(many.row("Note 491")).to_be_focused()
    many.press("ArrowDown")
    expect(many.row("Note 490")).to_be_focused()
    expect(many.row("Note 490")).to_be_in_viewport()
    expect(many.title).to_have_value("Note 490")


def test_the_list_is_walked_from_end_to_end(many):
    many.row("Note 499").focus()
    for number in range(498, 458, -1):
        many.press("ArrowDown")
        expect(many.row(f"Note {number}")).to_be_focused()
        expect(many.row(f"Note {number}")).to_be_in_viewport(ratio=1)
    assert many.rows.count() <= 50
    many.press("Home")
    expect(many.row("Note 499")).to_be_focused()
    assert many.list.evaluate("list => list.scrollTop") == 0


def test_what_is_in_sight_stays_when_a_note_comes(many, server):
    many.list.evaluate("list => { list.scrollTop = 9000; }")
    expect(many.row("Note 365")).to_be_attached()
    before = in_sight(many)
    server.create("New")
    expect(many.titles.first).to_have_text("New")
    assert in_sight(many) == before
