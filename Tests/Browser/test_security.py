"""What comes from outside stays text, names never become paths, and other sites are shut out."""

import json

import pytest
from playwright.sync_api import expect

from samples import chosen, png
from showcase import content, version

SCRIPT = "<script>alert('from a field')</script><img src=x onerror=alert(1)>"


def test_a_script_tag_in_every_text_field_is_shown_as_text(window):
    """The window's fixture fails on any dialog that a script would open, and on any script that the browser had to stop."""
    window.write(SCRIPT, SCRIPT)
    window.expect_titles(SCRIPT)
    expect(window.list.locator(".note-excerpt")).to_have_text(SCRIPT)
    window.page.get_by_label("Font", exact=True).select_option("Other font…")
    window.page.get_by_label("Name of the other font").fill(f"x\"; }}</style>{SCRIPT}")
    window.press("Enter")
    window.add_picture(chosen(f"{SCRIPT.replace('/', ':')}.png", png()))
    expect(window.pictures).to_have_count(1)
    expect(window.pictures.get_by_role("img")).to_have_attribute("alt", f"{SCRIPT.replace('/', ':')}.png")
    window.page.get_by_role("button", name="What is stored").click()
    expect(window.page.locator("#stored-content")).to_contain_text(SCRIPT)
    window.page.reload()
    expect(window.title).to_have_value(SCRIPT)
    expect(window.body).to_have_text(SCRIPT)
    window.search.fill(SCRIPT)
    expect(window.list.locator("mark")).not_to_have_count(0)
    window.expect_titles(SCRIPT)
    expect(window.page.locator("img[src=x]")).to_have_count(0)
    window.search.fill("")
    window.delete_open_note()
    expect(window.toast).to_contain_text(SCRIPT)
    expect(window.page.locator("script")).to_have_count(1)
    expect(window.page.locator("img[src=x]")).to_have_count(0)


def test_the_pages_allow_no_foreign_script_and_no_frame(server):
    for path in ["/", "/notes/", "/notes/notes.js", "/ledger/", "/ledger/ledger.js"]:
        status, headers, _ = server.ask("GET", path)
        assert status == 200
        assert "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "[evil]"])
def test_a_foreign_name_that_points_here_is_refused(server, host):
    assert server.ask("GET", "/notes/", headers={"Host": host})[0] == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_the_machines_own_names_are_answered(server, host):
    assert server.ask("GET", "/notes/", headers={"Host": f"{host}:{server.port}"})[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_another_sites_requests_are_refused(server, origin):
    note = server.create("Mine")
    for method, path in [("POST", "/notes/api/notes"), ("PUT", f"/notes/api/notes/{note['id']}"), ("DELETE", f"/notes/api/notes/{note['id']}")]:
        assert server.ask(method, path, content("Theirs"), version(note) | {"Origin": origin})[0] == 403
    assert server.rows("SELECT title FROM Note") == [("Mine",)]


def picture(digest: str, kind: str = "image/png", size: int = len(png())) -> dict:
    """A picture as a page names it."""
    attachment = {"larder.attachment": digest, "size": size, "type": kind}
    return {"name": "a", "picture": attachment, "frame": {"x": 0, "y": 0, "width": 10, "height": 10}}


@pytest.fixture
def pictured(server) -> dict:
    """A note with a picture."""
    note = server.create("Pictured")
    path = f"/notes/api/notes/{note['id']}/pictures?name=a.png&x=0&y=0&width=10&height=10"
    status, _, note = server.ask("POST", path, png(), version(note))
    assert status == 201, note
    return note


@pytest.mark.parametrize("name", ["../notes.larder", "..%2Fnotes.larder", "%2e%2e%2fnotes.larder", "notes.larder", "x.png", "%00.png", "/etc/passwd"])
def test_only_pictures_are_served(server, pictured, name):
    assert server.ask("GET", f"/notes/pictures/{name}")[0] in (400, 404)
    assert server.ask("GET", f"/notes/pictures/{pictured['id']}/{name}")[0] in (400, 404)


def test_a_picture_is_served_by_its_note_alone(server, pictured):
    [digest] = server.picture_files
    assert server.ask("GET", f"/notes/pictures/{pictured['id']}/{digest}")[0] == 200
    assert server.ask("GET", f"/notes/pictures/{pictured['id']}/{digest[:2]}/{digest[2:]}")[0] == 404
    assert server.ask("GET", f"/notes/pictures/{server.create('Other')['id']}/{digest}")[0] == 404


@pytest.mark.parametrize("digest", ["../notes.larder", "a.png", "0" * 63, "0" * 62 + "/0", "A" * 64, ""])
def test_a_note_cannot_name_a_file_of_its_own_choice(server, digest):
    assert server.ask("POST", "/notes/api/notes", content("Title", images=[picture(digest)]))[0] == 400


def test_a_note_cannot_name_a_picture_that_is_not_its_own(server, pictured):
    [digest] = server.picture_files
    other = server.create("Other")
    for image in [picture("0" * 64), picture(digest), picture(digest, "text/html"), picture(digest, size=1)]:
        for method, path, note in [("POST", "/notes/api/notes", other), ("PUT", f"/notes/api/notes/{other['id']}", other)]:
            status, _, answer = server.ask(method, path, content("Title", images=[image]), version(note))
            assert (status, answer["error"]["field"]) == (422, "picture")
    for image in [picture(digest, "text/html"), picture(digest, size=1)]:
        path = f"/notes/api/notes/{pictured['id']}"
        assert server.ask("PUT", path, content("Title", images=[image]), version(pictured))[0] == 422
    assert server.ask("PUT", f"/notes/api/notes/{pictured['id']}", content("Title", images=[picture(digest)]), version(pictured))[0] == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"title": 1}', b"\xff\xfe", json.dumps({"title": "only"}).encode()])
