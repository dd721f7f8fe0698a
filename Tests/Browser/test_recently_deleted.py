"""Deleted notes stay in a list for thirty days: they can be brought back, or deleted for good."""

import pytest
from playwright.sync_api import expect

from notes_page import NotesPage
from samples import chosen, png
from studio import size  # noqa: F401


@pytest.fixture
def window(open_window, size):
    return open_window(viewport=size)


def delete(server, *titles: str):
    for title in titles:
        assert server.ask("DELETE", f"/notes/api/notes/{server.create(title)['id']}")[0] == 204


def show(window: NotesPage):
    window.page.get_by_role("button", name="Recently deleted").click()
    return window.page.get_by_role("dialog", name="Recently deleted")


def test_the_last_deleted_comes_first_with_the_day_until_which_it_stays(window, server):
    dialog = show(window)
    expect(dialog).to_contain_text("Nothing was deleted in the last 30 days.")
    window.press("Escape")
    delete(server, "First", "Second")
    dialog = show(window)
    expect(dialog.locator(".note-title")).to_have_text(["Second", "First"])
    expect(dialog.get_by_role("listitem").first).to_contain_text("kept until")
    [(difference,)] = server.rows("SELECT max(_expires - deletedAt) FROM DeletedNote")
    assert difference == pytest.approx(30 * 24 * 60 * 60, abs=1)


def test_a_note_is_restored_from_the_list(window, server):
    delete(server, "First", "Second")
    dialog = show(window)
    dialog.get_by_role("button", name="Restore First").click()
    expect(dialog.locator(".note-title")).to_have_text(["Second"])
    window.press("Escape")
    expect(window.title).to_have_value("First")
    assert server.rows("SELECT title FROM Note") == [("First",)]


def test_a_note_is_deleted_for_good_after_a_question(window, server):
    delete(server, "First", "Second")
    dialog = show(window)
    dialog.get_by_role("button", name="Delete Second for good").click()
    expect(dialog.locator(".note-title")).to_have_count(2)
    dialog.get_by_role("button", name="Really delete Second for good?").click()
    expect(dialog.locator(".note-title")).to_have_text(["First"])
    expect(dialog.get_by_role("button", name="Restore First")).to_be_focused()
    assert server.rows("SELECT count(*) FROM DeletedNote") == [(1,)]


def test_the_bytes_of_a_note_that_is_deleted_for_good_go_with_it(open_window, server):
    window = open_window()
    window.write("Pictured")
    window.add_picture(chosen("garden.png", png()))
    expect(window.pictures).to_have_count(1)
    window.delete_open_note()
    expect(window.rows).to_have_count(0)
    server.expect_picture_files(1)
    dialog = show(window)
    dialog.get_by_role("button", name="Delete Pictured for good").click()
    dialog.get_by_role("button", name="Really delete").click()
    expect(dialog).to_contain_text("Nothing was deleted")
    server.expect_picture_files(0)
    window.press("Escape", "Control+z")
    expect(window.toast).to_contain_text("not there any more")


def test_it_is_used_by_keys_alone(open_window, server):
    delete(server, "Only")
    window = open_window()
    window.page.get_by_role("button", name="Recently deleted").focus()
    window.press("Enter")
    dialog = window.page.get_by_role("dialog", name="Recently deleted")
    expect(dialog.get_by_role("button", name="Restore Only")).to_be_visible()
    dialog.get_by_role("button", name="Restore Only").focus()
    window.press("Enter")
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    window.press("Enter")
    expect(dialog).to_be_hidden()
    window.expect_titles("Only")
