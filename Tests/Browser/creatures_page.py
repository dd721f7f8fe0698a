"""The Creatures page as a person uses it."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from samples import chosen, png


class CreaturesPage:
    def __init__(self, page: Page, url: str):
        self.page = page
        self.requests: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url.partition("/creatures/")[2]))
        self.list = page.get_by_role("list", name="Creatures")
        self.cards = self.list.get_by_role("listitem")
        self.titles = self.list.get_by_role("heading")
        self.form = page.locator("#creature")
        self.trash = page.locator("#trash")
        self.deleted = self.trash.get_by_role("listitem")
        self.title = self.form.get_by_label("Name", exact=True)
        self.toast = page.locator("#toast")
        self.said = self.toast.locator("span")
        self.count = page.locator("#count")
        page.goto(url)

    def card(self, title: str) -> Locator:
        return self.cards.filter(has=self.page.get_by_role("heading", name=title, exact=True))

    def stars(self, title: str, rating: int) -> Locator:
        return self.card(title).get_by_role("radio", name="No stars" if rating == 0 else "1 star" if rating == 1 else f"{rating} stars", exact=True)

    def new(self):
        self.page.get_by_role("button", name="New creature").click()
        expect(self.title).to_be_focused()

    def choose(self, *files):
        self.form.locator("input[type=file]").set_input_files(list(files))

    def save(self):
        self.form.get_by_role("button", name="Save").click()

    def add(self, title: str, picture: bytes | None = None, stars: int = 0):
        """A new creature, written and saved."""
        self.new()
        self.title.fill(title)
        if picture:
            self.choose(chosen("picture.png", picture))
            expect(self.form.get_by_role("img", name="Preview")).to_be_visible()
        if stars:
            self.form.locator(".star").nth(stars - 1).click()
        self.save()
        expect(self.form).to_be_hidden()
        expect(self.card(title)).to_be_visible()

    def open(self, title: str):
        self.card(title).get_by_role("button", name=f"Open {title}").click()
        expect(self.title).to_have_value(title)

    def open_trash(self):
        self.page.get_by_role("button", name="Trash", exact=True).click()
        expect(self.trash).to_be_visible()

    def in_trash(self, name: str) -> Locator:
        return self.trash.get_by_role("button", name=name, exact=True)

    def remove(self, title: str):
        self.card(title).hover()
        self.card(title).get_by_role("button", name=f"Delete {title}", exact=True).click()

    def expect_titles(self, *titles: str):
        expect(self.titles).to_have_text(list(titles))

    def drop(self, target: Locator, name: str, content: bytes, kind: str = "image/png"):
        """Drops a file, as a file manager does."""
        transfer = self.page.evaluate_handle(
            """([name, kind, bytes]) => {
                const transfer = new DataTransfer();
                transfer.items.add(new File([new Uint8Array(bytes)], name, { type: kind }));
                return transfer;
            }""",
            [name, kind, list(content)],
        )
        for event in ["dragenter", "dragover", "drop"]:
            target.dispatch_event(event, {"dataTransfer": transfer})

    def thumbnail(self, title: str) -> Locator:
        return self.card(title).locator("img")


def flip(file: Path):
    """Changes one byte in the middle."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


def truncate(file: Path):
    file.write_bytes(file.read_bytes()[:-3])


def noise(width: int = 900, height: int = 600) -> bytes:
    """A picture that is larger than its thumbnail."""
    return png(width, height, (120, 40, 90))
