"""The list of notes is divided by the day of the last change."""

import sqlite3
import time

from playwright.sync_api import expect

REFERENCE = 978_307_200
DAY = 86_400


def days(window):
    return window.page.locator(".day")


def age(server, title, seconds):
    """Another program sets back when a note was changed."""
    with sqlite3.connect(server.data / "notes" / "notes.larder") as connection:
        connection.execute("UPDATE Note SET modifiedAt = ? WHERE title = ?", (time.time() - REFERENCE - seconds, title))
    connection.close()


def test_notes_stand_under_the_day_of_their_last_change(window, server):
    for title in ("Old", "Older", "New"):
        server.create(title)
    expect(days(window)).to_have_text(["Today"])
    age(server, "Old", DAY)
    age(server, "Older", 400 * DAY)
    expect(days(window)).to_have_count(3)
    expect(days(window).nth(0)).to_have_text("Today")
    expect(days(window).nth(1)).to_have_text("Yesterday")
    expect(days(window).nth(2)).to_contain_text("20")
    expect(window.titles).to_have_text(["New", "Old", "Older"])


def test_a_change_moves_a_note_to_today(window, server):
    server.create("Moved")
    age(server, "Moved", DAY)
    expect(days(window)).to_have_text(["Yesterday"])
    window.open("Moved")
    window.body.fill("anew")
    window.expect_saved()
    expect(days(window)).to_have_text(["Today"])


def test_a_search_and_a_draft_have_no_day(window, server):
    server.create("Milk")
    expect(days(window)).to_have_text(["Today"])
    window.search.fill("milk")
    expect(window.titles).to_have_text(["Milk"])
    expect(days(window)).to_have_count(0)
    window.search.fill("")
    expect(days(window)).to_have_text(["Today"])
    window.page.get_by_role("button", name="New", exact=True).click()
    expect(window.rows.first).to_contain_text("New note")
    expect(window.list.locator("> *").first).to_contain_text("New note")
