"""D7: a damaged document is shown as damaged, with what can be saved, and the rest of the list works."""

import pytest
from playwright.sync_api import expect

from creatures_page import flip, noise, truncate


@pytest.fixture
def folder(creatures, server):
    """Three creatures with pictures; the folder of the second."""
    for title in ["Moth", "Owl", "Bat"]:
        creatures.add(title, noise(), stars=2)
    return server.data / "creatures/2.creature"


def expect_the_others_to_work(creatures):
    for title in ["Moth", "Bat"]:
        creatures.card(title).locator(".star").nth(4).click()
        expect(creatures.stars(title, 5)).to_be_checked()
        expect(creatures.thumbnail(title)).to_have_js_property("naturalWidth", 480)
        expect(creatures.card(title).get_by_text("Damaged")).to_have_count(0)
    creatures.open("Moth")
    creatures.page.keyboard.press("Escape")


@pytest.mark.parametrize("harm", [flip, truncate])
def test_lost_data_leave_the_pictures(creatures, folder, harm):
    harm(folder / "data")
    creatures.page.reload()
    card = creatures.card("Creature 2")
    expect(card).to_contain_text("Damaged")
    expect(card).to_contain_text("Name and stars are lost.")
    expect(card).to_contain_text("The small picture and the picture can be saved.")
    expect(creatures.count).to_have_text("3 creatures, 1 damaged")
    expect(creatures.thumbnail("Creature 2")).to_have_js_property("naturalWidth", 480)
    expect_the_others_to_work(creatures)
    with creatures.page.expect_download() as download:
        card.get_by_role("link", name="Save the picture").click()
    assert download.value.path().read_bytes() == noise()
    card.get_by_role("button", name="Restore what is left").click()
    expect(creatures.toast).to_contain_text("Restored")
    expect(card.get_by_text("Damaged")).to_have_count(0)
    creatures.open("Creature 2")
    creatures.title.fill("Owl again")
    creatures.save()
    creatures.page.reload()
    creatures.expect_titles("Bat", "Owl again", "Moth")
    assert (folder / "picture.png").read_bytes() == noise()


def test_a_picture_that_is_cut_leaves_the_rest(creatures, folder):
    truncate(folder / "picture.png")
    creatures.page.reload()
    card = creatures.card("Owl")
    expect(card).to_contain_text("The picture is lost.")
    expect(card).to_contain_text("Name and stars and the small picture can be saved.")
    expect(card.get_by_role("button", name="Owl is damaged")).to_be_disabled()
    expect_the_others_to_work(creatures)
    with creatures.page.expect_download() as download:
        card.get_by_role("link", name="Save the damaged picture").click()
    assert download.value.path().read_bytes() == noise()[:-3]
    card.get_by_role("button", name="Restore what is left").click()
    expect(card.get_by_text("Damaged")).to_have_count(0)
    expect(creatures.stars("Owl", 2)).to_be_checked()
    creatures.open("Owl")
    expect(creatures.form.get_by_role("img", name="Picture of Owl")).to_have_js_property("naturalWidth", 480)


def test_a_changed_byte_of_a_picture_is_found_when_it_is_opened(creatures, folder):
    flip(folder / "picture.png")
    creatures.page.reload()
    expect(creatures.cards.get_by_text("Damaged")).to_have_count(0)
    creatures.open("Owl")
    expect(creatures.form.get_by_role("alert").filter(has_text="The picture is damaged")).to_be_visible()
    creatures.page.keyboard.press("Escape")
    expect(creatures.card("Owl")).to_contain_text("The picture is lost.")
    expect_the_others_to_work(creatures)


def test_the_check_finds_what_nobody_has_looked_at(creatures, folder, open_creatures):
    creatures.page.get_by_role("button", name="Check all").click()
    expect(creatures.said).to_have_text("All 3 creatures are whole.")
    flip(folder / "picture.png")
    creatures.page.get_by_role("button", name="Check all").click()
    expect(creatures.said).to_have_text("1 of 3 is damaged.")
    expect(creatures.card("Owl")).to_contain_text("The picture is lost.")
    expect(open_creatures().card("Owl")).to_contain_text("Damaged")
    expect_the_others_to_work(creatures)


def test_a_lost_thumbnail_is_made_anew(creatures, folder, server):
    flip(folder / "thumbnail.webp")
    creatures.page.reload()
    card = creatures.card("Owl")
    expect(card).to_contain_text("The small picture is lost.")
    expect_the_others_to_work(creatures)
    card.get_by_role("button", name="Restore what is left").click()
    expect(creatures.thumbnail("Owl")).to_have_js_property("naturalWidth", 480)
    expect(card.get_by_text("Damaged")).to_have_count(0)
    assert (folder / "picture.png").read_bytes() == noise()
    server.restart()
    creatures.page.reload()
    expect(creatures.thumbnail("Owl")).to_have_js_property("naturalWidth", 480)


def test_without_the_list_of_its_parts_nothing_else_is_lost(creatures, folder):
    (folder / ".manifest").unlink()
    creatures.page.reload()
    card = creatures.card("Owl")
    expect(card).to_contain_text("The list of its parts is lost.")
    expect(creatures.thumbnail("Owl")).to_have_js_property("naturalWidth", 480)
    expect_the_others_to_work(creatures)
    card.get_by_role("button", name="Restore what is left").click()
    expect(card.get_by_text("Damaged")).to_have_count(0)
    creatures.open("Owl")
    expect(creatures.form.get_by_role("img", name="Picture of Owl")).to_have_js_property("naturalWidth", 900)


def test_of_an_empty_folder_nothing_is_left_and_deleting_it_can_be_undone(creatures, folder):
    for file in folder.iterdir():
        file.unlink()
    creatures.page.reload()
    card = creatures.card("Creature 2")
    expect(card).to_contain_text("Nothing of it can be saved.")
    expect(card.get_by_role("button", name="Restore")).to_have_count(0)
    card.get_by_role("button", name="Delete").click()
    expect(creatures.cards).to_have_count(2)
    creatures.toast.get_by_role("button", name="Undo").click()
    expect(card).to_contain_text("Damaged")
    expect_the_others_to_work(creatures)


def test_a_stray_file_and_a_strange_folder_do_no_harm(creatures, folder):
    (folder.parent / "notes.txt").write_text("hello")
    (folder.parent / "9.creature").write_text("a file and no folder")
    (folder / "notes.txt").write_text("hello")
    creatures.page.reload()
    creatures.expect_titles("Bat", "Owl", "Moth")
    expect(creatures.count).to_have_text("3 creatures")
    creatures.add("Fox")
    creatures.expect_titles("Fox", "Bat", "Owl", "Moth")
