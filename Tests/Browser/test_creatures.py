"""D7, the Creatures page: pictures with names and stars, a folder for each, all there after a restart."""

import pytest
from playwright.sync_api import expect

from creatures_page import noise
from samples import GIF, chosen, drawn, png


def test_the_first_creature(creatures, server):
    expect(creatures.page.get_by_text("No creature has been seen yet")).to_be_visible()
    creatures.page.get_by_role("button", name="Add the first one").click()
    creatures.title.fill("Moth")
    creatures.choose(chosen("moth.png", noise()))
    expect(creatures.form.get_by_role("img", name="Preview of moth.png")).to_be_visible()
    creatures.form.get_by_role("radio", name="4 stars").check()
    creatures.save()
    creatures.expect_titles("Moth")
    expect(creatures.said).to_have_text("Added “Moth”.")
    expect(creatures.stars("Moth", 4)).to_be_checked()
    expect(creatures.page.get_by_text("No creature has been seen yet")).to_be_hidden()
    folder = server.data / "creatures/1.creature"
    assert (folder / "picture.png").read_bytes() == noise()
    assert sorted(file.name for file in folder.iterdir()) == [".manifest", "data", "picture.png", "thumbnail.webp"]


def test_the_thumbnail_is_made_once_and_is_small(creatures, server):
    creatures.add("Moth", noise(1600, 1200))
    expect(creatures.thumbnail("Moth")).to_have_js_property("naturalWidth", 480)
    expect(creatures.thumbnail("Moth")).to_have_js_property("naturalHeight", 360)
    file = server.data / "creatures/1.creature/thumbnail.webp"
    before = file.read_bytes()
    creatures.open("Moth")
    creatures.title.fill("Owl")
    creatures.save()
    creatures.expect_titles("Owl")
    creatures.stars("Owl", 5).check(force=True)
    creatures.page.reload()
    expect(creatures.stars("Owl", 5)).to_be_checked()
    assert file.read_bytes() == before


def test_the_list_loads_no_picture_until_one_is_opened(creatures, server):
    """D4: data and images load on first access."""
    for number in range(4):
        creatures.add(f"Creature {number}", noise(900, 600 + number))
    creatures.requests.clear()
    creatures.page.reload()
    for number in range(4):
        expect(creatures.thumbnail(f"Creature {number}")).to_have_js_property("naturalWidth", 480)
    thumbnails = [request for request in creatures.requests if "/thumbnail" in request]
    assert len(thumbnails) == 4
    assert not [request for request in creatures.requests if "/picture" in request]
    creatures.open("Creature 2")
    expect(creatures.form.get_by_role("img", name="Picture of Creature 2")).to_have_js_property("naturalHeight", 602)
    [picture] = [request for request in creatures.requests if "/picture" in request]
    assert picture.startswith("api/creatures/3/picture")


def test_everything_is_there_after_a_restart_and_after_a_kill(creatures, server):
    creatures.add("Moth", noise(), stars=3)
    creatures.add("Owl", stars=5)
    for end in [server.stop, server.kill]:
        end()
        expect(creatures.page.locator("#connection")).to_be_visible()
        server.start()
        expect(creatures.page.locator("#connection")).to_be_hidden()
        creatures.page.reload()
        creatures.expect_titles("Owl", "Moth")
        expect(creatures.stars("Moth", 3)).to_be_checked()
        expect(creatures.stars("Owl", 5)).to_be_checked()
        expect(creatures.thumbnail("Moth")).to_have_js_property("naturalWidth", 480)
        creatures.open("Moth")
        expect(creatures.form.get_by_role("img", name="Picture of Moth")).to_have_js_property("naturalWidth", 900)
        creatures.page.keyboard.press("Escape")


def test_a_creature_is_edited(creatures, server):
    creatures.add("Moth", noise(), stars=3)
    creatures.open("Moth")
    creatures.title.fill("Death's-head <b>moth</b>")
    creatures.form.get_by_role("radio", name="No stars").check()
    creatures.choose(chosen("other.webp", drawn(creatures.page, "image/webp"), "image/webp"))
    expect(creatures.form.get_by_role("img", name="Preview of other.webp")).to_be_visible()
    creatures.save()
    creatures.expect_titles("Death's-head <b>moth</b>")
    expect(creatures.thumbnail("Death's-head <b>moth</b>")).to_have_js_property("naturalWidth", 20)
    expect(creatures.stars("Death's-head <b>moth</b>", 0)).to_be_checked()
    assert sorted(file.name for file in (server.data / "creatures/1.creature").iterdir()) == [".manifest", "data", "picture.webp", "thumbnail.webp"]
    creatures.open("Death's-head <b>moth</b>")
    creatures.form.get_by_role("button", name="Remove picture").click()
    creatures.save()
    expect(creatures.thumbnail("Death's-head <b>moth</b>")).to_have_count(0)
    assert sorted(file.name for file in (server.data / "creatures/1.creature").iterdir()) == [".manifest", "data"]


