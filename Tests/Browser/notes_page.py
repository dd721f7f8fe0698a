"""The Notes page as a person uses it."""

from playwright.sync_api import Locator, Page, expect


class NotesPage:
    def __init__(self, page: Page, url: str):
        self.page = page
        self.title = page.get_by_label("Title", exact=True)
        self.body = page.get_by_label("Text", exact=True)
        self.list = page.get_by_role("listbox")
        self.rows = self.list.get_by_role("option")
        self.titles = self.list.locator(".note-title")
        self.search = page.get_by_role("searchbox")
        self.state = page.locator("#state")
        self.toast = page.locator("#toast")
        self.pictures = page.locator(".picture")
        self.conflict = page.get_by_role("alertdialog")
        page.goto(url)

    def press(self, *keys: str):
        for key in keys:
            self.page.keyboard.press(key)

    def row(self, title: str) -> Locator:
        return self.rows.filter(has=self.page.get_by_text(title, exact=True))

    def open(self, title: str):
        self.row(title).click()
        expect(self.title).to_have_value(title)

    def write(self, title: str, body: str = "Text"):
        """A new note, typed and saved."""
        self.page.get_by_role("button", name="New", exact=True).click()
        expect(self.title).to_be_focused()
        self.title.fill(title)
        self.body.fill(body)
        self.expect_saved()
        expect(self.row(title)).to_be_visible()

    def expect_saved(self):
        expect(self.state).to_have_text("Saved")

    def expect_titles(self, *titles: str):
        expect(self.titles).to_have_text(list(titles))

    def delete_open_note(self):
        self.page.locator("#delete-note").click()

    def undo_in_toast(self):
        self.toast.get_by_role("button", name="Undo").click()

    def add_picture(self, *files):
        """Chooses files in the dialog behind the button."""
        with self.page.expect_file_chooser() as chooser:
            self.page.locator("#add-picture").click()
        chooser.value.set_files(list(files))

    def drag(self, target: Locator, x: float, y: float):
        box = target.bounding_box()
        start = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(start[0] + x / 2, start[1] + y / 2)
        self.page.mouse.move(start[0] + x, start[1] + y)
        self.page.mouse.up()
