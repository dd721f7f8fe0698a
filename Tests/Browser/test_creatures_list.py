"""The list of creatures: searched by name, walked by keyboard while creatures go, whole pictures, and the trash."""

import pytest
from playwright.sync_api import expect

from creatures_page import noise
from samples import png


@pytest.fixture
def four(creatures):
    for title, stars in [("Moth", 2), ("Owl", 5), ("Déath owl", 1), ("bat 10", 3)]:
        creatures.add(title, stars=stars)
    creatures.expect_titles("bat 10", "Déath owl", "Owl", "Moth")
    return creatures


def test_names_are_searched_in_every_order(four):
    search = four.page.get_by_label("Search names")
    four.page.keyboard.press("/")
    expect(search).to_be_focused()
    four.page.keyboard.type("OWL")
    four.expect_titles("Déath owl", "Owl")
    expect(four.count).to_have_text("2 of 4 creatures")
    four.page.get_by_label("Order").select_option("Best first")
    four.expect_titles("Owl", "Déath owl")
    four.page.get_by_label("Order").select_option("By name")
    four.expect_titles("Déath owl", "Owl")
    search.fill("owl death")
    four.expect_titles("Déath owl")
    search.fill("<b>")
    expect(four.page.get_by_text("No creature has this name.")).to_be_visible()
    expect(four.cards).to_have_count(0)
    search.press("Escape")
    expect(four.cards).to_have_count(4)
    expect(four.count).to_have_text("4 creatures")


def test_another_window_follows_a_name_out_of_the_search(four, open_creatures):
    other = open_creatures()
    other.page.get_by_label("Search names").fill("moth")
    other.expect_titles("Moth")
    four.open("Moth")
    four.title.fill("Wasp")
    four.save()
    expect(other.cards).to_have_count(0)
    expect(other.page.get_by_text("No creature has this name.")).to_be_visible()


@pytest.mark.parametrize("way", ["key", "button", "form"])
def test_after_a_deletion_by_keyboard_the_next_card_has_the_focus(four, way):
    def delete(title):
        opener = four.card(title).get_by_role("button", name=f"Open {title}")
        opener.focus()
        if way == "key":
            four.page.keyboard.press("Delete")
        elif way == "button":
            four.card(title).get_by_role("button", name=f"Delete {title}", exact=True).focus()
            four.page.keyboard.press("Enter")
        else:
            four.page.keyboard.press("Enter")
            four.form.get_by_role("button", name="Delete").focus()
            four.page.keyboard.press("Enter")
        expect(four.card(title)).to_have_count(0)

    for title, next in [("Déath owl", "Open Owl"), ("Moth", "Open Owl"), ("Owl", "Open bat 10"), ("bat 10", "New creature")]:
        delete(title)
        expect(four.page.get_by_role("button", name=next)).to_be_focused()


def test_what_comes_back_by_the_toast_has_the_focus(four):
    four.card("Owl").get_by_role("button", name="Open Owl").focus()
    four.page.keyboard.press("Delete")
    expect(four.card("Owl")).to_have_count(0)
    four.toast.get_by_role("button", name="Undo").focus()
    four.page.keyboard.press("Enter")
    expect(four.card("Owl").get_by_role("button", name="Open Owl")).to_be_focused()


def test_the_toast_has_no_focus_once_it_is_hidden(four):
    four.card("Owl").get_by_role("button", name="Open Owl").focus()
    four.page.keyboard.press("Delete")
    four.toast.get_by_role("button", name="Undo").focus()
    # In one task: the browser itself takes the focus away only when it draws the page.
    assert four.page.evaluate("() => { document.activeElement.click(); return document.activeElement.localName; }") == "body"
    expect(four.card("Owl").get_by_role("button", name="Open Owl")).to_be_focused()


@pytest.mark.parametrize("size", [(300, 900), (900, 300), (400, 300)], ids=["tall", "wide", "usual"])
def test_no_part_of_a_picture_is_cut_off(creatures, size):
    creatures.add("Portrait", png(*size, (200, 120, 40)))
    image = creatures.thumbnail("Portrait")
    expect(image).to_have_js_property("complete", True)
    shown = image.evaluate(
        """(image) => {
            const { clientWidth, clientHeight } = image.parentElement;
            const scales = [image.clientWidth / image.naturalWidth, image.clientHeight / image.naturalHeight];
            const scale = getComputedStyle(image).objectFit === 'cover' ? Math.max(...scales) : Math.min(...scales);
            return [image.clientWidth, image.naturalWidth * scale].every((width) => width <= clientWidth + 1)
                && [image.clientHeight, image.naturalHeight * scale].every((height) => height <= clientHeight + 1);
        }"""
    )
    assert shown


# The trash


