"""Many windows at once: a browser has six connections for one server, and none of the windows waits for one."""

import pytest
from playwright.sync_api import expect

from notes_page import NotesPage
from showcase import REPOSITORY, content, version

WINDOWS = 10
OTHERS = ["/ledger/", "/creatures/", "/devices/", "/studio/notes/#table=Note", "/studio/ledger/#table=Category"]
PATIENT = 15_000


def hide(page, is_hidden: bool):
    """What a browser does when another tab is chosen, or this one again."""
    page.evaluate("""isHidden => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
        document.dispatchEvent(new Event('visibilitychange'));
    }""", is_hidden)


def held_streams(page) -> int:
    return page.evaluate("navigator.locks.query().then(({ held }) => held.filter(({ name }) => name.startsWith('larder stream')).length)")


@pytest.mark.parametrize("others", [[], OTHERS], ids=["of notes", "of all apps"])
def test_the_tenth_window_works_and_all_follow(open_page, server, others):
    server.create("Shared", "Text")
    context = open_page().context
    windows = []
    for path in (["/notes/"] * WINDOWS + others)[-WINDOWS + 1 :]:
        page = context.new_page()
        page.goto(server.url + path)
        if path == "/notes/":
            windows.append(NotesPage(page, server.notes_url))
    last = NotesPage(context.new_page(), server.notes_url)
    last.open("Shared")
    last.title.fill("Changed")
    last.expect_saved()
    for window in [*windows, last]:
        expect(window.titles).to_have_text(["Changed"], timeout=PATIENT)
    assert held_streams(last.page) <= 4


def test_a_window_out_of_sight_holds_no_stream_and_is_fresh_when_it_is_shown(open_page, server):
    note = server.create("Shared", "Text")
    window = NotesPage(open_page(), server.notes_url)
    window.expect_titles("Shared")
    assert held_streams(window.page) == 1
    asked = []
    hide(window.page, True)
    window.page.wait_for_function("() => navigator.locks.query().then(({ held }) => held.length === 0)")
    window.page.on("request", lambda request: asked.append(request.url))
    other = NotesPage(open_page(), server.notes_url)
    assert server.ask("PUT", f"/notes/api/notes/{note['id']}", content("Changed"), version(note))[0] == 200
    other.expect_titles("Changed")
    window.expect_titles("Shared")
    assert asked == []
    hide(window.page, False)
    window.expect_titles("Changed")


def test_studio_out_of_sight_holds_no_stream_and_is_fresh_when_it_is_shown(open_page, server):
    note = server.create("Shared", "Text")
    page = open_page()
    page.goto(f"{server.url}/studio/notes/#table=Note")
    rows = page.get_by_role("grid").locator(".grid-row")
    expect(rows.filter(has_text="Shared")).to_have_count(1)
    page.wait_for_function("() => navigator.locks.query().then(({ held }) => held.length === 1)")
    hide(page, True)
    page.wait_for_function("() => navigator.locks.query().then(({ held }) => held.length === 0)")
    assert server.ask("PUT", f"/notes/api/notes/{note['id']}", content("Changed"), version(note))[0] == 200
    expect(rows.filter(has_text="Shared")).to_have_count(1)
    hide(page, False)
    expect(rows.filter(has_text="Changed")).to_have_count(1)


def test_studio_and_the_apps_listen_in_the_same_way():
    """Their windows share the places, so both have the same file."""
    files = [REPOSITORY / folder / "Page/streams.js" for folder in ("Examples/ExampleWeb", "Sources/LarderStudio")]
    assert files[0].read_bytes() == files[1].read_bytes()
