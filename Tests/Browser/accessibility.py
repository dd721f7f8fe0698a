"""What axe says of a page."""

from importlib import resources

import pytest
from playwright.sync_api import Page

axe = pytest.importorskip("axe_core_python", reason="pip install -r Tests/Browser/requirements.txt")
SCRIPT = (resources.files(axe) / "axe.min.js").read_text()


def expect_accessible(page: Page):
    """Demands that axe finds nothing, once nothing moves any more."""
    page.evaluate(f"{SCRIPT}; null")
    page.evaluate("Promise.all(document.getAnimations().map(animation => animation.finished))")
    found = page.evaluate("axe.run().then(result => result.violations.map(({ id, nodes }) => [id, nodes.map(node => node.html)]))")
    assert found == [], found
