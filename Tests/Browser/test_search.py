"""The list is searched while one types."""

import pytest
from playwright.sync_api import expect


def test_every_word_is_a_beginning_in_title_or_text(window, server):
    server.create("Plum jam", "Two kilos of plums")
    server.create("Shopping", "Sugar, plums, lemons")
    server.create("Garden", "Move the roses")
    window.search.press_sequentially("plu")
    expect(window.rows).to_have_count(2)
    window.search.press_sequentially("ms su")
    window.expect_titles("Shopping")
    expect(window.row("Shopping").locator("mark")).to_have_text(["Su", "plums"], ignore_case=True)
    window.search.fill("")
    expect(window.rows).to_have_count(3)


def test_a_search_without_an_answer_says_so(window, server):
    server.create("Garden", "Move the roses")
    window.search.fill("tulips")
    expect(window.page.get_by_text("Nothing found")).to_be_visible()
    expect(window.page.get_by_text("No note has words that begin with “tulips”.")).to_be_visible()


def test_no_character_of_a_search_has_a_special_meaning(window, server):
    server.create("Prices", "100% sure: it's 5_000 * 2")
    for text in ['"', "AND", "*", "sure:", "(", "it's", "100%", "-", "NEAR(a b)", "title:", "<b>", "\\", "^"]:
        window.search.fill(text)
        expect(window.page.locator("#connection")).to_be_hidden()
        window.search.fill("sure")
        window.expect_titles("Prices")


@pytest.mark.parametrize("text", ['"', "*", "-", "--", "( )", "?!"])
def test_a_search_without_words_finds_nothing(window, server, text):
    server.create("Prices", '"100%" * 2 - 1 (?!)')
    window.expect_titles("Prices")
    window.search.fill(text)
    expect(window.page.get_by_text("Nothing found")).to_be_visible()
    window.search.fill("")
    window.expect_titles("Prices")


def test_the_answers_follow_changes(window, server):
    window.search.fill("plum")
    expect(window.page.get_by_text("Nothing found")).to_be_visible()
    server.create("Plum jam")
    window.expect_titles("Plum jam")


def test_the_arrow_leads_from_the_search_into_the_list(window, server):
    server.create("Plum jam")
    window.press("/")
    expect(window.search).to_be_focused()
    window.page.keyboard.type("plum")
    window.expect_titles("Plum jam")
    window.press("ArrowDown")
    expect(window.row("Plum jam")).to_be_focused()


def test_the_list_shows_where_the_word_stands(window, server):
    server.create("Long", "filler " * 200 + "needle " + "filler " * 200)
    window.search.fill("need")
    expect(window.row("Long").locator("mark")).to_have_text("need")
