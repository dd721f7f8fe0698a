"""Two devices: written apart, brought together, and nothing that anyone wrote is lost."""

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from devices_page import DevicesPage


@pytest.fixture
def devices(open_page, server):
    return DevicesPage(open_page(), server.url + "/devices/")


@contextmanager
def locked(server, device):
    """While another program writes to the file of a device, nobody else can."""
    connection = sqlite3.connect(server.data / f"devices/{device}.larder", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    yield
    connection.execute("ROLLBACK")
    connection.close()


def state(server, device):
    """What a page that is opened now shows of a device."""
    with urlopen(f"{server.url}/devices/api/events") as events:
        content = next(line for line in events if line.startswith(b"data: "))
    return next(one for one in json.loads(content.removeprefix(b"data: ")) if one["id"] == device)


def test_what_is_written_on_one_device_is_on_the_other(devices):
    devices.laptop.add("New note in Kitchen", "Plum jam")
    expect(devices.phone.titles("Kitchen")).to_have_count(2)
    devices.phone.write("Plum jam", "Text", "Without stones.")
    expect(devices.laptop.note("Plum jam").get_by_label("Text")).to_have_value("Without stones.")
    devices.phone.delete("folder Travel")
    expect(devices.laptop.folder("Travel")).to_have_count(0)


def test_an_offline_device_says_how_much_waits(devices):
    devices.apart()
    expect(devices.phone.status).to_have_text("Offline")
    devices.phone.write("Apricot jam", "Text", "Three kilos.")
    expect(devices.phone.status).to_have_text("Offline · 1 change waits")
    expect(devices.laptop.note("Apricot jam").get_by_label("Text")).to_have_value("Two kilos of fruit, one of sugar.")
    devices.together()
    expect(devices.laptop.note("Apricot jam").get_by_label("Text")).to_have_value("Three kilos.")


def test_two_properties_of_one_note_merge(devices):
    """S1"""
    devices.apart()
    devices.laptop.write("Apricot jam", "Title", "Peach jam")
    devices.phone.write("Apricot jam", "Text", "Three kilos.")
    devices.together()
    for device in (devices.laptop, devices.phone):
        expect(device.note("Peach jam").get_by_label("Text")).to_have_value("Three kilos.")
        expect(device.conflicts).to_be_hidden()


def test_the_later_title_stands_and_the_other_can_be_brought_back(devices):
    """S2"""
    devices.apart()
    devices.laptop.write("Apricot jam", "Title", "Peach jam")
    expect(devices.laptop.note("Peach jam")).to_be_visible()
    devices.phone.write("Apricot jam", "Title", "Plum jam")
    devices.together()
    expect(devices.laptop.note("Plum jam")).to_be_visible()
    expect(devices.phone.conflicts).to_contain_text("Peach jam")
    expect(devices.laptop.conflicts).to_contain_text("Peach jam")
    devices.laptop.conflicts.get_by_role("button", name="Bring back").click()
    for device in (devices.laptop, devices.phone):
        expect(device.note("Peach jam")).to_be_visible()
        expect(device.conflicts).to_be_hidden()


def test_a_conflict_is_dismissed_on_both(devices):
    """S2"""
    devices.apart()
    devices.laptop.write("Apricot jam", "Title", "Peach jam")
    expect(devices.laptop.note("Peach jam")).to_be_visible()
    devices.phone.write("Apricot jam", "Title", "Plum jam")
    devices.together()
    devices.phone.conflicts.get_by_role("button", name="Dismiss").click()
    for device in (devices.laptop, devices.phone):
        expect(device.conflicts).to_be_hidden()
        expect(device.note("Plum jam")).to_be_visible()


def test_a_changed_note_that_was_deleted_elsewhere_can_be_brought_back(devices):
    """S3"""
    devices.apart()
    devices.laptop.delete("folder Travel")
    devices.laptop.press("Apricot jam", "Delete note")
    devices.phone.write("Apricot jam", "Text", "Three kilos.")
    devices.together()
    expect(devices.phone.note("Apricot jam")).to_have_count(0)
    devices.phone.conflicts.get_by_role("button", name="Bring back").first.click()
    for device in (devices.laptop, devices.phone):
        expect(device.note("Apricot jam").get_by_label("Text")).to_have_value("Three kilos.")


def test_nothing_of_a_deleted_note_shines_through_the_one_that_was_added_again(devices):
    """S4"""
    devices.apart()
    devices.phone.write("Apricot jam", "Text", "Three kilos.")
    devices.laptop.press("Apricot jam", "Delete note")
    devices.page.get_by_role("button", name="Undo").click()
    expect(devices.laptop.note("Apricot jam")).to_be_visible()
    devices.together()
    for device in (devices.laptop, devices.phone):
        expect(device.note("Apricot jam").get_by_label("Text")).to_have_value("Two kilos of fruit, one of sugar.")
        expect(device.note("Apricot jam").get_by_role("button", name="#sweet")).to_have_attribute("aria-pressed", "true")


def test_a_note_in_a_deleted_folder_waits_and_comes_back_with_it(devices):
    """S5"""
    devices.apart()
    devices.laptop.delete("folder Travel")
    devices.phone.add("New note in Travel", "Vienna")
    devices.together()
    for device in (devices.laptop, devices.phone):
        expect(device.folder("Travel")).to_have_count(0)
        expect(device.aside).to_contain_text("Vienna Its folder was deleted.")
    devices.laptop.aside.locator("li", has_text="Vienna").get_by_role("button", name="Bring back").click()
    for device in (devices.laptop, devices.phone):
        expect(device.titles("Travel")).to_have_count(2)
        expect(device.note("Vienna")).to_be_visible()
        expect(device.aside).to_be_hidden()


def test_a_note_that_is_set_aside_is_deleted_on_both(devices):
    """S5"""
    devices.apart()
    devices.laptop.delete("folder Travel")
    devices.phone.add("New note in Travel", "Vienna")
    devices.together()
    devices.phone.aside.locator("li", has_text="Vienna").get_by_role("button", name="Delete").click()
    for device in (devices.laptop, devices.phone):
        expect(device.aside.locator("li", has_text="Vienna")).to_have_count(0)
        expect(device.note("Vienna")).to_have_count(0)


def test_a_note_that_was_moved_out_of_a_deleted_folder_lives(devices):
    """S6"""
    devices.apart()
    devices.laptop.delete("folder Travel")
    devices.phone.choose("Graz", "Folder", "Kitchen")
    devices.together()
    for device in (devices.laptop, devices.phone):
        expect(device.titles("Kitchen")).to_have_count(2)
        expect(device.note("Graz").get_by_label("Text")).to_have_value("By train, early.")
        expect(device.aside).to_be_hidden()


def test_a_deleted_label_leaves_its_notes_without_one(devices):
    """S7"""
    devices.laptop.add("New label", "Soon")
    devices.apart()
    devices.laptop.delete("label Later")
    devices.phone.choose("Graz", "Label", "Soon")
    devices.phone.choose("Apricot jam", "Label", "Later")
    devices.together()
    for device in (devices.laptop, devices.phone):
        expect(device.note("Graz").get_by_label("Label").locator("option:checked")).to_have_text("Soon")
        expect(device.note("Apricot jam").get_by_label("Label").locator("option:checked")).to_have_text("none")


def test_a_deleted_author_returns_if_a_note_names_the_author(devices):
    """S8"""
    devices.laptop.delete("author Ada")
    expect(devices.page.get_by_text("Notes still name it.")).to_be_visible()
    devices.apart()
    devices.laptop.delete("author Bo")
    expect(devices.laptop.named("Authors").get_by_text("Bo")).to_have_count(0)
    devices.phone.choose("Graz", "Author", "Bo")
    devices.together()
    for device in (devices.laptop, devices.phone):
        expect(device.note("Graz").get_by_label("Author").locator("option:checked")).to_have_text("Bo")


def test_the_second_of_two_equal_tags_waits_and_is_merged(devices):
    """S9"""
    devices.apart()
    devices.laptop.add("New tag", "fruit")
    devices.laptop.press("Graz", "#fruit")
    devices.phone.add("New tag", "fruit")
    devices.phone.press("Apricot jam", "#fruit")
    expect(devices.phone.note("Apricot jam").get_by_role("button", name="#fruit")).to_have_attribute("aria-pressed", "true")
    devices.together()
    for device in (devices.laptop, devices.phone):
        expect(device.named("Tags").locator("li", has_text="fruit")).to_have_count(1)
        expect(device.aside).to_contain_text("fruit There is another tag with this name.")
    devices.laptop.aside.get_by_role("button", name="Merge").click()
    for device in (devices.laptop, devices.phone):
        expect(device.aside).to_be_hidden()
        for title in ("Graz", "Apricot jam"):
            expect(device.note(title).get_by_role("button", name="#fruit")).to_have_attribute("aria-pressed", "true")


def test_the_second_of_two_equal_tags_comes_in_when_the_first_goes(devices):
    """S9"""
    devices.apart()
    devices.laptop.add("New tag", "fruit")
    devices.phone.add("New tag", "fruit")
    devices.together()
    for device in (devices.laptop, devices.phone):
        expect(device.aside).to_contain_text("fruit There is another tag with this name.")
    devices.laptop.delete("tag fruit")
    for device in (devices.laptop, devices.phone):
        expect(device.aside).to_be_hidden()
        expect(device.named("Tags").locator("li", has_text="fruit")).to_have_count(1)


def test_files_come_in_any_order_and_twice(devices, tmp_path):
    """S10"""
    devices.apart()
    first = devices.laptop.save(tmp_path / "first")
    devices.laptop.add("New folder", "Garden")
    second = devices.laptop.save(tmp_path / "second")
    devices.laptop.add("New note in Garden", "Quinces")
    third = devices.laptop.save(tmp_path / "third")
    devices.phone.read(third, "1 row has changed. An earlier file is missing.")
    expect(devices.phone.aside).to_contain_text("Quinces Its folder has not arrived yet.")
    devices.phone.read(second, "1 row has changed.")
    expect(devices.phone.titles("Garden")).to_have_count(1)
    expect(devices.phone.aside).to_be_hidden()
    for again in (first, second, third):
        devices.phone.read(again, "Nothing in this file is new.")
        expect(devices.page.locator("#toast-text")).not_to_contain_text("missing")
    devices.together()


def test_the_next_file_begins_where_the_last_one_ends_that_was_saved(devices, server, tmp_path):
    """S10"""
    devices.apart()
    devices.laptop.save(tmp_path / "first")
    devices.laptop.add("New folder", "Garden")
    for method in ("HEAD", "GET"):
        assert server.ask(method, "/devices/api/laptop/file")[0] == 200
    devices.page.route("**/api/laptop/file", lambda route: route.abort())
    devices.laptop.root.get_by_role("button", name="Save changes to a file").click()
    expect(devices.page.locator("#toast")).to_contain_text("The server does not answer.")
    devices.page.unroute("**/api/laptop/file")
    devices.phone.read(devices.laptop.save(tmp_path / "second"), "1 row has changed.")
    expect(devices.phone.folder("Garden")).to_be_visible()
    devices.phone.read(devices.laptop.save(tmp_path / "third"), "Nothing in this file is new.")


def test_no_file_begins_after_the_end_of_all_files(devices, server, tmp_path):
    devices.apart()
    devices.laptop.save(tmp_path / "first")
    devices.laptop.add("New folder", "Garden")
    assert server.ask("PUT", "/devices/api/laptop/file/saved", {"tag": f'"{1 << 62}"'})[0] == 204
    devices.phone.read(devices.laptop.save(tmp_path / "second"), "1 row has changed.")


def test_a_damaged_file_changes_nothing(devices, tmp_path):
    devices.apart()
    devices.laptop.add("New folder", "Garden")
    file = devices.laptop.save(tmp_path / "file")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 1]) + whole[len(whole) // 2 + 1 :])
    devices.phone.read(file, "This is no whole sync file.")
    expect(devices.phone.folder("Garden")).to_have_count(0)


def test_both_windows_show_the_same(devices, open_page, server):
    other = DevicesPage(open_page(), server.url + "/devices/")
    other.laptop.add("New tag", "dear")
    expect(devices.phone.named("Tags").get_by_text("dear")).to_be_visible()


def test_everything_is_there_again_after_a_restart(devices, server):
    devices.apart()
    devices.phone.write("Apricot jam", "Title", "Plum jam")
    expect(devices.phone.status).to_have_text("Offline · 1 change waits")
    server.stop()
    server.start()
    # Both are online after a restart, and exchange.
    expect(devices.laptop.note("Plum jam")).to_be_visible()


def test_the_page_fits_a_phone(open_page, server):
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    devices = DevicesPage(page, server.url + "/devices/")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    devices.phone.add("New note in Kitchen", "Plum jam")
    expect(devices.laptop.note("Plum jam")).to_be_visible()


def test_a_text_with_nul_is_refused(server):
    folder = "01890000-0000-7000-8000-000000000000"
    for path, body in [("notes", {"title": "a\0b", "folder": folder}), ("notes", {"title": "a", "folder": folder, "text": "\0"}), ("tags", {"name": "a\0"})]:
        status, _, answer = server.ask("POST", f"/devices/api/laptop/{path}", body)
        assert (status, "NUL" in str(answer)) == (422, True), answer


def test_a_note_that_could_not_be_brought_back_can_be_brought_back_later(devices):
    undo = devices.page.get_by_role("button", name="Undo")
    devices.laptop.press("Graz", "Delete note")
    devices.page.route("**/api/laptop/notes", lambda route: route.abort())
    undo.click()
    expect(devices.page.locator("#toast")).to_contain_text("Not undone: The server does not answer.")
    devices.page.unroute("**/api/laptop/notes")
    undo.click()
    for device in (devices.laptop, devices.phone):
        expect(device.note("Graz")).to_be_visible()


def test_a_note_without_its_folder_says_why_it_cannot_be_brought_back(devices):
    undo = devices.page.get_by_role("button", name="Undo")
    devices.laptop.press("Graz", "Delete note")
    devices.laptop.delete("folder Travel")
    expect(devices.laptop.folder("Travel")).to_have_count(0)
    undo.click()
    expect(devices.page.locator("#toast")).to_contain_text("Not undone: Its folder, label or author is not there any more.")
    expect(undo).to_be_visible()


def test_an_exchange_that_fails_is_shown_and_what_was_written_stays(devices, open_page, server):
    with locked(server, "phone"):
        devices.laptop.add("New note in Kitchen", "Plum jam")
        other = DevicesPage(open_page(), server.url + "/devices/")
        for device in (devices.laptop, devices.phone, other.laptop):
            expect(device.root).to_contain_text("The last exchange has failed. Another program writes to one of the files.")
        expect(other.laptop.note("Plum jam")).to_be_visible()
        expect(other.laptop.status).to_have_text("Online · 1 change waits")
        expect(devices.page.locator("#toast")).to_be_hidden()
    devices.laptop.add("New tag", "dear")
    expect(devices.phone.note("Plum jam")).to_be_visible()
    for device in (devices.laptop, devices.phone, other.laptop):
        expect(device.root).not_to_contain_text("The last exchange has failed.")


def test_what_was_renamed_elsewhere_has_its_new_name_wherever_it_is_shown(devices, server):
    expect(devices.phone.folder("Kitchen")).to_be_visible()
    rename = {"sql": "UPDATE Folder SET name = 'Cellar' WHERE name = 'Kitchen'", "writes": True}
    assert server.ask("POST", "/studio/laptop/api/sql?session=test", rename)[0] == 200
    [sweet] = state(server, "laptop")["contents"]["tags"]
    assert server.ask("PUT", f"/devices/api/laptop/tags/{sweet['id']}", {"name": "sour"})[0] == 204
    for device in (devices.laptop, devices.phone):
        expect(device.folder("Cellar").get_by_role("heading")).to_contain_text("Cellar")
        expect(device.folder("Cellar").get_by_role("button", name="Delete folder Cellar", exact=True)).to_be_visible()
        expect(device.folder("Cellar").get_by_role("button", name="Add: New note in Cellar", exact=True)).to_be_visible()
        expect(device.named("Tags").get_by_role("button", name="Delete tag sour", exact=True)).to_have_attribute("title", "Delete tag sour")
    devices.phone.add("New note in Cellar", "Plum jam")
    expect(devices.laptop.titles("Cellar")).to_have_count(2)


@pytest.mark.parametrize(("path", "listed", "choice"), [("aside", "setAside", "merge"), ("conflicts", "conflicts", "restore")])
def test_what_several_windows_decide_at_once_is_decided_by_one(devices, server, path, listed, choice):
    devices.apart()
    for device, title in ((devices.laptop, "Peach jam"), (devices.phone, "Plum jam")):
        device.write("Apricot jam", "Title", title)
        expect(device.note(title)).to_be_visible()
        device.add("New tag", "fruit")
    devices.together()
    [entry] = state(server, "laptop")[listed]
    form = {"token": entry["token"], "choice": choice}
    with ThreadPoolExecutor(12) as windows:
        answers = list(windows.map(lambda _: server.ask("POST", f"/devices/api/laptop/{path}", form), range(12)))
    for status, _, answer in answers:
        assert status in (204, 404, 409), answer
    assert [status for status, _, _ in answers].count(204) == 1
