"""What somebody does with the page of the two devices."""

from playwright.sync_api import expect


class Device:
    def __init__(self, page, name):
        self.page = page
        self.root = page.get_by_role("region", name=name, exact=True)
        self.connection = self.root.get_by_role("switch")
        self.status = self.root.locator("header .status")
        self.conflicts = self.root.get_by_role("group", name="Conflicts")
        self.aside = self.root.get_by_role("group", name="Set aside")

    def folder(self, name):
        return self.root.get_by_role("group", name=f"Folder {name}", exact=True)

    def note(self, title):
        return self.root.get_by_role("article", name=title, exact=True)

    def named(self, kind):
        return self.root.locator(f'.named[aria-label="{kind}"]')

    def titles(self, folder):
        return self.folder(folder).get_by_label("Title", exact=True)

    def answered(self):
        """Waits until the server has answered what is sent in the block: until then, it has not happened on this device."""
        path = self.root.get_attribute("aria-label").lower()
        is_change = lambda response: f"/devices/api/{path}/" in response.url and response.request.method != "GET"
        return self.page.expect_response(is_change)

    def switch(self):
        before = self.connection.get_attribute("aria-checked")
        self.connection.click()
        expect(self.connection).to_have_attribute("aria-checked", "false" if before == "true" else "true")

    def write(self, title, field, text):
        field = self.note(title).get_by_label(field, exact=True)
        with self.answered():
            field.fill(text)
            field.blur()

    def choose(self, title, field, name):
        with self.answered():
            self.note(title).get_by_label(field, exact=True).select_option(label=name)

    def press(self, title, button):
        """Presses a button of a note: one of its tags, or the one that deletes it."""
        with self.answered():
            self.note(title).get_by_role("button", name=button, exact=True).click()

    def add(self, label, text):
        field = self.root.get_by_label(label, exact=True)
        field.fill(text)
        field.press("Enter")
        expect(field).to_have_value("")

    def save(self, path):
        is_noted = lambda response: response.url.endswith("/file/saved")
        with self.page.expect_response(is_noted), self.page.expect_download() as download:
            self.root.get_by_role("button", name="Save changes to a file").click()
        download.value.save_as(path)
        return path

    def read(self, path, answer):
        self.root.get_by_label("Sync file").set_input_files(path)
        expect(self.page.locator("#toast")).to_contain_text(answer)
        self.page.locator("#toast").evaluate("toast => { toast.hidden = true; }")

    def delete(self, what):
        with self.answered():
            self.root.get_by_role("button", name=f"Delete {what}", exact=True).click()


class DevicesPage:
    def __init__(self, page, url):
        self.page = page
        page.goto(url)
        self.laptop = Device(page, "Laptop")
        self.phone = Device(page, "Phone")
        expect(self.phone.note("Apricot jam")).to_be_visible()

    def apart(self):
        """Takes the phone offline; the laptop then waits as well."""
        self.phone.switch()

    def together(self):
        self.phone.switch()
        for device in (self.laptop, self.phone):
            expect(device.status).to_have_text("In step")
