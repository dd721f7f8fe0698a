"""What assistive technology needs of Creatures: axe finds nothing in the list or any dialog, at both widths, in light and dark."""

import pytest
from playwright.sync_api import expect

from accessibility import expect_accessible
from creatures_page import noise, truncate

SIZES = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 390, "height": 844}}


@pytest.fixture(params=["light", "dark"])
def scheme(request):
    return request.param


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def creatures(request, scheme, open_creatures):
    return open_creatures(viewport=request.param, color_scheme=scheme, reduced_motion="reduce")


def test_an_empty_list_and_the_first_creature(creatures):
    expect(creatures.page.get_by_text("No creature has been seen yet")).to_be_visible()
    expect_accessible(creatures.page)
    creatures.new()
    expect_accessible(creatures.page)
    creatures.save()
    expect(creatures.form.get_by_role("alert").filter(has_text="A creature needs a name")).to_be_visible()
    expect_accessible(creatures.page)


def test_the_list_a_search_and_a_creature(creatures):
    creatures.add("Moth", noise(), stars=3)
    creatures.add("Owl")
    expect_accessible(creatures.page)
    creatures.page.get_by_label("Search names").fill("moth")
    creatures.expect_titles("Moth")
    expect_accessible(creatures.page)
    creatures.open("Moth")
    expect(creatures.form.get_by_role("img", name="Picture of Moth")).to_be_visible()
    expect_accessible(creatures.page)
    creatures.page.keyboard.press("Escape")
    creatures.page.get_by_label("Search names").fill("nobody")
    expect(creatures.page.get_by_text("No creature has this name.")).to_be_visible()
    expect_accessible(creatures.page)


def test_the_trash_and_its_questions(creatures):
    creatures.open_trash()
    expect_accessible(creatures.page)
    creatures.page.get_by_role("button", name="Close").click()
    creatures.add("Moth", noise())
    creatures.add("Owl")
    for title in ["Moth", "Owl"]:
        creatures.remove(title)
        expect(creatures.card(title)).to_have_count(0)
    expect_accessible(creatures.page)
    creatures.open_trash()
    expect(creatures.deleted).to_have_count(2)
    expect_accessible(creatures.page)
    creatures.in_trash("Delete Moth for good").click()
    expect(creatures.in_trash("Keep Moth")).to_be_visible()
    expect_accessible(creatures.page)
    creatures.trash.get_by_role("button", name="Delete all…").click()
    expect(creatures.in_trash("Keep everything")).to_be_visible()
    expect_accessible(creatures.page)


def test_a_conflict(creatures, server):
    creatures.add("Moth", stars=2)
    creatures.open("Moth")
    assert server.ask("PUT", "/creatures/api/creatures/1/rating/5")[0] == 200
    creatures.title.fill("Owl")
    creatures.save()
    expect(creatures.form.get_by_role("button", name="Keep mine")).to_be_visible()
    expect_accessible(creatures.page)


def test_damage(creatures, server):
    creatures.add("Moth", noise())
    creatures.add("Owl", noise())
    truncate(server.data / "creatures/2.creature/data")
    creatures.page.reload()
    expect(creatures.card("Creature 2")).to_contain_text("Damaged")
    expect_accessible(creatures.page)
