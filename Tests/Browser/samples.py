"""Pictures to import."""

import base64
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(width: int = 200, height: int = 100, color: tuple[int, int, int] = (46, 106, 77)) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    line = b"\0" + bytes(color) * width
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(line * height)) + chunk(b"IEND", b"")


GIF = base64.b64decode("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=")


def drawn(page, kind: str) -> bytes:
    """A picture in a format that the browser itself can write."""
    address = page.evaluate("kind => { const c = document.createElement('canvas'); c.width = c.height = 20; return c.toDataURL(kind) }", kind)
    assert address.startswith(f"data:{kind};"), f"the browser cannot write {kind}"
    return base64.b64decode(address.partition(",")[2])


def chosen(name: str, content: bytes, kind: str = "image/png") -> dict:
    """A file as Playwright hands it to the page."""
    return {"name": name, "mimeType": kind, "buffer": content}
