"""The Ledger page as a person uses it."""

from playwright.sync_api import Locator, Page, expect


class LedgerPage:
    def __init__(self, page: Page, url: str):
        self.page = page
        self.accounts = page.locator("#accounts .row")
        self.categories = page.locator("#categories .row")
        self.rows = page.locator("#cost-rows tr[data-id]")
        self.notes = page.locator("#cost-rows .edit")
        self.count = page.locator("#cost-count")
        self.toast = page.locator("#toast")
        self.dialog = page.locator("dialog[open]")
        page.goto(url)
        expect(page.locator("#empty, #book").locator("visible=true").first).to_be_visible()

    def press(self, *keys: str):
        for key in keys:
            self.page.keyboard.press(key)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def in_dialog(self, name: str) -> Locator:
        return self.dialog.get_by_role("button", name=name, exact=True)

    def field(self, label: str) -> Locator:
        return self.dialog.get_by_label(label, exact=True)

    def error(self, label: str) -> Locator:
        """What is wrong with a field, as it is announced with the field."""
        return self.page.locator(f"#{self.field(label).get_attribute('aria-describedby')}")

    def save(self):
        self.in_dialog("Save").click()
        expect(self.dialog).to_have_count(0)

    # Accounts and categories

    def add_account(self, name: str, currency: str = "EUR", initial: str = ""):
        self.button("New account").first.click()
        self.field("Name").fill(name)
        self.field("Currency").select_option(currency)
        self.field("Initial value").fill(initial)
        self.save()
        expect(self.account(name)).to_be_visible()

    def account(self, name: str) -> Locator:
        return self.accounts.filter(has=self.page.get_by_text(name, exact=True))

    def category(self, name: str) -> Locator:
        return self.categories.filter(has=self.page.get_by_text(name, exact=True))

    def expect_balance(self, account: str, balance: str):
        expect(self.account(account).locator(".row-value")).to_have_text(balance)

    def edit(self, name: str):
        self.button(f"Edit {name}").first.click()
        expect(self.dialog).to_be_visible()

    def ask_to_delete(self, name: str):
        """Up to the question whether to."""
        self.edit(name)
        self.in_dialog("Delete…").click()
        expect(self.page.get_by_role("alertdialog")).to_contain_text(f"Delete “{name}”?")

    # Costs

    def add_cost(self, amount: str, note: str = "", account: str | None = None, category: str | None = None, date: str | None = None):
        self.button("New cost").click()
        self.field("Amount").fill(amount)
        if account:
            self.field("Account").select_option(label=account)
        if category:
            self.field("Category").select_option(label=category)
        if date:
            self.field("Date").fill(date)
        self.field("Note").fill(note)
        self.save()

    def cost(self, note: str) -> Locator:
        return self.rows.filter(has=self.page.get_by_role("button", name=note, exact=True))

    def open_cost(self, note: str):
        self.cost(note).get_by_role("button", name=note, exact=True).click()
        expect(self.field("Note")).to_have_value(note)

    def expect_notes(self, *notes: str):
        expect(self.notes).to_have_text(list(notes))

    def undo_in_toast(self):
        self.toast.get_by_role("button", name="Undo").click()

    # Files

    def expect_loaded(self):
        """Every row in sight is there."""
        expect(self.page.locator("#costs")).to_have_attribute("aria-busy", "false")

    def scroll(self, to: str):
        """Scrolls to a place in pixels, an expression in JavaScript of the list's `height`, and waits until it is drawn and loaded."""
        self.page.evaluate(
            """async (to) => {
                const scroller = document.querySelector('.main');
                const height = scroller.scrollHeight;
                scroller.scrollTop = Function('height', `return ${to}`)(height);
                for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
            }""",
            to,
        )
        self.expect_loaded()

    def choose_file(self, content: str | bytes, name: str = "costs.csv"):
        self.button("Import").click()
        data = content.encode() if isinstance(content, str) else content
        self.page.locator("#import-file").set_input_files({"name": name, "mimeType": "text/csv", "buffer": data})
