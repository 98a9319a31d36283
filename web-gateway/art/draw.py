"""Draw icons and card again: `.venv/bin/python web-gateway/art/draw.py`, which needs Chromium (`make chromium`)."""

import base64
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from card import HEIGHT, WIDTH, card
from mark import BLEED, LARGE, MASKABLE, SMALL, mark
from playwright.sync_api import Page, sync_playwright
from png import ico, png
from tiles import PAGE

READ_PIXELS = """async ([svg, width, height]) => {
    const image = new Image(width, height);
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    await image.decode();
    const brush = new OffscreenCanvas(width, height).getContext("2d");
    brush.drawImage(image, 0, 0, width, height);
    const { data } = brush.getImageData(0, 0, width, height);
    return btoa(Array.from(data, (part) => String.fromCharCode(part)).join(""));
}"""

Paint = Callable[[str, int, int], bytes]


def main() -> None:
    """Draw every picture, and say how large each is."""
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(
            executable_path=Path(path) if path else None, args=["--no-sandbox"]
        )
        pictures = _pictures(partial(_paint, browser.new_page()))
        browser.close()
    for name, body in pictures.items():
        (PAGE / name).write_bytes(body)
        print(f"{len(body):7,} {name}")


def _pictures(paint: Paint) -> dict[str, bytes]:
    flat, raised = mark(SMALL, raised=False), mark(LARGE, raised=True)
    return {
        "icons/icon.svg": flat.encode(),
        "icons/icon-192.png": paint(raised, 192, 192),
        "icons/icon-512.png": paint(raised, 512, 512),
        "icons/icon-maskable-512.png": paint(mark(MASKABLE, raised=True), 512, 512),
        "icons/apple-touch-icon.png": paint(mark(BLEED, raised=True), 180, 180),
        "icons/card.png": paint(card(), WIDTH, HEIGHT),
        "favicon.ico": ico({width: paint(flat, width, width) for width in (16, 32, 48)}),
    }


def _paint(page: Page, svg: str, width: int, height: int) -> bytes:
    return png(base64.b64decode(page.evaluate(READ_PIXELS, [svg, width, height])), width, height)


if __name__ == "__main__":
    main()
