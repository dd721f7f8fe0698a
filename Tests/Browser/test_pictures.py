"""Pictures are imported, dragged and resized; what is no picture, or too large, is refused whole."""

import hashlib
import json
import uuid

import pytest
from playwright.sync_api import expect

from samples import GIF, SIGNATURE, chosen, drawn, png
from showcase import version
from studio import size  # noqa: F401

THIRTY_MEGABYTES = 30 * 1024 * 1024
LINES = "\n".join(f"Line {number} of a text that goes on and on" for number in range(30))
LAYOUT = """
() => {
  const box = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const texts = ['body', 'dates'].map((id) => {
    const range = document.createRange();
    range.selectNodeContents(document.getElementById(id));
    return [...range.getClientRects()];
  });
  return {
    lines: texts.flat().concat(document.getElementById('title').getBoundingClientRect()).map(box),
    pictures: [...document.querySelectorAll('.picture')].map((picture) => box(picture.getBoundingClientRect())),
  };
}
"""


def frame(server) -> dict:
    [(images,)] = server.rows("SELECT images FROM Note")
    [image] = json.loads(images)
    return image["frame"]


def expect_no_text_under_pictures(window):
    """Demands that text stands above and below every picture, and that no picture covers a line of it."""
    layout = window.page.evaluate(LAYOUT)
    assert len(layout["lines"]) > 30
    for picture in layout["pictures"]:
        for line in layout["lines"]:
            is_beside = line["right"] <= picture["left"] or line["left"] >= picture["right"]
            assert is_beside or line["bottom"] <= picture["top"] or line["top"] >= picture["bottom"], (line, picture)
        assert any(line["bottom"] <= picture["top"] for line in layout["lines"])
        assert any(line["top"] >= picture["bottom"] for line in layout["lines"])


@pytest.fixture
def flowing(open_window, server, size):
    """Opens a note with the text and a picture below it, on a desk and on a phone."""

    def flowing(text):
        server.create("Flowing", text)
        window = open_window(viewport=size)
        window.open("Flowing")
        window.add_picture(chosen("garden.png", png(200, 100)))
        expect(window.pictures).to_have_count(1)
        window.expect_saved()
        return window

    return flowing


@pytest.fixture
def pictured(window, server):
    """A note with one picture, 200 by 100 points."""
    window.write("With a picture")
    window.add_picture(chosen("garden.png", png(200, 100)))
    expect(window.pictures).to_have_count(1)
    window.expect_saved()
    return window


def test_an_imported_picture_is_shown_and_its_bytes_are_a_file(pictured, server):
    [(digest, file)] = server.picture_files.items()
    assert file.read_bytes() == png(200, 100)
    assert digest == hashlib.sha256(png(200, 100)).hexdigest()
    [(images,)] = server.rows("SELECT images FROM Note")
    [image] = json.loads(images)
    assert image["name"] == "garden.png"
    assert image["picture"] == {"larder.attachment": digest, "size": len(png(200, 100)), "type": "image/png"}
    assert image["frame"]["width"] == 200
    assert image["frame"]["height"] == 100
    box = pictured.pictures.bounding_box()
    assert (box["width"], box["height"]) == (200, 100)
    assert box["y"] >= pictured.body.bounding_box()["y"] + pictured.body.bounding_box()["height"], "it covers the text"


@pytest.mark.parametrize("kind", ["image/jpeg", "image/webp", "image/png", "image/gif"])
def test_every_format_is_taken_and_served_as_what_it_is(window, server, kind):
    window.write("Formats")
    content = GIF if kind == "image/gif" else drawn(window.page, kind)
    window.add_picture(chosen("named.png", content, kind))
    expect(window.pictures).to_have_count(1)
    expect(window.pictures.get_by_role("img")).to_have_js_property("complete", True)
    [digest] = server.picture_files
    [(note,)] = server.rows("SELECT id FROM Note")
    status, headers, body = server.ask("GET", f"/notes/pictures/{uuid.UUID(bytes=note)}/{digest}")
    assert (status, headers["Content-Type"], headers["X-Content-Type-Options"], body) == (200, kind, "nosniff", content)
    assert headers["Cache-Control"] == "private, max-age=31536000, immutable"


def test_a_dragged_picture_stays_where_it_was_dropped(pictured, server):
    before = frame(server)
    pictured.drag(pictured.pictures, 120, 40)
    pictured.expect_saved()
    expected = {"x": before["x"] + 120, "y": before["y"] + 40, "width": 200, "height": 100}
    assert frame(server) == expected
    box = pictured.pictures.bounding_box()
    pictured.page.reload()
    expect(pictured.pictures).to_have_count(1)
    assert pictured.pictures.bounding_box() == box


