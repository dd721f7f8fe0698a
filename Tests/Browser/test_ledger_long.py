"""A ledger with 20,024 costs: the page holds the rows in sight, asks for pages, and a change touches what changed."""

import shutil
import uuid

import pytest
from playwright.sync_api import expect

from showcase import Showcase

COUNT = 20_024
PATIENCE = 30_000


@pytest.fixture(scope="module")
def long_data(tmp_path_factory):
    """The folder of a long ledger, which tests copy: to fill it takes a while."""
    server = Showcase(tmp_path_factory.mktemp("long"))
    server.start()
    for name in ["Cash", "Bank"]:
        server.account(name)
    lines = "".join(f"{2000 + index // 1000}-01-{index % 28 + 1:02},{'Bank' if index % 2 else 'Cash'},Food,-1,Cost {index}\n" for index in range(COUNT))
    assert server.ask("POST", "/ledger/api/import", f"date,account,category,amount,note\n{lines}".encode())[0] == 200
    server.stop()
    return server.data


@pytest.fixture
def server(long_data, tmp_path):
    server = Showcase(shutil.copytree(long_data, tmp_path / "data"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def long(open_ledger):
    window = open_ledger()
    expect(window.rows.first).to_be_visible(timeout=PATIENCE)
    window.expect_loaded()
    return window


def cash(server) -> str:
    """The key of an account."""
    [(key,)] = server.ledger_rows("SELECT id FROM Account WHERE name = 'Cash'")
    return str(uuid.UUID(bytes=key) if isinstance(key, bytes) else key)


def newest(server) -> list[str]:
    """The notes in the order of the page."""
    return [note for (note,) in server.ledger_rows("SELECT note FROM Cost WHERE note <> '' ORDER BY date DESC, id DESC")]


def watch_rows(window):
    """Counts the rows that are made from now on."""
    window.page.evaluate(
        """() => {
            window.made = 0;
            const count = (changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach((node) => { if (node.dataset?.id) window.made += 1; }));
            new MutationObserver(count).observe(document.getElementById('cost-rows'), { childList: true });
        }"""
    )


def in_sight(window) -> list[str]:
    """The notes of the rows between the upper and the lower edge."""
    return window.page.evaluate(
        """() => {
            const { top, bottom } = document.querySelector('.main').getBoundingClientRect();
            const rows = [...document.querySelectorAll('#cost-rows tr[data-id]')];
            return rows.filter((row) => { const box = row.getBoundingClientRect(); return box.top > top - 1 && box.bottom < bottom + 1; })
                .map((row) => row.querySelector('.edit').textContent);
        }"""
    )


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}], ids=["wide", "narrow"])
def test_only_the_rows_in_sight_are_in_the_page(open_ledger, server, size):
    window = open_ledger(viewport=size)
    expect(window.count).to_have_text("20,024 costs", timeout=PATIENCE)
    expected = newest(server)
    expect(window.notes.first).to_have_text(expected[0])
    for place in ["height / 2", "height / 4", "height", "0"]:
        window.scroll(place)
        assert 10 < window.rows.count() < 60
        shown = in_sight(window)
        start = expected.index(shown[0]) if shown else 0
        assert shown == expected[start : start + len(shown)]
        if place == "height":
            assert shown[-1] == expected[-1]
    expect(window.page.locator("#costs")).to_have_attribute("aria-rowcount", str(COUNT + 1))


def test_pages_are_asked_for_and_never_everything(long, server):
    answers = []
    long.page.on("response", lambda response: answers.append(response) if "/api/costs" in response.url else None)
    long.scroll("height / 2")
    long.scroll("document.querySelector('.main').scrollTop + 1000")
    long.scroll("height")
    assert 2 <= len(answers) <= 6
    for answer in answers:
        assert len(answer.json()["costs"]) <= 100
    first = server.ask("GET", "/ledger/api/costs")[2]
    last = first["costs"][-1]
    then = server.ask("GET", f"/ledger/api/costs?after={last['date']}~{last['id']}")[2]
    assert (first["start"], then["start"], then["total"]) == (0, 100, COUNT)
    assert [cost["note"] for cost in first["costs"] + then["costs"]] == newest(server)[:200]


def test_a_new_cost_touches_no_other_row(long, server):
    watch_rows(long)
    server.cost(cash(server), "-5", "The newest")
    expect(long.notes.first).to_have_text("The newest", timeout=PATIENCE)
    assert long.page.evaluate("window.made") == 1


def test_what_is_in_sight_stays_in_its_place_when_something_comes_before_it(long, server):
    long.scroll("height / 2")
    before = in_sight(long)
    watch_rows(long)
    server.cost(cash(server), "-5", "Far above")
    expect(long.count).to_have_text("20,025 costs", timeout=PATIENCE)
    long.expect_loaded()
    assert in_sight(long) == before
    assert long.page.evaluate("window.made") == 0
    long.scroll("0")
    expect(long.notes.first).to_have_text("Far above")


def test_a_row_far_below_is_changed_and_deleted(long, server):
    long.scroll("height / 2")
    first, second = in_sight(long)[4:6]
    long.open_cost(first)
    long.field("Note").fill("Changed below")
    watch_rows(long)
    long.save()
    expect(long.cost("Changed below")).to_be_visible(timeout=PATIENCE)
    assert long.page.evaluate("window.made") == 1
    long.cost("Changed below").get_by_role("button", name="Changed below", exact=True).focus()
    long.press("Delete")
    expect(long.count).to_have_text("20,023 costs", timeout=PATIENCE)
    expect(long.cost(second).locator(".edit")).to_be_focused()


def test_the_keyboard_walks_through_all_of_it(long, server):
    expected = newest(server)
    long.press("ArrowDown")
    expect(long.notes.first).to_be_focused()
    long.press("End")
    expect(long.page.locator(".edit:focus")).to_have_text(expected[-1])
    long.press("PageUp")
    expect(long.page.locator(".edit:focus")).to_have_text(expected[-11])
    long.press("Home")
    expect(long.page.locator(".edit:focus")).to_have_text(expected[0])
    for _ in range(45):
        long.press("ArrowDown")
    expect(long.page.locator(".edit:focus")).to_have_text(expected[45])
    # A wheel takes the row with the focus out of sight; the next key goes on from it.
    long.scroll("height / 2")
    expect(long.page.locator(".edit:focus")).to_have_text(expected[45])
    long.press("ArrowDown")
    expect(long.page.locator(".edit:focus")).to_have_text(expected[46])
    assert expected[46] in in_sight(long)


def test_a_cost_that_another_window_has_changed_can_still_be_saved_far_below(long, server):
    long.scroll("height / 2")
    note = in_sight(long)[3]
    long.open_cost(note)
    cost = next(line for line in server.ask("GET", f"/ledger/api/costs?text={note.replace(' ', '%20')}")[2]["costs"] if line["note"] == note)
    old = {name: cost[name] for name in ["amount", "date", "note", "account", "category"]}
    assert server.ask("PUT", f"/ledger/api/costs/{cost['id']}", {"content": old | {"note": "Theirs", "date": "1999-01-01"}, "basedOn": old})[0] == 204
    long.field("Note").fill("Mine")
    long.in_dialog("Save").click()
    expect(long.dialog.get_by_role("alert").first).to_contain_text("Another window has changed this cost.")
    long.save()
    assert server.ledger_rows("SELECT count(*) FROM Cost WHERE note = 'Mine'") == [(1,)]
