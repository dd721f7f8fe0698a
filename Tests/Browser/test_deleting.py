"""What was deleted can be brought back."""

from playwright.sync_api import expect

from samples import chosen, png
from showcase import ALL_COLUMNS


def test_a_deleted_note_comes_back_whole_with_undo(window, server):
    window.write("Keep me", "All of me")
    window.add_picture(chosen("garden.png", png()))
    expect(window.pictures).to_have_count(1)
    before = server.rows(ALL_COLUMNS)
    window.delete_open_note()
    expect(window.toast).to_contain_text("“Keep me” was deleted.")
    expect(window.rows).to_have_count(0)
    assert server.rows("SELECT count(*) FROM Note") == [(0,)]
    assert len(server.picture_files) == 1
    window.undo_in_toast()
    window.expect_titles("Keep me")
    expect(window.body).to_have_text("All of me")
    expect(window.pictures).to_have_count(1)
    assert server.rows(ALL_COLUMNS) == before


def test_control_z_brings_notes_back_one_after_another(window, server):
    for title in ["First", "Second", "Third"]:
        server.create(title)
    window.open("Third")
    window.row("Third").press("Delete")
    window.expect_titles("Second", "First")
    expect(window.row("Second")).to_be_focused()
    window.press("Delete")
    window.expect_titles("First")
    window.press("Control+z")
    window.expect_titles("Second", "First")
    window.press("Control+z")
    window.expect_titles("Third", "Second", "First")


def test_control_z_in_a_text_undoes_typing_and_nothing_else(window, server):
    server.create("Deleted")
    server.create("Edited")
    window.open("Deleted")
    window.delete_open_note()
    window.expect_titles("Edited")
    window.body.click()
    window.page.keyboard.type("x")
    window.press("Control+z")
    expect(window.body).to_have_text("Text")
    window.expect_titles("Edited")


def test_a_deletion_can_be_undone_after_a_restart(window, server):
    server.create("Survivor")
    window.open("Survivor")
    window.delete_open_note()
    expect(window.rows).to_have_count(0)
    server.restart()
    window.press("Control+z")
    window.expect_titles("Survivor")