def test_a_picture_cannot_be_dragged_off_the_paper(pictured, server):
    pictured.drag(pictured.pictures, -700, -700)
    pictured.expect_saved()
    assert (frame(server)["x"], frame(server)["y"]) == (0, 0)


def test_text_that_is_typed_later_flows_around_a_picture(flowing, server):
    window = flowing("Text")
    before = frame(server)
    window.body.click()
    window.press("Control+End", "Enter")
    window.page.keyboard.type(LINES)
    expect_no_text_under_pictures(window)
    window.press("Control+s")
    window.expect_saved()
    assert server.rows("SELECT body FROM Note") == [(f"Text\n{LINES}",)]
    assert frame(server) == before
    window.page.reload()
    expect(window.pictures).to_have_count(1)
    expect_no_text_under_pictures(window)


def test_text_flows_around_a_picture_wherever_it_is_dropped(flowing, server):
    window = flowing(LINES)
    before = frame(server)
    window.pictures.scroll_into_view_if_needed()
    for x, y in [(0, -300), (60, 30), (400, -20), (-200, -60)]:
        window.drag(window.pictures, x, y)
        expect_no_text_under_pictures(window)
    window.press("Control+s")
    window.expect_saved()
    assert frame(server)["y"] < before["y"] - 200
    window.page.reload()
    expect(window.pictures).to_have_count(1)
    expect_no_text_under_pictures(window)


def test_text_flows_around_a_picture_that_grows(flowing):
    window = flowing(LINES)
    window.pictures.scroll_into_view_if_needed()
    window.drag(window.pictures, 0, -300)
    handle = window.page.locator(".resize")
    for growth in [40, 80, 160]:
        window.pictures.hover()
        window.drag(handle, growth, 0)
        expect_no_text_under_pictures(window)


def test_empty_lines_leave_a_picture_alone_that_is_as_wide_as_the_paper(flowing):
    window = flowing("Text")
    window.pictures.focus()
    for _ in range(80):
        window.press("Shift+ArrowRight")
    window.body.click()
    window.press("Control+End", *["Enter"] * 40)
    window.page.keyboard.type("End")
    expect_no_text_under_pictures(window)


def test_text_flows_around_pictures_beside_and_upon_each_other(flowing):
    window = flowing(LINES)
    window.add_picture(chosen("roses.png", png(150, 120)))
    expect(window.pictures).to_have_count(2)
    window.pictures.last.scroll_into_view_if_needed()
    window.drag(window.pictures.first, 0, -360)
    for x, y in [(300, -440), (-100, -20), (-100, 20), (-80, -20)]:
        window.drag(window.pictures.last, x, y)
        expect_no_text_under_pictures(window)


def test_the_title_makes_room_for_a_picture(flowing):
    window = flowing(LINES)
    window.pictures.focus()
    for _ in range(200):
        window.press("ArrowUp")
    layout = window.page.evaluate(LAYOUT)
    [picture] = layout["pictures"]
    [*lines, title] = layout["lines"]
    assert title["left"] >= picture["right"]
    for line in lines:
        assert line["left"] >= picture["right"] or line["top"] >= picture["bottom"], (line, picture)


def test_tab_leads_from_the_text_to_the_pictures(pictured):
    pictured.body.focus()
    pictured.press("Tab")
    expect(pictured.pictures).to_be_focused()
    pictured.press("Shift+Tab")
    expect(pictured.body).to_be_focused()


def test_a_picture_is_resized_at_its_corner_in_proportion(pictured, server):
    pictured.pictures.hover()
    pictured.drag(pictured.page.locator(".resize"), 100, 10)
    pictured.expect_saved()
    after = frame(server)
    assert (after["width"], after["height"]) == (300, 150)


def test_a_picture_is_moved_and_resized_with_the_keyboard(pictured, server):
    before = frame(server)
    pictured.pictures.focus()
    pictured.press("ArrowRight", "ArrowRight", "ArrowDown", "Shift+ArrowRight")
    pictured.press("Control+s")
    pictured.expect_saved()
    assert frame(server) == {"x": before["x"] + 16, "y": before["y"] + 8, "width": 208, "height": 104}