def test_a_request_that_makes_no_sense_is_refused(server, body):
    assert server.ask("POST", "/notes/api/notes", body)[0] == 400
    assert server.rows("SELECT count(*) FROM Note") == [(0,)]


def test_a_request_that_is_too_long_is_refused(server):
    for length in [1_000_001, 9_000_000, 30_000_000]:
        status, _, answer = server.ask("POST", "/notes/api/notes", content("Title", "x" * length))
        assert (status, answer["error"]["field"]) == (422, "body")
    assert server.ask("POST", "/notes/api/notes", content("Title", "x" * 1_000_000))[0] == 201


@pytest.mark.parametrize("identifier", ["1", "x", "6f9619ff-8b86-4011-b42d-00cf4fc964ff", "%27%20OR%201=1"])
def test_a_note_that_is_not_there_is_not_there(server, identifier):
    assert server.ask("GET", f"/notes/api/notes/{identifier}")[0] == 404


@pytest.mark.parametrize("path, host, status", [
    ("/nothing", None, 404), ("/notes/nothing", None, 404), ("/notes/api/notes/x", None, 404), ("/studio/notes/nothing", None, 404),
    ("/", "evil.example", 421), ("/notes/api/events", "evil.example", 421),
])
def test_errors_have_the_headers_of_the_pages(server, path, host, status):
    answered, headers, _ = server.ask("GET", path, headers={"Host": host} if host else {})
    assert answered == status
    assert headers.get_all("Content-Security-Policy") and len(headers.get_all("Content-Security-Policy")) == 1
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_nul_is_refused_with_the_reason(server):
    for field, fields in [("title", {"title": "a\0b"}), ("body", {"title": "Title", "body": "a\0b"})]:
        status, _, answer = server.ask("POST", "/notes/api/notes", content(**fields))
        assert (status, answer["error"]["field"]) == (422, field)
        assert "NUL" in answer["error"]["message"]
    status, _, answer = server.ask("POST", "/ledger/api/accounts", {"name": "a\0b", "currency": "EUR", "initialValue": "0"})
    assert status == 422 and "NUL" in answer["fields"]["name"], answer
    status, _, answer = server.ask("POST", "/ledger/api/categories", {"name": "a\0b"})
    assert status == 422 and "NUL" in answer["fields"]["name"], answer
    cost = {"amount": "-1", "date": "2026-11-21", "note": "a\0b", "account": server.account("Wallet"), "category": None}
    status, _, answer = server.ask("POST", "/ledger/api/costs", cost)
    assert status == 422 and "NUL" in answer["fields"]["note"], answer
