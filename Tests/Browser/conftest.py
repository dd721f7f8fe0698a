import subprocess

import pytest
from playwright.sync_api import expect, sync_playwright

from creatures_page import CreaturesPage
from ledger_page import LedgerPage
from notes_page import NotesPage
from showcase import REPOSITORY, Showcase

# Several windows, their servers and what they do share a few processors: a page that is right after a while is right.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser():
    found = subprocess.run([REPOSITORY / "Scripts/find-chromium"], capture_output=True, text=True)
    assert found.returncode == 0, "There is no Chromium: run Scripts/bootstrap browser"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found.stdout.strip())
        yield browser
        browser.close()


@pytest.fixture
def server(tmp_path):
    server = Showcase(tmp_path / "data")
    server.start()
    yield server
    if server.process:
        server.stop()


@pytest.fixture
def open_page(browser):
    """Opens pages, each with a profile of its own. A script error, a dialog, or a script that the policy stopped fails the test."""
    contexts, alarms = [], []

    def open_page(**options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "locale": "en-GB"} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: alarms.append(str(error)))
        page.on("dialog", lambda dialog: (alarms.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("console", lambda message: alarms.append(message.text) if "Content Security Policy" in message.text else None)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not alarms, alarms


@pytest.fixture
def open_window(open_page, server):
    """Opens windows of Notes."""
    return lambda path="", **options: NotesPage(open_page(**options), server.notes_url + path)


@pytest.fixture
def open_ledger(open_page, server):
    """Opens windows of Ledger."""
    return lambda path="", **options: LedgerPage(open_page(**options), server.ledger_url + path)


@pytest.fixture
def open_creatures(open_page, server):
    """Opens windows of Creatures."""
    return lambda path="", **options: CreaturesPage(open_page(**options), f"{server.url}/creatures/{path}")


@pytest.fixture
def window(open_window):
    return open_window()


@pytest.fixture
def phone(open_window):
    return open_window(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)


@pytest.fixture
def ledger(open_ledger):
    return open_ledger()


@pytest.fixture
def ledger_phone(open_ledger):
    return open_ledger(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)


@pytest.fixture
def creatures(open_creatures):
    return open_creatures()