def test_cancelling_changes_nothing(creatures, server):
    creatures.add("Moth", noise(), stars=3)
    creatures.open("Moth")
    creatures.title.fill("Owl")
    creatures.form.get_by_role("button", name="Remove picture").click()
    creatures.form.get_by_role("button", name="Cancel").click()
    creatures.expect_titles("Moth")
    creatures.open("Moth")
    expect(creatures.form.get_by_role("img", name="Picture of Moth")).to_be_visible()


def test_stars_are_given_by_mouse_and_by_keyboard(creatures):
    creatures.add("Moth")
    creatures.card("Moth").locator(".star").nth(2).click()
    expect(creatures.stars("Moth", 3)).to_be_checked()
    expect(creatures.stars("Moth", 3)).to_be_focused()
    creatures.page.keyboard.press("ArrowRight")
    expect(creatures.stars("Moth", 4)).to_be_checked()
    expect(creatures.stars("Moth", 4)).to_be_focused()
    creatures.page.keyboard.press("ArrowLeft")
    creatures.page.keyboard.press("ArrowLeft")
    expect(creatures.stars("Moth", 2)).to_be_focused()
    expect(creatures.card("Moth").get_by_role("group", name="Stars of Moth")).to_be_visible()
    creatures.page.reload()
    expect(creatures.stars("Moth", 2)).to_be_checked()
    creatures.card("Moth").hover()
    creatures.card("Moth").get_by_title("No stars").click()
    expect(creatures.stars("Moth", 0)).to_be_checked()
    creatures.page.reload()
    expect(creatures.stars("Moth", 0)).to_be_checked()


def test_the_list_is_ordered_by_stars_and_keeps_the_focus(creatures):
    for title, stars in [("Moth", 2), ("Owl", 5), ("bat", 3)]:
        creatures.add(title, stars=stars)
    creatures.expect_titles("bat", "Owl", "Moth")
    creatures.page.get_by_label("Order").select_option("By name")
    creatures.expect_titles("bat", "Moth", "Owl")
    creatures.page.get_by_label("Order").select_option("Best first")
    creatures.expect_titles("Owl", "bat", "Moth")
    creatures.stars("Moth", 2).focus()
    creatures.page.keyboard.press("ArrowRight")
    creatures.page.keyboard.press("ArrowRight")
    creatures.expect_titles("Owl", "Moth", "bat")
    expect(creatures.stars("Moth", 4)).to_be_focused()


@pytest.mark.parametrize("way", ["button", "key"])
def test_a_deleted_creature_comes_back(creatures, server, way):
    creatures.add("Moth", noise(), stars=3)
    creatures.add("Owl")
    creatures.remove("Moth")
    creatures.expect_titles("Owl")
    expect(creatures.toast).to_contain_text("Deleted “Moth”.")
    assert not (server.data / "creatures/1.creature").exists()
    if way == "button":
        creatures.toast.get_by_role("button", name="Undo").click()
    else:
        creatures.page.keyboard.press("Control+z")
    creatures.expect_titles("Owl", "Moth")
    expect(creatures.stars("Moth", 3)).to_be_checked()
    expect(creatures.thumbnail("Moth")).to_have_js_property("naturalWidth", 480)


def test_a_deletion_is_undone_after_a_restart_of_the_server(creatures, server):
    creatures.add("Moth", noise())
    creatures.open("Moth")
    creatures.form.get_by_role("button", name="Delete").click()
    expect(creatures.cards).to_have_count(0)
    server.restart()
    expect(creatures.page.locator("#connection")).to_be_hidden()
    creatures.page.keyboard.press("Control+z")
    creatures.expect_titles("Moth")


def test_a_picture_is_dropped_on_the_page_and_on_the_form(creatures, server):
    creatures.drop(creatures.page.locator("main"), "shy_ghost-2.png", noise(300, 200))
    expect(creatures.title).to_have_value("shy ghost 2")
    expect(creatures.form.get_by_role("img", name="Preview of shy_ghost-2.png")).to_be_visible()
    expect(creatures.page.locator("#veil")).to_be_hidden()
    creatures.drop(creatures.form.locator("#drop"), "other.png", noise(310, 200))
    expect(creatures.form.get_by_role("img", name="Preview of other.png")).to_be_visible()
    expect(creatures.title).to_have_value("shy ghost 2")
    creatures.save()
    creatures.expect_titles("shy ghost 2")
    assert (server.data / "creatures/1.creature/picture.png").read_bytes() == noise(310, 200)


