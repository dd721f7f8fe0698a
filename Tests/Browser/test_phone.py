"""A phone shows one pane at a time, and dark paper at night."""

import json

from playwright.sync_api import expect

from samples import chosen, png


def test_list_and_editor_take_turns(phone, server):
    server.create("Note", "A text")
    expect(phone.title).to_be_hidden()
    phone.row("Note").tap()
    expect(phone.title).to_be_visible()
    expect(phone.list).to_be_hidden()
    phone.page.get_by_role("button", name="Back to the list").tap()
    expect(phone.list).to_be_visible()
    expect(phone.title).to_be_hidden()
    phone.row("Note").tap()
    expect(phone.title).to_be_visible()
    phone.page.go_back()
    expect(phone.list).to_be_visible()


def test_nothing_is_wider_than_the_screen(phone, server):
    server.create("A title that is a good deal wider than a phone is, and then some more", "word " * 60 + "x" * 200)
    for open_pane in [lambda: None, lambda: phone.rows.first.tap()]:
        open_pane()
        expect(phone.page.locator("body")).to_be_visible()
        assert phone.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert phone.page.locator("#desk").evaluate("desk => desk.scrollWidth") <= 390
    phone.title.evaluate("title => title.scrollIntoView()")
    assert phone.title.evaluate("title => title.scrollWidth <= title.clientWidth")


def test_a_picture_from_a_wide_window_lies_below_the_text_on_a_phone_too(phone, open_window, server):
    wide = open_window()
    wide.write("Shared", "A text that takes more lines on a phone than on a desk. " * 8)
    wide.add_picture(chosen("garden.png", png(300, 150)))
    expect(wide.pictures).to_have_count(1)
    phone.row("Shared").tap()
    expect(phone.pictures).to_have_count(1)
    picture, text = phone.pictures.bounding_box(), phone.body.bounding_box()
    assert picture["y"] >= text["y"] + text["height"]
    assert picture["x"] + picture["width"] <= 390


def test_a_picture_is_dragged_on_a_phone(phone, server):
    phone.page.get_by_role("button", name="New", exact=True).tap()
    phone.title.fill("Phone")
    phone.body.fill("A text that takes more lines on a phone than on a desk. " * 8)
    phone.expect_saved()
    phone.add_picture(chosen("garden.png", png(200, 100)))
    expect(phone.pictures).to_have_count(1)
    phone.pictures.scroll_into_view_if_needed()
    before = phone.pictures.bounding_box()
    phone.drag(phone.pictures, 60, -20)
    phone.press("Control+s")
    phone.expect_saved()
    after = phone.pictures.bounding_box()
    assert abs(after["x"] - before["x"] - 60) < 1
    assert abs(after["y"] - before["y"] + 20) < 1
    [(images,)] = server.rows("SELECT images FROM Note")
    assert json.loads(images)[0]["frame"]["width"] == 200


def test_the_paper_is_dark_where_the_system_is(open_window):
    light = open_window(color_scheme="light")
    dark = open_window(color_scheme="dark")

    def brightness(window, selector, property):
        window.press("n")
        color = window.page.locator(selector).evaluate(
            """(element, property) => {
                const context = document.createElement('canvas').getContext('2d');
                context.fillStyle = getComputedStyle(element)[property];
                context.fillRect(0, 0, 1, 1);
                return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
            }""",
            property,
        )
        return sum(color) / 3

    assert brightness(light, "#sheet", "backgroundColor") > 230
    assert brightness(dark, "#sheet", "backgroundColor") < 60
    assert brightness(light, "#body", "color") < 60, "black ink on light paper"
    assert brightness(dark, "#body", "color") > 180, "black ink has to stay legible on dark paper"