def test_a_removed_picture_can_be_brought_back(pictured, server):
    before = frame(server)
    pictured.pictures.focus()
    pictured.press("Delete")
    expect(pictured.pictures).to_have_count(0)
    pictured.press("Control+s")
    pictured.expect_saved()
    assert server.rows("SELECT images FROM Note") == [("[]",)]
    assert len(server.picture_files) == 1, "the file went away while the removal could still be undone"
    pictured.undo_in_toast()
    expect(pictured.pictures).to_have_count(1)
    pictured.press("Control+s")
    pictured.expect_saved()
    assert frame(server) == before


def test_the_same_picture_twice_is_one_file_and_two_pictures(pictured, server):
    pictured.add_picture(chosen("again.png", png(200, 100)))
    expect(pictured.pictures).to_have_count(2)
    assert len(server.picture_files) == 1
    pictured.pictures.last.focus()
    pictured.press("Delete")
    pictured.press("Control+s")
    pictured.expect_saved()
    [(images,)] = server.rows("SELECT images FROM Note")
    assert [image["name"] for image in json.loads(images)] == ["garden.png"]
    pictured.page.reload()
    expect(pictured.pictures.get_by_role("img")).to_have_js_property("naturalWidth", 200)


def test_the_panel_shows_the_files_of_the_pictures(pictured, server):
    pictured.page.get_by_role("button", name="What is stored").click()
    [digest] = server.picture_files
    panel = pictured.page.locator("#stored-content")
    expect(panel).to_contain_text("notes.larder.attachments")
    expect(panel.locator(".stored-files")).to_have_text(f"{digest} {len(png(200, 100))} bytes")


def test_thirty_megabytes_are_refused_with_a_clear_message(window, server, tmp_path):
    window.write("No picture")
    large = tmp_path / "large.png"
    large.write_bytes(png() + bytes(THIRTY_MEGABYTES))
    window.add_picture(large)
    expect(window.page.locator("#picture-error")).to_have_text(
        "“large.png” has 30.0 MB. A picture may have at most 20 MB: make it smaller and add it again."
    )
    expect(window.pictures).to_have_count(0)
    server.expect_picture_files(0)
    assert server.rows("SELECT images FROM Note") == [("[]",)]
    window.add_picture(chosen("small.png", png()))
    expect(window.pictures).to_have_count(1)
    expect(window.page.locator("#picture-error")).to_be_hidden()


@pytest.mark.parametrize("chunked", [False, True])
def test_thirty_megabytes_are_refused_by_the_server_too(server, chunked):
    note = server.create("No picture")
    body = SIGNATURE + bytes(THIRTY_MEGABYTES)
    path = f"/notes/api/notes/{note['id']}/pictures?name=large.png&x=0&y=0&width=10&height=10"
    headers = version(note)
    status, _, answer = server.ask_chunked(path, body, headers) if chunked else server.ask("POST", path, body, headers)
    assert status == 413
    assert answer["error"] == {"field": "picture", "message": "A picture may have at most 20 MB: make it smaller and add it again."}
    server.expect_picture_files(0)
    assert server.ask("GET", f"/notes/api/notes/{note['id']}")[2] == note


@pytest.mark.parametrize("kind", ["image/png", "image/svg+xml", "text/html"])
def test_a_file_that_is_no_picture_is_refused(window, server, kind):
    window.write("No picture")
    window.add_picture(chosen("page.png", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", kind))
    expect(window.page.locator("#picture-error")).to_contain_text("“page.png”")
    expect(window.pictures).to_have_count(0)
    server.expect_picture_files(0)


def test_the_server_looks_at_the_bytes_not_at_the_name(server):
    note = server.create("No picture")
    path = f"/notes/api/notes/{note['id']}/pictures?name=page.png&x=0&y=0&width=10&height=10"
    status, _, answer = server.ask("POST", path, b"<script>alert(1)</script>", version(note) | {"Content-Type": "image/png"})
    assert (status, answer["error"]["field"]) == (422, "picture")
    server.expect_picture_files(0)


def test_a_picture_for_a_note_that_changed_meanwhile_leaves_nothing_behind(server):
    note = server.create("Stale")
    path = f"/notes/api/notes/{note['id']}/pictures?name=a.png&x=0&y=0&width=10&height=10"
    assert server.ask("POST", path, png(), version(note))[0] == 201
    assert server.ask("POST", path, png(300), version(note))[0] == 412
    server.expect_picture_files(1)


def test_a_draft_has_to_be_saved_before_it_takes_a_picture(window, server):
    window.press("n")
    window.title.fill("Only a title")
    window.add_picture(chosen("garden.png", png()))
    expect(window.page.locator("#picture-error")).to_contain_text("needs a saved note")
    expect(window.page.locator("#body-error")).to_have_text("A note needs a text.")
    server.expect_picture_files(0)