def test_the_trash_lists_restores_and_deletes_for_good(creatures, server):
    creatures.add("Moth", noise(), stars=3)
    creatures.add("Owl <b>")
    creatures.add("Bat")
    for title in ["Moth", "Owl <b>", "Bat"]:
        creatures.remove(title)
        expect(creatures.card(title)).to_have_count(0)
    server.restart()
    creatures.page.reload()
    creatures.open_trash()
    expect(creatures.deleted).to_contain_text(["Moth", "Owl <b>", "Bat"])
    expect(creatures.deleted.first.locator("img")).to_have_js_property("naturalWidth", 480)
    creatures.in_trash("Restore Moth").click()
    expect(creatures.deleted).to_have_count(2)
    expect(creatures.in_trash("Restore Owl <b>")).to_be_focused()
    creatures.in_trash("Delete Owl <b> for good").click()
    expect(creatures.in_trash("Keep Owl <b>")).to_be_focused()
    assert len(list((server.data / "creatures/.larder-trash").iterdir())) == 2, "nothing goes before the answer"
    creatures.in_trash("Keep Owl <b>").click()
    expect(creatures.in_trash("Delete Owl <b> for good")).to_be_focused()
    creatures.in_trash("Delete Owl <b> for good").click()
    creatures.in_trash("Delete Owl <b> now").click()
    expect(creatures.deleted).to_have_count(1)
    assert [folder.name[37:] for folder in (server.data / "creatures/.larder-trash").iterdir()] == ["3"]
    creatures.page.get_by_role("button", name="Close").click()
    creatures.expect_titles("Moth")
    expect(creatures.stars("Moth", 3)).to_be_checked()
    expect(creatures.thumbnail("Moth")).to_have_js_property("naturalWidth", 480)


def test_the_trash_is_emptied_after_a_question_and_follows_other_windows(four, open_creatures, server):
    other = open_creatures()
    other.open_trash()
    expect(other.trash.get_by_text("Nothing is in the trash.")).to_be_visible()
    expect(other.trash.get_by_role("button", name="Delete all…")).to_be_hidden()
    for title in ["Moth", "Owl"]:
        four.remove(title)
    expect(other.deleted).to_have_count(2)
    other.trash.get_by_role("button", name="Delete all…").click()
    expect(other.in_trash("Keep everything")).to_be_focused()
    other.page.keyboard.press("Enter")
    expect(other.trash.get_by_role("button", name="Delete all…")).to_be_focused()
    other.page.keyboard.press("Enter")
    other.in_trash("Delete everything now").click()
    expect(other.deleted).to_have_count(0)
    expect(other.page.get_by_role("button", name="Close")).to_be_focused()
    assert not list((server.data / "creatures").glob(".larder-trash/*"))
    four.toast.get_by_role("button", name="Undo").click()
    expect(four.said).to_have_text("Not undone: It is not in the trash any more.")


@pytest.mark.parametrize("path", ["trash/9", "trash/..%2F1", "trash/%00"])
def test_what_is_not_in_the_trash_is_not_deleted(server, path):
    assert server.ask("DELETE", f"/creatures/api/{path}")[0] in (400, 404)
    assert server.ask("GET", f"/creatures/api/{path}/thumbnail")[0] in (400, 404)


# Two windows


@pytest.fixture
def conflict(creatures, open_creatures):
    """A window in which "Bat" was written with two stars, after another one has saved "Owl" with four."""
    other = open_creatures()
    creatures.add("Moth", noise(), stars=1)
    creatures.open("Moth")
    other.open("Moth")
    other.title.fill("Owl")
    other.form.locator(".star").nth(3).click()
    other.save()
    creatures.expect_titles("Owl")
    creatures.title.fill("Bat")
    creatures.form.locator(".star").nth(1).click()
    creatures.save()
    expect(creatures.form.get_by_role("alert").filter(has_text="Another window has changed this creature.")).to_have_text(
        "Another window has changed this creature. There it is “Owl” with 4 stars."
    )
    expect(creatures.form.get_by_role("button", name="Keep mine")).to_be_focused()
    return creatures


def test_mine_is_kept(conflict):
    conflict.page.keyboard.press("Enter")
    expect(conflict.form).to_be_hidden()
    conflict.expect_titles("Bat")
    expect(conflict.stars("Bat", 2)).to_be_checked()
    expect(conflict.thumbnail("Bat")).to_be_visible()


def test_theirs_is_taken_and_goes_on_from_there(conflict):
    conflict.form.get_by_role("button", name="Take theirs").click()
    expect(conflict.title).to_have_value("Owl")
    expect(conflict.form.get_by_role("radio", name="4 stars")).to_be_checked()
    expect(conflict.form.get_by_role("button", name="Keep mine")).to_be_hidden()
    conflict.title.fill("Owl and I")
    conflict.save()
    expect(conflict.form).to_be_hidden()
    conflict.expect_titles("Owl and I")


def test_a_second_change_of_theirs_is_asked_about_again(conflict, server):
    name = server.ask("GET", "/creatures/api/creatures/1")[2]
    assert server.ask("PUT", "/creatures/api/creatures/1?title=Wasp&rating=0", headers={"If-Match": f'"{name["modified"]!r}"'})[0] == 200
    conflict.form.get_by_role("button", name="Keep mine").click()
    expect(conflict.page.locator("#conflict-text")).to_contain_text("There it is “Wasp” with no stars.")
    conflict.form.get_by_role("button", name="Keep mine").click()
    conflict.expect_titles("Bat")


def test_a_creature_that_is_gone_meanwhile_says_so(conflict, server):
    assert server.ask("DELETE", "/creatures/api/creatures/1")[0] == 204
    conflict.form.get_by_role("button", name="Keep mine").click()
    expect(conflict.form.get_by_role("alert").filter(has_text="This creature is not there any more.")).to_be_visible()
    expect(conflict.title).to_have_value("Bat")
