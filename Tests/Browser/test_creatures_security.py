"""What is sent to Creatures without the page is looked at as if it were hostile."""

import pytest

from creatures_page import noise
from samples import png

SMALL = png(40, 30)
API = "/creatures/api/creatures"


def add(server, title="Moth", rating="3", body=b"", thumbnail=None, method="POST", path=API, headers=None):
    query = f"?title={title}&rating={rating}" + ("" if thumbnail is None else f"&thumbnail={thumbnail}")
    return server.ask(method, path + query, body, headers)


@pytest.fixture
def creature(server):
    status, _, card = add(server, body=SMALL + noise(), thumbnail=len(SMALL))
    assert status == 201, card
    return card


@pytest.mark.parametrize(
    "picture",
    [b"", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", b"<!doctype html><script>alert(1)</script>", b"GIF8", b"\x89PNG\r\n\x1a\n",
     png(1, 1)[:16] + b"\xff\xff\xff\xff\xff\xff\xff\xff", png(1, 1)[:16] + b"\x00\x00\x40\x00\x00\x00\x40\x00" + b"x" * 100],
)
def test_what_is_no_picture_is_refused(server, picture):
    status, _, answer = add(server, body=SMALL + picture, thumbnail=len(SMALL))
    assert (status, list(answer["fields"])) == (422, ["picture"])
    assert not list((server.data / "creatures").glob("*.creature"))


@pytest.mark.parametrize("thumbnail", [b"", b"<script>", noise(), png(40, 30)[:20]])
def test_what_is_no_thumbnail_is_refused(server, thumbnail):
    status, _, answer = add(server, body=thumbnail + noise(), thumbnail=len(thumbnail))
    assert (status, list(answer["fields"])) == (422, ["picture"])


@pytest.mark.parametrize("thumbnail", ["-1", "0", "1000000", "9223372036854775807"])
def test_a_length_that_does_not_fit_is_refused(server, thumbnail):
    assert add(server, body=SMALL + noise(), thumbnail=thumbnail)[0] == 422


def test_a_picture_that_is_too_large_is_refused_whether_it_says_so_or_not(server):
    body = SMALL + noise() + bytes(23 * 1024 * 1024)
    path = f"{API}?title=Moth&rating=3&thumbnail={len(SMALL)}"
    for status, _, answer in [server.ask("POST", path, body), server.ask_chunked(path, body, {})]:
        assert (status, "at most 20 MB" in answer["fields"]["picture"]) == (413, True)
    assert add(server, title="Still%20there")[0] == 201


@pytest.mark.parametrize("title, rating, field", [("", "3", "title"), ("%20%0A", "3", "title"), ("a%0Ab", "3", "title"), ("a%00b", "3", "title"), ("x" * 101, "3", "title"), ("x", "6", "rating"), ("x", "-1", "rating")])
def test_each_field_is_checked(server, title, rating, field):
    status, _, answer = add(server, title, rating)
    assert (status, list(answer["fields"])) == (422, [field])


@pytest.mark.parametrize("query", ["", "?title=x", "?rating=3", "?title=x&rating=many", "?title=x&rating=3&thumbnail=y"])
def test_a_request_that_makes_no_sense_is_refused(server, query):
    status, _, _ = server.ask("POST", API + query)
    assert status in (400, 422)
    assert not list((server.data / "creatures").glob("*.creature"))


@pytest.mark.parametrize("name", ["..", "%2e%2e", "..%2Fcreatures", "%2e%2e%2f1", "..%5c1", ".larder-trash", "%00", "1%00", "9", "1.creature", "%2Fetc%2Fpasswd"])
def test_no_name_is_a_path(server, creature, name):
    for method, rest in [("GET", "/picture"), ("GET", "/thumbnail"), ("GET", "/remnant"), ("DELETE", ""), ("POST", "/restore"), ("POST", "/undelete"), ("PUT", "/rating/3")]:
        assert server.ask(method, f"{API}/{name}{rest}")[0] in (400, 404)
    assert (server.data / "creatures/1.creature/picture.png").read_bytes() == noise()


def test_a_change_says_what_it_is_based_on(server, creature):
    path = f"{API}/{creature['name']}"
    assert add(server, "Owl", method="PUT", path=path)[0] == 428
    assert add(server, "Owl", method="PUT", path=path, headers={"If-Match": '"1"'})[0] == 412
    assert add(server, "Owl", method="PUT", path=path, headers={"If-Match": f'"{creature["modified"]!r}"'})[0] == 200


def test_another_sites_requests_are_refused(server, creature):
    for method, path in [("POST", f"{API}?title=x&rating=1"), ("DELETE", f"{API}/1"), ("PUT", f"{API}/1/rating/5"), ("POST", "/creatures/api/check")]:
        assert server.ask(method, path, headers={"Origin": "http://evil.example"})[0] == 403
    assert (server.data / "creatures/1.creature").exists()


def test_the_page_allows_no_foreign_script(server):
    for path in ["/creatures/", "/creatures/creatures.js", "/showcase.css"]:
        status, headers, _ = server.ask("GET", path)
        assert status == 200
        assert "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"]


def test_a_thumbnail_for_a_restored_creature_is_checked_too(server, creature):
    assert server.ask("POST", f"{API}/1/restore", b"<script>")[0] == 422
    assert server.ask("POST", f"{API}/1/restore", bytes(2 << 20))[0] == 413