@pytest.mark.parametrize("kind", ["image/jpeg", "image/webp", "image/png", "image/gif"])
def test_every_format_is_taken_and_served_as_what_it_is(creatures, server, kind):
    content = GIF if kind == "image/gif" else drawn(creatures.page, kind)
    creatures.add("Moth", content)
    status, headers, body = server.ask("GET", "/creatures/api/creatures/1/picture")
    assert (status, headers["Content-Type"], headers["X-Content-Type-Options"], body) == (200, kind, "nosniff", content)


def test_a_name_is_asked_for_where_it_is_missing(creatures, server):
    creatures.new()
    creatures.title.fill("   ")
    creatures.choose(chosen("a.png", noise()))
    creatures.title.fill("   ")
    creatures.save()
    expect(creatures.form.get_by_role("alert").filter(has_text="A creature needs a name")).to_be_visible()
    expect(creatures.title).to_be_focused()
    expect(creatures.title).to_have_attribute("aria-invalid", "true")
    creatures.title.fill("Moth")
    expect(creatures.form.get_by_role("alert").filter(has_text="A creature needs a name")).to_be_hidden()
    creatures.save()
    creatures.expect_titles("Moth")
    assert (server.data / "creatures/1.creature/picture.png").exists(), "the picture stays chosen"


@pytest.mark.parametrize(
    "name, content, kind, words",
    [
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", "is not a PNG, JPEG, GIF or WebP picture"),
        ("a.png", b"<script>alert(1)</script>", "image/png", "cannot be shown"),
        ("a.png", png()[:60], "image/png", "cannot be shown"),
        ("a.png", bytes(21 * 1024 * 1024), "image/png", "has 21.0 MB"),
    ],
)
def test_what_is_no_picture_is_refused_on_the_page(creatures, name, content, kind, words):
    creatures.new()
    creatures.choose(chosen(name, content, kind))
    expect(creatures.form.get_by_role("alert").filter(has_text=words)).to_be_visible()
    expect(creatures.form.get_by_role("img", name="Preview")).to_be_hidden()
    creatures.title.fill("Moth")
    creatures.save()
    creatures.expect_titles("Moth")


def test_two_windows_are_in_step_and_do_not_overwrite_each_other(creatures, open_creatures):
    other = open_creatures()
    creatures.add("Moth", stars=1)
    other.expect_titles("Moth")
    creatures.open("Moth")
    other.open("Moth")
    other.title.fill("Owl")
    other.save()
    creatures.expect_titles("Owl")
    creatures.title.fill("Bat")
    creatures.save()
    expect(creatures.form.get_by_role("alert").filter(has_text="Another window has changed this creature")).to_be_visible()
    expect(creatures.title).to_have_value("Bat")
    creatures.page.keyboard.press("Escape")
    other.remove("Owl")
    expect(creatures.cards).to_have_count(0)


def test_everything_is_done_with_the_keyboard(creatures):
    creatures.page.keyboard.press("n")
    expect(creatures.title).to_be_focused()
    creatures.page.keyboard.type("Moth")
    creatures.page.keyboard.press("Tab")
    creatures.page.keyboard.press("ArrowRight")
    creatures.page.keyboard.press("ArrowRight")
    creatures.page.keyboard.press("Enter")
    creatures.expect_titles("Moth")
    expect(creatures.card("Moth").get_by_role("radio", checked=True)).to_have_count(1)
    creatures.card("Moth").get_by_role("button", name="Open Moth").focus()
    creatures.page.keyboard.press("Enter")
    expect(creatures.title).to_be_focused()
    creatures.page.keyboard.press("Escape")
    expect(creatures.card("Moth").get_by_role("button", name="Open Moth")).to_be_focused()


def test_on_a_phone_stars_are_touched_and_nothing_is_cut_off(open_creatures):
    phone = open_creatures(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.page.get_by_role("button", name="New creature").tap()
    phone.title.fill("A name that is a good deal wider than a phone is " + "x" * 50)
    phone.choose(chosen("moth.png", noise()))
    phone.form.locator(".star").nth(3).tap()
    phone.save()
    expect(phone.cards).to_have_count(1)
    phone.cards.locator(".star").nth(1).tap()
    expect(phone.cards.get_by_role("radio", name="2 stars")).to_be_checked()
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390
    phone.cards.get_by_role("button", name="Open").tap()
    expect(phone.form).to_be_visible()
    assert phone.form.evaluate("form => form.scrollWidth <= form.clientWidth")


def test_the_landing_page_leads_here(open_page, server):
    page = open_page()
    page.goto(server.url + "/")
    page.get_by_role("link", name="Creatures").click()
    expect(page.get_by_role("heading", name="Creatures", exact=True)).to_be_visible()
